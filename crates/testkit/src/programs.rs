//! Random programs, well-typed and safe, as a user would write them.
//!
//! They are text, so that the parser and elaboration are part of every test and a failure can be pasted into a file.
//! Every loop and every `let` has a name of its own, so that schedules can name it.

use crate::choices::Choices;

/// A random program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its text: one function, `f`, of sizes `N` and `M`.
    pub text: String,
    /// The element type, as it is written.
    pub elem: &'static str,
}

#[derive(Clone, Copy, PartialEq)]
enum Algebra {
    /// The ordinary one: differences, `min` and `max`, reductions.
    Numbers,
    /// `+` and `*` only.
    Semiring,
    /// Truth values.
    Truth,
}

/// The element types of random programs.
pub const ELEMENTS: &[&str] = &[
    "f16",
    "bf16",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "min_plus<f32>",
    "max_plus<f64>",
    "max_times<f32>",
    "min_plus<f16>",
    "max_min<bf16>",
    "min_max<f32>",
    "or_and<bool>",
];

/// What a place of the program can refer to.
#[derive(Clone, Default)]
struct Scope {
    indices: Vec<(String, String)>,
    tensors: Vec<(String, Vec<String>)>,
}

impl Scope {
    fn with_index(&self, name: &str, extent: &str) -> Scope {
        let mut scope = self.clone();
        scope.indices.push((name.to_owned(), extent.to_owned()));
        scope
    }
}

struct Writer<'c> {
    choices: &'c mut Choices,
    algebra: Algebra,
    elem: &'static str,
    names: usize,
}

/// The extents that programs use: two sizes, which may be 0, constants, and now and then a loop that never runs, or once.
const EXTENTS: &[&str] = &["N", "N", "N", "N", "M", "M", "3", "3", "1", "1", "0", "min(N, 1)"];

/// A program of this seed; `depth` bounds how far its operators nest.
pub fn program(choices: &mut Choices, depth: u32) -> Program {
    let elem = *choices.of(ELEMENTS);
    let algebra = match elem {
        _ if elem.contains("bool") => Algebra::Truth,
        _ if elem.contains('<') => Algebra::Semiring,
        _ => Algebra::Numbers,
    };
    let tensors: &[(&str, &[&str])] = &[("x", &["N"]), ("a", &["N", "M"]), ("s", &[])];
    let owned = |shape: &[&str]| shape.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    let scope = Scope {
        indices: vec![],
        tensors: tensors.iter().map(|(name, shape)| ((*name).to_owned(), owned(shape))).collect(),
    };
    let rank = choices.below(3);
    let shape: Vec<String> = (0..rank).map(|_| (*choices.of(EXTENTS)).to_owned()).collect();
    let mut writer = Writer { choices, algebra, elem, names: 0 };
    let body = writer.term(&scope, &shape, depth);
    let result = if shape.is_empty() { elem.to_owned() } else { format!("{elem}[{}]", shape.join(", ")) };
    let text = format!("fn f(x: {elem}[N], a: {elem}[N, M], s: {elem}) -> {result} {{\n    {body}\n}}\n");
    Program { text, elem }
}

