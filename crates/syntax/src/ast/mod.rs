//! The typed abstract syntax: what every other crate reads.
//!
//! The one idea: every node carries a span, and spans do not count in equality. `a == b` says that two
//! programs are the same program, wherever they were written; the tests of printer and formatter, and
//! anything that builds syntax from kernel terms, depend on that.
//!
//! Trees hold no comments and no redundant parentheses; those live in the token list, which is what the
//! formatter works on. Documentation comments are kept, on the items they document.

mod expr;
mod item;
mod step;

pub use expr::{
    AccessKind, Attribute, BinaryOp, Binder, BinderOp, CompareOp, ElementType, Expr, ExprKind, Format, Level,
    Name, Rounds, Shared, UnaryOp,
};
pub use item::{
    Const, Def, File, FormatDecl, Function, Import, Item, Monoid, Param, Schedule, Semiring, Theorem, Type,
    TypeKind, TypeParam, Use,
};
pub use step::{Argument, Block, Clause, LoopRef, Step};

/// Declares a node: the fields given and a `span`, compared without the span.
macro_rules! node {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $ty:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $ty,)*
            /// Where it is written.
            pub span: atl_diag::Span,
        }

        impl PartialEq for $name {
            fn eq(&self, other: &$name) -> bool {
                true $(&& self.$field == other.$field)*
            }
        }
    };
}
use node;
