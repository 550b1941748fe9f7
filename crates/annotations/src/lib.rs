//! What a schedule asks of lowering: annotations of loops, of `let`s, and of the result.
//!
//! The one idea: a binder's label carries a number, its *tag*, and a table says which annotations the tag
//! has. Labels are equal to the kernel, so a tag changes no theorem; and rules copy labels, so an annotation
//! stays with its loop through `rename`, `reorder`, `peel` and whatever else rewrites the term. Lowering
//! reads the tag of the binder that it lowers, and never looks for a binder by its name.
//!
//! An annotation is recorded once, as a [`Request`] with the place of the step that makes it; a binder has
//! [`Mark`]s, which say what part the binder has in a request. Where a loop is split, both parts have its
//! marks: each annotation says here what that asks for.
//!
//! This crate knows nothing of terms. Commands of `schedule` write the table, `lower` carries it out,
//! `driver` words what is refused.

mod swizzle;
mod table;

pub use atl_diag::Span;
pub use atl_kernel::Rounding;
pub use swizzle::{NotASwizzle, Swizzle};
pub use table::Annotations;

/// What a step asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Annotation {
    /// Of a sum: it ends as soon as no further term can change it. Of one that was split, so do both parts.
    Stop,
    /// Of a parallel loop: a thread that is free takes the next iteration. Of one that was split the outer
    /// part is parallel.
    Dynamic,
    /// Of a parallel loop: threads run it where it has this many iterations or more. Of one that was split,
    /// so for each part.
    Threshold(u32),
    /// Of a loop: its iterations are those of a device, along an axis. One that was split has no axis.
    Device(Level, Axis),
    /// Of a `let`: the threads of a block share it, and here lie its cells.
    Shared(Swizzle),
    /// Of `let`s ([`Role::Window`]) and of loops around them ([`Role::Along`]): the rows that the next
    /// iteration needs again are kept. Of a loop that was split it is the inner part.
    Carry {
        /// The `let`, as the step calls it.
        tensor: String,
        /// The loop, as the step calls it.
        along: String,
    },
    /// Of loops ([`Role::Ahead`], [`Role::Each`]): the kernel prefetches cells of an input before a later
    /// iteration reads them. Of a loop that was split, it counts the iterations of both parts together, and
    /// prefetches in the inner one.
    Prefetch {
        /// The level of the input in the function's context.
        input: u32,
        /// How many loops the step names, whose iterations are counted together.
        loops: u8,
        /// How many iterations later.
        by: u32,
    },
    /// Of loops ([`Role::Each`]): each iteration begins with prefetches of the cells of the result that it
    /// stores.
    PrefetchResult,
    /// Of a loop: its iterations are vector lanes. The label holds the kind of loop; this records the step
    /// that set it.
    Vectorize,
    /// Of a loop: it is unrolled. The label holds the kind of loop; this records the step that set it.
    Unroll,
    /// Of a `let`: a record says which of its cells were stored to.
    Tracked,
    /// Of the result: it is stored past the caches.
    Stream,
    /// Of the result: it may be stored over this input.
    Reuse {
        /// The level of the input in the function's context.
        input: u32,
    },
    /// Of the result: it has an entry wherever this operand has one.
    Keep {
        /// The name of the operand, which is a parameter in a format.
        operand: String,
    },
    /// Of the kernel: loops iterate over what operands store, and operands that meet are walked so, if the
    /// step says how.
    Sparsify(Option<Coiteration>),
    /// Of the kernel: a step chooses the order of loops.
    Reorder,
    /// Of the kernel: what its code may do in floating point.
    Rounding(Rounding),
}

/// What happens where no loop or `let` carries out a request in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unmet {
    /// The program is refused.
    Refused,
    /// The step gets a warning: results and memory are as they would be.
    Warned,
    /// Nothing: the label or the result holds the request, and the pass that carries it out warns.
    Accepted,
}

impl Annotation {
    /// What happens where no loop or `let` carries this out in the end.
    pub fn if_unmet(&self) -> Unmet {
        match self {
            Annotation::Stop
            | Annotation::Tracked
            | Annotation::Device(..)
            | Annotation::Shared(_)
            | Annotation::Carry { .. } => Unmet::Refused,
            Annotation::Dynamic
            | Annotation::Prefetch { .. }
            | Annotation::PrefetchResult
            | Annotation::Threshold(_) => Unmet::Warned,
            Annotation::Vectorize
            | Annotation::Unroll
            | Annotation::Stream
            | Annotation::Reuse { .. }
            | Annotation::Keep { .. }
            | Annotation::Sparsify(_)
            | Annotation::Reorder
            | Annotation::Rounding(_) => Unmet::Accepted,
        }
    }
}

/// How operands that meet at an index, or are added up, are walked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coiteration {
    /// One is searched for the coordinates of the other.
    Search,
    /// They are walked together, which is a search whose loops are merged.
    Merge,
    /// One is a dense workspace.
    Workspace,
    /// All coordinates of one are compared with each of the other.
    Scan,
}

/// What iterations are on a device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// The blocks of a grid.
    Blocks,
    /// The threads of a block.
    Threads,
}

impl Level {
    /// Their name, in the plural; the directive is called so.
    pub fn name(self) -> &'static str {
        match self {
            Level::Blocks => "blocks",
            Level::Threads => "threads",
        }
    }
}

/// An axis of a device's grid of blocks, and of the threads of a block. Threads next to each other differ in
/// `X`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Axis {
    /// The first, along which most blocks fit.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

impl Axis {
    /// All of them, in order.
    pub const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    /// Its letter.
    pub fn name(self) -> &'static str {
        match self {
            Axis::X => "x",
            Axis::Y => "y",
            Axis::Z => "z",
        }
    }

    /// The axis of this letter.
    pub fn by_name(name: &str) -> Option<Axis> {
        Axis::ALL.into_iter().find(|axis| axis.name() == name)
    }
}

/// What part a binder has in a request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// It is the only binder that the request is about.
    Itself,
    /// It is the `let` of a window to be carried.
    Window,
    /// It is the loop along which a window is carried.
    Along,
    /// It is the loop of this number, outermost first, of which a later iteration is meant.
    Ahead(u8),
    /// It is the loop whose iterations begin with the prefetch.
    Each,
}

/// A number of a request, in its table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RequestId(u32);

/// A step's annotation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// What the step requests.
    pub annotation: Annotation,
    /// Where the step is written.
    pub span: Span,
    /// The step, with the arguments of the tactics that it stands in.
    pub step: String,
}

/// A request, and what part a binder has in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark {
    /// The request.
    pub request: RequestId,
    /// What part the binder has.
    pub role: Role,
}
