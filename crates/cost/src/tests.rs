//! The model on kernels whose costs can be told by hand.

use super::{Estimate, Machine, estimate, flops, steps};
use atl_loops::parse_kernel;

fn cost(text: &str, sizes: &[i64]) -> Estimate {
    let kernel = parse_kernel(text).expect("the kernel parses");
    estimate(&kernel, sizes, &Machine::default()).expect("it has a cost")
}

/// The first kernel costs less than the second.
fn check(cheaper: &str, dearer: &str, sizes: &[i64]) {
    let (a, b) = (cost(cheaper, sizes), cost(dearer, sizes));
    assert!(a.cycles() < b.cycles(), "{a:?}\n{cheaper}\n{b:?}\n{dearer}");
}

/// A copy of a matrix, with these loops.
fn copy(loops: &str) -> String {
    let ends = "}".repeat(loops.matches('{').count());
    format!(
        "kernel copy(N) in f32 a[N, N] out f32 out[N, N] {{ {loops} out[i * N + j] = a[i * N + j] {ends} }}"
    )
}

#[test]
fn every_line_is_moved_once_where_memory_is_read_in_order() {
    let estimate = cost(&copy("for i in 0..N { for j in 0..N {"), &[2048]);
    let lines = 2048.0 * 2048.0 * 4.0 / 64.0;
    // In, in and out again for what is stored, and a charge for each of the two stretches.
    assert_eq!(estimate.traffic[3], (3.0 * lines + 2.0) * 12.0);
}

#[test]
fn memory_is_better_read_in_order() {
    check(&copy("for i in 0..N { for j in 0..N {"), &copy("for j in 0..N { for i in 0..N {"), &[2048]);
    // Where everything fits the nearest cache, only the stretches differ.
    let (along, across) = (copy("for i in 0..N { for j in 0..N {"), copy("for j in 0..N { for i in 0..N {"));
    assert_eq!(cost(&along, &[16]).traffic[2], cost(&across, &[16]).traffic[2]);
}

#[test]
fn lanes_and_threads_divide_the_work() {
    let plain = copy("for i in 0..N { for j in 0..N {");
    let lanes = copy("for i in 0..N { vector(8) for j in 0..N {");
    let both = copy("parallel for i in 0..N { vector(8) for j in 0..N {");
    check(&lanes, &plain, &[1024]);
    check(&both, &lanes, &[1024]);
    // Threads take long to start, and lanes need cells next to one another.
    check(&lanes, &both, &[4]);
    let across = copy("for j in 0..N { vector(8) for i in 0..N {");
    let across_plain = copy("for j in 0..N { for i in 0..N {");
    assert_eq!(cost(&across, &[64]).traffic, cost(&across_plain, &[64]).traffic);
}

/// What is computed from registers alone has as many lanes as its own type.
#[test]
fn registers_have_lanes() {
    let kernel = |inside: &str| {
        format!("kernel f(N) in f32 a[N] out f32 out[N] {{ f32x8 for i in 0..N / 8 * 8 {{ {inside} }} }}")
    };
    let named =
        "alloc register f32 s uninit { s = a[i] alloc register f32 t uninit { t = s * s out[i] = t } }";
    let plain = "alloc register f32 s uninit { s = a[i] * a[i] out[i] = s }";
    let (named, plain) = (cost(&kernel(named), &[4096]), cost(&kernel(plain), &[4096]));
    assert_eq!(named.compute, plain.compute);
}

/// Of loops over integers a C compiler makes vectors, unless there are tests, or cells whose distance
/// changes.
#[test]
fn integers_are_vectors_unmarked() {
    let sum = |value: &str| {
        format!(
            "kernel f(N) in u8 a[N] out u8 out[N] {{ for i in 0..N {{ alloc register u8 m = 0u8 {{ \
             unroll for k in 0..2 {{ m max= {value} }} out[i] = m }} }} }}"
        )
    };
    let compute = |value: &str| cost(&sum(value), &[4096]).compute;
    for slow in ["(i < 7 ? a[i] : 0u8)", "a[min(i + k, N - 1)]", "a[i / 2]"] {
        assert!(10.0 * compute("a[i]") < compute(slow), "{slow}");
    }
    assert_eq!(compute("a[i]"), compute("a[i + min(k, N - 1)]"));
}

