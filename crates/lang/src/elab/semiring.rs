//! Semirings that a file declares: `semiring NAME { carrier …; zero …; one …; add …; mul …; laws …; }`, the last at will.
//!
//! The one idea: a declaration is data. What is read here is which machine operations and which constants it names; whether
//! the laws hold that it claims is not this file's business: whoever loads a program tests them before anything rests on them.

use crate::decimal;
use atl_diag::spelling;
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Laws, Number, Prim, Scalar};
use atl_semirings::{Carrier, Constant, Formula, Op, Ops, SEMIRING, Semiring, declare, multiplication};
use atl_syntax::ast::{self, Argument, BinaryOp, CompareOp, Expr, ExprKind, Step, UnaryOp};
use std::collections::BTreeMap;

/// The semirings that a file declares, by name.
pub(crate) type Semirings = BTreeMap<String, &'static Semiring>;

/// A declared semiring, and where it claims its laws.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// What it is.
    pub semiring: &'static Semiring,
    /// Where the claims are written.
    pub claims: Span,
}

type Read<T> = Result<T, Box<Diagnostic>>;

/// A formula names an operand at most so often.
const MOST_USES: usize = 8;

/// Bounds of a carrier are exact as floats.
const GREATEST_BOUND: u128 = 1 << 53;

const FIELDS: [&str; 6] = ["carrier", "zero", "one", "add", "mul", "laws"];

const FORM: &str = "a semiring is written \
    `semiring NAME { carrier f64 from 0 to 1; zero 0; one 1; add max(a, b); mul a * b; laws commutative, idempotent; }`";

/// What formulas are made of.
const PARTS: &str = "a formula has `a`, `b`, numbers, `x + y`, `x - y`, `x * y`, `min(x, y)`, `max(x, y)`, `abs(x)` and \
    `select(condition, x, y)`; its conditions are comparisons, joined by `&&`, `||` and `!`";

fn refused(span: Span, message: String) -> Box<Diagnostic> {
    Box::new(err!(E0253, span, "{message}").help(FORM))
}

/// What the declaration says.
///
/// # Errors
/// Why it is none.
pub(crate) fn semiring(item: &ast::Semiring) -> Read<Declared> {
    if atl_semirings::by_name(&item.name.text).is_some() || Scalar::parse(&item.name.text).is_some() {
        let taken = err!(E0207, item.name.span, "`{}` is an element type of the language", item.name.text);
        return Err(Box::new(taken.label("choose another name")));
    }
    for (k, field) in item.fields.iter().enumerate() {
        let name = &field.name;
        if !FIELDS.contains(&name.text.as_str()) {
            let unknown = refused(name.span, format!("a semiring has no `{}`", name.text));
            return Err(match spelling::closest(&name.text, FIELDS.into_iter()) {
                Some(close) => {
                    Box::new(unknown.suggest(format!("did you mean `{close}`?"), name.span, close))
                }
                None => unknown,
            });
        }
        if item.fields[..k].iter().any(|before| before.name.text == name.text) {
            return Err(refused(name.span, format!("`{}` is said twice", name.text)));
        }
        if !field.blocks.is_empty() {
            return Err(refused(field.span, format!("`{}` takes no block", name.text)));
        }
    }
    let field = |name: &str| {
        let found = item.fields.iter().find(|field| field.name.text == name);
        found
            .ok_or_else(|| refused(item.name.span, format!("`{}` does not say its `{name}`", item.name.text)))
    };
    let (scalar, carrier) = carrier(field("carrier")?)?;
    let constant_of = |name| constant(&only(field(name)?)?.value, scalar);
    let (zero, one) = (constant_of("zero")?, constant_of("one")?);
    let formula_of = |name| {
        let value = &only(field(name)?)?.value;
        Ok::<_, Box<Diagnostic>>((formula(value, scalar, Kind::Element)?, value.span))
    };
    let ((add, at), (mul, mul_at)) = (formula_of("add")?, formula_of("mul")?);
    let add = operation(&add).ok_or_else(|| {
        Box::new(
            err!(E0253, at, "the addition of a semiring is one operation of the machine")
                .label("of `a` and `b`, in this order")
                .help("there are `a + b`, `a * b`, `min(a, b)`, `max(a, b)`, and of truth values `a || b`, `a && b`"),
        )
    })?;
    if mul.size(1, 0).max(mul.size(0, 1)) > mul.size(0, 0) + MOST_USES {
        return Err(refused(mul_at, format!("a formula names an operand at most {MOST_USES} times")));
    }
    let mul = operation(&mul).unwrap_or_else(|| Op::Own(multiplication(scalar, mul)));
    let claimed = field("laws").ok();
    let laws = claimed.map_or(Ok(SEMIRING), laws)?;
    let ops = Ops { add, zero, mul, one };
    Ok(Declared {
        semiring: declare(&item.name.text, scalar, carrier, ops, laws),
        claims: claimed.map_or(item.name.span, |field| field.span),
    })
}

