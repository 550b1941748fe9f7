//! Layouts after which something is added or swizzled, and operations that do not care.
//!
//! A slice begins at what its fixed part adds: `offset + layout`. Of integers this is a [`Composed`] without a swizzle, of coordinates a
//! [`Shifted`]. Most operations only say which index comes where: they act on the layout, and what comes after it stays. `within!` does
//! that for all kinds. Any other operation asks for a layout alone, and is refused an offset rather than answered without it.

use crate::layout::Layout;
use crate::stride::{Stride, Vector};
use crate::swizzle::Composed;
use std::fmt;

/// An offset after a layout into coordinates.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shifted {
    /// What is added.
    pub offset: Vector,
    /// What is applied first.
    pub layout: Layout<Vector>,
}

impl Shifted {
    /// The values at the indices below the size.
    ///
    /// # Errors
    /// There are more than `most`, or a sum is too large.
    pub fn table(&self, most: usize) -> crate::Result<Vec<Vector>> {
        self.layout.table(most)?.iter().map(|value| self.offset.plus(value)).collect()
    }
}

impl From<Layout<Vector>> for Shifted {
    fn from(layout: Layout<Vector>) -> Shifted {
        Shifted { offset: Vector::zero(), layout }
    }
}

/// `2@0+1@1 + (4,4):(1@0,1@1)`
impl fmt::Display for Shifted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.offset.is_zero() {
            self.layout.fmt(f)
        } else {
            write!(f, "{} + {}", self.offset, self.layout)
        }
    }
}

/// A layout of either kind, with what comes after it.
pub(crate) enum Domain {
    Integers(Composed),
    Vectors(Shifted),
}

/// Does the same with either kind of layout; what comes after it stays.
macro_rules! within {
    ($domain:expr, $layout:ident => $body:expr) => {
        match $domain {
            $crate::shifted::Domain::Integers($crate::swizzle::Composed {
                swizzle,
                offset,
                layout: $layout,
            }) => $crate::value::Value::from($crate::swizzle::Composed { swizzle, offset, layout: $body }),
            $crate::shifted::Domain::Vectors($crate::shifted::Shifted { offset, layout: $layout }) => {
                $crate::value::Value::from($crate::shifted::Shifted { offset, layout: $body })
            }
        }
    };
}
pub(crate) use within;

/// Does the same with either kind of layout, whose result begins at what is added.
macro_rules! beginning {
    ($domain:expr, $layout:ident => $body:expr) => {
        match $domain {
            $crate::shifted::Domain::Integers($crate::swizzle::Composed {
                swizzle,
                offset,
                layout: $layout,
            }) => {
                let (more, layout) = $body;
                let offset = $crate::stride::Stride::plus(&offset, &more)?;
                $crate::value::Value::from($crate::swizzle::Composed { swizzle, offset, layout })
            }
            $crate::shifted::Domain::Vectors($crate::shifted::Shifted { offset, layout: $layout }) => {
                let (more, layout) = $body;
                let offset = $crate::stride::Stride::plus(&offset, &more)?;
                $crate::value::Value::from($crate::shifted::Shifted { offset, layout })
            }
        }
    };
}
pub(crate) use beginning;
