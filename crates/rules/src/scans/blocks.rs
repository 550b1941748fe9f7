//! A scan in blocks of rounds: what a block does to the states is computed apart from the scan inside it.

use super::added;
use super::differences;
use super::form::{NEW, OLD, ROUND, Scan};
use super::history::{scan_as_loop, scan_without_as_loop, without_new};
use super::joined;
use super::starts::reads_carried_out;
use super::summary::Summary;
use crate::cx::{Chain, Cx};
use crate::lets::meet;
use crate::occurrences::{mentions, replace, variable};
use crate::rounds::{as_states, as_written, heads, induct, iterated, split};
use crate::rules::{gen_split_at::gen_split_at, split_gen::split_gen};
use atl_kernel::{Child, Error, Expr, Ix, Label, Monoid, Node, Pred, Result, Rule, State, Thm, Type, subst};
use std::sync::Arc;

/// Levels that no variable has: of a block, of a round in it, and of what is stored of it.
const BLOCK: u32 = (1 << 30) - 5;
const PLACE: u32 = BLOCK - 1;
const TABLES: u32 = PLACE - (1 << 12);

/// A scan, and the blocks that it is cut into.
struct Cut<'s> {
    scan: &'s Scan,
    summary: Summary,
    /// The types of the states.
    types: Vec<Type>,
    /// The type of what a round stores.
    row: Type,
    /// How many rounds are before the first block.
    before: Ix,
    /// How many blocks there are.
    count: Ix,
    /// How many rounds each has.
    length: Ix,
}

/// A response of a block's rounds that is stored for each of them.
struct Stored {
    /// In which states of which scan it is.
    scan: Scan,
    state: usize,
    /// After each round, or before it.
    level: u32,
}

impl Stored {
    /// The scan that stores it, in the names of a block.
    fn table(&self, cut: &Cut<'_>) -> Scan {
        let row = cut.types[self.state].clone();
        let of = self.scan.part(&Ix::ZERO, &cut.length, &self.scan.starts(), &row);
        let of =
            if of.depends_on_round() { of } else { of.with_name(&format!("{}.unit", cut.scan.label.name)) };
        of.giving(variable(self.level + self.state as u32))
    }
}

impl<'s> Cut<'s> {
    /// Blocks of `k` rounds, and whether they are all.
    fn of(
        cx: &mut Cx<'_>,
        scan: &'s Scan,
        monoids: &[Arc<Monoid>],
        row: Type,
        k: &Ix,
    ) -> Result<(Cut<'s>, bool)> {
        cx.demand(Pred::lt(Ix::ZERO, k.clone()))?;
        let n = scan.extent.clone();
        let count = atl_arith::simplify(&cx.ctx, &(n.clone() / k.clone()));
        let whole = count.clone() * k.clone();
        let is_whole = cx.equal(&n, &whole);
        let before = if is_whole { Ix::ZERO } else { atl_arith::simplify(&cx.ctx, &(n % k.clone())) };
        let types = scan.starts().iter().map(|e| cx.type_of(e)).collect::<Result<Vec<_>>>()?;
        let summary = Summary::of(scan, &types, monoids)?;
        Ok((Cut { scan, summary, types, row, before, count, length: k.clone() }, is_whole))
    }

    /// The number of the first round of a block.
    fn first(&self, o: &Ix) -> Ix {
        self.before.clone() + o.clone() * self.length.clone()
    }

    /// The name of the terms of a block.
    fn terms(&self) -> String {
        format!("{}.all", self.scan.label.name)
    }

    /// The block of this number, which begins with these states.
    fn block(&self, o: &Ix, starts: &[Expr]) -> Scan {
        self.scan.part(&self.first(o), &self.length, starts, &self.row).named(".i")
    }

