//! Index terms and conditions of the loops: their texts, with evidence that what they read is within its
//! array.
//!
//! Without reads they are integers and truth values of Rocq; where they read arrays of integers, they are
//! programs of their own.

use super::Lowering;
use super::step::Evidence;
use super::words::{Text, ix, mismatch, pred};
use crate::deep::{comparison, operation};
use crate::error::Result;
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Ix, IxOp, Pred, Var};
use atl_loops::{Bool, CmpOp, Int, IntOp, Name};

/// The kernel's operation, and Rocq's function.
fn function(op: IntOp) -> (IxOp, &'static str) {
    match op {
        IntOp::Add => (IxOp::Add, "Z.add"),
        IntOp::Sub => (IxOp::Sub, "Z.sub"),
        IntOp::Mul => (IxOp::Mul, "Z.mul"),
        IntOp::Div => (IxOp::Div, "Z.div"),
        IntOp::Mod => (IxOp::Mod, "Z.modulo"),
        IntOp::Min => (IxOp::Min, "Z.min"),
        IntOp::Max => (IxOp::Max, "Z.max"),
    }
}

/// Is an array read?
pub(super) fn asks(p: &Bool) -> bool {
    let mut found = false;
    p.for_each_read(&mut |_, _| found = true);
    found
}

/// The hypothesis that an array lies where index terms read it.
pub(super) fn lies(name: &Name) -> String {
    format!("{name}_lies")
}

impl Lowering<'_, '_> {
    /// An index term, and what its reads ask.
    pub(super) fn index(&mut self, scope: &Scope, int: &Int) -> Result<(Text, Vec<Evidence>)> {
        if !int.reads() {
            let term = ix(&self.names, int)?;
            let plain = self.export.needs.ix(scope, Side::Left, &term, &[])?;
            let deep = self.spoken(|deep| deep.ix(&term));
            return Ok((Text { plain, deep: format!("(IPlain {deep})") }, Vec::new()));
        }
        match int {
            Int::Load(buf, cell) => {
                let (text, mut asked) = self.index(scope, cell)?;
                let Ix::Read(array, at) = ix(&self.names, int)? else { return mismatch("a read") };
                let Var::Free(level) = array else { return mismatch("a read of no variable") };
                let shape = scope.tensor(Var::Free(level), Side::Left)?.1.shape.clone();
                let ([index], [extent]) = (&at[..], &shape[..]) else {
                    return mismatch("an array of several dimensions");
                };
                asked.push(self.shown(scope, &raw::in_range(index, extent))?);
                let plain = format!("(At \"{buf}\" {})", text.plain);
                Ok((
                    Text {
                        plain,
                        deep: format!("(IEntry {} {level} {})", self.leaves.buffer(buf), text.deep),
                    },
                    asked,
                ))
            }
            Int::Bin(op, a, b) => {
                let ((a, mut asked), (b, more)) = (self.index(scope, a)?, self.index(scope, b)?);
                asked.extend(more);
                let (op, f) = function(*op);
                let plain = format!("(Calc {f} {} {})", a.plain, b.plain);
                Ok((Text { plain, deep: format!("(ICalc {} {} {})", operation(op), a.deep, b.deep) }, asked))
            }
            Int::Lit(_) | Int::Var(_) => mismatch("an index"),
        }
    }

    /// An index term of the loops that gives this one, with evidence: of its reads, and of that.
    pub(super) fn given(
        &mut self,
        scope: &Scope,
        int: &Int,
        what: &Ix,
    ) -> Result<(Text, Vec<Evidence>, Evidence)> {
        let (text, asked) = self.index(scope, int)?;
        let equal = self.equal(scope, &ix(&self.names, int)?, what)?;
        Ok((text, asked, equal))
    }

    /// A condition, and what its reads ask.
    pub(super) fn test(&mut self, scope: &mut Scope, p: &Bool) -> Result<(Text, Vec<Evidence>)> {
        if !asks(p) {
            let term = pred(&self.names, p)?;
            let plain = self.export.needs.pred(scope, Side::Left, &term, &[])?;
            let deep = self.spoken(|deep| deep.pred(&term));
            return Ok((Text { plain, deep: format!("(TPlain {deep})") }, Vec::new()));
        }
        match p {
            Bool::Cmp(op, a, b) => {
                let ((a, mut asked), (b, more)) = (self.index(scope, a)?, self.index(scope, b)?);
                asked.extend(more);
                let (cmp, f) = match op {
                    CmpOp::Eq | CmpOp::Ne => (atl_kernel::Cmp::Eq, "Z.eqb"),
                    CmpOp::Lt => (atl_kernel::Cmp::Lt, "Z.ltb"),
                    CmpOp::Le => (atl_kernel::Cmp::Le, "Z.leb"),
                };
                let text = Text {
                    plain: format!("(Compare {f} {} {})", a.plain, b.plain),
                    deep: format!("(TCompare {} {} {})", comparison(cmp), a.deep, b.deep),
                };
                Ok((if *op == CmpOp::Ne { text.under("Negate", "TNot") } else { text }, asked))
            }
            Bool::Not(p) => {
                let (text, asked) = self.test(scope, p)?;
                Ok((text.under("Negate", "TNot"), asked))
            }
            Bool::And(p, q) => {
                let given = pred(&self.names, p)?;
                self.two(scope, (p, q), &given, ["Both", "TBoth"])
            }
            Bool::Or(p, q) => {
                let given = raw::not(&pred(&self.names, p)?);
                self.two(scope, (p, q), &given, ["Either", "TEither"])
            }
            Bool::Lit(_) => mismatch("a condition"),
        }
    }

    /// Two conditions, of which the second is evaluated where `given` holds.
    fn two(
        &mut self,
        scope: &mut Scope,
        (p, q): (&Bool, &Bool),
        given: &Pred,
        [plain, deep]: [&str; 2],
    ) -> Result<(Text, Vec<Evidence>)> {
        let (first, mut asked) = self.test(scope, p)?;
        let level = scope.level();
        scope.push_hyp(given);
        let second = self.test(scope, q);
        scope.truncate(level);
        let (second, more) = second?;
        asked.extend(more);
        let text = Text {
            plain: format!("({plain} {} {})", first.plain, second.plain),
            deep: format!("({deep} {} {})", first.deep, second.deep),
        };
        Ok((text, asked))
    }

    /// A condition of the loops that decides this one, with evidence: of its reads, and of that.
    pub(super) fn decided_by(
        &mut self,
        scope: &mut Scope,
        p: &Bool,
        what: &Pred,
    ) -> Result<(Text, Vec<Evidence>, Evidence)> {
        let (text, asked) = self.test(scope, p)?;
        let alike = self.alike(scope, &pred(&self.names, p)?, what)?;
        Ok((text, asked, alike))
    }
}
