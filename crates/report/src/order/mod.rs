//! In which order the loops compute cells, and where the cells lie in memory: observed, for small sizes.
//!
//! [`order`] runs the loops in the trapping interpreter and notes every store. What it gives is no estimate:
//! it is the order of one run, iterations of concurrent loops in turn. A scratch buffer lives many times; its
//! first lifetime that is stored to is drawn. [`Picture`] has two forms, a grid of numbers for the terminal
//! and a drawing.

mod sizes;
mod svg;
mod text;

use atl_call::backends::loops::cells;
use atl_call::given_once;
use atl_call::made_up;
use atl_diag::{Diagnostic, err};
use atl_loops::Kernel;
use atl_loops::interp::{Event, Options, RunError, Trap, TrapKind, observe};
use atl_session::Failure;
use atl_session::Lowered;
use std::collections::{BTreeMap, BTreeSet};

/// The most cells of a buffer that are drawn.
pub const MOST_CELLS: usize = 10_000;
/// The most cells of an array that a run that is drawn reads.
const MOST_ARGUMENT: usize = 1 << 20;
/// The most statements and iterations of a run that is drawn.
const MOST_STEPS: u64 = 2_000_000;

/// What one run did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// The sizes of the run.
    pub sizes: Vec<(String, i64)>,
    /// The buffers that the run stored to: scratch in the order of the first store, the output last.
    pub pictures: Vec<Picture>,
    /// How many loops took at least two turns, of how many there are; those of one name count once.
    turning: (usize, usize),
}

/// A buffer, and when each of its cells was stored to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The buffer's name.
    pub name: String,
    /// Its extents; a cell's place in [`Picture::ranks`] is its address, the last extent running along
    /// memory.
    pub extents: Vec<usize>,
    /// For each cell, the how manieth it was to be stored to first, from 0; none if it never was.
    pub ranks: Vec<Option<usize>>,
    /// How many stores there were in the lifetime that is drawn.
    pub stores: usize,
    /// How many lifetimes the buffer had.
    pub lifetimes: usize,
}

/// What numbers a picture shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbering {
    /// The order in which cells are first stored to.
    Compute,
    /// The cells' addresses.
    Storage,
}

impl Picture {
    /// The number of a cell.
    fn number(&self, address: usize, numbering: Numbering) -> Option<usize> {
        match numbering {
            Numbering::Compute => self.ranks.get(address).copied().flatten(),
            Numbering::Storage => Some(address),
        }
    }

    /// Is it small enough? Larger scratch buffers are only spoken of.
    pub fn is_drawn(&self) -> bool {
        self.cells() <= MOST_CELLS
    }

    /// How many cells there are.
    fn cells(&self) -> usize {
        self.ranks.len()
    }

    /// The grids that are drawn side by side: the leading indices, the first address, rows and columns.
    /// Buffers of more than two dimensions are drawn in slices of the last two.
    fn slices(&self) -> Vec<Slice> {
        let (leading, columns) = match self.extents.as_slice() {
            [] => (&[][..], 1),
            [columns] => (&[][..], *columns),
            [leading @ .., _, columns] => (leading, *columns),
        };
        let rows = if self.extents.len() < 2 { 1 } else { self.extents[leading.len()] };
        let count: usize = leading.iter().product();
        (0..count)
            .map(|k| {
                let mut rest = k;
                let mut index: Vec<usize> = Vec::new();
                for extent in leading.iter().rev() {
                    index.push(rest % extent);
                    rest /= extent;
                }
                index.reverse();
                Slice { index, first: k * rows * columns, rows, columns }
            })
            .collect()
    }

