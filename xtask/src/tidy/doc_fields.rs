//! `doc-fields`: every rule, operator and directive says the same five things about itself.
//!
//! Users of a scheduling language spend most of their time learning why a step was refused, so *Requires* and
//! *Fails when* are not optional.

use super::{Check, Report};
use crate::book::{MODULES, theorems};
use crate::module_docs::{fields, module_docs};
use crate::tree::Tree;

pub(super) const CHECK: Check =
    Check { name: "doc-fields", holds: "rules, operators and directives document the same fields", run };

fn run(tree: &Tree, report: &mut Report) {
    for (folder, required) in MODULES.iter().map(|modules| (modules.folder, modules.fields)) {
        for stem in tree.stems(folder, ".rs").into_iter().filter(|stem| *stem != "mod") {
            let path = format!("{folder}/{stem}.rs");
            let Some(docs) = tree.text(&path).and_then(module_docs) else {
                report.problem(&path, "has no module comment");
                continue;
            };
            if !docs.name.starts_with('`') || docs.summary.is_empty() {
                report.problem(&path, "the comment does not begin with \"`name`: what it does\"");
            }
            let found = fields(&docs.body);
            for field in required.iter().filter(|field| !found.contains(field)) {
                report.problem(&path, format!("the comment has no field **{field}.**"));
            }
        }
    }
    for stem in tree.stems(theorems::FOLDER, ".atl") {
        let path = format!("{}/{stem}.atl", theorems::FOLDER);
        let Some(theorem) = tree.text(&path).and_then(theorems::read) else {
            report.problem(&path, "is not one documented theorem");
            continue;
        };
        let found = fields(&theorem.body);
        for field in theorems::FIELDS.iter().filter(|field| !found.contains(field)) {
            report.problem(&path, format!("the comment has no field **{field}.**"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    #[test]
    fn a_missing_field_is_found() {
        let check = |text: &str| problems(&CHECK, &[("crates/rules/src/rules/a.rs", text)]).len();
        let whole = "//! `a`: does.\n//!\n//! **Statement.** x\n//! **Requires.** x\n//! **Fails when.** x\n//! **Example.** x\n//! **See also.** x\n";
        assert_eq!(check(whole), 0);
        assert_eq!(check(&whole.replace("**Requires.**", "Requires.")), 1);
        assert_eq!(check(&whole.replace("`a`: does.", "a does.")), 1);
        assert_eq!(check("use x;\n"), 1);
        let theorem = |text: &str| problems(&CHECK, &[("crates/rules/src/catalogue/a.atl", text)]).len();
        let whole = "/// Does.\n///\n/// **Fails when.** x\n/// **Example.** x\n/// **Laws.** none\n/// **Rounding.** real\n/// **See also.** x\ntheorem a(f: T):\n    f == f {\n}\n";
        assert_eq!(theorem(whole), 0);
        assert_eq!(theorem(&whole.replace("**Laws.**", "Laws.")), 1);
        assert_eq!(theorem("/// Does.\n"), 1);
    }
}
