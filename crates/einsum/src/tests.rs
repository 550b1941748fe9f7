//! Notations, the bodies of the programs they become, and what is refused at which place.

use crate::{Refused, Request, Translation};

#[test]
fn no_text_panics() {
    let words = "y A x s i j k ij , ( ) [ ] = + - * -> 2 0.5 sum . ; ( ( ) é //";
    let words: Vec<&str> = words.split(' ').collect();
    let formats = ["A:csr", "A:ds:1,0", "A:uq", "y:s", ":", "A:", "A:é", "A:d:", "x:[dense", "A:bcsr(4"];
    let mut state = 1u64;
    let mut next = |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    };
    let mut accepted = 0;
    for k in 0..15_000 {
        let text: Vec<&str> = (0..next(16)).map(|_| words[next(words.len())]).collect();
        let text = if k % 2 == 0 { format!("y(i) = {}", text.concat()) } else { text.concat() };
        match Request::new(&text).format(formats[next(formats.len())]).translate() {
            Ok(_) => accepted += 1,
            Err(refused) => assert!(!refused.to_string().is_empty()),
        }
        accepted += usize::from(Request::new(&text).translate().is_ok());
    }
    assert!(accepted > 100, "{accepted}");
}

fn translated(request: &Request) -> Translation {
    request.translate().unwrap_or_else(|refused| panic!("{refused}"))
}

/// The body of the program of a notation.
fn check(notation: &str, body: &str) {
    let text = translated(&Request::new(notation)).text;
    let words: Vec<&str> = text.split_whitespace().collect();
    let found = words.join(" ");
    assert!(found.ends_with(&format!("{{ {body} }}")), "{notation}\n{text}\nexpected {body}");
}

/// The code of a refusal, and the text that it underlines.
fn refused(request: &Request, code: &str, underlined: &str) {
    let Err(Refused { sources, diagnostic }) = request.translate() else { panic!("{request:?} is accepted") };
    let place = diagnostic.span().map(|span| sources.slice(span)).unwrap_or_default();
    let shown = diagnostic.render(&sources, atl_diag::Color::Never);
    assert_eq!((diagnostic.code.as_str(), place), (code, underlined), "{shown}");
    assert!(!diagnostic.help.is_empty() || code < "E0200", "{shown}");
}

fn refuse(notation: &str, code: &str, underlined: &str) {
    refused(&Request::new(notation), code, underlined);
}

#[test]
fn indices_are_named_where_sums_have_braces() {
    check(
        "y[a] = sum b, c { R[a,b] * S[b,c] * P[c] }",
        "gen a < A { sum b < B, c < C { R[a, b] * S[b, c] * P[c] } }",
    );
    check("y[a] = q[a] + sum b { R[a,b] * 2 }", "gen a < A { q[a] + sum b < B { R[a, b] * 2 } }");
    check("y = sum a { u[a] * sum b { R[a,b] } }", "sum a < A { u[a] * sum b < B { R[a, b] } }");
    refuse("y[a] = sum b, c { R[a,b] * S[b,d] * P[c] }", "E0254", "d");
    refuse("y[a] = R[a,b] * sum b { S[b] }", "E0254", "b");
    refuse("y[i] = sum b { R[a,b] * u[i] }", "E0254", "a");
    refuse("y[a] = sum b, c { R[a,b] }", "E0261", "c");
    refuse("y[a] = sum a { R[a] }", "E0264", "a");
    refuse("y[a] = sum b { R[a,b]", "E0260", "");
    refuse("y[a] = sum b R[a,b]", "E0260", "R");
    let suggests = |notation: &str, text: &str| {
        let Err(refused) = Request::new(notation).translate() else { panic!("{notation} is accepted") };
        let shown = refused.to_string();
        assert!(shown.contains(text), "{shown}");
    };
    suggests("y[a] = sum b { R[a,d] }", "did you mean `b`?");
    suggests("y[row] = sum col, k { R[row,k] * S[k,cool] * T[col] }", "did you mean `col`?");
    suggests("y[a] = sum b, c { R[a,b] * S[d] * P[c] }", "`S` lacks `a`, `b`, `c`");
}

