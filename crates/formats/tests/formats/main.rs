//! What levels and formats promise: laws, round trips, assembly, damage.

mod assembly;
mod boundary;
mod cases;
mod damage;
mod laws;
mod planted;
mod rocq;
mod round_trip;
