//! Arguments by name, `blur(x, radius: 2)`, and those that a call leaves out.
//!
//! **The one idea.** The text decides which argument is whose: so before anything is elaborated each call
//! has an argument for each parameter, in order. A default is made of numbers alone, so it means the same
//! in every call.

use super::index::WORDS;
use atl_diag::{Diagnostic, err, spelling};
use atl_syntax::ast::{Expr, ExprKind, Item, Name, Param};
use std::collections::BTreeMap;

/// The items whose calls have all arguments in order, and what is wrong with some.
pub(super) fn in_order(mut items: Vec<Item>) -> (Vec<Item>, Vec<Diagnostic>) {
    let mut calls = Calls::default();
    for item in &items {
        let Item::Function(f) = item else { continue };
        let defaults = f.params.iter().filter_map(|param| param.default.as_ref());
        calls.diagnostics.extend(defaults.filter_map(open_default));
        calls.functions.insert(f.name.text.clone(), f.params.clone());
    }
    for item in &mut items {
        match item {
            Item::Function(f) => {
                f.preconditions.iter_mut().chain([&mut f.body]).for_each(|e| calls.below(e));
            }
            Item::Const(c) => calls.below(&mut c.value),
            Item::Monoid(m) => {
                let product = m.product.iter_mut().flat_map(|both| [&mut both.0, &mut both.1]);
                [&mut m.zero, &mut m.add].into_iter().chain(product).for_each(|e| calls.below(e));
            }
            _ => {}
        }
    }
    (items, calls.diagnostics)
}

/// The refusal of a default that is not made of numbers alone.
fn open_default(e: &Expr) -> Option<Diagnostic> {
    let is_closed = match &e.kind {
        ExprKind::Name(name) => WORDS.contains(&name.as_str()),
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Imaginary(_) | ExprKind::Bool(_) => true,
        ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Convert { .. } | ExprKind::List(_) => true,
        _ => false,
    };
    if !is_closed {
        return Some(
            err!(E0227, e.span, "what a parameter is where a call leaves it out is made of numbers alone")
                .help("write it as a number, `2`, or as an array of numbers, `[1, 2, 1]`"),
        );
    }
    e.clone().children_mut().into_iter().find_map(|part| open_default(part))
}

#[derive(Default)]
struct Calls {
    /// The parameters of each function.
    functions: BTreeMap<String, Vec<Param>>,
    diagnostics: Vec<Diagnostic>,
}

impl Calls {
    fn below(&mut self, e: &mut Expr) {
        let span = e.span;
        if let ExprKind::Call { callee, args } = &mut e.kind
            && let Some(params) = self.functions.get(&callee.text)
            && (args.len() < params.len() || args.iter().any(|arg| named(arg).is_some()))
        {
            match ordered(callee, params, args, span) {
                Ok(found) => *args = found,
                Err(refusal) => {
                    self.diagnostics.push(*refusal);
                    e.kind = ExprKind::Error;
                }
            }
        }
        e.children_mut().into_iter().for_each(|child| self.below(child));
    }
}

/// The name and the value of an argument `name: e`, which the grammar reads as a layout.
fn named(arg: &Expr) -> Option<(Name, &Expr)> {
    match &arg.kind {
        ExprKind::Layout { shape, stride } => Some((shape.as_name()?, stride)),
        _ => None,
    }
}

/// An argument for each parameter, in order.
fn ordered(
    callee: &Name,
    params: &[Param],
    args: &[Expr],
    span: atl_diag::Span,
) -> Result<Vec<Expr>, Box<Diagnostic>> {
    let function = &callee.text;
    let mut found: Vec<Option<Expr>> = vec![None; params.len()];
    let mut by_name = false;
    for (place, arg) in args.iter().enumerate() {
        let (place, value) = match named(arg) {
            None if by_name => {
                return Err(Box::new(
                    err!(E0227, arg.span, "an argument without a name stands behind one with a name")
                        .help("write those without names first, in order"),
                ));
            }
            None => (place, arg),
            Some((name, value)) => {
                by_name = true;
                let Some(place) = params.iter().position(|param| param.name.text == name.text) else {
                    let names = params.iter().map(|param| param.name.text.as_str());
                    let close = spelling::closest(&name.text, names).map(str::to_owned);
                    let unknown = err!(E0227, name.span, "`{function}` has no parameter `{}`", name.text);
                    return Err(Box::new(match close {
                        Some(close) => unknown.suggest(format!("did you mean `{close}`?"), name.span, close),
                        None => unknown,
                    }));
                };
                (place, value)
            }
        };
        match found.get_mut(place) {
            Some(of @ None) => *of = Some(value.clone()),
            Some(Some(_)) => {
                let name = &params[place].name.text;
                return Err(Box::new(err!(E0227, arg.span, "`{name}` of `{function}` is given twice")));
            }
            // Too many are counted where the call is elaborated.
            None => return Ok(args.to_vec()),
        }
    }
    let mut missing = params.iter().zip(&found).filter(|(_, arg)| arg.is_none()).map(|(param, _)| param);
    if let Some(param) = missing.find(|param| param.default.is_none()) {
        if !by_name && params.iter().all(|param| param.default.is_none()) {
            return Ok(args.to_vec());
        }
        return Err(Box::new(
            err!(E0227, span, "`{}` of `{function}` is left out", param.name.text)
                .also(param.span, "this parameter"),
        ));
    }
    let value =
        |(arg, param): (Option<Expr>, &Param)| arg.or_else(|| Some(Expr { span, ..param.default.clone()? }));
    Ok(found.into_iter().zip(params).filter_map(value).collect())
}
