//! Streams whose levels are named by indices: contractions.
//!
//! **The one idea.** Indices are numbers, and all streams have their levels in the order of these. So
//! operations find by themselves which levels go together, and a level that an index was summed over stays
//! where it was, without a name in the result. An operation that would need such a level itself has the
//! stream [written down](Indexed::written) first.

use crate::Counter;
use crate::combinators::{Contract, Filter, Lead, Replicate};
use crate::nested::{self, Alignment, Below, Level, Nested};
use crate::sources::{Compressed, Search, Singleton};
use crate::stream::for_each;
use atl_semirings::Arithmetic;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// A level of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Axis {
    index: usize,
    /// Was it contracted? Then it has one index, at which it may emit many times.
    summed: bool,
}

/// A tensor: the entries that are not zero, by their indices.
pub type Entries<E> = BTreeMap<Vec<usize>, E>;

/// A stream that means a tensor over a semiring.
pub struct Indexed<A: Arithmetic> {
    arithmetic: Rc<A>,
    axes: Vec<Axis>,
    stream: Nested<A::Element>,
    states: Counter,
}

impl<A: Arithmetic> Clone for Indexed<A> {
    fn clone(&self) -> Indexed<A> {
        Indexed {
            arithmetic: self.arithmetic.clone(),
            axes: self.axes.clone(),
            stream: self.stream.clone(),
            states: self.states.clone(),
        }
    }
}

/// Why an operation does not apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// The stream lacks the index; of a sum, one operand lacks what the other has, and how often it would
    /// have to be repeated is not known: replicate it.
    Lacks {
        /// The index.
        index: usize,
    },
    /// The stream has the index already.
    Has {
        /// The index.
        index: usize,
    },
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Misfit::Lacks { index } => write!(f, "a stream lacks the index {index}"),
            Misfit::Has { index } => write!(f, "a stream has the index {index} already"),
        }
    }
}

impl std::error::Error for Misfit {}

