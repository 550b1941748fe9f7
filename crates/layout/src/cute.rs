//! CuTe's spellings in C++: `Layout<Shape<_4,_2>, Stride<_1,_4>>{}`, `make_layout(make_shape(4, 2), make_stride(1, 4))`.
//!
//! They are read so that a line of a kernel may be pasted; what is printed is CuTe's short notation. Types and the functions that make
//! their values are one here, since every number is known. Names of operations stand in `functions`.

use crate::refusal::{Kind, Refusal, Result};
use crate::text::{Reader, concat, layout};
use crate::tree::Tree;
use crate::value::{Args, Item, Value};

/// What a spelling makes.
#[derive(Clone, Copy)]
pub(crate) enum Spelling {
    Number,
    Tuple,
    Tiler,
    Layout,
}

/// The spelling of this name, and its brackets.
pub(crate) fn spelling(name: &str) -> Option<(Spelling, char, char)> {
    let made = match name {
        "Int" | "C" => Spelling::Number,
        "Shape" | "Stride" | "Step" | "Coord" | "make_shape" | "make_stride" | "make_coord"
        | "make_tuple" => Spelling::Tuple,
        "Tile" | "make_tile" => Spelling::Tiler,
        "Layout" | "make_layout" => Spelling::Layout,
        _ => return None,
    };
    let (open, close) = if name.starts_with("make_") { ('(', ')') } else { ('<', '>') };
    Some((made, open, close))
}

impl Reader<'_> {
    /// What stands after the name of a spelling.
    pub(crate) fn spelled(&mut self, (made, open, close): (Spelling, char, char)) -> Result<Value> {
        self.expect(open)?;
        let values = self.sequence(close, &[','])?;
        self.braces()?;
        match made {
            Spelling::Number => match values.as_slice() {
                [number @ Value::Tuple(Tree::Leaf(Item::Int(_)))] => Ok(number.clone()),
                _ => Err(Refusal::new(Kind::Arguments, "`Int<N>` has one number")),
            },
            Spelling::Tuple => {
                values.into_iter().map(part).collect::<Result<_>>().map(Tree::Node).map(Value::Tuple)
            }
            Spelling::Tiler => self.modes(&values),
            Spelling::Layout => match values.as_slice() {
                [shape @ Value::Tuple(_), stride @ Value::Tuple(_)] => layout(shape, stride),
                [_] => Ok(Args::new(&values).layout(0)?.into()),
                [_, ..] => concat(values),
                [] => Err(Refusal::new(Kind::Arguments, "a layout has a shape")),
            },
        }
    }

    /// The braces after a type, which make a value of it.
    pub(crate) fn braces(&mut self) -> Result<()> {
        if self.eat('{') { self.expect('}') } else { Ok(()) }
    }
}

/// A part of a tuple.
fn part(value: Value) -> Result<Tree<Item>> {
    match value {
        Value::Tuple(tree) => Ok(tree),
        other => Err(Refusal::new(Kind::Arguments, format!("{} stands in a tuple of numbers", other.kind()))),
    }
}
