//! What the equations of coordinates in a term say: whether operands meet, and which loop an equation
//! eliminates.
//!
//! Nothing is rewritten here.

use crate::conjuncts::conjuncts;
use atl_kernel::poly::{Atom, Poly};
use atl_kernel::{Cmp, Expr, Ix, IxOp, LoopKind, Node, Pred, subst};
use std::sync::Arc;

/// Do two sparse operands meet at an index, so that each coordinate of one is compared with all of the
/// other's? Or is an index compared with all coordinates, whatever it is? A sum that searches compares few.
/// What a `let` stores, whose turn may come yet, is not looked at.
pub fn meets(e: &Expr) -> bool {
    meet(e, &mut Vec::new())
}

/// A binder around a place.
enum Around {
    /// A loop that runs over all of this extent.
    Loop(Ix),
    /// A sum that searches.
    Search,
    /// A `let`.
    Let,
}

/// The same below these binders; a binder's place is its level, counted from the outermost.
fn meet(e: &Expr, around: &mut Vec<Around>) -> bool {
    if let Node::Guard(p, _) = &**e
        && conjuncts(p).iter().any(|part| is_coordinate(part) && compares(part, around))
    {
        return true;
    }
    e.children().any(|at| {
        let Some(child) = e.child(at) else { return false };
        let binders = e.binds(at);
        if binders == 0 {
            return !(matches!(**e, Node::Let(..)) && is_stored(child)) && meet(child, around);
        }
        let binder = match &**e {
            Node::Sum(l, ..) if l.kind == LoopKind::Search => Around::Search,
            Node::Gen(_, n, _) | Node::Sum(_, n, _) => Around::Loop(n.clone()),
            _ => Around::Let,
        };
        let outside = around.len();
        let child = subst::open_all(child, level(outside), binders);
        around.extend((1..binders).map(|_| Around::Let));
        around.push(binder);
        let found = meet(&child, around);
        around.truncate(outside);
        found
    })
}

/// The level of a binder below this number of others; levels are above all that a context has.
pub(crate) fn level(depth: usize) -> u32 {
    (u32::MAX / 2).saturating_add(u32::try_from(depth).unwrap_or(u32::MAX / 2))
}

/// Does the equation compare what different loops run over, neither of which depends on the other? In a
/// search it does not.
fn compares(p: &Pred, around: &[Around]) -> bool {
    let Pred::Cmp(_, a, b) = p else { return false };
    let own = |ix: &Ix, other: &Ix| -> Vec<usize> {
        let binders = 0..around.len();
        let is_own = |k: &usize| ix.mentions(level(*k)) && !other.mentions(level(*k));
        binders.filter(is_own).collect()
    };
    let bounded =
        |inner: usize, outer: usize| matches!(&around[inner], Around::Loop(n) if n.mentions(level(outer)));
    let apart = |x: usize, y: usize| !bounded(x, y) && !bounded(y, x);
    let (left, right) = (own(a, b), own(b, a));
    let searches = left.iter().chain(&right).any(|k| matches!(around[*k], Around::Search));
    !searches && left.iter().any(|x| right.iter().any(|y| apart(*x, *y)))
}

/// Do elements of arrays say where the elements of this tensor stand?
pub fn is_placed(e: &Expr) -> bool {
    let here = match &**e {
        Node::Guard(p, _) => {
            conjuncts(p).iter().any(|part| matches!(part, Pred::Cmp(_, a, b) if reads(a) || reads(b)))
        }
        Node::Op(def, ixs, _) => def.name == "one_hot" && ixs.iter().any(reads),
        _ => false,
    };
    here || e.children().filter_map(|at| e.child(at)).any(is_placed)
}

/// Is it elements of one array, in loops and guards that say where they stand?
fn is_stored(e: &Expr) -> bool {
    match &**e {
        Node::Gen(_, _, body) | Node::Sum(_, _, body) | Node::Guard(_, body) => is_stored(body),
        Node::Op(def, _, args) if def.name == "one_hot" => is_stored(&args[0]),
        Node::Get(array, _) => matches!(**array, Node::Var(_)),
        _ => false,
    }
}