    /// A state after the block of this number, which begins with these states.
    fn after(&self, o: &Ix, starts: &[Expr], k: usize) -> Result<Expr> {
        let block = self.block(o, starts).with_name(&self.terms());
        let responses = self.summary.responses(&block, &self.types, k);
        let total = |(scan, k): (Scan, usize)| match self.summary {
            Summary::Added => added::sum(&scan, &self.length, k, &self.terms()),
            Summary::Linear | Summary::Joined(_) => Ok(scan.state(&self.length, k)),
        };
        let totals = responses.into_iter().map(total).collect::<Result<Vec<_>>>()?;
        Ok(self.summary.together(starts, k, &totals))
    }

    /// What a round stores needs these responses of the states before it and after it.
    fn stored(&self, block: &Scan) -> Vec<(u32, usize, Vec<Stored>)> {
        let needed = [OLD, NEW].into_iter().flat_map(|level| (0..self.types.len()).map(move |k| (level, k)));
        let needed = needed.filter(|(level, k)| mentions(&self.scan.given, level + *k as u32));
        let responses = |(level, k)| {
            let responses = self.summary.responses(block, &self.types, k).into_iter();
            (level, k, responses.map(|(scan, state)| Stored { scan, state, level }).collect())
        };
        needed.map(responses).collect()
    }

    /// What the block of this number stores, which begins with these states: what they add in each round to
    /// the responses, in `let`s around the loop; and how many of these, the first ones, are the same in
    /// each block.
    fn rows_of(&self, o: &Ix, starts: &[Expr]) -> (Vec<Scan>, usize, Expr) {
        let block = self.block(o, starts);
        let stored = self.stored(&block);
        let of = |alike: bool| {
            let all = stored.iter().flat_map(|(.., stored)| stored);
            all.filter(move |stored| stored.scan.depends_on_round() != alike).map(|stored| stored.table(self))
        };
        let mut alike = 0;
        let mut tables: Vec<(Scan, Expr)> = Vec::new();
        for table in of(true).chain(of(false)) {
            let term = table.term();
            if tables.iter().all(|(_, other)| *other != term) {
                alike += usize::from(!table.depends_on_round());
                tables.push((table, term));
            }
        }
        let mut tensor = Vec::new();
        for (level, k, stored) in &stored {
            let response = |stored: &Stored| -> Expr {
                let term = stored.table(self).term();
                let place = tables.iter().position(|(_, other)| *other == term).unwrap_or(0);
                Arc::new(Node::Get(variable(TABLES + place as u32), Ix::free(PLACE)))
            };
            let responses: Vec<Expr> = stored.iter().map(response).collect();
            tensor.push((level + *k as u32, self.summary.together(starts, *k, &responses)));
        }
        let tables = tables.into_iter().map(|(table, _)| table).collect();
        let index = vec![(ROUND, Ix::free(PLACE))];
        let row = subst::Subst { index, tensor }.expr(&block.given);
        let each = Label::new(&format!("{}.each", self.scan.label.name));
        (tables, alike, Arc::new(Node::Gen(each, self.length.clone(), subst::close(&row, PLACE))))
    }

    /// The same with all `let`s.
    fn rows_below_lets(&self, tables: &[Scan], rows: &Expr) -> Expr {
        let body = subst::close_all(rows, TABLES, tables.len() as u32);
        let name = Label::new(&format!("{}_part", self.scan.all.name));
        let bind = |body, table: &Scan| Arc::new(Node::Let(name.clone(), table.term(), body));
        tables.iter().rev().fold(body, bind)
    }

    /// The same with those that are alike in each block where they are read.
    fn rows_from(&self, o: &Ix, starts: &[Expr]) -> Expr {
        let (tables, alike, rows) = self.rows_of(o, starts);
        let mut all = self.rows_below_lets(&tables, &rows);
        for table in &tables[..alike] {
            if let Node::Let(_, _, body) = &*all {
                all = subst::instantiate_tensor(body, &table.term());
            }
        }
        all
    }

