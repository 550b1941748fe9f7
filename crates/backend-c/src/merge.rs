//! Merges: as long as every run has places, without a branch that depends on whose key comes next, as no processor foresees that;
//! and then what is left of some of them: of two, of the one that has places, whose keys are compared with none.
//!
//! What the body takes from a run where that has the key, and something else where not, is computed for the place at which
//! the run stands, and masked. It may be: the [loop IR](atl_loops::merge) says why. Two parts of 32 bits are compared as one
//! number of 64.

use crate::scalars::c_type;
use crate::stmts::Printer;
use crate::terms::{Early, Terms};
use atl_c_text::Dialect;
use atl_loops::{Bool, Int, Name, Run, Scalar, Stmt, Storage, Val, merge};
use std::collections::BTreeSet;

/// The helpers `atl_pair`.
pub(crate) const PAIR: &str = "\
/* Two numbers as one, in the order of the first and then of the second. */
static inline int64_t atl_pair(int32_t a, int32_t b) {
  return (int64_t)((uint64_t)(uint32_t)a << 32 | ((uint32_t)b ^ UINT32_C(0x80000000)));
}
static inline int64_t atl_second(int64_t pair) { return (int32_t)((uint32_t)pair ^ UINT32_C(0x80000000)); }
";

/// How keys are compared.
enum Keys {
    /// Part by part.
    Parts,
    /// As pairs of 32 bits, which all are.
    Pairs,
}

/// Which runs have places.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    All,
    Some,
}

