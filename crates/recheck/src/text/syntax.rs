//! The subset of C as trees. What they mean is not looked at here.

/// An expression, and its line.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) line: u64,
    pub(super) node: Node,
}

/// The type of a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Constant {
    Int,
    Unsigned,
    Long,
    UnsignedLong,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Integer(i128, Constant),
    /// The bits of a `float`.
    Single(u32),
    /// The bits of a `double`.
    Double(u64),
    Name(String),
    /// `NAME[e]`
    Cell(String, Box<Expr>),
    Call(String, Vec<Expr>),
    /// `!`, `-` or `~`.
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Choice(Box<[Expr; 3]>),
    Cast(String, Box<Expr>),
    /// `(TYPE){0}`
    Zero(String),
    /// `*(TYPE *)&NAME[e]`, with or without `const`.
    Vector(String, Box<Expr>),
    /// `&NAME[e]`
    Address(Box<Expr>),
}

/// A statement, and its line.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) line: u64,
    pub(super) form: Form,
}

#[derive(Clone, Debug)]
pub(super) enum Form {
    Block(Vec<Statement>),
    If(Expr, Vec<Statement>, Option<Vec<Statement>>),
    For(Box<Loop>),
    /// A loop over blocks of iterations.
    Skipping(Box<Skipping>),
    /// Of the statement that follows.
    Pragma(String),
    Declare(Box<Declaration>),
    /// What is stored to, the operator, the value.
    Assign(Expr, &'static str, Expr),
    Call(String, Vec<Expr>),
    /// `(void)NAME;`
    Void,
    Return(Expr),
}

/// `for (int64_t VAR = lo, END = end; cond; VAR++)`, or `VAR += step`.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) variable: String,
    pub(super) first: Expr,
    pub(super) end: Option<(String, Expr)>,
    pub(super) condition: Expr,
    pub(super) step: u32,
    pub(super) body: Vec<Statement>,
}

/// A loop over blocks of iterations, as `blocks` has it: the names, how many lanes vectors have, and their
/// type; the functions that say that no lane has a bit, when an iteration changes something, and the body.
#[derive(Clone, Debug)]
pub(super) struct Skipping {
    pub(super) first: Expr,
    pub(super) next: String,
    pub(super) stop: String,
    pub(super) end: String,
    pub(super) looked: String,
    pub(super) seen: String,
    pub(super) variable: String,
    pub(super) lanes: u32,
    pub(super) ty: String,
    pub(super) none: Vec<String>,
    pub(super) changes: Vec<Expr>,
    pub(super) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(super) struct Declaration {
    pub(super) is_constant: bool,
    pub(super) ty: String,
    /// `*restrict`
    pub(super) is_pointer: bool,
    pub(super) name: String,
    /// Of an array.
    pub(super) cells: Option<u64>,
    pub(super) value: Option<Given>,
}

/// What is declared begins as this.
#[derive(Clone, Debug)]
pub(super) enum Given {
    Value(Expr),
    /// `{0}`
    Zeros,
}

/// The types of numbers.
pub(super) const NUMBERS: [&str; 11] = [
    "int", "float", "double", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
    "uint64_t",
];

/// Words that are no names of variables.
const WORDS: [&str; 12] = [
    "for", "if", "else", "return", "const", "restrict", "sizeof", "void", "static", "inline", "typedef",
    "NULL",
];

/// Is it the name of a type: of numbers, or of vectors?
pub(super) fn is_type(name: &str) -> bool {
    NUMBERS.contains(&name) || vector(name).is_some()
}

/// May a variable have the name? Those of the language and of helpers are taken.
pub(super) fn is_free(name: &str) -> bool {
    let taken = ["__", "atl_", "ATL_"];
    !NUMBERS.contains(&name) && !WORDS.contains(&name) && !taken.iter().any(|word| name.starts_with(word))
}

/// The scalar, the number of lanes and whether it is the type of cells in memory, of `atl_f32x8` or
/// `atl_f32x8_u`.
pub(super) fn vector(name: &str) -> Option<(&str, u32, bool)> {
    let rest = name.strip_prefix("atl_")?;
    let (rest, in_memory) = rest.strip_suffix("_u").map_or((rest, false), |rest| (rest, true));
    let (scalar, lanes) = rest.split_once('x')?;
    let plain = !lanes.starts_with('0') && lanes.bytes().all(|b| b.is_ascii_digit());
    let known = ["f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"].contains(&scalar);
    (plain && known).then_some((scalar, lanes.parse().ok()?, in_memory))
}
