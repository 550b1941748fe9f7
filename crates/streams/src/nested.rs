//! Streams of streams, whatever they are made of.
//!
//! A value that is a stream is a description: each time the outer element is visited, the inner one begins.
//! The number of levels is known when a program runs, not when this is compiled; so [`Level`] is any stream
//! over places, whose values are [`Nested`].

use crate::combinators::{Lead, Map, Product, Sum};
use crate::{Position, Stream};
use atl_semirings::Arithmetic;
use std::rc::Rc;

/// A stream of levels, down to elements.
#[derive(Clone)]
pub enum Nested<E> {
    /// No level.
    Element(E),
    /// A level and what is below.
    Level(Level<E>),
}

/// Any stream over places.
pub struct Level<E>(Box<dyn AnyStream<E>>);

/// A stream as an object.
trait AnyStream<E> {
    fn position(&self) -> Option<Position<usize>>;
    fn value(&self) -> Nested<E>;
    fn skip(&mut self, to: Position<usize>);
    fn boxed(&self) -> Box<dyn AnyStream<E>>;
}

impl<E, S: Stream<Index = usize, Value = Nested<E>> + 'static> AnyStream<E> for S {
    fn position(&self) -> Option<Position<usize>> {
        Stream::position(self)
    }

    fn value(&self) -> Nested<E> {
        Stream::value(self)
    }

    fn skip(&mut self, to: Position<usize>) {
        Stream::skip(self, to);
    }

    fn boxed(&self) -> Box<dyn AnyStream<E>> {
        Box::new(self.clone())
    }
}

impl<E> Clone for Level<E> {
    fn clone(&self) -> Level<E> {
        Level(self.0.boxed())
    }
}

impl<E> Stream for Level<E> {
    type Index = usize;
    type Value = Nested<E>;

    fn position(&self) -> Option<Position<usize>> {
        self.0.position()
    }

    fn value(&self) -> Nested<E> {
        self.0.value()
    }

    fn skip(&mut self, to: Position<usize>) {
        self.0.skip(to);
    }
}

impl<E> Nested<E> {
    /// A level.
    pub fn level(stream: impl Stream<Index = usize, Value = Nested<E>> + 'static) -> Nested<E> {
        Nested::Level(Level(Box::new(stream)))
    }

    /// The outermost level.
    ///
    /// # Panics
    /// If this is an element.
    pub fn into_level(self) -> Level<E> {
        match self {
            Nested::Level(level) => level,
            Nested::Element(_) => panic!("an element has no level"),
        }
    }

    /// The element.
    ///
    /// # Panics
    /// If this is a level.
    pub fn into_element(self) -> E {
        match self {
            Nested::Element(element) => element,
            Nested::Level(_) => panic!("a level is no element"),
        }
    }
}

/// A function of what a stream has below its levels.
pub type Below<E> = Rc<dyn Fn(Nested<E>) -> Nested<E>>;

/// Applies a function below this many levels.
pub fn map<E: 'static>(depth: usize, stream: Nested<E>, function: Below<E>) -> Nested<E> {
    match depth {
        0 => function(stream),
        _ => {
            let value = move |value| map(depth - 1, value, function.clone());
            Nested::level(Map::new(stream.into_level(), value))
        }
    }
}

/// How the levels of two factors go together, from the outermost.
#[derive(Debug)]
pub enum Alignment {
    /// Both are elements.
    Elements,
    /// Both have this level.
    Both(Rc<Alignment>),
    /// Only the first has it: the second is the same at all its indices.
    First(Rc<Alignment>),
    /// Only the second has it.
    Second(Rc<Alignment>),
}

/// The product of two streams that go together like this. No level is replicated: where one factor has none,
/// the other's loop does.
pub fn product<A: Arithmetic + 'static>(
    arithmetic: &Rc<A>,
    alignment: &Rc<Alignment>,
    lead: Lead,
    first: Nested<A::Element>,
    second: Nested<A::Element>,
) -> Nested<A::Element> {
    let inner = |rest: &Rc<Alignment>| {
        let (arithmetic, rest) = (arithmetic.clone(), rest.clone());
        move |a, b| product(&arithmetic, &rest, lead, a, b)
    };
    match &**alignment {
        Alignment::Elements => Nested::Element(arithmetic.mul(&first.into_element(), &second.into_element())),
        Alignment::Both(rest) => {
            Nested::level(Product::new(first.into_level(), second.into_level(), lead, inner(rest)))
        }
        Alignment::First(rest) => {
            let inner = inner(rest);
            Nested::level(Map::new(first.into_level(), move |a| inner(a, second.clone())))
        }
        Alignment::Second(rest) => {
            let inner = inner(rest);
            Nested::level(Map::new(second.into_level(), move |b| inner(first.clone(), b)))
        }
    }
}

/// The sum of two streams of the same levels.
pub fn sum<A: Arithmetic + 'static>(
    arithmetic: &Rc<A>,
    first: Nested<A::Element>,
    second: Nested<A::Element>,
) -> Nested<A::Element> {
    match (first, second) {
        (Nested::Element(a), Nested::Element(b)) => Nested::Element(arithmetic.add(&a, &b)),
        (first, second) => {
            let arithmetic = arithmetic.clone();
            let value = move |a, b| sum(&arithmetic, a, b);
            Nested::level(Sum::new(first.into_level(), second.into_level(), value))
        }
    }
}
