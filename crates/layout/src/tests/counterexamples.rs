//! Statements that are in print and false, and compositions that implementations get wrong: what is answered here.

use crate::functions::exact_composition::{Path, exact_composition};
use crate::{Kind, Layout, Value, compose, evaluate};

fn layout(text: &str) -> Layout {
    match evaluate(text).expect(text).value {
        Value::Layout(layout) => layout,
        other => panic!("{text} is {other}"),
    }
}

fn check(expression: &str, wanted: &str) {
    match evaluate(expression) {
        Ok(found) => assert_eq!(found.value.to_string(), wanted, "{expression}"),
        Err(why) => panic!("{expression}: {why}"),
    }
}

fn refuse(expression: &str, kind: Kind, words: &str) {
    match evaluate(expression) {
        Ok(found) => panic!("{expression} is {}", found.value),
        Err(why) => {
            assert!(why.kind == kind && why.to_string().contains(words), "{expression}: {:?} {why}", why.kind)
        }
    }
}

/// In print: composition distributes over the modes of an injective right operand. It does not.
#[test]
fn injective_right_operands_may_carry() {
    let (a, b) = (layout("(6,2):(1,10)"), layout("(2,3):(3,2)"));
    check("injective((2,3):(3,2))", "true");
    let refusal = compose(&a, &b).expect_err("it carries");
    assert_eq!(refusal.kind, Kind::Carry);
    assert_eq!(
        refusal.to_string(),
        "(6,2):(1,10) o (2,3):(3,2): the modes of the right operand carry; together they count to 7 in the mode 6:1 of \
         the left operand, which ends at 5; at index 5, B is 7 and A(7) = 11; mode by mode it would be 7"
    );
    let refusal = exact_composition(&a, &b).expect_err("no layout has these values");
    assert_eq!(refusal.kind, Kind::NoLayout);
}

#[test]
fn divisibility_is_asked_where_it_matters() {
    check("(4,6):(1,10) o 2:3", "2:3");
    check("(4,6):(1,10) o 1:3", "1:0");
    refuse("(4,6):(1,10) o 4:3", Kind::Divisibility, "3 does not divide 4");
    refuse("(4,6):(1,10) o 6:3", Kind::Divisibility, "3 does not divide 4");
    refuse("(4,9):(9,1) o 6:1", Kind::Divisibility, "the 4 steps that fill it do not divide 6");
    refuse("(4,6):(1,10) o 2:6", Kind::Divisibility, "6 is no multiple of 4");
}

/// In print: the composed function is the composition of the functions. Each of these is a case where the printed one is not.
#[test]
fn printed_compositions_that_fail() {
    check("(2,3):(1,10) o 4:0", "4:0");
    check("(2,2):(5,7) o 2:8", "2:28");
    check("(2,2):(1,10) o 8:1", "(2,4):(1,10)");
    check("(2,2):(1,10) o (8,3):(1,0)", "((2,4),3):((1,10),0)");
    check("(4,5):(1,10) o 2:8", "2:20");
    check("(2,(3,(2,5))):(1,(5,(15,100))) o 2:4", "2:10");
    check("(4,1):(1,7) o 8:1", "(4,2):(1,7)");
}

/// In print: coalescing keeps the function and is canonical. It keeps it below the size, and only flat forms are canonical.
#[test]
fn coalescing_keeps_values_below_the_size() {
    let (a, b) = (layout("(4,1):(1,0)"), layout("coalesce((4,1):(1,0))"));
    assert_eq!((a.at(5), b.at(5)), (Ok(1), Ok(5)));
    check("coalesce(((2,3),2):((1,5),15))", "(2,6):(1,5)");
    check("coalesce((2,(3,2)):(1,(5,15)))", "(2,6):(1,5)");
}

/// In print: a coordinate that is lifted, and is not congruent to the shape; a rank that counts heights.
#[test]
fn coordinates_are_congruent_to_the_shape() {
    check("idx2crd(((2,3),4), 7)", "((1,0),1)");
    check("weakly_congruent(((2,3),4), ((1,1),1))", "true");
    check("rank(flatten(((2,2),2)))", "3");
}

