//! Programs: from text to functions and schedules.

use crate::failure::Failure;
use crate::safety_errors;
use crate::scheduled::{Lowered, Scheduled};
use crate::source_file::read_program;
use crate::stack::on_deep;
use atl_arith::Arith;
use atl_diag::{Diagnostic, FileId, SourceMap, Span, err, spelling};
use atl_kernel::Rounding;
use atl_lang::{Function, Loader, Module};
use atl_schedule::Library;
use atl_syntax::ast;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A language whose files become programs: by their ending, a file of it is one wherever a program is read,
/// also where it is imported.
#[derive(Clone, Copy)]
pub struct Language {
    /// The ending of its files' names, without the dot.
    pub ending: &'static str,
    /// The program that a text of it is.
    pub translate: fn(FileId, &str) -> Result<Translated, Box<Diagnostic>>,
}

/// What a text in another language becomes.
#[derive(Clone, Debug, Default)]
pub struct Translated {
    /// The text of the program.
    pub text: String,
    /// Remarks on the text.
    pub warnings: Vec<Diagnostic>,
    /// Schedules that some of its functions lack.
    pub absent: Vec<Absent>,
}

/// A schedule that functions of a translated program have where it applies, and that one lacks.
#[derive(Clone, Debug)]
pub struct Absent {
    /// The function.
    pub function: String,
    /// The schedule.
    pub schedule: &'static str,
    /// Why it does not apply.
    pub why: String,
}

/// An elaborated file with what it imports.
#[derive(Clone, Debug)]
pub struct Program {
    sources: Arc<SourceMap>,
    module: Module,
    library: Arc<Library>,
    warnings: Vec<Diagnostic>,
    /// Where its own functions and their schedules stand.
    parts: Vec<(Span, String)>,
    absent: Vec<Absent>,
    derived: Arc<Derived>,
}

/// What was derived already, by the names of function and schedule.
#[derive(Default)]
struct Derived(Mutex<BTreeMap<(String, Option<String>), Scheduled>>);

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Derived")
    }
}

/// Where the functions and their schedules stand, with the names of the functions.
fn parts(file: &ast::File) -> Vec<(Span, String)> {
    let part = |item: &ast::Item| match item {
        ast::Item::Function(function) => Some((function.span, function.name.text.clone())),
        ast::Item::Schedule(schedule) => Some((schedule.span, schedule.of.text.clone())),
        _ => None,
    };
    file.items.iter().filter_map(part).collect()
}

/// Finds imported files next to the one that names them.
struct Files<'l> {
    languages: &'l [Language],
    sources: SourceMap,
    /// The path of each file of the source map; none for text that came from nowhere.
    paths: Vec<Option<PathBuf>>,
    /// Warnings about texts that became programs.
    warnings: Vec<Diagnostic>,
    /// Which of their functions lack schedules that such functions may have.
    absent: Vec<Absent>,
    /// The texts of the library's modules.
    modules: Vec<FileId>,
}

impl Files<'_> {
    fn add(&mut self, name: &str, path: Option<PathBuf>, text: &str) -> FileId {
        self.paths.push(path);
        self.sources.add(name, text)
    }
}

impl Loader for Files<'_> {
    fn load(&mut self, from: FileId, path: &str) -> Result<(FileId, String), String> {
        let base = self.paths.get(from.0 as usize).cloned().flatten();
        let Some(folder) = base.as_deref().and_then(Path::parent) else {
            return Err("text without a file has no folder to import from".to_owned());
        };
        let found = folder.join(path);
        let canonical = found.canonicalize().map_err(|e| e.to_string())?;
        if let Some(k) = self.paths.iter().position(|p| p.as_ref() == Some(&canonical)) {
            let id = FileId(u32::try_from(k).map_err(|_| "too many files".to_owned())?);
            return Ok((id, self.sources.text(id).to_owned()));
        }
        let text = read_program(&canonical).map_err(|e| e.to_string())?;
        self.add_program(&found.display().to_string(), Some(canonical), text).map_err(|refused| {
            let at = refused.span().map(|span| self.sources.position(span.file, span.start));
            let line = at.map_or(String::new(), |at| format!(", in line {}", at.line));
            format!("it is refused: {}{line}", refused.message)
        })
    }

    fn library(&mut self, module: &str, text: &str) -> FileId {
        let module = self.add(module, None, text);
        self.modules.push(module);
        module
    }
}

impl Files<'_> {
    /// Adds a file: its text and where it stands. Of a program in another language these are of what it
    /// becomes.
    fn add_program(
        &mut self,
        name: &str,
        path: Option<PathBuf>,
        text: String,
    ) -> Result<(FileId, String), Box<Diagnostic>> {
        let ending = Path::new(name).extension();
        let Some(language) = self.languages.iter().find(|l| ending.is_some_and(|e| e == l.ending)) else {
            return Ok((self.add(name, path, &text), text));
        };
        let written = self.add(name, None, &text);
        let functions = (language.translate)(written, &text)?;
        self.warnings.extend(functions.warnings);
        self.absent.extend(functions.absent);
        let functions = functions.text;
        Ok((self.add(&format!("the program of {name}"), path, &functions), functions))
    }
}