    /// The scan over blocks, of which each stores its rows.
    fn outer(&self) -> Result<Scan> {
        let number = subst::Subst { index: vec![(BLOCK, Ix::free(ROUND))], ..Default::default() };
        let old: Vec<Expr> = (0..self.types.len() as u32).map(|k| variable(OLD + k)).collect();
        let given = number.expr(&self.rows_from(&Ix::free(BLOCK), &old));
        let shape = std::iter::once(self.length.clone()).chain(self.row.shape.iter().cloned()).collect();
        self.outer_of(given, &Type { shape, ..self.row.clone() })
    }

    /// The scan over blocks, of which each stores this.
    fn outer_of(&self, given: Expr, row: &Type) -> Result<Scan> {
        let old: Vec<Expr> = (0..self.types.len() as u32).map(|k| variable(OLD + k)).collect();
        let o = Ix::free(BLOCK);
        let number = subst::Subst { index: vec![(BLOCK, Ix::free(ROUND))], ..Default::default() };
        let starts =
            if self.before == Ix::ZERO { self.scan.starts() } else { self.scan.states_after(&self.before) };
        let mut states = Vec::new();
        for (k, (state, init)) in self.scan.states.iter().zip(starts).enumerate() {
            states.push(State {
                label: state.label.clone(),
                init,
                step: number.expr(&self.after(&o, &old, k)?),
            });
        }
        let all = self.scan.with(states, given).named(".o");
        let starts = all.starts();
        Ok(all.part(&Ix::ZERO, &self.count, &starts, row))
    }

