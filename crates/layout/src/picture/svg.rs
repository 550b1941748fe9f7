//! Pictures as drawings.

use super::{Cell, Picture};
use std::fmt::Write;

/// The height of a line of text, in the drawing's units.
const LINE: usize = 14;
/// The width of a character.
const CHARACTER: usize = 8;
/// Around the text of a cell.
const PAD: usize = 7;
/// Above and left of the grid, where rows and columns are numbered.
const MARGIN: usize = 26;

/// The colours that CuTe's users know: light blue, green, yellow and red, then the same, paler.
const PALE: [&str; 8] =
    ["#afafff", "#afffaf", "#ffffaf", "#ffafaf", "#d2d2ff", "#d2ffd2", "#ffffd2", "#ffd2d2"];

/// Between two pictures.
const GAP: usize = 24;
/// The height of a title.
const TITLE: usize = 20;

/// Pictures side by side with their titles, as an SVG document; one stands alone, without a title.
pub fn row(pictures: &[Picture]) -> String {
    if let [picture] = pictures {
        return picture.to_svg();
    }
    let (mut left, mut height, mut inside) = (0, 0, String::new());
    for picture in pictures {
        let (width, own) = picture.extent();
        let title = escaped(&picture.title);
        // Writing to a string does not fail.
        let _ = write!(
            inside,
            "<text x=\"{left}\" y=\"{}\">{title}</text><svg x=\"{left}\" y=\"{TITLE}\"{}",
            TITLE - 6,
            picture.to_svg().trim_start_matches("<svg").trim_end()
        );
        left += width.max(picture.title.chars().count() * CHARACTER) + GAP;
        height = height.max(own + TITLE);
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {left} {height}\" width=\"{left}\" height=\"{height}\" \
         role=\"img\" font-family=\"ui-monospace,monospace\" font-size=\"12\">{inside}</svg>\n"
    )
}

impl Picture {
    /// The sides of a cell.
    fn cell(&self) -> (usize, usize) {
        let lines = self.cells.iter().map(|cell| cell.lines.len()).max().unwrap_or(1).max(1);
        let longest = self.cells.iter().flat_map(|cell| &cell.lines).map(|line| line.chars().count()).max();
        let height = lines * LINE + PAD;
        ((longest.unwrap_or(1) * CHARACTER + PAD).max(height), height)
    }

    /// The sides of the drawing.
    fn extent(&self) -> (usize, usize) {
        let (width, height) = self.cell();
        (MARGIN + self.columns * width + 1, MARGIN + self.rows * height + 1)
    }

    /// The grid as an SVG document, which may also stand in a page.
    pub fn to_svg(&self) -> String {
        let ((width, height), (all_width, all_height)) = (self.cell(), self.extent());
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {all_width} {all_height}\" width=\"{all_width}\" \
             height=\"{all_height}\" role=\"img\" font-family=\"ui-monospace,monospace\" font-size=\"12\" \
             text-anchor=\"middle\"><title>{}</title>",
            escaped(&self.title)
        );
        let centre = |k: usize, side: usize| MARGIN + k * side + side / 2;
        // Writing to a string does not fail.
        for column in 0..self.columns {
            let x = centre(column, width);
            let _ = write!(out, "<text x=\"{x}\" y=\"{}\" fill=\"#888\">{column}</text>", MARGIN - 8);
        }
        for row in 0..self.rows {
            let y = centre(row, height) + 4;
            let _ = write!(out, "<text x=\"{}\" y=\"{y}\" fill=\"#888\">{row}</text>", MARGIN / 2);
            for column in 0..self.columns {
                let cell = &self.cells[row * self.columns + column];
                let (x, y) = (MARGIN + column * width, MARGIN + row * height);
                let (fill, edge) =
                    (self.fill(cell), if cell.clash { "#d00000\" stroke-width=\"3" } else { "#333" });
                let _ = write!(
                    out,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" stroke=\"{edge}\"/>"
                );
                let top = y + (height - cell.lines.len() * LINE) / 2 + LINE - 3;
                for (k, line) in cell.lines.iter().enumerate() {
                    let (x, y) = (x + width / 2, top + k * LINE);
                    let _ = write!(out, "<text x=\"{x}\" y=\"{y}\">{}</text>", escaped(line));
                }
            }
        }
        out + "</svg>\n"
    }

    fn fill(&self, cell: &Cell) -> String {
        match cell.lines.is_empty() {
            true => "#ffffff".to_owned(),
            // As many hues as banks; neighbouring banks are told apart by lightness.
            false if self.colours > PALE.len() => {
                format!("hsl({},75%,{}%)", cell.colour * 360 / self.colours, 72 + 10 * (cell.colour % 2))
            }
            false => PALE[cell.colour % PALE.len()].to_owned(),
        }
    }
}

/// A text inside an element.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
