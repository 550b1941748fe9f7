//! Buffers: a copy of the part of a tensor that a place reads, laid out as wanted, and the reads through it.
//!
//! **The one idea.** At a place, `e(x[i])` equals `let X = R(gen t < w { x?[b + t] }); e(X[theta(i - b)])`:
//! the box from `b` of `w` entries holds every read of `x` at the place, `R` is a chain of reshape operators,
//! and `theta` the chain's scatter view, which says where an element has gone. Each read is proved by
//! comparing gather forms, so a box that is too small, or a layout that loses an element, is refused and not
//! believed.
//!
//! `compute`, `stage` and `pack` are this equation; they differ in what stands for `x` and in what becomes of
//! it. Boxes are found for indices that are linear in the loops inside the place, and for quotients, `min`
//! and `max` of such; a dimension where they are not keeps its whole extent.

use crate::accesses::{accessed, carried_out};
use crate::cuts::extent_of;
use crate::read_bounds::{Read, bound, divides, known_ends};
use crate::read_tensor::Tensor;
use atl_kernel::{
    Child, Ctx, Error, Expr, Ix, Label, Node, Pred, Result as Kernel, Rule, Thm, Unproved, Var, subst,
};
use atl_lang::print::{Options, print};
use atl_ops::{Link, as_it_stands};
use atl_rules::gather::by_gather;
use atl_rules::occurrences::{replace, variable, with_part};
use atl_rules::{Chain, Cx, Step as Conversion, join};
use atl_syntax::Style;
use std::sync::Arc;

/// A buffer to be made.
pub(crate) struct Buffer<'a> {
    /// What is read through it.
    pub(crate) tensor: Tensor<'a>,
    /// The buffer's name.
    pub(crate) name: &'a str,
    /// The tag of the `let` that it takes the place of, or 0.
    pub(crate) tag: u32,
    /// The labels of the loops that fill it; those that are missing are taken from the reads.
    pub(crate) labels: Vec<Label>,
    /// Only reads at these paths below the place go through it; without, every read does.
    pub(crate) wanted: Option<Vec<Vec<Child>>>,
    /// How it is laid out: operators applied to the box, in order.
    pub(crate) links: &'a [Link],
    /// What becomes of guards directly around reads.
    pub(crate) guards: Guards,
}

/// What becomes of a guard directly around a read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guards {
    /// It stays where it is.
    Stay,
    /// Where it says no more than that the read is in range, and the buffer has that element anyway, it goes:
    /// outside, the buffer holds zeros.
    GoIntoBuffer,
    /// The same, but for a guard of the place's own elements, which are truncated outside: a truncation drops
    /// what a guard says to be padding.
    GoButOfElements,
}

/// What stands around a term, below the place.
struct Below {
    loops: Vec<(u32, Label, Ix)>,
    path: Vec<Child>,
    in_access: bool,
}

/// Do arrays say what an index term is: does it read one, or speak of a loop that runs as far as one says?
fn reads_arrays(ctx: &Ctx, ix: &Ix) -> bool {
    match ix {
        Ix::Read(..) => true,
        Ix::Bin(_, ab) => reads_arrays(ctx, &ab.0) || reads_arrays(ctx, &ab.1),
        Ix::Var(Var::Free(level)) => extent_of(ctx, *level).is_some_and(|extent| reads_arrays(ctx, extent)),
        Ix::Lit(_) | Ix::Var(_) => false,
    }
}

/// What a place reads of a tensor: the box of its buffer, in each dimension the first element and how many
/// there are.
pub(crate) struct Window {
    reads: Vec<Read>,
    bounds: Vec<(Ix, Ix)>,
    shape: Vec<Ix>,
    /// The dimensions that keep their whole extent because some read is not linear there, or because arrays
    /// say how much is read, which may be any number.
    unbounded: Vec<usize>,
}

impl Window {
    /// The reads that keep the box from being less than the whole tensor, as they print: those that are
    /// not linear, and those in what is accessed. None if it is less, or if all of the tensor is read.
    pub(crate) fn unbounded_reads(&self, cx: &mut Cx<'_>, buffer: &Buffer<'_>) -> Vec<String> {
        if !self.is_whole() {
            return Vec::new();
        }
        let mut found: Vec<String> = Vec::new();
        for read in &self.reads {
            let is_linear =
                !self.unbounded.iter().any(|d| divides(read, *d) || known_ends(cx, read, *d).is_none());
            if read.in_access || !is_linear {
                let text = buffer.printed(read);
                if !found.contains(&text) {
                    found.push(text);
                }
            }
        }
        found
    }

