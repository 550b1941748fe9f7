//! Operators in files that were written for programs: padding that is dropped again, and dimensions that move.

mod common;

use common::{refused, verdict};

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
