//! What is printed, line by line.

use atl_backend_c::{Options, Rounding, flags, print_kernel, safe_flags};
use atl_loops::{LoopKind, parse_kernel};

/// Checks the body of the function printed for a kernel over `x[N, M]`, `y[N]`.
fn check(body: &str, options: Options, expected: &str) {
    let text = format!("kernel t(N, M) in f32 x[N, M] out f32 y[N] {{ {body} }}");
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let source = print_kernel(&kernel, &options).unwrap_or_else(|violations| panic!("{violations:?}"));
    let start =
        source.c.find("  if (M < 0) return 2;\n").expect("the checks") + "  if (M < 0) return 2;\n".len();
    let end = source.c[start..].find("\n}\n").expect("the end") + start + 1;
    assert_eq!(&source.c[start..end], expected, "{}", source.c);
}

#[test]
fn loops_over_affine_indices_are_plain() {
    check(
        "parallel for i in 0..N { alloc stack f32 row[8] uninit { vector(4) for j in 0..7 { row[j] = x[i * M + j] } \
         alloc register f32 acc = 0f32 { for j in 1..M - 1 { acc += row[(j - 1)] * 0.1f32 } y[i] = acc } } }",
        Options { openmp: true, ..Options::default() },
        "  #pragma omp parallel for schedule(static) if (1 < N)
  for (int64_t i = 0; i < N; i++) {
    float row[8] __attribute__((aligned(64)));
    #pragma omp simd simdlen(4)
    for (int64_t j = 0; j < 7; j++) {
      row[j] = x[i * M + j];
    }
    float acc = 0.0f;
    for (int64_t j = 1; j < M - 1; j++) {
      acc += row[j - 1] * 0x1.99999ap-4f;
    }
    y[i] = acc;
  }
  return 0;
",
    );
}

/// Rows of a sparse matrix. What a bound reads is read once, also where a pragma allows a loop but one variable.
#[test]
fn cells_stand_in_index_terms() {
    let text = "kernel spmv(N, M, Z) in i64 pos[N + 1] in i32 crd[Z] in bool mask[M] in f32 a[Z] in f32 x[M] out f32 y[N] \
        { for i in 0..N { alloc register f32 s = 0f32 { \
        for p in pos[i]..pos[i + 1] { if mask[crd[p]] == 1 { s += a[p] * x[crd[p]] } } y[i] = s } } \
        vector for p in 0..pos[0] { y[p] = f32(int(2 * crd[p] + 1)) } }";
    let kernel = parse_kernel(text).unwrap_or_else(|error| panic!("{error}"));
    let source =
        print_kernel(&kernel, &Options::default()).unwrap_or_else(|violations| panic!("{violations:?}"));
    let expected = "  for (int64_t i = 0; i < N; i++) {
    float s = 0.0f;
    for (int64_t p = pos[i], p_end = pos[i + 1]; p < p_end; p++) {
      if ((int64_t)mask[crd[p]] == 1) {
        s += a[p] * x[crd[p]];
      }
    }
    y[i] = s;
  }
  {
    const int64_t p_end = pos[0];
    #pragma omp simd
    for (int64_t p = 0; p < p_end; p++) {
      y[p] = (float)((int64_t)(2 * ((int64_t)crd[p]) + 1));
    }
  }
";
    assert!(source.c.contains(expected), "{}", source.c);
}

