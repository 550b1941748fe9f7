//! The laws of the algebra over random layouts, by brute force.
//!
//! Layouts of at most four leaves and 36 indices, in random trees, with compact, permuted, padded, broadcast and arbitrary
//! strides. The seeds are fixed.

use super::laws;
use crate::functions::coalesce::{coalesce, coalesce_by};
use crate::functions::complement::complement;
use crate::functions::exact_composition::{Path, exact_composition};
use crate::functions::filter::filter;
use crate::functions::idx2crd::idx2crd;
use crate::functions::injective::collision;
use crate::functions::left_inverse::left_inverse;
use crate::functions::logical_divide::logical_divide;
use crate::functions::logical_product::logical_product;
use crate::functions::longest_right_inverse::longest_right_inverse;
use crate::functions::nullspace::nullspace;
use crate::functions::permutes::{Loops, failed_condition};
use crate::functions::quasi_inverse::quasi_inverse;
use crate::functions::recognise::recognise;
use crate::functions::right_inverse::right_inverse;
use crate::functions::surjective::missing;
use crate::{Kind, Layout, Tree, compose};

/// How many layouts each law is tried on.
const LAYOUTS: u64 = 100_000;

/// A generator of numbers that is the same everywhere.
pub(crate) struct Random(pub(super) u64);

impl Random {
    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len() as u64) as usize]
    }

    /// A layout.
    pub(super) fn layout(&mut self) -> Layout {
        let mut modes: Vec<(i64, i64)> = Vec::new();
        let mut size = 1;
        for _ in 0..=self.below(4) {
            let n = *self.of(&[1, 2, 2, 3, 3, 4, 5, 6, 8, 9]);
            if size * n <= 36 {
                modes.push((n, 0));
                size *= n;
            }
        }
        self.strides(&mut modes);
        let mut leaves = modes.into_iter().map(|(n, d)| (Tree::Leaf(n), Tree::Leaf(d))).collect::<Vec<_>>();
        // Neighbours become tuples, from the inside out.
        while leaves.len() > 1 && self.below(2) == 0 {
            let from = self.below(leaves.len() as u64 - 1) as usize;
            let count = 1 + self.below((leaves.len() - from) as u64) as usize;
            let (shapes, strides) = leaves.splice(from..from + count, []).unzip();
            leaves.insert(from, (Tree::Node(shapes), Tree::Node(strides)));
        }
        let (shapes, strides): (Vec<_>, Vec<_>) = leaves.into_iter().unzip();
        match (shapes.as_slice(), strides.as_slice()) {
            ([shape], [stride]) if self.below(2) == 0 => Layout::try_new(shape.clone(), stride.clone()),
            _ => Layout::try_new(Tree::Node(shapes), Tree::Node(strides)),
        }
        .expect("a layout")
    }

    fn strides(&mut self, modes: &mut [(i64, i64)]) {
        let kind = self.below(6);
        let mut order: Vec<usize> = (0..modes.len()).collect();
        if kind > 0 {
            for k in (1..order.len()).rev() {
                order.swap(k, self.below(k as u64 + 1) as usize);
            }
        }
        let mut next = if kind == 3 { 1 + self.below(5) as i64 } else { 1 };
        for k in order {
            let (n, d) = &mut modes[k];
            *d = match kind {
                5 => self.below(13) as i64 - i64::from(self.below(12) == 0),
                4 if self.below(3) == 0 => 0,
                _ => next,
            };
            next = *d * *n + if kind == 2 { self.below(4) as i64 } else { 0 };
            next = next.max(1) * if kind == 3 { 1 + self.below(2) as i64 } else { 1 };
        }
    }
}

/// Tries a law on many random draws; how often its premise held is returned, and must be more than a tenth.
pub(super) fn law(seed: u64, holds: impl FnMut(&mut Random) -> Option<bool>, describe: &str) {
    law_on(LAYOUTS, seed, holds, describe);
}

