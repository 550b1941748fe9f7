//! The commands that take other notations than programs: `tensor`, `layout` and `guard`.

use super::Place;
use super::values::{named, of_kind, page, pair};
use clap::ValueEnum;
use clap::builder::{OsStringValueParser, TypedValueParser};
use std::ffi::OsString;
use std::path::PathBuf;

const TENSOR: &str = "Examples:
  atl tensor \"y(i) = A(i,j) * x(j)\" -f A:csr -i A=m.mtx -i x=x.npy
  atl tensor \"y(i) = A(i,j) * x(j)\" -f=A:ds -i=A:m.mtx -i=x:x.npy -o=y:y.npy
  atl tensor \"ij,jk->ik\" A B -f A:csr --print program,loops";

#[derive(clap::Args, Debug)]
#[command(after_help = TENSOR)]
pub(crate) struct Tensor {
    /// Index notation, "y(i) = A(i,j) * x(j)", or an einsum string, "ij,j->i"
    pub(crate) expression: String,
    /// The names of an einsum string's operands; `A`, `B`, .. if not given
    pub(crate) operands: Vec<String>,
    /// The format of a tensor: a name, a list of levels, or a letter a level (d dense, s compressed, u then c or q a list of
    /// coordinates), then after a colon the order of dimensions: `A:csr`, `A:ds`, `A:ds:1,0`
    #[arg(short, long, value_name = "NAME:FORMAT")]
    pub(crate) format: Vec<String>,
    /// The type of all elements
    #[arg(short = 't', long = "type", value_name = "TYPE", default_value = "f64")]
    pub(crate) element: String,
    /// What `+` and `*` mean; `atl explain semirings` lists what there is
    #[arg(long, value_name = "NAME")]
    pub(crate) semiring: Option<String>,
    /// Steps of a schedule, after those that the formats ask for: "parallel i"
    #[arg(short, long, value_name = "STEPS", default_value = "", hide_default_value = true)]
    pub(crate) steps: String,
    /// An argument from a file
    #[arg(short = 'i', long = "in", value_name = "NAME=PATH", value_parser = OsStringValueParser::new().try_map(named))]
    pub(crate) inputs: Vec<(String, PathBuf)>,
    /// A scalar argument
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) numbers: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Believe, instead of looking, that arrays hold what the program requires of them: memory is at stake
    #[arg(long)]
    pub(crate) trust_input: bool,
    /// Where the result goes, by extension; the result's name and `=` may stand before it; `-` prints it
    #[arg(short, long, value_name = "[NAME=]PATH")]
    pub(crate) out: Option<OsString>,
    /// Run it repeatedly, and report the median time on standard error
    #[arg(long)]
    pub(crate) time: bool,
    /// Print it in these forms; `program` if nothing else is asked for
    #[arg(long, value_name = "FORM", value_delimiter = ',')]
    pub(crate) print: Vec<Form>,
}

/// A form of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Form {
    /// The program, with its schedule
    Program,
    /// The derivation, step by step
    Derivation,
    /// The schedule, also one that was chosen: a script that can be copied
    Schedule,
    /// The program after the schedule
    Scheduled,
    /// The loops
    Loops,
    /// The C
    C,
}

#[derive(clap::Args, Debug)]
pub(crate) struct Layouts {
    /// Such as "(6,2):(8,2) o (4,3):(3,1)" or "logical_divide((8,6):(1,8), <4,3>)"; `operations` lists what there is
    #[arg(required_unless_present = "batch", value_name = "EXPR")]
    pub(crate) expression: Option<String>,
    /// Draw it
    #[arg(long, value_name = "OUT.svg", value_parser = OsStringValueParser::new().try_map(|path| of_kind(path, &["svg"])))]
    pub(crate) svg: Option<PathBuf>,
    /// Draw it on a page, with what is said of it
    #[arg(long, value_name = "OUT.html", value_parser = OsStringValueParser::new().try_map(page))]
    pub(crate) html: Option<PathBuf>,
    /// What colours a cell
    #[arg(long, value_enum, default_value_t)]
    pub(crate) by: By,
    /// The shape of the tile that a layout of threads and values fills; with `--by thread`
    #[arg(long, value_name = "SHAPE")]
    pub(crate) tile: Option<String>,
    /// The bytes of an entry; with `--by bank`
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(i64).range(1..=128))]
    pub(crate) bytes: i64,
    /// Show the operands too
    #[arg(long)]
    pub(crate) before: bool,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Answer requests, one a line: {"op": "complement", "args": ["4:2", 24]}; `-` reads standard input
    #[arg(long, value_name = "FILE.jsonl", conflicts_with_all = ["expression", "svg", "html", "json", "before"])]
    pub(crate) batch: Option<PathBuf>,
}

/// What colours a cell of a layout's picture.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum By {
    /// Its value
    #[default]
    Value,
    /// The bank of shared memory that it lies in
    Bank,
    /// The thread that holds it: the layout maps (thread, value) to a place in a tile
    Thread,
}

const GUARD: &str = "Examples:
  atl guard \"A(i,j) = B(i,j,k) * C(k)\" -d A=m,n -d B=m,n,h -d C=h
  atl guard \"ij,jk->ik\" -d A=m,k -d B=k,n
  atl guard \"y(i) = x(i+j) * w(j)\" -d x=n -d w=r -d y=p --assume \"p + r - 1 <= n\"
  atl guard \"def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }\"
  atl guard compute.json";

#[derive(clap::Args, Debug)]
#[command(after_help = GUARD)]
pub(crate) struct Guard {
    /// The kernel, or a file that holds it: index notation, an einsum string, Tensor Comprehensions, or a compute in JSON
    pub(crate) kernel: PathBuf,
    /// The sizes of a tensor, names or numbers; nothing after `=` for a scalar
    #[arg(short, long, value_name = "NAME=SIZE,..")]
    pub(crate) declare: Vec<String>,
    /// What may be assumed of sizes: sums of sizes compared by `<=`, `<`, `==`, `>=` or `>`
    #[arg(short, long, value_name = "CONDITION,..")]
    pub(crate) assume: Vec<String>,
    /// Print the program in TeIL and nothing else
    #[arg(long)]
    pub(crate) teil: bool,
}
