//! The first line: `%%MatrixMarket matrix LAYOUT FIELD SYMMETRY`, in upper or lower case.

use std::io::Read;

use super::super::super::Reason;
use super::super::super::refusal::{Fault, Refusal};
use super::super::text::Lines;
use atl_runtime::DType;
use atl_runtime::convert::Scalar;

/// What some editors write before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How entries are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// A line for each entry: its coordinates and its value.
    Coordinate,
    /// A line for each element: its value, by columns.
    Array,
}

/// What values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Real,
    Integer,
    /// There are none: an entry is one.
    Pattern,
}

impl Field {
    /// The type that has its values.
    pub(super) fn dtype(self) -> DType {
        match self {
            Field::Real => DType::F64,
            Field::Integer => DType::I64,
            Field::Pattern => DType::Bool,
        }
    }
}

/// What the header says of the entries above the diagonal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Symmetry {
    /// Nothing.
    #[default]
    General,
    /// They are those below.
    Symmetric,
    /// They are the opposites of those below; the diagonal is zero, and not written.
    SkewSymmetric,
}

impl Symmetry {
    /// Every symmetry.
    pub const ALL: [Symmetry; 3] = [Symmetry::General, Symmetry::Symmetric, Symmetry::SkewSymmetric];

    /// As the banner has it.
    pub const fn name(self) -> &'static str {
        match self {
            Symmetry::General => "general",
            Symmetry::Symmetric => "symmetric",
            Symmetry::SkewSymmetric => "skew-symmetric",
        }
    }

    /// Whether a file has a line for this place.
    pub(super) fn writes(self, row: usize, column: usize) -> bool {
        match self {
            Symmetry::General => true,
            Symmetry::Symmetric => row >= column,
            Symmetry::SkewSymmetric => row > column,
        }
    }

    /// The value on the other side of the diagonal, if the type has it. Of zero it is zero, not a negative
    /// one.
    pub(super) fn mirror<T: Scalar>(self, value: T) -> Option<T> {
        let same = self != Symmetry::SkewSymmetric || value.is_same(T::default());
        if same { Some(value) } else { value.checked_opposite() }
    }
}

/// What the banner says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) layout: Layout,
    pub(super) field: Field,
    pub(super) symmetry: Symmetry,
}

impl Header {
    /// Reads the first line.
    pub(super) fn read<R: Read>(lines: &mut Lines<R>) -> Result<Header, Reason> {
        const BANNER: &str = "the banner `%%MatrixMarket matrix LAYOUT FIELD SYMMETRY`";
        let behind = lines.behind();
        let Some(mut line) = lines.line()? else {
            return Err(
                Refusal::new(Fault::Syntax, behind, "the end of the file, which is empty", BANNER).into()
            );
        };
        let first = line;
        let refused = |token: Option<&[u8]>, expected: &str| -> Reason {
            first.refuse(Fault::Syntax, token, expected).into()
        };
        let banner = line.token().map(|token| token.strip_prefix(BYTE_ORDER_MARK).unwrap_or(token));
        if !banner.is_some_and(|token| token.eq_ignore_ascii_case(b"%%MatrixMarket")) {
            return Err(refused(banner, BANNER));
        }
        let mut word = || {
            let token = line.token();
            (token, token.unwrap_or_default().to_ascii_lowercase())
        };
        let (token, object) = word();
        match &object[..] {
            b"matrix" => {}
            b"vector" => return Err(unsupported("vectors; write it as a matrix of one column")),
            _ => return Err(refused(token, "`matrix`")),
        }
        let (token, layout) = word();
        let layout = match &layout[..] {
            b"coordinate" => Layout::Coordinate,
            b"array" => Layout::Array,
            _ => return Err(refused(token, "`coordinate` or `array`")),
        };
        let (token, field) = word();
        let field = match &field[..] {
            b"real" | b"double" => Field::Real,
            b"integer" | b"unsigned-integer" => Field::Integer,
            b"pattern" if layout == Layout::Coordinate => Field::Pattern,
            b"complex" => {
                let why = "line 1: the entries are complex numbers, which are not read from `.mtx`";
                return Err(Reason::Complex(why.to_owned()));
            }
            _ => return Err(refused(token, "`real` or `integer`, or `pattern` of coordinates")),
        };
        let (token, symmetry) = word();
        let symmetry = match &symmetry[..] {
            b"general" => Symmetry::General,
            // A hermitian matrix of real numbers is symmetric; of complex numbers it was refused above.
            b"symmetric" | b"hermitian" => Symmetry::Symmetric,
            b"skew-symmetric" if field != Field::Pattern => Symmetry::SkewSymmetric,
            _ => return Err(refused(token, "`general` or `symmetric`, or `skew-symmetric` with values")),
        };
        line.end()?;
        Ok(Header { layout, field, symmetry })
    }
}

fn unsupported(what: &str) -> Reason {
    Reason::Unsupported(format!("line 1: there is no element type for {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a banner says, or a part of why it is refused.
    fn check(banner: &str, expected: Result<(Layout, Field, Symmetry), &str>) {
        let found = Header::read(&mut Lines::new(banner.as_bytes()));
        match (found, expected) {
            (Ok(found), Ok((layout, field, symmetry))) => {
                assert_eq!(found, Header { layout, field, symmetry })
            }
            (Err(reason), Err(needle)) => {
                let message = reason.at(std::path::Path::new("a.mtx")).to_string();
                assert!(message.contains(needle), "{message}");
            }
            (found, expected) => panic!("{banner}: {found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn banners() {
        use {Field as F, Layout::*, Symmetry::*};
        check("%%MatrixMarket matrix coordinate real general\n", Ok((Coordinate, F::Real, General)));
        check("\u{feff}%%matrixmarket MATRIX Array Integer Symmetric", Ok((Array, F::Integer, Symmetric)));
        check(
            "%%MatrixMarket\tmatrix coordinate pattern symmetric \r\n",
            Ok((Coordinate, F::Pattern, Symmetric)),
        );
        check("%%MatrixMarket matrix array double skew-symmetric", Ok((Array, F::Real, SkewSymmetric)));
        check("%%MatrixMarket matrix coordinate real hermitian", Ok((Coordinate, F::Real, Symmetric)));
    }

    #[test]
    fn other_banners_are_refused() {
        check("", Err("line 1: found the end of the file, which is empty, expected the banner"));
        check("\n", Err("line 1: found the end of the line, expected the banner"));
        check("% a comment", Err("line 1: found `%`, expected the banner"));
        check("%%MatrixMarket vector array real general", Err("a matrix of one column"));
        check("%%MatrixMarket matrix coordinate complex general", Err("complex numbers"));
        check("%%MatrixMarket matrix coordinate complex hermitian", Err("complex numbers"));
        check("%%MatrixMarket matrix array pattern general", Err("found `pattern`"));
        check("%%MatrixMarket matrix coordinate pattern skew-symmetric", Err("found `skew-symmetric`"));
        check("%%MatrixMarket matrix coordinate real", Err("found the end of the line, expected `general`"));
        check("%%MatrixMarket matrix coordinate real general 7", Err("found `7`, expected the end"));
    }
}
