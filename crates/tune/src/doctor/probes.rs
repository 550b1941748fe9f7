//! Kernels on which compilers are known to go wrong, or could with flags of others.
//!
//! One idea: a probe is a kernel in the text of loops with made-up arguments, and what it must give is what
//! the interpreter of loops gives. It is printed and compiled like every kernel, once with the flags that are
//! passed and once with the plain ones that one would think of.

use super::trials::{Call, Trial};
use atl_backend_c::{Options, print_kernel};
use atl_loops::interp::{self, Cells, interpret};
use atl_loops::{Access, Literal, Scalar, parse_kernel};

/// The flags that one would think of.
pub const PLAIN: [&str; 6] =
    ["-std=gnu11", "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-fopenmp-simd"];

/// A probe.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Its name.
    pub name: &'static str,
    /// What goes wrong, or might.
    pub about: &'static str,
    /// Which flag it is that keeps it right, where it is one.
    pub avoided: &'static str,
    text: &'static str,
}

/// All probes.
pub const PROBES: &[Probe] = &[
    Probe {
        name: "masked lanes",
        about: "GCC takes one mask for all vectors of conditional reads in a short loop",
        avoided: "-fno-tree-loop-if-convert",
        text: "in bool m[N, 8] in f32 a[N, 8] in f32 b[N, 8] out f32 y[N, 8] {
            for i in 0..N { for c in 0..8 { y[i * 8 + c] = select(m[i * 8 + c], a[i * 8 + c], b[i * 8 + c]) } } }",
    },
    Probe {
        name: "masked channels",
        about: "the same with three channels and a mask of floats",
        avoided: "-fno-tree-loop-if-convert",
        text: "in f32 m[N, 3] in f64 a[N, 3] in f64 b[N, 3] out f64 y[N, 3] {
            for i in 0..N { for c in 0..3 { y[i * 3 + c] = select(0f32 < m[i * 3 + c], a[i * 3 + c], b[i * 3 + c]) } } }",
    },
    Probe {
        name: "permuted lanes",
        about: "GCC drops the permutation of conditional reads in a short loop",
        avoided: "-fno-tree-loop-if-convert",
        text: "in i32 m[N, 8] in f32 a[N, 8] out f32 y[N, 8] {
            for i in 0..N { for c in 0..8 { y[i * 8 + c] = select(0i32 < m[i * 8 + c], a[i * 8 + 7 - c], 2f32) } } }",
    },
    Probe {
        name: "integers between floats",
        about: "GCC 12 takes (float)(int)x for trunc(x), which is -0.0 above -1",
        avoided: "leaving out -fno-trapping-math",
        text: "in f32 a[N] out f32 y[N] { for i in 0..N { y[i] = f32(i64(a[i])) } }",
    },
    Probe {
        name: "narrow floats between wide ones",
        about: "GCC takes (double)(float)x for x where several are lanes of straight code",
        avoided: "-fno-tree-slp-vectorize",
        text: "in f64 a[N] in f64 b[3] out f64 y[N, 2, 3] {
            for o in 0..N { for j in 0..2 { if o * 2 + j < N * 2 {
                unroll for c in 0..3 { y[(o * 2 + j) * 3 + c] = f64(f32(b[c])) } } } } }",
    },
    Probe {
        name: "contraction",
        about: "a product and a sum become one operation with one rounding",
        avoided: "-ffp-contract=off",
        text: "in f32 a[N] in f32 b[N] out f32 y[N] { for i in 0..N { y[i] = a[i] * b[i] + a[i] } }",
    },
    Probe {
        name: "sums and differences of products",
        about: "GCC 12 makes a * b - c and a * b + c lanes of one instruction, which does not round the product",
        avoided: "-ffp-contract=off, and a barrier around products",
        text: "in f64 a[N, 2] in f64 b[N, 2] in f64 c[N, 2] out f64 y[N, 2] {
            for i in 0..N { y[i * 2] = a[i * 2] * b[i * 2] - c[i * 2]
                y[i * 2 + 1] = a[i * 2 + 1] * b[i * 2 + 1] + c[i * 2 + 1] } }",
    },
    Probe {
        name: "signs of zeros",
        about: "GCC 12 takes 0 - x for -x where x is a converted integer, a magnitude, or a choice among such",
        avoided: "a function that such an x is passed through",
        text: "in i32 a[N] in f64 b[N] out f64 y[N, 4] {
            for i in 0..N { y[i * 4] = 0f64 - f64(a[i] * (a[i] - a[i])) y[i * 4 + 1] = 0f64 - abs(b[i] * 0f64)
                y[i * 4 + 2] = -1f64 * f64(a[i] * 0i32) + 0f64 y[i * 4 + 3] = 0f64 - select(a[i] < 0i32, 0f64, f64(a[i])) } }",
    },
    Probe {
        name: "order of sums",
        about: "a sum of floats is added in another order",
        avoided: "no flag of -ffast-math",
        text: "in f32 a[N] out f32 y[1] { alloc register f32 s = 0f32 { for i in 0..N { s += a[i] } y[0] = s } }",
    },
    Probe {
        name: "excess precision",
        about: "a product of floats is kept in more bits than it has",
        avoided: "no flag of -ffast-math",
        text: "in f32 a[N] in f32 b[N] out f64 y[N] { for i in 0..N { y[i] = f64(a[i] * b[i] / 3f32) } }",
    },
    Probe {
        name: "denormals",
        about: "small numbers are flushed to zero",
        avoided: "no flag of -ffast-math",
        text: "in f32 a[N] out f32 y[N] { for i in 0..N { y[i] = a[i] * 1e-38f32 * 0.01f32 } }",
    },
    Probe {
        name: "NaN in comparisons",
        about: "minima and selections treat NaN, or zeros of both signs, as if there were none",
        avoided: "no flag of -ffast-math",
        text: "in f64 a[N] in f64 b[N] out f64 y[N] {
            for i in 0..N { y[i] = select(a[i] < b[i] / (b[i] - b[i]), min(a[i], b[i] * 0f64), max(b[i] * 0f64, a[i])) } }",
    },
    Probe {
        name: "signed sums side by side",
        about: "GCC 12 takes lanes of a vector for several sums before it has added the lanes up",
        avoided: "-fno-tree-loop-vectorize",
        text: "in i32 a[N, 2] out i32 y[1] { alloc register i32 s = 1i32 { alloc register i32 t = 1i32 {
            for i in 0..N { s += a[i * 2] t += a[i * 2 + 1] } y[0] = s + t } } }",
    },
    Probe {
        name: "wrapping integers",
        about: "a sum, product or negation that leaves 32 bits is taken for one that cannot",
        avoided: "arithmetic without signs",
        text: "in i32 a[N] out i32 y[N] {
            for i in 0..N { y[i] = select(a[i] * 715827883i32 + 2147483647i32 < a[i], -(a[i] * 65536i32 * 32768i32), abs(a[i])) } }",
    },
    Probe {
        name: "division of integers",
        about: "by zero and by -1, and rounding down below zero",
        avoided: "checks before the division",
        text: "in i32 a[N] in i32 b[N] out i32 y[N] {
            for i in 0..N { y[i] = a[i] * 268435456i32 / (b[i] / 2i32) + i32(a[i] / 3i32) } }",
    },
    Probe {
        name: "bytes",
        about: "arithmetic of bytes is done in integers and cut off late",
        avoided: "conversions at each operation",
        text: "in u8 a[N] in u8 b[N] out u8 y[N] {
            for i in 0..N { y[i] = select(a[i] * 31u8 + b[i] < b[i], a[i] * b[i], a[i] / b[i]) } }",
    },
    Probe {
        name: "floats to integers",
        about: "numbers that do not fit, and NaN, become whatever the processor has",
        avoided: "checks before the conversion",
        text: "in f64 a[N] out i32 y[N] { for i in 0..N { y[i] = i32(a[i] * 1e9f64 / (a[i] - 1f64)) } }",
    },
    Probe {
        name: "memory of two types",
        about: "scratch that held integers holds floats, and reads of one are moved past stores of the other",
        avoided: "scratch of its own for each buffer",
        text: "in i32 a[N] out f32 y[N] {
            alloc heap i32 t[N] uninit { for i in 0..N { t[i] = a[i] * 3i32 }
            alloc heap f32 u[N] uninit { for i in 0..N { u[i] = f32(t[i]) } for i in 0..N { y[i] = u[i] * 0.5f32 } } } }",
    },
];

