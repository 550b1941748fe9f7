//! Loops in small files, written by hand from the document: what must be accepted, and what must be refused.

mod common;
#[path = "common/terms.rs"]
mod terms;

use common::{refused, verdict};
use terms::with_term;

/// A file: the theorem `gen i < N x[i] = gen i < N x[i]`, and lines of loops.
fn file(loops: &str) -> String {
    with_term("t2 gen l0 i0 t1\n", "t2", loops)
}

/// A copy. A cell is `i * 1 + 0`, which is `i` as a polynomial.
const COPY: &str = "loops\nb0 input 2 \"x\"\nb1 output \"out\"\nv0 load b0 i2\nw0 set b1 i2 v0\n\
    w1 for \"i\" parallel i1 i0 w0\nr0 load\nh0 stored r0\nh1 loop h0\nrun w1 h1 laws none\n";

#[test]
fn a_copy_is_accepted_and_reported() {
    let said = verdict(&file(COPY)).expect("the copy is accepted");
    let expected = "loops: from memory that holds x2 in \"x\", they leave the second side in \"out\", and never trap\n\
        laws of loops none\n";
    assert!(said.ends_with(expected), "{said}");
    let without = verdict(&file("")).expect("the theorem alone is accepted");
    assert!(without.ends_with("loops: no evidence\n"), "{without}");
}

/// Both results are the input; each has an output.
const TWO: &str = "loops\nb0 input 2 \"x\"\nb1 output \"a\"\nb2 output \"b\"\nv0 load b0 i2\nw0 set b1 i2 v0\n\
    w1 for \"i\" serial i1 i0 w0\nw2 set b2 i2 v0\nw3 for \"i\" serial i1 i0 w2\nw4 seq 2 w1 w3\nr0 load\nh0 stored r0\n\
    h1 loop h0\nh2 results 1 1 h1 h1\nrun w4 h2 laws none\n";

#[test]
fn several_results_have_an_output_each() {
    let of = |loops: &str| with_term("t2 gen l0 i0 t1\nt3 bundle 2 t2 t2\n", "t3", loops);
    let said = verdict(&of(TWO)).expect("both are accepted");
    assert!(said.contains("in \"a\", and never trap, they leave"), "{said}");
    let with = |from: &str, to: &str| {
        assert!(TWO.contains(from), "{from}");
        of(&TWO.replace(from, to))
    };
    for (from, to, why) in [
        ("seq 2 w1 w3", "seq 2 w1 w1", "another buffer is stored to"),
        ("b2 output \"b\"", "b2 scratch f32 \"b\"", "another number of outputs"),
        ("seq 2 w1 w3", "seq 2 w3 w1", "another buffer is stored to"),
        ("seq 2 w1 w3", "seq 1 w1", "a step parts statements"),
        ("seq 2 w1 w3", "seq 3 w1 w3 w1", "have not the form"),
        ("results 1 1 h1 h1", "results 0 h1", "more or fewer steps than results"),
        ("results 1 1 h1 h1", "results 2 1 h1 1 h1 h1", "more or fewer steps than results"),
        ("results 1 1 h1 h1", "results 1 0 h1 h1", "a step parts statements"),
        ("run w4 h2", "run w4 h1", "the term has not the form"),
        ("w3 for \"i\" serial i1 i0", "w3 for \"i\" serial i1 i1", "a side condition has no certificate"),
    ] {
        refused(&with(from, to), why);
    }
    // The first has no element to keep, which says nothing of the other.
    let none = "t2 gen l0 i1 t1\nt3 gen l0 i0 t1\nt4 bundle 2 t2 t3\n";
    let stored = "loops\nb0 input 2 \"x\"\nb1 output \"a\"\nb2 output \"b\"\nw0 seq 0\nc0 combine 2 1*1 1*2 absurd 3\n\
        h0 unheld c0\nrun w0 h0 laws none\n";
    refused(&with_term(none, "t4", stored), "several results are kept where one goes");
    let below = format!("{none}t5 let l1 t2 t4\n");
    let unread = stored.replace("run w0 h0", "h1 let_unread h0\nrun w0 h1");
    for loops in [stored, &unread] {
        refused(&with_term(&below, "t5", loops), "several results are kept where one goes");
    }
    // One result, and two outputs; a result that is none of several.
    refused(&file(TWO), "another number of outputs");
    refused(&file(&COPY.replace("h1 loop h0", "h1 results 0 h0")), "the term has not the form");
}

