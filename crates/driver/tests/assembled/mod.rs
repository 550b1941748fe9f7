//! Results in formats: every back end gives the arrays of the dense result, packed; and they are well formed.
//!
//! Here is what compares them. The programs stand by what they try: blocks, the order of terms, programs of the literature, and the
//! arrays themselves.

mod arrays;
mod blocks;
mod copies;
mod orders;
mod programs;

use atl_driver::backends::{self, Backend};
use atl_driver::sparse::packed;
use atl_driver::{Buffer, Compile, Compiled, Failure, Memory, Output, Program, SparseResult};
use atl_loops::interp::{Cells, Options, interpret};
use atl_loops::{Stmt, Storage};
use atl_runtime::Tensor;

/// Choices that a seed determines.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// Small integers, of which this number in 8 are not zero; some rows have none.
    fn tensor(&mut self, shape: &[usize], full: usize) -> Buffer {
        let row = shape.last().copied().unwrap_or(1).max(1);
        let (count, mut cells) = (shape.iter().product(), Vec::new());
        while cells.len() < count {
            let empty = self.below(4) == 0;
            for _ in 0..row {
                let stored = !empty && self.below(8) < full;
                cells.push(if stored { self.below(9) as f64 - 4.0 } else { 0.0 });
            }
        }
        cells.truncate(count);
        Buffer::from_slice(&cells, shape).unwrap()
    }
}

fn usable() -> Vec<&'static Backend> {
    backends::TABLE.iter().copied().filter(|b| b.name != "interp" && (b.unavailable)().is_none()).collect()
}

/// The same for a program that is one of many like it: the C compiler takes most of the time, and is tried
/// on every second one, unless `ATL_ASSEMBLED` is 1.
fn taking_turns(program: &str, seed: u64) -> Vec<&'static Backend> {
    let all = std::env::var("ATL_ASSEMBLED").is_ok_and(|all| all == "1");
    let compiled = all || (program.len() as u64 + seed).is_multiple_of(2);
    usable().into_iter().filter(|b| compiled || b.name != "c").collect()
}

/// The function on tensors by name.
fn call(kernel: &Compiled, tensors: &[(&str, Buffer)]) -> Result<Option<SparseResult>, Failure> {
    let (mut arrays, mut sizes) = (Vec::new(), Vec::new());
    for (name, tensor) in tensors {
        let Some(param) = kernel.signature().operand(name) else {
            arrays.push(((*name).to_owned(), tensor.clone()));
            continue;
        };
        let found = packed(kernel.signature(), param, &Tensor::Dense(tensor.clone())).unwrap();
        arrays.extend(found.arrays);
        sizes.extend(found.sizes);
    }
    sizes.sort();
    sizes.dedup();
    let views: Vec<_> = arrays.iter().map(|(name, array)| (name.as_str(), array.view())).collect();
    let sizes: Vec<_> = sizes.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    kernel.call(&views, &sizes).sparse()
}

/// A tensor by name, and which sizes its extents are.
type Param = (&'static str, &'static [usize]);

/// The shapes of the tensors of a call.
type Shapes<'s> = Vec<(&'s str, Vec<usize>)>;

/// Every back end gives the arrays that the meaning has, packed, whether the function is scheduled or not.
fn check(text: &str, steps: &str, shapes: &[(&str, Vec<usize>)], seed: u64) {
    check_each(text, steps, &[shapes.to_vec()], seed);
}

/// The same for several calls of what is compiled once.
fn check_each(text: &str, steps: &str, calls: &[Shapes<'_>], seed: u64) {
    let text = format!("{text} schedule s of f {{ {steps} }}");
    let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut random = Random(seed);
    let mut tensors = |shapes: &Shapes<'_>| -> Vec<_> {
        let full = random.below(4) + 1;
        shapes.iter().map(|(name, shape)| (name.to_string(), random.tensor(shape, full))).collect()
    };
    let calls: Vec<Vec<(String, Buffer)>> = calls.iter().map(&mut tensors).collect();
    let schedules = if steps.is_empty() { vec![None] } else { vec![None, Some("s")] };
    let mut expected: Vec<SparseResult> = Vec::new();
    for schedule in schedules {
        let lowered = program.scheduled("f", schedule).and_then(|scheduled| scheduled.lower());
        let lowered = lowered.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let found = |backend: &'static Backend| -> Vec<SparseResult> {
            let kernel = lowered.compile(backend, Default::default()).unwrap_or_else(|e| panic!("{e}"));
            let one = |tensors: &Vec<(String, Buffer)>| {
                let tensors: Vec<_> = tensors.iter().map(|(name, t)| (name.as_str(), t.clone())).collect();
                let found =
                    call(&kernel, &tensors).unwrap_or_else(|e| panic!("{}: {e}\n{text}", backend.name));
                let found = found.expect("the result has a format");
                // The walk over the arrays that the boundary makes.
                found.entries().unwrap_or_else(|why| panic!("{}: {why}\n{text}", backend.name));
                found
            };
            calls.iter().map(one).collect()
        };
        let meaning = found(&backends::interp::BACKEND);
        if expected.is_empty() {
            expected.clone_from(&meaning);
        }
        for found in taking_turns(&text, seed).into_iter().map(found).chain([meaning]) {
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.arrays, expected.arrays, "{text}\n{}", lowered.kernel);
            }
        }
    }
}

const SIZES: [[usize; 3]; 6] = [[0, 3, 2], [3, 0, 4], [1, 1, 1], [5, 7, 3], [4, 9, 0], [8, 5, 6]];
const FORMATS: [&str; 6] = ["csr", "csc", "dcsr", "dcsc", "coo", "csf"];

/// Matrices of all sizes, with these extents by the number of the size.
fn of_all_sizes<'s>(params: &[(&'s str, &[usize])]) -> Vec<Shapes<'s>> {
    let shapes = |sizes: [usize; 3]| {
        let shape = |axes: &[usize]| axes.iter().map(|axis| sizes[*axis]).collect();
        params.iter().map(|(name, axes)| (*name, shape(axes))).collect()
    };
    SIZES.into_iter().map(shapes).collect()
}
