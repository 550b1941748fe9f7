//! Literals: exact decimals, checked against the element type that their place wants.

use super::index::WORDS;
use super::{Elab, Val};
use crate::decimal;
use atl_diag::{Span, err};
use atl_kernel::{Elem, Entry, Node, Number, Scalar, Type};
use atl_syntax::ast::{Expr, ExprKind, UnaryOp};

/// A numeric literal's digits and sign, or one of the [`WORDS`].
struct Literal {
    text: String,
    negative: bool,
}

impl Literal {
    fn shown(&self) -> String {
        format!("{}{}", if self.negative { "-" } else { "" }, self.text)
    }

    /// About which number it is; `None` for an algebra's own, which it always has.
    fn value(&self) -> Option<f64> {
        let size = match self.text.as_str() {
            "zero" | "one" => return None,
            "inf" => f64::INFINITY,
            digits => digits.parse().ok()?,
        };
        Some(if self.negative { -size } else { size })
    }
}

impl Elab<'_> {
    /// The literal that the expression is.
    fn as_literal(&self, e: &Expr) -> Option<Literal> {
        let plain = |text: String| Some(Literal { text, negative: false });
        match &e.kind {
            ExprKind::Int(n) => plain(n.to_string()),
            ExprKind::Float(text) => plain(text.clone()),
            ExprKind::Name(name) if WORDS.contains(&name.as_str()) && self.lookup(name).is_none() => {
                plain(name.clone())
            }
            ExprKind::Unary(UnaryOp::Neg, a) if !matches!(a.kind, ExprKind::Unary(..)) => {
                // The opposite of zero is another float, and no decimal is it.
                let has_opposite =
                    |l: &Literal| l.text != "zero" && l.text != "one" && l.value() != Some(0.0);
                let inner = self.as_literal(a).filter(has_opposite)?;
                Some(Literal { negative: true, ..inner })
            }
            _ => None,
        }
    }

    /// Does nothing in the expression decide its element type?
    pub(super) fn undecided(&self, e: &Expr) -> bool {
        undecided(e, &|name| self.lookup(name).is_some(), &|e| self.is_predicate(e))
    }

    /// The literal that the expression is, if it is one, as an element of the type wanted.
    pub(super) fn literal(&mut self, e: &Expr, want: Option<Elem>) -> Option<Option<Val>> {
        let literal = self.as_literal(e)?;
        Some(self.number(&literal, e.span, want))
    }

    /// The scalar type that a literal most likely is to have: that of the result which is the state that
    /// begins with it, of the first tensor around which has such numbers, or of what the function returns.
    /// What is written with a point is a float.
    fn usual_scalar(&self, literal: &Literal) -> Scalar {
        let is_whole = literal.value().is_some_and(|x| x.fract() == 0.0) && !literal.text.contains('.');
        let state = self.defining.last();
        let result =
            self.results_of.iter().rev().find(|(of, _)| Some(of) == state).map(|(_, scalar)| *scalar);
        if let Some(scalar) = result
            && (scalar.is_float() || is_whole && scalar != Scalar::Bool)
        {
            return scalar;
        }
        self.scalar_around(|scalar| scalar.is_float())
            .or_else(|| self.scalar_around(|scalar| is_whole && scalar != Scalar::Bool))
            .unwrap_or(if is_whole { Scalar::I64 } else { Scalar::F32 })
    }

    /// The first scalar type of this kind among those of the tensors around and of what the function returns.
    pub(super) fn scalar_around(&self, fits: impl Fn(Scalar) -> bool) -> Option<Scalar> {
        let tensors = self.ctx.entries().filter_map(|entry| match entry {
            Entry::Tensor(_, ty) => Some(ty.elem.scalar),
            _ => None,
        });
        tensors.chain(self.result.map(|elem| elem.scalar)).find(|scalar| fits(*scalar))
    }

    fn number(&mut self, literal: &Literal, span: Span, want: Option<Elem>) -> Option<Val> {
        let shown = literal.shown();
        let Some(elem) = want else {
            let scalar = self.usual_scalar(literal);
            return self.report(
                err!(E0224, span, "nothing says which element type `{shown}` has")
                    .label("a literal takes the type that its place needs")
                    .suggest("say it with a conversion", span, format!("{}({shown})", scalar.name())),
            );
        };
        let number = match literal.text.as_str() {
            "zero" => Number::Zero,
            "one" => Number::One,
            "inf" if elem.scalar.is_float() && literal.negative => Number::NegInfinity,
            "inf" if elem.scalar.is_float() => Number::Infinity,
            "inf" => {
                return self.report(
                    err!(E0223, span, "`{shown}` is not a number of `{elem}`")
                        .label("only floats have infinities"),
                );
            }
            _ => self.decimal(literal, elem, span)?,
        };
        let carrier = atl_semirings::of(elem.algebra).map(|s| s.carrier);
        if literal.value().is_some_and(|x| carrier.is_some_and(|c| !c.accepts(x))) {
            return self.report(
                err!(E0248, span, "`{shown}` is outside the numbers of `{}`", elem.algebra.name)
                    .label(format!("the laws of `{elem}` do not hold for it")),
            );
        }
        self.build(Node::Lit(elem, number), Type { elem, shape: vec![] }, span, &[])
    }

    fn decimal(&mut self, literal: &Literal, elem: Elem, span: Span) -> Option<Number> {
        let text = &literal.text;
        let Some((mantissa, exponent)) = decimal::parse(&literal.shown()) else {
            return self.report(
                err!(E0249, span, "`{text}` has more digits than a literal keeps exactly")
                    .label("at most 18 significant digits")
                    .help("17 digits decide an `f64`, 9 an `f32`"),
            );
        };
        let range = elem.scalar.range().filter(|_| elem.scalar.is_integer());
        let refusal = match (elem.scalar, range) {
            (_, Some(_)) if exponent != 0 => Some("integers have no fraction".to_owned()),
            (scalar, Some((lo, hi))) if !(lo..=hi).contains(&mantissa) => {
                Some(format!("`{scalar}` holds {lo} to {hi}"))
            }
            (Scalar::F16, _) if text.parse::<f64>().is_ok_and(|x| x >= 65_520.0) => {
                Some("the largest `f16` is 65504".to_owned())
            }
            (Scalar::BF16, _) if text.parse::<f64>().is_ok_and(|x| x >= 511.0 * 2f64.powi(119)) => {
                Some("the largest `bf16` is about 3.39e38".to_owned())
            }
            (Scalar::F32, _) if text.parse::<f32>().is_ok_and(f32::is_infinite) => {
                Some("the largest `f32` is about 3.4e38".to_owned())
            }
            (Scalar::F64, _) if text.parse::<f64>().is_ok_and(f64::is_infinite) => {
                Some("the largest `f64` is about 1.8e308".to_owned())
            }
            (Scalar::Bool, _) => Some("truth values are `true` and `false`".to_owned()),
            _ => None,
        };
        match refusal {
            Some(why) => {
                let refusal = err!(E0223, span, "`{}` does not fit `{elem}`", literal.shown()).label(why);
                self.report(match elem.scalar {
                    Scalar::Bool => {
                        refusal.help("a truth value is a condition by itself: `b[i]`, and `!b[i]`")
                    }
                    _ => refusal,
                })
            }
            None => Some(decimal::number(elem, mantissa, exponent)),
        }
    }

    /// `true` and `false` as values.
    pub(super) fn truth(&mut self, value: bool, span: Span, want: Option<Elem>) -> Option<Val> {
        let elem =
            want.filter(|e| e.scalar == Scalar::Bool).unwrap_or(crate::algebra::ordinary(Scalar::Bool));
        let number = decimal::number(elem, i128::from(value), 0);
        self.build(Node::Lit(elem, number), Type { elem, shape: vec![] }, span, &[])
    }
}

