//! Intersections of two increasing sequences, by the algorithm that their lengths select at run time.
//!
//! Each algorithm is a loop of its own. A short body is copied into each of them. A long body, which contains loops, is emitted once: the
//! algorithms collect matching places in a small array, and the body then runs for these. So the intersection itself has no
//! unpredictable branch, and the loops of the body start one right after the other. After a match both sequences advance: neither has
//! a key twice.

use crate::stmts::Printer;

use atl_c_text::Dialect;
use atl_loops::intersection::{
    BRANCHLESS_RATIO, GALLOP_RATIO, Intersection, IntersectionStrategy, MATCH_BUFFER,
};
use atl_loops::places::absolute;
use atl_loops::search::Search;
use atl_loops::{Int, IntOp, LoopKind, Name, Scalar, Stmt};

/// Both loops, over their [places](atl_loops::places), where they can be.
fn over_places(var: &Name, (lo, hi): (&Int, &Int), search: &Stmt) -> Option<(Int, Int, Stmt)> {
    let (lo, hi, search) = absolute(var, (lo, hi), search)?;
    let Stmt::Search { search, body } = search else { return None };
    let Search { var, lo: first, hi: last, how, .. } = &search;
    let (first, last, body) = absolute(var, (first, last), &Stmt::guard(search.cond(), *body))?;
    Some((lo, hi, Stmt::search(var, (&first, &last), how, &body)?))
}

/// One of the two sequences, in words of C.
struct Side<'a> {
    var: &'a Name,
    place: String,
    end: String,
    /// The key at the place, and its type.
    key: String,
    of: &'static str,
}

/// What a match does.
enum OnMatch<'a> {
    /// The body.
    Body(&'a dyn Fn(&mut Printer<'_>)),
    /// Append both places to a buffer.
    Buffer(&'a MatchBuffer),
}

/// Arrays of matching places, as names in C.
struct MatchBuffer {
    /// The places of the first sequence, and of the second.
    places: [String; 2],
    /// The name of their number.
    count: String,
}

