//! Tables from Parquet files, which say of each column what its values are.
//!
//! Integers, decimals of at most 18 digits after the point, dates, floating-point numbers and texts are what
//! tables have; times that all are a day's beginning are dates, and truth values the texts `true` and
//! `false`. A column of anything else that somebody asks for is refused, and so is a null, for there are no
//! nulls. Only the columns that the query names are decoded. The format's reader is the `parquet` crate's;
//! `deltas` reads a page that it would not, and `compressed` what is compressed by brotli or zstd.

mod compressed;
mod deltas;

use crate::csv;
use crate::date;
use crate::dictionary::Dictionary;
use crate::file::Declared;
use crate::table::{Column, MOST_ROWS, Table, Values, all_there, checked_header};
use atl_diag::{Diagnostic, err};
use compressed::{Codec, Decompressed};
use deltas::Plain;
use parquet::basic::{Compression, ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::column::page::PageReader;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescriptor;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

type Refusal = Box<Diagnostic>;

/// How many values are decoded at once.
const BATCH: usize = 1 << 14;

/// Read the columns that are wanted.
///
/// # Errors
/// The file cannot be read, is no Parquet file, or such a column is nested, of another type, or has a null
/// for which nothing stands.
pub fn read(
    name: &str,
    file: File,
    wanted: &dyn Fn(&str) -> bool,
    declared: &Declared,
) -> Result<Table, Refusal> {
    // The format's reader panics at some files that are damaged. Nothing of it outlives the call.
    catch_unwind(AssertUnwindSafe(|| decoded(name, file, wanted, declared)))
        .unwrap_or_else(|_| Err(Box::new(damaged(name, "it is damaged"))))
}

fn decoded(
    name: &str,
    file: File,
    wanted: &dyn Fn(&str) -> bool,
    declared: &Declared,
) -> Result<Table, Refusal> {
    let damaged = |why: ParquetError| Box::new(damaged(name, why));
    let chunks = Arc::new(file.try_clone().map_err(|why| damaged(why.into()))?);
    let reader = SerializedFileReader::new(file).map_err(damaged)?;
    let metadata = reader.metadata().file_metadata();
    let schema = metadata.schema_descr();
    let fields = schema.root_schema().get_fields();
    let header = checked_header(name, fields.iter().map(|field| field.name()), wanted)?;
    all_there(name, declared, &header)?;
    if !declared.columns.is_empty() {
        let message = err!(E0540, "{name}: a Parquet file names its columns");
        return Err(Box::new(message.help("leave their names out: `NAME=FILE.parquet`")));
    }
    let rows = rows(name, reader.metadata())?;
    if rows > MOST_ROWS {
        let message = err!(E0540, "{name}: there are more than {MOST_ROWS} rows");
        return Err(Box::new(message.help("rows are numbered by 32 bits: take a part of the table")));
    }
    let mut columns = Vec::new();
    for (root, field) in header.iter().enumerate().filter(|(_, field)| !field.is_empty() && wanted(field)) {
        let mut leaves = (0..schema.num_columns()).filter(|leaf| schema.get_column_root_idx(*leaf) == root);
        let leaf = match (leaves.next(), leaves.next()) {
            (Some(leaf), None) if fields[root].is_primitive() => leaf,
            _ => return Err(unfit(name, field, "is nested")),
        };
        let described = schema.column(leaf);
        if described.max_rep_level() > 0 {
            return Err(unfit(name, field, "is a list"));
        }
        let sort = Sort::of(&described).map_err(|what| unfit(name, field, &what))?;
        let (nulls, instead) = (described.max_def_level(), declared.instead(field));
        let mut built = Built { sort, nulls, instead, values: sort.none(), rows: 0 };
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group).map_err(damaged)?;
            let compression = group.metadata().column(leaf).compression();
            if compression == Compression::LZO {
                return Err(squeezed(name, field));
            }
            let pages: Box<dyn PageReader> = match Codec::of(compression) {
                None => group.get_column_page_reader(leaf).map_err(damaged)?,
                Some(codec) => {
                    let as_it_is = group.metadata().column(leaf).clone().into_builder();
                    let as_it_is =
                        as_it_is.set_compression(Compression::UNCOMPRESSED).build().map_err(damaged)?;
                    let pages = SerializedPageReader::new(chunks.clone(), &as_it_is, count(&*group), None);
                    Box::new(Decompressed { pages: pages.map_err(damaged)?, codec })
                }
            };
            let column = match described.physical_type() {
                Physical::INT32 => {
                    let pages = Plain { pages, column: described.clone() };
                    get_column_reader(described.clone(), Box::new(pages))
                }
                _ => get_column_reader(described.clone(), pages),
            };
            built.read(column).map_err(|why| match why {
                Stop::Damaged(why) => damaged(why),
                Stop::Field(what) => Box::new(field_refused((name, declared), &built, field, what)),
            })?;
        }
        if built.rows != rows {
            let message = err!(
                E0540,
                "{name}: the column `{field}` has {} values, and there are {rows} rows",
                built.rows
            );
            return Err(Box::new(message.help("write the file again")));
        }
        columns.push(Column { name: field.clone(), values: built.values.finish(), text_by: None });
    }
    Ok(Table { name: name.to_owned(), header, columns, rows, remarks: Vec::new() })
}

