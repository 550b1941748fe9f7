//! Expressions: programs, sizes, index arithmetic, predicates and patterns share one grammar.
//!
//! Which of them an expression is, its place decides and the elaborator checks; the syntax does not.

use atl_diag::Span;

use super::{Type, node};

node! {
    /// A name: letters, digits, `_`, and dots between parts (`y.o` is one name).
    pub struct Name {
        /// The name.
        pub text: String,
    }
}

impl Name {
    /// A name at a place.
    pub fn new(text: impl Into<String>, span: Span) -> Name {
        Name { text: text.into(), span }
    }
}

node! {
    /// An expression.
    pub struct Expr {
        /// Which one.
        pub kind: ExprKind,
    }
}

/// The expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// What could not be parsed; a diagnostic has been reported there.
    Error,
    /// `_`, in patterns.
    Hole,
    /// `12`.
    Int(u64),
    /// `1.5`, `1e-3`: the digits as written; always parses as `f64`.
    Float(String),
    /// `2i`, `3.5i`: the digits as written.
    Imaginary(String),
    /// `true`, `false`.
    Bool(bool),
    /// `x`, `y.o`: a tensor, a size, an index variable, or a let's name.
    Name(String),
    /// `-e`, `!p`.
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a < b`, and chains: `0 <= i < n` means `0 <= i && i < n`. At least one comparison.
    Compare(Box<Expr>, Vec<(CompareOp, Expr)>),
    /// `x[i, j]`, `x?[i, j]`; at least one index.
    Access {
        /// Plain or guarded.
        kind: AccessKind,
        /// What is read.
        base: Box<Expr>,
        /// The indices; in schedules also ranges.
        indices: Vec<Expr>,
    },
    /// `f(a, b)`: operators, scalar functions and user functions alike.
    Call {
        /// The function.
        callee: Name,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `f32(e)`, `min_plus<f32>(e)`: conversion by the type's name.
    Convert {
        /// The type converted to.
        to: ElementType,
        /// The value.
        value: Box<Expr>,
    },
    /// `[p] * e`, Iverson's bracket: `e` where `p` holds, else zeros.
    Guard {
        /// The predicate.
        predicate: Box<Expr>,
        /// What it guards.
        body: Box<Expr>,
    },
    /// `gen i < n, j in lo..hi { e }` and the reductions; at least one binder, outermost first.
    Bind {
        /// `gen`, `sum`, …
        op: BinderOp,
        /// The index variables.
        binders: Vec<Binder>,
        /// The body.
        body: Box<Expr>,
    },
    /// `sum i < n in argmin { (e, f) }`: a reduction in a program's monoid, or, as `prod`, by the product
    /// of a semiring on tuples.
    Fold {
        /// `sum` or `prod`.
        op: BinderOp,
        /// The monoid.
        monoid: Name,
        /// The loops, outermost first.
        binders: Vec<Binder>,
        /// The body.
        body: Box<Expr>,
    },
    /// `let x = e; body`.
    Let {
        /// The name bound in `body`.
        name: Name,
        /// `let x @stack = …`.
        attributes: Vec<Attribute>,
        /// What it stands for.
        value: Box<Expr>,
        /// Where it is visible.
        body: Box<Expr>,
    },
    /// The value of `let x: T = e` or of a state `x: T = e`, nowhere else.
    Typed {
        /// The type that is declared.
        ty: Box<Type>,
        /// `e`.
        value: Box<Expr>,
    },
    /// `let (a, b) = e; body`: names for the results of a call.
    LetParts {
        /// The names bound in `body`, one for each result.
        names: Vec<Name>,
        /// What has the results.
        value: Box<Expr>,
        /// Where they are visible.
        body: Box<Expr>,
    },
    /// `iterate t < n from x = e, y = f { s, r } in b`.
    Iterate {
        /// The states and what a round makes of them.
        rounds: Box<Rounds>,
        /// The value, of the last states; without one, the states.
        body: Option<Box<Expr>>,
    },
    /// `scan t < n from x = e { s }`, and `scan t < n from x = e { s } give g`.
    Scan {
        /// The states and what a round makes of them.
        rounds: Box<Rounds>,
        /// What each round gives, of the states before and after it; without it, the only state.
        give: Option<Box<Expr>>,
    },
    /// `rec x: f64 = gen i < n { e }; body`: a tensor whose elements need earlier ones.
    Rec {
        /// The name bound in the elements and in `body`.
        name: Name,
        /// What its elements are.
        of: ElementType,
        /// The loops, and the element at their indices.
        value: Box<Expr>,
        /// Where it is visible.
        body: Box<Expr>,
    },
    /// `'name: e`: a mark that schedules can point at; means `e`.
    Labelled {
        /// The label without its quote.
        label: Name,
        /// What it marks.
        body: Box<Expr>,
    },
    /// `'name` alone, in patterns: the expression so marked.
    Label(String),
    /// `(4, 8)`, in layouts, and several results; never of one element.
    Tuple(Vec<Expr>),
    /// `(4, 8):(1, 4)`, a layout.
    Layout {
        /// The extents.
        shape: Box<Expr>,
        /// The strides.
        stride: Box<Expr>,
    },
    /// `[1.0, 2.0]`, an array of its elements; `[dense, compressed]`, a level list, in schedules.
    List(Vec<Expr>),
    /// `dense of j`, in level lists of schedules.
    Of {
        /// The level.
        level: Box<Expr>,
        /// What it stores of an index: `j`, `i / 4`, or a tuple of such.
        axes: Box<Expr>,
    },
    /// `lo..hi` with either end left out, in the accesses of schedules (`stage a[0..k, ..]`).
    Range(Option<Box<Expr>>, Option<Box<Expr>>),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
    /// `~`
    BitNot,
}

