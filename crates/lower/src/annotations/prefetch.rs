//! Where prefetches are printed: at the beginning of the iterations that the schedule says.
//!
//! The translation keeps what stands around the place: the loops, by name, and the conditions.
//! `atl_loops::prefetch` makes of that and of a body what a later iteration will read, or of a body what it
//! stores. A loop over lanes has no iterations of its own, and one that searches for one place only that;
//! they are not meant. One that searches for a run has those of the run: it prefetches the arrays that have
//! a cell wherever the key is read.

use crate::cx::{Enclosing, LowerCx};
use atl_annotations::{Annotation, RequestId, Role};
use atl_kernel::{Label, Pred};
use atl_loops::prefetch::{Ahead, Frame, Searched, of_stores};
use atl_loops::{Bool, Int, Name, Stmt};
use std::collections::BTreeSet;

impl LowerCx<'_> {
    /// Do something where a predicate holds, which is this condition of the loops.
    pub(crate) fn within_branch<T>(&mut self, p: Pred, cond: &Bool, run: impl FnOnce(&mut Self) -> T) -> T {
        self.around.push(Enclosing::new(None, Frame::When(cond.clone())));
        let result = self.assuming(p, run);
        self.leave(0);
        result
    }

    /// The body of the innermost loop, after what is prefetched there.
    pub(crate) fn prefetched(&mut self, body: Stmt) -> Stmt {
        self.after_prefetches(body, None)
    }

    /// What the innermost loop, of this name, does at each place of the run that it searches for, after what
    /// is prefetched there.
    pub(crate) fn prefetched_in_run(&mut self, label: &Label, key: &Int, then: Stmt) -> Stmt {
        let Some(Enclosing { label: own, frame: Frame::Loop { .. }, .. }) = self.around.last_mut() else {
            return then;
        };
        *own = Some(label.clone());
        self.after_prefetches(then, Some(key))
    }

    /// The same for both: the key is that of the run.
    fn after_prefetches(&mut self, body: Stmt, key: Option<&Int>) -> Stmt {
        let Some(Enclosing { label: Some(here), inside, .. }) = self.around.last() else { return body };
        let annotations = self.annotations;
        let (mut stmts, mut missing, mut prefetched) = (Vec::new(), Vec::new(), Vec::new());
        let each = annotations.marks(here.tag).iter().filter(|mark| mark.role == Role::Each);
        for mark in each.filter(|mark| !inside.contains(&mark.request)) {
            let request = annotations.get(mark.request).map(|request| &request.annotation);
            if let Some(Annotation::PrefetchResult) = request {
                let stores = of_stores(&self.outputs, &self.inputs, &body);
                prefetched.extend(stores.is_some().then_some(mark.request));
                stmts.extend(stores);
                continue;
            }
            let Some(Annotation::Prefetch { input, loops, by }) = request else { continue };
            let Some(at) = self.positions(mark.request, *loops) else { continue };
            let Some(buf) = self.buffers.get(input).map(|buffer| buffer.name.clone()) else { continue };
            let around = self.around[at[0]..].iter().map(|around| around.frame.clone());
            let around = around.collect::<Vec<_>>();
            let at: Vec<usize> = at.iter().map(|position| position - at[0]).collect();
            let there = key.map(|key| self.beside(&buf, key)).unwrap_or_default();
            let searched = key.map(|key| Searched { key, there: &there });
            let ahead =
                Ahead { buf: &buf, inputs: &self.inputs, around: &around, at: &at, by: *by, searched };
            match ahead.of(&body) {
                Ok(prefetches) => {
                    prefetched.push(mark.request);
                    stmts.push(prefetches);
                }
                Err(why) => missing.push((mark.request, why)),
            }
        }
        self.missing.extend(missing);
        self.found.extend(prefetched);
        stmts.push(body);
        Stmt::seq(stmts)
    }

    /// The cells that an input has because those are there which a term reads, of itself or of inputs with
    /// the same extents.
    fn beside(&self, buf: &Name, term: &Int) -> Vec<Int> {
        let extents = |name: &Name| {
            self.buffers.values().find(|b| b.name == *name && b.part.is_none()).map(|b| &b.extents)
        };
        let mut cells = Vec::new();
        term.for_each_read(&mut |other, cell| {
            if extents(buf).is_some() && extents(buf) == extents(other) {
                cells.push(cell.clone());
            }
        });
        cells
    }

    /// Where around are the loops of a request, outermost first; none unless each that it names is there.
    fn positions(&self, request: RequestId, loops: u8) -> Option<Vec<usize>> {
        let numbers = |around: &Enclosing| -> BTreeSet<u8> {
            let marks = around.label.as_ref().map_or(&[][..], |label| self.annotations.marks(label.tag));
            let own = marks.iter().filter(|mark| mark.request == request);
            own.filter_map(|mark| if let Role::Ahead(number) = mark.role { Some(number) } else { None })
                .collect()
        };
        let numbers: Vec<BTreeSet<u8>> = self.around.iter().map(numbers).collect();
        let is_whole = (0..loops).all(|number| numbers.iter().any(|own| own.contains(&number)));
        let at: Vec<usize> = (0..numbers.len()).filter(|k| !numbers[*k].is_empty()).collect();
        (is_whole && !at.is_empty()).then_some(at)
    }

    /// Leaves the innermost loop or condition around, which has this tag: those around it know what is asked
    /// inside.
    pub(crate) fn leave(&mut self, tag: u32) {
        let annotations = self.annotations;
        let Some(Enclosing { mut inside, .. }) = self.around.pop() else { return };
        let each = annotations.marks(tag).iter().filter(|mark| mark.role == Role::Each);
        inside.extend(each.map(|mark| mark.request));
        if let Some(outer) = self.around.last_mut() {
            outer.inside.extend(inside);
        }
    }
}
