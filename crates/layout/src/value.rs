//! What an expression is worth, and the arguments of an operation.

use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};
use crate::shifted::{Domain, Shifted};
use crate::stride::{Stride, Vector};
use crate::swizzle::{Composed, Swizzle, notation};
use crate::symbolic::Symbolic;
use crate::tree::{Shape, Tree};
use std::fmt;

/// A leaf of a tuple.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A number.
    Int(i64),
    /// A stride of a coordinate layout.
    Vector(Vector),
    /// `_`: all of a mode, or a mode left alone.
    Hole,
}

/// What is applied to the modes of a layout, one by one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tiler {
    /// This layout, to the mode as a whole.
    Layout(Layout),
    /// These, to the first submodes.
    Modes(Vec<Tiler>),
    /// Nothing.
    Keep,
}

/// The value of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A number, a shape, a coordinate.
    Tuple(Tree<Item>),
    /// A layout.
    Layout(Layout),
    /// A layout into a space of coordinates, perhaps with an offset.
    Coordinates(Shifted),
    /// A layout behind a swizzle, or with an offset.
    Composed(Composed),
    /// A swizzle.
    Swizzle(Swizzle),
    /// A tiler.
    Tiler(Tiler),
    /// Yes or no.
    Bool(bool),
    /// Values in a row.
    List(Vec<Value>),
    /// A layout, or a tuple, with names for sizes.
    Symbolic(Symbolic),
}

impl Value {
    /// A number.
    pub fn int(n: i64) -> Value {
        Value::Tuple(Tree::Leaf(Item::Int(n)))
    }

    /// A list of numbers.
    pub fn ints(numbers: impl IntoIterator<Item = i64>) -> Value {
        Value::List(numbers.into_iter().map(Value::int).collect())
    }

    /// What it is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Tuple(Tree::Leaf(Item::Int(_))) => "a number",
            Value::Tuple(Tree::Leaf(Item::Hole)) => "`_`",
            Value::Tuple(_) => "a tuple",
            Value::Layout(_) => "a layout",
            Value::Coordinates(Shifted { offset, .. }) if offset.is_zero() => "a layout into coordinates",
            Value::Coordinates(_) => "a layout into coordinates with an offset",
            Value::Composed(Composed { swizzle: Swizzle::IDENTITY, .. }) => "a layout with an offset",
            Value::Composed(_) => "a swizzled layout",
            Value::Swizzle(_) => "a swizzle",
            Value::Tiler(_) => "a tiler",
            Value::Bool(_) => "a truth value",
            Value::List(_) => "a list",
            Value::Symbolic(_) => "a layout with names for sizes",
        }
    }
}

impl From<Layout> for Value {
    fn from(layout: Layout) -> Value {
        Value::Layout(layout)
    }
}

impl From<Layout<Vector>> for Value {
    fn from(layout: Layout<Vector>) -> Value {
        Value::Coordinates(layout.into())
    }
}

impl From<Shifted> for Value {
    fn from(shifted: Shifted) -> Value {
        Value::Coordinates(shifted)
    }
}

/// Without a swizzle and an offset it is a layout.
impl From<Composed> for Value {
    fn from(composed: Composed) -> Value {
        match composed {
            Composed { swizzle: Swizzle::IDENTITY, offset: 0, layout } => Value::Layout(layout),
            composed => Value::Composed(composed),
        }
    }
}

impl From<Shape> for Value {
    fn from(shape: Shape) -> Value {
        Value::Tuple(shape.map(&mut |n| Item::Int(*n)))
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Int(n) => n.fmt(f),
            Item::Vector(vector) => vector.fmt(f),
            Item::Hole => f.write_str("_"),
        }
    }
}

impl fmt::Display for Tiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tiler::Layout(layout) => layout.fmt(f),
            Tiler::Keep => f.write_str("_"),
            Tiler::Modes(modes) => {
                let modes: Vec<String> = modes.iter().map(Tiler::to_string).collect();
                write!(f, "<{}>", modes.join(";"))
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Tuple(tuple) => tuple.fmt(f),
            Value::Layout(layout) => layout.fmt(f),
            Value::Coordinates(layout) => layout.fmt(f),
            Value::Composed(composed) => composed.fmt(f),
            Value::Swizzle(swizzle) => f.write_str(&notation(*swizzle)),
            Value::Tiler(tiler) => tiler.fmt(f),
            Value::Bool(answer) => answer.fmt(f),
            Value::Symbolic(layout) => layout.fmt(f),
            Value::List(values) => {
                let values: Vec<String> = values.iter().map(Value::to_string).collect();
                write!(f, "[{}]", values.join(","))
            }
        }
    }
}

