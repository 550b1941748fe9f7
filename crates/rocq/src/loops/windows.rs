//! Windows that are carried along a loop: the matrix of a `let` in its body, of which each iteration computes the last row, and moves the
//! others up by one (`Windows.v`).

use super::place::{Layer, Place, flat};
use super::words::{list, mismatch, nested};
use super::{Kind, Lowering, Target};
use crate::error::Result;
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Cmp, Elem, Expr, Ix, IxOp, Label, Node, Pred};
use atl_loops::{Bool, Init, Int, Name, Stmt, StoreMode, Val};
use std::sync::Arc;

/// The statements of a loop along which a window is carried.
pub(super) struct Carried<'s> {
    buf: &'s Name,
    extents: &'s [Int],
    var: &'s Name,
    bounds: (&'s Int, &'s Int),
    /// Is it the first iteration?
    cond: &'s Bool,
    begun: &'s [Stmt],
    moved: &'s [Stmt],
    /// The cells of the last row.
    last: (&'s Int, &'s Int),
    rest: &'s [Stmt],
}

/// Are the statements a loop along which a window is carried?
pub(super) fn carried(stmts: &[Stmt]) -> Option<Carried<'_>> {
    let [Stmt::Alloc { buf, extents, init: Init::Uninit, body, .. }] = stmts else { return None };
    let [Stmt::For { var, lo, hi, body, .. }] = list(body) else { return None };
    let [
        Stmt::If { cond, then, otherwise: Some(moved) },
        Stmt::Forget { buf: last, lo: from, hi: to },
        rest @ ..,
    ] = list(body)
    else {
        return None;
    };
    (last == buf).then_some(Carried {
        buf,
        extents,
        var,
        bounds: (lo, hi),
        cond,
        begun: list(then),
        moved: list(moved),
        last: (from, to),
        rest,
    })
}

/// The window of an iteration, and what reads it.
struct Window {
    label: Label,
    whole: Expr,
    rows: Label,
    row: Expr,
    count: i64,
    inside: Expr,
}

fn window(body: &Expr, y: &Ix) -> Result<Window> {
    if let Node::Let(label, whole, inside) = &*raw::at(body, y)
        && let Node::Gen(rows, Ix::Lit(count), row) = &**whole
        && *count > 1
    {
        let (label, rows, count) = (label.clone(), rows.clone(), *count);
        return Ok(Window {
            label,
            whole: whole.clone(),
            rows,
            row: row.clone(),
            count,
            inside: inside.clone(),
        });
    }
    mismatch("a window")
}

fn by_one(op: IxOp, i: &Ix) -> Ix {
    raw::bin(op, i.clone(), Ix::ONE)
}

