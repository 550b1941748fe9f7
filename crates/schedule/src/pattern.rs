//! Patterns: program fragments with `_` holes, compared with the program as it prints.

use crate::nest::binders;
use crate::session::{Refusal, wrong_arguments};
use atl_kernel::{Child, Ctx, Expr};
use atl_syntax::ast::{Clause, Expr as Ast, ExprKind};

/// A pattern.
pub struct Pattern<'s> {
    ast: &'s Ast,
}

impl<'s> Pattern<'s> {
    /// The pattern of a clause `at` or `around`.
    pub fn new(clause: &'s Clause) -> Result<Pattern<'s>, Refusal> {
        match clause.args.as_slice() {
            [arg] if arg.name.is_none() => Ok(Pattern { ast: &arg.value }),
            _ => Err(wrong_arguments(clause.span, "at PATTERN")),
        }
    }

    /// The places that match, outermost first; with `around`, the places directly above them.
    pub fn sites(&self, ctx: &Ctx, root: &Expr, around: bool) -> Vec<Vec<Child>> {
        let mut sites = Vec::new();
        if let ExprKind::Name(name) = &self.ast.kind {
            sites.extend(binders(root).into_iter().filter(|p| *p.label.name == **name).map(|p| p.path));
        } else {
            for (path, ast) in atl_lang::subterms(ctx, root) {
                if matches(self.ast, &ast) {
                    sites.push(path);
                }
            }
        }
        if around {
            sites.retain_mut(|path| path.pop().is_some());
        }
        sites
    }
}
