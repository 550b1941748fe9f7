//! Files that are not in the form of the format: each is one that is, changed in one place.

use super::{Trap, trap};

/// A file with a line of every kind.
const FORM: &str = r#"atlp 1
function "f\u{20}\"\\"
given
| N
|
source
schedule
result
laws add_0_l add_comm
rounding finite
proof
l0 "x\u{7f}" serial auto
l1 "" vector:8 stack
a0 plus_times
i0 free 0
i1 lit -12
i2 bound 0
i3 add i0 i1
p0 true
p1 lt i0 i0
p2 not p1
p3 and p0 p2
p4 or p0 p1
t0 lit f32 a0 zero
t1 lit f32 a0 dec:-3 -1
t2 prim add t1 t0
t3 prim add t0 t1
t4 sum l0 i0 t0
t5 prim cast i32 a0 t0
t6 free 0
d0 "f\u{20}g" 0 1 0 t6
t7 op d0 0 1 t0
c0 absurd 0
c1 combine 2 1*0 3 case p0 c0 c0
c2 cut 0 2 euclid i0 i0 0 min i0 i0 split 0 c0 c0
s0 rule add_comm t2
s1 rule add_zero_l t3
s2 trans s0 s1
s3 cong t4 body s2
s4 refl t1 t1
s5 trans s2 s4
x0 index l0
x1 tensor l1 f32 a0 i0
x2 hyp p0
claim t2 t1 s5
end 45
"#;

/// Every form: what it is, the text in [`FORM`], and another.
pub(super) fn forms() -> Vec<Trap> {
    let all = [headers(), words(), lines(), references()].concat();
    all.into_iter()
        .map(|(name, from, to)| {
            assert_eq!(FORM.matches(from).count(), 1, "{name}: {from}");
            trap(name, FORM.to_owned(), FORM.replace(from, to))
        })
        .collect()
}

