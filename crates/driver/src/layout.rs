//! Expressions of layouts: evaluated, worded, drawn.
//!
//! ```
//! use atl_driver::layout::{By, Request};
//!
//! let answer = Request::new("logical_divide((4,2,3):(2,1,8), 4:2)").answer()?;
//! assert_eq!(answer.value.to_string(), "((2,2),(2,3)):((4,1),(2,8))");
//! assert!(answer.to_svg(&By::Value)?.starts_with("<svg"));
//! # Ok::<(), atl_driver::Failure>(())
//! ```
//!
//! The algebra is `atl-layout`; here its refusals get their codes, and a value the words beside it.

use atl_diag::{Diagnostic, SourceMap, Span, err};
use atl_layout::functions::TABLE;
use atl_layout::picture::{Figure, page, row};
use atl_layout::{Composed, Kind, Refusal, Shape, Swizzle, Tree};
use atl_session::Failure;
use std::sync::Arc;

pub use atl_layout::batch::{answer_numbered, value_json};
pub use atl_layout::picture::{By, Picture};
pub use atl_layout::{Layout, Value};

/// An expression.
#[derive(Clone, Debug)]
pub struct Request {
    sources: Arc<SourceMap>,
}

/// Its value.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The value.
    pub value: Value,
    /// What was remarked on the way.
    pub notes: Vec<String>,
    /// The operands of the outermost operation.
    pub operands: Vec<Value>,
    sources: Arc<SourceMap>,
}

/// What is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// The value.
    Result,
    /// The operands, and the value.
    Operands,
}

impl Request {
    /// An expression in CuTe's notation.
    pub fn new(expression: &str) -> Request {
        let mut sources = SourceMap::new();
        sources.add("the expression", expression);
        Request { sources: Arc::new(sources) }
    }

    fn text(&self) -> &str {
        self.sources.texts().next().unwrap_or_default()
    }

    /// Its value.
    ///
    /// # Errors
    /// It is no expression, or an operation in it is refused.
    pub fn answer(&self) -> Result<Answer, Failure> {
        let evaluation = atl_layout::evaluate(self.text()).map_err(|why| refused(&self.sources, *why))?;
        let atl_layout::Evaluation { value, notes, operands } = evaluation;
        Ok(Answer { value, notes, operands, sources: self.sources.clone() })
    }

    /// Its value, which must be a shape.
    ///
    /// # Errors
    /// It has none, or another one.
    pub fn shape(&self) -> Result<Shape, Failure> {
        let whole = 0..self.text().len();
        let other = |kind: &str| {
            let refusal = Refusal::new(Kind::Arguments, format!("{kind} stands where a shape is expected"));
            refused(&self.sources, *refusal.at(whole.clone()))
        };
        match self.answer()?.value {
            Value::Tuple(tuple) => tuple
                .try_map(&mut |item| match item {
                    atl_layout::Item::Int(n) => Ok(*n),
                    _ => Err(Refusal::new(Kind::Arguments, "a shape has numbers").at(whole.clone())),
                })
                .and_then(|shape| shape.check_extents().map(|()| shape))
                .map_err(|why| refused(&self.sources, *why)),
            value => Err(other(value.kind())),
        }
    }
}

impl Answer {
    /// What is true of the value, beside what was remarked.
    pub fn facts(&self) -> Vec<String> {
        facts(&self.value)
    }

    /// The value, a description of it, and its grid if it has one that can be printed.
    ///
    /// # Errors
    /// What colours a cell does not fit the value.
    pub fn to_text(&self, by: &By, shown: Shown) -> Result<String, Failure> {
        let mut out = String::new();
        let before = if shown == Shown::Operands { self.operands.as_slice() } else { &[] };
        for operand in before {
            out += &format!("{operand}\n{}\n", self.grid(operand, by)?);
        }
        out += &format!("{}\n", self.value);
        for line in self.facts().iter().chain(&self.notes) {
            out += &format!("  {line}\n");
        }
        Ok(out + &self.grid(&self.value, by)?)
    }

    /// The grid as text. Too large a one is no mistake here.
    fn grid(&self, value: &Value, by: &By) -> Result<String, Failure> {
        match Picture::of(value, by) {
            Ok(picture) => Ok(picture.map_or_else(String::new, |picture| picture.to_text())),
            Err(why) if why.kind == Kind::TooLarge => Ok(String::new()),
            Err(why) => Err(refused(&self.sources, *why)),
        }
    }

    /// The drawing of the value.
    ///
    /// # Errors
    /// It is no layout, is too large, or what colours a cell does not fit it.
    pub fn to_svg(&self, by: &By) -> Result<String, Failure> {
        Ok(row(&[self.drawn(&self.value, by)?]))
    }

