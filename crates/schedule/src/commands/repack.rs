//! `repack A[j, k] as B`: a copy of a sparse matrix in the other order, for these reads.
//!
//! **Statement.** `let A = gen i, j { sum p { [j == crd[p]] * vals[p] } }; e(A)` is
//! `let V = gen q { vals[B_order[q]] }; let B = gen i, j { sum q { [i == B_crd[q]] * V[q] } }; e(B)`:
//! what is stored row by row, as `csr`, is stored column by column in the copy, as `csc`, and the other
//! way round. With indices, only reads that match them read the copy; `_` matches any index. A read of
//! `A` that is left keeps `let A`. The kernel makes the arrays of the copy at each call, by counting
//! the entries of each column: this costs the entries and the columns, in time and in memory.
//! **Requires.** `A` is a parameter stored as `csr` or `csc`, of at most 2147483648 rows or columns, which
//! is checked at each call; sums may be interchanged: `rounding real`. The step is one of the schedule's
//! own, before the steps that rewrite `let A`.
//! **Fails when.** `A` is stored otherwise, or is a `let`; no read matches; the step is inside another; the kernel is
//! for a device.
//! **Example.** `repack A[j, _] as B; sparsify;` of `gen i < N, j < N { sum k < M { A[i, k] * A[j, k] }
//! }` combines rows, where `sparsify` alone searches each row for each entry.
//! **See also.** `sparsify`, which iterates over the copy's entries; `pack`, which copies dense arrays.

use crate::args::Args;
use crate::command::Command;
use crate::names::fresh_name;
use crate::nest::subterm;
use crate::pattern::Pattern;
use crate::refusal::{Refusal, list, wrong_arguments};
use crate::repackable::reads_of;
use crate::session::Session;
use atl_diag::{Span, err};
use atl_kernel::{Child, Ctx, Entry, Expr, Ix, Label, Node, Pred, Result as Kernel, Rule, Thm, Var, subst};
use atl_lang::{Function, OperandCopy, Param};
use atl_rules::Cx;
use atl_rules::lets::{from_left, inline, let_of, meet};
use atl_rules::occurrences::{mentions, replace, variable};
use atl_rules::sparse::repacked::{Repacked, Segments};
use atl_syntax::ast::{Argument, Expr as Ast, ExprKind, Step};
use std::sync::Arc;

/// The most rows or columns that have numbers in 32 bits.
const COORDINATES: i64 = 1 << 31;

/// See the module.
pub static COMMAND: Command = Command {
    name: "repack",
    usage: "repack A[_, ..] as B",
    equation: "sum p. [j == crd[p]] * vals[p]  =  let V = gen q. vals[B_order[q]]; sum q. [i == B_crd[q]] * V[q]",
    run: |session, step| {
        let Asked { operand, pattern, name } = asked(step)?;
        fresh_name(session, name, COMMAND.usage)?;
        let name = named(name)?;
        let home = session
            .one_let(&operand, step.args[0].span)
            .map_err(|refusal| Box::new(refusal.help(RATHER_FIRST)))?;
        let bound = match subterm(&session.body, &home.path).map(|e| &**e) {
            Some(Node::Let(_, bound, _)) => bound.clone(),
            _ => return Err(not_by_segments(&operand, step.args[0].span)),
        };
        let Some(original) = Segments::of(session.cx.ctx.level(), &bound) else {
            return Err(not_by_segments(&operand, step.args[0].span));
        };
        let Some(copy) = Repacked::find(&session.cx.ctx, &name, &original) else {
            return Err(inside_another(step.span));
        };
        session.notes = said_of(&operand, &name, &copy);
        let thm = session.convert(step.span, std::slice::from_ref(&home), &mut |cx, e| {
            let read = Reads { name: &name, pattern };
            read.through(cx, e, &copy)
        })?;
        match thm.lhs() == thm.rhs() {
            true => Err(unread(session, &operand, step.args[0].span, pattern.is_some())),
            false => Ok(thm),
        }
    },
};

/// What helps where the `let` of an operand is gone.
const RATHER_FIRST: &str =
    "an operand is a `let` up to the step that iterates over its entries: put `repack` before `sparsify`";

/// What is copied, and what that costs.
fn said_of(operand: &str, name: &str, copy: &Repacked) -> Vec<(&'static str, String)> {
    let along = if copy.original.outer == 0 { "column" } else { "row" };
    let [pos, crd, order, _] = Repacked::names(name);
    vec![
        (
            "copy",
            format!(
                "the entries of `{operand}`, {along} by {along}: the kernel makes `{pos}`, `{crd}` and `{order}` at each call"
            ),
        ),
        (
            "cost",
            format!(
                "each entry is visited three times, and each {along} once; 12 bytes an entry beside its value, 8 a {along}"
            ),
        ),
    ]
}

