//! What a check finds.

use atl_arith::Valuation;
use atl_kernel::{Cert, Child, Ctx, Error, Expr, LoopKind, Pred, Storage};

/// What lowering relies on.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// An access is in range.
    Access,
    /// An operator's index arguments and extents are as it requires.
    Requires(&'static str),
    /// An extent is at least 0.
    Extent,
    /// What this operator drops is padding: every element stored below it is kept.
    Padding(&'static str),
    /// A `sum` whose iterations are to run concurrently: they add into the same cells. A `gen` moved out of
    /// it can run concurrently.
    ConcurrentSum(LoopKind),
    /// Of a `sum` that is to search, each term stands under an equation whose one side never falls with the
    /// index: so those terms that are not zero follow each other.
    Search,
    /// A parallel loop inside a parallel or vector loop.
    NestedParallel,
    /// Allocated memory inside a vector loop.
    HeapInVector,
    /// A `let` on the stack or in registers whose extents are not literals, or too large.
    LocalStorage(Storage),
    /// What this operator drops is said by index terms that are not too long; here they have so many nodes.
    TooLong(&'static str, u64),
    /// The term has a type.
    Typed(Error),
}

/// Something shown.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What.
    pub kind: Kind,
    /// Where: the context,
    pub ctx: Ctx,
    /// and the place in the term.
    pub path: Vec<Child>,
    /// The predicate.
    pub goal: Pred,
    /// Its certificate in the context, which the kernel has checked.
    pub cert: Cert,
}

/// Something not shown.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What.
    pub kind: Kind,
    /// Where: the context,
    pub ctx: Ctx,
    /// and the place in the term.
    pub path: Vec<Child>,
    /// The predicate; `False` where there is nothing to prove.
    pub goal: Pred,
    /// The expression at the place, with the context's variables for bound ones.
    pub expr: Expr,
    /// The numbers that have names here, by level, and what they are.
    pub numbers: Vec<(u32, Expr)>,
    /// Values of the context's variables at which the predicate fails, if any were found.
    pub counterexample: Option<Valuation>,
}

/// Everything a check found, in the order of a walk from the root.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What was shown.
    pub obligations: Vec<Obligation>,
    /// What was not.
    pub violations: Vec<Violation>,
}

impl Report {
    /// May the term be lowered?
    pub fn is_ok(&self) -> bool {
        self.violations.is_empty()
    }
}
