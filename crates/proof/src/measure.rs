//! How large terms are, counted as the kernel walks them: as trees, with definitions unfolded.
//!
//! A file shares its parts, so a short one may stand for a term that no memory holds. What is measured bounds
//! what the kernel does with a term.

use crate::limits;
use atl_kernel::{Definition, Expr, Ix, IxOp, Node, Pred, Var};
use std::collections::HashMap;
use std::sync::Arc;

/// A limit that was reached, in words.
pub(crate) type Within<T> = Result<T, &'static str>;

/// The measure of an index term or a predicate.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct IxSize {
    pub(crate) nodes: u64,
    depth: u64,
    degree: u64,
}

impl IxSize {
    fn leaf(degree: u64) -> IxSize {
        IxSize { nodes: 1, depth: 1, degree }
    }

    /// Of a predicate above these parts.
    fn above(parts: &[IxSize]) -> IxSize {
        parts.iter().fold(IxSize::leaf(0), |all, part| IxSize {
            nodes: all.nodes.saturating_add(part.nodes),
            depth: all.depth.max(part.depth + 1),
            degree: all.degree.max(part.degree),
        })
    }

    /// Of an index term with these operands, if it has any.
    pub(crate) fn of_ix(ix: &Ix, parts: &[IxSize]) -> Within<IxSize> {
        let degree = match (ix, parts) {
            (Ix::Bin(op, _), [a, b]) => match op {
                IxOp::Add | IxOp::Sub => a.degree.max(b.degree),
                IxOp::Mul => a.degree.saturating_add(b.degree),
                IxOp::Mod => a.degree.max(b.degree.saturating_add(1)),
                IxOp::Div | IxOp::Min | IxOp::Max => a.degree.max(b.degree).max(1),
            },
            (Ix::Read(..), parts) => parts.iter().fold(1, |degree, part| degree.max(part.degree)),
            (Ix::Lit(_), _) => 0,
            _ => 1,
        };
        IxSize { degree, ..IxSize::above(parts) }.within()
    }

    /// Of a predicate with these parts.
    pub(crate) fn of_pred(parts: &[IxSize]) -> Within<IxSize> {
        IxSize::above(parts).within()
    }

    fn within(self) -> Within<IxSize> {
        if self.nodes > limits::IX_NODES {
            Err("the nodes of an index term or predicate")
        } else if self.degree > limits::DEGREE {
            Err("the degree of an index term")
        } else {
            Ok(self)
        }
    }
}

/// The measure of a term.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Size {
    pub(crate) nodes: u64,
    depth: u64,
}

impl Size {
    /// Of a node with these index terms or predicates, and these children and definitions.
    pub(crate) fn of_node(ixs: &[IxSize], below: &[Size]) -> Within<Size> {
        let mut size = Size { nodes: 1, depth: 1 };
        for ix in ixs {
            size.nodes = size.nodes.saturating_add(ix.nodes);
            size.depth = size.depth.max(ix.depth + 1);
        }
        for part in below {
            size.nodes = size.nodes.saturating_add(part.nodes);
            size.depth = size.depth.max(part.depth + 1);
        }
        size.within()
    }

    fn within(self) -> Within<Size> {
        if self.nodes > limits::NODES {
            Err("the nodes of a term")
        } else if self.depth > limits::DEPTH {
            Err("the nesting of a term")
        } else {
            Ok(self)
        }
    }
}

/// Measures terms; those of a file are known, and are walked no more.
#[derive(Default)]
pub(crate) struct Measures {
    terms: HashMap<usize, Size>,
    definitions: HashMap<usize, Size>,
}

/// Where a shared value lives. It is a key for as long as it lives, which is as long as its file.
fn place<T>(shared: &Arc<T>) -> usize {
    Arc::as_ptr(shared).addr()
}

impl Measures {
    pub(crate) fn know(&mut self, e: &Expr, size: Size) {
        self.terms.insert(place(e), size);
    }

