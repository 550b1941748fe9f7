//! Generic functions: `fn f<T: float, S..>(x: T[N, S..]) -> T[N, S..]`.
//!
//! **The one idea.** A call has the element types and the ranks of its arguments, and the function is
//! elaborated for these: the instance `f<f32; 2>` is a function like any other, in which `S..` is `S.0, S.1`.
//! So nothing below knows of element types or ranks that vary. A declaration is tried for a few that its
//! bounds allow, so that its mistakes are reported where it is written.

mod chosen;
mod lists;

use super::function::function;
use super::index::Sort;
use super::{Elab, Functions, Names, Val};
use crate::algebra;
use atl_diag::{Diagnostic, err, spelling};
use atl_kernel::{Elem, Prover, Scalar};
use atl_syntax::ast::{self, ElementType, Expr, TypeKind};
use chosen::Chosen;
use lists::{elements, length, list_of, lists_of, shapes, shown_list};

/// For how many ranks a declaration is tried.
const TRIED_RANKS: usize = 3;

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

/// Does each call choose element types or ranks?
pub(super) fn is_generic(f: &ast::Function) -> bool {
    !f.type_params.is_empty() || !shapes(f).is_empty()
}

/// What is wrong with a generic function, for the first types that show it.
pub(super) fn declared(
    f: &ast::Function,
    functions: &Functions,
    names: &Names,
    prover: &mut dyn Prover,
) -> Vec<Diagnostic> {
    let mut tried: Vec<Vec<Scalar>> = Vec::new();
    for param in elements(f) {
        let Some((_, scalars)) = BOUNDS.iter().find(|(word, _)| *word == bound(param)) else {
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
    let shapes = shapes(f);
    let mut lists = Vec::new();
    f.params.iter().map(|p| &p.ty).chain(&f.result).for_each(|ty| lists_of(ty, &mut lists));
    if let Some((name, span)) = lists.iter().find(|(name, _)| !shapes.contains(name)) {
        return vec![err!(E0212, *span, "no list of extents is called `{name}`").help(format!(
            "write `{name}..` into the list after the function's name, as in `fn {}<{name}..>`",
            f.name.text
        ))];
    }
    let of_params = |name: &str| {
        let mut lists = Vec::new();
        f.params.iter().for_each(|p| lists_of(&p.ty, &mut lists));
        lists.iter().any(|(list, _)| *list == name)
    };
    if let Some(name) = shapes.iter().find(|name| !of_params(name)) {
        let span = lists.iter().find(|(list, _)| list == name).map_or(f.name.span, |(_, span)| *span);
        return vec![
            err!(E0212, span, "no parameter has the extents `{}`", shown_list(name))
                .note("a call takes them from its arguments, so they must stand in the type of a parameter"),
        ];
    }
    let ranks = if shapes.is_empty() { 0 } else { TRIED_RANKS };
    let most = tried.iter().map(Vec::len).chain([ranks]).max().unwrap_or(0);
    for round in 0..most {
        let elems: Vec<Elem> =
            tried.iter().map(|scalars| algebra::ordinary(scalars[round % scalars.len()])).collect();
        let ranks: Vec<usize> = (0..shapes.len()).map(|k| (round + k + 1) % TRIED_RANKS).collect();
        let (name, made) = Chosen::new(f, &elems, &ranks).instance(f);
        let (made, found) = function(&made, functions, names, prover);
        functions.insert_instance(&name, made);
        if found.iter().any(Diagnostic::is_error) || (round == 0 && !found.is_empty()) {
            let types = |d: Diagnostic| d.note(format!("where it is `{name}`"));
            return found.into_iter().map(types).collect();
        }
    }
    Vec::new()
}

/// The word that bounds an element type.
fn bound(param: &ast::TypeParam) -> &str {
    if param.bound.text.is_empty() { "any" } else { &param.bound.text }
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
        let (choices, shapes): (Vec<&ast::TypeParam>, _) = (elements(f).collect(), shapes(f));
        let place = |name: &str| choices.iter().position(|param| param.name.text == name);
        let mut elems: Vec<Option<Elem>> = vec![None; choices.len()];
        let mut ranks: Vec<Option<usize>> = vec![None; shapes.len()];
        let mut given: Vec<Option<Val>> = vec![None; args.len()];
        let mut fine = Some(());
        for ((arg, param), given) in args.iter().zip(&f.params).zip(&mut given) {
            let TypeKind::Tensor { element: of, extents, .. } = &param.ty.kind else { continue };
            let (chosen, has_list) = (place(&of.scalar.text), extents.iter().any(|e| list_of(e).is_some()));
            if chosen.is_none() && !has_list || self.undecided(arg) {
                continue;
            }
            if self.sort(arg) == Sort::Index {
                // What it is to be converted to, the other arguments say.
                continue;
            }
            let wanted = match chosen {
                Some(k) => elems[k],
                None => self.element(of),
            };
            let Some(val) = self.value(arg, wanted) else {
                fine = None;
                continue;
            };
            if let Some(k) = chosen {
                let elem = match of.semiring {
                    Some(_) => algebra::ordinary(val.ty.elem.scalar),
                    None => val.ty.elem,
                };
                elems[k] = elems[k].or(Some(elem));
            }
            if let Some((list, rank)) = length(extents, val.ty.shape.len())
                && let Some(k) = shapes.iter().position(|name| *name == list)
            {
                ranks[k] = ranks[k].or(Some(rank));
            }
            *given = Some(val);
        }
        fine?;
        let of_result = f.result.as_ref().and_then(element).and_then(|of| place(&of.scalar.text));
        if let Some(k) = of_result {
            elems[k] = elems[k].or(want);
        }
        for (elem, param) in elems.iter().zip(&choices) {
            let (name, bound) = (&param.name.text, bound(param));
            match elem {
                None => {
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
                Some(elem) if !admits(bound, elem.scalar) => {
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
        // A list of which no argument tells the length is of a scalar, as literals are.
        let ranks: Vec<usize> = ranks.into_iter().map(Option::unwrap_or_default).collect();
        let made = self.instance_of(e, f, &Chosen::new(f, &elems, &ranks))?;
        self.call_function(e, &made, args, &given)
    }

    /// Reports a list of extents where there is none.
    pub(super) fn no_list<T>(&mut self, e: &Expr) -> Option<T> {
        self.report(
            err!(E0212, e.span, "this is no list of extents of the function")
                .note("only a generic function has such lists, and each stands in the type of a parameter")
                .help("write one extent for each dimension; or `fn f<S..>(x: f32[S..])`, which is for all ranks"),
        )
    }

    fn instance_of(
        &mut self,
        e: &Expr,
        f: &ast::Function,
        chosen: &Chosen<'_>,
    ) -> Option<crate::module::Function> {
        let (name, text) = chosen.instance(f);
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
