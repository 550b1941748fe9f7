//! Where the threads of a block wait for each other.
//!
//! Threads run apart between two barriers. So what one stores and another touches, a barrier stands between:
//! a nest is preceded by one if, since the last one, a nest may have stored what this one touches, or touched
//! what this one stores. Cells of shared memory and of results count; a thread's own tile does not, and
//! neither do cells of which [`cells`](crate::cells) shows that each thread has its own. What may have
//! happened before a loop's body is what did before the loop and what its own iterations leave, so that the
//! last statement of an iteration is apart from the first of the next.
//!
//! Items are the same for all threads of a block, and barriers are items: every thread comes to each, or none
//! does.

use crate::cells::Touched;
use crate::plan::{Item, Launch, Work};
use atl_loops::{Name, Stmt};
use std::collections::BTreeSet;

/// Puts the barriers that a launch needs.
pub fn place(launch: &mut Launch) {
    if launch.threads == [1; 3] {
        return;
    }
    if let Work::Blocks { items, .. } = &mut launch.work {
        let mut own = BTreeSet::new();
        own_of(items, &mut own);
        *items = placed(items, &own, &mut Vec::new(), &mut Touched::default());
    }
}

/// What is one thread's own: tiles, and what a nest allocates.
fn own_of(items: &[Item], own: &mut BTreeSet<Name>) {
    for item in items {
        match item {
            Item::For { body, .. } => own_of(body, own),
            Item::If { then, otherwise, .. } => {
                own_of(then, own);
                own_of(otherwise, own);
            }
            Item::Tile { buf, body, .. } => {
                own.insert(buf.clone());
                own_of(body, own);
            }
            Item::Nest(nest) => nest.whole.for_each(&mut |stmt| {
                if let Stmt::Alloc { buf, .. } = stmt {
                    own.insert(buf.clone());
                }
            }),
            Item::ResetTile { .. } | Item::Fill { .. } | Item::Barrier => {}
        }
    }
}

/// The items with barriers, after what has been done, in loops over these variables.
fn placed(items: &[Item], own: &BTreeSet<Name>, loops: &mut Vec<Name>, since: &mut Touched) -> Vec<Item> {
    let mut made = Vec::new();
    for item in items {
        let next = match item {
            Item::Nest(nest) => Touched::by(&nest.whole, loops).without(own),
            Item::Fill { buf, .. } => Touched::whole(buf),
            _ => Touched::default(),
        };
        if since.meets(&next) {
            made.push(Item::Barrier);
            *since = Touched::default();
        }
        *since = std::mem::take(since).or(&next);
        made.push(match item {
            Item::For { var, lo, hi, unroll, body } => {
                let before = since.clone();
                // What any number of iterations leaves: the sets only grow, so this ends.
                let mut entry = before.clone();
                loops.push(var.clone());
                let body = loop {
                    let mut after = entry.clone();
                    let body = placed(body, own, loops, &mut after);
                    let grown = entry.clone().or(&after);
                    if grown == entry {
                        *since = before.or(&after);
                        break body;
                    }
                    entry = grown;
                };
                loops.pop();
                let (var, lo, hi) = (var.clone(), lo.clone(), hi.clone());
                Item::For { var, lo, hi, unroll: *unroll, body }
            }
            Item::If { cond, then, otherwise } => {
                let mut other = since.clone();
                let then = placed(then, own, loops, since);
                let otherwise = placed(otherwise, own, loops, &mut other);
                *since = std::mem::take(since).or(&other);
                Item::If { cond: cond.clone(), then, otherwise }
            }
            Item::Tile { buf, scalar, cells, tile, init, body } => Item::Tile {
                buf: buf.clone(),
                scalar: *scalar,
                cells: *cells,
                tile: tile.clone(),
                init: init.clone(),
                body: placed(body, own, loops, since),
            },
            item => item.clone(),
        });
    }
    made
}

#[cfg(test)]
mod tests {
    use crate::plan::{Item, Work, plan};

    /// The items of the only launch, in order: `n` for a nest, `f` for a fill, `|` for a barrier, `(..)` for
    /// a loop.
    fn check(body: &str, expected: &str) {
        let text = format!(
            "kernel k(N) in f32 x[N] out f32 y[N] {{ block(x) for b in 0..N / 8 {{ alloc shared f32 s[8] uninit {{ \
             alloc shared f32 t[8] uninit {{ {body} }} }} }} }}"
        );
        let kernel = atl_loops::parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut launches = plan(&kernel).unwrap_or_else(|refusal| panic!("{refusal}"));
        super::place(&mut launches[0]);
        let Work::Blocks { items, .. } = &launches[0].work else { panic!("no blocks") };
        assert_eq!(written(items), expected, "{text}");
    }

