//! Tables from CSV files.
//!
//! The first line names the columns. A column's type is what all of its fields can be: integers, else decimals, else dates, else
//! floating-point numbers, else text. Numbers are taken as people write them, ` 7`, `.5`, `9.` and `-0`; with zeros in front, as `007`,
//! or a plus, they are text, as postcodes and telephone numbers are. Only the columns that somebody asks for are read, and
//! only they must have names of their own. A field that is empty is refused, for there are no nulls, unless it is said what it is
//! to be read as.
//!
//! Fields are read once: each column is taken to be what its first field is, and made wider where a field does not fit. What
//! cannot be widened as it is stored, as decimals to text, is read again. `long` warns of numbers that became text so.

mod long;

use crate::date;
use crate::dictionary::Dictionary;
use crate::file::Declared;
use crate::table::{Column, MOST_ROWS, Table, TextBy, Values, all_there, checked_header};
use atl_diag::{Diagnostic, err};
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
/// The file cannot be read, is no CSV, has an empty field in such a column, or other columns than are declared.
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

/// The field that makes these values texts, if they are: one that did not fit what was read before, or that of the first line.
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
            let field =
                field.ok_or_else(|| Box::new(field_refused((name, declared), line, &header[0], EMPTY)))?;
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
            let field = field.or(instead[column]).unwrap_or_default();
            let line = || record.position().map_or(0, csv::Position::line);
            match columns[column].push(field) {
                Ok(()) => {}
                Err(Unfit::Wider(sort)) => {
                    return Ok(Attempt::Again(column, Forced { sort, line: line(), field: field.to_vec() }));
                }
                Err(Unfit::Field(what)) => {
                    let line = line();
                    return Err(Box::new(field_refused((name, declared), line, &header[*at], what)));
                }
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
    /// How many empty lines were rows before the record that was read last, or before the end, and which was the first of them.
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
        // Of two characters that end a line the second is read with the next record, so an empty line may be counted one record late.
        let empty = reader.position().line().saturating_sub(1 + self.owned).saturating_sub(self.empty);
        self.empty += empty;
        (if self.of_one_column { usize::try_from(empty).unwrap_or(usize::MAX) } else { 0 }, first)
    }
}

/// A file with one more record behind it. Where that is not the last one that is read, the file ended inside of quotes, and what
/// stands behind these was taken for a single field.
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
    /// For a file of so many columns.
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

fn field_refused(
    (name, declared): (&str, &Declared),
    line: u64,
    column: &str,
    what: &'static str,
) -> Diagnostic {
    let message = err!(E0541, "{name}: line {line}: a field of the column `{column}` {what}");
    match what {
        EMPTY => message
            .note("a query has no nulls: what a comparison or a sum with an unknown value is, would have to be said")
            .help(format!("leave such rows out, or say what stands for none: {}", declared.option(column))),
        _ => message.help("convert the file to UTF-8"),
    }
}

const EMPTY: &str = "is empty";
const FOREIGN: &str = "is not UTF-8";

/// What the fields of a column are taken for, from narrow to wide.
#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Int,
    Decimal,
    Date,
    Float,
    Text,
}

