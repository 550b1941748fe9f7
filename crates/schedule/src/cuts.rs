//! Where the tests below a loop change their answer, and where the loop is best cut.
//!
//! **The one idea.** A test, which is a comparison of a guard or `select`, a `min` or `max` in an index, or
//! whether what is divided in an index like `(j - 1) % M` has reached a multiple of the divisor, has one
//! answer before some iteration and the other one from a later iteration on; in the *stretch* between them
//! inner loops make it vary. Cut at both ends of the stretches near its start and of those near its end, a
//! loop has a middle in which all of them are decided. Which end is nearer is looked up at sample sizes: a
//! choice, on which no theorem depends.
//!
//! It does not cut for a test that varies in most of the iterations, nor for one that is not linear in the
//! loop's index.

use crate::linear::{End, extreme, linear};
use atl_kernel::{Child, Cmp, Ctx, Entry, Expr, Ix, IxOp, Node, Pred, Result, Var};
use atl_rules::Cx;
use atl_rules::sparse::reads;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// At most so many different tests of a loop are looked at.
const TESTS: usize = 64;

/// Where a loop is cut.
#[derive(Clone, Default, Debug)]
pub(crate) struct Cuts {
    /// Where the middle begins, if not at the start.
    pub(crate) low: Option<Ix>,
    /// Where it ends, if not at the end.
    pub(crate) high: Option<Ix>,
}

/// The iterations `from <= i < to`, perhaps none, before which a test has one answer and after which it has the other.
struct Stretch {
    from: Ix,
    to: Ix,
    /// It holds afterwards.
    rising: bool,
}

/// The best cuts of the loop at hand; none where no test below it has a known stretch.
///
/// # Errors
/// The term has no type.
pub(crate) fn cuts(cx: &mut Cx<'_>, e: &Expr) -> Result<Cuts> {
    let (Node::Gen(_, n, _) | Node::Sum(_, n, _)) = &**e else { return Ok(Cuts::default()) };
    let level = cx.ctx.level();
    let samples = samples(&cx.ctx);
    let mut found =
        Tests { level, extent: n.clone(), samples: samples.clone(), loops: Vec::new(), ranges: Vec::new() };
    let (mut inside, body) = cx.enter(e, Child::Body)?;
    found.collect(&mut inside, &body)?;
    let mut best = Cuts::default();
    for Range { least, greatest, end } in found.ranges {
        let Some(stretch) = stretch(cx, level, least, greatest) else { continue };
        if cx.proves(&Pred::le(stretch.to.clone(), Ix::ZERO))
            || cx.proves(&Pred::le(n.clone(), stretch.from.clone()))
        {
            continue;
        }
        match end
            .or_else(|| stretch.end_in_arrays())
            .or_else(|| samples.iter().find_map(|sample| nearest(&stretch, n, sample)))
        {
            Some(End::Low) => best.low = Some(outermost(cx, best.low, stretch.to, Ix::max)),
            Some(End::High) => best.high = Some(outermost(cx, best.high, stretch.from, Ix::min)),
            None => {}
        }
    }
    Ok(best)
}

/// Values of the variables of a context, by level.
pub(crate) type Sample = BTreeMap<u32, i64>;

/// Sizes far apart, the first the largest and then the last the largest, with every loop half-way.
///
/// A size is one less than a power of two, so that a tail fills most of its tile.
pub(crate) fn samples(ctx: &Ctx) -> [Sample; 2] {
    let extent = |level: u32| extent_of(ctx, level);
    let indices: Vec<u32> =
        (0..ctx.level()).filter(|level| matches!(ctx.entry(*level), Some(Entry::Index(_)))).collect();
    let sizes = indices.iter().filter(|level| extent(**level).is_none()).count();
    [false, true].map(|last_largest| {
        let mut sample = Sample::new();
        let mut size = 0;
        for level in &indices {
            let value = match extent(*level) {
                Some(n) => value(n, &sample).map(|n| n / 2),
                None => {
                    let rank = if last_largest { sizes - 1 - size } else { size };
                    size += 1;
                    Some((1 << 20 >> (3 * rank.min(3))) - 1)
                }
            };
            sample.extend(value.map(|value| (*level, value)));
        }
        sample
    })
}

