//! Items: what a file is a list of.

use super::{ElementType, Expr, Format, Name, Step, node};

node! {
    /// A file.
    pub struct File {
        /// Its items, in the order written.
        pub items: Vec<Item>,
    }
}

/// An item.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `import "other.atl"`.
    Import(Import),
    /// `use std.nn.{relu};`.
    Use(Use),
    /// `const K: f32[3] = [1, 2, 1];`.
    Const(Const),
    /// `format csr = [dense, compressed];`.
    Format(FormatDecl),
    /// `fn`.
    Function(Function),
    /// `schedule`.
    Schedule(Schedule),
    /// `monoid`, or `semiring` on tuples.
    Monoid(Monoid),
    /// `semiring`.
    Semiring(Semiring),
    /// `def`.
    Def(Def),
    /// `theorem`.
    Theorem(Theorem),
}

node! {
    /// `import "other.atl"`.
    pub struct Import {
        /// The path between the quotes, escapes resolved.
        pub path: String,
    }
}

node! {
    /// `use std.nn.{relu, softmax};`: functions of the standard library.
    pub struct Use {
        /// The module, `std.nn`.
        pub module: Name,
        /// Its functions that are named here.
        pub names: Vec<Name>,
    }
}

node! {
    /// `const NAME: type = value;`.
    pub struct Const {
        /// The lines of its documentation comment, without the slashes.
        pub doc: Vec<String>,
        /// Its name.
        pub name: Name,
        /// Its type; `size` for a number in indices and extents.
        pub ty: Type,
        /// What it is.
        pub value: Expr,
    }
}

node! {
    /// `T: float`: an element type that each call chooses; or `S..`, a list of extents.
    pub struct TypeParam {
        /// The name.
        pub name: Name,
        /// Which element types it may be; empty for any. Of a list of extents, `..`.
        pub bound: Name,
    }
}

impl TypeParam {
    /// Is it a list of extents?
    pub fn is_shape(&self) -> bool {
        self.bound.text == ".."
    }
}

node! {
    /// `format NAME = [level, …];`.
    pub struct FormatDecl {
        /// The lines of its documentation comment, without the slashes.
        pub doc: Vec<String>,
        /// The new name.
        pub name: Name,
        /// What it stands for.
        pub format: Format,
    }
}

node! {
    /// A function.
    pub struct Function {
        /// The lines of its documentation comment, without the slashes.
        pub doc: Vec<String>,
        /// Its name.
        pub name: Name,
        /// The element types and lists of extents that calls choose.
        pub type_params: Vec<TypeParam>,
        /// Its parameters, sizes among them.
        pub params: Vec<Param>,
        /// The type after `->`; `None` when left out, which the parser reports.
        pub result: Option<Type>,
        /// The predicates after `where`; all of them must hold. `&&` at the top is already split.
        pub preconditions: Vec<Expr>,
        /// The body.
        pub body: Expr,
    }
}

node! {
    /// `name: type`, `name: type = e`.
    pub struct Param {
        /// The parameter.
        pub name: Name,
        /// Its type and format.
        pub ty: Type,
        /// What it is in calls that leave it out.
        pub default: Option<Expr>,
    }
}

node! {
    /// A type.
    pub struct Type {
        /// Which one.
        pub kind: TypeKind,
    }
}

/// The types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// What could not be parsed; a diagnostic has been reported there.
    Error,
    /// `size`: a plain integer.
    Size,
    /// `f32[N, M] as csr`.
    Tensor {
        /// What the elements are.
        element: ElementType,
        /// The extents, outermost first; none for a scalar. Of a generic function, `S..` and `..` are
        /// ranges.
        extents: Vec<Expr>,
        /// How the tensor is stored; `None` means dense.
        format: Option<Box<Format>>,
    },
    /// `(f32[N], best: i32[N])`: several results, or the fields of a tuple, with the names of those that
    /// have one. `(v: f32, i: i32)[N]` is `(v: f32[N], i: i32[N])`. Never of one.
    Several(Vec<(Option<Name>, Type)>),
}

