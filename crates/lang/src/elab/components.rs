//! Values of several components: `iterate .. { .. } in (x, r)`, `gen i < n { (a, b) }`, and whatever else
//! ends in `(a, b)`.
//!
//! **The one idea.** A component is the same term with one of the values wherever it ends in several. So each
//! is a value like any other, and nothing below knows of tuples. What the components have in common is
//! elaborated once, in the one context of all of them, and lowering computes it once.

use super::{Elab, Val};
use atl_kernel::{Child, Elem, Node, Pred, Prim};
use atl_syntax::ast::{BinderOp, Expr, ExprKind, Name, TypeKind};

impl Elab<'_> {
    /// How many values the expression ends in.
    pub(super) fn components(&self, e: &Expr) -> usize {
        match &e.kind {
            ExprKind::Tuple(parts) => parts.len(),
            ExprKind::Call { callee, .. } => match self.count_of_results(&callee.text) {
                Some(results) => results.max(1),
                None => {
                    self.both_sides(e).map_or(1, |[a, b]| match (self.components(a), self.components(b)) {
                        (n, m) if n == m => n,
                        _ => 1,
                    })
                }
            },
            ExprKind::Iterate { rounds, body: None } | ExprKind::Scan { rounds, give: None } => {
                rounds.states.len()
            }
            _ => self.ending(e).map_or(1, |end| self.components(end)),
        }
    }

    /// How many results a function of the program, or of the library, has, if there is one of this name.
    fn count_of_results(&self, callee: &str) -> Option<usize> {
        if let Some(function) = self.functions.get(callee) {
            return Some(function.as_ref().map_or(0, |f| f.several.len()));
        }
        let result = self.functions.generic(callee)?.result.as_ref();
        Some(match result.map(|ty| &ty.kind) {
            Some(TypeKind::Several(parts)) => parts.len(),
            _ => 0,
        })
    }

    /// What the expression ends in, if that stands in it once.
    fn ending<'e>(&self, e: &'e Expr) -> Option<&'e Expr> {
        match &e.kind {
            ExprKind::Let { body, .. }
            | ExprKind::LetParts { body, .. }
            | ExprKind::Rec { body, .. }
            | ExprKind::Labelled { body, .. }
            | ExprKind::Bind { op: BinderOp::Gen, body, .. }
            | ExprKind::Iterate { body: Some(body), .. } => Some(body),
            ExprKind::Scan { give: Some(give), .. } => Some(give),
            _ => None,
        }
    }

    /// The sides of a choice.
    fn both_sides<'e>(&self, e: &'e Expr) -> Option<[&'e Expr; 2]> {
        match &e.kind {
            ExprKind::Call { callee, args } if callee.text == "select" => match &args[..] {
                [_, a, b] => Some([a, b]),
                _ => None,
            },
            _ => None,
        }
    }

    /// The values that an expression ends in, of these types as far as they are known: as many as are wanted.
    pub(super) fn ends(&mut self, e: &Expr, wants: &[Option<Elem>]) -> Option<Vec<Val>> {
        match wants {
            [want] => Some(vec![self.whole(e, *want)?]),
            _ => self.with_numbers(e, &|elab, e| elab.several_ends(e, wants)),
        }
    }

    fn several_ends(&mut self, e: &Expr, wants: &[Option<Elem>]) -> Option<Vec<Val>> {
        match &e.kind {
            ExprKind::Tuple(parts) if parts.len() == wants.len() => {
                let vals: Vec<Option<Val>> =
                    parts.iter().zip(wants).map(|(part, want)| self.whole(part, *want)).collect();
                vals.into_iter().collect()
            }
            ExprKind::Labelled { label, body } => {
                let vals = self.ends(body, wants)?;
                Some(vals.into_iter().map(|val| val.labelled(&label.text)).collect())
            }
            ExprKind::Call { callee, args } => match (self.count_of_results(&callee.text), &args[..]) {
                (None, [condition, a, b]) => self.choices(e, callee, condition, [a, b], wants),
                _ => {
                    let at = self.enter();
                    let found = self.taken_apart(e, Some(wants));
                    let vals = found.and_then(|(chain, vals)| self.around(e, chain, vals));
                    self.leave(at);
                    vals
                }
            },
            _ => {
                let mut vals = self.around_ends(e, wants)?;
                for val in &mut vals {
                    val.extent.copies = val.extent.copies.saturating_mul(wants.len() as u64);
                }
                Some(vals)
            }
        }
    }

    /// What is around the ends of an expression, once for all of them.
    pub(super) fn around_ends(&mut self, e: &Expr, wants: &[Option<Elem>]) -> Option<Vec<Val>> {
        match &e.kind {
            ExprKind::Bind { op, binders, body } => self.binders(e, *op, (binders, body), wants),
            ExprKind::Let { name, attributes, value, body } => {
                self.let_in(e, name, attributes, value, |elab| elab.ends(body, wants))
            }
            ExprKind::LetParts { names, value, body } => {
                self.let_parts(e, names, value, |elab| elab.ends(body, wants))
            }
            ExprKind::Rec { name, of, value, body } => {
                self.rec(e, (name, of), value, |elab| elab.ends(body, wants))
            }
            ExprKind::Iterate { rounds, body } => self.iterate(e, rounds, body.as_deref(), wants),
            ExprKind::Scan { rounds, give } => self.scan(e, rounds, give.as_deref(), wants),
            _ => self.not_several(e.span, "this"),
        }
    }

    /// `select(p, a, b)` of sides that end in several values each: a choice for each of them.
    fn choices(
        &mut self,
        e: &Expr,
        select: &Name,
        condition: &Expr,
        [a, b]: [&Expr; 2],
        wants: &[Option<Elem>],
    ) -> Option<Vec<Val>> {
        if let (ExprKind::Tuple(xs), ExprKind::Tuple(ys)) = (&a.kind, &b.kind) {
            // Each choice decides its own literals.
            let choice = |((x, y), want): ((&Expr, &Expr), &Option<Elem>)| {
                let args = vec![condition.clone(), x.clone(), y.clone()];
                let kind = ExprKind::Call { callee: select.clone(), args };
                self.whole(&Expr::new(kind, e.span), *want)
            };
            return xs.iter().zip(ys).zip(wants).map(choice).collect();
        }
        let on_indices = self.is_predicate(condition);
        let holds = if on_indices { self.predicate(condition)? } else { Pred::True };
        let truth = match on_indices {
            true => None,
            false => {
                let truth = self.value(condition, None)?;
                self.is_truth(&truth, "the condition of `select`")?;
                Some(truth)
            }
        };
        let fails = if on_indices { Pred::not(holds.clone()) } else { Pred::True };
        let sides = [(a, holds.clone()), (b, fails)];
        let first = usize::from(self.leaves_open(a) && !self.leaves_open(b));
        let [one, two] = [&sides[first], &sides[1 - first]];
        let one = self.assuming(one.1.clone(), |elab| elab.ends(one.0, wants))?;
        let decided: Vec<Option<Elem>> = one.iter().map(|val| Some(val.ty.elem)).collect();
        let two = self.assuming(two.1.clone(), |elab| elab.ends(two.0, &decided))?;
        let mut chosen = Vec::new();
        for (one, two) in one.into_iter().zip(two) {
            self.expect_elem(&two, one.ty.elem, "the other side of `select`")?;
            let [a, b] = if first == 0 { [one, two] } else { [two, one] };
            chosen.push(match &truth {
                Some(truth) => {
                    let elem = a.ty.elem;
                    self.pointwise(e, Prim::Where, elem, &[truth.clone(), a, b], "`select`")?
                }
                None => {
                    self.same_shape(&a, &b, "`select`")?;
                    let node = Node::Select(holds.clone(), a.expr.clone(), b.expr.clone());
                    self.build(node, a.ty.clone(), e.span, &[(&[Child::Then], &a), (&[Child::Else], &b)])?
                }
            });
        }
        Some(chosen)
    }

    /// Is there a literal among the ends whose element type another side has to say?
    fn leaves_open(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Tuple(parts) => parts.iter().any(|part| self.undecided(part)),
            _ => match self.both_sides(e) {
                Some(sides) => sides.into_iter().all(|side| self.leaves_open(side)),
                None => self.ending(e).is_some_and(|end| self.leaves_open(end)),
            },
        }
    }
}
