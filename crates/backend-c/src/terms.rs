//! Index terms, predicates and values as C expressions.
//!
//! Affine index terms print as plain C over `int64_t`. `/` and `%` do too where numerator and divisor are seen
//! to have no sign to care for; elsewhere they call a helper. Integers of the program are computed
//! unsigned, because they wrap.

use crate::merge::Early;
use crate::names::Names;
use crate::registers::Tile;
use crate::vectors::{self, Vector};
use atl_loops::{BinOp, Bool, CmpOp, Int, IntOp, Literal, Name, Scalar, UnOp, Val, is_unsigned};
use std::collections::{BTreeMap, BTreeSet};

/// The C type of a scalar.
pub(crate) fn c_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::I32 => "int32_t",
        Scalar::I64 => "int64_t",
        Scalar::U8 | Scalar::Bool => "uint8_t",
    }
}

/// How tightly a printed expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Goes in parentheses inside anything.
    Loose,
    Sum,
    Product,
    Atom,
}

/// A printed expression.
pub(crate) struct Code {
    pub(crate) text: String,
    pub(crate) level: Level,
}

impl Code {
    pub(crate) fn atom(text: impl Into<String>) -> Code {
        Code { text: text.into(), level: Level::Atom }
    }

    pub(crate) fn loose(text: impl Into<String>) -> Code {
        Code { text: text.into(), level: Level::Loose }
    }

    /// The text, in parentheses unless it binds at least as tightly as `level`.
    pub(crate) fn at(&self, level: Level) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }

    pub(crate) fn operand(&self) -> String {
        self.at(Level::Atom)
    }
}

/// What printing a kernel's terms needs and finds out.
pub(crate) struct Terms {
    names: Names,
    /// The type of every buffer.
    types: BTreeMap<Name, Scalar>,
    /// Buffers that are plain C variables.
    locals: BTreeSet<Name>,
    /// Buffers that are named vectors.
    registers: BTreeMap<Name, Tile>,
    /// The outputs whose stores pass the caches by.
    pub(crate) streamed: BTreeSet<Name>,
    /// Buffers that are only read.
    inputs: BTreeSet<Name>,
    /// Buffers of numbers that are within a size.
    pub(crate) within: BTreeSet<(Name, Name)>,
    /// Variables in scope that are never negative.
    nonnegative: BTreeSet<Name>,
    /// The helpers called so far.
    pub(crate) helpers: BTreeSet<&'static str>,
    /// The vector types used so far.
    pub(crate) vectors: vectors::Used,
    /// What merges around have computed ahead.
    pub(crate) early: Vec<Early>,
}

impl Terms {
    /// Over buffers of these types, with identifiers besides those taken.
    pub(crate) fn new(types: BTreeMap<Name, Scalar>, taken: impl IntoIterator<Item = String>) -> Terms {
        Terms {
            names: Names::besides(taken),
            types,
            locals: BTreeSet::new(),
            registers: BTreeMap::new(),
            streamed: BTreeSet::new(),
            inputs: BTreeSet::new(),
            within: BTreeSet::new(),
            nonnegative: BTreeSet::new(),
            helpers: BTreeSet::new(),
            vectors: vectors::Used::default(),
            early: Vec::new(),
        }
    }

    /// The identifier of a name.
    pub(crate) fn identifier(&mut self, name: &Name) -> String {
        self.names.identifier(name)
    }

    /// The identifier of something that belongs to a buffer.
    pub(crate) fn named_part(&mut self, buf: &Name, part: &str) -> String {
        self.names.part(buf, part)
    }

    /// Declares a scratch buffer to be a plain C variable.
    pub(crate) fn add_local(&mut self, buf: &Name) {
        self.locals.insert(buf.clone());
    }

    /// Declares scratch buffers to be named vectors.
    pub(crate) fn set_registers(&mut self, registers: BTreeMap<Name, Tile>) {
        self.registers = registers;
    }