#[test]
fn sums_stand_around_each_term() {
    check("y(i) = A(i,j) * x(j)", "gen i < I { sum j < J { A[i, j] * x[j] } }");
    check("y(i) = b(i) + A(i,j)*x(j)", "gen i < I { b[i] + sum j < J { A[i, j] * x[j] } }");
    check("y(i) = A(i,j) - B(i,j)", "gen i < I { sum j < J { A[i, j] } - sum j < J { B[i, j] } }");
    check("a = b(i) * c(i)", "sum i < I { b[i] * c[i] }");
    check("y(i) = -A(i,j) * -2 * -x(j)", "gen i < I { -sum j < J { A[i, j] * 2 * x[j] } }");
    check("y(i) = -A(i,j) + b(i)", "gen i < I { -sum j < J { A[i, j] } + b[i] }");
}

#[test]
fn the_ordinary_semiring_is_none() {
    let text = translated(&Request::new("y = -a").semiring("plus_times")).text;
    assert!(text.starts_with("fn y(a: f64) -> f64 {"), "{text}");
}

#[test]
fn sums_that_are_written_stay_where_they_are() {
    check("y(i) = sum(j, A(i,j)) * s", "gen i < I { sum j < J { A[i, j] } * s }");
    check("a = sum(i, j, A(i,j))", "sum i < I, j < J { A[i, j] }");
    check("y(i) = x(i) * sum(j, A(i,j) * x(j))", "gen i < I { x[i] * sum j < I { A[i, j] * x[j] } }");
    check(
        "y(i) = b(i) * sum(k, A(i,k) * B(k,j))",
        "gen i < I { sum j < J { b[i] * sum k < K { A[i, k] * B[k, j] } } }",
    );
}

#[test]
fn products_of_sums_are_read_in_one_way_or_refused() {
    check("y(i) = A(i,j) * (b(j) + c)", "gen i < I { sum j < J { A[i, j] * (b[j] + c) } }");
    check("y(i) = -(A(i,j) + b(i))", "gen i < I { -(sum j < J { A[i, j] } + b[i]) }");
    refuse("y(i) = a(i) * (b(j) + c)", "E0263", "a(i) * (b(j) + c)");
    refuse("y = (a(j) + b) * (c(j) + d)", "E0263", "(a(j) + b) * (c(j) + d)");
    refuse("y = sum(k, A(j,k) + b(k))", "E0263", "sum(k, A(j,k) + b(k))");
}

#[test]
fn extents_are_unified() {
    check("C(i,k) = A(i,j) * A(j,k)", "gen i < I, k < I { sum j < I { A[i, j] * A[j, k] } }");
    check("d(i) = A(i,i)", "gen i < I { A[i, i] }");
    let text = translated(&Request::new("y(i) = I(i,a) * A(a)")).text;
    assert!(text.starts_with("fn y(I: f64[N_i, N_a], A: f64[N_a]) -> f64[N_i]"), "{text}");
}

#[test]
fn einsum_strings_are_products() {
    check("ij,j->i", "gen i < I { sum j < J { A[i, j] * B[j] } }");
    check("ij,jk", "gen i < I, k < K { sum j < J { A[i, j] * B[j, k] } }");
    check("ba", "gen a < N_a, b < N_b { A[b, a] }");
    check("ii", "sum i < I { A[i, i] }");
    check("ii->i", "gen i < I { A[i, i] }");
    check(",ij -> ji", "gen j < J, i < I { A * B[i, j] }");
    let request = Request::new("ij,j->i").operand("M").operand("v");
    assert!(translated(&request).text.starts_with("fn out(M: f64[I, J], v: f64[J]) -> f64[I]"));
    refuse("...ij->ij", "E0270", "...");
    refuse("..ij->ij", "E0270", ".");
    refuse("ij->-i", "E0270", "-");
    refuse("ij,j->ik", "E0261", "k");
    refuse("ij->ii", "E0264", "i");
    refused(&Request::new("ij,j->i").operand("A"), "E0270", "ij,j");
    refused(&Request::new("ij").operand("2A"), "E0270", "2A");
    refused(&Request::new("ij").operand("sum"), "E0270", "sum");
}