/// In print: the surjectivity of a loop's permutation, asked of the new loop, and its range, asked of the numbers looped over.
#[test]
fn permuted_loops_lose_no_iteration() {
    // What is printed holds here, and the iterations 2 and 3 are lost.
    let found = evaluate("permutes(2:1, 0, 4)").expect("a loop of two iterations");
    assert_eq!(
        (found.value, found.notes.as_slice()),
        (Value::Bool(false), &["surjectivity: no iteration is at 2".to_owned()][..])
    );
    check("permutes((2,2):(2,1), 0, 4)", "true");
    let noted = |expression: &str, note: &str| {
        let found = evaluate(expression).expect(expression);
        assert!(
            found.value == Value::Bool(false) && found.notes[0].starts_with(note),
            "{expression}: {:?}",
            found.notes
        );
    };
    noted("permutes((2,2):(2,1), 0, 3)", "range: iteration 3 is at 3");
    noted("permutes((2,2):(1,1), 0, 3)", "injectivity: the iterations 1 and 2 are both at 1");
    noted("permutes(4:1, 0, 4, 1, 4)", "surjectivity: no iteration is at 0");
    check("permutes(4:1, 3, 3, 5, 5)", "true");
    // Where nothing is done: the printed range condition fails at iteration 2, and surjectivity asks for too much.
    check("permutes((2,2):(2,1), 0, 4, 0, 4, [false,true,false,false])", "true");
    check("permutes((2,2):(2,1), 0, 3, 0, 4, [true,true,true])", "true");
    check("permutes((2,2):(1,1), 0, 3, 0, 4, [true,false,true])", "true");
    check("permutes(2:1, 0, 4, 0, 2, [true,true])", "true");
    noted("permutes((2,2):(2,1), 0, 3, 0, 4, [true,true,true,true])", "range: iteration 3 is at 3");
    noted(
        "permutes((2,2):(1,1), 0, 3, 0, 4, [true,true,true])",
        "injectivity: the iterations 1 and 2 are both at 1",
    );
    noted("permutes(2:1, 0, 4, 0, 2, [true,true,true])", "surjectivity: no iteration is at 2");
    refuse("permutes(2:1, 0, 4, 0, 2, 3)", Kind::Arguments, "list of truth values");
    refuse("permutes(2:1, 0, 4, 0, 2, [3])", Kind::Arguments, "list of truth values");
    check("permutes(4:1, 5, 3, 5, 2)", "true");
    refuse("permutes(4:1, 0, 4, -1, 4)", Kind::Range, "negative");
    refuse("permutes(4:1, 0, 4000000000)", Kind::TooLarge, "iterations");
}

/// Leaving the domain is legal, and most often a mistake elsewhere.
#[test]
fn leaving_the_domain_is_remarked() {
    let found = evaluate("(2,2):(1,10) o 8:1").expect("it goes on");
    assert_eq!(found.notes, ["8:1 reaches index 7 of (2,2):(1,10), whose size is 4: its last mode goes on"]);
    assert!(evaluate("(2,4):(1,10) o 8:1").expect("it fits").notes.is_empty());
}

#[test]
fn diagonals_are_found_from_values() {
    refuse("(4,8):(1,10) o 8:5", Kind::Divisibility, "5 is no multiple of 4");
    let (found, path) = exact_composition(&layout("(4,8):(1,10)"), &layout("8:5")).expect("a layout");
    assert_eq!((found.to_string().as_str(), path), ("(4,2):(11,50)", Path::ModeByMode));
    let (found, path) = exact_composition(&layout("(3,2):(1,10)"), &layout("(2,3):(1,2)")).expect("a layout");
    assert_eq!((found.to_string().as_str(), path), ("(3,2):(1,10)", Path::WholeTable));
}

#[test]
fn complements_refuse_overlaps() {
    refuse(
        "complement((2,2):(2,3), 24)",
        Kind::Overlap,
        "its mode 2:3 begins at 3, before the end 4 of its mode 2:2",
    );
    refuse("complement(4:-1, 24)", Kind::Overlap, "negative");
    let noted = evaluate("complement((2,2):(1,3), 18)").expect("a weak chain");
    assert_eq!((noted.value.to_string().as_str(), noted.notes.len()), ("3:6", 1));
    // Injective, and yet what it leaves out is no layout of gaps.
    check("injective((12,3):(6,4))", "true");
    refuse("complement((12,3):(6,4), 1)", Kind::Overlap, "begins at 6");
}
