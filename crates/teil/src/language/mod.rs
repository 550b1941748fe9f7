//! TeIL's syntax: programs of collective operations on whole tensors.
//!
//! The one idea: every operation is a word of fixed arity, so a text needs neither separators nor
//! parentheses, and has one reading. Positions of dimensions and indices begin at 1. [`parse`] reads a text
//! and [`Program`]'s `Display` writes it; `typing` and `evaluate` say what a program means.
//!
//! Trees carry spans, which do not count in equality.

mod parse;
mod print;

use atl_diag::Span;
use atl_kernel::Scalar;

pub use parse::{MAX_DIMENSIONS, formatted, parse};
pub use print::shape;

/// A name or a number with its place.
#[derive(Clone, Debug)]
pub struct Placed<T> {
    /// What it is.
    pub value: T,
    /// Where it is written.
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Placed<T> {
    fn eq(&self, other: &Placed<T>) -> bool {
        self.value == other.value
    }
}

impl<T> Placed<T> {
    /// Something that is written nowhere.
    pub fn unplaced(value: T) -> Placed<T> {
        Placed { value, span: Span::default() }
    }
}

/// The size of a dimension.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Size {
    /// A number.
    Number(u64),
    /// A size variable: any number from 1.
    Variable(String),
}

/// The sizes of all dimensions.
pub type Shape = Vec<Size>;

/// A program: items in the order written.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// The items.
    pub items: Vec<Item>,
}

/// An item.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// `alloc x : [n, m]`
    Declare(Declaration),
    /// `where n <= m`
    Where(Vec<Fact>),
    /// `where ..`: what must hold, and no more.
    Infer,
    /// `x = e`
    Assign(Assignment),
}

/// A declaration.
#[derive(Clone, PartialEq, Debug)]
pub struct Declaration {
    /// Where its contents come from and go to.
    pub role: Role,
    /// The name.
    pub name: Placed<String>,
    /// The type of its elements.
    pub element: Scalar,
    /// The sizes of its dimensions.
    pub shape: Vec<Placed<Size>>,
}

/// Where a tensor's contents come from and go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// `alloc`: the program's own.
    Alloc,
    /// `input`: the caller's, not changed.
    Input,
    /// `output`: for the caller.
    Output,
    /// `inout`: the caller's, changed.
    Inout,
}

impl Role {
    /// All of them with their words.
    pub const ALL: [(Role, &'static str); 4] =
        [(Role::Alloc, "alloc"), (Role::Input, "input"), (Role::Output, "output"), (Role::Inout, "inout")];

    /// Its word.
    pub fn word(self) -> &'static str {
        Role::ALL.iter().find(|(role, _)| *role == self).map_or("", |(_, word)| word)
    }

    /// Whether a call gives its contents.
    pub fn is_given(self) -> bool {
        matches!(self, Role::Input | Role::Inout)
    }

    /// Whether a call takes its contents.
    pub fn is_result(self) -> bool {
        matches!(self, Role::Output | Role::Inout)
    }
}

/// What is stated of two sizes.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// The left one.
    pub left: Placed<Size>,
    /// How they compare.
    pub relation: Relation,
    /// The right one.
    pub right: Placed<Size>,
}

/// How two sizes compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// `==`
    Equal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
}

impl Relation {
    /// Its spelling.
    pub fn word(self) -> &'static str {
        match self {
            Relation::Equal => "==",
            Relation::Less => "<",
            Relation::AtMost => "<=",
        }
    }
}

/// `x = e`
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// What is assigned, as a whole.
    pub target: Placed<String>,
    /// What to.
    pub value: Expr,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Which one.
    pub kind: Kind,
    /// Where it is written.
    pub span: Span,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.kind == other.kind
    }
}

/// A position of a dimension, from 1.
pub type Position = Placed<usize>;

