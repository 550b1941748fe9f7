//! `atl bench`: schedules side by side.

use super::{backend, believed, compiled, load, structure};
use crate::args::{Bench, Call};
use crate::json::{json_line, nanoseconds};
use crate::output::{Output, Result};
use atl_driver::backends::{Backend, Options, c};
use atl_driver::bench::{Bounded, Entrant, Measured, Repeats, compare, compare_with_bounds};
use atl_driver::roofline::Limit;
use atl_driver::{Arguments, Compiled, DType, Program};
use serde_json::{Value, json};
use std::time::Duration;

/// What the last column says, which is not the quotient of the columns beside it.
const SPEED: &str = "speed: how many times as fast as the first, by the median of the rounds' own ratios, not by the ratio of the medians\n";

/// What the bound is of, and so why a schedule may be quicker.
const WHOLE: &str = "of bound: of the whole arrays, moved once; more than 100 % where a program reads part of them, or they stay in a cache\n";

/// Why operations bound nothing.
const UNCOUNTED: &str = "not counted, for what the loops do is read from arrays";

/// The word for a function without a schedule.
const SOURCE: &str = "source";

pub(super) fn run(args: &Bench, out: &mut Output) -> Result {
    let program = load(&args.file, (args.function.as_deref(), None), out)?;
    let schedule_of = |name: &String| (name != SOURCE).then(|| name.clone());
    let (backend, options) = backend(&args.call.place);
    let mut kernels = Vec::new();
    let schedules = schedules(args, &program)?;
    for name in &schedules {
        let schedule = schedule_of(name);
        let function = program.function(args.function.as_deref(), schedule.as_deref())?;
        out.progress(&format!("compiling `{}` under `{name}`", function.name));
        let scheduled = program.scheduled(&function.name, schedule.as_deref())?;
        let lowered = scheduled.lower()?;
        if backend.name == c::BACKEND.name {
            out.diagnostics(&scheduled.sources, &atl_driver::performance_warnings(&lowered));
        }
        kernels.push(believed(compiled(&lowered, &args.call.place, out)?, args.trust_input));
    }
    let given = arguments(args, &program, &kernels, out)?;
    let of = |kernel| given.iter().find(|(params, _)| *params == parameters(kernel)).map(|(_, found)| found);
    let mut entrants: Vec<Entrant<'_>> = kernels.iter().filter_map(|k| Some((k, of(k)?))).collect();
    let mut schedules = schedules;
    if args.schedules.is_empty() {
        leave_out_slow(&mut schedules, &mut entrants, out);
    }
    let Some((kernel, arguments)) = entrants.first() else { return Ok(()) };
    out.progress("measuring");
    let counted = usize::try_from(args.rounds).unwrap_or(usize::MAX);
    let repeats = Repeats { warm_up: 2, counted };
    // All were read from the same files.
    let explain = |why| arguments.explain(why);
    let (measured, bounded) = match args.roofline {
        true => {
            let found =
                compare_with_bounds(&entrants, repeats, threads(backend, options)).map_err(explain)?;
            (found.kernels.clone(), Some(found))
        }
        false => (compare(&entrants, repeats).map_err(explain)?, None),
    };
    let rows: Vec<(&String, &Measured)> = schedules.iter().zip(&measured).collect();
    let report = Report {
        function: &kernel.function().name,
        backend: backend.name,
        sizes: &arguments.sizes(),
        rounds: counted,
        rows: &rows,
        codes: &entrants.iter().map(|(kernel, _)| Code::of(kernel)).collect::<Vec<_>>(),
        bounded: bounded.as_ref(),
    };
    out.print(&if args.json { report.json() } else { report.table() })
}

/// What does so many operations is not run unless it is asked for, if another does a twentieth of them: nested sums as they are written.
const PATIENT: f64 = 1e10;
const WASTE: f64 = 20.0;

/// Leaves out, and says so, what would take minutes where others take no time.
fn leave_out_slow(schedules: &mut Vec<String>, entrants: &mut Vec<Entrant<'_>>, out: &mut Output) {
    let operations = |(kernel, arguments): &Entrant<'_>| {
        let bound = kernel.call(&arguments.arrays(), &arguments.sizes()).bind().ok()?;
        Some(bound.flops()).filter(|flops| flops.is_finite())
    };
    let flops: Vec<Option<f64>> = entrants.iter().map(operations).collect();
    let least = flops.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let slow = |flops: &Option<f64>| flops.is_some_and(|flops| flops > PATIENT.max(WASTE * least));
    for (name, flops) in schedules.iter().zip(&flops).filter(|(_, flops)| slow(flops)) {
        let flops = flops.unwrap_or_default();
        out.remark(&format!(
            "note: `{name}` is left out, for it does {flops:.1e} operations; `--schedules {name}` times it"
        ));
    }
    let mut keep = flops.iter().map(|flops| !slow(flops));
    schedules.retain(|_| keep.next().unwrap_or(true));
    let mut keep = flops.iter().map(|flops| !slow(flops));
    entrants.retain(|_| keep.next().unwrap_or(true));
}

/// What takes part: what is asked for, or the function as written and all of its schedules.
fn schedules(args: &Bench, program: &Program) -> Result<Vec<String>> {
    if !args.schedules.is_empty() {
        return Ok(args.schedules.clone());
    }
    let function = program.function(args.function.as_deref(), None)?;
    let own = program.schedules().iter().filter(|s| s.of.text == function.name).map(|s| s.name.text.clone());
    Ok(std::iter::once(SOURCE.to_owned()).chain(own).collect())
}