/// The same on fewer draws, where there are not so many different ones.
pub(crate) fn law_on(
    draws: u64,
    seed: u64,
    mut holds: impl FnMut(&mut Random) -> Option<bool>,
    describe: &str,
) {
    let mut held = 0;
    for k in 0..draws {
        let mut random = Random(seed ^ k.wrapping_mul(0x2545_f491_4f6c_dd1d));
        match holds(&mut random) {
            Some(true) => held += 1,
            Some(false) => panic!("{describe} fails, seed {seed} draw {k}"),
            None => {}
        }
    }
    assert!(held > draws / 10, "{describe} was tried on {held} of {draws} draws only");
}

pub(super) fn values(layout: &Layout) -> Vec<i64> {
    layout.table(64).expect("a small layout")
}

fn at(layout: &Layout, i: i64) -> i64 {
    layout.at(i).expect("in range")
}

#[test]
fn coalescing_is_canonical() {
    let holds = |random: &mut Random| {
        let a = random.layout();
        let c = coalesce(&a).expect("a layout");
        let by = coalesce_by(&a, &Tree::Node(vec![Tree::Leaf(1); a.rank()])).expect("a layout");
        let table = values(&a);
        let recognised = recognise(&table).expect("a layout's table");
        Some(
            table == values(&c) && table == values(&by) && c == recognised && coalesce(&c).as_ref() == Ok(&c),
        )
    };
    law(1, holds, "coalesce(L) = recognise(table(L))");
}

#[test]
fn coordinates_and_indices_are_inverse() {
    let holds = |random: &mut Random| {
        let a = random.layout();
        let i = random.below(a.size() as u64) as i64;
        let crd = idx2crd(a.shape(), i).expect("an index");
        let open = crd.map(&mut |c| Some(*c));
        let compact = Layout::column_major(a.shape().clone()).expect("a layout");
        let offset = |layout: &Layout| crate::coordinate::offset(layout, &open).expect("a coordinate");
        Some(offset(&compact) == i && offset(&a) == at(&a, i))
    };
    law(2, holds, "crd2idx(L, idx2crd(L, i)) = L(i)");
}

#[test]
fn filters_and_nullspaces_split_a_layout() {
    let holds = |random: &mut Random| {
        let a = random.layout();
        let (f, n) = (filter(&a).expect("a layout"), nullspace(&a).expect("a layout"));
        let set = |layout: &Layout| {
            let mut set = values(layout);
            set.sort_unstable();
            set.dedup();
            set
        };
        Some(
            set(&f) == set(&a)
                && f.size() * n.size() == a.size()
                && values(&n).iter().all(|i| at(&a, *i) == 0),
        )
    };
    law(3, holds, "size(filter) * size(nullspace) = size");
}

/// Sound: what is accepted is right. Sharp: what carries or leaves a digit is no layout of the modes of `B`, unless found so.
#[test]
fn compositions_are_right_or_refused() {
    let mut outcomes = [0_u32; 5];
    let holds = |random: &mut Random| {
        let (a, b) = (random.layout(), random.layout());
        let rule = compose(&a, &b);
        let exact = exact_composition(&a, &b);
        let fits = match (&rule, &exact) {
            (Ok(found), Ok((same, Path::Rule))) => {
                outcomes[0] += 1;
                found == same && (b.range().0 < 0 || laws::composes(&a, &b, found))
            }
            (Err(why), _) if !matches!(why.kind, Kind::Divisibility | Kind::Carry) => false,
            (Err(_), Ok((found, Path::ModeByMode))) => {
                outcomes[1] += 1;
                laws::composes(&a, &b, found)
            }
            (Err(_), Ok((found, Path::WholeTable))) => {
                outcomes[2] += 1;
                laws::agrees(&a, &b, found)
            }
            (Err(_), Err(why)) if why.kind == Kind::NoLayout => {
                outcomes[3] += 1;
                true
            }
            // A right operand that counts below 0 has no values to look at.
            (Err(_), Err(_)) => {
                outcomes[4] += 1;
                b.range().0 < 0
            }
            _ => false,
        };
        Some(fits)
    };
    law(4, holds, "A o B");
    assert!(outcomes.iter().all(|n| *n > 20), "{outcomes:?}");
}

