//! The lines of the tables: each makes one value out of earlier ones, and is measured.

use crate::file::{CertEnd, CertLine, Step, Tables};
use crate::measure::{IxSize, Size};
use crate::words::{Read, Words, number, reference};
use crate::{limits, names};
use atl_kernel::cert::Derive;
use atl_kernel::{
    Algebra, AlgebraRef, Child, Cmp, Definition, Elem, Expr, Ix, IxOp, Label, LoopKind, Node, Number, Pred,
    Prim, Rule, Scalar, Storage, Var,
};
use std::sync::Arc;

/// What was read so far.
#[derive(Default)]
pub(super) struct Reader {
    labels: Vec<Label>,
    algebras: Vec<&'static Algebra>,
    ixs: Vec<(Ix, IxSize)>,
    preds: Vec<(Pred, IxSize)>,
    /// How deep each inference nests, and how many it is as a tree.
    inferences: Vec<(u32, u64)>,
    pub(super) tables: Tables,
}

fn unknown<T>(what: &str, word: &str) -> Read<T> {
    Err(format!("there is no {what} `{word}`"))
}

fn too_large(what: &str) -> String {
    format!("this exceeds the limit on {what}")
}

impl Reader {
    /// How many lines of this letter there are.
    pub(super) fn known(&self, letter: char) -> usize {
        match letter {
            'l' => self.labels.len(),
            'a' => self.algebras.len(),
            'i' => self.ixs.len(),
            'p' => self.preds.len(),
            't' => self.tables.terms.len(),
            'd' => self.tables.definitions.len(),
            'c' => self.tables.certs.len(),
            's' => self.tables.steps.len(),
            _ => 0,
        }
    }

    /// The next line of this letter.
    pub(super) fn line(&mut self, letter: char, words: &mut Words<'_>) -> Read<()> {
        match letter {
            'l' => self.label_line(words)?,
            'a' => {
                let name = words.word()?;
                let found = atl_semirings::by_name(name).map_or_else(|| unknown("algebra", name), Ok)?;
                self.algebras.push(found.algebra);
            }
            'i' => self.ix_line(words)?,
            'p' => self.pred_line(words)?,
            't' => self.term_line(words)?,
            'd' => self.definition_line(words)?,
            'c' => self.cert_line(words)?,
            's' => self.step_line(words)?,
            _ => return unknown("table", &letter.to_string()),
        }
        words.end()
    }

    pub(super) fn label(&self, words: &mut Words<'_>) -> Read<Label> {
        Ok(self.labels[words.reference('l', self.labels.len())? as usize].clone())
    }

    pub(super) fn elem(&self, words: &mut Words<'_>) -> Read<Elem> {
        let name = words.word()?;
        let scalar = Scalar::parse(name).map_or_else(|| unknown("scalar", name), Ok)?;
        let algebra = self.algebra(words)?;
        let admitted = scalar == Scalar::Bool || atl_semirings::of(algebra).is_some_and(|s| s.admits(scalar));
        if admitted {
            Ok(Elem { scalar, algebra })
        } else {
            Err(format!("`{}` is no algebra of `{scalar}`", algebra.name))
        }
    }

