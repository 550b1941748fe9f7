//! Element types as the runtime stores them, and the Rust types that stand for them.
//!
//! One idea: a closed, one-to-one table between [`DType`] and Rust types. [`Element`] is sealed, so that every
//! implementation is a type without padding whose bytes may be viewed in place.
//!
//! The table is the runtime's own: this crate depends on no crate of the workspace that knows the language,
//! and the driver maps the language's element types onto it.

pub use atl_halves::{bf16, f16};
use std::fmt;

/// Calls a macro with its first arguments and a row for each element type: the variant, the Rust type, its kind, what it is.
#[doc(hidden)]
#[macro_export]
macro_rules! dtypes {
    ($then:ident! $first:tt) => {
        $crate::$then! {
            $first
            F16 f16 Float "IEEE 754 binary16.";
            BF16 bf16 Float "The upper half of an `f32`.";
            F32 f32 Float "IEEE 754 binary32.";
            F64 f64 Float "IEEE 754 binary64.";
            I8 i8 Signed "Signed, 8 bits.";
            I16 i16 Signed "Signed, 16 bits.";
            I32 i32 Signed "Signed, 32 bits.";
            I64 i64 Signed "Signed, 64 bits.";
            U8 u8 Unsigned "Unsigned, 8 bits.";
            U16 u16 Unsigned "Unsigned, 16 bits.";
            U32 u32 Unsigned "Unsigned, 32 bits.";
            U64 u64 Unsigned "Unsigned, 64 bits.";
            Bool bool Truth "One byte, 0 or 1.";
        }
    };
}

/// What the elements of a type are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Floating point numbers.
    Float,
    /// Integers in two's complement.
    Signed,
    /// Integers from 0 up.
    Unsigned,
    /// True and false.
    Truth,
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that can be the element of a buffer. Sealed: the implementations are exactly the rows of [`DType`].
pub trait Element: sealed::Sealed + Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The element type that this Rust type stands for.
    const DTYPE: DType;
}

#[doc(hidden)]
#[macro_export]
macro_rules! define_dtypes {
    (() $($name:ident $ty:ident $kind:ident $doc:literal;)*) => {
        /// The type of the elements of a buffer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DType {
            $(#[doc = $doc] $name,)*
        }

        impl DType {
            /// Every element type.
            pub const ALL: [DType; [$(DType::$name),*].len()] = [$(DType::$name),*];

            /// The size of one element in bytes.
            pub const fn size(self) -> usize {
                match self { $(DType::$name => size_of::<$ty>(),)* }
            }

            /// The name used in messages: `f32`, `i64`, `bool`, ...
            pub const fn name(self) -> &'static str {
                match self { $(DType::$name => stringify!($ty),)* }
            }

            /// What the elements are.
            pub const fn kind(self) -> Kind {
                match self { $(DType::$name => Kind::$kind,)* }
            }
        }

        $(impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const DTYPE: DType = DType::$name;
        })*
    };
}

dtypes!(define_dtypes!());

impl DType {
    /// Are the elements integers?
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Signed | Kind::Unsigned)
    }

    /// The element type of this name.
    pub fn parse(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|dtype| dtype.name() == name)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Runs an expression with the Rust type of an element type: `with_element!(dtype, T => size_of::<T>())`.
#[macro_export]
macro_rules! with_element {
    ($dtype:expr, $ty:ident => $body:expr) => {
        $crate::dtypes!(with_each_element! ($dtype, $ty => $body))
    };
}
pub(crate) use with_element;

#[doc(hidden)]
#[macro_export]
macro_rules! with_each_element {
    (($dtype:expr, $alias:ident => $body:expr) $($name:ident $ty:ident $kind:ident $doc:literal;)*) => {
        match $dtype {
            $($crate::DType::$name => {
                type $alias = $crate::elements::$ty;
                $body
            })*
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_rust_types() {
        for dtype in DType::ALL {
            with_element!(dtype, T => {
                assert_eq!(size_of::<T>(), dtype.size(), "{dtype}");
                assert_eq!(<T as Element>::DTYPE, dtype);
            });
        }
    }
}
