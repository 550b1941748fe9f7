//! `table_checks`: the guards of a nest of loops that depend on a table are evaluated once for each cell of
//! the table, before the nest.
//!
//! ```text
//! for y in 0..H { for x in 0..W { .. (0 <= t[x] && t[x] < N ? a[y * N + t[x]] : 0) .. } }
//!   =  all = 1
//!      for x in 0..W { all min= (0 <= t[x] && t[x] < N ? 1 : 0) }
//!      if all == 1 { for y in 0..H { for x in 0..W { .. a[y * N + t[x]] .. } } }
//!      else { for y in 0..H { for x in 0..W { .. (0 <= t[x] && t[x] < N ? a[y * N + t[x]] : 0) .. } } }
//! ```
//! A compiler cannot make vectors of reads behind guards, and a guard takes longer than the read. The table has
//! a cell for each iteration of one loop, so its guards have the same value in each row.
//!
//! The pass checks a table only where nothing can trap. The text shows that each cell is there and set: the
//! table is an input, or a loop before has filled it. And the comparison stays within 64 bits whatever the cell
//! holds.

use super::copies::Copies;
use super::rewrite::{Rewrite, rewrite_bool, rewrite_stmt};
use super::simplify_index::Simplify;
use crate::{
    Access, Bool, Init, Int, IntOp, Kernel, Literal, LoopKind, Name, ReduceOp, Scalar, Stmt, Storage,
};
use crate::{StoreMode, Val};
use std::collections::{BTreeMap, BTreeSet};

/// Nests of more statements are not written out twice.
const STATEMENTS: usize = 48;

/// The most of a literal in a comparison.
const LITERAL: u64 = 1 << 31;

/// The variable that says whether all cells pass.
const ALL: &str = "all";

/// Evaluates guards on tables before the nests that have them.
pub fn table_checks(kernel: &Kernel) -> Kernel {
    let types = kernel.buffer_types();
    let mut stays = BTreeSet::new();
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::Reset { buf, .. } | Stmt::Forget { buf, .. } = stmt {
            stays.insert(buf.clone());
        }
    });
    // Of numbers so narrow, sums with literals stay within 64 bits.
    let is_narrow = |buf: &Name| {
        types.get(buf).is_some_and(|scalar| scalar.range().is_some() && scalar.size() <= 4)
            && !stays.contains(buf)
    };
    let inputs = kernel.params.iter().filter(|param| param.access == Access::Read);
    let inputs = inputs.filter_map(|param| match param.extents.as_slice() {
        [extent] => Some((param.name.clone(), extent.clone())),
        _ => None,
    });
    let mut pass = Checks {
        is_narrow: &is_narrow,
        sizes: kernel.sizes.iter().collect(),
        copies: Copies::of(kernel),
        lengths: inputs.clone().collect(),
        whole: inputs.map(|(name, _)| name).collect(),
    };
    let body = pass.stmt(&kernel.body);
    Kernel { body, ..kernel.clone() }
}

/// The statement before the pass: each nest once, with its guards. Where loops are read as mathematics,
/// the copy without them says nothing.
pub fn without_table_checks(stmt: &Stmt) -> Stmt {
    match checked(stmt) {
        Some(guarded) => guarded.clone(),
        None => stmt.map_parts(&mut without_table_checks),
    }
}

/// The nest with its guards, of a statement that the pass has made.
fn checked(stmt: &Stmt) -> Option<&Stmt> {
    let Stmt::Alloc { buf, storage: Storage::Register, body, .. } = stmt else { return None };
    let Stmt::Seq(stmts) = &**body else { return None };
    let [before @ .., Stmt::If { cond, otherwise: Some(guarded), .. }] = stmts.as_slice() else {
        return None;
    };
    let is_check = |stmt: &Stmt| matches!(stmt, Stmt::For { body, .. } if is_min(body, buf));
    (*cond == passes(buf) && !before.is_empty() && before.iter().all(is_check)).then_some(guarded)
}

fn is_min(stmt: &Stmt, all: &Name) -> bool {
    matches!(stmt, Stmt::Store { buf, mode: StoreMode::Reduce(ReduceOp::Min), .. } if buf == all)
}

/// All cells pass.
fn passes(all: &Name) -> Bool {
    Bool::eq(Int::load(all.clone(), Int::Lit(0)), Int::Lit(1))
}

/// The pass at work.
struct Checks<'k> {
    is_narrow: &'k dyn Fn(&Name) -> bool,
    sizes: BTreeSet<&'k Name>,
    copies: Copies,
    /// The tables around, and how many cells each has.
    lengths: BTreeMap<Name, Int>,
    /// Those of which each cell is set.
    whole: BTreeSet<Name>,
}

