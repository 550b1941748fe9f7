//! What a sum of products reads: which operand runs along the innermost loop, and which other loop uses it
//! again.
//!
//! **The one idea.** Where the operand along the innermost loop does not depend on another loop, a tile of
//! that loop's rows reads it once for all of them. So such a nest wants a tile of sums in registers, and that
//! operand copied strip by strip. Nothing here knows of products of matrices or of convolutions: both are
//! nests of this kind.

use atl_kernel::{Child, Expr, Ix, IxOp, Node, Var};
use std::collections::{BTreeMap, BTreeSet};

/// The names of the parameters, by their levels.
pub type Names = BTreeMap<u32, String>;

/// The extents of the parameters, by their names.
pub type Shapes = BTreeMap<String, Vec<Ix>>;

/// Which operands serve several results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Reuse {
    /// The number of the `gen` for whose iterations the operand along the last `gen` is the same.
    pub(crate) rows: usize,
    /// The operand along the last `gen`: a parameter or a `let`.
    pub(crate) along: String,
    /// Does the last `gen` index its rows, so that its last two dimensions are to change places?
    pub(crate) transposed: bool,
    /// Do neighbours of the last `gen` read cells of it that lie a few apart, so that it is copied for each
    /// term of the sums?
    pub(crate) apart: bool,
    /// The loops in each index of its first read.
    pub(crate) indices: Vec<BTreeSet<String>>,
    /// The operands that the rows read.
    pub(crate) against: Vec<String>,
    /// Of these, the only one, if no other loop of the result reads it: what each tile of rows takes from it
    /// can lie side by side.
    pub(crate) table: Option<String>,
}

/// A read: of what, and for each index the names of the loops in it.
pub(crate) struct Read {
    pub(crate) of: String,
    pub(crate) indices: Vec<BTreeSet<String>>,
    /// For each index: is it a loop's variable alone?
    pub(crate) alone: Vec<bool>,
    /// The loops of which an index has a multiple.
    pub(crate) multiplied: BTreeSet<String>,
}

impl Read {
    pub(crate) fn follows(&self, name: &String) -> bool {
        self.indices.iter().any(|index| index.contains(name))
    }

    /// Is each index a loop's variable alone?
    pub(crate) fn is_exact(&self) -> bool {
        self.alone.iter().all(|alone| *alone)
    }

    /// Is each index in which this loop is its variable alone?
    pub(crate) fn is_exact_in(&self, name: &String) -> bool {
        self.indices.iter().zip(&self.alone).all(|(index, alone)| *alone || !index.contains(name))
    }

    /// All loops in its indices.
    pub(crate) fn loops(&self) -> BTreeSet<&String> {
        self.indices.iter().flatten().collect()
    }
}

impl Reuse {
    /// Of the term inside these `gen`s, with the names of all binders around it; none where nothing is used
    /// again.
    pub(crate) fn of(term: &Expr, gens: &[String], scope: &[String], names: &Names) -> Option<Reuse> {
        let mut reads = Vec::new();
        collect(term, &mut scope.to_vec(), names, &mut reads)?;
        let (last, others) = gens.split_last()?;
        let (along, against): (Vec<&Read>, Vec<&Read>) = reads.iter().partition(|read| read.follows(last));
        let first = along.first()?;
        let reused = |row: &String| {
            !along.iter().any(|read| read.follows(row)) && against.iter().any(|read| read.follows(row))
        };
        let rows = others.iter().rposition(reused)?;
        let transposed = match first.indices.as_slice() {
            [.., last_index] if last_index.contains(last) => false,
            [.., row, _] if row.contains(last) => true,
            _ => return None,
        };
        let row = &others[rows];
        let rows_read = || against.iter().filter(|read| read.follows(row));
        let names: BTreeSet<&String> = rows_read().map(|r| &r.of).collect();
        let table = match rows_read().collect::<Vec<_>>().as_slice() {
            [read] if others.iter().filter(|other| read.follows(other)).eq([row]) => Some(read.of.clone()),
            _ => None,
        };
        let alone = along.iter().all(|read| read.of == first.of) && !against.iter().any(|r| r.of == first.of);
        alone.then(|| Reuse {
            rows,
            along: first.of.clone(),
            transposed,
            apart: !transposed && along.iter().any(|read| read.multiplied.contains(last)),
            indices: first.indices.clone(),
            against: names.into_iter().cloned().collect(),
            table,
        })
    }
}

