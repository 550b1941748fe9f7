//! What a formula of two elements is, over any numbers.
//!
//! The one idea: only what a value is made of is evaluated. A side that is not chosen may have no value,
//! such as a quotient by zero; so may what a `let` binds and nobody reads. It knows no operation on
//! numbers.

use atl_kernel::{Expr, Node, Number, Prim, Scalar, Var};
use std::cell::RefCell;
use std::rc::Rc;

/// The most nodes of formulas that are looked at, and how deep they stand.
const NODES: usize = 2000;
const DEPTH: usize = 100;

/// Numbers and what can be done with them.
pub(super) trait Numbers {
    type Value: Clone;
    /// Why there is no value.
    type Stop: Clone;

    fn literal(&self, scalar: Scalar, number: Number) -> Result<Self::Value, Self::Stop>;
    /// An operation that looks at each operand.
    fn prim(&self, prim: Prim, args: &[Self::Value]) -> Result<Self::Value, Self::Stop>;
    /// A truth value.
    fn truth(&self, value: &Self::Value) -> Result<bool, Self::Stop>;
    /// Of a term that nothing is known of.
    fn unknown(&self) -> Self::Stop;
}

/// What a `let` binds, evaluated when somebody reads it.
struct Bound<'a, N: Numbers> {
    term: &'a Expr,
    around: Scope<'a, N>,
    value: RefCell<Option<Outcome<N>>>,
}

type Scope<'a, N> = Option<Rc<Bound<'a, N>>>;

/// A value, or why there is none.
type Outcome<N> = Result<<N as Numbers>::Value, <N as Numbers>::Stop>;

/// The values of variables, by level.
type Operands<'a, N> = &'a dyn Fn(usize) -> Outcome<N>;

/// The values of terms, of which the tensor variables of the levels from 0 have these.
pub(super) fn values<N: Numbers>(
    numbers: &N,
    terms: &[Expr],
    operands: &[N::Value],
) -> Result<Vec<N::Value>, N::Stop> {
    let operand = |level: usize| operands.get(level).cloned().ok_or_else(|| numbers.unknown());
    terms.iter().map(|term| value(numbers, term, &operand, &None)).collect()
}

/// A tuple of which a field is evaluated when somebody reads it: so what a field is depends on nothing
/// that is decided for others.
pub(super) struct Tuple<'a, N: Numbers> {
    fields: Rc<[RefCell<Option<Outcome<N>>>]>,
    of: Rc<dyn Fn(usize) -> Outcome<N> + 'a>,
}

impl<N: Numbers> Clone for Tuple<'_, N> {
    fn clone(&self) -> Self {
        Tuple { fields: self.fields.clone(), of: self.of.clone() }
    }
}

impl<'a, N: Numbers> Tuple<'a, N> {
    pub(super) fn new(count: usize, of: impl Fn(usize) -> Outcome<N> + 'a) -> Self {
        Tuple { fields: (0..count).map(|_| RefCell::new(None)).collect(), of: Rc::new(of) }
    }

    /// The tuple of these terms, as many as each operand has fields.
    pub(super) fn made(numbers: &'a N, terms: &'a [Expr], operands: Vec<Tuple<'a, N>>) -> Self {
        let count = terms.len();
        let operand = move |level: usize| {
            operands.get(level / count).ok_or_else(|| numbers.unknown())?.field(level % count)
        };
        Tuple::new(count, move |field| value(numbers, &terms[field], &operand, &None))
    }

    pub(super) fn field(&self, field: usize) -> Outcome<N> {
        let known = self.fields[field].borrow().clone();
        known.unwrap_or_else(|| {
            let found = (self.of)(field);
            *self.fields[field].borrow_mut() = Some(found.clone());
            found
        })
    }
}

fn value<'a, N: Numbers>(
    numbers: &N,
    term: &'a Expr,
    operands: Operands<N>,
    scope: &Scope<'a, N>,
) -> Outcome<N> {
    let of = |term: &'a Expr| value(numbers, term, operands, scope);
    match &**term {
        Node::Var(Var::Free(level)) => operands(*level as usize),
        Node::Var(Var::Bound(k)) => {
            let mut at = scope;
            for _ in 0..*k {
                at = at.as_ref().map_or(&None, |bound| &bound.around);
            }
            let bound = at.as_ref().ok_or_else(|| numbers.unknown())?;
            let known = bound.value.borrow().clone();
            known.unwrap_or_else(|| {
                let found = value(numbers, bound.term, operands, &bound.around);
                *bound.value.borrow_mut() = Some(found.clone());
                found
            })
        }
        Node::Lit(elem, number) => numbers.literal(elem.scalar, *number),
        Node::Let(_, bound, body) => {
            let bound = Bound { term: bound, around: scope.clone(), value: RefCell::new(None) };
            value(numbers, body, operands, &Some(Rc::new(bound)))
        }
        Node::Prim(Prim::Where, args) => match &args[..] {
            [which, yes, no] => of(if numbers.truth(&of(which)?)? { yes } else { no }),
            _ => Err(numbers.unknown()),
        },
        // One side that decides does so whatever the other is.
        Node::Prim(prim @ (Prim::And | Prim::Or), args) => match &args[..] {
            [x, y] => {
                let first = of(x)?;
                if numbers.truth(&first)? == (*prim == Prim::Or) { Ok(first) } else { of(y) }
            }
            _ => Err(numbers.unknown()),
        },
        Node::Prim(prim, args) => {
            let args = args.iter().map(of).collect::<Result<Vec<_>, _>>()?;
            numbers.prim(*prim, &args)
        }
        _ => Err(numbers.unknown()),
    }
}

/// Are terms small, and of ordinary scalars alone? In another algebra `+` has another meaning.
pub(super) fn are_scalars<'a>(mut terms: impl Iterator<Item = &'a Expr>) -> bool {
    fn within(term: &Expr, depth: usize, nodes: &mut usize) -> bool {
        *nodes += 1;
        let is_scalar = match &**term {
            Node::Var(_) | Node::Let(..) => true,
            Node::Lit(elem, _) | Node::Prim(Prim::Cast(elem), _) => atl_lang::is_ordinary(*elem),
            Node::Prim(..) => true,
            _ => false,
        };
        is_scalar
            && depth < DEPTH
            && *nodes < NODES
            && term.children().all(|at| term.child(at).is_some_and(|child| within(child, depth + 1, nodes)))
    }
    let mut nodes = 0;
    terms.all(|term| within(term, 0, &mut nodes))
}

/// Is this so of an operation or a literal of a term?
pub(super) fn any(term: &Expr, is: &mut dyn FnMut(&Node) -> bool) -> bool {
    is(term) || term.children().any(|at| term.child(at).is_some_and(|child| any(child, is)))
}

/// Does a term only compare and choose? Then it has one meaning in every order.
pub(super) fn chooses(term: &Expr) -> bool {
    use Prim::{And, Eq, Le, Lt, Max, Min, Not, Or, Where};
    let other = |node: &Node| match node {
        Node::Prim(prim, _) => !matches!(prim, Where | Eq | Lt | Le | And | Or | Not | Min | Max),
        Node::Var(_) | Node::Lit(..) | Node::Let(..) => false,
        _ => true,
    };
    !any(term, &mut |node| other(node))
}