    fn algebra(&self, words: &mut Words<'_>) -> Read<&'static Algebra> {
        Ok(self.algebras[words.reference('a', self.algebras.len())? as usize])
    }

    fn ix(&self, words: &mut Words<'_>) -> Read<(Ix, IxSize)> {
        Ok(self.ixs[words.reference('i', self.ixs.len())? as usize].clone())
    }

    pub(super) fn ix_named(&self, word: &str) -> Read<Ix> {
        Ok(self.ixs[reference(word, 'i', self.ixs.len())? as usize].0.clone())
    }

    pub(super) fn pred(&self, words: &mut Words<'_>) -> Read<(Pred, IxSize)> {
        Ok(self.preds[words.reference('p', self.preds.len())? as usize].clone())
    }

    /// The number of a term.
    pub(super) fn term(&self, words: &mut Words<'_>) -> Read<u32> {
        words.reference('t', self.tables.terms.len())
    }

    fn expr(&self, words: &mut Words<'_>) -> Read<(Expr, Size)> {
        let t = self.term(words)? as usize;
        Ok((self.tables.terms[t].clone(), self.tables.sizes[t]))
    }

    fn label_line(&mut self, words: &mut Words<'_>) -> Read<()> {
        let name = words.string()?;
        let kind = match words.word()? {
            "serial" => LoopKind::Serial,
            "parallel" => LoopKind::Parallel,
            "vector" => LoopKind::Vector(None),
            "unroll" => LoopKind::Unroll,
            other => match other.strip_prefix("vector:") {
                Some(lanes) => LoopKind::Vector(Some(number(lanes)?)),
                None => return unknown("kind of loop", other),
            },
        };
        let storage = match words.word()? {
            "auto" => Storage::Auto,
            "heap" => Storage::Heap,
            "stack" => Storage::Stack,
            "register" => Storage::Register,
            other => return unknown("storage", other),
        };
        self.labels.push(Label { name: name.into(), kind, storage });
        Ok(())
    }

    fn ix_line(&mut self, words: &mut Words<'_>) -> Read<()> {
        let mut parts = Vec::new();
        let ix = match words.word()? {
            "lit" => Ix::Lit(words.number()?),
            "free" => Ix::Var(Var::Free(words.number()?)),
            "bound" => Ix::Var(Var::Bound(words.number()?)),
            name => {
                let op = IX_OPS.iter().find(|(n, _)| *n == name);
                let op = op.map_or_else(|| unknown("operation", name), |(_, op)| Ok(*op))?;
                let ((a, x), (b, y)) = (self.ix(words)?, self.ix(words)?);
                parts.extend([x, y]);
                Ix::Bin(op, Arc::new((a, b)))
            }
        };
        let size = IxSize::of_ix(&ix, &parts).map_err(too_large)?;
        self.ixs.push((ix, size));
        Ok(())
    }

    fn pred_line(&mut self, words: &mut Words<'_>) -> Read<()> {
        let mut parts = Vec::new();
        let p = match words.word()? {
            "true" => Pred::True,
            "false" => Pred::False,
            "not" => {
                let (p, size) = self.pred(words)?;
                parts.push(size);
                Pred::Not(Arc::new(p))
            }
            name @ ("and" | "or") => {
                let ((p, x), (q, y)) = (self.pred(words)?, self.pred(words)?);
                parts.extend([x, y]);
                let both = Arc::new((p, q));
                if name == "and" { Pred::And(both) } else { Pred::Or(both) }
            }
            name => {
                let cmp = CMPS.iter().find(|(n, _)| *n == name);
                let cmp = cmp.map_or_else(|| unknown("comparison", name), |(_, cmp)| Ok(*cmp))?;
                let ((a, x), (b, y)) = (self.ix(words)?, self.ix(words)?);
                parts.extend([x, y]);
                Pred::Cmp(cmp, a, b)
            }
        };
        let size = IxSize::of_pred(&parts).map_err(too_large)?;
        self.preds.push((p, size));
        Ok(())
    }

    fn term_line(&mut self, words: &mut Words<'_>) -> Read<()> {
        let (mut ixs, mut below) = (Vec::new(), Vec::new());
        let mut ix = |words: &mut Words<'_>| {
            self.ix(words).map(|(ix, size)| {
                ixs.push(size);
                ix
            })
        };
        let mut expr = |words: &mut Words<'_>| {
            self.expr(words).map(|(e, size)| {
                below.push(size);
                e
            })
        };
        let mut unfolded = None;
        let node = match words.word()? {
            "free" => Node::Var(Var::Free(words.number()?)),
            "bound" => Node::Var(Var::Bound(words.number()?)),
            "lit" => Node::Lit(self.elem(words)?, literal(words)?),
            "index" => Node::Index(self.elem(words)?, ix(words)?),
            "gen" => Node::Gen(self.label(words)?, ix(words)?, expr(words)?),
            "sum" => Node::Sum(self.label(words)?, ix(words)?, expr(words)?),
            "guard" => {
                let (p, size) = self.pred(words)?;
                ixs.push(size);
                Node::Guard(p, expr(words)?)
            }
            "select" => {
                let (p, size) = self.pred(words)?;
                ixs.push(size);
                Node::Select(p, expr(words)?, expr(words)?)
            }
            "let" => Node::Let(self.label(words)?, expr(words)?, expr(words)?),
            "get" => {
                let array = expr(words)?;
                Node::Get(array, ix(words)?)
            }
            "prim" => {
                let name = words.word()?;
                let prim = match PRIMS.iter().find(|(n, _)| *n == name) {
                    Some((_, prim)) => *prim,
                    None if name == "cast" => Prim::Cast(self.elem(words)?),
                    None => return unknown("operation", name),
                };
                let args = (0..prim.arity()).map(|_| expr(words)).collect::<Read<Vec<_>>>()?;
                Node::Prim(prim, args)
            }
            "view" => Node::View(AlgebraRef(self.algebra(words)?), expr(words)?),
            "op" => {
                let d = words.reference('d', self.tables.definitions.len())? as usize;
                unfolded = Some(self.tables.definition_sizes[d]);
                let count = words.number::<u32>()?;
                let indices = (0..count).map(|_| ix(words)).collect::<Read<Vec<_>>>()?;
                let count = words.number::<u32>()?;
                let args = (0..count).map(|_| expr(words)).collect::<Read<Vec<_>>>()?;
                Node::Op(self.tables.definitions[d].clone(), indices, args)
            }
            other => return unknown("term", other),
        };
        below.extend(unfolded);
        let size = Size::of_node(&ixs, &below).map_err(too_large)?;
        self.tables.terms.push(Arc::new(node));
        self.tables.sizes.push(size);
        Ok(())
    }

    fn definition_line(&mut self, words: &mut Words<'_>) -> Read<()> {
        let name = words.string()?;
        let name = names::keep(&name).ok_or_else(|| too_large("names of definitions"))?;
        let index_params = words.number::<u32>()?;
        let count = words.number::<u32>()?;
        let tensor_params = (0..count).map(|_| words.number::<u32>()).collect::<Read<Vec<_>>>()?;
        let extents: u64 = tensor_params.iter().map(|n| u64::from(*n) + 1).sum();
        if u64::from(index_params) + extents > limits::PARAMETERS {
            return Err(too_large("parameters of a definition"));
        }
        let (body, size) = self.expr(words)?;
        self.tables.definitions.push(Arc::new(Definition { name, index_params, tensor_params, body }));
        self.tables.definition_sizes.push(size);
        Ok(())
    }

    fn cert_line(&mut self, words: &mut Words<'_>) -> Read<()> {
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

    fn step_line(&mut self, words: &mut Words<'_>) -> Read<()> {
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

/// The operations on index terms, by name.
pub(crate) const IX_OPS: [(&str, IxOp); 7] = [
    ("add", IxOp::Add),
    ("sub", IxOp::Sub),
    ("mul", IxOp::Mul),
    ("div", IxOp::Div),
    ("mod", IxOp::Mod),
    ("min", IxOp::Min),
    ("max", IxOp::Max),
];

/// The comparisons, by name.
pub(crate) const CMPS: [(&str, Cmp); 3] = [("eq", Cmp::Eq), ("lt", Cmp::Lt), ("le", Cmp::Le)];

/// The pointwise operations but conversion, by name.
pub(crate) const PRIMS: [(&str, Prim); 19] = [
    ("add", Prim::Add),
    ("mul", Prim::Mul),
    ("sub", Prim::Sub),
    ("div", Prim::Div),
    ("neg", Prim::Neg),
    ("abs", Prim::Abs),
    ("min", Prim::Min),
    ("max", Prim::Max),
    ("exp", Prim::Exp),
    ("log", Prim::Log),
    ("sqrt", Prim::Sqrt),
    ("floor", Prim::Floor),
    ("eq", Prim::Eq),
    ("lt", Prim::Lt),
    ("le", Prim::Le),
    ("and", Prim::And),
    ("or", Prim::Or),
    ("not", Prim::Not),
    ("where", Prim::Where),
];

/// The rules without arguments.
const PLAIN_RULES: [Rule; 40] = [
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
    Rule::SumSwap,
    Rule::SumAdd,
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
    Rule::ViewSame,
    Rule::ViewView,
    Rule::ViewGen,
];

fn literal(words: &mut Words<'_>) -> Read<Number> {
    Ok(match words.word()? {
        "zero" => Number::Zero,
        "one" => Number::One,
        "inf" => Number::Infinity,
        "-inf" => Number::NegInfinity,
        word => match word.strip_prefix("dec:") {
            Some(mantissa) => Number::Decimal(number(mantissa)?, words.number()?),
            None => return unknown("literal", word),
        },
    })
}

fn place(word: &str) -> Read<Child> {
    Ok(match word {
        "body" => Child::Body,
        "bound" => Child::Bound,
        "then" => Child::Then,
        "else" => Child::Else,
        _ => match word.strip_prefix("arg:") {
            Some(k) => Child::Arg(number(k)?),
            None => return unknown("place", word),
        },
    })
}

/// The number of a fact or of a disjunction.
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
        known.extend(["gen_eta", "sum_split", "sum_tile", "arith_eq", "absurd"]);
        known.sort();
        let mut all: Vec<&str> = Rule::TABLE.iter().map(|info| info.name).collect();
        all.sort();
        assert_eq!(known, all);
    }
}
