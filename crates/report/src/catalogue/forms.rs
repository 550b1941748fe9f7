//! The forms of the language: words that programs have, each with an example.

use super::{Entry, Kind};

/// A form: its word, what it is, an example, and the chapter of the book about it.
struct Form(&'static str, &'static str, &'static str, &'static str);

const FORMS: &[Form] = &[
    Form(
        "gen",
        "the tensor of the values at all indices",
        "fn f(x: f64[N]) -> f64[N] { gen i < N { 2 * x[i] } }",
        "language",
    ),
    Form(
        "sum",
        "the sum of the values at all indices; `prod`, `min`, `max`, `any`, `all` likewise",
        "fn f(x: f64[N]) -> f64 { sum i < N { x[i] } }",
        "language",
    ),
    Form(
        "let",
        "a name for a value, which is computed once",
        "fn f(x: f64[N]) -> f64[N] { let s = sum i < N { x[i] }; gen i < N { x[i] / s } }",
        "language",
    ),
    Form(
        "select",
        "one of two values, by a condition",
        "fn f(x: f64[N]) -> f64[N] { gen i < N { select(x[i] < 0, 0, x[i]) } }",
        "language",
    ),
    Form(
        "iterate",
        "runs rounds, each of which computes new states from the old ones; its value is the expression after `in`, or else the states",
        "fn f(x: f64, T: size) -> f64 { iterate t < T from y = x { (y + x / y) / 2 } }",
        "recurrences",
    ),
    Form(
        "until",
        "ends the rounds of an `iterate` early, at the first one before which a condition holds",
        "fn f(x: f64) -> f64 { iterate t < 50 from y = x until abs(y * y - x) < 1e-12 { (y + x / y) / 2 } }",
        "recurrences",
    ),
    Form(
        "scan",
        "runs rounds and keeps the states: the start, and the one after each round; with `give`, one value for each round instead",
        "fn f(x: f64[N]) -> f64[N] { scan i < N from s = f64(0) { s + x[i] } give s }",
        "recurrences",
    ),
    Form(
        "rec",
        "a tensor whose elements depend on earlier ones",
        "fn f(x: f64[N]) -> f64[N] { rec y: f64 = gen i < N { x[i] + 0.5 * y?[i - 1] }; y }",
        "recurrences",
    ),
    Form(
        "where",
        "a condition on sizes, or on all elements, that each call must satisfy",
        "fn f(x: f64[N], at: i32[K]) -> f64[K] where all k < K { 0 <= at[k] < N } { gen k < K { x[at[k]] } }",
        "language",
    ),
    Form(
        "const",
        "a constant of the file",
        "const HALF: f64 = 0.5;\nfn f(x: f64[N]) -> f64[N] { gen i < N { HALF * x[i] } }",
        "language",
    ),
    Form(
        "use",
        "functions of a module of the standard library",
        "use std.nn.{relu};\nfn f(x: f32[N]) -> f32[N] { relu(x) }",
        "library",
    ),
    Form(
        "schedule",
        "the steps that make a function fast; its theorem is that no value changes",
        "fn f(x: f64[N]) -> f64[N] { gen i < N { 2 * x[i] } }\nschedule wide of f { vectorize i by 4; }",
        "scheduling",
    ),
    Form(
        "as",
        "the format of a sparse parameter or result: `A: f64[N, M] as csr`",
        "fn f(A: f64[N, M] as csr, x: f64[M]) -> f64[N] { gen i < N { sum j < M { A[i, j] * x[j] } } }",
        "sparse",
    ),
    Form(
        "size",
        "an integer of at least 0 that gives shapes and ranges",
        "fn f(x: f64[N], K: size) -> f64 where K <= N { sum i < K { x[i] } }",
        "language",
    ),
    Form(
        "c128",
        "complex numbers of two `f64`; `c64` of two `f32`",
        "fn f(z: c128[N]) -> c128[N] { gen i < N { 2i * conj(z[i]) } }",
        "language",
    ),
    Form(
        "f16",
        "floats of 16 bits, each operation rounded; `bf16` has the exponents of `f32`",
        "fn f(x: f16[N]) -> f32[N] { gen i < N { 2 * f32(x[i]) } }",
        "language",
    ),
];

/// Every form.
pub(super) fn all() -> Vec<Entry> {
    FORMS.iter().map(entry).collect()
}

fn entry(Form(name, summary, example, chapter): &Form) -> Entry {
    let fields = vec![
        ("example", (*example).to_owned()),
        ("chapter", format!("`{chapter}` of the book (docs/book/src/{chapter}.md)")),
    ];
    Entry { kind: Kind::Form, name: (*name).to_owned(), summary: (*summary).to_owned(), fields, page: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_session::Program;

    #[test]
    fn examples_are_programs_and_chapters_are_there() {
        for Form(name, _, example, chapter) in FORMS {
            assert!(example.contains(name), "{name}");
            Program::parse("f.atl", example).unwrap_or_else(|why| panic!("{name}: {why}"));
            let book = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src");
            assert!(std::path::Path::new(book).join(format!("{chapter}.md")).exists(), "{chapter}");
        }
    }
}
