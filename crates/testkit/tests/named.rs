//! Indices without ranges: random programs are what the same programs with every range written are, and what sums over all indices say,
//! with operands dense and in formats. `ATL_SEED` and `ATL_CASES` choose the first seed and the number of programs.

use atl_driver::data::Structure;
use atl_driver::show::{Stage, show};
use atl_driver::{Buffer, Compile, Program, backends};
use atl_syntax::Notation;
use atl_testkit::choices::Choices;
use atl_testkit::parallel::in_parallel;
use std::path::PathBuf;

/// Indices, and the sizes that they run over.
const INDICES: [(&str, &str); 4] = [("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")];

struct Operand {
    name: String,
    /// Into [`INDICES`], one for each axis.
    axes: Vec<usize>,
    format: &'static str,
    values: Vec<i64>,
}

enum Expr {
    Read(usize),
    Add(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    /// An index, and what is summed along it, which has a read at it.
    Sum(usize, Box<Expr>),
}

struct World {
    extents: [usize; 4],
    operands: Vec<Operand>,
}

impl World {
    fn random(choices: &mut Choices) -> World {
        let extents = std::array::from_fn(|_| *choices.of(&[0, 1, 2, 3, 3]));
        let operand = |k: usize, choices: &mut Choices| {
            let rank = *choices.of(&[0, 1, 1, 2, 2, 2, 3]);
            let axes: Vec<usize> = (0..rank).map(|_| choices.below(4)).collect();
            let count: usize = axes.iter().map(|axis| extents[*axis]).product();
            let formats: &[&'static str] = match rank {
                1 => &["", "", " as [compressed]"],
                2 => &["", "", " as csr", " as csc", " as dcsr", " as [compressed, dense]"],
                _ => &[""],
            };
            let values = (0..count).map(|_| *choices.of(&[0, 0, 1, 2, -1, 3])).collect();
            let format: &&str = choices.of(formats);
            Operand { name: format!("T{k}"), axes, format, values }
        };
        World { extents, operands: (0..4).map(|k| operand(k, choices)).collect() }
    }

    fn expr(&self, depth: usize, choices: &mut Choices) -> Expr {
        let part = |choices: &mut Choices| Box::new(self.expr(depth - 1, choices));
        match if depth == 0 { 0 } else { choices.below(5) } {
            0 => Expr::Read(choices.below(self.operands.len())),
            1 => Expr::Add(part(choices), part(choices)),
            2 | 3 => Expr::Mul(part(choices), part(choices)),
            _ => {
                let inner = part(choices);
                let mut free = Vec::new();
                self.free(&inner, &mut free);
                if free.is_empty() { *inner } else { Expr::Sum(*choices.of(&free), inner) }
            }
        }
    }

    /// The indices that are read and not summed, each once, in the order in which they are met.
    fn free(&self, e: &Expr, found: &mut Vec<usize>) {
        match e {
            Expr::Read(k) => {
                for axis in &self.operands[*k].axes {
                    if !found.contains(axis) {
                        found.push(*axis);
                    }
                }
            }
            Expr::Add(a, b) | Expr::Mul(a, b) => [a, b].into_iter().for_each(|e| self.free(e, found)),
            Expr::Sum(index, inner) => {
                let mut below = Vec::new();
                self.free(inner, &mut below);
                found.extend(
                    below
                        .into_iter()
                        .filter(|axis| axis != index && !found.contains(axis))
                        .collect::<Vec<_>>(),
                );
            }
        }
    }

    fn value(&self, e: &Expr, at: &mut [usize; 4]) -> i64 {
        match e {
            Expr::Read(k) => {
                let Operand { axes, values, .. } = &self.operands[*k];
                values[axes.iter().fold(0, |flat, axis| flat * self.extents[*axis] + at[*axis])]
            }
            Expr::Add(a, b) => self.value(a, at) + self.value(b, at),
            Expr::Mul(a, b) => self.value(a, at) * self.value(b, at),
            Expr::Sum(index, inner) => {
                let outer = at[*index];
                let terms = (0..self.extents[*index]).map(|k| {
                    at[*index] = k;
                    self.value(inner, at)
                });
                let total = terms.sum();
                at[*index] = outer;
                total
            }
        }
    }

    /// The text, with ranges or without.
    fn text(&self, e: &Expr, ranges: bool) -> String {
        match e {
            Expr::Read(k) => {
                let Operand { name, axes, .. } = &self.operands[*k];
                let indices: Vec<&str> = axes.iter().map(|axis| INDICES[*axis].0).collect();
                if indices.is_empty() { name.clone() } else { format!("{name}[{}]", indices.join(", ")) }
            }
            Expr::Add(a, b) => format!("({} + {})", self.text(a, ranges), self.text(b, ranges)),
            Expr::Mul(a, b) => format!("({} * {})", self.text(a, ranges), self.text(b, ranges)),
            Expr::Sum(index, inner) => {
                format!("(sum {} {{ {} }})", binder(*index, ranges), self.text(inner, ranges))
            }
        }
    }

