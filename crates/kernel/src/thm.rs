//! Theorems, and the only ways to make one.
//!
//! `Thm` says: its context is well formed; in every valuation of it (integers for index variables, tensors of
//! the types stated, so that all hypotheses hold), both sides have one shape, and are equal on its box, for
//! every algebra that has the laws listed, if the monoids of [`Thm::claims`] have those laws; in floating
//! point they agree to the degree of [`Rounding`]. Of programs with several results it says so of each
//! result, and that there are as many. Its fields are private to this module. Every inference is recorded, so
//! that a theorem can be written out and checked again. Outside this crate there is no other way to one:
//!
//! ```compile_fail
//! fn forge(thm: &atl_kernel::Thm) -> atl_kernel::Thm {
//!     atl_kernel::Thm { rounding: atl_kernel::Rounding::Bitwise, ..thm.clone() }
//! }
//! ```
//!
//! ```compile_fail
//! fn forge(thm: &mut atl_kernel::Thm, other: atl_kernel::Expr) {
//!     thm.rhs = other;
//! }
//! ```
//!
//! Every inference measures the terms that it is given and makes (`size`), so it ends, without a panic, on a
//! stack of [`STACK`](crate::STACK) bytes.

use crate::cert::Cert;
use crate::ctx::{Ctx, Prover, Recorder, Replay, Type};
use crate::error::{Error, Result};
use crate::infer::{Scope, admit, infer, infer_with};
use crate::ix::{Ix, Pred, Var};
use crate::laws::{Laws, Rounding};
use crate::monoid::Monoid;
use crate::rules::{Rule, fitting};
use crate::size::{MAX_DEPTH, Room, pred_fits, room};
use crate::subst::{Subst, close, close_all, instantiate, open, open_all};
use crate::term::{Child, Expr, Iterate, Node, Prim};
use std::collections::HashSet;
use std::sync::Arc;

/// A proved equation. See the module.
#[derive(Clone, Debug)]
pub struct Thm {
    ctx: Arc<Ctx>,
    lhs: Side,
    rhs: Side,
    /// Are the sides' types spelt alike, and those of all terms between? Then so are those of all that they
    /// stand in.
    same_spelling: bool,
    laws: Laws,
    rounding: Rounding,
    proof: Arc<Proof>,
    /// How deep the record of inferences nests.
    depth: usize,
}

/// A side of a theorem, and its type.
#[derive(Clone, Debug)]
struct Side {
    term: Expr,
    ty: Type,
    /// Does the type ask for no certificate? Then it is the same in a longer context, whatever holds there.
    plain: bool,
}

impl Side {
    /// A term in a context, of which one node's type is known.
    fn of(ctx: &Ctx, term: Expr, known: Option<(Expr, Type)>, rec: &mut Recorder<'_>) -> Result<Side> {
        let (ty, plain) = infer_with(ctx, &term, known, rec)?;
        Ok(Side { term, ty, plain })
    }
}

/// How a theorem was inferred.
#[derive(Debug)]
pub enum Proof {
    /// `e = e`, up to labels; with the certificates of `e`'s type.
    Refl(Expr, Expr, Vec<Cert>),
    /// From `a = b`, `b = a`.
    Sym(Arc<Proof>),
    /// From `a = b` and `b = c`, `a = c`.
    Trans(Arc<Proof>, Arc<Proof>),
    /// A primitive rule at this left side.
    Rule(Rule, Expr, Vec<Cert>),
    /// From an equation for the child at this place of this term, the equation for the term.
    Congruence(Expr, Child, Arc<Proof>, Vec<Cert>),
    /// From the equation where a predicate holds and where it does not, the equation.
    Cases(Pred, Arc<Proof>, Arc<Proof>),
    /// From equations by which families begin and go on as the states of this iteration, the equation.
    Induction(Expr, Vec<Expr>, Vec<(Arc<Proof>, Arc<Proof>)>, Vec<Cert>),
}

