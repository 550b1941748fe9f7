//! What kernel terms mean, said once more: an element at a time, by recursion over the term, in `f64`.
//!
//! It is slow and short. It knows three algebras, in which the laws can be told apart, and two readings of their operations:
//! the machine's, and the quotient in which theorems of the class `finite` are equalities.

use crate::choices::Choices;
use atl_kernel::{
    Algebra, Cmp, Ctx, Entry, Expr, Iterate, Ix, IxOp, Laws, Node, Number, Pred, Prim, Scalar, Type, Var,
};

/// Ordinary arithmetic.
pub static PLUS_TIMES: Algebra = Algebra {
    name: "plus_times",
    scalars: &Scalar::ALL,
    laws: Laws::COMM_SEMIRING.and(Laws::INDEX_COUNTS),
    formula: false,
};

/// The larger and the smaller of two.
pub static MAX_MIN: Algebra = Algebra {
    name: "max_min",
    scalars: &[Scalar::F64],
    laws: Laws::COMM_SEMIRING.and(Laws::ADD_IDEM),
    formula: false,
};

/// The larger of two, and `max(0, a + b - 1)`, on the numbers from 0 to 1.
pub static BOUNDED: Algebra = Algebra {
    name: "bounded",
    scalars: &[Scalar::F64],
    laws: Laws::COMM_SEMIRING.and(Laws::ADD_IDEM),
    formula: true,
};

/// How operations are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// As the machine computes them.
    Machine,
    /// Zero times anything is zero, and a zero has no sign; see [`atl_kernel::Rounding`].
    Quotient,
}

/// A tensor's elements, row-major; an extent may be negative, and then there are none.
#[derive(Clone, Debug)]
pub struct Dense {
    /// What its elements are added and multiplied by.
    pub algebra: &'static Algebra,
    /// The extents.
    pub shape: Vec<i64>,
    /// The elements.
    pub data: Vec<f64>,
}

impl Dense {
    /// The elements in order of their indices.
    fn of(algebra: &'static Algebra, shape: Vec<i64>, mut at: impl FnMut(&[i64]) -> f64) -> Dense {
        let data = places(&shape).iter().map(|place| at(place)).collect();
        Dense { algebra, shape, data }
    }

    fn at(&self, place: &[i64]) -> f64 {
        let inside = place.iter().zip(&self.shape).all(|(i, n)| 0 <= *i && i < n);
        let flat = place.iter().zip(&self.shape).fold(0, |sum, (i, n)| sum * n + i);
        if inside { self.data[flat as usize] } else { zero(self.algebra) }
    }
}

/// Every place of a box, in row-major order.
pub fn places(shape: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for n in shape {
        all = all.iter().flat_map(|place| (0..*n).map(move |i| [&place[..], &[i]].concat())).collect();
    }
    all
}

fn zero(algebra: &Algebra) -> f64 {
    if algebra.name == "max_min" { f64::NEG_INFINITY } else { 0.0 }
}

fn one(algebra: &Algebra) -> f64 {
    if algebra.name == "max_min" { f64::INFINITY } else { 1.0 }
}

/// What a variable stands for.
#[derive(Clone, Debug)]
enum Slot {
    Int(i64),
    Tensor(Dense),
    Nothing,
}

/// Values of a context's variables: where terms have a meaning.
#[derive(Clone, Debug)]
pub struct Point {
    reading: Reading,
    free: Vec<Slot>,
    bound: Vec<Slot>,
    /// Was a value seen that its algebra does not have, such as NaN in `max_min`?
    pub strayed: bool,
}

