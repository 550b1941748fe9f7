//! Monoids and semirings of tuples with claims that hold, and with claims that do not.

use super::{TupleClaims, refused_tuples};
use atl_arith::Arith;
use atl_diag::{Diagnostic, FileId, Span};
use atl_kernel::{Entry, Expr, Laws, Node};
use atl_lang::{NoImports, elaborate};
use std::sync::Arc;

/// Operations on elements with these fields, as in a program.
pub(super) struct Text {
    fields: &'static str,
    zero: &'static str,
    add: &'static str,
    product: Option<(&'static str, &'static str)>,
}

pub(super) fn monoid(fields: &'static str, zero: &'static str, add: &'static str) -> Text {
    Text { fields, zero, add, product: None }
}

/// Each part of what ends in several, with the `let`s around.
fn parts(body: &Expr) -> Vec<Expr> {
    match &**body {
        Node::Bundle(_, parts) => parts.clone(),
        Node::Let(label, bound, inner) => {
            let around = |part| Arc::new(Node::Let(label.clone(), bound.clone(), part));
            parts(inner).into_iter().map(around).collect()
        }
        _ => vec![body.clone()],
    }
}

/// The code, the title and the notes of a refusal; empty if all is proved.
fn refusal(claims: &TupleClaims) -> String {
    let refused = refused_tuples(claims, Span::default());
    let text = |refusal: Diagnostic| format!("{:?} {} {:?}", refusal.code, refusal.message, refusal.notes);
    refused.map_or_else(String::new, text)
}

impl Text {
    pub(super) fn claims(&self, laws: Laws) -> TupleClaims {
        let of = self.fields;
        let of = if of.contains(',') { format!("({of})") } else { of.replace("x: ", "") };
        let product = self.product.map(|(one, mul)| {
            format!("fn one() -> {of} {{ {one} }} fn mul(a: {of}, b: {of}) -> {of} {{ {mul} }}")
        });
        let text = format!(
            "fn zero() -> {of} {{ {} }} fn add(a: {of}, b: {of}) -> {of} {{ {} }} {}",
            self.zero,
            self.add,
            product.unwrap_or_default()
        );
        let parse = atl_syntax::parse_file(FileId(0), &text);
        let (module, diagnostics) = elaborate(&parse.tree, &mut NoImports, &mut Arith::new());
        assert!(
            parse.diagnostics.is_empty() && diagnostics.is_empty(),
            "{text} {:?} {diagnostics:?}",
            parse.diagnostics
        );
        let part = |name| module.function(name).map(|function| parts(&function.body));
        let add = module.function("add").expect("the sum is a function");
        let mut fields: Vec<_> = add
            .ctx
            .entries()
            .filter_map(|entry| match entry {
                Entry::Tensor(_, ty) => Some(ty.elem),
                _ => None,
            })
            .collect();
        fields.truncate(fields.len() / 2);
        TupleClaims {
            name: "it".to_owned(),
            fields,
            zero: part("zero").expect("the zero is a function"),
            one: part("one"),
            add: part("add").expect("the sum is a function"),
            mul: part("mul"),
            laws,
        }
    }

    fn refusal(&self, laws: Laws) -> String {
        refusal(&self.claims(laws))
    }

    fn proved(&self, laws: Laws) {
        assert_eq!(self.refusal(laws), "", "{}", self.add);
    }

    fn unknown(&self, laws: Laws) {
        let refusal = self.refusal(laws);
        assert!(refusal.starts_with("E0417"), "{}: {refusal}", self.add);
    }

    fn refuted(&self, laws: Laws, note: &str) {
        let refusal = self.refusal(laws);
        assert!(refusal.starts_with("E0416") && refusal.contains(note), "{}: {refusal}", self.add);
    }
}

const MONOID: Laws = Laws::ADD_MONOID;
const COMMUTATIVE: Laws = Laws::ADD_COMM_MONOID;
const IDEMPOTENT: Laws = COMMUTATIVE.and(Laws::ADD_IDEM);

