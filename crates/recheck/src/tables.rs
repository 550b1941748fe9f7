//! The tables: each line defines one thing, out of things defined before.

use crate::algebra::{Algebra, Element, Function, Scalar};
use crate::certificate::{Certificate, End, Step};
use crate::index::{IX_OPS, Ix, IxNode, Pred, PredNode, Relation};
use crate::inference::{Inference, Written};
use crate::limits;
use crate::refusal::{Checked, refuse, require};
use crate::store::Store;
use crate::terms::{Def, Definition, Loop, Number, Term, TermNode};
use crate::words::{Words, integer};
use std::collections::HashSet;

/// What the lines of each letter define, by number.
pub(crate) struct Tables {
    pub(crate) store: Store,
    /// Names, as the file spells them.
    pub(crate) labels: Vec<String>,
    pub(crate) algebras: Vec<Algebra>,
    pub(crate) ixs: Vec<Ix>,
    pub(crate) preds: Vec<Pred>,
    pub(crate) written: Vec<Written>,
    pub(crate) definitions: Vec<Def>,
    pub(crate) certificates: Vec<Certificate>,
    pub(crate) inferences: Vec<Inference>,
    /// Every line, with its letter and without its number.
    seen: HashSet<Box<str>>,
}

impl Tables {
    pub(crate) fn new() -> Tables {
        Tables {
            store: Store::new(),
            labels: Vec::new(),
            algebras: Vec::new(),
            ixs: Vec::new(),
            preds: Vec::new(),
            written: Vec::new(),
            definitions: Vec::new(),
            certificates: Vec::new(),
            inferences: Vec::new(),
            seen: HashSet::new(),
        }
    }

    /// Read a line of a table. `line` is its number in the file.
    pub(crate) fn define(&mut self, text: &str, line: u64) -> Checked<()> {
        let mut words = Words::of(text);
        let first = words.next()?;
        let letter = first.chars().next().ok_or("the line has too few words")?;
        let count = match letter {
            'l' => self.labels.len(),
            'a' => self.algebras.len(),
            'i' => self.ixs.len(),
            'p' => self.preds.len(),
            't' => self.written.len(),
            'd' => self.definitions.len(),
            'c' => self.certificates.len(),
            's' => self.inferences.len(),
            _ => return refuse("a line of an unknown kind"),
        };
        let number: usize = integer(&first[1..])?;
        require(number == count, "the line's number is not the next one")?;
        let rest = words.rest().ok_or("the line has too few words")?;
        require(self.seen.insert(format!("{letter} {rest}").into()), "an earlier line says the same")?;
        match letter {
            'l' => self.label(&mut words)?,
            'a' => {
                let algebra = Algebra::named(words.next()?).ok_or("an unknown algebra")?;
                self.algebras.push(algebra);
            }
            'i' => {
                let ix = self.index_term(&mut words)?;
                let small = self.store.ix_measure(ix).nodes <= limits::INDEX_NODES;
                require(small, "an index term is larger than the limits allow")?;
                self.ixs.push(ix);
            }
            'p' => {
                let pred = self.predicate(&mut words)?;
                let small = self.store.pred_measure(pred).nodes <= limits::INDEX_NODES;
                require(small, "a predicate is larger than the limits allow")?;
                self.preds.push(pred);
            }
            't' => {
                let mut parts = Vec::new();
                let node = self.term_node(&mut words, &mut parts)?;
                let term = self.store.term(node)?;
                self.written.push(Written { term, parts });
            }
            'd' => {
                let definition = self.definition(&mut words)?;
                let definition = self.store.define(definition)?;
                self.definitions.push(definition);
            }
            'c' => {
                let certificate = self.certificate(&mut words)?;
                self.certificates.push(certificate);
            }
            _ => {
                let inference = self.inference(&mut words, line)?;
                self.inferences.push(inference);
            }
        }
        words.end()
    }

    fn label(&mut self, words: &mut Words<'_>) -> Checked<()> {
        let name = words.string()?;
        let kind = words.next()?;
        match kind.strip_prefix("vector:") {
            Some(lanes) => drop(integer::<u32>(lanes)?),
            None => {
                require(
                    ["serial", "parallel", "vector", "unroll"].contains(&kind),
                    "an unknown kind of loop",
                )?;
            }
        }
        require(
            ["auto", "heap", "stack", "register"].contains(&words.next()?),
            "an unknown kind of storage",
        )?;
        self.labels.push(name.to_owned());
        Ok(())
    }

