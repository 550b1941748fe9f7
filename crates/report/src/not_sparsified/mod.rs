//! Warnings for operands that `sparsify` left dense.
//!
//! **The one idea.** A product is zero where a factor is, so its loops are those over what the factor stores.
//! No such law holds for `max(a, b)` or `a / b`: the dense loops remain, and each iteration searches the
//! operand for its element. An operand that shares an index with another is copied to a dense array where
//! neither can be searched. An operand stored in another order than the loops is traversed once for every
//! value of the outer loop. All of these are correct and may be slow, so a warning gives the reason.

mod result;
mod walk;

use crate::performance_warnings::Warned;
use atl_diag::{Diagnostic, warning};
use atl_formats::{Axis, Format};
use atl_kernel::{Child, Prim};
use atl_lang::SparseParam;

/// Why an operand is not iterated over by its stored entries.
#[derive(Clone, PartialEq, Debug)]
enum NotSparsified {
    /// It is in an array of all its elements, for it meets another operand.
    Densified,
    /// It is in such an array, for a condition or an index reads it.
    UsedInPredicate,
    /// Each of its elements is looked for, below an operation that need not be zero where they are.
    LookedUpPerElement(Below),
    /// Each of its elements is looked for, since it stores blocks, and these loops are not cut into theirs.
    BlockMismatch(Vec<Cut>),
    /// Each of its elements is looked for, since its index is an element of an array.
    IndirectIndex,
    /// It is searched below each coordinate of an outer level, for each of these.
    DiscordantOrder(Sought),
}

/// A loop that is to be cut, and the extent of its blocks.
#[derive(Clone, PartialEq, Debug)]
struct Cut(String, i64);

/// For what an operand is searched.
#[derive(Clone, PartialEq, Debug)]
struct Sought {
    /// The index of the loop of which each iteration searches it; none if each entry of the other operand
    /// does.
    index: Option<String>,
    /// The operand that says what is looked for, if the index of the loop does not.
    of: Option<String>,
    /// The loop over the ranges and the one over a row of that operand, if one stands in the other:
    /// exchanged, they walk two rows together.
    loops: Option<(String, String)>,
}

/// What an operand is below.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Below {
    /// An operation, and which of its operands is looked at.
    Operation(Prim, Child),
    /// What is added up in another way than numbers are.
    Reduction,
    /// A choice by a condition on indices.
    Choice,
}

const A_FUNCTION: &str = "a function of it";

impl Below {
    /// A dividend is a factor of the reciprocal; of nothing else is it known how to make it one.
    fn is_dividend(self) -> bool {
        self == Below::Operation(Prim::Div, Child::Arg(0))
    }

    /// What the operation is called.
    fn word(self) -> &'static str {
        match self {
            Below::Operation(Prim::Sub, _) => "a difference",
            Below::Operation(Prim::Div, Child::Arg(0)) => "a quotient",
            Below::Operation(Prim::Div, _) => "a quotient by it",
            Below::Operation(Prim::Min, _) => "a minimum",
            Below::Operation(Prim::Max, _) => "a maximum",
            Below::Operation(Prim::Eq | Prim::Lt | Prim::Le, _) => "what a comparison with it selects",
            Below::Operation(Prim::Where, _) | Below::Choice => "a choice between values",
            Below::Reduction => "a reduction other than a sum",
            _ => A_FUNCTION,
        }
    }
}

