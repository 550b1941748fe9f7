//! The cheapest order in which to carry out the sums over a product.
//!
//! **The one idea.** A sum over an index joins the factors that depend on it into one, which depends on all
//! their other indices; so the factors that are left after some sums do not depend on the order of these. The
//! cheapest order of all sums is found by dynamic programming over the sets of sums that are done, exactly.
//! Sums whose factors are joined anyway go along.
//!
//! Nothing here is believed: an order is carried out by theorems, or it is not.

/// A set of indices, or of sums: a bit for each.
type Set = u64;

/// The most sums that are searched.
pub const MAX_SUMS: usize = 16;

/// A sum of products, as far as its cost is concerned.
#[derive(Clone, Debug, Default)]
pub struct Product {
    /// The range of every index: those that are summed over first, then those that the result keeps.
    pub extents: Vec<u64>,
    /// How many of them are summed over.
    pub sums: usize,
    /// The indices that each factor depends on, by their numbers.
    pub factors: Vec<Vec<usize>>,
}

/// What an order costs: operations, then numbers that are stored on the way.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Cost {
    /// Multiplications and additions.
    pub operations: f64,
    /// Entries of intermediate tensors.
    pub stored: f64,
}

impl Cost {
    fn plus(self, other: Cost) -> Cost {
        Cost { operations: self.operations + other.operations, stored: self.stored + other.stored }
    }
}

/// An order: in each step, sums that are carried out together. The last step yields the result.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Order {
    /// The sums of each step.
    pub steps: Vec<Vec<usize>>,
    /// What all of them cost.
    pub cost: Cost,
}

impl Product {
    /// The cheapest order; none if there are too many sums or indices, or no sums.
    pub fn cheapest(&self) -> Option<Order> {
        if self.sums == 0 || self.sums > MAX_SUMS || self.extents.len() > 64 {
            return None;
        }
        let all: Set = (1 << self.sums) - 1;
        // For each set of sums that are done, the cheapest way to do the rest: its first step and its cost.
        let mut best: Vec<(Set, Cost)> = vec![(0, Cost::default()); 1 << self.sums];
        for done in (0..all).rev() {
            let mut cheapest: Option<(Set, Cost)> = None;
            // The innermost first: of orders that cost the same, the one that moves the fewest sums.
            for sum in (0..self.sums).rev().filter(|sum| done & (1 << sum) == 0) {
                let (step, own) = self.step(done, sum);
                let cost = own.plus(best[(done | step) as usize].1);
                if cheapest.is_none_or(|(_, found)| cost < found) {
                    cheapest = Some((step, cost));
                }
            }
            best[done as usize] = cheapest?;
        }
        let (mut steps, mut done) = (Vec::new(), 0);
        while done != all {
            let (step, _) = best[done as usize];
            steps.push((0..self.sums).filter(|sum| step & (1 << sum) != 0).collect());
            done |= step;
        }
        Some(Order { steps, cost: best[0].1 })
    }

    /// What each step of an order takes: the indices that it goes through, and how many factors it has.
    pub fn account(&self, order: &Order) -> Vec<(Vec<usize>, usize)> {
        let mut done: Set = 0;
        let each = order.steps.iter().map(|step| {
            let sums = step.iter().fold(0, |set, sum| set | (1 << sum));
            let joined: Vec<Set> = self.left(done).into_iter().filter(|f| f & sums != 0).collect();
            done |= sums;
            let through = union(&joined) | sums;
            let indices = (0..self.extents.len()).filter(|i| through & (1 << i) != 0).collect();
            (indices, joined.len().max(1))
        });
        each.collect()
    }

    /// What it costs to carry out all sums at once.
    pub fn unfactored(&self) -> f64 {
        self.size(Set::MAX) * self.factors.len() as f64
    }

    /// The sums that are carried out with this one after those that are done, and what that costs.
    fn step(&self, done: Set, sum: usize) -> (Set, Cost) {
        let left = self.left(done);
        let (joined, others): (Vec<Set>, Vec<Set>) = left.into_iter().partition(|f| f & (1 << sum) != 0);
        let (own, elsewhere) = (union(&joined), union(&others));
        let sums = (0..self.sums)
            .map(|s| 1 << s)
            .filter(|s| own & s != 0 && elsewhere & s == 0)
            .fold(0, |a, s| a | s);
        // A sum that no factor depends on adds up equal terms.
        let sums = sums | (1 << sum);
        let operations = self.size(own | sums) * joined.len().max(1) as f64;
        let is_last = done | sums == (1 << self.sums) - 1;
        let stored = if is_last { 0.0 } else { self.size(own & !sums) };
        (sums, Cost { operations, stored })
    }

