//! Decimals as literals are written, exactly.
//!
//! A [`Number::Decimal`] has one spelling for each value: an integer that fits has exponent 0, any other
//! number a mantissa that does not end in 0. In the ordinary algebra 0 and 1 are the algebra's own.

use atl_kernel::{Elem, Number};

/// What a literal's digits stand for, and the minus before them; `None` when there are more of them than a mantissa holds.
pub(crate) fn parse(text: &str) -> Option<(i128, i32)> {
    let (sign, text) = text.split_at(usize::from(text.starts_with('-')));
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0').trim_end_matches('0');
    let mantissa = if significant.is_empty() { 0 } else { whole_number(&format!("{sign}{significant}"))? };
    let dropped = all.len() - all.trim_end_matches('0').len();
    let shift = i32::try_from(dropped).ok()?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    Some(normal(mantissa, exponent.checked_add(shift)?))
}

/// An integer of 64 bits, with a sign or without.
fn whole_number(digits: &str) -> Option<i128> {
    let n = digits.parse::<i128>().ok()?;
    (i64::MIN.into()..=u64::MAX.into()).contains(&n).then_some(n)
}

/// The one spelling of a decimal.
fn normal(mut mantissa: i128, mut exponent: i32) -> (i128, i32) {
    if mantissa == 0 {
        return (0, 0);
    }
    while mantissa % 10 == 0 && exponent != 0 {
        (mantissa, exponent) = (mantissa / 10, exponent + 1);
    }
    let integer = u32::try_from(exponent).ok().and_then(|e| 10i128.checked_pow(e));
    match integer.and_then(|power| mantissa.checked_mul(power)) {
        Some(whole) if (i64::MIN.into()..=u64::MAX.into()).contains(&whole) => (whole, 0),
        _ => (mantissa, exponent),
    }
}

/// The number, as elaboration spells it for an element type.
pub(crate) fn number(elem: Elem, mantissa: i128, exponent: i32) -> Number {
    let ordinary = crate::algebra::is_ordinary(elem);
    match normal(mantissa, exponent) {
        (0, _) if ordinary => Number::Zero,
        (1, 0) if ordinary => Number::One,
        (m, e) => Number::Decimal(m, e),
    }
}

/// The decimal, with a point or an exponent where it has one.
pub(crate) fn spell(mantissa: u128, exponent: i32) -> String {
    let digits = mantissa.to_string();
    match usize::try_from(exponent.unsigned_abs()) {
        _ if exponent == 0 => digits,
        Ok(places) if exponent < 0 && places < digits.len() => {
            let (whole, fraction) = digits.split_at(digits.len() - places);
            format!("{whole}.{fraction}")
        }
        Ok(places) if exponent < 0 && places <= digits.len() + 4 => {
            format!("0.{}{digits}", "0".repeat(places - digits.len()))
        }
        _ => format!("{digits}e{exponent}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(i128, i32)>, spelt: &str) {
        let found = parse(text);
        assert_eq!(found, expected, "{text}");
        if let Some((mantissa, exponent)) = found {
            assert_eq!(spell(mantissa.unsigned_abs(), exponent), spelt, "{text}");
            assert_eq!(parse(spelt), found, "{spelt}");
        }
    }

    #[test]
    fn one_spelling_for_each_value() {
        check("0", Some((0, 0)), "0");
        check("0.00e7", Some((0, 0)), "0");
        check("1.50", Some((15, -1)), "1.5");
        check("0.05", Some((5, -2)), "0.05");
        check("1e-3", Some((1, -3)), "0.001");
        check("1e-30", Some((1, -30)), "1e-30");
        check("2E4", Some((20_000, 0)), "20000");
        check("100", Some((100, 0)), "100");
        check("1e30", Some((1, 30)), "1e30");
        check("12.5e1", Some((125, 0)), "125");
        check("3.14159265358979323846", None, "");
        check("9223372036854775808", Some((9_223_372_036_854_775_808, 0)), "9223372036854775808");
        check("18446744073709551615", Some((u64::MAX.into(), 0)), "18446744073709551615");
        check("18446744073709551616", None, "");
        check("-9223372036854775809", None, "");
    }
}