/// No carry exactly if the modes together are right, where each mode alone is admissible and the domain is not left.
#[test]
fn the_carry_condition_is_sharp() {
    let (mut carried, mut not) = (0, 0);
    let holds = |random: &mut Random| {
        let (a, b) = (random.layout(), random.layout());
        let (least, most) = b.range();
        if least < 0 || most >= a.size() {
            return None;
        }
        match compose(&a, &b) {
            Ok(found) => {
                not += 1;
                Some(laws::composes(&a, &b, &found))
            }
            Err(why) if why.kind == Kind::Carry => {
                carried += 1;
                Some(why.notes.iter().any(|note| note.starts_with("at index ")))
            }
            Err(_) => None,
        }
    };
    law(5, holds, "no carry exactly if right");
    assert!(carried > 300 && not > 3000, "{carried} {not}");
}

#[test]
fn composition_is_associative() {
    let holds = |random: &mut Random| {
        let (a, b, c) = (random.layout(), random.layout(), random.layout());
        let (Ok(ab), Ok(bc)) = (compose(&a, &b), compose(&b, &c)) else { return None };
        let (Ok(left), Ok(right)) = (compose(&ab, &c), compose(&a, &bc)) else { return None };
        // Past the domain of `B`, its two forms go on differently.
        if c.range().0 < 0 || c.range().1 >= b.size() || b.range().0 < 0 {
            return None;
        }
        Some(values(&left) == values(&right))
    };
    law(6, holds, "(A o B) o C = A o (B o C)");
}

#[test]
fn complements_fill_what_is_left() {
    let holds = |random: &mut Random| {
        let a = random.layout();
        let target = 1 + random.below(100) as i64;
        let (c, gaps) = complement(&a, target).ok()?;
        let size = filter(&a).expect("a layout").size() * c.size();
        let both = Layout::concat([a.clone(), c.clone()]).expect("a layout");
        // Without gaps, the sums are a range that reaches the target.
        let whole = gaps.is_some() || (missing(&both, size).is_none() && size >= target);
        Some(laws::complements(&a, &c) && whole)
    };
    law(7, holds, "sums with the complement are reached once");
}

#[test]
fn inverses_are_inverse() {
    let holds = |random: &mut Random| {
        let a = random.layout();
        let (r, longest) =
            (right_inverse(&a).expect("a layout"), longest_right_inverse(&a).expect("a layout"));
        let right = |r: &Layout| (0..r.size()).all(|i| at(&a, at(r, i)) == i);
        let most = longest_chain(&coalesce(&a).expect("a layout").live(), 1);
        let quasi = quasi_inverse(&a);
        let quasi = quasi.map_or(true, |q| (0..a.size()).all(|i| at(&a, at(&q, at(&a, i))) == at(&a, i)));
        let left = left_inverse(&a);
        let left = left.map_or(true, |l| (0..a.size()).all(|i| at(&l, at(&a, i)) == i));
        let onto = missing(&a, a.size()).is_some()
            || (r.size() == a.size() && (0..a.size()).all(|i| at(&r, at(&a, i)) == i));
        Some(
            right(&r)
                && right(&longest)
                && longest.size() == most
                && most >= r.size()
                && quasi
                && left
                && onto,
        )
    };
    law(8, holds, "inverses");
}

/// The end of the longest chain of modes that begins here, by trying all.
fn longest_chain(modes: &[(i64, i64)], from: i64) -> i64 {
    let next = modes.iter().filter(|(_, d)| *d == from).map(|(n, d)| longest_chain(modes, n * d));
    next.max().unwrap_or(from)
}

#[test]
fn divisions_and_products_are_what_they_say() {
    let holds = |random: &mut Random| {
        let (a, b) = (random.layout(), random.layout());
        let divided = logical_divide(&a, &b, &mut Vec::new());
        let product = logical_product(&a, &b);
        if divided.is_err() && product.is_err() {
            return None;
        }
        let divides = divided.map_or(true, |found| laws::divides(&a, &b, &found));
        Some(divides && product.map_or(true, |found| laws::multiplies(&a, &b, &found)))
    };
    law(9, holds, "divide and product");
}

