//! Recursive tensors: iterations along loops, inside each other, the last of which sets one element a round.
//!
//! ```text
//! iterate i < n from x = z {
//!     iterate j < m from x = x { gen p < n, q < m { select(p == i && q == j, e(i, j, x), x[p, q]) } }
//! }
//! ```
//!
//! The one idea: what is computed is the element as a term in the tensor and the place, and the places at
//! which it reads the tensor. In which order elements are computed is another question.

use crate::lets::is_read_by_name;
use crate::occurrences::{mentions, variable, with_part};
use atl_kernel::subst::{Subst, close, close_all, open, open_all};
use atl_kernel::{Child, Expr, Iterate, Ix, Label, Node, Pred, State, Var};
use std::sync::Arc;

/// Levels that no context reaches: of the tensor, of a place's first index, and of what is opened here.
const TENSOR: u32 = 1 << 30;
const PLACE: u32 = TENSOR + 1;
const APART: u32 = TENSOR + 4096;

/// A tensor whose elements are computed one after the other.
pub(crate) struct Recursion {
    /// Its name.
    pub(crate) label: Label,
    /// What its elements are before they are computed.
    pub(crate) start: Expr,
    /// The loops along which its elements are computed, outermost first, with the extents.
    pub(crate) along: Vec<(Label, Ix)>,
    /// An element, in the variables [`TENSOR`] and, for the place, from [`PLACE`] on.
    element: Expr,
    /// Where the element reads the tensor.
    pub(crate) reads: Vec<Read>,
}

/// A read of the tensor in its own element.
pub(crate) struct Read {
    /// Where it is in the element.
    pub(crate) path: Vec<Child>,
    /// The indices, as they stand there.
    pub(crate) at: Vec<Ix>,
}

impl Recursion {
    /// That a place is inside.
    pub(crate) fn inside(&self, place: &[Ix]) -> Pred {
        place.iter().zip(&self.along).fold(Pred::True, |p, (i, (_, n))| Pred::and(p, Pred::in_range(i, n)))
    }

    /// The recursion that a term is, if it has the form.
    pub(crate) fn of(e: &Expr) -> Option<Recursion> {
        let (mut along, mut start, mut label, mut inner) = (Vec::new(), None, None, e.clone());
        let state_of = |k: usize| APART + 2 * k as u32;
        while let Node::Iterate(it) = &*inner.clone() {
            let ([state], Node::Var(Var::Bound(0))) = (&it.states[..], &*it.body) else { return None };
            let k = along.len();
            if k == 0 {
                (start, label) = (Some(state.init.clone()), Some(state.label.clone()));
            } else if state.init != variable(state_of(k - 1)) {
                return None;
            }
            along.push((it.label.clone(), it.extent.clone()));
            inner = open_all(&state.step, state_of(k), 2);
        }
        let rank = along.len();
        let bound = |k: usize| state_of(rank) + k as u32;
        for k in 0..rank {
            let Node::Gen(_, _, body) = &*inner.clone() else { return None };
            inner = open(body, bound(k));
        }
        let Node::Select(_, element, _) = &*inner else { return None };
        let last = state_of(rank.checked_sub(1)?);
        let is_elsewhere = (0..rank - 1).any(|k| mentions(element, state_of(k)));
        if is_elsewhere || is_read_by_name(&close(element, last)) {
            return None;
        }
        let place = |k: usize| Ix::free(PLACE + k as u32);
        let index = (0..rank).flat_map(|k| [(state_of(k) + 1, place(k)), (bound(k), place(k))]).collect();
        let element = Subst { index, tensor: vec![(last, variable(TENSOR))] }.expr(element);
        let mut reads = Vec::new();
        reads_of(&element, TENSOR, rank, &mut Vec::new(), &mut reads)?;
        Some(Recursion { label: label?, start: start?, along, element, reads })
    }

    /// A recursion with this element, in the variable at a level for the tensor, and those after it for the
    /// place, if the tensor is read by single elements.
    pub(crate) fn new(
        label: Label,
        start: Expr,
        along: Vec<(Label, Ix)>,
        element: &Expr,
        level: u32,
    ) -> Option<Recursion> {
        let index = (0..along.len() as u32).map(|k| (level + 1 + k, Ix::free(PLACE + k))).collect();
        let element = Subst { index, tensor: vec![(level, variable(TENSOR))] }.expr(element);
        let mut reads = Vec::new();
        reads_of(&element, TENSOR, along.len(), &mut Vec::new(), &mut reads)?;
        Some(Recursion { label, start, along, element, reads })
    }

    /// How many indices an element has.
    pub(crate) fn rank(&self) -> usize {
        self.along.len()
    }

    /// A place inside: that of the variables from this level on.
    pub(crate) fn place(&self, level: u32) -> Vec<Ix> {
        (level..).take(self.rank()).map(Ix::free).collect()
    }