/// The expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// A tensor.
    Name(String),
    /// A number, as written: a tensor without dimensions.
    Number(String),
    /// `add a b` and its kin, element by element.
    Pointwise(Pointwise, Box<Expr>, Box<Expr>),
    /// `mul a b`: element by element, or a scalar times a tensor.
    Mul(Box<Expr>, Box<Expr>),
    /// `prod a b`: every element times every element.
    Prod(Box<Expr>, Box<Expr>),
    /// `red+ i e` and its kin.
    Reduce(Reduction, Position, Box<Expr>),
    /// `transp i j e`
    Transp(Position, Position, Box<Expr>),
    /// `diag i j e`
    Diag(Position, Position, Box<Expr>),
    /// `contr i j e`
    Contr(Position, Position, Box<Expr>),
    /// `expa i n e`
    Expa(Position, Placed<Size>, Box<Expr>),
    /// `proj i m e`
    Proj(Position, Placed<Size>, Box<Expr>),
    /// `exp e` and its kin, of each element.
    Apply(Function, Box<Expr>),
    /// `stack 3 a b c`: side by side, along a new first dimension.
    Stack(Vec<Expr>),
}

/// Declares words of the language: variants with their spelling.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident $word:literal)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// How it is written.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            /// The one that is written so.
            pub fn of_word(word: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|it| it.word() == word)
            }
        }
    };
}

words! {
    /// Operations on two tensors of one shape.
    Pointwise {
        /// `a + b`
        Add "add"
        /// `a - b`
        Sub "sub"
        /// `a / b`
        Div "div"
        /// The smaller one; `a` unless `b < a`.
        Min "min"
        /// The larger one; `a` unless `b > a`.
        Max "max"
    }
}

words! {
    /// Reductions along one dimension.
    Reduction {
        /// Σ, from zero in the order of the index.
        Sum "red+"
        /// Π, from one in the order of the index.
        Product "red*"
        /// The smallest.
        Min "redmin"
        /// The largest.
        Max "redmax"
    }
}

words! {
    /// Functions of each element.
    Function {
        /// `-x`
        Neg "neg"
        /// e to the power `x`
        Exp "exp"
        /// The natural logarithm.
        Log "log"
        /// The square root.
        Sqrt "sqrt"
        /// The absolute value.
        Abs "abs"
        /// `1 / x`
        Recip "recip"
    }
}

impl Function {
    /// Whether it is one of floats only.
    pub fn needs_floats(self) -> bool {
        !matches!(self, Function::Neg | Function::Abs)
    }
}

impl Expr {
    /// An expression that is written nowhere.
    pub fn new(kind: Kind) -> Expr {
        Expr { kind, span: Span::default() }
    }

    /// A tensor.
    pub fn name(name: &str) -> Expr {
        Expr::new(Kind::Name(name.to_owned()))
    }

