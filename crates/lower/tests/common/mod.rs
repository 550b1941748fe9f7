//! Programs by closures, and the comparison that every test makes: the lowered loops, run by the trapping
//! interpreter, give what the reference interpreter gives, bit by bit.
#![allow(unreachable_pub, missing_docs)]

use atl_arith::Arith;
use atl_interp::{Machine, Tensor, Value, eval_program};
use atl_kernel::{
    AlgebraRef, Ctx, Elem, Expr, Ix, Label, Node, Number, Pred, Prim, Rounding, Scalar, Type, Var, subst,
};
use atl_loops::interp::{Cells, Options, interpret};
use atl_lower::{LowerError, LowerInput, Lowered, lower_within};
use atl_semirings::instances::PLUS_TIMES;
use std::cell::Cell;
use std::sync::Arc;

pub const F32: Elem = Elem { scalar: Scalar::F32, algebra: &PLUS_TIMES };
pub const I32: Elem = Elem { scalar: Scalar::I32, algebra: &PLUS_TIMES };

/// Inputs and sizes under construction.
#[derive(Default)]
pub struct Program {
    pub ctx: Ctx,
    pub sizes: Vec<(u32, String)>,
    pub inputs: Vec<(u32, String)>,
}

impl Program {
    pub fn size(&mut self, name: &str) -> Ix {
        let level = self.ctx.push_size(Label::new(name));
        self.sizes.push((level, name.to_owned()));
        Ix::free(level)
    }

    pub fn require(&mut self, p: Pred) {
        self.ctx.push_hyp(p);
    }

    pub fn input(&mut self, name: &str, elem: Elem, shape: &[&Ix]) -> Expr {
        let ty = Type { elem, shape: shape.iter().map(|n| (*n).clone()).collect() };
        let level = self.ctx.push_tensor(Label::new(name), ty);
        self.inputs.push((level, name.to_owned()));
        Arc::new(Node::Var(Var::Free(level)))
    }

    pub fn lower(&self, body: &Expr) -> Result<Lowered, LowerError> {
        self.lower_within(body, Rounding::Bitwise)
    }

    pub fn lower_within(&self, body: &Expr, rounding: Rounding) -> Result<Lowered, LowerError> {
        let input = LowerInput {
            assembly: None,
            ctx: Arc::new(self.ctx.clone()),
            sizes: self.sizes.clone(),
            inputs: self.inputs.clone(),
            outputs: vec!["out".to_owned()],
            name: "kernel".to_owned(),
            body: body.clone(),
            annotations: Default::default(),
        };
        lower_within(&input, rounding, &mut Arith::new())
    }

    /// Lower, run at these sizes, and compare with the reference interpreter; the loops' text.
    pub fn check(&self, body: &Expr, sizes: &[&[i64]]) -> String {
        let lowered = self.lower(body).unwrap_or_else(|e| panic!("{e}\n{body:?}"));
        for sizes in sizes {
            self.compare(body, &lowered, sizes);
        }
        lowered.plain.to_string()
    }

    pub fn compare(&self, body: &Expr, lowered: &Lowered, sizes: &[i64]) {
        let mut seed = 1;
        let inputs: Vec<Tensor<Value>> =
            self.inputs.iter().map(|(l, _)| self.data(*l, sizes, &mut seed)).collect();
        let cells: Vec<Cells> = inputs.iter().map(cells).collect();
        let expected = eval_program::<Machine>(&self.ctx, sizes, inputs, body).expect("a value");
        for kernel in [&lowered.plain, &lowered.kernel] {
            let found = interpret(kernel, sizes, &cells, Options::default())
                .unwrap_or_else(|e| panic!("{e} at {sizes:?}\n{kernel}\n{body:?}"));
            assert_eq!(bits(&found[0]), bits(&self::cells(&expected)), "at {sizes:?}\n{kernel}\n{body:?}");
        }
    }

    fn data(&self, level: u32, sizes: &[i64], seed: &mut u64) -> Tensor<Value> {
        let Some(atl_kernel::Entry::Tensor(_, ty)) = self.ctx.entry(level) else { panic!("no input") };
        let value = |l: u32| self.sizes.iter().position(|(level, _)| *level == l).map(|k| sizes[k]);
        let extent = |n: &Ix| {
            usize::try_from(atl_arith::eval_ix(n, &value).expect("an extent")).expect("not negative")
        };
        let shape: Vec<usize> = ty.shape.iter().map(extent).collect();
        let mut next = || {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i64::try_from(*seed >> 33).expect("31 bits")
        };
        let data = (0..shape.iter().product()).map(|_| number(ty.elem.scalar, next())).collect();
        Tensor::try_new(ty.elem, shape, data).expect("the shape fits")
    }
}

