//! What elaboration yields: functions over kernel terms, and the scripts that go with them.

use crate::elab::{Declared, DeclaredMonoid, Messages};
use crate::forall::ForAll;
use crate::sizes::Combination;
use crate::spans::SpanTable;
use atl_diag::Span;
use atl_formats::symbolic::extent;
use atl_formats::{Axis, Format};
use atl_kernel::{Ctx, Expr, Ix, Pred, Type};
use atl_syntax::ast;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The items of a file and of what it imports. Only what elaborated without an error is here.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The functions: a function's callees stand before it.
    pub functions: Vec<Function>,
    /// The generic functions, by name: their instances are in the bodies of those that call them.
    pub generic: Vec<String>,
    /// The functions under schedules that choose formats, by function and schedule.
    pub(crate) compressed: BTreeMap<(String, String), Function>,
    /// The schedules, as written; each names a function that was declared.
    pub schedules: Vec<ast::Schedule>,
    /// The user's own tactics, as written.
    pub tactics: Vec<ast::Def>,
    /// The user's own theorems, as written.
    pub theorems: Vec<ast::Theorem>,
    /// The user's own semirings. Nobody has tested their claims yet.
    pub semirings: Vec<Declared>,
    /// The user's own monoids and semirings on tuples that claim laws. Nobody has tested their claims yet.
    pub monoids: Vec<DeclaredMonoid>,
}

impl Module {
    /// The function with this name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| f.name == name)
    }

    /// The function with this name, as it is under a schedule of this name.
    pub fn function_under(&self, name: &str, schedule: &str) -> Option<&Function> {
        let compressed = self.compressed.get(&(name.to_owned(), schedule.to_owned()));
        compressed.or_else(|| self.function(name))
    }

    /// The schedule with this name of this function; another function may have one of the same name.
    pub fn schedule(&self, function: &str, name: &str) -> Option<&ast::Schedule> {
        self.schedules.iter().find(|s| s.of.text == function && s.name.text == name)
    }
}

/// A function. Its context holds the sizes, the preconditions on them, the tensors, and the preconditions on their
/// elements.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where the name is written.
    pub span: Span,
    /// The lines of its documentation comment.
    pub doc: Vec<String>,
    /// What the body may assume; its free variables are levels here.
    pub ctx: Arc<Ctx>,
    /// The sizes, in order of first appearance.
    pub sizes: Vec<SizeParam>,
    /// The tensor and scalar parameters, in calling order.
    pub params: Vec<Param>,
    /// The parameters in formats, whose arrays are among the parameters.
    pub sparse: Vec<SparseParam>,
    /// If it has formats, the same function of dense tensors, which is what other functions call. There is none where the body
    /// names the arrays of a parameter.
    pub dense: Option<Box<Function>>,
    /// How a call gives its arguments.
    pub call_order: Vec<Argument>,
    /// The preconditions, which a call must meet.
    pub requires: Vec<(Pred, Span)>,
    /// The preconditions on the elements of the arguments.
    pub requires_all: Vec<ForAll>,
    /// The result's type as it is declared; the body's is equal to it. Of several results, the first one's.
    pub result: Type,
    /// The results, where there are several: the body ends in as many, of these types.
    pub several: Vec<ResultPart>,
    /// What is complex among its parameters and results: each is two of those, in calling order.
    pub complex: Vec<Complex>,
    /// What messages call the parts of what is complex.
    pub words: Messages,
    /// How the result is stored, if it has a format.
    pub stored: Option<Stored>,
    /// The copies of parameters in formats that its kernel makes: a schedule asks for them. Their arrays
    /// are in the context.
    pub copies: Vec<OperandCopy>,
    /// The constants that are tensors which it mentions, with their levels in [`Function::open`].
    pub(crate) constants: Vec<(String, u32)>,
    /// The body without the `let`s of these, if there are any.
    pub(crate) open: Option<Expr>,
    /// The body; its dimensions are in the order in which they are stored.
    pub body: Expr,
    /// Where the parts of the body are written.
    pub spans: SpanTable,
    /// How large the body is.
    pub(crate) extent: Extent,
}

impl Function {
    /// How the result's arrays grow as they are filled, if they do.
    pub fn assembled(&self) -> Option<&Stored> {
        self.stored.as_ref().filter(|stored| !stored.is_dense())
    }

