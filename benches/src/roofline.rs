//! Bounds for the machine, measured in the same rounds as what they bound.
//!
//! `copy` reads and writes as many cells as the blur must; `fma` does fused products and sums in registers alone. A
//! percentage of such a roofline says what is left to gain; both are loops that this compiler made, not a data sheet.

use crate::contender::{Author, Code, Contender};
use crate::native::Plain;
use atl_driver::{Buffer, DType, Rounding};

/// What bounds a program, and the work that its call does.
#[derive(Clone, Copy)]
pub(crate) enum Roofline {
    /// Moving these many bytes.
    Copy(f64),
    /// These many floating-point operations.
    Fma(f64),
}

const COPY: Plain = Plain {
    name: "copy",
    source: include_str!("../plain/roof_copy.c"),
    sizes: 1,
    shapes: |s| vec![vec![s[0]], vec![s[0]]],
    rounding: Rounding::Real,
};

const FMA: Plain = Plain {
    name: "fma",
    source: include_str!("../plain/roof_fma.c"),
    sizes: 2,
    shapes: |s| vec![vec![1], vec![s[0]]],
    rounding: Rounding::Real,
};

/// Operations of one step of one chunk: 16 chains of 16 lanes, a product and a sum each.
const FMA_STEP: f64 = 512.0;

/// Chunks, a number that threads can share; and their steps.
const FMA_SIZES: [i64; 2] = [16, 100_000];

/// Cells for the copy: the blur's arrays.
const COPY_CELLS: usize = 4_000_000;

impl Roofline {
    /// What a rate of this kind is counted in, and how many there are in one.
    pub(crate) fn unit(self) -> (&'static str, f64) {
        match self {
            Roofline::Copy(_) => ("GB/s", 1e9),
            Roofline::Fma(_) => ("GFLOP/s", 1e9),
        }
    }

    /// The work of the program.
    pub(crate) fn work(self) -> f64 {
        match self {
            Roofline::Copy(work) | Roofline::Fma(work) => work,
        }
    }

    /// The work of the bound's own loop.
    pub(crate) fn own_work(self) -> f64 {
        match self {
            Roofline::Copy(_) => 8.0 * COPY_CELLS as f64,
            Roofline::Fma(_) => FMA_STEP * FMA_SIZES.iter().map(|n| *n as f64).product::<f64>(),
        }
    }

    /// An array for it to read.
    pub(crate) fn input(self) -> Result<Buffer, String> {
        let cells = match self {
            Roofline::Copy(_) => COPY_CELLS,
            Roofline::Fma(_) => 1,
        };
        Buffer::from_vec(vec![0.125f32; cells], &[cells]).map_err(|why| why.to_string())
    }

    /// The loop, to run beside the programs.
    pub(crate) fn contender(self, input: &Buffer, threads: usize) -> Result<Contender<'_>, String> {
        let (plain, sizes) = match self {
            Roofline::Copy(_) => (COPY, vec![COPY_CELLS as i64]),
            Roofline::Fma(_) => (FMA, FMA_SIZES.to_vec()),
        };
        let cells = usize::try_from(sizes[0]).map_err(|why| why.to_string())?;
        Ok(Contender {
            name: plain.name.to_owned(),
            author: Author::Roofline,
            code: Code::Native(plain.load(&sizes, threads)?, vec![input]),
            output: Buffer::zeros(DType::F32, &[cells]).map_err(|why| why.to_string())?,
            times: Vec::new(),
        })
    }
}
