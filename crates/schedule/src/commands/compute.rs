//! `compute X at L`, `compute X at root`: where a producer is computed.
//!
//! **Statement.** `let X = e; .. gen L { f(X[i + b]) } ..` = `.. gen L { let X = (gen t < w { X?[b + t] }); f(X[i]) } ..`
//! with `X`'s own term put for it inside: the window from `b` of the `w` elements that one iteration of `L` reads.
//! **Requires.** Every read of `X` stands inside `L`, is in bounds, and is linear in the loops inside `L`; a dimension in
//! which it is not keeps its whole extent.
//! **Fails when.** `X` is read outside `L` too, or `L` is outside the scope of `X`.
//! **Example.** A blur's rows: `compute bx at x.o` produces 66 rows of 64 for a tile of 64 by 64.
//! **See also.** `inline`, which recomputes for every read; `store`.

use crate::args::Args;
use crate::command::Command;
use crate::linear::{End, extreme};
use crate::nest::{Place, subterm};
use crate::session::{Refusal, Session, wrong_arguments};
use atl_diag::{Span, err};
use atl_kernel::{Child, Expr, Ix, Label, Node, Pred, Result as Kernel, Rule, Thm, Type, Var, enter, subst};
use atl_rules::gather::{access, by_gather};
use atl_rules::{Cx, Step as Conversion};
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "compute",
    usage: "compute X at L",
    equation: "let X = e; .. gen L. f(X[b+i]) ..  =  .. gen L. let X = (gen t<w. e?[b+t]); f(X[i]) ..",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["at"])?;
        let (name, span) = args.one_name()?;
        let target = args.clause_arg("at")?;
        let lets = session.lets(&name, span)?;
        let [home] = lets.as_slice() else {
            return Err(Box::new(
                err!(E0316, span, "`{name}` is computed at several places already")
                    .label("which of them?")
                    .help("`compute` before `peel` or `unroll` makes copies"),
            ));
        };
        if target.as_name().is_some_and(|n| n.text == "root") {
            return root(session, step.span, home);
        }
        let Some(target_loop) = target.as_loop() else {
            return Err(wrong_arguments(target.span, COMMAND.usage));
        };
        let mut at_body = home.path.clone();
        at_body.push(Child::Body);
        let loops: Vec<Place> =
            session.loops(&target_loop)?.into_iter().filter(|p| p.path.starts_with(&at_body)).collect();
        if loops.is_empty() {
            return Err(Box::new(
                err!(
                    E0316,
                    target.span,
                    "loop `{}` is not where `{name}` is in scope",
                    target_loop.name.text
                )
                .label("not below the `let`")
                .help("choose a loop that reads it"),
            ));
        }
        compute_at(session, step.span, home, &loops, &name)
    },
};

/// At the root it stands already, or `hoist` would be needed.
fn root(session: &mut Session<'_>, span: Span, home: &Place) -> Result<Thm, Refusal> {
    let inside_loop = (0..home.path.len()).any(|k| {
        matches!(subterm(&session.body, &home.path[..k]).map(|e| &**e), Some(Node::Gen(..) | Node::Sum(..)))
    });
    if inside_loop {
        return Err(Box::new(
            err!(E0302, span, "moving a producer out of a loop is not available yet")
                .label("`compute at root` of a producer inside a loop")
                .help("leave out the `compute` that moved it in"),
        ));
    }
    session.convert_at(span, &[], &mut |cx, e| cx.refl(e))
}

fn compute_at(
    session: &mut Session<'_>,
    span: Span,
    home: &Place,
    loops: &[Place],
    name: &str,
) -> Result<Thm, Refusal> {
    let skip = home.path.len() + 1;
    let mut outside = false;
    let mut windows_missing = false;
    let thm = session.convert(span, std::slice::from_ref(home), &mut |cx, e| {
        // Inside the let's body: give each loop a window of X.
        let level = cx.ctx.level();
        let names = loop_names(e);
        let paths: Vec<&[Child]> = loops.iter().map(|l| &l.path[skip..]).collect();
        let windows = cx.child(e, Child::Body, |cx, body| {
            let mut done: Option<Thm> = None;
            for path in &paths {
                let now = done.as_ref().map_or(body, Thm::rhs).clone();
                let step = cx.at(&now, path, &mut |cx, e| {
                    cx.child(e, Child::Body, |cx, e| {
                        let step = window(cx, e, level, name, &names)?;
                        windows_missing |= step.is_none();
                        Ok(step)
                    })
                })?;
                done = atl_rules::join(done, step)?;
            }
            outside = reads_outside(done.as_ref().map_or(body, Thm::rhs), level, &paths);
            Ok(done)
        })?;
        let thm = cx.total(e, windows)?;
        if outside || windows_missing {
            return Ok(thm);
        }
        // X's own term inside the windows.
        let thm = cx.then(thm, |cx, e| cx.rule(Rule::LetInline, e).map(Some))?;
        let Node::Let(_, bound, _) = &**e else { return Ok(thm) };
        cx.then(thm, |cx, e| reads_of(cx, e, bound))
    })?;
    if windows_missing {
        return Err(Box::new(
            err!(E0316, span, "`{name}` is not read inside this loop")
                .label("nothing to compute there")
                .help("choose a loop that reads it"),
        ));
    }
    if outside {
        return Err(Box::new(
            err!(E0315, span, "`{name}` is also read outside this loop")
                .label("a window inside the loop does not serve those reads")
                .help("choose a loop that contains every read, or `inline` the producer"),
        ));
    }
    Ok(thm)
}

