//! What CSV files become, and what they are refused for.

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
    check("2024-02-28\n2024-02-30\n", &by(3, "2024-02-30"));
    check("2023-02-29\n2024-02-29\n", &by(2, "2023-02-29"));
    for quiet in [
        "1\n2\n",
        "1\nx\n",
        "2024-02-28\n2024-02-30\nx\n",
        "2024-13-01\n2024-13-02\n",
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
    for field in [".", "-", "-.", "+3", "1_000", "1 000", "0x10", "00.5", "1.2.3", "--1", "e5", ".e5", "1e"] {
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
    check("1,2\n", &["a", "c"], "E0540: t.csv: there is no column `B`, of which it is said what is empty");
    check("b,c\n1,\n", &[], "E0541: t.csv: line 2: a field of the column `c` is empty");
}

#[test]
fn an_empty_field_may_be_an_empty_text() {
    let empty = Declared { empty: vec![("a".to_owned(), String::new())], ..Declared::default() };
    let rows = |text: &'static str| {
        let table = declared(text, &empty).expect("a table");
        let values = (0..table.rows).filter_map(|row| table.columns[0].values.get(row));
        values.map(|value| value.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(rows("a,b\nx,1\n,2\n"), ["x", ""]);
    assert_eq!(rows("a,b\n,1\n,2\n"), ["", ""]);
    assert_eq!(rows("a,b\n7,1\n,2\n"), ["7", ""]);
    assert_eq!(rows("a\n\nx\n"), ["", "x"]);
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
