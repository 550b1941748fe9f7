//! The coordinates of a level: a box of one or more dimensions, in lexicographic order.
//!
//! A level over several dimensions sees them flattened, row by row. The flattened coordinate of a large box
//! may need more than 64 bits, so it is an `i128` here, and levels that store tuples never form it.

use crate::Refusal;

/// A box `[0, n0) × [0, n1) × …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimensions {
    extents: Vec<usize>,
    size: i128,
}

impl Dimensions {
    /// The box of these extents; refused if one does not fit 64 bits, or the number of points does not fit 128.
    pub fn try_new(extents: Vec<usize>) -> Result<Dimensions, Refusal> {
        let numbered = extents.iter().all(|n| i64::try_from(*n).is_ok());
        let size = match extents.contains(&0) {
            _ if !numbered => None,
            true => Some(0),
            false => extents.iter().try_fold(1i128, |size, &n| size.checked_mul(n as i128)),
        };
        let size = size.ok_or_else(|| Refusal::TooLarge { what: format!("the box {extents:?}") })?;
        Ok(Dimensions { extents, size })
    }

    /// The box of one dimension.
    pub fn line(extent: usize) -> Dimensions {
        Dimensions { extents: vec![extent], size: extent as i128 }
    }

    /// The extents, outermost first.
    pub fn extents(&self) -> &[usize] {
        &self.extents
    }

    /// How many dimensions there are.
    pub fn arity(&self) -> usize {
        self.extents.len()
    }

    /// How many points there are.
    pub fn size(&self) -> i128 {
        self.size
    }

    /// How many points there are, if a level can number them with 64 bits.
    pub fn len(&self) -> Result<usize, Refusal> {
        i64::try_from(self.size)
            .map(|size| size as usize)
            .map_err(|_| Refusal::TooLarge { what: format!("the flattened box {:?}", self.extents) })
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Whether a flattened coordinate is inside.
    pub fn has(&self, coordinate: i128) -> bool {
        (0..self.size).contains(&coordinate)
    }

    /// The flattened coordinate of a point, if it is inside. For a box whose points can be numbered with 64
    /// bits.
    #[inline]
    pub fn number(&self, point: &[i64]) -> Option<usize> {
        if let ([c], [n]) = (point, &self.extents[..]) {
            return usize::try_from(*c).ok().filter(|c| c < n);
        }
        let coordinates = point.iter().zip(&self.extents);
        coordinates
            .map(|(&c, &n)| (usize::try_from(c).ok().filter(|c| *c < n), n))
            .try_fold(0usize, |flat, (c, n)| flat.checked_mul(n)?.checked_add(c?))
    }

    /// The flattened coordinate of a point that is inside.
    pub fn flatten(&self, point: &[i64]) -> i128 {
        point.iter().zip(&self.extents).fold(0, |flat, (&c, &n)| flat * n as i128 + i128::from(c))
    }

    /// The point with this flattened coordinate, which is inside.
    pub fn unflatten(&self, mut coordinate: i128) -> Vec<i64> {
        let mut point = vec![0; self.arity()];
        for (c, &n) in point.iter_mut().zip(&self.extents).rev() {
            *c = (coordinate % n as i128) as i64;
            coordinate /= n as i128;
        }
        point
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of points of a box, and whether a level can number them.
    fn check(extents: &[usize], expected: Result<(i128, bool), ()>) {
        let found = Dimensions::try_new(extents.to_vec())
            .map(|dimensions| (dimensions.size(), dimensions.len().is_ok()))
            .map_err(drop);
        assert_eq!(found, expected, "{extents:?}");
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        let wide = i64::MAX as usize;
        check(&[], Ok((1, true)));
        check(&[3, 4], Ok((12, true)));
        check(&[wide], Ok((wide as i128, true)));
        check(&[wide, 2], Ok((2 * wide as i128, false)));
        check(&[wide, wide, 0], Ok((0, true)));
        check(&[wide, wide, 3], Err(()));
        check(&[wide + 1], Err(()));
        check(&[wide + 1, 0], Err(()));
    }

    #[test]
    fn points_are_numbered_row_by_row() {
        let dimensions = Dimensions::try_new(vec![2, 3, 4]).unwrap();
        for flat in 0..24 {
            let point = dimensions.unflatten(flat);
            assert_eq!((dimensions.flatten(&point), dimensions.number(&point)), (flat, Some(flat as usize)));
        }
        assert_eq!(dimensions.unflatten(23), [1, 2, 3]);
        for outside in [[2, 0, 0], [0, 3, 0], [0, 0, 4], [-1, 0, 0], [0, 0, i64::MIN]] {
            assert_eq!(dimensions.number(&outside), None);
        }
        assert_eq!((Dimensions::line(5).number(&[4]), Dimensions::line(5).number(&[5])), (Some(4), None));
    }
}
