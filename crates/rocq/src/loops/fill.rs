//! Statements: that they put a term into a buffer, by one lemma for each construct.

use super::place::{Layer, Place, in_box};
use super::windows::carried;
use super::words::{condition, is_hoisted, is_scalar, list, mismatch, nested};
use super::{Kind, Lowering, Target};
use crate::error::Result;
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Expr, Ix, Label, Node, Number, Pred, Prim};
use atl_loops::{Init, Name, Stmt, StoreMode};
use atl_lower::machine;
use std::sync::Arc;

/// How often a loop runs, if simplification says so: with one iteration it is its body, and with none nothing.
pub(super) fn iterations(scope: &Scope, n: &Ix) -> Option<i64> {
    match atl_arith::simplify(&scope.ctx, n) {
        Ix::Lit(n) => Some(n.max(0)),
        _ => None,
    }
}

/// The condition of a loop's body, and what it guards, if it is the same in each iteration.
fn settled(body: &Expr) -> Option<(&Pred, &Expr)> {
    let Node::Guard(p, inside) = &**body else { return None };
    (raw::pred_at(p, &Ix::ZERO) == *p).then_some((p, inside))
}

impl Lowering<'_, '_> {
    /// Prove the goal `fills G X stmts buf shape C place e kind`, and give the statements' texts.
    pub(super) fn fill(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        e: &Expr,
        shape: &[Ix],
        to: &Target,
    ) -> Result<Vec<String>> {
        if let [alloc @ Stmt::Alloc { buf, extents, init, body, .. }] = stmts
            && is_hoisted(alloc)
        {
            let extents = self.extents(extents)?;
            let text = self.alloc_text(scope, buf, &extents, init, e)?;
            self.export.line("apply fills_alloc.");
            self.by("eq_refl");
            self.by("eq_refl");
            self.scratch.push((buf.clone(), extents));
            let inside = self.fill(scope, list(body), e, shape, to);
            self.scratch.pop();
            return Ok(vec![format!("({text} {})", nested(&inside?))]);
        }
        let natural = scope.ty(e, Side::Left)?.shape;
        if natural != shape {
            self.cast(scope, &natural, shape)?;
        }
        let shape = natural;
        if let (true, [Stmt::Store { .. }]) = (is_scalar(e), stmts) {
            return Ok(vec![self.store(scope, stmts, e, to)?]);
        }
        match &**e {
            Node::Gen(_, n, body) if iterations(scope, n) == Some(1) => {
                self.export.line("apply fills_gen_one.");
                let one = self.export.equal(scope, n, &Ix::ONE, &[])?;
                self.by(&one);
                let to = Target { place: to.place.with(Layer::Index(Ix::ZERO)), ..to.clone() };
                self.fill(scope, stmts, &raw::at(body, &Ix::ZERO), &shape[1..], &to)
            }
            Node::Gen(_, n, _) if iterations(scope, n) == Some(0) && stmts.is_empty() => {
                self.export.line("apply fills_gen_none.");
                let none = self.export.equal(scope, n, &Ix::ZERO, &[])?;
                self.by(&none);
                Ok(Vec::new())
            }
            Node::Gen(label, n, body) if let Some(parts) = carried(stmts) => {
                self.carry(scope, &parts, (label, n, body), &shape[1..], to)
            }
            Node::Gen(label, n, body) if Self::is_written(scope, (label, n), stmts) => {
                self.written(scope, stmts, (label, n, body), &shape[1..], to)
            }
            Node::Gen(label, n, body) if self.cut(scope, n, stmts).is_some() => {
                self.whole_vectors(scope, stmts, (label, n, body), &shape[1..], to)
            }
            Node::Gen(label, n, body)
                if let (Some(_), Some((p, inside))) = (condition(stmts), settled(body)) =>
            {
                self.export.line("apply fills_gen_switched.");
                let inside = Arc::new(Node::Gen(label.clone(), n.clone(), inside.clone()));
                let whole = Arc::new(Node::Guard(p.clone(), inside.clone()));
                self.guard(scope, stmts, &whole, (p, &inside), &shape, to)
            }
            Node::Gen(label, n, body) => {
                let to = |i| Target { place: to.place.with(Layer::Index(i)), ..to.clone() };
                self.export.line("apply fills_gen.");
                self.looped(scope, stmts, label, n, body, &shape[1..], &to)
            }
            Node::Sum(label, n, body) => {
                let is_one = iterations(scope, n) == Some(1);
                let one = if is_one { "_one" } else { "" };
                match to.kind {
                    Kind::Unset => return mismatch("a sum into cells that do not begin as zero"),
                    Kind::Zeroed => self.export.line(&format!("apply fills_sum{one}_zeroed.")),
                    Kind::Adding => {
                        self.export.line(&format!("apply fills_sum{one}_adding."));
                        self.law(to, "ADD_0_R");
                        self.law(to, "ADD_ASSOC");
                    }
                }
                let inside = Target { kind: Kind::Adding, ..to.clone() };
                if is_one {
                    let one = self.export.equal(scope, n, &Ix::ONE, &[])?;
                    self.by(&one);
                    return self.fill(scope, stmts, &raw::at(body, &Ix::ZERO), &shape, &inside);
                }
                self.looped(scope, stmts, label, n, body, &shape, &|_| inside.clone())
            }
            Node::Guard(p, body) => self.guard(scope, stmts, e, (p, body), &shape, to),
            Node::Select(p, a, b) => match (self.decided_at(scope, p, condition(stmts)), stmts) {
                (Some(true), _) => {
                    self.export.line("apply fills_select_true.");
                    self.shown(scope, p)?;
                    self.fill(scope, stmts, a, &shape, to)
                }
                (Some(false), _) => {
                    self.export.line("apply fills_select_false.");
                    let shown = self.export.show_false(scope, p, &[])?;
                    self.by(&shown);
                    self.fill(scope, stmts, b, &shape, to)
                }
                (None, [Stmt::If { cond, then, otherwise: Some(otherwise) }]) => {
                    self.export.line("apply fills_select.");
                    let cond = self.decided_by(scope, cond, p)?;
                    let then = self.goal(|this| {
                        this.assuming(scope, p, |this, scope| this.fill(scope, list(then), a, &shape, to))
                    })?;
                    let otherwise = self.goal(|this| {
                        this.denying(scope, p, |this, scope| this.fill(scope, list(otherwise), b, &shape, to))
                    })?;
                    Ok(vec![format!("(If {cond} {} {})", nested(&then), nested(&otherwise))])
                }
                _ => mismatch("a choice"),
            },
            Node::Let(label, bound, body) => self.bound(scope, stmts, (label, bound, body), &shape, to),
            Node::Prim(Prim::Add, ab) if !shape.is_empty() && ab.len() == 2 => {
                let lemma = match to.kind {
                    Kind::Unset => return mismatch("an addition into cells that do not begin as zero"),
                    Kind::Zeroed => ("fills_plus_zeroed", "ADD_0_L"),
                    Kind::Adding => ("fills_plus_adding", "ADD_ASSOC"),
                };
                let (first, second) = self.parted(scope, stmts, &ab[0])?;
                self.export.line(&format!("apply {}.", lemma.0));
                self.law(to, lemma.1);
                let to = Target { kind: Kind::Adding, ..to.clone() };
                let a = self.goal(|this| this.fill(scope, first, &ab[0], &shape, &to))?;
                let b = self.goal(|this| this.fill(scope, second, &ab[1], &shape, &to))?;
                Ok([a, b].concat())
            }
            Node::Op(..) => self.operator(scope, stmts, e, &shape, to),
            _ => mismatch("a statement"),
        }
    }

