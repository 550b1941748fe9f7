//! The claims of declarations as programs write them, and those of the library.

use super::refused_declared;
use atl_arith::Arith;
use atl_diag::{Diagnostic, FileId};
use atl_lang::{NoImports, elaborate, library};

/// The monoids of a program, and what is wrong with their claims.
fn checked(text: &str) -> Vec<(String, Option<Diagnostic>)> {
    let parse = atl_syntax::parse_file(FileId(0), text);
    let (module, diagnostics) = elaborate(&parse.tree, &mut NoImports, &mut Arith::new());
    assert!(parse.diagnostics.is_empty() && diagnostics.is_empty(), "{text}\n{diagnostics:?}");
    module.monoids.iter().map(|m| (m.sum.name().to_owned(), refused_declared(m))).collect()
}

#[test]
fn what_the_library_claims_is_proved() {
    let mut with_claims = 0;
    for (module, text) in library::MODULES {
        let found = checked(text);
        assert_eq!(found.len(), library::monoids(module).len());
        with_claims += usize::from(!found.is_empty());
        for (name, refused) in found {
            assert!(refused.is_none(), "{name}: {refused:?}");
        }
    }
    assert!(with_claims > 1);
}

#[test]
fn the_monoids_of_f32_are_those_of_f64() {
    let items = |module| -> Vec<String> {
        let text = library::text(module).expect("a module");
        text.split("\n\n").skip(1).map(|item| item.trim_end().replace("f64", "f32")).collect()
    };
    let (double, single) = (items("std.monoids"), items("std.monoids_f32"));
    let others: Vec<_> = double.into_iter().filter(|item| !single.contains(item)).collect();
    let [of_integers] = &others[..] else { panic!("{others:?}") };
    assert!(of_integers.contains("monoid affine_wrapping on (m: u64, c: u64)"));
}

#[test]
fn a_semiring_claims_what_it_says_of_products() {
    let refused = |mul: &str| {
        let text = format!(
            "semiring dual on (v: f64, d: f64) {{ zero (0, 0); one (1, 0); add (a.v + b.v, a.d + b.d); mul {mul}; }}"
        );
        checked(&text)[0].1.as_ref().map(|refused| refused.message.clone()).unwrap_or_default()
    };
    assert_eq!(refused("(a.v * b.v, a.v * b.d + a.d * b.v)"), "");
    for (mul, law) in [
        ("(a.v * b.v, a.d + b.d)", "distr_r"),
        ("(a.v * b.v, a.v * b.d + a.d)", "mul_0_r"),
        ("(a.v * b.v, a.v * b.d)", "mul_1_r"),
        ("(a.v * b.v, a.d * b.v)", "mul_1_l"),
    ] {
        assert!(refused(mul).contains(law), "{mul}: {}", refused(mul));
    }
    let matrix = "semiring matrix on (x: f64, y: f64, z: f64) { zero (0, 0, 0); one (1, 0, 1); \
        add (a.x + b.x, a.y + b.y, a.z + b.z); mul (a.x * b.x, a.x * b.y + a.y * b.z, a.z * b.z);";
    let refused = |laws: &str| checked(&format!("{matrix} {laws} }}"))[0].1.clone();
    assert_eq!(refused(""), None);
    assert!(refused("laws commutative;").is_some_and(|refused| refused.message.contains("mul_comm")));
    assert!(refused("laws idempotent;").is_some_and(|refused| refused.message.contains("add_idem")));
}
