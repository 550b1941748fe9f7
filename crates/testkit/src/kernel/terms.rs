//! Random kernel terms, well scoped and mostly well typed, over sizes that may be negative.
//!
//! Extents speak of the context's sizes only, so a term's shape means the same below every binder. Forms that rules
//! ask for and that chance rarely makes (a product with one, a sum of ones, a sum with one term) are made on purpose.

use super::meaning::{BOUNDED, MAX_MIN, PLUS_TIMES};
use crate::choices::Choices;
use atl_kernel::{
    Algebra, AlgebraRef, Ctx, Definition, Elem, Expr, Iterate, Ix, IxOp, Label, Node, Number, Pred, Prim,
    Scalar, State, Type, Var,
};
use std::sync::Arc;

/// Floats of this algebra.
pub fn floats(algebra: &'static Algebra) -> Elem {
    Elem { scalar: Scalar::F64, algebra }
}

/// The context's integer tensor, which index terms read.
const READ: u32 = 7;

/// A context of three integers, tensors over them, and up to two hypotheses.
pub fn context(choices: &mut Choices) -> Ctx {
    let mut ctx = Ctx::new();
    for name in ["n", "m", "a"] {
        ctx.push_index(Label::new(name));
    }
    let (n, m) = (Ix::free(0), Ix::free(1));
    let tensor = |elem, shape: &[&Ix]| Type { elem, shape: shape.iter().copied().cloned().collect() };
    let ordinary = floats(&PLUS_TIMES);
    for (name, ty) in [
        ("x", tensor(ordinary, &[&n])),
        ("y", tensor(ordinary, &[&m])),
        ("z", tensor(ordinary, &[&n, &m])),
        ("s", tensor(ordinary, &[])),
        ("t", tensor(Elem { scalar: Scalar::I32, algebra: &PLUS_TIMES }, &[&n])),
        ("w", tensor(floats(&MAX_MIN), &[&n])),
        ("b", tensor(floats(&BOUNDED), &[&n])),
    ] {
        ctx.push_tensor(Label::new(name), ty);
    }
    for _ in 0..choices.below(3) {
        let p = Terms::new(choices).pred(1);
        ctx.push_hyp(p);
    }
    ctx
}

/// `pad(k, x)`: `gen i < N + k { [i < N] * x[i] }`.
fn pad() -> Arc<Definition> {
    let i = Ix::Var(Var::Bound(0));
    let element = Arc::new(Node::Get(Arc::new(Node::Var(Var::Free(2))), i.clone()));
    let padded = Arc::new(Node::Guard(Pred::lt(i, Ix::free(1)), element));
    let body = Arc::new(Node::Gen(Label::default(), Ix::free(1) + Ix::free(0), padded));
    Arc::new(Definition { name: "pad", index_params: 1, tensor_params: vec![1], body })
}

/// A binder around the place at hand.
enum Binder {
    Index,
    Tensor(Elem, Vec<Ix>),
}

/// A generator of terms in the context of [`context`].
pub struct Terms<'a> {
    choices: &'a mut Choices,
    binders: Vec<Binder>,
}