/// A loop of a nest.
struct Around<'s> {
    var: &'s Name,
    hi: &'s Int,
}

impl Checks<'_> {
    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        if checked(stmt).is_some() {
            return stmt.clone();
        }
        match stmt {
            Stmt::Seq(stmts) => {
                let before = self.whole.clone();
                let made = stmts.iter().map(|stmt| {
                    let made = self.stmt(stmt);
                    self.whole.extend(self.filled(stmt));
                    made
                });
                let made = Stmt::seq(made.collect::<Vec<_>>());
                self.whole = before;
                made
            }
            Stmt::Alloc { buf, extents, init, .. } => {
                if let [extent] = extents.as_slice() {
                    self.lengths.insert(buf.clone(), extent.clone());
                    self.whole.extend(matches!(init, Init::Value(_)).then(|| buf.clone()));
                }
                stmt.map_parts(&mut |part| self.stmt(part))
            }
            Stmt::For { .. } => {
                self.nest(stmt).unwrap_or_else(|| stmt.map_parts(&mut |part| self.stmt(part)))
            }
            stmt => stmt.map_parts(&mut |part| self.stmt(part)),
        }
    }

    /// The table that a loop fills, cell by cell.
    fn filled(&self, stmt: &Stmt) -> Option<Name> {
        let Around { var, hi } = simple(stmt)?;
        let Stmt::For { body, .. } = stmt else { return None };
        let Stmt::Store { buf, index, mode: StoreMode::Set, .. } = &**body else { return None };
        (*index == Int::Var(var.clone()) && self.lengths.get(buf) == Some(hi)).then(|| buf.clone())
    }

    /// A nest of loops, with its guards on tables evaluated before.
    fn nest(&mut self, stmt: &Stmt) -> Option<Stmt> {
        let (mut loops, mut body) = (Vec::new(), stmt);
        while let Stmt::For { body: inner, .. } = body {
            loops.push(simple(body)?);
            body = inner;
        }
        let mut count = 0;
        stmt.for_each(&mut |_| count += 1);
        let bound: BTreeSet<&Name> = loops.iter().map(|l| l.var).collect();
        let is_settled = |l: &Around<'_>| bound.iter().all(|var| !l.hi.mentions(var)) && !l.hi.reads();
        if loops.len() < 2 || count > STATEMENTS || !loops.iter().all(is_settled) {
            return None;
        }
        let (read, written) = (looked_up(body), body.written());
        let mut checks: BTreeMap<&Name, Vec<Bool>> = BTreeMap::new();
        let mut known = Vec::new();
        each_comparison(body, &mut |comparison| {
            let at_table = rewrite_bool(&read, comparison);
            let Some(around) = loops.iter().find(|l| self.is_of_table(&at_table, l, &written)) else {
                return;
            };
            known.push(comparison.clone());
            let own = checks.entry(around.var).or_default();
            if !own.contains(&at_table) {
                own.push(at_table);
            }
        });
        // A compiler evaluates those of outer loops once a row by itself.
        if !checks.contains_key(loops.last()?.var) {
            return None;
        }
        let all = self.copies.fresh(ALL);
        let numbers = [1, 0].map(|number| Val::from(Literal::i32(number)));
        let check = |around: &Around<'_>| {
            let cond = checks.get(around.var)?.iter().cloned().reduce(Bool::and)?;
            let [one, zero] = numbers.clone();
            let value = Val::select(cond, one, zero);
            let least = Stmt::reduce(ReduceOp::Min, all.clone(), Int::Lit(0), value);
            let Around { var, hi } = around;
            Some(Stmt::for_loop((*var).clone(), Int::Lit(0), (*hi).clone(), LoopKind::Serial, least))
        };
        let free = rewrite_stmt(&Simplify, &rewrite_stmt(&Known(&known), stmt));
        let chosen = Stmt::If {
            cond: passes(&all),
            then: Box::new(self.copies.copy(&free)),
            otherwise: Some(Box::new(stmt.clone())),
        };
        Some(Stmt::Alloc {
            scalar: Scalar::I32,
            extents: Vec::new(),
            storage: Storage::Register,
            init: Init::Value(numbers[0].clone()),
            body: Box::new(Stmt::seq(loops.iter().filter_map(check).chain([chosen]))),
            buf: all,
        })
    }

    /// Does the comparison depend on the table of a loop and on nothing that the nest changes?
    fn is_of_table(&self, comparison: &Bool, around: &Around<'_>, written: &BTreeSet<&Name>) -> bool {
        let Bool::Cmp(_, a, b) = comparison else { return false };
        let is_cell = |buf: &Name, cell: &Int| {
            *cell == Int::Var(around.var.clone())
                && self.lengths.get(buf) == Some(around.hi)
                && self.whole.contains(buf)
                && (self.is_narrow)(buf)
                && !written.contains(buf)
        };
        comparison.reads() && [a, b].into_iter().all(|term| self.stays_small(term, &is_cell))
    }

    /// Is it a term over such cells, sizes and literals that does not leave 64 bits?
    fn stays_small(&self, term: &Int, is_cell: &dyn Fn(&Name, &Int) -> bool) -> bool {
        let is_small = |term: &Int| matches!(term, Int::Lit(n) if n.unsigned_abs() < LITERAL);
        match term {
            Int::Lit(_) => is_small(term),
            Int::Var(name) => self.sizes.contains(name),
            Int::Load(buf, cell) => is_cell(buf, cell),
            Int::Bin(IntOp::Min | IntOp::Max, a, b) => {
                self.stays_small(a, is_cell) && self.stays_small(b, is_cell)
            }
            Int::Bin(IntOp::Add | IntOp::Sub, a, b) if is_small(b) => match (&**a, b.constant()) {
                (Int::Load(buf, cell), _) => is_cell(buf, cell),
                // A size is not negative.
                (Int::Var(name), Some(by)) => {
                    let is_less = by == 0 || (by > 0) == matches!(term, Int::Bin(IntOp::Sub, ..));
                    is_less && self.sizes.contains(name)
                }
                _ => false,
            },
            Int::Bin(..) => false,
        }
    }
}

