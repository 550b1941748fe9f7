//! Values and conditions in one form each: what the text computes and what the loops do are compared by
//! their numbers.
//!
//! The identities between forms are those of the document `text-format.md`, and each holds for all
//! operands: index terms of one polynomial, conditions by the difference of their sides, sums that wrap in
//! a wider type.

use crate::intern::Interner;
use crate::poly::Poly;
use crate::prelude::*;
use crate::program::{Buffer, Program};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// A value, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Val(u32);

/// A condition, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Cond(u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum ValNode {
    Literal(Scalar, u64),
    /// An index term as an `i64`.
    Integer(Ix),
    Load(usize, Ix),
    Convert(Scalar, Val),
    /// An operation on operands of a type.
    Operation(Function, Scalar, Vec<Val>),
    Select(Cond, Val, Val),
    /// Like nothing else.
    Unknown(u32, Scalar),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum CondNode {
    True,
    False,
    /// The index term is above 0.
    Positive(Ix),
    /// The index term is 0.
    Zero(Ix),
    /// The first index term is below the second; they are equal. So it is where a difference would be
    /// another computation: it could leave 64 bits, or have no read of memory.
    Less(Ix, Ix),
    Same(Ix, Ix),
    Not(Cond),
    And(Cond, Cond),
    Or(Cond, Cond),
    /// A truth value.
    Holds(Val),
}

/// All values and conditions of a comparison.
pub(super) struct Values<'p> {
    pub(super) store: &'p Store,
    pub(super) program: &'p Program,
    /// The type of each buffer.
    pub(super) types: Vec<Scalar>,
    vals: Interner<ValNode, Scalar>,
    conds: Interner<CondNode>,
    /// The first index term that had these polynomials: as it is, and where each remainder is a variable.
    terms: RefCell<HashMap<[Poly; 2], Ix>>,
    /// Index terms, and what they are where each remainder is a variable.
    opaque: RefCell<HashMap<Ix, Ix>>,
    /// For the polynomial of each remainder, its variable.
    remainders: RefCell<HashMap<Poly, Ix>>,
    /// Was anything compared whose sides cancel, so that the same comparison may look like another?
    pub(super) cancels: Cell<bool>,
}

impl<'p> Values<'p> {
    pub(super) fn new(store: &'p Store, program: &'p Program, types: Vec<Scalar>) -> Self {
        let (vals, conds) = (Interner::default(), Interner::default());
        let (terms, opaque, remainders, cancels) = Default::default();
        Values { store, program, types, vals, conds, terms, opaque, remainders, cancels }
    }

    /// The one index term with its polynomials. In that of a remainder, what it is computed from may cancel.
    pub(super) fn canonical(&self, ix: Ix) -> Checked<Ix> {
        let polynomials = [self.store.poly(ix)?, self.store.poly(self.opaque(ix)?)?];
        Ok(*self.terms.borrow_mut().entry(polynomials).or_insert(ix))
    }

    pub(super) fn op(&self, op: IxOp, a: Ix, b: Ix) -> Checked<Ix> {
        self.store.ix(IxNode::Op(op, a, b))
    }

    /// The index term with a variable of its own for each remainder, whose polynomial has more than C
    /// computes with.
    pub(super) fn opaque(&self, ix: Ix) -> Checked<Ix> {
        self.store.work(1)?;
        if let Some(known) = self.opaque.borrow().get(&ix) {
            return Ok(*known);
        }
        let found = match self.store.ix_node(ix) {
            IxNode::Op(IxOp::Mod, ..) => {
                let (poly, mut known) = (self.store.poly(ix)?, self.remainders.borrow_mut());
                let count = u32::try_from(known.len()).unwrap_or(u32::MAX / 4);
                let own = self.store.free_ix(u32::MAX / 2 + count)?;
                *known.entry(poly).or_insert(own)
            }
            IxNode::Op(op, a, b) => self.op(op, self.opaque(a)?, self.opaque(b)?)?,
            IxNode::Read(array, at) => {
                let at = self.store.ix_list(at).into_iter().map(|i| self.opaque(i));
                self.store.ix(IxNode::Read(array, self.store.ixs(&at.collect::<Checked<Vec<_>>>()?)?))?
            }
            _ => ix,
        };
        self.opaque.borrow_mut().insert(ix, found);
        Ok(found)
    }

