//! Loops in small files, written by hand from the document: what must be accepted, and what must be refused.

mod common;

use common::{refused, verdict};

/// A file: the theorem `gen i < N x[i] = gen i < N x[i]`, and lines of loops.
fn file(loops: &str) -> String {
    with_term("t2 gen l0 i0 t1\n", "t2", loops)
}

/// The same of another term, in lines of which this one has it.
fn with_term(lines: &str, term: &str, loops: &str) -> String {
    let head = "atlp 1\nfunction \"f\"\ngiven\nsource\nschedule\nresult\nlaws none\nrounding bitwise\nproof\n\
        l0 \"N\" serial auto\nl1 \"x\" serial auto\na0 plus_times\ni0 free 0\ni1 lit 0\ni2 bound 0\np0 le i1 i0\n\
        t0 free 2\nt1 get t0 i2\n";
    let claim = format!(
        "s0 refl {term} {term}\nx0 index l0\nx1 hyp p0\nx2 tensor l1 f32 a0 i0\nclaim {term} {term} s0\n"
    );
    let text = format!("{head}{lines}{claim}{loops}");
    let lines = text.lines().count();
    format!("{text}end {lines}\n")
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

/// `iterate t < N from y = x { gen i < N { select(i == t, select(1 <= t, y[t - 1], y[i]), y[i]) } } in y`.
const ROUNDS: &str = "i3 bound 1\ni4 lit 1\ni5 sub i3 i4\np1 eq i2 i3\np2 le i4 i3\nt2 gen l0 i0 t1\nt3 bound 2\nt4 get t3 i5\n\
    t5 get t3 i2\nt6 select p2 t4 t5\nt7 select p1 t6 t5\nt8 gen l0 i0 t7\nt9 bound 0\nt10 iterate l1 i0 1 l1 t2 t8 t9\n";

/// The state is in the output: a round replaces one cell, if any, by the one before.
const IN_PLACE: &str = "loops\ni6 sub i2 i4\np3 le i4 i2\np4 true\np5 false\nb0 input 2 \"x\"\nb1 output \"out\"\n\
    v0 load b0 i2\nw0 set b1 i2 v0\nw1 for \"i\" serial i1 i0 w0\nw2 reset b1 unset\nv1 load b1 i6\n\
    w3 replace b1 i2 v1\nw4 if p3 w3\nw5 for \"t\" serial i1 i0 w4\nw6 seq 3 w2 w1 w5\n\
    c0 combine 2 1*3 1*4 absurd 5\nc1 combine 2 1*2 1*4 absurd 5\nc2 split 0 c0 c1\n\
    c3 combine 2 1*1 1*3 absurd 4\nc4 combine 2 1*2 1*3 absurd 4\nc5 split 0 c3 c4\n\
    r0 load\nh0 stored r0\nh1 loop h0\nr1 load c2\nh2 stored r1\nh3 kept\nh4 selected h2 h3\nh5 selected_true h4\n\
    h6 selected_false h3\nh7 pointed i2 h5 h6\nh8 kept c5\n\
    h9 iterated 1 filled b1 p4 p1 2 h1 1 1 replaced 0 1 h7 h8\nrun w6 h9 laws none\n";

#[test]
fn a_state_that_is_updated_where_it_is_holds_what_its_rounds_make() {
    let of = |loops: &str| with_term(ROUNDS, "t10", loops);
    verdict(&of(IN_PLACE)).expect("the rounds are accepted");
    let with = |from: &str, to: &str| {
        assert!(IN_PLACE.contains(from), "{from}");
        of(&IN_PLACE.replace(from, to))
    };
    let rounds = "h9 iterated 1 filled b1 p4 p1 2 h1 1 1 replaced 0 1 h7 h8";
    let none = "a side condition has no certificate";
    for (from, to, why) in [
        // Other loops: a cell, a read, the bounds, the order of what a round does, its condition.
        ("v1 load b1 i6", "v1 load b1 i2", none),
        ("v1 load b1 i6", "v1 load b0 i6", "a cell of another tensor is read"),
        ("w3 replace b1 i2 v1", "w3 replace b1 i6 v1", none),
        ("w3 replace b1 i2 v1", "w3 set b1 i2 v1", "a cell is set that is added to, or replaced"),
        ("w3 replace b1 i2 v1", "w3 combine add b1 i2 v1", "a cell is combined with a value"),
        ("w0 set b1 i2 v0", "w0 replace b1 i2 v0", "a cell is replaced of no state that is updated"),
        ("w5 for \"t\" serial i1 i0", "w5 for \"t\" serial i4 i0", none),
        ("w5 for \"t\" serial i1 i0", "w5 for \"t\" serial i1 i4", none),
        ("w5 for \"t\" serial i1 i0", "w5 for \"t\" parallel i1 i0", "rounds run at once"),
        ("w4 if p3 w3", "w4 if p4 w3", none),
        ("w4 if p3 w3", "w4 seq 1 w3", "have not the form"),
        ("seq 3 w2 w1 w5", "seq 3 w1 w2 w5", "have not the form"),
        ("seq 3 w2 w1 w5", "seq 4 w2 w1 w5 w5", "there are statements where nothing is stored"),
        ("seq 3 w2 w1 w5", "seq 2 w2 w1", "more statements than there are"),
        // Other things said of the state: it holds nothing, or nothing of it changes.
        ("b1 p4 p1 2", "b1 p5 p1 2", none),
        ("b1 p4 p1 2", "b1 p1 p1 2", none),
        ("b1 p4 p1 2", "b1 p4 p5 2", none),
        // Other steps: the cell, what is outside of it, the end, how a state begins, what a round makes.
        ("h7 pointed i2 h5 h6", "h7 pointed i6 h5 h6", none),
        ("h6 selected_false h3", "h6 unheld", none),
        ("h3 kept\n", "h3 unheld\n", none),
        ("h8 kept c5", "h8 unheld c5", "the value of an iteration goes where its states are"),
        ("h8 kept c5", "h8 spared h1", "the value of an iteration goes where its states are"),
        (rounds, "h9 iterated 1 replaced b1 p4 p1 2 h1 1 1 replaced 0 1 h7 h8", "have not the form"),
        (rounds, "h9 iterated 1 filled b0 p4 p1 2 h1 1 1 replaced 0 1 h7 h8", "a buffer has another type"),
        (rounds, "h9 iterated 1 filled b1 p4 p1 1 h1 1 1 replaced 0 1 h7 h8", "have not the form"),
        (rounds, "h9 iterated 1 filled b1 p4 p1 2 h1 0 h8", none),
        (rounds, "h9 iterated 1 filled b1 p4 p1 2 h1 1 0 h8", "more statements than its step"),
        (rounds, "h9 iterated 1 filled b1 p4 p1 2 h1 1 1 filled b1 0 1 h7 h8", "have not the form"),
        (rounds, "h9 iterated 1 filled b1 p4 p1 2 h1 1 1 moved 0 1 h7 h8", "made twice, or is not there"),
        (rounds, "h9 iterated 1 filled b1 p4 p1 2 h1 1 1 replaced 1 1 h7 h8", "a state that is not there"),
        (
            rounds,
            "h9 iterated 1 filled b1 p4 p1 2 h1 1 2 replaced 0 1 h7 replaced 0 0 h3 h8",
            "made twice, or is not there",
        ),
        (rounds, "h9 iterated 0 1 1 replaced 0 1 h7 h8", "an iteration has no states"),
    ] {
        refused(&with(from, to), why);
    }
}

/// `iterate t < N from y = x { iterate s < 0 from z = gen i < N { select(1 <= i, y[i - 1], y[i]) } { z } in z } in y`.
const ROUNDS_INSIDE: &str = "i3 bound 1\ni4 lit 1\ni5 sub i2 i4\np1 le i4 i2\nt2 gen l0 i0 t1\nt3 bound 2\nt4 get t3 i5\n\
    t5 get t3 i2\nt6 select p1 t4 t5\nt7 gen l0 i0 t6\nt8 bound 1\nt9 bound 0\nt10 iterate l1 i1 1 l1 t7 t8 t9\n\
    t11 iterate l1 i0 1 l1 t2 t10 t9\n";

/// The inner state goes on in the cells of the outer one: its start replaces each by the one before, upwards.
const START_IN_PLACE: &str = "loops\np2 true\nb0 input 2 \"x\"\nb1 output \"out\"\n\
    v0 load b0 i2\nw0 set b1 i2 v0\nw1 for \"i\" serial i1 i0 w0\nw2 reset b1 unset\nv1 load b1 i5\n\
    w3 replace b1 i2 v1\nw4 if p1 w3\nw5 for \"i\" serial i1 i0 w4\nw6 for \"t\" serial i1 i0 w5\nw7 seq 3 w2 w1 w6\n\
    c0 combine 2 1*5 1*6 absurd 7\nc1 combine 2 1*4 1*6 absurd 7\nc2 split 0 c0 c1\n\
    c3 combine 2 1*3 1*5 absurd 6\nc4 combine 2 1*4 1*5 absurd 6\nc5 split 0 c3 c4\n\
    c6 combine 2 1*1 1*3 absurd 4\nc7 combine 2 1*2 1*3 absurd 4\nc8 split 0 c6 c7\n\
    r0 load\nh0 stored r0\nh1 loop h0\nr1 load c2\nh2 stored r1\nh3 kept\nh4 selected h2 h3\nh5 loop h4\n\
    h6 kept c5\nh7 iterated 1 replaced b1 p2 p2 1 h5 0 h6\nh8 kept c8\n\
    h9 iterated 1 filled b1 p2 p2 2 h1 1 1 replaced 0 1 h7 h8\nrun w7 h9 laws none\n";

#[test]
fn a_start_in_the_cells_of_a_state_reads_what_they_hold_as_yet() {
    refused(&with_term(ROUNDS_INSIDE, "t11", START_IN_PLACE), "a side condition has no certificate");
}

/// `iterate t < N from x = x { iterate s < N from y = gen i < N { select(1 <= i, x[i - 1], x[i]) } { y } in y } in x`.
const AROUND: &str = "i3 lit 1\ni4 sub i2 i3\np1 le i3 i2\nt2 gen l0 i0 t1\nt3 bound 2\nt4 get t3 i4\nt5 get t3 i2\n\
    t6 select p1 t4 t5\nt7 gen l0 i0 t6\nt8 bound 1\nt9 bound 0\nt10 iterate l1 i0 1 l1 t7 t8 t9\n\
    t11 iterate l1 i0 1 l1 t2 t10 t9\n";

/// Both states are in the output: the start of the inner one is stored over the outer one, upwards.
const STORED_OVER: &str = "loops\np2 true\nb0 input 2 \"x\"\nb1 output \"out\"\nv0 load b0 i2\nw0 set b1 i2 v0\n\
    w1 for \"i\" serial i1 i0 w0\nw2 reset b1 unset\nv1 load b1 i4\nv2 load b1 i2\nv3 select p1 v1 v2\n\
    w3 replace b1 i2 v3\nw4 for \"i\" serial i1 i0 w3\nw5 seq 0\nw6 for \"s\" serial i1 i0 w5\nw7 seq 2 w4 w6\n\
    w8 for \"t\" serial i1 i0 w7\nw9 seq 3 w2 w1 w8\nr0 load\nh0 stored r0\nh1 loop h0\n\
    c0 combine 2 1*5 1*6 absurd 7\nc1 combine 2 1*4 1*6 absurd 7\nc2 split 0 c0 c1\nr1 load c2\nr2 select r1 r0\n\
    h2 stored r2\nh3 loop h2\nc3 combine 2 1*1 1*3 absurd 4\nc4 combine 2 1*2 1*3 absurd 4\nc5 split 0 c3 c4\n\
    c6 combine 2 1*3 1*5 absurd 6\nc7 combine 2 1*4 1*5 absurd 6\nc8 split 0 c6 c7\n\
    c9 combine 2 1*5 1*7 absurd 8\nc10 combine 2 1*6 1*7 absurd 8\nc11 split 0 c9 c10\nh4 kept c11\nh5 kept c8\n\
    h6 iterated 1 replaced b1 p2 p2 1 h3 1 1 replaced 0 0 h4 h5\nh7 kept c5\n\
    h8 iterated 1 filled b1 p2 p2 2 h1 1 1 replaced 0 2 h6 h7\nrun w9 h8 laws none\n";

#[test]
fn starts_after_one_that_is_stored_over_a_state_around_do_not_read_that() {
    // Each cell of its own one is right.
    let own = AROUND.replace("t7 gen l0 i0 t6", "t7 gen l0 i0 t5");
    let loops = STORED_OVER.replace("w3 replace b1 i2 v3", "w3 replace b1 i2 v2");
    let loops = loops.replace("b1 p2 p2 1 h3", "b1 p2 p2 1 h1");
    verdict(&with_term(&own, "t11", &loops)).expect("each cell is made of itself");
    // A second state begins as the outer one, after the first was stored over that.
    let two = "t7 gen l0 i0 t5\nt8 bound 1\nt9 bound 0\nt10 iterate l1 i0 2 l1 t2 t3 l1 t7 t3 t8\n\
        t11 iterate l1 i0 1 l1 t2 t10 t9\n";
    let two = format!("{}{two}", AROUND.split("t7").next().expect("the lines before"));
    let mut loops = STORED_OVER.replace("w3 replace b1 i2 v3", "w3 replace b1 i2 v0");
    for (from, to) in [
        ("b1 output \"out\"\n", "b1 output \"out\"\nb2 scratch f32 \"z\"\n"),
        (
            "w7 seq 2 w4 w6\nw8 for \"t\" serial i1 i0 w7\nw9 seq 3 w2 w1 w8\n",
            "w7 reset b2 unset\nw8 set b2 i2 v2\nw9 for \"i\" serial i1 i0 w8\nw10 seq 4 w4 w7 w9 w6\n\
             w11 for \"t\" serial i1 i0 w10\nw12 seq 3 w2 w1 w11\nw13 alloc b2 unset 1 i0 w12\n",
        ),
        (
            "1 replaced b1 p2 p2 1 h3 1 1 replaced",
            "2 replaced b1 p2 p2 1 h1 filled b2 p2 p2 2 h1 1 2 replaced",
        ),
        ("0 0 h4 h5", "0 0 h4 replaced 1 0 h4 h5"),
        ("replaced 0 2 h6", "replaced 0 4 h6"),
        ("run w9 h8", "h9 spared h8\nrun w13 h9"),
    ] {
        assert!(loops.contains(from), "{from}");
        loops = loops.replace(from, to);
    }
    refused(&with_term(&two, "t11", &loops), "a cell of another tensor is read");
}

/// `iterate t < N from y = x { gen i < N { select(1 <= i, y[i - 1], y[i]) } } in y`.
const SHIFTED: &str = "i3 lit 1\ni4 sub i2 i3\np1 le i3 i2\nt2 gen l0 i0 t1\nt3 bound 2\nt4 get t3 i4\nt5 get t3 i2\n\
    t6 select p1 t4 t5\nt7 gen l0 i0 t6\nt8 bound 0\nt9 iterate l1 i0 1 l1 t2 t7 t8\n";

/// Each cell becomes the one before, from the last one on.
const DOWNWARDS: &str = "loops\ni5 sub i0 i3\ni6 sub i5 i2\ni7 sub i6 i3\np2 true\np3 le i3 i6\nb0 input 2 \"x\"\n\
    b1 output \"out\"\nv0 load b0 i2\nw0 set b1 i2 v0\nw1 for \"i\" serial i1 i0 w0\nw2 reset b1 unset\nv1 load b1 i7\n\
    w3 replace b1 i6 v1\nw4 if p3 w3\nw5 for \"i\" serial i1 i0 w4\nw6 for \"t\" serial i1 i0 w5\nw7 seq 3 w2 w1 w6\n\
    c0 combine 2 1*4 1*5 absurd 6\nc1 combine 2 1*3 1*5 absurd 6\nc2 split 0 c0 c1\n\
    c3 combine 2 1*5 1*6 absurd 7\nc4 combine 2 1*3 1*6 absurd 7\nc5 split 0 c3 c4\n\
    c6 combine 2 1*4 1*6 absurd 7\nc7 split 0 c6 c4\nc8 combine 2 1*1 1*3 absurd 4\nc9 combine 2 1*2 1*3 absurd 4\n\
    c10 split 0 c8 c9\nc11 split 0 c1 c0\n\
    r0 load\nh0 stored r0\nh1 loop h0\nr1 load c5\nh2 stored r1\nh3 kept c7\nh4 selected h2 h3\nh5 unheld c11\n\
    h6 swept down 1 i1 i0 h4 h5 c2\nh7 kept c10\n\
    h8 iterated 1 filled b1 p2 p2 2 h1 1 1 replaced 0 1 h6 h7\nrun w7 h8 laws none\n";

#[test]
fn a_state_is_not_updated_against_the_direction_of_its_reads() {
    verdict(&with_term(SHIFTED, "t9", DOWNWARDS)).expect("downwards is accepted");
    let none = "a side condition has no certificate";
    let with = |changes: &[(&str, &str)]| {
        let changed = changes.iter().fold(DOWNWARDS.to_owned(), |loops, (from, to)| {
            assert!(loops.contains(from), "{from}");
            loops.replace(from, to)
        });
        with_term(SHIFTED, "t9", &changed)
    };
    // Upwards, with whatever step: the cell that is read has been replaced.
    let upwards = [
        ("v1 load b1 i7", "v1 load b1 i4"),
        ("w3 replace b1 i6", "w3 replace b1 i2"),
        ("w4 if p3", "w4 if p1"),
    ];
    let certified =
        [("r1 load c5", "r1 load c12"), ("c11 split 0 c1 c0\n", "c11 split 0 c1 c0\nc12 split 0 c3 c6\n")];
    let step = |to| [("h6 swept down 1 i1 i0 h4 h5 c2", to)];
    let all = |to| [&upwards[..], &certified[..], &step(to)[..]].concat();
    refused(&with(&all("h6 loop h4")), none);
    refused(&with(&all("h6 swept up 1 i1 i0 h4 h5")), none);
    refused(&with(&all("h6 swept down 1 i1 i0 h4 h5 c2")), none);
    refused(&with(&step("h6 swept up 1 i1 i0 h4 h5")), none);
    // At once: another iteration may have replaced it.
    for kind in ["parallel", "vector"] {
        let at_once = ("w5 for \"i\" serial", format!("w5 for \"i\" {kind}"));
        refused(&with(&[(at_once.0, &at_once.1)]), none);
    }
    // The step claims that the cell that is read does not change, though it does.
    let less = "h8 iterated 1 filled b1 p2 p4 2 h1 1 1 replaced 0 1 h6 h7";
    let unchanged = [
        ("h8 iterated 1 filled b1 p2 p2 2 h1 1 1 replaced 0 1 h6 h7", less),
        ("p3 le i3 i6\n", "p3 le i3 i6\np4 false\n"),
    ];
    refused(&with(&[&all("h6 loop h4")[..], &unchanged[..]].concat()), none);
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

/// A file that was written for a program, in which each of these changes is refused.
#[track_caller]
fn changed(text: &str, changes: &[(&str, &str, &str)]) {
    let whole = |text: &str| {
        let lines = text.lines().count() - 1;
        let (before, _) = text.rsplit_once("end ").expect("an end");
        format!("{before}end {lines}\n")
    };
    verdict(&whole(text)).expect("the file is accepted");
    for (from, to, why) in changes {
        assert!(text.contains(from), "{from}");
        refused(&whole(&text.replace(from, to)), why);
    }
}

/// `trunc_r(1, trunc_r(2, pad_r(3, a)))`: no cell that is there is padding, so that cells may hold nothing at first.
#[test]
fn padding_is_dropped_where_cells_hold_nothing() {
    let text = include_str!("texts/padded.atlp");
    let (side, none) = ("an absurd fact is no negative constant", "a side condition has no certificate");
    changed(
        text,
        &[
            // One cell more, which is padding; one less, for an element that is not kept; many more.
            ("op d0 1 i5 1", "op d0 1 i4 1", side),
            ("i7 lit 3", "i7 lit 4", side),
            ("op d1 1 i7 1", "op d1 1 i5 1", ""),
            ("i7 lit 3", "i7 lit 30", side),
            ("i7 lit 3", "i7 lit -3", ""),
            // Other iterations, cells and elements; none.
            ("serial i8 i1", "serial i4 i1", none),
            ("serial i8 i1", "serial i8 i7", none),
            ("serial i8 i1", "serial i8 i8", none),
            ("w0 set b1 i3 v0", "i9 add i3 i4\nw0 set b1 i9 v0", ""),
            ("v0 load b0 i3", "i9 add i3 i4\nv0 load b0 i9", ""),
            ("w1 for \"i\" serial i8 i1 w0", "w1 seq 0", "have not the form"),
            ("h1 loop h0", "h1 never", ""),
            // Evidence that is not there, is of something else, or is for another step.
            ("h2 reshaped h1 c0", "h2 reshaped h1", none),
            ("h2 reshaped h1 c0", "h2 reshaped h1 c5", ""),
            ("h2 reshaped h1 c0\nh3 reshaped h2", "h2 reshaped h1\nh3 reshaped h2 c0", none),
            ("h3 reshaped h2", "h3 reshaped h2 c0", "a certificate is left over"),
            // Another operator of this name.
            ("d1 \"pad_r\"", "d1 \"pad_l\"", "is not the operator of this name"),
            ("p0 lt i3 i0", "p0 le i3 i0", "is not the operator of this name"),
        ],
    );
    // Cells that begin as zero need nothing of it, and those that begin as something else are another matter.
    let zeroed = text
        .replace("h2 reshaped h1 c0", "h2 reshaped h1")
        .replace("c0 combine", "v1 lit i32 0\nw2 reset b1 value v1\nw3 seq 2 w2 w1\nc0 combine")
        .replace("run w1 h4", "h5 begun h4\nrun w3 h5");
    changed(
        &zeroed,
        &[
            ("h2 reshaped h1\n", "h2 reshaped h1 c0\n", "a certificate is left over"),
            ("v1 lit i32 0", "v1 lit i32 1", "a number of the loops is another"),
            ("reset b1 value v1", "reset b1 unset", "cells begin as something else"),
            ("seq 2 w2 w1", "seq 1 w1", "have not the form"),
        ],
    );
}

/// `rotate_4`, of extents `N`, 2, 3 and `M`.
#[test]
fn the_last_of_four_dimensions_comes_first() {
    let side = "a side condition has no certificate";
    changed(
        include_str!("texts/rotated.atlp"),
        &[
            ("w0 set b1 i16 v0", "w0 set b1 i22 v0", side),
            ("v0 load b0 i22", "v0 load b0 i16", side),
            ("v0 load b0 i22", "v0 load b0 i21", side),
            ("w0 set b1 i16 v0", "w0 set b1 i15 v0", side),
            ("w4 for \"i\" serial i10 i1 w3", "w4 for \"i\" serial i10 i3 w3", side),
            ("w1 for \"l\" serial i10 i3 w0", "w1 for \"l\" serial i10 i1 w0", side),
            ("w2 for \"k\" serial i10 i9 w1", "w2 for \"k\" serial i10 i8 w1", side),
            ("w3 for \"j\" serial i10 i8 w2", "w3 for \"j\" serial i10 i9 w2", side),
            ("w3 for \"j\" serial i10 i8 w2", "w3 for \"j\" serial i10 i10 w2", side),
            ("h4 loop h3", "h4 once h3", side),
            ("h5 reshaped h4", "h5 reshaped h3", ""),
            ("d0 \"rotate_4\"", "d0 \"unrotate_4\"", "is not the operator of this name"),
            ("d0 \"rotate_4\"", "d0 \"rotate_3\"", "is not the operator of this name"),
            ("d0 \"rotate_4\"", "d0 \"rotate_7\"", "an operator that loops do not follow"),
        ],
    );
}
