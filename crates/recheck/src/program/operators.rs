//! Reshape operators: where an operand's elements go, and which cells of the result are none of them.
//!
//! An operator is what its definition says. The definitions here are this file's own: one of another body,
//! be its name the same, is not followed.

use super::fill::{Filling, Goal, part, split, wrong_form};
use super::place::{Held, Layer};
use super::{Fills, Step};
use crate::names::named;
use crate::prelude::*;

named! {
    /// An operator that loops follow.
    Operator {
        Transpose "\"transpose\"", Rotate3 "\"rotate_3\"", Unrotate3 "\"unrotate_3\"", Rotate4 "\"rotate_4\"", Unrotate4 "\"unrotate_4\"",
        Rotate5 "\"rotate_5\"", Unrotate5 "\"unrotate_5\"", Rotate6 "\"rotate_6\"", Unrotate6 "\"unrotate_6\"", Flatten "\"flatten\"",
        TruncRight "\"trunc_r\"", TruncLeft "\"trunc_l\"", PadRight "\"pad_r\"", PadLeft "\"pad_l\"", Split "\"split\"",
        OneHot "\"one_hot\"", Concat "\"concat\"", Shear "\"shear\"", Unshear "\"unshear\"",
    }
}

/// What an operator asks, the operand's extents, whether other cells are padding, and where elements go.
struct Reshaping {
    asked: Pred,
    inner: Vec<Ix>,
    pads: bool,
    layer: Option<Layer>,
}

/// Predicates of index terms, as they stand.
struct Asked<'s>(&'s Store);

impl Asked<'_> {
    fn le(&self, a: Ix, b: Ix) -> Checked<Pred> {
        self.0.compare(Relation::Le, a, b)
    }

    fn eq(&self, a: Ix, b: Ix) -> Checked<Pred> {
        self.0.compare(Relation::Eq, a, b)
    }

    fn natural(&self, n: Ix) -> Checked<Pred> {
        self.le(self.0.literal(0)?, n)
    }

    fn and(&self, p: Pred, q: Pred) -> Checked<Pred> {
        self.0.pred(PredNode::And(p, q))
    }

    /// A matrix of `n` by `m` has `r` diagonals in rows of `q`.
    fn sheared(&self, [n, m]: [Ix; 2], [r, q]: [Ix; 2]) -> Checked<Pred> {
        let all = self.0.op(IxOp::Sub, self.plus(n, m)?, self.0.literal(1)?)?;
        let positive = |n| self.0.compare(Relation::Lt, self.0.literal(0)?, n);
        let longest = self.eq(q, self.0.op(IxOp::Min, n, m)?)?;
        let sizes = self.and(positive(n)?, positive(m)?)?;
        self.and(self.eq(r, all)?, self.and(longest, sizes)?)
    }

    fn plus(&self, a: Ix, b: Ix) -> Checked<Ix> {
        self.0.op(IxOp::Add, a, b)
    }

    fn times(&self, a: Ix, b: Ix) -> Checked<Ix> {
        self.0.op(IxOp::Mul, a, b)
    }
}

impl Operator {
    /// The operator whose definition this is.
    fn of(store: &Store, definition: Def) -> Checked<Operator> {
        let definition = store.definition(definition);
        let operator = Operator::named(&definition.name).ok_or("an operator that loops do not follow")?;
        let (indices, tensors) = operator.parameters();
        let same = definition.indices == indices
            && definition.tensors == tensors
            && definition.body == operator.body(store)?;
        if same {
            Ok(operator)
        } else {
            refuse(format!("{} is not the operator of this name", operator.name()))
        }
    }

    /// How many dimensions it moves one past the others of; whether that is the last one, which comes first.
    fn moves(self) -> Option<(usize, bool)> {
        let name = self.name().trim_matches('"');
        let to_front = name.strip_prefix("rotate_").map(|count| (count, true));
        let (count, to_front) = to_front.or_else(|| Some((name.strip_prefix("unrotate_")?, false)))?;
        Some((count.parse().ok()?, to_front))
    }

