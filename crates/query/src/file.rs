//! A table's file, and its description: its columns, where it does not name them, and what stands
//! for empty fields.

use std::path::PathBuf;

/// A file that is a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableFile {
    /// What the query calls it.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its description.
    pub declared: Declared,
}

/// The description of a table's file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Declared {
    /// The columns in order, of a CSV file without a line of names; else none.
    pub columns: Vec<String>,
    /// Columns with the field that each of their empty ones, or nulls, is read as.
    pub empty: Vec<(String, String)>,
    /// What the query calls the table, for messages; empty where that is not known.
    pub called: String,
}

/// How a table and its file are written.
pub const EXPECTED: &str = "expected `NAME=FILE`, or `NAME(COLUMN, ..)=FILE` where no line names the columns";

impl TableFile {
    /// A file without a description.
    pub fn new(name: impl Into<String>, path: impl Into<PathBuf>) -> TableFile {
        TableFile { name: name.into(), path: path.into(), declared: Declared::default() }
    }

    /// A file for what stands before `=` in `NAME=FILE`, or in `NAME(COLUMN, ..)=FILE` of a file without a
    /// line of names.
    ///
    /// # Errors
    /// It is not written so: what was expected.
    pub fn named(table: &str, path: impl Into<PathBuf>) -> Result<TableFile, String> {
        let (path, expected) = (path.into(), || EXPECTED.to_owned());
        let (name, columns) = match table.split_once('(') {
            Some((name, columns)) => {
                let columns = columns.trim_end().strip_suffix(')').ok_or_else(expected)?;
                (name, columns.split(',').map(|column| column.trim().to_owned()).collect())
            }
            None => (table, Vec::new()),
        };
        let name = name.trim();
        if name.is_empty() || path.as_os_str().is_empty() || columns.iter().any(String::is_empty) {
            return Err(expected());
        }
        Ok(TableFile { declared: Declared { columns, ..Declared::default() }, ..TableFile::new(name, path) })
    }
}

impl Declared {
    /// What an empty field of this column is read as.
    pub(crate) fn instead(&self, column: &str) -> Option<&str> {
        let named = self.empty.iter().find(|(name, _)| name.eq_ignore_ascii_case(column));
        named.map(|(_, field)| field.as_str())
    }

    /// The option that has a column's empty fields read as `value`.
    pub(crate) fn option(&self, column: &str, value: &str) -> String {
        let table = if self.called.is_empty() { "TABLE" } else { &self.called };
        format!("`--empty {table}.{column}={value}`")
    }

    /// A column that is described and is not there.
    pub(crate) fn stray(&self, header: &[String]) -> Option<&str> {
        let known = |name: &str| header.iter().any(|column| column.eq_ignore_ascii_case(name));
        self.empty.iter().map(|(name, _)| name.as_str()).find(|name| !known(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_with_or_without_columns() {
        let parsed = |text: &str| {
            let (table, path) = text.split_once('=')?;
            TableFile::named(table, path).ok()
        };
        let file = TableFile::new("R", "a=b.csv");
        assert_eq!(parsed("R=a=b.csv"), Some(file.clone()));
        let columns = vec!["x".to_owned(), "y z".to_owned()];
        assert_eq!(
            parsed("R(x, y z)=a=b.csv"),
            Some(TableFile { declared: Declared { columns, ..Declared::default() }, ..file })
        );
        for wrong in ["R", "=a", "R=", "R()=a", "R(x,)=a", "(x)=a", "R(x=a"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
