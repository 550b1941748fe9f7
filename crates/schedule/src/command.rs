//! What a scheduling command registers.

use crate::refusal::Refusal;
use crate::session::Session;
use atl_kernel::Thm;
use atl_syntax::ast::Step;

/// A directive or tactic: it yields a theorem about the body or a part of it, or refuses.
pub struct Command {
    /// Its name in scripts.
    pub name: &'static str,
    /// Its form.
    pub usage: &'static str,
    /// The equation it applies, in one line.
    pub equation: &'static str,
    /// Run it: the theorem's left side is the session's body, or the term where `Session::convert_about`
    /// has left the focus.
    pub run: fn(&mut Session<'_>, &Step) -> Result<Thm, Refusal>,
}
