//! Sizes near those that are wanted, for which a function has a meaning.
//!
//! One idea: preconditions on sizes are few and simple (`N == 4`, `2 * K <= N`, `N % 8 == 0`), so a short
//! search finds numbers for them: size by size, nearest first, leaving a choice as soon as a precondition
//! says no. Beside the neighbours of a wanted number, the literals of the preconditions, their multiples, and
//! what equations say are tried. The work is counted and bounded.

use atl_arith::{eval_ix, eval_pred};
use atl_kernel::{Cmp, Ix, Pred, Var};
use atl_lang::SizeSource;
use atl_session::signature::{Extent, Signature};

/// How many choices are tried at most.
const CHOICES: usize = 20_000;

/// How far from what is wanted a number may be, if nothing else speaks for it.
const NEAR: i64 = 9;

/// Is the size one that only the arrays of a parameter in a format have, as the number of its entries?
pub(super) fn is_packed(signature: &Signature, size: usize) -> bool {
    let size = &signature.sizes[size];
    let of_operand = |array: usize| signature.arrays[array].operand.is_some();
    matches!(size.source, SizeSource::Extent { param, .. } if of_operand(param)) && size.operands.is_empty()
}

/// Values for the sizes, none for those that [are packed](is_packed); or none if none were found.
pub(super) fn near(signature: &Signature, wanted: &[i64]) -> Option<Vec<Option<i64>>> {
    let free: Vec<usize> = (0..signature.sizes.len()).filter(|k| !is_packed(signature, *k)).collect();
    let mut literals = Vec::new();
    signature.conditions.iter().for_each(|condition| literals_of(&condition.holds, &mut literals));
    let backwards: Vec<usize> = free.iter().rev().copied().collect();
    // A result without elements says nothing: it is the last resort where none of the sizes is to be 0.
    let share = wanted.iter().min().map_or(0, |n| (n + 3) / 4);
    // An equation gives a size once the others are chosen.
    let orders = [share, 0].into_iter().flat_map(|least| [(&free, least), (&backwards, least)]);
    orders.into_iter().find_map(|(order, least)| {
        let values = vec![None; signature.sizes.len()];
        let mut search = Search { signature, wanted, least, literals: &literals, values, left: CHOICES };
        search.choose(order).then_some(search.values)
    })
}

struct Search<'a> {
    signature: &'a Signature,
    wanted: &'a [i64],
    /// What an extent of the result must be that depends on sizes.
    least: i64,
    literals: &'a [i64],
    values: Vec<Option<i64>>,
    left: usize,
}

impl Search<'_> {
    fn choose(&mut self, order: &[usize]) -> bool {
        let Some((size, rest)) = order.split_first() else { return true };
        for value in self.candidates(*size) {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                break;
            }
            self.values[*size] = Some(value);
            if self.may_be() && self.choose(rest) {
                return true;
            }
        }
        self.values[*size] = None;
        false
    }

    /// The values of a size, the best first.
    fn candidates(&self, size: usize) -> Vec<i64> {
        let wanted = self.wanted[size];
        let mut all = vec![wanted];
        let level = self.signature.sizes[size].level;
        self.signature.conditions.iter().for_each(|condition| self.equals(&condition.holds, level, &mut all));
        let multiple = |n: &i64| (*n > 1).then(|| (wanted.checked_add(n - 1)? / n).checked_mul(*n)).flatten();
        all.extend(self.literals.iter().filter_map(multiple));
        all.extend((1..=NEAR).flat_map(|d| [wanted + d, wanted - d]));
        all.push(wanted / 2);
        all.extend(self.literals.iter().flat_map(|n| [*n, n.saturating_add(1), n.saturating_sub(1)]));
        all.extend(0..=NEAR);
        all.extend([16, 32, 64]);
        let mut found = Vec::new();
        for n in all.into_iter().filter(|n| *n >= 0) {
            if !found.contains(&n) {
                found.push(n);
            }
        }
        found
    }

    /// What equations say a size is, where the other sizes are known.
    fn equals(&self, p: &Pred, level: u32, found: &mut Vec<i64>) {
        let is_it = |ix: &Ix| matches!(ix, Ix::Var(Var::Free(l)) if *l == level);
        match p {
            Pred::Cmp(Cmp::Eq, a, b) if is_it(a) => found.extend(eval_ix(b, &|l| self.value(l))),
            Pred::Cmp(Cmp::Eq, a, b) if is_it(b) => found.extend(eval_ix(a, &|l| self.value(l))),
            Pred::And(ab) => {
                self.equals(&ab.0, level, found);
                self.equals(&ab.1, level, found);
            }
            _ => {}
        }
    }

    fn value(&self, level: u32) -> Option<i64> {
        self.values[self.signature.position(level)?]
    }

    /// Does no precondition say no yet, and is no extent negative?
    fn may_be(&self) -> bool {
        let known = |extent: &Extent| self.signature.known(extent, &self.values);
        let mut extents = self.signature.arrays.iter().flat_map(|array| &array.extents);
        let least = |extent: &Extent| if matches!(extent.term, Ix::Lit(_)) { 0 } else { self.least };
        self.signature
            .conditions
            .iter()
            .all(|condition| eval_pred(&condition.holds, &|level| self.value(level)) != Some(false))
            && extents.all(|extent| known(extent).is_none_or(|n| n >= 0))
            && self
                .signature
                .result
                .extents
                .iter()
                .all(|extent| known(extent).is_none_or(|n| n >= least(extent)))
    }
}