    /// The drawings of the operands that are layouts, and of the value, side by side.
    ///
    /// # Errors
    /// As for [`Answer::to_svg`].
    pub fn to_svg_with_operands(&self, by: &By) -> Result<String, Failure> {
        let before: Result<Vec<Option<Picture>>, Failure> =
            self.operands.iter().map(|operand| self.operand(operand, by)).collect();
        let pictures = before?.into_iter().flatten().chain([self.drawn(&self.value, by)?]);
        Ok(row(&pictures.collect::<Vec<_>>()))
    }

    /// A page with the drawings and the description of the value.
    ///
    /// # Errors
    /// As for [`Answer::to_svg`].
    pub fn to_html(&self, by: &By, shown: Shown) -> Result<String, Failure> {
        let mut figures = Vec::new();
        if shown == Shown::Operands {
            for operand in &self.operands {
                let picture = self.operand(operand, by)?;
                figures.push(Figure { caption: operand.to_string(), picture, notes: facts(operand) });
            }
        }
        let picture = Picture::of(&self.value, by).map_err(|why| refused(&self.sources, *why))?;
        let notes = self.facts().into_iter().chain(self.notes.clone()).collect();
        figures.push(Figure { caption: self.value.to_string(), picture, notes });
        Ok(page(self.sources.texts().next().unwrap_or_default(), &figures))
    }

    /// An operand is drawn by its values where the colours of the result do not fit it.
    fn operand(&self, operand: &Value, by: &By) -> Result<Option<Picture>, Failure> {
        let picture = Picture::of(operand, by).or_else(|_| Picture::of(operand, &By::Value));
        picture.map_err(|why| refused(&self.sources, *why))
    }

    fn drawn(&self, value: &Value, by: &By) -> Result<Picture, Failure> {
        let nothing =
            || Refusal::new(Kind::Arguments, format!("{} is not drawn", value.kind())).note("layouts are");
        // A shape alone is the compact layout, the left mode fastest.
        let compact = match value {
            Value::Tuple(tuple @ Tree::Node(_)) => {
                let extent = |item: &atl_layout::Item| match item {
                    atl_layout::Item::Int(n) => Ok(*n),
                    _ => Err(nothing()),
                };
                tuple.try_map(&mut { extent }).and_then(Layout::column_major).map(Value::from)
            }
            other => Ok(other.clone()),
        };
        let picture = compact.and_then(|value| Picture::of(&value, by)?.ok_or_else(nothing));
        picture.map_err(|why| refused(&self.sources, *why))
    }
}

/// Size and the like, on one line.
fn facts(value: &Value) -> Vec<String> {
    let of = |size: i64, rank: usize, depth: usize| format!("size {size}, rank {rank}, depth {depth}");
    match value {
        Value::Layout(layout) => {
            let (size, shape) = (layout.size(), layout.shape());
            let (least, most) = layout.range();
            vec![format!("{}, values {least} to {most}", of(size, shape.rank(), shape.depth()))]
        }
        Value::Coordinates(atl_layout::Shifted { layout, .. }) => {
            vec![of(layout.size(), layout.rank(), layout.shape().depth())]
        }
        Value::Composed(Composed { swizzle: Swizzle::IDENTITY, offset, layout }) => {
            let (least, most) = layout.range();
            let (least, most) =
                (i128::from(least) + i128::from(*offset), i128::from(most) + i128::from(*offset));
            vec![format!(
                "{}, values {least} to {most}",
                of(layout.size(), layout.rank(), layout.shape().depth())
            )]
        }
        Value::Symbolic(layout) => layout.facts().into_iter().collect(),
        Value::Composed(composed) => {
            let layout = &composed.layout;
            vec![of(layout.size(), layout.rank(), layout.shape().depth())]
        }
        _ => Vec::new(),
    }
}

/// The operations, a line each: how they are called, and what they do.
pub fn operations() -> Vec<(String, &'static str)> {
    TABLE.iter().map(|function| (function.signature(), function.summary)).collect()
}

/// A refusal with its code, at its place.
fn refused(sources: &Arc<SourceMap>, why: Refusal) -> Failure {
    let span = why.place.map(|place| Span::new(atl_diag::FileId(0), place.start as u32, place.end as u32));
    let message = why.message;
    let diagnostic: Diagnostic = match why.kind {
        Kind::Text | Kind::Line => err!(E0271, span, "{message}"),
        Kind::Arguments => err!(E0272, span, "{message}"),
        Kind::Trees => err!(E0273, span, "{message}"),
        Kind::Range => err!(E0274, span, "{message}"),
        Kind::TooLarge => err!(E0275, span, "{message}"),
        Kind::Divisibility => err!(E0276, span, "{message}"),
        Kind::Carry => err!(E0277, span, "{message}"),
        Kind::Overlap => err!(E0278, span, "{message}"),
        Kind::Inverse => err!(E0279, span, "{message}"),
        Kind::NoLayout => err!(E0280, span, "{message}"),
    };
    let diagnostic = why.notes.into_iter().fold(diagnostic, Diagnostic::note);
    Failure::new(sources, why.help.into_iter().fold(diagnostic, Diagnostic::help))
}
