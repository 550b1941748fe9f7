//! Random programs of all element types at once, and of what users make of them.
//!
//! Beside [`programs`](crate::programs), of one type each: integers that wrap, floats of every width and
//! complex numbers meet by conversions; tuples are summed in monoids with formulas of their own; functions
//! are generic; rounds, scans and recursive tensors have states of several types, which stand in indices. A
//! program lists the kinds that it has, so a test can count them.

mod forms;
mod values;

use crate::choices::Choices;
use std::collections::BTreeSet;

pub(crate) const INTEGERS: &[&str] = &["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
const FLOATS: &[&str] = &["f16", "bf16", "f32", "f64"];
const COMPLEX: &[&str] = &["c64", "c128"];

/// The integers that indices can be.
const BOUNDED: &[&str] = &["i8", "i16", "i32", "i64", "u8", "u16", "u32"];

/// What every program begins with.
const HEAD: &str = "const TABLE: u16[4] = [3, 65535, 0, 40000];
fn blend<E: number>(a: E, b: E, p: bool) -> E { select(p, a + b, max(a, b)) }
fn odd<E: int>(a: E) -> E { (a ^ (a >> 1)) * 3 + popcount(a) }
fn near<E: number>(x: E[L]) -> E[L] { gen i < L { x[i] + x?[i + 1] } }
fn range<E: number>(x: E[L]) -> (least: E, greatest: E) { (min i < L { x[i] }, max i < L { x[i] }) }
";

/// A random program.
#[derive(Clone, Debug)]
pub struct Mixed {
    /// Its text: a function `f`, with parameters `x: [N]`, `y: [N, M]`, `k: [N]`, `z: [M]`, `p: [N]`, `s` and
    /// a size `T`.
    pub text: String,
    /// What is in it.
    pub kinds: BTreeSet<&'static str>,
}

#[derive(Clone)]
struct Tensor {
    name: String,
    ty: &'static str,
    shape: Vec<&'static str>,
}

/// What a place can refer to.
#[derive(Clone, Default)]
struct Scope {
    indices: Vec<(String, &'static str)>,
    tensors: Vec<Tensor>,
}

impl Scope {
    fn with_index(&self, name: &str, extent: &'static str) -> Scope {
        let mut scope = self.clone();
        scope.indices.push((name.to_owned(), extent));
        scope
    }

    fn with_tensor(&self, name: &str, ty: &'static str, shape: &[&'static str]) -> Scope {
        let mut scope = self.clone();
        scope.tensors.push(Tensor { name: name.to_owned(), ty, shape: shape.to_vec() });
        scope
    }
}

struct Writer<'c> {
    choices: &'c mut Choices,
    names: usize,
    kinds: BTreeSet<&'static str>,
    /// Monoids, which stand before the function.
    items: String,
    /// The type of the parameter `s`.
    scalar: &'static str,
    /// In a monoid's formula, which reads its two elements alone.
    is_formula: bool,
}

/// A program of these choices.
pub fn mixed(choices: &mut Choices) -> Mixed {
    let mut writer = Writer {
        choices,
        names: 0,
        kinds: BTreeSet::new(),
        items: HEAD.to_owned(),
        scalar: "",
        is_formula: false,
    };
    let [x, y, s, first, second] = [(); 5].map(|()| writer.ty());
    writer.scalar = s;
    let (k, z) = (*writer.choices.of(BOUNDED), *writer.choices.of(COMPLEX));
    let scope = Scope::default()
        .with_tensor("k", k, &["N"])
        .with_tensor("s", s, &[])
        .with_tensor("z", z, &["M"])
        .with_tensor("p.v", first, &["N"])
        .with_tensor("p.w", second, &["N"])
        .with_tensor("y", y, &["N", "M"])
        .with_tensor("x", x, &["N"]);
    let (result, body) = writer.body(&scope);
    let params = format!(
        "x: {x}[N], y: {y}[N, M], k: {k}[N], z: {z}[M], p: (v: {first}, w: {second})[N], s: {s}, T: size"
    );
    Mixed {
        text: format!("{}fn f({params}) -> {result} {{\n    {body}\n}}\n", writer.items),
        kinds: writer.kinds,
    }
}

impl Writer<'_> {
    fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn saw(&mut self, kind: &'static str) {
        self.kinds.insert(kind);
    }

    fn one(&mut self, of: &[&'static str]) -> &'static str {
        of[self.choices.below(of.len())]
    }

    /// An element type; complex ones more rarely.
    fn ty(&mut self) -> &'static str {
        match self.choices.below(20) {
            0..=9 => self.one(INTEGERS),
            10..=16 => self.one(FLOATS),
            17 => "bool",
            _ => self.one(COMPLEX),
        }
    }

    /// An element type of numbers that have an order.
    fn real(&mut self) -> &'static str {
        if self.choices.one_in(3) { self.one(FLOATS) } else { self.one(INTEGERS) }
    }
}
