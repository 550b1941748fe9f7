//! Queries: SQL over files, as programs that are compiled and run like any other.
//!
//! ```
//! use atl_driver::backends;
//! use atl_tables::query::{Loaded, Prepared, TableFile};
//!
//! let folder = std::env::temp_dir().join("atl-query-example");
//! std::fs::create_dir_all(&folder)?;
//! std::fs::write(folder.join("R.csv"), "a,b\n1,x\n2,y\n3,x\n")?;
//! let files = [TableFile::new("R", folder.join("R.csv"))];
//! let sql = "select b, sum(a) as total from R group by b order by total";
//! let loaded = Loaded::read(sql, &files)?;
//! let query = Prepared::new(sql, &loaded)?.compile(&backends::cranelift::BACKEND, Default::default())?;
//! assert_eq!(query.answer()?.to_csv(), "b,total\ny,2\nx,4\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The stages are apart so that each can be timed: files are read once, a query is prepared (columns that
//! keys compare get their codes, tables are put in order), compiled, bound (what the proofs assume of the
//! arrays is checked), and run.

use atl_diag::{Diagnostic, SourceMap, err};
use atl_driver::backends::{Backend, Options};
use atl_driver::{Bound, Compile, Compiled, Failure, Program};
use atl_query::answer::Cells;
use atl_query::{Adds, Array};
use atl_runtime::{BufferView, DType};
use std::fs::File;
use std::sync::Arc;

pub use atl_query::answer::Answer;
pub use atl_query::table::{Column, Value, Values};
pub use atl_query::{Declared, EXPECTED, Refused, Table, TableFile};

/// The names of the tables in a query.
///
/// # Errors
/// It is no SQL, or has what is not supported.
pub fn tables_of(sql: &str) -> Result<Vec<String>, Failure> {
    atl_query::tables_of(sql).map_err(|why| refused(*why))
}

/// Tables from files, with the columns that a query names.
#[derive(Clone, Debug)]
pub struct Loaded {
    tables: Vec<Table>,
}

impl Loaded {
    /// Read the tables that a query names, from files by name: Parquet where a file is called so, else CSV.
    ///
    /// # Errors
    /// The query is no SQL, a file cannot be read or is no table, or one is given that the query does not
    /// name, or twice.
    pub fn read(sql: &str, files: &[TableFile]) -> Result<Loaded, Failure> {
        let named = atl_query::tables_of(sql).map_err(|why| refused(*why))?;
        let mentions = atl_query::mentions_of(sql).map_err(|why| refused(*why))?;
        let wanted = |table: &str, column: &str| mentions.has(table, column);
        Loaded::of_files(files, &|name| named.iter().any(|n| n.eq_ignore_ascii_case(name)), &wanted)
    }

    /// Read tables whole, from files.
    ///
    /// # Errors
    /// A file cannot be read or is no table, or two are given for one.
    pub fn read_all(files: &[TableFile]) -> Result<Loaded, Failure> {
        Loaded::of_files(files, &|_| true, &|_, _| true)
    }

    fn of_files(
        files: &[TableFile],
        is_named: &dyn Fn(&str) -> bool,
        wanted: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Loaded, Failure> {
        for (at, TableFile { name, path, .. }) in files.iter().enumerate() {
            if files[..at].iter().any(|other| other.name.eq_ignore_ascii_case(name)) {
                let path = path.display();
                let message = err!(E0545, "two files are given for the table `{name}`, the second is {path}");
                return Err(Failure::new(&Arc::default(), message.help("give one file for each table")));
            }
        }
        let tables =
            files.iter().filter(|file| is_named(&file.name)).map(|TableFile { name, path, declared }| {
                let shown = path.display().to_string();
                let refused = |why: std::io::Error| {
                    let message = err!(E0540, "{shown}: it cannot be read: {why}");
                    Box::new(message.help(format!("a table's file is given as `{name}=FILE.csv`")))
                };
                let open = || File::open(path).map_err(refused);
                let wanted = &|column: &str| wanted(name, column);
                let declared = &Declared { called: name.clone(), ..declared.clone() };
                let table = match path.extension().is_some_and(|e| e.eq_ignore_ascii_case("parquet")) {
                    true => open().and_then(|file| atl_query::parquet::read(&shown, file, wanted, declared)),
                    // A file is read again where a column turns out to be wider; what is none can be read
                    // once only.
                    false if path.is_file() => atl_query::csv::read(&shown, &open, wanted, declared),
                    false => std::fs::read(path).map_err(refused).and_then(|bytes| {
                        atl_query::csv::read(&shown, &|| Ok(bytes.as_slice()), wanted, declared)
                    }),
                };
                table
                    .map(|table| Table { name: name.clone(), ..table })
                    .map_err(|d| Failure::new(&Arc::default(), d))
            });
        Ok(Loaded { tables: tables.collect::<Result<_, _>>()? })
    }

    /// Tables that were made otherwise.
    pub fn of(tables: Vec<Table>) -> Loaded {
        Loaded { tables }
    }

    /// What the author of the files may not expect of them.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        self.tables.iter().flat_map(|table| table.remarks.clone()).collect()
    }

    /// The tables.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }
}

/// A query as a program.
pub struct Prepared {
    query: atl_query::Prepared,
    program: Program,
}

impl Prepared {
    /// The program of a query over tables.
    ///
    /// # Errors
    /// The query is refused.
    pub fn new(sql: &str, loaded: &Loaded) -> Result<Prepared, Failure> {
        let query = atl_query::prepare(sql, &loaded.tables).map_err(|why| refused(*why))?;
        let program = Program::parse("the program of the query", &query.program.text)?;
        Ok(Prepared { query, program })
    }

