//! Ranks of places, as sums of multiples of their indices, and where what has a rank is kept: in its place,
//! or by fronts, at its rank and the indices but one, which the rank says.

use atl_kernel::{Ix, Label, Pred};

/// What indices count in the rank.
pub(crate) struct Ranks {
    weights: Vec<i64>,
    /// The index that is not kept, of what is kept by fronts; it counts 1.
    left_out: Option<usize>,
}

impl Ranks {
    pub(crate) fn new(weights: &[i64], left_out: Option<usize>) -> Ranks {
        Ranks { weights: weights.to_vec(), left_out }
    }

    /// The rank of a place.
    pub(crate) fn rank(&self, place: &[Ix]) -> Ix {
        self.but(place, None)
    }

    /// What the indices but one count together.
    fn but(&self, place: &[Ix], but: Option<usize>) -> Ix {
        let counts = self.weights.iter().zip(place).enumerate();
        let counts = counts.filter(|(k, (w, _))| **w != 0 && Some(*k) != but);
        counts.map(|(_, (w, p))| Ix::Lit(*w) * p.clone()).reduce(|a, b| a + b).unwrap_or(Ix::ZERO)
    }

    /// A sum over the indices that count, of multiples of a number of each.
    pub(crate) fn total(&self, number: &dyn Fn(usize) -> Ix) -> Ix {
        let counts = self.weights.iter().enumerate().filter(|(_, w)| **w != 0);
        counts.fold(Ix::ZERO, |sum, (k, w)| sum + Ix::Lit(*w) * number(k))
    }

    /// Is each in its own place?
    pub(crate) fn are_in_place(&self) -> bool {
        self.left_out.is_none()
    }

    /// What is kept of an index of each kind.
    fn kept<T: Clone>(&self, all: &[T]) -> Vec<T> {
        let kept = all.iter().enumerate().filter(|(k, _)| Some(*k) != self.left_out);
        kept.map(|(_, p)| p.clone()).collect()
    }

    /// Where what has this place is kept.
    pub(crate) fn home(&self, place: &[Ix]) -> Vec<Ix> {
        match self.left_out {
            None => place.to_vec(),
            Some(_) => [vec![self.rank(place)], self.kept(place)].concat(),
        }
    }

    /// The place of what is kept there.
    pub(crate) fn place_at(&self, home: &[Ix]) -> Vec<Ix> {
        let Some(out) = self.left_out else { return home.to_vec() };
        let mut place = home[1..].to_vec();
        place.insert(out, Ix::ZERO);
        place[out] = home[0].clone() - self.but(&place, Some(out));
        place
    }

    /// The loops over where all are kept, of this many fronts, of the loops over all places.
    pub(crate) fn homes(&self, count: &Ix, along: &[(Label, Ix)]) -> Vec<(Label, Ix)> {
        match self.left_out {
            None => along.to_vec(),
            Some(_) => [vec![(Label::new("front"), count.clone())], self.kept(along)].concat(),
        }
    }

    /// That there is what is kept there: the index that is not kept is inside of these extents.
    pub(crate) fn is_there(&self, place: &[Ix], along: &[(Label, Ix)]) -> Pred {
        self.left_out.map_or(Pred::True, |out| Pred::in_range(&place[out], &along[out].1))
    }

    /// That what is kept at `home`, which has this place, is of a front.
    pub(crate) fn is_of(&self, front: Ix, (home, place): (&[Ix], &[Ix]), along: &[(Label, Ix)]) -> Pred {
        match self.left_out {
            None => Pred::eq(self.rank(place), front),
            Some(_) => Pred::and(Pred::eq(home[0].clone(), front), self.is_there(place, along)),
        }
    }
}