#[test]
fn each_part_of_a_copy_counts() {
    let with = |from: &str, to: &str| {
        assert!(COPY.contains(from), "{from}");
        file(&COPY.replace(from, to))
    };
    // The index is not that of the loop; the loop ends early; the cell is another.
    refused(&with("v0 load b0 i2", "v0 load b0 i1"), "a side condition has no certificate");
    refused(
        &with("w1 for \"i\" parallel i1 i0", "w1 for \"i\" parallel i0 i0"),
        "a side condition has no certificate",
    );
    refused(
        &with("w1 for \"i\" parallel i1 i0", "w1 for \"i\" parallel i1 i1"),
        "a side condition has no certificate",
    );
    refused(&with("w0 set b1 i2 v0", "w0 set b1 i1 v0"), "a side condition has no certificate");
    refused(
        &with("w0 set b1 i2 v0", "w0 combine add b1 i2 v0"),
        "a cell is combined with a value, and is not added to",
    );
    refused(&with("w0 set b1 i2 v0", "w0 set b0 i2 v0"), "another buffer is stored to");
    refused(&with("v0 load b0 i2", "v0 load b1 i2"), "a cell of another tensor is read");
    refused(&with("v0 load b0 i2", "v0 lit f32 0"), "a value has not the form");
    refused(&with("b0 input 2", "b0 input 0"), "an input is no tensor of the context");
    refused(&with("b1 output", "b1 scratch f32"), "the loops have no output");
    refused(&with("h1 loop h0", "h1 once h0"), "a side condition has no certificate");
    refused(&with("run w1 h1", "run w0 h0"), "the loops or the term have not the form");
    refused(&with("laws none\n", "laws add_assoc\n"), "the loops use other laws than the file claims");
    // A variable that is no loop's, and one of the term's loop that the program does not have.
    refused(&with("w0 set b1 i2", "i3 bound 1\nw0 set b1 i3"), "a bound variable points outside of the term");
    refused(&with("w0 set b1 i2", "i3 free 3\nw0 set b1 i3"), "a free variable is not in the context");
}

#[test]
fn the_form_of_the_lines_is_checked() {
    let with = |from: &str, to: &str| {
        assert!(COPY.contains(from), "{from}");
        file(&COPY.replace(from, to))
    };
    refused(&with("w0 set b1 i2 v0", "w0 put b1 i2 v0"), "an unknown kind of statement");
    refused(&with("h1 loop h0", "h1 loop h1"), "a reference to the line itself");
    refused(&with("parallel", "sideways"), "an unknown kind of loop");
    refused(&with("r0 load", "t3 free 0\nr0 load"), "a line of this kind does not stand among loops");
    refused(&with("r0 load\n", "r0 load\nr1 load\n"), "an earlier line says the same");
    refused(&with("run w1 h1 laws none\n", ""), "an integer is not in the form of the format");
    refused(&file("").replace("l0 \"N\"", "b0 output \"o\"\nl0 \"N\""), "a line of an unknown kind");
}

#[test]
fn what_does_nothing_is_left_out_and_vectors_are_whole() {
    let with = |to: &str| file(&COPY.replace("w1 for \"i\" parallel i1 i0 w0", to));
    let near =
        "w1 prefetch b0 i2\nw2 for \"p\" serial i1 i0 w1\nw3 seq 2 w2 w0\nw4 for \"i\" serial i1 i0 w3";
    let near = with(near).replace("run w1", "run w4");
    assert!(verdict(&near).is_ok(), "{:?}", verdict(&near));
    refused(
        &with("w1 vectors \"i\" f32 4 i1 i0 w0"),
        "the iterations of a loop of vectors are no whole vectors",
    );
    refused(
        &with("w1 vectors \"i\" f32 0 i1 i0 w0"),
        "the iterations of a loop of vectors are no whole vectors",
    );
    assert!(verdict(&with("w1 vectors \"i\" f32 1 i1 i0 w0")).is_ok());
}