/// The loop, if it begins at zero and runs to its end.
fn simple(stmt: &Stmt) -> Option<Around<'_>> {
    let Stmt::For { var, lo: Int::Lit(0), hi, kind, .. } = stmt else { return None };
    let is_whole = matches!(kind, LoopKind::Serial | LoopKind::Parallel(_) | LoopKind::Vector { .. });
    is_whole.then_some(Around { var, hi })
}

/// What variables hold that are read from tables.
struct LookedUp(BTreeMap<Name, Int>);

impl Rewrite for LookedUp {
    fn int(&self, int: Int) -> Int {
        match &int {
            Int::Load(buf, _) => self.0.get(buf).cloned().unwrap_or(int),
            _ => int,
        }
    }
}

/// The variables of a body that are set once, to a cell.
fn looked_up(body: &Stmt) -> LookedUp {
    let (mut own, mut cells, mut several) = (BTreeSet::new(), BTreeMap::new(), BTreeSet::new());
    body.for_each(&mut |stmt| match stmt {
        Stmt::Alloc { buf, extents, init: Init::Uninit, .. } if extents.is_empty() => {
            own.insert(buf.clone());
        }
        Stmt::Store { buf, value, mode, .. } => {
            let cell = match (value, mode) {
                (Val::Load { buf: table, index }, StoreMode::Set) => {
                    Some(Int::load(table.clone(), index.clone()))
                }
                _ => None,
            };
            let is_first = cell.map(|cell| cells.insert(buf.clone(), cell).is_none());
            if is_first != Some(true) {
                several.insert(buf.clone());
            }
        }
        Stmt::Reset { buf, .. } | Stmt::Forget { buf, .. } => {
            several.insert(buf.clone());
        }
        _ => {}
    });
    cells.retain(|buf, _| own.contains(buf) && !several.contains(buf));
    LookedUp(cells)
}

/// Calls `f` on what must hold in the conditions of statements and of values.
fn each_comparison(stmt: &Stmt, f: &mut impl FnMut(&Bool)) {
    fn conjuncts(cond: &Bool, f: &mut impl FnMut(&Bool)) {
        match cond {
            Bool::And(a, b) => {
                conjuncts(a, f);
                conjuncts(b, f);
            }
            Bool::Cmp(..) => f(cond),
            _ => {}
        }
    }
    stmt.for_each(&mut |stmt| match stmt {
        Stmt::If { cond, .. } => conjuncts(cond, f),
        Stmt::Store { value, .. } => value.for_each(&mut |part| {
            if let Val::Select { cond, .. } = part {
                conjuncts(cond, f);
            }
        }),
        _ => {}
    });
}

/// Comparisons that hold.
struct Known<'c>(&'c [Bool]);

impl Rewrite for Known<'_> {
    fn int(&self, int: Int) -> Int {
        int
    }

    fn bool(&self, bool: Bool) -> Bool {
        if self.0.contains(&bool) { Bool::Lit(true) } else { bool }
    }
}

#[cfg(test)]
mod tests {
    use super::{table_checks, without_table_checks};
    use crate::Kernel;
    use crate::passes::tests::gives;

    const HEAD: &str =
        "kernel t(N, H, W) in f32 a[H, N] in i32 t[W] in i32 u[H] in i64 long[W] out f32 y[H, W]";

