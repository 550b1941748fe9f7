//! CUDA C++ as a [dialect](Dialect), and what printing a kernel's terms finds out.
//!
//! Index terms are `long long`, and `int` where what is known of the variables says that they fit: threads'
//! numbers and loops with literal bounds have few bits, and a device computes with 32 of them in one step.
//! Where rounding is to be exact, products of floats are written `__fmul_rn`, which no compiler fuses with a
//! sum; quotients and square roots are rounded to nearest whatever flags say.

use crate::names::Names;
use crate::tiles::Tile;
use crate::{Refusal, Rounding};
use atl_c_text::{Code, Context, Dialect, halves, is_narrow};
use atl_loops::{Axis, BinOp, Function, Int, IntOp, Kernel, Kind, Literal, Name, Scalar, Swizzle};
use std::collections::{BTreeMap, BTreeSet};

/// The C++ type of a scalar.
pub(crate) fn c_type(scalar: Scalar) -> &'static str {
    match (scalar.kind(), scalar.bits()) {
        (Kind::Float, 32) => "float",
        (Kind::Float, 64) => "double",
        (Kind::Signed, 8) => "signed char",
        (Kind::Signed, 16) => "short",
        (Kind::Signed, 32) => "int",
        (Kind::Signed, _) => "long long",
        (Kind::Truth, _) | (Kind::Unsigned, 8) => "unsigned char",
        (Kind::Float, _) | (Kind::Unsigned, 16) => "unsigned short",
        (Kind::Unsigned, 32) => "unsigned",
        (Kind::Unsigned, _) => "unsigned long long",
    }
}

/// What printing terms needs and finds out.
pub(crate) struct Terms {
    context: Context,
    rounding: Rounding,
    /// Buffers that are plain variables.
    scalars: BTreeSet<Name>,
    /// Buffers that are spread over threads.
    tiles: BTreeMap<Name, Tile>,
    /// Where the cells lie of buffers that threads share.
    swizzles: BTreeMap<Name, Swizzle>,
    /// The threads' variables in scope.
    nest: Vec<(Axis, Name)>,
    /// Variables that are an `int`, with the range of their values.
    narrow: BTreeMap<Name, (i64, i64)>,
    /// What could not be printed.
    refusal: Option<Refusal>,
}

impl Terms {
    pub(crate) fn new(kernel: &Kernel, rounding: Rounding) -> Terms {
        Terms {
            context: Context {
                types: kernel.buffer_types(),
                nonnegative: kernel.sizes.iter().cloned().collect(),
                helpers: BTreeSet::new(),
            },
            rounding,
            scalars: BTreeSet::new(),
            tiles: BTreeMap::new(),
            swizzles: BTreeMap::new(),
            nest: Vec::new(),
            narrow: BTreeMap::new(),
            refusal: None,
        }
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
        self.set_nonnegative(var, self.is_nonnegative(lo));
        self.narrow.remove(var);
        // One past the end is what the variable is in the end.
        let range = lo.constant().zip(hi.constant()).filter(|range| is_narrow(*range));
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

    /// Where a cell lies. Of a cell that is accessed the number is not negative, so its bits are those of the
    /// quotients.
    fn swizzled(&mut self, cell: &Int, swizzle: Swizzle) -> String {
        let distance = swizzle.shift().unsigned_abs();
        let whole = self.int_code(cell).operand();
        let moved = match swizzle.shift() {
            ..0 => format!("({whole} << {distance})"),
            _ => match self.quotient(cell, 1 << distance) {
                Some(quotient) => self.int_code(&quotient).operand(),
                None => format!("({whole} >> {distance})"),
            },
        };
        format!("{whole} ^ ({moved} & {})", swizzle.changed())
    }

    /// The term divided by a number, if that needs no division: a sum of multiples, and of what is less than
    /// it.
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
}

impl Dialect for Terms {
    const MIN_MAX: [&'static str; 2] = ["atl_low", "atl_high"];
    const FALSE_TRUE: [&'static str; 2] = ["false", "true"];

    fn scalar_type(scalar: Scalar) -> &'static str {
        c_type(scalar)
    }

    fn unsigned_type(scalar: Scalar) -> &'static str {
        if scalar.bits() == 64 { "unsigned long long" } else { "unsigned" }
    }

    fn int_literal(value: i64) -> Code {
        let is_int = is_narrow((value, value)) && value > i64::from(i32::MIN);
        match is_int {
            true => Code { narrow: Some((value, value)), ..Code::signed(value.to_string()) },
            false => long(value),
        }
    }