/// A row of a sparse matrix in vectors: whole ones, and one with idle lanes.
#[test]
fn vectors_gather() {
    let text = "kernel rows(N, Z) in i64 pos[N + 1] in i32 crd[Z] in f32 a[Z] in f32 x[N] out f32 y[N] { \
        for i in 0..N { alloc register f32 t[8] = 0f32 { \
        for q in 0..(pos[i + 1] - pos[i]) / 8 { f32x8 for j in 0..8 { \
        t[j] += a[pos[i] + q * 8 + j] * x[crd[pos[i] + q * 8 + j]] } } \
        f32x8 for j in 0..8 { if (pos[i + 1] - pos[i]) / 8 * 8 + j < pos[i + 1] - pos[i] { \
        t[j] += x[1 + crd[pos[i + 1] / 8 * 8 + j]] } } y[i] = t[0] } } }";
    let kernel = parse_kernel(text).unwrap_or_else(|error| panic!("{error}"));
    let c =
        print_kernel(&kernel, &Options::default()).unwrap_or_else(|violations| panic!("{violations:?}")).c;
    for line in [
        "for (int64_t q = 0, q_end = atl_floor_div(pos[i + 1] - pos[i], 8); q < q_end; q++) {",
        "t_0 += *(const atl_f32x8_u *)&a[pos[i] + q * 8] * atl_gather_i32_f32x8(x, 0, crd, pos[i] + q * 8);",
        "t_0 = atl_select_f32x8(atl_on_3, t_0 + (atl_gather_some_i32_f32x8(x, 1, crd, ",
    ] {
        assert!(c.contains(line), "{c}");
    }
}

#[test]
fn lanes_of_named_vectors_are_read_one_by_one() {
    check(
        "alloc register f32 t[8] = 0f32 { for k in 0..M { f32x4 for j in 0..4 { t[j] += exp(x[k + j]) } \
         f32x4 for j in 0..4 { t[j + 4] = t[2] } } \
         alloc register f32 acc = 0f32 { acc += t[1] acc += t[6] y[0] = acc } }",
        Options::default(),
        "  atl_f32x4 t_0;
  atl_f32x4 t_1;
  t_0 = 0.0f - (atl_f32x4){0};
  t_1 = 0.0f - (atl_f32x4){0};
  for (int64_t k = 0; k < M; k++) {
    t_0 += atl_exp_f32x4(*(const atl_f32x4_u *)&x[k]);
    t_1 = t_0[2] - (atl_f32x4){0};
  }
  float acc = 0.0f;
  acc += t_0[1];
  acc += t_1[2];
  y[0] = acc;
  return 0;
",
    );
}

#[test]
fn vectors_are_explicit_and_those_of_a_register_buffer_are_named() {
    check(
        "alloc register f32 t[8] = 1f32 { for k in 0..M { f32x4 for j in 0..4 { t[j] += x[k] * x[k * M + j] } \
         f32x4 for j in 0..4 { t[j + 4] max= -x[k + j - 1] } } \
         f32x4 for j in 0..4 { y[j + N] = t[j] y[j] = min(t[j], 2f32) } } \
         f32x4 for j in 4..16 { y[N * 2 + j] = x[j + 1] / x[M] }",
        Options::default(),
        "  {
    atl_f32x4 t_0;
    atl_f32x4 t_1;
    t_0 = 1.0f - (atl_f32x4){0};
    t_1 = 1.0f - (atl_f32x4){0};
    for (int64_t k = 0; k < M; k++) {
      t_0 += x[k] * *(const atl_f32x4_u *)&x[k * M];
      t_1 = atl_max_f32x4(t_1, -*(const atl_f32x4_u *)&x[k - 1]);
    }
    *(atl_f32x4_u *)&y[N] = t_0;
    *(atl_f32x4_u *)&y[0] = atl_min_f32x4(t_0, 2.0f - (atl_f32x4){0});
  }
  for (int64_t j = 4; j < 16; j += 4) {
    *(atl_f32x4_u *)&y[N * 2 + j] = *(const atl_f32x4_u *)&x[j + 1] / x[M];
  }
  return 0;
",
    );
}

#[test]
fn only_threads_need_openmp() {
    for (kind, flag) in [("for", "-fopenmp-simd"), ("parallel for", "-fopenmp")] {
        let text = format!("kernel t(N) in f32 x[N] out f32 y[N] {{ {kind} i in 0..N {{ y[i] = x[i] }} }}");
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let source = print_kernel(&kernel, &Options { openmp: true, ..Options::default() });
        let flags = source.unwrap_or_else(|violations| panic!("{violations:?}")).flags;
        assert_eq!(flags.iter().find(|flag| flag.starts_with("-fopenmp")), Some(&flag));
    }
}

