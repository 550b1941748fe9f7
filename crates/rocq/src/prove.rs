//! A theorem's inferences as a proof script.
//!
//! The record of a proof is replayed by the kernel, which says what each inference proves; the script follows
//! it, a lemma for an inference. Goals are always `teq shape lhs rhs`, and the writer knows these three.

use crate::error::{Refusal, Result};
use crate::print::Needs;
use crate::raw;
use crate::scope::{Scope, Side};
use atl_arith::Arith;
use atl_kernel::{Cert, Child, Ctx, Expr, Ix, Node, Pred, Proof, Replay, Rule, Thm, enter, rounds};
use std::sync::Arc;

/// An inference, with what it proves.
pub(crate) struct Step {
    pub(crate) thm: Thm,
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    Refl,
    Sym(Box<Step>),
    Trans(Box<Step>, Box<Step>),
    Rule(Rule, Vec<Cert>),
    Congruence(Child, Box<Step>, Vec<Cert>),
    Cases(Pred, Box<Step>, Box<Step>),
    /// The family, and for each state how it begins and goes on.
    Induction(Vec<Expr>, Vec<(Step, Step)>, Vec<Cert>),
}

/// Replay a record in its context.
pub(crate) fn replay(ctx: &Arc<Ctx>, proof: &Proof) -> Result<Step> {
    let assuming = |p: Pred| {
        let mut inner = (**ctx).clone();
        inner.push_hyp(p);
        Arc::new(inner)
    };
    Ok(match proof {
        Proof::Refl(l, r, certs) => {
            Step { thm: Thm::relabel(ctx, l, r, &mut Replay(certs.iter()))?, kind: Kind::Refl }
        }
        Proof::Sym(p) => {
            let p = replay(ctx, p)?;
            Step { thm: p.thm.clone().sym(), kind: Kind::Sym(Box::new(p)) }
        }
        Proof::Trans(p, q) => {
            let (p, q) = (replay(ctx, p)?, replay(ctx, q)?);
            let thm = p.thm.clone().trans(q.thm.clone())?;
            Step { thm, kind: Kind::Trans(Box::new(p), Box::new(q)) }
        }
        Proof::Rule(rule, lhs, certs) => {
            let thm = Thm::rule(ctx, rule.clone(), lhs, &mut Replay(certs.iter()))?;
            Step { thm, kind: Kind::Rule(rule.clone(), certs.clone()) }
        }
        Proof::Congruence(parent, at, child, certs) => {
            let (inner, _) = enter(ctx, parent, *at, &mut Replay(certs.iter()))?;
            let child = replay(&Arc::new(inner), child)?;
            let thm = Thm::congruence(ctx, parent, *at, child.thm.clone(), &mut Replay(certs.iter()))?;
            Step { thm, kind: Kind::Congruence(*at, Box::new(child), certs.clone()) }
        }
        Proof::Cases(p, holds, fails) => {
            let holds = replay(&assuming(p.clone()), holds)?;
            let fails = replay(&assuming(Pred::not(p.clone())), fails)?;
            let thm = Thm::cases(ctx, p.clone(), holds.thm.clone(), fails.thm.clone())?;
            Step { thm, kind: Kind::Cases(p.clone(), Box::new(holds), Box::new(fails)) }
        }
        Proof::Induction(iteration, family, premises, certs) => {
            let inner = Arc::new(rounds(ctx, iteration)?);
            let both = |(p, q): &(Arc<Proof>, Arc<Proof>)| Ok((replay(ctx, p)?, replay(&inner, q)?));
            let premises = premises.iter().map(both).collect::<Result<Vec<_>>>()?;
            let equations = premises.iter().map(|(p, q)| (p.thm.clone(), q.thm.clone())).collect();
            let thm = Thm::induction(ctx, iteration, family, equations, &mut Replay(certs.iter()))?;
            Step { thm, kind: Kind::Induction(family.clone(), premises, certs.clone()) }
        }
    })
}

/// A script that is being written.
pub(crate) struct Export<'a> {
    pub(crate) needs: Needs,
    pub(crate) prover: &'a mut Arith,
    pub(crate) script: String,
    pub(crate) indent: usize,
    pub(crate) certificates: usize,
    pub(crate) inferences: usize,
    /// The arrays, by level, whose types' ranges the loops' conditions use.
    pub(crate) typed: Vec<u32>,
}

