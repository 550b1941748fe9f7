//! The check: every inference again, by the kernel function of that name.
//!
//! The recursion is that of [`Thm::replay`], over the file's lines. Between the kernel's
//! steps stand the limits: what a step is given, and what it makes, is measured.

use crate::error::CheckError;
use crate::file::{ProofFile, Step};
use crate::limits;
use crate::measure::Measures;
use crate::{extents, on_large_stack, vet};
use atl_kernel::cert::check as check_cert;
use atl_kernel::subst::close_all;
use atl_kernel::{Cert, Ctx, Expr, Node, Pred, Prover, Rule, Thm, Var, enter, rounds};
use std::collections::HashMap;
use std::sync::Arc;

type Checked<T> = Result<T, CheckError>;

/// How the families of an induction begin, and how they go on.
type Premises = Vec<(Thm, Thm)>;

/// Does the file prove what it claims? The theorem is the kernel's.
///
/// # Errors
/// The inference that the kernel refuses, a claim that is not what was proved, or a limit of the format.
pub fn check(file: &ProofFile) -> Result<Thm, CheckError> {
    on_large_stack(|| replay(file, Spare::Refused))
}

/// Certificates that are not asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spare {
    /// The file is refused.
    Refused,
    /// They are passed over: they were needed where fewer parts of the terms were shared.
    PassedOver,
}

/// [`check`], on this thread's stack.
pub(crate) fn replay(file: &ProofFile, spare: Spare) -> Checked<Thm> {
    let mut measures = Measures::default();
    for (e, size) in file.tables.terms.iter().zip(&file.tables.sizes) {
        measures.know(e, *size);
    }
    for (definition, size) in file.tables.definitions.iter().zip(&file.tables.definition_sizes) {
        measures.know_definition(definition, *size);
    }
    file.ctx.stray().map_or(Ok(()), |level| Err(CheckError::Context(level)))?;
    let kept = Kept::of(file);
    let mut run = Run { file, measures, spare, held: 0, work: limits::WORK, kept };
    let thm = run.infer(&file.ctx, file.root)?;
    let claims = [
        (thm.lhs() == file.lhs(), "another left side"),
        (thm.rhs() == file.rhs(), "another right side"),
        (thm.laws() == file.laws, "other laws"),
        (thm.rounding() == file.rounding, "another rounding class"),
    ];
    claims
        .into_iter()
        .try_for_each(|(holds, what)| if holds { Ok(()) } else { Err(CheckError::OtherClaim(what)) })?;
    Ok(thm)
}

struct Run<'a> {
    file: &'a ProofFile,
    measures: Measures,
    spare: Spare,
    /// Nodes of theorems, and entries of contexts, that wait while something is inferred.
    held: u64,
    /// Nodes that may still be worked on.
    work: u64,
    kept: Kept,
}

/// Premises of inductions that others cite too, each in the context that it was inferred in. What an
/// induction proves does not depend on the iteration's value, so those about several values share them.
#[derive(Default)]
struct Kept {
    /// How often each is cited.
    cited: HashMap<u32, u32>,
    premises: HashMap<u32, (Arc<Ctx>, Thm)>,
    /// Nodes of these.
    nodes: u64,
}

impl Kept {
    /// Nothing yet, of this file.
    fn of(file: &ProofFile) -> Kept {
        let mut kept = Kept::default();
        for step in &file.tables.steps {
            if let Step::Induction(_, states, _) = step {
                for (_, base, step) in states {
                    [base, step].into_iter().for_each(|s| *kept.cited.entry(*s).or_default() += 1);
                }
            }
        }
        kept
    }
}

/// The certificates of a step, handed to the kernel in order.
struct Cited<'a, 'b> {
    run: &'b mut Run<'a>,
    certs: &'a [u32],
    /// What its products may still write down.
    atoms: u64,
    exceeded: Option<&'static str>,
}

impl Prover for Cited<'_, '_> {
    fn prove(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert> {
        while let Some((c, rest)) = self.certs.split_first() {
            self.certs = rest;
            self.exceeded = self.run.spend(self.run.file.tables.certs[*c as usize].nodes).err();
            let cert = self.exceeded.is_none().then(|| self.run.file.tables.cert(*c))?;
            let instances = vet::instances(ctx, &cert).and_then(|nodes| self.run.spend(nodes));
            let affordable = instances.and_then(|()| vet::affordable(ctx, goal, &cert, &mut self.atoms));
            self.exceeded = affordable.err();
            if self.exceeded.is_some() {
                return None;
            }
            if self.run.spare == Spare::Refused || check_cert(ctx, goal, &cert).is_ok() {
                return Some(cert);
            }
        }
        None
    }
}

impl<'a> Run<'a> {
    /// A kernel call for the inference `s`, with its certificates; which of them are left.
    fn call<T>(
        &mut self,
        s: u32,
        certs: &'a [u32],
        call: impl FnOnce(&mut dyn Prover) -> atl_kernel::Result<T>,
    ) -> Checked<(T, &'a [u32])> {
        let mut cited = Cited { run: self, certs, atoms: limits::ATOMS, exceeded: None };
        let result = call(&mut cited);
        let (exceeded, left) = (cited.exceeded, cited.certs);
        match (result, exceeded) {
            (Ok(value), _) => Ok((value, left)),
            (Err(_), Some(what)) => Err(CheckError::TooLarge(what)),
            (Err(error), None) => Err(CheckError::Kernel { inference: s, error: Box::new(error) }),
        }
    }

