//! One way through a law's formulas: what was decided where they compare, and what follows of elements.
//!
//! The one idea: wherever the sign of something decides, there is a way for each sign that it may have,
//! with that sign as a hypothesis ([`Way::sign`]). Between two decisions there are only quotients of
//! polynomials.
//! Atoms are the fields of the elements; `exp(x)` of a product `x`, which is a positive number of its
//! own, with `exp(x + y) = exp(x) exp(y)`; and logarithms, of which is known that `exp(log(x)) = x` for
//! positive `x`. All of it holds of real numbers. It does not look for hypotheses to multiply.

use super::differences::{Difference, Differences, ZERO};
use super::fraction::{Fraction, term};
use super::linear::{Relation, contradictory};
use atl_kernel::poly::{Atom, Overflow, Poly};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Why a way is not followed to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stop {
    /// Its hypotheses contradict one another, so no elements take it.
    Nowhere,
    /// Something is not known on it.
    Unproved,
}

pub(super) type Step<T> = Result<T, Stop>;

impl From<Overflow> for Stop {
    fn from(_: Overflow) -> Stop {
        Stop::Unproved
    }
}

/// What an atom below the first exponential is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Sort {
    /// A real number.
    Real,
    /// An integer between these.
    Integer(i128, i128),
}

/// The levels of atoms that are exponentials, and logarithms, begin at these.
const EXPONENTIALS: u32 = 1 << 16;
const LOGARITHMS: u32 = 1 << 17;
/// The most of each.
const KEPT: usize = 500;
/// The largest power of an exponential.
const POWER: u128 = 8;

/// The most different products of which linear combinations are compared.
const PRODUCTS: usize = 100;

/// A product of atoms, sorted.
type Product = Vec<Arc<Atom>>;

/// Which of some alternatives was chosen, and those that other ways still have to choose.
struct Decision {
    chosen: usize,
    open: Vec<usize>,
}

const SIGNS: [Ordering; 3] = [Ordering::Less, Ordering::Equal, Ordering::Greater];

/// One way, and what is left to do on others.
pub(super) struct Way {
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    sorts: Vec<Sort>,
    decisions: Vec<Decision>,
    next: usize,
    /// How polynomials compare with zero.
    known: Vec<(Poly, Relation)>,
    /// What of this bounds differences of two atoms, and whether that is all.
    differences: Differences,
    all_are_differences: bool,
    /// An atom and more of the kind, of use only where it is among the others.
    bounds: Option<(u32, Vec<(Poly, Relation)>)>,
    /// Atoms that are equal to another, which is not among them itself, or to zero.
    same: BTreeMap<u32, Option<u32>>,
    exponentials: Vec<Product>,
    /// Positive numbers of which there are logarithms.
    logarithms: Vec<Fraction>,
    /// How much work is left.
    work: u64,
}

fn atom(level: u32) -> Poly {
    Poly::atom(Atom::Var(level))
}

fn level(atom: &Atom) -> u32 {
    match atom {
        Atom::Var(level) => *level,
        _ => u32::MAX,
    }
}

fn is_exponential(atom: &Atom) -> bool {
    (EXPONENTIALS..LOGARITHMS).contains(&level(atom))
}

impl Way {
    pub(super) fn new(work: u64) -> Way {
        Way { state: RefCell::new(State { work, ..State::default() }) }
    }

    /// Begin again, with atoms of these sorts. Of one of them this is known.
    pub(super) fn begin(&self, sorts: Vec<Sort>, bounds: Option<(u32, Vec<(Poly, Relation)>)>) {
        let mut state = self.state.borrow_mut();
        let decisions = std::mem::take(&mut state.decisions);
        let of_numbers = sorts.iter().copied().chain([Sort::Real]);
        let differences = Differences::of(of_numbers);
        let all_are_differences = true;
        let work = state.work;
        *state =
            State { sorts, decisions, bounds, work, differences, all_are_differences, ..State::default() };
        for (of, relation) in state.bounds.iter().flat_map(|(_, bounds)| bounds.clone()).collect::<Vec<_>>() {
            state.learn(&of, relation);
            state.learn_of_least(&of, relation);
        }
    }

