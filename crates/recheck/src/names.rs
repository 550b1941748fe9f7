//! Enumerations whose members have a name in the format.

/// An enumeration with the names of its members, and perhaps last members not found by their names alone.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($member:ident $text:literal,)* }
     $($extra:ident($of:ty) $also:literal)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) enum $name { $($member,)* $($extra($of),)* }

        impl $name {
            /// The member of a name.
            pub(crate) fn named(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$member),)* _ => None }
            }

            /// The name of a member.
            pub(crate) fn name(self) -> &'static str {
                match self { $($name::$member => $text,)* $($name::$extra(_) => $also,)* }
            }
        }
    };
}

pub(crate) use named;
