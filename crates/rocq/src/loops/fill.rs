//! Statements: that they put a term into a buffer, and how, a constructor of `Fills.v` for each construct.

use super::place::{Layer, Place, in_box};
use super::states::{ELEMENT, element, of_element};
use super::step::{Arg, Evidence, Step, step};
use super::windows::carried;
use super::words::{Text, condition, is_hoisted, list, mismatch, nested, pred};
use super::{Kind, Lowering, Target};
use crate::error::Result;
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Expr, Ix, Label, Node, Number, Pred, Prim};
use atl_loops::passes::is_for_all;
use atl_loops::{Bool, Init, Name, Stmt, StoreMode};
use atl_lower::{machine, normal::is_scalar};
use std::sync::Arc;

/// The texts of statements, and how they fill.
pub(super) type Filled = (Vec<Text>, Step);

/// How often a loop runs, if simplification says so: with one iteration it is its body, and with none
/// nothing.
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
    /// The statements' texts, and how they put `e` into the buffer; the extents are those of the goal.
    pub(super) fn fill(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        e: &Expr,
        shape: &[Ix],
        to: &Target,
    ) -> Result<Filled> {
        if let [alloc @ Stmt::Alloc { buf, extents, init, body, .. }] = stmts
            && is_hoisted(alloc)
        {
            let extents = self.extents(extents)?;
            let text = self.alloc_text(scope, buf, &extents, init, e)?;
            self.scratch.insert(0, (buf.clone(), extents));
            let (texts, how) = self.fill(scope, list(body), e, shape, to)?;
            self.scratch.remove(0);
            return Ok((vec![text.around(&nested(&texts))], step!("Spared", how)));
        }
        if to.update.is_some() {
            return self.updated(scope, stmts, e, shape, to);
        }
        if let (true, [Stmt::Store { .. }]) = (is_scalar(e), stmts) {
            let (text, how) = self.store(scope, stmts, e, to)?;
            return Ok((vec![text], how));
        }
        if let [Stmt::If { cond, then, otherwise: Some(otherwise) }] = stmts
            && is_for_all(cond, otherwise)
        {
            return self.either(scope, (cond, then, otherwise), e, shape, to);
        }
        match (&**e, shape.split_first()) {
            (Node::Gen(label, n, body), Some((extent, rest))) => {
                self.generated(scope, stmts, (label, n, body), (extent, rest), to)
            }
            (Node::Sum(label, n, body), _) => self.summed(scope, stmts, (label, n, body), shape, to),
            (Node::Guard(p, body), _) => self.guard(scope, stmts, e, (p, body), shape, to),
            (Node::Select(p, a, b), _) => match (self.decided_at(scope, p, condition(stmts)), stmts) {
                (Some(true), _) => {
                    let shown = self.shown(scope, p)?;
                    let (texts, how) = self.fill(scope, stmts, a, shape, to)?;
                    Ok((texts, step!("Selected_true", shown, how)))
                }
                (Some(false), _) => {
                    let denied = self.denied(scope, p)?;
                    let (texts, how) = self.fill(scope, stmts, b, shape, to)?;
                    Ok((texts, step!("Selected_false", denied, how)))
                }
                (None, [Stmt::If { cond, then, otherwise: Some(otherwise) }]) => {
                    let (cond, reads, alike) = self.decided_by(scope, cond, p)?;
                    let (then, h) =
                        self.assuming(scope, p, |this, scope| this.fill(scope, list(then), a, shape, to))?;
                    let (otherwise, z) = self.assuming(scope, &raw::not(p), |this, scope| {
                        this.fill(scope, list(otherwise), b, shape, to)
                    })?;
                    Ok((vec![branch(&cond, &then, &otherwise)], step!("Selected", reads, alike, h, z)))
                }
                _ => mismatch("a choice"),
            },
            (Node::Let(label, bound, body), _) => self.bound(scope, stmts, (label, bound, body), shape, to),
            (Node::Prim(Prim::Add, ab), Some(_)) if ab.len() == 2 => {
                match to.kind {
                    Kind::Unset | Kind::Replaced => {
                        return mismatch("an addition into cells that do not begin as zero");
                    }
                    Kind::Zeroed => self.law(to, "ADD_0_L"),
                    Kind::Adding => self.law(to, "ADD_ASSOC"),
                }
                let count = self.parted(scope, stmts, &ab[0])?;
                let to = Target { kind: Kind::Adding, ..to.clone() };
                let (mut texts, h) = self.fill(scope, &stmts[..count], &ab[0], shape, &to)?;
                let (more, z) = self.fill(scope, &stmts[count..], &ab[1], shape, &to)?;
                texts.extend(more);
                Ok((texts, step!("Added", count, h, z)))
            }
            (Node::Op(..), _) => self.operator(scope, stmts, e, shape, to),
            (Node::Iterate(it), _) => self.iterated(scope, stmts, it, shape, to),
            (Node::Bundle(_, parts), _) => self.several(scope, stmts, parts),
            _ => mismatch("a statement"),
        }
    }

    /// Two ways to fill the same cells, of which a condition takes one.
    fn either(
        &mut self,
        scope: &mut Scope,
        (cond, then, otherwise): (&Bool, &Stmt, &Stmt),
        e: &Expr,
        shape: &[Ix],
        to: &Target,
    ) -> Result<Filled> {
        let (text, reads) = self.test(scope, cond)?;
        let p = pred(&self.names, cond)?;
        let (then, h) = self.assuming(scope, &p, |this, scope| this.fill(scope, list(then), e, shape, to))?;
        let (otherwise, z) = self
            .assuming(scope, &raw::not(&p), |this, scope| this.fill(scope, list(otherwise), e, shape, to))?;
        Ok((vec![branch(&text, &then, &otherwise)], step!("Either", reads, h, z)))
    }

    /// A loop of the term over an index of the result.
    fn generated(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (label, n, body): (&Label, &Ix, &Expr),
        (extent, rest): (&Ix, &[Ix]),
        to: &Target,
    ) -> Result<Filled> {
        let shape: Vec<Ix> = [extent.clone()].into_iter().chain(rest.iter().cloned()).collect();
        if iterations(scope, n) == Some(1) {
            let one = self.equal(scope, extent, &Ix::ONE)?;
            let to = Target { place: to.place.with(Layer::Index(Ix::ZERO)), ..to.clone() };
            let (texts, how) = self.fill(scope, stmts, &raw::at(body, &Ix::ZERO), rest, &to)?;
            return Ok((texts, step!("Once", one, how)));
        }
        if iterations(scope, n) == Some(0) && stmts.is_empty() {
            return Ok((Vec::new(), step!("Never", self.equal(scope, extent, &Ix::ZERO)?)));
        }
        if let Some(parts) = carried(stmts) {
            return self.carry(scope, &parts, (label, n, body), (extent, rest), to);
        }
        if Self::is_written(scope, (label, n), stmts) {
            return self.written(scope, stmts, (label, n, body), &shape, to);
        }
        if self.cut(scope, n, stmts).is_some() {
            return self.whole_vectors(scope, stmts, (label, n, body), (extent, rest), to);
        }
        if let (Some(_), Some((p, inside)), [Stmt::If { cond, then, otherwise: None }]) =
            (condition(stmts), settled(body), stmts)
        {
            let inside = Arc::new(Node::Gen(label.clone(), n.clone(), inside.clone()));
            let how = ("Switched", (cond, &**then));
            let (text, how) = self.conditioned(scope, how, (p, &inside), &shape, to)?;
            return Ok((vec![text], how));
        }
        if let [Stmt::If { cond, then, otherwise: Some(otherwise) }] = stmts {
            let e = Arc::new(Node::Gen(label.clone(), n.clone(), body.clone()));
            return self.either(scope, (cond, then, otherwise), &e, &shape, to);
        }
        let [Stmt::For { var, lo, hi, body: inside, .. }] = stmts else { return mismatch("a loop") };
        let equal = self.equal(scope, extent, n)?;
        let (lo, reads, from) = self.given(scope, lo, &Ix::ZERO)?;
        let (hi, more, end) = self.given(scope, hi, n)?;
        let (text, how) = self.looped(scope, (label, n, var), (&lo, &hi), |this, scope, level| {
            let to = Target { place: to.place.with(Layer::Index(Ix::free(level))), ..to.clone() };
            this.fill(scope, list(inside), &raw::open(body, level), rest, &to)
        })?;
        Ok((vec![text], step!("Loop", equal, reads, from, more, end, how)))
    }

    fn summed(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (label, n, body): (&Label, &Ix, &Expr),
        shape: &[Ix],
        to: &Target,
    ) -> Result<Filled> {
        match to.kind {
            Kind::Unset | Kind::Replaced => return mismatch("a sum into cells that do not begin as zero"),
            Kind::Zeroed => {}
            Kind::Adding => {
                self.law(to, "ADD_0_R");
                self.law(to, "ADD_ASSOC");
            }
        }
        let to = Target { kind: Kind::Adding, ..to.clone() };
        if iterations(scope, n) == Some(1) {
            let one = self.equal(scope, n, &Ix::ONE)?;
            let (texts, how) = self.fill(scope, stmts, &raw::at(body, &Ix::ZERO), shape, &to)?;
            return Ok((texts, step!("Summed_once", one, how)));
        }
        if self.is_summed_written(scope, (label, n), stmts) {
            return self.summed_written(scope, stmts, (n, body), shape, &to);
        }
        let [Stmt::For { var, lo, hi, body: inside, .. }] = stmts else { return mismatch("a loop") };
        let (lo, reads, from) = self.given(scope, lo, &Ix::ZERO)?;
        let (hi, more, end) = self.given(scope, hi, n)?;
        let (text, how) = self.looped(scope, (label, n, var), (&lo, &hi), |this, scope, level| {
            this.fill(scope, list(inside), &raw::open(body, level), shape, &to)
        })?;
        Ok((vec![text], step!("Summed", reads, from, more, end, how)))
    }

    /// A loop's text, and how its body fills, which is given the level of its variable.
    pub(super) fn looped(
        &mut self,
        scope: &mut Scope,
        (label, n, var): (&Label, &Ix, &Name),
        (lo, hi): (&Text, &Text),
        run: impl FnOnce(&mut Self, &mut Scope, u32) -> Result<Filled>,
    ) -> Result<(Text, Step)> {
        let (name, inside) = self.entering(scope, label, n, Some(var), run)?;
        Ok((nested(&inside.0).looped((lo, hi), &name), inside.1))
    }

    /// Inside of a loop over `n`, of the term, and of the statements if it is one of theirs; the name of its
    /// variable.
    pub(super) fn entering<T>(
        &mut self,
        scope: &mut Scope,
        label: &Label,
        n: &Ix,
        var: Option<&Name>,
        run: impl FnOnce(&mut Self, &mut Scope, u32) -> Result<T>,
    ) -> Result<(String, T)> {
        let level = scope.level();
        let [name, ..] = scope.push_loop(label, n);
        self.entered.push(level);
        let before = var.map(|var| {
            self.binders.push(level);
            self.names.vars.insert(var.clone(), level)
        });
        let inside = run(self, scope, level);
        if let (Some(var), Some(before)) = (var, before) {
            self.binders.pop();
            match before {
                Some(before) => self.names.vars.insert(var.clone(), before),
                None => self.names.vars.remove(var),
            };
        }
        self.entered.pop();
        scope.truncate(level);
        Ok((name, inside?))
    }

    /// A condition beside which nothing stands: the text, and how it fills, by this constructor.
    fn conditioned(
        &mut self,
        scope: &mut Scope,
        (name, (cond, then)): (&'static str, (&Bool, &Stmt)),
        (p, inside): (&Pred, &Expr),
        shape: &[Ix],
        to: &Target,
    ) -> Result<(Text, Step)> {
        let (cond, reads, alike) = self.decided_by(scope, cond, p)?;
        let dropped = if to.kind == Kind::Unset {
            self.dropped(scope, p, shape, to)?
        } else {
            self.padding(to)?;
            Evidence::Plainly
        };
        let (then, how) =
            self.assuming(scope, p, |this, scope| this.fill(scope, list(then), inside, shape, to))?;
        Ok((branch(&cond, &then, &[]), step!(name, reads, alike, dropped, how)))
    }

    fn guard(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        e: &Expr,
        (p, body): (&Pred, &Expr),
        shape: &[Ix],
        to: &Target,
    ) -> Result<Filled> {
        match (self.decided_at(scope, p, condition(stmts)), stmts) {
            (Some(true), _) => {
                let shown = self.shown(scope, p)?;
                let (texts, how) = self.fill(scope, stmts, body, shape, to)?;
                Ok((texts, step!("Guarded_true", shown, how)))
            }
            (Some(false), []) => {
                self.padding(to)?;
                Ok((Vec::new(), step!("Guarded_false", self.denied(scope, p)?)))
            }
            (None, [Stmt::If { cond, then, otherwise: None }]) => {
                let how = ("Guarded", (cond, &**then));
                let (text, how) = self.conditioned(scope, how, (p, body), shape, to)?;
                Ok((vec![text], how))
            }
            (None, [Stmt::If { cond, then, otherwise: Some(otherwise) }]) => {
                let (cond, reads, alike) = self.decided_by(scope, cond, p)?;
                let (then, h) =
                    self.assuming(scope, p, |this, scope| this.fill(scope, list(then), body, shape, to))?;
                let elem = scope.ty(e, Side::Left)?.elem;
                let zero: Expr = Arc::new(Node::Lit(elem, Number::Zero));
                let (otherwise, z) = self.assuming(scope, &raw::not(p), |this, scope| {
                    this.fill(scope, list(otherwise), &zero, &[], to)
                })?;
                Ok((vec![branch(&cond, &then, &otherwise)], step!("Guarded_else", reads, alike, h, z)))
            }
            // Where the copy of a loop without its guard stands, the guard holds.
            (None, _) if !self.has_one_type => {
                let shown = self.shown(scope, p)?;
                let (texts, how) = self.fill(scope, stmts, body, shape, to)?;
                Ok((texts, step!("Guarded_true", shown, how)))
            }
            _ => mismatch("a guard"),
        }
    }

    /// Evidence that where an element is kept the guard holds.
    fn dropped(&mut self, scope: &mut Scope, p: &Pred, shape: &[Ix], to: &Target) -> Result<Evidence> {
        self.of_kept(scope, |_| Ok(p.clone()), shape, to)
    }

    /// Evidence for a condition on the index of each element that is kept.
    pub(super) fn of_kept(
        &mut self,
        scope: &mut Scope,
        said: impl FnOnce(&[Ix]) -> Result<Pred>,
        shape: &[Ix],
        to: &Target,
    ) -> Result<Evidence> {
        let (level, entered) = (scope.level(), self.entered.len());
        let mut index = Vec::new();
        for _ in shape {
            self.entered.push(scope.level());
            index.push(Ix::free(scope.level()));
            scope.push_index(&Label::new("l"));
        }
        scope.push_hyp(&in_box(&index, shape));
        scope.push_hyp(&to.place.at(index.clone()).1);
        let shown = said(&index).and_then(|p| self.shown(scope, &p));
        self.entered.truncate(entered);
        scope.truncate(level);
        shown
    }

    /// A temporary: allocated here, or scratch that is there; or read by nothing.
    pub(super) fn bound(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (label, bound, body): (&Label, &Expr, &Expr),
        shape: &[Ix],
        to: &Target,
    ) -> Result<Filled> {
        let ty = scope.ty(bound, Side::Left)?;
        let level = scope.level();
        if let Some(k) = self.result_of(&raw::open(body, level), &ty, level, stmts) {
            let there = self.attempt(scope, |this, scope| {
                this.let_result(scope, stmts, (label, bound, body), k, (shape, to))
            });
            if there.is_ok() {
                return there;
            }
        }
        let index: Vec<Ix> = (ELEMENT..).take(ty.shape.len()).map(Ix::free).collect();
        let is_named = element(&raw::open(body, level), &index) == Some((level, index));
        if is_named && self.has_one_type && matches!(**bound, Node::Iterate(_)) {
            return mismatch("an iteration: a `let` names what it makes");
        }
        // What is named is where the value goes: no buffer is allocated for it.
        if is_named && !self.has_one_type && matches!(**bound, Node::Iterate(_)) && to.update.is_none() {
            let named = self.attempt(scope, |this, scope| {
                let equal = this.equals(scope, shape, &ty.shape)?;
                Ok(step!("Named", equal, this.fill(scope, stmts, bound, shape, to)?.1))
            });
            if let Ok(how) = named {
                return Ok((Vec::new(), how));
            }
        }
        let is_read = raw::mentions(&raw::open(body, level), level);
        let scratch = match stmts.first() {
            Some(Stmt::Reset { buf, .. }) => self.scratch.iter().position(|(name, _)| name == buf),
            _ => None,
        };
        let (constructor, before, same, inner, (buf, init));
        match (stmts, scratch) {
            ([Stmt::Alloc { buf: name, extents, init: first, body, .. }], _) if is_read => {
                let given = self.extents(extents)?;
                same = self.equals(scope, &given, &ty.shape)?;
                before = self.alloc_text(scope, name, &given, first, bound)?;
                (constructor, inner, (buf, init)) = ("Let_new", list(body), (name, first));
            }
            ([Stmt::Reset { buf: name, init: first }, rest @ ..], Some(at)) if is_read => {
                let begun = self.init_text(scope, first, bound)?;
                before = Text {
                    plain: format!("(Reset \"{name}\" {})", begun.plain),
                    deep: format!("(LReset {} {})", self.leaves.buffer(name), begun.deep),
                };
                let extents = self.scratch[at].1.clone();
                same = self.same_room(scope, &extents, &ty.shape)?;
                (constructor, inner, (buf, init)) = ("Let_there", rest, (name, first));
            }
            _ => {
                // Nothing reads it: it is not in the loops.
                scope.push_tensor(label, ty);
                let rest = self.fill(scope, stmts, &raw::open(body, level), shape, to);
                scope.truncate(level);
                let (texts, how) = rest?;
                return Ok((texts, step!("Let_unread", how)));
            }
        }
        let count = self.count(scope, bound, inner)?;
        if count == 0 || count >= inner.len() {
            return mismatch("a temporary");
        }
        let removed = scratch.map(|at| self.scratch.remove(at));
        let kind = if matches!(init, Init::Uninit) { Kind::Unset } else { Kind::Zeroed };
        let elem = ty.elem;
        let target = Target { buf: buf.clone(), elem, place: Place::whole(&ty.shape), kind, update: None };
        let (made, m) = self.fill(scope, &inner[..count], bound, &ty.shape, &target)?;
        let (ring, extents) = (self.ring_of(elem), self.closed_shape(&ty.shape));
        scope.push_tensor(label, ty);
        self.known.insert(0, (level, buf.clone()));
        let (rest, h) = self.fill(scope, &inner[count..], &raw::open(body, level), shape, to)?;
        self.known.retain(|(known, _)| *known != level);
        scope.truncate(level);
        if let (Some(at), Some(removed)) = (scratch, removed) {
            self.scratch.insert(at, removed);
        }
        let how = step!(constructor, Arg::Ring(ring), Arg::Shape(extents), same, count, m, h);
        if scratch.is_some() {
            return Ok(([vec![before], made, rest].concat(), how));
        }
        Ok((vec![before.around(&nested(&[made, rest].concat()))], how))
    }

    /// One scalar, stored.
    pub(super) fn store(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        e: &Expr,
        to: &Target,
    ) -> Result<(Text, Step)> {
        let [Stmt::Store { buf, index, value, mode }] = stmts else { return mismatch("a store") };
        if *buf != to.buf {
            return mismatch("a store to another buffer");
        }
        let (cell, kept) = to.place.at(Vec::new());
        let elem = scope.ty(e, Side::Left)?.elem;
        match (mode, to.kind) {
            (StoreMode::Set, Kind::Unset | Kind::Zeroed) => {}
            (StoreMode::Replace, Kind::Replaced) => {}
            (StoreMode::Reduce(op), Kind::Adding) if machine::reduction(elem) == Some(*op) => {}
            _ => return mismatch("how a cell is stored to"),
        }
        let (given, reads, equal) = self.given(scope, index, &cell)?;
        let mut kept = vec![self.shown(scope, &kept)?];
        if let Some(update) = to.update.as_ref().filter(|update| update.old.is_some()) {
            let own = to.place.own(update.around, Vec::new());
            kept.push(self.shown(scope, &of_element(&update.about.changed, &own)?)?);
        }
        let (value, reading) = self.value(scope, value, e)?;
        // Rocq's library has one condition here, but where cells are replaced.
        let kept = match mode {
            StoreMode::Replace => Arg::from(kept),
            _ => Arg::from(kept.remove(0)),
        };
        let how = step!("Stored", reads, equal, kept, reading);
        Ok(match mode {
            StoreMode::Set | StoreMode::Replace => {
                let name = if *mode == StoreMode::Set { "Store" } else { "Replace" };
                let text = Text {
                    plain: format!("({name} \"{buf}\" {} {})", given.plain, value.plain),
                    deep: format!("(L{name} {} {} {})", self.leaves.buffer(buf), given.deep, value.deep),
                };
                (text, how)
            }
            StoreMode::Reduce(_) => {
                let (algebra, ring) = (self.export.needs.algebra(elem), self.ring_of(elem));
                let text = Text {
                    plain: format!("(Update (add {algebra}) \"{buf}\" {} {})", given.plain, value.plain),
                    deep: format!(
                        "(LUpdate {ring} {} {} {})",
                        self.leaves.buffer(buf),
                        given.deep,
                        value.deep
                    ),
                };
                (text, how)
            }
        })
    }
}

/// A condition around statements.
pub(super) fn branch(cond: &Text, then: &[Text], otherwise: &[Text]) -> Text {
    let (then, otherwise) = (nested(then), nested(otherwise));
    Text {
        plain: format!("(If {} {} {})", cond.plain, then.plain, otherwise.plain),
        deep: format!("(LIf {} {} {})", cond.deep, then.deep, otherwise.deep),
    }
}
