//! Results with formats: `-> f64[N, M] as csr`, or in the order of a layout: `-> f64[N, M] in (N, M):(1, N)`.
//!
//! The function means the dense tensor; the format says how its kernel stores it. Its levels may take the dimensions in another
//! order, as `csc` does, or blocks or diagonals of them: the body then computes the tensor by the axes of the levels, so that
//! schedules see the loops that there will be. What is left of the axes' box is padding, and zero there.

use super::order::Ordered;
use super::sparse::extent;
use super::{Elab, Val};
use crate::module::Stored;
use crate::refusal;
use atl_diag::{Span, err};
use atl_formats::{Axis, Format, symbolic};
use atl_kernel::{Child, Expr, Ix, Label, Node, Pred, Type, subst};
use atl_syntax::ast;
use std::sync::Arc;

impl Elab<'_> {
    /// How a result of this type is stored; `None` after a refusal.
    pub(super) fn stored(&mut self, ty: &ast::Type, result: &Type) -> Option<Option<Stored>> {
        let ast::TypeKind::Tensor { format: Some(stated), extents, .. } = &ty.kind else { return Some(None) };
        let (text, span) = match &**stated {
            ast::Format::Layout(layout) => {
                (self.levels_in_order(Ordered::Result, layout, extents)?, layout.span)
            }
            format => self.format_text(format)?,
        };
        let format = match Format::parse(&text, result.shape.len()) {
            Ok(format) if format.rank() == result.shape.len() => format,
            Ok(format) => {
                let (is, has) = (format.rank(), result.shape.len());
                return self.report(
                    err!(E0239, span, "a result cannot have this format")
                        .label(format!("for tensors of rank {is}"))
                        .also(ty.span, format!("this has rank {has}"))
                        .help("write a level for each dimension"),
                );
            }
            Err(why) => {
                let remedy = self.another_format(&text);
                return self.report(
                    err!(E0239, span, "a result cannot have this format: {why}")
                        .label("this format")
                        .help(remedy),
                );
            }
        };
        if matches!(**stated, ast::Format::Layout(_)) && is_as_written(&format) {
            return Some(None);
        }
        match refusal(&format) {
            None => Some(Some(Stored { format })),
            Some((why, help)) => self.report(
                err!(E0239, span, "a result cannot be stored as `{format}`")
                    .label(why)
                    .note("a result is stored in order: dense levels, compressed ones, and dense ones for blocks")
                    .help(help),
            ),
        }
    }

    /// The body by the axes along which it is stored.
    pub(super) fn in_stored_order(&mut self, stored: &Stored, body: Val) -> Option<Val> {
        let reshape = stored.format.reshape();
        if is_as_written(&stored.format) {
            return Some(body);
        }
        if let Node::Let(label, bound, inside) = &*body.expr {
            return self.below_let(stored, &body, (label, bound, inside));
        }
        let span: Span = body.spans.span();
        let shape = body.ty.shape.clone();
        let labels = labels(&body.expr, shape.len());
        let labels: Vec<Label> = reshape.axes().iter().map(|axis| along(*axis, &labels)).collect();
        let extents = stored.extents(&shape);
        let before = self.ctx.level();
        let loops = labels.iter().zip(&extents);
        let levels: Vec<u32> = loops.map(|(label, n)| self.ctx.push_loop(label.clone(), n)).collect();
        let at: Vec<Ix> = levels.iter().map(|level| Ix::free(*level)).collect();
        let index = symbolic::index(reshape, &at, &shape);
        let inside: Vec<Pred> =
            index.iter().zip(&shape).map(|(i, n)| Pred::lt(i.clone(), n.clone())).collect();
        let padding = inside.into_iter().filter(|inside| !self.proves(inside)).reduce(Pred::and);
        self.ctx.truncate(before);
        let (mut element, mut path) = (body.expr.clone(), Vec::new());
        for i in &index {
            element = match &*element {
                Node::Gen(_, _, inside) => {
                    path.push(Child::Body);
                    subst::instantiate(inside, i)
                }
                _ => Arc::new(Node::Get(element, i.clone())),
            };
        }
        let spans = Arc::new(body.spans.sub(&path));
        let scalar = Type { elem: body.ty.elem, shape: vec![] };
        let mut val = Val { expr: element, ty: scalar.clone(), spans, extent: body.extent };
        if let Some(inside) = padding {
            val =
                self.build(Node::Guard(inside, val.expr.clone()), scalar, span, &[(&[Child::Body], &val)])?;
        }
        for ((label, n), level) in labels.into_iter().zip(extents).zip(levels).rev() {
            let term: Expr = subst::close(&val.expr, level);
            let mut ty = val.ty.clone();
            ty.shape.insert(0, n.clone());
            val = self.build(Node::Gen(label, n, term), ty, span, &[(&[Child::Body], &val)])?;
        }
        Some(val)
    }

    /// [`in_stored_order`](Elab::in_stored_order) of what a `let` is around, which is bound once for all elements.
    fn below_let(&mut self, stored: &Stored, body: &Val, of: (&Label, &Expr, &Expr)) -> Option<Val> {
        let (label, bound, inside) = of;
        let span: Span = body.spans.span();
        let ty = match atl_kernel::type_of(&self.ctx, bound, self.prover) {
            Ok(ty) => ty,
            Err(error) => return self.report(refusal::kernel_error(&error, &self.ctx, Some(span))),
        };
        let part = |expr: Expr, ty: Type, at: Child| {
            let extent = extent(&expr);
            Val { expr, ty, spans: Arc::new(body.spans.sub(&[at])), extent }
        };
        let level = self.ctx.push_tensor(label.clone(), ty.clone());
        let inside = part(subst::open(inside, level), body.ty.clone(), Child::Body);
        let inside = self.in_stored_order(stored, inside);
        self.ctx.truncate(level);
        let (bound, inside) = (part(bound.clone(), ty, Child::Bound), inside?);
        let node = Node::Let(label.clone(), bound.expr.clone(), subst::close(&inside.expr, level));
        self.build(node, inside.ty.clone(), span, &[(&[Child::Bound], &bound), (&[Child::Body], &inside)])
    }
}

