//! The shapes that sizes give the arrays of a call as they are in memory, and whether a kernel's arithmetic bears them.

use crate::range;
use crate::words;
use atl_arith::{eval_ix, eval_pred};
use atl_kernel::Ix;
use atl_lang::{Function, Stored};
use atl_loops::Kernel;

/// The exact shapes of all arrays of a call, inputs and then the output.
///
/// # Errors
/// Sizes that are negative, break a precondition, or give an array of more cells than can be addressed.
pub(crate) fn shapes(f: &Function, sizes: &[i64]) -> Result<Vec<Vec<usize>>, String> {
    let value =
        |level: u32| f.sizes.iter().position(|s| s.level == level).and_then(|k| sizes.get(k).copied());
    if sizes.len() != f.sizes.len() || sizes.iter().any(|n| *n < 0) {
        return Err("a size is missing or negative".to_owned());
    }
    if let Some((p, _)) = f.requires.iter().find(|(p, _)| eval_pred(p, &value) != Some(true)) {
        return Err(format!("`{}` does not hold", words::pred(&f.ctx, p)));
    }
    let shape = |extents: &[Ix]| -> Result<Vec<usize>, String> {
        let extents = extents.iter().map(|n| eval_ix(n, &value).and_then(|n| usize::try_from(n).ok()));
        let extents: Vec<usize> =
            extents.collect::<Option<_>>().ok_or("an extent is negative or too large")?;
        let bytes = extents.iter().filter(|n| **n != 0).try_fold(8usize, |cells, n| cells.checked_mul(*n));
        match bytes.and_then(|n| i64::try_from(n).ok()) {
            Some(_) => Ok(extents),
            None => Err(format!("an array of shape {extents:?} is larger than memory can be")),
        }
    };
    let mut shapes = f.params.iter().map(|p| shape(&p.ty.shape)).collect::<Result<Vec<_>, _>>()?;
    shapes.push(match f.assembled() {
        None => shape(&f.body_type().shape)?,
        Some(stored) => stored_shape(f, stored, &value)?,
    });
    Ok(shapes)
}

/// The shape of the result for sizes of which [`shapes`] gives arrays.
pub(super) fn of_result(f: &Function, sizes: &[i64]) -> Option<Vec<usize>> {
    let value =
        |level: u32| f.sizes.iter().position(|s| s.level == level).and_then(|k| sizes.get(k).copied());
    let extents = f.result.shape.iter().map(|n| eval_ix(n, &value).and_then(|n| usize::try_from(n).ok()));
    extents.collect()
}

/// The shape of a result in a format, of which not every element has a place in memory, but every stored coordinate.
fn stored_shape(
    f: &Function,
    stored: &Stored,
    value: &dyn Fn(u32) -> Option<i64>,
) -> Result<Vec<usize>, String> {
    let extents: Option<Vec<i64>> = f.result.shape.iter().map(|n| eval_ix(n, value)).collect();
    let extents = extents.filter(|extents| extents.iter().all(|n| *n >= 0));
    let extents = extents.ok_or("an extent is negative or too large")?;
    let shape: Vec<usize> = extents.into_iter().map(|n| usize::try_from(n).unwrap_or(usize::MAX)).collect();
    let compressed = stored.format.entries().iter().filter(|entry| entry.kind.name == "compressed");
    let coordinates = 1 << 31;
    for axis in compressed.flat_map(|entry| &entry.axes) {
        let n = axis.extent(&shape).map_err(|why| why.to_string())?;
        if n > coordinates {
            return Err(format!("the result has {n} coordinates along `{axis}`, more than `i32` numbers"));
        }
    }
    Ok(shape)
}

/// [`shapes`], for sizes with which the kernel's own arithmetic stays within 64 bits. Of a kernel that reads its indices
/// from arrays, sizes alone do not decide that: [`Compiled::bind`] and [`Compiled::run`] have looked at the arrays.
///
/// # Errors
/// As for `shapes`, and a term that may leave them.
pub(crate) fn admitted(f: &Function, kernel: &Kernel, sizes: &[i64]) -> Result<Vec<Vec<usize>>, String> {
    let mut shapes = shapes(f, sizes)?;
    if f.assembled().is_some() {
        shapes.pop();
        shapes.resize(kernel.params.len(), vec![0]);
    }
    if !kernel.index_reads().is_empty() {
        return Ok(shapes);
    }
    match range::check(kernel, sizes, &range::Ends::new()) {
        Ok(()) => Ok(shapes),
        Err(overflow) => Err(format!("index arithmetic leaves 64 bits: `{}`", overflow.term)),
    }
}
