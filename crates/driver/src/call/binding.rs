//! Arguments bound to parameters: by name, each of its parameter's type, and all of them of extents that agree.

use super::shapes::{of_result, shapes};
use super::{Named, Refusal};
use crate::words;
use atl_arith::{eval_ix, eval_pred};
use atl_diag::{Diagnostic, err, spelling};
use atl_kernel::{Ix, Pred};
use atl_lang::{Combination, Function, SizeParam, SizeSource};
use atl_runtime::{BufferView, DType};
use std::collections::BTreeSet;

/// Arguments of the types that a function has.
pub(super) struct Fitting<'a> {
    pub(super) sizes: Vec<i64>,
    pub(super) inputs: Vec<BufferView<'a>>,
    pub(super) output: Vec<usize>,
    /// The shape of the output in memory.
    pub(super) memory: Vec<usize>,
}

/// Refuses a parameter or size that is given a value more than once: which one is meant is not known.
pub(crate) fn given_once<'n>(f: &Function, names: impl Iterator<Item = &'n str>) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            let params = f.params.iter().map(|p| (&p.name, p.span));
            let known = params.chain(f.sizes.iter().map(|s| (&s.name, s.span))).find(|(n, _)| *n == name);
            let span = known.map_or(f.span, |(_, span)| span);
            return Err(Box::new(
                err!(E0527, span, "`{name}` is given twice").label("this one").help("give it one value"),
            ));
        }
    }
    Ok(())
}

/// The names of the parameters as they are written: a tensor in a format by its own, and not by those of its arrays.
fn declared(f: &Function) -> Vec<&str> {
    let own = |k: usize| match f.sparse.iter().find(|s| s.arrays.contains(&k)) {
        Some(s) if s.arrays.start == k => Some(s.name.as_str()),
        Some(_) => None,
        None => Some(f.params[k].name.as_str()),
    };
    (0..f.params.len()).filter_map(own).collect()
}

