//! Values and predicates in all lanes of a vector at once.
//!
//! Lane by lane the operations are those of the scalar loop, each rounded alike: no bit changes. A value
//! that is the same in every lane is computed once. A predicate that depends on the lane is a number whose
//! bits are the lanes where it holds; what must not be touched in the other lanes is loaded and stored by
//! that mask.

use crate::integers::{signed, unsigned};
use crate::scalars::c_type;
use crate::stream;
use crate::terms::Terms;
use crate::vector_type::Vector;
use crate::vectors::Helper;
use atl_c_text::{Code, Dialect, Precedence};
use atl_loops::lanes::{Gathered, Lanes, Vectors};
use atl_loops::{BinOp, Bool, CmpOp, Int, Name, ReduceOp, Scalar, StoreMode, UnOp, Val};

/// Where in a loop over vectors the printer is.
#[derive(Clone)]
pub(crate) struct Over<'a> {
    pub(crate) lanes: &'a Lanes<'a>,
    /// The type of what is computed at the place.
    scalar: Scalar,
    /// Is there just one vector, from zero, and no condition on its lanes? Then there is no loop, and no
    /// variable.
    pub(crate) is_from_zero: bool,
    /// The lanes that are not idle, as C: all, if there is none.
    pub(crate) mask: Option<String>,
    /// May all lanes be idle?
    may_be_idle: bool,
}

impl<'a> Over<'a> {
    pub(crate) fn new(vectors: &Vectors, lanes: &'a Lanes<'a>, selects: bool) -> Over<'a> {
        let is_from_zero = vectors.are_one() && vectors.lo.constant() == Some(0) && !selects;
        Over { lanes, scalar: lanes.scalar, is_from_zero, mask: None, may_be_idle: false }
    }

    /// The vectors of what is computed here.
    pub(crate) fn vector(&self) -> Vector {
        Vector { scalar: self.scalar, count: self.lanes.count }
    }

    /// The same where something of another type is computed.
    pub(crate) fn of(&self, scalar: Scalar) -> Over<'a> {
        Over { scalar, ..self.clone() }
    }

    /// In those of the lanes where the bits are set.
    pub(crate) fn within(&self, bits: &Code) -> Over<'a> {
        let mask = match &self.mask {
            Some(mask) => format!("({mask} & {})", bits.operand()),
            None => bits.operand(),
        };
        Over { mask: Some(mask), may_be_idle: true, ..self.clone() }
    }

    /// A number that is the same in all lanes; if it reads memory, only where there is a lane.
    fn if_wanted(&self, reads: bool, code: Code) -> Code {
        match &self.mask {
            Some(mask) if reads && self.may_be_idle => {
                Code::loose(format!("{mask} ? {} : 0", code.operand()))
            }
            _ => code,
        }
    }

    /// In the lanes that this variable says, of which there is one.
    pub(crate) fn within_some(&self, mask: String) -> Over<'a> {
        Over { mask: Some(mask), may_be_idle: false, ..self.clone() }
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

impl Terms {
    /// The type of a vector, as C.
    pub(crate) fn vector_type(&mut self, vector: Vector) -> String {
        self.vectors.c_type(vector)
    }

    /// The variable that holds the cells of all lanes, if one does.
    fn vector_variable(&mut self, buf: &Name, index: &Int, over: &Over<'_>) -> Option<String> {
        if over.lanes.is_local(buf) {
            return Some(self.identifier(buf));
        }
        self.register(buf)?;
        let cell = over.lanes.first(index)?.constant()?;
        Some(self.part(buf, cell / i64::from(over.lanes.count)))
    }

    /// The index of the first lane, as C; if it reads memory, only where a lane wants it.
    fn first_lane(&mut self, index: &Int, over: &Over<'_>) -> String {
        let first = over.lanes.first(index).filter(|_| over.is_from_zero);
        let code = Code::loose(self.int(&first.unwrap_or_else(|| index.clone())));
        over.if_wanted(index.reads(), code).text
    }

