//! Intersections of two increasing sequences, by the algorithm that their lengths select at run time.
//!
//! Each algorithm is a loop of its own. A short body is copied into each of them. A long body, which contains loops, is emitted once: the
//! algorithms collect matching places in a small array, and the body then runs for these. So the intersection itself has no
//! unpredictable branch, and the loops of the body start one right after the other. After a match both sequences advance: neither has
//! a key twice.

use crate::stmts::Printer;

use atl_c_text::Dialect;
use atl_loops::intersection::{
    BRANCHLESS_RATIO, GALLOP_RATIO, Intersection, IntersectionStrategy, MATCH_BUFFER, Sequence, is_short,
};
use atl_loops::{Bool, Int, IntOp, Name, Scalar, Stmt};

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
    /// An intersection, over its [places](atl_loops::places) where it can be.
    pub(crate) fn intersection(&mut self, given: &Intersection, body: &Stmt) {
        let over_places = given.over_places(body);
        let (intersection, body) = over_places.as_ref().map_or((given, body), |(made, body)| (made, body));
        let Intersection { first, second, rest, strategy } = intersection;
        let number = self.next;
        let [p, q] =
            [first, second].map(|side| (self.terms.identifier(&side.var), self.terms.end(&side.var)));
        let declared = |printer: &mut Self, (place, end): &(String, String), side: &Sequence| {
            let (first, last) = (printer.terms.int(&side.lo), printer.terms.int(&side.hi));
            printer.line(&format!("int64_t {place} = {first};"));
            printer.line(&format!("const int64_t {end} = {last};"));
            printer.terms.set_nonnegative(&side.var, printer.terms.is_nonnegative(&side.lo));
        };
        self.block("", |printer| {
            printer.with_fingers(&first.var, body, |printer| {
                declared(printer, &p, first);
                printer.block(&format!("if ({} < {}) ", p.0, p.1), |printer| {
                    declared(printer, &q, second);
                    let (sought, key, of) = printer.keys(&first.key, &second.key);
                    let a = Side { var: &first.var, place: p.0.clone(), end: p.1.clone(), key: sought, of };
                    let b = Side { var: &second.var, place: q.0.clone(), end: q.1.clone(), key, of };
                    let each = |printer: &mut Printer<'_>| {
                        printer.next = number;
                        printer.matched(rest.as_ref(), body);
                    };
                    printer.block(&format!("if ({} < {}) ", b.place, b.end), |printer| {
                        let lengths = printer.lengths(&a, &b);
                        match is_short(body) {
                            true => printer.algorithms([&a, &b], &lengths, *strategy, &OnMatch::Body(&each)),
                            false => printer.kept([&a, &b], &lengths, *strategy, &each),
                        }
                    });
                });
            });
        });
        [first, second].into_iter().for_each(|side| self.terms.set_nonnegative(&side.var, false));
    }

    /// What is sought and the key, with the type in which they are compared: that of coordinates, if both are read from arrays of these.
    fn keys(&mut self, sought: &Int, key: &Int) -> (String, String, &'static str) {
        if let (Int::Load(a, i), Int::Load(b, j)) = (sought, key)
            && [a, b].map(|buf| self.terms.buffer_type(buf)) == [Scalar::I32; 2]
        {
            return (self.terms.cell(a, i), self.terms.cell(b, j), "int32_t");
        }
        if let (Some((a, own)), Some((b, other))) = (self.pair(sought), self.pair(key))
            && own == other
        {
            self.terms.helpers().insert("atl_pair");
            return (a, b, "int64_t");
        }
        (self.terms.int(sought), self.terms.int(key), "int64_t")
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

    /// What is done where the keys are equal.
    fn matched(&mut self, rest: Option<&Bool>, body: &Stmt) {
        match rest {
            Some(cond) => self.guarded(cond, body),
            None => self.stmt(body),
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
