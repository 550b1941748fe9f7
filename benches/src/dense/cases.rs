//! The functions that are raced, and at which sizes: a table.
//!
//! A case names functions of the examples that compute the same from the same arrays; every schedule of each
//! takes part. To add one: a line here, its C in `dense/plain`, and what others make of it in `dense/peers`.

use crate::race::native::Plain;
use atl_driver::Rounding;

/// Functions to race.
pub(crate) struct Case {
    /// What it is called, also by `--only` and by the peers.
    pub(crate) name: &'static str,
    /// The example's file, and the function.
    pub(crate) programs: &'static [(&'static str, &'static str)],
    /// The names of the sizes, in the order in which C takes them.
    pub(crate) sizes: &'static [&'static str],
    /// The values.
    pub(crate) at: &'static [&'static [i64]],
    /// The shapes of the arrays at such sizes, the last one that of the result.
    pub(crate) shapes: fn(&[i64]) -> Vec<Vec<i64>>,
    /// How many products and sums there are to do.
    pub(crate) flops: fn(&[i64]) -> f64,
    /// The C to beat.
    pub(crate) plain: &'static [Plain],
    /// How much results may differ, by the greater of one and the result. Arrays hold eighths: sums are
    /// exact.
    pub(crate) tolerance: f32,
}

macro_rules! plain {
    ($name:literal, $file:literal, $rounding:ident) => {
        Plain {
            name: $name,
            source: include_str!(concat!("../../dense/plain/", $file, ".c")),
            rounding: Rounding::$rounding,
        }
    };
}

fn product(sizes: &[i64]) -> f64 {
    sizes.iter().map(|n| *n as f64).product()
}

/// The number of products of a valid convolution: sizes are the batch, the channels, the picture's extents,
/// the filters and theirs.
fn of_convolution(s: &[i64], results: f64) -> f64 {
    let rank = (s.len() - 3) / 2;
    2.0 * results * s[1] as f64 * product(&s[3 + rank..])
}

/// Interpolation along one axis after the other.
fn factored(s: &[i64]) -> f64 {
    let (q, p, e) = (s[0] as f64, s[1] as f64, s[2] as f64);
    2.0 * e * (q * p * p * p + q * q * p * p + q * q * q * p)
}

/// Every case.
pub(crate) const CASES: &[Case] = &[
    Case {
        name: "blur",
        programs: &[("blur.atl", "blur")],
        sizes: &["N", "M"],
        at: &[&[2000, 2000], &[4000, 4000]],
        shapes: |s| vec![s.to_vec(); 2],
        flops: |s| 5.0 * product(s),
        plain: &[
            plain!("two stages", "blur_two_stage", Bitwise),
            plain!("fused", "blur_fused", Bitwise),
            plain!("fused, edges apart", "blur_edges_apart", Bitwise),
        ],
        tolerance: 1e-6,
    },
    Case {
        name: "matmul",
        programs: &[("matmul.atl", "matmul")],
        sizes: &["M", "K", "N"],
        at: &[
            &[512, 512, 512],
            &[1024, 1024, 1024],
            &[2048, 2048, 2048],
            &[511, 511, 511],
            &[1000, 1000, 1000],
            &[1023, 1023, 1023],
        ],
        shapes: |s| vec![vec![s[0], s[1]], vec![s[1], s[2]], vec![s[0], s[2]]],
        flops: |s| 2.0 * product(s),
        plain: &[plain!("ikj", "matmul_ikj", Real)],
        tolerance: 0.0,
    },
    Case {
        name: "conv1d",
        programs: &[("conv_layers.atl", "conv1d_layer"), ("im2col.atl", "correlate")],
        sizes: &["B", "C", "W", "K", "R"],
        // 1024 results a row.
        at: &[&[16, 64, 1026, 64, 3]],
        shapes: |s| vec![vec![s[0], s[1], s[2]], vec![s[3], s[1], s[4]], vec![s[0], s[3], s[2] - s[4] + 1]],
        flops: |s| of_convolution(s, product(&[s[0], s[3], s[2] - s[4] + 1])),
        plain: &[plain!("row by row", "conv1d_layer", Real)],
        tolerance: 0.0,
    },
    Case {
        name: "conv2d",
        programs: &[("conv_layers.atl", "conv2d_layer")],
        sizes: &["B", "C", "H", "W", "K", "R", "S"],
        // 56 by 56 results.
        at: &[&[1, 64, 58, 58, 64, 3, 3]],
        shapes: |s| {
            let results = vec![s[0], s[4], s[2] - s[5] + 1, s[3] - s[6] + 1];
            vec![vec![s[0], s[1], s[2], s[3]], vec![s[4], s[1], s[5], s[6]], results]
        },
        flops: |s| of_convolution(s, product(&[s[0], s[4], s[2] - s[5] + 1, s[3] - s[6] + 1])),
        plain: &[plain!("row by row", "conv2d_layer", Real)],
        tolerance: 0.0,
    },
    Case {
        name: "add",
        programs: &[("elementwise.atl", "add")],
        sizes: &["N"],
        at: &[&[4_000_000]],
        shapes: |s| vec![s.to_vec(); 3],
        flops: product,
        plain: &[plain!("as written", "add", Bitwise)],
        tolerance: 0.0,
    },
    Case {
        name: "multiply_add",
        programs: &[("elementwise.atl", "multiply_add")],
        sizes: &["N"],
        at: &[&[4_000_000]],
        shapes: |s| vec![s.to_vec(); 4],
        flops: |s| 2.0 * product(s),
        plain: &[plain!("as written", "multiply_add", Real)],
        tolerance: 0.0,
    },
    Case {
        name: "interpolate",
        programs: &[("interpolation.atl", "interpolate")],
        sizes: &["Q", "P", "E"],
        at: &[&[4, 4, 10_000], &[8, 8, 10_000], &[12, 12, 10_000], &[16, 16, 10_000]],
        shapes: |s| {
            let cube = |n: i64| vec![s[2], n, n, n];
            vec![vec![s[0], s[1]], cube(s[1]), cube(s[0])]
        },
        flops: factored,
        plain: &[plain!("factored", "interpolate", Real)],
        tolerance: 1e-4,
    },
    Case {
        name: "softmax",
        programs: &[("softmax.atl", "softmax")],
        sizes: &["N", "M"],
        at: &[&[4096, 1024]],
        shapes: |s| vec![s.to_vec(); 2],
        // Greatest, difference, exponential, sum, quotient.
        flops: |s| 5.0 * product(s),
        plain: &[plain!("three passes", "softmax", Real)],
        tolerance: 1e-5,
    },
    Case {
        name: "layer_norm",
        programs: &[("layer_norm.atl", "layer_norm")],
        sizes: &["N", "M"],
        at: &[&[4096, 1024]],
        shapes: |s| vec![s.to_vec(), vec![s[1]], vec![s[1]], s.to_vec()],
        flops: |s| 8.0 * product(s),
        plain: &[plain!("three passes", "layer_norm", Real)],
        tolerance: 1e-4,
    },
];
