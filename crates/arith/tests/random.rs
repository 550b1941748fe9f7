//! Random sequents against enumeration: what is proved holds at every small point, what is refuted fails
//! at the point given, and a simplified term has the same value wherever the hypotheses hold.

use atl_arith::{Verdict, decide, eval_ix, eval_pred, simplify, simplify_pred};
use atl_kernel::{Cmp, Ctx, Ix, IxOp, Label, Pred, cert};

const VARIABLES: u32 = 3;
const SMALLEST: i64 = -3;
const LARGEST: i64 = 7;

/// A small generator with a fixed seed (xorshift), and which literals it makes.
struct Random(u64, Literals);

#[derive(Clone, Copy)]
enum Literals {
    Small,
    Extreme,
}

impl Random {
    fn literal(&mut self) -> i64 {
        match self.1 {
            Literals::Small => self.below(7) as i64 - 2,
            Literals::Extreme => {
                [i64::MAX, i64::MIN, i64::MAX - 1, 1 << 62, -(1 << 40), 1, 0][self.below(7) as usize]
            }
        }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn term(&mut self, depth: u32) -> Ix {
        if depth == 0 || self.below(3) == 0 {
            return match self.below(3) {
                0 => Ix::Lit(self.literal()),
                _ => Ix::free(self.below(u64::from(VARIABLES)) as u32),
            };
        }
        let op = match self.below(10) {
            0..3 => IxOp::Add,
            3..5 => IxOp::Sub,
            5..7 => IxOp::Mul,
            7 => IxOp::Div,
            8 => IxOp::Mod,
            _ => [IxOp::Min, IxOp::Max][self.below(2) as usize],
        };
        let left = self.term(depth - 1);
        let right = match op {
            IxOp::Div | IxOp::Mod if self.below(2) == 0 => Ix::Lit(self.below(5) as i64 + 1),
            _ => self.term(depth - 1),
        };
        Ix::bin(op, left, right)
    }

    fn pred(&mut self, depth: u32) -> Pred {
        if depth > 0 {
            match self.below(6) {
                0 => return Pred::and(self.pred(depth - 1), self.pred(depth - 1)),
                1 => return Pred::or(self.pred(depth - 1), self.pred(depth - 1)),
                2 => return Pred::not(self.pred(depth - 1)),
                _ => {}
            }
        }
        let cmp = [Cmp::Eq, Cmp::Lt, Cmp::Le][self.below(3) as usize];
        Pred::Cmp(cmp, self.term(2), self.term(2))
    }

    /// Mostly ranges of variables, as in programs.
    fn context(&mut self) -> Ctx {
        let mut ctx = Ctx::new();
        for name in ["a", "b", "c"].iter().take(VARIABLES as usize) {
            ctx.push_index(Label::new(name));
        }
        for level in 0..VARIABLES {
            let low = Ix::Lit(self.below(3) as i64);
            match self.below(4) {
                0 => {}
                1 => ctx.push_hyp(Pred::le(low, Ix::free(level))),
                _ => {
                    let extent = self.term(1);
                    ctx.push_hyp(Pred::in_range(&Ix::free(level), &extent));
                }
            }
        }
        if self.below(3) == 0 {
            let p = self.pred(1);
            ctx.push_hyp(p);
        }
        ctx
    }
}

/// The points of a cube at which the hypotheses hold.
fn points(ctx: &Ctx) -> Vec<[i64; VARIABLES as usize]> {
    let mut found = Vec::new();
    for a in SMALLEST..=LARGEST {
        for b in SMALLEST..=LARGEST {
            for c in SMALLEST..=LARGEST {
                let point = [a, b, c];
                let value = |l: u32| point.get(l as usize).copied();
                if ctx.hypotheses().all(|(_, p)| eval_pred(p, &value) == Some(true)) {
                    found.push(point);
                }
            }
        }
    }
    found
}

#[test]
fn verdicts_agree_with_enumeration() {
    let (mut proved, mut refuted, mut unknown) = (0, 0, 0);
    let mut random = Random(0x9e37_79b9_7f4a_7c15, Literals::Small);
    for _ in 0..ROUNDS {
        let ctx = random.context();
        let goal = random.pred(2);
        match decide(&ctx, &goal) {
            Verdict::Proved(certificate) => {
                proved += 1;
                assert_eq!(cert::check(&ctx, &goal, &certificate), Ok(()));
                for point in points(&ctx) {
                    let value = |l: u32| point.get(l as usize).copied();
                    assert_eq!(eval_pred(&goal, &value), Some(true), "{ctx:?} |- {goal:?} at {point:?}");
                }
            }
            Verdict::Refuted(values) => {
                refuted += 1;
                let value = |l: u32| values.iter().find(|v| v.0 == l).map(|v| v.1);
                assert_eq!(eval_pred(&goal, &value), Some(false), "{goal:?} at {values:?}");
                assert!(ctx.hypotheses().all(|(_, p)| eval_pred(p, &value) == Some(true)));
            }
            Verdict::Unknown => unknown += 1,
        }
    }
    assert!(proved > ROUNDS / 5 && refuted > ROUNDS / 3, "{proved} proved, {refuted} refuted");
    assert!(unknown * 12 < ROUNDS, "{unknown} unknown of {ROUNDS}");
}

/// So many random sequents.
const ROUNDS: usize = 600;

#[test]
fn simplified_terms_and_predicates_keep_their_values() {
    let mut random = Random(0x2545_f491_4f6c_dd1d, Literals::Small);
    for _ in 0..ROUNDS / 6 {
        let ctx = random.context();
        let (term, pred) = (random.term(3), random.pred(2));
        let (simple_term, simple_pred) = (simplify(&ctx, &term), simplify_pred(&ctx, &pred));
        for point in points(&ctx) {
            let value = |l: u32| point.get(l as usize).copied();
            let same = eval_ix(&term, &value) == eval_ix(&simple_term, &value);
            assert!(same, "{ctx:?} |- {term:?} is not {simple_term:?} at {point:?}");
            let same = eval_pred(&pred, &value) == eval_pred(&simple_pred, &value);
            assert!(same, "{ctx:?} |- {pred:?} is not {simple_pred:?} at {point:?}");
        }
    }
}

#[test]
fn extreme_constants_are_no_panic_and_no_wrong_certificate() {
    let mut random = Random(0xda94_2042_e4dd_58b5, Literals::Extreme);
    for _ in 0..ROUNDS {
        let ctx = random.context();
        let (goal, term) = (random.pred(2), random.term(3));
        if let Verdict::Proved(certificate) = decide(&ctx, &goal) {
            assert_eq!(cert::check(&ctx, &goal, &certificate), Ok(()));
        }
        simplify(&ctx, &term);
        simplify_pred(&ctx, &goal);
    }
}
