//! A race in words, and as JSON.

use super::{Author, Contender};
use crate::json::{number, object};
use crate::statistics::{fastest_ms, median_ms, speedup};
use atl_driver::roofline::{Limit, Work, percent};
use serde_json::{Value, json};
use std::time::Duration;

type Roofs = [(Limit, Vec<Duration>)];

/// What a race is called, and how its times are stated.
pub(crate) struct Race<'a> {
    /// The fields with which its JSON begins.
    pub(crate) head: Vec<(&'a str, Value)>,
    /// What times are of, and how many times in a millisecond they count.
    pub(crate) unit: (&'a str, f64),
    /// What it must do.
    pub(crate) work: &'a Work,
}

/// The part of the bound that times reach, in percent, by paired rounds.
fn of_bound(times: &[Duration], roofs: &Roofs) -> f64 {
    percent(roofs.iter().map(|(limit, roof)| (*limit, speedup(times, roof))))
}

/// Prints a race, and gives it as JSON.
pub(crate) fn report(race: Race<'_>, contenders: &[Contender<'_>], roofs: &Roofs) -> Value {
    let Race { head, unit: (unit, in_ms), work } = race;
    let rounds = roofs.first().map_or(0, |(_, times)| times.len());
    println!("  {:<11}{:<34}{:>12}{:>10}{:>8}{:>7}", "", "", unit, "fastest", "bound", "cores");
    let mut bounds = Vec::new();
    for (limit, times) in roofs {
        let amount = if *limit == Limit::Computing {
            work.flops.unwrap_or_default()
        } else {
            (work.read + work.written) as f64
        };
        let rate = amount / median_ms(times) / 1e6;
        let unit = if *limit == Limit::Computing { "GFLOP/s" } else { "GB/s" };
        let (median, fastest) = (in_ms * median_ms(times), in_ms * fastest_ms(times));
        println!("  {:<11}{:<34}{median:>12.3}{fastest:>10.3}  {rate:.1} {unit}", "roof", limit.name());
        bounds.push(object([
            ("name", json!(limit.name())),
            ("median", number(median)),
            ("fastest", number(fastest)),
            (unit, number(rate)),
        ]));
    }
    let mut rows = Vec::new();
    for c in contenders {
        let (median, fastest) = (in_ms * median_ms(&c.times), in_ms * fastest_ms(&c.times));
        let (author, busy, bound) = (c.author.name(), c.busy(), of_bound(&c.times, roofs));
        println!("  {author:<11}{:<34}{median:>12.3}{fastest:>10.3}{bound:>7.1}%{busy:>7.2}", c.name);
        let mut row = vec![
            ("author", json!(author)),
            ("name", json!(&c.name)),
            ("median", number(median)),
            ("fastest", number(fastest)),
            ("percent_of_bound", number(bound)),
            ("cores", number(busy)),
            ("rounds", json!(c.times.len())),
        ];
        if let Some([cold, warm]) = c.remarks.emitting {
            row.extend([("emitted_cold", number(cold)), ("emitted_warm", number(warm))]);
        }
        if let Some(schedule) = &c.remarks.schedule {
            row.push(("schedule", json!(schedule)));
        }
        rows.push(object(row));
    }
    let mut fields = head;
    fields.extend([
        ("rounds", json!(rounds)),
        ("bounds", Value::Array(bounds)),
        ("times", Value::Array(rows)),
    ]);
    let ours = best(contenders, |author| *author == Author::Atl);
    let c = best(contenders, |author| *author == Author::C);
    let peer = best(contenders, |author| matches!(author, Author::Peer(_)));
    for (field, rival) in [("against_c", c), ("against_peers", peer)] {
        let (Some(ours), Some(rival)) = (ours, rival) else { continue };
        let ratio = speedup(&ours.times, &rival.times);
        let undisturbed = fastest_ms(&rival.times) / fastest_ms(&ours.times);
        let of = format!("{} `{}`", rival.author.name(), rival.name);
        println!(
            "  `{}` is {ratio:.2} times as fast as {of}; by the fastest runs, {undisturbed:.2}",
            ours.name
        );
        fields.push((
            field,
            object([
                ("schedule", json!(&ours.name)),
                ("rival", json!(of)),
                ("times_as_fast", number(ratio)),
                ("by_fastest_runs", number(undisturbed)),
            ]),
        ));
    }
    if let Some((ours, alone)) = ours.and_then(|ours| Some((ours, alone(ours, contenders)?))) {
        let ratio = speedup(&ours.times, &alone.times);
        let undisturbed = fastest_ms(&alone.times) / fastest_ms(&ours.times);
        println!(
            "  it is {ratio:.2} times as fast as with one thread; by the fastest runs, {undisturbed:.2}"
        );
        fields.push((
            "against_one_thread",
            object([("times_as_fast", number(ratio)), ("by_fastest_runs", number(undisturbed))]),
        ));
    }
    object(fields)
}

/// The same schedule on one thread.
fn alone<'c, 'a>(ours: &Contender<'_>, contenders: &'c [Contender<'a>]) -> Option<&'c Contender<'a>> {
    contenders.iter().find(|c| c.author == Author::Alone && c.name == ours.name)
}

/// The one with the shortest median.
fn best<'c, 'a>(
    contenders: &'c [Contender<'a>],
    wanted: impl Fn(&Author) -> bool,
) -> Option<&'c Contender<'a>> {
    let of = contenders.iter().filter(|c| wanted(&c.author));
    of.min_by(|a, b| median_ms(&a.times).total_cmp(&median_ms(&b.times)))
}
