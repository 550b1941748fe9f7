//! Index terms that a rule makes where it puts one index for another: what is computed, and what stays as it stood.

use super::rules::uses;
use super::{NO_LAWS, Trap};

/// Every operation on index terms.
pub(super) fn folding() -> Vec<Trap> {
    [computed(), placed()].concat()
}

/// Operations on literals, by an access to a loop: `(gen i<2. (i - c) op b)[1]`, which is `a op b`.
fn computed() -> Vec<Trap> {
    let of = |name, op: &str, a: i64, b: i64, value: i64, other: i64| {
        // No number is written twice.
        let number = |value, name| if value == b { "i9" } else { name };
        let written = |value, name| if value == b { String::new() } else { format!("{name} lit {value}") };
        let lines = format!(
            "i8 lit {}\ni9 lit {b}\ni10 sub i5 i8\ni11 {op} i10 i9\n{}\n{}
             t10 index f64 a0 i11\nt11 gen l0 i4 t10\nt12 get t11 i3
             t13 index f64 a0 {}\nt14 index f64 a0 {}",
            1 - a,
            written(value, "i12"),
            written(other, if value == b { "i12" } else { "i13" }),
            number(value, "i12"),
            number(other, if value == b { "i12" } else { "i13" })
        );
        uses(name, NO_LAWS, &lines, ("access_gen", "t12", "t13", "c1"), ("access_gen", "t12", "t14", "c1"))
    };
    vec![
        of("a sum as a difference", "add", 20, 30, 50, -10),
        of("a sum as a product", "add", 20, 30, 50, 600),
        of("a product as a sum", "mul", 20, 30, 600, 50),
        of("a difference as its opposite", "sub", 20, 30, -10, 10),
        of("a quotient of a negative number rounded up", "div", -27, 20, -2, -1),
        of("a quotient rounded up", "div", 67, 20, 3, 4),
        of("a remainder below zero", "mod", -27, 20, 13, -7),
        of("a remainder of the divisor", "mod", 67, 20, 7, 20),
        of("a remainder as the dividend", "mod", 67, 20, 7, 67),
        of("the smaller of two as the second", "min", 20, 30, 20, 30),
        of("the smaller of two as the first", "min", 30, 20, 20, 30),
        of("the larger of two as the first", "max", 20, 30, 30, 20),
        of("the larger of two as the second", "max", 30, 20, 30, 20),
    ]
}

/// An index term with `N` for the index, by `sum i<2. [i == N] * e(i)`. The term is `i12`, and `i13` is what it
/// looks like with `N`: what it becomes, and what it does not.
fn placed() -> Vec<Trap> {
    let of = |name, term: &str, same: &str, other: &str| {
        let at = term.replace("i5", "i0").replace("i8", "i9").replace("i10", "i11");
        let lines = format!(
            "i8 sub i1 i5\ni9 sub i1 i0\ni10 add i1 i5\ni11 add i1 i0\ni12 {term}\ni13 {at}
             p5 eq i5 i0\np6 le i2 i0\np7 lt i0 i4\np8 and p6 p7
             t10 index f64 a0 i12\nt11 guard p5 t10\nt12 sum l0 i4 t11
             t13 index f64 a0 {same}\nt14 guard p8 t13\nt15 index f64 a0 {other}\nt16 guard p8 t15"
        );
        let law = "laws add_0_l add_0_r\nrounding finite";
        uses(name, law, &lines, ("onehot_sum", "t12", "t14", ""), ("onehot_sum", "t12", "t16", ""))
    };
    vec![
        of("a number and zero as zero", "add i5 i2", "i0", "i2"),
        of("zero and a number as zero", "add i2 i5", "i0", "i2"),
        of("a number less zero as zero", "sub i5 i2", "i0", "i2"),
        of("zero less a number as that", "sub i2 i5", "i13", "i0"),
        of("zero less a number as zero", "sub i2 i5", "i13", "i2"),
        of("a number once as zero", "mul i5 i3", "i0", "i2"),
        of("once a number as zero", "mul i3 i5", "i0", "i2"),
        of("a number twice as once", "mul i5 i4", "i13", "i0"),
        of("twice a number as once", "mul i4 i5", "i13", "i0"),
        of("twice a number as never", "mul i4 i5", "i13", "i2"),
        of("a number times zero as one", "mul i5 i2", "i2", "i3"),
        of("zero times a number as one", "mul i2 i5", "i2", "i3"),
        of("a number by one as zero", "div i5 i3", "i0", "i2"),
        of("a number by zero as itself", "div i5 i2", "i13", "i0"),
        of("the smaller of a number and zero as the number", "min i5 i2", "i13", "i0"),
        of("the larger of a number and zero as zero", "max i5 i2", "i13", "i2"),
        of("the larger of zero and a number as zero", "max i2 i5", "i13", "i2"),
        of("a number and another less it as the first", "add i5 i8", "i1", "i0"),
        of("a number and another more as the other", "add i5 i10", "i13", "i1"),
        of("a number less another less it as the other", "sub i5 i8", "i13", "i1"),
    ]
}
