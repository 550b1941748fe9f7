//! Windows that are carried along a loop: the matrix of a `let` in its body, of which each iteration computes
//! the last row, and moves the others up by one (`Windows.v`).

use super::evidence::same;
use super::place::{Layer, Place, flat};
use super::step::{Arg, Evidence, Step, step};
use super::words::{Text, list, mismatch, nested};
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

/// What an iteration does about its window: the texts, and of the constructor `Carried` its rows of evidence,
/// its evidence, and how the window fills at first and in each iteration, with the rows that move in between.
struct Iteration {
    texts: Vec<Text>,
    reads: Vec<Vec<Evidence>>,
    evidence: [Evidence; 4],
    hows: (Step, Step, Vec<Step>),
}

impl Lowering<'_, '_> {
    /// The texts of a loop along which a window is carried, and how it fills.
    pub(super) fn carry(
        &mut self,
        scope: &mut Scope,
        parts: &Carried<'_>,
        (label, n, body): (&Label, &Ix, &Expr),
        (extent, shape): (&Ix, &[Ix]),
        to: &Target,
    ) -> Result<(Vec<Text>, Step)> {
        let given = self.extents(parts.extents)?;
        let [rows, width] = given.as_slice() else { return mismatch("a window that is no matrix") };
        let equal = self.equal(scope, extent, n)?;
        let (lo, lo_reads, from) = self.given(scope, parts.bounds.0, &Ix::ZERO)?;
        let (hi, hi_reads, end) = self.given(scope, parts.bounds.1, n)?;
        let alloc = self.alloc_text(scope, parts.buf, &given, &Init::Uninit, body)?;
        let ring = self.ring_of(to.elem);
        let mut head = Vec::new();
        let (text, how) = self.looped(scope, (label, n, parts.var), (&lo, &hi), |this, scope, level| {
            let y = Ix::free(level);
            let window = window(body, &y)?;
            let ty = scope.ty(&window.whole, Side::Left)?;
            let last = raw::at(&window.row, &Ix::Lit(window.count - 1));
            let count = this.count(scope, &last, parts.rest)?;
            if ty.shape.len() != 2 || width.mentions(level) || count == 0 || count >= parts.rest.len() {
                return mismatch("a window");
            }
            let same_rows = this.equal(scope, rows, &Ix::Lit(window.count))?;
            let made =
                this.iteration(scope, parts, (&window, width, body), &parts.rest[..count], to.elem, &y)?;
            let kept = scope.level();
            scope.push_tensor(&window.label, ty);
            this.known.insert(0, (kept, parts.buf.clone()));
            let to = Target { place: to.place.with(Layer::Index(y)), ..to.clone() };
            let rest = this.fill(scope, &parts.rest[count..], &raw::open(&window.inside, kept), shape, &to);
            this.known.remove(0);
            let (rest, how) = rest?;
            let reads = [vec![lo_reads.clone(), hi_reads.clone()], made.reads].concat();
            let sizes = [Arg::Ring(ring), Arg::from(window.count - 1), Arg::from(2 + count)];
            let before = [same_rows, equal.clone()].map(Arg::from);
            let bounds = [from.clone(), end.clone()].map(Arg::from);
            let (begun, last, moves) = made.hows;
            head.extend(sizes.into_iter().chain(before).chain([Arg::Rows(reads)]).chain(bounds));
            head.extend(made.evidence.map(Arg::from));
            head.extend([Arg::from(begun), Arg::from(last), Arg::Steps(moves)]);
            Ok(([made.texts, rest].concat(), how))
        })?;
        head.push(Arg::from(how));
        Ok((vec![alloc.around(&text)], Step { name: "Carried", args: head }))
    }

    /// An iteration's window: all of its rows at first, and later the last one, where the others move up.
    fn iteration(
        &mut self,
        scope: &mut Scope,
        parts: &Carried<'_>,
        (window, width, body): (&Window, &Ix, &Expr),
        last: &[Stmt],
        elem: Elem,
        y: &Ix,
    ) -> Result<Iteration> {
        let (n, m) = (Ix::Lit(window.count), Ix::Lit(window.count - 1));
        let times = |k: &Ix| raw::bin(IxOp::Mul, k.clone(), width.clone());
        let le = |a: Ix, b: &Ix| Pred::Cmp(Cmp::Le, a, b.clone());
        let place = Place::whole(&[n.clone(), width.clone()]);
        let to = Target { buf: parts.buf.clone(), elem, place, kind: Kind::Unset, update: None };
        let sizes = raw::and(le(Ix::ZERO, width), le(Ix::ZERO, &m));
        let sizes =
            self.shown(scope, &raw::and(sizes, Pred::Cmp(Cmp::Eq, n.clone(), by_one(IxOp::Add, &m))))?;
        let first = Pred::Cmp(Cmp::Eq, y.clone(), Ix::ZERO);
        let later = raw::not(&first);
        let (cond, asked, is_first) = self.decided_by(scope, parts.cond, &first)?;
        let (lo, lo_reads, bottom) = self.given(scope, parts.last.0, &times(&m))?;
        let (hi, hi_reads, top) = self.given(scope, parts.last.1, &times(&n))?;
        let (begun, b) = self.assuming(scope, &first, |this, scope| {
            let some: Expr = Arc::new(Node::Gen(window.rows.clone(), m.clone(), window.row.clone()));
            this.fill(scope, parts.begun, &some, &[m.clone(), width.clone()], &to)
        })?;
        let (moved, moves) = self.assuming(scope, &later, |this, scope| {
            this.moves(scope, parts.moved, (parts.buf, window.count, width), 0)
        })?;
        let before = self::window(body, &by_one(IxOp::Sub, y))?;
        let (level, r) = (scope.level(), Ix::free(scope.level()));
        scope.push_index(&window.rows);
        let repeats =
            agree(&raw::at(&before.row, &by_one(IxOp::Add, &r)), &raw::at(&window.row, &r), level + 1);
        scope.truncate(level);
        if !repeats {
            return mismatch("a window of which the next one does not have the rows");
        }
        let to = Target { place: to.place.with(Layer::Index(m.clone())), ..to };
        let row = raw::at(&window.row, &m);
        let (new, l) = self.fill(scope, last, &row, std::slice::from_ref(width), &to)?;
        let (then, otherwise) = (nested(&begun), nested(&moved));
        let both = Text {
            plain: format!("(If {} {} {})", cond.plain, then.plain, otherwise.plain),
            deep: format!("(LIf {} {} {})", cond.deep, then.deep, otherwise.deep),
        };
        Ok(Iteration {
            texts: [vec![both, self.forget(parts.buf, &lo, &hi)], new].concat(),
            reads: vec![asked, lo_reads, hi_reads],
            evidence: [sizes, is_first, bottom, top],
            hows: (b, l, moves),
        })
    }

