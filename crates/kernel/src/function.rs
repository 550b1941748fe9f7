//! Functions of floats, by name: symbols that take and give floats of one type.
//!
//! The kernel knows no law of them. What they compute is `atl-elementary`'s, whose table says what each one means.

macro_rules! functions {
    ($($variant:ident $name:literal $arity:literal,)*) => {
        /// A function of floats. The result has the type of the operands.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Function { $(#[doc = concat!("`", $name, "`.")] $variant,)* }

        impl Function {
            /// All of them, sorted by name.
            pub const ALL: &[Function] = &[$(Function::$variant),*];

            /// Its name in programs, in proofs and in messages.
            pub fn name(self) -> &'static str { [$($name),*][self as usize] }

            /// How many operands it takes.
            pub fn arity(self) -> usize { [$($arity),*][self as usize] }
        }
    };
}

functions! {
    Acos "acos" 1, Asin "asin" 1, Atan "atan" 1, Atan2 "atan2" 2, Cbrt "cbrt" 1, Ceil "ceil" 1, Copysign "copysign" 2,
    Cos "cos" 1, Cosh "cosh" 1, Erf "erf" 1, Erfc "erfc" 1, Exp "exp" 1, Exp10 "exp10" 1, Exp2 "exp2" 1,
    Expm1 "expm1" 1, Floor "floor" 1, Fma "fma" 3, Fmod "fmod" 2, Hypot "hypot" 2, Log "log" 1, Log10 "log10" 1,
    Log1p "log1p" 1, Log2 "log2" 1, Pow "pow" 2, Round "round" 1, Rsqrt "rsqrt" 1, Sign "sign" 1, Sin "sin" 1,
    Sinh "sinh" 1, Sqrt "sqrt" 1, Tan "tan" 1, Tanh "tanh" 1, Trunc "trunc" 1,
}
