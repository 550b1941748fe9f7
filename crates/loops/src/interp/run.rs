//! Running a kernel.

use super::event::Event;
use super::memory::{Cells, Memory};
use super::search::Finger;
use super::trap::{RunError, Trap, TrapKind};
use crate::lanes::Vectors;
use crate::requirement::integers;
use crate::validate::validate;
use crate::{Bool, BufferParam, Init, Int, Kernel, Literal, LoopKind, Name, Stmt, StoreMode, Val};
use atl_scalars::call;

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The most statements and iterations that are executed.
    pub steps: u64,
    /// The most cells that one buffer may have.
    pub cells: usize,
    /// Which iterations of searches are run.
    pub searches: Searches,
}

/// Which iterations of searches are run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Searches {
    /// Every one, and a run traps where what a search promises does not hold.
    #[default]
    All,
    /// Those that a back end runs: it looks for them, and believes the promise. So a run takes the time that its work takes.
    Found,
}

impl Default for Options {
    fn default() -> Options {
        Options { steps: 100_000_000, cells: 1 << 26, searches: Searches::All }
    }
}

/// Runs the kernel on these sizes and inputs and gives the outputs, each in calling order.
///
/// ```
/// use atl_loops::interp::{Cells, Options, interpret};
/// let kernel = atl_loops::parse_kernel(
///     "kernel double(N) in f32 x[N] out f32 y[N] { for i in 0..N { y[i] = x[i] + x[i] } }",
/// )?;
/// let outputs = interpret(&kernel, &[2], &[Cells::F32(vec![1.0, 2.5])], Options::default())?;
/// assert_eq!(outputs, [Cells::F32(vec![2.0, 5.0])]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn interpret(
    kernel: &Kernel,
    sizes: &[i64],
    inputs: &[Cells],
    options: Options,
) -> Result<Vec<Cells>, RunError> {
    observe(kernel, sizes, inputs, options, &mut |_| {})
}

/// [`interpret`], telling an observer what happens.
///
/// ```
/// use atl_loops::interp::{Event, Options, observe};
/// let text = "kernel down(N) out f32 y[N] { for i in 0..N { y[N - 1 - i] = 0.0f32 } }";
/// let mut cells = Vec::new();
/// observe(&atl_loops::parse_kernel(text)?, &[3], &[], Options::default(), &mut |event| {
///     if let Event::Stored { index, .. } = event {
///         cells.push(index);
///     }
/// })?;
/// assert_eq!(cells, [2, 1, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn observe(
    kernel: &Kernel,
    sizes: &[i64],
    inputs: &[Cells],
    options: Options,
    observer: &mut dyn FnMut(Event<'_>),
) -> Result<Vec<Cells>, RunError> {
    let violations = validate(kernel);
    if !violations.is_empty() {
        return Err(RunError::IllFormed(violations));
    }
    let mut run =
        Run { memory: Memory::default(), vars: Vec::new(), fingers: Vec::new(), steps: 0, options, observer };
    run.bind_sizes(kernel, sizes)?;
    run.bind_buffers(kernel, inputs)?;
    let names = kernel.params.iter().filter(|param| !param.access.is_output()).map(|param| &param.name);
    let arrays = names.zip(inputs).filter_map(|(name, cells)| Some((name.clone(), integers(cells)?)));
    if let Some(unmet) = kernel.unmet(sizes, &arrays.collect()) {
        return Err(RunError::Unmet(unmet));
    }
    let trap = |kind, at: &[(Name, i64)]| RunError::Trap(Trap { kind, at: at.to_vec() });
    let size_count = kernel.sizes.len();
    run.stmt(&kernel.body).map_err(|kind| trap(kind, &run.vars[size_count..]))?;
    let outputs = kernel.params.iter().filter(|param| param.access.is_output());
    outputs
        .map(|output| {
            let values = run.memory.finish(&output.name).map_err(|kind| trap(kind, &[]))?;
            Ok(Cells::from_literals(output.scalar, &values))
        })
        .collect()
}

