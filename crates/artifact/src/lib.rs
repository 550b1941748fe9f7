//! What is written for other programs: C source and libraries, proof files, certificates of loops.
//!
//! The one idea: an artefact goes with its evidence. [`build`] writes a folder of C, libraries and the
//! theorem; [`proof`] writes and replays proof files, [`evidence`] what they say of loops, [`claims`] which
//! laws a theorem rests on; [`certify`]
//! exports a theorem and its loops to Rocq; [`schema`] describes a call as JSON.
#![deny(missing_docs)]

pub mod build;
pub mod certify;
pub mod claims;
pub mod evidence;
pub mod proof;
pub mod schema;
