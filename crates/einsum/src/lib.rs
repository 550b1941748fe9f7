//! Index notation and einsum strings: a front end that becomes programs.
//!
//! ```
//! use atl_einsum::Request;
//!
//! let program = Request::new("y(i) = A(i,j) * x(j)").format("A:csr").translate()?;
//! assert_eq!(
//!     program.text,
//!     "\
//! fn y(A: f64[I, J] as csr, x: f64[J]) -> f64[I] {
//!     gen i < I { sum j < J { A[i, j] * x[j] } }
//! }
//!
//! schedule sparse of y {
//!     rounding real;
//!     sparsify;
//! }
//! "
//! );
//! # Ok::<(), atl_einsum::Refused>(())
//! ```
//!
//! The one idea: a notation is another way to write a program, so [`Request::translate`] makes the *text* of
//! one, which anybody can read, keep and change; what it means, whether it is safe and how it is made fast is
//! then not this crate's affair. What a program could not say well is refused here, at its place in the
//! notation.
//!
//! * `notation` and `einsum` read the two spellings into one `tree`; `format` reads formats.
//! * `sums` puts in the sums that index notation leaves out; `extents` unifies the extents of indices.
//! * `program` writes the program.

mod einsum;
mod extents;
mod format;
mod notation;
mod order;
mod program;
mod sums;
mod tree;

use atl_diag::{Color, Diagnostic, FileId, SourceMap, Span, err};
use atl_kernel::Scalar;
use atl_syntax::ast::Name;
use extents::Extents;
use program::{Element, Parts};
use std::fmt;
pub use tree::Refusal;
use tree::{Statement, Sums, distinct};

/// The longest notation, in bytes.
const MAX_BYTES: usize = 1 << 16;

/// How deep the program may nest; the parser of programs allows more.
const MAX_DEPTH: usize = 200;

/// A notation, and what it does not say: formats, element types, names.
#[derive(Clone, Debug)]
pub struct Request {
    notation: String,
    operands: Vec<String>,
    formats: Vec<String>,
    element: String,
    semiring: Option<String>,
    steps: String,
    shapes: Vec<(String, Vec<usize>)>,
}

/// The program that a notation is.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The program's text.
    pub text: String,
    /// Its function.
    pub function: String,
    /// Its schedule, unless everything is dense and the request has no steps.
    pub schedule: Option<String>,
    /// The operands, in the order of the function's parameters.
    pub operands: Vec<String>,
    /// The result's name in the notation.
    pub result: String,
    /// Where the function's text ends.
    written: usize,
    sources: SourceMap,
    extents: Extents,
}

/// Why a notation is no program.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The notation and the options, which the diagnostic points into.
    pub sources: SourceMap,
    /// The refusal.
    pub diagnostic: Box<Diagnostic>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic.render(&self.sources, Color::Never))
    }
}

impl std::error::Error for Refused {}

impl Request {
    /// Index notation, `y(i) = A(i,j) * x(j)`, or an einsum string, `ij,j->i`. Elements are `f64`, and
    /// everything is dense.
    pub fn new(notation: &str) -> Request {
        Request {
            notation: notation.to_owned(),
            operands: vec![],
            formats: vec![],
            element: "f64".to_owned(),
            semiring: None,
            steps: String::new(),
            shapes: vec![],
        }
    }

    /// Names the next operand of an einsum string.
    pub fn operand(mut self, name: &str) -> Request {
        self.operands.push(name.to_owned());
        self
    }

    /// Gives a tensor a format: `A:csr`, `A:[dense, compressed]`, or as TACO writes it, `A:ds:0,1`.
    pub fn format(mut self, format: &str) -> Request {
        self.formats.push(format.to_owned());
        self
    }

    /// Says what the elements are: `f32`, `i64`, …
    pub fn element(mut self, scalar: &str) -> Request {
        self.element = scalar.to_owned();
        self
    }

    /// Says what `+` and `*` mean: `min_plus`, …
    pub fn semiring(mut self, name: &str) -> Request {
        self.semiring = Some(name.to_owned());
        self
    }

    /// Steps of a schedule, after those that formats ask for: `parallel i;`.
    pub fn steps(mut self, steps: &str) -> Request {
        self.steps = steps.to_owned();
        self
    }

    /// Says the shape of an operand: `...` is read by it, and operands are multiplied in the order that is
    /// best for it.
    pub fn shape(mut self, name: &str, shape: &[usize]) -> Request {
        self.shapes.push((name.to_owned(), shape.to_vec()));
        self
    }

    /// Does the program depend on the shapes of the operands?
    pub fn depends_on_shapes(&self) -> bool {
        let product = self.notation.matches(',').count() >= 2;
        einsum::is_einsum(&self.notation) && (product || self.notation.contains("..."))
    }

