//! Sparse operands that are gone over element by element, though a schedule says `sparsify`.
//!
//! **The one idea.** A product is zero where a factor is, so its loops are those over what the factor stores. Of `max(a, b)` or `a / b`
//! nothing says so: the loops over all elements stay, and in them each element is looked for. Or an operand meets another one where
//! neither can be searched, and is put into a dense array. Both are right, and may be slow without a word; so it is said, with the reason.

use crate::scheduled::Lowered;
use atl_arith::keys::equations;
use atl_diag::{Diagnostic, warning};
use atl_kernel::{Child, Expr, Ix, LoopKind, Node, Prim, Var, subst};
use atl_lang::SparseParam;
use atl_rules::lets::is_read_by_name;
use atl_rules::sparse::{is_placed, reads};
use std::collections::BTreeSet;

/// What became of an operand.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Whole {
    /// It is in an array of all its elements, for it meets another operand.
    Stored,
    /// It is in such an array, for a condition or an index reads it.
    Asked,
    /// Each of its elements is looked for, below an operation that need not be zero where they are.
    Sought(Below),
}

/// An operation, and which of its operands is looked at.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Below(Prim, Child);

impl Below {
    /// A dividend is a factor of the reciprocal; of nothing else is it known how to make it one.
    fn is_dividend(self) -> bool {
        self == Below(Prim::Div, Child::Arg(0))
    }

    /// What the operation is called.
    fn word(self) -> &'static str {
        match self {
            Below(Prim::Sub, _) => "a difference",
            Below(Prim::Div, Child::Arg(0)) => "a quotient",
            Below(Prim::Div, _) => "a quotient by it",
            Below(Prim::Min, _) => "a minimum",
            Below(Prim::Max, _) => "a maximum",
            Below(Prim::Eq | Prim::Lt | Prim::Le, _) => "what a comparison with it selects",
            Below(Prim::Where, _) => "a choice between values",
            _ => "a function of it",
        }
    }
}

impl Lowered {
    /// A warning for each operand that `sparsify` was to take, and of which all elements are gone over.
    pub(crate) fn whole_operands(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        let mut found: Vec<(&SparseParam, Whole)> = Vec::new();
        if self.sparsified.is_some() {
            let mut walk = Walk { of: self, around: Vec::new(), below: None, found: &mut found };
            walk.term(&self.body);
        }
        found.into_iter().map(|(param, whole)| self.remark(param, whole))
    }

    fn remark(&self, param: &SparseParam, whole: Whole) -> Diagnostic {
        let name = &param.name;
        let span = self.sparsified.unwrap_or(self.span);
        match whole {
            Whole::Stored => warning!(E0419, span, "`{name}` is put into an array of all its elements")
                .note("because it meets another operand at an index, and nothing shows that a search there finds what is sought")
                .help("store it in a format whose coordinates increase where they meet, such as `csr` or `csf`")
                .help("if the array is meant, say so: `sparsify by workspace`"),
            Whole::Asked => warning!(E0419, span, "`{name}` is put into an array of all its elements")
                .note("because it is read in a condition or an index, which asks for elements that are not stored, too")
                .help(format!("multiply by its elements instead, if they can have the type of what they select from: `{name}[..] * e`"))
                .help("if the array is meant, say so: `sparsify by workspace`"),
            Whole::Sought(below) => {
                let remark = warning!(E0419, span, "every element of `{name}` is looked for, also those that it does not store")
                    .note(format!("because {} is not known to be zero where `{name}` is", below.word()));
                let remark = match below {
                    Below(Prim::Div, Child::Arg(0)) => return remark.help(format!(
                        "`{name}` is divided: multiply it by the reciprocal, `{name}[..] * (1 / ..)`, which rounds twice"
                    )),
                    Below(Prim::Where, Child::Arg(1 | 2)) => remark.help(format!(
                        "where the other value is zero, choose a factor instead: `select(.., 1, 0) * {name}[..]`"
                    )),
                    _ => remark,
                };
                remark.help(format!(
                    "if only the places of `{name}` count, make an operand that has them a factor: `P[..] * e`, with ones in `P`, is gone over where `P` has entries"
                ))
            }
        }
    }
}

