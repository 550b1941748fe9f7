//! What is assumed of sizes, as `p + r - 1 <= n`, and what follows from it.
//!
//! The one idea: a condition is linear in sizes, each of which is at least 1, and that an access is inside is
//! so, too; so the prover of index arithmetic decides, whose certificates the kernel checks. What it does
//! not prove is not so. Examples of what goes wrong are looked for among sizes that satisfy all conditions. A
//! range that is as long as reads allow has a size of its own, of which its definition is assumed.

use super::kernel::{Affine, Sizes};
use super::linear::{Linear, Need};
use atl_arith::{Verdict, decide};
use atl_diag::err;
use atl_kernel::{Ctx, Ix, Label, Pred};
use atl_teil::Refusal;
use atl_teil::language::{Fact, Placed, Relation, Size};

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

/// A size that is the largest of which this multiple is at most each of these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Definition {
    /// The size.
    pub(super) name: String,
    /// How many times, and what that is at most.
    pub(super) bounds: Vec<(i128, Linear)>,
}

/// Conditions, and the sizes that there are.
#[derive(Clone, Debug, Default)]
pub(super) struct Assumed {
    conditions: Vec<Condition>,
    definitions: Vec<Definition>,
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

    /// What is not negative if and only if it holds.
    fn not_negative(&self) -> Vec<Linear> {
        let [left, right] = [&self.left, &self.right].map(Linear::of_sizes);
        let over = right.plus(-1, &left);
        match self.relation {
            Relation::Equal => vec![over.clone(), Linear::default().plus(-1, &over)],
            Relation::Less => vec![over.plus(-1, &Linear::number(1))],
            Relation::AtMost => vec![over],
        }
    }

    fn holds(&self, sizes: &Sizes) -> bool {
        self.not_negative().iter().all(|linear| linear.at(sizes) >= 0)
    }

    /// As TeIL may state it: of two sizes, names or numbers.
    fn fact(&self) -> Option<Fact> {
        let [left, right] = [&self.left, &self.right].map(|side| Linear::of_sizes(side).as_size());
        Some(Fact { left: Placed::unplaced(left?), relation: self.relation, right: Placed::unplaced(right?) })
    }
}

impl Definition {
    /// What is not negative by it.
    fn not_negative(&self) -> Vec<Linear> {
        let size = Linear::size(&Size::Variable(self.name.clone()));
        let bounds = self.bounds.iter();
        let mut all: Vec<Linear> = bounds.map(|(by, most)| most.clone().plus(-by, &size)).collect();
        if let [(by, most)] = self.bounds.as_slice() {
            // The next one is too large.
            let next = Linear::number(by - 1).plus(*by, &size);
            all.push(next.plus(-1, most));
        }
        all
    }

    /// What it is at these sizes: 0 or less, too.
    fn at(&self, sizes: &Sizes) -> Option<i64> {
        let each = self.bounds.iter().map(|(by, most)| most.at(sizes).div_euclid(*by));
        each.min().and_then(|n| i64::try_from(n).ok())
    }

    /// `n_i == N - 2`, or `2 * n_i <= N and N <= 2 * n_i + 1`
    fn text(&self) -> String {
        match self.bounds.as_slice() {
            [(1, most)] => format!("{} == {}", self.name, most.text()),
            _ => {
                let needs = self
                    .not_negative()
                    .into_iter()
                    .map(|linear| Need::NotNegative(linear).text(|linear| linear));
                needs.collect::<Vec<_>>().join(" and ")
            }
        }
    }
}

