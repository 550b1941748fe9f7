//! A kernel at concrete sizes: loops with trip counts, and leaves that say what they compute and touch.
//!
//! Bounds that depend on an outer loop are taken at their mean, and a condition counts by how often it holds;
//! strides are what the next iteration changes. Loops without trips, and branches never taken, are left out.
//!
//! What arrays hold is not known here. A cell whose place is read from an array counts as one that lies on
//! another line of memory than the one before; a condition that reads one, as holding. Bounds of loops that
//! are read are not estimated.

use crate::Machine;
use crate::dots::counted;
use crate::footprint::Access;
use crate::sample::{Range, Samples, mentions, value};
use crate::writes_out;
use atl_loops::changes::Change;
use atl_loops::elementary::row;
use atl_loops::{
    BinOp, Bool, Init, Int, IntOp, Kernel, LoopKind, Name, Scalar, Stmt, Storage, StoreMode, UnOp, Val,
};
use std::collections::BTreeMap;

/// The part of the registers that a tile may take.
const TILE: f64 = 0.875;
/// How many parts of a value are compared.
const PARTS: usize = 400;
/// By how many bytes cells lie apart whose places are read from an array: more than a line, and no multiple
/// of one.
const APART: i64 = 200;

/// A part of a kernel.
#[derive(Clone, Debug)]
pub(crate) enum Region {
    /// One store, with what its value takes.
    Leaf(Leaf),
    /// One after the other.
    Seq(Vec<Region>),
    /// A loop.
    Loop(Loop, Box<Region>),
    /// What is run for this part of the iterations.
    Branch(f64, Box<Region>),
    /// Memory from the allocator.
    Allocation,
}

/// A loop with a known number of trips, at least one.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) trips: i64,
    pub(crate) kind: LoopKind,
    /// Are the bounds literals, so that a compiler can write the body out?
    pub(crate) constant: bool,
    /// Does what an array holds decide how often it runs?
    pub(crate) unforeseen: bool,
}

/// A store.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) accesses: Vec<Access>,
    /// Operations on scalars, conditions included, weighed by how long they take.
    pub(crate) operations: f64,
    /// Products, sums and other operations on numbers, each counted once.
    pub(crate) flops: f64,
    /// How many iterations of the innermost loop one instruction does.
    pub(crate) lanes: i64,
    /// For each loop around it: does each trip add to what the trip before left?
    pub(crate) carried: Vec<bool>,
}

/// The kernel at these sizes; none if its arithmetic leaves 64 bits.
pub(crate) fn region(kernel: &Kernel, sizes: &[i64], machine: &Machine) -> Option<Region> {
    let mut builder = Builder {
        machine,
        middle: kernel.sizes.iter().cloned().zip(sizes.iter().copied()).collect(),
        first: kernel.sizes.iter().cloned().zip(sizes.iter().copied()).collect(),
        loops: Vec::new(),
        buffers: BTreeMap::new(),
        types: kernel.buffer_types(),
        guards: 0.0,
        explicit: false,
    };
    for param in &kernel.params {
        builder.add_buffer(&param.name, param.scalar, &param.extents, Keeping::Shared)?;
        if let Some(buffer) = builder.buffers.get_mut(&param.name) {
            // What the near caches hold would be read from there.
            let large = buffer.bytes > machine.caches[1].bytes;
            buffer.streams = large && param.access == atl_loops::Access::Stream;
        }
    }
    builder.stmt(&kernel.body)
}

/// Who sees a buffer.
#[derive(Clone, Copy, PartialEq)]
enum Keeping {
    /// The caller, or another stage: in memory.
    Shared,
    /// Only the code around: a compiler may keep it in registers.
    Private,
    /// The same, and a variable for each cell or vector of cells where the code names them.
    Tile,
    /// One cell, which is a register.
    Register,
}

struct Buffer {
    number: usize,
    cell_bytes: i64,
    bytes: f64,
    cells: i64,
    keeping: Keeping,
    streams: bool,
    /// How many loops are around it: each of their iterations has its own.
    depth: usize,
}

/// A loop around the place at hand.
struct Around {
    name: Name,
    first: i64,
    shape: Loop,
    /// Are iterations passed by that change nothing, so that hardly one waits for the one before?
    passes: bool,
    /// Has it been made vectors, whatever its reads?
    explicit: bool,
}

struct Builder<'m> {
    machine: &'m Machine,
    /// Sizes, and loop variables halfway.
    middle: BTreeMap<Name, i64>,
    /// Sizes, and loop variables at their first value.
    first: BTreeMap<Name, i64>,
    loops: Vec<Around>,
    buffers: BTreeMap<Name, Buffer>,
    types: BTreeMap<Name, Scalar>,
    /// Operations of the conditions around the place at hand.
    guards: f64,
    /// Is the next loop one over whole vectors?
    explicit: bool,
}