/// What a step asks for.
struct Asked<'s> {
    operand: String,
    pattern: Option<&'s Ast>,
    name: &'s Argument,
}

fn asked(step: &Step) -> Result<Asked<'_>, Refusal> {
    let args = Args::new(step, COMMAND.usage, &["as"])?;
    let name = args.clause_arg("as")?;
    let [source] = step.args.as_slice() else { return Err(wrong_arguments(step.span, COMMAND.usage)) };
    let (operand, pattern) = match (&source.name, &source.value.kind) {
        (None, ExprKind::Access { base, .. }) => (base.as_name(), Some(&source.value)),
        _ => (source.as_name(), None),
    };
    match operand {
        Some(operand) => Ok(Asked { operand: operand.text, pattern, name }),
        None => Err(wrong_arguments(source.span, COMMAND.usage)),
    }
}

fn named(arg: &Argument) -> Result<String, Refusal> {
    arg.as_name().map(|name| name.text).ok_or_else(|| wrong_arguments(arg.span, COMMAND.usage))
}

/// The reads of a matrix that read a copy of it.
struct Reads<'s> {
    name: &'s str,
    pattern: Option<&'s Ast>,
}

impl Reads<'_> {
    /// `let A = e; f(A, A)  =  let A = e; let V = ..; let B = ..; f(A, B)`, reflexivity where no read
    /// matches.
    fn through(&self, cx: &mut Cx<'_>, e: &Expr, copy: &Repacked) -> Kernel<Thm> {
        let Node::Let(label, bound, body) = &**e else { return cx.refl(e) };
        let level = cx.ctx.level();
        let (own, other) = (variable(level), variable(level + 1));
        let opened = subst::open(body, level);
        let swapped = match self.pattern {
            None => swap(&opened, &own, &other),
            Some(pattern) => {
                let (mut inside, opened) = cx.enter(e, Child::Body)?;
                let places = Pattern::new(pattern).places(&mut inside, &opened);
                places.iter().fold(opened, |all, place| swap_at(&all, place, &own, &other))
            }
        };
        if !mentions(&swapped, level + 1) {
            return cx.refl(e);
        }
        let inner = let_of(&Label::new(self.name), bound.clone(), &swapped, level + 1);
        let is_left = mentions(&inner, level);
        let two = if is_left { let_of(label, bound.clone(), &inner, level) } else { inner };
        let left = cx.rule(Rule::LetInline, e)?;
        let right = cx.rule(Rule::LetInline, &two)?;
        let right = if is_left { cx.then(right, inline)? } else { right };
        let apart = meet(cx, left, right)?;
        let at: &[Child] = if is_left { &[Child::Body] } else { &[] };
        cx.then(apart, |cx, e| cx.at(e, at, &mut |cx, e| self.copied(cx, e, copy)))
    }

    /// `let B = e; f(B)  =  let V = values; let B = the copy; f(B)`.
    fn copied(&self, cx: &mut Cx<'_>, e: &Expr, copy: &Repacked) -> Kernel<Thm> {
        let Node::Let(label, bound, body) = &**e else { return cx.refl(e) };
        let thm = copy.theorem(cx, bound, &values(self.name), &format!("p{}", self.name))?;
        let made = thm.rhs().clone();
        let Node::Let(values, cells, stored) = &*made else { return cx.refl(e) };
        let level = cx.ctx.level();
        let inner = Arc::new(Node::Let(label.clone(), subst::open(stored, level), body.clone()));
        let both = let_of(values, cells.clone(), &(inner as Expr), level);
        let there = cx.then(thm, inline)?;
        let here = cx.lift(e, Child::Bound, there)?;
        cx.then(here, |cx, e| from_left(cx, e, &both, |cx, left| cx.rule(Rule::LetInline, left)))
    }
}

/// The term with another variable for this one.
fn swap(e: &Expr, own: &Expr, other: &Expr) -> Expr {
    replace(e, &mut |part| (part == own).then(|| other.clone()))
}

/// The same at the end of a path, below whatever binders.
fn swap_at(e: &Expr, path: &[Child], own: &Expr, other: &Expr) -> Expr {
    let below = path.split_first().and_then(|(at, rest)| Some((*at, rest, e.child(*at)?)));
    match below {
        None => swap(e, own, other),
        Some((at, rest, child)) => Arc::new(e.with_child(at, swap_at(child, rest, own, other))),
    }
}

/// The name of the values of a copy.
fn values(name: &str) -> String {
    format!("{name}_vals")
}

/// Is this an array of a copy that a step before has made?
pub(crate) fn makes(session: &Session<'_>, array: &str) -> bool {
    let made = session.trace.iter().filter(|applied| applied.command == COMMAND.name);
    let mut names = made.filter_map(|applied| Some(asked(&applied.step).ok()?.name.as_name()?.text));
    names.any(|name| Repacked::names(&name).iter().any(|own| own == array))
}

