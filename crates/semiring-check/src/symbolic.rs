//! A semiring's operations on unknown elements: polynomials, and the decisions on the way to them.
//!
//! The one idea: where a formula compares, both answers are gone through, each with what it says as a hypothesis; between two
//! comparisons there are only sums and products. So on each way an element is a polynomial of integers, and what a law says
//! of it is a goal for the prover of index arithmetic. A float stands for a rational number: the elements of a law have a
//! common denominator `q`, so a value is a polynomial over a power of `q`. An integer of the machine is itself, and each
//! operation has to stay in its type, or it would wrap.

use super::Claims;
use atl_arith::{Arith, Verdict, decide};
use atl_kernel::{Ctx, Ix, IxOp, Label, Number, Pred, Prim, Prover, Scalar, eval_op};
use atl_semirings::{Carrier, Constant, Op};
use std::cell::RefCell;

/// An element, or a truth value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// The polynomial over this power of the common denominator.
    Finite(Ix, u32),
    Infinity,
    NegInfinity,
    Truth(bool),
}

use Value::{Finite, Infinity, NegInfinity, Truth};

/// Why a way is not followed to its end.
pub(super) enum Stuck {
    /// It is the way of no elements.
    Nowhere,
    /// A goal was not proved; values of the context's variables at which it fails, if some were found.
    Unproved(Option<Vec<(u32, i64)>>),
}

type Step<T> = Result<T, Stuck>;

/// What an unknown element is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Kind {
    Finite,
    Infinity,
    NegInfinity,
}

/// What was decided where a formula compares.
#[derive(Clone, Copy)]
struct Decision {
    holds: bool,
    /// Is the other answer still to be gone through?
    open: bool,
}

/// How integers behave where they leave their type.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Width {
    /// There are no comparisons, so that laws of all integers are laws of those that wrap.
    Wrapping,
    /// Each operation is to stay in the type.
    Within,
}

/// One way through the formulas.
pub(super) struct Way<'a> {
    claims: &'a Claims,
    width: Width,
    /// The denominator is a multiple of this.
    multiple: i64,
    state: RefCell<State>,
}

struct State {
    prover: Arith,
    spent: u64,
    ctx: Ctx,
    decisions: Vec<Decision>,
    next: usize,
}

/// The most work that a declaration is worth, in the prover's units.
const WORK: u64 = 60_000_000;
/// The most of it that is spent on one goal.
const GOAL: u64 = 200_000;

