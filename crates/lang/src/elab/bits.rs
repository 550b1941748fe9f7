//! Operations on the bits of integers, and remainders: `& | ^ ~ << >> %`.
//!
//! On truth values `& | ^ ~` are the logical ones, and become the same terms as `&& || !` and `!=`.

use super::index::Sort;
use super::{Elab, Val};
use atl_diag::{Diagnostic, err};
use atl_kernel::{Elem, Prim, Scalar};
use atl_syntax::ast::{BinaryOp, Expr, ExprKind};
use atl_syntax::{Style, print_expr};

/// Is the operator one of integers alone?
pub(super) fn is_of_integers(op: BinaryOp) -> bool {
    operation(op).is_some()
}

/// The operation on integers, how it is written, and the one on truth values.
fn operation(op: BinaryOp) -> Option<(Prim, &'static str, Option<Prim>)> {
    Some(match op {
        BinaryOp::BitAnd => (Prim::BitAnd, "&", Some(Prim::And)),
        BinaryOp::BitOr => (Prim::BitOr, "|", Some(Prim::Or)),
        BinaryOp::BitXor => (Prim::BitXor, "^", Some(Prim::Eq)),
        BinaryOp::Shl => (Prim::Shl, "<<", None),
        BinaryOp::Shr => (Prim::Shr, ">>", None),
        BinaryOp::Rem => (Prim::Rem, "%", None),
        _ => return None,
    })
}

/// Why other algebras have no such operations.
const NO_NUMBERS: &str = "what it gives may be outside the numbers that the algebra's laws hold for";

impl Elab<'_> {
    /// `a & b` and the like.
    pub(super) fn of_integers(
        &mut self,
        e: &Expr,
        op: BinaryOp,
        a: &Expr,
        b: &Expr,
        want: Option<Elem>,
    ) -> Option<Val> {
        let (prim, sign, logical) = operation(op)?;
        let what = format!("`{sign}`");
        let vals = self.operands(&[a, b], want, &what)?;
        let elem = vals[0].ty.elem;
        if elem.scalar == Scalar::Bool
            && let Some(logical) = logical
        {
            let holds = self.pointwise(e, logical, elem, &vals, &what)?;
            // Two truth values differ where they are not equal.
            return match op {
                BinaryOp::BitXor => self.pointwise(e, Prim::Not, elem, &[holds], &what),
                _ => Some(holds),
            };
        }
        self.is_of_integers(e, &vals[0], sign)?;
        self.pointwise(e, prim, elem, &vals, &what)
    }

    /// `~a`.
    pub(super) fn inverted(&mut self, e: &Expr, a: &Expr, want: Option<Elem>) -> Option<Val> {
        let val = self.value(a, want)?;
        let elem = val.ty.elem;
        if elem.scalar == Scalar::Bool {
            return self.pointwise(e, Prim::Not, elem, &[val], "`~`");
        }
        self.is_of_integers(e, &val, "~")?;
        self.pointwise(e, Prim::BitNot, elem, &[val], "`~`")
    }

    fn is_of_integers(&mut self, e: &Expr, val: &Val, sign: &str) -> Option<()> {
        let elem = val.ty.elem;
        if elem.scalar.is_integer() {
            return self.is_plain(val, sign, NO_NUMBERS, e);
        }
        let refusal = err!(E0226, e.span, "`{sign}` is defined on integers, and this is of `{elem}`")
            .also(val.spans.span(), format!("`{elem}`"));
        let refusal = match (sign, elem.scalar) {
            ("%", Scalar::Bool) => refusal,
            ("%", _) => refusal
                .help("of floats, the remainder with the dividend's sign is `fmod(x, y)`")
                .help("the one with the divisor's sign is `x - y * floor(x / y)`"),
            ("^", scalar) if scalar.is_float() => {
                refusal.help("a power is a product, `x * x`, or a function, `pow(x, y)`")
            }
            ("<<" | ">>", Scalar::Bool) => refusal.help("convert it: `u8(b)`"),
            ("<<" | ">>", _) => refusal.help("a product with a power of two is `x * exp2(k)`"),
            _ => refusal.help("convert it: `i32(x)` truncates toward zero"),
        };
        self.report(refusal)
    }

    /// A function of integers is applied to such; `mulhi` to those whose product 64 bits hold.
    pub(super) fn function_of_integers(&mut self, e: &Expr, name: &str, prim: Prim, val: &Val) -> Option<()> {
        let elem = val.ty.elem;
        if !elem.scalar.is_integer() {
            return self.report(
                err!(E0226, e.span, "`{name}` is defined on integers, and this is of `{elem}`")
                    .also(val.spans.span(), format!("`{elem}`"))
                    .help(format!("convert it: `{name}(u32(…))`")),
            );
        }
        if prim == Prim::MulHi && elem.scalar.bits() > 32 {
            return self.report(
                err!(
                    E0226,
                    e.span,
                    "`mulhi` is defined on integers of at most 32 bits, and this is of `{elem}`"
                )
                .also(val.spans.span(), format!("`{elem}`"))
                .help("of halves it is four products: `mulhi(u32(x >> 32), u32(y >> 32))` and so on"),
            );
        }
        self.is_plain(val, name, NO_NUMBERS, e)
    }

    /// An operator of bits where an index term is expected.
    pub(super) fn no_bits_of_indices<T>(&mut self, e: &Expr, op: BinaryOp) -> Option<T> {
        let sign = operation(op).map_or("~", |(_, sign, _)| sign);
        let refusal = err!(
            E0220,
            e.span,
            "`{sign}` is an operation on values, and an index term is expected here"
        )
        .note("index terms are integers of any size, which have no bits: they are proved to be in range");
        let converted = match &e.kind {
            ExprKind::Binary(_, a, b) => format!("{} {sign} {}", self.converted(a), self.converted(b)),
            _ => "u32(i) & 7".to_owned(),
        };
        self.report(instead(refusal, op).help(format!("to compute with bits, convert first: `{converted}`")))
    }

    /// An operand of an operation on bits: an index is converted.
    fn converted(&self, e: &Expr) -> String {
        let text = print_expr(e, Style::LINE);
        if self.sort(e) == Sort::Index { format!("u32({text})") } else { text }
    }
}

/// What says the same of index terms.
fn instead(refusal: Diagnostic, op: BinaryOp) -> Diagnostic {
    match op {
        BinaryOp::BitAnd => {
            refusal.help("the last three bits are a remainder, `i % 8`; of conditions, `and` is `&&`")
        }
        BinaryOp::BitOr => refusal.help("of conditions, `or` is `||`"),
        BinaryOp::Shl => refusal.help("moved up by three bits it is `8 * i`"),
        BinaryOp::Shr => refusal.help("moved down by three bits it is `i / 8`"),
        _ => refusal,
    }
}
