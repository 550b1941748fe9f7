//! Each combinator is a homomorphism: combining and then evaluating gives what evaluating and then combining
//! does; at depths 1 to 4, over every semiring, for operands of all sorts: empty, ended at once, with states
//! that emit nothing.

use crate::cases::{Choices, Visit, entries, every_semiring, streamed};
use atl_semirings::Arithmetic;
use atl_streams::combinators::{Guard, Lead, Locate, Rename};
use atl_streams::nested::{Below, Nested, map};
use atl_streams::{Counter, Entries, Indexed};
use std::rc::Rc;

/// One operand pair, at one depth.
struct Case<'a, A: Arithmetic> {
    arithmetic: &'a Rc<A>,
    indices: Vec<usize>,
    first: Entries<A::Element>,
    second: Entries<A::Element>,
}

impl<A: Arithmetic + 'static> Case<'_, A> {
    fn random<'a>(arithmetic: &'a Rc<A>, depth: usize, choices: &mut Choices) -> Case<'a, A> {
        let extents: Vec<usize> = (0..depth).map(|_| choices.of(&[1, 2, 2, 2, 3, 3, 3, 0])).collect();
        let first = entries(&**arithmetic, &extents, choices);
        let second = entries(&**arithmetic, &extents, choices);
        Case { arithmetic, indices: (0..depth).map(|k| 2 * k).collect(), first, second }
    }

    fn zero(&self) -> A::Element {
        self.arithmetic.zero()
    }

    /// A stream of the first operand.
    fn one(&self, choices: &mut Choices) -> Indexed<A> {
        streamed(self.arithmetic, &self.indices, &self.first, choices)
    }

    fn two(&self, choices: &mut Choices) -> Indexed<A> {
        streamed(self.arithmetic, &self.indices, &self.second, choices)
    }

    /// The entries made of those of both by their places.
    fn pointwise(&self, element: impl Fn(&A::Element, &A::Element) -> A::Element) -> Entries<A::Element> {
        let zero = self.zero();
        let places = self.first.keys().chain(self.second.keys()).cloned();
        let value = |at: &Vec<usize>| {
            element(self.first.get(at).unwrap_or(&zero), self.second.get(at).unwrap_or(&zero))
        };
        self.kept(places.map(|at| (at.clone(), value(&at))))
    }

    /// What is not zero of these, which are at different places.
    fn kept(&self, entries: impl Iterator<Item = (Vec<usize>, A::Element)>) -> Entries<A::Element> {
        let zero = self.zero();
        entries.filter(|(_, element)| *element != zero).collect()
    }

    /// Does this to the level of the first operand that has so many above.
    fn changed(
        &self,
        above: usize,
        function: Below<A::Element>,
        choices: &mut Choices,
    ) -> Entries<A::Element> {
        let stream = map(above, self.one(choices).stream().clone(), function);
        Indexed::new(self.arithmetic.clone(), &self.indices, stream, Counter::new()).entries()
    }

    /// The first operand where these places are.
    fn moved(&self, to: impl Fn(&[usize]) -> Option<Vec<usize>>) -> Entries<A::Element> {
        self.first.iter().filter_map(|(at, element)| Some((to(at)?, element.clone()))).collect()
    }
}

/// With one index changed.
fn with(at: &[usize], level: usize, index: usize) -> Vec<usize> {
    let mut at = at.to_vec();
    at[level] = index;
    at
}

fn products_and_sums<A: Arithmetic + 'static>(case: &Case<A>, choices: &mut Choices) {
    for lead in [Lead::None, Lead::First] {
        let product = case.one(choices).product(case.two(choices), lead);
        assert_eq!(product.entries(), case.pointwise(|a, b| case.arithmetic.mul(a, b)), "product");
    }
    let sum = case.one(choices).sum(case.two(choices)).expect("the same indices");
    assert_eq!(sum.entries(), case.pointwise(|a, b| case.arithmetic.add(a, b)), "sum");
    let squared = case.arithmetic.clone();
    let map = case.one(choices).map(move |a| squared.mul(a, a));
    let squares = case.first.iter().map(|(at, a)| (at.clone(), case.arithmetic.mul(a, a)));
    assert_eq!(map.entries(), case.kept(squares), "map");
}

