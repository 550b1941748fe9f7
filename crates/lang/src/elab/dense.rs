//! What a function with formats means to the functions that call it: the same function of dense tensors.
//!
//! A format says how a tensor is stored when the function is called from outside. A call from another function has a tensor at
//! hand, stored as that function's own formats say, or not at all; formats of the callee are nothing to it.

use atl_syntax::ast::{Function, Type, TypeKind};

/// The function without its formats; none if it has none.
pub(super) fn without_formats(f: &Function) -> Option<Function> {
    let mut dense = f.clone();
    let params = dense.params.iter_mut().map(|param| &mut param.ty);
    let formats: usize = params.chain(&mut dense.result).map(|ty| usize::from(take_format(ty))).sum();
    (formats > 0).then_some(dense)
}

/// Takes the format away from a type; was there one?
fn take_format(ty: &mut Type) -> bool {
    match &mut ty.kind {
        TypeKind::Tensor { format, .. } => format.take().is_some(),
        TypeKind::Size | TypeKind::Error | TypeKind::Several(_) => false,
    }
}
