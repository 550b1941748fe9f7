//! Random recursive tensors by fronts, in tiles and in rings: what is proved holds wherever it is evaluated,
//! and fronts are refused only where two elements are in conflict.
//!
//! One to three indices, reads at constant offsets and below sums, of elements before and after the own one,
//! ranks from 0 to 3 an index. `ATL_KERNEL=20` tries 20 times as much.

use crate::kernel_rules::holds_somewhere;
use atl_arith::Arith;
use atl_kernel::subst::{close, close_all};
use atl_kernel::{
    Ctx, Expr, Iterate, Ix, Label, Node, Number, Pred, Prim, Rounding, State, Thm, Var, type_of,
};
use atl_rules::Cx;
use atl_rules::rules::earlier_terms::earlier_terms;
use atl_rules::rules::iterate_ring::ring;
use atl_rules::rules::wavefront::{Storage, by_tiles, conflict, conflict_of_tiles, wavefront};
use atl_rules::tiles::Tiling;
use atl_testkit::choices::Choices;
use atl_testkit::kernel::meaning::PLUS_TIMES;
use atl_testkit::kernel::terms::{context, floats};
use atl_testkit::oracle::replay;
use atl_testkit::parallel::in_parallel;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Levels of no context: from here on of what is opened.
const APART: u32 = 1 << 20;

fn variable(level: u32) -> Expr {
    Arc::new(Node::Var(Var::Free(level)))
}

fn access(e: Expr, at: &[Ix]) -> Expr {
    at.iter().fold(e, |e, i| Arc::new(Node::Get(e, i.clone())))
}

/// The tensor with this element, in the tensor at `APART` and the place from there on.
fn recursion(extents: &[Ix], start: &Expr, element: &Expr) -> Expr {
    let rank = extents.len() as u32;
    let state = |k: u32| APART + 64 + 2 * k;
    let cell: Vec<Ix> = (0..rank).map(|k| Ix::free(APART + 128 + k)).collect();
    let now = (0..rank).map(|k| Ix::free(state(k) + 1));
    let put = atl_kernel::subst::Subst {
        index: (0..rank).map(|k| (APART + 1 + k, Ix::free(state(k) + 1))).collect(),
        tensor: vec![(APART, variable(state(rank - 1)))],
    };
    let here = cell.iter().zip(now).fold(Pred::True, |p, (c, i)| Pred::and(p, Pred::eq(c.clone(), i)));
    let old = access(variable(state(rank - 1)), &cell);
    let mut term: Expr = Arc::new(Node::Select(here, put.expr(element), old));
    for (k, n) in extents.iter().enumerate().rev() {
        term = Arc::new(Node::Gen(Label::new("p"), n.clone(), close(&term, APART + 128 + k as u32)));
    }
    for (k, n) in extents.iter().enumerate().rev() {
        let k = k as u32;
        let init = if k == 0 { start.clone() } else { variable(state(k - 1)) };
        let states = vec![State { label: Label::new("x"), init, step: close_all(&term, state(k), 2) }];
        let body = Arc::new(Node::Var(Var::Bound(0)));
        term = Arc::new(Node::Iterate(Arc::new(Iterate {
            label: Label::new("i"),
            extent: n.clone(),
            states,
            body,
        })));
    }
    term
}

/// An element of random reads, at these offsets and below sums.
fn element(choices: &mut Choices, offsets: &[Vec<i64>]) -> Expr {
    let op = |prim, a: &Expr, b: &Expr| -> Expr { Arc::new(Node::Prim(prim, vec![a.clone(), b.clone()])) };
    let rank = offsets.first().map_or(1, Vec::len) as u32;
    let place: Vec<Ix> = (0..rank).map(|k| Ix::free(APART + 1 + k)).collect();
    let decimal = |n: i64| Node::Lit(floats(&PLUS_TIMES), Number::Decimal(i128::from(n), 0));
    // `x[p] + 3`, of the context's `x`.
    let own = access(variable(3), &place[..1]);
    let mut made = op(Prim::Add, &own, &Arc::new(decimal(3)));
    for offset in offsets {
        let at: Vec<Ix> = place.iter().zip(offset).map(|(p, d)| p.clone() + Ix::Lit(*d)).collect();
        let mut read = access(variable(APART), &at);
        match choices.below(6) {
            // All of the row before that is earlier, too.
            0 if rank == 2 => {
                let k = APART + 256;
                let row = access(variable(APART), &[at[0].clone(), Ix::free(k)]);
                read = Arc::new(Node::Sum(Label::new("k"), place[1].clone(), close(&row, k)));
            }
            1 => {
                let zero = Arc::new(decimal(0));
                read = Arc::new(Node::Select(Pred::lt(Ix::ONE, place[0].clone()), read, zero));
            }
            2 => read = Arc::new(Node::Guard(Pred::in_range(&at[0], &Ix::free(0)), read)),
            _ => {}
        }
        made = match choices.below(3) {
            0 => op(Prim::Sub, &made, &read),
            1 => op(Prim::Max, &read, &made),
            _ => op(Prim::Add, &made, &read),
        };
    }
    made
}