/// Replace the reads of the tensor at `level` by reads of a window of it, bound here.
fn window(cx: &mut Cx<'_>, e: &Expr, level: u32, name: &str, loops: &[Label]) -> Conversion {
    let Some(atl_kernel::Entry::Tensor(_, ty)) = cx.ctx.entry(level) else { return Ok(None) };
    let ty: Type = ty.clone();
    let mut reads = Vec::new();
    collect(cx, e, &mut Vec::new(), level, ty.shape.len(), &mut reads)?;
    if reads.is_empty() {
        return Ok(None);
    }
    let bounds: Vec<(Ix, Ix)> = (0..ty.shape.len()).map(|d| bound(cx, &reads, d, &ty.shape[d])).collect();
    let copy = window_of(cx, level, &ty, &bounds, loops);
    // Every read of the tensor is the window's entry; then the window is bound once.
    let moved = replace(cx, e, level, &copy, &bounds)?;
    let Some(moved) = moved else { return Ok(None) };
    let home = cx.ctx.level();
    let body = subst::close(&abstract_term(moved.rhs(), &copy, home), home);
    let bound: Expr = Arc::new(Node::Let(Label::new(name), copy, body));
    let inlined = cx.rule(Rule::LetInline, &bound)?;
    moved.trans(inlined.sym()).map(Some)
}

/// The read's indices, and the loops around it, by level and extent.
struct Read {
    indices: Vec<Ix>,
    loops: Vec<(u32, Ix)>,
}

fn collect(
    cx: &mut Cx<'_>,
    e: &Expr,
    loops: &mut Vec<(u32, Ix)>,
    level: u32,
    rank: usize,
    out: &mut Vec<Read>,
) -> Kernel<()> {
    if let Some(indices) = read_of(e, level, rank) {
        out.push(Read { indices, loops: loops.clone() });
        return Ok(());
    }
    if matches!(&**e, Node::Var(Var::Free(l)) if *l == level) {
        // The whole tensor, or a part of lower rank: no window is smaller.
        out.push(Read { indices: vec![], loops: vec![] });
        return Ok(());
    }
    for at in e.children() {
        let (inner, child) = enter(&cx.ctx, e, at, cx.prover)?;
        let depth = loops.len();
        if let (Node::Gen(_, n, _) | Node::Sum(_, n, _), Child::Body) = (&**e, at) {
            loops.push((cx.ctx.level(), n.clone()));
        }
        collect(&mut Cx::new(Arc::new(inner), cx.prover), &child, loops, level, rank, out)?;
        loops.truncate(depth);
    }
    Ok(())
}

/// The indices of a full access to the tensor at `level`, outermost first.
fn read_of(e: &Expr, level: u32, rank: usize) -> Option<Vec<Ix>> {
    let (mut indices, mut e) = (Vec::new(), e);
    while let Node::Get(array, i) = &**e {
        indices.insert(0, i.clone());
        e = array;
    }
    (matches!(&**e, Node::Var(Var::Free(l)) if *l == level) && indices.len() == rank).then_some(indices)
}

/// The first element and the number of elements that the reads need along one dimension.
fn bound(cx: &mut Cx<'_>, reads: &[Read], d: usize, extent: &Ix) -> (Ix, Ix) {
    let mut range: Option<(Ix, Ix)> = None;
    for read in reads {
        let ends = read.indices.get(d).and_then(|i| {
            Some((extreme(cx, i, &read.loops, End::Low)?, extreme(cx, i, &read.loops, End::High)?))
        });
        let Some((lo, hi)) = ends else { return (Ix::ZERO, extent.clone()) };
        range = Some(match range {
            None => (lo, hi),
            Some((l, h)) => (least(cx, l, lo, IxEnd::Low), least(cx, h, hi, IxEnd::High)),
        });
    }
    match range {
        Some((lo, hi)) => {
            let width = atl_arith::simplify(&cx.ctx, &(hi - lo.clone() + Ix::ONE));
            (atl_arith::simplify(&cx.ctx, &lo), width)
        }
        None => (Ix::ZERO, extent.clone()),
    }
}

