//! The literature's kernels, and others of their kinds, with what must be said of them.

use super::Safe;
use atl_diag::{Color, SourceMap};

/// The report on a kernel, or why it is refused.
fn guard(name: &str, text: &str, declarations: &[String], conditions: &[String]) -> Result<Safe, String> {
    let mut sources = SourceMap::new();
    let found = super::check(&mut sources, name, text, declarations, conditions);
    found.map_err(|refusal| refusal.render(&sources, Color::Never))
}

fn declared(declarations: &str) -> Vec<String> {
    declarations.split_whitespace().map(str::to_owned).collect()
}

/// A safe kernel, and the last statement of its program, or what that has no word for.
fn safe(text: &str, declarations: &str, last: &str) {
    let found =
        guard("kernel", text, &declared(declarations), &[]).unwrap_or_else(|why| panic!("{text}\n{why}"));
    let program = match found.program {
        Ok(program) => program.to_string(),
        Err(why) => why,
    };
    assert_eq!(program.lines().last(), Some(last), "{text}\n{program}");
}

/// The report on a safe kernel under assumptions.
fn under(text: &str, declarations: &str, assumed: &str) -> String {
    let assumed: Vec<String> = [assumed].iter().filter(|a| !a.is_empty()).map(|a| (*a).to_owned()).collect();
    let found = guard("kernel", text, &declared(declarations), &assumed);
    found.unwrap_or_else(|why| panic!("{text}\n{why}")).to_text()
}

/// Why it is refused under assumptions.
fn refused_under(text: &str, declarations: &str, assumed: &str, parts: &[&str]) {
    let why = match guard("kernel", text, &declared(declarations), &[assumed.to_owned()]) {
        Ok(found) => panic!("{text}\n{}", found.to_text()),
        Err(why) => why,
    };
    for part in parts {
        assert!(why.contains(part), "{text}\n{part}\n{why}");
    }
}

/// A refused one, with its code and parts of its text.
fn refused(text: &str, declarations: &str, code: &str, parts: &[&str]) {
    let why = match guard("kernel", text, &declared(declarations), &[]) {
        Ok(found) => panic!("{text}\n{}", found.to_text()),
        Err(why) => why,
    };
    assert!(why.contains(code), "{text}\n{why}");
    for part in parts {
        assert!(why.contains(part), "{text}\n{part}\n{why}");
    }
}

/// A range that has values says that sizes are as large, also where nothing else is known of them.
#[test]
fn what_a_range_with_values_says_of_sizes() {
    let kernel = "C(k,2) = A(j,j); C(i,k) = A(j,k) + A(j,j) where j in 2:n";
    assert!(under(kernel, "A=n,n C=m,3", "").starts_with("safe for all sizes"));
    refused(
        "C(k,2) = A(j,j); C(i,k) = A(j,k) + A(j,j) where j in 1:n",
        "A=n,n C=m,3",
        "E0298",
        &["for n = 2"],
    );
}

#[test]
fn index_notation() {
    safe("A(i,j) = B(i,j,k) * C(k)", "A=m,n B=m,n,h C=h", "A = contr 3 4 (prod B C)");
    safe("A(i,j) = B(i,j,k) * C(i)", "A=m,n B=m,n,h C=m", "A = red+ 3 (diag 1 4 (prod B C))");
    safe("A(i,j) = B(k,j,i) * C(i)", "A=m,n B=h,n,m C=m", "A = transp 1 2 (red+ 1 (diag 3 4 (prod B C)))");
    safe("A(i) = B(i); A(j) += C(j)", "A=m B=m C=m", "A = add A C");
    safe("A(i) = B(i); A(i) += C(i)", "A=m B=m C=m", "A = add A C");
    safe("C(i,j) = A(i,j) + b(j)", "A=m,n b=n C=m,n", "C = add A (expa 1 m b)");
    safe("C(i,j) = A(i)", "A=m C=m,n", "C = expa 2 n A");
    safe("C(t,i,j) = A(t,i,p) * B(t,p,j)", "A=a,m,k B=a,k,n", "C = diag 1 3 (contr 3 5 (prod A B))");
    safe("D(p,i,j) = A(i,j) + B(p,i,j)", "A=m,n B=k,m,n D=k,m,n", "D = add (expa 1 k A) B");
    safe("s = A(i) * A(i) - 2 * B(i)", "A=n B=n", "s = sub (contr 1 2 (prod A A)) (red+ 1 (prod 2 B))");
}

