//! What functions of other languages are written as here: for messages about a function or a name that there is not.
//!
//! Each row has names that people try, and the expression that is meant: over numbers `x`, `y`, `z` of type `f32`, vectors `v`, `w` of `n`
//! elements and matrices `a`, `b` of `n` rows and columns. A test elaborates every one, so what is advised is accepted.

/// The names, and what to write instead.
const EXPRESSIONS: &[(&[&str], &str)] = &[
    (&["absolute", "fabs", "fabsf"], "abs(x)"),
    (&["expf"], "exp(x)"),
    (&["ln", "logf"], "log(x)"),
    (&["log1pf"], "log1p(x)"),
    (&["expm1f"], "expm1(x)"),
    (&["sqrtf"], "sqrt(x)"),
    (&["invsqrt", "rsqrtf"], "rsqrt(x)"),
    (&["floorf"], "floor(x)"),
    (&["ceilf", "ceiling"], "ceil(x)"),
    (&["rint", "nearbyint", "around", "roundf", "roundeven"], "round(x)"),
    (&["truncf", "fix"], "trunc(x)"),
    (&["sgn", "signum"], "sign(x)"),
    (&["copysignf"], "copysign(x, y)"),
    (&["log2f", "lb"], "log2(x)"),
    (&["log10f"], "log10(x)"),
    (&["exp2f"], "exp2(x)"),
    (&["power", "powf", "powi"], "pow(x, y)"),
    (&["square", "sqr", "sq"], "x * x"),
    (&["hypotf"], "hypot(x, y)"),
    (&["fmaf"], "fma(x, y, z)"),
    (&["muladd", "mad"], "x * y + z"),
    (&["fmodf", "rem"], "fmod(x, y)"),
    (&["mod"], "x - y * floor(x / y)"),
    (&["remainder"], "x - y * round(x / y)"),
    (&["sinf"], "sin(x)"),
    (&["cosf"], "cos(x)"),
    (&["tanf"], "tan(x)"),
    (&["arcsin", "asinf"], "asin(x)"),
    (&["arccos", "acosf"], "acos(x)"),
    (&["arctan", "atanf"], "atan(x)"),
    (&["arctan2", "atan2f"], "atan2(y, x)"),
    (&["sinhf"], "sinh(x)"),
    (&["coshf"], "cosh(x)"),
    (&["tanhf"], "tanh(x)"),
    (&["cbrtf"], "cbrt(x)"),
    (&["erff"], "erf(x)"),
    (&["erfcf"], "erfc(x)"),
    (&["asinh", "arcsinh"], "copysign(log1p(abs(x) + x * x / (1.0 + hypot(x, 1.0))), x)"),
    (&["acosh", "arccosh"], "log(x + sqrt((x - 1.0) * (x + 1.0)))"),
    (&["atanh", "arctanh"], "0.5 * log1p(2.0 * x / (1.0 - x))"),
    (&["sigmoid", "expit", "logistic"], "1.0 / (1.0 + exp(-x))"),
    (&["gelu"], "0.5 * x * erfc(-0.70710677 * x)"),
    (&["relu"], "max(x, 0)"),
    (&["softplus"], "max(x, 0.0) + log1p(exp(-abs(x)))"),
    (&["maximum", "fmax", "fmaxf"], "max(x, y)"),
    (&["minimum", "fmin", "fminf"], "min(x, y)"),
    (&["clip", "clamp", "saturate"], "max(0, min(x, 1))"),
    (&["where", "ifelse", "if_then_else", "cond", "mux", "iff"], "select(x < y, x, y)"),
    (&["mean", "average", "avg"], "(sum i < n { v[i] }) / f32(n)"),
    (&["dot", "inner", "vdot"], "sum i < n { v[i] * w[i] }"),
    (&["outer"], "gen i < n, j < n { v[i] * w[j] }"),
    (&["matmul", "mm", "gemm", "mul"], "gen i < n, j < n { sum k < n { a[i, k] * b[k, j] } }"),
    (&["norm"], "sqrt(sum i < n { v[i] * v[i] })"),
    (&["trace"], "sum i < n { a[i, i] }"),
    (&["diag", "diagonal"], "gen i < n { a[i, i] }"),
    (&["zeros", "zeros_like"], "gen i < n { f32(0) }"),
    (&["ones", "ones_like"], "gen i < n { f32(1) }"),
    (&["full", "full_like", "fill", "constant"], "gen i < n { x }"),
    (&["arange", "iota", "linspace", "range"], "gen i < n { f32(i) }"),
    (&["eye", "identity"], "gen i < n, j < n { [i == j] * f32(1) }"),
    (&["repeat"], "gen i < 2 * n { v[i / 2] }"),
    (&["tile"], "gen i < 2 * n { v[i % n] }"),
    (&["reverse", "flip", "rev"], "gen i < n { v[n - 1 - i] }"),
    (&["roll", "circshift"], "gen i < n { v[(i + 1) % n] }"),
    (&["concatenate", "hstack", "vstack", "append", "cat", "vcat"], "v ++ w"),
    (&["stack"], "[v, w]"),
    (&["reshape", "ravel", "vec"], "flatten(a)"),
    (&["permute", "permutedims", "swapaxes"], "transpose(a)"),
    (&["cumsum", "scan", "accumulate"], "gen i < n { sum j < i + 1 { v[j] } }"),
    (&["diff"], "gen i < n - 1 { v[i + 1] - v[i] }"),
    (&["softmax"], "gen i < n { exp(v[i]) / (sum j < n { exp(v[j]) }) }"),
    (&["argmax"], "let m = max i < n { v[i] }; min i < n { select(v[i] == m, i32(i), i32(n)) }"),
    (&["argmin"], "let m = min i < n { v[i] }; min i < n { select(v[i] == m, i32(i), i32(n)) }"),
    (&["float", "single", "Float32", "float32"], "f32(x)"),
    (&["half", "Float16", "float16"], "f16(x)"),
    (&["BFloat16", "bfloat16"], "bf16(x)"),
    (&["double", "Float64", "float64"], "f64(x)"),
    (&["int", "Int", "Int32", "int32", "trunc_int"], "i32(x)"),
    (&["long", "Int64", "int64"], "i64(x)"),
    (&["byte", "uint8", "UInt8"], "u8(x)"),
    (&["Int8", "int8"], "i8(x)"),
    (&["Int16", "int16"], "i16(x)"),
    (&["UInt16", "uint16"], "u16(x)"),
    (&["UInt32", "uint32"], "u32(x)"),
    (&["UInt64", "uint64"], "u64(x)"),
    (&["boolean"], "bool(x)"),
];

