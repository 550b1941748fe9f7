//! What is proved for all numbers against what trying every number says.

use super::Claims;
use super::statement::Statement;
use super::trial::Trial;
use atl_kernel::{Laws, Number, Prim, Scalar};
use atl_semirings::{Carrier, Constant, Formula, Op, Ops, SEMIRING, multiplication};

/// Numbers without order that are the same in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn formula(&mut self, depth: u32) -> Formula {
        let kind = if depth == 0 { self.below(3) } else { 3 + self.below(8) };
        let mut two = |prim| {
            let (x, y) = (self.formula(depth - 1), self.formula(depth - 1));
            Formula::Apply(prim, vec![x, y])
        };
        match kind {
            0 => Formula::Left,
            1 => Formula::Right,
            2 => Formula::Number(Number::Decimal(self.below(5) as i128, 0)),
            3 => two(Prim::Add),
            4 => two(Prim::Sub),
            5 => two(Prim::Mul),
            6 | 7 => two(Prim::Min),
            8 => two(Prim::Max),
            9 => Formula::Apply(Prim::Abs, vec![self.formula(depth - 1)]),
            _ => {
                let less = two(if depth.is_multiple_of(2) { Prim::Lt } else { Prim::Le });
                let (x, y) = (self.formula(depth - 1), self.formula(depth - 1));
                Formula::Apply(Prim::Where, vec![less, x, y])
            }
        }
    }
}

fn between(scalar: Scalar, (least, greatest): (i128, i128), ops: Ops, laws: Laws) -> Claims {
    Claims { scalar, carrier: Carrier::Between(Constant::Int(least), Constant::Int(greatest)), ops, laws }
}

#[test]
fn what_is_proved_holds_of_every_number() {
    let mut draws = Draws(7);
    let (mut proved, mut refuted) = (0, 0);
    for k in 0..240 {
        let scalar = [Scalar::I64, Scalar::U8, Scalar::I32][k % 3];
        let least = [0, 0, -2][k % 3];
        let range = (least, least + 1 + draws.below(6) as i128);
        let depth = 1 + draws.below(2) as u32;
        let drawn = draws.formula(depth);
        let capped = |prim, end, x| Formula::Apply(prim, vec![Formula::Number(Number::Decimal(end, 0)), x]);
        let kept = capped(Prim::Max, range.0, capped(Prim::Min, range.1, drawn));
        let mul = Op::Own(multiplication(scalar, kept));
        let add = [Op::Min, Op::Max][draws.below(2) as usize];
        let (zero, one) = (Constant::Int(range.0), Constant::Int(range.1));
        for law in Statement::all().into_iter().map(|statement| statement.law) {
            let claims = between(scalar, range, Ops { add, zero, mul, one }, law);
            let holds = match claims.tried() {
                Trial::Exhaustive => true,
                Trial::Fails(_) => false,
                Trial::Passed => unreachable!("the carrier is small"),
            };
            let known = claims.prove().is_ok();
            assert!(holds || !known, "{law:?} of {mul:?} with {add:?} on {range:?}");
            proved += usize::from(known);
            refuted += usize::from(!holds);
        }
    }
    assert!(proved > 1500 && refuted > 300, "{proved} proved, {refuted} refuted");
}

#[test]
fn integers_that_wrap_have_the_laws_of_polynomials_only() {
    let claims = |mul| Claims {
        scalar: Scalar::U8,
        carrier: Carrier::Real,
        ops: Ops { add: Op::Add, zero: Constant::Int(0), mul, one: Constant::Int(1) },
        laws: SEMIRING,
    };
    assert!(claims(Op::Mul).prove().is_ok());
    assert!(claims(Op::Min).prove().is_err());
    let product = || Formula::Apply(Prim::Mul, vec![Formula::Left, Formula::Right]);
    let least = Formula::Apply(Prim::Min, vec![product(), Formula::Number(Number::Decimal(255, 0))]);
    let wraps = Op::Own(multiplication(Scalar::U8, least));
    let lattice = |mul| {
        let ops = Ops { add: Op::Max, zero: Constant::Int(0), mul, one: Constant::Int(1) };
        Claims { scalar: Scalar::U8, carrier: Carrier::Real, ops, laws: Laws::MUL_COMM }
    };
    assert!(lattice(Op::Min).prove().is_ok());
    assert!(lattice(wraps).prove().is_err());
}
