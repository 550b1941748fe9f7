//! What helps where a text is refused, and what is warned of.

use crate::Refusal;
use atl_diag::FileId;

/// What helps, where a text is refused.
fn helps(read: impl Fn(FileId, &str) -> Option<Refusal>, text: &str, part: &str) {
    let refusal = read(FileId::default(), text).unwrap_or_else(|| panic!("{text} is read"));
    let help: Vec<&str> = refusal.help.iter().map(|help| help.text.as_str()).collect();
    let help = help.join("\n");
    assert!(help.contains(part), "{text}\n{help}");
}

#[test]
fn operations_of_other_languages_are_known() {
    let parsed = |file, text: &str| crate::language::parse(file, text).err();
    let of = |value: &str| format!("input A : [m, k] input B : [k, n] output C : [m, n] C = {value}");
    helps(parsed, &of("A * B"), "`*` is `mul a b`, element by element; the product of two matrices is");
    helps(parsed, &of("A @ B"), "the product of two matrices is `contr 2 3 (prod A B)`");
    helps(parsed, &of("A + B"), "`+` is `add a b`");
    helps(parsed, &of("matmul A B"), "there is no operation `matmul`: the product of two matrices is");
    helps(parsed, &of("sum 1 A"), "the sum along dimension `i` is `red+ i a`");
    helps(parsed, &of("relu A"), "`relu` is read as a tensor");
    helps(parsed, "where n = m", "by `==`");
    helps(parsed, "where n >= 2", "`2 <= n`");
    helps(parsed, "where m + 1 == n", "of sums nothing is stated");
}

#[test]
fn numbers_that_differ_are_not_stated_to_be_equal() {
    let checked = |file, text: &str| {
        let program = crate::language::parse(file, text).ok()?;
        crate::typing::check(&program).err()
    };
    let text = "input A : [m, 3] input B : [4, n] output C : [m, n] C = contr 2 3 (prod A B)";
    helps(checked, text, "correct its sizes");
}

#[test]
fn a_chain_of_differences_is_warned_of_once() {
    let warned = |value: &str| {
        let text = format!("var input a : [4]\nvar output d : [4]\nd = {value}");
        crate::fluids::translate(FileId::default(), &text).expect("it is a program").1.len()
    };
    assert_eq!(warned("a - a - a - a - a"), 1);
    assert_eq!(warned("a - (a - a)"), 0);
    assert_eq!(warned("a - (a - a - a) - a"), 2);
    assert_eq!(warned("(a - a - a - a) / a * a"), 2);
}
