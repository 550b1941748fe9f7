//! How the dimensions of a tensor become those that levels store: reorderings, blocks, diagonals, and several
//! at once.
//!
//! **The one idea.** An axis is a function of a tensor's index: `i`, `i / 4`, `i % 4`, `j - i`, `min(i, j)`.
//! A list of axes that determines the index is a reshape: it stores tensor element `x` at coordinates
//! `(a0(x), a1(x), …)`. What is left of the axes' box is padding, and zero: the ends of the last blocks, and
//! of short diagonals.

use crate::Refusal;
use std::fmt;

/// A function of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Dimension `d` itself.
    Dimension(usize),
    /// Which block of `size`: `d / size`.
    Block {
        /// The dimension.
        of: usize,
        /// The blocks' extent, above 0.
        size: usize,
    },
    /// Where in the block: `d % size`.
    Within {
        /// The dimension.
        of: usize,
        /// The blocks' extent, above 0.
        size: usize,
    },
    /// Which diagonal: `column - row`, counted from the lowest one, `1 - (extent of row)`.
    Diagonal {
        /// The dimension of rows.
        row: usize,
        /// The dimension of columns.
        column: usize,
    },
    /// Where on the diagonal: `min(row, column)`.
    Along {
        /// The dimension of rows.
        row: usize,
        /// The dimension of columns.
        column: usize,
    },
}

impl Axis {
    /// How many values it has.
    pub fn extent(self, shape: &[usize]) -> Result<usize, Refusal> {
        match self {
            Axis::Dimension(d) => Ok(shape[d]),
            Axis::Block { of, size } => Ok(shape[of].div_ceil(size)),
            Axis::Within { size, .. } => Ok(size),
            Axis::Along { row, column } => Ok(shape[row].min(shape[column])),
            Axis::Diagonal { row, column } => {
                let (n, m) = (shape[row], shape[column]);
                if n == 0 || m == 0 {
                    return Ok(0);
                }
                let all = (n - 1).checked_add(m).filter(|all| i64::try_from(*all).is_ok());
                all.ok_or_else(|| Refusal::TooLarge { what: "the number of diagonals".into() })
            }
        }
    }

    /// The number of the diagonal 0: what a level subtracts from coordinates that it stores as they are.
    pub(crate) fn offset(self, shape: &[usize]) -> i64 {
        match self {
            Axis::Diagonal { row, .. } => shape[row] as i64 - 1,
            _ => 0,
        }
    }

    /// The dimensions that it looks at.
    pub(crate) fn dimensions(self) -> Vec<usize> {
        match self {
            Axis::Dimension(of) | Axis::Block { of, .. } | Axis::Within { of, .. } => vec![of],
            Axis::Diagonal { row, column } | Axis::Along { row, column } => vec![row, column],
        }
    }

    /// The axis that determines the index together with this one; itself, if it does so alone.
    fn partner(self) -> Axis {
        match self {
            Axis::Dimension(d) => Axis::Dimension(d),
            Axis::Block { of, size } => Axis::Within { of, size },
            Axis::Within { of, size } => Axis::Block { of, size },
            Axis::Diagonal { row, column } => Axis::Along { row, column },
            Axis::Along { row, column } => Axis::Diagonal { row, column },
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Axis::Dimension(d) => write!(f, "{}", letter(d)),
            Axis::Block { of, size } => write!(f, "{} / {size}", letter(of)),
            Axis::Within { of, size } => write!(f, "{} % {size}", letter(of)),
            Axis::Diagonal { row, column } => write!(f, "{} - {}", letter(column), letter(row)),
            Axis::Along { row, column } => write!(f, "min({}, {})", letter(row), letter(column)),
        }
    }
}

/// The largest rank of a format: dimensions are called `i` to `z`.
pub const MAX_RANK: usize = 18;

/// The name of a dimension.
pub(crate) fn letter(dimension: usize) -> char {
    char::from(b'i' + dimension as u8)
}

/// A list of axes that determines the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reshape {
    rank: usize,
    axes: Vec<Axis>,
    /// For each dimension, where in the list the axes stand that determine it: an axis and its partner.
    sources: Vec<(usize, usize)>,
}

impl Reshape {
    /// The reshape of these axes; refused if they do not determine every dimension exactly once.
    pub fn try_new(axes: Vec<Axis>) -> Result<Reshape, Refusal> {
        let refuse = |why: String| Err(Refusal::Format { why });
        let rank = axes.iter().flat_map(|axis| axis.dimensions()).max().map_or(0, |d| d + 1);
        if rank > MAX_RANK {
            return refuse(format!("a format has at most {MAX_RANK} dimensions"));
        }
        let mut sources = Vec::new();
        for d in 0..rank {
            let found: Vec<usize> =
                (0..axes.len()).filter(|at| axes[*at].dimensions().contains(&d)).collect();
            let Some(&first) = found.first() else {
                return refuse(format!("no level stores dimension `{}`", letter(d)));
            };
            let partner = axes[first].partner();
            let alone = usize::from(partner == axes[first]);
            match found[..] {
                [only] if alone == 1 => sources.push((only, only)),
                [one, two] if alone == 0 && axes[two] == partner => sources.push((one, two)),
                [only] => return refuse(format!("`{}` needs a level of `{partner}`", axes[only])),
                _ => return refuse(format!("dimension `{}` is stored more than once", letter(d))),
            }
        }
        let degenerate = axes.iter().any(|axis| match *axis {
            Axis::Block { size, .. } | Axis::Within { size, .. } => size == 0 || i64::try_from(size).is_err(),
            Axis::Diagonal { row, column } | Axis::Along { row, column } => row == column,
            Axis::Dimension(_) => false,
        });
        if degenerate {
            return refuse("blocks are not empty, and diagonals are of two dimensions".to_owned());
        }
        Ok(Reshape { rank, axes, sources })
    }

    /// The rank of the tensor.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The axes.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The axis that determines a dimension, where it stands, and where its partner does.
    pub(crate) fn source(&self, d: usize) -> (Axis, usize, usize) {
        let (one, two) = self.sources[d];
        (self.axes[one], one, two)
    }

    /// The index at coordinates along the axes; `None` for padding.
    pub fn index(&self, coordinates: &[i64], shape: &[usize]) -> Option<Vec<i64>> {
        let coordinate = |d: usize| {
            let (one, two) = self.sources[d];
            let mut column = [coordinates[two]];
            if one != two {
                self.join(d, shape, (&[coordinates[one]], None), &mut column);
            }
            column[0]
        };
        let index: Vec<i64> = (0..self.rank).map(coordinate).collect();
        index.iter().zip(shape).all(|(x, n)| (0..*n as i64).contains(x)).then_some(index)
    }
}