    /// The number of index parameters, and of extents that are named of each tensor.
    fn parameters(self) -> (u32, &'static [u32]) {
        match self {
            Operator::Transpose | Operator::Flatten | Operator::Shear => (0, &[2]),
            Operator::Unshear => (2, &[2]),
            Operator::Rotate3 | Operator::Unrotate3 => (0, &[3]),
            Operator::Rotate4 | Operator::Unrotate4 => (0, &[4]),
            Operator::Rotate5 | Operator::Unrotate5 => (0, &[5]),
            Operator::Rotate6 | Operator::Unrotate6 => (0, &[6]),
            Operator::TruncRight | Operator::TruncLeft | Operator::PadRight | Operator::PadLeft => (1, &[1]),
            Operator::Split => (1, &[1]),
            Operator::OneHot => (2, &[0]),
            Operator::Concat => (0, &[1, 1]),
        }
    }

    /// The definition's body: loops over the result's extents, around what stands at an index. Free
    /// variables are, in order, the index parameters, then of each tensor the extents and the tensor.
    fn body(self, store: &Store) -> Checked<Term> {
        let free = |level| store.free_ix(level);
        let tensor = |level| store.term(TermNode::Free(level));
        let bound = |binder| store.ix(IxNode::Bound(binder));
        let around = |extents: &[Ix], element: Term| {
            extents.iter().rev().try_fold(element, |e, n| store.term(TermNode::Loop(Loop::Gen, *n, e)))
        };
        let (zeroth, first, mk) = (free(0)?, free(1)?, |op, a, b| store.mk(op, a, b));
        // The result's indices, where there are one or two loops.
        let (only, [i, j]) = (bound(0)?, [bound(1)?, bound(0)?]);
        let at = |e: Term, index: &[Ix]| index.iter().try_fold(e, |e, i| store.get(e, *i));
        if let Some((count, to_front)) = self.moves() {
            let count = count as u32;
            let all = |of: &dyn Fn(u32) -> Checked<Ix>| (0..count).map(of).collect::<Checked<Vec<_>>>();
            let (extents, index) = (all(&free)?, all(&|k| bound(count - 1 - k))?);
            let element = at(tensor(count)?, &moved(&index, !to_front))?;
            return around(&moved(&extents, to_front), element);
        }
        let (extents, element) = match self {
            Operator::Transpose => (vec![first, zeroth], at(tensor(2)?, &[j, i])?),
            Operator::Flatten => {
                let digits = [mk(IxOp::Div, only, first)?, mk(IxOp::Mod, only, first)?];
                (vec![mk(IxOp::Mul, zeroth, first)?], at(tensor(2)?, &digits)?)
            }
            Operator::TruncRight => (vec![mk(IxOp::Sub, first, zeroth)?], at(tensor(2)?, &[only])?),
            Operator::TruncLeft => {
                (vec![mk(IxOp::Sub, first, zeroth)?], at(tensor(2)?, &[mk(IxOp::Add, only, zeroth)?])?)
            }
            Operator::PadRight => {
                let within = store.compare(Relation::Lt, only, first)?;
                (vec![mk(IxOp::Add, first, zeroth)?], store.guard(within, at(tensor(2)?, &[only])?)?)
            }
            Operator::PadLeft => {
                let within = store.compare(Relation::Le, zeroth, only)?;
                let element = at(tensor(2)?, &[mk(IxOp::Sub, only, zeroth)?])?;
                (vec![mk(IxOp::Add, first, zeroth)?], store.guard(within, element)?)
            }
            Operator::Split => {
                let sum = mk(IxOp::Sub, mk(IxOp::Add, first, zeroth)?, store.literal(1)?)?;
                let place = mk(IxOp::Add, mk(IxOp::Mul, i, zeroth)?, j)?;
                let within = store.compare(Relation::Lt, place, first)?;
                let element = store.guard(within, at(tensor(2)?, &[place])?)?;
                (vec![mk(IxOp::Div, sum, zeroth)?, zeroth], element)
            }
            Operator::Shear => {
                let (n, m, one, zero) = (zeroth, first, store.literal(1)?, store.literal(0)?);
                let all = mk(IxOp::Sub, mk(IxOp::Add, n, m)?, one)?;
                let above = mk(IxOp::Min, mk(IxOp::Add, i, one)?, n)?;
                let length = mk(IxOp::Min, above, mk(IxOp::Min, m, mk(IxOp::Sub, all, i)?)?)?;
                let up = mk(IxOp::Max, zero, mk(IxOp::Sub, mk(IxOp::Sub, n, one)?, i)?)?;
                let right = mk(IxOp::Max, zero, mk(IxOp::Add, mk(IxOp::Sub, i, n)?, one)?)?;
                let element = at(tensor(2)?, &[mk(IxOp::Add, up, j)?, mk(IxOp::Add, right, j)?])?;
                let within = store.compare(Relation::Lt, j, length)?;
                (vec![all, mk(IxOp::Min, n, m)?], store.guard(within, element)?)
            }
            Operator::Unshear => {
                let above = mk(IxOp::Add, mk(IxOp::Sub, j, i)?, zeroth)?;
                let place = [mk(IxOp::Sub, above, store.literal(1)?)?, mk(IxOp::Min, i, j)?];
                (vec![zeroth, first], at(tensor(4)?, &place)?)
            }
            Operator::OneHot => {
                (vec![zeroth], store.guard(store.compare(Relation::Eq, only, first)?, tensor(2)?)?)
            }
            Operator::Concat => {
                let (n, m) = (zeroth, free(2)?);
                let (a, b) = (at(tensor(1)?, &[only])?, at(tensor(3)?, &[mk(IxOp::Sub, only, n)?])?);
                let early = store.compare(Relation::Lt, only, n)?;
                (vec![mk(IxOp::Add, n, m)?], store.term(TermNode::Select(early, a, b))?)
            }
            // What moves a dimension.
            _ => return wrong_form(),
        };
        around(&extents, element)
    }

