//! Index terms and conditions of the loops: their texts, and proofs of what they give.
//!
//! Without reads they are integers and truth values of Rocq. Where they read arrays of integers, they are programs of their own, and each
//! read is shown to be within its array.

use super::Lowering;
use super::place::{flat, in_box};
use super::words::{ix, mismatch, pred};
use crate::error::Result;
use crate::scope::{Scope, Side};
use atl_kernel::{Ix, Pred, Var};
use atl_loops::{Bool, CmpOp, Int, IntOp, Name};

/// A name, and two texts with their proofs.
type Two = (String, (String, String), (String, String));

fn operation(op: IntOp) -> &'static str {
    match op {
        IntOp::Add => "Z.add",
        IntOp::Sub => "Z.sub",
        IntOp::Mul => "Z.mul",
        IntOp::Div => "Z.div",
        IntOp::Mod => "Z.modulo",
        IntOp::Min => "Z.min",
        IntOp::Max => "Z.max",
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
    /// The text of an index term, and a proof that it gives the one of the same form.
    pub(super) fn exactly(&mut self, scope: &Scope, int: &Int) -> Result<(String, String)> {
        if !int.reads() {
            let text = self.export.needs.ix(scope, Side::Left, &ix(&self.names, int)?, &[])?;
            return Ok((text, "(gives_int _ _ eq_refl)".to_owned()));
        }
        match int {
            Int::Load(buf, cell) => {
                let (text, proof) = self.exactly(scope, cell)?;
                let Ix::Read(array, at) = ix(&self.names, int)? else { return mismatch("a read") };
                let Var::Free(level) = array else { return mismatch("a read of no variable") };
                let shape = scope.tensor(Var::Free(level), Side::Left)?.1.shape.clone();
                let [index] = &at[..] else { return mismatch("an array of several dimensions") };
                let inside = self.export.show(scope, &in_box(&at, &shape), &[])?;
                let same = self.export.equal(scope, index, &flat(&shape, &at), &[])?;
                let list = self.export.needs.ix(scope, Side::Left, index, &[])?;
                let proof = format!("(gives_at _ _ _ _ _ _ [{list}] {} {proof} {same} {inside})", lies(buf));
                Ok((format!("(At \"{buf}\" {text})"), proof))
            }
            Int::Bin(op, a, b) => {
                let ((a, p), (b, q)) = (self.exactly(scope, a)?, self.exactly(scope, b)?);
                let f = operation(*op);
                Ok((format!("(Calc {f} {a} {b})"), format!("(gives_calc {f} _ _ _ _ {p} {q})")))
            }
            Int::Lit(_) | Int::Var(_) => mismatch("an index"),
        }
    }

    /// The text of an index term, and a proof that it gives this one.
    pub(super) fn gives(&mut self, scope: &Scope, int: &Int, what: &Ix) -> Result<(String, String)> {
        let given = ix(&self.names, int)?;
        let (text, proof) = self.exactly(scope, int)?;
        let equal = self.export.equal(scope, &given, what, &[])?;
        if !int.reads() {
            return Ok((text, format!("(gives_int _ _ {equal})")));
        }
        Ok((text, format!("(gives_equal _ _ _ {proof} {equal})")))
    }

    /// The text of a condition, and a proof that it decides the one of the same form.
    pub(super) fn test(&mut self, scope: &mut Scope, p: &Bool) -> Result<(String, String)> {
        if !asks(p) {
            let text = self.export.needs.pred(scope, Side::Left, &pred(&self.names, p)?, &[])?;
            return Ok((text, "(decides_test _ _ eq_refl)".to_owned()));
        }
        match p {
            Bool::Cmp(op, a, b) => {
                let ((a, x), (b, y)) = (self.exactly(scope, a)?, self.exactly(scope, b)?);
                let f = match op {
                    CmpOp::Eq | CmpOp::Ne => "Z.eqb",
                    CmpOp::Lt => "Z.ltb",
                    CmpOp::Le => "Z.leb",
                };
                let (text, proof) =
                    (format!("(Compare {f} {a} {b})"), format!("(decides_compare {f} _ _ _ _ {x} {y})"));
                if *op == CmpOp::Ne {
                    return Ok((format!("(Negate {text})"), format!("(decides_negate _ _ {proof})")));
                }
                Ok((text, proof))
            }
            Bool::Not(p) => {
                let (text, proof) = self.test(scope, p)?;
                Ok((format!("(Negate {text})"), format!("(decides_negate _ _ {proof})")))
            }
            Bool::And(p, q) => {
                let given = pred(&self.names, p)?;
                let (name, first, second) = self.two(scope, p, q, &given)?;
                let proof = format!("(decides_both _ _ _ _ {} (fun {name} => {}))", first.1, second.1);
                Ok((format!("(Both {} {})", first.0, second.0), proof))
            }
            Bool::Or(p, q) => {
                let given = pred(&self.names, p)?;
                let lemma = if matches!(given, Pred::Not(_)) { "of_negb_false" } else { "negb_of_false" };
                let (name, first, second) = self.two(scope, p, q, &Pred::not(given))?;
                let second_proof = format!("(fun H => (fun {name} => {}) ({lemma} _ H))", second.1);
                let proof = format!("(decides_either _ _ _ _ {} {second_proof})", first.1);
                Ok((format!("(Either {} {})", first.0, second.0), proof))
            }
            Bool::Lit(_) => mismatch("a condition"),
        }
    }

    /// Two conditions, of which the second is asked where `given` holds; the name of that hypothesis, texts and proofs.
    fn two(&mut self, scope: &mut Scope, p: &Bool, q: &Bool, given: &Pred) -> Result<Two> {
        let first = self.test(scope, p)?;
        let level = scope.level();
        let name = scope.push_hyp(given);
        let second = self.test(scope, q);
        scope.truncate(level);
        Ok((name, first, second?))
    }

    /// The text of a condition, and a proof that it decides this one.
    pub(super) fn decides(&mut self, scope: &mut Scope, p: &Bool, what: &Pred) -> Result<(String, String)> {
        let given = pred(&self.names, p)?;
        let (text, proof) = self.test(scope, p)?;
        let same = self.export.same_truth(scope, what, &given, &[])?;
        if !asks(p) {
            return Ok((text, format!("(decides_test _ _ {same})")));
        }
        Ok((text, format!("(decides_equal _ _ _ {proof} {same})")))
    }
}
