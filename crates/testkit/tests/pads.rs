//! Pad types are right: at every place of random programs, as written and under random schedules, what is called
//! padding is zero whatever the inputs are, and what a truncation drops is called padding.

use atl_arith::{Arith, eval_ix, eval_pred};
use atl_check::check_term;
use atl_check::pads::{Typed, pads};
use atl_driver::{Program, Scheduled};
use atl_kernel::{Elem, Ix, Node, Number, Pred, type_of};
use atl_testkit::array::Array;
use atl_testkit::choices::Choices;
use atl_testkit::oracle::Point;
use atl_testkit::programs::program;
use atl_testkit::schedules::random;
use std::sync::Arc;

/// At most so many elements of a term are looked at.
const ELEMENTS: usize = 4096;

/// How much was compared.
#[derive(Default, Debug)]
struct Counts {
    /// Elements called padding.
    padding: usize,
    /// Elements dropped by truncations of what is stored.
    dropped: usize,
}

/// Every index within these extents.
fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<i64>> {
    let shape = shape.to_vec();
    (0..shape.iter().product::<usize>()).map(move |mut cell| {
        let mut index = Vec::new();
        for n in shape.iter().rev() {
            index.insert(0, i64::try_from(cell % n).unwrap_or_default());
            cell /= n;
        }
        index
    })
}

/// The value of an index variable, at a point and an index within a term's box.
fn value(typed: &Typed, point: &Point, index: &[i64], level: u32) -> Option<i64> {
    let own = typed.pads.index.iter().position(|l| *l == level);
    own.map_or_else(|| point.index(level), |k| index.get(k).copied())
}

fn is_padding(typed: &Typed, point: &Point, index: &[i64]) -> bool {
    eval_pred(&typed.pads.padded, &|level| value(typed, point, index, level)) == Some(true)
}

/// The zero of an element type, as a false guard leaves it.
fn zero(point: &Point, elem: Elem) -> Result<Array, String> {
    point.machine(&Arc::new(Node::Lit(elem, Number::Zero)))
}

/// What is called padding of this term is zero at a random point.
fn padding_is_zero(typed: &Typed, point: &Point, counts: &mut Counts) -> Result<(), String> {
    let ty = type_of(&typed.ctx, &typed.expr, &mut Arith::new()).map_err(|e| format!("{e:?}"))?;
    let (found, zero) = (point.machine(&typed.expr)?, zero(point, ty.elem)?);
    for (index, element) in indices(&found.shape).zip(&found.data).take(ELEMENTS) {
        if is_padding(typed, point, &index) {
            counts.padding += 1;
            if zero.data != [*element] {
                return Err(format!("{index:?} of {found} is called padding by {:?}", typed.pads.padded));
            }
        }
    }
    Ok(())
}

/// What a truncation of something that is stored drops is called padding.
fn dropped_is_padding(typed: &Typed, point: &Point, counts: &mut Counts) -> Result<(), String> {
    let (Node::Op(definition, ixs, _), [operand]) = (&*typed.expr, typed.parts.as_slice()) else {
        return Ok(());
    };
    let Some(op) = atl_ops::of(definition).filter(|op| op.drops) else { return Ok(()) };
    if matches!(*operand.expr, Node::Var(_) | Node::Get(..)) {
        // It is read, and nothing is dropped.
        return Ok(());
    }
    let extent = |n: &Ix| eval_ix(n, &|level| point.index(level)).and_then(|n| usize::try_from(n).ok());
    let shape: Option<Vec<usize>> = operand.pads.shape.iter().map(extent).collect();
    let named = op.tensor_params[0].len();
    for index in indices(&shape.ok_or("an operand without a shape")?).take(ELEMENTS) {
        let at: Vec<Ix> = index[..named].iter().map(|i| Ix::Lit(*i)).collect();
        let to = (op.scatter)(ixs, &operand.pads.shape[..named], &at, 0);
        let kept = to.iter().zip(&typed.pads.shape).map(|(i, n)| Pred::in_range(i, n));
        let kept = kept.fold(Pred::True, Pred::and);
        if eval_pred(&kept, &|level| point.index(level)) != Some(true) {
            counts.dropped += 1;
            if !is_padding(operand, point, &index) {
                return Err(format!(
                    "{index:?} is dropped by {} and not in {:?}",
                    op.name, operand.pads.padded
                ));
            }
        }
    }
    Ok(())
}

/// This term and its parts. What is `stored` has been checked for what truncations drop; what is read has not.
fn everywhere(typed: &Typed, stored: bool, choices: &mut Choices, counts: &mut Counts) -> Result<(), String> {
    let ctx = Arc::new(typed.ctx.clone());
    if let Some(point) = Point::random(&ctx, choices) {
        padding_is_zero(typed, &point, counts)?;
        if stored {
            dropped_is_padding(typed, &point, counts)?;
        }
    }
    for (k, part) in typed.parts.iter().enumerate() {
        let stored = match &*typed.expr {
            Node::Sum(..) => true,
            Node::Let(..) => stored || k == 0,
            Node::Get(..) | Node::Prim(..) | Node::View(..) => false,
            _ => stored,
        };
        everywhere(part, stored, choices, counts)?;
    }
    Ok(())
}