    /// The cells of all lanes in memory, as a C lvalue.
    fn vector_cell(&mut self, buf: &Name, index: &Int, over: &Over<'_>) -> String {
        let constant = if self.is_input(buf) { "const " } else { "" };
        let vector = over.of(self.buffer_type(buf)).vector();
        let (ty, first) = (self.vector_type(vector), self.first_lane(index, over));
        format!("*({constant}{ty}_u *)&{}[{first}]", self.identifier(buf))
    }

    /// Where the lanes of a sum are, as a C lvalue.
    pub(crate) fn sum_cell(&mut self, buf: &Name, index: &Int, over: &Over<'_>) -> String {
        self.vector_variable(buf, index, over).unwrap_or_else(|| self.vector_cell(buf, index, over))
    }

    fn vector_load(&mut self, buf: &Name, index: &Int, over: &Over<'_>) -> Code {
        if let Some(variable) = self.vector_variable(buf, index, over) {
            return Code::atom(variable);
        }
        if let Some(gathered) = over.lanes.gathered(index) {
            return self.gather(buf, &gathered, over);
        }
        if over.lanes.first(index).is_none()
            && let Some(step) = over.lanes.strided(buf, index)
        {
            return self.strided(buf, index, &step, over);
        }
        self.memory_load(buf, index, over)
    }

    /// Cells that lie as far apart as a term says, which is the same in all lanes.
    fn strided(&mut self, buf: &Name, index: &Int, step: &Int, over: &Over<'_>) -> Code {
        let (array, first, step) = (self.identifier(buf), self.index_of_first(index, over), self.int(step));
        match over.mask.clone() {
            None => self.on_vectors(Helper::Strided, over, &[array, first, step]),
            Some(mask) => self.on_vectors(Helper::Apart(over.scalar), over, &[array, first, step, mask]),
        }
    }

    /// Consecutive cells in memory, of their own type.
    fn memory_load(&mut self, buf: &Name, index: &Int, over: &Over<'_>) -> Code {
        Code::atom(match &over.mask {
            None => self.vector_cell(buf, index, over),
            Some(mask) => {
                let (array, first) = (self.identifier(buf), self.first_lane(index, over));
                let vector = over.of(self.buffer_type(buf)).vector();
                format!("{}({array}, {first}, {mask})", self.vectors.helper(Helper::Load, vector))
            }
        })
    }

    /// Integers of the place's type, from cells of another one.
    fn apart(&mut self, (buf, index, step): (&Name, &Int, i64), over: &Over<'_>) -> Code {
        let from = self.buffer_type(buf);
        if step == 1 {
            let cells = self.memory_load(buf, index, over);
            self.vectors.c_type(over.of(from).vector());
            return self.on_vectors(Helper::Converted(from), over, &[cells.text]);
        }
        let (array, first) = (self.identifier(buf), self.index_of_first(index, over));
        let mask = over.mask.clone().unwrap_or_else(|| all(over));
        self.on_vectors(Helper::Apart(from), over, &[array, first, step.to_string(), mask])
    }

    /// An index term that grows by so much from lane to lane, as integers of the place's type.
    fn counted(&mut self, (int, step): (&Int, i64), over: &Over<'_>) -> Code {
        let first = self.index_of_first(int, over);
        self.vectors.c_type(over.of(unsigned(over.scalar)).vector());
        self.on_vectors(Helper::Counted, over, &[first, step.to_string()])
    }

    /// A conversion.
    fn vector_convert(&mut self, to: Scalar, val: &Val, over: &Over<'_>) -> Code {
        let from = self.type_of(val);
        if to.is_integer()
            && let Some(counted) = over.lanes.counted(val)
        {
            return self.counted(counted, over);
        }
        // Every number of 16 bits is one of 32.
        let by_words = from.is_integer() && from.bits() < 32 && !to.is_integer();
        let through = if by_words { Scalar::I32 } else { to };
        let code = match over.lanes.apart(val).filter(|_| from.is_integer() && through.is_integer()) {
            Some(cells) if from.bits() <= through.bits() => self.apart(cells, &over.of(through)),
            _ => {
                let code = Code::loose(self.vector(val, &over.of(from)));
                self.converted((from, through), code, over)
            }
        };
        if by_words { self.converted((through, to), code, over) } else { code }
    }

