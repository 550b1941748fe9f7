//! Sums whose terms each go to one cell, as a histogram's.
//!
//! **The one idea.** In `gen k { sum i { [k == t[i]] * e } }` each term counts in one cell, and which one
//! does not depend on the loop over cells. With the sum around that loop, the cell is known, so a term is one
//! update where it was a test for each cell. Each cell adds in the order written.

use super::PEEL;
use super::rules::{vectors, written_out};
use crate::Request;
use crate::structure::{Structure, is_name};
use atl_kernel::{Child, Cmp, Expr, Ix, Node, Pred, Var};
use atl_schedule::nest::{Place, Sort, binders, qualified, subterm};

/// Loops over cells, directly around sums.
struct Nest {
    gens: Vec<Place>,
    sums: Vec<Place>,
}

/// What the script does.
pub(super) const WORDS: &str = "terms of sums added where they belong";

/// The steps; none if there are no such sums.
pub(super) fn scattered(request: &Request<'_>, source: &Structure, lanes: u32) -> Option<Vec<String>> {
    let body = request.body;
    let all = binders(body);
    let nests: Vec<Nest> = all.iter().filter_map(|place| Nest::at(body, &all, place)).collect();
    let mut steps: Vec<String> = nests.iter().map(|nest| nest.reorder(body)).collect();
    if steps.is_empty() {
        return None;
    }
    let is_in = |place: &Place| {
        nests.iter().any(|nest| nest.gens.first().is_some_and(|gen_| place.path.starts_with(&gen_.path)))
    };
    let others = vectors(body, source, &|place| !is_in(place), lanes);
    steps.extend(written_out(body));
    steps.push(PEEL.to_owned());
    steps.extend(others);
    Some(steps)
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
        let mut bound = sums.len();
        while let Node::Let(_, _, inner) = &**e {
            (e, bound) = (inner, bound + 1);
        }
        let Node::Guard(p, _) = &**e else { return None };
        (!sums.is_empty() && pins(p, bound, gens.len())).then_some(Nest { gens, sums })
    }

    /// The step that moves the sums around the loops.
    fn reorder(&self, body: &Expr) -> String {
        let names = self.sums.iter().chain(&self.gens).map(|place| qualified(body, place));
        format!("reorder {}", names.collect::<Vec<_>>().join(", "))
    }
}

/// Is a conjunct the equation of a loop over cells with a term that changes with the sums and with no such
/// loop? The sums and what is bound below them are the first variables, the loops the next.
fn pins(p: &Pred, sums: usize, gens: usize) -> bool {
    let (a, b) = match p {
        Pred::And(both) => return pins(&both.0, sums, gens) || pins(&both.1, sums, gens),
        Pred::Cmp(Cmp::Eq, a, b) => (a, b),
        _ => return false,
    };
    let range = |from: usize, count: usize| move |k: u32| (from..from + count).contains(&(k as usize));
    let is_cell = |ix: &Ix| matches!(ix, Ix::Var(Var::Bound(k)) if range(sums, gens)(*k));
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
