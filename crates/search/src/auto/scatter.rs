//! Sums whose terms each go to one cell, as a histogram's.
//!
//! **The one idea.** In `gen k { sum i { [k == t[i]] * e } }` each term counts in one cell, and which one
//! does not depend on the loop over cells. With the sum around that loop, the cell is known, so a term is one
//! update where it was a test for each cell. Each cell adds in the order written.

use super::PEEL;
use super::steps::{vectors, written_out};
use crate::Request;
use crate::structure::{Structure, is_name};
use atl_kernel::{Child, Cmp, Expr, Ix, Node, Pred, Var};
use atl_schedule::nest::{Place, Sort, binders, qualified, subterm};

/// Loops over cells, directly around sums.
struct Nest {
    gens: Vec<Place>,
    sums: Vec<Place>,
    /// The `let`s inside, which the cell may be made of.
    lets: Vec<Place>,
    /// Which of the loops are pinned.
    pinned: Vec<bool>,
}

/// What the script does.
pub(super) const WORDS: &str = "terms of sums added where they belong";

/// The rules that name the one cell of a loop: where it is known to be one, and under a test.
const RULES: [&str; 2] = ["gen_one_hot", "gen_one_hot_guarded"];

/// The steps, of a few scripts; none if there are no such sums. Of several loops that are pinned, `peel`
/// makes ranges.
pub(super) fn scattered(request: &Request<'_>, source: &Structure, lanes: u32) -> Vec<Vec<String>> {
    let body = request.body;
    let all = binders(body);
    let nests: Vec<Nest> = all.iter().filter_map(|place| Nest::at(body, &all, place)).collect();
    if nests.is_empty() {
        return Vec::new();
    }
    let is_in = |place: &Place| {
        nests.iter().any(|nest| nest.gens.first().is_some_and(|first| place.path.starts_with(&first.path)))
    };
    let others = vectors(body, source, &|place| !is_in(place), lanes);
    let unroll = written_out(body);
    let script = |rule: &dyn Fn(&Nest) -> Vec<String>, rest: &[String]| {
        let own =
            nests.iter().flat_map(|nest| [vec![nest.reorder(body)], nest.hoists(body), rule(nest)].concat());
        [own.collect(), unroll.clone(), rest.to_vec(), others.clone()].concat()
    };
    if nests.iter().any(|nest| nest.pinned.iter().filter(|pinned| **pinned).count() > 1) {
        return vec![script(&|_| Vec::new(), &[PEEL.to_owned()])];
    }
    let by = |rule: &str| {
        script(&|nest| nest.cell(body).map(|k| format!("rw {rule} at {k}")).into_iter().collect(), &[])
    };
    RULES.map(by).into()
}

impl Nest {
    /// The nest that begins with this loop, if it pins some of its cells.
    fn at(body: &Expr, all: &[Place], first: &Place) -> Option<Nest> {
        let is_gen = |place: &&Place| place.sort == Sort::Gen && is_name(&place.label.name);
        // The outermost of its loops.
        let around = first.path.split_last().map(|(_, around)| around);
        if !is_gen(&first) || all.iter().any(|place| is_gen(&place) && Some(&place.path[..]) == around) {
            return None;
        }
        let (mut gens, mut sums, mut path) = (Vec::new(), Vec::new(), first.path.clone());
        let mut e = subterm(body, &path)?;
        loop {
            let own = || all.iter().find(|place| place.path == path && is_name(&place.label.name)).cloned();
            match &**e {
                Node::Gen(..) if sums.is_empty() => gens.push(own()?),
                Node::Sum(..) => sums.push(own()?),
                _ => break,
            }
            path.push(Child::Body);
            e = subterm(body, &path)?;
        }
        let mut lets = Vec::new();
        while let Node::Let(_, _, inner) = &**e {
            lets.push(all.iter().find(|place| place.path == path && is_name(&place.label.name))?.clone());
            path.push(Child::Body);
            e = inner;
        }
        let Node::Guard(p, _) = &**e else { return None };
        let bound = sums.len() + lets.len();
        // The last loop is the first variable.
        let is_pinned = |k: usize| pins(p, bound, (bound + gens.len() - 1 - k, gens.len()));
        let pinned: Vec<bool> = (0..gens.len()).map(is_pinned).collect();
        (!sums.is_empty() && pinned.contains(&true)).then_some(Nest { gens, sums, lets, pinned })
    }

    /// The step that moves the sums around the loops, of which those that are pinned go inside.
    fn reorder(&self, body: &Expr) -> String {
        let loops = |pinned: bool| {
            self.gens.iter().zip(&self.pinned).filter(move |(_, own)| **own == pinned).map(|(place, _)| place)
        };
        let names = self.sums.iter().chain(loops(false)).chain(loops(true));
        let names: Vec<String> = names.map(|place| qualified(body, place)).collect();
        format!("reorder {}", names.join(", "))
    }

    /// The steps that bind around the loops what is bound inside.
    fn hoists(&self, body: &Expr) -> Vec<String> {
        let Some(sum) = self.sums.last() else { return Vec::new() };
        let sum = qualified(body, sum);
        self.lets.iter().map(|place| format!("hoist {} at {sum}", place.label.name)).collect()
    }

    /// The loop that is pinned.
    fn cell(&self, body: &Expr) -> Option<String> {
        let place = self.gens.iter().zip(&self.pinned).find(|(_, pinned)| **pinned)?.0;
        Some(qualified(body, place))
    }
}

/// Is a conjunct the equation of this loop with a term that changes with the sums and with no loop over
/// cells? The sums and what is bound below them are the first variables, then come the loops, of which this
/// one is the variable `cell`.
fn pins(p: &Pred, sums: usize, (cell, gens): (usize, usize)) -> bool {
    let (a, b) = match p {
        Pred::And(both) => return pins(&both.0, sums, (cell, gens)) || pins(&both.1, sums, (cell, gens)),
        Pred::Cmp(Cmp::Eq, a, b) => (a, b),
        _ => return false,
    };
    let range = |from: usize, count: usize| move |k: u32| (from..from + count).contains(&(k as usize));
    let is_cell = |ix: &Ix| matches!(ix, Ix::Var(Var::Bound(k)) if *k as usize == cell);
    let moves = |ix: &Ix| mentions(ix, &range(0, sums)) && !mentions(ix, &range(sums, gens));
    is_cell(a) && moves(b) || is_cell(b) && moves(a)
}

/// Is some bound variable of these in the term?
fn mentions(ix: &Ix, is_one: &dyn Fn(u32) -> bool) -> bool {
    match ix {
        Ix::Lit(_) => false,
        Ix::Var(var) => matches!(var, Var::Bound(k) if is_one(*k)),
        Ix::Bin(_, ab) => mentions(&ab.0, is_one) || mentions(&ab.1, is_one),
        Ix::Read(var, indices) => {
            matches!(var, Var::Bound(k) if is_one(*k)) || indices.iter().any(|ix| mentions(ix, is_one))
        }
    }
}