/// `sum i < N x[i]`, of which the iterations add to one cell.
#[test]
fn iterations_that_add_to_one_cell_do_not_run_at_once() {
    let sum = |kind: &str, loops: &str| {
        let loops = format!(
            "loops\nb0 input 2 \"x\"\nb1 output \"out\"\nv0 lit f32 0\nv1 load b0 i2\nw0 reset b1 value v0\n\
             w1 combine add b1 i1 v1\nw2 for \"i\" {kind} i1 i0 w1\nw3 seq 2 w0 w2\nr0 load\nh0 stored r0\n{loops}"
        );
        with_term("t2 sum l0 i0 t1\n", "t2", &loops)
    };
    let right = "h1 summed h0\nh2 begun h1\nrun w3 h2 laws none\n";
    for kind in ["serial", "unroll"] {
        assert!(verdict(&sum(kind, right)).is_ok(), "{kind}: {:?}", verdict(&sum(kind, right)));
    }
    for kind in ["parallel", "vector"] {
        refused(&sum(kind, right), &format!("iterations of a `{kind}` loop add to one cell"));
    }
    refused(
        &sum("serial", right).replace("v0 lit f32 0", "v0 lit f32 1"),
        "a number of the loops is another",
    );
    refused(
        &sum("serial", right).replace("v0 lit f32 0", "v0 lit f64 0"),
        "a number of the loops is another",
    );
    refused(&sum("serial", right).replace("value v0", "unset"), "cells begin as something else");
    refused(
        &sum("serial", "h1 summed h0\nrun w2 h1 laws none\n"),
        "a sum goes into cells that do not begin as zero",
    );
}

/// `gen i < N (let t = x[i] in t)`, with `t` in scratch that stands outside of the loop.
#[test]
fn iterations_that_run_at_once_share_no_scratch() {
    let program = |kind: &str| {
        let loops = format!(
            "loops\nb0 input 2 \"x\"\nb1 output \"out\"\nb2 scratch f32 \"t\"\nv0 load b0 i2\nv1 load b2 i1\n\
             w0 reset b2 unset\nw1 set b2 i1 v0\nw2 set b1 i2 v1\nw3 seq 3 w0 w1 w2\nw4 for \"i\" {kind} i1 i0 w3\n\
             w5 alloc b2 unset 0 w4\nr0 load\nh0 stored r0\nh1 let_there 1 h0 h0\nh2 loop h1\nh3 spared h2\n\
             run w5 h3 laws none\n"
        );
        with_term("t2 bound 0\nt3 let l1 t1 t2\nt4 gen l0 i0 t3\n", "t4", &loops)
    };
    assert!(verdict(&program("serial")).is_ok(), "{:?}", verdict(&program("serial")));
    for kind in ["parallel", "vector"] {
        refused(&program(kind), "a buffer is reset that is not there, or that iterations at once share");
    }
    refused(
        &program("serial").replace("w0 reset b2 unset", "w0 reset b1 unset"),
        "a buffer is reset that is not there",
    );
    refused(&program("serial").replace("b2 scratch f32", "b2 scratch f64"), "a buffer has another type");
    refused(&program("serial").replace("let_there 1", "let_there 2"), "a step parts statements");
    refused(
        &program("serial").replace("v1 load b2 i1", "v1 load b2 i0"),
        "a side condition has no certificate",
    );
}

/// Each line is twice the one before: the steps are counted.
#[test]
fn steps_that_double_are_refused_in_time() {
    let doubling: String =
        (1..60).map(|k| format!("r{k} operation 2 r{0} r{0}\nv{k} op add v{0} v{0}\n", k - 1)).collect();
    let text = file(&format!(
        "loops\nb0 input 2 \"x\"\nb1 output \"out\"\nv0 load b0 i2\nr0 load\n{doubling}w0 set b1 i2 v59\n\
        w1 for \"i\" serial i1 i0 w0\nh0 stored r59\nh1 loop h0\nrun w1 h1 laws none\n"
    ));
    refused(&text, "a value has not the form");
    let nested: String = (1..1100).map(|k| format!("w{k} if p0 w{}\n", k - 1)).collect();
    let text = file(&format!(
        "loops\nb0 input 2 \"x\"\nb1 output \"out\"\nv0 load b0 i2\nw0 set b1 i2 v0\n{nested}"
    ));
    refused(&text, "loops nest deeper than the limits allow");
}

/// `x[i + 1]` is zero at the end, where the loop would trap.
#[test]
fn a_read_out_of_range_is_refused() {
    let lines = "i3 lit 1\ni4 add i2 i3\nt2 get t0 i4\nt3 gen l0 i0 t2\n";
    let loops = COPY.replace("v0 load b0 i2", "v0 load b0 i4");
    refused(&with_term(lines, "t3", &loops), "a side condition has no certificate");
}

