//! Generic functions: `fn f<T: float>(x: T[N]) -> T[N]`.
//!
//! **The one idea.** A call has the element types of its arguments, and the function is elaborated for these:
//! the instance `f<f32>` is a function like any other. So nothing below knows of element types that vary. A
//! declaration is tried for a few types that its bounds allow, so that its mistakes are reported where it
//! is written.

use super::function::function;
use super::index::Sort;
use super::{Elab, Functions, Names, Val};
use crate::algebra;
use atl_diag::{Diagnostic, err, spelling};
use atl_kernel::{Elem, Prover, Scalar};
use atl_syntax::ast::{self, ElementType, Expr, ExprKind, Name, TypeKind};

/// The words that bound an element type, and types for which a declaration is tried.
const BOUNDS: [(&str, &[Scalar]); 4] = [
    ("any", &[Scalar::F32, Scalar::I32, Scalar::U8, Scalar::Bool]),
    ("float", &[Scalar::F32, Scalar::F64]),
    ("int", &[Scalar::I32, Scalar::U8]),
    ("number", &[Scalar::F32, Scalar::I32, Scalar::U8]),
];

fn admits(bound: &str, scalar: Scalar) -> bool {
    match bound {
        "float" => scalar.is_float(),
        "int" => scalar.is_integer(),
        "number" => scalar.is_float() || scalar.is_integer(),
        _ => true,
    }
}

/// What is wrong with a generic function, for the first types that show it.
pub(super) fn declared(
    f: &ast::Function,
    functions: &Functions,
    names: &Names,
    prover: &mut dyn Prover,
) -> Vec<Diagnostic> {
    let mut tried: Vec<Vec<Scalar>> = Vec::new();
    for param in &f.type_params {
        let Some((_, scalars)) = BOUNDS.iter().find(|(word, _)| *word == param.bound.text) else {
            let words = BOUNDS.iter().map(|(word, _)| *word);
            let unknown = err!(E0200, param.bound.span, "`{}` bounds no element types", param.bound.text)
                .help("a bound is `int`, `float`, `number` or `any`");
            return vec![match spelling::closest(&param.bound.text, words) {
                Some(close) => unknown.suggest(format!("did you mean `{close}`?"), param.bound.span, close),
                None => unknown,
            }];
        };
        if Scalar::parse(&param.name.text).is_some() {
            return vec![
                err!(E0207, param.name.span, "`{}` is an element type of the language", param.name.text)
                    .label("choose another name, such as `T`"),
            ];
        }
        tried.push(scalars.to_vec());
    }
    let most = tried.iter().map(Vec::len).max().unwrap_or(0);
    for round in 0..most {
        let elems: Vec<Elem> =
            tried.iter().map(|scalars| algebra::ordinary(scalars[round % scalars.len()])).collect();
        let (name, made) = instance(f, &elems);
        let (made, found) = function(&made, functions, names, prover);
        functions.insert_instance(&name, made);
        if found.iter().any(Diagnostic::is_error) || (round == 0 && !found.is_empty()) {
            let types = |d: Diagnostic| d.note(format!("where it is `{name}`"));
            return found.into_iter().map(types).collect();
        }
    }
    Vec::new()
}

/// The name and the text of a function for these element types.
fn instance(f: &ast::Function, elems: &[Elem]) -> (String, ast::Function) {
    let shown: Vec<String> = elems.iter().map(ToString::to_string).collect();
    let name = format!("{}<{}>", f.name.text, shown.join(", "));
    let mut made = f.clone();
    made.type_params.clear();
    made.name.text.clone_from(&name);
    let mut put = |element: &mut ElementType| {
        let place = f.type_params.iter().position(|param| param.name.text == element.scalar.text);
        if let Some(elem) = place.and_then(|place| elems.get(place)) {
            element.scalar.text = elem.scalar.name().to_owned();
            if element.semiring.is_none() && !algebra::is_ordinary(*elem) {
                element.semiring = Some(Name::new(elem.algebra.name, element.span));
            }
        }
    };
    made.params.iter_mut().for_each(|param| in_type(&mut param.ty, &mut put));
    made.result.iter_mut().for_each(|ty| in_type(ty, &mut put));
    let is_type = |name: &str| f.type_params.iter().any(|param| param.name.text == name);
    for e in made.preconditions.iter_mut().chain([&mut made.body]) {
        in_expr(e, &is_type, &mut put);
    }
    (name, made)
}

fn in_type(ty: &mut ast::Type, put: &mut impl FnMut(&mut ElementType)) {
    match &mut ty.kind {
        TypeKind::Tensor { element, .. } => put(element),
        TypeKind::Several(parts) => parts.iter_mut().for_each(|(_, ty)| in_type(ty, put)),
        TypeKind::Error | TypeKind::Size => {}
    }
}