/// The names, and what to do where no expression is meant.
const SENTENCES: &[(&[&str], &str)] = &[
    (
        &["gamma", "lgamma", "tgamma", "digamma", "j0", "zeta"],
        "there is no such function: compute it before, and give it as an argument",
    ),
    (&["sincos"], "the sine and the cosine are two functions, `sin(x)` and `cos(x)`"),
    (
        &["sort", "argsort", "unique", "searchsorted"],
        "nothing is sorted here: sort the data before, and give it as an argument",
    ),
    (
        &["len", "length", "size", "shape", "ndims", "dim"],
        "an extent has a name, in the type of a parameter: `n` in `v: f32[n]`",
    ),
    (&["print", "println", "printf"], "a function only computes its result, and `atl run` prints it"),
    (&["rand", "random", "randn"], "a function depends on its arguments alone: give random numbers as one"),
    (&["einsum"], "`atl tensor \"ij,j->i\"` writes the program of an einsum string"),
    (&["map", "vmap", "vectorize", "apply"], "`gen i < n { .. }` does something for each element"),
    (
        &["for", "while", "loop", "fori_loop"],
        "`gen i < n { .. }` makes a tensor, and `sum i < n { .. }` adds up",
    ),
];

/// Names of constants, and what to write instead.
const CONSTANTS: &[(&[&str], &str)] = &[
    (&["pi", "PI", "M_PI"], "3.141592653589793"),
    (&["M_E"], "2.718281828459045"),
    (&["infinity", "Infinity", "INFINITY", "Inf", "oo"], "inf"),
    (&["nan", "NaN", "NAN"], "0.0 / 0.0"),
    (&["True", "TRUE", "yes"], "true"),
    (&["False", "FALSE", "no"], "false"),
];

/// The name without the module that it is of elsewhere: `np.where`.
fn own(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn found(table: &'static [(&[&str], &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(names, _)| names.contains(&name)).map(|(_, instead)| *instead)
}

/// What to do about a call of a function that only other languages have.
pub(crate) fn function(name: &str) -> Option<String> {
    let name = own(name);
    let sentence = || found(SENTENCES, name).map(str::to_owned);
    match (found(EXPRESSIONS, name), name) {
        (Some(general), "power" | "powf" | "powi") => {
            Some(format!("a power is a product, `x * x`, and with any exponent `{general}`"))
        }
        (Some(expression), _) => Some(format!("it is written `{expression}`")),
        (None, _) => sentence(),
    }
}

/// What to write for a constant that only other languages have.
pub(crate) fn constant(name: &str) -> Option<&'static str> {
    found(CONSTANTS, own(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoImports, elaborate};
    use atl_arith::Arith;
    use atl_diag::FileId;

    fn check(expression: &str) {
        // The expression is whatever it is, and is not used.
        let (before, last) = expression.rsplit_once("; ").map_or(("", expression), |(a, b)| (a, b));
        let before = if before.is_empty() { String::new() } else { format!("{before}; ") };
        let text = format!(
            "fn f(x: f32, y: f32, z: f32, v: f32[n], w: f32[n], a: f32[n, n], b: f32[n, n]) -> f32 where 1 <= n {{ {before}let r = {last}; x }}"
        );
        let parse = atl_syntax::parse_file(FileId(0), &text);
        let (module, found) = elaborate(&parse.tree, &mut NoImports, &mut Arith::new());
        assert!(parse.diagnostics.is_empty() && module.functions.len() == 1, "{text}\n{found:?}");
    }

    #[test]
    fn what_is_advised_is_accepted() {
        EXPRESSIONS.iter().for_each(|(_, expression)| check(expression));
        CONSTANTS.iter().for_each(|(_, constant)| check(&format!("[{constant}]")));
    }

    #[test]
    fn no_name_is_one_of_the_language_or_stands_twice() {
        let names: Vec<&str> = EXPRESSIONS
            .iter()
            .chain(SENTENCES)
            .chain(CONSTANTS)
            .flat_map(|(names, _)| *names)
            .copied()
            .collect();
        for (k, name) in names.iter().enumerate() {
            assert!(!crate::builtins::is_function(name) && !names[..k].contains(name), "{name}");
        }
        assert_eq!(function("np.where").as_deref(), Some("it is written `select(x < y, x, y)`"));
        assert_eq!(function("my_own"), None);
    }
}
