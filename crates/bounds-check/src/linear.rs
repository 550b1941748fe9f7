//! Numbers that are linear in sizes, and what must hold of them.
//!
//! The one idea: whether an access is inside depends on the largest and on the smallest value of its index,
//! and both are sums of sizes. So all that the guard needs, assumes and advises is of one form, which is
//! written as `m + 1 <= n`: what it says can be told to it again.

use super::kernel::{Affine, Sizes};
use atl_teil::language::{Fact, Placed, Relation, Size};
use std::collections::BTreeMap;

/// A number and a multiple of each of some sizes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Linear {
    constant: i128,
    /// None of these is 0.
    of: BTreeMap<String, i128>,
}

impl Linear {
    /// A number.
    pub(super) fn number(constant: i128) -> Linear {
        Linear { constant, of: BTreeMap::new() }
    }

    /// A size.
    pub(super) fn size(size: &Size) -> Linear {
        match size {
            Size::Number(n) => Linear::number(i128::from(*n)),
            Size::Variable(name) => Linear { constant: 0, of: BTreeMap::from([(name.clone(), 1)]) },
        }
    }

    /// What is written where sizes are written for indices, as in a condition.
    pub(super) fn of_sizes(written: &Affine) -> Linear {
        let terms = written.terms.iter().chain(&written.sizes);
        terms.fold(Linear::number(i128::from(written.constant)), |sum, (by, name)| {
            sum.plus(i128::from(*by), &Linear::size(&Size::Variable(name.clone())))
        })
    }

    /// With a multiple of another.
    pub(super) fn plus(mut self, by: i128, other: &Linear) -> Linear {
        self.constant = self.constant.saturating_add(by.saturating_mul(other.constant));
        for (name, n) in &other.of {
            let known = self.of.entry(name.clone()).or_insert(0);
            *known = known.saturating_add(by.saturating_mul(*n));
        }
        self.of.retain(|_, n| *n != 0);
        self
    }

    /// What it is at these sizes.
    pub(super) fn at(&self, sizes: &Sizes) -> i128 {
        self.of.iter().fold(self.constant, |sum, (name, by)| {
            sum.saturating_add(by.saturating_mul(i128::from(sizes.get(name).copied().unwrap_or(1))))
        })
    }

    /// With this for a size.
    pub(super) fn with(mut self, name: &str, value: &Linear) -> Linear {
        match self.of.remove(name) {
            Some(by) => self.plus(by, value),
            None => self,
        }
    }

    /// The number that it is, whatever the sizes are.
    pub(super) fn constant(&self) -> Option<i128> {
        self.of.is_empty().then_some(self.constant)
    }

    /// The size that it is, if it is nothing more.
    pub(super) fn as_size(&self) -> Option<Size> {
        match (self.constant, self.of.len(), self.of.first_key_value()) {
            (0, 1, Some((name, 1))) => Some(Size::Variable(name.clone())),
            (n @ 1.., 0, _) => u64::try_from(n).ok().map(Size::Number),
            _ => None,
        }
    }

    /// Whether it is at least 0 for all sizes: no size makes it smaller, and it is where all are 1.
    pub(super) fn always(&self) -> bool {
        self.of.values().all(|by| *by >= 0) && self.at(&Sizes::new()) >= 0
    }

    /// Whether it is below 0 for all sizes.
    pub(super) fn never(&self) -> bool {
        self.of.values().all(|by| *by <= 0) && self.at(&Sizes::new()) < 0
    }

    /// The number, and how often each size counts.
    pub(super) fn parts(&self) -> (i128, impl Iterator<Item = (&String, i128)>) {
        (self.constant, self.of.iter().map(|(name, by)| (name, *by)))
    }

    /// `N - 2`
    pub(super) fn text(&self) -> String {
        sum(self.of.iter().map(|(name, by)| (name.as_str(), *by)), self.constant)
    }
}

/// `2 * m + n - 1`
fn sum<'n>(terms: impl Iterator<Item = (&'n str, i128)>, constant: i128) -> String {
    let mut text = String::new();
    // What is added stands before what is taken away.
    let (more, less): (Vec<_>, Vec<_>) = terms.partition(|(_, by)| *by > 0);
    let terms = more.into_iter().chain(less);
    for (name, by) in terms.chain((constant != 0).then_some(("", constant))) {
        text += match (text.is_empty(), by < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text += &match (name, by.unsigned_abs()) {
            ("", n) => n.to_string(),
            (name, 1) => name.to_owned(),
            (name, n) => format!("{n} * {name}"),
        };
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

/// Something that must hold of sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Need {
    /// Two sizes are one.
    Same(Size, Size),
    /// This is not negative.
    NotNegative(Linear),
}

impl Need {
    /// Two sizes are one; in either order, it is the same need.
    pub(super) fn same(a: &Size, b: &Size) -> Need {
        if b < a { Need::Same(b.clone(), a.clone()) } else { Need::Same(a.clone(), b.clone()) }
    }

    /// What is not negative if and only if it holds.
    pub(super) fn not_negative(&self) -> Vec<Linear> {
        match self {
            Need::Same(a, b) => {
                let [a, b] = [a, b].map(Linear::size);
                vec![a.clone().plus(-1, &b), b.plus(-1, &a)]
            }
            Need::NotNegative(linear) => vec![linear.clone()],
        }
    }

    /// As TeIL may state it: of two sizes, names or numbers.
    pub(super) fn fact(&self) -> Option<Fact> {
        let fact = |left: &Size, relation, right: &Size| {
            let [left, right] = [left, right].map(|size| Placed::unplaced(size.clone()));
            Fact { left, relation, right }
        };
        match self {
            Need::Same(a, b) => Some(fact(a, Relation::Equal, b)),
            Need::NotNegative(linear) => {
                let right = linear.clone().plus(-1, &Linear::number(linear.constant)).as_size()?;
                let left = Linear::number(linear.constant.saturating_neg()).as_size()?;
                Some(fact(&left, Relation::AtMost, &right))
            }
        }
    }

    /// `p + r - 1 <= n`, which `--assume` takes, with what some sizes are for those.
    pub(super) fn text(&self, spelled: impl Fn(Linear) -> Linear) -> String {
        match self {
            Need::Same(a, b) => {
                let [a, b] = [a, b].map(|size| spelled(Linear::size(size)).text());
                format!("{a} == {b}")
            }
            Need::NotNegative(linear) => {
                let linear = spelled(linear.clone());
                let side = |sign: i128| {
                    let of = linear.of.iter().filter(move |(_, by)| by.signum() == sign);
                    of.map(move |(name, by)| (name.as_str(), by.saturating_abs()))
                };
                let (left, right) = match (side(-1).next(), side(1).next()) {
                    (Some(_), None) => (0, linear.constant),
                    _ => (linear.constant.saturating_neg(), 0),
                };
                format!("{} <= {}", sum(side(-1), left), sum(side(1), right))
            }
        }
    }
}
