//! Core tensor expressions.
//!
//! Binders (`gen`, `sum`, `let`, `iterate`) count together, innermost 0; what is free is a level of the
//! context (see [`Var`]). Labels carry what a person or a printer wants to know about a binder, such as its
//! name or that its loop runs in parallel; they mean nothing, and terms that differ only in labels are equal.

use crate::ix::{Ix, Pred, Var};
use crate::subst::{close_all, instantiate, open_all};
use crate::ty::{Algebra, Elem};
use crate::{define::Definition, function::Function};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// How a loop is to be run. No meaning: lowering prints it after the race check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LoopKind {
    /// One iteration after the other.
    #[default]
    Serial,
    /// Iterations spread over threads.
    Parallel,
    /// Iterations in vector lanes, this many at a time or as many as the machine has.
    Vector(Option<u32>),
    /// The body written out for each iteration.
    Unroll,
    /// The only iteration with a term is looked for.
    Search,
}

/// Where a `let`'s tensor is kept. No meaning: lowering prints it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// Lowering's choice.
    #[default]
    Auto,
    /// Allocated memory.
    Heap,
    /// The machine stack; constant extents.
    Stack,
    /// Registers; scalars and small constant extents.
    Register,
}

/// A binder's name and annotations. All labels are equal.
#[derive(Clone, Debug, Default)]
pub struct Label {
    /// The name to print.
    pub name: Arc<str>,
    /// For `gen` and `sum`.
    pub kind: LoopKind,
    /// For `let`.
    pub storage: Storage,
    /// A number that a schedule's annotations are kept by outside the kernel, which only carries it; 0 where there are none.
    pub tag: u32,
}

impl Label {
    /// A plain label with this name.
    pub fn new(name: &str) -> Label {
        Label { name: Arc::from(name), ..Label::default() }
    }
}

impl PartialEq for Label {
    fn eq(&self, _: &Label) -> bool {
        true
    }
}

impl Eq for Label {}

impl Hash for Label {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A literal of some element type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Number {
    /// The algebra's zero: what a false guard and an empty sum are.
    Zero,
    /// The algebra's one.
    One,
    /// The decimal `mantissa * 10^exponent`, rounded once to the scalar type; for `bool`, 0 or 1.
    Decimal(i128, i32),
    /// Positive infinity.
    Infinity,
    /// Negative infinity.
    NegInfinity,
}

/// A pointwise operation. All operands have one shape, which is the result's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prim {
    /// The algebra's addition.
    Add,
    /// The algebra's multiplication.
    Mul,
    /// Difference of numbers.
    Sub,
    /// Quotient of numbers.
    Div,
    /// Negation.
    Neg,
    /// Absolute value.
    Abs,
    /// The smaller number.
    Min,
    /// The larger number.
    Max,
    /// Remainder of integers, as [`Prim::Div`] leaves it; `x` by 0.
    Rem,
    /// And of the bits of integers.
    BitAnd,
    /// Or of the bits of integers.
    BitOr,
    /// Exclusive or of the bits of integers.
    BitXor,
    /// The bits of an integer, inverted.
    BitNot,
    /// Bits moved up; none is left where the count is negative or the width at least.
    Shl,
    /// Bits moved down, with copies of the sign above.
    Shr,
    /// The high half of the exact product of integers of at most 32 bits.
    MulHi,
    /// How many bits of an integer are set.
    Popcount,
    /// How many bits above the highest that is set.
    Clz,
    /// How many bits below the lowest that is set.
    Ctz,
    /// A function of floats.
    Call(Function),
    /// Equal; gives `bool`, as the other comparisons do.
    Eq,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Conjunction of truth values.
    And,
    /// Disjunction of truth values.
    Or,
    /// Negation of a truth value.
    Not,
    /// The second operand where the first, a truth value, holds, else the third.
    Where,
    /// Conversion of the scalar, between elements of the ordinary algebra.
    Cast(Elem),
}

