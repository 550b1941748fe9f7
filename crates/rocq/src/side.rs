//! Side conditions: certificates, and equalities of index terms, as proofs.
//!
//! A certificate is printed as it is, and Rocq runs the checker that is proved correct in `Certificate.v`. Certificates come
//! from the record of the proof; where the export asks for an equality that the kernel did not ask for, from the
//! prover. The kernel checks either before it is printed.

use crate::error::{Refusal, Result};
use crate::prove::Export;
use crate::prune::pruned;
use crate::raw;
use crate::scope::{Scope, Side, Slot};
use atl_kernel::cert::{self, Derive};
use atl_kernel::poly::Poly;
use atl_kernel::{Cert, Cmp, Ix, IxOp, Pred, Prover, Var};
use std::fmt::Write;

/// The constructor in `Index.v`.
fn deep_op(op: IxOp) -> &'static str {
    match op {
        IxOp::Add => "Add",
        IxOp::Sub => "Sub",
        IxOp::Mul => "Mul",
        IxOp::Div => "Div",
        IxOp::Mod => "Mod",
        IxOp::Min => "Min",
        IxOp::Max => "Max",
    }
}

fn deep_list(parts: &[Ix]) -> String {
    format!("[{}]", parts.iter().map(deep_ix).collect::<Vec<_>>().join("; "))
}

/// An index term as syntax.
pub(crate) fn deep_ix(ix: &Ix) -> String {
    match ix {
        Ix::Lit(n) if *n < 0 => format!("(Lit ({n}))"),
        Ix::Lit(n) => format!("(Lit {n})"),
        Ix::Var(Var::Free(l)) => format!("(Free {l})"),
        Ix::Var(Var::Bound(k)) => format!("(Bound {k})"),
        Ix::Bin(op, ab) => format!("(Op {} {} {})", deep_op(*op), deep_ix(&ab.0), deep_ix(&ab.1)),
        // A bound array is refused where the term is printed as a term.
        Ix::Read(Var::Free(l) | Var::Bound(l), at) => format!("(Read {l} {})", deep_list(at)),
    }
}

/// A predicate as syntax.
pub(crate) fn deep_pred(p: &Pred) -> String {
    match p {
        Pred::True => "True_".to_owned(),
        Pred::False => "False_".to_owned(),
        Pred::Cmp(c, a, b) => {
            let name = match c {
                Cmp::Eq => "Eq",
                Cmp::Lt => "Lt",
                Cmp::Le => "Le",
            };
            format!("(Cmp {name} {} {})", deep_ix(a), deep_ix(b))
        }
        Pred::Not(q) => format!("(Not {})", deep_pred(q)),
        Pred::And(pq) => format!("(And {} {})", deep_pred(&pq.0), deep_pred(&pq.1)),
        Pred::Or(pq) => format!("(Or {} {})", deep_pred(&pq.0), deep_pred(&pq.1)),
    }
}

fn numbers<T: ToString>(parts: &[T]) -> String {
    format!("[{}]", parts.iter().map(|k| format!("{}%nat", k.to_string())).collect::<Vec<_>>().join("; "))
}

fn deep_step(step: &Derive) -> String {
    match step {
        Derive::Combine(parts) => {
            let parts: Vec<String> =
                parts.iter().map(|(c, fs)| format!("(({c}), {})", numbers(fs))).collect();
            format!("(Combine [{}])", parts.join("; "))
        }
        Derive::Cut(f, d) => format!("(Cut {f} {d})"),
        Derive::Euclid(a, d, f) => format!("(Euclid {} {} {f})", deep_ix(a), deep_ix(d)),
        Derive::Min(a, b) => format!("(Minimum {} {})", deep_ix(a), deep_ix(b)),
        Derive::Max(a, b) => format!("(Maximum {} {})", deep_ix(a), deep_ix(b)),
        Derive::Instance(k, at) => format!("(Instance {k} {})", deep_list(at)),
    }
}

fn deep_cert(cert: &Cert) -> String {
    match cert {
        Cert::Absurd(k) => format!("(Absurd {k})"),
        Cert::Step(step, rest) => format!("(Then {} {})", deep_step(step), deep_cert(rest)),
        Cert::Split(k, l, r) => format!("(Split {k} {} {})", deep_cert(l), deep_cert(r)),
        Cert::Case(p, l, r) => format!("(Case {} {} {})", deep_pred(p), deep_cert(l), deep_cert(r)),
    }
}

const REPLACED: Refusal = Refusal::Unknown("how an index changes that reads an array which a step replaces");