    /// What is said above the picture.
    fn heading(&self) -> String {
        let extents: Vec<String> = self.extents.iter().map(usize::to_string).collect();
        let shape = if extents.is_empty() { String::new() } else { format!("[{}]", extents.join(", ")) };
        let written = self.ranks.iter().flatten().count();
        let stores = match (self.stores, written) {
            (stores, written) if stores == written => format!("{stores} stores"),
            (stores, written) => format!("{stores} stores to {written} cells"),
        };
        let lives = if self.lifetimes > 1 {
            format!(", the first of {} lifetimes", self.lifetimes)
        } else {
            String::new()
        };
        let large = if self.is_drawn() { "" } else { "; too large to draw" };
        format!("{}{shape}: {stores}{lives}{large}", self.name)
    }
}

/// A grid of a picture.
struct Slice {
    index: Vec<usize>,
    first: usize,
    rows: usize,
    columns: usize,
}

/// Runs the loops on made-up data, and notes the order of stores.
///
/// Sizes that are not given are all the same small number: the least one for which as many loops as possible
/// take two turns.
///
/// # Errors
/// Sizes that the function does not have, or has no meaning for, or that are too large to be drawn.
pub fn order(lowered: &Lowered, given: &[(String, i64)]) -> Result<Order, Failure> {
    let f = &lowered.function;
    given_once(&lowered.signature, given.iter().map(|(name, _)| name.as_str()))
        .map_err(|d| Failure::new(&lowered.sources, *d))?;
    if let Some((name, _)) = given.iter().find(|(name, _)| !f.sizes.iter().any(|s| s.name == *name)) {
        let known: Vec<String> = f.sizes.iter().map(|s| format!("`{}`", s.name)).collect();
        let unknown = err!(E0509, f.span, "`{}` has no size `{name}`", f.name).label("this function");
        let unknown = unknown.note(format!("its sizes are {}", known.join(", ")));
        return Err(Failure::new(&lowered.sources, unknown.help("check the name after `--set`")));
    }
    let with = |size: i64| {
        let value = |name: &str| given.iter().find(|(other, _)| other == name).map_or(size, |(_, n)| *n);
        let sizes = f.sizes.iter().map(|s| (s.name.clone(), value(&s.name)));
        at(lowered, sizes.collect())
    };
    match given.len() < f.sizes.len() {
        true => sizes::smallest(with),
        false => with(0),
    }
}

/// [`order`] for these sizes, in the function's order.
fn at(lowered: &Lowered, sizes: Vec<(String, i64)>) -> Result<Order, Failure> {
    let f = &lowered.function;
    let refuse = |d: Diagnostic| Failure::new(&lowered.sources, d);
    let values: Vec<i64> = sizes.iter().map(|(_, n)| *n).collect();
    let too_large = |what: String| {
        let d = err!(E0620, f.span, "{what}, which is too much to draw").label("this function");
        let named: Vec<String> = sizes.iter().map(|(name, n)| format!("{name} = {n}")).collect();
        let d = if named.is_empty() { d } else { d.note(format!("with {}", named.join(", "))) };
        refuse(d.help(format!("choose sizes with `--set` that give at most {MOST_CELLS} cells")))
    };
    let signature = &lowered.signature;
    let shapes = signature.shapes(&values).map_err(|why| {
        let d = err!(E0506, f.span, "these sizes are refused: {why}").label("this function");
        refuse(d.help("give sizes with `--set`"))
    })?;
    let counts = shapes.iter().map(|shape| shape.iter().fold(1usize, |cells, n| cells.saturating_mul(*n)));
    if let Some(count) = counts.max().filter(|count| *count > MOST_ARGUMENT) {
        return Err(too_large(format!("an array has {count} cells")));
    }
    let failed = |why: String| refuse(err!(E0607, f.span, "`{}` was not run: {why}", f.name));
    let mut inputs = Vec::new();
    for (array, shape) in signature.arrays.iter().zip(&shapes) {
        let buffer = made_up::array(array.dtype, shape).map_err(|why| failed(why.to_string()))?;
        inputs.push(cells(&buffer.view()).map_err(|why| failed(why.to_string()))?);
    }
    let mut watch = Watch::default();
    let options = Options { steps: MOST_STEPS, cells: MOST_ARGUMENT, ..Options::default() };
    observe(&lowered.kernel, &values, &inputs, options, &mut |event| watch.note(event)).map_err(|why| {
        match why {
            RunError::Trap(Trap { kind: TrapKind::OutOfSteps | TrapKind::TooLarge(_), .. }) => {
                too_large(format!("the run stops: {why}"))
            }
            why => failed(why.to_string()),
        }
    })?;
    let order = watch.finish(sizes.clone(), loop_names(&lowered.kernel));
    match order.pictures.last().filter(|output| !output.is_drawn()) {
        Some(output) => Err(too_large(format!("`{}` has {} cells", output.name, output.cells()))),
        None => Ok(order),
    }
}

