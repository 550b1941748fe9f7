//! Kernels and statements: loops over flat buffers.
//!
//! **Cells and lifetimes.** A buffer is `product(extents)` cells in row-major order. Its lifetime begins
//! where it is allocated (outputs: at entry) and begins anew at each [`Stmt::Reset`]; [`Init`] says what the
//! cells then hold. A single cell begins another at a [`Stmt::Forget`], and at a store that
//! [replaces](StoreMode::Replace). Within one lifetime a cell may be `Set` once, and may be read or
//! reduced into only when it holds a value. The interpreter traps where a program breaks this; the back
//! ends assume that it does not.

use crate::intersection::Intersection;
use crate::lanes::Vectors;
use crate::search::Search;
use crate::{Axis, BinOp, Bool, ForAll, Int, Name, Run, Swizzle, Val};
use atl_kernel::Scalar;
use std::collections::{BTreeMap, BTreeSet};

/// A kernel: what one call computes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// The name, which becomes the name of the compiled function.
    pub name: Name,
    /// The sizes, in calling order. Every size is at least 0: a call with a negative one is refused.
    pub sizes: Vec<Name>,
    /// The buffers, in calling order: inputs, then outputs. No two of them overlap, but where one [may
    /// be](BufferParam::over) the other.
    pub params: Vec<BufferParam>,
    /// What the sizes must satisfy; a call that does not is refused.
    pub requires: Vec<Bool>,
    /// What the inputs must satisfy, in this order; the caller sees to it, by [`Kernel::unmet`].
    pub requires_all: Vec<ForAll>,
    /// The statements.
    pub body: Stmt,
}

/// A buffer that the caller supplies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferParam {
    /// The name.
    pub name: Name,
    /// The type of a cell.
    pub scalar: Scalar,
    /// The extents, over the sizes. A negative extent makes the call refused.
    pub extents: Vec<Int>,
    /// Who fills it.
    pub access: Access,
    /// For an output: an input whose memory may be its own. What a cell of the input held is gone when the
    /// output's is set.
    pub over: Option<Name>,
}

/// Who fills a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// An input: every cell holds a value at entry; the kernel never stores to it.
    Read,
    /// An output: no cell holds a value at entry, every cell does at exit.
    Write,
    /// An output that is only ever set, each cell once: its stores may pass the caches by. It means what
    /// `Write` does.
    Stream,
    /// An output of one dimension that begins empty, and grows by [`Stmt::Push`]; nothing else touches it.
    /// Its extent is 0.
    Append,
}

impl Access {
    /// Does the kernel fill it?
    pub fn is_output(self) -> bool {
        self != Access::Read
    }
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// The statements, one after the other.
    Seq(Vec<Stmt>),
    /// `for var in lo..hi`: the body for each `lo <= var < hi`, bounds evaluated once.
    For {
        /// The loop variable.
        var: Name,
        /// The first value.
        lo: Int,
        /// One past the last value.
        hi: Int,
        /// How the iterations may be run.
        kind: LoopKind,
        /// The body.
        body: Box<Stmt>,
    },
    /// A conditional.
    If {
        /// The condition.
        cond: Bool,
        /// The statement that it guards.
        then: Box<Stmt>,
        /// The other branch.
        otherwise: Option<Box<Stmt>>,
    },
    /// A scratch buffer, alive in the body.
    Alloc {
        /// Its name.
        buf: Name,
        /// The type of a cell.
        scalar: Scalar,
        /// The extents. A negative extent means no cells.
        extents: Vec<Int>,
        /// Where it lives.
        storage: Storage,
        /// What the cells hold at first.
        init: Init,
        /// The statement that may use it.
        body: Box<Stmt>,
    },
    /// Begins a new lifetime of a scratch or output buffer, as if it were allocated again.
    Reset {
        /// The buffer.
        buf: Name,
        /// What the cells hold at first.
        init: Init,
    },
    /// Begins a new lifetime of some cells of a scratch buffer: those from `lo` on, before `hi`, hold
    /// nothing any more.
    Forget {
        /// The buffer, not a touched one.
        buf: Name,
        /// The first cell.
        lo: Int,
        /// One past the last cell.
        hi: Int,
    },
    /// A store to a cell.
    Store {
        /// The buffer.
        buf: Name,
        /// The cell, counted in row-major order.
        index: Int,
        /// The value.
        value: Val,
        /// Replace or combine.
        mode: StoreMode,
    },
    /// The next element of an output that grows.
    Push {
        /// The output, of access [`Access::Append`].
        buf: Name,
        /// The element.
        value: Val,
    },
    /// The body for each cell, in order, of a [touched](Storage::Touched) buffer whose value is not equal
    /// to the one that its lifetime began with; and a new lifetime of the buffer, which each cell begins
    /// once it has been visited. The body reads no other cell of the buffer, and stores to none.
    Visit {
        /// The number of the cell.
        var: Name,
        /// The buffer.
        buf: Name,
        /// The body.
        body: Box<Stmt>,
    },
    /// The body for each of its iterations, a vector of them at once: see [`lanes`](crate::lanes).
    Vectors {
        /// The iterations, and how many are done at once.
        vectors: Vectors,
        /// The body.
        body: Box<Stmt>,
    },
    /// The body for the places of a search at which its condition holds: see [`search`](crate::search).
    Search {
        /// Where is looked, and for what.
        search: Search,
        /// The body.
        body: Box<Stmt>,
    },
    /// The body for the pairs of places of two sequences whose keys are equal: see
    /// [`intersection`](crate::intersection).
    Intersection {
        /// The sequences, and what must hold at a match.
        intersection: Intersection,
        /// The body.
        body: Box<Stmt>,
    },
    /// The body for each key of any of the runs, in order: see [`merge`](crate::merge).
    Merge {
        /// The variables of the key's parts.
        keys: Vec<Name>,
        /// The runs.
        runs: Vec<Run>,
        /// The body.
        body: Box<Stmt>,
    },
    /// Asks for a cell of an input or of an output to be brought near, for what will read it or store to it.
    /// It means nothing; but the cell must be there.
    Prefetch {
        /// The buffer.
        buf: Name,
        /// The cell, counted in row-major order.
        index: Int,
    },
}