impl Builder<'_> {
    fn add_buffer(&mut self, name: &Name, scalar: Scalar, extents: &[Int], keeping: Keeping) -> Option<()> {
        let mut cells = 1i64;
        for extent in extents {
            cells = cells.checked_mul(self.samples().mean(&|at| value(extent, at), &[extent])?)?;
        }
        let cell_bytes = bytes_of(scalar);
        let number = self.buffers.len();
        let bytes = cells as f64 * cell_bytes as f64;
        let depth = self.loops.len();
        let buffer = Buffer { number, cell_bytes, bytes, cells, keeping, streams: false, depth };
        self.buffers.insert(name.clone(), buffer);
        Some(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<Region> {
        match stmt {
            Stmt::Seq(stmts) => {
                Some(Region::Seq(stmts.iter().map(|stmt| self.stmt(stmt)).collect::<Option<_>>()?))
            }
            Stmt::For { var, lo, hi, kind, body } => self.for_loop(var, (lo, hi), kind, |trips| trips, body),
            Stmt::Search { search, body } => {
                let looks = |trips: i64| i64::from(trips.ilog2()) + 1;
                let body = Stmt::guard(search.cond(), (**body).clone());
                self.for_loop(&search.var, (&search.lo, &search.hi), &LoopKind::Serial, looks, &body)
            }
            Stmt::Vectors { vectors, body } => {
                let body = counted(&self.types, vectors, body);
                self.explicit = true;
                self.stmt(&vectors.plain(body))
            }
            Stmt::Intersection { .. } => self.stmt(&stmt.plain()),
            Stmt::If { cond, then, otherwise } => {
                let taken = self.taken(cond)?;
                let before = self.guards;
                self.guards += self.comparisons(cond);
                let mut parts = vec![self.branch(taken, then)?];
                if let Some(otherwise) = otherwise {
                    parts.push(self.branch(1.0 - taken, otherwise)?);
                }
                self.guards = before;
                Some(Region::Seq(parts))
            }
            Stmt::Alloc { buf, scalar, extents, storage, init, body } => {
                let keeping = match storage {
                    Storage::Register if extents.is_empty() => Keeping::Register,
                    Storage::Register => Keeping::Tile,
                    Storage::Stack | Storage::Shared(_) => Keeping::Private,
                    Storage::Heap | Storage::Touched => Keeping::Shared,
                };
                self.add_buffer(buf, *scalar, extents, keeping)?;
                let mut parts = Vec::new();
                if keeping == Keeping::Shared {
                    parts.push(Region::Allocation);
                }
                parts.push(self.fill(buf, init)?);
                parts.push(self.stmt(body)?);
                Some(Region::Seq(parts))
            }
            Stmt::Reset { buf, init } => self.fill(buf, init),
            Stmt::Prefetch { .. } | Stmt::Forget { .. } => Some(Region::Seq(Vec::new())),
            Stmt::Store { buf, index, value, mode } => self.store(buf, index, value, *mode),
            // How much is stored depends on the data.
            Stmt::Push { .. } | Stmt::Visit { .. } | Stmt::Merge { .. } => None,
        }
    }

    /// The iterations of the loops around.
    fn samples(&self) -> Samples {
        let range = |l: &Around| Range { name: l.name.clone(), first: l.first, trips: l.shape.trips };
        Samples { at: self.middle.clone(), loops: self.loops.iter().map(range).collect() }
    }

    /// What is run for a part of the iterations.
    fn branch(&mut self, part: f64, stmt: &Stmt) -> Option<Region> {
        if part <= 0.0 {
            return Some(Region::Seq(Vec::new()));
        }
        let region = self.stmt(stmt)?;
        Some(if part < 1.0 { Region::Branch(part, Box::new(region)) } else { region })
    }

    /// The part of the iterations for which a condition holds. Lanes are switched off, but run
    /// where the first of them does.
    fn taken(&self, cond: &Bool) -> Option<f64> {
        let part = self.samples().fraction(cond)?;
        let lanes = self.loops.last().filter(|l| matches!(l.shape.kind, LoopKind::Vector { .. }));
        match lanes {
            Some(l) if part > 0.0 && mentions(cond, &l.name) => {
                let mut samples = self.samples();
                samples.loops.pop();
                samples.at.insert(l.name.clone(), l.first);
                Some(samples.fraction(cond)?.max(part))
            }
            _ => Some(part),
        }
    }

    /// A loop, and how many of its trips cost something.
    fn for_loop(
        &mut self,
        var: &Name,
        (lo, hi): (&Int, &Int),
        kind: &LoopKind,
        cost: impl Fn(i64) -> i64,
        body: &Stmt,
    ) -> Option<Region> {
        let explicit = std::mem::take(&mut self.explicit);
        let from = value(lo, &self.middle)?;
        let between = |at: &BTreeMap<Name, i64>| value(hi, at)?.checked_sub(value(lo, at)?);
        let unforeseen = lo.reads() || hi.reads();
        // Bounds that an array decides are known to within a cell, if at all.
        let trips = self.samples().mean(&between, &[lo, hi])?.max(i64::from(unforeseen));
        if trips <= 0 {
            return Some(Region::Seq(Vec::new()));
        }
        let constant = (hi.clone() - lo.clone()).constant().is_some();
        let trips = cost(trips);
        // In a loop over vectors, each iteration is one for all lanes.
        let in_vectors = self.loops.iter().any(|l| l.explicit);
        let change = match kind {
            LoopKind::Serial if !unforeseen && !in_vectors => Change::of(&self.types, var, (lo, hi), body),
            _ => None,
        };
        let kind = match kind {
            LoopKind::Serial if !constant && self.is_of_integers(body, var) => {
                LoopKind::Vector { width: None }
            }
            kind => match &change {
                // To look at a vector takes a few operations more than what it is of.
                Some(change) => LoopKind::Vector { width: Some((change.vectors.lanes / 2).max(1)) },
                None => kind.clone(),
            },
        };
        let shape = Loop { trips, kind, constant, unforeseen };
        let shadowed = (self.middle.remove(var), self.first.remove(var));
        self.middle.insert(var.clone(), from.checked_add(trips / 2)?);
        self.first.insert(var.clone(), from);
        self.loops.push(Around {
            name: var.clone(),
            first: from,
            shape: shape.clone(),
            passes: change.is_some(),
            explicit,
        });
        let inside = self.stmt(body);
        self.loops.pop();
        for (values, before) in [(&mut self.middle, shadowed.0), (&mut self.first, shadowed.1)] {
            match before {
                Some(before) => values.insert(var.clone(), before),
                None => values.remove(var),
            };
        }
        Some(Region::Loop(shape, Box::new(inside?)))
    }

    /// Does the body of a loop compute integers alone, without tests or other loops, of cells that lie as far
    /// apart as its rounds? Compilers make vectors of such loops by themselves; of floats those that are to
    /// be vectors are marked.
    fn is_of_integers(&self, body: &Stmt, var: &Name) -> bool {
        let is_integer = |buf: &Name| self.types.get(buf).is_some_and(|scalar| !scalar.is_float());
        let is_plain = |value: &Val| {
            let mut plain = true;
            value.for_each(&mut |part| {
                plain &= match part {
                    Val::Load { buf, index } => is_integer(buf) && is_even(index, var),
                    Val::Select { .. } | Val::Call(..) | Val::Bin(BinOp::Div | BinOp::Rem, ..) => false,
                    _ => true,
                }
            });
            plain
        };
        match body {
            Stmt::Seq(stmts) => stmts.iter().all(|stmt| self.is_of_integers(stmt, var)),
            Stmt::For { lo, hi, kind: LoopKind::Unroll, body, .. } => {
                (hi.clone() - lo.clone()).constant().is_some() && self.is_of_integers(body, var)
            }
            Stmt::Alloc { extents, body, .. } => extents.is_empty() && self.is_of_integers(body, var),
            Stmt::Store { buf, index, value, .. } => {
                is_integer(buf) && is_even(index, var) && is_plain(value)
            }
            _ => false,
        }
    }

    /// Every cell set to a value.
    fn fill(&mut self, buf: &Name, init: &Init) -> Option<Region> {
        let buffer = self.buffers.get(buf)?;
        if matches!(init, Init::Uninit) || buffer.keeping == Keeping::Register || buffer.cells == 0 {
            return Some(Region::Seq(Vec::new()));
        }
        let shape = Loop {
            trips: buffer.cells,
            kind: LoopKind::Vector { width: None },
            constant: false,
            unforeseen: false,
        };
        let lanes = self.vector_lanes(buffer.cell_bytes, &shape);
        let mut loops: Vec<(i64, i64)> = self.loops.iter().map(|l| (0, l.shape.trips)).collect();
        loops.push((buffer.cell_bytes, buffer.cells));
        let access = Access {
            buffer: buffer.number,
            buffer_bytes: buffer.bytes,
            cell_bytes: buffer.cell_bytes,
            offset: 0,
            loops,
            lanes,
            writes: true,
            streams: false,
            pinned: false,
            resident: false,
        };
        let carried = vec![false; self.loops.len() + 1];
        let leaf = Leaf { accesses: vec![access], operations: 0.0, flops: 0.0, lanes, carried };
        Some(Region::Loop(shape, Box::new(Region::Leaf(leaf))))
    }

    fn store(&mut self, buf: &Name, index: &Int, value: &Val, mode: StoreMode) -> Option<Region> {
        let mut operations = self.guards;
        let mut loads = Vec::new();
        self.operations(value, &mut operations, &mut loads)?;
        let reduces = matches!(mode, StoreMode::Reduce(_));
        operations += f64::from(u8::from(reduces));
        let flops = flops(value) + f64::from(u8::from(reduces));
        let target = self.access(buf, index, Sort::Store { reduces })?;
        let mut accesses: Vec<Access> = Vec::new();
        index.for_each_read(&mut |buf, cell| loads.push((buf, cell)));
        for (buf, index) in loads {
            accesses.extend(self.access(buf, index, Sort::Load)?);
        }
        accesses.extend(target.clone());
        let own = self.buffers.get(buf)?.depth;
        let carried = self.loops.iter().enumerate();
        let carried = carried
            .map(|(k, l)| Some(reduces && !l.passes && k >= own && self.stride(index, &l.name)? == 0))
            .collect::<Option<Vec<bool>>>()?;
        let lanes = self.lanes(&accesses, self.buffers.get(buf)?.cell_bytes, &carried);
        for access in &mut accesses {
            let stride = self.vector_depth().and_then(|depth| access.loops.get(depth)).map(|l| l.0);
            let adjacent = stride == Some(access.cell_bytes);
            access.lanes = if adjacent { lanes } else { 1 };
        }
        Some(Region::Leaf(Leaf { accesses, operations, flops, lanes, carried }))
    }

    /// Where the loop stands whose iterations are lanes here; sums inside are added up in vectors.
    fn vector_depth(&self) -> Option<usize> {
        self.loops.iter().rposition(|l| matches!(l.shape.kind, LoopKind::Vector { .. }))
    }

    /// How many iterations of the innermost loop one instruction does that stores such cells: as many as all
    /// accesses allow.
    fn lanes(&self, accesses: &[Access], stored: i64, carried: &[bool]) -> i64 {
        let Some(depth) = self.vector_depth() else { return 1 };
        let strides = |access: &Access| access.loops.get(depth).map_or(0, |l| l.0);
        let is_explicit = self.loops[depth].explicit;
        let is_regular = |access: &Access| {
            [0, access.cell_bytes].contains(&strides(access)) || is_explicit && !access.writes
        };
        let regular = accesses.iter().all(is_regular);
        if !regular || carried.get(depth).copied().unwrap_or(false) {
            return 1;
        }
        let widest = accesses.iter().map(|access| access.cell_bytes).fold(stored, i64::max);
        self.vector_lanes(widest, &self.loops[depth].shape)
    }

    /// Lanes of a loop over cells of this size.
    fn vector_lanes(&self, cell_bytes: i64, shape: &Loop) -> i64 {
        let fit = i64::from(self.machine.vector_bytes) / cell_bytes.max(1);
        let asked = match shape.kind {
            LoopKind::Vector { width: Some(width) } => i64::from(width),
            _ => i64::MAX,
        };
        fit.min(asked).min(shape.trips).max(1)
    }

    /// An access at the place at hand; none for what a register holds.
    fn access(&self, buf: &Name, index: &Int, sort: Sort) -> Option<Option<Access>> {
        let buffer = self.buffers.get(buf)?;
        if buffer.keeping == Keeping::Register {
            return Some(None);
        }
        let bytes = |cells: i64| cells.checked_mul(buffer.cell_bytes);
        let loops = self
            .loops
            .iter()
            .map(|l| Some((bytes(self.stride(index, &l.name)?)?, l.shape.trips)))
            .collect::<Option<Vec<_>>>()?;
        let offset = if index.reads() { 0 } else { bytes(value(index, &self.first)?)? };
        let reduces = sort == Sort::Store { reduces: true };
        Some(Some(Access {
            buffer: buffer.number,
            buffer_bytes: buffer.bytes,
            cell_bytes: buffer.cell_bytes,
            offset,
            lanes: 1,
            writes: sort != Sort::Load,
            streams: sort != Sort::Load && buffer.streams,
            pinned: reduces && buffer.keeping == Keeping::Shared,
            resident: self.resident(buffer, &loops),
            loops,
        }))
    }

    /// Is the access to a tile in registers by literal cells, and do registers hold the tile and what it is
    /// made of?
    fn resident(&self, buffer: &Buffer, strides: &[(i64, i64)]) -> bool {
        let named =
            self.loops.iter().zip(strides).all(|(l, (stride, _))| *stride == 0 || writes_out(&l.shape));
        buffer.keeping == Keeping::Tile && buffer.bytes <= TILE * self.machine.register_bytes() && named
    }

    /// By how much the next iteration changes an index.
    fn stride(&self, index: &Int, var: &Name) -> Option<i64> {
        if !index.mentions(var) {
            return Some(0);
        }
        if index.reads() {
            return Some(APART);
        }
        let mut next = self.first.clone();
        *next.get_mut(var)? += 1;
        value(index, &next)?.checked_sub(value(index, &self.first)?)
    }

    /// What a value takes: operations, and the cells that it reads. Equal parts are computed once.
    fn operations<'v>(
        &self,
        val: &'v Val,
        operations: &mut f64,
        loads: &mut Vec<(&'v Name, &'v Int)>,
    ) -> Option<()> {
        let mut seen: Vec<&Val> = Vec::new();
        val.for_each(&mut |part| match part {
            part if !is_new(&mut seen, part) => {}
            Val::Lit(_) => {}
            Val::Load { buf, index } => {
                loads.push((buf, index));
                index.for_each_read(&mut |buf, cell| loads.push((buf, cell)));
            }
            Val::OfInt(_) | Val::Convert { .. } | Val::Cmp(..) | Val::Choose { .. } => *operations += 1.0,
            Val::Un(op, _) => *operations += unary(*op),
            Val::Bin(op, ..) => *operations += binary(*op),
            Val::Call(function, _) => *operations += row(*function).cost,
            Val::Select { cond, .. } => *operations += 1.0 + self.comparisons(cond),
        });
        Some(())
    }

    /// Comparisons of a condition that each iteration of the innermost loop makes; the others are made once.
    fn comparisons(&self, cond: &Bool) -> f64 {
        match cond {
            Bool::Lit(_) => 0.0,
            Bool::Cmp(_, a, b) => match self.loops.last() {
                Some(l) if a.mentions(&l.name) || b.mentions(&l.name) => 1.0,
                _ => 0.0,
            },
            Bool::And(a, b) | Bool::Or(a, b) => self.comparisons(a) + self.comparisons(b),
            Bool::Not(a) => self.comparisons(a),
        }
    }
}