    pub(crate) fn read_label(&self, words: &mut Words<'_>) -> Checked<usize> {
        words.reference('l', self.labels.len())
    }

    pub(crate) fn read_ix(&self, words: &mut Words<'_>) -> Checked<Ix> {
        words.reference('i', self.ixs.len()).map(|number| self.ixs[number])
    }

    pub(crate) fn read_pred(&self, words: &mut Words<'_>) -> Checked<Pred> {
        words.reference('p', self.preds.len()).map(|number| self.preds[number])
    }

    pub(crate) fn read_line(&self, words: &mut Words<'_>) -> Checked<usize> {
        words.reference('t', self.written.len())
    }

    /// A term, which is a part of the line.
    fn read_part(&self, words: &mut Words<'_>, parts: &mut Vec<usize>) -> Checked<Term> {
        let line = self.read_line(words)?;
        parts.push(line);
        Ok(self.written[line].term)
    }

    fn read_algebra(&self, words: &mut Words<'_>) -> Checked<Algebra> {
        words.reference('a', self.algebras.len()).map(|number| self.algebras[number])
    }

    pub(crate) fn read_element(&self, words: &mut Words<'_>) -> Checked<Element> {
        let scalar = Scalar::named(words.next()?).ok_or("an unknown scalar")?;
        let algebra = self.read_algebra(words)?;
        require(algebra.admits(scalar), "an algebra that does not admit the scalar")?;
        Ok(Element { scalar, algebra })
    }

    fn index_term(&mut self, words: &mut Words<'_>) -> Checked<Ix> {
        let node = match words.next()? {
            "lit" => IxNode::Literal(words.integer()?),
            "free" => IxNode::Free(words.integer()?),
            "bound" => IxNode::Bound(words.integer()?),
            op => {
                let op = IX_OPS.iter().find(|(name, _)| *name == op).ok_or("an unknown operation")?.1;
                IxNode::Op(op, self.read_ix(words)?, self.read_ix(words)?)
            }
        };
        self.store.ix(node)
    }

