//! Vector loops as explicit vectors.
//!
//! What compilers make of arrays and pragmas is luck; what they make of vector types is vectors. So a vector loop whose
//! literal count is a multiple of its lanes prints as operations on vectors where its body is stores of floats, and
//! each operand is the same in every lane or lies in consecutive cells. Lane by lane the operations are those of the scalar
//! loop, each rounded alike: no bit changes.

use crate::Rounding;
use crate::elementary;
use crate::stream;
use crate::terms::{Code, Level, Terms, c_type};
use atl_loops::{BinOp, Int, IntOp, LoopKind, Name, ReduceOp, Scalar, Stmt, StoreMode, UnOp, Val};
use std::collections::{BTreeMap, BTreeSet};

/// The most bytes of a vector.
const MAX_BYTES: usize = 64;

/// A vector type: this many lanes of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Lanes {
    pub(crate) scalar: Scalar,
    pub(crate) count: u32,
}

impl Lanes {
    /// The C type: `atl_f32x16`.
    pub(crate) fn c_type(self) -> String {
        format!("atl_{}x{}", self.scalar, self.count)
    }

    /// The C type of a value: of the scalar, where there is one lane.
    pub(crate) fn value_type(self) -> String {
        if self.count == 1 { c_type(self.scalar).to_owned() } else { self.c_type() }
    }

    /// A helper on such vectors: `atl_min_f32x16`.
    pub(crate) fn helper(self, name: &str) -> String {
        format!("atl_{name}_{}x{}", self.scalar, self.count)
    }

    pub(crate) fn bytes(self) -> usize {
        self.scalar.size() * self.count as usize
    }

    /// The type itself, and beside it an unaligned one for cells of buffers.
    fn types(self) -> String {
        let (ty, scalar, bytes, size) =
            (self.c_type(), c_type(self.scalar), self.bytes(), self.scalar.size());
        format!(
            "typedef {scalar} {ty} __attribute__((vector_size({bytes})));\n\
             typedef {scalar} {ty}_u __attribute__((vector_size({bytes}), aligned({size}), may_alias));\n"
        )
    }

    /// A function of each lane by itself, for which compilers know an instruction.
    fn each(self, op: UnOp, name: &str) -> String {
        let ty = self.c_type();
        let suffix = if self.scalar == Scalar::F32 { "f" } else { "" };
        let builtin = if op == UnOp::Abs { "fabs" } else { function_name(op) };
        let lanes: Vec<String> =
            (0..self.count).map(|lane| format!("__builtin_{builtin}{suffix}(a[{lane}])")).collect();
        format!("static inline {ty} {name}({ty} a) {{\n  return ({ty}){{{}}};\n}}\n", lanes.join(", "))
    }

    /// A minimum or maximum: the first operand, unless the second is better.
    fn choice(self, name: &str) -> String {
        let (ty, function, bytes) = (self.c_type(), self.helper(name), self.bytes());
        let better = if name == "min" { "b < a" } else { "a < b" };
        let mask = format!("int{}_t", 8 * self.scalar.size());
        format!(
            "static inline {ty} {function}({ty} a, {ty} b) {{\n  \
             typedef {mask} mask __attribute__((vector_size({bytes})));\n  \
             mask m = {better};\n  \
             return ({ty})(((mask)b & m) | ((mask)a & ~m));\n}}\n"
        )
    }
}

/// A loop over vectors.
#[derive(Clone, Copy)]
pub(crate) struct Over<'a> {
    /// Its variable, which is the first lane's.
    pub(crate) var: &'a Name,
    /// The vectors.
    pub(crate) lanes: Lanes,
    /// Is there just one, from zero? Then there is no loop, and no variable.
    pub(crate) is_one: bool,
}

/// The vector types, and helpers on them, that printed code uses.
#[derive(Default)]
pub(crate) struct Used {
    types: BTreeSet<Lanes>,
    choices: BTreeSet<(Lanes, &'static str)>,
    streams: BTreeSet<Lanes>,
    functions: BTreeMap<String, (UnOp, Lanes)>,
}

impl Used {
    /// What the code needs.
    pub(crate) fn texts(&self, rounding: Rounding) -> impl Iterator<Item = String> {
        let types = self.types.iter().map(|lanes| lanes.types());
        let choices = self.choices.iter().map(|(lanes, name)| lanes.choice(name));
        let functions = self.functions.iter().map(move |(name, (op, lanes))| match op {
            UnOp::Exp | UnOp::Log => elementary::text(*op, name, *lanes, rounding),
            _ => lanes.each(*op, name),
        });
        let streams = self.streams.iter().map(|lanes| stream::helper(*lanes));
        types.chain(choices).chain(streams).chain(functions)
    }

