//! Orders as drawings: a cell's shade is its number, early cells light, and a line runs through the cells in
//! order.

use super::{Numbering, Order, Picture, Slice};
use std::fmt::Write;

/// The side of a cell, in the drawing's units.
const SIDE: usize = 20;
/// Between two grids.
const GAP: usize = 12;
/// Cells of larger pictures have no numbers.
const MOST_NUMBERS: usize = 400;

impl Order {
    /// Each picture twice, by the order of its stores and by address, with captions, as HTML.
    pub fn to_html(&self) -> String {
        let figure = |picture: &Picture| {
            if !picture.is_drawn() {
                return format!("<p><code>{}</code></p>\n", picture.heading());
            }
            let (compute, storage) = (picture.to_svg(Numbering::Compute), picture.to_svg(Numbering::Storage));
            format!(
                "<figure><figcaption><code>{}</code></figcaption>\
                 <div class=\"orders\"><div>{compute}<p>computed in this order</p></div>\
                 <div>{storage}<p>stored in this order</p></div></div></figure>\n",
                picture.heading()
            )
        };
        self.pictures.iter().map(figure).collect()
    }
}

impl Picture {
    /// The picture as an SVG element.
    pub fn to_svg(&self, numbering: Numbering) -> String {
        let slices = self.slices();
        let (mut cells, mut centres) = (String::new(), vec![None; self.cells()]);
        let mut left = 1;
        let mut height = 0;
        for slice in &slices {
            self.draw(slice, left, numbering, &mut cells, &mut centres);
            left += slice.columns * SIDE + GAP;
            height = height.max(slice.rows * SIDE);
        }
        let (width, height) = (left.saturating_sub(GAP).max(SIDE) + 1, height.max(SIDE) + 2);
        let points: Vec<String> = centres.into_iter().flatten().map(|(x, y)| format!("{x},{y}")).collect();
        let title = match numbering {
            Numbering::Compute => "order of computation",
            Numbering::Storage => "order in memory",
        };
        format!(
            "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\
             <title>{}: {title}</title>{cells}<polyline points=\"{}\"/></svg>",
            self.name,
            points.join(" ")
        )
    }

    /// The cells of a grid; the centre of each goes to its number. In a large picture, neighbours in a row
    /// whose numbers follow each other are one rectangle, and the line has a corner only at its ends.
    fn draw(
        &self,
        slice: &Slice,
        left: usize,
        numbering: Numbering,
        cells: &mut String,
        centres: &mut [Option<(usize, usize)>],
    ) {
        let each = self.cells() <= MOST_NUMBERS;
        let last = self.cells().saturating_sub(1).max(1);
        for row in 0..slice.rows {
            let number = |column: usize| self.number(slice.first + row * slice.columns + column, numbering);
            let mut column = 0;
            while column < slice.columns {
                let first = number(column);
                let follows = |k: &usize| number(column + k) == first.map(|n| n + k);
                let fits = slice.columns - column;
                let length = if each { 1 } else { 1 + (1..fits).take_while(follows).count() };
                let (x, y) = (left + column * SIDE, 1 + row * SIDE);
                let place =
                    format!("<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{SIDE}\"", length * SIDE);
                match first {
                    None => drop(write!(cells, "{place} class=\"never\"/>")),
                    Some(first) => {
                        // From a light yellow to a deep blue.
                        let (hue, light) = (50 + 170 * first / last, 90 - 45 * first / last);
                        let _ = write!(cells, "{place} fill=\"hsl({hue},60%,{light}%)\"/>");
                        let centre = |k: usize| (x + k * SIDE + SIDE / 2, y + SIDE / 2);
                        if each {
                            let (x, y) = centre(0);
                            let ink = if light < 60 { " class=\"light\"" } else { "" };
                            let _ = write!(cells, "<text x=\"{x}\" y=\"{y}\"{ink}>{first}</text>");
                        }
                        for k in [0, length - 1] {
                            if let Some(place) = centres.get_mut(first + k) {
                                *place = Some(centre(k));
                            }
                        }
                    }
                }
                column += length;
            }
        }
    }
}
