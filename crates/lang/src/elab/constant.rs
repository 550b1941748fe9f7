//! Constants: `const K: f32[3] = [1, 2, 1];`.
//!
//! **The one idea.** A constant is a function without parameters. A number that is written out, or an integer
//! that is computed from such, replaces its name wherever it is mentioned, in indices and extents, too. Any
//! other constant is a `let` around the body of the function that is called from outside: once, however deep
//! the calls that mention it.

use super::function::elaborated;
use super::{Elab, Functions, Meaning, Names, Val};
use crate::module::{Extent, Function};
use crate::spans::SpanTable;
use atl_diag::{Diagnostic, FileId, Span, err};
use atl_kernel::{Expr as Term, Ix, Label, Node, Number, Prim, Prover, Var, eval_op, subst};
use atl_ops::elements::assume_written;
use atl_ops::reflect::push_let;
use atl_syntax::ast::{self, TypeKind};
use std::sync::Arc;

/// A constant, and where it is declared.
pub(crate) struct Constant {
    pub(super) span: Span,
    pub(super) value: Value,
}

/// What a constant is.
pub(super) enum Value {
    /// An index term.
    Index(i64),
    /// A literal; the index term that it is, if it is one.
    Number(Box<Val>, Option<i64>),
    /// A tensor, or a number that is computed.
    Table(Box<Function>),
    /// It was refused.
    Refused,
}

/// A constant that a function has entered: its level, and what is bound there.
pub(super) struct Entered {
    name: String,
    level: u32,
    val: Val,
}

/// A constant of this declaration, and what there is to say about it.
pub(super) fn constant(
    declared: &ast::Const,
    functions: &Functions,
    names: &Names,
    prover: &mut dyn Prover,
) -> (Constant, Vec<Diagnostic>) {
    let span = declared.name.span;
    let (value, diagnostics) = match &declared.ty.kind {
        TypeKind::Size => number(declared, functions, names, prover),
        TypeKind::Several(_) | TypeKind::Tensor { format: Some(_), .. } => {
            let refusal =
                err!(E0203, declared.ty.span, "a constant is one scalar or one tensor without a format")
                    .help("write its type as `f32` or `f32[3, 3]`");
            (None, vec![refusal])
        }
        TypeKind::Error | TypeKind::Tensor { .. } => table(declared, functions, names, prover),
    };
    (Constant { span, value: value.unwrap_or(Value::Refused) }, diagnostics)
}

/// `const N: size = 64;`.
fn number(
    declared: &ast::Const,
    functions: &Functions,
    names: &Names,
    prover: &mut dyn Prover,
) -> (Option<Value>, Vec<Diagnostic>) {
    let mut elab = Elab { names: names.clone(), ..Elab::new(functions, prover) };
    elab.enter_numbers(declared.span.file);
    let span = declared.value.span;
    let value = elab.index(&declared.value).and_then(|ix| match of_index(&ix) {
        Some(n) if n >= 0 => Some(Value::Index(n)),
        Some(n) => elab.report(
            err!(E0241, span, "`{}` is a size, and this is {n}", declared.name.text)
                .help("a number that may be negative is a constant of an integer type: `i32`, `i64`"),
        ),
        None => elab.report(
            err!(E0222, span, "`{}` has no value among the integers of 64 bits", declared.name.text)
                .help("index arithmetic is done on 64-bit signed integers"),
        ),
    });
    (value, elab.diagnostics)
}

/// A scalar or a tensor.
fn table(
    declared: &ast::Const,
    functions: &Functions,
    names: &Names,
    prover: &mut dyn Prover,
) -> (Option<Value>, Vec<Diagnostic>) {
    let of = ast::Function {
        doc: declared.doc.clone(),
        name: declared.name.clone(),
        type_params: Vec::new(),
        params: Vec::new(),
        result: Some(declared.ty.clone()),
        preconditions: Vec::new(),
        body: declared.value.clone(),
        span: declared.span,
    };
    let (made, mut diagnostics) = elaborated(&of, functions, names, prover);
    let Some(made) = made else { return (None, diagnostics) };
    let elem = made.result.elem;
    let literal = |number: Number| {
        let expr = Arc::new(Node::Lit(elem, number));
        let spans = Arc::new(SpanTable::leaf(declared.value.span));
        Val { expr, ty: made.result.clone(), spans, extent: Extent::LEAF }
    };
    let is_scalar = made.result.shape.is_empty();
    let is_integer = elem.scalar.is_integer() && crate::algebra::is_ordinary(elem);
    let value = match &*made.body {
        Node::Lit(_, number) if is_scalar && !is_integer => Value::Number(Box::new(literal(*number)), None),
        _ if is_scalar && is_integer => match of_term(&made.body, elem.scalar.range().unwrap_or_default()) {
            Some(Ok(n)) => {
                let number = crate::decimal::number(elem, n, 0);
                Value::Number(Box::new(literal(number)), i64::try_from(n).ok())
            }
            Some(Err(n)) => {
                let (lo, hi) = elem.scalar.range().unwrap_or_default();
                let what = format!("`{}` is computed by {n}, which does not fit `{elem}`", of.name.text);
                diagnostics.push(
                    err!(E0223, declared.value.span, "{what}")
                        .label(format!("`{elem}` holds {lo} to {hi}"))
                        .help("choose a type that holds all steps of it"),
                );
                Value::Refused
            }
            None => Value::Table(Box::new(made)),
        },
        _ => Value::Table(Box::new(made)),
    };
    (Some(value), diagnostics)
}

