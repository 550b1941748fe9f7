//! That a `rec` reads earlier elements alone.
//!
//! The one idea: its elements are computed in lexicographic order, so a read at `r` in the element at `p`
//! is earlier where, for some `m`, `r[l] <= p[l]` for all `l < m` and `r[m] < p[m]`. That is proved of
//! every read from what is known where it stands: guards, bounds of sums, sides of `select`. A read of a
//! slice counts with the indices that it has; the whole tensor is never earlier than its own element.

use super::lookup::own;
use super::{Elab, Val};
use crate::show;
use atl_diag::{Span, err};
use atl_kernel::{Child, Ctx, Expr, Ix, Node, Pred, Scalar, Type, Var, subst};
use atl_ops::reflect::push_let;
use std::ops::ControlFlow;

/// A read of the tensor: its indices, where it is, and what is known there.
struct Found {
    at: Vec<Ix>,
    path: Vec<Child>,
    ctx: Ctx,
}

impl Elab<'_> {
    /// Every read of the tensor at this level is at an earlier place than this one.
    pub(super) fn reads_earlier(
        &mut self,
        name: &atl_syntax::ast::Name,
        level: u32,
        place: &[Ix],
        val: &Val,
        loops: Span,
    ) -> Option<()> {
        let own = self.ctx.clone();
        let late = self.walk(&val.expr, level, place, &mut Vec::new());
        let late = match late {
            ControlFlow::Continue(()) => return Some(()),
            ControlFlow::Break(late) => late,
        };
        self.ctx = late.ctx.clone();
        let text = |ixs: &[Ix]| {
            let ixs: Vec<String> = ixs.iter().map(|ix| show::ix(&late.ctx, ix)).collect();
            format!("{}[{}]", name.text, ixs.join(", "))
        };
        let span = val.spans.at(&late.path).unwrap_or(val.spans.span());
        let here = text(place);
        let refusal = if late.at.is_empty() {
            err!(E0390, span, "`{}` is read as a whole in the definition of its elements", name.text)
                .label("also at elements that are not computed yet")
                .also(loops, format!("computes `{here}`, in the order of these loops"))
                .help("read single elements at earlier places")
        } else if late.at == place {
            err!(E0390, span, "`{here}` is read in its own definition")
                .label("not computed yet")
                .also(loops, format!("computes `{here}`, in the order of these loops"))
                .help(format!(
                    "read earlier ones; the tensor that is called `{}` outside needs another name",
                    name.text
                ))
        } else {
            let goal = is_earlier(&late.at, place);
            let read = text(&late.at);
            let refusal = err!(E0390, span, "`{read}` is not known to be computed before `{here}`")
                .label("this read")
                .also(loops, format!("computes `{here}`, in the order of these loops"));
            let refusal = self.with_reasons(refusal, &goal);
            match self.proves(&Pred::not(goal.clone())) {
                true => refusal.help(
                    "where elements need later ones, count from the end: `gen k < n { .. }` with `n - 1 - k` for the index",
                ),
                false => refusal.help(format!(
                    "if only the earlier of these are meant, guard the read: `[{}] * {read}`",
                    show::pred(&late.ctx, &goal)
                )),
            }
        };
        self.ctx = own;
        self.report(refusal)
    }

    /// The first read that is not proved to be earlier.
    fn walk(&mut self, e: &Expr, level: u32, place: &[Ix], path: &mut Vec<Child>) -> ControlFlow<Found> {
        for ix in own(e) {
            self.walk_index(ix, level, place, path)?;
        }
        let (mut tensor, mut at) = (e, Vec::new());
        while let Node::Get(array, i) = &**tensor {
            at.insert(0, i.clone());
            tensor = array;
        }
        if matches!(**tensor, Node::Var(Var::Free(l)) if l == level) {
            // The indices below the first are those of accesses further down.
            for ix in &at {
                self.walk_index(ix, level, place, path)?;
            }
            return self.must_be_earlier(at, place, path);
        }
        for at in e.children() {
            let Some(child) = e.child(at) else { continue };
            let outside = self.enter();
            let first = self.ctx.level();
            self.enter_child(e, at);
            let opened = match e.binds(at) {
                0 => child.clone(),
                binders => subst::open_all(child, first, binders),
            };
            path.push(at);
            let found = self.walk(&opened, level, place, path);
            path.pop();
            self.leave(outside);
            found?;
        }
        ControlFlow::Continue(())
    }

    /// What is bound, and known, in a child of a term.
    fn enter_child(&mut self, e: &Expr, at: Child) {
        match (&**e, at) {
            (Node::Gen(label, n, _) | Node::Sum(label, n, _), Child::Body) => {
                self.ctx.push_loop(label.clone(), n);
            }
            (Node::Guard(p, _), _) | (Node::Select(p, ..), Child::Then) => self.ctx.push_hyp(p.clone()),
            (Node::Select(p, ..), Child::Else) => self.ctx.push_hyp(Pred::not(p.clone())),
            (Node::Let(label, bound, _), Child::Body) => {
                let ty = self.type_below(bound);
                self.ctx = push_let(&self.ctx, label, &ty, bound, self.prover);
            }
            (Node::Iterate(it), Child::Step(_) | Child::Body) => {
                let types: Vec<Type> = it.states.iter().map(|s| self.type_below(&s.init)).collect();
                let mut push = |k: usize| {
                    self.ctx.push_tensor(it.states[k].label.clone(), types[k].clone());
                };
                (0..types.len()).for_each(&mut push);
                if let Child::Step(k) = at {
                    (0..k as usize).for_each(&mut push);
                    self.ctx.push_loop(it.label.clone(), &it.extent);
                }
            }
            _ => {}
        }
    }

    /// The type of a part of an elaborated term, which has one.
    fn type_below(&mut self, e: &Expr) -> Type {
        let unknown = || Type { elem: crate::algebra::ordinary(Scalar::F32), shape: Vec::new() };
        crate::synth::synth(&mut self.ctx, e).unwrap_or_else(unknown)
    }

    /// Reads of the tensor inside of an index term.
    fn walk_index(&mut self, ix: &Ix, level: u32, place: &[Ix], path: &[Child]) -> ControlFlow<Found> {
        match ix {
            Ix::Lit(_) | Ix::Var(_) => ControlFlow::Continue(()),
            Ix::Bin(_, ab) => {
                self.walk_index(&ab.0, level, place, path)?;
                self.walk_index(&ab.1, level, place, path)
            }
            Ix::Read(array, at) => {
                for ix in at.iter() {
                    self.walk_index(ix, level, place, path)?;
                }
                match array {
                    Var::Free(l) if *l == level => self.must_be_earlier(at.to_vec(), place, path),
                    _ => ControlFlow::Continue(()),
                }
            }
        }
    }

    fn must_be_earlier(&mut self, at: Vec<Ix>, place: &[Ix], path: &[Child]) -> ControlFlow<Found> {
        let ways = (0..at.len()).map(|m| {
            let before = at.iter().zip(place).take(m).map(|(r, p)| Pred::le(r.clone(), p.clone()));
            let last = Pred::lt(at[m].clone(), place[m].clone());
            before.chain([last]).fold(Pred::True, Pred::and)
        });
        let earlier = ways.collect::<Vec<_>>().iter().any(|way| self.proves(way))
            || (at.len() > 1 && self.proves(&is_earlier(&at, place)));
        match earlier {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Found { at, path: path.to_vec(), ctx: self.ctx.clone() }),
        }
    }
}

/// That indices come before those of a place, the first ones counting most.
fn is_earlier(at: &[Ix], place: &[Ix]) -> Pred {
    let pairs: Vec<(&Ix, &Ix)> = at.iter().zip(place).skip_while(|(r, p)| r == p).collect();
    pairs.into_iter().rev().fold(Pred::False, |later, (r, p)| {
        let before = Pred::lt(r.clone(), p.clone());
        match later {
            Pred::False => before,
            later => Pred::or(before, Pred::and(Pred::eq(r.clone(), p.clone()), later)),
        }
    })
}
