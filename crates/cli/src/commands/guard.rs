//! `atl guard`: whether a kernel that was written for another tool is type safe.

use super::refuse;
use crate::args::Guard;
use crate::output::{Output, Result};
use atl_diag::err;
use atl_driver::bounds_check::check;

pub(super) fn run(args: &Guard, out: &mut Output) -> Result {
    let (path, kernel) = (args.kernel.as_path(), args.kernel.to_string_lossy());
    let (name, text) = match path.is_file() {
        true => {
            let unreadable =
                |why| refuse(err!(E0601, "cannot read `{}`: {why}", path.display()).help("check the path"));
            (path.display().to_string(), atl_driver::read_program(path).map_err(unreadable)?)
        }
        false if is_path(&kernel) => {
            let refusal = err!(E0601, "cannot read `{kernel}`: there is no such file");
            let what = "a kernel has `=`, `->` or commas, as in \"ij,jk->ik\"; all else is the path of one";
            return Err(refuse(refusal.help(what)));
        }
        false => ("the kernel".to_owned(), kernel.into_owned()),
    };
    let safe = check(&name, &text, &args.declare, &args.assume)?;
    match &safe.program {
        Ok(program) if args.teil => out.print(&program.to_string()),
        Err(why) if args.teil => {
            let refusal = err!(E0297, "the kernel is no program in TeIL: {why}");
            Err(refuse(refusal.help("without `--teil`, what is known of it is printed")))
        }
        _ => out.print(&safe.to_text()),
    }
}

/// Whether a text that names no file is meant to: no notation of the guard is one word with a point or a slash in it.
fn is_path(text: &str) -> bool {
    let marks = ['=', ',', '{', '(', '>'];
    !text.contains(marks) && !text.contains(char::is_whitespace) && text.contains(['.', '/', '\\'])
}
