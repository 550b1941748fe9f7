//! Compiled kernels, loaded and ready to be called.
//!
//! One idea: all of the danger is in one promise, made once when a kernel is loaded: that for sizes and arrays which the
//! [`Signature`] admits, the code stays inside the arrays. Every call then checks the sizes, element types, access and
//! exact shapes against the signature, and is safe. Sizes are checked apart ([`LoadedKernel::at`]), so that calls which repeat them
//! compare shapes, and allocate nothing. A kernel has the uniform type
//! `int32_t NAME(const int64_t *sizes, void *const *buffers)`, for every back end; 0 means success.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;

use libloading::Library;

use crate::floats;
use crate::shape::show_shape;
use crate::{BufferView, BufferViewMut, DType, Growing};

/// The machine-level type of a kernel.
pub type Entry = unsafe extern "C" fn(*const i64, *const *mut u8) -> i32;

/// The type of a function that frees what a kernel keeps between calls.
type Release = unsafe extern "C" fn();

/// The functions of a kernel in a library.
#[derive(Clone, Copy, Debug)]
pub struct Functions<'a> {
    /// The name of the [`Entry`].
    pub entry: &'a str,
    /// The name of the function `void NAME(void)` that frees what the kernel keeps between calls, if it keeps anything.
    pub release: Option<&'a str>,
}

/// The type of OpenMP's function for setting the number of threads.
type SetThreads = unsafe extern "C" fn(i32);

/// What a kernel does with an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it only.
    Read,
    /// Writes it, and perhaps reads it.
    Write,
    /// Fills it from the start, and makes room as it goes. Its shape in the signature is `[0]`.
    Append,
}

/// One array parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name, for messages.
    pub name: String,
    /// The element type.
    pub dtype: DType,
    /// What the kernel does with it.
    pub access: Access,
    /// For an array that is written: the position of one that is read and of the same shape, which it may be.
    pub over: Option<usize>,
}

/// The exact shape of every array parameter for given sizes, or why the sizes are refused.
pub type ShapeRule = dyn Fn(&[i64]) -> Result<Vec<Vec<usize>>, String> + Send + Sync;

/// Which sizes and arrays a kernel accepts.
pub struct Signature {
    /// The names of the sizes, in order.
    pub sizes: Vec<String>,
    /// The arrays, in order.
    pub parameters: Vec<Parameter>,
    /// The arrays' shapes.
    pub shapes: Box<ShapeRule>,
}

/// One array argument of a call.
#[derive(Debug)]
pub enum Argument<'a> {
    /// An array to be read.
    Read(&'a BufferView<'a>),
    /// An array to be written; nothing else may refer to its memory, which its type ensures.
    Write(BufferViewMut<'a>),
    /// An array to be filled, whatever it holds.
    Append(&'a mut Growing),
    /// The array that is written [over](Parameter::over) this one, which it holds at first.
    Over,
}

impl Argument<'_> {
    /// Its type and shape, if it has memory of its own.
    fn ty(&self) -> Option<(DType, &[usize])> {
        Some(match self {
            Argument::Read(view) => (view.dtype(), view.shape()),
            Argument::Write(view) => (view.dtype(), view.shape()),
            Argument::Append(array) => (array.dtype(), &[0]),
            Argument::Over => return None,
        })
    }

    fn base(&mut self) -> *mut u8 {
        match self {
            Argument::Read(view) => view.base().cast_mut(),
            Argument::Write(view) => view.base(),
            Argument::Append(array) => array.base(),
            Argument::Over => std::ptr::null_mut(),
        }
    }
}

/// Why a kernel was not loaded or did not finish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelError {
    /// The library or the function in it was not found.
    Load {
        /// The system's reason.
        reason: String,
    },
    /// The number of sizes or arrays is not the signature's.
    WrongCount {
        /// `sizes` or `arrays`.
        what: &'static str,
        /// The signature's number.
        expected: usize,
        /// The call's number.
        found: usize,
    },
    /// The sizes are not admitted.
    BadSizes {
        /// Why.
        reason: String,
    },
    /// An array does not fit its parameter.
    BadArgument {
        /// The parameter's name.
        name: String,
        /// What was expected and what was found.
        reason: String,
    },
    /// The kernel returned this code instead of 0.
    Failed {
        /// The code.
        code: i32,
    },
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelError::Load { reason } => write!(f, "the kernel cannot be loaded: {reason}"),
            KernelError::WrongCount { what, expected, found } => {
                write!(f, "the kernel takes {expected} {what}, the call has {found}")
            }
            KernelError::BadSizes { reason } => write!(f, "the kernel does not accept the sizes: {reason}"),
            KernelError::BadArgument { name, reason } => write!(f, "argument `{name}`: {reason}"),
            KernelError::Failed { code } => write!(f, "the kernel failed with code {code}"),
        }
    }
}