    /// The named vectors that a buffer is.
    pub(crate) fn register(&self, buf: &Name) -> Option<Tile> {
        self.registers.get(buf).copied()
    }

    /// The identifier of a vector of a buffer.
    pub(crate) fn part(&mut self, buf: &Name, k: i64) -> String {
        self.names.part(buf, &k.to_string())
    }

    /// The identifier of the end of a loop.
    pub(crate) fn end(&mut self, var: &Name) -> String {
        self.names.part(var, "end")
    }

    /// The identifier of something else about a loop.
    pub(crate) fn part_of(&mut self, var: &Name, part: &str) -> String {
        self.names.part(var, part)
    }

    /// Declares a buffer to be only read.
    pub(crate) fn add_input(&mut self, buf: &Name) {
        self.inputs.insert(buf.clone());
    }

    /// Is the buffer only read?
    pub(crate) fn is_input(&self, buf: &Name) -> bool {
        self.inputs.contains(buf)
    }

    /// The types of all buffers.
    pub(crate) fn buffer_types(&self) -> &BTreeMap<Name, Scalar> {
        &self.types
    }

    /// Is the buffer a plain C variable?
    pub(crate) fn is_local(&self, buf: &Name) -> bool {
        self.locals.contains(buf)
    }

    /// Says whether the variable, now in scope, is never negative.
    pub(crate) fn set_nonnegative(&mut self, var: &Name, nonnegative: bool) {
        if nonnegative {
            self.nonnegative.insert(var.clone());
        } else {
            self.nonnegative.remove(var);
        }
    }

    /// Is the term visibly never negative?
    pub(crate) fn is_nonnegative(&self, int: &Int) -> bool {
        let unsigned = |buf: &Name| is_unsigned(self.buffer_type(buf));
        int.is_nonnegative(&|name| self.nonnegative.contains(name), &unsigned)
    }

    fn call(&mut self, helper: &'static str, args: &[Code]) -> Code {
        self.helpers.insert(helper);
        let args: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        Code::atom(format!("{helper}({})", args.join(", ")))
    }

    /// The index term as a C expression of type `int64_t` (a literal may be an `int`).
    pub(crate) fn int(&mut self, int: &Int) -> String {
        self.int_code(int).text
    }

    fn int_code(&mut self, int: &Int) -> Code {
        // Folding leaves no operation on two literals, which C would do in `int`.
        if let Some(value) = int.constant() {
            return match i32::try_from(value) {
                Ok(value) if value >= 0 => Code::atom(value.to_string()),
                Ok(value) if value > i32::MIN => Code::loose(value.to_string()),
                _ => Code::atom(i64_literal(value)),
            };
        }
        match int {
            Int::Lit(value) => Code::atom(i64_literal(*value)),
            Int::Var(name) => Code::atom(self.names.identifier(name)),
            Int::Bin(op, a, b) => {
                let is_plain = self.is_nonnegative(a) && b.constant().is_some_and(|divisor| divisor > 0);
                let (left, right) = (self.int_code(a), self.int_code(b));
                let infix = |symbol: &str, level: Level, tighter: Level| Code {
                    text: format!("{} {symbol} {}", left.at(level), right.at(tighter)),
                    level,
                };
                match op {
                    IntOp::Add => infix("+", Level::Sum, Level::Product),
                    IntOp::Sub => infix("-", Level::Sum, Level::Product),
                    IntOp::Mul => infix("*", Level::Product, Level::Atom),
                    IntOp::Div if is_plain => infix("/", Level::Product, Level::Atom),
                    IntOp::Mod if is_plain => infix("%", Level::Product, Level::Atom),
                    IntOp::Div => self.call("atl_floor_div", &[left, right]),
                    IntOp::Mod => self.call("atl_floor_mod", &[left, right]),
                    IntOp::Min => self.call("atl_min", &[left, right]),
                    IntOp::Max => self.call("atl_max", &[left, right]),
                }
            }
            Int::Load(buf, cell) => {
                let cell = self.cell(buf, cell);
                match self.buffer_type(buf) {
                    Scalar::I64 => Code::atom(cell),
                    _ => Code { text: format!("(int64_t){cell}"), level: Level::Product },
                }
            }
        }
    }