#[test]
fn streamed_outputs_are_stored_past_the_caches_and_fenced_by_each_thread() {
    let printed = |openmp: bool| {
        let text = "kernel t(N) in f32 x[N, 16] out stream f32 y[N, 16] { parallel for i in 0..N { \
                    f32x16 for j in 0..16 { y[i * 16 + j] = x[i * 16 + j] + 1f32 } } }";
        let kernel = parse_kernel(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let options = Options { openmp, ..Options::default() };
        print_kernel(&kernel, &options).unwrap_or_else(|violations| panic!("{violations:?}")).c
    };
    let store = "atl_stream_f32x16(&y[i * 16], *(const atl_f32x16_u *)&x[i * 16] + 1.0f);\n";
    let loops = format!(
        "  #pragma omp parallel if (1 < N)\n  {{\n    #pragma omp for schedule(static) nowait\n    \
         for (int64_t i = 0; i < N; i++) {{\n      {store}    }}\n    atl_fence();\n  }}\n  atl_fence();\n  return 0;\n"
    );
    assert!(printed(true).contains(&loops), "{}", printed(true));
    let loops =
        format!("  for (int64_t i = 0; i < N; i++) {{\n    {store}  }}\n  atl_fence();\n  return 0;\n");
    assert!(printed(false).contains(&loops), "{}", printed(false));
}

#[test]
fn threads_that_are_free_take_the_next_iteration() {
    check(
        "parallel(dynamic) for i in 0..4 { y[i] = x[i] }",
        Options { openmp: true, ..Options::default() },
        "  #pragma omp parallel for schedule(dynamic)
  for (int64_t i = 0; i < 4; i++) {
    y[i] = x[i];
  }
  return 0;
",
    );
}

/// That there is a second iteration is asked without a sum that may leave 64 bits.
#[test]
fn a_loop_that_may_begin_anywhere_has_threads_only_for_several_iterations() {
    let several = |bounds: &str| {
        let text = format!(
            "kernel t(N, M) in f32 x[N] out f32 y[N] {{ parallel for i in {bounds} {{ y[i] = x[i] }} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let options = Options { openmp: true, ..Options::default() };
        print_kernel(&kernel, &options).unwrap_or_else(|violations| panic!("{violations:?}")).c
    };
    assert!(several("M..N").contains(" if (atl_several(M, N))\n"), "{}", several("M..N"));
    assert!(several("1..N").contains(" if (2 < N)\n"), "{}", several("1..N"));
}

/// What some lanes must not touch is loaded and stored by a mask; a variable in the loop is a vector.
#[test]
fn lanes_that_are_idle_are_masked() {
    check(
        "f32x4 for j in M..M + 4 { if j < N { y[j] = (1 <= j ? x[j - 1] : 0f32) } }",
        Options::default(),
        "  {
    const int64_t j = M;
    {
      const uint64_t atl_on_2 = atl_below(j, N);
      if (atl_on_2 != 0) {
        atl_store_f32x4(y, j, atl_on_2, atl_load_f32x4(x, j - 1, (atl_on_2 & (UINT64_C(0xf) & ~atl_below(j, 1)))));
      }
    }
  }
  return 0;
",
    );
    check(
        "f32x4 for j in 0..N * 4 { alloc register f32 s = 0f32 { for k in 0..M { s += x[j + k] } y[j] = s } }",
        Options::default(),
        "  for (int64_t j = 0; j < N * 4; j += 4) {
    {
      atl_f32x4 s = 0.0f - (atl_f32x4){0};
      for (int64_t k = 0; k < M; k++) {
        s += *(const atl_f32x4_u *)&x[j + k];
      }
      *(atl_f32x4_u *)&y[j] = s;
    }
  }
  return 0;
",
    );
}

/// What is no operation on vectors stays a loop for the compiler; so does what no pass has found to be one.
#[test]
fn vectors_are_of_consecutive_floats() {
    let with_loop = |body: &str| {
        check(
            &format!("vector(4) for j in 0..4 {{ {body} }}"),
            Options::default(),
            &format!(
                "  #pragma omp simd simdlen(4)\n  for (int64_t j = 0; j < 4; j++) {{\n    {body};\n  }}\n  return 0;\n"
            ),
        );
    };
    with_loop("y[j] = x[j]");
    with_loop("y[j * 2] = x[j]");
    with_loop("y[j] = x[3 - j]");
    with_loop("y[j] = x[j * M]");
}

