//! Values of every element type at a place: what a program computes of one element.
//!
//! One idea: an expression is drawn for the type that its place wants, and whatever it reads is converted, so
//! types meet everywhere. Integers wrap and have bits, floats have functions, complex numbers have parts.

use super::{BOUNDED, FLOATS, INTEGERS, Scope, Writer};

/// The functions of one float, each a different sequence of operations.
const FUNCTIONS: &[&str] = &[
    "sqrt", "floor", "ceil", "round", "trunc", "sign", "exp", "log1p", "sin", "tanh", "cbrt", "rsqrt", "erf",
    "expm1",
];

/// The operations on two integers.
const OPERATORS: &[&str] = &["+", "-", "*", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];

/// Is it a type of complex numbers?
pub(super) fn is_complex(ty: &str) -> bool {
    ty.starts_with('c')
}

/// A value of one type, as one of another.
fn converted(to: &str, from: &str, value: &str) -> String {
    let part = |ty: &str| if ty == "c64" { "f32" } else { "f64" };
    match (to, from) {
        _ if to == from => value.to_owned(),
        (_, _) if is_complex(to) && is_complex(from) => format!("{to}({value})"),
        (_, _) if is_complex(to) && part(to) == from => format!("{to}({value})"),
        (_, _) if is_complex(to) => format!("{to}({}({value}))", part(to)),
        (_, _) if is_complex(from) && part(from) == to => format!("abs({value})"),
        (_, _) if is_complex(from) => format!("{to}(re({value}))"),
        _ => format!("{to}({value})"),
    }
}