    /// The indices of the factors that are left when these sums are done.
    fn left(&self, done: Set) -> Vec<Set> {
        let mut left: Vec<Set> =
            self.factors.iter().map(|f| f.iter().fold(0, |set, i| set | (1 << i))).collect();
        for sum in (0..self.sums).map(|sum| 1 << sum).filter(|sum| done & sum != 0) {
            let (joined, others): (Vec<Set>, Vec<Set>) = left.into_iter().partition(|f| f & sum != 0);
            left = others;
            left.extend((!joined.is_empty()).then(|| union(&joined)));
        }
        left.into_iter().map(|f| f & !done).collect()
    }

    /// How many combinations these indices have.
    fn size(&self, set: Set) -> f64 {
        let ranges = self.extents.iter().enumerate().filter(|(i, _)| set & (1 << i) != 0);
        ranges.map(|(_, n)| *n as f64).product()
    }
}

fn union(sets: &[Set]) -> Set {
    sets.iter().fold(0, |a, b| a | b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A product like `ij,jk,k->i`, every sum and every other index with a range.
    fn product(spec: &str, extents: &[(char, u64)]) -> (Product, Vec<char>) {
        let (inputs, result) = spec.split_once("->").expect("a result");
        let mut indices: Vec<char> = inputs.chars().filter(|c| c.is_alphabetic()).collect();
        indices.sort_unstable();
        indices.dedup();
        let (kept, sums): (Vec<char>, Vec<char>) = indices.into_iter().partition(|c| result.contains(*c));
        let names: Vec<char> = sums.iter().chain(&kept).copied().collect();
        let number = |c: char| names.iter().position(|name| *name == c).expect("an index");
        let range = |c: &char| extents.iter().find(|(name, _)| name == c).map_or(10, |(_, n)| *n);
        let factors = inputs.split(',').map(|f| f.chars().map(number).collect()).collect();
        (Product { extents: names.iter().map(range).collect(), sums: sums.len(), factors }, names)
    }

    fn check(spec: &str, extents: &[(char, u64)], steps: &str, operations: f64) {
        let (product, names) = product(spec, extents);
        let order = product.cheapest().expect("an order");
        let step = |sums: &Vec<usize>| sums.iter().map(|s| names[*s]).collect::<String>();
        let found: Vec<String> = order.steps.iter().map(step).collect();
        assert_eq!((found.join(" ").as_str(), order.cost.operations), (steps, operations), "{spec}");
    }

    #[test]
    fn chains_are_grouped_by_their_sizes() {
        check("ij,jk,k->i", &[], "k j", 400.0);
        check("ij,jk,kl->il", &[('i', 2)], "j k", 2.0 * (200.0 + 200.0));
        check("ij,jk,kl->il", &[('l', 2)], "k j", 2.0 * (200.0 + 200.0));
    }

    #[test]
    fn interpolation_is_three_products() {
        check("xi,yj,zk,eijk->exyz", &[('e', 1)], "k j i", 60_000.0);
    }

    #[test]
    fn sums_of_the_same_factors_go_together() {
        check("ijk,jk,k->i", &[], "j k", 2200.0);
        check("ijk,jkl,l->i", &[], "l jk", 2.0 * (1000.0 + 1000.0));
        check("ijk,jr,kr->ir", &[], "k j", 22_000.0);
    }

    #[test]
    fn what_stands_apart_is_summed_up_alone() {
        check("i,j->", &[], "j i", 20.0);
        check("i->", &[], "i", 10.0);
    }

    /// Every order of every product with up to four sums, by trying all permutations.
    #[test]
    fn no_order_is_cheaper() {
        for spec in
            ["ab,bc,cd,da->", "ab,bc,cd,de->ae", "abx,bcy,cax->y", "ax,bx,cx,abc->x", "abc,cd,bd,e->ae"]
        {
            let extents: Vec<(char, u64)> = "abcdexy".chars().zip([2, 7, 3, 11, 5, 4, 6]).collect();
            let (product, _) = product(spec, &extents);
            let least = cheapest_permutation(&product, 0);
            let found = product.cheapest().expect("an order").cost;
            assert_eq!(found.operations, least.operations, "{spec}");
        }
    }

    fn cheapest_permutation(product: &Product, done: Set) -> Cost {
        let rest = (0..product.sums).filter(|sum| done & (1 << sum) == 0);
        let costs = rest.map(|sum| {
            let (step, own) = product.step(done, sum);
            own.plus(cheapest_permutation(product, done | step))
        });
        costs.reduce(|a, b| if b < a { b } else { a }).unwrap_or_default()
    }

    #[test]
    fn too_many_sums_have_no_order() {
        let product = Product { extents: vec![2; 17], sums: 17, factors: vec![(0..17).collect()] };
        assert_eq!(product.cheapest(), None);
    }
}
