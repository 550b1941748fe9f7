//! Printing: kernels with indentation, terms with the fewest parentheses.

use crate::intersection::{IntersectionStrategy, Partner, Sequence};
use crate::lanes::Vectors;
use crate::search::{How, Search};
use crate::{
    Access, BinOp, Bool, BufferParam, CmpOp, ForAll, Init, Int, IntOp, Kernel, LoopKind, Name, ReduceOp, Run,
    Share, Stmt, Storage, StoreMode, UnOp, Val,
};
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter, Write};

/// How tightly an operator binds; the parser has the same table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Or,
    And,
    Cmp,
    Sum,
    Product,
    Unary,
    Atom,
}

impl Level {
    /// The level that the right operand of a left-associative operator needs.
    pub(super) fn next(self) -> Level {
        match self {
            Level::Or => Level::And,
            Level::And => Level::Cmp,
            Level::Cmp => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Unary,
            Level::Unary | Level::Atom => Level::Atom,
        }
    }
}

/// A term that knows its level.
trait Term {
    fn level(&self) -> Level;
    fn write(&self, f: &mut Formatter<'_>, style: &Style) -> fmt::Result;
}

/// What the printer knows of the kernel: which buffers have rank 0.
#[derive(Default)]
struct Style {
    rank_zero: BTreeSet<Name>,
}

fn write_at(f: &mut Formatter<'_>, term: &impl Term, level: Level, style: &Style) -> fmt::Result {
    if term.level() >= level {
        return term.write(f, style);
    }
    f.write_char('(')?;
    term.write(f, style)?;
    f.write_char(')')
}

fn write_infix<T: Term>(
    f: &mut Formatter<'_>,
    op: &str,
    a: &T,
    b: &T,
    level: Level,
    style: &Style,
) -> fmt::Result {
    // Comparisons do not associate: both operands bind more tightly.
    write_at(f, a, if level == Level::Cmp { Level::Sum } else { level }, style)?;
    write!(f, " {op} ")?;
    write_at(f, b, level.next(), style)
}

fn write_call<T: Term>(f: &mut Formatter<'_>, function: &str, args: &[&T], style: &Style) -> fmt::Result {
    write!(f, "{function}(")?;
    for (k, arg) in args.iter().enumerate() {
        f.write_str(if k == 0 { "" } else { ", " })?;
        arg.write(f, style)?;
    }
    f.write_char(')')
}

fn cmp_symbol(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "==",
        CmpOp::Ne => "!=",
        CmpOp::Lt => "<",
        CmpOp::Le => "<=",
    }
}

impl IntOp {
    /// The symbol and level of an infix operation.
    fn infix(self) -> Option<(&'static str, Level)> {
        Some(match self {
            IntOp::Add => ("+", Level::Sum),
            IntOp::Sub => ("-", Level::Sum),
            IntOp::Mul => ("*", Level::Product),
            IntOp::Div => ("/", Level::Product),
            IntOp::Mod => ("%", Level::Product),
            IntOp::Min | IntOp::Max => return None,
        })
    }
}

impl Term for Int {
    fn level(&self) -> Level {
        match self {
            Int::Lit(value) if *value < 0 => Level::Unary,
            Int::Lit(_) | Int::Var(_) | Int::Load(..) => Level::Atom,
            Int::Bin(op, ..) => op.infix().map_or(Level::Atom, |(_, level)| level),
        }
    }

    fn write(&self, f: &mut Formatter<'_>, style: &Style) -> fmt::Result {
        match self {
            Int::Lit(value) => write!(f, "{value}"),
            Int::Var(name) => write!(f, "{name}"),
            Int::Bin(op, a, b) => match op.infix() {
                Some((symbol, level)) => write_infix(f, symbol, &**a, &**b, level, style),
                None => write_call(f, if *op == IntOp::Min { "min" } else { "max" }, &[&**a, &**b], style),
            },
            // Even where the buffer has rank 0: a bare name is a variable here.
            Int::Load(buf, cell) => {
                write!(f, "{buf}[")?;
                cell.write(f, style)?;
                f.write_char(']')
            }
        }
    }
}

impl Term for Bool {
    fn level(&self) -> Level {
        match self {
            Bool::Lit(_) => Level::Atom,
            Bool::Cmp(..) => Level::Cmp,
            Bool::And(..) => Level::And,
            Bool::Or(..) => Level::Or,
            Bool::Not(_) => Level::Unary,
        }
    }

