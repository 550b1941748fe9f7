//! The integration tests of this crate, in one executable: linking many costs more than running them.

mod advice;
mod arrays;
mod assembled;
mod budget;
mod certified_loops;
mod helps;
mod in_place;
mod keep;
mod old_names;
mod page;
mod programs;
mod rounds_in_common;
mod several;
mod warnings;
mod wrong_loops;
