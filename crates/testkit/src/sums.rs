//! Random programs of sums over operands in formats: what `auto` has rules for.
//!
//! Beside [`programs`](crate::programs), whose operands are dense: sums stand in loops that do not change
//! them, below guards, choices and `let`s; operands are stored by rows, by columns, in blocks and as lists;
//! rounds read a matrix along its rows and its columns. Sizes are `N`, `M` and `K`; in programs of rounds a
//! matrix is square.

use crate::choices::Choices;

/// The element types.
const ELEMENTS: &[&str] = &["f64", "f64", "f32", "f32", "i32", "u8", "min_plus<f32>", "or_and<bool>"];

/// The formats of a matrix.
const MATRICES: &[&str] = &[
    "",
    "csr",
    "csr",
    "csr",
    "csc",
    "csc",
    "dcsr",
    "coo",
    "bcsr(2, 3)",
    "bcsr(4, 4)",
    "[dense, compressed]",
];

#[derive(Clone, Copy, PartialEq)]
enum Algebra {
    /// Quotients, roots, `min` and `max`.
    Floats,
    /// `min` and `max`.
    Integers,
    /// `+` and `*` only.
    Semiring,
}

/// What a place can read: its loops and tensors, and the numbers that `let`s bind.
#[derive(Clone)]
struct Scope {
    loops: Vec<(String, &'static str)>,
    tensors: Vec<(String, Vec<&'static str>)>,
    bound: Vec<String>,
}

struct Writer<'c> {
    choices: &'c mut Choices,
    algebra: Algebra,
    columns: &'static str,
    names: usize,
}

/// A random program.
#[derive(Clone, Debug)]
pub struct Sums {
    /// Its text: one function, `f`.
    pub text: String,
    /// Its operands, with their shapes.
    pub operands: Vec<(&'static str, Vec<&'static str>)>,
}

/// A program of these choices.
pub fn sums(choices: &mut Choices) -> Sums {
    let elem = *choices.of(ELEMENTS);
    let algebra = match elem {
        _ if elem.contains('<') => Algebra::Semiring,
        _ if elem.starts_with('f') => Algebra::Floats,
        _ => Algebra::Integers,
    };
    let has_rounds = choices.one_in(4);
    let m = if has_rounds { "N" } else { "M" };
    let mut params = Vec::new();
    let mut operands = Vec::new();
    let shapes: [(&str, &[&'static str]); 7] = [
        ("A", &["N", m]),
        ("B", &["N", m]),
        ("x", &[m]),
        ("y", &["N"]),
        ("z", &["K"]),
        ("U", &["N", "K"]),
        ("s", &[]),
    ];
    for (name, shape) in shapes {
        let format = match name {
            "A" => choices.of(MATRICES),
            "B" if choices.one_in(3) => choices.of(MATRICES),
            "x" if choices.one_in(6) => "[compressed]",
            _ => "",
        };
        let axes = if shape.is_empty() { String::new() } else { format!("[{}]", shape.join(", ")) };
        let stored = if format.is_empty() { String::new() } else { format!(" as {format}") };
        params.push(format!("{name}: {elem}{axes}{stored}"));
        operands.push((name, shape.to_vec()));
    }
    let tensors = operands.iter().map(|(name, shape)| ((*name).to_owned(), shape.clone())).collect();
    let scope = Scope { loops: vec![], tensors, bound: vec![] };
    let mut writer = Writer { choices, algebra, columns: m, names: 0 };
    let (shape, body) = if has_rounds { writer.rounds(&scope) } else { writer.result(&scope) };
    let result = if shape.is_empty() { elem.to_owned() } else { format!("{elem}[{}]", shape.join(", ")) };
    Sums { text: format!("fn f({}) -> {result} {{\n    {body}\n}}\n", params.join(", ")), operands }
}

impl Writer<'_> {
    fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn result(&mut self, scope: &Scope) -> (Vec<&'static str>, String) {
        let m = self.columns;
        let shapes =
            [vec![], vec!["N"], vec!["N"], vec![m], vec!["N", m], vec!["N", m], vec![m, "N"], vec!["N", "K"]];
        let shape = self.choices.of(&shapes).clone();
        let body = self.array(scope, &shape, 4);
        (shape, body)
    }

    /// Rounds over a vector, whose steps read the matrices.
    fn rounds(&mut self, scope: &Scope) -> (Vec<&'static str>, String) {
        let (round, state, i) = (self.name("t"), self.name("r"), self.name("i"));
        let count = *self.choices.of(&["0", "1", "3", "K"]);
        let mut last = scope.clone();
        last.tensors.push((state.clone(), vec!["N"]));
        let step = self.array(&last, &["N"], 3);
        let value = match self.choices.below(3) {
            0 => self.array(&last, &["N"], 1),
            _ => state.clone(),
        };
        let start = *self.choices.of(&["x", "y"]);
        let from = format!("{state} = gen {i} < N {{ {start}[{i}] }}");
        (vec!["N"], format!("iterate {round} < {count} from {from} {{ {step} }} in {value}"))
    }

    fn array(&mut self, scope: &Scope, shape: &[&'static str], depth: u32) -> String {
        let mut inside = scope.clone();
        for extent in shape {
            let name = self.name("i");
            inside.loops.push((name, extent));
        }
        let term = self.term(&inside, depth);
        match &inside.loops[..] {
            [] => term,
            loops => {
                let loops: Vec<String> = loops.iter().map(|(name, n)| format!("{name} < {n}")).collect();
                format!("gen {} {{ {term} }}", loops.join(", "))
            }
        }
    }

    fn predicate(&mut self, scope: &Scope) -> String {
        let Some((i, _)) = scope.loops.last() else { return "2 < N".to_owned() };
        let j = &self.choices.of(&scope.loops).0;
        match self.choices.below(5) {
            0 => format!("{j} < {i}"),
            1 => format!("{i} <= {j} + 1"),
            2 => format!("{j} == 3"),
            3 => format!("({i} + {j}) % 2 == 0"),
            _ => format!("{i} != {j}"),
        }
    }

    fn reduction(&mut self, scope: &Scope, less: u32) -> String {
        let (word, k) = (self.word(), self.name("k"));
        let extent = *self.choices.of(&["N", self.columns, self.columns, "K"]);
        let mut inside = scope.clone();
        inside.loops.push((k.clone(), extent));
        format!("({word} {k} < {extent} {{ {} }})", self.term(&inside, less))
    }

    fn word(&mut self) -> &'static str {
        match self.algebra {
            Algebra::Semiring => "sum",
            _ => self.choices.of::<&'static str>(&["sum", "sum", "sum", "sum", "max", "min"]),
        }
    }

    fn term(&mut self, scope: &Scope, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(scope);
        }
        let less = depth - 1;
        match self.choices.below(13) {
            0 | 1 => format!("({} * {})", self.leaf(scope), self.term(scope, less)),
            2 => format!("({} * {})", self.term(scope, less), self.term(scope, less)),
            3 => format!("({} + {})", self.term(scope, less), self.term(scope, less)),
            4..=6 => self.reduction(scope, less),
            7 | 8 => {
                // A sum that some of the loops around do not change.
                let mut outer = scope.clone();
                let kept = self.choices.below(scope.loops.len() + 1);
                outer.loops.truncate(kept);
                format!("({} * {})", self.leaf(scope), self.reduction(&outer, less.min(2)))
            }
            9 => format!("([{}] * {})", self.predicate(scope), self.term(scope, less)),
            10 => {
                let p = self.predicate(scope);
                format!("select({p}, {}, {})", self.term(scope, less), self.term(scope, less))
            }
            11 => {
                let (value, name) = (self.term(scope, less), self.name("v"));
                let mut below = scope.clone();
                below.bound.push(name.clone());
                format!("(let {name} = {value}; {})", self.term(&below, less))
            }
            _ => self.operation(scope, less),
        }
    }

    fn operation(&mut self, scope: &Scope, less: u32) -> String {
        let (a, b) = (self.term(scope, less), self.term(scope, less));
        match (self.algebra, self.choices.below(4)) {
            (Algebra::Semiring, _) => format!("({a} + {b})"),
            (Algebra::Floats, 0) => format!("({a} / (1.5 + abs({b})))"),
            (Algebra::Floats, 1) => format!("({a} - sqrt(abs({b})))"),
            (_, 2) => format!("min({a}, {b})"),
            _ => format!("max({a}, {b})"),
        }
    }

    /// A number that is bound, or an element of a tensor at indices of loops.
    fn leaf(&mut self, scope: &Scope) -> String {
        if !scope.bound.is_empty() && self.choices.one_in(3) {
            return self.choices.of(&scope.bound).clone();
        }
        let at = |extent: &&str| {
            scope.loops.iter().rev().find(|(_, n)| n == extent).map(|(name, _)| name.as_str())
        };
        let fits = |(_, shape): &&(String, Vec<&'static str>)| shape.iter().all(|n| at(n).is_some());
        let fitting: Vec<_> = scope.tensors.iter().filter(fits).collect();
        // The matrices are what this is about.
        let matrices: Vec<_> = fitting.iter().filter(|(_, shape)| shape.len() == 2).copied().collect();
        let among = if matrices.is_empty() || self.choices.one_in(3) { &fitting } else { &matrices };
        let (name, shape) = (*self.choices.of(among)).clone();
        let mut indices = Vec::new();
        for extent in &shape {
            let known: Vec<&String> =
                scope.loops.iter().filter(|(_, n)| n == extent).map(|(name, _)| name).collect();
            indices.push((*self.choices.of(&known)).clone());
        }
        if indices.is_empty() { name } else { format!("{name}[{}]", indices.join(", ")) }
    }
}
