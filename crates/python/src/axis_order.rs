//! Operands whose axes lie in another order, as those of Fortran and `a.T`: read where they are.
//!
//! The one idea: such an array is a row-major one of the permuted shape, and the same function of such
//! arrays is a kernel of its own ([`reordered`]). It is made at the first call that is worth it, for the schedule
//! that is chosen; a call is then one of that kernel with the arrays transposed. Whatever it refuses goes the
//! usual way, which copies and says what is wrong.

use crate::compiled::{Code, Open};
use crate::complex::is_complex;
use crate::data::{LARGE, dtype, is_aligned, plain_array};
use crate::kernel::{Kernel, Role, positions};
use crate::worker::on_worker;
use atl_driver::axis_order::{SCHEDULE, reordered};
use atl_driver::backends::Backend;
use atl_driver::tune::{Machine, estimate};
use atl_driver::{Lowered, Program, Ready, Rounding, Signature, auto, parse, parse_at, ready};
use atl_lang::SizeSource;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// After copies of so many bytes a kernel for the order in which they lie is worth its compilation.
const ENOUGH: usize = 16 << 20;

/// As many orders have kernels of their own.
const KNOWN_ORDERS: usize = 16;

/// What a size is that no array's extent gives, where the cost model needs one.
const SIZE: i64 = 512;

/// The parameters whose arguments lie in another order, by position, with the axes of each, the outermost in
/// memory first.
type Form = Vec<(usize, Vec<usize>)>;

/// A kernel for a form, and whether it is the quicker way.
#[derive(Clone)]
struct Variant {
    kernel: Arc<Kernel>,
    is_quick: bool,
}

/// The kernels for operands in other orders that a kernel has.
#[derive(Default)]
pub(crate) struct Orders {
    /// None for a form that has no kernel.
    known: Mutex<Vec<(Form, Option<Variant>)>>,
    /// How many bytes were copied since they lay in another order.
    copied: AtomicUsize,
}

impl Orders {
    /// What is known of a form.
    fn find(&self, form: &Form) -> Option<Option<Variant>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(known, _)| known == form).map(|(_, found)| found.clone())
    }

    /// From now on this is known of a form, if nothing was.
    fn keep(&self, form: Form, found: Option<Variant>) -> Option<Variant> {
        // Another thread may have been faster.
        if let Some(known) = self.find(&form) {
            return known;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < KNOWN_ORDERS {
            known.push((form, found.clone()));
        }
        found
    }

    /// Is there room for more?
    fn is_full(&self) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).len() >= KNOWN_ORDERS
    }
}

/// How often the arguments are to be used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Once,
    Often,
}

/// A call of the kernel for the order in which the arguments lie.
pub(crate) struct Turned<'py> {
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) args: Bound<'py, PyTuple>,
    pub(crate) kwargs: Option<Bound<'py, PyDict>>,
}