impl Printer<'_> {
    /// A merge.
    pub(crate) fn merge(&mut self, keys: &[Name], runs: &[Run], body: &Stmt) {
        self.block("", |printer| {
            let mut going = Vec::new();
            for run in runs {
                let (place, end) = (printer.terms.identifier(&run.place), printer.terms.end(&run.place));
                let (lo, hi) = (printer.terms.int(&run.lo), printer.terms.int(&run.hi));
                let (lo, hi) = match &run.cond {
                    Bool::Lit(true) => (lo, hi),
                    cond => {
                        let cond = printer.terms.bool(cond);
                        (format!("({cond}) ? {lo} : 0"), format!("({cond}) ? {hi} : 0"))
                    }
                };
                printer.line(&format!("int64_t {place} = {lo};"));
                printer.line(&format!("const int64_t {end} = {hi};"));
                printer.terms.set_nonnegative(&run.place, printer.terms.is_nonnegative(&run.lo));
                printer.terms.set_nonnegative(&run.has, true);
                going.push(format!("{place} < {end}"));
            }
            // A scratch buffer has one place in the text.
            let first = printer.next;
            if !allocates(body) {
                printer.block(&format!("while ({}) ", going.join(" && ")), |printer| {
                    printer.turn(Left::All, keys, runs, body);
                });
            }
            if runs.len() == 2 && !allocates(body) {
                for run in runs {
                    printer.next = first;
                    let (place, end) = (printer.terms.identifier(&run.place), printer.terms.end(&run.place));
                    printer.block(&format!("while ({place} < {end}) "), |printer| {
                        printer.alone(run, keys, runs, body);
                    });
                }
            } else if runs.len() > 1 || allocates(body) {
                printer.next = first;
                printer.block(&format!("while ({}) ", going.join(" || ")), |printer| {
                    printer.turn(Left::Some, keys, runs, body);
                });
            }
            for var in runs.iter().flat_map(|run| [&run.place, &run.has]) {
                printer.terms.set_nonnegative(var, false);
            }
        });
    }

    /// One iteration: the least key, the body, and on.
    fn turn(&mut self, left: Left, keys: &[Name], runs: &[Run], body: &Stmt) {
        let compared = compared(&self.terms, keys, runs);
        let parts = match compared {
            Keys::Parts => keys.len(),
            Keys::Pairs => 1,
        };
        let own: Vec<Vec<String>> = runs.iter().map(|run| self.own_key(left, &compared, run)).collect();
        let least: Vec<String> = match compared {
            Keys::Parts => keys.iter().map(|key| self.terms.identifier(key)).collect(),
            Keys::Pairs => vec![self.terms.part_of(&keys[0], "pair")],
        };
        match (parts, own.as_slice()) {
            (1, own) => {
                let (first, rest) = (own[0][0].clone(), &own[1..]);
                if !rest.is_empty() {
                    self.terms.helpers().insert("atl_min");
                }
                let all = rest.iter().fold(first, |all, key| format!("atl_min({all}, {})", key[0]));
                self.line(&format!("const int64_t {} = {all};", least[0]));
            }
            (_, own) => {
                for (name, part) in least.iter().zip(&own[0]) {
                    self.line(&format!("int64_t {name} = {part};"));
                }
                for (run, key) in runs.iter().zip(own).skip(1) {
                    let below = self.terms.part_of(&run.place, "below");
                    let less = less(key, &least);
                    self.line(&format!("const int64_t {below} = {less};"));
                    for (name, part) in least.iter().zip(key) {
                        self.line(&format!("{name} = {below} ? {part} : {name};"));
                    }
                }
            }
        }
        if let Keys::Pairs = compared {
            let names: Vec<String> = keys.iter().map(|key| self.terms.identifier(key)).collect();
            self.line(&format!("const int64_t {} = {} >> 32;", names[0], least[0]));
            self.line(&format!("const int64_t {} = atl_second({});", names[1], least[0]));
            // The body may look at neither.
            names.iter().for_each(|name| self.line(&format!("(void){name};")));
        }
        for (run, key) in runs.iter().zip(&own) {
            let (has, place, end) = (
                self.terms.identifier(&run.has),
                self.terms.identifier(&run.place),
                self.terms.end(&run.place),
            );
            let mut there: Vec<String> =
                key.iter().zip(&least).map(|(own, least)| format!("({own} == {least})")).collect();
            if left == Left::Some {
                there.push(format!("({place} < {end})"));
            }
            self.line(&format!("const int64_t {has} = {};", there.join(" & ")));
        }
        let outer = self.terms.early.len();
        if left == Left::All {
            self.early(keys, runs, body);
        }
        self.tail_statement(body);
        self.terms.early.truncate(outer);
        for run in runs {
            let (has, place) = (self.terms.identifier(&run.has), self.terms.identifier(&run.place));
            self.line(&format!("{place} += {has};"));
        }
    }

    /// One iteration where this run alone has places.
    fn alone(&mut self, run: &Run, keys: &[Name], runs: &[Run], body: &Stmt) {
        for (key, part) in keys.iter().zip(&run.key) {
            let (name, part) = (self.terms.identifier(key), self.terms.int(part));
            self.line(&format!("const int64_t {name} = {part};"));
            // The body may not look at it.
            self.line(&format!("(void){name};"));
        }
        for other in runs {
            let has = self.terms.identifier(&other.has);
            self.line(&format!("const int64_t {has} = {};", i64::from(other.place == run.place)));
            self.line(&format!("(void){has};"));
        }
        self.tail_statement(body);
        let place = self.terms.identifier(&run.place);
        self.line(&format!("{place}++;"));
    }

    /// The variables of a run's key.
    fn own_key(&mut self, left: Left, compared: &Keys, run: &Run) -> Vec<String> {
        let (place, end) = (self.terms.identifier(&run.place), self.terms.end(&run.place));
        let values: Vec<String> = match compared {
            Keys::Parts => run.key.iter().map(|part| self.terms.int(part)).collect(),
            Keys::Pairs => {
                self.terms.helpers().insert("atl_pair");
                let parts: Vec<String> = run.key.iter().map(|part| self.terms.int(part)).collect();
                vec![format!("atl_pair((int32_t)({}), (int32_t)({}))", parts[0], parts[1])]
            }
        };
        let names = (0..values.len()).map(|k| self.terms.part_of(&run.place, &format!("key{k}")));
        let names: Vec<String> = names.collect();
        for (name, value) in names.iter().zip(values) {
            // Behind the last key, as none is beyond that.
            let value = match left {
                Left::All => value,
                Left::Some => format!("{place} < {end} ? {value} : INT64_MAX"),
            };
            self.line(&format!("const int64_t {name} = {value};"));
        }
        names
    }

    /// Computes ahead of the body what it takes from each run.
    fn early(&mut self, keys: &[Name], runs: &[Run], body: &Stmt) {
        for run in runs {
            let own = merge::variables(keys, runs).filter(|var| **var != run.place).collect();
            let taken = Taken { has: run.is_there(), others: own };
            let mut values = Vec::new();
            taken.in_stmt(&self.terms, body, &mut values);
            for (k, value) in values.into_iter().enumerate() {
                let name = self.terms.part_of(&run.place, &format!("value{k}"));
                let line = format!(
                    "const {} {name} = {};",
                    c_type(self.terms.type_of(&value)),
                    self.terms.val(&value)
                );
                self.line(&line);
                self.terms.early.push(Early { has: run.is_there(), value, name });
            }
        }
    }
}

impl Terms {
    /// What was computed ahead, masked, if the selection is between that and something else.
    pub(crate) fn masked(&mut self, cond: &Bool, then: &Val, otherwise: &Val) -> Option<String> {
        let early = self.early.iter().rev().find(|early| early.has == *cond && early.value == *then)?;
        let (name, Bool::Cmp(_, Int::Var(has), _)) = (early.name.clone(), &early.has) else { return None };
        let has = has.clone();
        let helper = match self.type_of(then) {
            Scalar::F32 => "atl_masked_f32",
            Scalar::F64 => "atl_masked_f64",
            _ => return None,
        };
        self.helpers().insert(helper);
        let (has, otherwise) = (self.identifier(&has), self.val(otherwise));
        Some(format!("{helper}({has}, {name}, {otherwise})"))
    }
}

