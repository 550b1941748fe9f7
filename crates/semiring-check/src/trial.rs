//! Trying a semiring's claims on numbers.
//!
//! A carrier of few elements is gone through. Of others there are those where something may change (the bounds, zero, one, the
//! numbers of the formula and what lies beside them) and many made by chance: that can refute a claim, not prove it.

use super::Claims;
use super::statement::{Operations, Side, Statement};
use atl_interp::{Domain, EvalError, Exact, Number, Ratio, Value};
use atl_kernel::{Prim, Scalar};
use atl_semirings::{Carrier, Constant, Formula, Op};

/// A carrier of at most so many elements is gone through.
pub(super) const FEW: usize = 64;
/// Of other carriers, so many elements are combined in every way at most.
const CORNERS: usize = 40;
/// So many elements are drawn beside those where something may change.
const DRAWN: usize = 12;
/// So many triples of elements are drawn anew.
const TRIPLES: usize = 4000;

/// A message and its notes.
pub(super) type Fault = (String, Vec<String>);

/// What trying the claims says of them.
pub(super) enum Trial {
    /// One is false.
    Fails(Fault),
    /// All hold: every element was tried.
    Exhaustive,
    /// None was refuted.
    Passed,
}

/// Numbers without order that are the same in every run.
pub(super) struct Draws(pub(super) u64);

impl Draws {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

impl Claims {
    /// What numbers say of the claims.
    pub(super) fn tried(&self) -> Trial {
        let elements = match self.elements() {
            Ok(elements) => elements,
            Err(why) => return Trial::Fails(("cannot be tested".to_owned(), vec![why.to_string()])),
        };
        let constants = [self.ops.zero, self.ops.one].map(|c| Exact::constant(self.scalar, c).ok());
        if let Some(k) = constants.iter().position(|c| !c.is_some_and(|c| self.contains(c))) {
            let what = ["zero", "one"][k];
            return Trial::Fails((format!("has a {what} outside its carrier"), Vec::new()));
        }
        let corners = &elements.corners;
        let laws = self.claimed();
        if let Some(fault) = corners.iter().find_map(|a| corners.iter().find_map(|b| self.closed(*a, *b))) {
            return Trial::Fails(fault);
        }
        let refuted = if elements.complete {
            let tables = Tables::of(self, corners);
            laws.iter().find_map(|law| {
                triples(corners.len(), law.arity)
                    .find(|triple| !tables.as_ref().is_some_and(|tables| tables.hold(law, triple)))
                    .map(|triple| self.lawful(law, &triple.map(|k| corners[k])))
            })
        } else {
            let among = |law: &Statement| {
                triples(corners.len(), law.arity)
                    .find_map(|triple| self.lawful(law, &triple.map(|k| corners[k])))
            };
            let refuted = laws.iter().find_map(among);
            refuted
                .or_else(|| {
                    elements.triples.iter().find_map(|t| laws.iter().find_map(|law| self.lawful(law, t)))
                })
                .map(Some)
        };
        match refuted {
            Some(Some(fault)) => Trial::Fails(fault),
            Some(None) => Trial::Passed,
            None if elements.complete => Trial::Exhaustive,
            None => Trial::Passed,
        }
    }

    /// What is wrong at these elements.
    pub(super) fn at(&self, elements: [Number; 3]) -> Option<Fault> {
        if !elements.into_iter().all(|x| self.contains(x)) {
            return None;
        }
        let lawful = || self.claimed().iter().find_map(|law| self.lawful(law, &elements));
        self.closed(elements[0], elements[1]).or_else(lawful)
    }

    /// What is claimed.
    pub(super) fn claimed(&self) -> Vec<Statement> {
        Statement::all().into_iter().filter(|statement| self.laws.has(statement.law)).collect()
    }

    fn contains(&self, x: Number) -> bool {
        match x {
            Number::Infinity => self.carrier.contains(f64::INFINITY),
            Number::NegInfinity => self.carrier.contains(f64::NEG_INFINITY),
            Number::Discrete(value) => self.carrier.contains(value.to_f64()),
            Number::Ratio(ratio) => match self.carrier {
                Carrier::Between(least, greatest) => {
                    let order = |c: Constant| match c {
                        Constant::Int(n) => Ratio::try_new(n, 1).and_then(|n| ratio.checked_cmp(n)),
                        Constant::PosInf => Some(std::cmp::Ordering::Less),
                        Constant::NegInf => Some(std::cmp::Ordering::Greater),
                    };
                    order(least).is_some_and(|o| o.is_ge()) && order(greatest).is_some_and(|o| o.is_le())
                }
                _ => true,
            },
        }
    }

