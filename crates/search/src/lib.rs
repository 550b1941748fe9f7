//! Proposes schedules for a function at given sizes.
//!
//! **The one idea.** A proposal is a script in the language of schedules, and nothing more: it is proposed by
//! decisions and ranked by a cost model, both of which may be wrong in any way, and it is worth something
//! only once a [`Judge`] has derived it as a theorem and lowered it. What the judge refuses is dropped and
//! counted. So nothing here is trusted.
//!
//! The search begins with plans that differ in kind, then takes the best plan that it has not looked around
//! yet and changes one decision of it at a time, until it has asked the judge as often as its budget says or
//! nothing is left to change. It is deterministic: equal costs are ordered by script.
//!
//! It never runs anything and measures nothing. Start reading at `atl_cost`, which says what is thought to be
//! fast, then `plan.rs`, which says what can be decided.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod auto;
mod axes;
mod extent;
mod joined;
mod names;
mod plan;
mod reuse;
mod shape;
mod space;
mod structure;

pub use atl_cost::Machine;
use atl_cost::{Estimate, estimate};
use atl_kernel::{Expr, Rounding};
use atl_loops::Kernel;
use axes::{Axes, Target};
pub use extent::Sizes;
use joined::Joined;
use plan::Plan;
pub use reuse::{Names, Shapes};
use space::Setting;
use std::collections::{BTreeMap, BTreeSet};
use structure::{Known, Structure};

/// Who decides whether a script means anything.
pub trait Judge {
    /// The program after these steps.
    ///
    /// # Errors
    /// Why they were refused.
    fn derive(&mut self, steps: &[String]) -> Result<Expr, Refused>;

    /// The loops of the program after these steps.
    ///
    /// # Errors
    /// As for [`Judge::derive`]; also where lowering was refused, or the steps preserve less than was asked
    /// for.
    fn lower(&mut self, steps: &[String]) -> Result<Judged, Refused>;
}

/// Why a script was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The code of the diagnostic.
    pub code: String,
    /// In few words: refusals are counted by them.
    pub why: String,
}

/// A script that was accepted.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The loops.
    pub kernel: Kernel,
    /// What its theorem preserves in floating point.
    pub rounding: Rounding,
    /// The steps that have no effect on the loops, as far as the judge looks.
    pub idle: Vec<String>,
}

/// What to search for.
#[derive(Clone, Debug)]
pub struct Request<'r> {
    /// The function's body.
    pub body: &'r Expr,
    /// The names of its parameters.
    pub names: &'r Names,
    /// The extents of its parameters.
    pub shapes: &'r Shapes,
    /// The names and values of its sizes.
    pub named_sizes: &'r Sizes,
    /// Its sizes, in the order of the kernel's.
    pub sizes: &'r [i64],
    /// Bytes of an element of the result.
    pub cell_bytes: u32,
    /// What a script may at most change in floating point.
    pub rounding: Rounding,
    /// The machine to search for.
    pub machine: Machine,
    /// How many scripts may be judged.
    pub budget: usize,
}

impl<'r> Request<'r> {
    fn known(&self) -> Known<'r> {
        Known { names: self.names, shapes: self.shapes, sizes: self.named_sizes }
    }
}

/// A script that was accepted, and what it is thought to cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Proposal {
    /// The steps, without semicolons. None: the function as written.
    pub steps: Vec<String>,
    /// The estimate.
    pub estimate: Estimate,
    /// What its theorem preserves in floating point.
    pub rounding: Rounding,
}

impl Proposal {
    /// Does it leave all work to one thread?
    pub fn is_sequential(&self) -> bool {
        !self.steps.iter().any(|step| step.starts_with("parallel "))
    }

    /// The script without its numbers.
    fn kind(&self) -> String {
        self.steps.join(";").chars().filter(|c| !c.is_ascii_digit()).collect()
    }
}

/// What was found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Found {
    /// What was accepted, the best first; the function as written is among them.
    pub proposals: Vec<Proposal>,
    /// How many scripts were judged.
    pub judged: usize,
    /// How many of them were refused, by the reason.
    pub refused: BTreeMap<String, usize>,
    /// The steps that a choice without sizes has, if they were accepted: they are measured beside others.
    pub chosen: Option<Vec<String>>,
}