/// The arguments, where each is of its parameter's type.
pub(super) fn bind<'a>(
    f: &Function,
    arguments: &[Named<'a>],
    given: &[(&str, i64)],
) -> Result<Fitting<'a>, Refusal> {
    let mut inputs = Vec::new();
    given_once(f, arguments.iter().map(|(name, _)| *name).chain(given.iter().map(|(name, _)| *name)))?;
    for (name, _) in arguments {
        if !f.params.iter().any(|p| p.name == **name) {
            let known: Vec<String> = declared(f).iter().map(|p| format!("`{p}`")).collect();
            return Err(Box::new(
                err!(E0502, f.span, "`{}` has no parameter `{name}`", f.name)
                    .label("this function")
                    .note(format!("its parameters are {}", known.join(", ")))
                    .help(match spelling::closest(name, declared(f).into_iter()) {
                        Some(close) => format!("did you mean `{close}`?"),
                        None => "check the name before `=`".to_owned(),
                    }),
            ));
        }
    }
    for (k, p) in f.params.iter().enumerate() {
        let Some((_, view)) = arguments.iter().find(|(name, _)| *name == p.name) else {
            let own = f.sparse.iter().find(|s| s.arrays.contains(&k));
            let given = |(name, _): &Named<'_>| {
                own.is_some_and(|s| f.params[s.arrays.clone()].iter().any(|q| q.name == *name))
            };
            if let Some(s) = own.filter(|_| !arguments.iter().any(given)) {
                return Err(Box::new(
                    err!(E0501, s.span, "the argument `{}` is missing", s.name)
                        .label(format!("of type {}, in a format", words::ty(&f.ctx, &s.ty)))
                        .help(format!("give it with `--in {}=PATH`", s.name)),
                ));
            }
            return Err(Box::new(
                err!(E0501, p.span, "the argument `{}` is missing", p.name)
                    .label(format!("of type {}", words::ty(&f.ctx, &p.ty)))
                    .help(match p.ty.shape.is_empty() {
                        true => format!("give it with `--set {}=VALUE`", p.name),
                        false => format!("give it with `--in {}=PATH`", p.name),
                    }),
            ));
        };
        let wanted = crate::backends::c::dtype(p.ty.elem.scalar);
        if view.dtype() != wanted {
            return Err(Box::new(
                err!(
                    E0505,
                    p.span,
                    "the argument `{}` has elements of type {}, and the parameter {wanted}",
                    p.name,
                    view.dtype()
                )
                .label("declared here")
                .help("convert the data, or change the parameter's type"),
            ));
        }
        if view.shape().len() != p.ty.shape.len() {
            return Err(Box::new(
                err!(
                    E0503,
                    p.span,
                    "the argument `{}` has {} dimensions, and the parameter {}",
                    p.name,
                    view.shape().len(),
                    p.ty.shape.len()
                )
                .label("declared here")
                .note(format!("its shape is {:?}", view.shape()))
                .help("reshape the data, or change the parameter's type"),
            ));
        }
        inputs.push(view.clone());
    }
    let sizes = sizes(f, &inputs, given)?;
    let value = |level: u32| f.sizes.iter().position(|s| s.level == level).map(|k| sizes[k]);
    for (p, view) in f.params.iter().zip(&inputs) {
        for (axis, (extent, found)) in p.ty.shape.iter().zip(view.shape()).enumerate() {
            if eval_ix(extent, &value) != i64::try_from(*found).ok() {
                let refusal = |wanted: String| {
                    err!(
                        E0504,
                        p.span,
                        "the argument `{}` has extent {found} along axis {axis}, where {wanted}",
                        p.name
                    )
                    .label("declared here")
                };
                return Err(Box::new(match extent {
                    Ix::Lit(n) => refusal(format!("its type says {n}")).help(format!(
                        "give an array with {n} entries along axis {axis}; a size of any value is a name in the type"
                    )),
                    _ => {
                        let value = eval_ix(extent, &value).map_or("too large".into(), |n| n.to_string());
                        refusal(format!("`{}` is {value}", words::ix(&f.ctx, extent)))
                            .note(format!("from the other arguments, {}", named(f, &sizes)))
                            .help("give arrays whose shapes agree")
                    }
                }));
            }
        }
        carrier(p, view)?;
    }
    let refused = |why: &str| {
        Box::new(
            err!(E0506, f.span, "these sizes are refused: {why}")
                .label("this function")
                .help("give other sizes"),
        )
    };
    let memory = shapes(f, &sizes).map_err(|why| refused(&why))?.pop().unwrap_or_default();
    let output = of_result(f, &sizes).ok_or_else(|| refused("an extent is negative or too large"))?;
    Ok(Fitting { sizes, inputs, output, memory })
}

/// The sizes, from the arguments' shapes and from what is given.
fn sizes(f: &Function, inputs: &[BufferView<'_>], given: &[(&str, i64)]) -> Result<Vec<i64>, Refusal> {
    if let Some((name, _)) = given.iter().find(|(name, _)| !f.sizes.iter().any(|s| s.name == *name)) {
        let known: Vec<String> = f.sizes.iter().map(|s| format!("`{}`", s.name)).collect();
        return Err(Box::new(
            err!(E0509, f.span, "`{}` has no size `{name}`", f.name)
                .label("this function")
                .note(format!(
                    "its sizes are {}",
                    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
                ))
                .help("check the name after `--set`"),
        ));
    }
    let stated = |name: &str| given.iter().find(|(known, _)| *known == name).map(|(_, n)| *n);
    let extent = |(param, axis): &(usize, usize)| -> Option<i64> {
        i64::try_from(*inputs.get(*param)?.shape().get(*axis)?).ok()
    };
    let argument = |level: u32| stated(&f.sizes.iter().find(|s| s.level == level)?.name);
    let mut sizes = Vec::new();
    for s in &f.sizes {
        let stated = stated(&s.name);
        let found = match &s.source {
            SizeSource::Extent { param, axis } => {
                extent(&(*param, *axis)).map(|n| (n, &f.params[*param].name))
            }
            SizeSource::Extents(found) => match found.value(&extent, &argument) {
                Some(Ok(n)) => found.extents.first().map(|(_, (param, _))| (n, &f.params[*param].name)),
                Some(Err(_)) => return Err(Box::new(no_whole_size(f, s, found, &extent))),
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
                SizeSource::Extents(found) => {
                    refusal.note(found_from(f, found, &extent)).help("give an array that is large enough")
                }
                _ => refusal.help("give 0 or more"),
            }));
        }
        sizes.push(value);
    }
    let value = |level: u32| f.sizes.iter().position(|s| s.level == level).map(|k| sizes[k]);
    for (p, span) in &f.requires {
        if eval_pred(p, &value) != Some(true) {
            return Err(Box::new(
                precondition(f, p, &sizes)
                    .at(*span)
                    .label("required here")
                    .help("give sizes that satisfy it"),
            ));
        }
    }
    Ok(sizes)
}