impl Lowering<'_, '_> {
    /// Prove the goal `fills G X stmts buf shape C place (gen n body) kind` of a loop along which a window is carried.
    pub(super) fn carry(
        &mut self,
        scope: &mut Scope,
        parts: &Carried<'_>,
        (label, n, body): (&Label, &Ix, &Expr),
        shape: &[Ix],
        to: &Target,
    ) -> Result<Vec<String>> {
        let (level, y) = (scope.level(), Ix::free(scope.level()));
        let window = window(body, &y)?;
        let last = raw::at(&window.row, &Ix::Lit(window.count - 1));
        scope.push_loop(label, n);
        let ty = scope.ty(&window.whole, Side::Left);
        let before = self.names.vars.insert(parts.var.clone(), level);
        let count = self.count(scope, &last, parts.rest);
        self.restore(parts.var, before);
        scope.truncate(level);
        let (ty, count) = (ty?, count?);
        let [_, width] = ty.shape.as_slice() else { return mismatch("a window that is no matrix") };
        if width.mentions(level) || count == 0 || count >= parts.rest.len() {
            return mismatch("a window");
        }
        let given = self.extents(parts.extents)?;
        if given != ty.shape {
            let equal = self.export.same_shape(scope, &given, &ty.shape, &[])?;
            self.export.line(&format!("apply (fills_alloc_cast _ _ _ _ _ _ _ _ _ _ _ _ _ _ {equal})."));
        }
        let alloc = self.alloc_text(scope, parts.buf, &given, &Init::Uninit, &window.whole)?;
        let w = self.export.needs.ix(scope, Side::Left, width, &[])?;
        let line =
            format!("apply (fills_gen_window _ _ _ _ {} {w} _ _ _ _ {}%nat).", window.count, 2 + count);
        self.export.line(&line);
        self.by("eq_refl");
        self.by("eq_refl");
        let (lo, hi) = (self.given(scope, parts.bounds.0, &Ix::ZERO)?, self.given(scope, parts.bounds.1, n)?);
        self.export.line("{ reflexivity. }");
        let before = self.names.vars.insert(parts.var.clone(), level);
        let names = scope.push_loop(label, n);
        let made = self.goal(|this| {
            this.export.line(&format!("intros {}. lazy [take drop].", names.join(" ")));
            this.iteration(scope, parts, (&window, width, body), &parts.rest[..count], to.elem, &y)
        });
        let texts = made.and_then(|made| {
            let kept = scope.level();
            let name = scope.push_tensor(&window.label, ty.clone());
            self.export.line(&format!("intros {} {name}. lazy [take drop].", names.join(" ")));
            self.known.insert(0, (kept, parts.buf.clone()));
            let to = Target { place: to.place.with(Layer::Index(y.clone())), ..to.clone() };
            let rest = self.fill(scope, &parts.rest[count..], &raw::open(&window.inside, kept), shape, &to);
            self.known.remove(0);
            Ok([made, rest?].concat())
        });
        scope.truncate(level);
        self.restore(parts.var, before);
        Ok(vec![format!("({alloc} (For {lo} {hi} (fun {} =>\n  {})))", names[0], nested(&texts?))])
    }

    /// Prove the goal `turns G X buf statements P (keeps buf count width count rows)` of what an iteration does about the window.
    fn iteration(
        &mut self,
        scope: &mut Scope,
        parts: &Carried<'_>,
        (window, width, body): (&Window, &Ix, &Expr),
        last: &[Stmt],
        elem: Elem,
        y: &Ix,
    ) -> Result<Vec<String>> {
        let (n, m) = (Ix::Lit(window.count), Ix::Lit(window.count - 1));
        let times = |k: &Ix| raw::bin(IxOp::Mul, k.clone(), width.clone());
        let le = |a: Ix, b: &Ix| Pred::Cmp(Cmp::Le, a, b.clone());
        let row_at = |window: &Window, r: &Ix| raw::at(&window.row, r);
        let place = Place::whole(&[n.clone(), width.clone()]);
        let to = Target { buf: parts.buf.clone(), elem, place, kind: Kind::Unset };
        let algebra = self.export.needs.algebra(elem);
        self.export.line(&format!("apply (turns_iteration {algebra} _ _ _ _ {}).", window.count - 1));
        self.by("eq_refl");
        let sizes = raw::and(le(Ix::ZERO, width), le(Ix::ZERO, &m));
        self.shown(scope, &raw::and(sizes, Pred::Cmp(Cmp::Eq, n.clone(), by_one(IxOp::Add, &m))))?;
        let first = Pred::Cmp(Cmp::Eq, y.clone(), Ix::ZERO);
        let later = Pred::Not(Arc::new(first.clone()));
        let cond = self.decided_by(scope, parts.cond, &first)?;
        let lo = self.given(scope, parts.last.0, &times(&m))?;
        let hi = self.given(scope, parts.last.1, &times(&n))?;
        let begun = self.goal(|this| {
            this.assuming(scope, &first, |this, scope| {
                let some: Expr = Arc::new(Node::Gen(window.rows.clone(), m.clone(), window.row.clone()));
                this.fill(scope, parts.begun, &some, &[m.clone(), width.clone()], &to)
            })
        })?;
        let moved = self.goal(|this| {
            this.assuming(scope, &later, |this, scope| {
                this.moves(scope, parts.moved, (parts.buf, window.count, width), 0)
            })
        })?;
        let before = self::window(body, &by_one(IxOp::Sub, y))?;
        self.goal(|this| {
            this.assuming(scope, &later, |this, scope| {
                let (level, r) = (scope.level(), Ix::free(scope.level()));
                let names = scope.push_loop(&window.rows, &m);
                this.export.line(&format!("intros {}.", names.join(" ")));
                let (old, new) = (row_at(&before, &by_one(IxOp::Add, &r)), row_at(window, &r));
                let same = this.export.walk(scope, std::slice::from_ref(width), &old, &new, &[]);
                scope.truncate(level);
                same
            })
        })?;
        let to = Target { place: to.place.with(Layer::Index(m.clone())), ..to };
        let new = self.fill(scope, last, &row_at(window, &m), std::slice::from_ref(width), &to)?;
        let both = format!("(If {cond} {} {})", nested(&begun), nested(&moved));
        Ok([vec![both, format!("(Forget \"{}\" {lo} {hi})", parts.buf)], new].concat())
    }