type Change = (&'static str, &'static str, &'static str);

/// The header, the end, and what is between lines.
fn headers() -> Vec<Change> {
    vec![
        ("another version", "atlp 1\n", "atlp 2\n"),
        ("a missing section", "schedule\n", ""),
        ("sections in another order", "source\nschedule\n", "schedule\nsource\n"),
        ("text that is not set off", "| N\n", "|NN\n"),
        ("a control character in a text", "| N\n", "| N\t\n"),
        ("a space in a name", r#""f\u{20}\"\\""#, r#""f g""#),
        ("text that is nothing but a space", "|\n", "| \n"),
        ("text without a bar", "| N\n", "N\n"),
        ("a control character in a name", r#"\u{20}\"\\"#, r#"\u{7}"#),
        ("laws in another order", "add_0_l add_comm", "add_comm add_0_l"),
        ("a law twice", "add_0_l add_comm", "add_0_l add_comm add_comm"),
        ("no law and a law", "add_0_l add_comm", "none add_0_l add_comm"),
        ("a law of no name", "add_0_l add_comm", "add_0_l add_comm sub_comm"),
        ("a rounding of no name", "rounding finite", "rounding down"),
        ("a missing rounding", "rounding finite\n", ""),
        ("a missing proof", "proof\n", "prove\n"),
        ("an end that counts more lines", "end 45", "end 46"),
        ("a missing end", "end 45\n", ""),
        ("an end without its line feed", "end 45\n", "end 45"),
        ("something after the end", "end 45\n", "end 45\n\n"),
        ("a digit for the last line feed", "end 45\n", "end 455"),
        ("a carriage return", "p0 true\n", "p0 true\r\n"),
        ("an empty line", "p0 true\n", "p0 true\n\n"),
    ]
}

/// Numbers and strings, and what separates them.
fn words() -> Vec<Change> {
    vec![
        ("two spaces", "p0 true", "p0  true"),
        ("a space before a line", "p0 true", " p0 true"),
        ("a space after a line", "p0 true", "p0 true "),
        ("a zero before a number", "t6 free 0", "t6 free 00"),
        ("a plus before a number", "i0 free 0", "i0 free +0"),
        ("zero with a sign", "i0 free 0", "i0 free -0"),
        ("a number of other digits", "lit -12", "lit -1\u{662}"),
        ("a sign and no number", "lit -12", "lit -"),
        ("a number of letters", "lit -12", "lit 0x1"),
        ("a number beyond its range", "lit -12", "lit 9223372036854775808"),
        ("a level below zero", "t6 free 0", "t6 free -1"),
        ("a fact below zero", "c0 absurd 0", "c0 absurd -1"),
        ("a string without quotes", r#"l1 "" "#, "l1 x "),
        ("a string without its end", r#"l1 "" "#, "l1 \" "),
        ("a quote in a string", r#"l1 "" "#, r#"l1 """ "#),
        ("an unknown escape", r#"l1 "" "#, r#"l1 "\n" "#),
        ("an escape of another letter", r#""f\u{20}g""#, r#""f\x{20}g""#),
        ("an escape that is not needed", r#"l1 "" "#, r#"l1 "\u{41}" "#),
        ("an escape with a zero before it", r#""f\u{20}g""#, r#""f\u{020}g""#),
        ("an escape of upper case", r#""f\u{20}g""#, r#""f\u{1B}g""#),
        ("an escape of no character", r#""f\u{20}g""#, r#""f\u{d800}g""#),
    ]
}

/// Lines with a word too many, too few, or of no meaning.
fn lines() -> Vec<Change> {
    vec![
        ("a line of an unknown kind", "p4 or", "q4 or"),
        ("a line out of order", "i3 add", "i4 add"),
        ("a label with more", "serial auto", "serial auto x"),
        ("a loop of no kind", "serial auto", "random auto"),
        ("lanes without a number", "vector:8", "vector:x"),
        ("a storage of no kind", "serial auto", "serial disk"),
        ("an algebra of no name", "a0 plus_times", "a0 plus_plus"),
        ("an algebra with more", "a0 plus_times", "a0 plus_times a0"),
        ("an operation of no name", "i3 add", "i3 plus"),
        ("an operation on one number", "i3 add i0 i1", "i3 add i0"),
        ("an operation on three numbers", "i3 add i0 i1", "i3 add i0 i1 i1"),
        ("a predicate of no name", "p1 lt", "p1 gt"),
        ("a truth with more", "p0 true", "p0 true p0"),
        ("a term of no kind", "t6 free 0", "t6 bind 0"),
        ("a scalar of no name", "t0 lit f32", "t0 lit f16"),
        ("a number of no name", "a0 zero", "a0 two"),
        ("a decimal without an exponent", "dec:-3 -1", "dec:-3"),
        ("a function of no name", "t2 prim add", "t2 prim plus"),
        ("a function of one operand more", "t2 prim add t1 t0", "t2 prim add t1 t0 t0"),
        ("a function of one operand less", "t2 prim add t1 t0", "t2 prim add t1"),
        ("a conversion to nothing", "cast i32 a0 t0", "cast t0"),
        ("a definition with more", "0 1 0 t6", "0 1 0 t6 t6"),
        ("a definition with one number less", "0 1 0 t6", "0 1 t6"),
        ("a step of no name", "c2 cut", "c2 cube"),
        ("a certificate without an end", "c0 absurd 0", "c0 cut 0 2"),
        ("a certificate with more", "c0 absurd 0", "c0 absurd 0 0"),
        ("a combination of one part more", "combine 2 1*0 3 case", "combine 2 1*0 3 4 case"),
        ("a combination without a coefficient", "combine 2 1*0 3", "combine 2 *0 3"),
        ("an inference of no name", "s4 refl", "s4 same"),
        ("a rule of no name", "s0 rule add_comm", "s0 rule add_swap"),
        ("a rule without its term", "s0 rule add_comm t2", "s0 rule add_comm"),
        ("a chain with a certificate", "s5 trans s2 s4", "s5 trans s2 s4 c0"),
        ("an index with more", "x0 index l0", "x0 index l0 l0"),
        ("a hypothesis with more", "x2 hyp p0", "x2 hyp p0 p0"),
        ("an entry of no kind", "x1 tensor", "x1 vector"),
        ("an entry out of order", "x2 hyp", "x3 hyp"),
        ("a claim with more", "claim t2 t1 s5", "claim t2 t1 s5 c0"),
    ]
}

/// Lines that name themselves, what is not there, or what is of another kind.
fn references() -> Vec<Change> {
    vec![
        ("an index term of itself", "i3 add i0 i1", "i3 add i0 i3"),
        ("a predicate of itself", "p2 not p1", "p2 not p2"),
        ("a term of itself", "t2 prim add t1 t0", "t2 prim add t1 t2"),
        ("a certificate of itself", "case p0 c0 c0", "case p0 c0 c1"),
        ("an inference from itself", "s2 trans s0 s1", "s2 trans s0 s2"),
        ("an element of no algebra", "t0 lit f32 a0", "t0 lit f32 a1"),
        ("a loop without a label", "sum l0 i0", "sum l2 i0"),
        ("an operator of no definition", "op d0", "op d1"),
        ("a predicate for a number", "p1 lt i0 i0", "p1 lt i0 p0"),
        ("a term for a number", "sum l0 i0 t0", "sum l0 t0 t0"),
        ("a certificate that is not there", "s4 refl t1 t1", "s4 refl t1 t1 c3"),
        ("a claim by what is not there", "claim t2 t1 s5", "claim t2 t1 s6"),
        ("a claim of what is not there", "claim t2 t1 s5", "claim t8 t1 s5"),
    ]
}
