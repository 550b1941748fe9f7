//! The command line, in the words of the language page: a structure for each command, of which the comments are the help.

mod notations;
#[cfg(feature = "tables")]
mod queries;
mod values;

use crate::output::When;
use atl_driver::data::{Layout, Symmetry};
use atl_driver::show::Stage;
use atl_driver::{DType, backends};
use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
pub(crate) use notations::{By, Form, Guard, Layouts, Tensor};
#[cfg(feature = "tables")]
pub(crate) use queries::Query;
use std::path::PathBuf;
pub(crate) use values::split_at;
use values::{dtype, page, pair, path_pair, size, symmetry};

const EXITS: &str = "Exit codes: 0 done; 1 the program or data was refused; 2 the command line was wrong.";
const FORMATS: &str = "Data by extension: .npy, .npz (FILE.npz:NAME for one of several), .png, .jpg, .pgm, .ppm, .csv, .wav, \
    .safetensors; sparse: .mtx, .tns, .npz as SciPy writes it.";

/// A tensor compiler in which every optimisation is a theorem.
#[derive(Parser, Debug)]
#[command(name = "atl", version = env!("ATL_VERSION"), after_help = EXITS, max_term_width = 100)]
pub(crate) struct Args {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colours.
    #[arg(long, value_enum, default_value_t, global = true, value_name = "WHEN")]
    pub(crate) color: When,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Check types, shapes, bounds and pads of every function, as written and under each schedule
    Check(Check),
    /// Print a program at a stage of its life
    Show(Show),
    /// Explain a schedule's derivation, an error code, or a rule, operator, directive, semiring, format or
    /// module
    Explain(Explain),
    /// Bring programs into canonical layout
    Fmt(Fmt),
    /// Compile a function and run it on data
    Run(Run),
    /// Write C source, header, libraries, an example and the certificate into a folder
    Build(Build),
    /// Time schedules of a function side by side
    Bench(Bench),
    /// Propose schedules for given sizes, measure the best, and write the quickest as a file
    Tune(Tune),
    /// Check proof files: the theorem with the kernel alone, and all of it with the second checker
    Verify(Verify),
    /// Write a tensor, sparse or not, in another file format
    Convert(Convert),
    /// Write a schedule's theorem with its proof as a file for Rocq
    Certify(Certify),
    /// Derive a schedule step by step, at a prompt or from a pipe
    Repl(Repl),
    /// Compute an expression of index notation, or an einsum string, or print the program it is
    Tensor(Tensor),
    /// Answer a query in SQL over tables in files, or show the program it is
    #[cfg(feature = "tables")]
    Query(Query),
    /// Evaluate an expression of layouts in CuTe's notation: print it, draw it, or answer a file of requests
    Layout(Layouts),
    /// Say whether a kernel written for another tool stays inside of its tensors, for all sizes
    Guard(Guard),
    /// Say what this machine has, and try its C compilers on kernels that they are known to compile wrongly
    Doctor(Doctor),
}

#[derive(clap::Args, Debug)]
pub(crate) struct Doctor {
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
pub(crate) struct Check {
    /// The program
    pub(crate) file: PathBuf,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print which elements of each subterm are certainly padding
    #[arg(long)]
    pub(crate) pads: bool,
    /// With `--pads`: say how long the typing took
    #[arg(long, requires = "pads")]
    pub(crate) time: bool,
    /// Refuse schedules that preserve less than this in floating point
    #[arg(long, value_enum, value_name = "CLASS")]
    pub(crate) rounding: Option<Rounding>,
}

#[derive(clap::Args, Debug)]
pub(crate) struct Show {
    /// The program
    pub(crate) file: PathBuf,
    /// The function; without it, all functions, or the one that the schedule is of
    #[arg(long = "fn", value_name = "F")]
    pub(crate) function: Option<String>,
    /// The schedule
    #[arg(long, value_name = "S")]
    pub(crate) schedule: Option<String>,
    /// The stage; `scheduled` if a schedule is given, else `source`
    #[arg(long, value_parser = PossibleValuesParser::new(Stage::ALL.map(stage)))]
    pub(crate) stage: Option<String>,
    /// A size of the run that `--stage order` shows
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = size, conflicts_with = "count")]
    pub(crate) sizes: Vec<(String, i64)>,
    /// How mathematics is written
    #[arg(long, value_enum, default_value_t)]
    pub(crate) notation: Notation,
    /// Instead of the program, how often it uses each construct and reshape operator
    #[arg(long, conflicts_with = "stage")]
    pub(crate) count: bool,
    /// With `--count`: one JSON object on standard output
    #[arg(long, requires = "count")]
    pub(crate) json: bool,
}

