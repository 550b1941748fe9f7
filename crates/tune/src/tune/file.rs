//! Schedules as text: alone, and as a file that imports the program.

use atl_diag::err;
use atl_session::Failure;
use atl_session::Program;
pub use atl_session::auto::schedule_text;
use std::path::{Component, Path, PathBuf};

/// What a file says of the measurement that it comes from.
#[derive(Clone, Debug)]
pub struct Remark {
    /// The sizes, by name.
    pub sizes: Vec<(String, i64)>,
    /// How many times as fast as the function as written.
    pub ratio: f64,
    /// The back end.
    pub backend: &'static str,
    /// What it preserves in floating point.
    pub rounding: atl_kernel::Rounding,
}

/// The name of the schedule that tuning writes for a function: `tuned`, with a number where the program has
/// one called so.
pub fn schedule_name(program: &Program, function: &str) -> String {
    let is_taken =
        |name: &String| program.schedules().iter().any(|s| s.of.text == function && s.name.text == *name);
    let numbered = (2u32..).map(|k| format!("tuned_{k}"));
    let mut names = std::iter::once("tuned".to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// The text of a file at `out` that imports the program at `source` and holds a schedule of it.
///
/// # Errors
/// The file would replace the program, or there is no path from its folder to the program.
pub fn schedule_file(
    program: &Program,
    (source, out): (&Path, &Path),
    function: &str,
    steps: &[String],
    remark: &Remark,
) -> Result<String, Failure> {
    let refuse = |d| Failure::new(program.sources(), d);
    let unreadable = |path: &Path, why: std::io::Error| {
        refuse(err!(E0610, "cannot write `{}`: {why}", path.display()).help("choose another place with `-o`"))
    };
    let source = source.canonicalize().map_err(|why| unreadable(source, why))?;
    let folder = match out.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let folder = folder.canonicalize().map_err(|why| unreadable(out, why))?;
    if out.canonicalize().is_ok_and(|out| out == source) || program.is_source(out) {
        return Err(refuse(
            err!(E0902, "the schedule would replace the program `{}`", out.display())
                .help("choose another file with `-o`"),
        ));
    }
    let import = relative(&folder, &source).ok_or_else(|| {
        refuse(
            err!(E0610, "cannot write `{}`: there is no path from there to the program", out.display())
                .help("choose another place with `-o`"),
        )
    })?;
    let sizes: Vec<String> = remark.sizes.iter().map(|(name, n)| format!("{name} = {n}")).collect();
    let sizes = if sizes.is_empty() { "its sizes".to_owned() } else { sizes.join(", ") };
    Ok(format!(
        "import \"{}\"\n\n/// Found for {sizes}: there, in the back end `{}`, {:.2} times as fast as the function as written.\n/// In floating point it is `{}`.\n{}",
        import.replace('\\', "\\\\").replace('"', "\\\""),
        remark.backend,
        remark.ratio,
        remark.rounding,
        schedule_text(&schedule_name(program, function), function, steps)
    ))
}

/// The way from a folder to a file, both without links; none if they have no folder in common or no UTF-8 names.
fn relative(folder: &Path, file: &Path) -> Option<String> {
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (folder.components().collect(), file.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return None;
    }
    let up = from[common..].iter().map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(to[common..].iter().copied()).collect();
    let parts: Option<Vec<&str>> = way.components().map(|part| part.as_os_str().to_str()).collect();
    Some(parts?.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_schedules_are_formatted_and_names_are_free() {
        assert_eq!(schedule_text("tuned", "f", &[]), "schedule tuned of f {}\n");
        let named = |schedules: &str| {
            let text =
                format!("fn f(x: f32[N]) -> f32[N] {{ x }} fn g(x: f32[N]) -> f32[N] {{ x }} {schedules}");
            schedule_name(&Program::parse("f.atl", &text).expect("it is accepted"), "f")
        };
        assert_eq!(named("schedule tuned of g {}"), "tuned");
        assert_eq!(named("schedule tuned of f {}"), "tuned_2");
        assert_eq!(named("schedule tuned of f {} schedule tuned_2 of f {}"), "tuned_3");
    }

    #[test]
    fn files_find_their_program() {
        let check = |folder, file, way: Option<&str>| {
            assert_eq!(relative(Path::new(folder), Path::new(file)).as_deref(), way, "{folder} to {file}");
        };
        check("/a/b", "/a/b/p.atl", Some("p.atl"));
        check("/a/b", "/a/c/p.atl", Some("../c/p.atl"));
        check("/a", "/a/b/c/p.atl", Some("b/c/p.atl"));
        check("", "/p.atl", None);
    }
}
