//! Expressions of the algebra, in CuTe's notation.
//!
//! ```text
//! expression := operand { 'o' operand }                 composition; `∘` is the same
//! operand    := primary [ ':' primary ]                 shape:stride
//!             | vector '+' operand                       an offset, and a layout
//! primary    := number { '@' number } { '+' … } | '_' | NAME '(' … ')' | 'Sw<3,4,3>' | a spelling of `cute`
//!             | '(' … ')' | '<' … ';' … '>' | '[' … ']'  tuple, tiler, list
//! ```
//!
//! Numbers may have the underscore of static integers, and a tuple a comma before its end. A tuple of layouts is the layout with
//! these modes; around one layout, parentheses only group. An expression is evaluated as it is read, so that a refusal is at its
//! place. It nests at most [`MAX_DEPTH`] deep, since values are taken apart by recursion.

use crate::cute;
use crate::functions;
use crate::functions::composition;
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};
use crate::shifted::Shifted;
use crate::stride::{Stride, Vector};
use crate::swizzle::{Composed, Swizzle, swizzle};
use crate::symbolic;
use crate::tree::Tree;
use crate::value::{Item, Tiler, Value, tiler};
use std::ops::Range;

/// How deep an expression may nest.
pub const MAX_DEPTH: usize = 64;

/// How many bytes an expression may have.
pub const MAX_BYTES: usize = 1 << 20;

/// The value of an expression, with what was remarked on the way.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The value.
    pub value: Value,
    /// Remarks: which two indices collide, that a complement leaves gaps.
    pub notes: Vec<String>,
    /// The operands of the outermost operation.
    pub operands: Vec<Value>,
}

/// Evaluates an expression.
///
/// # Errors
/// It is no expression, or an operation in it is refused.
pub fn evaluate(text: &str) -> Result<Evaluation> {
    if text.len() > MAX_BYTES {
        return Err(Refusal::new(Kind::TooLarge, format!("the expression has {} bytes", text.len()))
            .note(format!("at most {MAX_BYTES} are read")));
    }
    if symbolic::has_names(text) {
        return symbolic::evaluate(text);
    }
    let mut reader = Reader { text, at: 0, depth: 0, notes: Vec::new(), operands: Vec::new() };
    let value = reader.expression()?;
    match reader.peek() {
        None => Ok(Evaluation { value, notes: reader.notes, operands: reader.operands }),
        Some(_) => reader.expected("the end"),
    }
}

pub(crate) struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    notes: Vec<String>,
    operands: Vec<Value>,
}

