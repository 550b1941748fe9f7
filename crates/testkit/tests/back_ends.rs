//! What back ends and terms that no text gives may do wrong, and how it is reported.

use atl_driver::backends::{Backend, Options, Run, RunAt, TABLE, Target};
use atl_driver::{BufferView, CallError, Compile, Failure, Program, Scheduled};
use atl_kernel::{Algebra, Elem, Expr, Ix, Label, Laws, Node, Number, Prim, Scalar, Var};
use atl_testkit::array::Array;
use atl_testkit::oracle::{Arguments, agree};
use atl_testkit::suite::embedded;
use std::sync::Arc;

const PROGRAM: &str = "fn f(x: f32[N], k: size) -> f32[N] { gen i < N { x[i] + 1.0 } }";

fn scheduled() -> Scheduled {
    let program = Program::parse("f.atl", PROGRAM).unwrap_or_else(|e| panic!("{e}"));
    program.scheduled("f", None).unwrap_or_else(|e| panic!("{e}"))
}

/// It is refused, with this code alone.
fn refused<T>(result: Result<T, Failure>, code: &str) {
    match result {
        Ok(_) => panic!("accepted, and {code} was expected"),
        Err(failure) => assert_eq!(failure.codes(), [code], "{failure}"),
    }
}

static ABSENT: Backend = Backend {
    name: "absent",
    summary: "not on this machine",
    unavailable: || Some("there is none".to_owned()),
    compile: |_, _| Err("it was asked all the same".to_owned()),
};

static BROKEN: Backend = Backend {
    name: "broken",
    summary: "refuses every kernel",
    unavailable: || None,
    compile: |_, _| Err("it is out of order".to_owned()),
};

#[test]
fn back_ends_that_cannot_compile() {
    let lowered = scheduled().lower().unwrap_or_else(|e| panic!("{e}"));
    refused(lowered.compile(&ABSENT, Options::default()), "E0602");
    refused(lowered.compile(&BROKEN, Options::default()), "E0603");
}

/// A kernel that always fails like this.
#[derive(Clone)]
struct Failing(CallError);

impl Run for Failing {
    fn at(&self, _: &[i64]) -> Result<Arc<dyn RunAt>, CallError> {
        Ok(Arc::new(self.clone()))
    }
}

impl RunAt for Failing {
    fn run(&self, _: &[BufferView<'_>], _: Target<'_>) -> Result<(), CallError> {
        Err(self.0.clone())
    }
}

static STOPPED: Backend = Backend {
    name: "stopped",
    summary: "stops while it runs",
    unavailable: || None,
    compile: |_, _| Ok(Box::new(Failing(CallError::Backend("an index was too large".to_owned())))),
};

static FULL: Backend = Backend {
    name: "full",
    summary: "finds no memory",
    unavailable: || None,
    compile: |_, _| Ok(Box::new(Failing(CallError::NoMemory))),
};

#[test]
fn kernels_that_fail() {
    let lowered = scheduled().lower().unwrap_or_else(|e| panic!("{e}"));
    for (backend, code) in [(&STOPPED, "E0607"), (&FULL, "E0605")] {
        let kernel = lowered.compile(backend, Options::default()).unwrap_or_else(|e| panic!("{e}"));
        let x = BufferView::from_slice(&[1.0f32, 2.0], &[2]).expect("two elements");
        refused(kernel.call(&[("x", x)], &[("k", 1)]).dense(), code);
    }
}

#[test]
fn loops_that_do_not_run_need_no_memory() {
    let text = "fn f(x: f32[N], k: size) -> f32[N] { gen i < N { let t = gen j < k { x[i] }; sum j < k { t[j] * t[j] } } }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let lowered = program.scheduled("f", None).and_then(|f| f.lower()).unwrap_or_else(|e| panic!("{e}"));
    for backend in TABLE.iter().filter(|backend| (backend.unavailable)().is_none()) {
        let kernel = lowered.compile(backend, Options::default()).unwrap_or_else(|e| panic!("{e}"));
        let call = |x: &[f32]| {
            let x = BufferView::from_slice(x, &[x.len()]).expect("a vector");
            kernel.call(&[("x", x)], &[("k", 1 << 45)]).dense()
        };
        assert!(call(&[]).is_ok(), "{}", backend.name);
        assert!(backend.name == "interp" || call(&[1.0]).is_err(), "{}", backend.name);
    }
}

/// The sides of a condition on the lane are far apart: their difference leaves 64 bits, and they do not.
#[test]
fn conditions_on_lanes_hold_for_every_size() {
    const FAR: i64 = i64::MAX;
    let check = |text: &str, sizes: &[(&str, i64)], inputs: &[&str], expected: &[f32]| {
        let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let lowered = program
            .scheduled("f", Some("s"))
            .and_then(|f| f.lower())
            .unwrap_or_else(|e| panic!("{e}\n{text}"));
        let ones: Vec<f32> = (1..13u8).map(f32::from).collect();
        for backend in TABLE.iter().filter(|backend| (backend.unavailable)().is_none()) {
            let kernel = lowered.compile(backend, Options::default()).unwrap_or_else(|e| panic!("{e}"));
            let inputs = inputs
                .iter()
                .map(|name| (*name, BufferView::from_slice(&ones, &[ones.len()]).expect("a vector")));
            let inputs: Vec<_> = inputs.collect();
            let found = kernel
                .call(&inputs, sizes)
                .dense()
                .unwrap_or_else(|e| panic!("{}: {e}\n{text}", backend.name));
            let found = found.as_array::<f32>().expect("floats");
            assert_eq!(found.iter().copied().collect::<Vec<f32>>(), expected, "{}\n{text}", backend.name);
        }
    };
    let numbers: Vec<f32> = (1..13u8).map(f32::from).collect();
    check(
        "fn f(a: f32[N]) -> f32[N] { gen j < N { [j <= 9223372036854775807] * a[j] } }
         schedule s of f { vectorize j by 8; }",
        &[],
        &["a"],
        &numbers,
    );
    check(
        "fn f(a: f32[N], K: size) -> f32[N] { gen j < N { [j <= K] * a[j] } }
         schedule s of f { vectorize j by 8; }",
        &[("K", FAR)],
        &["a"],
        &numbers,
    );
    check(
        "fn f(x: f32[N], P: size, K: size, L: size) -> f32[P] where P <= N && K - L <= P {
             trunc_r(N - P, gen j < N { [j < K - L] * x[j] })
         }
         schedule s of f { vectorize j by 8; }",
        &[("P", 3), ("K", 0), ("L", FAR)],
        &["x"],
        &[0.0; 3],
    );
    check(
        "fn f(b: f32[P], x: f32[N], K: size, L: size) -> f32[N] where K - L <= P {
             gen j < N { [j < K - L] * b[j] }
         }
         schedule s of f { vectorize j by 8; }",
        &[("K", 0), ("L", FAR)],
        &["b", "x"],
        &[0.0; 12],
    );
}

