//! The lines of certificates and of inferences.

use super::tables::{Reader, too_large, unknown};
use crate::file::{CertEnd, CertLine, Step};
use crate::limits;
use crate::words::{Read, Words, number, reference};
use atl_kernel::cert::Derive;
use atl_kernel::{Child, Rule};

impl Reader {
    pub(super) fn cert_line(&mut self, words: &mut Words<'_>) -> Read<()> {
        let mut steps = Vec::new();
        let below = |words: &mut Words<'_>| words.reference('c', self.tables.certs.len());
        let end = loop {
            let step = match words.word()? {
                "absurd" => break CertEnd::Absurd(fact(words.word()?)?),
                "split" => break CertEnd::Split(fact(words.word()?)?, below(words)?, below(words)?),
                "case" => break CertEnd::Case(self.pred(words)?.0, below(words)?, below(words)?),
                "combine" => {
                    let count = words.number::<u32>()?;
                    Derive::Combine((0..count).map(|_| part(words.word()?)).collect::<Read<Vec<_>>>()?)
                }
                "cut" => Derive::Cut(fact(words.word()?)?, words.number()?),
                "euclid" => Derive::Euclid(self.ix(words)?.0, self.ix(words)?.0, fact(words.word()?)?),
                "min" => Derive::Min(self.ix(words)?.0, self.ix(words)?.0),
                "max" => Derive::Max(self.ix(words)?.0, self.ix(words)?.0),
                "instance" => {
                    let (hypothesis, count) = (fact(words.word()?)?, words.number::<u32>()?);
                    let at = (0..count).map(|_| Ok(self.ix(words)?.0)).collect::<Read<Vec<_>>>()?;
                    Derive::Instance(hypothesis, at)
                }
                "type" => {
                    let (level, count) = (words.number::<u32>()?, words.number::<u32>()?);
                    let at = (0..count).map(|_| Ok(self.ix(words)?.0)).collect::<Read<Vec<_>>>()?;
                    Derive::Type(level, at)
                }
                other => return unknown("step of a certificate", other),
            };
            steps.push(step);
        };
        let branches = match end {
            CertEnd::Absurd(_) => vec![],
            CertEnd::Split(_, l, r) | CertEnd::Case(_, l, r) => vec![l, r],
        };
        let branches = || branches.iter().map(|c| &self.tables.certs[*c as usize]);
        let here = steps.len() as u64 + 1;
        let nodes = branches().fold(here, |sum, c| sum.saturating_add(c.nodes));
        let depth = branches().map(|c| c.depth).max().unwrap_or(0).saturating_add(here);
        if nodes > limits::CERT_NODES || depth > limits::CERT_DEPTH {
            return Err(too_large("the size of a certificate"));
        }
        self.tables.certs.push(CertLine { steps, end, nodes, depth });
        Ok(())
    }

    pub(super) fn step_line(&mut self, words: &mut Words<'_>) -> Read<()> {
        let earlier = |words: &mut Words<'_>| words.reference('s', self.tables.steps.len());
        let (step, below) = match words.word()? {
            "refl" => {
                let (l, r) = (self.term(words)?, self.term(words)?);
                (Step::Refl(l, r, self.certs(words)?), vec![])
            }
            "sym" => {
                let p = earlier(words)?;
                (Step::Sym(p), vec![p])
            }
            "trans" => {
                let (p, q) = (earlier(words)?, earlier(words)?);
                (Step::Trans(p, q), vec![p, q])
            }
            "rule" => {
                let rule = self.rule(words)?;
                let lhs = self.term(words)?;
                (Step::Rule(rule, lhs, self.certs(words)?), vec![])
            }
            "cong" => {
                let parent = self.term(words)?;
                let at = place(words.word()?)?;
                let p = earlier(words)?;
                (Step::Cong(parent, at, p, self.certs(words)?), vec![p])
            }
            "cases" => {
                let condition = self.pred(words)?.0;
                let (p, q) = (earlier(words)?, earlier(words)?);
                (Step::Cases(condition, p, q), vec![p, q])
            }
            "induction" => {
                let (e, count) = (self.term(words)?, words.number::<u32>()?);
                let state = |words: &mut Words<'_>| Ok((self.term(words)?, earlier(words)?, earlier(words)?));
                let states = (0..count).map(|_| state(words)).collect::<Read<Vec<_>>>()?;
                let below = states.iter().flat_map(|(_, base, step)| [*base, *step]).collect();
                (Step::Induction(e, states, self.certs(words)?), below)
            }
            other => return unknown("inference", other),
        };
        let below = || below.iter().map(|s| self.inferences[*s as usize]);
        let depth = below().map(|(depth, _)| depth).max().unwrap_or(0) + 1;
        let count = below().fold(1u64, |sum, (_, count)| sum.saturating_add(count));
        if depth > limits::INFERENCE_DEPTH || count > limits::INFERENCES {
            return Err(too_large("the nesting or the number of inferences"));
        }
        self.inferences.push((depth, count));
        self.tables.steps.push(step);
        Ok(())
    }

