//! Formats: packing entries, converting between formats, validating, beside a copy of the entries.
//!
//! The matrices have four million entries: uniform (16 a row, anywhere) and blocks (dense blocks of 4 by 4,
//! four in a row of blocks). In each round the entries are copied and every conversion is done once; what it
//! consumes is made before its time begins. `copies` is the time as a multiple of the copy's, by paired
//! rounds: memory speed is 1 or a little less, and the target is 3.

use crate::json::{number, object};
use crate::statistics::{median, speedup, timed};
use atl_formats::{Coordinates, Format, Order, Rules, Sparse, Zeros, pack, validate};
use serde_json::{Value, json};
use std::time::Duration;

/// Rows and columns of the matrices.
const SIZE: usize = 1 << 18;
/// Entries of a row.
const ROW: usize = 16;
/// How often each is measured.
const ROUNDS: usize = 9;

type Entries = Coordinates<f64>;
/// Prepares a conversion of the entries, and does it in the time that it returns.
type Work<'w> = Box<dyn Fn(&Entries) -> Result<Duration, String> + 'w>;

/// See the module.
pub(crate) fn run() -> Result<Value, String> {
    println!("formats, {} entries, medians of {ROUNDS} rounds", SIZE * ROW);
    println!("{:<32}{:>12}{:>10}", "", "ns an entry", "copies");
    let mut rows = Vec::new();
    let uniform: &[&str] = &["csr", "coo", "csc", "ell", "[dense, hash]"];
    for (name, matrix, formats) in
        [("uniform", uniform_matrix(), uniform), ("blocks", block_matrix(), &["csr", "bcsr(4, 4)"])]
    {
        measure(name, &matrix, &works(&matrix, formats)?, &mut rows)?;
    }
    Ok(Value::Array(rows))
}

/// Packing in each format, validating it, and converting it from and to the first.
fn works<'w>(entries: &Entries, formats: &[&str]) -> Result<Vec<(String, Work<'w>)>, String> {
    let mut found: Vec<(String, Work)> = Vec::new();
    let parse = |text: &str| Format::parse(text, 2).map_err(|refusal| refusal.to_string());
    let first = parse(formats[0])?;
    for text in formats {
        let format = parse(text)?;
        let packed = packed(&format, entries.clone())?;
        let to = format.clone();
        found.push((
            format!("pack {text}"),
            Box::new(move |entries| {
                let entries = entries.clone();
                let (result, time) = timed(|| self::packed(&to, entries));
                result.map(|_| time)
            }),
        ));
        let checked = packed.clone();
        found.push((
            format!("validate {text}"),
            Box::new(move |_| {
                let arrays = (checked.instance(), checked.metadata(), checked.values().len());
                let (result, time) = timed(|| validate(arrays.0, arrays.1, arrays.2));
                result.map(|()| time).map_err(|damage| damage.to_string())
            }),
        ));
        if format == first {
            continue;
        }
        let source = self::packed(&first, entries.clone())?;
        for (from, to, source) in [(formats[0], *text, source), (text, formats[0], packed)] {
            let format = parse(to)?;
            found.push((
                format!("{from} to {to}"),
                Box::new(move |_| {
                    let source = source.clone();
                    let (result, time) = timed(|| source.convert(&format, Zeros::Keep));
                    result.map(|_| time).map_err(|refusal| refusal.to_string())
                }),
            ));
        }
    }
    Ok(found)
}

fn packed(format: &Format, entries: Entries) -> Result<Sparse<f64>, String> {
    let rules = Rules { order: Order::Sort, ..Rules::default() };
    pack(format, entries, 0.0, &rules).map_err(|refusal| refusal.to_string())
}

fn measure(
    matrix: &str,
    entries: &Entries,
    works: &[(String, Work)],
    rows: &mut Vec<Value>,
) -> Result<(), String> {
    let mut copies = Vec::new();
    let mut times = vec![Vec::new(); works.len()];
    for _ in 0..ROUNDS {
        copies.push(timed(|| entries.clone()).1);
        for ((_, work), times) in works.iter().zip(&mut times) {
            times.push(work(entries)?);
        }
    }
    let copy = (&"copy".to_owned(), &copies);
    for (name, times) in [copy].into_iter().chain(works.iter().map(|(name, _)| name).zip(&times)) {
        let each = median(times.iter().map(|time| time.as_secs_f64() * 1e9 / entries.values.len() as f64));
        let ratio = speedup(&copies, times);
        let name = format!("{matrix}: {name}");
        println!("{name:<32}{each:>12.2}{ratio:>10.2}");
        rows.push(object([("work", json!(&name)), ("ns an entry", number(each)), ("copies", number(ratio))]));
    }
    Ok(())
}

/// The entries of these rows.
fn matrix(rows: impl Iterator<Item = Vec<i64>>) -> Entries {
    let (mut is, mut js) = (Vec::new(), Vec::new());
    for (i, row) in rows.enumerate() {
        is.resize(is.len() + row.len(), i as i64);
        js.extend(row);
    }
    let values = (0..js.len()).map(|at| 1.0 + at as f64).collect();
    Coordinates { shape: vec![SIZE, SIZE], columns: vec![is, js], values }
}

/// Different numbers below an end, sorted; the same on every run.
fn sample(state: &mut u64, count: usize, end: usize) -> Vec<i64> {
    let mut found = Vec::new();
    while found.len() < count {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        found.push((*state >> 33) as i64 % end as i64);
        if found.len() == count {
            found.sort_unstable();
            found.dedup();
        }
    }
    found
}

fn uniform_matrix() -> Entries {
    let mut state = 1;
    matrix((0..SIZE).map(|_| sample(&mut state, ROW, SIZE)))
}

fn block_matrix() -> Entries {
    let mut state = 2;
    let mut blocks = Vec::new();
    matrix((0..SIZE).map(|i| {
        if i % 4 == 0 {
            blocks = sample(&mut state, ROW / 4, SIZE / 4);
        }
        blocks.iter().flat_map(|block| (0..4).map(move |j| 4 * block + j)).collect()
    }))
}
