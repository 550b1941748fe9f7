//! Random expressions: the stream of an expression means what the expression does, computed cell by cell.

use crate::cases::{Choices, Visit, entries, every_semiring, streamed};
use atl_semirings::Arithmetic;
use atl_streams::combinators::Lead;
use atl_streams::{Entries, Indexed};
use std::rc::Rc;

/// An expression over numbered inputs.
#[derive(Debug)]
pub(crate) enum Expr {
    Input(usize),
    Product(Box<Expr>, Box<Expr>, Lead),
    Sum(Box<Expr>, Box<Expr>),
    Replicate(usize, Box<Expr>),
    Contract(usize, Box<Expr>),
    /// Of an index, those with this remainder by 2.
    Filter(usize, usize, Box<Expr>),
    /// The square of each element: that does not commute with sums.
    Square(Box<Expr>),
}

/// How many indices there are.
const INDICES: usize = 4;

/// An expression, and what its inputs are indexed by.
pub(crate) struct Case {
    pub(crate) extents: [usize; INDICES],
    pub(crate) inputs: Vec<Vec<usize>>,
    pub(crate) expr: Expr,
}

impl Case {
    pub(crate) fn random(depth: usize, choices: &mut Choices) -> Case {
        let extents = [0; INDICES].map(|_| choices.of(&[1, 2, 2, 3, 3, 0]));
        let mut case = Case { extents, inputs: Vec::new(), expr: Expr::Input(0) };
        case.expr = case.expr(depth, choices).0;
        case
    }

    /// An expression and its indices.
    fn expr(&mut self, depth: usize, choices: &mut Choices) -> (Expr, Vec<usize>) {
        if depth == 0 {
            let indices: Vec<usize> = (0..INDICES).filter(|_| choices.one_in(2)).take(3).collect();
            self.inputs.push(indices.clone());
            return (Expr::Input(self.inputs.len() - 1), indices);
        }
        let (a, mut indices) = self.expr(depth - 1, choices);
        let a = Box::new(a);
        match choices.below(10) {
            0..=2 => {
                let (b, others) = self.expr(depth - 1, choices);
                let lead = choices.of(&[Lead::None, Lead::First]);
                (Expr::Product(a, Box::new(b), lead), union(&indices, &others))
            }
            3..=4 => {
                let (b, others) = self.expr(depth - 1, choices);
                let all = union(&indices, &others);
                let (a, b) = (replicated(*a, &indices, &all), replicated(b, &others, &all));
                (Expr::Sum(Box::new(a), Box::new(b)), all)
            }
            5..=6 if !indices.is_empty() => {
                let index = indices.remove(choices.below(indices.len()));
                (Expr::Contract(index, a), indices)
            }
            7 if !indices.is_empty() => {
                let index = indices[choices.below(indices.len())];
                (Expr::Filter(index, choices.below(2), a), indices)
            }
            8 => (Expr::Square(a), indices),
            _ => match (0..INDICES).find(|index| !indices.contains(index)) {
                Some(index) if indices.len() < 3 => (Expr::Replicate(index, a), union(&indices, &[index])),
                _ => (Expr::Square(a), indices),
            },
        }
    }
}

fn union(a: &[usize], b: &[usize]) -> Vec<usize> {
    (0..INDICES).filter(|index| a.contains(index) || b.contains(index)).collect()
}

/// With the indices that it lacks.
fn replicated(expr: Expr, indices: &[usize], all: &[usize]) -> Expr {
    let lacking = all.iter().filter(|index| !indices.contains(index));
    lacking.fold(expr, |expr, index| Expr::Replicate(*index, Box::new(expr)))
}

/// A tensor, all of whose cells are written down in order.
struct Cells<E> {
    indices: Vec<usize>,
    cells: Vec<E>,
}

/// What expressions mean.
struct Meaning<'a, A: Arithmetic> {
    arithmetic: &'a A,
    extents: &'a [usize; INDICES],
    inputs: &'a [(Vec<usize>, Entries<A::Element>)],
}