#[test]
fn division_is_plain_where_signs_are_seen() {
    check(
        "reset y = -0f32 unroll for k in 0..6 { y[k / 2 % 4] += x[(k - 1) / 2 + k % M] }",
        Options::default(),
        "  for (int64_t atl_k = 0; atl_k < N; atl_k++) y[atl_k] = -0.0f;
  #pragma GCC unroll 6
  for (int64_t k = 0; k < 6; k++) {
    y[k / 2 % 4] += x[atl_floor_div(k - 1, 2) + atl_floor_mod(k, M)];
  }
  return 0;
",
    );
}

/// What a conversion cuts off anyway is not cut off before; what it does not, and NaN, are as they were.
#[test]
fn limits_of_a_narrow_type_are_left_to_the_conversion() {
    let converted = |limited: &str, printed: &str| {
        check(
            &format!("for i in 0..N {{ y[i] = f32({limited}) }}"),
            Options::default(),
            &format!(
                "  for (int64_t i = 0; i < N; i++) {{\n    y[i] = (float){printed};\n  }}\n  return 0;\n"
            ),
        );
    };
    converted("u8(min(max(x[i], 0f32), 255f32))", "atl_f32_to_u8(x[i])");
    converted("i8(max(min(x[i], 127.5f32), -128f32))", "atl_f32_to_i8(x[i])");
    converted("u8(min(max(x[i], 0.5f32), 255f32))", "atl_f32_to_u8(atl_max_f32(x[i], 0.5f))");
    converted("u8(min(x[i], 254f32))", "atl_f32_to_u8(atl_min_f32(x[i], 254.0f))");
    converted("u8(min(255f32, x[i]))", "atl_f32_to_u8(atl_min_f32(255.0f, x[i]))");
}

#[test]
fn heap_scratch_is_a_branch_and_never_a_jump() {
    check(
        "alloc heap i32 s[M, N + 1] = 7i32 { for i in 0..N { y[i] = f32(s[i] * 3i32) } }",
        Options::default(),
        "  (void)x;
  int32_t atl_status = 0;
  const int64_t atl_cells_s = atl_cells(M, N + 1);
  int32_t *restrict s = atl_take(atl_pool_s, atl_cells_s, sizeof(int32_t));
  if (s == NULL) {
    atl_status = 1;
  } else {
    for (int64_t atl_k = 0; atl_k < atl_cells_s; atl_k++) s[atl_k] = 7;
    for (int64_t i = 0; i < N; i++) {
      y[i] = (float)((int32_t)((uint32_t)s[i] * (uint32_t)3));
    }
    atl_give(atl_pool_s, s);
  }
  return atl_status;
",
    );
}

/// Where there is no memory, `last` is read although nothing was stored to it.
#[test]
fn what_a_failed_allocation_leaves_empty_begins_as_zero() {
    check(
        "alloc register f32 last uninit { alloc heap f32 s[N] uninit { last = 1f32 } \
         alloc stack f32 unread[2] uninit { unread[0] = x[0] } reset y = 0f32 y[0] = last }",
        Options::default(),
        "  int32_t atl_status = 0;
  float last = 0;
  {
    const int64_t atl_cells_s = atl_cells(N, 1);
    float *restrict s = atl_take(atl_pool_s, atl_cells_s, sizeof(float));
    if (s == NULL) {
      atl_status = 1;
    } else {
      last = 1.0f;
      atl_give(atl_pool_s, s);
    }
  }
  {
    float unread[2] __attribute__((aligned(64)));
    (void)unread;
    unread[0] = x[0];
  }
  for (int64_t atl_k = 0; atl_k < N; atl_k++) y[atl_k] = 0.0f;
  y[0] = last;
  return atl_status;
",
    );
}