/// Where the condition fails the term is zero, and the cell would hold nothing.
#[test]
fn a_cell_that_holds_nothing_is_refused() {
    let lines = "i3 lit 1\np1 lt i2 i3\nt2 guard p1 t1\nt3 gen l0 i0 t2\n";
    let guarded = COPY.replace(
        "w1 for \"i\" parallel i1 i0 w0\nr0 load\nh0 stored r0\nh1 loop h0",
        "w1 if p1 w0\nw2 for \"i\" parallel i1 i0 w1\nr0 load\nh0 stored r0\nh1 guarded h0\nh2 loop h1",
    );
    let unset = guarded.replace("run w1 h1", "run w2 h2");
    refused(&with_term(lines, "t3", &unset), "a side condition has no certificate");
    let zeroed = guarded
        .replace("r0 load", "v1 lit f32 0\nw3 reset b1 value v1\nw4 seq 2 w3 w2\nr0 load")
        .replace("run w1 h1", "h3 begun h2\nrun w4 h3");
    assert!(
        verdict(&with_term(lines, "t3", &zeroed)).is_ok(),
        "{:?}",
        verdict(&with_term(lines, "t3", &zeroed))
    );
    // Another condition, and none.
    refused(
        &with_term(lines, "t3", &zeroed.replace("w1 if p1", "p2 le i2 i3\nw1 if p2")),
        "a side condition",
    );
    refused(
        &with_term(lines, "t3", &zeroed.replace("w1 if p1 w0", "w1 seq 1 w0")),
        "the loops or the term have not",
    );
}

/// An operator is its definition, not its name.
#[test]
fn an_operator_is_what_its_definition_says() {
    let program = |element: &str| {
        let lines = format!(
            "i3 free 1\ni4 sub i3 i0\ni5 add i2 i0\nt2 gen l0 i0 t1\nt3 get t0 i5\nt4 gen l0 i4 {element}\n\
             d0 \"trunc_r\" 1 1 1 t4\nt5 op d0 1 i1 1 t2\n"
        );
        with_term(&lines, "t5", &COPY.replace("run w1 h1", "h2 reshaped h1\nrun w1 h2"))
    };
    assert!(verdict(&program("t1")).is_ok(), "{:?}", verdict(&program("t1")));
    refused(&program("t3"), "\"trunc_r\" is not the operator of this name");
}

/// `let t = gen i < N x[i] in gen j < N t[j]`, in a buffer that has the extent of `t`.
#[test]
fn a_temporary_has_the_extents_of_its_tensor() {
    let program = |extents: &str| {
        let lines = "t2 gen l0 i0 t1\nt3 bound 1\nt4 get t3 i2\nt5 gen l0 i0 t4\nt6 let l1 t2 t5\n";
        let loops = format!(
            "loops\nb0 input 2 \"x\"\nb1 output \"out\"\nb2 scratch f32 \"t\"\nv0 load b0 i2\nv1 load b2 i2\n\
             w0 set b2 i2 v0\nw1 for \"i\" vector i1 i0 w0\nw2 set b1 i2 v1\nw3 for \"j\" parallel i1 i0 w2\n\
             w4 seq 2 w1 w3\nw5 alloc b2 unset {extents} w4\nr0 load\nh0 stored r0\nh1 loop h0\nh2 let_new 1 h1 h1\n\
             run w5 h2 laws none\n"
        );
        with_term(lines, "t6", &loops)
    };
    assert!(verdict(&program("1 i0")).is_ok(), "{:?}", verdict(&program("1 i0")));
    refused(&program("1 i1"), "a side condition has no certificate");
    refused(&program("0"), "a buffer has extents of another rank than its tensor");
    refused(&program("1 i0").replace("v1 load b2", "v1 load b1"), "a cell of another tensor is read");
}