#[test]
fn a_block_that_is_written_out_is_summed_up_in_registers() {
    let sums = |storage: &str, inner: &str| {
        format!(
            "kernel f(K) in f32 a[K, 4] in f32 b[K, 8] out f32 out[4, 8] {{
               alloc {storage} f32 acc[4, 8] = 0.0f32 {{
                 for k in 0..K {{ {inner} for i in 0..4 {{ vector(8) for j in 0..8 {{
                   acc[i * 8 + j] += a[k * 4 + i] * b[k * 8 + j] }} }} }}
                 for i in 0..4 {{ vector(8) for j in 0..8 {{ out[i * 8 + j] = acc[i * 8 + j] }} }} }} }}"
        )
    };
    let (registers, memory, looped) = (sums("stack", "unroll"), sums("heap", "unroll"), sums("stack", ""));
    assert!(cost(&registers, &[1000]).traffic[0] < cost(&memory, &[1000]).traffic[0]);
    assert!(cost(&registers, &[1000]).traffic[0] < cost(&looped, &[1000]).traffic[0]);
}

#[test]
fn a_sum_waits_for_itself() {
    let sum = |op: &str| {
        format!(
            "kernel f(N) in f32 a[N] out f32 out[1] {{ reset out = 0.0f32 for i in 0..N {{ out[0] {op} a[i] }} }}"
        )
    };
    assert!(cost(&sum("+="), &[1000]).compute >= 4.0 * 1000.0);
}

#[test]
fn a_tile_keeps_what_it_reads_again() {
    // The transposed matrix is read along columns: a tile reads each line once.
    let transpose = |loops: &str, i: &str, j: &str| {
        let ends = "}".repeat(loops.matches('{').count());
        format!(
            "kernel t(N) in f32 a[N, N] out f32 out[N, N] {{ {loops} out[({i}) * N + {j}] = a[({j}) * N + {i}] {ends} }}"
        )
    };
    let plain = transpose("for i in 0..N { for j in 0..N {", "i", "j");
    let tiled = transpose(
        "for io in 0..N / 16 { for jo in 0..N / 16 { for ii in 0..16 { for ji in 0..16 {",
        "io * 16 + ii",
        "jo * 16 + ji",
    );
    let (plain, tiled) = (cost(&plain, &[4096]), cost(&tiled, &[4096]));
    assert!(tiled.traffic[1] * 2.0 < plain.traffic[1], "{tiled:?}\n{plain:?}");
}

#[test]
fn what_does_not_run_costs_nothing() {
    let estimate = cost(&copy("for i in 0..N { for j in 0..N {"), &[0]);
    assert_eq!(estimate.cycles(), 0.0);
    let branches = "kernel f(N) out f32 out[N] { for i in 0..N { if N < 0 { out[i] = 1.0f32 } } }";
    assert_eq!(cost(branches, &[100]).traffic, [0.0; 5]);
}

#[test]
fn sizes_beyond_64_bits_have_no_cost() {
    let kernel = parse_kernel(&copy("for i in 0..N { for j in 0..N {")).expect("the kernel parses");
    assert_eq!(estimate(&kernel, &[i64::MAX], &Machine::default()), None);
}

#[test]
fn no_store_is_cheaper_than_a_lane_of_a_cycle() {
    // Tiles as large as the matrix, larger, and far larger.
    let tiled = |kinds: [&str; 2], i: i64, j: i64| {
        let [outer, inner] = kinds;
        format!(
            "kernel scale(N, M) in f32 a[N, M] out f32 out[N, M] {{
               for io in 0..(N + {i} - 1) / {i} {{ for jo in 0..(M + {j} - 1) / {j} {{
                 {outer} for ii in 0..{i} {{ if io * {i} + ii < N {{ {inner} for ji in 0..{j} {{ if jo * {j} + ji < M {{
                   out[(io * {i} + ii) * M + (jo * {j} + ji)] = a[(io * {i} + ii) * M + (jo * {j} + ji)]
               }} }} }} }} }} }} }}"
        )
    };
    let lanes = f64::from(Machine::default().vector_bytes / 4);
    for kinds in [["", ""], ["unroll", ""], ["", "vector(8)"], ["unroll", "vector(8)"]] {
        for (i, j) in [(2, 4), (2, 8), (16, 8), (16, 64), (64, 2048), (2048, 2048)] {
            for sizes in [[1, 1], [2, 3], [2, 100_000], [100_000, 2], [1000, 1000]] {
                let cycles = cost(&tiled(kinds, i, j), &sizes).cycles();
                let least = (sizes[0] * sizes[1]) as f64 / lanes;
                assert!(cycles >= least, "{kinds:?}, {i} by {j} at {sizes:?}: {cycles} under {least}");
            }
        }
    }
}

