//! What a script has proved so far, kept where it was proved.
//!
//! **The one idea.** To carry a theorem about a part of the body to the body takes an inference for each
//! node above the part, and each of these measures all that stands below it. But most steps work near the
//! one before. So a theorem stays where it was proved, and is carried outward only as far as the next
//! step's place demands; what all steps proved reaches the body once.
//!
//! What stays below is certain to be carried out later: both sides have one type as it is spelt, so the
//! same inference serves whatever stands around. Where they have not, the theorem is carried outward at
//! once, and a refusal is the step's own.

use atl_kernel::{Child, Ctx, Expr, Ix, Node, Result as Kernel, Thm, Var, subst};
use atl_rules::{Chain, Cx};
use std::sync::Arc;

/// The place where steps work, and what was proved there and above it.
#[derive(Clone)]
pub(crate) struct Focus {
    /// The parts on the way from the body to the place, opened.
    parts: Vec<Part>,
    /// Which children the way takes.
    path: Vec<Child>,
}

/// A part of the body, and what was proved of it.
#[derive(Clone)]
struct Part {
    ctx: Arc<Ctx>,
    chain: Chain,
}

impl Focus {
    /// All of a body, of which nothing is proved.
    pub(crate) fn on(ctx: &Arc<Ctx>, body: &Expr) -> Focus {
        Focus { parts: vec![Part { ctx: ctx.clone(), chain: Chain::of(body) }], path: Vec::new() }
    }

    /// Work at the end of this path.
    pub(crate) fn move_to(&mut self, cx: &mut Cx<'_>, path: &[Child]) -> Kernel<()> {
        let common = self.path.iter().zip(path).take_while(|(one, other)| one == other).count();
        while self.path.len() > common {
            self.outward(cx)?;
        }
        for at in &path[common..] {
            let (mut here, now) = self.here(cx);
            let (inside, opened) = here.enter(&now, *at)?;
            let part = Part { ctx: inside.ctx.clone(), chain: Chain::of(&opened) };
            self.parts.push(part);
            self.path.push(*at);
        }
        Ok(())
    }

    /// The way to the place.
    pub(crate) fn path(&self) -> &[Child] {
        &self.path
    }

    /// The place, and the term there.
    pub(crate) fn here<'c>(&self, cx: &'c mut Cx<'_>) -> (Cx<'c>, Expr) {
        let part = self.innermost();
        (cx.within(part.ctx.clone()), part.chain.now().clone())
    }

    /// What is proved of the term at the place.
    pub(crate) fn push(&mut self, cx: &mut Cx<'_>, thm: Thm) -> Kernel<()> {
        let is_spelt_alike = thm.clone().sym().ty() == thm.ty();
        self.innermost_mut().chain.push(thm)?;
        while !is_spelt_alike && !self.path.is_empty() {
            self.outward(cx)?;
        }
        Ok(())
    }

    /// What was proved of the body in all; none if that is nothing.
    pub(crate) fn close(mut self, cx: &mut Cx<'_>) -> Kernel<Option<Thm>> {
        self.move_to(cx, &[])?;
        Ok(self.parts.pop().and_then(|body| body.chain.done()))
    }

    /// The body, from what it was when this place had another term.
    pub(crate) fn body(&self, before: &Expr) -> Expr {
        let mut levels = Vec::new();
        for (part, at) in self.parts.iter().zip(&self.path) {
            let first = part.ctx.level();
            levels.extend(first..first + part.chain.now().binds(*at));
        }
        put(before, &self.path, closed(self.innermost().chain.now(), &levels))
    }

    fn outward(&mut self, cx: &mut Cx<'_>) -> Kernel<()> {
        let (Some(inside), Some(at)) = (self.parts.pop(), self.path.pop()) else { return Ok(()) };
        let Some(thm) = inside.chain.done() else { return Ok(()) };
        let (mut here, now) = self.here(cx);
        let lifted = here.lift(&now, at, thm)?;
        self.innermost_mut().chain.push(lifted)
    }

    fn innermost(&self) -> &Part {
        &self.parts[self.path.len()]
    }

    fn innermost_mut(&mut self) -> &mut Part {
        &mut self.parts[self.path.len()]
    }
}

/// A term below binders from one that has the context variables of these levels for theirs, outermost first.
fn closed(e: &Expr, levels: &[u32]) -> Expr {
    let Some((first, count)) = levels.first().zip(u32::try_from(levels.len()).ok()) else { return e.clone() };
    if levels.iter().zip(*first..).all(|(level, next)| *level == next) {
        return subst::close_all(e, *first, count);
    }
    // Levels that no context reaches, one after the other.
    let apart = u32::MAX - count;
    let mut renamed = subst::Subst::default();
    for (level, new) in levels.iter().zip(apart..) {
        renamed.index.push((*level, Ix::free(new)));
        renamed.tensor.push((*level, Arc::new(Node::Var(Var::Free(new)))));
    }
    subst::close_all(&renamed.expr(e), apart, count)
}

/// A term with another part at the end of a path.
fn put(e: &Expr, path: &[Child], new: Expr) -> Expr {
    match path.split_first() {
        Some((first, rest)) => match e.child(*first) {
            Some(child) => Arc::new(e.with_child(*first, put(child, rest, new))),
            None => e.clone(),
        },
        None => new,
    }
}