/// Are these the dimensions in their order?
fn is_as_written(format: &Format) -> bool {
    format.reshape().axes().iter().enumerate().all(|(at, axis)| *axis == Axis::Dimension(at))
}

/// Are these the dimensions, or blocks of them, in another order?
fn is_order(format: &Format) -> bool {
    let plain = |axis: &Axis| matches!(axis, Axis::Dimension(_) | Axis::Block { .. } | Axis::Within { .. });
    format.reshape().axes().iter().all(plain) && !is_as_written(format)
}

/// The labels of so many loops, where they are loops.
fn labels(body: &Expr, rank: usize) -> Vec<Label> {
    let mut found = Vec::new();
    let mut body = body.clone();
    while let Node::Gen(label, _, inside) = &*body {
        found.push(label.clone());
        let inside = inside.clone();
        body = inside;
    }
    let names = ["i", "j", "k", "l"];
    found.extend((found.len()..rank).map(|d| Label::new(names.get(d).copied().unwrap_or("x"))));
    found
}

/// The label of the loop along an axis: parts of a loop are called as `split` calls them.
fn along(axis: Axis, labels: &[Label]) -> Label {
    match axis {
        Axis::Dimension(d) => labels[d].clone(),
        Axis::Block { of, .. } => Label::new(&format!("{}.o", labels[of].name)),
        Axis::Within { of, .. } => Label::new(&format!("{}.i", labels[of].name)),
        Axis::Diagonal { .. } => Label::new("d"),
        Axis::Along { .. } => Label::new("along"),
    }
}

/// Why a result is not stored in a format, and what to write instead.
fn refusal(format: &Format) -> Option<(String, &'static str)> {
    let kinds: Vec<&str> = format.entries().iter().map(|entry| entry.kind.name).collect();
    let (flags, kinds) = match kinds.split_last() {
        Some((&"bitmask", outer)) => (true, outer),
        _ => (false, kinds.as_slice()),
    };
    if let Some(kind) = kinds.iter().find(|kind| !matches!(**kind, "dense" | "compressed")) {
        let why = match *kind {
            "hash" => "a level `hash` has no order, and how large its table must be is known last".to_owned(),
            "ell" => "how wide the rows of a level `ell` must be is known last".to_owned(),
            "bitmask" => "a level `bitmask` is the last one of a result".to_owned(),
            kind => format!("a level `{kind}` is not appended to"),
        };
        return Some((
            why,
            "store it as `csr`, `csc`, `dcsr`, `csf` or `coo`; `atl run` puts what it reads from a file into the format of a parameter",
        ));
    }
    let mut compressed =
        kinds.iter().enumerate().filter(|(_, kind)| **kind == "compressed").map(|(at, _)| at);
    match (compressed.next(), compressed.next_back()) {
        (None, _) if !flags && !is_order(format) => {
            Some(("every element is stored".to_owned(), "leave out the format"))
        }
        (Some(first), Some(last)) if kinds[first..last].contains(&"dense") => Some((
            "a dense level stands between compressed ones".to_owned(),
            "compress that level too, or have dense levels come first or last",
        )),
        _ => None,
    }
}
