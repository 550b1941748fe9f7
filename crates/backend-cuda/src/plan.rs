//! What is launched: the statements of a kernel, sorted by who carries them out.
//!
//! A kernel is a sequence of launches: a result that is filled, or a nest of loops over blocks with what one
//! block does inside. A block does its items one after the other, all of its threads together; a *nest* is an
//! item that each thread carries out by itself. Loops and conditions around nests are the same for all
//! threads: their bounds are over sizes, blocks, such loops, and what inputs hold.
//!
//! A nest is loops over threads with nothing but conditions between, and then statements that know nothing of
//! other threads. Statements outside of all loops over threads are a nest of one thread.

use crate::{MAX_SHARED, MAX_THREADS, Refusal};
use atl_loops::{Access, Axis, Bool, Init, Int, Kernel, LoopKind, Name, Scalar, Stmt, Storage, Swizzle, Val};
use std::collections::BTreeSet;

/// A launch.
#[derive(Clone, Debug)]
pub struct Launch {
    /// What is launched.
    pub work: Work,
    /// How many threads a block has along each axis.
    pub threads: [i64; 3],
    /// The buffers in shared memory.
    pub shared: Vec<Shared>,
}

/// A buffer in shared memory.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Its name.
    pub buf: Name,
    /// The type of its cells.
    pub scalar: Scalar,
    /// How many there are.
    pub cells: i64,
    /// Where each lies: a place of its own among them.
    pub swizzle: Swizzle,
}

/// The loops over blocks: axis, variable, extent; none twice along an axis.
pub type Grid = Vec<(Axis, Name, Int)>;

/// What a launch does.
#[derive(Clone, Debug)]
pub enum Work {
    /// Every cell of an output gets this value.
    Fill {
        /// The output.
        buf: Name,
        /// Its cells.
        cells: Int,
        /// The value, which reads nothing.
        value: Val,
    },
    /// The items, for each block.
    Blocks {
        /// The loops over blocks.
        grid: Grid,
        /// What a block does.
        items: Vec<Item>,
    },
}

/// What the threads of a block do together.
#[derive(Clone, Debug)]
pub enum Item {
    /// The items, for each value of a variable.
    For {
        /// The variable.
        var: Name,
        /// The first value.
        lo: Int,
        /// One past the last.
        hi: Int,
        /// Is it to be written out?
        unroll: bool,
        /// The items.
        body: Vec<Item>,
    },
    /// The items, if a condition holds.
    If {
        /// The condition.
        cond: Bool,
        /// The items.
        then: Vec<Item>,
        /// The other items.
        otherwise: Vec<Item>,
    },
    /// What is spread over the threads, alive in the items.
    Tile {
        /// The buffer.
        buf: Name,
        /// The type of a cell.
        scalar: Scalar,
        /// How many cells all threads have.
        cells: i64,
        /// How it is spread.
        tile: crate::tiles::Tile,
        /// What the cells hold at first.
        init: Init,
        /// The items.
        body: Vec<Item>,
    },
    /// A new lifetime of a tile.
    ResetTile {
        /// The buffer.
        buf: Name,
        /// The value.
        value: Val,
    },
    /// Every cell of a buffer in shared memory gets this value, by all threads.
    Fill {
        /// The buffer.
        buf: Name,
        /// Its cells.
        cells: i64,
        /// The value.
        value: Val,
    },
    /// What each thread does by itself.
    Nest(Box<Nest>),
    /// All threads wait for each other.
    Barrier,
}

/// What each thread does by itself.
#[derive(Clone, Debug)]
pub struct Nest {
    /// Loops over threads and conditions, outermost first.
    pub frames: Vec<Frame>,
    /// What a thread does.
    pub body: Stmt,
    /// All of it.
    pub whole: Stmt,
}

/// A loop over threads, or a condition.
#[derive(Clone, Debug)]
pub enum Frame {
    /// The threads along an axis, as many as the extent.
    Thread(Axis, Name, i64),
    /// A condition.
    If(Bool),
}

impl Nest {
    /// The extent along an axis, if there is a loop along it.
    pub fn extent(&self, axis: Axis) -> Option<i64> {
        self.frames.iter().find_map(|frame| match frame {
            Frame::Thread(own, _, extent) if *own == axis => Some(*extent),
            _ => None,
        })
    }
}

