//! The derivations of the literature: they run, and their results are the literature's, construct by construct.
//!
//! `examples/derivations/README.md` holds the table of constructs that [`table`] makes; with `UPDATE_EXPECT=1` the test
//! writes it.

use atl_driver::backends::{self, Backend};
use atl_driver::count::{Counts, count};
use atl_driver::{Lowered, Program};
use atl_lang::SizeSource;
use atl_testkit::array::Array;
use atl_testkit::choices::Choices;
use atl_testkit::oracle::{Arguments, Outcome, agree, replay};
use std::path::PathBuf;

/// Values of sizes, by name.
type Sizes = &'static [(&'static str, i64)];

/// A program that the literature derives.
struct Derivation {
    title: &'static str,
    file: &'static str,
    function: &'static str,
    schedule: Option<&'static str>,
    /// `gen`, `++`, truncations, `transpose`, `flatten`, `split`, as the literature counts them.
    literature: Option<[usize; 6]>,
    /// Why the counts differ, where they do.
    remark: &'static str,
    sizes: &'static [Sizes],
}

const BLUR: &[Sizes] =
    &[&[("N", 2), ("M", 2)], &[("N", 3), ("M", 7)], &[("N", 8), ("M", 2)], &[("N", 6), ("M", 9)]];
const MATMUL: &[Sizes] = &[
    &[("M", 8), ("K", 2), ("N", 8), ("T", 4)],
    &[("M", 7), ("K", 3), ("N", 10), ("T", 4)],
    &[("M", 0), ("K", 2), ("N", 3), ("T", 2)],
    &[("M", 1), ("K", 0), ("N", 5), ("T", 3)],
];
const WINDOWS: &[Sizes] = &[
    &[("B", 2), ("C", 2), ("L", 7), ("K", 3), ("R", 3), ("W", 5)],
    &[("B", 1), ("C", 1), ("L", 1), ("K", 1), ("R", 1), ("W", 1)],
    &[("B", 2), ("C", 0), ("L", 4), ("K", 1), ("R", 2), ("W", 3)],
];
const SCATTER: &[Sizes] = &[
    &[("B", 2), ("C", 2), ("W", 6), ("K", 3), ("R", 3)],
    &[("B", 1), ("C", 1), ("W", 2), ("K", 1), ("R", 5)],
    &[("B", 1), ("C", 2), ("W", 0), ("K", 1), ("R", 1)],
];
const PIPELINE: &[Sizes] =
    &[&[("N", 12), ("K", 4)], &[("N", 13), ("K", 4)], &[("N", 1), ("K", 3)], &[("N", 0), ("K", 1)]];
const TENSORS: &[Sizes] = &[
    &[("A", 2), ("C", 3), ("B", 4), ("D", 5)],
    &[("A", 1), ("C", 1), ("B", 1), ("D", 1)],
    &[("A", 0), ("C", 2), ("B", 3), ("D", 1)],
];
const TILES: &[Sizes] = &[
    &[("N", 8), ("M", 12), ("S", 4), ("T", 4)],
    &[("N", 7), ("M", 9), ("S", 2), ("T", 3)],
    &[("N", 10), ("M", 13), ("S", 3), ("T", 4)],
    &[("N", 1), ("M", 1), ("S", 5), ("T", 2)],
    &[("N", 0), ("M", 3), ("S", 1), ("T", 1)],
];

const MIDDLES: &[Sizes] = &[
    &[("N", 10), ("M", 14), ("S", 4), ("T", 4)],
    &[("N", 7), ("M", 9), ("S", 2), ("T", 3)],
    &[("N", 10), ("M", 13), ("S", 3), ("T", 4)],
    &[("N", 2), ("M", 5), ("S", 2), ("T", 1)],
    &[("N", 3), ("M", 2), ("S", 5), ("T", 2)],
];

macro_rules! derivations {
    ($($title:literal: $file:literal $function:literal $schedule:expr, $literature:expr, $remark:literal, $sizes:expr;)*) => {
        &[$(Derivation {
            title: $title, file: $file, function: $function, schedule: $schedule, literature: $literature,
            remark: $remark, sizes: $sizes,
        }),*]
    };
}