/// Is the conjunct an equation of a coordinate with an element of an array?
pub(crate) fn is_coordinate(p: &Pred) -> bool {
    let fixed = |ix: &Ix| matches!(ix, Ix::Lit(_));
    matches!(p, Pred::Cmp(Cmp::Eq, a, b) if (reads(a) || reads(b)) && !fixed(a) && !fixed(b))
}

/// Does the index term read an array?
pub fn reads(ix: &Ix) -> bool {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => false,
        Ix::Bin(_, ab) => reads(&ab.0) || reads(&ab.1),
        Ix::Read(..) => true,
    }
}

/// Is it such an equation of elements? One of blocks, `i / 2 == crd[p]`, says where an element stands only in
/// a loop that is cut.
pub(crate) fn is_of_element(p: &Pred) -> bool {
    let is_block = |ix: &Ix| matches!(ix, Ix::Bin(IxOp::Div, ab) if matches!(ab.1, Ix::Lit(_)) && !reads(ix));
    is_coordinate(p) && !matches!(p, Pred::Cmp(_, a, b) if is_block(a) || is_block(b))
}

/// Does the loop run over positions, as many as arrays say?
pub(crate) fn is_over_positions(e: &Expr) -> bool {
    matches!(&**e, Node::Sum(_, n, _) if reads(n))
}

/// Is how often the loop runs not known?
pub(crate) fn is_long(e: &Expr) -> bool {
    matches!(&**e, Node::Sum(_, n, _) if !matches!(n, Ix::Lit(_)))
}

/// Is it a sum over positions, below guards and other such sums?
pub(crate) fn is_sparse(e: &Expr) -> bool {
    match &**e {
        Node::Guard(p, body) => conjuncts(p).iter().any(is_coordinate) || is_sparse(body),
        Node::Sum(_, _, body) => is_sparse(body),
        _ => false,
    }
}

/// Is there, below sums whose extents do not depend on it, an equation for the loop that binds `level`?
pub(crate) fn is_determined_by_equation(e: &Expr, level: u32, fresh: u32) -> bool {
    is_determined_by(e, level, fresh, is_coordinate)
}

/// The same for equations of one sort.
pub(crate) fn is_determined_by(e: &Expr, level: u32, fresh: u32, counts: fn(&Pred) -> bool) -> bool {
    match &**e {
        Node::Guard(p, body) => {
            conjuncts(p).iter().any(|part| counts(part) && determines(part, level))
                || is_determined_by(body, level, fresh, counts)
        }
        Node::Sum(_, n, body) => {
            !n.mentions(level) && is_determined_by(&subst::open(body, fresh), level, fresh + 1, counts)
        }
        _ => false,
    }
}

/// Do conditions of one sort, or extents, of these sums depend on the index at this level?
pub(crate) fn conditions_depend_on(e: &Expr, level: u32, counts: fn(&Pred) -> bool) -> bool {
    match &**e {
        Node::Guard(p, body) => {
            conjuncts(p).iter().any(|part| counts(part) && part.mentions(level))
                || conditions_depend_on(body, level, counts)
        }
        Node::Sum(_, n, body) => n.mentions(level) || conditions_depend_on(body, level, counts),
        _ => false,
    }
}

/// Is the conjunct an equation that says what the index at this level is?
pub(crate) fn determines(p: &Pred, level: u32) -> bool {
    let Pred::Cmp(Cmp::Eq, a, b) = p else { return false };
    let Ok(Ok(difference)) = Poly::of(a).map(|a| Poly::of(b).and_then(|b| a.minus(&b))) else { return false };
    let index = |m: &[Arc<Atom>]| matches!(m, [atom] if **atom == Atom::Var(level));
    let once = difference.terms().filter(|(m, c)| index(m) && c.abs() == 1).count() == 1;
    let elsewhere = |m: &[Arc<Atom>]| !index(m) && m.iter().any(|atom| within(atom, level));
    once && !difference.terms().any(|(m, _)| elsewhere(m))
}

/// Does the variable at this level occur in the atom?
fn within(atom: &Atom, level: u32) -> bool {
    let part = |p: &Poly| p.terms().any(|(m, _)| m.iter().any(|atom| within(atom, level)));
    match atom {
        Atom::Var(l) => *l == level,
        Atom::Div(p, q) | Atom::Min(p, q) | Atom::Max(p, q) => part(p) || part(q),
        Atom::Read(_, at) => at.iter().any(part),
    }
}