    /// The order of the axes in which every element of the result is stored, if it is not that of its dimensions.
    pub fn in_order(&self) -> Option<&Stored> {
        self.stored.as_ref().filter(|stored| stored.is_dense())
    }

    /// The type of the body: that of the result, by the axes along which it is stored.
    pub fn body_type(&self) -> Type {
        match &self.stored {
            Some(stored) => Type { elem: self.result.elem, shape: stored.extents(&self.result.shape) },
            None => self.result.clone(),
        }
    }
}

/// A complex parameter or result: its real and its imaginary part are a parameter or a result each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Complex {
    /// Its name.
    pub name: String,
    /// Its type as it is written, `c128[N]`.
    pub ty: String,
    /// Are its parts of `f64`? Else they are of `f32`.
    pub is_double: bool,
    /// The names of its real and of its imaginary part.
    pub parts: [String; 2],
    /// Is it a result?
    pub is_result: bool,
}

/// A size parameter: a natural number.
#[derive(Clone, Debug)]
pub struct SizeParam {
    /// Its name.
    pub name: String,
    /// Its level in the context.
    pub level: u32,
    /// Where it first appears.
    pub span: Span,
    /// Where a call takes it from.
    pub source: SizeSource,
}

/// Where a call takes a size from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SizeSource {
    /// It is an argument itself.
    Argument,
    /// It is the extent of parameter number `param` along `axis`.
    Extent {
        /// The parameter's place in [`Function::params`].
        param: usize,
        /// The dimension, outermost 0.
        axis: usize,
    },
    /// It follows from extents that are made of it, such as `2 * N`: of parameters, along dimensions.
    Extents(Arc<Combination<(usize, usize)>>),
}

/// A tensor or scalar parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its level in the context.
    pub level: u32,
    /// Its type.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
}

/// One of several results.
#[derive(Clone, Debug)]
pub struct ResultPart {
    /// Its name, which no parameter, size or other result has.
    pub name: String,
    /// Its type; it is stored row-major.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
}

/// A tensor parameter in a format, given by arrays.
#[derive(Clone, Debug)]
pub struct SparseParam {
    /// Its name, which the body binds.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its format.
    pub format: Format,
    /// Its arrays among [`Function::params`]: those of each level, then the values.
    pub arrays: Range<usize>,
    /// Where it is declared.
    pub span: Span,
}

/// A copy of a matrix in a format whose entries stand in the other order: column by column instead of
/// row by row, or the other way round.
#[derive(Clone, Debug)]
pub struct OperandCopy {
    /// Its name, as the schedule calls it.
    pub name: String,
    /// The parameter.
    pub operand: String,
    /// Its arrays: where segments begin, the other coordinate of each entry, which entry of the original
    /// it is, and where each entry of the original stands. The last one is in theorems alone.
    pub arrays: [Param; 4],
    /// The levels of the original's arrays: where segments begin, and the other coordinates.
    pub from: [u32; 2],
    /// What is known of the arrays.
    pub facts: Vec<ForAll>,
}

/// How a result in a format is stored.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The format: dense levels, compressed ones, and dense ones for the blocks that they store.
    pub format: Format,
}

impl Stored {
    /// Is every element stored? Then the format is nothing but the order of the axes.
    pub fn is_dense(&self) -> bool {
        self.format.entries().iter().all(|entry| entry.kind.name == "dense")
    }

    /// The extents along the axes of the levels, for a result of this shape.
    pub fn extents(&self, shape: &[Ix]) -> Vec<Ix> {
        let extent = |axis: &Axis| match axis {
            // A matrix without rows and columns has no diagonals.
            Axis::Diagonal { .. } => Ix::max(extent(*axis, shape), Ix::ZERO),
            axis => extent(*axis, shape),
        };
        self.format.reshape().axes().iter().map(extent).collect()
    }
}

/// An argument of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// For the size at this place of [`Function::sizes`].
    Size(usize),
    /// For the parameter at this place of [`Function::params`].
    Tensor(usize),
}

/// How large a term is. Elaboration keeps both within bounds, since calls are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Extent {
    /// How many nodes it has.
    pub(crate) nodes: u64,
    /// How deep they nest.
    pub(crate) depth: u32,
    /// How often the innermost of its parts with several values is there: each value is a term of its own.
    pub(crate) copies: u64,
}

impl Extent {
    /// Of a node without others below.
    pub(crate) const LEAF: Extent = Extent { nodes: 1, depth: 1, copies: 1 };
}