    /// Is there another way? Then begin again.
    pub(super) fn advance(&self) -> bool {
        let mut state = self.state.borrow_mut();
        while let Some(mut last) = state.decisions.pop() {
            if let Some(chosen) = last.open.pop() {
                last.chosen = chosen;
                state.decisions.push(last);
                return true;
            }
        }
        false
    }

    /// Is no work left?
    pub(super) fn is_spent(&self) -> bool {
        self.state.borrow().work == 0
    }

    /// Leave so much less work; none is left for what takes more.
    pub(super) fn spend(&self, work: usize) -> Step<()> {
        let mut state = self.state.borrow_mut();
        let left = state.work.checked_sub(work as u64);
        state.work = left.unwrap_or(0);
        left.map(|_| ()).ok_or(Stop::Unproved)
    }

    /// The sign of a polynomial on this way.
    pub(super) fn sign(&self, of: &Poly) -> Step<Ordering> {
        let mut state = self.state.borrow_mut();
        let of = state.renamed(of)?;
        if let Some(n) = of.as_constant() {
            return Ok(n.cmp(&0));
        }
        let chosen = SIGNS[state.chosen(|state| {
            let mut excludes = |sign| state.excludes(compared(&of, sign)?);
            let (less, more) = (excludes(Ordering::Less)?, excludes(Ordering::Greater)?);
            // Where both others may be, so may this, as far as is known of sums.
            let equal = (less || more) && excludes(Ordering::Equal)?;
            Ok((0..3).filter(|k| ![less, equal, more][*k]).collect())
        })?];
        state.assume(&of, chosen)?;
        Ok(chosen)
    }

    /// Is a polynomial less than zero on this way? Of the others it is not known whether they are zero.
    pub(super) fn is_negative(&self, of: &Poly) -> Step<bool> {
        let mut state = self.state.borrow_mut();
        let of = state.renamed(of)?;
        if let Some(n) = of.as_constant() {
            return Ok(n < 0);
        }
        let (less, not_less) = (compared(&of, Ordering::Less)?, (of, Relation::AtLeastZero));
        let chosen = state.chosen(|state| {
            let excluded = [state.excludes(not_less.clone())?, state.excludes(less.clone())?];
            Ok((0..2).filter(|k| !excluded[*k]).collect())
        })?;
        let (of, relation) = if chosen == 1 { less } else { not_less };
        state.learn(&of, relation);
        state.known.push((of, relation));
        Ok(chosen == 1)
    }

    /// One of several alternatives of which nothing is known.
    pub(super) fn choice(&self, count: usize) -> Step<usize> {
        if count == 1 { Ok(0) } else { self.state.borrow_mut().chosen(|_| Ok((0..count).collect())) }
    }

    /// That a polynomial is zero on this way, of real numbers.
    pub(super) fn zero(&self, goal: &Poly) -> Step<()> {
        let mut state = self.state.borrow_mut();
        let goal = state.renamed(goal)?;
        if goal.as_constant() == Some(0) {
            return Ok(());
        }
        for sign in [Ordering::Less, Ordering::Greater] {
            if !state.excludes(compared(&goal, sign)?)? {
                return Err(Stop::Unproved);
            }
        }
        Ok(())
    }

    /// That a polynomial of integers is zero modulo a power of two, or is so for every integer.
    pub(super) fn zero_modulo(&self, goal: &Poly, bits: u32) -> Step<()> {
        let renamed = self.state.borrow_mut().renamed(goal)?;
        if renamed.terms().all(|(_, factor)| factor % (1 << bits) == 0) {
            return Ok(());
        }
        self.zero(goal)
    }

    /// That a polynomial of integers is between these.
    pub(super) fn between(&self, least: i128, of: &Poly, greatest: i128) -> Step<()> {
        let mut state = self.state.borrow_mut();
        let of = state.renamed(of)?;
        if let [([atom], 1)] = of.terms().collect::<Vec<_>>()[..]
            && let Some(Sort::Integer(from, to)) = state.sorts.get(level(atom) as usize)
            && least <= *from
            && *to <= greatest
        {
            return Ok(());
        }
        let below = Poly::constant(least).minus(&of)?;
        let above = of.minus(&Poly::constant(greatest))?;
        for outside in [below, above] {
            if !state.excludes((outside, Relation::AboveZero))? {
                return Err(Stop::Unproved);
            }
        }
        Ok(())
    }

