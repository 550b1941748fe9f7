//! Rows of a few parts of a tensor side by side.
//!
//! **The one idea.** Rows next to each other that are read at once are as many short streams through memory,
//! which begin again with each block of rows: a processor loads little ahead of them. So the rows are cut into
//! a few parts of as many rows, and a row of each part runs beside those of the others: a part is one stream,
//! from its first row to its last. The rows that are left over come after all others.

use crate::extent::Extent;
use crate::structure::is_name;
use atl_kernel::Expr;
use atl_schedule::nest::{Place, binders, qualified};

/// How many parts there are. An addition takes two to four cycles, in which as many rows have theirs; more
/// streams would displace each other from the nearest cache where parts are a power of two apart.
const PARTS: i64 = 4;

/// The loops that a loop in parts consists of. The theorem that makes them calls them so.
const WITHIN: &str = "i.i";
const PART: &str = "i.o";

/// A loop over rows in parts.
pub(super) struct Parts {
    /// The steps that cut it.
    pub(super) steps: Vec<String>,
    /// The loop over rows of a part, and the one over parts inside it.
    pub(super) within: String,
    pub(super) part: String,
}

impl Parts {
    /// Those of the loop here, which runs so often; none where a script cannot say how many rows a part has.
    pub(super) fn of(body: &Expr, row: &Place, rows: &Extent) -> Option<Parts> {
        let (whole, size) = match rows {
            Extent::Literal(n) if *n < PARTS => return None,
            Extent::Literal(n) => {
                ((n % PARTS != 0).then(|| (n / PARTS * PARTS).to_string()), (n / PARTS).to_string())
            }
            Extent::Size(name, _) if is_name(name) => {
                (Some(format!("{name} / {PARTS} * {PARTS}")), format!("{name} / {PARTS}"))
            }
            Extent::Size(..) | Extent::Computed(_) => return None,
        };
        let is_taken = |place: &Place| [WITHIN, PART].contains(&&*place.label.name);
        if binders(body).iter().any(is_taken) {
            return None;
        }
        let named = qualified(body, row);
        let around = named.strip_suffix(&*row.label.name)?;
        let (within, part) = (format!("{around}{WITHIN}"), format!("{around}{PART}"));
        let cut = whole.map(|whole| format!("rw gen_split_at at {named} with k = {whole}"));
        let steps = cut
            .into_iter()
            .chain([format!("rw gen_tile at {named} with k = {size}"), format!("reorder {within}, {part}")]);
        Some(Parts { steps: steps.collect(), within, part })
    }
}
