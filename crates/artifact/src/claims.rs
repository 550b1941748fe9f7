//! The laws of a program's own monoids on which a theorem rests, in words: nobody checks them, and who reads
//! what was proved reads these too.

use atl_kernel::{Ctx, Label, Laws, Thm, Type};
use atl_lang::print::{Options, print};
use atl_syntax::Style;

/// A monoid, and the laws of it that a theorem uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The monoid's name.
    pub name: String,
    /// The laws.
    pub laws: Laws,
    /// The type of each field, what is neutral, and the sum of `a` and `b`. Their fields are called `a.0`,
    /// `a.1` and so on: nothing that is proved says what the program calls them.
    pub fields: Vec<Field>,
}

/// A field of a monoid, printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its element type.
    pub ty: String,
    /// What is neutral.
    pub zero: String,
    /// The sum.
    pub sum: String,
}

/// The laws that a theorem uses, of the algebra and of monoids.
pub(crate) fn laws_used(thm: &Thm) -> String {
    let claimed = thm.claims().into_iter().map(|(monoid, laws)| format!("{laws} of {}", monoid.name()));
    let own = (!thm.laws().is_empty()).then(|| thm.laws().to_string());
    let all: Vec<String> = own.into_iter().chain(claimed).collect();
    if all.is_empty() { thm.laws().to_string() } else { all.join("; ") }
}

/// What a theorem rests on.
pub fn claims(thm: &Thm) -> Vec<Claimed> {
    let options = Options { style: Style::LINE, explicit: true, annotations: false };
    let claimed = thm.claims().into_iter().map(|(monoid, laws)| {
        let mut operands = Ctx::new();
        for element in ["a", "b"] {
            for (k, elem) in monoid.fields().iter().enumerate() {
                let scalar = Type { elem: *elem, shape: Vec::new() };
                operands.push_tensor(Label::new(&format!("{element}.{k}")), scalar);
            }
        }
        let terms = monoid.fields().iter().zip(monoid.zero().iter().zip(monoid.formulas()));
        let field = |(elem, (zero, sum)): (&_, (&_, &_))| Field {
            ty: atl_kernel::Elem::to_string(elem),
            zero: print(&Ctx::new(), zero, Some(*elem), options),
            sum: print(&operands, sum, Some(*elem), options),
        };
        Claimed { name: monoid.name().to_owned(), laws, fields: terms.map(field).collect() }
    });
    claimed.collect()
}
