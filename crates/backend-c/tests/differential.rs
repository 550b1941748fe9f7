//! Compiled kernels against the trapping interpreter, on random cases.

use super::harness::{check, for_each_compiled, run};
use atl_backend_c::{Options, STATUS_NO_MEMORY, STATUS_OK, STATUS_REFUSED, print_kernel};
use atl_loops::cases::{
    Case, appending_case, changes_case, early_exit_case, lanes_case, merging_case, mixed_case, narrow_case,
    over_case, random_case, searches_case, tiles_case,
};
use atl_loops::interp::Cells;
use atl_loops::passes::{PASSES, hoist_scratch, unroll, whole_vectors};
use atl_loops::{Name, parse_kernel};

fn random_cases(seeds: std::ops::Range<u64>) -> Vec<Case> {
    let named = |seed| {
        let mut case = random_case(seed);
        case.kernel.name = Name::from(format!("case_{seed}"));
        case
    };
    seeds.map(named).collect()
}

#[test]
fn random_cases_agree_with_the_interpreter() {
    check("random", &random_cases(0..80), Options::default());
}

/// Outputs that grow, in one call and as they are after passes.
#[test]
fn outputs_that_grow_agree_with_the_interpreter() {
    let mut cases: Vec<Case> = (0..32).map(appending_case).collect();
    check("appending", &cases[..8], Options::default());
    for case in &mut cases {
        case.kernel = hoist_scratch(&case.kernel);
    }
    check("appending_hoisted", &cases, Options::default());
}

/// Named vectors, vectors in memory, and what neither can be.
#[test]
fn tiles_of_vectors_agree_with_the_interpreter() {
    let mut cases: Vec<Case> = (0..160).map(tiles_case).collect();
    for case in &mut cases {
        case.kernel = unroll(&whole_vectors(&case.kernel));
    }
    let printed =
        cases.iter().map(|case| print_kernel(&case.kernel, &Options::default()).expect("is well-formed").c);
    let vectors: Vec<String> = printed.filter(|c| c.contains("vector_size")).collect();
    let named = vectors.iter().filter(|c| c.contains(" t_0;")).count();
    assert!(vectors.len() > 80 && named > 20, "{} with vectors, {named} of them named", vectors.len());
    check("tiles", &cases, Options::default());
}

/// Each output in the memory of the input that it is over.
#[test]
fn outputs_over_inputs_agree_with_the_interpreter() {
    let accepted = |case: &Case| atl_loops::validate::validate(&case.kernel).is_empty();
    let mut cases: Vec<Case> = (0..160).map(over_case).filter(accepted).collect();
    check("over", &cases, Options::default());
    for case in &mut cases {
        case.kernel = PASSES.iter().fold(case.kernel.clone(), |kernel, pass| (pass.apply)(&kernel));
    }
    check("over_tidied", &cases, Options { openmp: true, ..Options::default() });
}

/// Masked lanes, variables of each lane's own, and serial loops inside.
#[test]
fn lanes_agree_with_the_interpreter() {
    let mut cases: Vec<Case> = (0..80).map(lanes_case).collect();
    for case in &mut cases {
        case.kernel = whole_vectors(&case.kernel);
    }
    let printed =
        cases.iter().map(|case| print_kernel(&case.kernel, &Options::default()).expect("is well-formed").c);
    let vectors: Vec<String> = printed.filter(|c| c.contains("vector_size")).collect();
    let masked = vectors.iter().filter(|c| c.contains("atl_store_")).count();
    assert!(vectors.len() > 60 && masked > 50, "{} with vectors, {masked} masked", vectors.len());
    check("lanes", &cases, Options::default());
}

/// Integers, several types at once, conversions, choices, and sums of a few products.
#[test]
fn lanes_of_several_types_agree_with_the_interpreter() {
    let whole = |seed: u64| {
        let mut case = mixed_case(seed);
        case.kernel = whole_vectors(&case.kernel);
        case
    };
    let print = |case: &Case| print_kernel(&case.kernel, &Options::default()).expect("is well-formed").c;
    // Sums of products that machines have are rare among these.
    let sums = (56..400).map(whole).filter(|case| print(case).contains("atl_dot")).take(12);
    let cases: Vec<Case> = (0..56).map(whole).chain(sums).collect();
    let printed: Vec<String> = cases.iter().map(print).collect();
    for (part, least) in [
        ("vector_size", 40),
        ("atl_dot4_", 2),
        ("atl_dot2_", 2),
        ("atl_blend_", 10),
        ("__builtin_convertvector", 20),
        ("atl_counted_", 5),
        ("atl_apart_", 10),
        ("atl_strided_", 4),
    ] {
        let count = printed.iter().filter(|c| c.contains(part)).count();
        assert!(count >= least, "{count} with `{part}`");
    }
    check("mixed", &cases, Options::default());
}

