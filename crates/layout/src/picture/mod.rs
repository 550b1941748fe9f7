//! Layouts as grids: rows are mode 0, columns are the other modes, and a cell shows a value.
//!
//! The picture that CuTe's users know. A cell is coloured by its value, by the bank of shared memory that it lies in, or, for a
//! thread-value layout, by the thread that holds it; then the grid is the tile. Cells that are held twice are marked, where other
//! printers let the first writer win. [`Picture::to_text`] prints, [`Picture::to_svg`] draws, [`page()`] is a page of drawings.

mod page;
mod svg;
mod text;

use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result, too_large};
use crate::stride::{Stride, Vector};
use crate::tree::Shape;
use crate::value::Value;

pub use page::{Figure, page};
pub use svg::row;

/// The most cells that are drawn.
pub const MOST_CELLS: i64 = 1 << 14;

/// What colours a cell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum By {
    /// Its value, modulo 8.
    #[default]
    Value,
    /// The bank of 4 bytes, of 32, that an entry of so many bytes begins in.
    Bank(i64),
    /// The thread that holds it: the layout maps (thread, value) to a place in a tile of this shape.
    Thread(Option<Shape>),
}

/// A grid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// What stands above it.
    pub title: String,
    rows: usize,
    columns: usize,
    /// Row by row.
    cells: Vec<Cell>,
    /// The number of colours.
    colours: usize,
}

/// A cell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Cell {
    /// What stands in it, a line each; nothing for a place that nobody holds.
    lines: Vec<String>,
    colour: usize,
    /// Is it held more than once?
    clash: bool,
}

impl Picture {
    /// The picture of a value; none if it is no layout.
    ///
    /// # Errors
    /// It has too many cells, or what colours them does not fit.
    pub fn of(value: &Value, by: &By) -> Result<Option<Picture>> {
        let title = value.to_string();
        match (value, by) {
            (Value::Layout(layout), By::Thread(tile)) => held(layout, tile.as_ref(), title).map(Some),
            (Value::Layout(layout), _) => {
                grid(layout, numbers(layout.table(most(layout)?)?, by)?, by, title).map(Some)
            }
            (Value::Composed(composed), By::Value | By::Bank(_)) => {
                let values = composed.table(most(&composed.layout)?)?;
                grid(&composed.layout, numbers(values, by)?, by, title).map(Some)
            }
            (Value::Coordinates(shifted), By::Value) => {
                let layout = &shifted.layout;
                let cell = |(i, vector): (usize, Vector)| Cell {
                    lines: vec![vector.to_string()],
                    colour: i % 8,
                    clash: false,
                };
                let cells = shifted.table(most(layout)?)?.into_iter().enumerate().map(cell).collect();
                grid(layout, cells, by, title).map(Some)
            }
            (Value::Composed(_) | Value::Coordinates(_), _) => {
                Err(Refusal::new(Kind::Arguments, format!("{title} is not coloured so"))
                    .note("threads colour a layout of integers, banks colour places in memory"))
            }
            _ => Ok(None),
        }
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }
}

/// The most values of a layout's picture, unless it has more.
fn most<D: Stride>(layout: &Layout<D>) -> Result<usize> {
    check_cells(layout.size())?;
    Ok(MOST_CELLS as usize)
}

fn check_cells(cells: i64) -> Result<()> {
    if cells <= MOST_CELLS {
        return Ok(());
    }
    Err(Refusal::new(Kind::TooLarge, format!("a picture of {cells} cells"))
        .note(format!("at most {MOST_CELLS} are drawn"))
        .help("draw a part of it: `slice`, `get`, or one tile"))
}

/// Cells of numbers.
fn numbers(values: Vec<i64>, by: &By) -> Result<Vec<Cell>> {
    let cell = |value: i64| {
        let shown = value.to_string();
        Ok(match by {
            By::Bank(bytes) => {
                let at = value.checked_mul(*bytes).ok_or_else(|| too_large("a place in bytes"))?;
                let bank = (at.div_euclid(4)).rem_euclid(32);
                Cell { lines: vec![shown, format!("b{bank}")], colour: bank as usize, clash: false }
            }
            _ => Cell { lines: vec![shown], colour: value.rem_euclid(8) as usize, clash: false },
        })
    };
    values.into_iter().map(cell).collect()
}

/// The grid of cells that are given by index.
fn grid<D: Stride>(layout: &Layout<D>, by_index: Vec<Cell>, by: &By, title: String) -> Result<Picture> {
    let rows = layout.modes().next().map_or(1, |mode| mode.size()) as usize;
    let columns = by_index.len() / rows;
    let colours = if matches!(by, By::Bank(_)) { 32 } else { 8 };
    // By index, columns are filled first.
    let place = |at: usize| at / columns + at % columns * rows;
    let cells = (0..by_index.len()).map(|at| by_index[place(at)].clone()).collect();
    Ok(Picture { title, rows, columns, cells, colours })
}

/// The tile of a thread-value layout, with who holds each place.
fn held(layout: &Layout, tile: Option<&Shape>, title: String) -> Result<Picture> {
    let (least, last) = layout.range();
    let (rows, columns) = match tile {
        None => (1, last + 1),
        Some(tile) => {
            let rows = match tile.modes().first() {
                Some(mode) => mode.size()?,
                None => 1,
            };
            (rows, tile.size()? / rows)
        }
    };
    check_cells(rows.saturating_mul(columns))?;
    if least < 0 || last >= rows * columns {
        return Err(Refusal::new(
            Kind::Range,
            format!("{layout} reaches out of a tile of {} places", rows * columns),
        )
        .note(format!("its values go from {least} to {last}")));
    }
    let threads = layout.modes().next().map_or(1, |mode| mode.size());
    let mut cells = vec![Cell::default(); (rows * columns) as usize];
    for (i, value) in (0..).zip(layout.table(most(layout)?)?) {
        let (row, column) = (value % rows, value / rows);
        let cell = &mut cells[(row * columns + column) as usize];
        cell.clash = !cell.lines.is_empty();
        cell.colour = ((i % threads) % 8) as usize;
        if cell.clash {
            cell.lines.truncate(2);
            cell.lines.push("…".to_owned());
        } else {
            cell.lines = vec![format!("T{}", i % threads), format!("V{}", i / threads)];
        }
    }
    Ok(Picture { title, rows: rows as usize, columns: columns as usize, cells, colours: 8 })
}
