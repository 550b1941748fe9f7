//! Semirings, random tensors, and streams that mean them in as many ways as there are.

use atl_interp::Ratio;
use atl_kernel::Laws;
use atl_semirings::carriers::{Counts, Machine, Matrices, Number, Pairs, Paths, Polynomials, Smallest, Why};
use atl_semirings::{Arithmetic, by_name};
use atl_streams::combinators::{Filter, Guard, Rename, Replicate};
use atl_streams::nested::Nested;
use atl_streams::sources::{Compressed, Dense, Search, States, Steps};
use atl_streams::{Counter, Entries, Indexed, Position, for_each, levels};
use std::rc::Rc;

/// Choices from a seed.
pub(crate) struct Choices(u64);

impl Choices {
    pub(crate) fn new(seed: u64) -> Choices {
        Choices(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Exact fractions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rationals;

impl Arithmetic for Rationals {
    type Element = Ratio;

    fn name(&self) -> String {
        "rationals".to_owned()
    }

    fn laws(&self) -> Laws {
        Laws::COMM_SEMIRING
    }

    fn zero(&self) -> Ratio {
        Ratio::integer(0)
    }

    fn one(&self) -> Ratio {
        Ratio::integer(1)
    }

    fn add(&self, a: &Ratio, b: &Ratio) -> Ratio {
        a.checked_add(*b).expect("samples are small")
    }

    fn mul(&self, a: &Ratio, b: &Ratio) -> Ratio {
        a.checked_mul(*b).expect("samples are small")
    }

    fn sample(&self, below: &mut dyn FnMut(usize) -> usize) -> Ratio {
        let (numerator, denominator) = [(0, 1), (1, 1), (-1, 1), (1, 2), (-2, 3), (3, 1)][below(6)];
        Ratio::try_new(numerator, denominator).expect("not zero")
    }
}

/// Something done over each semiring. The cost says how much more an operation takes than one on machine
/// numbers.
pub(crate) trait Visit {
    fn visit<A: Arithmetic + 'static>(&mut self, arithmetic: A, cost: usize);
}

pub(crate) fn machine<T: Number>(name: &str) -> Machine<T> {
    Machine::try_new(by_name(name).expect("listed")).expect("admitted")
}

/// Visits 18 semirings; of three of them the order of factors counts.
pub(crate) fn every_semiring(visit: &mut impl Visit) {
    visit.visit(machine::<i64>("plus_times"), 1);
    visit.visit(machine::<f64>("plus_times"), 1);
    visit.visit(Rationals, 2);
    visit.visit(machine::<bool>("or_and"), 1);
    visit.visit(machine::<f64>("min_plus"), 1);
    visit.visit(machine::<f64>("max_plus"), 1);
    visit.visit(machine::<f64>("max_times"), 1);
    visit.visit(machine::<f64>("min_max"), 1);
    visit.visit(machine::<i64>("max_min"), 1);
    visit.visit(Counts, 1);
    visit.visit(Pairs(machine::<f64>("min_plus"), Counts), 2);
    visit.visit(Smallest { k: 3 }, 3);
    visit.visit(Paths, 3);
    visit.visit(Matrices { of: machine::<i64>("plus_times"), size: 2 }, 4);
    visit.visit(Matrices { of: machine::<bool>("or_and"), size: 2 }, 4);
    visit.visit(Why, 8);
    visit.visit(Polynomials(machine::<bool>("or_and")), 16);
    visit.visit(Polynomials(Counts), 16);
}

/// Some entries, none of them zero, of a tensor with these extents: from none to nearly all.
pub(crate) fn entries<A: Arithmetic>(
    arithmetic: &A,
    extents: &[usize],
    choices: &mut Choices,
) -> Entries<A::Element> {
    let zero = arithmetic.zero();
    let (cells, present) = (extents.iter().product::<usize>(), choices.below(5));
    let mut entries = Entries::new();
    for cell in 0..cells {
        let element = arithmetic.sample(&mut |n| choices.below(n));
        if choices.below(4) < present && element != zero {
            entries.insert(point(cell, extents), element);
        }
    }
    entries
}

/// The indices of a cell.
fn point(mut cell: usize, extents: &[usize]) -> Vec<usize> {
    let mut point: Vec<usize> =
        extents.iter().rev().map(|extent| (cell % extent, cell /= extent).0).collect();
    point.reverse();
    point
}

/// A stream of these entries by these indices: each level is another one.
pub(crate) fn streamed<A: Arithmetic + 'static>(
    arithmetic: &Rc<A>,
    indices: &[usize],
    entries: &Entries<A::Element>,
    choices: &mut Choices,
) -> Indexed<A> {
    let junk = arithmetic.sample(&mut |n| choices.below(n));
    let depth = indices.len();
    let stream = levels(&arithmetic.zero(), entries, depth, &mut |above, slices| {
        let deeper = (above + 1..depth)
            .fold(Nested::Element(junk.clone()), |value, _| Nested::level(Replicate::new(0..2, value)));
        level(slices, &deeper, choices)
    });
    Indexed::new(arithmetic.clone(), indices, stream, Counter::new())
}

/// A level that emits these slices, whatever else it does. Where it does not emit, it has `junk` to offer.
pub(crate) fn level<E: Clone + 'static>(
    slices: Vec<(usize, Nested<E>)>,
    junk: &Nested<E>,
    choices: &mut Choices,
) -> Nested<E> {
    let contiguous = slices.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0);
    match choices.below(if contiguous { 6 } else { 5 }) {
        0 | 1 => compressed(slices, 0, choices),
        2 => Nested::level(states(slices, junk, choices)),
        3 => {
            let wanted: Vec<usize> = slices.iter().map(|(index, _)| *index).collect();
            let mut all = slices;
            for index in 0..4 {
                if !wanted.contains(&index) && choices.one_in(2) {
                    all.push((index, junk.clone()));
                }
            }
            all.sort_by_key(|(index, _)| *index);
            let predicate = move |index: usize, _: &Nested<E>| wanted.contains(&index);
            match choices.one_in(2) {
                true => Nested::level(Filter::new(states(all, junk, choices), predicate)),
                false => Nested::level(Filter::new(compressed(all, 0, choices).into_level(), predicate)),
            }
        }
        4 => {
            // The indices are 5, 8, 11, .. within.
            let stored = slices.into_iter().map(|(index, value)| (3 * index + 5, value)).collect();
            let inner = compressed(stored, 0, choices).into_level();
            let (forth, back) = (|i: usize| (i - 5) / 3, |j: usize| Some(3 * j + 5));
            Nested::level(Guard::new(|| true, Rename::new(inner, forth, back)))
        }
        _ => {
            let first = slices.first().map_or(0, |(index, _)| *index);
            let (range, values): (_, Rc<[_]>) = (first..first + slices.len(), slices.into());
            Nested::level(Dense::new(range, move |index| values[index - first].1.clone()))
        }
    }
}

