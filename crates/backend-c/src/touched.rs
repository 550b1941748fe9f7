//! Scratch with a record of what was stored to.
//!
//! One idea: a bit for each cell, a bit for each word of those that is not zero, and once more. To find the cells that were
//! stored to, in order, is to look for set bits from the top: it costs what is there and a word for 2¹⁸ cells, and nothing is sorted.

use crate::scalars::c_type;
use crate::stmts::Printer;
use atl_c_text::Dialect;
use atl_loops::{Init, Int, Name, Scalar, Stmt, Val};

/// The helpers `atl_marks`.
pub(crate) const HELPERS: &str = "\
/* Which cells of a scratch buffer were stored to: a bit for each, a bit for each word of bits, and once more. The type of
   words is no other array's, where int64_t is long: so a store to them changes no position. */
typedef unsigned long long atl_word;
typedef struct {
  atl_word *cells, *words, *groups;
  int64_t count;
} atl_marks;

static inline int64_t atl_words(int64_t bits) { return bits / 64 + (bits % 64 != 0); }

/* The bytes of so many cells and their marks; more than there are where they do not fit. */
static inline int64_t atl_marked(int64_t cells, int64_t size) {
  int64_t bytes;
  return __builtin_mul_overflow(cells, size + 1, &bytes) || bytes > INT64_MAX / 2 ? INT64_MAX : bytes + 256;
}

/* Marks behind the cells, none of them set. */
static inline atl_marks atl_unmarked(void *memory, int64_t cells, int64_t size) {
  const int64_t words = atl_words(cells), groups = atl_words(words), count = atl_words(groups);
  atl_word *bits = (atl_word *)((char *)memory + (cells * size + 63) / 64 * 64);
  for (int64_t k = 0; k < words + groups + count; k++) bits[k] = 0;
  return (atl_marks){bits, bits + words, bits + words + groups, count};
}

static inline void atl_mark(atl_marks marks, int64_t cell) {
  const atl_word word = marks.cells[cell >> 6];
  marks.cells[cell >> 6] = word | 1ULL << (cell & 63);
  if (word != 0) return;
  marks.words[cell >> 12] |= 1ULL << (cell >> 6 & 63);
  marks.groups[cell >> 18] |= 1ULL << (cell >> 12 & 63);
}
";

impl Printer<'_> {
    /// Touched scratch and its scope; the pool is that of its cells.
    pub(crate) fn touched(&mut self, buf: &Name, scalar: Scalar, count: &str, init: &Init, body: &Stmt) {
        let (variable, ty) = (self.terms.identifier(buf), c_type(scalar));
        let marks = self.terms.named_part(buf, "marks");
        self.terms.helpers().insert("atl_marks");
        self.line(&format!(
            "{ty} *restrict {variable} = atl_take(atl_pool_{variable}, atl_marked({count}, sizeof({ty})), 1);"
        ));
        self.scope_of(buf, |printer| {
            printer
                .line(&format!("const atl_marks {marks} = atl_unmarked({variable}, {count}, sizeof({ty}));"));
            printer.set_cells(buf, count.to_owned());
            printer.initialise(buf, init);
            printer.stmt(body);
        });
    }

    /// The mark of a cell that is about to be stored to.
    pub(crate) fn mark(&mut self, buf: &Name, index: &Int) {
        let (marks, cell) = (self.terms.named_part(buf, "marks"), self.terms.int(index));
        self.line(&format!("atl_mark({marks}, {cell});"));
    }

    /// A lifetime begins anew: the cells that were stored to get their first value.
    pub(crate) fn forget(&mut self, buf: &Name, init: &Init) {
        let Init::Value(value) = init else { return };
        let (variable, value) = (self.terms.identifier(buf), self.terms.val(value));
        self.marked(buf, "atl_k", |printer| printer.line(&format!("{variable}[atl_k] = {value};")));
    }

    /// The body for each cell that was stored to and holds something else than at first; it gets its first value again.
    pub(crate) fn visit(&mut self, var: &Name, buf: &Name, first: &Val, body: impl FnOnce(&mut Self)) {
        let (variable, cell) = (self.terms.identifier(var), self.terms.cell(buf, &Int::Var(var.clone())));
        let first = self.terms.val(first);
        self.terms.set_nonnegative(var, true);
        self.marked(buf, &variable, |printer| {
            printer.block(&format!("if ({cell} != {first}) "), body);
            printer.line(&format!("{cell} = {first};"));
        });
        self.terms.set_nonnegative(var, false);
    }

    /// The body for each marked cell, in order; the marks are taken off.
    fn marked(&mut self, buf: &Name, cell: &str, body: impl FnOnce(&mut Self)) {
        let marks = self.terms.named_part(buf, "marks");
        let [top, group, word, groups, words, cells] =
            ["count", "group", "word", "groups", "words", "cells"].map(|of| self.terms.named_part(buf, of));
        let each = |set: &str, array: &str, at: &str| {
            format!("for (atl_word {set} = {marks}.{array}[{at}]; {set} != 0; {set} &= {set} - 1) ")
        };
        let found = |name: &str, at: &str, set: &str| {
            format!("const int64_t {name} = {at} * 64 + __builtin_ctzll({set});")
        };
        let opening = format!("for (int64_t {top} = 0; {top} < {marks}.count; {top}++) ");
        self.block(&opening, |printer| {
            printer.block(&each(&groups, "groups", &top), |printer| {
                printer.line(&found(&group, &top, &groups));
                printer.block(&each(&words, "words", &group), |printer| {
                    printer.line(&found(&word, &group, &words));
                    printer.block(&each(&cells, "cells", &word), |printer| {
                        printer.line(&found(cell, &word, &cells));
                        body(printer);
                    });
                    printer.line(&format!("{marks}.cells[{word}] = 0;"));
                });
                printer.line(&format!("{marks}.words[{group}] = 0;"));
            });
            printer.line(&format!("{marks}.groups[{top}] = 0;"));
        });
    }
}