    /// The program.
    ///
    /// # Errors
    /// The first mistake, at its place.
    pub fn translate(&self) -> Result<Translation, Refused> {
        let mut sources = SourceMap::new();
        match self.attempt(&mut sources) {
            Ok((statement, extents, function, schedule)) => Ok(Translation {
                text: format!("{function}{}", schedule.as_deref().unwrap_or_default()),
                written: function.len(),
                function: statement.result.tensor.text.clone(),
                schedule: schedule.map(|_| program::SCHEDULE.to_owned()),
                operands: extents.operands.iter().map(|o| o.first.tensor.text.clone()).collect(),
                result: statement.result.tensor.text,
                sources,
                extents,
            }),
            Err(diagnostic) => Err(Refused { sources, diagnostic }),
        }
    }

    fn attempt(
        &self,
        sources: &mut SourceMap,
    ) -> Result<(Statement, Extents, String, Option<String>), Refusal> {
        let file = sources.add("the expression", &self.notation);
        if self.notation.len() > MAX_BYTES {
            let bytes = self.notation.len();
            return Err(Box::new(err!(
                E0110,
                "the expression is {bytes} bytes long; at most {MAX_BYTES} are read"
            )));
        }
        let mut statement = self.statement(file, sources)?;
        if statement.sums == Sums::Written {
            sums::all_bound(&statement.body, &distinct(statement.result.indices.iter().collect()))?;
        }
        let extents = Extents::of(&statement)?;
        statement.body = sums::complete(&statement.body, &statement.result.indices)?;
        if statement.body.depth() > MAX_DEPTH {
            return Err(Box::new(
                err!(E0109, statement.body.span, "the expression nests deeper than {MAX_DEPTH}")
                    .note("a chain such as `a + b + c` nests as deep as it is long")
                    .help("name a part of it, and compute that first"),
            ));
        }
        let element = self.elements(sources)?;
        if let (Some(semiring), Some(place)) = (&element.semiring, statement.body.difference()) {
            return Err(Box::new(
                err!(E0225, place, "`-` has no meaning in `{semiring}`")
                    .label("a difference")
                    .note("a semiring has no inverses")
                    .help("leave `--semiring` out, or the difference"),
            ));
        }
        let mut formats: Vec<(String, atl_syntax::ast::Format)> = Vec::new();
        for text in &self.formats {
            let file = sources.add("the format", text);
            let given = format::parse(file, text)?;
            let tensors = extents.operands.iter().map(|o| &o.first).chain([&statement.result]);
            let Some(access) = tensors.clone().find(|a| a.tensor.text == given.tensor.text) else {
                let known: Vec<String> = tensors.map(|a| format!("`{}`", a.tensor.text)).collect();
                return Err(Box::new(
                    err!(E0268, given.tensor.span, "the expression has no tensor `{}`", given.tensor.text)
                        .label("this name")
                        .help(format!("it has {}", known.join(", "))),
                ));
            };
            if formats.iter().any(|(known, _)| *known == given.tensor.text) {
                return Err(Box::new(
                    err!(E0268, given.tensor.span, "`{}` is given two formats", given.tensor.text)
                        .label("the second one")
                        .help("leave one of them out"),
                ));
            }
            let format = given.resolve(access)?;
            formats.extend(format.map(|format| (given.tensor.text.clone(), format)));
        }
        let orders = einsum::is_einsum(&self.notation) && formats.is_empty() && element.semiring.is_none();
        // Steps speak of the loops of one nest.
        let orders = orders && self.steps.trim().is_empty();
        let order = if orders { order::steps(&statement, &extents, &self.shapes) } else { None };
        let parts = Parts {
            order: order.as_deref(),
            statement: &statement,
            extents: &extents,
            element: &element,
            formats: &formats,
            steps: &self.steps,
        };
        let (function, schedule) = parts.text();
        Ok((statement, extents, function, schedule))
    }

    fn statement(&self, file: FileId, sources: &mut SourceMap) -> Result<Statement, Refusal> {
        if !einsum::is_einsum(&self.notation) {
            if let Some(name) = self.operands.first() {
                let file = sources.add("the operand", name);
                return Err(Box::new(
                    err!(
                        E0260,
                        Span::new(file, 0, name.len() as u32),
                        "index notation names its operands itself"
                    )
                    .label("one more operand")
                    .help("only an einsum string, such as `ij,j->i`, is followed by names"),
                ));
            }
            return notation::parse(file, &self.notation);
        }
        if self.notation.trim().is_empty() && self.operands.is_empty() {
            return Err(Box::new(
                err!(E0270, Span::new(file, 0, 0), "the expression is empty")
                    .help("index notation is `y(i) = A(i,j) * x(j)`; an einsum string is `ij,j->i`"),
            ));
        }
        let mut operands = Vec::new();
        for name in &self.operands {
            let file = sources.add("the operand", name);
            operands.push(operand(file, name)?);
        }
        einsum::parse(file, &self.notation, &operands, &self.shapes)
    }