    /// Vectors of one type as those of another.
    fn converted(&mut self, (from, to): (Scalar, Scalar), code: Code, over: &Over<'_>) -> Code {
        let has_steps = to.size() > from.size() || 2 * to.size() < from.size();
        if from.is_integer() && to.is_integer() && has_steps {
            self.vectors.c_type(over.of(from).vector());
            return self.on_vectors(Helper::Converted(from), &over.of(to), &[code.text]);
        }
        let ty = self.vector_type(over.of(to).vector());
        Code::atom(format!("__builtin_convertvector({}, {ty})", code.text))
    }

    /// A truth value of each lane, as vectors of as many bytes as those of the place: all bits of a lane,
    /// or none.
    pub(crate) fn vector_mask(&mut self, cond: &Val, over: &Over<'_>) -> Code {
        let mask = self.vector_type(over.of(signed(over.scalar)).vector());
        let number = c_type(signed(over.scalar));
        match cond {
            cond if !over.lanes.varies(cond) => {
                let code = self.same(cond, over);
                Code::loose(format!("({mask}){{0}} - ({number})({})", code.text))
            }
            Val::Cmp(op, a, b) => {
                let scalar = self.type_of(a);
                let [a, b] = [a, b].map(|operand| self.vector(operand, &over.of(scalar)));
                let symbol = match op {
                    CmpOp::Eq => "==",
                    CmpOp::Ne => "!=",
                    CmpOp::Lt => "<",
                    CmpOp::Le => "<=",
                };
                let ty = self.vector_type(over.of(scalar).vector());
                let found = format!("({ty})({a}) {symbol} ({ty})({b})");
                if scalar.bits() == over.scalar.bits() {
                    return Code::loose(found);
                }
                let own = signed(scalar);
                let bits = self.vector_type(over.of(own).vector());
                self.converted((own, signed(over.scalar)), Code::loose(format!("({bits})({found})")), over)
            }
            Val::Un(_, a) => Code::loose(format!("~{}", self.vector_mask(a, over).operand())),
            Val::Bin(op, a, b) => {
                let [a, b] = [a, b].map(|part| self.vector_mask(part, over).operand());
                let symbol = if *op == BinOp::And { "&" } else { "|" };
                Code::loose(format!("{a} {symbol} {b}"))
            }
            // `Lanes` has refused others.
            cond => self.val_code(cond),
        }
    }

    fn vector_choose(&mut self, [cond, then, otherwise]: [&Val; 3], over: &Over<'_>) -> Code {
        let [first, second] = [then, otherwise].map(|value| self.vector(value, over));
        if !over.lanes.varies(cond) {
            let (cond, ty) = (self.same(cond, over).operand(), self.vector_type(over.vector()));
            return Code::loose(format!("{cond} ? ({ty})({first}) : ({ty})({second})"));
        }
        let mask = self.vector_mask(cond, over).text;
        self.on_vectors(Helper::Blend, over, &[mask, first, second])
    }

    /// The index of the first lane of any loop, as C; it reads no memory.
    pub(crate) fn index_of_first(&mut self, index: &Int, over: &Over<'_>) -> String {
        match over.is_from_zero {
            true => self.int(&over.lanes.at_zero(index)),
            false => self.int(index),
        }
    }

    /// The cells that consecutive cells of another buffer say.
    fn gather(&mut self, buf: &Name, gathered: &Gathered<'_>, over: &Over<'_>) -> Code {
        let numbers = self.buffer_type(gathered.buf);
        let first = if over.is_from_zero { &gathered.first } else { gathered.cell };
        let [offset, first] = [&gathered.offset, first].map(|int| {
            let code = Code::loose(self.int(int));
            over.if_wanted(int.reads(), code).text
        });
        let [array, of] = [buf, gathered.buf].map(|name| self.identifier(name));
        let (helper, mask) = match &over.mask {
            None => (Helper::Gather(numbers), String::new()),
            Some(mask) => (Helper::GatherSome(numbers), format!(", {mask}")),
        };
        let helper = self.vectors.helper(helper, over.vector());
        Code::atom(format!("{helper}({array}, {offset}, {of}, {first}{mask})"))
    }