impl Writer<'_> {
    /// Some index term; nothing is known of its range.
    pub(super) fn index(&mut self, scope: &Scope) -> String {
        if self.is_formula {
            return (*self.choices.of(&["0", "1"])).to_owned();
        }
        if scope.indices.is_empty() {
            return (*self.choices.of(&["0", "1", "N - 1", "M"])).to_owned();
        }
        let (i, j) = (self.choices.of(&scope.indices).0.clone(), self.choices.of(&scope.indices).0.clone());
        match self.choices.below(9) {
            0 => format!("{i} + 1"),
            1 => format!("{i} - 1"),
            2 => format!("{i} + {j} - 2"),
            3 => format!("N - 1 - {i}"),
            4 => format!("{i} / 2"),
            5 => format!("({i} + {j}) % 3"),
            _ => i,
        }
    }

    /// Where a dimension of this extent is read, and whether that is certain to be in it.
    fn place(&mut self, scope: &Scope, extent: &str) -> (String, bool) {
        let fitting: Vec<String> =
            scope.indices.iter().filter(|(_, n)| *n == extent).map(|(i, _)| i.clone()).collect();
        let numbers: Vec<String> = scope
            .tensors
            .iter()
            // What is read with a guard has no place in an index.
            .filter(|tensor| {
                BOUNDED.contains(&tensor.ty) && tensor.shape.is_empty() && !tensor.name.contains('?')
            })
            .map(|tensor| tensor.name.clone())
            .collect();
        match self.choices.below(12) {
            0 if !numbers.is_empty() && !self.is_formula => {
                self.saw("number in an index");
                let number = self.choices.of(&numbers).clone();
                let what = self.choices.of(&["% 4", "% 3 - 1", "+ 1"]);
                (format!("index({number}) {what}"), false)
            }
            1 if !self.is_formula => match fitting.first() {
                Some(i) if extent == "N" => {
                    self.saw("element in an index");
                    (format!("k[{i}] {}", self.choices.of(&["% 4", "", "- 1", "/ 2"])), false)
                }
                _ => (self.index(scope), false),
            },
            2..=4 => (self.index(scope), false),
            _ => match fitting.is_empty() {
                true => (self.index(scope), false),
                false => (self.choices.of(&fitting).clone(), true),
            },
        }
    }

    /// An element of some tensor, as this type.
    pub(super) fn read(&mut self, scope: &Scope, ty: &'static str) -> String {
        let last = scope.tensors.len();
        // The newest are read most.
        let newest = !self.choices.one_in(3);
        let at = if newest { last - 1 - self.choices.below(last.min(3)) } else { self.choices.below(last) };
        let tensor = scope.tensors[at].clone();
        let places: Vec<(String, bool)> = tensor.shape.iter().map(|n| self.place(scope, n)).collect();
        let is_certain = places.iter().all(|(_, certain)| *certain);
        let indices: Vec<String> = places.into_iter().map(|(place, _)| place).collect();
        let read = match indices.is_empty() {
            true => tensor.name.clone(),
            false => {
                format!("{}{}[{}]", tensor.name, if is_certain { "" } else { "?" }, indices.join(", "))
            }
        };
        if tensor.ty != ty {
            self.saw("conversion");
        }
        converted(ty, tensor.ty, &read)
    }

    /// A condition, on indices or on data.
    pub(super) fn condition(&mut self, scope: &Scope, depth: u32) -> String {
        let less = depth.saturating_sub(1);
        match self.choices.below(if depth > 0 { 8 } else { 5 }) {
            0 | 1 => {
                let op = *self.choices.of(&["==", "<", "<=", "!=", ">="]);
                let (i, j) = (self.index(scope), self.index(scope));
                format!("{i} {op} {j}")
            }
            2 => self.read(scope, "bool"),
            3 | 4 => {
                let ty = self.ty();
                let op = if is_complex(ty) { "==" } else { *self.choices.of(&["<", "<=", "==", "!=", ">"]) };
                format!("{} {op} {}", self.value(scope, ty, less), self.read(scope, ty))
            }
            5 => format!("({} && {})", self.condition(scope, less), self.condition(scope, less)),
            6 => format!("({} || {})", self.condition(scope, less), self.condition(scope, less)),
            _ => format!("!({})", self.condition(scope, less)),
        }
    }

    fn leaf(&mut self, scope: &Scope, ty: &'static str) -> String {
        match self.choices.below(8) {
            0 if ty != "bool" => {
                let small = *self.choices.of(&["0", "1", "2", "3", "7", "100"]);
                converted(ty, "i32", &format!("i32({small})"))
            }
            1 if ty != "bool" && !scope.indices.is_empty() => {
                let i = self.index(scope);
                converted(ty, "i64", &format!("i64({i})"))
            }
            2 if ty != "bool" && !self.is_formula => {
                self.saw("table");
                let i = self.index(scope);
                let read = match self.choices.below(if scope.indices.is_empty() { 2 } else { 4 }) {
                    0 => "TABLE?[i32(re(s)) & 3]"
                        .replace("re(s)", if is_complex(self.scalar) { "re(s)" } else { "s" }),
                    1 => format!("TABLE[{}]", self.choices.of(&["0", "3"])),
                    _ => format!("TABLE[({i}) % 4]"),
                };
                converted(ty, "u16", &read)
            }
            _ => self.read(scope, ty),
        }
    }

    /// A value of this type.
    pub(super) fn value(&mut self, scope: &Scope, ty: &'static str, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(scope, ty);
        }
        let less = depth - 1;
        match self.choices.below(14) {
            0 | 1 => {
                let p = self.condition(scope, less);
                format!("select({p}, {}, {})", self.value(scope, ty, less), self.value(scope, ty, less))
            }
            2 => {
                self.saw("conversion");
                let other = self.ty();
                let value = self.value(scope, other, less);
                converted(ty, other, &value)
            }
            3 if !self.is_formula => {
                let (name, other) = (self.name("c"), self.ty());
                let bound = self.value(scope, other, less);
                let below = scope.with_tensor(&name, other, &[]);
                format!("(let {name} = {bound}; {})", self.value(&below, ty, less))
            }
            4 if !self.is_formula => self.reduced(scope, ty, less),
            5 if !self.is_formula && self.choices.one_in(2) => {
                self.saw("rounds in a value");
                self.rounds(scope, &[ty], less.min(1)).0
            }
            6 => self.leaf(scope, ty),
            7 if !matches!(ty, "bool") && !is_complex(ty) => {
                self.saw("generic");
                let p = self.condition(scope, 0);
                format!("blend({}, {}, {p})", self.value(scope, ty, less), self.value(scope, ty, less))
            }
            _ => self.operation(scope, ty, less),
        }
    }

    /// An operation of the type.
    fn operation(&mut self, scope: &Scope, ty: &'static str, less: u32) -> String {
        let (a, b) = (self.value(scope, ty, less), self.value(scope, ty, less));
        if is_complex(ty) {
            self.saw("complex");
            return match self.choices.below(8) {
                0 => format!("conj({a})"),
                1 => format!("({a} / {b})"),
                2 | 3 => format!("({a} * {b})"),
                4 => format!("sqrt({a})"),
                5 => format!("({a} - {b})"),
                _ => format!("({a} + {b})"),
            };
        }
        match ty {
            "bool" => format!("({a} {} {b})", self.choices.of(&["&&", "||", "==", "!=", "^", "&"])),
            _ if INTEGERS.contains(&ty) => {
                self.saw("integers");
                match self.choices.below(9) {
                    0 => format!("{}({a}, {b})", self.choices.of(&["min", "max"])),
                    1 => format!("{}({a})", self.choices.of(&["popcount", "clz", "ctz"])),
                    2 if !ty.ends_with("64") => format!("mulhi({a}, {b})"),
                    3 => format!("(~{a})"),
                    4 => format!(
                        "({a} {} {})",
                        self.choices.of(&["<<", ">>"]),
                        self.choices.of(&["1", "3", "7"])
                    ),
                    5 => format!("odd({a})"),
                    6 if ty.starts_with('i') => format!("abs({a})"),
                    _ => format!("({a} {} {b})", self.choices.of(OPERATORS)),
                }
            }
            _ => {
                self.saw("floats");
                match self.choices.below(9) {
                    0 => format!(
                        "{}({a}, {b})",
                        self.choices.of(&["min", "max", "copysign", "hypot", "atan2"])
                    ),
                    1 => format!("{}({a})", self.choices.of(FUNCTIONS)),
                    2 => format!("fma({a}, {b}, {})", self.read(scope, ty)),
                    3 => format!("abs({a})"),
                    4 => format!("({a} / {b})"),
                    5 | 6 => format!("({a} * {b})"),
                    7 => format!("({a} - {b})"),
                    _ => format!("({a} + {b})"),
                }
            }
        }
    }

    /// A reduction to one value.
    pub(super) fn reduced(&mut self, scope: &Scope, ty: &'static str, less: u32) -> String {
        self.saw("reduction");
        let (k, n) = (self.name("k"), *self.choices.of(&["N", "M", "M", "3", "1", "0"]));
        let words: &[&str] = match ty {
            "bool" => &["any", "all"],
            _ if is_complex(ty) => &["sum"],
            _ if FLOATS.contains(&ty) => &["sum", "sum", "max", "min"],
            _ => &["sum", "sum", "prod", "max", "min"],
        };
        let word = *self.choices.of(words);
        format!("({word} {k} < {n} {{ {} }})", self.value(&scope.with_index(&k, n), ty, less))
    }
}
