//! Arguments for parameters in formats: a tensor becomes the arrays that the function takes in its place.
//!
//! The tensor comes as entries with coordinates, or dense; `atl_formats` packs it, and says what does not
//! fit. The shape is where the sizes of the parameter's type come from, since its arrays do not have them for
//! extents.

use crate::mismatch::{other_elements, other_rank};
use atl_diag::{Diagnostic, err};
use atl_formats::{Coordinates as Entries, Format, Rules, Sparse, Value, Zeros, pack};
use atl_kernel::Scalar;
use atl_loops::{Literal, Machine as _};
use atl_runtime::{Buffer, BufferError, Coordinates, Element, Tensor, with_element};
use atl_session::signature::{Operand, Signature};

/// The arrays and sizes that a tensor in a format is.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    /// The arrays, by parameter.
    pub arrays: Vec<(String, Buffer)>,
    /// The sizes that are extents of the tensor, by name.
    pub sizes: Vec<(String, i64)>,
    /// The tensor's shape.
    pub shape: Vec<usize>,
}

type Refusal = Box<Diagnostic>;

/// The arrays of a tensor for this parameter.
///
/// # Errors
/// Another rank or element type, entries that the format has no space for, or numbers that its arrays cannot
/// hold.
pub fn packed(signature: &Signature, operand: &Operand, tensor: &Tensor) -> Result<Packed, Refusal> {
    let shape = tensor.shape();
    let found = match tensor {
        Tensor::Dense(dense) => dense.dtype(),
        Tensor::Sparse(sparse) => sparse.coordinates.dtype(),
    };
    if found != operand.dtype {
        return Err(other_elements((&operand.name, operand.span), found, operand.dtype));
    }
    has_rank(operand, shape)?;
    let zero = operand.zero.ok_or_else(|| no_zero(operand))?;
    let arrays = with_element!(found, T => {
        let zero = <T>::of(Literal::F64(zero));
        arrays::<T>(operand, tensor, zero, &|x: T| x == zero)
    })?;
    let names = signature.arrays[operand.arrays.clone()].iter().map(|array| array.name.clone());
    let sizes = sizes_of(signature, operand, shape)?;
    Ok(Packed { arrays: names.zip(arrays).collect(), sizes, shape: shape.to_vec() })
}

fn has_rank(operand: &Operand, shape: &[usize]) -> Result<(), Refusal> {
    match shape.len() == operand.extents.len() {
        true => Ok(()),
        false => Err(other_rank((&operand.name, operand.span), shape, operand.extents.len())),
    }
}

/// The sizes that are extents of a tensor of this shape, by name.
///
/// # Errors
/// Another rank, or one size that would be two numbers.
pub(crate) fn sizes_of(
    signature: &Signature,
    operand: &Operand,
    shape: &[usize],
) -> Result<Vec<(String, i64)>, Refusal> {
    has_rank(operand, shape)?;
    let mut sizes: Vec<(String, i64)> = Vec::new();
    for (size, n) in signature.sizes_of(operand, shape) {
        let name = &signature.sizes[size].name;
        match sizes.iter().find(|(known, _)| known == name) {
            Some((_, known)) if *known != n => {
                return Err(Box::new(
                    err!(
                        E0504,
                        operand.span,
                        "the argument `{}` has shape {shape:?}, where `{name}` is one number",
                        operand.name
                    )
                    .label("declared here")
                    .help("give an array of equal extents"),
                ));
            }
            Some(_) => {}
            None => sizes.push((name.clone(), n)),
        }
    }
    Ok(sizes)
}

/// Refuse a tensor whose shape is not what its type says for these sizes.
///
/// # Errors
/// The first extent that differs.
pub(crate) fn check_shape(
    signature: &Signature,
    operand: &Operand,
    shape: &[usize],
    sizes: &[Option<i64>],
) -> Result<(), Refusal> {
    for (axis, (extent, n)) in operand.extents.iter().zip(shape).enumerate() {
        // What is not known yet is an extent of another argument, and is compared with the arrays.
        if let Some(wanted) = signature.known(extent, sizes)
            && i64::try_from(*n).ok() != Some(wanted)
        {
            return Err(Box::new(
                err!(
                    E0504,
                    operand.span,
                    "the argument `{}` has extent {n} along axis {axis}, where `{}` is {wanted}",
                    operand.name,
                    extent.text
                )
                .label("declared here")
                .help("give arrays whose shapes agree"),
            ));
        }
    }
    Ok(())
}

pub(crate) fn no_zero(operand: &Operand) -> Refusal {
    Box::new(
        err!(
            E0537,
            operand.span,
            "elements of `{}` that are absent have no value in `{}`",
            operand.name,
            operand.elem
        )
        .label("declared here")
        .help("choose an element type whose zero is a number"),
    )
}

