//! `atl query`: SQL over tables in files.

use super::iterate::{ended, until};
use super::run::as_written;
use super::{backend, in_form, load, refuse, remark_on};
use crate::args::{Form, Query};
use crate::output::{Exit, Output, Result, Stop};
use atl_diag::{SourceMap, err};
use atl_driver::{Compile, Failure, Signature, check_place, read_program, replace_file};
use atl_tables::query::{Answer, Loaded, Prepared, TableFile};
use atl_tables::relations::{self, Relations};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long runs are repeated for their median.
const TIMED: Duration = Duration::from_secs(1);

pub(super) fn run(args: &Query, out: &mut Output) -> Result {
    let Ok(mut files) = args.files().map_err(|why| out.remark(&format!("error: {why}"))) else {
        return Err(Stop::Said(Exit::Usage));
    };
    if let Some(path) = args.program() {
        return of_program(args, path, files, out);
    }
    let of_programs = args.function.is_some() || args.schedule.is_some() || args.iterate.is_some();
    if of_programs || !args.numbers.is_empty() {
        out.remark(
            "error: `--fn`, `--schedule`, `--set` and `--iterate` are of a program: `atl query FILE.atl NAME=FILE.csv`",
        );
        return Err(Stop::Said(Exit::Usage));
    }
    writable(args)?;
    let sql = match (&args.file, args.words.first()) {
        (Some(path), _) => read_program(path).map_err(|why| {
            let message = err!(E0542, "{}: it cannot be read: {why}", path.display());
            refuse(message.help("`--file` names a file with one query"))
        })?,
        (None, Some(sql)) => match sql.to_str() {
            Some(sql) => sql.to_owned(),
            None => {
                out.remark("error: the query is not UTF-8");
                return Err(Stop::Said(Exit::Usage));
            }
        },
        (None, None) => {
            out.remark("error: there is no query: `atl query \"select …\" NAME=FILE.csv`");
            return Err(Stop::Said(Exit::Usage));
        }
    };
    find_tables(args, &mut files, || Ok(atl_tables::query::tables_of(&sql)?))?;
    let (loaded, reading) = timed(|| Loaded::read(&sql, &files));
    let loaded = loaded?;
    out.diagnostics(&SourceMap::new(), &loaded.warnings());
    let (prepared, preparing) = timed(|| Prepared::new(&sql, &loaded));
    let prepared = prepared?;
    if args.explain {
        let (text, _) = prepared.program();
        let (contraction, plan) = (prepared.contraction(), prepared.plan());
        return out.print(&format!(
            "The contraction:\n\n{contraction}\nThe tables:\n\n{plan}\nThe program:\n\n{text}"
        ));
    }
    let (backend, options) = backend(&args.place);
    let (query, compiling) = timed(|| prepared.compile(backend, options));
    let query = query?;
    query.kernels().iter().for_each(|kernel| remark_on(kernel, &args.place, out));
    let (bound, checking) = timed(|| query.bound());
    let bound = bound?;
    let (answer, first) = timed(|| bound.answer());
    let answer = answer?;
    if args.time {
        let (median, count) = median(first, || bound.answer().map(drop))?;
        out.remark(&format!(
            "note: reading {:.1} ms, preparing {:.1} ms (of which texts that match {:.1}), compiling {:.1} ms, checking {:.1} ms, running {:.3} ms (median of {count}), back end `{}`",
            milliseconds(reading),
            milliseconds(preparing),
            milliseconds(timed(|| query.match_texts()).1),
            milliseconds(compiling),
            milliseconds(checking),
            milliseconds(median),
            backend.name,
        ));
    }
    written(args, &answer, out)
}

