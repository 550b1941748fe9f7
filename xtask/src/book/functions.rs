//! The page of functions of floats: a table of what each means, how close its result is and what it costs.

use super::head;
use crate::tree::Tree;
use atl_elementary::{Error, TABLE};
use std::fmt::Write;

/// Where the table is.
const SOURCE: &str = "crates/elementary/src/table.rs";

/// The page.
pub(super) fn render(_: &Tree) -> Result<String, String> {
    let mut page = head("Functions of floats", SOURCE);
    page += INTRO;
    for row in TABLE {
        let [double, single] = match row.error {
            Error::Exact => ["exact".to_owned(), "exact".to_owned()],
            Error::Rounded => ["0.5".to_owned(), "0.5".to_owned()],
            Error::Units(double, single) => [format!("{double:.2}"), format!("{single:.2}")],
        };
        // Writing to a string does not fail.
        let _ = writeln!(page, "| `{}` | {} | {double} | {single} | {} |", row.call, row.means, row.cost);
    }
    page += AFTER;
    Ok(page)
}

const INTRO: &str = "\
A function of floats takes operands of one type, `f32` or `f64`, and gives a number of that type. Besides these,\n\
`abs`, `min` and `max` are functions of all numbers.\n\
\n\
Each is one sequence of additions, products, quotients, square roots, fused operations, comparisons and operations on\n\
bits, which every back end keeps, on numbers and on vectors. So a result has the same bits whatever computes it: no C\n\
library has a say, nor has a schedule, the compiler, or a processor without fused operations.\n\
\n\
| function | value | largest error, `f64` | `f32` | cost |\n|---|---|---|---|---|\n";

const AFTER: &str = "\n\
*Errors* are in units in the last place of the result, and hold for subnormal arguments and results too. Those of `f64`\n\
were measured on millions of arguments, those of `f32` on millions too, and a little is added. `exact` is the result\n\
without rounding, and\n\
0.5 the nearest float. *Cost* is about how many additions take as long; the tuner counts with it.\n\
`ATL_ELEMENTARY=all cargo test --release -p atl-elementary -- --nocapture` measures again.\n\
\n\
## Special values\n\
\n\
They are those of C99. NaN gives NaN, but `pow(1, y)` and `pow(x, 0)` are 1, and `hypot` of an infinity is infinite.\n\
Zeros keep their signs where the function is odd. What is too large is infinite, and what is too small is rounded to a\n\
subnormal number or zero. A logarithm of a negative number is NaN, that of 0 is `-inf`. `fmod(x, 0)` is NaN.\n\
\n\
## Integers\n\
\n\
There are no conversions that a program does not write: `sqrt(f64(x[i]))`. Powers of integers are products: `x[i] * x[i]`,\n\
which is also closer and much quicker than `pow` where the exponent is a small number.\n\
\n\
## Laws\n\
\n\
A schedule may move a function, share it and compute it in vectors, for it depends on its operands alone. No theorem\n\
says more of it: not that `exp(x + y)` is `exp(x) * exp(y)`, nor that a logarithm grows.\n\
\n\
## Functions made of these\n\
\n\
`sigmoid(x)` is `select(x < 0.0, e * s, s)` with `e = exp(-abs(x))` and `s = 1.0 / (1.0 + e)`: no exponential overflows.\n\
`softplus(x)` is `max(x, 0.0) + log1p(exp(-abs(x)))`. `gelu(x)` is `0.5 * x * erfc(-x * 0.7071067811865476)`; far on the left,\n\
where it is nearly 0, the rounded argument of `erfc` leaves a large relative error.\n";
