//! Generated code against plain C: the blur and the matrix product, with one thread and with two.
//!
//! One idea: everything runs in one process on the same arrays, in turn and repeatedly, and is compared by paired rounds;
//! the results are compared before anything is timed. Plain C gets the same compiler and the same flags. The arrays hold
//! eighths, so every sum is exact in single precision, and results must be equal to the bit whatever the order of
//! summation.

use crate::contender::{Author, Code, Contender, race};
use crate::json::Json;
use crate::native::Plain;
use crate::programs::{example, targets_of};
use crate::roofline::Roofline;
use crate::statistics::{fastest_ms, median, median_ms, speedup};
use atl_driver::backends::{Options, c};
use atl_driver::{Arguments, Buffer, DType, Program, Rounding};

/// A program to race.
struct Case {
    /// The example's file; the function has its name.
    function: &'static str,
    /// The sizes, in the order in which plain C takes them.
    sizes: &'static [(&'static str, i64)],
    /// The C to beat, and who writes like this.
    rivals: &'static [(Author, Plain)],
    /// What bounds it.
    roofline: Roofline,
    /// How many rounds count.
    rounds: usize,
}

const fn blur(name: &'static str, source: &'static str) -> Plain {
    Plain { name, source, sizes: 2, shapes: |s| vec![vec![s[0], s[1]]; 2], rounding: Rounding::Bitwise }
}

const fn matmul(name: &'static str, source: &'static str, rounding: Rounding) -> Plain {
    let shapes = |s: &[i64]| vec![vec![s[0], s[1]], vec![s[1], s[2]], vec![s[0], s[2]]];
    Plain { name, source, sizes: 3, shapes, rounding }
}

const CASES: &[Case] = &[
    Case {
        function: "blur",
        sizes: &[("N", 2000), ("M", 2000)],
        rivals: &[
            (Author::Plain, blur("two stages", include_str!("../plain/blur_two_stage.c"))),
            (Author::Plain, blur("fused", include_str!("../plain/blur_fused.c"))),
            (Author::Hand, blur("fused, edges apart", include_str!("../plain/blur_edges_apart.c"))),
        ],
        roofline: Roofline::Copy(2.0 * 4.0 * 2000.0 * 2000.0),
        rounds: 41,
    },
    Case {
        function: "matmul",
        sizes: &[("M", 1024), ("K", 1024), ("N", 1024)],
        rivals: &[
            (Author::Plain, matmul("ijk", include_str!("../plain/matmul_ijk.c"), Rounding::Bitwise)),
            (Author::Plain, matmul("ikj", include_str!("../plain/matmul_ikj.c"), Rounding::Bitwise)),
            (Author::Plain, matmul("ikj contracted", include_str!("../plain/matmul_ikj.c"), Rounding::Real)),
        ],
        roofline: Roofline::Fma(2.0 * 1024.0 * 1024.0 * 1024.0),
        rounds: 11,
    },
];

/// See the module.
pub(crate) fn run() -> Result<Json, String> {
    let mut races = Vec::new();
    for case in CASES {
        for threads in [1, 2] {
            races.push(case.race(threads).map_err(|why| format!("{}: {why}", case.function))?);
        }
    }
    Ok(Json::object([("unit", Json::text("ms")), ("speed", Json::List(races))]))
}

impl Case {
    fn race(&self, threads: usize) -> Result<Json, String> {
        let words = |why: atl_driver::Failure| why.to_string();
        let path = example(&format!("{}.atl", self.function));
        let program = Program::load(&path).map_err(words)?;
        let function = program.function(Some(self.function), None).map_err(words)?;
        let given = self.sizes.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        let mut arguments = Arguments { sizes: given, ..Arguments::default() };
        arguments.complete(&program, function, 1).map_err(words)?;
        let inputs: Vec<&Buffer> = arguments.arrays.iter().map(|(_, buffer)| buffer).collect();
        let mut contenders = Vec::new();
        for target in targets_of(&path)?.into_iter().filter(|t| t.function == self.function) {
            let scheduled = program.scheduled(&target.function, target.schedule.as_deref()).map_err(words)?;
            let lowered = scheduled.lower().map_err(words)?;
            let options = Options { threads: Some(threads) };
            let kernel = lowered.compile(&c::BACKEND, options).map_err(words)?;
            let bound = kernel.bind(&arguments.arrays(), &arguments.sizes()).map_err(words)?;
            let output = kernel.allocate(&bound).map_err(words)?;
            let name = target.schedule.unwrap_or_else(|| "as written".to_owned());
            contenders.push(Contender {
                name,
                author: Author::Atl,
                code: Code::Ours(Box::new(kernel), bound),
                output,
                times: Vec::new(),
            });
        }
        let sizes: Vec<i64> = self.sizes.iter().map(|(_, n)| *n).collect();
        for (author, plain) in self.rivals {
            let shape = contenders.first().map_or(Vec::new(), |c| c.output.shape().to_vec());
            contenders.push(Contender {
                name: plain.name.to_owned(),
                author: *author,
                code: Code::Native(plain.load(&sizes, threads)?, inputs.clone()),
                output: Buffer::zeros(DType::F32, &shape).map_err(|why| why.to_string())?,
                times: Vec::new(),
            });
        }
        agree(&mut contenders)?;
        let bound = self.roofline.input()?;
        contenders.push(self.roofline.contender(&bound, threads)?);
        race(&mut contenders, self.rounds)?;
        Ok(self.report(threads, &contenders))
    }

