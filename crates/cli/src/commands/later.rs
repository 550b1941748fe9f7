//! Commands of the language page that do not exist yet, said in words rather than by silence.

use super::refuse;
use crate::output::Result;
use atl_diag::err;

pub(super) fn run(command: &str) -> Result {
    Err(refuse(err!(E0612, "`atl {command}` is not available yet").help(
        "`atl explain FILE --schedule S` shows the derivation, which the kernel checks as it is built",
    )))
}
