//! The `atl` command.
fn main() {}
