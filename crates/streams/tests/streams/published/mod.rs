//! Definitions that were published and are wrong, each with the smallest case in which it fails, and random
//! ones that it fails too. The first half is about streams without skips, with a last state that steps to
//! itself; the second about skips.
//!
//! Statements that hold as printed stand beside them: a test of what is wrong could else be wrong itself.

use crate::cases::Choices;
use std::collections::BTreeMap;

mod skipping;

/// What index the last state has, which is not ready.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Last {
    /// One above all.
    Above,
    /// The largest there is.
    Largest,
    /// That of the state before.
    Repeated,
}

const ABOVE: usize = 99;
const LARGEST: usize = 4;

/// A stream as printed: a state has an index, may be ready, and has a value in any case. It ends where a step
/// changes nothing.
trait Printed: Clone {
    fn index(&self) -> usize;
    fn ready(&self) -> bool;
    fn value(&self) -> i64;
    /// Steps, if that leads elsewhere.
    fn step(&mut self) -> bool;
}

/// States in a row, and after them the last.
#[derive(Clone, Debug)]
struct Row {
    states: Vec<(usize, bool, i64)>,
    at: usize,
    last: Last,
}

impl Row {
    fn new(states: &[(usize, bool, i64)], last: Last) -> Row {
        Row { states: states.to_vec(), at: 0, last }
    }

    /// States that are all ready.
    fn ready(states: &[(usize, i64)], last: Last) -> Row {
        Row { states: states.iter().map(|(index, value)| (*index, true, *value)).collect(), at: 0, last }
    }

    fn ended(&self) -> bool {
        self.at == self.states.len()
    }

    /// As the printed order of states compares them.
    fn order(&self) -> (usize, bool) {
        (self.index(), self.ready())
    }
}

impl Printed for Row {
    fn index(&self) -> usize {
        match (self.states.get(self.at), self.last) {
            (Some((index, _, _)), _) => *index,
            (None, Last::Above) => ABOVE,
            (None, Last::Largest) => LARGEST,
            (None, Last::Repeated) => self.states.last().map_or(0, |(index, _, _)| *index),
        }
    }

    fn ready(&self) -> bool {
        self.states.get(self.at).is_some_and(|(_, ready, _)| *ready)
    }

    fn value(&self) -> i64 {
        self.states.get(self.at).map_or(-5, |(_, _, value)| *value)
    }

    fn step(&mut self) -> bool {
        let steps = !self.ended();
        self.at += usize::from(steps);
        steps
    }
}

/// Which operand of a product steps where both emit.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Steps {
    /// As the definition says.
    Right,
    /// As the proof of its property takes it.
    Left,
}

/// The product: it is ready where both are, at one index; the lesser operand steps.
#[derive(Clone)]
struct Product(Row, Row, Steps);

impl Printed for Product {
    fn index(&self) -> usize {
        self.0.index().max(self.1.index())
    }

    fn ready(&self) -> bool {
        self.0.ready() && self.1.ready() && self.0.index() == self.1.index()
    }

    fn value(&self) -> i64 {
        self.0.value() * self.1.value()
    }

    fn step(&mut self) -> bool {
        let left = match self.2 {
            Steps::Right => self.0.order() < self.1.order(),
            Steps::Left => self.0.order() <= self.1.order(),
        };
        if left { self.0.step() } else { self.1.step() }
    }
}

/// The sum: ready if either operand is.
#[derive(Clone)]
struct Sum(Row, Row);

impl Printed for Sum {
    fn index(&self) -> usize {
        self.0.index().min(self.1.index())
    }

    fn ready(&self) -> bool {
        let at = |row: &Row| row.ready() && row.index() == self.index();
        at(&self.0) || at(&self.1)
    }

    fn value(&self) -> i64 {
        let at = |row: &Row| if row.index() == self.index() { row.value() } else { 0 };
        at(&self.0) + at(&self.1)
    }

    fn step(&mut self) -> bool {
        match self.0.order().cmp(&self.1.order()) {
            std::cmp::Ordering::Less => self.0.step(),
            std::cmp::Ordering::Greater => self.1.step(),
            std::cmp::Ordering::Equal => self.0.step() | self.1.step(),
        }
    }
}