impl Proof {
    /// Add the uses of laws of monoids. A part that was seen is looked at no more.
    fn claims(&self, seen: &mut HashSet<*const Proof>, found: &mut Vec<(Arc<Monoid>, Laws)>) {
        if !seen.insert(self) {
            return;
        }
        match self {
            Proof::Rule(Rule::Law(monoid, law, ..), ..) => claim(found, monoid, *law, Arc::ptr_eq),
            Proof::Refl(..) | Proof::Rule(..) => {}
            Proof::Sym(p) | Proof::Congruence(_, _, p, _) => p.claims(seen, found),
            Proof::Trans(p, q) | Proof::Cases(_, p, q) => {
                [p, q].into_iter().for_each(|p| p.claims(seen, found))
            }
            Proof::Induction(_, _, premises, _) => {
                premises.iter().flat_map(|(p, q)| [p, q]).for_each(|p| p.claims(seen, found));
            }
        }
    }
}

/// Add laws to those of a monoid that is the same.
fn claim(
    found: &mut Vec<(Arc<Monoid>, Laws)>,
    monoid: &Arc<Monoid>,
    laws: Laws,
    same: impl Fn(&Arc<Monoid>, &Arc<Monoid>) -> bool,
) {
    match found.iter_mut().find(|(known, _)| same(known, monoid)) {
        Some((_, known)) => *known = known.and(laws),
        None => found.push((monoid.clone(), laws)),
    }
}

impl Room {
    /// Is the record of inferences short enough to be replayed?
    fn proof(&mut self, proof: &Proof) -> bool {
        self.inside(|room| match proof {
            Proof::Refl(..) | Proof::Rule(..) => true,
            Proof::Sym(p) | Proof::Congruence(_, _, p, _) => room.proof(p),
            Proof::Trans(p, q) | Proof::Cases(_, p, q) => room.proof(p) && room.proof(q),
            Proof::Induction(_, _, premises, _) => {
                premises.iter().all(|(p, q)| room.proof(p) && room.proof(q))
            }
        })
    }
}

impl Thm {
    /// The context.
    pub fn ctx(&self) -> &Arc<Ctx> {
        &self.ctx
    }

    /// The left side.
    pub fn lhs(&self) -> &Expr {
        &self.lhs.term
    }

    /// The right side.
    pub fn rhs(&self) -> &Expr {
        &self.rhs.term
    }

    /// The type of the left side; the right side's is equal, though it may be spelt otherwise.
    pub fn ty(&self) -> &Type {
        &self.lhs.ty
    }

    /// The laws that were used.
    pub fn laws(&self) -> Laws {
        self.laws
    }

    /// The monoids that the terms spell out, with the laws of theirs that were used.
    pub fn claims(&self) -> Vec<(Arc<Monoid>, Laws)> {
        let (mut uses, mut found) = (Vec::new(), Vec::new());
        self.proof.claims(&mut HashSet::new(), &mut uses);
        uses.iter().for_each(|(monoid, laws)| claim(&mut found, monoid, *laws, Arc::eq));
        found
    }

    /// What the equation preserves in floating point.
    pub fn rounding(&self) -> Rounding {
        self.rounding
    }

    /// The record of its inferences.
    pub fn proof(&self) -> &Arc<Proof> {
        &self.proof
    }

    /// `e = e`.
    pub fn refl(ctx: &Arc<Ctx>, e: &Expr, prover: &mut dyn Prover) -> Result<Thm> {
        Thm::relabel(ctx, e, e, prover)
    }

    /// `e = e'` for terms that differ in labels only.
    pub fn relabel(ctx: &Arc<Ctx>, lhs: &Expr, rhs: &Expr, prover: &mut dyn Prover) -> Result<Thm> {
        admit(lhs)?;
        admit(rhs)?;
        if lhs != rhs {
            return Err(Error::Mismatch("reflexivity of terms that differ"));
        }
        let mut rec = Recorder::new(prover);
        let left = Side::of(ctx, lhs.clone(), None, &mut rec)?;
        let proof = Proof::Refl(lhs.clone(), rhs.clone(), rec.into_certs());
        Ok(Thm {
            ctx: ctx.clone(),
            rhs: Side { term: rhs.clone(), ..left.clone() },
            lhs: left,
            same_spelling: true,
            laws: Laws::NONE,
            rounding: Rounding::Bitwise,
            proof: Arc::new(proof),
            depth: 1,
        })
    }

