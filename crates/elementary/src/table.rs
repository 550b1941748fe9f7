//! What is said of each function: what it means, how close its result is, what it costs.

use crate::Function;

/// How far a result may be from the truth, in units in its last place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Error {
    /// The result is the truth.
    Exact,
    /// The result is the float nearest to the truth.
    Rounded,
    /// No further than this: of an `f64`, of an `f32`.
    Units(f64, f64),
}

/// A function's row.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The function.
    pub function: Function,
    /// Its operands, as the language has them.
    pub call: &'static str,
    /// Its value, in words or as a formula.
    pub means: &'static str,
    /// How close the result is.
    pub error: Error,
    /// About how many additions take as long.
    pub cost: f64,
}

const fn row_of(function: Function, call: &'static str, means: &'static str, error: Error, cost: f64) -> Row {
    Row { function, call, means, error, cost }
}

/// All functions, in the order of [`Function::ALL`].
pub const TABLE: &[Row] = &[
    row_of(
        Function::Acos,
        "acos(x)",
        "the angle from 0 to pi with this cosine",
        Error::Units(0.62, 0.66),
        57.0,
    ),
    row_of(
        Function::Asin,
        "asin(x)",
        "the angle from -pi/2 to pi/2 with this sine",
        Error::Units(0.62, 0.72),
        47.0,
    ),
    row_of(
        Function::Atan,
        "atan(x)",
        "the angle from -pi/2 to pi/2 with this tangent",
        Error::Units(0.82, 0.87),
        60.0,
    ),
    row_of(
        Function::Atan2,
        "atan2(y, x)",
        "the angle from -pi to pi of the point (x, y)",
        Error::Units(0.80, 0.78),
        104.0,
    ),
    row_of(Function::Cbrt, "cbrt(x)", "the cube root", Error::Units(0.51, 0.51), 70.0),
    row_of(Function::Ceil, "ceil(x)", "the smallest integer not below x", Error::Exact, 1.0),
    row_of(
        Function::Copysign,
        "copysign(x, y)",
        "the size of x with the sign of y; that of a NaN is +",
        Error::Exact,
        2.0,
    ),
    row_of(Function::Cos, "cos(x)", "the cosine", Error::Units(0.80, 0.80), 58.0),
    row_of(Function::Cosh, "cosh(x)", "(e^x + e^-x) / 2", Error::Units(0.90, 0.90), 53.0),
    row_of(
        Function::Erf,
        "erf(x)",
        "2/sqrt(pi) times the integral of e^(-t^2) from 0 to x",
        Error::Units(0.97, 0.51),
        170.0,
    ),
    row_of(
        Function::Erfc,
        "erfc(x)",
        "1 - erf(x), without the cancellation",
        Error::Units(0.82, 0.51),
        184.0,
    ),
    row_of(Function::Exp, "exp(x)", "e^x", Error::Units(0.90, 0.87), 40.0),
    row_of(Function::Exp10, "exp10(x)", "10^x", Error::Units(0.94, 0.94), 40.0),
    row_of(Function::Exp2, "exp2(x)", "2^x", Error::Units(0.87, 0.87), 35.0),
    row_of(Function::Expm1, "expm1(x)", "e^x - 1, without the cancellation", Error::Units(0.80, 0.61), 64.0),
    row_of(Function::Floor, "floor(x)", "the largest integer not above x", Error::Exact, 1.0),
    row_of(Function::Fma, "fma(x, y, z)", "x y + z, rounded once", Error::Rounded, 1.0),
    row_of(Function::Fmod, "fmod(x, y)", "x - y trunc(x / y), with the sign of x", Error::Exact, 100.0),
    row_of(Function::Hypot, "hypot(x, y)", "sqrt(x^2 + y^2)", Error::Units(0.51, 0.51), 46.0),
    row_of(Function::Log, "log(x)", "the natural logarithm", Error::Units(0.77, 0.77), 40.0),
    row_of(Function::Log10, "log10(x)", "the logarithm to base 10", Error::Units(0.70, 0.69), 55.0),
    row_of(
        Function::Log1p,
        "log1p(x)",
        "log(1 + x), without the cancellation",
        Error::Units(0.78, 0.77),
        56.0,
    ),
    row_of(Function::Log2, "log2(x)", "the logarithm to base 2", Error::Units(0.79, 0.77), 53.0),
    row_of(Function::Pow, "pow(x, y)", "x^y", Error::Units(0.91, 0.51), 182.0),
    row_of(Function::Round, "round(x)", "the nearest integer, of two the even one", Error::Exact, 1.0),
    row_of(Function::Rsqrt, "rsqrt(x)", "1 / sqrt(x)", Error::Units(0.51, 0.51), 32.0),
    row_of(Function::Sign, "sign(x)", "1, -1, or x itself where that is 0, -0 or NaN", Error::Exact, 2.0),
    row_of(Function::Sin, "sin(x)", "the sine", Error::Units(0.80, 0.80), 58.0),
    row_of(Function::Sinh, "sinh(x)", "(e^x - e^-x) / 2", Error::Units(0.77, 0.74), 64.0),
    row_of(Function::Sqrt, "sqrt(x)", "the square root", Error::Rounded, 8.0),
    row_of(Function::Tan, "tan(x)", "the tangent", Error::Units(0.97, 0.97), 83.0),
    row_of(Function::Tanh, "tanh(x)", "sinh(x) / cosh(x)", Error::Units(0.72, 0.72), 75.0),
    row_of(Function::Trunc, "trunc(x)", "x without its fraction", Error::Exact, 1.0),
];

/// The function's row.
pub fn row(function: Function) -> &'static Row {
    &TABLE[function as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_its_row() {
        let functions: Vec<Function> = TABLE.iter().map(|row| row.function).collect();
        assert_eq!(functions, Function::ALL);
        for row in TABLE {
            let operands = row.call.split(['(', ',', ')']).filter(|part| !part.trim().is_empty()).count() - 1;
            assert_eq!(operands, row.function.arity(), "{}", row.call);
            assert!(row.call.starts_with(&format!("{}(", row.function.name())), "{}", row.call);
        }
        assert!(Function::ALL.is_sorted_by_key(|f| f.name()));
    }
}
