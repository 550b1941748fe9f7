//! What a context says that has to do with a goal.
//!
//! A sparse program asks the same again and again, in contexts that differ by loops which have nothing to do with the goal. So a
//! question is put with what is linked to it: hypotheses that speak of its variables, of theirs, and so on, in the order in which they
//! are needed. Then it is the same question wherever the loops stand and whichever operand it is about, and a short one.
//!
//! A hypothesis says something of a few variables and arrays only (`said`): what a loop's range says of the variables in its extent, that
//! it is not empty, is left out. An equation says nothing of others if it gives a value to a variable of which nothing else is said.

use crate::memo::{Question, Wide};
use crate::rename::{Met, Renaming, spoken, walk, walk_ix};
use crate::said::{Hypotheses, Piece, Said};
use atl_kernel::{Cmp, Ctx, Entry, Ix, Label, Pred, Var};
use std::cell::OnceCell;

/// The part of a context that is linked to a goal: its entries in order.
pub(crate) struct Part<'a> {
    pub(crate) whole: &'a Ctx,
    pub(crate) goal: &'a Pred,
    pub(crate) places: Vec<Place>,
    /// Is there more in the context that may be linked to the goal?
    pub(crate) leaves_out: bool,
}

/// An entry of a context, or a conjunct of one.
pub(crate) struct Place {
    pub(crate) level: u32,
    /// Of a hypothesis, what is known of it, and which of its conjuncts this is.
    conjunct: Option<(Said, usize)>,
}

impl Place {
    /// The conjunct, of a hypothesis.
    pub(crate) fn piece(&self) -> Option<&Piece> {
        let (said, at) = self.conjunct.as_ref()?;
        said.pieces.get(*at)
    }

    /// The conjuncts before it in its hypothesis.
    pub(crate) fn before(&self) -> &[Piece] {
        self.conjunct.as_ref().and_then(|(said, at)| said.pieces.get(..*at)).unwrap_or_default()
    }
}

