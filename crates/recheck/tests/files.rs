//! Small files, written by hand from the document: what must be accepted, and what must be refused at which line.

mod common;

use common::{refused, verdict};
use std::time::{Duration, Instant};

/// A file around the tables, the context and the claim.
fn file(claimed: &str, tables: &str) -> String {
    let head = "atlp 1\nfunction \"f\"\ngiven\nsource\nschedule\nresult\n";
    let text = format!("{head}{claimed}\nproof\n{tables}");
    let lines = text.lines().count();
    format!("{text}end {lines}\n")
}

const COMM: &str = "l0 \"x\" serial auto\na0 plus_times\nt0 free 0\nt1 free 1\nt2 prim add t0 t1\nt3 prim add t1 t0\n\
    s0 rule add_comm t2\nx0 tensor l0 f32 a0\nx1 tensor l0 f32 a0\nclaim t2 t3 s0\n";
const CLAIMED: &str = "laws add_comm\nrounding finite";

#[test]
fn a_claim_is_printed_as_it_was_proved() {
    let expected = "for all x0: plus_times<f32>[], \"x\"\nfor all x1: plus_times<f32>[], \"x\"\n    add(x0, x1)\n  = \
        add(x1, x0)\nlaws add_comm\nrounding finite\nloops: no evidence\n";
    assert_eq!(verdict(&file(CLAIMED, COMM)).as_deref(), Ok(expected));
}

#[test]
fn what_is_claimed_must_be_what_is_proved() {
    refused(&file(CLAIMED, &COMM.replace("claim t2 t3", "claim t2 t2")), "line 19: the proof proves another");
    refused(&file("laws none\nrounding finite", COMM), "line 19: the proof uses other laws");
    refused(&file("laws add_comm\nrounding real", COMM), "line 19: the proof has another rounding");
    refused(
        &file(CLAIMED, &COMM.replace("add_comm t2", "add_assoc t2")),
        "line 16: the term has not the form",
    );
    refused(&file(CLAIMED, &COMM.replace("f32 a0\nx1", "f64 a0\nx1")), "line 16: an operation has operands");
    refused(&file(CLAIMED, &COMM.replace("t1 free 1", "t1 free 7")), "line 16: a free variable is not in");
}

const ASSOC: &str = "l0 \"x\" serial auto\na0 plus_times\nt0 free 0\nt1 prim add t0 t0\nt2 prim add t1 t0\n\
    t3 prim add t0 t1\ns0 rule add_assoc t2\nx0 tensor l0 f32 a0\nclaim t2 t3 s0\n";

#[test]
fn the_class_of_a_law_is_that_of_its_element_type() {
    let of = |element: &str| {
        let (algebra, scalar) = element.split_once(' ').unwrap_or_default();
        ASSOC.replace("a0 plus_times", &format!("a0 {algebra}")).replace("l0 f32", &format!("l0 {scalar}"))
    };
    let classes = ["bitwise", "finite", "real"];
    for (element, class) in [
        ("plus_times f32", "real"),
        ("plus_times i32", "bitwise"),
        ("times u8", "bitwise"),
        ("min_max f64", "finite"),
        ("min_max i64", "bitwise"),
        ("min_plus f32", "finite"),
        ("min_plus bool", "bitwise"),
    ] {
        for claimed in classes {
            let text = file(&format!("laws add_assoc\nrounding {claimed}"), &of(element));
            match claimed == class {
                true => assert!(verdict(&text).is_ok(), "{element} {claimed}: {:?}", verdict(&text)),
                false => refused(&text, "the proof has another rounding"),
            }
        }
    }
}

/// The maximum of integers, as its monoid and as the same one with another label: `a + b = b + a = a + b`.
const MOST: &str = "l0 \"x\" serial auto\nl1 \"y\" serial auto\na0 plus_times\nt0 free 0\nt1 free 1\nt2 bound 0\nt3 prim max t2 t1\n\
    t4 let l0 t0 t3\nt5 let l1 t0 t3\nt6 lit i32 a0 dec:-2147483648 0\nt7 prim max t2 t0\nt8 let l0 t1 t7\n\
    t9 prim max t0 t1\nm0 \"most\" 1 i32 a0 t6 t4 add_0_l add_comm\nm1 \"most\" 1 i32 a0 t6 t5 add_0_l add_comm\n\
    s0 rule monoid_law m0 add_comm 0 2 t0 t1 t4\ns1 rule monoid_law m1 add_comm 0 2 t1 t0 t8\ns2 trans s0 s1\n\
    x0 tensor l0 i32 a0\nx1 tensor l0 i32 a0\nclaim t4 t4 s2\n";
