//! Sums, products and quotients, each by its formula, and square roots.
//!
//! | operation | real part | imaginary part |
//! |---|---|---|
//! | `z + w` | `a + c` | `b + d` |
//! | `z * w` | `a c - b d` | `a d + b c` |
//! | `r * z` | `r a` | `r b` |
//! | `z / r` | `a / r` | `b / r` |
//! | `z / w` | `(a' c' + b' d') / n` | `(b' c' - a' d') / n` |
//!
//! Here `z = a + b i` and `w = c + d i`; `s` is the power of two for which the larger of `c' = c s` and `d'
//! = d s` is about 1,
//! `a' = a s`, `b' = b s`, and `n = c'^2 + d'^2`, so nothing overflows or vanishes on the way. Nothing is
//! fused, and no branch mends infinities: `(inf + 0i) * (1 + 0i)` is `inf + NaN i`.

use super::value::pairs;
use super::{Split, Value, Width, both, text};
use atl_diag::err;
use atl_syntax::ast::BinaryOp::{Add, Div, Mul, Sub};
use atl_syntax::ast::{BinaryOp, CompareOp, Expr, ExprKind};

impl Split<'_> {
    /// `+` and `-`.
    pub(super) fn sum(
        &mut self,
        e: &Expr,
        op: BinaryOp,
        a: &Expr,
        b: &Expr,
        want: Option<Width>,
    ) -> Option<Value> {
        let what = if op == Add { "`+`" } else { "`-`" };
        if let (true, ExprKind::Imaginary(digits)) = (is_number(a), &b.kind) {
            // `1 - 2i` is a number, and no difference.
            let im = text::float(digits, b.span);
            let im = if op == Add { im } else { text::neg(im, b.span) };
            return Some(Value::Complex(want, Box::new([a.clone(), im])));
        }
        let (x, y) = (self.value(a, want)?, self.value(b, want)?);
        if let (Value::Plain(x), Value::Plain(y)) = (&x, &y) {
            return Some(Value::Plain(text::binary(op, x.clone(), y.clone(), e.span)));
        }
        let width = self.agree(&x, &y, e, what)?.or(want);
        let (x, y) = (self.as_complex(x, width, a, what)?, self.as_complex(y, width, b, what)?);
        Some(Value::Complex(width, Box::new(pairs(x, y).map(|(x, y)| text::binary(op, x, y, e.span)))))
    }

    /// `*`: of two complex numbers, or of a real and a complex one.
    pub(super) fn product(&mut self, e: &Expr, a: &Expr, b: &Expr, want: Option<Width>) -> Option<Value> {
        let (x, y) = (self.value(a, want)?, self.value(b, want)?);
        let span = e.span;
        let of = |a: Expr, b: Expr| text::binary(Mul, a, b, span);
        match (x, y) {
            (Value::Plain(x), Value::Plain(y)) => Some(Value::Plain(of(x, y))),
            (Value::Plain(r), Value::Complex(width, parts)) => {
                let r = self.shared_real(r, "factor");
                Some(Value::Complex(width, Box::new(parts.map(|part| of(r.clone(), part)))))
            }
            (Value::Complex(width, parts), Value::Plain(r)) => {
                let r = self.shared_real(r, "factor");
                Some(Value::Complex(width, Box::new(parts.map(|part| of(part, r.clone())))))
            }
            (x @ Value::Complex(..), y @ Value::Complex(..)) => {
                let width = self.agree(&x, &y, e, "`*`")?;
                let (x, y) = (self.as_complex(x, width, a, "`*`")?, self.as_complex(y, width, b, "`*`")?);
                let [a, b] = self.shared(x, "product");
                let [c, d] = self.shared(y, "product");
                let re = text::binary(Sub, of(a.clone(), c.clone()), of(b.clone(), d.clone()), span);
                let im = text::binary(Add, of(a, d), of(b, c), span);
                Some(Value::Complex(width, Box::new([re, im])))
            }
        }
    }

    /// `/`.
    pub(super) fn quotient(&mut self, e: &Expr, a: &Expr, b: &Expr, want: Option<Width>) -> Option<Value> {
        let (x, y) = (self.value(a, want)?, self.value(b, want)?);
        let span = e.span;
        match (x, y) {
            (Value::Plain(x), Value::Plain(y)) => Some(Value::Plain(text::binary(Div, x, y, span))),
            (Value::Complex(width, parts), Value::Plain(r)) => {
                let r = self.shared_real(r, "divisor");
                Some(Value::Complex(
                    width,
                    Box::new(parts.map(|part| text::binary(Div, part, r.clone(), span))),
                ))
            }
            (x, y) => {
                let Some(width) = self.agree(&x, &y, e, "`/`")?.or(want) else {
                    return self.report(
                        err!(E0224, both(a, b), "nothing says which element type this quotient has")
                            .label("a literal takes the type that its place needs")
                            .suggest(
                                "say it with a conversion",
                                b.span,
                                format!("c128({})", text::written(b)),
                            ),
                    );
                };
                let x = self.as_complex(x, Some(width), a, "`/`")?;
                let y = self.as_complex(y, Some(width), b, "`/`")?;
                Some(Value::Complex(Some(width), Box::new(self.divided(x, y, width, e))))
            }
        }
    }

    fn divided(&mut self, x: [Expr; 2], y: [Expr; 2], width: Width, e: &Expr) -> [Expr; 2] {
        let span = e.span;
        let of = |op, a: &Expr, b: &Expr| text::binary(op, a.clone(), b.clone(), span);
        let [a, b] = self.shared(x, "dividend");
        let [c, d] = self.shared(y, "divisor");
        // A subnormal divisor is scaled as far as a power of two reaches.
        let least = match width {
            Width::C64 => 126,
            Width::C128 => 1022,
        };
        let size =
            text::call("max", [c.clone(), d.clone()].map(|part| text::call("abs", [part], span)), span);
        let size = text::convert(width.part(), size, span);
        let exponent = text::call("floor", [text::call("log2", [size], span)], span);
        let exponent = text::call("max", [exponent, text::neg(text::int(least, span), span)], span);
        let scale = self.shared_real(text::call("exp2", [text::neg(exponent, span)], span), "scale");
        let [c, d] = self.shared([of(Mul, &c, &scale), of(Mul, &d, &scale)], "scaled");
        let [a, b] = self.shared([of(Mul, &a, &scale), of(Mul, &b, &scale)], "scaled");
        let norm = self.shared_real(of(Add, &of(Mul, &c, &c), &of(Mul, &d, &d)), "norm");
        let re = of(Add, &of(Mul, &a, &c), &of(Mul, &b, &d));
        let im = of(Sub, &of(Mul, &b, &c), &of(Mul, &a, &d));
        [re, im].map(|part| of(Div, &part, &norm))
    }

    /// `sqrt`: `t = sqrt((|a| + hypot(a, b)) / 2)`, then `(t, b / 2t)`, or mirrored where `a < 0`.
    pub(super) fn root(&mut self, z: [Expr; 2], width: Width, e: &Expr) -> [Expr; 2] {
        let span = e.span;
        let of = |op, a: &Expr, b: &Expr| text::binary(op, a.clone(), b.clone(), span);
        let less = |a: Expr, b: Expr| text::compare(CompareOp::Lt, a, b, span);
        let abs = |a: &Expr| text::call("abs", [a.clone()], span);
        let number = |digits: &str| text::float(digits, span);
        let [a, b] = self.shared(z, "root");
        // Where the size of the number would overflow, its quarter is taken; where it would lose digits, a power of 4 times it.
        let [large, small, up, down] = match width {
            Width::C64 => ["1e38", "1e-30", "281474976710656.0", "5.9604644775390625e-08"],
            Width::C128 => ["4e307", "1e-290", "288230376151711744.0", "1.862645149230957e-09"],
        };
        let size = self.shared_real(text::call("max", [abs(&a), abs(&b)], span), "size");
        let typed = |digits: &str| text::convert(width.part(), number(digits), span);
        let by_size = |large_by: &str, small_by: &str| {
            let small = text::call(
                "select",
                [less(size.clone(), number(small)), typed(small_by), typed("1.0")],
                span,
            );
            text::call("select", [less(number(large), size.clone()), typed(large_by), small], span)
        };
        let (scale, back) = (by_size("0.25", up), by_size("2.0", down));
        let scale = self.shared_real(scale, "scale");
        let [a, b] = self.shared([of(Mul, &a, &scale), of(Mul, &b, &scale)], "scaled");
        let hypot = text::call("hypot", [a.clone(), b.clone()], span);
        let half = of(Mul, &of(Add, &abs(&a), &hypot), &number("0.5"));
        let t = self.shared_real(text::call("sqrt", [half], span), "t");
        let other = of(Div, &b, &of(Mul, &number("2.0"), &t));
        let is_zero = text::compare(CompareOp::Eq, t.clone(), number("0.0"), span);
        let other = text::call("select", [is_zero, b.clone(), other], span);
        let other = self.shared_real(other, "other");
        let is_left = less(a, number("0.0"));
        let re = text::call("select", [is_left.clone(), abs(&other), t.clone()], span);
        let im = text::call("select", [is_left, text::call("copysign", [t, b], span), other], span);
        [re, im].map(|part| of(Mul, &part, &back))
    }

    /// Zeros of the shape of a real number or tensor, which is written twice.
    pub(super) fn zeros(&mut self, e: &Expr, width: Width) -> Expr {
        let is_open = self.open.iter().any(|index| super::super::parts::speaks_of(e, index));
        if self.is_number(e) && !is_open {
            return text::convert(width.part(), text::int(0, e.span), e.span);
        }
        let differs = text::compare(CompareOp::Ne, e.clone(), e.clone(), e.span);
        text::binary(Mul, text::convert(width.part(), differs, e.span), text::int(0, e.span), e.span)
    }

    /// Is it certainly a number, and no tensor?
    pub(super) fn is_number(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Access { .. } => true,
            ExprKind::Name(name) => self.numbers.contains(name),
            ExprKind::Unary(_, a)
            | ExprKind::Convert { value: a, .. }
            | ExprKind::Guard { body: a, .. }
            | ExprKind::Labelled { body: a, .. }
            | ExprKind::Let { body: a, .. } => self.is_number(a),
            ExprKind::Binary(_, a, b) => self.is_number(a) && self.is_number(b),
            ExprKind::Compare(first, rest) => {
                self.is_number(first) && rest.iter().all(|(_, e)| self.is_number(e))
            }
            ExprKind::Bind { op, body, .. } => *op != atl_syntax::ast::BinderOp::Gen && self.is_number(body),
            ExprKind::Call { callee, args } => match self.file.heads.get(&callee.text) {
                Some(head) => head.is_number && args.iter().all(|arg| self.is_number(arg)),
                None => {
                    crate::builtins::pointwise(&callee.text).is_some()
                        && args.iter().all(|arg| self.is_number(arg))
                }
            },
            _ => false,
        }
    }
}

/// Is it a number as it is written?
fn is_number(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Float(_) => true,
        ExprKind::Unary(atl_syntax::ast::UnaryOp::Neg, a) => {
            matches!(a.kind, ExprKind::Int(_) | ExprKind::Float(_))
        }
        _ => false,
    }
}