    fn check(before: &str, after: &str) {
        gives(table_checks, HEAD, before, after);
        let back = |kernel: &Kernel| {
            let kernel = table_checks(kernel);
            Kernel { body: without_table_checks(&kernel.body), ..kernel }
        };
        gives(back, HEAD, before, before);
    }

    /// A nest that reads where a table says, if that is inside.
    fn nest(cond: &str, at: &str) -> String {
        format!("for y in 0..H {{ for x in 0..W {{ y[y * W + x] = ({cond} ? a[y * N + {at}] : 0f32) }} }}")
    }

    fn checked(checks: &str, free: &str, guarded: &str) -> String {
        format!(
            "alloc register i32 all = 1i32 {{ {checks} if all[0] == 1 {{ {free} }} else {{ {guarded} }} }}"
        )
    }

    const FREE: &str = "for y in 0..H { for x in 0..W { y[y * W + x] = a[y * N + t[x]] } }";

    #[test]
    fn tables_are_checked_before() {
        let guarded = nest("0 <= t[x] && t[x] < N", "t[x]");
        let checks = "for x in 0..W { all min= (0 <= t[x] && t[x] < N ? 1i32 : 0i32) }";
        check(&guarded, &checked(checks, FREE, &guarded));
        // The table of the rows, too.
        let both = nest("t[x] - 1 < N - 1 && 0 <= u[y]", "t[x]");
        let checks = "for y in 0..H { all min= (0 <= u[y] ? 1i32 : 0i32) } \
                     for x in 0..W { all min= (t[x] - 1 < N - 1 ? 1i32 : 0i32) }";
        check(&both, &checked(checks, FREE, &both));
    }

    #[test]
    fn other_guards_stay() {
        let guarded = nest("0 <= t[x] && x < y", "t[x]");
        let checks = "for x in 0..W { all min= (0 <= t[x] ? 1i32 : 0i32) }";
        check(&guarded, &checked(checks, &nest("x < y", "t[x]"), &guarded));
    }

    #[test]
    fn tables_may_be_made_before_and_looked_up_once() {
        let nest = |cond: &str, k: &str| {
            format!(
                "for y in 0..H {{ for x in 0..W {{ alloc register i32 k{k} uninit {{ k{k} = s[x] \
                 y[y * W + x] = {cond} }} }} }}"
            )
        };
        let guarded = nest("(0 <= k[0] ? a[y * N + k[0]] : 0f32)", "");
        let checks = "for x in 0..W { all min= (0 <= s[x] ? 1i32 : 0i32) }";
        let made =
            |nest: &str| format!("alloc heap i32 s[W] uninit {{ for x in 0..W {{ s[x] = t[x] }} {nest} }}");
        let free = nest("a[y * N + k_1[0]]", "_1");
        check(&made(&guarded), &made(&checked(checks, &free, &guarded)));
        // Not known to be set, and set in the nest.
        for kept in [
            format!("alloc heap i32 s[W] uninit {{ {guarded} }}"),
            format!("alloc heap i32 s[W] uninit {{ for x in 0..W - 1 {{ s[x] = t[x] }} {guarded} }}"),
            format!(
                "alloc heap i32 s[W] uninit {{ for x in 0..W {{ if 1 < N {{ s[x] = t[x] }} }} {guarded} }}"
            ),
            made(&format!("reset s = 0i32 {guarded}")),
            made(&guarded.replace("k = s[x]", "k = s[x] s[x] := 1i32")),
            made(&guarded.replace("k = s[x]", "k = s[x] k := 1i32")),
        ] {
            check(&kept, &kept);
        }
    }

    #[test]
    fn others_stay() {
        for kept in [
            // Each guard is evaluated once anyway.
            "for x in 0..W { y[x] = (0 <= t[x] ? a[t[x]] : 0f32) }".to_owned(),
            // The guard is the same for the whole row.
            nest("0 <= u[y]", "u[y]"),
            // A cell might not be there, or the comparison might leave 64 bits.
            nest("0 <= t[x + y]", "t[x + y]"),
            nest("0 <= t[N]", "t[N]"),
            nest("0 <= long[x]", "long[x]"),
            nest("t[x] < N + 1", "t[x]"),
            nest("t[x] * 2 < N", "t[x]"),
            // It depends on both loops, or need not hold.
            nest("t[x] < u[y]", "t[x]"),
            nest("0 <= t[x] || x < y", "t[x]"),
            // Rows of other lengths.
            "for y in 0..H { for x in 0..y { y[y * W + x] = (0 <= t[x] ? a[t[x]] : 0f32) } }".to_owned(),
            "for y in 0..H { for x in 1..W { y[y * W + x] = (0 <= t[x] ? a[t[x]] : 0f32) } }".to_owned(),
        ] {
            check(&kept, &kept);
        }
    }
}
