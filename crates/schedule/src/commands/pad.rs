//! `pad X`, `pad X from a, ..`: compute tiles whole, also where they overhang.
//!
//! **Statement.** `let X = e; f([p] * X[i])` = `let X = e'; f([p] * X[i])`, where `e'` is `e` without the
//! guards around its elements. Each read in `e'` that may be out of bounds is guarded by itself, `x?[k]`; a
//! read of `a`, a parameter or a `let`, reads the nearest element instead, `a[max(0, min(k, n - 1))]`,
//! without a condition per element.
//! **Requires.** Elements in which `e'` differs from `e` are not used: every use of `X` has the same guard,
//! as `stage L as X` leaves it. Guards on the index of a sum inside `e` remain. No operation on a used value
//! changes, so the result is bitwise equal.
//! **Fails when.** `e` has no such guard, or a use of `X` reads an element that the guards made zero.
//! **Example.** `stage k as acc; pad acc from a; stage b at j.o as panel`: every tile of a product is
//! computed, from rows of `a` and a panel of `b` that ends in zeros, and only the store of the tile is
//! guarded.
//! **See also.** `stage`; `peel`, which computes overhanging tiles separately.

use crate::args::Args;
use crate::command::Command;
use crate::read_tensor::access;
use crate::refusal::{Refusal, wrong_arguments};
use crate::session::Session;
use atl_diag::err;
use atl_kernel::{Child, Entry, Error, Expr, Ix, Node, Pred, Result as Kernel, Var, subst};
use atl_rules::Cx;
use atl_rules::gather::by_gather;
use atl_syntax::ast::{Argument, Clause};
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "pad",
    usage: "pad X [from a, ..]",
    equation: "let X = e; f([p] * X[i])  =  let X = e without p; f([p] * X[i])",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["from"])?;
        let (name, span) = args.one_name()?;
        let edges = match step.clause("from") {
            Some(clause) => operands(session, clause)?,
            None => Vec::new(),
        };
        let places = session.lets(&name, span)?;
        let mut found = Found::Nothing;
        let thm = session.convert(step.span, &places, &mut |cx, e| {
            let Node::Let(label, bound, body) = &**e else { return cx.refl(e) };
            let whole = Whole { edges: &edges, sums: Vec::new() }.of(cx, bound)?;
            if whole == *bound {
                return cx.refl(e);
            }
            let padded = Arc::new(Node::Let(label.clone(), whole, body.clone()));
            match by_gather(cx, e, &padded) {
                Ok(thm) => {
                    found = Found::Padded;
                    Ok(thm)
                }
                Err(Error::Mismatch(_) | Error::Unproved(_)) => {
                    found = Found::Used;
                    cx.refl(e)
                }
                Err(other) => Err(other),
            }
        })?;
        match found {
            Found::Padded => Ok(thm),
            Found::Nothing => Err(Box::new(
                err!(E0360, span, "no element of `{name}` is guarded")
                    .label("it is computed whole already")
                    .help("guards come from `split` and `tile` where tiles overhang; leave the step out"),
            )),
            Found::Used => Err(Box::new(
                err!(E0360, span, "what the guards in `{name}` leave out is used")
                    .label("without them, other values would be read")
                    .note("each use of it must stand under the same guard")
                    .help(format!(
                        "`stage L as {name}` makes a `let` whose uses are guarded like its elements"
                    )),
            )),
        }
    },
};

/// What became of the `let`s.
enum Found {
    Nothing,
    Padded,
    Used,
}

/// The parameters and `let`s that a clause names.
fn operands(session: &Session<'_>, clause: &Clause) -> Result<Vec<String>, Refusal> {
    let known = |arg: &Argument| {
        let Some(name) = arg.as_name() else { return Err(wrong_arguments(arg.span, COMMAND.usage)) };
        if session.parameter(&name.text).is_some() || session.lets(&name.text, arg.span).is_ok() {
            return Ok(name.text);
        }
        Err(Box::new(
            err!(E0305, arg.span, "there is no parameter and no `let` called `{}`", name.text)
                .label("nothing to read has this name")
                .help("name parameters or `let`s whose nearest elements may be read instead of zeros"),
        ))
    };
    match clause.args.is_empty() {
        true => Err(wrong_arguments(clause.span, COMMAND.usage)),
        false => clause.args.iter().map(known).collect(),
    }
}

