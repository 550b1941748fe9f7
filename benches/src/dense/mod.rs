//! Dense kernels under every schedule of their examples, beside plain C, other compilers and libraries, and
//! the machine's own bounds.
//!
//! One idea: everything that is compared runs in one process on the same arrays, in turn and repeatedly, and
//! a ratio is that of paired rounds; results are compared before anything is timed. Arrays hold eighths, of
//! which sums are exact in single precision whatever their order. Another schedule takes part as soon as the
//! example has it.

mod cases;
mod peers;

use crate::programs::example;
use crate::race::native::Call;
use crate::race::report::{Race, report};
use crate::race::{Author, Code, Contender, Remarks, Rounds, Wanted, race};
use crate::statistics::{milliseconds, timed};
use atl_driver::backends::{Options, c};
use atl_driver::roofline::{Roof, Work};
use atl_driver::{Arguments, Buffer, Compile, DType, Lowered, Memory};
use atl_runtime::cc::compile_shared;
use cases::{CASES, Case};
use serde_json::{Value, json};
use std::time::Duration;

/// How many rounds count at least.
const LEAST: usize = 7;

/// After this long no further round begins.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many times the work of the best known way something may do to take part.
const WASTE: f64 = 20.0;

/// A function as written, which no schedule has made quick, is left out if it does more than this.
const PLAIN: f64 = 4e9;

/// See the module.
pub(crate) fn run(wanted: &Wanted) -> Result<(), String> {
    let mut races = 0;
    for case in CASES {
        for at in case.at {
            if !case.title(at).contains(&wanted.only) {
                continue;
            }
            for threads in &wanted.threads {
                let found = case.race(at, *threads, wanted.rounds);
                let found = found.map_err(|why| format!("{}: {why}", case.title(at)))?;
                (wanted.keep)(&format!("dense/{}-{threads}", case.title(at).replace(' ', "-")), found)?;
                races += 1;
            }
        }
    }
    if races == 0 {
        return Err(format!("no case contains `{}`", wanted.only));
    }
    Ok(())
}

impl Case {
    /// `blur 2000 2000`
    fn title(&self, at: &[i64]) -> String {
        at.iter().fold(self.name.to_owned(), |title, n| format!("{title} {n}"))
    }

    fn race(&self, at: &[i64], threads: usize, rounds: usize) -> Result<Value, String> {
        println!("{}, {}", self.title(at), plural(threads, "thread"));
        let shapes = (self.shapes)(at);
        let extents = |shape: &Vec<i64>| shape.iter().map(|n| usize::try_from(*n)).collect();
        let shapes: Result<Vec<Vec<usize>>, _> = shapes.iter().map(extents).collect();
        let shapes = shapes.map_err(|why| why.to_string())?;
        let arrays = shapes.iter().map(|shape| (DType::F32, shape.clone())).collect();
        let call = Call { sizes: at.to_vec(), arrays, growing: Vec::new(), threads };
        let Some((result, of_inputs)) = shapes.split_last() else { return Err("no arrays".to_owned()) };
        let inputs: Vec<Buffer> =
            of_inputs.iter().zip(1..).map(|(shape, seed)| eighths(shape, seed)).collect::<Result<_, _>>()?;
        let output = || Buffer::zeros(DType::F32, result).map_err(|why| why.to_string());
        let programs = self.programs.iter().map(|(file, function)| (*file, *function));
        let kernels = programs.map(|(file, function)| schedules(file, function, &inputs));
        let kernels: Vec<Scheduled> = kernels.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        let mut contenders = Vec::new();
        let mut natives = Vec::new();
        for plain in self.plain {
            natives.push((Author::C, plain.name.to_owned(), plain.load(&call)?));
        }
        for peer in peers::peers(self, &call)? {
            natives.push((Author::Peer(peer.author), peer.name, peer.native));
        }
        for (author, name, native) in natives {
            contenders.push(Contender {
                name,
                author,
                code: Code::Native(native, &inputs),
                output: Memory::Dense(output()?),
                times: Vec::new(),
                work: [0.0; 2],
                remarks: Remarks::default(),
            });
        }
        let flops = (self.flops)(at);
        for Scheduled { name, arguments, lowered, remarks } in &kernels {
            let words = |why: atl_driver::Failure| why.to_string();
            let kernel = lowered
                .compile(&c::BACKEND, Options { threads: Some(threads), ..Options::default() })
                .map_err(words)?;
            let bound = match kernel.call(&arguments.arrays(), &arguments.sizes()).bind() {
                // The schedule is for other sizes, and says so.
                Err(why) if why.codes() == ["E0506"] => continue,
                bound => bound.map_err(words)?,
            };
            let most = if remarks.schedule.is_some() { WASTE * flops } else { PLAIN.min(WASTE * flops) };
            if bound.flops() > most {
                println!("  left out: atl {name}, which would take too long");
                continue;
            }
            contenders.push(Contender {
                name: name.clone(),
                author: Author::Atl,
                code: Code::Ours(bound),
                output: Memory::Dense(output()?),
                times: Vec::new(),
                work: [0.0; 2],
                remarks: remarks.clone(),
            });
        }
        self.agree(&mut contenders)?;
        let bytes = |buffer: &Buffer| 4 * buffer.len();
        let work = Work {
            read: inputs.iter().map(bytes).sum(),
            written: bytes(&output()?),
            flops: Some(flops),
            dtype: DType::F32,
        };
        let mut roofs = Roof::all(&work, threads)?;
        let rounds = Rounds { count: [LEAST.min(rounds), rounds], patience: PATIENCE };
        let roof_times = race(&mut contenders, &mut roofs, threads, rounds)?;
        let limits: Vec<_> = roofs.iter().map(Roof::limit).zip(roof_times).collect();
        let sizes = self.sizes.iter().zip(at).map(|(name, n)| format!("{name} = {n}"));
        let head = vec![
            ("case", json!(self.name)),
            ("sizes", json!(sizes.collect::<Vec<_>>().join(", "))),
            ("threads", json!(threads)),
        ];
        Ok(report(Race { head, unit: ("median ms", 1.0), work: &work }, &contenders, &limits))
    }

