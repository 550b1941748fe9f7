//! Loops that are a device's blocks and threads, and `let`s that its threads share.
//!
//! A mark changes no cell's number and no operation. What it asks for, that iterations store different cells,
//! holds of `gen`, whose results are at different places; so a sum that is marked is refused, and so is a
//! loop that was split, which has no axis.

use crate::cx::LowerCx;
use crate::error::LowerError;
use atl_annotations::{Annotation, Level, RequestId, Role, Swizzle};
use atl_kernel::Label;
use atl_loops::{Int, LoopKind};
use std::borrow::Cow;

impl LowerCx<'_> {
    /// What the loop is on a device, if it is marked.
    pub(crate) fn on_device(&mut self, label: &Label) -> Result<Option<LoopKind>, LowerError> {
        let device = |one: &Annotation| match one {
            Annotation::Device(Level::Blocks, axis) => Some(LoopKind::Block(*axis)),
            Annotation::Device(Level::Threads, axis) => Some(LoopKind::Thread(*axis)),
            _ => None,
        };
        let Some((request, kind)) = self.asked(label, Role::Itself, device) else { return Ok(None) };
        let marks = self.annotations.marks(label.tag).iter();
        let requests = marks.filter_map(|mark| device(&self.annotations.get(mark.request)?.annotation));
        if requests.count() > 1 {
            return Err(self.not_mapped(
                label,
                request,
                "two loops with marks of their own were fused to it",
            ));
        }
        let is_part = self
            .around
            .iter()
            .filter_map(|around| around.label.as_ref())
            .any(|outer| self.annotations.marks(outer.tag).iter().any(|mark| mark.request == request));
        match is_part {
            false => Ok(Some(kind)),
            true => Err(self.not_mapped(
                label,
                request,
                "it is a part of a loop that was split after it was marked",
            )),
        }
    }

    /// Refuses a loop that is marked, for this reason.
    pub(crate) fn not_on_device(&mut self, label: &Label, why: &'static str) -> Result<(), LowerError> {
        let device = |one: &Annotation| matches!(one, Annotation::Device(..)).then_some(());
        match self.asked(label, Role::Itself, device) {
            None => Ok(()),
            Some((request, ())) => Err(self.not_mapped(label, request, why)),
        }
    }

    /// The refusal of a binder that is marked.
    pub(crate) fn not_mapped(
        &self,
        label: &Label,
        request: RequestId,
        why: impl Into<Cow<'static, str>>,
    ) -> LowerError {
        LowerError::NotMapped { at: self.span(request), what: format!("`{}`", label.name), why: why.into() }
    }

    /// Where the cells lie of a `let` in the memory that a block's threads share, if it is there, with the
    /// request.
    pub(crate) fn shared(&mut self, label: &Label) -> Option<(RequestId, Swizzle)> {
        self.asked(label, Role::Itself, |one| match one {
            Annotation::Shared(swizzle) => Some(*swizzle),
            _ => None,
        })
    }

    /// Refuses a shared `let` whose cells are no whole blocks of those that its swizzle exchanges cells in.
    pub(crate) fn fits(
        &self,
        label: &Label,
        (request, swizzle): (RequestId, Swizzle),
        extents: &[Int],
    ) -> Result<(), LowerError> {
        let (cells, period) = (Int::product(extents).constant(), swizzle.period());
        if swizzle.is_identity() || cells.is_some_and(|cells| cells % period == 0) {
            return Ok(());
        }
        let cells = cells
            .map_or_else(|| "a number of cells that depends on sizes".to_owned(), |n| format!("{n} cells"));
        let why = format!(
            "its swizzle exchanges cells within blocks of {period}, and this has {cells}, which is no multiple of that"
        );
        Err(self.not_mapped(label, request, why))
    }
}
