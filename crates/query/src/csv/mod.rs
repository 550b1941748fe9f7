//! Tables from CSV files.
//!
//! The first line names the columns. A column's type is what all of its fields can be: integers, else
//! decimals, else dates, else floating-point numbers, else text. Numbers are taken as people write them,
//! ` 7`, `.5`, `9.` and `-0`; with zeros in front, as `007`, or a plus, they are text, as postcodes and
//! telephone numbers are. Only the columns that somebody asks for are read, and only they must have names of
//! their own. A field that is empty is refused, for there are no nulls, unless it is said what it is to be
//! read as.
//!
//! Fields are read once: each column is taken to be what its first field is, and made wider where a field
//! does not fit. What cannot be widened as it is stored, as decimals to text, is read again. `long` warns of
//! numbers that became text so.

mod fields;
mod long;

use crate::date;
use crate::dictionary::Dictionary;
use crate::file::Declared;
use crate::table::{Column, MOST_ROWS, Table, TextBy, Values, all_there, checked_header};
use atl_diag::{Diagnostic, err};
use fields::{Sort, decimal, sort, wider};
pub(crate) use fields::{exact, float};
use std::io::Read;
use std::sync::Arc;

type Refusal = Box<Diagnostic>;

/// What the columns of a file are called.
fn header(
    name: &str,
    input: impl Read,
    wanted: &dyn Fn(&str) -> bool,
    declared: &Declared,
) -> Result<Vec<String>, Refusal> {
    if !declared.columns.is_empty() {
        return checked_header(name, declared.columns.iter().map(String::as_str), &|_| true);
    }
    let mut reader = csv::Reader::from_reader(input);
    let fields = reader.byte_headers().map_err(|why| Box::new(damaged(name, &why)))?;
    // A name that is not UTF-8 is one that nobody asks for.
    let names: Vec<_> = fields.iter().map(String::from_utf8_lossy).collect();
    checked_header(name, names.iter().map(|name| name.trim_start_matches('\u{feff}').trim()), wanted)
}

/// Read the columns that are wanted, by `open`, which may be called again.
///
/// # Errors
/// The file cannot be read, is no CSV, has an empty field in such a column, or other columns than are
/// declared.
pub fn read<R: Read>(
    name: &str,
    open: &dyn Fn() -> Result<R, Refusal>,
    wanted: &dyn Fn(&str) -> bool,
    declared: &Declared,
) -> Result<Table, Refusal> {
    let header = header(name, open()?, wanted, declared)?;
    all_there(name, declared, &header)?;
    let is_read = |at: &usize| !header[*at].is_empty() && wanted(&header[*at]);
    let places: Vec<usize> = (0..header.len()).filter(is_read).collect();
    let mut forced: Vec<Option<Forced>> = vec![None; places.len()];
    loop {
        match attempt(name, open()?, (&header, declared), &places, &forced)? {
            Attempt::Again(column, by) => forced[column] = Some(by),
            Attempt::Done(mut columns, rows, rounded) => {
                let first = 1 + u64::from(declared.columns.is_empty());
                for (column, by) in columns.iter_mut().zip(&forced) {
                    column.text_by = text_by(&column.values, by.as_ref(), first);
                }
                let remarks = columns.iter().filter_map(|column| long::remark(name, column));
                let remarks = remarks.chain(rounded).collect();
                let header = header.into_iter().filter(|name| !name.is_empty()).collect();
                return Ok(Table { name: name.to_owned(), header, columns, rows, remarks });
            }
        }
    }
}

/// The field that makes these values texts, if they are: one that did not fit what was read before, or that
/// of the first line.
fn text_by(values: &Values, by: Option<&Forced>, first: u64) -> Option<TextBy> {
    let Values::Text(texts, codes) = values else { return None };
    match by {
        Some(by) => Some(TextBy { line: by.line, field: String::from_utf8_lossy(&by.field).into_owned() }),
        None => {
            let field = texts.get(usize::try_from(*codes.first()?).ok()?)?.clone();
            Some(TextBy { line: first, field })
        }
    }
}

