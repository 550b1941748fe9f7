//! Values in indices: `lut[u8(255 * x[i])]`, `x[i32(p[i]) + 1]`.
//!
//! **The one idea.** In an index only a name is read. So `2 * lut[u8(255 * x[i])]` means `let lut_at = u8(255 * x[i]); 2 * lut[lut_at]`: the
//! number has a name where the body, the value or the branch begins in which it stands, so not within an
//! operation, out of which nothing could move it. What its type and its arithmetic say of it is known there.
//! A number that is written twice, as in `[0 <= i32(p[i]) < N] * x[i32(p[i])]`, has one name.

use super::index::Sort;
use super::{Elab, Meaning, Val, label};
use crate::algebra::is_ordinary;
use crate::show;
use atl_diag::err;
use atl_kernel::Elem;
use atl_ops::reflect::push_let;
use atl_syntax::ast::{AccessKind, BinaryOp, BinderOp, Expr, ExprKind, Name, UnaryOp};

impl Elab<'_> {
    /// A value that begins here, with names for the numbers in its indices that are computed.
    pub(super) fn whole(&mut self, e: &Expr, want: Option<Elem>) -> Option<Val> {
        self.with_numbers(e, &|elab, e| Some(vec![elab.value(e, want)?]))?.pop()
    }

    /// Values that begin here; `inside` elaborates the expression that has the names.
    pub(super) fn with_numbers(
        &mut self,
        e: &Expr,
        inside: &dyn Fn(&mut Self, &Expr) -> Option<Vec<Val>>,
    ) -> Option<Vec<Val>> {
        let Some((part, hint)) = self.part(e) else { return inside(self, e) };
        let (part, name) = (part.clone(), Name::new(self.fresh(hint, e), part.span));
        let at = self.enter();
        let bound = self.whole(&part, None);
        let level = self.ctx.level();
        let bound = bound.and_then(|bound| self.is_number(bound));
        match &bound {
            Some(bound) => {
                self.ctx = push_let(&self.ctx, &label(&name), &bound.ty, &bound.expr, self.prover);
                self.bind(&name, Meaning::Tensor(level));
            }
            None => self.bind(&name, Meaning::Refused(Sort::Index)),
        }
        let mut rest = e.clone();
        replace(&mut rest, &part, &name);
        let vals = self.with_numbers(&rest, inside).and_then(|vals| self.all_named(level, vals));
        self.leave(at);
        self.bind_values(e, (&label(&name), level, &bound?), vals?)
    }

    /// The value, if it may stand in an index.
    fn is_number(&mut self, val: Val) -> Option<Val> {
        if val.ty.shape.is_empty() && val.ty.elem.scalar.is_index() && is_ordinary(val.ty.elem) {
            return Some(val);
        }
        let ty = show::ty(&self.ctx, &val.ty);
        let refusal = err!(E0220, val.spans.span(), "an index is an integer, and this is of type `{ty}`");
        self.report(match val.ty.elem.scalar.is_float() {
            true => refusal.help("convert it: `i32(…)` rounds towards zero"),
            false => refusal.help("indices are numbers of integer types, all but `u64`, or of `bool`"),
        })
    }

    /// A name that nothing has here, nor in the expression.
    fn fresh(&self, hint: &str, e: &Expr) -> String {
        let plain = match hint {
            "" => "at".to_owned(),
            hint => format!("{hint}_at"),
        };
        let taken = |name: &str| {
            self.lookup(name).is_some() || self.functions.contains_key(name) || speaks_of(e, name)
        };
        match taken(&plain) {
            false => plain,
            true => (2..).map(|n| format!("{plain}{n}")).find(|name| !taken(name)).unwrap_or(plain),
        }
    }

    /// The first computed number in an index of the expression, and the name of what is read there. What
    /// begins elsewhere, the body of a loop or of a `let`, has its own.
    fn part<'e>(&self, e: &'e Expr) -> Option<(&'e Expr, &'e str)> {
        match &e.kind {
            ExprKind::Access { base, indices, .. } => {
                let hint = if let ExprKind::Name(name) = &base.kind { name } else { "" };
                let computed = indices.iter().find_map(|i| self.computed(i, hint));
                computed.or_else(|| self.part(base))
            }
            ExprKind::Guard { predicate, .. } => self.in_condition(predicate),
            ExprKind::Call { callee, args } if callee.text == "select" && args.len() == 3 => {
                match self.is_predicate(&args[0]) {
                    true => None,
                    false => args.iter().find_map(|e| self.part(e)),
                }
            }
            ExprKind::Unary(_, a)
            | ExprKind::Convert { value: a, .. }
            | ExprKind::Labelled { body: a, .. } => self.part(a),
            ExprKind::Binary(_, a, b) => self.part(a).or_else(|| self.part(b)),
            ExprKind::Compare(first, rest) => {
                self.part(first).or_else(|| rest.iter().find_map(|(_, e)| self.part(e)))
            }
            ExprKind::Call { callee, args }
                if callee.text == "one_hot" && !self.functions.contains_key("one_hot") =>
            {
                let position = args.get(1).and_then(|position| self.computed(position, ""));
                position.or_else(|| args.iter().skip(2).find_map(|e| self.part(e)))
            }
            ExprKind::Call { args, .. } | ExprKind::List(args) => args.iter().find_map(|e| self.part(e)),
            _ => None,
        }
    }

    /// The first computed number in a condition on indices.
    fn in_condition<'e>(&self, p: &'e Expr) -> Option<(&'e Expr, &'e str)> {
        match &p.kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.in_condition(a),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.in_condition(a).or_else(|| self.in_condition(b))
            }
            ExprKind::Compare(first, rest) => {
                let sides = std::iter::once(&**first).chain(rest.iter().map(|(_, e)| e));
                sides.into_iter().find_map(|e| self.computed(e, ""))
            }
            ExprKind::Access { .. } => self.computed(p, ""),
            _ => None,
        }
    }

    /// The first computed number in an index term.
    fn computed<'e>(&self, e: &'e Expr, hint: &'e str) -> Option<(&'e Expr, &'e str)> {
        use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
        match &e.kind {
            ExprKind::Convert { .. } => Some((e, hint)),
            ExprKind::Bind { op, .. } if *op != BinderOp::Gen => Some((e, hint)),
            // Index terms have no bits.
            ExprKind::Binary(BitAnd | BitOr | BitXor | Shl | Shr, ..) if self.sort(e) == Sort::Value => {
                Some((e, hint))
            }
            ExprKind::Unary(UnaryOp::Neg, a) | ExprKind::Labelled { body: a, .. } => self.computed(a, hint),
            ExprKind::Binary(Add | Sub | Mul | Div | Rem, a, b) => {
                self.computed(a, hint).or_else(|| self.computed(b, hint))
            }
            ExprKind::Access { kind: AccessKind::Plain, base, indices } => match &base.kind {
                ExprKind::Name(name) => indices.iter().find_map(|i| self.computed(i, name)),
                _ => Some((e, hint)),
            },
            ExprKind::Call { callee, args } => match callee.text.as_str() {
                own if self.functions.contains_key(own) => Some((e, hint)),
                "min" | "max" | "abs" | "ceil_div" | "index" => {
                    args.iter().find_map(|e| self.computed(e, hint))
                }
                "select" => args.iter().skip(1).find_map(|e| self.computed(e, hint)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Puts a name for a part, wherever it means the same: not where one of its names is given to something else.
fn replace(e: &mut Expr, part: &Expr, name: &Name) {
    if e == part {
        e.kind = ExprKind::Name(name.text.clone());
        return;
    }
    let hides = e.bound_mut().into_iter().any(|bound| speaks_of(part, &bound.text));
    if !hides {
        e.children_mut().into_iter().for_each(|child| replace(child, part, name));
    }
}

/// Does the expression use this name, or give it to something?
pub(super) fn speaks_of(e: &Expr, name: &str) -> bool {
    fn below(e: &mut Expr, name: &str) -> bool {
        let here = matches!(&e.kind, ExprKind::Name(used) if used == name)
            || e.bound_mut().iter().any(|bound| bound.text == name);
        here || e.children_mut().into_iter().any(|child| below(child, name))
    }
    below(&mut e.clone(), name)
}
