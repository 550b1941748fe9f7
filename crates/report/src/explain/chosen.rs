//! How a schedule was chosen, in words: the scripts that were judged, with what the cost model says of each.

use atl_session::auto::{Chosen, Considered, Kind};

/// The lines.
pub(super) fn lines(chosen: &Chosen) -> Vec<String> {
    let sizes: Vec<String> = chosen.sizes.iter().map(|(name, n)| format!("{name} = {n}")).collect();
    let sizes = if sizes.is_empty() { "its sizes".to_owned() } else { sizes.join(", ") };
    let considered = &chosen.choice.considered;
    let mut lines = vec![format!("chosen by the cost model for {sizes}, of what follows")];
    lines.extend(considered.iter().map(|one| {
        let mark = if one.steps == chosen.choice.steps { '>' } else { ' ' };
        match &one.verdict {
            Ok(Some(cycles)) => {
                let is_passed = one.kind == Kind::Plain && one.is_dearer(considered.first());
                let why = if is_passed { ": dearer than as written, so not taken" } else { "" };
                format!("  {mark} {:>12} cycles  {}{why}", rounded(*cycles), one.what)
            }
            Ok(None) => format!("  {mark} {:>12}         {}", "", one.what),
            Err(why) => format!("  {mark} {:>12}         {}: {why}", "refused", one.what),
        }
    }));
    lines.extend(alone(considered));
    lines
}

/// Where nothing but the function as written was accepted.
fn alone(considered: &[Considered]) -> Option<String> {
    let accepted = considered.iter().filter(|one| one.verdict.is_ok()).count();
    (accepted == 1).then(|| "  no script was accepted".to_owned())
}

/// Two digits: the model knows no more.
fn rounded(cycles: f64) -> String {
    format!("{cycles:.1e}")
}