/// The extent of the loop whose index is at this level: it is followed by its two bounds. None of a size.
pub(crate) fn extent_of(ctx: &Ctx, level: u32) -> Option<&Ix> {
    match ctx.entry(level + 2) {
        Some(Entry::Hyp(Pred::Cmp(Cmp::Lt, i, n), _)) if *i == Ix::free(level) => Some(n),
        _ => None,
    }
}

impl Stretch {
    /// The end at which to cut where arrays say where that is, which samples do not know: the test holds in the middle.
    fn end_in_arrays(&self) -> Option<End> {
        let end = if self.rising { End::Low } else { End::High };
        (reads(&self.from) || reads(&self.to)).then_some(end)
    }
}

/// The value of an index term at a sample, where an array is said to hold multiples of its indices.
pub(crate) fn value(ix: &Ix, sample: &Sample) -> Option<i64> {
    atl_arith::eval_ix(&without_reads(ix, sample)?, &|level| sample.get(&level).copied())
}

/// How much an element of an array is more than the one before, at samples: one less than a power of two.
const STEP: i64 = 15;

fn without_reads(ix: &Ix, sample: &Sample) -> Option<Ix> {
    Some(match ix {
        Ix::Lit(_) | Ix::Var(_) => ix.clone(),
        Ix::Bin(op, ab) => Ix::bin(*op, without_reads(&ab.0, sample)?, without_reads(&ab.1, sample)?),
        Ix::Read(_, at) => Ix::Lit(value(at.last()?, sample)?.checked_mul(STEP)?),
    })
}

/// The end that a stretch is nearer to at a sample; none where it is more than half of the loop. What is as near to
/// both goes where the test holds in the middle.
fn nearest(stretch: &Stretch, n: &Ix, sample: &Sample) -> Option<End> {
    let (from, to, n) = (value(&stretch.from, sample)?, value(&stretch.to, sample)?, value(n, sample)?);
    let inside = i128::from(to.clamp(0, n.max(0))) - i128::from(from.clamp(0, n.max(0)));
    let (around, n) = (i128::from(from) + i128::from(to), i128::from(n));
    if 2 * inside > n {
        return None;
    }
    Some(if around < n || (around == n && stretch.rising) { End::Low } else { End::High })
}

/// The one of two cuts that `choose`, a minimum or maximum, would take; both where their order is not known.
fn outermost(cx: &mut Cx<'_>, known: Option<Ix>, cut: Ix, choose: fn(Ix, Ix) -> Ix) -> Ix {
    match known {
        Some(known) => atl_arith::simplify(&cx.ctx, &choose(known, cut)),
        None => cut,
    }
}

/// The stretch of the test `0 <= d`, for the least and greatest values of `d` over the inner loops.
fn stretch(cx: &mut Cx<'_>, level: u32, least: Ix, greatest: Ix) -> Option<Stretch> {
    let ((c, low), (d, high)) = (linear(&least, level)?, linear(&greatest, level)?);
    if !cx.equal(&c, &d) {
        return None;
    }
    let rising = cx.proves(&Pred::lt(Ix::ZERO, c.clone()));
    let (from, to) = if rising {
        let reached = |r: Ix| Ix::ceil_div(Ix::ZERO - r, c.clone());
        (reached(high), reached(low))
    } else if cx.proves(&Pred::lt(c.clone(), Ix::ZERO)) {
        let left = |r: Ix| r / (Ix::ZERO - c.clone()) + Ix::ONE;
        (left(low), left(high))
    } else {
        return None;
    };
    let short = |ix: &Ix| atl_arith::simplify(&cx.ctx, ix);
    Some(Stretch { from: short(&from), to: short(&to), rising })
}

/// The tests below a loop.
struct Tests {
    /// The loop's index.
    level: u32,
    /// How many iterations it has.
    extent: Ix,
    /// Values of what is outside of it.
    samples: [Sample; 2],
    /// The loops between it and the place looked at, outermost first, by level and extent.
    loops: Vec<(u32, Ix)>,
    ranges: Vec<Range>,
}