/// A function of a program, whose tensors are relations.
fn of_program(args: &Query, path: &Path, mut files: Vec<TableFile>, out: &mut Output) -> Result {
    writable(args)?;
    let program = load(path, (args.function.as_deref(), args.schedule.as_deref()), out)?;
    let schedule = args.schedule.as_deref();
    let function = program.function(args.function.as_deref(), schedule)?;
    let names = || Ok(relations::names_of(&Signature::of(function)).into_iter().map(str::to_owned).collect());
    find_tables(args, &mut files, names)?;
    let (loaded, reading) = timed(|| Loaded::read_all(&files));
    let loaded = loaded?;
    out.diagnostics(&SourceMap::new(), &loaded.warnings());
    let (relations, preparing) = timed(|| Relations::new(&program, function, loaded.tables(), &args.numbers));
    let relations = relations?;
    let (backend, options) = backend(&args.place);
    if args.explain {
        let form = |form| in_form(&program, (&function.name, schedule), backend, form);
        let (text, loops) = (form(Form::Program)?, form(Form::Loops)?);
        let relations = relations.description();
        return out.print(&format!(
            "The relations, and their axes:\n\n{relations}\nThe program:\n\n{text}\nThe loops:\n\n{loops}"
        ));
    }
    if let (None, Some(sparse)) = (schedule, function.sparse.first()) {
        out.remark(&as_written(&program, &function.name, &sparse.name));
    }
    let (kernel, compiling) =
        timed(|| atl_driver::ready(&program, &function.name, schedule, backend)?.compile(backend, options));
    let kernel = kernel?;
    remark_on(&kernel, &args.place, out);
    let (bound, checking) = timed(|| relations.bound(&kernel));
    let bound = bound?;
    if let Some(name) = &args.iterate {
        let until = until(name, args.until.as_deref(), args.times, args.at_most, out)?;
        let (answer, calls, end) = relations.iterated(&bound, name, until)?;
        out.remark(&ended(name, calls, end));
        return written(args, &answer, out);
    }
    let (answer, first) = timed(|| relations.answer(&bound));
    let answer = answer?;
    if args.time {
        let (median, count) = median(first, || relations.answer(&bound).map(drop))?;
        out.remark(&format!(
            "note: reading {:.1} ms, preparing {:.1} ms, compiling {:.1} ms, checking {:.1} ms, running {:.3} ms (median of {count}), back end `{}`",
            milliseconds(reading),
            milliseconds(preparing),
            milliseconds(compiling),
            milliseconds(checking),
            milliseconds(median),
            backend.name,
        ));
    }
    written(args, &answer, out)
}

/// Refuses a path to which no answer could be written, before there is one.
fn writable(args: &Query) -> Result<()> {
    let is_file = args.out != Path::new("-");
    if is_file { check_place(&args.out).map_err(|why| unwritten(&args.out, &why)) } else { Ok(()) }
}

/// Prints or writes an answer.
fn written(args: &Query, answer: &Answer, out: &mut Output) -> Result {
    let csv = answer.to_csv();
    if args.out == Path::new("-") {
        return out.print(&csv);
    }
    replace_file(&args.out, csv.as_bytes()).map_err(|why| unwritten(&args.out, &why))
}

fn unwritten(path: &Path, why: &std::io::Error) -> Stop {
    refuse(
        err!(E0522, "the answer cannot be saved: {}: {why}", path.display())
            .help("check the path after `--out`"),
    )
}

/// The median of the first run's time and those of more, and how many there were.
fn median(
    first: Duration,
    mut run: impl FnMut() -> std::result::Result<(), Failure>,
) -> Result<(Duration, usize)> {
    let mut times = vec![first];
    while times.iter().sum::<Duration>() < TIMED && times.len() < 1000 {
        let (again, time) = timed(&mut run);
        again?;
        times.push(time);
    }
    times.sort_unstable();
    Ok((times[times.len() / 2], times.len()))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The files that lie in a folder, and what is said of empty fields.
fn find_tables(
    args: &Query,
    files: &mut Vec<TableFile>,
    names: impl FnOnce() -> Result<Vec<String>>,
) -> Result<()> {
    if let Some(folder) = &args.tables {
        for name in names()? {
            if !files.iter().any(|known| known.name.eq_ignore_ascii_case(&name)) {
                let path = in_folder(folder, &name);
                files.push(TableFile::new(name, path));
            }
        }
    }
    for empty in &args.empty {
        let Some(file) = files.iter_mut().find(|file| file.name.eq_ignore_ascii_case(&empty.table)) else {
            let message =
                err!(E0544, "`--empty` speaks of a table `{}`, for which there is no file", empty.table);
            return Err(refuse(
                message.help("it is written `--empty TABLE.COLUMN=VALUE`, with the table's own name"),
            ));
        };
        if file.declared.empty.iter().any(|(column, _)| column.eq_ignore_ascii_case(&empty.column)) {
            let message = err!(E0545, "`--empty` is given twice for `{}.{}`", empty.table, empty.column);
            return Err(refuse(message.help("give one value for each column")));
        }
        file.declared.empty.push((empty.column.clone(), empty.value.clone()));
    }
    Ok(())
}

/// The file of a table in a folder: CSV, or Parquet where there is no other; upper and lower case are alike, as in SQL.
fn in_folder(folder: &Path, table: &str) -> PathBuf {
    let exact = ["csv", "parquet"].map(|kind| folder.join(format!("{table}.{kind}")));
    let found = exact.iter().find(|path| path.exists()).cloned().or_else(|| {
        let files = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        let alike = |path: &PathBuf, kind: &str| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.eq_ignore_ascii_case(&format!("{table}.{kind}")))
        };
        let mut files: Vec<PathBuf> =
            files.filter(|path| alike(path, "csv") || alike(path, "parquet")).collect();
        files.sort();
        let csv = files.iter().position(|path| alike(path, "csv")).unwrap_or(0);
        (csv < files.len()).then(|| files.swap_remove(csv))
    });
    let [csv, _] = exact;
    found.unwrap_or(csv)
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}