/// The launches of a kernel, or why there are none.
pub fn plan(kernel: &Kernel) -> Result<Vec<Launch>, Refusal> {
    let mut launches = Vec::new();
    for stmt in sequence(&kernel.body) {
        launches.push(Planner { kernel, launch: empty() }.launch(stmt)?);
    }
    Ok(launches)
}

/// The statements of a sequence.
fn sequence(stmt: &Stmt) -> Vec<&Stmt> {
    match stmt {
        Stmt::Seq(stmts) => stmts.iter().flat_map(sequence).collect(),
        stmt => vec![stmt],
    }
}

fn empty() -> Launch {
    Launch { work: Work::Blocks { grid: Vec::new(), items: Vec::new() }, threads: [1; 3], shared: Vec::new() }
}

struct Planner<'a> {
    kernel: &'a Kernel,
    launch: Launch,
}

impl Planner<'_> {
    fn launch(mut self, stmt: &Stmt) -> Result<Launch, Refusal> {
        if let Stmt::Reset { buf, init } = stmt {
            let param = self.kernel.params.iter().find(|param| param.name == *buf);
            let (Some(param), Init::Value(value)) = (param, init) else { return Ok(self.launch) };
            let (buf, cells, value) = (buf.clone(), Int::product(&param.extents), value.clone());
            self.launch.work = Work::Fill { buf, cells, value };
            self.launch.threads = [256, 1, 1];
            return Ok(self.launch);
        }
        let (grid, inside) = self.grid(stmt)?;
        let items = self.items(inside)?;
        let threads: i64 = self.launch.threads.iter().product();
        if threads > MAX_THREADS || self.launch.threads[2] > 64 {
            let [x, y, z] = self.launch.threads;
            return Err(Refusal::new(
                format!("a block would have {x} * {y} * {z} threads"),
                "at most 1024 are possible, and 64 along `z`: split a loop, and let a thread run the inner part",
            ));
        }
        let size = |shared: &Shared| {
            shared.cells.checked_mul(i64::try_from(shared.scalar.size()).ok()?)?.checked_add(15)
        };
        let shared = self.launch.shared.iter().try_fold(0i64, |sum, buffer| sum.checked_add(size(buffer)?));
        if shared.is_none_or(|bytes| bytes > MAX_SHARED) {
            return Err(Refusal::new("a block shares more than 227 KiB".to_owned(), "choose smaller tiles"));
        }
        self.launch.work = Work::Blocks { grid, items };
        Ok(self.launch)
    }

    /// The loops over blocks, and what stands inside.
    fn grid<'s>(&self, stmt: &'s Stmt) -> Result<(Grid, &'s Stmt), Refusal> {
        let mut grid = Grid::new();
        let mut stmt = stmt;
        while let Stmt::For { var, lo, hi, kind: LoopKind::Block(axis), body } = stmt {
            if grid.iter().any(|(other, ..)| other == axis) {
                return Err(Refusal::new(
                    format!("the loop `{var}` is the second over blocks along `{}`", axis.name()),
                    "name another axis: `blocks L as y`",
                ));
            }
            if *lo != Int::Lit(0) || hi.reads() || grid.iter().any(|(_, outer, _)| hi.mentions(outer)) {
                return Err(Refusal::new(
                    format!("how many blocks the loop `{var}` has is not known before the launch"),
                    "extents of loops over blocks are over the function's sizes",
                ));
            }
            grid.push((*axis, var.clone(), hi.clone()));
            stmt = body;
        }
        Ok((grid, stmt))
    }

    /// What a block does, of a statement.
    fn items(&mut self, stmt: &Stmt) -> Result<Vec<Item>, Refusal> {
        if !is_together(stmt) {
            return self.nest(stmt);
        }
        match stmt {
            Stmt::Seq(stmts) => {
                let items = stmts.iter().map(|stmt| self.items(stmt)).collect::<Result<Vec<_>, _>>()?;
                Ok(items.concat())
            }
            Stmt::For { var, kind: LoopKind::Block(_), .. } => Err(Refusal::new(
                format!("the loop `{var}` over blocks stands inside of what a block does"),
                "loops over blocks stand outermost, directly in each other: `reorder` them, and `compute` or `store` what is \
                 between inside",
            )),
            Stmt::For { kind: LoopKind::Thread(_), .. } => self.nest(stmt),
            Stmt::For { var, kind: LoopKind::Unless(_), .. } => Err(Refusal::new(
                format!("the loop `{var}` is left early, and the threads of a block run it together"),
                "rounds that end by themselves stand in what one thread does",
            )),
            Stmt::For { var, lo, hi, kind, body } => {
                self.same_for_all(|f| {
                    lo.for_each_read(&mut |buf, _| f(buf));
                    hi.for_each_read(&mut |buf, _| f(buf));
                })?;
                let unroll = *kind == LoopKind::Unroll;
                let (var, lo, hi) = (var.clone(), lo.clone(), hi.clone());
                Ok(vec![Item::For { var, lo, hi, unroll, body: self.items(body)? }])
            }
            Stmt::If { cond, then, otherwise } => {
                self.same_for_all(|f| cond.for_each_read(&mut |buf, _| f(buf)))?;
                let (cond, then) = (cond.clone(), self.items(then)?);
                let otherwise = otherwise.as_ref().map(|o| self.items(o)).transpose()?.unwrap_or_default();
                Ok(vec![Item::If { cond, then, otherwise }])
            }
            Stmt::Alloc { buf, scalar, extents, storage, init, body } => {
                let cells = Int::product(extents).constant().filter(|cells| *cells >= 0);
                match (storage, cells) {
                    (Storage::Shared(swizzle), Some(cells)) => {
                        let mut items = Vec::new();
                        if let Init::Value(value) = init {
                            items.push(Item::Fill { buf: buf.clone(), cells, value: value.clone() });
                        }
                        let (buf, scalar, swizzle) = (buf.clone(), *scalar, *swizzle);
                        self.launch.shared.push(Shared { buf, scalar, cells, swizzle });
                        items.extend(self.items(body)?);
                        Ok(items)
                    }
                    (Storage::Stack | Storage::Register, Some(cells)) => {
                        let (buf, scalar, init) = (buf.clone(), *scalar, init.clone());
                        let tile = crate::tiles::Tile::default();
                        Ok(vec![Item::Tile { buf, scalar, cells, tile, init, body: self.items(body)? }])
                    }
                    _ => Err(Refusal::new(
                        format!("`{buf}` is kept on the heap, which a block of a device has none of"),
                        "with constant extents it can be stored: `store X in shared` or `in register`; `compute X at L` makes it smaller",
                    )),
                }
            }
            Stmt::Reset { buf, .. } if self.kernel.params.iter().any(|param| param.name == *buf) => {
                Err(Refusal::new(
                    format!("a block gives every cell of `{buf}` a value, and others have cells of it"),
                    "add sums up in a `let`, as `stage L as acc` does",
                ))
            }
            Stmt::Reset { buf, init: Init::Value(value) } => {
                match self.launch.shared.iter().find(|shared| shared.buf == *buf) {
                    Some(shared) => {
                        let cells = shared.cells;
                        Ok(vec![Item::Fill { buf: buf.clone(), cells, value: value.clone() }])
                    }
                    None => Ok(vec![Item::ResetTile { buf: buf.clone(), value: value.clone() }]),
                }
            }
            Stmt::Reset { .. } | Stmt::Forget { .. } | Stmt::Prefetch { .. } => Ok(Vec::new()),
            Stmt::Store { .. } => self.nest(stmt),
            Stmt::Push { buf, .. } | Stmt::Visit { buf, .. } => Err(ordered(buf)),
            Stmt::Merge { keys, .. } => Err(merged(keys)),
            Stmt::Vectors { .. } | Stmt::Search { .. } | Stmt::Intersection { .. } => {
                self.items(&stmt.plain())
            }
        }
    }

    /// Refuses what all threads of a block need to know alike, and which is read from what they store.
    fn same_for_all(&self, reads: impl FnOnce(&mut dyn FnMut(&Name))) -> Result<(), Refusal> {
        let mut found = None;
        reads(&mut |buf| {
            let is_input =
                |param: &&atl_loops::BufferParam| param.name == *buf && param.access == Access::Read;
            if !self.kernel.params.iter().any(|param| is_input(&param)) {
                found = Some(buf.clone());
            }
        });
        match found {
            None => Ok(()),
            Some(buf) => Err(Refusal::new(
                format!("what a block does next depends on `{buf}`, which its threads store"),
                "loops and conditions around loops over threads are over sizes and inputs",
            )),
        }
    }

    /// A statement that threads carry out each by itself.
    fn nest(&mut self, stmt: &Stmt) -> Result<Vec<Item>, Refusal> {
        let (mut frames, mut inside): (Vec<Frame>, &Stmt) = (Vec::new(), stmt);
        loop {
            match inside {
                Stmt::For { var, lo, hi, kind: LoopKind::Thread(axis), body } => {
                    let (Int::Lit(0), Int::Lit(extent @ 1..)) = (lo, hi) else {
                        return Err(Refusal::new(
                            format!("the loop `{var}` over threads does not run from 0 to a positive number"),
                            "split it by a constant",
                        ));
                    };
                    let has = |frame: &Frame| matches!(frame, Frame::Thread(other, ..) if other == axis);
                    if frames.iter().any(has) {
                        return Err(Refusal::new(
                            format!("the loop `{var}` is the second over threads along `{}`", axis.name()),
                            "name another axis: `threads L as y`",
                        ));
                    }
                    let most = &mut self.launch.threads[*axis as usize];
                    *most = (*most).max(*extent);
                    frames.push(Frame::Thread(*axis, var.clone(), *extent));
                    inside = body;
                }
                Stmt::If { cond, then, otherwise: None } if has_threads(then) => {
                    frames.push(Frame::If(cond.clone()));
                    inside = then;
                }
                _ => break,
            }
        }
        alone(inside)?;
        Ok(vec![Item::Nest(Box::new(Nest { frames, body: inside.clone(), whole: stmt.clone() }))])
    }
}

