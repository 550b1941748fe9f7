//! Index terms, predicates and values as CUDA C++.
//!
//! Index terms are `long long`, and `int` where what is known of the variables says that they fit: threads' numbers and loops
//! with literal bounds have few bits, and a device computes with 32 of them in one step. Integers of the program are computed
//! unsigned, because they wrap. Where rounding is to be exact, products of floats are written `__fmul_rn`, which no compiler fuses with a
//! sum; quotients and square roots are rounded to nearest whatever flags say.

use crate::names::Names;
use crate::tiles::Tile;
use crate::{Refusal, Rounding};
use atl_loops::{
    Axis, BinOp, Bool, CmpOp, Int, IntOp, Kernel, Literal, Name, Scalar, Swizzle, UnOp, Val, is_unsigned,
};
use std::collections::{BTreeMap, BTreeSet};

/// The C++ type of a scalar.
pub(crate) fn c_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::I32 => "int",
        Scalar::I64 => "long long",
        Scalar::U8 | Scalar::Bool => "unsigned char",
    }
}

/// How tightly a printed expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Loose,
    Sum,
    Product,
    Atom,
}

/// A printed expression.
struct Code {
    text: String,
    level: Level,
    /// Between which numbers it is, if it is an `int`.
    narrow: Option<(i64, i64)>,
}

impl Code {
    fn atom(text: impl Into<String>) -> Code {
        Code { text: text.into(), level: Level::Atom, narrow: None }
    }

    fn loose(text: impl Into<String>) -> Code {
        Code { text: text.into(), level: Level::Loose, narrow: None }
    }

    fn at(&self, level: Level) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }

    fn operand(&self) -> String {
        self.at(Level::Atom)
    }

    /// The same as a `long long`.
    fn wide(self) -> Code {
        match self.narrow {
            None => self,
            Some(_) => {
                Code { text: format!("(long long){}", self.operand()), level: Level::Product, narrow: None }
            }
        }
    }
}

fn fits(range: (i64, i64)) -> bool {
    i32::try_from(range.0).is_ok() && i32::try_from(range.1).is_ok()
}

/// What printing terms needs and finds out.
pub(crate) struct Terms {
    types: BTreeMap<Name, Scalar>,
    rounding: Rounding,
    /// Buffers that are plain variables.
    scalars: BTreeSet<Name>,
    /// Buffers that are spread over threads.
    tiles: BTreeMap<Name, Tile>,
    /// Where the cells lie of buffers that threads share.
    swizzles: BTreeMap<Name, Swizzle>,
    /// The threads' variables in scope.
    nest: Vec<(Axis, Name)>,
    /// Variables that are never negative.
    nonnegative: BTreeSet<Name>,
    /// Variables that are an `int`, with the range of their values.
    narrow: BTreeMap<Name, (i64, i64)>,
    /// The helpers called so far.
    pub(crate) helpers: BTreeSet<&'static str>,
    /// What could not be printed.
    refusal: Option<Refusal>,
}

impl Terms {
    pub(crate) fn new(kernel: &Kernel, rounding: Rounding) -> Terms {
        Terms {
            types: kernel.buffer_types(),
            rounding,
            scalars: BTreeSet::new(),
            tiles: BTreeMap::new(),
            swizzles: BTreeMap::new(),
            nest: Vec::new(),
            nonnegative: kernel.sizes.iter().cloned().collect(),
            narrow: BTreeMap::new(),
            helpers: BTreeSet::new(),
            refusal: None,
        }
    }

    pub(crate) fn identifier(&self, name: &Name) -> String {
        Names.identifier(name)
    }

    pub(crate) fn add_scalar(&mut self, buf: &Name) {
        self.scalars.insert(buf.clone());
    }

    pub(crate) fn is_scalar(&self, buf: &Name) -> bool {
        self.scalars.contains(buf)
    }

    pub(crate) fn add_tile(&mut self, buf: &Name, tile: &Tile) {
        self.tiles.insert(buf.clone(), tile.clone());
    }