#[test]
fn injectivity_and_surjectivity_are_decided() {
    let holds = |random: &mut Random| {
        let a = random.layout();
        let mut sorted = values(&a);
        sorted.sort_unstable();
        let twice = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        let collision = collision(&a).expect("a small layout");
        let named = collision.is_none_or(|(i, k)| i != k && at(&a, i) == at(&a, k));
        sorted.dedup();
        let n = random.below(a.size() as u64 + 3) as i64;
        let onto = sorted == (0..n).collect::<Vec<i64>>();
        Some(collision.is_some() == twice && named && missing(&a, n).is_none() == onto)
    };
    law(10, holds, "injective and surjective");
}

/// The conditions, against the sorted iterations of both loops.
#[test]
fn permutations_of_loops_are_decided() {
    let holds = |random: &mut Random| {
        let a = if random.below(2) == 0 {
            Layout::row_major(random.layout().shape().clone())
        } else {
            Ok(random.layout())
        };
        let a = a.expect("a layout");
        let (lo, hi) = (random.below(3) as i64 / 2, a.size() + random.below(3) as i64 / 2);
        let (from, to) = (random.below(5) as i64 / 4, a.size() - random.below(5) as i64 / 4);
        // The predicate ends somewhere, or leaves one iteration out, or always holds.
        let (end, without) =
            (random.below(a.size() as u64 + 3) as i64, random.below(3 * a.size() as u64) as i64);
        let always = random.below(3) == 0;
        let holds = |j: i64| always || (j < end && j != without);
        let mut inner: Vec<i64> = (from..to).map(|i| at(&a, i)).filter(|j| holds(*j)).collect();
        inner.sort_unstable();
        let loops = Loops { outer: lo..hi, inner: from..to, holds: &holds };
        let fails = failed_condition(&a, &loops).expect("a small loop");
        Some(fails.is_none() == inner.into_iter().eq((lo..hi).filter(|j| holds(*j))))
    };
    law(13, holds, "permutes");
}

#[test]
fn slices_add_their_offset() {
    let holds = |random: &mut Random| {
        let a = random.layout();
        let crd = idx2crd(a.shape(), random.below(a.size() as u64) as i64).expect("an index");
        let open = crd.map(&mut |c| (random.below(2) == 0).then_some(*c));
        let fixed = crate::coordinate::offset(&a, &open).expect("a coordinate");
        let slice = crate::coordinate::slice(&a, &open, crate::coordinate::Part::Open).expect("a slice");
        let dice = crate::coordinate::slice(&a, &open, crate::coordinate::Part::Fixed).expect("a slice");
        // The slice at the coordinate's open part, and the fixed part, make the value at the coordinate.
        let parts = crd.leaves().into_iter().zip(open.leaves()).filter(|(_, open)| open.is_none());
        let digits = parts.map(|(c, _)| *c);
        let strides = slice.stride().leaves().into_iter().copied();
        let inner: i64 = digits.zip(strides).map(|(c, d)| c * d).sum();
        let whole = crate::coordinate::offset(&a, &crd.map(&mut |c| Some(*c))).expect("a coordinate");
        Some(fixed + inner == whole && slice.size() * dice.size() == a.size())
    };
    law(11, holds, "L(c) = offset + slice");
}

#[test]
fn relations_of_shapes_are_orders() {
    let holds = |random: &mut Random| {
        let (a, b, c) = (random.layout(), random.layout(), random.layout());
        let (a, b, c) = (a.shape(), b.shape(), c.shape());
        let compatible = |a: &Tree<i64>, b: &Tree<i64>| a.is_compatible(b).expect("small");
        let reflexive = compatible(a, a) && a.is_weakly_congruent(a) && a.is_congruent(a);
        let stronger = !compatible(a, b) || (a.is_weakly_congruent(b) && a.size() == b.size());
        let both = (a.is_weakly_congruent(b) && b.is_weakly_congruent(a)) == a.is_congruent(b);
        let antisymmetric = !(compatible(a, b) && compatible(b, a)) || a == b;
        let chain = |r: &dyn Fn(&Tree<i64>, &Tree<i64>) -> bool| !(r(a, b) && r(b, c)) || r(a, c);
        let transitive = chain(&compatible) && chain(&|a, b| a.is_weakly_congruent(b));
        Some(reflexive && stronger && both && antisymmetric && transitive)
    };
    law(12, holds, "congruent, compatible");
}
