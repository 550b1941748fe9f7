//! Files as today's tools and yesterday's write them.

use super::read;
use crate::file::Declared;
use crate::table::Table;
use parquet::basic::{Compression, GzipLevel};
use parquet::data_type::{BoolType, ByteArrayType, Int64Type, Int96, Int96Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;

const SCHEMA: &str = "message rows {
    required int64 v; required boolean b; required binary s (STRING); required int96 d; required group g { required int64 x; }
}";

fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("atl-query-{}-{name}.parquet", std::process::id()))
}

/// Three row groups of two rows, in a file.
fn write(name: &str, compression: Compression, version: WriterVersion, since: u32) -> PathBuf {
    let path = path(name);
    let properties =
        WriterProperties::builder().set_compression(compression).set_writer_version(version).build();
    let schema = Arc::new(parse_message_type(SCHEMA).expect("a schema"));
    let file = File::create(&path).expect("a file");
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).expect("a writer");
    for group in 0..3i64 {
        let mut rows = writer.next_row_group().expect("a row group");
        let mut at = 0;
        while let Some(mut column) = rows.next_column().expect("a column") {
            match at {
                0 | 4 => column.typed::<Int64Type>().write_batch(&[group, 10 * group], None, None),
                1 => column.typed::<BoolType>().write_batch(&[group == 1, true], None, None),
                2 => column.typed::<ByteArrayType>().write_batch(&["x".into(), "y".into()], None, None),
                _ => {
                    let mut moments = [Int96::new(); 2];
                    // The days before and after 1970 began.
                    moments[0].set_data(since, 0, 2_440_587);
                    moments[1].set_data(since, 0, 2_440_588);
                    column.typed::<Int96Type>().write_batch(&moments, None, None)
                }
            }
            .expect("values");
            column.close().expect("a column");
            at += 1;
        }
        rows.close().expect("a row group");
    }
    writer.close().expect("a file");
    path
}

fn table(path: &PathBuf, columns: &[&str]) -> Result<Table, String> {
    let file = File::open(path).expect("a file");
    let wanted = |column: &str| columns.contains(&column);
    read("t.parquet", file, &wanted, &Declared::default())
        .map_err(|why| format!("{}: {}", why.code, why.message))
}

fn shown(table: &Table, column: usize) -> Vec<String> {
    let values = &table.columns[column].values;
    (0..table.rows).filter_map(|row| values.get(row)).map(|value| value.to_string()).collect()
}

#[test]
fn a_file_is_read_whatever_compresses_it() {
    let all = [
        ("plain", Compression::UNCOMPRESSED),
        ("snappy", Compression::SNAPPY),
        ("gzip", Compression::GZIP(GzipLevel::default())),
        ("lz4", Compression::LZ4_RAW),
    ];
    for (name, compression) in all {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let path = write(name, compression, version, 0);
            check(name, &path);
            fs::remove_file(path).expect("a file");
        }
    }
}

/// Has the file the rows that [`write`] writes?
fn check(name: &str, path: &PathBuf) {
    let table = table(path, &["v", "b", "s", "d"]).unwrap_or_else(|why| panic!("{name}: {why}"));
    assert_eq!(table.rows, 6, "{name}");
    assert_eq!(shown(&table, 0), ["0", "0", "1", "10", "2", "20"], "{name}");
    assert_eq!(shown(&table, 1), ["false", "true", "true", "true", "false", "true"], "{name}");
    assert_eq!(shown(&table, 2), ["x", "y", "x", "y", "x", "y"], "{name}");
    assert_eq!(shown(&table, 3)[..2], ["1969-12-31", "1970-01-01"], "{name}");
}

/// The same rows, in both forms of pages, as the format's writer compressed them when it could.
#[test]
fn files_of_brotli_and_zstd_are_read_and_damaged_ones_refused() {
    let files = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/parquet/files"));
    for name in ["brotli_1", "brotli_2", "zstd_1", "zstd_2"] {
        let file = files.join(format!("{name}.parquet"));
        check(name, &file);
        let bytes = fs::read(&file).expect("a file");
        let changed = path(name);
        for at in (4..bytes.len() / 2).step_by(7) {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x55;
            fs::write(&changed, &bytes).expect("a file");
            // Some bytes are numbers that may as well be others.
            let _ = table(&changed, &["v", "b", "s", "d"]);
        }
        fs::write(&changed, [&bytes[..4], &[0; 40], &bytes[44..]].concat()).expect("a file");
        let said = table(&changed, &["v"]).map(|_| ()).expect_err("a refusal");
        assert!(said.starts_with("E0540: t.parquet: it cannot be read"), "{name}: {said}");
        fs::remove_file(changed).expect("a file");
    }
}

#[test]
fn what_a_table_does_not_have_is_refused() {
    let path = write("refused", Compression::SNAPPY, WriterVersion::PARQUET_1_0, 1);
    assert_eq!(
        table(&path, &["d"]).map(|_| ()),
        Err("E0541: t.parquet: row 1: a field of the column `d` has a time of day, and only dates are read"
            .to_owned())
    );
    assert_eq!(
        table(&path, &["g"]).map(|_| ()),
        Err("E0540: t.parquet: the column `g` is nested".to_owned())
    );
    assert_eq!(table(&path, &["v"]).map(|table| table.rows), Ok(6));
    fs::remove_file(path).expect("a file");
}

#[test]
fn rows_are_those_of_the_row_groups() {
    let path = write("rows", Compression::SNAPPY, WriterVersion::PARQUET_1_0, 0);
    let mut bytes = fs::read(&path).expect("a file");
    // The number of rows in the footer, 6, before its list of row groups.
    let footer = [0x16, 12, 0x19, 0x3c];
    let at = bytes.windows(4).rposition(|found| found == footer).expect("the footer's number of rows");
    bytes[at + 1] = 0;
    fs::write(&path, &bytes).expect("a file");
    assert_eq!(table(&path, &[]).map(|table| table.rows), Ok(6));
    assert_eq!(table(&path, &["v"]).map(|table| shown(&table, 0).len()), Ok(6));
    // The number of rows of a row group, 2, behind its number of bytes: its columns have as many values.
    let behind = bytes[at..].windows(3).position(|found| found == [0x16, 4, 0x26]);
    let at = at + behind.expect("a row group's number of rows");
    bytes[at + 1] = 2;
    fs::write(&path, &bytes).expect("a file");
    let said = table(&path, &[]).map(|_| ()).expect_err("a refusal");
    assert!(said.contains("a part of the column `v` has 2 values, and there are 1 rows"), "{said}");
    fs::remove_file(path).expect("a file");
}