/// The sizes of the calls: none, fewer than a vector has lanes, and more than any unrolled vectors, with some
/// iterations left over and with none.
const SIZES: [i64; 4] = [0, 3, 133, 136];

impl Probe {
    /// The probe as a trial; its number makes its name.
    ///
    /// # Errors
    /// Its text is no kernel, which a test excludes.
    pub fn trial(&self, number: usize) -> Result<Trial, String> {
        let text = format!("kernel probe_{number}(N) {}", self.text);
        let kernel = parse_kernel(&text).map_err(|why| format!("{}: {why}", self.name))?;
        let source =
            print_kernel(&kernel, &Options::default()).map_err(|why| format!("{}: {why:?}", self.name))?;
        let mut calls = Vec::new();
        for n in SIZES {
            let cells = |extents: &[atl_loops::Int]| {
                extents.iter().map(|extent| extent.constant().unwrap_or(n)).product::<i64>()
            };
            let inputs = kernel.params.iter().filter(|param| param.access == Access::Read);
            let inputs: Vec<Cells> = inputs
                .enumerate()
                .map(|(k, param)| {
                    let count = cells(&param.extents);
                    let values: Vec<Literal> =
                        (0..count).map(|at| element(at * 7 + 3 * k as i64, param.scalar)).collect();
                    Cells::from_literals(param.scalar, &values)
                })
                .collect();
            let outputs = interpret(&kernel, &[n], &inputs, interp::Options::default());
            let outputs = outputs.map_err(|why| format!("{}: {why}", self.name))?;
            let expected = outputs.first().ok_or_else(|| format!("{} computes nothing", self.name))?;
            let scalar = expected.scalar();
            calls.push(Call {
                sizes: vec![n],
                inputs: inputs.iter().map(bytes).collect(),
                expected: bytes(expected),
                elem: scalar,
            });
        }
        Ok(Trial { source, calls })
    }
}

/// Some element: small numbers of both signs, with fractions where there are any.
fn element(at: i64, scalar: Scalar) -> Literal {
    let small = at.wrapping_mul(at + 5) % 19 - 9;
    match scalar {
        Scalar::Bool => Literal::Bool(small % 3 == 0),
        _ if scalar.is_float() => Literal::F64(small as f64 * 0.3).convert(scalar),
        _ => Literal::i64(small).convert(scalar),
    }
}

fn bytes(cells: &Cells) -> Vec<u8> {
    let size = cells.scalar().size();
    cells.literals().iter().flat_map(|value| value.bits().to_le_bytes()[..size].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_probe_is_a_kernel_with_something_to_see() {
        for (k, probe) in PROBES.iter().enumerate() {
            let trial = probe.trial(k).unwrap_or_else(|why| panic!("{why}"));
            let last = trial.calls.last().expect("calls");
            assert!(last.expected.iter().any(|byte| *byte != last.expected[0]), "{}", probe.name);
        }
    }
}
