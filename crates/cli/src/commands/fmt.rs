//! `atl fmt`: programs in canonical layout.

use super::refuse;
use crate::args::Fmt;
use crate::output::{Exit, Output, Result, Stop};
use atl_diag::err;
use std::path::Path;

pub(super) fn run(args: &Fmt, out: &mut Output) -> Result {
    let mut exit = Exit::Done;
    for file in &args.files {
        if let Err(stop) = format(file, args.check, out) {
            // The other files are formatted all the same.
            exit = out.end(Err(stop));
        }
    }
    if exit == Exit::Done { Ok(()) } else { Err(Stop::Said(exit)) }
}

fn format(file: &Path, check: bool, out: &mut Output) -> Result {
    let name = file.display().to_string();
    let unreadable = |why| refuse(err!(E0601, "cannot read `{name}`: {why}").help("check the path"));
    let text = atl_driver::read_program(file).map_err(unreadable)?;
    let formatted = atl_driver::format(&name, &text)?;
    if formatted == text {
        return Ok(());
    }
    if check {
        out.print(&format!("{name}\n"))?;
        return Err(Stop::Said(Exit::Refused));
    }
    // Should the disk be full, the program stays as it was.
    atl_driver::replace_file(file, formatted.as_bytes()).map_err(|why| {
        refuse(err!(E0610, "cannot write `{name}`: {why}").help("check that the file may be changed"))
    })
}
