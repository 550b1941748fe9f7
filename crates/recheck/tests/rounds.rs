//! Iterations in small files, written by hand from the document: states that are updated where they are.

mod common;
#[path = "common/terms.rs"]
mod terms;

use common::{refused, verdict};
use terms::with_term;

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
