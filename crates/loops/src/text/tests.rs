//! Printing and reading kernels gives them back; what is not a kernel is refused with its place.

use super::parse_kernel;
use crate::cases::{lanes_case, merging_case, random_case, searches_case};
use crate::{Int, Kernel, Literal, Stmt, UnOp, Val};

/// A kernel with this statement as its body, over everything the tests mention.
fn kernel_text(body: &str) -> String {
    format!("kernel t(N)\n  in f32 x[N]\n  out f32 y[N]\n  out stream f32 out\n{{\n  {body}\n}}\n")
}

fn check(body: &str) {
    let text = kernel_text(body);
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(kernel.to_string(), text);
}

fn check_error(body: &str, expected: &str) {
    let error = parse_kernel(&kernel_text(body)).expect_err(body);
    assert_eq!(error.to_string(), expected);
}

#[test]
fn terms_print_with_fewest_parentheses() {
    check("y[N - (1 - N) - 1] = x[(N + 1) * 2 / 3 % 4]");
    check("y[min(N, 3) + -2] min= max(x[0], -1.5f32) - -(2.0f32) - -x[1]");
    check("y[0] = (0 <= N - 1 && (N < 3 || !(N == 2)) ? x[N - 1] : 0.0f32)");
    check("y[0] = select(x[0] < 1e-20f32 && !(x[1] == x[2]), f32.inf, -f32.inf)");
    check("y[0] += f32(int(N * 2)) * f32(f64.nan(0x7ff8000000000000)) / exp(x[0])");
}

#[test]
fn blocks_threads_and_what_they_share_come_back() {
    check("block(y) for b in 0..N {\n    thread(x) for t in 0..32 {\n      y[b * 32 + t] = x[b]\n    }\n  }");
    check("alloc shared swizzle(2, 1, -2) f32 s[32] uninit {\n    s[0] = x[0]\n  }");
    check("alloc shared f32 s[32] uninit {\n    thread(z) for t in 0..32 {\n      s[t] = x[t]\n    }\n  }");
    check_error("block(w) for b in 0..N { }", "6:9: expected `x`, `y` or `z`, found `w`");
}

#[test]
fn cells_stand_in_index_terms() {
    check("y[crd[N - 1] * 2 + crd[pos[0]]] = x[min(crd[0], 3)]");
    check("y[0] = (crd[N] < 3 && !(pos[N + 1] == out[0]) ? x[-2] : f32(int(crd[0])))");
    check("for p in pos[N]..pos[N + 1] {\n    y[crd[p]] += x[p]\n  }");
    check("until(s) for p in pos[N]..pos[N + 1] {\n    s[0] min= x[p]\n  }");
    check("alloc heap f32 s[pos[N] + 1] uninit {\n    s[0] = x[0]\n  }");
    check("y[0] := y[1]");
    check("alloc register bool s = false {\n    unless(s) for i in 0..N {\n      s := true\n    }\n  }");
    check("alloc heap f32 s[N] uninit {\n    forget s[N - 1..(N - 1) * 2]\n  }");
}

#[test]
fn intersections_come_back() {
    check("intersect p in 0..N at crd[p], q in pos[0]..pos[1] at crd[q] {\n    y[p] = x[q]\n  }");
    check(
        "intersect(merge) p in 0..N at p, q in 0..N at crd[q] if x[q] < 3 || p == q {\n    y[p] = x[q]\n  }",
    );
    check(
        "intersect p in 0..N at p, q in 0..N at crd[q] if p < 3, r in 0..3 at r, s in 0..N at s if s < r {\n    y[p] = x[q]\n  }",
    );
    check_error("intersect p in 0..N at p { }", "6:28: expected `,`, found `{`");
    check_error("intersect p in 0..N, q in 0..N at q { }", "6:22: expected `at`, found `,`");
    check_error("intersect() p in 0..N at p, q in 0..N at q { }", "6:13: expected `merge`, found `)`");
    check("alloc register f32 intersect = 0.0f32 {\n    intersect = x[0]\n  }");
}

#[test]
fn whole_vectors_come_back() {
    check("f32x8 for j in 0..N / 8 * 8 {\n    y[j] = x[j]\n  }");
    check("vector(8) for j in 0..N / 8 * 8 {\n    y[j] = x[j]\n  }");
    check_error("f32x8 j in 0..8 { }", "6:9: expected `for`, found `j`");
    check_error("f32x for j in 0..8 { }", "6:3: expected a statement, found `f32x`");
    check_error("i7x8 for j in 0..8 { }", "6:3: expected a statement, found `i7x8`");
    check("alloc stack f32 f32x8[3] uninit {\n    f32x8[2] max= x[0]\n  }");
}

#[test]
fn requirements_on_arrays_come_back() {
    let text = "kernel all(all, N)
  in i64 pos[N + 1]
  requires all < 3
  requires all == N
  requires all { pos[0] == 0 }
  requires all i in 0..N, p in pos[i]..pos[i + 1] { p < all || pos[p] == 2 }
{
}
";
    let kernel = parse_kernel(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((kernel.requires.len(), kernel.requires_all.len()), (2, 2));
    assert_eq!(kernel.to_string(), text);
    assert_eq!(kernel.statements_by_line().len(), text.lines().count());
    let error = parse_kernel("kernel t() requires all p in 0 { }").expect_err("no range");
    assert_eq!(error.to_string(), "1:32: expected `..`, found `{`");
}

#[test]
fn buffers_may_have_the_names_of_words() {
    check("out = 1.0f32");
    check("out += out * x[0]");
    check("reset out uninit");
    check("alloc register f32 for = 0.0f32 {\n    for = x[0]\n  }");
    check("alloc stack i32 min[3] uninit {\n    min[2] max= 3i32\n  }");
}

#[test]
fn errors_say_where_and_what() {
    check_error("y[0] = 1", "6:10: a literal value needs its type, as in `1i32`");
    check_error("y[sqrt(N)] = 1f32", "6:5: the functions of indices are `min(a, b)` and `max(a, b)`");
    check_error("y[x[1f32]] = 1f32", "6:7: expected an index term");
    check_error("if N < 1 < 2 { }", "6:12: comparisons do not chain");
    check_error("for i in 0..N y[i] = x[i]", "6:17: expected `{`, found `y`");
    check_error("y[0] = 256u8", "6:10: `256` is no literal of type u8");
    check_error("y[99999999999999999999] = x[0]", "6:5: `99999999999999999999` is no 64-bit integer");
    check_error("y[0] = é", "6:10: no token starts with `é`");
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let body = format!("y[0] = {}x[0]", "(".repeat(100_000));
    assert!(parse_kernel(&kernel_text(&body)).is_err());
}

#[test]
fn negated_literals_are_no_negative_literals() {
    let value = Val::un(UnOp::Neg, Val::Lit(Literal::i32(1)));
    let body = Stmt::set("y", Int::Lit(0), value);
    let kernel = Kernel {
        name: "t".into(),
        sizes: vec![],
        params: vec![],
        requires: vec![],
        requires_all: vec![],
        body,
    };
    assert_eq!(parse_kernel(&kernel.to_string()), Ok(kernel));
}

#[test]
fn random_kernels_survive_printing_and_reading() {
    let others =
        (0..100).map(merging_case).chain((0..200).map(searches_case)).chain((0..100).map(lanes_case));
    for (seed, case) in (0..500).map(random_case).chain(others).enumerate() {
        let kernel = case.kernel;
        let text = kernel.to_string();
        assert_eq!(parse_kernel(&text).as_ref(), Ok(&kernel), "seed {seed}\n{text}");
    }
}
