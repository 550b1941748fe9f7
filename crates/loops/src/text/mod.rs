//! The text form of kernels: what `atl show --stage loops` prints, and what can be read back.
//!
//! ```text
//! kernel row_sums(N, M)
//!   in f32 a[N, M]
//!   out f32 total[N]
//!   requires 1 <= M
//! {
//!   parallel for i in 0..N {
//!     alloc register f32 acc = 0.0f32 {
//!       for j in 0..M {
//!         acc += a[i * M + j]
//!       }
//!       total[i] = acc
//!     }
//!   }
//! }
//! ```
//! Loop kinds are `for`, `parallel for`, `vector for` (`vector(8) for`), `unroll for`, `f32x8 for` of
//! [whole vectors](crate::lanes), `search for` (`search(p) for`); reductions `+= *= min= max= ||= &&=`;
//! `reset buf = value` and `reset buf uninit` begin a lifetime, `forget buf[lo..hi]` that of some cells;
//! `int(i)` is an index as a value; `f32(x)` converts; `(p ? x : y)` selects by an index predicate,
//! `select(c, x, y)` by a value. A buffer of rank 0 is read and stored by its bare name; in an index term,
//! where a bare name is a variable, by `name[0]`. `out stream` is an output whose stores may pass the
//! caches by, `out over x` one whose memory may be that of the input `x`. `out append f64 vals` is an
//! output that grows by `push vals = value`; `visit j of w { .. }` runs its body for each cell `j` of an
//! `alloc touched f64 w[M] = 0.0f64` that holds something else than what it began with, and lets all begin
//! anew. `intersect p in a..b at A[p], q in c..d at B[q] { .. }` is an [intersection](crate::intersection).
//! `merge j of p in a..b at (A[p]) as inA, q in c..d at (B[q]) as inB { .. }` is a [merge](crate::merge).
//! `prefetch x[i]` asks for a cell to be brought near. `requires all p in 0..N { 0 <= crd[p] && crd[p] < M
//! }` is a requirement on arrays. Reading back what was printed gives the same kernel.

mod elaborate;
mod lex;
mod lines;
mod parse;
mod print;

pub use parse::{ParseError, parse_kernel};

#[cfg(test)]
mod tests;
