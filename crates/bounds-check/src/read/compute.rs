//! A `compute` as TVM has them, in JSON: tensors with their shapes, axes with their extents, and a body.

use super::{Reader, plain};
use crate::kernel::{Access, Affine, Kernel, Reduced, Stated, Statement};
use atl_diag::{Span, err};
use atl_teil::Refusal;
use atl_teil::language::{Placed, Reduction, Shape, Size};

/// That an index runs from 0 below a size.
fn below(index: Placed<String>, size: &Size, span: Span) -> Stated {
    let zero = Affine { terms: vec![], sizes: vec![], constant: 0, span };
    let to = match size {
        Size::Number(n) => Affine { constant: i64::try_from(*n).unwrap_or(i64::MAX), ..zero.clone() },
        Size::Variable(name) => plain(name, span),
    };
    Stated { index, from: zero, to }
}

impl Reader<'_> {
    /// `"text"`, read by `inside`.
    fn quoted<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T, Refusal>) -> Result<T, Refusal> {
        self.cursor.need("\"")?;
        let found = inside(self)?;
        self.cursor.need("\"")?;
        Ok(found)
    }

    /// A name or a size, in quotation marks or without.
    fn json_size(&mut self) -> Result<Size, Refusal> {
        if self.cursor.peek() == "\"" { self.quoted(Self::size) } else { self.size() }
    }

    /// `[a, b]` or `{"a": b}`, with `next` for what is between the commas.
    fn list(
        &mut self,
        (open, close): (&str, &str),
        mut next: impl FnMut(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.cursor.need(open)?;
        while !self.cursor.eat(close) {
            next(self)?;
            if self.cursor.peek() != close {
                self.cursor.need(",")?;
            }
        }
        Ok(())
    }

    fn shape(&mut self) -> Result<Shape, Refusal> {
        let mut shape = Vec::new();
        self.list(("[", "]"), |reader| {
            shape.push(reader.json_size()?);
            Ok(())
        })?;
        Ok(shape)
    }

    /// `"key":`
    fn key(&mut self) -> Result<Placed<String>, Refusal> {
        let key = self.quoted(|reader| reader.name("a key"))?;
        self.cursor.need(":")?;
        Ok(key)
    }

    pub(super) fn compute(&mut self, mut declared: Vec<(Placed<String>, Shape)>) -> Result<Kernel, Refusal> {
        let mut name = None;
        let (mut shape, mut axes, mut ranges, mut body) = (vec![], vec![], vec![], None);
        let mut op = Reduction::Sum;
        let mut seen: Vec<String> = Vec::new();
        let start = self.cursor.span();
        self.list(("{", "}"), |reader| {
            let key = reader.key()?;
            if seen.contains(&key.value) {
                return Err(Box::new(err!(E0297, key.span, "`{}` is stated twice", key.value)));
            }
            seen.push(key.value.clone());
            match key.value.as_str() {
                "tensors" => reader.list(("{", "}"), |reader| {
                    let tensor = reader.key()?;
                    reader.tensors.push(tensor.value.clone());
                    declared.push((tensor, reader.shape()?));
                    Ok(())
                }),
                "name" => {
                    name = Some(reader.quoted(|reader| reader.name("the result's name"))?);
                    Ok(())
                }
                "shape" => {
                    shape = reader.shape()?;
                    Ok(())
                }
                "axes" => reader.list(("[", "]"), |reader| {
                    axes.push(reader.quoted(|reader| reader.name("an index"))?);
                    Ok(())
                }),
                "reduce" => reader.list(("{", "}"), |reader| {
                    let index = reader.key()?;
                    let start = reader.cursor.span();
                    let size = reader.json_size()?;
                    ranges.push(below(index, &size, start.to(reader.cursor.last())));
                    Ok(())
                }),
                "reducer" => {
                    let words = [
                        ("sum", Reduction::Sum),
                        ("prod", Reduction::Product),
                        ("min", Reduction::Min),
                        ("max", Reduction::Max),
                    ];
                    let word = reader.quoted(|reader| reader.name("a reducer"))?;
                    op = words.iter().find(|(name, _)| *name == word.value).map(|(_, op)| *op).ok_or_else(
                        || {
                            let refusal = err!(E0297, word.span, "there is no reducer `{}`", word.value);
                            Box::new(refusal.help("there are `sum`, `prod`, `min` and `max`"))
                        },
                    )?;
                    Ok(())
                }
                "body" => {
                    body = Some(reader.quoted(Self::sum)?);
                    Ok(())
                }
                other => Err(Box::new(
                    err!(E0297, key.span, "a compute has no `{other}`")
                        .help("it has `tensors`, `name`, `shape`, `axes`, `reduce`, `reducer` and `body`"),
                )),
            }
        })?;
        let span = start.to(self.cursor.last());
        let (Some(tensor), Some(value)) = (name, body) else {
            return Err(Box::new(err!(E0297, start, "a compute has a `name` and a `body`")));
        };
        if axes.len() != shape.len() {
            let (axes, sizes) = (axes.len(), shape.len());
            return Err(Box::new(err!(
                E0297,
                tensor.span,
                "there are {axes} `axes` and {sizes} sizes in `shape`"
            )));
        }
        let is_axis = |axes: &[Placed<String>], index: &Placed<String>| {
            axes.iter().any(|axis| axis.value == index.value)
        };
        let repeated = (0..axes.len()).find(|k| is_axis(&axes[..*k], &axes[*k])).map(|k| &axes[k]);
        let reduced = ranges.iter().map(|stated| &stated.index).find(|index| is_axis(&axes, index));
        if let Some(Placed { value, span }) = repeated.or(reduced) {
            return Err(Box::new(
                err!(E0297, *span, "`{value}` is an index twice")
                    .label("named before")
                    .help("an axis is where the result is written, and what stands under `reduce` is gone: each has a name of its own"),
            ));
        }
        // What is read at another name would be summed over a range that nothing but the read gives.
        let known = |name: &str| {
            axes.iter().any(|axis| axis.value == name)
                || ranges.iter().any(|stated| stated.index.value == name)
        };
        for index in value.reads().into_iter().flat_map(|read| &read.indices) {
            if let Some((_, name)) = index.terms.iter().find(|(_, name)| !known(name)) {
                return Err(Box::new(
                    err!(E0297, index.span, "`{name}` is no index of this compute")
                        .label("neither among the `axes` nor under `reduce`")
                        .help(format!(
                            "name it under `reduce`, with its extent: `\"reduce\": {{\"{name}\": …}}`"
                        )),
                ));
            }
        }
        let indices = axes.iter().map(|axis| plain(&axis.value, axis.span)).collect();
        declared.push((tensor.clone(), shape));
        let target = Access { tensor, indices, span };
        Ok(Kernel {
            declared,
            statements: vec![Statement { target, onto: None, value, reduced: Reduced::Whole(op), ranges }],
            smallest: false,
        })
    }
}
