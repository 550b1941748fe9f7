//! Parameters with formats: `A: f64[N, M] as csr`.
//!
//! The format says which arrays come in place of the tensor, and what the tensor is, as a term over them. The arrays become
//! parameters, and the body begins with a `let` of that term, by the tensor's name.

use super::index::Sort;
use super::order::Ordered;
use super::signature::Signature;
use super::{Elab, Meaning, Val};
use crate::algebra::ordinary;
use crate::forall::{ForAll, Variable};
use crate::module::{Argument, Extent, Param, SizeParam, SizeSource, SparseParam};
use crate::spans::SpanTable;
use atl_diag::err;
use atl_diag::spelling::closest;
use atl_formats::format::NAMES;
use atl_formats::levels::TABLE;
use atl_formats::{Format, symbolic};
use atl_kernel::{Ix, Label, Type};
use atl_syntax::ast::{self, ExprKind};
use atl_syntax::{Style, print_expr};
use std::sync::Arc;

/// A sparse parameter, and what it is in terms of its arrays.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) param: SparseParam,
    value: atl_kernel::Expr,
    /// The level of its name in the body.
    level: Option<u32>,
}

/// A sparse parameter whose sizes are declared.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    name: String,
    format: Format,
    sizes: Vec<(u32, String)>,
}

impl Elab<'_> {
    /// The sizes that a parameter's format brings.
    pub(super) fn sparse_sizes(
        &mut self,
        param: &ast::Param,
        rank: usize,
        format: &ast::Format,
    ) -> Option<Declared> {
        let (text, span) = match (format, &param.ty.kind) {
            (ast::Format::Layout(layout), ast::TypeKind::Tensor { extents, .. }) => {
                (self.levels_in_order(Ordered::Parameter, layout, extents)?, layout.span)
            }
            _ => self.format_text(format)?,
        };
        let name = param.name.text.clone();
        let read = Format::parse(&text, rank);
        let made = read.and_then(|format| {
            let sizes = symbolic::lengths(&mut self.ctx, &name, rank, &format)?;
            Ok(Declared { name: name.clone(), format, sizes })
        });
        match made {
            Ok(declared) => {
                for (level, size) in &declared.sizes {
                    self.unused(param, size)?;
                    self.bind(
                        &ast::Name::new(size.clone(), param.name.span),
                        Meaning::Index(Ix::free(*level)),
                    );
                }
                Some(declared)
            }
            Err(why) => {
                let remedy = self.another_format(&text);
                self.report(
                    err!(E0239, span, "`{name}` cannot have this format: {why}")
                        .label("this format")
                        .also(param.ty.span, "for this type")
                        .help(remedy),
                )
            }
        }
    }

    /// The arrays of a sparse parameter of this type.
    pub(super) fn sparse_param(
        &mut self,
        param: &ast::Param,
        ty: &Type,
        declared: &[Declared],
        signature: &mut Signature,
    ) -> Option<()> {
        let declared = declared.iter().find(|d| d.name == param.name.text)?;
        let lengths: Vec<u32> = declared.sizes.iter().map(|(level, _)| *level).collect();
        let integer = |scalar| ordinary(scalar);
        let (name, format) = (&declared.name, &declared.format);
        let made = symbolic::operand(&mut self.ctx, name, ty, format, &lengths, &integer);
        let first = signature.params.len();
        for ((level, name), array) in declared.sizes.iter().zip(&made.lengths) {
            let source = SizeSource::Extent { param: first + array, axis: 0 };
            signature.sizes.push(SizeParam { name: name.clone(), level: *level, span: param.span, source });
        }
        for (level, name, ty) in made.arrays {
            self.unused(param, &name)?;
            self.bind(&ast::Name::new(name.clone(), param.name.span), Meaning::Tensor(level));
            signature.call_order.push(Argument::Tensor(signature.params.len()));
            signature.params.push(Param { name, level, ty, span: param.span });
        }
        signature.facts.extend(made.facts.into_iter().map(|fact| {
            ForAll {
                variables: fact
                    .variables
                    .into_iter()
                    .map(|(name, lo, hi)| Variable { label: Label::new(name), lo, hi })
                    .collect(),
                holds: fact.holds,
                span: param.span,
            }
        }));
        let arrays = first..signature.params.len();
        let format = format.clone();
        let param = SparseParam { name: name.clone(), ty: ty.clone(), format, arrays, span: param.span };
        signature.operands.push(Operand { param, value: made.value, level: None });
        Some(())
    }

    /// Nothing is called so that an array or size of a sparse parameter is called.
    fn unused(&mut self, param: &ast::Param, name: &str) -> Option<()> {
        if self.lookup(name).is_none() {
            return Some(());
        }
        self.report(
            err!(
                E0206,
                param.name.span,
                "the arrays of `{}` include `{name}`, and something is called so already",
                param.name.text
            )
            .label("this parameter")
            .help("choose another name"),
        )
    }

    /// The format as its crate reads it, a name that the file declares being what it stands for.
    pub(super) fn format_text(&mut self, format: &ast::Format) -> Option<(String, atl_diag::Span)> {
        match format {
            ast::Format::Named(level) => match self.names.formats.get(&level.name.text).cloned() {
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
            ast::Format::Layout(layout) => self.report(
                err!(E0240, layout.span, "only parameters and results are stored in the order of a layout")
                    .label("not here"),
            ),
            ast::Format::Levels(levels) => {
                let span = levels.first().zip(levels.last()).map(|(a, b)| a.span.to(b.span));
                self.levels_text(levels, span.unwrap_or_default())
            }
        }
    }

    /// What to write in place of a format that cannot be had.
    pub(super) fn another_format(&self, text: &str) -> String {
        let declared = self.names.formats.keys().map(String::as_str);
        let known: Vec<&str> = NAMES
            .iter()
            .map(|named| named.name)
            .chain(TABLE.iter().map(|kind| kind.name))
            .chain(declared)
            .collect();
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let unknown =
            words.find(|word| word.len() > 1 && !known.contains(word) && word.parse::<i64>().is_err());
        match unknown.and_then(|word| closest(word, known.iter().copied())) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "for a matrix there are `csr`, `csc`, `coo`, `bcsr(4, 4)`; for every rank `coo`, `csf`, `bitmask`, \
                     and lists of levels such as `[dense, compressed]`"
                .to_owned(),
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
        let mut text = level.name.text.clone();
        if !numbers.is_empty() {
            text += &format!("({})", numbers.join(", "));
        }
        if let Some(axes) = &level.of {
            text += &format!(" of {}", print_expr(axes, Style::LINE));
        }
        Some(text)
    }

    /// Where a head is refused, its sparse parameters are not to be missed in the body.
    pub(super) fn refuse_operands(&mut self, params: &[ast::Param]) {
        for param in params {
            if self.lookup(&param.name.text).is_none() {
                self.bind(&param.name, Meaning::Refused(Sort::Value));
            }
        }
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

/// How large a term is.
pub(super) fn extent(e: &atl_kernel::Expr) -> Extent {
    let below = e.children().filter_map(|at| e.child(at)).map(extent);
    below.fold(Extent::LEAF, |all, part| Extent {
        nodes: all.nodes + part.nodes,
        depth: all.depth.max(part.depth + 1),
        ..all
    })
}
