//! The program that a statement is: a function, and a schedule where operands have formats.

use crate::extents::Extents;
use crate::order::Step;
use crate::tree::{Access, Expr, Kind, Sign, Statement};
use atl_diag::Span;
use atl_syntax::ast::{self, AccessKind, BinaryOp, BinderOp, ExprKind, Name, UnaryOp};
use atl_syntax::{Style, print_expr, print_function};

/// The name of the schedule that takes operands by their stored positions.
pub(crate) const SCHEDULE: &str = "sparse";

/// What the elements are.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// The scalar type.
    pub(crate) scalar: String,
    /// The semiring, unless it is the ordinary one.
    pub(crate) semiring: Option<String>,
}

/// A statement with all that a program needs.
pub(crate) struct Parts<'a> {
    pub(crate) statement: &'a Statement,
    pub(crate) extents: &'a Extents,
    pub(crate) element: &'a Element,
    /// Formats of operands, and of the result, that are not dense.
    pub(crate) formats: &'a [(String, ast::Format)],
    /// Steps after `sparsify`.
    pub(crate) steps: &'a str,
    /// The nests of loops, where they are not the one that the statement is.
    pub(crate) order: Option<&'a [Step]>,
}

impl Parts<'_> {
    /// The text of the function, and that of its schedule if it has one.
    pub(crate) fn text(&self) -> (String, Option<String>) {
        let function = print_function(&self.function(), Style::SOURCE);
        let name = &self.statement.result.tensor.text;
        let steps: String = self.schedule().iter().map(|step| format!("    {step}\n")).collect();
        let schedule = format!("\nschedule {SCHEDULE} of {name} {{\n{steps}}}\n");
        (function, (!steps.is_empty()).then_some(schedule))
    }

    fn function(&self) -> ast::Function {
        let result = &self.statement.result;
        let params = self.extents.operands.iter().map(|operand| ast::Param {
            name: unplaced(&operand.first.tensor.text),
            ty: self.ty(&operand.first),
            default: None,
            span: Span::default(),
        });
        let body = match self.order.and_then(|steps| steps.split_last()) {
            Some((last, before)) => before.iter().rfold(self.nest(last), |body, step| {
                let (value, body) = (Box::new(self.nest(step)), Box::new(body));
                expr(ExprKind::Let { name: unplaced(&step.name), attributes: vec![], value, body })
            }),
            None => self.bind(BinderOp::Gen, &result.indices, self.expr(&self.statement.body)),
        };
        ast::Function {
            type_params: Vec::new(),
            doc: vec![],
            name: unplaced(&result.tensor.text),
            params: params.collect(),
            result: Some(self.ty(result)),
            preconditions: self.preconditions(),
            body,
            span: Span::default(),
        }
    }

    fn nest(&self, step: &Step) -> ast::Expr {
        let factors: Vec<Expr> = step
            .factors
            .iter()
            .map(|access| Expr { kind: Kind::Access(access.clone()), span: access.span })
            .collect();
        let product = self.expr(&Expr { kind: Kind::Mul(factors), span: Span::default() });
        self.bind(BinderOp::Gen, &step.kept, self.bind(BinderOp::Sum, &step.summed, product))
    }

    fn ty(&self, access: &Access) -> ast::Type {
        let element = ast::ElementType {
            semiring: self.element.semiring.as_deref().map(unplaced),
            scalar: unplaced(&self.element.scalar),
            span: Span::default(),
        };
        let extents = access.indices.iter().map(|i| name(self.extents.size(&i.text))).collect();
        let format = self.format(&access.tensor).cloned().map(Box::new);
        ast::Type { kind: ast::TypeKind::Tensor { element, extents, format }, span: Span::default() }
    }

    fn format(&self, tensor: &Name) -> Option<&ast::Format> {
        self.formats.iter().find(|(known, _)| *known == tensor.text).map(|(_, format)| format)
    }

    /// Diagonals need a matrix that is not empty.
    fn preconditions(&self) -> Vec<ast::Expr> {
        let diagonal =
            |format: &ast::Format| matches!(format, ast::Format::Named(level) if level.name.text == "dia");
        let operands = self.extents.operands.iter().map(|operand| &operand.first);
        let indices =
            operands.filter(|a| self.format(&a.tensor).is_some_and(diagonal)).flat_map(|a| &a.indices);
        let mut sizes: Vec<&str> = indices.map(|i| self.extents.size(&i.text)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let positive = |size: &str| {
            let zero = expr(ExprKind::Int(0));
            expr(ExprKind::Compare(Box::new(zero), vec![(ast::CompareOp::Lt, name(size))]))
        };
        sizes.into_iter().map(positive).collect()
    }

    fn bind(&self, op: BinderOp, indices: &[Name], body: ast::Expr) -> ast::Expr {
        if indices.is_empty() {
            return body;
        }
        let binders = indices.iter().map(|i| ast::Binder {
            name: unplaced(&i.text),
            lo: None,
            hi: Some(name(self.extents.size(&i.text))),
            attributes: vec![],
            span: Span::default(),
        });
        expr(ExprKind::Bind { op, binders: binders.collect(), body: Box::new(body) })
    }

    fn expr(&self, e: &Expr) -> ast::Expr {
        let binary = |op, a, b| expr(ExprKind::Binary(op, Box::new(a), Box::new(b)));
        match &e.kind {
            Kind::Number(text) => expr(match text.replace('_', "").parse() {
                Ok(n) => ExprKind::Int(n),
                Err(_) => ExprKind::Float(text.clone()),
            }),
            Kind::Access(access) => {
                let base = name(&access.tensor.text);
                let indices: Vec<ast::Expr> = access.indices.iter().map(|i| name(&i.text)).collect();
                match indices.is_empty() {
                    true => base,
                    false => {
                        expr(ExprKind::Access { kind: AccessKind::Plain, base: Box::new(base), indices })
                    }
                }
            }
            Kind::Neg(inner) => expr(ExprKind::Unary(UnaryOp::Neg, Box::new(self.expr(inner)))),
            Kind::Add(terms) => {
                let mut terms = terms.iter();
                let first =
                    terms.next().map_or_else(|| expr(ExprKind::Int(0)), |(_, first)| self.expr(first));
                terms.fold(first, |sum, (sign, term)| match sign {
                    Sign::Plus => binary(BinaryOp::Add, sum, self.expr(term)),
                    Sign::Minus(_) => binary(BinaryOp::Sub, sum, self.expr(term)),
                })
            }
            Kind::Mul(factors) => {
                let factors = factors.iter().map(|factor| self.expr(factor));
                let product = factors.reduce(|product, factor| binary(BinaryOp::Mul, product, factor));
                product.unwrap_or_else(|| expr(ExprKind::Int(1)))
            }
            Kind::Sum(indices, inner) => self.bind(BinderOp::Sum, indices, self.expr(inner)),
        }
    }

    /// Loops along blocks are cut as the blocks are.
    fn cuts(&self) -> Vec<String> {
        let mut cuts: Vec<(&str, String)> = Vec::new();
        for operand in &self.extents.operands {
            let Some(ast::Format::Named(format)) = self.format(&operand.first.tensor) else { continue };
            for read in &operand.reads {
                for (index, extent) in read.iter().zip(&format.args).skip(self.uncut(&format.name.text, read))
                {
                    if !self.is_cut(index) && !cuts.iter().any(|(other, _)| *other == index.text) {
                        cuts.push((&index.text, print_expr(extent, Style::LINE)));
                    }
                }
            }
        }
        cuts.into_iter().map(|(index, width)| format!("split {index} by {width};")).collect()
    }

    /// Is it an index of a result in blocks, whose loops iterate over whole blocks?
    fn is_cut(&self, index: &Name) -> bool {
        matches!(self.format(&self.statement.result.tensor), Some(ast::Format::Named(format)) if matches!(&*format.name.text, "bcsr" | "csb"))
            && self.is_free(index)
    }

    /// Is it an index of the result?
    fn is_free(&self, index: &Name) -> bool {
        self.statement.result.indices.iter().any(|i| i.text == index.text)
    }

    /// Along how many of the first indices of a read there is nothing to cut. Of a dense block each row has
    /// its place, and so its loop is that of the rows; one loop visits the list of a block for its rows and
    /// columns at once, unless the request names each of them.
    fn uncut(&self, format: &str, read: &[Name]) -> usize {
        match format {
            "bcsr" => 1,
            "csb"
                if !read.iter().all(|index| self.is_free(index))
                    || read.iter().all(|index| index.text == read[0].text) =>
            {
                0
            }
            _ => read.len(),
        }
    }

    /// The steps of the schedule; none where everything is dense and the request has no steps.
    fn schedule(&self) -> Vec<String> {
        let mut steps = Vec::new();
        let operands: Vec<&Access> = self.extents.operands.iter().map(|o| &o.first).collect();
        if operands.iter().any(|a| self.format(&a.tensor).is_some()) {
            if matches!(self.element.scalar.as_str(), "f32" | "f64") && self.element.semiring.is_none() {
                steps.push("rounding real;".to_owned());
            }
            steps.extend(self.cuts());
            steps.push("sparsify;".to_owned());
        }
        steps.extend((!self.steps.trim().is_empty()).then(|| self.steps.trim().to_owned()));
        steps
    }
}

/// Syntax that is written nowhere yet.
fn expr(kind: ExprKind) -> ast::Expr {
    ast::Expr::new(kind, Span::default())
}

fn unplaced(text: &str) -> Name {
    Name::new(text, Span::default())
}

fn name(text: &str) -> ast::Expr {
    expr(ExprKind::Name(text.to_owned()))
}
