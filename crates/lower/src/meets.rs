//! Where sparse operands meet, at an index or in a sum: which of the ways to walk them is taken.
//!
//! One idea: each means the same, so a schedule may say which. What cannot be walked so is refused, with what is in the way.

use crate::error::LowerError;
use atl_annotations::{Annotation, Annotations, Coiteration};
use atl_loops::Stmt;
use atl_loops::meeting::{Meeting, Walk};

/// See the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Meets {
    /// Factors that meet at an index, and are known to increase there.
    pub(crate) factors: Factors,
    /// Summands that are stored in a result in a format.
    pub(crate) summands: Summands,
}

impl Meets {
    /// What the last step says of it that says something.
    pub(crate) fn of(annotations: &Annotations) -> Meets {
        let way = |one: &Annotation| match one {
            Annotation::Sparsify(way) => *way,
            _ => None,
        };
        match annotations.all(way).next_back().map(|(_, way)| way) {
            None => Meets::default(),
            Some(Coiteration::Search | Coiteration::Scan) => {
                Meets { factors: Factors::Search, ..Meets::default() }
            }
            Some(Coiteration::Merge) => Meets { factors: Factors::Merge, summands: Summands::Merge },
            Some(Coiteration::Workspace) => Meets { summands: Summands::Workspace, ..Meets::default() },
        }
    }
}

/// How factors are walked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Factors {
    /// As their lengths decide when it runs.
    #[default]
    BySizes,
    /// The first one is gone over, and its coordinates are looked for in the others.
    Search,
    /// Together, step by step, or not at all.
    Merge,
}

/// How summands are added up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Summands {
    /// They are merged where they come in order, and else added up in a workspace.
    #[default]
    InOrder,
    /// They are merged, or it is refused.
    Merge,
    /// They are added up in a workspace.
    Workspace,
}

impl Factors {
    /// The mark of a search for what strictly increases.
    pub(crate) fn walk(self) -> Walk {
        match self {
            Factors::BySizes => Walk::BySizes,
            Factors::Search => Walk::Search,
            Factors::Merge => Walk::Merge,
        }
    }

    /// Is each search walked so, if all are to be merged?
    pub(crate) fn are_met(self, body: &Stmt) -> Result<(), LowerError> {
        let (mut searches, mut merged) = (Vec::new(), Vec::new());
        body.for_each(&mut |stmt| {
            if let Stmt::For { var, kind, body, .. } = stmt {
                merged.extend(Meeting::of(kind, var, body).map(|meeting| meeting.search.var.clone()));
            }
            if let Stmt::Search { search, .. } = stmt {
                searches.push((search.var.clone(), search.how.along.is_some()));
            }
        });
        let left = searches.into_iter().find(|(var, _)| self == Factors::Merge && !merged.contains(var));
        match left {
            None => Ok(()),
            Some((var, false)) => Err(LowerError::NotMerged(format!(
                "the coordinates that the loop `{var}` searches for do not increase"
            ))),
            Some((var, true)) => Err(LowerError::NotMerged(format!(
                "the loop `{var}` does not intersect exactly one other loop"
            ))),
        }
    }
}
