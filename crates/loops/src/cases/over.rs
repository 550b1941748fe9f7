//! Outputs over an input, whose cells are read before, after, and in other iterations than they are set.

use super::Case;
use super::chance::Random;
use crate::interp::Cells;
use crate::{Literal, Scalar, parse_kernel};

/// The case of a seed: `y` is over `a`. The validator may refuse it.
///
/// # Panics
/// Never: the texts made here are kernels.
pub fn over_case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let kind = random.pick(&["", "", "parallel ", "vector(8) ", "vector(4) ", "unroll "]);
    let [p, q, r] = [(); 3].map(|()| {
        let cell = random.pick(&["i", "i", "i", "i", "N - 1 - i", "(i + 1) % N", "i / 2", "0"]);
        format!("a[{cell}]")
    });
    let term = random.pick(&["P + Q", "P * b[i] - Q", "(i < 3 ? P : Q)", "b[i]", "max(P, b[b0])"]);
    let cell = random.pick(&["i", "i", "i", "i", "N - 1 - i"]);
    let (lower, upper) =
        random.pick(&[("0..N / 2", "N / 2..N"), ("0..N - N % 8", "N - N % 8..N"), ("0..0", "0..N")]);
    let body = match random.below(8) {
        0 => "KINDfor i in 0..N { y[CELL] = TERM }".to_owned(),
        1 => format!("KINDfor i in {lower} {{ y[i] = TERM }} for i in {upper} {{ y[i] = R * P }}"),
        2 => "KINDfor i in 0..N { alloc register f32 s = 0f32 { for k in 0..3 { s += P * b[k % N] } y[CELL] = s } }".to_owned(),
        3 => "alloc stack f32 s[1] = 0f32 { for i in 0..N { s[0] += R } KINDfor i in 0..N { y[i] = P * s[0] } }".to_owned(),
        4 => "KINDfor i in 0..N { if i % 3 == 0 { y[i] = TERM } else { y[i] = R } }".to_owned(),
        5 => "KINDfor i in 0..N { alloc register f32 s uninit { s = R y[CELL] = s - P } }".to_owned(),
        6 => "KINDfor i in 0..N { alloc register f32 s uninit { y[i] = TERM s = R } }".to_owned(),
        _ => "alloc heap f32 s[N] uninit { KINDfor i in 0..N { s[i] = R + Q } KINDfor i in 0..N { y[i] = P * s[i] } }"
            .to_owned(),
    };
    let parts =
        [("KIND", kind), ("CELL", cell), ("TERM", term), ("P", &p), ("Q", &q), ("R", &r), ("b0", "i")];
    let body = parts.iter().fold(body, |body, (part, text)| body.replace(part, text));
    let text = format!("kernel over_{seed}(N) in f32 a[N] in f32 b[N] out over a f32 y[N] {{ {body} }}");
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let size = random.below(40);
    let inputs = [(); 2].map(|()| {
        let values: Vec<Literal> = (0..size).map(|_| random.literal(Scalar::F32)).collect();
        Cells::from_literals(Scalar::F32, &values)
    });
    Case { kernel, sizes: vec![size], inputs: inputs.into() }
}