impl<'a> Part<'a> {
    /// What is linked to this goal.
    pub(crate) fn about(whole: &'a Ctx, goal: &'a Pred) -> Part<'a> {
        Part::of(whole, goal, Says::Everything)
    }

    /// What is linked to this goal without conditions on elements: what is stated of arrays, and where loops stand. It is the
    /// same wherever operands meet.
    pub(crate) fn stated(whole: &'a Ctx, goal: &'a Pred) -> Part<'a> {
        Part::of(whole, goal, Says::NoConditions)
    }

    fn of(whole: &'a Ctx, goal: &'a Pred, says: Says) -> Part<'a> {
        let asked = spoken(|meet| walk(goal, meet));
        let (places, leaves_out) = Hypotheses::of(whole, |hypotheses| {
            let mut linked = Linked::of(whole, hypotheses, says);
            linked.keep(&asked);
            let is_put = vec![false; whole.entries().len()];
            let mut order = Order { linked, is_put, said: Vec::new(), places: Vec::new() };
            order.variables(&asked);
            (0..order.linked.conjuncts.len()).for_each(|k| order.conjunct(k));
            (order.places, order.linked.leaves_out)
        });
        Part { whole, goal, places, leaves_out }
    }

    /// The entry of the whole context.
    fn entry(&self, level: u32) -> Option<&'a Entry> {
        self.whole.entry(level)
    }

    /// The extent of the loop of a variable of which nothing is said but that it is in its range.
    pub(crate) fn extent(&self, level: u32) -> Option<&'a Ix> {
        let mut extent = None;
        for place in &self.places {
            let Some(Entry::Hyp(p, _)) = self.entry(place.level) else { continue };
            if !place.piece().is_some_and(|piece| piece.levels.contains(&level)) {
                continue;
            }
            match p {
                _ if !is_own(self.whole, level, place.level as usize) => return None,
                Pred::Cmp(Cmp::Lt, _, n) => extent = Some(n),
                _ => {}
            }
        }
        extent
    }

    /// Does a hypothesis say of elements that they are equal to something?
    pub(crate) fn has_equations(&self) -> bool {
        self.places
            .iter()
            .any(|place| matches!(self.entry(place.level), Some(Entry::All(_, p)) if equates(p)))
    }

    /// The question that it asks, the same for all parts that differ by the levels of their variables alone.
    pub(crate) fn question(&self) -> Question {
        let (mut wide, mut there) = (Wide::default(), Renaming::default());
        let free = |level: u32| u64::from(level) | 1 << 40;
        for (k, place) in (0..).zip(&self.places) {
            there.set(place.level, k);
            let kind = match self.entry(place.level) {
                Some(Entry::Hyp(..)) => 1,
                Some(Entry::All(labels, _)) => 2 + labels.len() as u64,
                // What the type of its elements says is used too.
                Some(Entry::Tensor(_, ty)) => (ty.elem.scalar as u64) << 32,
                Some(Entry::Index(_)) | None => 0,
            };
            wide.word(kind | 1 << 41);
            if let Some(piece) = place.piece() {
                walk(&piece.pred, &mut |met| match met {
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
        for (k, place) in (0..).zip(&self.places) {
            there.set(place.level, k);
            match (self.entry(place.level), place.piece()) {
                (Some(Entry::All(labels, _)), Some(piece)) => {
                    ctx.push_all(labels.to_vec(), there.pred(&piece.pred));
                }
                (_, Some(piece)) => ctx.push_hyp(there.pred(&piece.pred)),
                (Some(Entry::Tensor(label, ty)), None) => _ = ctx.push_tensor(label.clone(), there.ty(ty)),
                (Some(Entry::Index(label)), None) => _ = ctx.push_index(label.clone()),
                (Some(Entry::Hyp(..) | Entry::All(..)) | None, None) => _ = ctx.push_index(Label::new("_")),
            }
        }
        (ctx, there.pred(self.goal))
    }
}

/// What of a context is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    Everything,
    /// All but hypotheses that speak of elements, unless they are a loop's range or hold for all integers.
    NoConditions,
}

/// Is a conjunct of this entry a condition on elements?
fn is_condition(ctx: &Ctx, entry: u32, piece: &Piece) -> bool {
    let is_range = || {
        (1..=2).any(|back| entry.checked_sub(back).is_some_and(|level| is_own(ctx, level, entry as usize)))
    };
    piece.reads && matches!(ctx.entry(entry), Some(Entry::Hyp(..))) && !is_range()
}

/// A conjunct of a hypothesis of a context, and whether it matters.
struct Conjunct<'a> {
    level: u32,
    said: &'a Said,
    at: usize,
    is_linked: bool,
}

impl<'a> Conjunct<'a> {
    fn piece(&self) -> &'a Piece {
        &self.said.pieces[self.at]
    }

    fn place(&self) -> Place {
        Place { level: self.level, conjunct: Some((self.said.clone(), self.at)) }
    }
}

/// A context, and which of it is linked to a goal.
struct Linked<'a> {
    ctx: &'a Ctx,
    conjuncts: Vec<Conjunct<'a>>,
    /// Where the conjuncts of each entry begin.
    first: Vec<usize>,
    /// Does the variable or array matter?
    is_linked: Vec<bool>,
    /// Were there conditions?
    leaves_out: bool,
    /// How many conjuncts speak of each variable, beside those that its loop states of it; counted once that matters.
    speakers: OnceCell<Vec<u32>>,
}

