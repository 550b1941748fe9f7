//! `atl bench`: schedules side by side.

use super::{backend, load};
use crate::args::Bench;
use crate::json::Json;
use crate::output::{Output, Result};
use atl_driver::Arguments;
use atl_driver::bench::{Measured, Repeats, compare};

/// What the last column says, which is not the quotient of the columns beside it.
const SPEED: &str = "speed: how many times as fast as the first, by the median of the rounds' own ratios, not by the ratio of the medians\n";

/// The word for a function without a schedule.
const SOURCE: &str = "source";

pub(super) fn run(args: &Bench, out: &mut Output) -> Result {
    let program = load(&args.file, out)?;
    let schedule_of = |name: &String| (name != SOURCE).then(|| name.clone());
    let first = args.schedules.iter().find_map(schedule_of);
    let function = program.function(args.function.as_deref(), first.as_deref())?;
    let (backend, options) = backend(&args.call);
    let mut kernels = Vec::new();
    for name in &args.schedules {
        out.progress(&format!("compiling `{}` under `{name}`", function.name));
        let scheduled = program.scheduled(&function.name, schedule_of(name).as_deref())?;
        kernels.push(scheduled.lower()?.compile(backend, options)?);
    }
    let mut arguments = Arguments::read(&program, function, &args.call.inputs, &args.call.numbers)?;
    for note in &arguments.notes {
        out.remark(&format!("note: {note}"));
    }
    arguments.complete(&program, function, args.size)?;
    out.progress("measuring");
    let counted = usize::try_from(args.rounds).unwrap_or(usize::MAX);
    let measured = compare(&kernels, &arguments, Repeats { warm_up: 2, counted })?;
    let sizes = arguments.sizes();
    let rows: Vec<(&String, &Measured)> = args.schedules.iter().zip(&measured).collect();
    if args.json {
        let rows = rows.iter().map(|(name, m)| {
            Json::Object(vec![
                ("schedule", Json::text(name.as_str())),
                ("median_ns", Json::Integer(i128::try_from(m.median.as_nanos()).unwrap_or(i128::MAX))),
                ("fastest_ns", Json::Integer(i128::try_from(m.fastest.as_nanos()).unwrap_or(i128::MAX))),
                ("ratio", Json::Number(m.ratio)),
            ])
        });
        let sizes = sizes.iter().map(|(name, n)| {
            Json::Object(vec![("name", Json::text(*name)), ("value", Json::Integer(i128::from(*n)))])
        });
        let report = Json::Object(vec![
            ("function", Json::text(function.name.as_str())),
            ("backend", Json::text(backend.name)),
            ("sizes", Json::List(sizes.collect())),
            ("rounds", Json::count(counted)),
            ("schedules", Json::List(rows.collect())),
        ]);
        return out.print(&report.line());
    }
    let width = args.schedules.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(8);
    let sizes = sizes.iter().map(|(name, n)| format!(", {name} = {n}")).collect::<String>();
    let mut text = format!("{} on {}{sizes}; medians of {counted} rounds\n", function.name, backend.name);
    text.push_str(&format!("{:<width$}  {:>12}  {:>12}  {:>7}\n", "schedule", "median", "fastest", "speed"));
    for (name, m) in rows {
        let (median, fastest) = (format!("{:.3?}", m.median), format!("{:.3?}", m.fastest));
        text.push_str(&format!("{name:<width$}  {median:>12}  {fastest:>12}  {:>6.2}x\n", m.ratio));
    }
    text.push_str(SPEED);
    out.print(&text)
}