/// The same call with its arguments transposed, if some of them lie in another order and there is a kernel for
/// that which is worth it.
///
/// # Errors
/// An interrupt.
pub(crate) fn turned<'py>(
    kernel: &Kernel,
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    often: Use,
) -> PyResult<Option<Turned<'py>>> {
    let signature = &kernel.lowered.signature;
    if kernel.code.open().is_none() || is_complex(kernel) {
        return Ok(None);
    }
    let mut form = Form::new();
    let mut shapes: Vec<Vec<usize>> = vec![Vec::new(); signature.arrays.len()];
    let mut bytes = 0;
    let mut turn = |role: Option<&Role>, value: &Bound<'py, PyAny>| -> PyResult<Option<Bound<'py, PyAny>>> {
        let (Some(Role::Array(k)), Some(array)) = (role, plain_array(py, value)) else { return Ok(None) };
        shapes[*k] = array.shape().to_vec();
        let wanted = signature.arrays[*k].dtype;
        let is_it = dtype(array) == Some(wanted) && is_aligned(array, wanted);
        let Some(axes) = axes(array).filter(|_| is_it) else { return Ok(None) };
        bytes += array.len() * wanted.size();
        let found = value.call_method1("transpose", (PyTuple::new(py, &axes)?,))?;
        form.push((*k, axes));
        Ok(Some(found))
    };
    let mut given = Vec::with_capacity(args.len());
    for (k, value) in args.iter().enumerate() {
        given.push(turn(kernel.positions.get(k), &value)?.unwrap_or(value));
    }
    let (mut named, mut may_copy) = (None, true);
    if let Some(kwargs) = kwargs {
        let to = kwargs.copy()?;
        for (name, value) in kwargs {
            let word: String = name.extract()?;
            let role = signature.array(&word).map(Role::Array);
            if let Some(found) = turn(role.as_ref(), &value)? {
                to.set_item(name, found)?;
            } else if role.is_none() && word == "copy" {
                may_copy = value.is_none() || value.is_truthy()?;
            }
        }
        named = Some(to);
    }
    if form.is_empty() || form.iter().any(|(k, _)| signature.arrays[*k].operand.is_some()) {
        return Ok(None);
    }
    form.sort();
    let is_enough = || kernel.orders.copied.fetch_add(bytes, Ordering::Relaxed) + bytes >= ENOUGH;
    let found = match kernel.orders.find(&form) {
        Some(found) => found,
        None if may_copy && often == Use::Once && bytes < LARGE && !is_enough() => None,
        None => variant(kernel, py, form, shapes)?,
    };
    let found = found.filter(|found| found.is_quick || !may_copy || often == Use::Often);
    let Some(found) = found else { return Ok(None) };
    Ok(Some(Turned { kernel: found.kernel, args: PyTuple::new(py, given)?, kwargs: named }))
}

/// The axes of an array, the outermost in memory first, if its elements lie side by side in another order than
/// that of C.
fn axes(array: &Bound<'_, PyUntypedArray>) -> Option<Vec<usize>> {
    if array.ndim() < 2 || array.is_c_contiguous() {
        return None;
    }
    let (shape, strides) = (array.shape(), array.strides());
    let mut axes: Vec<usize> = (0..array.ndim()).collect();
    // An axis of one element lies anywhere.
    axes.sort_by_key(|axis| if shape[*axis] == 1 { isize::MIN } else { -strides[*axis] });
    let mut inside = isize::try_from(array.dtype().itemsize()).ok()?;
    for axis in axes.iter().rev() {
        if shape[*axis] != 1 && strides[*axis] != inside {
            return None;
        }
        inside *= isize::try_from(shape[*axis]).ok()?;
    }
    Some(axes)
}

/// The kernel for a form, made if it is new.
fn variant(
    kernel: &Kernel,
    py: Python<'_>,
    form: Form,
    shapes: Vec<Vec<usize>>,
) -> PyResult<Option<Variant>> {
    let Some(open) = kernel.code.open().filter(|_| !kernel.orders.is_full()) else { return Ok(None) };
    let wanted = Wanted {
        program: kernel.program.clone(),
        path: kernel.path.clone(),
        schedule: open.schedule,
        signature: kernel.lowered.signature.clone(),
        backend: kernel.code.backend(),
        form: form.clone(),
        shapes,
    };
    let made = on_worker(py, move || wanted.made())?;
    let made = made.filter(|made| {
        names(&made.positions, &made.lowered.signature) == names(&kernel.positions, &kernel.lowered.signature)
    });
    let made = made.map(|made| Variant {
        is_quick: made.is_quick,
        kernel: Arc::new(Kernel {
            scheduled: Arc::new(made.scheduled),
            lowered: Arc::new(made.lowered),
            code: Code::new(
                Some(kernel.code.backend()),
                Some(Open { program: made.program.clone(), schedule: SCHEDULE }),
            ),
            positions: made.positions,
            copies: kernel.copies.clone(),
            path: None,
            program: made.program,
            orders: Orders::default(),
            ready: Mutex::default(),
        }),
    });
    Ok(kernel.orders.keep(form, made))
}

