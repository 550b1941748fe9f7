//! Values: that an expression of the loops gives a scalar of the term, where the tensors are in memory.

use super::fill::Filling;
use super::{Gives, Step, Value, machine};
use crate::prelude::*;

impl Filling<'_> {
    /// The value of a line gives a scalar of the term, by a reading; the scalar's element type.
    pub(super) fn value(&mut self, value: usize, e: Term, reading: usize) -> Checked<Element> {
        let step = &self.program.readings[reading];
        self.replayed(step.line, &step.certificates, |this| this.given(value, e, step))
    }

    fn given(&mut self, value: usize, e: Term, step: &Step<Gives>) -> Checked<Element> {
        let (value_line, node) = (value, self.judge.store.node(e));
        let part = |k: usize| step.parts.get(k).copied().ok_or("a reading has too few parts");
        match (step.form, node, &self.program.values[value]) {
            (Gives::Load, _, Value::Load(buffer, cell)) => self.load(*buffer, *cell, e),
            (Gives::Const, TermNode::Literal(element, number), _) => {
                self.constant(value, element, number)?;
                Ok(element)
            }
            (Gives::Index, TermNode::Index(element, i), value) => {
                let given = match value {
                    Value::Integer(given) if element.scalar == Scalar::I64 => *given,
                    Value::Convert(scalar, inner) if *scalar == element.scalar => {
                        match &self.program.values[*inner] {
                            Value::Integer(given) => *given,
                            _ => return wrong_value(),
                        }
                    }
                    _ => return wrong_value(),
                };
                self.gives(given, i)?;
                Ok(element)
            }
            (Gives::View, TermNode::View(algebra, inner), _) => {
                let element = self.value(value_line, inner, part(0)?)?;
                require(algebra.admits(element.scalar), "a view's algebra does not admit the scalar")?;
                Ok(Element { algebra, ..element })
            }
            (Gives::Operation, TermNode::Prim(function, operands), Value::Operation(machine, values)) => {
                let operands = self.judge.store.term_list(operands);
                let fits = operands.len() == values.len() && values.len() == step.parts.len();
                require(fits, "an operation of the loops has other operands than the term's")?;
                let mut elements = Vec::new();
                for ((operand, value), part) in operands.iter().zip(values).zip(&step.parts) {
                    elements.push(self.value(*value, *operand, *part)?);
                }
                let of = *elements.first().ok_or("an operation has no operand")?;
                let same = machine::operation(function, of) == *machine;
                require(same, "an operation of the loops is another than the term's")?;
                function.result(&elements).ok_or("an operation has operands of wrong types".into())
            }
            (
                Gives::Operation,
                TermNode::Prim(Function::Cast(to), operands),
                Value::Convert(scalar, inner),
            ) => {
                let ([operand], [part], true) =
                    (&self.judge.store.term_list(operands)[..], &step.parts[..], *scalar == to.scalar)
                else {
                    return wrong_value();
                };
                let element = self.value(*inner, *operand, *part)?;
                Function::Cast(to)
                    .result(&[element])
                    .ok_or("a conversion has an operand of a wrong type".into())
            }
            (Gives::Guard, TermNode::Guard(p, inner), Value::Select(condition, then, otherwise)) => {
                self.decides(*condition, p)?;
                let part = part(0)?;
                let element = self.assuming(p, |this| this.value(*then, inner, part))?;
                self.constant(*otherwise, element, Number::Zero)?;
                Ok(element)
            }
            (Gives::GuardTrue, TermNode::Guard(p, inner), _) => {
                self.show(p)?;
                self.value(value_line, inner, part(0)?)
            }
            (Gives::GuardFalse, TermNode::Guard(p, inner), _) => {
                let element = self.judge.type_of(inner)?.element;
                self.constant(value, element, Number::Zero)?;
                self.deny(p)?;
                Ok(element)
            }
            (Gives::Select, TermNode::Select(p, a, b), Value::Select(condition, then, otherwise)) => {
                self.decides(*condition, p)?;
                let (first, second) = (part(0)?, part(1)?);
                let element = self.assuming(p, |this| this.value(*then, a, first))?;
                let not = self.judge.store.pred(PredNode::Not(p))?;
                let other = self.assuming(not, |this| this.value(*otherwise, b, second))?;
                require(element == other, "the two sides of a choice have different types")?;
                Ok(element)
            }
            (Gives::SelectTrue, TermNode::Select(p, a, _), _) => {
                self.show(p)?;
                self.value(value_line, a, part(0)?)
            }
            (Gives::SelectFalse, TermNode::Select(p, _, b), _) => {
                self.deny(p)?;
                self.value(value_line, b, part(0)?)
            }
            (form, ..) => {
                refuse(format!("a value has not the form that the reading `{}` asks for", form.name()))
            }
        }
    }

    /// A value of the loops is a number of an element type.
    pub(super) fn constant(&self, value: usize, element: Element, number: Number) -> Checked<()> {
        let Value::Literal(scalar, bits) = self.program.values[value] else { return wrong_value() };
        let same = scalar == element.scalar && machine::bits(element, number) == Some(bits);
        require(same, "a number of the loops is another than the term's")
    }

    /// A cell of a tensor that is in memory.
    fn load(&mut self, buffer: usize, cell: Ix, e: Term) -> Checked<Element> {
        let (mut head, mut at) = (e, Vec::new());
        while let TermNode::Get(inner, i) = self.judge.store.node(head) {
            at.insert(0, i);
            head = inner;
        }
        let TermNode::Free(level) = self.judge.store.node(head) else { return wrong_value() };
        require(self.is_known(level, buffer), "a cell of another tensor is read")?;
        let ty = self.judge.type_of(head)?;
        let extents = self.judge.store.ix_list(ty.shape);
        require(extents.len() == at.len(), "a tensor is read with another number of indices")?;
        let cell = self.index(cell)?;
        self.reads(cell)?;
        let wanted = self.cell_of(level, &extents, &at)?;
        self.equal(cell, wanted)?;
        Ok(ty.element)
    }
}

fn wrong_value<T>() -> Checked<T> {
    refuse("a value of the loops is not of the form that its reading says")
}