fn damaged(name: &str, why: impl std::fmt::Display) -> Diagnostic {
    err!(E0540, "{name}: it cannot be read: {why}").help("a table's file is CSV or Parquet")
}

fn squeezed(name: &str, column: &str) -> Refusal {
    Box::new(
        err!(E0540, "{name}: the column `{column}` is compressed by lzo")
            .help("compress the file by zstd, snappy, gzip, lz4 or brotli, or not at all"),
    )
}

/// How many rows a row group has.
fn count(group: &dyn RowGroupReader) -> usize {
    usize::try_from(group.metadata().num_rows()).unwrap_or(0)
}

/// How many rows the row groups have. The file's own number of rows is not believed: some writers leave it 0.
fn rows(name: &str, metadata: &ParquetMetaData) -> Result<usize, Refusal> {
    let mut rows = 0usize;
    for group in metadata.row_groups() {
        let own = group.num_rows();
        // A column that is no list has a value, or a null, for each row.
        let is_flat = |column: &&ColumnChunkMetaData| column.column_descr().max_rep_level() == 0;
        let other = group.columns().iter().filter(is_flat).find(|column| column.num_values() != own);
        if let Some(column) = other {
            let (column, values) = (column.column_path().string(), column.num_values());
            let message = err!(
                E0540,
                "{name}: a part of the column `{column}` has {values} values, and there are {own} rows"
            );
            return Err(Box::new(message.help("write the file again")));
        }
        rows = rows.saturating_add(usize::try_from(own).unwrap_or(usize::MAX));
    }
    Ok(rows)
}

fn unfit(name: &str, column: &str, what: &str) -> Refusal {
    Box::new(
        err!(E0540, "{name}: the column `{column}` {what}")
            .help("write it as integers, decimals, dates, floating-point numbers, truth values or texts (of a list a row for each of its elements, of a structure a column for each of its parts), or leave it out of the query"),
    )
}

fn field_refused(
    (name, declared): (&str, &Declared),
    built: &Built<'_>,
    column: &str,
    what: &'static str,
) -> Diagnostic {
    let message = err!(E0541, "{name}: row {}: a field of the column `{column}` {what}", built.rows + 1);
    let option = declared.option(column, built.values.stand_in());
    let null = format!(
        "a query has no nulls: leave such rows out, or give the value that they are read as: {option}"
    );
    message.help(match what {
        NULL => &null,
        TIMED => "write dates, as by `cast(column as date)`, or leave the column out of the query",
        MISFIT => "give a value of the column's type",
        WIDE => "an exact number has 64 bits: write it as a floating-point number",
        FOREIGN => "write texts as UTF-8",
        _ => "leave such rows out",
    })
}