type Meaning = BTreeMap<usize, i64>;

/// What is emitted, in order, until a step leads nowhere.
fn emitted(stream: &impl Printed) -> Vec<(usize, i64)> {
    let (mut stream, mut all) = (stream.clone(), Vec::new());
    loop {
        all.extend(stream.ready().then(|| (stream.index(), stream.value())));
        if !stream.step() {
            return all;
        }
    }
}

fn meaning(stream: &impl Printed) -> Meaning {
    let mut meaning = Meaning::new();
    for (index, value) in emitted(stream) {
        *meaning.entry(index).or_default() += value;
    }
    meaning
}

fn product_of(a: &Row, b: &Row) -> Meaning {
    let b = meaning(b);
    meaning(a).into_iter().filter_map(|(index, x)| Some((index, x * b.get(&index)?))).collect()
}

fn sum_of(a: &Row, b: &Row) -> Meaning {
    let mut sum = meaning(a);
    meaning(b).into_iter().for_each(|(index, y)| *sum.entry(index).or_default() += y);
    sum
}

/// What a random row may do.
#[derive(Clone, Copy)]
struct Habits {
    repeats: bool,
    waits: bool,
    /// What is not ready has a value.
    junk: bool,
}

const SIMPLE: Habits = Habits { repeats: false, waits: true, junk: true };

fn random(habits: Habits, last: Last, choices: &mut Choices) -> Row {
    let mut states = Vec::new();
    for index in 0..=LARGEST {
        for _ in 0..choices.below(3) * usize::from(habits.waits) {
            states.push((index, false, if habits.junk { 7 } else { 0 }));
        }
        let times = if choices.one_in(2) { 0 } else { 1 + choices.below(2) * usize::from(habits.repeats) };
        (0..times).for_each(|_| states.push((index, true, 1 + choices.below(5) as i64)));
    }
    Row::new(&states, last)
}

/// How many of 2000 random pairs a test fails.
fn failures(left: Habits, right: Habits, last: Last, holds: impl Fn(Row, Row) -> bool) -> usize {
    let mut choices = Choices::new(3);
    let pairs = (0..2000).map(|_| (random(left, last, &mut choices), random(right, last, &mut choices)));
    pairs.filter(|(a, b)| !holds(a.clone(), b.clone())).count()
}

const LASTS: [Last; 3] = [Last::Above, Last::Largest, Last::Repeated];

fn product_is_right(steps: Steps) -> impl Fn(Row, Row) -> bool {
    move |a, b| meaning(&Product(a.clone(), b.clone(), steps)) == product_of(&a, &b)
}

fn sum_is_right(a: Row, b: Row) -> bool {
    meaning(&Sum(a.clone(), b.clone())) == sum_of(&a, &b)
}

#[test]
fn the_printed_product_is_right_for_operands_without_repetition() {
    for last in LASTS {
        assert_eq!(failures(SIMPLE, SIMPLE, last, product_is_right(Steps::Right)), 0, "{last:?}");
    }
}

#[test]
fn a_product_may_end_before_an_operand() {
    let mut product =
        Product(Row::ready(&[(0, 1)], Last::Above), Row::ready(&[(5, 1)], Last::Above), Steps::Right);
    while product.step() {}
    assert!(product.0.ended() && product.1.ended());
    // The operand that ended has the lesser index now, and steps to itself.
    let mut product =
        Product(Row::ready(&[(0, 1)], Last::Repeated), Row::ready(&[(5, 1)], Last::Repeated), Steps::Right);
    while product.step() {}
    assert!(product.0.ended() && !product.1.ended());
}

#[test]
fn which_operand_may_repeat_indices_depends_on_which_steps() {
    let repeats = Habits { repeats: true, ..SIMPLE };
    let count = |left, right, steps| failures(left, right, Last::Above, product_is_right(steps));
    assert_eq!(count(SIMPLE, repeats, Steps::Right), 0);
    assert!(count(repeats, SIMPLE, Steps::Right) > 50);
    assert_eq!(count(repeats, SIMPLE, Steps::Left), 0);
    assert!(count(SIMPLE, repeats, Steps::Left) > 50);
    assert!(count(repeats, repeats, Steps::Right) > 50);
    // 1, 1 times 1.
    let (twice, once) = (Row::ready(&[(1, 2), (1, 3)], Last::Above), Row::ready(&[(1, 10)], Last::Above));
    assert_eq!(meaning(&Product(twice.clone(), once.clone(), Steps::Right)), [(1, 20)].into());
    assert_eq!(product_of(&twice, &once), [(1, 50)].into());
}

