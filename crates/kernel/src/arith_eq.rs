//! Equality up to arithmetic: two terms of the same structure whose index terms and predicates are equal
//! where they stand, by certificates.

use crate::ctx::{Recorder, Type};
use crate::error::{Error, Result};
use crate::infer::Scope;
use crate::ix::{Ix, Pred};
use crate::term::{Expr, Node};
use std::sync::Arc;

pub(crate) fn arith_eq(scope: &mut Scope, a: &Expr, b: &Expr, rec: &mut Recorder<'_>) -> Result<()> {
    let differ = || Err(Error::Mismatch("the terms differ in more than arithmetic"));
    let ix = |scope: &Scope, a: &Ix, b: &Ix, rec: &mut Recorder<'_>| {
        scope.same_ix(&scope.resolve(a), &scope.resolve(b), rec)
    };
    if Arc::ptr_eq(a, b) {
        return Ok(());
    }
    match (&**a, &**b) {
        (Node::Var(x), Node::Var(y)) if x == y => Ok(()),
        (Node::Lit(s, x), Node::Lit(t, y)) if s == t && x == y => Ok(()),
        (Node::Index(s, i), Node::Index(t, j)) if s == t => ix(scope, i, j, rec),
        (Node::Gen(l, n, e), Node::Gen(_, m, f)) | (Node::Sum(l, n, e), Node::Sum(_, m, f)) => {
            ix(scope, n, m, rec)?;
            let n = scope.resolve(n);
            scope.in_loop(l, &n, |s| arith_eq(s, e, f, rec))
        }
        (Node::Guard(p, e), Node::Guard(q, f)) => {
            let p = same_pred(scope, p, q, rec)?;
            scope.assuming(p, |s| arith_eq(s, e, f, rec))
        }
        (Node::Select(p, e, f), Node::Select(q, g, h)) => {
            let p = same_pred(scope, p, q, rec)?;
            scope.assuming(p.clone(), |s| arith_eq(s, e, g, rec))?;
            scope.assuming(Pred::not(p), |s| arith_eq(s, f, h, rec))
        }
        (Node::Let(l, x, e), Node::Let(_, y, f)) => {
            let ty = same_type(scope, x, y, rec)?;
            scope.within(|c| Some(c.push_tensor(l.clone(), ty)), |s| arith_eq(s, e, f, rec))
        }
        (Node::Iterate(x), Node::Iterate(y)) if x.states.len() == y.states.len() => {
            ix(scope, &x.extent, &y.extent, rec)?;
            let n = scope.resolve(&x.extent);
            let starts = x.states.iter().zip(&y.states);
            let types = starts.map(|(a, b)| same_type(scope, &a.init, &b.init, rec));
            let types = types.collect::<Result<Vec<_>>>()?;
            let mut others = y.states.iter();
            scope.with_states(x, &types, |s, state, _| {
                let Some(other) = others.next() else { return differ() };
                let round = |s: &mut Scope| arith_eq(s, &state.step, &other.step, rec);
                s.in_loop(&x.label, &n, round)
            })?;
            scope.after_rounds(x, &types, |s| arith_eq(s, &x.body, &y.body, rec))
        }
        (Node::Get(e, i), Node::Get(f, j)) => {
            if e != f {
                same_type(scope, e, f, rec)?; // an access drops an extent
            }
            ix(scope, i, j, rec)
        }
        (Node::Prim(f, es), Node::Prim(g, fs)) if f == g && es.len() == fs.len() => {
            es.iter().zip(fs).try_for_each(|(e, f)| arith_eq(scope, e, f, rec))
        }
        // What the types of results say is compared where the whole is.
        (Node::Bundle(_, es), Node::Bundle(_, fs)) if es.len() == fs.len() => {
            es.iter().zip(fs).try_for_each(|(e, f)| arith_eq(scope, e, f, rec))
        }
        (Node::View(s, e), Node::View(t, f)) if s == t => arith_eq(scope, e, f, rec),
        (Node::Op(d, is, es), Node::Op(c, js, fs))
            if d == c && is.len() == js.len() && es.len() == fs.len() =>
        {
            is.iter().zip(js).try_for_each(|(i, j)| ix(scope, i, j, rec))?;
            es.iter().zip(fs).try_for_each(|(e, f)| same_type(scope, e, f, rec).map(|_| ()))
        }
        _ => differ(),
    }
}

/// Equal terms whose types are equal here too: what a guard inside assumes, the type outside may not.
fn same_type(scope: &mut Scope, a: &Expr, b: &Expr, rec: &mut Recorder<'_>) -> Result<Type> {
    arith_eq(scope, a, b, rec)?;
    let (ty, other) = (scope.infer(a, rec)?, scope.infer(b, rec)?);
    scope.same_type(&ty, &other, b, rec).map(|()| ty)
}

/// Two predicates have one truth value here; the first, without bound variables.
fn same_pred(scope: &Scope, p: &Pred, q: &Pred, rec: &mut Recorder<'_>) -> Result<Pred> {
    let (p, q) = (scope.resolve_pred(p), scope.resolve_pred(q));
    if p != q {
        rec.show(&scope.ctx, &Pred::iff(&p, &q))?;
    }
    Ok(p)
}
