//! Random iterations for what keeps states in place: point updates of every form, some below others.
//!
//! They are text, of integers, so results are exact. Up to three states, numbers, rows or tables; rounds
//! of which there may be none or fewer; steps that set some cells, that go on with a state in rounds inside,
//! that share `let`s, swap states, or read what is not there; starts of literals; ends by `until`.

use crate::choices::Choices;

/// A tensor: its name, and how many dimensions it has, the first of extent `N`, the second of `M`.
type Named = (String, usize);

const EXTENTS: [&str; 2] = ["N", "M"];

/// What a place can refer to.
#[derive(Clone, Default)]
struct Scope {
    indices: Vec<String>,
    tensors: Vec<Named>,
}

impl Scope {
    fn with_index(&self, name: &str) -> Scope {
        let mut scope = self.clone();
        scope.indices.push(name.to_owned());
        scope
    }

    fn with_tensor(&self, name: &str, rank: usize) -> Scope {
        let mut scope = self.clone();
        scope.tensors.push((name.to_owned(), rank));
        scope
    }
}

struct Writer<'c> {
    choices: &'c mut Choices,
    names: usize,
}

/// The text of a function `f` of `x: i64[N]`, `y: i64[N, M]` and a size `T`.
pub fn program(choices: &mut Choices) -> String {
    let mut writer = Writer { choices, names: 0 };
    let scope = Scope { indices: vec![], tensors: vec![("x".to_owned(), 1), ("y".to_owned(), 2)] };
    let rank = writer.choices.below(3);
    let body = match rank {
        // Rows of the result, each with rounds of its own.
        2 if writer.choices.one_in(3) => {
            let i = writer.name("i");
            let y = writer.name("r");
            let row = writer.name("c");
            let scope = scope.with_index(&i).with_tensor(&row, 1);
            let rounds = writer.iteration(&scope, 1, None, 2);
            format!("gen {i} < M {{ let {row} = gen {y} < N {{ y[{y}, {i}] }}; {rounds} }}")
        }
        _ => writer.iteration(&scope, rank, None, 2),
    };
    if body.starts_with("gen") {
        return format!("fn f(x: i64[N], y: i64[N, M], T: size) -> i64[M, N] {{\n    {body}\n}}\n");
    }
    let result = if rank == 0 { "i64".to_owned() } else { format!("i64[{}]", EXTENTS[..rank].join(", ")) };
    format!("fn f(x: i64[N], y: i64[N, M], T: size) -> {result} {{\n    {body}\n}}\n")
}

