//! `z.conj()`, `v.mean()`: functions that belong to a value in other languages. Here a function is called
//! with it.

use atl_diag::{Diagnostic, Span, err};
use atl_syntax::ast::{Expr, Name};
use atl_syntax::{Style, print_expr};

/// The reductions, which are loops.
const LOOPS: [&str; 6] = ["all", "any", "max", "min", "prod", "sum"];

/// The refusal of a call of this method of a value, where `is_function` tells what names functions.
pub(super) fn refusal(
    span: Span,
    callee: &Name,
    (base, method): (&str, &str),
    args: &[Expr],
    is_function: impl Fn(&str) -> bool,
) -> Diagnostic {
    let unknown = err!(E0202, callee.span, "there is no function `{}`: a value has no methods", callee.text);
    if LOOPS.contains(&method) && args.is_empty() {
        return unknown.help(format!(
            "it is a loop: `{method} i < n {{ {base}[i] }}`, where `n` is an extent of `{base}`"
        ));
    }
    let name = match method {
        "conjugate" if is_function("conj") => "conj",
        method => method,
    };
    if is_function(name) {
        let args: Vec<String> = std::iter::once(base.to_owned())
            .chain(args.iter().map(|arg| print_expr(arg, Style::LINE)))
            .collect();
        return unknown.suggest(
            "a function is called with the value",
            span,
            format!("{name}({})", args.join(", ")),
        );
    }
    match crate::foreign::function(method) {
        Some(advice) => unknown.help(advice),
        None => unknown.help(format!("a function is called with the value, `f({base})`")),
    }
}
