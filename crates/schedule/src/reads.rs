//! Reads in the sides of a theorem are in bounds, as a program's are; and those of a term that a step could
//! choose.
//!
//! The kernel's equations hold whatever is read outside a tensor, namely zero. But nobody who reads `a[0]` in
//! a theorem thinks of a tensor without elements; so what the theorem means to read is to be there, by its
//! conditions.

use crate::refusal::Refusal;
use atl_diag::err;
use atl_kernel::{Error, Expr, Node, Pred, Result as Kernel, Unproved};
use atl_lang::print::{Options, print, print_pred};
use atl_rules::Cx;
use atl_syntax::Style;
use atl_syntax::ast::Theorem;

/// Refuse a side of a theorem with a read that is not shown to be in bounds.
pub(crate) fn in_bounds(cx: &mut Cx<'_>, theorem: &Theorem, side: &Expr) -> Result<(), Refusal> {
    let (name, span) = (&theorem.name.text, theorem.name.span);
    match walk(cx, side) {
        Ok(None) => Ok(()),
        Ok(Some((read, why))) => {
            let refusal = err!(E0342, span, "`{read}` in the theorem `{name}` may be out of bounds")
                .label("this theorem reads it")
                .note(format!("`{}` could not be proved", print_pred(&why.ctx, &why.goal, Style::LINE)));
            let refusal =
                atl_lang::unproved_notes(&why, None).into_iter().fold(refusal, |d, note| d.note(note));
            Err(Box::new(refusal.help("state a condition after `if`, or guard the read: `x?[i]`")))
        }
        Err(error) => Err(Box::new(atl_lang::kernel_error(&error, &cx.ctx, Some(span)))),
    }
}

/// Is every read of a term shown to be in bounds?
pub(crate) fn all_in_bounds(cx: &mut Cx<'_>, e: &Expr) -> Kernel<bool> {
    Ok(walk(cx, e)?.is_none())
}

/// The first read, in reading order, that is not shown to be in bounds.
fn walk(cx: &mut Cx<'_>, e: &Expr) -> Kernel<Option<(String, Unproved)>> {
    if let Node::Get(array, ix) = &**e {
        let Some(extent) = cx.type_of(array)?.shape.into_iter().next() else {
            return Err(Error::Mismatch("a scalar is read at an index"));
        };
        let goal = Pred::in_range(ix, &extent);
        if !cx.proves(&goal) {
            let options = Options { style: Style::LINE, annotations: false, ..Options::default() };
            let unproved = Unproved { ctx: (*cx.ctx).clone(), goal, refused: None };
            return Ok(Some((print(&cx.ctx, e, None, options), unproved)));
        }
    }
    for at in e.children() {
        let (mut inside, child) = cx.enter(e, at)?;
        if let Some(found) = walk(&mut inside, &child)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