fn check(scheduled: &Scheduled, choices: &mut Choices, counts: &mut Counts) -> Result<(), String> {
    let (ctx, body) = (&scheduled.function.ctx, scheduled.body());
    if !check_term(ctx, body, &mut Arith::new()).is_ok() {
        return Ok(());
    }
    let typed = pads(ctx, body, &mut Arith::new()).map_err(|e| format!("{e:?}"))?;
    everywhere(&typed, true, choices, counts)
}

fn check_text(text: &str, choices: &mut Choices, counts: &mut Counts) -> Result<(), String> {
    let parsed = Program::parse("random.atl", text).map_err(|e| e.to_string())?;
    // A schedule may well leave a program that cannot be shown to be safe.
    parsed.all_scheduled().filter_map(Result::ok).try_for_each(|scheduled| check(&scheduled, choices, counts))
}

/// Sums of what is padded here in one iteration and there in another.
const SUMS: &[&str] = &[
    "fn f(x: i32[N], s: i32) -> i32[N] { sum k < 3 { gen i < N { [i < k] * s } } }",
    "fn f(x: i32[N], s: i32) -> i32[N] { sum k < 3 { gen i < N { [k < i] * s } } }",
    "fn f(x: i32[N], s: i32) -> i32[N] { sum k < N { gen i < N { [i == k] * s } } }",
    "fn f(x: i32[N], s: i32) -> i32[N] { sum k < N { gen i < N { [i != k] * s } } }",
    "fn f(x: i32[N], s: i32) -> i32[N, 4] { sum k < N { gen i < N, j < 4 { [i + k < j || j < k] * s } } }",
    "fn f(x: i32[N], s: i32) -> i32[4, N] { sum k < N, l < 2 { gen j < 4, i < N { [i < 2 * k + l && j < i] * s } } }",
    "fn f(x: i32[N], s: i32) -> i32[N + 3] { sum k < 4 { gen i < N + 3 { [k <= i && i < N + k] * s } } }",
    "fn f(x: i32[N], s: i32) -> i32[N] { sum k < N { gen i < N { select(i < k, zero, [k < 2] * s) } } }",
    "fn f(x: i32[N], s: i32) -> i32[N] { let t = sum k < 2 { gen i < N { [k <= i] * s } }; gen i < N { t[i] } }",
    "fn f(x: i32[N], s: i32) -> i32[2 * N] { sum k < 2 { flatten(gen i < N, j < 2 { [j == k && 0 < i] * s }) } }",
    "fn f(x: i32[N], s: i32) -> i32[N, 3] { sum k < N { transpose(gen j < 3, i < N { [j <= i - k] * s }) } }",
    "fn f(x: i32[N], s: i32) -> i32 { sum k < N { (gen i < N { [i < k] * s })[0] + (gen i < N { [k < i] * s })[k] } }",
];

#[test]
fn pads_of_sums() {
    let mut counts = Counts::default();
    for (k, text) in (0..).zip(SUMS) {
        for round in 0..20 {
            let mut choices = Choices::new(100 * k + round);
            if let Err(why) = check_text(text, &mut choices, &mut counts) {
                panic!("{text}\n{why}");
            }
        }
    }
    assert!(counts.padding > 1000, "{counts:?}");
}

#[test]
fn pads_of_random_programs() {
    let count: u64 = std::env::var("ATL_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(200);
    let mut counts = Counts::default();
    for seed in 0..count {
        let mut choices = Choices::new(seed);
        let text = program(&mut choices, u32::try_from(seed % 5).unwrap_or(0)).text;
        let parsed = Program::parse("random.atl", &text).unwrap_or_else(|e| panic!("{e}"));
        let made = random(&parsed.functions()[0], &mut choices, 8);
        let text = format!("{text}\n{}", made.text("f"));
        if let Err(why) = check_text(&text, &mut choices, &mut counts) {
            panic!("seed {seed}\n{text}\n{why}");
        }
    }
    assert!(counts.padding > 500 && counts.dropped > 50, "{counts:?}");
}

/// The padding of the subterms in the text of `--pads`, without their shapes.
fn check_shown(body: &str, steps: &str, expected: &[(&str, &str)]) {
    let text = format!("fn f(x: f32[N], a: f32[N, M]) -> {body}\nschedule s of f {{ {steps} }}\n");
    let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}"));
    let types = program.scheduled("f", Some("s")).and_then(|s| s.pads()).unwrap_or_else(|e| panic!("{e}"));
    let shown: Vec<_> = types.rows.iter().map(|row| (row.term.as_str(), row.padding.predicate())).collect();
    assert_eq!(shown, expected, "{}", types.to_text());
}

