//! Every rule of the catalogue tests itself: at every subterm of random programs where it applies, and at its own
//! example, both sides have one value in every algebra that has the laws it needs.

use atl_arith::Arith;
use atl_driver::Program;
use atl_kernel::{AlgebraRef, Elem, Expr, Ix, Label, Node, Pred, Rule, Thm};
use atl_rules::Cx;
use atl_rules::catalogue::Entry;
use atl_rules::schema::Direction;
use atl_testkit::choices::Choices;
use atl_testkit::oracle::{Point, replay};
use atl_testkit::programs::{ELEMENTS, program};
use atl_testkit::subterms::places;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How often each rule was applied, and how often both sides were compared.
type Counts = BTreeMap<&'static str, (u32, u32)>;

/// Programs that have the forms which random ones rarely have; `E` is the element type.
const FORMS: &[&str] = &[
    "fn f(x: E[N], s: E) -> E { sum i < N { [i == 2 && 1 <= N] * x[i] } }",
    "fn f(x: E[N], y: E[N]) -> E { sum i < N { x[i] + y[i] } }",
    "fn f(x: E[N], s: E) -> E { s * sum i < N { x[i] } }",
    "fn f(x: E[N], s: E) -> E { (sum i < N { x[i] }) * s }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { s * (x[i] + s) } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { (x[i] + s) * s } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { (x[i] * s) * s } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { (x[i] + s) + s } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { ([i < 2] * x[i]) * s } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { s * ([i < 2] * x[i]) } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { [i < 2] * [1 <= i] * x[i] } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { [i < 2] * (x[i] + s) } }",
    "fn f(x: E[N], s: E) -> E { [N < 3] * sum i < N { x[i] } }",
    "fn f(x: E[N], s: E) -> E { [N < 0] * s + s }",
    "fn f(x: E[N], s: E) -> E { s + [N < 0] * s }",
    "fn f(x: E[N], s: E) -> E { sum i < 1 { s + x?[i] } }",
    "fn f(x: E[N], s: E) -> E { sum i < 0 { s + x?[i] } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { [0 <= i] * x[i] } }",
    "fn f(x: E[N], s: E) -> E { sum i < N, j < 2 { x[i] * s } }",
    "fn f(x: E[N], s: E) -> E[2] { gen j < 2 { sum i < N { x[i] * s } } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { select(0 <= i, x[i], s) } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { select(i < 0, x[i], s) } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { (gen j < N { x[j] * s })[i] } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { ([i < 2] * x)[i] } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { (select(i < 2, x, gen j < N { s }))[i] } }",
    "fn f(x: E[N], a: E[M, N]) -> E[N] { gen i < N { (sum j < M { a[j] })[i] } }",
    "fn f(x: E[N], y: E[N]) -> E[N] { gen i < N { (x + y)[i] } }",
    "fn f(x: E[N], s: E) -> E { [N < 2] * sum i < N { [5 < N] * x[i] } }",
    "fn f(x: E[N], s: E) -> E[N] { [N < 3] * gen i < N { x[i] } }",
    "fn f(x: E[N], a: E[N, M]) -> E[N, M] { transpose(transpose(gen i < N, j < M { a[i, j] * x[i] })) }",
    "fn f(x: E[N], s: E) -> E[N] { let t = gen i < N { x[i] * s }; gen i < N { t[i] } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { [i < 2] * let t = x[i] + s; t * t } }",
    "fn f(x: E[N], s: E) -> E { sum i < N { let t = [i < 2] * x[i]; t + t * s } }",
    "fn f(x: E[N], s: E) -> E[N] { gen i < N { [i < 2] * x[i] + [2 <= i] * x[i] } }",
    "fn f(x: E[N], s: E) -> E { sum r < N { [N < 4 && N == r + 1] * (x[r] + s) } }",
    "fn f(x: E[N], a: E[N, M]) -> E[M, N] { gen j < M, i < N { transpose(a)[j, i] } }",
    "fn f(x: E[N], s: E) -> E[N + 2] { [N < 3] * pad_l(2, x) }",
    "fn f(x: E[N], at: i32[N]) -> E[N] { gen i < N { x?[at[i]] } }",
    "fn f(x: E[N], s: E) -> E { sum i < N + 1 { s + x?[i] } }",
    "fn f(x: E[N], s: E) -> E { iterate t < 0 from y = s { y * x?[t] } }",
    "fn f(x: E[N], s: E) -> E { iterate t < N + 1 from y = s, z = x { y * x?[t], gen i < N { y + z?[i + t] } } in y + z?[1] }",
    "fn f(x: E[N], s: E) -> E { iterate t < 3 from y = s, z = s { z + x?[t], y } in y }",
    "fn f(x: E[N], at: u8[N]) -> E[N] { gen i < N { (gen j < N { x?[at[j] + 1] })[i] } }",
    "fn f(x: E[N], at: i64[N]) -> E[N] { gen i < N { sum j < N { [j == at[i]] * x[j] } } }",
    "fn f(x: E[N], at: i32[N]) -> E[N] { gen i < N { sum j < min(at[i], 9) { x?[j] } } }",
    "fn f(x: E[N], at: i32[N]) -> E { sum i < N, j < 2 { x?[at[i] + j] } }",
    "fn f(x: E[N], at: i32[N]) -> E[N] { gen i < N { select(at[i] < 2, x[i], x?[at[i] - 1]) } }",
    "fn f(x: E[N], at: i32[N]) -> E[N] { let t = at; gen i < N { [0 < t[i]] * x?[t[i]] } }",
    "fn f(x: E[N], at: i32[N]) -> E[N] { let t = gen i < N { at[i] + 1 }; gen i < N { x?[t[i]] + x?[at[i]] } }",
];

