//! What a context says that has to do with a goal.
//!
//! A sparse program asks the same again and again, in contexts that differ by loops which have nothing to do with the goal. So a
//! question is put with what is linked to it: hypotheses that speak of its variables, of theirs, and so on, in the order in which they
//! are needed. Then it is the same question wherever the loops stand and whichever operand it is about, and a short one.
//!
//! A hypothesis says something of its innermost variable: what a loop's range says of the variables in its extent, that it is not
//! empty, is left out. An equation speaks of all its variables, unless it gives a value to one of which nothing else is said.

use crate::memo::{Question, Wide};
use crate::rename::{Met, Renaming, spoken, walk, walk_ix};
use crate::said::Said;
use atl_kernel::{Cmp, Ctx, Entry, Ix, Label, Pred, Var};
use std::sync::Arc;

/// The part of a context that is linked to a goal: its entries by their levels, in order.
pub(crate) struct Part<'a> {
    pub(crate) whole: &'a Ctx,
    pub(crate) goal: &'a Pred,
    pub(crate) levels: Vec<u32>,
}

impl<'a> Part<'a> {
    /// What is linked to this goal.
    pub(crate) fn about(whole: &'a Ctx, goal: &'a Pred) -> Part<'a> {
        let mut linked = Linked::of(whole);
        let asked = spoken(|meet| walk(goal, meet));
        linked.keep(&asked);
        let mut order = Order { is_put: vec![false; whole.entries().len()], linked, levels: Vec::new() };
        order.variables(&asked);
        (0..whole.level()).for_each(|level| order.hypothesis(level));
        Part { whole, goal, levels: order.levels }
    }

    /// The entry of the whole context.
    fn entry(&self, level: u32) -> Option<&'a Entry> {
        self.whole.entry(level)
    }

    /// The extent of the loop of a variable of which nothing is said but that it is in its range.
    pub(crate) fn extent(&self, level: u32) -> Option<&'a Ix> {
        let mut extent = None;
        for k in &self.levels {
            let Some(Entry::Hyp(p, _)) = self.entry(*k) else { continue };
            if !p.mentions(level) {
                continue;
            }
            match p {
                _ if !is_own(self.whole, level, *k as usize) => return None,
                Pred::Cmp(Cmp::Lt, _, n) => extent = Some(n),
                _ => {}
            }
        }
        extent
    }

    /// Does a hypothesis say of elements that they are equal to something?
    pub(crate) fn has_equations(&self) -> bool {
        self.levels.iter().any(|k| matches!(self.entry(*k), Some(Entry::All(_, p)) if equates(p)))
    }

    /// The question that it asks, the same for all parts that differ by the levels of their variables alone.
    pub(crate) fn question(&self) -> Question {
        let (mut wide, mut there) = (Wide::default(), Renaming::default());
        let free = |level: u32| u64::from(level) | 1 << 40;
        for (k, level) in (0..).zip(&self.levels) {
            there.set(*level, k);
            let (kind, said) = match self.entry(*level) {
                Some(Entry::Hyp(p, _)) => (1, Some(p)),
                Some(Entry::All(labels, p)) => (2 + labels.len() as u64, Some(&**p)),
                Some(Entry::Index(_) | Entry::Tensor(..)) | None => (0, None),
            };
            wide.word(kind | 1 << 41);
            if let Some(p) = said {
                walk(p, &mut |met| match met {
                    Met::Free(level) => wide.word(free(there.level(level))),
                    Met::Other(n) => wide.word(n),
                });
            }
        }
        walk(self.goal, &mut |met| match met {
            Met::Free(level) => wide.word(free(there.level(level))),
            Met::Other(n) => wide.word(n),
        });
        wide.question()
    }

    /// The part as a context of its own, and the goal there.
    pub(crate) fn apart(&self) -> (Ctx, Pred) {
        let (mut ctx, mut there) = (Ctx::new(), Renaming::default());
        for (k, level) in (0..).zip(&self.levels) {
            there.set(*level, k);
            match self.entry(*level) {
                Some(Entry::Hyp(p, _)) => ctx.push_hyp(there.pred(p)),
                Some(Entry::All(labels, p)) => ctx.push_all(labels.to_vec(), there.pred(p)),
                Some(Entry::Tensor(label, ty)) => {
                    let mut ty = ty.clone();
                    ty.shape.iter_mut().for_each(|n| *n = there.ix(n));
                    ctx.push_tensor(label.clone(), ty);
                }
                Some(Entry::Index(label)) => _ = ctx.push_index(label.clone()),
                None => _ = ctx.push_index(Label::new("_")),
            }
        }
        (ctx, there.pred(self.goal))
    }
}

/// What a hypothesis speaks of.
struct Spoken {
    all: Arc<[u32]>,
    /// By which of them it is linked; by each of them, if there are several.
    links: Vec<u32>,
}

/// A context, and which of it is linked to a goal.
struct Linked<'a> {
    ctx: &'a Ctx,
    /// Of each entry; none where it is no hypothesis.
    spoken: Vec<Option<Spoken>>,
    /// Does the entry matter?
    is_linked: Vec<bool>,
}

