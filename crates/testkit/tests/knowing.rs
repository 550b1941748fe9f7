//! Random integer arithmetic that is bound by a `let`: what the kernel says of its elements holds of what
//! they are.
//!
//! Inputs have the extremes of their types, and sizes are 0, 1 and more. `ATL_KERNEL=20` tries 20 times as
//! much.

use atl_arith::Arith;
use atl_interp::{Domain, Env, Machine, Tensor, Value, eval_program};
use atl_kernel::subst::instantiate_all;
use atl_kernel::{Ctx, Elem, Entry, Expr, Ix, Label, Node, Number, Pred, Prim, Scalar, Type, Var};
use atl_ops::reflect::push_let;
use atl_semirings::instances::{MIN_MAX, PLUS_TIMES};
use atl_testkit::choices::Choices;
use atl_testkit::parallel::in_parallel;
use std::sync::Arc;

const TYPES: [Scalar; 8] =
    [Scalar::U8, Scalar::I8, Scalar::U16, Scalar::I16, Scalar::U32, Scalar::I32, Scalar::I64, Scalar::Bool];

/// `n`, and vectors of `n` elements of each type from this level on.
const FIRST: u32 = 2;

fn ordinary(scalar: Scalar) -> Elem {
    Elem { scalar, algebra: &PLUS_TIMES }
}

fn context() -> Ctx {
    let mut ctx = Ctx::new();
    let n = Ix::free(ctx.push_size(Label::new("n")));
    for scalar in TYPES {
        ctx.push_tensor(Label::new("x"), Type { elem: ordinary(scalar), shape: vec![n.clone()] });
    }
    ctx
}

fn index(choices: &mut Choices) -> Ix {
    let p = Ix::Var(Var::Bound(0));
    choices.of(&[p.clone(), p.clone(), p.clone(), p - Ix::ONE, Ix::Lit(1)]).clone()
}

fn condition(choices: &mut Choices) -> Pred {
    let p = Ix::Var(Var::Bound(0));
    choices
        .of(&[Pred::lt(Ix::ZERO, p.clone()), Pred::eq(p.clone(), Ix::ONE), Pred::le(Ix::Lit(2), p)])
        .clone()
}

/// Arithmetic on elements at a loop's index.
fn term(elem: Elem, depth: usize, choices: &mut Choices) -> Expr {
    let scalar = elem.scalar;
    let converted = |from: Scalar, e: Expr| match from == scalar {
        true => e,
        false => Arc::new(Node::Prim(Prim::Cast(elem), vec![e])),
    };
    let node = match choices.below(if depth == 0 { 5 } else { 16 }) {
        0 | 1 => {
            let numbers = [Number::Zero, Number::One, Number::Decimal(3, 0), Number::Decimal(200, 0)];
            let number = *choices.of(&numbers[..if scalar == Scalar::Bool { 2 } else { 4 }]);
            Node::Lit(elem, number)
        }
        2..=4 => {
            let k = choices.below(TYPES.len());
            let array = Arc::new(Node::Var(Var::Free(FIRST + k as u32)));
            return converted(TYPES[k], Arc::new(Node::Get(array, index(choices))));
        }
        5 => {
            let from = *choices.of(&TYPES);
            return converted(from, term(ordinary(from), depth - 1, choices));
        }
        6 => Node::Guard(condition(choices), term(elem, depth - 1, choices)),
        7 => {
            let p = condition(choices);
            Node::Select(p, term(elem, depth - 1, choices), term(elem, depth - 1, choices))
        }
        8 => {
            let [x, y] = [0; 2].map(|_| term(ordinary(Scalar::I32), depth - 1, choices));
            let condition = Arc::new(Node::Prim(Prim::Lt, vec![x, y]));
            let sides = [0; 2].map(|_| term(elem, depth - 1, choices));
            Node::Prim(Prim::Where, [vec![condition], sides.to_vec()].concat())
        }
        _ if scalar == Scalar::Bool => return term(elem, 0, choices),
        9 => Node::Prim(*choices.of(&[Prim::Neg, Prim::Abs]), vec![term(elem, depth - 1, choices)]),
        // Most of these literals are index terms' quotients and remainders, the others are not.
        10 => {
            let (_, greatest) = scalar.range().expect("integers");
            let number = (*choices.of(&[0, 1, 3, 7, 127, 255, 256, i128::MAX])).min(greatest);
            let literal = Arc::new(Node::Lit(elem, Number::Decimal(number, 0)));
            let f = *choices.of(&[Prim::Shr, Prim::BitAnd, Prim::Rem]);
            Node::Prim(f, vec![term(elem, depth - 1, choices), literal])
        }
        // A side may be unknown, as a product that wraps around is.
        11 | 12 => {
            let sides = [0; 2].map(|_| term(elem, depth - 1, choices));
            Node::Prim(*choices.of(&[Prim::Min, Prim::Max]), sides.to_vec())
        }
        _ => {
            let operations = [Prim::Add, Prim::Sub, Prim::Mul, Prim::Div, Prim::Rem, Prim::BitAnd, Prim::Shr];
            let f = *choices.of(&operations);
            Node::Prim(f, vec![term(elem, depth - 1, choices), term(elem, depth - 1, choices)])
        }
    };
    Arc::new(node)
}

