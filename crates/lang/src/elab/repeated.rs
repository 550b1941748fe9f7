//! Reductions that begin again for every element: `gen i < n { sum j < i + 1 { x[j] } }`.
//!
//! Each sum has the terms of the one before it and one more, so a scan has all of them in one pass. What is
//! written means what it says; the remark has the text of the scan, with the names of the program.

use super::Elab;
use super::parts::speaks_of;
use crate::algebra::is_ordinary;
use atl_diag::{Diagnostic, warning};
use atl_kernel::Elem;
use atl_syntax::ast::{BinaryOp, Binder, BinderOp, Expr, ExprKind};
use atl_syntax::{Style, print_expr};

/// A reduction over what is up to an index.
struct Repeated<'e> {
    at: &'e Expr,
    op: BinderOp,
    index: &'e str,
    term: &'e Expr,
    /// Is the element at the index itself in it?
    with_own: bool,
    /// In which of the values that the body ends in it is.
    end: usize,
}

impl Elab<'_> {
    /// A remark on each reduction in the body of a `gen` that a scan would do in one pass; one for equal
    /// ones.
    ///
    /// `elems` are the types of what the body ends in.
    pub(super) fn remark_on_repeated(&mut self, binders: &[Binder], body: &Expr, elems: &[Elem]) {
        let [binder] = binders else { return };
        let (Some(extent_term), None, false) = (&binder.hi, &binder.lo, self.any_element) else { return };
        // A table of a fixed size is short.
        if matches!(extent_term.kind, ExprKind::Int(_)) {
            return;
        }
        let mut found = Vec::new();
        up_to(body, (&binder.name.text, 0), &mut Vec::new(), &mut found);
        let (extent, index) = (print_expr(extent_term, Style::LINE), &binder.name.text);
        let mut remarks: Vec<(String, Diagnostic)> = Vec::new();
        for r in found {
            let Some((start, next)) = elems.get(r.end).and_then(|elem| scanned(&r, *elem)) else { continue };
            let (inner, give) = (r.index, if r.with_own { "s" } else { "s.old" });
            // Of `n + 1` elements the last has all `n` terms: they are the states of `n` rounds.
            let rounds = less_one(extent_term).filter(|_| !r.with_own).map(|n| print_expr(n, Style::LINE));
            let scan = match &rounds {
                Some(rounds) => format!("scan {inner} < {rounds} from s = {start} {{ {next} }}"),
                None => format!("scan {inner} < {extent} from s = {start} {{ {next} }} give {give}"),
            };
            if let Some((_, remark)) = remarks.iter_mut().find(|(other, _)| *other == scan) {
                *remark = remark.clone().also(r.at.span, "the same again");
                continue;
            }
            let word = r.op.word();
            let how = match std::ptr::eq(r.at, body) {
                true => format!("in place of the `gen`: `{scan}`"),
                false => format!("before the `gen`, `let so_far = {scan};`, and here `so_far[{index}]`"),
            };
            let remark: Diagnostic = warning!(
                E0393,
                r.at.span,
                "each `{word}` repeats the one of the `{index}` before it, with one more term"
            )
            .label(format!("has up to `{extent}` terms, for each of `{extent}` elements"))
            .also(binder.span, "for each of these")
            .help(how);
            let remark = match rounds {
                Some(_) => remark,
                None => remark.help(format!(
                    "otherwise the step `scan {index}` of a schedule makes the scan, with every bit, and `split {index} by 8` cuts it into blocks"
                )),
            };
            remarks.push((scan, remark));
        }
        self.diagnostics.extend(remarks.into_iter().map(|(_, remark)| remark));
    }
}

/// The reductions whose bound is the index, or one more, and whose terms do not depend on it.
fn up_to<'e>(
    e: &'e Expr,
    (index, end): (&str, usize),
    hidden: &mut Vec<&'e str>,
    found: &mut Vec<Repeated<'e>>,
) {
    let at = (index, end);
    match &e.kind {
        ExprKind::Bind { op: BinderOp::Gen, .. } => {}
        ExprKind::Bind { op, binders, body } => {
            let [Binder { name, lo: None, hi: Some(hi), .. }] = &binders[..] else { return };
            let Some(with_own) = bound(hi, index) else { return };
            let is_own = |name: &&str| speaks_of(body, name);
            if name.text != "s"
                && !speaks_of(body, index)
                && !speaks_of(body, "s")
                && !hidden.iter().any(is_own)
            {
                found.push(Repeated { at: e, op: *op, index: &name.text, term: body, with_own, end });
            }
        }
        ExprKind::Binary(_, a, b) => {
            up_to(a, at, hidden, found);
            up_to(b, at, hidden, found);
        }
        ExprKind::Unary(_, a) | ExprKind::Labelled { body: a, .. } | ExprKind::Convert { value: a, .. } => {
            up_to(a, at, hidden, found);
        }
        ExprKind::Call { args, .. } => args.iter().for_each(|e| up_to(e, at, hidden, found)),
        ExprKind::Tuple(parts) => {
            (0..).zip(parts).for_each(|(end, e)| up_to(e, (index, end), hidden, found));
        }
        ExprKind::Let { name, value, body, .. } => {
            up_to(value, at, hidden, found);
            hidden.push(&name.text);
            up_to(body, at, hidden, found);
            hidden.pop();
        }
        _ => {}
    }
}

/// Whether a bound is the index plus one, or the index alone.
fn bound(hi: &Expr, index: &str) -> Option<bool> {
    let is_index = |e: &Expr| matches!(&e.kind, ExprKind::Name(name) if name == index);
    match less_one(hi) {
        Some(rest) => is_index(rest).then_some(true),
        None => is_index(hi).then_some(false),
    }
}

/// The other operand of a sum with 1.
fn less_one(e: &Expr) -> Option<&Expr> {
    let ExprKind::Binary(BinaryOp::Add, a, b) = &e.kind else { return None };
    let one = |e: &Expr| matches!(e.kind, ExprKind::Int(1));
    if one(b) { Some(a) } else { one(a).then_some(b) }
}

/// What the scan of a reduction begins with, and its step.
fn scanned(r: &Repeated<'_>, elem: Elem) -> Option<(String, String)> {
    let term = print_expr(r.term, Style::LINE);
    let operand = match r.term.kind {
        ExprKind::Access { .. } | ExprKind::Name(_) | ExprKind::Call { .. } | ExprKind::Convert { .. } => {
            term.clone()
        }
        _ => format!("({term})"),
    };
    let float = elem.scalar.is_float();
    match r.op {
        BinderOp::Sum if !is_ordinary(elem) => Some((format!("{elem}(zero)"), format!("s + {operand}"))),
        BinderOp::Sum => Some((format!("{elem}(0)"), format!("s + {operand}"))),
        BinderOp::Prod if is_ordinary(elem) => Some((format!("{elem}(1)"), format!("s * {operand}"))),
        BinderOp::Max if float && is_ordinary(elem) => {
            Some((format!("{elem}(-inf)"), format!("max(s, {term})")))
        }
        BinderOp::Min if float && is_ordinary(elem) => {
            Some((format!("{elem}(inf)"), format!("min(s, {term})")))
        }
        BinderOp::Gen | BinderOp::Prod | BinderOp::Max | BinderOp::Min | BinderOp::Any | BinderOp::All => {
            None
        }
    }
}
