//! The table of annotations: which requests tags have.

use atl_annotations::{Annotation, Annotations, Mark, RequestId, Role, Span, Unmet};
use atl_diag::FileId;

fn at(start: u32) -> Span {
    Span::new(FileId(0), start, start + 1)
}

fn itself(request: RequestId) -> Mark {
    Mark { request, role: Role::Itself }
}

/// The requests of a tag.
fn asked(table: &Annotations, tag: u32) -> Vec<RequestId> {
    table.marks(tag).iter().map(|mark| mark.request).collect()
}

#[test]
fn a_tag_has_what_was_added_to_it_and_what_it_had() {
    let mut table = Annotations::default();
    let stop = table.request(Annotation::Stop, at(0), "stop i");
    let dynamic = table.request(Annotation::Dynamic, at(9), "parallel i with dynamic");
    let one = table.with(0, itself(stop));
    let both = table.with(one, itself(dynamic));
    assert_eq!((asked(&table, 0), asked(&table, one)), (vec![], vec![stop]));
    assert_eq!(asked(&table, both), [stop, dynamic]);
    // A tag is a set: neither order nor repetition makes another one.
    let other = table.with(0, itself(dynamic));
    assert_eq!(table.with(other, itself(stop)), both);
    assert_eq!(table.with(both, itself(stop)), both);
    assert_eq!(table.union(one, other), both);
    assert_eq!(table.union(0, one), one);
}

#[test]
fn what_is_taken_off_leaves_the_rest() {
    let mut table = Annotations::default();
    let stop = table.request(Annotation::Stop, at(0), "stop i");
    let dynamic = table.request(Annotation::Dynamic, at(9), "parallel i with dynamic");
    let one = table.with(0, itself(stop));
    let both = table.with(one, itself(dynamic));
    assert_eq!(table.without(both, |one| *one == Annotation::Dynamic), one);
    assert_eq!(table.without(one, |one| *one == Annotation::Stop), 0);
    // The binders that had both still do.
    assert_eq!(asked(&table, both), [stop, dynamic]);
}

#[test]
fn a_step_that_is_carried_out_again_makes_the_same_request() {
    let mut table = Annotations::default();
    let first = table.request(Annotation::Stop, at(0), "stop i");
    let before = table.clone();
    assert_eq!(table.request(Annotation::Stop, at(0), "stop i"), first);
    assert_eq!(table, before);
    // Another step, or the same one of a tactic with another argument, makes its own.
    assert_ne!(table.request(Annotation::Stop, at(9), "stop i"), first);
    assert_ne!(table.request(Annotation::Stop, at(0), "stop j"), first);
}

#[test]
fn a_request_that_is_taken_back_is_not_made_until_it_is_made_again() {
    let mut table = Annotations::default();
    let stop = table.request(Annotation::Stop, at(0), "stop i");
    let stream = table.request(Annotation::Stream, at(9), "stream");
    let made = |table: &Annotations| table.requests().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!(made(&table), [stop, stream]);
    table.withdraw(stop);
    assert_eq!(made(&table), [stream]);
    table.request(Annotation::Stop, at(0), "stop i");
    assert_eq!(made(&table), [stop, stream]);
    let last = table.all(|one| (one.if_unmet() == Unmet::Accepted).then_some(())).next_back();
    assert_eq!(last.map(|(request, ())| request.step.as_str()), Some("stream"));
}

#[test]
fn a_tag_from_elsewhere_has_nothing() {
    let table = Annotations::default();
    assert!(table.marks(7).is_empty() && table.marks(u32::MAX).is_empty());
}