/// Integers of 8 and 16 bits, in up to 64 lanes.
#[test]
fn narrow_lanes_agree_with_the_interpreter() {
    let whole = |seed: u64| {
        let mut case = narrow_case(seed);
        case.kernel = whole_vectors(&case.kernel);
        case
    };
    let cases: Vec<Case> = (0..40).map(whole).collect();
    let print = |case: &Case| print_kernel(&case.kernel, &Options::default()).expect("is well-formed").c;
    let printed: Vec<String> = cases.iter().map(print).collect();
    let counts = ["_u8x64", "16x32", "atl_of_", "atl_div_u", "__builtin_ia32_blendm"]
        .map(|part| printed.iter().filter(|c| c.contains(part)).count());
    assert!(counts.into_iter().zip([3, 2, 8, 1, 2]).all(|(count, least)| count >= least), "{counts:?}");
    check("narrow", &cases, Options::default());
}

/// Of one run and of several, by one part and by two, under conditions, and within each other.
#[test]
fn merges_agree_with_the_interpreter() {
    let mut cases: Vec<Case> = (0..60).map(merging_case).collect();
    let printed = |case: &Case| print_kernel(&case.kernel, &Options::default()).expect("is well-formed").c;
    let [masked, pairs] =
        ["atl_masked_", "atl_second("].map(|part| cases.iter().filter(|c| printed(c).contains(part)).count());
    assert!(masked > 15 && pairs > 8, "{masked} masked, {pairs} by pairs");
    check("merges", &cases, Options::default());
    for case in &mut cases {
        case.kernel = PASSES.iter().fold(case.kernel.clone(), |kernel, pass| (pass.apply)(&kernel));
    }
    check("merges_tidied", &cases, Options { openmp: true, ..Options::default() });
}

/// Among no keys, one, and many, with fingers and without, in threads and without.
#[test]
fn searches_agree_with_the_interpreter() {
    let cases: Vec<Case> = (0..160).map(searches_case).collect();
    check("searches", &cases, Options { openmp: true, ..Options::default() });
}

/// Ended by the first element, the last, and none, with NaN on the way.
#[test]
fn loops_that_end_early_agree_with_the_interpreter() {
    let cases: Vec<Case> = (0..240).map(early_exit_case).collect();
    check("until", &cases, Options { openmp: true, ..Options::default() });
}

/// Blocks in which nothing changes are passed by, with every bit and every variable of the loop.
#[test]
fn loops_that_pass_iterations_by_agree_with_the_interpreter() {
    let cases: Vec<Case> = (0..120).map(changes_case).collect();
    let printed =
        cases.iter().map(|case| print_kernel(&case.kernel, &Options::default()).expect("is well-formed").c);
    let passing = printed.filter(|c| c.contains("atl_none_")).count();
    assert!(passing > 60, "{passing} pass by blocks");
    check("changes", &cases, Options::default());
}

/// Where a condition holds in no lane, nothing is read for it: `far` has one cell, and the index is a
/// terabyte away.
#[test]
fn what_no_lane_wants_is_not_read() {
    for far in
        ["far[K * 16777216 * 16777216]", "x[n[K * 16777216 * 16777216] + j]", "x[n[K * 16777216 * 16777216]]"]
    {
        check_far(far);
    }
}