impl<A: Arithmetic> Meaning<'_, A> {
    /// The cells of a function of the indices.
    fn cells(
        &self,
        indices: Vec<usize>,
        mut cell: impl FnMut(&[usize; INDICES]) -> A::Element,
    ) -> Cells<A::Element> {
        let count = indices.iter().map(|index| self.extents[*index]).product();
        let mut at = [0; INDICES];
        let mut next = |number: usize| {
            let mut rest = number;
            for index in indices.iter().rev() {
                (at[*index], rest) = (rest % self.extents[*index], rest / self.extents[*index]);
            }
            cell(&at)
        };
        let cells = (0..count).map(&mut next).collect();
        Cells { indices, cells }
    }

    /// The cell at these indices.
    fn at<'c>(&self, of: &'c Cells<A::Element>, at: &[usize; INDICES]) -> &'c A::Element {
        &of.cells[of.indices.iter().fold(0, |cell, index| cell * self.extents[*index] + at[*index])]
    }

    fn of(&self, expr: &Expr) -> Cells<A::Element> {
        match expr {
            Expr::Input(number) => {
                let (indices, entries) = &self.inputs[*number];
                let zero = self.arithmetic.zero();
                self.cells(indices.clone(), |at| {
                    let key: Vec<usize> = indices.iter().map(|index| at[*index]).collect();
                    entries.get(&key).unwrap_or(&zero).clone()
                })
            }
            Expr::Product(a, b, _) => {
                let (a, b) = (self.of(a), self.of(b));
                let cell = |at: &_| self.arithmetic.mul(self.at(&a, at), self.at(&b, at));
                self.cells(union(&a.indices, &b.indices), cell)
            }
            Expr::Sum(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                let cell = |at: &_| self.arithmetic.add(self.at(&a, at), self.at(&b, at));
                self.cells(a.indices.clone(), cell)
            }
            Expr::Replicate(index, e) => {
                let e = self.of(e);
                self.cells(union(&e.indices, &[*index]), |at| self.at(&e, at).clone())
            }
            Expr::Contract(index, e) => {
                let e = self.of(e);
                let rest = e.indices.iter().copied().filter(|i| i != index).collect();
                self.cells(rest, |at| {
                    let mut at = *at;
                    (0..self.extents[*index]).fold(self.arithmetic.zero(), |sum, i| {
                        at[*index] = i;
                        self.arithmetic.add(&sum, self.at(&e, &at))
                    })
                })
            }
            Expr::Filter(index, remainder, e) => {
                let e = self.of(e);
                self.cells(e.indices.clone(), |at| match at[*index] % 2 == *remainder {
                    true => self.at(&e, at).clone(),
                    false => self.arithmetic.zero(),
                })
            }
            Expr::Square(e) => {
                let e = self.of(e);
                let square = |x: &A::Element| self.arithmetic.mul(x, x);
                self.cells(e.indices.clone(), |at| square(self.at(&e, at)))
            }
        }
    }

    fn entries(&self, expr: &Expr) -> Entries<A::Element> {
        let of = self.of(expr);
        let zero = self.arithmetic.zero();
        let mut entries = Entries::new();
        self.cells(of.indices.clone(), |at| {
            let element = self.at(&of, at);
            if *element != zero {
                entries.insert(of.indices.iter().map(|index| at[*index]).collect(), element.clone());
            }
            zero.clone()
        });
        entries
    }
}

/// The stream of an expression.
pub(crate) fn stream<A: Arithmetic + 'static>(
    arithmetic: &Rc<A>,
    extents: &[usize; INDICES],
    inputs: &[Indexed<A>],
    expr: &Expr,
) -> Indexed<A> {
    let of = |e: &Expr| stream(arithmetic, extents, inputs, e);
    match expr {
        Expr::Input(number) => inputs[*number].clone(),
        Expr::Product(a, b, lead) => of(a).product(of(b), *lead),
        Expr::Sum(a, b) => of(a).sum(of(b)).expect("both have the same indices"),
        Expr::Replicate(index, e) => of(e).replicate(*index, 0..extents[*index]).expect("it is new"),
        Expr::Contract(index, e) => of(e).contract(*index).expect("it is there"),
        Expr::Filter(index, remainder, e) => {
            let remainder = *remainder;
            of(e).filter(*index, move |i| i % 2 == remainder).expect("it is there")
        }
        Expr::Square(e) => {
            let arithmetic = arithmetic.clone();
            of(e).map(move |x| arithmetic.mul(x, x))
        }
    }
}

/// Counts what is compared: a test that compares nothing would pass.
#[derive(Default)]
struct Compared {
    expressions: usize,
    entries: usize,
    semirings: usize,
}

impl Visit for Compared {
    fn visit<A: Arithmetic + 'static>(&mut self, arithmetic: A, cost: usize) {
        let arithmetic = Rc::new(arithmetic);
        let mut choices = Choices::new(self.semirings as u64);
        for number in 0..17_700 / cost {
            let case = Case::random(choices.of(&[1, 2, 2, 3]), &mut choices);
            let tensor = |indices: &Vec<usize>| {
                let extents: Vec<usize> = indices.iter().map(|index| case.extents[*index]).collect();
                (indices.clone(), entries(&*arithmetic, &extents, &mut choices))
            };
            let inputs: Vec<_> = case.inputs.iter().map(tensor).collect();
            let streams: Vec<_> =
                inputs.iter().map(|(i, e)| streamed(&arithmetic, i, e, &mut choices)).collect();
            let meaning = Meaning { arithmetic: &*arithmetic, extents: &case.extents, inputs: &inputs };
            let expected = meaning.entries(&case.expr);
            let found = stream(&arithmetic, &case.extents, &streams, &case.expr).entries();
            let about = || format!("{} {number}: {:?} of {inputs:?}", arithmetic.name(), case.expr);
            assert_eq!(found, expected, "{}", about());
            self.entries += expected.len();
            self.expressions += 1;
        }
        self.semirings += 1;
    }
}

#[test]
fn random_expressions_mean_what_they_say() {
    let mut compared = Compared::default();
    every_semiring(&mut compared);
    assert!(compared.semirings >= 13 && compared.expressions >= 200_000, "{}", compared.expressions);
    assert!(compared.entries > compared.expressions, "{}", compared.entries);
}
