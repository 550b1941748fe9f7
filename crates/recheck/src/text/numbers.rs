//! Constants: their values and their types. What C rounds, and what has no type of 64 bits, is outside of
//! the subset.

use super::syntax::{Constant, Node};

/// The constant of this spelling.
pub(super) fn constant(text: &str) -> Option<Node> {
    let hexadecimal = text.strip_prefix("0x");
    let is_float = text.contains('.') || hexadecimal.is_some_and(|digits| digits.contains('p'));
    if is_float { float(text, hexadecimal) } else { integer(text, hexadecimal) }
}

fn integer(text: &str, hexadecimal: Option<&str>) -> Option<Node> {
    let (digits, radix) = hexadecimal.map_or((text, 10), |digits| (digits, 16));
    let (digits, is_unsigned) = digits.strip_suffix('u').map_or((digits, false), |digits| (digits, true));
    // A leading zero is octal.
    if radix == 10 && digits != "0" && digits.starts_with('0') {
        return None;
    }
    let value = i128::from(u64::from_str_radix(digits, radix).ok()?);
    let fits = |most: u64| value <= i128::from(most);
    let narrow = fits(i32::MAX as u64);
    let ty = match (is_unsigned, radix) {
        (true, _) => {
            if fits(u64::from(u32::MAX)) {
                Constant::Unsigned
            } else {
                Constant::UnsignedLong
            }
        }
        (false, _) if narrow => Constant::Int,
        (false, 16) if fits(u64::from(u32::MAX)) => Constant::Unsigned,
        (false, _) if fits(i64::MAX as u64) => Constant::Long,
        (false, 16) => Constant::UnsignedLong,
        _ => return None,
    };
    Some(Node::Integer(value, ty))
}

fn float(text: &str, hexadecimal: Option<&str>) -> Option<Node> {
    let is_single = text.ends_with('f') && hexadecimal.is_none_or(|digits| digits.contains('p'));
    let digits = if is_single { &text[..text.len() - 1] } else { text };
    let plain = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit() || b"+-.e".contains(&b));
    let Some(_) = hexadecimal else {
        // Compilers round decimals once, to nearest, as the library does.
        return match is_single {
            _ if !plain(digits) => None,
            true => digits.parse::<f32>().ok().map(|x| Node::Single(x.to_bits())),
            false => digits.parse::<f64>().ok().map(|x| Node::Double(x.to_bits())),
        };
    };
    let value = exact(digits.strip_prefix("0x")?)?;
    if !is_single {
        return Some(Node::Double(value.to_bits()));
    }
    let single = value as f32;
    (f64::from(single) == value).then_some(Node::Single(single.to_bits()))
}

/// The value of hexadecimal digits, a point and an exponent, if it is one of `double`.
fn exact(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once('p')?;
    let (whole, fraction) = digits.split_once('.')?;
    let exponent: i32 = exponent.parse().ok()?;
    let (digits, places) = (format!("{whole}{fraction}"), i32::try_from(fraction.len()).ok()?);
    let mantissa = u64::from_str_radix(&digits, 16).ok().filter(|mantissa| *mantissa < 1 << 53)?;
    let power = exponent.checked_sub(places.checked_mul(4)?).filter(|power| (-1200..1200).contains(power))?;
    // Half of the power at a time: neither leaves the range.
    let (some, rest) = (2f64.powi(power / 2), 2f64.powi(power - power / 2));
    let value = mantissa as f64 * some * rest;
    (value.is_finite() && value / rest / some == mantissa as f64).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_have_the_values_and_types_of_c() {
        let shown = |text: &str| constant(text).map_or("outside".to_owned(), |node| format!("{node:?}"));
        let single = |x: f32| format!("Single({})", x.to_bits());
        let double = |x: f64| format!("Double({})", x.to_bits());
        for (text, expected) in [
            ("0", "Integer(0, Int)".to_owned()),
            ("2147483647", "Integer(2147483647, Int)".to_owned()),
            ("2147483648", "Integer(2147483648, Long)".to_owned()),
            ("0x80000000", "Integer(2147483648, Unsigned)".to_owned()),
            ("5u", "Integer(5, Unsigned)".to_owned()),
            ("4294967296u", "Integer(4294967296, UnsignedLong)".to_owned()),
            ("0x3c00", "Integer(15360, Int)".to_owned()),
            ("010", "outside".to_owned()),
            ("18446744073709551616", "outside".to_owned()),
            ("12ab", "outside".to_owned()),
            ("1.5f", single(1.5)),
            ("0.1f", single(0.1)),
            ("0.1", double(0.1)),
            ("0x1.999999999999ap-4", double(0.1)),
            ("0x1.99999ap-4f", single(0.1)),
            ("0x1.999999999999ap-4f", "outside".to_owned()),
            ("0x0.0000000000001p-1022", double(f64::from_bits(1))),
            ("0x1.fffffffffffffp1023", double(f64::MAX)),
            ("0x1.0p1024", "outside".to_owned()),
            ("1.5l", "outside".to_owned()),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