impl<'a> Terms<'a> {
    /// No binder is entered.
    pub fn new(choices: &'a mut Choices) -> Terms<'a> {
        Terms { choices, binders: Vec::new() }
    }

    /// An extent.
    pub fn extent(&mut self) -> Ix {
        let (n, m) = (Ix::free(0), Ix::free(1));
        let extents = [n.clone(), m.clone(), Ix::Lit(0), Ix::ONE, Ix::Lit(2), n.clone() + Ix::ONE, n - m];
        self.choices.of(&extents).clone()
    }

    /// An index term.
    pub fn ix(&mut self, depth: usize) -> Ix {
        let bound: Vec<u32> = (0..)
            .zip(self.binders.iter().rev())
            .filter(|(_, b)| matches!(b, Binder::Index))
            .map(|(k, _)| k)
            .collect();
        match self.choices.below(if depth == 0 { 5 } else { 9 }) {
            0 | 1 => Ix::Lit(self.choices.below(5) as i64 - 1),
            2 | 3 if !bound.is_empty() => Ix::Var(Var::Bound(*self.choices.of(&bound))),
            2..=4 => Ix::free(self.choices.below(3) as u32),
            5 => {
                let integer = |b: &Binder| matches!(b, Binder::Tensor(of, _) if !of.scalar.is_float());
                let states = (0..).zip(self.binders.iter().rev()).filter(|(_, b)| integer(b));
                let states: Vec<u32> = states.map(|(k, _)| k).collect();
                match states.is_empty() || self.choices.one_in(3) {
                    true => Ix::Read(Var::Free(READ), [self.ix(depth - 1)].into()),
                    false => Ix::Read(Var::Bound(*self.choices.of(&states)), [].into()),
                }
            }
            _ => {
                let ops = [IxOp::Add, IxOp::Sub, IxOp::Mul, IxOp::Div, IxOp::Mod, IxOp::Min, IxOp::Max];
                let op = *self.choices.of(&ops);
                Ix::bin(op, self.ix(depth - 1), self.ix(depth - 1))
            }
        }
    }

    /// A predicate.
    pub fn pred(&mut self, depth: usize) -> Pred {
        match self.choices.below(if depth == 0 { 4 } else { 7 }) {
            0 => Pred::eq(self.ix(1), self.ix(1)),
            1 => Pred::lt(self.ix(1), self.ix(1)),
            2 => Pred::le(self.ix(1), self.ix(1)),
            3 => self.choices.of(&[Pred::True, Pred::False]).clone(),
            4 => Pred::not(self.pred(depth - 1)),
            5 => Pred::and(self.pred(depth - 1), self.pred(depth - 1)),
            _ => Pred::or(self.pred(depth - 1), self.pred(depth - 1)),
        }
    }

    /// A shape of up to two extents.
    pub fn shape(&mut self) -> Vec<Ix> {
        (0..self.choices.below(3)).map(|_| self.extent()).collect()
    }

    /// One of the algebras, most often the ordinary one.
    pub fn elem(&mut self) -> Elem {
        floats(match self.choices.below(5) {
            0 => &MAX_MIN,
            1 => &BOUNDED,
            _ => &PLUS_TIMES,
        })
    }

    fn below(&mut self, binder: Binder, elem: Elem, shape: &[Ix], depth: usize) -> Expr {
        self.binders.push(binder);
        let body = self.expr(elem, shape, depth);
        self.binders.pop();
        body
    }

    /// A variable of this type, if there is one.
    fn var(&mut self, elem: Elem, shape: &[Ix]) -> Option<Expr> {
        let (n, m) = (Ix::free(0), Ix::free(1));
        let is =
            |extents: &[&Ix]| shape.len() == extents.len() && shape.iter().zip(extents).all(|(a, b)| a == *b);
        let mut found: Vec<Var> = (0..)
            .zip(self.binders.iter().rev())
            .filter(|(_, b)| matches!(b, Binder::Tensor(e, s) if *e == elem && s == shape))
            .map(|(k, _)| Var::Bound(k))
            .collect();
        let named = match elem.algebra.name {
            "max_min" if is(&[&n]) => Some(8),
            "bounded" if is(&[&n]) => Some(9),
            "plus_times" if is(&[&n]) => Some(3),
            "plus_times" if is(&[&m]) => Some(4),
            "plus_times" if is(&[&n, &m]) => Some(5),
            "plus_times" if is(&[]) => Some(6),
            _ => None,
        };
        found.extend(named.map(Var::Free));
        if found.is_empty() { None } else { Some(Arc::new(Node::Var(*self.choices.of(&found)))) }
    }

    fn literal(&mut self, elem: Elem) -> Expr {
        let numbers = [Number::Zero, Number::One, Number::Decimal(5, -1)];
        Arc::new(Node::Lit(elem, *self.choices.of(&numbers)))
    }

    /// A number of the integers that the context's tensor holds: an element, a literal, or an operation on
    /// index terms.
    pub fn integer(&mut self) -> Expr {
        let elem = Elem { scalar: Scalar::I32, algebra: &PLUS_TIMES };
        let get = |ix| Node::Get(Arc::new(Node::Var(Var::Free(READ))), ix);
        let node = match self.choices.below(5) {
            0 => get(self.ix(1)),
            // In bounds, once the loop is entered.
            1 => Node::Gen(Label::default(), Ix::free(0), Arc::new(get(Ix::Var(Var::Bound(0))))),
            2 => {
                let numbers = [Number::Zero, Number::One, Number::Decimal(3, 0), Number::Decimal(1 << 31, 0)];
                Node::Lit(elem, *self.choices.of(&numbers))
            }
            _ => {
                let f = *self.choices.of(&[Prim::Add, Prim::Mul, Prim::Sub, Prim::Min, Prim::Max]);
                let operands = [self.ix(1), self.ix(1)].map(|ix| Arc::new(Node::Index(elem, ix)));
                Node::Prim(f, operands.to_vec())
            }
        };
        Arc::new(node)
    }

    /// A term of this type.
    pub fn expr(&mut self, elem: Elem, shape: &[Ix], depth: usize) -> Expr {
        if depth == 0 {
            return match (self.var(elem, shape), shape) {
                (Some(var), _) => var,
                (None, []) => self.literal(elem),
                (None, [n, rest @ ..]) => self.generated(elem, n, rest, 0),
            };
        }
        let depth = depth - 1;
        let node = match self.choices.below(20) {
            0 | 1 => match self.var(elem, shape) {
                Some(var) => return var,
                None => return self.expr(elem, shape, depth),
            },
            2 => Node::Guard(self.pred(1), self.expr(elem, shape, depth)),
            3 => Node::Select(self.pred(1), self.expr(elem, shape, depth), self.expr(elem, shape, depth)),
            4 => {
                let n = self.extent();
                Node::Sum(Label::default(), n, self.below(Binder::Index, elem, shape, depth))
            }
            5 => {
                let bound = self.shape();
                let value = self.expr(elem, &bound, depth);
                Node::Let(
                    Label::default(),
                    value,
                    self.below(Binder::Tensor(elem, bound), elem, shape, depth),
                )
            }
            6 | 7 => {
                let n = self.extent();
                let array = self.expr(elem, &[&[n], shape].concat(), depth);
                Node::Get(array, self.ix(1))
            }
            8 => {
                let from = self.elem();
                let viewed = self.expr(from, shape, depth);
                Node::View(AlgebraRef(elem.algebra), viewed)
            }
            9 => self.of_one_term(elem, shape, depth),
            10 => {
                let one = Arc::new(Node::Lit(elem, Number::One));
                Node::Sum(Label::default(), self.ix(1), one)
            }
            11 => {
                let one = Arc::new(Node::Lit(elem, Number::One));
                let other = self.expr(elem, &[], depth);
                let left = self.choices.one_in(2);
                Node::Prim(Prim::Mul, if left { vec![one, other] } else { vec![other, one] })
            }
            14 | 15 => self.nested(elem, shape, depth),
            16 => self.iteration(elem, shape, depth),
            12 if matches!(shape, [_]) => {
                // The extent may be right or wrong: typing says.
                let argument = self.expr(elem, &[Ix::free(0)], depth);
                Node::Op(pad(), vec![self.ix(0)], vec![argument])
            }
            13 if elem.algebra.name == "plus_times" => {
                let f = *self.choices.of(&[Prim::Min, Prim::Max, Prim::Div]);
                Node::Prim(f, vec![self.expr(elem, shape, depth), self.expr(elem, shape, depth)])
            }
            _ => match shape {
                [n, rest @ ..] if self.choices.one_in(2) => return self.generated(elem, n, rest, depth),
                _ => {
                    let f = *self.choices.of(&[Prim::Add, Prim::Mul]);
                    Node::Prim(f, vec![self.expr(elem, shape, depth), self.expr(elem, shape, depth)])
                }
            },
        };
        Arc::new(node)
    }

    /// Two constructs, one in the other, between which a rule moves something.
    fn nested(&mut self, elem: Elem, shape: &[Ix], depth: usize) -> Node {
        let n = self.extent();
        let longer = [&[n], shape].concat();
        let prim = |f, a, b| Node::Prim(f, vec![a, b]);
        match self.choices.below(10) {
            0 if shape.is_empty() => Node::Guard(self.pred(1), Arc::new(Node::Lit(elem, Number::Zero))),
            0 | 1 => {
                Node::Guard(self.pred(0), Arc::new(Node::Guard(self.pred(0), self.expr(elem, shape, depth))))
            }
            2 => {
                let from = self.elem();
                let viewed = Node::View(AlgebraRef(elem.algebra), self.expr(from, &longer, depth));
                Node::Get(Arc::new(viewed), self.ix(1))
            }
            3 => {
                let (outer, inner) = (self.elem(), self.elem());
                let viewed = Node::View(AlgebraRef(outer.algebra), self.expr(inner, shape, depth));
                Node::View(AlgebraRef(elem.algebra), Arc::new(viewed))
            }
            4 => {
                let f = *self.choices.of(&[Prim::Add, Prim::Mul]);
                let (a, b) = (self.expr(elem, &longer, depth), self.expr(elem, &longer, depth));
                Node::Get(Arc::new(prim(f, a, b)), self.ix(1))
            }
            5 => {
                let generated = self.generated(elem, &longer[0], shape, depth);
                Node::Get(generated, self.ix(1))
            }
            6 => {
                let guarded = Arc::new(Node::Guard(self.pred(0), self.expr(elem, shape, depth)));
                let f = *self.choices.of(&[Prim::Add, Prim::Mul]);
                prim(f, guarded, self.expr(elem, shape, depth))
            }
            7 => {
                let guarded = Arc::new(Node::Guard(self.pred(0), self.expr(elem, shape, depth)));
                let f = *self.choices.of(&[Prim::Add, Prim::Mul]);
                prim(f, self.expr(elem, shape, depth), guarded)
            }
            8 => {
                let (a, b) = (self.expr(elem, shape, depth), self.expr(elem, shape, depth));
                let (factor, sum) = (self.expr(elem, shape, depth), Arc::new(prim(Prim::Add, a, b)));
                if self.choices.one_in(2) {
                    prim(Prim::Mul, factor, sum)
                } else {
                    prim(Prim::Mul, sum, factor)
                }
            }
            _ => {
                let body = self.below(Binder::Index, elem, shape, depth);
                let sum = Arc::new(Node::Sum(Label::default(), longer[0].clone(), body));
                match self.choices.below(4) {
                    0 => Node::Guard(self.pred(0), sum),
                    1 => prim(Prim::Mul, sum, self.expr(elem, shape, depth)),
                    2 => prim(Prim::Mul, self.expr(elem, shape, depth), sum),
                    _ => Node::Sum(Label::default(), self.extent(), sum),
                }
            }
        }
    }

    /// Rounds of up to three states: some are integers that indices read, some the history of a scan.
    pub fn iteration(&mut self, elem: Elem, shape: &[Ix], depth: usize) -> Node {
        let rounds = [self.extent(), Ix::Lit(-1), Ix::Lit(2), Ix::Lit(3), Ix::max(Ix::free(0), Ix::ONE)];
        let extent = self.choices.of(&rounds).clone();
        let integers = Elem { scalar: Scalar::I32, algebra: &PLUS_TIMES };
        let mut types: Vec<(Elem, Vec<Ix>)> = Vec::new();
        for _ in 0..self.choices.below(4) {
            types.push(match self.choices.below(4) {
                0 => (integers, vec![]),
                1 => (self.elem(), self.shape()),
                _ => (elem, shape.to_vec()),
            });
        }
        let scalar = |terms: &mut Terms<'_>| Arc::new(Node::Index(integers, terms.ix(1)));
        let value = |terms: &mut Terms<'_>, (of, shape): &(Elem, Vec<Ix>)| match of.scalar.is_float() {
            true => terms.expr(*of, shape, depth),
            false => scalar(terms),
        };
        let inits: Vec<Expr> = types.iter().map(|ty| value(self, ty)).collect();
        let outside = self.binders.len();
        let binder = |(of, shape): &(Elem, Vec<Ix>)| Binder::Tensor(*of, shape.clone());
        self.binders.extend(types.iter().map(binder));
        let mut states = Vec::new();
        for (ty, init) in types.iter().zip(inits) {
            self.binders.push(Binder::Index);
            let step = match &ty.1[..] {
                // One place is new in each round: the step of a scan.
                [n, rest @ ..] if ty.0.scalar.is_float() && self.choices.one_in(2) => {
                    self.point_update(ty.0, n, rest, (types.len() + states.len(), states.len()), depth)
                }
                _ => value(self, ty),
            };
            self.binders.pop();
            self.binders.push(binder(ty));
            states.push(State { label: Label::default(), init, step });
        }
        self.binders.truncate(outside + types.len());
        let body = self.expr(elem, shape, depth);
        self.binders.truncate(outside);
        Node::Iterate(Arc::new(Iterate { label: Label::default(), extent, states, body }))
    }

