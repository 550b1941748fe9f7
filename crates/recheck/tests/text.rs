//! C texts beside small loops, written by hand from the document: what is the loops, what differs, and what
//! is outside.

use atl_recheck::{Text, check_text};

/// `gen i < N x[i]` as a copy.
const COPY: &str = "atlp 1\nfunction \"f\"\ngiven\nsource\nschedule\nresult\nlaws none\nrounding bitwise\nproof\n\
    l0 \"N\" serial auto\nl1 \"x\" serial auto\na0 plus_times\ni0 free 0\ni1 lit 0\ni2 bound 0\np0 le i1 i0\n\
    t0 free 2\nt1 get t0 i2\nt2 gen l0 i0 t1\ns0 refl t2 t2\nx0 index l0\nx1 hyp p0\nx2 tensor l1 f32 a0 i0\nclaim t2 t2 s0\n\
    loops\nb0 input 2 \"x\"\nb1 output \"out\"\nv0 load b0 i2\nw0 set b1 i2 v0\n\
    w1 for \"i\" parallel i1 i0 w0\nr0 load\nh0 stored r0\nh1 loop h0\nrun w1 h1 laws none\nend 34\n";

const TEXT: &str = "#include <stdint.h>\n\nint32_t f(int64_t N, const float *restrict x, float *restrict out) {\n  \
    if (N < 0) return 2;\n  #pragma omp parallel for schedule(static) if (1 < N)\n  for (int64_t i = 0; i < N; i++) {\n    \
    out[i] = x[i];\n  }\n  return 0;\n}\n\nint32_t f_call(const int64_t *sizes, void *const *buffers) {\n  \
    (void)sizes;\n  (void)buffers;\n  return f(sizes[0], buffers[0], buffers[1]);\n}\n";

fn seen(text: &str) -> Text {
    check_text(COPY.as_bytes(), text).unwrap_or_else(|why| panic!("{why}")).1
}

fn with(from: &str, to: &str) -> String {
    assert!(TEXT.contains(from), "{from}");
    TEXT.replace(from, to)
}

#[track_caller]
fn differs(text: &str, why: &str) {
    let found = seen(text);
    assert!(
        matches!(found, Text::Differs(_)) && found.to_string().contains(why),
        "{found}, and not {why}\n{text}"
    );
}

#[track_caller]
fn outside(text: &str, why: &str) {
    let found = seen(text);
    assert!(
        matches!(found, Text::Unknown(_)) && found.to_string().contains(why),
        "{found}, and not {why}\n{text}"
    );
}

#[track_caller]
fn same(text: &str) {
    assert!(matches!(seen(text), Text::Loops(_)), "{}\n{text}", seen(text));
}

#[test]
fn a_copy_is_a_copy() {
    assert_eq!(seen(TEXT).to_string(), "text: the loops, statement by statement, as `f(N, x, out)`");
    same(&with("  if (N < 0) return 2;\n", ""));
    same(&with("  #pragma omp parallel for schedule(static) if (1 < N)\n", ""));
    same(&with("i < N; i++", "0 < N - i; i++"));
    same(&with("  for (int64_t i = 0; i < N; i++) {", "  for (int64_t i = 0, i_end = N; i < i_end; i++) {"));
    same(&with("out[i] = x[i];", "out[i + 2 - 2] = x[i + 0];"));
    same(&with("float *restrict x", "float *restrict a").replace("x[i]", "a[i]"));
}

#[test]
fn another_copy_differs() {
    differs(&with("out[i] = x[i]", "out[i + 1] = x[i]"), "line 7: the cell of a store is another");
    differs(&with("out[i] = x[i]", "out[i] = x[0]"), "line 7: a value is another");
    differs(&with("out[i] = x[i]", "out[i] = -x[i]"), "a value is another");
    differs(&with("out[i] = x[i]", "out[i] += x[i]"), "a value is another");
    differs(&with("out[i] = x[i]", "x[i] = x[i]"), "a store to another buffer");
    outside(&with("    out[i] = x[i];\n", ""), "around nothing");
    differs(
        &with("out[i] = x[i];", "out[i] = x[i]; out[i] = x[i];"),
        "a statement that the loops do not have",
    );
    differs(&with("i = 0;", "i = 1;"), "a loop's first iteration");
    differs(&with("i < N", "i <= N"), "a loop's end is another");
    differs(&with("i++", "i += 2"), "a loop has steps of 2");
    differs(&with("const float *", "const double *"), "`x` has another type");
    differs(&with("const float *restrict x", "float *restrict x"), "`x` has another type");
    differs(
        &with("int64_t N, ", "int64_t N, int64_t M, ").replace("sizes[0], ", "sizes[0], sizes[1], "),
        "other parameters",
    );
    let serial = COPY.replace("parallel i1", "serial i1");
    let (_, found) = check_text(serial.as_bytes(), TEXT).expect("a proof");
    assert!(found.to_string().contains("iterations at once of a loop that is in order"), "{found}");
}

