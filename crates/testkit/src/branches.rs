//! Random programs of short constant axes, masks of every width, selections, conversions and reductions.
//!
//! What they are for: compilers unroll such axes, turn the branches into vectors, and go wrong where vectors of a condition
//! and of what it chooses differ in width. One idea: everything is an expression at one point `(i, c)`, of a long axis of
//! size `N` and a short one of a constant `C`, over arrays that are laid out in all ways in which two indices can be.

use crate::array::Array;
use crate::choices::Choices;
use crate::oracle::Arguments;
use atl_lang::Function;

/// A program with one function `f`, and perhaps a schedule `s` of it.
#[derive(Clone, Debug)]
pub struct Branches {
    /// The function.
    pub text: String,
    /// The steps of a schedule; it may be refused.
    pub schedule: Option<&'static str>,
    short: usize,
}

const TYPES: [&str; 13] =
    ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"];

/// The extents of the short axis, the usual ones more often.
const SHORT: [usize; 24] = [1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13, 15, 16, 17];

/// The values of `N` for which a program is run: small ones, ones around vectors, ones beyond every vector and unrolling.
const LONG: [&[i64]; 3] =
    [&[0, 1, 2, 3], &[4, 5, 7, 8, 9, 15, 16, 17, 31, 33], &[63, 64, 65, 100, 129, 257, 300]];

const SCHEDULES: [&str; 8] = [
    "split i by 8; peel; unroll i.i;",
    "split i by 4; peel; unroll i.i;",
    "split i by 3; unroll i.i;",
    "split i by 16; peel;",
    "unroll c;",
    "reorder c, i;",
    "parallel i;",
    "split i by 2; peel; unroll i.i; unroll c;",
];

/// How an array is laid out: its extents, and its index at `(i, c)`.
struct Layout {
    extents: &'static str,
    index: &'static str,
    /// The same a step away, where it may be outside.
    beside: &'static str,
    reversed: &'static str,
}

const LAYOUTS: [Layout; 6] = [
    Layout { extents: "N, C", index: "i, c", beside: "i - 1, c", reversed: "i, C - 1 - c" },
    Layout { extents: "N, C", index: "i, c", beside: "i, c + 1", reversed: "N - 1 - i, c" },
    Layout { extents: "N * C", index: "i * C + c", beside: "i * C + c + 1", reversed: "i * C + C - 1 - c" },
    Layout { extents: "C, N", index: "c, i", beside: "c, i + 1", reversed: "C - 1 - c, i" },
    Layout { extents: "N", index: "i", beside: "i + c - 1", reversed: "N - 1 - i" },
    Layout { extents: "C", index: "c", beside: "c + 2", reversed: "C - 1 - c" },
];

struct Writer<'c> {
    choices: &'c mut Choices,
    arrays: Vec<(String, &'static str, &'static Layout)>,
}

/// The program of this seed.
pub fn branches(choices: &mut Choices) -> Branches {
    let short = *choices.of(&SHORT);
    let elem = *choices.of(&TYPES[1..]);
    let mut writer = Writer { choices, arrays: Vec::new() };
    for name in ["m", "k"] {
        let ty = *writer.choices.of(&TYPES);
        writer.array(name, ty);
    }
    for name in ["a", "b"] {
        let ty = if writer.choices.one_in(4) { *writer.choices.of(&TYPES[1..]) } else { elem };
        writer.array(name, ty);
    }
    // Something gives `N`.
    writer.arrays.push(("x".to_owned(), elem, &LAYOUTS[0]));
    let depth = 1 + writer.choices.below(3);
    let (shape, body) = writer.body(elem, depth);
    let params: Vec<String> =
        writer.arrays.iter().map(|(name, ty, layout)| format!("{name}: {ty}[{}]", layout.extents)).collect();
    let text = format!("fn f({}) -> {elem}{shape} {{\n    {body}\n}}\n", params.join(", "));
    let schedule = writer.choices.one_in(2).then(|| *writer.choices.of(&SCHEDULES));
    Branches { text: constant(&text, short), schedule, short }
}

/// The text with the short axis' extent put in; `C` is part of no other name.
fn constant(text: &str, short: usize) -> String {
    text.replace('C', &short.to_string())
}

impl Branches {
    /// The program as a file, with its schedule or without.
    pub fn file(&self, scheduled: bool) -> String {
        match self.schedule.filter(|_| scheduled) {
            Some(steps) => format!("{}schedule s of f {{ {steps} }}\n", self.text),
            None => self.text.clone(),
        }
    }

    /// Arguments for it, with one `N` of each kind of length.
    pub fn arguments(&self, function: &Function, choices: &mut Choices) -> Vec<(i64, Arguments)> {
        let lengths = LONG.map(|lengths| *choices.of(lengths));
        lengths.iter().map(|n| (*n, self.at(function, *n as usize, choices))).collect()
    }

    fn at(&self, function: &Function, n: usize, choices: &mut Choices) -> Arguments {
        let c = self.short;
        let arrays = function.params.iter().map(|param| {
            let from = self.text.find(&format!("{}: ", param.name)).unwrap_or_default();
            let extents = self.text[from..].split(['[', ']']).nth(1).unwrap_or_default();
            let number = |text: &str| match text.trim() {
                "N" => n,
                text if text.starts_with("N *") => n * c,
                _ => c,
            };
            let shape: Vec<usize> = extents.split(',').map(number).collect();
            (param.name.clone(), Array::random(param.ty.elem, &shape, choices))
        });
        Arguments { sizes: vec![], arrays: arrays.collect() }
    }
}