    /// That two real numbers with this difference are equal on this way.
    pub(super) fn equal(&self, difference: &Fraction) -> Step<()> {
        if self.zero(&difference.over).is_ok() {
            return Ok(());
        }
        // Numbers are equal if their exponentials are, and those of logarithms are what these are of.
        let mut atoms = difference.over.terms().flat_map(|(atoms, _)| atoms);
        if !difference.under.is_empty() || !atoms.any(|atom| level(atom) >= LOGARITHMS) {
            return Err(Stop::Unproved);
        }
        let ratio = self.exp(difference)?;
        self.zero(&ratio.add_scaled(-1, &Fraction::constant(1))?.over)
    }

    /// The exponential of a polynomial.
    pub(super) fn exp(&self, of: &Fraction) -> Step<Fraction> {
        let mut state = self.state.borrow_mut();
        if !of.under.is_empty() {
            return Err(Stop::Unproved);
        }
        let mut result = Fraction::constant(1);
        for (product, power) in state.renamed(&of.over)?.terms() {
            let base = match product {
                [atom] if level(atom) >= LOGARITHMS => {
                    state.logarithms[(level(atom) - LOGARITHMS) as usize].clone()
                }
                _ => Fraction::of(atom(state.exponential(product)?)),
            };
            let base = if power < 0 { base.reciprocal()? } else { base };
            if power.unsigned_abs() > POWER {
                return Err(Stop::Unproved);
            }
            for _ in 0..power.unsigned_abs() {
                result = result.times(&base)?;
            }
        }
        Ok(result)
    }

    /// The logarithm of a number that is positive on this way.
    pub(super) fn log(&self, of: &Fraction) -> Step<Fraction> {
        let mut state = self.state.borrow_mut();
        let known = state.logarithms.iter().position(|other| other == of);
        let at = known.unwrap_or_else(|| {
            state.logarithms.push(of.clone());
            state.logarithms.len() - 1
        });
        if at < KEPT { Ok(Fraction::of(atom(LOGARITHMS + at as u32))) } else { Err(Stop::Unproved) }
    }
}

/// What a sign says of a polynomial.
fn compared(of: &Poly, sign: Ordering) -> Step<(Poly, Relation)> {
    Ok(match sign {
        Ordering::Less => (Poly::default().minus(of)?, Relation::AboveZero),
        Ordering::Equal => (of.clone(), Relation::Zero),
        Ordering::Greater => (of.clone(), Relation::AboveZero),
    })
}

impl State {
    /// What is chosen at the next decision, of the alternatives that there are the first time.
    fn chosen(&mut self, among: impl FnOnce(&mut State) -> Step<Vec<usize>>) -> Step<usize> {
        let at = self.next;
        self.next += 1;
        if self.decisions.get(at).is_none() {
            let mut open = among(self)?;
            let chosen = open.pop().ok_or(Stop::Nowhere)?;
            self.decisions.push(Decision { chosen, open });
        }
        Ok(self.decisions[at].chosen)
    }

    /// The atom that is the exponential of a product.
    fn exponential(&mut self, product: &[Arc<Atom>]) -> Step<u32> {
        let known = self.exponentials.iter().position(|other| other == product);
        let at = known.unwrap_or_else(|| {
            self.exponentials.push(product.to_vec());
            self.exponentials.len() - 1
        });
        if at < KEPT { Ok(EXPONENTIALS + at as u32) } else { Err(Stop::Unproved) }
    }

    /// The same number, in atoms that are not known to be equal.
    fn renamed(&mut self, of: &Poly) -> Step<Poly> {
        if self.same.is_empty() {
            return Ok(of.clone());
        }
        let mut renamed = Poly::default();
        for (product, factor) in of.terms() {
            let mut of_term = Poly::constant(factor);
            for atom in product {
                of_term = of_term.times(&self.other(atom)?)?;
            }
            renamed = renamed.plus(&of_term)?;
        }
        Ok(renamed)
    }