    /// A store in all lanes, as a C statement.
    pub(crate) fn vector_store(
        &mut self,
        (buf, index): (&Name, &Int),
        value: &Val,
        mode: StoreMode,
        over: &Over<'_>,
    ) -> String {
        let over = &over.of(self.buffer_type(buf));
        let value = self.vector(value, over);
        let variable = self.vector_variable(buf, index, over);
        if over.mask.is_none() && self.streamed.contains(buf) && stream::has_helper(over.vector()) {
            let (array, first) = (self.identifier(buf), self.first_lane(index, over));
            let stream = self.vectors.helper(Helper::Stream, over.vector());
            return format!("{stream}(&{array}[{first}], {value});");
        }
        let Some(mask) = &over.mask else {
            let cell = variable.unwrap_or_else(|| self.vector_cell(buf, index, over));
            return match mode {
                StoreMode::Set | StoreMode::Replace => format!("{cell} = {value};"),
                StoreMode::Reduce(ReduceOp::Add) if over.scalar.is_float() => {
                    format!("{cell} += {value};")
                }
                StoreMode::Reduce(ReduceOp::Mul) if over.scalar.is_float() => {
                    format!("{cell} *= {value};")
                }
                StoreMode::Reduce(op) => {
                    let old = Code::atom(cell.clone());
                    format!("{cell} = {};", self.combined(op.bin_op(), over, old, Code::loose(value)).text)
                }
            };
        };
        let value = match mode {
            StoreMode::Set | StoreMode::Replace => value,
            StoreMode::Reduce(op) => {
                let old = self.vector_load(buf, index, over);
                self.combined(op.bin_op(), over, old, Code::loose(value)).text
            }
        };
        match variable {
            Some(variable) => {
                let select = self.vectors.helper(Helper::Select, over.vector());
                format!("{variable} = {select}({mask}, {value}, {variable});")
            }
            None => {
                let (array, first) = (self.identifier(buf), self.first_lane(index, over));
                let store = self.vectors.helper(Helper::Store, over.vector());
                format!("{store}({array}, {first}, {mask}, {value});")
            }
        }
    }

    /// A value in all lanes.
    pub(crate) fn vector(&mut self, val: &Val, over: &Over<'_>) -> String {
        let (code, spread) = self.vector_code(val, over);
        self.spread_out(code, spread, over.vector()).text
    }

    /// A value that is the same in all lanes.
    pub(crate) fn vector_of(&mut self, val: &Val, vector: Vector) -> String {
        let code = self.val_code(val);
        self.spread_out(code, Spread::Same, vector).text
    }

    /// The value that is the same in all lanes, as a vector. Taking nothing from it changes no bit.
    fn spread_out(&mut self, code: Code, spread: Spread, vector: Vector) -> Code {
        match spread {
            Spread::Each => code,
            // The C type of an integer's text may be wider.
            Spread::Same if vector.scalar.is_integer() => {
                let (number, ty) = (c_type(vector.scalar), self.vector_type(vector));
                Code::new(format!("({number}){} - ({ty}){{0}}", code.operand()), Precedence::Sum)
            }
            Spread::Same => Code::new(
                format!("{} - ({}){{0}}", code.at(Precedence::Sum), self.vector_type(vector)),
                Precedence::Sum,
            ),
        }
    }

