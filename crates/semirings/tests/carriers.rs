//! Every law that a carrier claims holds over samples, and every law that it does not claim fails somewhere. Semirings that
//! look right and are not are caught.

use atl_kernel::Laws;
use atl_semirings::carriers::{
    Counts, Machine, Matrices, Number, Pairs, Path, Paths, Polynomials, Smallest, Why,
};
use atl_semirings::{ALL, Arithmetic, SEMIRING, by_name, counterexample, false_claim};

/// Samples of a seed.
fn samples<A: Arithmetic>(arithmetic: &A, seed: u64, count: usize) -> Vec<A::Element> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let random: Vec<A::Element> = (0..count).map(|_| arithmetic.sample(&mut below)).collect();
    [arithmetic.zero(), arithmetic.one()].into_iter().chain(random).collect()
}

fn check<A: Arithmetic>(arithmetic: &A) {
    let name = arithmetic.name();
    for seed in 0..12 {
        assert_eq!(false_claim(arithmetic, &samples(arithmetic, seed, 6)), None, "{name}");
    }
    let claimed = arithmetic.laws().and(Laws::INDEX_COUNTS);
    for (law, bit) in Laws::TABLE.iter().filter(|(_, law)| !claimed.has(*law)) {
        let fails =
            (0..40).any(|seed| counterexample(arithmetic, *bit, &samples(arithmetic, seed, 6)).is_some());
        assert!(fails, "{law} of {name} could be claimed");
    }
}

fn machine<T: Number>(name: &str) -> Machine<T> {
    Machine::try_new(by_name(name).expect("listed")).expect("admitted")
}

#[test]
fn claims_are_what_holds() {
    check(&Counts);
    check(&Matrices { of: machine::<i64>("plus_times"), size: 2 });
    check(&Matrices { of: machine::<bool>("or_and"), size: 3 });
    check(&Matrices { of: machine::<f64>("min_plus"), size: 2 });
    check(&Pairs(machine::<f64>("min_plus"), Counts));
    check(&Pairs(Paths, machine::<bool>("or_and")));
    check(&Paths);
    check(&Polynomials(Counts));
    check(&Polynomials(machine::<bool>("or_and")));
    check(&Polynomials(Paths));
    check(&Smallest { k: 2 });
    check(&Smallest { k: 3 });
    check(&Why);
}

#[test]
fn instances_of_the_language_keep_their_claims() {
    let keeps = |name: &str| {
        let semiring = by_name(name).expect("listed");
        let floats = Machine::<f64>::try_new(semiring).map(|a| false_claim(&a, &samples(&a, 1, 9)));
        let integers = Machine::<i64>::try_new(semiring).map(|a| false_claim(&a, &samples(&a, 2, 9)));
        let truths = Machine::<bool>::try_new(semiring).map(|a| false_claim(&a, &samples(&a, 3, 2)));
        assert_eq!(floats.flatten(), None);
        assert_eq!(integers.flatten(), None);
        assert_eq!(truths.flatten(), None);
    };
    ALL.iter().for_each(|semiring| keeps(semiring.algebra.name));
}

/// A semiring with operations of its own, which claims what another does.
struct Planted<A: Arithmetic> {
    like: A,
    claims: Laws,
    add: fn(&A::Element, &A::Element) -> A::Element,
    mul: fn(&A::Element, &A::Element) -> A::Element,
    zero: A::Element,
    elements: Vec<A::Element>,
}

impl<A: Arithmetic> Arithmetic for Planted<A> {
    type Element = A::Element;

    fn name(&self) -> String {
        format!("like {}", self.like.name())
    }

    fn laws(&self) -> Laws {
        self.claims
    }

    fn zero(&self) -> A::Element {
        self.zero.clone()
    }

    fn one(&self) -> A::Element {
        self.like.one()
    }

    fn add(&self, a: &A::Element, b: &A::Element) -> A::Element {
        (self.add)(a, b)
    }

