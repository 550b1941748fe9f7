//! Code that is not ours, called in this process: plain C, compiled by the machine's compiler with the flags
//! that our own C gets, and what other compilers and libraries made of the same function.
//!
//! Loading is this package's one `unsafe` block: the files in `dense/plain` and `sparse/plain`, and what
//! `dense/peers` writes, stay inside arrays of the shapes that the case gives, and every call is checked
//! against these.
#![allow(unsafe_code)]

use atl_backend_c::{Options, flags};
use atl_driver::backends::c::printer_options;
use atl_driver::{Buffer, DType, Memory, Rounding};
use atl_runtime::cc::{compile_shared, default_cache};
use atl_runtime::{Access, Argument, Functions, LoadedKernel, Parameter, Signature};
use std::path::Path;

/// A C program of the folders `dense/plain` and `sparse/plain`: its function is called `plain`; the last of
/// its arrays is written, or those that grow are.
#[derive(Clone, Copy)]
pub(crate) struct Plain {
    /// What it is called in results.
    pub(crate) name: &'static str,
    /// The text.
    pub(crate) source: &'static str,
    /// Whether products and sums may be fused, as in our schedules that are `real` in floating point.
    pub(crate) rounding: Rounding,
}

/// The sizes that a call gets, and the arrays, the last one that of the result; or arrays that are read, and
/// then those of the result, which grow.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) sizes: Vec<i64>,
    pub(crate) arrays: Vec<(DType, Vec<usize>)>,
    pub(crate) growing: Vec<DType>,
    pub(crate) threads: usize,
}

/// A loaded one.
pub(crate) struct Native {
    kernel: LoadedKernel,
    sizes: Vec<i64>,
}

impl Plain {
    /// Compile it for such calls. For one thread it is compiled without OpenMP.
    pub(crate) fn load(self, call: &Call) -> Result<Native, String> {
        let options = Options { openmp: call.threads > 1, ..printer_options(self.rounding, false) };
        let flags: Vec<String> = flags(&options).into_iter().map(str::to_owned).collect();
        let library = compile_shared(self.source, &flags, &default_cache()).map_err(|why| why.to_string())?;
        Native::load(&library, "plain", call.sizes.clone(), call)
    }
}

impl Native {
    /// What a peer wrote: its function is called `peer`, and has the number of threads as its last size.
    pub(crate) fn peer(library: &Path, call: &Call) -> Result<Native, String> {
        let threads = i64::try_from(call.threads).map_err(|why| why.to_string())?;
        Native::load(library, "peer", [call.sizes.as_slice(), &[threads]].concat(), call)
    }

    fn load(library: &Path, name: &str, sizes: Vec<i64>, call: &Call) -> Result<Native, String> {
        let written = if call.growing.is_empty() { call.arrays.len() } else { 0 };
        let parameter = |k: usize, dtype: &DType, access| {
            let name = format!("array {k}");
            Parameter { name, dtype: *dtype, access, over: None }
        };
        let arrays = call.arrays.iter().zip(1..).map(|((dtype, _), k)| {
            parameter(k, dtype, if k == written { Access::Write } else { Access::Read })
        });
        let growing = call
            .growing
            .iter()
            .zip(call.arrays.len() + 1..)
            .map(|(dtype, k)| parameter(k, dtype, Access::Append));
        let parameters = arrays.chain(growing);
        let shapes = call.arrays.iter().map(|(_, shape)| shape.clone());
        let shapes: Vec<Vec<usize>> = shapes.chain(call.growing.iter().map(|_| vec![0])).collect();
        let admitted = sizes.clone();
        let signature = Signature {
            sizes: (1..=sizes.len()).map(|k| format!("size {k}")).collect(),
            parameters: parameters.collect(),
            shapes: Box::new(move |sizes| match sizes == admitted {
                true => Ok(shapes.clone()),
                false => Err("it was loaded for other sizes".to_owned()),
            }),
        };
        // SAFETY: each file of `dense/plain` and `sparse/plain` defines `plain`, and each library of
        // `dense/peers` `peer`, with this type, and their loops stay inside arrays of these shapes for the
        // only sizes that are admitted. What those of `sparse/plain` read as positions and coordinates are
        // the arrays of packed tensors, which are in range.
        let kernel =
            unsafe { LoadedKernel::load(library, Functions { entry: name, release: None }, signature) };
        let mut kernel = kernel.map_err(|why| why.to_string())?;
        kernel.set_threads(call.threads);
        Ok(Native { kernel, sizes })
    }

    /// Run it.
    pub(crate) fn run(&self, inputs: &[Buffer], output: &mut Memory) -> Result<(), String> {
        let inputs: Vec<_> = inputs.iter().map(Buffer::view).collect();
        let mut arguments: Vec<Argument<'_>> = inputs.iter().map(Argument::Read).collect();
        match output {
            Memory::Dense(array) => arguments.push(Argument::Write(array.view_mut())),
            Memory::Several(arrays) => {
                arguments.extend(arrays.iter_mut().map(|array| Argument::Write(array.view_mut())));
            }
            Memory::Arrays(arrays) => arguments.extend(arrays.iter_mut().map(Argument::Append)),
        }
        self.kernel.call(&self.sizes, arguments).map_err(|why| why.to_string())
    }
}
