//! What the interpreter computes, and each of its traps.

use super::{Cells, Event, Options, RunError, Searches, interpret, observe};
use crate::cases::random_case;
use crate::search::NEAR;
use crate::text::parse_kernel;

/// Runs `body` with `N = 3`, the input `x = [1, 2, 3]` and the output `y[N]`; gives the output or the error.
fn check(body: &str, expected: &str) {
    let text = format!("kernel t(N) in i32 x[N] out i32 y[N] {{ {body} }}");
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let options = Options { steps: 1000, ..Options::default() };
    let found = match interpret(&kernel, &[3], &[Cells::I32(vec![1, 2, 3])], options) {
        Ok(outputs) => format!("{:?}", outputs[0]),
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected, "{text}");
}

#[test]
fn loops_conditions_and_scratch_compute() {
    check("for i in 0..N { y[i] = x[N - 1 - i] * 10i32 }", "I32([30, 20, 10])");
    check(
        "reset y = 7i32 for i in 1..N { if i == 2 { y[i] = x[i] } else { y[i] += x[i] } }",
        "I32([7, 9, 3])",
    );
    check(
        "for i in 0..N { alloc register i32 acc = 0i32 { for j in 0..i + 1 { acc += x[j] } y[i] = acc } }",
        "I32([1, 3, 6])",
    );
    check("parallel for i in 0..N { y[i] = (0 < i ? x[i - 1] : 0i32) }", "I32([0, 1, 2])");
}

#[test]
fn cells_are_read_where_they_stand() {
    check("for i in 0..N { y[x[i] - 1] = x[2] * 2i32 }", "I32([6, 6, 6])");
    check("reset y = 0i32 for i in 0..x[1] { y[x[i]] += 1i32 }", "I32([0, 1, 1])");
    // A bound is evaluated once, a condition anew.
    check("reset y = 2i32 for i in 0..y[0] { y[0] += 1i32 if y[0] == 4 { y[1] += 5i32 } }", "I32([4, 7, 2])");
    check("reset y = 0i32 for i in 0..5 { if i < N && x[i] == 2 { y[i] = 1i32 } }", "I32([0, 1, 0])");
    check("reset y = 0i32 for i in 0..5 { if N <= i || x[i] == 2 { y[0] += 1i32 } }", "I32([3, 0, 0])");
    check(
        "alloc heap u8 s[x[1]] = 255u8 { alloc stack bool b[1] = true { y[b[0] - 1] = i32(s[1]) y[1] = \
           i32(int(s[0])) y[2] = 0i32 } }",
        "I32([255, 255, 0])",
    );
}

#[test]
fn stray_reads_of_indices_trap() {
    check("y[x[3]] = 0i32", "`x[3]` is out of bounds, there are 3 cells");
    check("for i in 0..N { if i < x[i + 1] { } }", "i = 2: `x[3]` is out of bounds, there are 3 cells");
    check("for i in 0..y[0] { }", "`y[0]` is read but holds no value");
    check("alloc heap i32 s[y[1]] uninit { }", "`y[1]` is read but holds no value");
}

#[test]
fn stray_accesses_trap() {
    check("for i in 0..N { y[i] = x[i + 1] }", "i = 2: `x[3]` is out of bounds, there are 3 cells");
    check("y[-1 * N] = 0i32", "`y[-3]` is out of bounds, there are 3 cells");
}

#[test]
fn unwritten_cells_trap() {
    check("for i in 0..N { y[i] += x[i] }", "i = 0: `y[0]` is read but holds no value");
    check("for i in 1..N { y[i] = x[i] }", "the output cell `y[0]` holds no value");
    check("reset y = 0i32 reset y uninit y[0] = y[1]", "`y[1]` is read but holds no value");
}

#[test]
fn second_stores_trap_within_one_lifetime() {
    check("for i in 0..N { y[i] = x[i] } y[1] = 4i32", "`y[1]` is set a second time");
    check("for i in 0..N { y[i] = x[i] } reset y = 0i32 y[1] = 4i32", "I32([0, 4, 0])");
}

