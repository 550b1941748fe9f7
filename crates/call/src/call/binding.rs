//! Arguments bound to parameters: each of its parameter's type, and all of them of extents that agree.

use super::{Named, Refusal};
use crate::mismatch::{other_elements, other_rank};
use atl_diag::{Diagnostic, err, spelling};
use atl_kernel::Ix;
use atl_lang::{Combination, SizeSource};
use atl_loops::Machine as _;
use atl_runtime::{BufferView, DType, with_element};
use atl_session::signature::{Array, Extent, Signature, Size};

/// What a call is given, by position: arrays, and sizes as numbers.
#[derive(Clone, Debug)]
pub(super) struct Given<'a> {
    pub(super) arrays: Vec<Option<BufferView<'a>>>,
    pub(super) sizes: Vec<Option<i64>>,
}

/// Arguments of the types that a function has.
#[derive(Clone, Debug)]
pub(super) struct Fitting<'a> {
    pub(super) sizes: Vec<i64>,
    /// The sizes that were given as numbers.
    pub(super) stated: Vec<Option<i64>>,
    pub(super) inputs: Vec<BufferView<'a>>,
    /// The shape of the result.
    pub(super) shape: Vec<usize>,
    /// The shape of the result in memory: another, if it is stored in the order of a layout.
    pub(super) memory: Vec<usize>,
    /// The shapes of the other results, where there are several.
    pub(super) more: Vec<Vec<usize>>,
}

/// Refuses a parameter or size that is given a value more than once: which one is meant is not known.
pub fn given_once<'n>(
    signature: &Signature,
    names: impl Iterator<Item = &'n str> + Clone,
) -> Result<(), Refusal> {
    for (k, name) in names.clone().enumerate() {
        if names.clone().take(k).any(|other| other == name) {
            return Err(twice(signature, name));
        }
    }
    Ok(())
}

pub(super) fn twice(signature: &Signature, name: &str) -> Refusal {
    let array = signature.array(name).map(|k| signature.arrays[k].span);
    let span = array.or(signature.size(name).map(|k| signature.sizes[k].span)).unwrap_or(signature.span);
    Box::new(err!(E0527, span, "`{name}` is given twice").label("this one").help("give it one value"))
}

impl<'a> Given<'a> {
    /// What is given by name.
    pub(super) fn by_name(
        signature: &Signature,
        arrays: &[Named<'a>],
        sizes: &[(&str, i64)],
    ) -> Result<Given<'a>, Refusal> {
        let names = arrays.iter().map(|(name, _)| *name);
        given_once(signature, names.chain(sizes.iter().map(|(name, _)| *name)))?;
        let mut given =
            Given { arrays: vec![None; signature.arrays.len()], sizes: vec![None; signature.sizes.len()] };
        for (name, view) in arrays {
            let place = signature.array(name).ok_or_else(|| no_parameter(signature, name))?;
            given.arrays[place] = Some(view.clone());
        }
        for (name, n) in sizes {
            let place = signature.size(name).ok_or_else(|| no_size(signature, name))?;
            given.sizes[place] = Some(*n);
        }
        Ok(given)
    }

    /// What is given by position: all arrays, and sizes.
    pub(super) fn by_position(
        signature: &Signature,
        arrays: impl IntoIterator<Item = BufferView<'a>>,
        sizes: &[(usize, i64)],
    ) -> Result<Given<'a>, Refusal> {
        let (taken, name) = (signature.arrays.len(), &signature.name);
        let mut given = Given { arrays: Vec::with_capacity(taken), sizes: vec![None; signature.sizes.len()] };
        given.arrays.extend(arrays.into_iter().map(Some));
        if given.arrays.len() > taken {
            let found = given.arrays.len();
            return Err(Box::new(
                err!(E0502, signature.span, "`{name}` takes {taken} arrays, and {found} are given")
                    .label("this function")
                    .help("give an array for each parameter, in their order"),
            ));
        }
        given.arrays.resize(taken, None);
        for (place, n) in sizes {
            let size = given.sizes.get_mut(*place);
            *size.ok_or_else(|| no_size(signature, &place.to_string()))? = Some(*n);
        }
        Ok(given)
    }

    /// The arguments, where each is of its parameter's type.
    pub(super) fn fitting(self, signature: &Signature) -> Result<Fitting<'a>, Refusal> {
        let mut inputs = Vec::with_capacity(signature.arrays.len());
        for (k, array) in signature.arrays.iter().enumerate() {
            let view = self.arrays.get(k).cloned().flatten();
            let view = view.ok_or_else(|| missing(signature, k, &self.arrays))?;
            has_type(array, &view)?;
            inputs.push(view);
        }
        let sizes = sizes(signature, &inputs, &self.sizes)?;
        for (array, view) in signature.arrays.iter().zip(&inputs) {
            for (axis, (extent, found)) in array.extents.iter().zip(view.shape()).enumerate() {
                let wanted = signature.value(&extent.term, &sizes);
                if wanted != i64::try_from(*found).ok() {
                    return Err(Box::new(other_extent(
                        signature,
                        array,
                        (axis, *found),
                        (extent, wanted),
                        &sizes,
                    )));
                }
            }
            carrier(array, view)?;
        }
        let refused = |why: &str| {
            Box::new(
                err!(E0506, signature.span, "these sizes are refused: {why}")
                    .label("this function")
                    .help("give other sizes"),
            )
        };
        let mut shapes = signature.shapes(&sizes).map_err(|why| refused(&why))?;
        let more = shapes.split_off(shapes.len().saturating_sub(signature.more.len()));
        let memory = shapes.pop().unwrap_or_default();
        let shape = signature.shape(&signature.result.extents, &sizes);
        let shape = shape.ok_or_else(|| refused("an extent is negative or too large"))?;
        Ok(Fitting { sizes, stated: self.sizes, inputs, shape, memory, more })
    }
}