impl Found {
    /// Proposals worth measuring, other than the function as written, the best first. What the model cannot
    /// tell apart stands in for one another; before a kind of script, which is what it is but for its
    /// numbers, is chosen twice, every kind is that the model finds at most twice as dear as the best.
    ///
    /// One of several is sequential, since nothing is known of what else the machine does; where the work is
    /// so little that starting threads matters, half of them at least are. Of several, what is chosen without
    /// sizes is one: nobody tunes for less than that.
    pub fn best(&self, count: usize) -> Vec<Proposal> {
        let sequential: Vec<&Proposal> = self.ranked().filter(|p| p.is_sequential()).collect();
        let little = sequential.first().is_some_and(|p| p.estimate.cycles() <= LITTLE_WORK);
        let mut best = choose(sequential, if little { count.div_ceil(2) } else { (count / 2).min(1) });
        let others: Vec<&Proposal> = self.ranked().filter(|p| !best.contains(p)).collect();
        best.extend(choose(others, count - best.len()));
        best.sort_by(better);
        let chosen = self.ranked().find(|p| self.chosen.as_ref() == Some(&p.steps));
        if let Some(chosen) = chosen.filter(|chosen| count > 1 && !best.contains(chosen)) {
            best.truncate(count - 1);
            best.push(chosen.clone());
            best.sort_by(better);
        }
        best
    }

    /// Every proposal other than the function as written, the best first.
    fn ranked(&self) -> impl Iterator<Item = &Proposal> {
        self.proposals.iter().filter(|p| !p.steps.is_empty())
    }

    /// The function as written.
    pub fn source(&self) -> Option<&Proposal> {
        self.proposals.iter().find(|p| p.steps.is_empty())
    }
}

/// Cycles of work beside which starting threads is not negligible.
const LITTLE_WORK: f64 = 50.0 * atl_cost::THREADS;

/// What the model finds this factor dearer than the best is not worth measuring: it would take longer than
/// all others together.
const HOPELESS: f64 = 32.0;

/// The best of what is ranked, and of different kinds.
fn choose(mut ranked: Vec<&Proposal>, count: usize) -> Vec<Proposal> {
    ranked.dedup_by(|b, a| a.estimate.cycles() == b.estimate.cycles());
    let least = ranked.first().map_or(0.0, |p| p.estimate.cycles());
    ranked.retain(|p| p.estimate.cycles() <= HOPELESS * least);
    let limit = 2.0 * least;
    let mut kinds: BTreeSet<String> = BTreeSet::new();
    let (first, more): (Vec<&Proposal>, Vec<&Proposal>) =
        ranked.into_iter().partition(|p| p.estimate.cycles() <= limit && kinds.insert(p.kind()));
    let mut best: Vec<Proposal> = first.into_iter().chain(more).take(count).cloned().collect();
    best.sort_by(better);
    best
}

/// Searches for schedules; the steps that a choice without sizes has are judged first.
pub fn search(request: &Request<'_>, chosen: Option<Vec<String>>, judge: &mut dyn Judge) -> Found {
    let source = Structure::of(request.body, request.known());
    let mut search =
        Search { request, judge, source, ranked: Vec::new(), seen: BTreeSet::new(), found: Found::default() };
    search.judge(&[]);
    search.found.chosen = chosen.filter(|steps| search.judge(steps).is_some());
    let programs = search.begin();
    search.climb(&programs);
    search.found.proposals.sort_by(better);
    search.found
}

/// The cheaper first; of the same cost, the shorter, then by script.
fn better(a: &Proposal, b: &Proposal) -> std::cmp::Ordering {
    let by_cost = a.estimate.cycles().total_cmp(&b.estimate.cycles());
    by_cost.then_with(|| a.steps.len().cmp(&b.steps.len())).then_with(|| a.steps.cmp(&b.steps))
}

struct Search<'r> {
    request: &'r Request<'r>,
    judge: &'r mut dyn Judge,
    source: Structure,
    /// Accepted plans with the number of their program and their cost.
    ranked: Vec<(Plan, usize, f64)>,
    /// Scripts that were judged.
    seen: BTreeSet<Vec<String>>,
    found: Found,
}

