//! Conversions: functions that take a term and prove what it equals.
//!
//! A conversion returns `Ok(None)` where it leaves its term alone, so that unchanged parts cost no
//! inference; one that always proves something may return the theorem itself. [`Chain`] carries out several.
//! [`Cx`] is the place a conversion works at: a context, a prover and the count of its work. Nothing here can
//! be wrong without the kernel's refusing it.

use crate::inductions::Inductions;
use crate::settle::settle_all;
use crate::work::{Counted, Work};
use atl_kernel::{
    Child, Ctx, Entered, Error, Expr, Ix, Node, Pred, Prover, Result, Rule, Thm, Type, Unproved, enter,
    type_of,
};
use atl_ops::as_it_stands;
use std::sync::Arc;

/// What a conversion yields.
pub type Step = Result<Option<Thm>>;

/// A conversion.
pub type Convert<'c> = &'c mut dyn FnMut(&mut Cx<'_>, &Expr) -> Step;

/// A way to carry a conversion through a term.
pub type Walk = fn(&mut Cx<'_>, &Expr, Convert<'_>) -> Step;

/// A context, and what proves side conditions in it.
pub struct Cx<'p> {
    /// The context.
    pub ctx: Arc<Ctx>,
    /// The prover.
    pub prover: &'p mut dyn Prover,
    /// What conversions here may do, and elsewhere on this account.
    pub work: Work,
    /// The inductions that were made, here and in other contexts of the same place.
    pub(crate) inductions: Inductions,
}

impl<'p> Cx<'p> {
    /// A place to work at, without a limit.
    pub fn new(ctx: Arc<Ctx>, prover: &'p mut dyn Prover) -> Cx<'p> {
        Cx { ctx, prover, work: Work::default(), inductions: Inductions::default() }
    }

    /// The same, on this account.
    pub fn with_work(self, work: &Work) -> Cx<'p> {
        Cx { work: work.clone(), ..self }
    }