fn check_far(far: &str) {
    let when = |cond: &str| format!("y[j] = ({cond} ? x[j] * {far} : x[j])");
    let unless = |cond: &str| format!("y[j] = ({cond} ? x[j] : x[j] * {far})");
    let branch =
        |cond: &str| format!("y[j] = x[j] if {cond} {{ z[j] = x[j] * {far} }} else {{ z[j] = 0f32 }}");
    let other =
        |cond: &str| format!("y[j] = x[j] if {cond} {{ z[j] = 0f32 }} else {{ z[j] = x[j] * {far} }}");
    let chosen = |cond: &str| format!("y[j] = ({cond} ? x[j] : x[0])");
    let bodies = [
        when("K <= j"),
        when("K < j"),
        when("K == j"),
        when("!(j < K)"),
        when("K <= j && 0 <= K"),
        unless("j < K"),
        unless("j != K"),
        unless("!(K <= j)"),
        branch("K <= j"),
        branch("K == j"),
        other("j != K"),
        other("j < K"),
        // Conditions that read, for lanes that are asked.
        when("K <= j && n[K * 16777216 * 16777216] <= j"),
        when("!(j < K || j < n[K * 16777216 * 16777216])"),
        unless("j < K || n[K * 16777216 * 16777216] == j"),
        branch("K <= j && n[K * 16777216 * 16777216] == 1"),
        other("j < K || j != n[K * 16777216 * 16777216]"),
        "y[j] = (K <= j ? (n[K * 16777216 * 16777216] <= j ? x[j] : x[0]) : x[j])".to_owned(),
        "y[j] = (K <= j ? (n[K * 16777216 * 16777216] == 0 ? x[j] : x[0]) : x[j])".to_owned(),
        // What the outer condition does not ask for, the inner one does not read.
        chosen("j < K - 15 && (j < K - 14 || n[K * 16777216 * 16777216] <= j)"),
        chosen("j < K - 15 && (j < K - 14 || n[K * 16777216 * 16777216] == 1)"),
        chosen("j < K - 15 && !(K - 14 <= j && n[K * 16777216 * 16777216] <= j)"),
        chosen("j < K - 13 || (j < K - 14 && n[K * 16777216 * 16777216] == 1)"),
        chosen("!(j < K - 15 && (j < K - 14 || n[K * 16777216 * 16777216] == 1))"),
        format!("y[j] = (K <= j ? (0 <= K ? x[j] * {far} : f32(int(n[K * 16777216 * 16777216]))) : x[j])"),
    ];
    let mut cases = Vec::new();
    for (body, lanes) in bodies.iter().flat_map(|body| [4, 8, 16].map(|lanes| (body, lanes))) {
        let (name, z) =
            (format!("far_{}", cases.len()), if body.contains("z[j]") { "out f32 z[16]" } else { "" });
        let text = format!(
            "kernel {name}(K) in f32 x[16] in f32 far[1] in i32 n[16] out f32 y[16] {z} {{ \
             f32x{lanes} for j in 0..16 {{ {body} }} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let x = (0..16u8).map(f32::from).collect();
        let inputs = vec![Cells::F32(x), Cells::F32(vec![1.0]), Cells::I32((0..16).rev().collect())];
        cases.push(Case { kernel, sizes: vec![16], inputs });
    }
    let printed = |case: &Case| print_kernel(&case.kernel, &Options::default()).expect("it prints").c;
    let is_masked = |c: String| c.contains("atl_below(") || c.contains("atl_up_to(");
    assert!(cases.iter().all(|case| is_masked(printed(case))), "conditions are masks");
    check("far", &cases, Options::default());
}

/// Sides whose difference leaves 64 bits, where they do not.
#[test]
fn conditions_on_lanes_hold_at_the_edges() {
    let mut cases = Vec::new();
    for side in ["L", "0 - L - 1", "K - L", "L - K", "9223372036854775807"] {
        for (a, b, lanes) in [("j", side, 8), (side, "j", 16)] {
            let stores: String = [("y", "<"), ("z", "<="), ("u", "=="), ("v", "!=")]
                .map(|(out, comparison)| format!("{out}[j] = ({a} {comparison} {b} ? x[j] : 0f32) "))
                .concat();
            let text = format!(
                "kernel edge(K, L) in f32 x[16] out f32 y[16] out f32 z[16] out f32 u[16] out f32 v[16] {{ \
                 f32x{lanes} for j in 0..16 {{ {stores} }} }}"
            );
            let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            for sizes in [[0, i64::MAX], [3, i64::MAX], [5, 1], [7, 63]] {
                let inputs = vec![Cells::F32((1..17u8).map(f32::from).collect())];
                let mut case = Case { kernel: kernel.clone(), sizes: sizes.to_vec(), inputs };
                case.kernel.name = Name::from(format!("edge_{}", cases.len()));
                cases.push(case);
            }
        }
    }
    check("edges", &cases, Options::default());
}

#[test]
fn threads_change_nothing() {
    let options = Options { openmp: true, ..Options::default() };
    check("threads", &random_cases(1000..1020), options);
    let streams =
        |case: &Case| print_kernel(&case.kernel, &options).expect("is well-formed").c.contains("nowait");
    let cases: Vec<Case> = (0..400).map(tiles_case).filter(streams).collect();
    assert!(cases.len() > 5, "{} with threads that store past the caches", cases.len());
    check("streams", &cases, options);
}

/// Blocks of scratch are taken, given back, grown and freed by several threads at once.
#[test]
fn threads_share_scratch_that_is_kept_between_calls() {
    let text = "kernel keeps(N, M) out i64 y[N] { alloc heap i64 s[N, M] uninit { \
                for i in 0..N { for j in 0..M { s[i * M + j] = int(i * M + j + N) } } \
                for i in 0..N { alloc heap i64 t[M] uninit { \
                for j in 0..M { t[j] = s[i * M + j] } y[i] = t[M - 1] } } } }";
    let kernel = parse_kernel(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let cases = [Case { kernel, sizes: vec![0, 0], inputs: Vec::new() }];
    for_each_compiled("keeps", &cases, Options::default(), |case, source, uniform| {
        assert_eq!(source.declaration.release.as_deref(), Some("keeps_release"));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for round in 0..200 {
                        let (n, m) = ((thread * 37 + round * 11) % 90, (thread * 5 + round) % 40 + 1);
                        let expected: Vec<i64> = (0..n).map(|i| (i + 1) * m - 1 + n).collect();
                        let case = Case { sizes: vec![n, m], ..case.clone() };
                        let (status, found) = run(uniform, &case, &[Cells::I64(expected.clone())]);
                        let wanted: Vec<u8> = expected.iter().flat_map(|cell| cell.to_le_bytes()).collect();
                        assert_eq!((status, &found[0][..wanted.len()]), (STATUS_OK, &wanted[..]), "{n} {m}");
                    }
                });
            }
        });
    });
}