/// What came of reading a file.
enum Attempt {
    /// All of it: the columns, how many rows they have, and warnings.
    Done(Vec<Column>, usize, Vec<Diagnostic>),
    /// A column is not what it was taken for, but this.
    Again(usize, Forced),
}

/// What a column is, and the field that says so.
#[derive(Clone)]
struct Forced {
    sort: Sort,
    line: u64,
    field: Vec<u8>,
}

fn attempt(
    name: &str,
    input: impl Read,
    (header, declared): (&[String], &Declared),
    places: &[usize],
    forced: &[Option<Forced>],
) -> Result<Attempt, Refusal> {
    let has_header = declared.columns.is_empty();
    let mut reader = csv::ReaderBuilder::new();
    let mut reader =
        reader.buffer_capacity(1 << 20).has_headers(has_header).from_reader(Ending::of(input, header.len()));
    let instead: Vec<Option<&[u8]>> =
        places.iter().map(|at| declared.instead(&header[*at]).map(str::as_bytes)).collect();
    let mut columns: Vec<Builder> =
        forced.iter().map(|by| Builder::new(by.as_ref().map(|by| by.sort))).collect();
    let mut record = csv::ByteRecord::new();
    let mut rows = 0;
    // An empty line of a file of one column is a row, and is passed over when the next one is read.
    let mut lines = Lines { of_one_column: header.len() == 1, owned: 0, empty: 0 };
    if has_header {
        let breaks = header.iter().flat_map(|name| name.bytes()).filter(|byte| *byte == b'\n').count();
        reader.byte_headers().map_err(|why| Box::new(damaged(name, &why)))?;
        lines.owned = (1 + breaks as u64).max(reader.position().line() - 1);
    }
    loop {
        let start = record.position().map_or(1, csv::Position::line);
        let is_read = reader.read_byte_record(&mut record).map_err(|why| Box::new(damaged(name, &why)))?;
        if !is_read && reader.get_ref().last.is_some() {
            return Err(Box::new(not_closed(name, start)));
        }
        let is_there = is_read && !Ending::<()>::is_end(&record);
        let (blank, line) = lines.before(is_there.then_some(&record), &reader);
        for field in (0..blank).flat_map(|_| instead.first()) {
            let field = field
                .ok_or_else(|| Box::new(empty_refused((name, declared), line, &header[0], &columns[0])))?;
            if let Err(Unfit::Wider(sort)) = columns[0].push(field) {
                return Ok(Attempt::Again(0, Forced { sort, line, field: field.to_vec() }));
            }
        }
        rows += blank;
        if rows >= MOST_ROWS {
            let message = err!(E0540, "{name}: there are more than {MOST_ROWS} rows");
            return Err(Box::new(message.help("rows are numbered by 32 bits: take a part of the table")));
        }
        if !is_there {
            break;
        }
        if rows == 0 && record.len() != header.len() {
            let found = fields(record.len());
            let message = err!(E0540, "{name}: there are {found}, and {} columns are declared", header.len());
            return Err(Box::new(message.help("name each column, or none if the first line does")));
        }
        for (column, at) in places.iter().enumerate() {
            let field = record.get(*at).filter(|field| !field.is_empty());
            let line = || record.position().map_or(0, csv::Position::line);
            let Some(field) = field.or(instead[column]) else {
                let refused = empty_refused((name, declared), line(), &header[*at], &columns[column]);
                return Err(Box::new(refused));
            };
            match columns[column].push(field) {
                Ok(()) => {}
                Err(Unfit::Wider(sort)) => {
                    return Ok(Attempt::Again(column, Forced { sort, line: line(), field: field.to_vec() }));
                }
                Err(Unfit::Foreign) => return Err(Box::new(foreign(name, line(), &header[*at]))),
            }
        }
        rows += 1;
    }
    let named = |(builder, at): (Builder, &usize)| Column {
        name: header[*at].clone(),
        values: builder.finish(),
        text_by: None,
    };
    let rounded = columns.iter().zip(places).filter_map(|(builder, at)| match builder {
        Builder::Float(_, Some(field)) => Some(long::rounded(name, &header[*at], field)),
        _ => None,
    });
    let rounded = rounded.collect();
    Ok(Attempt::Done(columns.into_iter().zip(places).map(named).collect(), rows, rounded))
}

