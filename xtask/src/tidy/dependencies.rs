//! `dependencies`: the crates use one another, and the outside, only as the table says.
//!
//! The table is the architecture: what is trusted depends on nothing, the layers point one way, and a new
//! arrow is a decision made here rather than a line slipped into a manifest. `ARCHITECTURE.md` gives the
//! reasons.

use super::{Check, Report};
use crate::tree::Tree;

pub(super) const CHECK: Check =
    Check { name: "dependencies", holds: "crates depend on one another as the table allows", run };

/// What a crate may use.
struct Allowed {
    /// The folder in `crates/`; the package is `atl-` and that.
    name: &'static str,
    /// Crates of the workspace.
    ours: &'static [&'static str],
    /// Other crates.
    external: &'static [&'static str],
}

const fn allow(
    name: &'static str,
    ours: &'static [&'static str],
    external: &'static [&'static str],
) -> Allowed {
    Allowed { name, ours, external }
}

/// `driver` and everything below it, and the independent checker, which tests compare with the kernel.
const TESTED: &[&str] = &[
    "annotations",
    "arith",
    "backend-c",
    "backend-cranelift",
    "backend-cuda",
    "check",
    "data",
    "diag",
    "driver",
    "elementary",
    "folds",
    "formats",
    "interp",
    "kernel",
    "lang",
    "layout",
    "loops",
    "lower",
    "ops",
    "proof",
    "query",
    "recheck",
    "rocq",
    "rules",
    "runtime",
    "scalars",
    "schedule",
    "search",
    "semirings",
    "streams",
    "syntax",
    "tables",
    "teil",
];

