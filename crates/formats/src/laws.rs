//! The laws of levels: what makes storing a tensor and reading it back the identity.
//!
//! `(m, t')` is what `encode t` returns; `m` in laws about any metadata is anything well formed, whatever
//! wrote it, with parents `p`; `Φ` is the appended metadata of a stack of rows `ts`, of which `φs[p]` are the
//! parts and `lo p` the first position of parent `p`. A position stands for a set of coordinates, which has
//! one member except in levels of runs.
//!
//! Round trips need CrdPosGet, CrdPosNoneGet, InvalidPosGet, CrdPosInv, PosCrdInv, CrdBound and ValidCrd,
//! with the laws of `append` for what stands below; no smaller set suffices. PosBound is what keeps reads
//! inside the arrays.

use crate::level::{Encoded, Level, ZERO};
use crate::{Metadata, Refusal};
use std::ops::Range;

/// A law: its name, what it says, and how to compare a level with it.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The name.
    pub name: &'static str,
    /// What it says.
    pub statement: &'static str,
    /// The comparison.
    pub holds: Holds,
}

/// What a law is about. A failure is told in words.
#[derive(Clone, Copy, Debug)]
pub enum Holds {
    /// One row of slices, and its encoding.
    Encoding(fn(&dyn Level, &[usize], &Encoded) -> Result<(), String>),
    /// Any well-formed metadata.
    Any(fn(&dyn Level, &Metadata) -> Result<(), String>),
    /// A stack of rows.
    Stack(fn(&dyn Level, &Stack) -> Result<(), String>),
}

/// Rows of slices, one for each parent, with their encodings.
#[derive(Clone, Debug)]
pub struct Stack {
    /// The slices of each parent, by their classes.
    pub rows: Vec<Vec<usize>>,
    /// What `encode` returns for each.
    pub parts: Vec<Encoded>,
    /// All of them, appended.
    pub whole: Metadata,
    /// The classes of the stored slices of all.
    pub stored: Vec<usize>,
}

impl Stack {
    /// Encodes and appends rows; refused if the level has no space for one of them.
    pub fn try_new(level: &dyn Level, rows: Vec<Vec<usize>>) -> Result<Stack, Refusal> {
        let parts: Vec<Encoded> = rows.iter().map(|row| level.encode(row)).collect::<Result<_, _>>()?;
        let mut whole = level.empty();
        let mut stored = Vec::new();
        for ((metadata, slices), row) in parts.iter().zip(&rows) {
            whole = level.append(whole, metadata)?;
            stored.extend(slices.iter().map(|at| at.map_or(ZERO, |at| row[at])));
        }
        Ok(Stack { rows, parts, whole, stored })
    }
}

/// Compares a level with every law on one stack, and returns the names of those that fail, with the first
/// failure of each.
pub fn failures(level: &dyn Level, stack: &Stack) -> Vec<(&'static str, String)> {
    let first = |law: &Law| match law.holds {
        Holds::Encoding(holds) => {
            stack.rows.iter().zip(&stack.parts).try_for_each(|(row, part)| holds(level, row, part))
        }
        Holds::Any(holds) => {
            let parts = stack.parts.iter().map(|(metadata, _)| metadata);
            parts.chain([&stack.whole]).try_for_each(|metadata| holds(level, metadata))
        }
        Holds::Stack(holds) => holds(level, stack),
    };
    LAWS.iter().filter_map(|law| first(law).err().map(|why| (law.name, why))).collect()
}

/// Compares well-formed metadata with every law about any.
pub fn failures_of_any(level: &dyn Level, metadata: &Metadata) -> Vec<(&'static str, String)> {
    let about_any = LAWS.iter().filter_map(|law| match law.holds {
        Holds::Any(holds) => Some((law.name, holds)),
        _ => None,
    });
    about_any.filter_map(|(name, holds)| holds(level, metadata).err().map(|why| (name, why))).collect()
}