/// The lines of a file: those of the header and of records, and the empty ones between.
struct Lines {
    of_one_column: bool,
    owned: u64,
    empty: u64,
}

impl Lines {
    /// How many empty lines were rows before the record that was read last, or before the end, and which was
    /// the first of them.
    fn before<R: Read>(
        &mut self,
        record: Option<&csv::ByteRecord>,
        reader: &csv::Reader<Ending<R>>,
    ) -> (usize, u64) {
        let first = 1 + self.owned + self.empty;
        if let Some(record) = record {
            let within = record.iter().flatten().filter(|byte| **byte == b'\n').count();
            self.owned += within as u64 + 1;
        }
        // Of two characters that end a line the second is read with the next record, so an empty line may be
        // counted one record late.
        let empty = reader.position().line().saturating_sub(1 + self.owned).saturating_sub(self.empty);
        self.empty += empty;
        (if self.of_one_column { usize::try_from(empty).unwrap_or(usize::MAX) } else { 0 }, first)
    }
}

/// A file with one more record behind it. Where that is not the last one that is read, the file ended inside
/// of quotes, and what stands behind these was taken for a single field.
struct Ending<R> {
    inner: R,
    /// The last byte, if there is one.
    last: Option<u8>,
    end: Vec<u8>,
    /// How much of that was read, once all of the file was.
    told: Option<usize>,
}

/// The fields of the record behind a file.
const END: &str = "\u{0}end\u{0}";

impl<R> Ending<R> {
    /// For a file of this number of columns.
    fn of(inner: R, columns: usize) -> Ending<R> {
        Ending { inner, last: None, end: vec![END; columns].join(",").into_bytes(), told: None }
    }

    /// Is this the record behind the file? There is none behind an empty one.
    fn is_end(record: &csv::ByteRecord) -> bool {
        !record.is_empty() && record.iter().all(|field| field == END.as_bytes())
    }
}

impl<R: Read> Read for Ending<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.told.is_none() {
            let count = self.inner.read(buffer)?;
            self.last = buffer[..count].last().copied().or(self.last);
            if count > 0 {
                return Ok(count);
            }
            match self.last {
                None => self.end.clear(),
                Some(b'\n') => {}
                Some(_) => self.end.insert(0, b'\n'),
            }
        }
        let told = self.told.unwrap_or(0);
        let count = (self.end.len() - told).min(buffer.len());
        buffer[..count].copy_from_slice(&self.end[told..told + count]);
        self.told = Some(told + count);
        Ok(count)
    }
}

fn not_closed(name: &str, line: u64) -> Diagnostic {
    err!(E0540, "{name}: the file ends inside of quotes, in the record of line {line}")
        .help("a field that begins with a double quote ends with one; a quote inside of it is written twice")
}

fn damaged(name: &str, why: &csv::Error) -> Diagnostic {
    let line = why.position().map_or(0, csv::Position::line);
    match why.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => err!(
            E0540,
            "{name}: line {line} has {}, and the first line has {expected_len}",
            fields(usize::try_from(*len).unwrap_or(usize::MAX))
        )
        .help("a field that holds a comma or a line's end stands in double quotes"),
        csv::ErrorKind::Utf8 { .. } => {
            err!(E0540, "{name}: line {line} is not UTF-8").help("convert the file to UTF-8")
        }
        _ => {
            err!(E0540, "{name}: it cannot be read: {why}").help("a table is a CSV file with a line of names")
        }
    }
}

fn fields(count: usize) -> String {
    if count == 1 { "1 field".to_owned() } else { format!("{count} fields") }
}

/// A field that is empty; what the column held before tells what may be read instead.
fn empty_refused(
    (name, declared): (&str, &Declared),
    line: u64,
    column: &str,
    before: &Builder,
) -> Diagnostic {
    let option = declared.option(column, before.stand_in());
    err!(E0541, "{name}: line {line}: a field of the column `{column}` is empty")
        .note("a query has no nulls: what a comparison or a sum with an unknown value is, would have to be said")
        .help(format!("leave such rows out, or give the value that they are read as: {option}"))
}