    pub(crate) fn tile(&self, buf: &Name) -> Option<&Tile> {
        self.tiles.get(buf)
    }

    pub(crate) fn add_swizzle(&mut self, buf: &Name, swizzle: Swizzle) {
        self.swizzles.insert(buf.clone(), swizzle);
    }

    /// Which threads' variables are in scope.
    pub(crate) fn set_nest(&mut self, nest: Vec<(Axis, Name)>) {
        self.nest = nest;
    }

    /// Brings a variable into scope, and says whether it is an `int`.
    pub(crate) fn enter(&mut self, var: &Name, lo: &Int, hi: &Int) -> bool {
        if self.is_nonnegative(lo) {
            self.nonnegative.insert(var.clone());
        } else {
            self.nonnegative.remove(var);
        }
        self.narrow.remove(var);
        // One past the end is what the variable is in the end.
        let range = lo.constant().zip(hi.constant()).filter(|range| fits(*range));
        self.narrow.extend(range.map(|range| (var.clone(), range)));
        range.is_some()
    }

    /// Says that a variable in scope is a `long long`.
    pub(crate) fn widen(&mut self, var: &Name) {
        self.narrow.remove(var);
    }

    /// Refuses the program if a term has no text.
    pub(crate) fn checked(&mut self) -> Result<(), Refusal> {
        self.refusal.take().map_or(Ok(()), Err)
    }

    pub(crate) fn is_nonnegative(&self, int: &Int) -> bool {
        let unsigned = |buf: &Name| is_unsigned(self.buffer_type(buf));
        int.is_nonnegative(&|name| self.nonnegative.contains(name), &unsigned)
    }

    fn call(&mut self, helper: &'static str, args: &[Code]) -> Code {
        self.helpers.insert(helper);
        let args: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        Code::atom(format!("{helper}({})", args.join(", ")))
    }

    /// The index term.
    pub(crate) fn int(&mut self, int: &Int) -> String {
        self.int_code(int).text
    }

    fn int_code(&mut self, int: &Int) -> Code {
        if let Some(value) = int.constant() {
            return match fits((value, value)) && value > i64::from(i32::MIN) {
                true => {
                    let level = if value < 0 { Level::Loose } else { Level::Atom };
                    Code { text: value.to_string(), level, narrow: Some((value, value)) }
                }
                false => long(value),
            };
        }
        match int {
            Int::Lit(value) => long(*value),
            Int::Var(name) => {
                Code { narrow: self.narrow.get(name).copied(), ..Code::atom(self.identifier(name)) }
            }
            Int::Bin(op, a, b) => {
                let is_plain = self.is_nonnegative(a) && b.constant().is_some_and(|divisor| divisor > 0);
                let (left, right) = (self.int_code(a), self.int_code(b));
                let range = left.narrow.zip(right.narrow).and_then(|(a, b)| range_of(*op, a, b, is_plain));
                let range = range.filter(|range| fits(*range));
                // One wide operand makes the operation wide.
                let left = if range.is_none() && right.narrow.is_some() { left.wide() } else { left };
                let infix = |symbol: &str, level: Level, tighter: Level| Code {
                    text: format!("{} {symbol} {}", left.at(level), right.at(tighter)),
                    level,
                    narrow: range,
                };
                match op {
                    IntOp::Add => infix("+", Level::Sum, Level::Product),
                    IntOp::Sub => infix("-", Level::Sum, Level::Product),
                    IntOp::Mul => infix("*", Level::Product, Level::Atom),
                    IntOp::Div if is_plain => infix("/", Level::Product, Level::Atom),
                    IntOp::Mod if is_plain => infix("%", Level::Product, Level::Atom),
                    IntOp::Div => self.call("atl_floor_div", &[left, right]),
                    IntOp::Mod => self.call("atl_floor_mod", &[left, right]),
                    IntOp::Min => self.call("atl_low", &[left, right]),
                    IntOp::Max => self.call("atl_high", &[left, right]),
                }
            }
            Int::Load(buf, cell) => {
                let cell = self.cell(buf, cell);
                Code { text: format!("(long long){cell}"), level: Level::Product, narrow: None }
            }
        }
    }