    /// Does a read in what is accessed keep it from being less than the whole tensor?
    pub(crate) fn is_whole_for_accesses(&self) -> bool {
        self.is_whole() && self.reads.iter().any(|read| read.in_access)
    }

    /// The number of elements, if it is a constant.
    pub(crate) fn constant_size(&self) -> Option<i64> {
        self.bounds.iter().try_fold(1i64, |size, (_, width)| match width {
            Ix::Lit(width) => size.checked_mul(*width),
            _ => None,
        })
    }

    /// That an element is in the box.
    fn contains(&self, indices: &[Ix]) -> Pred {
        let parts = indices.iter().zip(&self.bounds);
        let inside = parts.map(|(i, (base, width))| Pred::in_range(&(i.clone() - base.clone()), width));
        inside.fold(Pred::True, Pred::and)
    }

    /// The box that is all of the tensor.
    pub(crate) fn whole(mut self) -> Window {
        self.bounds = self.shape.iter().map(|n| (Ix::ZERO, n.clone())).collect();
        self
    }

    fn is_whole(&self) -> bool {
        self.bounds.iter().zip(&self.shape).all(|((base, width), n)| *base == Ix::ZERO && width == n)
    }
}

impl Buffer<'_> {
    /// The theorem for the place at hand; nothing where the tensor is not read there.
    pub(crate) fn bind(&self, cx: &mut Cx<'_>, e: &Expr) -> Conversion {
        let Some((carried, window)) = self.narrow_window(cx, e)? else { return Ok(None) };
        let place = carried.as_ref().map_or(e, Thm::rhs).clone();
        join(carried, self.fill(cx, &place, &window)?)
    }

    /// The box that holds every read at the place at hand; nothing where the tensor is not read there.
    /// Where a loop that is accessed reads it, as what `inline` leaves, the loop runs over all of its
    /// extent, and so would the box: then the access is carried out first, if that makes the box less
    /// than the tensor.
    pub(crate) fn narrow_window(&self, cx: &mut Cx<'_>, e: &Expr) -> Kernel<Option<(Option<Thm>, Window)>> {
        let Some(window) = self.window(cx, e)? else { return Ok(None) };
        // Paths to reads are those of the place as it stands.
        if self.wanted.is_none()
            && window.is_whole_for_accesses()
            && let Some(carried) =
                carried_out(cx, e, &|part| self.tensor.is_in(part) && !self.tensor.is(part))?
            && let Some(narrow) = self.window(cx, carried.rhs())?
            && !narrow.is_whole()
        {
            return Ok(Some((Some(carried), narrow)));
        }
        Ok(Some((None, window)))
    }

    /// Do as many reads at the place at hand go through it as through the other one?
    pub(crate) fn reads_as_much(&self, cx: &mut Cx<'_>, other: &Buffer<'_>, e: &Expr) -> Kernel<bool> {
        let mut count = |buffer: &Buffer<'_>| -> Kernel<usize> {
            Ok(buffer.window(cx, e)?.map_or(0, |window| window.reads.len()))
        };
        Ok(count(self)? == count(other)?)
    }

    /// The box that holds every read at the place at hand; nothing where the tensor is not read there.
    pub(crate) fn window(&self, cx: &mut Cx<'_>, e: &Expr) -> Kernel<Option<Window>> {
        let Some(ty) = self.tensor.ty(cx)? else { return Ok(None) };
        let mut reads = Vec::new();
        let mut around = Below { loops: Vec::new(), path: Vec::new(), in_access: false };
        self.collect(cx, e, &mut around, ty.shape.len(), &mut reads)?;
        if reads.is_empty() {
            return Ok(None);
        }
        let (mut bounds, mut unbounded) = (Vec::new(), Vec::new());
        for (d, extent) in ty.shape.iter().enumerate() {
            let found = bound(cx, &reads, d, extent).filter(|(_, width)| {
                !reads_arrays(&cx.ctx, width) || cx.proves(&Pred::le(width.clone(), extent.clone()))
            });
            if found.is_none() {
                unbounded.push(d);
            }
            bounds.push(found.unwrap_or_else(|| (Ix::ZERO, extent.clone())));
        }
        Ok(Some(Window { reads, bounds, shape: ty.shape, unbounded }))
    }

    /// The theorem for the place at hand, whose reads fall into this box.
    pub(crate) fn fill(&self, cx: &mut Cx<'_>, e: &Expr, window: &Window) -> Conversion {
        self.required(cx, window)?;
        let copy = self.copy(cx, window);
        // Every read of the tensor is the buffer's entry; then the buffer is bound once.
        let Some(moved) = self.replace(cx, e, &mut Vec::new(), true, &copy, window)? else { return Ok(None) };
        let home = cx.ctx.level();
        let bound = self.bound(copy.clone(), &abstracted(moved.rhs(), &copy, home), home);
        let inlined = cx.rule(Rule::LetInline, &bound)?;
        moved.trans(inlined.sym()).map(Some)
    }

    /// The same, with what a conversion makes of the buffer's term. Where only one part of the place reads
    /// the tensor, all but the last step is about that part: the rest of the place may be a whole program.
    pub(crate) fn fill_converted(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        window: &Window,
        convert: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Conversion,
    ) -> Conversion {
        let (way, part) = self.reading_part(e);
        let Some(filled) = self.fill(cx, &part, window)? else { return Ok(None) };
        let filled = cx.then(filled, |cx, e| cx.child(e, Child::Bound, convert))?;
        if way.is_empty() {
            return Ok(Some(filled));
        }
        let Node::Let(_, copy, body) = &**filled.rhs() else {
            return Err(Error::Mismatch("a buffer that is not bound"));
        };
        let home = cx.ctx.level();
        let around = with_part(e, &way, &subst::open(body, home));
        let bound = self.bound(copy.clone(), &around, home);
        let inlined = cx.rule(Rule::LetInline, filled.rhs())?;
        let moved = filled.trans(inlined)?;
        let moved = cx.at(e, &way, &mut |_, _| Ok(moved.clone()))?;
        let inlined = cx.rule(Rule::LetInline, &bound)?;
        join(moved, Some(inlined.sym()))
    }

    /// The part that has all reads of the tensor, and the way to it, on which nothing is bound or assumed.
    fn reading_part(&self, e: &Expr) -> (Vec<Child>, Expr) {
        let (mut way, mut part) = (Vec::new(), e.clone());
        while let [at] = self.readers(&part)[..]
            && let Some(child) = as_it_stands(&part, at).cloned()
        {
            // An access is a part of a read.
            if matches!(*part, Node::Get(..)) {
                break;
            }
            way.push(at);
            part = child;
        }
        (way, part)
    }

    /// The buffer, bound around a term in which the variable at `home` is it.
    fn bound(&self, copy: Expr, e: &Expr, home: u32) -> Expr {
        let label = Label { tag: self.tag, ..Label::new(self.name) };
        Arc::new(Node::Let(label, copy, subst::close(e, home)))
    }

    /// An operator that looks at more dimensions than there are when it is its turn.
    pub(crate) fn misfit(&self, cx: &mut Cx<'_>) -> Option<&'static str> {
        let mut rank = self.tensor.ty(cx).ok()??.shape.len();
        for (op, _) in self.links {
            let looks = op.tensor_params[0].len();
            if rank < looks {
                return Some(op.name);
            }
            rank = rank - looks + op.result_rank();
        }
        None
    }

    /// Refuse, with the goal, operators whose requirements are not proved.
    fn required(&self, cx: &mut Cx<'_>, window: &Window) -> Kernel<()> {
        let mut shape: Vec<Ix> = window.bounds.iter().map(|(_, w)| w.clone()).collect();
        for (op, ixs) in self.links {
            let inner = shape.split_off(op.tensor_params[0].len().min(shape.len()));
            let goal = (op.requires)(ixs, &shape);
            if !cx.proves(&goal) {
                return Err(Error::Unproved(Box::new(Unproved {
                    ctx: (*cx.ctx).clone(),
                    goal,
                    refused: None,
                })));
            }
            shape = (op.extents)(ixs, &shape);
            shape.extend(inner);
        }
        Ok(())
    }

    /// The children of a term in which the tensor stands: to go into one takes an inference.
    fn readers(&self, e: &Expr) -> Vec<Child> {
        let reads = |at: &Child| e.child(*at).is_some_and(|child| self.tensor.is_in(child));
        e.children().filter(reads).collect()
    }

    fn wants(&self, path: &[Child]) -> bool {
        self.wanted.as_ref().is_none_or(|paths| paths.iter().any(|p| p == path))
    }

    fn collect(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        around: &mut Below,
        rank: usize,
        out: &mut Vec<Read>,
    ) -> Kernel<()> {
        if let Some(indices) = self.tensor.read(e, rank) {
            if self.wants(&around.path) {
                let (loops, in_access) = (around.loops.clone(), around.in_access);
                out.push(Read { term: e.clone(), ctx: cx.ctx.clone(), indices, loops, in_access });
            }
            return Ok(());
        }
        if self.tensor.is(e) && self.wanted.is_none() {
            // The whole tensor, or a part of lower rank: no box is smaller.
            let in_access = around.in_access;
            out.push(Read {
                term: e.clone(),
                ctx: cx.ctx.clone(),
                indices: vec![],
                loops: vec![],
                in_access,
            });
            return Ok(());
        }
        let outside = around.in_access;
        around.in_access |= accessed(e).is_some();
        for at in self.readers(e) {
            let (depth, level) = (around.loops.len(), cx.ctx.level());
            let (mut inside, child) = cx.enter(e, at)?;
            if let (Node::Gen(l, n, _) | Node::Sum(l, n, _), Child::Body) = (&**e, at) {
                around.loops.push((level, l.clone(), n.clone()));
            }
            around.path.push(at);
            self.collect(&mut inside, &child, around, rank, out)?;
            around.path.pop();
            around.loops.truncate(depth);
        }
        around.in_access = outside;
        Ok(())
    }

    /// The buffer's term: the box of the tensor, reshaped. The whole tensor needs no box before it is
    /// reshaped.
    fn copy(&self, cx: &mut Cx<'_>, window: &Window) -> Expr {
        let first = match window.is_whole() && !self.links.is_empty() {
            true => self.tensor.term(),
            false => self.part(cx, window),
        };
        self.links.iter().fold(first, |e, (op, ixs)| atl_ops::app(op, ixs.clone(), vec![e]))
    }

    /// `gen t < w { [0 <= b + t < n] * x[b + t] }`, without the guard where it holds anyway.
    fn part(&self, cx: &mut Cx<'_>, window: &Window) -> Expr {
        let mut ctx = (*cx.ctx).clone();
        let labels = self.loop_labels(window);
        let loops: Vec<u32> =
            labels.iter().zip(&window.bounds).map(|(l, (_, w))| ctx.push_loop(l.clone(), w)).collect();
        let at: Vec<Ix> =
            loops.iter().zip(&window.bounds).map(|(t, (base, _))| base.clone() + Ix::free(*t)).collect();
        let inside = at.iter().zip(&window.shape).map(|(i, n)| Pred::in_range(i, n));
        let inside = inside.fold(Pred::True, Pred::and);
        let read = at.into_iter().fold(self.tensor.term(), |e, i| Arc::new(Node::Get(e, i)));
        let certain = cx.within(Arc::new(ctx)).proves(&inside);
        let element = if certain { read } else { Arc::new(Node::Guard(inside, read)) };
        let nest = loops.iter().zip(labels).zip(&window.bounds).rev();
        nest.fold(element, |e, ((level, label), (_, width))| {
            Arc::new(Node::Gen(label, width.clone(), subst::close(&e, *level)))
        })
    }

    /// A label for each loop that fills the buffer: as given, or that of the innermost loop which the
    /// dimension is read along.
    fn loop_labels(&self, window: &Window) -> Vec<Label> {
        let mut labels: Vec<Label> = Vec::new();
        for d in 0..window.shape.len() {
            let along = |read: &Read| {
                let index = read.indices.get(d)?;
                let (_, label, _) = read.loops.iter().rev().find(|(level, ..)| index.mentions(*level))?;
                Some(Label::new(&label.name))
            };
            let known = self.labels.get(d).cloned().or_else(|| window.reads.iter().find_map(along));
            let free = known.filter(|label| labels.iter().all(|l| l.name != label.name));
            labels.push(free.unwrap_or_else(|| Label::new(["i", "j", "k", "l", "p", "q"][d.min(5)])));
        }
        labels
    }

    /// Every wanted read of the tensor, as a read of the buffer. A term may be an `element` of the place's
    /// value.
    fn replace(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        path: &mut Vec<Child>,
        element: bool,
        copy: &Expr,
        window: &Window,
    ) -> Conversion {
        if let Some(indices) = self.tensor.read(e, window.shape.len()) {
            if !self.wants(path) {
                return Ok(None);
            }
            let entry = self.entry(cx, copy, window, indices);
            return match self.moved(cx, e, &entry) {
                Err(Error::Mismatch(_)) => {
                    Err(Error::Mismatch("the buffer does not hold an element that is read"))
                }
                moved => moved.map(Some),
            };
        }
        let goes = match self.guards {
            Guards::Stay => false,
            Guards::GoIntoBuffer => true,
            Guards::GoButOfElements => !element,
        };
        if let (true, Node::Guard(_, read)) = (goes, &**e)
            && let Some(indices) = self.tensor.read(read, window.shape.len())
        {
            path.push(Child::Body);
            let wanted = self.wants(path);
            path.pop();
            // A buffer that is no larger than what the guard leaves in has nothing to read outside: the guard
            // stays.
            let certain = wanted && cx.proves(&window.contains(&indices));
            let entry = self.entry(cx, copy, window, indices);
            if certain && let Ok(thm) = by_gather(cx, e, &entry) {
                return Ok(Some(thm));
            }
        }
        let mut chain = Chain::of(e);
        for at in self.readers(e) {
            let now = chain.now().clone();
            path.push(at);
            let element = element
                && match &**e {
                    Node::Gen(..) | Node::Guard(..) | Node::Select(..) | Node::Op(..) => true,
                    Node::Let(..) => at == Child::Body,
                    _ => false,
                };
            let step =
                cx.child(&now, at, |cx, child| self.replace(cx, child, path, element, copy, window))?;
            path.pop();
            chain.push(step)?;
        }
        Ok(chain.done())
    }
}

