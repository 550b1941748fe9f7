//! Requirements at all points, and in words where they do not hold.

use super::{ForAll, Found, Integers, integers};
use crate::cases::{Case, requirements_case};
use crate::interp::{Cells, Options, RunError, interpret};
use crate::{Bool, Int, Name, parse_kernel};
use std::collections::BTreeMap;

const POS: [i64; 5] = [0, 2, 2, 3, 600];

/// What is wrong with `requires all …` where `N = 4`, `Z = 600`, `pos` is as above, and `crd[p] = p % 7`.
fn check(requirement: &str, expected: Option<&str>) {
    let text = format!(
        "kernel t(N, Z) in i64 pos[N + 1] in i32 crd[Z] in bool on[1] requires all {requirement} {{ }}"
    );
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let crd: Vec<i32> = (0..600).map(|p| p % 7).collect();
    let inputs = [Cells::I64(POS.to_vec()), Cells::I32(crd), Cells::Bool(vec![true])];
    let found = match interpret(&kernel, &[4, 600], &inputs, Options::default()) {
        Ok(_) => None,
        Err(RunError::Unmet(unmet)) => Some(unmet.to_string()),
        Err(error) => panic!("{error}\n{text}"),
    };
    assert_eq!(found.as_deref(), expected, "{text}");
}

#[test]
fn what_holds_at_all_points_holds() {
    check("{ pos[0] == 0 && pos[N] == Z }", None);
    check("i in 0..N { pos[i] <= pos[i + 1] }", None);
    check("i in 0..N, p in pos[i]..pos[i + 1] { 0 <= crd[p] && crd[p] < 7 }", None);
    check("p in 0..Z { p == 0 || crd[p] == (crd[p - 1] + on[0]) % 7 }", None);
    check("i in 3..0 { pos[99] == 0 }", None);
    check("{ on[0] == 1 }", None);
}

#[test]
fn the_first_point_where_it_does_not_hold_is_told() {
    check("{ pos[N] == 599 }", Some("`pos[N] == 599` does not hold: N = 4, pos[4] = 600"));
    check(
        "i in 0..N, p in pos[i]..pos[i + 1] { crd[p] < i + 3 }",
        Some("`crd[p] < i + 3` does not hold for i = 3, p = 6: crd[6] = 6"),
    );
    check(
        "p in 0..Z { crd[p] != 3 || p < 500 }",
        Some("`crd[p] != 3 || p < 500` does not hold for p = 500: crd[500] = 3"),
    );
    check(
        "i in 0..N, j in i..N { pos[i] < pos[j] || i == j }",
        Some("`pos[i] < pos[j] || i == j` does not hold for i = 1, j = 2: pos[1] = 2, pos[2] = 2"),
    );
}

#[test]
fn what_is_not_there_is_no_ground_to_hold() {
    check(
        "i in 0..N + 1 { pos[i] <= pos[i + 1] }",
        Some(
            "`pos[i] <= pos[i + 1]` does not hold for i = 4: pos[4] = 600, pos[5] is out of range: there are 5 cells",
        ),
    );
    check(
        "p in 0..Z { !(crd[pos[crd[p]]] == 9) }",
        Some(
            "`!(crd[pos[crd[p]]] == 9)` does not hold for p = 4: crd[4] = 4, pos[4] = 600, \
              crd[600] is out of range: there are 600 cells",
        ),
    );
    check(
        "i in 0..N, p in pos[i]..pos[i + 2] { p < Z }",
        Some(
            "`p in pos[i]..pos[i + 2]` does not hold for i = 3: pos[3] = 3, pos[5] is out of range: there are 5 cells",
        ),
    );
    check(
        "i in 0..N { i < 9223372036854775807 + i }",
        Some(
            "`i < 9223372036854775807 + i` does not hold for i = 1: 9223372036854775807 + i is outside 64 bits",
        ),
    );
}

/// What the left side decides is not asked of the right one.
#[test]
fn conditions_keep_reads_from_being_made() {
    check("i in 0..9 { N < i || pos[i] <= 600 }", None);
    check("i in 0..9 { i <= N && pos[i] <= 600 || N < i }", None);
    check("i in 0..9 { !(i < 2 && pos[i + 3] == 9) }", None);
    check(
        "i in 0..9 { !(N < i) || i == crd[pos[i + 9]] }",
        Some(
            "`!(N < i) || i == crd[pos[i + 9]]` does not hold for i = 5: N = 4, pos[14] is out of range: there are 5 cells",
        ),
    );
}

/// The columns find what an evaluation point by point finds.
#[test]
fn random_requirements_are_checked_as_they_read() {
    let (mut met, mut unmet, mut stray) = (0, 0, 0);
    for seed in 0..2000 {
        let Case { kernel, sizes, inputs } = requirements_case(seed);
        let names = kernel.params.iter().map(|param| param.name.clone());
        let inputs = names.zip(&inputs).filter_map(|(name, cells)| Some((name, integers(cells)?))).collect();
        let known = kernel.sizes.iter().cloned().zip(sizes.iter().copied()).collect();
        let expected = first_stray(&kernel.requires_all[0], 0, &mut Point { known, inputs: &inputs });
        let found = kernel.unmet(&sizes, &inputs);
        let binding = found.as_ref().map(|unmet| unmet.binding.iter().map(|(_, value)| *value).collect());
        assert_eq!(binding, expected, "seed {seed}\n{kernel}");
        match found {
            None => met += 1,
            Some(unmet) if unmet.terms.iter().any(|(_, found)| !matches!(found, Found::Is(_))) => stray += 1,
            Some(_) => unmet += 1,
        }
    }
    assert!(met > 200 && unmet > 200 && stray > 200, "{met} met, {unmet} unmet, {stray} stray");
}

/// Values of sizes and variables.
struct Point<'a> {
    known: Vec<(Name, i64)>,
    inputs: &'a BTreeMap<Name, Integers<'a>>,
}

impl Point<'_> {
    fn int(&self, int: &Int) -> Option<i64> {
        match int {
            Int::Lit(value) => Some(*value),
            Int::Var(name) => self.known.iter().rfind(|(known, _)| known == name).map(|(_, value)| *value),
            Int::Bin(op, a, b) => op.apply(self.int(a)?, self.int(b)?),
            Int::Load(buf, cell) => self.inputs[buf].at(self.int(cell)?),
        }
    }

    fn bool(&self, bool: &Bool) -> Option<bool> {
        Some(match bool {
            Bool::Lit(value) => *value,
            Bool::Cmp(op, a, b) => op.apply(&self.int(a)?, &self.int(b)?),
            Bool::And(a, b) => self.bool(a)? && self.bool(b)?,
            Bool::Or(a, b) => self.bool(a)? || self.bool(b)?,
            Bool::Not(a) => !self.bool(a)?,
        })
    }
}

fn first_stray(requirement: &ForAll, k: usize, at: &mut Point<'_>) -> Option<Vec<i64>> {
    let values = |at: &Point<'_>| at.known[at.known.len() - k..].iter().map(|(_, value)| *value).collect();
    let Some((name, lo, hi)) = requirement.binders.get(k) else {
        return if at.bool(&requirement.cond) == Some(true) { None } else { Some(values(at)) };
    };
    let (Some(lo), Some(hi)) = (at.int(lo), at.int(hi)) else { return Some(values(at)) };
    (lo..hi).find_map(|value| {
        at.known.push((name.clone(), value));
        let found = first_stray(requirement, k + 1, at);
        at.known.pop();
        found
    })
}
