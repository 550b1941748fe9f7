//! Sparse kernels under every schedule of `examples/sparse.atl` and `examples/contractions.atl`, beside the
//! literature's loops in C, SciPy, and the machine's own bounds.
//!
//! One idea: a format's kernel reads its arrays once, so the time of moving them is the bound, and times are
//! stated for each entry of the tensor. What is compared runs in turn on the same arrays; results are
//! compared before, to the bit, since tensors hold eighths.

mod cases;
mod contractions;
pub(crate) mod matrices;
mod peers;

use crate::programs::example;
use crate::race::native::Call;
use crate::race::report::{Race, report};
use crate::race::{Author, Code, Contender, Remarks, Rounds, Wanted, race};
use atl_driver::backends::{Options, c};
use atl_driver::roofline::{Roof, Work};
use atl_driver::sparse::packed;
use atl_driver::{Arguments, Buffer, Compile, DType, Memory, Program, Signature};
use atl_runtime::{Growing, Tensor};
use cases::{Case, Other, RANK};
use matrices::Data;
use serde_json::{Value, json};
use std::time::Duration;

/// How many rounds count at least.
const LEAST: usize = 7;

/// After this long no further round begins.
const PATIENCE: Duration = Duration::from_secs(4);

/// See the module.
pub(crate) fn run(wanted: &Wanted) -> Result<(), String> {
    let mut races = 0;
    for (file, cases) in [("sparse.atl", cases::CASES), ("contractions.atl", contractions::CASES)] {
        let program = atl_driver::load(example(file)).map_err(|why| why.to_string())?;
        for (case, data) in cases.iter().flat_map(|case| case.with.iter().map(move |data| (case, data))) {
            let title = format!("{} {}", case.name, data.name);
            if !title.contains(&wanted.only) {
                continue;
            }
            for threads in &wanted.threads {
                println!("{title}, threads: {threads}");
                let found = case.race(&program, data, *threads, wanted);
                let found = found.map_err(|why| format!("{title}: {why}"))?;
                (wanted.keep)(&format!("sparse/{}-{threads}", slug(&title)), found)?;
                races += 1;
            }
        }
    }
    match races {
        0 => Err(format!("no case contains `{}`", wanted.only)),
        _ => Ok(()),
    }
}

