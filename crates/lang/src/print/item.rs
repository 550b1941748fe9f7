//! Types and whole functions as syntax.

use super::expr::element;
use super::index::{index, name, predicate};
use super::{Names, Options, to_ast};
use crate::module::{Argument, Function};
use atl_diag::Span;
use atl_kernel::{Ctx, Expr, Type};
use atl_syntax::{Style, ast};

/// The syntax of a type in a context.
pub fn type_to_ast(ctx: &Ctx, ty: &Type) -> ast::Type {
    let names = Names::of(ctx);
    let extents = ty.shape.iter().map(|n| index(&names, n)).collect();
    let kind = ast::TypeKind::Tensor { element: element(ty.elem), extents, format: None };
    ast::Type { kind, span: Span::default() }
}

/// A type in a context, `f32[N, M]`.
pub fn print_type(ctx: &Ctx, ty: &Type, style: Style) -> String {
    atl_syntax::print_type(&type_to_ast(ctx, ty), style)
}

/// The syntax of a function with this body, which its own is equal to.
pub fn function_to_ast(f: &Function, body: &Expr, options: Options) -> ast::Function {
    let names = Names::of(&f.ctx);
    let param = |level, ty| ast::Param { name: name(names.at(level)), ty, span: Span::default() };
    let size = || ast::Type { kind: ast::TypeKind::Size, span: Span::default() };
    let params = f.call_order.iter().map(|a| match *a {
        Argument::Size(k) => param(f.sizes[k].level, size()),
        Argument::Tensor(k) => param(f.params[k].level, type_to_ast(&f.ctx, &f.params[k].ty)),
    });
    ast::Function {
        doc: f.doc.clone(),
        name: name(&f.name),
        params: params.collect(),
        result: Some(type_to_ast(&f.ctx, &f.result)),
        preconditions: f.requires.iter().map(|(p, _)| predicate(&names, p)).collect(),
        body: to_ast(&f.ctx, body, Some(f.result.elem), options),
        span: Span::default(),
    }
}

/// A function with this body, ending in a line end.
pub fn print_function(f: &Function, body: &Expr, options: Options) -> String {
    atl_syntax::print_function(&function_to_ast(f, body, options), options.style)
}