    fn write(&self, f: &mut Formatter<'_>, style: &Style) -> fmt::Result {
        match self {
            Bool::Lit(value) => write!(f, "{value}"),
            Bool::Cmp(op, a, b) => write_infix(f, cmp_symbol(*op), a, b, Level::Cmp, style),
            Bool::And(a, b) => write_infix(f, "&&", &**a, &**b, Level::And, style),
            Bool::Or(a, b) => write_infix(f, "||", &**a, &**b, Level::Or, style),
            Bool::Not(a) => {
                f.write_char('!')?;
                write_at(f, &**a, Level::Unary, style)
            }
        }
    }
}

/// The level of an infix operation.
fn value_level(op: BinOp) -> Option<Level> {
    Some(match op {
        BinOp::Add | BinOp::Sub => Level::Sum,
        BinOp::Mul | BinOp::Div | BinOp::Rem => Level::Product,
        BinOp::And => Level::And,
        BinOp::Or => Level::Or,
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor | BinOp::Shl | BinOp::Shr | BinOp::MulHi => return None,
        BinOp::Min | BinOp::Max => return None,
    })
}

impl Term for Val {
    fn level(&self) -> Level {
        match self {
            Val::Lit(literal) if literal.to_string().starts_with('-') => Level::Unary,
            Val::Bin(op, ..) => value_level(*op).unwrap_or(Level::Atom),
            Val::Cmp(..) => Level::Cmp,
            Val::Un(UnOp::Neg | UnOp::Not, _) => Level::Unary,
            _ => Level::Atom,
        }
    }

    fn write(&self, f: &mut Formatter<'_>, style: &Style) -> fmt::Result {
        match self {
            Val::Lit(literal) => write!(f, "{literal}"),
            Val::Load { buf, index } => write_cell(f, buf, index, style),
            Val::OfInt(index) => write_call(f, "int", &[index], style),
            Val::Un(UnOp::Neg, a) => {
                // `-1.0f32` is a literal, `-(1.0f32)` an operation on one.
                let level = if matches!(**a, Val::Lit(_)) { None } else { Some(Level::Unary) };
                f.write_char('-')?;
                match level {
                    Some(level) => write_at(f, &**a, level, style),
                    None => write_call(f, "", &[&**a], style),
                }
            }
            Val::Un(UnOp::Not, a) => {
                f.write_char('!')?;
                write_at(f, &**a, Level::Unary, style)
            }
            Val::Un(op, a) => write_call(f, op.text(), &[&**a], style),
            Val::Bin(op, a, b) => match value_level(*op) {
                Some(level) => write_infix(f, op.text(), &**a, &**b, level, style),
                None => write_call(f, op.text(), &[&**a, &**b], style),
            },
            Val::Call(function, operands) => {
                write_call(f, function.name(), &operands.iter().collect::<Vec<_>>(), style)
            }
            Val::Cmp(op, a, b) => write_infix(f, cmp_symbol(*op), &**a, &**b, Level::Cmp, style),
            Val::Select { cond, then, otherwise } => {
                f.write_char('(')?;
                cond.write(f, style)?;
                f.write_str(" ? ")?;
                then.write(f, style)?;
                f.write_str(" : ")?;
                otherwise.write(f, style)?;
                f.write_char(')')
            }
            Val::Choose { cond, then, otherwise } => {
                write_call(f, "select", &[&**cond, &**then, &**otherwise], style)
            }
            Val::Convert { to, val } => write_call(f, to.name(), &[&**val], style),
        }
    }
}

fn write_cell(f: &mut Formatter<'_>, buf: &Name, index: &Int, style: &Style) -> fmt::Result {
    if *index == Int::Lit(0) && style.rank_zero.contains(buf) {
        return write!(f, "{buf}");
    }
    write!(f, "{buf}[")?;
    index.write(f, style)?;
    f.write_char(']')
}

impl Display for Int {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, &Style::default())
    }
}

impl Display for Bool {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, &Style::default())
    }
}

impl Display for ForAll {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("all ")?;
        for (k, (name, lo, hi)) in self.binders.iter().enumerate() {
            write!(f, "{name} in {lo}..{hi}{}", if k + 1 == self.binders.len() { " " } else { ", " })?;
        }
        write!(f, "{{ {} }}", self.cond)
    }
}

