//! Prefetches of the cells that an iteration stores.
//!
//! One idea: the loops and conditions around stores to outputs are copied, with a prefetch for each store,
//! and stand before the iteration. So the lines of memory arrive while it computes what it stores. A store
//! whose place hangs on scratch is passed over.

use super::{Frame, Read, is_known, near, nest};
use crate::lanes::Vectors;
use crate::{Name, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// The prefetches of what an iteration with this body stores to outputs; none where no place is known before.
pub fn of_stores(outputs: &BTreeSet<Name>, inputs: &BTreeSet<Name>, body: &Stmt) -> Option<Stmt> {
    let mut stores = Stores { outputs, inputs, found: BTreeMap::new() };
    stores.look(body, &mut Vec::new());
    let each = stores.found.into_iter().flat_map(|(buf, cells)| {
        near::apart(cells).into_iter().map(move |(frames, index)| nest(&buf, &frames, index))
    });
    let all: Vec<Stmt> = each.collect();
    (!all.is_empty()).then(|| Stmt::seq(all))
}

struct Stores<'k> {
    outputs: &'k BTreeSet<Name>,
    inputs: &'k BTreeSet<Name>,
    /// What stands around each store, and the cell.
    found: BTreeMap<Name, Vec<Read>>,
}

impl Stores<'_> {
    fn look(&mut self, stmt: &Stmt, frames: &mut Vec<Frame>) {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| self.look(stmt, frames)),
            Stmt::Alloc { body, .. } => self.look(body, frames),
            Stmt::For { var, lo, hi, body, .. }
            | Stmt::Vectors { vectors: Vectors { var, lo, hi, .. }, body } => {
                frames.push(Frame::Loop { var: var.clone(), lo: lo.clone(), hi: hi.clone() });
                self.look(body, frames);
                frames.pop();
            }
            Stmt::If { cond, then, otherwise } => {
                frames.push(Frame::When(cond.clone()));
                self.look(then, frames);
                frames.pop();
                if let Some(otherwise) = otherwise {
                    frames.push(Frame::When(cond.clone().negate()));
                    self.look(otherwise, frames);
                    frames.pop();
                }
            }
            Stmt::Store { buf, index, .. } if self.outputs.contains(buf) => {
                let store = (frames.clone(), index.clone());
                let cells = self.found.entry(buf.clone()).or_default();
                if is_known(self.inputs, frames, index) && !cells.contains(&store) {
                    cells.push(store);
                }
            }
            // Where these store is found out on the way.
            Stmt::Store { .. }
            | Stmt::Search { .. }
            | Stmt::Intersection { .. }
            | Stmt::Merge { .. }
            | Stmt::Push { .. }
            | Stmt::Reset { .. }
            | Stmt::Forget { .. }
            | Stmt::Visit { .. }
            | Stmt::Prefetch { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of_stores;
    use crate::{Kernel, Stmt, parse_kernel};
    use std::collections::BTreeSet;

    /// What is prefetched before an iteration over `i` with this body, in the text form.
    fn check(body: &str, expected: Option<&str>) {
        let kernel = |inside: &str| {
            let text = format!(
                "kernel t(N, M) in f32 x[N, M] in i32 c[N] out f32 y[N, M] out i32 d[N] {{ for i in 0..N {{ {inside} }} }}"
            );
            parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
        };
        let whole = kernel(body);
        let names = |is_output: bool| {
            let params = whole.params.iter().filter(|param| param.access.is_output() == is_output);
            params.map(|param| param.name.clone()).collect::<BTreeSet<_>>()
        };
        let Stmt::For { body: inside, .. } = &whole.body else { panic!("a loop") };
        let found = of_stores(&names(true), &names(false), inside);
        let body_of = |kernel: &Kernel| match &kernel.body {
            Stmt::For { body, .. } => (**body).clone(),
            _ => panic!("a loop"),
        };
        assert_eq!(found, expected.map(|text| body_of(&kernel(text))), "{body}");
    }

    #[test]
    fn stores_are_prefetched_where_their_places_are_known() {
        check("d[i] = c[i]", Some("prefetch d[i]"));
        check(
            "for j in 0..M { y[i * M + j] = x[i * M + j] }",
            Some("for j in 0..M { prefetch y[i * M + j] }"),
        );
        check(
            "if 2 < i { for j in 0..M { y[i * M + j] = x[i * M + j] } }",
            Some("if 2 < i { for j in 0..M { prefetch y[i * M + j] } }"),
        );
        // A scratch row comes first; its stores are no concern of memory.
        check(
            "alloc heap f32 t[M] = 0f32 { for j in 0..M { t[j] = x[i * M + j] } for j in 0..M { y[i * M + j] = t[j] } }",
            Some("for j in 0..M { prefetch y[i * M + j] }"),
        );
        // An input says where.
        check("d[c[i]] = 1i32", Some("prefetch d[c[i]]"));
        // Scratch does.
        check("alloc register i32 t = 0i32 { t = c[i] d[t[0]] = 1i32 }", None);
        check("alloc register i32 t = 0i32 { t = c[i] }", None);
    }
}
