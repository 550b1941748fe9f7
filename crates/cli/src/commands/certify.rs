//! `atl certify`: a theorem as a file for Rocq, and Rocq's answer.

use super::{load, refuse};
use crate::args::Certify;
use crate::output::{Output, Result};
use atl_diag::err;
use atl_driver::certify::{Claims, Unchecked, certify, check};
use atl_driver::explain::counted;
use std::time::Instant;

pub(super) fn run(args: &Certify, out: &mut Output) -> Result {
    let program = load(&args.file, (args.function.as_deref(), args.schedule.as_deref()), out)?;
    let claims = if args.derivation_only { Claims::Derivation } else { Claims::Loops };
    let exported = certify(&program, args.function.as_deref(), args.schedule.as_deref(), claims)?;
    let path = args.output.display().to_string();
    std::fs::write(&args.output, &exported.text)
        .map_err(|why| refuse(err!(E0610, "`{path}` cannot be written").note(why.to_string())))?;
    let mut report = format!(
        "{path}: {}, {}, {}\n",
        counted(exported.inferences, "inference"),
        counted(exported.certificates, "certificate"),
        counted(exported.text.len(), "byte"),
    );
    if args.run {
        // The library takes a minute and a half, the theorem a second.
        let (doing, with) = match args.cache {
            Some(_) => ("Rocq checks the theorem", ""),
            None => (
                "Rocq compiles the library, which `--cache DIR` keeps, and checks the theorem",
                ", with the library, which Rocq compiled first; `--cache DIR` keeps it",
            ),
        };
        out.progress(doing);
        let start = Instant::now();
        let own = std::env::temp_dir().join(format!("atl-certify-{}", std::process::id()));
        let folder = args.cache.clone().unwrap_or_else(|| own.clone());
        let answer = std::fs::create_dir_all(&folder)
            .map_err(|why| Unchecked::NotRun(why.to_string()))
            .and_then(|()| check(&exported.text, &folder));
        // What is left behind lies in the folder for such things.
        let _ = std::fs::remove_dir_all(&own);
        let said = answer.map_err(|why| {
            refuse(match why {
                Unchecked::NotRun(why) => err!(E0807, "Rocq has not looked at `{path}`")
                    .note(why.trim().to_owned())
                    .help("`--run` needs `coqc` of Coq 8.16 or later on the path"),
                Unchecked::Library(said) => {
                    err!(E0807, "Rocq has not looked at `{path}`: it refuses the library")
                        .note(said.trim().to_owned())
                        .help("`coqc` of Coq 8.16 or later is asked for; nothing is said of the file")
                }
                Unchecked::Refused(said) => {
                    err!(E0807, "Rocq has not accepted `{path}`").note(said.trim().to_owned())
                }
            })
        })?;
        report += &format!("Rocq: {}, in {:.1} s{with}\n", said.trim(), start.elapsed().as_secs_f64());
    }
    out.print(&report)
}