impl Point {
    /// Random values of a context's variables, if its hypotheses hold there: sizes from -2 to 3, and these elements.
    pub fn random(ctx: &Ctx, reading: Reading, values: &[f64], choices: &mut Choices) -> Option<Point> {
        let mut point = Point { reading, free: Vec::new(), bound: Vec::new(), strayed: false };
        for entry in ctx.entries() {
            let slot = match entry {
                Entry::Index(_) => Slot::Int(choices.below(6) as i64 - 2),
                Entry::Tensor(_, ty) => Slot::Tensor(point.tensor(ty, values, choices)),
                Entry::Hyp(p, _) if point.holds(p) => Slot::Nothing,
                Entry::All(labels, p) if labels.len() == 1 && point.holds_of_all(p) => Slot::Nothing,
                Entry::Hyp(..) | Entry::All(..) => return None,
            };
            point.free.push(slot);
        }
        Some(point)
    }

    fn tensor(&self, ty: &Type, values: &[f64], choices: &mut Choices) -> Dense {
        let shape: Vec<i64> = ty.shape.iter().map(|n| self.ix(n)).collect();
        let algebra = ty.elem.algebra;
        Dense::of(algebra, shape, |_| match (ty.elem.scalar.is_float(), algebra.name) {
            (false, _) => choices.below(6) as f64 - 2.0,
            (true, "bounded") => choices.below(9) as f64 / 8.0,
            (true, "max_min") => *choices.of(&[f64::NEG_INFINITY, -1.5, 0.0, 2.0, f64::INFINITY]),
            (true, _) => *choices.of(values),
        })
    }

    fn slot(&self, v: Var) -> &Slot {
        match v {
            Var::Free(level) => &self.free[level as usize],
            Var::Bound(k) => &self.bound[self.bound.len() - 1 - k as usize],
        }
    }

    fn dense(&self, v: Var) -> &Dense {
        match self.slot(v) {
            Slot::Tensor(dense) => dense,
            other => panic!("{v:?} is no tensor: {other:?}"),
        }
    }

    /// The value of an index term.
    pub fn ix(&self, ix: &Ix) -> i64 {
        match ix {
            Ix::Lit(n) => *n,
            Ix::Var(v) => match self.slot(*v) {
                Slot::Int(n) => *n,
                other => panic!("{v:?} is no integer: {other:?}"),
            },
            Ix::Read(v, at) => {
                let place: Vec<i64> = at.iter().map(|i| self.ix(i)).collect();
                self.dense(*v).at(&place) as i64
            }
            Ix::Bin(op, ab) => {
                let (a, b) = (self.ix(&ab.0), self.ix(&ab.1));
                let quotient = || match b {
                    0 => 0,
                    _ if a % b != 0 && (a < 0) != (b < 0) => a / b - 1,
                    _ => a / b,
                };
                match op {
                    IxOp::Add => a + b,
                    IxOp::Sub => a - b,
                    IxOp::Mul => a * b,
                    IxOp::Div => quotient(),
                    IxOp::Mod => a - b * quotient(),
                    IxOp::Min => a.min(b),
                    IxOp::Max => a.max(b),
                }
            }
        }
    }

    /// Does a predicate hold?
    pub fn holds(&self, p: &Pred) -> bool {
        match p {
            Pred::True => true,
            Pred::False => false,
            Pred::Cmp(Cmp::Eq, a, b) => self.ix(a) == self.ix(b),
            Pred::Cmp(Cmp::Lt, a, b) => self.ix(a) < self.ix(b),
            Pred::Cmp(Cmp::Le, a, b) => self.ix(a) <= self.ix(b),
            Pred::Not(q) => !self.holds(q),
            Pred::And(pq) => self.holds(&pq.0) && self.holds(&pq.1),
            Pred::Or(pq) => self.holds(&pq.0) || self.holds(&pq.1),
        }
    }

    /// Does a predicate hold for its variable's values near 0? Terms here are too small to tell others apart.
    fn holds_of_all(&mut self, p: &Pred) -> bool {
        (-60..=60).all(|k| self.below(Slot::Int(k), |point| point.holds(p)))
    }

    fn below<T>(&mut self, slot: Slot, run: impl FnOnce(&mut Point) -> T) -> T {
        self.bound.push(slot);
        let result = run(self);
        self.bound.pop();
        result
    }

