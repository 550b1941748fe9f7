//! Searches among the entries of compressed rows: for those of another matrix, or for each column.

use super::Case;
use super::chance::Random;
use crate::interp::Cells;
use crate::parse_kernel;
use crate::passes::intersections;

/// The case of a seed: the rows of two to four matrices of a random fill, and what they have in common.
///
/// # Panics
/// Never: the texts made here are kernels.
pub fn searches_case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let n = random.below(5);
    // Some rows are so long that those of few entries are looked for in them.
    let m = if random.one_in(4) { 100 + random.below(200) } else { random.below(40) };
    let [a, b, c] = [(); 3].map(|()| {
        let fill = random.pick(&[0, 1, 8, 8, 64]);
        rows(&mut random, n, m, fill)
    });
    let rows_are = random.pick(&["for", "for", "parallel for"]);
    let around = random.pick(&[":", "for again in 0..2 { : }", "unroll for again in 0..2 { : }"]);
    // What is sought never falls along the loop over an entry of A, or over a column.
    let (entries, sought) = random.pick(&[
        ("for p in A[i]..A[i + 1]", "Ac[p]"),
        ("for p in A[i]..A[i + 1]", "Ac[p]"),
        ("for p in A[i]..A[i + 1]", "Ac[p]"),
        ("for p in A[i]..A[i + 1]", "Ac[p]"),
        ("for p in 0..M", "p"),
        ("for p in A[i]..A[i + 1]", "M - 1 - Ac[p]"),
        ("unroll for p in 0..M", "p"),
        ("for p in 0..M", "p / 2"),
    ]);
    let more = if random.one_in(6) { " for more in 0..2 { : }" } else { ":" };
    let falls = sought.contains("- Ac");
    let (all, equation) = random.pick(&[
        ("", "Bc[B[i] + q] == S"),
        ("", "S == Bc[q + B[i]]"),
        (" all", "Bc[B[i] + q] * 2 + 1 == 2 * S + 1"),
        (" all", "Bc[B[i] + q] / 3 == S"),
    ]);
    // Behind a run it goes on with more only.
    let from_anew = falls || !all.is_empty() && sought.contains("/ 2") || random.one_in(4);
    let strictly = sought == "Ac[p]" || sought == "p";
    let kind = match (from_anew, all) {
        (true, _) => format!("search{all}"),
        (false, "") if strictly => {
            random.pick(&["search(p)", "meet(p)", "meet(p)", "meet merge(p)"]).to_owned()
        }
        (false, _) => format!("search{all}(p)"),
    };
    let equation = equation.replace('S', &format!("({sought})"));
    let rest = random.pick(&["", "", " && Bc[B[i] + q] % 2 == 0", " && i < 2"]);
    let (lo, hi) =
        random.pick(&[("0", "B[i + 1] - B[i]"), ("0", "B[i + 1] - B[i] - 1"), ("1", "B[i + 1] - B[i]")]);
    // Further matrices in which the same is sought, or something else.
    let mut found = String::from(":");
    for (var, pos, crd) in [("r", "C", "Cc"), ("s", "A", "Ac")] {
        if strictly && !random.one_in(3) {
            let again = random.pick(&[&kind, &kind, &kind, &kind, "search(p)", "search"]).replace(" all", "");
            let other = random.pick(&["", "", "", "", " + 1"]);
            let rest = random.pick(&["", "", " && V < 3", " && q < 4"]).replace('V', var);
            let inside = format!(
                "{again} for {var} in 0..{pos}[i + 1] - {pos}[i] \
                 {{ if {crd}[{var} + {pos}[i]] == ({sought}{other}){rest} {{ : }} }}"
            );
            found = found.replace(':', &inside);
        }
    }
    let number = "int(p * 100 + q + 1)";
    let cell = "y[i * M + Bc[B[i] + q]]";
    // What is done behind the search may do something only where it found something.
    let (before, done, behind) = random.pick(&[
        ("", cell, ""),
        ("", cell, ""),
        ("", cell, ""),
        ("", cell, ""),
        ("alloc register i64 v = 0i64 {", "v", "if 0 < v[0] { y[i * M] += v } }"),
        ("alloc register i64 v = 0i64 {", "v", "if v[0] == 0 { y[i * M] += v + 1i64 } }"),
        (
            "alloc register i64 v = 0i64 {",
            "v",
            "alloc register bool keep uninit { keep = v != 0i64 if keep[0] == 1 { y[i * M + p % M] += v } } }",
        ),
    ]);
    let search = format!(
        "{entries} {{ {before} {kind} for q in {lo}..{hi} {{ if {equation}{rest} {{ {} }} }} {behind} }}",
        found.replace(':', &more.replace(':', &format!("{done} += {number}")))
    );
    let body = format!("reset y = 0i64 {rows_are} i in 0..N {{ {} }}", around.replace(":", &search));
    let text = format!(
        "kernel searches_{seed}(N, M, K, L, O) in i64 A[N + 1] in i32 Ac[K] in i64 B[N + 1] in i32 Bc[L] \
         in i64 C[N + 1] in i32 Cc[O] out i64 y[N, M] {{ {body} }}"
    );
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    // Passes may come across intersections, and back ends across searches that could be part of one.
    let kernel = if seed.is_multiple_of(4) { kernel } else { intersections(&kernel) };
    let sizes = vec![n, m, length(&a.1), length(&b.1), length(&c.1)];
    let inputs = [a, b, c].into_iter().flat_map(|(pos, crd)| [Cells::I64(pos), Cells::I32(crd)]);
    Case { kernel, sizes, inputs: inputs.collect() }
}

fn length(crd: &[i32]) -> i64 {
    i64::try_from(crd.len()).unwrap_or(0)
}

/// Compressed rows, in which so many of 64 places have an entry.
fn rows(random: &mut Random, n: i64, m: i64, fill: i64) -> (Vec<i64>, Vec<i32>) {
    let (mut pos, mut crd) = (vec![0], Vec::new());
    for _ in 0..n {
        crd.extend((0..m).filter(|_| random.below(64) < fill).filter_map(|c| i32::try_from(c).ok()));
        pos.push(length(&crd));
    }
    (pos, crd)
}