impl Assumed {
    /// These conditions, of these sizes, some of which are defined.
    ///
    /// # Errors
    /// One speaks of what is no size, or no sizes satisfy all.
    pub(super) fn new(
        conditions: Vec<Condition>,
        definitions: Vec<Definition>,
        names: Vec<String>,
    ) -> Result<Assumed, Refusal> {
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
        for (name, level) in names.iter().zip(levels) {
            // One that is defined may be 0 or less.
            if definitions.iter().all(|definition| definition.name != *name) {
                ctx.push_hyp(Pred::le(Ix::ONE, Ix::free(level)));
            }
        }
        let mut assumed = Assumed { conditions, definitions, names, ctx };
        let linear: Vec<Linear> = assumed
            .conditions
            .iter()
            .flat_map(Condition::not_negative)
            .chain(assumed.definitions.iter().flat_map(Definition::not_negative))
            .collect();
        for linear in linear {
            // A condition of larger numbers is not made use of.
            if let Some(pred) = assumed.not_negative(&linear) {
                assumed.ctx.push_hyp(pred);
            }
        }
        if let (Some(last), true) = (assumed.conditions.last(), assumed.contradicts()) {
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
        self.conditions.is_empty() && self.definitions.is_empty()
    }

    /// The conditions in words; nothing if there are none.
    pub(super) fn text(&self) -> Option<String> {
        let definitions = self.definitions.iter().map(Definition::text);
        let each: Vec<String> = self.conditions.iter().map(Condition::text).chain(definitions).collect();
        (!each.is_empty()).then(|| each.join(" and "))
    }

    /// What TeIL may state of it.
    pub(super) fn facts(&self) -> Vec<Fact> {
        self.conditions.iter().filter_map(Condition::fact).collect()
    }

    /// The sizes of which something is assumed.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        let defined = self.definitions.iter().flat_map(|definition| {
            let bounds = definition.bounds.iter().flat_map(|(_, most)| most.parts().1.map(|(name, _)| name));
            bounds.chain([&definition.name])
        });
        self.conditions.iter().flat_map(Condition::names).chain(defined)
    }

    /// The numbers that stand in conditions.
    pub(super) fn numbers(&self) -> impl Iterator<Item = i128> {
        let conditions = self.conditions.iter().flat_map(|c| [c.left.constant, c.right.constant]);
        let definitions = self.definitions.iter().flat_map(|definition| &definition.bounds);
        conditions.map(i128::from).chain(definitions.map(|(_, most)| most.parts().0))
    }

    /// Something with what defined sizes are equal to.
    pub(super) fn spelled(&self, linear: Linear) -> Linear {
        self.definitions.iter().rev().fold(linear, |linear, definition| match definition.bounds.as_slice() {
            [(1, most)] => linear.with(&definition.name, most),
            _ => linear,
        })
    }

    /// Whether this is the name of a size that is equal to something of others.
    pub(super) fn is_spelled(&self, name: &str) -> bool {
        self.definitions.iter().any(|d| d.name == name && matches!(d.bounds.as_slice(), [(1, _)]))
    }

    /// Those of these sizes that have no definition.
    pub(super) fn undefined(&self, names: Vec<String>) -> Vec<String> {
        names.into_iter().filter(|name| self.definitions.iter().all(|d| d.name != *name)).collect()
    }

    /// These sizes with those that are defined by them, if all of those are sizes.
    pub(super) fn completed(&self, mut sizes: Sizes) -> Option<Sizes> {
        for definition in &self.definitions {
            sizes.insert(definition.name.clone(), definition.at(&sizes)?);
        }
        Some(sizes)
    }

    /// Whether these sizes satisfy the conditions.
    pub(super) fn admits(&self, sizes: &Sizes) -> bool {
        self.conditions.iter().all(|condition| condition.holds(sizes))
            && self.definitions.iter().all(|d| d.at(sizes) == Some(sizes.get(&d.name).copied().unwrap_or(1)))
    }

    /// Whether something holds for all sizes.
    pub(super) fn ensures(&self, need: &Need) -> bool {
        self.always(need) || (!self.is_empty() && self.follows(need))
    }

    /// Whether it holds even if nothing were assumed: sizes are at least 1, but for those that are defined.
    fn always(&self, need: &Need) -> bool {
        let defined = |linear: &Linear| {
            let mut names = linear.parts().1;
            names.any(|(name, _)| self.definitions.iter().any(|d| d.name == *name))
        };
        let plain = |linear: Linear| !defined(&linear) && linear.always();
        match need {
            Need::Same(a, b) => a == b,
            Need::NotNegative(linear) => plain(self.spelled(linear.clone())),
        }
    }

    fn follows(&self, need: &Need) -> bool {
        need.not_negative().iter().all(|linear| self.not_negative(linear).is_some_and(|p| self.proves(&p)))
    }

    /// This, where these needs are met as well.
    pub(super) fn with<'n>(&self, needs: impl IntoIterator<Item = &'n Need>) -> Assumed {
        let mut with = self.clone();
        for linear in needs.into_iter().flat_map(Need::not_negative) {
            if let Some(pred) = self.not_negative(&linear) {
                with.ctx.push_hyp(pred);
            }
        }
        with
    }

    /// Whether no sizes satisfy all.
    pub(super) fn contradicts(&self) -> bool {
        self.proves(&Pred::False)
    }

    /// Whether this follows where needs are met.
    pub(super) fn implies(&self, need: &Need) -> bool {
        self.always(need) || self.follows(need)
    }

    /// Some sizes with which these needs are met, or nothing if none are found. What is too small is made
    /// larger, from all 1.
    pub(super) fn some(&self, needs: &[Need]) -> Option<Sizes> {
        const ROUNDS: usize = 256;
        let conditions = self.conditions.iter().flat_map(Condition::not_negative);
        let needs = needs.iter().flat_map(Need::not_negative);
        let all: Vec<Linear> = conditions.chain(needs).map(|linear| self.spelled(linear)).collect();
        let names = self.undefined(self.names.clone());
        // Which of several sizes is made larger is tried one way and the other.
        (0..3usize).find_map(|which| {
            let mut sizes: Sizes = names.iter().map(|name| (name.clone(), 1)).collect();
            for _ in 0..ROUNDS {
                let complete = self.completed(sizes.clone())?;
                let Some(broken) = all.iter().find(|linear| linear.at(&complete) < 0) else {
                    return self.admits(&complete).then_some(complete);
                };
                let grows: Vec<(&String, i128)> = broken.parts().1.filter(|(_, by)| *by > 0).collect();
                let (name, by) = grows.get(which % grows.len().max(1))?;
                let lacking = broken.at(&complete).saturating_neg();
                let more = i64::try_from((lacking + by - 1).div_euclid(*by)).ok()?;
                match self.definitions.iter().find(|definition| definition.name == **name) {
                    // What is defined grows with what it is at most.
                    Some(definition) => {
                        let bounds = definition.bounds.iter().flat_map(|(_, most)| most.parts().1);
                        for (name, _) in bounds {
                            sizes.entry(name.clone()).and_modify(|known| *known = known.saturating_add(1));
                        }
                    }
                    None => {
                        let known = sizes.entry((*name).clone()).or_insert(1);
                        *known = known.saturating_add(more);
                    }
                }
            }
            None
        })
    }

    fn level(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|known| known == name).and_then(|at| u32::try_from(at).ok())
    }

    /// That this is not negative, if its numbers are not too large to be said.
    fn not_negative(&self, linear: &Linear) -> Option<Pred> {
        let (constant, mut parts) = linear.parts();
        let sum = parts.try_fold(Ix::Lit(i64::try_from(constant).ok()?), |sum, (name, by)| {
            Some(sum + Ix::free(self.level(name)?) * Ix::Lit(i64::try_from(by).ok()?))
        });
        Some(Pred::le(Ix::ZERO, sum?))
    }

    fn proves(&self, goal: &Pred) -> bool {
        matches!(decide(&self.ctx, goal), Verdict::Proved(_))
    }
}