node! {
    /// `schedule NAME of FUNCTION { steps }`.
    pub struct Schedule {
        /// The lines of its documentation comment, without the slashes.
        pub doc: Vec<String>,
        /// Its name.
        pub name: Name,
        /// The function it schedules.
        pub of: Name,
        /// The script.
        pub steps: Vec<Step>,
    }
}

node! {
    /// `monoid NAME on (v: f64, i: i32) { zero (inf, 0); add select(b.v < a.v, b, a); laws associative; }`;
    /// with `one` and `mul`, a `semiring` on tuples.
    pub struct Monoid {
        /// The lines of its documentation comment, without the slashes.
        pub doc: Vec<String>,
        /// Its name.
        pub name: Name,
        /// The fields of an element, and their types.
        pub fields: Vec<(Name, ElementType)>,
        /// What a reduction begins with.
        pub zero: Expr,
        /// What two elements `a` and `b` are together.
        pub add: Expr,
        /// The one and the product of `a` and `b`, of a semiring.
        pub product: Option<Box<(Expr, Expr)>>,
        /// The laws that it claims, by name.
        pub laws: Vec<Name>,
    }
}

node! {
    /// `semiring NAME { carrier f64 from 0 to 1; … }`. What the fields may be, the elaborator decides.
    pub struct Semiring {
        /// The lines of its documentation comment, without the slashes.
        pub doc: Vec<String>,
        /// Its name.
        pub name: Name,
        /// What it consists of: each field has the grammar of a step.
        pub fields: Vec<Step>,
    }
}

node! {
    /// `def NAME(params) { steps }`: a user's own tactic, used like a directive: `NAME a, b;`.
    pub struct Def {
        /// The lines of its documentation comment, without the slashes.
        pub doc: Vec<String>,
        /// Its name.
        pub name: Name,
        /// Names that stand for the arguments.
        pub params: Vec<Name>,
        /// The script.
        pub steps: Vec<Step>,
    }
}

node! {
    /// `theorem NAME(params): lhs == rhs if condition { steps }`.
    pub struct Theorem {
        /// The lines of its documentation comment, without the slashes.
        pub doc: Vec<String>,
        /// Its name.
        pub name: Name,
        /// The tensors and sizes it speaks of, like a function's; may be left out.
        pub params: Vec<Param>,
        /// The left side.
        pub lhs: Expr,
        /// The right side.
        pub rhs: Expr,
        /// What must hold; `&&` at the top is already split.
        pub conditions: Vec<Expr>,
        /// Steps that turn the left side into the right one.
        pub proof: Vec<Step>,
    }
}

impl Item {
    /// The name it declares; imports declare none.
    pub fn name(&self) -> Option<&Name> {
        match self {
            Item::Import(_) | Item::Use(_) => None,
            Item::Const(item) => Some(&item.name),
            Item::Format(item) => Some(&item.name),
            Item::Function(item) => Some(&item.name),
            Item::Schedule(item) => Some(&item.name),
            Item::Monoid(item) => Some(&item.name),
            Item::Semiring(item) => Some(&item.name),
            Item::Def(item) => Some(&item.name),
            Item::Theorem(item) => Some(&item.name),
        }
    }

    /// Where it is written, documentation comment excluded.
    pub fn span(&self) -> atl_diag::Span {
        match self {
            Item::Import(item) => item.span,
            Item::Use(item) => item.span,
            Item::Const(item) => item.span,
            Item::Format(item) => item.span,
            Item::Function(item) => item.span,
            Item::Schedule(item) => item.span,
            Item::Monoid(item) => item.span,
            Item::Semiring(item) => item.span,
            Item::Def(item) => item.span,
            Item::Theorem(item) => item.span,
        }
    }
}