impl Linked<'_> {
    fn of(ctx: &Ctx) -> Linked<'_> {
        let entries = ctx.entries();
        let all: Vec<Option<Arc<[u32]>>> =
            entries.iter().map(|entry| Said::by(entry).map(|said| said.levels)).collect();
        // How many hypotheses speak of a variable, beside those that its loop states of it.
        let mut mentions = vec![0_usize; entries.len()];
        for (k, levels) in all.iter().enumerate() {
            for level in levels.iter().flat_map(|levels| levels.iter()) {
                if let (false, Some(count)) = (is_own(ctx, *level, k), mentions.get_mut(*level as usize)) {
                    *count += 1;
                }
            }
        }
        let links = |entry: &Entry, all: &[u32]| -> Vec<u32> {
            let is_index = |level: &u32| matches!(ctx.entry(*level), Some(Entry::Index(_)));
            let indices = || all.iter().copied().filter(is_index);
            let arrays = || all.iter().copied().filter(|level| !is_index(level)).collect();
            match entry {
                Entry::Hyp(Pred::Cmp(Cmp::Lt | Cmp::Le, ..), _) => {
                    indices().max().map_or_else(arrays, |last| vec![last])
                }
                // A variable of which nothing else is said has this value, and no one asks.
                Entry::Hyp(Pred::Cmp(Cmp::Eq, a, b), _) => {
                    let is_alone = |x: &u32| mentions.get(*x as usize) == Some(&1);
                    let alone = [a, b].into_iter().filter_map(variable).find(is_alone);
                    alone.map_or_else(|| indices().collect(), |x| vec![x])
                }
                Entry::Hyp(..) => indices().collect(),
                Entry::All(..) | Entry::Index(_) | Entry::Tensor(..) => arrays(),
            }
        };
        let spoken = entries.iter().zip(all).map(|(entry, all)| {
            let all = all?;
            Some(Spoken { links: links(entry, &all), all })
        });
        Linked { ctx, spoken: spoken.collect(), is_linked: vec![false; entries.len()] }
    }

    /// Keep these variables and what is linked to them.
    fn keep(&mut self, asked: &[u32]) {
        let link = |is_linked: &mut Vec<bool>, levels: &[u32]| {
            for level in levels {
                if let Some(known) = is_linked.get_mut(*level as usize) {
                    *known = true;
                }
            }
        };
        link(&mut self.is_linked, asked);
        let mut grows = true;
        while std::mem::take(&mut grows) {
            for (k, said) in self.spoken.iter().enumerate().rev() {
                let Some(said) = said else { continue };
                let is_linked = |level: &u32| self.is_linked.get(*level as usize) == Some(&true);
                if !self.is_linked[k] && said.links.iter().any(is_linked) {
                    self.is_linked[k] = true;
                    link(&mut self.is_linked, &said.all);
                    grows = true;
                }
            }
        }
    }
}

/// Is this entry what a loop states of its variable: that it is not negative, and below its extent?
fn is_own(ctx: &Ctx, level: u32, entry: usize) -> bool {
    let at = level as usize;
    let is_bound = match ctx.entries().get(entry) {
        Some(Entry::Hyp(Pred::Cmp(Cmp::Le, Ix::Lit(0), x), _)) => variable(x) == Some(level),
        Some(Entry::Hyp(Pred::Cmp(Cmp::Lt, x, n), _)) => variable(x) == Some(level) && !n.mentions(level),
        _ => false,
    };
    is_bound && (at + 1..=at + 2).contains(&entry)
}

/// Is there an equation in it?
fn equates(p: &Pred) -> bool {
    match p {
        Pred::True | Pred::False => false,
        Pred::Cmp(cmp, ..) => *cmp == Cmp::Eq,
        Pred::Not(q) => equates(q),
        Pred::And(ab) | Pred::Or(ab) => equates(&ab.0) || equates(&ab.1),
    }
}

fn variable(ix: &Ix) -> Option<u32> {
    match ix {
        Ix::Var(Var::Free(level)) => Some(*level),
        _ => None,
    }
}

/// The order in which entries are needed.
struct Order<'a> {
    linked: Linked<'a>,
    /// Has the entry its place, or is it about to have one?
    is_put: Vec<bool>,
    levels: Vec<u32>,
}

impl Order<'_> {
    /// Is it yet to be put? Then it is from now on.
    fn take(&mut self, level: u32) -> bool {
        self.is_put.get_mut(level as usize).is_some_and(|put| !std::mem::replace(put, true))
    }

    /// Variables after those in their ranges or shapes, with what their loops state of them.
    fn variables(&mut self, levels: &[u32]) {
        for level in levels {
            if self.take(*level) {
                self.variable(*level);
            }
        }
    }

    fn variable(&mut self, level: u32) {
        let at = level as usize;
        let own = [at + 1, at + 2].into_iter().filter(|k| is_own(self.linked.ctx, level, *k));
        let own: Vec<usize> = own.collect();
        if let Some(Entry::Tensor(_, ty)) = self.linked.ctx.entry(level) {
            self.variables(&spoken(|meet| ty.shape.iter().for_each(|n| walk_ix(n, meet))));
        }
        for k in &own {
            let within = self.linked.spoken[*k].as_ref().map(|said| said.all.clone());
            within.into_iter().for_each(|within| self.variables(&within));
        }
        self.levels.push(level);
        for k in own {
            self.is_put[k] = true;
            self.levels.extend(u32::try_from(k));
        }
    }

    /// A hypothesis, if it is linked, after what it speaks of.
    fn hypothesis(&mut self, level: u32) {
        let Some(Some(said)) = self.linked.spoken.get(level as usize) else { return };
        let all = said.all.clone();
        if self.linked.is_linked[level as usize] && self.take(level) {
            self.variables(&all);
            self.levels.push(level);
        }
    }
}