#[test]
fn the_header_declares_both_functions() {
    let kernel =
        parse_kernel("kernel exp(N) in bool int[N] out f64 y requires 1 < N { y = 0f64 }").expect("reads");
    let source = print_kernel(&kernel, &Options::default()).expect("a well-formed kernel");
    let declarations = [
        "int32_t exp_(int64_t N, const uint8_t *restrict int_, double *restrict y);\n",
        "int32_t exp__call(const int64_t *sizes, void *const *buffers);\n",
    ];
    let header = source.declaration.header();
    assert!(header.contains(&declarations.concat()), "{header}");
    assert!(declarations.iter().all(|line| source.c.contains(&line.replace(";\n", " {\n"))), "{}", source.c);
    assert_eq!(
        (source.declaration.function.as_str(), source.declaration.trampoline.as_str()),
        ("exp_", "exp__call")
    );
}

#[test]
fn no_flag_changes_values_below_real() {
    let has = |rounding, flag| flags(&Options { rounding, openmp: false }).contains(&flag);
    assert!(has(Rounding::Bitwise, "-ffp-contract=off") && has(Rounding::Finite, "-ffp-contract=off"));
    assert!(has(Rounding::Real, "-ffp-contract=fast"));
    assert!(!has(Rounding::Real, "-ffast-math"));
}

#[test]
fn safe_flags_ask_for_the_same_values_and_for_no_vectors() {
    for rounding in [Rounding::Bitwise, Rounding::Finite, Rounding::Real] {
        let options = Options { rounding, openmp: true };
        let (fast, safe) = (flags(&options), safe_flags(&options));
        let values = |flags: &[&'static str]| -> Vec<&str> {
            flags.iter().copied().filter(|flag| flag.contains("openmp")).collect()
        };
        assert_eq!(values(&fast), values(&safe));
        assert!(safe.contains(&"-ffp-contract=off"));
        assert!(safe.contains(&"-fno-tree-vectorize") && !safe.contains(&"-march=native"));
        assert_eq!((fast.last(), safe.last()), (Some(&"-lm"), Some(&"-lm")));
    }
}

#[test]
fn conditional_reads_in_lanes_are_never_made_masked_loads() {
    let flags = |count: i64, value: &str| {
        let text = format!(
            "kernel keep(N) in bool m[N, {count}] in f32 a[N, {count}] out f32 y[N, {count}] \
             {{ for i in 0..N {{ for c in 0..{count} {{ y[i * {count} + c] = {value} }} }} }}"
        );
        let kernel = parse_kernel(&text).expect("reads");
        print_kernel(&kernel, &Options::default()).expect("a well-formed kernel").flags
    };
    let converts = "-fno-tree-loop-if-convert";
    for count in [2, 3, 4, 8, 16, 17, 64] {
        let picked = flags(count, &format!("select(m[i * {count} + c], a[i * {count} + c], 0f32)"));
        assert_eq!(picked.contains(&converts), count <= 16, "{count}: {picked:?}");
        let copied = flags(count, &format!("a[i * {count} + c]"));
        assert!(!copied.contains(&converts), "{count}: {copied:?}");
    }
}

#[test]
fn integers_between_floats_are_never_taken_for_trunc() {
    let has = |value: &str| {
        let text = format!(
            "kernel t(N) in f32 x[N] in i32 k[N] out f32 y[N] {{ for i in 0..N {{ y[i] = {value} }} }}"
        );
        let source = print_kernel(&parse_kernel(&text).expect("reads"), &Options::default());
        source.expect("a well-formed kernel").flags.contains(&"-fno-trapping-math")
    };
    assert!(has("x[i]") && has("f32(k[i])") && has("f32(int(i))"));
    assert!(!has("f32(i32(x[i]))") && !has("f32(i64(x[i])) + x[i]") && !has("f32(i32(f64(x[i])) + k[i])"));
}

