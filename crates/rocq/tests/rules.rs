//! The kernel's primitive rules and the lemmas of `Rules.v`: the same names, the same laws.

use atl_kernel::{Laws, Rule};
use atl_rocq::{LIBRARY, lemma_laws};
use std::collections::BTreeMap;

/// The lemmas of the section, by name, with the laws in their `Proof using`.
fn lemmas() -> BTreeMap<String, Laws> {
    let (_, text) = LIBRARY.iter().find(|(name, _)| *name == "Rules.v").expect("the file of the rules");
    let section =
        text.split("Section Rules.").nth(1).and_then(|s| s.split("End Rules.").next()).expect("its section");
    let mut found = BTreeMap::new();
    for lemma in section.split("\nLemma ").skip(1) {
        let name = lemma.split(|c: char| !c.is_alphanumeric() && c != '_').next().expect("a name");
        let using =
            lemma.split("Proof using A").nth(1).and_then(|s| s.split('.').next()).expect("what it uses");
        let laws = using.split_whitespace().fold(Laws::NONE, |laws, law| {
            let (_, bit) = Laws::TABLE.iter().find(|(known, _)| *known == law).expect("a law of the kernel");
            laws.and(*bit)
        });
        // One lemma for each number of operands, or for each law.
        let counted =
            ["get_prim", "index_prim", "monoid_law"].into_iter().find(|rule| name.starts_with(rule));
        let name = counted.unwrap_or(name);
        let before = found.insert(name.to_owned(), laws);
        assert!(before.is_none_or(|known| known == laws), "{name}");
    }
    found
}

#[test]
fn every_primitive_rule_is_a_lemma_with_its_laws_and_no_lemma_is_another() {
    let kernel: BTreeMap<String, Laws> =
        Rule::TABLE.iter().map(|rule| (rule.name.to_owned(), lemma_laws(rule))).collect();
    assert_eq!(kernel, lemmas());
}

#[test]
fn a_lemma_needs_at_most_the_laws_of_its_rule() {
    for rule in Rule::TABLE {
        assert!(rule.laws.has(lemma_laws(rule)), "{}", rule.name);
    }
}

#[test]
fn the_hypotheses_are_in_the_order_of_the_kernels_laws() {
    let (_, text) = LIBRARY.iter().find(|(name, _)| *name == "Rules.v").expect("the file of the rules");
    let declared: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("Hypothesis "))
        .filter_map(|line| line.split(' ').next())
        .collect();
    let known: Vec<&str> =
        Laws::TABLE.iter().map(|(name, _)| *name).filter(|name| declared.contains(name)).collect();
    assert_eq!(declared, known);
}

#[test]
fn the_definitions_of_the_laws_are_the_kernels() {
    let (_, text) = LIBRARY.iter().find(|(name, _)| *name == "Algebra.v").expect("the file of the laws");
    for (name, _) in Laws::TABLE {
        assert!(text.contains(&format!("Definition law_{} :=", name.to_lowercase())), "{name}");
    }
}

/// Programs without the repository have of the library what exports use, in the order in which it is
/// compiled.
#[test]
fn the_library_is_what_exports_use() {
    let files = include_str!("../../../proofs/_CoqProject").lines().filter(|line| line.ends_with(".v"));
    let used = files.filter(|file| !file.contains('/') || file.starts_with("replay/"));
    assert_eq!(used.collect::<Vec<_>>(), LIBRARY.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}
