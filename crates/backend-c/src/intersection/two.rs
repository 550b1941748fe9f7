//! Intersections of two sequences: merges with and without a branch on the lesser key, or galloping.

use super::{OnMatch, Side};
use crate::stmts::Printer;
use atl_loops::intersection::{BRANCHLESS_RATIO, GALLOP_RATIO, IntersectionStrategy};

impl Printer<'_> {
    pub(super) fn algorithms_of_two(
        &mut self,
        [a, b]: [&Side<'_>; 2],
        [n, m]: [&String; 2],
        strategy: IntersectionStrategy,
        met: &OnMatch<'_>,
    ) {
        let is_even = format!("if ({n} / {BRANCHLESS_RATIO} <= {m} && {m} / {BRANCHLESS_RATIO} <= {n}) ");
        if strategy == IntersectionStrategy::Merge {
            self.block(&is_even, |printer| printer.branchless(a, b, met));
            return self.otherwise(|printer| printer.two_pointer(a, b, met));
        }
        self.block(&format!("if ({n} / {GALLOP_RATIO} > {m} || {m} / {GALLOP_RATIO} > {n}) "), |printer| {
            printer.block(&format!("if ({n} > {m}) "), |printer| printer.gallop([b, a], &[a, b], met));
            printer.otherwise(|printer| printer.gallop([a, b], &[a, b], met));
        });
        self.otherwise(|printer| {
            printer.block(&is_even, |printer| printer.branchless(a, b, met));
            printer.otherwise(|printer| printer.two_pointer(a, b, met));
        });
    }

    /// Both, step by step, without a branch that depends on whose key is less.
    fn branchless(&mut self, a: &Side<'_>, b: &Side<'_>, met: &OnMatch<'_>) {
        let [x, y] = [a, b].map(|side| self.terms.part_of(side.var, "key"));
        self.block(&met.going_on(&[a, b]), |printer| {
            printer.line(&format!("const {} {x} = {};", a.of, a.key));
            printer.line(&format!("const {} {y} = {};", b.of, b.key));
            match met {
                // Where most keys are equal, the next places hang on no comparison.
                OnMatch::Body(body) => {
                    printer.block(&format!("if ({x} == {y}) "), |printer| {
                        body(printer);
                        printer.line(&format!("{}++;", a.place));
                        printer.line(&format!("{}++;", b.place));
                    });
                    printer.otherwise(|printer| {
                        printer.line(&format!("{} += {x} < {y};", a.place));
                        printer.line(&format!("{} += {y} < {x};", b.place));
                    });
                }
                OnMatch::Buffer(kept) => {
                    printer.keep(kept, &[a, b]);
                    printer.line(&format!("{} += {x} == {y};", kept.count));
                    printer.line(&format!("{} += {x} <= {y};", a.place));
                    printer.line(&format!("{} += {y} <= {x};", b.place));
                }
            }
        });
    }

    /// Both, step by step.
    fn two_pointer(&mut self, a: &Side<'_>, b: &Side<'_>, met: &OnMatch<'_>) {
        self.block(&met.going_on(&[a, b]), |printer| {
            let on = |side: &Side<'_>| format!("{}++;", side.place);
            printer.block(&format!("if ({} < {}) ", a.key, b.key), |printer| printer.line(&on(a)));
            printer.otherwise(|printer| {
                printer.block(&format!("if ({} < {}) ", b.key, a.key), |printer| printer.line(&on(b)));
                printer.otherwise(|printer| {
                    printer.equal(&[a, b], met);
                    printer.line(&on(a));
                    printer.line(&on(b));
                });
            });
        });
    }
}