fn in_expr(e: &mut Expr, is_type: &impl Fn(&str) -> bool, put: &mut impl FnMut(&mut ElementType)) {
    match &mut e.kind {
        // `T(x)` is a conversion.
        ExprKind::Call { callee, args } if args.len() == 1 && is_type(&callee.text) => {
            let to = ElementType { semiring: None, scalar: callee.clone(), span: callee.span };
            e.kind = ExprKind::Convert { to, value: Box::new(args.remove(0)) };
        }
        _ => {}
    }
    if let ExprKind::Convert { to: element, .. } | ExprKind::Rec { of: element, .. } = &mut e.kind {
        put(element);
    }
    e.children_mut().into_iter().for_each(|child| in_expr(child, is_type, put));
}

/// The element type that a parameter or a result is written with.
fn element(ty: &ast::Type) -> Option<&ElementType> {
    if let TypeKind::Tensor { element, .. } = &ty.kind { Some(element) } else { None }
}

impl Elab<'_> {
    /// A call of a generic function: of its instance for the types of the arguments.
    pub(super) fn call_generic(
        &mut self,
        e: &Expr,
        f: &ast::Function,
        args: &[Expr],
        want: Option<Elem>,
    ) -> Option<Val> {
        if args.len() != f.params.len() {
            return self.wrong_arity(&f.name.text, f.params.len(), args.len(), e.span);
        }
        let place = |name: &str| f.type_params.iter().position(|param| param.name.text == name);
        let mut elems: Vec<Option<Elem>> = vec![None; f.type_params.len()];
        let mut given: Vec<Option<Val>> = vec![None; args.len()];
        let mut fine = Some(());
        for ((arg, param), given) in args.iter().zip(&f.params).zip(&mut given) {
            let Some(of) = element(&param.ty) else { continue };
            let Some(k) = place(&of.scalar.text) else { continue };
            if self.undecided(arg) {
                continue;
            }
            if self.sort(arg) == Sort::Index {
                // What it is to be converted to, the other arguments say.
                continue;
            }
            let Some(val) = self.value(arg, elems[k]) else {
                fine = None;
                continue;
            };
            let elem = match of.semiring {
                Some(_) => algebra::ordinary(val.ty.elem.scalar),
                None => val.ty.elem,
            };
            elems[k] = elems[k].or(Some(elem));
            *given = Some(val);
        }
        fine?;
        let of_result = f.result.as_ref().and_then(element).and_then(|of| place(&of.scalar.text));
        if let Some(k) = of_result {
            elems[k] = elems[k].or(want);
        }
        for (elem, param) in elems.iter().zip(&f.type_params) {
            let name = &param.name.text;
            match elem {
                None => {
                    let bound = &param.bound.text;
                    let around = self.scalar_around(|scalar| admits(bound, scalar));
                    let usual = around.unwrap_or(if bound == "float" { Scalar::F32 } else { Scalar::I64 });
                    return self.report(
                        err!(
                            E0224,
                            e.span,
                            "nothing says which element type `{name}` of `{}` is",
                            f.name.text
                        )
                        .also(param.span, "this element type")
                        .help(format!(
                            "give an argument a type by a conversion, such as `{}(1)`",
                            usual.name()
                        )),
                    );
                }
                Some(elem) if !admits(&param.bound.text, elem.scalar) => {
                    let bound = &param.bound.text;
                    return self.report(
                        err!(
                            E0200,
                            e.span,
                            "`{name}` of `{}` is `{bound}`, and here it is `{elem}`",
                            f.name.text
                        )
                        .also(param.span, "bounded here")
                        .help("convert the argument, as in `f32(x)`"),
                    );
                }
                Some(_) => {}
            }
        }
        let elems = elems.into_iter().collect::<Option<Vec<Elem>>>()?;
        let made = self.instance_of(e, f, &elems)?;
        self.call_function(e, &made, args, &given)
    }

    fn instance_of(
        &mut self,
        e: &Expr,
        f: &ast::Function,
        elems: &[Elem],
    ) -> Option<crate::module::Function> {
        let (name, text) = instance(f, elems);
        if let Some(made) = self.functions.instance(&name) {
            return made;
        }
        let (made, found) = function(&text, self.functions, &self.names, self.prover);
        self.functions.insert_instance(&name, made.clone());
        let wrong = found.into_iter().filter(Diagnostic::is_error);
        let called = |d: Diagnostic| d.also(e.span, format!("this call needs `{name}`"));
        self.diagnostics.extend(wrong.map(called));
        made
    }
}