/// Of a test `0 <= d`, the least and greatest values of `d` over the inner loops; one less than the greatest
/// where 0 may count as negative.
#[derive(PartialEq)]
struct Range {
    least: Ix,
    greatest: Ix,
    /// Where to cut, where that is known.
    end: Option<End>,
}

impl Tests {
    fn collect(&mut self, cx: &mut Cx<'_>, e: &Expr) -> Result<()> {
        for test in tests(e) {
            self.add(cx, test);
        }
        for wrapped in wrapped(e) {
            for test in self.crossing(cx, &wrapped) {
                self.add(cx, test);
            }
        }
        for at in e.children() {
            let (depth, level) = (self.loops.len(), cx.ctx.level());
            let (mut inside, child) = cx.enter(e, at)?;
            if let (Node::Gen(_, n, _) | Node::Sum(_, n, _), Child::Body) = (&**e, at) {
                self.loops.push((level, n.clone()));
            }
            self.collect(&mut inside, &child)?;
            self.loops.truncate(depth);
        }
        Ok(())
    }

    /// The tests whether a remainder's dividend has reached the multiples of the divisor that it reaches in
    /// the loop, as `j - 1` of `(j - 1) % M` reaches 0 and `i + N - 1` of `(i + N - 1) % N` reaches `N`. An
    /// inner loop may move it past both ends, as `k` in `(j + k - 1) % M`; nothing where at a sample it
    /// reaches more. So may what arrays add, as `c[q]` in `(j - c[q]) % M`.
    fn crossing(&self, cx: &mut Cx<'_>, wrapped: &Wrapped) -> Vec<Test> {
        let Wrapped { dividend, divisor } = wrapped;
        let test = |multiple: Ix, end| Test { d: dividend.clone() - multiple, tied: false, end };
        let by_one = linear(dividend, self.level).is_some_and(|(by, _)| by == Ix::ONE);
        let outside = !self.loops.iter().any(|(level, _)| divisor.mentions(*level));
        if by_one && outside && reads(dividend) && !reads(divisor) {
            return vec![test(Ix::ZERO, Some(End::Low)), test(divisor.clone(), Some(End::High))];
        }
        let reached = self.reached(cx, wrapped).into_iter().flatten();
        reached.map(|k| test(divisor.clone() * Ix::Lit(k), None)).collect()
    }

    /// Which multiples of the divisor a dividend reaches, if these are one or two.
    fn reached(
        &self,
        cx: &mut Cx<'_>,
        Wrapped { dividend, divisor }: &Wrapped,
    ) -> Option<RangeInclusive<i64>> {
        if !dividend.mentions(self.level) || self.loops.iter().any(|(level, _)| divisor.mentions(*level)) {
            return None;
        }
        let least = extreme(cx, dividend, &self.loops, End::Low)?;
        let greatest = extreme(cx, dividend, &self.loops, End::High)?;
        let mut reached: Option<RangeInclusive<i64>> = None;
        for sample in &self.samples {
            let mut sample = sample.clone();
            let last = value(&self.extent, &sample)? - 1;
            let mut periods = Vec::new();
            for index in [0, last.max(0)] {
                sample.insert(self.level, index);
                let by = value(divisor, &sample).filter(|by| *by > 0)?;
                let [from, to] = [value(&least, &sample)?, value(&greatest, &sample)?];
                periods.extend([from.div_euclid(by), to.div_euclid(by)]);
            }
            let (first, last) = (periods.iter().min()?, periods.iter().max()?);
            let now = first + 1..=*last;
            match last - first {
                0 => {}
                1 | 2 if reached.as_ref().is_none_or(|before| *before == now) => reached = Some(now),
                _ => return None,
            }
        }
        reached
    }