/// How a term becomes whole.
struct Whole<'a> {
    /// The parameters and `let`s of which the nearest element is read.
    edges: &'a [String],
    /// The indices of the sums around.
    sums: Vec<u32>,
}

impl Whole<'_> {
    /// The term without the guards around its elements, and its reads in range. Conditions on the index of a sum stay.
    fn of(&mut self, cx: &mut Cx<'_>, e: &Expr) -> Kernel<Expr> {
        if let Node::Guard(p, body) = &**e {
            return Ok(match about(p, &self.sums) {
                Pred::True => self.of(cx, body)?,
                own => {
                    let inside = self.of(&mut cx.assuming(own.clone()), body)?;
                    Arc::new(Node::Guard(own, inside))
                }
            });
        }
        if let Some(read) = Read::of(cx, e) {
            return Ok(read.in_range(cx, self.edges));
        }
        let mut done = e.clone();
        for at in e.children() {
            let (level, depth) = (cx.ctx.level(), self.sums.len());
            let (mut inside, child) = cx.enter(e, at)?;
            let binds = inside.ctx.level() > level;
            if matches!(**e, Node::Sum(..)) && at == Child::Body {
                self.sums.push(level);
            }
            let child = self.of(&mut inside, &child)?;
            self.sums.truncate(depth);
            let child = if binds { subst::close(&child, level) } else { child };
            done = Arc::new(done.with_child(at, child));
        }
        Ok(done)
    }
}

/// The conjuncts that mention one of the levels.
fn about(p: &Pred, levels: &[u32]) -> Pred {
    match p {
        Pred::And(ab) => Pred::and(about(&ab.0, levels), about(&ab.1, levels)),
        p if levels.iter().any(|level| p.mentions(*level)) => p.clone(),
        _ => Pred::True,
    }
}

/// A read of a variable at its full rank.
struct Read<'e> {
    term: &'e Expr,
    level: u32,
    name: Arc<str>,
    /// Each index, with the extent that it must stay below.
    indices: Vec<(Ix, Ix)>,
}

impl<'e> Read<'e> {
    fn of(cx: &Cx<'_>, term: &'e Expr) -> Option<Read<'e>> {
        let (level, indices) = access(term)?;
        let Some(Entry::Tensor(label, ty)) = cx.ctx.entry(level) else { return None };
        let is_full = !indices.is_empty() && indices.len() == ty.shape.len();
        let indices = indices.into_iter().zip(ty.shape.iter().cloned()).collect();
        is_full.then(|| Read { term, level, name: label.name.clone(), indices })
    }

    /// The read where it is in range; elsewhere zero, or the nearest element of what has one of these names.
    fn in_range(&self, cx: &mut Cx<'_>, edges: &[String]) -> Expr {
        let parts = self.indices.iter().map(|(i, n)| Pred::in_range(i, n));
        let all = parts.fold(Pred::True, Pred::and);
        if cx.proves(&all) {
            return self.term.clone();
        }
        if !edges.iter().any(|edge| **edge == *self.name) {
            return Arc::new(Node::Guard(all, self.term.clone()));
        }
        let var: Expr = Arc::new(Node::Var(Var::Free(self.level)));
        self.indices.iter().fold(var, |e, (i, n)| Arc::new(Node::Get(e, nearest(cx, i, n))))
    }
}

/// The index in `0..n` that is nearest to `i`, as short as what is known here allows.
fn nearest(cx: &mut Cx<'_>, i: &Ix, n: &Ix) -> Ix {
    let last = n.clone() - Ix::ONE;
    let above =
        if cx.proves(&Pred::le(i.clone(), last.clone())) { i.clone() } else { Ix::min(i.clone(), last) };
    if cx.proves(&Pred::le(Ix::ZERO, above.clone())) { above } else { Ix::max(Ix::ZERO, above) }
}