/// The body of an einsum string whose operands `A`, `B`, … have these shapes.
fn check_shaped(string: &str, shapes: &[&[usize]], body: &str) {
    let names = ["A", "B", "C", "D"];
    let shaped = |request: Request, (name, shape): (&&str, &&[usize])| request.shape(name, shape);
    let request = names.iter().zip(shapes).fold(Request::new(string), shaped);
    let text = translated(&request).text;
    let found = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(found.ends_with(&format!("{{ {body} }}")), "{string}\n{text}\nexpected {body}");
}

#[test]
fn an_ellipsis_stands_for_the_dimensions_without_letters() {
    let swapped = "gen d1 < D1, j < J, i < I { A[d1, i, j] }";
    check_shaped("...ij->...ji", &[&[2, 3, 4]], swapped);
    check_shaped("...ij->...ji", &[&[3, 4]], "gen j < J, i < I { A[i, j] }");
    // Without a result they are its first indices; they are aligned on the right.
    check_shaped("i...", &[&[2, 3]], "gen d1 < D1, i < I { A[i, d1] }");
    let aligned = "gen d1 < D1, d2 < D2 { sum i < I { A[d1, d2, i] * B[i, d2] } }";
    check_shaped("...i,i...->...", &[&[2, 3, 4], &[4, 3]], aligned);
    let shaped = |string| Request::new(string).shape("A", &[2, 3]);
    refused(&shaped("i...->i"), "E0270", "i");
    refused(&shaped("ijk...->ijk..."), "E0270", "ijk...");
    refused(&shaped("...i...->..."), "E0270", "...");
    refuse("i...->i...", "E0270", "...");
}

#[test]
fn operands_are_multiplied_in_the_order_that_is_best() {
    // A chain of matrices from the thin end; what one operand alone reads is summed over first.
    let chain: [&[usize]; 3] = [&[100, 100], &[100, 100], &[100, 1]];
    let from_the_right = "let t0 = gen j < J, l < L { sum k < K { B[j, k] * C[k, l] } }; \
         gen i < I, l < L { sum j < J { A[i, j] * t0[j, l] } }";
    check_shaped("ij,jk,kl->il", &chain, from_the_right);
    let chain: [&[usize]; 3] = [&[1, 100], &[100, 100], &[100, 100]];
    let from_the_left = "let t0 = gen i < I, k < K { sum j < J { A[i, j] * B[j, k] } }; \
         gen i < I, l < L { sum k < K { t0[i, k] * C[k, l] } }";
    check_shaped("ij,jk,kl->il", &chain, from_the_left);
    // One nest where that is about as good, with formats, and where `+` and `*` are not the ordinary ones.
    let small: [&[usize]; 3] = [&[2, 2], &[2, 2], &[2, 2]];
    check_shaped(
        "ij,jk,kl->il",
        &small,
        "gen i < I, l < L { sum j < J, k < K { A[i, j] * B[j, k] * C[k, l] } }",
    );
    let one_nest = |request: Request| !translated(&request).text.contains("let");
    assert!(!one_nest(Request::new("ij,jk,kl->il")));
    assert!(one_nest(Request::new("ij,jk,kl->il").format("A:csr")));
    assert!(one_nest(Request::new("ij,jk,kl->il").semiring("min_plus")));
    assert!(one_nest(Request::new("ij,jk,kl->il").steps("parallel i;")));
    assert!(one_nest(Request::new("y(i,l) = A(i,j) * B(j,k) * C(k,l)")));
}

#[test]
fn many_operands_are_ordered_soon_enough() {
    // Beyond what all subsets are looked at for, and beyond the indices that there are letters for.
    for (count, rank) in [(10, 3), (12, 2), (25, 2)] {
        let letter = |k: usize| char::from(b'a' + (k % 26) as u8);
        let group = |k: usize| (0..rank).map(|d| letter(k + d)).collect::<String>();
        let string = format!("{}->", (0..count).map(group).collect::<Vec<_>>().join(","));
        let text = translated(&Request::new(&string)).text;
        assert!(text.matches("let ").count() >= count - 2, "{text}");
    }
}

