//! Meetings: two increasing sequences, walked as their lengths decide.
//!
//! Each course is a loop of its own with the body in it, so a body that is long is there once. Where two keys are equal, both
//! sequences go on: none of them has a key twice.

use crate::stmts::Printer;
use atl_loops::meeting::{EVEN, FAR, Meeting, Walk};
use atl_loops::{Int, Name, Stmt};

/// One of the two sequences, in words of C.
struct Side {
    place: String,
    end: String,
    /// The key at the place.
    key: String,
}

impl Printer<'_> {
    /// A loop over `var` that is a meeting, and nothing else: `stmt` is its body, a search.
    pub(crate) fn meet(&mut self, var: &Name, (lo, hi): (&Int, &Int), meeting: &Meeting<'_>, stmt: &Stmt) {
        let first = self.next;
        let [p, q] = [var, meeting.var].map(|var| (self.terms.identifier(var), self.terms.end(var)));
        let declared = |printer: &mut Self, (place, end): &(String, String), (lo, hi): (&Int, &Int)| {
            let (first, last) = (printer.terms.int(lo), printer.terms.int(hi));
            printer.line(&format!("int64_t {place} = {first};"));
            printer.line(&format!("const int64_t {end} = {last};"));
        };
        self.with_fingers_of_others(var, stmt, |printer| {
            declared(printer, &p, (lo, hi));
            printer.terms.set_nonnegative(var, printer.terms.is_nonnegative(lo));
            printer.block(&format!("if ({} < {}) ", p.0, p.1), |printer| {
                declared(printer, &q, (meeting.lo, meeting.hi));
                printer.terms.set_nonnegative(meeting.var, printer.terms.is_nonnegative(meeting.lo));
                let (sought, key) =
                    (printer.terms.int(meeting.search.sought), printer.terms.int(meeting.search.key));
                let a = Side { place: p.0.clone(), end: p.1.clone(), key: sought };
                let b = Side { place: q.0.clone(), end: q.1.clone(), key };
                let body = |printer: &mut Self| {
                    printer.next = first;
                    printer.numbered(|printer| printer.rest(meeting.body));
                };
                printer.courses((&a, var), (&b, meeting.var), meeting, &body);
                printer.terms.set_nonnegative(meeting.var, false);
            });
            printer.terms.set_nonnegative(var, false);
        });
    }

    fn courses(
        &mut self,
        (a, p): (&Side, &Name),
        (b, q): (&Side, &Name),
        meeting: &Meeting<'_>,
        body: &dyn Fn(&mut Self),
    ) {
        if !meeting.is_short {
            return self.steps(a, b, body);
        }
        let [n, m] = [p, q].map(|var| self.terms.part_of(var, "count"));
        self.block(&format!("if ({} < {}) ", b.place, b.end), |printer| {
            for (count, side) in [(&n, a), (&m, b)] {
                printer.line(&format!(
                    "const uint64_t {count} = (uint64_t){} - (uint64_t){};",
                    side.end, side.place
                ));
            }
            let even = format!("if ({n} / {EVEN} <= {m} && {m} / {EVEN} <= {n}) ");
            if meeting.walk == Walk::Merge {
                printer.block(&even, |printer| printer.even((a, p), (b, q), body));
                return printer.otherwise(|printer| printer.steps(a, b, body));
            }
            printer.block(&format!("if ({n} / {FAR} > {m} || {m} / {FAR} > {n}) "), |printer| {
                printer.block(&format!("if ({n} > {m}) "), |printer| printer.leaps(b, (a, p), body));
                printer.otherwise(|printer| printer.leaps(a, (b, q), body));
            });
            printer.otherwise(|printer| {
                printer.block(&even, |printer| printer.even((a, p), (b, q), body));
                printer.otherwise(|printer| printer.steps(a, b, body));
            });
        });
    }

    /// Both, step by step, without a branch that depends on whose key is less.
    fn even(&mut self, (a, p): (&Side, &Name), (b, q): (&Side, &Name), body: &dyn Fn(&mut Self)) {
        let [x, y] = [p, q].map(|var| self.terms.part_of(var, "key"));
        self.block(&both_left(a, b), |printer| {
            printer.line(&format!("const int64_t {x} = {};", a.key));
            printer.line(&format!("const int64_t {y} = {};", b.key));
            // Where most keys are equal, the next places hang on no comparison.
            printer.block(&format!("if ({x} == {y}) "), |printer| {
                body(printer);
                printer.line(&format!("{}++;", a.place));
                printer.line(&format!("{}++;", b.place));
            });
            printer.otherwise(|printer| {
                printer.line(&format!("{} += {x} < {y};", a.place));
                printer.line(&format!("{} += {y} < {x};", b.place));
            });
        });
    }

    /// Both, step by step.
    fn steps(&mut self, a: &Side, b: &Side, body: &dyn Fn(&mut Self)) {
        self.block(&both_left(a, b), |printer| {
            let on = |side: &Side| format!("{}++;", side.place);
            printer.block(&format!("if ({} < {}) ", a.key, b.key), |printer| printer.line(&on(a)));
            printer.otherwise(|printer| {
                printer.block(&format!("if ({} < {}) ", b.key, a.key), |printer| printer.line(&on(b)));
                printer.otherwise(|printer| {
                    body(printer);
                    printer.line(&on(a));
                    printer.line(&on(b));
                });
            });
        });
    }

    /// Over the one; each of its keys is looked for in the other.
    fn leaps(&mut self, over: &Side, (within, var): (&Side, &Name), body: &dyn Fn(&mut Self)) {
        let [sought, low, high, step] =
            ["sought", "low", "high", "step"].map(|part| self.terms.part_of(var, part));
        let Side { place, end, key } = within;
        self.block(&both_left(over, within), |printer| {
            printer.line(&format!("const int64_t {sought} = {};", over.key));
            printer.line(&format!("int64_t {low} = {place};"));
            let heading =
                format!("for (uint64_t {step} = 1; {place} < {end} && {key} < {sought}; {step} *= 2) ");
            printer.block(&heading, |printer| {
                printer.line(&format!("{low} = {place} + 1;"));
                // Beyond the end there may be no number.
                let rest = format!("{end} - {place}");
                printer.line(&format!("{place} += {step} < (uint64_t)({rest}) ? (int64_t){step} : {rest};"));
            });
            printer.line(&format!("int64_t {high} = {place};"));
            printer.block(&format!("while ({low} < {high}) "), |printer| {
                printer.line(&format!("{place} = {low} + ({high} - {low}) / 2;"));
                printer.line(&format!("if ({key} < {sought}) {low} = {place} + 1;"));
                printer.line(&format!("else {high} = {place};"));
            });
            printer.line(&format!("{place} = {low};"));
            printer.block(&format!("if ({place} < {end} && {key} == {sought}) "), |printer| {
                body(printer);
                printer.line(&format!("{place}++;"));
            });
            printer.line(&format!("{}++;", over.place));
        });
    }
}

fn both_left(a: &Side, b: &Side) -> String {
    format!("while ({} < {} && {} < {}) ", a.place, a.end, b.place, b.end)
}
