//! Side conditions: certificates, and equalities of index terms, as proofs.
//!
//! A certificate is printed as it is, and Rocq runs the checker that is proved correct in `Certificate.v`.
//! Certificates come from the record of the proof; where the export asks for an equality that the kernel did
//! not ask for, from the prover. The kernel checks either before it is printed.

use crate::deep::BY_LEVEL;
use crate::error::{Refusal, Result};
use crate::prove::Export;
use crate::prune::pruned;
use crate::ranges::as_instances;
use crate::raw;
use crate::scope::{Scope, Side, Slot};
use atl_kernel::cert;
use atl_kernel::poly::Poly;
use atl_kernel::{Cert, Ix, Pred, Prover, Var};
use std::fmt::Write;

/// The arrays that are mentioned, and differ from side to side.
fn differing(scope: &Scope, mentions: &dyn Fn(u32) -> bool) -> Vec<u32> {
    let paired = |slot: &Slot| matches!(slot, Slot::Tensor { other: Some(_), .. });
    let levels = (0..).zip(&scope.slots).filter(|(_, slot)| paired(slot)).map(|(level, _)| level);
    levels.filter(|level| mentions(*level)).collect()
}

/// The first part of a conjunction: that a hypothesis for all integers holds, of which this is the proof.
pub(crate) fn instance(context: &str, hypothesis: &str, count: usize, name: &str) -> String {
    let variables: Vec<String> = (0..count).map(|k| format!("z{k}")).collect();
    let pattern = variables.iter().rev().fold("[|]".to_owned(), |p, z| format!("[|{z} {p}]"));
    format!(
        "@conj (general_true {context} {hypothesis}) _ ltac:(intros {pattern} Hz; try discriminate; exact ({name} {}))",
        variables.join(" ")
    )
}