/// How often each was proved, and at how many points one was evaluated.
type Counts = BTreeMap<String, (u64, u64)>;

fn attempt(choices: &mut Choices, rank: usize, counts: &mut Counts) {
    // No hypotheses but on the sizes: few points would meet them.
    let mut ctx = context(choices);
    while ctx.hypotheses().next().is_some() {
        ctx = context(choices);
    }
    for level in 0..2 {
        ctx.push_hyp(Pred::le(Ix::Lit(choices.below(3) as i64), Ix::free(level)));
    }
    let ctx: Arc<Ctx> = Arc::new(ctx);
    let extents: Vec<Ix> = [Ix::free(0), Ix::free(1) + Ix::ONE, Ix::Lit(2)][..rank].to_vec();
    let offsets: Vec<Vec<i64>> = (0..1 + choices.below(3))
        .map(|_| (0..rank).map(|k| choices.below(3) as i64 - if k == 0 { 2 } else { 1 }).collect())
        .collect();
    let zeros = extents.iter().rev().fold(Arc::new(Node::Lit(floats(&PLUS_TIMES), Number::Zero)), |e, n| {
        Arc::new(Node::Gen(Label::new("i"), n.clone(), e))
    });
    // What is there before is a tensor of its own, for one index.
    let start = if rank == 1 && choices.one_in(2) { variable(3) } else { zeros };
    let e = recursion(&extents, &start, &element(choices, &offsets));
    let mut prover = Arith::with_work(40_000);
    if type_of(&ctx, &e, &mut prover).is_err() {
        return;
    }
    let mut proved = |name: String, e: &Expr, choices: &mut Choices, thm: Thm| {
        replay(&thm).unwrap_or_else(|why| panic!("{name}: {why}"));
        let said = (thm.lhs(), thm.rounding(), thm.laws().is_empty());
        assert_eq!(said, (e, Rounding::Bitwise, true), "{name}");
        let count = counts.entry(name).or_default();
        count.0 += 1;
        count.1 += u64::from((0..4).any(|_| holds_somewhere(&thm, choices)));
    };
    // Most often some that fit.
    let mut weights: Vec<i64> = vec![1; rank];
    weights[0] += choices.below(3) as i64;
    if choices.one_in(4) {
        weights[rank - 1] = choices.below(4) as i64;
    }
    let mut cx = Cx::new(ctx.clone(), &mut prover);
    for (name, storage) in [("in place", Storage::InPlace), ("by fronts", Storage::ByFronts("y".into()))] {
        if let Ok(Ok(thm)) = wavefront(&mut cx, &e, &weights, &storage, "front") {
            let of_rounds = match &**thm.rhs() {
                Node::Let(_, rounds, _) => Some(rounds.clone()),
                _ => None,
            };
            proved(format!("{name}, {rank} indices"), &e, choices, thm);
            // The last front, of three that are kept.
            if let Some(rounds) = of_rounds
                && let Node::Iterate(it) = &*rounds
            {
                let last = (0..rank).map(|k| if k == 0 { it.extent.clone() - Ix::ONE } else { Ix::ZERO });
                let body = access(Arc::new(Node::Var(Var::Bound(0))), &last.collect::<Vec<_>>());
                let kept: Expr = Arc::new(Node::Let(Label::new("y"), rounds.clone(), body));
                if let Ok(thm) = ring(&mut cx, &kept, &Ix::Lit(rank as i64 + 2)) {
                    proved(format!("ring, {rank} indices"), &kept, choices, thm);
                }
            }
        }
    }
    let sizes = (0..rank).map(|_| 1 + choices.below(3) as i64).collect();
    let skews = (0..rank).map(|k| if k == 0 { 0 } else { choices.below(3) as i64 }).collect();
    let tiling = Tiling { sizes, skews, name: "tile".into() };
    for (name, storage) in
        [("tiles side by side", Storage::InPlace), ("tiles by fronts", Storage::ByFronts("y".into()))]
    {
        if rank < 3
            && choices.one_in(3)
            && let Ok(Ok(thm)) = by_tiles(&mut cx, &e, (&weights, &tiling), &storage, "front")
        {
            proved(format!("{name}, {rank} indices"), &e, choices, thm);
        }
    }
    if rank == 1 {
        let at = [Ix::free(0) - Ix::ONE - Ix::Lit(choices.below(2) as i64)];
        let body = access(Arc::new(Node::Var(Var::Bound(0))), &at);
        let kept: Expr = Arc::new(Node::Let(Label::new("y"), e.clone(), body));
        if let Ok(thm) = ring(&mut cx, &kept, &Ix::Lit(2 + choices.below(2) as i64)) {
            proved("ring of a recursion".to_owned(), &kept, choices, thm);
        }
    }
}

