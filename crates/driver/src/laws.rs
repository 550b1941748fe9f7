//! Whether a program's own semirings have the laws that they claim.
//!
//! The one idea: a theorem may rest on any law that an algebra claims, so claims are compared with the operations before there
//! is a theorem. They are compared on exact numbers, which is what laws are about; where floats round, a theorem's rounding
//! class says so. A carrier of few elements is gone through; of others there are those where something may change (the bounds,
//! zero, one, the numbers of the formula and what lies beside them) and many made by chance. That can refute a claim, not prove
//! it: a program's own semiring is trusted as far as it was tested, and a proof file does not speak of it.

use atl_diag::{Diagnostic, err};
use atl_interp::{Domain, EvalError, Exact, Integral, Number, Ratio, Value};
use atl_kernel::{Laws, Scalar};
use atl_lang::Declared;
use atl_semirings::{Carrier, Constant, Formula, Op, Ops};

/// A carrier of at most so many elements is gone through.
const FEW: usize = 40;
/// So many elements are drawn beside those where something may change.
const DRAWN: usize = 12;
/// So many triples of elements are drawn anew.
const TRIPLES: usize = 4000;

type Fault = (String, Vec<String>);

/// Why a declaration is refused; none if no test refutes it.
pub(crate) fn refuted(declared: &Declared) -> Option<Diagnostic> {
    let semiring = declared.semiring;
    let scalar = *semiring.algebra.scalars.first()?;
    let test =
        Test { scalar, carrier: semiring.carrier, ops: semiring.on(scalar)?, laws: semiring.algebra.laws };
    let (message, notes) = test.fault()?;
    let refusal = err!(E0416, declared.claims, "`{}` {message}", semiring.algebra.name).label("claimed here");
    Some(notes.into_iter().fold(refusal, Diagnostic::note).help(
        "claim fewer laws, or narrow the carrier; what a schedule then needs and does not have, it says",
    ))
}

struct Test {
    scalar: Scalar,
    carrier: Carrier,
    ops: Ops,
    laws: Laws,
}

/// Numbers without order that are the same in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

impl Test {
    fn fault(&self) -> Option<Fault> {
        let elements = match self.elements() {
            Ok(elements) => elements,
            Err(why) => return Some(("cannot be tested".to_owned(), vec![why.to_string()])),
        };
        let mut seen = elements.corners.iter();
        let constants = [self.ops.zero, self.ops.one].map(|c| Exact::constant(self.scalar, c).ok());
        if let Some(k) = constants.iter().position(|c| !c.is_some_and(|c| self.contains(c))) {
            let what = ["zero", "one"][k];
            return Some((format!("has a {what} outside its carrier"), Vec::new()));
        }
        seen.find_map(|a| elements.corners.iter().find_map(|b| self.closed(*a, *b))).or_else(|| {
            let all = &elements.corners;
            let triples =
                all.iter().flat_map(|a| all.iter().flat_map(move |b| all.iter().map(move |c| [*a, *b, *c])));
            triples.chain(elements.triples.iter().copied()).find_map(|triple| self.lawful(triple))
        })
    }