/// The argument of a field that has one and no clause.
fn only(field: &Step) -> Read<&Argument> {
    match (&field.args[..], &field.clauses[..]) {
        ([argument], []) if argument.name.is_none() => Ok(argument),
        _ => Err(refused(field.span, format!("`{}` takes one expression", field.name.text))),
    }
}

/// `carrier f64`, `carrier f64 from 0 to inf`.
fn carrier(field: &Step) -> Read<(Scalar, Carrier)> {
    let form = || refused(field.span, "a carrier is a type of numbers, or part of one".to_owned());
    let [ty] = &field.args[..] else { return Err(form()) };
    let name = ty.as_name().ok_or_else(form)?;
    let scalar = Scalar::parse(&name.text)
        .ok_or_else(|| refused(name.span, format!("there is no element type `{}`", name.text)))?;
    let bound = |clause: &ast::Clause, word| match &clause.args[..] {
        [bound] if clause.word.text == word && scalar != Scalar::Bool => constant(&bound.value, scalar),
        _ => Err(form()),
    };
    match &field.clauses[..] {
        [] => Ok((scalar, Carrier::Real)),
        [from, to] => {
            let (least, greatest) = (bound(from, "from")?, bound(to, "to")?);
            if least.to_f64() >= greatest.to_f64() {
                return Err(refused(field.span, "a carrier goes from a number up to another".to_owned()));
            }
            Ok((scalar, Carrier::Between(least, greatest)))
        }
        _ => Err(form()),
    }
}

/// An integer or an infinity; `true` or `false` of truth values.
fn constant(e: &Expr, scalar: Scalar) -> Read<Constant> {
    let wrong = |what: &str| refused(e.span, format!("this is no {what} of `{scalar}`"));
    match (formula(e, scalar, Kind::Element)?, &e.kind) {
        (Formula::Number(Number::Decimal(n, 0)), _) if n.unsigned_abs() < GREATEST_BOUND => {
            Ok(Constant::Int(n))
        }
        (Formula::Number(Number::Infinity), _) => Ok(Constant::PosInf),
        (Formula::Number(Number::NegInfinity), _) => Ok(Constant::NegInf),
        _ => Err(wrong("integer of at most 53 bits, nor an infinity")),
    }
}

/// What a part of a formula is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// An element of the carrier's type.
    Element,
    /// A truth value, which a comparison gives.
    Truth,
}