impl<A: Arithmetic + 'static> Indexed<A> {
    /// A stream with a level for each of these indices, which increase. The states of it that are visited,
    /// and of all that is made of it, are counted.
    ///
    /// # Panics
    /// If they do not increase.
    pub fn new(
        arithmetic: Rc<A>,
        indices: &[usize],
        stream: Nested<A::Element>,
        states: Counter,
    ) -> Indexed<A> {
        assert!(indices.windows(2).all(|pair| pair[0] < pair[1]), "indices in order: {indices:?}");
        let axes = indices.iter().map(|index| Axis { index: *index, summed: false }).collect();
        Indexed { arithmetic, axes, stream, states }
    }

    /// The indices of its meaning.
    pub fn indices(&self) -> Vec<usize> {
        self.levels().into_iter().flatten().collect()
    }

    /// Its levels, from the outermost: the index of each, or none, if it was summed over.
    pub fn levels(&self) -> Vec<Option<usize>> {
        self.axes.iter().map(|axis| (!axis.summed).then_some(axis.index)).collect()
    }

    /// The stream, with all its levels.
    pub fn stream(&self) -> &Nested<A::Element> {
        &self.stream
    }

    /// How many levels come before this index.
    fn depth(&self, index: usize) -> usize {
        self.axes.iter().take_while(|axis| axis.index < index).count()
    }

    fn axis(&self, index: usize) -> Option<Axis> {
        self.axes.iter().copied().find(|axis| axis.index == index)
    }

    /// With something done at the level of this index.
    fn changed(mut self, index: usize, function: Below<A::Element>) -> Indexed<A> {
        let depth = self.depth(index);
        self.stream = nested::map(depth, self.stream, function);
        self
    }

    /// With a new level.
    fn deeper(self, axis: Axis, function: Below<A::Element>) -> Indexed<A> {
        let mut deeper = self.changed(axis.index, function);
        let depth = deeper.depth(axis.index);
        deeper.axes.insert(depth, axis);
        deeper
    }

    /// Written down, if one of these levels was summed over.
    fn free_of(self, conflicts: impl Fn(usize) -> bool) -> Indexed<A> {
        let conflict = self.axes.iter().any(|axis| axis.summed && conflicts(axis.index));
        if conflict { self.written() } else { self }
    }

    /// The product, in this order. An index of one factor alone is one of the product.
    pub fn product(self, other: Indexed<A>, lead: Lead) -> Indexed<A> {
        let first = self.free_of(|index| other.axis(index).is_some());
        let second = other.free_of(|index| first.axis(index).is_some());
        let (alignment, axes) = align(&first.axes, &second.axes);
        let stream =
            nested::product(&first.arithmetic, &Rc::new(alignment), lead, first.stream, second.stream);
        Indexed { arithmetic: first.arithmetic, axes, stream, states: first.states }
    }

    /// The sum of two streams of the same indices.
    ///
    /// # Errors
    /// One lacks an index of the other.
    pub fn sum(self, other: Indexed<A>) -> Result<Indexed<A>, Misfit> {
        let (mine, others) = (self.indices(), other.indices());
        let lacking = mine.iter().find(|i| !others.contains(i)).or(others.iter().find(|i| !mine.contains(i)));
        if let Some(index) = lacking {
            return Err(Misfit::Lacks { index: *index });
        }
        let levels = self.axes.clone();
        let (first, second) = (self.padded(&other.axes), other.padded(&levels));
        let stream = nested::sum(&first.arithmetic, first.stream, second.stream);
        Ok(Indexed { stream, ..first })
    }

    /// With these levels: those that it lacks were summed over, and get one emission.
    fn padded(self, levels: &[Axis]) -> Indexed<A> {
        let lacking = levels.iter().filter(|axis| self.axis(axis.index).is_none());
        let lacking: Vec<Axis> = lacking.copied().collect();
        let once: Below<A::Element> = Rc::new(|value| Nested::level(Singleton::new(0, value)));
        lacking.into_iter().fold(self, |stream, axis| stream.deeper(axis, once.clone()))
    }

    /// The same at each index of a range.
    ///
    /// # Errors
    /// The stream has the index.
    pub fn replicate(self, index: usize, range: Range<usize>) -> Result<Indexed<A>, Misfit> {
        if self.axis(index).is_some_and(|axis| !axis.summed) {
            return Err(Misfit::Has { index });
        }
        let function: Below<A::Element> =
            Rc::new(move |value| Nested::level(Replicate::new(range.clone(), value)));
        Ok(self.free_of(|axis| axis == index).deeper(Axis { index, summed: false }, function))
    }

    /// The sum over an index.
    ///
    /// # Errors
    /// The stream lacks the index.
    pub fn contract(self, index: usize) -> Result<Indexed<A>, Misfit> {
        let contract = |level| Nested::level(Contract::new(level, 0));
        let mut contracted = self.at(index, contract)?;
        let depth = contracted.depth(index);
        contracted.axes[depth].summed = true;
        Ok(contracted)
    }

    /// What has an index that satisfies a predicate.
    ///
    /// # Errors
    /// The stream lacks the index.
    pub fn filter(
        self,
        index: usize,
        predicate: impl Fn(usize) -> bool + Clone + 'static,
    ) -> Result<Indexed<A>, Misfit> {
        self.at(index, move |level| {
            let predicate = predicate.clone();
            Nested::level(Filter::new(level, move |i, _: &_| predicate(i)))
        })
    }

    /// With something done to the level of an index.
    fn at(
        self,
        index: usize,
        function: impl Fn(Level<A::Element>) -> Nested<A::Element> + 'static,
    ) -> Result<Indexed<A>, Misfit> {
        match self.axis(index) {
            Some(Axis { summed: false, .. }) => {
                Ok(self.changed(index, Rc::new(move |value: Nested<_>| function(value.into_level()))))
            }
            _ => Err(Misfit::Lacks { index }),
        }
    }

    /// A function of each element, which maps zero to zero. If it was summed over an index, that is done
    /// first.
    pub fn map(self, function: impl Fn(&A::Element) -> A::Element + 'static) -> Indexed<A> {
        let mut mapped = self.free_of(|_| true);
        let function: Below<A::Element> =
            Rc::new(move |value: Nested<_>| Nested::Element(function(&value.into_element())));
        mapped.stream = nested::map(mapped.axes.len(), mapped.stream, function);
        mapped
    }

    /// What it means.
    pub fn entries(&self) -> Entries<A::Element> {
        let mut entries = Entries::new();
        self.accumulate(&self.axes, &mut Vec::new(), self.stream.clone(), &mut entries);
        let zero = self.arithmetic.zero();
        entries.retain(|_, element| *element != zero);
        entries
    }

    fn accumulate(
        &self,
        axes: &[Axis],
        at: &mut Vec<usize>,
        stream: Nested<A::Element>,
        entries: &mut Entries<A::Element>,
    ) {
        let Some((axis, inner)) = axes.split_first() else {
            let element = stream.into_element();
            let sum = entries.get(at).map_or(element.clone(), |sum| self.arithmetic.add(sum, &element));
            entries.insert(at.clone(), sum);
            return;
        };
        let kept = at.len();
        let states = for_each(stream.into_level(), |index, value| {
            at.extend((!axis.summed).then_some(index));
            self.accumulate(inner, at, value, entries);
            at.truncate(kept);
        });
        self.states.add(states);
    }

    /// The stream of what it means: the sum over each contracted index is done now, and kept.
    pub fn written(self) -> Indexed<A> {
        let (indices, entries) = (self.indices(), self.entries());
        Indexed::of_entries(self.arithmetic, &indices, &entries, self.states)
    }

    /// The stream of a tensor, whose levels are compressed and gallop.
    pub fn of_entries(
        arithmetic: Rc<A>,
        indices: &[usize],
        entries: &Entries<A::Element>,
        states: Counter,
    ) -> Indexed<A> {
        let stream = levels(&arithmetic.zero(), entries, indices.len(), &mut |_, slices| {
            let (crd, below): (Vec<usize>, Vec<Nested<_>>) = slices.into_iter().unzip();
            let (places, below): (_, Rc<[_]>) = (0..crd.len(), below.into());
            let value = move |place: usize| below[place].clone();
            Nested::level(Compressed::new(crd.into(), places, Search::Gallop, Counter::new(), value))
        });
        Indexed::new(arithmetic, indices, stream, states)
    }
}

