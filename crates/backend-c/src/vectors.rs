//! Vector types, and the helpers on them.
//!
//! What compilers make of arrays and pragmas is luck; what they make of vector types is vectors. The types are the
//! extensions that GCC and Clang share. Where a machine can load and store some lanes of a vector only, the helpers for that
//! use it; elsewhere they go lane by lane.

use crate::elementary;
use crate::integers::native;
use crate::products::Products;
use crate::scalars::c_type;
use crate::stream;
use crate::vector_type::{ALWAYS, Vector};
use atl_loops::{Function, Kind, Scalar};
use std::collections::{BTreeMap, BTreeSet};

impl Vector {
    /// The type itself, and beside it an unaligned one for cells of buffers.
    fn types(self) -> String {
        let (ty, scalar, bytes, size) =
            (self.c_type(), c_type(self.scalar), self.bytes(), self.scalar.size());
        format!(
            "typedef {scalar} {ty} __attribute__((vector_size({bytes})));\n\
             typedef {scalar} {ty}_u __attribute__((vector_size({bytes}), aligned({size}), may_alias));\n"
        )
    }

    /// A minimum or maximum: the first operand, unless the second is better. The instruction does that with its
    /// operands changed about, for numbers that are not ordered and zeros of both signs, too; GCC does not find it.
    fn choice(self, name: &str) -> String {
        let (ty, function, bytes) = (self.c_type(), self.helper(name), self.bytes());
        let better = if name == "min" { "b < a" } else { "a < b" };
        let mask = format!("int{}_t", 8 * self.scalar.size());
        let suffix = if self.scalar == Scalar::F32 { "ps" } else { "pd" };
        let fast = match bytes {
            _ if self.scalar.is_integer() => self.whole_choice(),
            64 => Some(("__AVX512F__", format!("{suffix}512_mask(b, a, ({ty}){{0}}, -1, 4)"))),
            32 => Some(("__AVX__", format!("{suffix}256(b, a)"))),
            16 => Some(("__SSE2__", format!("{suffix}(b, a)"))),
            _ => None,
        };
        let (prefix, native) =
            if self.scalar.is_integer() { ("p", self.native().1) } else { ("", String::new()) };
        let fast = fast.map_or_else(String::new, |(feature, call)| {
            format!(
                "#if defined({feature}) && !defined(__clang__)\n{native}  \
                 return ({ty})__builtin_ia32_{prefix}{name}{call};\n#else\n"
            )
        });
        let end = if fast.is_empty() { "" } else { "#endif\n" };
        format!(
            "static inline {ALWAYS} {ty} {function}({ty} a, {ty} b) {{\n{fast}  \
             typedef {mask} mask __attribute__((vector_size({bytes})));\n  \
             mask m = {better};\n  \
             return ({ty})(((mask)b & m) | ((mask)a & ~m));\n{end}}}\n"
        )
    }

    /// The same of integers: when there is an instruction, and the end of its name with operands.
    fn whole_choice(self) -> Option<(&'static str, String)> {
        let size = self.scalar.size();
        let sign = if self.scalar.kind() == Kind::Signed { "s" } else { "u" };
        let name = format!("{sign}{}", ["b", "w", "d", "q"][size.trailing_zeros() as usize % 4]);
        let all = "((native)a, (native)b, (native){0}, -1)";
        match (self.bytes(), size) {
            (64, 1 | 2) => Some(("__AVX512BW__", format!("{name}512_mask{all}"))),
            (64, _) => Some(("__AVX512F__", format!("{name}512_mask{all}"))),
            (32, 1 | 2 | 4) => Some(("__AVX2__", format!("{name}256((native)a, (native)b)"))),
            _ => None,
        }
    }

    /// A function of each lane by itself, for which compilers know an instruction.
    fn each(self, builtin: &str, arity: usize, name: &str) -> String {
        let ty = self.c_type();
        let suffix = if self.scalar == Scalar::F32 { "f" } else { "" };
        let operands = &["a", "b", "c"][..arity];
        let of_lane = |lane: u32| -> String {
            let operands: Vec<String> = operands.iter().map(|x| format!("{x}[{lane}]")).collect();
            format!("__builtin_{builtin}{suffix}({})", operands.join(", "))
        };
        let lanes: Vec<String> = (0..self.count).map(of_lane).collect();
        let params: Vec<String> = operands.iter().map(|x| format!("{ty} {x}")).collect();
        format!(
            "static inline {ALWAYS} {ty} {name}({}) {{\n  return ({ty}){{{}}};\n}}\n",
            params.join(", "),
            lanes.join(", ")
        )
    }

