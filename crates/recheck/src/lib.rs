//! The independent second checker of proof files.
//!
//! Written from the format's document, `docs/book/src/proof-format.md`, and from nothing else: it shares
//! no code with the kernel, nor its data structures, so an error in one is not likely to be in the other.
//! It accepts what the document calls a proof, refuses everything else with one line that says why, and
//! says what was claimed.
//!
//! **How it differs.** Terms are numbers in arenas in which equal terms are one, and have no labels;
//! contexts are stacks; polynomials are interned. So "the same term" costs one comparison, and no
//! reference count or tree walk of the kernel has a counterpart here.
//!
//! **Reading order.** `words`, `tables`, `steps`, `file` read a file; `index`, `terms`, `subst` are the
//! language; `context`, `typing` its types; `poly`, `certificate` the arithmetic; `rules`, `rewrite`,
//! `loops`, `compare`, `monoids` the rules; `inference` replays; `program` has loops, and replays that
//! they compute a term; `text` compares C text with loops; `report` prints the claim.
//!
//! **What it does not do.** It searches nothing, evaluates nothing, and reads none of a header's texts.

#![forbid(unsafe_code)]

mod algebra;
mod certificate;
mod compare;
mod context;
mod file;
mod index;
mod inference;
mod intern;
mod iterations;
mod limits;
mod loops;
mod monoids;
mod names;
mod poly;
mod prelude;
mod program;
mod refusal;
mod report;
mod rewrite;
mod rules;
mod steps;
mod store;
mod subst;
mod tables;
mod terms;
mod text;
mod typing;
mod words;

pub use refusal::Refusal;
pub use report::Claim;
pub use text::Text;

use std::io::BufRead;

/// Stack for the checker's recursion, whose depth the limits bound.
const STACK: usize = 256 << 20;

/// Read a proof file and replay its proof: what it claims, if it is a proof.
///
/// # Errors
/// Why it is none.
pub fn check(input: impl BufRead + Send) -> Result<Claim, Refusal> {
    check_texts(input, &[]).map(|(claim, _)| claim)
}

/// The same, and what a C text is beside the file's loops.
///
/// # Errors
/// Why the file is no proof.
pub fn check_text(input: impl BufRead + Send, text: &str) -> Result<(Claim, Text), Refusal> {
    let (claim, mut texts) = check_texts(input, &[text])?;
    Ok((claim, texts.pop().unwrap_or_else(|| Text::Unknown("there is no text".into()))))
}

/// The same of several texts.
///
/// # Errors
/// Why the file is no proof.
pub fn check_texts(input: impl BufRead + Send, texts: &[&str]) -> Result<(Claim, Vec<Text>), Refusal> {
    std::thread::scope(|scope| {
        let checker =
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || file::check(input, texts));
        let checker = checker.map_err(|_| "there is no memory for the checker's stack")?;
        checker.join().unwrap_or_else(|_| Err("the checker itself failed".into()))
    })
}