impl Buffer<'_> {
    /// A read, with the name of what it reads.
    fn printed(&self, read: &Read) -> String {
        let (mut ctx, mut term) = ((*read.ctx).clone(), read.term.clone());
        if let Tensor::Inlined(_) = self.tensor {
            let name = variable(ctx.push_index(Label::new(self.name)));
            term = replace(&term, &mut |e| self.tensor.is(e).then(|| name.clone()));
        }
        print(&ctx, &term, None, Options { style: Style::LINE, ..Options::default() })
    }

    /// A read equals the buffer's entry. What a `let` bound need not be looked into: the equation holds of
    /// any tensor.
    fn moved(&self, cx: &mut Cx<'_>, read: &Expr, entry: &Expr) -> Kernel<Thm> {
        let Tensor::Inlined(term) = self.tensor else { return by_gather(cx, read, entry) };
        let of = |tensor: &Expr, e: &Expr| replace(e, &mut |e| self.tensor.is(e).then(|| tensor.clone()));
        cx.instance(term, |any| (of(any, read), of(any, entry)), by_gather)
    }

    /// The buffer's entry for the element of the tensor at these indices.
    fn entry(&self, cx: &Cx<'_>, copy: &Expr, window: &Window, indices: Vec<Ix>) -> Expr {
        let offsets = indices.into_iter().zip(&window.bounds).map(|(i, (base, _))| i - base.clone());
        let widths = window.bounds.iter().map(|(_, w)| w.clone());
        let gone = scattered(self.links, offsets.collect(), widths.collect());
        gone.into_iter().fold(copy.clone(), |e, i| {
            let short = atl_arith::simplify(&cx.ctx, &i);
            Arc::new(Node::Get(e, short))
        })
    }
}

/// Where an element at these indices of a tensor of these extents goes.
fn scattered(links: &[Link], mut indices: Vec<Ix>, mut shape: Vec<Ix>) -> Vec<Ix> {
    for (op, ixs) in links {
        let looks = op.tensor_params[0].len().min(shape.len());
        let (rest, inner) = (indices.split_off(looks), shape.split_off(looks));
        indices = (op.scatter)(ixs, &shape, &indices, 0);
        shape = (op.extents)(ixs, &shape);
        indices.extend(rest);
        shape.extend(inner);
    }
    indices
}

/// The term with a variable at `home` for every occurrence of `copy`.
pub(crate) fn abstracted(e: &Expr, copy: &Expr, home: u32) -> Expr {
    replace(e, &mut |e| (e == copy).then(|| variable(home)))
}
