//! What there is to decide about in a program: its producers, their loops, and the loops of its result.
//!
//! Everything is a name, as schedules use them. Programs are taken as they are after producers were inlined,
//! so that what a decision leaves is looked at, not guessed.

use crate::extent::{Extent, Sizes};
use crate::reuse::{Names, Reuse, Shapes, binder, binders_of};
use atl_kernel::{Child, Expr, Node};
use atl_schedule::nest::{Place, Sort, binders, subterm};

/// A `let` of a tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Producer {
    /// Its name.
    pub(crate) name: String,
    /// Is it bound around all loops of the result, so that it may be computed at one of them?
    pub(crate) outside: bool,
    /// Its loops.
    pub(crate) nest: Nest,
}

/// The loops of the result or of a producer, from outside inward, as long as nothing else stands between
/// them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Nest {
    /// The producer; none: the result.
    pub(crate) within: Option<String>,
    /// The `gen`s.
    pub(crate) gens: Vec<String>,
    /// The sums directly inside; or the only ones under pointwise operations.
    pub(crate) sums: Vec<String>,
    /// Are there operations between the `gen`s and the sums?
    pub(crate) epilogue: bool,
    /// How often each `gen` runs.
    pub(crate) counts: Vec<Extent>,
    /// How many terms each sum has.
    pub(crate) terms: Vec<Extent>,
    /// Which operands of the sums serve several results.
    pub(crate) reuse: Option<Reuse>,
}

impl Nest {
    /// Has the innermost sum so few terms that they can be written out, beside the loops of a tile?
    pub(crate) fn has_few_terms(&self) -> bool {
        self.sums.len() > 1
            && self.terms.last().and_then(Extent::number).is_some_and(|n| (1..=FEW).contains(&n))
    }
}

/// What the variables of a body are called, and what its sizes are.
#[derive(Clone, Copy)]
pub(crate) struct Known<'k> {
    /// The names of the parameters.
    pub(crate) names: &'k Names,
    /// The extents of the parameters.
    pub(crate) shapes: &'k Shapes,
    /// The names and values of the sizes.
    pub(crate) sizes: &'k Sizes,
}

/// How many terms are few.
const FEW: i64 = 8;

/// What a producer has that is no longer there.
static NOTHING: Nest = Nest {
    within: None,
    gens: Vec::new(),
    sums: Vec::new(),
    epilogue: false,
    counts: Vec::new(),
    terms: Vec::new(),
    reuse: None,
};

/// A `gen` without loops inside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Innermost {
    /// The `let` in whose term it stands.
    pub(crate) within: Option<String>,
    /// Its name.
    pub(crate) name: String,
}

/// A program's parts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Structure {
    /// The producers, inner ones before those that read them through a call.
    pub(crate) producers: Vec<Producer>,
    /// The result.
    pub(crate) nest: Nest,
    /// Where lanes may run.
    pub(crate) innermost: Vec<Innermost>,
    /// All names of `let`s.
    pub(crate) lets: Vec<String>,
}

impl Structure {
    /// The parts of a body.
    pub(crate) fn of(body: &Expr, known: Known<'_>) -> Structure {
        let all = binders(body);
        let lets: Vec<&Place> = all.iter().filter(|p| p.sort == Sort::Let).collect();
        let mut producers: Vec<Producer> = Vec::new();
        for place in lets.iter().rev() {
            let bound = subterm(body, &place.path).and_then(|e| match &**e {
                Node::Let(_, bound, _) => Some(bound),
                _ => None,
            });
            let name = place.label.name.to_string();
            if let Some(bound) = bound.filter(|e| is_tensor(e) && is_name(&name))
                && !producers.iter().any(|p| p.name == name)
            {
                let outside = place.within.is_empty() && !inside_loop(&all, place);
                let nest =
                    Nest { within: Some(name.clone()), ..nest(bound, scope(body, &place.path), known) };
                producers.push(Producer { name, outside, nest });
            }
        }
        let mut innermost: Vec<Innermost> = Vec::new();
        for place in all.iter().filter(|p| p.sort == Sort::Gen) {
            let inside = |p: &&Place| p.path.len() > place.path.len() && p.path.starts_with(&place.path);
            let alone = all.iter().filter(inside).all(|p| p.sort == Sort::Let);
            let within = place.within.last().map(ToString::to_string);
            let found = Innermost { within, name: place.label.name.to_string() };
            if alone && is_name(&found.name) && !innermost.contains(&found) {
                innermost.push(found);
            }
        }
        let lets = lets.iter().map(|p| p.label.name.to_string()).collect();
        Structure { producers, nest: nest(body, Vec::new(), known), innermost, lets }
    }