impl Writer<'_> {
    fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn extent(&mut self) -> String {
        (*self.choices.of(EXTENTS)).to_owned()
    }

    /// Some index term; nothing is known of its range.
    fn any_index(&mut self, scope: &Scope) -> String {
        if scope.indices.is_empty() {
            return (*self.choices.of(&["0", "1", "N - 1"])).to_owned();
        }
        let (i, j) = (self.choices.of(&scope.indices).0.clone(), self.choices.of(&scope.indices).0.clone());
        match self.choices.below(7) {
            0 => format!("{i} + 1"),
            1 => format!("{i} - 1"),
            2 => format!("{i} + {j}"),
            3 => format!("{i} / 2"),
            4 => format!("2 * {i} - {j}"),
            _ => i,
        }
    }

    fn predicate(&mut self, scope: &Scope) -> String {
        let (i, j) = (self.any_index(scope), self.any_index(scope));
        match self.choices.below(6) {
            0 => format!("{i} < {j}"),
            1 => format!("{i} <= 1"),
            2 => format!("{i} != {j}"),
            3 => format!("({i}) % 2 == 0"),
            4 => format!("1 < {i} || {j} < M"),
            _ => format!("0 <= {i} && {j} < N"),
        }
    }

    /// An access of `e` along all these extents, guarded unless every index is in range.
    fn read(&mut self, scope: &Scope, e: &str, shape: &[String]) -> String {
        let mut guarded = false;
        let mut indices = Vec::new();
        for n in shape {
            let fitting: Vec<String> =
                scope.indices.iter().filter(|(_, m)| m == n).map(|(i, _)| i.clone()).collect();
            if fitting.is_empty() || self.choices.one_in(4) {
                guarded = true;
                indices.push(self.any_index(scope));
            } else {
                indices.push(self.choices.of(&fitting).clone());
            }
        }
        match indices.is_empty() {
            true => e.to_owned(),
            false => format!("{e}{}[{}]", if guarded { "?" } else { "" }, indices.join(", ")),
        }
    }

    fn reduction(&mut self) -> &'static str {
        let words: &[&'static str] = match self.algebra {
            Algebra::Numbers => &["sum", "sum", "sum", "prod", "max", "min"],
            Algebra::Semiring => &["sum"],
            Algebra::Truth => &["sum", "any", "all"],
        };
        words[self.choices.below(words.len())]
    }

    /// An expression of this shape, in parentheses where it needs them.
    fn term(&mut self, scope: &Scope, shape: &[String], depth: u32) -> String {
        if depth == 0 {
            return self.leaf(scope, shape);
        }
        let less = depth - 1;
        match self.choices.below(16) {
            0..=2 => {
                let (word, k, n) = (self.reduction(), self.name("k"), self.extent());
                let body = self.term(&scope.with_index(&k, &n), shape, less);
                format!("({word} {k} < {n} {{ {body} }})")
            }
            3 => format!("([{}] * {})", self.predicate(scope), self.term(scope, shape, less)),
            4 => {
                let p = self.predicate(scope);
                format!("select({p}, {}, {})", self.term(scope, shape, less), self.term(scope, shape, less))
            }
            5..=7 => {
                let rank = self.choices.below(3);
                let inner: Vec<String> = (0..rank).map(|_| self.extent()).collect();
                let bound = self.term(scope, &inner, less);
                let name = self.name("t");
                let mut below = scope.clone();
                below.tensors.push((name.clone(), inner));
                format!("(let {name} = {bound}; {})", self.term(&below, shape, less))
            }
            8 | 9 => self.operation(scope, shape, less),
            10 => {
                let n = self.extent();
                let array = self.term(scope, &[std::slice::from_ref(&n), shape].concat(), less);
                self.read(scope, &format!("({array})"), &[n])
            }
            11 => self.iteration(scope, shape, less),
            _ if !shape.is_empty() => self.reshaped(scope, shape, less),
            _ => self.leaf(scope, shape),
        }
    }

    /// Rounds, of which there may be none, over up to three states.
    fn iteration(&mut self, scope: &Scope, shape: &[String], less: u32) -> String {
        let (t, extra) = (self.name("r"), self.choices.below(3));
        let n = match self.choices.below(4) {
            0 => "N - 2".to_owned(),
            1 => "2".to_owned(),
            _ => self.extent(),
        };
        let mut states = vec![(self.name("y"), shape.to_vec())];
        for _ in 0..extra {
            let rank = self.choices.below(2);
            states.push((self.name("y"), (0..rank).map(|_| self.extent()).collect()));
        }
        let starts: Vec<String> = states
            .iter()
            .map(|(name, shape)| format!("{name} = {}", self.term(scope, shape, less)))
            .collect();
        let mut last = scope.clone();
        last.tensors.extend(states.iter().cloned());
        let inside = last.with_index(&t, &n);
        let steps: Vec<String> = states.iter().map(|state| self.step(&inside, state, &t, less)).collect();
        let value = self.leaf(&last, shape);
        format!("(iterate {t} < {n} from {} {{ {} }} in {value})", starts.join(", "), steps.join(", "))
    }

    /// What a round makes of a state: something else, or one place of it, as a scan does.
    fn step(&mut self, scope: &Scope, (state, shape): &(String, Vec<String>), t: &str, less: u32) -> String {
        match &shape[..] {
            [n, rest @ ..] if self.choices.one_in(3) => {
                let (k, more) = (self.name("i"), *self.choices.of(&["", " + 1"]));
                let new = self.term(&scope.with_index(&k, n), rest, less);
                format!("(gen {k} < {n} {{ select({k} == {t}{more}, {new}, {state}[{k}]) }})")
            }
            _ => self.term(scope, shape, less),
        }
    }

    /// A function of one number, or a quotient of integers.
    fn function(&mut self, scope: &Scope, shape: &[String], less: u32) -> String {
        let a = self.term(scope, shape, less);
        match (self.elem.starts_with('f'), self.choices.below(3)) {
            (true, 0) => format!("sqrt(abs({a}))"),
            (true, 1) => format!("exp(-abs({a}))"),
            (false, 0 | 1) if shape.is_empty() => format!("({a} / {})", self.term(scope, shape, less)),
            _ => format!("abs({a})"),
        }
    }

    /// A pointwise operation.
    fn operation(&mut self, scope: &Scope, shape: &[String], less: u32) -> String {
        if self.algebra == Algebra::Numbers && self.choices.one_in(5) {
            return self.function(scope, shape, less);
        }
        let (a, b) = (self.term(scope, shape, less), self.term(scope, shape, less));
        let numbers = self.algebra == Algebra::Numbers;
        match self.choices.below(5) {
            0 if shape.is_empty() || numbers => {
                let f = if numbers { *self.choices.of(&["min", "max"]) } else { "" };
                if f.is_empty() { format!("({a} * {b})") } else { format!("{f}({a}, {b})") }
            }
            1 | 2 if shape.is_empty() => format!("({a} * {b})"),
            3 if numbers && !self.elem.starts_with('u') => format!("({a} - {b})"),
            _ => format!("({a} + {b})"),
        }
    }

    /// A `gen`, or an operator that gives this shape.
    fn reshaped(&mut self, scope: &Scope, shape: &[String], less: u32) -> String {
        let (n, rest) = (&shape[0], &shape[1..]);
        let constant = |n: &str| n == "3" || n == "1";
        let k = self.choices.below(3);
        match (self.choices.below(11), rest) {
            (0, [m, rest @ ..]) => {
                format!("transpose({})", self.term(scope, &[&[m.clone(), n.clone()], rest].concat(), less))
            }
            (1, [m, rest @ ..]) if m == "3" => {
                let long = self.term(scope, &[&[format!("{n} * 3")], rest].concat(), less);
                format!("split(3, {long})")
            }
            (2, [m, ..]) if constant(n) && constant(m) => {
                format!("unshear({n}, {m}, shear({}))", self.term(scope, shape, less))
            }
            (3, _) => format!("trunc_r({k}, pad_r({k}, {}))", self.term(scope, shape, less)),
            (4, _) => format!("trunc_l({k}, pad_l({k}, {}))", self.term(scope, shape, less)),
            (5, _) => {
                let tiles = self.term(scope, shape, less);
                format!("trunc_r(ceil_div({n}, 2) * 2 - ({n}), flatten(split(2, {tiles})))")
            }
            (6, _) if n == "3" => {
                let one = self.term(scope, &[&["1".to_owned()], rest].concat(), less);
                let two = self.term(scope, &[&["2".to_owned()], rest].concat(), less);
                format!("({one} ++ {two})")
            }
            _ => {
                let i = self.name("i");
                let body = self.term(&scope.with_index(&i, n), rest, less);
                format!("(gen {i} < {n} {{ {body} }})")
            }
        }
    }

    fn leaf(&mut self, scope: &Scope, shape: &[String]) -> String {
        if let [n, rest @ ..] = shape {
            let fitting: Vec<String> =
                scope.tensors.iter().filter(|(_, s)| s == shape).map(|(t, _)| t.clone()).collect();
            if !fitting.is_empty() && self.choices.one_in(2) {
                return self.choices.of(&fitting).clone();
            }
            let i = self.name("i");
            return format!("(gen {i} < {n} {{ {} }})", self.leaf(&scope.with_index(&i, n), rest));
        }
        match (self.choices.below(6), self.algebra) {
            (0, Algebra::Numbers) => {
                let i = self.any_index(scope);
                format!("{}({i})", self.elem)
            }
            (1, Algebra::Numbers | Algebra::Semiring) => "s".to_owned(),
            _ => {
                let (tensor, shape) = self.choices.of(&scope.tensors).clone();
                self.read(scope, &tensor, &shape)
            }
        }
    }
}