const NULL: &str = "is null";
const MISFIT: &str = "is null, and what `--empty` gives for it is no value of the column's type";
const WIDE: &str = "does not fit into 64 bits";
const FOREIGN: &str = "is not UTF-8";
const ENDLESS: &str = "is no finite number";
const TIMED: &str = "has a time of day, and only dates are read";
const NO_YEAR: &str = "is no date of the years 1 to 9999";

/// What the values of a column are.
#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Int,
    /// Integers without a sign, in this many bits.
    Natural(u8),
    Decimal(u8),
    Date,
    /// Times without a zone, of which each is a day's beginning, in this number of parts of a day.
    Days(i64),
    /// The same, as a day and the nanoseconds since it began.
    Moments,
    /// Truth values, as texts.
    Truths,
    Float,
    Text,
}

impl Sort {
    /// By what the file says of the column; or else what it is.
    fn of(column: &ColumnDescriptor) -> Result<Sort, String> {
        let physical = column.physical_type();
        let is_int = matches!(physical, Physical::INT32 | Physical::INT64);
        let bytes = matches!(physical, Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY);
        let decimal = |scale: i32| match u8::try_from(scale) {
            Ok(scale) if scale <= 18 && (is_int || bytes) => Ok(Sort::Decimal(scale)),
            _ => Err(format!("has {scale} digits after the point, and 18 are the most")),
        };
        let is_date = physical == Physical::INT32;
        match column.logical_type_ref() {
            Some(LogicalType::String | LogicalType::Enum | LogicalType::Json) if bytes => Ok(Sort::Text),
            Some(LogicalType::Decimal(_)) => decimal(column.type_scale()),
            Some(LogicalType::Date) if is_date => Ok(Sort::Date),
            Some(LogicalType::Integer(int)) if is_int && int.is_signed => Ok(Sort::Int),
            Some(LogicalType::Integer(int)) if is_int => {
                Ok(Sort::Natural(if int.bit_width == 64 { 64 } else { 32 }))
            }
            Some(LogicalType::Timestamp(time))
                if physical == Physical::INT64 && !time.is_adjusted_to_u_t_c =>
            {
                Ok(Sort::Days(match time.unit {
                    TimeUnit::MILLIS => 86_400_000,
                    TimeUnit::MICROS => 86_400_000_000,
                    TimeUnit::NANOS => 86_400_000_000_000,
                }))
            }
            Some(other) => {
                let words = format!("{other:?}").to_lowercase();
                let (name, _) = words.split_once(['(', ' ']).unwrap_or((&words, ""));
                Err(format!("is of the type {name}"))
            }
            None => match (column.converted_type(), physical) {
                (ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON, _) if bytes => {
                    Ok(Sort::Text)
                }
                (ConvertedType::DECIMAL, _) => decimal(column.type_scale()),
                (ConvertedType::DATE, Physical::INT32) => Ok(Sort::Date),
                (
                    ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32,
                    Physical::INT32,
                ) => Ok(Sort::Natural(32)),
                (ConvertedType::UINT_64, Physical::INT64) => Ok(Sort::Natural(64)),
                (
                    ConvertedType::NONE
                    | ConvertedType::INT_8
                    | ConvertedType::INT_16
                    | ConvertedType::INT_32
                    | ConvertedType::INT_64,
                    Physical::INT32 | Physical::INT64,
                ) => Ok(Sort::Int),
                (ConvertedType::NONE, Physical::FLOAT | Physical::DOUBLE) => Ok(Sort::Float),
                (ConvertedType::NONE, Physical::BYTE_ARRAY) => Ok(Sort::Text),
                (ConvertedType::NONE, Physical::BOOLEAN) => Ok(Sort::Truths),
                (ConvertedType::NONE, Physical::INT96) => Ok(Sort::Moments),
                (ConvertedType::NONE, physical) => Err(format!("is of the type {physical}")),
                (converted, _) => Err(format!("is of the type {converted}")),
            },
        }
    }

