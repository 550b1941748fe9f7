//! Helper functions on the bits of integers, as templates like those of `helpers`: remainders, shifts, high
//! halves of products, counts of bits.
//!
//! Each is total, and has no undefined behaviour: what is shifted or multiplied is unsigned and at least as
//! wide as `int`, a shift count is within the width, and no division is by 0 or of the least number by -1.
//! Moving a negative number down copies its sign in every compiler that this code is for. The counts are
//! sums by halves, which compilers know and turn into vectors; there is no table and no builtin, so that
//! both languages have one text.

/// A helper's name and template.
type Template = (&'static str, &'static str);

/// `$function $i8 atl_rem_i8($i8 a, $i8 b) { .. }`: the head of a helper, around its body.
macro_rules! helper {
    ($name:literal $ty:literal ($a:literal) $($body:expr),*) => {
        (
            concat!("atl_", $name, "_", $ty),
            concat!("$function $", $ty, " atl_", $name, "_", $ty, "($", $ty, " a) {\n", $($body,)* "}\n"),
        )
    };
    ($name:literal $ty:literal ($a:literal, $b:literal) $($body:expr),*) => {
        (
            concat!("atl_", $name, "_", $ty),
            concat!(
                "$function $", $ty, " atl_", $name, "_", $ty, "($", $ty, " a, $", $ty, " b) {\n", $($body,)* "}\n"
            ),
        )
    };
}

/// The helpers that do not depend on the sign: of a type, the unsigned one of its width, a word that is as
/// wide as `int` at least, and the width.
macro_rules! of_width {
    ($ty:literal $own:literal $word:literal $width:literal $half:literal $ones:literal $twos:literal $fours:literal $bytes:literal $top:literal) => {
        [
            helper!("not" $ty ("a") "  return ($", $ty, ")~a;\n"),
            helper!("shl" $ty ("a", "b")
                "  const $", $word, " n = ($", $own, ")b;\n",
                "  return n < ", $width, " ? ($", $ty, ")(($", $word, ")a << n) : 0;\n"),
            helper!("popcount" $ty ("a")
                "  $", $word, " x = ($", $own, ")a;\n",
                "  x -= (x >> 1) & ", $ones, ";\n",
                "  x = (x & ", $twos, ") + ((x >> 2) & ", $twos, ");\n",
                "  x = (x + (x >> 4)) & ", $fours, ";\n",
                "  return ($", $ty, ")((x * ", $bytes, ") >> ", $top, ");\n"),
            helper!("clz" $ty ("a")
                "  $", $word, " x = ($", $own, ")a;\n",
                "  x |= x >> 1;\n  x |= x >> 2;\n  x |= x >> 4;\n  x |= x >> 8;\n  x |= x >> 16;\n  x |= x >> ", $half, ";\n",
                "  x -= (x >> 1) & ", $ones, ";\n",
                "  x = (x & ", $twos, ") + ((x >> 2) & ", $twos, ");\n",
                "  x = (x + (x >> 4)) & ", $fours, ";\n",
                "  return ($", $ty, ")(", $width, " - ((x * ", $bytes, ") >> ", $top, "));\n"),
            helper!("ctz" $ty ("a")
                "  $", $word, " x = ($", $own, ")a;\n",
                "  x = (($", $own, ")~x) & ($", $own, ")(x - 1);\n",
                "  x -= (x >> 1) & ", $ones, ";\n",
                "  x = (x & ", $twos, ") + ((x >> 2) & ", $twos, ");\n",
                "  x = (x + (x >> 4)) & ", $fours, ";\n",
                "  return ($", $ty, ")((x * ", $bytes, ") >> ", $top, ");\n"),
        ]
    };
}

macro_rules! narrow {
    ($ty:literal $own:literal $width:literal) => {
        of_width!($ty $own "u32" $width "16" "0x55555555u" "0x33333333u" "0x0f0f0f0fu" "0x01010101u" "24")
    };
}

macro_rules! wide {
    ($ty:literal) => {
        of_width!(
            $ty "u64" "u64" "64" "32"
            "0x5555555555555555u" "0x3333333333333333u" "0x0f0f0f0f0f0f0f0fu" "0x0101010101010101u" "56"
        )
    };
}

macro_rules! of_signed {
    ($ty:literal $own:literal $word:literal $last:literal) => {
        [
            helper!("rem" $ty ("a", "b")
                "  if (b == 0) return a;\n  if (b == -1) return 0;\n",
                "  const $", $ty, " r = ($", $ty, ")(a % b);\n",
                "  return ($", $ty, ")(((r != 0) & ((r < 0) != (b < 0))) ? r + b : r);\n"),
            helper!("shr" $ty ("a", "b")
                "  const $", $word, " n = ($", $own, ")b;\n",
                "  return ($", $ty, ")(a >> (n < ", $last, " ? n : ", $last, "));\n"),
        ]
    };
}

macro_rules! of_unsigned {
    ($ty:literal $word:literal $width:literal) => {
        [
            helper!("rem" $ty ("a", "b") "  return b == 0 ? a : ($", $ty, ")(a % b);\n"),
            helper!("shr" $ty ("a", "b")
                "  const $", $word, " n = b;\n  return n < ", $width, " ? ($", $ty, ")(($", $word, ")a >> n) : 0;\n"),
        ]
    };
}

macro_rules! mulhi {
    ($ty:literal $word:literal $width:literal) => {
        [helper!("mulhi" $ty ("a", "b") "  return ($", $ty, ")((($", $word, ")a * ($", $word, ")b) >> ", $width, ");\n")]
    };
}

/// The helpers of all types.
const TABLE: &[&[Template]] = &[
    &narrow!("i8" "u8" "8"),
    &narrow!("i16" "u16" "16"),
    &narrow!("i32" "u32" "32"),
    &wide!("i64"),
    &narrow!("u8" "u8" "8"),
    &narrow!("u16" "u16" "16"),
    &narrow!("u32" "u32" "32"),
    &wide!("u64"),
    &of_signed!("i8" "u8" "u32" "7"),
    &of_signed!("i16" "u16" "u32" "15"),
    &of_signed!("i32" "u32" "u32" "31"),
    &of_signed!("i64" "u64" "u64" "63"),
    &of_unsigned!("u8" "u32" "8"),
    &of_unsigned!("u16" "u32" "16"),
    &of_unsigned!("u32" "u32" "32"),
    &of_unsigned!("u64" "u64" "64"),
    &mulhi!("i8" "i32" "8"),
    &mulhi!("i16" "i32" "16"),
    &mulhi!("i32" "i64" "32"),
    &mulhi!("u8" "u32" "8"),
    &mulhi!("u16" "u32" "16"),
    &mulhi!("u32" "u64" "32"),
];

/// The helpers, names and templates.
pub fn templates() -> impl Iterator<Item = Template> {
    TABLE.iter().flat_map(|of_type| of_type.iter().copied())
}
