//! Shortest paths, and the paths themselves: one expression over two semirings.

use atl_semirings::carriers::{Machine, Path, Paths};
use atl_semirings::{Arithmetic, by_name};
use atl_streams::combinators::Lead;
use atl_streams::{Counter, Entries, Indexed};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What is reached at most one edge farther: `x[v] + sum u { x[u] * A[u, v] }`, until nothing changes.
fn closed<A: Arithmetic + 'static>(
    arithmetic: &Rc<A>,
    start: Entries<A::Element>,
    edges: &Entries<A::Element>,
) -> Entries<A::Element>
where
    A::Element: PartialEq,
{
    let of = |indices: &[usize], entries: &Entries<A::Element>| {
        Indexed::of_entries(arithmetic.clone(), indices, entries, Counter::new())
    };
    let mut reached = start;
    loop {
        let farther = of(&[0], &reached).product(of(&[0, 1], edges), Lead::First).contract(0);
        let next =
            farther.and_then(|farther| of(&[1], &reached).sum(farther)).expect("both are over v").entries();
        if next == reached {
            return reached;
        }
        reached = next;
    }
}

/// A random graph without two edges from one vertex to another: their ends, and how long they are.
fn graph(vertices: usize, edges: usize, mut seed: u64) -> BTreeMap<(usize, usize), u64> {
    let mut below = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    (0..edges).map(|_| ((below(vertices), below(vertices)), below(9) as u64)).collect()
}

#[test]
fn the_witnesses_are_paths_of_the_least_length() {
    let lengths = Rc::new(Machine::<f64>::try_new(by_name("min_plus").expect("min_plus")).expect("of f64"));
    let mut reached = 0;
    for (vertices, edges) in [(1, 0), (1, 1), (2, 3), (9, 14), (25, 60), (60, 150)] {
        let edges = graph(vertices, edges, vertices as u64);
        let numbered: Vec<_> = edges.iter().collect();
        let costs = edges.iter().map(|(ends, length)| (vec![ends.0, ends.1], *length as f64)).collect();
        let least = closed(&lengths, [(vec![0], 0.0)].into(), &costs);
        let named = numbered.iter().zip(0..).map(|((ends, length), name)| {
            (vec![ends.0, ends.1], Some(Path { cost: **length, word: vec![name] }))
        });
        let paths = closed(&Rc::new(Paths), [(vec![0], Paths.one())].into(), &named.collect());
        assert!(least.keys().eq(paths.keys()));
        for (vertex, path) in &paths {
            let path = path.as_ref().expect("what is stored is reached");
            // Edge by edge, from the first vertex to this one.
            let end = path.word.iter().try_fold((0, 0), |(at, length), name| {
                let ((from, to), own) = numbered[*name as usize];
                (*from == at).then_some((*to, length + own))
            });
            assert_eq!(end, Some((vertex[0], path.cost)), "{path:?}");
            assert_eq!(path.cost as f64, least[vertex], "{path:?}");
            reached += 1;
        }
    }
    assert!(reached > 30, "{reached}");
}
