//! The tables: each line defines one thing, out of things defined before.

use crate::certificate::{Certificate, End, Step};
use crate::inference::{Inference, Written};
use crate::monoids::{Field, Monoid, MonoidLine};
use crate::prelude::*;
use crate::program::Program;
use crate::words::{Words, integer, unescaped};
use std::collections::HashSet;
use std::rc::Rc;

/// What the lines of each letter define, by number.
#[derive(Default)]
pub(crate) struct Tables {
    pub(crate) store: Store,
    /// Names, as the file spells them.
    pub(crate) labels: Vec<String>,
    pub(crate) algebras: Vec<Algebra>,
    pub(crate) ixs: Vec<Ix>,
    pub(crate) preds: Vec<Pred>,
    pub(crate) written: Vec<Written>,
    pub(crate) definitions: Vec<Def>,
    pub(crate) monoids: Vec<MonoidLine>,
    /// The nodes of all monoids.
    monoid_nodes: u32,
    pub(crate) certificates: Vec<Certificate>,
    pub(crate) inferences: Vec<Inference>,
    /// Every line, with its letter and without its number.
    seen: HashSet<Box<str>>,
}

impl Tables {
    /// Read a line of a table, or of loops where these are read. `line` is its number in the file.
    pub(crate) fn define(&mut self, text: &str, line: u64, loops: Option<&mut Program>) -> Checked<()> {
        let mut words = Words::of(text);
        let first = words.next()?;
        let letter = first.chars().next().filter(char::is_ascii).ok_or("the line has too few words")?;
        let number: usize = integer(&first[1..])?;
        let rest = text.strip_prefix(first).unwrap_or_default();
        require(self.seen.insert(format!("{letter}{rest}").into()), "an earlier line says the same")?;
        let words = &mut words;
        let count = match letter {
            'b' | 'v' | 'w' | 'r' | 'h' => match loops {
                Some(loops) => loops.define(self, (letter, line), words)?,
                None => return refuse("a line of an unknown kind"),
            },
            'i' | 'p' | 'c' => self.define_between(letter, words)?,
            _ if loops.is_some() => return refuse("a line of this kind does not stand among loops"),
            'l' => push(label(words)?, &mut self.labels),
            'a' => push(Algebra::named(words.next()?).ok_or("an unknown algebra")?, &mut self.algebras),
            't' => push(self.term(words)?, &mut self.written),
            'd' => push(self.definition(words)?, &mut self.definitions),
            'm' => push(self.monoid(words, line)?, &mut self.monoids),
            's' => push(self.inference(words, line)?, &mut self.inferences),
            _ => return refuse("a line of an unknown kind"),
        };
        require(number + 1 == count, "the line's number is not the next one")?;
        words.end()
    }

    /// A line that may stand among loops too.
    fn define_between(&mut self, letter: char, words: &mut Words<'_>) -> Checked<usize> {
        Ok(match letter {
            'i' => push(self.index_term(words).and_then(|node| self.store.ix(node))?, &mut self.ixs),
            'p' => push(self.predicate(words).and_then(|node| self.store.pred(node))?, &mut self.preds),
            _ => push(self.certificate(words)?, &mut self.certificates),
        })
    }

    pub(crate) fn read_label(&self, words: &mut Words<'_>) -> Checked<usize> {
        words.reference('l', self.labels.len())
    }

    pub(crate) fn read_ix(&self, words: &mut Words<'_>) -> Checked<Ix> {
        words.reference('i', self.ixs.len()).map(|number| self.ixs[number])
    }