fn no_parameter(signature: &Signature, name: &str) -> Refusal {
    let declared = signature.declared();
    let known: Vec<String> = declared.iter().map(|p| format!("`{p}`")).collect();
    Box::new(
        err!(E0502, signature.span, "`{}` has no parameter `{name}`", signature.name)
            .label("this function")
            .note(format!("its parameters are {}", known.join(", ")))
            .help(match spelling::closest(name, declared.into_iter()) {
                Some(close) => format!("did you mean `{close}`?"),
                None => "check the name before `=`".to_owned(),
            }),
    )
}

fn no_size(signature: &Signature, name: &str) -> Refusal {
    let known: Vec<String> = signature.sizes.iter().map(|s| format!("`{}`", s.name)).collect();
    Box::new(
        err!(E0509, signature.span, "`{}` has no size `{name}`", signature.name)
            .label("this function")
            .note(format!(
                "its sizes are {}",
                if known.is_empty() { "none".to_owned() } else { known.join(", ") }
            ))
            .help("check the name after `--set`"),
    )
}

/// An argument that is not given: a tensor in a format as a whole, where none of its arrays is there.
fn missing(signature: &Signature, k: usize, given: &[Option<BufferView<'_>>]) -> Refusal {
    let array = &signature.arrays[k];
    let operand = array.operand.map(|k| &signature.operands[k]);
    let untouched = operand.filter(|s| s.arrays.clone().all(|k| given.get(k).is_none_or(Option::is_none)));
    Box::new(match untouched {
        Some(operand) => err!(E0501, operand.span, "the argument `{}` is missing", operand.name)
            .label(format!("of type {}, in a format", operand.ty))
            .help(format!("give it with `--in {}=PATH`", operand.name)),
        None => err!(E0501, array.span, "the argument `{}` is missing", array.name)
            .label(format!("of type {}", array.ty))
            .help(match array.extents.is_empty() {
                true => format!("give it with `--set {}=VALUE`", array.name),
                false => format!("give it with `--in {}=PATH`", array.name),
            }),
    })
}

/// Refuses an array of another element type or rank.
fn has_type(array: &Array, view: &BufferView<'_>) -> Result<(), Refusal> {
    let (name, span, rank) = (&array.name, array.span, array.extents.len());
    if view.dtype() != array.dtype {
        return Err(other_elements((name, span), view.dtype(), array.dtype));
    }
    if view.shape().len() != rank {
        return Err(other_rank((name, span), view.shape(), rank));
    }
    Ok(())
}

fn other_extent(
    signature: &Signature,
    array: &Array,
    (axis, found): (usize, usize),
    (extent, wanted): (&Extent, Option<i64>),
    sizes: &[i64],
) -> Diagnostic {
    let refusal = |wanted: String| {
        err!(
            E0504,
            array.span,
            "the argument `{}` has extent {found} along axis {axis}, where {wanted}",
            array.name
        )
        .label("declared here")
    };
    match &extent.term {
        Ix::Lit(n) => refusal(format!("its type says {n}")).help(format!(
            "give an array with {n} entries along axis {axis}; a size of any value is a name in the type"
        )),
        _ => {
            let value = wanted.map_or("too large".into(), |n| n.to_string());
            refusal(format!("`{}` is {value}", extent.text))
                .note(format!("from the other arguments, {}", signature.named(sizes)))
                .help("give arrays whose shapes agree")
        }
    }
}

/// The sizes, from the arguments' shapes and from what is given.
fn sizes(
    signature: &Signature,
    inputs: &[BufferView<'_>],
    given: &[Option<i64>],
) -> Result<Vec<i64>, Refusal> {
    let extent = |(param, axis): &(usize, usize)| -> Option<i64> {
        i64::try_from(*inputs.get(*param)?.shape().get(*axis)?).ok()
    };
    let argument = |level: u32| given.get(signature.position(level)?).copied().flatten();
    let mut sizes = Vec::with_capacity(signature.sizes.len());
    for (k, s) in signature.sizes.iter().enumerate() {
        let stated = given.get(k).copied().flatten();
        let found = match &s.source {
            SizeSource::Extent { param, axis } => {
                extent(&(*param, *axis)).map(|n| (n, &signature.arrays[*param].name))
            }
            SizeSource::Extents(found) => match found.value(&extent, &argument) {
                Some(Ok(n)) => {
                    found.extents.first().map(|(_, (param, _))| (n, &signature.arrays[*param].name))
                }
                Some(Err(_)) => return Err(Box::new(no_whole_size(signature, s, found, &extent))),
                None => None,
            },
            SizeSource::Argument => None,
        };
        let value = match (found, stated) {
            (Some((n, by)), Some(m)) if n != m => {
                return Err(Box::new(
                    err!(E0504, s.span, "the size `{}` is {m}, and the argument `{by}` makes it {n}", s.name)
                        .label("this size")
                        .help("give arrays whose shapes agree; a size that arrays have need not be given"),
                ));
            }
            (Some((n, _)), _) | (None, Some(n)) => n,
            (None, None) => {
                return Err(Box::new(
                    err!(E0507, s.span, "the size `{}` is not determined by the arrays", s.name)
                        .label("this size")
                        .help(format!("give it with `--set {}=VALUE`", s.name)),
                ));
            }
        };
        if value < 0 {
            let refusal =
                err!(E0508, s.span, "the size `{}` is {value}", s.name).label("a size is a natural number");
            return Err(Box::new(match &s.source {
                SizeSource::Extents(found) => refusal
                    .note(found_from(signature, found, &extent))
                    .help("give an array that is large enough"),
                _ => refusal.help("give 0 or more"),
            }));
        }
        sizes.push(value);
    }
    for condition in &signature.conditions {
        if !signature.holds(&condition.holds, &sizes) {
            return Err(Box::new(
                err!(
                    E0506,
                    condition.span,
                    "`{}` does not hold for {}",
                    condition.text,
                    signature.named(&sizes)
                )
                .label("required here")
                .help("give sizes that satisfy it"),
            ));
        }
    }
    Ok(sizes)
}

/// Extents that are of no whole number, as an odd one is not `2 * N`.
fn no_whole_size(
    signature: &Signature,
    s: &Size,
    found: &Combination<(usize, usize)>,
    extent: &dyn Fn(&(usize, usize)) -> Option<i64>,
) -> Diagnostic {
    err!(E0504, s.span, "no whole number `{}` gives the arguments their shapes", s.name)
        .label("this size")
        .note(found_from(signature, found, extent))
        .help(format!(
            "give arrays whose extents are of the form that the type says: `{}` is that divided by {}",
            s.name, found.divisor
        ))
}

/// "`2 * N` is 7, the extent of `x` along axis 0": what a size is found from.
fn found_from(
    signature: &Signature,
    found: &Combination<(usize, usize)>,
    extent: &dyn Fn(&(usize, usize)) -> Option<i64>,
) -> String {
    let parts = found.extents.iter().filter_map(|(_, (param, axis))| {
        let array = signature.arrays.get(*param)?;
        let written = &array.extents.get(*axis)?.text;
        let n = extent(&(*param, *axis))?;
        Some(format!("`{written}` is {n}, the extent of `{}` along axis {axis}", array.name))
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// The values of an argument lie where the laws of its semiring hold.
pub(super) fn carrier(array: &Array, view: &BufferView<'_>) -> Result<(), Refusal> {
    let Some(carrier) = array.carrier else { return Ok(()) };
    let (least, greatest) = carrier.ends();
    let inside = |x: f64| (least <= x) & (x <= greatest);
    // All are compared before one is looked for: without a way out of it the loop is one of vectors.
    let found = with_element!(view.dtype(), T => {
        view.as_slice::<T>().ok().filter(|_| view.dtype() != DType::Bool).and_then(|all| {
            let numbers = all.iter().map(|x| x.value().to_f64());
            match numbers.clone().fold(true, |ok, x| ok & inside(x)) {
                true => None,
                false => numbers.enumerate().find(|(_, x)| !inside(*x)),
            }
        })
    });
    let Some((place, x)) = found else { return Ok(()) };
    let name = &array.name;
    Err(Box::new(
        err!(E0517, array.span, "the argument `{name}` contains {x}, which is not a value of `{}`", array.elem)
            .label(format!("its elements are {carrier}"))
            .note(format!("it is `{name}{}`", position(place, view.shape())))
            .note("outside its carrier a semiring's laws, and so the schedule's theorem, do not hold")
            .help("replace such values, as absent ones by the semiring's zero, or compute in a semiring that has them"),
    ))
}

/// The place of an element, as an access writes it.
fn position(mut place: usize, shape: &[usize]) -> String {
    let mut index: Vec<String> = Vec::new();
    for extent in shape.iter().rev() {
        index.push((place % extent).to_string());
        place /= extent;
    }
    index.reverse();
    if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) }
}
