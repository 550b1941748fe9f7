//! Where reads of memory stand under conditions, and whether several of them may become lanes of one group of vectors.
//!
//! One idea: a loop body is judged as a compiler sees it that unrolls inner loops of small constant count. It is in danger
//! if, so repeated, at least two reads stand under conditions and at least two values leave it side by side: stores, or
//! values that are combined into what outlives an iteration. Every count errs upwards: a kernel that is judged dangerous
//! without need is a little slower. This looks at no addresses, and does not ask what a condition says.

use atl_loops::search::Search;
use atl_loops::{Bool, Int, IntOp, Kernel, LoopKind, Name, ReduceOp, Scalar, Stmt, StoreMode, Val, is_half};
use std::collections::{BTreeMap, BTreeSet};

/// The longest count of a loop that GCC unrolls whole on its own: `max-completely-peel-times`.
const UNROLLED: i64 = 16;

/// The longest count of a loop that a pragma asks it to unroll.
const UNROLLED_BY_PRAGMA: i64 = 64;

/// Does the kernel have a loop body in which several reads stand under conditions, and from which several values leave?
pub(crate) fn has_conditional_lanes(kernel: &Kernel) -> bool {
    let types = kernel.buffer_types();
    let mut walk = Walk { types: &types, found: false, variables: BTreeSet::new() };
    walk.stmt(&kernel.body, false);
    walk.found
}

/// What one iteration does, inner loops of constant count unrolled.
#[derive(Default)]
struct Body<'k> {
    /// Reads under conditions.
    reads: i64,
    /// Stores to memory.
    stores: i64,
    /// For each buffer, the values that are combined into it.
    combined: BTreeMap<&'k Name, i64>,
}

impl<'k> Body<'k> {
    fn add(&mut self, other: Body<'k>, times: i64) {
        let sum = |a: i64, b: i64| a.saturating_add(b.saturating_mul(times));
        self.reads = sum(self.reads, other.reads);
        self.stores = sum(self.stores, other.stores);
        for (buf, count) in other.combined {
            let entry = self.combined.entry(buf).or_default();
            *entry = sum(*entry, count);
        }
    }

    fn is_dangerous(&self) -> bool {
        let lanes = self.combined.values().fold(self.stores, |sum, count| sum.saturating_add(*count));
        self.reads >= 2 && lanes >= 2
    }
}

struct Walk<'k> {
    types: &'k BTreeMap<Name, Scalar>,
    found: bool,
    /// The scratch buffers around that are single variables: to store to them is to name a value.
    variables: BTreeSet<&'k Name>,
}

impl<'k> Walk<'k> {
    /// A loop of such a body, within another; a compiler repeats it whole up to `unrolled` iterations.
    fn repeated(&mut self, once: Body<'k>, (lo, hi): (&Int, &Int), unrolled: i64, within: &mut Body<'k>) {
        self.found |= once.is_dangerous();
        if let Some(count) = at_most(lo, hi).filter(|count| *count <= unrolled) {
            within.add(once, count.max(0));
        }
    }

    /// Searches, one inside another, within another body.
    fn searched(&mut self, searches: &[Search], inside: &'k Stmt, guarded: bool, within: &mut Body<'k>) {
        let Some((search, others)) = searches.split_first() else {
            return within.add(self.stmt(inside, guarded), 1);
        };
        let (mut once, cond) = (Body::default(), search.cond());
        self.searched(others, inside, true, &mut once);
        let reads = reads_behind(&cond) + if guarded { reads_of(&cond) } else { 0 };
        once.reads = once.reads.saturating_add(reads);
        self.repeated(once, (&search.lo, &search.hi), UNROLLED, within);
    }

