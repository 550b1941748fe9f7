//! Prints the arrays of tensors in formats, for comparisons with other programs.
//!
//! A tensor is some lines of standard input: the format, the shape, the coordinates of each dimension, the values. What is printed is
//! a line for each array of each level, with its name, and the values; or a line with the refusal.

use atl_formats::{Coordinates, Format, Order, Rules, pack};
use std::error::Error;
use std::fmt::Display;
use std::io::{BufRead, Write};
use std::str::FromStr;

fn main() -> Result<(), Box<dyn Error>> {
    let mut lines = std::io::stdin().lock().lines();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    while let Some(format) = lines.next().transpose()? {
        let mut line = || lines.next().transpose().map(Option::unwrap_or_default);
        let shape: Vec<usize> = numbers(&line()?)?;
        let columns = shape.iter().map(|_| numbers(&line()?)).collect::<Result<Vec<Vec<i64>>, _>>()?;
        let entries = Coordinates { columns, values: numbers::<f64>(&line()?)?, shape };
        let rules = Rules { order: Order::Sort, ..Rules::default() };
        let format = Format::parse(&format, entries.shape.len());
        match format.and_then(|format| pack(&format, entries, 0.0, &rules)) {
            Err(refusal) => writeln!(out, "refused {refusal}")?,
            Ok(sparse) => {
                for (depth, (level, metadata)) in
                    sparse.instance().levels().iter().zip(sparse.metadata()).enumerate()
                {
                    for (name, array) in level.arrays().iter().zip(&metadata.arrays) {
                        writeln!(out, "{depth}.{name} {}", joined(array))?;
                    }
                }
                writeln!(out, "values {}", joined(sparse.values()))?;
            }
        }
    }
    Ok(out.flush()?)
}

fn numbers<T: FromStr<Err: Error + 'static>>(line: &str) -> Result<Vec<T>, Box<dyn Error>> {
    line.split_ascii_whitespace().map(|word| word.parse().map_err(Into::into)).collect()
}

fn joined(items: &[impl Display]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<String>>().join(" ")
}
