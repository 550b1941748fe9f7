//! Two nested loops as one.
//!
//! **Statement.** `flatten(gen i < n, j < m { e(i, j) }) = gen f < n*m { e(f / m, f % m) }`; without a
//! `flatten` around them, `gen i < n, j < m { e(i, j) } = split(m, gen f < n*m { e(f / m, f % m) })` if
//! `0 < m`; and `sum i < n { sum j < m { e(i, j) } } = sum f < n*m { e(f / m, f % m) }`. It is the way back
//! from a `split`; what the directive `fuse` does with two loops.

use atl_annotations::Annotations;
use atl_kernel::{Child, Error, Expr, Ix, Label, Node, Pred, Result as Kernel, Rule, Thm, Unproved, subst};
use atl_rules::gather::by_gather;
use atl_rules::{Cx, Step as Conversion};
use std::sync::Arc;

/// Two loops of one kind, the inner one's extent independent of the outer.
pub(crate) struct Pair {
    outer: Label,
    inner: Label,
    n: Ix,
    m: Ix,
    /// The body, opened at two levels from this one.
    body: Expr,
    level: u32,
    sum: bool,
    /// The tag of the one loop.
    tag: u32,
}

impl Pair {
    /// The pair that begins at `e`. The one loop has the annotations of both.
    pub(crate) fn new(cx: &mut Cx<'_>, e: &Expr, annotations: &mut Annotations) -> Option<Pair> {
        let level = cx.ctx.level();
        let (sum, outer, n, rest) = match &**e {
            Node::Gen(l, n, rest) => (false, l, n, rest),
            Node::Sum(l, n, rest) => (true, l, n, rest),
            _ => return None,
        };
        let opened = subst::open(rest, level);
        let (inner, m, body) = match &*opened {
            Node::Gen(l, m, body) if !sum => (l, m, body),
            Node::Sum(l, m, body) if sum => (l, m, body),
            _ => return None,
        };
        let body = subst::open(body, level + 1);
        let (outer, inner, n) = (outer.clone(), inner.clone(), n.clone());
        (!m.mentions(level)).then(|| {
            let tag = annotations.union(outer.tag, inner.tag);
            Pair { outer, inner, n, m: m.clone(), body, level, sum, tag }
        })
    }

    /// The indices of both loops, from the index of the one loop.
    fn indices(&self, f: Ix) -> (Ix, Ix) {
        (f.clone() / self.m.clone(), f % self.m.clone())
    }

    fn total(&self) -> Ix {
        self.n.clone() * self.m.clone()
    }

    fn label(&self, name: &str) -> Label {
        Label { name: Arc::from(name), tag: self.tag, ..self.outer.clone() }
    }

    /// The theorem for two sums.
    pub(crate) fn sums(&self, cx: &mut Cx<'_>, e: &Expr, name: &str) -> Kernel<Thm> {
        let f = self.level + 2;
        let (i, j) = self.indices(Ix::free(f));
        let at = subst::Subst { index: vec![(self.level, i), (self.level + 1, j)], tensor: vec![] };
        let one: Expr =
            Arc::new(Node::Sum(self.label(name), self.total(), subst::close(&at.expr(&self.body), f)));
        let tile = Rule::SumTile(self.outer.clone(), self.n.clone(), self.inner.clone(), self.m.clone());
        let tiled = cx.rule(tile, &one)?;
        let same = cx.rule(Rule::ArithEq(e.clone()), &tiled.rhs().clone())?;
        Ok(tiled.trans(same)?.sym())
    }

    /// The theorem for two `gen`s, or for a `flatten` of them.
    pub(crate) fn gens(&self, cx: &mut Cx<'_>, flattened: bool, name: &str) -> Kernel<Thm> {
        debug_assert!(!self.sum, "sums are fused in another way");
        let goal = Pred::lt(Ix::ZERO, self.m.clone());
        if !flattened && !cx.proves(&goal) {
            return Err(Error::Unproved(Box::new(Unproved { ctx: (*cx.ctx).clone(), goal, refused: None })));
        }
        // A table of the bodies, over which the equation is about indices only.
        let row = Node::Gen(self.inner.clone(), self.m.clone(), subst::close(&self.body, self.level + 1));
        let row: Expr = Arc::new(row);
        let table: Expr =
            Arc::new(Node::Gen(self.outer.clone(), self.n.clone(), subst::close(&row, self.level)));
        let f = self.level + 1;
        let sides = |t: &Expr| {
            let (i, j) = self.indices(Ix::free(f));
            let entry: Expr = Arc::new(Node::Get(Arc::new(Node::Get(t.clone(), i)), j));
            let one = Arc::new(Node::Gen(self.label(name), self.total(), subst::close(&entry, f)));
            match flattened {
                true => (atl_ops::flatten(t.clone()), one as Expr),
                false => (t.clone(), atl_ops::split(self.m.clone(), one)),
            }
        };
        let thm = cx.instance(&table, sides, by_gather)?;
        let way: &[Child] = if flattened { &[Child::Body] } else { &[Child::Arg(0), Child::Body] };
        cx.then(thm, |cx, e| cx.at(e, way, &mut entry))
    }
}

/// `(gen i, j { e })[k][l]`, carried out.
fn entry(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    cx.sequence(
        e,
        |cx, e| cx.child(e, Child::Body, |cx, e| cx.rule(Rule::AccessGen, e)),
        |cx, e| cx.rule(Rule::AccessGen, e),
    )
}