impl Search<'_> {
    /// Has the judge been asked as often as the budget says?
    fn is_spent(&self) -> bool {
        self.found.judged >= self.request.budget
    }

    /// Judges a script; its cost if it is accepted.
    fn judge(&mut self, steps: &[String]) -> Option<f64> {
        if self.is_spent() || !self.seen.insert(steps.to_vec()) {
            return None;
        }
        self.found.judged += 1;
        let refusal = match self.judge.lower(steps) {
            Err(refused) => refused.why,
            Ok(Judged { kernel, rounding, .. }) => {
                match estimate(&kernel, self.request.sizes, &self.request.machine) {
                    None if !kernel.requires_all.is_empty() => {
                        "loops that depend on what arrays hold".to_owned()
                    }
                    None => "index arithmetic leaves 64 bits".to_owned(),
                    Some(estimate) => {
                        let proposal = Proposal { steps: steps.to_vec(), estimate, rounding };
                        self.found.proposals.push(proposal);
                        return Some(estimate.cycles());
                    }
                }
            }
        };
        *self.found.refused.entry(refusal).or_default() += 1;
        None
    }

    /// Judges plans that differ in kind; the programs that inlining gives.
    fn begin(&mut self) -> Vec<Structure> {
        let (machine, written) = (&self.request.machine, self.found.source());
        let little = written.is_some_and(|source| source.estimate.cycles() <= LITTLE_WORK);
        let (parallel, fused) = (machine.cores > 1 && !little, self.request.rounding == Rounding::Real);
        let lanes = space::lanes(machine, self.request.cell_bytes);
        let registers = machine.registers;
        if fused {
            let target = Target { lanes: lanes.into(), registers: registers.into(), parallel };
            self.contract(target);
            self.join(&space::tiles(registers));
        }
        let mut programs = Vec::new();
        for fates in space::fates(&self.source) {
            if self.is_spent() {
                break;
            }
            let steps = Plan::inlining(&fates, &self.source);
            let Ok(body) = self.judge.derive(&steps) else { continue };
            let inlined = Structure::of(&body, self.request.known());
            let setting =
                Setting { source: &self.source, inlined: &inlined, lanes, registers, parallel, fused };
            for plan in space::shapes(&fates, &setting) {
                self.consider(plan, &inlined, programs.len());
            }
            programs.push(inlined);
        }
        programs
    }

    /// Judges scripts that factor sums: along axes, and else with lanes where they can be.
    fn contract(&mut self, target: Target) {
        let Request { body, names, named_sizes, .. } = *self.request;
        if let Some(axes) = Axes::of(body, names, named_sizes) {
            let alone = target.parallel.then_some(Target { parallel: false, ..target });
            for script in [Some(target), alone].into_iter().flatten().flat_map(|target| axes.scripts(target))
            {
                self.judge(&script);
            }
        }
        let [sum, _, ..] = self.source.nest.sums.as_slice() else { return };
        if self.is_spent() {
            return;
        }
        let mut steps = vec![format!("contract {sum}")];
        let Ok(factored) = self.judge.derive(&steps) else { return };
        let factored = Structure::of(&factored, self.request.known());
        let first = factored.nest.gens.first().filter(|_| target.parallel);
        steps.extend(first.map(|first| format!("parallel {first}")));
        steps.extend(factored.innermost.iter().map(|place| {
            let within = place.within.as_ref().map_or(String::new(), |within| format!("{within}/"));
            format!("vectorize {within}{} by {}", place.name, target.lanes)
        }));
        self.judge(&steps);
    }

    /// Judges scripts that join rows of results whose ends leave lanes idle.
    fn join(&mut self, tiles: &[(i64, i64)]) {
        let machine = &self.request.machine;
        let cell = self.request.cell_bytes;
        let lanes = i64::from(space::lanes(machine, cell));
        let Some(joined) = Joined::of(&self.source.nest, self.request.known(), lanes) else { return };
        // A quarter of a core's own cache.
        let cells = (machine.caches[1].bytes / 4.0 / f64::from(cell.max(1))) as i64;
        let target = joined::Target { lanes, threads: i64::from(machine.cores), cells };
        let scripts: Vec<Vec<String>> = tiles
            .iter()
            .filter_map(|(rows, vectors)| joined.script(&self.source.lets, target, (*rows, vectors * lanes)))
            .collect();
        for script in scripts {
            self.judge(&script);
        }
    }

    /// Judges a plan.
    fn consider(&mut self, plan: Plan, inlined: &Structure, program: usize) {
        let steps = plan.steps(&self.source, inlined);
        if let Some(cost) = self.judge(&steps) {
            self.ranked.push((plan, program, cost));
        }
    }

    /// Looks around the best plan not yet looked around, until nothing is left to ask. Of plans that cost the
    /// same, which as a rule differ in nothing that matters, the first represents all.
    fn climb(&mut self, programs: &[Structure]) {
        let mut visited: BTreeSet<u64> = BTreeSet::new();
        while !self.is_spent() {
            self.ranked.sort_by(|a, b| a.2.total_cmp(&b.2));
            let next = self.ranked.iter().find(|(_, _, cost)| !visited.contains(&cost.to_bits()));
            let Some((plan, program, cost)) = next.cloned() else { return };
            visited.insert(cost.to_bits());
            let Some(inlined) = programs.get(program) else { return };
            // Where there is one core, threads are nothing to propose.
            let cores = self.request.machine.cores;
            let neighbours = space::neighbours(&plan, &self.source, inlined);
            for neighbour in neighbours.into_iter().filter(|plan| cores > 1 || !plan.parallel) {
                self.consider(neighbour, inlined, program);
            }
        }
    }
}