    /// The certificates to the end of the line.
    fn certs(&self, words: &mut Words<'_>) -> Read<Vec<u32>> {
        let mut certs = Vec::new();
        while let Some(word) = words.more() {
            certs.push(reference(word, 'c', self.tables.certs.len())?);
        }
        Ok(certs)
    }

    fn rule(&self, words: &mut Words<'_>) -> Read<Rule> {
        let name = words.word()?;
        Ok(match name {
            "gen_eta" => Rule::GenEta(self.label(words)?),
            "sum_split" => Rule::SumSplit(self.ix(words)?.0),
            "sum_tile" => {
                Rule::SumTile(self.label(words)?, self.ix(words)?.0, self.label(words)?, self.ix(words)?.0)
            }
            "monoid_law" => self.law(words)?,
            "arith_eq" => Rule::ArithEq(self.expr(words)?.0),
            "absurd" => Rule::Absurd(self.expr(words)?.0),
            _ => {
                return PLAIN_RULES
                    .iter()
                    .find(|rule| rule.name() == name)
                    .cloned()
                    .map_or_else(|| unknown("rule", name), Ok);
            }
        })
    }
}

/// The rules without arguments.
const PLAIN_RULES: [Rule; 51] = [
    Rule::LetInline,
    Rule::Unfold,
    Rule::AccessGen,
    Rule::AccessGuard,
    Rule::GuardTrue,
    Rule::GuardZero,
    Rule::GuardAnd,
    Rule::GuardAdd,
    Rule::GuardMulL,
    Rule::GuardMulR,
    Rule::GuardGen,
    Rule::GuardSum,
    Rule::SelectTrue,
    Rule::SelectFalse,
    Rule::GetGuard,
    Rule::GetSelect,
    Rule::GetSum,
    Rule::GetPrim,
    Rule::GetView,
    Rule::SumEmpty,
    Rule::SumOne,
    Rule::SumLast,
    Rule::SumSwap,
    Rule::SumAdd,
    Rule::SumOnes,
    Rule::GenSumSwap,
    Rule::OneHot,
    Rule::MulSumL,
    Rule::MulSumR,
    Rule::AddAssoc,
    Rule::AddComm,
    Rule::AddZeroL,
    Rule::AddZeroR,
    Rule::MulAssoc,
    Rule::MulComm,
    Rule::MulOneL,
    Rule::MulOneR,
    Rule::DistrL,
    Rule::DistrR,
    Rule::SubAsAdd,
    Rule::ViewSame,
    Rule::ViewView,
    Rule::ViewGen,
    Rule::ReadIndex,
    Rule::LiteralIndex,
    Rule::IndexAdd,
    Rule::IndexMul,
    Rule::IndexPrim,
    Rule::IterateZero,
    Rule::IterateLast,
    Rule::IterateBody,
];

fn place(word: &str) -> Read<Child> {
    Ok(match word {
        "body" => Child::Body,
        "bound" => Child::Bound,
        "then" => Child::Then,
        "else" => Child::Else,
        _ => match word.split_once(':') {
            Some(("arg", k)) => Child::Arg(number(k)?),
            Some(("init", k)) => Child::Init(number(k)?),
            Some(("step", k)) => Child::Step(number(k)?),
            _ => return unknown("place", word),
        },
    })
}

/// The number of a fact, a disjunction or a general hypothesis.
fn fact(word: &str) -> Read<usize> {
    Ok(number::<u32>(word)? as usize)
}

/// A part of a combination: a coefficient, and the facts of which it is the product's.
fn part(word: &str) -> Read<(i128, Vec<usize>)> {
    let mut parts = word.split('*');
    let coefficient = number(parts.next().unwrap_or_default())?;
    Ok((coefficient, parts.map(fact).collect::<Read<Vec<_>>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_can_be_named() {
        let mut known: Vec<&str> = PLAIN_RULES.iter().map(Rule::name).collect();
        known.extend(["gen_eta", "sum_split", "sum_tile", "monoid_law", "arith_eq", "absurd"]);
        known.sort();
        let mut all: Vec<&str> = Rule::TABLE.iter().map(|info| info.name).collect();
        all.sort();
        assert_eq!(known, all);
    }
}
