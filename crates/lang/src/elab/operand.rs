//! Operands that must agree: one element type, one shape.

use super::{Elab, Val};
use crate::builtins;
use crate::print::Names;
use crate::show;
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Elem, Ix, Node, Pred, Prim, Scalar, Type, Var};
use atl_syntax::ast::Expr;

impl Elab<'_> {
    /// Values of one element type. Literals take the type of the first operand that has one of its own.
    pub(super) fn operands(&mut self, es: &[&Expr], want: Option<Elem>, what: &str) -> Option<Vec<Val>> {
        let first = es.iter().position(|e| !self.undecided(e)).unwrap_or(0);
        let mut vals: Vec<Option<Val>> = es.iter().map(|_| None).collect();
        vals[first] = self.value(es[first], want);
        let decided = vals[first].as_ref().map(|v| v.ty.elem);
        let refused = decided.is_none();
        for (k, e) in es.iter().enumerate().filter(|(k, _)| *k != first) {
            if !(refused && self.undecided(e)) {
                vals[k] = self.value(e, decided.or(want));
            }
        }
        let vals = vals.into_iter().collect::<Option<Vec<Val>>>()?;
        let elem = vals[first].ty.elem;
        match vals.iter().position(|v| v.ty.elem != elem) {
            None => Some(vals),
            Some(other) => {
                let (a, b) = (&vals[first.min(other)], &vals[first.max(other)]);
                let mixed = self.mixed(a, b, what);
                self.report(mixed)
            }
        }
    }

    fn mixed(&self, a: &Val, b: &Val, what: &str) -> Diagnostic {
        let (s, t) = (a.ty.elem, b.ty.elem);
        let at = a.spans.span().to(b.spans.span());
        let of_floats = matches!(builtins::pointwise(what.trim_matches('`')), Some(Prim::Call(_)));
        let float = [s, t].into_iter().find(|elem| elem.scalar.is_float());
        let truths = (s.scalar == Scalar::Bool) != (t.scalar == Scalar::Bool);
        let help = if truths {
            let other = if s.scalar == Scalar::Bool { t } else { s };
            format!("convert the truth value, `{other}(…)`, or choose by it: `select(p, a, b)`")
        } else if s.scalar == t.scalar {
            format!("a conversion says which algebra is meant: `{t}(…)` or `{s}(…)`")
        } else if let Some(float) = float.filter(|_| of_floats && s.scalar.is_float() != t.scalar.is_float())
        {
            format!("{what} is defined on floats: convert the integer, `{float}(…)`")
        } else {
            format!("convert one of them: `{t}(…)` or `{s}(…)`")
        };
        err!(E0214, at, "{what} has operands of different element types, `{s}` and `{t}`")
            .also(a.spans.span(), format!("`{s}`"))
            .also(b.spans.span(), format!("`{t}`"))
            .help(help)
    }

    /// Both shapes are equal here; reported if not.
    pub(super) fn same_shape(&mut self, a: &Val, b: &Val, what: &str) -> Option<()> {
        let at = a.spans.span().to(b.spans.span());
        let (s, t) = (show::ty(&self.ctx, &a.ty), show::ty(&self.ctx, &b.ty));
        let shapes = err!(E0232, at, "{what} has operands of different shapes, `{s}` and `{t}`")
            .also(a.spans.span(), format!("`{s}`"))
            .also(b.spans.span(), format!("`{t}`"));
        if a.ty.shape.len() != b.ty.shape.len() {
            let bound = self.with_indices(a, b, what);
            return self.report(shapes.help(format!("say which elements go together: `{bound}`")));
        }
        match self.differing(&a.ty.shape, &b.ty.shape) {
            None => Some(()),
            Some((axis, goal)) => {
                let shapes = shapes.note(format!("along dimension {axis} they could not be proved equal"));
                let shapes = self.with_reasons(shapes, &goal);
                self.report(shapes)
            }
        }
    }

    /// An operation of tensors of different ranks with its indices: those of the smaller one are the last.
    fn with_indices(&self, a: &Val, b: &Val, what: &str) -> String {
        const INDICES: [&str; 6] = ["i", "j", "k", "l", "m", "n"];
        let rank = a.ty.shape.len().max(b.ty.shape.len());
        let read = |val: &Val, name: &str| {
            let indices: Vec<&str> =
                (rank - val.ty.shape.len()..rank).map(|k| INDICES.get(k).copied().unwrap_or("..")).collect();
            format!("{}[{}]", self.called(val, name), indices.join(", "))
        };
        let (x, y) = (read(a, "x"), read(b, "y"));
        let sign = what.trim_matches('`');
        let value = match sign.chars().all(|c| c.is_ascii_punctuation()) {
            true => format!("{x} {sign} {y}"),
            false if what.starts_with('`') => format!("{sign}({x}, {y})"),
            false => format!("{x} == {y}"),
        };
        let indices: Vec<&str> = INDICES.iter().copied().chain(std::iter::repeat("..")).take(rank).collect();
        format!("gen {} {{ {value} }}", indices.join(", "))
    }

    /// What a value is called in the program if it is a name, else `otherwise`.
    pub(super) fn called(&self, val: &Val, otherwise: &str) -> String {
        match &*val.expr {
            Node::Var(Var::Free(level)) => Names::of(&self.ctx).at(*level).to_owned(),
            _ => otherwise.to_owned(),
        }
    }

    /// The first dimension whose extents are not equal here, and what was to be proved.
    pub(super) fn differing(&mut self, a: &[Ix], b: &[Ix]) -> Option<(usize, Pred)> {
        let axis = a.iter().zip(b).position(|(m, n)| !self.same_ix(m, n))?;
        Some((axis, Pred::eq(a[axis].clone(), b[axis].clone())))
    }

    pub(super) fn wrong_arity<T>(&mut self, name: &str, takes: usize, given: usize, span: Span) -> Option<T> {
        let s = if takes == 1 { "" } else { "s" };
        let refusal = err!(E0227, span, "`{name}` takes {takes} argument{s}, and {given} are given");
        self.report(match name {
            "min" | "max" if given > 2 => refusal.help(format!("of three it is `{name}({name}(a, b), c)`")),
            "select" => refusal.help("it is `select(p, a, b)`: `a` where `p` holds, else `b`"),
            _ => refusal,
        })
    }

    /// The type of a scalar of this element type.
    pub(super) fn scalar_type(elem: Elem) -> Type {
        Type { elem, shape: Vec::new() }
    }
}