    /// Where the states of an iteration are these.
    fn after<T>(&mut self, states: Vec<Dense>, run: impl FnOnce(&mut Point) -> T) -> T {
        let outside = self.bound.len();
        self.bound.extend(states.into_iter().map(Slot::Tensor));
        let result = run(self);
        self.bound.truncate(outside);
        result
    }

    /// The algebra of a term's elements, and its shape.
    pub fn kind(&mut self, e: &Expr) -> (&'static Algebra, Vec<i64>) {
        match &**e {
            Node::Var(v) => {
                let dense = self.dense(*v);
                (dense.algebra, dense.shape.clone())
            }
            Node::Lit(elem, _) | Node::Index(elem, _) => (elem.algebra, vec![]),
            Node::Gen(_, n, body) => {
                let n = self.ix(n);
                let (algebra, inside) = self.below(Slot::Int(0), |point| point.kind(body));
                (algebra, [&[n], &inside[..]].concat())
            }
            Node::Sum(_, _, body) => self.below(Slot::Int(0), |point| point.kind(body)),
            Node::Guard(_, a) | Node::Select(_, a, _) => self.kind(a),
            Node::Let(_, bound, body) => {
                let outline = self.outline(bound);
                self.below(Slot::Tensor(outline), |point| point.kind(body))
            }
            Node::Iterate(it) => {
                let states = it.states.iter().map(|state| self.outline(&state.init)).collect();
                self.after(states, |point| point.kind(&it.body))
            }
            Node::Get(array, _) => {
                let (algebra, shape) = self.kind(array);
                (algebra, shape[1..].to_vec())
            }
            Node::Prim(_, args) => self.kind(&args[0]),
            Node::View(algebra, body) => (algebra.0, self.kind(body).1),
            Node::Op(definition, ..) => self.called(e, Point::outline).kind(&definition.body),
            Node::Bundle(..) => panic!("several results are no tensor"),
        }
    }

    /// A tensor of the term's kind, without elements.
    fn outline(&mut self, e: &Expr) -> Dense {
        let (algebra, shape) = self.kind(e);
        Dense { algebra, shape, data: vec![] }
    }

    /// Where the body of an operator has its meaning, with its arguments evaluated so.
    fn called(&mut self, e: &Expr, argument: fn(&mut Point, &Expr) -> Dense) -> Point {
        let Node::Op(definition, ixs, args) = &**e else { panic!("{e:?} uses no operator") };
        let mut free: Vec<Slot> = ixs.iter().map(|ix| Slot::Int(self.ix(ix))).collect();
        for (arg, extents) in args.iter().zip(&definition.tensor_params) {
            let value = argument(self, arg);
            free.extend(value.shape[..*extents as usize].iter().map(|n| Slot::Int(*n)));
            free.push(Slot::Tensor(value));
        }
        Point { free, bound: Vec::new(), ..self.clone() }
    }

    /// All elements of a term.
    pub fn value(&mut self, e: &Expr) -> Dense {
        match &**e {
            // What is bound, and rounds, are the same for all elements.
            Node::Let(_, bound, body) => {
                let bound = self.value(bound);
                self.below(Slot::Tensor(bound), |point| point.value(body))
            }
            Node::Iterate(it) => {
                let states = self.rounds(it);
                self.after(states, |point| point.value(&it.body))
            }
            _ => {
                let (algebra, shape) = self.kind(e);
                Dense::of(algebra, shape, |place| self.at(e, place))
            }
        }
    }

    /// The states after all rounds.
    fn rounds(&mut self, it: &Iterate) -> Vec<Dense> {
        let mut states: Vec<Dense> = it.states.iter().map(|state| self.value(&state.init)).collect();
        for t in 0..self.ix(&it.extent) {
            states = self.after(states, |point| {
                let outside = point.bound.len();
                for state in &it.states {
                    let next = point.below(Slot::Int(t), |point| point.value(&state.step));
                    point.bound.push(Slot::Tensor(next));
                }
                let dense = |slot| if let Slot::Tensor(dense) = slot { dense } else { panic!("a state") };
                point.bound.drain(outside..).map(dense).collect()
            });
        }
        states
    }