    /// The first operand in the lanes whose bits are set, the second in the others.
    fn select(self) -> String {
        let (ty, function, bytes) = (self.c_type(), self.helper("select"), self.bytes());
        if self.count > self.scalar.bits() {
            return self.select_of_many();
        }
        let word = format!("int{}_t", 8 * self.scalar.size());
        // The last bit of a number with a sign is that.
        let sign = |k: u32| if k + 1 == self.scalar.bits() { "-" } else { "" };
        let bits: Vec<String> = (0..self.count).map(|k| format!("{}{}", sign(k), 1u64 << k)).collect();
        format!(
            "static inline {ALWAYS} {ty} {function}(uint64_t on, {ty} a, {ty} b) {{\n  \
             typedef {word} mask __attribute__((vector_size({bytes})));\n  \
             mask m = ((mask){{{}}} & ({word})on) != 0;\n  \
             return ({ty})(((mask)a & m) | ((mask)b & ~m));\n}}\n",
            bits.join(", ")
        )
    }

    /// The same where a lane has fewer bits than there are lanes.
    fn select_of_many(self) -> String {
        let (ty, function) = (self.c_type(), self.helper("select"));
        let plain = format!(
            "  for (int k = 0; k < {}; k++) if (on >> k & 1) b[k] = a[k];\n  return b;\n",
            self.count
        );
        let (cast, native) = self.native();
        let letter = if self.scalar.size() == 1 { "b" } else { "w" };
        let fast = format!(
            "{native}  return ({ty})__builtin_ia32_blendm{letter}_{}_mask({cast}b, {cast}a, on);\n",
            8 * self.bytes()
        );
        let feature = if self.bytes() == 64 { "__AVX512BW__" } else { "__AVX512VL__" };
        format!(
            "static inline {ALWAYS} {ty} {function}(uint64_t on, {ty} a, {ty} b) {{\n\
             #if defined({feature}) && !defined(__clang__)\n{fast}#else\n{plain}#endif\n}}\n"
        )
    }

    /// The cells from `p[i]` on in the lanes whose bits are set, and zeros.
    fn load(self) -> String {
        let (ty, function, scalar) = (self.c_type(), self.helper("load"), c_type(self.scalar));
        let plain = format!(
            "  {ty} v = {{0}};\n  \
             for (int k = 0; k < {}; k++) if (on >> k & 1) v[k] = p[i + k];\n  \
             return v;\n",
            self.count
        );
        let body = self.masked(&plain, |name, bits| {
            let (cast, native) = self.native();
            let zero = if cast.is_empty() { format!("({ty})") } else { cast.to_owned() };
            format!("{native}  return ({ty})__builtin_ia32_load{name}_mask((const void *)(p + i), {zero}{{0}}, ({bits})on);\n")
        });
        format!(
            "static inline {ALWAYS} {ty} {function}(const {scalar} *p, int64_t i, uint64_t on) {{\n{body}}}\n"
        )
    }

    /// Stores the lanes whose bits are set to the cells from `p[i]` on.
    fn store(self) -> String {
        let (ty, function, scalar) = (self.c_type(), self.helper("store"), c_type(self.scalar));
        let plain = format!("  for (int k = 0; k < {}; k++) if (on >> k & 1) p[i + k] = v[k];\n", self.count);
        let body = self.masked(&plain, |name, bits| {
            let (cast, native) = self.native();
            format!("{native}  __builtin_ia32_store{name}_mask((void *)(p + i), {cast}v, ({bits})on);\n")
        });
        format!(
            "static inline {ALWAYS} void {function}({scalar} *p, int64_t i, uint64_t on, {ty} v) {{\n{body}}}\n"
        )
    }

    /// The cells `p[at + n]` of as many numbers `n` from `from[first]` on.
    fn gather(self, numbers: Scalar, name: &str) -> String {
        let (ty, scalar, number) = (self.c_type(), c_type(self.scalar), c_type(numbers));
        let lanes: Vec<String> = (0..self.count).map(|k| format!("p[at + from[first + {k}]]")).collect();
        let function = self.helper(name);
        format!(
            "static inline {ALWAYS} {ty} {function}(const {scalar} *p, int64_t at, const {number} *from, int64_t first) {{\n  \
             return ({ty}){{{}}};\n}}\n",
            lanes.join(", ")
        )
    }

    /// The same in the lanes whose bits are set, and zeros.
    fn gather_some(self, numbers: Scalar, name: &str) -> String {
        let (ty, scalar, number) = (self.c_type(), c_type(self.scalar), c_type(numbers));
        let (function, count) = (self.helper(name), self.count);
        format!(
            "static inline {ALWAYS} {ty} {function}(const {scalar} *p, int64_t at, const {number} *from, int64_t first, uint64_t on) {{\n  \
             {ty} v = {{0}};\n  \
             for (int k = 0; k < {count}; k++) if (on >> k & 1) v[k] = p[at + from[first + k]];\n  \
             return v;\n}}\n"
        )
    }