#[test]
fn fronts_have_the_value_of_the_recursion() {
    let times: u64 = std::env::var("ATL_KERNEL").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let all = in_parallel(0..400 * times, |seed| {
        let (mut choices, mut counts) = (Choices::new(seed), Counts::new());
        let ranks = match seed / times {
            0..8 => 3,
            8..64 => 2,
            _ => 1,
        };
        (1..=ranks).for_each(|rank| attempt(&mut choices, rank, &mut counts));
        counts
    });
    let mut total = Counts::new();
    for (name, (made, evaluated)) in all.into_iter().flatten() {
        let count = total.entry(name).or_default();
        *count = (count.0 + made, count.1 + evaluated);
    }
    for (name, (made, evaluated)) in &total {
        println!("{name:24} {made:6} theorems, {evaluated:6} evaluated");
    }
    let evaluated = |what: &str| {
        let of = total.iter().filter(|(name, _)| name.starts_with(what));
        of.map(|(_, (_, evaluated))| *evaluated).sum::<u64>()
    };
    for what in ["in place", "by fronts", "tiles side by side", "tiles by fronts", "ring"] {
        assert!(evaluated(what) >= 5, "{what}: {total:?}");
    }
}

/// Rounds that set the cells from one on, with a sum over cells that may reach into them.
fn rounds_from(choices: &mut Choices, rank: usize) -> Expr {
    let op = |prim, a: Expr, b: Expr| -> Expr { Arc::new(Node::Prim(prim, vec![a, b])) };
    let (y, t, cells, k) = (variable(APART), Ix::free(APART + 1), APART + 2, Ix::free(APART + 8));
    let extents = [Ix::free(0), Ix::free(1)];
    let cell: Vec<Ix> = (0..rank as u32).map(|k| Ix::free(cells + k)).collect();
    let first = [Ix::ZERO, Ix::ONE, Ix::Lit(2), Ix::free(2)][choices.below(4)].clone();
    let (ahead, more) = (Ix::Lit(choices.below(2) as i64), Ix::Lit(choices.below(3) as i64 - 1));
    let read = access(y.clone(), &[&[k.clone() + ahead][..], &cell[1..]].concat());
    let term = op(Prim::Mul, access(variable(3), std::slice::from_ref(&k)), read);
    let (row, outside) = (first.clone() + t, choices.one_in(3));
    let last = if outside || choices.one_in(2) { row.clone() } else { cell[0].clone() };
    let sum = Arc::new(Node::Sum(Label::new("k"), last + more, close(&term, APART + 8)));
    let made = op(Prim::Sub, access(variable(3), &cell[..1]), sum);
    let now = Pred::eq(cell[0].clone(), row);
    // The sum in the cell, or in a `let` around it.
    let mut step: Expr = match outside {
        false => Arc::new(Node::Select(now, made, access(y, &cell))),
        true => {
            let name = APART + 9;
            let chosen = Node::Select(now, variable(name), access(y, &cell));
            Arc::new(Node::Let(Label::new("v"), made, close(&Arc::new(chosen), name)))
        }
    };
    for (k, n) in extents[..rank].iter().enumerate().rev() {
        step = Arc::new(Node::Gen(Label::new("p"), n.clone(), close(&step, cells + k as u32)));
    }
    let init = if rank == 1 { variable(3) } else { variable(5) };
    let states = vec![State { label: Label::new("y"), init, step: close_all(&step, APART, 2) }];
    let (body, extent) = (Arc::new(Node::Var(Var::Bound(0))), Ix::free(0) - first);
    Arc::new(Node::Iterate(Arc::new(Iterate { label: Label::new("t"), extent, states, body })))
}

