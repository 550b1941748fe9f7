//! Requests of a schedule, found by the tag of the binder that is lowered, and requests that no binder
//! carries.
//!
//! One idea: lowering a binder marks its requests as found. A request that stays unfound is refused at its
//! step, so no schedule loses an annotation silently.

use crate::cx::{Buffer, LowerCx};
use crate::error::{LowerError, NotCarried};
use crate::notes::Marked;
use atl_annotations::{Annotation, Request, RequestId, Role, Unmet};
use atl_diag::Span;
use atl_kernel::Label;
use atl_loops::{LoopKind, Name, Stmt};

/// Why a request for less work has no effect, if no binder has it.
const GONE: &str = "nothing has this mark in the end, or nothing needs it";

impl LowerCx<'_> {
    /// The last matching request of a binder; all matching ones count as found.
    pub(crate) fn asked<T>(
        &mut self,
        label: &Label,
        role: Role,
        find: impl Fn(&Annotation) -> Option<T>,
    ) -> Option<(RequestId, T)> {
        let annotations = self.annotations;
        let mut asked = None;
        for mark in annotations.marks(label.tag).iter().filter(|mark| mark.role == role) {
            let found = annotations.get(mark.request).and_then(|request| find(&request.annotation));
            if let Some(found) = found {
                self.found.insert(mark.request);
                asked = Some((mark.request, found));
            }
        }
        asked
    }

    /// The place of the step that made a request.
    pub(crate) fn span(&self, request: RequestId) -> Option<Span> {
        self.annotations.get(request).map(|request| request.span)
    }

    /// Which request the `let` has for a record of the cells stored to.
    pub(crate) fn tracked(&mut self, label: &Label) -> Option<RequestId> {
        self.asked(label, Role::Itself, |one| (*one == Annotation::Tracked).then_some(())).map(|(id, ())| id)
    }

    /// Which request the sum has to end early.
    pub(crate) fn stops(&mut self, label: &Label) -> Option<RequestId> {
        self.asked(label, Role::Itself, |one| (*one == Annotation::Stop).then_some(())).map(|(id, ())| id)
    }

    /// Does a thread that is free take the next iteration of a parallel loop?
    pub(crate) fn is_dynamic(&mut self, label: &Label) -> bool {
        self.asked(label, Role::Itself, |one| (*one == Annotation::Dynamic).then_some(())).is_some()
    }

    /// The loop that ends once nothing changes the register that it combines into.
    pub(crate) fn stopping(
        &self,
        request: RequestId,
        looped: Stmt,
        into: Option<&Buffer>,
    ) -> Result<Stmt, LowerError> {
        match (looped, into) {
            (Stmt::For { var, lo, hi, kind: LoopKind::Serial, body }, Some(into))
                if into.extents.is_empty() =>
            {
                // Nothing is combined where nothing is computed.
                let kind = match body.reduction_into(&into.name) {
                    Some(_) => LoopKind::EarlyExit(into.name.clone()),
                    None => LoopKind::Serial,
                };
                Ok(Stmt::For { var, lo, hi, kind, body })
            }
            (skip, _) if skip == Stmt::skip() => Ok(skip),
            _ => {
                let why = "its terms do not accumulate in a register of their own";
                Err(LowerError::NotSaved { at: self.span(request), why: why.to_owned() })
            }
        }
    }

    /// Notes which loop is to be lanes or to be written out, by the name that the loops have for it.
    pub(crate) fn note_loop(&mut self, label: &Label, var: &Name) {
        let annotations = self.annotations;
        for mark in annotations.marks(label.tag) {
            let annotation = annotations.get(mark.request).map(|request| &request.annotation);
            if let Some(Annotation::Vectorize | Annotation::Unroll) = annotation {
                let (var, within) = (var.clone(), self.lets.last().cloned());
                self.marked.push(Marked { request: mark.request, var, within });
            }
        }
    }

    /// Has every request been found that may not be lost?
    pub(crate) fn all_found(&self) -> Result<(), LowerError> {
        let mut lost = self.annotations.requests().filter(|(id, _)| !self.found.contains(id));
        match lost.find(|(_, request)| request.annotation.if_unmet() == Unmet::Refused) {
            None => Ok(()),
            Some((_, request)) => Err(unmet(request)),
        }
    }
}

/// The refusal of a request that no binder has in the end.
fn unmet(request: &Request) -> LowerError {
    let Request { annotation, span, step } = request;
    let at = Some(*span);
    match annotation {
        Annotation::Carry { tensor, .. } => {
            LowerError::NotCarried { at, tensor: tensor.clone(), why: NotCarried::Nowhere }
        }
        Annotation::Device(..) | Annotation::Shared(_) => {
            let why = "a later step removes its loop or `let`";
            LowerError::NotMapped { at, what: format!("`{step}`"), why: why.into() }
        }
        _ => LowerError::NotSaved { at, why: GONE.to_owned() },
    }
}