    fn program(&self, left: &[usize], e: &Expr, ranges: bool) -> String {
        let axes = |axes: &[usize]| match axes {
            [] => String::new(),
            axes => format!("[{}]", axes.iter().map(|axis| INDICES[*axis].1).collect::<Vec<_>>().join(", ")),
        };
        let param = |o: &Operand| format!("{}: f64{}{}", o.name, axes(&o.axes), o.format);
        let params: Vec<String> = self.operands.iter().map(param).collect();
        let binders: Vec<String> = left.iter().map(|index| binder(*index, ranges)).collect();
        let body = match &binders[..] {
            [] => self.text(e, ranges),
            binders => format!("gen {} {{ {} }}", binders.join(", "), self.text(e, ranges)),
        };
        format!("fn f({}) -> f64{} {{ {body} }}", params.join(", "), axes(left))
    }

    fn files(&self, case: u64) -> Vec<(String, PathBuf)> {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("named");
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        let written = self.operands.iter().map(|o| {
            let path = folder.join(format!("{case}-{}.npy", o.name));
            let shape: Vec<usize> = o.axes.iter().map(|axis| self.extents[*axis]).collect();
            let values: Vec<f64> = o.values.iter().map(|v| *v as f64).collect();
            let buffer = Buffer::from_slice(&values, &shape).expect("it is small");
            atl_data::save(&path, &buffer).expect("it can be written");
            (o.name.clone(), path)
        });
        written.collect()
    }
}

fn binder(index: usize, ranges: bool) -> String {
    let (index, size) = INDICES[index];
    if ranges { format!("{index} < {size}") } else { index.to_owned() }
}

fn case(seed: u64) {
    let choices = &mut Choices::new(seed);
    let world = World::random(choices);
    let mut e = world.expr(3, choices);
    let mut left = Vec::new();
    world.free(&e, &mut left);
    for index in std::mem::take(&mut left) {
        if choices.one_in(2) {
            left.push(index);
        } else {
            e = Expr::Sum(index, Box::new(e));
        }
    }
    let [open, ranged] = [false, true].map(|ranges| world.program(&left, &e, ranges));
    let parsed =
        |text: &str| Program::parse("f.atl", text).unwrap_or_else(|why| panic!("seed {seed}: {open}\n{why}"));
    let (program, written) = (parsed(&open), parsed(&ranged));
    let function = program.function(Some("f"), None).expect("it is the only one");
    let body = |program: &Program| {
        show(program, "f", None, Stage::Source, Notation::Ascii, &[]).expect("it was elaborated")
    };
    assert_eq!(body(&program), body(&written), "seed {seed}: {open}");
    let arguments = atl_driver::read_arguments(&program, function, &world.files(seed), &[], Structure::Check)
        .unwrap_or_else(|why| panic!("seed {seed}: {open}\n{why}"));
    let expected: Vec<f64> =
        places(&world, &left).into_iter().map(|mut at| world.value(&e, &mut at) as f64).collect();
    for backend in [&backends::interp::BACKEND, &backends::loops::BACKEND, &backends::cranelift::BACKEND] {
        let result = program
            .scheduled("f", None)
            .and_then(|scheduled| scheduled.lower()?.compile(backend, Default::default()))
            .and_then(|kernel| kernel.call(&arguments.arrays(), &arguments.sizes()).dense())
            .unwrap_or_else(|why| panic!("seed {seed}: {open}\n{why}"));
        let found = result.as_slice::<f64>().expect("it is of that type");
        assert_eq!(found, expected, "seed {seed}, {}: {open} {:?}", backend.name, world.extents);
    }
}

/// Every place of the result, in order.
fn places(world: &World, left: &[usize]) -> Vec<[usize; 4]> {
    left.iter().fold(vec![[0; 4]], |all, index| {
        let each = |at: [usize; 4]| {
            (0..world.extents[*index]).map(move |k| {
                let mut at = at;
                at[*index] = k;
                at
            })
        };
        all.into_iter().flat_map(each).collect()
    })
}

#[test]
fn ranges_that_are_left_out_are_those_of_what_is_read() {
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (first, cases) = (number("ATL_SEED", 0), number("ATL_CASES", 60));
    in_parallel(first..first + cases, case);
}
