//! Matching: which sizes and tensors make one side of a schema a given term.
//!
//! The one idea: matching only *finds* the metavariables; that the instance is the term, the kernel decides afterwards
//! by arithmetic. So it walks both terms structurally, takes each index metavariable from the first place that
//! determines it, and each tensor metavariable from the first place where it is applied to arguments that can be solved
//! for the loops' indices (a higher-order pattern, `f[i]`, and its affine kin, `f[i + k]` or `f[o*k + j]`). What cannot be
//! solved yet is put off until more is known.
//!
//! It does not match up to laws: `a + b` is no instance of `b + a`, and a guard is not looked for inside another.

use crate::occurrences::mentions;
use crate::rules::guard_false::zeros;
use crate::solve::{invert, quotient, replace};
use atl_kernel::{
    Ctx, Elem, Entry, Expr, Ix, IxOp, Label, Node, Pred, Prover, Scalar, Type, Var, enter,
    subst::{self, Subst},
    type_of,
};
use atl_lang::{Param, Statement};
use atl_ops::as_it_stands;
use std::sync::Arc;

/// Levels of the schema's own binders start here, beyond every level of a context.
const BINDERS: u32 = 1 << 30;

/// Levels of a tensor metavariable's arguments start here.
const ARGUMENTS: u32 = BINDERS + (1 << 29);

/// What a tensor metavariable stands for.
#[derive(Clone, Debug)]
pub(crate) struct Abstraction {
    /// The tensor: `gen`s over the arguments that it was applied to, or the term itself.
    pub(crate) expr: Expr,
    /// Was it applied to anything but loops' indices? Then what it becomes elsewhere may be simplified.
    pub(crate) shifted: bool,
}

/// What the metavariables of a schema stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings {
    /// The index metavariables, by the schema's level.
    pub(crate) index: Vec<(u32, Ix)>,
    /// The tensor metavariables, by the schema's level.
    pub(crate) tensors: Vec<(u32, Abstraction)>,
    /// The element types, by the schema's.
    pub(crate) elems: Vec<(Elem, Elem)>,
    /// The names of the schema's binders, and the labels of those that they were matched with.
    pub(crate) labels: Vec<(Label, Label)>,
}

impl Bindings {
    /// What the index metavariable at this level stands for.
    pub(crate) fn index_at(&self, level: u32) -> Option<&Ix> {
        self.index.iter().find(|(l, _)| *l == level).map(|(_, ix)| ix)
    }

    /// What the tensor metavariable at this level stands for.
    pub(crate) fn tensor_at(&self, level: u32) -> Option<&Abstraction> {
        self.tensors.iter().find(|(l, _)| *l == level).map(|(_, f)| f)
    }

    /// How many metavariables are known.
    fn count(&self) -> usize {
        self.index.len() + self.tensors.len()
    }

    /// Let tensors of zeros stand for the tensor metavariables that nothing determines: the equation holds of any.
    /// None if not even their element types are known.
    pub(crate) fn with_zeros(mut self, params: &[Param]) -> Option<Bindings> {
        for param in params {
            if self.tensor_at(param.level).is_some() {
                continue;
            }
            let any = param.ty.elem;
            if atl_lang::is_variable(any)
                && !self.elems.iter().any(|(e, _)| std::ptr::eq(e.algebra, any.algebra))
            {
                return None;
            }
            let elem = self.elem(any);
            let subst = Subst { index: self.index.clone(), tensor: Vec::new() };
            let shape = param.ty.shape.iter().map(|n| subst.ix(n)).collect();
            let expr = zeros(&Type { elem, shape });
            self.tensors.push((param.level, Abstraction { expr, shifted: false }));
        }
        Some(self)
    }

    /// The element type in place of a schema's.
    pub(crate) fn elem(&self, elem: Elem) -> Elem {
        let found = self.elems.iter().find(|(any, _)| std::ptr::eq(any.algebra, elem.algebra));
        match found {
            Some((_, actual)) if elem.scalar == Scalar::Bool => Elem { scalar: Scalar::Bool, ..*actual },
            Some((_, actual)) => *actual,
            None => elem,
        }
    }
}

/// A comparison that waits for more to be known.
enum Later {
    Index(Arc<Ctx>, Ix, Ix),
    Tensor(Arc<Ctx>, usize, Vec<Ix>, Expr),
}

