//! The forms that results have: loops, sums in monoids, rounds, scans and recursive tensors.
//!
//! One idea: each form is drawn for the types that it ends in, and everything inside is
//! [a value](super::values).

use super::values::is_complex;
use super::{BOUNDED, Scope, Writer};

const EXTENTS: &[&str] = &["N", "M"];

/// Numbers of rounds; some are negative.
const ROUNDS: &[&str] = &["N", "M", "T", "3", "T - 3", "N - M", "1", "0", "T"];

/// A state of rounds.
struct State {
    name: String,
    ty: &'static str,
    shape: Vec<&'static str>,
    start: String,
}

impl Writer<'_> {
    /// The type of the result, and the body.
    pub(super) fn body(&mut self, scope: &Scope) -> (String, String) {
        let (ty, depth) = (self.ty(), 1 + self.choices.below(3) as u32);
        match self.choices.below(12) {
            0 => {
                let n = *self.choices.of(EXTENTS);
                let i = self.name("i");
                let value = self.value(&scope.with_index(&i, n), ty, depth);
                (format!("{ty}[{n}]"), format!("gen {i} < {n} {{ {value} }}"))
            }
            1 => {
                let (i, j) = (self.name("i"), self.name("j"));
                let inside = scope.with_index(&i, "N").with_index(&j, "M");
                (
                    format!("{ty}[N, M]"),
                    format!("gen {i} < N, {j} < M {{ {} }}", self.value(&inside, ty, depth)),
                )
            }
            2 => (ty.to_owned(), self.reduced(scope, ty, depth)),
            3 => self.summed(scope),
            4 => {
                let i = self.name("i");
                let (result, sum) = self.summed(&scope.with_index(&i, "N"));
                (format!("{result}[N]"), format!("gen {i} < N {{ {sum} }}"))
            }
            5 => (ty.to_owned(), self.rounds(scope, &[ty], depth).0),
            6 => {
                let other = self.ty();
                let (text, types) = self.rounds(scope, &[ty, other], depth);
                self.saw("several results");
                (format!("({})", types.join(", ")), text)
            }
            7 => self.scan(scope, depth),
            8 => self.recursive(scope, depth),
            9 => self.table(scope, depth),
            10 => self.histogram(scope, depth),
            _ => self.called(scope, depth),
        }
    }

    /// A sum in a monoid of its own.
    fn summed(&mut self, scope: &Scope) -> (String, String) {
        self.saw("monoid");
        let (name, v, w) = (self.name("m"), self.real(), self.real());
        let both = Scope::default()
            .with_tensor("a.v", v, &[])
            .with_tensor("a.w", w, &[])
            .with_tensor("b.v", v, &[])
            .with_tensor("b.w", w, &[]);
        self.is_formula = true;
        let add = match self.choices.below(3) {
            0 => {
                let p = self.condition(&both, 1);
                format!("select({p}, b, a)")
            }
            _ => format!("({}, {})", self.value(&both, v, 2), self.value(&both, w, 1)),
        };
        self.is_formula = false;
        let zero = *self.choices.of(&["(0, 0)", "(1, 0)", "(0, 3)"]);
        self.items += &format!("monoid {name} on (v: {v}, w: {w}) {{ zero {zero}; add {add}; }}\n");
        let (k, n) = (self.name("k"), *self.choices.of(EXTENTS));
        let inside = scope.with_index(&k, n);
        let (first, second) = (self.value(&inside, v, 1), self.value(&inside, w, 1));
        (format!("(v: {v}, w: {w})"), format!("sum {k} < {n} in {name} {{ ({first}, {second}) }}"))
    }

    /// A state of rounds: its start, for its type and shape.
    fn start(&mut self, scope: &Scope, ty: &'static str, shape: &[&'static str], depth: u32) -> String {
        match shape.first() {
            None => self.value(scope, ty, depth.min(1)),
            Some(n) => {
                let i = self.name("i");
                format!("gen {i} < {n} {{ {} }}", self.value(&scope.with_index(&i, n), ty, 0))
            }
        }
    }

    /// What a round makes of a state.
    fn step(
        &mut self,
        scope: &Scope,
        (name, ty, shape): (&str, &'static str, &[&'static str]),
        t: &str,
        depth: u32,
    ) -> String {
        let Some(n) = shape.first() else { return self.value(scope, ty, depth) };
        let k = self.name("k");
        let inside = scope.with_index(&k, n);
        let new = self.value(&inside, ty, depth.min(1));
        let numbers: Vec<String> = scope
            .tensors
            .iter()
            .filter(|tensor| tensor.shape.is_empty() && BOUNDED.contains(&tensor.ty))
            .map(|tensor| tensor.name.clone())
            .collect();
        let cell = match self.choices.below(6) {
            0 | 1 => format!("select({k} == {t}, {new}, {name}[{k}])"),
            2 => format!("select({k} < {t}, {new}, {name}[{k}])"),
            3 if !numbers.is_empty() => {
                self.saw("store at a number");
                let number = self.choices.of(&numbers).clone();
                format!("select({k} == index({number}), {new}, {name}[{k}])")
            }
            _ => new,
        };
        format!("gen {k} < {n} {{ {cell} }}")
    }

    /// States of these types and perhaps more.
    fn states(&mut self, scope: &Scope, types: &[&'static str], depth: u32) -> Vec<State> {
        let mut states = Vec::new();
        for ty in types {
            let (name, start) = (self.name("s"), self.start(scope, ty, &[], depth));
            states.push(State { name, ty, shape: vec![], start });
        }
        for _ in 0..self.choices.below(3) {
            let ty = self.ty();
            let shape = if self.choices.one_in(2) { vec![*self.choices.of(EXTENTS)] } else { vec![] };
            let start = self.start(scope, ty, &shape, depth);
            states.push(State { name: self.name("s"), ty, shape, start });
        }
        states
    }

    /// Rounds that end in scalars of these types.
    pub(super) fn rounds(
        &mut self,
        scope: &Scope,
        types: &[&'static str],
        depth: u32,
    ) -> (String, Vec<&'static str>) {
        let n = *self.choices.of(ROUNDS);
        self.saw(if n.contains('-') { "rounds that may be negative" } else { "rounds" });
        let (t, states) = (self.name("t"), self.states(scope, types, depth));
        let begun: Vec<String> = states
            .iter()
            .map(|State { name, ty, shape, start }| {
                let start = if shape.is_empty() && !is_complex(ty) && *ty != "bool" {
                    format!("{ty}({start})")
                } else {
                    start.clone()
                };
                format!("{name} = {start}")
            })
            .collect();
        let last = states.iter().fold(scope.clone(), |scope, s| scope.with_tensor(&s.name, s.ty, &s.shape));
        let until = match self.choices.one_in(4) {
            true => {
                self.saw("until");
                let State { name, ty, .. } = &states[0];
                let p = match *ty {
                    "bool" => name.clone(),
                    ty if is_complex(ty) => format!("abs({name}) > 40"),
                    ty => format!("{name} {} {}", self.choices.of(&[">", "<", "=="]), self.read(&last, ty)),
                };
                format!("until {p} ")
            }
            false => String::new(),
        };
        let mut inside = last.with_index(&t, n);
        let mut shared = String::new();
        if self.choices.one_in(3) {
            let (name, ty) = (self.name("c"), self.ty());
            shared = format!("let {name} = {}; ", self.value(&inside, ty, depth.min(1)));
            inside = inside.with_tensor(&name, ty, &[]);
        }
        let steps: Vec<String> =
            states.iter().map(|s| self.step(&inside, (&s.name, s.ty, &s.shape), &t, depth)).collect();
        let ends: Vec<String> = types.iter().map(|ty| self.value(&last, ty, 1)).collect();
        let end = if ends.len() == 1 { ends[0].clone() } else { format!("({})", ends.join(", ")) };
        let text = format!(
            "(iterate {t} < {n} from {} {until}{{ {shared}{} }} in {end})",
            begun.join(", "),
            steps.join(", ")
        );
        // Several values are no value: they stand without parentheses.
        let text = if types.len() > 1 { text[1..text.len() - 1].to_owned() } else { text };
        (text, types.to_vec())
    }

    fn scan(&mut self, scope: &Scope, depth: u32) -> (String, String) {
        self.saw("scan");
        let n = *self.choices.of(EXTENTS);
        let (t, first) = (self.name("t"), self.ty());
        let states = self.states(scope, &[first], depth);
        let begun: Vec<String> =
            states.iter().map(|State { name, start, .. }| format!("{name} = {start}")).collect();
        let last = states.iter().fold(scope.clone(), |scope, s| scope.with_tensor(&s.name, s.ty, &s.shape));
        let inside = last.with_index(&t, n);
        let steps: Vec<String> =
            states.iter().map(|s| self.step(&inside, (&s.name, s.ty, &s.shape), &t, depth)).collect();
        let (begun, steps) = (begun.join(", "), steps.join(", "));
        let given = inside.with_tensor(&format!("{}.old", states[0].name), first, &[]);
        let (ty, other) = (self.ty(), self.ty());
        let one = self.value(&given, ty, 1);
        if self.choices.one_in(2) {
            return (format!("{ty}[{n}]"), format!("scan {t} < {n} from {begun} {{ {steps} }} give {one}"));
        }
        self.saw("several results");
        let two = self.value(&given, other, 1);
        (
            format!("({ty}[{n}], {other}[{n}])"),
            format!("scan {t} < {n} from {begun} {{ {steps} }} give ({one}, {two})"),
        )
    }

    /// A recursive vector.
    fn recursive(&mut self, scope: &Scope, depth: u32) -> (String, String) {
        self.saw("rec");
        let (r, i, ty, n) = (self.name("r"), self.name("i"), self.real(), *self.choices.of(EXTENTS));
        let inside = scope.with_index(&i, n);
        let mut earlier = inside.clone();
        for back in ["1", "2", "3"] {
            earlier = earlier.with_tensor(&format!("{r}?[{i} - {back}]"), ty, &[]);
        }
        let mut value = self.value(&earlier, ty, depth);
        if self.choices.one_in(3) {
            let j = self.name("j");
            value = format!("({value} + (sum {j} < {i} {{ {r}[{j}] * {} }}))", self.value(&inside, ty, 0));
        }
        (format!("{ty}[{n}]"), format!("rec {r}: {ty} = gen {i} < {n} {{ {value} }}; {r}"))
    }

    /// A recursive table.
    fn table(&mut self, scope: &Scope, depth: u32) -> (String, String) {
        self.saw("rec of two dimensions");
        let (r, i, j, ty) = (self.name("r"), self.name("i"), self.name("j"), self.real());
        let mut inside = scope.with_index(&i, "N").with_index(&j, "M");
        for back in ["- 1, J", ", J - 1", "- 1, J - 1", "- 1, J + 1", "- 1, k[I] % 3", "- 1, M - 1 - J"] {
            if self.choices.one_in(2) {
                let back = back.replace('J', &j).replace('I', &i);
                inside = inside.with_tensor(&format!("{r}?[{i} {back}]"), ty, &[]);
            }
        }
        let value = self.value(&inside, ty, depth);
        (format!("{ty}[N, M]"), format!("rec {r}: {ty} = gen {i} < N, {j} < M {{ {value} }}; {r}"))
    }

    /// Numbers added at places.
    fn histogram(&mut self, scope: &Scope, depth: u32) -> (String, String) {
        self.saw("histogram");
        let (ty, i, b) = (self.real(), self.name("i"), self.name("b"));
        let value = self.value(&scope.with_index(&i, "N"), ty, depth - 1);
        let body = match self.choices.below(3) {
            0 => format!("gen {b} < 5 {{ sum {i} < N {{ [{b} == k[{i}]] * {value} }} }}"),
            1 => format!(
                "gen {b} < 5 {{ max {i} < N {{ select({b} == index(k[{i}] % 5), {value}, {ty}(0)) }} }}"
            ),
            _ => format!("sum {i} < N {{ [0 <= k[{i}] && k[{i}] < 5] * one_hot(5, k[{i}], {value}) }}"),
        };
        (format!("{ty}[5]"), body)
    }

    /// Generic functions of whole tensors.
    fn called(&mut self, scope: &Scope, depth: u32) -> (String, String) {
        self.saw("generic");
        let (ty, i, c) = (self.real(), self.name("i"), self.name("v"));
        let bound = self.value(&scope.with_index(&i, "N"), ty, depth);
        let bound = format!("let {c} = near(gen {i} < N {{ {bound} }});");
        let below = scope.with_tensor(&c, ty, &["N"]);
        if self.choices.one_in(2) {
            self.saw("several results");
            return (format!("(least: {ty}, greatest: {ty})"), format!("{bound} range({c})"));
        }
        let (low, high, j, other) = (self.name("l"), self.name("h"), self.name("j"), self.ty());
        let below = below.with_tensor(&low, ty, &[]).with_tensor(&high, ty, &[]).with_index(&j, "N");
        let value = self.value(&below, other, 1);
        (
            format!("{other}[N]"),
            format!("{bound} let ({low}, {high}) = range({c}); gen {j} < N {{ {value} }}"),
        )
    }
}