impl Display for Val {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, &Style::default())
    }
}

impl ReduceOp {
    /// The assignment of the text form.
    fn assignment(self) -> &'static str {
        match self {
            ReduceOp::Add => "+=",
            ReduceOp::Mul => "*=",
            ReduceOp::Min => "min=",
            ReduceOp::Max => "max=",
            ReduceOp::Or => "||=",
            ReduceOp::And => "&&=",
        }
    }
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut style = Style::default();
        let ranks = self.params.iter().map(|param| (&param.name, param.extents.len()));
        style.rank_zero.extend(ranks.filter(|(_, rank)| *rank == 0).map(|(name, _)| name.clone()));
        self.body.for_each(&mut |stmt| {
            if let Stmt::Alloc { buf, extents, .. } = stmt
                && extents.is_empty()
            {
                style.rank_zero.insert(buf.clone());
            }
        });
        let sizes: Vec<&str> = self.sizes.iter().map(Name::as_str).collect();
        writeln!(f, "kernel {}({})", self.name, sizes.join(", "))?;
        for BufferParam { name, scalar, extents, access, over } in &self.params {
            let access = match access {
                Access::Read => "in",
                Access::Write => "out",
                Access::Stream => "out stream",
                // Its extent goes without saying.
                Access::Append => {
                    writeln!(f, "  out append {scalar} {name}")?;
                    continue;
                }
            };
            let over = over.iter().map(|input| format!("over {input} ")).collect::<String>();
            writeln!(f, "  {access} {over}{scalar} {name}{}", Extents(extents))?;
        }
        for requirement in &self.requires {
            writeln!(f, "  requires {requirement}")?;
        }
        for requirement in &self.requires_all {
            writeln!(f, "  requires {requirement}")?;
        }
        f.write_str("{\n")?;
        write_stmt(f, &self.body, 1, &style)?;
        f.write_str("}\n")
    }
}

/// Extents in brackets; nothing for rank 0.
struct Extents<'a>(&'a [Int]);

impl Display for Extents<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (k, extent) in self.0.iter().enumerate() {
            write!(f, "{}{extent}", if k == 0 { "[" } else { ", " })?;
        }
        f.write_str(if self.0.is_empty() { "" } else { "]" })
    }
}

