//! The integration tests of this crate, in one executable: linking many costs more than running them.

mod build;
mod certify;
mod check;
mod common;
mod convert;
mod data;
mod docs;
mod doctor;
mod explain;
mod iterate;
#[cfg(target_os = "linux")]
mod kept;
mod layout;
mod query;
mod repl;
mod run;
mod tensor;
mod tune;
mod usage;
mod validate;
mod verify;