impl Program {
    /// Read and elaborate a file, which may be in one of these languages.
    ///
    /// # Errors
    /// Every mistake in it that was found.
    pub fn load(languages: &[Language], path: &Path) -> Result<Program, Failure> {
        let read = path.canonicalize().and_then(|full| Ok((read_program(&full)?, full)));
        match read {
            Ok((text, full)) => Program::elaborate(languages, &path.display().to_string(), Some(full), &text),
            Err(why) => Err(Failure::new(
                &Arc::default(),
                err!(E0601, "cannot read `{}`: {why}", path.display())
                    .help("check the path; a program is a text file, by custom `NAME.atl`"),
            )),
        }
    }

    /// Elaborate a text, which may be in one of these languages, as if it were the one in a file: what it
    /// imports is found beside that.
    ///
    /// # Errors
    /// Every mistake in it that was found.
    pub fn parse_at(languages: &[Language], path: &Path, text: &str) -> Result<Program, Failure> {
        let full = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Program::elaborate(languages, &path.display().to_string(), Some(full), text)
    }

    /// Elaborate a text of this language, which imports nothing.
    ///
    /// # Errors
    /// Every mistake in it that was found.
    pub fn parse(name: &str, text: &str) -> Result<Program, Failure> {
        Program::parse_in(&[], name, text)
    }

    /// Elaborate a text, which may be in one of these languages by the ending of its name.
    ///
    /// # Errors
    /// Every mistake in it that was found.
    pub fn parse_in(languages: &[Language], name: &str, text: &str) -> Result<Program, Failure> {
        Program::elaborate(languages, name, None, text)
    }