#[test]
fn slices_need_as_many() {
    refused(
        "C(i,j) = A(i,j) + B(2,i,j)",
        "A=m,n B=k,m,n C=m,n",
        "E0298",
        &["for k = 1", "safe if 3 <= k", "C = add A (proj 1 3 B)"],
    );
    safe("C(i,j) = A(i,j) + B(2,i,j)", "A=m,n B=3,m,n C=m,n", "C = add A (proj 1 3 B)");
}

#[test]
fn sizes_that_should_be_one() {
    let exchanged = &["safe if m == n", "m = 2, n = 1"];
    refused("C(i,j) = A(i,j) + b(i)", "A=m,n b=n C=m,n", "E0298", exchanged);
    refused("C(j,i) = A(i,j)", "A=m,n C=m,n", "E0298", &["declare `A : [n, m]`", "safe if m == n"]);
    refused(
        "C(t,i,j) = A(t,i,p) * B(t,p,j)",
        "A=a,m,k B=b,k,n",
        "E0298",
        &["safe if a == b", "a = 2, b = 1"],
    );
}

#[test]
fn affine_indices() {
    refused(
        "y(i) = x(i+j) * w(j)",
        "x=n w=r y=p",
        "E0298",
        &["safe if p + r - 1 <= n", "--assume \"p + r - 1 <= n\""],
    );
    safe("y(i) = x(i+j) * w(j)", "x=6 w=2 y=5", "it reads at `i + j`");
    refused(
        "y(i) = x(i+1)",
        "x=n y=n",
        "E0298",
        &["n = 1", "i = 0: place 1 of dimension 1, which has 1 entry"],
    );
    refused("y(i) = x(2*i)", "x=n y=m", "E0298", &["safe if 2 * m - 1 <= n", "m = 2, n = 1"]);
    refused(
        "y(i) = x(i-1)",
        "x=n y=n",
        "E0298",
        &["i = 0: place -1", "for no sizes: `i - 1` begins before the first entry"],
    );
    refused("y(i) = x(3-i)", "x=4 y=n", "E0298", &["n = 5", "safe if n <= 4"]);
    refused("y(i) = x(i+1)", "x=n y=n", "E0298", &["for no sizes: `i + 1` ends beyond the last entry"]);
}

#[test]
fn einsum_strings() {
    safe("ij,jk->ik", "A=m,k B=k,n", "out = contr 2 3 (prod A B)");
    safe("ij,jk", "A=m,k B=k,n", "out = contr 2 3 (prod A B)");
    safe("ii->", "A=n,n", "out = contr 1 2 A");
    refused("ij,jk->ik", "A=m,k B=l,n", "E0298", &["k = 2, l = 1", "safe if k == l"]);
    refused("ii->", "A=m,n", "E0298", &["m = 2, n = 1", "place 1 of dimension 2"]);
    refused("ij,jk->ik", "A=m,1 B=3,n", "E0299", &["safe for no sizes: 1 is not 3"]);
    refused("ij,jk->ik", "A=m,3 B=1,n", "E0298", &["repeat a dimension of size 1"]);
    safe("y(i,i) = A(i)", "A=n y=n,n", "it assigns a diagonal: `i` stands twice on the left");
    refused("i->ii", "A=n", "E0297", &["`i` stands twice in the result"]);
    refused("ij,jk->ii", "A=a,b B=b,c", "E0297", &["`i` stands twice in the result"]);
    refused("ij,jk->ik", "A=m,k", "E0297", &["operand 2 has no sizes"]);
    refused("i...->i", "A=n", "E0297", &["`.` is no index"]);
}