    /// The element at a place, with `read` of the number and the indices of each read in its place.
    pub(crate) fn element(&self, place: &[Ix], read: &dyn Fn(usize, &[Ix]) -> Expr) -> Expr {
        let element = put_reads(&self.element, &self.reads, read);
        let index = (PLACE..).zip(place.iter().cloned()).collect();
        Subst { index, tensor: Vec::new() }.expr(&element)
    }

    /// The element at a place, with `read` of the number of each read and of the indices that it has there.
    pub(crate) fn element_at(&self, place: &[Ix], read: &dyn Fn(usize, &[Ix]) -> Expr) -> Expr {
        let index = (PLACE..).zip(place.iter().cloned()).collect();
        let there = Subst { index, tensor: Vec::new() };
        self.element(place, &|n, at| read(n, &at.iter().map(|ix| there.ix(ix)).collect::<Vec<_>>()))
    }

    /// The place of the element, for what [`Recursion::element`] puts into it.
    pub(crate) fn own_place(&self) -> Vec<Ix> {
        self.place(PLACE)
    }

    /// The element at a place, of this tensor.
    pub(crate) fn element_of(&self, tensor: &Expr, place: &[Ix]) -> Expr {
        self.element(place, &|_, at| access(tensor, at))
    }

    /// All elements: of those at these levels, one each.
    pub(crate) fn all(&self, element: &Expr, level: u32) -> Expr {
        loops(element, level, &self.along)
    }

    /// The recursion as a term.
    pub(crate) fn term(&self) -> Expr {
        let (rank, state) = (self.rank(), |k: usize| APART + 2 * k as u32);
        let last = variable(state(rank - 1));
        let (cells, now) = (self.place(state(rank)), (0..rank).map(|k| Ix::free(state(k) + 1)));
        let now: Vec<Ix> = now.collect();
        let here = cells.iter().zip(&now).map(|(p, i)| Pred::eq(p.clone(), i.clone()));
        let here = here.fold(Pred::True, Pred::and);
        let cell = Node::Select(here, self.element_of(&last, &now), access(&last, &cells));
        let step = self.all(&Arc::new(cell), state(rank));
        self.along.iter().enumerate().rev().fold(step, |step, (k, (label, extent))| {
            let init = if k == 0 { self.start.clone() } else { variable(state(k - 1)) };
            let states = vec![State { label: self.label.clone(), init, step: close_all(&step, state(k), 2) }];
            let body = Arc::new(Node::Var(Var::Bound(0)));
            let it = Iterate { label: label.clone(), extent: extent.clone(), states, body };
            Arc::new(Node::Iterate(Arc::new(it)))
        })
    }
}

/// `gen i < n, .. { e }`, with the variables from a level on for the indices.
pub(crate) fn loops(e: &Expr, level: u32, along: &[(Label, Ix)]) -> Expr {
    along.iter().enumerate().rev().fold(e.clone(), |e, (k, (label, n))| {
        Arc::new(Node::Gen(label.clone(), n.clone(), close(&e, level + k as u32)))
    })
}

/// `e[i, ..]`.
pub(crate) fn access(e: &Expr, at: &[Ix]) -> Expr {
    at.iter().fold(e.clone(), |e, i| Arc::new(Node::Get(e, i.clone())))
}

/// What is accessed, and the indices.
pub(crate) fn accessed(e: &Expr) -> (Expr, Vec<Ix>) {
    let (mut head, mut at) = (e.clone(), Vec::new());
    while let Node::Get(array, i) = &*head.clone() {
        at.insert(0, i.clone());
        head = array.clone();
    }
    (head, at)
}

/// Every read of the tensor at a level by so many indices; none where one has fewer.
pub(crate) fn reads_of(
    e: &Expr,
    level: u32,
    rank: usize,
    path: &mut Vec<Child>,
    found: &mut Vec<Read>,
) -> Option<()> {
    let (head, at) = accessed(e);
    if head == variable(level) {
        let more = at.len().checked_sub(rank)?;
        let path = path.iter().copied().chain(std::iter::repeat_n(Child::Body, more)).collect();
        found.push(Read { path, at: at[..rank].to_vec() });
        return Some(());
    }
    e.children().try_for_each(|child| {
        path.push(child);
        let all = reads_of(e.child(child)?, level, rank, path, found);
        path.pop();
        all
    })
}

/// The term with `read` of the number and the indices of each read in its place.
pub(crate) fn put_reads(e: &Expr, reads: &[Read], read: &dyn Fn(usize, &[Ix]) -> Expr) -> Expr {
    let put = |e: Expr, (n, found): (usize, &Read)| with_part(&e, &found.path, &read(n, &found.at));
    reads.iter().enumerate().fold(e.clone(), put)
}