    /// What it asks where its result has these extents, and goes into cells that hold this.
    fn reshaping(
        self,
        store: &Store,
        held: Held,
        (indices, operand, shape): (&[Ix], &[Ix], &[Ix]),
    ) -> Checked<Reshaping> {
        let is = Asked(store);
        let then = |first: usize, rest: usize| -> Vec<Ix> {
            operand.iter().take(first).chain(shape.iter().skip(rest)).copied().collect()
        };
        let truth = store.pred(PredNode::True)?;
        let made = |asked, inner, pads, layer| Ok(Reshaping { asked, inner, pads, layer });
        if let Some((count, to_front)) = self.moves() {
            require(count <= operand.len().min(shape.len()), "an operator has too few dimensions")?;
            let layer = if to_front { Layer::Front(count) } else { Layer::Back(count) };
            return made(truth, then(count, count), false, Some(layer));
        }
        match (self, indices, operand, shape) {
            (Operator::Transpose, _, [_, _, ..], [_, _, ..]) => {
                made(truth, then(2, 2), false, Some(Layer::Swap))
            }
            (Operator::Flatten, _, [n, m, ..], [r, ..]) => {
                let natural = is.and(is.natural(*n)?, is.natural(*m)?)?;
                let asked = is.and(is.eq(*r, is.times(*n, *m)?)?, natural)?;
                made(asked, then(2, 1), false, Some(Layer::Merge(*m)))
            }
            (Operator::TruncRight, _, [n, ..], [r, ..]) => {
                made(is.le(*r, *n)?, then(1, 1), false, Some(Layer::Kept(*r, None)))
            }
            (Operator::TruncLeft, [d, ..], [n, ..], [r, ..]) => {
                let asked = is.and(is.le(is.plus(*r, *d)?, *n)?, is.natural(*d)?)?;
                made(asked, then(1, 1), false, Some(Layer::Kept(*r, Some(*d))))
            }
            (Operator::PadRight, _, [n, ..], [r, ..]) => made(is.le(*n, *r)?, then(1, 1), true, None),
            (Operator::PadLeft, [d, ..], [n, ..], [r, ..]) => {
                let whole = is.plus(*n, *d)?;
                let equal = is.and(is.le(whole, *r)?, is.le(*r, whole)?)?;
                made(is.and(equal, is.natural(*d)?)?, then(1, 1), true, Some(Layer::Up(*d)))
            }
            (Operator::Split, [d, ..], [n, ..], [q, r, ..]) => {
                let positive = store.compare(Relation::Lt, store.literal(0)?, *d)?;
                let (own, all) = (is.and(positive, is.eq(*r, *d)?)?, is.times(*q, *d)?);
                // Where there is no rest, nothing is padded.
                let whole = held == Held::Unset;
                let fits = is.le(*n, all)?;
                let fits = if whole { is.and(fits, is.le(all, *n)?)? } else { fits };
                made(is.and(own, fits)?, then(1, 2), !whole, Some(Layer::Cut(*d)))
            }
            (Operator::Shear, _, [n, m, ..], [r, q, ..]) => {
                made(is.sheared([*n, *m], [*r, *q])?, then(2, 2), true, Some(Layer::Slanted(*n)))
            }
            (Operator::Unshear, [n, m], [r, q, ..], [_, _, ..]) => {
                made(is.sheared([*n, *m], [*r, *q])?, then(2, 2), false, Some(Layer::Upright(*n, *m)))
            }
            (Operator::OneHot, [_, c], _, [r, ..]) => {
                made(store.inside(*c, *r)?, then(0, 1), true, Some(Layer::Index(*c)))
            }
            _ => wrong_form(),
        }
    }

