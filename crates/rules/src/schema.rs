//! Schemas: equations of the catalogue, and users' theorems, as rules that rewrite terms.
//!
//! **The one idea.** A theorem's sizes and tensors are metavariables. Matching one side with a term finds
//! what they stand for; the tensors are then generalised to variables again ([`Cx::instance`]), the equation
//! is proved of those, and the terms come back in their places by beta reduction. So an instance is a theorem
//! of the kernel like any other, and neither matching nor a statement can make a wrong one.
//!
//! A tensor may have more dimensions than its declaration says: a rule about vectors holds for vectors of
//! rows. Matching is in `matching`; the automatic proofs are [`by_gather`], [`by_cases`] and [`by_normal`].

use crate::beta::reduce;
use crate::cases::by_cases;
use crate::cx::Cx;
use crate::gather::by_gather;
use crate::matching::{Bindings, Matcher};
use crate::normal::by_normal;
use crate::shorten::shorten;
use atl_diag::Span;
use atl_kernel::{
    Ctx, Elem, Entry, Error, Expr, Ix, Label, Node, Pred, Prim, Result, Rule, Thm, Type, Var, subst::Subst,
};
use atl_lang::{SizeParam, Statement};
use std::sync::Arc;

/// Which way an equation is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the left side to the right one.
    Forwards,
    /// From the right side to the left one.
    Backwards,
}