    /// From a goal at one shape to the goal at the term's own.
    pub(super) fn cast(&mut self, scope: &Scope, natural: &[Ix], goal: &[Ix]) -> Result<()> {
        let equal = self.export.same_shape(scope, natural, goal, &[])?;
        let (from, to) = (
            self.export.needs.shape(scope, Side::Left, natural)?,
            self.export.needs.shape(scope, Side::Left, goal)?,
        );
        self.export.line(&format!("apply (fills_cast _ _ _ _ _ {from} {to} _ _ _ _ {equal})."));
        Ok(())
    }

    /// A loop, whose lemma has been applied but for its bounds.
    #[expect(clippy::too_many_arguments, reason = "a loop of the term and its statement")]
    fn looped(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        label: &Label,
        n: &Ix,
        body: &Expr,
        shape: &[Ix],
        to: &dyn Fn(Ix) -> Target,
    ) -> Result<Vec<String>> {
        let [Stmt::For { var, lo, hi, body: inside, .. }] = stmts else { return mismatch("a loop") };
        let (lo, hi) = (self.given(scope, lo, &Ix::ZERO)?, self.given(scope, hi, n)?);
        let level = scope.level();
        let names = scope.push_loop(label, n);
        let before = self.names.vars.insert(var.clone(), level);
        self.export.line(&format!("intros {}.", names.join(" ")));
        let inside = self.fill(scope, list(inside), &raw::open(body, level), shape, &to(Ix::free(level)));
        scope.truncate(level);
        self.restore(var, before);
        Ok(vec![format!("(For {lo} {hi} (fun {} =>\n  {}))", names[0], nested(&inside?))])
    }