    fn vector_code(&mut self, val: &Val, over: &Over<'_>) -> (Code, Spread) {
        if !over.lanes.varies(val) {
            return (self.same(val, over), Spread::Same);
        }
        let over = &over.of(self.type_of(val));
        let code = match val {
            Val::Load { buf, index } => self.vector_load(buf, index, over),
            Val::Un(op, a) => {
                let a = self.vector_code(a, over);
                let a = self.spread_out(a.0, a.1, over.vector());
                match op {
                    op if over.scalar.is_integer() => self.integer_unary(*op, over.vector(), &a),
                    UnOp::Neg => Code::loose(format!("-{}", a.operand())),
                    UnOp::Abs => Code::atom(format!("{}({})", self.vectors.magnitude(over.vector()), a.text)),
                    // No vectors of floats do these.
                    UnOp::Not | UnOp::BitNot | UnOp::Popcount | UnOp::Clz | UnOp::Ctz => a,
                }
            }
            Val::Call(function, operands) => {
                let operands: Vec<String> = operands.iter().map(|a| self.vector(a, over)).collect();
                let name = self.vectors.function(*function, over.vector());
                Code::atom(format!("{name}({})", operands.join(", ")))
            }
            Val::Bin(op @ (BinOp::Min | BinOp::Max), a, b) => {
                let [a, b] = [a, b].map(|operand| self.vector(operand, over));
                self.choice(*op, over, &a, &b)
            }
            Val::Bin(op, a, b) if over.scalar.is_integer() => {
                let [first, second] = [a, b].map(|operand| {
                    let (code, spread) = self.vector_code(operand, over);
                    self.spread_out(code, spread, over.vector())
                });
                self.integer_binary(*op, over.vector(), [&first, &second], Some(b))
            }
            Val::Bin(op, a, b) => {
                let [(a, _), (b, _)] = [a, b].map(|operand| self.vector_code(operand, over));
                self.binary(*op, over.scalar, &a, &b)
            }
            Val::Convert { to, val } => self.vector_convert(*to, val, over),
            Val::OfInt(_) if let Some(counted) = over.lanes.counted(val) => self.counted(counted, over),
            Val::Choose { cond, then, otherwise } => self.vector_choose([cond, then, otherwise], over),
            Val::Select { cond, then, otherwise } => self.vector_select(cond, then, otherwise, over),
            // No other value varies in a loop that vectors can do.
            val => self.val_code(val),
        };
        (code, Spread::Each)
    }

    /// A value that is the same in all lanes; if it reads memory, only where a lane wants it.
    fn same(&mut self, val: &Val, over: &Over<'_>) -> Code {
        let code = self.val_code(val);
        over.if_wanted(val.touches_memory(), code)
    }

    fn vector_select(&mut self, cond: &Bool, then: &Val, otherwise: &Val, over: &Over<'_>) -> Code {
        if !over.lanes.varies_where(cond) {
            let code = Code::loose(self.bool(cond));
            let cond = over.if_wanted(cond.reads(), code).operand();
            // Vectors from memory and vectors have one type only where that is said.
            let ty = self.vector_type(over.vector());
            let [then, otherwise] = [then, otherwise].map(|value| self.vector(value, over));
            return Code::loose(format!("{cond} ? ({ty})({then}) : ({ty})({otherwise})"));
        }
        let on = self.bits(cond, over);
        let on = over.if_wanted(cond.reads(), on);
        let off = else_mask(&on, over);
        let first = self.vector(then, &over.within(&on));
        let is_zero = matches!(otherwise, Val::Lit(literal) if literal.bits() == 0);
        if is_zero && self.is_from_memory(then, over) {
            return Code::atom(first);
        }
        let second = self.vector(otherwise, &over.within(&off));
        self.on_vectors(Helper::Select, over, &[on.text, first, second])
    }

    /// Is the value loaded, so that under a mask it is zero in idle lanes?
    fn is_from_memory(&self, val: &Val, over: &Over<'_>) -> bool {
        let Val::Load { buf, .. } = val else { return false };
        over.lanes.varies(val) && !over.lanes.is_local(buf) && self.register(buf).is_none()
    }