    /// What the statement adds to the body around it. `guarded`: a condition stands around it, within that body.
    fn stmt(&mut self, stmt: &'k Stmt, guarded: bool) -> Body<'k> {
        let mut body = Body::default();
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| body.add(self.stmt(stmt, guarded), 1)),
            // What is printed as vectors reads them by masks of its own.
            Stmt::Vectors { .. } => {}
            Stmt::For { lo, hi, kind, body: inside, .. } => {
                let once = self.stmt(inside, guarded);
                let unrolled = if *kind == LoopKind::Unroll { UNROLLED_BY_PRAGMA } else { UNROLLED };
                self.repeated(once, (lo, hi), unrolled, &mut body);
            }
            Stmt::Search { search, body: inside } => {
                self.searched(std::slice::from_ref(search), inside, guarded, &mut body);
            }
            Stmt::Intersection { intersection, body: inside } => {
                let (mut once, first) = (Body::default(), &intersection.first);
                self.searched(&intersection.searches(), inside, guarded, &mut once);
                self.repeated(once, (&first.lo, &first.hi), UNROLLED, &mut body);
            }
            Stmt::If { cond, then, otherwise } => {
                body.reads += reads_behind(cond) + if guarded { reads_of(cond) } else { 0 };
                body.add(self.stmt(then, true), 1);
                if let Some(otherwise) = otherwise {
                    body.add(self.stmt(otherwise, true), 1);
                }
            }
            Stmt::Alloc { buf, extents, body: inside, .. } => {
                if extents.is_empty() {
                    self.variables.insert(buf);
                }
                body.add(self.stmt(inside, guarded), 1);
                // What begins in an iteration does not outlive it.
                body.combined.remove(buf);
                self.variables.remove(buf);
            }
            Stmt::Visit { body: inside, .. } | Stmt::Merge { body: inside, .. } => {
                let once = self.stmt(inside, guarded);
                self.found |= once.is_dangerous();
            }
            Stmt::Store { buf, index, value, mode } => {
                let in_memory = !self.variables.contains(buf);
                body.reads = conditional_reads(value);
                if guarded {
                    body.reads = reads(value) + i64::from(index.reads());
                }
                body.stores = i64::from(in_memory);
                if let StoreMode::Reduce(op) = mode {
                    body.reads += i64::from(guarded && in_memory);
                    let floats =
                        self.types.get(buf).is_some_and(|scalar| scalar.is_float() && !is_half(*scalar));
                    let lanes = match op {
                        // Of floats these are choices by a comparison, which are never put side by side.
                        ReduceOp::Min | ReduceOp::Max if floats => 0,
                        _ if floats => 1,
                        // Sums of integers are taken apart.
                        _ => loads(value).max(1),
                    };
                    body.combined.insert(buf, lanes);
                }
            }
            Stmt::Push { value, .. } => {
                body.reads = if guarded { reads(value) } else { conditional_reads(value) };
                body.stores = 1;
            }
            Stmt::Reset { .. } | Stmt::Forget { .. } | Stmt::Prefetch { .. } => {}
        }
        body
    }
}

/// The most iterations from `lo` to before `hi`, where that is visible.
fn at_most(lo: &Int, hi: &Int) -> Option<i64> {
    if let Some(count) = (hi.clone() - lo.clone()).constant() {
        return Some(count);
    }
    let Int::Bin(op, a, b) = hi else { return None };
    match op {
        IntOp::Min => [a, b].into_iter().filter_map(|end| at_most(lo, end)).min(),
        IntOp::Add if **a == *lo => b.constant(),
        IntOp::Add if **b == *lo => a.constant(),
        _ => None,
    }
}

/// The elements that a value is made of.
fn loads(value: &Val) -> i64 {
    let mut count = 0;
    value.for_each(&mut |part| count += i64::from(matches!(part, Val::Load { .. })));
    count
}

/// All reads of a value, index terms and conditions included.
fn reads(value: &Val) -> i64 {
    let mut count = loads(value);
    value.for_each_read(&mut |_, _| count += 1);
    count
}

/// The reads of a value that are made under a condition of its own. Variables count: a compiler may move what they were
/// read from to where they are used.
fn conditional_reads(value: &Val) -> i64 {
    match value {
        Val::Lit(_) | Val::Load { .. } | Val::OfInt(_) => 0,
        Val::Un(_, a) | Val::Convert { val: a, .. } => conditional_reads(a),
        Val::Call(_, operands) => operands.iter().map(conditional_reads).sum(),
        Val::Bin(_, a, b) | Val::Cmp(_, a, b) => conditional_reads(a) + conditional_reads(b),
        Val::Select { cond, then, otherwise } => reads_behind(cond) + reads(then) + reads(otherwise),
        Val::Choose { cond, then, otherwise } => conditional_reads(cond) + reads(then) + reads(otherwise),
    }
}

/// All reads of a predicate.
fn reads_of(cond: &Bool) -> i64 {
    let mut count = 0;
    cond.for_each_read(&mut |_, _| count += 1);
    count
}