    /// Sums and products stay in the carrier.
    fn closed(&self, a: Number, b: Number) -> Option<Fault> {
        [("sum", "+", self.ops.add), ("product", "*", self.ops.mul)].into_iter().find_map(
            |(name, sign, op)| {
                let of = format!("{} {sign} {}", shown(a), shown(b));
                match Exact::op(op, a, b) {
                    Ok(value) if self.contains(value) => None,
                    Ok(value) => {
                        let notes = vec![format!("{of} is {}", shown(value))];
                        Some(("is not closed: a result is outside its carrier".to_owned(), notes))
                    }
                    // Numbers of too many digits refute nothing; then the claims have to be proved.
                    Err(EvalError::Overflow) => None,
                    Err(why) => {
                        let mut notes = vec![format!("{of} has no value: {}", undefined(&why))];
                        notes.extend(self.remedy(&why));
                        Some((format!("has no {name} of some numbers of its carrier"), notes))
                    }
                }
            },
        )
    }

    /// How a product that has no value gets one, where the carrier's zero and an infinity are factors.
    fn remedy(&self, why: &EvalError) -> Option<String> {
        let (EvalError::NotExact(Prim::Mul), Constant::Int(0)) = (why, self.ops.zero) else { return None };
        Some("define it by cases: `mul select(a == 0 || b == 0, 0, a * b)`".to_owned())
    }

    /// What is wrong with a law at these elements.
    fn lawful(&self, law: &Statement, elements: &[Number; 3]) -> Option<Fault> {
        let sides: Result<_, EvalError> = (|| {
            let constant = |c| Exact::constant(self.scalar, c);
            let (zero, one) = (constant(self.ops.zero)?, constant(self.ops.one)?);
            let ops: Operations<Number, EvalError> =
                (&|x, y| Exact::op(self.ops.add, x, y), &|x, y| Exact::op(self.ops.mul, x, y));
            let side = |side: &Side| side.fold(elements, [&zero, &one], ops);
            Ok((side(&law.lhs)?, side(&law.rhs)?))
        })();
        if matches!(&sides, Ok((lhs, rhs)) if lhs == rhs) {
            return None;
        }
        let named = ["a", "b", "c"].iter().zip(elements).take(law.arity);
        let named: Vec<_> = named.map(|(name, x)| format!("{name} = {}", shown(*x))).collect();
        let at = named.join(", ");
        let notes = match sides {
            Ok((lhs, rhs)) => vec![
                format!("`{}`: where {at}", law.text),
                format!("the left side is {}, the right side is {}", shown(lhs), shown(rhs)),
            ],
            Err(EvalError::Overflow) => return None,
            Err(why) => vec![format!("`{}` has no value where {at}: {}", law.text, undefined(&why))],
        };
        Some((format!("does not have the law `{}`", law.name()), notes))
    }
}

/// All choices of so many of `n` elements; the rest of three is the first.
fn triples(n: usize, arity: usize) -> impl Iterator<Item = [usize; 3]> {
    let upto = move |place| if place < arity { n } else { 1 };
    (0..upto(0)).flat_map(move |a| (0..upto(1)).flat_map(move |b| (0..upto(2)).map(move |c| [a, b, c])))
}

/// The sums and products of all elements, each by its place among them: of a carrier that is gone through.
struct Tables {
    constants: [usize; 2],
    add: Vec<usize>,
    mul: Vec<usize>,
    count: usize,
}

impl Tables {
    fn of(claims: &Claims, all: &[Number]) -> Option<Tables> {
        let place = |x: Number| all.iter().position(|y| *y == x);
        let constant = |c| place(Exact::constant(claims.scalar, c).ok()?);
        let table = |op| {
            let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (*a, *b)));
            pairs.map(|(a, b)| place(Exact::op(op, a, b).ok()?)).collect::<Option<Vec<_>>>()
        };
        Some(Tables {
            constants: [constant(claims.ops.zero)?, constant(claims.ops.one)?],
            add: table(claims.ops.add)?,
            mul: table(claims.ops.mul)?,
            count: all.len(),
        })
    }

    fn hold(&self, law: &Statement, triple: &[usize; 3]) -> bool {
        let ops: Operations<usize, ()> =
            (&|x, y| Ok(self.add[x * self.count + y]), &|x, y| Ok(self.mul[x * self.count + y]));
        let side = |side: &Side| side.fold(triple, [&self.constants[0], &self.constants[1]], ops);
        side(&law.lhs) == side(&law.rhs)
    }
}

/// Elements to test on.
struct Elements {
    /// Those that are combined in every way.
    corners: Vec<Number>,
    /// Are they all that there are?
    complete: bool,
    /// Further triples.
    triples: Vec<[Number; 3]>,
}

