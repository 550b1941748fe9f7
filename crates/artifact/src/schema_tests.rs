//! What the JSON of a signature says is what a call computes: terms are evaluated here as a loader would.

use super::*;
use atl_call::backends;
use atl_session::Program;
use serde_json::Value;

/// The signature of a function, and its JSON.
fn described(text: &str, schedule: Option<&str>) -> (std::sync::Arc<Signature>, Value) {
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let name = &program.functions()[0].name;
    let lowered = program.scheduled(name, schedule).and_then(|s| s.lower()).unwrap_or_else(|e| panic!("{e}"));
    let options = backends::c::printer_options(lowered.rounding, false);
    let source = backends::c::source(&lowered, &options).expect("it is printed");
    (lowered.signature.clone(), schema(&lowered.signature, &source.declaration))
}

/// A term, where these are the sizes.
fn value(term: &Value, sizes: &[i64]) -> i64 {
    if let Some(n) = term.as_i64() {
        return n;
    }
    let (name, operands) = term.as_object().expect("an operation").iter().next().expect("one");
    if name == "size" {
        return sizes[operands.as_u64().expect("a position") as usize];
    }
    let (a, b) = (value(&operands[0], sizes), value(&operands[1], sizes));
    match name.as_str() {
        "add" => a + b,
        "sub" => a - b,
        "mul" => a * b,
        "div" => a.checked_div_euclid(b).unwrap_or(0),
        "mod" => a.checked_rem_euclid(b).unwrap_or(a),
        "min" => a.min(b),
        "max" => a.max(b),
        other => panic!("{other}"),
    }
}

fn holds(condition: &Value, sizes: &[i64]) -> bool {
    if let Some(known) = condition.as_bool() {
        return known;
    }
    let (name, of) = condition.as_object().expect("an operation").iter().next().expect("one");
    let both = || (value(&of[0], sizes), value(&of[1], sizes));
    match name.as_str() {
        "eq" => both().0 == both().1,
        "lt" => both().0 < both().1,
        "le" => both().0 <= both().1,
        "not" => !holds(of, sizes),
        "and" => holds(&of[0], sizes) && holds(&of[1], sizes),
        "or" => holds(&of[0], sizes) || holds(&of[1], sizes),
        other => panic!("{other}"),
    }
}

/// The size that extents of arrays determine.
fn size_from(from: &Value, shapes: &[Vec<usize>], sizes: &[i64]) -> Option<i64> {
    let extent = |of: &Value| {
        shapes[of["array"].as_u64().expect("a position") as usize]
            [of["axis"].as_u64().expect("an axis") as usize] as i64
    };
    let all = |name: &str| from[name].as_array().cloned().unwrap_or_default();
    let factor = |of: &Value| of["factor"].as_i64().expect("a number");
    match from["kind"].as_str().expect("a word") {
        "argument" => None,
        "extent" => Some(extent(from)),
        "solved" => {
            let extents: i64 = all("extents").iter().map(|of| factor(of) * extent(of)).sum();
            let others = all("sizes");
            let others =
                others.iter().map(|of| factor(of) * sizes[of["size"].as_u64().expect("a size") as usize]);
            let sum = extents + others.sum::<i64>() + from["constant"].as_i64().expect("a number");
            Some(sum / from["divisor"].as_i64().expect("a number"))
        }
        other => panic!("{other}"),
    }
}

/// At sizes up to 6: extents, strides and sizes are those of a call, and conditions hold where it says.
fn check(text: &str) {
    let (signature, json) = described(text, None);
    let arrays = json["arrays"].as_array().expect("a list");
    assert_eq!(arrays.len(), signature.arrays.len());
    let count = signature.sizes.len() as u32;
    for number in 0..7i64.pow(count) {
        let sizes: Vec<i64> = (0..count).map(|k| number / 7i64.pow(k) % 7).collect();
        let conditions = json["conditions"].as_array().expect("a list");
        let admitted = conditions.iter().all(|condition| holds(&condition["holds"], &sizes));
        let Ok(shapes) = signature.shapes(&sizes) else { continue };
        assert!(admitted, "{text} at {sizes:?}");
        let product = |shape: &[usize]| shape.iter().product::<usize>() as i64;
        for (array, shape) in arrays.iter().zip(&shapes) {
            for (axis, n) in shape.iter().enumerate() {
                assert_eq!(value(&array["extents"][axis]["value"], &sizes), *n as i64, "{text} {sizes:?}");
                let stride = product(&shape[axis + 1..]);
                assert_eq!(value(&array["strides"][axis], &sizes), stride, "{text} {sizes:?}");
            }
        }
        for (size, n) in json["sizes"].as_array().expect("a list").iter().zip(&sizes) {
            let found = size_from(&size["from"], &shapes, &sizes);
            assert!(found.is_none_or(|found| found == *n), "{text} at {sizes:?}: {found:?}");
        }
    }
}

