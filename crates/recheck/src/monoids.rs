//! Monoids: operations on tuples of scalars with laws that a file claims, and what these laws make equal.

use crate::context::{Entry, Type};
use crate::prelude::*;
use crate::subst::{Argument, Subst};
use crate::typing::Judge;

/// A field of a monoid's elements: its type, and its term of what is neutral and of a sum.
#[derive(PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) element: Element,
    pub(crate) zero: Term,
    pub(crate) sum: Term,
}

/// A monoid, with the laws that are claimed of it.
#[derive(PartialEq, Eq)]
pub(crate) struct Monoid {
    /// As the file spells it.
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) laws: Laws,
}

/// Monoids, each with laws of it that were used.
pub(crate) type Uses<'f> = Vec<(&'f Monoid, Laws)>;

/// A line that defines a monoid.
pub(crate) struct MonoidLine {
    pub(crate) monoid: Monoid,
    /// How far the sides of its laws may differ.
    pub(crate) rounding: Rounding,
    /// The line, from 1.
    pub(crate) line: u64,
}

/// The laws: how many elements each is of, and its sides, `+` before the two elements that are added.
const SIDES: [(&str, usize, [&str; 2]); 5] = [
    ("add_0_l", 1, ["+0a", "a"]),
    ("add_0_r", 1, ["+a0", "a"]),
    ("add_comm", 2, ["+ab", "+ba"]),
    ("add_assoc", 3, ["++abc", "+a+bc"]),
    ("add_idem", 1, ["+aa", "a"]),
];

/// A use of a law: the monoid's number, the law's place among [`SIDES`], the field, and the elements' terms.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(crate) monoid: usize,
    law: usize,
    field: u32,
    terms: Vec<Term>,
}

impl Use {
    /// A use of the law of this name, with the elements' terms.
    pub(crate) fn new(monoid: usize, law: &str, field: u32, terms: Vec<Term>) -> Checked<Use> {
        let law = SIDES.iter().position(|(name, ..)| *name == law).ok_or("an unknown law of a monoid")?;
        Ok(Use { monoid, law, field, terms })
    }

    pub(crate) fn law(&self) -> Laws {
        Laws::of(SIDES[self.law].0)
    }
}

impl Monoid {
    /// The laws that may be claimed.
    pub(crate) fn claimable() -> Laws {
        SIDES.iter().fold(Laws::NONE, |laws, (name, ..)| laws.and(Laws::of(name)))
    }

    fn terms(&self) -> impl Iterator<Item = Term> {
        self.fields.iter().flat_map(|field| [field.zero, field.sum])
    }

    /// The nodes of its terms.
    pub(crate) fn nodes(&self, store: &Store) -> u32 {
        self.terms().map(|term| store.measure(term).nodes).fold(0, u32::saturating_add)
    }

    /// How far floating point may differ between the sides of its laws.
    pub(crate) fn rounding(&self, store: &Store) -> Rounding {
        let floats = self.fields.iter().any(|field| field.element.scalar.is_float());
        if !floats && !self.terms().any(|term| store.has_floats(term)) {
            Rounding::Bitwise
        } else if self.terms().all(|term| store.chooses(term)) {
            Rounding::Finite
        } else {
            Rounding::Real
        }
    }

    /// The element that a side of a law is.
    fn side(&self, store: &Store, elements: &[&[Term]], side: &str) -> Checked<Vec<Term>> {
        let mut made = Vec::new();
        // From its end, the operands of a `+` are made before it, the first one last.
        for symbol in side.bytes().rev() {
            let element = match symbol {
                b'+' => {
                    let operands: Vec<Term> =
                        [made.pop(), made.pop()].into_iter().flatten().flatten().collect();
                    let arguments: Vec<_> = operands.into_iter().map(Argument::Tensor).collect();
                    let sum = |field: &Field| store.in_term(Subst::Arguments(&arguments), field.sum, 0);
                    self.fields.iter().map(sum).collect::<Checked<Vec<Term>>>()?
                }
                b'0' => self.fields.iter().map(|field| field.zero).collect(),
                letter => elements[usize::from(letter - b'a')].to_vec(),
            };
            made.push(element);
        }
        Ok(made.concat())
    }
}

impl Store {
    /// Does the term compute with floats anywhere, where its variables are none?
    fn has_floats(&self, term: Term) -> bool {
        let node = self.node(term);
        let itself = match node {
            TermNode::Literal(to, _) | TermNode::Index(to, _) | TermNode::Prim(Function::Cast(to), _) => {
                to.scalar.is_float()
            }
            TermNode::Op(def, ..) => self.has_floats(self.definition(def).body),
            _ => false,
        };
        itself || self.parts(node).terms.into_iter().any(|part| self.has_floats(part))
    }

    /// Does the term only compare and choose, with numbers that are not rounded?
    fn chooses(&self, term: Term) -> bool {
        use Function::{And, Eq, Le, Lt, Max, Min, Not, Or, Where};
        let node = self.node(term);
        let itself = match node {
            TermNode::Literal(element, Number::Decimal((m, x))) => {
                !element.scalar.is_float() || (x == 0 && (-256..=256).contains(&m))
            }
            TermNode::Free(_) | TermNode::Bound(_) | TermNode::Literal(..) | TermNode::Let(..) => true,
            TermNode::Prim(function, _) => [Where, Eq, Lt, Le, And, Or, Not, Min, Max].contains(&function),
            _ => false,
        };
        itself && self.parts(node).terms.into_iter().all(|part| self.chooses(part))
    }
}

impl Judge<'_> {
    /// Refuse a monoid that is not well-formed.
    pub(crate) fn admit_monoid(&mut self, monoid: &Monoid) -> Checked<()> {
        let given = std::mem::take(&mut self.context);
        for field in &monoid.fields {
            self.scalar(field.zero, field.element)?;
        }
        for field in monoid.fields.iter().chain(&monoid.fields) {
            let shape = self.store.ixs(&[])?;
            self.context.push(Entry::Tensor(Type { element: field.element, shape }))?;
        }
        for field in &monoid.fields {
            self.scalar(field.sum, field.element)?;
        }
        self.context = given;
        Ok(())
    }

    /// The term is a scalar of this type.
    fn scalar(&mut self, term: Term, element: Element) -> Checked<()> {
        let wanted = Type { element, shape: self.store.ixs(&[])? };
        require(self.type_of(term)? == wanted, "a term has another type than the field of a monoid")
    }

    /// The right side of a law for a term that is a field of the left one.
    pub(crate) fn by_law(&mut self, term: Term, monoid: &Monoid, by: &Use) -> Checked<Term> {
        let ((_, count, sides), fields, field) = (SIDES[by.law], monoid.fields.len(), by.field as usize);
        require(field < fields, "the monoid has no such field")?;
        require(by.law().within(monoid.laws), "the monoid does not claim the law")?;
        require(by.terms.len() == count * fields, "the law is of another number of elements")?;
        let mut elements = Vec::new();
        for element in by.terms.chunks(fields) {
            for (term, field) in element.iter().zip(&monoid.fields) {
                self.scalar(*term, field.element)?;
            }
            elements.push(element);
        }
        let [left, right] = sides.map(|side| monoid.side(&self.store, &elements, side));
        require(left?[field] == term, "the term is not that field of the law's left side")?;
        Ok(right?[field])
    }
}
