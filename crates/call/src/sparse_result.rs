//! Results in formats: the arrays that a kernel has appended to, and what can be done with them.

use crate::sparse;
use atl_diag::{Diagnostic, err};
use atl_formats::{Format, Metadata, Refusal, Sparse, Value, Zeros};
use atl_kernel::Elem;
use atl_lang::Stored;
use atl_loops::{Literal, Machine as _};
use atl_runtime::{Buffer, Coordinates, DType, Element, Parts, to_text, with_element};
use atl_session::elements::{dtype, zero};
use atl_session::signature::{Operand, Signature, Storage};
use std::collections::BTreeMap;

/// A result in a format: its arrays, level by level, and the values.
#[derive(Clone, Debug)]
pub struct SparseResult {
    /// The format.
    pub format: Format,
    /// The shape of the tensor.
    pub shape: Vec<usize>,
    /// The arrays, by name: those of each level, then the values.
    pub arrays: Vec<(String, Buffer)>,
    /// What is not stored.
    zero: f64,
    /// Whether each element that is stored is an entry, be it zero.
    keeps: bool,
}

impl SparseResult {
    /// The arrays that a kernel of this signature gave, for a result of this shape; none if it is stored
    /// otherwise.
    pub(crate) fn try_new(
        signature: &Signature,
        shape: &[usize],
        arrays: Vec<Buffer>,
    ) -> Result<Option<SparseResult>, Box<Diagnostic>> {
        let Storage::Sparse { stored, arrays: names, pattern_of } = &signature.result.storage else {
            return Ok(None);
        };
        let zero = signature.result.zero.ok_or_else(|| {
            let why = err!(E0537, signature.span, "elements of the result that are absent have no value");
            why.label("of this function").help("choose an element type whose zero is a number")
        })?;
        let names = names.iter().map(|(name, _)| name.clone());
        Ok(Some(SparseResult {
            format: stored.format.clone(),
            shape: shape.to_vec(),
            arrays: names.zip(arrays).collect(),
            zero,
            keeps: pattern_of.is_some(),
        }))
    }

    /// An operand by its arrays, each of whose stored elements is an entry.
    pub(crate) fn of_operand(
        operand: &Operand,
        shape: &[usize],
        arrays: Vec<(String, Buffer)>,
    ) -> Result<SparseResult, Box<Diagnostic>> {
        let zero = operand.zero.ok_or_else(|| sparse::no_zero(operand))?;
        Ok(SparseResult { format: operand.format.clone(), shape: shape.to_vec(), arrays, zero, keeps: true })
    }

    /// The number that stands where nothing is stored.
    pub(crate) fn zero(&self) -> f64 {
        self.zero
    }

    /// The arrays, a line each.
    pub fn to_text(&self) -> String {
        let line = |(name, array): &(String, Buffer)| format!("{name} = {}\n", to_text(array));
        self.arrays.iter().map(line).collect()
    }

    /// The values.
    pub fn values(&self) -> Option<&Buffer> {
        self.arrays.last().map(|(_, values)| values)
    }

    /// The entries, in the order in which they are stored; zeros in blocks are none, unless the schedule has
    /// `pattern_of`. The arrays are validated, and what is not a tensor in the format is refused.
    ///
    /// # Errors
    /// What is wrong with the arrays.
    pub fn entries(&self) -> Result<Coordinates, String> {
        let values = self.values().ok_or("there are no arrays")?;
        with_element!(values.dtype(), T => self.unpacked::<T>(<T>::of(Literal::F64(self.zero))))
    }

    /// Every element.
    ///
    /// # Errors
    /// As for [`entries`](SparseResult::entries), or there is no memory for them.
    pub fn to_dense(&self) -> Result<Buffer, String> {
        let said = |why: &dyn std::fmt::Display| why.to_string();
        let entries = self.entries()?;
        if self.zero == 0.0 {
            return entries.to_dense().map_err(|why| said(&why));
        }
        let mut dense = Buffer::zeros(entries.dtype(), &self.shape).map_err(|why| said(&why))?;
        with_element!(entries.dtype(), T => {
            let to = dense.as_mut_slice::<T>().map_err(|why| said(&why))?;
            to.fill(<T>::of(Literal::F64(self.zero)));
            let from = entries.values().as_slice::<T>().map_err(|why| said(&why))?;
            for (entry, value) in from.iter().enumerate() {
                let places = entries.columns().iter().zip(&self.shape);
                to[places.fold(0, |at, (column, n)| at * n + column[entry])] = *value;
            }
        });
        Ok(dense)
    }