/// Contracting, filtering and so on at the level with so many above.
fn levels<A: Arithmetic + 'static>(case: &Case<A>, above: usize, choices: &mut Choices) {
    let index = case.indices[above];
    let contracted = case.one(choices).contract(index).expect("it is there");
    let mut sums = Entries::new();
    for (at, element) in &case.first {
        let rest = [&at[..above], &at[above + 1..]].concat();
        let sum = sums.entry(rest).or_insert(case.zero());
        *sum = case.arithmetic.add(sum, element);
    }
    assert_eq!(contracted.entries(), case.kept(sums.into_iter()), "contract");

    let filtered = case.one(choices).filter(index, |i| i != 1).expect("it is there");
    assert_eq!(filtered.entries(), case.moved(|at| (at[above] != 1).then(|| at.to_vec())), "filter");

    let replicated = case.one(choices).replicate(index + 1, 1..3).expect("it is new");
    let at = |at: &[usize], i| [&at[..=above], &[i], &at[above + 1..]].concat();
    let copies = case.first.iter().flat_map(|(a, e)| [(at(a, 1), e.clone()), (at(a, 2), e.clone())]);
    assert_eq!(replicated.entries(), copies.collect(), "replicate");

    for holds in [true, false] {
        let guard: Below<A::Element> =
            Rc::new(move |value: Nested<_>| Nested::level(Guard::new(|| holds, value.into_level())));
        assert_eq!(case.changed(above, guard, choices), case.moved(|at| holds.then(|| at.to_vec())), "guard");
    }

    let rename: Below<A::Element> = Rc::new(|value: Nested<_>| {
        let least = |j: usize| Some(j.saturating_sub(3).div_ceil(2));
        Nested::level(Rename::new(value.into_level(), |i| 2 * i + 3, least))
    });
    let renamed = case.moved(|at| Some(with(at, above, 2 * at[above] + 3)));
    assert_eq!(case.changed(above, rename, choices), renamed, "rename");

    // The elements are multiplied, from the right, by one that depends on an index.
    let factors: Rc<[A::Element]> =
        (0..4).map(|_| case.arithmetic.sample(&mut |n| choices.below(n))).collect();
    let (own, arithmetic) = (factors.clone(), case.arithmetic.clone());
    let deeper = case.indices.len() - above - 1;
    let locate: Below<A::Element> = Rc::new(move |value: Nested<_>| {
        let (own, arithmetic) = (own.clone(), arithmetic.clone());
        let times = move |value, factor: A::Element| {
            let arithmetic = arithmetic.clone();
            let times: Below<A::Element> =
                Rc::new(move |e: Nested<_>| Nested::Element(arithmetic.mul(&e.into_element(), &factor)));
            map(deeper, value, times)
        };
        Nested::level(Locate::new(value.into_level(), move |i: usize| own[i].clone(), times))
    });
    let product = |(at, e): (&Vec<usize>, _)| (at.clone(), case.arithmetic.mul(e, &factors[at[above]]));
    let located = case.kept(case.first.iter().map(product));
    assert_eq!(case.changed(above, locate, choices), located, "locate");
}

#[derive(Default)]
struct Checked {
    semirings: u64,
    empty: usize,
    full: usize,
}

impl Visit for Checked {
    fn visit<A: Arithmetic + 'static>(&mut self, arithmetic: A, cost: usize) {
        let arithmetic = Rc::new(arithmetic);
        let mut choices = Choices::new(self.semirings);
        for depth in 1..=4 {
            for _ in 0..600 / (cost + depth) {
                let case = Case::random(&arithmetic, depth, &mut choices);
                products_and_sums(&case, &mut choices);
                (0..depth).for_each(|above| levels(&case, above, &mut choices));
                let empty = case.first.is_empty() || case.second.is_empty();
                *(if empty { &mut self.empty } else { &mut self.full }) += 1;
            }
        }
        self.semirings += 1;
    }
}

#[test]
fn every_combinator_is_a_homomorphism() {
    let mut checked = Checked::default();
    every_semiring(&mut checked);
    let Checked { semirings, empty, full } = checked;
    assert!(semirings >= 13 && empty > 2_000 && full > 2_000, "{semirings} {empty} {full}");
}

#[test]
fn misfits_are_refused() {
    use atl_streams::Misfit;
    let arithmetic = Rc::new(crate::cases::machine::<i64>("plus_times"));
    let vector = |index: usize| {
        let entries = [(vec![1], 5)].into();
        Indexed::of_entries(arithmetic.clone(), &[index], &entries, Counter::new())
    };
    let refused = |result: Result<Indexed<_>, Misfit>| result.map(|s| s.entries()).err();
    assert_eq!(refused(vector(0).sum(vector(1))), Some(Misfit::Lacks { index: 0 }));
    assert_eq!(refused(vector(0).contract(1)), Some(Misfit::Lacks { index: 1 }));
    assert_eq!(refused(vector(0).filter(1, |_| true)), Some(Misfit::Lacks { index: 1 }));
    assert_eq!(refused(vector(0).replicate(0, 0..2)), Some(Misfit::Has { index: 0 }));
    // What was summed over has the index no more.
    let sum = vector(0).contract(0).expect("it is there");
    assert_eq!(refused(sum.clone().contract(0)), Some(Misfit::Lacks { index: 0 }));
    assert_eq!(refused(sum.replicate(0, 0..2)), None);
}
