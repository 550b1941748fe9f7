//! Contexts: what a theorem may assume.
//!
//! An ordered list of index variables, tensor variables with their shapes, and hypotheses, some of which
//! hold for all values of their variables. An entry is
//! named by its level, its place in the list, so a context that grows keeps every name.

use crate::cert::{Cert, CertError, Facts};
use crate::ix::{Ix, Pred};
use crate::term::Label;
use crate::ty::Elem;
use std::sync::{Arc, OnceLock};

/// The type of a tensor expression: its elements and its shape, outermost extent first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Type {
    /// The element type.
    pub elem: Elem,
    /// The extents; empty for a scalar.
    pub shape: Vec<Ix>,
}

/// One assumption.
#[derive(Clone, Debug)]
pub enum Entry {
    /// An integer: a size, or a loop's index.
    Index(Label),
    /// A tensor of this type, zero outside its box.
    Tensor(Label, Type),
    /// A predicate that holds, with the facts it comes apart into once they are asked for.
    Hyp(Pred, Arc<OnceLock<Facts>>),
    /// A predicate that holds for all integers in place of its bound variables, the first label's for `Bound(0)`.
    All(Arc<[Label]>, Arc<Pred>),
}

impl Entry {
    /// The facts that a hypothesis comes apart into, up to where its polynomials overflow; none for other entries.
    pub fn facts(&self) -> Option<&Facts> {
        let Entry::Hyp(p, known) = self else { return None };
        Some(known.get_or_init(|| {
            let mut facts = Facts::default();
            let _ = facts.assume(p, true);
            facts
        }))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        match (self, other) {
            (Entry::Index(_), Entry::Index(_)) => true,
            (Entry::Tensor(_, s), Entry::Tensor(_, t)) => s == t,
            (Entry::Hyp(p, _), Entry::Hyp(q, _)) => p == q,
            (Entry::All(l, p), Entry::All(m, q)) => l.len() == m.len() && p == q,
            _ => false,
        }
    }
}

/// A context.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ctx {
    entries: Vec<Entry>,
}

impl Ctx {
    /// The empty context.
    pub fn new() -> Ctx {
        Ctx::default()
    }

    /// The entries, by level.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The level that the next entry will have.
    pub fn level(&self) -> u32 {
        u32::try_from(self.entries.len()).expect("a context has fewer than 2^32 entries")
    }

    /// The entry at this level.
    pub fn entry(&self, level: u32) -> Option<&Entry> {
        self.entries.get(level as usize)
    }

    /// Add an integer variable; its level.
    pub fn push_index(&mut self, label: Label) -> u32 {
        self.entries.push(Entry::Index(label));
        self.level() - 1
    }

    /// Add a natural number, such as a size parameter: an index variable and `0 <= n`; its level.
    pub fn push_size(&mut self, label: Label) -> u32 {
        let level = self.push_index(label);
        self.push_hyp(Pred::le(Ix::ZERO, Ix::free(level)));
        level
    }

    /// Add a tensor variable; its level.
    pub fn push_tensor(&mut self, label: Label, ty: Type) -> u32 {
        self.entries.push(Entry::Tensor(label, ty));
        self.level() - 1
    }

    /// Assume a predicate.
    pub fn push_hyp(&mut self, p: Pred) {
        self.entries.push(Entry::Hyp(p, Arc::default()));
    }

    /// Assume a predicate for all integers in place of its bound variables.
    pub fn push_all(&mut self, labels: Vec<Label>, p: Pred) {
        self.entries.push(Entry::All(labels.into(), Arc::new(p)));
    }

    /// Enter a loop: its index, and `0 <= i`, `i < extent`; the index's level.
    pub fn push_loop(&mut self, label: Label, extent: &Ix) -> u32 {
        let level = self.push_index(label);
        self.push_hyp(Pred::le(Ix::ZERO, Ix::free(level)));
        self.push_hyp(Pred::lt(Ix::free(level), extent.clone()));
        level
    }

    /// Forget the entries from `level` on.
    pub fn truncate(&mut self, level: u32) {
        self.entries.truncate(level as usize);
    }

    /// The hypotheses, in order, with their levels.
    pub fn hypotheses(&self) -> impl Iterator<Item = (u32, &Pred)> {
        (0..).zip(&self.entries).filter_map(|(level, e)| match e {
            Entry::Hyp(p, _) => Some((level, p)),
            _ => None,
        })
    }
}

/// What finds certificates. It is not trusted: the kernel checks what it returns.
pub trait Prover {
    /// A certificate that `goal` follows from `ctx`, if one is found.
    fn prove(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert>;
}

/// A prover's answers as they were checked, in order: what a proof object keeps, and replays.
pub(crate) struct Recorder<'a> {
    prover: &'a mut dyn Prover,
    certs: Vec<Cert>,
}

/// A goal that was not proved: no certificate was found, or the one given was wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Unproved {
    /// The context.
    pub ctx: Ctx,
    /// What was to be shown there.
    pub goal: Pred,
    /// Why the certificate was refused, if there was one.
    pub refused: Option<CertError>,
}

impl<'a> Recorder<'a> {
    /// Record the answers of `prover`.
    pub(crate) fn new(prover: &'a mut dyn Prover) -> Recorder<'a> {
        Recorder { prover, certs: Vec::new() }
    }

    /// Show `goal` in `ctx`.
    pub(crate) fn show(&mut self, ctx: &Ctx, goal: &Pred) -> Result<(), Box<Unproved>> {
        let unproved = |refused| Box::new(Unproved { ctx: ctx.clone(), goal: goal.clone(), refused });
        let cert = self.prover.prove(ctx, goal).ok_or_else(|| unproved(None))?;
        crate::cert::check(ctx, goal, &cert).map_err(|e| unproved(Some(e)))?;
        self.certs.push(cert);
        Ok(())
    }

    /// The certificates that were checked.
    pub(crate) fn into_certs(self) -> Vec<Cert> {
        self.certs
    }
}

/// A prover that replays recorded certificates in order, and searches nothing.
pub struct Replay<'a>(pub std::slice::Iter<'a, Cert>);

impl Prover for Replay<'_> {
    fn prove(&mut self, _: &Ctx, _: &Pred) -> Option<Cert> {
        self.0.next().cloned()
    }
}