/// The reads of a predicate that its second parts make.
fn reads_behind(cond: &Bool) -> i64 {
    match cond {
        Bool::Lit(_) | Bool::Cmp(..) => 0,
        Bool::And(a, b) | Bool::Or(a, b) => reads_behind(a) + reads_of(b),
        Bool::Not(a) => reads_behind(a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_loops::parse_kernel;

    fn check(body: &str, expected: bool) {
        let text = format!(
            "kernel t(N) in bool m[N, 64] in f32 a[N, 64] in i32 e[N, 64] out f32 y[N, 64] out i32 z[N, 64] {{ {body} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(has_conditional_lanes(&kernel), expected, "{body}");
    }

    #[test]
    fn short_loops_are_seen_unrolled() {
        let pick = "y[i * 64 + j] = select(m[i * 64 + j], a[i * 64 + j], 0f32)";
        for (count, expected) in [
            ("0", false),
            ("1", false),
            ("2", true),
            ("16", true),
            ("17", false),
            ("N", false),
            ("min(N, 8)", true),
        ] {
            check(&format!("for i in 0..N {{ for j in 0..{count} {{ {pick} }} }}"), expected);
        }
        check(&format!("for i in 0..N {{ for j in i..i + 3 {{ {pick} }} }}"), true);
        check(&format!("for i in 0..N {{ unroll for j in 0..64 {{ {pick} }} }}"), true);
        check(&format!("for i in 0..N {{ unroll for j in 0..65 {{ {pick} }} }}"), false);
        check("for i in 0..N { for j in 0..3 { y[i * 64 + j] = a[i * 64 + j] } }", false);
    }

    #[test]
    fn statements_beside_each_other_are_lanes() {
        let pick = |j: i64| format!("y[i * 64 + {j}] = (i < 7 ? a[i * 64 + {j}] : 0f32)");
        check(&format!("for i in 0..N {{ {} }}", pick(0)), false);
        check(&format!("for i in 0..N {{ {} {} }}", pick(0), pick(1)), true);
        check(&format!("{} {}", pick(0).replace('i', "0"), pick(1).replace('i', "0")), false);
        // One value that leaves is made of several that are read under conditions.
        check("for i in 0..N { y[i] = (i < 7 ? a[i] : 0f32) + (i < 8 ? a[i + 1] : 0f32) }", false);
        check("for i in 0..N { if 3 < i { y[2 * i] = a[i] y[2 * i + 1] = a[i] } }", true);
        check("for i in 0..N { if 3 < i && 0 < e[i] { y[i] = 1f32 y[i + 64] = 2f32 } }", false);
    }

    #[test]
    fn what_outlives_an_iteration_is_a_lane() {
        let sum =
            |inside: &str| format!("for i in 0..N {{ alloc register f32 s = 0f32 {{ {inside} y[i] = s }} }}");
        let short = "for k in 0..4 { s += select(m[i * 64 + k], a[i * 64 + k], 0f32) }";
        check(&sum(short), false);
        check(&sum(&format!("for j in 0..N {{ {} }}", short.replace("i *", "j *"))), true);
        let most = short.replace("i *", "j *").replace("s +=", "s max=");
        check(&sum(&format!("for j in 0..N {{ {most} }}")), false);
        // Of integers a sum is taken apart; of floats it is not.
        check(
            "for i in 0..N { for j in 0..N { z[i] += (j < 7 ? e[j] : 0i32) + (j < 8 ? e[j + 1] : 0i32) } }",
            true,
        );
        // One value that is combined under a condition is one lane, be it read through another array.
        check(
            "for i in 0..N { alloc register i32 s = 0i32 { for j in 0..N { if i == e[j] { s += e[e[j]] } } z[i] = s } }",
            false,
        );
        // A store to a variable only names a value.
        let named = "for i in 0..N { alloc register f32 s uninit { alloc register f32 t uninit { \
                     s = (i < 7 ? a[i] : 0f32) t = (i < 8 ? a[i + 1] : 0f32) y[i] = s + t } } }";
        check(named, false);
        check(&named.replace("y[i] = s + t", "y[2 * i] = s y[2 * i + 1] = t"), true);
    }

    #[test]
    fn vectors_that_are_printed_have_masks_of_their_own() {
        let read = "y[i * 64 + j] = (j < i ? a[i * 64 + j] : 0f32)";
        check(&format!("for i in 0..N {{ f32x8 for j in 0..64 {{ {read} }} }}"), false);
        check(&format!("for i in 0..N {{ vector for j in 0..16 {{ {read} }} }}"), true);
    }
}