    fn predicate(&mut self, words: &mut Words<'_>) -> Checked<Pred> {
        let relation = |tables: &Self, relation, words: &mut Words<'_>| -> Checked<PredNode> {
            Ok(PredNode::Compare(relation, tables.read_ix(words)?, tables.read_ix(words)?))
        };
        let node = match words.next()? {
            "true" => PredNode::True,
            "false" => PredNode::False,
            "eq" => relation(self, Relation::Eq, words)?,
            "lt" => relation(self, Relation::Lt, words)?,
            "le" => relation(self, Relation::Le, words)?,
            "not" => PredNode::Not(self.read_pred(words)?),
            "and" => PredNode::And(self.read_pred(words)?, self.read_pred(words)?),
            "or" => PredNode::Or(self.read_pred(words)?, self.read_pred(words)?),
            _ => return refuse("an unknown predicate"),
        };
        self.store.pred(node)
    }

    fn term_node(&mut self, words: &mut Words<'_>, parts: &mut Vec<usize>) -> Checked<TermNode> {
        Ok(match words.next()? {
            "free" => TermNode::Free(words.integer()?),
            "bound" => TermNode::Bound(words.integer()?),
            "lit" => TermNode::Literal(self.read_element(words)?, number(words)?),
            "index" => TermNode::Index(self.read_element(words)?, self.read_ix(words)?),
            kind @ ("gen" | "sum") => {
                self.read_label(words)?;
                let kind = if kind == "gen" { Loop::Gen } else { Loop::Sum };
                TermNode::Loop(kind, self.read_ix(words)?, self.read_part(words, parts)?)
            }
            "guard" => TermNode::Guard(self.read_pred(words)?, self.read_part(words, parts)?),
            "select" => {
                let pred = self.read_pred(words)?;
                TermNode::Select(pred, self.read_part(words, parts)?, self.read_part(words, parts)?)
            }
            "let" => {
                self.read_label(words)?;
                TermNode::Let(self.read_part(words, parts)?, self.read_part(words, parts)?)
            }
            "get" => TermNode::Get(self.read_part(words, parts)?, self.read_ix(words)?),
            "prim" => {
                let function = match words.next()? {
                    "cast" => Function::Cast(self.read_element(words)?),
                    name => Function::named(name).ok_or("an unknown operation")?,
                };
                let mut operands = Vec::new();
                for _ in 0..function.operands() {
                    operands.push(self.read_part(words, parts)?);
                }
                TermNode::Prim(function, self.store.terms(&operands)?)
            }
            "view" => TermNode::View(self.read_algebra(words)?, self.read_part(words, parts)?),
            "op" => {
                let definition = self.definitions[words.reference('d', self.definitions.len())?];
                let (mut indices, mut operands) = (Vec::new(), Vec::new());
                for _ in 0..words.integer::<u32>()? {
                    indices.push(self.read_ix(words)?);
                }
                for _ in 0..words.integer::<u32>()? {
                    operands.push(self.read_part(words, parts)?);
                }
                TermNode::Op(definition, self.store.ixs(&indices)?, self.store.terms(&operands)?)
            }
            _ => return refuse("an unknown kind of term"),
        })
    }

    fn definition(&mut self, words: &mut Words<'_>) -> Checked<Definition> {
        let name = words.string()?.to_owned();
        let (indices, count): (u32, u32) = (words.integer()?, words.integer()?);
        let mut parameters = u64::from(indices) + u64::from(count);
        let mut tensors = Vec::new();
        for _ in 0..count {
            let named: u32 = words.integer()?;
            parameters += u64::from(named);
            tensors.push(named);
        }
        require(parameters <= limits::PARAMETERS, "a definition has more parameters than the limits allow")?;
        let body = self.written[self.read_line(words)?].term;
        Ok(Definition { name, indices, tensors, body })
    }

    fn certificate(&self, words: &mut Words<'_>) -> Checked<Certificate> {
        let mut steps = Vec::new();
        let branch = |words: &mut Words<'_>| words.reference('c', self.certificates.len());
        let end = loop {
            steps.push(match words.next()? {
                "combine" => {
                    let mut parts = Vec::new();
                    for _ in 0..words.integer::<u32>()? {
                        parts.push(part(words.next()?)?);
                    }
                    Step::Combine(parts)
                }
                "cut" => Step::Cut(words.integer()?, words.integer()?),
                "euclid" => Step::Euclid(self.read_ix(words)?, self.read_ix(words)?, words.integer()?),
                "min" => Step::Min(self.read_ix(words)?, self.read_ix(words)?),
                "max" => Step::Max(self.read_ix(words)?, self.read_ix(words)?),
                "absurd" => break End::Absurd(words.integer()?),
                "split" => break End::Split(words.integer()?, branch(words)?, branch(words)?),
                "case" => break End::Case(self.read_pred(words)?, branch(words)?, branch(words)?),
                _ => return refuse("an unknown step of a certificate"),
            });
        };
        let (mut nodes, mut path) = (0, 0);
        if let End::Split(_, left, right) | End::Case(_, left, right) = end {
            let (left, right) = (&self.certificates[left], &self.certificates[right]);
            nodes = left.nodes + right.nodes;
            path = left.path.max(right.path);
        }
        let own = steps.len() as u64 + 1;
        let (nodes, path) = (nodes + own, path + own);
        require(
            nodes <= limits::CERTIFICATE_NODES && path <= limits::CERTIFICATE_PATH,
            "a certificate is longer than the limits allow",
        )?;
        Ok(Certificate { steps, end, nodes, path })
    }
}

/// A number as it is written.
fn number(words: &mut Words<'_>) -> Checked<Number> {
    Ok(match words.next()? {
        "zero" => Number::Zero,
        "one" => Number::One,
        "inf" => Number::Infinity,
        "-inf" => Number::MinusInfinity,
        decimal => {
            let mantissa = decimal.strip_prefix("dec:").ok_or("an unknown number")?;
            Number::Decimal(integer(mantissa)?, words.integer()?)
        }
    })
}

/// A coefficient and the facts that it multiplies.
fn part(word: &str) -> Checked<(i128, Vec<u32>)> {
    let mut numbers = word.split('*');
    let coefficient = integer(numbers.next().unwrap_or_default())?;
    let factors: Checked<Vec<u32>> = numbers.map(integer).collect();
    Ok((coefficient, factors?))
}
