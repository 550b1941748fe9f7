//! Parameters with formats: `A: f64[N, M] as csr`.
//!
//! The format says which arrays come in place of the tensor, and what the tensor is, as a term over them. The arrays become
//! parameters, and the body begins with a `let` of that term, by the tensor's name.

use super::{Elab, Meaning, Val};
use crate::algebra::ordinary;
use crate::forall::{ForAll, Variable};
use crate::module::{Extent, Param, SizeParam, SizeSource, SparseParam};
use crate::spans::SpanTable;
use atl_diag::err;
use atl_formats::{Format, symbolic};
use atl_kernel::{Label, Type};
use atl_syntax::ast::{self, ExprKind};
use std::sync::Arc;

/// A sparse parameter, and what it is in terms of its arrays.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) param: SparseParam,
    value: atl_kernel::Expr,
    /// The level of its name in the body.
    level: Option<u32>,
}

/// What a sparse parameter adds to a head.
pub(super) struct Added {
    pub(super) sizes: Vec<SizeParam>,
    pub(super) params: Vec<Param>,
    pub(super) facts: Vec<ForAll>,
    pub(super) operand: Operand,
}

impl Elab<'_> {
    /// The arrays of a parameter of this type and format; the first of them has this number.
    pub(super) fn sparse_param(
        &mut self,
        param: &ast::Param,
        ty: &Type,
        format: &ast::Format,
        first: usize,
    ) -> Option<Added> {
        let (text, span) = self.format_text(format)?;
        let read = Format::parse(&text, ty.shape.len());
        let made = read.and_then(|format| {
            let integer = |scalar| ordinary(scalar);
            symbolic::operand(&mut self.ctx, &param.name.text, ty, &format, &integer)
                .map(|made| (format, made))
        });
        let (format, made) = match made {
            Ok(made) => made,
            Err(why) => {
                return self.report(
                    err!(E0239, span, "`{}` cannot have this format: {why}", param.name.text)
                        .label("this format")
                        .also(param.ty.span, "for this type"),
                );
            }
        };
        let clash = |name: &String| self.lookup(name).is_some();
        let names = made.sizes.iter().map(|s| &s.1).chain(made.arrays.iter().map(|a| &a.1));
        if let Some(name) = names.into_iter().find(|name| clash(name)) {
            let name = name.clone();
            return self.report(
                err!(
                    E0206,
                    param.name.span,
                    "the arrays of `{}` include `{name}`, and something is called so already",
                    param.name.text
                )
                .label("this parameter")
                .help("choose another name"),
            );
        }
        let sizes = made.sizes.into_iter().map(|(level, name, array)| SizeParam {
            name,
            level,
            span: param.span,
            source: SizeSource::Extent { param: first + array, axis: 0 },
        });
        let arrays = first..first + made.arrays.len();
        let params =
            made.arrays.into_iter().map(|(level, name, ty)| Param { name, level, ty, span: param.span });
        let facts = made.facts.into_iter().map(|fact| ForAll {
            variables: fact
                .variables
                .into_iter()
                .map(|(name, lo, hi)| Variable { label: Label::new(name), lo, hi })
                .collect(),
            holds: fact.holds,
            span: param.span,
        });
        let sparse =
            SparseParam { name: param.name.text.clone(), ty: ty.clone(), format, arrays, span: param.span };
        Some(Added {
            sizes: sizes.collect(),
            params: params.collect(),
            facts: facts.collect(),
            operand: Operand { param: sparse, value: made.value, level: None },
        })
    }

    /// The format as its crate reads it, a name that the file declares being what it stands for.
    fn format_text(&mut self, format: &ast::Format) -> Option<(String, atl_diag::Span)> {
        match format {
            ast::Format::Named(level) => match self.formats.get(&level.name.text).cloned() {
                Some(ast::Format::Levels(levels)) if level.args.is_empty() => {
                    self.levels_text(&levels, level.span)
                }
                Some(ast::Format::Named(other)) if level.args.is_empty() => {
                    Some((self.level_text(&other)?, level.span))
                }
                Some(_) => self.report(
                    err!(E0239, level.span, "`{}` takes no parameters", level.name.text).label("these"),
                ),
                None => Some((self.level_text(level)?, level.span)),
            },
            ast::Format::Levels(levels) => {
                let span = levels.first().zip(levels.last()).map(|(a, b)| a.span.to(b.span));
                self.levels_text(levels, span.unwrap_or_default())
            }
        }
    }

    fn levels_text(
        &mut self,
        levels: &[ast::Level],
        span: atl_diag::Span,
    ) -> Option<(String, atl_diag::Span)> {
        let texts = levels.iter().map(|level| self.level_text(level)).collect::<Option<Vec<_>>>()?;
        Some((format!("[{}]", texts.join(", ")), span))
    }

    fn level_text(&mut self, level: &ast::Level) -> Option<String> {
        let mut numbers = Vec::new();
        for arg in &level.args {
            match &arg.kind {
                ExprKind::Int(n) => numbers.push(n.to_string()),
                _ => {
                    return self.report(
                        err!(E0239, arg.span, "a parameter of a level is a number").label("this is none"),
                    );
                }
            }
        }
        Some(if numbers.is_empty() {
            level.name.text.clone()
        } else {
            format!("{}({})", level.name.text, numbers.join(", "))
        })
    }

    /// Give the names of sparse parameters a meaning in the body.
    pub(super) fn enter_operands(&mut self, operands: &mut [Operand]) {
        for operand in operands {
            let level = self.ctx.push_tensor(Label::new(&operand.param.name), operand.param.ty.clone());
            operand.level = Some(level);
            let name = ast::Name::new(operand.param.name.clone(), operand.param.span);
            self.bind(&name, Meaning::Tensor(level));
        }
    }

    /// The body below the `let`s of its sparse parameters, whose levels are left.
    pub(super) fn leave_operands(&mut self, e: &ast::Expr, operands: &[Operand], body: Val) -> Option<Val> {
        let mut body = body;
        for operand in operands.iter().rev() {
            let Some(level) = operand.level else { continue };
            self.ctx.truncate(level);
            let spans = Arc::new(SpanTable::leaf(operand.param.span));
            let bound = Val {
                expr: operand.value.clone(),
                ty: operand.param.ty.clone(),
                spans,
                extent: extent(&operand.value),
            };
            body = self.bind_value(e, Label::new(&operand.param.name), level, &bound, &body)?;
        }
        Some(body)
    }
}

fn extent(e: &atl_kernel::Expr) -> Extent {
    let below = e.children().into_iter().filter_map(|at| e.child(at)).map(extent);
    below.fold(Extent { nodes: 1, depth: 1 }, |all, part| Extent {
        nodes: all.nodes + part.nodes,
        depth: all.depth.max(part.depth + 1),
    })
}