/// Every crate, sorted.
const TABLE: &[Allowed] = &[
    allow("annotations", &["diag", "kernel"], &[]),
    allow("arith", &["interrupt", "kernel"], &[]),
    allow(
        "artifact",
        &[
            "backend-c",
            "call",
            "diag",
            "formats",
            "kernel",
            "lang",
            "loops",
            "lower",
            "ops",
            "proof",
            "recheck",
            "report",
            "rocq",
            "runtime",
            "session",
            "syntax",
        ],
        &["serde_json"],
    ),
    allow("backend-c", &["c-text", "loops"], &[]),
    allow(
        "backend-cranelift",
        &["loops"],
        &["cranelift-codegen", "cranelift-frontend", "cranelift-jit", "cranelift-module", "cranelift-native"],
    ),
    allow("backend-cuda", &["c-text", "loops"], &[]),
    allow("bounds-check", &["arith", "diag", "kernel", "teil"], &[]),
    allow("c-text", &["loops"], &[]),
    allow(
        "call",
        &[
            "arith",
            "backend-c",
            "backend-cranelift",
            "backend-cuda",
            "cost",
            "diag",
            "formats",
            "interp",
            "kernel",
            "lang",
            "loops",
            "runtime",
            "schedule",
            "semirings",
            "session",
        ],
        &[],
    ),
    allow("check", &["arith", "kernel", "ops"], &[]),
    allow("cli", &["diag", "driver", "stack", "tables"], &["clap", "rustyline", "serde_json", "signal-hook"]),
    allow("cost", &["loops"], &[]),
    allow("data", &["runtime"], &["image", "serde_json", "zip"]),
    allow("diag", &[], &["annotate-snippets", "serde_json"]),
    allow(
        "driver",
        &[
            "artifact",
            "bounds-check",
            "call",
            "data",
            "diag",
            "einsum",
            "formats",
            "kernel",
            "lang",
            "layout",
            "report",
            "runtime",
            "session",
            "syntax",
            "teil",
            "tune",
        ],
        &["ndarray"],
    ),
    allow("einsum", &["diag", "formats", "kernel", "semirings", "syntax"], &[]),
    allow("elementary", &["kernel"], &["astro-float-num"]),
    allow("folds", &["scalars"], &[]),
    allow("formats", &["arith", "halves", "kernel", "ops", "semirings"], &[]),
    allow("halves", &[], &[]),
    allow("interp", &["kernel", "scalars", "semirings"], &[]),
    allow("interrupt", &[], &[]),
    allow("kernel", &[], &[]),
    allow("lang", &["diag", "formats", "kernel", "ops", "semirings", "stack", "syntax"], &[]),
    allow("layout", &["annotations", "arith", "kernel"], &["serde", "serde_json"]),
    allow("loops", &["annotations", "elementary", "folds", "kernel", "scalars", "semirings"], &[]),
    allow(
        "lower",
        &["annotations", "arith", "check", "diag", "kernel", "loops", "ops", "rules", "semirings"],
        &[],
    ),
    allow("ops", &["arith", "kernel"], &[]),
    allow("proof", &["kernel", "semirings"], &[]),
    allow(
        "python",
        &["diag", "driver", "interrupt", "kernel", "lang", "recheck", "runtime", "stack", "tables"],
        &["numpy", "pyo3", "serde_json"],
    ),
    allow("query", &["diag"], &["brotli-decompressor", "csv", "parquet", "sqlparser", "zstd"]),
    allow("recheck", &[], &[]),
    allow(
        "report",
        &[
            "annotations",
            "arith",
            "backend-c",
            "call",
            "check",
            "diag",
            "formats",
            "kernel",
            "lang",
            "loops",
            "lower",
            "ops",
            "rules",
            "schedule",
            "semirings",
            "session",
            "syntax",
        ],
        &[],
    ),
    allow("rocq", &["arith", "kernel", "loops", "lower"], &[]),
    allow("rules", &["arith", "diag", "kernel", "lang", "ops", "semirings", "syntax"], &[]),
    allow("runtime", &["halves"], &["libc", "libloading", "ndarray"]),
    allow("scalars", &["elementary", "halves", "kernel"], &[]),
    allow(
        "schedule",
        &["annotations", "arith", "diag", "kernel", "lang", "layout", "ops", "rules", "syntax"],
        &[],
    ),
    allow("search", &["cost", "kernel", "loops", "schedule"], &[]),
    allow("semiring-check", &["arith", "diag", "interp", "kernel", "lang", "semirings"], &[]),
    allow("semirings", &["kernel"], &[]),
    allow(
        "session",
        &[
            "annotations",
            "arith",
            "check",
            "diag",
            "formats",
            "interrupt",
            "kernel",
            "lang",
            "loops",
            "lower",
            "rules",
            "runtime",
            "schedule",
            "search",
            "semiring-check",
            "semirings",
            "syntax",
        ],
        &[],
    ),
    allow("stack", &[], &[]),
    allow("streams", &["semirings"], &[]),
    allow("syntax", &["diag", "stack"], &[]),
    allow("tables", &["diag", "driver", "kernel", "lang", "query", "runtime", "scalars", "semirings"], &[]),
    allow("teil", &["diag", "kernel", "scalars", "syntax"], &[]),
    allow("testkit", TESTED, &["libtest-mimic", "proptest"]),
    allow(
        "tune",
        &[
            "backend-c",
            "call",
            "cost",
            "diag",
            "interrupt",
            "kernel",
            "lang",
            "loops",
            "runtime",
            "search",
            "session",
            "syntax",
        ],
        &[],
    ),
];

/// What tests may use besides.
const TEST_TOOLS: &[&str] = &["criterion", "insta", "libloading", "libtest-mimic", "proptest"];

/// A line of a manifest that names a dependency.
#[derive(Debug, PartialEq)]
struct Dependency<'t> {
    name: &'t str,
    line: usize,
    for_tests: bool,
}

