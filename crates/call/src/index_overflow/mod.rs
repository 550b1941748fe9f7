//! Interval analysis: the index arithmetic of a call stays within 64 bits.
//!
//! The proofs are about integers; compiled code computes in 64 bits, and the two agree only where no index
//! term leaves them. Once the sizes are known, one evaluation over intervals, in 128 bits, decides it for
//! every extent, bound, index and condition that the loops evaluate. A loop variable ranges from the least
//! first value to the greatest last; what is read from an array, over what the array holds; where the kernel
//! fills it, over its element type, or up to the literal that all its numbers are kept below.
//!
//! Conditions do not narrow intervals, so a call may be refused whose terms would have stayed in range. The
//! analysis skips code that cannot run: loops without iterations, and branches whose condition the intervals
//! decide. A vector loop evaluates both arms of a select, so neither may be skipped by the interval of its
//! condition.

mod bounded_values;

use atl_loops::intersection::{Intersection, Partner, Sequence};
use atl_loops::lanes::Vectors;
use atl_loops::search::Search;
use atl_loops::{Bool, CmpOp, Init, Int, IntOp, Kernel, LoopKind, Name, Run, Scalar, Stmt, Val};
use atl_session::signature::{Signature, Storage};
use std::collections::BTreeMap;

/// No array may have more bytes than are counted in 64 bits, whatever its element type.
const CELL_BYTES: i128 = 8;

/// An index term that may leave 64 bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Overflow {
    /// The term, in the names of the loops.
    pub(crate) term: String,
    /// The arrays that it reads of whose numbers nothing but the type is known.
    pub(crate) of_any_value: Vec<(Name, Scalar)>,
}

/// The least and the greatest number in arrays.
pub(crate) type Ends = BTreeMap<Name, (i64, i64)>;

/// Show that every index term that the kernel evaluates for these sizes stays within 64 bits, where index
/// terms read only such numbers from these arrays.
///
/// # Errors
/// The first that may not.
pub(crate) fn check(kernel: &Kernel, sizes: &[i64], arrays: &Ends) -> Result<(), Overflow> {
    let known = kernel.sizes.iter().zip(sizes).map(|(name, n)| (name.clone(), Interval::point(*n)));
    let mut ranges = Ranges {
        known: known.collect(),
        types: kernel.buffer_types(),
        arrays,
        bounded_values: bounded_values::bounded_values(kernel),
        in_lanes: false,
        cells: BTreeMap::new(),
    };
    for param in &kernel.params {
        ranges.extents(&param.extents)?;
    }
    for required in &kernel.requires {
        ranges.bool(required)?;
    }
    ranges.stmt(&kernel.body)
}

/// The integers from `min` to `max`, which are within 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Interval {
    min: i128,
    max: i128,
}

impl Interval {
    fn point(n: i64) -> Interval {
        Interval { min: i128::from(n), max: i128::from(n) }
    }

    /// The least interval around values; 0 if there are none.
    fn around(values: impl IntoIterator<Item = i128>) -> Interval {
        values
            .into_iter()
            .map(|n| Interval { min: n, max: n })
            .reduce(|a, b| Interval { min: a.min.min(b.min), max: a.max.max(b.max) })
            .unwrap_or(Interval::point(0))
    }

    fn contains(self, n: i128) -> bool {
        self.min <= n && n <= self.max
    }

    /// Its negative, and its positive part.
    fn signed_parts(self) -> impl Iterator<Item = Interval> {
        let negative = Interval { min: self.min, max: self.max.min(-1) };
        let positive = Interval { min: self.min.max(1), max: self.max };
        [negative, positive].into_iter().filter(|part| part.min <= part.max)
    }

    fn ends(self) -> [i128; 2] {
        [self.min, self.max]
    }