    fn elements(&self, sources: &mut SourceMap) -> Result<Element, Refusal> {
        let scalar = match self.element.as_str() {
            // TACO's names.
            "double" => "f64",
            "float" => "f32",
            "int" | "int32" => "i32",
            "long" | "int64" => "i64",
            "uint8" => "u8",
            other => other,
        };
        let Some(known) = Scalar::parse(scalar) else {
            let file = sources.add("the element type", &self.element);
            let names: Vec<&str> = Scalar::ALL.iter().map(|s| s.name()).collect();
            return Err(Box::new(
                err!(
                    E0203,
                    Span::new(file, 0, self.element.len() as u32),
                    "`{}` is no element type",
                    self.element
                )
                .label("this type")
                .help(format!("the types are {}; all operands have one", names.join(", "))),
            ));
        };
        if let Some(name) = &self.semiring {
            let file = sources.add("the semiring", name);
            let span = Span::new(file, 0, name.len() as u32);
            match atl_semirings::by_name(name) {
                Some(semiring) if semiring.admits(known) => {}
                Some(_) => {
                    return Err(Box::new(
                        err!(E0205, span, "`{name}` has no elements of type `{scalar}`")
                            .label("this semiring")
                            .help("choose another element type"),
                    ));
                }
                None => {
                    let names: Vec<&str> = atl_semirings::ALL.iter().map(|s| s.algebra.name).collect();
                    return Err(Box::new(
                        err!(E0204, span, "there is no semiring `{name}`")
                            .label("this name")
                            .help(format!("there are {}", names.join(", "))),
                    ));
                }
            }
        }
        let ordinary = atl_semirings::instances::PLUS_TIMES.name;
        let semiring = self.semiring.clone().filter(|name| name != ordinary);
        Ok(Element { scalar: scalar.to_owned(), semiring })
    }
}

/// A name for an operand of an einsum string.
fn operand(file: FileId, text: &str) -> Result<Name, Refusal> {
    let span = Span::new(file, 0, text.len() as u32);
    let mut tokens = atl_syntax::lex(file, text).0.into_iter().map(|t| t.kind);
    if (tokens.next(), tokens.next()) != (Some(atl_syntax::TokenKind::Ident), None) || text.contains('.') {
        return Err(Box::new(
            err!(E0270, span, "`{text}` cannot be an operand's name")
                .label("this name")
                .help("a name has letters, digits and `_`, and is no word of the language"),
        ));
    }
    Ok(Name::new(text, span))
}

impl Translation {
    /// The same without a schedule.
    pub fn unscheduled(mut self) -> Translation {
        self.text.truncate(self.written);
        self.schedule = None;
        self
    }

    /// Refuses values for the operands with these names, unless there is one for each.
    ///
    /// # Errors
    /// A name that no operand has, or the first operand without a value, at its place in the notation.
    pub fn check_names(&self, names: &[&str]) -> Result<(), Refused> {
        let refused = |d| Refused { sources: self.sources.clone(), diagnostic: Box::new(d) };
        if let Some(name) = names.iter().find(|name| !self.operands.iter().any(|o| o == *name)) {
            let known: Vec<String> = self.operands.iter().map(|o| format!("`{o}`")).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(refused(
                err!(E0502, "the expression has no operand `{name}`")
                    .note(format!("its operands are {known}"))
                    .help("check the name before `=`"),
            ));
        }
        let missing = self.extents.operands.iter().map(|o| &o.first);
        match missing.into_iter().find(|access| !names.contains(&access.tensor.text.as_str())) {
            Some(access) => {
                let name = &access.tensor.text;
                let option = if access.indices.is_empty() { "--set" } else { "-i" };
                let value = if access.indices.is_empty() { "VALUE" } else { "PATH" };
                Err(refused(
                    err!(E0501, access.span, "the operand `{name}` is missing")
                        .label("it has no value")
                        .help(format!("give it with `{option} {name}={value}`")),
                ))
            }
            None => Ok(()),
        }
    }

    /// Refuses operands of shapes in which an index would have two extents; operands that are not named are
    /// not looked at.
    ///
    /// # Errors
    /// The first index with two extents, at its places in the notation.
    pub fn check_shapes(&self, shapes: &[(&str, &[usize])]) -> Result<(), Refused> {
        let refused = |diagnostic| Refused { sources: self.sources.clone(), diagnostic };
        self.extents.check(shapes).map_err(refused)
    }
}

#[cfg(test)]
mod tests;
