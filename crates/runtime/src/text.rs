//! An array as text for people, laid out as NumPy prints it.
//!
//! One idea: all numbers of an array get one format and one width, so columns align; an array of more than 1000 elements
//! shows the three outermost elements at each end of every dimension. Floats have at most eight digits after the point.
//! The text is for reading; to keep an array, save it.

use crate::convert::Number;
use crate::dtype::{Kind, bf16, f16};
use crate::shape::show_shape;
use crate::{Buffer, DType};

/// Arrays of more elements are shortened.
const THRESHOLD: usize = 1000;
/// Elements shown at each end of a shortened dimension.
const EDGE: usize = 3;
/// Columns of a line.
const WIDTH: usize = 75;
/// Digits after the point.
const PRECISION: usize = 8;

/// The text of an array, without a final line end.
pub fn to_text(buffer: &Buffer) -> String {
    if buffer.is_empty() {
        return format!("[] shape={}", show_shape(buffer.shape()));
    }
    let printer = Printer::new(buffer);
    let mut text = String::new();
    printer.print(&mut text, 0, 0);
    text
}

/// The text of an array of complex numbers, of whose real and imaginary parts these are the arrays, which
/// have one shape.
pub fn to_text_complex(re: &Buffer, im: &Buffer) -> String {
    if re.is_empty() {
        return format!("[] shape={}", show_shape(re.shape()));
    }
    let (mut printer, other) = (Printer::new(re), Printer::new(im));
    for (cell, im) in printer.cells.iter_mut().zip(other.cells) {
        let im = im.trim_start();
        let sign = if im.starts_with('-') { "" } else { "+" };
        *cell += &format!("{sign}{im}i");
    }
    let width = printer.cells.iter().map(String::len).max().unwrap_or(0);
    printer.cells.iter_mut().for_each(|cell| *cell = format!("{cell:>width$}"));
    let mut text = String::new();
    printer.print(&mut text, 0, 0);
    text
}

/// A buffer with the texts of the elements to be shown.
struct Printer<'a> {
    shape: &'a [usize],
    shortened: bool,
    /// The shown elements' texts, in row-major order of the shown indices, all of the same width.
    cells: Vec<String>,
}

impl Printer<'_> {
    fn new(buffer: &Buffer) -> Printer<'_> {
        let shortened = buffer.len() > THRESHOLD;
        let mut printer = Printer { shape: buffer.shape(), shortened, cells: Vec::new() };
        let positions = printer.shown_positions();
        let numbers: Vec<Number> = positions.into_iter().filter_map(|at| buffer.number_at(at)).collect();
        let texts = match buffer.dtype() {
            _ if buffer.dtype().kind() == Kind::Float => format_floats(&numbers, buffer.dtype()),
            DType::Bool => numbers.iter().map(|number| show_bool(*number)).collect(),
            _ => numbers.iter().map(Number::to_string).collect(),
        };
        let widest = texts.iter().map(String::len).max().unwrap_or(0);
        let width = if buffer.dtype() == DType::Bool && buffer.rank() > 0 { "False".len() } else { widest };
        printer.cells = texts.into_iter().map(|text| format!("{text:>width$}")).collect();
        printer
    }

    /// The indices of one dimension that are shown; `None` stands for the ellipsis.
    fn shown(&self, extent: usize) -> Vec<Option<usize>> {
        if !self.shortened || extent <= 2 * EDGE {
            return (0..extent).map(Some).collect();
        }
        let (head, tail) = ((0..EDGE).map(Some), (extent - EDGE..extent).map(Some));
        head.chain([None]).chain(tail).collect()
    }

    /// The row-major positions of the shown elements, in order.
    fn shown_positions(&self) -> Vec<usize> {
        self.shape.iter().fold(vec![0], |positions, &extent| {
            let shown: Vec<usize> = self.shown(extent).into_iter().flatten().collect();
            positions
                .iter()
                .flat_map(|position| shown.iter().map(move |index| position * extent + index))
                .collect()
        })
    }

    /// Prints the sub-array at `depth` whose first shown cell is `first`; returns how many cells it has.
    fn print(&self, text: &mut String, depth: usize, first: usize) -> usize {
        let Some(&extent) = self.shape.get(depth) else {
            text.push_str(&self.cells[first]);
            return 1;
        };
        let inner = depth + 1 == self.shape.len();
        let indent = " ".repeat(depth + 1);
        let mut used = 0;
        text.push('[');
        let mut column = depth + 1;
        for (number, index) in self.shown(extent).into_iter().enumerate() {
            let width = index.map_or(3, |_| self.cells[first].len());
            if number > 0 && inner && column + 1 + width < WIDTH {
                text.push(' ');
                column += 1;
            } else if number > 0 {
                // Matrices are set apart by a blank line for every further dimension, as NumPy does.
                let lines = if inner { 1 } else { self.shape.len() - depth - 1 };
                text.truncate(text.trim_end_matches(' ').len());
                text.push_str(&"\n".repeat(lines));
                text.push_str(&indent);
                column = depth + 1;
            }
            column += width;
            match index {
                Some(_) => used += self.print(text, depth + 1, first + used),
                None => text.push_str("..."),
            }
        }
        text.push(']');
        used
    }
}

fn show_bool(number: Number) -> String {
    if number == Number::Int(0) { "False" } else { "True" }.to_owned()
}

