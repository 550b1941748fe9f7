//! Values of several components: `iterate .. { .. } in (x, r)`, `gen i < n { (a, b) }`, and whatever else
//! ends in `(a, b)`.
//!
//! **The one idea.** A component is the same expression with one of the values wherever it ends in several.
//! So each is a value like any other, and nothing below knows of tuples; what the components compute in
//! common, lowering computes once.

use super::Elab;
use atl_syntax::ast::{BinderOp, Expr, ExprKind, Name, Rounds, TypeKind};

impl Elab<'_> {
    /// How many values the expression ends in.
    pub(super) fn components(&self, e: &Expr) -> usize {
        match &e.kind {
            ExprKind::Tuple(parts) => parts.len(),
            ExprKind::Call { callee, .. } => match self.names_of_results(&callee.text) {
                Some(names) => names.len().max(1),
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

    /// The results of a function of the program, or of the library, if there is one of this name and it has
    /// several.
    fn names_of_results(&self, callee: &str) -> Option<Vec<String>> {
        if let Some(function) = self.functions.get(callee) {
            return Some(function.iter().flat_map(|f| &f.several).map(|part| part.name.clone()).collect());
        }
        let result = self.functions.generic(callee)?.result.as_ref();
        Some(match result.map(|ty| &ty.kind) {
            Some(TypeKind::Several(parts)) => {
                let name = |k: usize, name: &Option<Name>| match name {
                    Some(name) => name.text.clone(),
                    None => format!("out{k}"),
                };
                parts.iter().enumerate().map(|(k, (own, _))| name(k, own)).collect()
            }
            _ => Vec::new(),
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

    /// The component with this number of an expression that has several.
    pub(super) fn component(&self, e: &Expr, k: usize) -> Expr {
        let mut made = e.clone();
        match &mut made.kind {
            ExprKind::Tuple(parts) => return parts.swap_remove(k),
            ExprKind::Call { callee, args } => match self.names_of_results(&callee.text) {
                Some(names) => {
                    let names: Vec<Name> = names.into_iter().map(|name| Name::new(name, e.span)).collect();
                    let body = Box::new(Expr::new(ExprKind::Name(names[k].text.clone()), e.span));
                    return Expr::new(ExprKind::LetParts { names, value: Box::new(made), body }, e.span);
                }
                None => args.iter_mut().skip(1).for_each(|side| *side = self.component(side, k)),
            },
            ExprKind::Iterate { rounds, body: body @ None } => {
                let (name, _) = &rounds.states[k];
                *body = Some(Box::new(Expr::new(ExprKind::Name(name.text.clone()), e.span)));
            }
            // The rounds keep what all components are made of.
            ExprKind::Scan { rounds, give }
                if give.as_ref().is_none_or(|give| matches!(give.kind, ExprKind::Tuple(_))) =>
            {
                **rounds = Rounds { part: Some(k), ..Rounds::clone(rounds) };
            }
            ExprKind::Let { body, .. }
            | ExprKind::LetParts { body, .. }
            | ExprKind::Rec { body, .. }
            | ExprKind::Labelled { body, .. }
            | ExprKind::Bind { body, .. }
            | ExprKind::Iterate { body: Some(body), .. }
            | ExprKind::Scan { give: Some(body), .. } => **body = self.component(body, k),
            _ => {}
        }
        made
    }
}