    fn written(items: &[Item]) -> String {
        let one = |item: &Item| match item {
            Item::Nest(_) => "n".to_owned(),
            Item::Fill { .. } => "f".to_owned(),
            Item::Barrier => "|".to_owned(),
            Item::For { body, .. } | Item::Tile { body, .. } => format!("({})", written(body)),
            Item::If { then, otherwise, .. } => format!("?{}:{};", written(then), written(otherwise)),
            Item::ResetTile { .. } => "r".to_owned(),
        };
        items.iter().map(one).collect()
    }

    const STORE: &str = "thread(x) for i in 0..8 { s[i] = x[b * 8 + i] }";
    const OTHER: &str = "thread(x) for i in 0..8 { t[i] = x[i] }";
    const READ: &str = "thread(x) for i in 0..8 { y[b * 8 + i] = s[7 - i] }";
    const ADD: &str = "thread(x) for i in 0..8 { y[b * 8 + i] += s[7 - i] }";

    #[test]
    fn what_one_stores_and_another_touches_has_a_barrier_between() {
        check(&format!("{STORE} {READ}"), "n|n");
        check(&format!("{STORE} {OTHER} {READ}"), "nn|n");
        check(&format!("{READ} {STORE}"), "n|n");
        check(&format!("{STORE} {READ} {STORE}"), "n|n|n");
        check(&format!("{READ} {OTHER}"), "nn");
    }

    #[test]
    fn one_iteration_is_apart_from_the_next() {
        check(&format!("for k in 0..N {{ {STORE} {ADD} }}"), "(|n|n)");
        check(&format!("for k in 0..N {{ {STORE} {ADD} }} {STORE}"), "(|n|n)|n");
        let [inner, outer] = ["t[(i + l) % 8] = x[i]", "s[(i + k) % 8] = x[i]"]
            .map(|e| format!("thread(x) for i in 0..8 {{ {e} }}"));
        check(&format!("for k in 0..N {{ for l in 0..N {{ {inner} }} {outer} }}"), "((|n)|n)");
    }

    /// A thread that touches again what it stored itself waits for nobody; if it is another cell at another
    /// time, it does.
    #[test]
    fn what_only_the_same_thread_touches_again_needs_no_barrier() {
        check(&format!("for k in 0..N {{ {ADD} }}"), "(n)");
        check(&format!("{STORE} {STORE}"), "nn");
        let same = "thread(x) for j in 0..8 { y[b * 8 + j] = s[j] }";
        check(&format!("{STORE} {same}"), "nn");
        check(&format!("for k in 0..N {{ {STORE} {same} }}"), "(nn)");
        let other = "thread(x) for j in 0..8 { y[b * 8 + j] = s[(j + k) % 8] }";
        check(&format!("for k in 0..N {{ {STORE} {other} }}"), "(|n|n)");
        let moved = "thread(x) for j in 0..8 { s[(j + k) % 8] = x[j] }";
        check(&format!("for k in 0..N {{ {moved} }}"), "(|n)");
        let half = "thread(x) for j in 0..8 { if j < 4 { y[b * 8 + j] = s[j] } }";
        check(&format!("{STORE} {half}"), "n|n");
        let fewer = "thread(x) for j in 0..4 { y[b * 8 + j] = s[j] }";
        check(&format!("{STORE} {fewer}"), "n|n");
        let axis = "thread(y) for j in 0..8 { y[b * 8 + j] = s[j] }";
        check(&format!("{STORE} {axis}"), "n|n");
        let strips = "thread(x) for i in 0..4 { for v in 0..2 { s[i * 2 + v] = x[v] } }";
        let read = "thread(x) for j in 0..4 { for w in 0..2 { y[b * 8 + j * 2 + w] = s[j * 2 + w] } }";
        check(&format!("{strips} {read}"), "nn");
        let across = "thread(x) for j in 0..4 { for w in 0..2 { y[b * 8 + j * 2 + w] = s[w * 4 + j] } }";
        check(&format!("{strips} {across}"), "n|n");
    }

    #[test]
    fn what_may_have_happened_counts() {
        check(&format!("{STORE} if b < 3 {{ {READ} }} else {{ {OTHER} }} {STORE}"), "n?|n:n;|n");
        check(&format!("if b < 3 {{ {STORE} }} {READ}"), "?n:;|n");
        check("alloc shared f32 u[8] = 0f32 { thread(x) for i in 0..8 { u[i] += x[i] } }", "f|n");
    }

    #[test]
    fn what_is_a_thread_s_own_meets_nothing() {
        let own = "alloc register f32 r[8] = 0f32 { for k in 0..N { thread(x) for i in 0..8 { r[i] += x[k] } } \
                   thread(x) for i in 0..8 { alloc register f32 v uninit { v = r[i] y[b * 8 + i] = v } } }";
        check(own, "((n)n)");
    }
}