/// How many different names loops have.
fn loop_names(kernel: &Kernel) -> usize {
    let mut names = BTreeSet::new();
    kernel.body.for_each(&mut |stmt| names.extend(stmt.variables()));
    names.len()
}

/// What has been seen of a run.
#[derive(Default)]
struct Watch {
    buffers: Vec<Seen>,
    /// The most turns that a loop of this name took.
    turns: BTreeMap<String, u64>,
}

/// A buffer of the run.
struct Seen {
    picture: Picture,
    /// Is the lifetime that is drawn over?
    drawn: bool,
    /// The next cell's number.
    next: usize,
    output: bool,
}

impl Watch {
    fn note(&mut self, event: Event<'_>) {
        match event {
            Event::Entered { var, turns } => {
                let most = self.turns.entry(var.to_string()).or_default();
                *most = turns.max(*most);
            }
            Event::Searched { .. } => {}
            Event::Allocated { buf, extents } => match self.find(buf.as_str()) {
                Some(seen) => seen.begin(Some(extents)),
                None => {
                    // Outputs are allocated before any loop is entered.
                    let output = self.turns.is_empty() && self.buffers.is_empty();
                    self.buffers.push(Seen::new(buf.as_str(), extents, output));
                }
            },
            Event::Reset { buf } => {
                if let Some(seen) = self.find(buf.as_str()) {
                    seen.begin(None);
                }
            }
            Event::Stored { buf, index, .. } => {
                if let Some(seen) = self.find(buf.as_str()) {
                    seen.store(index);
                }
            }
        }
    }

    fn find(&mut self, name: &str) -> Option<&mut Seen> {
        self.buffers.iter_mut().find(|seen| seen.picture.name == name)
    }

    fn finish(self, sizes: Vec<(String, i64)>, loops: usize) -> Order {
        let turning = self.turns.values().filter(|turns| **turns > 1).count();
        let (outputs, scratch): (Vec<Seen>, Vec<Seen>) =
            self.buffers.into_iter().partition(|seen| seen.output);
        let stored = scratch.into_iter().filter(|seen| seen.picture.stores > 0);
        Order {
            sizes,
            pictures: stored.chain(outputs).map(|seen| seen.picture).collect(),
            turning: (turning, loops),
        }
    }
}

impl Seen {
    fn new(name: &str, extents: &[usize], output: bool) -> Seen {
        let (name, extents, ranks) =
            (name.to_owned(), extents.to_vec(), vec![None; extents.iter().product()]);
        Seen {
            picture: Picture { name, extents, ranks, stores: 0, lifetimes: 1 },
            drawn: false,
            next: 0,
            output,
        }
    }

    /// A new lifetime begins; one without stores before it does not count.
    fn begin(&mut self, extents: Option<&[usize]>) {
        self.drawn |= self.picture.stores > 0;
        self.picture.lifetimes += usize::from(self.drawn);
        if let (false, Some(extents)) = (self.drawn, extents) {
            self.picture.extents = extents.to_vec();
            self.picture.ranks = vec![None; extents.iter().product()];
        }
    }

    fn store(&mut self, index: usize) {
        if self.drawn {
            return;
        }
        self.picture.stores += 1;
        if let Some(rank @ None) = self.picture.ranks.get_mut(index) {
            *rank = Some(self.next);
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests;
