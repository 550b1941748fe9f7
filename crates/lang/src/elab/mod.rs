//! From syntax to kernel terms.
//!
//! The one idea: terms are built with *free levels*. Entering a binder pushes its variable onto the context,
//! whose level is the variable; leaving it closes the finished body. So nothing here counts binders, and
//! whatever is proved on the way is proved in the very context the kernel will use.
//!
//! What an expression is, its place decides: an index term ([`index`]), a predicate ([`predicate`]), or a
//! value ([`value`]). A literal takes the element type that its place wants. `None` means that a diagnostic
//! has been reported; the neighbours are elaborated all the same.

mod access;
mod arguments;
mod array;
mod binder;
mod bits;
mod builtin;
mod call;
mod complex;
mod components;
mod compress;
mod constant;
mod convert;
mod dense;
mod difference;
mod earlier;
mod empty;
mod function;
mod functions;
mod generic;
mod index;
mod item;
mod iterate;
mod lift;
mod literal;
mod lookup;
mod meant;
mod methods;
mod named;
mod operand;
mod order;
mod parts;
mod pointwise;
mod predicate;
mod promises;
mod read;
mod rec;
mod relayout;
mod repeated;
mod rounds;
mod scan;
mod semiring;
mod several;
mod signature;
mod sparse;
mod stored;
mod theorem;
mod tuples;
mod uses;
mod value;

pub(crate) use access::in_range;
pub use complex::Messages;
pub(crate) use functions::Functions;
pub(crate) use index::WORDS;
pub use item::{Loader, NoImports, elaborate};
pub(crate) use literal::undecided;
pub use semiring::Declared;
pub use theorem::{Statement, statement};
pub use tuples::DeclaredMonoid;
pub use value::{expression_in, index_in, layout_in, modes_in, predicate_in};

use index::Sort;
use semiring::Semirings;

use crate::extents::{self, MAX_EXTENTS};
use crate::module::Extent;
use crate::show;
use crate::spans::SpanTable;
use atl_diag::{Diagnostic, Span, err, warning};
use atl_kernel::{
    Child, Ctx, Elem, Expr, Ix, Label, Node, Pred, Prover, Scalar, Type, Var, cert, poly::Poly,
};
use atl_syntax::ast;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Terms larger or deeper than this are refused, so that no text can exhaust memory or stack.
const MAX_NODES: u64 = 1 << 17;
const MAX_DEPTH: u32 = 1 << 10;

/// So often the innermost part of several values in several is there where copies are why a term is large.
const MANY_COPIES: u64 = 8;

/// What a name stands for.
#[derive(Clone)]
enum Meaning {
    /// An index term: a size, a loop's index, or a name for one.
    Index(Ix),
    /// The tensor at this level.
    Tensor(u32),
    /// A constant that is a literal, and the index term that it is, if it is one.
    Number(Box<Val>, Option<i64>),
    /// Something of this sort whose definition was refused.
    Refused(Sort),
}

struct Bound {
    name: String,
    span: Option<Span>,
    meaning: Meaning,
}

/// An elaborated value, its type, and where its parts are written.
#[derive(Clone)]
pub(crate) struct Val {
    pub(crate) expr: Expr,
    pub(crate) ty: Type,
    pub(crate) spans: Arc<SpanTable>,
    pub(crate) extent: Extent,
}

impl Val {
    /// The same with a label of the text.
    fn labelled(self, label: &str) -> Val {
        let spans = SpanTable::clone(&self.spans).labelled(label);
        Val { spans: Arc::new(spans), ..self }
    }
}

/// What a file declares besides functions and their schedules, by name.
#[derive(Clone, Default)]
pub(crate) struct Names {
    pub(crate) formats: BTreeMap<String, ast::Format>,
    pub(crate) semirings: Semirings,
}

