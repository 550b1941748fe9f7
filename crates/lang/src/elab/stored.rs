//! Results with formats: `-> f64[N, M] as csr`.
//!
//! The function means the dense tensor; the format says how its kernel stores it. A format whose levels take the dimensions in
//! another order, as `csc` does, has the body compute the tensor in that order, so that schedules see the loops that there will be.

use super::{Elab, Val};
use crate::module::Stored;
use atl_diag::{Span, err};
use atl_formats::{Axis, Format};
use atl_kernel::{Child, Expr, Ix, Label, Node, Type, subst};
use atl_syntax::ast;
use std::sync::Arc;

impl Elab<'_> {
    /// How a result of this type is stored; `None` after a refusal.
    pub(super) fn stored(&mut self, ty: &ast::Type, result: &Type) -> Option<Option<Stored>> {
        let ast::TypeKind::Tensor { format: Some(format), .. } = &ty.kind else { return Some(None) };
        let (text, span) = self.format_text(format)?;
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
        match order(&format) {
            Ok(order) => Some(Some(Stored { format, order })),
            Err(why) => self.report(
                err!(E0239, span, "a result cannot be stored as `{format}`")
                    .label(why)
                    .note("a result is stored in order: dense levels, then compressed ones")
                    .help(
                        "store it as `csr`, `csc`, `dcsr`, `csf` or `coo`; `atl convert` gives other formats",
                    ),
            ),
        }
    }

    /// The body with its dimensions in the order in which they are stored.
    pub(super) fn in_stored_order(&mut self, stored: &Stored, body: Val) -> Option<Val> {
        if stored.order.is_sorted() {
            return Some(body);
        }
        let span: Span = body.spans.span();
        let before = self.ctx.level();
        let (mut element, mut labels, mut path) = (body.expr.clone(), Vec::new(), Vec::new());
        let mut levels = Vec::new();
        for (d, n) in body.ty.shape.iter().enumerate() {
            let label = match &*element {
                Node::Gen(label, ..) => label.clone(),
                _ => Label::new(["i", "j", "k", "l"].get(d).copied().unwrap_or("x")),
            };
            let level = self.ctx.push_loop(label.clone(), n);
            element = match &*element {
                Node::Gen(_, _, inside) => {
                    path.push(Child::Body);
                    subst::open(inside, level)
                }
                _ => Arc::new(Node::Get(element, Ix::free(level))),
            };
            levels.push(level);
            labels.push(label);
        }
        self.ctx.truncate(before);
        let spans = Arc::new(body.spans.sub(&path));
        let scalar = Type { elem: body.ty.elem, shape: vec![] };
        let mut val = Val { expr: element, ty: scalar, spans, extent: body.extent };
        for &d in stored.order.iter().rev() {
            let term: Expr = subst::close(&val.expr, levels[d]);
            let n = body.ty.shape[d].clone();
            let mut ty = val.ty.clone();
            ty.shape.insert(0, n.clone());
            val = self.build(Node::Gen(labels[d].clone(), n, term), ty, span, &[(&[Child::Body], &val)])?;
        }
        Some(val)
    }
}

/// The dimensions in the order of the levels, if the levels can be appended to; else why not.
fn order(format: &Format) -> Result<Vec<usize>, String> {
    let mut order = Vec::new();
    let mut compressed = false;
    for entry in format.entries() {
        match entry.kind.name {
            "compressed" => compressed = true,
            "dense" if !compressed => {}
            "dense" => return Err("a dense level stands below a compressed one".to_owned()),
            other => return Err(format!("a level `{other}` is not appended to")),
        }
        for axis in &entry.axes {
            match axis {
                Axis::Dimension(d) => order.push(*d),
                _ => return Err("a level stores part of a dimension, or a diagonal".to_owned()),
            }
        }
    }
    match compressed {
        true => Ok(order),
        false => Err("every element is stored: leave out `as …`".to_owned()),
    }
}
