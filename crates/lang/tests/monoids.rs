//! What a module keeps of monoids and of semirings on tuples: terms of scalars, and the laws that they claim.

use atl_arith::Arith;
use atl_diag::{Diagnostic, FileId};
use atl_kernel::{Ctx, Expr, Label, Laws, Monoid, Scalar, Type};
use atl_lang::print::{self, Options};
use atl_lang::{Module, NoImports, elaborate};

fn elaborated(text: &str) -> (Module, Vec<Diagnostic>) {
    let parse = atl_syntax::parse_file(FileId(0), text);
    assert!(parse.diagnostics.is_empty(), "{text}\n{:?}", parse.diagnostics);
    elaborate(&parse.tree, &mut NoImports, &mut Arith::new())
}

fn accepted(text: &str) -> Module {
    let (module, diagnostics) = elaborated(text);
    assert!(diagnostics.is_empty(), "{text}\n{diagnostics:?}");
    module
}

/// The neutral element and the formula, of `a0`, `a1`, … and `b0`, `b1`, …
fn shown(monoid: &Monoid) -> (Vec<String>, Vec<String>) {
    let mut ctx = Ctx::new();
    for side in ["a", "b"] {
        for (k, elem) in monoid.fields().iter().enumerate() {
            ctx.push_tensor(Label::new(&format!("{side}{k}")), Type { elem: *elem, shape: Vec::new() });
        }
    }
    let show = |ctx: &Ctx, e: &Expr| print::print(ctx, e, None, Options::default());
    (
        monoid.zero().iter().map(|e| show(&Ctx::new(), e)).collect(),
        monoid.formulas().map(|e| show(&ctx, e)).collect(),
    )
}

const LEAST: &str = "monoid least on (v: f64, i: i32) { zero (inf, -1); \
    add select(b.v < a.v || b.v == a.v && b.i < a.i, b, a); laws associative, commutative, idempotent; }";

#[test]
fn what_is_claimed_is_kept_with_its_terms() {
    let module = accepted(LEAST);
    let [least] = &module.monoids[..] else { panic!("{:?}", module.monoids) };
    let (sum, where_claimed) = (&least.sum, &LEAST[least.claims.range()]);
    assert_eq!(
        (sum.name(), sum.laws(), least.product.is_none()),
        ("least", Laws::ADD_COMM_MONOID.and(Laws::ADD_IDEM), true)
    );
    assert_eq!(where_claimed, "associative, commutative, idempotent");
    let scalars: Vec<_> = sum.fields().iter().map(|elem| elem.scalar).collect();
    assert_eq!(scalars, [Scalar::F64, Scalar::I32]);
    let (zero, formula) = shown(sum);
    assert_eq!(zero, ["f64(inf)", "i32(-1)"]);
    let choice = |a: &str, b: &str| format!("select(b0 < a0 || b0 == a0 && b1 < a1, {b}, {a})");
    assert_eq!(formula, [choice("a0", "b0"), choice("a1", "b1")]);
}

#[test]
fn what_a_formula_binds_is_in_each_of_its_terms_and_constants_are_what_they_mean() {
    let module = accepted(
        "const P: i64 = 7;\nmonoid affine on (m: i64, c: i64) { zero (1, 0); \
         add (let m = a.m * b.m; (m % P, (b.m * a.c + b.c) % P)); laws associative; }",
    );
    let affine = &module.monoids[0].sum;
    assert_eq!(affine.laws(), Laws::ADD_MONOID);
    let formula = shown(affine).1;
    assert_eq!(formula[0], "let m = a0 * b0;\nm % 7");
    assert_eq!(formula[1], "let m = a0 * b0;\n(b0 * a1 + b1) % 7");
}

#[test]
fn a_semiring_on_tuples_has_two_operations() {
    let module = accepted(
        "semiring expect on (p: f64, r: f64) { zero (0, 0); one (1, 0); add (a.p + b.p, a.r + b.r); \
         mul (a.p * b.p, a.p * b.r + a.r * b.p); laws commutative; }",
    );
    let expect = &module.monoids[0];
    let product = expect.product.as_ref().expect("a product");
    assert_eq!(
        (expect.sum.laws(), product.laws()),
        (Laws::ADD_COMM_MONOID, Laws::ADD_MONOID.and(Laws::ADD_COMM))
    );
    assert_eq!((expect.sum.name(), product.name()), ("expect", "expect.mul"));
    assert_eq!(
        shown(product),
        (
            vec!["f64(1)".to_owned(), "f64(0)".to_owned()],
            vec!["a0 * b0".to_owned(), "a0 * b1 + a1 * b0".to_owned()]
        )
    );
    assert_eq!(expect.operations().count(), 2);
}

#[test]
fn nothing_is_kept_of_what_claims_nothing() {
    let text = "monoid m on (v: f64, i: i32) { zero (0, 0); add (a.v + b.v, a.i + b.i); }";
    assert!(accepted(text).monoids.is_empty());
}

#[test]
fn claims_that_there_are_not_are_refused() {
    let refused = |text: &str, part: &str| {
        let (module, diagnostics) = elaborated(text);
        let [refusal] = &diagnostics[..] else { panic!("{text}: {diagnostics:?}") };
        assert!(refusal.is_error() && refusal.message.contains(part), "{text}: {refusal:?}");
        assert!(module.monoids.is_empty(), "{text}");
    };
    let least = |laws| LEAST.replace("associative, commutative, idempotent", laws);
    refused(&least("distributive"), "there is no law `distributive` to claim");
    refused(
        "semiring s on (p: f64, r: f64) { zero (0, 0); one (1, 1); add (a.p + b.p, a.r + b.r); \
         mul (a.p * b.p, a.r * b.r); laws associative; }",
        "there is no law `associative` to claim",
    );
}

/// A sum in a monoid shows what is wrong with it, once.
#[test]
fn a_formula_that_is_wrong_is_refused_once() {
    let wrong = "monoid m on (v: f64, i: i32) { zero (0, 0); add (a.v + b.i, a.i + b.i); laws associative; }";
    let used = "fn f(x: f64[N]) -> (f64, i32) { sum i < N in m { (x[i], i32(i)) } }";
    for text in [wrong.to_owned(), format!("{wrong}\n{used}")] {
        let (_, diagnostics) = elaborated(&text);
        assert_eq!(diagnostics.iter().filter(|d| d.is_error()).count(), 1, "{text}: {diagnostics:?}");
    }
}