    fn add(&self, node: ValNode) -> Checked<Val> {
        self.store.work(1)?;
        let scalar = |node: &ValNode| match node {
            ValNode::Literal(scalar, _) | ValNode::Convert(scalar, _) | ValNode::Unknown(_, scalar) => {
                *scalar
            }
            ValNode::Integer(_) => Scalar::I64,
            ValNode::Load(buffer, _) => self.types[*buffer],
            ValNode::Operation(Function::Eq | Function::Lt | Function::Le, ..) => Scalar::Bool,
            ValNode::Operation(_, scalar, _) => *scalar,
            ValNode::Select(_, then, _) => self.scalar(*then),
        };
        self.vals.add(node, |node| Ok(scalar(node))).map(Val)
    }

    pub(super) fn node(&self, val: Val) -> ValNode {
        self.vals.at(val.0)
    }

    /// The type of a value.
    pub(super) fn scalar(&self, val: Val) -> Scalar {
        self.vals.about(val.0)
    }

    /// A number; of those that are none, all bits are alike.
    pub(super) fn literal(&self, scalar: Scalar, bits: u64) -> Checked<Val> {
        let is_nan = match scalar {
            Scalar::F32 => u32::try_from(bits).is_ok_and(|bits| f32::from_bits(bits).is_nan()),
            Scalar::F64 => f64::from_bits(bits).is_nan(),
            _ => false,
        };
        self.add(ValNode::Literal(scalar, if is_nan { u64::MAX } else { bits }))
    }

    /// An integer of a type, if it is one of it.
    pub(super) fn number(&self, scalar: Scalar, value: i128) -> Checked<Option<Val>> {
        let Some((least, greatest)) = range(scalar).filter(|_| !scalar.is_float()) else { return Ok(None) };
        if value < least || greatest < value {
            return Ok(None);
        }
        self.literal(scalar, value as u64 & mask(scalar)).map(Some)
    }

    /// An index term as an `i64`: an element is what is loaded.
    pub(super) fn integer(&self, ix: Ix) -> Checked<Val> {
        let ix = self.canonical(ix)?;
        if let Some(value) =
            self.store.poly(ix).ok().and_then(|poly| self.store.polynomials.as_constant(poly))
            && let Some(literal) = self.number(Scalar::I64, value)?
        {
            return Ok(literal);
        }
        if let IxNode::Read(array, at) = self.store.ix_node(ix)
            && let (TermNode::Free(level), [cell]) = (self.store.node(array), &self.store.ix_list(at)[..])
            && let Some(buffer) = self.program.input(level)
        {
            return self.convert(Scalar::I64, self.load(buffer, *cell)?);
        }
        self.add(ValNode::Integer(ix))
    }

    pub(super) fn load(&self, buffer: usize, cell: Ix) -> Checked<Val> {
        self.add(ValNode::Load(buffer, self.canonical(cell)?))
    }

    /// Something of which nothing is known.
    pub(super) fn unknown(&self, number: u32, scalar: Scalar) -> Checked<Val> {
        self.add(ValNode::Unknown(number, scalar))
    }

    /// A conversion. What wraps in a wider type, and is then cut, wraps in the narrow one.
    pub(super) fn convert(&self, to: Scalar, val: Val) -> Checked<Val> {
        if self.scalar(val) == to {
            return Ok(val);
        }
        if let (true, ValNode::Literal(from, bits)) = (is_integer(to), self.node(val))
            && is_integer(from)
        {
            return self.literal(to, signed(from, bits) as u64 & mask(to));
        }
        // A wider type of integers has the same number.
        if let ValNode::Convert(wide, inner) = self.node(val)
            && has_all(wide, self.scalar(inner))
        {
            return self.convert(to, inner);
        }
        if is_half(self.scalar(val)) && to != Scalar::F32 {
            return self.convert(to, self.convert(Scalar::F32, val)?);
        }
        // What lies beyond the ends of a type becomes its end, whether or not it is brought there before.
        if let (true, ValNode::Operation(limit, _, operands)) = (is_integer(to), self.node(val))
            && let ([inner, end], Some((least, greatest))) = (&operands[..], range(to))
            && let Some(end) = self.float(*end)
            && (limit == Function::Min && end >= greatest as f64
                || limit == Function::Max && end <= least as f64)
        {
            return self.convert(to, *inner);
        }
        if let ValNode::Operation(function @ (Function::Add | Function::Sub | Function::Mul), wide, operands) =
            self.node(val)
            && is_integer(wide)
            && !is_signed(wide)
            && is_integer(to)
            && bits(to) <= bits(wide)
            && let [a, b] = operands[..]
            && let (Some(a), Some(b)) = (self.cut(to, wide, a)?, self.cut(to, wide, b)?)
        {
            return self.operation(function, to, vec![a, b]);
        }
        self.add(ValNode::Convert(to, val))
    }

