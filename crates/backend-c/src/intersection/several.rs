//! Intersections of more than two sequences: each round brings those that are behind the greatest key closer to
//! it.

use super::{OnMatch, Side, all_left};
use crate::stmts::Printer;
use atl_loops::intersection::{GALLOP_RATIO, IntersectionStrategy};

impl Printer<'_> {
    pub(super) fn algorithms_of_several(
        &mut self,
        sides: &[&Side<'_>],
        lengths: &[String],
        strategy: IntersectionStrategy,
        met: &OnMatch<'_>,
    ) {
        if strategy == IntersectionStrategy::Merge {
            return self.steps(sides, met);
        }
        let Some((first, others)) =
            sides.split_first().zip(lengths.split_first()).map(|((side, _), n)| (side, n))
        else {
            return;
        };
        let [shortest, longest] = ["shortest", "longest"].map(|part| self.terms.part_of(first.var, part));
        for (extreme, than) in [(&shortest, '<'), (&longest, '>')] {
            self.line(&format!("uint64_t {extreme} = {};", others.0));
            for length in others.1 {
                self.line(&format!("{extreme} = {length} {than} {extreme} ? {length} : {extreme};"));
            }
        }
        self.block(&format!("if ({longest} / {GALLOP_RATIO} > {shortest}) "), |printer| {
            printer.leapfrog(sides, met);
        });
        self.otherwise(|printer| printer.steps(sides, met));
    }

    /// Declares the keys at the places, and the greatest of them; gives their names.
    fn greatest(&mut self, sides: &[&Side<'_>]) -> (Vec<String>, String) {
        let keys: Vec<String> = sides.iter().map(|side| self.terms.part_of(side.var, "key")).collect();
        let mut greatest = String::new();
        for (side, key) in sides.iter().zip(&keys) {
            self.line(&format!("const {} {key} = {};", side.of, side.key));
            if greatest.is_empty() {
                greatest = self.terms.part_of(side.var, "sought");
                self.line(&format!("{} {greatest} = {key};", side.of));
            } else {
                self.line(&format!("{greatest} = {key} > {greatest} ? {key} : {greatest};"));
            }
        }
        (keys, greatest)
    }

    /// All, step by step, without a branch that depends on whose key is less.
    fn steps(&mut self, sides: &[&Side<'_>], met: &OnMatch<'_>) {
        self.block(&met.going_on(sides), |printer| {
            let (keys, greatest) = printer.greatest(sides);
            let all_equal = |and: &str| {
                let equal: Vec<String> = keys.iter().map(|key| format!("({key} == {greatest})")).collect();
                equal.join(and)
            };
            match met {
                OnMatch::Body(body) => {
                    printer.block(&format!("if ({}) ", all_equal(" && ")), |printer| {
                        body(printer);
                        sides.iter().for_each(|side| printer.line(&format!("{}++;", side.place)));
                    });
                    printer.otherwise(|printer| {
                        for (side, key) in sides.iter().zip(&keys) {
                            printer.line(&format!("{} += {key} < {greatest};", side.place));
                        }
                    });
                }
                OnMatch::Buffer(kept) => {
                    printer.keep(kept, sides);
                    let are_equal = format!("{}_now", kept.count);
                    printer.line(&format!("const int {are_equal} = {};", all_equal(" & ")));
                    printer.line(&format!("{} += {are_equal};", kept.count));
                    for (side, key) in sides.iter().zip(&keys) {
                        printer.line(&format!("{} += {are_equal} | ({key} < {greatest});", side.place));
                    }
                }
            }
        });
    }

    /// All; those that are behind gallop.
    fn leapfrog(&mut self, sides: &[&Side<'_>], met: &OnMatch<'_>) {
        self.block(&met.going_on(sides), |printer| {
            let (_, greatest) = printer.greatest(sides);
            sides.iter().for_each(|side| printer.seek(side, &greatest));
            let equal: Vec<String> = sides.iter().map(|side| format!("{} == {greatest}", side.key)).collect();
            printer.block(&format!("if ({} && {}) ", all_left(sides), equal.join(" && ")), |printer| {
                printer.equal(sides, met);
                sides.iter().for_each(|side| printer.line(&format!("{}++;", side.place)));
            });
        });
    }
}
