//! Operators of fluid dynamics, lifted, take as many operations as their factored formulas, for 2 to 20 nodes; batched, hardly more.

use atl_driver::show::{Notation, Stage, show};
use atl_driver::{Buffer, Compile, backends};
use atl_teil::elaborate::elaborate;
use atl_teil::fluids::translate;
use atl_teil::typing::check;

/// The operations of a lifted example of this many nodes and two elements: products and additions.
fn operations(name: &str, function: &str, inputs: &[(&str, &[usize])]) -> f64 {
    let path = format!("{}/../../examples/{name}.cfd", env!("CARGO_MANIFEST_DIR"));
    let program = atl_driver::load(path).unwrap_or_else(|why| panic!("{why}"));
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
    kernel.call(&named, &[]).bind().expect("the arguments fit").flops()
}

/// An example with so many nodes along each axis, and points, too.
fn with_nodes(name: &str, n: usize) -> String {
    let path = format!("{}/../../examples/{name}.cfd", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("it is there");
    let lists = [" n n n]", " m m m]", "[n n n]", "[m m m]", "[n n]", "[m n]"];
    lists.iter().fold(text, |text, list| text.replace(list, &list.replace(['n', 'm'], &n.to_string())))
}

/// What an operator costs is what its function costs as a program, written by hand, under the same schedule: it has the same C.
#[test]
fn operators_have_the_code_of_the_programs_that_they_are() {
    for (name, function, by_hand) in [
        (
            "interpolate",
            "v",
            "fn v(P: f64[N, N], u: f64[E, N, N, N]) -> f64[E, N, N, N] where 1 <= E {
                gen i < E, j < N, k < N, l < N {
                    sum p < N, q < N, r < N { P[j, r] * (P[k, q] * (P[l, p] * u[i, r, q, p])) }
                }
            }",
        ),
        (
            "helmholtz",
            "sol",
            "fn sol(Q: f64[N, N], lam: f64[E, N, N, N], rhs: f64[E, N, N, N]) -> f64[E, N, N, N] where 1 <= E {
                let modal = gen i < E, j < N, k < N, l < N {
                    sum p < N, q < N, r < N { Q[r, j] * (Q[q, k] * (Q[p, l] * rhs[i, r, q, p])) }
                };
                let modal_2 = gen s < E, t < N, u < N, v < N { lam[s, t, u, v] * modal[s, t, u, v] };
                gen w < E, i1 < N, j1 < N, k1 < N {
                    sum l1 < N, p1 < N, q1 < N { Q[i1, q1] * (Q[j1, p1] * (Q[k1, l1] * modal_2[w, q1, p1, l1])) }
                }
            }",
        ),
        (
            "gradient",
            "g",
            "fn g(G: f64[N, N], u: f64[E, N, N, N]) -> f64[E, 3, N, N, N] where 1 <= E {
                gen i < E, j < 3, k < N, l < N, p < N {
                    select(
                        j == 0,
                        sum q < N { G[k, q] * u[i, q, l, p] },
                        select(j == 1, sum r < N { G[l, r] * u[i, k, r, p] }, sum s < N { G[p, s] * u[i, k, l, s] })
                    )
                }
            }",
        ),
    ] {
        for n in [2usize, 8, 9, 13] {
            let text = with_nodes(name, n);
            let (teil, _) = translate(Default::default(), &text).unwrap_or_else(|why| panic!("{}", why.message));
            let checked = check(&teil).unwrap_or_else(|why| panic!("{}", why.message));
            let elaborated = elaborate(&teil, &checked).expect("it is well typed").text;
            let schedules = &elaborated[elaborated.find("schedule ").expect("there are some")..];
            let by_hand = format!("{}\n\n{schedules}", by_hand.replace('N', &n.to_string()));
            let programs = [("f.cfd", &text), ("f.atl", &by_hand)]
                .map(|(name, text)| atl_driver::parse(name, text).unwrap_or_else(|why| panic!("{why}")));
            let lifted = (name != "gradient").then_some("lifted");
            for schedule in [None, lifted, Some("batched")] {
                let [of_operator, of_program] = programs.each_ref().map(|program| {
                    let shown = show(program, function, schedule, Stage::C, Notation::Ascii, &[]);
                    shown.unwrap_or_else(|why| panic!("{why}"))
                });
                assert_eq!(of_operator, of_program, "{name}, {n}, {schedule:?}");
            }
        }
    }
}