#[test]
fn choices_are_decided() {
    let first = monoid("v: f64, i: i32", "(inf, -1)", "select(b.v < a.v, b, a)");
    first.proved(Laws::ADD_ASSOC.and(Laws::ADD_0_R).and(Laws::ADD_IDEM));
    first.refuted(Laws::ADD_COMM, "a = (0, 0), b = (0, 1)");
    // Elements that are infinite have places, too.
    first.refuted(MONOID, "`0 + a = a`: where a = (inf, ");
    let first = monoid("v: f64, i: i32", "(inf, -1)", "select(b.v < a.v || b.v == a.v && a.i == -1, b, a)");
    first.proved(MONOID.and(Laws::ADD_IDEM));
    first.refuted(COMMUTATIVE, "add_comm");
    let least =
        monoid("v: f32, i: i32", "(inf, 2147483647)", "select(b.v < a.v || (b.v == a.v && b.i < a.i), b, a)");
    least.proved(IDEMPOTENT);
    let wrong = monoid("v: f32, i: i32", "(inf, 0)", "select(b.v < a.v || (b.v == a.v && b.i < a.i), b, a)");
    wrong.refuted(MONOID, "0 + a = a");
    // Without its zero, minus infinity is an element of what only chooses.
    let greatest = monoid("x: f64", "0", "select(a > b, a, b)");
    greatest.refuted(MONOID, "where a = -");
    let greatest = monoid("x: f64", "-1e30", "max(a, b)");
    greatest.refuted(MONOID, "where a = -inf");
    greatest.proved(Laws::ADD_ASSOC.and(Laws::ADD_COMM).and(Laws::ADD_IDEM));
    let lexicographic = monoid(
        "cost: f64, length: f64",
        "(inf, inf)",
        "select(b.cost < a.cost || (b.cost == a.cost && b.length < a.length), b, a)",
    );
    lexicographic.proved(IDEMPOTENT);
}

#[test]
fn top_two_are_decided() {
    let add = "(min(a.first, b.first), min(max(a.first, b.first), min(a.second, b.second)))";
    let two = monoid("first: f64, second: f64", "(inf, inf)", add);
    two.proved(COMMUTATIVE);
    two.refuted(Laws::ADD_IDEM, "");
    let add = "(min(a.first, b.first), min(max(a.first, b.first), a.second))";
    monoid("first: f64, second: f64", "(inf, inf)", add).refuted(COMMUTATIVE, "");
}

/// The two greatest numbers with their places, of equal ones the least.
const TWO_WITH_PLACES: &str = "let f = b.v > a.v || b.v == a.v && b.i < a.i; let s = b.w > a.w || b.w == a.w && b.k < a.k; \
                     let lv = select(f, a.v, b.v); let li = select(f, a.i, b.i); \
                     let sv = select(s, b.w, a.w); let sk = select(s, b.k, a.k); \
                     let t = sv > lv || sv == lv && sk < li; \
                     (select(f, b.v, a.v), select(f, b.i, a.i), select(t, sv, lv), select(t, sk, li))";

#[test]
fn top_two_with_their_places_are_decided() {
    let fields = "v: f64, i: i64, w: f64, k: i64";
    let zero = "(-inf, 9223372036854775807, -inf, 9223372036854775807)";
    let two = monoid(fields, zero, TWO_WITH_PLACES);
    two.proved(COMMUTATIVE);
    two.refuted(IDEMPOTENT, "a + a = a");
    // Of equal ones the later place, in one comparison.
    let wrong = TWO_WITH_PLACES.replace("b.k < a.k", "b.k > a.k");
    monoid(fields, zero, String::leak(wrong)).refuted(COMMUTATIVE, "");
    monoid(fields, "(-inf, -1, -inf, -1)", TWO_WITH_PLACES).refuted(MONOID, "");
}