    /// A count, and so many index terms.
    pub(crate) fn read_ixs(&self, words: &mut Words<'_>) -> Checked<Vec<Ix>> {
        let count: u32 = words.integer()?;
        (0..count).map(|_| self.read_ix(words)).collect()
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

    fn index_term(&self, words: &mut Words<'_>) -> Checked<IxNode> {
        Ok(match words.next()? {
            "lit" => IxNode::Literal(words.integer()?),
            "free" => IxNode::Free(words.integer()?),
            "bound" => IxNode::Bound(words.integer()?),
            "read" => {
                let array = match words.next()? {
                    "free" => TermNode::Free(words.integer()?),
                    "bound" => TermNode::Bound(words.integer()?),
                    _ => return refuse("an index reads what is no variable"),
                };
                IxNode::Read(self.store.term(array)?, self.store.ixs(&self.read_ixs(words)?)?)
            }
            op => {
                let op = IxOp::named(op).ok_or("an unknown operation")?;
                IxNode::Op(op, self.read_ix(words)?, self.read_ix(words)?)
            }
        })
    }

    fn predicate(&self, words: &mut Words<'_>) -> Checked<PredNode> {
        Ok(match words.next()? {
            "true" => PredNode::True,
            "false" => PredNode::False,
            "not" => PredNode::Not(self.read_pred(words)?),
            "and" => PredNode::And(self.read_pred(words)?, self.read_pred(words)?),
            "or" => PredNode::Or(self.read_pred(words)?, self.read_pred(words)?),
            relation => {
                let relation = Relation::named(relation).ok_or("an unknown predicate")?;
                PredNode::Compare(relation, self.read_ix(words)?, self.read_ix(words)?)
            }
        })
    }

    fn term(&self, words: &mut Words<'_>) -> Checked<Written> {
        let mut parts = Vec::new();
        let term = self.store.term(self.term_node(words, &mut parts)?)?;
        Ok(Written { term, parts })
    }

    fn term_node(&self, words: &mut Words<'_>, parts: &mut Vec<usize>) -> Checked<TermNode> {
        Ok(match words.next()? {
            "free" => TermNode::Free(words.integer()?),
            "bound" => TermNode::Bound(words.integer()?),
            "lit" => TermNode::Literal(self.read_element(words)?, number(words)?),
            "index" => TermNode::Index(self.read_element(words)?, self.read_ix(words)?),
            kind @ ("gen" | "sum") => {
                self.read_label(words)?;
                let kind = Loop::named(kind).ok_or("an unknown kind of loop")?;
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
            "iterate" => {
                self.read_label(words)?;
                let (extent, count) = (self.read_ix(words)?, words.integer::<u32>()?);
                let mut states = Vec::new();
                for _ in 0..count {
                    self.read_label(words)?;
                    states.extend([self.read_part(words, parts)?, self.read_part(words, parts)?]);
                }
                TermNode::Iterate(extent, self.store.terms(&states)?, self.read_part(words, parts)?)
            }
            "get" => TermNode::Get(self.read_part(words, parts)?, self.read_ix(words)?),
            "prim" => {
                let function = match words.next()? {
                    "cast" => Function::Cast(self.read_element(words)?),
                    name => Function::named(name).ok_or("an unknown operation")?,
                };
                let operands = (0..function.operands()).map(|_| self.read_part(words, parts));
                TermNode::Prim(function, self.store.terms(&operands.collect::<Checked<Vec<_>>>()?)?)
            }
            "view" => TermNode::View(self.read_algebra(words)?, self.read_part(words, parts)?),
            "bundle" => {
                let count: u32 = words.integer()?;
                let results: Checked<Vec<Term>> = (0..count).map(|_| self.read_part(words, parts)).collect();
                TermNode::Bundle(self.store.terms(&results?)?)
            }
            "op" => {
                let definition = self.definitions[words.reference('d', self.definitions.len())?];
                let indices = self.store.ixs(&self.read_ixs(words)?)?;
                let count: u32 = words.integer()?;
                let operands: Checked<Vec<Term>> = (0..count).map(|_| self.read_part(words, parts)).collect();
                TermNode::Op(definition, indices, self.store.terms(&operands?)?)
            }
            _ => return refuse("an unknown kind of term"),
        })
    }

    fn definition(&self, words: &mut Words<'_>) -> Checked<Def> {
        let name = words.string()?.to_owned();
        let short = unescaped(&name)?.len() <= limits::NAME;
        require(short, "a definition's name is longer than the limits allow")?;
        let (indices, count): (u32, u32) = (words.integer()?, words.integer()?);
        let tensors = (0..count).map(|_| words.integer()).collect::<Checked<Vec<u32>>>()?;
        let own = u64::from(indices) + u64::from(count);
        let parameters = tensors.iter().fold(own, |sum, named| sum + u64::from(*named));
        require(parameters <= limits::PARAMETERS, "a definition has more parameters than the limits allow")?;
        let body = self.written[self.read_line(words)?].term;
        let definition = Rc::new(Definition { name, indices, tensors, body });
        self.store.definitions.add(definition, |_| Ok(())).map(Def)
    }

    fn monoid(&mut self, words: &mut Words<'_>, line: u64) -> Checked<MonoidLine> {
        let (name, count): (_, u32) = (words.string()?.to_owned(), words.integer()?);
        require(count > 0, "a monoid has no fields")?;
        let few = count <= limits::FIELDS && self.monoids.len() < limits::MONOIDS;
        require(few, "there are more monoids, or fields of one, than the limits allow")?;
        let term = |words: &mut Words<'_>| self.read_line(words).map(|line| self.written[line].term);
        let field = |words: &mut Words<'_>| {
            Ok(Field { element: self.read_element(words)?, zero: term(words)?, sum: term(words)? })
        };
        let fields = (0..count).map(|_| field(words)).collect::<Checked<Vec<Field>>>()?;
        let mut names = Vec::new();
        while !words.is_at_end() {
            names.push(words.next()?);
        }
        let laws = Laws::listed(&names).filter(|laws| laws.within(Monoid::claimable()));
        let laws = laws.ok_or("a monoid does not list laws that it may claim")?;
        let monoid = Monoid { name, fields, laws };
        self.monoid_nodes = self.monoid_nodes.saturating_add(monoid.nodes(&self.store));
        require(self.monoid_nodes <= limits::MONOID_NODES, "the monoids are larger than the limits allow")?;
        let rounding = monoid.rounding(&self.store);
        Ok(MonoidLine { monoid, rounding, line })
    }

    fn certificate(&self, words: &mut Words<'_>) -> Checked<Certificate> {
        let mut steps = Vec::new();
        let branch = |words: &mut Words<'_>| words.reference('c', self.certificates.len());
        let end = loop {
            steps.push(match words.next()? {
                "combine" => {
                    let count: u32 = words.integer()?;
                    Step::Combine((0..count).map(|_| part(words.next()?)).collect::<Checked<_>>()?)
                }
                "cut" => Step::Cut(words.integer()?, words.integer()?),
                "euclid" => Step::Euclid(self.read_ix(words)?, self.read_ix(words)?, words.integer()?),
                "min" => Step::Extremum(IxOp::Min, self.read_ix(words)?, self.read_ix(words)?),
                "max" => Step::Extremum(IxOp::Max, self.read_ix(words)?, self.read_ix(words)?),
                "instance" => Step::Instance(words.integer()?, self.read_ixs(words)?),
                "type" => Step::Type(words.integer()?, self.read_ixs(words)?),
                "absurd" => break End::Absurd(words.integer()?),
                "split" => break End::Split(words.integer()?, branch(words)?, branch(words)?),
                "case" => break End::Case(self.read_pred(words)?, branch(words)?, branch(words)?),
                _ => return refuse("an unknown step of a certificate"),
            });
        };
        Ok(Certificate { steps, end })
    }
}

/// Add to a table; the number of its lines.
pub(crate) fn push<T>(item: T, table: &mut Vec<T>) -> usize {
    table.push(item);
    table.len()
}

/// A label's name; the rest means nothing.
fn label(words: &mut Words<'_>) -> Checked<String> {
    let name = words.string()?;
    let kind = words.next()?;
    let lanes = kind.strip_prefix("vector:").is_some_and(|lanes| integer::<u32>(lanes).is_ok());
    require(lanes || KINDS.contains(&kind), "an unknown kind of loop")?;
    require(STORAGE.contains(&words.next()?), "an unknown kind of storage")?;
    Ok(name.to_owned())
}

const KINDS: [&str; 5] = ["serial", "parallel", "vector", "unroll", "search"];
const STORAGE: [&str; 4] = ["auto", "heap", "stack", "register"];

/// A number as it is written.
fn number(words: &mut Words<'_>) -> Checked<Number> {
    let word = words.next()?;
    match word.strip_prefix("dec:") {
        Some(mantissa) => Ok(Number::Decimal((integer(mantissa)?, words.integer()?))),
        None => Number::named(word).ok_or("an unknown number".into()),
    }
}

/// A coefficient and the facts that it multiplies.
fn part(word: &str) -> Checked<(i128, Vec<u32>)> {
    let mut numbers = word.split('*');
    let coefficient = integer(numbers.next().unwrap_or_default())?;
    let factors: Checked<Vec<u32>> = numbers.map(integer).collect();
    Ok((coefficient, factors?))
}
