//! `atl doctor`: what this machine has, and what its C compilers make of kernels on which compilers go wrong.
//!
//! It ends with 1 if the compiler that is used gives wrong bits even with the flags that are passed.

use crate::args::Doctor;
use crate::json::json_line;
use crate::output::{Exit, Output, Result, Stop};
use atl_driver::doctor::{Examined, PROBES, Probe, Report, examine};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn run(args: &Doctor, out: &mut Output) -> Result {
    let report = examine(|compiler| out.progress(&format!("trying {compiler}")));
    let text = if args.json { json_line(&report_json(&report)) } else { shown(&report) };
    out.print(&text)?;
    if report.is_right() { Ok(()) } else { Err(Stop::Said(Exit::Refused)) }
}

fn shown(report: &Report) -> String {
    let mut text = "compilers\n".to_owned();
    if let Some(why) = &report.missing {
        text += &format!("  none is used: {why}\n");
    }
    report.compilers.iter().for_each(|compiler| text += &of_compiler(compiler));
    text += "\navoided\n";
    let avoided = avoided(report);
    for (name, (probe, by)) in &avoided {
        text += &format!(
            "  {name}, by {}\n      {}\n      wrong otherwise: {}\n",
            probe.avoided,
            probe.about,
            by.join(", ")
        );
    }
    if report.compilers.is_empty() {
        text += "  nothing is known: no compiler was tried\n";
    } else if avoided.is_empty() {
        text += "  nothing: the plain flags are right on every probe\n";
    }
    let line = |heading: &str, rest: String| format!("{heading:<11}{rest}\n");
    let vectors = if report.vectors.is_empty() { "none known".to_owned() } else { report.vectors.join(" ") };
    text += "\n";
    text += &line("vectors", vectors);
    text += &line("threads", threads(report));
    text += &line("", waiting(report));
    let cache = &report.cache;
    text += &line(
        "cache",
        match &cache.refused {
            None => format!("{}, can be written", cache.path.display()),
            Some(why) => format!(
                "{} cannot be written ({why}); set ATL_CACHE to a folder that can",
                cache.path.display()
            ),
        },
    );
    text += &line(
        "rocq",
        report.prover.clone().unwrap_or_else(|| "not found; only `atl certify` needs it".to_owned()),
    );
    text += &line("device", device(report));
    text
}

fn of_compiler(compiler: &Examined) -> String {
    let used = if compiler.used { "; used" } else { "" };
    let mut text = format!("  {}: {}{used}\n", compiler.command, compiler.version);
    let mut answer = |flags: &str, found: &std::result::Result<Vec<&Probe>, String>| {
        text += &match found {
            Ok(wrong) if wrong.is_empty() => format!("      {flags}: right on all {} probes\n", PROBES.len()),
            Ok(wrong) => format!("      {flags}: wrong on {}\n", names(wrong).join(", ")),
            Err(why) => format!("      {flags}: no answer: {}\n", why.lines().next().unwrap_or_default()),
        };
    };
    answer("flags that are passed", &compiler.passed);
    answer("plain flags", &compiler.plain);
    if compiler.used && !compiler.is_right() {
        text += "      do not use it: `--backend cranelift` needs none, and CC=... names another\n";
    }
    text
}

fn names(probes: &[&Probe]) -> Vec<&'static str> {
    probes.iter().map(|probe| probe.name).collect()
}

/// What is avoided, by name, with the compilers that would be wrong.
fn avoided(report: &Report) -> BTreeMap<&'static str, (&'static Probe, Vec<&str>)> {
    let mut all = BTreeMap::new();
    for compiler in &report.compilers {
        for probe in compiler.avoided() {
            let (_, by): &mut (_, Vec<&str>) = all.entry(probe.name).or_insert((probe, Vec::new()));
            by.push(&compiler.command);
        }
    }
    all
}

fn threads(report: &Report) -> String {
    let count = report.threads;
    let openmp = if report.waiting.openmp {
        "OpenMP"
    } else {
        "no OpenMP: every loop of compiled C runs on one thread"
    };
    match report.load {
        Some(load) if load > count as f64 => {
            format!("{count}, {openmp}; busy: {load:.1} programs want a processor")
        }
        _ => format!("{count}, {openmp}"),
    }
}

fn waiting(report: &Report) -> String {
    let waiting = &report.waiting;
    let set: Vec<String> = waiting.set.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let set = if set.is_empty() { String::new() } else { format!("; {}", set.join(" ")) };
    let how = match waiting.passive {
        true => "kernels that atl runs sleep while they wait (OMP_WAIT_POLICY=passive)",
        false => "how kernels wait is set by the environment",
    };
    format!("{how}{set}; a program that calls a library of `atl build` sets it for itself")
}

fn device(report: &Report) -> String {
    match (report.devices.is_empty(), report.driver) {
        (false, _) => report.devices.join(", "),
        (true, true) => "none answers, though a driver is installed".to_owned(),
        (true, false) => "none".to_owned(),
    }
}

fn report_json(report: &Report) -> Value {
    let probes = |found: &std::result::Result<Vec<&Probe>, String>| match found {
        Ok(wrong) => json!({ "wrong": names(wrong) }),
        Err(why) => json!({ "failed": why }),
    };
    let compilers = report.compilers.iter().map(|compiler| {
        json!({
            "command": compiler.command,
            "version": compiler.version,
            "used": compiler.used,
            "passed": probes(&compiler.passed),
            "plain": probes(&compiler.plain),
            "avoided": names(&compiler.avoided()),
        })
    });
    let set = report.waiting.set.iter().map(|(name, value)| format!("{name}={value}"));
    json!({
        "ok": report.is_right(),
        "probes": PROBES.iter().map(|probe| probe.name).collect::<Vec<_>>(),
        "compilers": compilers.collect::<Value>(),
        "missing": report.missing,
        "vectors": report.vectors,
        "threads": report.threads,
        "load": report.load,
        "openmp": report.waiting.openmp,
        "passive": report.waiting.passive,
        "environment": set.collect::<Vec<_>>(),
        "cache": report.cache.path.display().to_string(),
        "cache_refused": report.cache.refused,
        "rocq": report.prover,
        "devices": report.devices,
        "driver": report.driver,
    })
}
