//! C texts that look like their loops and compute something else: each is outside of the subset, or differs.
//!
//! `texts` has proof files, and the texts that were printed for them.

use atl_recheck::{Text, check_texts};
use std::fs::read_to_string;
use std::path::Path;

/// Of a text: what is changed, and what is said then.
type Change = (&'static str, &'static str, &'static str);

/// A proof file, and the text that was printed for it.
#[track_caller]
fn genuine(name: &str) -> (String, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/texts").join(name);
    let read = |end| read_to_string(path.with_extension(end)).unwrap_or_else(|why| panic!("{name}: {why}"));
    (read("atlp"), read("c"))
}

/// The text is the loops, and no longer is with any of the changes.
#[track_caller]
fn changed(name: &str, changes: &[Change]) {
    let (file, c) = genuine(name);
    let with = |(from, to, _): &Change| {
        assert!(c.contains(from), "{name}: {from}");
        c.replace(from, to)
    };
    let texts: Vec<String> = [c.clone()].into_iter().chain(changes.iter().map(with)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (_, mut found) = check_texts(file.as_bytes(), &texts).unwrap_or_else(|why| panic!("{name}: {why}"));
    let original = found.remove(0);
    assert!(matches!(original, Text::Loops(_)), "{name}: {original}");
    for ((from, to, why), found) in changes.iter().zip(found) {
        let is_seen = !matches!(found, Text::Loops(_)) && found.to_string().contains(why);
        assert!(is_seen, "{name}: `{from}` as `{to}`: {found}, and not {why}");
    }
}

/// `lt`: `select(x[i] < y[i], 1, 2)` of numbers of 64 bits. Their difference may not have 64 bits.
#[test]
fn what_is_read_stays_on_its_side_of_a_comparison() {
    let other = "a value is another";
    changed(
        "lt",
        &[
            ("x[i] < y[i]", "x[i] - y[i] < 0", other),
            ("x[i] < y[i]", "x[i] <= y[i] - 1", other),
            ("x[i] < y[i]", "x[i] + 1 <= y[i]", other),
            ("x[i] < y[i]", "x[i] + N < y[i] + N", other),
            ("x[i] < y[i]", "x[i] + 1 - 1 < y[i]", "parts cancel"),
            ("i < N; i++", "i + N * N * N * N < N + N * N * N * N; i++", "sides cancel"),
            ("i < N; i++", "i + 4 * N * N - 4 * N * N < N; i++", "parts cancel"),
            ("i < N; i++", "i + (N + 1) * (N - 1) < N + N * N - 1; i++", "parts cancel"),
            ("i < N; i++", "i + 0 * (N * N) < N; i++", "parts cancel"),
            ("i < N; i++", "i + 9223372036854775807 < N + 9223372036854775807; i++", "sides cancel"),
            ("i < N; i++", "i < N && x[7] <= x[7]; i++", "no comparison"),
            ("i < N; i++", "x[7] <= x[7] && i < N; i++", "no comparison"),
            ("i = 0; i < N", "i = 0, e = i; i + i - e < N", "`i` here"),
            ("i < N; i++", "i < N + INT64_C(0u); i++", "the constant `0u`"),
        ],
    );
    changed(
        "lut",
        &[
            ("&& (x[i] < K)", "& (x[i] < K)", "no evidence"),
            ("(0 <= x[i]) && (x[i] < K)", "(x[i] < K) && (0 <= x[i])", other),
            ("x[i] < K", "x[i] - K < 0", other),
            ("x[i] < K", "x[i] + 1 <= K", other),
            ("x[i] < K", "x[i] + 9223372036854775807 < K + 9223372036854775807", other),
        ],
    );
}

#[test]
fn operands_are_of_one_type_that_has_their_numbers() {
    let types = "numbers of different types";
    changed(
        "sel",
        &[
            ("INT64_C(-1) : INT64_C(5)", "-1 : 5u", types),
            ("INT64_C(-1) : INT64_C(5)", "-1 : UINT64_C(5)", types),
        ],
    );
    changed(
        "orr",
        &[
            ("(int32_t)(x[i] | 5)", "(x[i] | 5u)", types),
            ("(int32_t)(x[i] | 5)", "(1 ? x[i] | 5 : 5u)", types),
            ("(int32_t)(x[i] | 5)", "(x[i] | INT64_C(5))", types),
        ],
    );
    changed(
        "neg",
        &[
            ("INT64_C(2147483648)", "-INT32_MIN", "the operator `-` here"),
            ("INT64_C(2147483648)", "-(int32_t)2147483648", "the operator `-` here"),
            ("INT64_C(2147483648)", "-(int32_t)INT64_C(2147483648)", "the operator `-` here"),
        ],
    );
}

/// Whether there is a lane is no mask, and no number is a condition of all lanes.
#[test]
fn a_mask_is_no_truth_value() {
    let no_mask = "no mask of the loop's lanes";
    changed(
        "copyf",
        &[
            ("= atl_below(i, N);", "= atl_below(i, N) != 0;", no_mask),
            (
                "= atl_below(i, N);",
                "= atl_all(4294967296) & atl_below(i, N);",
                "where a condition is expected",
            ),
            ("= atl_below(i, N);", "= atl_all(N < 1) | atl_below(i, N);", "the lanes are others"),
            ("out, i, atl_on_2,", "out, i, atl_on_2 != 0,", no_mask),
            ("if (atl_on_2 != 0)", "if (~(UINT64_C(0xff) & ~atl_on_2))", "whether there is a lane"),
            ("if (atl_on_2 != 0)", "if (atl_on_2 == 0)", "whether there is a lane"),
            ("copyf", "memset", "a function of this form"),
            ("copyf", "expf", "a function of this form"),
            ("const uint64_t atl_on_2", "const int64_t atl_on_2", "a declaration here"),
        ],
    );
    changed("pad", &[("atl_below(p - 1, N))", "atl_below(p - 1, N) != 0)", no_mask)]);
}

/// A helper has its meaning for some types alone.
#[test]
fn a_helper_is_for_its_types() {
    let unknown = "a helper that is not known";
    let head = "int32_t u32c(";
    let abs = "static inline __attribute__((always_inline)) atl_u32x8 atl_abs_u32x8(atl_u32x8 a) {\n  \
               typedef uint32_t word __attribute__((vector_size(32)));\n  const word sign = (word)(a >> 31);\n  \
               return (atl_u32x8)(((word)a ^ sign) - sign);\n}\n\nint32_t u32c(";
    changed("u32c", &[(head, abs, unknown)]);
    let of = "static inline __attribute__((always_inline)) atl_f32x8 atl_of_i32_f32x8(atl_i32x8 v) {\n  \
              return (atl_f32x8)v;\n}\n\nint32_t i2f(";
    let counted = "static inline __attribute__((always_inline)) atl_f32x8 atl_counted_f32x8(int64_t first, int64_t step) {\n  \
                   return (atl_f32x8)(((atl_u32x8){0, 1, 2, 3, 4, 5, 6, 7}) * (uint32_t)step + (uint32_t)first);\n}\n\nint32_t i2f(";
    changed("i2f", &[("int32_t i2f(", of, unknown), ("int32_t i2f(", counted, unknown)]);
}

/// `chain` has arrays in blocks, and loops in loops.
#[test]
fn names_and_arrays_are_those_of_the_loops() {
    changed(
        "chain",
        &[
            ("float b[8]", "float b[800000000]", "another number of cells"),
            ("float b[8]", "float b[9]", "another number of cells"),
            ("float b[8]", "float w[8]", "visible already"),
            ("float acc_1 = 0.0f;", "float w = 0.0f;", "visible already"),
            ("int64_t i = 0; i < N; i++", "int64_t atl_k = 0; atl_k < N; atl_k++", "the name `atl_k`"),
            (
                "float acc = 0.0f;",
                "float acc = 0.0f;\n for (int64_t k = 0; k < acc; k++) {}",
                "around nothing",
            ),
            ("float acc = 0.0f;", "float acc = 0.0f;\n if (1) {}", "around nothing"),
            (
                "float acc = 0.0f;",
                "float acc = 0.0f;\n#pragma omp parallel for lastprivate(acc)\nfor (int64_t q = 0; q < 4; q++) {}",
                "around nothing",
            ),
        ],
    );
}

/// `past` stores past the caches, in several threads.
#[test]
fn each_thread_waits_for_its_stores_past_the_caches() {
    let why = "no fence follows";
    let fence = "    }\n    atl_fence();\n  }\n";
    changed(
        "past",
        &[
            (fence, "    }\n  }\n", why),
            (fence, "    }\n    if (N < 0) {\n      atl_fence();\n    }\n  }\n", why),
            (fence, "    }\n    for (int64_t k = 0; k < N; k++) {\n      atl_fence();\n    }\n  }\n", why),
            (fence, "    }\n    if (N < 0) {\n      return 2;\n    }\n    atl_fence();\n  }\n", why),
        ],
    );
    // A pragma between a region and its statement does not end the region.
    let (file, text) = genuine("past");
    let region = "#pragma omp parallel if (1 < N)\n";
    let text = text.replace(region, &format!("{region}  #pragma GCC ivdep\n")).replace(fence, "    }\n  }\n");
    let (_, found) = check_texts(file.as_bytes(), &[&text]).expect("the file is read");
    assert!(found[0].to_string().contains(why), "{}", found[0]);
}

/// `unread`: `x[i] + x[i]`, and the bytes `t` are not read. Nothing may read them for a number that nothing
/// depends on, in whose polynomial they cancel, or that a remainder hides.
#[test]
fn nothing_is_read_or_computed_that_the_result_does_not_have() {
    let read = "x[i] + x[i]";
    changed(
        "unread",
        &[
            (
                read,
                "x[i] + x[i + ((int64_t)t[777] - 8 * ((int64_t)t[777] / 8) - (int64_t)t[777] % 8)]",
                "a value is another",
            ),
            (read, "x[i] + x[i + ((int64_t)t[777] % 8 - ((int64_t)t[777] + 0) % 8)]", "parts cancel"),
            (
                read,
                "x[i] + x[i + (N * N * N * N - 8 * (N * N * N * N / 8) - N * N * N * N % 8)]",
                "is another",
            ),
            ("i = 0; i < N", "i = 0, e = (int64_t)t[777]; i < N", "a loop's end"),
            ("  for (", "  const int64_t e = (int64_t)t[777];\n  for (", "no evidence"),
            (
                "i < N; i++",
                "i + (int64_t)t[777] % 8 < N + (int64_t)t[777] - 8 * ((int64_t)t[777] / 8); i++",
                "end is another",
            ),
        ],
    );
    changed(
        "promised",
        &[("  (void)t;", "  if (t[123456789] >= 5) return 2;", "a refusal that reads memory")],
    );
}

/// `cut`: the claim writes the result's extent with a remainder, and the loops without.
#[test]
fn extents_may_be_written_in_another_way() {
    changed("cut", &[("atl_k < 1 * M", "atl_k < 1 * (M - 1)", "another number of cells")]);
}

/// Threads share the iterations of a loop where they began for it.
#[test]
fn a_loop_is_shared_by_the_threads_that_begin_for_it() {
    let own = "omp parallel for schedule(static) if (1 < N)";
    changed(
        "unread",
        &[
            (own, "omp for schedule(static) nowait", "outside of a parallel region"),
            (
                own,
                "omp parallel\n  #pragma omp for schedule(static) nowait",
                "a parallel region that is no block",
            ),
        ],
    );
}

/// `again` has a buffer twice, one after the other; `around` has one around a loop over threads and, for each
/// iteration, within.
#[test]
fn a_buffer_that_is_allocated_again_has_other_cells() {
    changed(
        "again",
        &[("b[i] * b[3 - i]", "b[i] * a[3 - i]", "a cell of `a`"), ("b[i] * b", "a[i] * b", "a cell of `a`")],
    );
    changed(
        "around",
        &[
            ("      b[j] = ", "      a[j] = ", "a store to this"),
            ("b[255 - j] + b[j]", "b[255 - j] + a[j]", "a cell of `a`"),
            ("    float b[256] __attribute__((aligned(64)));\n", "", "an allocation"),
        ],
    );
}

/// `most`: a maximum of sums. Blocks of sums that are not above it are passed by.
#[test]
fn blocks_are_passed_by_where_nothing_changes() {
    const LESS: &str = "(acc - (atl_f32x8){0}) < ";
    let (no, form) = ("no evidence", "where one is expected");
    let changes = "something may change";
    changed(
        "most",
        &[
            // What lanes compare: the contrary, another bound, other cells, other rows.
            (LESS, "(acc - (atl_f32x8){0}) > ", changes),
            (LESS, "(acc + 1.0f - (atl_f32x8){0}) < ", changes),
            (LESS, "(acc - (atl_f32x8){0}) == ", changes),
            (LESS, "(acc - (atl_f32x8){0}) != ", changes),
            (LESS, "(acc - (atl_f32x8){0}) >= ", changes),
            (" + *(const atl_f32x8_u *)&y[j]", "", changes),
            (" + *(const atl_f32x8_u *)&y[j]", " - *(const atl_f32x8_u *)&y[j]", changes),
            ("atl_f32x8_u *)&y[j]", "atl_f32x8_u *)&y[j + 1]", changes),
            ("atl_f32x8_u *)&x[i * M + j]", "atl_f32x8_u *)&x[i + j]", changes),
            ("atl_f32x8_u *)&x[i * M + j]", "atl_f32x8_u *)&x[j]", changes),
            ("atl_f32x8_u *)&x[i * M + j]", "atl_f32x8_u *)&x[i * M + j_next]", no),
            ("#pragma GCC unroll 8", "#pragma GCC unroll 8 omp", "another form"),
            // Only one of both looks is changed.
            ("_seen |= (atl_i32x8)((atl_f32x8)(acc", "_seen |= (atl_i32x8)((atl_f32x8)(acc - acc", changes),
            (
                "if (atl_none_i32x8((atl_i32x8)((atl_f32x8)(acc",
                "if (atl_none_i32x8((atl_i32x8)((atl_f32x8)(-acc",
                changes,
            ),
            // More cells are looked at than the loops read, and other numbers computed.
            (
                LESS,
                "(acc - (atl_f32x8){0}) < *(const atl_f32x8_u *)&y[j + M] | (atl_f32x8)(acc - (atl_f32x8){0}) < ",
                no,
            ),
            // What the body does is another thing, or more.
            ("atl_max_f32(acc, x", "atl_max_f32(x[0], x", "a value is another"),
            (
                "atl_max_f32(acc, x[i * M + j] + y[j])",
                "atl_max_f32(x[i * M + j] + y[j], acc)",
                "a value is another",
            ),
            (
                "          acc = atl_max",
                "          continue;\n          acc = atl_max",
                "the statement `continue`",
            ),
            ("          acc = atl_max", "          j_stop = j_next;\n          acc = atl_max", no),
            ("+ y[j]);\n", "+ y[j]);\n          j_next = j_stop;\n", "text: not the loops"),
            // Other numbers of iterations.
            ("if (8 < j_end", "if (4 < j_end", "blocks of other numbers"),
            ("if (8 < j_end", "if (-8 < j_end", form),
            ("if (8 < j_end - j_next)", "if (8 <= j_end - j_next)", form),
            ("64 < j_end", "32 < j_end", "blocks of other numbers"),
            ("j_next + 64", "j_next + 65", "blocks of other numbers"),
            (
                "64 < j_end - j_next) {\n            j_stop = j_looked = j_next + 64;",
                "60 < j_end - j_next) {\n            j_stop = j_looked = j_next + 60;",
                "blocks of other numbers",
            ),
            ("j_stop = j_next + 8", "j_stop = j_next + 16", "blocks of other numbers"),
            ("j_stop = j_next + 8", "j_stop = j_end", form),
            ("j += 8", "j += 16", "blocks of other numbers"),
            ("j < j_stop; j++", "j <= j_stop; j++", form),
            ("j_next = j_stop)", "j_next = j_end)", form),
            ("j_next = 0, j_stop", "j_next = 1, j_stop", "a loop's first iteration"),
            ("j_looked = 0;", "j_looked = M;", "a loop's first iteration"),
            ("j_end = M;", "j_end = N;", "a loop's end"),
            ("j_end = M;", "j_end = M - 1;", "a loop's end"),
            ("int64_t j_looked", "int32_t j_looked", "a declaration here"),
            // What says that there is no lane, and what has been seen.
            ("if (atl_none_i32x8(j_seen))", "if (!atl_none_i32x8(j_seen))", form),
            ("j_seen |=", "j_seen =", form),
            ("j_seen |=", "j_seen &=", form),
            ("return (w[0] | w[1]", "return (w[0] & w[1]", "not as it is known"),
            ("ptestz256", "ptestc256", "not as it is known"),
            ("atl_i32x8 j_seen", "atl_f32x8 j_seen", "other vectors"),
            ("atl_i32x8 j_seen", "atl_i32x4 j_seen", "other vectors"),
            (" j_seen = {0};\n", " j_seen;\n", form),
            // Names that hide others.
            ("j_seen", "acc", "is visible already"),
            ("j_looked", "j_end", "is visible already"),
            ("j_stop", "i", "is visible already"),
        ],
    );
}
