//! Orders of small programs, cell by cell.

use super::*;
use atl_session::Program;

const PROGRAM: &str = "\
fn f(x: f32[N, M]) -> f32[N, M] { gen i < N, j < M { x[i, j] + x[i, j] } }
schedule tiled of f { tile i, j by 2, 3; }
schedule columns of f { reorder j, i; }
fn g(x: f32[N]) -> f32[N] {
    gen i < N { let t = gen j < 2 { x[i] }; sum k < 2 { t[k] } }
}
";

/// The run of a function at these sizes.
fn run(function: &str, schedule: Option<&str>, sizes: &[(&str, i64)]) -> Result<Order, Failure> {
    let program = Program::parse("f.atl", PROGRAM).unwrap();
    let lowered = program.scheduled(function, schedule).unwrap().lower().unwrap();
    let sizes: Vec<(String, i64)> = sizes.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
    order(&lowered, &sizes)
}

fn check(schedule: Option<&str>, sizes: &[(&str, i64)], expected: &str) {
    assert_eq!(run("f", schedule, sizes).unwrap().to_text(), expected);
}

#[test]
fn cells_are_numbered_as_the_loops_store_them() {
    let sizes = [("N", 3), ("M", 4)];
    check(
        None,
        &sizes,
        "the order of stores, N = 3, M = 4\n\nout[3, 4]: 12 stores\n   0  1  2  3\n   4  5  6  7\n   8  9 10 11\n",
    );
    check(
        Some("tiled"),
        &sizes,
        "the order of stores, N = 3, M = 4\n\nout[3, 4]: 12 stores\n   0  1  2  6\n   3  4  5  7\n   8  9 10 11\n",
    );
    check(
        Some("columns"),
        &sizes,
        "the order of stores, N = 3, M = 4\n\nout[3, 4]: 12 stores\n   0  3  6  9\n   1  4  7 10\n   2  5  8 11\n",
    );
}

#[test]
fn scratch_is_drawn_in_its_first_lifetime() {
    let order = run("g", None, &[("N", 3)]).unwrap();
    let scratch = &order.pictures[0];
    assert_eq!((scratch.name.as_str(), scratch.lifetimes, scratch.stores), ("t", 3, 2));
    assert_eq!(scratch.ranks, [Some(0), Some(1)]);
    let output = order.pictures.last().unwrap();
    assert_eq!((output.name.as_str(), output.ranks.as_slice()), ("out", &[Some(0), Some(1), Some(2)][..]));
    assert_eq!(output.stores, 3);
}

#[test]
fn sizes_are_chosen_so_that_loops_turn() {
    let sizes = run("f", Some("tiled"), &[]).unwrap().sizes;
    assert_eq!(sizes, [("N".to_owned(), 4), ("M".to_owned(), 4)]);
    let sizes = run("f", None, &[("M", 2)]).unwrap().sizes;
    assert_eq!(sizes, [("N".to_owned(), 4), ("M".to_owned(), 2)]);
}

#[test]
fn what_is_too_large_is_refused() {
    assert_eq!(run("f", None, &[("N", 100), ("M", 101)]).unwrap_err().codes(), ["E0620"]);
    assert_eq!(run("f", None, &[("N", 1 << 40), ("M", 0)]).unwrap_err().codes(), ["E0620"]);
    assert_eq!(run("f", None, &[("N", -1), ("M", 1)]).unwrap_err().codes(), ["E0506"]);
    assert_eq!(run("f", None, &[("K", 1)]).unwrap_err().codes(), ["E0509"]);
}

#[test]
fn drawings_hold_every_cell() {
    let order = run("f", Some("tiled"), &[("N", 3), ("M", 4)]).unwrap();
    let svg = order.pictures[0].to_svg(Numbering::Compute);
    assert_eq!((svg.matches("<rect").count(), svg.matches("<text").count()), (12, 12));
    // The line goes from the first cell right to the second, not along the row to the end.
    assert!(svg.contains("points=\"11,11 31,11 51,11 11,31 "), "{svg}");
    assert_eq!(
        order.pictures[0].to_text(Numbering::Storage),
        "   0  1  2  3\n   4  5  6  7\n   8  9 10 11\n"
    );
}

#[test]
fn large_drawings_join_cells_in_a_row() {
    let order = run("f", Some("columns"), &[("N", 50), ("M", 40)]).unwrap();
    let [picture] = order.pictures.as_slice() else { panic!("one buffer is stored to") };
    let (compute, storage) = (picture.to_svg(Numbering::Compute), picture.to_svg(Numbering::Storage));
    assert_eq!((compute.matches("<rect").count(), storage.matches("<rect").count()), (2000, 50));
    assert_eq!(storage.matches("<text").count(), 0);
    assert!(storage.contains("points=\"11,11 791,11 11,31 791,31 "), "{storage}");
    assert!(order.to_text().contains("  …\n"));
}

#[test]
fn more_dimensions_are_slices() {
    let picture = Picture {
        name: "t".into(),
        extents: vec![2, 1, 2],
        ranks: (0..4).map(Some).collect(),
        stores: 4,
        lifetimes: 1,
    };
    assert_eq!(picture.to_text(Numbering::Storage), "  at [0, _, _]\n  0 1\n  at [1, _, _]\n  2 3\n");
}