fn has_threads(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.for_each(&mut |stmt| found |= matches!(stmt, Stmt::For { kind: LoopKind::Thread(_), .. }));
    found
}

/// Is it for the threads of a block together? What has neither loops over blocks or threads nor shared memory
/// in it is for one.
fn is_together(stmt: &Stmt) -> bool {
    let mut found = matches!(stmt, Stmt::Reset { .. } | Stmt::Forget { .. } | Stmt::Prefetch { .. });
    stmt.for_each(&mut |stmt| {
        found |= matches!(
            stmt,
            Stmt::For { kind: LoopKind::Thread(_) | LoopKind::Block(_), .. }
                | Stmt::Alloc { storage: Storage::Shared(_) | Storage::Heap | Storage::Touched, .. }
                | Stmt::Push { .. }
                | Stmt::Visit { .. }
                | Stmt::Merge { .. }
        );
    });
    found
}

/// Refuses what a thread cannot do by itself.
fn alone(body: &Stmt) -> Result<(), Refusal> {
    let mut local = BTreeSet::new();
    let mut refusal = None;
    body.for_each(&mut |stmt| {
        if let Stmt::Alloc { buf, .. } = stmt {
            local.insert(buf);
        }
        let found = match stmt {
            Stmt::For { var, kind: LoopKind::Thread(_), .. } => Some(Refusal::new(
                format!("the loop `{var}` over threads stands beside other statements, or in a loop of a thread"),
                "loops over threads stand directly in each other, but for conditions: `reorder` them outside of what a thread runs",
            )),
            Stmt::For { var, kind: LoopKind::Block(_), .. } => Some(Refusal::new(
                format!("the loop `{var}` over blocks stands in what one thread does"),
                "loops over blocks stand outermost",
            )),
            Stmt::Alloc { buf, storage: Storage::Shared(_), .. } => Some(Refusal::new(
                format!("`{buf}` is shared, and allocated by one thread"),
                "`compute` it outside of the loops over threads",
            )),
            Stmt::Alloc { buf, storage: Storage::Heap | Storage::Touched, .. } => Some(Refusal::new(
                format!("`{buf}` is kept on the heap, which a thread of a device has none of"),
                "with constant extents it can be stored: `store X in register`",
            )),
            Stmt::Reset { buf, .. } if !local.contains(buf) => Some(Refusal::new(
                format!("a thread gives every cell of `{buf}` a value, and others may use it"),
                "`compute` it where it is used",
            )),
            Stmt::Push { buf, .. } | Stmt::Visit { buf, .. } => Some(ordered(buf)),
            Stmt::Merge { keys, .. } => Some(merged(keys)),
            _ => None,
        };
        refusal = refusal.take().or(found);
    });
    refusal.map_or(Ok(()), Err)
}

fn merged(keys: &[Name]) -> Refusal {
    let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    Refusal::new(
        format!("the keys {} of several runs come in order", keys.join(", ")),
        "threads have no order: let the result be dense",
    )
}

fn ordered(buf: &Name) -> Refusal {
    Refusal::new(format!("`{buf}` is filled in order"), "threads have no order: let the result be dense")
}
