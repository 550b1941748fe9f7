//! `unsafe-code`: `unsafe` stands only where machine code is called, and each use says why it is sound.

use super::{Check, Report};
use crate::rust_text::{code, has_word};
use crate::tree::Tree;

pub(super) const CHECK: Check =
    Check { name: "unsafe-code", holds: "`unsafe` only where machine code is called, with its reason", run };

/// Where it may stand.
const ALLOWED: &[&str] = &[
    "benches/src/race/native.rs",
    "crates/backend-c/tests/",
    "crates/backend-cranelift/",
    "crates/call/src/backends/c.rs",
    "crates/python/src/bound.rs",
    "crates/python/src/copied.rs",
    "crates/python/src/data.rs",
    "crates/runtime/",
    "crates/tune/src/roofline/mod.rs",
];

/// How far above a use its reason may begin.
const NEAR: usize = 8;

fn run(tree: &Tree, report: &mut Report) {
    for file in tree.rust() {
        let allowed = ALLOWED.iter().any(|prefix| file.path.starts_with(prefix));
        let lines: Vec<&str> = file.text.lines().collect();
        for (number, line) in
            code(&file.text).lines().enumerate().filter(|(_, line)| has_word(line, "unsafe"))
        {
            if !allowed {
                report.problem_at(
                    &file.path,
                    number + 1,
                    "`unsafe` outside the crates that call machine code",
                );
            }
            let reason = &lines[number.saturating_sub(NEAR)..=number];
            let acts = line.contains("unsafe {") || line.contains("unsafe impl");
            if acts && !reason.iter().any(|line| line.contains("SAFETY:")) {
                report.problem_at(&file.path, number + 1, "`unsafe` without a `SAFETY:` comment");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    #[test]
    fn place_and_reason_are_demanded() {
        let check = |path: &str, text: &str| problems(&CHECK, &[(path, text)]).len();
        assert_eq!(check("crates/lang/src/a.rs", "// SAFETY: no.\nunsafe { f() }"), 1);
        assert_eq!(check("crates/runtime/src/a.rs", "// SAFETY: yes.\nunsafe { f() }"), 0);
        assert_eq!(check("crates/runtime/src/a.rs", "unsafe { f() }"), 1);
        assert_eq!(check("crates/lang/src/a.rs", "#![forbid(unsafe_code)] // unsafe"), 0);
    }
}
