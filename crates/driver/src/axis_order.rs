//! A function whose dense parameters lie in another order of their axes.
//!
//! **The one idea.** An array whose axes lie in another order is a row-major array of the permuted shape. So the
//! function of it takes that array, and its first `let` is the parameter as the function means it:
//! `fn f(a: f32[M, K]) { e }` becomes `fn g(a: f32[K, M]) { let a = gen i < M, k < K { a[k, i] }; e }`. Its schedule
//! inlines that `let`, evaluates its elements where they are read, and leaves the rest to the compiler, so what runs is a theorem about this function.

use crate::{Program, Rounding};
use atl_diag::{Diagnostic, FileId, Span};
use atl_syntax::ast::{ExprKind, Function, Item, TypeKind};
use std::fmt::Write;

/// The name of the schedule that the text has for the function.
pub const SCHEDULE: &str = "in_order";

/// A program with such a function beside the others.
#[derive(Clone, Debug)]
pub struct Reordered {
    /// The text.
    pub text: String,
    /// The name of the function, which has a schedule [`SCHEDULE`].
    pub function: String,
}

/// The program with a function more: the named one, of parameters whose axes lie as `orders` says, by name: the
/// outermost in memory first. None where the function is in an imported file, or a parameter is not dense, or
/// spoken of in a precondition.
///
/// ```
/// use atl_driver::{Program, Rounding, axis_order::reordered};
/// let text = "fn f(a: f64[M, K], x: f64[K]) -> f64[M] { gen i < M { sum k < K { a[i, k] * x[k] } } }";
/// let program = Program::parse("f.atl", text)?;
/// let found = reordered(&program, "f", &[("a", &[1, 0])], Rounding::Bitwise).expect("the parameter is dense");
/// assert!(found.text.contains("(a: f64[K, M], x: f64[K]) -> f64[M] { let a = gen"));
/// # Ok::<(), atl_driver::Failure>(())
/// ```
pub fn reordered(
    program: &Program,
    function: &str,
    orders: &[(&str, &[usize])],
    rounding: Rounding,
) -> Option<Reordered> {
    let file = FileId::default();
    let text = program.sources().text(file);
    let parsed = atl_syntax::parse_file(file, text);
    let written = parsed.tree.items.iter().find_map(|item| match item {
        Item::Function(f) if f.name.text == function => Some(f),
        _ => None,
    })?;
    let name = fresh(text, &format!("{function}_in_order"));
    let mut edits = vec![(written.name.span, name.clone())];
    let mut lets = String::new();
    for (param, axes) in orders {
        if speaks_of(text, written, param) {
            return None;
        }
        let extents = extents(written, param)?;
        if !is_permutation(axes, extents.len()) {
            return None;
        }
        let extent = |axis: usize| text.get(extents[axis].range());
        let permuted = axes.iter().map(|axis| extent(*axis)).collect::<Option<Vec<_>>>()?;
        edits.push((whole(&extents)?, permuted.join(", ")));
        let index = |axis: usize| fresh(text, &format!("{param}_{axis}"));
        let loops: Vec<String> = (0..axes.len())
            .map(|axis| Some(format!("{} < {}", index(axis), extent(axis)?)))
            .collect::<Option<_>>()?;
        let read: Vec<String> = axes.iter().map(|axis| index(*axis)).collect();
        // Writing to a string cannot fail.
        let _ = write!(lets, "let {param} = gen {} {{ {param}[{}] }}; ", loops.join(", "), read.join(", "));
    }
    edits.push((written.body.span.at_start(), lets));
    let changed = with_edits(text, written.span, edits)?;
    let rounding = match rounding {
        Rounding::Bitwise => String::new(),
        looser => format!("rounding {looser}; "),
    };
    let inlined: String = orders.iter().map(|(param, _)| format!("inline {param}; ")).collect();
    let schedule = format!("schedule {SCHEDULE} of {name} {{ {rounding}{inlined}simplify; auto; }}");
    let text = format!("{text}\n{changed}\n{schedule}\n");
    is_as_meant(&text, &name, written, orders).then_some(Reordered { text, function: name })
}

/// Does the text have a function of this name whose body is that of `written` below the `let`s?
fn is_as_meant(text: &str, name: &str, written: &Function, orders: &[(&str, &[usize])]) -> bool {
    let parsed = atl_syntax::parse_file(FileId::default(), text);
    let made = parsed.tree.items.iter().find_map(|item| match item {
        Item::Function(f) if f.name.text == name => Some(f),
        _ => None,
    });
    let Some(made) = made.filter(|_| !parsed.diagnostics.iter().any(Diagnostic::is_error)) else {
        return false;
    };
    let mut body = &made.body;
    for (param, _) in orders {
        match &body.kind {
            ExprKind::Let { name, body: inside, .. } if name.text == *param => body = inside,
            _ => return false,
        }
    }
    *body == written.body && made.result == written.result && made.preconditions == written.preconditions
}

/// The extents of a dense parameter that has axes.
fn extents(f: &Function, param: &str) -> Option<Vec<Span>> {
    let found = f.params.iter().find(|p| p.name.text == param)?;
    match &found.ty.kind {
        TypeKind::Tensor { extents, format: None, .. } => Some(extents.iter().map(|n| n.span).collect()),
        _ => None,
    }
}

/// From the first of these to the last.
fn whole(spans: &[Span]) -> Option<Span> {
    Some(spans.first()?.to(*spans.last()?))
}

fn is_permutation(axes: &[usize], rank: usize) -> bool {
    axes.len() == rank && (0..rank).all(|axis| axes.contains(&axis))
}

/// Does a precondition contain this name?
fn speaks_of(text: &str, f: &Function, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = |span: Span| text.get(span.range()).unwrap_or_default().split(|c| !is_part(c));
    f.preconditions.iter().any(|p| words(p.span).any(|word| word == name))
}

/// A name that the text does not have.
fn fresh(text: &str, wanted: &str) -> String {
    let mut name = wanted.to_owned();
    while text.contains(&name) {
        name.push('_');
    }
    name
}

/// What stands in a span, with these parts of it replaced.
fn with_edits(text: &str, of: Span, mut edits: Vec<(Span, String)>) -> Option<String> {
    edits.sort_by_key(|(span, _)| span.start);
    let (mut changed, mut from) = (String::new(), of.range().start);
    for (span, by) in edits {
        changed.push_str(text.get(from..span.range().start)?);
        changed.push_str(&by);
        from = span.range().end;
    }
    changed.push_str(text.get(from..of.range().end)?);
    Some(changed)
}
