//! Intersections of more than two sequences: each round those that are behind the greatest key advance by one
//! place, or the shortest one drives.

use super::{OnMatch, Side};
use crate::stmts::Printer;
use atl_loops::intersection::{GALLOP_RATIO_OF_SEVERAL, IntersectionStrategy};

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
        let Some((first, length)) = sides.first().zip(lengths.first()) else { return };
        let [shortest, longest] = ["shortest", "longest"].map(|part| self.terms.part_of(first.var, part));
        for (extreme, than) in [(&shortest, '<'), (&longest, '>')] {
            self.line(&format!("uint64_t {extreme} = {length};"));
            for other in &lengths[1..] {
                self.line(&format!("{extreme} = {other} {than} {extreme} ? {other} : {extreme};"));
            }
        }
        let is_uneven = format!("if ({longest} / {GALLOP_RATIO_OF_SEVERAL} > {shortest}) ");
        self.block(&is_uneven, |printer| {
            for (over, length) in lengths.iter().enumerate() {
                let is_it = format!("if ({length} == {shortest}) ");
                match over {
                    0 => printer.block(&is_it, |printer| printer.gallop(over, sides, met)),
                    _ => printer.otherwise_if(&is_it, |printer| printer.gallop(over, sides, met)),
                }
            }
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
}