    /// From `a = b`, `b = a`. Twice is the theorem itself.
    pub fn sym(self) -> Thm {
        let (proof, depth) = match &*self.proof {
            Proof::Sym(inner) => (inner.clone(), self.depth - 1),
            _ => (Arc::new(Proof::Sym(self.proof.clone())), self.depth + 1),
        };
        Thm { lhs: self.rhs, rhs: self.lhs, proof, depth, ..self }
    }

    /// From `a = b` and `b = c`, `a = c`.
    pub fn trans(self, next: Thm) -> Result<Thm> {
        if self.ctx != next.ctx || self.rhs.term != next.lhs.term {
            return Err(Error::Mismatch("transitivity of equations that do not meet"));
        }
        Ok(Thm {
            depth: deeper(self.depth.max(next.depth))?,
            rhs: next.rhs,
            same_spelling: self.same_spelling && next.same_spelling,
            laws: self.laws.and(next.laws),
            rounding: self.rounding.max(next.rounding),
            proof: Arc::new(Proof::Trans(self.proof, next.proof)),
            ..self
        })
    }

    /// A primitive rule at a term.
    pub fn rule(ctx: &Arc<Ctx>, rule: Rule, lhs: &Expr, prover: &mut dyn Prover) -> Result<Thm> {
        let mut rec = Recorder::new(prover);
        admit(lhs)?;
        rule.admit_arguments()?;
        let lhs = Side::of(ctx, lhs.clone(), None, &mut rec)?;
        let info = rule.info();
        let elem = lhs.ty.elem;
        let claimed = if elem.is_admitted() { elem.algebra.laws } else { Laws::NONE };
        let missing = info.laws.minus(claimed);
        if !missing.is_empty() {
            return Err(Error::MissingLaws { rule: info.name, laws: missing, elem });
        }
        let mut scope = Scope::new(ctx)?;
        let Some(rhs) = rule.rewrite(&mut scope, &lhs.term, &lhs.ty, &mut rec)? else {
            return Err(Error::NoMatch { rule: info.name, wants: info.statement, found: lhs.term });
        };
        admit(&rhs)?;
        let rhs = Side::of(ctx, rhs, None, &mut rec)?;
        scope.same_type(&lhs.ty, &rhs.ty, &rhs.term, &mut rec)?;
        let rounding = rule.rounding_at(elem);
        let proof = Proof::Rule(rule, lhs.term.clone(), rec.into_certs());
        Ok(Thm {
            ctx: ctx.clone(),
            same_spelling: lhs.ty == rhs.ty,
            lhs,
            rhs,
            laws: info.laws,
            rounding,
            proof: Arc::new(proof),
            depth: 1,
        })
    }

    /// From an equation for a child of `parent`, in the child's context, the equation for `parent`.
    pub fn congruence(
        ctx: &Arc<Ctx>,
        parent: &Expr,
        at: Child,
        child: Thm,
        prover: &mut dyn Prover,
    ) -> Result<Thm> {
        Entered::at(ctx, parent, at, prover)?.lift(child, prover)
    }

    /// From one equation proved where `p` holds and where it does not, the equation.
    pub fn cases(ctx: &Arc<Ctx>, p: Pred, holds: Thm, fails: Thm) -> Result<Thm> {
        if !pred_fits(&p) {
            return Err(Error::TooLarge);
        }
        Scope::new(ctx)?.scoped_pred(&p, &holds.lhs.term)?;
        if holds.ctx != assuming(ctx, p.clone()) || fails.ctx != assuming(ctx, Pred::not(p.clone())) {
            return Err(Error::Mismatch("a case distinction in the wrong contexts"));
        }
        if holds.lhs.term != fails.lhs.term || holds.rhs.term != fails.rhs.term {
            return Err(Error::Mismatch("a case distinction between different equations"));
        }
        Ok(Thm {
            ctx: ctx.clone(),
            depth: deeper(holds.depth.max(fails.depth))?,
            same_spelling: holds.same_spelling && fails.same_spelling,
            laws: holds.laws.and(fails.laws),
            rounding: holds.rounding.max(fails.rounding),
            proof: Arc::new(Proof::Cases(p, holds.proof, fails.proof)),
            ..holds
        })
    }

