//! The lines of terms and of what terms are made of: each makes one value out of earlier ones, and is measured.
//! `monoids` and `inferences` have the other lines.

use crate::file::Tables;
use crate::measure::{IxSize, Size};
use crate::words::{Read, Words, number, reference};
use crate::{limits, names};
use atl_kernel::{
    Algebra, AlgebraRef, Cmp, Definition, Elem, Expr, Function, Iterate, Ix, IxOp, Label, LoopKind, Node,
    Number, Pred, Prim, Scalar, State, Storage, Var,
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
    pub(super) inferences: Vec<(u32, u64)>,
    /// The nodes of all monoids.
    pub(super) monoid_nodes: u64,
    pub(super) tables: Tables,
}

pub(super) fn unknown<T>(what: &str, word: &str) -> Read<T> {
    Err(format!("there is no {what} `{word}`"))
}

pub(super) fn too_large(what: &str) -> String {
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
            'm' => self.tables.monoids.len(),
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
            'm' => self.monoid_line(words)?,
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

    pub(super) fn algebra(&self, words: &mut Words<'_>) -> Read<&'static Algebra> {
        Ok(self.algebras[words.reference('a', self.algebras.len())? as usize])
    }

    pub(super) fn ix(&self, words: &mut Words<'_>) -> Read<(Ix, IxSize)> {
        Ok(self.ixs[words.reference('i', self.ixs.len())? as usize].clone())
    }

    pub(super) fn ix_named(&self, word: &str) -> Read<(Ix, IxSize)> {
        Ok(self.ixs[reference(word, 'i', self.ixs.len())? as usize].clone())
    }

    pub(super) fn pred(&self, words: &mut Words<'_>) -> Read<(Pred, IxSize)> {
        Ok(self.preds[words.reference('p', self.preds.len())? as usize].clone())
    }

    /// The number of a term.
    pub(super) fn term(&self, words: &mut Words<'_>) -> Read<u32> {
        words.reference('t', self.tables.terms.len())
    }

    pub(super) fn expr(&self, words: &mut Words<'_>) -> Read<(Expr, Size)> {
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
            "search" => LoopKind::Search,
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
        self.labels.push(Label { name: name.into(), kind, storage, tag: 0 });
        Ok(())
    }

    fn ix_line(&mut self, words: &mut Words<'_>) -> Read<()> {
        let mut parts = Vec::new();
        let ix = match words.word()? {
            "lit" => Ix::Lit(words.number()?),
            "free" => Ix::Var(Var::Free(words.number()?)),
            "bound" => Ix::Var(Var::Bound(words.number()?)),
            "read" => {
                let array = match words.word()? {
                    "free" => Var::Free(words.number()?),
                    "bound" => Var::Bound(words.number()?),
                    other => return unknown("variable", other),
                };
                let count = words.number::<u32>()?;
                let indices = (0..count).map(|_| self.ix(words)).collect::<Read<Vec<_>>>()?;
                let (at, sizes): (Vec<_>, Vec<_>) = indices.into_iter().unzip();
                parts.extend(sizes);
                Ix::Read(array, at.into())
            }
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
            "iterate" => {
                let (label, extent) = (self.label(words)?, ix(words)?);
                let count = words.number::<u32>()?;
                let mut states = Vec::new();
                for _ in 0..count {
                    let label = self.label(words)?;
                    states.push(State { label, init: expr(words)?, step: expr(words)? });
                }
                Node::Iterate(Arc::new(Iterate { label, extent, states, body: expr(words)? }))
            }
            "get" => {
                let array = expr(words)?;
                Node::Get(array, ix(words)?)
            }
            "prim" => {
                let name = words.word()?;
                let prim = match PRIMS.iter().find(|(n, _)| *n == name) {
                    Some((_, prim)) => *prim,
                    None if name == "cast" => Prim::Cast(self.elem(words)?),
                    None => match Function::ALL.iter().find(|f| f.name() == name) {
                        Some(function) => Prim::Call(*function),
                        None => return unknown("operation", name),
                    },
                };
                let args = (0..prim.arity()).map(|_| expr(words)).collect::<Read<Vec<_>>>()?;
                Node::Prim(prim, args)
            }
            "view" => Node::View(AlgebraRef(self.algebra(words)?), expr(words)?),
            "bundle" => {
                let count = words.number::<u32>()?;
                let parts = (0..count).map(|_| expr(words)).collect::<Read<Vec<_>>>()?;
                Node::Bundle(parts.iter().map(|_| Label::default()).collect(), parts)
            }
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

/// The pointwise operations but conversion and functions, by name.
pub(crate) const PRIMS: [(&str, Prim); 26] = [
    ("add", Prim::Add),
    ("mul", Prim::Mul),
    ("sub", Prim::Sub),
    ("div", Prim::Div),
    ("neg", Prim::Neg),
    ("abs", Prim::Abs),
    ("min", Prim::Min),
    ("max", Prim::Max),
    ("rem", Prim::Rem),
    ("bit_and", Prim::BitAnd),
    ("bit_or", Prim::BitOr),
    ("bit_xor", Prim::BitXor),
    ("bit_not", Prim::BitNot),
    ("shl", Prim::Shl),
    ("shr", Prim::Shr),
    ("mulhi", Prim::MulHi),
    ("popcount", Prim::Popcount),
    ("clz", Prim::Clz),
    ("ctz", Prim::Ctz),
    ("eq", Prim::Eq),
    ("lt", Prim::Lt),
    ("le", Prim::Le),
    ("and", Prim::And),
    ("or", Prim::Or),
    ("not", Prim::Not),
    ("where", Prim::Where),
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