#[test]
fn what_is_not_certain_is_outside() {
    // Names that are not what they seem, arrays that overlap, a bound that wraps.
    outside(&with("float *restrict out", "float *out"), "an array that may overlap with others");
    outside(&with("i = 0; i < N", "i = i; i < N"), "`i` here");
    outside(&with("i < N", "i < UINT64_C(5)"), "a comparison of numbers with a sign as numbers without");
    outside(&with("if (N < 0) return 2", "if (N < 9) return 2"), "a refusal of what is not seen");
    outside(
        &with("out[i] = x[i]", "out[i] = x[i + 2147483647 + 1 - N]")
            .replace("i + 2147483647 + 1", "2147483647 + 1 + i"),
        "types",
    );
    outside(&with("out[i] = x[i]", "out[i] = x[(i - 4) / 4]"), "a quotient of what may be negative");
    outside(&with("out[i] = x[i]", "out[i] = x[i / 0]"), "not a positive constant");
    outside(&with("out[i] = x[i]", "out[i] = (float)(x[i] + 1)"), "floats of different types");
    outside(&with("out[i] = x[i]", "out[i] = f(x[i])"), "a call of `f`");
    outside(&with("out[i] = x[i]", "out[i] = atl_min(x[i], x[i])"), "not defined");
    outside(&with("  return 0;", "  while (1) return 0;\n  return 0;"), "the statement `while`");
    let idle = |head: &str| with("  return 0;", &format!("  for (int64_t k = 0; {head}) {{}}\n  return 0;"));
    outside(&idle("k < N; k++"), "around nothing");
    outside(&idle("0 <= k; k++"), "around nothing");
    outside(&idle("k < k + 1; k++"), "around nothing");
    outside(&with("  return 0;", "  #define N 0\n  return 0;"), "a directive");
    outside(
        &with(
            "  return 0;",
            "  #pragma omp parallel for reduction(+: s)\n  for (int64_t i = 0; i < N; i++) x[i];\n  return 0;",
        ),
        "statement",
    );
    outside(&with("schedule(static) if (1 < N)", "schedule(static) lastprivate(out)"), "the pragma");
    outside(&with("schedule(static) if (1 < N)", "schedule(static) if (x[N])"), "a condition of threads");
    outside(
        &with("schedule(static) if (1 < N)", "schedule(static) if (1 < N * N)"),
        "a condition of threads",
    );
    outside(
        &with("#include <stdint.h>\n", "#include <stdint.h>\n#define float double\n"),
        "a helper that is not known",
    );
    outside(&with("#include <stdint.h>\n", "#include \"stdint.h\"\n"), "does not begin with");
    outside(&with("return f(sizes[0]", "return f(sizes[1]"), "other functions");
    outside(&(TEXT.to_owned() + "float x[3];\n"), "other functions");
}

/// The helper says what it is for: another body is no evidence.
#[test]
fn a_helper_has_its_own_text() {
    let helper = "static inline int64_t atl_max(int64_t a, int64_t b) { return a < b ? b : a; }\n\n";
    let text = with("int32_t f(int64_t N", &format!("{helper}int32_t f(int64_t N"))
        .replace("i < N; i++", "i < atl_max(N, N); i++");
    same(&text);
    outside(
        &text.replace("return a < b", "return a <= b"),
        "a helper that is not known, or not as it is known, `atl_max` (line 3)",
    );
    outside(&text.replace("atl_max(N, N)", "atl_min(N, N)"), "`atl_min`, which is not defined");
    let again = format!("{helper}{helper}");
    outside(&text.replace(helper, &again), "`atl_max` is defined again");
}

#[test]
fn no_text_makes_the_reader_fail() {
    let deep = with("= x[i]", &format!("= {}x[i]{}", "(".repeat(3000), ")".repeat(3000)));
    outside(&deep, "nesting that is too deep");
    let blocks = with("    out[i]", &format!("{}out[i]", "{".repeat(5000)));
    outside(&blocks, "nesting that is too deep");
    let long = with("= x[i]", &format!("= x[i]{}", " + x[i]".repeat(4000)));
    differs(&long, "a value is another");
    // Texts that end, or lose a character, anywhere.
    for at in 0..TEXT.len() {
        for text in [TEXT[..at].to_owned(), format!("{}{}", &TEXT[..at], &TEXT[at + 1..])] {
            let found = check_text(COPY.as_bytes(), &text).map(|(_, found)| found);
            let is_same = matches!(found, Ok(Text::Loops(_)));
            let lost = &TEXT[at..=at];
            assert!(found.is_ok(), "{text}");
            // What may be lost is spaces, and parts of names that stay the same or of pragmas.
            let line = TEXT[..at].matches('\n').count();
            assert!(!is_same || " \nNxif".contains(lost) || [3, 4].contains(&line), "{lost:?}\n{text}");
        }
    }
}