    /// The number that a literal of a float type is.
    fn float(&self, val: Val) -> Option<f64> {
        match self.node(val) {
            ValNode::Literal(Scalar::F32, bits) => Some(f32::from_bits(u32::try_from(bits).ok()?).into()),
            ValNode::Literal(Scalar::F64, bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// The value of a type of which this one is the conversion to a wide type.
    fn cut(&self, to: Scalar, wide: Scalar, val: Val) -> Checked<Option<Val>> {
        Ok(match self.node(val) {
            ValNode::Convert(_, inner) if self.scalar(inner) == to => Some(inner),
            ValNode::Convert(_, inner) if has_all(to, self.scalar(inner)) => Some(self.convert(to, inner)?),
            ValNode::Literal(scalar, bits) if scalar == wide => Some(self.literal(to, bits & mask(to))?),
            _ => None,
        })
    }

    pub(super) fn operation(&self, function: Function, scalar: Scalar, operands: Vec<Val>) -> Checked<Val> {
        if is_half(scalar)
            && !matches!(function, Function::Neg | Function::Abs | Function::Fma | Function::Where)
        {
            let operands = operands.into_iter().map(|operand| self.convert(Scalar::F32, operand));
            let result = self.operation(function, Scalar::F32, operands.collect::<Checked<_>>()?)?;
            let is_truth = self.scalar(result) == Scalar::Bool;
            return if is_truth { Ok(result) } else { self.convert(scalar, result) };
        }
        match (function, &operands[..]) {
            (Function::Where, [condition, then, otherwise]) => {
                self.select(self.holds(*condition)?, *then, *otherwise)
            }
            (Function::Neg, [a]) if is_integer(scalar) => {
                self.operation(Function::Sub, scalar, vec![self.literal(scalar, 0)?, *a])
            }
            (Function::Neg, [a]) => match self.node(*a) {
                ValNode::Literal(Scalar::F32, bits) if bits != u64::MAX => {
                    self.literal(scalar, bits ^ 1 << 31)
                }
                ValNode::Literal(Scalar::F64, bits) if bits != u64::MAX => {
                    self.literal(scalar, bits ^ 1 << 63)
                }
                _ => self.add(ValNode::Operation(function, scalar, operands)),
            },
            (Function::Abs, [a]) if is_integer(scalar) && !is_signed(scalar) => Ok(*a),
            _ => self.add(ValNode::Operation(function, scalar, operands)),
        }
    }

    pub(super) fn select(&self, condition: Cond, then: Val, otherwise: Val) -> Checked<Val> {
        match self.cond_node(condition) {
            CondNode::True => Ok(then),
            CondNode::False => Ok(otherwise),
            _ => self.add(ValNode::Select(condition, then, otherwise)),
        }
    }

    /// The value as an index term, if it is an integer that is none of the program's own.
    fn as_index(&self, val: Val) -> Checked<Option<Ix>> {
        Ok(match self.node(val) {
            ValNode::Integer(ix) => Some(ix),
            ValNode::Literal(scalar, bits) if scalar.is_index() => {
                let value = signed(scalar, bits);
                Some(self.store.literal(i64::try_from(value).unwrap_or(i64::MAX))?)
            }
            ValNode::Load(buffer, cell) => self.element(buffer, cell)?,
            ValNode::Convert(to, inner) if has_all(to, self.scalar(inner)) => self.as_index(inner)?,
            _ => None,
        })
    }

    /// A cell of an input as an index term, if it holds an integer.
    pub(super) fn element(&self, buffer: usize, cell: Ix) -> Checked<Option<Ix>> {
        let Some(Buffer::Input(level)) = self.program.buffer(buffer) else { return Ok(None) };
        if !self.types[buffer].is_index() {
            return Ok(None);
        }
        let array = self.store.term(TermNode::Free(level))?;
        let read = self.store.ix(IxNode::Read(array, self.store.ixs(&[self.canonical(cell)?])?))?;
        self.canonical(read).map(Some)
    }

    fn cond(&self, node: CondNode) -> Checked<Cond> {
        self.store.work(1)?;
        self.conds.add(node, |_| Ok(())).map(Cond)
    }

    pub(super) fn cond_node(&self, cond: Cond) -> CondNode {
        self.conds.at(cond.0)
    }

    pub(super) fn truth(&self, value: bool) -> Checked<Cond> {
        self.cond(if value { CondNode::True } else { CondNode::False })
    }

    /// Does an index term read numbers of 64 bits, to which nothing can be added safely?
    pub(super) fn is_wide(&self, ix: Ix) -> Checked<bool> {
        self.store.work(1)?;
        Ok(match self.store.ix_node(ix) {
            IxNode::Literal(_) | IxNode::Free(_) | IxNode::Bound(_) => false,
            IxNode::Op(_, a, b) => self.is_wide(a)? || self.is_wide(b)?,
            IxNode::Read(array, at) => {
                let buffer = match self.store.node(array) {
                    TermNode::Free(level) => self.program.input(level),
                    _ => None,
                };
                let mut is_wide = buffer.is_none_or(|buffer| bits(self.types[buffer]) == 64);
                for i in self.store.ix_list(at) {
                    is_wide = is_wide || self.is_wide(i)?;
                }
                is_wide
            }
        })
    }

    /// Has what is made of two index terms all that they have, but perhaps some of a constant?
    pub(super) fn keeps(&self, op: IxOp, [a, b]: [Ix; 2], but_constant: bool) -> Checked<bool> {
        self.store.keeps(op, [self.opaque(a)?, self.opaque(b)?], but_constant)
    }

    /// Are two index terms compared by themselves, and not by their difference? So they are where it would
    /// hide that a number of 64 bits is added to, that memory is read, or that a part leaves 64 bits.
    fn is_by_sides(&self, a: Ix, b: Ix) -> Checked<bool> {
        if self.is_wide(a)? || self.is_wide(b)? {
            return Ok(true);
        }
        if self.constant(a).is_some() && self.constant(b).is_some() {
            return Ok(false);
        }
        let cancels = !self.keeps(IxOp::Sub, [b, a], true)?;
        self.cancels.set(self.cancels.get() || cancels);
        Ok(cancels)
    }

    /// A comparison of index terms, by their difference, or by its sides.
    pub(super) fn compare(&self, relation: Relation, a: Ix, b: Ix) -> Checked<Cond> {
        let difference = self.canonical(self.op(IxOp::Sub, b, a)?)?;
        if self.is_by_sides(a, b)? {
            let (a, b) = (self.canonical(a)?, self.canonical(b)?);
            return match relation {
                Relation::Lt => self.cond(CondNode::Less(a, b)),
                Relation::Le => self.not(self.cond(CondNode::Less(b, a))?),
                Relation::Eq if a.0 < b.0 => self.cond(CondNode::Same(a, b)),
                Relation::Eq => self.cond(CondNode::Same(b, a)),
            };
        }
        match relation {
            Relation::Lt => self.positive(difference),
            Relation::Le => self.positive(self.op(IxOp::Add, difference, self.store.literal(1)?)?),
            Relation::Eq => {
                let back = self.canonical(self.op(IxOp::Sub, a, b)?)?;
                match self.constant(difference) {
                    Some(value) => self.truth(value == 0),
                    None => self.cond(CondNode::Zero(if back.0 < difference.0 { back } else { difference })),
                }
            }
        }
    }

    fn positive(&self, ix: Ix) -> Checked<Cond> {
        match self.constant(ix) {
            Some(value) => self.truth(value > 0),
            None => self.cond(CondNode::Positive(self.canonical(ix)?)),
        }
    }

    fn constant(&self, ix: Ix) -> Option<i128> {
        let ix = self.opaque(ix).ok()?;
        self.store.poly(ix).ok().and_then(|poly| self.store.polynomials.as_constant(poly))
    }

    pub(super) fn not(&self, cond: Cond) -> Checked<Cond> {
        match self.cond_node(cond) {
            CondNode::True => self.truth(false),
            CondNode::False => self.truth(true),
            CondNode::Not(inner) => Ok(inner),
            CondNode::Positive(ix) => self.positive(self.op(IxOp::Sub, self.store.literal(1)?, ix)?),
            _ => self.cond(CondNode::Not(cond)),
        }
    }

    /// The first part is evaluated whatever the second is, so it stays.
    pub(super) fn and(&self, a: Cond, b: Cond) -> Checked<Cond> {
        match (self.cond_node(a), self.cond_node(b)) {
            (CondNode::True, _) => Ok(b),
            (CondNode::False, _) | (_, CondNode::True) => Ok(a),
            _ => self.cond(CondNode::And(a, b)),
        }
    }

    pub(super) fn or(&self, a: Cond, b: Cond) -> Checked<Cond> {
        match (self.cond_node(a), self.cond_node(b)) {
            (CondNode::False, _) => Ok(b),
            (CondNode::True, _) | (_, CondNode::False) => Ok(a),
            _ => self.cond(CondNode::Or(a, b)),
        }
    }

    /// Does a value have a cell of a buffer?
    fn loads(&self, val: Val) -> Checked<bool> {
        self.store.work(1)?;
        Ok(match self.node(val) {
            ValNode::Literal(..) | ValNode::Unknown(..) => false,
            ValNode::Load(..) | ValNode::Select(..) | ValNode::Integer(_) => true,
            ValNode::Convert(_, inner) => self.loads(inner)?,
            ValNode::Operation(_, _, operands) => {
                operands.into_iter().try_fold(false, |found, operand| {
                    Ok::<_, crate::refusal::Refusal>(found || self.loads(operand)?)
                })?
            }
        })
    }

    /// A truth value as a condition.
    pub(super) fn holds(&self, val: Val) -> Checked<Cond> {
        match self.node(val) {
            ValNode::Literal(Scalar::Bool, bits) => return self.truth(bits != 0),
            ValNode::Operation(Function::Not, _, operands) => return self.not(self.holds(operands[0])?),
            // `&` and `|` compute both; where the second is read from memory, `&&` and `||` may not read it.
            ValNode::Operation(Function::And | Function::Or, _, operands) if self.loads(operands[1])? => {}
            ValNode::Operation(Function::And, _, operands) => {
                return self.and(self.holds(operands[0])?, self.holds(operands[1])?);
            }
            ValNode::Operation(Function::Or, _, operands) => {
                return self.or(self.holds(operands[0])?, self.holds(operands[1])?);
            }
            ValNode::Operation(function, _, operands) => {
                let relation = match function {
                    Function::Eq => Some(Relation::Eq),
                    Function::Lt => Some(Relation::Lt),
                    Function::Le => Some(Relation::Le),
                    _ => None,
                };
                if let (Some(relation), [a, b]) = (relation, &operands[..])
                    && let (Some(a), Some(b)) = (self.as_index(*a)?, self.as_index(*b)?)
                {
                    return self.compare(relation, a, b);
                }
            }
            ValNode::Convert(Scalar::Bool, inner) => {
                if let Some(ix) = self.as_index(inner)? {
                    return self.not(self.compare(Relation::Eq, ix, self.store.literal(0)?)?);
                }
            }
            _ => {}
        }
        self.cond(CondNode::Holds(val))
    }
}

/// Bits of a cell.
pub(super) fn bits(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Bool | Scalar::I8 | Scalar::U8 => 8,
        Scalar::F16 | Scalar::BF16 | Scalar::I16 | Scalar::U16 => 16,
        Scalar::F32 | Scalar::I32 | Scalar::U32 => 32,
        Scalar::F64 | Scalar::I64 | Scalar::U64 => 64,
    }
}

/// The integer that bits are.
fn signed(scalar: Scalar, bits: u64) -> i128 {
    let value = i128::from(bits);
    let is_negative = range(scalar).is_some_and(|(_, greatest)| value > greatest);
    if is_negative { value - i128::from(mask(scalar)) - 1 } else { value }
}

fn mask(scalar: Scalar) -> u64 {
    u64::MAX >> (64 - bits(scalar))
}

/// Has a type of integers all numbers of another, or truth values as 0 and 1?
fn has_all(wide: Scalar, narrow: Scalar) -> bool {
    let is = |wide: (i128, i128), narrow: (i128, i128)| wide.0 <= narrow.0 && narrow.1 <= wide.1;
    is_integer(wide) && range(wide).zip(range(narrow)).is_some_and(|(a, b)| is(a, b))
}

/// Is it a type of floats of 16 bits? They are computed with as `f32`, and rounded.
pub(super) fn is_half(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::F16 | Scalar::BF16)
}

/// Is it a type of integers? Truth values are none.
pub(super) fn is_integer(scalar: Scalar) -> bool {
    !scalar.is_float() && scalar != Scalar::Bool
}

pub(super) fn is_signed(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
}

/// The least and the greatest integer of a type.
pub(super) fn range(scalar: Scalar) -> Option<(i128, i128)> {
    match scalar.index_range() {
        Some((least, greatest)) => Some((least.into(), greatest.into())),
        None => (scalar == Scalar::U64).then_some((0, u64::MAX.into())),
    }
}