/// The reads in a term; none where something is read whose name is not known.
pub(crate) fn collect(e: &Expr, scope: &mut Vec<String>, names: &Names, reads: &mut Vec<Read>) -> Option<()> {
    let (mut base, mut indices, mut alone) = (e, Vec::new(), Vec::new());
    let mut multiplied = BTreeSet::new();
    while let Node::Get(inner, index) = &**base {
        in_products(index, scope, &mut multiplied);
        alone.push(matches!(index, Ix::Var(Var::Bound(_))));
        let mut loops = BTreeSet::new();
        mentioned(index, scope, &mut loops);
        indices.push(loops);
        base = inner;
    }
    indices.reverse();
    alone.reverse();
    if let Node::Var(var) = &**base {
        let of = match var {
            Var::Free(level) => names.get(level)?.clone(),
            Var::Bound(k) => bound(scope, *k)?.clone(),
        };
        reads.push(Read { of, indices, alone, multiplied });
        return Some(());
    }
    for at in base.children() {
        let Some(child) = base.child(at) else { continue };
        let outside = scope.len();
        scope.extend(binders_of(base, at));
        collect(child, scope, names, reads)?;
        scope.truncate(outside);
    }
    Some(())
}

/// The names of the binders between a node and a child, from outside inward.
pub(crate) fn binders_of(e: &Expr, at: Child) -> Vec<String> {
    match &**e {
        Node::Iterate(it) => {
            let states = || it.states.iter().map(|state| state.label.name.to_string());
            match at {
                Child::Body => states().collect(),
                Child::Step(k) => {
                    states().chain(states().take(k as usize)).chain([it.label.name.to_string()]).collect()
                }
                _ => Vec::new(),
            }
        }
        _ if e.binds(at) > 0 => vec![binder(e)],
        _ => Vec::new(),
    }
}

/// The name of the binder that a node is.
pub(crate) fn binder(e: &Expr) -> String {
    match &**e {
        Node::Gen(label, ..) | Node::Sum(label, ..) | Node::Let(label, ..) => label.name.to_string(),
        _ => String::new(),
    }
}

fn bound(scope: &[String], k: u32) -> Option<&String> {
    scope.len().checked_sub(usize::try_from(k).ok()? + 1).and_then(|at| scope.get(at))
}

/// The binders that products in an index term mention.
fn in_products(ix: &Ix, scope: &[String], found: &mut BTreeSet<String>) {
    match ix {
        Ix::Bin(IxOp::Mul, _) => mentioned(ix, scope, found),
        Ix::Bin(_, ab) => {
            in_products(&ab.0, scope, found);
            in_products(&ab.1, scope, found);
        }
        Ix::Lit(_) | Ix::Var(_) | Ix::Read(..) => {}
    }
}

/// The binders that an index term mentions.
fn mentioned(ix: &Ix, scope: &[String], found: &mut BTreeSet<String>) {
    match ix {
        Ix::Lit(_) | Ix::Var(Var::Free(_)) => {}
        Ix::Var(Var::Bound(k)) => found.extend(bound(scope, *k).cloned()),
        Ix::Bin(_, ab) => {
            mentioned(&ab.0, scope, found);
            mentioned(&ab.1, scope, found);
        }
        Ix::Read(_, at) => at.iter().for_each(|i| mentioned(i, scope, found)),
    }
}