impl<'a> Way<'a> {
    pub(super) fn new(claims: &'a Claims, width: Width, multiple: i64) -> Way<'a> {
        let state = State {
            prover: Arith::with_work(GOAL),
            spent: 0,
            ctx: Ctx::new(),
            decisions: Vec::new(),
            next: 0,
        };
        Way { claims, width, multiple, state: RefCell::new(state) }
    }

    /// Begin again, with elements of these kinds.
    pub(super) fn begin(&self, kinds: &[Kind]) -> Vec<Value> {
        let mut ctx = Ctx::new();
        let part = ctx.push_index(Label::new("p"));
        ctx.push_hyp(Pred::le(Ix::ONE, Ix::free(part)));
        let mut bounds = Vec::new();
        let elements = kinds.iter().zip(["a", "b", "c"]).map(|(kind, name)| match kind {
            Kind::Finite => {
                let element = Finite(Ix::free(ctx.push_index(Label::new(name))), self.degree());
                bounds.extend(self.within(&element));
                element
            }
            Kind::Infinity => Infinity,
            Kind::NegInfinity => NegInfinity,
        });
        let elements = elements.collect();
        bounds.into_iter().for_each(|bound| ctx.push_hyp(bound));
        let mut state = self.state.borrow_mut();
        (state.ctx, state.next) = (ctx, 0);
        elements
    }

    /// The next way; false if there is none.
    pub(super) fn advance(&self) -> bool {
        let mut state = self.state.borrow_mut();
        while let Some(last) = state.decisions.pop() {
            if last.open {
                state.decisions.push(Decision { holds: !last.holds, open: false });
                return true;
            }
        }
        false
    }

    /// The numbers that the values of variables stand for, of elements that are all finite.
    pub(super) fn numbers(&self, values: &[(u32, i64)], count: usize) -> Option<Vec<(i64, i64)>> {
        let value = |level| values.iter().find(|(l, _)| *l == level).map(|(_, value)| *value);
        let q = if self.degree() == 1 { value(0)?.checked_mul(self.multiple)? } else { 1 };
        let state = self.state.borrow();
        let variables = state.ctx.entries().enumerate();
        let levels = variables
            .filter_map(|(k, entry)| matches!(entry, atl_kernel::Entry::Index(_)).then_some(k as u32));
        levels.skip(1).take(count).map(|level| Some((value(level)?, q))).collect()
    }

    fn degree(&self) -> u32 {
        u32::from(self.claims.scalar.is_float())
    }

    /// What the carrier says of an element.
    fn within(&self, element: &Value) -> Vec<Pred> {
        let (least, greatest) = match self.claims.carrier {
            Carrier::Between(least, greatest) => (least, greatest),
            _ => (Constant::least(self.claims.scalar), Constant::greatest(self.claims.scalar)),
        };
        let bound = |constant| match constant {
            Constant::Int(n) if self.width == Width::Within => {
                Some(Finite(Ix::Lit(i64::try_from(n).ok()?), 0))
            }
            _ => None,
        };
        let above = bound(least).and_then(|least| self.compare(Pred::le, &least, element));
        let below = bound(greatest).and_then(|greatest| self.compare(Pred::le, element, &greatest));
        above.into_iter().chain(below).collect()
    }

    /// The comparison of polynomials that compares finite values.
    fn compare(&self, by: fn(Ix, Ix) -> Pred, x: &Value, y: &Value) -> Option<Pred> {
        let (Finite(x, m), Finite(y, n)) = (x, y) else { return None };
        Some(by(self.over(x, *m, *n), self.over(y, *n, *m)))
    }

    /// The polynomial over the larger of two powers of the denominator, that is over the first.
    fn over(&self, x: &Ix, power: u32, other: u32) -> Ix {
        (power..other).fold(x.clone(), |x, _| x * self.denominator())
    }

    fn denominator(&self) -> Ix {
        Ix::Lit(self.multiple) * Ix::free(0)
    }

    fn proved(&self, goal: &Pred) -> bool {
        let mut state = self.state.borrow_mut();
        if state.spent > WORK {
            return false;
        }
        let State { prover, ctx, .. } = &mut *state;
        let proved = prover.prove(ctx, goal).is_some();
        let spent = prover.spent();
        state.spent += spent;
        proved
    }

    /// What has to hold on this way.
    fn require(&self, goal: &Pred) -> Step<()> {
        if self.proved(goal) {
            return Ok(());
        }
        let state = self.state.borrow();
        let found = (state.spent <= WORK).then(|| decide(&state.ctx, goal));
        Err(Stuck::Unproved(match found {
            Some(Verdict::Refuted(values)) => Some(values),
            _ => None,
        }))
    }

    /// There is no such way, or it is not known what it computes.
    fn impossible<T>(&self) -> Step<T> {
        self.require(&Pred::False).and(Err(Stuck::Nowhere))
    }

    /// Which answer a comparison has on this way.
    fn holds(&self, question: &Pred) -> bool {
        let mut state = self.state.borrow_mut();
        let at = state.next;
        state.next += 1;
        let decided = state.decisions.get(at).copied();
        drop(state);
        let decision = decided.unwrap_or_else(|| {
            let no = Pred::Not(question.clone().into());
            let (must, cannot) = (self.proved(question), self.proved(&no));
            Decision { holds: !cannot || must, open: !must && !cannot }
        });
        let mut state = self.state.borrow_mut();
        if decided.is_none() {
            state.decisions.push(decision);
        }
        let said = if decision.holds { question.clone() } else { Pred::Not(question.clone().into()) };
        state.ctx.push_hyp(said);
        decision.holds
    }

    /// Is one less than the other, or not more?
    fn ordered(&self, by: fn(Ix, Ix) -> Pred, x: &Value, y: &Value) -> Step<bool> {
        if let Some(question) = self.compare(by, x, y) {
            return Ok(self.holds(&question));
        }
        let rank = |value: &Value| match value {
            NegInfinity => Ok(-1),
            Finite(..) => Ok(0),
            Infinity => Ok(1),
            Truth(_) => self.impossible(),
        };
        let (x, y) = (Ix::Lit(rank(x)?), Ix::Lit(rank(y)?));
        Ok(atl_arith::eval_pred(&by(x, y), &|_| None) == Some(true))
    }

    /// Both sides are one element.
    pub(super) fn equal(&self, x: &Value, y: &Value) -> Step<()> {
        match (x, y) {
            (Infinity, Infinity) | (NegInfinity, NegInfinity) => Ok(()),
            _ => match self.compare(Pred::eq, x, y) {
                Some(goal) => self.require(&goal),
                None => self.require(&Pred::False),
            },
        }
    }

    /// An element of the carrier.
    pub(super) fn contained(&self, x: &Value) -> Step<()> {
        let unbounded = |by| matches!(self.claims.carrier, Carrier::Between(..)) && self.infinite(by);
        match x {
            Finite(..) => self.within(x).iter().try_for_each(|goal| self.require(goal)),
            Infinity if unbounded(Kind::Infinity) => Ok(()),
            NegInfinity if unbounded(Kind::NegInfinity) => Ok(()),
            _ => self.require(&Pred::False),
        }
    }

    /// Is this infinity a bound of the carrier?
    pub(super) fn infinite(&self, kind: Kind) -> bool {
        matches!(
            (self.claims.carrier, kind),
            (Carrier::Between(_, Constant::PosInf), Kind::Infinity)
                | (Carrier::Between(Constant::NegInf, _), Kind::NegInfinity)
        )
    }

    pub(super) fn constant(&self, constant: Constant) -> Value {
        match constant {
            // The types whose numbers index terms do not have are refused before.
            Constant::Int(n) => Finite(Ix::Lit(n.clamp(i64::MIN.into(), i64::MAX.into()) as i64), 0),
            Constant::PosInf => Infinity,
            Constant::NegInf => NegInfinity,
        }
    }

    pub(super) fn operation(&self, op: Op, x: Value, y: Value) -> Step<Value> {
        let prim = match op {
            Op::Add => Prim::Add,
            Op::Mul => Prim::Mul,
            Op::Min => Prim::Min,
            Op::Max => Prim::Max,
            Op::Or | Op::And => return self.impossible(),
            Op::Own(own) => {
                let holds = |value: &Value| if let Truth(holds) = value { Some(*holds) } else { None };
                let prim = |prim, args: Vec<Value>| self.prim(prim, &args);
                return own.formula.evaluate((&x, &y), &|n| self.number(n), &prim, &holds);
            }
        };
        self.prim(prim, &[x, y])
    }

    fn number(&self, number: Number) -> Step<Value> {
        match number {
            Number::Infinity => Ok(Infinity),
            Number::NegInfinity => Ok(NegInfinity),
            Number::Decimal(mantissa, exponent) => {
                let unit = if exponent < 0 { self.multiple } else { 1 };
                let power = 10_i64.checked_pow(exponent.unsigned_abs());
                let scaled = power.and_then(|power| match exponent {
                    0.. => i64::try_from(mantissa).ok().and_then(|m| m.checked_mul(power)),
                    _ => (unit % power == 0)
                        .then(|| i64::try_from(mantissa).ok()?.checked_mul(unit / power))
                        .flatten(),
                });
                match (scaled, exponent) {
                    (Some(n), 0..) => Ok(Finite(Ix::Lit(n), 0)),
                    (Some(n), _) => Ok(Finite(Ix::Lit(n) * Ix::free(0), 1)),
                    _ => self.impossible(),
                }
            }
            Number::Zero | Number::One => self.impossible(),
        }
    }

    fn prim(&self, prim: Prim, args: &[Value]) -> Step<Value> {
        let zero = Finite(Ix::ZERO, 0);
        match (prim, args) {
            (Prim::Add, [x, y]) => self.add(x, y),
            (Prim::Sub, [x, y]) => match (x, y) {
                (Finite(..), Finite(..)) => self.arithmetic(|x, y| x - y, x, y),
                _ => self.add(x, &self.negated(y)?),
            },
            (Prim::Neg, [x]) => self.negated(x),
            (Prim::Abs, [x]) => {
                if self.ordered(Pred::lt, x, &zero)? {
                    self.negated(x)
                } else {
                    Ok(x.clone())
                }
            }
            (Prim::Mul, [x, y]) => self.multiply(x, y),
            (Prim::Min, [x, y]) => Ok(if self.ordered(Pred::le, x, y)? { x.clone() } else { y.clone() }),
            (Prim::Max, [x, y]) => Ok(if self.ordered(Pred::le, x, y)? { y.clone() } else { x.clone() }),
            (Prim::Eq, [x, y]) => self.ordered(Pred::eq, x, y).map(Truth),
            (Prim::Lt, [x, y]) => self.ordered(Pred::lt, x, y).map(Truth),
            (Prim::Le, [x, y]) => self.ordered(Pred::le, x, y).map(Truth),
            (Prim::Not, [Truth(x)]) => Ok(Truth(!x)),
            (Prim::And, [Truth(x), Truth(y)]) => Ok(Truth(*x && *y)),
            (Prim::Or, [Truth(x), Truth(y)]) => Ok(Truth(*x || *y)),
            (Prim::Where, [Truth(p), x, y]) => Ok(if *p { x.clone() } else { y.clone() }),
            _ => self.impossible(),
        }
    }

    /// A sum or a difference of finite values, or a product of them with its power set right by the caller.
    fn arithmetic(&self, op: impl Fn(Ix, Ix) -> Ix, x: &Value, y: &Value) -> Step<Value> {
        let (Finite(x, m), Finite(y, n)) = (x, y) else { return self.impossible() };
        self.machine(Finite(op(self.over(x, *m, *n), self.over(y, *n, *m)), *m.max(n)))
    }

    /// A result of the machine's: an integer is to be one of its type.
    fn machine(&self, result: Value) -> Step<Value> {
        if let Finite(x, _) = &result
            && self.width == Width::Within
            && let (Constant::Int(least), Constant::Int(greatest)) =
                (Constant::least(self.claims.scalar), Constant::greatest(self.claims.scalar))
            && !self.range(x).is_some_and(|(from, to)| least <= from && to <= greatest)
        {
            let (Ok(least), Ok(greatest)) = (i64::try_from(least), i64::try_from(greatest)) else {
                return self.impossible();
            };
            self.require(&Pred::le(Ix::Lit(least), x.clone()))?;
            self.require(&Pred::le(x.clone(), Ix::Lit(greatest)))?;
        }
        Ok(result)
    }

    /// Numbers between which a polynomial of integers is, from those between which its elements are.
    fn range(&self, x: &Ix) -> Option<(i128, i128)> {
        match x {
            Ix::Lit(n) => Some((i128::from(*n), i128::from(*n))),
            Ix::Var(_) => match self.claims.carrier {
                Carrier::Between(Constant::Int(least), Constant::Int(greatest)) => Some((least, greatest)),
                _ => None,
            },
            Ix::Bin(op, parts) => {
                let ((a, b), (c, d)) = (self.range(&parts.0)?, self.range(&parts.1)?);
                let ends = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| eval_op(*op, x, y));
                let ends = ends.into_iter().collect::<Option<Vec<_>>>()?;
                let monotone = matches!(op, IxOp::Add | IxOp::Sub | IxOp::Mul);
                monotone.then_some((*ends.iter().min()?, *ends.iter().max()?))
            }
            Ix::Read(..) => None,
        }
    }

