//! The steps by which loops are seen to compute a term, as data: Rocq's text of them is [`Display`], and a
//! proof file has them in words of its own.

use crate::deep::BY_LEVEL;
use atl_kernel::{Cert, Ix, Pred};
use atl_loops::Name;
use std::fmt::{self, Display, Formatter};

/// A constructor of `Fills.v` or of `Readings.v`, with what it has, in its order.
#[derive(Clone, Debug)]
pub struct Step {
    /// The constructor.
    pub name: &'static str,
    /// What it has.
    pub args: Vec<Arg>,
}

/// What a step has.
#[derive(Clone, Debug)]
pub enum Arg {
    /// How many iterations or statements.
    Number(i64),
    /// An algebra, by its number.
    Ring(usize),
    /// Extents, in Rocq's words.
    Shape(String),
    /// Why something holds that the step asks for.
    Evidence(Evidence),
    /// Why all of these hold.
    Row(Vec<Evidence>),
    /// Rows, of several index terms or conditions.
    Rows(Vec<Vec<Evidence>>),
    /// A word of the format, for what Rocq's library does not know.
    Word(&'static str),
    /// A buffer.
    Buffer(Name),
    /// An index term, in which loops around are bound.
    Ix(Ix),
    /// A predicate, the same.
    Pred(Pred),
    /// A step inside.
    Step(Box<Step>),
    /// Steps inside, one after the other.
    Steps(Vec<Step>),
}

/// Why a condition holds: `evidence` of `Goals.v`.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// Whatever its variables are.
    Plainly,
    /// It is the fact of this number, the newest is 0.
    Given(usize),
    /// Both of its parts hold.
    Twice(Box<Evidence>, Box<Evidence>),
    /// Its sides are equal where quotients are merged.
    Merging,
    /// A certificate, which is written once.
    By {
        /// Its number.
        number: usize,
        /// The certificate, for the facts of the whole context; none, if the condition says what a fact says.
        certificate: Option<Cert>,
    },
}

impl Evidence {
    /// The certificate, if it needs one.
    pub fn certificate(&self) -> Option<&Cert> {
        match self {
            Evidence::By { certificate, .. } => certificate.as_ref(),
            _ => None,
        }
    }
}

impl From<Evidence> for Arg {
    fn from(evidence: Evidence) -> Arg {
        Arg::Evidence(evidence)
    }
}

impl From<Vec<Evidence>> for Arg {
    fn from(row: Vec<Evidence>) -> Arg {
        Arg::Row(row)
    }
}

impl From<Step> for Arg {
    fn from(step: Step) -> Arg {
        Arg::Step(Box::new(step))
    }
}

impl From<usize> for Arg {
    fn from(count: usize) -> Arg {
        Arg::Number(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<i64> for Arg {
    fn from(number: i64) -> Arg {
        Arg::Number(number)
    }
}

/// A constructor with what it has.
macro_rules! step {
    ($name:expr $(, $arg:expr)* $(,)?) => {
        $crate::loops::step::Step { name: $name, args: vec![$($crate::loops::step::Arg::from($arg)),*] }
    };
}
pub(super) use step;

/// A list of Rocq.
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (k, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if k == 0 { "" } else { "; " })?;
        }
        f.write_str("]")
    }
}

impl Step {
    /// The constructor in Rocq, where a layer has the name already, and replaced cells have one of their own.
    fn constructor(&self) -> &'static str {
        match (self.name, self.args.get(2)) {
            ("Kept", _) => "Stays",
            ("Stored", Some(Arg::Row(_))) => "Replaced",
            (name, _) => name,
        }
    }

    /// An iteration: its states, the loop's bounds, what a round makes, and what comes after.
    fn rounds(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut args = self.args.iter();
        let mut next = || args.next().map_or(String::new(), |arg| arg.to_string());
        let mut rows = Vec::new();
        let count = loop {
            let text = next();
            match text.parse::<usize>() {
                Ok(count) => break count,
                Err(_) => rows.push(text),
            }
        };
        f.write_str("(Iterated ")?;
        for row in rows.iter().take(count) {
            let [ring, shape, how, buffer, held, changed, own, step] = std::array::from_fn(|_| next());
            write!(f, "(Begins {} {ring} \"{buffer}\" {shape} {row} ", how == "filled")?;
            write!(f, "{held} {changed} {own} {step} ")?;
        }
        let _loops = next();
        let [reads, from, more, end] = std::array::from_fn(|_| next());
        write!(f, "Begun{} {reads} {from} {more} {end} ", ")".repeat(count))?;
        let made = next().parse::<usize>().unwrap_or_default();
        for _ in 0..made {
            let [_replaced, state, own, step] = std::array::from_fn(|_| next());
            write!(f, "(Makes {state} {own} {step} ")?;
        }
        write!(f, "Made{} {})", ")".repeat(made), next())
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.name == "Iterated" {
            return self.rounds(f);
        }
        if self.args.is_empty() {
            return f.write_str(self.constructor());
        }
        write!(f, "({}", self.constructor())?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))?;
        f.write_str(")")
    }
}

impl Display for Arg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Arg::Number(n) => write!(f, "{n}"),
            Arg::Ring(n) => write!(f, "{n}"),
            Arg::Shape(text) => f.write_str(text),
            Arg::Word(word) => f.write_str(word),
            Arg::Buffer(name) => write!(f, "{name}"),
            Arg::Ix(ix) => f.write_str(&BY_LEVEL.ix(ix)),
            Arg::Pred(p) => f.write_str(&BY_LEVEL.pred(p)),
            Arg::Evidence(evidence) => write!(f, "{evidence}"),
            Arg::Row(row) => write!(f, "{}", List(row)),
            Arg::Rows(rows) => {
                write!(f, "{}", List(&rows.iter().map(|row| List(row)).collect::<Vec<_>>()))
            }
            Arg::Step(step) => write!(f, "{step}"),
            Arg::Steps(steps) => write!(f, "{}", List(steps)),
        }
    }
}

impl Display for Evidence {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::Plainly => f.write_str("Plainly"),
            Evidence::Given(k) => write!(f, "(Given {k})"),
            Evidence::Twice(a, b) => write!(f, "(Twice {a} {b})"),
            Evidence::Merging => f.write_str("Merging"),
            // No name of the program has such a mark.
            Evidence::By { number, .. } => write!(f, "by'{number}"),
        }
    }
}
