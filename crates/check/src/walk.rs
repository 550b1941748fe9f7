//! The walk that collects obligations.
//!
//! A subterm is either *stored*, and then a reindexer says where, or a *value*: an operand of a pointwise
//! operation, or an array that is accessed. What a value computes reaches memory only through a temporary of
//! its own (lowering names it), so nothing that encloses it can drop it. An operator below an access is
//! read through its gather view and drops nothing.
//!
//! Guards count as padding only where lowering keeps them around the store: not below an operation. In a sum
//! they do count.

use crate::reads::{reads_of_index, reads_of_predicate};
use crate::reindex::{MAX_INDEX, Reindexer};
use crate::report::{Kind, Obligation, Report, Violation};
use crate::storage::{ALIVE_BYTES, StorageError, bytes, storage};
use atl_arith::keys::{Growth, equations, grows};
use atl_arith::size::Sizes;
use atl_kernel::{
    Cert, Child, Ctx, Entry, Error, Expr, Ix, Label, LoopKind, Node, Number, Pred, Prover, Result, Rule,
    Storage, Thm, Type, enter, subst, type_of,
};
use atl_ops::elements::{assume_written, is_read};
use atl_ops::reflect::enter_let;
use atl_ops::{Operator, as_it_stands};
use std::sync::Arc;

/// Collect and prove what lowering `e` relies on.
pub fn check_term(ctx: &Ctx, e: &Expr, prover: &mut dyn Prover) -> Report {
    let mut walk = Walk {
        prover,
        ctx: ctx.clone(),
        inside: ctx.level(),
        path: Vec::new(),
        numbers: Vec::new(),
        shown: Vec::new(),
        report: Report::default(),
    };
    let place = Place { role: Role::Stored(Reindexer::identity()), around: Around::Serial, local: 0 };
    if walk.type_of(e).is_some() {
        walk.term(e, &place);
    }
    walk.report
}

/// What becomes of a subterm.
#[derive(Clone)]
enum Role {
    /// It is an operand or an accessed array.
    Value,
    /// Its elements are stored, there.
    Stored(Reindexer),
}

/// The innermost concurrent loop around a place.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    Serial,
    Parallel,
    Vector,
}

#[derive(Clone)]
struct Place {
    role: Role,
    around: Around,
    /// The bytes of stack and registers that the `let`s around it hold.
    local: i64,
}

impl Place {
    fn value(&self) -> Place {
        Place { role: Role::Value, ..self.clone() }
    }

    /// A destination of its own.
    fn temporary(&self) -> Place {
        Place { role: Role::Stored(Reindexer::identity()), ..self.clone() }
    }

    fn theta(&self, map: impl FnOnce(&Reindexer) -> Reindexer) -> Place {
        let role = match &self.role {
            Role::Value => Role::Value,
            Role::Stored(theta) => Role::Stored(map(theta)),
        };
        Place { role, ..self.clone() }
    }
}

struct Walk<'p> {
    prover: &'p mut dyn Prover,
    ctx: Ctx,
    /// The level that the context has at the term that is looked at; beyond it, there is more for a single
    /// question.
    inside: u32,
    path: Vec<Child>,
    /// The numbers that the `let`s around bind, by level.
    numbers: Vec<(u32, Expr)>,
    /// What was shown at the terms around, and so holds here too: an index that reads what another place
    /// read, as in the levels of a format, asks the same again at each.
    shown: Vec<Shown>,
    report: Report,
}

/// A goal with its certificate in a context.
struct Shown {
    ctx: Ctx,
    goal: Pred,
    cert: Cert,
}

