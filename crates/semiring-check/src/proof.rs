//! Proving a semiring's claims for every element of its carrier.
//!
//! Each law, and that sums and products stay in the carrier, is gone through way by way ([`super::symbolic`]). What the prover
//! says holds by a certificate that the kernel checks; so does that a way cannot occur. It knows products only as far as
//! multiplying hypotheses goes, so a claim may be true and not be proved.

use super::Claims;
use super::statement::{Operations, Side};
use super::symbolic::{Kind, Stuck, Value, Way, Width};
use atl_interp::{Domain, Exact, Number, Ratio};
use atl_semirings::{Carrier, Op};

/// The most ways that a claim is followed on.
const WAYS: usize = 2000;

/// A claim that was not proved.
pub(super) struct Unproved {
    /// What it says of the semiring, after "whether it".
    pub(super) what: String,
    /// Elements at which it seems to fail.
    pub(super) at: Option<Box<[Number; 3]>>,
}

impl Claims {
    /// Every claim, for every element.
    pub(super) fn prove(&self) -> Result<(), Unproved> {
        let Some(multiple) = self.multiple() else {
            return Err(Unproved { what: "is a semiring: its numbers are too long".to_owned(), at: None });
        };
        let ring = self.carrier == Carrier::Real
            && [self.ops.add, self.ops.mul].into_iter().all(|op| Way::is_ring(self.scalar, op));
        let way = Way::new(self, if ring { Width::Wrapping } else { Width::Within }, multiple);
        for op in [self.ops.add, self.ops.mul] {
            self.on_every_way(&way, 2, |elements| {
                way.contained(&way.operation(op, elements[0].clone(), elements[1].clone())?)
            })
            .map_err(|at| Unproved { what: "keeps sums and products in its carrier".to_owned(), at })?;
        }
        for law in self.claimed() {
            self.on_every_way(&way, law.arity, |elements| {
                let constants = [self.ops.zero, self.ops.one].map(|c| way.constant(c));
                let ops: Operations<Value, Stuck> =
                    (&|x, y| way.operation(self.ops.add, x, y), &|x, y| way.operation(self.ops.mul, x, y));
                let side = |side: &Side| side.fold(elements, [&constants[0], &constants[1]], ops);
                way.equal(&side(&law.lhs)?, &side(&law.rhs)?)
            })
            .map_err(|at| Unproved { what: format!("has the law `{}`, `{}`", law.name(), law.text), at })?;
        }
        Ok(())
    }

    /// That a claim holds on every way for elements of every kind; else, perhaps, elements at which it does not.
    fn on_every_way(
        &self,
        way: &Way,
        arity: usize,
        claim: impl Fn(&[Value]) -> Result<(), Stuck>,
    ) -> Result<(), Option<Box<[Number; 3]>>> {
        let infinite = [Kind::Infinity, Kind::NegInfinity].into_iter().filter(|kind| way.infinite(*kind));
        let kinds: Vec<Kind> = std::iter::once(Kind::Finite).chain(infinite).collect();
        let count = (0..arity).fold(1, |count, _| count * kinds.len());
        for k in 0..count {
            let mut rest = k;
            let chosen: Vec<Kind> = (0..arity)
                .map(|_| {
                    let kind = kinds[rest % kinds.len()];
                    rest /= kinds.len();
                    kind
                })
                .collect();
            let finite = chosen.iter().all(|kind| *kind == Kind::Finite);
            let mut ways = 0;
            loop {
                if let Err(Stuck::Unproved(values)) = claim(&way.begin(&chosen)) {
                    let values = values.filter(|_| finite);
                    return Err(values.and_then(|values| self.point(&way.numbers(&values, arity)?)));
                }
                ways += 1;
                if !way.advance() {
                    break;
                }
                if ways == WAYS {
                    return Err(None);
                }
            }
        }
        Ok(())
    }

    /// These quotients as elements; what is not said is like the last.
    fn point(&self, quotients: &[(i64, i64)]) -> Option<Box<[Number; 3]>> {
        let element = |k: usize| {
            let (n, d) = *quotients.get(k).or(quotients.last())?;
            if self.scalar.is_float() {
                Ratio::try_new(n.into(), d.into()).map(Number::Ratio)
            } else {
                Exact::decimal(self.scalar, n.into(), 0).ok()
            }
        };
        Some(Box::new([element(0)?, element(1)?, element(2)?]))
    }

    /// A power of ten of which each number of the formula is a multiple of its inverse.
    fn multiple(&self) -> Option<i64> {
        let Op::Own(own) = self.ops.mul else { return Some(1) };
        let mut numbers = Vec::new();
        super::trial::mentioned(&own.formula, &mut numbers);
        numbers.iter().try_fold(1_i64, |multiple, number| match number {
            atl_kernel::Number::Decimal(_, exponent) if *exponent < 0 => {
                Some(multiple.max(10_i64.checked_pow(exponent.unsigned_abs())?))
            }
            _ => Some(multiple),
        })
    }
}
