//! `scan_in_blocks`: what a block of rounds does to the states is computed apart from what it stores.
//!
//! **Statement.** `scan t < n from s = e { s + f(t) } give s = (scan t < r from s = e { s + f(t) } give s)
//! ++ flatten(scan o < q from s = e + sum t < r { f(t) } { s + sum t < k { f(r+o*k+t) } } give gen j < k {
//! s + (scan t < k from s = 0 { s + f(r+o*k+t) } give s)[j] })`, `q` being the quotient of `n` by `k` and
//! `r` the rest. Of steps `a * u + b * v + f(t)`, a block adds to what it makes from zero, multiples of `u`
//! and `v`: what it makes without `f` from `u = 1, v = 0`, and from `u = 0, v = 1`. Of steps that join a term
//! to each state, `max(s, f(t))`, a block joins what it makes from the neutral number.
//! **Requires.** `0 < k`. Each step is a sum of multiples of states and of a term without them, or a
//! difference of such, which is a sum bit by bit (`sub_as_add`) but of numbers without signs; or each is the
//! state itself and a term, by `+`, `*`, `min`, `max`, `&`, `|` and `^`, of ordinary numbers, or by `&&` and
//! `||`. The directive takes sums in the program's monoids, too.
//! `ADD_MONOID` for sums; for multiples of scalars of one type the laws of a ring without subtraction, but
//! of `MUL_COMM` only if a state stands on the left. Of the others, which are a monoid on the tuple of states
//! that no program declares, its `ADD_ASSOC` and `ADD_0_R`: theorems name them as claims.
//! **Fails when.** A step is anything else, as a product of states, or the maximum of multiples; or
//! what is stored reads what was.
//! **Example.** Of `N` sums of beginnings, the first `N % 4` are added one by one; of the others four at a
//! time.
//! **See also.** `scan_from_starts`, `iterate_split`, `scan_of_sums`; the directive `split`.

use crate::derived::{Derived, Example, no_match};
use crate::scans::{Scan, scan_in_blocks};

/// See the module.
pub static RULE: Derived = Derived {
    name: "scan_in_blocks",
    statement: "scan t<n from s { s + f(t) } give s  =  (scan t<n%k ..) ++ flatten(scan o<n/k from s { s + sum t<k. f(..) } give gen j<k. s + (scan t<k from 0 { s + f(..) } give s)[j])",
    requires: "0 < k; steps are sums of multiples of states and of terms, or each is the state and a term in a monoid",
    args: &["k"],
    example: Example {
        program: "fn f(x: f32[N]) -> f32[N] { scan t < N from s = f32(0) { s + x[t] } give s }",
        args: &[2],
    },
    rewrite: |cx, e, args| match Scan::of(e) {
        Some(scan) => scan_in_blocks(cx, e, &scan, &[], &args[0]),
        None => no_match(RULE.name, "a scan", e),
    },
    inverse: None,
};