impl<'t> Reader<'t> {
    /// The next character that is no blank.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    pub(crate) fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    pub(crate) fn expect(&mut self, wanted: char) -> Result<()> {
        if self.eat(wanted) { Ok(()) } else { self.expected(&format!("`{wanted}`")) }
    }

    fn expected<T>(&mut self, what: &str) -> Result<T> {
        let (found, end) = match self.peek() {
            Some(c) => (format!("`{c}`"), self.at + c.len_utf8()),
            None => ("the end".to_owned(), self.at),
        };
        Err(Refusal::new(Kind::Text, format!("expected {what}, found {found}")).at(self.at..end))
    }

    /// The longest run of such characters here.
    fn run(&mut self, accept: impl Fn(char) -> bool) -> &'t str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn expression(&mut self) -> Result<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Refusal::new(
                Kind::TooLarge,
                format!("the expression nests deeper than {MAX_DEPTH}"),
            )
            .at(self.at..self.at));
        }
        self.peek();
        let start = self.at;
        let mut chain = vec![self.operand()?];
        while self.composes() {
            chain.push(self.operand()?);
        }
        self.depth -= 1;
        if chain.len() > 1 && self.depth == 0 {
            self.operands.clone_from(&chain);
        }
        self.compose(chain).map_err(|refusal| refusal.at(start..self.at))
    }

    /// Is there an `o`, as a word of its own?
    fn composes(&mut self) -> bool {
        if self.eat('∘') {
            return true;
        }
        self.peek();
        let after = self.text[self.at..].strip_prefix('o');
        let found =
            after.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        if found {
            self.at += 1;
        }
        found
    }

    /// From the right: composition is associative where all of it is admissible.
    fn compose(&mut self, mut chain: Vec<Value>) -> Result<Value> {
        let Some(mut right) = chain.pop() else { return self.expected("an operand") };
        while let Some(left) = chain.pop() {
            right = match (left, right) {
                (offset @ Value::Tuple(Tree::Leaf(Item::Int(_))), right)
                    if matches!(chain.last(), Some(Value::Swizzle(_))) =>
                {
                    shifted(&offset, right)?
                }
                (left, right) => composition::apply(&[left, right], &mut self.notes)?,
            };
        }
        Ok(right)
    }

    fn operand(&mut self) -> Result<Value> {
        self.peek();
        let start = self.at;
        let shape = self.primary()?;
        if matches!(shape, Value::Tuple(Tree::Leaf(Item::Int(_) | Item::Vector(_)))) && self.eat('+') {
            let layout = self.operand()?;
            return shifted(&shape, layout).map_err(|refusal| refusal.at(start..self.at));
        }
        if !self.eat(':') {
            return Ok(shape);
        }
        let stride = self.primary()?;
        layout(&shape, &stride).map_err(|refusal| refusal.at(start..self.at))
    }

    fn primary(&mut self) -> Result<Value> {
        match self.peek() {
            Some('(') => self.tuple(),
            Some('<') => self.tiler(),
            Some('[') => {
                self.at += 1;
                Ok(Value::List(self.sequence(']', &[','])?))
            }
            Some('_' | '-' | '0'..='9') => self.item().map(|item| Value::Tuple(Tree::Leaf(item))),
            Some(c) if c.is_ascii_alphabetic() => self.named(),
            _ => self.expected("a layout, a tuple, a number or the name of an operation"),
        }
    }

    /// Expressions up to a closing bracket, of which the opening one was read.
    pub(crate) fn sequence(&mut self, close: char, separators: &[char]) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        while !self.eat(close) {
            values.push(self.expression()?);
            if !separators.iter().any(|separator| self.eat(*separator)) {
                self.expect(close)?;
                break;
            }
        }
        Ok(values)
    }

    fn tuple(&mut self) -> Result<Value> {
        let start = self.at;
        self.at += 1;
        let values = self.sequence(')', &[','])?;
        let place = start..self.at;
        if values.iter().all(|value| matches!(value, Value::Tuple(_))) {
            let trees = values.into_iter().filter_map(|value| match value {
                Value::Tuple(tree) => Some(tree),
                _ => None,
            });
            return Ok(Value::Tuple(Tree::Node(trees.collect())));
        }
        if let [value] = values.as_slice() {
            return Ok(value.clone());
        }
        concat(values).map_err(|refusal| refusal.at(place))
    }

    fn tiler(&mut self) -> Result<Value> {
        let start = self.at;
        self.at += 1;
        let values = self.sequence('>', &[';', ','])?;
        self.modes(&values).map_err(|refusal| refusal.at(start..self.at))
    }

    /// The tiler of these modes.
    pub(crate) fn modes(&mut self, values: &[Value]) -> Result<Value> {
        let modes: Result<Vec<Tiler>> = values
            .iter()
            .map(|value| {
                let refusal = || {
                    Refusal::new(Kind::Arguments, format!("{} is no part of a tiler", value.kind()))
                        .note("a tiler has layouts, numbers, `_` and tilers")
                };
                tiler(value).unwrap_or_else(|| Err(refusal()))
            })
            .collect();
        Ok(Value::Tiler(Tiler::Modes(modes?)))
    }

    /// A number, a vector or `_`.
    fn item(&mut self) -> Result<Item> {
        let start = self.at;
        let under = self.eat('_');
        if under && !self.text[self.at..].starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return Ok(Item::Hole);
        }
        let first = self.number(start)?;
        if !self.text[self.at..].starts_with('@') {
            return Ok(Item::Int(first));
        }
        let mut sum = self.vector(first)?;
        // Another term, not what the sum is added to.
        let term = |rest: &str| {
            rest.strip_prefix('+')
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
        };
        while term(&self.text[self.at..]) {
            self.at += 1;
            let start = self.at;
            let next = self.number(start)?;
            let term = self.vector(next)?;
            sum = sum.plus(&term).map_err(|refusal| refusal.at(start..self.at))?;
        }
        Ok(Item::Vector(sum))
    }

    /// What follows the number of a term: `@0@1`.
    fn vector(&mut self, k: i64) -> Result<Vector> {
        let mut path = Vec::new();
        while self.text[self.at..].starts_with('@') {
            self.at += 1;
            let start = self.at;
            let component = self.number(start)?;
            match usize::try_from(component) {
                Ok(component) if path.len() < MAX_DEPTH => path.push(component),
                _ => {
                    return Err(Refusal::new(
                        Kind::Range,
                        "a path is of numbers from 0 on, at most 64 of them",
                    )
                    .at(start..self.at));
                }
            }
        }
        Ok(Vector::basis(k, path))
    }

    fn number(&mut self, start: usize) -> Result<i64> {
        let from = self.at;
        if self.text[self.at..].starts_with('-') {
            self.at += 1;
        }
        if self.run(|c| c.is_ascii_digit()).is_empty() {
            return self.expected("a number");
        }
        let limit = crate::tree::LIMIT;
        let number = self.text[from..self.at].parse::<i64>().ok().filter(|n| (-limit + 1..limit).contains(n));
        number.ok_or_else(|| crate::refusal::too_large("this number").at(start..self.at))
    }

    /// A call, or a swizzle.
    fn named(&mut self) -> Result<Value> {
        let start = self.at;
        let name = self.run(|c| c.is_ascii_alphanumeric() || c == '_');
        let place = start..self.at;
        if let Some(swizzle) = self.swizzle(name, start) {
            return swizzle;
        }
        if let Some(spelling) = cute::spelling(name) {
            return self.spelled(spelling).map_err(|refusal| refusal.at(start..self.at));
        }
        if name == "true" || name == "false" {
            return Ok(Value::Bool(name == "true"));
        }
        let Some(function) = functions::by_name(name) else {
            let similar = functions::similar(name);
            let refusal = Refusal::new(Kind::Arguments, format!("there is no operation `{name}`")).at(place);
            return Err(match similar {
                Some(similar) => refusal.help(format!("did you mean `{similar}`?")),
                None => refusal.help("`atl layout operations` lists them"),
            });
        };
        self.expect('(')?;
        let values = self.sequence(')', &[','])?;
        let value = function.call(&values, &mut self.notes).map_err(|refusal| refusal.at(start..self.at))?;
        if self.depth == 1 {
            self.operands = values;
        }
        Ok(value)
    }

    /// `Sw<3,4,3>`, `S<3,4,3>`, `Swizzle<3,4,3>{}` or `SW_3_4_3`.
    fn swizzle(&mut self, name: &str, start: usize) -> Option<Result<Value>> {
        let numbers: Vec<i64> = if let Some(rest) = name.strip_prefix("SW_") {
            rest.split('_').map_while(|n| n.parse().ok()).collect()
        } else if matches!(name, "Sw" | "S" | "Swizzle") && self.eat('<') {
            let mut numbers = Vec::new();
            while !self.eat('>') {
                self.peek();
                let start = self.at;
                match self.number(start) {
                    Ok(number) => numbers.push(number),
                    Err(refusal) => return Some(Err(refusal)),
                }
                if !self.eat(',') && self.peek() != Some('>') {
                    return Some(self.expected("`,` or `>`"));
                }
            }
            if let Err(refusal) = self.braces() {
                return Some(Err(refusal));
            }
            numbers
        } else {
            return None;
        };
        let place: Range<usize> = start..self.at;
        let swizzle = match numbers.as_slice() {
            [bits, base, shift] => swizzle(*bits, *base, *shift).map(Value::Swizzle),
            _ => Err(Refusal::new(Kind::Text, "a swizzle has three numbers: bits, base and shift")),
        };
        Some(swizzle.map_err(|refusal| refusal.at(place)))
    }
}

