//! How large a file, and what it makes, may be. The format's page states these numbers, with their meaning.

/// Bytes of a file.
pub const BYTES: usize = 1 << 28;
/// Bytes of a line.
pub(crate) const LINE: usize = 1 << 20;
/// Lines of a file.
pub(crate) const LINES: usize = 1 << 22;
/// Nesting of a term, unfolded.
pub(crate) const DEPTH: u64 = 1 << 10;
/// Nodes of a term, unfolded, as a tree.
pub(crate) const NODES: u64 = 1 << 17;
/// Nodes of an index term, as a tree; and of the extents that a term's type may have.
pub(crate) const IX_NODES: u64 = 1 << 12;
/// Degree of an index term.
pub(crate) const DEGREE: u64 = 64;
/// Nesting of inferences.
pub(crate) const INFERENCE_DEPTH: u32 = 1 << 12;
/// Inferences, as a tree.
pub(crate) const INFERENCES: u64 = 1 << 20;
/// Nodes of one certificate, as a tree.
pub(crate) const CERT_NODES: u64 = 1 << 16;
/// Nesting of a certificate; the kernel's own limit.
pub(crate) const CERT_DEPTH: u64 = 1_000;
/// Entries of a context.
pub(crate) const ENTRIES: usize = 1 << 12;
/// Extents of a tensor of the context.
pub(crate) const RANK: usize = 64;
/// Nodes of the context's extents and predicates, as trees, in all.
pub(crate) const ENTRY_NODES: u64 = 1 << 18;
/// Parameters of a definition, extents among them.
pub(crate) const PARAMETERS: u64 = 256;
/// Monoids.
pub(crate) const MONOIDS: usize = 1 << 10;
/// Nodes of the zeros and sums of all monoids, as trees.
pub(crate) const MONOID_NODES: u64 = 1 << 18;
/// Names of definitions, in all files that a process reads.
pub(crate) const NAMES: usize = 1 << 12;
/// Bytes of such a name.
pub(crate) const NAME: usize = 64;
/// Atoms that the products of one certificate may write down.
pub(crate) const ATOMS: u64 = 1 << 22;
/// Nodes of theorems, and entries of contexts, that are held at once while others are made.
pub(crate) const HELD: u64 = 1 << 22;
/// Nodes of terms and of certificates, of all inferences together.
pub(crate) const WORK: u64 = 1 << 28;
/// Bytes of the stack that these limits ask for, with unoptimised code; the system gives what is touched.
pub(crate) const STACK: usize = 1 << 29;
/// Nodes of an extent that typing computes.
pub(crate) const EXTENT: u64 = 1 << 16;
