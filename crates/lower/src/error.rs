//! Why a term was not lowered.

use atl_check::Violation;
use atl_diag::Span;
use atl_kernel::{Elem, Error, Expr, Pred, Prim, Var};
use atl_loops::validate;
use atl_rules::moving::Still;
use std::borrow::Cow;
use std::fmt;

/// The inferences that lead to the normal form read at most so many nodes: as much as a whole schedule may
/// take.
pub const MAX_WORK: u64 = 1 << 26;

/// Why a term was not lowered.
#[derive(Clone, Debug)]
pub enum LowerError {
    /// Something that lowering relies on was not shown, of the term given or else of its normal form.
    Unsafe {
        /// What, in the order of the text.
        violations: Vec<Violation>,
        /// The term in which the violations' paths are.
        term: Expr,
    },
    /// The kernel refused a step to the normal form: the term has no type, most likely.
    Kernel(Error),
    /// A variable that is no parameter, size or `let`.
    Unbound(Var),
    /// A name of a parameter or size that cannot be used, or is used twice.
    Name(String),
    /// An algebra that has no operations on this scalar type.
    NoOperations(Elem),
    /// A product by a program's own formula that would have this number of parts.
    Product(Elem, usize),
    /// An operation with another number of operands than it takes.
    Operation(Prim),
    /// A literal that its type does not have.
    Literal(Expr),
    /// The output is to be streamed, and the loops do something else with it than setting each cell once.
    NotOnlySet(validate::Violation),
    /// The output is to be stored over an input, and this is in the way.
    NotOver(String),
    /// A window is to be carried along a loop, and nowhere is.
    NotCarried {
        /// Where the step stands that asks for it.
        at: Option<Span>,
        /// The name of its `let`.
        tensor: String,
        /// Why it is not.
        why: NotCarried,
    },
    /// A result in a format is stored in order, and this loop's iterations may run in another.
    Ordered(String),
    /// A result is to have the entries of this operand, and this is in the way.
    NotSamePattern(String, String),
    /// A loop or `let` is to be a device's.
    NotMapped {
        /// Where the step stands that asks for it.
        at: Option<Span>,
        /// The loop, the `let`, or the step.
        what: String,
        /// Why it is not.
        why: Cow<'static, str>,
    },
    /// A loop is to end early, or a `let` to have a record of what is stored.
    NotSaved {
        /// Where the step stands that asks for it.
        at: Option<Span>,
        /// Why nothing is saved.
        why: String,
    },
    /// What meets is to be merged, and this is in the way.
    NotMerged(String),
    /// The loop validator's objections. It is lowering's own fault, or the kernel's name is none.
    Invalid(Vec<validate::Violation>),
    /// A hypothesis on arrays of another form than `!(ranges) || ..`.
    Requirement(Pred),
    /// An index term or a condition of this number of nodes: more than [`atl_check::MAX_INDEX`].
    TooLong(u64),
    /// The way to the normal form takes more than [`crate::MAX_WORK`] nodes to read.
    TooMuchWork,
    /// A term that is not in normal form. It is lowering's own fault.
    NotNormal(Expr),
}

impl From<Error> for LowerError {
    fn from(error: Error) -> LowerError {
        LowerError::Kernel(error)
    }
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LowerError::Unsafe { violations, .. } => {
                write!(f, "{} conditions were not shown", violations.len())?;
                violations.iter().try_for_each(|v| write!(f, "; {:?}: {:?}", v.kind, v.goal))
            }
            LowerError::Kernel(error) => write!(f, "{error}"),
            LowerError::Unbound(v) => write!(f, "the variable {v:?} is nothing in memory"),
            LowerError::Name(name) => write!(f, "the name `{name}` cannot be used, or is used twice"),
            LowerError::NoOperations(elem) => write!(f, "no operations are known for `{elem}`"),
            LowerError::Product(elem, parts) => {
                write!(f, "a product of elements of `{elem}` has {parts} parts")
            }
            LowerError::Operation(prim) => write!(f, "`{prim:?}` has another number of operands"),
            LowerError::Literal(e) => write!(f, "the literal {e:?} is not of its type"),
            LowerError::NotOnlySet(violation) => write!(f, "{violation}"),
            LowerError::NotOver(why) => write!(f, "the output cannot be stored over an input: {why}"),
            LowerError::NotCarried { tensor, why, .. } => write!(f, "`{tensor}` is not carried: {why}"),
            LowerError::Ordered(label) => write!(f, "the iterations of `{label}` append, and have no order"),
            LowerError::NotSamePattern(name, why) => {
                write!(f, "the entries are not those of `{name}`: {why}")
            }
            LowerError::NotMapped { what, why, .. } => write!(f, "{what} is not mapped to a device: {why}"),
            LowerError::NotSaved { why, .. } => write!(f, "nothing is saved: {why}"),
            LowerError::NotMerged(why) => write!(f, "operands are not merged: {why}"),
            LowerError::Invalid(violations) => {
                f.write_str("the kernel is ill-formed")?;
                violations.iter().try_for_each(|violation| write!(f, "; {violation}"))
            }
            LowerError::Requirement(p) => write!(f, "the hypothesis {p:?} cannot be checked at a call"),
            LowerError::TooLong(nodes) => write!(f, "an index term or a condition has {nodes} nodes"),
            LowerError::TooMuchWork => write!(f, "the normal form takes more than {MAX_WORK} nodes to read"),
            LowerError::NotNormal(e) => write!(f, "not in normal form: {e:?}"),
        }
    }
}

impl std::error::Error for LowerError {}

/// Why a window is not carried.
#[derive(Clone, Debug)]
pub enum NotCarried {
    /// There is no such `let` in such a loop.
    Nowhere,
    /// A loop or a condition stands between.
    Apart,
    /// The iterations of the loop have no order.
    Concurrent,
    /// Not every cell of it is set.
    Uncovered,
    /// It is not known to move.
    Still(Still),
}

impl fmt::Display for NotCarried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotCarried::Nowhere => f.write_str("it is not computed in such a loop"),
            NotCarried::Apart => f.write_str("another loop, or a condition, is between it and the loop"),
            NotCarried::Concurrent => f.write_str("the iterations of the loop are concurrent"),
            NotCarried::Uncovered => {
                f.write_str("it is initialised to zero, because not every element is stored")
            }
            NotCarried::Still(still) => write!(f, "{still}"),
        }
    }
}

impl NotCarried {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            NotCarried::Nowhere => "put the step after those that move or inline its `let` or its loop",
            NotCarried::Apart => {
                "compute it at that loop after the steps that moved them apart, or carry it along the loop right around it"
            }
            NotCarried::Concurrent => {
                "split the loop: the outer part may be parallel, and the inner one carries the window"
            }
            NotCarried::Uncovered => {
                "let its term set every element: a `let` of sums, or of scattered elements, is initialised to zero"
            }
            NotCarried::Still(Still::Rows) => {
                "put it after the steps that change the window's extents: literal numbers, with 2 to 64 rows"
            }
            NotCarried::Still(Still::Extents) => "`peel` may give each part of the loop windows of one size",
            NotCarried::Still(Still::Apart) => {
                "carry it along the loop with which it moves, by fewer rows than it has"
            }
            NotCarried::Still(Still::Back) => {
                "rounds that are stored in place may run from the end: leave out the step that inlines the `let` around the loop, so that the round has an array of its own"
            }
            NotCarried::Still(Still::Differs(..)) => {
                "put it after the steps that change how the window's rows are computed"
            }
        }
    }
}