    /// Every value of the operation is in the result, which has no more than 128 bits since the operands have 64.
    fn apply(self, op: IntOp, other: Interval) -> Interval {
        let (a, b) = (self, other);
        let corners = |f: fn(i128, i128) -> i128, b: Interval| {
            a.ends().into_iter().flat_map(move |x| b.ends().map(|y| f(x, y)))
        };
        match op {
            IntOp::Add => Interval { min: a.min + b.min, max: a.max + b.max },
            IntOp::Sub => Interval { min: a.min - b.max, max: a.max - b.min },
            IntOp::Mul => Interval::around(corners(|x, y| x * y, b)),
            IntOp::Min => Interval { min: a.min.min(b.min), max: a.max.min(b.max) },
            IntOp::Max => Interval { min: a.min.max(b.min), max: a.max.max(b.max) },
            // The quotient is monotone in either operand where the divisor keeps its sign.
            IntOp::Div => {
                let by_zero = b.contains(0).then_some(0);
                Interval::around(b.signed_parts().flat_map(|b| corners(floor_div, b)).chain(by_zero))
            }
            IntOp::Mod => {
                let by_zero = a.ends().into_iter().filter(|_| b.contains(0));
                let remainders = b.signed_parts().flat_map(|b| [0, b.min.min(-1) + 1, b.max.max(1) - 1]);
                Interval::around(remainders.chain(by_zero))
            }
        }
    }

    /// What a comparison certainly is.
    fn compare(self, op: CmpOp, other: Interval) -> Option<bool> {
        let apart = self.max < other.min || other.max < self.min;
        let same_point = self == other && self.min == self.max;
        let decided = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
        match op {
            CmpOp::Eq => decided(same_point, apart),
            CmpOp::Ne => decided(apart, same_point),
            CmpOp::Lt => decided(self.max < other.min, other.max <= self.min),
            CmpOp::Le => decided(self.max <= other.min, other.max < self.min),
        }
    }
}

fn floor_div(a: i128, b: i128) -> i128 {
    a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0)
}

/// The intervals of the sizes and of the loop variables around a place, innermost last.
struct Ranges<'a> {
    known: Vec<(Name, Interval)>,
    /// How many cells scratch has at most.
    cells: BTreeMap<Name, i128>,
    types: BTreeMap<Name, Scalar>,
    arrays: &'a Ends,
    /// The greatest number in scratch of which that is known; none is negative.
    bounded_values: BTreeMap<Name, i64>,
    /// Is this inside a vector loop?
    in_lanes: bool,
}

