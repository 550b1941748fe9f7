//! Where the parts of an elaborated body are written.
//!
//! One surface expression often becomes several kernel nodes, and kernel terms carry no spans. So a
//! [`SpanTable`] is a tree beside the term: a span, and subtrees at *paths* of [`Child`] steps below it.
//! Nodes that no surface expression stands for have no entry; the nearest enclosing one speaks for them.

use atl_diag::Span;
use atl_kernel::Child;
use std::sync::Arc;

/// The places of a term in the source, by path from its root.
#[derive(Clone, Debug)]
pub struct SpanTable {
    span: Span,
    label: Option<Arc<str>>,
    below: Vec<(Box<[Child]>, Arc<SpanTable>)>,
}

impl SpanTable {
    /// A term that this span stands for as a whole.
    pub fn leaf(span: Span) -> SpanTable {
        SpanTable { span, label: None, below: Vec::new() }
    }

    /// The table with the one of the subterm at this path below it.
    pub fn with(mut self, path: &[Child], below: Arc<SpanTable>) -> SpanTable {
        self.below.push((path.into(), below));
        self
    }

    /// The table of a term that the source marks `'label: …`.
    pub fn labelled(mut self, label: &str) -> SpanTable {
        self.label = Some(Arc::from(label));
        self
    }

    /// The span of the whole term.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The span of the subterm at this path, or of the nearest one around it that has any; `None` only
    /// where the source has no file to point into.
    pub fn at(&self, path: &[Child]) -> Option<Span> {
        let (mut table, mut rest) = (self, path);
        while let Some((found, steps)) = table.step(rest) {
            (table, rest) = (found, &rest[steps..]);
        }
        (table.span != Span::default()).then_some(table.span)
    }

    /// The table of the subterm at this path.
    pub fn sub(&self, path: &[Child]) -> SpanTable {
        let (mut table, mut rest) = (self, path);
        while let Some((found, steps)) = table.step(rest) {
            (table, rest) = (found, &rest[steps..]);
        }
        if rest.is_empty() {
            return table.clone();
        }
        let mut out = SpanTable::leaf(table.span);
        for (at, below) in &table.below {
            if let Some(shorter) = at.strip_prefix(rest) {
                out = out.with(shorter, below.clone());
            }
        }
        out
    }

    /// The path of the subterm that the source marks `'label: …`.
    pub fn find(&self, label: &str) -> Option<Vec<Child>> {
        if self.label.as_deref() == Some(label) {
            return Some(Vec::new());
        }
        self.below.iter().find_map(|(path, table)| {
            let rest = table.find(label)?;
            Some(path.iter().copied().chain(rest).collect())
        })
    }

    /// The labels with which the source marks parts of the term, sorted.
    pub fn labels(&self) -> Vec<String> {
        let mut labels: Vec<String> = self.below.iter().flat_map(|(_, table)| table.labels()).collect();
        labels.extend(self.label.iter().map(ToString::to_string));
        labels.sort();
        labels.dedup();
        labels
    }

    /// The table once a `let` stands around the subterm at this path.
    pub(crate) fn below_let(&self, path: &[Child]) -> SpanTable {
        if path.is_empty() {
            return SpanTable::leaf(self.span).with(&[Child::Body], Arc::new(self.clone()));
        }
        let mut table = SpanTable { below: Vec::new(), ..self.clone() };
        for (at, below) in &self.below {
            table = match (path.strip_prefix(&**at), at.strip_prefix(path)) {
                (Some(rest), _) => table.with(at, Arc::new(below.below_let(rest))),
                (None, Some(rest)) => table.with(&[path, &[Child::Body], rest].concat(), below.clone()),
                (None, None) => table.with(at, below.clone()),
            };
        }
        table
    }

    /// The entry that leads towards this path, and how many steps it takes.
    fn step(&self, path: &[Child]) -> Option<(&SpanTable, usize)> {
        let (at, table) = self.below.iter().find(|(at, _)| path.starts_with(at))?;
        (!path.is_empty()).then_some((&**table, at.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_diag::FileId;

    fn span(n: u32) -> Span {
        Span::new(FileId(0), n, n + 1)
    }

    fn table() -> SpanTable {
        let read =
            SpanTable::leaf(span(3)).with(&[Child::Body, Child::Body], Arc::new(SpanTable::leaf(span(4))));
        SpanTable::leaf(span(1))
            .with(&[Child::Bound], Arc::new(SpanTable::leaf(span(2)).labelled("here")))
            .with(&[Child::Body, Child::Arg(1)], Arc::new(read))
    }

    fn check(path: &[Child], expected: u32) {
        assert_eq!(table().at(path), Some(span(expected)), "{path:?}");
    }

    #[test]
    fn the_nearest_enclosing_span_is_found() {
        use Child::{Arg, Body, Bound};
        check(&[], 1);
        check(&[Bound], 2);
        check(&[Bound, Body], 2);
        check(&[Body], 1);
        check(&[Body, Arg(0)], 1);
        check(&[Body, Arg(1)], 3);
        check(&[Body, Arg(1), Body], 3);
        check(&[Body, Arg(1), Body, Body], 4);
    }

    #[test]
    fn what_stands_below_a_new_let_is_found() {
        use Child::{Arg, Body, Bound};
        let check = |path: &[Child], place: &[Child], expected: u32| {
            assert_eq!(table().below_let(path).at(place), Some(span(expected)), "{path:?} {place:?}");
        };
        check(&[], &[Body, Bound], 2);
        check(&[Body], &[Body, Body, Arg(1)], 3);
        check(&[Body], &[Bound], 2);
        check(&[Body, Arg(1)], &[Body, Arg(1), Body, Body, Body], 4);
        check(&[Body, Arg(1)], &[Body, Arg(1), Bound], 3);
        check(&[Body, Arg(1), Body], &[Body, Arg(1), Body, Body, Body], 4);
    }

    #[test]
    fn subtables_and_labels() {
        use Child::{Arg, Body, Bound};
        assert_eq!(table().sub(&[Body, Arg(1)]).at(&[Body, Body]), Some(span(4)));
        assert_eq!(table().sub(&[Body, Arg(1), Body]).at(&[Body]), Some(span(4)));
        assert_eq!(table().sub(&[Body, Arg(0)]).at(&[Body, Body]), Some(span(1)));
        assert_eq!(table().find("here"), Some(vec![Bound]));
        assert_eq!(table().find("there"), None);
        assert_eq!(table().labels(), ["here"]);
    }
}