/// Conversions between algebras, and products with one; of numbers only.
const NUMBER_FORMS: &[&str] = &[
    "fn f(x: f64[N], s: f64) -> f64 { max i < N { x[i] } }",
    "fn f(x: f64[N], s: f64) -> f64 { max i < N { max j < N { x[i] * x[j] } } }",
    "fn f(x: f64[N], s: f64) -> f64[N] { gen i < N { (max j < 2 { gen k < N { x[k] * s } })[i] } }",
    "fn f(x: f64[N], s: f64) -> f64 { 1.0 * s }",
    "fn f(x: f64[N], s: f64) -> f64 { s * 1.0 }",
    "fn f(s: f64) -> f64[3] { gen i < 3 { [i < 2] * 0.0 } }",
    "fn f(x: f64[N], s: f64) -> f64 { 0.0 + s }",
    "fn f(x: f64[N], s: f64) -> f64 { s + 0.0 }",
    "fn f(s: f64, N: size) -> f64[N] { gen i < N { s * sum j < N - 2 * i { 1.0 } } }",
    "fn f(s: f64, N: size) -> f64[N] { gen i < N { s * sum j < i + 1 { 1.0 } } }",
    "fn f(x: i32[N], y: u8[N, M]) -> i32[N, M] { gen i < N, j < M { x[i] + 3 * i32(y[i, j]) } }",
    "fn f(x: i64[N]) -> i64[N] { gen i < N { x[i] * (i64(i) + i64(2 * i)) * (i64(i) * i64(N - i)) } }",
    "fn f(x: i32[N]) -> i32[N] { gen i < N { [i < 100] * min(i32(i) - i32(7), -i32(i)) } }",
    "fn f(x: u8[N]) -> u8[N] { gen i < N { [i < 100] * (max(u8(i), u8(3)) / u8(2 * i) + u8(u16(300))) } }",
];

/// A rule that was applied so often is tried at few further places.
const OFTEN: u32 = 60;

/// The rules that `rw` takes, without most of those that were applied often.
fn due(choices: &mut Choices, counts: &Counts) -> Vec<&'static str> {
    let often = |name: &str| counts.get(name).is_some_and(|(applied, _)| *applied >= OFTEN);
    atl_rules::names().into_iter().filter(|name| !often(name) || choices.one_in(12)).collect()
}

/// What the rules prove of a place: these rules that `rw` takes, and the ones with terms as arguments.
fn proved(cx: &mut Cx<'_>, e: &Expr, names: &[&'static str]) -> Vec<(&'static str, Thm)> {
    let mut found = Vec::new();
    for name in names {
        let Some(rule) = atl_rules::by_name(name) else { continue };
        for args in some_arguments(rule.args().len()) {
            found.extend(rule.rewrite(cx, e, &args).map(|thm| (*name, thm)));
        }
        for args in some_arguments(rule.backwards_args().len()) {
            found.extend(rule.rewrite_backwards(cx, e, &args).map(|thm| (*name, thm)));
        }
    }
    let other = Arc::new(Node::Guard(Pred::False, e.clone()));
    let mut rules = vec![Rule::ArithEq(longer(e)), Rule::Absurd(other)];
    if let Node::Sum(_, n, _) = &**e {
        let (label, half) = (Label::new("p"), n.clone() / Ix::Lit(2));
        rules.extend([Ix::ZERO, Ix::ONE, half, n.clone()].map(Rule::SumSplit));
        let tiles = [(n.clone(), Ix::ONE), (Ix::ONE, n.clone()), (Ix::ZERO, Ix::Lit(5))];
        rules.extend(tiles.map(|(q, k)| Rule::SumTile(label.clone(), q, label.clone(), k)));
    }
    rules.extend([Rule::ReadIndex, Rule::LiteralIndex, Rule::IndexAdd, Rule::IndexMul, Rule::IndexPrim]);
    for rule in rules {
        let name = rule.name();
        found.extend(cx.rule(rule, e).map(|thm| (name, thm)));
    }
    // Programs have no words for this one.
    if let Ok(ty) = cx.type_of(e) {
        let same = Arc::new(Node::View(AlgebraRef(ty.elem.algebra), e.clone()));
        found.extend(cx.rule(Rule::ViewSame, &same).map(|thm| ("view_same", thm)));
    }
    found
}

