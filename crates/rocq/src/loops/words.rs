//! The loop program's own words: its index terms and predicates as the kernel's, and how its statements are
//! nested.

use crate::error::{Refusal, Result};
use crate::raw;
use atl_kernel::{Cmp, Ix, IxOp, Pred, Var};
use atl_loops::{Bool, CmpOp, Int, IntOp, Name, Stmt};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The loops are not those of the term, as far as the export knows.
pub(crate) fn mismatch<T>(what: &str) -> Result<T> {
    Err(Refusal::Loops(what.to_owned()))
}

/// The statements of a sequence, or the one.
pub(crate) fn list(stmt: &Stmt) -> &[Stmt] {
    match stmt {
        Stmt::Seq(stmts) => stmts,
        stmt => std::slice::from_ref(stmt),
    }
}

/// The condition of the first statement, if it has one.
pub(crate) fn condition(stmts: &[Stmt]) -> Option<&Bool> {
    match stmts {
        [Stmt::If { cond, .. }, ..] => Some(cond),
        _ => None,
    }
}

/// A part of the program: as a term of Rocq, and as a word of `Words.v`.
#[derive(Clone)]
pub(crate) struct Text {
    pub(crate) plain: String,
    pub(crate) deep: String,
}

impl Text {
    /// Under a constructor each.
    pub(crate) fn under(&self, plain: &str, deep: &str) -> Text {
        Text { plain: format!("({plain} {})", self.plain), deep: format!("({deep} {})", self.deep) }
    }

    /// The body of a loop with these bounds, whose variable has this name.
    pub(crate) fn looped(&self, (lo, hi): (&Text, &Text), name: &str) -> Text {
        Text {
            plain: format!("(For {} {} (fun {name} =>\n  {}))", lo.plain, hi.plain, self.plain),
            deep: format!("(LFor {} {} {})", lo.deep, hi.deep, self.deep),
        }
    }

    /// Words that wait for one more at their end, around that.
    pub(crate) fn around(&self, last: &Text) -> Text {
        Text {
            plain: format!("({} {})", self.plain, last.plain),
            deep: format!("({} {})", self.deep, last.deep),
        }
    }
}

/// Statements as one.
pub(crate) fn nested(texts: &[Text]) -> Text {
    match texts.split_first() {
        None => Text { plain: "Skip".to_owned(), deep: "LSkip".to_owned() },
        Some((one, [])) => one.clone(),
        Some((first, rest)) => {
            let rest = nested(rest);
            Text {
                plain: format!("(Seq {} {})", first.plain, rest.plain),
                deep: format!("(LSeq {} {})", first.deep, rest.deep),
            }
        }
    }
}

/// Is the buffer allocated for what stands inside, where its lifetimes begin?
pub(crate) fn is_hoisted(stmt: &Stmt) -> bool {
    let Stmt::Alloc { buf, body, .. } = stmt else { return false };
    let mut found = false;
    body.for_each(&mut |inner| found |= matches!(inner, Stmt::Reset { buf: reset, .. } if reset == buf));
    found
}

/// What names of the loops stand for, by level.
#[derive(Default)]
pub(crate) struct Names {
    /// Sizes and loop variables.
    pub(crate) vars: BTreeMap<Name, u32>,
    /// Arrays of integers in one dimension, which index terms may read.
    pub(crate) arrays: BTreeMap<Name, u32>,
}

/// The operation on index terms of the kernel that one of the loops is.
pub fn operation(op: IntOp) -> IxOp {
    match op {
        IntOp::Add => IxOp::Add,
        IntOp::Sub => IxOp::Sub,
        IntOp::Mul => IxOp::Mul,
        IntOp::Div => IxOp::Div,
        IntOp::Mod => IxOp::Mod,
        IntOp::Min => IxOp::Min,
        IntOp::Max => IxOp::Max,
    }
}

/// An index term of the loops.
pub(crate) fn ix(names: &Names, int: &Int) -> Result<Ix> {
    Ok(match int {
        Int::Lit(n) => Ix::Lit(*n),
        Int::Var(name) => match names.vars.get(name) {
            Some(level) => Ix::free(*level),
            None => return mismatch("an index that is no variable of the term"),
        },
        Int::Bin(op, a, b) => raw::bin(operation(*op), ix(names, a)?, ix(names, b)?),
        Int::Load(buf, cell) => match names.arrays.get(buf) {
            Some(level) => Ix::Read(Var::Free(*level), Arc::from([ix(names, cell)?])),
            None => return mismatch("an index that reads what is no list of integers among the arguments"),
        },
    })
}

/// A predicate of the loops.
pub(crate) fn pred(names: &Names, p: &Bool) -> Result<Pred> {
    let not = |p: Pred| Pred::Not(Arc::new(p));
    Ok(match p {
        Bool::Lit(true) => Pred::True,
        Bool::Lit(false) => Pred::False,
        Bool::Cmp(op, a, b) => {
            let (a, b) = (ix(names, a)?, ix(names, b)?);
            match op {
                CmpOp::Eq => Pred::Cmp(Cmp::Eq, a, b),
                CmpOp::Ne => not(Pred::Cmp(Cmp::Eq, a, b)),
                CmpOp::Lt => Pred::Cmp(Cmp::Lt, a, b),
                CmpOp::Le => Pred::Cmp(Cmp::Le, a, b),
            }
        }
        Bool::And(p, q) => raw::and(pred(names, p)?, pred(names, q)?),
        Bool::Or(p, q) => Pred::Or(Arc::new((pred(names, p)?, pred(names, q)?))),
        Bool::Not(p) => not(pred(names, p)?),
    })
}
