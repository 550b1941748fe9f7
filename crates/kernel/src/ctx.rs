//! Contexts: what a theorem may assume.
//!
//! An ordered list of index variables, tensor variables with their shapes, and hypotheses, some of which
//! hold for all values of their variables. An entry is
//! named by its level, its place in the list, so a context that grows keeps every name.
//!
//! A context is *well formed* if each entry speaks only of what stands before it. One that is not remembers so
//! ([`Ctx::stray`]), and the kernel infers nothing in it.

use crate::cert::{Cert, CertError, Facts};
use crate::ix::{Ix, Pred, Var};
use crate::laws::Laws;
use crate::size::{ix_fits, pred_fits};
use crate::term::Label;
use crate::ty::{Algebra, Elem, Scalar};
use std::sync::{Arc, OnceLock};

/// The type of a tensor expression: its elements and its shape, outermost extent first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Type {
    /// The element type.
    pub elem: Elem,
    /// The extents; empty for a scalar.
    pub shape: Vec<Ix>,
}

/// The algebra of several results: no laws, and no tensor has it.
static RESULTS: Algebra = Algebra { name: "results", scalars: &[], laws: Laws::NONE, formula: true };

impl Type {
    /// The type of several results: in place of extents, the scalar, rank and extents of each. To make one
    /// makes nothing of that type: a type is inferred from a term.
    pub fn bundle(types: &[Type]) -> Type {
        let listed = |ty: &Type| [Ix::Lit(ty.elem.scalar as i64), Ix::Lit(ty.shape.len() as i64)];
        let shape =
            types.iter().flat_map(|ty| listed(ty).into_iter().chain(ty.shape.iter().cloned())).collect();
        Type { elem: Elem { scalar: Scalar::F32, algebra: &RESULTS }, shape }
    }

    /// Of several results, the scalar and the rank of each, which nothing proves equal where they differ.
    pub(crate) fn kinds(&self) -> Vec<(&Ix, i64)> {
        let (mut kinds, mut rest) = (Vec::new(), if self.is_bundle() { &self.shape[..] } else { &[] });
        while let [scalar, Ix::Lit(rank), after @ ..] = rest {
            kinds.push((scalar, *rank));
            rest = after.get(*rank as usize..).unwrap_or_default();
        }
        kinds
    }

    /// Is it the type of several results, and of no tensor?
    pub fn is_bundle(&self) -> bool {
        std::ptr::eq(self.elem.algebra, &RESULTS)
    }
}

/// One assumption.
#[derive(Clone, Debug)]
pub enum Entry {
    /// An integer: a size, or a loop's index.
    Index(Label),
    /// A tensor of this type, zero outside its box.
    Tensor(Label, Type),
    /// A predicate that holds, with the facts that it comes apart into.
    Hyp(Pred, KnownFacts),
    /// A predicate that holds for all integers in place of its bound variables, the first label's for `Bound(0)`.
    All(Arc<[Label]>, Arc<Pred>),
}

/// The facts of one predicate, computed when they are first asked for. Copies share them, and so hold the predicate too: one that
/// stands beside a copy does not matter. Nothing else sets them:
///
/// ```compile_fail
/// fn plant(entry: &atl_kernel::Entry, lies: atl_kernel::cert::Facts) {
///     if let atl_kernel::Entry::Hyp(_, known) = entry {
///         known.0.set(lies).unwrap();
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct KnownFacts(Arc<(Pred, OnceLock<Facts>)>);

impl Entry {
    /// The facts that a hypothesis comes apart into, up to where its polynomials overflow; none for other entries.
    pub fn facts(&self) -> Option<&Facts> {
        let Entry::Hyp(_, known) = self else { return None };
        let (p, facts) = &*known.0;
        Some(facts.get_or_init(|| {
            let mut facts = Facts::default();
            let _ = facts.assume(p, true);
            facts
        }))
    }
}

impl Eq for Entry {}

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

/// A context. Copies share its entries: they stand in runs, of which the last may be shorter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ctx {
    runs: Vec<Arc<Vec<Entry>>>,
    stray: Option<u32>,
}

/// The entries of a run: at most these are copied where a copy of a context grows.
const RUN: usize = 16;

/// What a variable of an index term means: an entry of the context, or an integer that is bound where it stands.
pub(crate) enum Meaning {
    Entry(u32),
    Integer,
}

impl Ctx {
    /// The empty context.
    pub fn new() -> Ctx {
        Ctx::default()
    }