/// The three least numbers of two times three in order.
const THREE: &str = "let m = max(a.x, b.x); let u = min(a.y, b.y); let v = max(a.y, b.y); \
                     (min(a.x, b.x), min(m, u), min(max(m, u), min(v, min(a.z, b.z))))";

#[test]
fn minima_and_bits_are_decided_by_two_values() {
    let three = monoid("x: f64, y: f64, z: f64", "(inf, inf, inf)", THREE);
    three.proved(COMMUTATIVE);
    three.refuted(COMMUTATIVE.and(Laws::ADD_IDEM), "a + a = a");
    let wrong = THREE.replace("min(v,", "max(v,");
    monoid("x: f64, y: f64, z: f64", "(inf, inf, inf)", String::leak(wrong)).refuted(COMMUTATIVE, "");
    monoid("x: i32", "0", "a ^ b").proved(COMMUTATIVE);
    monoid("x: i32", "0", "a ^ b").refuted(IDEMPOTENT, "a + a = a");
    monoid("x: u8", "255", "~(~a | ~b)").proved(IDEMPOTENT);
    monoid("x: i8", "-1", "a & b").proved(IDEMPOTENT);
    monoid("x: i8", "1", "a & b").refuted(COMMUTATIVE, "0 + a = a");
    monoid("keep: bool, x: u16", "(true, 0)", "(a.keep && b.keep, select(a.keep, a.x | b.x, a.x))")
        .refuted(Laws::ADD_COMM, "");
    let numbers = semiring(("x: u32", "0", "a ^ b"), "4294967295", "a & b");
    numbers.proved(Laws::COMM_SEMIRING);
    numbers.refuted(Laws::COMM_SEMIRING.and(Laws::ADD_IDEM), "add_idem");
    semiring(("x: u32", "0", "a ^ b"), "1", "a & b").refuted(SEMIRING, "mul_1_l");
    semiring(("x: i64", "9223372036854775807", "min(a, b)"), "-9223372036854775808", "max(a, b)")
        .proved(Laws::COMM_SEMIRING.and(Laws::ADD_IDEM));
}

#[test]
fn softmax_is_decided() {
    let guarded = |otherwise: &str| {
        let add = format!(
            "let m = max(a.m, b.m); (m, select(m == -inf, {otherwise}, a.s * exp(a.m - m) + b.s * exp(b.m - m)))"
        );
        monoid("m: f64, s: f64", "(-inf, 0)", String::leak(add))
    };
    let online = guarded("a.s + b.s");
    online.proved(COMMUTATIVE);
    online.refuted(Laws::ADD_IDEM, "a + a = a");
    // What is summed where all are minus infinity is lost.
    guarded("0").refuted(MONOID, "where a = (-inf, 1)");
    guarded("0").proved(Laws::ADD_COMM.and(Laws::ADD_ASSOC));
    let unguarded = "let m = max(a.m, b.m); (m, a.s * exp(a.m - m) + b.s * exp(b.m - m))";
    monoid("m: f64, s: f64", "(-inf, 0)", unguarded).refuted(MONOID, "an infinity minus an infinity");
    let wrong =
        "let m = max(a.m, b.m); (m, select(m == -inf, a.s + b.s, a.s * exp(a.m - m) + b.s * exp(m - b.m)))";
    monoid("m: f64, s: f64", "(-inf, 0)", wrong).refuted(MONOID, "");
    let row = "let m = max(a.m, b.m); let x = select(m == -inf, 1, exp(a.m - m)); let y = select(m == -inf, 1, exp(b.m - m)); \
               (m, a.s * x + b.s * y, a.o * x + b.o * y)";
    monoid("m: f64, s: f64, o: f64", "(-inf, 0, 0)", row).proved(COMMUTATIVE);
}