const EXACT: &str = "laws none\nrounding bitwise";

#[test]
fn a_claim_says_on_which_laws_of_monoids_it_rests() {
    let given = "for all x0: plus_times<i32>[], \"x\"\nfor all x1: plus_times<i32>[], \"x\"\n";
    let rests = "if \"most\" with these fields has the laws add_comm\n    plus_times<i32>: zero -2147483648e0:plus_times<i32>, \
        sum let i0(x0, max(i0, x1))\nlaws none\nrounding bitwise\nloops: no evidence\n";
    let expected = |left: &str, right: &str| format!("{given}    {left}\n  = {right}\n{rests}");
    let (ab, ba) = ("let i0(x0, max(i0, x1))", "let i0(x1, max(i0, x0))");
    assert_eq!(verdict(&file(EXACT, MOST)), Ok(expected(ab, ab)));
    let one = MOST.replace("claim t4 t4 s2", "claim t4 t8 s0");
    assert_eq!(verdict(&file(EXACT, &one)), Ok(expected(ab, ba)));
    // What is not used is not claimed.
    let none =
        MOST.replace("s2 trans", "s2 refl t9 t9\ns3 trans").replace("claim t4 t4 s2", "claim t9 t9 s2");
    assert!(!verdict(&file(EXACT, &none)).expect("a proof").contains("most"));
    // Whatever is changed of the monoid or of its use is refused, or another claim is printed.
    let said = verdict(&file(EXACT, &one)).expect("a proof");
    for (from, to) in [
        ("m0 \"most\"", "m0 \"least\""),
        ("i32 a0 t6 t4 add_0_l", "i32 a0 t6 t9 add_0_l"),
        ("i32 a0 t6 t4 add_0_l", "i32 a0 t6 t1 add_0_l"),
        ("i32 a0 t6 t4 add_0_l add_comm", "i32 a0 t6 t4 add_0_l"),
        ("t6 lit i32 a0 dec:-2147483648 0", "t6 lit i32 a0 zero"),
        ("t3 prim max", "t3 prim min"),
        ("t7 prim max", "t7 prim min"),
        ("m0 add_comm 0 2 t0 t1", "m0 add_0_l 0 1 t0"),
        ("m0 add_comm 0 2 t0 t1", "m0 add_comm 1 2 t0 t1"),
        ("m0 add_comm 0 2 t0 t1", "m0 add_comm 0 2 t1 t0"),
        ("m0 add_comm 0 2 t0 t1", "m0 add_comm 0 2 t0 t0"),
        ("x1 tensor l0 i32", "x1 tensor l0 i64"),
    ] {
        assert!(one.contains(from), "{from}");
        match verdict(&file(EXACT, &one.replacen(from, to, 1))) {
            Ok(other) => assert_ne!(other, said, "{from}, {to}"),
            Err(why) => assert!(!why.contains("says the same"), "{from}, {to}: {why}"),
        }
    }
    // A law that is not used may be claimed or not: that is no part of what is printed.
    let fewer = one.replacen("t6 t4 add_0_l add_comm", "t6 t4 add_comm", 1);
    assert_eq!(verdict(&file(EXACT, &fewer)), Ok(said));
}

#[test]
fn the_form_of_a_file_is_checked() {
    let text = file(CLAIMED, COMM);
    refused(&text.replace("atlp 1", "atlp 2"), "line 1:");
    refused(&text.replace("end 19", "end 20"), "line 20: the end is missing");
    refused(&format!("{text}\n"), "line 21: something follows");
    refused(text.trim_end(), "line 20: the line has no line feed");
    refused(&text.replace("t1 free 1", "t1 free 01"), "line 13: an integer is not");
    refused(&text.replace("t1 free 1", "t1 free  1"), "line 13: words are not separated");
    refused(&text.replace("t1 free 1", "t2 free 1"), "line 13: the line's number");
    refused(&text.replace("t1 free 1", "t1 free 0"), "line 13: an earlier line says the same");
    refused(&text.replace("add t0 t1", "add t0 t2"), "line 14: a reference to the line itself");
    refused(&text.replace("function \"f\"", "function \"\\u{1b}\""), "control character");
}