/// Does the index change by the same in each round of a loop? One that is cut off or looked up does not.
fn is_even(index: &Int, var: &Name) -> bool {
    match index {
        Int::Lit(_) | Int::Var(_) => true,
        Int::Bin(IntOp::Add | IntOp::Sub | IntOp::Mul, a, b) => is_even(a, var) && is_even(b, var),
        Int::Bin(..) | Int::Load(..) => !index.mentions(var),
    }
}

/// Is the part none of those seen before, which it is from now on? Of very large values all parts are new.
fn is_new<'v>(seen: &mut Vec<&'v Val>, part: &'v Val) -> bool {
    let is_leaf = matches!(part, Val::Lit(_) | Val::Load { .. });
    if is_leaf || seen.len() >= PARTS {
        return true;
    }
    let is_new = !seen.contains(&part);
    if is_new {
        seen.push(part);
    }
    is_new
}

/// What an access does.
#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Load,
    Store { reduces: bool },
}

fn bytes_of(scalar: Scalar) -> i64 {
    i64::from(scalar.bits() / 8)
}

/// The operations on numbers of a value; of a choice, those of both branches.
fn flops(value: &Val) -> f64 {
    let mut count = 0.0;
    value.for_each(&mut |part| {
        count += f64::from(u8::from(matches!(part, Val::Un(..) | Val::Bin(..) | Val::Call(..))))
    });
    count
}

/// How long an operation keeps its unit busy, with an addition as one.
fn unary(op: UnOp) -> f64 {
    match op {
        UnOp::Neg | UnOp::Abs | UnOp::Not | UnOp::BitNot => 1.0,
        // A dozen steps, of which two or three go at once.
        UnOp::Popcount | UnOp::Clz | UnOp::Ctz => 5.0,
    }
}

/// See [`unary`].
fn binary(op: BinOp) -> f64 {
    match op {
        BinOp::Div | BinOp::Rem => 5.0,
        BinOp::MulHi => 2.0,
        _ => 1.0,
    }
}