    /// The predicate as a C expression.
    pub(crate) fn bool(&mut self, bool: &Bool) -> String {
        self.bool_code(bool).text
    }

    fn bool_code(&mut self, bool: &Bool) -> Code {
        match bool {
            Bool::Lit(value) => Code::atom(u8::from(*value).to_string()),
            Bool::Cmp(op, a, b) => {
                let (left, right) = (self.int_code(a), self.int_code(b));
                Code::loose(format!("{} {} {}", left.at(Level::Sum), cmp_symbol(*op), right.at(Level::Sum)))
            }
            Bool::And(a, b) => {
                let (left, right) = (self.bool_code(a), self.bool_code(b));
                Code::loose(format!("{} && {}", left.operand(), right.operand()))
            }
            Bool::Or(a, b) => {
                let (left, right) = (self.bool_code(a), self.bool_code(b));
                Code::loose(format!("{} || {}", left.operand(), right.operand()))
            }
            Bool::Not(a) => Code::loose(format!("!{}", self.bool_code(a).operand())),
        }
    }

    /// The cell of a buffer as a C lvalue.
    pub(crate) fn cell(&mut self, buf: &Name, index: &Int) -> String {
        if let (Some(tile), Some(cell)) = (self.register(buf), index.constant()) {
            let count = i64::from(tile.vector.count);
            return format!("{}[{}]", self.part(buf, cell / count), cell % count);
        }
        let identifier = self.names.identifier(buf);
        match index {
            _ if self.locals.contains(buf) => identifier,
            // A subscript may have any type.
            Int::Load(inner, cell) => format!("{identifier}[{}]", self.cell(inner, cell)),
            _ => format!("{identifier}[{}]", self.int(index)),
        }
    }

    /// The type of a buffer.
    pub(crate) fn buffer_type(&self, buf: &Name) -> Scalar {
        self.types.get(buf).copied().unwrap_or(Scalar::I64)
    }

    /// The value as a C expression.
    pub(crate) fn val(&mut self, val: &Val) -> String {
        self.val_code(val).text
    }

    pub(crate) fn type_of(&self, val: &Val) -> Scalar {
        val.scalar_type(&self.types).unwrap_or(Scalar::I64)
    }

    pub(crate) fn val_code(&mut self, val: &Val) -> Code {
        match val {
            Val::Lit(literal) => literal_code(*literal),
            Val::Load { buf, index } => Code::atom(self.cell(buf, index)),
            Val::OfInt(int) => {
                let code = self.int_code(int);
                Code::loose(format!("(int64_t){}", code.operand()))
            }
            Val::Un(op, a) => {
                let scalar = self.type_of(a);
                let code = self.val_code(a);
                self.unary(*op, scalar, code)
            }
            Val::Bin(op, a, b) => {
                let scalar = self.type_of(a);
                let (left, right) = (self.val_code(a), self.val_code(b));
                self.binary(*op, scalar, left, right)
            }
            Val::Cmp(op, a, b) => {
                let (left, right) = (self.val_code(a), self.val_code(b));
                Code::loose(format!("{} {} {}", left.operand(), cmp_symbol(*op), right.operand()))
            }
            Val::Select { cond, then, otherwise } => {
                if let Some(masked) = self.masked(cond, then, otherwise) {
                    return Code::atom(masked);
                }
                let cond = self.bool_code(cond);
                let (then, otherwise) = (self.val_code(then), self.val_code(otherwise));
                ternary(cond, then, otherwise)
            }
            Val::Choose { cond, then, otherwise } => {
                let cond = self.val_code(cond);
                let (then, otherwise) = (self.val_code(then), self.val_code(otherwise));
                ternary(cond, then, otherwise)
            }
            Val::Convert { to, val } => {
                let from = self.type_of(val);
                let code = self.val_code(val);
                self.convert(from, *to, code)
            }
        }
    }

