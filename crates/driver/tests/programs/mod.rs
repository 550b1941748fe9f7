//! Programs whose loops are exported, right and wrong.

/// A window of three rows, carried along the rows of a tile.
pub(crate) const CARRIED: &str = "
fn two(x: f32[M, 2]) -> f32[M, 2] where 1 <= M {
    let t = gen y < M, j < 2 { x?[y - 1, j] + x[y, j] };
    gen y < M, j < 2 { t?[y - 1, j] + t[y, j] + t?[y + 1, j] }
}
schedule carried of two {
    split y by 8;
    compute t at y.i;
    store t in register;
    unroll t/y;
    carry t along y.i;
}
";

/// The diagonals of a matrix as rows, and a matrix from its diagonals.
pub(crate) const DIAGONALS: &str = "
fn sheared(a: f32[N, M]) -> f32[N + M - 1, min(N, M)] where 0 < N, 0 < M { shear(a) }
schedule direct of sheared { rounding bitwise; }
fn unsheared(d: f32[P, Q], N: size, M: size) -> f32[N, M] where 0 < N, 0 < M, P == N + M - 1, Q == min(N, M) {
    unshear(N, M, gen k < P, r < Q { [r < min(min(k + 1, N), min(M, N + M - 1 - k))] * d[k, r] })
}
schedule direct of unsheared { rounding bitwise; }
";