impl<'a> Export<'a> {
    /// Nothing is written yet.
    pub(crate) fn new(prover: &'a mut Arith) -> Export<'a> {
        let (needs, script, typed) = (Needs::default(), String::new(), Vec::new());
        Export { needs, prover, script, indent: 0, certificates: 0, inferences: 0, typed }
    }
}

impl Export<'_> {
    pub(crate) fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.script.push_str("  ");
        }
        self.script.push_str(text);
        self.script.push('\n');
    }

    /// The proof of one goal of several.
    pub(crate) fn block(&mut self, run: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.line("{");
        self.indent += 1;
        let result = run(self);
        self.indent -= 1;
        self.line("}");
        result
    }

    /// From a goal at one shape to the goal at an equal one.
    pub(crate) fn cast(&mut self, scope: &Scope, goal: &[Ix], natural: &[Ix], known: &[Cert]) -> Result<()> {
        if goal != natural {
            let equal = self.same_shape(scope, natural, goal, known)?;
            let (from, to) =
                (self.needs.shape(scope, Side::Left, natural)?, self.needs.shape(scope, Side::Left, goal)?);
            self.line(&format!("apply (reshape {from} {to} _ _ {equal})."));
        }
        Ok(())
    }

    /// Prove `teq shape lhs rhs` by an inference that proves it up to how index terms are written.
    pub(crate) fn prove(
        &mut self,
        scope: &mut Scope,
        shape: &[Ix],
        lhs: &Expr,
        rhs: &Expr,
        step: &Step,
    ) -> Result<()> {
        let thm = &step.thm;
        self.between(scope, shape, (lhs, rhs), (thm.lhs(), thm.rhs()), &[], |export, scope| {
            export.inference(scope, shape, step)
        })
    }

    /// Prove the goal `outer`, given how to prove `inner`, which differs in how index terms are written.
    fn between(
        &mut self,
        scope: &mut Scope,
        shape: &[Ix],
        outer: (&Expr, &Expr),
        inner: (&Expr, &Expr),
        known: &[Cert],
        prove: impl FnOnce(&mut Self, &mut Scope) -> Result<()>,
    ) -> Result<()> {
        if outer.0 != inner.0 {
            let middle = self.needs.term(scope, Side::Left, inner.0)?;
            self.line(&format!("apply (trans _ _ {middle})."));
            self.block(|export| export.walk(scope, shape, outer.0, inner.0, known))?;
        }
        if outer.1 != inner.1 {
            let middle = self.needs.term(scope, Side::Left, inner.1)?;
            self.line(&format!("apply (trans _ _ {middle})."));
            self.block(|export| prove(export, scope))?;
            self.walk(scope, shape, inner.1, outer.1, known)?;
        } else {
            prove(self, scope)?;
        }
        Ok(())
    }

    /// Prove `teq shape lhs rhs`, of the inference's own sides.
    fn inference(&mut self, scope: &mut Scope, shape: &[Ix], step: &Step) -> Result<()> {
        let (lhs, rhs) = (step.thm.lhs(), step.thm.rhs());
        match &step.kind {
            Kind::Refl => {
                self.line("apply refl.");
                Ok(())
            }
            Kind::Sym(p) => {
                self.line("apply sym.");
                self.inference(scope, shape, p)
            }
            Kind::Trans(p, q) => {
                let middle = self.needs.term(scope, Side::Left, p.thm.rhs())?;
                self.line(&format!("apply (trans _ _ {middle})."));
                self.block(|export| export.inference(scope, shape, p))?;
                self.prove(scope, shape, p.thm.rhs(), rhs, q)
            }
            Kind::Rule(Rule::ArithEq(_), certs) => {
                self.inferences += 1;
                self.walk(scope, shape, lhs, rhs, certs)
            }
            Kind::Rule(rule, certs) => {
                self.inferences += 1;
                let lemma = self.rule(scope, rule, lhs, certs)?;
                let sides = (&lemma.lhs, &lemma.rhs);
                self.between(scope, shape, (lhs, rhs), sides, certs, |export, scope| {
                    let natural = scope.ty(&lemma.lhs, Side::Left)?.shape;
                    export.cast(scope, shape, &natural, certs)?;
                    export.line(&format!("exact ({}).", lemma.proof));
                    Ok(())
                })
            }
            Kind::Congruence(at, child, certs) => self.congruence(scope, shape, lhs, rhs, *at, child, certs),
            Kind::Induction(family, premises, certs) => {
                self.inferences += 1;
                let Node::Iterate(it) = &**rhs else { return Err(Refusal::Unknown("this induction")) };
                let level = scope.level();
                let last = family.iter().map(|f| raw::put_index(f, level, &it.extent));
                let first = it.lets(last.collect::<Vec<_>>().into_iter(), it.body.clone());
                self.between(scope, shape, (lhs, rhs), (&first, rhs), certs, |export, scope| {
                    let natural = scope.ty(rhs, Side::Left)?.shape;
                    export.cast(scope, shape, &natural, certs)?;
                    export.induction(scope, &natural, it, family, premises, certs)
                })
            }
            Kind::Cases(p, holds, fails) => {
                let condition = self.needs.pred(scope, Side::Left, p, &[])?;
                self.line(&format!("apply (cases {condition})."));
                self.block(|export| {
                    export.assuming(scope, p, |export, scope| export.prove(scope, shape, lhs, rhs, holds))
                })?;
                self.block(|export| {
                    export.denying(scope, p, |export, scope| export.prove(scope, shape, lhs, rhs, fails))
                })
            }
        }
    }

    /// An equation for a child gives the equation for the term.
    #[expect(clippy::too_many_arguments, reason = "a goal is a shape and two sides, in a scope")]
    fn congruence(
        &mut self,
        scope: &mut Scope,
        shape: &[Ix],
        lhs: &Expr,
        rhs: &Expr,
        at: Child,
        child: &Step,
        certs: &[Cert],
    ) -> Result<()> {
        let (Some(l), Some(r)) = (lhs.child(at), rhs.child(at)) else {
            return Err(Refusal::Unknown("a congruence at no child"));
        };
        let level = scope.level();
        match (&**lhs, at) {
            (Node::Gen(label, n, _), _) => {
                let Some((outer, rest)) = shape.split_first() else {
                    return Err(Refusal::Unknown("a gen without an extent"));
                };
                if outer != n {
                    let natural: Vec<Ix> = [n.clone()].into_iter().chain(rest.iter().cloned()).collect();
                    self.cast(scope, shape, &natural, certs)?;
                }
                self.line("apply (cong_gen _ _ _ _ _ eq_refl).");
                let names = scope.push_loop(label, n);
                self.line(&format!("intros {}.", names.join(" ")));
                self.prove(scope, rest, &raw::open(l, level), &raw::open(r, level), child)?;
            }
            (Node::Sum(label, n, _), _) => {
                self.line("apply (cong_sum _ _ _ _ _ _ eq_refl).");
                let names = scope.push_loop(label, n);
                self.line(&format!("intros {}.", names.join(" ")));
                self.prove(scope, shape, &raw::open(l, level), &raw::open(r, level), child)?;
            }
            (Node::Let(label, bound, _), Child::Body) => {
                self.line("apply cong_let_body.");
                let ty = scope.ty(bound, Side::Left)?;
                let name = scope.push_tensor(label, ty);
                self.line(&format!("intros {name}."));
                self.prove(scope, shape, &raw::open(l, level), &raw::open(r, level), child)?;
            }
            (Node::Let(label, _, body), _) => {
                let Node::Let(_, _, other) = &**rhs else { return Err(Refusal::Unknown("this congruence")) };
                let (left, right) = (scope.ty(l, Side::Left)?, scope.ty(r, Side::Left)?);
                let from = self.needs.shape(scope, Side::Left, &left.shape)?;
                self.line(&format!("apply (cong_let {from})."));
                self.block(|export| export.prove(scope, &left.shape, l, r, child))?;
                let names = scope.push_pair(label, left, right);
                self.line(&format!("intros {}.", names.join(" ")));
                self.walk(scope, shape, &raw::open(body, level), &raw::open(other, level), certs)?;
            }
            (Node::Iterate(x), _) => {
                let Node::Iterate(y) = &**rhs else { return Err(Refusal::Unknown("this congruence")) };
                self.iterations(scope, shape, x, y, certs, Some((at, child)))?;
            }
            (Node::Guard(p, _), _) => {
                self.line("apply (cong_guard _ _ _ _ _ _ eq_refl).");
                self.assuming(scope, p, |export, scope| export.prove(scope, shape, l, r, child))?;
            }
            (Node::Select(p, ..), Child::Then) => {
                self.line("apply (cong_select _ _ _ _ _ _ _ eq_refl).");
                self.block(|export| {
                    export.assuming(scope, p, |export, scope| export.prove(scope, shape, l, r, child))
                })?;
                self.line("intros _. apply refl.");
            }
            (Node::Select(p, ..), _) => {
                self.line("apply (cong_select _ _ _ _ _ _ _ eq_refl).");
                self.block(|export| {
                    export.line("intros _. apply refl.");
                    Ok(())
                })?;
                self.denying(scope, p, |export, scope| {
                    let natural = scope.ty(l, Side::Left)?.shape;
                    export.cast(scope, shape, &natural, certs)?;
                    export.prove(scope, &natural, l, r, child)
                })?;
            }
            (Node::Get(..), _) => {
                let (left, right) = (scope.ty(l, Side::Left)?, scope.ty(r, Side::Left)?);
                let (Some(n), Some(m)) = (left.shape.first(), right.shape.first()) else {
                    return Err(Refusal::Unknown("an access to a scalar"));
                };
                let equal = self.equal(scope, n, m, certs)?;
                self.line(&format!("apply (cong_get _ _ _ _ _ _ _ _ {equal} eq_refl)."));
                let inner: Vec<Ix> = [n.clone()].into_iter().chain(shape.iter().cloned()).collect();
                self.prove(scope, &inner, l, r, child)?;
            }
            (Node::View(..), _) => {
                self.line("apply cong_view.");
                self.prove(scope, shape, l, r, child)?;
            }
            (Node::Prim(_, args), Child::Arg(k)) => {
                self.line(&format!("apply cong_prim{}.", args.len()));
                for j in 0..args.len() {
                    self.block(|export| {
                        if j != k as usize {
                            export.line("apply refl.");
                            return Ok(());
                        }
                        let natural = scope.ty(l, Side::Left)?.shape;
                        export.cast(scope, shape, &natural, certs)?;
                        export.prove(scope, &natural, l, r, child)
                    })?;
                }
            }
            (Node::Op(..), Child::Arg(_)) => {
                let (left, right) = (scope.ty(l, Side::Left)?, scope.ty(r, Side::Left)?);
                let from = self.needs.shape(scope, Side::Left, &left.shape)?;
                // The same application, of a variable.
                let var: Expr = Arc::new(Node::Var(atl_kernel::Var::Free(level)));
                let (f, g) = (Arc::new(lhs.with_child(at, var.clone())), Arc::new(rhs.with_child(at, var)));
                let carrier = self.needs.carrier(left.elem.scalar);
                let label = atl_kernel::Label::new("t");
                let [x, y, equal] = scope.push_pair(&label, left.clone(), right);
                let (left_text, right_text) =
                    (self.needs.term(scope, Side::Left, &f)?, self.needs.term(scope, Side::Right, &g)?);
                scope.truncate(level);
                self.line(&format!(
                    "apply (cong_apply {from} _ (fun {x} : tensor {carrier} => {left_text}) (fun {y} : tensor {carrier} => {right_text}))."
                ));
                self.block(|export| export.prove(scope, &left.shape, l, r, child))?;
                let right = scope.ty(r, Side::Left)?;
                scope.push_pair(&label, left, right);
                self.line(&format!("intros {x} {y} {equal}."));
                self.unfold_here(scope, &f, Side::Left)?;
                let (f, g) =
                    (scope.unfolded(&f, Side::Left, false)?, scope.unfolded(&g, Side::Right, false)?);
                self.walk(scope, shape, &f, &g, certs)?;
            }
            _ => return Err(Refusal::Unknown("this congruence")),
        }
        scope.truncate(level);
        Ok(())
    }
}

/// A scope with the entries of a context.
pub(crate) fn enter_context(scope: &mut Scope, ctx: &Ctx) {
    for entry in ctx.entries() {
        match entry {
            atl_kernel::Entry::Index(label) => drop(scope.push_index(label)),
            atl_kernel::Entry::Tensor(label, ty) => drop(scope.push_tensor(label, ty.clone())),
            atl_kernel::Entry::Hyp(p, _) => drop(scope.push_hyp(p)),
            atl_kernel::Entry::All(labels, p) => drop(scope.push_all(labels, p)),
        }
    }
}