fn compute(a: &str, b: &str, reduced: &str) -> String {
    format!(
        r#"{{"tensors": {{"A": [{a}], "B": [{b}]}},
            "compute_is": 0}}"#
    )
    .replace(
        r#""compute_is": 0"#,
        &format!(
            r#""name": "C", "shape": ["m", "n"], "axes": ["y", "x"], "reduce": {{"k": "{reduced}"}},
            "body": "A[k, y] * B[k, x]""#
        ),
    )
}

#[test]
fn computes() {
    safe(&compute(r#""h", "m""#, r#""h", "n""#, "h"), "", "C = contr 1 3 (prod A B)");
    let wrong = compute(r#""m", "h""#, r#""n", "h""#, "h");
    refused(&wrong, "", "E0298", &["declare `A : [h, m]` and `B : [h, n]`", "safe if h == m", "h == n"]);
    let past = r#"{"tensors": {"A": ["n"]}, "name": "s", "shape": ["n"], "axes": ["i"], "body": "A[n]"}"#;
    refused(past, "", "E0297", &["`n` is no index of this compute"]);
    let twice =
        r#"{"tensors": {"A": [8]}, "name": "s", "shape": [8], "shape": [9], "axes": ["i"], "body": "A[i]"}"#;
    refused(twice, "", "E0297", &["`shape` is stated twice"]);
    let both = r#"{"tensors": {"A": ["n"]}, "name": "s", "shape": ["n"], "axes": ["i"], "reduce": {"i": "n"}, "body": "A[i]"}"#;
    refused(both, "", "E0297", &["`i` is an index twice"]);
    let diagonal = r#"{"tensors": {"A": ["n", "n"]}, "name": "s", "shape": ["n", "n"], "axes": ["i", "i"], "body": "A[i, i]"}"#;
    refused(diagonal, "", "E0297", &["`i` is an index twice"]);
    let promised = "def f(float(N) A) -> (B, C) { B(i) = A(i) }";
    refused(promised, "", "E0297", &["nothing is assigned to `C`"]);
    refused(&promised.replace("C)", "B)"), "", "E0297", &["`B` is a result twice"]);
    refused_under(
        "y(i) = x(i)",
        "x=n y=m",
        "32*m <= n",
        &["dimension 1 of `x[i]` may be gone through in part"],
    );
    let repeated = r#"{"tensors": {"A": ["n"]}, "name": "s", "shape": ["n"], "axes": ["i"], "reduce": {"k": 5}, "body": "A[i]"}"#;
    safe(repeated, "", "s = red+ 2 (expa 2 5 A)");
    let named = r#"{"tensors": {"A": ["n", "k"]}, "name": "s", "shape": ["n"], "axes": ["i"], "reduce": {"k": "k"}, "body": "A[i, k]"}"#;
    safe(named, "", "s = red+ 2 A");
    let largest = r#"{"tensors": {"A": ["n", "m"]}, "name": "s", "shape": ["n"], "axes": ["i"], "reduce": {"k": "m"},
        "reducer": "max", "body": "A[i, k]"}"#;
    safe(largest, "", "s = redmax 2 A");
    let part = compute(r#"8, "m""#, r#"8, "n""#, "7");
    refused(&part, "", "E0299", &["dimension 1 of `A[k, y]` is gone through in part"]);
}

#[test]
fn tensor_comprehensions() {
    let product = |a: &str, b: &str| {
        format!("def mm(float({a}) A, float({b}) B) -> (C) {{ C(y, x) +=! A(k, y) * B(k, x) }}")
    };
    safe(&product("H, M", "H, N"), "", "C = contr 1 3 (prod A B)");
    refused(
        &product("M, H", "N, H"),
        "",
        "E0299",
        &["`k` runs below the smaller of M and N", "safe if M == N"],
    );
    let chained = "def f(float(N, M) A, float(M) x) -> (y, z) { y(i) +=! A(i, j) * x(j) z(k) = y(k) }";
    safe(chained, "", "z = y");
    refused("def f(float(N) x) -> (y) { y(i) +=! x(i + j) }", "", "E0297", &["how far `i` runs"]);
    refused("def f(float(N) x) -> (y) { y(i) = x(i) where i in 0:M }", "", "E0298", &["safe if M == N"]);
}

#[test]
fn functions_and_quotients() {
    safe("y(i) = exp(x(i)) / 2", "x=n", "y = div (exp x) (expa 1 n 2)");
    safe("y(i,j) = A(i,j) / s(i)", "A=n,m s=n", "y = div A (expa 2 m s)");
    safe(
        "y(i) = max(A(i,j), 0) * x(j)",
        "A=n,m x=m",
        "y = contr 2 3 (prod (max A (expa 2 m (expa 1 n 0))) x)",
    );
    safe("y(i) = sqrt(A(i,i) - x(i))", "A=n,n x=n", "y = sqrt (sub (diag 1 2 A) x)");
    safe("y(j,i) = exp(A(i,j) + B(j,i))", "A=n,m B=m,n", "y = transp 1 2 (exp (add A (transp 1 2 B)))");
    // What a tensor is called is no function.
    safe("y(i) = exp(i) * 2", "exp=n", "y = prod exp 2");
    refused("y(i) = exp(A(i,j) + x(i))", "A=n,m x=n", "E0297", &["two ways"]);
    refused("y(i) = exp(A(i,j), 1)", "A=n,m", "E0297", &["expected `)`"]);
    refused("y(i) = max(A(i))", "A=n", "E0297", &["expected `,`"]);
}

#[test]
fn reductions_of_several_kinds() {
    let of = |how: &str| format!("def f(float(N, M) A) -> (y) {{ y(i) {how} A(i, j) }}");
    safe(&of("max=!"), "", "y = redmax 2 A");
    safe(&of("min=!"), "", "y = redmin 2 A");
    safe(&of("*=!"), "", "y = red* 2 A");
    safe(&of("+="), "", "y = add y (red+ 2 A)");
    safe(&of("max="), "", "y = max y (redmax 2 A)");
    refused(&of("="), "", "E0297", &["`j` stands on the right of `=` only", "max=!"]);
    safe("y(i) max= A(i,j)", "A=n,m y=n", "y = max y (redmax 2 A)");
    // A comprehension reduces all of its right side: what lacks the index is added up as often as there are
    // values of it.
    let all = "def f(float(N, M) A, float(N) b) -> (y) { y(i) +=! A(i, j) + b(i) }";
    safe(all, "", "y = red+ 2 (add A (expa 2 M b))");
    safe("y(i) = A(i,j) + b(i)", "A=n,m b=n", "y = add (red+ 2 A) b");
}

#[test]
fn large_numbers_are_what_they_are() {
    refused("A(i) = B(4000000000)", "A=m B=3000000000", "E0298", &["place 4000000000"]);
    refused("A(i) = B(3000000000*i)", "A=2 B=2147483649", "E0298", &["place 3000000000"]);
}

#[test]
fn every_read_has_as_many_indices_as_the_tensor_has_dimensions() {
    let wrong = &["`A` is read with 2 indices and has 1 dimension"];
    refused("A(i) = A(i,j) + B(i) * C(j)", "B=n C=m", "E0297", wrong);
    refused("A(i) = B(i) + A", "B=n", "E0297", &["`A` is read with 0 indices and has 1 dimension"]);
}

#[test]
fn what_is_said_twice() {
    refused("A(i) = B(i) where i in 0:3, i in 0:9", "B=3", "E0297", &["the range of `i` is stated twice"]);
    let twice = &["`A` is declared twice"];
    refused("def f(float(N) A, float(M) A) -> (C) { C(i) = A(i) }", "", "E0297", twice);
    let result =
        r#"{"tensors": {"A": [4], "C": [8]}, "name": "C", "shape": [4], "axes": ["i"], "body": "A[i]"}"#;
    refused(result, "", "E0297", &["`C` is declared twice"]);
    let reduced = r#"{"tensors": {"A": [8]}, "name": "s", "shape": [], "axes": [], "reduce": {"i": 8, "i": 4}, "body": "A[i]"}"#;
    refused(reduced, "", "E0297", &["the range of `i` is stated twice"]);
    // The result of an einsum string has a name that no operand has.
    safe("i,i,i->i", "out=n result=n out_1=n", "out_2 = diag 1 2 (diag 1 3 (prod (prod out result) out_1))");
}

#[test]
fn what_cannot_be_read() {
    refused("A(i) = (B(i) + C(k)) * D(k)", "A=n B=n C=m D=m", "E0297", &["two ways"]);
    refused("A(i) = B(i,j)", "A=n B=n", "E0297", &["read with 2 indices and has 1"]);
    refused("A(i) = B(i)", "A=n", "E0297", &["nothing says the sizes of `B`"]);
    refused("A(i) = ", "A=n", "E0297", &["expected a tensor"]);
    refused("y(i) = sin(x(i))", "x=n", "E0297", &["there is no function `sin`", "there are exp, log"]);
    refused("y(i) = x(p(i))", "x=n p=n", "E0297", &["nothing is read in it"]);
    refused("y(i) = x(i)", "x=n y=n-2", "E0297", &["expected `,`", "--assume \"m + 2 == n\""]);
    refused("A(i) = B(i)", "A=n A=m", "E0297", &["declared twice"]);
    refused("{\"colour\": 1}", "", "E0297", &["a compute has no `colour`"]);
}

#[test]
fn conditions_of_sizes() {
    let of = "x=n w=r y=p";
    let convolution = under("y(i) = x(i+j) * w(j)", of, "p + r - 1 <= n");
    assert!(convolution.starts_with("safe for all sizes with p + r - 1 <= n: "), "{convolution}");
    assert!(convolution.contains("no program in TeIL: it reads at `i + j`"), "{convolution}");
    // The same, the other way round, and as two.
    under("y(i) = x(i+j) * w(j)", of, "n > p + r - 2");
    under("y(i) = x(i+j) * w(j)", of, "p == n - r + 1, r <= n");
    let slice = under("C(i) = A(2,i)", "A=k,m C=m", "3 <= k");
    assert!(slice.contains("where 3 <= k") && slice.contains("C = proj 1 3 A"), "{slice}");
    let diagonal = under("y(i) = A(i,i)", "A=m,n", "m == n");
    assert!(diagonal.contains("y = diag 1 2 A"), "{diagonal}");
    refused_under("y(i) = x(i+j) * w(j)", of, "p + r - 2 <= n", &["E0298", "`x[i + j]` is outside"]);
    refused_under("y(i) = A(i,i)", "A=m,n", "m <= n", &["E0299", "gone through in part for m = 1, n = 2"]);
    refused_under("y(i) = x(i)", "x=n", "q <= n", &["E0297", "`q` is no size of this kernel"]);
    refused_under(
        "y(i) = x(i)",
        "x=n y=m",
        "m < n, n < m",
        &["E0297", "no sizes satisfy all that is assumed"],
    );
    refused_under("y(i) = x(i)", "x=n", "n", &["E0297", "expected `<=`"]);
    refused_under("y(i) = x(i)", "x=n", "2 <= n m", &["E0297", "expected `,` or the end"]);
}

#[test]
fn sizes_are_no_indices() {
    refused("A(i) = B(n)", "B=n A=m", "E0297", &["`n` is a size, and stands here as an index"]);
    refused("A(n) = B(n)", "B=n", "E0297", &["`n` is a size"]);
    refused("def f(float(N) A) -> (y) { y(i) +=! A(N) where i in 0:N }", "", "E0297", &["`N` is a size"]);
    refused("y(i) = x(n-1-i)", "x=n y=n", "E0297", &["`n` is a size", "entry number `n - i - 1` is meant"]);
    // Letters are indices, whatever sizes are called.
    safe("ij,jk->ik", "A=i,j B=j,k", "out = contr 2 3 (prod A B)");
}

#[test]
fn cells_that_are_not_written() {
    let of = |text: &str, declarations: &str| {
        let found = guard("kernel", text, &declared(declarations), &[]);
        found.unwrap_or_else(|why| panic!("{text}\n{why}")).unwritten
    };
    let check = |text: &str, declarations: &str, expected: &[&str]| {
        assert_eq!(of(text, declarations), expected, "{text}");
    };
    check("C(i,j) = A(i,j)", "A=m,n", &[]);
    check("C(2,i) = A(i)", "A=m C=3,m", &["not all of `C` is written: `C[0, 0]` is not for m = 1"]);
    check("C(i,i) = A(i)", "A=m C=m,m", &["not all of `C` is written: `C[0, 1]` is not for m = 2"]);
    check(
        "C(0,i) = A(i); C(1,i) = A(i)",
        "A=m C=2,m",
        &["all of `C` is written where sizes are at most 4; others were not tried"],
    );
    check("C(0,i) = A(i); C(j,i) = A(i)", "A=m C=2,m", &[]);
}

#[test]
fn windows_need_only_be_inside() {
    let difference = |assumed| under("d(i) = x(i+1) - x(i)", "x=n d=m", assumed);
    assert!(difference("m + 1 == n").starts_with("safe for all sizes with m + 1 == n"));
    assert!(difference("m + 1 <= n").starts_with("safe"));
    let advice = &["safe if m + 1 <= n\n", "--assume \"m + 1 <= n\""];
    refused("d(i) = x(i+1) - x(i)", "x=n d=m", "E0298", advice);
    under("y(i) = (x(i) + x(i+1) + x(i+2)) / 3", "x=n y=m", "m + 2 == n");
    under("d(i+1) = x(i+2) - 2*x(i+1) + x(i) where i in 0:m", "x=n d=n", "m + 2 <= n");
    refused("y(i) = (x(i) + x(i+1) + x(i+2)) / 3", "x=n y=m", "E0298", &["safe if m + 2 <= n"]);
    // Another tensor is gone through in part, which no sizes mend that satisfy what is assumed.
    refused_under(
        "y(i) = x(i+1) * z(i)",
        "x=n z=n y=m",
        "m + 1 == n",
        &["E0299", "dimension 1 of `z[i]`", "safe for no sizes: m == n cannot be where m + 1 == n"],
    );
    // So is one that is read at a number besides.
    refused_under("y(i) = x(i) - x(0)", "x=n y=m", "m <= n", &["E0299", "safe if m == n"]);
}

#[test]
fn advice_is_what_some_sizes_meet() {
    refused_under(
        "d(i) = x(i+1) - x(i)",
        "x=n d=m",
        "m == n",
        &["E0298", "safe for no sizes: m + 1 <= n cannot be where m == n"],
    );
    refused(
        "d(i) = x(i+1) - x(i)",
        "x=n d=n",
        "E0298",
        &["for no sizes: `i + 1` ends beyond the last entry"],
    );
    // A result that is declared says how far its indices run, and a range that is stated as a part, that it
    // is one.
    refused("y(i) = x(i) + x(i+1)", "x=n", "E0298", &["declare the result, as in `-d y=m`"]);
    let part = &["E0299", "safe for no sizes: m == n cannot be", "`where i in 0:n - 1`"];
    refused_under("y(i+1) = x(i) + y(i) where i in 0:m", "x=n y=n", "m + 1 == n", part);
    under("y(i+1) = x(i) + y(i) where i in 0:n - 1", "x=n y=n", "");
    under("y(i) = fmaxf(x(i), 0)", "x=n", "");
    // What follows from the rest is not said.
    refused("y(i) = x(i) + x(i+1) + x(i+3)", "x=n y=m", "E0298", &["safe if m + 3 <= n\n"]);
    // Conditions are read as they are given.
    under("y(i) = x(i+1) * w(i+2)", "x=n w=r y=m", "m + 1 <= n and m + 2 <= r");
}

#[test]
fn ranges_that_are_stated() {
    let of = "x=n y=n";
    let behind = under("y(i) = x(i-1) where i in 1:n", of, "");
    assert!(behind.starts_with("safe for all sizes: x : [n], y : [n]\n1 <= i < n\n"), "{behind}");
    assert!(behind.contains("not all of `y` is written: `y[0]` is not for n = 1"), "{behind}");
    assert!(behind.contains("no program in TeIL: `1 <= i < n` is a part of a dimension"), "{behind}");
    let ahead = under("y(i) = x(i+1) where i in 0:n-1", of, "");
    assert!(ahead.starts_with("safe for all sizes with n_i == n - 1"), "{ahead}");
    under("y(i) = x(i-1) + x(i) + x(i+1) where i in 1:n-1", of, "");
    refused(
        "y(i) = x(i-2) where i in 1:n",
        of,
        "E0298",
        &["i = 1: place -1", "`i` runs from 1 below n", "n = 2"],
    );
    refused("y(i) = A(i,j) where j in 0:i", "A=n,n y=n", "E0297", &["`i` is an index, and ends a range"]);
    refused("y(i) = x(i) where i in 3:2", of, "E0297", &["the range of `i` has no values"]);
    refused("y(i) = x(i) where i in m:n", "x=n y=k", "E0298", &["safe if n <= k"]);
}

#[test]
fn ranges_of_comprehensions_are_as_large_as_can_be() {
    let check = |kernel: &str, said: &str| {
        let found = under(kernel, "", "");
        assert!(found.starts_with(&format!("safe for all sizes{said}\n")), "{kernel}\n{found}");
    };
    check(
        "def f(float(N) x) -> (d) { d(i) = x(i+1) - x(i) }",
        " with n_i == N - 1: x : [N], d : [n_i]\ni < n_i",
    );
    check(
        "def f(float(N) B, float(M) K) -> (A) { A(i) +=! B(i + k) * K(k) }",
        " with n_i == N - M + 1: B : [N], K : [M], A : [n_i]\nk < M (summed), i < n_i",
    );
    check(
        "def f(float(N) B) -> (A) { A(i) = B(2*i) }",
        " with 2 * n_i - 1 <= N and N <= 2 * n_i: B : [N], A : [n_i]\ni < n_i",
    );
    let pool = " with 2 * n_i <= N and N - 1 <= 2 * n_i: B : [N], A : [n_i]";
    check("def f(float(N) B) -> (A) { A(i) = B(2*i) + B(2*i + 1) }", &format!("{pool}\ni < n_i"));
    check(
        "def f(float(N) B) -> (A) { A(i) +=! B(2*i + k) where k in 0:2 }",
        &format!("{pool}\nk < 2 (summed), i < n_i"),
    );
    check("def f(float(I) B) -> (A) { A(i) = B(I - 1 - i) }", ": B : [I], A : [I]\ni < I");
    check(
        "def f(float(N) B, float(N) C) -> (A) { A(i) = B(i) + C(i-2) }",
        ": B : [N], C : [N], A : [N]\n2 <= i < N",
    );
    check("def f(float(9) B) -> (A) { A(i) = B(i+2) }", ": B : [9], A : [7]\ni < 7");
    // Neither is surely the smaller.
    check(
        "def f(float(N) B, float(M) C) -> (A) { A(i) = B(i+1) + C(i+2) }",
        " with n_i + 1 <= N and n_i + 2 <= M: B : [N], C : [M], A : [n_i]\ni < n_i",
    );
    // A range that is known is not made smaller by what is read later.
    refused(
        "def f(float(N) B, float(L) C, float(M) D) -> (A) { A(i, j) = B(i) * C(i + j) * D(j) }",
        "",
        "E0298",
        &["`C[i + j]`", "safe if M + N - 1 <= L"],
    );
    // What the first makes is as long as the second reads.
    check(
        "def f(float(N) x) -> (y, z) { y(i) = x(i+1) - x(i) z(i) = y(i+1) - y(i) }",
        " with n_i == N - 1 and n_i_2 == n_i - 1: x : [N], y : [n_i], z : [n_i_2]\ni < n_i\ni < n_i_2",
    );
    refused(
        "def f(float(3) x) -> (y) { y(i) = x(i+3) }",
        "",
        "E0297",
        &["no value of `i` from 0 keeps every read inside"],
    );
}