/// A walk through a term.
struct Walk<'l, 'f> {
    of: &'l Lowered,
    /// For each binder around, outermost first: the loops over all of an extent that decide its value, or none, if arrays do.
    around: Vec<Option<BTreeSet<usize>>>,
    /// The innermost operation around of which zero says nothing; a dividend only if there is no other.
    below: Option<Below>,
    found: &'f mut Vec<(&'l SparseParam, Whole)>,
}

impl<'l> Walk<'l, '_> {
    /// The level of the next binder.
    fn level(&self) -> u32 {
        self.of.function.ctx.level() + u32::try_from(self.around.len()).unwrap_or(u32::MAX / 2)
    }

    fn term(&mut self, e: &'_ Expr) {
        let before = self.below;
        match &**e {
            Node::Let(label, bound, body) if is_placed(bound) => {
                let param = self.of.function.sparse.iter().find(|param| *param.name == *label.name);
                let whole = if is_read_by_name(body) { Whole::Asked } else { Whole::Stored };
                param.into_iter().for_each(|param| self.keep(param, whole));
            }
            _ => {}
        }
        for at in e.children() {
            let Some(child) = e.child(at) else { continue };
            self.below = match &**e {
                Node::Prim(operation, _) => below(before, Below(*operation, at)),
                _ => before,
            };
            if e.binds(at) {
                let level = self.level();
                let child = subst::open(child, level);
                let decided = self.binder(e, &child, level);
                self.around.push(decided);
                self.term(&child);
                self.around.pop();
            } else if !(matches!(**e, Node::Let(..)) && at == Child::Bound && is_placed(child)) {
                self.term(child);
            }
        }
        self.below = before;
    }

    /// The loops over all of an extent that decide a binder's value, whose body is opened at this level.
    fn binder(&mut self, e: &Expr, body: &Expr, level: u32) -> Option<BTreeSet<usize>> {
        match &**e {
            Node::Sum(label, n, _) if label.kind == LoopKind::Search => {
                let Node::Guard(p, _) = &**body else { return None };
                let equation = equations(p, level).into_iter().next()?;
                let decided = self.loops(&[n, &equation.key, &equation.sought])?;
                let param = self.operand(&equation.key);
                let all = param.filter(|param| decided.len() >= param.ty.shape.len());
                if let (Some(param), Some(operation)) = (all, self.below) {
                    self.keep(param, Whole::Sought(operation));
                }
                Some(decided)
            }
            Node::Gen(_, n, _) | Node::Sum(_, n, _) => {
                (!reads(n)).then(|| BTreeSet::from([self.around.len()]))
            }
            _ => Some(BTreeSet::new()),
        }
    }

    /// The loops that decide these terms, if no array does.
    fn loops(&self, terms: &[&Ix]) -> Option<BTreeSet<usize>> {
        let mut decided = BTreeSet::new();
        let first = self.of.function.ctx.level();
        for (level, around) in (first..).zip(&self.around) {
            if terms.iter().any(|ix| ix.mentions(level)) {
                decided.extend(around.as_ref()?);
            }
        }
        Some(decided)
    }

    /// The operand of whose arrays a key is read.
    fn operand(&self, key: &Ix) -> Option<&'l SparseParam> {
        let function = &self.of.function;
        function.sparse.iter().find(|param| {
            let arrays = &function.params[param.arrays.clone()];
            arrays.iter().any(|array| reads_array(key, array.level))
        })
    }

    fn keep(&mut self, param: &'l SparseParam, whole: Whole) {
        if self.found.iter().all(|(other, _)| other.name != param.name) {
            self.found.push((param, whole));
        }
    }
}

