//! Every derivation is written as a proof file, read, and checked, by both checkers; a report says how large the files are.

use crate::{loop_evidence, recheck};
use atl_driver::proof::{certificate, verify};
use atl_driver::tensor::{Request, translate};
use atl_kernel::Rule;
use atl_testkit::proofs::{Derivation, each, root};
use std::time::Instant;

/// What is to be said of a derivation's file, or what is wrong with it; nothing where there is none to be.
fn accepted(derivation: &Derivation) -> Option<Result<String, String>> {
    let (name, thm) = (&derivation.name, &derivation.lowered.theorem);
    let text = match certificate(&derivation.scheduled, &derivation.lowered) {
        Ok(text) => text,
        // A semiring of the program's own is in no table of the checkers.
        Err(why) if why.codes() == ["E0805"] => return None,
        Err(why) => return Some(Err(format!("{name} is not written: {why}"))),
    };
    let start = Instant::now();
    let verified = match verify(name, &text) {
        Ok(verified) => verified,
        Err(why) => return Some(Err(format!("{name} is not accepted: {why}"))),
    };
    let took = start.elapsed();
    let again = &verified.theorem;
    let same = again.ctx() == thm.ctx() && again.lhs() == thm.lhs() && again.rhs() == thm.rhs();
    if !same || again.laws() != thm.laws() || again.rounding() != thm.rounding() {
        return Some(Err(format!("{name} proves something else")));
    }
    let differences = recheck::differences(name, &text);
    if !differences.is_empty() {
        return Some(Err(differences.join("\n")));
    }
    let loops = match loop_evidence::judged(derivation, &text).transpose() {
        Ok(loops) => loops.unwrap_or_default(),
        Err(why) => return Some(Err(why)),
    };
    let n = verified.counts;
    Some(Ok(format!(
        "{name}: {} bytes, {} terms, {} inferences, {} certificates, {took:.1?}; {loops}\n",
        text.len(),
        n.terms,
        n.inferences,
        n.certificates
    )))
}

#[test]
fn every_derivation_has_a_proof_file_that_both_checkers_accept() {
    let verdicts = each(accepted).unwrap();
    let (told, wrong): (Vec<_>, Vec<_>) = verdicts.into_iter().flatten().partition(Result::is_ok);
    let report: String = told.into_iter().flatten().collect();
    let wrong: Vec<String> = wrong.into_iter().filter_map(Result::err).collect();
    let count = report.lines().count();
    let place = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("proof-files.txt");
    std::fs::write(&place, &report).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "only {count} derivations were found:\n{report}");
    let with_loops =
        report.lines().filter(|line| line.contains("; loops: ") && !line.contains("loops: none")).count();
    assert!(with_loops > 100, "only {with_loops} derivations have loops that are accepted:\n{report}");
    let with_text = report.lines().filter(|line| line.ends_with("; text: the loops")).count();
    println!(
        "{with_loops} derivations have loops that are accepted, {with_text} of them C text that is the loops"
    );
    assert!(4 * with_text > 3 * with_loops, "only {with_text} of {with_loops} have such text:\n{report}");
}

/// The size of the proof file of a product of this many matrices in `csr`.
fn proof_of_a_chain(matrices: usize) -> usize {
    let reads: Vec<String> = (0..matrices).map(|k| format!("A{k}(i{k},i{})", k + 1)).collect();
    let request = (0..matrices)
        .fold(Request::new(&format!("y(i0,i{matrices}) = {}", reads.join(" * "))), |request, k| {
            request.format(&format!("A{k}:csr"))
        });
    let (translation, program) = translate(&request).unwrap();
    let scheduled = program.scheduled(&translation.function, translation.schedule.as_deref()).unwrap();
    certificate(&scheduled, &scheduled.lower().unwrap()).unwrap().len()
}

/// A matrix more reads one array deeper: there are as many questions more as there are matrices, and none of
/// them doubles.
#[test]
fn proofs_of_chains_of_matrices_grow_as_a_square() {
    let [four, eight, eleven] = [4, 8, 11].map(proof_of_a_chain);
    assert!(eight < 6 * four && eleven < 12 * four, "{four}, {eight}, {eleven} bytes");
}

#[test]
fn the_format_s_page_lists_every_rule_and_algebra() {
    let page = std::fs::read_to_string(root().join("docs/book/src/proof-format.md")).unwrap();
    let (before, rules) = page.split_once("\n## Rules\n").unwrap();
    let row = |part: &str, name: &str| {
        let begins = [format!("| `{name}` |"), format!("| `{name} ")];
        let found = part.lines().find(|line| begins.iter().any(|b| line.starts_with(b.as_str())));
        found.unwrap_or_else(|| panic!("`{name}` has no row")).to_owned()
    };
    for rule in Rule::TABLE {
        let row = row(rules, rule.name);
        assert!(row.contains(&format!("| {} |", rule.rounding)), "{row}");
        let laws = row.split('|').nth(2).unwrap_or_default();
        assert_eq!(laws.trim().is_empty(), rule.laws.is_empty(), "{row}");
    }
    for semiring in atl_semirings::ALL {
        row(before, semiring.algebra.name);
    }
}