    /// The query as an equation with named indices.
    pub fn contraction(&self) -> &str {
        &self.query.contraction
    }

    /// In which order tables are read.
    pub fn plan(&self) -> &str {
        &self.query.plan
    }

    /// The program, as text and elaborated.
    pub fn program(&self) -> (&str, &Program) {
        (&self.query.program.text, &self.program)
    }

    /// The names of the program's functions and of their schedules.
    pub fn functions(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.query.program.functions.iter().map(|f| (f.name.as_str(), f.schedule.as_deref()))
    }

    /// Derive the schedules that no earlier run has derived, and compile each function.
    ///
    /// # Errors
    /// A step or a check that is refused, or the back end.
    pub fn compile(self, backend: &'static Backend, options: Options) -> Result<CompiledQuery, Failure> {
        let compiled = self.query.program.functions.iter().map(|function| {
            let loops =
                atl_driver::ready(&self.program, &function.name, function.schedule.as_deref(), backend)?;
            loops.compile(backend, options)
        });
        let kernels = compiled.collect::<Result<Vec<_>, Failure>>()?;
        Ok(CompiledQuery { query: self.query, kernels })
    }
}

/// A query whose kernels are compiled.
pub struct CompiledQuery {
    query: atl_query::Prepared,
    kernels: Vec<Compiled>,
}

impl CompiledQuery {
    /// The kernels.
    pub fn kernels(&self) -> &[Compiled] {
        &self.kernels
    }

    /// Check the arrays, run the kernels, and put the answer in order.
    ///
    /// # Errors
    /// What the arrays are refused for, or a kernel met.
    pub fn answer(&self) -> Result<Answer, Failure> {
        self.bound()?.answer()
    }

    /// Compare texts with the patterns of `like` once more, and count those that match. Preparing did this,
    /// for a pattern and a dictionary are known then; who compares times with a database, which does it at
    /// each run, adds how long this takes.
    pub fn match_texts(&self) -> usize {
        let matching = self.query.program.patterns.iter().map(atl_query::Pattern::matching);
        matching.map(|found| found.iter().filter(|matches| **matches).count()).sum()
    }

    /// Check the arrays once, for runs that repeat.
    ///
    /// # Errors
    /// What the proofs assume of the arrays does not hold.
    pub fn bound(&self) -> Result<BoundQuery<'_>, Failure> {
        let program = &self.query.program;
        let bound = program.functions.iter().zip(&self.kernels).map(|(function, kernel)| {
            let arrays = function.arrays.iter().filter_map(|name| {
                let view = match program.arrays.get(name)? {
                    Array::I32(values) => BufferView::from_slice(values, &[values.len()]),
                    Array::I64(values) => BufferView::from_slice(values, &[values.len()]),
                    Array::F64(values) => BufferView::from_slice(values, &[values.len()]),
                    Array::Bool(values) => BufferView::from_slice(values, &[values.len()]),
                };
                Some(view.map(|view| (name.as_str(), view)))
            });
            let arrays = arrays.collect::<Result<Vec<_>, _>>().map_err(|why| failed(&why.to_string()))?;
            let sizes =
                function.sizes.iter().filter_map(|name| Some((name.as_str(), *program.sizes.get(name)?)));
            let sizes: Vec<(&str, i64)> = sizes.collect();
            kernel.call(&arrays, &sizes).bind()
        });
        Ok(BoundQuery { query: self, bound: bound.collect::<Result<_, _>>()? })
    }
}

/// A query with arrays that were checked.
pub struct BoundQuery<'a> {
    query: &'a CompiledQuery,
    bound: Vec<Bound<'a>>,
}

impl BoundQuery<'_> {
    /// Run the kernels, and put the answer in order.
    ///
    /// # Errors
    /// What a kernel met.
    pub fn answer(&self) -> Result<Answer, Failure> {
        let CompiledQuery { query, .. } = self.query;
        let aggregates = query.query.aggregates.len();
        let mut counts = Vec::new();
        let mut cells = vec![Cells::Int(Vec::new()); aggregates];
        for (function, bound) in query.program.functions.iter().zip(&self.bound) {
            let output = bound.dense()?;
            let found = match output.dtype() {
                DType::F64 => output.as_slice::<f64>().map(|found| Cells::Float(found.to_vec())),
                _ => output.as_slice::<i64>().map(|found| Cells::Int(found.to_vec())),
            };
            let found = found.map_err(|why| failed(&why.to_string()))?;
            match (&function.adds, found) {
                (Adds::Exact(parts), Cells::Int(found)) => {
                    let width = parts.len() + 1;
                    let part = |k: usize| found.iter().skip(k).step_by(width).copied().collect::<Vec<i64>>();
                    counts = part(0);
                    for (k, at) in parts.iter().enumerate() {
                        cells[*at] = Cells::Int(part(k + 1));
                    }
                }
                (Adds::Float(at) | Adds::Extreme(at), found) => cells[*at] = found,
                (Adds::Exact(_), Cells::Float(_)) => return Err(failed("a count is no integer")),
            }
        }
        Ok(atl_query::answer::answer(&query.query, &query.program, &counts, &cells))
    }
}

/// What does not happen to arrays of this module.
fn failed(why: &str) -> Failure {
    let message: Diagnostic = err!(E0607, "the query's arrays: {why}");
    Failure::new(&Arc::default(), message.help("please report this with the query"))
}

/// A query that is refused, with its text.
fn refused(refused: Refused) -> Failure {
    let sources: SourceMap = refused.sources;
    Failure::new(&Arc::new(sources), refused.diagnostic)
}