    fn report(&self, threads: usize, contenders: &[Contender<'_>]) -> Json {
        let sizes: Vec<String> = self.sizes.iter().map(|(name, n)| format!("{name} = {n}")).collect();
        let heading = format!("{} {}, {}", self.function, sizes.join(", "), plural(threads, "thread"));
        println!("{heading}; medians of {} rounds", self.rounds);
        let (unit, scale) = self.roofline.unit();
        let roof = contenders.iter().find(|c| c.author == Author::Roofline);
        let mut rows = Vec::new();
        for contender in contenders {
            let own = contender.author == Author::Roofline;
            let work = if own { self.roofline.own_work() } else { self.roofline.work() };
            let time = median_ms(&contender.times);
            // By paired rounds, as every ratio here.
            let share = roof.map_or(f64::NAN, |roof| {
                100.0 * speedup(&contender.times, &roof.times) * work / self.roofline.own_work()
            });
            let rate = work / scale / (time / 1e3);
            println!(
                "  {:<9}{:<20}{time:>10.3} ms{rate:>9.2} {unit}{share:>7.1} % of roofline",
                contender.author.name(),
                contender.name
            );
            rows.push(Json::object([
                ("name", Json::text(&contender.name)),
                ("author", Json::text(contender.author.name())),
                ("median", Json::Number(time)),
                ("fastest", Json::Number(fastest_ms(&contender.times))),
                (unit, Json::Number(rate)),
                ("percent_of_roofline", Json::Number(share)),
            ]));
        }
        let mut fields = vec![
            ("function", Json::text(self.function)),
            ("sizes", Json::text(sizes.join(", "))),
            ("threads", Json::Count(threads)),
            ("rounds", Json::Count(self.rounds)),
            ("times", Json::List(rows)),
        ];
        for author in [Author::Plain, Author::Hand] {
            if let (Some(ours), Some(theirs)) = (best(contenders, Author::Atl), best(contenders, author)) {
                let ratio = speedup(&ours.times, &theirs.times);
                let undisturbed = fastest_ms(&theirs.times) / fastest_ms(&ours.times);
                println!(
                    "  `{}` is {ratio:.2} times as fast as {} `{}`; by the fastest runs, {undisturbed:.2}",
                    ours.name,
                    author.name(),
                    theirs.name
                );
                fields.push((
                    if author == Author::Plain { "against_plain" } else { "against_tuned" },
                    Json::object([
                        ("schedule", Json::text(&ours.name)),
                        ("rival", Json::text(&theirs.name)),
                        ("times_as_fast", Json::Number(ratio)),
                        ("by_fastest_runs", Json::Number(undisturbed)),
                    ]),
                ));
            }
        }
        Json::object(fields)
    }
}

/// All results are equal.
fn agree(contenders: &mut [Contender<'_>]) -> Result<(), String> {
    for contender in contenders.iter_mut() {
        contender.run()?;
    }
    let cells =
        |c: &Contender<'_>| c.output.as_slice::<f32>().map(<[f32]>::to_vec).map_err(|why| why.to_string());
    let Some((first, others)) = contenders.split_first() else { return Ok(()) };
    let expected = cells(first)?;
    for other in others {
        if cells(other)? != expected {
            return Err(format!("`{}` and `{}` give different results", first.name, other.name));
        }
    }
    Ok(())
}

/// The one of an author with the shortest median.
fn best<'c, 'a>(contenders: &'c [Contender<'a>], author: Author) -> Option<&'c Contender<'a>> {
    let time = |c: &Contender<'_>| median(c.times.iter().map(std::time::Duration::as_secs_f64));
    contenders.iter().filter(|c| c.author == author).min_by(|a, b| time(a).total_cmp(&time(b)))
}

fn plural(n: usize, what: &str) -> String {
    if n == 1 { format!("{n} {what}") } else { format!("{n} {what}s") }
}
