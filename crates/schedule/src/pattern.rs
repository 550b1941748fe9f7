//! Patterns: program fragments with `_` holes, compared with the program as it prints.

use crate::nest::binders;
use crate::session::{Refusal, wrong_arguments};
use atl_kernel::{Child, Expr, enter};
use atl_lang::print::{Options, to_ast};
use atl_rules::Cx;
use atl_syntax::ast::{Binder, Clause, Expr as Ast, ExprKind};
use std::sync::Arc;

/// A pattern.
pub(crate) struct Pattern<'s> {
    ast: &'s Ast,
}

impl<'s> Pattern<'s> {
    /// The pattern of a clause `at` or `around`.
    pub(crate) fn new(clause: &'s Clause) -> Result<Pattern<'s>, Refusal> {
        match clause.args.as_slice() {
            [arg] if arg.name.is_none() => Ok(Pattern { ast: &arg.value }),
            _ => Err(wrong_arguments(clause.span, "at PATTERN")),
        }
    }

    /// The places that match, outermost first; with `around`, the places directly above them.
    pub(crate) fn sites(&self, cx: &mut Cx<'_>, root: &Expr, around: bool) -> Vec<Vec<Child>> {
        let mut sites = Vec::new();
        match &self.ast.kind {
            ExprKind::Name(name) => {
                sites.extend(binders(root).into_iter().filter(|p| *p.label.name == **name).map(|p| p.path));
            }
            _ => self.walk(cx, root, &mut Vec::new(), &mut sites),
        }
        if around {
            sites.retain_mut(|path| path.pop().is_some());
        }
        sites
    }

    fn walk(&self, cx: &mut Cx<'_>, e: &Expr, path: &mut Vec<Child>, sites: &mut Vec<Vec<Child>>) {
        let shown = to_ast(&cx.ctx, e, None, Options { annotations: false, ..Options::default() });
        if matches(self.ast, &shown) {
            sites.push(path.clone());
        }
        for at in e.children() {
            let Ok((inner, child)) = enter(&cx.ctx, e, at, cx.prover) else { continue };
            path.push(at);
            self.walk(&mut Cx::new(Arc::new(inner), cx.prover), &child, path, sites);
            path.pop();
        }
    }
}

/// Does the pattern match the program? A hole matches anything; everything else must be written alike.
fn matches(pattern: &Ast, e: &Ast) -> bool {
    let all = |ps: &[Ast], es: &[Ast]| ps.len() == es.len() && ps.iter().zip(es).all(|(p, e)| matches(p, e));
    match (&pattern.kind, &e.kind) {
        (ExprKind::Hole, _) => true,
        (ExprKind::Unary(f, p), ExprKind::Unary(g, e)) => f == g && matches(p, e),
        (ExprKind::Binary(f, p, q), ExprKind::Binary(g, d, e)) => f == g && matches(p, d) && matches(q, e),
        (ExprKind::Compare(p, ps), ExprKind::Compare(e, es)) => {
            matches(p, e)
                && ps.len() == es.len()
                && ps.iter().zip(es).all(|((f, p), (g, e))| f == g && matches(p, e))
        }
        (
            ExprKind::Access { kind: k, base: p, indices: ps },
            ExprKind::Access { kind: l, base: e, indices: es },
        ) => k == l && matches(p, e) && all(ps, es),
        (ExprKind::Call { callee: f, args: ps }, ExprKind::Call { callee: g, args: es }) => {
            f == g && all(ps, es)
        }
        (ExprKind::Convert { to: s, value: p }, ExprKind::Convert { to: t, value: e }) => {
            s == t && matches(p, e)
        }
        (ExprKind::Guard { predicate: p, body: q }, ExprKind::Guard { predicate: d, body: e }) => {
            matches(p, d) && matches(q, e)
        }
        (ExprKind::Bind { op: f, binders: ps, body: p }, ExprKind::Bind { op: g, binders: es, body: e }) => {
            let same = |(p, e): (&Binder, &Binder)| {
                p.name == e.name
                    && p.lo.as_ref().zip(e.lo.as_ref()).is_none_or(|(p, e)| matches(p, e))
                    && p.lo.is_some() == e.lo.is_some()
                    && matches(&p.hi, &e.hi)
            };
            f == g && ps.len() == es.len() && ps.iter().zip(es).all(same) && matches(p, e)
        }
        (
            ExprKind::Let { name: x, value: p, body: q, .. },
            ExprKind::Let { name: y, value: d, body: e, .. },
        ) => x == y && matches(p, d) && matches(q, e),
        (p, e) => p == e,
    }
}
