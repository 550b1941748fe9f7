//! Memory of the interpreter: cells with their history.

use super::trap::TrapKind;
use crate::{CmpOp, Literal, Name};
use atl_kernel::Scalar;
use atl_scalars::{Machine, bf16, f16};
use std::collections::BTreeMap;

macro_rules! cells {
    ($($name:ident $ty:ident $kind:ident $doc:literal;)*) => {
        /// The contents of a buffer.
        #[derive(Clone, PartialEq, Debug)]
        pub enum Cells {
            $(#[doc = $doc] $name(Vec<$ty>),)*
        }

        impl Cells {
            /// The type of a cell.
            pub fn scalar(&self) -> Scalar {
                match self {
                    $(Cells::$name(_) => Scalar::$name,)*
                }
            }

            /// How many cells there are.
            pub fn len(&self) -> usize {
                match self {
                    $(Cells::$name(cells) => cells.len(),)*
                }
            }

            /// The values.
            pub fn literals(&self) -> Vec<Literal> {
                match self {
                    $(Cells::$name(cells) => cells.iter().map(|x| x.value()).collect(),)*
                }
            }

            /// The cells with these values, each converted to the type.
            pub fn from_literals(scalar: Scalar, literals: &[Literal]) -> Cells {
                match scalar {
                    $(Scalar::$name => {
                        Cells::$name(literals.iter().map(|x| <$ty>::of(*x)).collect())
                    })*
                }
            }
        }
    };
}

atl_kernel::scalars!(cells);

impl Cells {
    /// The cells with these values.
    pub fn of<T: Machine>(values: &[T]) -> Cells {
        let literals: Vec<Literal> = values.iter().map(|x| x.value()).collect();
        Cells::from_literals(T::SCALAR, &literals)
    }

    /// The values, converted to a Rust type.
    pub fn to_vec<T: Machine>(&self) -> Vec<T> {
        self.literals().into_iter().map(T::of).collect()
    }

    /// Is there no cell?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A cell within one lifetime of its buffer.
#[derive(Clone, Copy)]
struct Cell {
    value: Option<Literal>,
    /// Has it been stored to with `=`? A cell of an input has, and holds nothing once an output was stored over it.
    is_set: bool,
}

/// A buffer and, for its position in the stack of buffers, its cells.
struct Buffer {
    name: Name,
    cells: Vec<Cell>,
    /// What the cells held when the lifetime began.
    first: Option<Literal>,
    /// The position of the input whose memory it may be.
    over: Option<usize>,
}

/// The iterations of one concurrent loop that have touched a cell.
#[derive(Clone, Copy, Default)]
struct Touched {
    writer: Option<i64>,
    /// The first reader, and another one if there was.
    readers: [Option<i64>; 2],
}

impl Touched {
    /// Another iteration with which this access collides.
    fn collision(&self, iteration: i64, access: AccessKind) -> Option<i64> {
        let readers = if access == AccessKind::Write { self.readers } else { [None; 2] };
        readers.into_iter().chain([self.writer]).flatten().find(|other| *other != iteration)
    }

    fn record(&mut self, iteration: i64, access: AccessKind) {
        match (access, self.readers) {
            (AccessKind::Write, _) => self.writer = Some(iteration),
            (AccessKind::Read, [None, _]) => self.readers[0] = Some(iteration),
            (AccessKind::Read, [Some(first), _]) if first != iteration => self.readers[1] = Some(iteration),
            (AccessKind::Read, _) => {}
        }
    }
}

/// A concurrent loop that is running.
struct Region {
    var: Name,
    iteration: i64,
    /// The buffers below this position exist outside the loop.
    outer_buffers: usize,
    touched: BTreeMap<(usize, usize), Touched>,
}

/// How a cell is touched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AccessKind {
    Read,
    Write,
}

/// All live buffers, in the order of their scopes, and the concurrent loops around.
#[derive(Default)]
pub(super) struct Memory {
    buffers: Vec<Buffer>,
    regions: Vec<Region>,
}

impl Memory {
    /// Begins the scope of a buffer whose cells all hold `value`, or none.
    pub(super) fn push(&mut self, name: &Name, cells: usize, value: Option<Literal>) {
        let cells = vec![Cell { value, is_set: false }; cells];
        self.buffers.push(Buffer { name: name.clone(), cells, first: value, over: None });
    }

    /// Begins the scope of an output that may be stored over an input.
    pub(super) fn push_over(&mut self, name: &Name, cells: usize, input: &Name) {
        let over = self.position(input);
        self.push(name, cells, None);
        if let Some(output) = self.buffers.last_mut() {
            output.over = over;
        }
    }

    /// Begins the scope of an input.
    pub(super) fn push_input(&mut self, name: &Name, values: &[Literal]) {
        let cells = values.iter().map(|value| Cell { value: Some(*value), is_set: true }).collect();
        self.buffers.push(Buffer { name: name.clone(), cells, first: None, over: None });
    }

    /// Ends the innermost scope.
    pub(super) fn pop(&mut self) {
        self.buffers.pop();
    }

    /// Enters a concurrent loop.
    pub(super) fn enter(&mut self, var: &Name) {
        let outer_buffers = self.buffers.len();
        self.regions.push(Region { var: var.clone(), iteration: 0, outer_buffers, touched: BTreeMap::new() });
    }

    /// Starts an iteration of the innermost concurrent loop.
    pub(super) fn iterate(&mut self, iteration: i64) {
        if let Some(region) = self.regions.last_mut() {
            region.iteration = iteration;
        }
    }

    /// Leaves the innermost concurrent loop.
    pub(super) fn leave(&mut self) {
        self.regions.pop();
    }

    /// Reads a cell.
    pub(super) fn load(&mut self, buf: &Name, index: i64) -> Result<Literal, TrapKind> {
        let (position, index) = self.locate(buf, index)?;
        self.touch(position, index, AccessKind::Read)?;
        let Cell { value, is_set } = self.buffers[position].cells[index];
        value.ok_or_else(|| match is_set {
            true => TrapKind::StoredOver { buf: buf.clone(), index },
            false => TrapKind::Unwritten { buf: buf.clone(), index },
        })
    }

    /// Brings a cell near: there has to be one, whatever it holds.
    pub(super) fn prefetch(&self, buf: &Name, index: i64) -> Result<(), TrapKind> {
        self.locate(buf, index).map(drop)
    }

    /// Stores to a cell with `=`.
    pub(super) fn set(&mut self, buf: &Name, index: i64, value: Literal) -> Result<(), TrapKind> {
        let (position, index) = self.locate(buf, index)?;
        self.touch(position, index, AccessKind::Write)?;
        let cell = &mut self.buffers[position].cells[index];
        if cell.is_set {
            return Err(TrapKind::SetTwice { buf: buf.clone(), index });
        }
        *cell = Cell { value: Some(value), is_set: true };
        if let Some(input) = self.buffers[position].over
            && let Some(cell) = self.buffers[input].cells.get_mut(index)
        {
            cell.value = None;
        }
        Ok(())
    }

    /// Replaces the value of a cell that holds one by a function of it.
    pub(super) fn update(
        &mut self,
        buf: &Name,
        index: i64,
        f: impl FnOnce(Literal) -> Literal,
    ) -> Result<(), TrapKind> {
        let (position, index) = self.locate(buf, index)?;
        self.touch(position, index, AccessKind::Write)?;
        let cell = &mut self.buffers[position].cells[index];
        let old = cell.value.ok_or_else(|| TrapKind::Unwritten { buf: buf.clone(), index })?;
        cell.value = Some(f(old));
        Ok(())
    }

    /// Begins a new lifetime.
    pub(super) fn reset(&mut self, buf: &Name, value: Option<Literal>) -> Result<(), TrapKind> {
        let Some(position) = self.position(buf) else { return Ok(()) };
        for index in 0..self.buffers[position].cells.len() {
            self.touch(position, index, AccessKind::Write)?;
            self.buffers[position].cells[index] = Cell { value, is_set: false };
        }
        self.buffers[position].first = value;
        Ok(())
    }

    /// Begins a new lifetime of a cell, in which it holds nothing.
    pub(super) fn forget(&mut self, buf: &Name, index: i64) -> Result<(), TrapKind> {
        let (position, index) = self.locate(buf, index)?;
        self.touch(position, index, AccessKind::Write)?;
        self.buffers[position].cells[index] = Cell { value: None, is_set: false };
        Ok(())
    }

    /// Adds a cell that holds a value, unless there are as many as there may be.
    pub(super) fn append(&mut self, buf: &Name, value: Literal, most: usize) -> Result<(), TrapKind> {
        let Some(position) = self.position(buf) else { return Ok(()) };
        let cells = &mut self.buffers[position].cells;
        if cells.len() >= most {
            return Err(TrapKind::TooLarge(buf.clone()));
        }
        cells.push(Cell { value: Some(value), is_set: true });
        Ok(())
    }

    /// What the lifetime of the buffer began with, and the cells that hold another value.
    pub(super) fn visited(&mut self, buf: &Name) -> Result<(Option<Literal>, Vec<i64>), TrapKind> {
        let Some(position) = self.position(buf) else { return Ok((None, Vec::new())) };
        let first = self.buffers[position].first;
        let mut found = Vec::new();
        for cell in (0i64..).take(self.buffers[position].cells.len()) {
            let value = self.load(buf, cell)?;
            if first.and_then(|first| CmpOp::Ne.apply_values(value, first)) == Some(true) {
                found.push(cell);
            }
        }
        Ok((first, found))
    }

    /// The contents of an output, all of whose cells must hold values.
    pub(super) fn finish(&self, buf: &Name) -> Result<Vec<Literal>, TrapKind> {
        let cells = self.position(buf).map_or(&[][..], |position| &self.buffers[position].cells);
        let value = |(index, cell): (usize, &Cell)| {
            cell.value.ok_or_else(|| TrapKind::OutputUnwritten { buf: buf.clone(), index })
        };
        cells.iter().enumerate().map(value).collect()
    }

    fn position(&self, buf: &Name) -> Option<usize> {
        self.buffers.iter().rposition(|buffer| buffer.name == *buf)
    }

    fn locate(&self, buf: &Name, index: i64) -> Result<(usize, usize), TrapKind> {
        let out_of_bounds = |cells| TrapKind::OutOfBounds { buf: buf.clone(), index, cells };
        let position = self.position(buf).ok_or_else(|| out_of_bounds(0))?;
        let cells = self.buffers[position].cells.len();
        match usize::try_from(index) {
            Ok(index) if index < cells => Ok((position, index)),
            _ => Err(out_of_bounds(cells)),
        }
    }

    fn touch(&mut self, position: usize, index: usize, access: AccessKind) -> Result<(), TrapKind> {
        for region in self.regions.iter_mut().filter(|region| position < region.outer_buffers) {
            let touched = region.touched.entry((position, index)).or_default();
            if let Some(other) = touched.collision(region.iteration, access) {
                return Err(TrapKind::Race {
                    buf: self.buffers[position].name.clone(),
                    index,
                    var: region.var.clone(),
                    iterations: (other, region.iteration),
                });
            }
            touched.record(region.iteration, access);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Memory, TrapKind};
    use crate::{Literal, Name};

    #[test]
    fn what_was_stored_over_is_gone() {
        let (x, y, one) = (Name::new("x"), Name::new("y"), Literal::F32(1.0));
        let mut memory = Memory::default();
        memory.push_input(&x, &[one, one]);
        memory.push_over(&y, 2, &x);
        assert_eq!(memory.load(&x, 1), Ok(one));
        assert_eq!(memory.set(&y, 1, one), Ok(()));
        assert_eq!(memory.load(&x, 1), Err(TrapKind::StoredOver { buf: x.clone(), index: 1 }));
        assert_eq!(memory.load(&x, 0), Ok(one));
    }
}
