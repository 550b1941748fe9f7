//! Scalars of the normal form as values of the loop IR.

use crate::cx::LowerCx;
use crate::error::LowerError;
use atl_kernel::{Elem, Expr, Ix, Node, Number, Pred, Prim, Scalar};
use atl_loops::{BinOp, Bool, CmpOp, Int, Literal, ReduceOp, UnOp, Val};
use atl_semirings::instances::PLUS_TIMES;
use atl_semirings::{Constant, Multiplication, Op, Ops};

/// The parts that a product by a formula may have, with those of its operands wherever they stand.
const MOST_PARTS: usize = 1 << 14;

/// A value and the element type that it has in the term.
type Typed = (Val, Elem);

/// The operations of an element type's algebra.
pub(crate) fn operations(elem: Elem) -> Result<Ops, LowerError> {
    atl_semirings::of(elem.algebra).and_then(|s| s.on(elem.scalar)).ok_or(LowerError::NoOperations(elem))
}

/// The reduction that a sum over this element type performs.
pub(crate) fn reduction(elem: Elem) -> Result<ReduceOp, LowerError> {
    Ok(match operations(elem)?.add {
        Op::Add => ReduceOp::Add,
        Op::Mul => ReduceOp::Mul,
        Op::Min => ReduceOp::Min,
        Op::Max => ReduceOp::Max,
        Op::Or => ReduceOp::Or,
        Op::And => ReduceOp::And,
        Op::Own(_) => return Err(LowerError::NoOperations(elem)),
    })
}

/// The algebra's zero.
pub(crate) fn zero(elem: Elem) -> Result<Val, LowerError> {
    constant(elem, operations(elem)?.zero)
}

fn constant(elem: Elem, constant: Constant) -> Result<Val, LowerError> {
    let literal = match constant {
        Constant::Int(n) => Literal::decimal(elem.scalar, n, 0),
        Constant::PosInf => Some(Literal::greatest(elem.scalar)).filter(|_| elem.scalar.is_float()),
        Constant::NegInf => Some(Literal::least(elem.scalar)).filter(|_| elem.scalar.is_float()),
    };
    literal.map(Val::Lit).ok_or(LowerError::NoOperations(elem))
}

/// The value of a scalar.
pub(crate) fn value(cx: &mut LowerCx<'_>, e: &Expr) -> Result<Val, LowerError> {
    Ok(typed(cx, e)?.0)
}

fn typed(cx: &mut LowerCx<'_>, e: &Expr) -> Result<Typed, LowerError> {
    match &**e {
        Node::Lit(elem, number) => Ok((literal(e, *elem, *number)?, *elem)),
        Node::Index(elem, ix) => {
            let value = Val::OfInt(cx.translate_ix(ix)?);
            Ok((if elem.scalar == Scalar::I64 { value } else { Val::convert(elem.scalar, value) }, *elem))
        }
        Node::Var(_) | Node::Get(..) => load(cx, e),
        Node::Prim(prim, args) => {
            let args = args.iter().map(|arg| typed(cx, arg)).collect::<Result<Vec<_>, _>>()?;
            apply(*prim, args)
        }
        Node::View(algebra, body) => {
            let (value, elem) = typed(cx, body)?;
            Ok((value, Elem { algebra: algebra.0, ..elem }))
        }
        Node::Guard(p, body) => {
            let cond = cx.translate_pred(p)?;
            let (value, elem) = cx.assuming(p.clone(), |cx| typed(cx, body))?;
            Ok((choose(cond, value, zero(elem)?), elem))
        }
        Node::Select(p, a, b) => {
            let cond = cx.translate_pred(p)?;
            let (then, elem) = cx.assuming(p.clone(), |cx| typed(cx, a))?;
            let (otherwise, _) = cx.assuming(Pred::not(p.clone()), |cx| typed(cx, b))?;
            Ok((choose(cond, then, otherwise), elem))
        }
        Node::Gen(..)
        | Node::Sum(..)
        | Node::Let(..)
        | Node::Op(..)
        | Node::Bundle(..)
        | Node::Iterate(_) => Err(LowerError::NotNormal(e.clone())),
    }
}

fn literal(e: &Expr, elem: Elem, of: Number) -> Result<Val, LowerError> {
    number(elem, of).map_err(|why| match of {
        Number::Zero | Number::One => why,
        _ => LowerError::Literal(e.clone()),
    })
}

/// A number, of which zero and one are those of the algebra.
pub(crate) fn number(elem: Elem, number: Number) -> Result<Val, LowerError> {
    match number {
        Number::Zero => zero(elem),
        Number::One => constant(elem, operations(elem)?.one),
        number => numeral(elem, number),
    }
}