const DERIVATIONS: &[Derivation] = derivations! {
    "Pipeline": "pipeline" "pipeline" None, None, "", PIPELINE;
    "Pipeline, fused": "pipeline" "pipeline" Some("fused"), None, "", PIPELINE;
    "Pipeline, tiled and staged": "pipeline" "pipeline" Some("staged"), None, "", PIPELINE;
    "Scatter": "gather" "scatter" None, Some([3, 0, 0, 0, 0, 0]), "", SCATTER;
    "Gather": "gather" "scatter" Some("gather"), Some([3, 0, 0, 0, 0, 0]), "", SCATTER;
    "Gather in one dimension": "gather" "scatter_1d" Some("gather_1d"), None, "", &[
        &[("W", 6), ("R", 3)], &[("W", 1), ("R", 4)], &[("W", 0), ("R", 1)]];
    "Im2col, convolution": "im2col" "correlate" None, Some([3, 0, 0, 0, 0, 0]), "", WINDOWS;
    "Im2col, matrix": "im2col" "correlate" Some("windows"), Some([7, 0, 0, 0, 0, 0]), "", WINDOWS;
    "Im2col in one dimension": "im2col" "correlate_1d" Some("windows_1d"), None, "", &[
        &[("L", 7), ("K", 3), ("R", 3)], &[("L", 1), ("K", 1), ("R", 4)], &[("L", 0), ("K", 2), ("R", 1)]];
    "Convolution with an impulse": "convolution" "shift" Some("picked"), None, "", &[
        &[("M", 3), ("N", 7)], &[("M", 5), ("N", 2)], &[("M", 4), ("N", 0)]];
    "Matmul": "matmul" "matmul" None, Some([2, 0, 0, 0, 0, 0]), "", MATMUL;
    "Tiled matmul": "matmul" "matmul" Some("tiled"), Some([4, 0, 2, 1, 2, 0]), "", MATMUL;
    "Tiled matmul with tails": "matmul" "matmul" Some("tails"), Some([10, 2, 2, 1, 2, 0]), "", MATMUL;
    "Two-stage blur": "blur" "blur" None, Some([4, 0, 0, 0, 0, 0]), "", BLUR;
    "Two-stage blur with tails": "blur" "blur" Some("two_stage_tails"), None, "", BLUR;
    "Fused blur": "blur" "blur" Some("fused"), Some([2, 0, 0, 0, 0, 0]), "", BLUR;
    "Fused blur with tails": "blur" "blur" Some("fused_tails"), Some([8, 4, 0, 0, 0, 0]), "", BLUR;
    "Tiled and staged blur with tails": "blur" "blur_tiles" Some("staged"), Some([21, 6, 3, 7, 3, 0]),
        "By three directives, `tile`, `compute`, `peel`: the image's edges lie in tiles too, each with its own window of row \
         sums, where the literature tiles the middle of the image only and keeps four strips apart. That is five staged \
         tiles instead of one, and two `++` fewer.", TILES;
    "Tiled and staged blur with tails, by rewrites": "blur" "blur_tiles" Some("by_rewrites"), Some([21, 6, 3, 7, 3, 0]), "",
        MIDDLES;
    "Tensor product": "elementwise" "product" None, Some([4, 0, 0, 0, 0, 0]), "", TENSORS;
    "Tensor product, flattened": "elementwise" "product" Some("flattened"), Some([1, 0, 0, 0, 0, 3]), "", TENSORS;
};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/derivations")
}

fn program(d: &Derivation) -> Program {
    atl_driver::load(root().join(format!("{}.atl", d.file))).unwrap_or_else(|e| panic!("{e}"))
}

/// The constructs that the literature counts.
fn constructs(counts: &Counts) -> [usize; 6] {
    let of = |names: &[&str]| names.iter().filter_map(|name| counts.get(name)).sum();
    [
        of(&["gen"]),
        of(&["concat"]),
        of(&["trunc_l", "trunc_r"]),
        of(&["transpose"]),
        of(&["flatten"]),
        of(&["split"]),
    ]
}