    /// Another context, with the same prover and on the same account.
    pub fn within(&mut self, ctx: Arc<Ctx>) -> Cx<'_> {
        Cx { ctx, prover: self.prover, work: self.work.clone(), inductions: self.inductions.clone() }
    }

    /// Where moreover `p` holds.
    pub fn assuming(&mut self, p: Pred) -> Cx<'_> {
        let mut ctx = (*self.ctx).clone();
        ctx.push_hyp(p);
        self.within(Arc::new(ctx))
    }

    /// A child of `parent`, opened, and where it is.
    pub fn enter(&mut self, parent: &Expr, at: Child) -> Result<(Cx<'_>, Expr)> {
        self.work.term(parent)?;
        if let Some(child) = as_it_stands(parent, at) {
            return Ok((self.within(self.ctx.clone()), child.clone()));
        }
        let (inner, opened) = self.ask(|ctx, prover| enter(ctx, parent, at, prover))?;
        Ok((self.within(Arc::new(inner)), opened))
    }

    /// Ask the kernel something, its questions counted.
    fn ask<T>(&mut self, ask: impl FnOnce(&Arc<Ctx>, &mut Counted<'_>) -> T) -> T {
        ask(&self.ctx, &mut Counted { prover: self.prover, work: &self.work })
    }

    /// A theorem that was inferred here, if there is room on the account for what it says.
    fn inferred(&mut self, thm: Thm) -> Result<Thm> {
        self.work.term(thm.rhs())?;
        self.work.ty(&self.ctx, thm.ty())?;
        Ok(thm)
    }

    /// `e = e`.
    pub fn refl(&mut self, e: &Expr) -> Result<Thm> {
        self.relabel(e, e)
    }

    /// `e = e'` for terms that differ in labels only.
    pub fn relabel(&mut self, e: &Expr, other: &Expr) -> Result<Thm> {
        self.work.term(e)?;
        let thm = self.ask(|ctx, prover| Thm::relabel(ctx, e, other, prover))?;
        self.inferred(thm)
    }

    /// The theorem of a step, reflexivity where it changed nothing.
    pub fn total(&mut self, e: &Expr, step: Option<Thm>) -> Result<Thm> {
        step.map_or_else(|| self.refl(e), Ok)
    }

    /// The theorem of a conversion, reflexivity where it changes nothing.
    pub fn converted<T: Into<Option<Thm>>>(
        &mut self,
        e: &Expr,
        convert: impl FnOnce(&mut Cx<'_>, &Expr) -> Result<T>,
    ) -> Result<Thm> {
        let step = convert(self, e)?.into();
        self.total(e, step)
    }

    /// A primitive rule at `e`.
    pub fn rule(&mut self, rule: Rule, e: &Expr) -> Result<Thm> {
        self.work.term(e)?;
        if let (Rule::LetInline, Node::Let(_, bound, body)) = (&rule, &**e) {
            self.work.inlined(bound, body)?;
        }
        let thm = self.ask(|ctx, prover| Thm::rule(ctx, rule, e, prover))?;
        self.inferred(thm)
    }

    /// What begins and goes on as the states of an iteration is the states.
    pub fn induction(&mut self, e: &Expr, family: &[Expr], premises: Vec<(Thm, Thm)>) -> Result<Thm> {
        self.work.term(e)?;
        let thm = self.ask(|ctx, prover| Thm::induction(ctx, e, family, premises, prover))?;
        self.inferred(thm)
    }

    /// The type of `e`.
    pub fn type_of(&mut self, e: &Expr) -> Result<Type> {
        self.work.term(e)?;
        self.ask(|ctx, prover| type_of(ctx, e, prover))
    }

    /// Is this goal proved here? The prover's word: what is built on it, the kernel checks.
    pub fn proves(&mut self, goal: &Pred) -> bool {
        self.ask(|ctx, prover| prover.prove(ctx, goal).is_some())
    }

    /// Refuse, with the goal, what is not proved here.
    pub fn demand(&mut self, goal: Pred) -> Result<()> {
        if self.proves(&goal) {
            return Ok(());
        }
        Err(Error::Unproved(Box::new(Unproved { ctx: (*self.ctx).clone(), goal, refused: None })))
    }

    /// Are these index terms proved equal here?
    pub fn equal(&mut self, a: &Ix, b: &Ix) -> bool {
        a == b || self.proves(&Pred::eq(a.clone(), b.clone()))
    }

    /// Convert a child of `parent`.
    pub fn child<T: Into<Option<Thm>>>(
        &mut self,
        parent: &Expr,
        at: Child,
        convert: impl FnOnce(&mut Cx<'_>, &Expr) -> Result<T>,
    ) -> Step {
        self.work.term(parent)?;
        if let Some(child) = as_it_stands(parent, at) {
            let Some(thm) = convert(&mut self.within(self.ctx.clone()), child)?.into() else {
                return Ok(None);
            };
            return self.lifted(parent, at, thm).map(Some);
        }
        let entered = self.ask(|ctx, prover| Entered::at(ctx, parent, at, prover))?;
        let mut inside = self.within(entered.ctx().clone());
        let Some(thm) = convert(&mut inside, entered.child())?.into() else { return Ok(None) };
        let thm = self.ask(|_, prover| entered.lift(thm, prover))?;
        self.inferred(thm).map(Some)
    }

    /// From an equation for a child of `parent`, the equation for `parent`.
    pub fn lift(&mut self, parent: &Expr, at: Child, thm: Thm) -> Result<Thm> {
        self.work.term(parent)?;
        self.lifted(parent, at, thm)
    }

    /// The same, where the parent was counted on the way in.
    fn lifted(&mut self, parent: &Expr, at: Child, thm: Thm) -> Result<Thm> {
        let thm = self.ask(|ctx, prover| Thm::congruence(ctx, parent, at, thm, prover))?;
        self.inferred(thm)
    }

    /// [`Cx::child`], reflexivity where it changed nothing.
    pub fn inside<T: Into<Option<Thm>>>(
        &mut self,
        parent: &Expr,
        at: Child,
        convert: impl FnOnce(&mut Cx<'_>, &Expr) -> Result<T>,
    ) -> Result<Thm> {
        self.converted(parent, |cx, e| cx.child(e, at, convert))
    }

    /// Convert the subterm at the end of a path.
    pub fn at<T: Into<Option<Thm>>>(
        &mut self,
        e: &Expr,
        path: &[Child],
        convert: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Result<T>,
    ) -> Step {
        match path.split_first() {
            None => convert(self, e).map(Into::into),
            Some((first, rest)) => self.child(e, *first, |cx, e| cx.at(e, rest, convert)),
        }
    }

    /// Convert every child in turn.
    pub fn children(&mut self, e: &Expr, convert: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Step) -> Step {
        let mut chain = Chain::of(e);
        for at in e.children() {
            chain.apply(self, |cx, e| cx.child(e, at, |cx, child| convert(cx, child)))?;
        }
        Ok(chain.done())
    }

    /// A step, then a conversion of its result.
    pub fn then<T: Into<Option<Thm>>>(
        &mut self,
        first: Thm,
        convert: impl FnOnce(&mut Cx<'_>, &Expr) -> Result<T>,
    ) -> Result<Thm> {
        match convert(self, &first.rhs().clone())?.into() {
            None => Ok(first),
            Some(next) => first.trans(next),
        }
    }

    /// One conversion after the other.
    pub fn sequence<S: Into<Option<Thm>>, T: Into<Option<Thm>>>(
        &mut self,
        e: &Expr,
        first: impl FnOnce(&mut Cx<'_>, &Expr) -> Result<S>,
        second: impl FnOnce(&mut Cx<'_>, &Expr) -> Result<T>,
    ) -> Step {
        let mut chain = Chain::of(e);
        chain.apply(self, first)?;
        chain.apply(self, second)?;
        Ok(chain.done())
    }

    /// Convert at every place, operands before what they stand in, until nothing changes there.
    /// A refusal at a place means that the place is left alone.
    pub fn bottom_up(&mut self, e: &Expr, convert: Convert<'_>) -> Step {
        settle_all(self, e, convert)
    }

    /// Convert at every place once, operands before what they stand in.
    pub fn once(&mut self, e: &Expr, convert: Convert<'_>) -> Step {
        let mut chain = Chain::of(e);
        chain.push(self.below(e, convert, |cx, e, convert| cx.once(e, convert))?)?;
        chain.apply(self, |cx, e| Ok(convert(cx, e).unwrap_or(None)))?;
        Ok(chain.done())
    }

    /// Convert at every place, outermost first.
    pub fn top_down(&mut self, e: &Expr, convert: Convert<'_>) -> Step {
        let mut chain = Chain::of(e);
        chain.push(convert(self, e).unwrap_or(None))?;
        chain.apply(self, |cx, e| cx.below(e, convert, |cx, e, convert| cx.top_down(e, convert)))?;
        Ok(chain.done())
    }

    /// Walk every child.
    fn below(&mut self, e: &Expr, convert: Convert<'_>, walk: Walk) -> Step {
        let mut chain = Chain::of(e);
        for at in e.children() {
            chain.apply(self, |cx, e| cx.walk_at(e, &[at], convert, walk))?;
        }
        Ok(chain.done())
    }

    /// Walk the subterm at the end of a path. An extent may have become another one inside that outside is
    /// not known to be equal, as by a guard's condition; then only those conversions are made there that
    /// leave every type as it is spelt.
    pub fn walk_at(&mut self, e: &Expr, path: &[Child], convert: Convert<'_>, walk: Walk) -> Step {
        let lenient = self.at(e, path, &mut |cx, e| walk(cx, e, convert));
        lenient.or_else(|_| {
            self.at(e, path, &mut |cx, e| {
                walk(cx, e, &mut |cx, e| {
                    let Some(thm) = convert(cx, e)? else { return Ok(None) };
                    Ok(cx.is_spelt_alike(&thm)?.then_some(thm))
                })
            })
        })
    }

    /// Has the right side of an equation the type of the left one as it is spelt?
    pub(crate) fn is_spelt_alike(&mut self, thm: &Thm) -> Result<bool> {
        Ok(self.type_of(thm.rhs())? == *thm.ty())
    }

    /// One equation, proved where a predicate holds and where it does not: `prove` is told which.
    pub fn distinguish(
        &mut self,
        p: &Pred,
        mut prove: impl FnMut(&mut Cx<'_>, bool) -> Result<Thm>,
    ) -> Result<Thm> {
        let mut case = |condition: Pred, holds: bool| prove(&mut self.assuming(condition), holds);
        let (holds, fails) = (case(p.clone(), true)?, case(Pred::not(p.clone()), false)?);
        Thm::cases(&self.ctx, p.clone(), holds, fails)
    }

    /// Try a rule: a refusal leaves the term alone.
    pub fn try_rule(&mut self, rule: Rule, e: &Expr) -> Option<Thm> {
        self.rule(rule, e).ok()
    }

    /// Replace a tensor in both sides of a lemma about any tensor of its type: from `lhs(t) = rhs(t)` for a
    /// variable `t`, `lhs(bound) = rhs(bound)`. It is `let` read both ways, so it needs no rule of its own.
    pub fn instance(
        &mut self,
        bound: &Expr,
        sides: impl FnOnce(&Expr) -> (Expr, Expr),
        prove: impl FnOnce(&mut Cx<'_>, &Expr, &Expr) -> Result<Thm>,
    ) -> Result<Thm> {
        let level = self.ctx.level();
        let variable: Expr = Arc::new(Node::Var(atl_kernel::Var::Free(level)));
        let (lhs, rhs) = sides(&variable);
        let body = atl_kernel::subst::close(&lhs, level);
        let term: Expr = Arc::new(Node::Let(atl_kernel::Label::new("t"), bound.clone(), body));
        let changed = self
            .child(&term, Child::Body, |cx, e| prove(cx, e, &rhs))?
            .ok_or(Error::Mismatch("the lemma proves nothing"))?;
        let before = self.rule(Rule::LetInline, &term)?.sym();
        let after = self.rule(Rule::LetInline, changed.rhs())?;
        before.trans(changed)?.trans(after)
    }
}

/// Conversions of a term, one after the other.
#[derive(Clone)]
pub struct Chain {
    first: Expr,
    done: Option<Thm>,
}

impl Chain {
    /// From this term.
    pub fn of(e: &Expr) -> Chain {
        Chain { first: e.clone(), done: None }
    }

    /// What the term has become.
    pub fn now(&self) -> &Expr {
        self.done.as_ref().map_or(&self.first, Thm::rhs)
    }

    /// Go on with a conversion.
    pub fn apply<T: Into<Option<Thm>>>(
        &mut self,
        cx: &mut Cx<'_>,
        convert: impl FnOnce(&mut Cx<'_>, &Expr) -> Result<T>,
    ) -> Result<()> {
        let next = convert(cx, &self.now().clone())?;
        self.push(next)
    }

    /// Go on with a theorem about what the term has become, if there is one.
    pub fn push(&mut self, next: impl Into<Option<Thm>>) -> Result<()> {
        self.done = join(self.done.take(), next.into())?;
        Ok(())
    }

    /// The theorem of all that was done; none if that was nothing.
    pub fn done(self) -> Option<Thm> {
        self.done
    }

    /// The same, reflexivity if that was nothing.
    pub fn total(self, cx: &mut Cx<'_>) -> Result<Thm> {
        cx.total(&self.first, self.done)
    }
}

/// One step after another.
pub fn join(first: Option<Thm>, second: Option<Thm>) -> Step {
    match (first, second) {
        (Some(a), Some(b)) => Ok(Some(a.trans(b)?)),
        (a, b) => Ok(a.or(b)),
    }
}
