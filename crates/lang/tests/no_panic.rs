//! Whatever parses is elaborated or refused: programs with pieces exchanged at random never panic, and what is
//! accepted the kernel gives its declared type, and is printed and read back.

use atl_arith::Arith;
use atl_diag::{Diagnostic, FileId, codes::PAGES};
use atl_kernel::type_of;
use atl_lang::print::{self, Options};
use atl_lang::{NoImports, elaborate};
use atl_syntax::ast::Item;
use proptest::prelude::*;

/// The programs of the error pages.
fn programs() -> Vec<&'static str> {
    let blocks = |text: &'static str| text.split("\n```atl\n").skip(1);
    let all = PAGES.iter().filter(|p| p.code.as_str() != "E0247").flat_map(|p| blocks(p.text));
    all.filter_map(|rest| rest.split("\n```").next()).collect()
}

/// The tokens of a program, spaces among them.
fn pieces(text: &str) -> Vec<&str> {
    atl_syntax::lex(FileId(0), text).0.iter().map(|t| &text[t.range()]).collect()
}

/// The program with some of its tokens replaced by tokens of another.
fn exchanged(text: &str, other: &str, at: &[(u16, u16)]) -> String {
    let (mut into, from) = (pieces(text), pieces(other));
    for (to, with) in at {
        let (to, with) = (usize::from(*to) % into.len(), usize::from(*with) % from.len());
        into[to] = from[with];
    }
    into.concat()
}

fn check(text: &str) {
    let parse = atl_syntax::parse_file(FileId(0), text);
    let (module, diagnostics) = elaborate(&parse.tree, &mut NoImports, &mut Arith::with_work(20_000));
    let refused = parse.diagnostics.iter().chain(&diagnostics).any(Diagnostic::is_error);
    let semirings = parse.tree.items.iter().filter(|item| matches!(item, Item::Semiring(_)));
    let declared: String = semirings.map(|item| &text[item.span().range()]).collect();
    for f in &module.functions {
        let ty = type_of(&f.ctx, &f.body, &mut Arith::new());
        match &f.several[..] {
            [] => assert_eq!(
                ty.map(|t| (t.elem, t.shape.len())),
                Ok((f.result.elem, f.result.shape.len())),
                "{text}"
            ),
            _ => assert!(ty.is_ok_and(|t| t.is_bundle()), "{text}"),
        }
        let printed = declared.clone() + &print::print_function(f, &f.body, Options::default());
        let again = atl_syntax::parse_file(FileId(0), &printed);
        let (again, _) = elaborate(&again.tree, &mut NoImports, &mut Arith::new());
        // A semiring that is refused may be no text that others can stand beside.
        let whole = !refused || declared.is_empty();
        assert!(!whole || again.functions.first().is_some_and(|g| g.body == f.body), "{text}\n{printed}");
    }
    assert!(
        refused || !module.functions.is_empty() || !declared.is_empty() || parse.tree.items.is_empty(),
        "{text}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 600, ..ProptestConfig::default() })]
    #[test]
    fn pieces_exchanged_at_random(
        text in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
        at in proptest::collection::vec(any::<(u16, u16)>(), 0..4),
    ) {
        let programs = programs();
        let (text, other): (&&str, &&str) = (text.get(&programs), other.get(&programs));
        check(&exchanged(text, other, &at));
    }
}
