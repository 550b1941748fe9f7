//! What was seen of columns on the way to a refusal.
//!
//! One idea: the type of a column is what all of its fields can be, so where a query takes a column for
//! numbers and is refused, the cause stands in the file: one field that is neither a number nor a date. The
//! refusal says which. A column without any field has the type that the query means it to have.

use crate::table::{Table, Values};
use atl_diag::{Diagnostic, Span};
use std::cell::RefCell;

/// Of a field that is long, so much is shown.
const SHOWN: usize = 40;

/// Columns that names meant, by table and place.
#[derive(Default)]
pub(super) struct Seen {
    /// A column without any field, and values of the type that it is meant to have.
    pub(super) meant: RefCell<Option<(usize, usize, Values)>>,
    texts: RefCell<Vec<(Span, (usize, usize))>>,
}

impl Seen {
    /// A name that means a column of texts.
    pub(super) fn text(&self, span: Span, of: (usize, usize)) {
        self.texts.borrow_mut().push((span, of));
    }

    /// A refusal of values for their type, with why columns are text whose names stand where it points.
    pub(super) fn explained(&self, why: Diagnostic, tables: &[Table]) -> Diagnostic {
        let Some(place) =
            why.primary.as_ref().map(|label| label.span).filter(|_| why.code == atl_diag::codes::E0546)
        else {
            return why;
        };
        let mut columns: Vec<(usize, usize)> = Vec::new();
        for (span, of) in &*self.texts.borrow() {
            if span.file == place.file
                && place.start <= span.start
                && span.end <= place.end
                && !columns.contains(of)
            {
                columns.push(*of);
            }
        }
        columns.into_iter().fold(why, |why, (table, column)| {
            let (table, column) = (&tables[table], &tables[table].columns[column]);
            let Some(by) = &column.text_by else { return why };
            let mut field: String = by.field.chars().take(SHOWN).collect();
            if field.len() < by.field.len() {
                field.push('…');
            }
            why.note(format!(
                "the column `{}` is text: in line {} of `{}` stands `{field}`, which is neither a number nor a date",
                column.name, by.line, table.name
            ))
            .note("numbers are written as `-1234.5` or `1e6`, dates as `2024-01-31`")
        })
    }
}
