//! What a call has chosen, in the text of a function.

use super::lists::{elements, extent, list_of, shapes};
use crate::algebra;
use atl_kernel::Elem;
use atl_syntax::ast::{self, Binder, BinderOp, ElementType, Expr, ExprKind, Name, TypeKind};

/// What a call has chosen.
pub(super) struct Chosen<'f> {
    elements: Vec<(&'f str, Elem)>,
    /// Lists of extents, and how long they are.
    shapes: Vec<(&'f str, usize)>,
}

impl<'f> Chosen<'f> {
    pub(super) fn new(f: &'f ast::Function, elems: &[Elem], ranks: &[usize]) -> Chosen<'f> {
        let elements = elements(f).map(|param| param.name.text.as_str()).zip(elems.iter().copied());
        Chosen {
            elements: elements.collect(),
            shapes: shapes(f).into_iter().zip(ranks.iter().copied()).collect(),
        }
    }

    /// `<f32; 2>`.
    fn shown(&self) -> String {
        let elements: Vec<String> = self.elements.iter().map(|(_, elem)| elem.to_string()).collect();
        let ranks: Vec<String> = self.shapes.iter().map(|(_, rank)| rank.to_string()).collect();
        let lists = [elements.join(", "), ranks.join(", ")];
        let lists: Vec<&str> = lists.iter().map(String::as_str).filter(|list| !list.is_empty()).collect();
        format!("<{}>", lists.join("; "))
    }

    /// The name and the text of a function.
    pub(super) fn instance(&self, f: &ast::Function) -> (String, ast::Function) {
        let name = format!("{}{}", f.name.text, self.shown());
        let mut made = f.clone();
        made.type_params.clear();
        made.name.text.clone_from(&name);
        made.params.iter_mut().for_each(|param| self.in_type(&mut param.ty));
        made.result.iter_mut().for_each(|ty| self.in_type(ty));
        made.preconditions.iter_mut().chain([&mut made.body]).for_each(|e| self.in_expr(e));
        (name, made)
    }

    fn in_element(&self, element: &mut ElementType) {
        let Some((_, elem)) = self.elements.iter().find(|(name, _)| *name == element.scalar.text) else {
            return;
        };
        element.scalar.text = elem.scalar.name().to_owned();
        if element.semiring.is_none() && !algebra::is_ordinary(*elem) {
            element.semiring = Some(Name::new(elem.algebra.name, element.span));
        }
    }

    fn in_type(&self, ty: &mut ast::Type) {
        match &mut ty.kind {
            TypeKind::Tensor { element, extents, .. } => {
                self.in_element(element);
                *extents = std::mem::take(extents).into_iter().flat_map(|e| self.in_extent(e)).collect();
            }
            TypeKind::Several(parts) => parts.iter_mut().for_each(|(_, ty)| self.in_type(ty)),
            TypeKind::Error | TypeKind::Size => {}
        }
    }

    /// The extents that this one is: a list of them is `S.0`, `S.1` and so on, names that no program has.
    fn in_extent(&self, e: Expr) -> Vec<Expr> {
        let length = list_of(&e).and_then(|list| self.shapes.iter().find(|(name, _)| *name == list));
        match length {
            Some((name, rank)) => {
                (0..*rank).map(|k| Expr::new(ExprKind::Name(extent(name, k)), e.span)).collect()
            }
            None => vec![e],
        }
    }

    /// `gen s < S.. { x[s] }` is `gen s.0 < S.0, s.1 < S.1 { x[s.0, s.1] }`. Of a list without extents a
    /// reduction has one round.
    fn in_binders(&self, e: &mut Expr) {
        let (ExprKind::Bind { binders, body, .. } | ExprKind::Fold { binders, body, .. }) = &mut e.kind
        else {
            return;
        };
        let mut lists = Vec::new();
        let mut each = |(place, binder): (usize, Binder)| {
            let rank = binder.hi.as_ref().and_then(list_of);
            let Some((list, rank)) = rank.and_then(|list| self.shapes.iter().find(|(name, _)| *name == list))
            else {
                return vec![binder];
            };
            let loops: Vec<String> = (0..*rank).map(|k| format!("{}.{k}", binder.name.text)).collect();
            lists.push((place, binder.name.text.clone(), loops.clone()));
            let made = |(k, name): (usize, String)| Binder {
                name: Name::new(name, binder.name.span),
                hi: Some(Expr::new(ExprKind::Name(extent(list, k)), binder.span)),
                ..binder.clone()
            };
            loops.into_iter().enumerate().map(made).collect()
        };
        let span = binders.first().map_or(e.span, |binder| binder.span);
        let names: Vec<String> = binders.iter().map(|binder| binder.name.text.clone()).collect();
        *binders = std::mem::take(binders).into_iter().enumerate().flat_map(&mut each).collect();
        // A later loop of the same name hides an earlier one.
        for (place, index, loops) in lists {
            if !names[place + 1..].contains(&index) {
                read_at(body, &index, &loops);
            }
        }
        if !binders.is_empty() {
            return;
        }
        match &mut e.kind {
            ExprKind::Bind { op: BinderOp::Gen, body, .. } => {
                *e = std::mem::replace(&mut **body, Expr::new(ExprKind::Error, e.span));
                self.in_binders(e);
            }
            ExprKind::Bind { binders, .. } | ExprKind::Fold { binders, .. } => binders.push(Binder {
                name: Name::new("once.0", span),
                lo: None,
                hi: Some(Expr::new(ExprKind::Int(1), span)),
                attributes: Vec::new(),
                span,
            }),
            _ => {}
        }
    }

    fn in_expr(&self, e: &mut Expr) {
        let is_type = |name: &str| self.elements.iter().any(|(element, _)| *element == name);
        match &mut e.kind {
            // `T(x)` is a conversion.
            ExprKind::Call { callee, args } if args.len() == 1 && is_type(&callee.text) => {
                let to = ElementType { semiring: None, scalar: callee.clone(), span: callee.span };
                e.kind = ExprKind::Convert { to, value: Box::new(args.remove(0)) };
            }
            _ => {}
        }
        self.in_binders(e);
        if let ExprKind::Convert { to: element, .. } | ExprKind::Rec { of: element, .. } = &mut e.kind {
            self.in_element(element);
        }
        if let ExprKind::Typed { ty, .. } = &mut e.kind {
            self.in_type(ty);
        }
        e.children_mut().into_iter().for_each(|child| self.in_expr(child));
    }
}

/// Reads `x[s]` at all loops over a list of extents.
fn read_at(e: &mut Expr, index: &str, loops: &[String]) {
    if e.bound_mut().into_iter().any(|name| name.text == index) {
        // The name is another's from here on, but for what is bound to it.
        if let ExprKind::Let { value, .. } | ExprKind::LetParts { value, .. } = &mut e.kind {
            read_at(value, index, loops);
        }
        return;
    }
    if let ExprKind::Access { base, indices, .. } = &mut e.kind {
        let each = |at: Expr| match &at.kind {
            ExprKind::Name(name) if name == index => {
                loops.iter().map(|k| Expr::new(ExprKind::Name(k.clone()), at.span)).collect()
            }
            _ => vec![at],
        };
        *indices = std::mem::take(indices).into_iter().flat_map(each).collect();
        if indices.is_empty() {
            *e = std::mem::replace(&mut **base, Expr::new(ExprKind::Error, e.span));
        }
    }
    e.children_mut().into_iter().for_each(|child| read_at(child, index, loops));
}
