//! What must be stated of sizes so that a program is well typed.
//!
//! The one idea: a rule demands that two sizes are equal, or that one is at most another, and nothing else
//! could serve instead. So what a program lacks is found by asking for one fact after the other, and all of
//! them together are implied by whatever makes the program well typed: the most general `where`.

use super::check;
use super::program::missing;
use crate::Refusal;
use crate::language::{Fact, Item, Program};

/// The program with what must hold of sizes for `where ..`; another program as it is.
///
/// # Errors
/// It is not well typed, whatever is stated of sizes.
pub fn inferred(program: &Program) -> Result<Program, Refusal> {
    let Some(at) = program.items.iter().position(|item| *item == Item::Infer) else {
        return Ok(program.clone());
    };
    let mut stated = program.clone();
    stated.items.retain(|item| *item != Item::Infer);
    let facts = lacking(&stated);
    if !facts.is_empty() {
        stated.items.insert(at, Item::Where(facts));
    }
    check(&stated)?;
    Ok(stated)
}

/// What must be stated of sizes, in words, where that makes a program well typed.
pub fn remedy(program: &Program) -> Option<String> {
    let facts = lacking(program);
    let words: Vec<String> = facts.iter().map(Fact::to_string).collect();
    check(&with(program, facts)).ok()?;
    (!words.is_empty()).then(|| format!("where {}", words.join(", ")))
}

/// All facts that a program lacks, up to the first that sizes cannot satisfy.
fn lacking(program: &Program) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    // What is stated holds from then on, so it is not missing again.
    while let Some(fact) = missing(&with(program, facts.clone())) {
        facts.push(fact);
    }
    facts
}

/// The program with these facts, too.
fn with(program: &Program, facts: Vec<Fact>) -> Program {
    let mut stated = program.clone();
    stated.items.insert(0, Item::Where(facts));
    stated
}

#[cfg(test)]
mod tests {
    use super::{inferred, remedy};
    use crate::language::parse;
    use atl_diag::FileId;

    fn check(text: &str, expected: Result<&str, &str>) {
        let program = parse(FileId::default(), text).unwrap_or_else(|why| panic!("{text}\n{}", why.message));
        let found =
            inferred(&program).map(|program| program.to_string()).map_err(|why| why.code.as_str().to_owned());
        let found = found.as_deref().map(|text| text.lines().find(|l| l.starts_with("where")).unwrap_or(""));
        assert_eq!(found.map_err(|code| code.as_str()), expected, "{text}");
    }

    #[test]
    fn what_must_hold_and_no_more() {
        let product = "input A : [m, k] input B : [l, n] output C : [p, q]";
        check(&format!("where .. {product} C = contr 2 3 (prod A B)"), Ok("where k == l, m == p, n == q"));
        check(&format!("{product} where k == l where .. C = contr 2 3 (prod A B)"), Ok("where k == l"));
        check("where .. input A : [m, n] output y : [m] y = diag 1 2 A", Ok("where m == n"));
        check("where .. input A : [m, n] output y : [n] y = proj 1 k A", Ok("where k <= m"));
        check("where .. input A : [m] output y : [] y = proj 1 3 A", Ok("where 3 <= m"));
        check("where .. input A : [m] output y : [m] y = neg A", Ok(""));
    }

    #[test]
    fn what_nothing_mends_is_refused() {
        check("where .. input A : [2, 3] output y : [2] y = diag 1 2 A", Err("E0284"));
        check("where .. input A : [n, 3] input B : [n] output y : [2] y = add (diag 1 2 A) B", Err("E0286"));
        check("where .. input A : [m] output y : [m, m] y = A", Err("E0286"));
        check("where n < m where .. input A : [n] output y : [m] y = A", Err("E0286"));
    }

    #[test]
    fn a_refusal_says_all_that_would_do() {
        let remedy = |text| remedy(&parse(FileId::default(), text).expect("it can be read"));
        let text = "input A : [m, k] input B : [l, n] output C : [p, n] C = contr 2 3 (prod A B)";
        assert_eq!(remedy(text).as_deref(), Some("where k == l, m == p"));
        assert_eq!(remedy("input A : [m] output y : [m] y = A"), None);
        assert_eq!(remedy("input A : [m] output y : [] y = A"), None);
    }
}