    fn none(self) -> Building {
        match self {
            Sort::Int | Sort::Natural(_) => Building::Int(Vec::new()),
            Sort::Decimal(scale) => Building::Decimal(scale, Vec::new()),
            Sort::Date | Sort::Days(_) | Sort::Moments => Building::Date(Vec::new()),
            Sort::Float => Building::Float(Vec::new()),
            Sort::Text | Sort::Truths => Building::Text(Dictionary::default()),
        }
    }
}

/// The values of a column that is being read.
enum Building {
    Int(Vec<i64>),
    Decimal(u8, Vec<i64>),
    Date(Vec<i32>),
    Float(Vec<f64>),
    Text(Dictionary),
}

impl Building {
    /// A value that nulls may be read as.
    fn stand_in(&self) -> &'static str {
        match self {
            Building::Text(_) => "",
            Building::Date(_) => "1970-01-01",
            Building::Int(_) | Building::Decimal(..) | Building::Float(_) => "0",
        }
    }

    fn finish(self) -> Values {
        match self {
            Building::Int(values) => Values::Int(Arc::new(values)),
            Building::Decimal(scale, values) => Values::Decimal(scale, Arc::new(values)),
            Building::Date(values) => Values::Date(Arc::new(values)),
            Building::Float(values) => Values::Float(Arc::new(values)),
            Building::Text(dictionary) => dictionary.finish(),
        }
    }
}

/// Why a column is not read to its end.
enum Stop {
    Damaged(ParquetError),
    /// The field after those that were read.
    Field(&'static str),
}

struct Built<'d> {
    sort: Sort,
    /// The level at which a value is there, above those at which it is null.
    nulls: i16,
    /// What a null is read as.
    instead: Option<&'d str>,
    values: Building,
    rows: usize,
}

impl Built<'_> {
    /// One more part of the column.
    fn read(&mut self, column: ColumnReader) -> Result<(), Stop> {
        let sort = self.sort;
        match column {
            ColumnReader::Int32ColumnReader(c) => self.all(c, |values, n| int32(values, sort, *n)),
            ColumnReader::Int64ColumnReader(c) => self.all(c, |values, n| int64(values, sort, *n)),
            ColumnReader::FloatColumnReader(c) => self.all(c, |values, x| finite(values, f64::from(*x))),
            ColumnReader::DoubleColumnReader(c) => self.all(c, |values, x| finite(values, *x)),
            ColumnReader::ByteArrayColumnReader(c) => {
                self.all(c, |values, field| bytes(values, field.data()))
            }
            ColumnReader::FixedLenByteArrayColumnReader(c) => {
                self.all(c, |values, field| bytes(values, field.data()))
            }
            ColumnReader::BoolColumnReader(c) => {
                self.all(c, |values, truth| bytes(values, if *truth { b"true" } else { b"false" }))
            }
            ColumnReader::Int96ColumnReader(c) => self.all(c, |values, moment| {
                let [low, high, day] = moment.data() else { return Err(WIDE) };
                moments(values, i64::from(*day) - 2_440_588, u64::from(*low) | u64::from(*high) << 32)
            }),
        }
    }

    fn all<T: DataType>(
        &mut self,
        mut column: ColumnReaderImpl<T>,
        push: impl Fn(&mut Building, &T::T) -> Result<(), &'static str>,
    ) -> Result<(), Stop> {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        loop {
            values.clear();
            levels.clear();
            let (records, ..) =
                column.read_records(BATCH, Some(&mut levels), None, &mut values).map_err(Stop::Damaged)?;
            if records == 0 {
                return Ok(());
            }
            let mut values = values.iter();
            for record in 0..records {
                let is_null = levels.get(record).is_some_and(|level| *level != self.nulls);
                let value = if is_null { None } else { values.next() };
                let done = match (value, self.instead) {
                    (Some(value), _) => push(&mut self.values, value),
                    (None, Some(field)) => written(&mut self.values, field.as_bytes()),
                    (None, None) => Err(NULL),
                };
                done.map_err(Stop::Field)?;
                self.rows += 1;
            }
        }
    }
}

