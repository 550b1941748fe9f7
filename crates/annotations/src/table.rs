//! The table: requests in the order of the steps, and the sets of marks that tags number.

use crate::{Annotation, Mark, Request, RequestId, Span};

/// The annotations of a derivation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Annotations {
    requests: Vec<Request>,
    /// Requests that a later step took back.
    withdrawn: Vec<RequestId>,
    /// The marks of each tag, sorted; tag 0 has none and stands for no set here, tag `k` is the set `k - 1`.
    sets: Vec<Vec<Mark>>,
}

impl Annotations {
    /// Records a request. A step that is carried out again, as in a `repeat`, makes the same one.
    pub fn request(&mut self, annotation: Annotation, span: Span, step: &str) -> RequestId {
        let request = Request { annotation, span, step: step.to_owned() };
        let known = self.requests.iter().position(|other| *other == request);
        let at = known.unwrap_or_else(|| {
            self.requests.push(request);
            self.requests.len() - 1
        });
        let id = id(at);
        self.withdrawn.retain(|other| *other != id);
        id
    }

    /// The tag of a binder that has this mark besides those of its tag.
    pub fn with(&mut self, tag: u32, mark: Mark) -> u32 {
        let mut marks = self.marks(tag).to_vec();
        marks.push(mark);
        self.tag(marks)
    }

    /// The tag of a binder that has the marks of its tag but those of such annotations.
    pub fn without(&mut self, tag: u32, is_one: impl Fn(&Annotation) -> bool) -> u32 {
        let marks = self.marks(tag).iter().copied();
        let left = marks.filter(|mark| self.get(mark.request).is_none_or(|one| !is_one(&one.annotation)));
        let left = left.collect();
        self.tag(left)
    }

    /// The tag of a loop that two loops have become: it has the marks of both.
    pub fn union(&mut self, one: u32, other: u32) -> u32 {
        let marks = [self.marks(one), self.marks(other)].concat();
        self.tag(marks)
    }

    /// No binder is to have this request any more.
    pub fn withdraw(&mut self, request: RequestId) {
        if !self.withdrawn.contains(&request) {
            self.withdrawn.push(request);
        }
    }

    /// The marks of a tag, sorted; none of a tag from elsewhere.
    pub fn marks(&self, tag: u32) -> &[Mark] {
        let set = usize::try_from(tag).ok().and_then(|tag| tag.checked_sub(1));
        set.and_then(|set| self.sets.get(set)).map_or(&[], Vec::as_slice)
    }

    /// A request.
    pub fn get(&self, request: RequestId) -> Option<&Request> {
        self.requests.get(usize::try_from(request.0).ok()?)
    }

    /// The requests that no step took back, in the order of the steps.
    pub fn requests(&self) -> impl DoubleEndedIterator<Item = (RequestId, &Request)> {
        let numbered = self.requests.iter().enumerate().map(|(at, request)| (id(at), request));
        numbered.filter(|(id, _)| !self.withdrawn.contains(id))
    }

    /// What is found of the requests that no step took back, in the order of the steps, with the request.
    pub fn all<'a, T>(
        &'a self,
        find: impl Fn(&'a Annotation) -> Option<T>,
    ) -> impl DoubleEndedIterator<Item = (&'a Request, T)> {
        self.requests().filter_map(move |(_, request)| Some((request, find(&request.annotation)?)))
    }

    /// The number of a set of marks.
    fn tag(&mut self, mut marks: Vec<Mark>) -> u32 {
        marks.sort_unstable();
        marks.dedup();
        if marks.is_empty() {
            return 0;
        }
        let at = self.sets.iter().position(|set| *set == marks).unwrap_or_else(|| {
            self.sets.push(marks);
            self.sets.len() - 1
        });
        u32::try_from(at + 1).unwrap_or(0)
    }
}

fn id(at: usize) -> RequestId {
    RequestId(u32::try_from(at).unwrap_or(u32::MAX))
}
