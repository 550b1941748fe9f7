//! Index terms as linear functions of one variable, and their bounds over loops, also where they are
//! quotients of such.

use atl_kernel::{Ix, IxOp, Pred, Var};
use atl_rules::Cx;

/// `ix = coefficient * v + rest` with neither mentioning the variable; `None` where it is not of this form.
pub(crate) fn linear(ix: &Ix, v: u32) -> Option<(Ix, Ix)> {
    if !ix.mentions(v) {
        return Some((Ix::ZERO, ix.clone()));
    }
    match ix {
        Ix::Var(Var::Free(l)) if *l == v => Some((Ix::ONE, Ix::ZERO)),
        Ix::Bin(op, ab) => {
            let ((c, r), (d, s)) = (linear(&ab.0, v)?, linear(&ab.1, v)?);
            match op {
                IxOp::Add => Some((c + d, r + s)),
                IxOp::Sub => Some((c - d, r - s)),
                IxOp::Mul if d == Ix::ZERO => Some((c * s.clone(), r * s)),
                IxOp::Mul if c == Ix::ZERO => Some((r.clone() * d, r * s)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Which end of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// The least value.
    Low,
    /// The greatest value.
    High,
}

impl End {
    fn other(self) -> End {
        if self == End::Low { End::High } else { End::Low }
    }

    /// The end of a factor at which its product with this term has this one; none where the term's sign is
    /// not known.
    fn times(self, cx: &mut Cx<'_>, factor: &Ix) -> Option<End> {
        if cx.proves(&Pred::le(Ix::ZERO, factor.clone())) {
            return Some(self);
        }
        cx.proves(&Pred::le(factor.clone(), Ix::ZERO)).then(|| self.other())
    }
}

/// A bound of `ix` from below or above over loops given outermost first by level and extent: its least or
/// greatest value, or one beyond where it is a `min` or `max`. `None` where what it is made of is not linear
/// in one of the loops, nor a quotient by what does not depend on them, or a sign is not proved.
pub(crate) fn extreme(cx: &mut Cx<'_>, ix: &Ix, loops: &[(u32, Ix)], end: End) -> Option<Ix> {
    if let Ix::Bin(op @ (IxOp::Min | IxOp::Max), ab) = ix {
        let (a, b) = (extreme(cx, &ab.0, loops, end)?, extreme(cx, &ab.1, loops, end)?);
        // Of `max(a, b)`, both are bounds from below; a bound from above is above both.
        let either = (*op == IxOp::Max) == (end == End::Low);
        return Some(if either { nearer(cx, a, b, end) } else { outer(cx, a, b, end) });
    }
    match has_quotient(ix, loops) {
        true => of_parts(cx, ix, loops, end),
        false => of_linear(cx, ix, loops, end),
    }
}

/// Does one of the loops' indices stand in a quotient?
pub(crate) fn has_quotient(ix: &Ix, loops: &[(u32, Ix)]) -> bool {
    match ix {
        Ix::Bin(IxOp::Div, _) => loops.iter().any(|(level, _)| ix.mentions(*level)),
        Ix::Bin(_, ab) => has_quotient(&ab.0, loops) || has_quotient(&ab.1, loops),
        Ix::Lit(_) | Ix::Var(_) | Ix::Read(..) => false,
    }
}

/// [`extreme`] from those of an operation's operands: a quotient rises with what is divided.
fn of_parts(cx: &mut Cx<'_>, ix: &Ix, loops: &[(u32, Ix)], end: End) -> Option<Ix> {
    let Ix::Bin(op, ab) = ix else { return None };
    let (a, b) = &**ab;
    let is_free = |ix: &Ix| loops.iter().all(|(level, _)| !ix.mentions(*level));
    match op {
        IxOp::Add => Some(extreme(cx, a, loops, end)? + extreme(cx, b, loops, end)?),
        IxOp::Sub => Some(extreme(cx, a, loops, end)? - extreme(cx, b, loops, end.other())?),
        IxOp::Mul if is_free(a) || is_free(b) => {
            let (factor, varies) = if is_free(a) { (a, b) } else { (b, a) };
            let end = end.times(cx, factor)?;
            Some(extreme(cx, varies, loops, end)? * factor.clone())
        }
        IxOp::Div if is_free(b) && cx.proves(&Pred::lt(Ix::ZERO, b.clone())) => {
            Some(extreme(cx, a, loops, end)? / b.clone())
        }
        _ => None,
    }
}

/// [`extreme`] of a linear term.
fn of_linear(cx: &mut Cx<'_>, ix: &Ix, loops: &[(u32, Ix)], end: End) -> Option<Ix> {
    loops.iter().rev().try_fold(ix.clone(), |ix, (level, extent)| {
        let (c, rest) = linear(&ix, *level)?;
        if c == Ix::ZERO {
            return Some(rest);
        }
        let last = || rest.clone() + c.clone() * (extent.clone() - Ix::ONE);
        let rising = cx.proves(&Pred::le(Ix::ZERO, c.clone()));
        if !rising && !cx.proves(&Pred::le(c.clone(), Ix::ZERO)) {
            return None;
        }
        Some(if rising == (end == End::Low) { rest } else { last() })
    })
}

/// The lower or the higher of two ends.
pub(crate) fn outer(cx: &mut Cx<'_>, a: Ix, b: Ix, end: End) -> Ix {
    let (small, large) = if cx.proves(&Pred::le(a.clone(), b.clone())) {
        (a, b)
    } else if cx.proves(&Pred::le(b.clone(), a.clone())) {
        (b, a)
    } else {
        (Ix::min(a.clone(), b.clone()), Ix::max(a, b))
    };
    if end == End::Low { small } else { large }
}

/// Of two bounds the closer one, or else the one that moves with the innermost loop: the box then has one
/// width.
fn nearer(cx: &mut Cx<'_>, a: Ix, b: Ix, end: End) -> Ix {
    let (below, above) = if end == End::Low { (&a, &b) } else { (&b, &a) };
    if cx.proves(&Pred::le(below.clone(), above.clone())) {
        return b;
    }
    if cx.proves(&Pred::le(above.clone(), below.clone())) {
        return a;
    }
    let innermost = |ix: &Ix| (0..cx.ctx.level()).rev().find(|level| ix.mentions(*level));
    if innermost(&b) > innermost(&a) { b } else { a }
}
