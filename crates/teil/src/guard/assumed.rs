//! What is assumed of sizes, as `p + r - 1 <= n`, and what follows from it.
//!
//! The one idea: a condition is linear in sizes, each of which is at least 1, and that an access is inside is so, too; so the prover
//! of index arithmetic is asked, whose certificates the kernel checks. What it does not prove is not so. Examples of what goes wrong
//! are looked for among sizes that satisfy all conditions.

use super::kernel::Affine;
use super::ranges::{Obligation, Ranges, Sizes};
use crate::language::{Fact, Placed, Relation, Size};
use crate::tree::Refusal;
use atl_arith::{Verdict, decide};
use atl_diag::err;
use atl_kernel::{Ctx, Ix, Label, Pred};

/// `p + r - 1 <= n`: in its sides sizes stand where in an access indices do.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// The left side.
    pub(super) left: Affine,
    /// How they compare.
    pub(super) relation: Relation,
    /// The right side.
    pub(super) right: Affine,
}

/// Conditions, and the sizes that there are.
#[derive(Clone, Debug, Default)]
pub(super) struct Assumed {
    conditions: Vec<Condition>,
    /// The sizes, by their level in the context.
    names: Vec<String>,
    ctx: Ctx,
}

impl Condition {
    /// As it is written, about.
    pub(super) fn text(&self) -> String {
        format!("{} {} {}", self.left.text(), self.relation.word(), self.right.text())
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.left.terms.iter().chain(&self.right.terms).map(|(_, name)| name)
    }

    fn holds(&self, sizes: &Sizes) -> bool {
        let value = |side: &Affine| {
            let each = side.terms.iter().map(|(by, name)| {
                i128::from(*by).saturating_mul(i128::from(sizes.get(name).copied().unwrap_or(1)))
            });
            each.fold(i128::from(side.constant), i128::saturating_add)
        };
        let (left, right) = (value(&self.left), value(&self.right));
        match self.relation {
            Relation::Equal => left == right,
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
        }
    }

    /// As TeIL may state it: of two sizes, names or numbers.
    fn fact(&self) -> Option<Fact> {
        let size = |side: &Affine| match (side.plain(), side.terms.as_slice(), side.constant) {
            (Some(name), ..) => Some(Size::Variable(name.to_owned())),
            (None, [], n @ 1..) => u64::try_from(n).ok().map(Size::Number),
            _ => None,
        };
        let [left, right] = [size(&self.left)?, size(&self.right)?].map(Placed::unplaced);
        Some(Fact { left, relation: self.relation, right })
    }
}

impl Assumed {
    /// These conditions, of these sizes.
    ///
    /// # Errors
    /// One speaks of what is no size, or no sizes satisfy all.
    pub(super) fn new(conditions: Vec<Condition>, names: Vec<String>) -> Result<Assumed, Refusal> {
        for condition in &conditions {
            if let Some(name) = condition.names().find(|name| !names.contains(name)) {
                return Err(Box::new(
                    err!(E0297, condition.left.span, "`{name}` is no size of this kernel")
                        .help("assume something of the sizes that are declared"),
                ));
            }
        }
        let mut ctx = Ctx::new();
        let levels: Vec<u32> = names.iter().map(|name| ctx.push_index(Label::new(name))).collect();
        levels.iter().for_each(|level| ctx.push_hyp(Pred::le(Ix::ONE, Ix::free(*level))));
        let mut assumed = Assumed { conditions, names, ctx };
        for condition in &assumed.conditions {
            let [left, right] = [&condition.left, &condition.right].map(|side| assumed.index(side));
            assumed.ctx.push_hyp(match condition.relation {
                Relation::Equal => Pred::eq(left, right),
                Relation::Less => Pred::lt(left, right),
                Relation::AtMost => Pred::le(left, right),
            });
        }
        if let (Some(last), true) = (assumed.conditions.last(), assumed.proves(&Pred::False)) {
            return Err(Box::new(
                err!(E0297, last.left.span, "no sizes satisfy all that is assumed")
                    .label("with this, at the latest")
                    .note("sizes are at least 1"),
            ));
        }
        Ok(assumed)
    }

    /// Whether nothing is assumed.
    pub(super) fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// The conditions in words; nothing if there are none.
    pub(super) fn text(&self) -> Option<String> {
        let each: Vec<String> = self.conditions.iter().map(Condition::text).collect();
        (!each.is_empty()).then(|| each.join(" and "))
    }

    /// What TeIL may state of it.
    pub(super) fn facts(&self) -> Vec<Fact> {
        self.conditions.iter().filter_map(Condition::fact).collect()
    }

    /// The sizes of which something is assumed.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.conditions.iter().flat_map(Condition::names)
    }

    /// The numbers that stand in conditions.
    pub(super) fn numbers(&self) -> impl Iterator<Item = i64> {
        self.conditions
            .iter()
            .flat_map(|c| [c.left.constant.saturating_abs(), c.right.constant.saturating_abs()])
    }

    /// Whether these sizes satisfy the conditions.
    pub(super) fn admits(&self, sizes: &Sizes) -> bool {
        self.conditions.iter().all(|condition| condition.holds(sizes))
    }

    /// Whether an access is inside, and all of its dimension gone through if an index stands there alone.
    pub(super) fn ensures(&self, obligation: &Obligation<'_>, ranges: &Ranges) -> bool {
        if self.conditions.is_empty() {
            return false;
        }
        let Some(size) = self.size(&obligation.size) else { return false };
        let index = obligation.index();
        if let Some(plain) = index.plain() {
            let range = ranges.size(plain).and_then(|range| self.size(range));
            return range.is_some_and(|range| self.proves(&Pred::eq(range, size)));
        }
        let last = |name: &str| Some(self.size(ranges.size(name)?)? - Ix::ONE);
        let reach = |high: bool| {
            let reaching = index.terms.iter().filter(|(by, _)| (*by > 0) == high);
            reaching
                .map(|(by, name)| Some(last(name)? * Ix::Lit(*by)))
                .try_fold(Ix::Lit(index.constant), |sum, term| Some(sum + term?))
        };
        let (Some(least), Some(most)) = (reach(false), reach(true)) else { return false };
        self.proves(&Pred::le(Ix::ZERO, least)) && self.proves(&Pred::lt(most, size))
    }

    fn size(&self, size: &Size) -> Option<Ix> {
        match size {
            Size::Number(n) => i64::try_from(*n).ok().map(Ix::Lit),
            Size::Variable(name) => self.level(name).map(Ix::free),
        }
    }

    fn level(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|known| known == name).and_then(|at| u32::try_from(at).ok())
    }

    /// A side as an index term.
    fn index(&self, side: &Affine) -> Ix {
        let term = |(by, name): &(i64, String)| {
            self.level(name).map_or(Ix::ZERO, |level| Ix::free(level) * Ix::Lit(*by))
        };
        side.terms.iter().map(term).fold(Ix::Lit(side.constant), |sum, term| sum + term)
    }

    fn proves(&self, goal: &Pred) -> bool {
        matches!(decide(&self.ctx, goal), Verdict::Proved(_))
    }
}