/// Where memory is short, indices that were to be filled in a scope that is left out are not used: they
/// lead far away.
#[test]
fn indices_that_were_not_filled_are_not_used() {
    let large = "alloc heap i64 s[N * 1000000000, 1000000000, 1000000000] uninit { s[0] = 1i64";
    let far = "[(n[0] - 1) * 281474976710656]";
    let uses = [
        format!("y{far} = 1i64"),
        format!("y[0] = (0 < N ? y{far} : 0i64)"),
        "for i in 0..1 - n[0] { y[i + N * 281474976710656] = 1i64 }".to_owned(),
        "if n[0] == 0 { y[N * 281474976710656] = 1i64 }".to_owned(),
        "alloc heap i64 t[n[0]] uninit { for i in 0..N { t[i + 281474976710656] = 1i64 } }".to_owned(),
        "f32x4 for i in 0..4 { z[i] = x[(n[0] - 1) * 281474976710656 + i] }".to_owned(),
        "parallel for i in 0..4 { y[(n[0] - 1) * 281474976710656 + i] = 1i64 }".to_owned(),
    ];
    let mut cases = Vec::new();
    for (k, used) in uses.iter().enumerate() {
        for (j, buffer) in ["register i32 n", "stack i32 n[1]", "heap i64 n[1]"].iter().enumerate() {
            let scalar = if j == 2 { "i64" } else { "i32" };
            let text = format!(
                "kernel stray_{k}_{j}(N) in f32 x[4] out i64 y[4] out f32 z[4] {{ reset y = 0i64 alloc {buffer} uninit {{ \
                 {large} n[0] = 1{scalar} }} {used} }} }}"
            );
            let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            cases.push(Case { kernel, sizes: vec![1], inputs: vec![Cells::F32(vec![0.0; 4])] });
        }
    }
    let options = Options { openmp: true, ..Options::default() };
    for_each_compiled("stray", &cases, options, |case, _, uniform| {
        let (status, _) = run(uniform, case, &[Cells::I64(vec![0; 4]), Cells::F32(vec![0.0; 4])]);
        assert_eq!(status, STATUS_NO_MEMORY, "{}", case.kernel);
    });
}

#[test]
fn failures_are_statuses() {
    let large =
        "alloc heap i64 s[N * 1000000000, 1000000000, 1000000000] uninit { s[0] = int(i) y[i] = s[0] }";
    let case = |name: &str, size: i64| {
        let text = format!(
            "kernel {name}(N) out i64 y[4] requires N < 4 {{ parallel for i in 0..4 {{ {large} }} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Case { kernel, sizes: vec![size], inputs: Vec::new() }
    };
    let cases = [case("large", 3), case("too_many", 4), case("negative", -1)];
    let options = Options { openmp: true, ..Options::default() };
    for_each_compiled("failures", &cases, options, |case, _, uniform| {
        let (status, _) = run(uniform, case, &[Cells::I64(vec![0; 4])]);
        assert_eq!(status, if case.sizes == [3] { STATUS_NO_MEMORY } else { STATUS_REFUSED });
    });
}
