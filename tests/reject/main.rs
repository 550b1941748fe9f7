//! What the kernel must refuse: forged proofs, wrong certificates, theorems put together wrongly.

mod certificates;
mod forged;
mod induction;
mod inferences;
mod known;
mod monoids;
mod proof_files;
mod reads;
mod rounds;
mod several;
mod shapes;
mod traps;
