//! When an iteration of a loop changes something.
//!
//! ```text
//! for j in lo..hi { at := select(v < x[j], i32(int(j)), at)   v := max(v, x[j]) }
//! ```
//!
//! **The one idea.** Where `v < x[j]` is false, an iteration leaves `v` and `at` as they are. So if it is
//! false for each of some consecutive iterations, with the `v` before them, none of these changes anything.
//! That is no law of an operation: every bit is that of the loop, of NaN and zeros, too. A back end may
//! look at many iterations at once, and run only those in whose block one changes something.
//!
//! A variable that each iteration sets, and reads only then, is what the last iteration makes it. Whoever
//! leaves iterations out runs that one.

use crate::lanes::Vectors;
use crate::passes::{Rewrite, rewrite_val};
use crate::{BinOp, CmpOp, Init, Int, Name, ReduceOp, Scalar, Stmt, Storage, StoreMode, UnOp, Val};
use std::collections::{BTreeMap, BTreeSet};

/// The most parts of a condition.
const PARTS: usize = 48;

/// The most conditions: of many one is often true.
const CONDITIONS: usize = 3;

/// Bytes of the vectors that compare.
const BYTES: usize = 32;

/// When an iteration changes something, and the vectors that see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// Where this is false, nothing changes. It is about what memory holds before the iteration.
    pub cond: Val,
    /// As many iterations as are looked at together; the type has the bits of the widest numbers compared.
    pub vectors: Vectors,
}

impl Change {
    /// Of a loop over `var` with this body, if vectors can see it; `types` are those of all buffers.
    pub fn of(
        types: &BTreeMap<Name, Scalar>,
        var: &Name,
        (lo, hi): (&Int, &Int),
        body: &Stmt,
    ) -> Option<Change> {
        let mut walk = Walk {
            types,
            set: BTreeMap::new(),
            kept: BTreeMap::new(),
            read: BTreeSet::new(),
            conds: Vec::new(),
        };
        walk.stmt(body)?;
        let mut conds: Vec<Val> = Vec::new();
        for cond in std::mem::take(&mut walk.conds) {
            if !conds.contains(&cond) {
                conds.push(cond);
            }
        }
        let is_rare = conds.len() <= CONDITIONS && conds.iter().all(|cond| walk.is_of_kept(cond));
        let cond = conds.into_iter().filter(|_| is_rare).reduce(|a, b| Val::bin(BinOp::Or, a, b))?;
        walk.is_clear(&cond).then_some(())?;
        let (size, scalar) = widest(types, &cond)?;
        let lanes = u32::try_from(BYTES / size).ok()?;
        let vectors = Vectors { var: var.clone(), lo: lo.clone(), hi: hi.clone(), lanes, scalar };
        vectors.decide(types, &cond).then_some(Change { cond, vectors })
    }
}

/// The widest type that a condition computes with, and its size. The number of an iteration that is only
/// converted is made in the type that it is converted to.
fn widest(types: &BTreeMap<Name, Scalar>, cond: &Val) -> Option<(usize, Scalar)> {
    let (mut counted, mut converted, mut widest) = (0, 0, None);
    cond.for_each(&mut |part| match part {
        Val::OfInt(_) => counted += 1,
        part => {
            converted +=
                usize::from(matches!(part, Val::Convert { val, .. } if matches!(**val, Val::OfInt(_))));
            let scalar = part.scalar_type(types).filter(|scalar| *scalar != Scalar::Bool && is_wide(*scalar));
            widest = widest.max(scalar.map(|scalar| (scalar.size(), scalar)));
        }
    });
    let number = (counted > converted).then_some((Scalar::I64.size(), Scalar::I64));
    widest.max(number)
}

/// Is it compared as it is? Narrower integers are converted.
fn is_wide(scalar: Scalar) -> bool {
    !scalar.is_integer() || scalar.bits() >= 32
}

/// What is known of an iteration, one statement after the other.
struct Walk<'b> {
    types: &'b BTreeMap<Name, Scalar>,
    /// The variables that it has set, by what was there before it.
    set: BTreeMap<&'b Name, Val>,
    /// The cells that it keeps or changes.
    kept: BTreeMap<&'b Name, &'b Int>,
    /// What it has read before it set it.
    read: BTreeSet<Name>,
    /// When it changes each of these cells.
    conds: Vec<Val>,
}

