//! How much a sparse program does, counted by the loops' interpreter: complexity is a test.

use atl_driver::backends::{self, Options};
use atl_driver::{Buffer, Compile, Program, Work};
use std::collections::BTreeSet;

const TRIANGLES: &str = "fn triangles(A: f64[N, N] as csr) -> f64 {
    sum a < N, b < N, c < N { A[a, b] * A[b, c] * A[a, c] }
}
schedule sizes of triangles { rounding real; sparsify; }
schedule first of triangles { rounding real; sparsify by search; }
schedule shorter of triangles { rounding real; sparsify by search; drive_shorter pA2_2, pA2_3; }";

/// The columns of each row of a graph's matrix, in order.
type Rows = Vec<Vec<i32>>;

/// How many triangles there are, by the schedule, and what it does to find them.
fn triangles(schedule: &str, rows: &Rows) -> (f64, Work) {
    let program = Program::parse("t.atl", TRIANGLES).expect("it is a program");
    let scheduled = program.scheduled("triangles", Some(schedule)).expect("it has a schedule");
    let backend = backends::by_name("cranelift").expect("it is embedded");
    let lowered = scheduled.lower().expect("it is lowered");
    let kernel = lowered.compile(backend, Options::default()).expect("it is compiled");
    let ends = rows.iter().scan(0, |end, row| {
        *end += row.len() as i64;
        Some(*end)
    });
    let pos: Vec<i64> = std::iter::once(0).chain(ends).collect();
    let crd: Vec<i32> = rows.concat();
    let array = |buffer: Result<Buffer, _>| buffer.expect("it fits memory");
    let arrays = [
        ("A2_pos", array(Buffer::from_slice(&pos, &[pos.len()]))),
        ("A2_crd", array(Buffer::from_slice(&crd, &[crd.len()]))),
        ("A_vals", array(Buffer::from_slice(&vec![1.0; crd.len()], &[crd.len()]))),
    ];
    let arguments: Vec<_> = arrays.iter().map(|(name, buffer)| (*name, buffer.view())).collect();
    let sizes = [("N", rows.len() as i64)];
    let bound = kernel.call(&arguments, &sizes).bind().expect("the arguments fit");
    let result = kernel.call(&arguments, &sizes).dense().expect("it runs");
    let found = result.as_slice::<f64>().expect("a number")[0];
    (found, bound.work().expect("it is counted"))
}

fn total(work: Work) -> u64 {
    work.iterations + work.looks
}

/// The first node is joined to all and to itself.
fn star(nodes: usize) -> Rows {
    std::iter::once((0..nodes as i32).collect()).chain((1..nodes).map(|_| vec![0])).collect()
}

#[test]
fn triangles_of_a_star_are_found_in_linear_time() {
    // `ATL_STAR=1000000` goes that far.
    let most = std::env::var("ATL_STAR").ok().and_then(|n| n.parse().ok()).unwrap_or(50_000);
    for nodes in [2, 50, 500, 5_000, 50_000, 500_000, 1_000_000].into_iter().filter(|n| *n <= most) {
        let (found, work) = triangles("shorter", &star(nodes));
        assert_eq!(found, (1 + 3 * (nodes - 1)) as f64);
        // A line through all the points.
        assert_eq!((work.iterations, work.looks), (6 * nodes as u64 - 3, 4 * nodes as u64 - 3), "{nodes}");
        println!("{nodes} nodes: {work}");
        // Where the lengths decide it is linear without being asked.
        let (found, work) = triangles("sizes", &star(nodes));
        assert_eq!(found, (1 + 3 * (nodes - 1)) as f64);
        assert!(total(work) <= 12 * nodes as u64, "{nodes} nodes: {work}");
    }
    // Where one operand drives always, each of the other nodes goes over the whole first row.
    let (found, work) = triangles("first", &star(200));
    assert!(found == 598.0 && total(work) >= 200 * 200, "{work}");
}

/// A graph whose edges fall into one quarter of the matrix again and again, with unequal odds: few nodes have most of them.
fn rmat(scale: u32, edges: usize) -> Rows {
    let mut state = 7u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) % 100
    };
    let mut rows = vec![BTreeSet::new(); 1 << scale];
    for _ in 0..edges {
        let (mut row, mut column) = (0usize, 0i32);
        for _ in 0..scale {
            let (down, right) = match draw() {
                0..57 => (0, 0),
                57..76 => (0, 1),
                76..95 => (1, 0),
                _ => (1, 1),
            };
            (row, column) = (2 * row + down, 2 * column + right);
        }
        rows[row].insert(column);
    }
    rows.into_iter().map(|row| row.into_iter().collect()).collect()
}

#[test]
fn triangles_of_skewed_graphs_take_what_the_shorter_rows_have() {
    for (scale, edges) in [(6, 400), (8, 2_500), (10, 8_000)] {
        let rows = rmat(scale, edges);
        let stored: usize = rows.iter().map(Vec::len).sum();
        let edges = || rows.iter().flat_map(|a| a.iter().map(|b| (a.len(), rows[*b as usize].len())));
        let least: usize = edges().map(|(a, b)| a.min(b)).sum();
        let firsts: usize = edges().map(|(_, b)| b).sum();
        let (found, work) = triangles("shorter", &rows);
        let (same, first) = triangles("first", &rows);
        let (decided, sizes) = triangles("sizes", &rows);
        assert_eq!((found, found), (same, decided));
        // Each edge is met once, and of the two rows that meet there the shorter one is gone over: no more than the bound on
        // triangles of so many edges, by which no plan that joins two of the three first can be held.
        let iterations = (rows.len() + stored + least) as u64;
        assert_eq!(work.iterations, iterations, "{work}");
        assert!((least as f64) <= (stored as f64).powf(1.5));
        assert_eq!(first.iterations, (rows.len() + stored + firsts) as u64, "{first}");
        // What is walked step by step is at most so many times as long; and together they are no longer than both.
        let merged: usize = edges().map(|(a, b)| (a + b).min(33 * a.min(b))).sum();
        assert!(sizes.iterations <= (rows.len() + stored + merged) as u64, "{sizes}");
        println!("{} nodes, {stored} edges: {work}; first: {first}", rows.len());
    }
}