/// A field that does not fit.
enum Unfit {
    /// The column is wider, and has to be read again.
    Wider(Sort),
    /// It is no value of any type.
    Field(&'static str),
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

    fn push(&mut self, field: &[u8]) -> Result<(), Unfit> {
        if field.is_empty() {
            return Err(Unfit::Field(EMPTY));
        }
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
            Builder::Text(dictionary) => dictionary.push(field).map_err(|_| Unfit::Field(FOREIGN)),
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

/// The narrowest sort that has this field.
fn sort(field: &[u8]) -> Sort {
    match decimal(field) {
        Some((_, 0)) => Sort::Int,
        Some(_) => Sort::Decimal,
        None if std::str::from_utf8(field).is_ok_and(|text| date::parse(text).is_some()) => Sort::Date,
        None => wider(field),
    }
}

/// A number without its point, with so many digits after it: an integer or a decimal that has at most these.
pub(crate) fn exact(field: &[u8], scale: u8) -> Option<i64> {
    let (value, digits) = decimal(field)?;
    value.checked_mul(10i64.checked_pow(u32::from(scale.checked_sub(digits)?))?)
}

/// An integer or a decimal without its point, and the digits after it. Zeros in front, and a plus, are no number's; space
/// around it is no part of it.
fn decimal(field: &[u8]) -> Option<(i64, u8)> {
    let (is_negative, digits) = match field.trim_ascii() {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let (mut value, mut after, mut whole) = (0i64, None::<u8>, 0usize);
    let is_padded = matches!(digits, [b'0', b'0'..=b'9', ..]);
    for byte in digits {
        match byte {
            b'0'..=b'9' => {
                value = value.checked_mul(10)?.checked_sub(i64::from(byte - b'0'))?;
                match &mut after {
                    Some(after) => *after = after.checked_add(1).filter(|digits| *digits <= 18)?,
                    None => whole += 1,
                }
            }
            b'.' if after.is_none() => after = Some(0),
            _ => return None,
        }
    }
    let has_digits = whole > 0 || after.is_some_and(|after| after > 0);
    if !has_digits || is_padded {
        return None;
    }
    let value = if is_negative { value } else { value.checked_neg()? };
    Some((value, after.unwrap_or(0)))
}

/// What a column is that has a field which is no exact number: floating-point numbers are those with an exponent, or with more
/// digits after a point than an exact one has.
fn wider(field: &[u8]) -> Sort {
    let is_fraction = field.iter().any(|byte| matches!(byte, b'e' | b'E' | b'.'));
    if is_fraction && float(field).is_some() { Sort::Float } else { Sort::Text }
}

/// A number, rounded to one of floating point.
pub(crate) fn float(field: &[u8]) -> Option<f64> {
    let field = field.trim_ascii();
    let begins = field.first().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b'.'));
    let padded = matches!(field, [b'0', b'0'..=b'9', ..] | [b'-', b'0', b'0'..=b'9', ..]);
    let text = std::str::from_utf8(field).ok().filter(|_| begins && !padded)?;
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Type, Value};

    fn table(text: &'static str) -> Result<Table, String> {
        declared(text, &Declared::default())
    }

    fn declared(text: &'static str, declared: &Declared) -> Result<Table, String> {
        read("t.csv", &|| Ok(text.as_bytes()), &|_| true, declared)
            .map_err(|d| format!("{}: {}", d.code, d.message))
    }

    fn check(fields: &[&'static str], ty: Type, shown: &[&str]) {
        let lines: String = fields.iter().map(|field| format!("{field}\n")).collect();
        let text: &'static str = format!("a\n{lines}").leak();
        let table = table(text).expect("a table");
        let values = &table.columns[0].values;
        let found: Vec<String> =
            (0..table.rows).filter_map(|row| values.get(row)).map(|v| v.to_string()).collect();
        assert_eq!((values.ty(), found), (ty, shown.iter().map(|s| (*s).to_owned()).collect()), "{fields:?}");
    }

    #[test]
    fn a_column_is_what_all_its_fields_are() {
        check(&["1", "-20"], Type::Int, &["1", "-20"]);
        check(&["9223372036854775807"], Type::Int, &["9223372036854775807"]);
        check(&["1", "2.50", "0.125"], Type::Decimal(3), &["1.000", "2.500", "0.125"]);
        check(&["-0.01"], Type::Decimal(2), &["-0.01"]);
        check(&["1994-01-31"], Type::Date, &["1994-01-31"]);
        check(&["1994-01-31", "1994-02-29"], Type::Text, &["1994-01-31", "1994-02-29"]);
        check(&["1.5", "1e3"], Type::Float, &["1.5", "1000.0"]);
        check(&["1.50", "x"], Type::Text, &["1.50", "x"]);
        check(
            &["1234.5678901234567", "0.012345678901234568"],
            Type::Float,
            &["1234.5678901234567", "0.012345678901234568"],
        );
        check(&["0.1234567890123456789", "7"], Type::Float, &["0.12345678901234568", "7.0"]);
        check(&["007", "1"], Type::Text, &["007", "1"]);
        check(&["1", "007"], Type::Text, &["1", "007"]);
        check(&["9223372036854775808"], Type::Text, &["9223372036854775808"]);
        check(&["b", "a", "b"], Type::Text, &["b", "a", "b"]);
        check(&[], Type::Int, &[]);
        check(&["nan"], Type::Text, &["nan"]);
    }

    #[test]
    fn numbers_that_become_text_by_one_of_them_are_told_of() {
        let check = |fields: &str, expected: &str| {
            let table = table(format!("a\n{fields}").leak()).expect("a table");
            let said: Vec<&str> = table.remarks.iter().map(|said| said.message.as_str()).collect();
            assert_eq!(said.join("; "), expected, "{fields}");
        };
        let by = |line: u64, field: &str| format!("t.csv: line {line}: `{field}` makes the column `a` text");
        check("1\n9223372036854775808\n2\n", &by(3, "9223372036854775808"));
        check("99999999999999999999\n1\n", &by(2, "99999999999999999999"));
        check("1\nnan\n2\n", &by(3, "nan"));
        check("-inf\n2.5\n", &by(2, "-inf"));
        check("4\n+3\n", &by(3, "+3"));
        let rounds =
            |field: &str| format!("t.csv: `{field}` of the column `a` is rounded to a floating-point number");
        check("0.1234567890123456789\n", &rounds("0.1234567890123456789"));
        check("9223372036854775807\n0.5\n", &rounds("9223372036854775807"));
        check("1e3\n99999999999999999999\n", &rounds("99999999999999999999"));
        check("0.25\n1234.5678901234567\n0.012345678901234568\n", "");
        check("1.5\n1e3\n1e999\n", &by(4, "1e999"));
        for quiet in [
            "1\n2\n",
            "1\nx\n",
            "007\n1\n",
            "+491\n+492\n",
            "nan\n",
            "nan\nx\n1\n",
            "1\n9223372036854775808\nx\n",
            "",
        ] {
            check(quiet, "");
        }
    }

    #[test]
    fn texts_compare_as_their_codes() {
        let table = table("a\nb\nc\na\n\"x, y\"\nb\n").expect("a table");
        let Values::Text(dictionary, codes) = &table.columns[0].values else { panic!("texts") };
        assert!(dictionary.is_sorted());
        assert_eq!(**codes, [1, 2, 0, 3, 1]);
        assert_eq!(table.columns[0].values.get(3), Some(Value::Text("x, y".to_owned())));
    }

    #[test]
    fn files_that_are_no_tables_are_refused() {
        let check = |text: &'static str, expected: &str| assert_eq!(table(text), Err(expected.to_owned()));
        check("a,b\n1,2\n3\n", "E0540: t.csv: line 3 has 1 field, and the first line has 2");
        check("a,A\n1,2\n", "E0540: t.csv: two columns are called `A`");
        check(",\n1,2\n", "E0540: t.csv: no column has a name");
        check("a,b\n1,2\n1,\n", "E0541: t.csv: line 3: a field of the column `b` is empty");
    }

    #[test]
    fn columns_that_nobody_asks_for_refuse_nothing() {
        let check = |bytes: &'static [u8], expected: &[i64]| {
            let found = read("t.csv", &|| Ok(bytes), &|column| column == "v", &Declared::default());
            let table = found.map_err(|d| d.message.clone()).expect("a table");
            let column = table.column("v").map(|at| &table.columns[at].values);
            assert_eq!(column, Some(&Values::Int(Arc::new(expected.to_vec()))), "{bytes:?}");
        };
        check(b",v\n0,7\n1,8\n", &[7, 8]);
        check(b"\"\",v\n\"1\",7\n", &[7]);
        check(b"v,\n7,\n", &[7]);
        check(b"x,v,X\n1,7,\xff\n", &[7]);
        check(b"\xe9t\xe9,v\n1,7\n", &[7]);
        check(b"\xef\xbb\xbfv,w\r\n7,\r\n", &[7]);
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        check(&[".5", "10.", "9."], Type::Decimal(1), &["0.5", "10.0", "9.0"]);
        check(&["-.25", "1"], Type::Decimal(2), &["-0.25", "1.00"]);
        check(&["7.", "-0"], Type::Int, &["7", "0"]);
        check(&["-0.0", "3"], Type::Decimal(1), &["0.0", "3.0"]);
        check(&[" 7 ", "\t8"], Type::Int, &["7", "8"]);
        check(&[" 1.5", "2e3 "], Type::Float, &["1.5", "2000.0"]);
        check(&[" x", "1"], Type::Text, &[" x", "1"]);
        check(&[".5e1", "1.e2"], Type::Float, &["5.0", "100.0"]);
        for field in
            [".", "-", "-.", "+3", "1_000", "1 000", "0x10", "00.5", "1.2.3", "--1", "e5", ".e5", "1e"]
        {
            check(&[field], Type::Text, &[field]);
        }
    }

    #[test]
    fn what_stands_behind_a_quote_that_is_not_closed_is_not_lost() {
        let refused =
            |line: u64| format!("E0540: t.csv: the file ends inside of quotes, in the record of line {line}");
        for (text, line) in [
            ("a,b\n1,x\n2,\"y\n3,z\n4,w\n", 3),
            ("a,b\n1,x\n2,\"y", 3),
            ("a,b\n1,x\n2,\"y\"\"\n", 3),
            ("a\n1\n\"", 3),
            ("a,\"b\n1,2\n", 1),
        ] {
            assert_eq!(table(text).map(|_| ()), Err(refused(line)), "{text:?}");
        }
        for (text, rows) in [
            ("a,b\n1,\"x\ny\"\n2,5\" pipe\n", 2),
            ("a,b\n1,\"x\"", 1),
            ("a,b\r\n1,\"\"\"\"\r\n", 1),
            ("a,b", 0),
            ("a\n", 0),
        ] {
            assert_eq!(table(text).expect("a table").rows, rows, "{text:?}");
        }
    }

    #[test]
    fn columns_and_what_is_empty_are_declared() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let is_zero = vec![("B".to_owned(), "0".to_owned())];
        let said = Declared { columns: names(&["a", "b"]), empty: is_zero.clone(), ..Declared::default() };
        let table = declared("1,2\n3,\n", &said).expect("a table");
        let column = |at: usize| (0..2).map(|row| table.columns[at].values.get(row)).collect::<Vec<_>>();
        assert_eq!(column(0), [Some(Value::Int(1)), Some(Value::Int(3))]);
        assert_eq!(column(1), [Some(Value::Int(2)), Some(Value::Int(0))]);
        let check = |text: &'static str, columns: &[&str], expected: &str| {
            let said = Declared { columns: names(columns), empty: is_zero.clone(), ..Declared::default() };
            assert_eq!(declared(text, &said).map(|_| ()), Err(expected.to_owned()));
        };
        check("1,2\n", &["a", "b", "c"], "E0540: t.csv: there are 2 fields, and 3 columns are declared");
        check("1,2\n", &["b", "B"], "E0540: t.csv: two columns are called `B`");
        check(
            "1,2\n",
            &["a", "c"],
            "E0540: t.csv: there is no column `B`, of which it is said what is empty",
        );
        check("b,c\n1,\n", &[], "E0541: t.csv: line 2: a field of the column `c` is empty");
    }

    #[test]
    fn an_empty_line_of_one_column_is_a_row() {
        let said = |columns: &[&str]| Declared {
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            empty: vec![("a".to_owned(), "0".to_owned())],
            ..Declared::default()
        };
        let rows = |text: &'static str, columns: &[&str]| {
            let table = declared(text, &said(columns)).expect("a table");
            let values = (0..table.rows).filter_map(|row| table.columns[0].values.get(row));
            values.map(|value| value.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(rows("a\n1\n\n3\n", &[]), ["1", "0", "3"]);
        assert_eq!(rows("a\n\n\n1\n\n", &[]), ["0", "0", "1", "0"]);
        assert_eq!(rows("1\n\n3", &["a"]), ["1", "0", "3"]);
        // Rows are a bag.
        assert_eq!(rows("\n1\r\n\r\n", &["a"]), ["1", "0", "0"]);
        assert_eq!(rows("a\r\n1\r\n2\r\n", &[]), ["1", "2"]);
        assert_eq!(rows("a\n\"x\n\ny\"\n\nz", &[]), ["x\n\ny", "0", "z"]);
        assert_eq!(rows("\n\"a\"\n1\n", &[]), ["1"]);
        assert_eq!(rows("a\n", &[]), [""; 0]);
        assert_eq!(rows("a", &[]), [""; 0]);
        assert_eq!(
            table("a\n1\n\n").map(|_| ()),
            Err("E0541: t.csv: line 3: a field of the column `a` is empty".to_owned())
        );
        // Of more columns it is none.
        assert_eq!(declared("a,b\n\n1,2\n\n", &said(&[])).map(|table| table.rows), Ok(1));
    }
}