#[test]
fn notations_that_say_nothing_are_refused_at_their_place() {
    refuse("y(i) = A(i,j) / s", "E0260", "/");
    refuse("y(i) A(i)", "E0260", "A");
    refuse("y(i) = ", "E0260", "");
    refuse("y(i) = A(i,)", "E0260", ")");
    refuse("y(i) = A(1)", "E0260", "1");
    refuse("y(i) = A(i] + 1", "E0260", "]");
    refuse("y(i) = A(i) // B(i)", "E0260", "// B(i)");
    refuse("all(i) = A(i)", "E0260", "all");
    refuse("y(i) = a.b(i)", "E0260", "a.b");
    refuse("y(i) = x(i) = z(i)", "E0260", "=");
    refuse("y(i) += A(i,j)", "E0266", "+=");
    refuse("A(i,j) = b(i)", "E0261", "j");
    refuse("y = s * sum(k, s)", "E0261", "k");
    refuse("y(i) = A(i,j) * A(j)", "E0262", "A(j)");
    refuse("D(i,i) = a(i)", "E0264", "i");
    refuse("y(i) = sum(i, A(i))", "E0264", "i");
    refuse("y = A(i) * sum(i, B(i))", "E0264", "i");
    refuse("y(i) = i(i)", "E0264", "i");
    refuse("y(i) = y(i) + b(i)", "E0265", "y(i)");
    refuse("y = 1.", "E0107", "1.");
    refuse("y = a $ b", "E0101", "$");
    refuse(&format!("y = {}a", "-".repeat(100)), "E0109", "-");
    refuse(&format!("y = {}a", "a + ".repeat(300)), "E0109", &format!("{}a", "a + ".repeat(300)));
    refuse(&format!("y = {}", "a".repeat(70_000)), "E0110", "");
    refused(&Request::new("y = a").operand("b"), "E0260", "b");
    refused(&Request::new("y = a").element("f8"), "E0203", "f8");
    refused(&Request::new("y = a").semiring("tropical"), "E0204", "tropical");
    refused(&Request::new("y = a").semiring("or_and"), "E0205", "or_and");
    refused(&Request::new("y = a - b").semiring("min_plus"), "E0225", "-");
    refused(&Request::new("y = sum(i, a * -b(i))").semiring("max_plus"), "E0225", "a * -b(i)");
    refuse(" ", "E0270", "");
}

/// The type of the operand `A` in the program of this notation.
fn format(notation: &str, format: &str, ty: &str) {
    let text = translated(&Request::new(notation).format(format)).text;
    assert!(text.contains(&format!("(A: {ty}")), "{format}\n{text}");
}

#[test]
fn formats_are_names_levels_or_letters() {
    for (written, name) in
        [("csr", " as csr"), ("ds", " as csr"), ("ds:0,1", " as csr"), ("ds:1,0", " as csc")]
    {
        format("y(i) = A(i,j)", &format!("A:{written}"), &format!("f64[I, J]{name}"));
    }
    format("y(i) = A(i,j)", "A:ss:1,0", "f64[I, J] as dcsc");
    format("y(i) = A(i,j)", "A:uq", "f64[I, J] as coo");
    format("y(i) = A(i,j,k)", "A:ucq", "f64[I, J, K] as coo");
    format("y(i) = A(i,j,k)", "A:sss", "f64[I, J, K] as csf");
    format("y(i) = A(i,j,k)", "A:dss", "f64[I, J, K] as [dense, compressed, compressed]");
    format("y(i) = A(i,j)", "A:bcsr(4, 2)", "f64[I, J] as bcsr(4, 2)");
    format("y(i) = A(i,j)", "A:[dense, hash(64)]", "f64[I, J] as [dense, hash(64)]");
    format("y(i) = A(i,j)", "A:dd", "f64[I, J])");
    format("y(i) = A(i)", "A:s", "f64[I] as coo");
}

