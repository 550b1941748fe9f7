//! Safety conditions that could not be proved, as diagnostics with counterexamples.

use crate::display;
use crate::numbers::Numbers;
use atl_arith::{Valuation, eval_ix};
use atl_check::{Kind, MAX_INDEX, Violation, check_term};
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Child, Ctx, Entry, Ix, LoopKind, Node, Pred, Prover, Storage, Var};
use atl_lang::Function;
use atl_schedule::Applied;

/// What is unsafe about a function as it is written, at the places where it is written.
pub(crate) fn of_function(f: &Function, prover: &mut dyn Prover) -> Vec<Diagnostic> {
    let report = check_term(&f.ctx, &f.body, prover);
    let found = report.violations.iter().map(|v| diagnostic(v, &|path| f.spans.at(path), f.span));
    f.words.worded(Diagnostic::distinct(found))
}

/// The step after which a program that was safe no longer is: of the steps of a derivation, one with a
/// violation of this kind, with none before it.
pub(crate) fn culprit<'s>(
    ctx: &Ctx,
    steps: &'s [Applied],
    kind: &Kind,
    prover: &mut dyn Prover,
) -> Option<&'s Applied> {
    let mut violates = |step: &Applied| {
        let found = check_term(ctx, step.after(), prover).violations;
        found.iter().any(|v| std::mem::discriminant(&v.kind) == std::mem::discriminant(kind))
    };
    // The source is safe: so there is one between a safe program and an unsafe one.
    let (mut safe, mut wrong) = (0, steps.len().checked_sub(1)?);
    if !violates(&steps[wrong]) {
        return None;
    }
    while safe < wrong {
        let middle = usize::midpoint(safe, wrong);
        if violates(&steps[middle]) { wrong = middle } else { safe = middle + 1 }
    }
    steps.get(wrong)
}

/// The refusal of an index term or condition of this number of nodes.
pub(crate) fn too_long(span: Span, nodes: u64) -> Diagnostic {
    err!(E0422, span, "the index terms here grow too long to lower")
        .note(format!("one of them, or a condition, has {nodes} nodes; the limit is {MAX_INDEX}"))
        .note("an operator may use an index or an extent more than once, so in a nest of operators they may double with each")
        .help("bind the result of an inner operator with `let`, so that its elements are in memory and index terms stay short; or `unfold; simplify` first")
}

/// One violation; `at` knows the places of the source, `fallback` serves where it does not.
pub(crate) fn diagnostic(v: &Violation, at: &dyn Fn(&[Child]) -> Option<Span>, fallback: Span) -> Diagnostic {
    let place = at(&v.path);
    let span = place.unwrap_or(fallback);
    let text = display::expr(&v.ctx, &v.expr);
    let numbers = Numbers::of(v);
    let goal = numbers.spoken(&display::pred(&v.ctx, &v.goal));
    let mut d = match &v.kind {
        Kind::Access if atl_check::reads(&v.goal) => {
            let refusal = err!(E0401, span, "this read may be out of bounds")
                .label(format!("cannot prove `{goal}`"));
            let clamped = numbers.clamped();
            let refusal = match numbers.is_computed() && clamped.is_some() {
                true => refusal,
                false => refusal.help("state what the elements of a parameter are after the result's type, as in `where all p < K { 0 <= at[p] < N }`; each call is then checked"),
            };
            clamped.into_iter().fold(refusal, Diagnostic::help)
        }
        Kind::Access => err!(E0401, span, "this read may be out of bounds")
            .label(format!("cannot prove `{goal}`"))
            .help("state what is missing in a `where` clause; or, if zero is the value wanted outside, guard it: `x?[..]`"),
        Kind::Requires(op) => err!(E0402, span, "`{op}` is not applied as it requires")
            .label(format!("cannot prove `{goal}`"))
            .help(format!(
                "`atl explain {op}` says what it requires; state what is missing in a `where` clause"
            )),
        Kind::Extent => err!(E0403, span, "an extent may be negative")
            .label(format!("cannot prove `{goal}`"))
            .help("state in a `where` clause which sizes are meant"),
        Kind::Padding(op) => err!(E0404, span, "`{op}` may drop elements that are computed")
            .label(format!("cannot prove `{goal}`"))
            .note("a truncation shrinks the result, not the loops: only padding may be dropped")
            .help(
                "guard the loop body so that nothing is computed there, or give the loop the shorter extent",
            ),
        Kind::ConcurrentSum(kind) => err!(E0405, span, "the iterations of a reduction may not run concurrently")
            .label(format!("{} here", concurrency(*kind)))
            .note("they add into the same cells")
            .help(format!("mark a `gen`, which `reorder` can bring outside; or {}", parts(&v.expr, *kind))),
        Kind::Search if v.goal == Pred::False => err!(E0412, span, "`@search` has no equation to search by")
            .label("this loop")
            .help("`@search` is for a `sum` of terms under an equation: `sum q < n @search { [crd[q] == c] * .. }`"),
        Kind::Search => err!(E0412, span, "the keys of this search may decrease")
            .label(format!("cannot prove `{goal}`"))
            .help("add a precondition after the result's type: `where all p < K - 1 { crd[p] <= crd[p + 1] }`; or remove `@search`"),
        Kind::NestedParallel => err!(E0406, span, "a parallel loop inside a concurrent one")
            .label("this loop")
            .help("take out this `parallel`; or the mark of the loop around it, `parallel` or `vectorize`"),
        Kind::HeapInVector => err!(E0407, span, "memory would be allocated inside a vector loop")
            .label("by this `let`")
            .help("`store` it in `register` or `stack`, or vectorize an inner loop"),
        Kind::LocalStorage(storage) => {
            let d = err!(E0408, span, "this `let` cannot be kept in {}", storage_word(*storage))
                .label("its extents are not small constants, or too much is kept there already")
                .help("`store` it in `heap`, or compute a window of constant extents");
            match storage {
                Storage::Stack => {
                    d.note("`store .. in shared` is the stack where no device runs it, and needs constant extents there and here")
                }
                _ => d,
            }
        }
        Kind::TooLong(op, nodes) => too_long(span, *nodes).label(format!("`{op}` around it must drop padding only")),
        Kind::Typed(e) => atl_lang::kernel_error(e, &v.ctx, Some(span)),
    };
    if place.is_none() {
        d = d.note(format!("in `{text}`"));
    }
    d = numbers.definitions().into_iter().fold(d, Diagnostic::note);
    let known = numbers.known();
    if v.goal != Pred::False && !known.is_empty() {
        d = d.note(format!("known here: {}", known.join(", ")));
    }
    match &v.counterexample {
        Some(values) => {
            let (point, effect) = (assignment(&v.ctx, values), effect(v, values));
            match point.is_empty() {
                true => d.note(effect.trim_start_matches(", ").to_owned()),
                false => d.note(format!("for {point}{effect}")),
            }
        }
        None => numbers.example().into_iter().fold(d, Diagnostic::note),
    }
}