/// A stage as an option's value, with its meaning in the help.
fn stage(stage: Stage) -> PossibleValue {
    PossibleValue::new(stage.name()).help(stage.meaning())
}

/// How mathematics is written.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Notation {
    /// As in programs.
    #[default]
    Ascii,
    /// `⊞ i < n.` for `gen`, `∑ k < K.`, `[p]·e`, `⌊i / 2⌋`: for reading, and no program
    Math,
}

#[derive(clap::Args, Debug)]
pub(crate) struct Explain {
    /// A program; or an error code, the name of a rule, operator, directive, semiring, format, or of a module
    /// of the library or a function in it; or one of the lists `rules`, `operators`, `directives`,
    /// `semirings`, `formats`, `modules`, `errors`
    pub(crate) what: PathBuf,
    /// The function; needed only where the schedule does not say it
    #[arg(long = "fn", value_name = "F")]
    pub(crate) function: Option<String>,
    /// The schedule; without it, the function as it is written
    #[arg(long, value_name = "S")]
    pub(crate) schedule: Option<String>,
    /// Refuse a schedule that preserves less than this in floating point; without a schedule, what is chosen
    /// of this class
    #[arg(long, value_enum, value_name = "CLASS")]
    pub(crate) rounding: Option<Rounding>,
    /// Write the proof to this file, which `atl verify` checks
    #[arg(long, value_name = "OUT.atlp")]
    pub(crate) proof: Option<PathBuf>,
    /// Write the derivation as a page to this file
    #[arg(long, value_name = "OUT.html", value_parser = OsStringValueParser::new().try_map(page))]
    pub(crate) html: Option<PathBuf>,
    /// A size of the run whose order the page shows
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = size, requires = "html")]
    pub(crate) sizes: Vec<(String, i64)>,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
pub(crate) struct Fmt {
    /// The programs
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing; say which files would change, and exit with 1 if any would
    #[arg(long)]
    pub(crate) check: bool,
}