/// What a store does to a cell.
enum Effect {
    /// Nothing.
    Keeps,
    /// It may change the cell where this is true.
    If(Val),
    /// It may change the cell always.
    Changes,
}

impl<'b> Walk<'b> {
    fn stmt(&mut self, stmt: &'b Stmt) -> Option<()> {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().try_for_each(|stmt| self.stmt(stmt)),
            Stmt::Alloc { buf, extents, storage: Storage::Register, init, body, .. }
                if extents.is_empty() =>
            {
                self.begin(buf, init)?;
                self.stmt(body)
            }
            Stmt::Reset { buf, init } if !self.kept.contains_key(buf) => self.begin(buf, init),
            Stmt::Store { buf, index, value, mode } => self.store(buf, index, value, *mode),
            _ => None,
        }
    }

    fn begin(&mut self, buf: &'b Name, init: &Init) -> Option<()> {
        match init {
            Init::Uninit => Some(()),
            Init::Value(value) => self.set(buf, value.clone()),
        }
    }

    /// Sets a variable.
    fn set(&mut self, buf: &'b Name, value: Val) -> Option<()> {
        let is_own = !self.read.contains(buf) && !self.kept.contains_key(buf);
        is_own.then(|| self.set.insert(buf, value)).map(|_| ())
    }

    fn store(&mut self, buf: &'b Name, index: &'b Int, value: &Val, mode: StoreMode) -> Option<()> {
        let value = self.known(value)?;
        let scalar = *self.types.get(buf)?;
        let old = Val::load(buf.clone(), index.clone());
        let effect = match mode {
            StoreMode::Set | StoreMode::Replace if !reads(&value, buf) => {
                return (*index == Int::Lit(0)).then(|| self.set(buf, value))?;
            }
            StoreMode::Set | StoreMode::Replace => effect(&value, &old),
            StoreMode::Reduce(op) => combined(op, &old, &value, scalar),
        };
        if self.set.contains_key(buf)
            || index.reads()
            || self.kept.insert(buf, index).is_some_and(|other| other != index)
        {
            return None;
        }
        match effect {
            Effect::Keeps => Some(()),
            Effect::If(cond) => {
                let cond = self.comparable(cond);
                self.conds.push(cond);
                Some(())
            }
            Effect::Changes => None,
        }
    }

    /// The value in what was there before the iteration; none where cells are looked up, or are parts of
    /// what it has set.
    fn known(&mut self, value: &Val) -> Option<Val> {
        value.for_each(&mut |part| match part {
            Val::Load { buf, .. } if !self.set.contains_key(buf) => {
                self.read.insert(buf.clone());
            }
            _ => {}
        });
        let value = rewrite_val(&Before(&self.set), value);
        let (mut parts, mut is_plain) = (0, true);
        value.for_each(&mut |part| {
            parts += 1;
            is_plain &= !matches!(part, Val::Load { buf, .. } if self.set.contains_key(buf));
        });
        value.for_each_read(&mut |_, _| is_plain = false);
        (parts <= PARTS && is_plain).then_some(value)
    }

    /// The truth value with narrow integers compared as wider ones.
    fn comparable(&self, cond: Val) -> Val {
        let widened = |val: &Val| {
            let is_narrow = val.scalar_type(self.types).is_some_and(|scalar| !is_wide(scalar));
            if is_narrow { Val::convert(Scalar::I32, val.clone()) } else { val.clone() }
        };
        match cond {
            Val::Cmp(op, a, b) => Val::cmp(op, widened(&a), widened(&b)),
            Val::Un(UnOp::Not, a) => Val::un(UnOp::Not, self.comparable(*a)),
            Val::Bin(op @ (BinOp::And | BinOp::Or), a, b) => {
                Val::bin(op, self.comparable(*a), self.comparable(*b))
            }
            cond => cond,
        }
    }

    /// Is the condition about what the iteration changes, so that it becomes true less and less often?
    fn is_of_kept(&self, cond: &Val) -> bool {
        let mut found = false;
        cond.for_each(&mut |part| {
            found |= matches!(part, Val::Load { buf, .. } if self.kept.contains_key(buf))
        });
        found
    }

    /// Is the condition about cells that the iteration does not touch, and those that it keeps? And is it
    /// no more work than some comparisons?
    fn is_clear(&self, cond: &Val) -> bool {
        let (mut parts, mut clear) = (0, true);
        cond.for_each(&mut |part| {
            parts += 1;
            clear &= match part {
                Val::Load { buf, index } => {
                    self.kept.get(buf).is_none_or(|own| *own == index) && !self.set.contains_key(buf)
                }
                Val::Call(..) | Val::Select { .. } | Val::Bin(BinOp::Div | BinOp::Rem, ..) => false,
                _ => true,
            };
        });
        clear && parts <= PARTS
    }
}