/// A number as it is written; zero and one are those of numbers.
fn numeral(elem: Elem, number: Number) -> Result<Val, LowerError> {
    let written = |mantissa, exponent| {
        let literal = Literal::decimal(elem.scalar, mantissa, exponent);
        literal.map(Val::Lit).ok_or(LowerError::NoOperations(elem))
    };
    match number {
        Number::Zero => written(0, 0),
        Number::One => written(1, 0),
        Number::Decimal(mantissa, exponent) => written(mantissa, exponent),
        Number::Infinity => constant(elem, Constant::PosInf),
        Number::NegInfinity => constant(elem, Constant::NegInf),
    }
}

/// An access to a variable at its full rank.
fn load(cx: &mut LowerCx<'_>, e: &Expr) -> Result<Typed, LowerError> {
    let mut index: Vec<Ix> = Vec::new();
    let mut head = e;
    while let Node::Get(array, ix) = &**head {
        index.insert(0, ix.clone());
        head = array;
    }
    let Node::Var(v) = &**head else { return Err(LowerError::NotNormal(e.clone())) };
    let buffer = cx.buffer(*v)?.clone();
    if buffer.extents.len() != index.len() {
        return Err(LowerError::NotNormal(e.clone()));
    }
    let cell = if index.is_empty() { Int::Lit(0) } else { cx.cell(&buffer, &index)? };
    Ok((Val::load(buffer.name, cell), buffer.elem))
}

/// A pointwise operation on values.
fn apply(prim: Prim, args: Vec<Typed>) -> Result<Typed, LowerError> {
    let refused = Err(LowerError::Operation(prim));
    if let (Prim::Call(function), [(_, elem), ..]) = (prim, &args[..]) {
        let elem = *elem;
        return Ok((Val::call(function, args.into_iter().map(|(a, _)| a).collect()), elem));
    }
    let mut args = args.into_iter();
    match (args.next(), args.next(), args.next()) {
        (Some((a, elem)), None, None) => match (prim, UnOp::of(prim)) {
            (Prim::Cast(to), _) => Ok((Val::convert(to.scalar, a), to)),
            (_, Some(op)) => Ok((Val::un(op, a), elem)),
            (_, None) => refused,
        },
        (Some((a, elem)), Some((b, _)), None) => match operator(prim, elem)? {
            Some(Op::Own(own)) => Ok((product(own, elem, &a, &b)?, elem)),
            _ => match (operation(prim, elem)?, CmpOp::of(prim)) {
                (Some(op), _) => Ok((Val::bin(op, a, b), elem)),
                (None, Some(op)) => Ok((Val::cmp(op, a, b), Elem { scalar: Scalar::Bool, ..elem })),
                (None, None) => refused,
            },
        },
        (Some((c, _)), Some((a, elem)), Some((b, _))) if prim == Prim::Where => {
            Ok((Val::select_val(c, a, b), elem))
        }
        _ => refused,
    }
}

/// The algebra's operation that this is.
fn operator(prim: Prim, elem: Elem) -> Result<Option<Op>, LowerError> {
    Ok(match prim {
        Prim::Add => Some(operations(elem)?.add),
        Prim::Mul => Some(operations(elem)?.mul),
        _ => None,
    })
}

/// The machine's operation for one on two operands; none for a comparison, or a product by a formula.
pub(crate) fn operation(prim: Prim, elem: Elem) -> Result<Option<BinOp>, LowerError> {
    Ok(operator(prim, elem)?.map_or_else(|| BinOp::of(prim), machine))
}

/// A product by a program's own formula, in which the operands stand as often as it names them.
fn product(own: &Multiplication, elem: Elem, a: &Val, b: &Val) -> Result<Val, LowerError> {
    let parts = |val: &Val| {
        let mut parts = 0usize;
        val.for_each(&mut |_| parts += 1);
        parts
    };
    let size = own.formula.size(parts(a), parts(b));
    if size > MOST_PARTS {
        return Err(LowerError::Product(elem, size));
    }
    let plain = Elem { algebra: &PLUS_TIMES, ..elem };
    let operands = ((a.clone(), plain), (b.clone(), plain));
    let number = |n| Ok((numeral(elem, n)?, plain));
    Ok(own.formula.fold((&operands.0, &operands.1), &number, &apply)?.0)
}

/// A selection, decided where its condition is.
fn choose(cond: Bool, then: Val, otherwise: Val) -> Val {
    match cond {
        Bool::Lit(true) => then,
        Bool::Lit(false) => otherwise,
        cond => Val::select(cond, then, otherwise),
    }
}

/// The machine's operation; a formula is none.
fn machine(op: Op) -> Option<BinOp> {
    Some(match op {
        Op::Add => BinOp::Add,
        Op::Mul => BinOp::Mul,
        Op::Min => BinOp::Min,
        Op::Max => BinOp::Max,
        Op::Or => BinOp::Or,
        Op::And => BinOp::And,
        Op::Own(_) => return None,
    })
}
