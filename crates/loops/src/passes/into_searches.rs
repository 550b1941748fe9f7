//! `into_searches`: what is done after a search, and does something only where it found what it sought, is done there.
//!
//! ```text
//! alloc v = 0 { search for q in .. { if key(q) == sought { v += .. } } if v != 0 { push y = v } }
//! ```
//!
//! is how a product is stored where it is not zero. If nothing is found, `v` is still 0 and nothing is stored, which the pass
//! sees by computing what it can with that value; and a search finds one place at most. So all of it may stand inside. Then the
//! loop around does nothing but search, and may be an [intersection](crate::intersection).

use super::rewrite::{Rewrite, rewrite_kernel};
use crate::places::bound;
use crate::{Bool, Init, Int, Kernel, Literal, Name, Stmt, Storage, StoreMode, Val};
use atl_scalars::call;
use std::collections::BTreeMap;

/// Moves what follows searches into them, with the variable that both use, if nothing is done where nothing is found.
pub fn into_searches(kernel: &Kernel) -> Kernel {
    rewrite_kernel(&IntoSearches, kernel)
}

struct IntoSearches;

impl Rewrite for IntoSearches {
    fn int(&self, int: Int) -> Int {
        int
    }

    fn stmt(&self, stmt: Stmt) -> Stmt {
        inside(&stmt).unwrap_or(stmt)
    }
}

/// The search with the variable and what follows inside, if this is a variable with a search and what follows.
fn inside(stmt: &Stmt) -> Option<Stmt> {
    let Stmt::Alloc { buf, extents, storage: Storage::Register, init: Init::Value(first), body, .. } = stmt
    else {
        return None;
    };
    let Stmt::Seq(stmts) = &**body else { return None };
    let (Stmt::Search { search, body: then }, rest) = stmts.split_first()? else { return None };
    let mut uses = search.how.all;
    search.for_each_read(&mut |read, _| uses |= read == buf);
    let mut known = Known::default();
    known.cells.insert(buf.clone(), known.val(first));
    let without = with_body(stmt, Stmt::seq(rest.iter().cloned()));
    let is_apart = extents.is_empty() && !uses && !names(&without, &search.var);
    if !is_apart || !rest.iter().all(|stmt| known.is_idle(stmt)) {
        return None;
    }
    let both = Stmt::seq(std::iter::once((**then).clone()).chain(rest.iter().cloned()));
    let found = with_body(stmt, both);
    // Another search may be all that is done there.
    let found = inside(&found).unwrap_or(found);
    Some(Stmt::Search { search: search.clone(), body: Box::new(found) })
}

/// An allocation with another body.
fn with_body(stmt: &Stmt, body: Stmt) -> Stmt {
    stmt.map_parts(&mut |_| body.clone())
}

/// Is there a variable of this name, bound inside or not?
fn names(stmt: &Stmt, var: &Name) -> bool {
    stmt.mentions(var) || bound(stmt).contains(var)
}

/// What variables of this place hold, where that is known.
#[derive(Default)]
struct Known {
    cells: BTreeMap<Name, Option<Literal>>,
}

