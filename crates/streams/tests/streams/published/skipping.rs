//! Skips as published.

use crate::cases::Choices;
use atl_streams::combinators::{Contract, Filter, Lead, Map, Product, Replicate, Sum};
use atl_streams::laws::{Law, STRICTLY_LAWFUL, first_violation, requests};
use atl_streams::sources::{Compressed, Dense, Search, Singleton};
use atl_streams::{Counter, Position, Stream};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Values at these indices, with galloping skips: the value at `i` is `i + 1`.
fn stored(crd: &[usize]) -> impl Stream<Index = usize, Value = i64> + use<> {
    let crd: Rc<[usize]> = crd.into();
    let (values, places) = (crd.clone(), 0..crd.len());
    Compressed::new(crd, places, Search::Gallop, Counter::new(), move |place| values[place] as i64 + 1)
}

fn random(choices: &mut Choices) -> Vec<usize> {
    (0..8).filter(|_| choices.one_in(2)).collect()
}

/// The meaning of a stream; `None` if it does not end.
fn meaning<S: Stream<Value = i64>>(stream: &S) -> Option<BTreeMap<S::Index, i64>> {
    let (mut stream, mut meaning) = (stream.clone(), BTreeMap::new());
    for _ in 0..1000 {
        let Some(here) = stream.position() else { return Some(meaning) };
        if here.ready {
            *meaning.entry(here.index).or_default() += stream.value();
        }
        stream.advance();
    }
    None
}

/// The law that is violated first.
fn violated<S: Stream<Index = usize, Value = i64>>(stream: &S) -> Option<Law> {
    first_violation(stream, STRICTLY_LAWFUL, &requests(8), 40, |value| value).map(|violation| violation.law)
}

/// A filter that makes every request strict where it rejects.
#[derive(Clone)]
struct Hasty<S>(S, fn(usize) -> bool);

impl<S: Stream<Index = usize>> Stream for Hasty<S> {
    type Index = usize;
    type Value = S::Value;

    fn position(&self) -> Option<Position<usize>> {
        let here = self.0.position()?;
        Some(Position { ready: here.ready && (self.1)(here.index), ..here })
    }

    fn value(&self) -> S::Value {
        self.0.value()
    }

    fn skip(&mut self, to: Position<usize>) {
        let rejected = self.position().is_some_and(|here| !here.ready);
        self.0.skip(if rejected { Position::past(to.index) } else { to });
    }
}

#[test]
fn a_filter_that_makes_requests_strict_loses_elements() {
    let odd: fn(usize) -> bool = |i| i % 2 == 1;
    // At 0, which is rejected, 3 is requested.
    let hasty = Hasty(stored(&[0, 3]), odd);
    assert_eq!(violated(&hasty), Some(Law::Preservation));
    let product = |filtered| meaning(&filtered);
    let wrong = product(Product::new(hasty, stored(&[3]), Lead::None, |a, b| a * b));
    let right = Filter::new(stored(&[0, 3]), move |i, _: &_| odd(i));
    assert_eq!(violated(&right), None);
    let right = meaning(&Product::new(right, stored(&[3]), Lead::None, |a, b| a * b));
    assert_eq!((wrong, right), (Some([].into()), Some([(3, 16)].into())));

    let (mut choices, mut lost) = (Choices::new(1), 0);
    for _ in 0..400 {
        lost += usize::from(violated(&Hasty(stored(&random(&mut choices)), odd)).is_some());
    }
    assert!(lost > 50, "{lost}");
}

/// What a range does with a request.
#[derive(Clone, Copy)]
enum Habit {
    /// It skips to any position, also back.
    Assigns,
    /// It does not leave an index.
    Stays,
}

/// The indices of a range, with the value one.
#[derive(Clone)]
struct Range(usize, usize, Habit);

impl Stream for Range {
    type Index = usize;
    type Value = i64;

    fn position(&self) -> Option<Position<usize>> {
        (self.0 < self.1).then(|| Position::past(self.0))
    }

    fn value(&self) -> i64 {
        1
    }

