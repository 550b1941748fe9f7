//! Arrays that rounds make, one after the other, in the same rounds.
//!
//! **The one idea.** The least and the greatest number of each column are two arrays, and each is made by
//! rounds over all rows. Where the arrays stand beside each other, do not read each other, and take as many
//! rounds, one iteration makes both: what both read comes from memory once. No C compiler joins two loops
//! around loops. The operations are the same, so every bit stays.

use crate::structure::is_name;
use atl_kernel::{Expr, Ix, Node, subst};

/// What a script is called that joins them.
pub(super) const WORDS: &str = "; arrays of as many rounds are made at once";

/// A level that no variable has, nor those above it.
const FRESH: u32 = 1 << 30;

/// Arrays side by side.
#[derive(Default)]
struct Run {
    names: Vec<String>,
    /// The levels of what they are bound to.
    levels: Vec<u32>,
    rounds: Option<Ix>,
}

impl Run {
    fn step(&self) -> Option<String> {
        (self.names.len() > 1).then(|| format!("fuse {}", self.names.join(", ")))
    }
}

/// The steps that join the arrays which a program binds around all loops; none if there are none.
pub(super) fn fused(body: &Expr) -> Vec<String> {
    let (mut steps, mut run, mut all) = (Vec::new(), Run::default(), Vec::new());
    let (mut e, mut level) = (body.clone(), FRESH);
    while let Node::Let(label, bound, below) = &*e {
        let rounds = rounds(bound).filter(|_| is_name(&label.name));
        let reads = run.levels.iter().any(|other| subst::close(bound, *other) != *bound);
        if rounds.is_none() || reads || run.rounds.as_ref() != rounds {
            steps.extend(std::mem::take(&mut run).step());
        }
        if let Some(rounds) = rounds {
            run.names.push(label.name.to_string());
            run.levels.push(level);
            run.rounds = Some(rounds.clone());
        }
        all.push(label.name.clone());
        (e, level) = (subst::open(below, level), level + 1);
    }
    steps.extend(run.step());
    // A name of two of them may mean either.
    all.sort();
    if all.windows(2).any(|two| two[0] == two[1]) { Vec::new() } else { steps }
}

/// How many rounds make a term.
fn rounds(e: &Expr) -> Option<&Ix> {
    match &**e {
        Node::Iterate(it) => Some(&it.extent),
        Node::Let(_, inner, _) | Node::View(_, inner) => rounds(inner),
        _ => None,
    }
}