    /// The states before a block, of the scan over blocks, are those of the scan.
    fn carried(&self, cx: &mut Cx<'_>, outer: &Scan, o: &Ix, k: usize) -> Result<Thm> {
        let (level, states) = (cx.ctx.level(), outer.states.len());
        let family = self.scan.states_after(&self.first(&Ix::free(level)));
        let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
            let here = match self.before == Ix::ZERO {
                true => {
                    let zero = cx.rule(Rule::IterateZero, lhs)?;
                    cx.then(zero, |cx, e| heads(cx, e, states))?
                }
                false => cx.refl(lhs)?,
            };
            as_written(cx, here, rhs)
        };
        let mut goes_on = |cx: &mut Cx<'_>, k: usize, lhs: &Expr, rhs: &Expr| {
            let t = Ix::free(level);
            let left = split(cx, lhs, &self.first(&t))?;
            let now = self.scan.states_after(&self.first(&t));
            let block = self.block_after(cx, &t, &now, k)?;
            let right = cx
                .converted(rhs, |cx, e| cx.at(e, &vec![Child::Body; states], &mut |cx, e| heads(cx, e, k)))?;
            let left = as_written(cx, left, block.lhs())?.trans(block)?;
            meet(cx, left, right)
        };
        let e = outer.state(o, k);
        let thm = induct(cx, &e, &family, &mut begins, &mut goes_on)?;
        let states = cx.converted(&thm.lhs().clone(), |cx, e| heads(cx, e, states))?;
        thm.sym().trans(states)
    }

    /// A state after a block that begins with these: `let`s of them, around what the block does to variables.
    fn block_after(&self, cx: &mut Cx<'_>, o: &Ix, starts: &[Expr], k: usize) -> Result<Thm> {
        let (level, count) = (cx.ctx.level(), starts.len());
        let variables: Vec<Expr> = (0..count as u32).map(|k| variable(level + k)).collect();
        let body = subst::close_all(&self.block(o, &variables).state(&self.length, k), level, count as u32);
        let bound = self.scan.names().zip(starts).rev();
        let e =
            bound.fold(body, |body, (label, x)| Arc::new(Node::Let(label.clone(), x.clone(), body)) as Expr);
        let carried_out = cx.converted(&e, |cx, e| heads(cx, e, count))?;
        let done = cx.at(&e, &vec![Child::Body; count], &mut |cx, _| {
            let block = self.block(o, &variables);
            let thm = self.summary.prove(cx, &block, &self.types, &self.length, k)?;
            let added = self.summary == Summary::Added;
            let from_zero = &self.summary.responses(&block, &self.types, k)[0].0;
            cx.then(thm, |cx, e| match added {
                true => cx.child(e, Child::Arg(1), |cx, _| {
                    added::as_sum(cx, from_zero, &self.length, k, &self.terms())
                }),
                false => Ok(None),
            })
            .map(Some)
        })?;
        carried_out.sym().trans(cx.total(&e, done)?)
    }

    /// What the rounds of a block store, of the states before it.
    fn rows(&self, cx: &mut Cx<'_>, e: &Expr, o: &Ix) -> Result<Thm> {
        let starts = self.scan.states_after(&self.first(o));
        let block = self.block(o, &starts);
        let count = block.states.len();
        let j = Ix::free(cx.ctx.level());
        let left = cx.inside(e, Child::Body, |cx, e| {
            let next = j.clone() + Ix::ONE;
            let mut chain = Chain::of(e);
            for place in 0..2 * count {
                let (rounds, k) = if place < count { (&j, place) } else { (&next, place - count) };
                let path = [vec![Child::Body; place], vec![Child::Bound]].concat();
                chain.apply(cx, |cx, e| {
                    cx.at(e, &path, &mut |cx, e| {
                        let apart = split(cx, e, &self.first(o))?;
                        let known = self.summary.prove(cx, &block, &self.types, rounds, k)?;
                        as_written(cx, apart, known.lhs())?.trans(known).map(Some)
                    })
                })?;
            }
            chain.apply(cx, |cx, e| heads(cx, e, 2 * count))?;
            chain.total(cx)
        })?;
        let (tables, alike, rows) = self.rows_of(o, &starts);
        let right = self.rows_below_lets(&tables, &rows);
        let written = cx.converted(&right, |cx, e| heads(cx, e, alike))?;
        let mut chain = Chain::of(&right);
        for (place, table) in tables.iter().enumerate() {
            let path = [vec![Child::Body; place], vec![Child::Bound]].concat();
            chain.apply(cx, |cx, e| {
                cx.at(e, &path, &mut |cx, _| {
                    let rounds = scan_as_loop(cx, table)?;
                    cx.then(rounds, |cx, e| cx.child(e, Child::Body, |cx, e| heads(cx, e, 2 * count)))
                        .map(Some)
                })
            })?;
        }
        chain.apply(cx, |cx, e| heads(cx, e, tables.len()))?;
        let right = chain.total(cx)?;
        let [left, right] = [cx.then(left, reads_carried_out)?, cx.then(right, reads_carried_out)?];
        meet(cx, left, right)?.trans(written)
    }
}

