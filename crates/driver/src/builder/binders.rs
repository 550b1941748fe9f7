//! `gen`, the reductions and `let`, with closures for their bodies.

use super::{Index, Value, expr, name, names};
use atl_diag::Span;
use atl_syntax::ast::{self, BinderOp, ExprKind};

/// A variable with its range.
#[derive(Clone, PartialEq, Debug)]
pub struct Binder {
    name: String,
    lo: Option<Index>,
    hi: Index,
}

impl Binder {
    /// `name < hi`, from 0.
    pub fn below(name: &str, hi: impl Into<Index>) -> Binder {
        Binder { name: name.to_owned(), lo: None, hi: hi.into() }
    }

    /// `name in lo..hi`.
    pub fn between(name: &str, lo: impl Into<Index>, hi: impl Into<Index>) -> Binder {
        Binder { name: name.to_owned(), lo: Some(lo.into()), hi: hi.into() }
    }
}

impl<T: Into<Index>> From<(&str, T)> for Binder {
    fn from((name, hi): (&str, T)) -> Binder {
        Binder::below(name, hi)
    }
}

/// A binder over a body; the closure gets the variables, outermost first.
fn over<const DEPTH: usize, B: Into<Binder>, V: Into<Value>>(
    op: BinderOp,
    binders: [B; DEPTH],
    body: impl FnOnce([&Index; DEPTH]) -> V,
) -> Value {
    let binders: [Binder; DEPTH] = binders.map(Into::into);
    let inner: [String; DEPTH] = std::array::from_fn(|k| names::fresh(&binders[k].name));
    let variables: [Index; DEPTH] = std::array::from_fn(|k| Index::named(&inner[k]));
    let body = body(std::array::from_fn(|k| &variables[k])).into();
    let binders = binders.into_iter().zip(&inner).map(|(binder, inner)| ast::Binder {
        name: name(inner),
        lo: binder.lo.map(|lo| lo.0),
        hi: Some(binder.hi.0),
        attributes: Vec::new(),
        span: Span::default(),
    });
    Value(expr(ExprKind::Bind { op, binders: binders.collect(), body: Box::new(body.0) }))
}

macro_rules! binders {
    ($($function:ident $op:ident $doc:literal)*) => {$(
        #[doc = $doc]
        pub fn $function<const DEPTH: usize, B: Into<Binder>, V: Into<Value>>(
            binders: [B; DEPTH],
            body: impl FnOnce([&Index; DEPTH]) -> V,
        ) -> Value {
            over(BinderOp::$op, binders, body)
        }
    )*};
}

binders! {
    generate Gen "`gen y < n, x < m { body }`: a tensor of the body's values."
    sum Sum "`sum k < n { body }`, with the element semiring's addition."
    product Prod "`prod k < n { body }`."
    maximum Max "`max k < n { body }`."
    minimum Min "`min k < n { body }`."
    any Any "`any k < n { body }`."
    all All "`all k < n { body }`."
}

/// `let name = value; body`, for an intermediate result inside a loop; see also
/// [`FunctionBuilder::local`](super::FunctionBuilder::local).
pub fn bind<V: Into<Value>>(local: &str, value: impl Into<Value>, body: impl FnOnce(&Value) -> V) -> Value {
    let inner = names::fresh(local);
    let body = Box::new(body(&Value::named(&inner)).into().0);
    let value = Box::new(value.into().0);
    Value(expr(ExprKind::Let { name: name(&inner), attributes: Vec::new(), value, body }))
}
