//! Sizes that show something: small, and large enough that loops turn.

use super::Order;
use crate::failure::Failure;

/// What is tried for all sizes that are not given, the smallest first.
const TRIED: [i64; 14] = [4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 32];
/// Runs with more cells than this are not chosen where smaller ones will do.
const MOST_CELLS: usize = 1100;

/// The run at the smallest size at which the most loops turn; at the first size that is possible, if all are large.
pub(super) fn smallest(run: impl Fn(i64) -> Result<Order, Failure>) -> Result<Order, Failure> {
    let mut best: Option<Order> = None;
    let mut refused = None;
    for size in TRIED {
        match run(size) {
            Ok(order) => {
                let fits = order.pictures.iter().all(|p| p.cells() <= MOST_CELLS || !p.is_drawn());
                let better = best.as_ref().is_none_or(|best| fits && order.turning > best.turning);
                if better {
                    best = Some(order);
                }
            }
            // Larger ones are too large all the more.
            Err(why) if best.is_some() => {
                let _ = refused.insert(why);
                break;
            }
            Err(why) => refused = refused.or(Some(why)),
        }
    }
    match (best, refused) {
        (Some(order), _) => Ok(order),
        (None, Some(why)) => Err(why),
        (None, None) => run(TRIED[0]),
    }
}
