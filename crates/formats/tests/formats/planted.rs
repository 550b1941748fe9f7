//! Levels with planted faults: each is caught by the laws that it breaks. Most are misprints of published definitions.

use crate::cases::level;
use atl_formats::laws::{Stack, failures};
use atl_formats::level::{Encoded, Level};
use atl_formats::levels::Common;
use atl_formats::{Builder, Damage, Metadata, PackedLevel, Refusal, SortedEntries};
use std::ops::Range;

/// What is wrong with a level.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// Nothing.
    None,
    /// `append` of running totals leaves out the right's last one, not its first.
    AppendDropsLast,
    /// `append` does not shift the right's running totals.
    AppendDoesNotShift,
    /// The unit is a table of empty slots.
    UnitIsATable,
    /// `append` keeps the left operand.
    AppendKeepsLeft,
    /// `encode` returns nonzero slices only, also for levels that have a place for every slot.
    EncodeFilters,
    /// Every position is valid.
    AlwaysValid,
    /// Valid positions have no coordinate.
    NoCoordinate,
    /// Bounds are those of parent 0.
    BoundsWithoutParent,
    /// Coordinates are also found outside of the extent.
    FindsOutside,
    /// A coordinate is found one place too far.
    FindsTheNext,
    /// Positions are one coordinate too high.
    CoordinateTooHigh,
    /// The search ignores the parent.
    FindsInParentZero,
}

/// A level with a fault.
#[derive(Debug)]
struct Planted {
    inner: Box<dyn Level>,
    fault: Fault,
}

impl Planted {
    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }
}

impl Level for Planted {
    fn common(&self) -> &Common {
        self.inner.common()
    }
    fn arrays(&self) -> Vec<String> {
        self.inner.arrays()
    }
    fn encode(&self, slices: &[usize]) -> Result<Encoded, Refusal> {
        let (metadata, mut stored) = self.inner.encode(slices)?;
        if self.has(Fault::EncodeFilters) {
            stored.retain(|at| at.is_some_and(|at| slices[at] != 0));
        }
        Ok((metadata, stored))
    }
    fn empty(&self) -> Metadata {
        if self.has(Fault::UnitIsATable) {
            return self.inner.encode(&vec![0; self.dimensions().size() as usize]).unwrap().0;
        }
        self.inner.empty()
    }
    fn append(&self, left: Metadata, right: &Metadata) -> Result<Metadata, Refusal> {
        if self.has(Fault::AppendKeepsLeft) {
            return Ok(left);
        }
        let mut totals = left.arrays.first().cloned().unwrap_or_default();
        let mut all = self.inner.append(left, right)?;
        match self.fault {
            Fault::AppendDropsLast => {
                let shift = totals[totals.len() - 1];
                totals.extend(right.arrays[0].iter().rev().skip(1).rev().map(|total| total + shift));
                all.arrays[0] = totals;
            }
            Fault::AppendDoesNotShift => {
                totals.extend(&right.arrays[0][1..]);
                all.arrays[0] = totals;
            }
            _ => {}
        }
        Ok(all)
    }
    fn well_formed(&self, metadata: &Metadata) -> Result<(), Damage> {
        self.inner.well_formed(metadata)
    }
    fn npos(&self, metadata: &Metadata) -> usize {
        self.inner.npos(metadata)
    }
    fn pos_bounds(&self, metadata: &Metadata, parent: usize) -> Range<usize> {
        self.inner.pos_bounds(metadata, if self.has(Fault::BoundsWithoutParent) { 0 } else { parent })
    }
    fn pos_crd(&self, metadata: &Metadata, parent: usize, position: usize) -> Range<i128> {
        let crd = self.inner.pos_crd(metadata, parent, position);
        match self.fault {
            Fault::NoCoordinate => 0..0,
            Fault::CoordinateTooHigh => crd.start + 1..crd.end + 1,
            _ => crd,
        }
    }
    fn crd_pos(&self, metadata: &Metadata, parent: usize, coordinate: i128) -> Option<usize> {
        match self.fault {
            Fault::FindsOutside if coordinate < 0 => Some(0),
            Fault::FindsTheNext => self.inner.crd_pos(metadata, parent, coordinate).map(|q| q + 1),
            Fault::FindsInParentZero => self.inner.crd_pos(metadata, 0, coordinate),
            _ => self.inner.crd_pos(metadata, parent, coordinate),
        }
    }
    fn valid(&self, metadata: &Metadata, parent: usize, position: usize) -> bool {
        self.has(Fault::AlwaysValid) || self.inner.valid(metadata, parent, position)
    }
    fn builder(&self) -> Box<dyn Builder + '_> {
        self.inner.builder()
    }
    fn pack(&self, entries: SortedEntries) -> Result<PackedLevel, Refusal> {
        self.inner.pack(entries)
    }
}