/// The texts of floats: points aligned, or exponents if the magnitudes are extreme or differ widely.
fn format_floats(numbers: &[Number], dtype: DType) -> Vec<String> {
    let floats: Vec<f64> = numbers.iter().filter_map(|number| number.as_float()).collect();
    let magnitudes = floats.iter().map(|float| float.abs()).filter(|float| float.is_finite() && *float > 0.0);
    let least = magnitudes.clone().fold(f64::INFINITY, f64::min);
    let greatest = magnitudes.fold(0.0, f64::max);
    let scientific = greatest >= 1e8 || least < 1e-4 || greatest / least > 1e3;
    let parts: Vec<Digits> = floats.iter().map(|float| Digits::of(*float, dtype, scientific)).collect();
    let decimals = parts.iter().map(|digits| digits.fraction.len()).max().unwrap_or(0);
    parts.into_iter().map(|digits| digits.show(decimals)).collect()
}

/// A float's text, apart: `-1` `25` `e-07`. Infinities and NaN are a whole without the rest.
struct Digits {
    whole: String,
    fraction: String,
    exponent: Option<i32>,
    finite: bool,
}

impl Digits {
    /// The shortest digits that identify `value` among the values of `dtype`, at most [`PRECISION`] after the point.
    fn of(value: f64, dtype: DType, scientific: bool) -> Digits {
        if !value.is_finite() {
            let whole = value.to_string().to_lowercase();
            return Digits { whole, fraction: String::new(), exponent: None, finite: false };
        }
        let shortest = match (dtype, scientific) {
            (DType::F16, false) => format!("{}", f16::from_f64(value)),
            (DType::F16, true) => format!("{:e}", f16::from_f64(value)),
            (DType::BF16, false) => format!("{}", bf16::from_f64(value)),
            (DType::BF16, true) => format!("{:e}", bf16::from_f64(value)),
            (DType::F32, false) => format!("{}", value as f32),
            (DType::F32, true) => format!("{:e}", value as f32),
            (_, false) => format!("{value}"),
            (_, true) => format!("{value:e}"),
        };
        let mut digits = Digits::split(&shortest);
        if digits.fraction.len() > PRECISION {
            digits = Digits::split(&if scientific {
                format!("{value:.PRECISION$e}")
            } else {
                format!("{value:.PRECISION$}")
            });
        }
        digits.fraction.truncate(digits.fraction.trim_end_matches('0').len());
        digits
    }

    fn split(text: &str) -> Digits {
        let (mantissa, exponent) = match text.split_once('e') {
            Some((mantissa, exponent)) => (mantissa, exponent.parse().ok()),
            None => (text, None),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        Digits { whole: whole.to_owned(), fraction: fraction.to_owned(), exponent, finite: true }
    }

    /// The text with room for `decimals` digits after the point: zeros before an exponent, else spaces.
    fn show(&self, decimals: usize) -> String {
        let Digits { whole, fraction, exponent, finite } = self;
        match exponent {
            _ if !finite => whole.clone(),
            Some(exponent) => {
                let sign = if *exponent < 0 { '-' } else { '+' };
                format!("{whole}.{fraction:0<decimals$}e{sign}{:02}", exponent.abs())
            }
            None => format!("{whole}.{fraction:<decimals$}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Element;

    fn check<T: Element>(elements: &[T], shape: &[usize], expected: &str) {
        assert_eq!(to_text(&Buffer::from_slice(elements, shape).expect("small")), expected);
    }

    #[test]
    fn integers_and_booleans() {
        check(&[1i32, -20, 3, 400], &[2, 2], "[[  1 -20]\n [  3 400]]");
        check(&[true, false], &[2], "[ True False]");
        check(&[true, true], &[2], "[ True  True]");
        check(&[true], &[], "True");
        check(&[7u8], &[], "7");
        check::<u8>(&[], &[0, 3], "[] shape=[0, 3]");
    }

    #[test]
    fn floats_align_their_points() {
        check(&[1.0f64, 2.5, -10.125], &[3], "[  1.      2.5   -10.125]");
        check(&[0.1f32, 0.2], &[2], "[0.1 0.2]");
        check(&[1.0f64 / 3.0, 1.0], &[2], "[0.33333333 1.        ]");
        check(&[f64::NAN, 1.5, f64::NEG_INFINITY], &[3], "[ nan  1.5 -inf]");
        check(&[0.0f32; 2], &[2], "[0. 0.]");
        check(&[f16::from_f64(0.1), f16::from_f64(2.5)], &[2], "[0.1 2.5]");
        check(&[bf16::from_f64(0.1), bf16::NAN], &[2], "[0.1 nan]");
    }

    #[test]
    fn extreme_floats_have_exponents() {
        check(&[1e-10f64, 1.25], &[2], "[1.00e-10 1.25e+00]");
        check(&[1e300f64], &[1], "[1.e+300]");
        check(&[1e-5f32, 0.0], &[2], "[1.e-05 0.e+00]");
    }

    #[test]
    fn long_lines_wrap() {
        let elements: Vec<i32> = (0..30).collect();
        let text = to_text(&Buffer::from_slice(&elements, &[30]).expect("small"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with("23") && lines[0].len() <= WIDTH, "{text}");
        assert_eq!(lines[1], " 24 25 26 27 28 29]");
    }

    #[test]
    fn large_arrays_are_shortened() {
        let elements: Vec<i32> = (0..1200).collect();
        check(&elements, &[1200], "[   0    1    2 ... 1197 1198 1199]");
        let row = |first: i32| {
            let text = |i: i32| format!("{:>4}", first + i);
            format!("[{} {} {} ... {} {} {}]", text(0), text(1), text(2), text(37), text(38), text(39))
        };
        let rows = [0, 40, 80].map(row).join("\n ");
        let last = [1080, 1120, 1160].map(row).join("\n ");
        check(&elements, &[30, 40], &format!("[{rows}\n ...\n {last}]"));
    }

    #[test]
    fn further_dimensions_are_set_apart() {
        check(&[1u8, 2, 3, 4], &[2, 1, 2], "[[[1 2]]\n\n [[3 4]]]");
    }
}
