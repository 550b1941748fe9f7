//! Sizes that show something: small, and large enough that loops turn.

use super::Order;
use atl_session::Failure;

/// What is tried for all sizes that are not given, the smallest first. Tiles of 64 take two turns from 66 on,
/// also where edges are apart.
const TRIED: [i64; 16] = [4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 24, 34, 48, 66, 96];

/// The run at the smallest size at which the most loops turn; the first that is possible, if larger ones show
/// no more.
pub(super) fn smallest(run: impl Fn(i64) -> Result<Order, Failure>) -> Result<Order, Failure> {
    let mut best: Option<Order> = None;
    let mut refused = None;
    for size in TRIED {
        match run(size) {
            Ok(order) => {
                if best.as_ref().is_none_or(|best| order.turning.0 > best.turning.0) {
                    best = Some(order);
                }
            }
            // Larger ones are too large all the more.
            Err(_) if best.is_some() => break,
            Err(why) => refused = refused.or(Some(why)),
        }
        if best.as_ref().is_some_and(|best| best.turning.0 == best.turning.1) {
            break;
        }
    }
    match (best, refused) {
        (Some(order), _) => Ok(order),
        (None, Some(why)) => Err(why),
        (None, None) => run(TRIED[0]),
    }
}