impl Export<'_> {
    /// The context's values, by level.
    pub(crate) fn context(&mut self, scope: &Scope) -> Result<String> {
        let mut entries = Vec::new();
        for (level, slot) in (0..).zip(&scope.slots) {
            entries.push(match slot {
                Slot::Index(name) => format!("Number {name}"),
                // Of a tensor that differs from side to side it is the left one.
                Slot::Tensor { ty, .. } if ty.elem.scalar.is_index() => {
                    format!("Array ({})", self.needs.array(scope, Side::Left, Var::Free(level))?)
                }
                _ => "Other".to_owned(),
            });
        }
        Ok(format!("[{}]", entries.join("; ")))
    }

    /// A certificate of a predicate: from the record, or found now.
    pub(crate) fn certificate(&mut self, scope: &Scope, goal: &Pred, known: &[Cert]) -> Result<Cert> {
        let fits = |cert: &&Cert| cert::check(&scope.ctx, goal, cert).is_ok();
        if let Some(cert) = known.iter().find(fits) {
            return Ok(cert.clone());
        }
        match self.prover.prove(&scope.ctx, goal).filter(|cert| fits(&cert)) {
            Some(cert) => Ok(cert),
            None => Err(Refusal::Unproved(self.needs.pred(scope, Side::Left, goal, &[])?)),
        }
    }

    /// A proof of `goal = true`.
    pub(crate) fn show(&mut self, scope: &Scope, goal: &Pred, known: &[Cert]) -> Result<String> {
        let statement = self.needs.pred(scope, Side::Left, goal, &[])?;
        let direct = scope.slots.iter().find_map(|slot| match slot {
            Slot::Hyp(p, name) if p == goal => Some(name.clone()),
            _ => None,
        });
        if let Some(name) = direct {
            return Ok(name);
        }
        let cert = self.certificate(scope, goal, known)?;
        let context = self.context(scope)?;
        let assumed: Vec<&Pred> = scope
            .slots
            .iter()
            .filter_map(|slot| if let Slot::Hyp(p, _) = slot { Some(p) } else { None })
            .collect();
        let all = scope.slots.iter().filter(|slot| matches!(slot, Slot::All(..))).count();
        let mut typed = Vec::new();
        let cert = as_instances(&cert, all, &mut typed);
        let (cert, kept, kept_general) = pruned(&cert, &assumed, all + typed.len());
        let (mut kept, mut kept_general) = (kept.into_iter(), kept_general.into_iter());
        let (mut hyps, mut proofs, mut depth) = (Vec::new(), String::new(), 0);
        let (mut general, mut instances, mut nesting) = (Vec::new(), String::new(), 0);
        for slot in &scope.slots {
            match slot {
                Slot::Hyp(p, name) if kept.next() == Some(true) => {
                    hyps.push(BY_LEVEL.pred(p));
                    let _ = write!(proofs, "(conj {name} ");
                    depth += 1;
                }
                Slot::All(count, p, name) if kept_general.next() == Some(true) => {
                    let hypothesis = format!("({count}%nat, {})", BY_LEVEL.pred(p));
                    let _ = write!(instances, "({} ", instance(&context, &hypothesis, *count, name));
                    general.push(hypothesis);
                    nesting += 1;
                }
                _ => {}
            }
        }
        for level in typed {
            let (hypothesis, holds) = self.range(scope, level, &context)?;
            let _ = write!(instances, "({holds} ");
            general.push(hypothesis);
            nesting += 1;
        }
        self.certificates += 1;
        Ok(format!(
            "(Certificate.certified {context} [{}] [{}] {} {} {proofs}I{} {instances}I{} ltac:(vm_compute; reflexivity) : {statement} = true)",
            hyps.join("; "),
            general.join("; "),
            BY_LEVEL.pred(goal),
            BY_LEVEL.cert(&cert),
            ")".repeat(depth),
            ")".repeat(nesting),
        ))
    }

    /// A proof of `p = false`.
    pub(crate) fn show_false(&mut self, scope: &Scope, p: &Pred, known: &[Cert]) -> Result<String> {
        let statement = self.needs.pred(scope, Side::Left, p, &[])?;
        let goal = Pred::not(p.clone());
        let shown = self.show(scope, &goal, known)?;
        Ok(match p {
            Pred::True | Pred::False | Pred::Not(_) => {
                format!("(f_equal negb {shown} : {statement} = false)")
            }
            _ => format!("(not_true {statement} {shown})"),
        })
    }

    /// A proof that what is printed on either side is equal, where it reads these arrays, which are.
    fn read_alike(&mut self, scope: &Scope, arrays: &[u32], [x, y]: [String; 2]) -> Result<String> {
        let mut rewrites = String::new();
        for level in arrays {
            let Some(Slot::Tensor { name, ty, other: Some((twin, right, proof)) }) =
                scope.slots.get(*level as usize).cloned()
            else {
                continue;
            };
            if ty.shape != right.shape {
                return Err(Refusal::Unknown("how an index changes that reads an array of another shape"));
            }
            let shape = self.needs.shape(scope, Side::Left, &ty.shape)?;
            let to_int = self.needs.integer_of(ty.elem.scalar);
            let _ =
                write!(rewrites, "rewrite ?(fun l => read_alike {shape} {to_int} {name} {twin} l {proof}); ");
        }
        Ok(format!("(ltac:({rewrites}reflexivity) : {x} = {y})"))
    }

    /// A proof that index terms are equal, of which the first is read on the left and the second on the right.
    pub(crate) fn equal(&mut self, scope: &Scope, a: &Ix, b: &Ix, known: &[Cert]) -> Result<String> {
        let arrays = differing(scope, &|level| b.mentions(level));
        if arrays.is_empty() {
            return self.equal_on_the_left(scope, a, b, known);
        }
        let sides = [self.needs.ix(scope, Side::Left, b, &[])?, self.needs.ix(scope, Side::Right, b, &[])?];
        let alike = self.read_alike(scope, &arrays, sides)?;
        Ok(format!("(eq_trans {} {alike})", self.equal_on_the_left(scope, a, b, known)?))
    }

    fn equal_on_the_left(&mut self, scope: &Scope, a: &Ix, b: &Ix, known: &[Cert]) -> Result<String> {
        if a == b {
            return Ok("eq_refl".to_owned());
        }
        let (x, y) = (self.needs.ix(scope, Side::Left, a, &[])?, self.needs.ix(scope, Side::Left, b, &[])?);
        if matches!((Poly::of(a), Poly::of(b)), (Ok(p), Ok(q)) if p == q) {
            let context = self.context(scope)?;
            let (a, b) = (BY_LEVEL.ix(a), BY_LEVEL.ix(b));
            return Ok(format!(
                "(by_polynomial {context} {a} {b} ltac:(vm_compute; reflexivity) : {x} = {y})"
            ));
        }
        let shown = self.show(scope, &Pred::eq(a.clone(), b.clone()), known)?;
        Ok(format!("(of_eqb {x} {y} {shown})"))
    }

    /// A proof that two predicates have one truth value.
    pub(crate) fn same_truth(&mut self, scope: &Scope, p: &Pred, q: &Pred, known: &[Cert]) -> Result<String> {
        let (x, y) =
            (self.needs.pred(scope, Side::Left, p, &[])?, self.needs.pred(scope, Side::Left, q, &[])?);
        let on_the_left = if p == q {
            "eq_refl".to_owned()
        } else {
            format!("(of_iff {x} {y} {})", self.show(scope, &raw::iff(p, q), known)?)
        };
        let arrays = differing(scope, &|level| q.mentions(level));
        if arrays.is_empty() {
            return Ok(on_the_left);
        }
        let sides = [y, self.needs.pred(scope, Side::Right, q, &[])?];
        Ok(format!("(eq_trans {on_the_left} {})", self.read_alike(scope, &arrays, sides)?))
    }

    /// A proof that two shapes are equal.
    pub(crate) fn same_shape(&mut self, scope: &Scope, s: &[Ix], t: &[Ix], known: &[Cert]) -> Result<String> {
        if s.len() != t.len() {
            return Err(Refusal::Unknown("how shapes of different ranks could be equal"));
        }
        let mut proof = "eq_refl".to_owned();
        for (a, b) in s.iter().zip(t).rev() {
            proof = format!("(cons_eq _ _ _ _ {} {proof})", self.equal(scope, a, b, known)?);
        }
        Ok(proof)
    }
}