#[test]
fn forgotten_cells_begin_anew() {
    // A window of two that is carried, each of its cells set by turns.
    let window = |body: &str, rest: &str| {
        format!(
            "alloc stack i32 t[2] uninit {{ t[0] = 7i32 for i in 0..N {{ {body} y[i] = t[0] - t[1] }} {rest} }}"
        )
    };
    let round = "forget t[(i + 1) % 2..(i + 1) % 2 + 1] t[(i + 1) % 2] = x[i]";
    check(&window(round, ""), "I32([6, 1, -1])");
    check(&window("t[1] = x[i]", ""), "i = 1: `t[1]` is set a second time");
    check(&window(round, "forget t[0..2] y[0] += t[1]"), "`t[1]` is read but holds no value");
    check(&window("forget t[1..N] t[1] = x[i]", ""), "i = 0: `t[2]` is out of bounds, there are 2 cells");
    check("for i in 0..N { y[i] = x[i] y[i] := y[i] + 1i32 y[i] := y[i] + y[i] }", "I32([4, 6, 8])");
    let left = "alloc register bool s = false { unless(s) for i in 0..N { y[i] := x[i] s := 1i32 < y[i] } }";
    check(&format!("for i in 0..N {{ y[i] = 0i32 }} {left}"), "I32([1, 2, 0])");
    check("alloc heap i32 t[N] uninit { t[0] := t[0] }", "`t[0]` is read but holds no value");
    check("alloc heap i32 t[N] = 3i32 { forget t[N..1] for i in 0..N { y[i] = t[i] } }", "I32([3, 3, 3])");
}

#[test]
fn races_trap() {
    check(
        "reset y = 0i32 parallel for i in 0..N { y[i / 2] += x[i] }",
        "i = 1: `y[0]` is touched by the iterations i = 0 and i = 1",
    );
    check(
        "reset y = 0i32 vector for i in 0..N - 1 { y[i] = y[i + 1] }",
        "i = 1: `y[1]` is touched by the iterations i = 0 and i = 1",
    );
    check(
        "reset y = 0i32 block(x) for b in 0..N { thread(x) for i in 0..2 { y[b + i / 2] += x[b] } }",
        "b = 0, i = 1: `y[0]` is touched by the iterations i = 0 and i = 1",
    );
    check(
        "block(x) for b in 0..1 { alloc shared i32 s[3] uninit { thread(x) for i in 0..3 { s[i] = x[i] } \
         thread(x) for i in 0..3 { y[i] = s[2 - i] } } }",
        "I32([3, 2, 1])",
    );
    check("parallel for i in 0..N { y[i] = x[0] + y[i] * 0i32 }", "i = 0: `y[0]` is read but holds no value");
}

#[test]
fn overflow_and_endless_loops_trap() {
    check("y[9223372036854775807 + N] = 0i32", "`9223372036854775807 + N` is outside 64 bits");
    check("for i in 0..9223372036854775807 { }", "i = 499: the step budget is spent");
}

#[test]
fn arguments_are_checked() {
    let kernel =
        parse_kernel("kernel t(N) in i32 x[N - 1] out i32 y requires N < 3 { y = x[0] }").expect("reads");
    let run = |sizes: &[i64], inputs: &[Cells]| interpret(&kernel, sizes, inputs, Options::default());
    let x = Cells::I32(vec![1]);
    assert_eq!(run(&[2], std::slice::from_ref(&x)), Ok(vec![Cells::I32(vec![1])]));
    for (sizes, inputs) in [(vec![], vec![]), (vec![2], vec![]), (vec![2], vec![Cells::F32(vec![1.0])])] {
        assert!(matches!(run(&sizes, &inputs), Err(RunError::Arguments(_))));
    }
    for sizes in [[3], [0], [-1]] {
        assert!(matches!(run(&sizes, std::slice::from_ref(&x)), Err(RunError::Refused(_))));
    }
}

