//! Kernel terms as programs.
//!
//! The one idea: printing builds the *syntax* of a term, and the syntax's own printer writes it. Elaborating
//! what is printed, in the same context and where the same element type is wanted, gives the term back, up to
//! labels. [`Options::explicit`] leaves out whatever sugar stands between the two.
//!
//! Not every term of the kernel has a spelling: products of whole tensors, comparisons' literals in an
//! algebra that has no name over `bool`, and definitions that the language does not know are printed in the
//! obvious way, and are refused when they are read.

mod array;
mod expr;
mod index;
mod item;
mod names;

pub use item::{
    function_to_ast, print_for_all, print_function, print_type, print_type_of_names, type_to_ast,
};
pub use names::Names;

pub(crate) use index::{index, predicate};

use atl_kernel::{Ctx, Elem, Expr, Ix, Pred};
use atl_syntax::{Style, ast, print_expr};

/// How to print.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Notation and width.
    pub style: Style,
    /// Show every kernel node: one binder at a time, guards and literals' types in full.
    pub explicit: bool,
    /// Show how loops run and where tensors are kept, as attributes.
    pub annotations: bool,
}

impl Default for Options {
    /// As the formatter writes programs, annotations included.
    fn default() -> Options {
        Options { style: Style::SOURCE, explicit: false, annotations: true }
    }
}

/// The syntax of a term in a context. Literals are bare where the element type wanted, or their
/// surroundings, decide what they are.
pub fn to_ast(ctx: &Ctx, e: &Expr, want: Option<Elem>, options: Options) -> ast::Expr {
    expr::Printer::new(ctx, options).wanted(e, want)
}

/// A term in a context, as a program.
pub fn print(ctx: &Ctx, e: &Expr, want: Option<Elem>, options: Options) -> String {
    print_expr(&to_ast(ctx, e, want, options), options.style)
}

/// The syntax of an index term in a context.
pub fn index_to_ast(ctx: &Ctx, ix: &Ix) -> ast::Expr {
    index(&Names::of(ctx), ix)
}

/// An index term in a context.
pub fn print_ix(ctx: &Ctx, ix: &Ix, style: Style) -> String {
    print_ix_of_names(&Names::of(ctx), ix, style)
}

/// [`print_ix`] in a context with these names, for many terms of one context.
pub fn print_ix_of_names(names: &Names, ix: &Ix, style: Style) -> String {
    print_expr(&index(names, ix), style)
}

/// A predicate in a context.
pub fn print_pred(ctx: &Ctx, p: &Pred, style: Style) -> String {
    print_expr(&predicate(&Names::of(ctx), p), style)
}
