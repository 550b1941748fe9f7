//! The catalogue of rules: the kernel's table, the theorems stated in the language, then the other derived
//! ones.

use super::head;
use super::modules::{EQUATION, Modules};
use super::theorems;
use crate::tree::Tree;
use std::fmt::Write;

/// Where the kernel's table is.
const TABLE: &str = "crates/kernel/src/rules.rs";

/// The derived theorems.
pub(crate) const DERIVED: Modules =
    Modules { folder: "crates/rules/src/rules", title: "Derived rules", intro: "", fields: EQUATION };

/// A line of the kernel's table.
#[derive(Debug, PartialEq)]
struct Primitive<'t> {
    name: &'t str,
    laws: Vec<String>,
    rounding: String,
    statement: &'t str,
}

/// The page.
pub(crate) fn render(tree: &Tree) -> Result<String, String> {
    let source = tree.text(TABLE).ok_or(format!("{TABLE}: missing"))?;
    let rules = table(source)?;
    let mut out = head("Rules", &format!("{TABLE}`, `{}` and `{}", theorems::FOLDER, DERIVED.folder));
    out.push_str(
        "Every step of a schedule comes down to the equations of this page. The *primitive* ones are part of the kernel and \
         trusted; the *derived* ones are proved from them each time they are used. `rw NAME` applies either. A rule whose \
         laws are empty holds for every element type. *Rounding* says what a rule preserves in floating point: `bitwise` \
         everything, `finite` the value where zero times anything is zero and a zero has no sign, `real` the value over the reals. \
         Over integers and truth values every rule is `bitwise`. Where a sum is a minimum or a maximum, rules that need laws \
         of addition alone are at most `finite`.\n\n\
         ## Primitive rules\n\n| name | equation | laws | rounding |\n|---|---|---|---|\n",
    );
    for rule in &rules {
        let laws = rule.laws.join(", ");
        let statement = rule.statement.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        // Writing to a string does not fail.
        let _ = writeln!(out, "| `{}` | `{statement}` | {laws} | {} |", rule.name, rule.rounding);
    }
    out.push_str(
        "\n## Theorems\n\nThese are stated in the language, and proved of each instance. A capital letter matches any element type. \
         A name such as `f` applied to loops' indices, `f[i]`, matches any term in which those indices occur, a scalar \
         or a tensor of more dimensions; sizes stand for any index terms. `rw NAME backwards` reads them from right to \
         left. Sizes that the side at hand does not determine are given, `rw NAME with k = 8`.\n",
    );
    out.push_str(&theorems::sections(tree, "###")?);
    out.push_str("\n## Derived rules\n");
    out.push_str(&DERIVED.sections(tree, "###")?);
    Ok(out)
}

/// The lines `Rule::X => "name", laws, Rounding, "statement";` of the table.
fn table(source: &str) -> Result<Vec<Primitive<'_>>, String> {
    let start = source.find("\ntable! {").ok_or(format!("{TABLE}: no `table!`"))?;
    let body = &source[start..];
    let body = &body[..body.find("\n}").unwrap_or(body.len())];
    let mut rules = Vec::new();
    let mut rest = body;
    while let Some((_, from)) = rest.split_once("=> \"") {
        let line = || -> Option<(Primitive<'_>, &str)> {
            let (name, from) = from.split_once("\",")?;
            let (facts, from) = from.split_once('"')?;
            let (statement, from) = from.split_once("\";")?;
            let (laws, rounding) = facts.trim().strip_suffix(',')?.rsplit_once(',')?;
            let rule = Primitive {
                name,
                laws: law_names(source, laws),
                rounding: rounding.trim().to_lowercase(),
                statement,
            };
            Some((rule, from))
        };
        let (rule, after) =
            line().ok_or(format!("{TABLE}: a line after {} rules cannot be read", rules.len()))?;
        rules.push(rule);
        rest = after;
    }
    Ok(rules)
}

/// The laws that an expression such as `Laws::A.and(Laws::B)`, or a constant for one, names.
fn law_names(source: &str, expr: &str) -> Vec<String> {
    let expr = expr.trim();
    let constant = format!("const {expr}: Laws = ");
    if let Some((_, value)) = source.split_once(&constant) {
        return law_names(source, value.split(';').next().unwrap_or_default());
    }
    expr.split("Laws::")
        .skip(1)
        .map(|law| {
            law.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>().to_lowercase()
        })
        .filter(|law| law != "none")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        let source = "const TWO: Laws = Laws::A_B.and(Laws::C);\nmacro_rules! table {}\ntable! {\n    Rule::X(_) => \"x\", \
                      Laws::NONE, Bitwise, \"let x = e; f  =  g\";\n    Rule::Y => \"y\", TWO, Real,\n        \"a  =  b\";\n}\n";
        let rules = table(source).expect("reads");
        let expected = [
            Primitive {
                name: "x",
                laws: vec![],
                rounding: "bitwise".into(),
                statement: "let x = e; f  =  g",
            },
            Primitive {
                name: "y",
                laws: vec!["a_b".into(), "c".into()],
                rounding: "real".into(),
                statement: "a  =  b",
            },
        ];
        assert_eq!(rules, expected);
        assert!(table("\ntable! {\n Rule::X => \"x\", nonsense\n}").is_err());
    }
}
