//! Expressions with names of sizes.
//!
//! ```text
//! whole      := expression [ 'where' condition { ',' condition } ]
//! expression := operand { 'o' operand }
//! operand    := primary [ ':' primary ]
//! primary    := '(' expression { ',' expression } ')' | OPERATION '(' argument { ',' argument } ')' | sum
//! argument   := expression | tiler       tiler := '<' entry { (';'|',') entry } '>'       entry := expression | tiler | '_'
//! sum        := product { ('+'|'-') product }      product := atom { ('*'|'/'|'%') atom }
//! atom       := number | NAME | '(' sum ')' | 'ceil_div' '(' sum ',' sum ')'
//! condition  := sum ('=='|'<='|'>='|'<'|'>') sum
//! ```
//!
//! The conditions are read first: what is evaluated rests on them.

use super::operations::{self, as_layout, layout};
use super::sizes::{MOST_NAMES, Sizes};
use super::tiles::{self, Tiler};
use super::{Term, is_name};
use crate::functions;
use crate::layout::tuples_of_one;
use crate::refusal::{Kind, Refusal, Result};
use crate::text::MAX_DEPTH;
use crate::tree::{LIMIT, Tree};
use atl_kernel::{Ix, Pred};

/// The value of the whole text, the operands of its outermost operation, and what is known of the sizes.
pub(super) fn whole(text: &str) -> Result<(Term, Vec<Term>, Sizes)> {
    let (expression, conditions) = match word_at(text, "where") {
        Some(at) => (&text[..at], Some(at + "where".len())),
        None => (text, None),
    };
    let mut sizes = Sizes::new();
    names(text, &mut sizes)?;
    if let Some(from) = conditions {
        let mut reader =
            Reader { text, end: text.len(), at: from, depth: 0, sizes: &mut sizes, operands: Vec::new() };
        loop {
            let condition = reader.condition()?;
            reader.sizes.assume(condition);
            if !reader.eat(",") {
                break;
            }
        }
        reader
            .ended()
            .map_err(|why| why.help("commas stand between conditions: `where M % 4 == 0, N % 8 == 0`"))?;
    }
    sizes.close();
    if let Some(from) = conditions.filter(|_| sizes.proves(&Pred::False)) {
        let refusal = Refusal::new(Kind::Arguments, "no sizes meet the conditions");
        return Err(refusal.note("a name is a size of at least 1").at(from..text.len()));
    }
    let mut reader =
        Reader { text, end: expression.len(), at: 0, depth: 0, sizes: &mut sizes, operands: Vec::new() };
    let term = reader.expression()?;
    reader.ended()?;
    let operands = reader.operands;
    Ok((term, operands, sizes))
}

/// Where this word stands by itself.
fn word_at(text: &str, word: &str) -> Option<usize> {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with(inside) && !text[at + word.len()..].starts_with(inside))
}

/// All names of sizes are known from the beginning.
fn names(text: &str, sizes: &mut Sizes) -> Result<()> {
    let mut at = 0;
    while let Some(start) = text[at..].find(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        let start = at + start;
        let len = text[start..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        at = len.map_or(text.len(), |len| start + len);
        let word = &text[start..at];
        let called = text[at..].trim_start().starts_with('(');
        if is_name(word) && !called && sizes.name(word).is_none() {
            let refusal = Refusal::new(Kind::TooLarge, format!("more than {MOST_NAMES} names stand here"));
            return Err(refusal.at(start..at));
        }
    }
    Ok(())
}

/// What names are taken by.
const TAKING: [&str; 12] = [
    "size",
    "cosize",
    "coalesce",
    "composition",
    "complement",
    "logical_divide",
    "zipped_divide",
    "tiled_divide",
    "flat_divide",
    "logical_product",
    "blocked_product",
    "raked_product",
];

/// The same, in words.
const WHERE_NAMES_STAND: &str = "names may stand in composition, `coalesce`, `complement`, divisions, `logical_`, `blocked_` and `raked_product`, `size` and `cosize`";

fn takes_numbers(operation: &str) -> Box<Refusal> {
    let message = format!("`{operation}` takes numbers here, and a name of a size stands in the expression");
    Refusal::new(Kind::Arguments, message).note(WHERE_NAMES_STAND)
}

struct Reader<'t> {
    text: &'t str,
    end: usize,
    at: usize,
    depth: usize,
    sizes: &'t mut Sizes,
    operands: Vec<Term>,
}

