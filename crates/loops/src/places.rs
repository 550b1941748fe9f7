//! Loops over places that go over the places themselves.
//!
//! ```text
//! for p in 0..pos[r + 1] - pos[r] { .. crd[p + pos[r]] .. }    for p in pos[r]..pos[r + 1] { .. crd[p] .. }
//! ```
//!
//! are the same where `p` is used in no other way. The second takes fewer additions, which counts where a comparison of what was read decides
//! what is read next.

use crate::passes::{Rewrite, Substitute, rewrite_stmt};
use crate::{Int, Name, Stmt, index::IntOp};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The bounds and the body of a loop over `var` that goes over its places, if every use of the variable adds the same term, which is also what
/// the end is less by. That term hangs on nothing inside, and indices of memory only on what is not stored to meanwhile: it is computed
/// once, and no new sum arises.
pub fn absolute(var: &Name, (lo, hi): (&Int, &Int), body: &Stmt) -> Option<(Int, Int, Stmt)> {
    let Int::Bin(IntOp::Sub, end, base) = hi else { return None };
    if *lo != Int::Lit(0) {
        return None;
    }
    let uses = Uses { var, base, place: Name::from(PLACE), others: RefCell::new(0) };
    let marked = rewrite_stmt(&uses, body);
    let others = uses.others.into_inner();
    let inside = bound(body);
    let mut is_outside = true;
    base.for_each_var(&mut |name| is_outside &= name != var && !inside.contains(name));
    let body = rewrite_stmt(&Substitute { var: Name::from(PLACE), by: Int::Var(var.clone()) }, &marked);
    (others == 0 && is_outside).then(|| ((**base).clone(), (**end).clone(), body))
}

/// No kernel has a variable of this name.
const PLACE: &str = "@place";

/// Puts a mark for the sum of the variable and its base, and counts what else the variable is used for.
struct Uses<'a> {
    var: &'a Name,
    base: &'a Int,
    place: Name,
    others: RefCell<i64>,
}

impl Rewrite for Uses<'_> {
    fn int(&self, int: Int) -> Int {
        match &int {
            Int::Var(name) if name == self.var => *self.others.borrow_mut() += 1,
            Int::Bin(IntOp::Add, a, b) if **a == Int::Var(self.var.clone()) && **b == *self.base => {
                *self.others.borrow_mut() -= 1;
                return Int::Var(self.place.clone());
            }
            _ => {}
        }
        int
    }
}

/// The variables that are bound in a statement.
pub(crate) fn bound(stmt: &Stmt) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    stmt.for_each(&mut |stmt| match stmt {
        Stmt::For { var, .. } | Stmt::Visit { var, .. } => drop(names.insert(var.clone())),
        Stmt::Search { search, .. } => drop(names.insert(search.var.clone())),
        Stmt::Merge { keys, runs, .. } => {
            names.extend(keys.iter().cloned());
            names.extend(runs.iter().flat_map(|run| [run.place.clone(), run.has.clone()]));
        }
        _ => {}
    });
    names
}

#[cfg(test)]
mod tests {
    use super::absolute;
    use crate::{Stmt, parse_kernel};

    /// The loop of a kernel, over its places.
    fn shown(inside: &str) -> Option<String> {
        let text = format!(
            "kernel f(N, M) in i64 pos[N] in i32 crd[M] out i64 y[] {{ reset y = 0i64
               for r in 0..N - 1 {{ for p in 0..pos[r + 1] - pos[r] {{ {inside} }} }} }}"
        );
        let kernel = parse_kernel(&text).unwrap();
        let mut found = None;
        kernel.body.for_each(&mut |stmt| {
            if let Stmt::For { var, lo, hi, body, kind } = stmt
                && var.as_str() == "p"
            {
                found = absolute(var, (lo, hi), body)
                    .map(|(lo, hi, body)| Stmt::for_loop(var.clone(), lo, hi, kind.clone(), body));
            }
        });
        let body = found?;
        Some(
            crate::Kernel { body, ..kernel }
                .to_string()
                .split_once("{\n")
                .unwrap()
                .1
                .replace(char::is_whitespace, ""),
        )
    }

    #[test]
    fn what_is_added_each_time_becomes_where_the_loop_begins() {
        let over = |inside| shown(inside).unwrap();
        assert_eq!(
            over("if crd[p + pos[r]] == 3 { y += int(p + pos[r]) }"),
            "forpinpos[r]..pos[r+1]{ifcrd[p]==3{y+=int(p)}}}"
        );
        assert_eq!(
            over("for q in 0..crd[p + pos[r] + 1] - crd[p + pos[r]] { y += int(q) }"),
            "forpinpos[r]..pos[r+1]{forqin0..crd[p+1]-crd[p]{y+=int(q)}}}"
        );
        assert_eq!(over("y += 1i64"), "forpinpos[r]..pos[r+1]{y+=1i64}}");
    }

    #[test]
    fn what_is_used_otherwise_stays() {
        assert_eq!(shown("y += int(p)"), None);
        assert_eq!(shown("y += int(p + pos[r]) + int(p)"), None);
        assert_eq!(shown("y += int(p + pos[0])"), None);
        assert_eq!(shown("y += int(p + pos[r] * 2)"), None);
    }
}