/// Which of two to keep.
enum IxEnd {
    Low,
    High,
}

fn least(cx: &mut Cx<'_>, a: Ix, b: Ix, end: IxEnd) -> Ix {
    let (small, large) = if cx.proves(&Pred::le(a.clone(), b.clone())) {
        (a, b)
    } else if cx.proves(&Pred::le(b.clone(), a.clone())) {
        (b, a)
    } else {
        (Ix::min(a.clone(), b.clone()), Ix::max(a, b))
    };
    match end {
        IxEnd::Low => small,
        IxEnd::High => large,
    }
}

/// The labels of the loops that a `let`'s term begins with.
fn loop_names(e: &Expr) -> Vec<Label> {
    let mut names = Vec::new();
    let Node::Let(_, bound, _) = &**e else { return names };
    let mut inner = bound;
    while let Node::Gen(label, _, body) = &**inner {
        names.push(label.clone());
        inner = body;
    }
    names
}

/// `gen t < w { [0 <= b + t < n] * X[b + t] }`, with the loops labelled as the tensor's own are.
fn window_of(cx: &mut Cx<'_>, level: u32, ty: &Type, bounds: &[(Ix, Ix)], loops: &[Label]) -> Expr {
    let first = cx.ctx.level();
    let at: Vec<Ix> = (first..).zip(bounds).map(|(t, (base, _))| base.clone() + Ix::free(t)).collect();
    let inside = at.iter().zip(&ty.shape).map(|(i, n)| Pred::in_range(i, n)).fold(Pred::True, Pred::and);
    let var: Expr = Arc::new(Node::Var(Var::Free(level)));
    let read = at.into_iter().fold(var, |e, i| Arc::new(Node::Get(e, i)));
    let mut e: Expr = Arc::new(Node::Guard(inside, read));
    for (d, (_, width)) in bounds.iter().enumerate().rev() {
        let label = loops.get(d).cloned().unwrap_or_else(|| Label::new("i"));
        let level = first + u32::try_from(d).unwrap_or(u32::MAX);
        e = Arc::new(Node::Gen(label, width.clone(), subst::close(&e, level)));
    }
    e
}

/// Every read of the tensor, as a read of the window.
fn replace(cx: &mut Cx<'_>, e: &Expr, level: u32, copy: &Expr, bounds: &[(Ix, Ix)]) -> Conversion {
    if let Some(indices) = read_of(e, level, bounds.len()) {
        let entry = indices.iter().zip(bounds).fold(copy.clone(), |e, (i, (base, _))| {
            let offset = atl_arith::simplify(&cx.ctx, &(i.clone() - base.clone()));
            Arc::new(Node::Get(e, offset))
        });
        return by_gather(cx, e, &entry).map(Some);
    }
    cx.children(e, &mut |cx, e| replace(cx, e, level, copy, bounds))
}

/// The term with a variable at `home` for every occurrence of `copy`.
fn abstract_term(e: &Expr, copy: &Expr, home: u32) -> Expr {
    if e == copy {
        return Arc::new(Node::Var(Var::Free(home)));
    }
    e.children().into_iter().fold(e.clone(), |e, at| match e.child(at) {
        Some(child) => Arc::new(e.with_child(at, abstract_term(child, copy, home))),
        None => e,
    })
}

/// Does the tensor at `level` occur outside these loops?
fn reads_outside(e: &Expr, level: u32, loops: &[&[Child]]) -> bool {
    fn walk(e: &Expr, path: &mut Vec<Child>, level: u32, loops: &[&[Child]]) -> bool {
        if matches!(&**e, Node::Var(Var::Free(l)) if *l == level) {
            return !loops.iter().any(|l| path.starts_with(l));
        }
        e.children().into_iter().any(|at| {
            let Some(child) = e.child(at) else { return false };
            path.push(at);
            let found = walk(child, path, level, loops);
            path.pop();
            found
        })
    }
    walk(e, &mut Vec::new(), level, loops)
}

/// Carry out the accesses to the producer's term.
fn reads_of(cx: &mut Cx<'_>, e: &Expr, bound: &Expr) -> Conversion {
    if heads(e, bound) {
        let mut done: Option<Thm> = None;
        loop {
            let now = done.as_ref().map_or(e, Thm::rhs).clone();
            match access(cx, &now)? {
                Some(step) => done = atl_rules::join(done, Some(step))?,
                None => return Ok(done),
            }
        }
    }
    cx.children(e, &mut |cx, e| reads_of(cx, e, bound))
}

/// Is it a chain of accesses to this term?
fn heads(e: &Expr, bound: &Expr) -> bool {
    match &**e {
        Node::Get(array, _) => array == bound || heads(array, bound),
        _ => false,
    }
}