impl Warned<'_> {
    /// A warning for each operand that `sparsify` was to take, and of which all elements are gone over.
    pub(crate) fn not_sparsified(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        let mut found: Vec<(&SparseParam, NotSparsified)> = Vec::new();
        if self.sparsified.is_some() {
            walk::walk(self, &mut |param, reason| {
                if found.iter().all(|(other, _)| other.name != param.name) {
                    found.push((param, reason));
                }
            });
        }
        found.into_iter().map(|(param, reason)| self.remark(param, reason))
    }

    fn remark(&self, param: &SparseParam, reason: NotSparsified) -> Diagnostic {
        let name = &param.name;
        let span = self.sparsified.unwrap_or(self.span);
        match reason {
            NotSparsified::Densified => warning!(E0419, span, "the sparse operand `{name}` is copied to a dense workspace")
                .note("because it shares an index with another operand, and its coordinates are not known to increase along it, so it cannot be searched")
                .help("declare a format whose coordinates increase along that index, as its first level if possible: `csr`, `csc`, `csf`")
                .help("if the workspace is intended, write `sparsify by workspace`"),
            NotSparsified::UsedInPredicate => warning!(E0419, span, "the sparse operand `{name}` is copied to a dense workspace")
                .note("because a condition or an index reads it, also at elements that are not stored")
                .help(format!("multiply by its elements instead, if they can have the type of the other factor: `{name}[..] * e`"))
                .help("if the workspace is intended, write `sparsify by workspace`"),
            NotSparsified::LookedUpPerElement(below) => {
                let remark = warning!(E0419, span, "the sparse operand `{name}` is traversed densely: each element is searched for")
                    .note(match below.word() {
                        // `abs` is zero there and `exp` is not: no step distinguishes them.
                        A_FUNCTION => format!("because `sparsify` does not know whether the function of it is zero where `{name}` is"),
                        word => format!("because {word} need not be zero where `{name}` is"),
                    });
                let remark = match below {
                    Below::Operation(Prim::Div, Child::Arg(0)) => return remark.help(format!(
                        "`{name}` is divided: multiply it by the reciprocal, `{name}[..] * (1 / ..)`, which rounds twice"
                    )),
                    Below::Operation(Prim::Where, Child::Arg(1 | 2)) => remark.help(format!(
                        "where the other value is zero, choose a factor instead: `select(.., 1, 0) * {name}[..]`"
                    )),
                    Below::Choice => return remark.help(
                        "write each value under its condition, as a sum: `[p] * a + [!p] * b`; adjacent parts are `++`",
                    ),
                    _ => remark,
                };
                remark.help(format!(
                    "if only the pattern of `{name}` matters, multiply by an operand that has it: `P[..] * e`, with ones in `P`, iterates over the entries of `P`"
                ))
            }
            NotSparsified::BlockMismatch(cuts) => {
                let splits: String = cuts.iter().map(|Cut(index, size)| format!("split {index} by {size}; ")).collect();
                warning!(E0419, span, "the sparse operand `{name}` is traversed densely: each element is searched for")
                    .note(format!("because `{name}` stores blocks, and the loops iterate over elements"))
                    .help(format!("split the loops into its blocks first: `{splits}sparsify`"))
            }
            NotSparsified::IndirectIndex => warning!(E0419, span, "every element of `{name}` is looked for, also those that it does not store")
                .note(format!("because an index at which `{name}` is read is an element of an array, and several places of the result may be one of `{name}`"))
                .help(format!("where that array `q` is a permutation, pass its inverse `p` and write `sum l < M {{ [p[l] == j] * {name}[i, l] }}` in place of `{name}[i, q[j]]`: that goes over what is stored")),
            NotSparsified::DiscordantOrder(sought) => {
                let Sought { index, of, loops } = sought;
                let every = match (&index, &of) {
                    (None, Some(of)) => format!("entry of `{of}`"),
                    (index, _) => format!("`{}`", index.as_deref().unwrap_or_default()),
                };
                let what = of.as_ref().map_or(every.clone(), |of| format!("the index that it shares with `{of}`"));
                let remark = warning!(E0419, span, "the sparse operand `{name}` is traversed completely for every {every}").note(format!(
                    "because {what} is not the first level of `{name}`, and is searched below each coordinate of the first"
                ));
                let remark = match other_order(param) {
                    Some(format) => remark.help(format!("declare `{name}` in the other order, as `{format}`: a file is packed into that format when it is read")),
                    None => remark.help(format!("declare `{name}` in a format whose first level is the searched index")),
                };
                let remark = match is_repackable(param) {
                    true => remark.help(format!(
                        "or let each call make such a copy for the reads that search: `repack {name}[i, j] as T;` before `sparsify`, with the indices of such a read"
                    )),
                    false => remark,
                };
                match (of, loops) {
                    (None, _) => remark.help(format!("or store the result in the order of `{name}`")),
                    (_, Some((range, row))) => remark.help(format!(
                        "otherwise `reorder {range}, {row}` after `sparsify` intersects both, which may be faster, but still visits all pairs"
                    )),
                    _ => remark,
                }
            }
        }
    }
}