    /// `gen k < n { select(k == t + c, e, x[k]) }`, where `t` is the innermost binder and `x` the state
    /// of this
    /// number, one of the tensors that stand right outside of `t`.
    fn point_update(
        &mut self,
        elem: Elem,
        n: &Ix,
        rest: &[Ix],
        (tensors, state): (usize, usize),
        depth: usize,
    ) -> Expr {
        self.binders.push(Binder::Index);
        let (k, t) = (Ix::Var(Var::Bound(0)), Ix::Var(Var::Bound(1)));
        let old = Arc::new(Node::Var(Var::Bound((1 + tensors - state) as u32)));
        let place = Pred::eq(k.clone(), t + Ix::Lit(self.choices.below(3) as i64 - 1));
        let new = self.expr(elem, rest, depth);
        self.binders.pop();
        let select = Node::Select(place, new, Arc::new(Node::Get(old, k)));
        Arc::new(Node::Gen(Label::default(), n.clone(), Arc::new(select)))
    }

    fn generated(&mut self, elem: Elem, n: &Ix, rest: &[Ix], depth: usize) -> Expr {
        let body = self.below(Binder::Index, elem, rest, depth);
        Arc::new(Node::Gen(Label::default(), n.clone(), body))
    }

    /// `sum i < n { [i == a && q] * e }`, where `a` may speak of `i` after all.
    fn of_one_term(&mut self, elem: Elem, shape: &[Ix], depth: usize) -> Node {
        let n = self.extent();
        self.binders.push(Binder::Index);
        let (i, a) = (Ix::Var(Var::Bound(0)), self.ix(1));
        let is_it = if self.choices.one_in(2) { Pred::eq(i, a) } else { Pred::eq(a, i) };
        let condition = Pred::and(is_it, if self.choices.one_in(2) { self.pred(0) } else { Pred::True });
        let body = self.expr(elem, shape, depth);
        self.binders.pop();
        Node::Sum(Label::default(), n, Arc::new(Node::Guard(condition, body)))
    }