/// Advice: the steps by which the parts of a reduction have sums of their own, by the loop's own name.
fn parts(reduction: &Node, kind: LoopKind) -> String {
    let name = match reduction {
        Node::Sum(label, ..) => &*label.name,
        _ => "k",
    };
    let (cut, part, run) = match kind {
        LoopKind::Vector(_) => (8, "i", "vectorize"),
        _ => (4096, "o", "parallel"),
    };
    // A loop that is such a part already needs no further cut.
    let (split, sums) = match name.ends_with(&format!(".{part}")) {
        true => (String::new(), name.to_owned()),
        false => (format!("split {name} by {cut}; "), format!("{name}.{part}")),
    };
    let lanes = if part == "i" { " by 8" } else { "" };
    format!("split the reduction: `{split}rfactor {sums} as p; {run} p/{sums}{lanes}`")
}

fn concurrency(kind: LoopKind) -> &'static str {
    match kind {
        LoopKind::Vector(_) => "vectorized",
        _ => "parallel",
    }
}

fn storage_word(storage: Storage) -> &'static str {
    match storage {
        Storage::Register => "registers",
        Storage::Stack => "the stack",
        _ => "this place",
    }
}

/// "N = 3, y = 0".
pub(crate) fn assignment(ctx: &Ctx, values: &Valuation) -> String {
    let names = atl_lang::print::Names::of(ctx);
    let parts: Vec<String> = values
        .iter()
        .filter(|(level, _)| matches!(ctx.entry(*level), Some(Entry::Index(_))))
        .map(|(level, value)| format!("{} = {value}", names.at(*level)))
        .collect();
    parts.join(", ")
}

/// ", it reads `img[-1]`": what happens at a counterexample.
fn effect(v: &Violation, values: &Valuation) -> String {
    if v.kind != Kind::Access {
        return match &v.goal {
            Pred::False => String::new(),
            goal => format!(", `{}` is false", display::pred(&v.ctx, goal)),
        };
    }
    let value = |level: u32| values.iter().find(|(l, _)| *l == level).map(|(_, x)| *x);
    let (mut indices, mut e) = (Vec::new(), &v.expr);
    while let Node::Get(array, i) = &**e {
        indices.insert(0, eval_ix(i, &value).map(Ix::Lit).unwrap_or_else(|| i.clone()));
        e = array;
    }
    let names = atl_lang::print::Names::of(&v.ctx);
    let head = match &**e {
        Node::Var(Var::Free(level)) => names.at(*level).to_owned(),
        _ => "the tensor".to_owned(),
    };
    let shown: Vec<String> = indices.iter().map(|i| display::ix(&v.ctx, i)).collect();
    let extents = match &**e {
        Node::Var(Var::Free(level)) => shape_at(&v.ctx, *level, &value),
        _ => None,
    };
    match extents {
        Some(extents) => format!(
            ", it reads `{head}[{}]` of a `{head}` of shape [{}]",
            shown.join(", "),
            extents.join(", ")
        ),
        None => format!(", it reads `{head}[{}]`", shown.join(", ")),
    }
}

fn shape_at(ctx: &Ctx, level: u32, value: &dyn Fn(u32) -> Option<i64>) -> Option<Vec<String>> {
    let Some(Entry::Tensor(_, ty)) = ctx.entry(level) else { return None };
    ty.shape.iter().map(|n| eval_ix(n, value).map(|n| n.to_string())).collect()
}