    fn contains(&self, x: Number) -> bool {
        match x {
            Number::Infinity => self.carrier.contains(f64::INFINITY),
            Number::NegInfinity => self.carrier.contains(f64::NEG_INFINITY),
            Number::Discrete(value) => self.carrier.contains(value.to_f64()),
            Number::Ratio(ratio) => match self.carrier {
                Carrier::Between(least, greatest) => {
                    let order = |c: Constant| match c {
                        Constant::Int(n) => ratio.checked_cmp(Ratio::integer(n)),
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
        [("+", self.ops.add), ("*", self.ops.mul)].into_iter().find_map(|(sign, op)| {
            let found = match Exact::op(op, a, b) {
                Ok(value) if self.contains(value) => return None,
                Ok(value) => shown(value),
                Err(why) => why.to_string(),
            };
            let notes = vec![format!("{} {sign} {} is {found}", shown(a), shown(b))];
            Some(("is not closed: a result is no number of its carrier".to_owned(), notes))
        })
    }

    /// The first law that is claimed and does not hold of these.
    fn lawful(&self, [a, b, c]: [Number; 3]) -> Option<Fault> {
        let mut claimed = Laws::TABLE.iter().filter(|(_, law)| self.laws.has(*law));
        claimed.find_map(|(name, law)| {
            let (statement, sides) = self.sides(*law, [a, b, c]);
            let notes = match sides {
                Ok((lhs, rhs)) if lhs == rhs => return None,
                Ok((lhs, rhs)) => vec![
                    format!("`{statement}`: where a = {}, b = {}, c = {}", shown(a), shown(b), shown(c)),
                    format!("the left side is {}, the right side is {}", shown(lhs), shown(rhs)),
                ],
                Err(why) => {
                    vec![format!("where a = {}, b = {}, c = {}: {why}", shown(a), shown(b), shown(c))]
                }
            };
            Some((format!("does not have the law `{}`", name.to_lowercase()), notes))
        })
    }

    fn sides(
        &self,
        law: Laws,
        [a, b, c]: [Number; 3],
    ) -> (&'static str, Result<(Number, Number), EvalError>) {
        let add =
            |x: Result<Number, EvalError>, y: Result<Number, EvalError>| Exact::op(self.ops.add, x?, y?);
        let mul =
            |x: Result<Number, EvalError>, y: Result<Number, EvalError>| Exact::op(self.ops.mul, x?, y?);
        let zero = || Exact::constant(self.scalar, self.ops.zero);
        let one = || Exact::constant(self.scalar, self.ops.one);
        let (a, b, c) = (|| Ok(a), || Ok(b), || Ok(c));
        let (statement, lhs, rhs) = match law {
            Laws::ADD_0_L => ("0 + a = a", add(zero(), a()), a()),
            Laws::ADD_0_R => ("a + 0 = a", add(a(), zero()), a()),
            Laws::ADD_COMM => ("a + b = b + a", add(a(), b()), add(b(), a())),
            Laws::ADD_ASSOC => {
                ("(a + b) + c = a + (b + c)", add(add(a(), b()), c()), add(a(), add(b(), c())))
            }
            Laws::MUL_0_L => ("0 * a = 0", mul(zero(), a()), zero()),
            Laws::MUL_0_R => ("a * 0 = 0", mul(a(), zero()), zero()),
            Laws::MUL_1_L => ("1 * a = a", mul(one(), a()), a()),
            Laws::MUL_1_R => ("a * 1 = a", mul(a(), one()), a()),
            Laws::MUL_ASSOC => {
                ("(a * b) * c = a * (b * c)", mul(mul(a(), b()), c()), mul(a(), mul(b(), c())))
            }
            Laws::MUL_COMM => ("a * b = b * a", mul(a(), b()), mul(b(), a())),
            Laws::DISTR_L => {
                ("a * (b + c) = a * b + a * c", mul(a(), add(b(), c())), add(mul(a(), b()), mul(a(), c())))
            }
            Laws::DISTR_R => {
                ("(a + b) * c = a * c + b * c", mul(add(a(), b()), c()), add(mul(a(), c()), mul(b(), c())))
            }
            Laws::ADD_IDEM => ("a + a = a", add(a(), a()), a()),
            _ => ("a law of no known form", Err(EvalError::TooLarge), a()),
        };
        (statement, lhs.and_then(|lhs| Ok((lhs, rhs?))))
    }
}

/// Elements to test on.
struct Elements {
    /// Those of which every triple is tested.
    corners: Vec<Number>,
    /// Further triples.
    triples: Vec<[Number; 3]>,
}

impl Test {
    fn elements(&self) -> Result<Elements, EvalError> {
        if let Some(all) = self.all()? {
            return Ok(Elements { corners: all, triples: Vec::new() });
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
        match self.scalar {
            Scalar::I32 => numbers.extend([i64::from(i32::MIN), i64::from(i32::MAX)]),
            Scalar::I64 => numbers.extend([i64::MIN, i64::MAX]),
            _ => {}
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
        while corners.len() < FEW && attempts < DRAWN {
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
        Ok(Elements { corners, triples })
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
        let few = range.end().checked_sub(*range.start()).is_some_and(|n| n < FEW as i64);
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
        let width = i128::from(greatest) - i128::from(least);
        let drawn = if self.scalar.is_float() {
            let part = Ratio::try_new(i128::from(draws.below(65)), 64)?;
            let above = part.checked_mul(Ratio::try_new(width, 1)?)?;
            Number::Ratio(Ratio::integer(least).checked_add(above)?)
        } else if draws.below(2) == 0 {
            Exact::decimal(self.scalar, small, 0).ok()?
        } else {
            let above = i128::from(draws.below(1 << 31)) * width / ((1 << 31) - 1);
            Exact::decimal(self.scalar, i64::try_from(i128::from(least) + above).ok()?, 0).ok()?
        };
        self.contains(drawn).then_some(drawn)
    }
}

/// The numbers of a formula.
fn mentioned(formula: &Formula, out: &mut Vec<atl_kernel::Number>) {
    match formula {
        Formula::Number(n) => out.push(*n),
        Formula::Apply(_, args) => args.iter().for_each(|arg| mentioned(arg, out)),
        Formula::Left | Formula::Right => {}
    }
}

fn shown(x: Number) -> String {
    match x {
        Number::Infinity => "inf".to_owned(),
        Number::NegInfinity => "-inf".to_owned(),
        Number::Ratio(r) if r.denominator() == 1 => r.numerator().to_string(),
        Number::Ratio(r) => format!("{}/{}", r.numerator(), r.denominator()),
        Number::Discrete(Value::Bool(b)) => b.to_string(),
        Number::Discrete(v) => v.to_integer().map_or_else(|| format!("{v:?}"), |n| n.to_string()),
    }
}