/// The table of constructs, as Markdown.
fn table() -> String {
    let mut text =
        "| program | function, schedule | gen | `++` | trunc | transpose | flatten | split | literature |\n\
                    |---|---|---|---|---|---|---|---|---|\n"
            .to_owned();
    let mut remarks = String::new();
    for d in DERIVATIONS {
        let found = constructs(&count(&program(d), d.function, d.schedule).unwrap_or_else(|e| panic!("{e}")));
        let numbers = found.map(|n| n.to_string()).join(" | ");
        let literature = match d.literature {
            None => "not counted".to_owned(),
            Some(counts) if counts == found => "the same".to_owned(),
            Some(counts) => {
                assert!(!d.remark.is_empty(), "{}: {found:?}, and the literature has {counts:?}", d.title);
                remarks.push_str(&format!("\n**{}.** {}\n", d.title, d.remark));
                counts.map(|n| n.to_string()).join("/")
            }
        };
        let schedule = d.schedule.map_or(String::new(), |s| format!(", `{s}`"));
        text.push_str(&format!("| {} | `{}`{schedule} | {numbers} | {literature} |\n", d.title, d.function));
    }
    text + &remarks
}

#[test]
fn the_constructs_are_those_of_the_literature() {
    let (path, table) = (root().join("README.md"), table());
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let (head, old) = text.split_once("\n| program").unwrap_or((&text, ""));
    if table == format!("| program{old}") {
        return;
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, format!("{}\n\n{table}", head.trim_end())).unwrap_or_else(|e| panic!("{e}"));
        return;
    }
    panic!("the table in {} is another; UPDATE_EXPECT=1 writes it:\n{table}", path.display());
}

/// Random arguments of these sizes.
fn arguments(lowered: &Lowered, sizes: Sizes, choices: &mut Choices) -> Arguments {
    let value = |name: &str| sizes.iter().find(|(n, _)| *n == name).map(|(_, v)| *v);
    let function = &lowered.function;
    let level = |l: u32| function.sizes.iter().find(|s| s.level == l).and_then(|s| value(&s.name));
    let arrays = function.params.iter().map(|p| {
        let extent = |n| atl_arith::eval_ix(n, &level).and_then(|n| usize::try_from(n).ok());
        let shape: Option<Vec<usize>> = p.ty.shape.iter().map(extent).collect();
        let shape = shape.unwrap_or_else(|| panic!("no size of {} in {sizes:?}", p.name));
        (p.name.clone(), Array::random(p.ty.elem, &shape, choices))
    });
    let given = function.sizes.iter().filter(|s| s.source == SizeSource::Argument);
    let scalars = given.filter_map(|s| Some((s.name.clone(), value(&s.name)?)));
    Arguments { sizes: scalars.collect(), arrays: arrays.collect() }
}

#[test]
fn they_compute_what_the_source_computes() {
    let all: &[&'static Backend] =
        &[&backends::loops::BACKEND, &backends::cranelift::BACKEND, &backends::c::BACKEND];
    let all: Vec<&'static Backend> = all.iter().copied().filter(|b| (b.unavailable)().is_none()).collect();
    for d in DERIVATIONS {
        let lowered = program(d)
            .scheduled(d.function, d.schedule)
            .and_then(|s| s.lower())
            .unwrap_or_else(|e| panic!("{}: {e}", d.title));
        replay(&lowered.theorem).unwrap_or_else(|e| panic!("{}: {e}", d.title));
        let mut choices = Choices::new(7);
        for sizes in d.sizes {
            match agree(&lowered, &all, &arguments(&lowered, sizes, &mut choices)) {
                Ok(_) => {}
                Err(Outcome::Refused(failure)) => panic!("{} at {sizes:?}: {failure}", d.title),
                Err(Outcome::Wrong(why)) => panic!("{} at {sizes:?}: {why}", d.title),
            }
        }
    }
}