impl Prim {
    /// How many operands it takes.
    pub fn arity(self) -> usize {
        match self {
            Prim::Neg | Prim::Abs | Prim::Not | Prim::Cast(_) => 1,
            Prim::BitNot | Prim::Popcount | Prim::Clz | Prim::Ctz => 1,
            Prim::Call(function) => function.arity(),
            Prim::Where => 3,
            _ => 2,
        }
    }
}

/// A tensor expression, shared.
pub type Expr = Arc<Node>;

/// The constructors of tensor expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// A tensor variable.
    Var(Var),
    /// A scalar literal.
    Lit(Elem, Number),
    /// An index term's value, converted; the element's algebra is the ordinary one.
    Index(Elem, Ix),
    /// `gen i < extent { body }`.
    Gen(Label, Ix, Expr),
    /// `sum i < extent { body }` with the element algebra's addition, from its zero, in order.
    Sum(Label, Ix, Expr),
    /// `[p] * e`: `e` where `p` holds, else zeros.
    Guard(Pred, Expr),
    /// `a` where `p` holds, else `b`.
    Select(Pred, Expr, Expr),
    /// `let x = bound; body`.
    Let(Label, Expr, Expr),
    /// `iterate t < extent from x = init, .. { step, .. } in body`.
    Iterate(Arc<Iterate>),
    /// `e[i]`; zeros out of range.
    Get(Expr, Ix),
    /// A pointwise operation.
    Prim(Prim, Vec<Expr>),
    /// The same scalars in another algebra.
    View(AlgebraRef, Expr),
    /// A defined operator applied to index arguments and tensors.
    Op(Arc<Definition>, Vec<Ix>, Vec<Expr>),
    /// Several results with their names: a whole program, or the end of its `let`s. Nothing else is around
    /// it.
    Bundle(Arc<[Label]>, Vec<Expr>),
}

/// Rounds that begin with states, make new ones of them, and end with a value of the last.
///
/// A step stands below the states, the new states before its own, and the round's index; the body below the
/// states. A negative extent means no round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Iterate {
    /// The index's label.
    pub label: Label,
    /// How many rounds.
    pub extent: Ix,
    /// The states, in order.
    pub states: Vec<State>,
    /// The value, of the states after the last round.
    pub body: Expr,
}

impl Iterate {
    /// `let`s with the names of the first states: of these values, each below those before it, around what
    /// stands below all of them.
    pub fn lets(
        &self,
        values: impl DoubleEndedIterator<Item = Expr> + ExactSizeIterator,
        body: Expr,
    ) -> Expr {
        let labels = self.states.iter().map(|state| &state.label);
        labels.zip(values).rev().fold(body, |body, (label, x)| Arc::new(Node::Let(label.clone(), x, body)))
    }

    /// The step of a state at this index, below the states and the new ones before it. No variable of the
    /// step or the index has the level `fresh`, or one above.
    pub fn step_at(&self, state: usize, index: &Ix, fresh: u32) -> Expr {
        let around = (self.states.len() + state) as u32;
        close_all(&open_all(&instantiate(&self.states[state].step, index), fresh, around + 1), fresh, around)
    }
}

/// A state of an iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// Its name and annotations.
    pub label: Label,
    /// What it is before the first round.
    pub init: Expr,
    /// What it is after a round, of the same type.
    pub step: Expr,
}