fn literals_of(p: &Pred, found: &mut Vec<i64>) {
    match p {
        Pred::True | Pred::False => {}
        Pred::Cmp(_, a, b) => {
            literals_in(a, found);
            literals_in(b, found);
        }
        Pred::Not(p) => literals_of(p, found),
        Pred::And(ab) | Pred::Or(ab) => {
            literals_of(&ab.0, found);
            literals_of(&ab.1, found);
        }
    }
}

fn literals_in(ix: &Ix, found: &mut Vec<i64>) {
    match ix {
        Ix::Lit(n) if !found.contains(n) => found.push(*n),
        Ix::Lit(_) | Ix::Var(_) => {}
        Ix::Bin(_, ab) => {
            literals_in(&ab.0, found);
            literals_in(&ab.1, found);
        }
        Ix::Read(_, at) => at.iter().for_each(|ix| literals_in(ix, found)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_session::Program;

    fn check(precondition: &str, wanted: [i64; 2], expected: Option<[i64; 2]>) {
        let text = format!(
            "fn f(x: f32[N], y: f32[K]) -> f32[N] where {precondition} {{ gen i < N {{ x[i] + sum k < K {{ y[k] }} }} }}"
        );
        let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{precondition}: {e}"));
        let found = near(&Signature::of(&program.functions()[0]), &wanted);
        assert_eq!(found, expected.map(|sizes| sizes.map(Some).to_vec()), "{precondition}");
    }

    #[test]
    fn sizes_satisfy_what_is_required_and_are_near() {
        check("0 <= N", [5, 3], Some([5, 3]));
        check("N == 4", [37, 3], Some([4, 3]));
        check("2 * K <= N", [5, 3], Some([5, 2]));
        check("N == 2 * K", [37, 35], Some([34, 17]));
        check("N % 8 == 0 && K > N", [37, 35], Some([40, 41]));
        check("N == 100 || N == 200", [37, 35], Some([100, 35]));
        check("N < K && K < N", [3, 3], None);
    }

    #[test]
    fn a_result_has_elements_where_sizes_allow_it() {
        let text = "fn f(x: f32[N], w: f32[R]) -> f32[N - R + 1] where R <= N + 1 { gen p < N - R + 1 { sum r < R { x[p + r] * w[r] } } }";
        let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
        let signature = Signature::of(&program.functions()[0]);
        assert_eq!(near(&signature, &[67, 71]), Some(vec![Some(67), Some(35)]));
        assert_eq!(near(&signature, &[0, 0]), Some(vec![Some(0), Some(0)]));
    }
}
