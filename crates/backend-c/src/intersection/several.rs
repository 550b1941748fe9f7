//! Intersections of more than two sequences: the two shortest are traversed as two are, and what both have
//! is searched in the others; or each round those that are behind the greatest key advance by one place.

use super::{MatchBuffer, OnMatch, Side, all_left};
use crate::stmts::Printer;
use atl_loops::Stmt;
use atl_loops::intersection::{IntersectionStrategy, MATCH_BUFFER, pairs};

impl Printer<'_> {
    /// What two have in common is kept, and sought in the others. Of the body there is one copy.
    pub(super) fn by_pairs(
        &mut self,
        sides: &[&Side<'_>],
        lengths: &[String],
        (at_match, body): (&Stmt, &dyn Fn(&mut Printer<'_>)),
    ) {
        let Some(first) = sides.first() else { return };
        let [pair, count, nth, keys, sought] =
            ["pair", "mets", "nth", "keys", "sought"].map(|part| self.terms.part_of(first.var, part));
        let all: Vec<[usize; 2]> = pairs(sides.len()).collect();
        let shortest = |[i, j]: &[usize; 2]| {
            let others = lengths.iter().enumerate().filter(|(k, _)| k != i && k != j);
            let shorter = others.flat_map(|(_, other)| [i, j].map(|k| format!("{} <= {other}", lengths[*k])));
            shorter.collect::<Vec<_>>().join(" && ")
        };
        let (last, before) = (all.len() - 1, &all[..all.len() - 1]);
        let choices: Vec<String> =
            before.iter().enumerate().map(|(k, pair)| format!("{} ? {k} : ", shortest(pair))).collect();
        self.line(&format!("const int {pair} = {}{last};", choices.concat()));
        let mentioned: Vec<Option<String>> = sides
            .iter()
            .map(|side| at_match.mentions(side.var).then(|| self.terms.part_of(side.var, "met")))
            .collect();
        self.block(&format!("while ({}) ", all_left(sides)), |printer| {
            let arrays = mentioned.iter().flatten().map(|met| format!("int64_t {met}[{MATCH_BUFFER}];"));
            let arrays: Vec<String> = arrays.collect();
            arrays.iter().for_each(|array| printer.line(array));
            printer.line(&format!("{} {keys}[{MATCH_BUFFER}];", first.of));
            printer.line(&format!("int64_t {count} = 0;"));
            for (k, [i, j]) in all.iter().enumerate() {
                let places = [*i, *j].map(|side| mentioned[side].clone()).to_vec();
                let kept =
                    OnMatch::Buffer(&MatchBuffer { places, keys: Some(keys.clone()), count: count.clone() });
                let two = |printer: &mut Printer<'_>| {
                    let lengths = [&lengths[*i], &lengths[*j]];
                    printer.algorithms_of_two(
                        [sides[*i], sides[*j]],
                        lengths,
                        IntersectionStrategy::BySizes,
                        &kept,
                    );
                };
                match k {
                    0 => printer.block(&format!("if ({pair} == {k}) "), two),
                    k if k == last => printer.otherwise(two),
                    k => printer.otherwise_if(&format!("if ({pair} == {k}) "), two),
                }
            }
            printer.block(&format!("for (int64_t {nth} = 0; {nth} < {count}; {nth}++) "), |printer| {
                printer.line(&format!("const {} {sought} = {keys}[{nth}];", first.of));
                for (which, side) in sides.iter().enumerate() {
                    let is_other: Vec<String> = (0..all.len())
                        .filter(|k| all[*k].contains(&which))
                        .map(|k| format!("{pair} != {k}"))
                        .collect();
                    printer.block(&format!("if ({}) ", is_other.join(" && ")), |printer| {
                        printer.seek(side, &sought);
                        let Side { place, end, key, .. } = side;
                        printer.line(&format!("if (!({place} < {end} && {key} == {sought})) continue;"));
                        if let Some(met) = &mentioned[which] {
                            printer.line(&format!("{met}[{nth}] = {place};"));
                        }
                    });
                }
                printer.block("", |printer| {
                    for (side, met) in sides.iter().zip(&mentioned) {
                        if let Some(met) = met {
                            printer.line(&format!("const int64_t {} = {met}[{nth}];", side.place));
                        }
                    }
                    body(printer);
                });
            });
        });
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
    pub(super) fn steps(&mut self, sides: &[&Side<'_>], met: &OnMatch<'_>) {
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