    pub(crate) fn know_definition(&mut self, definition: &Arc<Definition>, size: Size) {
        self.definitions.insert(place(definition), size);
    }

    pub(crate) fn definition(&self, definition: &Arc<Definition>) -> Size {
        self.definitions.get(&place(definition)).copied().unwrap_or_default()
    }

    /// The size of a term, of which the walk takes no more than the nodes that a term may have.
    pub(crate) fn of(&self, e: &Expr) -> Within<Size> {
        self.walk(e, &mut { limits::NODES })
    }

    fn walk(&self, e: &Expr, left: &mut u64) -> Within<Size> {
        if let Some(size) = self.terms.get(&place(e)) {
            return Ok(*size);
        }
        spend(left)?;
        let (mut ixs, mut below) = (Vec::new(), Vec::new());
        match &**e {
            Node::Index(_, ix) | Node::Gen(_, ix, _) | Node::Sum(_, ix, _) | Node::Get(_, ix) => {
                ixs.push(walk_ix(ix, &[], left)?);
            }
            Node::Guard(p, _) | Node::Select(p, ..) => ixs.push(walk_pred(p, &[], left)?),
            Node::Iterate(it) => ixs.push(walk_ix(&it.extent, &[], left)?),
            Node::Op(def, args, _) => {
                below.push(self.definition(def));
                for ix in args {
                    ixs.push(walk_ix(ix, &[], left)?);
                }
            }
            Node::Var(_) | Node::Lit(..) | Node::Let(..) => {}
            Node::Prim(..) | Node::View(..) | Node::Bundle(..) => {}
        }
        for child in e.children().filter_map(|at| e.child(at)) {
            below.push(self.walk(child, left)?);
        }
        Size::of_node(&ixs, &below)
    }
}

fn spend(left: &mut u64) -> Within<()> {
    *left = left.checked_sub(1).ok_or("the nodes of a term")?;
    Ok(())
}

/// The measure of an extent, of which the walk takes no more than this.
pub(crate) fn extent(n: &Ix, most: u64) -> Within<IxSize> {
    walk_ix(n, &[], &mut { most })
}

/// The measure of a predicate at these index terms, which stand for its bound variables. It is not built for that.
pub(crate) fn instance(p: &Pred, at: &[Ix]) -> Within<IxSize> {
    walk_pred(p, at, &mut { limits::IX_NODES })
}

/// The measure of an index term with others for its bound variables, if any; with the nodes that may still be walked.
fn walk_ix(ix: &Ix, at: &[Ix], left: &mut u64) -> Within<IxSize> {
    if let Ix::Var(Var::Bound(k)) = ix
        && let Some(other) = at.get(*k as usize)
    {
        return walk_ix(other, &[], left);
    }
    spend(left)?;
    match ix {
        Ix::Lit(_) | Ix::Var(_) => IxSize::of_ix(ix, &[]),
        Ix::Bin(_, ab) => IxSize::of_ix(ix, &[walk_ix(&ab.0, at, left)?, walk_ix(&ab.1, at, left)?]),
        Ix::Read(_, indices) => {
            let parts = indices.iter().map(|i| walk_ix(i, at, left)).collect::<Within<Vec<_>>>()?;
            IxSize::of_ix(ix, &parts)
        }
    }
}

fn walk_pred(p: &Pred, at: &[Ix], left: &mut u64) -> Within<IxSize> {
    spend(left)?;
    let mut walk = |p: &Pred| walk_pred(p, at, left);
    match p {
        Pred::True | Pred::False => IxSize::of_pred(&[]),
        Pred::Cmp(_, a, b) => IxSize::of_pred(&[walk_ix(a, at, left)?, walk_ix(b, at, left)?]),
        Pred::Not(p) => IxSize::of_pred(&[walk(p)?]),
        Pred::And(pq) | Pred::Or(pq) => IxSize::of_pred(&[walk(&pq.0)?, walk(&pq.1)?]),
    }
}