impl Ranges<'_> {
    fn int(&self, term: &Int) -> Result<Interval, Overflow> {
        let interval = match term {
            Int::Lit(n) => Interval::point(*n),
            // Kernels are closed; of a name without a range nothing would be known.
            Int::Var(name) => match self.known.iter().rev().find(|(known, _)| known == name) {
                Some((_, interval)) => *interval,
                None => Interval { min: i64::MIN.into(), max: i64::MAX.into() },
            },
            Int::Bin(op, a, b) => self.int(a)?.apply(*op, self.int(b)?),
            Int::Load(buf, cell) => {
                self.int(cell)?;
                self.cells(buf)
            }
        };
        let interval = within(interval, || term.to_string());
        interval.map_err(|overflow| Overflow { of_any_value: self.of_any_value(term), ..overflow })
    }

    /// The arrays read by a term of whose numbers nothing but the type is known.
    fn of_any_value(&self, term: &Int) -> Vec<(Name, Scalar)> {
        let mut found = Vec::new();
        term.for_each_read(&mut |buf, _| {
            let is_known = self.arrays.contains_key(buf) || self.bounded_values.contains_key(buf);
            if let Some(scalar) = self.types.get(buf).filter(|_| !is_known)
                && found.iter().all(|(name, _)| name != buf)
            {
                found.push((buf.clone(), *scalar));
            }
        });
        found
    }

    /// The values that cells of a buffer may hold.
    fn cells(&self, buf: &Name) -> Interval {
        let (min, max) = match self.types.get(buf) {
            _ if let Some((min, max)) = self.arrays.get(buf) => ((*min).into(), (*max).into()),
            _ if let Some(most) = self.bounded_values.get(buf) => (0, (*most).into()),
            scalar => scalar.and_then(|scalar| scalar.range()).unwrap_or((i64::MIN.into(), i64::MAX.into())),
        };
        Interval { min, max }
    }

    /// What the predicate certainly is.
    fn bool(&self, predicate: &Bool) -> Result<Option<bool>, Overflow> {
        Ok(match predicate {
            Bool::Lit(value) => Some(*value),
            Bool::Cmp(op, a, b) => self.int(a)?.compare(*op, self.int(b)?),
            Bool::And(a, b) => self.junction(a, b, false)?,
            Bool::Or(a, b) => self.junction(a, b, true)?,
            Bool::Not(a) => self.bool(a)?.map(|value| !value),
        })
    }

    /// A conjunction, which `false` decides, or a disjunction, which `true` does.
    fn junction(&self, a: &Bool, b: &Bool, deciding: bool) -> Result<Option<bool>, Overflow> {
        let first = self.bool(a)?;
        if first == Some(deciding) {
            if self.in_lanes {
                self.bool(b)?;
            }
            return Ok(first);
        }
        let second = self.bool(b)?;
        Ok(if second == Some(deciding) { second } else { first.and(second) })
    }

    fn val(&self, value: &Val) -> Result<(), Overflow> {
        match value {
            Val::Lit(_) => Ok(()),
            Val::Load { index: term, .. } | Val::OfInt(term) => self.int(term).map(drop),
            Val::Un(_, a) | Val::Convert { val: a, .. } => self.val(a),
            Val::Call(_, operands) => operands.iter().try_for_each(|a| self.val(a)),
            Val::Bin(_, a, b) | Val::Cmp(_, a, b) => self.val(a).and_then(|()| self.val(b)),
            Val::Select { cond, then, otherwise } => match self.bool(cond)? {
                Some(true) if !self.in_lanes => self.val(then),
                Some(false) if !self.in_lanes => self.val(otherwise),
                _ => self.val(then).and_then(|()| self.val(otherwise)),
            },
            Val::Choose { cond, then, otherwise } => {
                self.val(cond)?;
                self.val(then)?;
                self.val(otherwise)
            }
        }
    }

    fn init(&self, init: &Init) -> Result<(), Overflow> {
        match init {
            Init::Uninit => Ok(()),
            Init::Value(value) => self.val(value),
        }
    }

    /// The bytes of a buffer, however its extents that are not positive are counted.
    fn extents(&self, extents: &[Int]) -> Result<(), Overflow> {
        let mut bytes = CELL_BYTES;
        for extent in extents {
            bytes *= self.int(extent)?.max.max(1);
            within(Interval { min: 0, max: bytes }, || format!("{} * 8", Int::product(extents)))?;
        }
        Ok(())
    }

    /// The terms of a merge, and its variables, which are known then.
    fn merge(&mut self, keys: &[Name], runs: &[Run]) -> Result<(), Overflow> {
        let mut of_keys: Vec<Option<Interval>> = vec![None; keys.len()];
        for Run { place, lo, hi, key, cond, .. } in runs {
            if self.bool(cond)? == Some(false) {
                continue;
            }
            let (first, end) = (self.int(lo)?.min, self.int(hi)?.max);
            if end <= first {
                continue;
            }
            self.known.push((place.clone(), Interval { min: first, max: end - 1 }));
            let parts = key.iter().map(|part| self.int(part)).collect::<Result<Vec<_>, _>>();
            self.known.pop();
            for (known, part) in of_keys.iter_mut().zip(parts?) {
                *known = Some(known.map_or(part, |known| Interval {
                    min: known.min.min(part.min),
                    max: known.max.max(part.max),
                }));
            }
        }
        let all = Interval { min: i128::from(i64::MIN), max: i128::from(i64::MAX) };
        self.known.extend(keys.iter().cloned().zip(of_keys.into_iter().map(|known| known.unwrap_or(all))));
        for Run { place, lo, hi, has, .. } in runs {
            let (first, end) = (self.int(lo)?, self.int(hi)?);
            let (min, max) = (first.min.min(0), first.max.max(end.max).max(0));
            self.known.push((place.clone(), Interval { min, max }));
            self.known.push((has.clone(), Interval { min: 0, max: 1 }));
        }
        Ok(())
    }

    /// What is done for each number from `lo` to before `hi`, if there is one.
    fn each(
        &mut self,
        var: &Name,
        [lo, hi]: [&Int; 2],
        inside: impl FnOnce(&mut Self) -> Result<(), Overflow>,
    ) -> Result<(), Overflow> {
        let (first, end) = (self.int(lo)?.min, self.int(hi)?.max);
        if end <= first {
            return Ok(());
        }
        self.known.push((var.clone(), Interval { min: first, max: end - 1 }));
        let inside = inside(self);
        self.known.pop();
        inside
    }

    fn search(&mut self, search: &Search, body: &Stmt) -> Result<(), Overflow> {
        self.each(&search.var, [&search.lo, &search.hi], |range| match range.bool(&search.cond())? {
            Some(false) => Ok(()),
            _ => range.stmt(body),
        })
    }

    /// The partners of an intersection, whose bounds and keys are computed whether the others match or not.
    fn partners(&mut self, head: &Intersection, partners: &[Partner], body: &Stmt) -> Result<(), Overflow> {
        let Some((Partner { sequence: Sequence { var, lo, hi, key }, .. }, others)) = partners.split_first()
        else {
            let equal = |partner: &Partner| Bool::eq(partner.sequence.key.clone(), head.first.key.clone());
            for cond in head.partners.iter().map(equal).chain(head.rest()) {
                if self.bool(&cond)? == Some(false) {
                    return Ok(());
                }
            }
            return self.stmt(body);
        };
        self.each(var, [lo, hi], |range| {
            range.int(key)?;
            range.partners(head, others, body)
        })
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), Overflow> {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().try_for_each(|stmt| self.stmt(stmt)),
            Stmt::For { var, lo, hi, body, .. }
            | Stmt::Vectors { vectors: Vectors { var, lo, hi, .. }, body } => {
                let around = self.in_lanes;
                self.in_lanes |=
                    matches!(stmt, Stmt::For { kind: LoopKind::Vector { .. }, .. } | Stmt::Vectors { .. });
                let inside = self.each(var, [lo, hi], |range| range.stmt(body));
                self.in_lanes = around;
                inside
            }
            Stmt::Search { search, body } => self.search(search, body),
            Stmt::Intersection { intersection, body } => {
                let Sequence { var, lo, hi, key } = &intersection.first;
                self.each(var, [lo, hi], |range| {
                    range.int(key)?;
                    range.partners(intersection, &intersection.partners, body)
                })
            }
            Stmt::If { cond, then, otherwise } => {
                let decided = self.bool(cond)?;
                if decided != Some(false) {
                    self.stmt(then)?;
                }
                match otherwise {
                    Some(otherwise) if decided != Some(true) => self.stmt(otherwise),
                    _ => Ok(()),
                }
            }
            Stmt::Alloc { buf, extents, init, body, .. } => {
                self.extents(extents)?;
                self.init(init)?;
                let most = self.int(&Int::product(extents))?.max.max(0);
                self.cells.insert(buf.clone(), most);
                self.stmt(body)
            }
            Stmt::Reset { init, .. } => self.init(init),
            Stmt::Forget { lo, hi, .. } => self.int(lo).and_then(|_| self.int(hi)).map(drop),
            Stmt::Prefetch { index, .. } => self.int(index).map(drop),
            Stmt::Store { index, value, .. } => self.int(index).and_then(|_| self.val(value)),
            Stmt::Push { value, .. } => self.val(value),
            Stmt::Visit { var, buf, body } => {
                let cells = self.cells.get(buf).copied().unwrap_or(i128::from(i64::MAX));
                self.known.push((var.clone(), Interval { min: 0, max: cells }));
                let inside = self.stmt(body);
                self.known.pop();
                inside
            }
            Stmt::Merge { keys, runs, body } => {
                let outer = self.known.len();
                let inside = self.merge(keys, runs).and_then(|()| self.stmt(body));
                self.known.truncate(outer);
                inside
            }
        }
    }
}