/// The state of an elaboration: the context, what names mean in it, and what has been complained about.
pub(crate) struct Elab<'a> {
    pub(crate) ctx: Ctx,
    scope: Vec<Bound>,
    functions: &'a Functions,
    /// What the constants mean, where no other name hides them.
    constants: BTreeMap<String, Meaning>,
    /// The parameters that are no sizes, while what is required of sizes is read.
    awaited: Vec<String>,
    /// Where the constants are declared that have a meaning in this file.
    declared: BTreeMap<String, Span>,
    /// The levels of the constants that are tensors, those of callees included.
    tables: BTreeMap<String, u32>,
    /// The formats and semirings that the file names.
    names: Names,
    /// The names of the `let`s whose values are being elaborated.
    defining: Vec<String>,
    /// The states of rounds that are results, and which scalars these are declared to be.
    results_of: Vec<(String, Scalar)>,
    /// The level after the function's sizes, preconditions and parameters.
    head: u32,
    /// The element type that the function is declared to return.
    result: Option<Elem>,
    /// The level from which on tensors are what the function's body binds.
    own: u32,
    /// The levels of those that are made of stored entries, as operands in formats are.
    scattered: Vec<u32>,
    /// May a capital letter stand for any element type? In theorems it may.
    any_element: bool,
    /// Are differences written as sums, since the laws that move sums over stored positions are of `+` and `*`?
    sums_alone: bool,
    prover: &'a mut dyn Prover,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl<'a> Elab<'a> {
    pub(crate) fn new(functions: &'a Functions, prover: &'a mut dyn Prover) -> Elab<'a> {
        Elab {
            ctx: Ctx::new(),
            scope: Vec::new(),
            functions,
            constants: BTreeMap::new(),
            declared: BTreeMap::new(),
            awaited: Vec::new(),
            tables: BTreeMap::new(),
            names: Names::default(),
            defining: Vec::new(),
            results_of: Vec::new(),
            head: 0,
            result: None,
            own: u32::MAX,
            scattered: Vec::new(),
            any_element: false,
            sums_alone: false,
            prover,
            diagnostics: Vec::new(),
        }
    }

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.diagnostics.push(diagnostic);
        None
    }

    /// Give a name a meaning until [`Elab::leave`].
    fn bind(&mut self, name: &ast::Name, meaning: Meaning) {
        if name.text.is_empty() {
            return;
        }
        let constant = self.declared.get(&name.text).map(|span| Some(*span));
        let outer = self.scope.iter().rev().find(|b| b.name == name.text).map(|b| b.span).or(constant);
        if let Some(outer) = outer {
            let mut shadow = warning!(E0208, name.span, "`{}` shadows an outer `{}`", name.text, name.text)
                .label("this one is meant from here on")
                .help("give it another name: schedules and messages name loops and tensors");
            if let Some(span) = outer {
                shadow = shadow.also(span, "the outer one");
            }
            self.diagnostics.push(shadow);
        }
        self.scope.push(Bound { name: name.text.clone(), span: Some(name.span), meaning });
    }

    fn lookup(&self, name: &str) -> Option<&Meaning> {
        let bound = self.scope.iter().rev().find(|b| b.name == name).map(|b| &b.meaning);
        bound.or_else(|| self.constants.get(name))
    }

    /// Where the scope and the context stand, to come back to.
    fn enter(&self) -> (usize, u32) {
        (self.scope.len(), self.ctx.level())
    }

    fn leave(&mut self, (names, level): (usize, u32)) {
        self.scope.truncate(names);
        self.ctx.truncate(level);
    }

    /// Run something where a predicate holds.
    fn assuming<T>(&mut self, p: Pred, run: impl FnOnce(&mut Self) -> T) -> T {
        let at = self.enter();
        self.ctx.push_hyp(p);
        let result = run(self);
        self.leave(at);
        result
    }

    /// Does the predicate follow from the context? The certificate is checked here as the kernel would.
    pub(crate) fn proves(&mut self, goal: &Pred) -> bool {
        let found = self.prover.prove(&self.ctx, goal);
        found.is_some_and(|c| cert::check(&self.ctx, goal, &c).is_ok())
    }

    /// Are two extents equal here?
    pub(crate) fn same_ix(&mut self, a: &Ix, b: &Ix) -> bool {
        let same_poly = matches!((Poly::of(a), Poly::of(b)), (Ok(p), Ok(q)) if p == q);
        a == b || same_poly || self.proves(&Pred::eq(a.clone(), b.clone()))
    }

    /// The first conjunct that does not follow from the context.
    fn unproved(&mut self, goal: &Pred) -> Option<Pred> {
        match goal {
            Pred::True => None,
            Pred::And(ab) => self.unproved(&ab.0).or_else(|| self.unproved(&ab.1)),
            p => (!self.proves(p)).then(|| p.clone()),
        }
    }

    /// Would it help to state the goal after `where`? It must speak of sizes alone, and be possible.
    fn can_be_stated(&mut self, goal: &Pred) -> bool {
        let mentions = |mut levels: std::ops::Range<u32>| levels.any(|level| goal.mentions(level));
        let of_sizes = mentions(0..self.head) && !mentions(self.head..self.ctx.level());
        of_sizes && !self.proves(&Pred::not(goal.clone()))
    }

    /// A diagnostic with what is known where a goal was not proved, and a counterexample if there is one.
    fn with_reasons(&self, diagnostic: Diagnostic, goal: &Pred) -> Diagnostic {
        show::reasons(&self.ctx, goal, None).into_iter().fold(diagnostic, Diagnostic::note)
    }

    /// A node over values at places below it.
    fn build(&mut self, node: Node, ty: Type, span: Span, below: &[(&[Child], &Val)]) -> Option<Val> {
        let mut spans = SpanTable::leaf(span);
        let mut extent = Extent::LEAF;
        for (path, val) in below {
            spans = spans.with(path, val.spans.clone());
            let steps = u32::try_from(path.len()).unwrap_or(u32::MAX);
            extent.nodes = extent.nodes.saturating_add(val.extent.nodes).saturating_add(u64::from(steps));
            extent.depth = extent.depth.max(val.extent.depth.saturating_add(steps));
            extent.copies = extent.copies.max(val.extent.copies);
        }
        self.sized(Val { expr: Arc::new(node), ty, spans: Arc::new(spans), extent })
    }

    /// The value, unless it is too large.
    fn sized(&mut self, val: Val) -> Option<Val> {
        if !extents::fit(&val.ty) {
            return self.report(
                err!(E0247, val.spans.span(), "the extents of this expression are too large")
                    .note(format!("written out, they have more than {MAX_EXTENTS} nodes"))
                    .note("an operator may use an extent more than once, so in a nest of operators they may double with each")
                    .help("apply fewer operators here: compute an inner part by a function of its own, and let this one take it as a parameter, whose extents have names"),
            );
        }
        if val.extent.nodes <= MAX_NODES && val.extent.depth <= MAX_DEPTH {
            return Some(val);
        }
        let Extent { nodes, depth, copies } = val.extent;
        let span = val.spans.span();
        let limit = format!("at most {MAX_NODES} nodes, {MAX_DEPTH} deep; this has {nodes}, {depth} deep");
        if copies >= MANY_COPIES && depth <= MAX_DEPTH {
            return self.report(
                err!(E0247, span, "with a term for each of its values, this expression is too large")
                    .label(format!("its innermost part is there {copies} times"))
                    .note(limit)
                    .note("each of several values is a term of its own, with all that it is made of: rounds of two values in rounds of two are there four times")
                    .help("let the inner rounds have one value: `in gen k < 2 { select(k == 0, a, b) }` has `a` and `b` as `v[0]` and `v[1]`"),
            );
        }
        let what = if depth > MAX_DEPTH { "deep" } else { "large" };
        self.report(
            err!(E0247, span, "with its calls expanded, this expression is too {what}")
                .note(limit)
                .help("bind what is used more than once with `let`, so that it is there once"),
        )
    }

    fn var(&mut self, level: u32, ty: Type, span: Span) -> Option<Val> {
        self.build(Node::Var(Var::Free(level)), ty, span, &[])
    }
}

/// A plain label.
fn label(name: &ast::Name) -> Label {
    Label::new(&name.text)
}