    /// The name of the function, which the code needs from now on.
    pub(crate) fn function(&mut self, op: UnOp, lanes: Lanes) -> String {
        let function = function_name(op);
        let name = if lanes.count == 1 {
            format!("atl_{function}_{}", lanes.scalar)
        } else {
            lanes.helper(function)
        };
        self.functions.insert(name.clone(), (op, lanes));
        name
    }
}

/// What a function of floats is called in helpers' names.
fn function_name(op: UnOp) -> &'static str {
    match op {
        UnOp::Neg => "neg",
        UnOp::Abs => "abs",
        UnOp::Floor => "floor",
        UnOp::Sqrt => "sqrt",
        UnOp::Exp => "exp",
        UnOp::Log => "log",
        UnOp::Not => "not",
    }
}

/// How an operand varies over the lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spread {
    /// The same in each.
    Same,
    /// Its own in each.
    Each,
}

/// The loop over vectors that a loop is, if its body is operations on vectors.
pub(crate) fn over<'a>(
    types: &BTreeMap<Name, Scalar>,
    var: &'a Name,
    (lo, hi): (&Int, &Int),
    kind: LoopKind,
    body: &Stmt,
) -> Option<Over<'a>> {
    let LoopKind::Vector { width: Some(count) } = kind else { return None };
    let iterations = hi.constant()?.checked_sub(lo.constant()?)?;
    let mut scalar = None;
    let mut fits =
        iterations > 0 && iterations % i64::from(count) == 0 && count.is_power_of_two() && count > 1;
    stores(body, &mut |store| {
        let Some((buf, index, value, mode)) = store else {
            fits = false;
            return;
        };
        let cell = types.get(buf).copied().filter(|scalar| scalar.is_float());
        let combines = match mode {
            StoreMode::Set => true,
            StoreMode::Reduce(op) => !matches!(op, ReduceOp::Or | ReduceOp::And),
        };
        fits &= combines && first(index, var).is_some() && spread(value, var).is_some();
        fits &= cell.is_some() && *scalar.get_or_insert(cell) == cell;
    });
    let lanes = Lanes { scalar: scalar.flatten()?, count };
    let is_one = lo.constant() == Some(0) && iterations == i64::from(count);
    (fits && lanes.bytes() <= MAX_BYTES).then_some(Over { var, lanes, is_one })
}

/// A store's parts.
pub(crate) type Store<'a> = (&'a Name, &'a Int, &'a Val, StoreMode);

/// Each store of a sequence; nothing, for a statement that is neither.
pub(crate) fn stores<'a>(stmt: &'a Stmt, f: &mut impl FnMut(Option<Store<'a>>)) {
    match stmt {
        Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| stores(stmt, f)),
        Stmt::Store { buf, index, value, mode } => f(Some((buf, index, value, *mode))),
        _ => f(None),
    }
}

/// The index where the variable is zero, if it grows by one with the variable: lanes are consecutive cells then.
pub(crate) fn first(index: &Int, var: &Name) -> Option<Int> {
    match index {
        Int::Var(name) if name == var => Some(Int::Lit(0)),
        Int::Bin(IntOp::Add, a, b) if !b.mentions(var) => Some(sum(first(a, var)?, (**b).clone())),
        Int::Bin(IntOp::Add, a, b) if !a.mentions(var) => Some(sum((**a).clone(), first(b, var)?)),
        Int::Bin(IntOp::Sub, a, b) if !b.mentions(var) => Some(first(a, var)? - (**b).clone()),
        _ => None,
    }
}

/// The first lane's index, as C is to write it: where there is no loop, there is no variable.
fn first_lane(index: &Int, over: Over<'_>) -> Int {
    first(index, over.var).filter(|_| over.is_one).unwrap_or_else(|| index.clone())
}

fn sum(a: Int, b: Int) -> Int {
    match (a, b) {
        (Int::Lit(0), other) | (other, Int::Lit(0)) => other,
        (a, b) => a + b,
    }
}

/// How a float varies over the lanes; nothing where no vector operation computes it.
fn spread(val: &Val, var: &Name) -> Option<Spread> {
    if !varies(val, var) {
        return Some(Spread::Same);
    }
    let each = match val {
        Val::Load { index, .. } => first(index, var).is_some(),
        Val::Un(_, a) => spread(a, var).is_some(),
        Val::Bin(BinOp::And | BinOp::Or, ..) => false,
        Val::Bin(_, a, b) => spread(a, var).is_some() && spread(b, var).is_some(),
        _ => false,
    };
    each.then_some(Spread::Each)
}