/// `a * (b + c) = a * b + a * c` is false where `*` is a wrapping sum and `+` a minimum.
#[test]
fn a_view_does_not_give_laws_to_a_scalar_that_lacks_them() {
    let tables = |scalar: &str| {
        let variables: String = (0..3).map(|k| format!("x{k} tensor l0 {scalar} a0\n")).collect();
        format!(
            "l0 \"x\" serial auto\na0 plus_times\na1 min_plus\nt0 free 0\nt1 free 1\nt2 free 2\nt3 view a1 t0\n\
             t4 view a1 t1\nt5 view a1 t2\nt6 prim add t4 t5\nt7 prim mul t3 t6\nt8 prim mul t3 t4\nt9 prim mul t3 t5\n\
             t10 prim add t8 t9\ns0 rule distr_l t7\n{variables}claim t7 t10 s0\n"
        )
    };
    let claimed = "laws distr_l\nrounding real";
    verdict(&file(claimed, &tables("f32"))).unwrap();
    refused(&file(claimed, &tables("i32")), "a view's algebra does not admit the scalar");
}

/// Each term opens to twice the one before: the work is counted, and the memory is that of what differs.
#[test]
fn what_doubles_is_refused_in_time() {
    let doubling: String = (1..200).map(|k| format!("t{k} prim add t{0} t{0}\n", k - 1)).collect();
    let tables =
        format!("a0 plus_times\nt0 lit f32 a0 one\n{doubling}s0 refl t199 t199\nclaim t199 t199 s0\n");
    let start = Instant::now();
    refused(&file("laws none\nrounding bitwise", &tables), "larger, or nested deeper");
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// Variables are named by their levels, those that are bound by their depths; a hypothesis has a level too.
#[test]
fn every_part_of_a_claim_is_printed() {
    let tables = "l0 \"N\" serial auto\nl1 \"x\" serial auto\na0 plus_times\na1 max_plus\ni0 free 0\ni1 bound 0\ni2 bound 1\n\
        i3 lit -4\ni4 mul i1 i3\ni5 mod i2 i0\np0 le i3 i0\np1 lt i1 i5\np2 not p0\np3 or p1 p2\np4 and p0 p3\np5 true\n\
        p6 false\nt0 free 2\nt1 get t0 i1\nt2 lit f32 a0 dec:-15 -1\nt3 select p5 t1 t2\nt4 guard p4 t3\nt5 free 1\n\
        t6 index f32 a0 i4\nt7 prim add t4 t6\nt8 sum l0 i0 t7\nt9 gen l0 i0 t8\nd0 \"f\" 0 1 1 t5\nt10 op d0 0 1 t9\n\
        t11 bound 0\nt12 let l1 t10 t11\nt13 view a1 t12\nt14 prim cast f64 a1 t13\ns0 refl t14 t14\nx0 index l0\n\
        x1 hyp p0\nx2 tensor l1 f32 a0 i0\nx3 hyp p6\nclaim t14 t14 s0\n";
    let side = "cast max_plus<f64>(view max_plus(let i0(\"f\".0(gen i0(x0, sum i1(x0, add(guard(((-4 le x0) and \
        ((i1 lt (i0 mod x0)) or not (-4 le x0))), select(true, get(i1, x2), -15e-1:plus_times<f32>)), \
        plus_times<f32>((i1 mul -4)))))), i0)))";
    let expected = format!(
        "for all x0: index, \"N\"\nif (-4 le x0)\nfor all x2: plus_times<f32>[x0], \"x\"\nif false\n    {side}\n  = \
            {side}\nwhere \"f\".0 of 0 indices and tensors with [1] extents: x1\nlaws none\nrounding bitwise\nloops: no evidence\n"
    );
    assert_eq!(verdict(&file("laws none\nrounding bitwise", tables)), Ok(expected));
}