/// A few lists of so many small arguments; one where there are none.
fn some_arguments(count: usize) -> Vec<Vec<Ix>> {
    let tries = if count == 0 { 1 } else { 3 };
    (1..=tries).map(|k| vec![Ix::Lit(k); count]).collect()
}

/// The term with its top index term or predicate spelt in a longer way.
fn longer(e: &Expr) -> Expr {
    let mut node = (**e).clone();
    let long = |i: &Ix| Ix::bin(atl_kernel::IxOp::Sub, i.clone() + Ix::ONE, Ix::ONE);
    match &mut node {
        Node::Gen(_, n, _) | Node::Sum(_, n, _) => *n = long(n),
        Node::Get(_, i) | Node::Index(_, i) => *i = long(i),
        Node::Guard(p, _) | Node::Select(p, ..) => *p = Pred::or(p.clone(), p.clone()),
        _ => {}
    }
    Arc::new(node)
}

/// Apply every rule everywhere in a program, and compare.
fn check(text: &str, choices: &mut Choices, counts: &mut Counts) {
    let program = Program::parse("rules.atl", text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let Some(f) = program.functions().first() else { return };
    let mut arith = Arith::default();
    for place in places(&f.ctx, &f.body, &mut arith) {
        let points: Vec<Point> = (0..3).filter_map(|_| Point::random(&place.ctx, choices)).collect();
        let names = due(choices, counts);
        for (name, thm) in proved(&mut Cx::new(place.ctx.clone(), &mut arith), &place.expr, &names) {
            let fail = |why: String| -> ! { panic!("`{name}` in\n{text}\nat {:?}\n{why}", place.path) };
            replay(&thm).unwrap_or_else(|why| fail(why));
            let count = counts.entry(name).or_default();
            count.0 += 1;
            for point in &points {
                point.theorem(&thm).unwrap_or_else(|why| fail(why));
                count.1 += 1;
            }
        }
    }
}

#[test]
fn both_sides_of_every_rule_have_one_value() {
    let mut choices = Choices::new(7);
    let mut counts = Counts::new();
    for (k, form) in FORMS.iter().enumerate() {
        // Every form over half of the algebras, every pair of neighbours over all.
        for elem in ELEMENTS.iter().skip(k % 2).step_by(2) {
            check(&form.replace('E', elem), &mut choices, &mut counts);
        }
    }
    for text in NUMBER_FORMS {
        check(text, &mut choices, &mut counts);
    }
    // Some sizes leave no point at which an example can be compared.
    for rule in atl_rules::rules::TABLE.iter().cycle().take(4 * atl_rules::rules::TABLE.len()) {
        check(rule.example.program, &mut choices, &mut counts);
    }
    for depth in (0..20).map(|k| k % 4) {
        let text = program(&mut choices, depth).text;
        check(&text, &mut choices, &mut counts);
    }
    let derived = atl_rules::rules::TABLE.iter().map(|rule| rule.name);
    // A contradictory context has no points to compare at; laws of monoids are compared in `atl-interp`'s tests.
    let tested = |name: &str| {
        if name == "monoid_law" {
            return true;
        }
        counts
            .get(name)
            .is_some_and(|(applied, compared)| *applied > 0 && (*compared > 0 || name == "absurd"))
    };
    let all = Rule::TABLE.iter().map(|info| info.name).chain(derived);
    let untested: Vec<_> = all.filter(|name| !tested(name)).collect();
    assert!(untested.is_empty(), "never compared: {untested:?}");
}

#[test]
fn examples_apply_with_their_arguments() {
    for rule in atl_rules::rules::TABLE {
        let program = Program::parse("example.atl", rule.example.program).unwrap_or_else(|e| panic!("{e}"));
        let f = &program.functions()[0];
        let args: Vec<Ix> = rule.example.args.iter().map(|k| Ix::Lit(*k)).collect();
        let mut arith = Arith::default();
        let places = places(&f.ctx, &f.body, &mut arith);
        let applies = places.iter().any(|place| {
            (rule.rewrite)(&mut Cx::new(place.ctx.clone(), &mut arith), &place.expr, &args).is_ok()
        });
        assert!(applies, "`{}` does not apply to its example", rule.name);
    }
}

/// The element type of this name.
fn element(name: &str) -> Elem {
    let text = format!("fn f(s: {name}) -> {name} {{ s }}");
    let program = Program::parse("element.atl", &text).unwrap_or_else(|e| panic!("{e}"));
    program.functions()[0].result.elem
}

/// A theorem of the catalogue at its own statement over an element type, this way.
fn stated(entry: &'static Entry, elem: Elem, direction: Direction) -> Result<Thm, atl_kernel::Error> {
    let (ctx, lhs, rhs) = entry.schema().over(elem);
    let from = if direction == Direction::Forwards { lhs } else { rhs };
    let sizes = &entry.schema().statement().sizes;
    let level = |name: &str| sizes.iter().find(|s| s.name == name).map(|s| Ix::free(s.level));
    let args: Vec<Ix> = entry.arguments(direction).iter().filter_map(|name| level(name)).collect();
    let mut arith = Arith::default();
    entry.rewrite(&mut Cx::new(ctx, &mut arith), &from, direction, &args)
}

#[test]
fn the_catalogue_holds_over_every_algebra_that_has_the_laws() {
    let mut choices = Choices::new(11);
    for entry in &atl_rules::catalogue::TABLE {
        let (mut proved, mut compared) = (0, 0);
        for elem in ELEMENTS.iter().map(|name| element(name)) {
            let (ctx, lhs, rhs) = entry.schema().over(elem);
            let points: Vec<Point> = (0..6).filter_map(|_| Point::random(&ctx, &mut choices)).collect();
            for direction in [Direction::Forwards, Direction::Backwards] {
                let fail =
                    |why: String| -> ! { panic!("`{}` over {elem}, {direction:?}: {why}", entry.name) };
                let thm = match stated(entry, elem, direction) {
                    Ok(thm) => thm,
                    Err(_) if lacks_laws(entry, elem) => continue,
                    Err(why) => fail(why.to_string()),
                };
                replay(&thm).unwrap_or_else(|why| fail(why));
                proved += 1;
                for point in &points {
                    point.theorem(&thm).unwrap_or_else(|why| fail(why));
                    point.equal(&lhs, &rhs, thm.rounding()).unwrap_or_else(|why| fail(why));
                    compared += 1;
                }
            }
        }
        assert!(proved > 0 && compared > 0, "`{}` was never compared", entry.name);
    }
}

/// Does the algebra lack a law that the catalogue says this theorem needs?
fn lacks_laws(entry: &Entry, elem: Elem) -> bool {
    let needed = entry.field("Laws").unwrap_or_default();
    let has = elem.algebra.laws.names();
    needed != "none" && needed.split(", ").any(|law| !has.iter().any(|h| h == law))
}

/// Does this body have this type?
fn has_type(body: &str, ty: &str) -> bool {
    let head = "a: f32[N, M], b: f32[K, M], x: f32[N], s: f32";
    Program::parse("shapes.atl", &format!("fn f({head}) -> {ty} {{ {body} }}")).is_ok()
}

#[test]
fn shapes_are_what_the_constructs_say() {
    let shapes = [
        ("s", "f32"),
        ("gen i < N { a[i] }", "f32[N, M]"),
        ("sum i < N { a[i] }", "f32[M]"),
        ("[N < 3] * a", "f32[N, M]"),
        ("a + a", "f32[N, M]"),
        ("a?[0]", "f32[M]"),
        ("let t = x; t + t", "f32[N]"),
        ("a ++ b", "f32[N + K, M]"),
        ("transpose(a)", "f32[M, N]"),
        ("flatten(a)", "f32[N * M]"),
        ("split(4, a)", "f32[ceil_div(N, 4), 4, M]"),
        ("pad_l(2, a)", "f32[N + 2, M]"),
        ("pad_r(2, x)", "f32[N + 2]"),
        ("trunc_l(1, pad_l(3, a))", "f32[N + 2, M]"),
        ("trunc_r(1, pad_r(3, x))", "f32[N + 2]"),
    ];
    for (body, ty) in shapes {
        for (_, other) in shapes {
            assert_eq!(has_type(body, other), ty == other, "{body}: {other}");
        }
    }
    assert!(!has_type("a + transpose(a)", "f32[N, M]"));
    assert!(!has_type("trunc_r(1, x)", "f32[N - 1]"));
}