    /// The operation's word.
    pub fn word(&self) -> &'static str {
        match &self.kind {
            Kind::Name(_) => "a name",
            Kind::Number(_) => "a number",
            Kind::Pointwise(op, ..) => op.word(),
            Kind::Mul(..) => "mul",
            Kind::Prod(..) => "prod",
            Kind::Reduce(op, ..) => op.word(),
            Kind::Transp(..) => "transp",
            Kind::Diag(..) => "diag",
            Kind::Contr(..) => "contr",
            Kind::Expa(..) => "expa",
            Kind::Proj(..) => "proj",
            Kind::Apply(f, _) => f.word(),
            Kind::Stack(_) => "stack",
        }
    }

    /// The operands, in order.
    pub fn operands(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::Name(_) | Kind::Number(_) => vec![],
            Kind::Pointwise(_, a, b) | Kind::Mul(a, b) | Kind::Prod(a, b) => vec![a, b],
            Kind::Stack(all) => all.iter().collect(),
            Kind::Reduce(_, _, e)
            | Kind::Transp(_, _, e)
            | Kind::Diag(_, _, e)
            | Kind::Contr(_, _, e)
            | Kind::Expa(_, _, e)
            | Kind::Proj(_, _, e)
            | Kind::Apply(_, e) => vec![e],
        }
    }

    /// The same operation on other operands, each made from the one in its place.
    ///
    /// # Errors
    /// The first of `change`.
    pub fn try_map<E>(&self, change: &mut impl FnMut(&Expr) -> Result<Expr, E>) -> Result<Expr, E> {
        let mut boxed = |e: &Expr| change(e).map(Box::new);
        let kind = match &self.kind {
            Kind::Name(_) | Kind::Number(_) => self.kind.clone(),
            Kind::Pointwise(op, a, b) => Kind::Pointwise(*op, boxed(a)?, boxed(b)?),
            Kind::Mul(a, b) => Kind::Mul(boxed(a)?, boxed(b)?),
            Kind::Prod(a, b) => Kind::Prod(boxed(a)?, boxed(b)?),
            Kind::Reduce(op, i, e) => Kind::Reduce(*op, i.clone(), boxed(e)?),
            Kind::Transp(i, j, e) => Kind::Transp(i.clone(), j.clone(), boxed(e)?),
            Kind::Diag(i, j, e) => Kind::Diag(i.clone(), j.clone(), boxed(e)?),
            Kind::Contr(i, j, e) => Kind::Contr(i.clone(), j.clone(), boxed(e)?),
            Kind::Expa(i, n, e) => Kind::Expa(i.clone(), n.clone(), boxed(e)?),
            Kind::Proj(i, m, e) => Kind::Proj(i.clone(), m.clone(), boxed(e)?),
            Kind::Apply(f, e) => Kind::Apply(*f, boxed(e)?),
            Kind::Stack(all) => Kind::Stack(all.iter().map(change).collect::<Result<_, E>>()?),
        };
        Ok(Expr { kind, span: self.span })
    }
}

/// `red+ i e`
pub fn sum(i: usize, e: Expr) -> Expr {
    Expr::new(Kind::Reduce(Reduction::Sum, Placed::unplaced(i), Box::new(e)))
}

/// `prod a b`
pub fn prod(a: Expr, b: Expr) -> Expr {
    Expr::new(Kind::Prod(Box::new(a), Box::new(b)))
}

/// `mul a b`
pub fn mul(a: Expr, b: Expr) -> Expr {
    Expr::new(Kind::Mul(Box::new(a), Box::new(b)))
}

/// `add a b` and its kin
pub fn pointwise(op: Pointwise, a: Expr, b: Expr) -> Expr {
    Expr::new(Kind::Pointwise(op, Box::new(a), Box::new(b)))
}

/// `transp i j e`; `e` where `i` is `j`.
pub fn transp(i: usize, j: usize, e: Expr) -> Expr {
    if i == j {
        return e;
    }
    Expr::new(Kind::Transp(Placed::unplaced(i.min(j)), Placed::unplaced(i.max(j)), Box::new(e)))
}

/// `diag i j e`
pub fn diag(i: usize, j: usize, e: Expr) -> Expr {
    Expr::new(Kind::Diag(Placed::unplaced(i), Placed::unplaced(j), Box::new(e)))
}

/// `contr i j e`
pub fn contr(i: usize, j: usize, e: Expr) -> Expr {
    Expr::new(Kind::Contr(Placed::unplaced(i), Placed::unplaced(j), Box::new(e)))
}

/// `expa i n e`
pub fn expa(i: usize, n: Size, e: Expr) -> Expr {
    Expr::new(Kind::Expa(Placed::unplaced(i), Placed::unplaced(n), Box::new(e)))
}

/// `proj i m e`
pub fn proj(i: usize, m: Size, e: Expr) -> Expr {
    Expr::new(Kind::Proj(Placed::unplaced(i), Placed::unplaced(m), Box::new(e)))
}

/// Takes a dimension to another position, the others keeping their order, by exchanges of neighbours.
pub fn moved(from: usize, to: usize, e: Expr) -> Expr {
    if to <= from {
        (to..from).rev().fold(e, |e, p| transp(p, p + 1, e))
    } else {
        (from..to).fold(e, |e, p| transp(p, p + 1, e))
    }
}