    /// Floats that are not short in decimal are given by their bits, which no compiler reads otherwise.
    fn literal(literal: Literal) -> Code {
        let is_short =
            |x: f64| x.abs() < 1e6 && (x * 1024.0).fract() == 0.0 && !(x == 0.0 && x.is_sign_negative());
        let text = match literal {
            Literal::F16(_) | Literal::BF16(_) => return halves::literal(literal),
            Literal::F32(x) if is_short(f64::from(x)) => format!("{:?}f", f64::from(x)),
            Literal::F32(x) => return Code::atom(format!("__uint_as_float(0x{:08x}u)", x.to_bits())),
            Literal::F64(x) if is_short(x) => format!("{x:?}"),
            Literal::F64(x) => return Code::atom(format!("__longlong_as_double(0x{:016x}LL)", x.to_bits())),
            Literal::Int(x) => match (x.scalar(), i64::try_from(x.get())) {
                (Scalar::I64, Ok(value)) => return long(value),
                (Scalar::I32, Ok(value)) if value == i64::from(i32::MIN) => "-2147483647 - 1".to_owned(),
                (Scalar::U32, _) => format!("{}u", x.get()),
                (Scalar::U64, _) => format!("{}ULL", x.get()),
                _ => x.get().to_string(),
            },
            Literal::Bool(x) => u8::from(x).to_string(),
        };
        Code::signed(text)
    }

    fn context(&self) -> &Context {
        &self.context
    }

    fn context_mut(&mut self) -> &mut Context {
        &mut self.context
    }

    fn identifier(&mut self, name: &Name) -> String {
        Names.identifier(name)
    }

    fn cell(&mut self, buf: &Name, index: &Int) -> String {
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
        match self.swizzles.get(buf).filter(|swizzle| !swizzle.is_identity()) {
            None => format!("{identifier}[{}]", self.int(&own)),
            Some(swizzle) => format!("{identifier}[{}]", self.swizzled(&own, *swizzle)),
        }
    }

    fn range(&self, var: &Name) -> Option<(i64, i64)> {
        self.narrow.get(var).copied()
    }

    fn magnitude(&mut self, scalar: Scalar, a: Code) -> Code {
        let suffix = if scalar == Scalar::F32 { "f" } else { "" };
        Code::atom(format!("fabs{suffix}({})", a.text))
    }

    /// Only those that a device has an exact or correctly rounded one for.
    fn function(&mut self, function: Function, scalar: Scalar, operands: &[Code]) -> Code {
        let single = scalar == Scalar::F32;
        let suffix = if single { "f" } else { "" };
        let name = match function {
            Function::Sqrt => format!("__{}sqrt_rn", if single { "f" } else { "d" }),
            Function::Fma => format!("__fma{suffix}_rn"),
            Function::Round => format!("rint{suffix}"),
            Function::Floor | Function::Ceil | Function::Trunc | Function::Fmod => {
                format!("{}{suffix}", function.name())
            }
            Function::Copysign => {
                self.context.helpers.insert("atl_copysign");
                "atl_copysign".to_owned()
            }
            other => {
                self.refusal = Some(Refusal::new(
                    format!("`{}` has no text for a device", other.name()),
                    "its result would be another than everywhere else: compute it on another back end",
                ));
                String::new()
            }
        };
        let operands: Vec<&str> = operands.iter().map(|a| a.text.as_str()).collect();
        Code::atom(format!("{name}({})", operands.join(", ")))
    }

    fn by_helper(&mut self, op: BinOp, scalar: Scalar, a: &Code, b: &Code) -> Code {
        let ty = c_type(scalar);
        let mut helper = |name: &'static str| {
            self.context.helpers.insert(name);
            name
        };
        match op {
            BinOp::Min => Code::atom(format!("{}<{ty}>({}, {})", helper("atl_min"), a.text, b.text)),
            BinOp::Max => Code::atom(format!("{}<{ty}>({}, {})", helper("atl_max"), a.text, b.text)),
            // Floor division is of 64 signed bits, which do not hold the largest of these.
            _ if scalar == Scalar::U64 => {
                Code::atom(format!("{}<{ty}>({}, {})", helper("atl_div"), a.text, b.text))
            }
            _ => Code::loose(format!("({ty}){}({}, {})", helper("atl_floor_div"), a.text, b.text)),
        }
    }

    fn float_operation(&self, op: BinOp, scalar: Scalar, a: &Code, b: &Code) -> Option<Code> {
        let name = match op {
            BinOp::Mul if self.rounding == Rounding::Exact => "mul",
            BinOp::Div => "div",
            _ => return None,
        };
        let kind = if scalar == Scalar::F32 { "f" } else { "d" };
        Some(Code::atom(format!("__{kind}{name}_rn({}, {})", a.text, b.text)))
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

fn long(value: i64) -> Code {
    if value == i64::MIN {
        return Code::loose("-9223372036854775807LL - 1");
    }
    Code::signed(format!("{value}LL"))
}
