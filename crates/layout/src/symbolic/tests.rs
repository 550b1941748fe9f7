//! Answers for all sizes against answers in numbers, at many sizes.

use super::Symbolic;
use crate::layout::Layout;
use crate::refusal::Kind;
use crate::tests::random::{Random, law_on};
use crate::text::evaluate;
use crate::value::Value;

fn symbolic(text: &str) -> Symbolic {
    match evaluate(text) {
        Ok(found) => match found.value {
            Value::Symbolic(found) => found,
            other => panic!("{text} is {other}"),
        },
        Err(why) => panic!("{text}: {why}"),
    }
}

fn check(text: &str, expected: &str) {
    assert_eq!(symbolic(text).to_string(), expected, "{text}");
}

fn refuse(text: &str, kind: Kind, words: &str) {
    let why = evaluate(text).expect_err(text);
    let said = format!("{} {}", why.message, why.notes.join(" "));
    assert!(why.kind == kind && said.contains(words), "{text}: {why:?}");
}

#[test]
fn expressions_with_names_are_evaluated() {
    check("(M,4):(4,1)", "(M,4):(4,1)");
    check("(M,N)", "(M,N)");
    check("(M,4):(4,1) o (M,2):(1,2*M)", "(M,2):(4,2)");
    check("(M,N):(N,1) o (4,N):(1,M) where 4 <= M", "(4,N):(N,1)");
    check("(4*M,N):(1,4*M) o 4:M", "4:M");
    check("coalesce((M,N):(1,M))", "M*N:1");
    check("coalesce((M,N):(N,1))", "(M,N):(N,1)");
    check("size((M,(4,N)):(1,(M,7)))", "M*4*N");
    check("cosize((4,M):(1,4))", "M*4");
    check("complement(M:1, 6*M)", "6:M");
    check("complement((M,2):(1,3*M), 12*M)", "(3,2):(M,M*6)");
    check("logical_divide((M,4):(4,1), M:1)", "(M,4):(4,1)");
    check("logical_divide(N:1, 4) where N % 4 == 0", "(4,N/4):(1,4)");
    check("logical_divide(N:1, 4:1)", "(4,(N+3)/4):(1,4)");
    check("zipped_divide((4*M,6*N):(1,4*M), <4,6>)", "((4,6),(M,N)):((1,4*M),(4,M*24))");
    check("zipped_divide((4*M,6*N):(1,4*M), <4:M;_>)", "((4,1),(M,6*N)):((M,0),(1,4*M))");
    check("tiled_divide((4*M,6):(1,4*M), <4,6>)", "((4,6),M,1):((1,4*M),4,0)");
    check("flat_divide((4*M,N):(N,1), (4))", "(4,M,N):(N,4*N,1)");
    check(
        "logical_divide((4*M,(2,3*N)):(1,(4*M,8*M)), <4;<_;3>>)",
        "((4,M),(2,(3,N))):((1,4),(4*M,(8*M,M*24)))",
    );
    check("logical_product((2,M):(M,1), N:1)", "((2,M),N):((M,1),2*M)");
    check("blocked_product((2,M):(1,2), (N,3):(1,N))", "((2,N),(M,3)):((1,M*2),(2,N*M*2))");
    check("raked_product((2,M):(1,2), (N,3):(1,N))", "((N,2),(3,M)):((M*2,1),(N*M*2,2))");
}

#[test]
fn what_is_not_shown_is_named_with_sizes() {
    refuse("(M,4):(4,1) o 4:2", Kind::Divisibility, "it is not shown that 2 is a multiple of M");
    refuse("(M,4):(1,2*M) o (N,2):(1,M)", Kind::Divisibility, "M = 2, N = 3");
    refuse(
        "(M,N):(1,2*M) o (M,2):(1,1) where 2 <= M",
        Kind::Carry,
        "M, to which they count in its mode M:1, is below M",
    );
    refuse("complement(M:2*N, 8) o 3", Kind::Overlap, "divides 8");
    refuse("complement((M,N):(1,N))", Kind::Overlap, "multiple");
    refuse("complement(M:1, 8)", Kind::Overlap, "depends on which extents are 1");
    refuse("(M-1,4):(1,M)", Kind::Range, "at least 1");
    refuse("M:1 o 4:N where N <", Kind::Text, "found the end");
    refuse("M%0:1", Kind::Text, "at least 1");
    refuse("(M,N):(N,1) where 1 <= 0", Kind::Arguments, "no sizes meet");
    refuse("(M,N):(N,1) where M < 1", Kind::Arguments, "no sizes meet");
    refuse("(M,coalesce):(1,M)", Kind::Text, "expected");
    refuse("right_inverse((M,4):(4,1))", Kind::Arguments, "takes numbers");
    refuse("get((M,4):(4,1), 0)", Kind::Arguments, "`get` takes numbers");
    refuse("composition((M,4):(4,1))", Kind::Arguments, "`composition` takes A, B");
    refuse("zipped_divide((M,4):(4,1), <1,1,1>)", Kind::Trees, "2 modes, and the tiler 3");
    refuse("zipped_divide((M,4):(4,1), <N:2,_>)", Kind::Overlap, "depends on which extents are 1");
    refuse("logical_product(M:1, 2:0-N)", Kind::Range, "may place a copy below 0");
    refuse("coalesce((M,4):(4,1), <1>)", Kind::Arguments, "no tiler");
    refuse("blocked_product((M,4):(4,1), <1>)", Kind::Arguments, "no tiler");
    refuse("(<2>,M)", Kind::Arguments, "where a layout does");
    refuse("zipped_divide((M,4):(4,1), <2", Kind::Text, "found the end");
    refuse(&format!("zipped_divide(M:1, {}", "<".repeat(10_000)), Kind::TooLarge, "nests deeper");
    refuse("(M:1):2", Kind::Arguments, "beside `:`");
    refuse("(M,4):1", Kind::Trees, "congruent");
    refuse("(M,4):(1,M) o", Kind::Text, "found the end");
    refuse(&"(".repeat(100).replace('(', "(M*("), Kind::TooLarge, "nests deeper");
    refuse("(a,b,c,d,e,f,g,h,i,j,k,l,m,n,p,q,r)", Kind::TooLarge, "names");
}

