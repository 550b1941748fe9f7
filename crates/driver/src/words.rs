//! Terms as short text, for messages.

use atl_kernel::{Ctx, Expr, Ix, Pred, Type};
use atl_lang::print::{Options, print, print_ix, print_pred, print_type};
use atl_syntax::Style;

pub(crate) fn ix(ctx: &Ctx, ix: &Ix) -> String {
    print_ix(ctx, ix, Style::LINE)
}

pub(crate) fn pred(ctx: &Ctx, p: &Pred) -> String {
    print_pred(ctx, p, Style::LINE)
}

pub(crate) fn ty(ctx: &Ctx, ty: &Type) -> String {
    print_type(ctx, ty, Style::LINE)
}

/// On one line, and cut where it is long.
pub(crate) fn expr(ctx: &Ctx, e: &Expr) -> String {
    let text = print(ctx, e, None, Options { style: Style::LINE, explicit: false, annotations: false });
    match text.char_indices().nth(120) {
        Some((cut, _)) => format!("{} …", &text[..cut]),
        None => text,
    }
}