    /// The cells from `p[i]` on, `step` apart.
    fn strided(self) -> String {
        let (ty, function, scalar) = (self.c_type(), self.helper("strided"), c_type(self.scalar));
        let lanes: Vec<String> = (0..self.count).map(|k| format!("p[i + {k} * step]")).collect();
        format!(
            "static inline {ALWAYS} {ty} {function}(const {scalar} *p, int64_t i, int64_t step) {{\n  \
             return ({ty}){{{}}};\n}}\n",
            lanes.join(", ")
        )
    }

    /// Masked moves where the machine has them, else the plain text. The fast text is given the end of
    /// their names and the type of the mask.
    fn masked(self, plain: &str, fast: impl FnOnce(&str, &str) -> String) -> String {
        let suffix = match (self.scalar.is_float(), self.scalar.size()) {
            (true, 4) => "ups",
            (true, _) => "upd",
            (false, 1) => "dquqi",
            (false, 2) => "dquhi",
            (false, 4) => "dqusi",
            (false, _) => "dqudi",
        };
        let feature = match (self.bytes(), self.scalar.size()) {
            (64, 1 | 2) => "__AVX512BW__",
            (64, _) => "__AVX512F__",
            // Every processor that has these widths of one feature has those of the other.
            (16 | 32, _) => "__AVX512VL__",
            _ => return plain.to_owned(),
        };
        let bits = match self.count {
            64 => "uint64_t",
            32 => "uint32_t",
            16 => "uint16_t",
            _ => "uint8_t",
        };
        let fast = fast(&format!("{suffix}{}", 8 * self.bytes()), bits);
        format!("#ifdef {feature}\n{fast}#else\n{plain}#endif\n")
    }

    /// The type that compilers' own functions have for such vectors, as a cast and what declares it.
    fn native(self) -> (&'static str, String) {
        if self.scalar.is_float() {
            return ("", String::new());
        }
        let (number, bytes) = (native(self.scalar), self.bytes());
        ("(native)", format!("  typedef {number} native __attribute__((vector_size({bytes})));\n"))
    }
}

/// A helper on vectors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Helper {
    Min,
    Max,
    Select,
    Load,
    Store,
    Stream,
    MulAdd,
    /// From cells that numbers of this type say.
    Gather(Scalar),
    /// The same in some lanes.
    GatherSome(Scalar),
    /// The absolute value of integers.
    Magnitude,
    /// Integers of this type, converted.
    Converted(Scalar),
    /// A quotient of integers without sign, by one number.
    Quotient,
    /// The same some cells apart, in some lanes.
    Apart(Scalar),
    /// A sum of a few products.
    Dot(Products),
    /// A choice by a mask.
    Blend,
    /// Numbers that grow from lane to lane.
    Counted,
    /// Are all bits zero?
    None,
    /// Cells some way apart.
    Strided,
}

impl Helper {
    fn name(self) -> String {
        match self {
            Helper::Min => "min".to_owned(),
            Helper::Max => "max".to_owned(),
            Helper::Select => "select".to_owned(),
            Helper::Load => "load".to_owned(),
            Helper::Store => "store".to_owned(),
            Helper::Stream => "stream".to_owned(),
            Helper::MulAdd => "mul_add".to_owned(),
            Helper::Gather(numbers) => format!("gather_{numbers}"),
            Helper::GatherSome(numbers) => format!("gather_some_{numbers}"),
            Helper::Magnitude => "abs".to_owned(),
            Helper::Converted(from) => format!("of_{from}"),
            Helper::Quotient => "div".to_owned(),
            Helper::Apart(from) => format!("apart_{from}"),
            Helper::Dot(products) => products.name(),
            Helper::Blend => "blend".to_owned(),
            Helper::Counted => "counted".to_owned(),
            Helper::None => "none".to_owned(),
            Helper::Strided => "strided".to_owned(),
        }
    }

    fn text(self, vector: Vector) -> String {
        match self {
            Helper::Min | Helper::Max => vector.choice(&self.name()),
            Helper::Select => vector.select(),
            Helper::Load => vector.load(),
            Helper::Store => vector.store(),
            Helper::Stream => stream::helper(vector),
            Helper::MulAdd => elementary::mul_add(vector),
            Helper::Gather(numbers) => vector.gather(numbers, &self.name()),
            Helper::GatherSome(numbers) => vector.gather_some(numbers, &self.name()),
            Helper::Magnitude => vector.magnitude(),
            Helper::Converted(from) => vector.converted(from, &self.name()),
            Helper::Quotient => vector.quotient(),
            Helper::Apart(from) => vector.apart(from, &self.name()),
            Helper::Dot(products) => products.text(vector),
            Helper::Blend => vector.blend(),
            Helper::Counted => vector.counted(),
            Helper::None => vector.none(),
            Helper::Strided => vector.strided(),
        }
    }
}

