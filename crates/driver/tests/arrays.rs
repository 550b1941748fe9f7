//! What a kernel requires of the contents of arrays is checked whenever it is called.

use atl_driver::{BufferView, Compiled, Failure, Program, backends};
use atl_loops::parse_kernel;
use ndarray::arr1;

/// `y[i] = x[crd[i]]`, by the back end of this name.
fn taken(backend: &str) -> Compiled {
    let source = "fn take(x: f32[M], crd: i32[N]) -> f32[N] where 0 < M { gen i < N { 0 } }";
    let program = Program::parse("take.atl", source).unwrap();
    let mut lowered = program.scheduled("take", None).and_then(|scheduled| scheduled.lower()).unwrap();
    let text = lowered.kernel.to_string();
    let output = lowered.kernel.params[2].name.clone();
    let (head, _) = text.split_once("\n{").unwrap();
    lowered.kernel = parse_kernel(&format!(
        "{head} requires all i in 0..N {{ 0 <= crd[i] && crd[i] < M }} \
         {{ for i in 0..N {{ {output}[i] = x[crd[i]] }} }}"
    ))
    .unwrap();
    let backend = backends::TABLE.iter().find(|known| known.name == backend).unwrap();
    lowered.compile(backend, Default::default()).unwrap()
}

fn call(kernel: &Compiled, crd: &[i32]) -> Result<Vec<f32>, Failure> {
    let (x, crd) = (arr1(&[1.0f32, 2.0, 4.0]), arr1(crd));
    let arrays = [
        ("x", BufferView::from_array("x", x.view()).unwrap()),
        ("crd", BufferView::from_array("crd", crd.view()).unwrap()),
    ];
    kernel.call(&arrays, &[]).dense().map(|result| result.as_slice::<f32>().unwrap().to_vec())
}

#[test]
fn indices_out_of_range_are_refused_with_their_place() {
    for backend in ["c", "cranelift", "loops"] {
        if backend == "c" && (backends::c::BACKEND.unavailable)().is_some() {
            continue;
        }
        let kernel = taken(backend);
        assert_eq!(call(&kernel, &[2, 0, 2, 1]).unwrap(), [4.0, 1.0, 4.0, 2.0]);
        assert_eq!(call(&kernel, &[]).unwrap(), [0.0f32; 0]);
        for (crd, place, found) in [([0, 3], 1, "crd[1] = 3, M = 3"), ([-1, 3], 0, "crd[0] = -1")] {
            let refusal = call(&kernel, &crd).unwrap_err();
            assert_eq!(refusal.codes(), ["E0506"]);
            let text = refusal.to_string();
            let what = format!("`0 <= crd[i] && crd[i] < M` does not hold for i = {place}");
            assert!(text.contains(found) && text.contains(&what), "{text}");
        }
    }
}

/// Machine code looks for itself, so that this promise can be broken here.
#[test]
fn callers_may_promise_what_they_know() {
    let kernel = taken("cranelift").trusting_arrays();
    assert_eq!(call(&kernel, &[2, 0]).unwrap(), [4.0, 1.0]);
    assert_eq!(call(&kernel, &[0, 3]).unwrap_err().codes(), ["E0607"]);
}