/// Nodes that fill vectors, that leave one over, and that leave half of one over.
#[test]
fn batched_operators_do_no_more_than_tiles_need() {
    for n in [4usize, 5, 6, 8, 12] {
        let text = format!(
            "var input P : [{n} {n}]\nvar input u : [{n} {n} {n}]\nvar output v : [{n} {n} {n}]\nelem [u v] E first
             v = P # P # P # u . [[1 6] [3 7] [5 8]]"
        );
        let program = atl_driver::parse("f.cfd", &text).unwrap_or_else(|why| panic!("{why}"));
        let lowered = program.scheduled("v", Some("batched")).and_then(|s| s.lower());
        let lowered = lowered.unwrap_or_else(|why| panic!("{why}"));
        assert!(
            atl_driver::performance_warnings(&lowered).is_empty(),
            "{n}: {:?}",
            atl_driver::performance_warnings(&lowered)
        );
        let kernel = lowered.compile(&backends::loops::BACKEND, Default::default()).expect("it is compiled");
        let zeros = |shape: &[usize]| Buffer::from_slice(&vec![0.0f64; shape.iter().product()], shape);
        let p = zeros(&[n, n]).expect("it is small");
        let u = zeros(&[2, n, n, n]).expect("it is small");
        let call = kernel.call(&[("P", p.view()), ("u", u.view())], &[]).bind().expect("the arguments fit");
        let factored = 2.0 * 6.0 * (n as f64).powi(4);
        // Rows are padded to whole vectors, in one of three products: of 9 cells, say, to 16.
        assert!((factored..2.5 * factored).contains(&call.flops()), "{n}: {}", call.flops());
    }
}