/// A match in progress.
pub(crate) struct Matcher<'s, 'p> {
    schema: &'s Statement,
    prover: &'s mut (dyn Prover + 'p),
    /// The level at which the term's own binders begin.
    outer: u32,
    /// The schema's binders and the term's, by level, as they were entered together.
    binders: Vec<(u32, u32)>,
    later: Vec<Later>,
    pub(crate) bindings: Bindings,
}

impl<'s, 'p> Matcher<'s, 'p> {
    /// A match of a term in this context, with what is given beforehand.
    pub(crate) fn new(
        schema: &'s Statement,
        ctx: &Ctx,
        given: Bindings,
        prover: &'s mut (dyn Prover + 'p),
    ) -> Matcher<'s, 'p> {
        let (binders, later) = (Vec::new(), Vec::new());
        Matcher { schema, prover, outer: ctx.level(), binders, later, bindings: given }
    }

    /// Match a side with a term; `None` when they differ. Some metavariables may remain unknown.
    pub(crate) fn run(mut self, ctx: &Arc<Ctx>, side: &Expr, e: &Expr) -> Option<Bindings> {
        self.expr(ctx, side, e)?;
        // Every round finds a metavariable, or is the last.
        let mut known = None;
        while !self.later.is_empty() && known != Some(self.bindings.count()) {
            known = Some(self.bindings.count());
            for item in std::mem::take(&mut self.later) {
                match item {
                    Later::Index(ctx, pattern, ix) => self.ix(&ctx, &pattern, &ix)?,
                    Later::Tensor(ctx, param, args, e) => self.stands_for(&ctx, param, args, &e),
                }
            }
        }
        Some(self.bindings)
    }

    fn expr(&mut self, ctx: &Arc<Ctx>, pattern: &Expr, e: &Expr) -> Option<()> {
        if let Some((param, args)) = self.application(pattern) {
            return self.tensor(ctx, param, args, e);
        }
        self.head(ctx, pattern, e)?;
        if !pattern.children().eq(e.children()) {
            return None;
        }
        for at in pattern.children() {
            let (inner, child) = match as_it_stands(e, at) {
                Some(child) => (ctx.clone(), child.clone()),
                None => {
                    let (inner, child) = enter(ctx, e, at, self.prover).ok()?;
                    (Arc::new(inner), child)
                }
            };
            let below = pattern.child(at)?;
            let first = BINDERS + u32::try_from(self.binders.len()).ok()?;
            let binders = pattern.binds(at);
            self.binders.extend((0..binders).map(|k| (first + k, ctx.level() + k)));
            let below = subst::open_all(below, first, binders);
            self.expr(&inner, &below, &child)?;
        }
        Some(())
    }

    /// A tensor metavariable and its arguments, outermost first, if the pattern is one applied.
    fn application(&self, pattern: &Expr) -> Option<(usize, Vec<Ix>)> {
        match &**pattern {
            Node::Get(array, ix) => {
                let (param, mut args) = self.application(array)?;
                args.push(ix.clone());
                Some((param, args))
            }
            Node::Var(Var::Free(level)) => {
                let param = self.schema.params.iter().position(|p| p.level == *level)?;
                Some((param, Vec::new()))
            }
            _ => None,
        }
    }

    /// Everything of a node but its children.
    fn head(&mut self, ctx: &Arc<Ctx>, pattern: &Expr, e: &Expr) -> Option<()> {
        let same = |same: bool| same.then_some(());
        match (&**pattern, &**e) {
            (Node::Var(Var::Free(x)), Node::Var(Var::Free(y))) => same(self.binders.contains(&(*x, *y))),
            (Node::Lit(s, x), Node::Lit(t, y)) => {
                self.elem(*s, *t)?;
                same(x == y)
            }
            (Node::Index(s, i), Node::Index(t, j)) => {
                self.elem(*s, *t)?;
                self.ix(ctx, i, j)
            }
            (Node::Gen(l, n, _), Node::Gen(k, m, _)) | (Node::Sum(l, n, _), Node::Sum(k, m, _)) => {
                self.bindings.labels.push((l.clone(), k.clone()));
                self.ix(ctx, n, m)
            }
            (Node::Let(l, ..), Node::Let(k, ..)) => {
                self.bindings.labels.push((l.clone(), k.clone()));
                Some(())
            }
            (Node::Guard(p, _), Node::Guard(q, _)) | (Node::Select(p, ..), Node::Select(q, ..)) => {
                self.pred(ctx, p, q)
            }
            (Node::Get(_, i), Node::Get(_, j)) => self.ix(ctx, i, j),
            (Node::Prim(f, _), Node::Prim(g, _)) => same(f == g),
            (Node::View(a, _), Node::View(b, _)) => same(a == b),
            (Node::Op(d, is, _), Node::Op(c, js, _)) if d == c => {
                is.iter().zip(js).try_for_each(|(i, j)| self.ix(ctx, i, j))
            }
            _ => None,
        }
    }

    fn elem(&mut self, pattern: Elem, actual: Elem) -> Option<()> {
        if !atl_lang::is_variable(pattern) {
            return (pattern == actual).then_some(());
        }
        let known = self.bindings.elems.iter().any(|(any, _)| std::ptr::eq(any.algebra, pattern.algebra));
        if !known && pattern.scalar != Scalar::Bool {
            self.bindings.elems.push((pattern, actual));
        }
        (self.bindings.elem(pattern) == actual).then_some(())
    }

    fn pred(&mut self, ctx: &Arc<Ctx>, pattern: &Pred, p: &Pred) -> Option<()> {
        match (pattern, p) {
            (Pred::True, Pred::True) | (Pred::False, Pred::False) => Some(()),
            (Pred::Cmp(c, a, b), Pred::Cmp(d, x, y)) if c == d => {
                self.ix(ctx, a, x)?;
                self.ix(ctx, b, y)
            }
            (Pred::Not(a), Pred::Not(x)) => self.pred(ctx, a, x),
            (Pred::And(ab), Pred::And(xy)) | (Pred::Or(ab), Pred::Or(xy)) => {
                self.pred(ctx, &ab.0, &xy.0)?;
                self.pred(ctx, &ab.1, &xy.1)
            }
            _ => None,
        }
    }

    /// The schema's index term in the term's variables, if all of its metavariables are known.
    fn known(&self, pattern: &Ix) -> Option<Ix> {
        match pattern {
            Ix::Lit(_) => Some(pattern.clone()),
            Ix::Var(Var::Free(level)) => match self.binders.iter().find(|(l, _)| l == level) {
                Some((_, theirs)) => Some(Ix::free(*theirs)),
                None => self.bindings.index_at(*level).cloned(),
            },
            Ix::Var(Var::Bound(_)) | Ix::Read(..) => None,
            Ix::Bin(op, ab) => Some(Ix::bin(*op, self.known(&ab.0)?, self.known(&ab.1)?)),
        }
    }

    fn ix(&mut self, ctx: &Arc<Ctx>, pattern: &Ix, ix: &Ix) -> Option<()> {
        if let Some(known) = self.known(pattern) {
            let equal = known == *ix || self.prover.prove(ctx, &Pred::eq(known, ix.clone())).is_some();
            return equal.then_some(());
        }
        match pattern {
            Ix::Var(Var::Free(level)) => {
                // What depends on a loop inside the term cannot be said outside it.
                let local = (self.outer..ctx.level()).any(|l| ix.mentions(l));
                (!local).then(|| self.bindings.index.push((*level, ix.clone())))
            }
            Ix::Bin(op, ab) => self.operation(ctx, *op, &ab.0, &ab.1, pattern, ix),
            _ => None,
        }
    }

    /// `a op b = ix`, with something unknown in it: solved for the unknown operand, or part by part.
    fn operation(&mut self, ctx: &Arc<Ctx>, op: IxOp, a: &Ix, b: &Ix, whole: &Ix, ix: &Ix) -> Option<()> {
        let before = self.bindings.clone();
        if let Ix::Bin(other, xy) = ix
            && *other == op
            && self.ix(ctx, a, &xy.0).and_then(|()| self.ix(ctx, b, &xy.1)).is_some()
        {
            return Some(());
        }
        self.bindings = before;
        match (op, self.known(a), self.known(b)) {
            (IxOp::Add, Some(a), None) => self.ix(ctx, b, &(ix.clone() - a)),
            (IxOp::Add, None, Some(b)) => self.ix(ctx, a, &(ix.clone() - b)),
            (IxOp::Sub, Some(a), None) => self.ix(ctx, b, &(a - ix.clone())),
            (IxOp::Sub, None, Some(b)) => self.ix(ctx, a, &(ix.clone() + b)),
            (IxOp::Mul, Some(k), None) => self.ix(ctx, b, &quotient(ix, &k)),
            (IxOp::Mul, None, Some(k)) => self.ix(ctx, a, &quotient(ix, &k)),
            _ => {
                self.later.push(Later::Index(ctx.clone(), whole.clone(), ix.clone()));
                Some(())
            }
        }
    }

    /// A tensor metavariable applied to arguments is this term.
    fn tensor(&mut self, ctx: &Arc<Ctx>, param: usize, args: Vec<Ix>, e: &Expr) -> Option<()> {
        let schema = self.schema;
        let declared = &schema.params[param];
        if self.bindings.tensor_at(declared.level).is_some() {
            return Some(());
        }
        self.typed(ctx, declared, args.len(), e)?;
        self.stands_for(ctx, param, args, e);
        Some(())
    }

    /// A tensor metavariable stands for the term that it is with these arguments, once that can be solved.
    fn stands_for(&mut self, ctx: &Arc<Ctx>, param: usize, args: Vec<Ix>, e: &Expr) {
        let schema = self.schema;
        let declared = &schema.params[param];
        if self.bindings.tensor_at(declared.level).is_some() {
            return;
        }
        match self.abstraction(ctx, declared, &args, e) {
            Some(found) => self.bindings.tensors.push((declared.level, found)),
            None => self.later.push(Later::Tensor(ctx.clone(), param, args, e.clone())),
        }
    }

    /// The term has the type of the metavariable with so many arguments, and perhaps more dimensions.
    fn typed(&mut self, ctx: &Arc<Ctx>, declared: &Param, args: usize, e: &Expr) -> Option<()> {
        let ty = type_of(ctx, e, self.prover).ok()?;
        self.elem(declared.ty.elem, ty.elem)?;
        let rest = declared.ty.shape.get(args..)?;
        if ty.shape.len() < rest.len() {
            return None;
        }
        rest.iter().zip(&ty.shape).try_for_each(|(n, m)| self.ix(ctx, n, m))
    }

    /// The term as a function of the arguments; `None` while that is not known.
    fn abstraction(&mut self, ctx: &Ctx, declared: &Param, args: &[Ix], e: &Expr) -> Option<Abstraction> {
        let fresh: Vec<u32> = (ARGUMENTS..).take(args.len()).collect();
        let known: Vec<Ix> = args.iter().map(|arg| self.known(arg)).collect::<Option<_>>()?;
        let extents = declared.ty.shape.iter().take(args.len());
        let extents: Vec<Ix> = extents.map(|n| self.known(n)).collect::<Option<_>>()?;
        let local = self.outer..ctx.level();
        let closed = |e: &Expr| !local.clone().any(|level| mentions(e, level));
        // The indices in terms of the arguments, or else the arguments where they occur as they are.
        let solved = invert(&known, &fresh, &|level| local.contains(&level));
        let solved = solved.map(|index| Subst { index, tensor: Vec::new() }.expr(e)).filter(closed);
        let spelt =
            || known.iter().zip(&fresh).fold(e.clone(), |e, (arg, x)| replace(&e, arg, &Ix::free(*x)));
        let mut expr = solved.or_else(|| Some(spelt()).filter(closed))?;
        let plain = |arg: &Ix| match arg {
            Ix::Var(Var::Free(level)) if local.contains(level) => ctx.entry(*level),
            _ => None,
        };
        for ((arg, level), n) in known.iter().zip(fresh).zip(extents).rev() {
            let label = match plain(arg) {
                Some(Entry::Index(label)) => Label::new(&label.name),
                _ => Label::new("i"),
            };
            expr = match self.read_in_order(ctx, &expr, level, &n) {
                Some(whole) => whole,
                None => Arc::new(Node::Gen(label, n, subst::close(&expr, level))),
            };
        }
        let shifted = known.iter().any(|arg| plain(arg).is_none());
        Some(Abstraction { expr, shifted })
    }

    /// `t` where the term is `t[x]` for this variable, and `t` is of this extent.
    fn read_in_order(&mut self, ctx: &Ctx, e: &Expr, x: u32, n: &Ix) -> Option<Expr> {
        let Node::Get(whole, index) = &**e else { return None };
        if *index != Ix::free(x) || mentions(whole, x) {
            return None;
        }
        let (mut array, mut dimension) = (whole, 0);
        while let Node::Get(outer, _) = &**array {
            (array, dimension) = (outer, dimension + 1);
        }
        let extents = type_of(ctx, array, self.prover).ok()?.shape;
        (extents.get(dimension) == Some(n)).then(|| whole.clone())
    }
}
