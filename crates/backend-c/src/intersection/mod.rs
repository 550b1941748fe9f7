//! Intersections of increasing sequences, by the algorithm that their lengths select at run time: of [two],
//! and of [more](several).
//!
//! Each algorithm is a loop of its own. A short body is copied into each of them. A long body, which contains
//! loops, is emitted once: the algorithms collect matching places in small arrays, and the body then runs for
//! these. So the intersection itself has no unpredictable branch, and the loops of the body start one right
//! after the other. After a match all sequences advance: none has a key twice.

mod several;
mod two;

use crate::stmts::Printer;

use atl_c_text::Dialect;
use atl_loops::intersection::{Intersection, IntersectionStrategy, MATCH_BUFFER, Sequence, is_short};
use atl_loops::{Bool, Int, IntOp, Name, Scalar, Stmt};

/// One of the sequences, in words of C.
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
    /// Append the places to a buffer.
    Buffer(&'a MatchBuffer),
}

/// Arrays of matching places, as names in C.
struct MatchBuffer {
    /// The places of each sequence, unless nothing depends on them.
    places: Vec<Option<String>>,
    /// Where the keys are kept, if they are.
    keys: Option<String>,
    /// The name of their number.
    count: String,
}

impl Printer<'_> {
    /// An intersection, over its [places](atl_loops::places) where it can be.
    pub(crate) fn intersection(&mut self, given: &Intersection, body: &Stmt) {
        let over_places = given.over_places(body);
        let (intersection, body) = over_places.as_ref().map_or((given, body), |(made, body)| (made, body));
        let (number, rest) = (self.next, intersection.rest());
        let at_match = rest.iter().fold(body.clone(), |body, rest| Stmt::guard(rest.clone(), body));
        let sequences: Vec<&Sequence> = intersection.sequences().collect();
        let each = |printer: &mut Printer<'_>| {
            printer.next = number;
            printer.matched(rest.as_ref(), body);
        };
        self.block("", |printer| {
            printer.with_fingers(&intersection.first.var, body, |printer| {
                printer.where_places_are(&sequences, &mut |printer| {
                    let sides = printer.sides(&sequences);
                    let sides: Vec<&Side<'_>> = sides.iter().collect();
                    let strategy = intersection.strategy;
                    let is_several = sides.len() > 2;
                    // More than two are merged the same way, whatever their lengths.
                    let is_decided = strategy == IntersectionStrategy::Merge && is_several;
                    let lengths = if is_decided { vec![] } else { printer.lengths(&sides) };
                    if is_several && !is_decided {
                        return printer.by_pairs(&sides, &lengths, (&at_match, &each));
                    }
                    match is_short(body) {
                        true => printer.algorithms(&sides, &lengths, strategy, &OnMatch::Body(&each)),
                        false => printer.kept(&sides, &lengths, strategy, (&at_match, &each)),
                    }
                });
            });
        });
        sequences.into_iter().for_each(|side| self.terms.set_nonnegative(&side.var, false));
    }

    /// Declares the place and the end of each of these; `inside` runs if all of them have places. The bounds of
    /// one are read only if those before it have some.
    fn where_places_are(&mut self, sequences: &[&Sequence], inside: &mut dyn FnMut(&mut Self)) {
        let Some((Sequence { var, lo, hi, .. }, others)) = sequences.split_first() else {
            return inside(self);
        };
        let (place, end) = (self.terms.identifier(var), self.terms.end(var));
        let (first, last) = (self.terms.int(lo), self.terms.int(hi));
        self.line(&format!("int64_t {place} = {first};"));
        self.line(&format!("const int64_t {end} = {last};"));
        self.terms.set_nonnegative(var, self.terms.is_nonnegative(lo));
        self.block(&format!("if ({place} < {end}) "), |printer| printer.where_places_are(others, inside));
    }

    fn sides<'a>(&mut self, sequences: &[&'a Sequence]) -> Vec<Side<'a>> {
        let terms: Vec<&Int> = sequences.iter().map(|sequence| &sequence.key).collect();
        let (keys, of) = self.keys(&terms);
        let side = |(Sequence { var, .. }, key): (&&'a Sequence, String)| Side {
            var,
            place: self.terms.identifier(var),
            end: self.terms.end(var),
            key,
            of,
        };
        sequences.iter().zip(keys).map(side).collect()
    }

    /// The keys, with the type in which they are compared: that of coordinates, if all are read from arrays of
    /// these.
    fn keys(&mut self, keys: &[&Int]) -> (Vec<String>, &'static str) {
        let coordinate = |printer: &mut Self, key: &Int| match key {
            Int::Load(buf, i) if printer.terms.buffer_type(buf) == Scalar::I32 => {
                Some(printer.terms.cell(buf, i))
            }
            _ => None,
        };
        if let Some(keys) = keys.iter().map(|key| coordinate(self, key)).collect() {
            return (keys, "int32_t");
        }
        let pairs: Option<Vec<_>> = keys.iter().map(|key| self.pair(key)).collect();
        if let Some(pairs) = pairs
            && pairs.windows(2).all(|two| two[0].1 == two[1].1)
        {
            self.terms.helpers().insert("atl_pair");
            return (pairs.into_iter().map(|(pair, _)| pair).collect(), "int64_t");
        }
        (keys.iter().map(|key| self.terms.int(key)).collect(), "int64_t")
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

    /// Declares how long they are.
    fn lengths(&mut self, sides: &[&Side<'_>]) -> Vec<String> {
        let length = |side: &&Side<'_>| {
            let count = self.terms.part_of(side.var, "count");
            self.line(&format!(
                "const uint64_t {count} = (uint64_t){} - (uint64_t){};",
                side.end, side.place
            ));
            count
        };
        sides.iter().map(length).collect()
    }

    /// A body of which there is one copy: the places that match are kept, and it runs for these then.
    fn kept(
        &mut self,
        sides: &[&Side<'_>],
        lengths: &[String],
        strategy: IntersectionStrategy,
        (at_match, body): (&Stmt, &dyn Fn(&mut Printer<'_>)),
    ) {
        let Some(first) = sides.first() else { return };
        let places =
            |side: &&Side<'_>| at_match.mentions(side.var).then(|| self.terms.part_of(side.var, "met"));
        let places: Vec<Option<String>> = sides.iter().map(places).collect();
        let [count, nth] = ["mets", "nth"].map(|part| self.terms.part_of(first.var, part));
        self.block(&format!("while ({}) ", all_left(sides)), |printer| {
            let arrays = places.iter().flatten().map(|met| format!("{met}[{MATCH_BUFFER}]"));
            let arrays: Vec<String> = arrays.collect();
            if !arrays.is_empty() {
                printer.line(&format!("int64_t {};", arrays.join(", ")));
            }
            printer.line(&format!("int64_t {count} = 0;"));
            let kept = MatchBuffer { places: places.clone(), keys: None, count: count.clone() };
            printer.algorithms(sides, lengths, strategy, &OnMatch::Buffer(&kept));
            printer.block(&format!("for (int64_t {nth} = 0; {nth} < {count}; {nth}++) "), |printer| {
                for (side, places) in sides.iter().zip(&places) {
                    if let Some(places) = places {
                        printer.line(&format!("const int64_t {} = {places}[{nth}];", side.place));
                    }
                }
                body(printer);
            });
        });
    }

    fn algorithms(
        &mut self,
        sides: &[&Side<'_>],
        lengths: &[String],
        strategy: IntersectionStrategy,
        met: &OnMatch<'_>,
    ) {
        match (sides, lengths) {
            ([a, b], [n, m]) => self.algorithms_of_two([a, b], [n, m], strategy, met),
            _ => self.steps(sides, met),
        }
    }

    /// Writes the places where the next ones are kept.
    fn keep(&mut self, kept: &MatchBuffer, sides: &[&Side<'_>]) {
        for (side, places) in sides.iter().zip(&kept.places) {
            if let Some(places) = places {
                self.line(&format!("{places}[{}] = {};", kept.count, side.place));
            }
        }
        if let (Some(keys), Some(side)) = (&kept.keys, sides.first()) {
            self.line(&format!("{keys}[{}] = {};", kept.count, side.key));
        }
    }

    /// The places match.
    fn equal(&mut self, sides: &[&Side<'_>], met: &OnMatch<'_>) {
        match met {
            OnMatch::Body(body) => body(self),
            OnMatch::Buffer(kept) => {
                self.keep(kept, sides);
                self.line(&format!("{}++;", kept.count));
            }
        }
    }

    /// Over the first; each of its keys is sought in the second.
    fn gallop(&mut self, [over, other]: [&Side<'_>; 2], sides: &[&Side<'_>], met: &OnMatch<'_>) {
        let sought = self.terms.part_of(other.var, "sought");
        self.block(&met.going_on(sides), |printer| {
            printer.line(&format!("const {} {sought} = {};", over.of, over.key));
            printer.seek(other, &sought);
            let Side { place, end, key, .. } = other;
            printer.block(&format!("if ({place} < {end} && {key} == {sought}) "), |printer| {
                printer.equal(sides, met);
                printer.line(&format!("{place}++;"));
            });
            printer.line(&format!("{}++;", over.place));
        });
    }

    /// Moves the place of a sequence, in steps that double, to the first one whose key is not below `sought`.
    fn seek(&mut self, Side { var, place, end, key, .. }: &Side<'_>, sought: &str) {
        let [low, high, step] = ["low", "high", "step"].map(|part| self.terms.part_of(var, part));
        self.line(&format!("int64_t {low} = {place};"));
        let heading = format!("for (uint64_t {step} = 1; {place} < {end} && {key} < {sought}; {step} *= 2) ");
        self.block(&heading, |printer| {
            printer.line(&format!("{low} = {place} + 1;"));
            // Beyond the end there may be no number.
            let rest = format!("{end} - {place}");
            printer.line(&format!("{place} += {step} < (uint64_t)({rest}) ? (int64_t){step} : {rest};"));
        });
        self.line(&format!("int64_t {high} = {place};"));
        self.block(&format!("while ({low} < {high}) "), |printer| {
            printer.line(&format!("{place} = {low} + ({high} - {low}) / 2;"));
            printer.line(&format!("if ({key} < {sought}) {low} = {place} + 1;"));
            printer.line(&format!("else {high} = {place};"));
        });
        self.line(&format!("{place} = {low};"));
    }
}

impl OnMatch<'_> {
    /// The head of a loop that goes on while none is at its end, and there is room.
    fn going_on(&self, sides: &[&Side<'_>]) -> String {
        match self {
            OnMatch::Body(_) => format!("while ({}) ", all_left(sides)),
            OnMatch::Buffer(kept) => {
                format!("while ({} < {MATCH_BUFFER} && {}) ", kept.count, all_left(sides))
            }
        }
    }
}

fn all_left(sides: &[&Side<'_>]) -> String {
    let left: Vec<String> = sides.iter().map(|side| format!("{} < {}", side.place, side.end)).collect();
    left.join(" && ")
}