impl Known {
    /// Does the statement store to these variables alone? What they hold afterwards is noted.
    fn is_idle(&mut self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().all(|stmt| self.is_idle(stmt)),
            Stmt::If { cond, then, otherwise } => match self.bool(cond) {
                Some(true) => self.is_idle(then),
                Some(false) => otherwise.as_ref().is_none_or(|otherwise| self.is_idle(otherwise)),
                None => false,
            },
            Stmt::Alloc { buf, extents, storage: Storage::Register, init, body, .. }
                if extents.is_empty() =>
            {
                let held = match init {
                    Init::Value(value) => self.val(value),
                    Init::Uninit => None,
                };
                self.cells.insert(buf.clone(), held);
                let idle = self.is_idle(body);
                self.cells.remove(buf);
                idle
            }
            Stmt::Store { buf, value, mode, .. } if self.cells.contains_key(buf) => {
                let held = match mode {
                    StoreMode::Set | StoreMode::Replace => self.val(value),
                    StoreMode::Reduce(op) => {
                        let (own, value) = (self.cells[buf], self.val(value));
                        own.zip(value).and_then(|(own, value)| op.bin_op().apply(own, value))
                    }
                };
                self.cells.insert(buf.clone(), held);
                true
            }
            Stmt::Prefetch { .. } => true,
            _ => false,
        }
    }

    fn bool(&self, cond: &Bool) -> Option<bool> {
        match cond {
            Bool::Lit(holds) => Some(*holds),
            Bool::Cmp(op, a, b) => Some(op.apply(&self.int(a)?, &self.int(b)?)),
            Bool::And(a, b) => Some(self.bool(a)? && self.bool(b)?),
            Bool::Or(a, b) => Some(self.bool(a)? || self.bool(b)?),
            Bool::Not(a) => self.bool(a).map(|holds| !holds),
        }
    }

    fn int(&self, int: &Int) -> Option<i64> {
        match int {
            Int::Lit(value) => Some(*value),
            Int::Load(buf, _) => (*self.cells.get(buf)?)?.integer(),
            Int::Bin(op, a, b) => op.apply(self.int(a)?, self.int(b)?),
            Int::Var(_) => None,
        }
    }

    fn val(&self, val: &Val) -> Option<Literal> {
        match val {
            Val::Lit(literal) => Some(*literal),
            Val::Load { buf, .. } => *self.cells.get(buf)?,
            Val::OfInt(int) => self.int(int).map(Literal::i64),
            Val::Un(op, a) => op.apply(self.val(a)?),
            Val::Bin(op, a, b) => op.apply(self.val(a)?, self.val(b)?),
            Val::Call(function, operands) => {
                call(*function, &operands.iter().map(|a| self.val(a)).collect::<Option<Vec<_>>>()?)
            }
            Val::Cmp(op, a, b) => op.apply_values(self.val(a)?, self.val(b)?).map(Literal::Bool),
            Val::Select { cond, then, otherwise } => match self.bool(cond)? {
                true => self.val(then),
                false => self.val(otherwise),
            },
            Val::Choose { cond, then, otherwise } => match self.val(cond)? {
                Literal::Bool(true) => self.val(then),
                Literal::Bool(false) => self.val(otherwise),
                _ => None,
            },
            Val::Convert { to, val } => self.val(val).map(|val| val.convert(*to)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::into_searches;
    use crate::passes::tests::gives;

    fn check(before: &str, after: &str) {
        let head = "kernel t(N, M) in i32 a[N] in i32 b[M] in f64 x[N] out append f64 y";
        gives(into_searches, head, before, after);
    }

    #[test]
    fn what_is_done_only_where_something_is_found_is_done_there() {
        check(
            "for p in 0..N { alloc register f64 v = 0.0f64 {
               meet(p) for q in 0..M { if b[q] == a[p] { v += x[p] } }
               alloc register bool keep uninit { keep = v != 0.0f64 if keep[0] == 1 { push y = v } } } }",
            "for p in 0..N { meet(p) for q in 0..M { if b[q] == a[p] { alloc register f64 v = 0.0f64 { v += x[p]
               alloc register bool keep uninit { keep = v != 0.0f64 if keep[0] == 1 { push y = v } } } } } }",
        );
    }

    #[test]
    fn what_follows_goes_through_as_many_searches_as_there_are() {
        check(
            "for p in 0..N { alloc register i64 v = 0i64 {
               search(p) for q in 0..M { if b[q] == a[p] { search for r in 0..M { if b[r] == p { v += int(r) } } } }
               if v[0] != 0 { push y = 1.0f64 } } }",
            "for p in 0..N { search(p) for q in 0..M { if b[q] == a[p] { search for r in 0..M { if b[r] == p {
               alloc register i64 v = 0i64 { v += int(r) if v[0] != 0 { push y = 1.0f64 } } } } } } }",
        );
    }

    #[test]
    fn what_is_done_in_any_case_stays() {
        for (kind, rest) in [
            ("search(p)", "push y = v"),
            ("search(p)", "if v[0] == 0 { push y = v }"),
            ("search(p)", "if a[p] != 0 { push y = v }"),
            ("search all", "if v[0] != 0 { push y = v }"),
        ] {
            let rest = rest.replace("= v", "= 1.0f64");
            let text = format!(
                "for p in 0..N {{ alloc register i64 v = 0i64 {{
                   {kind} for q in 0..M {{ if b[q] == a[p] {{ v += int(q) }} }} {rest} }} }}"
            );
            check(&text, &text);
        }
    }
}