    /// What begins and goes on as the states of an iteration is the states, if `0 <= n`:
    /// `let x = F(n); b  =  iterate t<n from x = e { s(t) } in b`.
    ///
    /// A state `k` has a family `F_k`, a term in the context of [`rounds`], whose index is its argument; and
    /// two premises: `F_k(0) = e_k`; and in that context, with the `y` before `k` only,
    /// `F_k(t+1) = let x = F(t); let y = F(t+1); s_k(t)`.
    pub fn induction(
        ctx: &Arc<Ctx>,
        iteration: &Expr,
        family: &[Expr],
        premises: Vec<(Thm, Thm)>,
        prover: &mut dyn Prover,
    ) -> Result<Thm> {
        let mut rec = Recorder::new(prover);
        let (inner, it) = (rounds(ctx, iteration)?, iterated(iteration)?);
        let rhs = Side::of(ctx, iteration.clone(), None, &mut rec)?;
        rec.show(ctx, &Pred::le(Ix::ZERO, it.extent.clone()))?;
        if family.len() != it.states.len() || premises.len() != it.states.len() {
            return Err(Error::Mismatch("an induction with other states than the iteration's"));
        }
        // Typed, each is locally closed, and its argument is the only variable of the longer context.
        admit(&it.lets(family.iter().cloned(), it.body.clone()))?;
        family.iter().try_for_each(|f| infer(&inner, f, &mut rec).map(|_| ()))?;
        let (t, fresh) = (Ix::free(ctx.level()), inner.level());
        let at = |ix: &Ix| family.iter().map(|f| instantiate(&close(f, ctx.level()), ix)).collect::<Vec<_>>();
        let (first, now, next) = (at(&Ix::ZERO), at(&t), at(&(t.clone() + Ix::ONE)));
        for (k, (base, step)) in premises.iter().enumerate() {
            let new = it.lets(next[..k].iter().cloned(), it.step_at(k, &t, fresh));
            let begins =
                *base.ctx == **ctx && base.lhs.term == first[k] && base.rhs.term == it.states[k].init;
            let goes_on = *step.ctx == inner && step.lhs.term == next[k];
            if !begins || !goes_on || step.rhs.term != it.lets(now.iter().cloned(), new) {
                return Err(Error::Mismatch("an induction from other equations"));
            }
        }
        let lhs = it.lets(at(&it.extent).into_iter(), it.body.clone());
        admit(&lhs)?;
        let lhs = Side::of(ctx, lhs, None, &mut rec)?;
        Scope::new(ctx)?.same_type(&lhs.ty, &rhs.ty, &lhs.term, &mut rec)?;
        let all = || premises.iter().flat_map(|(base, step)| [base, step]);
        let proofs = premises.iter().map(|(base, step)| (base.proof.clone(), step.proof.clone())).collect();
        let proof = Proof::Induction(iteration.clone(), family.to_vec(), proofs, rec.into_certs());
        Ok(Thm {
            ctx: ctx.clone(),
            same_spelling: lhs.ty == rhs.ty,
            lhs,
            rhs,
            laws: all().fold(Laws::NONE, |laws, thm| laws.and(thm.laws)),
            rounding: all().map(|thm| thm.rounding).max().unwrap_or(Rounding::Bitwise),
            depth: deeper(all().map(|thm| thm.depth).max().unwrap_or(0))?,
            proof: Arc::new(proof),
        })
    }

    /// Infer again what a proof records, in this context, searching nothing.
    pub fn replay(ctx: &Arc<Ctx>, proof: &Proof) -> Result<Thm> {
        if room().proof(proof) { Thm::again(ctx, proof) } else { Err(Error::TooLarge) }
    }