    fn add(&self, x: &Value, y: &Value) -> Step<Value> {
        match (x, y) {
            (Finite(..), Finite(..)) => self.arithmetic(|x, y| x + y, x, y),
            (Infinity, Infinity | Finite(..)) | (Finite(..), Infinity) => Ok(Infinity),
            (NegInfinity, NegInfinity | Finite(..)) | (Finite(..), NegInfinity) => Ok(NegInfinity),
            _ => self.impossible(),
        }
    }

    fn negated(&self, x: &Value) -> Step<Value> {
        match x {
            Infinity => Ok(NegInfinity),
            NegInfinity => Ok(Infinity),
            _ => self.arithmetic(|x, y| x - y, &Finite(Ix::ZERO, 0), x),
        }
    }

    fn multiply(&self, x: &Value, y: &Value) -> Step<Value> {
        if let (Finite(x, m), Finite(y, n)) = (x, y) {
            return self.machine(Finite(x.clone() * y.clone(), m + n));
        }
        let zero = Finite(Ix::ZERO, 0);
        let sign = |x| {
            let negative = self.ordered(Pred::lt, x, &zero)?;
            // An infinity times zero is no number.
            if !negative && !self.ordered(Pred::lt, &zero, x)? {
                return self.impossible();
            }
            Ok(negative)
        };
        Ok(if sign(x)? == sign(y)? { Infinity } else { NegInfinity })
    }

    /// Does a formula only add, subtract and multiply? Then its integers may wrap.
    pub(super) fn is_ring(scalar: Scalar, op: Op) -> bool {
        let ring = |prim, args: Vec<bool>| {
            let all = args.into_iter().all(|ring| ring);
            Ok::<_, ()>(all && matches!(prim, Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg))
        };
        !scalar.is_float()
            && match op {
                Op::Add | Op::Mul => true,
                Op::Own(own) => own.formula.fold((&true, &true), &|_| Ok(true), &ring) == Ok(true),
                _ => false,
            }
    }
}
