//! The shapes that sizes give the arrays of a call, and whether a kernel's arithmetic bears them.

use super::{Extent, Operand, Signature, Storage};
use atl_arith::{eval_ix, eval_pred};
use atl_kernel::{Ix, Pred, Var};
use atl_lang::Stored;

/// A compressed level numbers its coordinates by `i32`.
const COORDINATES: usize = 1 << 31;

impl Signature {
    /// The value of the size at this level of the function's context.
    fn at(&self, level: u32, sizes: &[i64]) -> Option<i64> {
        sizes.get(self.position(level)?).copied()
    }

    /// An index term over the sizes.
    pub fn value(&self, term: &Ix, sizes: &[i64]) -> Option<i64> {
        match term {
            Ix::Lit(n) => Some(*n),
            term => eval_ix(term, &|level| self.at(level, sizes)),
        }
    }

    /// An extent, as far as the sizes that it speaks of are known.
    pub fn known(&self, extent: &Extent, sizes: &[Option<i64>]) -> Option<i64> {
        eval_ix(&extent.term, &|level| *sizes.get(self.position(level)?)?)
    }

    /// The position of the size that an extent is, if it is one.
    pub fn size_of(&self, extent: &Extent) -> Option<usize> {
        if let Ix::Var(Var::Free(level)) = extent.term { self.position(level) } else { None }
    }

    /// The sizes that are extents of a tensor in a format, by position, where it has this shape.
    pub fn sizes_of(&self, operand: &Operand, shape: &[usize]) -> Vec<(usize, i64)> {
        let size = |(extent, n): (&Extent, &usize)| Some((self.size_of(extent)?, i64::try_from(*n).ok()?));
        operand.extents.iter().zip(shape).filter_map(size).collect()
    }

    /// Does a condition on sizes hold?
    pub fn holds(&self, condition: &Pred, sizes: &[i64]) -> bool {
        eval_pred(condition, &|level| self.at(level, sizes)) == Some(true)
    }

    /// A shape, where no extent is negative or too large.
    pub fn shape(&self, extents: &[Extent], sizes: &[i64]) -> Option<Vec<usize>> {
        let extent = |n: &Extent| self.value(&n.term, sizes).and_then(|n| usize::try_from(n).ok());
        extents.iter().map(extent).collect()
    }

    /// The same where only some sizes are known.
    pub fn known_shape(&self, extents: &[Extent], sizes: &[Option<i64>]) -> Option<Vec<usize>> {
        extents.iter().map(|n| self.known(n, sizes).and_then(|n| usize::try_from(n).ok())).collect()
    }

    /// The exact shapes of all arrays of a call as they are in memory, inputs and then the outputs.
    ///
    /// # Errors
    /// Sizes that are negative, break a condition, or give an array of more cells than can be addressed.
    pub fn shapes(&self, sizes: &[i64]) -> Result<Vec<Vec<usize>>, String> {
        if sizes.len() != self.sizes.len() || sizes.iter().any(|n| *n < 0) {
            return Err("a size is missing or negative".to_owned());
        }
        if let Some(condition) = self.conditions.iter().find(|c| !self.holds(&c.holds, sizes)) {
            return Err(format!("`{}` does not hold", condition.text));
        }
        let shape = |extents: &[Extent]| -> Result<Vec<usize>, String> {
            let extents = self.shape(extents, sizes).ok_or("an extent is negative or too large")?;
            let bytes =
                extents.iter().filter(|n| **n != 0).try_fold(8usize, |cells, n| cells.checked_mul(*n));
            match bytes.and_then(|n| i64::try_from(n).ok()) {
                Some(_) => Ok(extents),
                None => Err(format!("an array of shape {extents:?} is larger than memory can be")),
            }
        };
        let mut shapes = Vec::with_capacity(self.arrays.len() + 1);
        for array in &self.arrays {
            shapes.push(shape(&array.extents)?);
        }
        shapes.push(match &self.result.storage {
            Storage::RowMajor | Storage::Layout(_) => shape(&self.result.memory)?,
            Storage::Sparse { stored, .. } => self.coordinates(stored, sizes)?,
        });
        for result in &self.more {
            shapes.push(shape(&result.memory)?);
        }
        Ok(shapes)
    }

    /// The shape of a result in a format, of which not every element has a place in memory, but every stored
    /// coordinate.
    fn coordinates(&self, stored: &Stored, sizes: &[i64]) -> Result<Vec<usize>, String> {
        let extents = self.result.extents.iter().map(|n| self.value(&n.term, sizes).filter(|n| *n >= 0));
        let extents: Option<Vec<i64>> = extents.collect();
        let extents = extents.ok_or("an extent is negative or too large")?;
        let shape: Vec<usize> =
            extents.into_iter().map(|n| usize::try_from(n).unwrap_or(usize::MAX)).collect();
        let compressed = stored.format.entries().iter().filter(|entry| entry.kind.name == "compressed");
        for axis in compressed.flat_map(|entry| &entry.axes) {
            let n = axis.extent(&shape).map_err(|why| why.to_string())?;
            if n > COORDINATES {
                return Err(format!(
                    "the result has {n} coordinates along `{axis}`, more than `i32` numbers"
                ));
            }
        }
        Ok(shape)
    }
}