/// Copies, and what each requires of sizes.
type Copies = Vec<(OperandCopy, Option<Pred>)>;

/// The copies that the steps of a schedule ask for, whose arrays and what is known of them the context
/// is given, and what each requires of sizes: rows and columns have numbers in 32 bits.
///
/// # Errors
/// An operand that is no parameter stored by rows or columns, or a name that is taken.
pub fn copies(ctx: &mut Ctx, f: &Function, steps: &[Step]) -> Result<Copies, Refusal> {
    let mut all = Vec::new();
    for step in steps.iter().filter(|step| step.name.text == COMMAND.name) {
        let Asked { operand, name: as_name, .. } = asked(step)?;
        let name = named(as_name)?;
        let span = step.args[0].span;
        let Some(original) = stored(ctx, f, &operand) else { return Err(not_by_segments(&operand, span)) };
        let made: Vec<String> = Repacked::names(&name).into_iter().chain([values(&name)]).collect();
        let taken = ctx.entries().find_map(|entry| match entry {
            Entry::Index(label) | Entry::Tensor(label, _) => made.iter().find(|own| **own == *label.name),
            _ => None,
        });
        if let Some(taken) = taken {
            return Err(Box::new(
                err!(E0322, as_name.span, "the name `{taken}` is taken")
                    .label(format!("an array of `{name}` is called `{taken}`"))
                    .help("choose another name"),
            ));
        }
        let fits = match original.segments() {
            Ix::Lit(n) if *n <= COORDINATES => None,
            n => Some(Pred::le(n.clone(), Ix::Lit(COORDINATES))),
        };
        fits.iter().for_each(|fits| ctx.push_hyp(fits.clone()));
        let Some(copy) = Repacked::declare(ctx, &name, &original) else {
            return Err(not_by_segments(&operand, span));
        };
        all.push((declared(name, operand, span, &copy), fits));
    }
    Ok(all)
}

/// The parameter of this name, if it is a matrix by rows or columns. Of its arrays a format states, and
/// each call checks, what the loops that make a copy rely on; of arrays in a `let` that is written the same
/// way nothing is known.
fn stored(ctx: &Ctx, f: &Function, operand: &str) -> Option<Segments> {
    let param = f.sparse.iter().find(|param| param.name == *operand)?;
    let original = bound(&f.body, operand).and_then(|e| Segments::of(ctx.level(), e))?;
    let own = f.params.get(param.arrays.clone())?.iter().map(|array| Var::Free(array.level));
    (own.eq([original.pos, original.crd, original.vals]) && original.extents[..] == param.ty.shape[..])
        .then_some(original)
}

/// What the function is told of a copy.
fn declared(name: String, operand: String, span: Span, copy: &Repacked) -> OperandCopy {
    let own = Repacked::names(&name);
    let array =
        |k: usize| Param { name: own[k].clone(), level: copy.arrays[k], ty: copy.types[k].clone(), span };
    let Segments { pos, crd, .. } = &copy.original;
    let level = |v: &Var| match v {
        Var::Free(level) | Var::Bound(level) => *level,
    };
    OperandCopy {
        arrays: [0, 1, 2, 3].map(array),
        name,
        operand,
        from: [level(pos), level(crd)],
        facts: copy.facts.clone(),
    }
}

/// What the `let` of this name binds, among those around the body.
fn bound<'e>(body: &'e Expr, name: &str) -> Option<&'e Expr> {
    match &**body {
        Node::Let(label, bound, _) if *label.name == *name => Some(bound),
        Node::Let(_, _, body) => self::bound(body, name),
        _ => None,
    }
}

fn not_by_segments(name: &str, span: Span) -> Refusal {
    Box::new(
        err!(E0370, span, "`{name}` is not a matrix that is stored by rows or by columns")
            .label("no copy in the other order is made of it")
            .help("declare a format for a parameter: `A: f64[N, M] as csr`, or `csc`; and put `repack` before the steps that rewrite it"),
    )
}

fn inside_another(span: Span) -> Refusal {
    Box::new(
        err!(E0355, span, "`repack` stands among a schedule's own steps")
            .label("inside another step no arrays are declared for the copy")
            .help("move it to the beginning of the schedule"),
    )
}

fn unread(session: &Session<'_>, name: &str, span: Span, is_pattern: bool) -> Refusal {
    let refusal = err!(E0351, span, "`{name}` is not read there")
        .label(if is_pattern { "no read matches this" } else { "no read of it" })
        .help("write the indices as the program has them; `_` matches any index");
    let known = reads_of(&session.body, name);
    Box::new(match known.is_empty() {
        true => refusal,
        false => refusal.note(format!("it is read as {}", list(&known))),
    })
}
