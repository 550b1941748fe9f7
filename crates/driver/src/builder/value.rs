//! Tensors and scalars.

use super::index::integer;
use super::{Cond, Index, Indices, expr, name};
use atl_diag::Span;
use atl_syntax::ast::{AccessKind, BinaryOp, ElementType, Expr, ExprKind, Type, TypeKind, UnaryOp};

/// An element type: a machine type, and the semiring that `+`, `*` and `sum` mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Elem {
    scalar: &'static str,
    semiring: Option<&'static str>,
}

macro_rules! elems {
    ($($constant:ident $scalar:literal $doc:literal)*) => {
        impl Elem {
            $(#[doc = $doc] pub const $constant: Elem = Elem { scalar: $scalar, semiring: None };)*
        }
    };
}

elems! {
    F16 "f16" "Half precision."
    BF16 "bf16" "The upper half of single precision."
    F32 "f32" "Single precision."
    F64 "f64" "Double precision."
    I32 "i32" "Signed integers of 32 bits."
    I64 "i64" "Signed integers of 64 bits."
    U8 "u8" "Bytes."
    BOOL "bool" "Truth values."
}

impl Elem {
    /// The same numbers in this semiring: `Elem::F32.over("min_plus")` is `min_plus<f32>`.
    pub const fn over(self, semiring: &'static str) -> Elem {
        Elem { semiring: Some(semiring), ..self }
    }

    fn syntax(self) -> ElementType {
        let semiring = self.semiring.map(name);
        ElementType { semiring, scalar: name(self.scalar), span: Span::default() }
    }

    pub(super) fn tensor(self, extents: impl Indices) -> Type {
        let extents = extents.into_indices().into_iter().map(|extent| extent.0).collect();
        let kind = TypeKind::Tensor { element: self.syntax(), extents, format: None };
        Type { kind, span: Span::default() }
    }

    pub(super) fn convert(self, value: Expr) -> Expr {
        expr(ExprKind::Convert { to: self.syntax(), value: Box::new(value) })
    }
}

/// A tensor or a scalar.
#[derive(Clone, PartialEq, Debug)]
pub struct Value(pub(super) Expr);

impl Value {
    pub(super) fn named(text: &str) -> Value {
        Value(expr(ExprKind::Name(text.to_owned())))
    }

    fn access(&self, kind: AccessKind, indices: impl Indices) -> Value {
        let indices = indices.into_indices().into_iter().map(|i| i.0).collect();
        Value(expr(ExprKind::Access { kind, base: Box::new(self.0.clone()), indices }))
    }

    /// `self[i, j]`: must be in bounds. With fewer indices than dimensions, the remaining tensor.
    pub fn at(&self, indices: impl Indices) -> Value {
        self.access(AccessKind::Plain, indices)
    }

    /// `self?[i, j]`: zero outside.
    pub fn at_or_zero(&self, indices: impl Indices) -> Value {
        self.access(AccessKind::Guarded, indices)
    }

    /// The value as one of this element type.
    pub fn to(&self, elem: Elem) -> Value {
        Value(elem.convert(self.0.clone()))
    }

    /// `self ++ after`, along the outer dimension.
    pub fn concat(&self, after: impl Into<Value>) -> Value {
        Value(expr(ExprKind::Binary(BinaryOp::Concat, Box::new(self.0.clone()), Box::new(after.into().0))))
    }

    /// The smaller of two scalars.
    pub fn min(&self, other: impl Into<Value>) -> Value {
        apply("min", &[], &[self.clone(), other.into()])
    }

    /// The larger of two scalars.
    pub fn max(&self, other: impl Into<Value>) -> Value {
        apply("max", &[], &[self.clone(), other.into()])
    }
}

macro_rules! functions {
    ($($method:ident($($arg:ident),*) $doc:literal)*) => {
        impl Value {
            $(#[doc = $doc] pub fn $method(&self $(, $arg: impl Into<Index>)*) -> Value {
                apply(stringify!($method), &[$($arg.into()),*], std::slice::from_ref(self))
            })*
        }
    };
}

functions! {
    exp() "The exponential of a scalar."
    log() "The natural logarithm of a scalar."
    sqrt() "The square root of a scalar."
    abs() "The absolute value of a scalar."
    floor() "The largest integer that is not above a scalar."
    transpose() "The two outer dimensions swapped."
    flatten() "The two outer dimensions merged."
    split(k) "The outer dimension cut into tiles of `k`, the last one padded."
    pad_l(k) "`k` zeros before the outer dimension."
    pad_r(k) "`k` zeros after the outer dimension."
    trunc_l(k) "The first `k` entries of the outer dimension dropped."
    trunc_r(k) "The last `k` entries of the outer dimension dropped."
}

/// `function(indices, values)`: any operator or function of the language, by name.
pub fn apply(function: &str, indices: &[Index], values: &[Value]) -> Value {
    let args = indices.iter().map(|i| i.0.clone()).chain(values.iter().map(|v| v.0.clone())).collect();
    Value(expr(ExprKind::Call { callee: name(function), args }))
}

/// The first value where the condition holds, else the second.
pub fn select(condition: Cond, holds: impl Into<Value>, fails: impl Into<Value>) -> Value {
    let args = vec![condition.0, holds.into().0, fails.into().0];
    Value(expr(ExprKind::Call { callee: name("select"), args }))
}

impl From<&Value> for Value {
    fn from(value: &Value) -> Value {
        value.clone()
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Value {
        Value(integer(n))
    }
}

/// The shortest decimal that is this number. Infinities and NaN have no literal: they become names, which
/// elaboration refuses unless the element type has them.
impl From<f64> for Value {
    fn from(x: f64) -> Value {
        let magnitude = match x.is_finite() {
            true => ExprKind::Float(format!("{:?}", x.abs())),
            false => ExprKind::Name(if x.is_nan() { "nan" } else { "inf" }.to_owned()),
        };
        match x.is_sign_negative() && !x.is_nan() {
            true => Value(expr(ExprKind::Unary(UnaryOp::Neg, Box::new(expr(magnitude))))),
            false => Value(expr(magnitude)),
        }
    }
}