/// Extents that are of no whole number, as an odd one is not `2 * N`.
fn no_whole_size(
    f: &Function,
    s: &SizeParam,
    found: &Combination<(usize, usize)>,
    extent: &dyn Fn(&(usize, usize)) -> Option<i64>,
) -> Diagnostic {
    err!(E0504, s.span, "no whole number `{}` gives the arguments their shapes", s.name)
        .label("this size")
        .note(found_from(f, found, extent))
        .help(format!(
            "give arrays whose extents are of the form that the type says: `{}` is that divided by {}",
            s.name, found.divisor
        ))
}

/// "`2 * N` is 7, the extent of `x` along axis 0": what a size is found from.
fn found_from(
    f: &Function,
    found: &Combination<(usize, usize)>,
    extent: &dyn Fn(&(usize, usize)) -> Option<i64>,
) -> String {
    let parts = found.extents.iter().filter_map(|(_, (param, axis))| {
        let p = f.params.get(*param)?;
        let written = words::ix(&f.ctx, p.ty.shape.get(*axis)?);
        Some(format!(
            "`{written}` is {}, the extent of `{}` along axis {axis}",
            extent(&(*param, *axis))?,
            p.name
        ))
    });
    parts.collect::<Vec<_>>().join("; ")
}

fn precondition(f: &Function, p: &Pred, sizes: &[i64]) -> Diagnostic {
    err!(E0506, f.span, "`{}` does not hold for {}", words::pred(&f.ctx, p), named(f, sizes))
}

/// Sizes with their names.
pub(super) fn named(f: &Function, sizes: &[i64]) -> String {
    let named: Vec<String> = f.sizes.iter().zip(sizes).map(|(s, n)| format!("{} = {n}", s.name)).collect();
    named.join(", ")
}

/// The values of an argument lie where the laws of its semiring hold.
pub(super) fn carrier(p: &atl_lang::Param, view: &BufferView<'_>) -> Result<(), Refusal> {
    let Some(semiring) = atl_semirings::of(p.ty.elem.algebra) else { return Ok(()) };
    if semiring.carrier.accepts_all() {
        return Ok(());
    }
    let (least, greatest) = semiring.carrier.ends();
    let inside = |x: f64| (least <= x) & (x <= greatest);
    // All are compared before one is looked for: without a way out of it the loop is one of vectors.
    macro_rules! first {
        ($ty:ty, $convert:expr) => {
            view.as_slice::<$ty>().ok().and_then(|all| {
                let numbers = all.iter().map($convert);
                match numbers.clone().fold(true, |ok, x| ok & inside(x)) {
                    true => None,
                    false => numbers.enumerate().find(|(_, x)| !inside(*x)),
                }
            })
        };
    }
    let found = match view.dtype() {
        DType::F32 => first!(f32, |x| f64::from(*x)),
        DType::F64 => first!(f64, |x| *x),
        DType::I32 => first!(i32, |x| f64::from(*x)),
        DType::I64 => first!(i64, |x| *x as f64),
        DType::U8 => first!(u8, |x| f64::from(*x)),
        DType::Bool => None,
    };
    let Some((place, x)) = found else { return Ok(()) };
    let name = &p.name;
    Err(Box::new(
        err!(E0517, p.span, "the argument `{name}` contains {x}, which is not a value of `{}`", p.ty.elem)
            .label(format!("its elements are {}", semiring.carrier))
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