#[test]
fn random_cases_do_not_trap() {
    for seed in 0..500 {
        let case = random_case(seed);
        let outputs = interpret(&case.kernel, &case.sizes, &case.inputs, Options::default());
        assert!(outputs.is_ok(), "seed {seed}: {}\n{}", outputs.unwrap_err(), case.kernel);
    }
}

#[test]
fn searches_run_every_iteration_and_look_at_the_keys() {
    // The input is 1, 2, 3.
    check("reset y = 0i32 search for q in 0..N { if x[q] == 2 { y[q] += 5i32 } }", "I32([0, 5, 0])");
    check("reset y = 0i32 search for q in 0..N { if 7 == x[q] && q < 2 { y[q] += 5i32 } }", "I32([0, 0, 0])");
    check(
        "reset y = 0i32 for p in 0..N { search(p) for q in 0..N { if x[q] == p + 1 { y[q] += 5i32 } } }",
        "I32([5, 5, 5])",
    );
    check(
        "reset y = 0i32 search for q in 0..N { if x[N - 1 - q] == 2 { y[q] += 5i32 } }",
        "q = 1: the keys of the search over `q` do not increase at 1",
    );
    check(
        "reset y = 0i32 for p in 0..N { search(p) for q in 0..N { if x[q] == 3 - p { y[q] += 5i32 } } }",
        "p = 1: the search over `q` is for 2 after 3",
    );
}

#[test]
fn merges_meet_every_key_once_and_look_at_their_order() {
    let merged = |runs: &str, body: &str| {
        let text = format!(
            "kernel t(N) in i32 x[N] in i32 z[N] out append i64 y {{ merge j of {runs} {{ {body} }} }}"
        );
        let kernel = parse_kernel(&text).unwrap();
        let inputs = [Cells::I32(vec![1, 3, 4]), Cells::I32(vec![0, 3, 2])];
        interpret(&kernel, &[3], &inputs, Options::default())
            .map_or_else(|error| error.to_string(), |found| format!("{:?}", found[0]))
    };
    let two = "p in 0..3 at (x[p]) as a, q in 0..2 at (z[q]) as b";
    assert_eq!(merged(two, "push y = int(j)"), "I64([0, 1, 3, 4])");
    assert_eq!(merged(two, "push y = int(10 * p + a)"), "I64([0, 1, 11, 21])");
    assert_eq!(merged(two, "push y = int(10 * q + b)"), "I64([1, 10, 11, 20])");
    assert_eq!(merged(&two.replace("as b", "as b if N < 3"), "push y = int(j + q + b)"), "I64([1, 3, 4])");
    let unordered = two.replace("0..2", "0..3");
    assert_eq!(merged(&unordered, "push y = int(j)"), "the keys of the run of `q` do not increase at 2");
    let beyond = two.replace("0..2", "0..4");
    assert_eq!(
        merged(&beyond.replace("z[q]", "x[q]"), "push y = int(j)"),
        "q = 3: `x[3]` is out of bounds, there are 3 cells"
    );
}

#[test]
fn fingers_begin_anew_with_their_loop() {
    let text = "kernel t(N) in i32 x[N] out i32 y[N] { reset y = 0i32 for again in 0..2 { for p in 0..N {
        search(p) for q in 0..N { if x[q] == p { y[q] += 1i32 } } } } }";
    let kernel = parse_kernel(text).unwrap();
    let mut looks = Vec::new();
    let x = Cells::I32(vec![0, 2, 4, 5]);
    let outputs = observe(&kernel, &[4], &[x], Options::default(), &mut |event| {
        if let Event::Searched { looks: n, .. } = event {
            looks.push(n);
        }
    });
    assert_eq!(outputs, Ok(vec![Cells::I32(vec![2, 2, 0, 0])]));
    assert_eq!(looks, [1, 2, 1, 2, 1, 2, 1, 2]);
}

