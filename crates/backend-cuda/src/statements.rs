//! Launches, items and statements as CUDA C++, each as it stands.

use crate::plan::{Frame, Item, Launch, Nest, Shared, Work};
use crate::terms::{Terms, c_type};
use crate::{Refusal, STATIC_SHARED, host};
use atl_c_text::Dialect;
use atl_loops::{Axis, Init, Int, Kernel, LoopKind, Name, ReduceOp, Scalar, Stmt, StoreMode, Val, is_half};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Prints launches.
pub(crate) struct Printer {
    terms: Terms,
    text: String,
    depth: usize,
    /// How many cells each local buffer has.
    cells: BTreeMap<Name, i64>,
    /// The threads of a block.
    threads: [i64; 3],
}

impl Printer {
    pub(crate) fn new(terms: Terms) -> Printer {
        Printer { terms, text: String::new(), depth: 0, cells: BTreeMap::new(), threads: [1; 3] }
    }

    pub(crate) fn helpers(&self) -> &BTreeSet<&'static str> {
        &self.terms.context().helpers
    }

    pub(crate) fn terms(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn line(&mut self, line: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * self.depth);
    }

    fn block(&mut self, opening: &str, body: impl FnOnce(&mut Printer)) {
        self.line(&format!("{opening}{{"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    /// The device's function of a launch.
    pub(crate) fn launch(&mut self, kernel: &Kernel, launch: &Launch, name: &str) -> Result<String, Refusal> {
        self.text.clear();
        self.threads = launch.threads;
        let threads: i64 = launch.threads.iter().product();
        let parameters = host::parameters(kernel, "__restrict__ ").join(", ");
        let opening =
            format!("extern \"C\" __global__ void __launch_bounds__({threads}) {name}({parameters}) ");
        self.block(&opening, |printer| match &launch.work {
            Work::Fill { buf, cells, value } => {
                printer.line(&format!(
                    "const long long atl_k = (long long)blockIdx.x * {threads} + threadIdx.x;"
                ));
                let (cells, value) = (printer.terms.int(cells), printer.terms.val(value));
                let buf = printer.terms.identifier(buf);
                printer.line(&format!("if (atl_k < {cells}) {buf}[atl_k] = {value};"));
            }
            Work::Blocks { grid, items } => {
                printer.shared(launch);
                for (axis, var, extent) in grid {
                    printer.terms.enter(var, &Int::Lit(0), extent);
                    let var = printer.terms.identifier(var);
                    printer.line(&format!("const long long {var} = blockIdx.{};", axis.name()));
                }
                // The variable of a block is wide, whatever its extent.
                grid.iter().for_each(|(_, var, _)| printer.terms.widen(var));
                printer.items(items);
            }
        });
        self.terms.checked()?;
        Ok(format!("{}\n", self.text))
    }

    /// Declares what is in shared memory.
    fn shared(&mut self, launch: &Launch) {
        let bytes = host::shared_bytes(launch);
        if bytes > STATIC_SHARED {
            self.line("ATL_DYNAMIC_SHARED(atl_shared);");
        }
        let mut offset = 0;
        for Shared { buf, scalar, cells, swizzle } in &launch.shared {
            self.terms.add_swizzle(buf, *swizzle);
            let (name, ty) = (self.terms.identifier(buf), c_type(*scalar));
            if bytes > STATIC_SHARED {
                self.line(&format!("{ty} *const {name} = ({ty} *)(atl_shared + {offset});"));
                offset += host::bytes(*scalar, *cells);
            } else {
                self.line(&format!("__shared__ __align__(16) {ty} {name}[{}];", (*cells).max(1)));
            }
        }
    }

    fn items(&mut self, items: &[Item]) {
        items.iter().for_each(|item| self.item(item));
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::For { var, lo, hi, unroll, body } => {
                self.for_loop(var, lo, hi, *unroll, |printer| printer.items(body));
            }
            Item::If { cond, then, otherwise } => {
                let cond = self.terms.bool(cond);
                self.block(&format!("if ({cond}) "), |printer| printer.items(then));
                if !otherwise.is_empty() {
                    self.block("else ", |printer| printer.items(otherwise));
                }
            }
            Item::Tile { buf, scalar, tile, init, body, .. } => self.block("", |printer| {
                printer.terms.add_tile(buf, tile);
                printer.local(buf, *scalar, tile.cells, init);
                printer.items(body);
            }),
            Item::ResetTile { buf, value } => {
                let cells = self.terms.tile(buf).map_or(0, |tile| tile.cells);
                self.fill(buf, cells, value);
            }
            Item::Fill { buf, cells, value } => {
                let [x, y, z] = self.threads;
                let threads = x * y * z;
                let first = match (y, z) {
                    (1, 1) => "(int)threadIdx.x".to_owned(),
                    (_, 1) => format!("(int)(threadIdx.y * {x} + threadIdx.x)"),
                    _ => format!("(int)((threadIdx.z * {y} + threadIdx.y) * {x} + threadIdx.x)"),
                };
                let (buf, value) = (self.terms.identifier(buf), self.terms.val(value));
                self.line(&format!(
                    "for (int atl_k = {first}; atl_k < {cells}; atl_k += {threads}) {buf}[atl_k] = {value};"
                ));
            }
            Item::Nest(nest) => self.nest(nest),
            Item::Barrier => self.line("__syncthreads();"),
        }
    }

    fn nest(&mut self, nest: &Nest) {
        let mut guards = Vec::new();
        for axis in Axis::ALL {
            let most = self.threads[axis as usize];
            match nest.extent(axis) {
                _ if most == 1 => {}
                None => guards.push(format!("threadIdx.{} == 0", axis.name())),
                Some(extent) if extent < most => guards.push(format!("threadIdx.{} < {extent}", axis.name())),
                Some(_) => {}
            }
        }
        let threads = nest.frames.iter().filter_map(|frame| match frame {
            Frame::Thread(axis, var, _) => Some((*axis, var.clone())),
            Frame::If(_) => None,
        });
        self.terms.set_nest(threads.collect());
        let opening = match guards.is_empty() {
            true => String::new(),
            false => format!("if ({}) ", guards.join(" && ")),
        };
        self.block(&opening, |printer| printer.frames(&nest.frames, &nest.body));
        self.terms.set_nest(Vec::new());
    }

    fn frames(&mut self, frames: &[Frame], body: &Stmt) {
        match frames.split_first() {
            None => self.stmt(body),
            Some((Frame::Thread(axis, var, extent), rest)) => {
                self.terms.enter(var, &Int::Lit(0), &Int::Lit(*extent));
                let variable = self.terms.identifier(var);
                self.line(&format!("const int {variable} = threadIdx.{};", axis.name()));
                self.frames(rest, body);
            }
            Some((Frame::If(cond), rest)) => {
                let cond = self.terms.bool(cond);
                self.block(&format!("if ({cond}) "), |printer| printer.frames(rest, body));
            }
        }
    }

    fn for_loop(&mut self, var: &Name, lo: &Int, hi: &Int, unroll: bool, body: impl FnOnce(&mut Printer)) {
        let (first, mut end) = (self.terms.int(lo), self.terms.int(hi));
        let mut declared = String::new();
        let ty = if self.terms.enter(var, lo, hi) { "int" } else { "long long" };
        let variable = self.terms.identifier(var);
        if hi.reads() {
            let name = format!("atl_end_{variable}");
            declared = format!(", {name} = {end}");
            end = name;
        }
        if unroll {
            self.line("#pragma unroll");
        }
        let opening = format!("for ({ty} {variable} = {first}{declared}; {variable} < {end}; {variable}++) ");
        self.block(&opening, body);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt)),
            Stmt::For { var, lo, hi, kind, body } => {
                let unroll = matches!(kind, LoopKind::Unroll | LoopKind::Vector { .. });
                self.for_loop(var, lo, hi, unroll, |printer| {
                    if let LoopKind::Unless(stop) = kind {
                        let stop = printer.terms.val(&Val::scalar(stop.clone()));
                        printer.line(&format!("if ({stop}) break;"));
                    }
                    printer.stmt(body);
                });
            }
            Stmt::If { cond, then, otherwise } => {
                let cond = self.terms.bool(cond);
                self.block(&format!("if ({cond}) "), |printer| printer.stmt(then));
                if let Some(otherwise) = otherwise {
                    self.block("else ", |printer| printer.stmt(otherwise));
                }
            }
            Stmt::Alloc { buf, scalar, extents, init, body, .. } => self.block("", |printer| {
                if extents.is_empty() {
                    printer.terms.add_scalar(buf);
                }
                let cells = Int::product(extents).constant().unwrap_or(0);
                printer.local(buf, *scalar, cells, init);
                printer.stmt(body);
            }),
            Stmt::Reset { buf, init: Init::Value(value) } => {
                let cells = self.cells.get(buf).copied().unwrap_or(0);
                self.fill(buf, cells, value);
            }
            Stmt::Store { buf, index, value, mode } => {
                let cell = self.terms.cell(buf, index);
                let scalar = self.terms.buffer_type(buf);
                let line = match mode {
                    StoreMode::Set | StoreMode::Replace => format!("{cell} = {};", self.terms.val(value)),
                    StoreMode::Reduce(ReduceOp::Add) if scalar.is_float() && !is_half(scalar) => {
                        format!("{cell} += {};", self.terms.val(value))
                    }
                    StoreMode::Reduce(op) => {
                        format!("{cell} = {};", self.terms.combine(op.bin_op(), scalar, &cell, value))
                    }
                };
                self.line(&line);
            }
            // What memory holds is not looked at again; the plan has refused the last three.
            Stmt::Reset { .. }
            | Stmt::Forget { .. }
            | Stmt::Prefetch { .. }
            | Stmt::Push { .. }
            | Stmt::Visit { .. }
            | Stmt::Merge { .. } => {}
            // A device runs the loop that it means.
            Stmt::Vectors { .. } | Stmt::Search { .. } | Stmt::Intersection { .. } => {
                self.stmt(&stmt.plain())
            }
        }
    }

    /// Declares a thread's own buffer.
    fn local(&mut self, buf: &Name, scalar: Scalar, cells: i64, init: &Init) {
        let (name, ty) = (self.terms.identifier(buf), c_type(scalar));
        self.cells.insert(buf.clone(), cells);
        match (self.terms.is_scalar(buf), init) {
            (true, Init::Value(value)) => {
                let value = self.terms.val(value);
                self.line(&format!("{ty} {name} = {value};"));
            }
            (true, Init::Uninit) => self.line(&format!("{ty} {name};")),
            (false, init) => {
                self.line(&format!("{ty} {name}[{}];", cells.max(1)));
                if let Init::Value(value) = init {
                    self.fill(buf, cells, value);
                }
            }
        }
    }

    fn fill(&mut self, buf: &Name, cells: i64, value: &Val) {
        let (name, value) = (self.terms.identifier(buf), self.terms.val(value));
        if self.terms.is_scalar(buf) {
            return self.line(&format!("{name} = {value};"));
        }
        self.line("#pragma unroll");
        self.line(&format!("for (int atl_k = 0; atl_k < {cells}; atl_k++) {name}[atl_k] = {value};"));
    }
}