    fn elaborate(
        languages: &[Language],
        name: &str,
        path: Option<PathBuf>,
        text: &str,
    ) -> Result<Program, Failure> {
        let mut files = Files {
            languages,
            sources: SourceMap::new(),
            paths: Vec::new(),
            warnings: Vec::new(),
            absent: Vec::new(),
            modules: Vec::new(),
        };
        let (id, text) = match files.add_program(name, path, text.to_owned()) {
            Ok(added) => added,
            Err(refused) => return Err(Failure::new(&Arc::new(files.sources), refused)),
        };
        let parse = atl_syntax::parse_file(id, &text);
        let mut diagnostics = parse.diagnostics;
        let mut module = Module::default();
        let mut library = Arc::default();
        if !diagnostics.iter().any(Diagnostic::is_error) {
            let (found, more) = atl_lang::elaborate(&parse.tree, &mut files, &mut Arith::default());
            diagnostics.extend(more);
            diagnostics.extend(found.semirings.iter().filter_map(atl_semiring_check::refused));
            // The claims of the library are proved by the tests of `semiring-check`.
            let own = found.monoids.iter().filter(|m| !files.modules.contains(&m.claims.file));
            diagnostics.extend(own.filter_map(atl_semiring_check::refused_declared));
            if !diagnostics.iter().any(Diagnostic::is_error) {
                let (own, wrong) = Library::new(&found, &mut Arith::default());
                diagnostics.extend(wrong);
                diagnostics.extend(atl_schedule::old_spellings(&found));
                library = own;
            } else {
                // One mistake does not hide those of the other functions.
                let mut arith = Arith::default();
                let found = found.functions.iter();
                diagnostics.extend(found.flat_map(|f| safety_errors::of_function(f, &mut arith)));
            }
            module = found;
        }
        diagnostics.extend(files.warnings);
        let sources = Arc::new(files.sources);
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(Failure { sources, diagnostics });
        }
        Ok(Program {
            sources,
            module,
            library,
            warnings: diagnostics,
            parts: parts(&parse.tree),
            absent: files.absent,
            derived: Arc::default(),
        })
    }

    /// The texts, for rendering diagnostics.
    pub fn sources(&self) -> &Arc<SourceMap> {
        &self.sources
    }

    /// Does this file hold a text of the program, its own or one that it imports? Then no output may replace
    /// it.
    pub fn is_source(&self, path: &Path) -> bool {
        read_program(path).is_ok_and(|found| self.sources.texts().any(|text| text == found))
    }

    /// Remarks that elaboration made.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The remarks about the function of this name: those that stand in it or in its schedules, and those
    /// that stand in no function.
    pub fn warnings_of(&self, function: &str) -> Vec<Diagnostic> {
        let is_another = |name: &str| name != function && self.module.function(name).is_some();
        let contains =
            |part: Span, at: Span| part.file == at.file && part.start <= at.start && at.end <= part.end;
        let is_elsewhere =
            |at: Span| self.parts.iter().any(|(part, of)| contains(*part, at) && is_another(of));
        let others = |warning: &&Diagnostic| !warning.span().is_some_and(is_elsewhere);
        self.warnings.iter().filter(others).cloned().collect()
    }

    /// The functions, callees first.
    pub fn functions(&self) -> &[Function] {
        &self.module.functions
    }

    /// The schedules, in the order written.
    pub fn schedules(&self) -> &[ast::Schedule] {
        &self.module.schedules
    }

    /// The function with this name; without a name, the only one, or the one that has a schedule of that
    /// name.
    ///
    /// # Errors
    /// There is none, or several.
    pub fn function(&self, name: Option<&str>, schedule: Option<&str>) -> Result<&Function, Failure> {
        let called = self.schedules().iter().filter(|s| Some(s.name.text.as_str()) == schedule);
        let of: Vec<&str> = called.map(|s| s.of.text.as_str()).collect();
        let implied = if let [one] = of.as_slice() { Some(*one) } else { None };
        let known = || {
            let names: Vec<String> = self.functions().iter().map(|f| format!("`{}`", f.name)).collect();
            if names.is_empty() {
                "the file defines no function".to_owned()
            } else {
                format!("the functions are {}", names.join(", "))
            }
        };
        let meant = || match (schedule, of.as_slice()) {
            (Some(schedule), [_, _, ..]) => {
                let of: Vec<String> = of.iter().map(|f| format!("`{f}`")).collect();
                format!("there is a schedule `{schedule}` of each of {}", of.join(", "))
            }
            _ => known(),
        };
        match (name.or(implied), self.functions()) {
            (Some(name), _) if self.module.generic.iter().any(|generic| generic == name) => {
                Err(Failure::new(
                    &self.sources,
                    err!(E0510, "`{name}` is generic, and a run is of a function whose types are known")
                        .note(known())
                        .help(format!(
                            "write one that calls it, as in `fn of_f32(x: f32[N]) -> f32[N] {{ {name}(x) }}`"
                        )),
                ))
            }
            (Some(name), _) => self.under(name, schedule).ok_or_else(|| {
                Failure::new(
                    &self.sources,
                    err!(E0510, "there is no function `{name}`").note(known()).help(match spelling::closest(
                        name,
                        self.functions().iter().map(|f| f.name.as_str()),
                    ) {
                        Some(close) => format!("did you mean `{close}`?"),
                        None => "check the spelling after `--fn`".to_owned(),
                    }),
                )
            }),
            (None, [one]) => Ok(self.under(&one.name, schedule).unwrap_or(one)),
            (None, _) => Err(Failure::new(
                &self.sources,
                err!(E0512, "which function?").note(meant()).help("name one with `--fn NAME`"),
            )),
        }
    }

    /// The function, as it is under the schedule.
    fn under(&self, name: &str, schedule: Option<&str>) -> Option<&Function> {
        match schedule {
            Some(schedule) => self.module.function_under(name, schedule),
            None => self.module.function(name),
        }
    }

    /// The schedule with this name, of this function.
    ///
    /// # Errors
    /// There is none, or it is of another function.
    pub fn schedule(&self, function: &Function, name: &str) -> Result<&ast::Schedule, Failure> {
        let of_it: Vec<String> = self
            .schedules()
            .iter()
            .filter(|s| s.of.text == function.name)
            .map(|s| format!("`{}`", s.name.text))
            .collect();
        let known = match of_it.is_empty() {
            true => format!("`{}` has no schedules", function.name),
            false => format!("the schedules of `{}` are {}", function.name, of_it.join(", ")),
        };
        let other = || self.schedules().iter().find(|s| s.name.text == name);
        match self.module.schedule(&function.name, name).map_or_else(|| Err(other()), Ok) {
            Ok(s) => Ok(s),
            Err(Some(s)) => Err(Failure::new(
                &self.sources,
                err!(E0513, s.of.span, "schedule `{name}` is of `{}`, not of `{}`", s.of.text, function.name)
                    .label("this function")
                    .note(known)
                    .help("leave out `--fn`, or choose a schedule of that function"),
            )),
            Err(None) => Err(Failure::new(
                &self.sources,
                match self.absent.iter().find(|a| a.function == function.name && a.schedule == name) {
                    Some(absent) => err!(E0511, "`{}` has no schedule `{name}`", function.name)
                        .note(format!("it does not apply: {}", absent.why))
                        .note(known)
                        .help("leave out `--schedule`, or write a schedule in an `.atl` file that imports this one"),
                    None => err!(E0511, "there is no schedule `{name}`")
                        .note(known)
                        .help("check the spelling after `--schedule`"),
                },
            )),
        }
    }

    /// The function under a schedule, or as it is written: derived, and checked to be safe. It is derived
    /// once. One of the names in [`auto`](crate::auto) has a schedule chosen, unless the program has one of
    /// that name.
    ///
    /// # Errors
    /// A step or a check that was refused.
    pub fn scheduled(&self, function: &str, schedule: Option<&str>) -> Result<Scheduled, Failure> {
        let key = (function.to_owned(), schedule.map(str::to_owned));
        let known = || self.derived.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(scheduled) = known().get(&key) {
            return Ok(scheduled.clone());
        }
        let function = self.function(Some(function), schedule)?;
        let schedule = schedule.filter(|name| !self.is_none(function, name));
        let scheduled = match self.automatic(function, schedule) {
            Some(class) => self.chosen(function, class)?,
            None => {
                let schedule = schedule.map(|s| self.schedule(function, s)).transpose()?;
                self.derive(function, schedule)?
            }
        };
        known().insert(key, scheduled.clone());
        Ok(scheduled)
    }

    /// The function under the one schedule that a text holds, which refusals call `name`: a script from a
    /// prompt, a search, or another language. It may use the program's tactics.
    ///
    /// # Errors
    /// The text holds no schedule, or a step was refused.
    pub fn scripted(&self, function: &Function, name: &str, text: &str) -> Result<Scheduled, Failure> {
        let mut sources = SourceMap::clone(&self.sources);
        let file = sources.add(name, text);
        let (sources, parse) = (Arc::new(sources), atl_syntax::parse_file(file, text));
        let schedule = parse.tree.items.iter().find_map(|item| match item {
            ast::Item::Schedule(schedule) => Some(schedule),
            _ => None,
        });
        match schedule {
            Some(schedule) if !parse.diagnostics.iter().any(Diagnostic::is_error) => {
                Scheduled::derive(&sources, function, Some(schedule), &self.library)
            }
            _ => Err(Failure { sources, diagnostics: parse.diagnostics }),
        }
    }

    /// Has this run derived it?
    pub fn has_derived(&self, function: &str, schedule: Option<&str>) -> bool {
        let known = self.derived.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.contains_key(&(function.to_owned(), schedule.map(str::to_owned)))
    }

    /// Every function as it is written, and under each of its schedules.
    pub fn all_scheduled(&self) -> impl Iterator<Item = Result<Scheduled, Failure>> {
        self.functions().iter().flat_map(move |function| {
            let schedules = self.schedules().iter().filter(|s| s.of.text == function.name);
            let each = std::iter::once(None).chain(schedules.map(Some));
            each.map(move |schedule| self.derive(function, schedule))
        })
    }

    /// Refuse schedules that preserve less than this in floating point.
    ///
    /// # Errors
    /// The first step above it of each such schedule.
    pub fn require_rounding(&self, at_most: Rounding) -> Result<(), Failure> {
        let mut diagnostics = Vec::new();
        for scheduled in self.all_scheduled() {
            diagnostics
                .extend(scheduled?.require_rounding(at_most).err().into_iter().flat_map(|f| f.diagnostics));
        }
        if diagnostics.is_empty() {
            Ok(())
        } else {
            Err(Failure { sources: self.sources.clone(), diagnostics })
        }
    }

    fn derive(&self, function: &Function, schedule: Option<&ast::Schedule>) -> Result<Scheduled, Failure> {
        let under = self.under(&function.name, schedule.map(|s| s.name.text.as_str()));
        Scheduled::derive(&self.sources, under.unwrap_or(function), schedule, &self.library)
    }

    /// The tactics that schedules may use by name.
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// Check everything: every function as written, and under each of its schedules. The warnings that this
    /// has of their loops.
    ///
    /// # Errors
    /// Every refusal, in the order of the file.
    pub fn check_with(
        &self,
        warnings: &dyn Fn(&Lowered) -> Vec<Diagnostic>,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let (mut diagnostics, mut remarks) = (Vec::new(), Vec::new());
        for function in self.functions() {
            let found =
                on_deep(&function.body, || safety_errors::of_function(function, &mut Arith::default()));
            let safe = found.is_empty();
            diagnostics.extend(found);
            if !safe {
                continue;
            }
            for schedule in self.schedules().iter().filter(|s| s.of.text == function.name) {
                let lowered = self.derive(function, Some(schedule)).and_then(|s| s.lower());
                match lowered {
                    Ok(lowered) => remarks.extend(warnings(&lowered)),
                    Err(failure) => diagnostics.extend(failure.diagnostics),
                }
            }
            if let Err(failure) = self.derive(function, None).and_then(|s| s.lower()) {
                diagnostics.extend(failure.diagnostics);
            }
        }
        if diagnostics.is_empty() {
            Ok(remarks)
        } else {
            Err(Failure { sources: self.sources.clone(), diagnostics })
        }
    }
}