impl<'a> Linked<'a> {
    fn of(ctx: &'a Ctx, hypotheses: &'a Hypotheses, says: Says) -> Linked<'a> {
        let entries = ctx.entries().len();
        let (mut conjuncts, mut first) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
        let mut leaves_out = false;
        for (level, said) in (0..).zip(hypotheses.iter()) {
            first.push(conjuncts.len());
            let Some(said) = said else { continue };
            for (at, piece) in said.pieces.iter().enumerate() {
                if says == Says::NoConditions && is_condition(ctx, level, piece) {
                    leaves_out = true;
                } else {
                    conjuncts.push(Conjunct { level, said, at, is_linked: false });
                }
            }
        }
        Linked {
            ctx,
            conjuncts,
            first,
            is_linked: vec![false; entries],
            leaves_out,
            speakers: OnceCell::new(),
        }
    }

    /// Does one conjunct speak of a variable, beside those that its loop states of it?
    fn is_alone(&self, level: u32) -> bool {
        let speakers = self.speakers.get_or_init(|| {
            let mut speakers = vec![0; self.is_linked.len()];
            for conjunct in &self.conjuncts {
                for level in &*conjunct.piece().levels {
                    if let Some(count) = speakers.get_mut(*level as usize) {
                        *count += u32::from(!is_own(self.ctx, *level, conjunct.level as usize));
                    }
                }
            }
            speakers
        });
        speakers.get(level as usize).is_none_or(|count| *count <= 1)
    }

    /// What a conjunct says something of. A variable of which nothing else is said has the value that an equation gives it, and no one
    /// asks.
    fn about(&self, piece: &'a Piece) -> &'a [u32] {
        match piece.sides.iter().flatten().find(|level| self.is_alone(**level)) {
            Some(alone) => std::slice::from_ref(alone),
            None => &piece.about,
        }
    }

    /// Keep these variables and what is linked to them.
    fn keep(&mut self, asked: &[u32]) {
        let about: Vec<&[u32]> = self.conjuncts.iter().map(|conjunct| self.about(conjunct.piece())).collect();
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
            for (conjunct, about) in self.conjuncts.iter_mut().zip(&about).rev() {
                let is_linked = |level: &u32| self.is_linked.get(*level as usize) == Some(&true);
                if !conjunct.is_linked && about.iter().any(is_linked) {
                    conjunct.is_linked = true;
                    link(&mut self.is_linked, &conjunct.piece().levels);
                    grows = true;
                }
            }
        }
    }
}

/// Is this entry what a loop states of its variable: that it is not negative, and below its extent?
fn is_own(ctx: &Ctx, level: u32, entry: usize) -> bool {
    let at = level as usize;
    let is_bound = match ctx.entries().nth(entry) {
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
    /// Has the variable or array its place, or is it about to have one?
    is_put: Vec<bool>,
    /// The hashes of the conjuncts that have theirs: what is said twice counts once.
    said: Vec<u128>,
    places: Vec<Place>,
}

impl Order<'_> {
    /// Variables after those in their ranges or shapes, with what their loops state of them.
    fn variables(&mut self, levels: &[u32]) {
        for level in levels {
            if self.is_put.get_mut(*level as usize).is_some_and(|put| !std::mem::replace(put, true)) {
                self.variable(*level);
            }
        }
    }

    fn variable(&mut self, level: u32) {
        let at = level as usize;
        let own = [at + 1, at + 2].into_iter().filter(|k| is_own(self.linked.ctx, level, *k));
        let own: Vec<usize> = own.map(|k| self.linked.first[k]).collect();
        if let Some(Entry::Tensor(_, ty)) = self.linked.ctx.entry(level) {
            self.variables(&spoken(|meet| ty.shape.iter().for_each(|n| walk_ix(n, meet))));
        }
        for k in &own {
            let within = self.linked.conjuncts[*k].piece().levels.clone();
            self.variables(&within);
        }
        self.places.push(Place { level, conjunct: None });
        own.into_iter().for_each(|k| self.put(k));
    }

    /// A conjunct, if it is linked, after what it speaks of.
    fn conjunct(&mut self, k: usize) {
        let conjunct = &self.linked.conjuncts[k];
        if conjunct.is_linked {
            let levels = conjunct.piece().levels.clone();
            self.variables(&levels);
            self.put(k);
        }
    }

    fn put(&mut self, k: usize) {
        let conjunct = &self.linked.conjuncts[k];
        let hash = conjunct.piece().hash;
        if !self.said.contains(&hash) {
            self.said.push(hash);
            self.places.push(conjunct.place());
        }
    }
}
