//! Measurements: schedules that are tried out, kernels that are timed, and what the machine can do.
//!
//! The one idea: a clock decides which of several right programs is shown, and nothing else.
//! [`tune`](mod@tune) proposes schedules and measures them, [`bench`](mod@bench) times kernels, [`roofline`]
//! measures the machine's bounds, [`doctor`] says what it offers.
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

pub mod bench;
pub mod doctor;
pub mod roofline;
pub mod tune;