/// Every law.
pub static LAWS: &[Law] = &[
    Law {
        name: "MonoidStruct",
        statement: "append is associative and φ its unit, on both sides; appended metadata is well formed",
        holds: Holds::Stack(monoid),
    },
    Law {
        name: "EncodeWellFormed",
        statement: "m is well formed",
        holds: Holds::Encoding(|level, _, (metadata, _)| {
            level.well_formed(metadata).map_err(|damage| damage.to_string())
        }),
    },
    Law {
        name: "Positions",
        statement: "m has one parent and as many positions as t' slices; φ has none; append adds both",
        holds: Holds::Stack(position_counts),
    },
    Law {
        name: "CrdPosGet",
        statement: "crd_pos m 0 c = p implies 0 <= c < N and t[c] = t'[p]",
        holds: Holds::Encoding(|level, row, (metadata, stored)| {
            coordinates(level).try_for_each(|c| match level.crd_pos(metadata, 0, c) {
                None => Ok(()),
                Some(p) => ensure(
                    level.dimensions().has(c) && slice(row, stored, p) == Some(row[c as usize]),
                    || format!("crd_pos {c} = {p}"),
                ),
            })
        }),
    },
    Law {
        name: "CrdPosNoneGet",
        statement: "0 <= c < N and no crd_pos m 0 c implies t[c] = 0",
        holds: Holds::Encoding(|level, row, (metadata, _)| {
            (0..row.len()).try_for_each(|c| {
                let found = level.crd_pos(metadata, 0, c as i128);
                ensure(found.is_some() || row[c] == ZERO, || format!("{c} is not stored"))
            })
        }),
    },
    Law {
        name: "InvalidPosGet",
        statement: "p is a position and not valid implies t'[p] = 0",
        holds: Holds::Encoding(|level, row, (metadata, stored)| {
            (0..level.npos(metadata)).try_for_each(|p| {
                let zero = slice(row, stored, p) == Some(ZERO);
                ensure(level.valid(metadata, 0, p) || zero, || format!("position {p} is not zero"))
            })
        }),
    },
    Law {
        name: "CrdPosInv",
        statement: "crd_pos m p c = q and valid m p q implies c is in pos_crd m p q",
        holds: Holds::Any(|level, metadata| {
            each_coordinate(level, metadata, |parent, c, found| match found {
                Some(q) if level.valid(metadata, parent, q) => {
                    let back = level.pos_crd(metadata, parent, q);
                    ensure(back.contains(&c), || {
                        format!("crd_pos {parent} {c} = {q}, but pos_crd is {back:?}")
                    })
                }
                _ => Ok(()),
            })
        }),
    },
    Law {
        name: "PosCrdInv",
        statement: "valid m p q and c in pos_crd m p q implies crd_pos m p c = q",
        holds: Holds::Any(|level, metadata| {
            each_valid(level, metadata, |parent, q, mut crd| {
                crd.try_for_each(|c| {
                    let back = level.crd_pos(metadata, parent, c);
                    ensure(back == Some(q), || {
                        format!("pos_crd {parent} {q} has {c}, but crd_pos is {back:?}")
                    })
                })
            })
        }),
    },
    Law {
        name: "PosCrdInj",
        statement: "valid positions of one parent have different coordinates",
        holds: Holds::Any(|level, metadata| {
            each_valid(level, metadata, |parent, q, crd| {
                let others =
                    (0..level.npos(metadata)).filter(|p| *p != q && level.valid(metadata, parent, *p));
                others.map(|p| level.pos_crd(metadata, parent, p)).try_for_each(|other| {
                    let apart = other.end <= crd.start || crd.end <= other.start;
                    ensure(apart || other.is_empty() || crd.is_empty(), || format!("{other:?} and {crd:?}"))
                })
            })
        }),
    },
    Law {
        name: "CrdPosNone",
        statement: "no crd_pos m p c, 0 <= c < N and valid m p q implies that c is not in pos_crd m p q",
        holds: Holds::Any(|level, metadata| {
            each_valid(level, metadata, |parent, q, mut crd| {
                crd.try_for_each(|c| {
                    let outside = !level.dimensions().has(c);
                    let found = level.crd_pos(metadata, parent, c).is_some();
                    ensure(outside || found, || format!("{c} is the coordinate of {q}, and not found"))
                })
            })
        }),
    },
    Law {
        name: "ValidCrd",
        statement: "valid m p q implies that pos_crd m p q is not empty",
        holds: Holds::Any(|level, metadata| {
            each_valid(level, metadata, |parent, q, crd| {
                ensure(!crd.is_empty(), || format!("position {q} of parent {parent} has no coordinate"))
            })
        }),
    },
    Law {
        name: "ValidBounds",
        statement: "valid m p q implies that q is in pos_bounds m p",
        holds: Holds::Any(|level, metadata| {
            each_valid(level, metadata, |parent, q, _| {
                let bounds = level.pos_bounds(metadata, parent);
                ensure(bounds.contains(&q), || format!("{q} is valid, and not in {bounds:?}"))
            })
        }),
    },
    Law {
        name: "CrdBound",
        statement: "valid m p q and c in pos_crd m p q implies 0 <= c < N",
        holds: Holds::Any(|level, metadata| {
            each_valid(level, metadata, |_, q, mut crd| {
                crd.try_for_each(|c| ensure(level.dimensions().has(c), || format!("position {q} is {c}")))
            })
        }),
    },
    Law {
        name: "PosBound",
        statement: "crd_pos m p c = q implies that q is in pos_bounds m p, and these are positions",
        holds: Holds::Any(|level, metadata| {
            each_coordinate(level, metadata, |parent, c, found| {
                let bounds = level.pos_bounds(metadata, parent);
                let inside = found.is_none_or(|q| bounds.contains(&q)) && bounds.end <= level.npos(metadata);
                ensure(inside, || format!("crd_pos {parent} {c} = {found:?}, in {bounds:?}"))
            })
        }),
    },
    Law {
        name: "CrdPosApp",
        statement: "crd_pos Φ p c = lo p + crd_pos φs[p] 0 c, or neither exists",
        holds: Holds::Stack(|level, stack| {
            each_part(level, stack, |parent, lo, part| {
                coordinates(level).try_for_each(|c| {
                    let whole = level.crd_pos(&stack.whole, parent, c);
                    let alone = level.crd_pos(part, 0, c).map(|q| q + lo);
                    ensure(whole == alone, || format!("crd_pos {parent} {c}: {whole:?} and {alone:?}"))
                })
            })
        }),
    },
    Law {
        name: "PosCrdApp",
        statement: "q in the bounds of φs[p] implies pos_crd Φ p (lo p + q) = pos_crd φs[p] 0 q, or both are empty",
        holds: Holds::Stack(|level, stack| {
            each_part(level, stack, |parent, lo, part| {
                level.pos_bounds(part, 0).try_for_each(|q| {
                    let whole = level.pos_crd(&stack.whole, parent, lo + q);
                    let alone = level.pos_crd(part, 0, q);
                    let same = whole == alone || (whole.is_empty() && alone.is_empty());
                    ensure(same, || format!("pos_crd {parent} {q}: {whole:?} and {alone:?}"))
                })
            })
        }),
    },
    Law {
        name: "BoundsGet",
        statement: "pos_bounds Φ p is as long as pos_bounds φs[p] 0",
        holds: Holds::Stack(|level, stack| {
            each_part(level, stack, |parent, _, part| {
                let (whole, alone) = (level.pos_bounds(&stack.whole, parent), level.pos_bounds(part, 0));
                ensure(whole.len() == alone.len(), || format!("parent {parent}: {whole:?} and {alone:?}"))
            })
        }),
    },
    Law {
        name: "ValidGet",
        statement: "q in the bounds of φs[p] implies valid Φ p (lo p + q) = valid φs[p] 0 q",
        holds: Holds::Stack(|level, stack| {
            each_part(level, stack, |parent, lo, part| {
                level.pos_bounds(part, 0).try_for_each(|q| {
                    let same = level.valid(&stack.whole, parent, lo + q) == level.valid(part, 0, q);
                    ensure(same, || format!("position {q} of parent {parent}"))
                })
            })
        }),
    },
    Law {
        name: "AppGet",
        statement: "crd_pos Φ p c = q implies that slice q of all is ts[p][c]; without it, 0 <= c < N implies ts[p][c] = 0",
        holds: Holds::Stack(|level, stack| {
            each_part(level, stack, |parent, _, _| {
                coordinates(level).filter(|c| level.dimensions().has(*c)).try_for_each(|c| {
                    let found = level.crd_pos(&stack.whole, parent, c);
                    let stored = found.map_or(Some(ZERO), |q| stack.stored.get(level.pos_pos(q)).copied());
                    let right = stored == Some(stack.rows[parent][c as usize]);
                    ensure(right, || format!("crd_pos {parent} {c} = {found:?} is {stored:?}"))
                })
            })
        }),
    },
    Law {
        name: "Capabilities",
        statement: "the level is full, ordered, branchless, compact where it says so",
        holds: Holds::Any(claims),
    },
];

fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

/// The class of a stored slice; `None` if there is none for the position.
fn slice(row: &[usize], stored: &[Option<usize>], position: usize) -> Option<usize> {
    stored.get(position).map(|at| at.map_or(ZERO, |at| row[at]))
}

/// All coordinates, and some outside.
fn coordinates(level: &dyn Level) -> Range<i128> {
    -2..level.dimensions().size() + 2
}

fn each_coordinate(
    level: &dyn Level,
    metadata: &Metadata,
    mut holds: impl FnMut(usize, i128, Option<usize>) -> Result<(), String>,
) -> Result<(), String> {
    (0..metadata.parents).try_for_each(|parent| {
        coordinates(level).try_for_each(|c| holds(parent, c, level.crd_pos(metadata, parent, c)))
    })
}

fn each_valid(
    level: &dyn Level,
    metadata: &Metadata,
    mut holds: impl FnMut(usize, usize, Range<i128>) -> Result<(), String>,
) -> Result<(), String> {
    (0..metadata.parents).try_for_each(|parent| {
        (0..level.npos(metadata))
            .filter(|q| level.valid(metadata, parent, *q))
            .try_for_each(|q| holds(parent, q, level.pos_crd(metadata, parent, q)))
    })
}

fn each_part(
    level: &dyn Level,
    stack: &Stack,
    mut holds: impl FnMut(usize, usize, &Metadata) -> Result<(), String>,
) -> Result<(), String> {
    stack
        .parts
        .iter()
        .enumerate()
        .try_for_each(|(parent, (part, _))| holds(parent, level.pos_bounds(&stack.whole, parent).start, part))
}

