//! Index terms and predicates as syntax.

use super::names::Names;
use atl_diag::Span;
use atl_kernel::{Cmp, Ix, IxOp, Pred, Var};
use atl_syntax::ast::{AccessKind, BinaryOp, CompareOp, Expr, ExprKind, Name, UnaryOp};

/// Syntax that is written nowhere.
pub(crate) fn at(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::default())
}

/// A name that is written nowhere.
pub(crate) fn name(text: &str) -> Name {
    Name::new(text, Span::default())
}

/// A call of a function.
pub(crate) fn call(callee: &str, args: Vec<Expr>) -> Expr {
    at(ExprKind::Call { callee: name(callee), args })
}

/// An infix operation.
pub(crate) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    at(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

/// A chain of one comparison.
pub(crate) fn compare(op: CompareOp, a: Expr, b: Expr) -> Expr {
    at(ExprKind::Compare(Box::new(a), vec![(op, b)]))
}

/// The expression with a minus or a `!` before it.
pub(crate) fn unary(op: UnaryOp, a: Expr) -> Expr {
    at(ExprKind::Unary(op, Box::new(a)))
}

/// A nonnegative integer, or a negative one.
pub(crate) fn integer(n: i64) -> Expr {
    let digits = at(ExprKind::Int(n.unsigned_abs()));
    if n < 0 { unary(UnaryOp::Neg, digits) } else { digits }
}

/// An index term without bound variables.
pub(crate) fn index(names: &Names, ix: &Ix) -> Expr {
    let (op, a, b) = match ix {
        // Its absolute value is no literal.
        Ix::Lit(i64::MIN) => return binary(BinaryOp::Sub, integer(i64::MIN + 1), integer(1)),
        Ix::Lit(n) => return integer(*n),
        Ix::Var(Var::Free(level)) => return at(ExprKind::Name(names.at(*level).to_owned())),
        Ix::Var(Var::Bound(_)) => return at(ExprKind::Hole),
        Ix::Bin(op, ab) => (*op, &ab.0, &ab.1),
        Ix::Read(array, indices) => {
            let base = match array {
                Var::Free(level) => ExprKind::Name(names.at(*level).to_owned()),
                Var::Bound(_) => ExprKind::Hole,
            };
            // A scalar has no indices to write.
            if indices.is_empty() {
                return at(base);
            }
            let indices = indices.iter().map(|i| index(names, i)).collect();
            return at(ExprKind::Access { kind: AccessKind::Plain, base: Box::new(at(base)), indices });
        }
    };
    if let Some((a, b)) = as_ceil_div(ix) {
        return call("ceil_div", vec![index(names, a), index(names, b)]);
    }
    let (x, y) = (index(names, a), index(names, b));
    match op {
        IxOp::Add => binary(BinaryOp::Add, x, y),
        IxOp::Sub => binary(BinaryOp::Sub, x, y),
        IxOp::Mul => binary(BinaryOp::Mul, x, y),
        IxOp::Div => binary(BinaryOp::Div, x, y),
        IxOp::Mod => binary(BinaryOp::Rem, x, y),
        IxOp::Min => call("min", vec![x, y]),
        IxOp::Max => call("max", vec![x, y]),
    }
}

/// The arguments of a `ceil_div` that is exactly this term.
fn as_ceil_div(ix: &Ix) -> Option<(&Ix, &Ix)> {
    let Ix::Bin(IxOp::Div, nd) = ix else { return None };
    let (Ix::Bin(IxOp::Sub | IxOp::Add, top), d) = (&nd.0, &nd.1) else { return None };
    let Ix::Bin(IxOp::Add, sum) = &top.0 else { return None };
    (Ix::ceil_div(sum.0.clone(), d.clone()) == *ix).then_some((&sum.0, d))
}

/// A predicate without bound variables.
pub(crate) fn predicate(names: &Names, p: &Pred) -> Expr {
    compared(p, &|ix| index(names, ix))
}

/// The same at a place where a comparison may be of elements, too: what reads one is `index(x[i])`.
pub(crate) fn condition(names: &Names, p: &Pred) -> Expr {
    compared(p, &|ix| match reads(ix) {
        true => call("index", vec![index(names, ix)]),
        false => index(names, ix),
    })
}

fn reads(ix: &Ix) -> bool {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => false,
        Ix::Bin(_, ab) => reads(&ab.0) || reads(&ab.1),
        Ix::Read(..) => true,
    }
}

/// A predicate, by what the sides of its comparisons are.
fn compared(p: &Pred, side: &dyn Fn(&Ix) -> Expr) -> Expr {
    match p {
        Pred::True => at(ExprKind::Bool(true)),
        Pred::False => at(ExprKind::Bool(false)),
        Pred::Cmp(cmp, a, b) => compare(sign(*cmp), side(a), side(b)),
        Pred::Not(q) => match &**q {
            Pred::Cmp(Cmp::Eq, a, b) => compare(CompareOp::Ne, side(a), side(b)),
            q => unary(UnaryOp::Not, compared(q, side)),
        },
        Pred::And(pq) => match &**pq {
            // `0 <= i && i < n` is `0 <= i < n`.
            (Pred::Cmp(f, a, b), Pred::Cmp(g, c, d)) if b == c && *f != Cmp::Eq && *g != Cmp::Eq => {
                let rest = vec![(sign(*f), side(b)), (sign(*g), side(d))];
                at(ExprKind::Compare(Box::new(side(a)), rest))
            }
            (p, q) => binary(BinaryOp::And, compared(p, side), compared(q, side)),
        },
        Pred::Or(pq) => binary(BinaryOp::Or, compared(&pq.0, side), compared(&pq.1, side)),
    }
}

fn sign(cmp: Cmp) -> CompareOp {
    match cmp {
        Cmp::Eq => CompareOp::Eq,
        Cmp::Lt => CompareOp::Lt,
        Cmp::Le => CompareOp::Le,
    }
}
