//! Each operation as operations of TeIL.
//!
//! A value that is there for every element has their dimension in front while it is computed; positions are
//! then one more.

use super::parse::{Expr, Groups, Kind, Program, Variable};
use crate::Refusal;
use crate::language::{
    self as teil, Assignment, Declaration, Item, Placed, Pointwise, Shape, Size, contr, diag, expa, moved,
    mul, pointwise, prod, shape, sum, transp,
};
use atl_diag::{Span, err};
use atl_kernel::Scalar;

/// A value: its shape without the dimension of elements, and whether it has that.
struct Value {
    e: teil::Expr,
    shape: Shape,
    batched: bool,
}

struct Lowering<'p> {
    program: &'p Program,
}

/// The program in TeIL.
pub(super) fn lower(program: &Program) -> Result<teil::Program, Refusal> {
    let this = Lowering { program };
    let mut items = Vec::new();
    if let Some(elements) = &program.elements {
        for name in &elements.variables {
            if this.variable(&name.value).is_none() {
                return Err(Box::new(err!(E0295, name.span, "there is no variable `{}`", name.value)));
            }
        }
    }
    for variable in &program.variables {
        let mut shape = variable.shape.clone();
        if let Some((count, last)) = this.elements(&variable.name.value) {
            shape.insert(if last { shape.len() } else { 0 }, count.clone());
        }
        items.push(Item::Declare(Declaration {
            role: variable.role,
            name: variable.name.clone(),
            element: Scalar::F64,
            shape: shape.into_iter().map(Placed::unplaced).collect(),
        }));
    }
    for (target, value) in &program.statements {
        let batched = this.elements(&target.value);
        let found = this.value(value)?;
        let rank = found.shape.len();
        let fitting = match (batched, found.batched) {
            (Some((_, last)), _) => {
                let e = this.in_front(found);
                if last { moved(1, rank + 1, e) } else { e }
            }
            (None, false) => found.e,
            (None, true) => {
                return Err(Box::new(
                    err!(E0296, target.span, "`{}` has no dimension of elements", target.value)
                        .label("what it is assigned has one")
                        .help(format!("add `{}` to the list of `elem`", target.value)),
                ));
            }
        };
        let value = teil::Expr { span: value.span, ..fitting };
        items.push(Item::Assign(Assignment { target: target.clone(), value }));
    }
    Ok(teil::Program { items })
}

