//! What the automatic prover proves of statements, and what it must not.

use atl_arith::Arith;
use atl_diag::FileId;
use atl_lang::{Module, Statement};
use atl_rules::Cx;
use atl_rules::schema::automatic;
use atl_syntax::ast::Item;

/// The statement of a theorem.
fn statement(claim: &str) -> Statement {
    let parse = atl_syntax::parse_file(FileId(0), &format!("theorem t{claim} {{ }}"));
    assert!(parse.diagnostics.is_empty(), "{claim}: {:?}", parse.diagnostics);
    let [Item::Theorem(theorem)] = parse.tree.items.as_slice() else { panic!("{claim}: no theorem") };
    let found = atl_lang::statement(theorem, &Module::default(), &mut Arith::new());
    found.unwrap_or_else(|why| panic!("{claim}: {}", why[0].message))
}

/// Is the claim proved, and with which laws?
fn check(claim: &str, laws: Option<&str>) {
    let statement = statement(claim);
    let mut arith = Arith::new();
    let mut cx = Cx::new(statement.ctx.clone(), &mut arith);
    let found = automatic(&mut cx, &statement.lhs, &statement.rhs);
    match (&found, laws) {
        (Ok(thm), Some(laws)) => {
            assert_eq!(thm.laws().to_string(), laws, "{claim}");
            assert_eq!((thm.lhs(), thm.rhs()), (&statement.lhs, &statement.rhs), "{claim}");
        }
        (Err(_), None) => {}
        (Ok(_), None) => panic!("{claim}: proved"),
        (Err(error), Some(_)) => panic!("{claim}: {error}"),
    }
}

#[test]
fn arrangements_need_no_laws() {
    check("(f: T[n, m]): transpose(transpose(f)) == f", Some("none"));
    check("(f: T[n], g: T[m], h: T[k]): (f ++ g) ++ h == f ++ (g ++ h)", Some("none"));
    check("(f: T[n]): pad_l(2, pad_r(1, f)) == pad_r(1, pad_l(2, f))", Some("none"));
    check(
        "(f: T[n], k: size): split(k, f) == split(k, pad_r(ceil_div(n, k) * k - n, f)) if 0 < k",
        Some("none"),
    );
}

#[test]
fn sums_use_the_laws_that_they_need() {
    check(
        "(f: T[n, m]): sum i < n, j < m { f[i, j] } == sum j < m, i < n { f[i, j] }",
        Some("add_0_l, add_0_r, add_comm, add_assoc"),
    );
    check("(a: T, f: T[n]): a * (sum i < n { f[i] }) == sum i < n { a * f[i] }", Some("mul_0_r, distr_l"));
    let product = "(a: T[n], b: T[n, m], c: T[m]):
        sum k < m { (sum j < n { a[j] * b[j, k] }) * c[k] } == sum j < n { a[j] * (sum k < m { b[j, k] * c[k] }) }";
    check(
        product,
        Some("add_0_l, add_0_r, add_comm, add_assoc, mul_0_l, mul_0_r, mul_assoc, distr_l, distr_r"),
    );
    check("(a: T, b: T, c: T): (a + b) * c == c * b + a * c", Some("add_comm, mul_comm, distr_r"));
}

#[test]
fn what_is_false_is_not_proved() {
    check("(a: T, b: T): a + b == a * b", None);
    check("(a: f64, b: f64): a - b == b - a", None);
    check("(f: T[n], g: T[n]): sum i < n { f[i] } == sum i < n { g[i] }", None);
    check("(f: T[n, n]): transpose(f) == f", None);
    check("(f: T[n]): trunc_r(1, pad_l(1, f)) == f", None);
    check("(f: T[n], g: T[n]): f ++ g == g ++ f", None);
    check("(f: T[n]): gen i < n { [i < n - 1] * f[i] } == f", None);
}

#[test]
fn an_algebra_without_the_law_is_refused() {
    let sum = |elem: &str| {
        format!("(a: {elem}, f: {elem}[n]): a * (sum i < n {{ f[i] }}) == sum i < n {{ a * f[i] }}")
    };
    check(&sum("min_plus<f32>"), Some("mul_0_r, distr_l"));
    check(&sum("times<f32>"), None);
}