/// Infix operators, comparisons excepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `++`
    Concat,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`: floor division on indices
    Div,
    /// `%`
    Rem,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// How a tensor is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// `x[i]`: must be in bounds.
    Plain,
    /// `x?[i]`: zero outside.
    Guarded,
}

/// What a binder does with its body's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinderOp {
    /// A tensor of them.
    Gen,
    /// The element semiring's addition.
    Sum,
    /// Their product.
    Prod,
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// Whether one holds.
    Any,
    /// Whether all hold.
    All,
}

impl BinderOp {
    /// Every binder, in the order of the language page.
    pub const ALL: [BinderOp; 7] = [
        BinderOp::Gen,
        BinderOp::Sum,
        BinderOp::Prod,
        BinderOp::Max,
        BinderOp::Min,
        BinderOp::Any,
        BinderOp::All,
    ];

    /// The word it is written with.
    pub fn word(self) -> &'static str {
        match self {
            BinderOp::Gen => "gen",
            BinderOp::Sum => "sum",
            BinderOp::Prod => "prod",
            BinderOp::Max => "max",
            BinderOp::Min => "min",
            BinderOp::Any => "any",
            BinderOp::All => "all",
        }
    }
}

node! {
    /// What `iterate` and `scan` have in common: states, and what a round makes of them.
    pub struct Rounds {
        /// The round's index, and how many rounds.
        pub index: Binder,
        /// The states' names, and what they begin as.
        pub states: Vec<(Name, Expr)>,
        /// The condition on the states that ends the rounds.
        pub until: Option<Expr>,
        /// What all steps share, in the order written.
        pub lets: Vec<Shared>,
        /// What a round makes of each state.
        pub steps: Vec<Expr>,
    }
}

node! {
    /// A `let` in front of several steps, each of which may read it.
    pub struct Shared {
        /// Its name; of what has several results, a name for each.
        pub names: Vec<Name>,
        /// `let x @stack = …`; only with one name.
        pub attributes: Vec<Attribute>,
        /// What it binds.
        pub value: Expr,
    }
}

node! {
    /// An index variable with its range.
    pub struct Binder {
        /// The variable.
        pub name: Name,
        /// The first value; `None` for the form `i < n`, which starts at 0.
        pub lo: Option<Expr>,
        /// One past the last value; `None` for a name alone, whose range is that of the dimensions read at it.
        pub hi: Option<Expr>,
        /// `i < n @parallel`.
        pub attributes: Vec<Attribute>,
    }
}

node! {
    /// `@parallel`, `@vectorize(16)`: how to run a loop or where to keep a let; never what is computed.
    pub struct Attribute {
        /// The word after `@`.
        pub name: Name,
        /// What is in parentheses, if anything.
        pub args: Vec<Expr>,
    }
}

node! {
    /// `f32`, or `min_plus<f32>`.
    pub struct ElementType {
        /// The semiring; `None` for ordinary `(+, *)`.
        pub semiring: Option<Name>,
        /// The scalars.
        pub scalar: Name,
    }
}

/// A format of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Format {
    /// `csr`, `bcsr(4, 4)`: one that a `format` item or the standard library names.
    Named(Level),
    /// `[dense, compressed]`, outermost level first.
    Levels(Vec<Level>),
    /// `in (M, K):(1, M)`: every element, in the order of a layout.
    Layout(Box<Expr>),
}

node! {
    /// A level of a format: `dense`, `block(4)`, `dense of j`.
    pub struct Level {
        /// The kind of level.
        pub name: Name,
        /// Its parameters.
        pub args: Vec<Expr>,
        /// What it stores of an index, if it says so: `j`, `i / 4`, or a tuple of such.
        pub of: Option<Box<Expr>>,
    }
}

impl Expr {
    /// An expression at a place.
    pub fn new(kind: ExprKind, span: Span) -> Expr {
        Expr { kind, span }
    }

    /// The expressions directly below this one, in the order written; attributes excepted.
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            ExprKind::Error
            | ExprKind::Hole
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Imaginary(_)
            | ExprKind::Bool(_)
            | ExprKind::Name(_)
            | ExprKind::Label(_) => Vec::new(),
            ExprKind::Unary(_, a)
            | ExprKind::Convert { value: a, .. }
            | ExprKind::Typed { value: a, .. }
            | ExprKind::Labelled { body: a, .. } => vec![a],
            ExprKind::Binary(_, a, b)
            | ExprKind::Guard { predicate: a, body: b }
            | ExprKind::Let { value: a, body: b, .. }
            | ExprKind::LetParts { value: a, body: b, .. }
            | ExprKind::Rec { value: a, body: b, .. }
            | ExprKind::Layout { shape: a, stride: b }
            | ExprKind::Of { level: a, axes: b } => vec![a, b],
            ExprKind::Compare(first, rest) => {
                let rest = rest.iter_mut().map(|(_, e)| e);
                std::iter::once(&mut **first).chain(rest).collect()
            }
            ExprKind::Access { base, indices, .. } => std::iter::once(&mut **base).chain(indices).collect(),
            ExprKind::Call { args: es, .. } | ExprKind::Tuple(es) | ExprKind::List(es) => {
                es.iter_mut().collect()
            }
            ExprKind::Bind { binders, body, .. } | ExprKind::Fold { binders, body, .. } => {
                let ranges = binders.iter_mut().flat_map(|b| b.lo.iter_mut().chain(&mut b.hi));
                ranges.chain([&mut **body]).collect()
            }
            ExprKind::Iterate { rounds, body: last } | ExprKind::Scan { rounds, give: last } => {
                let Rounds { index, states, until, lets, steps, .. } = &mut **rounds;
                let range = index.lo.iter_mut().chain(&mut index.hi);
                let states = states.iter_mut().map(|(_, init)| init);
                let lets = lets.iter_mut().map(|shared| &mut shared.value);
                let last = last.iter_mut().map(|e| &mut **e);
                range.chain(states).chain(until).chain(lets).chain(steps).chain(last).collect()
            }
            ExprKind::Range(lo, hi) => lo.iter_mut().chain(hi).map(|e| &mut **e).collect(),
        }
    }

    /// The names that this expression gives to what stands below it, in the order written.
    pub fn bound_mut(&mut self) -> Vec<&mut Name> {
        match &mut self.kind {
            ExprKind::Bind { binders, .. } | ExprKind::Fold { binders, .. } => {
                binders.iter_mut().map(|binder| &mut binder.name).collect()
            }
            ExprKind::Let { name, .. } | ExprKind::Rec { name, .. } => vec![name],
            ExprKind::LetParts { names, .. } => names.iter_mut().collect(),
            ExprKind::Iterate { rounds, .. } | ExprKind::Scan { rounds, .. } => {
                let Rounds { index, states, lets, .. } = &mut **rounds;
                let states = states.iter_mut().map(|(name, _)| name);
                let lets = lets.iter_mut().flat_map(|shared| &mut shared.names);
                std::iter::once(&mut index.name).chain(states).chain(lets).collect()
            }
            ExprKind::Error
            | ExprKind::Hole
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Imaginary(_)
            | ExprKind::Bool(_)
            | ExprKind::Name(_)
            | ExprKind::Label(_)
            | ExprKind::Unary(..)
            | ExprKind::Convert { .. }
            | ExprKind::Typed { .. }
            | ExprKind::Labelled { .. }
            | ExprKind::Binary(..)
            | ExprKind::Guard { .. }
            | ExprKind::Layout { .. }
            | ExprKind::Of { .. }
            | ExprKind::Compare(..)
            | ExprKind::Access { .. }
            | ExprKind::Call { .. }
            | ExprKind::Tuple(_)
            | ExprKind::List(_)
            | ExprKind::Range(..) => Vec::new(),
        }
    }

    /// The name, when the expression is nothing else.
    pub fn as_name(&self) -> Option<Name> {
        match &self.kind {
            ExprKind::Name(text) => Some(Name::new(text.clone(), self.span)),
            _ => None,
        }
    }

    /// The format this expression spells: a name, or a list of levels.
    pub fn as_format(&self) -> Option<Format> {
        let plain = |expr: &Expr| {
            let (name, args) = match &expr.kind {
                ExprKind::Name(text) => (Name::new(text.clone(), expr.span), Vec::new()),
                ExprKind::Call { callee, args } => (callee.clone(), args.clone()),
                _ => return None,
            };
            Some(Level { name, args, of: None, span: expr.span })
        };
        let level = |expr: &Expr| match &expr.kind {
            ExprKind::Of { level, axes } => {
                plain(level).map(|level| Level { of: Some(axes.clone()), span: expr.span, ..level })
            }
            _ => plain(expr),
        };
        match &self.kind {
            ExprKind::List(levels) => Some(Format::Levels(levels.iter().map(level).collect::<Option<_>>()?)),
            _ => plain(self).map(Format::Named),
        }
    }
}
