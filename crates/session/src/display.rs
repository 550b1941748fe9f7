//! Terms as one-line text, for messages.

use atl_kernel::subst::instantiate_all;
use atl_kernel::{Ctx, Entry, Expr, Ix, Label, Pred, Type};
use atl_lang::print::{Names, Options, print, print_ix, print_pred, print_type};
use atl_syntax::{Notation, Style, WIDTH};

/// How functions are printed.
pub fn options(notation: Notation) -> Options {
    Options { style: Style { notation, width: Some(WIDTH) }, ..Options::default() }
}

/// An index term in a line.
pub fn ix(ctx: &Ctx, ix: &Ix) -> String {
    print_ix(ctx, ix, Style::LINE)
}

/// A condition in a line.
pub fn pred(ctx: &Ctx, p: &Pred) -> String {
    print_pred(ctx, p, Style::LINE)
}

/// `1 inference`, `2 inferences`.
pub fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// An entry of a context, if it is a hypothesis.
pub fn hypothesis(ctx: &Ctx, entry: &Entry) -> Option<String> {
    match entry {
        Entry::Hyp(p, _) => Some(pred(ctx, p)),
        Entry::All(variables, p) => Some(all(ctx, variables, p)),
        Entry::Index(_) | Entry::Tensor(..) => None,
    }
}

/// A hypothesis for all integers: its variables get their names.
pub fn all(ctx: &Ctx, variables: &[Label], p: &Pred) -> String {
    let mut inside = ctx.clone();
    let levels: Vec<u32> = variables.iter().map(|v| inside.push_index(v.clone())).collect();
    let at: Vec<Ix> = levels.iter().map(|l| Ix::free(*l)).collect();
    let names = Names::of(&inside);
    let named: Vec<&str> = levels.iter().map(|l| names.at(*l)).collect();
    format!("for all {}: {}", named.join(", "), pred(&inside, &instantiate_all(p, &at)))
}

/// A type in a line.
pub fn ty(ctx: &Ctx, ty: &Type) -> String {
    print_type(ctx, ty, Style::LINE)
}

/// On one line, and cut where it is long.
pub fn expr(ctx: &Ctx, e: &Expr) -> String {
    let text = print(ctx, e, None, Options { style: Style::LINE, explicit: false, annotations: false });
    match text.char_indices().nth(120) {
        Some((cut, _)) => format!("{} …", &text[..cut]),
        None => text,
    }
}