/// What an operand of this operation is below, of what the operation itself is below.
fn below(around: Option<Below>, inner: Below) -> Option<Below> {
    match inner {
        Below(Prim::Add | Prim::Mul | Prim::Neg, _) => around,
        inner if inner.is_dividend() => around.or(Some(inner)),
        inner => Some(inner),
    }
}

/// Does the term read this array?
fn reads_array(ix: &Ix, array: u32) -> bool {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => false,
        Ix::Bin(_, ab) => reads_array(&ab.0, array) || reads_array(&ab.1, array),
        Ix::Read(read, at) => *read == Var::Free(array) || at.iter().any(|ix| reads_array(ix, array)),
    }
}

#[cfg(test)]
mod tests {
    use crate::Program;
    use atl_diag::Diagnostic;

    /// The program under these steps, and what is remarked on.
    fn remarks(function: &str, steps: &str) -> (String, Vec<Diagnostic>) {
        let text = format!("{function} schedule s of f {{ rounding real; {steps} }}");
        let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let lowered = program.scheduled("f", Some("s")).and_then(|f| f.lower());
        let remarks = lowered.unwrap_or_else(|e| panic!("{e}\n{text}")).remarks();
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

    #[test]
    fn functions_that_may_not_be_zero_where_an_operand_is_are() {
        let every = "every element of `A`";
        check(&matrix("csr", "", "max(0.0, A[i, j])"), "sparsify;", &[(every, "a maximum")]);
        check(&matrix("dcsr", "", "abs(A[i, j])"), "sparsify;", &[(every, "a function")]);
        check(&matrix("csr", ", x: f64[N]", "A[i, j] / x[i]"), "sparsify;", &[(every, "a quotient is")]);
        check(&matrix("csr", ", x: f64[N]", "x[i] / A[i, j]"), "sparsify;", &[(every, "a quotient by it")]);
        let chosen = "select(x[i] > 0.0, A[i, j] / x[i], 1.0)";
        check(&matrix("csr", ", x: f64[N]", chosen), "sparsify;", &[(every, "a choice")]);
        let compared = "select(A[i, j] > 0.0, x[i], 1.0)";
        check(&matrix("csr", ", x: f64[N]", compared), "sparsify;", &[(every, "a comparison with it")]);
        let vector = "fn f(A: f64[N] as coo) -> f64[N] { gen i < N { exp(A[i]) } }";
        check(vector, "sparsify;", &[(every, "a function")]);
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
        check_help("x[i] / A[i, j]", "if only the places of `A` count");
        check_help("select(A[i, j] > 0.0, x[i], 1.0)", "if only the places of `A` count");
        check_help("select(x[i] > 0.0, A[i, j] / x[i], 0.0)", "choose a factor");
        check(&matrix("csr", ", x: f64[N]", "select(x[i] > 0.0, 1.0, 0.0) * A[i, j]"), "sparsify;", &[]);
        check(&matrix("csr", ", x: f64[N]", "A[i, j] * (1 / x[i])"), "sparsify;", &[]);
    }

    #[test]
    fn operands_that_become_arrays_are_unless_that_was_asked_for() {
        let product = "fn f(A: f64[N, M] as csr, B: f64[N, M] as csc) -> f64[N, M] as csr
            { gen i < N, j < M { A[i, j] * B[i, j] } }";
        let short = "fn f(A: f64[N, M] as ell(4), B: f64[N, M] as ell(4)) -> f64[N, M]
            { gen i < N, j < M { A[i, j] * B[i, j] } }";
        check(short, "sparsify;", &[("`B` is put into an array", "it meets another operand")]);
        let masked = matrix("csr", ", m: bool[N, M] as csr", "[m[i, j]] * A[i, j]");
        check(&masked, "sparsify;", &[("`m` is put into an array", "it is read in a condition")]);
        check(short, "sparsify by workspace;", &[]);
        check(product, "", &[]);
    }
}