/// A compressed level, between places that belong to others.
fn compressed<E: Clone + 'static>(
    slices: Vec<(usize, Nested<E>)>,
    from: usize,
    choices: &mut Choices,
) -> Nested<E> {
    let (own, values): (Vec<usize>, Vec<Nested<E>>) = slices.into_iter().unzip();
    let before = from + choices.below(3);
    let crd = [&vec![1; before][..], &own, &[0, 2]].concat();
    let search = choices.of(&[Search::Step, Search::Linear, Search::Binary, Search::Gallop]);
    let segment = before..before + own.len();
    let value = move |place: usize| values[place - before].clone();
    let value: Rc<dyn Fn(usize) -> Nested<E>> = Rc::new(value);
    Nested::level(Compressed::new(crd.into(), segment, search, Counter::new(), move |place| value(place)))
}

/// States that are ready where there is a slice, and others in between.
fn states<E: Clone + 'static>(
    slices: Vec<(usize, Nested<E>)>,
    junk: &Nested<E>,
    choices: &mut Choices,
) -> States<usize, Nested<E>> {
    let mut states = Vec::new();
    let mut slices = slices.into_iter().peekable();
    for index in 0..5 {
        for _ in 0..choices.below(3).saturating_sub(choices.below(2)) {
            states.push((Position::at(index), junk.clone()));
        }
        states.extend(slices.next_if(|(i, _)| *i == index).map(|(_, value)| (Position::past(index), value)));
    }
    States::new(states, choices.of(&[Steps::One, Steps::All]))
}

/// All that a stream emits, in order.
pub(crate) fn emitted<E: Clone>(stream: Nested<E>) -> Vec<(Vec<usize>, E)> {
    let mut all = Vec::new();
    match stream {
        Nested::Element(element) => all.push((Vec::new(), element)),
        Nested::Level(level) => {
            for_each(level, |index, value| {
                let below = emitted(value).into_iter();
                all.extend(below.map(|(at, element)| ([&[index][..], &at].concat(), element)));
            });
        }
    }
    all
}