/// The names of a kernel's parameters.
fn parameters(kernel: &Compiled) -> Vec<String> {
    kernel.signature().arrays.iter().map(|array| array.name.clone()).collect()
}

/// The arguments by parameters, which schedules that choose formats have of their own.
fn arguments(
    args: &Bench,
    program: &Program,
    kernels: &[Compiled],
    out: &mut Output,
) -> Result<Vec<(Vec<String>, Arguments)>> {
    let mut all: Vec<(Vec<String>, Arguments)> = Vec::new();
    for kernel in kernels {
        let (function, params) = (kernel.function(), parameters(kernel));
        if all.iter().any(|(known, _)| *known == params) {
            continue;
        }
        let (structure, Call { inputs, numbers, .. }) = (structure(args.trust_input), &args.call);
        let mut found = atl_driver::read_arguments(program, function, inputs, numbers, structure)?;
        found.notes.iter().for_each(|note| out.remark(&format!("note: {note}")));
        found.complete(program, function, args.size)?;
        all.push((params, found));
    }
    Ok(all)
}

/// How many threads a kernel may use.
fn threads(backend: &Backend, options: Options) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    if backend.name == c::BACKEND.name { options.threads.unwrap_or_else(all) } else { 1 }
}

/// Machine code that is measured.
struct Code {
    /// What made it: another back end than was asked for, where that one's code is not used.
    backend: &'static str,
    /// What comparing it has shown.
    verdict: &'static str,
}

impl Code {
    fn of(kernel: &Compiled) -> Code {
        let standing = kernel.standing();
        Code { backend: standing.backend().unwrap_or(kernel.backend()), verdict: standing.verdict.name() }
    }
}

/// What is printed.
struct Report<'r> {
    function: &'r str,
    backend: &'r str,
    sizes: &'r [(&'r str, i64)],
    rounds: usize,
    rows: &'r [(&'r String, &'r Measured)],
    /// The machine code of each row.
    codes: &'r [Code],
    bounded: Option<&'r Bounded>,
}

impl Report<'_> {
    fn json(&self) -> String {
        let rows = self.rows.iter().enumerate().map(|(k, (name, m))| {
            let mut row = json!({
                "schedule": name,
                "median_ns": nanoseconds(m.median),
                "fastest_ns": nanoseconds(m.fastest),
                "ratio": m.ratio,
                "backend": self.codes[k].backend,
                "code": self.codes[k].verdict,
            });
            if let Some(bounded) = self.bounded {
                row["percent_of_bound"] = json!(bounded.percent[k]);
            }
            row
        });
        let sizes = self.sizes.iter().map(|(name, n)| json!({ "name": name, "value": n }));
        let mut report = json!({
            "function": self.function,
            "backend": self.backend,
            "sizes": sizes.collect::<Value>(),
            "rounds": self.rounds,
            "schedules": rows.collect::<Value>(),
        });
        if let Some(Bounded { work, bounds, .. }) = self.bounded {
            let bound = |(limit, time): &(Limit, Duration)| json!({ "name": limit.name(), "median_ns": nanoseconds(*time) });
            report["bytes_read"] = json!(work.read);
            report["bytes_written"] = json!(work.written);
            report["operations"] = json!(work.flops);
            report["bounds"] = bounds.iter().map(bound).collect();
        }
        json_line(&report)
    }

    fn table(&self) -> String {
        let width = self.rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(8);
        let sizes = self.sizes.iter().map(|(name, n)| format!(", {name} = {n}")).collect::<String>();
        let mut text =
            format!("{} on {}{sizes}; medians of {} rounds\n", self.function, self.backend, self.rounds);
        let of = if self.bounded.is_some() { "  of bound" } else { "" };
        text += &format!("{:<width$}  {:>12}  {:>12}  {:>7}{of}\n", "schedule", "median", "fastest", "speed");
        for (k, (name, m)) in self.rows.iter().enumerate() {
            let (median, fastest) = (format!("{:.3?}", m.median), format!("{:.3?}", m.fastest));
            let of = self.bounded.map_or_else(String::new, |b| format!("  {:>7.1}%", b.percent[k]));
            text += &format!("{name:<width$}  {median:>12}  {fastest:>12}  {:>6.2}x{of}\n", m.ratio);
        }
        text += SPEED;
        if self.bounded.is_some() {
            text += WHOLE;
        }
        if let Some(Bounded { work, bounds, .. }) = self.bounded {
            let bytes = (work.read + work.written) as f64;
            for (limit, time) in bounds {
                let (amount, unit) = match limit {
                    Limit::Computing => (work.flops.unwrap_or_default(), "flop"),
                    Limit::Streaming | Limit::Moving => (bytes, "B"),
                };
                let rate = amount / time.as_secs_f64().max(1e-9) / 1e9;
                let (name, time) = (limit.name(), format!("{time:.3?}"));
                text += &format!(
                    "bound: {name:<30}{time:>10}, {:.3} M{unit} at {rate:.1} G{unit}/s\n",
                    amount / 1e6
                );
            }
            if work.flops.is_none() && matches!(work.dtype, DType::F32 | DType::F64) {
                let name = Limit::Computing.name();
                text += &format!("bound: {name:<30}{:>10}, {UNCOUNTED}\n", "-");
            }
        }
        text
    }
}
