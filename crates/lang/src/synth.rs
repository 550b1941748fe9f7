//! The type of a term that is known to have one: read off its structure, nothing proved.
//!
//! The kernel's inference also shows that operands agree, and needs a prover for it. A printer has none, and
//! needs only the answer; for a term without a type it may get a wrong one, or `None`.

use atl_kernel::{Ctx, Elem, Entry, Expr, Node, Prim, Scalar, Type, Var, subst};
use std::sync::Arc;

/// The type of a locally closed term in a context.
pub(crate) fn synth(ctx: &mut Ctx, e: &Expr) -> Option<Type> {
    let level = ctx.level();
    let ty = synth_below(ctx, e);
    ctx.truncate(level);
    ty
}

fn synth_below(ctx: &mut Ctx, e: &Expr) -> Option<Type> {
    let scalar = |elem| Some(Type { elem, shape: Vec::new() });
    match &**e {
        Node::Var(Var::Free(level)) => match ctx.entry(*level)? {
            Entry::Tensor(_, ty) => Some(ty.clone()),
            _ => None,
        },
        Node::Var(Var::Bound(_)) => None,
        Node::Lit(elem, _) | Node::Index(elem, _) => scalar(*elem),
        Node::Gen(label, n, body) | Node::Sum(label, n, body) => {
            let level = ctx.push_index(label.clone());
            let mut ty = synth(ctx, &subst::open(body, level))?;
            if matches!(**e, Node::Gen(..)) {
                ty.shape.insert(0, n.clone());
            }
            Some(ty)
        }
        Node::Guard(_, body) | Node::Select(_, body, _) => synth(ctx, body),
        Node::Let(label, bound, body) => {
            let ty = synth(ctx, bound)?;
            let level = ctx.push_tensor(label.clone(), ty);
            synth(ctx, &subst::open(body, level))
        }
        Node::Iterate(it) => {
            let level = ctx.level();
            for state in &it.states {
                let ty = synth(ctx, &state.init)?;
                ctx.push_tensor(state.label.clone(), ty);
            }
            let count = u32::try_from(it.states.len()).ok()?;
            synth(ctx, &subst::open_all(&it.body, level, count))
        }
        Node::Get(array, _) => {
            let mut ty = synth(ctx, array)?;
            (!ty.shape.is_empty()).then(|| ty.shape.remove(0))?;
            Some(ty)
        }
        Node::Prim(prim, args) => {
            let first = synth(ctx, args.first()?)?;
            let elem = match prim {
                Prim::Eq | Prim::Lt | Prim::Le => Elem { scalar: Scalar::Bool, ..first.elem },
                Prim::Where => synth(ctx, args.get(1)?)?.elem,
                Prim::Cast(to) => *to,
                _ => first.elem,
            };
            Some(Type { elem, ..first })
        }
        Node::View(algebra, body) => {
            let ty = synth(ctx, body)?;
            Some(Type { elem: Elem { algebra: algebra.0, ..ty.elem }, ..ty })
        }
        Node::Bundle(_, parts) => {
            let types = parts.iter().map(|part| synth(ctx, part)).collect::<Option<Vec<_>>>()?;
            Some(Type::bundle(&types))
        }
        Node::Op(def, ixs, args) => {
            let mut subst = subst::Subst::default();
            subst.index.extend((0..).zip(ixs.iter().cloned()));
            for (k, arg) in args.iter().enumerate() {
                let ty = synth(ctx, arg)?;
                let named = *def.tensor_params.get(k)?;
                let level = def.tensor_level(k);
                subst.index.extend((level - named..level).zip(ty.shape.iter().cloned()));
                let var = ctx.push_tensor(Default::default(), ty);
                subst.tensor.push((level, Arc::new(Node::Var(Var::Free(var)))));
            }
            synth(ctx, &subst.expr(&def.body))
        }
    }
}
