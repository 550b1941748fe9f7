//! What a kernel requires of the contents of arrays is checked whenever it is called.

use atl_driver::{Buffer, BufferView, Compile, Compiled, DType, Failure, Memory, Output, Program, backends};
use atl_loops::parse_kernel;
use ndarray::arr1;

/// `y[i] = x[crd[i]]`, by the back end of this name.
fn taken(backend: &str) -> Compiled {
    taken_where(backend, "0 <= crd[i] && crd[i] < M")
}

/// The same, where this is required of each index.
fn taken_where(backend: &str, required: &str) -> Compiled {
    let source = "fn take(x: f32[M], crd: i32[N]) -> f32[N] where 0 < M { gen i < N { 0 } }";
    let program = Program::parse("take.atl", source).unwrap();
    let mut lowered = program.scheduled("take", None).and_then(|scheduled| scheduled.lower()).unwrap();
    let text = lowered.kernel.to_string();
    let output = lowered.kernel.params[2].name.clone();
    let (head, _) = text.split_once("\n{").unwrap();
    lowered.ready.kernel = parse_kernel(&format!(
        "{head} requires all i in 0..N {{ {required} }} \
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

#[test]
fn arrays_by_position_are_arrays_by_name() {
    let kernel = taken("loops");
    let (x, crd) = (arr1(&[1.0f32, 2.0, 4.0]), arr1(&[2, 0]));
    let view = || BufferView::from_array("x", x.view()).unwrap();
    let places = || BufferView::from_array("crd", crd.view()).unwrap();
    let found = kernel.call_by_position([view(), places()], &[]).dense().unwrap();
    assert_eq!(found.as_slice::<f32>().unwrap(), [4.0, 1.0]);
    let refused =
        |arrays: Vec<BufferView<'_>>| kernel.call_by_position(arrays, &[]).dense().unwrap_err().codes();
    assert_eq!(refused(vec![view()]), ["E0501"]);
    assert_eq!(refused(vec![view(), view()]), ["E0505"]);
    assert_eq!(refused(vec![view(), places(), view()]), ["E0502"]);
    assert_eq!(
        kernel.call_by_position([view(), places()], &[(7, 3)]).dense().unwrap_err().codes(),
        ["E0509"]
    );
}

#[test]
fn outputs_that_do_not_fit_are_refused() {
    let kernel = taken("cranelift");
    let (x, crd) = (arr1(&[1.0f32, 2.0, 4.0]), arr1(&[2, 0]));
    let arrays = [x.view()].map(|x| BufferView::from_array("x", x).unwrap());
    let crd = BufferView::from_array("crd", crd.view()).unwrap();
    let bound = kernel.call_by_position(arrays.into_iter().chain([crd]), &[]).bind().unwrap();
    let mut memory = bound.memory().unwrap();
    bound.run(Output::Stored(&mut memory)).unwrap();
    assert_eq!(memory.arrays().unwrap()[0].as_slice::<f32>().unwrap(), [4.0, 1.0]);
    let (mut short, mut other) =
        (Buffer::zeros(DType::F32, &[1]).unwrap(), Buffer::zeros(DType::F64, &[2]).unwrap());
    for output in [Output::Dense(short.view_mut()), Output::Dense(other.view_mut())] {
        assert_eq!(bound.run(output).unwrap_err().codes(), ["E0504"]);
    }
    for mut memory in [Memory::Dense(short), Memory::Arrays(Vec::new())] {
        assert_eq!(bound.run(Output::Stored(&mut memory)).unwrap_err().codes(), ["E0504"]);
    }
    let mut whole = Buffer::zeros(DType::F32, &[2]).unwrap();
    assert_eq!(bound.run(Output::InPlace(whole.view_mut())).unwrap_err().codes(), ["E0414"]);
}

#[test]
fn a_call_like_another_one_is_looked_at_again() {
    let kernel = taken("cranelift");
    let x = arr1(&[1.0f32, 2.0, 4.0]);
    let shaped = {
        let (x, crd) = (BufferView::from_array("x", x.view()).unwrap(), arr1(&[2, 0]));
        let crd = BufferView::from_array("crd", crd.view()).unwrap();
        let bound = kernel.call_by_position([x, crd], &[]).bind().unwrap();
        bound.shaped(|_| false).expect("indices are bounded by what is required of them")
    };
    assert!(shaped.checks());
    let run = |crd: &[i32]| {
        let crd = Buffer::from_slice(crd, &[crd.len()]).unwrap();
        let x = BufferView::from_array("x", x.view()).unwrap();
        let mut output = Buffer::zeros(DType::F32, &[2]).unwrap();
        shaped.run(&[x, crd.view()], output.view_mut())?;
        Ok::<_, Failure>(output.as_slice::<f32>().unwrap().to_vec())
    };
    assert_eq!(run(&[1, 2]).unwrap(), [2.0, 4.0]);
    for wrong in [[3, 0], [0, -1], [i32::MIN, i32::MAX]] {
        assert_eq!(run(&wrong).unwrap_err().codes(), ["E0506"]);
    }
    assert_eq!(run(&[1, 2, 0]).unwrap_err().codes(), ["E0504"]);
}

#[test]
fn a_call_whose_indices_nothing_bounds_repeats_no_other() {
    let kernel = taken_where("cranelift", "crd[i] < M");
    let (x, crd) = (arr1(&[1.0f32, 2.0, 4.0]), arr1(&[2, 0]));
    let x = BufferView::from_array("x", x.view()).unwrap();
    let crd = BufferView::from_array("crd", crd.view()).unwrap();
    let bound = kernel.call_by_position([x, crd], &[]).bind().unwrap();
    assert!(bound.shaped(|_| false).is_none());
    assert!(bound.shaped(|k| k == 1).is_some_and(|shaped| !shaped.checks()));
}