    fn again(ctx: &Arc<Ctx>, proof: &Proof) -> Result<Thm> {
        match proof {
            Proof::Refl(l, r, certs) => Thm::relabel(ctx, l, r, &mut Replay(certs.iter())),
            Proof::Sym(p) => Ok(Thm::again(ctx, p)?.sym()),
            Proof::Trans(p, q) => Thm::again(ctx, p)?.trans(Thm::again(ctx, q)?),
            Proof::Rule(rule, lhs, certs) => Thm::rule(ctx, rule.clone(), lhs, &mut Replay(certs.iter())),
            Proof::Congruence(parent, at, child, certs) => {
                let mut replay = Replay(certs.iter());
                let entered = Entered::at(ctx, parent, *at, &mut replay)?;
                entered.lift(Thm::again(&entered.ctx, child)?, &mut replay)
            }
            Proof::Cases(p, holds, fails) => {
                let holds = Thm::again(&assuming(ctx, p.clone()), holds)?;
                let fails = Thm::again(&assuming(ctx, Pred::not(p.clone())), fails)?;
                Thm::cases(ctx, p.clone(), holds, fails)
            }
            Proof::Induction(iteration, family, premises, certs) => {
                let inner = Arc::new(rounds(ctx, iteration)?);
                let again =
                    |(p, q): &(Arc<Proof>, Arc<Proof>)| Ok((Thm::again(ctx, p)?, Thm::again(&inner, q)?));
                let premises = premises.iter().map(again).collect::<Result<_>>()?;
                Thm::induction(ctx, iteration, family, premises, &mut Replay(certs.iter()))
            }
        }
    }
}

/// A place in a term, and what the kernel found there: what [`enter`] returns, kept for the way back.
#[derive(Debug)]
pub struct Entered {
    outside: Arc<Ctx>,
    parent: Expr,
    at: Child,
    ctx: Arc<Ctx>,
    child: Expr,
    certs: Vec<Cert>,
}

impl Entered {
    /// Enter this place.
    pub fn at(ctx: &Arc<Ctx>, parent: &Expr, at: Child, prover: &mut dyn Prover) -> Result<Entered> {
        let mut rec = Recorder::new(prover);
        let (inner, child) = enter_recording(ctx, parent, at, &mut rec)?;
        let (outside, parent, ctx) = (ctx.clone(), parent.clone(), Arc::new(inner));
        Ok(Entered { outside, parent, at, ctx, child, certs: rec.into_certs() })
    }

    /// The context of the child.
    pub fn ctx(&self) -> &Arc<Ctx> {
        &self.ctx
    }

    /// The child, opened.
    pub fn child(&self) -> &Expr {
        &self.child
    }

    /// From an equation for the child, the equation for the term that it stands in: [`Thm::congruence`].
    pub fn lift(&self, child: Thm, prover: &mut dyn Prover) -> Result<Thm> {
        let (ctx, parent, at) = (&self.outside, &self.parent, self.at);
        let mut rec = Recorder::after(prover, self.certs.clone());
        let depth = deeper(child.depth)?;
        if self.ctx != child.ctx || self.child != child.lhs.term {
            return Err(Error::Mismatch("congruence with an equation for another child"));
        }
        let close_child = |e: &Expr| close_all(e, ctx.level(), parent.binds(at));
        // A node of its own, so that it stands at this place alone, and its type there is the child's.
        let own: Expr = Arc::new(Node::clone(&close_child(&child.lhs.term)));
        let lhs = Arc::new(parent.with_child(at, own.clone()));
        let rhs = Arc::new(parent.with_child(at, close_child(&child.rhs.term)));
        // As large as the parent, which was measured.
        let known = child.lhs.plain.then_some((own, child.lhs.ty));
        let lhs = Side::of(ctx, lhs, known, &mut rec)?;
        admit(&rhs)?;
        // What holds inside, such as a guard's condition, does not hold of the shape outside.
        let rhs = if child.same_spelling {
            Side { term: rhs, ty: lhs.ty.clone(), plain: lhs.plain && child.rhs.plain }
        } else {
            let rhs = Side::of(ctx, rhs, None, &mut rec)?;
            Scope::new(ctx)?.same_type(&lhs.ty, &rhs.ty, &rhs.term, &mut rec)?;
            rhs
        };
        let proof = Proof::Congruence(parent.clone(), at, child.proof, rec.into_certs());
        Ok(Thm { ctx: ctx.clone(), lhs, rhs, proof: Arc::new(proof), depth, ..child })
    }
}