/// The laws that a level with a fault breaks on rows of three slices.
fn broken(kind: &str, fault: Fault) -> Vec<&'static str> {
    let parameters: &[i64] = if ["hash", "ell"].contains(&kind) { &[4] } else { &[] };
    let planted = Planted { inner: level(kind, &[3], 0, parameters), fault };
    let rows = [vec![1, 0, 2], vec![0, 0, 0], vec![0, 3, 0]];
    let stacks = (0..=rows.len()).map(|end| rows[..end].to_vec());
    let mut found: Vec<&str> = stacks
        .flat_map(|rows| failures(&planted, &Stack::try_new(&planted, rows).unwrap()))
        .map(|(law, _)| law)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Checks that a fault is caught by these laws among others.
fn check(kind: &str, fault: Fault, laws: &[&str]) {
    let found = broken(kind, fault);
    assert!(laws.iter().all(|law| found.contains(law)), "{kind}, {fault:?}: {found:?}");
}

#[test]
fn nothing_is_caught_where_nothing_is_planted() {
    for kind in ["dense", "compressed", "bitmask", "hash", "ell", "rankmask", "band", "rle"] {
        assert!(broken(kind, Fault::None).is_empty());
    }
}

#[test]
fn wrong_monoids_are_caught() {
    check("compressed", Fault::AppendDropsLast, &["MonoidStruct", "BoundsGet"]);
    check("compressed", Fault::AppendDoesNotShift, &["MonoidStruct", "AppGet"]);
    check("hash", Fault::UnitIsATable, &["MonoidStruct", "Positions", "AppGet"]);
    check("bitmask", Fault::UnitIsATable, &["MonoidStruct", "Positions", "AppGet"]);
    check("dense", Fault::AppendKeepsLeft, &["MonoidStruct", "Positions"]);
}

#[test]
fn wrong_encodings_are_caught() {
    check("hash", Fault::EncodeFilters, &["Positions", "CrdPosGet"]);
    check("ell", Fault::EncodeFilters, &["Positions"]);
    check("bitmask", Fault::EncodeFilters, &["Positions", "CrdPosGet"]);
}

#[test]
fn wrong_validity_is_caught() {
    check("compressed", Fault::AlwaysValid, &["PosCrdInv", "ValidBounds"]);
    check("bitmask", Fault::AlwaysValid, &["ValidCrd"]);
    check("hash", Fault::AlwaysValid, &["ValidCrd"]);
    check("ell", Fault::AlwaysValid, &["ValidCrd"]);
}

#[test]
fn wrong_coordinates_are_caught() {
    for kind in ["dense", "compressed", "bitmask", "hash", "ell", "rankmask", "band", "rle"] {
        check(kind, Fault::NoCoordinate, &["ValidCrd", "CrdPosInv"]);
        check(kind, Fault::CoordinateTooHigh, &["CrdPosInv", "PosCrdInv"]);
        check(kind, Fault::FindsOutside, &["CrdPosGet"]);
        check(kind, Fault::FindsTheNext, &["CrdPosGet"]);
    }
    check("dense", Fault::CoordinateTooHigh, &["CrdBound"]);
}

#[test]
fn functions_that_forget_the_parent_are_caught() {
    for kind in ["dense", "compressed", "hash", "rankmask", "band"] {
        check(kind, Fault::BoundsWithoutParent, &["PosBound"]);
        check(kind, Fault::FindsInParentZero, &["PosBound", "CrdPosApp"]);
    }
    check("compressed", Fault::BoundsWithoutParent, &["BoundsGet", "ValidBounds"]);
}
