//! Conversions by a type's name, and the names of element types.

use super::index::Sort;
use super::{Elab, Val};
use crate::algebra;
use crate::spans::SpanTable;
use atl_diag::spelling;
use atl_diag::{Span, err};
use atl_kernel::{Child, Elem, Node, Prim, Scalar, Type};
use atl_syntax::ast::{ElementType, Expr};
use std::sync::Arc;

impl Elab<'_> {
    /// The element type that a parameter or a result is declared to have.
    pub(super) fn element(&mut self, ty: &ElementType) -> Option<Elem> {
        self.element_or_truth(ty, false)
    }

    /// The element type that a name or `semiring<name>` stands for. Comparisons yield truth values of any
    /// semiring, so a conversion may name them.
    fn element_or_truth(&mut self, ty: &ElementType, truth: bool) -> Option<Elem> {
        let may_stand_for_any =
            self.any_element && ty.semiring.is_none() && self.lookup(&ty.scalar.text).is_none();
        if let Some(any) = algebra::variable(&ty.scalar.text).filter(|_| may_stand_for_any) {
            return Some(any);
        }
        let scalar = self.scalar_named(&ty.scalar);
        let Some(name) = &ty.semiring else { return scalar.map(algebra::ordinary) };
        let own = self.names.semirings.get(&name.text).copied();
        let Some(semiring) = own.or_else(|| atl_semirings::by_name(&name.text)) else {
            let own = || self.names.semirings.keys().map(String::as_str);
            let known = || own().chain(atl_semirings::ALL.iter().map(|s| s.algebra.name));
            let unknown = err!(E0204, name.span, "there is no semiring `{}`", name.text);
            return self.report(match spelling::closest(&name.text, known()) {
                Some(close) => unknown.suggest(format!("did you mean `{close}`?"), name.span, close),
                None => unknown.help(format!("there are `{}`", known().collect::<Vec<_>>().join("`, `"))),
            });
        };
        let scalar = scalar?;
        let admitted = semiring.admits(scalar) || (truth && scalar == Scalar::Bool);
        if !admitted {
            let scalars: Vec<String> =
                semiring.algebra.scalars.iter().map(|s| format!("`{}<{s}>`", name.text)).collect();
            return self.report(
                err!(E0205, ty.span, "`{}` is no algebra of `{scalar}`", name.text)
                    .label("its laws do not hold there")
                    .help(format!("there are {}", scalars.join(", "))),
            );
        }
        Some(Elem { scalar, algebra: semiring.algebra })
    }

    fn scalar_named(&mut self, name: &atl_syntax::ast::Name) -> Option<Scalar> {
        if let Some(scalar) = Scalar::parse(&name.text) {
            return Some(scalar);
        }
        if matches!(name.text.as_str(), "c64" | "c128") {
            return self.report(
                err!(E0394, name.span, "complex numbers are of functions and constants alone")
                    .help("a theorem about complex numbers speaks of their parts, which are tensors"),
            );
        }
        let unknown = err!(E0203, name.span, "there is no element type `{}`", name.text);
        let instead = match name.text.as_str() {
            numpy if numpys(numpy).is_some() => numpys(numpy),
            "float" => Some("f32"),
            "half" => Some("f16"),
            "bfloat16" => Some("bf16"),
            "double" => Some("f64"),
            "int" => Some("i32"),
            "long" | "usize" => Some("i64"),
            "byte" | "char" => Some("u8"),
            "boolean" => Some("bool"),
            other => spelling::closest(other, Scalar::ALL.iter().map(|s| s.name())),
        };
        self.report(match instead {
            Some(close) => unknown.suggest(format!("did you mean `{close}`?"), name.span, close),
            None => unknown.help(
                "there are `f16`, `bf16`, `f32`, `f64`, `c64`, `c128`, `i8` to `i64`, `u8` to `u64` and `bool`, and semirings over real ones",
            ),
        })
    }

    /// `f32(e)`: of a literal, the literal of that type; of an index term, its value; of a value, its conversion.
    pub(super) fn conversion(&mut self, e: &Expr, to: &ElementType, value: &Expr) -> Option<Val> {
        let elem = self.element_or_truth(to, true);
        if self.sort(value) == Sort::Index {
            let ix = self.index(value);
            let (elem, ix) = (elem?, ix?);
            self.enters(algebra::ordinary(elem.scalar), elem, e.span)?;
            let ordinary = algebra::ordinary(elem.scalar);
            let val = self.build(Node::Index(ordinary, ix), Self::scalar_type(ordinary), e.span, &[])?;
            return if ordinary == elem { Some(val) } else { self.view(e, val, elem) };
        }
        let val = self.value(value, elem);
        let (elem, mut val) = (elem?, val?);
        if val.ty.elem == elem {
            return Some(Self::respan(val, e.span));
        }
        self.enters(val.ty.elem, elem, e.span)?;
        if val.ty.elem.scalar != elem.scalar {
            let source = algebra::ordinary(val.ty.elem.scalar);
            if val.ty.elem != source {
                val = self.view(e, val, source)?;
            }
            let cast = algebra::ordinary(elem.scalar);
            let ty = Type { elem: cast, shape: val.ty.shape.clone() };
            let node = Node::Prim(Prim::Cast(cast), vec![val.expr.clone()]);
            val = self.build(node, ty, e.span, &[(&[Child::Arg(0)], &val)])?;
        }
        if val.ty.elem == elem { Some(val) } else { self.view(e, val, elem) }
    }

    /// Numbers of one element type are numbers of another: outside a semiring's carrier its laws fail.
    fn enters(&mut self, from: Elem, to: Elem, span: Span) -> Option<()> {
        let carrier = |elem: Elem| atl_semirings::of(elem.algebra).map(|s| s.carrier);
        match (carrier(from), carrier(to)) {
            (Some(a), Some(b)) if !b.includes(a) && to.scalar != Scalar::Bool => self.report(
                err!(E0252, span, "a `{from}` may be no number of `{to}`")
                    .label("it may be negative")
                    .help("make it a parameter, whose numbers are checked at the call, or compute with the plain numbers"),
            ),
            _ => Some(()),
        }
    }

    /// The value under another root's span, when a form elaborates to what one of its parts does.
    fn respan(val: Val, span: Span) -> Val {
        let spans = SpanTable::leaf(span).with(&[], val.spans.clone());
        Val { spans: Arc::new(spans), ..val }
    }
}

/// The element type that NumPy calls so, `uint8`.
fn numpys(name: &str) -> Option<&'static str> {
    let short = |long: &str, short: &str| name.strip_prefix(long).map(|bits| format!("{short}{bits}"));
    let ours = short("uint", "u").or_else(|| short("int", "i")).or_else(|| short("float", "f"))?;
    Scalar::parse(&ours).map(Scalar::name)
}
