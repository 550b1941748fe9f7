//! Whether a kernel that was written for another tool stays inside of its tensors.

use atl_diag::SourceMap;
use atl_session::Failure;
use std::sync::Arc;

pub use atl_bounds_check::Safe;

/// Examines a kernel whose sizes are declared as in `A=m,n`, and satisfy conditions such as `m + 1 <= n`.
///
/// # Errors
/// It accesses something outside, or cannot be read.
pub fn check(
    name: &str,
    text: &str,
    declarations: &[String],
    conditions: &[String],
) -> Result<Safe, Failure> {
    let mut sources = SourceMap::new();
    let found = atl_bounds_check::check(&mut sources, name, text, declarations, conditions);
    found.map_err(|refusal| Failure::new(&Arc::new(sources), refusal))
}