impl Error for KernelError {}

/// Compiled code with its signature. The code stays in memory as long as this value; code that uses OpenMP, to the end of
/// the process.
pub struct LoadedKernel {
    entry: Entry,
    signature: Signature,
    release: Option<Release>,
    set_threads: Option<SetThreads>,
    threads: Option<i32>,
    /// What the code is part of: a library, or a back end's executable memory. Dropped last, after `entry`.
    _owner: Box<dyn Any + Send + Sync>,
}

impl LoadedKernel {
    /// Loads a kernel's functions from a shared library.
    ///
    /// # Safety
    /// Loading the library must be sound (its initialisers run), `release` must be a function without parameters that is safe
    /// to call at any time, and `entry` an [`Entry`] which, called with any sizes and arrays that `signature` admits, accesses no memory outside the arrays, grows
    /// those that are appended to by `realloc` and says their length, does not write arrays that are
    /// only read, leaves 0 or 1 in every byte of `bool` arrays, and may run on any thread, also several at once.
    pub unsafe fn load(
        path: &Path,
        functions: Functions<'_>,
        signature: Signature,
    ) -> Result<LoadedKernel, KernelError> {
        let name = functions.entry;
        let failed = |error: libloading::Error| {
            // The library's own words are in the cause.
            let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            KernelError::Load { reason: format!("`{name}` of {}: {cause}", path.display()) }
        };
        // A bare file name would be searched for in the system's folders.
        let library = path
            .canonicalize()
            .map_err(|error| KernelError::Load { reason: format!("{}: {error}", path.display()) })?;
        // SAFETY: the caller vouches for the library's initialisers and for the types of both functions; they do not outlive
        // `library`, which the kernel owns.
        let (library, entry, release) = unsafe {
            let library = floats::kept(|| Library::new(&library)).map_err(failed)?;
            let entry = *library.get::<Entry>(name).map_err(failed)?;
            let release =
                functions.release.map(|name| library.get::<Release>(name).map(|function| *function));
            (library, entry, release.transpose().map_err(failed)?)
        };
        // SAFETY: if this symbol exists in the library or in what it was linked with, it is OpenMP's, whose type this is.
        let set_threads =
            unsafe { library.get::<SetThreads>("omp_set_num_threads").ok().map(|function| *function) };
        let owner: Box<dyn Any + Send + Sync> = match set_threads {
            // OpenMP's threads outlive the call that started them and wait in its code, so that must never be unmapped.
            Some(_) => Box::new(ManuallyDrop::new(library)),
            None => Box::new(library),
        };
        Ok(LoadedKernel { entry, signature, release, set_threads, threads: None, _owner: owner })
    }

    /// A kernel that a back end has placed in memory, which `owner` keeps alive.
    ///
    /// # Safety
    /// As for [`LoadedKernel::load`]; and `entry` must be callable for as long as `owner` exists.
    pub unsafe fn from_entry(
        entry: Entry,
        signature: Signature,
        owner: Box<dyn Any + Send + Sync>,
    ) -> LoadedKernel {
        LoadedKernel { entry, signature, release: None, set_threads: None, threads: None, _owner: owner }
    }

    /// The parameters.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Sets the number of threads for the calls to come; `false` if the kernel was not linked with OpenMP or `threads` is
    /// zero or too large, and nothing changes then. Without a setting OpenMP decides, from `OMP_NUM_THREADS`.
    pub fn set_threads(&mut self, threads: usize) -> bool {
        match (self.set_threads, i32::try_from(threads)) {
            (Some(_), Ok(threads)) if threads > 0 => {
                self.threads = Some(threads);
                true
            }
            _ => false,
        }
    }

    /// The kernel at these sizes, for calls that repeat them.
    ///
    /// # Errors
    /// The signature does not admit the sizes.
    pub fn at(self: &Arc<Self>, sizes: &[i64]) -> Result<KernelAt, KernelError> {
        Ok(KernelAt { shapes: self.shapes(sizes)?, sizes: sizes.to_vec(), kernel: self.clone() })
    }