/// Does nothing in the expression decide its element type? `bound` tells of a name whether it is bound, and
/// `predicate` of an expression whether it is a predicate, which takes the algebra that its place wants.
pub(crate) fn undecided(e: &Expr, bound: &dyn Fn(&str) -> bool, predicate: &dyn Fn(&Expr) -> bool) -> bool {
    let rec = |e: &Expr| undecided(e, bound, predicate);
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Imaginary(_) | ExprKind::Bool(_) => true,
        ExprKind::Name(name) => WORDS.contains(&name.as_str()) && !bound(name),
        ExprKind::List(elements) => elements.iter().all(rec),
        ExprKind::Unary(_, a) => rec(a) || predicate(e),
        ExprKind::Binary(_, a, b) => (rec(a) && rec(b)) || predicate(e),
        ExprKind::Compare(..) => predicate(e),
        ExprKind::Guard { body, .. }
        | ExprKind::Bind { body, .. }
        | ExprKind::Let { body, .. }
        | ExprKind::LetParts { body, .. }
        | ExprKind::Rec { body, .. }
        | ExprKind::Labelled { body, .. }
        | ExprKind::Iterate { body: Some(body), .. } => rec(body),
        ExprKind::Iterate { rounds, body: None } | ExprKind::Scan { rounds, give: None } => {
            rounds.states.iter().all(|(_, start)| rec(start))
        }
        ExprKind::Call { callee, args } => {
            let typed = match callee.text.as_str() {
                "select" => 1,
                name => atl_ops::by_name(name).map_or(0, |op| op.index_params.len()),
            };
            crate::builtins::is_function(&callee.text) && args.iter().skip(typed).all(rec)
        }
        _ => false,
    }
}