impl Writer<'_> {
    fn array(&mut self, name: &str, ty: &'static str) {
        let layout = self.choices.of(&LAYOUTS);
        self.arrays.push((name.to_owned(), ty, layout));
    }

    /// The extents of the result and the function's body.
    fn body(&mut self, elem: &'static str, depth: usize) -> (&'static str, String) {
        match self.choices.below(10) {
            // Compilers conclude signs of zeros from forms.
            9 if elem.starts_with('f') => {
                let (x, y) = (self.value(elem, 1), self.read(elem));
                let c = self.condition(0);
                let from_zero = format!(
                    "0 - {elem}(i), 0 - abs({y}), -1 * {elem}(i) + 0, 0 - {elem}({c}), 0 - select({c}, 0, {elem}(i)), 0 - {x}, 0 - 2 * select({c}, 1, 0), 0 - ({elem}({c}) + 0) / 2"
                );
                ("[N, C, 8]", format!("gen i < N, c < C {{ [{from_zero}] }}"))
            }
            // Compilers have one instruction for a difference beside a sum, and one that fuses products with them.
            8 if elem.starts_with('f') => {
                let [p, q, r] = [(); 3].map(|()| self.read(elem));
                let at = |sign: &str, c: &str| format!("{p} * {q} {sign} {r}").replace('c', c);
                ("[N, 2]", format!("gen i < N {{ [{}, {}] }}", at("-", "0"), at("+", "(C - 1)")))
            }
            0 => {
                let (word, value) = self.reduced(elem, depth);
                ("[N]", format!("gen i < N {{ {word} c < C {{ {value} }} }}"))
            }
            1 => {
                let (word, value) = self.reduced(elem, depth);
                ("[C]", format!("gen c < C {{ {word} i < N {{ {value} }} }}"))
            }
            2 => {
                let (word, value) = self.reduced(elem, depth);
                ("", format!("{word} i < N, c < C {{ {value} }}"))
            }
            3 => {
                let (first, second) = (self.value(elem, depth), self.value(elem, 1));
                let named =
                    format!("let t = gen c < C {{ {first} }}; gen c < C {{ t[C - 1 - c] + {second} }}");
                ("[N, C]", format!("gen i < N {{ {named} }}"))
            }
            4 => ("[C, N]", format!("gen c < C, i < N {{ {} }}", self.value(elem, depth))),
            _ => ("[N, C]", format!("gen i < N, c < C {{ {} }}", self.value(elem, depth))),
        }
    }

    fn reduced(&mut self, elem: &'static str, depth: usize) -> (&'static str, String) {
        (*self.choices.of(&["sum", "sum", "max", "min"]), self.value(elem, depth))
    }

    /// An element of some array at the point, beside it, or opposite to it.
    fn read(&mut self, ty: &str) -> String {
        let (name, found, layout) = &self.arrays[self.choices.below(self.arrays.len())];
        let read = match self.choices.below(6) {
            0 => format!("{name}?[{}]", layout.beside),
            1 => format!("{name}[{}]", layout.reversed),
            _ => format!("{name}[{}]", layout.index),
        };
        if *found == ty { read } else { format!("{ty}({read})") }
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.choices.below(if depth > 0 { 9 } else { 6 }) {
            0..=2 => {
                let place = self.choices.below(2);
                let (name, ty, layout) = &self.arrays[place];
                let read = format!("{name}[{}]", layout.index);
                if *ty == "bool" { read } else { format!("{read} {} 0", self.choices.of(&[">", "==", "!="])) }
            }
            3 => {
                let ty = *self.choices.of(&TYPES[1..]);
                format!("{} {} {}", self.read(ty), self.choices.of(&["<", "<=", "=="]), self.read(ty))
            }
            4 => {
                (*self.choices.of(&["c < 2", "i + c < N", "(i + c) % 3 == 0", "c != 1", "2 <= i"])).to_owned()
            }
            5 => self.read("bool"),
            6 => format!("({}) && ({})", self.condition(depth - 1), self.condition(depth - 1)),
            7 => format!("({}) || ({})", self.condition(depth - 1), self.condition(depth - 1)),
            _ => format!("!({})", self.condition(depth - 1)),
        }
    }

    fn value(&mut self, ty: &'static str, depth: usize) -> String {
        if depth == 0 {
            return match self.choices.below(6) {
                0 => format!("{ty}({})", self.choices.of(&["0", "1", "3", "c", "i"])),
                _ => self.read(ty),
            };
        }
        let less = depth - 1;
        let (a, b) = (self.value(ty, less), self.value(ty, less));
        match self.choices.below(9) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} * {b})"),
            2 => format!("{}({a}, {b})", self.choices.of(&["min", "max"])),
            3 => {
                let other = *self.choices.of(&TYPES[1..]);
                format!("{ty}({})", self.value(other, less))
            }
            _ => format!("select({}, {a}, {b})", self.condition(less)),
        }
    }
}