    /// A kernel call that must ask for every certificate.
    fn conclude(
        &mut self,
        s: u32,
        certs: &'a [u32],
        call: impl FnOnce(&mut dyn Prover) -> atl_kernel::Result<Thm>,
    ) -> Checked<Thm> {
        match self.call(s, certs, call)? {
            (_, [_, ..]) if self.spare == Spare::Refused => Err(CheckError::Leftover(s)),
            (thm, _) => Ok(thm),
        }
    }

    fn spend(&mut self, nodes: u64) -> Result<(), &'static str> {
        self.work = self.work.checked_sub(nodes).ok_or("the work of all inferences together")?;
        Ok(())
    }

    /// The term may be worked on in this context.
    fn admit(&mut self, ctx: &Ctx, e: &Expr) -> Checked<()> {
        let size = self.measures.of(e).map_err(CheckError::TooLarge)?;
        extents::within(ctx, e).map_err(CheckError::TooLarge)?;
        self.spend(size.nodes).map_err(CheckError::TooLarge)
    }

    /// Infer something while so much waits.
    fn holding<T>(&mut self, waiting: u64, infer: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        self.held += waiting;
        if self.held > limits::HELD {
            return Err(CheckError::TooLarge("what inferences that are not finished hold"));
        }
        let result = infer(self);
        self.held -= waiting;
        result
    }

    /// Infer something in this context while a theorem waits.
    fn after(&mut self, waiting: &Thm, ctx: &Arc<Ctx>, s: u32) -> Checked<Thm> {
        self.holding(self.nodes(waiting), |run| run.within(ctx, s))
    }

    /// The nodes of a theorem's sides.
    fn nodes(&self, thm: &Thm) -> u64 {
        let sides = [thm.lhs(), thm.rhs()];
        sides.map(|e| self.measures.of(e).map_or(limits::NODES, |size| size.nodes)).iter().sum()
    }

    /// Infer something in a context of its own.
    fn within(&mut self, inner: &Arc<Ctx>, s: u32) -> Checked<Thm> {
        self.holding(u64::from(inner.level()), |run| run.infer(inner, s))
    }

    fn infer(&mut self, ctx: &Arc<Ctx>, s: u32) -> Checked<Thm> {
        let tables = &self.file.tables;
        match tables.step(s) {
            Step::Refl(l, r, certs) => {
                let (l, r) = (tables.term(*l), tables.term(*r));
                self.admit(ctx, l)?;
                self.admit(ctx, r)?;
                self.conclude(s, certs, |prover| Thm::relabel(ctx, l, r, prover))
            }
            Step::Sym(p) => Ok(self.infer(ctx, *p)?.sym()),
            Step::Trans(p, q) => {
                let first = self.infer(ctx, *p)?;
                let second = self.after(&first, ctx, *q)?;
                first.trans(second).map_err(|e| refusal(s, e))
            }
            Step::Rule(rule, t, certs) => {
                let lhs = tables.term(*t);
                self.admit(ctx, lhs)?;
                if let Rule::ArithEq(rhs) | Rule::Absurd(rhs) = rule {
                    self.admit(ctx, rhs)?;
                }
                if let Rule::Law(monoid, .., elements) = rule {
                    elements.iter().flatten().try_for_each(|e| self.admit(ctx, e))?;
                    // A side has two sums at most.
                    for e in monoid.zero().iter().chain(monoid.formulas()) {
                        let size = self.measures.of(e).map_err(CheckError::TooLarge)?;
                        self.spend(4 * size.nodes).map_err(CheckError::TooLarge)?;
                    }
                }
                self.room_to_substitute(rule, lhs)?;
                let thm = self.conclude(s, certs, |prover| Thm::rule(ctx, rule.clone(), lhs, prover))?;
                self.admit(ctx, thm.rhs())?;
                Ok(thm)
            }
            Step::Cong(t, at, p, certs) => {
                let parent = tables.term(*t);
                self.admit(ctx, parent)?;
                let ((inner, _), _) = self.call(s, certs, |prover| enter(ctx, parent, *at, prover))?;
                let child = self.within(&Arc::new(inner), *p)?;
                let inside = close_all(child.rhs(), ctx.level(), parent.binds(*at));
                self.admit(ctx, &Arc::new(parent.with_child(*at, inside)))?;
                self.conclude(s, certs, |prover| Thm::congruence(ctx, parent, *at, child, prover))
            }
            Step::Induction(t, states, certs) => {
                let iteration = tables.term(*t);
                self.admit(ctx, iteration)?;
                let inner = Arc::new(rounds(ctx, iteration).map_err(|e| refusal(s, e))?);
                let (family, premises) = self.premises(ctx, &inner, states)?;
                let induced =
                    |prover: &mut dyn Prover| Thm::induction(ctx, iteration, &family, premises, prover);
                let thm = self.conclude(s, certs, induced)?;
                self.admit(ctx, thm.lhs())?;
                Ok(thm)
            }
            Step::Cases(p, q, r) => {
                let holds = self.within(&assuming(ctx, p.clone()), *q)?;
                let fails = self.after(&holds, &assuming(ctx, Pred::not(p.clone())), *r)?;
                Thm::cases(ctx, p.clone(), holds, fails).map_err(|e| refusal(s, e))
            }
        }
    }