    fn guard(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        e: &Expr,
        (p, body): (&Pred, &Expr),
        shape: &[Ix],
        to: &Target,
    ) -> Result<Vec<String>> {
        match (self.decided_at(scope, p, condition(stmts)), stmts) {
            (Some(true), _) => {
                self.export.line("apply fills_guard_true.");
                self.shown(scope, p)?;
                self.fill(scope, stmts, body, shape, to)
            }
            (Some(false), []) => {
                match to.kind {
                    Kind::Unset => return mismatch("a guard that never holds"),
                    Kind::Zeroed => self.export.line("apply fills_guard_false."),
                    Kind::Adding => {
                        self.export.line("apply fills_guard_false_adding.");
                        self.law(to, "ADD_0_R");
                    }
                }
                let shown = self.export.show_false(scope, p, &[])?;
                self.by(&shown);
                Ok(Vec::new())
            }
            (None, [Stmt::If { cond, then, otherwise }]) => {
                match (otherwise, to.kind) {
                    (Some(_), _) => self.export.line("apply fills_guard_else."),
                    (None, Kind::Zeroed) => self.export.line("apply fills_guard."),
                    (None, Kind::Adding) => {
                        self.export.line("apply fills_guard_adding.");
                        self.law(to, "ADD_0_R");
                    }
                    (None, Kind::Unset) => self.export.line("apply fills_guard_dropped."),
                }
                let cond = self.decided_by(scope, cond, p)?;
                if otherwise.is_none() && to.kind == Kind::Unset {
                    self.goal(|this| this.dropped(scope, p, shape, to))?;
                }
                let then = self.goal(|this| {
                    this.assuming(scope, p, |this, scope| this.fill(scope, list(then), body, shape, to))
                })?;
                let otherwise = match otherwise {
                    None => Vec::new(),
                    Some(otherwise) => {
                        let elem = scope.ty(e, Side::Left)?.elem;
                        let zero: Expr = Arc::new(Node::Lit(elem, Number::Zero));
                        self.goal(|this| {
                            this.denying(scope, p, |this, scope| {
                                this.fill(scope, list(otherwise), &zero, &[], to)
                            })
                        })?
                    }
                };
                Ok(vec![format!("(If {cond} {} {})", nested(&then), nested(&otherwise))])
            }
            _ => mismatch("a guard"),
        }
    }

    /// Where an element is kept the guard holds: `forall l, in_box l s = true -> C l = true -> p = true`.
    fn dropped(&mut self, scope: &mut Scope, p: &Pred, shape: &[Ix], to: &Target) -> Result<()> {
        let level = scope.level();
        self.export.line("intros l inside kept.");
        let mut index = Vec::new();
        for _ in shape {
            let name = scope.push_index(&Label::new("l"));
            index.push(Ix::free(scope.level() - 1));
            self.export.line(&format!("destruct l as [|{name} l]; [wrong_rank inside|]."));
        }
        self.export.line("destruct l; [|wrong_rank inside].");
        let inside = scope.push_hyp(&in_box(&index, shape));
        self.export.line(&format!("rename inside into {inside}."));
        let kept = scope.push_hyp(&to.place.at(index).1);
        self.export.line(&format!("rename kept into {kept}."));
        let shown = self.export.show(scope, p, &[]);
        scope.truncate(level);
        self.export.line(&format!("exact {}.", shown?));
        Ok(())
    }