    fn forget(&self, buf: &Name, lo: &Text, hi: &Text) -> Text {
        Text {
            plain: format!("(Forget \"{buf}\" {} {})", lo.plain, hi.plain),
            deep: format!("(LForget {} {} {})", self.leaves.buffer(buf), lo.deep, hi.deep),
        }
    }

    /// The rows from `k` on move up: the texts, and evidence for each row.
    fn moves(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (buf, n, width): (&Name, i64, &Ix),
        k: i64,
    ) -> Result<(Vec<Text>, Vec<Step>)> {
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
        let le = |a: Ix, b: &Ix| Pred::Cmp(Cmp::Le, a, b.clone());
        let one_more = Pred::Cmp(Cmp::Eq, next.clone(), by_one(IxOp::Add, &row));
        let in_order = raw::and(le(Ix::ZERO, &row), Pred::Cmp(Cmp::Lt, next.clone(), Ix::Lit(n)));
        let in_order = self.shown(scope, &raw::and(raw::and(le(Ix::ZERO, width), one_more), in_order))?;
        let (lo, r1, low) = self.given(scope, lo, &times(&row))?;
        let (hi, r2, high) = self.given(scope, hi, &times(&next))?;
        let (zero, r3, from_zero) = self.given(scope, zero, &Ix::ZERO)?;
        let (end, r4, to_end) = self.given(scope, end, width)?;
        let shape = [Ix::Lit(n), width.clone()];
        let label = Label::new(var.as_str());
        let (text, moving) =
            self.looped(scope, (&label, width, var), (&zero, &end), |this, scope, level| {
                let at = |row: &Ix| flat(&shape, &[row.clone(), Ix::free(level)]);
                let (to, r5, here) = this.given(scope, index, &at(&row))?;
                let (from, r6, above) = this.given(scope, from, &at(&next))?;
                let (bounds, cells) = (Arg::Rows(vec![r1, r2, r3, r4]), Arg::Rows(vec![r5, r6]));
                let moving =
                    step!("Moving", bounds, in_order, low, high, from_zero, to_end, cells, here, above);
                let text = Text {
                    plain: format!("(Store \"{buf}\" {} (Load \"{buf}\" {}))", to.plain, from.plain),
                    deep: format!(
                        "(LStore {0} {1} (VLoad {0} {2}))",
                        this.leaves.buffer(buf),
                        to.deep,
                        from.deep
                    ),
                };
                Ok((vec![text], moving))
            })?;
        let (mut texts, mut rows) = (vec![self.forget(buf, &lo, &hi), text], vec![moving]);
        if !is_last {
            let (more, others) = self.moves(scope, rest, (buf, n, width), k + 1)?;
            texts.extend(more);
            rows.extend(others);
        }
        Ok((texts, rows))
    }
}

/// `agree` of `Fills.v`: have the terms the same elements, by how their index terms compute? No variable has
/// this level, or a higher one.
fn agree(a: &Expr, b: &Expr, level: u32) -> bool {
    let agree = |a: &Expr, b: &Expr| agree(a, b, level);
    let equal = |i: &Ix, j: &Ix| same(&Pred::eq(i.clone(), Ix::ZERO), &Pred::eq(j.clone(), Ix::ZERO));
    match (&**a, &**b) {
        (Node::Var(x), Node::Var(y)) => x == y,
        (Node::Lit(..), Node::Lit(..)) => a == b,
        (Node::Index(s, i), Node::Index(t, j)) => s == t && equal(i, j),
        (Node::View(s, x), Node::View(t, y)) => s == t && agree(x, y),
        (Node::Prim(f, xs), Node::Prim(g, ys)) => {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| agree(x, y))
        }
        (Node::Gen(_, n, x), Node::Gen(_, m, y)) | (Node::Sum(_, n, x), Node::Sum(_, m, y)) => {
            equal(n, m) && self::agree(&raw::open(x, level), &raw::open(y, level), level + 1)
        }
        (Node::Guard(p, x), Node::Guard(q, y)) => same(p, q) && agree(x, y),
        (Node::Select(p, x, u), Node::Select(q, y, v)) => same(p, q) && agree(x, y) && agree(u, v),
        (Node::Get(x, i), Node::Get(y, j)) => equal(i, j) && agree(x, y),
        _ => false,
    }
}
