//! What a schedule asks of lowering, carried out: a file for each annotation that changes loops.
//!
//! `requests` finds them by the tag of a binder, and refuses those that no binder has.

pub(crate) mod carry;
pub(crate) mod coiteration;
mod device;
mod never_left;
mod prefetch;
mod requests;
pub(crate) mod threshold;