    /// The families of an induction's states, in the context of its index, and its premises.
    fn premises(
        &mut self,
        ctx: &Arc<Ctx>,
        inner: &Arc<Ctx>,
        states: &[(u32, u32, u32)],
    ) -> Checked<(Vec<Expr>, Premises)> {
        let (mut family, mut premises) = (Vec::new(), Vec::new());
        let held = self.held;
        for (f, base, step) in states {
            let f = self.file.tables.term(*f);
            self.admit(inner, f)?;
            family.push(f.clone());
            let base = self.premise(ctx, *base, |run, s| run.infer(ctx, s))?;
            let step = self.premise(inner, *step, |run, s| run.after(&base, inner, s))?;
            self.held += self.nodes(&base) + self.nodes(&step);
            premises.push((base, step));
        }
        self.held = held;
        Ok((family, premises))
    }

    /// A premise: kept, or inferred.
    fn premise(
        &mut self,
        ctx: &Arc<Ctx>,
        s: u32,
        infer: impl FnOnce(&mut Self, u32) -> Checked<Thm>,
    ) -> Checked<Thm> {
        if let Some((known, thm)) = self.kept.premises.get(&s)
            && known == ctx
        {
            let thm = thm.clone();
            self.spend(u64::from(ctx.level())).map_err(CheckError::TooLarge)?;
            return Ok(thm);
        }
        let thm = infer(self, s)?;
        let nodes = self.kept.nodes + self.nodes(&thm) + u64::from(ctx.level());
        if self.kept.cited.get(&s).is_some_and(|cited| *cited > 1) && nodes <= limits::HELD {
            self.kept.nodes = nodes;
            self.kept.premises.insert(s, (ctx.clone(), thm.clone()));
        }
        Ok(thm)
    }

    /// `let_inline` and `unfold` copy an operand to every place where it is named.
    fn room_to_substitute(&self, rule: &Rule, lhs: &Expr) -> Checked<()> {
        let nodes = |e: &Expr| self.measures.of(e).map_or(u64::MAX, |size| size.nodes);
        let copied = match (rule, &**lhs) {
            (Rule::LetInline, Node::Let(_, bound, body)) => {
                nodes(body).saturating_add(uses(body, 0).saturating_mul(nodes(bound)))
            }
            (Rule::Unfold, Node::Op(definition, _, args)) => {
                let args = args.iter().fold(1u64, |sum, arg| sum.saturating_add(nodes(arg)));
                self.measures.definition(definition).nodes.saturating_mul(args)
            }
            _ => 0,
        };
        if copied > limits::HELD { Err(CheckError::TooLarge("the nodes of a term")) } else { Ok(()) }
    }
}

/// How often a variable stands in the term, of the binder of this number above it.
fn uses(e: &Expr, binder: u32) -> u64 {
    let own = u64::from(matches!(&**e, Node::Var(Var::Bound(b)) if *b == binder));
    let below = e.children().filter_map(|at| Some((e.child(at)?, e.binds(at))));
    below.fold(own, |sum, (child, binds)| sum + uses(child, binder + binds))
}

fn refusal(inference: u32, error: atl_kernel::Error) -> CheckError {
    CheckError::Kernel { inference, error: Box::new(error) }
}

/// The context where moreover `p` holds.
fn assuming(ctx: &Ctx, p: Pred) -> Arc<Ctx> {
    let mut ctx = ctx.clone();
    ctx.push_hyp(p);
    Arc::new(ctx)
}