impl Writer<'_> {
    fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn rounds(&mut self, scope: &Scope) -> String {
        let around = scope.indices.last().cloned();
        match (self.choices.below(12), around) {
            (0, Some(t)) => t,
            (1, Some(t)) => format!("N - {t}"),
            (2, _) => "T - 2".to_owned(),
            (3, _) => "N * M".to_owned(),
            (4..=6, _) => "N".to_owned(),
            (7, _) => "M".to_owned(),
            _ => (*self.choices.of(&["T", "T", "N", "M", "3", "1", "0", "2", "N - 1"])).to_owned(),
        }
    }

    fn index(&mut self, scope: &Scope) -> String {
        if scope.indices.is_empty() || self.choices.one_in(8) {
            return (*self.choices.of(&["0", "1", "N - 1", "2"])).to_owned();
        }
        let (i, j) = (self.choices.of(&scope.indices).clone(), self.choices.of(&scope.indices).clone());
        match self.choices.below(14) {
            0 | 1 => format!("{i} + 1"),
            2 | 3 => format!("{i} - 1"),
            4 => format!("N - 1 - {i}"),
            5 => format!("{i} / 2"),
            6 => format!("({i} + {j}) % 3"),
            7 => format!("{i} - {j}"),
            8 => format!("{i} / M"),
            9 => format!("{i} % M"),
            _ => i,
        }
    }

    /// Where a tensor is read: a number may say so.
    fn place(&mut self, scope: &Scope) -> String {
        let numbers: Vec<&Named> = scope.tensors.iter().filter(|(_, rank)| *rank == 0).collect();
        match !numbers.is_empty() && self.choices.one_in(12) {
            true => format!("{} % 4", self.choices.of(&numbers).0),
            false => self.index(scope),
        }
    }

    fn condition(&mut self, scope: &Scope, depth: u32) -> String {
        if depth > 0 && self.choices.one_in(4) {
            let op = *self.choices.of(&["&&", "&&", "||"]);
            return format!(
                "({} {op} {})",
                self.condition(scope, depth - 1),
                self.condition(scope, depth - 1)
            );
        }
        if let (Some(t), Some(k)) = (scope.indices.first(), scope.indices.last())
            && self.choices.below(3) == 0
        {
            return format!("{k} == {t}");
        }
        let op = *self.choices.of(&["==", "==", "<", "<=", ">=", "!="]);
        format!("{} {op} {}", self.index(scope), self.index(scope))
    }

    fn read(&mut self, scope: &Scope) -> String {
        let last = scope.tensors.len();
        // The newest are read most.
        let at = if self.choices.one_in(3) {
            self.choices.below(last)
        } else {
            last - 1 - self.choices.below(last.min(2))
        };
        let (name, rank) = scope.tensors[at].clone();
        match rank {
            0 => name,
            1 => format!("{name}?[{}]", self.place(scope)),
            _ => format!("{name}?[{}, {}]", self.place(scope), self.place(scope)),
        }
    }

    /// A number.
    fn value(&mut self, scope: &Scope, depth: u32) -> String {
        let leaf = |writer: &mut Self| match writer.choices.below(6) {
            0 => format!("i64({})", writer.index(scope)),
            _ => writer.read(scope),
        };
        if depth == 0 {
            return leaf(self);
        }
        let less = depth - 1;
        match self.choices.below(12) {
            0 | 1 => format!("({} + {})", self.value(scope, less), self.value(scope, less)),
            2 => format!("({} - {})", self.value(scope, less), self.value(scope, less)),
            3 => format!("max({}, {})", self.value(scope, less), self.value(scope, less)),
            4 => {
                let p = self.condition(scope, 1);
                format!("select({p}, {}, {})", self.value(scope, less), self.value(scope, less))
            }
            5 => format!("([{}] * {})", self.condition(scope, 1), self.value(scope, less)),
            6 => {
                let k = self.name("s");
                let n = *self.choices.of(&["2", "M", "N"]);
                format!("(sum {k} < {n} {{ {} }})", self.value(&scope.with_index(&k), less))
            }
            7 => {
                let (bound, c) = (self.value(scope, less), self.name("c"));
                format!("(let {c} = {bound}; {})", self.value(&scope.with_tensor(&c, 0), less))
            }
            8 if self.choices.one_in(2) => self.iteration(scope, 0, None, less.min(1)),
            9 => format!(
                "select({} > 4, {}, {})",
                self.read(scope),
                self.value(scope, less),
                self.value(scope, less)
            ),
            _ => leaf(self),
        }
    }

    /// The names of loops over cells, and the loops around a cell.
    fn cells(&mut self, rank: usize) -> (Vec<String>, String) {
        let names: Vec<String> = (0..rank).map(|_| self.name("k")).collect();
        let loops: Vec<String> = names.iter().zip(EXTENTS).map(|(k, n)| format!("{k} < {n}")).collect();
        (names, if rank == 0 { String::new() } else { format!("gen {} ", loops.join(", ")) })
    }

    /// What becomes of a cell, or of a number; `own` is what it was.
    fn cell(&mut self, scope: &Scope, own: &str, depth: u32) -> String {
        let less = depth.saturating_sub(1);
        match self.choices.below(10) {
            _ if depth == 0 => self.value(scope, 1),
            0..=4 => {
                let (p, set) = (self.condition(scope, 1), self.cell(scope, own, less));
                let kept = if self.choices.one_in(5) { self.cell(scope, own, less) } else { own.to_owned() };
                if self.choices.one_in(6) {
                    format!("select({p}, {kept}, {set})")
                } else {
                    format!("select({p}, {set}, {kept})")
                }
            }
            5 => own.to_owned(),
            6 => format!("([{}] * {})", self.condition(scope, 1), self.cell(scope, own, less)),
            7 => {
                let (bound, c) = (self.value(scope, 1), self.name("c"));
                format!("(let {c} = {bound}; {})", self.cell(&scope.with_tensor(&c, 0), own, less))
            }
            _ => self.value(scope, 2),
        }
    }

    /// What a round makes of a state.
    fn step(&mut self, scope: &Scope, own: &Named, depth: u32) -> String {
        let (name, rank) = own;
        let less = depth.saturating_sub(1);
        match self.choices.below(12) {
            0 | 1 if depth > 0 => self.iteration(scope, *rank, Some(own), less),
            2 => {
                let same: Vec<&Named> = scope.tensors.iter().filter(|other| other.1 == *rank).collect();
                self.choices.of(&same).0.clone()
            }
            3 | 4 => {
                let of = self.choices.below(2).min(*rank);
                let (bound, c) = (self.filled(scope, of), self.name("c"));
                format!("(let {c} = {bound}; {})", self.step(&scope.with_tensor(&c, of), own, less))
            }
            5 if *rank > 0 => {
                let (p, step) = (self.condition(scope, 0), self.step(scope, own, less));
                format!("select({p}, {step}, {name})")
            }
            6 => self.filled(scope, *rank),
            _ => {
                let (names, loops) = self.cells(*rank);
                let inside = names.iter().fold(scope.clone(), |scope, k| scope.with_index(k));
                let cell = if *rank == 0 { name.clone() } else { format!("{name}[{}]", names.join(", ")) };
                let made = self.cell(&inside, &cell, 2);
                if *rank == 0 { made } else { format!("{loops}{{ {made} }}") }
            }
        }
    }

    /// A tensor whose cells are numbers.
    fn filled(&mut self, scope: &Scope, rank: usize) -> String {
        let (names, loops) = self.cells(rank);
        let inside = names.iter().fold(scope.clone(), |scope, k| scope.with_index(k));
        let value = self.value(&inside, 1);
        if rank == 0 { value } else { format!("{loops}{{ {value} }}") }
    }

    fn start(&mut self, scope: &Scope, rank: usize) -> String {
        let (names, loops) = self.cells(rank);
        let inside = names.iter().fold(scope.clone(), |scope, k| scope.with_index(k));
        let value = match self.choices.below(6) {
            0 | 1 => "i64(7)".to_owned(),
            2 => {
                let p = self.condition(&inside, 0);
                format!("select({p}, {}, i64(7))", self.read(&inside))
            }
            3 => self.value(&inside, 1),
            _ => {
                let same: Vec<&Named> = scope.tensors.iter().filter(|other| other.1 == rank).collect();
                match same.is_empty() {
                    true => "i64(5)".to_owned(),
                    false => return self.choices.of(&same).0.clone(),
                }
            }
        };
        if rank == 0 { value } else { format!("{loops}{{ {value} }}") }
    }

    /// Rounds whose value has this rank; the first state begins as `own`, if that is given, and is the value.
    fn iteration(&mut self, scope: &Scope, rank: usize, own: Option<&Named>, depth: u32) -> String {
        let (n, t) = (self.rounds(scope), self.name("t"));
        let mut states = vec![(self.name("z"), rank)];
        let mut starts = vec![own.map_or_else(|| self.start(scope, rank), |own| own.0.clone())];
        for _ in 0..*self.choices.of(&[0, 0, 0, 1, 1, 2]) {
            let rank = self.choices.below(3);
            states.push((self.name("z"), rank));
            starts.push(self.start(scope, rank));
        }
        let begun: Vec<String> =
            states.iter().zip(starts).map(|((z, _), start)| format!("{z} = {start}")).collect();
        let mut last = scope.clone();
        last.tensors.extend(states.iter().cloned());
        let until = match self.choices.below(5) {
            0 => format!("until {} > {} ", self.value(&last, 1), self.choices.below(30)),
            _ => String::new(),
        };
        let mut inside = last.with_index(&t);
        let mut shared = String::new();
        if self.choices.one_in(4) {
            let (value, c) = (self.value(&inside, 1), self.name("c"));
            shared = format!("let {c} = {value}; ");
            inside = inside.with_tensor(&c, 0);
        }
        let mut steps = Vec::new();
        for state in &states {
            steps.push(self.step(&inside, state, depth));
            if self.choices.one_in(2) {
                inside = inside.with_tensor(&format!("{}.new", state.0), state.1);
            }
        }
        let value = match own {
            None if self.choices.one_in(3) => self.filled(&last, rank),
            _ => states[0].0.clone(),
        };
        let (begun, steps) = (begun.join(", "), steps.join(", "));
        format!("(iterate {t} < {n} from {begun} {until}{{ {shared}{steps} }} in {value})")
    }
}