/// A term in `a` and `b`.
fn formula(e: &Expr, scalar: Scalar, kind: Kind) -> Read<Formula> {
    let truth = kind == Kind::Truth || scalar == Scalar::Bool;
    let wrong = || unfit(e, scalar, truth);
    let two = |prim, a, b, kind| {
        Ok(Formula::Apply(prim, vec![formula(a, scalar, kind)?, formula(b, scalar, kind)?]))
    };
    let not = |p| Formula::Apply(Prim::Not, vec![p]);
    match &e.kind {
        ExprKind::Name(name) if kind == Kind::Element || scalar == Scalar::Bool => match name.as_str() {
            "a" => Ok(Formula::Left),
            "b" => Ok(Formula::Right),
            "inf" if scalar.is_float() => Ok(Formula::Number(Number::Infinity)),
            _ => Err(wrong()),
        },
        ExprKind::Bool(value) if scalar == Scalar::Bool => {
            Ok(Formula::Number(Number::Decimal(i128::from(*value), 0)))
        }
        ExprKind::Int(_) | ExprKind::Float(_) if !truth => number(e, scalar, false).ok_or_else(wrong),
        ExprKind::Unary(UnaryOp::Neg, a) if !truth => match &a.kind {
            ExprKind::Int(_) | ExprKind::Float(_) => number(a, scalar, true).ok_or_else(wrong),
            ExprKind::Name(name) if name == "inf" && scalar.is_float() => {
                Ok(Formula::Number(Number::NegInfinity))
            }
            _ => Ok(Formula::Apply(Prim::Neg, vec![formula(a, scalar, kind)?])),
        },
        ExprKind::Unary(UnaryOp::Not, a) if truth => Ok(not(formula(a, scalar, kind)?)),
        ExprKind::Binary(op, a, b) => match op {
            BinaryOp::Add if !truth => two(Prim::Add, a, b, kind),
            BinaryOp::Sub if !truth => two(Prim::Sub, a, b, kind),
            BinaryOp::Mul if !truth => two(Prim::Mul, a, b, kind),
            BinaryOp::Or if truth => two(Prim::Or, a, b, kind),
            BinaryOp::And if truth => two(Prim::And, a, b, kind),
            _ => Err(wrong()),
        },
        ExprKind::Compare(first, rest) if truth => match &rest[..] {
            [(op, second)] => match op {
                CompareOp::Eq => two(Prim::Eq, first, second, Kind::Element),
                CompareOp::Ne => two(Prim::Eq, first, second, Kind::Element).map(not),
                CompareOp::Lt => two(Prim::Lt, first, second, Kind::Element),
                CompareOp::Le => two(Prim::Le, first, second, Kind::Element),
                CompareOp::Gt => two(Prim::Lt, second, first, Kind::Element),
                CompareOp::Ge => two(Prim::Le, second, first, Kind::Element),
            },
            _ => Err(wrong()),
        },
        ExprKind::Call { callee, args } => match (callee.text.as_str(), &args[..]) {
            ("min", [a, b]) if !truth => two(Prim::Min, a, b, kind),
            ("max", [a, b]) if !truth => two(Prim::Max, a, b, kind),
            ("abs", [a]) if !truth => Ok(Formula::Apply(Prim::Abs, vec![formula(a, scalar, kind)?])),
            ("select", [p, a, b]) => Ok(Formula::Apply(
                Prim::Where,
                vec![formula(p, scalar, Kind::Truth)?, formula(a, scalar, kind)?, formula(b, scalar, kind)?],
            )),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

/// Why this part is no formula, where a truth value or a number would have to stand.
fn unfit(e: &Expr, scalar: Scalar, truth: bool) -> Box<Diagnostic> {
    let want = if truth { "a truth value" } else { "a number" };
    let (message, help) = match &e.kind {
        ExprKind::Name(name) if name == "inf" && !truth => (
            format!("`{scalar}` has no infinity"),
            "only floats have one; of integers, a bound of the carrier can be the zero".to_owned(),
        ),
        ExprKind::Name(name) if truth && matches!(name.as_str(), "a" | "b") => (
            format!("`{name}` is a number, where a truth value would have to stand"),
            format!("compare it: `{name} == 0`"),
        ),
        ExprKind::Name(name) => {
            (format!("`{name}` is no operand of a formula"), "the operands are called `a` and `b`".to_owned())
        }
        ExprKind::Int(_) | ExprKind::Float(_) if !truth => (
            format!("this is no number of `{scalar}`"),
            "write a number that the carrier's type has".to_owned(),
        ),
        ExprKind::Compare(_, rest) if truth && rest.len() > 1 => {
            let help = "write each comparison alone: `0 <= a && a <= b`";
            ("a formula compares two numbers at a time".to_owned(), help.to_owned())
        }
        ExprKind::Call { callee, args } => {
            let form = match callee.text.as_str() {
                "min" | "max" if !truth => Some((2, format!("{}(x, y)", callee.text))),
                "abs" if !truth => Some((1, "abs(x)".to_owned())),
                "select" => Some((3, "select(condition, x, y)".to_owned())),
                _ => None,
            };
            match form {
                Some((count, form)) if args.len() != count => {
                    let found = format!("`{}` has {count} parts, and {} here", callee.text, args.len());
                    (found, format!("write `{form}`"))
                }
                _ => (format!("`{}` gives no {} in a formula", callee.text, &want[2..]), PARTS.to_owned()),
            }
        }
        _ => (format!("this is no formula of `a` and `b` that gives {want}"), PARTS.to_owned()),
    };
    Box::new(err!(E0253, e.span, "{message}").label(format!("{want} would have to stand here")).help(help))
}

/// A literal, if the type has it.
fn number(e: &Expr, scalar: Scalar, negative: bool) -> Option<Formula> {
    let sign = if negative { "-" } else { "" };
    let (mantissa, exponent) = match &e.kind {
        ExprKind::Int(n) => decimal::parse(&format!("{sign}{n}"))?,
        ExprKind::Float(text) => decimal::parse(&format!("{sign}{text}"))?,
        _ => return None,
    };
    let holds = scalar.range().is_none_or(|(least, greatest)| (least..=greatest).contains(&mantissa));
    let exact = scalar.is_float() || (exponent == 0 && holds);
    exact.then_some(Formula::Number(Number::Decimal(mantissa, exponent)))
}

/// The machine's operation that a formula is.
fn operation(formula: &Formula) -> Option<Op> {
    let Formula::Apply(prim, args) = formula else { return None };
    let op = match prim {
        Prim::Add => Op::Add,
        Prim::Mul => Op::Mul,
        Prim::Min => Op::Min,
        Prim::Max => Op::Max,
        Prim::Or => Op::Or,
        Prim::And => Op::And,
        _ => return None,
    };
    (args[..] == [Formula::Left, Formula::Right]).then_some(op)
}

/// `laws commutative, idempotent`: what is claimed beyond the laws of a semiring.
fn laws(field: &Step) -> Read<Laws> {
    if !field.clauses.is_empty() {
        return Err(refused(field.span, "`laws` takes names".to_owned()));
    }
    field.args.iter().try_fold(SEMIRING, |claimed, argument| {
        match argument.as_name().as_ref().map(|name| name.text.as_str()) {
            Some("commutative") => Ok(claimed.and(Laws::MUL_COMM)),
            Some("idempotent") => Ok(claimed.and(Laws::ADD_IDEM)),
            _ => Err(Box::new(err!(E0253, argument.span, "there is no such law to claim").help(
                "`commutative` says that `a * b = b * a`, `idempotent` that `a + a = a`; those of a semiring are always claimed",
            ))),
        }
    })
}
