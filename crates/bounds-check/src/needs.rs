//! What must hold of sizes so that a kernel is safe.
//!
//! The one idea: each obligation is an equation of two sizes, or two inequalities that are linear in sizes.
//! Those that follow from the others and from what is assumed are not said. What is left is advice only if
//! there are sizes with which it holds; it reports that there are none only with a proof.

use super::assumed::Assumed;
use super::linear::Need;
use super::ranges::{Obligation, Ranges};
use atl_teil::language::{Fact, Size};

/// What must hold.
pub(super) enum Needs {
    /// All of these, each once, and some sizes satisfy them.
    All(Vec<Need>),
    /// All of these, of which it is not known whether any sizes satisfy them.
    Unsure(Vec<Need>),
    /// Nothing that does: this never holds.
    Never(String),
}

/// What must hold of sizes so that these obligations do.
pub(super) fn needs(found: &[(usize, Obligation<'_>)], ranges: &[Ranges], assumed: &Assumed) -> Needs {
    let mut needs: Vec<Need> = Vec::new();
    for (k, obligation) in found {
        let index = obligation.index();
        for (side, need) in obligation.needs(&ranges[*k]).into_iter().enumerate() {
            match &need {
                Need::Same(Size::Number(n), Size::Number(m)) if n != m => {
                    return Needs::Never(format!("{n} is not {m}"));
                }
                Need::NotNegative(linear) if linear.never() => {
                    let how = ["ends beyond the last entry", "begins before the first entry"];
                    return Needs::Never(format!("`{}` {}", index.text(), how[side % 2]));
                }
                _ if !assumed.implies(&need) && !needs.contains(&need) => needs.push(need),
                _ => {}
            }
        }
    }
    if assumed.with(&needs).contradicts() {
        let conditions = assumed.text().map_or(String::new(), |text| format!(" where {text}"));
        let all = if needs.len() > 1 { "cannot all be" } else { "cannot be" };
        return Needs::Never(format!("{} {all}{conditions}", described(&needs, assumed)));
    }
    // Equations say more than what follows from them.
    let order = |needs: &[Need]| -> Vec<Need> {
        let (same, other): (Vec<_>, Vec<_>) =
            needs.iter().cloned().partition(|need| matches!(need, Need::Same(..)));
        other.into_iter().chain(same).collect()
    };
    for need in order(&needs) {
        let others: Vec<Need> = needs.iter().filter(|other| **other != need).cloned().collect();
        if assumed.with(&others).implies(&need) {
            needs = others;
        }
    }
    match assumed.some(&needs) {
        Some(_) => Needs::All(needs),
        None => Needs::Unsure(needs),
    }
}

/// In words.
pub(super) fn described(needs: &[Need], assumed: &Assumed) -> String {
    let each = needs.iter().map(|need| need.text(|linear| assumed.spelled(linear)));
    each.collect::<Vec<_>>().join(" and ")
}

/// The facts that say so, if TeIL can state them.
pub(super) fn facts(needs: &[Need]) -> Option<Vec<Fact>> {
    needs.iter().map(Need::fact).collect()
}