/// `gen i < N sum k < 2 k`, whose two terms are added one after the other.
#[test]
fn terms_of_a_sum_that_is_written_out_each_have_their_statement() {
    let term = "i3 lit 2\nt2 index f32 a0 i2\nt3 sum l0 i3 t2\nt4 gen l0 i0 t3\n";
    let loops = "loops\nb0 output \"out\"\ni4 lit 1\nv0 lit f32 0\nv1 index i1\nv2 convert f32 v1\nv3 index i4\n\
        v4 convert f32 v3\nw0 reset b0 value v0\nw1 combine add b0 i2 v2\nw2 combine add b0 i2 v4\nw3 seq 2 w1 w2\n\
        w4 for \"i\" serial i1 i0 w3\nw5 seq 2 w0 w4\nr0 index\nh0 stored r0\nh1 summed_written 2 1 1 1 h0 h0\n\
        h2 loop h1\nh3 begun h2\nrun w5 h3 laws none\n";
    let with = |from: &str, to: &str| {
        assert!(loops.contains(from), "{from}");
        with_term(term, "t4", &loops.replace(from, to))
    };
    let whole = with("laws none", "laws none");
    assert!(verdict(&whole).is_ok(), "{:?}", verdict(&whole));
    let unproved = "a side condition has no certificate";
    refused(&with("w3 seq 2 w1 w2", "w3 seq 2 w2 w1"), unproved);
    refused(&with("w3 seq 2 w1 w2", "w3 seq 2 w1 w1"), unproved);
    refused(&with("w3 seq 2 w1 w2", "w3 seq 3 w1 w2 w2"), "the loops or the term have not the form");
    refused(&with("w3 seq 2 w1 w2", "w3 seq 1 w1"), "nothing on one side");
    refused(
        &with("w1 combine add", "w1 combine mul"),
        "a cell is combined with a value, and is not added to",
    );
    refused(&with("w1 combine add b0 i2 v2", "w1 set b0 i2 v2"), "a cell is set that is added to");
    refused(&with("2 1 1 1 h0 h0", "3 1 1 1 h0 h0"), "a sum is cut into more or fewer than it has");
    refused(&with("2 1 1 1 h0 h0", "1 0 h0"), unproved);
    refused(&with("2 1 1 1 h0 h0", "3 2 1 1 h0 1 1 h0 h0"), unproved);
    refused(&with("2 1 1 1 h0 h0", "2 1 2 1 h0 h0"), "the loops or the term have not the form");
    refused(&with("2 1 1 1 h0 h0", "2 1 1 0 h0 h0"), "nothing on one side");
    refused(&with("2 1 1 1 h0 h0", "2 1 1 2 h0 h0"), "nothing on one side");
    refused(
        &with("v0 lit f32 0", "v0 lit f32 1065353216"),
        "a number of the loops is another than the term's",
    );
    let unset = loops.replace("w5 seq 2 w0 w4", "w5 seq 1 w4").replace("h3 begun h2\nrun w5 h3", "run w5 h2");
    refused(&with_term(term, "t4", &unset), "a sum goes into cells that do not begin as zero");
    // It is no step for a loop over an index of the result.
    let of_gen = with_term("i3 lit 2\nt2 index f32 a0 i2\nt3 gen l0 i3 t2\nt4 gen l0 i0 t3\n", "t4", loops);
    refused(&of_gen, "the term has not the form that the step `summed_written` asks for");
}

/// A tensor is the first result, and the second one is read from there.
const THERE: &str = "loops\nb0 input 2 \"x\"\nb1 output \"a\"\nb2 output \"b\"\nv0 load b0 i2\nw0 set b1 i2 v0\n\
    w1 for \"i\" serial i1 i0 w0\nv1 load b1 i2\nw2 set b2 i2 v1\nw3 for \"i\" serial i1 i0 w2\nw4 seq 2 w1 w3\nr0 load\n\
    h0 stored r0\nh1 loop h0\nh2 kept\nh3 results 1 0 h2 h1\nh4 let_result 0 1 h1 h3\nrun w4 h4 laws none\n";

/// `let m = gen i < N x[i]`, and results: as `first` says, and `gen i < N m[i]`.
fn let_of_results(bound: &str, first: &str) -> String {
    format!(
        "i3 lit 1\ni4 add i0 i3\ni5 sub i0 i3\ni6 add i2 i3\nt2 gen l0 {bound} t1\nt3 bound 1\nt4 get t3 i2\nt5 gen l0 i0 t4\n\
         t6 bound 0\nt7 get t3 i6\nt8 gen l0 i0 t7\nt9 let l1 t2 t6\nt10 bundle 2 {first}\nt11 let l1 t2 t10\n"
    )
}