impl Kernel {
    /// How many cells each parameter has at these sizes, or why the sizes are refused.
    pub fn cell_counts(&self, sizes: &[i64]) -> Result<Vec<usize>, RunError> {
        let options = Options { cells: usize::MAX, ..Options::default() };
        let (memory, observer) = (Memory::default(), &mut |_: Event<'_>| {});
        let mut run = Run { memory, vars: Vec::new(), fingers: Vec::new(), steps: 0, options, observer };
        run.bind_sizes(self, sizes)?;
        self.params.iter().map(|param| run.param_cells(param)).collect()
    }
}

pub(super) struct Run<'o> {
    memory: Memory,
    /// Sizes, then loop variables, innermost last. A trap leaves them as they are.
    pub(super) vars: Vec<(Name, i64)>,
    /// Where the searches along the loops around stand.
    pub(super) fingers: Vec<Finger>,
    steps: u64,
    pub(super) options: Options,
    pub(super) observer: &'o mut dyn FnMut(Event<'_>),
}

impl Run<'_> {
    fn bind_sizes(&mut self, kernel: &Kernel, sizes: &[i64]) -> Result<(), RunError> {
        if sizes.len() != kernel.sizes.len() {
            let message =
                format!("`{}` takes {} sizes, not {}", kernel.name, kernel.sizes.len(), sizes.len());
            return Err(RunError::Arguments(message));
        }
        for (name, size) in kernel.sizes.iter().zip(sizes) {
            self.vars.push((name.clone(), *size));
        }
        let at_least_zero = kernel.sizes.iter().map(|name| Bool::le(Int::Lit(0), Int::Var(name.clone())));
        for requirement in at_least_zero.chain(kernel.requires.iter().cloned()) {
            if !self.bool(&requirement).map_err(|kind| RunError::Trap(Trap { kind, at: Vec::new() }))? {
                return Err(RunError::Refused(requirement));
            }
        }
        Ok(())
    }

    fn bind_buffers(&mut self, kernel: &Kernel, inputs: &[Cells]) -> Result<(), RunError> {
        let mut inputs = inputs.iter();
        for param in &kernel.params {
            let extents = self.param_extents(param)?;
            let cells = self.cell_count(&param.name, &extents).map_err(trap_at_entry)?;
            if param.access.is_output() {
                match &param.over {
                    Some(input) => self.memory.push_over(&param.name, cells, input),
                    None => self.memory.push(&param.name, cells, None),
                }
                (self.observer)(Event::Allocated { buf: &param.name, extents: &extents });
                continue;
            }
            let values = inputs.next().map(|input| (input.scalar(), input.literals()));
            match values {
                Some((scalar, values)) if scalar == param.scalar && values.len() == cells => {
                    self.memory.push_input(&param.name, &values);
                }
                _ => {
                    let message =
                        format!("`{}` has to be {cells} cells of type {}", param.name, param.scalar);
                    return Err(RunError::Arguments(message));
                }
            }
        }
        match inputs.next() {
            None => Ok(()),
            Some(_) => Err(RunError::Arguments("there are more inputs than parameters".to_owned())),
        }
    }

    fn param_cells(&mut self, param: &BufferParam) -> Result<usize, RunError> {
        let extents = self.param_extents(param)?;
        self.cell_count(&param.name, &extents).map_err(trap_at_entry)
    }

    /// The extents of a parameter; a negative one refuses the call.
    fn param_extents(&mut self, param: &BufferParam) -> Result<Vec<usize>, RunError> {
        let extent = |extent: &Int| match self.int(extent).map_err(trap_at_entry)? {
            value if value < 0 => Err(RunError::Refused(Bool::le(Int::Lit(0), extent.clone()))),
            value => Ok(usize::try_from(value).unwrap_or(usize::MAX)),
        };
        param.extents.iter().map(extent).collect()
    }

    /// The extents of a scratch buffer, where a negative one means no cells.
    fn extents(&mut self, extents: &[Int]) -> Result<Vec<usize>, TrapKind> {
        extents.iter().map(|n| Ok(usize::try_from(self.int(n)?.max(0)).unwrap_or(usize::MAX))).collect()
    }

    fn cell_count(&self, name: &Name, extents: &[usize]) -> Result<usize, TrapKind> {
        let cells = extents.iter().try_fold(1usize, |cells, extent| cells.checked_mul(*extent));
        cells.filter(|cells| *cells <= self.options.cells).ok_or_else(|| TrapKind::TooLarge(name.clone()))
    }

    pub(super) fn step(&mut self) -> Result<(), TrapKind> {
        self.steps += 1;
        if self.steps <= self.options.steps { Ok(()) } else { Err(TrapKind::OutOfSteps) }
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) -> Result<(), TrapKind> {
        self.step()?;
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().try_for_each(|stmt| self.stmt(stmt)),
            Stmt::For { var, lo, hi, kind, body } => {
                let bounds = (self.int(lo)?, self.int(hi)?);
                self.for_loop(var, bounds, kind, |run| run.stmt(body))
            }
            Stmt::Vectors { vectors: Vectors { var, lo, hi, lanes, .. }, body } => {
                let bounds = (self.int(lo)?, self.int(hi)?);
                let kind = LoopKind::Vector { width: Some(*lanes) };
                self.for_loop(var, bounds, &kind, |run| run.stmt(body))
            }
            Stmt::Search { search, body } => self.searching(search, |run| run.stmt(body)),
            Stmt::Intersection { intersection, body } => match self.options.searches {
                Searches::All => self.every_pair(intersection, body),
                Searches::Found => self.intersection(intersection, body),
            },
            Stmt::If { cond, then, otherwise } => match (self.bool(cond)?, otherwise) {
                (true, _) => self.stmt(then),
                (false, Some(otherwise)) => self.stmt(otherwise),
                (false, None) => Ok(()),
            },
            Stmt::Alloc { buf, extents, init, body, .. } => {
                let extents = self.extents(extents)?;
                let cells = self.cell_count(buf, &extents)?;
                let value = self.init(init)?;
                self.memory.push(buf, cells, value);
                (self.observer)(Event::Allocated { buf, extents: &extents });
                self.stmt(body)?;
                self.memory.pop();
                Ok(())
            }
            Stmt::Reset { buf, init } => {
                let value = self.init(init)?;
                self.memory.reset(buf, value)?;
                (self.observer)(Event::Reset { buf });
                Ok(())
            }
            Stmt::Forget { buf, lo, hi } => {
                let (lo, hi) = (self.int(lo)?, self.int(hi)?);
                (lo..hi).try_for_each(|index| self.memory.forget(buf, index))
            }
            Stmt::Prefetch { buf, index } => {
                let index = self.int(index)?;
                self.memory.prefetch(buf, index)
            }
            Stmt::Store { buf, index, value, mode } => {
                let value = self.val(value)?;
                let index = self.int(index)?;
                match mode {
                    StoreMode::Set => self.memory.set(buf, index, value)?,
                    StoreMode::Replace => {
                        self.memory.forget(buf, index)?;
                        self.memory.set(buf, index, value)?;
                    }
                    StoreMode::Reduce(op) => {
                        self.memory.update(buf, index, |old| typed(op.bin_op().apply(old, value)))?
                    }
                }
                // Memory has found the cell.
                let index = usize::try_from(index).unwrap_or_default();
                (self.observer)(Event::Stored { buf, index, mode: *mode });
                Ok(())
            }
            Stmt::Push { buf, value } => {
                let value = self.val(value)?;
                self.memory.append(buf, value, self.options.cells)
            }
            Stmt::Visit { var, buf, body } => {
                let (first, cells) = self.memory.visited(buf)?;
                (self.observer)(Event::Entered { var, turns: cells.len() as u64 });
                for cell in cells {
                    self.step()?;
                    self.vars.push((var.clone(), cell));
                    self.stmt(body)?;
                    self.vars.pop();
                }
                self.memory.reset(buf, first)
            }
            Stmt::Merge { keys, runs, body } => self.merge(keys, runs, body),
        }
    }

    pub(super) fn for_loop(
        &mut self,
        var: &Name,
        bounds: (i64, i64),
        kind: &LoopKind,
        each: impl Fn(&mut Self) -> Result<(), TrapKind>,
    ) -> Result<(), TrapKind> {
        self.fingers.retain(|finger| finger.along != *var);
        let is_concurrent = kind.is_concurrent();
        (self.observer)(Event::Entered {
            var,
            turns: bounds.1.saturating_sub(bounds.0).max(0).unsigned_abs(),
        });
        if is_concurrent {
            self.memory.enter(var);
        }
        for value in bounds.0..bounds.1 {
            self.step()?;
            if let LoopKind::Unless(stop) = kind
                && self.memory.load(stop, 0)? == Literal::Bool(true)
            {
                break;
            }
            if is_concurrent {
                self.memory.iterate(value);
            }
            self.vars.push((var.clone(), value));
            each(self)?;
            self.vars.pop();
        }
        if is_concurrent {
            self.memory.leave();
        }
        Ok(())
    }

    fn init(&mut self, init: &Init) -> Result<Option<Literal>, TrapKind> {
        match init {
            Init::Uninit => Ok(None),
            Init::Value(value) => self.val(value).map(Some),
        }
    }

    pub(super) fn int(&mut self, int: &Int) -> Result<i64, TrapKind> {
        match int {
            Int::Lit(value) => Ok(*value),
            // The validator has seen that every variable is bound.
            Int::Var(name) => {
                Ok(self.vars.iter().rfind(|(var, _)| var == name).map_or(0, |(_, value)| *value))
            }
            Int::Bin(op, a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                op.apply(a, b).ok_or_else(|| TrapKind::Overflow(int.clone()))
            }
            Int::Load(buf, cell) => {
                let cell = self.int(cell)?;
                Ok(self.memory.load(buf, cell)?.integer().unwrap_or_default())
            }
        }
    }

    pub(super) fn bool(&mut self, bool: &Bool) -> Result<bool, TrapKind> {
        Ok(match bool {
            Bool::Lit(value) => *value,
            Bool::Cmp(op, a, b) => op.apply(&self.int(a)?, &self.int(b)?),
            Bool::And(a, b) => self.bool(a)? && self.bool(b)?,
            Bool::Or(a, b) => self.bool(a)? || self.bool(b)?,
            Bool::Not(a) => !self.bool(a)?,
        })
    }

    fn val(&mut self, val: &Val) -> Result<Literal, TrapKind> {
        Ok(match val {
            Val::Lit(literal) => *literal,
            Val::Load { buf, index } => {
                let index = self.int(index)?;
                self.memory.load(buf, index)?
            }
            Val::OfInt(int) => Literal::i64(self.int(int)?),
            Val::Un(op, a) => typed(op.apply(self.val(a)?)),
            Val::Bin(op, a, b) => typed(op.apply(self.val(a)?, self.val(b)?)),
            Val::Call(function, operands) => {
                let operands = operands.iter().map(|a| self.val(a)).collect::<Result<Vec<_>, _>>()?;
                typed(call(*function, &operands))
            }
            Val::Cmp(op, a, b) => Literal::Bool(op.apply_values(self.val(a)?, self.val(b)?) == Some(true)),
            Val::Select { cond, then, otherwise } => {
                let taken = if self.bool(cond)? { then } else { otherwise };
                self.val(taken)?
            }
            Val::Choose { cond, then, otherwise } => {
                let taken = if self.val(cond)? == Literal::Bool(true) { then } else { otherwise };
                self.val(taken)?
            }
            Val::Convert { to, val } => self.val(val)?.convert(*to),
        })
    }
}

/// A trap before the first statement.
fn trap_at_entry(kind: TrapKind) -> RunError {
    RunError::Trap(Trap { kind, at: Vec::new() })
}

/// The result of an operation on types that the validator has found acceptable.
fn typed(result: Option<Literal>) -> Literal {
    result.unwrap_or(Literal::Bool(false))
}
