//! Plain C, compiled by the machine's compiler with the flags that our own C gets, and called in this process.
//!
//! Loading is this package's one `unsafe` block: the files in `plain/` are written to stay inside arrays of the shapes
//! that [`Plain::shapes`] gives, and every call is checked against these.
#![allow(unsafe_code)]

use atl_backend_c::{Options, flags};
use atl_driver::backends::c::printer_options;
use atl_driver::{Buffer, DType, Rounding};
use atl_runtime::cc::{compile_shared, default_cache};
use atl_runtime::{Access, Argument, LoadedKernel, Parameter, Signature};

/// A C program of the folder `plain/`: its function is called `plain`, and takes `f32` arrays, the last one to be written.
#[derive(Clone, Copy)]
pub(crate) struct Plain {
    /// What it is called in results.
    pub(crate) name: &'static str,
    /// The text.
    pub(crate) source: &'static str,
    /// How many sizes it takes.
    pub(crate) sizes: usize,
    /// The shapes of its arrays for given sizes.
    pub(crate) shapes: fn(&[i64]) -> Vec<Vec<i64>>,
    /// Whether products and sums may be fused, as in our schedules that are `real` in floating point.
    pub(crate) rounding: Rounding,
}

/// A compiled one.
pub(crate) struct Native {
    kernel: LoadedKernel,
    sizes: Vec<i64>,
}

impl Plain {
    /// Compile it for calls with these sizes. For one thread it is compiled without OpenMP.
    pub(crate) fn load(self, sizes: &[i64], threads: usize) -> Result<Native, String> {
        let options = Options { openmp: threads > 1, ..printer_options(self.rounding, false) };
        let flags: Vec<String> = flags(&options).into_iter().map(str::to_owned).collect();
        let library = compile_shared(self.source, &flags, &default_cache()).map_err(|why| why.to_string())?;
        let arrays = (self.shapes)(sizes).len();
        let parameters = (1..=arrays).map(|k| Parameter {
            name: format!("array {k}"),
            dtype: DType::F32,
            access: if k == arrays { Access::Write } else { Access::Read },
        });
        let signature = Signature {
            sizes: (1..=self.sizes).map(|k| format!("size {k}")).collect(),
            parameters: parameters.collect(),
            shapes: Box::new(move |sizes| {
                let extent = |n: &i64| usize::try_from(*n).map_err(|_| "a size is negative".to_owned());
                (self.shapes)(sizes).iter().map(|shape| shape.iter().map(extent).collect()).collect()
            }),
        };
        // SAFETY: each file of `plain/` defines `plain` with this type, and its loops stay inside arrays of these shapes,
        // which every call is checked to have.
        let kernel = unsafe { LoadedKernel::load(&library, "plain", signature) };
        let mut kernel = kernel.map_err(|why| why.to_string())?;
        kernel.set_threads(threads);
        Ok(Native { kernel, sizes: sizes.to_vec() })
    }
}

impl Native {
    /// Run it.
    pub(crate) fn run(&self, inputs: &[&Buffer], output: &mut Buffer) -> Result<(), String> {
        let mut arguments: Vec<Argument<'_>> = inputs.iter().map(|b| Argument::Read(b.view())).collect();
        arguments.push(Argument::Write(output.view_mut()));
        self.kernel.call(&self.sizes, &mut arguments).map_err(|why| why.to_string())
    }
}
