//! Searches: near places are looked at, then places farther and farther on, then halves of what lies between, as
//! [`find`](atl_loops::search::find) does.
//!
//! What is sought is computed where there is a place to look at, and a key where it is one. A search that goes on along a loop
//! begins at its finger, a variable that is declared before that loop.

use crate::stmts::Printer;
use atl_c_text::Dialect;
use atl_loops::search::{self, NEAR, Search};
use atl_loops::{Name, Stmt};

impl Printer<'_> {
    /// A loop, below the fingers of the searches that go on along it.
    pub(crate) fn with_fingers(&mut self, var: &Name, body: &Stmt, print: impl FnOnce(&mut Self)) {
        let outer = self.fingers.len();
        let mut lines = Vec::new();
        for own in search::fingers(body, var) {
            let (first, number) = (self.terms.int(&own.search.lo), self.next + own.number);
            let mut finger = self.terms.part_of(&own.search.var, "finger");
            if self.fingers.iter().any(|(_, other)| *other == finger) {
                finger = self.terms.part_of(&own.search.var, &format!("finger{number}"));
            }
            lines.push(format!("int64_t {finger} = {first};"));
            self.fingers.push((number, finger));
        }
        if lines.is_empty() {
            return print(self);
        }
        self.block("", |printer| {
            lines.iter().for_each(|line| printer.line(line));
            print(printer);
        });
        self.fingers.truncate(outer);
    }

    /// A search.
    pub(crate) fn search(&mut self, search: &Search, body: &Stmt) {
        let Search { var, lo, hi, key, sought, how, .. } = search;
        let (number, cond) = (self.current, search.cond());
        let finger = self.fingers.iter().find(|(own, _)| Some(*own) == number).map(|(_, name)| name.clone());
        let (place, end) = (self.terms.identifier(var), self.terms.end(var));
        let [near, low, high, step, c] =
            ["near", "low", "high", "step", "sought"].map(|part| self.terms.part_of(var, part));
        let (first, last) = (self.terms.int(lo), self.terms.int(hi));
        self.block("", |printer| {
            let sought = printer.terms.int(sought);
            printer.terms.set_nonnegative(var, printer.terms.is_nonnegative(lo));
            let key = printer.terms.int(key);
            printer.line(&format!("int64_t {place} = {};", finger.as_ref().unwrap_or(&first)));
            printer.line(&format!("const int64_t {end} = {last};"));
            printer.block(&format!("if ({place} < {end}) "), |printer| {
                printer.line(&format!("const int64_t {c} = {sought};"));
                // Beyond the end there may be no number.
                let rest = format!("{end} - {place}");
                printer.line(&format!("const int64_t {near} = {rest} < {NEAR} ? {end} : {place} + {NEAR};"));
                printer.line(&format!("while ({place} < {near} && {key} < {c}) {place}++;"));
                printer.block(&format!("if ({place} == {near} && {place} < {end}) "), |printer| {
                    printer.line(&format!("int64_t {low} = {place};"));
                    let heading =
                        format!("for (uint64_t {step} = 1; {place} < {end} && {key} < {c}; {step} *= 2) ");
                    printer.block(&heading, |printer| {
                        printer.line(&format!("{low} = {place} + 1;"));
                        printer.line(&format!(
                            "{place} += {step} < (uint64_t)({rest}) ? (int64_t){step} : {rest};"
                        ));
                    });
                    printer.line(&format!("int64_t {high} = {place} < {end} ? {place} : {end};"));
                    printer.block(&format!("while ({low} < {high}) "), |printer| {
                        printer.line(&format!("{place} = {low} + ({high} - {low}) / 2;"));
                        printer.line(&format!("if ({key} < {c}) {low} = {place} + 1;"));
                        printer.line(&format!("else {high} = {place};"));
                    });
                    printer.line(&format!("{place} = {low};"));
                });
                if how.all {
                    let heading = format!("for (; {place} < {end} && {key} == {c}; {place}++) ");
                    printer.block(&heading, |printer| printer.guarded(&cond, body));
                }
                if let Some(finger) = &finger {
                    printer.line(&format!("{finger} = {place};"));
                }
                if !how.all {
                    printer.block(&format!("if ({place} < {end}) "), |printer| printer.guarded(&cond, body));
                }
            });
            printer.terms.set_nonnegative(var, false);
        });
    }
}