    /// The entries, by level.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> + ExactSizeIterator {
        (0..self.len()).map(|level| &self.runs[level / RUN][level % RUN])
    }

    fn len(&self) -> usize {
        self.runs.last().map_or(0, |last| (self.runs.len() - 1) * RUN + last.len())
    }

    /// The level that the next entry will have.
    pub fn level(&self) -> u32 {
        u32::try_from(self.len()).expect("a context has fewer than 2^32 entries")
    }

    /// The entry at this level.
    pub fn entry(&self, level: u32) -> Option<&Entry> {
        self.runs.get(level as usize / RUN)?.get(level as usize % RUN)
    }

    /// The level of the first entry that speaks of what does not stand before it, or is too large to be looked at.
    /// The kernel infers nothing in such a context.
    pub fn stray(&self) -> Option<u32> {
        self.stray
    }

    fn push(&mut self, entry: Entry) -> u32 {
        let level = self.level();
        if self.stray.is_none() && !self.admits(&entry) {
            self.stray = Some(level);
        }
        if self.runs.last().is_none_or(|last| last.len() == RUN) {
            self.runs.push(Arc::default());
        }
        Arc::make_mut(self.runs.last_mut().expect("a run was begun")).push(entry);
        level
    }

    /// Does the entry speak of what stands here only?
    fn admits(&self, entry: &Entry) -> bool {
        // The first label of a predicate for all integers is the name of `Bound(0)`.
        let known = |variables: usize| {
            move |v| match v {
                Var::Free(level) => Some(Meaning::Entry(level)),
                Var::Bound(k) => ((k as usize) < variables).then_some(Meaning::Integer),
            }
        };
        match entry {
            Entry::Index(_) => true,
            Entry::Tensor(_, ty) => {
                ty.shape.iter().all(|n| ix_fits(n) && self.unbound(n, &known(0)).is_none())
            }
            Entry::Hyp(p, _) => pred_fits(p) && self.unbound_in(p, &known(0)).is_none(),
            Entry::All(labels, p) => pred_fits(p) && self.unbound_in(p, &known(labels.len())).is_none(),
        }
    }

    /// The first variable of an index term that does not mean an integer, or is read and no tensor of integers of that rank.
    pub(crate) fn unbound(&self, ix: &Ix, meaning: &impl Fn(Var) -> Option<Meaning>) -> Option<Var> {
        let entry = |level| self.entry(level);
        match ix {
            Ix::Lit(_) => None,
            Ix::Bin(_, ab) => self.unbound(&ab.0, meaning).or_else(|| self.unbound(&ab.1, meaning)),
            Ix::Var(v) => match meaning(*v) {
                Some(Meaning::Integer) => None,
                Some(Meaning::Entry(level)) if matches!(entry(level), Some(Entry::Index(_))) => None,
                _ => Some(*v),
            },
            Ix::Read(v, at) => match meaning(*v) {
                Some(Meaning::Entry(level)) => match entry(level) {
                    Some(Entry::Tensor(_, ty)) if ty.elem.scalar.is_index() && ty.shape.len() == at.len() => {
                        at.iter().find_map(|i| self.unbound(i, meaning))
                    }
                    _ => Some(*v),
                },
                _ => Some(*v),
            },
        }
    }

    /// [`Ctx::unbound`], of a predicate.
    pub(crate) fn unbound_in(&self, p: &Pred, meaning: &impl Fn(Var) -> Option<Meaning>) -> Option<Var> {
        match p {
            Pred::True | Pred::False => None,
            Pred::Cmp(_, a, b) => self.unbound(a, meaning).or_else(|| self.unbound(b, meaning)),
            Pred::Not(q) => self.unbound_in(q, meaning),
            Pred::And(ab) | Pred::Or(ab) => {
                self.unbound_in(&ab.0, meaning).or_else(|| self.unbound_in(&ab.1, meaning))
            }
        }
    }

    /// Add an integer variable; its level.
    pub fn push_index(&mut self, label: Label) -> u32 {
        self.push(Entry::Index(label))
    }

    /// Add a natural number, such as a size parameter: an index variable and `0 <= n`; its level.
    pub fn push_size(&mut self, label: Label) -> u32 {
        let level = self.push_index(label);
        self.push_hyp(Pred::le(Ix::ZERO, Ix::free(level)));
        level
    }

    /// Add a tensor variable; its level.
    pub fn push_tensor(&mut self, label: Label, ty: Type) -> u32 {
        self.push(Entry::Tensor(label, ty))
    }

    /// Assume a predicate.
    pub fn push_hyp(&mut self, p: Pred) {
        let known = KnownFacts(Arc::new((p.clone(), OnceLock::new())));
        self.push(Entry::Hyp(p, known));
    }

    /// Assume a predicate for all integers in place of its bound variables.
    pub fn push_all(&mut self, labels: Vec<Label>, p: Pred) {
        self.push(Entry::All(labels.into(), Arc::new(p)));
    }

    /// Enter a loop: its index, and `0 <= i`, `i < extent`; the index's level.
    pub fn push_loop(&mut self, label: Label, extent: &Ix) -> u32 {
        let level = self.push_index(label);
        self.push_hyp(Pred::le(Ix::ZERO, Ix::free(level)));
        self.push_hyp(Pred::lt(Ix::free(level), extent.clone()));
        level
    }

    /// Are the first entries those of another context?
    pub(crate) fn begins_as(&self, other: &Ctx) -> bool {
        let whole = other.len() / RUN;
        let is_same = |level| self.entry(level) == other.entry(level);
        self.runs.get(..whole) == other.runs.get(..whole)
            && ((whole * RUN) as u32..other.level()).all(is_same)
    }

    /// Forget the entries from `level` on.
    pub fn truncate(&mut self, level: u32) {
        if (level as usize) < self.len() {
            self.runs.truncate(level as usize / RUN + 1);
            let last = self.runs.last_mut().expect("a run has the level");
            Arc::make_mut(last).truncate(level as usize % RUN);
        }
        if self.runs.last().is_some_and(|last| last.is_empty()) {
            self.runs.pop();
        }
        self.stray = self.stray.filter(|stray| *stray < level);
    }

    /// The hypotheses, in order, with their levels.
    pub fn hypotheses(&self) -> impl Iterator<Item = (u32, &Pred)> {
        (0..).zip(self.entries()).filter_map(|(level, e)| match e {
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
        Recorder::after(prover, Vec::new())
    }

    /// Record the answers of `prover` after these, which were checked.
    pub(crate) fn after(prover: &'a mut dyn Prover, certs: Vec<Cert>) -> Recorder<'a> {
        Recorder { prover, certs }
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