/// GCC fuses `a * b - c` beside `a * b + c` whatever the flags say, but not behind a barrier.
#[test]
fn products_beside_differences_are_rounded() {
    let text = |value: &str, rounding| {
        let text =
            format!("kernel t(N) in f64 x[N] in i32 k[N] out f64 y[N] {{ for i in 0..N {{ {value} }} }}");
        let options = Options { rounding, ..Options::default() };
        print_kernel(&parse_kernel(&text).expect("reads"), &options).expect("a well-formed kernel").c
    };
    let is_rounded = |value: &str| text(value, Rounding::Bitwise).contains("#define atl_rounded");
    assert!(
        text("y[i] = x[i] * 3f64 - x[i]", Rounding::Finite)
            .contains("y[i] = atl_rounded(x[i] * 3.0) - x[i];")
    );
    assert!(!text("y[i] = x[i] * 3f64 - x[i]", Rounding::Real).contains("atl_rounded"));
    assert!(is_rounded("y[i] = x[i] / 2f64 y[i] = -x[i]") && is_rounded("y[i] = 0f64 y[i] *= x[i] - 1f64"));
    assert!(
        !is_rounded("y[i] = x[i] / x[i] - x[i]")
            && !is_rounded("y[i] = x[i] * 3f64 + x[i]")
            && !is_rounded("y[i] = x[i] - 1f64")
    );
    assert!(!is_rounded("y[i] = f64(k[i] * k[i]) - x[i]"));
}

/// `0 - x` is `-x` to GCC 12 where it takes `x` not to be -0.
#[test]
fn forms_that_exclude_the_negative_zero_are_hidden() {
    let hidden = |value: &str| {
        let text = format!(
            "kernel t(N) in f64 x[N] in i32 k[N] out f64 y[N] {{ for i in 0..N {{ y[i] = {value} }} }}"
        );
        let kernel = parse_kernel(&text).expect("reads");
        print_kernel(&kernel, &Options::default())
            .expect("a well-formed kernel")
            .c
            .contains("atl_signed_f64(")
    };
    let hides = ["f64(k[i])", "abs(x[i])", "select(k[i] < 0i32, 0f64, 1f64)", "f64(k[i] < 0i32)"];
    assert!(hides.iter().all(|x| hidden(&format!("0f64 - {x}"))));
    assert!(hidden("0f64 - (f64(k[i]) + 0f64)") && hidden("0f64 - select(k[i] < 0i32, 0f64, 1f64) / 2f64"));
    assert!(hidden("-f64(k[i]) + 0f64") && hidden("f64(k[i]) * -1f64") && hidden("-1f64 * abs(x[i])"));
    assert!(!hidden("0f64 - x[i]") && !hidden("f64(k[i])") && !hidden("x[i] + x[i]"));
}

/// `f64(f32(x))` is `x` where GCC makes lanes of several in straight code.
#[test]
fn narrow_floats_between_wide_ones_are_no_lanes() {
    let goes_without = |value: &str| {
        let text = format!(
            "kernel t(N) in f64 x[N] in f32 k[N] out f64 y[N] {{ for i in 0..N {{ y[i] = {value} }} }}"
        );
        let source = print_kernel(&parse_kernel(&text).expect("reads"), &Options::default());
        source.expect("a well-formed kernel").flags.contains(&"-fno-tree-slp-vectorize")
    };
    assert!(goes_without("f64(f32(x[i]))") && goes_without("f64(f32(x[i]) + k[i])"));
    assert!(!goes_without("x[i]") && !goes_without("f64(k[i])") && !goes_without("f64(i32(x[i]))"));
}

#[test]
fn ill_formed_kernels_are_not_printed() {
    let kernel = parse_kernel("kernel t(N) out f32 y[N] { y[i] = 0i32 }").expect("reads");
    assert_eq!(print_kernel(&kernel, &Options::default()).map_err(|violations| violations.len()), Err(2));
}

#[test]
fn every_store_has_its_line() {
    for seed in 0..100 {
        let kernel = atl_loops::cases::random_case(seed).kernel;
        let source =
            print_kernel(&kernel, &Options::default()).expect("the generator's kernels are well-formed");
        assert_eq!(source.statements.len(), source.c.lines().count());
        let mut stmts = Vec::new();
        kernel.body.for_each(&mut |stmt| stmts.push(stmt));
        for (number, stmt) in stmts.iter().enumerate() {
            let lines: Vec<&str> = source
                .c
                .lines()
                .zip(&source.statements)
                .filter(|(_, n)| **n == Some(number))
                .map(|(line, _)| line.trim())
                .collect();
            match stmt {
                atl_loops::Stmt::Store { .. } => {
                    assert!(
                        lines.len() == 1 && lines[0].ends_with(';') && lines[0].contains('='),
                        "{lines:?}"
                    );
                }
                // One vector from zero is no loop.
                atl_loops::Stmt::For { kind: LoopKind::Vector { .. }, .. } => {}
                atl_loops::Stmt::For { .. } => {
                    assert!(lines.iter().any(|line| line.starts_with("for (")), "{lines:?}");
                }
                _ => {}
            }
        }
    }
}

