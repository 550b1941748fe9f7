//! How much a file may ask for: the document's limits.
//!
//! Sizes and depths are those of trees. The arenas share equal parts, so memory is far below what these numbers
//! suggest; time is what they bound.

/// Bytes of a file.
pub(crate) const FILE_BYTES: u64 = 1 << 28;
/// Bytes of a line, its line feed included.
pub(crate) const LINE_BYTES: u64 = 1 << 20;
/// Lines of a file.
pub(crate) const LINES: u64 = 1 << 22;
/// Nodes of an index term or a predicate: the limit of those that steps make, for all.
pub(crate) const INDEX_NODES: u32 = 1 << 16;
/// Nodes of a term.
pub(crate) const TERM_NODES: u32 = 1 << 17;
/// Nesting of a term.
pub(crate) const TERM_DEPTH: u32 = 1 << 10;
/// Extents of a tensor of the context.
pub(crate) const RANK: usize = 64;
/// Nodes of the context's extents and predicates, in all.
pub(crate) const ENTRY_NODES: u32 = 1 << 18;
/// Parameters of a definition, with the extents that it names.
pub(crate) const PARAMETERS: u64 = 256;
/// Fields of a monoid.
pub(crate) const FIELDS: u32 = 1 << 8;
/// Monoids.
pub(crate) const MONOIDS: usize = 1 << 10;
/// Nodes of the zeros and sums of all monoids.
pub(crate) const MONOID_NODES: u32 = 1 << 18;
/// Bytes of a definition's name.
pub(crate) const NAME: usize = 64;
/// Steps and ends of a certificate.
pub(crate) const CERTIFICATE_NODES: u64 = 1 << 16;
/// Steps and ends on a path of a certificate.
pub(crate) const CERTIFICATE_PATH: u64 = 1000;
/// What the products of one goal's certificate may cost: terms times degree.
pub(crate) const PRODUCTS: u64 = 1 << 22;
/// Nesting of inferences.
pub(crate) const INFERENCE_DEPTH: u64 = 1 << 12;
/// Inferences that are replayed.
pub(crate) const INFERENCES: u64 = 1 << 20;
/// Premises of inductions that are kept, and entries of the context of one.
pub(crate) const PREMISES: usize = 1 << 14;
pub(crate) const PREMISE_CONTEXT: usize = 1 << 8;
/// Nesting of values, statements, readings and steps of loops, each by itself.
pub(crate) const LOOP_DEPTH: u32 = 1 << 10;
/// Entries of a context.
pub(crate) const CONTEXT: usize = 1 << 12;
/// Nodes that are worked on, in all.
pub(crate) const WORK: u64 = 1 << 28;
/// Terms that a product of two polynomials may have before like ones are added.
pub(crate) const PRODUCT_TERMS: usize = 4096;
/// Terms of all polynomials that are kept, and factors of all monomials; past it, there is no polynomial.
pub(crate) const POLYNOMIALS: usize = 1 << 23;