#[test]
fn both_sides_of_a_branch_count() {
    let branch = |bound: &str| {
        format!(
            "kernel f(N) in f32 a[N] out f32 out[N] {{ for i in 0..N {{
               if i < {bound} {{ out[i] = exp(a[i]) }} else {{ out[i] = a[i] }} }} }}"
        )
    };
    check(&branch("N / 4"), &branch("3 * N / 4"), &[1000]);
    check(&branch("0"), &branch("N / 4"), &[1000]);
}

#[test]
fn threads_are_not_worth_little_work() {
    let rows = |kind: &str| copy(&format!("{kind} for i in 0..N {{ vector(8) for j in 0..N {{"));
    check(&rows(""), &rows("parallel"), &[100]);
    check(&rows("parallel"), &rows(""), &[2000]);
}

#[test]
fn operations_on_numbers_are_counted_wherever_they_stand() {
    let check = |body: &str, expected: f64| {
        let text = format!("kernel f(N) in f32 a[N] in f32 b[N] out f32 out[N] {{ {body} }}");
        let kernel = parse_kernel(&text).expect("the kernel parses");
        assert_eq!(flops(&kernel, &[10]), Some(expected), "{body}");
    };
    check("for i in 0..N { out[i] = a[i] }", 0.0);
    check("for i in 0..N { out[i] = a[i] * b[i] + a[i] }", 20.0);
    check("for i in 0..N { for k in 0..N { out[i] += a[k] * b[k] } }", 200.0);
    check("for i in 0..N { for k in 0..i { out[i] += a[k] } }", 50.0);
    check("parallel for i in 0..N { if i < 5 { out[i] = sqrt(a[i]) } else { out[i] = 1.0f32 } }", 5.0);
}

#[test]
fn iterations_count_where_nothing_is_computed() {
    let count = |body: &str| {
        let text = format!("kernel f(N) in f32 a[N] out f32 out[N] {{ {body} }}");
        steps(&parse_kernel(&text).expect("the kernel parses"), &[10])
    };
    assert_eq!(count("for i in 0..N { out[i] = a[i] }"), Some(10.0));
    assert_eq!(
        count("for i in 0..N { for k in 0..N { for l in 0..N - 10 { out[i] += a[k] * a[k] } } }"),
        Some(110.0)
    );
    assert_eq!(count("for i in 0..N { out[i] = a[i] * a[i] + a[i] }"), Some(30.0));
}

#[test]
fn gathers_cost_more_than_copies_and_what_arrays_decide_is_not_counted() {
    let head = "kernel f(N, M) in i32 at[N] in f32 t[M] out f32 out[N] \
        requires all p in 0..N { 0 <= at[p] && at[p] < M }";
    let kernel = |body: &str| format!("{head} {{ for i in 0..N {{ {body} }} }}");
    let sizes = [1 << 20, 1 << 20];
    check(&kernel("out[i] = t[i] + t[i]"), &kernel("out[i] = t[at[i]] + t[at[i]]"), &sizes);
    let count = |body: &str| flops(&parse_kernel(&kernel(body)).expect("the kernel parses"), &sizes);
    assert_eq!(count("out[i] = t[at[i]] + t[at[i]]"), Some(f64::from(1 << 20)));
    let guarded = "if at[i] < 7 { out[i] = t[at[i]] + t[at[i]] }";
    assert_eq!(count(guarded), None);
    assert_eq!(count("search for q in 0..N { if at[q] == i { out[i] = t[q] + t[q] } }"), None);
    assert!(cost(&kernel(guarded), &sizes).cycles() > 0.0);
}

/// Maxima over rows are in vectors where what is stored runs along memory: of all columns of a vector a row
/// is read once.
#[test]
fn maxima_over_rows_are_cheaper_in_vectors() {
    let kernel = |of: &str| {
        format!(
            "kernel f(N) in f64 a[N, N] out f64 out[N] {{ {of} for s in 0..N / 8 * 8 {{ \
             alloc register f64 m = -f64.inf {{ for r in 0..N {{ m max= a[r * N + s] }} out[s] = m }} }} }}"
        )
    };
    for size in [64, 1000] {
        check(&kernel("f64x8"), &kernel(""), &[size]);
        let (vectors, plain) = (cost(&kernel("f64x8"), &[size]), cost(&kernel(""), &[size]));
        assert!(vectors.compute < plain.compute, "{vectors:?} {plain:?}");
    }
}