/// The arrays of each level, and the values.
fn arrays<V: Value + Element>(
    operand: &Operand,
    tensor: &Tensor,
    zero: V,
    is_zero: &dyn Fn(V) -> bool,
) -> Result<Vec<Buffer>, Refusal> {
    let refused = |why: &dyn std::fmt::Display, help: String| {
        let (name, format) = (&operand.name, &operand.format);
        let d = err!(E0537, operand.span, "the argument `{name}` cannot be stored as `{format}`: {why}");
        Box::new(d.label("declared here").help(help))
    };
    let entries = || match tensor {
        Tensor::Dense(dense) => dense_entries(dense, is_zero),
        Tensor::Sparse(sparse) => entries_of(&sparse.coordinates),
    };
    let given = entries().map_err(|why| refused(&why, ANOTHER.to_owned()))?;
    stored(&operand.format, given, zero).map_err(|why| {
        let wider = entries().ok().and_then(|entries| wide_enough(&operand.format, entries, zero));
        refused(&why, wider.unwrap_or_else(|| ANOTHER.to_owned()))
    })
}

/// What to do where a format has no space.
const ANOTHER: &str = "another format may have space for it";

/// The widths with which the levels of a format have space for these entries, if that is all it takes.
fn wide_enough<V: Value>(format: &Format, entries: Entries<V>, zero: V) -> Option<String> {
    let packed = pack(&format.with_open_widths(), entries, zero, &rules()).ok()?;
    let levels = packed.instance().format().entries().iter().zip(format.entries());
    let wider = levels.filter_map(|(wide, narrow)| {
        let (name, wide, narrow) = (wide.kind.name, wide.parameters.first()?, narrow.parameters.first()?);
        (wide > narrow).then(|| format!("`{name}({wide})` in place of `{name}({narrow})`"))
    });
    let wider: Vec<String> = wider.collect();
    (!wider.is_empty()).then(|| format!("{} has space for it", wider.join(", and ")))
}

/// How entries are packed: in any order, zeros with the others.
fn rules<V: Value>() -> Rules<V> {
    Rules { order: atl_formats::pack::Order::Sort, zeros: Zeros::Keep, ..Rules::default() }
}

/// The arrays of entries in a format; or why they have none.
pub(crate) fn stored<V: Value + Element>(
    format: &Format,
    entries: Entries<V>,
    zero: V,
) -> Result<Vec<Buffer>, String> {
    let packed: Sparse<V> = pack(format, entries, zero, &rules()).map_err(|why| why.to_string())?;
    let mut buffers = Vec::new();
    let scalars = scalars_of(format, &packed);
    for (array, scalar) in packed.metadata().iter().flat_map(|m| &m.arrays).zip(scalars) {
        let buffer =
            narrowed(array, scalar).ok_or_else(|| format!("its coordinates do not fit `{scalar}`"))?;
        buffers.push(buffer.map_err(|why| why.to_string())?);
    }
    let values = packed.values();
    buffers.push(Buffer::from_slice(values, &[values.len()]).map_err(|why| why.to_string())?);
    Ok(buffers)
}

/// The element types of the arrays, in order.
fn scalars_of<V: Value>(format: &Format, packed: &Sparse<V>) -> Vec<Scalar> {
    let levels = format.entries().iter().zip(packed.instance().levels());
    levels
        .flat_map(|(entry, level)| {
            level.arrays().into_iter().map(|name| match (entry.kind.name, name.as_str()) {
                ("hash", _) | (_, "pos" | "ofs" | "rank") => Scalar::I64,
                (_, "bits") => Scalar::Bool,
                _ => Scalar::I32,
            })
        })
        .collect()
}

/// Integers as an array of this type; none where one does not fit.
fn narrowed(array: &[i64], scalar: Scalar) -> Option<Result<Buffer, BufferError>> {
    let shape = [array.len()];
    Some(match scalar {
        Scalar::I32 => {
            let narrow: Option<Vec<i32>> = array.iter().map(|x| i32::try_from(*x).ok()).collect();
            Buffer::from_slice(&narrow?, &shape)
        }
        Scalar::Bool => Buffer::from_slice(&array.iter().map(|x| *x != 0).collect::<Vec<bool>>(), &shape),
        _ => Buffer::from_slice(array, &shape),
    })
}

fn entries_of<V: Value + Element>(coordinates: &Coordinates) -> Result<Entries<V>, BufferError> {
    let columns = coordinates.columns().iter().map(|column| column.iter().map(|x| *x as i64).collect());
    Ok(Entries {
        shape: coordinates.shape().to_vec(),
        columns: columns.collect(),
        values: coordinates.values().as_slice::<V>()?.to_vec(),
    })
}

/// The elements that are not zero; a negative zero is one.
pub(crate) fn dense_entries<V: Value + Element>(
    dense: &Buffer,
    is_zero: &dyn Fn(V) -> bool,
) -> Result<Entries<V>, BufferError> {
    let shape = dense.shape().to_vec();
    let mut entries = Entries { columns: vec![Vec::new(); shape.len()], values: Vec::new(), shape };
    for (place, value) in dense.as_slice::<V>()?.iter().enumerate().filter(|(_, v)| !is_zero(**v)) {
        let mut rest = place;
        for (column, n) in entries.columns.iter_mut().zip(&entries.shape).rev() {
            column.push((rest % n) as i64);
            rest /= n;
        }
        entries.values.push(*value);
    }
    Ok(entries)
}