/// Is an array mentioned that differs from side to side?
fn differs(scope: &Scope, mentions: &dyn Fn(u32) -> bool) -> bool {
    let mut slots = (0..).zip(&scope.slots);
    slots.any(|(level, slot)| matches!(slot, Slot::Tensor { other: Some(_), .. }) && mentions(level))
}

impl Export<'_> {
    /// The context's values, by level.
    fn context(&mut self, scope: &Scope) -> Result<String> {
        let mut entries = Vec::new();
        for (level, slot) in (0..).zip(&scope.slots) {
            entries.push(match slot {
                Slot::Index(name) => format!("Number {name}"),
                // A tensor that differs from side to side is no array of this context.
                Slot::Tensor { ty, other: None, .. } if !ty.elem.scalar.is_float() => {
                    format!("Array ({})", self.needs.array(scope, Side::Left, Var::Free(level))?)
                }
                _ => "Other".to_owned(),
            });
        }
        Ok(format!("[{}]", entries.join("; ")))
    }

    /// A certificate of a predicate: from the record, or found now.
    fn certificate(&mut self, scope: &Scope, goal: &Pred, known: &[Cert]) -> Result<Cert> {
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
        let (cert, kept, kept_general) = pruned(&cert, &assumed, all);
        let (mut kept, mut kept_general) = (kept.into_iter(), kept_general.into_iter());
        let (mut hyps, mut proofs, mut depth) = (Vec::new(), String::new(), 0);
        let (mut general, mut instances, mut nesting) = (Vec::new(), String::new(), 0);
        for slot in &scope.slots {
            match slot {
                Slot::Hyp(p, name) if kept.next() == Some(true) => {
                    hyps.push(deep_pred(p));
                    let _ = write!(proofs, "(conj {name} ");
                    depth += 1;
                }
                Slot::All(count, p, name) if kept_general.next() == Some(true) => {
                    let hypothesis = format!("({count}%nat, {})", deep_pred(p));
                    let variables: Vec<String> = (0..*count).map(|k| format!("z{k}")).collect();
                    let pattern = variables.iter().rev().fold("[|]".to_owned(), |p, z| format!("[|{z} {p}]"));
                    let _ = write!(
                        instances,
                        "(@conj (general_true {context} {hypothesis}) _ ltac:(intros {pattern} Hz; try discriminate; exact ({name} {})) ",
                        variables.join(" ")
                    );
                    general.push(hypothesis);
                    nesting += 1;
                }
                _ => {}
            }
        }
        self.certificates += 1;
        Ok(format!(
            "(Certificate.certified {context} [{}] [{}] {} {} {proofs}I{} {instances}I{} ltac:(vm_compute; reflexivity) : {statement} = true)",
            hyps.join("; "),
            general.join("; "),
            deep_pred(goal),
            deep_cert(&cert),
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

    /// A proof that two index terms are equal.
    pub(crate) fn equal(&mut self, scope: &Scope, a: &Ix, b: &Ix, known: &[Cert]) -> Result<String> {
        if differs(scope, &|level| a.mentions(level) || b.mentions(level)) {
            return Err(REPLACED);
        }
        if a == b {
            return Ok("eq_refl".to_owned());
        }
        let (x, y) = (self.needs.ix(scope, Side::Left, a, &[])?, self.needs.ix(scope, Side::Left, b, &[])?);
        if matches!((Poly::of(a), Poly::of(b)), (Ok(p), Ok(q)) if p == q) {
            let context = self.context(scope)?;
            let (a, b) = (deep_ix(a), deep_ix(b));
            return Ok(format!(
                "(by_polynomial {context} {a} {b} ltac:(vm_compute; reflexivity) : {x} = {y})"
            ));
        }
        let shown = self.show(scope, &Pred::eq(a.clone(), b.clone()), known)?;
        Ok(format!("(of_eqb {x} {y} {shown})"))
    }

    /// A proof that two predicates have one truth value.
    pub(crate) fn same_truth(&mut self, scope: &Scope, p: &Pred, q: &Pred, known: &[Cert]) -> Result<String> {
        if differs(scope, &|level| p.mentions(level) || q.mentions(level)) {
            return Err(REPLACED);
        }
        if p == q {
            return Ok("eq_refl".to_owned());
        }
        let (x, y) =
            (self.needs.pred(scope, Side::Left, p, &[])?, self.needs.pred(scope, Side::Left, q, &[])?);
        let shown = self.show(scope, &raw::iff(p, q), known)?;
        Ok(format!("(of_iff {x} {y} {shown})"))
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