/// Puts the values of variables that are set.
struct Before<'w>(&'w BTreeMap<&'w Name, Val>);

impl Rewrite for Before<'_> {
    fn int(&self, int: Int) -> Int {
        int
    }

    fn val(&self, val: Val) -> Val {
        match &val {
            Val::Load { buf, index: Int::Lit(0) } => self.0.get(buf).cloned().unwrap_or(val),
            _ => val,
        }
    }
}

/// What it does to a cell to set it to a value that is made of the old one.
fn effect(value: &Val, old: &Val) -> Effect {
    match value {
        value if value == old => Effect::Keeps,
        Val::Choose { cond, then, otherwise } => match (effect(then, old), effect(otherwise, old)) {
            (Effect::Keeps, Effect::Keeps) => Effect::Keeps,
            (_, Effect::Keeps) => Effect::If((**cond).clone()),
            (Effect::Keeps, _) => Effect::If(Val::un(UnOp::Not, (**cond).clone())),
            (Effect::If(a), Effect::If(b)) => Effect::If(Val::bin(BinOp::Or, a, b)),
            _ => Effect::Changes,
        },
        // The first operand, unless the second is better.
        Val::Bin(BinOp::Max, a, b) if **a == *old => {
            Effect::If(Val::cmp(CmpOp::Lt, old.clone(), (**b).clone()))
        }
        Val::Bin(BinOp::Min, a, b) if **a == *old => {
            Effect::If(Val::cmp(CmpOp::Lt, (**b).clone(), old.clone()))
        }
        _ => Effect::Changes,
    }
}

/// What it does to a cell to combine a value with it.
fn combined(op: ReduceOp, old: &Val, value: &Val, scalar: Scalar) -> Effect {
    match op {
        // Compilers make vectors of a loop over these.
        ReduceOp::Max | ReduceOp::Min if scalar.is_integer() => Effect::Changes,
        ReduceOp::Max => effect(&Val::bin(BinOp::Max, old.clone(), value.clone()), old),
        ReduceOp::Min => effect(&Val::bin(BinOp::Min, old.clone(), value.clone()), old),
        ReduceOp::Or if scalar == Scalar::Bool => {
            Effect::If(Val::bin(BinOp::And, value.clone(), Val::un(UnOp::Not, old.clone())))
        }
        ReduceOp::And if scalar == Scalar::Bool => {
            Effect::If(Val::bin(BinOp::And, Val::un(UnOp::Not, value.clone()), old.clone()))
        }
        _ => Effect::Changes,
    }
}

fn reads(value: &Val, buf: &Name) -> bool {
    let mut found = false;
    value.for_each(&mut |part| found |= matches!(part, Val::Load { buf: other, .. } if other == buf));
    found
}

#[cfg(test)]
mod tests {
    use super::Change;
    use crate::Stmt;
    use crate::text::parse_kernel;