/// Results that stand beside one another are computed by loops over vectors, without tests of which it is.
#[test]
fn batched_derivatives_do_what_is_written() {
    for n in [2usize, 3, 8, 13, 19] {
        let program =
            atl_driver::parse("f.cfd", &with_nodes("gradient", n)).unwrap_or_else(|why| panic!("{why}"));
        let lowered = program.scheduled("g", Some("batched")).and_then(|s| s.lower());
        let lowered = lowered.unwrap_or_else(|why| panic!("{why}"));
        assert!(
            atl_driver::performance_warnings(&lowered).is_empty(),
            "{n}: {:?}",
            atl_driver::performance_warnings(&lowered)
        );
        let loops =
            show(&program, "g", Some("batched"), Stage::Loops, Notation::Ascii, &[]).expect("it lowers");
        assert!(loops.matches("f64x").count() >= 3 && !loops.contains("for j in"), "{n}: {loops}");
        // Rows that begin within vectors go out from the caches; where elements are not small, they are summed up in tiles.
        let tiles = ["alloc register f64 sums[", " f64 whole["].map(|said| loops.contains(said));
        assert_eq!(tiles, [n > 8, !matches!(n, 2 | 8)], "{n}: {loops}");
        let kernel = lowered.compile(&backends::loops::BACKEND, Default::default()).expect("it is compiled");
        let zeros = |shape: &[usize]| Buffer::from_slice(&vec![0.0f64; shape.iter().product()], shape);
        let (matrix, field) =
            (zeros(&[n, n]).expect("it is small"), zeros(&[16, n, n, n]).expect("it is small"));
        let call =
            kernel.call(&[("G", matrix.view()), ("u", field.view())], &[]).bind().expect("the arguments fit");
        let written = 16.0 * 6.0 * (n as f64).powi(4);
        // Rows are filled up to whole vectors: of 3 cells to 4, of 13 to 16, of 19 to 24.
        assert!((written..1.5 * written).contains(&call.flops()), "{n}: {}", call.flops());
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

/// How an operator is written does not matter: along three axes at once, one after the other, or one within the other.
#[test]
fn batched_operators_are_those_that_are_written_axis_by_axis() {
    for n in [2usize, 5, 8, 9] {
        let head = format!(
            "var input P : [{n} {n}]\nvar input u : [{n} {n} {n}]\nvar a : [{n} {n} {n}]\nvar b : [{n} {n} {n}]
             var output v : [{n} {n} {n}]\nelem [u a b v] E first\n"
        );
        let axes =
            ["P # u . [[1 2]]", "(P # u . [[1 3]]) ^ [[0 1]]", "((P # u . [[1 4]]) ^ [[0 1]]) ^ [[1 2]]"];
        let of = |axis: usize, operand: &str| axes[axis].replace('u', operand);
        let spellings = [
            "v = P # P # P # u . [[1 6] [3 7] [5 8]]".to_owned(),
            format!("a = {}\nb = {}\nv = {}", of(0, "u"), of(1, "a"), of(2, "b")),
            format!("a = {}\nb = {}\nv = {}", of(2, "u"), of(0, "a"), of(1, "b")),
            format!("a = P # P # u . [[1 4] [3 5]]\nv = {}", of(2, "a")),
            format!("v = {}", of(2, &format!("({})", of(1, &format!("({})", of(0, "u")))))),
        ];
        let numbers =
            |count: usize| (0..count).map(|k| ((k * 7 + 3) % 11) as f64 - 5.0).collect::<Vec<f64>>();
        let matrix = Buffer::from_slice(&numbers(n * n), &[n, n]).expect("it is small");
        let field = Buffer::from_slice(&numbers(8 * n * n * n), &[8, n, n, n]).expect("it is small");
        let mut values: Option<Vec<f64>> = None;
        for (k, spelling) in spellings.iter().enumerate() {
            let shown = format!("{n} nodes:\n{spelling}");
            let program = atl_driver::parse("f.cfd", &format!("{head}{spelling}"))
                .unwrap_or_else(|why| panic!("{shown}\n{why}"));
            let mut schedules = vec![Some("batched")];
            schedules.extend((k > 0).then_some(None));
            for schedule in schedules {
                let lowered = program.scheduled("v", schedule).and_then(|s| s.lower());
                let lowered = lowered.unwrap_or_else(|why| panic!("{shown}\n{why}"));
                let kernel =
                    lowered.compile(&backends::loops::BACKEND, Default::default()).expect("it is compiled");
                let call =
                    kernel.call(&[("P", matrix.view()), ("u", field.view())], &[]).bind().expect("they fit");
                let factored = 6.0 * 8.0 * (n as f64).powi(4);
                let most = if schedule.is_some() { 2.5 } else { n as f64 };
                assert!(call.flops() < most.max(2.5) * factored, "{shown}\n{}", call.flops());
                let arguments = [("P", matrix.view()), ("u", field.view())];
                let result =
                    kernel.call(&arguments, &[]).dense().unwrap_or_else(|why| panic!("{shown}\n{why}"));
                let result = result.as_slice::<f64>().expect("it is of floats").to_vec();
                assert_eq!(*values.get_or_insert(result.clone()), result, "{shown}");
            }
        }
    }
}

/// Small elements stand in lanes beside one another, or go out together, whatever their number: as many as fill vectors, or not.
#[test]
fn small_elements_are_computed_side_by_side() {
    let rectangular = "var input P : [3 2]\nvar input u : [2 2 2]\nvar output v : [3 3 3]\nelem [u v] E first
        v = P # P # P # u . [[1 6] [3 7] [5 8]]";
    let scaled = "var input P : [3 3]\nvar input c : [3 3 3]\nvar input u : [3 3 3]\nvar a : [3 3 3]\nvar output v : [3 3 3]
        elem [c u a v] E first\na = P # P # P # u . [[1 6] [3 7] [5 8]]\nv = c * a + u";
    let mut cases = vec![
        ("v", rectangular.to_owned(), vec![("P", vec![3, 2]), ("u", vec![0, 2, 2, 2])]),
        ("v", scaled.to_owned(), vec![("P", vec![3, 3]), ("c", vec![0, 3, 3, 3]), ("u", vec![0, 3, 3, 3])]),
    ];
    for n in 1..=3 {
        let field = vec![0, n, n, n];
        let of = |name| with_nodes(name, n);
        cases.push(("v", of("interpolate"), vec![("P", vec![n, n]), ("u", field.clone())]));
        cases.push(("g", of("gradient"), vec![("G", vec![n, n]), ("u", field.clone())]));
        cases.push((
            "sol",
            of("helmholtz"),
            vec![("Q", vec![n, n]), ("lam", field.clone()), ("rhs", field.clone())],
        ));
    }
    for (function, text, inputs) in cases {
        for elements in [0, 3, 16] {
            // A number of elements that is known is cut as one that is not.
            let text = match elements {
                0 => text.clone(),
                known => text.replace("] E first", &format!("] {known} first")),
            };
            let program = atl_driver::parse("f.cfd", &text).unwrap_or_else(|why| panic!("{text}\n{why}"));
            let kernels = [
                (None, &backends::loops::BACKEND),
                (Some("batched"), &backends::loops::BACKEND),
                (Some("batched"), &backends::cranelift::BACKEND),
            ];
            let kernels = kernels.map(|(schedule, backend)| {
                let lowered = program.scheduled(function, schedule).and_then(|s| s.lower());
                let lowered = lowered.unwrap_or_else(|why| panic!("{text}\n{why}"));
                assert!(
                    elements == 3 || atl_driver::performance_warnings(&lowered).is_empty(),
                    "{text}\n{:?}",
                    atl_driver::performance_warnings(&lowered)
                );
                let loops = show(&program, function, schedule, Stage::Loops, Notation::Ascii, &[]);
                let is_wide = loops.expect("it lowers").contains("x8 for");
                let expected = schedule.is_some() && elements != 3 && inputs[0].1[0] == 3;
                assert!(is_wide || !expected, "{text}");
                lowered.compile(backend, Default::default()).unwrap_or_else(|why| panic!("{text}\n{why}"))
            });
            let counts = if elements == 0 { vec![1, 7, 8, 9, 17] } else { vec![elements] };
            for count in counts {
                let arrays = inputs.iter().map(|(name, shape)| {
                    let shape: Vec<usize> = shape.iter().map(|n| if *n == 0 { count } else { *n }).collect();
                    let numbers = (0..shape.iter().product()).map(|k| ((k * 7 + 3) % 11) as f64 - 5.0);
                    let numbers: Vec<f64> = numbers.collect();
                    (*name, Buffer::from_slice(&numbers, &shape).expect("it is small"))
                });
                let arrays: Vec<(&str, Buffer)> = arrays.collect();
                let named: Vec<_> = arrays.iter().map(|(name, buffer)| (*name, buffer.view())).collect();
                let results = kernels.each_ref().map(|kernel| {
                    let result =
                        kernel.call(&named, &[]).dense().unwrap_or_else(|why| panic!("{text}\n{why}"));
                    result.as_slice::<f64>().expect("it is of floats").to_vec()
                });
                assert_eq!(results[0], results[1], "{count} elements\n{text}");
                assert_eq!(results[0], results[2], "{count} elements\n{text}");
            }
        }
    }
}

/// Why a function lacks a schedule that others have is said.
#[test]
fn schedules_that_do_not_apply_say_why() {
    let refused = |text: &str, schedule: &str, part: &str| {
        let program = atl_driver::parse("f.cfd", text).unwrap_or_else(|why| panic!("{text}\n{why}"));
        let why = program.scheduled("v", Some(schedule)).err().unwrap_or_else(|| panic!("{text} has one"));
        assert_eq!(why.codes(), ["E0511"], "{text}");
        assert!(why.to_string().contains(part), "{text}\n{why}");
    };
    let of = |matrix: &str, field: &str, value: &str| {
        format!(
            "var input P : [{matrix}]\nvar input u : [{field}]\nvar output v : [{field}]\nelem [u v] E first\n{value}"
        )
    };
    let all = "v = P # P # P # u . [[1 6] [3 7] [5 8]]";
    refused(&of("n n", "n n n", all), "batched", "the size `n` of an axis is no number");
    refused(&of("21 21", "21 21 21", all), "batched", "an axis has 21 nodes");
    refused(
        &of("8 8", "8 8", "v = P # P # u . [[1 4] [3 5]]"),
        "batched",
        "not a matrix along each of three axes",
    );
    refused(&of("8 8", "8 8 8", "v = P # u . [[1 2]]"), "lifted", "each sum is carried out as it is written");
    refused(&of("8 8", "8 8 8", "v = u + u"), "batched", "nothing in it is a matrix");
}