    /// Which of the result's elements are the operand's, where the others are zero.
    fn is_element(self, store: &Store, (indices, operand, index): (&[Ix], &[Ix], &[Ix])) -> Checked<Pred> {
        match (self, indices, operand, index) {
            (Operator::PadRight, _, [n, ..], [i, ..]) => store.compare(Relation::Lt, *i, *n),
            (Operator::PadLeft, [d, ..], _, [i, ..]) => store.compare(Relation::Le, *d, *i),
            (Operator::OneHot, [_, c], _, [i, ..]) => store.compare(Relation::Eq, *i, *c),
            (Operator::Shear, _, [n, m, ..], [d, q, ..]) => {
                store.compare(Relation::Lt, *q, store.diagonal(*n, *m, *d)?)
            }
            _ => wrong_form(),
        }
    }

    /// What of the operand's extents the result has, in its order.
    fn staying(self, indices: &[Ix], operand: &[Ix]) -> Vec<Ix> {
        if let Some((count, to_front)) = self.moves() {
            return moved(&operand[..count.min(operand.len())], to_front);
        }
        match (self, operand) {
            (Operator::Transpose, [n, m, ..]) => vec![*m, *n],
            (Operator::Unshear, _) => indices.to_vec(),
            _ => vec![],
        }
    }
}

/// The last one first, or the first one last.
fn moved(list: &[Ix], to_front: bool) -> Vec<Ix> {
    match (list, to_front) {
        ([others @ .., last], true) => [&[*last], others].concat(),
        ([first, others @ ..], false) => [others, &[*first]].concat(),
        ([], _) => vec![],
    }
}

impl<'f> Filling<'f> {
    pub(super) fn operator(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        (definition, indices, operands): (Def, Ixs, Terms),
        goal: Goal<'_>,
    ) -> Checked<()> {
        let operator = Operator::of(&self.judge.store, definition)?;
        let (indices, operands) = (self.judge.store.ix_list(indices), self.judge.store.term_list(operands));
        let mut extents = Vec::new();
        for operand in &operands {
            let ty = self.judge.type_of(*operand)?;
            extents.push(self.judge.store.ix_list(ty.shape));
        }
        match (operator, &operands[..], &extents[..], step.form) {
            (Operator::Concat, [a, b], [n, m], Fills::Joined) => {
                self.joined(step, statements, ([*a, *b], [n, m]), goal)
            }
            (Operator::Concat, ..) => wrong_form(),
            (_, [operand], [extents], Fills::Reshaped) => {
                self.reshaped(step, statements, (operator, &indices, *operand, extents), goal)
            }
            _ => wrong_form(),
        }
    }

    fn reshaped(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        (operator, indices, operand, extents): (Operator, &[Ix], Term, &[Ix]),
        Goal { shape, to, .. }: Goal<'_>,
    ) -> Checked<()> {
        let Reshaping { asked, inner, pads, layer } =
            operator.reshaping(&self.judge.store, to.held, (indices, extents, shape))?;
        if pads && to.held == Held::Unset {
            // Each element that is kept is the operand's.
            let level = self.judge.context.len();
            let (index, _) = self.kept_element(shape, to)?;
            let element = operator.is_element(&self.judge.store, (indices, extents, &index))?;
            self.show(element)?;
            self.judge.context.leave(level);
        } else if pads {
            self.padding(to)?;
        }
        operator
            .staying(indices, extents)
            .iter()
            .zip(shape)
            .try_for_each(|(n, kept)| self.equal(*kept, *n))?;
        self.show(asked)?;
        let to = layer.map_or_else(|| to.clone(), |layer| to.under(layer));
        self.fill(part(step, 0)?, statements, Goal { term: operand, shape: &inner, to: &to })
    }

