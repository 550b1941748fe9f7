//! What this machine has, and which of its compilers give the bits that a kernel means.
//!
//! One idea: nothing is taken from a list of versions. Every compiler that is found compiles the same
//! [probes](PROBES), with the plain flags and with those that are passed, and what they compute is compared
//! with the interpreter of loops. What the plain flags get wrong and the others right is what is avoided.

pub mod machine;
mod probes;
pub mod trials;

pub use probes::{PLAIN, PROBES, Probe};

use atl_runtime::cc::{Compiler, default_cache, supports_openmp};
use atl_runtime::waits_passively;
use machine::Cache;
use std::collections::BTreeSet;

/// What a compiler makes of the probes.
#[derive(Clone, Debug)]
pub struct Examined {
    /// How it is called.
    pub command: String,
    /// Its version, in its own words.
    pub version: String,
    /// Is it the one that is used?
    pub used: bool,
    /// The probes that are wrong with the plain flags, or why there is no answer.
    pub plain: Result<Vec<&'static Probe>, String>,
    /// The probes that are wrong with the flags that are passed.
    pub passed: Result<Vec<&'static Probe>, String>,
}

impl Examined {
    /// Does the code that it makes give the right bits, as far as the probes can say?
    pub fn is_right(&self) -> bool {
        self.passed.as_ref().is_ok_and(Vec::is_empty)
    }

    /// The probes that are right because of the flags that are passed.
    pub fn avoided(&self) -> Vec<&'static Probe> {
        let still: BTreeSet<&str> = self.passed.iter().flatten().map(|probe| probe.name).collect();
        self.plain.iter().flatten().copied().filter(|probe| !still.contains(probe.name)).collect()
    }
}

/// How threads that have nothing to do wait, as the environment says.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// Do kernels have threads?
    pub openmp: bool,
    /// Do those of this process sleep, because nobody has said how they wait?
    pub passive: bool,
    /// The variables about it that the user has set, with their values.
    pub set: Vec<(&'static str, String)>,
}

/// The variables that say how threads wait, and how many there are.
const VARIABLES: [&str; 5] =
    ["OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "OMP_NUM_THREADS", "OMP_PROC_BIND"];

/// What was found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The compilers, the one that is used first.
    pub compilers: Vec<Examined>,
    /// Why no compiler is used, if none is.
    pub missing: Option<String>,
    /// Vector extensions.
    pub vectors: Vec<&'static str>,
    /// How many threads may run at once.
    pub threads: usize,
    /// How many programs want a processor.
    pub load: Option<f64>,
    /// Threads that wait.
    pub waiting: Waiting,
    /// The folder of artefacts.
    pub cache: Cache,
    /// The proof assistant.
    pub prover: Option<String>,
    /// Devices.
    pub devices: Vec<String>,
    /// Is there a library of a device's driver?
    pub driver: bool,
}

impl Report {
    /// Is there anything that makes numbers wrong? The compiler that is used is; others are mentioned only.
    pub fn is_right(&self) -> bool {
        self.compilers.iter().filter(|c| c.used).all(Examined::is_right)
    }
}

/// Examines the machine; `progress` is told which compiler is next.
pub fn examine(mut progress: impl FnMut(&str)) -> Report {
    let path = default_cache();
    let cache = machine::cache(&path);
    let used = Compiler::find();
    let examined = trials::compilers().into_iter().map(|compiler| {
        progress(&compiler.command());
        let is_used = used.as_ref().is_ok_and(|used| **used == compiler);
        examined(&compiler, is_used)
    });
    let compilers = examined.collect();
    let passive = waits_passively();
    let names = VARIABLES.iter().filter(|name| !passive || **name != "OMP_WAIT_POLICY");
    let set = names.filter_map(|name| Some((*name, machine::variable(name)?)));
    let (devices, driver) = machine::devices();
    Report {
        compilers,
        missing: used.as_ref().err().map(ToString::to_string),
        vectors: machine::vectors(),
        threads: machine::threads(),
        load: machine::load(),
        waiting: Waiting { openmp: used.is_ok() && supports_openmp(&path), passive, set: set.collect() },
        cache,
        prover: machine::prover(),
        devices,
        driver,
    }
}

fn examined(compiler: &Compiler, used: bool) -> Examined {
    let wrong = |plain: bool| {
        let trials = PROBES.iter().enumerate().map(|(k, probe)| probe.trial(k));
        let trials = trials.collect::<Result<Vec<_>, _>>()?;
        let flags =
            |source: &atl_backend_c::CSource| if plain { PLAIN.to_vec() } else { source.flags.clone() };
        let found = trials::differing(compiler, &trials, flags)?;
        Ok(found.into_iter().filter_map(|k| PROBES.get(k)).collect())
    };
    Examined {
        command: compiler.command(),
        version: compiler.version().to_owned(),
        used,
        plain: wrong(true),
        passed: wrong(false),
    }
}