/// How levels go together, and the levels of both.
fn align(first: &[Axis], second: &[Axis]) -> (Alignment, Vec<Axis>) {
    let before = |a: &Axis, b: &[Axis]| b.first().is_none_or(|b| a.index < b.index);
    let (wrap, axis, left, right): (fn(Rc<Alignment>) -> Alignment, _, _, _) = match (first, second) {
        ([a, left @ ..], right) if before(a, right) => (Alignment::First, a, left, right),
        (left, [b, right @ ..]) if before(b, left) => (Alignment::Second, b, left, right),
        ([a, left @ ..], [_, right @ ..]) => (Alignment::Both, a, left, right),
        _ => return (Alignment::Elements, Vec::new()),
    };
    let (inner, axes) = align(left, right);
    (wrap(Rc::new(inner)), std::iter::once(*axis).chain(axes).collect())
}

/// What makes a level of the slices that are not zero, by their index; it is told how many levels are above.
pub type MakeLevel<'a, E> = &'a mut dyn FnMut(usize, Vec<(usize, Nested<E>)>) -> Nested<E>;

/// The levels of a tensor with this number of indices; `zero` is what it is if it has none, and no entry.
///
/// # Panics
/// If an entry has another number of indices.
pub fn levels<E: Clone>(zero: &E, entries: &Entries<E>, depth: usize, make: MakeLevel<'_, E>) -> Nested<E> {
    let entries: Vec<(&[usize], &E)> = entries.iter().map(|(at, element)| (&at[..], element)).collect();
    slice(zero, &entries, 0..depth, make)
}

fn slice<E: Clone>(
    zero: &E,
    entries: &[(&[usize], &E)],
    levels: Range<usize>,
    make: MakeLevel<'_, E>,
) -> Nested<E> {
    let level = levels.start;
    if levels.is_empty() {
        return Nested::Element(entries.first().map_or(zero, |(_, element)| element).clone());
    }
    let groups = entries.chunk_by(|a, b| a.0[level] == b.0[level]);
    let mut below = |group| slice(zero, group, level + 1..levels.end, make);
    let slices = groups.map(|group| (group[0].0[level], below(group))).collect();
    make(level, slices)
}