/// The iteration that a term is.
fn iterated(e: &Expr) -> Result<&Iterate> {
    if let Node::Iterate(it) = &**e {
        Ok(it)
    } else {
        Err(Error::Mismatch("`induction` is about a term that is not an iteration"))
    }
}

/// The context of the index of an iteration's rounds, which has the next level.
pub fn rounds(ctx: &Ctx, iteration: &Expr) -> Result<Ctx> {
    admit(iteration)?;
    let (mut inner, it) = (ctx.clone(), iterated(iteration)?);
    inner.push_loop(it.label.clone(), &it.extent);
    Ok(inner)
}

/// The depth of an inference from others of this depth.
fn deeper(depth: usize) -> Result<usize> {
    if depth < MAX_DEPTH { Ok(depth + 1) } else { Err(Error::TooLarge) }
}

/// The context where moreover `p` holds.
fn assuming(ctx: &Ctx, p: Pred) -> Arc<Ctx> {
    let mut ctx = ctx.clone();
    ctx.push_hyp(p);
    Arc::new(ctx)
}

/// The context and the opened expression of the child at a place: a loop's body assumes its bounds, a
/// guard's body its condition, a `let`'s body its tensor's type, a step the states' types and the bounds.
pub fn enter(ctx: &Ctx, parent: &Expr, at: Child, prover: &mut dyn Prover) -> Result<(Ctx, Expr)> {
    enter_recording(ctx, parent, at, &mut Recorder::new(prover))
}

fn enter_recording(ctx: &Ctx, parent: &Expr, at: Child, rec: &mut Recorder<'_>) -> Result<(Ctx, Expr)> {
    admit(parent)?;
    let Some(child) = parent.child(at) else {
        return Err(Error::Mismatch("no child at this place"));
    };
    let mut inner = ctx.clone();
    match (&**parent, at) {
        (Node::Gen(l, n, _) | Node::Sum(l, n, _), _) => {
            inner.push_loop(l.clone(), n);
        }
        (Node::Let(l, bound, _), Child::Body) => {
            let ty = infer(ctx, bound, rec)?;
            inner.push_tensor(l.clone(), ty);
        }
        (Node::Guard(p, _) | Node::Select(p, ..), _) => {
            inner.push_hyp(if at == Child::Else { Pred::not(p.clone()) } else { p.clone() });
        }
        // A start has no bounds of the round's index: it is the value where there is no round.
        (Node::Iterate(it), Child::Step(_) | Child::Body) => {
            let types = it.states.iter().map(|s| infer(ctx, &s.init, rec)).collect::<Result<Vec<_>>>()?;
            let states = it.states.iter().map(|s| &s.label).zip(&types);
            let new = if let Child::Step(k) = at { k as usize } else { 0 };
            for (label, ty) in states.clone().chain(states.take(new)) {
                inner.push_tensor(label.clone(), ty.clone());
            }
            if at != Child::Body {
                inner.push_loop(it.label.clone(), &it.extent);
            }
        }
        _ => {}
    }
    Ok((inner, open_all(child, ctx.level(), parent.binds(at))))
}

