//! `compress` and `decompress` by their definitions: slow, obvious, what [`pack`](crate::pack()) and
//! unpacking are compared with.
//!
//! ```text
//! compress   []       r     = [r]
//! compress   (f :: F) t     = m :: enc* F t'                        (m, t') = encode f t
//! enc*       F ts           = the appended metadata of compress F t, for t in ts
//! decompress []       r  p  = r[p]
//! decompress (f :: F) ms p  = scatter of decompress F ms q at pos_crd q, for the valid positions q of parent p
//! ```

use crate::level::{ZERO, grow};
use crate::value::{Dense, Value, elements, indices};
use crate::{Instance, Level, Metadata, Refusal, Sparse};
use std::sync::Arc;

/// Metadata of some levels, and the values below them.
type Stored<V> = (Vec<Metadata>, Vec<V>);

/// The tensor in a format, by definition.
pub fn compress<V: Value>(instance: &Instance, tensor: &Dense<V>, zero: V) -> Result<Sparse<V>, Refusal> {
    let (format, shape) = (instance.format(), instance.shape());
    if tensor.shape != shape || tensor.data.len() != elements(shape)? {
        let why = format!("a tensor of shape {:?} is not one of {shape:?}", tensor.shape);
        return Err(Refusal::Format { why });
    }
    let levels = instance.levels();
    let extents: Vec<usize> = levels.iter().flat_map(|level| level.dimensions().extents().to_vec()).collect();
    let reshape = format.reshape();
    let element = |at: Vec<i64>| reshape.index(&at, shape).map_or(zero, |x| tensor.data[tensor.place(&x)]);
    elements(&extents)?;
    let data: Vec<V> = indices(&extents).map(element).collect();
    let (metadata, values) = compressed(levels, &data, zero)?;
    Ok(Sparse { instance: instance.clone(), metadata, values, zero })
}

/// `compress` of one slice, given as its elements.
fn compressed<V: Value>(levels: &[Arc<dyn Level>], slice: &[V], zero: V) -> Result<Stored<V>, Refusal> {
    let Some((level, below)) = levels.split_first() else { return Ok((Vec::new(), slice.to_vec())) };
    let n = level.dimensions().len()?;
    let inner = below.iter().try_fold(1usize, |size, level| size.checked_mul(level.dimensions().len().ok()?));
    let inner = inner.ok_or_else(|| Refusal::TooLarge { what: "a slice".to_owned() })?;
    let slices: Vec<&[V]> = (0..n).map(|at| &slice[at * inner..(at + 1) * inner]).collect();
    let (metadata, stored) = level.encode(&classes(&slices, zero))?;
    let mut zeros = Vec::new();
    if stored.contains(&None) {
        grow(&mut zeros, inner, zero)?;
    }
    let stored: Vec<&[V]> = stored.into_iter().map(|at| at.map_or(&zeros[..], |at| slices[at])).collect();
    let (mut all, values) = encoded(below, &stored, zero)?;
    all.insert(0, metadata);
    Ok((all, values))
}

/// `enc*`: the slices of any number of parents.
pub(crate) fn encoded<V: Value>(
    levels: &[Arc<dyn Level>],
    slices: &[&[V]],
    zero: V,
) -> Result<Stored<V>, Refusal> {
    let mut all: Vec<Metadata> = levels.iter().map(|level| level.empty()).collect();
    let mut values = Vec::new();
    for slice in slices {
        let (metadata, more) = compressed(levels, slice, zero)?;
        for ((left, right), level) in all.iter_mut().zip(&metadata).zip(levels) {
            *left = level.append(std::mem::take(left), right)?;
        }
        values.extend(more);
    }
    Ok((all, values))
}

/// The class of each slice: 0 for zeros, and otherwise a number that equal slices share.
fn classes<V: Value>(slices: &[&[V]], zero: V) -> Vec<usize> {
    let same = |left: &[V], right: &[V]| left.iter().zip(right).all(|(l, r)| l.same(*r));
    let class = |at: usize| match slices[at] {
        slice if slice.iter().all(|v| v.same(zero)) => ZERO,
        slice => 1 + (0..at).find(|before| same(slices[*before], slice)).unwrap_or(at),
    };
    (0..slices.len()).map(class).collect()
}

/// The tensor that is stored, by definition.
pub fn decompress<V: Value>(sparse: &Sparse<V>) -> Result<Dense<V>, Refusal> {
    let instance = &sparse.instance;
    let mut tensor = Dense::filled(instance.shape(), sparse.zero)?;
    let reshape = instance.format().reshape();
    let mut store = |at: &[i64], value: V| {
        if let Some(index) = reshape.index(at, instance.shape()) {
            let place = tensor.place(&index);
            tensor.data[place] = value;
        }
    };
    scatter(instance.levels(), &sparse.metadata, &sparse.values, 0, &mut Vec::new(), &mut store);
    Ok(tensor)
}

/// `decompress` of one parent: every element that is stored for it, at its coordinates.
fn scatter<V: Value>(
    levels: &[Arc<dyn Level>],
    metadata: &[Metadata],
    values: &[V],
    parent: usize,
    prefix: &mut Vec<i64>,
    store: &mut impl FnMut(&[i64], V),
) {
    let (Some((level, below)), Some((here, rest))) = (levels.split_first(), metadata.split_first()) else {
        return store(prefix, values[parent]);
    };
    for position in level.pos_bounds(here, parent) {
        if !level.valid(here, parent, position) {
            continue;
        }
        for coordinate in level.pos_crd(here, parent, position) {
            let point = level.dimensions().unflatten(coordinate);
            prefix.extend(&point);
            scatter(below, rest, values, level.pos_pos(position), prefix, store);
            prefix.truncate(prefix.len() - point.len());
        }
    }
}
