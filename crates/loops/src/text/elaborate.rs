//! From expressions as written to index terms, predicates and values.

use super::parse::{Expr, ParseError, Spot};
use crate::{BinOp, Bool, CmpOp, Int, IntOp, Literal, UnOp, Val};
use atl_kernel::{Function, Scalar};

/// The expression as an index term.
pub(super) fn to_int(spot: &Spot) -> Result<Int, ParseError> {
    match &spot.expr {
        Expr::Digits(digits) => match digits.parse() {
            Ok(value) => Ok(Int::Lit(value)),
            Err(_) => spot.error(format!("`{digits}` is no 64-bit integer")),
        },
        Expr::Word(word) => Ok(Int::var(word.as_str())),
        Expr::Cell(buf, cell) => Ok(Int::load(buf.as_str(), to_int(cell)?)),
        Expr::Infix(op, a, b) => {
            let op = match *op {
                "+" => IntOp::Add,
                "-" => IntOp::Sub,
                "*" => IntOp::Mul,
                "/" => IntOp::Div,
                "%" => IntOp::Mod,
                op => return spot.error(format!("`{op}` gives no index")),
            };
            Ok(Int::bin(op, to_int(a)?, to_int(b)?))
        }
        Expr::Call(function, args) => match (function.as_str(), args.as_slice()) {
            ("min", [a, b]) => Ok(to_int(a)?.min(to_int(b)?)),
            ("max", [a, b]) => Ok(to_int(a)?.max(to_int(b)?)),
            _ => spot.error("the functions of indices are `min(a, b)` and `max(a, b)`"),
        },
        _ => spot.error("expected an index term"),
    }
}

/// The expression as a predicate.
pub(super) fn to_bool(spot: &Spot) -> Result<Bool, ParseError> {
    match &spot.expr {
        Expr::Literal(Literal::Bool(value)) => Ok(Bool::Lit(*value)),
        Expr::Prefix("!", a) => Ok(to_bool(a)?.negate()),
        Expr::Infix("&&", a, b) => Ok(to_bool(a)?.and(to_bool(b)?)),
        Expr::Infix("||", a, b) => Ok(to_bool(a)?.or(to_bool(b)?)),
        Expr::Infix(op, a, b) => match comparison(op) {
            Some(op) => Ok(Bool::Cmp(op, to_int(a)?, to_int(b)?)),
            None => spot.error(format!("`{op}` gives no predicate")),
        },
        _ => spot.error("expected a predicate over indices"),
    }
}

fn comparison(op: &str) -> Option<CmpOp> {
    Some(match op {
        "==" => CmpOp::Eq,
        "!=" => CmpOp::Ne,
        "<" => CmpOp::Lt,
        "<=" => CmpOp::Le,
        _ => return None,
    })
}

/// The expression as a value.
pub(super) fn to_val(spot: &Spot) -> Result<Val, ParseError> {
    match &spot.expr {
        Expr::Digits(digits) => spot.error(format!("a literal value needs its type, as in `{digits}i32`")),
        Expr::Literal(literal) => Ok(Val::Lit(*literal)),
        Expr::Word(word) => Ok(Val::scalar(word.as_str())),
        Expr::Cell(buf, index) => Ok(Val::load(buf.as_str(), to_int(index)?)),
        Expr::Prefix(op, a) => Ok(Val::un(if *op == "-" { UnOp::Neg } else { UnOp::Not }, to_val(a)?)),
        Expr::Infix(op, a, b) => {
            if let Some(op) = comparison(op) {
                return Ok(Val::cmp(op, to_val(a)?, to_val(b)?));
            }
            match BinOp::ALL.iter().find(|binary| binary.text() == *op) {
                Some(binary) => Ok(Val::bin(*binary, to_val(a)?, to_val(b)?)),
                None => spot.error(format!("`{op}` gives no value")),
            }
        }
        Expr::Ternary(cond, then, otherwise) => {
            Ok(Val::select(to_bool(cond)?, to_val(then)?, to_val(otherwise)?))
        }
        Expr::Call(function, args) => call(spot, function, args),
    }
}

fn call(spot: &Spot, function: &str, args: &[Spot]) -> Result<Val, ParseError> {
    match (function, args) {
        ("int", [index]) => Ok(Val::OfInt(to_int(index)?)),
        ("select", [cond, then, otherwise]) => {
            Ok(Val::select_val(to_val(cond)?, to_val(then)?, to_val(otherwise)?))
        }
        _ if let Some(called) = float_function(function, args.len()) => {
            Ok(Val::call(called, args.iter().map(to_val).collect::<Result<_, _>>()?))
        }
        (_, [a]) => {
            if let Some(op) = UnOp::ALL.iter().find(|op| op.text() == function) {
                return Ok(Val::un(*op, to_val(a)?));
            }
            match Scalar::parse(function) {
                Some(to) => Ok(Val::convert(to, to_val(a)?)),
                None => no_function(spot, function, 1),
            }
        }
        (_, [a, b]) => match BinOp::ALL.iter().find(|op| op.text() == function) {
            Some(op) => Ok(Val::bin(*op, to_val(a)?, to_val(b)?)),
            None => no_function(spot, function, 2),
        },
        _ => no_function(spot, function, args.len()),
    }
}

/// The function of floats with this name and this many operands.
fn float_function(name: &str, operands: usize) -> Option<Function> {
    Function::ALL.iter().copied().find(|function| function.name() == name && function.arity() == operands)
}

fn no_function(spot: &Spot, name: &str, operands: usize) -> Result<Val, ParseError> {
    let operands = match operands {
        1 => "one value".to_owned(),
        2 => "two values".to_owned(),
        n => format!("{n} values"),
    };
    spot.error(format!("`{name}` is no function of {operands}"))
}