/// How many keys are looked at where each of `few` numbers, equally far from each other, is sought among `many`.
fn looks(kind: &str, few: i64, many: i64) -> u64 {
    let text = format!(
        "kernel t(K, N) in i64 a[K] in i64 b[N] out i64 y {{ y = 0i64 for p in 0..K {{
           {kind} for q in 0..N {{ if b[q] == a[p] {{ y += 1i64 }} }} }} }}"
    );
    let kernel = parse_kernel(&text).unwrap();
    let inputs = [(0..few).map(|k| k * (many / few) + many / few / 2).collect(), (0..many).collect()];
    let inputs = inputs.map(Cells::I64);
    let [all, found] = [Searches::All, Searches::Found].map(|searches| {
        let mut total = 0;
        let options = Options { searches, ..Options::default() };
        let outputs = observe(&kernel, &[few, many], &inputs, options, &mut |event| {
            if let Event::Searched { looks, .. } = event {
                total += looks;
            }
        });
        assert_eq!(outputs, Ok(vec![Cells::I64(vec![few])]));
        total
    });
    assert_eq!(all, found);
    all
}

#[test]
fn a_run_that_looks_for_iterations_has_the_same_results() {
    let text = "kernel t(K, N) in i64 a[K] in i64 b[N] out i64 y[K] out i64 z[K] {
        reset y = 0i64 reset z = 0i64 for p in 0..K {
          search for q in 0..N { if b[q] == a[p] && q < 5 { y[p] += b[q] } }
          search all(p) for q in 0..N { if b[q] == a[p] { z[p] += 1i64 } } } }";
    let kernel = parse_kernel(text).unwrap();
    let run = |b: &[i64], searches| {
        let inputs = [vec![0, 2, 3, 6, 7], b.to_vec()].map(Cells::I64);
        let options = Options { searches, steps: 400, ..Options::default() };
        interpret(&kernel, &[5, b.len() as i64], &inputs, options)
    };
    // Of a search for one, keys increase; these do.
    for b in [&[][..], &[2], &[0, 1, 2, 3, 4, 5, 6], &[3, 6, 7, 8], &[-1, 7, 9]] {
        let outputs = run(b, Searches::All);
        assert!(outputs.is_ok(), "{outputs:?}");
        assert_eq!(outputs, run(b, Searches::Found), "{b:?}");
    }
    // Runs are found whole, and the promise is believed where it is not looked at.
    let several = "kernel t(N) in i64 b[N] out i64 z { z = 0i64
        search all for q in 0..N { if b[q] == 3 { z += 1i64 } } }";
    let kernel = parse_kernel(several).unwrap();
    let options = Options { searches: Searches::Found, ..Options::default() };
    let count = |b: &[i64]| interpret(&kernel, &[b.len() as i64], &[Cells::I64(b.to_vec())], options);
    assert_eq!(count(&[1, 3, 3, 3, 4]), Ok(vec![Cells::I64(vec![3])]));
    assert_eq!(count(&[3, 1, 3, 3]), Ok(vec![Cells::I64(vec![1])]));
}

#[test]
fn intersections_have_the_same_results_as_plain_loops() {
    let (mut walked, mut several) = (0, 0);
    for seed in 0..600 {
        let case = crate::cases::searches_case(seed);
        let plain = interpret(&case.kernel, &case.sizes, &case.inputs, Options::default());
        assert!(plain.is_ok(), "{plain:?}\n{}", case.kernel);
        let options = Options { searches: Searches::Found, ..Options::default() };
        assert_eq!(plain, interpret(&case.kernel, &case.sizes, &case.inputs, options), "{}", case.kernel);
        let text = case.kernel.to_string();
        walked += usize::from(text.contains("intersect"));
        several += usize::from(text.contains("intersect") && text.contains(", r in 0"));
    }
    assert!(walked > 12 && several > 12, "{walked}, {several}");
}