impl Claims {
    fn elements(&self) -> Result<Elements, EvalError> {
        if let Some(all) = self.all()? {
            return Ok(Elements { corners: all, complete: true, triples: Vec::new() });
        }
        let mut corners: Vec<Number> = Vec::new();
        let mut keep = |x: Number| {
            if self.contains(x) && !corners.contains(&x) {
                corners.push(x);
            }
        };
        let mut numbers = vec![0, 1, -1, 2];
        let mut mention = |c: Constant| match c {
            Constant::Int(n) => numbers.extend([n, n.saturating_sub(1), n.saturating_add(1)]),
            Constant::PosInf | Constant::NegInf => {}
        };
        mention(self.ops.zero);
        mention(self.ops.one);
        if let Carrier::Between(least, greatest) = self.carrier {
            mention(least);
            mention(greatest);
        }
        let mut written = Vec::new();
        if let Op::Own(own) = self.ops.mul {
            mentioned(&own.formula, &mut written);
        }
        for number in &written {
            if let atl_kernel::Number::Decimal(n, 0) = number {
                mention(Constant::Int(*n));
            }
        }
        if let Some((least, greatest)) = self.scalar.range() {
            numbers.extend([least, greatest]);
        }
        for n in numbers {
            if let Ok(x) = Exact::decimal(self.scalar, n, 0) {
                keep(x);
            }
        }
        if self.scalar.is_float() {
            for number in written {
                keep(Exact::number(self.scalar, number)?);
            }
            [Number::Infinity, Number::NegInfinity].into_iter().for_each(&mut keep);
        }
        let mut draws = Draws(1);
        let mut attempts = 0;
        while corners.len() < CORNERS && attempts < DRAWN {
            attempts += 1;
            if let Some(x) = self.draw(&mut draws)
                && !corners.contains(&x)
            {
                corners.push(x);
            }
        }
        let mut pick = || match draws.below(4) {
            0 => corners.get(usize::try_from(draws.below(corners.len() as u64)).ok()?).copied(),
            _ => self.draw(&mut draws),
        };
        let triples = (0..TRIPLES).filter_map(|_| Some([pick()?, pick()?, pick()?])).collect();
        Ok(Elements { corners, complete: false, triples })
    }

    /// Every element, if there are few.
    fn all(&self) -> Result<Option<Vec<Number>>, EvalError> {
        let range = match (self.scalar, self.carrier) {
            (Scalar::Bool, _) => 0..=1,
            (scalar, Carrier::Between(Constant::Int(least), Constant::Int(greatest)))
                if !scalar.is_float() =>
            {
                least..=greatest
            }
            _ => return Ok(None),
        };
        let few = range.end().checked_sub(*range.start()).is_some_and(|n| n < FEW as i128);
        if !few {
            return Ok(None);
        }
        range.map(|n| Exact::decimal(self.scalar, n, 0)).collect::<Result<_, _>>().map(Some)
    }

    /// An element of the carrier by chance: most are small.
    fn draw(&self, draws: &mut Draws) -> Option<Number> {
        let small = draws.below(2001) as i64 - 1000;
        let (least, greatest) = match self.carrier {
            Carrier::Between(Constant::Int(a), Constant::Int(b)) => (a, b),
            Carrier::Between(Constant::Int(a), _) => (a, a.saturating_add(1000)),
            Carrier::Between(_, Constant::Int(b)) => (b.saturating_sub(1000), b),
            _ => (-1000, 1000),
        };
        let width = greatest.checked_sub(least)?;
        let drawn = if self.scalar.is_float() {
            let part = Ratio::try_new(i128::from(draws.below(65)), 64)?;
            let above = part.checked_mul(Ratio::try_new(width, 1)?)?;
            Number::Ratio(Ratio::try_new(least, 1)?.checked_add(above)?)
        } else if draws.below(2) == 0 {
            Exact::decimal(self.scalar, small.into(), 0).ok()?
        } else {
            let above = i128::from(draws.below(1 << 31)) * width / ((1 << 31) - 1);
            Exact::decimal(self.scalar, least.checked_add(above)?, 0).ok()?
        };
        self.contains(drawn).then_some(drawn)
    }
}

/// The numbers of a formula.
pub(super) fn mentioned(formula: &Formula, out: &mut Vec<atl_kernel::Number>) {
    match formula {
        Formula::Number(n) => out.push(*n),
        Formula::Apply(_, args) => args.iter().for_each(|arg| mentioned(arg, out)),
        Formula::Left | Formula::Right => {}
    }
}

/// Why an operation has no value, in the words of who wrote the formula.
fn undefined(why: &EvalError) -> String {
    match why {
        EvalError::NotExact(Prim::Mul) => "zero times an infinity is not a number".to_owned(),
        EvalError::NotExact(Prim::Add | Prim::Sub) => {
            "an infinity minus an infinity is not a number".to_owned()
        }
        why => why.to_string(),
    }
}

pub(super) fn shown(x: Number) -> String {
    match x {
        Number::Infinity => "inf".to_owned(),
        Number::NegInfinity => "-inf".to_owned(),
        Number::Ratio(r) if r.denominator() == 1 => r.numerator().to_string(),
        Number::Ratio(r) => format!("{}/{}", r.numerator(), r.denominator()),
        Number::Discrete(Value::Bool(b)) => b.to_string(),
        Number::Discrete(v) => v.to_integer().map_or_else(|| format!("{v:?}"), |n| n.to_string()),
    }
}
