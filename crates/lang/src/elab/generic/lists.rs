//! Lists of extents in types, `S..`, and the one without a name, `..`.

use atl_diag::Span;
use atl_syntax::ast::{self, Expr, ExprKind, TypeKind};

/// The list of extents that `..` alone is.
const UNNAMED: &str = "..";

/// The element types that calls choose.
pub(super) fn elements(f: &ast::Function) -> impl Iterator<Item = &ast::TypeParam> {
    f.type_params.iter().filter(|param| !param.is_shape())
}

/// The names of the lists of extents that calls choose: those that are declared, and the one without a name.
pub(super) fn shapes(f: &ast::Function) -> Vec<&str> {
    let declared = f.type_params.iter().filter(|param| param.is_shape());
    let mut found: Vec<&str> = declared.map(|param| param.name.text.as_str()).collect();
    let mut lists = Vec::new();
    f.params.iter().map(|p| &p.ty).chain(&f.result).for_each(|ty| lists_of(ty, &mut lists));
    found.extend(lists.into_iter().any(|(name, _)| name == UNNAMED).then_some(UNNAMED));
    found
}

/// The lists of extents in a type, and where they stand.
pub(super) fn lists_of<'t>(ty: &'t ast::Type, found: &mut Vec<(&'t str, Span)>) {
    match &ty.kind {
        TypeKind::Tensor { extents, .. } => {
            found.extend(extents.iter().filter_map(|e| Some((list_of(e)?, e.span))));
        }
        TypeKind::Several(parts) => parts.iter().for_each(|(_, ty)| lists_of(ty, found)),
        TypeKind::Error | TypeKind::Size => {}
    }
}

/// The name of the list of extents that this is.
pub(super) fn list_of(e: &Expr) -> Option<&str> {
    match &e.kind {
        ExprKind::Range(None, None) => Some(UNNAMED),
        ExprKind::Range(Some(name), None) => match &name.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// A list of extents as a program writes it.
pub(super) fn shown_list(name: &str) -> String {
    if name == UNNAMED { name.to_owned() } else { format!("{name}..") }
}

/// The name of an extent of a list.
pub(super) fn extent(list: &str, k: usize) -> String {
    let list = if list == UNNAMED { "_" } else { list };
    format!("{list}.{k}")
}

/// How long the list is that stands among these extents, where the type has `rank` extents in all.
pub(super) fn length(extents: &[Expr], rank: usize) -> Option<(&str, usize)> {
    let mut lists = extents.iter().filter_map(list_of);
    let list = lists.next().filter(|_| lists.next().is_none())?;
    Some((list, (rank + 1).checked_sub(extents.len())?))
}