fn write_stmt(f: &mut Formatter<'_>, stmt: &Stmt, depth: usize, style: &Style) -> fmt::Result {
    let indent = |f: &mut Formatter<'_>| write!(f, "{:1$}", "", 2 * depth);
    let write_body = |f: &mut Formatter<'_>, body: &Stmt| {
        f.write_str("{\n")?;
        write_stmt(f, body, depth + 1, style)?;
        indent(f)?;
        f.write_char('}')
    };
    let write_init = |f: &mut Formatter<'_>, init: &Init| match init {
        Init::Uninit => f.write_str(" uninit"),
        Init::Value(value) => {
            f.write_str(" = ")?;
            value.write(f, style)
        }
    };
    if let Stmt::Seq(stmts) = stmt {
        return stmts.iter().try_for_each(|stmt| write_stmt(f, stmt, depth, style));
    }
    indent(f)?;
    match stmt {
        Stmt::Seq(_) => {}
        Stmt::For { var, lo, hi, kind, body } => {
            match kind {
                LoopKind::Serial => {}
                LoopKind::Parallel(Share::Static) => f.write_str("parallel ")?,
                LoopKind::Parallel(Share::Dynamic) => f.write_str("parallel(dynamic) ")?,
                LoopKind::Vector { width: None } => f.write_str("vector ")?,
                LoopKind::Vector { width: Some(width) } => write!(f, "vector({width}) ")?,
                LoopKind::Unroll => f.write_str("unroll ")?,
                LoopKind::Block(axis) => write!(f, "block({}) ", axis.name())?,
                LoopKind::Thread(axis) => write!(f, "thread({}) ", axis.name())?,
                LoopKind::EarlyExit(buf) => write!(f, "until({buf}) ")?,
                LoopKind::Unless(buf) => write!(f, "unless({buf}) ")?,
            }
            write!(f, "for {var} in {lo}..{hi} ")?;
            write_body(f, body)?;
        }
        Stmt::Vectors { vectors: Vectors { var, lo, hi, lanes, scalar }, body } => {
            write!(f, "{scalar}x{lanes} for {var} in {lo}..{hi} ")?;
            write_body(f, body)?;
        }
        Stmt::Search { search, body } => {
            let Search { var, lo, hi, how: How { all, along, strategy }, .. } = search;
            f.write_str(match strategy {
                None if *all => "search all",
                None => "search",
                Some(IntersectionStrategy::BySizes) => "meet",
                Some(IntersectionStrategy::Merge) => "meet merge",
            })?;
            along.iter().try_for_each(|var| write!(f, "({var})"))?;
            write!(f, " for {var} in {lo}..{hi} ")?;
            write_body(f, &Stmt::guard(search.cond(), (**body).clone()))?;
        }
        Stmt::If { cond, then, otherwise } => {
            write!(f, "if {cond} ")?;
            write_body(f, then)?;
            if let Some(otherwise) = otherwise {
                f.write_str(" else ")?;
                write_body(f, otherwise)?;
            }
        }
        Stmt::Alloc { buf, scalar, extents, storage, init, body } => {
            f.write_str(match storage {
                Storage::Heap => "alloc heap ",
                Storage::Stack => "alloc stack ",
                Storage::Register => "alloc register ",
                Storage::Shared(_) => "alloc shared ",
                Storage::Touched => "alloc touched ",
            })?;
            if let Storage::Shared(swizzle) = storage
                && !swizzle.is_identity()
            {
                write!(f, "{swizzle} ")?;
            }
            write!(f, "{scalar} {buf}{}", Extents(extents))?;
            write_init(f, init)?;
            f.write_char(' ')?;
            write_body(f, body)?;
        }
        Stmt::Reset { buf, init } => {
            write!(f, "reset {buf}")?;
            write_init(f, init)?;
        }
        Stmt::Forget { buf, lo, hi } => {
            write!(f, "forget {buf}[")?;
            lo.write(f, style)?;
            f.write_str("..")?;
            hi.write(f, style)?;
            f.write_char(']')?;
        }
        Stmt::Prefetch { buf, index } => {
            f.write_str("prefetch ")?;
            write_cell(f, buf, index, style)?;
        }
        Stmt::Store { buf, index, value, mode } => {
            write_cell(f, buf, index, style)?;
            let assignment = match mode {
                StoreMode::Set => "=",
                StoreMode::Replace => ":=",
                StoreMode::Reduce(op) => op.assignment(),
            };
            write!(f, " {assignment} ")?;
            value.write(f, style)?;
        }
        Stmt::Push { buf, value } => {
            write!(f, "push {buf} = ")?;
            value.write(f, style)?;
        }
        Stmt::Visit { var, buf, body } => {
            write!(f, "visit {var} of {buf} ")?;
            write_body(f, body)?;
        }
        Stmt::Intersection { intersection, body } => {
            f.write_str(match intersection.strategy {
                IntersectionStrategy::BySizes => "intersect",
                IntersectionStrategy::Merge => "intersect(merge)",
            })?;
            let sequence = |f: &mut Formatter<'_>, Sequence { var, lo, hi, key }: &Sequence| {
                write!(f, " {var} in {lo}..{hi} at {key}")
            };
            sequence(f, &intersection.first)?;
            for Partner { sequence: next, rest } in &intersection.partners {
                f.write_char(',')?;
                sequence(f, next)?;
                rest.iter().try_for_each(|rest| write!(f, " if {rest}"))?;
            }
            f.write_char(' ')?;
            write_body(f, body)?;
        }
        Stmt::Merge { keys, runs, body } => {
            match keys.as_slice() {
                [key] => write!(f, "merge {key} of ")?,
                keys => {
                    let keys: Vec<&str> = keys.iter().map(Name::as_str).collect();
                    write!(f, "merge ({}) of ", keys.join(", "))?;
                }
            }
            for (k, Run { place, lo, hi, key, has, cond }) in runs.iter().enumerate() {
                f.write_str(if k == 0 { "" } else { ", " })?;
                write!(f, "{place} in {lo}..{hi} at (")?;
                for (k, part) in key.iter().enumerate() {
                    f.write_str(if k == 0 { "" } else { ", " })?;
                    part.write(f, style)?;
                }
                write!(f, ") as {has}")?;
                if *cond != Bool::Lit(true) {
                    write!(f, " if {cond}")?;
                }
            }
            f.write_char(' ')?;
            write_body(f, body)?;
        }
    }
    f.write_char('\n')
}