    /// Note a test, unless its answer is known here or does not depend on the loop.
    fn add(&mut self, cx: &mut Cx<'_>, Test { d, tied, end }: Test) {
        let above = if tied { Ix::ONE } else { Ix::ZERO };
        if self.ranges.len() == TESTS
            || cx.proves(&Pred::le(Ix::ZERO, d.clone()))
            || cx.proves(&Pred::lt(d.clone(), above.clone()))
        {
            return;
        }
        let mut at = |end| extreme(cx, &d, &self.loops, end);
        let (Some(least), Some(greatest)) = (at(End::Low), at(End::High)) else { return };
        // Where it changes must be known at the loop: not from what is computed inside of it.
        let inner = self.level + 1..cx.ctx.level();
        if inner.into_iter().any(|level| least.mentions(level) || greatest.mentions(level)) {
            return;
        }
        let range = Range { least, greatest: greatest - above, end };
        if range.least.mentions(self.level) && !self.ranges.contains(&range) {
            self.ranges.push(range);
        }
    }
}

/// The test `0 <= d`.
struct Test {
    d: Ix,
    /// For `d = 0` either answer will do.
    tied: bool,
    /// The end at which to cut, where that is known.
    end: Option<End>,
}

/// The tests that a node itself makes.
fn tests(e: &Expr) -> Vec<Test> {
    let mut found = Vec::new();
    match &**e {
        Node::Guard(p, _) | Node::Select(p, ..) => comparisons(p, &mut found),
        Node::Index(_, i) | Node::Get(_, i) | Node::Gen(_, i, _) | Node::Sum(_, i, _) => {
            switches(i, &mut found)
        }
        _ => {}
    }
    found
}

/// The comparisons in a predicate; where their answers are known, so is the predicate's.
fn comparisons(p: &Pred, out: &mut Vec<Test>) {
    match p {
        Pred::True | Pred::False => {}
        Pred::Not(p) => comparisons(p, out),
        Pred::And(ab) | Pred::Or(ab) => {
            comparisons(&ab.0, out);
            comparisons(&ab.1, out);
        }
        Pred::Cmp(cmp, a, b) => {
            let mut nonnegative = |d| out.push(Test { d, tied: false, end: None });
            match cmp {
                Cmp::Le => nonnegative(b.clone() - a.clone()),
                Cmp::Lt => nonnegative(b.clone() - a.clone() - Ix::ONE),
                Cmp::Eq => {
                    nonnegative(b.clone() - a.clone());
                    nonnegative(a.clone() - b.clone());
                }
            }
            switches(a, out);
            switches(b, out);
        }
    }
}

/// Which side the minima and maxima in an index term take.
fn switches(ix: &Ix, out: &mut Vec<Test>) {
    let Ix::Bin(op, ab) = ix else { return };
    switches(&ab.0, out);
    switches(&ab.1, out);
    if matches!(op, IxOp::Min | IxOp::Max) {
        out.push(Test { d: ab.1.clone() - ab.0.clone(), tied: true, end: None });
    }
}

/// A remainder in an index.
struct Wrapped {
    dividend: Ix,
    divisor: Ix,
}

/// The remainders in a node's own indices.
fn wrapped(e: &Expr) -> Vec<Wrapped> {
    let mut found = Vec::new();
    if let Node::Index(_, i) | Node::Get(_, i) | Node::Gen(_, i, _) | Node::Sum(_, i, _) = &**e {
        remainders(i, &mut found);
    }
    found
}

fn remainders(ix: &Ix, out: &mut Vec<Wrapped>) {
    let Ix::Bin(op, ab) = ix else { return };
    remainders(&ab.0, out);
    remainders(&ab.1, out);
    if *op == IxOp::Mod {
        out.push(Wrapped { dividend: ab.0.clone(), divisor: ab.1.clone() });
    }
}

/// How many tests, and remainders in indices, of a term depend on its own loops.
pub(crate) fn undecided(e: &Expr) -> usize {
    let here = tests(e).iter().filter(|test| is_bound(&test.d)).count();
    let here = here + wrapped(e).iter().filter(|w| is_bound(&w.dividend)).count();
    let below: usize = e.children().filter_map(|at| e.child(at)).map(undecided).sum();
    here + below
}

fn is_bound(ix: &Ix) -> bool {
    match ix {
        Ix::Var(var) => matches!(var, Var::Bound(_)),
        Ix::Bin(_, ab) => is_bound(&ab.0) || is_bound(&ab.1),
        Ix::Lit(_) => false,
        Ix::Read(_, at) => at.iter().any(is_bound),
    }
}