    /// What a reduction stores: `op(old, value)`.
    pub(crate) fn combine(&mut self, op: BinOp, scalar: Scalar, old: &str, value: &Val) -> String {
        let value = self.val_code(value);
        self.binary(op, scalar, Code::atom(old), value).text
    }

    fn unary(&mut self, op: UnOp, scalar: Scalar, a: Code) -> Code {
        let suffix = if scalar == Scalar::F32 { "f" } else { "" };
        let builtin = |name: &str, a: Code| Code::atom(format!("__builtin_{name}{suffix}({})", a.text));
        match op {
            UnOp::Not => Code::loose(format!("!{}", a.operand())),
            UnOp::Neg if scalar.is_float() => Code::loose(format!("-{}", a.operand())),
            UnOp::Neg => unsigned(scalar, "-", Code::atom("0"), a),
            UnOp::Abs => match scalar {
                Scalar::I32 => self.call("atl_abs_i32", &[a]),
                Scalar::I64 => self.call("atl_abs_i64", &[a]),
                Scalar::U8 | Scalar::Bool => a,
                Scalar::F32 | Scalar::F64 => builtin("fabs", a),
            },
            UnOp::Floor => builtin("floor", a),
            UnOp::Sqrt => builtin("sqrt", a),
            UnOp::Exp | UnOp::Log => {
                let function = self.vectors.function(op, Vector { scalar, count: 1 });
                Code::atom(format!("{function}({})", a.text))
            }
        }
    }

    pub(crate) fn binary(&mut self, op: BinOp, scalar: Scalar, a: Code, b: Code) -> Code {
        let float = |symbol: &str, level: Level, tighter: Level| Code {
            text: format!("{} {symbol} {}", a.at(level), b.at(tighter)),
            level,
        };
        match (op, scalar) {
            (BinOp::Add, _) if scalar.is_float() => float("+", Level::Sum, Level::Product),
            (BinOp::Sub, _) if scalar.is_float() => float("-", Level::Sum, Level::Product),
            (BinOp::Mul, _) if scalar.is_float() => float("*", Level::Product, Level::Atom),
            (BinOp::Div, _) if scalar.is_float() => float("/", Level::Product, Level::Atom),
            (BinOp::Add, _) => unsigned(scalar, "+", a, b),
            (BinOp::Sub, _) => unsigned(scalar, "-", a, b),
            (BinOp::Mul, _) => unsigned(scalar, "*", a, b),
            (BinOp::Div, Scalar::I32) => self.call("atl_div_i32", &[a, b]),
            (BinOp::Div, Scalar::U8) => self.call("atl_div_u8", &[a, b]),
            (BinOp::Div, _) => self.call("atl_div_i64", &[a, b]),
            (BinOp::Min, Scalar::F32) => self.call("atl_min_f32", &[a, b]),
            (BinOp::Min, Scalar::F64) => self.call("atl_min_f64", &[a, b]),
            (BinOp::Min, Scalar::I32) => self.call("atl_min_i32", &[a, b]),
            (BinOp::Min, Scalar::U8) => self.call("atl_min_u8", &[a, b]),
            (BinOp::Min, _) => self.call("atl_min", &[a, b]),
            (BinOp::Max, Scalar::F32) => self.call("atl_max_f32", &[a, b]),
            (BinOp::Max, Scalar::F64) => self.call("atl_max_f64", &[a, b]),
            (BinOp::Max, Scalar::I32) => self.call("atl_max_i32", &[a, b]),
            (BinOp::Max, Scalar::U8) => self.call("atl_max_u8", &[a, b]),
            (BinOp::Max, _) => self.call("atl_max", &[a, b]),
            // On 0 and 1 the bitwise operations are the logical ones, without a branch.
            (BinOp::And, _) => Code::loose(format!("{} & {}", a.operand(), b.operand())),
            (BinOp::Or, _) => Code::loose(format!("{} | {}", a.operand(), b.operand())),
        }
    }