    /// The lanes where a predicate holds, as bits of a number. A bit beyond the lanes is set only where all
    /// of them are, so that a number other than zero says that some lane is on.
    pub(crate) fn bits(&mut self, cond: &Bool, over: &Over<'_>) -> Code {
        if !over.lanes.varies_where(cond) {
            self.helpers().insert("atl_all");
            return Code::atom(format!("atl_all({})", self.bool(cond)));
        }
        match cond {
            Bool::Cmp(op, a, b) => self.runs(*op, a, b, over),
            Bool::And(a, b) | Bool::Or(a, b) => {
                let first = self.bits(a, over).operand();
                let is_and = matches!(cond, Bool::And(..));
                let both =
                    |second: Code| format!("{first} {} {}", if is_and { "&" } else { "|" }, second.operand());
                if !b.reads() {
                    return Code::loose(both(self.bits(b, over)));
                }
                // The second part reads memory: only if it decides in a lane that is asked, and its own
                // parts likewise.
                let asked = over.mask.clone().unwrap_or_else(|| all(over));
                let (undecided, else_all) = if is_and { ("", "0") } else { ("~", first.as_str()) };
                let deciding = Code::loose(format!("{undecided}{first} & {asked}"));
                let inner = Over { mask: Some(deciding.operand()), may_be_idle: true, ..over.clone() };
                let both = both(self.bits(b, &inner));
                Code::loose(format!("{} != 0 ? {both} : {else_all}", deciding.operand()))
            }
            Bool::Not(a) => else_mask(&self.bits(a, over), over),
            Bool::Lit(_) => Code::atom("0"),
        }
    }

    /// The lanes where a comparison holds whose sides grow apart, or towards each other, by one. What is
    /// printed are the sides themselves: their difference may leave 64 bits where they do not.
    fn runs(&mut self, op: CmpOp, a: &Int, b: &Int, over: &Over<'_>) -> Code {
        // In lane `k` the sides differ by as much as in the first, and `k` more, or less.
        let grows = over.lanes.slope(a, b) == Some(1);
        let [low, high] = if grows { [a, b] } else { [b, a] }.map(|side| self.int(side));
        let mut run = |helper: &'static str| {
            self.helpers().insert(helper);
            Code::atom(format!("{helper}({low}, {high})"))
        };
        match (op, grows) {
            // low + k < high
            (CmpOp::Lt, true) => run("atl_below"),
            // low + k <= high
            (CmpOp::Le, true) => run("atl_up_to"),
            // high < low + k
            (CmpOp::Lt, false) => else_mask(&run("atl_up_to"), over),
            // high <= low + k
            (CmpOp::Le, false) => else_mask(&run("atl_below"), over),
            (CmpOp::Eq | CmpOp::Ne, _) => {
                let one = Code::loose(format!("{} ^ {}", run("atl_up_to").text, run("atl_below").text));
                match op {
                    CmpOp::Ne => else_mask(&one, over),
                    _ => Code::loose(format!("{} & {}", all(over), one.operand())),
                }
            }
        }
    }

    fn on_vectors(&mut self, helper: Helper, over: &Over<'_>, args: &[String]) -> Code {
        let function = self.vectors.helper(helper, over.vector());
        Code::atom(format!("{function}({})", args.join(", ")))
    }

    fn choice(&mut self, op: BinOp, over: &Over<'_>, a: &str, b: &str) -> Code {
        let helper = if op == BinOp::Min { Helper::Min } else { Helper::Max };
        self.on_vectors(helper, over, &[a.to_owned(), b.to_owned()])
    }

    fn combined(&mut self, op: BinOp, over: &Over<'_>, a: Code, b: Code) -> Code {
        match op {
            BinOp::Min | BinOp::Max => self.choice(op, over, &a.text, &b.text),
            op if over.scalar.is_integer() => self.integer_binary(op, over.vector(), [&a, &b], None),
            op => self.binary(op, over.scalar, &a, &b),
        }
    }
}

/// All lanes, as bits.
fn all(over: &Over<'_>) -> String {
    let lanes = u64::MAX >> (64 - over.lanes.count.clamp(1, 64));
    format!("UINT64_C({lanes:#x})")
}

/// The lanes that these bits leave out, and no bit besides.
pub(crate) fn else_mask(bits: &Code, over: &Over<'_>) -> Code {
    Code::loose(format!("{} & ~{}", all(over), bits.operand()))
}
