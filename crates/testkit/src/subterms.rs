//! Every subterm of a term, each in its own context.

use atl_kernel::{Child, Ctx, Expr, Prover, enter};
use std::sync::Arc;

/// A subterm where it stands: its context, opened, and the way to it.
pub struct Place {
    /// What may be assumed there.
    pub ctx: Arc<Ctx>,
    /// The subterm; its free variables are levels of `ctx`.
    pub expr: Expr,
    /// The way to it from the root.
    pub path: Vec<Child>,
}

/// The subterms, outermost first.
pub fn places(ctx: &Arc<Ctx>, e: &Expr, prover: &mut dyn Prover) -> Vec<Place> {
    let mut found = vec![Place { ctx: ctx.clone(), expr: e.clone(), path: vec![] }];
    let mut next = 0;
    while next < found.len() {
        let (ctx, expr, path) = (found[next].ctx.clone(), found[next].expr.clone(), found[next].path.clone());
        next += 1;
        for at in expr.children() {
            if let Ok((inner, child)) = enter(&ctx, &expr, at, prover) {
                let path = [path.as_slice(), &[at]].concat();
                found.push(Place { ctx: Arc::new(inner), expr: child, path });
            }
        }
    }
    found
}