fn within(interval: Interval, term: impl FnOnce() -> String) -> Result<Interval, Overflow> {
    let fits = i128::from(i64::MIN) <= interval.min && interval.max <= i128::from(i64::MAX);
    if fits { Ok(interval) } else { Err(Overflow { term: term(), of_any_value: Vec::new() }) }
}

/// [`Signature::shapes`] of the arrays that a kernel takes, for sizes with which its own arithmetic stays
/// within 64 bits. Of a kernel that reads its indices from arrays, sizes alone do not decide that:
/// [`Call::bind`](crate::Call::bind) has looked at the arrays.
///
/// # Errors
/// As for `shapes`, and a term that may leave them.
pub(crate) fn admitted(
    signature: &Signature,
    kernel: &Kernel,
    sizes: &[i64],
) -> Result<Vec<Vec<usize>>, String> {
    let mut shapes = signature.shapes(sizes)?;
    if let Storage::Sparse { .. } = signature.result.storage {
        shapes.pop();
        shapes.resize(kernel.params.len(), vec![0]);
    }
    if !kernel.index_reads().is_empty() {
        return Ok(shapes);
    }
    match check(kernel, sizes, &Ends::new()) {
        Ok(()) => Ok(shapes),
        Err(overflow) => Err(format!("index arithmetic leaves 64 bits: `{}`", overflow.term)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Ends, Interval, check};
    use atl_loops::{CmpOp, IntOp, parse_kernel};

    /// The term that overflows in this body, for the size `N`.
    fn refused(body: &str, n: i64) -> Option<String> {
        let kernel = parse_kernel(&format!("kernel k(N) in i64 x[N] out i64 y[N] {{ {body} }}")).unwrap();
        check(&kernel, &[n], &Ends::new()).err().map(|overflow| overflow.term)
    }

    const HALF: i64 = 1 << 59;

    #[test]
    fn terms_that_stay_in_64_bits_are_accepted() {
        let plain = "for i in 0..N { y[i] = x[i] }";
        assert_eq!(refused(plain, 1000), None);
        assert_eq!(refused(plain, HALF), None);
        assert_eq!(refused("for i in 0..N { if i * 8 < N * 8 { y[i] = x[i * 15] } }", HALF), None);
    }

    #[test]
    fn terms_that_leave_64_bits_are_named() {
        let named = |body, n, term: &str| assert_eq!(refused(body, n).as_deref(), Some(term), "{body}");
        named("for i in 0..N { y[i] = x[i * 17] }", HALF, "i * 17");
        named("for i in 0..N { if N * 16 < 5 { y[i] = x[i] } }", HALF, "N * 16");
        named("for i in 0..N * 16 { y[i] = x[i] }", HALF, "N * 16");
        named("for i in 0..N { y[i * 17] = x[i] }", HALF, "i * 17");
        named("for i in 0..N { y[i] = x[0] }", 1 << 60, "N * 8");
        // The key of a third sequence is computed where the others have no match, too.
        let never = "intersect p in 0..N at p, q in 0..N at q + N, r in 0..N at r * 17 { y[p] = x[q] }";
        named(never, HALF, "r * 17");
        named("for i in 0..N { y[i] = (N * N * N * N == 0 ? x[i] : x[0]) }", 100_000, "N * N * N * N");
    }

    #[test]
    fn what_is_read_lies_where_the_array_does() {
        let refused = |body: &str, ends: &[(&str, (i64, i64))]| {
            let head = "kernel k(N) in i64 pos[N] in i32 crd[N] in u8 b[N] out i64 y[N]";
            let kernel = parse_kernel(&format!("{head} {{ {body} }}")).unwrap();
            let ends: Ends = ends.iter().map(|(name, ends)| ((*name).into(), *ends)).collect();
            check(&kernel, &[1000], &ends).err().map(|overflow| overflow.term)
        };
        let row = "for p in pos[0]..pos[1] { y[crd[p] * N] = int(p + 1) }";
        assert_eq!(refused(row, &[("pos", (0, 5000)), ("crd", (0, 10))]), None);
        assert_eq!(refused(row, &[("pos", (0, 5000))]), None);
        assert_eq!(
            refused(row, &[("pos", (-5, 5000)), ("crd", (0, i64::MAX / 999))]).as_deref(),
            Some("crd[p] * N")
        );
        assert_eq!(refused(row, &[("pos", (0, i64::MAX))]), None);
        assert_eq!(refused("y[pos[0] + 1] = 0i64", &[("pos", (0, i64::MAX))]).as_deref(), Some("pos[0] + 1"));
        assert_eq!(refused("y[pos[0] + 1] = 0i64", &[]).as_deref(), Some("pos[0] + 1"));
        assert_eq!(refused("y[b[b[0]] * 36028797018963968] = 0i64", &[]), None);
        assert_eq!(
            refused("y[0] = int(crd[pos[0] * 2])", &[("pos", (0, i64::MAX / 2 + 1))]).as_deref(),
            Some("pos[0] * 2")
        );
        let scratch = |scalar: &str| format!("alloc heap {scalar} s[N] uninit {{ y[s[0] * 3] = 0i64 }}");
        assert_eq!(refused(&scratch("i32"), &[]), None);
        assert_eq!(refused(&scratch("i64"), &[]).as_deref(), Some("s[0] * 3"));
    }

    #[test]
    fn what_is_certainly_not_run_is_passed_over() {
        assert_eq!(refused("for i in N..N { y[i] = x[N * 17] }", HALF), None);
        assert_eq!(refused("for i in 0..N { if N < i { y[i] = x[N * 17] } }", HALF), None);
        assert_eq!(refused("for i in 0..N { if N < i && N * 17 < 0 { y[i] = x[i] } }", HALF), None);
        assert_eq!(refused("for i in 0..N { y[i] = (i < N ? x[i] : x[N * 17]) }", HALF), None);
    }

    #[test]
    fn what_lanes_compute_unasked_is_not_passed_over() {
        let lanes = |body: &str| refused(&format!("vector(8) for i in 0..N {{ {body} }}"), HALF);
        assert_eq!(lanes("if N < i && N * 17 < i { y[i] = x[i] }").as_deref(), Some("N * 17"));
        assert_eq!(lanes("y[i] = (i < N ? x[i] : x[N * 17])").as_deref(), Some("N * 17"));
        assert_eq!(lanes("if N < i { y[i] = x[N * 17] }"), None);
        assert_eq!(
            refused("vector(8) for i in 0..N { y[i] = x[i] } if N < 0 && N * 17 < 0 { y[0] = x[0] }", HALF),
            None
        );
    }

    #[test]
    fn intervals_contain_every_value() {
        let ends = -4i64..=4;
        let pairs: Vec<(i64, i64)> = ends.clone().flat_map(|a| (a..=4).map(move |b| (a, b))).collect();
        let interval = |(min, max): (i64, i64)| Interval { min: min.into(), max: max.into() };
        let ops = [IntOp::Add, IntOp::Sub, IntOp::Mul, IntOp::Div, IntOp::Mod, IntOp::Min, IntOp::Max];
        for (a, b) in pairs.iter().flat_map(|a| pairs.iter().map(move |b| (*a, *b))) {
            for (x, y) in (a.0..=a.1).flat_map(|x| (b.0..=b.1).map(move |y| (x, y))) {
                for op in ops {
                    let (found, value) = (interval(a).apply(op, interval(b)), op.apply(x, y).unwrap());
                    assert!(found.contains(value.into()), "{a:?} {op:?} {b:?}: {value} not in {found:?}");
                }
                for op in [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le] {
                    let found = interval(a).compare(op, interval(b));
                    assert!(found.is_none_or(|found| found == op.apply(&x, &y)), "{a:?} {op:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn the_least_quotient_leaves_64_bits() {
        let quotient = Interval::point(i64::MIN).apply(IntOp::Div, Interval::point(-1));
        assert_eq!(quotient, Interval { min: 1 << 63, max: 1 << 63 });
    }
}