/// A cell that another iteration stores to is touched by none, in one vector or in several.
#[test]
fn what_whole_vectors_carry_from_one_iteration_to_the_next_traps() {
    let run = |body: &str| {
        let text = format!(
            "kernel t(N) in f32 x[N + 8] out f32 y[N + 8] {{ reset y = 0f32 f32x2 for j in 0..N / 2 * 2 {{ {body} }} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let inputs = [Cells::F32((0..12u8).map(f32::from).collect())];
        match interpret(&kernel, &[4], &inputs, Options::default()) {
            Ok(outputs) => format!("{:?}", outputs[0]),
            Err(error) => error.to_string(),
        }
    };
    assert_eq!(run("y[j] += x[j + 1]"), "F32([1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])");
    assert_eq!(
        run("if 1 <= j { y[j] += x[j] }"),
        "F32([0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])"
    );
    assert_eq!(run("y[j + 1] += y[j]"), "j = 1: `y[1]` is touched by the iterations j = 0 and j = 1");
    assert_eq!(run("y[j] += y[j + 2]"), "j = 2: `y[2]` is touched by the iterations j = 0 and j = 2");
}

#[test]
fn keys_of_an_intersection_that_do_not_increase_trap() {
    let of = |a: &str, b: &str, expected: &str| {
        check(
            &format!("reset y = 0i32 intersect p in 0..N at {a}, q in 0..N at {b} {{ y[p] += x[q] }}"),
            expected,
        );
    };
    of("p", "x[q]", "I32([0, 1, 2])");
    of("x[p]", "x[q] * 2", "I32([0, 1, 0])");
    of("x[p] / 2", "x[q]", "p = 2: the search over `q` is for 1 after 1");
    of("3 - x[p]", "x[q]", "p = 1: the search over `q` is for 1 after 2");
    of("x[p]", "x[N - 1 - q]", "p = 0, q = 1: the keys of the search over `q` do not increase at 1");
    of("x[p]", "x[q] / 2", "p = 0, q = 2: the keys of the search over `q` do not increase at 2");
    of("x[p] + 1", "x[q + 1]", "p = 0, q = 2: `x[3]` is out of bounds, there are 3 cells");
    // Two that follow each other, and one inside another, each begin where their own second sequence does.
    let twice = "intersect p in 0..N at p, q in 0..N at x[q] { y[p] += x[q] } ";
    check(&format!("reset y = 0i32 {twice} {}", twice.replace('p', "r")), "I32([0, 2, 4])");
    check(
        &format!(
            "reset y = 0i32 for i in 0..2 {{ {twice} }} intersect s in 0..N at s, t in 0..N at x[t] {{ {twice} }}"
        ),
        "I32([0, 4, 8])",
    );
}

/// What a back end looks at before anything matches is there, and increases.
#[test]
fn a_third_sequence_is_looked_at_where_the_others_have_places() {
    let of = |head: &str, third: &str, expected: &str| {
        check(
            &format!(
                "reset y = 0i32 intersect {head}, q in 0..N at x[q] + 7, r in {third} {{ y[p] += x[r] }}"
            ),
            expected,
        );
    };
    of("p in 0..N at p", "0..N at x[r]", "I32([0, 0, 0])");
    of("p in 0..N at p + 7", "0..N at x[r] + 7", "I32([0, 1, 2])");
    of("p in 0..N at p", "0..x[7] at x[r]", "`x[7]` is out of bounds, there are 3 cells");
    of("p in 0..N at p", "0..N at x[r + 1]", "r = 2: `x[3]` is out of bounds, there are 3 cells");
    of("p in 0..N at p", "0..N at x[r] / 2", "r = 2: the keys of the search over `r` do not increase at 2");
    of("p in 0..0 at p", "0..x[7] at x[r + 1]", "I32([0, 0, 0])");
}

/// What a loop over `k` and one over `n` places, all of them equal, are told to do: iterations, and keys that are looked at.
fn told(kernel: &str, sizes: [i64; 2]) -> (u64, u64) {
    let kernel = parse_kernel(kernel).unwrap();
    let inputs = sizes.map(|size| Cells::I32((0..size as i32).collect()));
    let options = Options { searches: Searches::Found, ..Options::default() };
    let (mut turns, mut looked) = (0, 0);
    let run = observe(&kernel, &sizes, &inputs, options, &mut |event| match event {
        Event::Entered { turns: n, .. } => turns += n,
        Event::Searched { looks, .. } => looked += looks,
        _ => {}
    });
    assert!(run.is_ok(), "{run:?}");
    (turns, looked)
}

#[test]
fn what_is_told_of_merges_and_intersections_is_what_is_done() {
    let merge = "kernel t(K, N) in i32 a[K] in i32 b[N] out append i64 y {
        merge KEYS of p in 0..K at (A) as in_p, q in 0..N at (B) as in_q { push y = int(0) } }";
    let one = merge.replace("KEYS", "j").replace("(A)", "(a[p])").replace("(B)", "(b[q])");
    assert_eq!((told(&one, [5, 5]), told(&one, [5, 0]), told(&one, [2, 7])), ((5, 0), (5, 0), (7, 0)));
    let pairs = merge.replace("KEYS", "(j, k)").replace("(A)", "(a[p], a[p])").replace("(B)", "(b[q], 9)");
    assert_eq!((told(&pairs, [5, 5]), told(&pairs, [0, 0])), ((10, 0), (0, 0)));
    let meet = "kernel t(K, N) in i32 a[K] in i32 b[N] out i64 y { y = 0i64
        intersect KIND p in 0..K at a[p], q in 0..N at b[q] { y += int(1) } }";
    let walk = |kind: &str, sizes| told(&meet.replace("KIND", kind), sizes);
    assert_eq!((walk("", [5, 5]), walk("", [5, 0]), walk("", [9, 3])), ((5, 0), (0, 0), (3, 0)));
    // The loop iterates over the shorter one, whichever it is: for each of its places one key is looked at, and one is there.
    assert_eq!((walk("", [3, 200]), walk("", [200, 3])), ((6, 3), (6, 3)));
    assert_eq!(walk("(merge)", [200, 3]), (3, 0));
}