    /// Runs the kernel.
    ///
    /// # Errors
    /// The signature does not admit the sizes or an array, or the kernel failed.
    pub fn call<'a>(
        &self,
        sizes: &[i64],
        arguments: impl IntoIterator<Item = Argument<'a>>,
    ) -> Result<(), KernelError> {
        self.call_at(sizes, &self.shapes(sizes)?, arguments)
    }

    /// The shapes of the arrays.
    fn shapes(&self, sizes: &[i64]) -> Result<Vec<Vec<usize>>, KernelError> {
        let Signature { sizes: names, parameters, shapes } = &self.signature;
        counted("sizes", names.len(), sizes.len())?;
        let shapes = shapes(sizes).map_err(|reason| KernelError::BadSizes { reason })?;
        counted("shapes", parameters.len(), shapes.len())?;
        Ok(shapes)
    }

    /// Runs the kernel at sizes that were admitted, of which the signature gives these shapes.
    fn call_at<'a>(
        &self,
        sizes: &[i64],
        shapes: &[Vec<usize>],
        arguments: impl IntoIterator<Item = Argument<'a>>,
    ) -> Result<(), KernelError> {
        let parameters = &self.signature.parameters;
        let (mut few, mut many);
        let buffers: &mut [*mut u8] = if parameters.len() <= FEW {
            few = [std::ptr::null_mut(); FEW];
            &mut few[..parameters.len()]
        } else {
            many = vec![std::ptr::null_mut(); parameters.len()];
            &mut many
        };
        let (mut found, mut over) = (0, false);
        for mut argument in arguments {
            if let (Some(parameter), Some(shape)) = (parameters.get(found), shapes.get(found)) {
                over |= matches!(argument, Argument::Over);
                let written = || parameters.iter().position(|other| other.over == Some(found));
                let written = || written().map(|k| (parameters[k].dtype, shapes[k].as_slice()));
                check_argument(parameter, &argument, shape, &written)
                    .map_err(|reason| KernelError::BadArgument { name: parameter.name.clone(), reason })?;
                // That which is written over an array is known when all are.
                buffers[found] = argument.base();
            }
            found += 1;
        }
        counted("arrays", parameters.len(), found)?;
        if over {
            for (written, parameter) in parameters.iter().enumerate() {
                if let Some(read) = parameter.over.filter(|read| buffers[*read].is_null()) {
                    buffers[read] = buffers[written];
                }
            }
        }
        if let (Some(set_threads), Some(threads)) = (self.set_threads, self.threads) {
            // The setting belongs to the calling thread, so it is made for every call.
            // SAFETY: OpenMP's own function with a positive number.
            unsafe { set_threads(threads) };
        }
        // SAFETY: the signature admits the sizes and arrays, which is all that the promise made on loading asks for. The
        // views borrow their memory beyond this call, and those that are written are unique, but where one is given as
        // that which it may be.
        match unsafe { (self.entry)(sizes.as_ptr(), buffers.as_ptr()) } {
            0 => Ok(()),
            code => Err(KernelError::Failed { code }),
        }
    }
}

/// A kernel at sizes that its signature admits.
#[derive(Debug)]
pub struct KernelAt {
    kernel: Arc<LoadedKernel>,
    sizes: Vec<i64>,
    /// What the signature says of these sizes.
    shapes: Vec<Vec<usize>>,
}

impl KernelAt {
    /// Runs the kernel. Nothing is allocated for up to sixteen arrays.
    ///
    /// # Errors
    /// An array does not fit its parameter, or the kernel failed.
    pub fn call<'a>(&self, arguments: impl IntoIterator<Item = Argument<'a>>) -> Result<(), KernelError> {
        self.kernel.call_at(&self.sizes, &self.shapes, arguments)
    }
}

/// As many addresses stand on the stack.
const FEW: usize = 16;

fn counted(what: &'static str, expected: usize, found: usize) -> Result<(), KernelError> {
    if expected == found { Ok(()) } else { Err(KernelError::WrongCount { what, expected, found }) }
}

/// `over` gives the type and shape of the array that may be written over this one.
fn check_argument<'s>(
    parameter: &Parameter,
    argument: &'s Argument<'_>,
    shape: &[usize],
    over: &dyn Fn() -> Option<(DType, &'s [usize])>,
) -> Result<(), String> {
    let Some((dtype, found)) = argument.ty().or_else(over) else {
        return Err("the kernel writes no array over it".to_owned());
    };
    if dtype != parameter.dtype {
        return Err(format!("expected elements of type {}, found {dtype}", parameter.dtype));
    }
    // Shapes are short: to compare them here is quicker than to call what compares memory.
    if !found.iter().eq(shape) {
        return Err(format!("expected shape {}, found {}", show_shape(shape), show_shape(found)));
    }
    if (parameter.access == Access::Append) != matches!(argument, Argument::Append(_)) {
        return Err("an array that grows is given for one that does not, or the other way round".to_owned());
    }
    if parameter.access != Access::Read && matches!(argument, Argument::Read(_) | Argument::Over) {
        return Err("the kernel writes it, and the call lends it for reading only".to_owned());
    }
    Ok(())
}

/// What the kernel keeps is freed even where its code has to stay.
impl Drop for LoadedKernel {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the promise made on loading; the library is still there.
            unsafe { release() };
        }
    }
}

impl fmt::Debug for LoadedKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedKernel")
            .field("sizes", &self.signature.sizes)
            .field("parameters", &self.signature.parameters)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}