    /// What an atom is in atoms that are not known to be equal.
    fn other(&mut self, of: &Atom) -> Step<Poly> {
        if is_exponential(of) {
            let product = self.exponentials[(level(of) - EXPONENTIALS) as usize].clone();
            let exponent = self.renamed(&term(&product, 1)?)?;
            let first = exponent.terms().next().map(|(product, _)| product.to_vec());
            return Ok(match first {
                Some(product) => atom(self.exponential(&product)?),
                None => Poly::constant(1),
            });
        }
        Ok(match self.same.get(&level(of)) {
            Some(Some(other)) => atom(*other),
            Some(None) => Poly::default(),
            None => Poly::atom(of.clone()),
        })
    }

    /// On this way, a polynomial in atoms that are not known to be equal has this sign.
    fn assume(&mut self, of: &Poly, sign: Ordering) -> Step<()> {
        let (known, relation) = compared(of, sign)?;
        self.learn(&known, relation);
        self.known.push((known, relation));
        let Some((atom, other)) = self.equation(of).filter(|_| sign.is_eq()) else { return Ok(()) };
        self.same.values_mut().filter(|old| **old == Some(atom)).for_each(|old| *old = other);
        self.same.insert(atom, other);
        let known = std::mem::take(&mut self.known);
        self.known = self.all_renamed(known)?;
        if let Some((greatest, bounds)) = self.bounds.take() {
            let other = self.same.get(&greatest).copied().flatten();
            self.bounds = Some((other.unwrap_or(greatest), self.all_renamed(bounds)?));
        }
        Ok(())
    }

    fn all_renamed(&mut self, known: Vec<(Poly, Relation)>) -> Step<Vec<(Poly, Relation)>> {
        known.into_iter().map(|(of, relation)| Ok((self.renamed(&of)?, relation))).collect()
    }

    /// The atom that is another, or zero, where the polynomial is zero.
    fn equation(&self, of: &Poly) -> Option<(u32, Option<u32>)> {
        let sort = |level: u32| self.sorts.get(level as usize);
        let terms: Vec<_> = of.terms().collect();
        match terms[..] {
            [([x], _)] if sort(level(x)).is_some() => Some((level(x), None)),
            [([x], n), ([y], m)] if n.checked_add(m) == Some(0) => {
                let (x, y) = (level(x), level(y));
                let known = sort(x).is_some() && sort(y).is_some();
                (known && self.is_whole(x) == self.is_whole(y)).then_some((y, Some(x)))
            }
            _ => None,
        }
    }

    fn is_whole(&self, level: u32) -> bool {
        matches!(self.sorts.get(level as usize), Some(Sort::Integer(..)))
    }

    /// The polynomial as a difference of two atoms, if it is one: the last number is minus the greatest one.
    fn difference(&self, of: &Poly) -> Option<Difference> {
        let (mut more, mut less, mut constant) = (Vec::new(), Vec::new(), 0);
        for (product, factor) in of.terms() {
            match (product, factor) {
                ([], _) => constant = factor,
                ([atom], 1 | -1) if (level(atom) as usize) < self.sorts.len() => {
                    if factor == 1 { &mut more } else { &mut less }.push(level(atom));
                }
                _ => return None,
            }
        }
        let place = |level: u32| level as usize + 1;
        let greatest = self.bounds.as_ref().map(|(greatest, _)| *greatest);
        let least = self.sorts.len() + 1;
        let (first, second) = match (&more[..], &less[..]) {
            ([], []) => return None,
            ([x], []) => (place(*x), ZERO),
            ([], [y]) => (ZERO, place(*y)),
            ([x], [y]) => (place(*x), place(*y)),
            ([x, y], []) | ([y, x], []) if Some(*y) == greatest && x != y => (place(*x), least),
            ([], [x, y]) | ([], [y, x]) if Some(*y) == greatest && x != y => (least, place(*x)),
            _ => return None,
        };
        Some(Difference { first, second, constant })
    }

    /// Know a comparison by the differences that it bounds, if it does.
    fn learn(&mut self, of: &Poly, relation: Relation) {
        let is_learned = self.difference(of).is_some_and(|of| self.differences.learn(of, relation));
        self.all_are_differences &= is_learned;
        self.work = self.work.saturating_sub(self.differences.steps() as u64 / 64);
    }