impl Lowering<'_> {
    fn variable(&self, name: &str) -> Option<&Variable> {
        self.program.variables.iter().find(|variable| variable.name.value == name)
    }

    /// How many elements a variable has, and whether their dimension is the last.
    fn elements(&self, name: &str) -> Option<(&Size, bool)> {
        let elements = self.program.elements.as_ref()?;
        let named = elements.variables.iter().any(|variable| variable.value == name);
        named.then_some((&elements.count, elements.last))
    }

    /// The value with the dimension of elements in front.
    fn in_front(&self, value: Value) -> teil::Expr {
        match (&self.program.elements, value.batched) {
            (Some(elements), false) => expa(1, elements.count.clone(), value.e),
            _ => value.e,
        }
    }

    fn value(&self, e: &Expr) -> Result<Value, Refusal> {
        let mut value = match &e.kind {
            Kind::Name(name) => {
                let variable = self.variable(name).ok_or_else(|| {
                    Box::new(err!(E0295, e.span, "there is no variable `{name}`").label("not declared"))
                })?;
                let (batched, rank) = (self.elements(name), variable.shape.len());
                let whole = teil::Expr::name(name);
                let whole = if let Some((_, true)) = batched { moved(rank + 1, 1, whole) } else { whole };
                Value { e: whole, shape: variable.shape.clone(), batched: batched.is_some() }
            }
            Kind::Number(text) => {
                let e = teil::Expr::new(teil::Kind::Number(text.clone()));
                Value { e, shape: vec![], batched: false }
            }
            Kind::Binary(sign, a, b) => {
                let (left, right) = (self.value(a)?, self.value(b)?);
                self.binary(e.span, *sign, left, right)?
            }
            Kind::Contract(a, groups) => contracted(e.span, self.value(a)?, groups)?,
            Kind::Exchange(a, groups) => exchanged(self.value(a)?, groups)?,
            Kind::Stack(all) => self.stack(e.span, all)?,
        };
        value.e.span = e.span;
        Ok(value)
    }

    fn binary(&self, span: Span, sign: char, a: Value, b: Value) -> Result<Value, Refusal> {
        let refused = |why: &str, help: &str| {
            let (left, right) = (shape(&a.shape), shape(&b.shape));
            Err(Box::new(err!(E0296, span, "`{sign}` of {left} and {right}").label(why).help(help)))
        };
        let batched = a.batched || b.batched;
        match sign {
            '#' if a.shape.is_empty() || b.shape.is_empty() => {
                refused("an outer product is of two tensors", "a scalar scales with `*`")
            }
            '#' => Ok(outer(a, b)),
            '.' => match (a.shape.last(), b.shape.first()) {
                (Some(last), Some(first)) if last == first => {
                    let (k, at) = (a.shape.len(), usize::from(batched));
                    let product = outer(a, b);
                    let mut shape = product.shape;
                    shape.drain(k - 1..=k);
                    Ok(Value { e: contr(k + at, k + 1 + at, product.e), shape, batched })
                }
                _ => refused(
                    "the last size of one and the first of the other must be equal",
                    "`a . [[i j]]` contracts other dimensions, of `a` alone",
                ),
            },
            '*' if a.shape.is_empty() && !a.batched => {
                Ok(Value { shape: b.shape, e: mul(a.e, b.e), batched })
            }
            '*' | '/' if a.shape != b.shape && (b.shape.is_empty() || a.shape.is_empty()) => {
                if sign == '*' && !a.shape.is_empty() {
                    return refused("the scalar stands on the left", "exchange the operands");
                }
                if sign == '/' && !b.shape.is_empty() {
                    return refused(
                        "only a scalar divides all",
                        "divide element by element, by a tensor of this shape",
                    );
                }
                let shape = if a.shape.is_empty() { b.shape.clone() } else { a.shape.clone() };
                let op = (sign == '/').then_some(Pointwise::Div);
                Ok(self.alike(op, (a, b), shape))
            }
            _ if a.shape != b.shape => refused("the shapes must be equal", "`^` exchanges dimensions"),
            _ => {
                let op = match sign {
                    '+' => Some(Pointwise::Add),
                    '-' => Some(Pointwise::Sub),
                    '/' => Some(Pointwise::Div),
                    _ => None,
                };
                let shape = a.shape.clone();
                Ok(self.alike(op, (a, b), shape))
            }
        }
    }

    /// An operation on two values that are brought to one shape; `mul` if none is given.
    fn alike(&self, op: Option<Pointwise>, (a, b): (Value, Value), shape: Shape) -> Value {
        let batched = a.batched || b.batched;
        let fit = |value: Value| {
            let scalar = value.shape.is_empty();
            let e = if batched { self.in_front(value) } else { value.e };
            let at = 1 + usize::from(batched);
            let sizes = shape.iter().enumerate().filter(|_| scalar);
            sizes.fold(e, |e, (k, size)| expa(at + k, size.clone(), e))
        };
        let (a, b) = (fit(a), fit(b));
        let e = match op {
            Some(op) => pointwise(op, a, b),
            None => mul(a, b),
        };
        Value { e, shape, batched }
    }

    fn stack(&self, span: Span, all: &[Expr]) -> Result<Value, Refusal> {
        let values = all.iter().map(|e| self.value(e)).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = values.first().map(|value| value.shape.clone()) else {
            return Err(Box::new(
                err!(E0296, span, "a stack of nothing").help("write what is side by side in it"),
            ));
        };
        if let Some(other) = values.iter().find(|value| value.shape != first) {
            let (first, other) = (shape(&first), shape(&other.shape));
            let refusal =
                err!(E0296, span, "a stack of {first} and {other}").label("the shapes must be equal");
            return Err(Box::new(refusal.help("`^` exchanges dimensions")));
        }
        let batched = values.iter().any(|value| value.batched);
        let count = Size::Number(values.len() as u64);
        let parts = values.into_iter().map(|value| if batched { self.in_front(value) } else { value.e });
        let e = teil::Expr::new(teil::Kind::Stack(parts.collect()));
        let e = if batched { transp(1, 2, e) } else { e };
        Ok(Value { e, shape: [vec![count], first].concat(), batched })
    }
}

