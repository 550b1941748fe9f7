//! Operators of fluid dynamics, lifted, take as many operations as their factored formulas, for 2 to 20 nodes; batched, hardly more.

use atl_driver::{Buffer, Program, backends};

/// The operations of a lifted example of this many nodes and two elements: products and additions.
fn operations(name: &str, function: &str, inputs: &[(&str, &[usize])]) -> f64 {
    let path = format!("{}/../../examples/{name}.cfd", env!("CARGO_MANIFEST_DIR"));
    let program = Program::load(path).unwrap_or_else(|why| panic!("{why}"));
    let lowered = program.scheduled(function, Some("lifted")).and_then(|s| s.lower());
    let lowered = lowered.unwrap_or_else(|why| panic!("{why}"));
    let kernel = lowered.compile(&backends::loops::BACKEND, Default::default()).expect("it is compiled");
    let arrays: Vec<(&str, Buffer)> = inputs
        .iter()
        .map(|(name, shape)| {
            let zeros = vec![0.0f64; shape.iter().product()];
            (*name, Buffer::from_slice(&zeros, shape).expect("it is small"))
        })
        .collect();
    let named: Vec<_> = arrays.iter().map(|(name, buffer)| (*name, buffer.view())).collect();
    kernel.flops(&kernel.bind(&named, &[]).expect("the arguments fit"))
}

/// Nodes that fill vectors, that leave one over, and that leave half of one over.
#[test]
fn batched_operators_do_no_more_than_tiles_need() {
    for n in [4usize, 5, 6, 8, 12] {
        let text = format!(
            "var input P : [{n} {n}]\nvar input u : [{n} {n} {n}]\nvar output v : [{n} {n} {n}]\nelem [u v] E first
             v = P # P # P # u . [[1 6] [3 7] [5 8]]"
        );
        let program = Program::parse("f.cfd", &text).unwrap_or_else(|why| panic!("{why}"));
        let lowered = program.scheduled("v", Some("batched")).and_then(|s| s.lower());
        let lowered = lowered.unwrap_or_else(|why| panic!("{why}"));
        assert!(lowered.remarks().is_empty(), "{n}: {:?}", lowered.remarks());
        let kernel = lowered.compile(&backends::loops::BACKEND, Default::default()).expect("it is compiled");
        let zeros = |shape: &[usize]| Buffer::from_slice(&vec![0.0f64; shape.iter().product()], shape);
        let p = zeros(&[n, n]).expect("it is small");
        let u = zeros(&[2, n, n, n]).expect("it is small");
        let call = kernel.bind(&[("P", p.view()), ("u", u.view())], &[]).expect("the arguments fit");
        let factored = 2.0 * 6.0 * (n as f64).powi(4);
        // Rows are padded to whole vectors, in one of three products.
        assert!((factored..2.5 * factored).contains(&kernel.flops(&call)), "{n}: {}", kernel.flops(&call));
    }
}

#[test]
fn operations_are_those_of_the_factored_formula() {
    for n in 2..=20usize {
        let field: &[usize] = &[2, n, n, n];
        let fourth = (n as f64).powi(4);
        // Each matrix that is applied takes n^4 products and as many additions for each element.
        let interpolated = operations("interpolate", "v", &[("P", &[n, n]), ("u", field)]);
        assert!((interpolated - 2.0 * 6.0 * fourth).abs() < 0.5, "{n}: {interpolated}");
        let scaled = (n as f64).powi(3);
        let solved = operations("helmholtz", "sol", &[("Q", &[n, n]), ("lam", field), ("rhs", field)]);
        assert!((solved - 2.0 * (12.0 * fourth + scaled)).abs() < 0.5, "{n}: {solved}");
    }
}