/// How the iterations of a loop may be run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LoopKind {
    /// In order.
    Serial,
    /// By several threads: no cell that one iteration writes may be touched by another.
    Parallel(Share),
    /// By the lanes of a vector: the same condition as `Parallel`.
    Vector {
        /// How many lanes; the C compiler's choice if not given. Of a body that vectors can do, the pass
        /// [`whole_vectors`](crate::passes::whole_vectors) makes [`Stmt::Vectors`]; others are left to the
        /// C compiler.
        width: Option<u32>,
    },
    /// In order, with the body repeated.
    Unroll,
    /// By the blocks of a device's grid along an axis: the same condition as `Parallel`.
    Block(Axis),
    /// By the threads of a block along an axis: the same condition as `Parallel`. Its bounds are literals.
    Thread(Axis),
    /// In order, until the register of this name holds what its reduction [leaves as it is](ReduceOp::end):
    /// the body does nothing but combine values into it, so whatever iterations are left would change
    /// nothing.
    EarlyExit(Name),
    /// In order, until the register of this name, of one truth value, holds true: it is read before each
    /// iteration.
    Unless(Name),
}

impl LoopKind {
    /// Does the order of the iterations not matter: are they blocks or threads of a device, or threads, or
    /// lanes?
    pub fn is_concurrent(&self) -> bool {
        match self {
            LoopKind::Parallel(_) | LoopKind::Vector { .. } | LoopKind::Block(_) | LoopKind::Thread(_) => {
                true
            }
            LoopKind::Serial | LoopKind::Unroll | LoopKind::EarlyExit(_) | LoopKind::Unless(_) => false,
        }
    }
}

/// Which thread runs which iterations of a parallel loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Share {
    /// Each as many, one after the other, as is settled at the start.
    #[default]
    Static,
    /// Whoever is free the next one.
    Dynamic,
}

/// Where a scratch buffer lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// Allocated at entry of the scope, aligned to 64 bytes.
    Heap,
    /// On the stack; the extents are literals.
    Stack,
    /// In registers if the compiler can; the extents are literals. With rank 0, a scalar variable.
    Register,
    /// In the memory that the threads of a device's block share, where the swizzle says; the extents are
    /// literals. Elsewhere it is as `Stack`.
    Shared(Swizzle),
    /// Like `Heap`, with a record of the cells that were stored to. So to [visit](Stmt::Visit) what is
    /// there and to begin its life anew, costs what was stored, not what there is room for. Every lifetime
    /// begins with the same literal.
    Touched,
}

/// What the cells of a buffer hold when a lifetime begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Init {
    /// Nothing that may be read.
    Uninit,
    /// This value, the same in every cell. It reads no buffer.
    Value(Val),
}