    /// The loops of a producer; none where it is no longer there.
    pub(crate) fn nest_of(&self, name: &str) -> &Nest {
        self.producers.iter().find(|p| p.name == name).map_or(&NOTHING, |p| &p.nest)
    }
}

/// Does the place stand in a loop?
fn inside_loop(all: &[Place], place: &Place) -> bool {
    all.iter()
        .any(|p| p.sort != Sort::Let && p.path.len() < place.path.len() && place.path.starts_with(&p.path))
}

/// Does the term begin with loops over cells, through reshapes?
fn is_tensor(e: &Expr) -> bool {
    match &**e {
        Node::Gen(..) => true,
        Node::Let(_, _, body) | Node::Guard(_, body) => is_tensor(body),
        Node::Op(_, _, args) => args.iter().all(is_tensor),
        _ => false,
    }
}

/// The binders around a place, from outside inward.
pub(crate) fn scope(body: &Expr, path: &[Child]) -> Vec<String> {
    let (mut names, mut e) = (Vec::new(), body);
    for at in path {
        names.extend(binders_of(e, *at));
        match e.child(*at) {
            Some(child) => e = child,
            None => return names,
        }
    }
    names
}

/// The loops of a term in a scope; no names twice, and none that cannot be written.
pub(crate) fn nest(term: &Expr, mut scope: Vec<String>, known: Known<'_>) -> Nest {
    let (mut nest, mut e) = (Nest::default(), term);
    loop {
        let (label, inner, into) = match &**e {
            Node::Let(_, _, inner) if nest.gens.is_empty() => {
                scope.push(binder(e));
                e = inner;
                continue;
            }
            Node::Op(_, _, args) if nest.sums.is_empty() && args.len() == 1 => {
                e = &args[0];
                continue;
            }
            Node::Guard(_, inner) => {
                e = inner;
                continue;
            }
            Node::Gen(label, extent, inner) if nest.sums.is_empty() => {
                nest.counts.push(Extent::of(extent, known.sizes));
                (label, inner, &mut nest.gens)
            }
            Node::Sum(label, extent, inner) => {
                if nest.sums.is_empty() {
                    nest.reuse = Reuse::of(e, &nest.gens, &scope, known.names);
                }
                nest.terms.push(Extent::of(extent, known.sizes));
                (label, inner, &mut nest.sums)
            }
            _ if nest.sums.is_empty() && !nest.gens.is_empty() => match sums_of(e).as_slice() {
                [sum] => {
                    nest.epilogue = true;
                    e = sum;
                    continue;
                }
                _ => return nest,
            },
            _ => return nest,
        };
        let name = label.name.to_string();
        into.push(name.clone());
        let count = nest.gens.iter().chain(&nest.sums).filter(|n| **n == name).count();
        if count > 1 || !is_name(&name) {
            return Nest::default();
        }
        scope.push(name);
        e = inner;
    }
}

/// The sums under pointwise operations, each as a term.
fn sums_of(e: &Expr) -> Vec<&Expr> {
    match &**e {
        Node::Sum(..) => vec![e],
        Node::Prim(_, args) => args.iter().flat_map(sums_of).collect(),
        Node::View(_, body) | Node::Guard(_, body) => sums_of(body),
        Node::Select(_, a, b) => [a, b].into_iter().flat_map(sums_of).collect(),
        _ => Vec::new(),
    }
}

/// Can it be written in a schedule?
pub(crate) fn is_name(name: &str) -> bool {
    name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