#[test]
fn the_json_says_what_a_call_computes() {
    check(
        "fn f(a: f32[M, K], b: f32[K, N]) -> f32[M, N] { gen i < M, j < N { sum k < K { a[i, k] * b[k, j] } } }",
    );
    check("fn f(x: f64[2 * N + 1], y: i32[M + N, M]) -> f64[N] { gen i < N { x[i] + f64(M) } }");
    check("fn f(x: f64[N], K: size) -> f64[K] where K <= N, K % 2 == 0 || N == 3 { gen i < K { x[i] } }");
    check("fn f(A: f64[N, M] as csr, x: f64[M]) -> f64[N] { gen i < N { sum j < M { A[i, j] * x[j] } } }");
    check("fn f(s: f64, x: u8[3]) -> f64[3] { gen i < 3 { s + f64(x[i]) } }");
}

#[test]
fn conditions_hold_where_the_json_says() {
    let text = "fn f(x: f64[N], K: size) -> f64[K] where K <= N, K % 2 == 0 || N == 3 { gen i < K { x[i] } }";
    let (signature, json) = described(text, None);
    let conditions = json["conditions"].as_array().expect("a list");
    assert_eq!(conditions.len(), 2);
    for (n, k) in (0..7).flat_map(|n| (0..7).map(move |k| (n, k))) {
        let sizes = [n, k];
        for (condition, own) in conditions.iter().zip(&signature.conditions) {
            assert_eq!(holds(&condition["holds"], &sizes), signature.holds(&own.holds, &sizes), "{own:?}");
        }
    }
}

#[test]
fn the_parts_of_complex_numbers_are_named() {
    let text = "fn f(x: f64, z: c64[N]) -> (s: f32, w: c64[N]) { (sum i < N { abs(z[i]) }, conj(z)) }";
    let (_, json) = described(text, None);
    let expected = json!([
        { "name": "z", "type": "c64[N]", "dtype": "c64", "of": "arrays", "parts": [1, 2] },
        { "name": "w", "type": "c64[N]", "dtype": "c64", "of": "results", "parts": [1, 2] },
    ]);
    assert_eq!(json["complex"], expected);
}

#[test]
fn the_form_of_the_json_is_stable() {
    let text = "fn short(A: min_plus<f64>[N, M] as csr, x: min_plus<f64>[M]) -> min_plus<f64>[N] {
                    gen i < N { sum j < M { A[i, j] * x[j] } } }";
    let (_, json) = described(text, None);
    let keys = |of: &Value| of.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(json["version"], SIGNATURE_VERSION);
    let all = [
        "version",
        "function",
        "c",
        "sizes",
        "arrays",
        "operands",
        "complex",
        "conditions",
        "contents",
        "result",
        "results",
    ];
    assert_eq!(keys(&json), all);
    assert_eq!(json["c"]["function"], "short_");
    assert_eq!(json["c"]["call"], "short__call");
    let parameters = json["c"]["parameters"].as_array().expect("a list");
    let named: Vec<_> = parameters.iter().map(|p| [&p["name"], &p["type"]].map(|x| x.as_str())).collect();
    let double = Some("const double *restrict");
    assert_eq!(named.last(), Some(&[Some("out"), Some("double *restrict")]));
    assert_eq!(named[named.len() - 2], [Some("x"), double]);
    let array = keys(&json["arrays"][0]);
    let all = ["name", "type", "element", "dtype", "extents", "strides", "operand", "carrier", "inspected"];
    assert_eq!(array, all);
    assert_eq!(json["arrays"][3]["carrier"], serde_json::json!([f64::MIN, "Infinity"]));
    let operand = &json["operands"][0];
    assert_eq!(operand["format"], "[dense, compressed]");
    assert_eq!(operand["zero"], "Infinity");
    assert_eq!(operand["arrays"], serde_json::json!([0, 1, 2]));
    let level =
        |name: &str, axis: &str| serde_json::json!({ "level": name, "axes": [axis], "parameters": [] });
    assert_eq!(operand["levels"], serde_json::json!([level("dense", "i"), level("compressed", "j")]));
    assert_eq!(json["sizes"][0]["operands"], serde_json::json!([{ "operand": 0, "axis": 0 }]));
    assert_eq!(json["result"]["storage"], "row_major");
}

#[test]
fn results_say_how_they_are_stored() {
    let text =
        "fn f(A: f64[N, N] as csr, x: f64[N]) -> f64[N, N] as csr { gen i < N, j < N { A[i, j] * x[i] } }
                schedule s of f { rounding real; sparsify; pattern_of A; }";
    let (signature, json) = described(text, Some("s"));
    assert_eq!(json["result"]["storage"], "sparse");
    assert_eq!(json["result"]["pattern_of"], 0);
    let arrays: Vec<_> = json["result"]["arrays"].as_array().expect("a list").iter().collect();
    assert_eq!(
        arrays.iter().map(|a| a["dtype"].as_str().expect("a word")).collect::<Vec<_>>(),
        ["i64", "i32", "f64"]
    );
    assert_eq!(signature.declared(), ["A", "x"]);
    let text = "fn f(x: f32[M, N]) -> f32[M, N] in (M, N):(1, M) { x }";
    let (_, json) = described(text, None);
    assert_eq!(json["result"]["storage"], "layout");
    assert_eq!(json["result"]["memory_strides"][0], serde_json::json!({ "size": 0 }));
    let text = "fn f(x: f32[N]) -> f32[N] { gen i < N { x[i] + x[i] } } schedule s of f { reuse x; }";
    assert_eq!(described(text, Some("s")).1["result"]["over"], 0);
}