    /// The predicate.
    pub(crate) fn bool(&mut self, bool: &Bool) -> String {
        self.bool_code(bool).text
    }

    fn bool_code(&mut self, bool: &Bool) -> Code {
        match bool {
            Bool::Lit(value) => Code::atom(if *value { "true" } else { "false" }),
            Bool::Cmp(op, a, b) => {
                let (left, right) = (self.int_code(a), self.int_code(b));
                Code::loose(format!("{} {} {}", left.at(Level::Sum), symbol(*op), right.at(Level::Sum)))
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

    /// The cell of a buffer.
    pub(crate) fn cell(&mut self, buf: &Name, index: &Int) -> String {
        let identifier = self.identifier(buf);
        if self.scalars.contains(buf) {
            return identifier;
        }
        let own = match self.tiles.get(buf).map(|tile| tile.cell(index, &self.nest)) {
            None => index.clone(),
            Some(Some(own)) => own,
            Some(None) => {
                self.refusal = Some(Refusal::new(
                    format!("`{buf}[{index}]` is not spread over threads"),
                    "this is the printer's own fault: please report it",
                ));
                return identifier;
            }
        };
        match self.swizzles.get(buf).filter(|swizzle| !swizzle.is_none()) {
            None => format!("{identifier}[{}]", self.int(&own)),
            Some(swizzle) => format!("{identifier}[{}]", self.swizzled(&own, *swizzle)),
        }
    }

    /// Where a cell lies. Of a cell that is accessed the number is not negative, so its bits are those of the quotients.
    fn swizzled(&mut self, cell: &Int, swizzle: Swizzle) -> String {
        let distance = swizzle.shift().unsigned_abs();
        let whole = self.int_code(cell).at(Level::Atom);
        let moved = match swizzle.shift() {
            ..0 => format!("({whole} << {distance})"),
            _ => match self.quotient(cell, 1 << distance) {
                Some(quotient) => self.int_code(&quotient).at(Level::Atom),
                None => format!("({whole} >> {distance})"),
            },
        };
        format!("{whole} ^ ({moved} & {})", swizzle.changed())
    }

    /// The term divided by a number, if that needs no division: a sum of multiples, and of what is less than it.
    fn quotient(&self, int: &Int, divisor: i64) -> Option<Int> {
        let mut parts = Vec::new();
        addends(int, &mut parts);
        let (mut quotient, mut least, mut most) = (Vec::new(), 0i64, 0i64);
        for part in parts {
            if let Some(multiple) = divided(part, divisor) {
                quotient.push(multiple);
                continue;
            }
            let Int::Var(name) = part else { return None };
            let (lo, end) = *self.narrow.get(name)?;
            // The end of the range is what the variable is after its loop.
            (least, most) = (least.checked_add(lo)?, most.checked_add(end.checked_sub(1)?)?);
        }
        let is_rest = least >= 0 && most < divisor;
        if is_rest { quotient.into_iter().reduce(|sum, part| sum + part) } else { None }
    }

    pub(crate) fn buffer_type(&self, buf: &Name) -> Scalar {
        self.types.get(buf).copied().unwrap_or(Scalar::I64)
    }

    fn type_of(&self, val: &Val) -> Scalar {
        val.scalar_type(&self.types).unwrap_or(Scalar::I64)
    }

    /// The value.
    pub(crate) fn val(&mut self, val: &Val) -> String {
        self.val_code(val).text
    }

    fn val_code(&mut self, val: &Val) -> Code {
        match val {
            Val::Lit(literal) => literal_code(*literal),
            Val::Load { buf, index } => Code::atom(self.cell(buf, index)),
            Val::OfInt(int) => {
                let code = self.int_code(int);
                Code::loose(format!("(long long){}", code.operand()))
            }
            Val::Un(op, a) => {
                let scalar = self.type_of(a);
                let code = self.val_code(a);
                self.unary(*op, scalar, code)
            }
            Val::Bin(op, a, b) => {
                let scalar = self.type_of(a);
                let (left, right) = (self.val_code(a), self.val_code(b));
                self.binary(*op, scalar, &left, &right)
            }
            Val::Cmp(op, a, b) => {
                let (left, right) = (self.val_code(a), self.val_code(b));
                Code::loose(format!("{} {} {}", left.operand(), symbol(*op), right.operand()))
            }
            Val::Select { cond, then, otherwise } => {
                let cond = self.bool_code(cond);
                let (then, otherwise) = (self.val_code(then), self.val_code(otherwise));
                ternary(&cond, &then, &otherwise)
            }
            Val::Choose { cond, then, otherwise } => {
                let cond = self.val_code(cond);
                let (then, otherwise) = (self.val_code(then), self.val_code(otherwise));
                ternary(&cond, &then, &otherwise)
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
        self.binary(op, scalar, &Code::atom(old), &value).text
    }

    fn unary(&mut self, op: UnOp, scalar: Scalar, a: Code) -> Code {
        let single = scalar == Scalar::F32;
        let suffix = if single { "f" } else { "" };
        match op {
            UnOp::Not => Code::loose(format!("!{}", a.operand())),
            UnOp::Neg if scalar.is_float() => Code::loose(format!("-{}", a.operand())),
            UnOp::Neg => unsigned(scalar, "-", &Code::atom("0"), &a),
            UnOp::Abs => match scalar {
                Scalar::I32 => self.call("atl_abs_i32", &[a]),
                Scalar::I64 => self.call("atl_abs_i64", &[a]),
                Scalar::U8 | Scalar::Bool => a,
                Scalar::F32 | Scalar::F64 => Code::atom(format!("fabs{suffix}({})", a.text)),
            },
            UnOp::Floor => Code::atom(format!("floor{suffix}({})", a.text)),
            UnOp::Sqrt => Code::atom(format!("__{}sqrt_rn({})", if single { "f" } else { "d" }, a.text)),
            UnOp::Exp | UnOp::Log => {
                let name = if op == UnOp::Exp { "exp" } else { "log" };
                self.refusal = Some(Refusal::new(
                    format!("`{name}` has no text for a device"),
                    "its result would be another than everywhere else: compute it on another back end",
                ));
                a
            }
        }
    }

    fn binary(&mut self, op: BinOp, scalar: Scalar, a: &Code, b: &Code) -> Code {
        let infix = |symbol: &str, level: Level, tighter: Level| Code {
            text: format!("{} {symbol} {}", a.at(level), b.at(tighter)),
            level,
            narrow: None,
        };
        let rounded = |operation: &str| {
            let kind = if scalar == Scalar::F32 { "f" } else { "d" };
            Code::atom(format!("__{kind}{operation}_rn({}, {})", a.text, b.text))
        };
        let helper = |terms: &mut Terms, name: &'static str| {
            terms.helpers.insert(name);
            Code::atom(format!("{name}<{}>({}, {})", c_type(scalar), a.text, b.text))
        };
        match (op, scalar) {
            (BinOp::Add, _) if scalar.is_float() => infix("+", Level::Sum, Level::Product),
            (BinOp::Sub, _) if scalar.is_float() => infix("-", Level::Sum, Level::Product),
            (BinOp::Mul, _) if scalar.is_float() && self.rounding == Rounding::Exact => rounded("mul"),
            (BinOp::Mul, _) if scalar.is_float() => infix("*", Level::Product, Level::Atom),
            (BinOp::Div, _) if scalar.is_float() => rounded("div"),
            (BinOp::Add, _) => unsigned(scalar, "+", a, b),
            (BinOp::Sub, _) => unsigned(scalar, "-", a, b),
            (BinOp::Mul, _) => unsigned(scalar, "*", a, b),
            (BinOp::Div, _) => {
                self.helpers.insert("atl_floor_div");
                Code::loose(format!("({})atl_floor_div({}, {})", c_type(scalar), a.text, b.text))
            }
            (BinOp::Min, _) => helper(self, "atl_min"),
            (BinOp::Max, _) => helper(self, "atl_max"),
            // On 0 and 1 the bitwise operations are the logical ones.
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

/// The addends of a sum.
fn addends<'i>(int: &'i Int, into: &mut Vec<&'i Int>) {
    match int {
        Int::Bin(IntOp::Add, a, b) => {
            addends(a, into);
            addends(b, into);
        }
        other => into.push(other),
    }
}

/// A product without a factor that the divisor divides.
fn divided(int: &Int, divisor: i64) -> Option<Int> {
    match int {
        Int::Bin(IntOp::Mul, a, b) => {
            let factor = b.constant().filter(|factor| factor % divisor == 0)?;
            let multiple = factor / divisor;
            Some(if multiple == 1 { (**a).clone() } else { (**a).clone() * Int::Lit(multiple) })
        }
        _ => None,
    }
}

/// Between which numbers an operation on `int`s is; none where it is a helper's or may leave 64 bits.
fn range_of(op: IntOp, a: (i64, i64), b: (i64, i64), is_plain: bool) -> Option<(i64, i64)> {
    match op {
        IntOp::Add => Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)),
        IntOp::Sub => Some((a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)),
        IntOp::Mul => {
            let ends =
                [a.0.checked_mul(b.0)?, a.0.checked_mul(b.1)?, a.1.checked_mul(b.0)?, a.1.checked_mul(b.1)?];
            Some((*ends.iter().min()?, *ends.iter().max()?))
        }
        IntOp::Div if is_plain => Some((0, a.1.max(0))),
        IntOp::Mod if is_plain => Some((0, b.1.max(0))),
        IntOp::Div | IntOp::Mod | IntOp::Min | IntOp::Max => None,
    }
}

fn long(value: i64) -> Code {
    if value == i64::MIN {
        return Code::loose("-9223372036854775807LL - 1");
    }
    let level = if value < 0 { Level::Loose } else { Level::Atom };
    Code { text: format!("{value}LL"), level, narrow: None }
}

fn ternary(cond: &Code, then: &Code, otherwise: &Code) -> Code {
    Code::loose(format!("{} ? {} : {}", cond.operand(), then.operand(), otherwise.operand()))
}

/// An operation on integers that wraps.
fn unsigned(scalar: Scalar, symbol: &str, a: &Code, b: &Code) -> Code {
    let (signed, word) = match scalar {
        Scalar::I32 => ("int", "unsigned"),
        Scalar::I64 => ("long long", "unsigned long long"),
        _ => ("unsigned char", "unsigned"),
    };
    Code::loose(format!("({signed})(({word}){} {symbol} ({word}){})", a.operand(), b.operand()))
}

fn symbol(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "==",
        CmpOp::Ne => "!=",
        CmpOp::Lt => "<",
        CmpOp::Le => "<=",
    }
}

/// A literal. Floats that are not short in decimal are given by their bits, which no compiler reads otherwise.
fn literal_code(literal: Literal) -> Code {
    let is_short =
        |x: f64| x.abs() < 1e6 && (x * 1024.0).fract() == 0.0 && !(x == 0.0 && x.is_sign_negative());
    let text = match literal {
        Literal::F32(x) if is_short(f64::from(x)) => format!("{:?}f", f64::from(x)),
        Literal::F32(x) => return Code::atom(format!("__uint_as_float(0x{:08x}u)", x.to_bits())),
        Literal::F64(x) if is_short(x) => format!("{x:?}"),
        Literal::F64(x) => return Code::atom(format!("__longlong_as_double(0x{:016x}LL)", x.to_bits())),
        Literal::I32(i32::MIN) => "-2147483647 - 1".to_owned(),
        Literal::I32(x) => x.to_string(),
        Literal::I64(x) => return long(x),
        Literal::U8(x) => x.to_string(),
        Literal::Bool(x) => u8::from(x).to_string(),
    };
    if text.starts_with('-') { Code::loose(text) } else { Code::atom(text) }
}