/// `offset + layout`.
fn shifted(offset: &Value, layout: Value) -> Result<Value> {
    match (offset, layout) {
        (Value::Tuple(Tree::Leaf(Item::Int(offset))), Value::Layout(layout)) => {
            Ok(Composed { swizzle: Swizzle::IDENTITY, offset: *offset, layout }.into())
        }
        (
            Value::Tuple(Tree::Leaf(Item::Int(offset))),
            Value::Composed(Composed { swizzle: Swizzle::IDENTITY, offset: more, layout }),
        ) => {
            let offset = offset.plus(&more)?;
            Ok(Composed { swizzle: Swizzle::IDENTITY, offset, layout }.into())
        }
        (Value::Tuple(Tree::Leaf(Item::Vector(offset))), Value::Coordinates(shifted)) => {
            Ok(Shifted { offset: offset.plus(&shifted.offset)?, layout: shifted.layout }.into())
        }
        // Strides of 0, or none, are those of coordinates too.
        (Value::Tuple(Tree::Leaf(Item::Vector(offset))), Value::Layout(layout))
            if layout.live().is_empty() =>
        {
            Ok(Shifted { offset: offset.clone(), layout: layout.to_vectors() }.into())
        }
        (offset, layout) => {
            let message = format!("an offset, {}, is added to {}", offset.kind(), layout.kind());
            Err(Refusal::new(Kind::Arguments, message).note(
                "a number is added to a layout, as in `9 + (4,2):(1,4)`, and a coordinate to a layout into coordinates, \
                 as in `2@0 + (4,3):(1@0,1@1)`",
            ))
        }
    }
}