    /// One operand after the other.
    fn joined(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        ([a, b], [n, m]): ([Term; 2], [&Vec<Ix>; 2]),
        Goal { shape, to, .. }: Goal<'_>,
    ) -> Checked<()> {
        let (Some((r, rest)), Some(n), Some(m)) = (shape.split_first(), n.first(), m.first()) else {
            return wrong_form();
        };
        let is = Asked(&self.judge.store);
        let natural = is.and(is.natural(*n)?, is.natural(*m)?)?;
        let asked = is.and(is.eq(*r, is.plus(*n, *m)?)?, natural)?;
        self.show(asked)?;
        let with = |n: Ix| -> Vec<Ix> { [n].into_iter().chain(rest.iter().copied()).collect() };
        // Of cells that are updated, all of an operand may stay what they are.
        let (first, others) = match (&step.counts[..], to.update.is_some()) {
            ([count], true) if *count <= statements.len() => statements.split_at(*count),
            _ => split(step, statements)?,
        };
        self.fill(part(step, 0)?, first, Goal { term: a, shape: &with(*n), to })?;
        let before = [(self.judge.store.literal(0)?, *n)];
        self.after(to, &before, |this| {
            let to = to.under(Layer::Up(*n));
            this.fill(part(step, 1)?, others, Goal { term: b, shape: &with(*m), to: &to })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::Target;
    use super::*;

    /// Closed terms of a definition, with numbers for its variables: the levels, and the binders from the outside.
    struct Numbers<'s> {
        store: &'s Store,
        levels: Vec<i64>,
        binders: Vec<i64>,
    }

    impl Numbers<'_> {
        fn ix(&self, ix: Ix) -> i64 {
            match self.store.ix_node(ix) {
                IxNode::Literal(n) => n,
                IxNode::Free(level) => self.levels[level as usize],
                IxNode::Bound(binder) => self.binders[self.binders.len() - 1 - binder as usize],
                IxNode::Op(op, a, b) => {
                    let (a, b) = (self.ix(a), self.ix(b));
                    match op {
                        IxOp::Add => a + b,
                        IxOp::Sub => a - b,
                        IxOp::Mul => a * b,
                        IxOp::Div if b == 0 => 0,
                        IxOp::Div => a.div_euclid(b),
                        IxOp::Mod if b == 0 => a,
                        IxOp::Mod => a.rem_euclid(b),
                        IxOp::Min => a.min(b),
                        IxOp::Max => a.max(b),
                    }
                }
                IxNode::Read(..) => unreachable!("operators read no arrays in indices"),
            }
        }

        fn holds(&self, pred: Pred) -> bool {
            match self.store.pred_node(pred) {
                PredNode::True => true,
                PredNode::False => false,
                PredNode::Compare(Relation::Eq, a, b) => self.ix(a) == self.ix(b),
                PredNode::Compare(Relation::Lt, a, b) => self.ix(a) < self.ix(b),
                PredNode::Compare(Relation::Le, a, b) => self.ix(a) <= self.ix(b),
                PredNode::Not(p) => !self.holds(p),
                PredNode::And(p, q) => self.holds(p) && self.holds(q),
                PredNode::Or(p, q) => self.holds(p) || self.holds(q),
            }
        }

        /// The index of the operand that is read at the result's index; none where a condition does not hold.
        fn read(mut self, mut body: Term, index: &[i64]) -> Option<Vec<i64>> {
            let (mut rest, mut read) = (index.iter(), Vec::new());
            loop {
                match self.store.node(body) {
                    TermNode::Loop(Loop::Gen, _, e) => {
                        self.binders.push(*rest.next().expect("as many loops as the result has dimensions"));
                        body = e;
                    }
                    TermNode::Guard(p, e) if self.holds(p) => body = e,
                    TermNode::Guard(..) => return None,
                    TermNode::Get(e, k) => {
                        read.insert(0, self.ix(k));
                        body = e;
                    }
                    TermNode::Free(_) => return Some(read),
                    node => unreachable!("{node:?}"),
                }
            }
        }
    }

    /// All indices within extents, in order.
    fn indices(extents: &[i64]) -> Vec<Vec<i64>> {
        extents.iter().fold(vec![vec![]], |all, n| {
            let longer = |index: &Vec<i64>| (0..*n).map(|i| [&index[..], &[i]].concat()).collect::<Vec<_>>();
            all.iter().flat_map(longer).collect()
        })
    }

    /// How many of the elements of the result have a place, by the table and by the definition; none where the table
    /// asks for other sizes.
    fn placed(operator: Operator, numbers: [&[i64]; 3], held: Held) -> Option<usize> {
        let store = &Store::default();
        let literals =
            |of: &[i64]| of.iter().map(|n| store.literal(*n)).collect::<Checked<Vec<_>>>().unwrap();
        let [indices_, operand, shape] = numbers.map(literals);
        let closed = || Numbers { store, levels: vec![], binders: vec![] };
        let made = operator.reshaping(store, held, (&indices_, &operand, &shape)).ok()?;
        let staying = operator.staying(&indices_, &operand);
        let fits = staying.iter().zip(&shape).all(|(n, kept)| closed().ix(*n) == closed().ix(*kept));
        if !fits || !closed().holds(made.asked) {
            return None;
        }
        assert_eq!(made.inner, operand, "{operator:?}: the operand's elements are those of its own extents");
        let element = Element { scalar: Scalar::F32, algebra: Algebra::PlusTimes };
        let to = Target::whole(0, element, &shape, held);
        let to = made.layer.map_or_else(|| to.clone(), |layer| to.under(layer));
        let results = indices(numbers[2]);
        let mut from = vec![None; results.len()];
        for index in indices(numbers[1]) {
            let (cell, kept) = to.at(store, literals(&index)).unwrap();
            if closed().holds(kept) {
                let cell = usize::try_from(closed().ix(cell)).unwrap();
                assert_eq!(
                    from[cell].replace(index),
                    None,
                    "{operator:?} {numbers:?}: two elements in a cell"
                );
            }
        }
        let body = operator.body(store).unwrap();
        for (result, from) in results.iter().zip(&from) {
            // The tensor's own level holds no number.
            let levels = [numbers[0], numbers[1], &[i64::MIN]].concat();
            let read = Numbers { store, levels, binders: vec![] }.read(body, result);
            assert_eq!(read, *from, "{operator:?} {numbers:?}: the element at {result:?}");
            // Of a split into cells that hold nothing the table asks that nothing is padded.
            if made.pads && !matches!(operator, Operator::Split) {
                let index = literals(result);
                let is_element = operator.is_element(store, (&indices_, &operand, &index)).unwrap();
                assert_eq!(
                    closed().holds(is_element),
                    from.is_some(),
                    "{operator:?} {numbers:?}: {result:?}"
                );
            }
        }
        let placed = from.iter().flatten().count();
        assert!(made.pads || placed == from.len(), "{operator:?} {numbers:?}: padding that the table denies");
        Some(placed)
    }

    /// For small sizes: each element of the operand that is kept has a cell of its own, which is that of the definition,
    /// and cells without one are padding.
    #[test]
    fn each_element_has_the_place_of_the_definition() {
        let tried = |operator, ranks: [usize; 3], most| {
            let all = indices(&vec![most; ranks.iter().sum()]);
            let cut = |of: &Vec<i64>| {
                let (indices, others) = of.split_at(ranks[0]);
                let (operand, shape) = others.split_at(ranks[1]);
                let placed =
                    [Held::Unset, Held::Zeroed].map(|held| placed(operator, [indices, operand, shape], held));
                placed.into_iter().flatten().sum::<usize>()
            };
            let placed = all.iter().map(cut).sum::<usize>();
            assert!(placed > 0, "{operator:?}: no sizes fit");
        };
        tried(Operator::Transpose, [0, 2, 2], 4);
        tried(Operator::Rotate3, [0, 3, 3], 3);
        tried(Operator::Unrotate3, [0, 3, 3], 3);
        for operator in [Operator::Rotate4, Operator::Unrotate4] {
            tried(operator, [0, 4, 4], 3);
        }
        for (operator, rank) in [
            (Operator::Rotate5, 5),
            (Operator::Unrotate5, 5),
            (Operator::Rotate6, 6),
            (Operator::Unrotate6, 6),
        ] {
            let operand: Vec<i64> = (1..=rank).map(|n| 1 + n % 3).collect();
            let mut shape = operand.clone();
            if operator.moves() == Some((operand.len(), true)) {
                shape.rotate_right(1)
            } else {
                shape.rotate_left(1)
            }
            assert!(placed(operator, [&[], &operand, &shape], Held::Unset).is_some(), "{operator:?}");
        }
        tried(Operator::Flatten, [0, 2, 1], 10);
        for operator in [Operator::TruncRight, Operator::TruncLeft, Operator::PadRight, Operator::PadLeft] {
            tried(operator, [1, 1, 1], 7);
        }
        tried(Operator::Split, [1, 1, 2], 7);
        tried(Operator::Shear, [0, 2, 2], 6);
        tried(Operator::Unshear, [2, 2, 2], 5);
        tried(Operator::OneHot, [2, 0, 1], 5);
    }
}