fn run(tree: &Tree, report: &mut Report) {
    for file in tree.under("crates/").filter(|file| file.path.ends_with("/Cargo.toml")) {
        let name = file.path.trim_start_matches("crates/").trim_end_matches("/Cargo.toml");
        let Some(allowed) = TABLE.iter().find(|allowed| allowed.name == name) else {
            report.problem(&file.path, "a crate that the table of this check does not list");
            continue;
        };
        for dependency in dependencies(&file.text) {
            let Dependency { name, line, for_tests } = dependency;
            let fits = match name.strip_prefix("atl-") {
                // Tests may look upwards, except for `testkit`: that would compile the crate twice.
                Some(ours) if for_tests => {
                    ours != "testkit" || allowed.name == "cli" || allowed.name == "driver"
                }
                Some(ours) => allowed.ours.contains(&ours),
                None => allowed.external.contains(&name) || (for_tests && TEST_TOOLS.contains(&name)),
            };
            if !fits {
                report.problem_at(&file.path, line, format!("`{}` may not use `{name}`", allowed.name));
            }
        }
    }
    for allowed in TABLE {
        let path = format!("crates/{}/Cargo.toml", allowed.name);
        if tree.under("crates/").next().is_some() && tree.text(&path).is_none() {
            report.problem(&path, "listed in the table of this check, and missing");
        }
    }
}

/// The dependencies that a manifest names, of all kinds.
fn dependencies(manifest: &str) -> Vec<Dependency<'_>> {
    let mut found = Vec::new();
    let mut section = "";
    for (number, line) in manifest.lines().enumerate() {
        let line = line.trim();
        let for_tests = section.contains("dev-dependencies");
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']');
            // `[dependencies.name]`
            if let Some((_, name)) = section.split_once("dependencies.") {
                let for_tests = section.contains("dev-dependencies");
                found.push(Dependency { name, line: number + 1, for_tests });
            }
        } else if section.ends_with("dependencies") && !line.is_empty() && !line.starts_with('#') {
            let name = line.split(['.', '=', ' ']).next().unwrap_or(line);
            found.push(Dependency { name, line: number + 1, for_tests });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;
    use std::collections::BTreeSet;

    fn check(name: &str, manifest: &str, expected: usize) {
        let path = format!("crates/{name}/Cargo.toml");
        let found = problems(&CHECK, &[(&path, manifest)]);
        let found: Vec<&String> = found.iter().filter(|problem| !problem.contains("missing")).collect();
        assert_eq!(found.len(), expected, "{found:?}");
    }

    #[test]
    fn arrows_are_checked() {
        check("arith", "[dependencies]\natl-kernel.workspace = true\n", 0);
        check("arith", "[dependencies]\natl-lang.workspace = true\n", 1);
        check("kernel", "[dependencies]\nserde = \"1\"\n", 1);
        check("kernel", "[dependencies.serde]\nversion = \"1\"\n", 1);
        check("kernel", "[target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n", 1);
        check("kernel", "[dev-dependencies]\nproptest.workspace = true\n", 0);
        check("kernel", "[dev-dependencies]\natl-testkit.workspace = true\n", 1);
        check("kernel", "[build-dependencies]\ncc = \"1\"\n", 1);
        check("unheard-of", "", 1);
    }

    /// Everything that a crate is made of.
    fn below(name: &str) -> BTreeSet<&'static str> {
        let mut found = BTreeSet::new();
        let mut next = vec![name];
        while let Some(name) = next.pop() {
            for ours in TABLE.iter().filter(|allowed| allowed.name == name).flat_map(|a| a.ours) {
                if found.insert(*ours) {
                    next.push(ours);
                }
            }
        }
        found
    }

    #[test]
    fn what_only_tests_use_is_no_part_of_the_product() {
        for product in ["cli", "python"] {
            let below = below(product);
            assert!(below.contains("session"), "{below:?}");
            for oracle in ["streams", "testkit"] {
                assert!(!below.contains(oracle), "{product} is made of {oracle}");
            }
        }
    }

    #[test]
    fn a_change_in_what_runs_or_reads_leaves_what_derives_as_it_is() {
        let below = below("session");
        for above in ["backend-c", "backend-cranelift", "backend-cuda", "data", "einsum", "query", "teil"] {
            assert!(!below.contains(above), "session is made of {above}");
        }
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(TABLE.is_sorted_by_key(|allowed| allowed.name));
        assert!(TABLE.iter().all(|allowed| allowed.ours.is_sorted() && allowed.external.is_sorted()));
    }
}