impl<'t> Reader<'t> {
    fn rest(&mut self) -> &'t str {
        let rest = &self.text[self.at..self.end];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..self.end]
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    fn expected<T>(&mut self, what: &str) -> Result<T> {
        let (found, end) = match self.rest().chars().next() {
            Some(c) => (format!("`{c}`"), self.at + c.len_utf8()),
            None => ("the end".to_owned(), self.at),
        };
        Err(Refusal::new(Kind::Text, format!("expected {what}, found {found}")).at(self.at..end))
    }

    fn expect(&mut self, wanted: &str) -> Result<()> {
        if self.eat(wanted) { Ok(()) } else { self.expected(&format!("`{wanted}`")) }
    }

    fn ended(&mut self) -> Result<()> {
        if self.rest().is_empty() { Ok(()) } else { self.expected("the end") }
    }

    /// The word here, which stays.
    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let refusal =
                Refusal::new(Kind::TooLarge, format!("the expression nests deeper than {MAX_DEPTH}"));
            return Err(refusal.at(self.at..self.at));
        }
        Ok(())
    }

    fn condition(&mut self) -> Result<Pred> {
        let left = self.sum()?;
        let signs = ["==", "<=", ">=", "<", ">"];
        let Some(sign) = signs.into_iter().find(|sign| self.eat(sign)) else {
            return self.expected("one of `==`, `<=`, `>=`, `<` and `>`");
        };
        let right = self.sum()?;
        Ok(match sign {
            "==" => Pred::eq(left, right),
            "<=" => Pred::le(left, right),
            ">=" => Pred::le(right, left),
            "<" => Pred::lt(left, right),
            _ => Pred::lt(right, left),
        })
    }

    fn expression(&mut self) -> Result<Term> {
        self.deeper()?;
        self.rest();
        let start = self.at;
        let mut chain = vec![self.operand()?];
        while self.eat("∘") || (self.word() == "o" && self.eat("o")) {
            chain.push(self.operand()?);
        }
        self.depth -= 1;
        if chain.len() > 1 && self.depth == 0 {
            self.operands.clone_from(&chain);
        }
        let mut right = chain.pop();
        while let (Some(left), Some(inner)) = (chain.pop(), right.clone()) {
            right = Some(self.composed(&left, &inner).map_err(|why| why.at(start..self.at))?);
        }
        right.map_or_else(|| self.expected("an operand"), Ok)
    }

    fn composed(&mut self, left: &Term, right: &Term) -> Result<Term> {
        let (left, right) = (as_layout(self.sizes, left)?, as_layout(self.sizes, right)?);
        operations::compose(self.sizes, &left, &right)
    }

    fn operand(&mut self) -> Result<Term> {
        self.rest();
        let start = self.at;
        let term = self.primary()?;
        if !self.eat(":") {
            return match term.stride {
                Some(_) => Ok(term),
                None => {
                    let shape = term.shape.map(&mut |n| self.sizes.short(n.clone()));
                    Ok(Term { shape, stride: None })
                }
            };
        }
        let stride = self.primary()?;
        let place = start..self.at;
        let (None, None) = (&term.stride, &stride.stride) else {
            return Err(Refusal::new(Kind::Arguments, "a layout stands beside `:`")
                .note("before it stands a shape, after it strides")
                .at(place));
        };
        if !term.shape.is_congruent(&stride.shape) {
            let refusal = Refusal::new(Kind::Trees, "shape and stride are not congruent")
                .note("each extent has one stride, in the same place")
                .at(place);
            return Err(tuples_of_one(refusal, &term.shape, &stride.shape));
        }
        layout(self.sizes, term.shape, stride.shape).map_err(|why| why.at(place))
    }

    fn primary(&mut self) -> Result<Term> {
        if self.rest().starts_with('(') {
            return self.tuple();
        }
        if self.rest().starts_with('<') {
            let refusal = Refusal::new(Kind::Arguments, "a tiler stands where a layout does");
            return Err(refusal
                .note("it is the second argument of a division or a product")
                .at(self.at..self.at + 1));
        }
        let word = self.word();
        let called = self.text[self.at + word.len()..self.end].trim_start().starts_with('(');
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) && called && word != "ceil_div" {
            return self.call(word);
        }
        Ok(Term { shape: Tree::Leaf(self.sum()?), stride: None })
    }

    fn sequence(&mut self) -> Result<Vec<Term>> {
        let mut values = Vec::new();
        while !self.eat(")") {
            values.push(self.expression()?);
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(values)
    }

    fn tuple(&mut self) -> Result<Term> {
        let start = self.at;
        self.expect("(")?;
        let mut values = self.sequence()?;
        if let [Term { shape: Tree::Leaf(first), stride: None }] = values.as_slice() {
            let first = first.clone();
            if self.rest().starts_with(['+', '-', '*', '/', '%']) {
                // The parentheses of arithmetic.
                let product = self.product_from(first)?;
                return Ok(Term { shape: Tree::Leaf(self.sum_from(product)?), stride: None });
            }
        }
        if values.iter().all(|value| value.stride.is_none()) {
            return Ok(Term {
                shape: Tree::Node(values.into_iter().map(|value| value.shape).collect()),
                stride: None,
            });
        }
        if values.len() == 1 {
            return Ok(values.remove(0));
        }
        let place = start..self.at;
        let mut parts = (Vec::new(), Vec::new());
        for value in values {
            let value = as_layout(self.sizes, &value).map_err(|why| why.at(place.clone()))?;
            let shape = value.shape.clone();
            let mut strides = value.modes(self.sizes).into_iter().map(|(_, d)| d);
            parts.1.push(shape.map(&mut |_| strides.next().unwrap_or(Ix::ZERO)));
            parts.0.push(shape);
        }
        Ok(Term { shape: Tree::Node(parts.0), stride: Some(Tree::Node(parts.1)) })
    }

    /// `<4;N:2;_>`
    fn tiler(&mut self) -> Result<Tiler> {
        self.deeper()?;
        self.expect("<")?;
        let mut entries = Vec::new();
        while !self.eat(">") {
            entries.push(match self.rest() {
                rest if rest.starts_with('<') => self.tiler()?,
                rest if rest.starts_with('_') => {
                    self.at += 1;
                    Tiler::Keep
                }
                _ => Tiler::of(&self.expression()?),
            });
            if !self.eat(";") && !self.eat(",") {
                self.expect(">")?;
                break;
            }
        }
        self.depth -= 1;
        Ok(Tiler::Modes(entries))
    }

    /// The arguments of an operation, of which the last may be a tiler.
    fn arguments(&mut self) -> Result<(Vec<Term>, Option<Tiler>)> {
        let mut values = Vec::new();
        while !self.eat(")") {
            if self.rest().starts_with('<') {
                let tiler = self.tiler()?;
                self.expect(")")?;
                return Ok((values, Some(tiler)));
            }
            values.push(self.expression()?);
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok((values, None))
    }

    fn call(&mut self, name: &'t str) -> Result<Term> {
        let start = self.at;
        let place = start..start + name.len();
        self.at += name.len();
        self.expect("(")?;
        let (values, tiler) = self.arguments()?;
        let known = functions::by_name(name).map(|function| function.name);
        if let Some(other) = known.filter(|known| !TAKING.contains(known)) {
            return Err(takes_numbers(other).at(place));
        }
        let sizes = &mut *self.sizes;
        let layouts = values.iter().map(|value| as_layout(sizes, value)).collect::<Result<Vec<Term>>>();
        let layouts = layouts.map_err(|why| why.at(start..self.at))?;
        let number = |ix: Ix| Ok(Term { shape: Tree::Leaf(ix), stride: None });
        // A number `n` is `n:1` as a tile, and a tuple tiles mode by mode.
        let by = tiler.clone().or_else(|| values.get(1).map(Tiler::of));
        let tiled = match (known, layouts.as_slice(), &by) {
            (Some(name), [a] | [a, _], Some(by)) => tiles::by_name(sizes, name, a, by),
            _ => None,
        };
        let found = match (known, layouts.as_slice()) {
            _ if tiled.is_some() || tiler.is_some() => tiled.unwrap_or_else(|| {
                let message =
                    format!("`{name}` takes no tiler, where a name of a size stands in the expression");
                Err(Refusal::new(Kind::Arguments, message).note(WHERE_NAMES_STAND))
            }),
            (Some("size"), [a]) => number(operations::size(sizes, a)),
            (Some("cosize"), [a]) => number(operations::cosize(sizes, a)),
            (Some("coalesce"), [a]) => Ok(operations::coalesce(sizes, a)),
            (Some("composition"), [a, b]) => operations::compose(sizes, a, b),
            (Some("complement"), [a]) => {
                let target = operations::cosize(sizes, a);
                operations::complement(sizes, a, &target)
            }
            (Some("complement"), [a, target]) => {
                let target = operations::size(sizes, target);
                operations::complement(sizes, a, &target)
            }
            (Some(function), _) => {
                let function =
                    functions::by_name(function).map(|known| known.parameters.names).unwrap_or_default();
                Err(Refusal::new(Kind::Arguments, format!("`{name}` takes {function}")).at(place.clone()))
            }
            (None, _) => {
                Err(Refusal::new(Kind::Arguments, format!("there is no operation `{name}`")).at(place))
            }
        };
        let found = found.map_err(|why| if why.place.is_some() { why } else { why.at(start..self.at) })?;
        if self.depth == 1 {
            self.operands = layouts;
        }
        Ok(found)
    }

    fn sum(&mut self) -> Result<Ix> {
        let first = self.atom()?;
        let first = self.product_from(first)?;
        self.sum_from(first)
    }

    fn sum_from(&mut self, mut sum: Ix) -> Result<Ix> {
        loop {
            let add = self.eat("+");
            if !add && !self.eat("-") {
                return Ok(sum);
            }
            let atom = self.atom()?;
            let next = self.product_from(atom)?;
            sum = if add { sum + next } else { sum - next };
        }
    }

    fn product_from(&mut self, mut product: Ix) -> Result<Ix> {
        loop {
            let Some(sign) = ["*", "/", "%"].into_iter().find(|sign| self.eat(sign)) else {
                return Ok(product);
            };
            self.rest();
            let start = self.at;
            let atom = self.atom()?;
            if matches!(atom, Ix::Lit(..=0)) && sign != "*" {
                let refusal = Refusal::new(Kind::Text, "a divisor is at least 1");
                return Err(refusal.at(start..self.at));
            }
            product = match sign {
                "*" => product * atom,
                "/" => product / atom,
                _ => product % atom,
            };
        }
    }

    fn atom(&mut self) -> Result<Ix> {
        if self.eat("(") {
            self.deeper()?;
            let sum = self.sum()?;
            self.depth -= 1;
            self.expect(")")?;
            return Ok(sum);
        }
        let negative = self.eat("-");
        let word = self.word();
        let start = self.at;
        if word == "ceil_div" {
            self.at += word.len();
            self.expect("(")?;
            self.deeper()?;
            let a = self.sum()?;
            self.expect(",")?;
            let b = self.sum()?;
            self.depth -= 1;
            self.expect(")")?;
            return Ok(if negative { Ix::ZERO - Ix::ceil_div(a, b) } else { Ix::ceil_div(a, b) });
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            self.at += word.len();
            let number = word.parse::<i64>().ok().filter(|n| (0..LIMIT).contains(n));
            let Some(n) = number else {
                return Err(Refusal::new(Kind::Text, format!("`{word}` is no number")).at(start..self.at));
            };
            return Ok(Ix::Lit(if negative { -n } else { n }));
        }
        match is_name(word).then(|| self.sizes.name(word)).flatten() {
            Some(size) => {
                self.at += word.len();
                Ok(if negative { Ix::ZERO - size } else { size })
            }
            None => self.expected("a layout, a tuple, a number, the name of a size or of an operation"),
        }
    }
}