    /// Prove the goal `turns G X buf stmts (keeps buf n w n (moved k t)) (keeps buf n w n (moved (n - 1) t))`.
    fn moves(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (buf, n, width): (&Name, i64, &Ix),
        k: i64,
    ) -> Result<Vec<String>> {
        let [Stmt::Forget { buf: forgotten, lo, hi }, copy, rest @ ..] = stmts else {
            return mismatch("rows that move");
        };
        let Stmt::For { var, lo: zero, hi: end, body, .. } = copy else { return mismatch("rows that move") };
        let [
            Stmt::Store {
                buf: stored,
                index,
                value: Val::Load { buf: read, index: from },
                mode: StoreMode::Set,
            },
        ] = list(body)
        else {
            return mismatch("rows that move");
        };
        let is_last = k + 2 == n;
        if [forgotten, stored, read] != [buf; 3] || rest.is_empty() != is_last {
            return mismatch("rows that move");
        }
        let (row, next) = (Ix::Lit(k), Ix::Lit(k + 1));
        let times = |k: &Ix| raw::bin(IxOp::Mul, k.clone(), width.clone());
        let lemma = if is_last { "turns_row" } else { "turns_rows" };
        self.export.line(&format!("apply ({lemma} _ _ _ _ _ _ _ _ _ _ _ {k} {}).", k + 1));
        self.by("eq_refl");
        let natural = Pred::Cmp(Cmp::Le, Ix::ZERO, width.clone());
        let one_more = Pred::Cmp(Cmp::Eq, next.clone(), by_one(IxOp::Add, &row));
        let (low, high) =
            (Pred::Cmp(Cmp::Le, Ix::ZERO, row.clone()), Pred::Cmp(Cmp::Lt, next.clone(), Ix::Lit(n)));
        self.shown(scope, &raw::and(raw::and(natural, one_more), raw::and(low, high)))?;
        let (lo, hi) = (self.given(scope, lo, &times(&row))?, self.given(scope, hi, &times(&next))?);
        let (zero, end) = (self.given(scope, zero, &Ix::ZERO)?, self.given(scope, end, width)?);
        let (level, shape) = (scope.level(), [Ix::Lit(n), width.clone()]);
        let before = self.names.vars.insert(var.clone(), level);
        let names = scope.push_loop(&Label::new(var.as_str()), width);
        let cell = |this: &mut Self, given: &Int, row: &Ix| {
            this.goal(|this| {
                this.export.line(&format!("intros {}.", names.join(" ")));
                let (text, proof) =
                    this.gives(scope, given, &flat(&shape, &[row.clone(), Ix::free(level)]))?;
                this.export.line(&format!("exact {proof}."));
                Ok(text)
            })
        };
        let cells = cell(self, index, &row).and_then(|to| Ok((to, cell(self, from, &next)?)));
        scope.truncate(level);
        self.restore(var, before);
        let (to, from) = cells?;
        let mut texts = vec![
            format!("(Forget \"{buf}\" {lo} {hi})"),
            format!(
                "(For {zero} {end} (fun {} =>\n  (Store \"{buf}\" {to} (Load \"{buf}\" {from}))))",
                names[0]
            ),
        ];
        if !is_last {
            texts.extend(self.moves(scope, rest, (buf, n, width), k + 1)?);
        }
        Ok(texts)
    }
}
