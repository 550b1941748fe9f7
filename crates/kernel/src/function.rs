//! Functions of floats, by name: symbols that take and give floats of one type.
//!
//! The kernel knows no law of them. What they compute is `atl-elementary`'s.

macro_rules! functions {
    ($($variant:ident $name:literal $arity:literal $says:literal)*) => {
        /// A function of floats. The result has the type of the operands.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Function {
            $(#[doc = $says] $variant,)*
        }

        impl Function {
            /// All of them, sorted by name.
            pub const ALL: &[Function] = &[$(Function::$variant),*];

            /// Its name in programs, in proofs and in messages.
            pub fn name(self) -> &'static str {
                match self {
                    $(Function::$variant => $name,)*
                }
            }

            /// How many operands it takes.
            pub fn arity(self) -> usize {
                match self {
                    $(Function::$variant => $arity,)*
                }
            }
        }
    };
}

functions! {
    Acos "acos" 1 "Arc cosine."
    Asin "asin" 1 "Arc sine."
    Atan "atan" 1 "Arc tangent."
    Atan2 "atan2" 2 "The angle of the point whose second coordinate is the first operand."
    Cbrt "cbrt" 1 "Cube root."
    Ceil "ceil" 1 "The smallest integer not below."
    Copysign "copysign" 2 "The size of the first operand, the sign of the second."
    Cos "cos" 1 "Cosine."
    Cosh "cosh" 1 "Hyperbolic cosine."
    Erf "erf" 1 "The error function."
    Erfc "erfc" 1 "1 less the error function."
    Exp "exp" 1 "e to the power."
    Exp10 "exp10" 1 "10 to the power."
    Exp2 "exp2" 1 "2 to the power."
    Expm1 "expm1" 1 "e to the power, less 1."
    Floor "floor" 1 "The largest integer not above."
    Fma "fma" 3 "The product of the first two and the third, rounded once."
    Fmod "fmod" 2 "The first less a multiple of the second, with the sign of the first."
    Hypot "hypot" 2 "Square root of the sum of squares."
    Log "log" 1 "Natural logarithm."
    Log10 "log10" 1 "Logarithm to base 10."
    Log1p "log1p" 1 "Natural logarithm of 1 and the operand."
    Log2 "log2" 1 "Logarithm to base 2."
    Pow "pow" 2 "The first to the power of the second."
    Round "round" 1 "The nearest integer, of two the even one."
    Rsqrt "rsqrt" 1 "1 divided by the square root."
    Sign "sign" 1 "1, -1, or the operand where it is zero or NaN."
    Sin "sin" 1 "Sine."
    Sinh "sinh" 1 "Hyperbolic sine."
    Sqrt "sqrt" 1 "Square root."
    Tan "tan" 1 "Tangent."
    Tanh "tanh" 1 "Hyperbolic tangent."
    Trunc "trunc" 1 "The integer without the fraction."
}