    /// A value as the reading knows it. One that the algebra does not have is remembered.
    fn settle(&mut self, algebra: &Algebra, x: f64) -> f64 {
        self.strayed |= match algebra.name {
            "max_min" => x.is_nan(),
            "bounded" => !(0.0..=1.0).contains(&x),
            _ => false,
        };
        match self.reading {
            Reading::Quotient if x == 0.0 => 0.0,
            _ => x,
        }
    }

    fn operation(&self, algebra: &Algebra, f: Prim, a: f64, b: f64) -> f64 {
        match (f, algebra.name) {
            (Prim::Add, "plus_times") => a + b,
            (Prim::Mul, "plus_times") if self.reading == Reading::Quotient && (a == 0.0 || b == 0.0) => 0.0,
            (Prim::Mul, "plus_times") => a * b,
            (Prim::Add, _) | (Prim::Max, _) => {
                if a < b {
                    b
                } else {
                    a
                }
            }
            (Prim::Mul, "max_min") | (Prim::Min, _) => {
                if b < a {
                    b
                } else {
                    a
                }
            }
            (Prim::Mul, _) => f64::max(0.0, a + b - 1.0),
            (Prim::Div, _) => a / b,
            (Prim::Sub, _) => a - b,
            _ => panic!("{f:?} is not evaluated here"),
        }
    }

    /// The element of a term at a place.
    pub fn at(&mut self, e: &Expr, place: &[i64]) -> f64 {
        let algebra = self.kind(e).0;
        let x = match &**e {
            Node::Var(v) => self.dense(*v).at(place),
            Node::Lit(_, Number::Zero) => zero(algebra),
            Node::Lit(_, Number::One) => one(algebra),
            Node::Lit(_, Number::Decimal(digits, exponent)) => *digits as f64 * 10f64.powi(*exponent),
            Node::Lit(_, Number::Infinity) => f64::INFINITY,
            Node::Lit(_, Number::NegInfinity) => f64::NEG_INFINITY,
            Node::Index(_, ix) => self.ix(ix) as f64,
            Node::Gen(_, n, body) => match place {
                [i, rest @ ..] if 0 <= *i && *i < self.ix(n) => {
                    self.below(Slot::Int(*i), |point| point.at(body, rest))
                }
                _ => zero(algebra),
            },
            Node::Sum(_, n, body) => (0..self.ix(n)).fold(zero(algebra), |sum, i| {
                let term = self.below(Slot::Int(i), |point| point.at(body, place));
                self.operation(algebra, Prim::Add, sum, term)
            }),
            Node::Guard(p, _) if !self.holds(p) => zero(algebra),
            Node::Guard(_, body) | Node::View(_, body) => self.at(body, place),
            Node::Select(p, a, b) => {
                let side = if self.holds(p) { a } else { b };
                self.at(side, place)
            }
            Node::Let(_, bound, body) => {
                let bound = self.value(bound);
                self.below(Slot::Tensor(bound), |point| point.at(body, place))
            }
            Node::Iterate(it) => {
                let states = self.rounds(it);
                self.after(states, |point| point.at(&it.body, place))
            }
            Node::Get(array, i) => {
                let i = self.ix(i);
                let inside = 0 <= i && i < self.kind(array).1[0];
                if inside { self.at(array, &[&[i], place].concat()) } else { zero(algebra) }
            }
            Node::Prim(Prim::Neg, args) => -self.at(&args[0], place),
            Node::Prim(f, args) => {
                let (a, b) = (self.at(&args[0], place), self.at(&args[1], place));
                self.operation(algebra, *f, a, b)
            }
            Node::Op(definition, ..) => {
                let mut inside = self.called(e, Point::value);
                let x = inside.at(&definition.body, place);
                self.strayed |= inside.strayed;
                x
            }
            Node::Bundle(..) => panic!("several results are no tensor"),
        };
        self.settle(algebra, x)
    }
}
