//! Random formulas, most of them beside one that has laws: what is proved of one, no numbers refute.

use super::TupleClaims;
use super::proof::WORK;
use super::tests::monoid;
use super::way::Way;
use crate::trial::Draws;
use atl_kernel::{Elem, Expr, Function, Laws, Node, Number, Prim, Scalar, Var};
use atl_semirings::instances::PLUS_TIMES;
use std::sync::Arc;

fn elem(scalar: Scalar) -> Elem {
    Elem { scalar, algebra: &PLUS_TIMES }
}

/// What makes terms for a sum of elements with these fields.
struct Terms<'a> {
    draws: &'a mut Draws,
    fields: &'a [Scalar],
}

impl Terms<'_> {
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.draws.below(of.len() as u64) as usize]
    }

    fn leaf(&mut self, scalar: Scalar) -> Expr {
        let levels = 0..2 * self.fields.len();
        let levels: Vec<_> = levels.filter(|k| self.fields[k % self.fields.len()] == scalar).collect();
        if !levels.is_empty() && self.draws.below(4) > 0 {
            return Arc::new(Node::Var(Var::Free(self.pick(&levels) as u32)));
        }
        let half = Number::Decimal(5, -1);
        let number = match scalar {
            Scalar::Bool => self.pick(&[Number::Zero, Number::One]),
            Scalar::F64 => {
                self.pick(&[Number::Zero, Number::One, half, Number::Infinity, Number::NegInfinity])
            }
            _ => self.pick(&[Number::Zero, Number::One, Number::Decimal(100, 0)]),
        };
        Arc::new(Node::Lit(elem(scalar), number))
    }

    fn term(&mut self, scalar: Scalar, depth: u32) -> Expr {
        use Prim::{Abs, Add, And, Call, Cast, Div, Eq, Le, Lt, Max, Min, Mul, Neg, Not, Or, Sub};
        use Prim::{BitAnd, BitNot, BitOr, BitXor};
        if depth == 0 || self.draws.below(5) == 0 {
            return self.leaf(scalar);
        }
        if self.draws.below(4) == 0 {
            let args = [Scalar::Bool, scalar, scalar].map(|of| self.term(of, depth - 1));
            return Arc::new(Node::Prim(Prim::Where, args.to_vec()));
        }
        let (prim, of) = match (scalar, self.draws.below(7)) {
            (Scalar::Bool, 0) => (self.pick(&[Not, And, Or, Eq]), scalar),
            (Scalar::Bool, _) => {
                (self.pick(&[Lt, Le, Eq]), self.pick(&[Scalar::F64, Scalar::F64, Scalar::I8, Scalar::U8]))
            }
            (Scalar::F64, 0) => (Cast(elem(scalar)), self.pick(&[Scalar::I8, Scalar::U8, Scalar::Bool])),
            (Scalar::F64, 1) => (Call(self.pick(&[Function::Exp, Function::Log, Function::Log1p])), scalar),
            (Scalar::F64, 2) => (self.pick(&[Div, Call(Function::Exp)]), scalar),
            (_, 0) => (Cast(elem(scalar)), self.pick(&[Scalar::I8, Scalar::U8, Scalar::Bool, Scalar::I32])),
            (_, 1) => (self.pick(&[Neg, Abs]), scalar),
            (Scalar::I8 | Scalar::U8 | Scalar::I32, 2) => {
                (self.pick(&[BitAnd, BitOr, BitXor, BitNot]), scalar)
            }
            _ => (self.pick(&[Add, Mul, Sub, Min, Max]), scalar),
        };
        let args = (0..prim.arity()).map(|_| self.term(of, depth - 1)).collect();
        Arc::new(Node::Prim(prim, args))
    }

    /// The type of a term without `let`s.
    fn scalar(&self, term: &Node) -> Option<Scalar> {
        use Prim::{And, Cast, Eq, Le, Lt, Not, Or, Where};
        match term {
            Node::Lit(elem, _) | Node::Prim(Cast(elem), _) => Some(elem.scalar),
            Node::Var(Var::Free(level)) => Some(self.fields[*level as usize % self.fields.len()]),
            Node::Prim(Lt | Le | Eq | Not | And | Or, _) => Some(Scalar::Bool),
            Node::Prim(Where, args) => self.scalar(&args[1]),
            Node::Prim(_, args) => self.scalar(&args[0]),
            _ => None,
        }
    }

    /// The term with something in it changed.
    fn changed(&mut self, term: &Expr) -> Expr {
        use Prim::{Add, BitAnd, BitOr, BitXor, Eq, Le, Lt, Max, Min, Mul, Sub};
        let Some(scalar) = self.scalar(term) else { return term.clone() };
        let children: Vec<_> = term.children().collect();
        if !children.is_empty() && self.draws.below(3) > 0 {
            let at = self.pick(&children);
            let Some(child) = term.child(at) else { return term.clone() };
            let child = self.changed(child);
            return Arc::new(term.with_child(at, child));
        }
        let changed = match (&**term, self.draws.below(3)) {
            (Node::Prim(prim, args), 0) if args.len() == 2 => {
                Node::Prim(*prim, vec![args[1].clone(), args[0].clone()])
            }
            (Node::Prim(Add | Sub | Mul | Min | Max, args), 1) => {
                Node::Prim(self.pick(&[Add, Sub, Mul, Min, Max]), args.clone())
            }
            (Node::Prim(BitAnd | BitOr | BitXor, args), 1) => {
                Node::Prim(self.pick(&[BitAnd, BitOr, BitXor]), args.clone())
            }
            (Node::Prim(Lt | Le, args), 1) => Node::Prim(self.pick(&[Lt, Le, Eq]), args.clone()),
            _ => {
                let depth = self.draws.below(3) as u32;
                return self.term(scalar, depth);
            }
        };
        Arc::new(changed)
    }
}

