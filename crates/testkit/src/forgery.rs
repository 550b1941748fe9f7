//! Forged proofs: a proof changed in one place.
//!
//! A proof is a record of inferences. A forgery drops or changes one of them; the kernel must refuse it when it
//! replays, or what it then proves must be true all the same.

use atl_kernel::cert::Derive;
use atl_kernel::{Cert, Child, Expr, Ix, Node, Pred, Proof};
use std::sync::Arc;

/// What is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forgery {
    /// The last certificate of a step is left out.
    DropCertificate,
    /// A coefficient of a certificate is negated.
    NegateCoefficient,
    /// A certificate cites another fact as absurd.
    CiteAnotherFact,
    /// The sides of a step change places.
    SwapSides,
    /// A step is left out of a chain.
    SkipStep,
    /// A step's term gets another extent, index or predicate.
    ChangeTerm,
    /// A step is claimed of another child of its term.
    MoveToAnotherChild,
}

impl Forgery {
    /// All of them.
    pub const ALL: [Forgery; 7] = [
        Forgery::DropCertificate,
        Forgery::NegateCoefficient,
        Forgery::CiteAnotherFact,
        Forgery::SwapSides,
        Forgery::SkipStep,
        Forgery::ChangeTerm,
        Forgery::MoveToAnotherChild,
    ];
}

/// Every proof that differs from this one by this forgery at one place, up to a number of them.
pub fn forgeries(proof: &Arc<Proof>, forgery: Forgery, most: usize) -> Vec<Arc<Proof>> {
    let mut found = Vec::new();
    everywhere(proof, forgery, &|p| p, most, &mut found);
    found
}

/// Forge here, then below; `outside` puts a part back into the whole.
fn everywhere(
    proof: &Arc<Proof>,
    forgery: Forgery,
    outside: &dyn Fn(Arc<Proof>) -> Arc<Proof>,
    most: usize,
    found: &mut Vec<Arc<Proof>>,
) {
    if found.len() >= most {
        return;
    }
    if let Some(forged) = here(proof, forgery) {
        found.push(outside(Arc::new(forged)));
    }
    match &**proof {
        Proof::Refl(..) | Proof::Rule(..) => {}
        Proof::Sym(p) => everywhere(p, forgery, &|p| outside(Arc::new(Proof::Sym(p))), most, found),
        Proof::Trans(p, q) => {
            everywhere(p, forgery, &|p| outside(Arc::new(Proof::Trans(p, q.clone()))), most, found);
            everywhere(q, forgery, &|q| outside(Arc::new(Proof::Trans(p.clone(), q))), most, found);
        }
        Proof::Congruence(e, at, p, certs) => {
            let outside = |p| outside(Arc::new(Proof::Congruence(e.clone(), *at, p, certs.clone())));
            everywhere(p, forgery, &outside, most, found);
        }
        Proof::Cases(c, p, q) => {
            everywhere(
                p,
                forgery,
                &|p| outside(Arc::new(Proof::Cases(c.clone(), p, q.clone()))),
                most,
                found,
            );
            everywhere(
                q,
                forgery,
                &|q| outside(Arc::new(Proof::Cases(c.clone(), p.clone(), q))),
                most,
                found,
            );
        }
        Proof::Induction(e, family, premises, certs) => {
            for (k, (base, step)) in premises.iter().enumerate() {
                let with = |other: (Arc<Proof>, Arc<Proof>)| {
                    let mut premises = premises.clone();
                    premises[k] = other;
                    outside(Arc::new(Proof::Induction(e.clone(), family.clone(), premises, certs.clone())))
                };
                everywhere(base, forgery, &|base| with((base, step.clone())), most, found);
                everywhere(step, forgery, &|step| with((base.clone(), step)), most, found);
            }
        }
    }
}

