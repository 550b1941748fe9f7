//! The kernel's speed: inferences made, inferences replayed, and certificates checked, in a second.
//!
//! An *inference* is a node of a proof. *Deriving* finds each schedule's theorem and the lowering's, with
//! everything that this takes: searching for sites, proving side conditions, checking the certificates found.
//! *Replaying* makes the same inferences again from the proof alone. A *check* is one certificate checked
//! against its goal: those that the schedule's derivation asked for are recorded, and checked once more by
//! themselves.

use crate::json::{number, object};
use crate::programs::{Target, targets};
use crate::statistics::{median, timed};
use atl_arith::Arith;
use atl_driver::Program;
use atl_kernel::{Cert, Ctx, Pred, Proof, Prover, Thm, cert};
use atl_schedule::Session;
use serde_json::{Value, json};
use std::time::Duration;

/// How often each is measured.
const RUNS: usize = 11;

/// What was counted and measured for one program; times are medians, in seconds.
#[derive(Default)]
struct Row {
    inferences: usize,
    derive: f64,
    replay: f64,
    checks: usize,
    check: f64,
}

impl Row {
    fn rates(&self) -> [f64; 3] {
        let rate = |count: usize, seconds: f64| count as f64 / seconds;
        [
            rate(self.inferences, self.derive),
            rate(self.inferences, self.replay),
            rate(self.checks, self.check),
        ]
    }

    fn print(&self, name: &str) {
        let [derived, replayed, checked] = self.rates();
        println!(
            "{name:<38}{:>11}{derived:>12.0}{replayed:>12.0}{:>10}{checked:>12.0}",
            self.inferences, self.checks
        );
    }

    fn json(&self, name: &str) -> Value {
        let [derived, replayed, checked] = self.rates();
        object([
            ("program", json!(name)),
            ("inferences", json!(self.inferences)),
            ("derived_per_s", number(derived)),
            ("replayed_per_s", number(replayed)),
            ("certificates", json!(self.checks)),
            ("checked_per_s", number(checked)),
        ])
    }
}

/// See the module.
pub(crate) fn run() -> Result<Value, String> {
    println!("kernel, medians of {RUNS} runs");
    println!(
        "{:<38}{:>11}{:>12}{:>12}{:>10}{:>12}",
        "", "inferences", "derived/s", "replayed/s", "certs", "checked/s"
    );
    let (mut rows, mut total) = (Vec::new(), Row::default());
    for target in targets()?.into_iter().filter(|t| t.schedule.is_some()) {
        let name = target.name();
        let row = measure(&target).map_err(|why| format!("{name}: {why}"))?;
        row.print(&name);
        rows.push(row.json(&name));
        total.inferences += row.inferences;
        total.checks += row.checks;
        total.derive += row.derive;
        total.replay += row.replay;
        total.check += row.check;
    }
    total.print("all");
    rows.push(total.json("all"));
    Ok(object([("runs", json!(RUNS)), ("kernel", Value::Array(rows))]))
}

fn measure(target: &Target) -> Result<Row, String> {
    let program = atl_driver::load(&target.path).map_err(|why| why.to_string())?;
    let scheduled = || program.scheduled(&target.function, target.schedule.as_deref());
    let (mut derive, mut replay, mut check) = (Vec::new(), Vec::new(), Vec::new());
    let mut row = Row::default();
    let recorded = record(&program, target)?;
    row.checks = recorded.len();
    for _ in 0..RUNS {
        let (lowered, time) = timed(|| scheduled()?.lower());
        let thm = lowered.map_err(|why| why.to_string())?.theorem;
        derive.push(time);
        row.inferences = inferences(thm.proof());
        let (again, time) = timed(|| Thm::replay(thm.ctx(), thm.proof()));
        let again = again.map_err(|why| format!("the proof does not replay: {why:?}"))?;
        if again.lhs() != thm.lhs() || again.rhs() != thm.rhs() {
            return Err("the proof replays to another theorem".to_owned());
        }
        replay.push(time);
        let (sound, time) = timed(|| recorded.iter().all(|r| cert::check(&r.ctx, &r.goal, &r.cert).is_ok()));
        if !sound {
            return Err("a certificate was accepted and is refused now".to_owned());
        }
        check.push(time);
    }
    let seconds = |times: Vec<Duration>| median(times.iter().map(Duration::as_secs_f64));
    (row.derive, row.replay, row.check) = (seconds(derive), seconds(replay), seconds(check));
    Ok(row)
}

/// The nodes of a proof, a part used twice counted twice: replaying does it twice.
fn inferences(proof: &Proof) -> usize {
    let (mut count, mut todo) = (0, vec![proof]);
    while let Some(proof) = todo.pop() {
        count += 1;
        match proof {
            Proof::Refl(..) | Proof::Rule(..) => {}
            Proof::Sym(p) | Proof::Congruence(_, _, p, _) => todo.push(p),
            Proof::Trans(p, q) | Proof::Cases(_, p, q) => todo.extend([&**p, &**q]),
            Proof::Induction(_, _, premises, _) => {
                todo.extend(premises.iter().flat_map(|(p, q)| [&**p, &**q]))
            }
        }
    }
    count
}

/// A certificate with what it proves.
struct Recorded {
    ctx: Ctx,
    goal: Pred,
    cert: Cert,
}

/// A prover that remembers what it proved.
struct Recorder {
    arith: Arith,
    found: Vec<Recorded>,
}

impl Prover for Recorder {
    fn prove(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert> {
        let cert = self.arith.prove(ctx, goal)?;
        self.found.push(Recorded { ctx: ctx.clone(), goal: goal.clone(), cert: cert.clone() });
        Some(cert)
    }
}

/// The certificates that the derivation of a schedule asks for.
fn record(program: &Program, target: &Target) -> Result<Vec<Recorded>, String> {
    let schedule = target.schedule.as_deref();
    let function = program.function(Some(&target.function), schedule).map_err(|why| why.to_string())?;
    let Some(name) = schedule else { return Ok(Vec::new()) };
    let schedule = program.schedule(function, name).map_err(|why| why.to_string())?;
    let mut prover = Recorder { arith: Arith::default(), found: Vec::new() };
    let session = Session::new(&function.ctx, &function.body, &mut prover);
    atl_schedule::derive(session, &schedule.steps, schedule.span).map_err(|failed| failed.why.message)?;
    Ok(prover.found)
}