    fn skip(&mut self, to: Position<usize>) {
        self.0 = match self.2 {
            Habit::Assigns => to.index + usize::from(to.ready),
            Habit::Stays => self.0.max(to.index),
        };
    }
}

#[test]
fn a_range_must_not_go_back() {
    assert_eq!(violated(&Range(2, 5, Habit::Assigns)), Some(Law::Progress));
    let monotone = first_violation(&Range(2, 5, Habit::Assigns), &[Law::Monotone], &requests(5), 9, |v| v);
    assert!(monotone.is_some());
    // 0 is passed: the range begins at 1 then, not at 3.
    let sum = |range| meaning(&Sum::new(stored(&[0]), range, |a, b| a + b));
    let right = meaning(&Sum::new(stored(&[0]), Dense::new(3..5, |_| 1), |a, b| a + b));
    assert_eq!(right, Some([(0, 1), (3, 1), (4, 1)].into()));
    assert_ne!(sum(Range(3, 5, Habit::Assigns)), right);
}

#[test]
fn a_range_must_leave_an_index() {
    assert_eq!(violated(&Range(2, 5, Habit::Stays)), Some(Law::Progress));
    assert_eq!(meaning(&Range(2, 5, Habit::Stays)), None);
}

#[test]
fn contracted_streams_are_no_factors() {
    let (a, b) = (Contract::new(stored(&[0, 1]), ()), Contract::new(stored(&[2, 3]), ()));
    let zipped = Product::new(a, b, Lead::None, |a, b| a * b);
    assert_eq!(meaning(&zipped), Some([((), 3 + 2 * 4)].into()));
    assert_ne!(meaning(&zipped), Some([((), (1 + 2) * (3 + 4))].into()));
    // One that repeats an index is enough: both operands leave it.
    let twice = Contract::new(stored(&[0, 1]), 5);
    let product = Product::new(twice, Singleton::new(5, 10), Lead::None, |a, b| a * b);
    assert_eq!(meaning(&product), Some([(5, 10)].into()));
    // The sum over an index of the product with a replicated factor is right.
    let right = Product::new(stored(&[0, 1]), Replicate::new(0..2, 10), Lead::None, |a, b| a * b);
    assert_eq!(meaning(&Contract::new(right, 5)), Some([(5, 30)].into()));
}

#[test]
fn a_skip_need_not_reach_what_is_asked_for() {
    // "The index of skip(q, i) is at least i" cannot hold at the end, where there is no index.
    let mut end = stored(&[0]);
    end.skip(Position::at(5));
    assert_eq!(end.position(), None);
    // "The index of q is at most i": a sum asks both operands for where the lesser stands.
    let sum = Sum::new(stored(&[1]), stored(&[5]), |a, b| a + b);
    let request = sum.position().expect("it has not ended");
    assert!(stored(&[5]).position().is_some_and(|here| here > request));
}

#[test]
fn a_skip_may_pass_states_beyond_what_is_asked_for() {
    // If a product leaves a match by its second factor, its next state is at 5, not ready. A skip to 3 goes
    // farther.
    let state = |a: &[usize], b: &[usize]| Product::new(stored(a), stored(b), Lead::None, |a, b| a * b);
    let passed = state(&[0, 7, 9], &[5, 9]).position();
    assert_eq!(passed, Some(Position::at(5)));
    let mut skipped = state(&[0, 7, 9], &[0, 5, 9]);
    skipped.skip(Position::at(3));
    assert_eq!(skipped.position(), Some(Position::at(7)));
    assert_eq!(meaning(&skipped), Some([(9, 100)].into()));
}

#[test]
fn to_add_a_constant_is_no_function_of_what_is_stored() {
    let (array, extent) = ([1, 3], 4);
    let mapped = meaning(&Map::new(stored(&array), |value| value + 10));
    let sum = meaning(&Sum::new(stored(&array), Replicate::new(0..extent, 10), |a, b| a + b));
    assert_eq!(mapped, Some([(1, 12), (3, 14)].into()));
    assert_eq!(sum, Some([(0, 10), (1, 12), (2, 10), (3, 14)].into()));
}
