//! What is known of a kernel's machine code, and what serves in its place if it is wrong.

use atl_diag::{Diagnostic, warning};
use atl_lang::Function;
use atl_session::display::counted;
use std::fmt;
use std::path::PathBuf;

/// What is known of the code that serves.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// What comparing it with the interpreter of loops has shown.
    pub verdict: Verdict,
    /// What serves in place of what was asked for, and why.
    pub instead: Option<Instead>,
}

/// What comparing code with the interpreter of loops has shown. Code that differs never serves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Verdict {
    /// Nobody has asked: it is an interpreter, or was to be believed.
    #[default]
    Unasked,
    /// It gave the same, this number of times.
    Agrees {
        /// How many calls were compared.
        calls: usize,
        /// Did the sizes of one exceed every tile, vector and unrolled loop?
        exceeds: bool,
    },
    /// It was not compared: no arguments were found.
    Unchecked(String),
}

impl Verdict {
    /// A word for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Unasked => "unasked",
            Verdict::Agrees { exceeds: true, .. } => "agrees",
            Verdict::Agrees { exceeds: false, .. } => "agrees at small sizes",
            Verdict::Unchecked(_) => "not checked",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Unasked => f.write_str("was not compared with the interpreter of loops"),
            Verdict::Agrees { calls, exceeds } => {
                let at = if *exceeds { "" } else { ", at small sizes only" };
                write!(f, "gave what the interpreter of loops gives, in {}{at}", counted(*calls, "call"))
            }
            Verdict::Unchecked(why) => write!(f, "was not checked: {why}"),
        }
    }
}

/// What serves in place of what was asked for.
#[derive(Clone, Debug)]
pub enum Instead {
    /// The same C, compiled without fused operations, whose roundings the rounds of the kernel amplify.
    Uncontracted,
    /// The same C, compiled with safe flags: the usual code was wrong.
    SafeFlags(Wrong),
    /// The embedded back end: both codes were wrong.
    Embedded(Wrong),
    /// The embedded back end: the compiler would take too long, or did, as these words say.
    TooLong(String),
}

/// A compiler's wrong code.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The compiler, in its own words.
    pub compiler: String,
    /// The flags.
    pub flags: String,
    /// What differed.
    pub difference: String,
    /// A program that shows it, if there was a place for it.
    pub report: Option<PathBuf>,
}

impl Standing {
    /// The back end that serves in place of the one that was asked for.
    #[must_use]
    pub fn backend(&self) -> Option<&'static str> {
        match &self.instead {
            Some(Instead::Embedded(_) | Instead::TooLong(_)) => {
                Some(crate::backends::cranelift::BACKEND.name)
            }
            Some(Instead::Uncontracted | Instead::SafeFlags(_)) | None => None,
        }
    }

    /// A warning, where something else serves than what was asked for.
    pub(crate) fn remark(&self, f: &Function) -> Option<Diagnostic> {
        let name = &f.name;
        let (wrong, serves) = match self.instead.as_ref()? {
            Instead::Uncontracted => return None,
            Instead::SafeFlags(wrong) => (
                wrong,
                "code that it makes with safe flags agrees with the interpreter of the loops, and serves",
            ),
            Instead::Embedded(wrong) => {
                (wrong, "what it makes with safe flags differs as well; the embedded back end serves")
            }
            Instead::TooLong(why) => {
                return Some(
                    warning!(E0616, f.span, "`{name}` is too much for the C compiler; the embedded back end serves")
                        .label("this function, under its schedule")
                        .note(why.clone())
                        .help("unroll less, choose smaller tiles in registers, or `peel`, so that guards stand around fewer loops; or ask for `--backend cranelift`"),
                );
            }
        };
        let remark =
            warning!(E0615, f.span, "the C compiler makes wrong code of `{name}`, which is not used")
                .label("this function")
                .note(format!("by `{}` with `{}`: {}", wrong.compiler, wrong.flags, wrong.difference))
                .note(serves);
        Some(match &wrong.report {
            Some(path) => remark.help(format!(
                "`{}` is a program that shows it, for those who maintain the compiler",
                path.display()
            )),
            None => remark,
        }
        .help("`CC=clang` chooses another compiler, `--backend cranelift` none; `--no-validate` would believe this one"))
    }
}
