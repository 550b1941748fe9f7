//! Marks beside the term, and what they speak of in the end: the loops and `let`s that they named, whatever later steps call them.
//!
//! **The one idea.** A mark names loops as they are called where it stands. After each later step, a loop that the record of the
//! step's theorem keeps is known by the name that it has now; one that was rewritten has the name that it had, for rules carry
//! labels along, or it is in two, `L.o` and `L.i`. So a mark goes along with `rename` and `split`, and what gets the
//! old name afterwards does not get the mark.
//!
//! What a step removes, a mark of it speaks of no longer: lowering says so.

use crate::forward::kept;
use crate::nest::{Place, Sort, binders};
use crate::script::Applied;
use atl_kernel::Thm;
use std::collections::BTreeSet;

/// The name of a loop: of the innermost `let` in whose term it stands, and its own.
pub type LoopName = (Option<String>, String);

/// Loops by all names that copies of them have.
pub(crate) type Loops = BTreeSet<LoopName>;

/// The name of the loop at this place.
pub(crate) fn loop_name(place: &Place) -> LoopName {
    (place.within.last().map(ToString::to_string), place.label.name.to_string())
}

/// A loop after these steps: itself, or the loops that it was split into, outermost first; none if it is gone.
pub(crate) fn nest(names: Loops, later: &[Applied]) -> Vec<Loops> {
    later.iter().fold(vec![names], |nest, step| after(nest, &step.thm))
}

/// Loops after one step, each as [`nest`] says.
pub(crate) fn after(nest: Vec<Loops>, thm: &Thm) -> Vec<Loops> {
    if nest.is_empty() {
        return nest;
    }
    let loops = |e| binders(e).into_iter().filter(|p| p.sort != Sort::Let).collect::<Vec<Place>>();
    let (before, now) = (loops(thm.lhs()), loops(thm.rhs()));
    let step = Step { thm, before: &before, now: &now };
    nest.iter().flat_map(|names| step.parts(names)).filter(|names| !names.is_empty()).collect()
}

/// The names of a `let` after these steps; none if it is gone.
pub(crate) fn lets(name: String, later: &[Applied]) -> BTreeSet<String> {
    later.iter().fold(BTreeSet::from([name]), |names, step| {
        let lets = |e| binders(e).into_iter().filter(|p| p.sort == Sort::Let).collect::<Vec<Place>>();
        let (before, now) = (lets(step.thm.lhs()), lets(step.thm.rhs()));
        let mut found = BTreeSet::new();
        for place in before.iter().filter(|place| names.contains(&*place.label.name)) {
            let name = &place.label.name;
            match renamed(&step.thm, place, &now) {
                Some(kept) => drop(found.insert(kept.label.name.to_string())),
                None if now.iter().any(|p| p.label.name == *name) => drop(found.insert(name.to_string())),
                None => {}
            }
        }
        found
    })
}

/// The same binder afterwards, if the theorem's record keeps it.
fn renamed<'p>(thm: &Thm, place: &Place, now: &'p [Place]) -> Option<&'p Place> {
    let path = kept(thm.proof(), &place.path)?;
    now.iter().find(|p| p.path == path && p.sort == place.sort)
}

/// A step, and the loops of both sides.
struct Step<'a> {
    thm: &'a Thm,
    before: &'a [Place],
    now: &'a [Place],
}

impl Step<'_> {
    /// What loops have become: loops like them, the outer parts, the inner parts.
    fn parts(&self, names: &Loops) -> [Loops; 3] {
        let mut parts: [Loops; 3] = Default::default();
        for place in self.before.iter().filter(|place| names.contains(&loop_name(place))) {
            match renamed(self.thm, place, self.now) {
                Some(kept) => drop(parts[0].insert(loop_name(kept))),
                None => self.rewritten(&loop_name(place), &mut parts),
            }
        }
        parts
    }

    /// The same of one that the record does not keep.
    fn rewritten(&self, name: &LoopName, [same, outer, inner]: &mut [Loops; 3]) {
        let has = |places: &[Place], name: &LoopName| places.iter().any(|p| loop_name(p) == *name);
        if has(self.now, name) {
            same.insert(name.clone());
            return;
        }
        // Where a `let` has come, gone or another name, its loops are what is new under their own names.
        let is_new = |found: &LoopName| !has(self.before, found);
        let called = |own: &str| -> Loops {
            let found = self.now.iter().map(loop_name).filter(|found| found.1 == own && is_new(found));
            let found: Loops = found.collect();
            let here: Loops = found.iter().filter(|found| found.0 == name.0).cloned().collect();
            if here.is_empty() { found } else { here }
        };
        let (tiles, within) = (called(&format!("{}.o", name.1)), called(&format!("{}.i", name.1)));
        if tiles.is_empty() || within.is_empty() {
            same.extend(called(&name.1));
        } else {
            outer.extend(tiles);
            inner.extend(within);
        }
    }
}