#[test]
fn schedules_cut_loops_as_blocks_are_cut() {
    let schedule =
        |request: Request| translated(&request).text.split_once("schedule").map(|(_, s)| s.to_owned());
    let blocks = schedule(Request::new("y(i) = A(i,j) * x(j)").format("A:bcsr(4, 2)"));
    assert!(
        blocks.as_deref().is_some_and(|s| s.contains("    split j by 2;\n    sparsify;\n")),
        "{blocks:?}"
    );
    let product = Request::new("R(i,k) = A(i,j) * B(j,k)").format("A:bcsr(2, 2)").format("B:bcsr(2, 2)");
    // The loops of a result in blocks iterate over whole blocks.
    let in_blocks = schedule(product.format("R:bcsr(2, 2)"));
    assert_eq!(
        in_blocks.as_deref().and_then(|text| text.split_once("rounding real;")).map(|(_, steps)| steps),
        Some("\n    split j by 2;\n    sparsify;\n}\n")
    );
    let swapped = schedule(Request::new("y(i) = A(j,i) * x(j)").format("A:bcsr(4, 2)").element("i64"));
    assert_eq!(swapped.as_deref(), Some(" sparse of y {\n    split i by 2;\n    sparsify;\n}\n"));
    let lists = |text: &str| schedule(Request::new(text).format("A:csb(4, 2)").element("i64"));
    let (summed, both) = (lists("y(i) = A(i,j) * x(j)"), lists("y(i,j) = A(i,j) * x(j)"));
    assert_eq!(
        summed.as_deref(),
        Some(" sparse of y {\n    split i by 4;\n    split j by 2;\n    sparsify;\n}\n")
    );
    assert_eq!(both.as_deref(), Some(" sparse of y {\n    sparsify;\n}\n"));
    assert_eq!(schedule(Request::new("y(i) = A(i)")), None);
    assert_eq!(
        schedule(Request::new("y(i) = A(i)").steps("parallel i;")).as_deref(),
        Some(" sparse of y {\n    parallel i;\n}\n")
    );
    let whole = translated(&Request::new("y(i) = A(i)").format("A:s"));
    let written = whole.clone().unscheduled();
    assert!(
        written.schedule.is_none()
            && whole.text.starts_with(&written.text)
            && written.text.len() < whole.text.len()
    );
}

#[test]
fn formats_that_cannot_be_had_are_refused() {
    let with = |format: &str| Request::new("y(i) = A(i,j)").format(format);
    refused(&with("A:dz"), "E0267", "z");
    refused(&with("A:dss"), "E0267", "dss");
    refused(&with("A:ds:1"), "E0267", "1");
    refused(&with("A:ds:1,1"), "E0267", "1,1");
    refused(&with("A:ds:1,x"), "E0267", "1,x");
    refused(&with("A:dq"), "E0267", "dq");
    refused(&with("A:du"), "E0267", "du");
    refused(&with("A:sd:1,0"), "E0267", "sd:1,0");
    refused(&with("A:csr:1,0"), "E0267", "csr:1,0");
    refused(&with("A:[dense]"), "E0267", "[dense]");
    refused(&with("A:bcsr"), "E0267", "bcsr");
    refused(&with("A"), "E0267", "A");
    refused(&with("B:csr"), "E0268", "B");
    refused(&with("A:csr").format("A:csc"), "E0268", "A");
}

#[test]
fn shapes_in_which_an_index_has_two_extents_are_refused() {
    let translation = translated(&Request::new("C(i,k) = A(i,j) * A(j,k)"));
    assert!(translation.check_shapes(&[("A", &[3, 3])]).is_ok());
    assert!(translation.check_shapes(&[]).is_ok());
    let refused = translation.check_shapes(&[("A", &[3, 4])]).expect_err("`i` has two extents");
    assert_eq!(refused.diagnostic.code.as_str(), "E0269");
    assert_eq!(refused.diagnostic.span().map(|span| span.start), Some(13), "{refused}");
}

#[test]
fn operands_have_a_value_each() {
    let translation = translated(&Request::new("y(i) = s * x(i)"));
    let code = |names: &[&str]| translation.check_names(names).err().map(|refused| refused.to_string());
    assert_eq!(code(&["x", "s"]), None);
    assert!(code(&["x"]).is_some_and(|e| e.contains("E0501") && e.contains("--set s=")));
    assert!(code(&["s"]).is_some_and(|e| e.contains("E0501") && e.contains("-i x=")));
    assert!(code(&["x", "s", "y"]).is_some_and(|e| e.contains("E0502")));
}