/// What a call takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Call {
    /// An argument from a file
    #[arg(long = "in", value_name = "NAME=PATH", value_parser = OsStringValueParser::new().try_map(path_pair))]
    pub(crate) inputs: Vec<(String, PathBuf)>,
    /// A size that no array determines, or a scalar argument
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) numbers: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Where a call runs.
#[derive(clap::Args, Debug)]
pub(crate) struct Place {
    /// How to run it; the first that this machine can use, if not given
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(backends::TABLE.iter().map(|b| b.name)))]
    pub(crate) backend: Option<String>,
    /// How many threads parallel loops may use, at most 1024
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Believe the C compiler: do not compare machine code that is new with the interpreter of loops
    #[arg(long)]
    pub(crate) no_validate: bool,
    /// Say on standard error what comparing machine code has shown
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = FORMATS)]
pub(crate) struct Run {
    /// The program
    pub(crate) file: PathBuf,
    /// The function
    #[arg(long = "fn", value_name = "F")]
    pub(crate) function: Option<String>,
    /// The schedule; `none` for the function as written, `auto` for one that is chosen. Without it `auto` on
    /// the back end `c`, `none` on others
    #[arg(long, value_name = "S")]
    pub(crate) schedule: Option<String>,
    #[command(flatten)]
    pub(crate) call: Call,
    /// Believe, instead of looking, that arrays hold what the function requires of them: memory is at stake
    #[arg(long)]
    pub(crate) trust_input: bool,
    /// Where the result goes, by extension; `-` prints it. One for each of several results, in order
    #[arg(long, value_name = "PATH", default_value = "-")]
    pub(crate) out: Vec<PathBuf>,
    /// Run it repeatedly, and report the median time on standard error
    #[arg(long, conflicts_with = "iterate")]
    pub(crate) time: bool,
    /// Count what it does, on standard error: iterations of loops, and keys that searches look at
    #[arg(long, conflicts_with = "iterate")]
    pub(crate) count: bool,
    /// Call it again and again, each time with the last result for this parameter, until nothing changes
    #[arg(long, value_name = "X")]
    pub(crate) iterate: Option<String>,
    /// Iterate so many times, stable or not
    #[arg(long, value_name = "N", requires = "iterate", conflicts_with_all = ["at_most", "until"])]
    pub(crate) times: Option<u64>,
    /// End an iteration when a call changes less than a bound: "max |x' - x| < 1e-8", with `sum` for `max`, or `1e-8 * max |x|`
    /// for `1e-8`, where `x` is the parameter
    #[arg(long, value_name = "BOUND", requires = "iterate")]
    pub(crate) until: Option<String>,
    /// Refuse an iteration that has not ended after so many calls
    #[arg(long, value_name = "N", requires = "iterate", default_value_t = 100_000)]
    pub(crate) at_most: u64,
    /// Of each element the number of the last call that changed it, in place of the last result
    #[arg(long, requires = "iterate")]
    pub(crate) since: bool,
    /// Keep the last result in this file now and then, and where an iteration is interrupted or refused
    #[arg(long, value_name = "PATH", requires = "iterate")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// After so many calls each
    #[arg(long, value_name = "N", requires = "checkpoint", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) every: u64,
    /// Print what is run in these forms first
    #[arg(long, value_name = "FORM", value_delimiter = ',')]
    pub(crate) print: Vec<Form>,
    /// Refuse a schedule that preserves less than this in floating point; what is chosen may use all of it
    #[arg(long, value_enum, value_name = "CLASS")]
    pub(crate) rounding: Option<Rounding>,
}

/// What a schedule must preserve.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Rounding {
    /// The same operations on the same values.
    Bitwise,
    /// The same but for NaN, infinities and the sign of zero.
    Finite,
    /// The same over exact numbers.
    Real,
}

impl From<Rounding> for atl_driver::Rounding {
    fn from(class: Rounding) -> atl_driver::Rounding {
        match class {
            Rounding::Bitwise => atl_driver::Rounding::Bitwise,
            Rounding::Finite => atl_driver::Rounding::Finite,
            Rounding::Real => atl_driver::Rounding::Real,
        }
    }
}

/// What a program is built for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// C source, header, libraries and certificate, in a folder.
    #[default]
    C,
    /// One file of CUDA C++.
    Cuda,
}

#[derive(clap::Args, Debug)]
pub(crate) struct Build {
    /// The program
    pub(crate) file: PathBuf,
    /// The function
    #[arg(long = "fn", value_name = "F")]
    pub(crate) function: Option<String>,
    /// The schedule; `none` for the function as written, `auto` for one that is chosen. Without it `auto` for
    /// `c`, `none` for `cuda`
    #[arg(long, value_name = "S")]
    pub(crate) schedule: Option<String>,
    /// Refuse a schedule that preserves less than this in floating point; what is chosen may use all of it
    #[arg(long, value_enum, value_name = "CLASS")]
    pub(crate) rounding: Option<Rounding>,
    /// What to write: `c` is a folder of C, libraries and evidence, `cuda` a file for a device's compiler
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) backend: Target,
    /// Believe the C compiler and the printer: do not compare machine code with the interpreter of loops, and build a C text that
    /// the second checker takes for other loops
    #[arg(long)]
    pub(crate) no_validate: bool,
    /// The folder to write into, or the file of CUDA C++
    #[arg(short, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = FORMATS)]
