//! Kernels with arguments, for differential tests of back ends.
//!
//! Every case is well formed, and meaningful on its arguments: the interpreter does not trap. All back ends agree bit for
//! bit, up to the sign and payload of NaNs.

mod appending;
mod chance;
mod changes;
mod early_exit;
mod functions;
mod lanes;
mod merging;
mod mixed;
mod operations;
mod over;
mod pairs;
mod random;
mod requirements;
mod searches;
mod tiles;

pub use appending::appending_case;
pub use changes::changes_case;
pub use early_exit::early_exit_case;
pub use functions::functions_case;
pub use lanes::lanes_case;
pub use merging::merging_case;
pub use mixed::{mixed_case, narrow_case};
pub use operations::operations_case;
pub use over::over_case;
pub use pairs::pairs_case;
pub use random::random_case;
pub use requirements::requirements_case;
pub use searches::searches_case;
pub use tiles::tiles_case;

use crate::Kernel;
use crate::interp::Cells;

/// A kernel with arguments on which it is meaningful.
#[derive(Clone, Debug)]
pub struct Case {
    /// The kernel.
    pub kernel: Kernel,
    /// Its sizes.
    pub sizes: Vec<i64>,
    /// Its inputs.
    pub inputs: Vec<Cells>,
}
