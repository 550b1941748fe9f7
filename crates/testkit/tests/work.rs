//! How much a sparse program does, counted by the loops' interpreter: complexity is a test.

use atl_driver::Program;
use atl_loops::interp::{Cells, Event, Options, observe};

const TRIANGLES: &str = "fn triangles(A: f64[N, N] as csr) -> f64 {
    sum a < N, b < N, c < N { A[a, b] * A[b, c] * A[a, c] }
}
schedule first of triangles { rounding real; sparsify; }
schedule shorter of triangles { rounding real; sparsify; shorter pA2_2, pA2_3; }";

/// The result for the star of so many nodes, the first of which is joined to all and itself, and how many iterations are
/// run and keys looked at.
fn on_star(schedule: &str, nodes: i64) -> (Cells, u64) {
    let program = Program::parse("t.atl", TRIANGLES).expect("it is a program");
    let scheduled = program.scheduled("triangles", Some(schedule)).expect("it has a schedule");
    let kernel = scheduled.lower().expect("it is lowered").kernel;
    let pos = std::iter::once(0).chain((0..nodes).map(|k| nodes + k)).collect();
    let crd: Vec<i32> =
        (0..nodes).map(|k| k as i32).chain(std::iter::repeat_n(0, nodes as usize - 1)).collect();
    let entries = crd.len();
    let inputs = [Cells::I64(pos), Cells::I32(crd), Cells::F64(vec![1.0; entries])];
    let (mut searched, mut work) = (false, 0);
    let outputs =
        observe(&kernel, &[nodes, entries as i64], &inputs, Options::default(), &mut |event| match event {
            Event::Searched { looks, .. } => (searched, work) = (true, work + looks),
            // The interpreter runs every iteration of a search.
            Event::Entered { .. } if searched => searched = false,
            Event::Entered { turns, .. } => work += turns,
            _ => {}
        });
    (outputs.expect("nothing traps").remove(0), work)
}

#[test]
fn triangles_of_a_star_are_found_in_linear_time() {
    for nodes in [2, 50, 200] {
        let closed = 1 + 3 * (nodes - 1);
        let (found, work) = on_star("shorter", nodes);
        assert_eq!(found, Cells::F64(vec![closed as f64]));
        assert!(work <= 30 * nodes as u64, "{work} for {nodes}");
        assert_eq!(on_star("first", nodes).0, found);
    }
    // Where one operand drives always, each of the other nodes goes over the whole first row.
    assert!(on_star("first", 200).1 >= 200 * 200);
}