impl Case {
    fn race(&self, program: &Program, data: &Data, threads: usize, wanted: &Wanted) -> Result<Value, String> {
        let words = |why: atl_driver::Failure| why.to_string();
        let tensor = (data.make)(wanted.scale).tensor()?;
        let Tensor::Sparse(entries) = &tensor else { return Err("the tensor is dense".to_owned()) };
        let stored = entries.coordinates.len();
        let function = program.function(Some(self.function), None).map_err(words)?;
        let signature = Signature::of(function);
        let param = signature.operands.first().ok_or("no parameter has a format")?;
        let packed = packed(&signature, param, &tensor).map_err(|why| why.message)?;
        let mut arguments = Arguments { arrays: packed.arrays, sizes: packed.sizes, ..Arguments::default() };
        let mut others = Vec::new();
        for other in self.others {
            others.push(match other {
                Other::Of(data) => Some((data.make)(wanted.scale).tensor()?),
                Other::First => None,
            });
        }
        for (other, param) in others.iter().zip(&signature.operands[1..]) {
            let packed = self::packed(&signature, param, other.as_ref().unwrap_or(&tensor));
            let packed = packed.map_err(|why| why.message)?;
            arguments.arrays.extend(packed.arrays);
            arguments.sizes.extend(packed.sizes);
        }
        arguments.complete(program, function, RANK).map_err(words)?;
        let taken = |name: &String| arguments.arrays.iter().find(|(n, _)| n == name).map(|(_, b)| b.clone());
        let inputs: Option<Vec<Buffer>> = signature.arrays.iter().map(|p| taken(&p.name)).collect();
        let inputs = inputs.ok_or("an array is missing")?;

        let mut contenders = Vec::new();
        let mut shape = Vec::new();
        let mut growing = Vec::new();
        for schedule in program.schedules().iter().filter(|s| s.of.text == self.function) {
            let name = format!("{} of {}", schedule.name.text, self.function);
            let text = program.sources().text(schedule.span.file)[schedule.span.range()].to_owned();
            let scheduled = program.scheduled(self.function, Some(&schedule.name.text)).map_err(words)?;
            let lowered = scheduled.lower().map_err(words)?;
            // Beside a schedule with threads runs the same with one.
            let alone = (threads > 1 && text.contains("parallel ")).then_some((Author::Alone, 1));
            for (author, threads) in [(Author::Atl, threads)].into_iter().chain(alone) {
                let options = Options { threads: Some(threads), ..Options::default() };
                let kernel = lowered.compile(&c::BACKEND, options).map_err(words)?;
                let bound = match kernel.call(&arguments.arrays(), &arguments.sizes()).bind() {
                    // The schedule is for other sizes, and says so.
                    Err(why) if why.codes() == ["E0506"] => continue,
                    bound => bound.map_err(words)?,
                };
                let output = bound.memory().map_err(words)?;
                match &output {
                    Memory::Dense(array) => shape = array.shape().to_vec(),
                    Memory::Several(_) => return Err("a product has one result".to_owned()),
                    Memory::Arrays(arrays) => growing = arrays.iter().map(Growing::dtype).collect(),
                }
                let remarks = Remarks { schedule: Some(text.clone()), emitting: None };
                let code = Code::Ours(bound);
                contenders.push(contender(name.clone(), author, code, output, remarks));
            }
        }
        let output = match growing.is_empty() {
            true => Memory::Dense(Buffer::zeros(DType::F64, &shape).map_err(|why| why.to_string())?),
            false => Memory::Arrays(growing.iter().map(|dtype| Growing::new(*dtype)).collect()),
        };
        let arrays = inputs.iter().map(|b| (b.dtype(), b.shape().to_vec()));
        let result = growing.is_empty().then(|| (DType::F64, shape.clone()));
        let arrays = arrays.chain(result).collect();
        let sizes = arguments.sizes.iter().map(|(_, n)| *n).collect();
        let native = self.plain.load(&Call { sizes, arrays, growing, threads })?;
        let (name, code) = (self.plain.name.to_owned(), Code::Native(native, &inputs));
        contenders.insert(0, contender(name, Author::C, code, output, Remarks::default()));
        if let Some(asked) = self.scipy.filter(|_| threads == 1) {
            let names = signature.arrays[param.arrays.end..].iter().map(|p| p.name.clone());
            let dense: Vec<String> = names.filter(|_| self.others.is_empty()).collect();
            let dense = dense.iter().filter_map(|name| arguments.arrays.iter().find(|(n, _)| n == name));
            let factor = dense.map(|(_, array)| array).next();
            contenders.extend(peers::scipy(
                asked,
                (&tensor, others.first().and_then(Option::as_ref)),
                factor,
            )?);
        }
        agree(&mut contenders)?;

        let written = contenders
            .first()
            .map_or_else(|| Ok(Vec::new()), |c| c.output.arrays().map_err(|why| why.to_string()))?;
        let bytes = |buffer: &Buffer| buffer.dtype().size() * buffer.len();
        let work = Work {
            read: inputs.iter().map(bytes).sum(),
            written: written.iter().map(bytes).sum(),
            // Where entries are skipped, there is no telling how many products there are.
            flops: (self.flops > 0.0).then_some(self.flops * stored as f64),
            dtype: DType::F64,
        };
        let mut roofs = Roof::all(&work, threads)?;
        let rounds = Rounds { count: [LEAST.min(wanted.rounds), wanted.rounds], patience: PATIENCE };
        let roof_times = race(&mut contenders, &mut roofs, threads, rounds)?;
        let limits: Vec<_> = roofs.iter().map(Roof::limit).zip(roof_times).collect();
        let head = vec![
            ("case", json!(self.name)),
            ("tensor", json!(data.name)),
            ("stored", json!(stored)),
            ("threads", json!(threads)),
            ("target", json!(self.target)),
        ];
        let unit = ("ns an entry", 1e6 / stored.max(1) as f64);
        Ok(report(Race { head, unit, work: &work }, &contenders, &limits))
    }
}

/// The words of a title, for a file's name.
fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

fn contender<'a>(
    name: String,
    author: Author,
    code: Code<'a>,
    output: Memory,
    remarks: Remarks,
) -> Contender<'a> {
    Contender { name, author, code, output, times: Vec::new(), work: [0.0; 2], remarks }
}

/// All results are equal.
fn agree(contenders: &mut [Contender<'_>]) -> Result<(), String> {
    for contender in contenders.iter_mut() {
        contender.run()?;
    }
    let Some((first, others)) = contenders.split_first() else { return Ok(()) };
    let cells = |c: &'_ Contender<'_>| -> Result<Vec<f64>, String> {
        c.output
            .arrays()
            .map_err(|why| why.to_string())?
            .iter()
            .map(numbers)
            .collect::<Result<Vec<_>, _>>()
            .map(|arrays| arrays.concat())
    };
    let expected = cells(first)?;
    for other in others {
        let found = cells(other)?;
        let differ = expected.iter().zip(&found).position(|(a, b)| a != b);
        if let Some(at) = differ.or((expected.len() != found.len()).then_some(expected.len())) {
            let (a, b) = (expected.get(at), found.get(at));
            return Err(format!("cell {at} is {a:?} of `{}` and {b:?} of `{}`", first.name, other.name));
        }
    }
    Ok(())
}

/// The elements of an array.
fn numbers(array: &Buffer) -> Result<Vec<f64>, String> {
    let numbers = match array.dtype() {
        DType::I32 => array.as_slice::<i32>().map(|cells| cells.iter().map(|x| f64::from(*x)).collect()),
        DType::I64 => array.as_slice::<i64>().map(|cells| cells.iter().map(|x| *x as f64).collect()),
        _ => array.as_slice::<f64>().map(<[f64]>::to_vec),
    };
    numbers.map_err(|why| why.to_string())
}