/// `scan t < n from x = e { s(t) } give g  =  scan t < r .. ++ flatten(scan o < q from x = x_r { what block
/// o does to x } give (scan t < k from x = x { s(r + o * k + t) } give g))`, with `r` the rest of `n` by
/// `k`, and `q` the quotient.
///
/// # Errors
/// It is not known what rounds do to the states; a side condition; or a law that the elements lack.
pub fn scan_in_blocks(
    cx: &mut Cx<'_>,
    e: &Expr,
    scan: &Scan,
    monoids: &[Arc<Monoid>],
    k: &Ix,
) -> Result<Thm> {
    if let Some(other) = scan.carried_out() {
        let written = cx.relabel(e, &scan.term())?.trans(without_new(cx, scan, &other)?)?;
        return cx.then(written, |cx, e| scan_in_blocks(cx, e, &other, monoids, k));
    }
    let gone = scan.unread();
    if !gone.is_empty() {
        let other = scan.without(&gone);
        let written = cx.relabel(e, &scan.term())?.trans(scan_as_loop(cx, scan)?)?;
        let written = written.trans(scan_without_as_loop(cx, scan, &gone)?.sym())?;
        return cx.then(written, |cx, e| scan_in_blocks(cx, e, &other, monoids, k));
    }
    if let Some(sums) = differences::as_sums(cx, e, scan.states.len())? {
        return cx.then(sums, |cx, e| match Scan::of(e) {
            Some(scan) => scan_in_blocks(cx, e, &scan, monoids, k),
            None => cx.refl(e),
        });
    }
    let mut row = cx.type_of(e)?;
    row.shape.remove(0);
    let (cut, is_whole) = Cut::of(cx, scan, monoids, row, k)?;
    if let Summary::Joined(monoid) = &cut.summary
        && let Some(other) = joined::as_formulas(monoid, scan)
    {
        let written = cx.relabel(e, &scan.term())?.trans(without_new(cx, scan, &other)?)?;
        return cx.then(written, |cx, e| scan_in_blocks(cx, e, &other, monoids, k));
    }
    let mut chain = Chain::of(e);
    chain.apply(cx, |cx, e| {
        let written = cx.relabel(e, &scan.term())?;
        written.trans(scan_as_loop(cx, scan)?)
    })?;
    let mut blocks = Vec::new();
    if !is_whole {
        chain.apply(cx, |cx, e| gen_split_at(cx, e, &cut.before))?;
        chain.apply(cx, |cx, e| cx.child(e, Child::Arg(0), |cx, e| first_rounds(cx, e, &cut)))?;
        blocks.push(Child::Arg(1));
    }
    chain.apply(cx, |cx, e| cx.at(e, &blocks, &mut |cx, e| in_blocks(cx, e, &cut)))?;
    chain.apply(cx, |cx, e| alike_bound(cx, e, &cut))?;
    chain.total(cx)
}

/// What is the same in each block is bound around all.
fn alike_bound(cx: &mut Cx<'_>, e: &Expr, cut: &Cut<'_>) -> Result<Thm> {
    let starts = cut.scan.starts();
    let block = cut.block(&Ix::ZERO, &starts).with_name(&format!("{}.unit", cut.scan.label.name));
    let (tables, alike, _) = cut.rows_of(&Ix::ZERO, &starts);
    let mut parts: Vec<Expr> = tables[..alike].iter().map(Scan::term).collect();
    if cut.summary == Summary::Linear {
        for k in 0..cut.types.len() {
            let responses = cut.summary.responses(&block, &cut.types, k);
            let totals = responses.iter().filter(|(scan, _)| !scan.depends_on_round());
            parts.extend(totals.map(|(scan, k)| scan.state(&cut.length, *k)));
        }
    }
    let (mut bound, mut body) = (Vec::new(), e.clone());
    for part in parts {
        let name = variable(TABLES + bound.len() as u32);
        let other = replace(&body, &mut |e| (*e == part).then(|| name.clone()));
        if other != body {
            bound.push(part);
            body = other;
        }
    }
    let count = bound.len();
    let name = Label::new(&format!("{}_response", cut.scan.all.name));
    let body = subst::close_all(&body, TABLES, count as u32);
    let bind = |body, part: Expr| Arc::new(Node::Let(name.clone(), part, body));
    let around: Expr = bound.into_iter().rev().fold(body, bind);
    let inlined = cx.converted(&around, |cx, e| heads(cx, e, count))?;
    let here = cx.refl(e)?;
    meet(cx, here, inlined)
}

/// The rounds before the first block.
fn first_rounds(cx: &mut Cx<'_>, e: &Expr, cut: &Cut<'_>) -> Result<Thm> {
    let first = cut.scan.part(&Ix::ZERO, &cut.before, &cut.scan.starts(), &cut.row).named(".first");
    let scan = scan_as_loop(cx, &first)?;
    let here = cx.refl(e)?;
    meet(cx, here, scan)
}

