//! The schedule of operators whose results stand one beside the other, as the derivatives along each axis do.
//!
//! The one idea: a loop over results, with a test of which it is around each element, is cut into one loop for each, without tests;
//! then every element is one sum, and lanes run along what is next to one another in memory. Such operators read each element once and
//! write several: memory bounds them, so there are no tiles, and results go past the caches.

use super::batched::{Part, Steps};
use super::{Names, Nest, Writer};
use crate::language::Size;

impl Writer<'_, '_> {
    /// The steps for a part that is a choice between nests, in each of which a matrix is applied along one axis.
    pub(super) fn stacked(
        &self,
        part: &Part,
        nests: &[Nest],
        lanes: usize,
        names: &mut Names,
    ) -> Option<Steps> {
        let [(at, _), (stack, Size::Number(count)), .., (innermost, Size::Number(width))] =
            part.kept.as_slice()
        else {
            return None;
        };
        if nests.len() < 2 || usize::try_from(*count).ok()? != nests.len() {
            return None;
        }
        let mut steps = Steps::default();
        let mut turned: Vec<&str> = Vec::new();
        for nest in nests {
            let (matrix, indices) = self.applied(nest)?;
            // Of a matrix along the innermost axis, lanes read a column.
            if indices[0] == *innermost && !turned.contains(&matrix) {
                turned.push(matrix);
                let name = names.fresh("turned");
                steps.first.push(format!("pack {matrix} at {at} as {name} by transpose;\nhoist {name};"));
            }
        }
        steps.then.push(format!("peel {stack};\nsimplify;"));
        let wide = usize::try_from(*width).ok()?.next_power_of_two().min(lanes);
        steps.marks.extend((wide > 1).then(|| format!("vectorize {innermost} by {wide};")));
        Some(steps)
    }

    /// The matrix that is applied along one axis, with its indices, if the nest is that.
    fn applied<'n>(&self, nest: &'n Nest) -> Option<(&'n str, &'n [String])> {
        let ([sum], [_, _], 2) = (nest.sums.as_slice(), nest.accesses.as_slice(), nest.factors) else {
            return None;
        };
        let (matrix, indices) = nest.accesses.iter().find(|(_, at)| at.len() == 2 && at.contains(sum))?;
        self.checked.given().find(|given| given.name.value == *matrix)?;
        Some((matrix, indices))
    }
}