#[test]
fn sums_in_rounds_have_the_terms_from_before() {
    let (mut proved, mut evaluated) = (0, 0);
    for seed in 0..400 {
        let mut choices = Choices::new(seed);
        let mut ctx = context(&mut choices);
        while ctx.hypotheses().next().is_some() {
            ctx = context(&mut choices);
        }
        for level in 0..3 {
            ctx.push_hyp(Pred::le(Ix::ZERO, Ix::free(level)));
        }
        ctx.push_hyp(Pred::le(Ix::free(2), Ix::free(0)));
        let ctx: Arc<Ctx> = Arc::new(ctx);
        let e = rounds_from(&mut choices, 1 + (seed % 2) as usize);
        let mut prover = Arith::with_work(40_000);
        if type_of(&ctx, &e, &mut prover).is_err() {
            continue;
        }
        let Ok(Some(thm)) = earlier_terms(&mut Cx::new(ctx, &mut prover), &e, Some("k"), "s") else {
            continue;
        };
        replay(&thm).unwrap_or_else(|why| panic!("{seed}: {why}"));
        assert_eq!((thm.lhs(), thm.rounding()), (&e, Rounding::Real), "{seed}");
        proved += 1;
        evaluated += u64::from((0..4).any(|_| holds_somewhere(&thm, &mut choices)));
    }
    println!("{proved} theorems, {evaluated} evaluated");
    assert!(proved >= 30 && evaluated >= 10, "{proved}, {evaluated}");
}

/// A recursion of two indices, each element of which reads one at this distance.
fn reads_at(d: i64, e: i64) -> (Arc<Ctx>, Expr) {
    let mut ctx = Ctx::new();
    let extents = ["n", "m"].map(|name| Ix::free(ctx.push_size(Label::new(name))));
    let ty = atl_kernel::Type { elem: floats(&PLUS_TIMES), shape: extents.to_vec() };
    let start = variable(ctx.push_tensor(Label::new("z"), ty));
    let at = [Ix::free(APART + 1) + Ix::Lit(d), Ix::free(APART + 2) + Ix::Lit(e)];
    (Arc::new(ctx), recursion(&extents, &start, &access(variable(APART), &at)))
}

/// Of two indices and one read: fronts are refused exactly where, in some small table, an element reads
/// another that one order has before it and the other has not.
#[test]
fn fronts_are_refused_exactly_where_elements_are_in_conflict() {
    let (mut agreed, mut refused) = (0, 0);
    for (d, e) in (-2..=2).flat_map(|d| (-2..=2).map(move |e| (d, e))) {
        let (ctx, term) = reads_at(d, e);
        for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
            let conflicts = d != 0 || e != 0;
            let before = (d, e) < (0, 0);
            let is_wrong = conflicts && before != (a * d + b * e < 0);
            let mut prover = Arith::new();
            let found = conflict(&mut Cx::new(ctx.clone(), &mut prover), &term, &[a, b]);
            let found = found.unwrap_or_else(|why| panic!("{why}"));
            assert_eq!(found.is_some(), is_wrong, "reads ({d}, {e}) by {a}, {b}");
            if is_wrong { refused += 1 } else { agreed += 1 }
        }
    }
    assert!(agreed > 200 && refused > 50, "{agreed} {refused}");
}

/// Of two indices and one read: tiles are refused exactly where, in some small table, an element reads one
/// that comes later row by row, or one of another tile of its own front or a later one.
#[test]
fn tiles_are_refused_exactly_where_elements_are_in_conflict() {
    let (mut agreed, mut refused) = (0, 0);
    for (d, e) in (-2..=2).flat_map(|d| (-2..=2).map(move |e| (d, e))) {
        let (ctx, term) = reads_at(d, e);
        for (skew, sizes) in (0..3).flat_map(|skew| [(skew, [2, 3]), (skew, [3, 1])]) {
            let tiling = Tiling { sizes: sizes.to_vec(), skews: vec![0, skew], name: "tile".into() };
            let (d, e) = (i128::from(d), i128::from(e));
            let is_wrong = (2..14).flat_map(|i| (2..14).map(move |j| (i, j))).any(|(i, j)| {
                let [own, read] = [[i, j], [i + d, j + e]].map(|place| tiling.tile(&place));
                let rank = |tile: &[i128]| tile.iter().sum::<i128>();
                (d, e) >= (0, 0) || (own != read && rank(&own) <= rank(&read))
            });
            let mut prover = Arith::new();
            let found = conflict_of_tiles(&mut Cx::new(ctx.clone(), &mut prover), &term, (&[1, 1], &tiling));
            let found = found.unwrap_or_else(|why| panic!("{why}"));
            assert_eq!(found.is_some(), is_wrong, "reads ({d}, {e}) by {tiling:?}");
            if is_wrong { refused += 1 } else { agreed += 1 }
        }
    }
    assert!(agreed > 20 && refused > 50, "{agreed} {refused}");
}