/// A function of floats that printed code has a function for.
#[derive(Clone, Copy)]
enum Called {
    /// The absolute value.
    Magnitude,
    /// Any other.
    Function(Function),
    /// One that computes in doubles, on half a vector of singles.
    Half(Function),
}

/// Where a function stands: those that others call come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Called,
    Calls,
}

/// The vector types, and helpers on them, that printed code uses.
#[derive(Default)]
pub(crate) struct Used {
    types: BTreeSet<Vector>,
    helpers: BTreeSet<(Vector, Helper)>,
    /// Is there a function of huge angles?
    turns: bool,
    functions: BTreeMap<(Rank, String), (Called, Vector)>,
}

impl Used {
    /// The type of a vector, as C.
    pub(crate) fn c_type(&mut self, vector: Vector) -> String {
        self.types.insert(vector);
        vector.c_type()
    }

    /// The name of a helper.
    pub(crate) fn helper(&mut self, helper: Helper, vector: Vector) -> String {
        self.types.insert(vector);
        self.helpers.insert((vector, helper));
        vector.helper(&helper.name())
    }

    /// The name of the absolute value of vectors.
    pub(crate) fn magnitude(&mut self, vector: Vector) -> String {
        self.types.insert(vector);
        let name = vector.helper("abs");
        self.functions.insert((Rank::Called, name.clone()), (Called::Magnitude, vector));
        name
    }

    /// The name of the function, which the code needs from now on.
    pub(crate) fn function(&mut self, function: Function, vector: Vector) -> String {
        if function == Function::Fma && vector.count > 1 {
            return self.helper(Helper::MulAdd, vector);
        }
        let name = elementary::name(function, vector);
        let mut rank = Rank::Called;
        if vector.count > 1 {
            self.types.insert(vector);
        }
        if builtin(function).is_none() {
            if let Some(half) = elementary::halves(function, vector) {
                rank = Rank::Calls;
                self.half(function, half);
            } else if vector.count > 1 && elementary::fuses(function, vector) {
                self.helper(Helper::MulAdd, vector);
            }
            self.turns |= elementary::turns(function);
        }
        self.functions.insert((rank, name.clone()), (Called::Function(function), vector));
        name
    }

    /// The function of half a vector, which computes in doubles.
    fn half(&mut self, function: Function, half: Vector) {
        if half.count == 1 {
            self.function(function, half);
            return;
        }
        self.types.insert(half);
        if elementary::fuses(function, half) {
            self.helper(Helper::MulAdd, Vector { scalar: Scalar::F64, ..half });
        }
        let name = elementary::name_of_half(function, half);
        self.functions.insert((Rank::Called, name), (Called::Half(function), half));
    }

    /// What the code needs.
    pub(crate) fn texts(&self) -> impl Iterator<Item = String> {
        let calls = !self.helpers.is_empty() || !self.functions.is_empty();
        let types =
            calls.then(|| QUIET.to_owned()).into_iter().chain(self.types.iter().map(|vector| vector.types()));
        let helpers = self.helpers.iter().map(|(vector, helper)| helper.text(*vector));
        let functions = self.functions.iter().map(|((_, name), (called, vector))| match called {
            Called::Magnitude => vector.each("fabs", 1, name),
            Called::Half(function) => elementary::text_of_half(*function, *vector),
            Called::Function(function) => match builtin(*function) {
                Some(builtin) => vector.each(builtin, function.arity(), name),
                None => elementary::text(*function, *vector),
            },
        });
        let turns = self.turns.then(elementary::turn);
        types.chain(helpers).chain(turns).chain(functions)
    }
}

/// Helpers on vectors are inlined, so it does not matter how a target without such registers would pass them.
const QUIET: &str = "\
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored \"-Wpsabi\"
#endif
";

/// What compilers call a function that they know to be exact or correctly rounded.
pub(crate) fn builtin(function: Function) -> Option<&'static str> {
    Some(match function {
        Function::Ceil => "ceil",
        Function::Floor => "floor",
        Function::Fma => "fma",
        Function::Fmod => "fmod",
        Function::Round => "rint",
        Function::Sqrt => "sqrt",
        Function::Trunc => "trunc",
        _ => return None,
    })
}