pub(crate) struct Bench {
    /// The program
    pub(crate) file: PathBuf,
    /// The function
    #[arg(long = "fn", value_name = "F")]
    pub(crate) function: Option<String>,
    /// The schedules, separated by commas; `source` is the function as written. Without it, `source` and all that the function has
    #[arg(long, value_name = "S1,S2", value_delimiter = ',')]
    pub(crate) schedules: Vec<String>,
    #[command(flatten)]
    pub(crate) call: Call,
    /// Believe, instead of looking, that arrays hold what the function requires of them: memory is at stake
    #[arg(long)]
    pub(crate) trust_input: bool,
    /// The value of every size that nothing else determines; arrays that are not given are made up
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) size: i64,
    /// How many rounds count. Each runs every schedule once; `speed` is the median over rounds of the first schedule's time
    /// by this one's, which is not the ratio of the medians
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// Also measure what bounds a call on this machine, in the same rounds: moving the arrays, each once, and the products
    /// and sums of the schedule that has the fewest
    #[arg(long)]
    pub(crate) roofline: bool,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
pub(crate) struct Repl {
    /// The program
    pub(crate) file: PathBuf,
    /// The function; needed only where there are several
    #[arg(long = "fn", value_name = "F")]
    pub(crate) function: Option<String>,
    /// A schedule whose steps are carried out first
    #[arg(long, value_name = "S")]
    pub(crate) schedule: Option<String>,
}

#[derive(clap::Args, Debug)]
pub(crate) struct Verify {
    /// The proof file; or a folder, such as `atl build` leaves: all that are in it
    #[arg(value_name = "PROOF.atlp|DIR")]
    pub(crate) file: PathBuf,
    /// The C text that is compared with the file's loops; if not given, the file of this name that ends in `.c`, if there is one
    #[arg(long, value_name = "FILE.c")]
    pub(crate) text: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = FORMATS)]
pub(crate) struct Convert {
    /// The file to read
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// How it is laid out: `dense` (all elements), `coo` (entries with their coordinates), and in .npz files `csr`, `csc`,
    /// `bcsr(R, C)` or `dia`; if not given, `coo` for .mtx, .tns and .npz, else `dense`
    #[arg(long, value_name = "LAYOUT")]
    pub(crate) format: Option<Layout>,
    /// `symmetric` or `skew-symmetric`, of an .mtx file: what follows from the lower triangle is checked and not written
    #[arg(long, value_name = "SYMMETRY", value_parser = symmetry, default_value = "general")]
    pub(crate) symmetry: Symmetry,
    /// The type of the values; if not given, the file's own
    #[arg(long = "type", value_name = "TYPE", value_parser = dtype)]
    pub(crate) dtype: Option<DType>,
    /// The extents, separated by commas; a .tns file does not say them, and any other must have them
    #[arg(long, value_name = "N,M", value_delimiter = ',')]
    pub(crate) shape: Option<Vec<usize>>,
    /// Add up entries at one place instead of refusing them
    #[arg(long)]
    pub(crate) add_duplicates: bool,
    /// Leave out entries that are zero
    #[arg(long)]
    pub(crate) drop_zeros: bool,
    /// Believe that the entries of an .npz file are in range, in order, and each at a place of its own
    #[arg(long)]
    pub(crate) trust_input: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = FORMATS)]
pub(crate) struct Tune {
    /// The program
    pub(crate) file: PathBuf,
    /// The function
    #[arg(long = "fn", value_name = "F")]
    pub(crate) function: Option<String>,
    #[command(flatten)]
    pub(crate) call: Call,
    /// The value of every size that nothing else determines; arrays that are not given are made up
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) size: i64,
    /// How many schedules are tried on the cost model
    #[arg(long, value_name = "B", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) budget: u32,
    /// How many of the best are measured
    #[arg(long, value_name = "K", default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) best: u32,
    /// Propose nothing that preserves less than this in floating point
    #[arg(long, value_enum, value_name = "CLASS", default_value = "bitwise")]
    pub(crate) rounding: Rounding,
    /// How many rounds count, fewer if they take long
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// Write the quickest schedule to this file, which imports the program
    #[arg(short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