impl Walk<'_> {
    fn show(&mut self, kind: Kind, goal: Pred, at: &Expr) {
        let path = self.path.clone();
        if let Some(Shown { ctx, cert, .. }) = self.shown.iter().find(|shown| shown.goal == goal) {
            let (ctx, cert) = (ctx.clone(), cert.clone());
            self.report.obligations.push(Obligation { kind, ctx, path, goal, cert });
            return;
        }
        let ctx = self.ctx.clone();
        let cert = self.prover.prove(&ctx, &goal);
        match cert.filter(|cert| atl_kernel::cert::check(&ctx, &goal, cert).is_ok()) {
            Some(cert) => {
                if ctx.level() == self.inside {
                    self.shown.push(Shown { ctx: ctx.clone(), goal: goal.clone(), cert: cert.clone() });
                }
                self.report.obligations.push(Obligation { kind, ctx, path, goal, cert });
            }
            None => {
                let counterexample = atl_arith::counterexample(&ctx, &goal);
                let (expr, numbers) = (at.clone(), self.numbers.clone());
                let violation = Violation { kind, ctx, path, goal, expr, numbers, counterexample };
                self.report.violations.push(violation);
            }
        }
    }

    fn refuse(&mut self, kind: Kind, at: &Expr) {
        self.report.violations.push(Violation {
            kind,
            ctx: self.ctx.clone(),
            path: self.path.clone(),
            goal: Pred::False,
            expr: at.clone(),
            numbers: self.numbers.clone(),
            counterexample: None,
        });
    }

    /// The result, or a violation for the error.
    fn typed<T>(&mut self, result: Result<T>, at: &Expr) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(Error::Unproved(unproved)) => {
                let (ctx, goal) = (unproved.ctx.clone(), unproved.goal.clone());
                let counterexample = atl_arith::counterexample(&ctx, &goal);
                let (kind, path) = (Kind::Typed(Error::Unproved(unproved)), self.path.clone());
                let (expr, numbers) = (at.clone(), self.numbers.clone());
                let violation = Violation { kind, ctx, path, goal, expr, numbers, counterexample };
                self.report.violations.push(violation);
                None
            }
            Err(error) => {
                self.refuse(Kind::Typed(error), at);
                None
            }
        }
    }

    fn type_of(&mut self, e: &Expr) -> Option<Type> {
        let ty = type_of(&self.ctx, e, self.prover);
        self.typed(ty, e)
    }

    fn child(&mut self, e: &Expr, at: Child, run: impl FnOnce(&mut Self, &Expr)) {
        if let Some(child) = as_it_stands(e, at) {
            let shown = self.shown.len();
            self.path.push(at);
            run(self, child);
            self.path.pop();
            self.shown.truncate(shown);
            return;
        }
        let entered = enter(&self.ctx, e, at, self.prover);
        let Some((mut inner, opened)) = self.typed(entered, e) else { return };
        let named = self.numbers.len();
        if let (Node::Let(_, bound, _), Child::Body, Some(level)) = (&**e, at, inner.level().checked_sub(1))
            && let Some(Entry::Tensor(_, ty)) = inner.entry(level).cloned()
            && ty.elem.scalar.is_index()
            && is_read(&opened, level)
        {
            if let Ok((knowing, _)) = enter_let(&self.ctx, e, self.prover) {
                inner = knowing;
            }
            assume_written(&mut inner, level, &ty, bound);
            if ty.shape.is_empty() {
                self.numbers.push((level, bound.clone()));
            }
        }
        let inside = std::mem::replace(&mut self.inside, inner.level());
        let (outer, shown) = (std::mem::replace(&mut self.ctx, inner), self.shown.len());
        self.path.push(at);
        run(self, &opened);
        self.path.pop();
        self.shown.truncate(shown);
        (self.ctx, self.inside) = (outer, inside);
        self.numbers.truncate(named);
    }

    fn term(&mut self, e: &Expr, place: &Place) {
        self.reads(e);
        match &**e {
            Node::Gen(label, n, _) => self.gen_loop(e, label, n, place),
            Node::Sum(label, n, body) => {
                if label.kind == LoopKind::Search {
                    self.search(e, n, body);
                }
                self.sum_loop(e, label, place);
            }
            Node::Guard(..) => self.child(e, Child::Body, |w, body| w.term(body, place)),
            Node::Select(..) => {
                self.child(e, Child::Then, |w, side| w.term(side, place));
                self.child(e, Child::Else, |w, side| w.term(side, place));
            }
            Node::Let(label, bound, _) => {
                let place = &Place { local: self.scratch(e, label, bound, place), ..place.clone() };
                self.child(e, Child::Bound, |w, bound| w.term(bound, &place.temporary()));
                self.child(e, Child::Body, |w, body| w.term(body, place));
            }
            Node::Iterate(it) => {
                let mut place = place.clone();
                for (k, state) in (0..).zip(&it.states) {
                    self.child(e, Child::Init(k), |w, init| w.term(init, &place.temporary()));
                    // The old state and the new one.
                    for _ in 0..2 {
                        place.local = match self.type_of(&state.init) {
                            Some(ty) => self.kept(e, &state.label, &ty, &place),
                            None => place.local,
                        };
                    }
                }
                for k in (0..).take(it.states.len()) {
                    self.child(e, Child::Step(k), |w, step| w.term(step, &place.temporary()));
                }
                self.child(e, Child::Body, |w, body| w.term(body, &place));
            }
            Node::Op(_, ixs, args) => match self.operator(e) {
                Some((op, extents)) => self.operands(e, op, ixs, &extents, args.len(), place),
                None => self.unfolded(e, place),
            },
            Node::Get(array, index) => {
                if let Some(extent) = self.type_of(array).and_then(|ty| ty.shape.into_iter().next()) {
                    self.show(Kind::Access, Pred::in_range(index, &extent), e);
                }
                self.leaf(e, place);
                self.child(e, Child::Body, |w, array| w.term(array, &place.value()));
            }
            // Lowering makes it the padding that it equals: `0 = [false] * 0`.
            Node::Lit(_, Number::Zero) => {}
            Node::Var(_) | Node::Lit(..) | Node::Index(..) => self.leaf(e, place),
            // Each result has a destination of its own.
            Node::Bundle(..) => {
                for at in e.children() {
                    self.child(e, at, |w, part| w.term(part, &place.temporary()));
                }
            }
            Node::Prim(..) | Node::View(..) => {
                self.leaf(e, place);
                for at in e.children() {
                    self.child(e, at, |w, operand| w.term(operand, &place.value()));
                }
            }
        }
    }

    /// What the node itself reads in its index terms and its predicate is there.
    fn reads(&mut self, e: &Expr) {
        let goals = match &**e {
            Node::Gen(_, i, _) | Node::Sum(_, i, _) | Node::Get(_, i) | Node::Index(_, i) => {
                reads_of_index(&self.ctx, i)
            }
            Node::Guard(p, _) | Node::Select(p, ..) => reads_of_predicate(&self.ctx, p),
            Node::Op(_, ixs, _) => ixs.iter().flat_map(|i| reads_of_index(&self.ctx, i)).collect(),
            Node::Iterate(it) => reads_of_index(&self.ctx, &it.extent),
            _ => return,
        };
        for (there, goal) in goals {
            let here = std::mem::replace(&mut self.ctx, there);
            self.show(Kind::Access, goal, e);
            self.ctx = here;
        }
    }

    fn gen_loop(&mut self, e: &Expr, label: &Label, n: &Ix, place: &Place) {
        self.show(Kind::Extent, Pred::le(Ix::ZERO, n.clone()), e);
        if label.kind == LoopKind::Parallel && place.around != Around::Serial {
            self.refuse(Kind::NestedParallel, e);
        }
        let around = match label.kind {
            LoopKind::Parallel => Around::Parallel,
            LoopKind::Vector(_) => Around::Vector,
            LoopKind::Search => {
                self.refuse(Kind::Search, e);
                place.around
            }
            LoopKind::Serial | LoopKind::Unroll => place.around,
        };
        let level = self.ctx.level();
        let place = Place { around, ..place.theta(|theta| theta.under_gen(Ix::free(level))) };
        self.child(e, Child::Body, |w, body| w.term(body, &place));
    }

    fn sum_loop(&mut self, e: &Expr, label: &Label, place: &Place) {
        if matches!(label.kind, LoopKind::Parallel | LoopKind::Vector(_)) {
            self.refuse(Kind::ConcurrentSum(label.kind), e);
        }
        let place = match place.role {
            Role::Value => place.temporary(),
            Role::Stored(_) => place.clone(),
        };
        self.child(e, Child::Body, |w, body| w.term(body, &place));
    }

    /// The terms of a sum stand under an equation with a key that never falls: so those that are not zero
    /// follow each other.
    fn search(&mut self, e: &Expr, n: &Ix, body: &Expr) {
        let level = self.ctx.level();
        let goals: Vec<(Ctx, Pred)> = match &*subst::open(body, level) {
            Node::Guard(p, _) => {
                let keys = equations(p, level).into_iter().map(|equation| equation.key);
                keys.map(|key| grows(&self.ctx, (level, &key), n, Growth::Weak)).collect()
            }
            _ => Vec::new(),
        };
        let shown = goals.iter().position(|(there, goal)| self.prover.prove(there, goal).is_some());
        let Some((there, goal)) = goals.into_iter().nth(shown.unwrap_or_default()) else {
            return self.refuse(Kind::Search, e);
        };
        let here = std::mem::replace(&mut self.ctx, there);
        self.show(Kind::Search, goal, e);
        self.ctx = here;
    }

    /// The local bytes that are alive inside the `let`.
    fn scratch(&mut self, e: &Expr, label: &Label, bound: &Expr, place: &Place) -> i64 {
        let Some(ty) = self.type_of(bound) else { return place.local };
        // Another name for memory that is there.
        if matches!(storage(label, &ty), Ok(Storage::Heap))
            && label.storage == Storage::Auto
            && is_access(bound)
        {
            self.has_cells(e, &ty);
            return place.local;
        }
        self.kept(e, label, &ty, place)
    }

    fn has_cells(&mut self, e: &Expr, ty: &Type) {
        for extent in &ty.shape {
            self.show(Kind::Extent, Pred::le(Ix::ZERO, extent.clone()), e);
        }
    }

    /// The local bytes that are alive with a tensor of this type.
    fn kept(&mut self, e: &Expr, label: &Label, ty: &Type, place: &Place) -> i64 {
        self.has_cells(e, ty);
        match storage(label, ty) {
            Err(StorageError(demanded)) => self.refuse(Kind::LocalStorage(demanded), e),
            Ok(Storage::Heap) if place.around == Around::Vector => self.refuse(Kind::HeapInVector, e),
            Ok(Storage::Heap) => {}
            Ok(_) => {
                let alive = bytes(ty).and_then(|more| place.local.checked_add(more));
                match alive.filter(|alive| *alive <= ALIVE_BYTES) {
                    Some(alive) => return alive,
                    None => self.refuse(Kind::LocalStorage(Storage::Stack), e),
                }
            }
        }
        place.local
    }

    /// The registered operator that `e` applies, with the extents it looks at.
    fn operator(&mut self, e: &Expr) -> Option<(&'static Operator, Vec<Ix>)> {
        let Node::Op(definition, _, args) = &**e else { return None };
        let op = atl_ops::of(definition)?;
        let mut extents = Vec::new();
        for (arg, named) in args.iter().zip(op.tensor_params) {
            extents.extend(self.type_of(arg)?.shape.into_iter().take(named.len()));
        }
        Some((op, extents))
    }

    fn operands(
        &mut self,
        e: &Expr,
        op: &'static Operator,
        ixs: &[Ix],
        extents: &[Ix],
        count: usize,
        place: &Place,
    ) {
        self.show(Kind::Requires(op.name), (op.requires)(ixs, extents), e);
        for (k, at) in (0..count).zip(e.children()) {
            // A truncation of memory that is there is lowered as a shorter loop over it: nothing is dropped.
            let read = op.drops
                && e.child(at).is_some_and(|operand| matches!(**operand, Node::Var(_) | Node::Get(..)));
            let place = match read {
                true => place.value(),
                false => place.theta(|theta| theta.under_operator(op, ixs, extents, k)),
            };
            self.child(e, at, |w, operand| w.term(operand, &place));
        }
    }

    /// An operator that is not registered is lowered by its definition.
    fn unfolded(&mut self, e: &Expr, place: &Place) {
        let thm = Thm::rule(&Arc::new(self.ctx.clone()), Rule::Unfold, e, self.prover);
        if let Some(thm) = self.typed(thm, e) {
            self.term(thm.rhs(), place);
        }
    }

    /// Every element of `e` is stored: none may be dropped.
    fn leaf(&mut self, e: &Expr, place: &Place) {
        let Role::Stored(theta) = &place.role else { return };
        if !theta.drops() {
            return;
        }
        let Some(ty) = self.type_of(e) else { return };
        let level = self.ctx.level();
        let index =
            ty.shape.iter().map(|n| Ix::free(self.ctx.push_loop(Label::new("i"), n))).collect::<Vec<_>>();
        for (name, goal) in theta.kept(&self.ctx, self.prover, index) {
            match Sizes::default().pred(&goal) {
                nodes if nodes > MAX_INDEX => self.refuse(Kind::TooLong(name, nodes), e),
                _ => self.show(Kind::Padding(name), goal, e),
            }
        }
        self.ctx.truncate(level);
    }
}

/// Is it a variable, or an access to one?
fn is_access(e: &Expr) -> bool {
    match &**e {
        Node::Var(_) => true,
        Node::Get(array, _) => is_access(array),
        _ => false,
    }
}
