//! Complex numbers: `c64` and `c128`, whose values are two tensors, of the real and of the imaginary parts.
//!
//! **The one idea.** Which expressions are complex, the types of names decide, without extents. So before
//! anything is elaborated, a function with complex numbers becomes one of their parts: a parameter `z` is
//! two, `z_re` and `z_im`, as is a
//! `let`, a state and a result, and each operation becomes its formula. Everything after this knows of real
//! numbers alone, and each law of theirs holds of each part. What is computed for both parts has a name, a
//! `let` where the body, the value or the branch begins in which it stands.
//!
//! A [`Complex`] keeps what was one in the text, for calls and for messages.

mod arithmetic;
mod calls;
mod head;
mod messages;
mod named;
mod rounds;
mod text;
mod value;

use crate::module::Complex;
use atl_diag::{Diagnostic, Span};
use atl_syntax::ast::{Expr, Item, Name};
use head::Head;
pub use messages::Messages;
use std::collections::{BTreeMap, BTreeSet};

/// A type of complex numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Width {
    C64,
    C128,
}

impl Width {
    const ALL: [Width; 2] = [Width::C64, Width::C128];

    fn parse(name: &str) -> Option<Width> {
        Width::ALL.into_iter().find(|width| width.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Width::C64 => "c64",
            Width::C128 => "c128",
        }
    }

    /// The type of the parts.
    fn part(self) -> &'static str {
        match self {
            Width::C64 => "f32",
            Width::C128 => "f64",
        }
    }
}

/// An expression of real numbers, or the two parts of a complex one.
enum Value {
    Plain(Expr),
    /// Without a type, which its place decides, it is a literal.
    Complex(Option<Width>, Box<[Expr; 2]>),
}

/// Something that has a name where the body begins: for both parts, or for several results.
struct Pending {
    names: Vec<Name>,
    value: Expr,
}

/// What is known of the file where a function is split.
#[derive(Default)]
struct File {
    heads: BTreeMap<String, Head>,
    constants: BTreeMap<String, Width>,
}

/// A function that is being split.
struct Split<'a> {
    file: &'a File,
    /// The names that the text has given something to, complex or not.
    scope: Vec<(String, Option<Width>)>,
    /// Names of numbers, not of tensors.
    numbers: BTreeSet<String>,
    /// The indices whose ranges are those of what is read at them.
    open: Vec<String>,
    pending: Vec<Pending>,
    /// Every name of the function.
    taken: BTreeSet<String>,
    /// How many nodes parts have so far, copies included.
    size: usize,
    diagnostics: Vec<Diagnostic>,
    messages: Messages,
}

impl<'a> Split<'a> {
    fn new(file: &'a File) -> Split<'a> {
        Split {
            file,
            scope: Vec::new(),
            numbers: BTreeSet::new(),
            open: Vec::new(),
            pending: Vec::new(),
            taken: BTreeSet::new(),
            size: 0,
            diagnostics: Vec::new(),
            messages: Messages::default(),
        }
    }

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.diagnostics.push(diagnostic);
        None
    }

    fn bind(&mut self, name: &Name, width: Option<Width>) {
        if let Some(width) = width {
            self.messages.names.insert(name.text.clone(), width);
        }
        self.scope.push((name.text.clone(), width));
    }

    /// Whether the name is that of a complex number or tensor.
    fn width(&self, name: &str) -> Option<Width> {
        let own = self.scope.iter().rev().find(|(bound, _)| bound == name).map(|(_, width)| *width);
        own.unwrap_or_else(|| self.file.constants.get(name).copied())
    }
}

/// The names of the two parts of what has this name.
fn parts_of(name: &str) -> [String; 2] {
    [format!("{name}_re"), format!("{name}_im")]
}

/// The names of the two parts, at a place.
fn names_of(name: &Name) -> [Name; 2] {
    parts_of(&name.text).map(|part| Name::new(part, name.span))
}

/// What was complex in the items, by function.
#[derive(Default)]
pub(super) struct Found {
    pub(super) complex: BTreeMap<String, Vec<Complex>>,
    pub(super) messages: BTreeMap<String, Messages>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The items, with the parts of complex numbers in place of these.
pub(super) fn split(items: &[Item]) -> (Vec<Item>, Found) {
    let mut found = Found::default();
    let mut file = File::default();
    for item in items {
        match item {
            Item::Function(f) => {
                file.heads.insert(f.name.text.clone(), Head::of(f));
            }
            Item::Const(c) => {
                file.constants.extend(head::width(&c.ty).map(|width| (c.name.text.clone(), width)));
            }
            _ => {}
        }
    }
    let mut made = Vec::new();
    for item in items {
        let mut split = Split::new(&file);
        let new = match item {
            Item::Function(f) if split.concerns(f) => {
                let function = split.function(f).map(|(function, complex)| {
                    found.complex.insert(f.name.text.clone(), complex);
                    vec![Item::Function(function)]
                });
                found.messages.insert(f.name.text.clone(), std::mem::take(&mut split.messages));
                function
            }
            Item::Const(c) if split.is_complex(c) => {
                let constants = split.constant(c);
                for name in parts_of(&c.name.text) {
                    found.messages.insert(name, split.messages.clone());
                }
                constants
            }
            item => Some(vec![item.clone()]),
        };
        let refused = split.diagnostics.iter().any(Diagnostic::is_error);
        found.diagnostics.extend(split.diagnostics);
        made.extend(new.filter(|_| !refused).unwrap_or_default());
    }
    (made, found)
}

/// Where two expressions stand.
fn both(a: &Expr, b: &Expr) -> Span {
    a.span.to(b.span)
}