fn monoid(level: &dyn Level, stack: &Stack) -> Result<(), String> {
    let append = |left: &Metadata, right: &Metadata| {
        level.append(left.clone(), right).map_err(|refusal| refusal.to_string())
    };
    let parts: Vec<&Metadata> =
        stack.parts.iter().map(|(metadata, _)| metadata).chain([&stack.whole]).collect();
    for part in &parts {
        ensure(append(&level.empty(), part)? == **part, || format!("φ · {part:?}"))?;
        ensure(append(part, &level.empty())? == **part, || format!("{part:?} · φ"))?;
    }
    for three in parts.windows(3) {
        let left = append(&append(three[0], three[1])?, three[2])?;
        let right = append(three[0], &append(three[1], three[2])?)?;
        ensure(left == right, || format!("{left:?} and {right:?}"))?;
        level.well_formed(&left).map_err(|damage| damage.to_string())?;
    }
    level.well_formed(&level.empty()).map_err(|damage| damage.to_string())?;
    level.well_formed(&stack.whole).map_err(|damage| damage.to_string())
}

fn position_counts(level: &dyn Level, stack: &Stack) -> Result<(), String> {
    for (metadata, stored) in &stack.parts {
        let right = metadata.parents == 1 && level.npos(metadata) == stored.len();
        ensure(right, || format!("{metadata:?} has {} slices", stored.len()))?;
    }
    let unit = level.empty();
    ensure(unit.parents == 0 && level.npos(&unit) == 0, || "φ has positions".to_owned())?;
    let right = stack.whole.parents == stack.rows.len() && level.npos(&stack.whole) == stack.stored.len();
    ensure(right, || format!("{:?} has {} slices", stack.whole, stack.stored.len()))
}

fn claims(level: &dyn Level, metadata: &Metadata) -> Result<(), String> {
    let can = level.capabilities();
    for parent in 0..metadata.parents {
        let bounds = level.pos_bounds(metadata, parent);
        let valid: Vec<usize> = bounds.clone().filter(|q| level.valid(metadata, parent, *q)).collect();
        let crd: Vec<i128> = valid.iter().flat_map(|q| level.pos_crd(metadata, parent, *q)).collect();
        ensure(!can.full || crd.len() as i128 == level.dimensions().size(), || "not full".to_owned())?;
        ensure(!can.ordered || crd.is_sorted(), || format!("not ordered: {crd:?}"))?;
        ensure(!can.branchless || bounds.len() == 1, || format!("not branchless: {bounds:?}"))?;
        ensure(!can.compact || valid.len() == bounds.len(), || format!("not compact: {valid:?}"))?;
    }
    Ok(())
}
