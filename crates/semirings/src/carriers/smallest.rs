//! `smallest`: the costs of the k best, such as the k shortest paths.
//!
//! **Carrier.** At most `k` costs in order, equal ones as often as they come. A cost beyond the largest number is left out.
//! **Zero, one.** No cost, and 0 alone. **Addition.** Both lists merged. **Multiplication.** The sums of a cost of either.
//! Both keep the first `k`.
//! **Laws.** A commutative semiring: what is left out has `k` better ones whatever is added to all of them.

use crate::Arithmetic;
use atl_kernel::Laws;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Smallest {
    /// How many are kept, which is at least two.
    pub k: usize,
}

impl Smallest {
    fn first(&self, costs: impl Iterator<Item = u64>) -> Vec<u64> {
        let mut costs: Vec<u64> = costs.collect();
        costs.sort_unstable();
        costs.truncate(self.k);
        costs
    }
}

impl Arithmetic for Smallest {
    type Element = Vec<u64>;

    fn name(&self) -> String {
        format!("{} smallest", self.k)
    }

    fn laws(&self) -> Laws {
        Laws::COMM_SEMIRING
    }

    fn zero(&self) -> Vec<u64> {
        Vec::new()
    }

    fn one(&self) -> Vec<u64> {
        vec![0]
    }

    fn add(&self, a: &Vec<u64>, b: &Vec<u64>) -> Vec<u64> {
        self.first(a.iter().chain(b).copied())
    }

    fn mul(&self, a: &Vec<u64>, b: &Vec<u64>) -> Vec<u64> {
        self.first(a.iter().flat_map(|a| b.iter().filter_map(|b| a.checked_add(*b))))
    }

    fn sample(&self, below: &mut dyn FnMut(usize) -> usize) -> Vec<u64> {
        let length = below(self.k + 1);
        self.first((0..length).map(|_| [0, 1, 2, 5, u64::MAX - 1][below(5)]))
    }
}