/// The program with another body, which elaboration would not make.
fn with_body(make: impl FnOnce(&Expr, Ix) -> Expr) -> Scheduled {
    let mut scheduled = scheduled();
    let f = &mut scheduled.function;
    let x: Expr = Arc::new(Node::Var(Var::Free(f.params[0].level)));
    let k = f.sizes.iter().find(|s| s.name == "k").map(|s| Ix::free(s.level));
    f.body = make(&x, k.expect("the function has this size"));
    scheduled
}

#[test]
fn an_operator_that_is_not_applied_as_it_requires() {
    // `k` may be 0.
    let tiles = with_body(|x, k| atl_ops::split(k, x.clone()));
    refused(tiles.lower(), "E0402");
}

/// An algebra that no semiring gives a meaning.
static FOREIGN: Algebra =
    Algebra { name: "foreign", scalars: &Scalar::ALL, laws: Laws::NONE, formula: false };

#[test]
fn a_program_in_an_algebra_without_operations() {
    let elem = Elem { scalar: Scalar::F32, algebra: &FOREIGN };
    let one: Expr = Arc::new(Node::Lit(elem, Number::One));
    let two: Expr = Arc::new(Node::Prim(Prim::Add, vec![one.clone(), one]));
    let foreign = with_body(|_, k| Arc::new(Node::Gen(Label::new("i"), k, two)));
    refused(foreign.lower(), "E0608");
}

/// What begins as 0 and gets -0 is 0, and -0 with a sum of nothing, or of -0, is -0: of equal zeros the first
/// counts.
#[test]
fn sums_with_what_is_added_before_them_keep_the_sign_of_zero() {
    let bodies = [
        "(gen i < 3 { s }) + (sum k < N { gen i < 3 { x[k] } })",
        "[0 < N] * (gen i < 3 { s }) + (sum k < N { gen i < 3 { x[k] } })",
        "(sum k < N { gen i < 3 { x[k] } }) + (gen i < 3 { s })",
        "gen i < 3 { s + (sum k < N { x[k] }) }",
        "sum j < 2 { (gen i < 3 { s }) + (sum k < N { gen i < 3 { x[k] } }) }",
    ];
    let parse = |text: &str| Array::parse(Scalar::F32, text).unwrap_or_else(|e| panic!("{e}"));
    for (body, elem) in
        bodies.iter().flat_map(|body| ["max_times<f32>", "min_plus<f32>", "f32"].map(|elem| (body, elem)))
    {
        let text = format!("fn f(x: {elem}[N], s: {elem}) -> {elem}[3] {{ {body} }}");
        let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        for schedule in ["none", "auto"] {
            let lowered = program.scheduled("f", Some(schedule)).and_then(|f| f.lower());
            let lowered = lowered.unwrap_or_else(|e| panic!("{e}\n{text}"));
            for (x, s) in
                [("[-0.0]", "-0.0"), ("[] of [0]", "-0.0"), ("[-0.0, 0.0, 2.0]", "-0.0"), ("[-0.0]", "0.0")]
            {
                let arrays = vec![("x".to_owned(), parse(x)), ("s".to_owned(), parse(s))];
                let arguments = Arguments { sizes: vec![], arrays };
                agree(&lowered, &embedded(), &arguments).unwrap_or_else(|why| panic!("{text}\n{why:?}"));
            }
        }
    }
}
