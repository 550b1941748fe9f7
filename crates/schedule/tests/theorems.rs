//! What theorems of a file say of themselves.

use atl_arith::Arith;
use atl_diag::{Diagnostic, FileId};
use atl_schedule::Library;
use std::sync::Arc;

fn library(text: &str) -> (Arc<Library>, Vec<Diagnostic>) {
    let parse = atl_syntax::parse_file(FileId(0), text);
    let mut arith = Arith::default();
    let (module, wrong) = atl_lang::elaborate(&parse.tree, &mut atl_lang::NoImports, &mut arith);
    assert!(wrong.is_empty(), "{wrong:?}");
    Library::new(&module, &mut arith)
}

fn statement(text: &str) -> String {
    let (library, wrong) = library(text);
    assert!(wrong.is_empty(), "{wrong:?}");
    library.theorem("t").expect("it is proved").statement.clone()
}

#[test]
fn a_statement_says_what_it_takes_of_an_element_type_that_stands_for_any() {
    let commute =
        |ty: &str| statement(&format!("theorem t(a: {ty}, b: {ty}): a + b == b + a {{ rw add_comm; }}"));
    assert_eq!(commute("T"), "a + b  ==  b + a;  T with add_comm");
    assert_eq!(commute("f32"), "a + b  ==  b + a");
    let copy = "theorem t(a: T[n], k: size): gen i < n { a[i] } == a if 0 < k {}";
    assert_eq!(statement(copy), "gen i < n { a[i] }  ==  a  if 0 < k;  any T");
}

#[test]
fn no_refusal_names_an_element_type_that_no_program_has() {
    let (_, wrong) = library("theorem t(a: T[n]): gen i < n { a[i] * a[i] } == gen i < n { zero } {}");
    let text = format!("{wrong:?}");
    assert!(text.contains("`gen i < n { zero }`") && !text.contains("T<f64>"), "{text}");
}

#[test]
fn a_read_out_of_bounds_is_shown_where_it_is_one() {
    let (_, wrong) = library("theorem t(a: T[n]): gen i < n { a[i + 1] } == gen i < n { a[i + 1] } {}");
    let notes: Vec<&str> = wrong.iter().flat_map(|d| d.notes.iter().map(String::as_str)).collect();
    assert!(notes.contains(&"`0 <= i + 1 < n` could not be proved"), "{notes:?}");
    assert!(notes.contains(&"`0 <= i + 1 < n` is false for n = 1, i = 0"), "{notes:?}");
}