pub(crate) struct Certify {
    /// The program
    pub(crate) file: PathBuf,
    /// The function; without it, the only one, or the one that the schedule is of
    #[arg(long = "fn", value_name = "F")]
    pub(crate) function: Option<String>,
    /// The schedule; without it, the function as it is written
    #[arg(long, value_name = "S")]
    pub(crate) schedule: Option<String>,
    /// The file to write
    #[arg(short, value_name = "OUT.v")]
    pub(crate) output: PathBuf,
    /// Claim that the scheduled program equals the source, and nothing of loops
    #[arg(long)]
    pub(crate) derivation_only: bool,
    /// Run `coqc` on it, and on the library that it goes with
    #[arg(long)]
    pub(crate) run: bool,
    /// Where to keep the compiled library, so that the next `--run` need not compile it
    #[arg(long, value_name = "DIR", requires = "run")]
    pub(crate) cache: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    fn check(words: &str, accepted: bool) {
        assert_eq!(Args::try_parse_from(words.split(' ')).is_ok(), accepted, "{words}");
    }

    #[test]
    fn wrong_command_lines_are_refused() {
        check("atl check f.atl", true);
        check("atl check", false);
        check("atl run f.atl --in a=b.npy --in c=d.npy --set N=3", true);
        check("atl run f.atl --in a", false);
        check("atl run f.atl --in =b", false);
        check("atl run f.atl --backend cuda", false);
        check("atl run f.atl --threads 0", false);
        check("atl run f.atl --threads 1024", true);
        check("atl run f.atl --threads 1025", false);
        check("atl show f.atl --stage tokens", false);
        check("atl show f.atl --stage order --set N=6", true);
        check("atl show f.atl --stage order --set N=x", false);
        check("atl show f.atl --count --set N=6", false);
        check("atl build f.atl", false);
        check("atl build f.atl --backend cuda -o f.cu", true);
        check("atl build f.atl --backend loops -o f", false);
        check("atl bench f.atl", true);
        check("atl bench f.atl --rounds 0", false);
        check("atl tune f.atl --set N=3 -o g.atl", true);
        check("atl tune f.atl --budget 0", false);
        check("atl verify f.atlp", true);
        check("atl convert a.mtx b.npz --format coo --shape 3,4 --type f32 --drop-zeros", true);
        check("atl convert a.mtx b.mtx --symmetry skew-symmetric", true);
        check("atl convert a.mtx b.mtx --symmetry hermitian", false);
        check("atl convert a.mtx", false);
        check("atl convert a.mtx b.npz --format csx", false);
        check("atl convert a.mtx b.npz --type f8", false);
        check("atl convert a.mtx b.npz --shape 3,-4", false);
        check("atl tensor ij,j->i A x -f A:csr -i A=a.mtx --print program,loops,c", true);
        check("atl tensor ij,j->i -f=A:ds:1,0 -i=A:a.mtx -o=out:y.npy", true);
        check("atl tensor", false);
        check("atl tensor ij,j->i -i A", false);
        check("atl tensor ij,j->i --print tokens", false);
        check("atl layout 4:1 --svg a.svg --html a.htm", true);
        check("atl layout 4:1 --svg /dev/stdout", true);
        check("atl layout 4:1 --svg a.png", false);
        check("atl layout 4:1 --html a.svg", false);
        check("atl explain f.atl --html a.pdf", false);
        check("atl explain f.atl --html A.HTML", true);
        check("atl guard ij,jk->ik -d A=m,k -d B=k,n --teil", true);
        check("atl guard", false);
        check("atl nonsense", false);
    }
}