/// What a store does with the old value of the cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StoreMode {
    /// The cell has not been set: what it held is not looked at.
    Set,
    /// The cell begins a new lifetime with the value, which may depend on what it held: a state of an
    /// iteration that is updated in place.
    Replace,
    /// Combines it: the cell becomes `op(old, value)`.
    Reduce(ReduceOp),
}

/// The operation of a reduction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReduceOp {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Disjunction.
    Or,
    /// Conjunction.
    And,
}

impl ReduceOp {
    /// The same operation on values.
    pub fn bin_op(self) -> BinOp {
        match self {
            ReduceOp::Add => BinOp::Add,
            ReduceOp::Mul => BinOp::Mul,
            ReduceOp::Min => BinOp::Min,
            ReduceOp::Max => BinOp::Max,
            ReduceOp::Or => BinOp::Or,
            ReduceOp::And => BinOp::And,
        }
    }
}

impl Stmt {
    /// The statement that does nothing.
    pub fn skip() -> Stmt {
        Stmt::Seq(Vec::new())
    }

    /// The statements in order, with sequences among them opened; one statement stands for itself.
    pub fn seq(stmts: impl IntoIterator<Item = Stmt>) -> Stmt {
        let mut flat = Vec::new();
        for stmt in stmts {
            match stmt {
                Stmt::Seq(inner) => flat.extend(inner),
                stmt => flat.push(stmt),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Stmt::Seq(flat) }
    }

    /// A loop.
    pub fn for_loop(var: impl Into<Name>, lo: Int, hi: Int, kind: LoopKind, body: Stmt) -> Stmt {
        Stmt::For { var: var.into(), lo, hi, kind, body: Box::new(body) }
    }

    /// A conditional without another branch.
    pub fn guard(cond: Bool, then: Stmt) -> Stmt {
        Stmt::If { cond, then: Box::new(then), otherwise: None }
    }

    /// A new lifetime in which every cell holds the value.
    pub fn fill(buf: impl Into<Name>, value: Val) -> Stmt {
        Stmt::Reset { buf: buf.into(), init: Init::Value(value) }
    }

    /// A store that replaces.
    pub fn set(buf: impl Into<Name>, index: Int, value: Val) -> Stmt {
        Stmt::Store { buf: buf.into(), index, value, mode: StoreMode::Set }
    }

    /// A store that replaces what the cell held.
    pub fn replace(buf: impl Into<Name>, index: Int, value: Val) -> Stmt {
        Stmt::Store { buf: buf.into(), index, value, mode: StoreMode::Replace }
    }

    /// A store that combines.
    pub fn reduce(op: ReduceOp, buf: impl Into<Name>, index: Int, value: Val) -> Stmt {
        Stmt::Store { buf: buf.into(), index, value, mode: StoreMode::Reduce(op) }
    }

    /// The next element of an output that grows.
    pub fn push(buf: impl Into<Name>, value: Val) -> Stmt {
        Stmt::Push { buf: buf.into(), value }
    }
}

impl Kernel {
    /// Does it have a parallel loop?
    pub fn is_parallel(&self) -> bool {
        let mut found = false;
        self.body
            .for_each(&mut |stmt| found |= matches!(stmt, Stmt::For { kind: LoopKind::Parallel(_), .. }));
        found
    }

    /// The buffers that index terms and predicates read.
    pub fn index_reads(&self) -> BTreeSet<&Name> {
        let mut found = BTreeSet::new();
        self.body.for_each(&mut |stmt| {
            stmt.for_each_read(&mut |buf, _| {
                found.insert(buf);
            });
        });
        found
    }

    /// The buffers that the ends of loops are read from.
    pub fn ends(&self) -> BTreeSet<&Name> {
        let mut found = BTreeSet::new();
        self.body.for_each(&mut |stmt| {
            if let Stmt::For { lo, hi, .. } | Stmt::Vectors { vectors: Vectors { lo, hi, .. }, .. } = stmt {
                for end in [lo, hi] {
                    end.for_each_read(&mut |buf, _| {
                        found.insert(buf);
                    });
                }
            }
        });
        found
    }

    /// The types of all buffers, parameters and scratch: their names are distinct.
    pub fn buffer_types(&self) -> BTreeMap<Name, Scalar> {
        let mut types: BTreeMap<Name, Scalar> =
            self.params.iter().map(|param| (param.name.clone(), param.scalar)).collect();
        self.body.for_each(&mut |stmt| {
            if let Stmt::Alloc { buf, scalar, .. } = stmt {
                types.insert(buf.clone(), *scalar);
            }
        });
        types
    }
}