/// Proves `lhs = rhs`, the statement of a schema where its tensors are variables.
pub type Prove = dyn Fn(&mut Cx<'_>, &Instance, &Expr, &Expr) -> Result<Thm> + Send + Sync;

/// How the instances of a schema are proved.
#[derive(Clone)]
pub enum Proof {
    /// By the automatic provers.
    Automatic,
    /// By this function.
    By(Arc<Prove>),
}

/// Why a theorem does not apply to most terms.
pub const OTHER_FORM: &str = "the term is not of the form of the theorem's side";

/// Why a theorem does not apply to a term that is of the form of its side, but leaves a size open.
pub const UNDETERMINED: &str =
    "the term does not say what everything in the theorem is: sizes can be given, as in `with n = 8`";

/// An equation with metavariables.
#[derive(Clone)]
pub struct Schema {
    statement: Statement,
    proof: Proof,
}

/// The values of a schema's metavariables at a term.
#[derive(Clone, Debug)]
pub struct Instance {
    bindings: Bindings,
    names: Vec<(String, Ix)>,
}

impl Instance {
    /// The value of a size of the statement.
    pub fn size(&self, name: &str) -> Option<&Ix> {
        self.names.iter().find(|(n, _)| n == name).map(|(_, ix)| ix)
    }

    /// The sizes with their names, in the order of the statement.
    pub fn sizes(&self) -> &[(String, Ix)] {
        &self.names
    }
}

impl Schema {
    /// The schema of a statement.
    pub fn new(statement: Statement, proof: Proof) -> Schema {
        Schema { statement, proof }
    }

    /// Its context and sides with this element type for each variable one.
    pub fn over(&self, elem: Elem) -> (Arc<Ctx>, Expr, Expr) {
        let Statement { ctx, params, lhs, rhs, .. } = &self.statement;
        let variables = params.iter().map(|p| p.ty.elem).filter(|e| atl_lang::is_variable(*e));
        let bindings = Bindings { elems: variables.map(|any| (any, elem)).collect(), ..Bindings::default() };
        let mut actual = Ctx::new();
        for entry in ctx.entries() {
            match entry {
                Entry::Index(label) => {
                    actual.push_index(label.clone());
                }
                Entry::Tensor(label, ty) => {
                    let ty = Type { elem: bindings.elem(ty.elem), shape: ty.shape.clone() };
                    actual.push_tensor(label.clone(), ty);
                }
                Entry::Hyp(p, _) => actual.push_hyp(p.clone()),
                Entry::All(variables, p) => actual.push_all(variables.to_vec(), (**p).clone()),
            }
        }
        (Arc::new(actual), adapt(lhs, &bindings), adapt(rhs, &bindings))
    }

    /// Its statement.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// The side that is matched, and the other one.
    fn sides(&self, direction: Direction) -> (&Expr, &Expr) {
        let Statement { lhs, rhs, .. } = &self.statement;
        match direction {
            Direction::Forwards => (lhs, rhs),
            Direction::Backwards => (rhs, lhs),
        }
    }

    /// The sizes that the side which is matched does not determine: arguments that must be given. Each by the
    /// place where its name is first written.
    pub fn arguments(&self, cx: &mut Cx<'_>, direction: Direction) -> Vec<Span> {
        let (side, _) = self.sides(direction);
        let Statement { ctx, sizes, .. } = &self.statement;
        let found = Matcher::new(&self.statement, ctx, Bindings::default(), cx.prover).run(ctx, side, side);
        let known = |level: u32| found.as_ref().is_some_and(|b| b.index_at(level).is_some());
        sizes.iter().filter(|size| !known(size.level)).map(|size| size.span).collect()
    }

    /// What the metavariables are if the side of this direction is `e`, with some sizes given.
    ///
    /// # Errors
    /// `e` is not of the side's form, or does not determine every size.
    pub fn matches(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        direction: Direction,
        given: &[(&str, Ix)],
    ) -> Result<Instance> {
        let Statement { sizes, params, .. } = &self.statement;
        let mut start = Bindings::default();
        for (name, ix) in given {
            let Some(size) = sizes.iter().find(|size| size.name == *name) else {
                return Err(Error::Mismatch("the theorem has no such size"));
            };
            start.index.push((size.level, ix.clone()));
        }
        let (side, _) = self.sides(direction);
        let found = Matcher::new(&self.statement, &cx.ctx, start, cx.prover).run(&cx.ctx, side, e);
        let bindings = found.ok_or(Error::Mismatch(OTHER_FORM))?;
        let known =
            |size: &SizeParam| bindings.index_at(size.level).map(|ix| (size.name.clone(), ix.clone()));
        let names = sizes.iter().map(known).collect::<Option<_>>();
        let names = names.ok_or(Error::Mismatch(UNDETERMINED))?;
        let bindings = bindings.with_zeros(params).ok_or(Error::Mismatch(UNDETERMINED))?;
        Ok(Instance { bindings, names })
    }

    /// `e` equals the other side of the equation.
    ///
    /// # Errors
    /// `e` is not the side of this direction, a condition is not proved, or the algebra lacks a law.
    pub fn apply(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        direction: Direction,
        given: &[(&str, Ix)],
    ) -> Result<Thm> {
        let instance = self.matches(cx, e, direction, given)?;
        // The conditions that are written say more of what is wrong than that a size is natural, so they come
        // first.
        let Statement { ctx, conditions, .. } = &self.statement;
        let written = conditions.iter().map(|(condition, _)| condition);
        for hypothesis in written.chain(ctx.hypotheses().map(|(_, p)| p)) {
            cx.demand(instance.pred(hypothesis))?;
        }
        let terms = self.terms(&instance);
        let (from, _) = self.sides(direction);
        let here = instance_at(cx, e, &self.instantiate(&instance, from, &terms), &terms)?;
        let lemma = self.generalised(cx, &instance, &terms, 0)?;
        let lemma = match direction {
            Direction::Forwards => lemma,
            Direction::Backwards => lemma.sym(),
        };
        let thm = cx.then(here.trans(lemma)?, |cx, e| reduce(cx, e, &terms))?;
        match instance.bindings.tensors.iter().any(|(_, f)| f.shifted) {
            true => cx.then(thm, shorten),
            false => Ok(thm),
        }
    }

    /// The values of the tensor metavariables.
    fn terms(&self, instance: &Instance) -> Vec<Expr> {
        let find = |level: u32| instance.bindings.tensor_at(level).map(|f| f.expr.clone());
        self.statement.params.iter().filter_map(|p| find(p.level)).collect()
    }

    /// The equation with these tensors, of which the first `done` are variables.
    fn generalised(&self, cx: &mut Cx<'_>, instance: &Instance, terms: &[Expr], done: usize) -> Result<Thm> {
        let sides = |terms: &[Expr]| {
            let Statement { lhs, rhs, .. } = &self.statement;
            (self.instantiate(instance, lhs, terms), self.instantiate(instance, rhs, terms))
        };
        let Some(term) = terms.get(done) else {
            let (lhs, rhs) = sides(terms);
            return match &self.proof {
                Proof::Automatic => automatic(cx, &lhs, &rhs),
                Proof::By(prove) => prove(cx, instance, &lhs, &rhs),
            };
        };
        let variable: Expr = Arc::new(Node::Var(Var::Free(cx.ctx.level())));
        let mut general = terms.to_vec();
        general[done] = variable;
        let with = |t: &Expr| {
            let mut terms = terms.to_vec();
            terms[done] = t.clone();
            sides(&terms)
        };
        cx.instance(term, with, |cx, _, _| self.generalised(cx, instance, &general, done + 1))
    }

    /// A side with these tensors for its tensor metavariables, and the binders' labels of the instance.
    fn instantiate(&self, instance: &Instance, side: &Expr, terms: &[Expr]) -> Expr {
        let tensor = self.statement.params.iter().map(|p| p.level).zip(terms.iter().cloned()).collect();
        let subst = Subst { index: instance.bindings.index.clone(), tensor };
        subst.expr(&adapt(side, &instance.bindings))
    }
}

impl Instance {
    /// A predicate of the statement, of the instance's sizes.
    fn pred(&self, p: &Pred) -> Pred {
        Subst { index: self.bindings.index.clone(), tensor: Vec::new() }.pred(p)
    }
}

/// `e` equals a side of the equation with whole tensors in it, which becomes `e` when accesses to them are
/// carried out.
fn instance_at(cx: &mut Cx<'_>, e: &Expr, side: &Expr, tensors: &[Expr]) -> Result<Thm> {
    let elements = cx.converted(side, |cx, e| reduce(cx, e, tensors))?;
    let same = match elements.rhs() == e {
        true => elements,
        false => cx.then(elements, |cx, found| match cx.rule(Rule::ArithEq(e.clone()), found) {
            Err(Error::Mismatch(_)) => Err(Error::Mismatch(OTHER_FORM)),
            same => same.map(Some),
        })?,
    };
    Ok(same.sym())
}

/// The automatic proof: by arrangement alone if that is enough, then by cases, then by the algebra's laws.
///
/// # Errors
/// None of the three finds one; what the first of them says.
pub fn automatic(cx: &mut Cx<'_>, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    by_gather(cx, lhs, rhs)
        .or_else(|simplest| by_cases(cx, lhs, rhs).or_else(|_| by_normal(cx, lhs, rhs)).map_err(|_| simplest))
}

/// The term of a schema with the element types and the binders' labels of an instance. A binder `i.o` of the
/// schema is called after the one that `i` was matched with.
fn adapt(e: &Expr, bindings: &Bindings) -> Expr {
    let label = |l: &Label| {
        let found = |name: &str| bindings.labels.iter().find(|(own, _)| &*own.name == name).map(|(_, l)| l);
        let part = || {
            let (whole, part) = l.name.rsplit_once('.')?;
            let found = found(whole)?;
            let name = format!("{}.{part}", found.name).into();
            Some(Label { name, tag: found.tag, ..Label::default() })
        };
        found(&l.name).cloned().or_else(part).unwrap_or_else(|| l.clone())
    };
    let mut node = (**e).clone();
    for at in node.children() {
        if let Some(child) = node.child(at) {
            let child = adapt(child, bindings);
            node = node.with_child(at, child);
        }
    }
    match &mut node {
        Node::Lit(elem, _) | Node::Index(elem, _) | Node::Prim(Prim::Cast(elem), _) => {
            *elem = bindings.elem(*elem);
        }
        Node::Gen(l, ..) | Node::Sum(l, ..) | Node::Let(l, ..) => *l = label(l),
        Node::Iterate(it) => {
            let it = Arc::make_mut(it);
            it.label = label(&it.label);
            it.states.iter_mut().for_each(|state| state.label = label(&state.label));
        }
        _ => {}
    }
    Arc::new(node)
}