#[test]
fn logarithms_of_sums_are_decided() {
    let add = "let m = max(a, b); select(m == -inf, m, m + log(exp(a - m) + exp(b - m)))";
    monoid("x: f64", "-inf", add).proved(COMMUTATIVE);
    monoid("x: f64", "-inf", add).refuted(Laws::ADD_IDEM, "a + a = a");
    let add = "let m = max(a, b); select(m == -inf, m, m + log1p(exp(-abs(a - b))))";
    monoid("x: f64", "-inf", add).proved(COMMUTATIVE);
    let add = "let m = max(a, b); select(m == -inf, m, m + log1p(exp(min(a, b) - 2 * m)))";
    monoid("x: f64", "-inf", add).refuted(MONOID, "");
}

#[test]
fn moments_are_decided() {
    let sum = "let n = a.n + b.n; let d = b.mean - a.mean; (n, a.mean + d * b.n / n, a.m2 + b.m2 + d * d * a.n * b.n / n)";
    let welford = |add: String| monoid("n: f64, mean: f64, m2: f64", "(0, 0, 0)", String::leak(add));
    welford(sum.to_owned()).refuted(MONOID, "a quotient by zero");
    // Of opposite counts, everything is lost.
    let guarded =
        sum.replace("(n, a.mean", "select(n == 0, (0, a.mean + b.mean, a.m2 + b.m2), (n, a.mean") + ")";
    welford(guarded).refuted(MONOID, "(-1, ");
    // Elements without a positive count are added by field, and lost beside others.
    let positive = sum.replace("(n, a.mean", "select(a.n > 0 && b.n > 0, (n, a.mean")
        + ", select(a.n > 0, a, select(b.n > 0, b, (n, a.mean + b.mean, a.m2 + b.m2))))";
    welford(positive.clone()).proved(COMMUTATIVE);
    welford(positive.replace("d * d", "d")).refuted(COMMUTATIVE, "");
    welford(positive).refuted(Laws::ADD_IDEM, "");
}

#[test]
fn polynomials_are_decided() {
    let complex =
        monoid("re: f64, im: f64", "(1, 0)", "(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)");
    complex.proved(COMMUTATIVE);
    complex.refuted(Laws::ADD_IDEM, "");
    let matrices = monoid(
        "p: f64, q: f64, r: f64, s: f64",
        "(1, 0, 0, 1)",
        "(a.p * b.p + a.q * b.r, a.p * b.q + a.q * b.s, a.r * b.p + a.s * b.r, a.r * b.q + a.s * b.s)",
    );
    matrices.proved(MONOID);
    matrices.refuted(COMMUTATIVE, "add_comm");
    let integers = monoid("p: i8, q: i8", "(1, 0)", "(a.p * b.p, a.p * b.q + a.q * b.p)");
    integers.proved(COMMUTATIVE);
    let segmented =
        monoid("flag: bool, s: f64", "(false, 0)", "(a.flag || b.flag, select(b.flag, b.s, a.s + b.s))");
    segmented.proved(MONOID);
    segmented.refuted(COMMUTATIVE, "add_comm");
    monoid("x: f64", "0", "(a + b) / 2").refuted(Laws::ADD_ASSOC, "");
    let paths = monoid(
        "cost: f64, paths: i64",
        "(inf, 0)",
        "select(a.cost < b.cost, a, select(b.cost < a.cost, b, (a.cost, a.paths + b.paths)))",
    );
    paths.proved(COMMUTATIVE);
    paths.refuted(Laws::ADD_IDEM, "");
}

#[test]
fn integers_wrap() {
    // It is the sum that wraps, which nothing says here.
    monoid("x: i8", "0", "max(i8(-128), min(i8(127), a + b))").unknown(COMMUTATIVE);
    let saturating = "i8(max(-128, min(127, i32(a) + i32(b))))";
    monoid("x: i8", "0", saturating).refuted(Laws::ADD_ASSOC, "127");
    monoid("x: i64", "1", "a * b % 7").refuted(Laws::ADD_ASSOC, "");
    monoid("x: u8", "0", "min(a, 255 - b) + b").proved(COMMUTATIVE);
}