impl Printer<'_> {
    /// A loop over `var` that is an intersection: `stmt` is its body, a search.
    pub(crate) fn intersection(
        &mut self,
        var: &Name,
        bounds: (&Int, &Int),
        intersection: &Intersection<'_>,
        stmt: &Stmt,
    ) {
        let places = over_places(var, bounds, stmt);
        let over_places = places.as_ref().and_then(|(lo, hi, stmt)| {
            Intersection::of(&LoopKind::Serial, var, stmt).map(|intersection| ((lo, hi), intersection, stmt))
        });
        let ((lo, hi), intersection, stmt) = over_places.unwrap_or((bounds, *intersection, stmt));
        let first = self.next;
        let Search { var: other, lo: start, hi: stop, how, .. } = intersection.search;
        let [p, q] = [var, other].map(|var| (self.terms.identifier(var), self.terms.end(var)));
        let declared = |printer: &mut Self, (place, end): &(String, String), (lo, hi): (&Int, &Int)| {
            let (first, last) = (printer.terms.int(lo), printer.terms.int(hi));
            printer.line(&format!("int64_t {place} = {first};"));
            printer.line(&format!("const int64_t {end} = {last};"));
        };
        self.with_fingers_of_others(var, stmt, |printer| {
            declared(printer, &p, (lo, hi));
            printer.terms.set_nonnegative(var, printer.terms.is_nonnegative(lo));
            printer.block(&format!("if ({} < {}) ", p.0, p.1), |printer| {
                declared(printer, &q, (start, stop));
                printer.terms.set_nonnegative(other, printer.terms.is_nonnegative(start));
                let (sought, key, of) = printer.keys(intersection.search);
                let a = Side { var, place: p.0.clone(), end: p.1.clone(), key: sought, of };
                let b = Side { var: other, place: q.0.clone(), end: q.1.clone(), key, of };
                let body = |printer: &mut Printer<'_>| {
                    printer.next = first;
                    printer.numbered(|printer| printer.found(&intersection));
                };
                printer.block(&format!("if ({} < {}) ", b.place, b.end), |printer| {
                    let lengths = printer.lengths(&a, &b);
                    match intersection.is_short {
                        true => printer.algorithms([&a, &b], &lengths, how.strategy, &OnMatch::Body(&body)),
                        false => printer.kept([&a, &b], &lengths, how.strategy, &body),
                    }
                });
                printer.terms.set_nonnegative(other, false);
            });
            printer.terms.set_nonnegative(var, false);
        });
    }

    /// What is sought and the key, with the type in which they are compared: that of coordinates, if both are read from arrays of these.
    fn keys(&mut self, search: &Search) -> (String, String, &'static str) {
        if let (Int::Load(a, i), Int::Load(b, j)) = (&search.sought, &search.key)
            && [a, b].map(|buf| self.terms.buffer_type(buf)) == [Scalar::I32; 2]
        {
            return (self.terms.cell(a, i), self.terms.cell(b, j), "int32_t");
        }
        if let (Some((a, own)), Some((b, other))) = (self.pair(&search.sought), self.pair(&search.key))
            && own == other
        {
            self.terms.helpers().insert("atl_pair");
            return (a, b, "int64_t");
        }
        (self.terms.int(&search.sought), self.terms.int(&search.key), "int64_t")
    }

    /// A number that stands for two coordinates, of which the second is below a size: both as one, without a product, and the size.
    fn pair<'a>(&mut self, int: &'a Int) -> Option<(String, &'a Name)> {
        let Int::Bin(IntOp::Add, first, second) = int else { return None };
        let (Int::Bin(IntOp::Mul, first, size), Int::Load(b, j)) = (&**first, &**second) else { return None };
        let (Int::Load(a, i), Int::Var(size)) = (&**first, &**size) else { return None };
        let are_short = [a, b].map(|buf| self.terms.buffer_type(buf)) == [Scalar::I32; 2];
        let is_within = self.terms.within.contains(&(b.clone(), size.clone()));
        let (a, b) = (self.terms.cell(a, i), self.terms.cell(b, j));
        (are_short && is_within).then(|| (format!("atl_pair({a}, {b})"), size))
    }

    /// What a search does where the key is what is sought.
    fn found(&mut self, intersection: &Intersection<'_>) {
        match &intersection.search.rest {
            Some(cond) => self.guarded(cond, intersection.body),
            None => self.stmt(intersection.body),
        }
    }

    /// Declares how long both are.
    fn lengths(&mut self, a: &Side<'_>, b: &Side<'_>) -> [String; 2] {
        [a, b].map(|side| {
            let count = self.terms.part_of(side.var, "count");
            self.line(&format!(
                "const uint64_t {count} = (uint64_t){} - (uint64_t){};",
                side.end, side.place
            ));
            count
        })
    }

    /// A body of which there is one copy: the places that meet are kept, and gone over then.
    fn kept(
        &mut self,
        [a, b]: [&Side<'_>; 2],
        lengths: &[String; 2],
        strategy: IntersectionStrategy,
        body: &dyn Fn(&mut Printer<'_>),
    ) {
        let places = [a, b].map(|side| self.terms.part_of(side.var, "met"));
        let [count, nth] = ["mets", "nth"].map(|part| self.terms.part_of(a.var, part));
        self.block(&format!("while ({}) ", both_left(a, b)), |printer| {
            printer.line(&format!("int64_t {}[{MATCH_BUFFER}], {}[{MATCH_BUFFER}];", places[0], places[1]));
            printer.line(&format!("int64_t {count} = 0;"));
            let kept = MatchBuffer { places: places.clone(), count: count.clone() };
            printer.algorithms([a, b], lengths, strategy, &OnMatch::Buffer(&kept));
            printer.block(&format!("for (int64_t {nth} = 0; {nth} < {count}; {nth}++) "), |printer| {
                for (side, places) in [a, b].into_iter().zip(&places) {
                    printer.line(&format!("const int64_t {} = {places}[{nth}];", side.place));
                }
                body(printer);
            });
        });
    }

    fn algorithms(
        &mut self,
        [a, b]: [&Side<'_>; 2],
        [n, m]: &[String; 2],
        strategy: IntersectionStrategy,
        met: &OnMatch<'_>,
    ) {
        let is_even = format!("if ({n} / {BRANCHLESS_RATIO} <= {m} && {m} / {BRANCHLESS_RATIO} <= {n}) ");
        if strategy == IntersectionStrategy::Merge {
            self.block(&is_even, |printer| printer.branchless(a, b, met));
            return self.otherwise(|printer| printer.two_pointer(a, b, met));
        }
        self.block(&format!("if ({n} / {GALLOP_RATIO} > {m} || {m} / {GALLOP_RATIO} > {n}) "), |printer| {
            printer.block(&format!("if ({n} > {m}) "), |printer| printer.gallop(b, a, [a, b], met));
            printer.otherwise(|printer| printer.gallop(a, b, [a, b], met));
        });
        self.otherwise(|printer| {
            printer.block(&is_even, |printer| printer.branchless(a, b, met));
            printer.otherwise(|printer| printer.two_pointer(a, b, met));
        });
    }

    /// Both, step by step, without a branch that depends on whose key is less.
    fn branchless(&mut self, a: &Side<'_>, b: &Side<'_>, met: &OnMatch<'_>) {
        let [x, y] = [a, b].map(|side| self.terms.part_of(side.var, "key"));
        self.block(&met.going_on(a, b), |printer| {
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
                    printer.keep(kept, a, b);
                    printer.line(&format!("{} += {x} == {y};", kept.count));
                    printer.line(&format!("{} += {x} <= {y};", a.place));
                    printer.line(&format!("{} += {y} <= {x};", b.place));
                }
            }
        });
    }

    /// Writes both places where the next ones are kept.
    fn keep(&mut self, kept: &MatchBuffer, a: &Side<'_>, b: &Side<'_>) {
        for (side, places) in [a, b].into_iter().zip(&kept.places) {
            self.line(&format!("{places}[{}] = {};", kept.count, side.place));
        }
    }

    /// The two places meet.
    fn equal(&mut self, [a, b]: [&Side<'_>; 2], met: &OnMatch<'_>) {
        match met {
            OnMatch::Body(body) => body(self),
            OnMatch::Buffer(kept) => {
                self.keep(kept, a, b);
                self.line(&format!("{}++;", kept.count));
            }
        }
    }

    /// Both, step by step.
    fn two_pointer(&mut self, a: &Side<'_>, b: &Side<'_>, met: &OnMatch<'_>) {
        self.block(&met.going_on(a, b), |printer| {
            let on = |side: &Side<'_>| format!("{}++;", side.place);
            printer.block(&format!("if ({} < {}) ", a.key, b.key), |printer| printer.line(&on(a)));
            printer.otherwise(|printer| {
                printer.block(&format!("if ({} < {}) ", b.key, a.key), |printer| printer.line(&on(b)));
                printer.otherwise(|printer| {
                    printer.equal([a, b], met);
                    printer.line(&on(a));
                    printer.line(&on(b));
                });
            });
        });
    }

    /// Over the one; each of its keys is looked for in the other.
    fn gallop(&mut self, over: &Side<'_>, within: &Side<'_>, both: [&Side<'_>; 2], met: &OnMatch<'_>) {
        let Side { var, place, end, key, of } = within;
        let [sought, low, high, step] =
            ["sought", "low", "high", "step"].map(|part| self.terms.part_of(var, part));
        self.block(&met.going_on(over, within), |printer| {
            printer.line(&format!("const {of} {sought} = {};", over.key));
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
                printer.equal(both, met);
                printer.line(&format!("{place}++;"));
            });
            printer.line(&format!("{}++;", over.place));
        });
    }
}

impl OnMatch<'_> {
    /// The head of a loop that goes on while neither is at its end, and there is room.
    fn going_on(&self, a: &Side<'_>, b: &Side<'_>) -> String {
        match self {
            OnMatch::Body(_) => format!("while ({}) ", both_left(a, b)),
            OnMatch::Buffer(kept) => {
                format!("while ({} < {MATCH_BUFFER} && {}) ", kept.count, both_left(a, b))
            }
        }
    }
}

fn both_left(a: &Side<'_>, b: &Side<'_>) -> String {
    format!("{} < {} && {} < {}", a.place, a.end, b.place, b.end)
}
