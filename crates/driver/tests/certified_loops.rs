//! The loops that a file for Rocq has are those that C is printed from: its text is read back and run, and what it stores is
//! compared, cell by cell and in order, with the interpreter's run of the kernel.

use crate::programs::{CARRIED, DIAGONALS};
use atl_driver::Program;
use atl_driver::certify::{Claims, certify};
use atl_kernel::Scalar;
use atl_loops::interp::{Cells, Event, Options, RunError, observe};
use atl_loops::{Access, IntOp, Kernel, StoreMode};
use std::collections::{BTreeMap, BTreeSet};

/// A term of Rocq, as its parentheses have it.
#[derive(Clone, Debug)]
enum Term {
    Word(String),
    List(Vec<Term>),
}

/// The terms up to the closing parenthesis or bracket, or the end.
fn terms(words: &mut std::vec::IntoIter<String>) -> Vec<Term> {
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "(" | "[" => found.push(Term::List(terms(words))),
            ")" | "]" => break,
            _ => found.push(Term::Word(word)),
        }
    }
    found
}

fn words(text: &str) -> std::vec::IntoIter<String> {
    let mut spaced = String::new();
    for c in text.chars() {
        match c {
            '(' | ')' | '[' | ']' => spaced.extend([' ', c, ' ']),
            ';' => spaced.push(' '),
            c => spaced.push(c),
        }
    }
    spaced.split_whitespace().map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// A store: the buffer, the cell, and whether it replaces.
type Stores = Vec<(String, i64, bool)>;

/// The text at work.
struct Run {
    indices: BTreeMap<String, i64>,
    /// What index terms read.
    arrays: BTreeMap<String, Vec<i64>>,
    buffers: BTreeMap<String, Vec<f64>>,
    stores: Stores,
}

impl Run {
    fn word(term: &Term) -> &str {
        match term {
            Term::Word(word) => word.trim_matches('"'),
            Term::List(_) => panic!("a word is expected, not {term:?}"),
        }
    }

    /// A term in parentheses of its own, or the one in several.
    fn parts(term: &Term) -> &[Term] {
        match term {
            Term::List(parts) => match parts.as_slice() {
                [one @ Term::List(_)] => Run::parts(one),
                parts => parts,
            },
            Term::Word(_) => std::slice::from_ref(term),
        }
    }

    fn of_integers(f: &str, a: i64, b: i64) -> i64 {
        match f {
            "Z.min" => a.min(b),
            "Z.max" => a.max(b),
            "+" | "Z.add" => a + b,
            "-" | "Z.sub" => a - b,
            "*" | "Z.mul" => a * b,
            "/" | "Z.div" => IntOp::Div.apply(a, b).unwrap(),
            "mod" | "Z.modulo" => IntOp::Mod.apply(a, b).unwrap(),
            other => panic!("{other}"),
        }
    }

    fn int(&self, term: &Term) -> i64 {
        let parts = Run::parts(term);
        match parts {
            [Term::Word(word)] => word.parse().unwrap_or_else(|_| self.indices[word]),
            [Term::Word(at), b, i] if at == "At" => {
                self.arrays[Run::word(b)][usize::try_from(self.int(i)).unwrap()]
            }
            [Term::Word(calc), f, a, b] if calc == "Calc" => {
                Run::of_integers(Run::word(f), self.int(a), self.int(b))
            }
            [Term::Word(f), a, b] if f.starts_with("Z.") => Run::of_integers(f, self.int(a), self.int(b)),
            [a, op, b] => Run::of_integers(Run::word(op), self.int(a), self.int(b)),
            _ => panic!("{term:?}"),
        }
    }

    fn bool(&self, term: &Term) -> bool {
        match Run::parts(term) {
            [Term::Word(not), p] if not == "negb" || not == "Negate" => !self.bool(p),
            [Term::Word(both), p, q] if both == "Both" => self.bool(p) && self.bool(q),
            [Term::Word(either), p, q] if either == "Either" => self.bool(p) || self.bool(q),
            [Term::Word(compare), f, a, b] if compare == "Compare" => {
                let (a, b) = (self.int(a), self.int(b));
                match Run::word(f) {
                    "Z.ltb" => a < b,
                    "Z.leb" => a <= b,
                    "Z.eqb" => a == b,
                    other => panic!("{other}"),
                }
            }
            [a, Term::Word(op), b] => match op.as_str() {
                "&&" => self.bool(a) && self.bool(b),
                "||" => self.bool(a) || self.bool(b),
                "<?" => self.int(a) < self.int(b),
                "<=?" => self.int(a) <= self.int(b),
                "=?" => self.int(a) == self.int(b),
                other => panic!("{other}"),
            },
            _ => panic!("{term:?}"),
        }
    }

    fn constant(term: &Term) -> f64 {
        match Run::parts(term) {
            [Term::Word(word), _] if word == "zero" => 0.0,
            [Term::Word(word), _] if word == "one" => 1.0,
            _ => panic!("{term:?}"),
        }
    }

    fn operation(term: &Term, a: f64, b: f64) -> f64 {
        match Run::parts(term) {
            [Term::Word(word), _] if word == "add" => a + b,
            [Term::Word(word), _] if word == "mul" => a * b,
            _ => panic!("{term:?}"),
        }
    }

    fn value(&self, term: &Term) -> f64 {
        let parts = Run::parts(term);
        match (Run::word(&parts[0]), &parts[1..]) {
            ("Const", [c]) => Run::constant(c),
            ("OfInt", [_, i]) => self.int(i) as f64,
            ("Load", [b, i]) => self.buffers[Run::word(b)][usize::try_from(self.int(i)).unwrap()],
            ("Binary", [f, a, b]) => Run::operation(f, self.value(a), self.value(b)),
            ("Choose", [p, a, b]) => self.value(if self.bool(p) { a } else { b }),
            _ => panic!("{term:?}"),
        }
    }

    fn begin(&mut self, b: &str, cells: usize, init: &Term) {
        let value = match Run::parts(init) {
            [Term::Word(some), c] if some == "Some" => Run::constant(c),
            _ => f64::NAN,
        };
        self.buffers.insert(b.to_owned(), vec![value; cells]);
    }

    fn run(&mut self, term: &Term) {
        let parts = Run::parts(term).to_vec();
        match (Run::word(&parts[0]), &parts[1..]) {
            ("Skip", []) => {}
            ("Seq", [p, q]) => {
                self.run(p);
                self.run(q);
            }
            ("For", [lo, hi, f]) => {
                let [_, var, _, body @ ..] = Run::parts(f) else { panic!("{f:?}") };
                for i in self.int(lo)..self.int(hi) {
                    self.indices.insert(Run::word(var).to_owned(), i);
                    self.run(&Term::List(body.to_vec()));
                }
            }
            ("If", [p, a, b]) => self.run(if self.bool(p) { a } else { b }),
            ("Alloc", [b, s, init, p]) => {
                let Term::List(extents) = s else { panic!("{s:?}") };
                let cells = extents.iter().map(|n| usize::try_from(self.int(n).max(0)).unwrap()).product();
                self.begin(Run::word(b), cells, init);
                self.run(p);
            }
            ("Reset", [b, init]) => {
                let cells = self.buffers[Run::word(b)].len();
                self.begin(Run::word(b), cells, init);
            }
            ("Forget", [b, lo, hi]) => {
                let cells = usize::try_from(self.int(lo)).unwrap()..usize::try_from(self.int(hi)).unwrap();
                self.buffers.get_mut(Run::word(b)).unwrap()[cells].fill(f64::NAN);
            }
            (store @ ("Store" | "Update"), rest) => {
                let (f, [b, i, v]) = (rest.first(), &rest[rest.len() - 3..]) else { panic!("{term:?}") };
                let (b, i, v) = (Run::word(b), self.int(i), self.value(v));
                let cell = &mut self.buffers.get_mut(b).unwrap()[usize::try_from(i).unwrap()];
                *cell = if store == "Store" { v } else { Run::operation(f.unwrap(), *cell, v) };
                self.stores.push((b.to_owned(), i, store == "Store"));
            }
            other => panic!("{other:?}"),
        }
    }
}

/// The elements of a buffer of floats.
fn reals(cells: &Cells) -> Option<Vec<f64>> {
    match cells {
        Cells::F32(cells) => Some(cells.iter().copied().map(f64::from).collect()),
        Cells::F64(cells) => Some(cells.clone()),
        _ => None,
    }
}

/// The integers of a buffer.
fn integers(cells: &Cells) -> Option<Vec<i64>> {
    match cells {
        Cells::I32(cells) => Some(cells.iter().copied().map(i64::from).collect()),
        Cells::I64(cells) => Some(cells.clone()),
        _ => None,
    }
}

/// The values of the inputs at these sizes. Lists of positions have two for each row, as far as there are any, and their columns
/// are the first two.
fn inputs(kernel: &Kernel, sizes: &[i64]) -> Option<Vec<Cells>> {
    let counts = kernel.cell_counts(sizes).ok()?;
    let coordinates = kernel.params.iter().position(|param| param.name.as_str().ends_with("_crd"));
    let stored = coordinates.map_or(0, |at| counts[at] as i64);
    let read = kernel.params.iter().zip(counts).filter(|(param, _)| param.access == Access::Read);
    let real = |k: usize, n: usize| ((k * 5 + n) % 11) as f64 - 4.0;
    read.map(|(param, n)| {
        Some(match param.scalar {
            Scalar::F32 => Cells::F32((0..n).map(|k| real(k, n) as f32).collect()),
            Scalar::F64 => Cells::F64((0..n).map(|k| real(k, n)).collect()),
            Scalar::I64 => Cells::I64((0..n).map(|q| stored.min(2 * q as i64)).collect()),
            Scalar::I32 => Cells::I32((0..n).map(|p| p as i32 % 2).collect()),
            _ => return None,
        })
    })
    .collect()
}

/// The kernel's run: its stores, and the output.
fn of_kernel(kernel: &Kernel, sizes: &[i64], inputs: &[Cells]) -> Option<(Stores, Vec<f64>)> {
    let mut stores = Stores::new();
    let outputs = observe(kernel, sizes, inputs, Options::default(), &mut |event| {
        if let Event::Stored { buf, index, mode } = event {
            stores.push((buf.to_string(), i64::try_from(index).unwrap(), mode == StoreMode::Set));
        }
    });
    match outputs.map(|mut outputs| outputs.remove(0)) {
        Ok(output) => Some((stores, reals(&output)?)),
        Err(RunError::Refused(_) | RunError::Unmet(_)) => None,
        other => panic!("{other:?}"),
    }
}

/// The text's run.
fn of_text(text: &str, kernel: &Kernel, sizes: &[i64], inputs: &[Cells]) -> (Stores, Vec<f64>) {
    let body = text.split("Definition kernel").nth(1).and_then(|rest| rest.split(":=").nth(1)).unwrap();
    let body = body.split(".\n\n").next().unwrap();
    let mut run = Run {
        indices: BTreeMap::new(),
        arrays: BTreeMap::new(),
        buffers: BTreeMap::new(),
        stores: Vec::new(),
    };
    for line in text.lines().filter_map(|line| line.strip_prefix("Variable ")?.strip_suffix(" : Z.")) {
        let name = line.rsplit_once('_').unwrap().0;
        let at = kernel.sizes.iter().position(|size| size.as_str() == name).unwrap();
        run.indices.insert(line.to_owned(), sizes[at]);
    }
    let mut inputs = inputs.iter();
    let counts = kernel.cell_counts(sizes).unwrap();
    for (param, count) in kernel.params.iter().zip(counts) {
        let name = param.name.to_string();
        let given = (param.access == Access::Read).then(|| inputs.next().unwrap());
        match given.map(|cells| (reals(cells), integers(cells))) {
            None => drop(run.buffers.insert(name, vec![f64::NAN; count])),
            Some((Some(cells), _)) => drop(run.buffers.insert(name, cells)),
            Some((_, Some(cells))) => drop(run.arrays.insert(name, cells)),
            Some(_) => panic!("{name}"),
        }
    }
    run.run(&Term::List(terms(&mut words(body))));
    let output = kernel.params.last().unwrap().name.to_string();
    (run.stores, run.buffers.remove(&output).unwrap())
}

/// How many of some sizes were compared, of an example.
fn check(path: &str, function: Option<&str>, schedule: &str) -> usize {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let program = atl_driver::load(format!("{root}/{path}")).unwrap_or_else(|e| panic!("{e}"));
    check_program(&program, path, function, schedule)
}

fn check_program(program: &Program, path: &str, function: Option<&str>, schedule: &str) -> usize {
    let exported =
        certify(program, function, Some(schedule), Claims::Loops).unwrap_or_else(|e| panic!("{e}"));
    let function = program.function(function, Some(schedule)).unwrap().name.clone();
    let lowered = program.scheduled(&function, Some(schedule)).and_then(|s| s.lower());
    let kernel = lowered.unwrap_or_else(|e| panic!("{e}")).ready.kernel;
    let mut compared = 0;
    for base in 0..6i64 {
        let sizes: Vec<i64> = (0..kernel.sizes.len()).map(|k| (base + 3 * k as i64) % 6).collect();
        let Some(inputs) = inputs(&kernel, &sizes) else { continue };
        let Some(expected) = of_kernel(&kernel, &sizes, &inputs) else { continue };
        let found = of_text(&exported.text, &kernel, &sizes, &inputs);
        assert_eq!(found.0, expected.0, "{path} {schedule} at {sizes:?}");
        assert_eq!(found.1, expected.1, "{path} {schedule} at {sizes:?}");
        compared += 1;
    }
    compared
}

#[test]
fn the_exported_loops_store_what_the_kernel_stores() {
    for (path, schedule) in [
        ("examples/derivations/matmul.atl", "tiled"),
        ("examples/derivations/blur.atl", "two_stage_tails"),
        ("examples/derivations/pipeline.atl", "staged"),
        ("examples/derivations/gather.atl", "gather"),
        ("examples/derivations/im2col.atl", "windows"),
        ("examples/derivations/convolution.atl", "picked"),
        ("examples/matmul.atl", "rows"),
        ("examples/matmul.atl", "registers"),
        ("examples/matmul.atl", "packed"),
    ] {
        assert!(check(path, None, schedule) >= 2, "{path} {schedule}");
    }
    for (function, schedule) in
        [("spmv", "rows"), ("spmv", "early"), ("spmv_csc", "columns"), ("spmm", "rows"), ("spmspv", "rows")]
    {
        assert!(check("examples/sparse.atl", Some(function), schedule) >= 1, "{function} {schedule}");
    }
}

#[test]
fn exported_loops_carry_windows() {
    let program = Program::parse("two.atl", CARRIED).unwrap_or_else(|e| panic!("{e}"));
    assert!(check_program(&program, "two.atl", None, "carried") >= 3);
}

#[test]
fn exported_loops_go_along_diagonals() {
    let program = Program::parse("diagonals.atl", DIAGONALS).unwrap_or_else(|e| panic!("{e}"));
    assert!(check_program(&program, "diagonals.atl", Some("sheared"), "direct") >= 1);
    assert!(check_program(&program, "diagonals.atl", Some("unsheared"), "direct") >= 1);
}

/// Padding that is dropped right away is in no loop.
#[test]
fn exported_loops_store_no_padding_that_is_dropped() {
    let text = "
fn right(a: f32[N], k: size) -> f32[N] { trunc_r(k, pad_r(k, gen i < N { a[i] + a[i] })) }
fn left(a: f32[N], k: size) -> f32[N] { trunc_l(k, pad_l(k, gen i < N { a[i] + a[i] })) }
fn more(a: f32[N]) -> f32[N - 1] where 1 <= N { trunc_r(3, pad_r(2, gen i < N { [i < N - 1] * (a[i] + a[i]) })) }
fn first(a: f32[N]) -> f32[N - 1] where 1 <= N { trunc_l(3, pad_l(2, gen i < N { [1 <= i] * (a[i] + a[i]) })) }
fn slanted(a: f32[N, M]) -> f32[N, M] where 0 < N, 0 < M {
    unshear(N, M, shear(gen i < N, j < M { a[i, j] + a[i, j] }))
}
schedule direct of right { rounding bitwise; }
schedule direct of left { rounding bitwise; }
schedule direct of more { rounding bitwise; }
schedule direct of first { rounding bitwise; }
schedule direct of slanted { rounding bitwise; }
";
    let program = Program::parse("padded.atl", text).unwrap_or_else(|e| panic!("{e}"));
    for function in ["right", "left", "more", "first", "slanted"] {
        assert!(check_program(&program, "padded.atl", Some(function), "direct") >= 1, "{function}");
    }
}

#[test]
fn a_program_s_names_are_no_names_of_the_file() {
    let text = "fn f(step: f32[3], operator: f32[3], trunc_r_operator: size, h: size, by: f32[trunc_r_operator], lit: f32[h]) \
                -> f32[trunc_r_operator] where h == trunc_r_operator \
                { gen free < trunc_r_operator { by[free] + lit[free] + step[0] + operator[1] } }
                schedule s of f { split free by 2; split free.o by 4; }";
    let program = Program::parse("names.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let exported = certify(&program, Some("f"), Some("s"), Claims::Loops).unwrap_or_else(|e| panic!("{e}"));
    let mut declared = BTreeSet::new();
    for line in exported.text.lines() {
        let mut words = line.split([' ', '(']);
        let keyword = words.next().unwrap_or_default();
        let names = match keyword {
            "Definition" | "Lemma" | "Theorem" | "Hypothesis" => words.take(1).collect::<Vec<_>>(),
            "Variable" | "Variables" => words.take_while(|word| *word != ":").collect(),
            _ => continue,
        };
        for name in names {
            assert!(declared.insert(name.to_owned()), "`{name}` is declared twice:\n{}", exported.text);
        }
    }
    assert!(declared.contains("step'1") && declared.len() > 20, "{declared:?}");
}