/// The context of a `let`'s body where moreover it is known of each element what it is, by the equation of
/// what is bound with `gen p.. { index(t) }`, or with such where conditions hold, or with a choice of which
/// one side is such; and the opened body.
pub fn enter_knowing(ctx: &Ctx, parent: &Expr, fact: &Thm, prover: &mut dyn Prover) -> Result<(Ctx, Expr)> {
    let Node::Let(_, bound, _) = &**parent else { return Err(Error::Mismatch("a fact of no let")) };
    if *fact.ctx != *ctx || fact.lhs.term != *bound || fact.rounding != Rounding::Bitwise {
        return Err(Error::Mismatch("a fact of another term, or one that rounding breaks"));
    }
    // No theorem here would say that it rests on them.
    if !fact.claims().is_empty() {
        return Err(Error::Mismatch("a fact that rests on laws which a program claims"));
    }
    let mut rec = Recorder::new(prover);
    let (mut inner, body) = enter_recording(ctx, parent, Child::Body, &mut rec)?;
    let (mut there, mut value, mut labels) = (ctx.clone(), fact.rhs.term.clone(), Vec::new());
    // Of the elements in the box alone: outside an index reads 0, whatever `t` is.
    let (mut within, mut indices, mut bind) = (Pred::True, Vec::new(), Subst::default());
    while let Node::Gen(label, n, e) = &*value {
        let level = there.push_loop(label.clone(), n);
        within = Pred::and(within, Pred::in_range(&Ix::free(level), n));
        indices.push(Ix::free(level));
        bind.index.push((level, Ix::Var(Var::Bound(u32::try_from(labels.len()).expect("few loops")))));
        labels.push(label.clone());
        value = open(e, level);
    }
    let element = Ix::Read(Var::Free(ctx.level()), indices.into());
    let known = bind.pred(&Pred::or(Pred::not(within), said(&there, &value, &element, &mut rec)?));
    if labels.is_empty() {
        inner.push_hyp(known)
    } else {
        inner.push_all(labels, known)
    }
    Ok((inner, body))
}

/// What a value that is an index term, or such where conditions hold, says of the element that it is. A
/// minimum or a maximum is one of its sides and within both, of which one may be unknown.
fn said(ctx: &Ctx, value: &Expr, element: &Ix, rec: &mut Recorder<'_>) -> Result<Pred> {
    let (p, holds, fails) = match &**value {
        Node::Index(elem, ix) => {
            fitting(ctx, *elem, ix.clone(), rec)?;
            return Ok(Pred::eq(element.clone(), ix.clone()));
        }
        Node::Guard(p, a) => match &**a {
            // Here the algebra's zero is the integer.
            Node::Index(elem, _) if elem.algebra.laws.has(Laws::INDEX_COUNTS) => {
                (p, a, Pred::eq(element.clone(), Ix::ZERO))
            }
            _ => return Err(Error::Mismatch("a fact that is no index term")),
        },
        Node::Select(p, a, b) => (p, a, said(&assuming(ctx, Pred::not(p.clone())), b, element, rec)?),
        Node::Prim(Prim::Where, args) => {
            let sides = (said(ctx, &args[1], element, rec)?, said(ctx, &args[2], element, rec)?);
            return Ok(Pred::or(sides.0, sides.1));
        }
        Node::Prim(f @ (Prim::Min | Prim::Max), args) => {
            let sides = [&args[0], &args[1]].map(|side| said(ctx, side, element, rec).ok());
            let mut known = match sides {
                [None, None] => return Err(Error::Mismatch("a fact that is no index term")),
                [Some(a), Some(b)] => Pred::or(a, b),
                _ => Pred::True,
            };
            for side in args.iter() {
                let Node::Index(elem, ix) = &**side else { continue };
                fitting(ctx, *elem, ix.clone(), rec)?;
                let (ix, element) = (ix.clone(), element.clone());
                let within = if *f == Prim::Min { Pred::le(element, ix) } else { Pred::le(ix, element) };
                known = Pred::and(known, within);
            }
            return Ok(known);
        }
        _ => return Err(Error::Mismatch("a fact that is no index term")),
    };
    let holds = said(&assuming(ctx, p.clone()), holds, element, rec)?;
    Ok(Pred::or(Pred::and(p.clone(), holds), Pred::and(Pred::not(p.clone()), fails)))
}

/// The type of an expression in a context.
pub fn type_of(ctx: &Ctx, e: &Expr, prover: &mut dyn Prover) -> Result<Type> {
    infer(ctx, e, &mut Recorder::new(prover))
}