    fn unpacked<V: Value + Element>(&self, zero: V) -> Result<Coordinates, String> {
        let lists = self.format.entries().last().is_some_and(|level| level.kind.name == "compressed");
        let zeros = if lists || self.keeps { Zeros::Keep } else { Zeros::Drop };
        let found = self.packed::<V>(zero)?.unpack(zeros).map_err(|why| why.to_string())?;
        let unsigned = |column: &Vec<i64>| column.iter().map(|c| *c as usize).collect();
        let values =
            Buffer::from_slice(&found.values, &[found.values.len()]).map_err(|why| why.to_string())?;
        let columns = found.columns.iter().map(unsigned).collect();
        Coordinates::try_new(Parts { shape: found.shape, columns, values }).map_err(|why| why.to_string())
    }

    /// The arrays as a tensor in the format, which checks them.
    fn packed<V: Value + Element>(&self, zero: V) -> Result<Sparse<V>, String> {
        let refused = |why: Refusal| why.to_string();
        let instance = self.format.at(&self.shape).map_err(refused)?;
        let (values, arrays) = self.arrays.split_last().ok_or("there are no arrays")?;
        let mut arrays = arrays.iter().map(|(_, array)| integers(array));
        let (mut metadata, mut parents) = (Vec::new(), 1);
        for level in instance.levels() {
            let own: Option<Vec<Vec<i64>>> = arrays.by_ref().take(level.arrays().len()).collect();
            let found = Metadata::new(parents, own.ok_or("an array of a level is not of integers")?);
            // Only what is well formed has positions.
            level.well_formed(&found).map_err(|why| why.to_string())?;
            parents = level.npos(&found);
            metadata.push(found);
        }
        let values = values.1.as_slice::<V>().map_err(|why| why.to_string())?.to_vec();
        Sparse::try_new(instance, metadata, values, zero).map_err(refused)
    }
}

fn integers(array: &Buffer) -> Option<Vec<i64>> {
    match array.dtype() {
        DType::I32 => Some(array.as_slice::<i32>().ok()?.iter().map(|x| i64::from(*x)).collect()),
        DType::I64 => Some(array.as_slice::<i64>().ok()?.to_vec()),
        DType::Bool => Some(array.as_slice::<bool>().ok()?.iter().map(|x| i64::from(*x)).collect()),
        _ => None,
    }
}

/// The arrays of a tensor of this shape, which the body computes by the axes of its result's format: what its
/// kernel is to give. It has an entry for each that is not zero, or for each of an operand's.
pub(crate) fn packed(
    stored: &Stored,
    elem: Elem,
    shape: &[usize],
    dense: &Buffer,
    like: Option<Vec<Buffer>>,
) -> Result<Vec<Buffer>, String> {
    let zero = zero(elem).ok_or("absent elements have no value")?;
    let format = stored.format.clone();
    let named = |arrays: Vec<Buffer>| arrays.into_iter().map(|array| (String::new(), array)).collect();
    let like = like.map(|arrays| SparseResult {
        format,
        shape: shape.to_vec(),
        arrays: named(arrays),
        zero,
        keeps: true,
    });
    with_element!(dtype(elem.scalar), T => {
        arrays::<T>(stored, shape, dense, <T>::of(Literal::F64(zero)), like.as_ref())
    })
}

fn arrays<V: Value + Element>(
    stored: &Stored,
    shape: &[usize],
    dense: &Buffer,
    zero: V,
    like: Option<&SparseResult>,
) -> Result<Vec<Buffer>, String> {
    let mut entries = BTreeMap::new();
    if let Some(like) = like {
        let kept = like.packed::<V>(zero)?.unpack(Zeros::Keep).map_err(|why| why.to_string())?;
        let place = |entry| kept.columns.iter().map(|column| column[entry]).collect::<Vec<_>>();
        entries.extend((0..kept.values.len()).map(|entry| (place(entry), zero)));
    }
    let found = sparse::dense_entries::<V>(dense, &|_| false).map_err(|why| why.to_string())?;
    for (entry, value) in found.values.into_iter().enumerate() {
        let at: Vec<i64> = found.columns.iter().map(|column| column[entry]).collect();
        match stored.format.reshape().index(&at, shape) {
            Some(index) if entries.contains_key(&index) => drop(entries.insert(index, value)),
            _ if value == zero => {}
            None => return Err("an element of padding is not zero".to_owned()),
            Some(_) if like.is_some() => {
                return Err("an element is not zero where the operand has no entry".to_owned());
            }
            Some(index) => drop(entries.insert(index, value)),
        }
    }
    let mut columns = vec![Vec::new(); shape.len()];
    for index in entries.keys() {
        columns.iter_mut().zip(index).for_each(|(column, i)| column.push(*i));
    }
    let (shape, values) = (shape.to_vec(), entries.into_values().collect());
    sparse::stored(&stored.format, atl_formats::Coordinates { shape, columns, values }, zero)
}