/// The rounds of all blocks.
fn in_blocks(cx: &mut Cx<'_>, e: &Expr, cut: &Cut<'_>) -> Result<Thm> {
    let level = cx.ctx.level();
    let [o, j] = [Ix::free(level), Ix::free(level + 1)];
    let looped = |n: &Ix, name: &str, body: Expr, level: u32| -> Expr {
        Arc::new(Node::Gen(Label::new(name), n.clone(), subst::close(&body, level)))
    };
    let whole = cut.count.clone() * cut.length.clone();
    let all = cut.scan.stored(&(cut.before.clone() + o.clone()));
    let all = looped(&whole, &cut.scan.label.name, all, level);
    let rows = looped(&cut.length, "j", cut.scan.stored(&(cut.first(&o) + j)), level + 1);
    let tiles = looped(&cut.count, "o", rows, level);
    let outer = cut.outer()?;
    let mut chain = Chain::of(e);
    let here = cx.refl(e)?;
    chain.push(as_written(cx, here, &all)?)?;
    chain.apply(cx, |cx, e| split_gen(cx, e, &cut.length))?;
    chain.apply(cx, |cx, e| {
        cx.child(e, Child::Arg(0), |cx, e| {
            let here = cx.refl(e)?;
            let tiled = as_written(cx, here, &tiles)?;
            let tiled = cx.then(tiled, |cx, e| cx.child(e, Child::Body, |cx, e| cut.rows(cx, e, &o)))?;
            let scan = scan_as_loop(cx, &outer)?;
            let states = outer.states.len();
            let scan = cx.then(scan, |cx, e| {
                cx.child(e, Child::Body, |cx, e| {
                    let mut chain = Chain::of(e);
                    for k in 0..states {
                        let path = [vec![Child::Body; k], vec![Child::Bound]].concat();
                        chain.apply(cx, |cx, e| {
                            cx.at(e, &path, &mut |cx, e| {
                                let carried = cut.carried(cx, &outer, &o, k)?;
                                let here = cx.refl(e)?;
                                as_written(cx, here, carried.lhs())?.trans(carried).map(Some)
                            })
                        })?;
                    }
                    chain.apply(cx, |cx, e| heads(cx, e, 2 * states))?;
                    chain.total(cx)
                })
            })?;
            meet(cx, tiled, scan)
        })
    })?;
    chain.total(cx)
}

/// `iterate t < n from x = e { s(t) } in b  =  iterate o < q from x = x_r { what block o does to x } in b`.
///
/// # Errors
/// It is not known what rounds do to the states; a side condition; or a law that the elements lack.
pub fn rounds_in_blocks(cx: &mut Cx<'_>, e: &Expr, monoids: &[Arc<Monoid>], k: &Ix) -> Result<Thm> {
    if let Some(sums) = differences::as_sums(cx, e, iterated(e)?.states.len())? {
        return cx.then(sums, |cx, e| rounds_in_blocks(cx, e, monoids, k));
    }
    let plain = Scan::without_cells(e).filter(|(scan, _)| scan.carried_out().is_none());
    let Some((scan, body)) = plain else {
        return Err(Error::Mismatch("it is not known what the rounds do to the states"));
    };
    let row = cx.type_of(&scan.starts()[0])?;
    let (cut, _) = Cut::of(cx, &scan, monoids, row.clone(), k)?;
    let outer = cut.outer_of(scan.starts().swap_remove(0), &row)?;
    let all = cut.first(&cut.count);
    let mut chain = Chain::of(e);
    chain.apply(cx, |cx, e| as_states(cx, e, &all))?;
    for place in 0..scan.states.len() {
        let path = [vec![Child::Body; place], vec![Child::Bound]].concat();
        chain.apply(cx, |cx, e| {
            cx.at(e, &path, &mut |cx, e| {
                let carried = cut.carried(cx, &outer, &cut.count, place)?.sym();
                let here = cx.refl(e)?;
                as_written(cx, here, carried.lhs())?.trans(carried).map(Some)
            })
        })?;
    }
    let target = outer.around(body);
    let states = as_states(cx, &target, &cut.count)?;
    let thm = chain.total(cx)?;
    meet(cx, thm, states)
}