    /// The term with an index term or a predicate somewhere replaced by one that may be equal.
    pub fn varied(&mut self, e: &Expr) -> Expr {
        let node = match &**e {
            Node::Gen(l, n, body) if self.choices.one_in(2) => {
                Node::Gen(l.clone(), self.near(n), body.clone())
            }
            Node::Sum(l, n, body) if self.choices.one_in(2) => {
                Node::Sum(l.clone(), self.near(n), body.clone())
            }
            Node::Get(array, i) if self.choices.one_in(2) => Node::Get(array.clone(), self.near(i)),
            Node::Index(elem, i) => Node::Index(*elem, self.near(i)),
            Node::Guard(p, body) if self.choices.one_in(2) => {
                let q = match self.choices.below(4) {
                    0 => Pred::True,
                    1 => Pred::False,
                    2 => Pred::not(p.clone()),
                    _ => Pred::and(p.clone(), Pred::le(Ix::ZERO, Ix::free(0))),
                };
                Node::Guard(q, body.clone())
            }
            node => {
                let children: Vec<_> = node.children().collect();
                if children.is_empty() {
                    return e.clone();
                }
                let at = *self.choices.of(&children);
                let child = node.child(at).map(|child| self.varied(child));
                child.map_or_else(|| node.clone(), |child| node.with_child(at, child))
            }
        };
        Arc::new(node)
    }

    fn near(&mut self, ix: &Ix) -> Ix {
        match self.choices.below(5) {
            0 => Ix::min(ix.clone(), ix.clone() + Ix::ONE),
            1 => Ix::bin(IxOp::Add, Ix::ONE, Ix::bin(IxOp::Sub, ix.clone(), Ix::ONE)),
            2 => Ix::max(ix.clone(), Ix::ZERO),
            3 => Ix::free(self.choices.below(3) as u32),
            _ => Ix::Lit(self.choices.below(3) as i64),
        }
    }
}
