//! How sparse operands are iterated over together: factors by intersection, summands by union.
//!
//! One idea: all strategies compute the same, so a schedule may choose one. A strategy that does not apply is
//! refused, with the obstacle.

use crate::error::LowerError;
use atl_annotations::{Annotation, Annotations, Coiteration};
use atl_loops::intersection::IntersectionStrategy;
use atl_loops::passes::{intersections, into_searches};
use atl_loops::search::How;
use atl_loops::{Kernel, Stmt};

/// The strategies that the schedule chose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CoiterationStrategy {
    /// For factors that share an index along which both are known to increase.
    pub(crate) factors: Option<IntersectionStrategy>,
    /// For summands that are stored in a result in a format.
    pub(crate) summands: UnionStrategy,
}

impl Default for CoiterationStrategy {
    fn default() -> CoiterationStrategy {
        CoiterationStrategy { factors: Some(IntersectionStrategy::BySizes), summands: UnionStrategy::InOrder }
    }
}

impl CoiterationStrategy {
    /// What the last `sparsify` with `by` chose.
    pub(crate) fn of(annotations: &Annotations) -> CoiterationStrategy {
        let way = |one: &Annotation| match one {
            Annotation::Sparsify(way) => *way,
            _ => None,
        };
        match annotations.all(way).next_back().map(|(_, way)| way) {
            None => CoiterationStrategy::default(),
            Some(Coiteration::Search | Coiteration::Scan) => {
                CoiterationStrategy { factors: None, ..CoiterationStrategy::default() }
            }
            Some(Coiteration::Merge) => CoiterationStrategy {
                factors: Some(IntersectionStrategy::Merge),
                summands: UnionStrategy::Merge,
            },
            Some(Coiteration::Workspace) => {
                CoiterationStrategy { summands: UnionStrategy::Workspace, ..CoiterationStrategy::default() }
            }
        }
    }

    /// Refuse a search that is not part of a merge, if the schedule asks for merges.
    pub(crate) fn all_merged(self, kernel: &Kernel) -> Result<(), LowerError> {
        let mut left = None;
        if self.factors == Some(IntersectionStrategy::Merge) {
            intersections(&into_searches(kernel)).body.for_each(&mut |stmt| {
                if let (Stmt::Search { search, .. }, None) = (stmt, &left) {
                    left = Some((search.var.clone(), search.how.clone()));
                }
            });
        }
        let Some((var, How { along, strategy, .. })) = left else { return Ok(()) };
        Err(LowerError::NotMerged(match (along, strategy) {
            (Some(along), Some(_)) => {
                format!("the loop `{along}` does more than search for its coordinates in the other factors")
            }
            _ => format!("the coordinates that the loop `{var}` searches for do not strictly increase"),
        }))
    }
}

/// How summands are added up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum UnionStrategy {
    /// They are merged where they come in order, and else added up in a workspace.
    #[default]
    InOrder,
    /// They are merged, or it is refused.
    Merge,
    /// They are added up in a workspace.
    Workspace,
}