/// `shape:stride`.
pub(crate) fn layout(shape: &Value, stride: &Value) -> Result<Value> {
    let (Value::Tuple(extents), Value::Tuple(strides)) = (shape, stride) else {
        let message = format!("{} and {} stand around `:`", shape.kind(), stride.kind());
        return Err(Refusal::new(Kind::Arguments, message).note("before it stands a shape, after it strides"));
    };
    let shape = extents.try_map(&mut |item| match item {
        Item::Int(n) => Ok(*n),
        _ => Err(Refusal::new(Kind::Arguments, format!("`{item}` is no extent"))),
    })?;
    let items = strides.leaves();
    if items.iter().any(|item| matches!(item, Item::Vector(_))) {
        let stride = strides.try_map(&mut |item| match item {
            Item::Vector(vector) => Ok(vector.clone()),
            Item::Int(0) => Ok(Vector::zero()),
            _ => Err(Refusal::new(Kind::Arguments, format!("`{item}` stands among strides such as `1@0`"))),
        })?;
        return Ok(Layout::try_new(shape, stride)?.into());
    }
    let stride = strides.try_map(&mut |item| match item {
        Item::Int(n) => Ok(*n),
        _ => Err(Refusal::new(Kind::Arguments, format!("`{item}` is no stride"))),
    })?;
    Ok(Layout::try_new(shape, stride)?.into())
}

/// A tuple of layouts; a number or a shape in it is a compact layout.
pub(crate) fn concat(values: Vec<Value>) -> Result<Value> {
    let args = crate::value::Args::new(&values);
    if values.iter().any(|value| matches!(value, Value::Coordinates(_))) {
        let modes: Result<Vec<_>> = (0..values.len()).map(|k| args.coordinates(k)).collect();
        return Ok(Layout::concat(modes?)?.into());
    }
    let modes: Result<Vec<_>> = (0..values.len()).map(|k| args.layout(k)).collect();
    Ok(Layout::concat(modes?)?.into())
}
