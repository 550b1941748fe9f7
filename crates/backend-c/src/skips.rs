//! Loops of which most iterations change nothing: many are looked at together, and left out.
//!
//! One idea: [`Change`] says when an iteration changes something, and vectors see that for a block of
//! iterations at once. So the loop is one over blocks: those without a change are passed by. In the others,
//! vectors without a change are, and what is left runs one iteration after the other, as written. That is
//! never nothing: the last iteration says what variables hold.

use crate::edges::is_short;
use crate::integers::signed;
use crate::lanes::Over;
use crate::stmts::Printer;
use crate::terms::Terms;
use crate::vector_type::{ALWAYS, Vector};
use crate::vectors::Helper;
use atl_c_text::Dialect;
use atl_loops::changes::Change;
use atl_loops::lanes::Lanes;
use atl_loops::{Int, Name, Stmt};

/// How many vectors of iterations are looked at together.
const VECTORS: u32 = 8;

/// The least literal count of a loop that is worth it, in blocks.
const BLOCKS: i64 = 4;

impl Terms {
    /// When an iteration of a loop changes something, if it is worth looking.
    pub(crate) fn change(&self, var: &Name, (lo, hi): (&Int, &Int), body: &Stmt) -> Option<Change> {
        if lo.reads() || hi.reads() || is_short(lo, hi) {
            return None;
        }
        let change = Change::of(self.buffer_types(), var, (lo, hi), body)?;
        let count = (hi.clone() - lo.clone()).constant();
        count.is_none_or(|count| count >= BLOCKS * block(&change)).then_some(change)
    }

    /// What is true in each lane of which the iteration changes something, and the vectors that say so.
    fn changing(&mut self, change: &Change) -> (Vector, String) {
        let lanes = Lanes::without_variables(&change.vectors);
        let over = Over::new(&change.vectors, &lanes, true).of(signed(change.vectors.scalar));
        let vector = over.vector();
        let ty = self.vector_type(vector);
        let mask = self.vector_mask(&change.cond, &over);
        (vector, format!("({ty}){}", mask.operand()))
    }
}

/// How many iterations are looked at together.
fn block(change: &Change) -> i64 {
    i64::from(VECTORS * change.vectors.lanes)
}

impl Printer<'_> {
    /// A loop that passes by blocks of iterations in which nothing changes.
    pub(crate) fn skipping(&mut self, var: &Name, (lo, hi): (&Int, &Int), change: &Change, body: &Stmt) {
        let [next, stop, looked, seen] =
            ["next", "stop", "looked", "seen"].map(|part| self.terms.part_of(var, part));
        let (place, end) = (self.terms.identifier(var), self.terms.end(var));
        let (first, last) = (self.terms.int(lo), self.terms.int(hi));
        let (block, lanes) = (block(change), change.vectors.lanes);
        self.terms.set_nonnegative(var, self.terms.is_nonnegative(lo));
        let (vector, changing) = self.terms.changing(change);
        let none = self.terms.vectors.helper(Helper::None, vector);
        let ty = self.terms.vector_type(vector);
        self.block("", |printer| {
            printer.line(&format!("const int64_t {end} = {last};"));
            // Before this place, the blocks are known to have changes.
            printer.line(&format!("int64_t {looked} = {first};"));
            let heading = format!("for (int64_t {next} = {first}, {stop}; {next} < {end}; {next} = {stop}) ");
            printer.block(&heading, |printer| {
                printer.line(&format!("{stop} = {end};"));
                printer.block(&format!("if ({lanes} < {end} - {next}) "), |printer| {
                    let unseen = format!("if ({looked} <= {next} && {block} < {end} - {next}) ");
                    printer.block(&unseen, |printer| {
                        printer.line(&format!("{stop} = {looked} = {next} + {block};"));
                        printer.line(&format!("{ty} {seen} = {{0}};"));
                        printer.line(&format!("#pragma GCC unroll {VECTORS}"));
                        let heading =
                            format!("for (int64_t {place} = {next}; {place} < {stop}; {place} += {lanes}) ");
                        printer.block(&heading, |printer| printer.line(&format!("{seen} |= {changing};")));
                        printer.line(&format!("if ({none}({seen})) continue;"));
                    });
                    printer.line(&format!("const int64_t {place} = {next};"));
                    printer.line(&format!("{stop} = {next} + {lanes};"));
                    printer.line(&format!("if ({none}({changing})) continue;"));
                });
                let heading = format!("for (int64_t {place} = {next}; {place} < {stop}; {place}++) ");
                printer.block(&heading, |printer| printer.tail_statement(body));
            });
        });
        self.terms.set_nonnegative(var, false);
    }
}

impl Vector {
    /// Has no lane a bit?
    pub(crate) fn none(self) -> String {
        let (ty, function, bytes) = (self.c_type(), self.helper("none"), self.bytes());
        let words: Vec<String> = (0..bytes / 8).map(|k| format!("w[{k}]")).collect();
        let fast = match bytes {
            32 => "#ifdef __AVX__\n  return __builtin_ia32_ptestz256(w, w);\n#else\n",
            16 => "#ifdef __SSE4_1__\n  return __builtin_ia32_ptestz128(w, w);\n#else\n",
            _ => "",
        };
        let end = if fast.is_empty() { "" } else { "#endif\n" };
        format!(
            "static inline {ALWAYS} int {function}({ty} v) {{\n  \
             typedef long long words __attribute__((vector_size({bytes})));\n  \
             const words w = (words)v;\n{fast}  return ({}) == 0;\n{end}}}\n",
            words.join(" | ")
        )
    }
}
