//! Every source and every combinator keeps the laws that its file states, in all states that requests lead
//! to.

use crate::cases::{Choices, emitted, entries, level, machine, streamed};
use crate::expressions::{Case, stream};
use atl_streams::combinators::{Contract, Filter, Guard, Lead, Locate, Map, Product, Rename, Replicate, Sum};
use atl_streams::laws::{LAWFUL, Law, STRICTLY_LAWFUL, Trace, first_violation, requests};
use atl_streams::nested::Nested;
use atl_streams::sources::{Compressed, Dense, Search, Singleton, States, Steps};
use atl_streams::{Counter, Position, Stream};
use std::rc::Rc;

/// The number of states of a stream that are looked at.
const STATES: usize = 60;

fn check<S: Stream<Index = usize>>(what: &str, stream: &S, laws: &[Law], observe: impl Fn(S::Value) -> i64) {
    let found = first_violation(stream, laws, &requests(5), STATES, observe);
    assert_eq!(found, None, "{what}");
}

fn element(value: Nested<i64>) -> i64 {
    value.into_element()
}

/// A random stream of one level: any source, or what is filtered or renamed.
fn operand(choices: &mut Choices) -> impl Stream<Index = usize, Value = Nested<i64>> + 'static {
    let slices = (0..5).filter(|_| choices.one_in(2)).map(|index| (index, Nested::Element(index as i64 + 1)));
    let slices = slices.collect();
    level(slices, &Nested::Element(-7), choices).into_level()
}

#[test]
fn sources_are_strictly_lawful() {
    for search in [Search::Step, Search::Linear, Search::Binary, Search::Gallop] {
        let crd: Rc<[usize]> = [4, 0, 1, 3, 4, 0].into();
        for segment in [1..5, 0..1, 2..2, 5..6] {
            let compressed =
                Compressed::new(crd.clone(), segment, search, Counter::new(), |place| place as i64);
            check("compressed", &compressed, STRICTLY_LAWFUL, |value| value);
        }
    }
    check("dense", &Dense::new(1..4, |x| x as i64), STRICTLY_LAWFUL, |value| value);
    check("dense", &Dense::new(3..3, |x| x as i64), STRICTLY_LAWFUL, |value| value);
    check("replicate", &Replicate::new(0..3, 8), STRICTLY_LAWFUL, |value| value);
    check("singleton", &Singleton::new(2, 8), STRICTLY_LAWFUL, |value| value);
    for steps in [Steps::One, Steps::All] {
        let positions =
            [Position::at(0), Position::past(0), Position::at(2), Position::at(2), Position::at(3)];
        let states = positions.into_iter().zip(0..).collect();
        check("states", &States::new(states, steps), STRICTLY_LAWFUL, |value| value);
    }
}

#[test]
fn combinators_are_strictly_lawful() {
    for seed in 0..300 {
        let choices = &mut Choices::new(seed);
        let lead = choices.of(&[Lead::None, Lead::First]);
        let (a, b) = (operand(choices), operand(choices));
        check("operand", &a, STRICTLY_LAWFUL, element);
        let pair = |a, b| 10 * element(a) + element(b);
        let product = Product::new(a.clone(), b.clone(), lead, pair);
        check("product", &product, STRICTLY_LAWFUL, |value| value);
        let both = |a, b| Nested::Element(pair(a, b));
        let sum = Sum::new(a.clone(), b.clone(), both);
        check("sum", &sum, STRICTLY_LAWFUL, element);
        check("map", &Map::new(a.clone(), |v| 3 * element(v)), STRICTLY_LAWFUL, |value| value);
        let locate = Locate::new(a.clone(), |i| i as i64, |v, i| element(v) * i);
        check("locate", &locate, STRICTLY_LAWFUL, |value| value);
        for holds in [true, false] {
            check("guard", &Guard::new(|| holds, a.clone()), STRICTLY_LAWFUL, element);
        }
        // 1, 3, 5, .. up to 9; there is nothing beyond.
        let back = |j: usize| (j <= 9).then_some(j / 2);
        let rename = Rename::new(a.clone(), |i| 2 * i + 1, back);
        let found = first_violation(&rename, STRICTLY_LAWFUL, &requests(10), STATES, element);
        assert_eq!(found, None, "rename");
        let even = |i: usize, _: &Nested<i64>| i.is_multiple_of(2);
        let small = |_: usize, v: &Nested<i64>| element(v.clone()) < 3;
        check("filter of an index", &Filter::new(a.clone(), even), STRICTLY_LAWFUL, element);
        check("filter of a value", &Filter::new(a.clone(), small), STRICTLY_LAWFUL, element);
        check("filter of a sum", &Filter::new(sum.clone(), small), STRICTLY_LAWFUL, element);
        check("product of sums", &Product::new(sum.clone(), sum, lead, both), STRICTLY_LAWFUL, element);
    }
}

#[test]
fn contracted_streams_are_lawful_and_not_strictly() {
    let mut not_strict = 0;
    for seed in 0..300 {
        let choices = &mut Choices::new(seed);
        let contract = Contract::new(operand(choices), 1);
        check("contract", &contract, LAWFUL, element);
        let sum = Sum::new(contract.clone(), Contract::new(operand(choices), 1), |a, b| {
            Nested::Element(element(a) + element(b))
        });
        // What meets in one state is added there, so values differ from step to step, and their sum does not.
        let total = |stream: &Trace<usize, i64>| -> i64 { stream.states().iter().filter_map(|s| s.1).sum() };
        for request in requests(2).into_iter().filter(|request| request.needs(&1)) {
            let mut skipped = sum.clone();
            skipped.skip(request);
            assert_eq!(total(&Trace::of(&skipped, &element)), total(&Trace::of(&sum, &element)));
        }
        let found = first_violation(&contract, STRICTLY_LAWFUL, &requests(2), STATES, element);
        not_strict += usize::from(found.is_some_and(|violation| violation.law == Law::Strictness));
    }
    assert!(not_strict > 100, "{not_strict}");
}

#[test]
fn levels_of_random_expressions_are_lawful() {
    let arithmetic = Rc::new(machine::<i64>("plus_times"));
    let mut choices = Choices::new(5);
    let (mut lawful, mut strict) = (0, 0);
    while lawful < 1_000 {
        let case = Case::random(choices.of(&[1, 2, 2]), &mut choices);
        let inputs: Vec<_> = (case.inputs.iter())
            .map(|indices| {
                let extents: Vec<usize> = indices.iter().map(|index| case.extents[*index]).collect();
                let entries = entries(&*arithmetic, &extents, &mut choices);
                streamed(&arithmetic, indices, &entries, &mut choices)
            })
            .collect();
        let stream = stream(&arithmetic, &case.extents, &inputs, &case.expr);
        // A level without a name emits what is to be added, so not always the same.
        let Nested::Level(level) = stream.stream().clone() else { continue };
        if stream.levels().first() == Some(&None) {
            continue;
        }
        let laws = if stream.levels().contains(&None) { LAWFUL } else { STRICTLY_LAWFUL };
        let found = first_violation(&level, laws, &requests(3), 12, emitted);
        assert_eq!(found, None, "{:?}", case.expr);
        lawful += 1;
        strict += usize::from(laws.len() == STRICTLY_LAWFUL.len());
    }
    assert!(strict > 500, "{strict}");
}
