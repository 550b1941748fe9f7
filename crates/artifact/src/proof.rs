//! Proof files of programs: written beside what was built, and checked with the kernel alone.
//!
//! The one idea: whoever checks a file should read the claim that was *proved*. So [`verify`] prints the
//! claim from the theorem, by the same function that wrote the file's header, and refuses a file whose header
//! says anything else. The logic and the format are `atl-proof`'s; what is added here is the surface
//! language.

use crate::claims::{Claimed, claims};
use crate::evidence::{followed, with_loops};
use atl_call::validate::Validation;
use atl_diag::{Diagnostic, SourceMap, err};
use atl_kernel::{Ctx, Entry, Error, Ix, Pred, Thm, Unproved};
use atl_lang::print::{Names, print};
use atl_lower::Carried;
use atl_proof::{CheckError, ProofFile, ReadError, on_large_stack};
use atl_recheck::Text;
use atl_session::Failure;
use atl_session::Program;
use atl_session::display;
use atl_session::display::options;
use atl_session::{Lowered, Scheduled};
use atl_session::{declared_semiring, read_text};
use atl_syntax::Notation;
use std::path::Path;
use std::sync::Arc;

pub use atl_proof::{Counts, Header};

/// The text of a file or pipe of at most as many bytes as a proof file may have.
///
/// # Errors
/// What the system says; or it is too long, or is no UTF-8 text.
pub fn read_proof(path: &Path) -> std::io::Result<String> {
    read_text(path, atl_proof::MAX_BYTES)
}

/// A claim that was proved, in words.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The claim; its function and schedule are what the file says, the rest is what was proved.
    pub claim: Header,
    /// The theorem.
    pub theorem: Thm,
    /// The laws of monoids on which it rests.
    pub claims: Vec<Claimed>,
    /// How large the proof is.
    pub counts: Counts,
    /// Does the file have loops, of which the second checker says that they compute the right side?
    pub has_loops: bool,
    /// The laws up to which the loops compute the result, beside those of the theorem: `add_0_l add_assoc`.
    pub loop_laws: Option<String>,
    /// Is the C text beside the file these loops? If there is one; or why that is not seen.
    pub text: Option<Result<String, String>>,
}

/// The proof that a function equals what was lowered of it: the schedule's theorem, then the normal form's.
///
/// # Errors
/// The proof is larger than a proof file may be.
pub fn certificate(scheduled: &Scheduled, lowered: &Lowered) -> Result<String, Failure> {
    let thm = &lowered.theorem;
    let steps = scheduled.derivation.iter().flat_map(|d| &d.steps);
    let steps =
        steps.map(|step| format!("{};", scheduled.sources.slice(step.span).trim().trim_end_matches(';')));
    let header = Header {
        function: lowered.function.name.clone(),
        schedule: steps.collect::<Vec<_>>().join("\n"),
        ..claim(thm)
    };
    written(thm, &header, lowered)
}

/// What the second checker has seen besides the theorem; or why it has not.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// That the loops which the C printer is given compute the theorem's right side.
    pub loops: Result<(), String>,
    /// That the C text is these loops.
    pub text: Result<(), String>,
}

/// The same, with what the loops are that the C printer is given, and why they compute the right side; and
/// whether a C text is these loops, which is refused if it is others, unless it is believed.
///
/// # Errors
/// As [`certificate`]; or the C text is other loops.
pub fn certificate_with_loops(
    scheduled: &Scheduled,
    lowered: &Lowered,
    c: Option<(&str, Validation)>,
) -> Result<(String, Evidence), Failure> {
    let theorem = certificate(scheduled, lowered)?;
    let file = followed(lowered).and_then(|followed| with_loops(&theorem, lowered, &followed));
    // What the second checker refuses is no evidence: a fault of what stands here, or of lowering.
    let accepted =
        file.and_then(|file| match atl_recheck::check_text(file.as_bytes(), c.map_or("", |(c, _)| c)) {
            Ok((_, text)) => Ok((file, text)),
            Err(why) => Err(format!(
                "the second checker refuses the steps: {why}; please report this with the program"
            )),
        });
    let (file, text) = match accepted {
        Ok(accepted) => accepted,
        Err(why) => {
            let text = Err("there are no loops to compare it with".to_owned());
            return Ok((theorem, Evidence { loops: Err(why), text }));
        }
    };
    let text = match text {
        Text::Loops(_) => Ok(()),
        text @ Text::Unknown(_) => {
            Err(text.to_string().trim_start_matches("text: no evidence, for ").to_owned())
        }
        Text::Differs(why) if matches!(c, Some((_, Validation::Check))) => {
            let refusal = err!(E0603, "the back end `c` did not print `{}`", lowered.function.name)
                .note(format!(
                    "the second checker says that what it printed is not the loops that it was given: {why}"
                ))
                .help("please report this with the program; `--no-validate` builds it as it is");
            return Err(Failure::new(&lowered.sources, refusal));
        }
        Text::Differs(why) => Err(format!("the second checker says that it is others: {why}")),
    };
    Ok((file, Evidence { loops: Ok(()), text }))
}