fn here(proof: &Proof, forgery: Forgery) -> Option<Proof> {
    match forgery {
        Forgery::DropCertificate => with_certs(proof, |certs| certs.pop().is_some()),
        Forgery::NegateCoefficient => with_certs(proof, |certs| certs.iter_mut().any(negate)),
        Forgery::CiteAnotherFact => with_certs(proof, |certs| certs.iter_mut().any(cite_another)),
        Forgery::SwapSides => match proof {
            Proof::Rule(rule, e, certs) => {
                Some(Proof::Sym(Arc::new(Proof::Rule(rule.clone(), e.clone(), certs.clone()))))
            }
            Proof::Induction(e, family, premises, certs) => {
                let turned = premises.iter().map(|(p, q)| (q.clone(), p.clone())).collect();
                Some(Proof::Induction(e.clone(), family.clone(), turned, certs.clone()))
            }
            _ => None,
        },
        Forgery::SkipStep => match proof {
            Proof::Trans(p, _) => shallow(p),
            _ => None,
        },
        Forgery::ChangeTerm => match proof {
            Proof::Rule(rule, e, certs) => Some(Proof::Rule(rule.clone(), changed(e)?, certs.clone())),
            Proof::Congruence(e, at, p, certs) => {
                Some(Proof::Congruence(changed(e)?, *at, p.clone(), certs.clone()))
            }
            Proof::Induction(e, family, premises, certs) => {
                Some(Proof::Induction(changed(e)?, family.clone(), premises.clone(), certs.clone()))
            }
            _ => None,
        },
        Forgery::MoveToAnotherChild => match proof {
            Proof::Congruence(e, at, p, certs) => {
                let other = e.children().find(|c| c != at).unwrap_or(Child::Arg(7));
                Some(Proof::Congruence(e.clone(), other, p.clone(), certs.clone()))
            }
            _ => None,
        },
    }
}

/// A copy of the top of a proof.
fn shallow(proof: &Proof) -> Option<Proof> {
    Some(match proof {
        Proof::Refl(a, b, certs) => Proof::Refl(a.clone(), b.clone(), certs.clone()),
        Proof::Sym(p) => Proof::Sym(p.clone()),
        Proof::Trans(p, q) => Proof::Trans(p.clone(), q.clone()),
        Proof::Rule(rule, e, certs) => Proof::Rule(rule.clone(), e.clone(), certs.clone()),
        Proof::Congruence(e, at, p, certs) => Proof::Congruence(e.clone(), *at, p.clone(), certs.clone()),
        Proof::Cases(c, p, q) => Proof::Cases(c.clone(), p.clone(), q.clone()),
        Proof::Induction(e, family, premises, certs) => {
            Proof::Induction(e.clone(), family.clone(), premises.clone(), certs.clone())
        }
    })
}

/// The step with other certificates, if `change` finds something to change.
fn with_certs(proof: &Proof, change: impl FnOnce(&mut Vec<Cert>) -> bool) -> Option<Proof> {
    let mut forged = shallow(proof)?;
    let (Proof::Refl(_, _, certs)
    | Proof::Rule(_, _, certs)
    | Proof::Congruence(_, _, _, certs)
    | Proof::Induction(_, _, _, certs)) = &mut forged
    else {
        return None;
    };
    change(certs).then_some(forged)
}

/// Negate the first coefficient.
fn negate(cert: &mut Cert) -> bool {
    match cert {
        Cert::Step(Derive::Combine(parts), rest) => match parts.iter_mut().find(|(c, _)| *c != 0) {
            Some((c, _)) => {
                *c = -*c;
                true
            }
            None => negate(rest),
        },
        Cert::Step(Derive::Cut(_, d), _) => {
            *d = -*d;
            true
        }
        Cert::Step(_, rest) => negate(rest),
        Cert::Split(_, l, r) | Cert::Case(_, l, r) => negate(l) || negate(r),
        Cert::Absurd(_) => false,
    }
}

/// Cite the fact before the one that is absurd, or the one after fact 0.
fn cite_another(cert: &mut Cert) -> bool {
    match cert {
        Cert::Absurd(k) => {
            *k = k.checked_sub(1).unwrap_or(1);
            true
        }
        Cert::Step(_, rest) => cite_another(rest),
        Cert::Split(_, l, _) | Cert::Case(_, l, _) => cite_another(l),
    }
}

/// The term with another extent, index or predicate at its top.
fn changed(e: &Expr) -> Option<Expr> {
    let mut node = (**e).clone();
    match &mut node {
        Node::Gen(_, n, _) | Node::Sum(_, n, _) => *n = n.clone() + Ix::ONE,
        Node::Get(_, i) | Node::Index(_, i) => *i = i.clone() + Ix::ONE,
        Node::Guard(p, _) | Node::Select(p, ..) => *p = Pred::not(p.clone()),
        Node::Iterate(it) => Arc::make_mut(it).extent = it.extent.clone() + Ix::ONE,
        Node::Op(_, ixs, _) if !ixs.is_empty() => ixs[0] = ixs[0].clone() + Ix::ONE,
        _ => return None,
    }
    Some(Arc::new(node))
}