    fn convert(&mut self, from: Scalar, to: Scalar, code: Code) -> Code {
        match to {
            _ if from == to => code,
            Scalar::Bool => Code::loose(format!("{} != 0", code.operand())),
            Scalar::I32 if from.is_float() => self.call("atl_to_i32", &[code]),
            Scalar::I64 if from.is_float() => self.call("atl_to_i64", &[code]),
            Scalar::U8 if from.is_float() => self.call("atl_to_u8", &[code]),
            _ => Code::loose(format!("({}){}", c_type(to), code.operand())),
        }
    }
}

fn ternary(cond: Code, then: Code, otherwise: Code) -> Code {
    Code::loose(format!("{} ? {} : {}", cond.operand(), then.operand(), otherwise.operand()))
}

/// An operation on integers that wraps.
fn unsigned(scalar: Scalar, symbol: &str, a: Code, b: Code) -> Code {
    let (signed, word) = match scalar {
        Scalar::I32 => ("int32_t", "uint32_t"),
        Scalar::I64 => ("int64_t", "uint64_t"),
        _ => ("uint8_t", "uint32_t"),
    };
    Code::loose(format!("({signed})(({word}){} {symbol} ({word}){})", a.operand(), b.operand()))
}

fn cmp_symbol(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "==",
        CmpOp::Ne => "!=",
        CmpOp::Lt => "<",
        CmpOp::Le => "<=",
    }
}

fn i64_literal(value: i64) -> String {
    if value == i64::MIN { "INT64_MIN".to_owned() } else { format!("INT64_C({value})") }
}

/// A literal.
pub(crate) fn literal_code(literal: Literal) -> Code {
    let text = match literal {
        Literal::F32(x) if x.is_nan() => "__builtin_nanf(\"\")".to_owned(),
        Literal::F64(x) if x.is_nan() => "__builtin_nan(\"\")".to_owned(),
        Literal::F32(f32::INFINITY) => "__builtin_inff()".to_owned(),
        Literal::F64(f64::INFINITY) => "__builtin_inf()".to_owned(),
        Literal::F32(f32::NEG_INFINITY) => "-__builtin_inff()".to_owned(),
        Literal::F64(f64::NEG_INFINITY) => "-__builtin_inf()".to_owned(),
        Literal::F32(x) => format!("{}f", float_text(f64::from(x))),
        Literal::F64(x) => float_text(x),
        Literal::I32(i32::MIN) => "INT32_MIN".to_owned(),
        Literal::I32(x) => x.to_string(),
        Literal::I64(x) => i64_literal(x),
        Literal::U8(x) => x.to_string(),
        Literal::Bool(x) => u8::from(x).to_string(),
    };
    if text.starts_with('-') { Code::loose(text) } else { Code::atom(text) }
}

/// A finite float, exactly: in decimal where that is short, else in hexadecimal.
fn float_text(x: f64) -> String {
    if x.abs() < 1e6 && (x * 1024.0).fract() == 0.0 {
        return format!("{x:?}");
    }
    let bits = x.to_bits();
    let sign = if bits >> 63 == 1 { "-" } else { "" };
    let exponent = i64::try_from(bits >> 52 & 0x7ff).unwrap_or(0);
    let fraction = bits & ((1 << 52) - 1);
    // A subnormal has no leading one and the exponent of the smallest normal number.
    let (leading, exponent) = if exponent == 0 { (0, -1022) } else { (1, exponent - 1023) };
    let digits = format!("{fraction:013x}");
    format!("{sign}0x{leading}.{}p{exponent}", digits.trim_end_matches('0'))
}
