//! Tables as tensors: SQL over files ([`query`]), and tables as the arguments of a program's function
//! ([`relations`]).
//!
//! A front end above the driver: `atl-query` writes the program of a query, and this crate compiles it and
//! runs it through the driver's public interface. So neither the driver nor what needs no tables waits for
//! parsers of SQL and Parquet.
#![deny(missing_docs)]

pub mod query;
pub mod relations;
