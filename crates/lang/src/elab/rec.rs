//! Recursive tensors: `rec x: f64 = gen i < n, j < m { e }; body`, where `e` reads `x` at earlier places.
//!
//! It is an iteration along each loop, the last of which sets one element a round:
//!
//! ```text
//! iterate i < n from x = zeros { iterate j < m from x = x { gen p < n, q < m { select(p == i && q ==
//! j, e, x[p, q]) } } }
//! ```
//!
//! That each read is earlier is proved here ([`super::earlier`]): only so is `x = gen i, j { e }`.

use super::index::Sort;
use super::{Elab, Meaning, Val, label};
use atl_diag::err;
use atl_kernel::subst::{Subst, close, close_all};
use atl_kernel::{Child, Elem, Expr as Term, Iterate, Ix, Label, Node, Pred, State, Type, Var};
use atl_syntax::ast::{Binder, BinderOp, ElementType, Expr, ExprKind, Name};
use std::sync::Arc;

/// A loop of the definition.
struct Along {
    label: Label,
    extent: Ix,
    level: u32,
}

impl Elab<'_> {
    /// `rec x: f64 = value; body`.
    pub(super) fn rec(
        &mut self,
        e: &Expr,
        (name, of): (&Name, &ElementType),
        value: &Expr,
        inside: impl FnOnce(&mut Self) -> Option<Vec<Val>>,
    ) -> Option<Vec<Val>> {
        self.defining.push(name.text.clone());
        let bound = self.recursive(name, of, value);
        self.defining.pop();
        let at = self.enter();
        let level = match &bound {
            Some(bound) => self.enter_let(name, label(name), bound),
            None => {
                self.bind(name, Meaning::Refused(Sort::Value));
                self.ctx.level()
            }
        };
        let vals = inside(self).and_then(|vals| self.all_named(level, vals));
        self.leave(at);
        self.bind_values(e, (&label(name), level, &bound?), vals?)
    }

    /// The tensor whose elements need earlier ones.
    fn recursive(&mut self, name: &Name, of: &ElementType, value: &Expr) -> Option<Val> {
        let elem = self.element(of)?;
        let (binders, element) = loops_of(value);
        if binders.is_empty() {
            return self.report(
                err!(E0391, value.span, "`{}` is not defined element by element", name.text)
                    .label("expected `gen`")
                    .help(format!(
                        "`rec {}: {elem} = gen i < n {{ .. }};` says how one element is computed",
                        name.text
                    )),
            );
        }
        if let Some(a) = binders.iter().find_map(|binder| binder.attributes.first()) {
            return self.report(
                err!(E0244, a.span, "there is no attribute `@{}` of this form here", a.name.text).help(
                    "the elements of a `rec` follow one another; loops inside an element take attributes",
                ),
            );
        }
        let at = self.enter();
        let bounds: Vec<Option<(Ix, Ix)>> =
            (0..binders.len()).map(|k| self.range(&binders[k..], element)).collect();
        let found = match bounds.into_iter().collect::<Option<Vec<_>>>() {
            Some(bounds) => self.elements(name, elem, (&binders, bounds, element)),
            None => None,
        };
        self.leave(at);
        let (along, level, val) = found?;
        self.one_by_one(name, elem, value, (&along, level, &val))
    }

    /// The first index of a loop, and how many there are.
    fn range(&mut self, rest: &[&Binder], element: &Expr) -> Option<(Ix, Ix)> {
        let owned: Vec<Binder> = rest.iter().copied().cloned().collect();
        let lo = rest[0].lo.as_ref().map_or(Some(Ix::ZERO), |lo| self.index(lo));
        let hi = match &rest[0].hi {
            Some(hi) => self.index(hi),
            None => self.upper(rest[0], &owned, element).or_else(|| {
                self.report(
                    err!(E0255, rest[0].name.span, "nothing gives the range of `{}`", rest[0].name.text)
                        .help(format!("write it: `{} < n`", rest[0].name.text)),
                )
            }),
        };
        let (lo, hi) = (lo?, hi?);
        Some((lo.clone(), hi - lo))
    }

    /// An element, below the tensor and the loops.
    fn elements(
        &mut self,
        name: &Name,
        elem: Elem,
        (binders, bounds, element): (&[&Binder], Vec<(Ix, Ix)>, &Expr),
    ) -> Option<(Vec<Along>, u32, Val)> {
        let shape: Vec<Ix> = bounds.iter().map(|(_, extent)| extent.clone()).collect();
        let level = self.ctx.push_tensor(label(name), Type { elem, shape });
        self.means(&name.text, level);
        let mut along = Vec::new();
        for (binder, (lo, extent)) in binders.iter().zip(bounds) {
            let label = label(&binder.name);
            let index = self.ctx.push_loop(label.clone(), &extent);
            self.bind(&binder.name, Meaning::Index(Ix::free(index) + lo));
            along.push(Along { label, extent, level: index });
        }
        let val = self.whole(element, Some(elem)).and_then(|val| self.named_below(level, val))?;
        self.expect_elem(&val, elem, &format!("an element of `{}`", name.text))?;
        if !val.ty.shape.is_empty() {
            let ty = crate::show::ty(&self.ctx, &val.ty);
            let places: Vec<&str> = binders.iter().map(|binder| binder.name.text.as_str()).collect();
            return self.report(
                err!(E0391, val.spans.span(), "an element of `{}` is of type `{ty}`", name.text)
                    .label(format!("expected one `{elem}`"))
                    .help(format!("write a loop for each index: `gen {}, .. {{ .. }}`", places.join(", ")))
                    .help("where each row needs those before it as a whole, write `scan`"),
            );
        }
        let places: Vec<Ix> = along.iter().map(|l| Ix::free(l.level)).collect();
        let (first, last) = (binders.first()?, binders.last()?);
        self.reads_earlier(name, level, &places, &val, first.span.to(last.span))?;
        Some((along, level, val))
    }

    /// Iterations along the loops, each round of the last one setting an element.
    fn one_by_one(
        &mut self,
        name: &Name,
        elem: Elem,
        value: &Expr,
        (along, level, val): (&[Along], u32, &Val),
    ) -> Option<Val> {
        let base = self.ctx.level();
        let rank = u32::try_from(along.len()).ok()?;
        let shape: Vec<Ix> = along.iter().map(|l| l.extent.clone()).collect();
        // The state along the `k`-th loop is at level `base + 2 k`, and the loop's index above it.
        let last = base + 2 * (rank - 1);
        let tensor = |level: u32| -> Term { Arc::new(Node::Var(Var::Free(level))) };
        let mut place = Subst::default();
        place.tensor.push((level, tensor(last)));
        place.index.extend((0..).zip(along).map(|(k, l): (u32, _)| (l.level, Ix::free(base + 2 * k + 1))));
        let inner = base + 2 * rank;
        let here = (0..rank)
            .fold(Pred::True, |p, k| Pred::and(p, Pred::eq(Ix::free(inner + k), Ix::free(base + 2 * k + 1))));
        let old = (0..rank).fold(tensor(last), |e, k| Arc::new(Node::Get(e, Ix::free(inner + k))));
        let mut term: Term = Arc::new(Node::Select(here, place.expr(&val.expr), old));
        for (k, l) in (0..rank).zip(along).rev() {
            term = Arc::new(Node::Gen(l.label.clone(), l.extent.clone(), close(&term, inner + k)));
        }
        let ty = Type { elem, shape };
        let zeros = self.zeros(&ty, value.span)?;
        let mut path = Vec::new();
        for (k, l) in (0..rank).zip(along).rev() {
            let state = base + 2 * k;
            let init = if k == 0 { zeros.expr.clone() } else { tensor(state - 2) };
            let step = close_all(&term, state, 2);
            let states = vec![State { label: label(name), init, step }];
            let body: Term = Arc::new(Node::Var(Var::Bound(0)));
            term = Arc::new(Node::Iterate(Arc::new(Iterate {
                label: l.label.clone(),
                extent: l.extent.clone(),
                states,
                body,
            })));
            path.push(Child::Step(0));
        }
        path.extend(vec![Child::Body; along.len()]);
        path.push(Child::Then);
        let whole = self.build(Node::clone(&term), ty, value.span, &[(&path, val)])?;
        let nodes = whole.extent.nodes.saturating_add(zeros.extent.nodes).saturating_add(4 * u64::from(rank));
        self.sized(Val { extent: crate::module::Extent { nodes, ..whole.extent }, ..whole })
    }
}

/// The loops around an element, whether they are written as one `gen` or several.
fn loops_of(value: &Expr) -> (Vec<&Binder>, &Expr) {
    let (mut binders, mut element) = (Vec::new(), value);
    while let ExprKind::Bind { op: BinderOp::Gen, binders: more, body } = &element.kind {
        binders.extend(more);
        element = body;
    }
    (binders, element)
}