/// What arguments by position are called.
fn names<'s>(positions: &[Role], signature: &'s Signature) -> Vec<&'s str> {
    let name = |role: &Role| match *role {
        Role::Size(k) => signature.sizes[k].name.as_str(),
        Role::Array(k) => signature.arrays[k].name.as_str(),
        Role::Operand(k) => signature.operands[k].name.as_str(),
    };
    positions.iter().map(name).collect()
}

/// What a kernel for a form is made of.
struct Wanted {
    program: Arc<Program>,
    path: Option<PathBuf>,
    schedule: &'static str,
    signature: Arc<Signature>,
    backend: &'static Backend,
    form: Form,
    /// The shapes of the arguments at hand.
    shapes: Vec<Vec<usize>>,
}

struct Made {
    program: Arc<Program>,
    scheduled: atl_driver::Scheduled,
    lowered: Lowered,
    positions: Vec<Role>,
    is_quick: bool,
}

impl Wanted {
    /// The function of operands in this order; none where it or its schedule is refused.
    fn made(&self) -> Option<Made> {
        let arrays = &self.signature.arrays;
        let orders: Vec<(&str, &[usize])> =
            self.form.iter().map(|(k, axes)| (arrays[*k].name.as_str(), axes.as_slice())).collect();
        let rounding = match self.schedule {
            auto::AUTO_REAL => Rounding::Real,
            _ if self.signature.operands.is_empty() => Rounding::Bitwise,
            _ => return None,
        };
        let made = reordered(&self.program, &self.signature.name, &orders, rounding)?;
        let program = match &self.path {
            Some(path) => parse_at(path, &made.text),
            None => parse("the function of operands in another order", &made.text),
        };
        let program = Arc::new(program.ok()?);
        let loops = ready(&program, &made.function, Some(SCHEDULE), self.backend).ok()?;
        let is_quick = self.is_quick(&loops);
        let scheduled = program.scheduled(&made.function, None).ok()?;
        let lowered = scheduled.lower().ok()?;
        let positions = positions(&lowered.function, &lowered.signature);
        Some(Made { program, scheduled, lowered, positions, is_quick })
    }

    /// Do these loops cost no more than a copy, and those that read it?
    fn is_quick(&self, turned: &Ready) -> bool {
        let machine = Machine::detect().with_cores(1);
        let Ok(usual) = ready(&self.program, &self.signature.name, Some(self.schedule), self.backend) else {
            return false;
        };
        let mut shapes = self.shapes.clone();
        let usually = cycles(&usual, &shapes, &machine);
        let mut copies = 0.0;
        for (k, axes) in &self.form {
            let shape = &self.shapes[*k];
            shapes[*k] = axes.iter().map(|axis| shape[*axis]).collect();
            let elements: f64 = shape.iter().map(|n| *n as f64).product();
            let lines =
                elements * self.signature.arrays[*k].dtype.size() as f64 / f64::from(machine.line_bytes);
            // Each line comes through all caches, and another one goes back.
            let line: f64 = machine.caches.iter().map(|cache| cache.line_cycles).sum();
            copies += 2.0 * lines * line + elements;
        }
        let turned = cycles(turned, &shapes, &machine);
        usually.zip(turned).is_some_and(|(usually, turned)| turned <= usually + copies)
    }
}

/// What loops cost for arrays of these shapes.
fn cycles(loops: &Ready, shapes: &[Vec<usize>], machine: &Machine) -> Option<f64> {
    let size = |source: &SizeSource| match source {
        SizeSource::Extent { param, axis } => {
            shapes.get(*param)?.get(*axis).and_then(|n| i64::try_from(*n).ok())
        }
        _ => None,
    };
    let sizes: Vec<i64> = loops.signature.sizes.iter().map(|s| size(&s.source).unwrap_or(SIZE)).collect();
    estimate(&loops.kernel, &sizes, machine).map(|found| found.cycles())
}