    /// When an iteration of the loop changes something, and the type and the lanes of the vectors that see
    /// it.
    fn check(body: &str, expected: Option<(&str, &str)>) {
        let text = format!(
            "kernel t(N, M) in f32 x[N] in f64 d[N] in u8 b[N] in i64 l[N] in bool t[N] in i32 c[N] out f32 y[N] \
             {{ alloc register f32 v = 0f32 {{ alloc register i32 at = 0i32 {{ alloc register i64 n = 0i64 {{ \
             alloc register bool p = false {{ alloc register bool q = false {{ alloc register u8 k = 0u8 {{ \
             alloc register f32 w = 0f32 {{ for j in 0..N {{ {body} }} }} }} }} }} }} }} }} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let types = kernel.buffer_types();
        let mut found = None;
        kernel.body.for_each(&mut |stmt| {
            if let Stmt::For { var, lo, hi, body, .. } = stmt {
                found = Change::of(&types, var, (lo, hi), body);
            }
        });
        let found = found.map(|change| {
            (change.cond.to_string(), format!("{}x{}", change.vectors.scalar, change.vectors.lanes))
        });
        let found = found.as_ref().map(|(cond, vectors)| (cond.as_str(), vectors.as_str()));
        assert_eq!(found, expected, "{body}");
    }

    #[test]
    fn choices_and_reductions() {
        check("v max= x[j]", Some(("v[0] < x[j]", "f32x8")));
        check("v min= x[j] * 2f32", Some(("x[j] * 2.0f32 < v[0]", "f32x8")));
        check("v := max(v, x[j])", Some(("v[0] < x[j]", "f32x8")));
        check("v := max(x[j], v)", None);
        check("v += x[j]", None);
        check(
            "v := select(v < x[j] || x[j] != x[j], x[j], v)",
            Some(("v[0] < x[j] || x[j] != x[j]", "f32x8")),
        );
        check("v := select(x[j] < v, v, x[j])", Some(("!(x[j] < v[0])", "f32x8")));
        check("n := max(n, l[j])", Some(("n[0] < l[j]", "i64x4")));
        check("n max= l[j]", None);
        check("p ||= x[j] != x[j]", Some(("x[j] != x[j] && !p[0]", "f32x8")));
        check("p &&= x[j] < 3f32", Some(("!(x[j] < 3.0f32) && p[0]", "f32x8")));
        check("k := max(k, b[j])", Some(("i32(k[0]) < i32(b[j])", "i32x8")));
        // The place is a number of 32 bits, or of 64.
        check(
            "v := select(v < x[j] || i32(int(j)) < at, x[j], v)",
            Some(("v[0] < x[j] || i32(int(j)) < at[0]", "i32x8")),
        );
        check(
            "v := select(v < x[j] || int(j) < n, x[j], v)",
            Some(("v[0] < x[j] || int(j) < n[0]", "i64x4")),
        );
    }

    /// Of several cells each has its condition, and variables have what they were set to.
    #[test]
    fn several_cells() {
        check("at := select(v < x[j], i32(int(j)), at) v := max(v, x[j])", Some(("v[0] < x[j]", "f32x8")));
        check(
            "p := v < x[j] v := select(p, x[j], v) at := select(p, i32(int(j)), at)",
            Some(("v[0] < x[j]", "f32x8")),
        );
        check(
            "w := min(v, x[j]) v := max(v, x[j]) n := select(f64(w) < d[j], 1i64, n)",
            Some(("v[0] < x[j] || f64(min(v[0], x[j])) < d[j]", "f64x4")),
        );
        check("v max= x[j] v max= x[j] * x[j]", Some(("v[0] < x[j] || v[0] < x[j] * x[j]", "f32x8")));
    }

    /// What goes on from each iteration to the next, whatever it reads.
    #[test]
    fn other_loops() {
        check("w := v v := max(v, x[j])", Some(("v[0] < x[j]", "f32x8")));
        check("v max= w w := x[j]", None);
        check("v max= x[j] at += 1i32", None);
        check("v max= x[j] if j < M { v max= x[0] }", None);
        check("v max= x[c[j]]", None);
        check("v max= x[2 * j]", None);
        check("v max= x[0]", None);
        check("v max= exp(x[j])", None);
        check("at := select(x[j] < w, i32(int(j)), at)", None);
        check("at := select(0f32 < x[j], at + 1i32, at)", None);
        check("p ||= t[j]", None);
        check("y[j] = x[j] v max= x[j]", None);
        check("y[0] max= y[j]", None);
        check("v := x[j] v max= x[j]", None);
    }
}