#[test]
fn a_sum_that_is_ready_if_either_operand_is_emits_twice() {
    let quiet = Habits { junk: false, ..SIMPLE };
    assert!(failures(quiet, quiet, Last::Above, sum_is_right) > 200);
    assert!(failures(SIMPLE, SIMPLE, Last::Above, sum_is_right) > 200);
    // One emits at 0, where the other stands without a value.
    let (a, b) = (Row::ready(&[(0, 3)], Last::Above), Row::new(&[(0, false, 0), (1, true, 4)], Last::Above));
    assert_eq!(emitted(&Sum(a, b)), [(0, 3), (0, 3), (1, 4)]);
    // It is right where all states but the last are ready.
    let prompt = Habits { waits: false, ..SIMPLE };
    assert_eq!(failures(prompt, prompt, Last::Above, sum_is_right), 0);
}

#[test]
fn a_sum_loses_what_comes_after_an_operand_that_ended_with_a_low_index() {
    let prompt = Habits { waits: false, ..SIMPLE };
    assert!(failures(prompt, prompt, Last::Repeated, sum_is_right) > 200);
    let (a, b) = (Row::ready(&[(0, 1)], Last::Repeated), Row::ready(&[(0, 1), (2, 5)], Last::Repeated));
    assert_eq!(
        (meaning(&Sum(a.clone(), b.clone())), sum_of(&a, &b)),
        ([(0, 2)].into(), [(0, 2), (2, 5)].into())
    );
}

#[test]
fn the_sum_of_operands_without_repetition_repeats() {
    let repeats = |a: Row, b: Row| !emitted(&Sum(a, b)).windows(2).any(|pair| pair[0].0 == pair[1].0);
    assert!(failures(SIMPLE, SIMPLE, Last::Above, repeats) > 200);
}

#[test]
fn the_sum_over_an_index_adds_only_what_is_emitted() {
    let all_states = |row: &Row| -> i64 { row.states.iter().map(|(_, _, value)| value).sum() };
    let right = |row: Row, _| all_states(&row) == meaning(&row).values().sum::<i64>();
    assert!(failures(SIMPLE, SIMPLE, Last::Above, right) > 1000);
    let repeats = Habits { repeats: true, ..SIMPLE };
    let ready_ones = |row: Row, _| {
        let ready = row.states.iter().filter(|(_, ready, _)| *ready).map(|(_, _, value)| value);
        ready.sum::<i64>() == meaning(&row).values().sum::<i64>()
    };
    assert_eq!(failures(repeats, repeats, Last::Above, ready_ones), 0);
}

/// The last state of printed arrays is ready and steps to itself.
#[derive(Clone)]
struct Stays(i64);

impl Printed for Stays {
    fn index(&self) -> usize {
        0
    }

    fn ready(&self) -> bool {
        true
    }

    fn value(&self) -> i64 {
        self.0
    }

    fn step(&mut self) -> bool {
        false
    }
}

#[test]
fn a_last_state_must_not_be_ready() {
    // What is emitted from a state on is what it emits, and what is emitted from the next on.
    let unfolds = |stream: &Row| {
        let mut next = stream.clone();
        next.step();
        let first = if stream.ready() { stream.value() } else { 0 };
        first + total(&next) == total(stream)
    };
    fn total(stream: &impl Printed) -> i64 {
        emitted(stream).iter().map(|(_, value)| value).sum()
    }
    let last = Stays(5);
    let next = last.clone();
    assert_ne!(last.value() + total(&next), total(&last));
    let mut row = Row::ready(&[(0, 5)], Last::Above);
    assert!(unfolds(&row) && row.step() && unfolds(&row) && row.ended());
}