/// A reference to an algebra, compared by identity.
#[derive(Clone, Copy)]
pub struct AlgebraRef(pub &'static Algebra);

impl PartialEq for AlgebraRef {
    fn eq(&self, other: &AlgebraRef) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for AlgebraRef {}

impl fmt::Debug for AlgebraRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

/// A place directly below a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Child {
    /// The body of a `gen`, `sum`, guard, `let`, iteration or view; the array of an access.
    Body,
    /// What a `let` binds.
    Bound,
    /// What a state of an iteration begins as.
    Init(u32),
    /// What a round makes of a state.
    Step(u32),
    /// The first side of a select.
    Then,
    /// The second side of a select.
    Else,
    /// An operand of a pointwise operation or of a defined operator, or one of several results.
    Arg(u32),
}

impl Node {
    /// The child at a place, with bound variables as they stand.
    pub fn child(&self, at: Child) -> Option<&Expr> {
        match (self, at) {
            (Node::Gen(_, _, e) | Node::Sum(_, _, e) | Node::Guard(_, e), Child::Body)
            | (Node::Get(e, _) | Node::View(_, e) | Node::Let(_, _, e), Child::Body)
            | (Node::Let(_, e, _), Child::Bound)
            | (Node::Select(_, e, _), Child::Then)
            | (Node::Select(_, _, e), Child::Else) => Some(e),
            (Node::Prim(_, es) | Node::Op(_, _, es) | Node::Bundle(_, es), Child::Arg(k)) => {
                es.get(k as usize)
            }
            (Node::Iterate(it), Child::Init(k)) => it.states.get(k as usize).map(|state| &state.init),
            (Node::Iterate(it), Child::Step(k)) => it.states.get(k as usize).map(|state| &state.step),
            (Node::Iterate(it), Child::Body) => Some(&it.body),
            _ => None,
        }
    }

    /// The places below this node, in order.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = Child> + ExactSizeIterator + use<> {
        let (states, args, others): (_, _, &[Child]) = match self {
            Node::Var(_) | Node::Lit(..) | Node::Index(..) => (0, 0, &[]),
            Node::Gen(..) | Node::Sum(..) | Node::Guard(..) | Node::Get(..) | Node::View(..) => {
                (0, 0, &[Child::Body])
            }
            Node::Let(..) => (0, 0, &[Child::Bound, Child::Body]),
            Node::Select(..) => (0, 0, &[Child::Then, Child::Else]),
            Node::Prim(_, es) | Node::Op(_, _, es) | Node::Bundle(_, es) => (0, es.len(), &[]),
            Node::Iterate(it) => (it.states.len(), 0, &[Child::Body]),
        };
        (0..2 * states + args + others.len()).map(move |k| match k {
            init if k < states => Child::Init(init as u32),
            step if k < 2 * states => Child::Step((step - states) as u32),
            arg if k < 2 * states + args => Child::Arg((arg - 2 * states) as u32),
            other => others[other - 2 * states - args],
        })
    }

    /// This node with another child at this place; the same node, where it has no such place.
    pub fn with_child(&self, at: Child, new: Expr) -> Node {
        let mut node = self.clone();
        match (&mut node, at) {
            (Node::Gen(_, _, e) | Node::Sum(_, _, e) | Node::Guard(_, e), Child::Body)
            | (Node::Get(e, _) | Node::View(_, e) | Node::Let(_, _, e), Child::Body)
            | (Node::Let(_, e, _), Child::Bound)
            | (Node::Select(_, e, _), Child::Then)
            | (Node::Select(_, _, e), Child::Else) => *e = new,
            (Node::Prim(_, es) | Node::Op(_, _, es) | Node::Bundle(_, es), Child::Arg(k)) => {
                if let Some(e) = es.get_mut(k as usize) {
                    *e = new;
                }
            }
            (Node::Iterate(it), at) => {
                let it = Arc::make_mut(it);
                match at {
                    Child::Body => it.body = new,
                    Child::Init(k) => {
                        it.states.get_mut(k as usize).into_iter().for_each(|s| s.init = new.clone())
                    }
                    Child::Step(k) => {
                        it.states.get_mut(k as usize).into_iter().for_each(|s| s.step = new.clone())
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        node
    }

    /// How many binders does going to this place enter?
    pub fn binds(&self, at: Child) -> u32 {
        match (self, at) {
            (Node::Gen(..) | Node::Sum(..) | Node::Let(..), Child::Body) => 1,
            (Node::Iterate(it), Child::Body) => it.states.len() as u32,
            (Node::Iterate(it), Child::Step(k)) => 1 + it.states.len() as u32 + k,
            _ => 0,
        }
    }
}