/// Is it in one of the formats that `repack` copies?
fn is_repackable(param: &SparseParam) -> bool {
    ["csr", "csc"].iter().any(|name| Format::parse(name, 2).is_ok_and(|format| format == param.format))
}

/// The named format of matrices that stores them in the other order.
fn other_order(param: &SparseParam) -> Option<&'static str> {
    let axes = param.format.reshape().axes();
    match (param.ty.shape.len(), axes.first()?) {
        (2, Axis::Dimension(0)) => Some("csc"),
        (2, Axis::Dimension(1)) => Some("csr"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use atl_diag::Diagnostic;
    use atl_session::Program;

    /// The program under these steps, and what is remarked on.
    fn remarks(function: &str, steps: &str) -> (String, Vec<Diagnostic>) {
        let text = format!("{function} schedule s of f {{ rounding real; {steps} }}");
        let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let lowered = program.scheduled("f", Some("s")).and_then(|f| f.lower());
        let lowered = lowered.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let remarks = crate::performance_warnings(&lowered);
        (text, remarks)
    }

    /// What is remarked on under these steps: a part of the message, and of the reason.
    fn check(function: &str, steps: &str, expected: &[(&str, &str)]) {
        let (text, remarks) = remarks(function, steps);
        assert_eq!(remarks.len(), expected.len(), "{remarks:?}\n{text}");
        for (remark, (what, why)) in remarks.iter().zip(expected) {
            assert_eq!(remark.code.as_str(), "E0419");
            let notes = format!("{:?}", remark.notes);
            assert!(remark.message.contains(what) && notes.contains(why), "{remark:?}\n{text}");
            assert!(!remark.help.is_empty(), "{remark:?}\n{text}");
        }
    }

    /// A function of a matrix, and of others beside it, that stores its result by rows.
    fn matrix(format: &str, others: &str, element: &str) -> String {
        format!(
            "fn f(A: f64[N, M] as {format}{others}) -> f64[N, M] as csr {{ gen i < N, j < M {{ {element} }} }}"
        )
    }

    #[test]
    fn loops_over_what_is_stored_are_not_remarked_on() {
        let vector = |format: &str, x: &str| {
            format!(
                "fn f(A: f64[N, M] as {format}, x: f64[M]{x}) -> f64[N] {{ gen i < N {{ sum j < M {{ A[i, j] * x[j] }} }} }}"
            )
        };
        for format in ["csr", "dcsr", "coo", "bitmask"] {
            check(&vector(format, ""), "sparsify;", &[]);
            check(&vector(format, " as coo"), "sparsify;", &[]);
        }
        check(&vector("[dense, hash(8)]", ""), "sparsify;", &[]);
        // A row of the result is looked for, once, and not an element.
        check(&vector("coo", ""), "sparsify; gather pA1 as i;", &[]);
        check(&matrix("csr", ", B: f64[N, M] as dcsr", "A[i, j] * B[i, j]"), "sparsify;", &[]);
        check(&matrix("coo", ", B: f64[N, M] as coo", "A[i, j] * B[i, j]"), "sparsify;", &[]);
        check("fn f(A: f64[N, N] as csr) -> f64[N] { gen i < N { A[i, i] } }", "sparsify;", &[]);
        check(&matrix("csr", ", P: f64[N, M] as csr", "P[i, j] * max(0.0, A[i, j])"), "sparsify P, A;", &[]);
    }

    /// What meets two others is searched once the search for the first stands where it is carried out.
    #[test]
    fn three_operands_that_meet_in_pairs_need_no_array() {
        let triangles = |format: &str, other: &str| {
            format!(
                "fn f(r: f64[A, B] as {format}, s: f64[B, C] as {other}, t: f64[A, C] as {format}) -> f64
                    {{ sum a < A, b < B, c < C {{ r[a, b] * s[b, c] * t[a, c] }} }}"
            )
        };
        for (format, other) in [("csr", "csr"), ("dcsr", "dcsr"), ("csr", "dcsr"), ("dcsr", "csr")] {
            check(&triangles(format, other), "sparsify;", &[]);
        }
    }

    #[test]
    fn choices_by_a_condition_on_indices() {
        let beside = |element: &str| {
            format!(
                "fn f(A: f64[M, N] as csr, B: f64[M, K] as csr) -> f64[M, N + K] as csr
                    {{ gen i < M, j < N + K {{ {element} }} }}"
            )
        };
        let every = ["`A`", "`B`"].map(|_| ("is traversed densely", "a choice between values"));
        check(&beside("select(j < N, A[i, j], B[i, j - N])"), "sparsify;", &every);
        let above = "fn f(A: f64[N, N] as csr) -> f64[N, N] as csr { gen i < N, j < N { select(i < j, A[i, j], 0.0) } }";
        check(above, "sparsify;", &[("`A` is traversed densely", "a choice between values")]);
        // What the help says.
        check(&beside("[j < N] * A[i, j] + [N <= j] * B[i, j - N]"), "sparsify;", &[]);
        let above =
            "fn f(A: f64[N, N] as csr) -> f64[N, N] as csr { gen i < N, j < N { [i < j] * A[i, j] } }";
        check(above, "sparsify;", &[]);
    }

    #[test]
    fn functions_that_may_not_be_zero_where_an_operand_is_are() {
        let every = "`A` is traversed densely";
        check(&matrix("csr", "", "max(0.0, A[i, j])"), "sparsify;", &[(every, "a maximum")]);
        check(&matrix("dcsr", "", "abs(A[i, j])"), "sparsify;", &[(every, "does not know whether")]);
        check(
            &matrix("csr", ", x: f64[N]", "A[i, j] / x[i]"),
            "sparsify;",
            &[(every, "a quotient need not")],
        );
        check(&matrix("csr", ", x: f64[N]", "x[i] / A[i, j]"), "sparsify;", &[(every, "a quotient by it")]);
        let chosen = "select(x[i] > 0.0, A[i, j] / x[i], 1.0)";
        check(&matrix("csr", ", x: f64[N]", chosen), "sparsify;", &[(every, "a choice")]);
        let compared = "select(A[i, j] > 0.0, x[i], 1.0)";
        check(&matrix("csr", ", x: f64[N]", compared), "sparsify;", &[(every, "a comparison with it")]);
        let largest = "fn f(A: f64[N, M] as csr) -> f64[N] { gen i < N { max j < M { A[i, j] } } }";
        check(largest, "sparsify;", &[(every, "a reduction other than")]);
        let vector = "fn f(A: f64[N] as coo) -> f64[N] { gen i < N { exp(A[i]) } }";
        check(vector, "sparsify;", &[(every, "does not know whether")]);
    }

    /// A part of the first help.
    fn check_help(element: &str, expected: &str) {
        let (text, remarks) = remarks(&matrix("csr", ", x: f64[N]", element), "sparsify;");
        let help = remarks.first().map(|remark| format!("{:?}", remark.help)).unwrap_or_default();
        assert!(help.contains(expected), "{help}\n{text}");
    }

    #[test]
    fn what_helps_depends_on_where_an_operand_stands() {
        check_help("A[i, j] / x[i]", "by the reciprocal");
        check_help("x[i] / A[i, j]", "if only the pattern of `A` matters");
        check_help("select(A[i, j] > 0.0, x[i], 1.0)", "if only the pattern of `A` matters");
        check_help("select(x[i] > 0.0, A[i, j] / x[i], 0.0)", "choose a factor");
        check(&matrix("csr", ", x: f64[N]", "select(x[i] > 0.0, 1.0, 0.0) * A[i, j]"), "sparsify;", &[]);
        check(&matrix("csr", ", x: f64[N]", "A[i, j] * (1 / x[i])"), "sparsify;", &[]);
    }

    #[test]
    fn a_copy_is_proposed_of_what_repack_copies() {
        let product = |format: &str| {
            format!(
                "fn f(A: f64[N, M] as {format}) -> f64[N, N] {{ gen i < N, j < N {{ sum k < M {{ A[i, k] * A[j, k] }} }} }}"
            )
        };
        let proposes = |format: &str| {
            let (text, remarks) = remarks(&product(format), "sparsify;");
            assert!(!remarks.is_empty(), "{text}");
            format!("{remarks:?}").contains("`repack A[i, j] as T;` before `sparsify`")
        };
        assert!(proposes("csr"));
        assert!(!proposes("dcsr"));
        // What the help says.
        check(&product("csr"), "repack A[j, k] as T; sparsify;", &[]);
    }

    #[test]
    fn elements_that_an_array_names_are_looked_for() {
        let read = |at: &str| {
            format!(
                "fn f(A: f64[N, N] as csr, q: i32[N]) -> f64[N, N] as csr where all i < N {{ 0 <= q[i] < N }}
                    {{ gen i < N, j < N {{ {at} }} }}"
            )
        };
        let every = [("every element of `A` is looked for", "is an element of an array")];
        check(&read("A[i, q[j]]"), "sparsify;", &every);
        check(&read("A[q[i], q[j]]"), "sparsify;", &every);
        let vector = "fn f(x: f64[N] as coo, q: i32[M]) -> f64[M] where all i < M { 0 <= q[i] < N } { gen j < M { x[q[j]] } }";
        check(vector, "sparsify;", &[("every element of `x`", "is an element of an array")]);
        // What the help says, and a row that an array names.
        check(&read("sum l < N { [q[l] == j] * A[i, l] }"), "sparsify;", &[]);
        check(&read("A[q[i], j]"), "sparsify;", &[]);
    }

    #[test]
    fn results_that_are_put_in_order_by_all_of_their_places() {
        let pairs = |element: &str| {
            format!(
                "fn f(A: f64[M, N] as csr, B: f64[K, L] as csr) -> f64[M, K, N, L] as csf
                    {{ gen i < M, k < K, j < N, l < L {{ {element} }} }}"
            )
        };
        let product = pairs("A[i, j] * B[k, l]");
        let elements = [("every element of the result is looked at for every `i`", "array of all elements")];
        check(&product, "sparsify;", &elements);
        check(
            &product,
            "sparsify B, A;",
            &[("every row of the result is looked at for every `k`", "counted and sorted")],
        );
        let sum = "fn f(A: f64[N, N] as csr, B: f64[K, K] as csr) -> f64[N, K, N, K] as csf
            { gen i < N, k < K, j < N, l < K { [k == l] * A[i, j] + [i == j] * B[k, l] } }";
        check(sum, "sparsify;", &[("every row of the result", "counted and sorted")]);
        // What the help says.
        check(&product, "sparsify; reorder k, pA2;", &[]);
        let flat = "fn f(A: f64[N, N] as csr, B: f64[K, K] as csr) -> f64[N, K, N * K] as csf
            { gen i < N, k < K { flatten(gen j < N, l < K { [k == l] * A[i, j] + [i == j] * B[k, l] }) } }";
        check(flat, "sparsify;", &[]);
        // Entries that are counted once by rows that are stored anyway.
        check(
            "fn f(A: f64[N, M] as csc) -> f64[N, M] as csr { gen i < N, j < M { A[i, j] } }",
            "sparsify;",
            &[],
        );
    }

    #[test]
    fn operands_that_are_stored_by_another_index_than_the_one_they_are_searched_for() {
        let product = |a: &str, b: &str| {
            format!(
                "fn f(A: f64[N, M] as {a}, B: f64[M, K] as {b}) -> f64[N, K] as csr
                    {{ gen i < N, k < K {{ sum j < M {{ A[i, j] * B[j, k] }} }} }}"
            )
        };
        let crossed = [(
            "`B` is traversed completely for every entry of `A`",
            "that it shares with `A` is not the first",
        )];
        for (a, b) in [("csr", "csc"), ("csr", "dcsc"), ("coo", "csc"), ("dcsr", "dcsc"), ("ell(4)", "csc")] {
            check(&product(a, b), "sparsify;", &crossed);
        }
        let in_blocks = [("`B` is traversed completely for every `i`", crossed[0].1)];
        check(&product("bcsr(2, 2)", "csc"), "split i by 2; split j by 2; sparsify;", &in_blocks);
        for (a, b) in [("csr", "csr"), ("csc", "csc"), ("csc", "csr"), ("dcsc", "dcsc"), ("coo", "coo")] {
            check(&product(a, b), "sparsify;", &[]);
        }
        let itself =
            "fn f(A: f64[N, M] as csr) -> f64[N, N] { gen i < N, k < N { sum j < M { A[i, j] * A[k, j] } } }";
        check(
            itself,
            "sparsify;",
            &[("`A` is traversed completely for every entry of `A`", "not the first")],
        );

        let columns = "fn f(A: f64[N, M] as csc) -> f64[M, M] as csc { gen i < M, k < M { sum j < N { A[j, i] * A[j, k] } } }";
        check(columns, "sparsify;", &[("`A` is traversed completely for every `i`", "not the first")]);
        let both = matrix("csc", ", B: f64[N, M] as csc", "A[i, j] + B[i, j]");
        let end_to_end = |name| (name, "`i` is not the first");
        check(
            &both,
            "sparsify;",
            &["`A` is traversed completely for every `i`", "`B` is traversed"].map(end_to_end),
        );
        check(&both.replace("-> f64[N, M] as csr", "-> f64[N, M] as csc"), "sparsify;", &[]);
    }

    /// A search in one row for what another row has is that of a merge; so is one below a coordinate that
    /// some operand has in any case.
    #[test]
    fn searches_below_what_is_gone_over_anyway_are_not_remarked_on() {
        check(&matrix("ell(4)", ", B: f64[N, M] as csr", "A[i, j] * B[i, j]"), "sparsify;", &[]);
        check(&matrix("csr", ", B: f64[N, M] as csr", "A[i, j] * B[i, j]"), "split i by 4; sparsify;", &[]);
        let sampled = |p: &str| {
            format!(
                "fn f(P: f64[N, K] as {p}, A: f64[N, M] as csr, B: f64[M, K] as csc) -> f64[N, K]
                    {{ gen i < N, k < K {{ P[i, k] * sum j < M {{ A[i, j] * B[j, k] }} }} }}"
            )
        };
        ["csr", "coo", "bitmask"].iter().for_each(|p| check(&sampled(p), "sparsify;", &[]));
        let vector = "fn f(A: f64[N, M] as csr, x: f64[M] as coo) -> f64[N] { gen i < N { sum j < M { A[i, j] * x[j] } } }";
        check(vector, "sparsify;", &[]);
        check(vector, "sparsify x, A;", &[]);
    }

    #[test]
    fn blocks_of_loops_that_are_not_cut() {
        let vector = |format: &str| {
            format!(
                "fn f(A: f64[N, M] as {format}, x: f64[M]) -> f64[N] {{ gen i < N {{ sum j < M {{ A[i, j] * x[j] }} }} }}"
            )
        };
        let every = [("`A` is traversed densely", "stores blocks")];
        check(&vector("bcsr(4, 2)"), "sparsify;", &every);
        check(&vector("bcsr(4, 2)"), "split i by 4; sparsify;", &every);
        check(&vector("bcsr(4, 2)"), "split i by 4; split j by 2; sparsify;", &[]);
        let (_, remarks) = remarks(&vector("bcsr(4, 2)"), "sparsify;");
        assert!(format!("{remarks:?}").contains("`split i by 4; split j by 2; sparsify`"), "{remarks:?}");
    }

    #[test]
    fn operands_that_become_arrays_are_unless_that_was_asked_for() {
        let product = "fn f(A: f64[N, M] as csr, B: f64[N, M] as csc) -> f64[N, M] as csr
            { gen i < N, j < M { A[i, j] * B[i, j] } }";
        let short = "fn f(A: f64[N, M] as ell(4), B: f64[N, M] as ell(4)) -> f64[N, M]
            { gen i < N, j < M { A[i, j] * B[i, j] } }";
        check(short, "sparsify;", &[("`B` is copied to a dense workspace", "it shares an index")]);
        let masked = matrix("csr", ", m: bool[N, M] as csr", "[m[i, j]] * A[i, j]");
        check(
            &masked,
            "sparsify;",
            &[("`m` is copied to a dense workspace", "a condition or an index reads it")],
        );
        check(short, "sparsify by workspace;", &[]);
        let itself =
            "fn f(A: f64[N, M] as coo) -> f64[N, N] { gen i < N, k < N { sum j < M { A[i, j] * A[k, j] } } }";
        check(itself, "sparsify;", &[("`A` is copied to a dense workspace", "it shares an index")]);
        // A name with a number may be an operand's own.
        let numbered = "fn f(A: f64[N, M] as coo, A_2: f64[N, M] as coo) -> f64[N, N]
            { gen i < N, k < N { sum j < M { A[i, j] * A_2[k, j] } } }";
        check(numbered, "sparsify;", &[("`A_2` is copied to a dense workspace", "it shares an index")]);
        check(product, "", &[]);
    }
}