/// The helper that gives the one or the other by their bits.
pub(crate) const MASKED_F64: &str = "\
/* One of two values, without a branch. */
static inline double atl_masked_f64(int64_t first, double a, double b) {
  uint64_t x, y;
  __builtin_memcpy(&x, &a, 8);
  __builtin_memcpy(&y, &b, 8);
  x = (x & (0 - (uint64_t)first)) | (y & ((uint64_t)first - 1));
  __builtin_memcpy(&a, &x, 8);
  return a;
}
";

/// The same for 32 bits.
pub(crate) const MASKED_F32: &str = "\
/* One of two values, without a branch. */
static inline float atl_masked_f32(int64_t first, float a, float b) {
  uint32_t x, y;
  __builtin_memcpy(&x, &a, 4);
  __builtin_memcpy(&y, &b, 4);
  x = (x & (0 - (uint32_t)first)) | (y & ((uint32_t)first - 1));
  __builtin_memcpy(&a, &x, 4);
  return a;
}
";

/// What the body takes from a run.
struct Taken<'a> {
    has: Bool,
    /// The variables of the merge but the run's place.
    others: BTreeSet<&'a Name>,
}

impl Taken<'_> {
    /// In statements that every iteration comes to.
    fn in_stmt(&self, terms: &Terms, stmt: &Stmt, found: &mut Vec<Val>) {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| self.in_stmt(terms, stmt, found)),
            Stmt::Alloc { storage: Storage::Register, body, .. } => self.in_stmt(terms, body, found),
            Stmt::Store { value, .. } | Stmt::Push { value, .. } => self.in_val(terms, value, found),
            _ => {}
        }
    }

    /// In values that are computed whatever holds.
    fn in_val(&self, terms: &Terms, val: &Val, found: &mut Vec<Val>) {
        match val {
            Val::Select { cond, then, .. } => {
                let masked = matches!(terms.type_of(then), Scalar::F32 | Scalar::F64);
                if **cond == self.has && masked && self.is_of_place(terms, then) && !found.contains(then) {
                    found.push((**then).clone());
                }
            }
            Val::Un(_, a) | Val::Convert { val: a, .. } => self.in_val(terms, a, found),
            Val::Call(_, operands) => operands.iter().for_each(|a| self.in_val(terms, a, found)),
            Val::Bin(_, a, b) | Val::Cmp(_, a, b) => {
                self.in_val(terms, a, found);
                self.in_val(terms, b, found);
            }
            Val::Lit(_) | Val::Load { .. } | Val::OfInt(_) | Val::Choose { .. } => {}
        }
    }

    /// Does it depend on inputs and the place alone, and is all of it computed whenever it is?
    fn is_of_place(&self, terms: &Terms, val: &Val) -> bool {
        let is_own = |int: &Int| {
            let mut own = true;
            int.for_each_var(&mut |var| own &= !self.others.contains(var));
            int.for_each_read(&mut |buf, _| own &= terms.is_input(buf));
            own
        };
        match val {
            Val::Lit(_) => true,
            Val::Load { buf, index } => terms.is_input(buf) && is_own(index),
            Val::OfInt(int) => is_own(int),
            Val::Un(_, a) | Val::Convert { val: a, .. } => self.is_of_place(terms, a),
            Val::Call(_, operands) => operands.iter().all(|a| self.is_of_place(terms, a)),
            Val::Bin(_, a, b) | Val::Cmp(_, a, b) => self.is_of_place(terms, a) && self.is_of_place(terms, b),
            Val::Select { .. } | Val::Choose { .. } => false,
        }
    }
}

/// Are all keys pairs of 32 bits?
fn compared(terms: &Terms, keys: &[Name], runs: &[Run]) -> Keys {
    let is_short = |part: &Int| matches!(part, Int::Load(buf, _) if terms.buffer_type(buf) == Scalar::I32);
    match keys.len() == 2 && runs.iter().all(|run| run.key.iter().all(is_short)) {
        true => Keys::Pairs,
        false => Keys::Parts,
    }
}

/// Is one key below another, part by part?
fn less(a: &[String], b: &[String]) -> String {
    match (a, b) {
        ([x, more_x @ ..], [y, more_y @ ..]) if !more_x.is_empty() => {
            format!("({x} < {y}) | ((int64_t)({x} == {y}) & ({}))", less(more_x, more_y))
        }
        ([x, ..], [y, ..]) => format!("{x} < {y}"),
        _ => "0".to_owned(),
    }
}

/// Does the body have a scratch buffer in memory?
fn allocates(body: &Stmt) -> bool {
    let mut found = false;
    body.for_each(&mut |stmt| {
        found |= matches!(stmt, Stmt::Alloc { storage: Storage::Heap | Storage::Touched, .. });
    });
    found
}