fn foreign(name: &str, line: u64, column: &str) -> Diagnostic {
    err!(E0541, "{name}: line {line}: a field of the column `{column}` is not UTF-8")
        .help("convert the file to UTF-8")
}

/// A field that does not fit.
enum Unfit {
    /// The column is wider, and has to be read again.
    Wider(Sort),
    /// It is no text of Unicode, so no value of any type.
    Foreign,
}

/// A column that is being read.
enum Builder {
    Empty,
    Int(Vec<i64>),
    Decimal(u8, Vec<i64>),
    Date(Vec<i32>),
    /// With the first field that has more digits than such numbers.
    Float(Vec<f64>, Option<Vec<u8>>),
    Text(Dictionary),
}

impl Builder {
    fn new(sort: Option<Sort>) -> Builder {
        match sort {
            None => Builder::Empty,
            Some(Sort::Int) => Builder::Int(Vec::new()),
            Some(Sort::Decimal) => Builder::Decimal(0, Vec::new()),
            Some(Sort::Date) => Builder::Date(Vec::new()),
            Some(Sort::Float) => Builder::Float(Vec::new(), None),
            Some(Sort::Text) => Builder::Text(Dictionary::default()),
        }
    }

    /// A value that empty fields may be read as, so that the column stays what it is.
    fn stand_in(&self) -> &'static str {
        match self {
            Builder::Text(_) => "",
            Builder::Date(_) => "1970-01-01",
            Builder::Empty | Builder::Int(_) | Builder::Decimal(..) | Builder::Float(..) => "0",
        }
    }

    fn push(&mut self, field: &[u8]) -> Result<(), Unfit> {
        match self {
            Builder::Empty => {
                *self = Builder::new(Some(sort(field)));
                self.push(field)
            }
            Builder::Int(values) => match decimal(field) {
                Some((value, 0)) => {
                    values.push(value);
                    Ok(())
                }
                Some(_) => {
                    *self = Builder::Decimal(0, std::mem::take(values));
                    self.push(field)
                }
                None => Err(Unfit::Wider(wider(field))),
            },
            Builder::Decimal(scale, values) => {
                let Some((value, digits)) = decimal(field) else {
                    return Err(Unfit::Wider(wider(field)));
                };
                // What 64 bits do not hold exactly is of floating point.
                let inexact = Unfit::Wider(Sort::Float);
                if digits > *scale {
                    let more = 10i64.checked_pow(u32::from(digits - *scale));
                    let scaled = |value: &i64| value.checked_mul(more?);
                    *values = values.iter().map(scaled).collect::<Option<_>>().ok_or(inexact)?;
                    *scale = digits;
                    values.push(value);
                    return Ok(());
                }
                let more = 10i64.checked_pow(u32::from(*scale - digits));
                let value = more.and_then(|more| value.checked_mul(more));
                values.push(value.ok_or(inexact)?);
                Ok(())
            }
            Builder::Date(values) => {
                let days = std::str::from_utf8(field).ok().and_then(date::parse);
                values.push(days.ok_or(Unfit::Wider(Sort::Text))?);
                Ok(())
            }
            Builder::Float(values, rounded) => {
                values.push(float(field).ok_or(Unfit::Wider(Sort::Text))?);
                if rounded.is_none() && long::is_long(field) {
                    *rounded = Some(field.to_vec());
                }
                Ok(())
            }
            Builder::Text(dictionary) => dictionary.push(field).map_err(|_| Unfit::Foreign),
        }
    }

    fn finish(self) -> Values {
        match self {
            Builder::Empty => Values::Int(Arc::default()),
            Builder::Int(values) => Values::Int(Arc::new(values)),
            Builder::Decimal(scale, values) => Values::Decimal(scale, Arc::new(values)),
            Builder::Date(values) => Values::Date(Arc::new(values)),
            Builder::Float(values, _) => Values::Float(Arc::new(values)),
            Builder::Text(dictionary) => dictionary.finish(),
        }
    }
}

#[cfg(test)]
mod tests;