/// Does the value depend on the variable?
fn varies(val: &Val, var: &Name) -> bool {
    let mut found = false;
    val.for_each(&mut |part| match part {
        Val::Load { index, .. } => found |= index.mentions(var),
        Val::OfInt(int) => found |= int.mentions(var),
        Val::Select { cond, .. } => cond.for_each_var(&mut |name| found |= name == var),
        _ => {}
    });
    found
}

impl Terms {
    /// The cells of all lanes as a C lvalue.
    pub(crate) fn vector_cell(&mut self, buf: &Name, index: &Int, over: Over<'_>) -> String {
        let first = first_lane(index, over);
        match (self.register(buf), first.constant()) {
            (Some(_), Some(cell)) => self.part(buf, cell / i64::from(over.lanes.count)),
            _ => {
                let constant = if self.is_input(buf) { "const " } else { "" };
                format!("*({constant}{}_u *)&{}", self.vector_type(over.lanes), self.cell(buf, &first))
            }
        }
    }

    /// The store of a vector past the caches, as a statement.
    pub(crate) fn vector_stream(&mut self, buf: &Name, index: &Int, value: &str, over: Over<'_>) -> String {
        self.vectors.streams.insert(over.lanes);
        let first = first_lane(index, over);
        format!("{}(&{}, {value});", over.lanes.helper("stream"), self.cell(buf, &first))
    }

    /// The type of a vector, as C.
    pub(crate) fn vector_type(&mut self, lanes: Lanes) -> String {
        self.vectors.types.insert(lanes);
        lanes.c_type()
    }

    fn choice(&mut self, op: BinOp, lanes: Lanes, a: &str, b: &str) -> Code {
        let name = if op == BinOp::Min { "min" } else { "max" };
        self.vectors.choices.insert((lanes, name));
        Code::atom(format!("{}({a}, {b})", lanes.helper(name)))
    }

    /// A value in all lanes.
    pub(crate) fn vector(&mut self, val: &Val, over: Over<'_>) -> String {
        let (code, spread) = self.vector_code(val, over);
        self.spread_out(code, spread, over.lanes).text
    }

    /// A value that is the same in all lanes.
    pub(crate) fn vector_of(&mut self, val: &Val, lanes: Lanes) -> String {
        let code = self.val_code(val);
        self.spread_out(code, Spread::Same, lanes).text
    }

    /// The value that is the same in all lanes, as a vector. Taking nothing from it changes no bit.
    fn spread_out(&mut self, code: Code, spread: Spread, lanes: Lanes) -> Code {
        match spread {
            Spread::Each => code,
            Spread::Same => Code {
                text: format!("{} - ({}){{0}}", code.at(Level::Sum), self.vector_type(lanes)),
                level: Level::Sum,
            },
        }
    }

    fn vector_code(&mut self, val: &Val, over: Over<'_>) -> (Code, Spread) {
        let code = match val {
            val if !varies(val, over.var) => return (self.val_code(val), Spread::Same),
            Val::Load { buf, index } => Code::atom(self.vector_cell(buf, index, over)),
            Val::Un(op, a) if *op != UnOp::Neg => {
                let a = self.vector(a, over);
                let function = self.vectors.function(*op, over.lanes);
                self.vector_type(over.lanes);
                Code::atom(format!("{function}({a})"))
            }
            Val::Un(_, a) => {
                let (a, spread) = self.vector_code(a, over);
                Code::loose(format!("-{}", self.spread_out(a, spread, over.lanes).operand()))
            }
            Val::Bin(op @ (BinOp::Min | BinOp::Max), a, b) => {
                let [a, b] = [a, b].map(|operand| self.vector(operand, over));
                self.choice(*op, over.lanes, &a, &b)
            }
            Val::Bin(op, a, b) => {
                let [(a, _), (b, _)] = [a, b].map(|operand| self.vector_code(operand, over));
                self.binary(*op, over.lanes.scalar, a, b)
            }
            // No other value varies, by `over`.
            val => self.val_code(val),
        };
        (code, Spread::Each)
    }

    /// What a reduction of all lanes stores, as a statement.
    pub(crate) fn vector_store(&mut self, cell: &str, value: &str, mode: StoreMode, lanes: Lanes) -> String {
        match mode {
            StoreMode::Set => format!("{cell} = {value};"),
            StoreMode::Reduce(ReduceOp::Add) => format!("{cell} += {value};"),
            StoreMode::Reduce(ReduceOp::Mul) => format!("{cell} *= {value};"),
            StoreMode::Reduce(op) => {
                let combined = self.choice(op.bin_op(), lanes, cell, value);
                format!("{cell} = {};", combined.text)
            }
        }
    }
}