/// A layout whose strides are of either kind.
pub(crate) enum Either {
    Integers(Layout),
    Vectors(Layout<Vector>),
}

/// Does the same with either kind of layout.
macro_rules! either {
    ($either:expr, $layout:ident => $body:expr) => {
        match $either {
            $crate::value::Either::Integers($layout) => $crate::value::Value::from($body),
            $crate::value::Either::Vectors($layout) => $crate::value::Value::from($body),
        }
    };
}
pub(crate) use either;

/// The arguments of an operation, read as what it expects.
pub(crate) struct Args<'a> {
    values: &'a [Value],
}

impl<'a> Args<'a> {
    pub(crate) fn new(values: &'a [Value]) -> Args<'a> {
        Args { values }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn value(&self, k: usize) -> Option<&'a Value> {
        self.values.get(k)
    }

    fn expected<T>(&self, k: usize, what: &str) -> Result<T> {
        let found = self.value(k).map_or("nothing", Value::kind);
        let message = format!("argument {} is {found}, and {what} is expected", k + 1);
        let refusal = Refusal::new(Kind::Arguments, message);
        Err(match self.value(k) {
            Some(Value::Composed(Composed { swizzle: Swizzle::IDENTITY, offset, .. })) => {
                refusal.note(format!("{offset} is added to its values, and is not left out silently"))
            }
            Some(Value::Coordinates(Shifted { offset, .. })) if !offset.is_zero() => {
                refusal.note(format!("{offset} is added to its values, and is not left out silently"))
            }
            _ => refusal,
        })
    }

    /// A layout; a shape alone is the compact one, the left mode fastest.
    pub(crate) fn layout(&self, k: usize) -> Result<Layout> {
        match self.value(k) {
            Some(Value::Layout(layout)) => Ok(layout.clone()),
            Some(Value::Tuple(_)) => Layout::column_major(self.shape(k)?),
            _ => self.expected(k, "a layout"),
        }
    }

    /// A layout of either kind.
    pub(crate) fn either(&self, k: usize) -> Result<Either> {
        match self.value(k) {
            Some(Value::Coordinates(_)) => Ok(Either::Vectors(self.coordinates(k)?)),
            _ => Ok(Either::Integers(self.layout(k)?)),
        }
    }

    /// A layout of either kind, with what comes after it.
    pub(crate) fn domain(&self, k: usize) -> Result<Domain> {
        match self.value(k) {
            Some(Value::Coordinates(shifted)) => Ok(Domain::Vectors(shifted.clone())),
            _ => Ok(Domain::Integers(self.composed(k)?)),
        }
    }

    /// A layout into coordinates.
    pub(crate) fn coordinates(&self, k: usize) -> Result<Layout<Vector>> {
        match self.value(k) {
            Some(Value::Coordinates(Shifted { offset, layout })) if offset.is_zero() => Ok(layout.clone()),
            _ => self.expected(k, "a layout into coordinates, such as `identity((4,3))`"),
        }
    }

    /// A layout, with an offset and behind a swizzle or not.
    pub(crate) fn composed(&self, k: usize) -> Result<Composed> {
        match self.value(k) {
            Some(Value::Composed(composed)) => Ok(composed.clone()),
            _ => Ok(self.layout(k)?.into()),
        }
    }

    pub(crate) fn swizzle(&self, k: usize) -> Result<Swizzle> {
        match self.value(k) {
            Some(Value::Swizzle(swizzle)) => Ok(*swizzle),
            _ => self.expected(k, "a swizzle, such as `Sw<3,4,3>`"),
        }
    }

    pub(crate) fn int(&self, k: usize) -> Result<i64> {
        match self.value(k) {
            Some(Value::Tuple(Tree::Leaf(Item::Int(n)))) => Ok(*n),
            _ => self.expected(k, "a number"),
        }
    }

    /// A number, or what stands for it when it is left out.
    pub(crate) fn int_or(&self, k: usize, default: i64) -> Result<i64> {
        if self.value(k).is_none() { Ok(default) } else { self.int(k) }
    }

    /// A number of at least 1, or what stands for it when it is left out.
    pub(crate) fn positive_or(&self, k: usize, default: i64) -> Result<i64> {
        match self.int_or(k, default)? {
            n @ 1.. => Ok(n),
            n => Err(Refusal::new(
                Kind::Range,
                format!("argument {} is {n}, and at least 1 is expected", k + 1),
            )),
        }
    }

    /// A tuple of numbers.
    pub(crate) fn tuple(&self, k: usize) -> Result<Tree<i64>> {
        match self.value(k) {
            Some(Value::Tuple(tuple)) => tuple.try_map(&mut |item| match item {
                Item::Int(n) => Ok(*n),
                _ => self.expected(k, "one of numbers alone"),
            }),
            _ => self.expected(k, "a tuple"),
        }
    }

    /// A shape; of a layout, its own.
    pub(crate) fn shape(&self, k: usize) -> Result<Shape> {
        let shape = match self.value(k) {
            Some(Value::Layout(layout)) => layout.shape().clone(),
            Some(Value::Coordinates(shifted)) => shifted.layout.shape().clone(),
            Some(Value::Composed(composed)) => composed.layout.shape().clone(),
            _ => self.tuple(k)?,
        };
        shape.check_extents()?;
        Ok(shape)
    }

    /// A coordinate of which nothing is left open.
    pub(crate) fn coordinate(&self, k: usize) -> Result<Tree<Option<i64>>> {
        Ok(self.tuple(k)?.map(&mut |n| Some(*n)))
    }

    /// A coordinate of which parts may be left open.
    pub(crate) fn open(&self, k: usize) -> Result<Tree<Option<i64>>> {
        match self.value(k) {
            Some(Value::Tuple(tuple)) => tuple.try_map(&mut |item| match item {
                Item::Int(n) => Ok(Some(*n)),
                Item::Hole => Ok(None),
                Item::Vector(_) => self.expected(k, "a coordinate"),
            }),
            _ => self.expected(k, "a coordinate, such as `(2,_)`"),
        }
    }

    /// A tiler: a layout; or a tuple, of which a number `n` stands for `n:1`.
    pub(crate) fn tiler(&self, k: usize) -> Result<Tiler> {
        match self.value(k) {
            Some(value) => tiler(value).unwrap_or_else(|| self.expected(k, "a tiler")),
            None => self.expected(k, "a tiler"),
        }
    }

    /// A list of numbers.
    pub(crate) fn list(&self, k: usize) -> Result<Vec<i64>> {
        let values = match self.value(k) {
            Some(Value::List(values)) => values,
            Some(Value::Tuple(Tree::Node(_))) => {
                return Ok(self.tuple(k)?.leaves().into_iter().copied().collect());
            }
            _ => return self.expected(k, "a list, such as `[0,2,4]`"),
        };
        let number = |value: &Value| match value {
            Value::Tuple(Tree::Leaf(Item::Int(n))) => Ok(*n),
            _ => self.expected(k, "a list of numbers"),
        };
        values.iter().map(number).collect()
    }
}

/// A value as a tiler, if it may be one.
pub(crate) fn tiler(value: &Value) -> Option<Result<Tiler>> {
    fn of(tuple: &Tree<Item>) -> Option<Result<Tiler>> {
        match tuple {
            Tree::Leaf(Item::Int(n)) => Some(Layout::mode(*n, 1).map(Tiler::Layout)),
            Tree::Leaf(Item::Hole) => Some(Ok(Tiler::Keep)),
            Tree::Leaf(Item::Vector(_)) => None,
            Tree::Node(children) => {
                let modes: Option<Vec<Result<Tiler>>> = children.iter().map(of).collect();
                Some(modes?.into_iter().collect::<Result<_>>().map(Tiler::Modes))
            }
        }
    }
    match value {
        Value::Tiler(tiler) => Some(Ok(tiler.clone())),
        Value::Layout(layout) => Some(Ok(Tiler::Layout(layout.clone()))),
        Value::Tuple(tuple) => of(tuple),
        _ => None,
    }
}