fn number(scalar: Scalar, n: i64) -> Value {
    let small = i32::try_from(n % 19 - 9).expect("small");
    match scalar {
        // Not exactly representable, so that regrouping shows.
        Scalar::F32 => Value::F32(small as f32 * 0.1 + (n % 7) as f32 * 1e3),
        Scalar::F64 => Value::F64(f64::from(small) * 0.1),
        Scalar::Bool => Value::Bool(n % 2 == 0),
        _ if scalar.range().is_some_and(|(least, _)| least == 0) => {
            Value::of_integer(scalar, i128::from(n % 251))
        }
        _ => Value::of_integer(scalar, i128::from(small)),
    }
}

fn cells(tensor: &Tensor<Value>) -> Cells {
    Cells::from_literals(tensor.elem().scalar, tensor.data())
}

fn bits(cells: &Cells) -> Vec<u64> {
    cells.literals().iter().map(|l| l.bits()).collect()
}

thread_local!(static FRESH: Cell<u32> = const { Cell::new(1 << 20) });

fn fresh() -> u32 {
    FRESH.with(|f| f.replace(f.get() + 1))
}

pub fn gen_(name: &str, n: &Ix, body: impl FnOnce(Ix) -> Expr) -> Expr {
    gen_as(Label::new(name), n, body)
}

pub fn gen_as(label: Label, n: &Ix, body: impl FnOnce(Ix) -> Expr) -> Expr {
    let level = fresh();
    Arc::new(Node::Gen(label, n.clone(), subst::close(&body(Ix::free(level)), level)))
}

pub fn sum_(name: &str, n: &Ix, body: impl FnOnce(Ix) -> Expr) -> Expr {
    let level = fresh();
    Arc::new(Node::Sum(Label::new(name), n.clone(), subst::close(&body(Ix::free(level)), level)))
}

pub fn let_(label: Label, bound: Expr, body: impl FnOnce(Expr) -> Expr) -> Expr {
    let level = fresh();
    let body = body(Arc::new(Node::Var(Var::Free(level))));
    Arc::new(Node::Let(label, bound, subst::close(&body, level)))
}

/// A stream of choices.
pub struct Choices(pub u64);

impl Choices {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }

    pub fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

/// A state of an iteration: its name, its start, and its step at a round's number, of the old states and
/// the new ones before.
pub type State<'a> = (&'a str, Expr, &'a Step<'a>);

/// A step, of a round's number, the old states and the new ones before.
pub type Step<'a> = dyn Fn(&Ix, &[Expr], &[Expr]) -> Expr + 'a;

/// Rounds, and what is made of the last states.
pub fn iterate(name: &str, n: &Ix, states: &[State<'_>], body: impl FnOnce(&[Expr]) -> Expr) -> Expr {
    let count = u32::try_from(states.len()).expect("few states");
    let variables = |first: u32, count: u32| -> Vec<Expr> {
        (first..first + count).map(|level| Arc::new(Node::Var(Var::Free(level))) as Expr).collect()
    };
    // Those of one binder follow each other.
    let block = |count: u32| (0..count).map(|_| fresh()).collect::<Vec<_>>()[0];
    let made = (0u32..).zip(states).map(|(k, (name, init, step))| {
        let first = block(count + k + 1);
        let (olds, news) = (variables(first, count), variables(first + count, k));
        let step = step(&Ix::free(first + count + k), &olds, &news);
        let step = subst::close_all(&step, first, count + k + 1);
        atl_kernel::State { label: Label::new(name), init: init.clone(), step }
    });
    let states: Vec<_> = made.collect();
    let first = block(count);
    let body = subst::close_all(&body(&variables(first, count)), first, count);
    Arc::new(Node::Iterate(Arc::new(atl_kernel::Iterate {
        label: Label::new(name),
        extent: n.clone(),
        states,
        body,
    })))
}

pub fn guard(p: Pred, e: Expr) -> Expr {
    Arc::new(Node::Guard(p, e))
}

pub fn select(p: Pred, a: Expr, b: Expr) -> Expr {
    Arc::new(Node::Select(p, a, b))
}

pub fn at(e: &Expr, index: &[&Ix]) -> Expr {
    index.iter().fold(e.clone(), |e, i| Arc::new(Node::Get(e, (*i).clone())))
}

pub fn prim(f: Prim, args: &[&Expr]) -> Expr {
    Arc::new(Node::Prim(f, args.iter().map(|e| (*e).clone()).collect()))
}

pub fn add(a: &Expr, b: &Expr) -> Expr {
    prim(Prim::Add, &[a, b])
}

pub fn mul(a: &Expr, b: &Expr) -> Expr {
    prim(Prim::Mul, &[a, b])
}

pub fn lit(elem: Elem, n: i64) -> Expr {
    Arc::new(Node::Lit(elem, Number::Decimal(n.into(), 0)))
}

pub fn view(algebra: &'static atl_kernel::Algebra, e: &Expr) -> Expr {
    Arc::new(Node::View(AlgebraRef(algebra), e.clone()))
}

pub fn index(elem: Elem, ix: &Ix) -> Expr {
    Arc::new(Node::Index(elem, ix.clone()))
}
