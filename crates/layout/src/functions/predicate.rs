//! `predicate(P, bounds)`: which coordinates lie inside the bounds.
//!
//! **Definition.** Whether each coordinate of `P`, an `identity` layout that was tiled as the data was, lies
//! inside the bounds.
//! **Laws.** The entries that are true are exactly those of the data; a tail tile of a rounded division is
//! guarded by it.
//! **Fails when.** The bounds have another tree than the coordinates.
//! **Example.** `predicate(logical_divide(identity(5), 2:1), 5)` is `[true,true,true,true,true,false]`;
//! `predicate(slice(logical_divide(identity(5), 2:1), (_,2)), 5)` is `[true,false]`
//! **See also.** `identity`, `logical_divide`

use super::{Function, MOST_VALUES, Parameters};
use crate::refusal::{Kind, Refusal, Result};
use crate::shifted::Shifted;
use crate::stride::Vector;
use crate::swizzle::{Composed, Swizzle};
use crate::tree::Shape;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "predicate",
    aliases: &[],
    parameters: Parameters { names: "P, bounds", optional: 0 },
    summary: "which coordinates lie inside the bounds",
    apply: |args, notes| {
        let inside = match args.value(0) {
            Some(Value::Coordinates(shifted)) => predicate(shifted, &args.shape(1)?)?,
            // One number is a coordinate of one direction; a swizzle would be none.
            Some(Value::Composed(Composed { swizzle: Swizzle::IDENTITY, offset, layout })) => {
                let offset = Vector::basis(*offset, Vec::new());
                predicate(&Shifted { offset, layout: layout.to_vectors() }, &args.shape(1)?)?
            }
            _ => predicate(&args.layout(0)?.to_vectors().into(), &args.shape(1)?)?,
        };
        notes.push(format!("{} of {} are inside", inside.iter().filter(|p| **p).count(), inside.len()));
        Ok(Value::List(inside.into_iter().map(Value::Bool).collect()))
    },
};

/// For each index, whether its coordinate is inside.
///
/// # Errors
/// A coordinate has no place in the tree of the bounds, or there are too many.
pub fn predicate(layout: &Shifted, bounds: &Shape) -> Result<Vec<bool>> {
    let inside = |vector: Vector| {
        let coordinate = vector.coordinate(bounds).ok_or_else(|| {
            Refusal::new(Kind::Trees, format!("the coordinate {vector} has no place in {bounds}"))
                .note("the bounds are the shape that the identity layout was made of")
        })?;
        Ok(coordinate.leaves().into_iter().zip(bounds.leaves()).all(|(c, n)| (0..*n).contains(c)))
    };
    layout.table(MOST_VALUES)?.into_iter().map(inside).collect()
}
