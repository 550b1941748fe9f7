//! Theorems for Rocq: a function's theorem as a file, and Rocq's answer.
//!
//! The theorem is that of the proof file, that the function equals the normal form that lowering was given,
//! and that the loops which the C printer is given compute it. The file goes with a library, `proofs/`, whose
//! text this program carries; [`check`] compiles both in a folder of its own.

use crate::proof::claim;
use atl_diag::err;
use atl_rocq::{Exported, Header, LIBRARY, Refusal, export};
use atl_session::Failure;
use atl_session::Program;
use std::path::Path;
use std::process::Command;

/// What a file claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Claims {
    /// That the loops compute the program.
    #[default]
    Loops,
    /// Only that the scheduled program equals it.
    Derivation,
}

/// The file for Rocq of a function under a schedule, or as it is written.
///
/// # Errors
/// The schedule or the lowering is refused, or the theorem is not exported.
pub fn certify(
    program: &Program,
    function: Option<&str>,
    schedule: Option<&str>,
    claims: Claims,
) -> Result<Exported, Failure> {
    let name = program.function(function, schedule)?.name.clone();
    let scheduled = program.scheduled(&name, schedule)?;
    let lowered = scheduled.lower()?;
    let claim = claim(&lowered.theorem);
    let mut text = String::new();
    for (heading, part) in [("given", claim.given), ("source", claim.source), ("equals", claim.result)] {
        text += &format!("{heading}\n{}\n", part.lines().map(|l| format!("    {l}\n")).collect::<String>());
    }
    let loops = crate::evidence::given(&lowered);
    let loops = (claims == Claims::Loops).then_some(&loops);
    export(&lowered.theorem, loops, &Header { function: name.clone(), text }).map_err(|why| {
        let of_loops = matches!(why, Refusal::Loops(_));
        let refusal = err!(E0806, lowered.span, "the theorem about `{name}` is not exported to Rocq");
        let refusal = match why {
            Refusal::Unproved(goal) => refusal
                .note("Rocq asks for a condition on index terms for which no certificate was found")
                .note(format!("in its words, where a name ends in its place in the context: {goal}")),
            why => refusal.note(why.to_string()),
        };
        if of_loops {
            let help = "`--derivation-only` exports that the scheduled program equals the source, and says nothing of loops";
            return Failure::new(&lowered.sources, refusal.help(help));
        }
        let help = "`atl build` writes the theorem as a proof file, which `atl verify` and `recheck` check";
        Failure::new(&lowered.sources, refusal.help(help))
    })
}

/// Why Rocq says nothing for a file.
#[derive(Clone, Debug)]
pub enum Unchecked {
    /// There is no `coqc`, or no folder for it.
    NotRun(String),
    /// The library is refused, so the file was not looked at.
    Library(String),
    /// The file is refused.
    Refused(String),
}

impl Unchecked {
    fn of_the_library(self) -> Unchecked {
        match self {
            Unchecked::Refused(said) => Unchecked::Library(said),
            other => other,
        }
    }
}

/// What Rocq says of a file: the assumptions that it prints. What the folder has of the library already is
/// believed: its compiled files are the caller's.
///
/// # Errors
/// Rocq is not installed, or refuses the library or the file.
pub fn check(text: &str, folder: &Path) -> Result<String, Unchecked> {
    let written = |name: &str, text: &str| {
        let file = folder.join(name);
        let made = file.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&file, text))
            .map_err(|why| Unchecked::NotRun(format!("`{name}` cannot be written: {why}")))
    };
    let compile = |name: &str| {
        let command = Command::new("coqc").args(["-q", "-Q", ".", "Atl", name]).current_dir(folder).output();
        let output = command.map_err(|why| Unchecked::NotRun(format!("`coqc` cannot be run: {why}")))?;
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() {
            Ok(said(&output.stdout))
        } else {
            Err(Unchecked::Refused(said(&output.stderr)))
        }
    };
    // A file is compiled again if it, or one before it, is not what was compiled in this folder.
    let mut is_new = false;
    for (name, text) in LIBRARY {
        let compiled = std::fs::read_to_string(folder.join(name)).is_ok_and(|found| found == *text)
            && folder.join(format!("{name}o")).exists();
        is_new |= !compiled;
        if is_new {
            // What is left of an older one must not pass for this one's, should the compiler fail.
            let _ = std::fs::remove_file(folder.join(format!("{name}o")));
            written(name, text)?;
            compile(name).map_err(Unchecked::of_the_library)?;
        }
    }
    written("certified_program.v", text)?;
    let said = compile("certified_program.v")?;
    // A theorem that rests on an axiom is no answer.
    if said.trim() == "Closed under the global context" { Ok(said) } else { Err(Unchecked::Refused(said)) }
}