fn int32(values: &mut Building, sort: Sort, n: i32) -> Result<(), &'static str> {
    match values {
        Building::Int(all) if matches!(sort, Sort::Natural(_)) => all.push(i64::from(n.cast_unsigned())),
        Building::Int(all) | Building::Decimal(_, all) => all.push(i64::from(n)),
        Building::Date(all) if date::has_year(n) => all.push(n),
        Building::Date(_) => return Err(NO_YEAR),
        Building::Float(_) | Building::Text(_) => return Err(WIDE),
    }
    Ok(())
}

fn int64(values: &mut Building, sort: Sort, n: i64) -> Result<(), &'static str> {
    match values {
        // Without a sign, what is negative here is large.
        Building::Int(_) if sort == Sort::Natural(64) && n < 0 => Err(WIDE),
        Building::Int(all) | Building::Decimal(_, all) => {
            all.push(n);
            Ok(())
        }
        Building::Date(all) => {
            let Sort::Days(parts) = sort else { return Err(WIDE) };
            let day = i32::try_from(n / parts).ok().filter(|day| date::has_year(*day)).ok_or(NO_YEAR)?;
            all.push(if n % parts == 0 { day } else { return Err(TIMED) });
            Ok(())
        }
        _ => Err(WIDE),
    }
}

/// A day, and the nanoseconds since it began.
fn moments(values: &mut Building, day: i64, since: u64) -> Result<(), &'static str> {
    let Building::Date(all) = values else { return Err(WIDE) };
    let day = i32::try_from(day).ok().filter(|day| date::has_year(*day)).ok_or(NO_YEAR)?;
    all.push(if since == 0 { day } else { return Err(TIMED) });
    Ok(())
}

fn finite(values: &mut Building, x: f64) -> Result<(), &'static str> {
    match values {
        Building::Float(all) if x.is_finite() => {
            all.push(x);
            Ok(())
        }
        _ => Err(ENDLESS),
    }
}

/// A field as a file of text would have it.
fn written(values: &mut Building, field: &[u8]) -> Result<(), &'static str> {
    match values {
        Building::Int(all) => all.push(csv::exact(field, 0).ok_or(MISFIT)?),
        Building::Decimal(scale, all) => all.push(csv::exact(field, *scale).ok_or(MISFIT)?),
        Building::Date(all) => all.push(std::str::from_utf8(field).ok().and_then(date::parse).ok_or(MISFIT)?),
        Building::Float(all) => all.push(csv::float(field).ok_or(MISFIT)?),
        Building::Text(dictionary) => dictionary.push(field).map_err(|_| FOREIGN)?,
    }
    Ok(())
}

/// A text, or the bytes of an integer with its sign, the most significant first.
fn bytes(values: &mut Building, field: &[u8]) -> Result<(), &'static str> {
    match values {
        Building::Text(dictionary) => dictionary.push(field).map_err(|_| FOREIGN),
        Building::Decimal(_, all) => {
            let sign = if field.first().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
            let (front, back) = field.split_at(field.len().saturating_sub(8));
            let mut wide = [sign; 8];
            wide[8 - back.len()..].copy_from_slice(back);
            let value = i64::from_be_bytes(wide);
            let fits = front.iter().all(|byte| *byte == sign) && (value < 0) == (sign != 0);
            if !fits {
                return Err(WIDE);
            }
            all.push(value);
            Ok(())
        }
        _ => Err(WIDE),
    }
}

#[cfg(test)]
mod tests;
