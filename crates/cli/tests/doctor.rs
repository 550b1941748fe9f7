//! `atl doctor`.

use crate::common::Folder;
use crate::common::json::{Value, parse};

/// The report, with these variables set.
fn report(folder: &Folder, variables: &[(&str, &str)]) -> (Option<i32>, Value) {
    let mut command = folder.command(&["doctor", "--json"]);
    for name in ["CC", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"] {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().expect("the command runs");
    (output.status.code(), parse(&String::from_utf8(output.stdout).expect("text")))
}

/// Every compiler of the machine is right with the flags that are passed, and what they avoid is named.
#[test]
fn compilers_are_tried_with_and_without_the_flags_that_are_passed() {
    let folder = Folder::new("doctor");
    let (code, found) = report(&folder, &[]);
    let compilers = found.field("compilers").list();
    if compilers.is_empty() {
        eprintln!("skipped: no C compiler");
        return;
    }
    assert_eq!((code, found.field("ok")), (Some(0), &Value::Bool(true)));
    assert!(compilers.iter().filter(|c| *c.field("used") == Value::Bool(true)).count() == 1);
    for compiler in compilers {
        let wrong = |flags: &str| compiler.field(flags).field("wrong").list().to_vec();
        assert_eq!(wrong("passed"), [], "{compiler:?}");
        assert_eq!(wrong("plain"), compiler.field("avoided").list(), "{compiler:?}");
        // GCC contracts products and sums wherever the processor can, unless it is told not to.
        let can = found.field("vectors").list().contains(&Value::Text("fma".to_owned()));
        let gcc = compiler.field("version").text().contains("Debian 1");
        let contracted = wrong("plain").contains(&Value::Text("contraction".to_owned()));
        assert!(contracted || !can || !gcc, "{compiler:?}");
    }
    assert_eq!(found.field("cache_refused"), &Value::Null);
    // Nobody has said how threads wait, so those of `atl` sleep.
    assert_eq!((found.field("passive"), found.field("environment").list().len()), (&Value::Bool(true), 0));
}

#[test]
fn what_is_missing_or_set_is_said() {
    let folder = Folder::new("doctor_missing");
    folder.write("cache", "a file");
    let cache = folder.path("cache").display().to_string();
    let set = [
        ("CC", "no-such-compiler"),
        ("ATL_CACHE", &cache),
        ("OMP_WAIT_POLICY", "active"),
        ("PATH", "/nowhere"),
    ];
    let (code, found) = report(&folder, &set);
    assert_eq!((code, found.field("compilers").list().len()), (Some(0), 0));
    assert!(found.field("missing").text().contains("no-such-compiler"));
    assert!(!found.field("cache_refused").text().is_empty());
    let policy = Value::Text("OMP_WAIT_POLICY=active".to_owned());
    assert_eq!(
        (found.field("passive"), found.field("environment").list()),
        (&Value::Bool(false), &[policy][..])
    );
    let text = folder.command(&["doctor"]).envs(set).output().expect("the command runs").stdout;
    let text = String::from_utf8(text).expect("text");
    for part in ["none is used", "set ATL_CACHE to a folder that can", "OMP_WAIT_POLICY=active", "not found"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
