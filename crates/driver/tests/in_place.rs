//! Results stored over arguments: what a call in place gives is what a call gives.

use atl_driver::backends::Backend;
use atl_driver::{Buffer, Compile, Compiled, Failure, Output, Program, backends};

const SOURCE: &str = "
    fn add(a: f32[N], b: f32[N]) -> f32[N] { gen i < N { a[i] + b[i] } }
    schedule plain of add { reuse b; }
    schedule blocks of add { split i by 32; peel; parallel i.o; vectorize i.i by 16; reuse a; }
    schedule streamed of add { vectorize i by 8 with tail; stream; reuse a; }

    fn rows(a: i32[N], b: i32[N]) -> i32[N] { gen i < N { sum k < N { a[i] * b[k] } } }
    schedule each of rows { vectorize i by 8; reuse a; }

    fn turned(a: i32[N], b: i32[N]) -> i32[N] { gen i < N { a[N - 1 - i] - b[i] } }
    schedule copied of turned { stage a at root as copy; reuse a; }

    fn picked(a: i32[N], b: i32[N]) -> i32[N] where all i < N { 0 <= a[i] < N } { gen i < N { b[a[i]] } }
    schedule over_indices of picked { reuse a; }
";

fn compiled(schedule: &str, backend: &'static Backend) -> Result<Compiled, Failure> {
    let program = Program::parse("t.atl", SOURCE).unwrap();
    let of = |f: &str| SOURCE.contains(&format!("schedule {schedule} of {f} "));
    let function = ["add", "rows", "turned", "picked"].into_iter().find(|f| of(f)).unwrap();
    program.scheduled(function, Some(schedule))?.lower()?.compile(backend, Default::default())
}

/// The elements, as they are compared.
fn elements(buffer: &Buffer) -> Vec<u8> {
    buffer.as_bytes().to_vec()
}

fn check(schedule: &str, arrays: impl Fn(usize) -> [Buffer; 2]) {
    for backend in backends::TABLE.iter().copied().filter(|backend| (backend.unavailable)().is_none()) {
        let kernel = compiled(schedule, backend).unwrap();
        let reused = kernel.reused().unwrap();
        for n in (0..40).chain([64, 97]) {
            let [a, b] = arrays(n);
            let expected = kernel.call(&[("a", a.view()), ("b", b.view())], &[]).dense().unwrap();
            let (mut array, other) = if reused == "a" { (a, ("b", b.view())) } else { (b, ("a", a.view())) };
            kernel.call(&[other], &[]).run(Output::InPlace(array.view_mut())).unwrap();
            assert_eq!(elements(&array), elements(&expected), "{schedule} on {}, N = {n}", backend.name);
        }
    }
}

fn floats(n: usize) -> [Buffer; 2] {
    let numbers = |by: f32| (0..n).map(|i| i as f32 * by - 3.5).collect::<Vec<_>>();
    [1.25, -0.75].map(|by| Buffer::from_vec(numbers(by), &[n]).unwrap())
}

fn integers(n: usize) -> [Buffer; 2] {
    let numbers = |by: usize| (0..n).map(|i| i32::try_from(i * by % n).unwrap()).collect::<Vec<_>>();
    [7, 3].map(|by| Buffer::from_vec(numbers(by), &[n]).unwrap())
}

#[test]
fn calls_in_place_give_what_calls_give() {
    for schedule in ["plain", "blocks", "streamed"] {
        check(schedule, floats);
    }
    for schedule in ["each", "copied", "over_indices"] {
        check(schedule, integers);
    }
}

#[test]
fn arguments_in_place_are_checked_like_others() {
    let kernel = compiled("over_indices", &backends::cranelift::BACKEND).unwrap();
    let [mut a, b] = integers(5);
    let refused = |arguments: &[_], array: &mut Buffer| {
        kernel.call(arguments, &[]).run(Output::InPlace(array.view_mut())).unwrap_err().codes()
    };
    let [mut longer, _] = integers(6);
    assert_eq!(refused(&[("b", b.view())], &mut longer), ["E0504"]);
    assert_eq!(refused(&[], &mut a), ["E0501"]);
    assert_eq!(refused(&[("b", b.view()), ("a", b.view())], &mut a), ["E0527"]);
    let mut wrong = Buffer::from_vec(vec![0, 1, 5, 2, 3], &[5]).unwrap();
    assert_eq!(refused(&[("b", b.view())], &mut wrong), ["E0506"]);
    // So is the array of a run, whatever the argument was that the call was bound with.
    let bound = kernel.call(&[("a", a.view()), ("b", b.view())], &[]).bind().unwrap();
    assert_eq!(bound.run(Output::InPlace(wrong.view_mut())).unwrap_err().codes(), ["E0506"]);
    let mut right = a.clone();
    bound.run(Output::InPlace(right.view_mut())).unwrap();
    assert_eq!(elements(&right), elements(&bound.dense().unwrap()));
}

#[test]
fn only_what_is_reused_is_overwritten() {
    let program = Program::parse("t.atl", SOURCE).unwrap();
    let lowered = program.scheduled("add", None).and_then(|scheduled| scheduled.lower()).unwrap();
    let kernel = lowered.compile(&backends::loops::BACKEND, Default::default()).unwrap();
    let [mut a, b] = floats(3);
    assert_eq!(kernel.reused(), None);
    let refused = kernel.call(&[("b", b.view())], &[]).run(Output::InPlace(a.view_mut())).unwrap_err();
    assert_eq!(refused.codes(), ["E0414"]);
}
