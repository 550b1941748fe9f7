//! Functions written in Rust: typed handles, closures for binders, operators for arithmetic.
//!
//! ```
//! use atl_driver::BufferView;
//! use atl_driver::builder::{Elem, FunctionBuilder, generate};
//! use ndarray::Array2;
//!
//! let mut blur = FunctionBuilder::new("blur");
//! let (n, m) = (blur.size("N"), blur.size("M"));
//! let img = blur.input("img", Elem::F32, (&n, &m));
//! let bx = generate([("y", &n), ("x", &m)], |[y, x]| {
//!     img.at_or_zero((y, x - 1)) + img.at((y, x)) + img.at_or_zero((y, x + 1))
//! });
//! let bx = blur.local("bx", bx);
//! let mean = generate([("y", &n), ("x", &m)], |[y, x]| {
//!     (bx.at_or_zero((y - 1, x)) + bx.at((y, x)) + bx.at_or_zero((y + 1, x))) / 9.0
//! });
//! blur.returns(Elem::F32, (&n, &m), mean);
//! blur.schedule("tiled", "tile y, x by 4, 4; inline bx;");
//!
//! let kernel = blur.compile(Some("tiled"))?;
//! let photo = Array2::<f32>::ones((5, 6));
//! let blurred = kernel.call(&[("img", BufferView::from_array("img", photo.view())?)], &[]).dense()?;
//! assert_eq!(blurred.as_array::<f32>()?[[2, 2]], 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The one idea: a builder makes a *program text*. [`FunctionBuilder::text`] is what a person would have
//! written, and [`FunctionBuilder::program`] elaborates it as if it came from a file; so every check applies,
//! and every diagnostic points into that text. Nothing is checked here.
//!
//! Binders are closures. Their variables get the names that are given, for schedules to use, unless that
//! would capture another variable: then a number is appended. A handle that leaves its closure is an unknown
//! name in the text.

mod binders;
mod index;
mod names;
mod operators;
mod value;

pub use binders::{Binder, all, any, bind, generate, maximum, minimum, product, sum};
pub use index::{Cond, Index, Indices};
pub use value::{Elem, Value, apply, select};

use atl_call::backends::{self, Options};
use atl_call::{Compile, Compiled};
use atl_diag::Span;
use atl_session::Failure;
use atl_session::Program;
use atl_syntax::{Style, ast};

/// A function under construction.
#[derive(Clone, Debug)]
pub struct FunctionBuilder {
    name: String,
    doc: Vec<String>,
    /// The names of sizes, which no variable may capture.
    sizes: Vec<String>,
    params: Vec<ast::Param>,
    requires: Vec<ast::Expr>,
    locals: Vec<(String, ast::Expr)>,
    result: Option<(ast::Type, ast::Expr)>,
    schedules: Vec<(String, String)>,
}

/// Syntax that is written nowhere yet.
fn expr(kind: ast::ExprKind) -> ast::Expr {
    ast::Expr::new(kind, Span::default())
}

fn name(text: &str) -> ast::Name {
    ast::Name::new(text, Span::default())
}

impl FunctionBuilder {
    /// A function with this name, and nothing else yet.
    pub fn new(name: &str) -> FunctionBuilder {
        FunctionBuilder {
            name: name.to_owned(),
            doc: Vec::new(),
            sizes: Vec::new(),
            params: Vec::new(),
            requires: Vec::new(),
            locals: Vec::new(),
            result: None,
            schedules: Vec::new(),
        }
    }

    /// Says what the function does.
    pub fn doc(&mut self, text: &str) {
        self.doc.extend(text.lines().map(str::to_owned));
    }

    /// A size that the shapes of the arguments determine.
    pub fn size(&mut self, size: &str) -> Index {
        self.sizes.push(size.to_owned());
        Index::named(size)
    }

    /// A size that is an argument of its own.
    pub fn size_argument(&mut self, size: &str) -> Index {
        let ty = ast::Type { kind: ast::TypeKind::Size, span: Span::default() };
        self.params.push(ast::Param { name: name(size), ty, default: None, span: Span::default() });
        Index::named(size)
    }

    /// A tensor argument.
    pub fn input(&mut self, input: &str, elem: Elem, extents: impl Indices) -> Value {
        self.params.push(ast::Param {
            name: name(input),
            ty: elem.tensor(extents),
            default: None,
            span: Span::default(),
        });
        Value::named(input)
    }

    /// A scalar argument.
    pub fn scalar(&mut self, input: &str, elem: Elem) -> Value {
        self.input(input, elem, [] as [Index; 0])
    }

    /// A precondition, assumed by proofs and checked at every call.
    pub fn requires(&mut self, condition: Cond) {
        self.requires.push(condition.0);
    }

    /// Names an intermediate result: a `let` of the body, which schedules can `compute`, `store` and
    /// `inline`.
    pub fn local(&mut self, local: &str, value: impl Into<Value>) -> Value {
        self.locals.push((local.to_owned(), value.into().0));
        Value::named(local)
    }

    /// Says what the function returns.
    pub fn returns(&mut self, elem: Elem, extents: impl Indices, value: impl Into<Value>) {
        self.result = Some((elem.tensor(extents), value.into().0));
    }

    /// A schedule, in the language of schedules: `"tile y, x by 64, 64; parallel y.o;"`.
    pub fn schedule(&mut self, schedule: &str, steps: &str) {
        self.schedules.push((schedule.to_owned(), steps.to_owned()));
    }

    /// The program that has been built.
    pub fn text(&self) -> String {
        let (result, value) = match &self.result {
            Some((ty, value)) => (Some(ty.clone()), value.clone()),
            None => (None, expr(ast::ExprKind::Tuple(Vec::new()))),
        };
        let body = self.locals.iter().rev().fold(value, |body, (local, value)| {
            let (value, body) = (Box::new(value.clone()), Box::new(body));
            expr(ast::ExprKind::Let { name: name(local), attributes: Vec::new(), value, body })
        });
        let params = self.params.iter().map(|p| &p.name.text);
        let fixed = self.sizes.iter().chain(params).chain(self.locals.iter().map(|(local, _)| local));
        let function = ast::Function {
            doc: self.doc.clone(),
            name: name(&self.name),
            type_params: Vec::new(),
            params: self.params.clone(),
            result,
            preconditions: self.requires.clone(),
            body: names::readable(body, fixed.cloned().collect()),
            span: Span::default(),
        };
        let mut text = atl_syntax::print_function(&function, Style::SOURCE);
        for (schedule, steps) in &self.schedules {
            text.push_str(&format!("\nschedule {schedule} of {} {{\n    {}\n}}\n", self.name, steps.trim()));
        }
        text
    }

    /// The program, elaborated.
    ///
    /// # Errors
    /// Every mistake in it that was found; the diagnostics point into [`FunctionBuilder::text`].
    pub fn program(&self) -> Result<Program, Failure> {
        Program::parse(&format!("{} (built in Rust)", self.name), &self.text())
    }

    /// The function under one of its schedules, or as it is written, compiled by the first back end that this
    /// machine can use.
    ///
    /// # Errors
    /// A mistake in the function or the schedule, or a back end that fails.
    pub fn compile(&self, schedule: Option<&str>) -> Result<Compiled, Failure> {
        let lowered = self.program()?.scheduled(&self.name, schedule)?.lower()?;
        lowered.compile(backends::preferred(), Options::default())
    }
}

#[cfg(test)]
mod tests;