#[test]
fn a_tensor_that_is_a_result_is_read_from_its_output() {
    let terms = let_of_results("i0", "t6 t5");
    let of = |loops: &str| with_term(&terms, "t11", loops);
    verdict(&of(THERE)).expect("it is accepted");
    // All results may be there: the second is made of the first.
    let all = format!("{terms}t12 bundle 2 t3 t6\nt13 let l1 t5 t12\nt14 let l1 t2 t13\n");
    let both = THERE.replace("results 1 0 h2 h1", "results 1 0 h2 h2").replace(
        "let_result 0 1 h1 h3\nrun w4 h4",
        "let_result 1 1 h1 h3\nh5 let_result 0 1 h1 h4\nrun w4 h5",
    );
    verdict(&with_term(&all, "t14", &both)).expect("both are there");
    let crossed = all.replace("bundle 2 t3 t6", "bundle 2 t6 t3");
    refused(&with_term(&crossed, "t14", &both), "not all of what it names");
    refused(
        &with_term(&all, "t14", &both.replace("let_result 1 1", "let_result 0 1")),
        "two tensors are one result",
    );
    let with = |from: &str, to: &str| {
        assert!(THERE.contains(from), "{from}");
        of(&THERE.replace(from, to))
    };
    for (from, to, why) in [
        // Another order, other statements, none, and more.
        ("seq 2 w1 w3", "seq 2 w3 w1", "another buffer is stored to"),
        ("seq 2 w1 w3", "seq 2 w1 w1", "another buffer is stored to"),
        ("seq 2 w1 w3", "seq 1 w3", "another buffer is stored to"),
        ("seq 2 w1 w3", "seq 1 w1", "have not the form"),
        ("seq 2 w1 w3", "seq 3 w1 w3 w1", "have not the form"),
        ("let_result 0 1", "let_result 0 0", "have not the form"),
        ("let_result 0 1", "let_result 0 2", "have not the form"),
        ("let_result 0 1", "let_result 0 3", "more statements than there are"),
        // Another result, one that is not there, and one that is made twice.
        ("let_result 0 1", "let_result 1 1", "another buffer is stored to"),
        ("let_result 0 1", "let_result 2 1", "a result that is not there"),
        ("results 1 0 h2 h1", "results 1 1 h1 h1", "a step parts statements"),
        ("seq 2 w1 w3", "seq 3 w1 w1 w3", "have not the form"),
        ("results 1 0 h2 h1", "results 1 0 h1 h1", "made again"),
        ("results 1 0 h2 h1", "results 1 0 h2 h2", "there are statements where nothing is stored"),
        // The other result reads another cell, another buffer, and more than there is.
        ("v1 load b1 i2", "v1 load b1 i1", "a side condition"),
        ("v1 load b1 i2", "v1 load b2 i2", "a cell of another tensor is read"),
        ("set b2 i2 v1", "set b2 i2 v0", "a cell of another tensor is read"),
        ("v1 load b1 i2", "v1 load b1 i6", "a side condition"),
        ("w3 for \"i\" serial i1 i0", "w3 for \"i\" serial i1 i4", "a side condition"),
        ("w1 for \"i\" serial i1 i0", "w1 for \"i\" serial i1 i5", "a side condition"),
        ("w1 for \"i\" serial i1 i0", "w1 for \"i\" serial i3 i0", "a side condition"),
        // Its cells begin again before they are read.
        ("w4 seq 2 w1 w3\n", "w4 reset b1 unset\nw5 seq 3 w1 w4 w3\n", "have not the form"),
    ] {
        let run = if to.contains("w5") { "run w5 h4" } else { "run w4 h4" };
        refused(&with(from, to).replace("run w4 h4", run), why);
    }
    // A first result that is another tensor, or has other extents than the one that is there.
    refused(&with_term(&let_of_results("i0", "t8 t5"), "t11", THERE), "not all of what it names");
    refused(&with_term(&let_of_results("i4", "t5 t5"), "t11", THERE), "a side condition");
    refused(&with_term(&let_of_results("i5", "t5 t5"), "t11", THERE), "a side condition");
    refused(&with_term(&let_of_results("i1", "t5 t5"), "t11", THERE), "a side condition");
    verdict(&with_term(&let_of_results("i0", "t5 t5"), "t11", THERE)).expect("the same, element by element");
    // Below what is one tensor, and where there is one result.
    let inside = terms.replace("t11 let l1 t2 t10", "t11 let l1 t9 t10");
    let below = THERE.replace("h4 let_result 0 1 h1 h3", "h4 let_result 0 1 h1 h1\nh5 let_result 0 1 h4 h3");
    refused(&with_term(&inside, "t11", &below.replace("run w4 h4", "run w4 h5")), "no result of several");
    let one =
        COPY.replace("h1 loop h0", "h1 loop h0\nh2 let_result 0 1 h1 h1").replace("run w1 h1", "run w1 h2");
    refused(&with_term(&terms, "t9", &one), "no result of several");
}
