//! Writing a script out: behind the program, or into a file of its own that imports the program.

use super::Interactive;
use atl_diag::{Diagnostic, FileId, err};
use atl_session::Failure;
use atl_syntax::{TokenKind, lex};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

impl Interactive {
    /// Write the script as a schedule with this name: into a new file, or at the end of the program's. The
    /// file.
    ///
    /// # Errors
    /// The name is none, or is taken; the file cannot be written, or is there already.
    pub fn save(&mut self, name: &str, file: Option<&Path>) -> Result<PathBuf, Failure> {
        let program = PathBuf::from(self.program.sources().name(FileId(0)));
        self.free_name(name).map_err(|d| self.refuse(*d))?;
        let script = self.script(name);
        let (path, text) = match file {
            None => (program, format!("\n{script}")),
            Some(path) => (path.to_owned(), format!("import \"{}\"\n\n{script}", imported(&program, path))),
        };
        let mut options = OpenOptions::new();
        match file {
            None => options.append(true),
            Some(_) => options.write(true).create_new(true),
        };
        let written = options.open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|why| {
            let d = err!(E0610, "cannot write `{}`: {why}", path.display());
            self.refuse(d.help("give the path of a new file after the name"))
        })?;
        self.saved.push(name.to_owned());
        Ok(path)
    }

    fn free_name(&self, name: &str) -> Result<(), Box<Diagnostic>> {
        let refuse = |why: String| Err(Box::new(err!(E0622, "{why}").help("choose another name")));
        let (tokens, _) = lex(FileId(0), name);
        let kinds: Vec<TokenKind> =
            tokens.iter().map(|t| t.kind).filter(|kind| *kind != TokenKind::End).collect();
        if kinds != [TokenKind::Ident] {
            return refuse(format!("`{name}` is not a name"));
        }
        let of_it = self.program.schedules().iter().filter(|s| s.of.text == self.function.name);
        let written = of_it.map(|s| &s.name.text);
        let functions = self.program.functions().iter().map(|f| &f.name);
        match written.chain(functions).chain(&self.saved).any(|taken| taken == name) {
            true => refuse(format!("the program has something called `{name}`")),
            false => Ok(()),
        }
    }

    fn refuse(&self, d: Diagnostic) -> Failure {
        Failure::new(self.program.sources(), d)
    }
}

/// The program's path as a file in that folder imports it.
fn imported(program: &Path, from: &Path) -> String {
    let folder = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
    let path = match program.file_name() {
        Some(name) if folder(program) == folder(from) => PathBuf::from(name),
        _ => program.canonicalize().unwrap_or_else(|_| program.to_owned()),
    };
    path.display().to_string()
}