    /// All results are equal, as far as they must be.
    fn agree(&self, contenders: &mut [Contender<'_>]) -> Result<(), String> {
        for contender in contenders.iter_mut() {
            contender.run()?;
        }
        let Some((first, others)) = contenders.split_first() else { return Ok(()) };
        let cells = |c: &'_ Contender<'_>| -> Result<Vec<f32>, String> {
            let Memory::Dense(array) = &c.output else { return Err("the result grows".to_owned()) };
            array.as_slice::<f32>().map(<[f32]>::to_vec).map_err(|why| why.to_string())
        };
        let expected = cells(first)?;
        for other in others {
            let found = cells(other)?;
            let close = |a: f32, b: f32| (a - b).abs() <= self.tolerance * a.abs().max(1.0);
            if let Some(at) = expected.iter().zip(&found).position(|(a, b)| !close(*a, *b)) {
                let (a, b) = (expected[at], found[at]);
                return Err(format!("cell {at} is {a} of `{}` and {b} of `{}`", first.name, other.name));
            }
        }
        Ok(())
    }
}

/// A schedule of a function, ready to be compiled.
struct Scheduled {
    name: String,
    arguments: std::rc::Rc<Arguments>,
    lowered: Lowered,
    remarks: Remarks,
}

/// A function as written and under each of its schedules, and its arguments.
fn schedules(file: &str, function: &str, inputs: &[Buffer]) -> Result<Vec<Scheduled>, String> {
    let words = |why: atl_driver::Failure| why.to_string();
    let program = atl_driver::load(example(file)).map_err(words)?;
    let function = program.function(Some(function), None).map_err(words)?;
    let arrays = function.params.iter().map(|p| p.name.clone()).zip(inputs.iter().cloned()).collect();
    let mut arguments = Arguments { arrays, ..Arguments::default() };
    arguments.complete(&program, function, 1).map_err(words)?;
    let arguments = std::rc::Rc::new(arguments);
    let own = program.schedules().iter().filter(|s| s.of.text == function.name);
    let mut found = Vec::new();
    for schedule in std::iter::once(None).chain(own.map(Some)) {
        let name = schedule.map(|s| s.name.text.as_str());
        let lowered = program.scheduled(&function.name, name).and_then(|s| s.lower()).map_err(words)?;
        let text = schedule.map(|s| program.sources().text(s.span.file)[s.span.range()].to_owned());
        let remarks = Remarks { schedule: text, emitting: emitting(&lowered)? };
        let of = |name: &str| format!("{} of {}", name, function.name);
        let name = name.map_or_else(|| of("source"), of);
        found.push(Scheduled { name, arguments: arguments.clone(), lowered, remarks });
    }
    Ok(found)
}

/// How long a kernel's C takes to compile with an empty cache, and to be found in one.
fn emitting(lowered: &Lowered) -> Result<Option<[f64; 2]>, String> {
    let folder = std::env::temp_dir().join(format!("atl-benches-{}", std::process::id()));
    let options = c::printer_options(lowered.rounding, true);
    let mut times = [0.0; 2];
    for time in &mut times {
        let (done, taken) = timed(|| {
            let source = c::source(lowered, &options)?;
            let flags: Vec<String> = source.flags.iter().copied().map(str::to_owned).collect();
            compile_shared(&source.c, &flags, &folder).map_err(|why| why.to_string())
        });
        done?;
        *time = milliseconds(taken);
    }
    // What cannot be removed is in the system's folder for such things.
    let _ = std::fs::remove_dir_all(&folder);
    Ok(Some(times))
}

/// Eighths from -1 to 1, without a period.
fn eighths(shape: &[usize], seed: u64) -> Result<Buffer, String> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % 17) as f32 / 8.0 - 1.0
    };
    let cells = (0..shape.iter().product::<usize>()).map(|_| next()).collect::<Vec<f32>>();
    Buffer::from_vec(cells, shape).map_err(|why| why.to_string())
}

fn plural(n: usize, what: &str) -> String {
    if n == 1 { format!("{n} {what}") } else { format!("{n} {what}s") }
}