    fn mul(&self, a: &A::Element, b: &A::Element) -> A::Element {
        (self.mul)(a, b)
    }

    fn sample(&self, below: &mut dyn FnMut(usize) -> usize) -> A::Element {
        self.elements[below(self.elements.len())].clone()
    }
}

/// What is planted is found, and it is this law.
fn caught<A: Arithmetic>(planted: &Planted<A>, law: &str) {
    let found = (0..20).find_map(|seed| false_claim(planted, &samples(planted, seed, 6)));
    assert_eq!(found.map(|(law, _)| law), Some(law), "{}", planted.name());
}

#[test]
fn words_in_the_order_of_a_dictionary_do_not_distribute() {
    let path = |word: &[u32]| Some(Path { cost: 0, word: word.to_vec() });
    let smaller = |a: &Option<Path>, b: &Option<Path>| {
        a.iter().chain(b).min_by_key(|path| (path.cost, path.word.clone())).cloned()
    };
    let elements = vec![path(&[0]), path(&[0, 1]), path(&[2]), path(&[1])];
    let mul = |a: &Option<Path>, b: &Option<Path>| Paths.mul(a, b);
    caught(
        &Planted { like: Paths, claims: Paths.laws(), add: smaller, mul, zero: None, elements },
        "DISTR_R",
    );
}

#[test]
fn greatest_products_do_not_distribute_over_negative_numbers() {
    let like = machine::<f64>("max_times");
    let (add, mul) = (|a: &f64, b: &f64| a.max(*b), |a: &f64, b: &f64| a * b);
    let elements = vec![0.0, 1.0, -1.0, 2.0];
    caught(&Planted { like, claims: SEMIRING, add, mul, zero: f64::NEG_INFINITY, elements }, "MUL_0_L");
    let claims = Laws::DISTR_L.and(Laws::DISTR_R);
    let elements = vec![0.0, 1.0, -1.0, 2.0];
    caught(&Planted { like, claims, add, mul, zero: 0.0, elements }, "DISTR_L");
}

#[test]
fn a_largest_number_is_no_infinity() {
    // A sentinel without saturation: zero does not annihilate.
    let like = machine::<i64>("plus_times");
    let (add, mul) = (|a: &i64, b: &i64| *a.min(b), |a: &i64, b: &i64| a.wrapping_add(*b));
    let claims = Laws::ADD_COMM_MONOID.and(Laws::MUL_0_L).and(Laws::MUL_0_R);
    caught(&Planted { like, claims, add, mul, zero: i64::MAX, elements: vec![0, 1, 5] }, "MUL_0_L");
    // The largest finite float, with negative costs.
    let like = machine::<f64>("min_plus");
    let (add, mul) = (|a: &f64, b: &f64| a.min(*b), |a: &f64, b: &f64| a + b);
    let elements = vec![0.0, -f64::MAX, 5.0];
    caught(&Planted { like, claims, add, mul, zero: f64::MAX, elements }, "MUL_0_L");
}

#[test]
fn sums_that_stop_are_not_associative_with_negative_numbers() {
    let like = machine::<i64>("plus_times");
    let (add, mul) = (|a: &i64, b: &i64| a.saturating_add(*b), |a: &i64, b: &i64| a.saturating_mul(*b));
    let elements = vec![1, -1, i64::MAX];
    caught(&Planted { like, claims: SEMIRING, add, mul, zero: 0, elements }, "ADD_ASSOC");
}

#[test]
fn floats_are_associative_only_without_rounding() {
    let like = machine::<f64>("plus_times");
    let (add, mul) = (|a: &f64, b: &f64| a + b, |a: &f64, b: &f64| a * b);
    let elements = vec![0.1, 0.2, 0.3, -0.1];
    caught(&Planted { like, claims: SEMIRING, add, mul, zero: 0.0, elements }, "ADD_ASSOC");
}
