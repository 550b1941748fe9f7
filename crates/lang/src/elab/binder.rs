//! Loops, reductions, guards, and `let`.

use super::index::Sort;
use super::lookup::is_scattered;
use super::{Elab, Meaning, Val, label};
use crate::algebra;
use crate::extents::{self, MAX_NAMED};
use crate::show;
use atl_diag::{Span, err};
use atl_kernel::{AlgebraRef, Child, Elem, Expr as Term, Ix, Label, LoopKind, Node, Storage, Type, subst};
use atl_ops::elements::assume_written;
use atl_ops::reflect::push_let;
use atl_syntax::ast::{Attribute, Binder, BinderOp, Expr, ExprKind, Name};

/// A loop that has been entered.
struct Loop {
    label: Label,
    extent: Ix,
    level: u32,
    span: Span,
}

impl Elab<'_> {
    /// `gen` and the reductions, of as many values as the body ends in.
    pub(super) fn binders(
        &mut self,
        e: &Expr,
        op: BinderOp,
        (binders, body): (&[Binder], &Expr),
        wants: &[Option<Elem>],
    ) -> Option<Vec<Val>> {
        let at = self.enter();
        let open = binders.iter().any(|b| b.hi.is_none());
        if open && op != BinderOp::Gen {
            self.all_axes(binders, body)?;
        }
        let loops: Vec<Option<Loop>> =
            (0..).zip(binders).map(|(k, b)| self.enter_loop(b, &binders[k..], body)).collect();
        let said = self.diagnostics.len();
        let vals = self.ends(body, wants);
        self.unread(binders, body, said);
        let vals = match (loops.into_iter().collect::<Option<Vec<Loop>>>(), vals) {
            (Some(loops), Some(vals)) => {
                vals.into_iter().map(|val| self.close_loops(e, op, &loops, val)).collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        self.leave(at);
        let vals = vals?;
        if op == BinderOp::Gen {
            let elems: Vec<Elem> = vals.iter().map(|val| val.ty.elem).collect();
            self.remark_on_repeated(binders, body, &elems);
        }
        vals.into_iter().map(|val| self.nothing_stays_inside(e, op, binders, val)).collect()
    }

    /// `rest` are this binder and those after it.
    fn enter_loop(&mut self, binder: &Binder, rest: &[Binder], body: &Expr) -> Option<Loop> {
        let lo = binder.lo.as_ref().map(|lo| self.index(lo));
        let hi = self.upper(binder, rest, body);
        let kind = self.loop_kind(&binder.attributes);
        let (lo, hi) = match (lo.unwrap_or(Some(Ix::ZERO)), hi) {
            (Some(lo), Some(hi)) => (lo, hi),
            _ => {
                self.bind(&binder.name, Meaning::Refused(Sort::Index));
                return None;
            }
        };
        let label = Label { kind: kind.unwrap_or_default(), ..label(&binder.name) };
        let extent = hi - lo.clone();
        let level = self.ctx.push_loop(label.clone(), &extent);
        self.bind(&binder.name, Meaning::Index(Ix::free(level) + lo));
        kind.map(|_| Loop {
            label,
            extent,
            level,
            span: binder.hi.as_ref().map_or(binder.name.span, |hi| hi.span),
        })
    }

    /// The loops around a body, from the inside out.
    fn close_loops(&mut self, e: &Expr, op: BinderOp, loops: &[Loop], body: Val) -> Option<Val> {
        let elem = body.ty.elem;
        let other = match op {
            BinderOp::Gen | BinderOp::Sum => None,
            op => Some(self.reduction(e, op, &body)?).filter(|a| !std::ptr::eq(*a, elem.algebra)),
        };
        let mut val = match other {
            Some(algebra) => self.view(e, body, Elem { algebra, ..elem })?,
            None => body,
        };
        for l in loops.iter().rev() {
            val = self.named_reads(l.level, val)?;
            if let Some(jagged) = val.ty.shape.iter().find(|n| n.mentions(l.level)) {
                let (n, name) = (show::ix(&self.ctx, jagged), l.label.name.to_string());
                let rows = if op == BinderOp::Gen { "rows" } else { "terms" };
                return self.report(
                    err!(E0231, e.span, "the {rows} of this `{}` differ in length", op.word())
                        .label(format!("an extent is `{n}`, which depends on `{name}`"))
                        .also(l.span, format!("`{name}` ranges here"))
                        .note("a tensor is a box: its extents are the same at every index")
                        .help(format!(
                            "make the inner loop as long as the longest, and guard what is beyond: `gen j < n {{ [j < {n}] * … }}`"
                        )),
                );
            }
            let term = subst::close(&val.expr, l.level);
            let mut ty = val.ty.clone();
            let node = if op == BinderOp::Gen {
                ty.shape.insert(0, l.extent.clone());
                Node::Gen(l.label.clone(), l.extent.clone(), term)
            } else {
                Node::Sum(l.label.clone(), l.extent.clone(), term)
            };
            val = self.build(node, ty, e.span, &[(&[Child::Body], &val)])?;
        }
        if other.is_some() { self.view(e, val, elem) } else { Some(val) }
    }

    fn reduction(&mut self, e: &Expr, op: BinderOp, body: &Val) -> Option<&'static atl_kernel::Algebra> {
        let (elem, word) = (body.ty.elem, op.word());
        if let Some(algebra) = algebra::reduction(word, elem) {
            return Some(algebra);
        }
        if matches!(op, BinderOp::Any | BinderOp::All) {
            self.is_truth(body, &format!("`{word}`"))?;
        }
        self.report(
            err!(E0226, e.span, "`{word}` does not reduce elements of `{elem}`")
                .also(body.spans.span(), format!("this is of type `{}`", show::ty(&self.ctx, &body.ty))),
        )
    }

    /// The same scalars in another algebra.
    pub(super) fn view(&mut self, e: &Expr, val: Val, elem: Elem) -> Option<Val> {
        let node = Node::View(AlgebraRef(elem.algebra), val.expr.clone());
        let ty = Type { elem, shape: val.ty.shape.clone() };
        self.build(node, ty, e.span, &[(&[Child::Body], &val)])
    }

    /// `[p] * e`.
    pub(super) fn guard(&mut self, e: &Expr, p: &Expr, body: &Expr, want: Option<Elem>) -> Option<Val> {
        let Some(p) = self.predicate(p) else {
            self.value(body, want);
            return None;
        };
        let val = self.assuming(p.clone(), |elab| elab.whole(body, want))?;
        let ty = val.ty.clone();
        self.build(Node::Guard(p, val.expr.clone()), ty, e.span, &[(&[Child::Body], &val)])
    }

    /// `let x = e; body`. An index term gets a name that stands for it; a value is bound.
    pub(super) fn let_in(
        &mut self,
        e: &Expr,
        name: &Name,
        attributes: &[Attribute],
        value: &Expr,
        inside: impl FnOnce(&mut Self) -> Option<Vec<Val>>,
    ) -> Option<Vec<Val>> {
        let at = self.enter();
        let storage = self.storage(attributes);
        if self.sort(value) == Sort::Index {
            let named = self.index(value).filter(|ix| extents::fits(ix) || self.too_long(value).is_some());
            let meaning = named.map_or(Meaning::Refused(Sort::Index), Meaning::Index);
            self.bind(name, meaning);
            let vals = inside(self);
            self.leave(at);
            return vals;
        }
        let bound = self.bound_value(name, value);
        let label = Label { storage: storage.unwrap_or_default(), ..label(name) };
        let level = match &bound {
            Some(bound) => self.enter_let(name, label.clone(), bound),
            None => {
                self.bind(name, Meaning::Refused(Sort::Value));
                self.ctx.level()
            }
        };
        let vals = inside(self).and_then(|vals| self.all_named(level, vals));
        self.scattered.retain(|scattered| *scattered != level);
        self.leave(at);
        let (bound, vals) = (bound?, vals?);
        storage?;
        self.bind_values(e, (&label, level, &bound), vals)
    }

    /// Gives this tensor a name from here on; its level.
    pub(super) fn enter_let(&mut self, name: &Name, label: Label, bound: &Val) -> u32 {
        let level = self.ctx.level();
        self.ctx = push_let(&self.ctx, &label, &bound.ty, &bound.expr, self.prover);
        self.bind(name, Meaning::Tensor(level));
        assume_written(&mut self.ctx, level, &bound.ty, &bound.expr);
        if is_scattered(&bound.expr) {
            self.scattered.push(level);
        }
        level
    }

    /// The refusal of an index term that is too long for a name.
    fn too_long(&mut self, value: &Expr) -> Option<()> {
        self.report(
            err!(E0247, value.span, "this index term is too large")
                .note(format!("written out, it has more than {MAX_NAMED} nodes"))
                .note("the name of an index term stands for the term itself, so one that names another twice is twice as large")
                .help("keep the values of an inner one in an integer tensor, as in `let at = gen i < N { i64(…) }`, and read `at[i]`"),
        )
    }

    /// Values with names for the elements that they read in their indices: see [`Elab::named_reads`].
    pub(super) fn all_named(&mut self, level: u32, vals: Vec<Val>) -> Option<Vec<Val>> {
        vals.into_iter().map(|val| self.named_reads(level, val)).collect()
    }

    /// The same `let` around each of the values.
    pub(super) fn bind_values(
        &mut self,
        e: &Expr,
        (label, level, bound): (&Label, u32, &Val),
        vals: Vec<Val>,
    ) -> Option<Vec<Val>> {
        vals.iter().map(|val| self.bind_value(e, label.clone(), level, bound, val)).collect()
    }

    /// A `let` around a value in which the bound one is a free level.
    pub(super) fn bind_value(
        &mut self,
        e: &Expr,
        label: Label,
        level: u32,
        bound: &Val,
        body: &Val,
    ) -> Option<Val> {
        let term: Term = subst::close(&body.expr, level);
        let node = Node::Let(label, bound.expr.clone(), term);
        self.build(node, body.ty.clone(), e.span, &[(&[Child::Bound], bound), (&[Child::Body], body)])
    }

    /// How a loop is run, as its attributes say.
    pub(super) fn loop_kind(&mut self, attributes: &[Attribute]) -> Option<LoopKind> {
        let mut kind = LoopKind::Serial;
        for a in attributes {
            let lanes = match &a.args[..] {
                [] => Some(None),
                [Expr { kind: ExprKind::Int(n), .. }] => u32::try_from(*n).ok().filter(|n| *n > 0).map(Some),
                _ => None,
            };
            let before = kind;
            kind = match (a.name.text.as_str(), lanes) {
                ("serial", Some(None)) => LoopKind::Serial,
                ("parallel", Some(None)) => LoopKind::Parallel,
                ("unroll", Some(None)) => LoopKind::Unroll,
                ("search", Some(None)) => LoopKind::Search,
                ("vectorize", Some(lanes)) => LoopKind::Vector(lanes),
                _ => {
                    return self.bad_attribute(
                        a,
                        "a loop is `@serial`, `@parallel`, `@unroll`, `@search`, `@vectorize` or `@vectorize(8)`",
                    );
                }
            };
            if ![LoopKind::Serial, kind].contains(&before) {
                return self.report(
                    err!(E0385, a.span, "a loop is to run in two ways")
                        .label("another attribute stands before")
                        .help("leave out one of the two, or cut the loop by `split` in a schedule"),
                );
            }
        }
        Some(kind)
    }

    /// Where a let's value is kept, as its attributes say.
    pub(super) fn storage(&mut self, attributes: &[Attribute]) -> Option<Storage> {
        let mut storage = Storage::Auto;
        for a in attributes {
            storage = match (a.name.text.as_str(), a.args.is_empty()) {
                ("heap", true) => Storage::Heap,
                ("stack", true) => Storage::Stack,
                ("register", true) => Storage::Register,
                _ => return self.bad_attribute(a, "a `let` is `@heap`, `@stack` or `@register`"),
            };
        }
        Some(storage)
    }

    fn bad_attribute<T>(&mut self, a: &Attribute, which: &str) -> Option<T> {
        self.report(
            err!(E0244, a.span, "there is no attribute `@{}` of this form here", a.name.text).help(which),
        )
    }
}