/// Monoids that have laws, without `let`s.
fn monoids() -> Vec<TupleClaims> {
    let softmax = "(max(a.x, b.x), select(max(a.x, b.x) == -inf, a.y + b.y, \
                   a.y * exp(a.x - max(a.x, b.x)) + b.y * exp(b.x - max(a.x, b.x))))";
    let logarithms =
        "select(max(a, b) == -inf, -inf, max(a, b) + log(exp(a - max(a, b)) + exp(b - max(a, b))))";
    let means = "select(a.n > 0 && b.n > 0, (a.n + b.n, a.m + (b.m - a.m) * b.n / (a.n + b.n)), \
                 select(a.n > 0, a, select(b.n > 0, b, (a.n + b.n, a.m + b.m))))";
    let two = "(min(a.x, b.x), min(max(a.x, b.x), min(a.y, b.y)))";
    let paths = "select(a.x < b.x, a, select(b.x < a.x, b, (a.x, a.n + b.n)))";
    let of = [
        monoid("v: f64, i: i32", "(inf, -1)", "select(b.v < a.v || b.v == a.v && a.i == -1, b, a)"),
        monoid("v: f64, i: i8", "(inf, 127)", "select(b.v < a.v || (b.v == a.v && b.i < a.i), b, a)"),
        monoid("x: f64, y: f64", "(-inf, 0)", softmax),
        monoid("x: f64", "-inf", logarithms),
        monoid("x: f64", "-inf", "select(max(a, b) == -inf, -inf, max(a, b) + log1p(exp(-abs(a - b))))"),
        monoid("n: f64, m: f64", "(0, 0)", means),
        monoid("x: f64, y: f64", "(1, 0)", "(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)"),
        monoid("p: i8, q: u8", "(1, 0)", "(a.p * b.p, a.q + b.q)"),
        monoid("flag: bool, s: f64", "(false, 0)", "(a.flag || b.flag, select(b.flag, b.s, a.s + b.s))"),
        monoid("x: f64, n: i8", "(inf, 0)", paths),
        monoid("x: u8", "0", "min(a, 255 - b) + b"),
        monoid("x: u8, y: i8", "(0, -1)", "(a.x ^ b.x, a.y & b.y)"),
        monoid("x: i8, y: bool", "(127, false)", "(select(a.y, min(a.x, b.x), min(b.x, a.x)), a.y || b.y)"),
        monoid("x: f64, y: f64", "(inf, inf)", two),
    ];
    of.iter().map(|text| text.claims(Laws::NONE)).collect()
}

/// How many laws are proved, and how many refuted, of random formulas.
fn outcomes(seed: u64, count: u64) -> (usize, usize) {
    let mut draws = Draws(seed);
    let monoids = monoids();
    let (mut proved, mut refuted) = (0, 0);
    for _ in 0..count {
        let mut claims = monoids[draws.below(monoids.len() as u64) as usize].clone();
        let fields: Vec<_> = claims.fields.iter().map(|field| field.scalar).collect();
        let mut terms = Terms { draws: &mut draws, fields: &fields };
        if terms.draws.below(5) == 0 {
            claims.add = fields.iter().map(|scalar| terms.term(*scalar, 3)).collect();
        } else {
            for _ in 0..1 + terms.draws.below(2) {
                let at = terms.draws.below(fields.len() as u64) as usize;
                claims.add[at] = terms.changed(&claims.add[at]);
            }
        }
        for law in [Laws::ADD_0_L, Laws::ADD_0_R, Laws::ADD_ASSOC, Laws::ADD_COMM, Laws::ADD_IDEM] {
            claims.laws = law;
            let groups = claims.groups();
            let fault = groups[0].refuted();
            let by_ways = || groups[0].unproved(&Way::new(WORK)).is_none();
            let holds = claims.is_understood() && (groups[0].hold_of_two_values() || by_ways());
            assert!(fault.is_none() || !holds, "{law} of {:?}: {fault:?}", claims.add);
            proved += usize::from(holds);
            refuted += usize::from(fault.is_some());
        }
    }
    (proved, refuted)
}

#[test]
fn what_is_proved_no_numbers_refute() {
    let (proved, refuted) = outcomes(1, 40);
    assert!(proved > 20 && refuted > 80, "{proved} proved, {refuted} refuted");
}
