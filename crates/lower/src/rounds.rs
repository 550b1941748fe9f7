//! Iterations: states in buffers, which rounds update in place where they can.
//!
//! ```text
//! L(iterate t<n from x = e { s } in b)  =  alloc x: L(e) into x
//!                                          for t in 0..n: U(s) in x                 see `in_place`
//!                                          L(b) from x
//! ```
//!
//! A state that is the value of the iteration is in the destination itself. A state that cannot be updated in place
//! has two buffers, which rounds fill by turns:
//!
//! ```text
//! alloc a, b
//! if odd n: L(e) into b, else: L(e) into a
//! for pair in 0..(n + 1) / 2:
//!     for t in 2 pair - n % 2: L(s) from a into b     if 0 <= t
//!     for t in the next:       L(s) from b into a
//! L(b) from a
//! ```
//!
//! So no round copies what it has computed, and the last states are in `a` whatever `n` is. A fill begins a lifetime of
//! its buffer, which begins as zero where the step does not set every cell. A scalar that is read after its new value
//! is there has a register more, until the round ends.