fn element(scalar: Scalar, choices: &mut Choices) -> Value {
    let (least, greatest) = scalar.range().expect("integers");
    let small = choices.below(7) as i128;
    Value::of_integer(
        scalar,
        *choices.of(&[least, greatest, small.clamp(least, greatest), (-small).max(least)]),
    )
}

/// Was something known of one such `let`, and how often was it evaluated?
fn attempt(choices: &mut Choices) -> (bool, u64) {
    let ctx = context();
    let scalar = *choices.of(&TYPES);
    let algebra = if choices.one_in(5) && scalar != Scalar::Bool { &MIN_MAX } else { &PLUS_TIMES };
    let body = match algebra.name {
        "plus_times" => term(ordinary(scalar), 3, choices),
        // Of another algebra, whose zero is no 0.
        _ => Arc::new(Node::Guard(
            condition(choices),
            Arc::new(Node::Lit(Elem { scalar, algebra }, Number::Decimal(3, 0))),
        )),
    };
    let elem = Elem { scalar, algebra };
    let bound: Expr = Arc::new(Node::Gen(Label::new("p"), Ix::free(0), body));
    let ty = Type { elem, shape: vec![Ix::free(0)] };
    let inner = push_let(&ctx, &Label::new("q"), &ty, &bound, &mut Arith::with_work(20_000));
    let known = || inner.entries().skip(ctx.level() as usize + 1);
    let mut evaluated = 0;
    for n in [0, 1, 3] {
        let input = |scalar: &Scalar, choices: &mut Choices| {
            let data = (0..n).map(|_| element(*scalar, choices)).collect();
            Tensor::try_new(ordinary(*scalar), vec![n], data).expect("it fits")
        };
        let inputs: Vec<_> = TYPES.iter().map(|scalar| input(scalar, choices)).collect();
        let sizes = [n as i64];
        let Ok(value) = eval_program::<Machine>(&ctx, &sizes, inputs.clone(), &bound) else { continue };
        let mut env =
            Env::of(&ctx, &sizes, inputs, <Machine as Domain>::has_type).expect("they are of these types");
        env.push_tensor(value);
        for entry in known() {
            let Entry::All(_, p) = entry else { panic!("{entry:?}") };
            for at in -2..5 {
                let here = instantiate_all(p, &[Ix::Lit(at)]);
                assert_eq!(env.holds(&here), Ok(true), "{here:?} of {bound:?} at {n}");
                evaluated += 1;
            }
        }
    }
    (known().next().is_some(), evaluated)
}

#[test]
fn what_is_known_of_a_let_holds_of_what_it_binds() {
    let times: u64 = std::env::var("ATL_KERNEL").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let all = in_parallel(0..8 * times, |seed| {
        let mut choices = Choices::new(seed);
        (0..400)
            .map(|_| attempt(&mut choices))
            .fold((0, 0), |sum, one| (sum.0 + u64::from(one.0), sum.1 + one.1))
    });
    let (known, evaluated) = all.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    println!("{known} of {} are known, evaluated at {evaluated} places", 3_200 * times);
    assert!(known > 300 * times, "{known}");
}