/// The proofs that the windows which are carried along loops come again, each once.
///
/// # Errors
/// One is larger than a proof file may be.
pub fn windows(lowered: &Lowered) -> Result<Vec<String>, Failure> {
    let mut texts = Vec::new();
    for Carried { tensor, along, moving } in &lowered.carried {
        let header = Header {
            function: lowered.function.name.clone(),
            schedule: format!("carry {tensor} along {along};"),
            ..claim(&moving.theorem)
        };
        let text = written(&moving.theorem, &header, lowered)?;
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    Ok(texts)
}

fn written(thm: &Thm, header: &Header, lowered: &Lowered) -> Result<String, Failure> {
    if let Some(own) = declared_semiring::algebra(thm) {
        let refusal = err!(
            E0805,
            lowered.span,
            "the theorem about `{}` is about a semiring of the program",
            header.function
        )
        .note(format!(
            "a proof file names algebras of a table that its checkers have, and `{own}` is not in it"
        ))
        .help("`atl explain` shows the theorem and the laws that it rests on; `atl run` uses it");
        return Err(Failure::new(&lowered.sources, refusal));
    }
    atl_proof::write(thm, header).map_err(|why| {
        let refusal = err!(E0804, "the proof about `{}` does not fit a proof file", header.function)
            .note(why.to_string())
            .help("a schedule of fewer steps, or of a smaller function, has a smaller proof");
        Failure::new(&lowered.sources, refusal)
    })
}

/// The proof file of a function under a schedule, or as it is written, with its loops where these are
/// followed.
///
/// # Errors
/// The schedule or the lowering is refused, or the proof is larger than a proof file may be.
pub fn prove(program: &Program, function: Option<&str>, schedule: Option<&str>) -> Result<String, Failure> {
    let name = program.function(function, schedule)?.name.clone();
    let scheduled = program.scheduled(&name, schedule)?;
    Ok(certificate_with_loops(&scheduled, &scheduled.lower()?, None)?.0)
}

/// Check the text of a proof file, which is called `name`.
///
/// # Errors
/// It is no proof file, it does not prove its claim, or its header says something else.
pub fn verify(name: &str, text: &str) -> Result<Verified, Failure> {
    verify_with_text(name, text, None)
}

/// The same, and whether a C text, by its name, is the loops of the file.
///
/// # Errors
/// As [`verify`]; or the C text is other loops.
pub fn verify_with_text(name: &str, text: &str, c: Option<(&str, &str)>) -> Result<Verified, Failure> {
    // Printing goes as deep as the file's terms do.
    on_large_stack(|| verify_here(name, text, c))
}

fn verify_here(name: &str, text: &str, c: Option<(&str, &str)>) -> Result<Verified, Failure> {
    let refuse = |diagnostic: Diagnostic| Failure::new(&Arc::new(SourceMap::new()), diagnostic);
    let file = atl_proof::read(text).map_err(|why| refuse(ill_formed(name, text, &why)))?;
    let theorem = atl_proof::check(&file).map_err(|why| refuse(unproved(name, &why)))?;
    let said = file.header();
    let claim =
        Header { function: said.function.clone(), schedule: said.schedule.clone(), ..claim(&theorem) };
    foreign(name, &file).map_or(Ok(()), |diagnostic| Err(refuse(diagnostic)))?;
    let texts = [
        ("given", &said.given, &claim.given),
        ("source", &said.source, &claim.source),
        ("result", &said.result, &claim.result),
    ];
    if let Some((heading, _, proved)) = texts.into_iter().find(|(_, said, proved)| said != proved) {
        return Err(refuse(
            err!(E0803, "under `{heading}`, `{name}` does not say what it proves")
                .note(format!("what it proves is\n{proved}"))
                .help("do not trust the file; ask for one that `atl build` wrote"),
        ));
    }
    // The second checker replays the theorem by rules of its own, and what the file says of loops, of which the
    // kernel knows nothing.
    let (c_name, c_text) = c.unwrap_or_default();
    let found = match atl_recheck::check_text(text.as_bytes(), c_text) {
        Ok((_, found)) => found,
        Err(why) => return Err(refuse(refused_by_the_second(name, file.has_loops(), &why.to_string()))),
    };
    let seen = match found {
        _ if c.is_none() => None,
        _ if !file.has_loops() => Some(Err("the proof file has no loops".to_owned())),
        Text::Loops(function) => Some(Ok(function)),
        text @ Text::Unknown(_) => {
            Some(Err(text.to_string().trim_start_matches("text: no evidence, for ").to_owned()))
        }
        Text::Differs(why) => return Err(refuse(other_text((name, c_name), &why.to_string()))),
    };
    // The second checker has seen that these are the laws that the steps use.
    let laws = text.lines().rev().find_map(|line| line.strip_prefix("run ")?.split_once(" laws "));
    let loop_laws = laws.map(|(_, laws)| laws.to_owned()).filter(|laws| laws != "none");
    let (claims, counts, has_loops) = (claims(&theorem), file.counts(), file.has_loops());
    Ok(Verified { claim, theorem, claims, counts, has_loops, loop_laws, text: seen })
}

/// A proof file that is not there, or cannot be read.
pub fn unreadable(name: &str, why: &std::io::Error) -> Diagnostic {
    err!(E0801, "cannot read `{name}`: {why}")
        .help("check the path; a proof file is what `atl build` writes as `NAME.atlp`")
}

/// Why a file is no proof file.
fn malformed(name: &str, why: &str) -> Diagnostic {
    err!(E0801, "`{name}` is not a proof file")
        .note(why.to_owned())
        .help("a proof file is what `atl build` writes as `NAME.atlp`")
}

/// Why a text that could be read is no proof file: it is something else, it lacks its end, or it was changed.
fn ill_formed(name: &str, text: &str, why: &ReadError) -> Diagnostic {
    if !text.starts_with("atlp ") {
        return malformed(name, &why.to_string());
    }
    let whole = text.split_inclusive('\n').any(|line| line.starts_with("end ") && line.ends_with('\n'));
    let refusal = err!(E0801, "`{name}` is not a well-formed proof file").note(why.to_string());
    refusal.help(match whole {
        true => "it is not as `atl build` wrote it: a line was changed, added or lost; ask for the file anew",
        false => "its last line, `end`, is missing: it was cut short; ask for the file anew",
    })
}

fn unproved(name: &str, why: &CheckError) -> Diagnostic {
    match why {
        CheckError::TooLarge(what) => err!(E0804, "`{name}` is larger than a proof file may be")
            .note(format!("the limit on {what}"))
            .help("ask for the proof of a part"),
        why => reasons(why)
            .into_iter()
            .fold(err!(E0802, "`{name}` does not prove its claim"), Diagnostic::note)
            .help("the claim may be true, but this is no evidence; ask for the file that `atl build` wrote"),
    }
}

/// The kernel accepts the theorem, but the second checker does not, or not that the loops compute it.
fn refused_by_the_second(name: &str, has_loops: bool, why: &str) -> Diagnostic {
    let what = if has_loops { "that its loops compute the claim's right side" } else { "its claim" };
    err!(E0802, "`{name}` does not prove {what}")
        .note(format!("the second checker, `recheck`, refuses {why}"))
        .help("do not trust it; ask for the file that `atl build` wrote")
}

/// The proof holds, but a C text is other loops than its own.
fn other_text((name, c): (&str, &str), why: &str) -> Diagnostic {
    err!(E0808, "`{c}` is not the loops of `{name}`")
        .note(format!("the second checker, `recheck`, says: {why}"))
        .help("do not trust the C text; ask for both files as `atl build` wrote them, or build again")
}

/// Why a file proves nothing: what the kernel refuses in the words of the surface.
fn reasons(why: &CheckError) -> Vec<String> {
    let CheckError::Kernel { inference, error } = why else { return vec![why.to_string()] };
    let refusal = atl_lang::kernel_error(error, &Ctx::new(), None);
    let mut notes = vec![format!("inference s{inference}: {}", refusal.message)];
    match &**error {
        Error::Unproved(unproved) => {
            let given = Unproved { refused: None, ..(**unproved).clone() };
            notes.extend(atl_lang::unproved_notes(&given, None));
            let wrong = unproved.refused.as_ref().map(atl_lang::certificate);
            notes.extend(wrong.map(|wrong| format!("the file's certificate does not show it: {wrong}")));
        }
        _ => notes.extend(refusal.notes),
    }
    notes
}

/// A definition under the name of an operator that it is not: the claim would read as another.
fn foreign(name: &str, file: &ProofFile) -> Option<Diagnostic> {
    let other = file.definitions().iter().find(|definition| atl_ops::of(definition).is_none())?;
    Some(
        err!(E0803, "`{}` is not in `{name}` what it is in the language", other.name)
            .note("what the file proves is about another operator of this name")
            .help("do not trust the file; ask for one that `atl build` wrote"),
    )
}

/// What a theorem claims, in words; of no function, by no schedule.
pub(crate) fn claim(thm: &Thm) -> Header {
    let side = |e| print(thm.ctx(), e, Some(thm.ty().elem), options(Notation::Ascii));
    Header {
        given: given(thm.ctx()).join("\n"),
        source: side(thm.lhs()).trim_end().to_owned(),
        result: side(thm.rhs()).trim_end().to_owned(),
        ..Header::default()
    }
}

/// The variables and hypotheses of a context. An integer that is at least 0 is a size.
fn given(ctx: &Ctx) -> Vec<String> {
    let names = Names::of(ctx);
    let mut lines = Vec::new();
    let mut entries = (0..).zip(ctx.entries()).peekable();
    while let Some((level, entry)) = entries.next() {
        lines.push(match entry {
            Entry::Index(_) => {
                let natural = Pred::le(Ix::ZERO, Ix::free(level));
                let is_natural = |next: &(u32, &Entry)| matches!(next.1, Entry::Hyp(p, _) if *p == natural);
                let sort = if entries.next_if(is_natural).is_some() { "size" } else { "integer" };
                format!("{}: {sort}", names.at(level))
            }
            Entry::Tensor(_, ty) => format!("{}: {}", names.at(level), display::ty(ctx, ty)),
            Entry::Hyp(p, _) => display::pred(ctx, p),
            Entry::All(variables, p) => display::all(ctx, variables, p),
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "
        fn f(a: f32[N], b: f32[N]) -> f32[N] where 4 <= N { gen i < N { [0 < i] * a[i - 1] + b[i] } }
        schedule s of f { split i by 4; peel; }";

    fn file() -> String {
        let program = Program::parse("f.atl", PROGRAM).unwrap();
        prove(&program, None, Some("s")).unwrap()
    }

    fn refused(text: &str, code: &str) {
        let failure = verify("f.atlp", text).expect_err("it is refused");
        assert_eq!(failure.codes(), [code], "{failure}");
    }

    #[test]
    fn a_certificate_is_accepted_and_says_what_it_proves() {
        let text = file();
        let verified = verify("f.atlp", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(verified.claim.function, "f");
        assert_eq!(verified.claim.given, "N: size\n4 <= N\na: f32[N]\nb: f32[N]");
        assert!(verified.claim.schedule.starts_with("split i by 4;\npeel"), "{}", verified.claim.schedule);
        assert!(verified.counts.inferences > 10);
    }

    #[test]
    fn what_is_not_shown_is_said_in_surface_words() {
        let text = file().replacen("combine 2 1*2 1*4 absurd 5", "combine 2 1*2 1*4 absurd 4", 1);
        let failure = verify("f.atlp", &text).expect_err("it is refused").to_string();
        for part in [" could not be proved", "known here: `0 <= N`", "the fact 4 is no contradiction"] {
            assert!(failure.contains(part), "{part}: {failure}");
        }
        assert!(!failure.contains("Cmp("), "{failure}");
    }

    #[test]
    fn a_header_that_says_something_else_is_refused() {
        let text = file();
        refused(&text.replacen("| 4 <= N", "| 1 <= N", 1), "E0803");
        refused(&text.replacen("| N: size", "| N: integer", 1), "E0803");
        refused(&text.replacen("| gen i < N", "| gen j < N", 1), "E0803");
        refused(&text.replacen("rounding bitwise", "rounding real", 1), "E0802");
        refused(&text.replacen("laws none", "laws add_comm", 1), "E0802");
    }

    #[test]
    fn an_operator_is_what_its_name_says() {
        let text = file();
        assert!(text.contains("\"trunc_r\"") || text.contains("\"concat\""), "{text}");
        refused(&text.replace("\"concat\"", "\"flatten\"").replace("\"trunc_r\"", "\"transpose\""), "E0803");
    }

    #[test]
    fn what_is_no_proof_file_is_refused() {
        refused("", "E0801");
        refused("hello\n", "E0801");
        let text = file();
        refused(&text[..text.len() - 1], "E0801");
        refused(&format!("{text}\n"), "E0801");
        refused(&text.replacen("atlp 1", "atlp 2", 1), "E0801");
    }

    #[test]
    fn only_a_file_without_its_end_is_said_to_be_cut_short() {
        let text = file();
        let cut_short = |text: &str| {
            let failure = verify("f.atlp", text).map(|_| ()).unwrap_err();
            failure.diagnostics.iter().flat_map(|d| &d.help).any(|help| help.text.contains("cut short"))
        };
        assert!(cut_short(&text[..text.len() / 2]));
        assert!(cut_short(&text[..text.len() - 1]));
        assert!(!cut_short(&text.replacen("\nclaim t", "\nclaim t9", 1)));
        assert!(!cut_short("hello\n"));
        assert!(!cut_short(&format!("{text}more\n")));
        assert!(!cut_short(&format!("{text}more")));
    }
}
