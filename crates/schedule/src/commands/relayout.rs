//! `relayout X by LAYOUT`, `relayout a by LAYOUT as X`: store a tensor in the order of a layout.
//!
//! **Statement.** `let X = e; f(X[i, ..])` = `let X = relayout(L, e); f(X[L(i, ..)])`, and of a parameter
//! `f(a[i, ..])` = `let X = relayout(L, a); f(X[L(i, ..)])`. The layout is in CuTe's notation, with a mode
//! for each dimension: `(M, N):(1, M)` stores columns one after another, `((8, M / 8), N):((1, 8 * N), 8)`
//! panels of 8 rows.
//! **Requires.** The sizes of the modes are the extents; the strides nest, each a multiple of the next
//! smaller one, so that no two elements share a place.
//! **Fails when.** They do not, or the tensor is read other than element by element.
//! **Example.** `relayout t by (N, M):(M + 1, 1)` separates the rows of a tile by one cell.
//! **See also.** `pack`, which takes the operators one by one; the operator `relayout(L, e)`; `atl layout`.

use crate::args::Args;
use crate::command::Command;
use crate::commands::stage::resolve;
use crate::names::fresh_name;
use crate::read_tensor::Tensor;
use crate::read_window::{Buffer, Guards};
use crate::refusal::{Refusal, wrong_arguments};
use crate::session::Session;
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Child, Entry, Expr, Ix, Node, Rule, Thm};
use atl_ops::Link;
use atl_rules::{Cx, Step as Conversion};
use atl_syntax::ast::{Argument, Expr as Ast, Step};

/// See the module.
pub static COMMAND: Command = Command {
    name: "relayout",
    usage: "relayout X by LAYOUT [as Y]",
    equation: "let X = e; f(X[i, ..])  =  let X = relayout(L, e); f(X[L(i, ..)])",
    run: relayout,
};

fn relayout(session: &mut Session<'_>, step: &Step) -> Result<Thm, Refusal> {
    let args = Args::new(step, COMMAND.usage, &["by", "as"])?;
    let (source, span) = args.one_name()?;
    let layout = args.clause_arg("by")?;
    let found = resolve(session, &source, span)?;
    let name = match (step.clause("as"), &found.home) {
        (None, Some(_)) => source.clone(),
        (None, None) => return Err(unnamed(layout, &source)),
        (Some(_), _) => fresh_name(session, args.clause_arg("as")?, COMMAND.usage)?.to_string(),
    };
    let Argument { name: None, value: layout, .. } = layout else {
        return Err(wrong_arguments(layout.span, COMMAND.usage));
    };
    // A `let` of its own name is the same one in another layout.
    let tag = found.home.as_ref().filter(|_| step.clause("as").is_none()).map_or(0, |home| home.label.tag);
    let mut laid = Laid { name: &name, tag, layout, refused: None };
    let top: &[Child] = found.home.as_ref().map_or(&[], |home| &home.path);
    let thm = session.convert_at(step.span, &[top], &mut |cx, e| {
        if found.home.is_none() {
            let done = laid.out(cx, e, found.level)?;
            return cx.total(e, done);
        }
        let level = cx.ctx.level();
        let inside = cx.child(e, Child::Body, |cx, e| laid.out(cx, e, level))?;
        let both = cx.total(e, inside)?;
        if both.lhs() == both.rhs() { Ok(both) } else { cx.then(both, |cx, e| cx.rule(Rule::LetInline, e)) }
    });
    if let Some(refused) = laid.refused {
        return Err(Box::new(refused));
    }
    let thm = thm?;
    if thm.lhs() == thm.rhs() {
        return Err(whole(span, &source));
    }
    Ok(thm)
}

/// A tensor being laid out.
struct Laid<'a> {
    name: &'a str,
    tag: u32,
    layout: &'a Ast,
    refused: Option<Diagnostic>,
}

impl Laid<'_> {
    /// The tensor at this level read through a buffer in the layout, wherever it is read; nothing if that cannot be.
    fn out(&mut self, cx: &mut Cx<'_>, e: &Expr, level: u32) -> Conversion {
        let Some(links) = self.links(cx, level) else { return Ok(None) };
        let (name, tag, links) = (self.name, self.tag, links.as_slice());
        let buffer = Buffer {
            tensor: Tensor::Variable(level),
            name,
            tag,
            labels: vec![],
            wanted: None,
            links,
            guards: Guards::Stay,
        };
        let Some(window) = buffer.window(cx, e)? else { return Ok(None) };
        let Some(thm) = buffer.fill(cx, e, &window.whole())? else { return Ok(None) };
        let Node::Let(_, _, body) = &**thm.rhs() else { return Ok(None) };
        Ok(if atl_rules::occurrences::mentions(body, level) { None } else { Some(thm) })
    }

    fn links(&mut self, cx: &mut Cx<'_>, level: u32) -> Option<Vec<Link>> {
        let Some(Entry::Tensor(_, ty)) = cx.ctx.entry(level) else { return None };
        let shape = ty.shape.clone();
        match atl_lang::layout_in(&cx.ctx, self.layout, &shape, cx.prover) {
            Ok(links) => {
                let short = |ixs: Vec<Ix>| ixs.iter().map(|ix| atl_arith::simplify(&cx.ctx, ix)).collect();
                Some(links.into_iter().map(|(op, ixs)| (op, short(ixs))).collect())
            }
            Err(mut found) => {
                self.refused = found.drain(..).next();
                None
            }
        }
    }
}

fn unnamed(layout: &Argument, source: &str) -> Refusal {
    Box::new(
        err!(E0356, layout.span, "`{source}` is a parameter, and the copy in this layout needs a name")
            .label("without a name")
            .help(format!("`relayout {source} by … as NAME`")),
    )
}

fn whole(span: Span, source: &str) -> Refusal {
    Box::new(
        err!(E0356, span, "`{source}` is not read element by element, so it cannot be laid out anew")
            .label("read whole, by rows, or not at all")
            .help("`simplify` first carries reads through operators; then each read has all its indices"),
    )
}
