//! What lowering notes besides loops: evidence, and what a warning will say.
//!
//! The files that lower such loops fill these in; [`LowerCx`](crate::cx::LowerCx) has them meanwhile.

use crate::error::NotCarried;
use atl_annotations::RequestId;
use atl_loops::Name;
use atl_rules::moving::Moving;
use std::fmt;

/// A loop that a request is about.
#[derive(Clone, Debug)]
pub struct Marked {
    /// The request.
    pub request: RequestId,
    /// The loop's variable; passes give copies of it other numbers.
    pub var: Name,
    /// The buffer of the innermost `let` of the program in whose term the loop stands.
    pub within: Option<Name>,
}

/// A window that is carried, and why it may be.
#[derive(Clone, Debug)]
pub struct Carried {
    /// The name of its `let`.
    pub tensor: String,
    /// The name of the loop.
    pub along: String,
    /// How it moves.
    pub moving: Moving,
}

impl fmt::Display for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Carried { tensor, along, moving: Moving { rows, by, .. } } = self;
        write!(
            f,
            "`{tensor}` along `{along}`: row `k` of the next iteration is row `k + {by}` of this one, for {} of {rows} rows",
            rows - by
        )
    }
}

/// The windows that are carried, and why others are not.
#[derive(Default)]
pub(crate) struct Carries {
    pub(crate) missing: Vec<(RequestId, String, NotCarried)>,
    pub(crate) carried: Vec<Carried>,
}

/// A part of a result in a format that is put in order by looking at all of its places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scanned {
    /// The loops around, outermost first: all places are looked at again for each of their iterations.
    pub within: Vec<String>,
    /// How many dimensions the part has.
    pub dimensions: usize,
    /// What is looked at.
    pub what: Places,
    /// A loop over coordinates and the sum right around it, where there is such a pair: the other way round,
    /// the entries may come in order.
    pub exchange: Option<(String, String)>,
}

/// Which places are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Places {
    /// All rows, of which each is a list of its entries.
    Rows,
    /// All elements, in an array of them.
    Elements,
}

/// Rounds that end by themselves, `until`, in lanes of a vector: no lane leaves the loop of the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NeverLeft {
    /// The name of their index.
    pub rounds: String,
    /// The loop in lanes.
    pub lanes: Name,
}