const SEMIRING: Laws = Laws::COMM_SEMIRING.minus(Laws::MUL_COMM);

fn semiring(of: (&'static str, &'static str, &'static str), one: &'static str, mul: &'static str) -> Text {
    Text { product: Some((one, mul)), ..monoid(of.0, of.1, of.2) }
}

#[test]
fn semirings_are_decided() {
    let pairs = |one, mul| semiring(("p: f64, r: f64", "(0, 0)", "(a.p + b.p, a.r + b.r)"), one, mul);
    let expectation = pairs("(1, 0)", "(a.p * b.p, a.p * b.r + a.r * b.p)");
    expectation.proved(Laws::COMM_SEMIRING);
    expectation.refuted(SEMIRING.and(Laws::ADD_IDEM), "add_idem");
    pairs("(1, 0)", "(a.p * b.p - a.r * b.r, a.p * b.r + a.r * b.p)").proved(Laws::COMM_SEMIRING);
    pairs("(1, 0)", "(a.p * b.p, a.p * b.r + a.r)").refuted(SEMIRING, "");
    pairs("(1, 1)", "(a.p * b.p, a.r * b.r)").proved(Laws::COMM_SEMIRING);
    let matrices = semiring(
        ("p: f64, q: f64, r: f64, s: f64", "(0, 0, 0, 0)", "(a.p + b.p, a.q + b.q, a.r + b.r, a.s + b.s)"),
        "(1, 0, 0, 1)",
        "(a.p * b.p + a.q * b.r, a.p * b.q + a.q * b.s, a.r * b.p + a.s * b.r, a.r * b.q + a.s * b.s)",
    );
    matrices.proved(SEMIRING);
    matrices.refuted(Laws::COMM_SEMIRING, "mul_comm");
    let logarithms = "let m = max(a, b); select(m == -inf, m, m + log(exp(a - m) + exp(b - m)))";
    semiring(("x: f64", "-inf", logarithms), "0", "a + b").proved(Laws::COMM_SEMIRING);
    // Ends that are not among the fields' numbers.
    pairs("(inf, 0)", "(min(a.p, b.p), a.r * b.r)").refuted(SEMIRING, "");
}

#[test]
fn paths_are_decided() {
    let least = "select(b.cost < a.cost || (b.cost == a.cost && b.pred < a.pred), b, a)";
    let follows = "(a.cost + b.cost, select(b.pred >= 0, b.pred, a.pred))";
    let predecessors = semiring(("cost: f64, pred: i32", "(inf, 2147483647)", least), "(0, -1)", follows);
    predecessors.refuted(Laws::DISTR_L, "`a * (b + c) = a * b + a * c`: where a = ");
    predecessors.proved(COMMUTATIVE);
    let counts = "select(a.cost < b.cost, a, select(b.cost < a.cost, b, (a.cost, a.paths + b.paths)))";
    let number = semiring(
        ("cost: f64, paths: i64", "(inf, 0)", counts),
        "(0, 1)",
        "(a.cost + b.cost, a.paths * b.paths)",
    );
    number.proved(COMMUTATIVE.and(Laws::MUL_ASSOC).and(Laws::MUL_1_L).and(Laws::MUL_COMM));
    // Where there is no path, a number of paths is no zero.
    number.refuted(SEMIRING, "inf");
    let longer = "select(b.cost < a.cost || (b.cost == a.cost && b.length < a.length), b, a)";
    let lengths = semiring(
        ("cost: f64, length: f64", "(inf, inf)", longer),
        "(0, 0)",
        "(a.cost + b.cost, a.length + b.length)",
    );
    lengths.proved(COMMUTATIVE.and(Laws::MUL_ASSOC).and(Laws::MUL_COMM));
    lengths.refuted(Laws::COMM_SEMIRING, "inf");
}

/// Laws of integers, and of what only chooses, are believed of the machine's numbers, whatever rounds.
#[test]
fn what_rounds_is_not_believed() {
    monoid("x: i64", "0", "select(f32(b) < f32(a), b, a)").unknown(Laws::ADD_COMM);
    monoid("x: i64", "0", "select(b < a, b, a)").proved(Laws::ADD_COMM);
    monoid("x: f32", "inf", "select(f32(0.1) == f32(0.10000000001), a, min(a, b))").unknown(Laws::ADD_COMM);
    monoid("x: f64", "inf", "select(f64(0.1) == f64(0.10000000001), a, min(a, b))").proved(COMMUTATIVE);
    monoid("x: f64", "inf - 1", "min(a, b)").unknown(COMMUTATIVE);
    // Only the sums choose, so only they have infinities on both ends.
    let lengths = |add| semiring(("x: f64", "inf", add), "0", "a + b");
    lengths("min(a, b)").proved(Laws::COMM_SEMIRING.and(Laws::ADD_IDEM));
    lengths("select(a == -inf, inf, min(a, b))").refuted(Laws::COMM_SEMIRING, "-inf");
}

/// Fields are looked at one by one, so sixteen are no harder than one each.
#[test]
fn fields_are_independent() {
    let of = |each: &dyn Fn(usize) -> String| {
        let fields: Vec<_> = (0..16).map(each).collect();
        &*String::leak(fields.join(", "))
    };
    let tuple = |each: &dyn Fn(usize) -> String| &*String::leak(format!("({})", of(each)));
    let fields = of(&|k| format!("f{k}: {}", ["f64", "bool"][k % 2]));
    let zero = tuple(&|k| ["inf", "false"][k % 2].to_owned());
    let add = tuple(&|k| [format!("min(a.f{k}, b.f{k})"), format!("a.f{k} || b.f{k}")][k % 2].clone());
    monoid(fields, zero, add).proved(IDEMPOTENT);
}

#[test]
fn what_is_not_known_is_refused() {
    monoid("x: f64", "0", "a + sin(b)").refuted(Laws::ADD_0_L, "");
    monoid("x: f64", "0", "b + 0 * sin(a)").unknown(Laws::ADD_0_L);
    monoid("x: f64", "1", "a * b + 0 * sqrt(abs(a))").unknown(Laws::ADD_ASSOC);
    monoid("x: i32", "0", "a / 2 * 0 + b").unknown(Laws::ADD_0_L);
    // There is a zero, and it is not among the elements.
    monoid("x: f64", "log(f64(0))", "a + b").unknown(Laws::ADD_ASSOC);
    // It holds, and its proof has more ways than the limit allows.
    let three = String::leak(THREE.replace("a.z", "(a.z + 0)"));
    let three = monoid("x: f64, y: f64, z: f64", "(inf, inf, inf)", three);
    assert!(three.refusal(COMMUTATIVE).contains("its cases are more than are looked at"));
    // Only at one number it fails.
    monoid("x: i64", "0", "select(a == 123456789, b, a + b)").refuted(Laws::ADD_COMM, "123456789");
    monoid("x: i64", "0", "select(a * a == 15241578750190521, b, a + b)").unknown(Laws::ADD_COMM);
    monoid("x: f64", "0", "select(a * a == 15241578750190521, b, a + b)").unknown(Laws::ADD_COMM);
    let mut claims = monoid("x: f64", "0", "a + b").claims(COMMUTATIVE.and(Laws::MUL_COMM));
    assert!(refusal(&claims).starts_with("E0417"));
    claims.laws = COMMUTATIVE;
    claims.fields[0].algebra = &atl_semirings::instances::MIN_PLUS;
    assert!(refusal(&claims).starts_with("E0417"));
}
