//! How many states are visited, and how many coordinates looked at: a loop that has become slower would still
//! be right.

use crate::cases::{Choices, machine};
use atl_streams::combinators::{Lead, Product};
use atl_streams::nested::Nested;
use atl_streams::sources::{Compressed, Search};
use atl_streams::{Counter, Entries, Indexed, Position, Stream, for_each, levels};
use std::rc::Rc;

fn keys(
    crd: &Rc<[usize]>,
    search: Search,
    probes: &Counter,
) -> impl Stream<Index = usize, Value = i64> + use<> {
    Compressed::new(crd.clone(), 0..crd.len(), search, probes.clone(), |_| 1)
}

/// How many states the product of two lists of coordinates visits, how many coordinates it looks at, and how
/// many meet.
fn product(a: &Rc<[usize]>, b: &Rc<[usize]>, search: Search, lead: Lead) -> (u64, u64, u64) {
    let (probes, mut met) = (Counter::new(), 0);
    let product = Product::new(keys(a, search, &probes), keys(b, search, &probes), lead, |a, b| a * b);
    let states = for_each(product, |_, value| met += value);
    (states, probes.total(), met as u64)
}

#[test]
fn a_short_operand_is_met_in_few_states() {
    let few: Rc<[usize]> = (0..21).map(|k| 97 * k).collect();
    let many: Rc<[usize]> = (0..2_000).collect();
    let (step, _, met) = product(&few, &many, Search::Step, Lead::None);
    assert!(step > 1_900 && met == 21, "{step}");
    let (gallop, probes, met) = product(&few, &many, Search::Gallop, Lead::None);
    assert!(gallop <= 2 * 21 && met == 21, "{gallop}");
    // Each of the 21 is 97 places on.
    let each = 2 * 97u64.ilog2() as u64 + 4;
    assert!(probes <= 2 * 21 * (each + 2), "{probes}");
    let (leads, _, met) = product(&few, &many, Search::Gallop, Lead::First);
    assert!(leads <= 21 + 1 && met == 21, "{leads}");
    let (_, halves, _) = product(&few, &many, Search::Binary, Lead::First);
    let (_, linear, _) = product(&few, &many, Search::Linear, Lead::First);
    assert!(halves <= 21 * 2 * 14 && linear >= 1_900, "{halves} {linear}");
}

#[test]
fn states_of_a_product_are_bounded() {
    let mut choices = Choices::new(11);
    for _ in 0..2_000 {
        let (n, few, many) = (1 + choices.below(60), 1 + choices.below(9), 1 + choices.below(3));
        let mut list = |one_in| -> Rc<[usize]> { (0..n).filter(|_| choices.one_in(one_in)).collect() };
        let (a, b) = (list(few), list(many));
        let least = a.len().min(b.len()) as u64;
        for lead in [Lead::None, Lead::First] {
            let (step, _, met) = product(&a, &b, Search::Step, lead);
            let (gallop, _, same) = product(&a, &b, Search::Gallop, lead);
            assert_eq!(met, same);
            assert!(step <= (a.len() + b.len()) as u64, "{step}: {a:?} {b:?}");
            assert!(gallop <= 2 * least + 1, "{gallop}: {a:?} {b:?}");
        }
    }
}

#[test]
fn galloping_looks_at_few_coordinates() {
    let crd: Rc<[usize]> = (0..5_000).collect();
    for distance in [0, 1, 2, 3, 10, 100, 1_000, 4_999] {
        let probes = Counter::new();
        let mut stream = keys(&crd, Search::Gallop, &probes);
        stream.skip(Position::at(distance));
        assert_eq!(stream.position(), Some(Position::past(distance)));
        let most = 2 * (distance as u64 + 1).ilog2() as u64 + 4;
        assert!(probes.total() <= most, "{} > {most} for {distance}", probes.total());
    }
}

/// The states of `sum j { A[i, j] * B[j, k] }`, whose loops are `i`, `j`, `k`.
fn combined_rows(a: &Entries<i64>, b: &Entries<i64>, search: Search) -> (u64, Entries<i64>) {
    let arithmetic = Rc::new(machine::<i64>("plus_times"));
    let states = Counter::new();
    let operand = |indices: &[usize], entries| {
        let stream = levels(&0, entries, 2, &mut |_, slices| {
            let (crd, below): (Vec<usize>, Vec<Nested<i64>>) = slices.into_iter().unzip();
            let (places, below): (_, Rc<[_]>) = (0..crd.len(), below.into());
            let value = move |place: usize| below[place].clone();
            Nested::level(Compressed::new(crd.into(), places, search, Counter::new(), value))
        });
        Indexed::new(arithmetic.clone(), indices, stream, states.clone())
    };
    let product = operand(&[0, 1], a).product(operand(&[1, 2], b), Lead::None);
    let entries = product.contract(1).expect("it is there").entries();
    (states.total(), entries)
}

/// Rows that are met by steps make linear combinations of rows quadratic; what is known as their bound holds
/// with skips.
#[test]
fn linear_combinations_of_rows_need_skips() {
    let rows = 60;
    let a: Entries<i64> = (0..rows).map(|i| (vec![i, i * 7 % rows], 1)).collect();
    let b: Entries<i64> = (0..rows).map(|j| (vec![j, j * 11 % rows], 2)).collect();
    let (stepped, by_steps) = combined_rows(&a, &b, Search::Step);
    let (galloped, by_skips) = combined_rows(&a, &b, Search::Gallop);
    assert_eq!(by_steps, by_skips);
    assert_eq!(by_steps.len(), rows);
    assert!(stepped > 1_500 && galloped <= 5 * rows as u64, "{stepped} {galloped}");
}

#[test]
fn states_of_inner_levels_are_counted_where_the_outer_is_ready() {
    let a: Entries<i64> = [(vec![0, 1], 1), (vec![0, 2], 1), (vec![3, 0], 1)].into();
    let arithmetic = Rc::new(machine::<i64>("plus_times"));
    let states = Counter::new();
    let stream = Indexed::of_entries(arithmetic, &[0, 1], &a, states.clone());
    assert_eq!(stream.clone().filter(0, |i| i == 0).expect("it is there").entries().len(), 2);
    // Two rows, one of which is not looked into.
    assert_eq!(states.total(), 2 + 2);
}