    /// A temporary: allocated here, or scratch that is there; or read by nothing.
    fn bound(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (label, bound, body): (&Label, &Expr, &Expr),
        shape: &[Ix],
        to: &Target,
    ) -> Result<Vec<String>> {
        let (ty, level) = (scope.ty(bound, Side::Left)?, scope.level());
        let scratch = match stmts.first() {
            Some(Stmt::Reset { buf, .. }) => self.scratch.iter().position(|(name, _)| name == buf),
            _ => None,
        };
        let (buf, init, fill, rest, before);
        match (stmts, scratch) {
            ([Stmt::Alloc { buf: name, extents, init: first, body: inner, .. }], _) => {
                let inner = list(inner);
                let count = self.count(scope, bound, inner)?;
                if count == 0 || count >= inner.len() {
                    return mismatch("a temporary");
                }
                if count > 1 {
                    let line = format!(
                        "apply (fills_alloc_regroup _ {count}); [reflexivity|cbn [regroup take drop]]."
                    );
                    self.export.line(&line);
                }
                let given = self.extents(extents)?;
                if given != ty.shape {
                    let equal = self.export.same_shape(scope, &given, &ty.shape, &[])?;
                    self.export
                        .line(&format!("apply (fills_alloc_cast _ _ _ _ _ _ _ _ _ _ _ _ _ _ {equal})."));
                }
                before = self.alloc_text(scope, name, &given, first, bound)?;
                self.export.line("apply fills_let.");
                (buf, init) = (name, first);
                (fill, rest) = inner.split_at(count);
            }
            ([Stmt::Reset { buf: name, init: first }, ..], Some(at)) => {
                let count = self.count(scope, bound, &stmts[1..])?;
                if count == 0 || 1 + count >= stmts.len() {
                    return mismatch("a temporary");
                }
                let line =
                    format!("apply (fills_regroup _ {}); [reflexivity|cbn [regroup take drop]].", 1 + count);
                self.export.line(&line);
                before = format!("(Reset \"{name}\" {})", self.init_text(scope, first, bound)?);
                self.export.line(&format!("eapply (fills_let_there _ _ _ _ _ \"{name}\")."));
                self.by("eq_refl");
                let extents = self.scratch[at].1.clone();
                let room = self.same_room(scope, &extents, &ty.shape)?;
                self.by(&room);
                (buf, init) = (name, first);
                (fill, rest) = stmts[1..].split_at(count);
            }
            _ => {
                // Nothing reads it.
                let name = scope.push_tensor(label, ty);
                self.export.line("apply fills_let_unread.");
                self.export.line(&format!("intros {name}."));
                let rest = self.fill(scope, stmts, &raw::open(body, level), shape, to);
                scope.truncate(level);
                return rest;
            }
        }
        self.by("eq_refl");
        self.by("eq_refl");
        let removed = scratch.map(|at| self.scratch.remove(at));
        let made = self.goal(|this| {
            if scratch.is_some() {
                this.export.line("apply makes_reset.");
                this.by("eq_refl");
            }
            this.makes(scope, fill, (bound, &ty.shape), buf, init)
        })?;
        let name = scope.push_tensor(label, ty);
        self.known.insert(0, (level, buf.clone()));
        self.export.line(&format!("intros {name}."));
        let rest = self.fill(scope, rest, &raw::open(body, level), shape, to);
        self.known.remove(0);
        scope.truncate(level);
        if let (Some(at), Some(removed)) = (scratch, removed) {
            self.scratch.insert(at, removed);
            return Ok([vec![before], made, rest?].concat());
        }
        Ok(vec![format!("({before} {})", nested(&[made, rest?].concat()))])
    }

    /// One scalar, stored.
    fn store(&mut self, scope: &mut Scope, stmts: &[Stmt], e: &Expr, to: &Target) -> Result<String> {
        let [Stmt::Store { buf, index, value, mode }] = stmts else { return mismatch("a store") };
        if *buf != to.buf {
            return mismatch("a store to another buffer");
        }
        let (cell, kept) = to.place.at(Vec::new());
        let elem = scope.ty(e, Side::Left)?.elem;
        match (mode, to.kind) {
            (StoreMode::Set, Kind::Unset | Kind::Zeroed) => {
                self.export.line("apply fills_store.");
                self.export.line("{ discriminate. }");
            }
            (StoreMode::Reduce(op), Kind::Adding) if machine::reduction(elem) == Some(*op) => {
                self.export.line("apply fills_update.");
            }
            _ => return mismatch("how a cell is stored to"),
        }
        let given = self.given(scope, index, &cell)?;
        match kept {
            Pred::True => self.by("eq_refl"),
            kept => self.shown(scope, &kept)?,
        }
        let value = self.value(scope, value, e)?;
        Ok(match mode {
            StoreMode::Set => format!("(Store \"{buf}\" {given} {value})"),
            StoreMode::Reduce(_) => {
                let algebra = self.export.needs.algebra(elem);
                format!("(Update (add {algebra}) \"{buf}\" {given} {value})")
            }
        })
    }

    /// Prove `makes G X fill buf shape e (Some init)`.
    pub(super) fn makes(
        &mut self,
        scope: &mut Scope,
        fill: &[Stmt],
        (e, shape): (&Expr, &[Ix]),
        buf: &Name,
        init: &Init,
    ) -> Result<Vec<String>> {
        let elem = scope.ty(e, Side::Left)?.elem;
        let algebra = self.export.needs.algebra(elem);
        let kind = match init {
            Init::Uninit => Kind::Unset,
            Init::Value(_) => Kind::Zeroed,
        };
        let lemma = if kind == Kind::Unset { "makes_unset" } else { "makes_zeroed" };
        self.export.line(&format!("apply ({lemma} {algebra})."));
        self.by("eq_refl");
        let to = Target { buf: buf.clone(), elem, place: Place::whole(shape), kind };
        self.fill(scope, fill, e, shape, &to)
    }
}
