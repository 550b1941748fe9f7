//! Index terms as linear functions of one variable.

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

/// The least or greatest value of `ix` over loops given outermost first by level and extent; `None` where
/// it is not linear in one of them, or a coefficient's sign is not proved.
pub(crate) fn extreme(cx: &mut Cx<'_>, ix: &Ix, loops: &[(u32, Ix)], end: End) -> Option<Ix> {
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