/// Three sequences of which the first two have one place in common, the last: rounds, and keys that a back end
/// reads.
#[test]
fn rounds_of_several_sequences_are_at_most_as_many_as_places() {
    let kernel = |kind: &str, c: &str| {
        format!(
            "kernel t(K, N) in i32 a[K] in i32 b[N] out i64 y {{ y = 0i64
             intersect{kind} p in 0..K at a[p] * 2 + p / (K - 1), q in 0..K at a[q] * 2 + 1, {c} {{ y += int(1) }} }}"
        )
    };
    let own = "r in 0..N at b[r]";
    // 0, 2, .., and 1, 3, ..: in each round the sequence behind advances, and so does the third if it is behind.
    assert_eq!(told(&kernel("(merge)", own), [5, 11]), (10, 0));
    assert_eq!(told(&kernel("(merge)", own), [5, 400]), (10, 0));
    // The two shortest, step by step; the third is searched once, at the match of both, however long it is.
    assert_eq!(told(&kernel("", own), [5, 11]), (9 + 1, 6));
    assert_eq!(told(&kernel("", own), [5, 400]), (9 + 1, 8));
    // The third is shorter than the second, which is searched then.
    assert_eq!(told(&kernel("", own), [5, 2]), (2 + 1, 1));
    assert_eq!(told(&kernel("", own), [5, 0]), (0, 0));
}

#[test]
fn searches_look_at_a_logarithm_of_the_keys() {
    for (few, many) in [(1, 4096), (16, 4096), (64, 4096), (512, 4096), (2048, 2048)] {
        // Near ones are looked at one by one.
        let most =
            |gap: i64| few as u64 * (gap + 2).min(NEAR + 2 * i64::from((gap as u64).ilog2()) + 3) as u64;
        let (anew, along) = (looks("search", few, many), looks("search(p)", few, many));
        assert!(anew <= most(many), "{anew} anew, {few} in {many}");
        // With a finger it is the gaps that count.
        assert!(along <= most(many / few), "{along} along, {few} in {many}");
    }
}
