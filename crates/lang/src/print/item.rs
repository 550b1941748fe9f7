//! Types and whole functions as syntax.

use super::expr::element;
use super::index::{at, index, name, predicate};
use super::{Names, Options, to_ast};
use crate::forall::{ForAll, instance};
use crate::module::{Argument, Complex, Function};
use atl_diag::Span;
use atl_kernel::subst::instantiate_all;
use atl_kernel::{Ctx, Expr, Ix, Type};
use atl_syntax::{Style, ast};

/// The syntax of a type in a context.
pub fn type_to_ast(ctx: &Ctx, ty: &Type) -> ast::Type {
    type_of_names(&Names::of(ctx), ty)
}

/// The syntax of a type in a context with these names.
fn type_of_names(names: &Names, ty: &Type) -> ast::Type {
    let extents = ty.shape.iter().map(|n| index(names, n)).collect();
    let kind = ast::TypeKind::Tensor { element: element(ty.elem), extents, format: None };
    ast::Type { kind, span: Span::default() }
}

/// A type in a context, `f32[N, M]`.
pub fn print_type(ctx: &Ctx, ty: &Type, style: Style) -> String {
    atl_syntax::print_type(&type_to_ast(ctx, ty), style)
}

/// [`print_type`] in a context with these names, for many types of one context.
pub fn print_type_of_names(names: &Names, ty: &Type, style: Style) -> String {
    atl_syntax::print_type(&type_of_names(names, ty), style)
}

/// The syntax of what a function returns.
fn result_to_ast(f: &Function) -> ast::Type {
    if f.several.is_empty() {
        return type_to_ast(&f.ctx, &f.body_type());
    }
    let names = Names::of(&f.ctx);
    let parts = f.several.iter().map(|part| (Some(name(&part.name)), type_of_names(&names, &part.ty)));
    ast::Type { kind: ast::TypeKind::Several(parts.collect()), span: Span::default() }
}

/// The syntax of a function with this body, which its own is equal to.
pub fn function_to_ast(f: &Function, body: &Expr, options: Options) -> ast::Function {
    let names = Names::of(&f.ctx);
    let param =
        |level, ty| ast::Param { name: name(names.at(level)), ty, default: None, span: Span::default() };
    let size = || ast::Type { kind: ast::TypeKind::Size, span: Span::default() };
    let params = f.call_order.iter().map(|a| match *a {
        Argument::Size(k) => param(f.sizes[k].level, size()),
        Argument::Tensor(k) => param(f.params[k].level, type_of_names(&names, &f.params[k].ty)),
    });
    let copied = f.copies.iter().flat_map(|copy| &copy.arrays);
    let params = params.chain(copied.map(|array| param(array.level, type_of_names(&names, &array.ty))));
    ast::Function {
        type_params: Vec::new(),
        doc: f.doc.iter().cloned().chain(f.complex.iter().map(said)).collect(),
        name: name(&f.name),
        params: params.collect(),
        result: Some(result_to_ast(f)),
        preconditions: {
            let plain = f.requires.iter().map(|(p, _)| predicate(&names, p));
            let copied = f.copies.iter().flat_map(|copy| &copy.facts);
            plain.chain(f.requires_all.iter().chain(copied).map(|stated| for_all(&f.ctx, stated))).collect()
        },
        body: to_ast(&f.ctx, body, Some(f.result.elem), options),
        span: Span::default(),
    }
}

/// What was complex in the text.
fn said(complex: &Complex) -> String {
    let [re, im] = &complex.parts;
    let what = if complex.is_result { "the result " } else { "" };
    format!("Here {what}`{}: {}` is `{re}` and `{im}`.", complex.name, complex.ty)
}

/// A precondition on elements, `all p < n { … }`.
pub fn print_for_all(ctx: &Ctx, stated: &ForAll, style: Style) -> String {
    atl_syntax::print_expr(&for_all(ctx, stated), style)
}

/// `all p < n { … }`, or the predicate where there are no variables.
fn for_all(ctx: &Ctx, stated: &ForAll) -> ast::Expr {
    let (mut ctx, mut variables) = (ctx.clone(), Vec::new());
    let (mut binders, mut names) = (Vec::new(), Names::of(&ctx));
    for v in &stated.variables {
        let [lo, hi] = [&v.lo, &v.hi].map(|ix| index(&names, &instance(ix, &variables)));
        let level = ctx.push_index(v.label.clone());
        variables.push(Ix::free(level));
        let lo = if v.lo == Ix::ZERO { None } else { Some(lo) };
        names = Names::of(&ctx);
        let named = name(names.at(level));
        binders.push(ast::Binder {
            name: named,
            lo,
            hi: Some(hi),
            attributes: vec![],
            span: Span::default(),
        });
    }
    let holds = predicate(&names, &instantiate_all(&stated.holds, &variables));
    match binders.is_empty() {
        true => holds,
        false => at(ast::ExprKind::Bind { op: ast::BinderOp::All, binders, body: Box::new(holds) }),
    }
}

/// A function with this body, ending in a line end.
pub fn print_function(f: &Function, body: &Expr, options: Options) -> String {
    atl_syntax::print_function(&function_to_ast(f, body, options), options.style)
}