/// The operands of an expression: text with `M` and `N` in it.
struct Operands {
    left: String,
    right: String,
}

fn factor(random: &mut Random) -> &'static str {
    ["2", "3", "4", "M", "N", "M", "1", "2*M", "6", "4*N", "M*N"][random.below(11) as usize]
}

fn operands(random: &mut Random) -> Operands {
    let layout = |random: &mut Random, reach: u64| {
        let extents: Vec<&str> = (0..1 + random.below(3)).map(|_| factor(random)).collect();
        let mut order: Vec<usize> = (0..extents.len()).collect();
        if random.below(2) == 0 {
            order.reverse();
        }
        let mut strides = vec![String::new(); extents.len()];
        let mut next = if random.below(reach) == 0 { factor(random).to_owned() } else { "1".to_owned() };
        for k in order {
            strides[k].clone_from(&next);
            next = format!("{next}*{}", extents[k]);
            if random.below(4) == 0 {
                next = format!("{next}*{}", factor(random));
            }
        }
        format!("({}):({})", extents.join(","), strides.join(","))
    };
    Operands { left: layout(random, 6), right: layout(random, 2) }
}

/// The text with numbers for its names; arithmetic is worked out.
fn instance(text: &str, m: i64, n: i64) -> String {
    let number = |product: &str| -> i64 {
        let factor = |f: &str| match f {
            "M" => m,
            "N" => n,
            number => number.parse().expect("a number"),
        };
        product.split('*').map(factor).product()
    };
    let mut out = String::new();
    let mut product = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_ascii_alphanumeric() || c == '*' {
            product.push(c);
            continue;
        }
        if !product.is_empty() {
            out += &number(&std::mem::take(&mut product)).to_string();
        }
        out.push(c);
    }
    out
}

fn layout(text: &str) -> Layout {
    match evaluate(text).unwrap_or_else(|why| panic!("{text}: {why}")).value {
        Value::Layout(layout) => layout,
        other => panic!("{text} is {other}"),
    }
}

/// Each answer in names, at 25 pairs of sizes: the function of the answer in numbers, which is never refused.
#[test]
fn an_answer_for_all_sizes_is_right_at_each() {
    let answered = std::cell::Cell::new([0_u32; 10]);
    let holds = |random: &mut Random| {
        let Operands { left, right } = operands(random);
        let kind = random.below(10) as usize;
        let texts: [fn(&str, &str) -> String; 10] = [
            |a, b| format!("composition({a},{b})"),
            |a, _| format!("coalesce({a})"),
            |a, b| format!("complement({b}, {a})"),
            |a, b| format!("logical_divide({a},{b})"),
            |a, b| format!("zipped_divide({a},<{b}>)"),
            |a, b| format!("flat_divide({a},{b})"),
            |a, b| format!("tiled_divide(({a},{b}),<{b};2>)"),
            |a, b| format!("logical_product({a},{b})"),
            |a, b| format!("blocked_product({a},{b})"),
            |a, b| format!("raked_product({a},{b})"),
        ];
        let text = &texts[kind];
        let whole = text(&left, &right);
        let Ok(found) = evaluate(&whole) else { return None };
        let Value::Symbolic(found) = found.value else { return None };
        let mut counts = answered.get();
        counts[kind] += 1;
        answered.set(counts);
        for (m, n) in (0..25).map(|k| (1 + k % 5, 1 + k / 5)) {
            let wanted = layout(&text(&instance(&left, m, n), &instance(&right, m, n)));
            let there =
                found.at(&[("M", m), ("N", n)]).unwrap_or_else(|why| panic!("{whole} at {m}, {n}: {why}"));
            let values = |layout: &Layout| layout.table(1 << 20).expect("a small layout");
            if wanted.size() > 1 << 16 {
                continue;
            }
            if values(&wanted) != values(&there) {
                panic!("{whole} at {m}, {n}: {there} instead of {wanted}");
            }
        }
        Some(true)
    };
    law_on(3_000, 31, holds, "symbolic");
    assert!(answered.get().iter().all(|n| *n >= 20), "{:?}", answered.get());
}