/// The value of an index term without variables.
fn of_index(ix: &Ix) -> Option<i64> {
    match ix {
        Ix::Lit(n) => Some(*n),
        Ix::Bin(op, ab) => {
            let value = eval_op(*op, of_index(&ab.0)?.into(), of_index(&ab.1)?.into())?;
            i64::try_from(value).ok()
        }
        Ix::Var(_) | Ix::Read(..) => None,
    }
}

/// The integer that a term is which is computed from literals; a step of it that leaves the type.
fn of_term(e: &Term, (lo, hi): (i128, i128)) -> Option<Result<i128, i128>> {
    let value = match &**e {
        Node::Lit(_, Number::Zero) => 0,
        Node::Lit(_, Number::One) => 1,
        Node::Lit(_, Number::Decimal(n, 0)) => *n,
        Node::Prim(f, args) => {
            let args = args.iter().map(|arg| of_term(arg, (lo, hi))).collect::<Option<Vec<_>>>()?;
            let args = match args.into_iter().collect::<Result<Vec<i128>, i128>>() {
                Ok(args) => args,
                Err(n) => return Some(Err(n)),
            };
            // Of operands of 64 bits only a product may have more than 128.
            match (f, &args[..]) {
                (Prim::Add, [a, b]) => a + b,
                (Prim::Sub, [a, b]) => a - b,
                (Prim::Mul, [a, b]) => a.checked_mul(*b).unwrap_or(i128::MAX),
                (Prim::Div, [_, 0]) => 0,
                (Prim::Div, [a, b]) => a / b - i128::from(a % b != 0 && (*a < 0) != (*b < 0)),
                (Prim::Min, [a, b]) => *a.min(b),
                (Prim::Max, [a, b]) => *a.max(b),
                (Prim::Neg, [a]) => -a,
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(if (lo..=hi).contains(&value) { Ok(value) } else { Err(value) })
}

/// Constants by name, each with the level that means it.
type Mentioned = Vec<(String, u32)>;

impl Elab<'_> {
    /// Gives the constants that are numbers their meanings; those that are tensors have none yet.
    pub(super) fn enter_numbers(&mut self, file: FileId) {
        let functions = self.functions;
        for (name, constant) in functions.visible(file) {
            self.declared.insert(name.clone(), constant.span);
            let meaning = match &constant.value {
                Value::Index(n) => Meaning::Index(Ix::Lit(*n)),
                Value::Number(val, index) => Meaning::Number(val.clone(), *index),
                Value::Refused => Meaning::Refused(super::index::Sort::Value),
                Value::Table(_) => continue,
            };
            self.constants.insert(name.clone(), meaning);
        }
    }

    /// Enters the constants that are tensors which this function mentions, and those that its callees do.
    pub(super) fn enter_tables(&mut self, function: &str) -> Vec<Entered> {
        let functions = self.functions;
        let name = function.split('<').next().unwrap_or(function);
        let Some(mentioned) = functions.mentions.get(name) else { return Vec::new() };
        let mut entered = Vec::new();
        for name in functions.tables.iter().filter(|name| mentioned.contains(*name)) {
            let Some(Constant { value: Value::Table(of), span }) = functions.constants.get(name) else {
                continue;
            };
            let expr = self.with_constants(of);
            let spans = Arc::new(SpanTable::leaf(*span));
            let val = Val { expr, ty: of.result.clone(), spans, extent: of.extent };
            let (label, level) = (Label::new(name), self.ctx.level());
            self.ctx = push_let(&self.ctx, &label, &val.ty, &val.expr, self.prover);
            assume_written(&mut self.ctx, level, &val.ty, &val.expr);
            self.tables.insert(name.clone(), level);
            if self.declared.contains_key(name) {
                self.constants.insert(name.clone(), Meaning::Tensor(level));
            }
            entered.push(Entered { name: name.clone(), level, val });
        }
        entered
    }

    /// The constants that the value mentions, the value, and the value in `let`s of these.
    pub(super) fn leave_tables(
        &mut self,
        e: &ast::Expr,
        entered: Vec<Entered>,
        mut val: Val,
    ) -> Option<(Mentioned, Val, Val)> {
        for Entered { level, .. } in entered.iter().rev() {
            val = self.named_reads(*level, val)?;
        }
        let open = val.clone();
        let mut mentioned = Vec::new();
        for Entered { name, level, val: bound } in entered.into_iter().rev() {
            self.ctx.truncate(level);
            if subst::close(&val.expr, level) != val.expr {
                val = self.bind_value(e, Label::new(&name), level, &bound, &val)?;
                mentioned.push((name, level));
            }
        }
        Some((mentioned, open, val))
    }

    /// The body of a function, with the constants of this function in place of its own.
    pub(super) fn with_constants(&self, f: &Function) -> Term {
        let Some(open) = &f.open else { return f.body.clone() };
        match self.own_constants(f) {
            Some(subst) => subst.expr(open),
            None => f.body.clone(),
        }
    }

    /// Which of this function's constants are those of another, if it has them all.
    pub(super) fn own_constants(&self, f: &Function) -> Option<subst::Subst> {
        let mut own = subst::Subst::default();
        for (name, level) in &f.constants {
            let here = self.tables.get(name)?;
            own.tensor.push((*level, Arc::new(Node::Var(Var::Free(*here)))));
        }
        Some(own)
    }
}
