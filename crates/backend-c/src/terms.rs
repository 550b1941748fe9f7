//! C as a [dialect](Dialect), and what printing a kernel's terms finds out.
//!
//! Index terms are `int64_t`; a literal may be an `int`.

use crate::names::Names;
use crate::registers::Tile;
use crate::vector_type::Vector;
use crate::vectors;
use crate::{rounded, scalars, signs};
use atl_c_text::helpers::{self, Helper};
use atl_c_text::{Code, Context, Dialect, Precedence};
use atl_loops::{BinOp, Bool, Function, Int, Literal, Name, Scalar, Val};
use std::collections::{BTreeMap, BTreeSet};

/// What is computed at a place in every iteration that the place has the key of.
pub(crate) struct Early {
    pub(crate) has: Bool,
    pub(crate) value: Val,
    pub(crate) name: String,
}

/// What printing a kernel's terms needs and finds out.
pub(crate) struct Terms {
    names: Names,
    context: Context,
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
    /// The vector types used so far.
    pub(crate) vectors: vectors::Used,
    /// What merges around have computed ahead.
    pub(crate) early: Vec<Early>,
    /// Are products of floats kept from being fused?
    rounded: bool,
}

impl Terms {
    /// Over buffers of these types, with identifiers besides those taken.
    pub(crate) fn new(types: BTreeMap<Name, Scalar>, taken: impl IntoIterator<Item = String>) -> Terms {
        Terms {
            names: Names::besides(taken),
            context: Context { types, ..Context::default() },
            locals: BTreeSet::new(),
            registers: BTreeMap::new(),
            streamed: BTreeSet::new(),
            inputs: BTreeSet::new(),
            within: BTreeSet::new(),
            vectors: vectors::Used::default(),
            early: Vec::new(),
            rounded: false,
        }
    }

    /// Keeps products of floats from being fused with sums, or no longer. What was before?
    pub(crate) fn round_products(&mut self, rounded: bool) -> bool {
        std::mem::replace(&mut self.rounded, rounded)
    }

    /// Are products of floats kept from being fused?
    pub(crate) fn rounds_products(&self) -> bool {
        self.rounded
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
        &self.context.types
    }

    /// Is the buffer a plain C variable?
    pub(crate) fn is_local(&self, buf: &Name) -> bool {
        self.locals.contains(buf)
    }

    /// The helpers called so far.
    pub(crate) fn helpers(&mut self) -> &mut BTreeSet<&'static str> {
        &mut self.context.helpers
    }
}

impl Dialect for Terms {
    const MIN_MAX: [&'static str; 2] = ["atl_min", "atl_max"];
    const FALSE_TRUE: [&'static str; 2] = ["0", "1"];

    fn scalar_type(scalar: Scalar) -> &'static str {
        scalars::c_type(scalar)
    }

    fn unsigned_type(scalar: Scalar) -> &'static str {
        if scalar.bits() == 64 { "uint64_t" } else { "uint32_t" }
    }

    /// A small one is an `int`.
    fn int_literal(value: i64) -> Code {
        match i32::try_from(value) {
            Ok(value) if value > i32::MIN => Code::signed(value.to_string()),
            _ => Code::atom(scalars::i64_literal(value)),
        }
    }

    fn literal(literal: Literal) -> Code {
        scalars::literal(literal)
    }

    fn context(&self) -> &Context {
        &self.context
    }

    fn context_mut(&mut self) -> &mut Context {
        &mut self.context
    }

    fn identifier(&mut self, name: &Name) -> String {
        self.names.identifier(name)
    }

    fn cell(&mut self, buf: &Name, index: &Int) -> String {
        if let (Some(tile), Some(cell)) = (self.register(buf), index.constant()) {
            let count = i64::from(tile.vector.count);
            return format!("{}[{}]", self.part(buf, cell / count), cell % count);
        }
        let identifier = self.identifier(buf);
        match index {
            _ if self.locals.contains(buf) => identifier,
            // A subscript may have any type.
            Int::Load(inner, cell) => format!("{identifier}[{}]", self.cell(inner, cell)),
            _ => format!("{identifier}[{}]", self.int(index)),
        }
    }

    fn index_cell(&self, scalar: Scalar, cell: String) -> Code {
        match scalar {
            Scalar::I64 => Code::atom(cell),
            _ => Code::new(format!("(int64_t){cell}"), Precedence::Product),
        }
    }

    fn magnitude(&mut self, scalar: Scalar, a: Code) -> Code {
        let suffix = if scalar == Scalar::F32 { "f" } else { "" };
        Code::atom(format!("__builtin_fabs{suffix}({})", a.text))
    }

    fn function(&mut self, function: Function, scalar: Scalar, operands: &[Code]) -> Code {
        let suffix = if scalar == Scalar::F32 { "f" } else { "" };
        let name = match vectors::builtin(function) {
            Some(builtin) => format!("__builtin_{builtin}{suffix}"),
            None => self.vectors.function(function, Vector { scalar, count: 1 }),
        };
        let operands: Vec<&str> = operands.iter().map(|a| a.text.as_str()).collect();
        Code::atom(format!("{name}({})", operands.join(", ")))
    }

    fn by_helper(&mut self, op: BinOp, scalar: Scalar, a: &Code, b: &Code) -> Code {
        let helper = match (op, scalar) {
            (BinOp::Min, Scalar::I64) => "atl_min",
            (BinOp::Max, Scalar::I64) => "atl_max",
            (BinOp::Min, _) => helpers::name(Helper::Min, scalar),
            (BinOp::Max, _) => helpers::name(Helper::Max, scalar),
            _ => helpers::name(Helper::Div, scalar),
        };
        self.call(helper, &[a, b])
    }

    fn float_operation(&self, op: BinOp, _scalar: Scalar, a: &Code, b: &Code) -> Option<Code> {
        let symbol = match op {
            BinOp::Mul => "*",
            BinOp::Div if rounded::is_literal(b) => "/",
            _ => return None,
        };
        let product = Code::infix(symbol, a, b, Precedence::Product, Precedence::Atom);
        self.rounded.then(|| Code::atom(format!("{}({})", rounded::NAME, product.text)))
    }

    fn float_operand(&mut self, val: &Val, code: Code) -> Code {
        match signs::barrier(val, &self.context.types) {
            Some(helper) => self.call(helper, &[&code]),
            None => code,
        }
    }

    fn special_select(&mut self, cond: &Bool, then: &Val, otherwise: &Val) -> Option<Code> {
        self.masked(cond, then, otherwise).map(Code::atom)
    }
}