/// An edge is run once where the loop beside it is run many times: nothing is unrolled there, but what is
/// left to the compiler as lanes.
#[test]
fn edges_are_not_unrolled() {
    let factor = |end: &str, inside: &str| {
        let text = format!("kernel t(N) in f32 x[N] out f32 y[N] {{ for i in 0..{end} {{ {inside} }} }}");
        let source = print_kernel(&parse_kernel(&text).expect("reads"), &Options::default());
        let c = source.expect("a well-formed kernel").c;
        c.lines().find_map(|line| line.trim().strip_prefix("#pragma GCC unroll ").map(str::to_owned))
    };
    let taps = "unroll for k in 0..3 { y[i] += x[i + k] }";
    let seldom = ["min(2, N)", "N - max(1, N - 2)", "(N + 7) / 8 - ((N - 8) / 8 + 1)"];
    assert!(seldom.iter().all(|end| factor(end, taps).as_deref() == Some("1")));
    assert_eq!(factor("N", taps).as_deref(), Some("3"));
    let row = |inside: &str| format!("for j in 0..N {{ {inside} }}");
    assert_eq!(factor("min(2, N)", &row("unroll for k in 0..3 { y[j] += x[j + k] }")).as_deref(), Some("3"));
    let lanes = "f32x16 for j in 0..N / 16 * 16 { unroll for k in 0..3 { y[j] += x[j + k] } }";
    assert_eq!(factor("min(2, N)", lanes).as_deref(), Some("1"));
    assert_eq!(factor("N", lanes).as_deref(), Some("3"));
    // What is left behind whole vectors.
    let rest = "f32x16 for j in N / 16 * 16..N / 16 * 16 + 16 { unroll for k in 0..3 { if j < N { y[j] += x[j + k] } } }";
    assert_eq!(factor("N", rest).as_deref(), Some("1"));
}

/// Where every long loop is vectors already, GCC does not look for any.
#[test]
fn vectors_are_sought_where_loops_are_left() {
    let sought = |body: &str| {
        let text = format!("kernel t(N) in f32 x[N] out f32 y[N] {{ {body} }}");
        let source = print_kernel(&parse_kernel(&text).expect("reads"), &Options::default());
        !source.expect("a well-formed kernel").flags.contains(&"-fno-tree-loop-vectorize")
    };
    assert!(sought("for i in 0..N { y[i] = x[i] }"));
    assert!(!sought("f32x16 for i in 0..N / 16 * 16 { y[i] = x[i] }"));
    assert!(!sought(
        "for i in 0..N { alloc register f32 s = 0f32 { for k in 0..N { s += x[k] } y[i] = s } }"
    ));
}

#[test]
fn large_kernels_of_vectors_are_compiled_with_less_search() {
    let flags = |loops: &str, count: usize| {
        let body: String = (0..count).map(|k| loops.replace('?', &k.to_string())).collect();
        let text = format!("kernel t(N) in f32 x[N] out f32 y[N] {{ {body} }}");
        let kernel = parse_kernel(&text).expect("reads");
        print_kernel(&kernel, &Options::default()).expect("a well-formed kernel").flags
    };
    let vectors = "f32x16 for i in 0..N / 16 * 16 { y[i] = ?f32 * x[i] }\n";
    let [search, region] = ["-fno-tree-ccp", "-fira-region=one"];
    let has = |flags: Vec<&str>| [search, region].map(|flag| flags.contains(&flag));
    assert_eq!(has(flags(vectors, 8)), [false, false]);
    assert_eq!(has(flags(vectors, 50)), [true, false]);
    assert_eq!(has(flags(vectors, 250)), [true, true]);
    // The compiler's own vectors need what it finds.
    assert_eq!(has(flags("for i in 0..N { y[i] = ?f32 * x[i] }\n", 250)), [false, false]);
}