    /// What is known of the greatest number and a constant, of minus that number.
    fn learn_of_least(&mut self, of: &Poly, relation: Relation) {
        let greatest = self.bounds.as_ref().map(|(greatest, _)| *greatest as usize + 1);
        let least = self.sorts.len() + 1;
        if let Some(of) = self.difference(of).filter(|of| Some(of.first) == greatest && of.second == ZERO) {
            self.differences.learn(Difference { first: ZERO, second: least, ..of }, relation);
        }
    }

    /// Does what is known say that this does not hold?
    fn excludes(&mut self, claim: (Poly, Relation)) -> Step<bool> {
        if self.work == 0 {
            return Err(Stop::Unproved);
        }
        let of_differences = self.difference(&claim.0).and_then(|of| self.differences.excludes(of, claim.1));
        match of_differences {
            Some(excludes) if excludes || self.all_are_differences => {
                self.work -= 1;
                return Ok(excludes);
            }
            _ => {}
        }
        let atoms = |(of, _): &(Poly, Relation)| {
            let atoms = of.terms().flat_map(|(product, _)| product).map(|atom| level(atom));
            atoms.collect::<BTreeSet<u32>>()
        };
        let mut known: Vec<_> = self.known.iter().chain([&claim]).collect();
        if let Some((greatest, bounds)) = &self.bounds {
            let among: BTreeSet<u32> = known.iter().flat_map(|known| atoms(known)).collect();
            let is_of_use = |bound: &&(Poly, Relation)| atoms(bound).is_subset(&among);
            known.extend(bounds.iter().filter(|_| among.contains(greatest)).filter(is_of_use));
        }
        let mut places: BTreeMap<&[Arc<Atom>], usize> = BTreeMap::new();
        for (product, _) in known.iter().flat_map(|(of, _)| of.terms()) {
            let next = places.len();
            places.entry(product).or_insert(next);
        }
        if places.len() > PRODUCTS {
            return Ok(false);
        }
        let mut linear = Vec::new();
        for (of, relation) in known {
            let mut sum = vec![0; places.len() + 1];
            for (product, factor) in of.terms() {
                sum[if product.is_empty() { 0 } else { places[product] + 1 }] = factor;
            }
            // An integer that is more than zero is at least one.
            let is_whole =
                of.terms().all(|(product, _)| product.iter().all(|atom| self.is_whole(level(atom))));
            let less = sum[0].checked_sub(1).filter(|_| is_whole && *relation == Relation::AboveZero);
            sum[0] = less.unwrap_or(sum[0]);
            linear.push((sum, if less.is_some() { Relation::AtLeastZero } else { *relation }));
        }
        for (product, place) in places.iter().filter(|(product, _)| !product.is_empty()) {
            for (factor, constant, relation) in self.of_itself(product) {
                let mut sum = vec![0; places.len() + 1];
                (sum[0], sum[place + 1]) = (constant, factor);
                linear.push((sum, relation));
            }
        }
        self.work = self.work.saturating_sub((linear.len() * (1 + places.len() / 8)) as u64);
        Ok(contradictory(linear, &mut self.work))
    }

    /// What is known of a product by what its atoms are: how its multiple, and a constant, compare with
    /// zero.
    fn of_itself(&self, product: &[Arc<Atom>]) -> Vec<(i128, i128, Relation)> {
        let others: Vec<_> = product.iter().filter(|atom| !is_exponential(atom)).collect();
        // Exponentials are positive, and squares are not negative.
        if others.is_empty() {
            return vec![(1, 0, Relation::AboveZero)];
        }
        if others.chunks(2).all(|pair| matches!(pair, [x, y] if x == y)) {
            return vec![(1, 0, Relation::AtLeastZero)];
        }
        match product {
            [atom] => match self.sorts.get(level(atom) as usize) {
                Some(Sort::Integer(least, greatest)) => {
                    vec![(1, -least, Relation::AtLeastZero), (-1, *greatest, Relation::AtLeastZero)]
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}