/// `a # b`, for each element if either is.
fn outer(a: Value, b: Value) -> Value {
    let rank = a.shape.len();
    let product = prod(a.e, b.e);
    let e = match (a.batched, b.batched) {
        (true, true) => diag(1, rank + 2, product),
        (false, true) => moved(rank + 1, 1, product),
        (_, false) => product,
    };
    Value { e, shape: [a.shape, b.shape].concat(), batched: a.batched || b.batched }
}

/// All groups at once; the others keep their order.
fn contracted(span: Span, a: Value, groups: &Groups) -> Result<Value, Refusal> {
    let Value { mut e, shape: whole, batched } = a;
    let mut left: Vec<usize> = (0..whole.len()).collect();
    if groups.iter().all(Vec::is_empty) {
        return Err(Box::new(
            err!(E0296, span, "a contraction of nothing").help("name positions: `a . [[0 1]]`"),
        ));
    }
    for (k, group) in groups.iter().enumerate() {
        let earlier = || groups[..k].iter().flatten();
        for (j, position) in group.iter().enumerate() {
            check_position(&whole, position)?;
            if earlier().chain(&group[..j]).any(|other| other.value == position.value) {
                return Err(Box::new(err!(
                    E0296,
                    position.span,
                    "position {} is named twice",
                    position.value
                )));
            }
            let (first, size) = (&whole[group[0].value], &whole[position.value]);
            if first != size {
                let message = format!(
                    "positions {} and {} have sizes {first} and {size}",
                    group[0].value, position.value
                );
                return Err(Box::new(
                    err!(E0296, group[0].span.to(position.span), "{message}")
                        .label(format!("of {}, counted from 0", shape(&whole)))
                        .help("contract dimensions of one size"),
                ));
            }
        }
        let mut group: Vec<usize> = group.iter().map(|position| position.value).collect();
        group.sort_unstable();
        let place = |left: &[usize], position: usize| {
            1 + usize::from(batched) + left.iter().position(|p| *p == position).unwrap_or(0)
        };
        let Some((&first, others)) = group.split_first() else { continue };
        for (rest, &position) in others.iter().enumerate().rev() {
            let (p, q) = (place(&left, first), place(&left, position));
            left.retain(|p| *p != position);
            if rest == 0 {
                e = contr(p, q, e);
                left.retain(|p| *p != first);
            } else {
                e = diag(p, q, e);
            }
        }
        if others.is_empty() {
            e = sum(place(&left, first), e);
            left.retain(|p| *p != first);
        }
    }
    let shape = left.iter().map(|p| whole[*p].clone()).collect();
    Ok(Value { e, shape, batched })
}

fn exchanged(a: Value, groups: &Groups) -> Result<Value, Refusal> {
    let Value { mut e, mut shape, batched } = a;
    for group in groups {
        for position in group {
            check_position(&shape, position)?;
        }
        match group.as_slice() {
            [i, j] if i.value != j.value => {
                let at = 1 + usize::from(batched);
                e = transp(i.value + at, j.value + at, e);
                shape.swap(i.value, j.value);
            }
            [first, ..] => {
                return Err(Box::new(
                    err!(E0296, first.span, "`^` exchanges two dimensions at a time")
                        .help("write pairs: `a ^ [[0 1] [1 2]]`"),
                ));
            }
            [] => {}
        }
    }
    Ok(Value { e, shape, batched })
}

fn check_position(of: &[Size], position: &Placed<usize>) -> Result<(), Refusal> {
    if position.value < of.len() {
        return Ok(());
    }
    Err(Box::new(
        err!(E0296, position.span, "there is no position {} in {}", position.value, shape(of))
            .label("positions count from 0 here"),
    ))
}