#[test]
fn obvious_padding_is_found() {
    check_shown("f32[N + 2] { pad_r(2, x) }", "", &[("pad_r(2)", "N <= i")]);
    check_shown("f32[N + 2] { pad_l(2, x) }", "", &[("pad_l(2)", "i < 2")]);
    check_shown("f32[N] { trunc_r(2, pad_r(2, x)) }", "", &[("trunc_r(2)", "false"), ("pad_r(2)", "N <= i")]);
    check_shown("f32[N] { x }", "", &[("x", "false")]);
    check_shown("f32[N] { gen i < N { 0 } }", "", &[("gen", "true")]);
    check_shown(
        "f32[M, N + 1] { transpose(pad_r(1, a)) }",
        "",
        &[("transpose", "N <= j"), ("pad_r(1)", "N <= i")],
    );
    check_shown(
        "f32[ceil_div(N, 4) * 4] { flatten(split(4, x)) }",
        "",
        &[("flatten", "N <= i"), ("split(4)", "N <= i * 4 + j")],
    );
    check_shown(
        "f32[N + 1 + (N + 2)] { pad_l(1, x) ++ pad_r(2, x) }",
        "",
        &[("concat", "i < 1 || N <= i - (N + 1)"), ("pad_l(1)", "i < 1"), ("pad_r(2)", "N <= i")],
    );
    check_shown(
        "f32[4, 2] where 1 <= N { shear(gen i < 3, j < 2 { x[0] }) }",
        "",
        &[("shear", "min(min(k + 1, 3), min(2, 4 - k)) <= l"), ("gen", "false")],
    );
}

#[test]
fn padding_of_schedules_is_found() {
    check_shown(
        "f32[N] { gen i < N { x[i] } }",
        "split i by 8;",
        &[
            ("trunc_r(ceil_div(N, 8) * 8 - N)", "false"),
            ("flatten", "N <= j"),
            ("gen", "N <= i.o * 8 + i.i"),
            ("[i.o * 8 + i.i < N]", "N <= i.o * 8 + i.i"),
        ],
    );
    // An empty sum is padding; a term of the last tile is, but not every term.
    check_shown(
        "f32[N] { gen i < N { sum k < M { a[i, k] } } }",
        "split k by 4;",
        &[
            ("gen", "(M + 3) / 4 <= 0"),
            ("sum k.o < ceil_div(M, 4)", "(M + 3) / 4 <= 0"),
            ("sum k.i < 4", "false"),
            ("[k.o * 4 + k.i < M]", "M <= k.o * 4 + k.i"),
        ],
    );
    // The window of the first tile begins before the first element.
    let window = "i.o * 8 - 1 + i < 0 || N <= i.o * 8 - 1 + i";
    check_shown(
        "f32[N] { let t = gen i < N { x[i] * x[i] }; gen i < N { t?[i - 1] + t[i] } }",
        "split i by 8; compute t at i.o;",
        &[
            ("trunc_r(ceil_div(N, 8) * 8 - N)", "false"),
            ("flatten", "N <= j"),
            ("gen", "N <= i.o * 8 + i.i"),
            ("let t", window),
            ("gen", window),
            ("[0 <= i.o * 8 - 1 + i < N]", window),
            ("gen", "N <= i.o * 8 + i.i"),
            ("[i.o * 8 + i.i < N]", "N <= i.o * 8 + i.i"),
            ("[0 <= i.o * 8 + i.i - 1 < N]", "i.o * 8 + i.i - 1 < 0"),
        ],
    );
}

/// Index terms double with each `flatten` of a `split` in other tiles; what grows too large is called no padding.
#[test]
fn long_chains_of_reshapes_are_typed() {
    let chain = (0..16).fold("pad_r(1, x)".to_owned(), |e, k| format!("flatten(split({}, {e}))", 2 + k % 3));
    let text = format!("fn f(x: f32[N]) -> f32 {{ ({chain})?[0] }}");
    let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}"));
    let types = program.scheduled("f", None).and_then(|s| s.pads()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(types.rows.len(), 34, "{}", types.to_text());
}

/// The example of the book: tiles of both dimensions, each with its window of the first stage.
#[test]
fn tiled_and_staged_blur_is_typed() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/blur.atl");
    let program = atl_driver::load(path).unwrap_or_else(|e| panic!("{e}"));
    let types =
        program.scheduled("blur", Some("tiled")).and_then(|s| s.pads()).unwrap_or_else(|e| panic!("{e}"));
    let of = |term: &str| {
        let row = types.rows.iter().find(|row| row.term == term);
        row.map(|row| row.padding.predicate()).unwrap_or_else(|| panic!("{}", types.to_text()))
    };
    assert_eq!(of("trunc_r(ceil_div(N, 64) * 64 - N)"), "false");
    assert_eq!(of("flatten"), "N <= i");
    assert_eq!(of("trunc_r(ceil_div(M, 64) * 64 - M)"), "N <= y.o * 64 + j");
    assert_eq!(of("let bx"), "y.o * 64 - 1 + y < 0 || N <= y.o * 64 - 1 + y || M <= x.o * 64 + x");
}
