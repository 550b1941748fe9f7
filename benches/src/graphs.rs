//! Iterations on a graph, and its triangles, beside SuiteSparse:GraphBLAS with one thread; and the triangles
//! beside DuckDB.
//!
//! One idea: both have the graph in memory, each as suits it, and a run is all rounds from the first vertex
//! to what does not change any more. GraphBLAS runs what is the quickest of several ways to write the
//! algorithm. Results are compared first.

use crate::programs::example;
use crate::race::Wanted;
use crate::race::asked::Process;
use crate::race::rivals::Rivals;
use crate::sparse::matrices::{Random, r_mat_edges};
use crate::statistics::{milliseconds, timed};
use atl_data::save;
use atl_driver::backends::{Options, c};
use atl_driver::sparse::packed;
use atl_driver::{Arguments, Buffer, Compile, Next, Signature, StopCondition};
use atl_runtime::{Coordinates, Duplicates, Parts, Tensor, Wish, Zeros};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Who takes part, by which script, and in which task if not in all.
const RIVALS: [(&str, &str, Option<&str>); 2] =
    [("GraphBLAS", "graphs/with_graphblas.py", None), ("DuckDB", "graphs/with_duckdb.py", Some("triangles"))];

/// How many vertices.
const VERTICES: usize = 1 << 17;

/// After this long no further round begins.
const PATIENCE: Duration = Duration::from_secs(4);

/// The most rounds until an iteration is stable.
const MOST: u64 = 1000;

/// What to compute of the graph.
struct Task {
    name: &'static str,
    function: &'static str,
    schedule: &'static str,
    elements: Elements,
    /// The parameter that repeats, when that ends, and what is asked for.
    iterates: Option<(&'static str, StopCondition, Kept)>,
    /// The edges, and an element of the matrix for each.
    edges: fn(&Graph) -> (&Edges, Vec<f64>),
    /// Further arguments.
    vectors: fn(&Graph) -> Vec<Vector>,
}

/// What a matrix is of.
#[derive(Clone, Copy, PartialEq)]
enum Elements {
    Floats,
    Singles,
    Truths,
    Counts,
}

/// What an iteration has to compute.
#[derive(Clone, Copy, PartialEq)]
enum Kept {
    /// The last value.
    Value,
    /// Of each truth value the round in which it became true.
    Rounds,
}

type Edges = Vec<(usize, usize)>;

/// An argument's name, and its elements.
type Vector = (&'static str, Vec<f64>);

/// A graph in the forms that tasks take.
struct Graph {
    /// Each edge once.
    edges: Edges,
    /// Whole numbers from 1 to 99.
    lengths: Vec<f64>,
    /// Each both ways, and no loops.
    both: Edges,
    /// Each once, from the vertex with fewer neighbours to that with more.
    upward: Edges,
    degrees: Vec<f64>,
    /// The vertex with the most edges.
    start: usize,
}

const TASKS: &[Task] = &[
    Task {
        name: "levels, breadth first",
        function: "reach",
        schedule: "first_edge",
        elements: Elements::Truths,
        // How far away a vertex is, says the round that reached it.
        iterates: Some(("x", StopCondition::Stable(MOST), Kept::Rounds)),
        edges: |g| (&g.edges, vec![1.0; g.edges.len()]),
        vectors: |g| vec![("x", g.at_start().iter().map(|away| f64::from(*away == 0.0)).collect())],
    },
    Task {
        name: "shortest paths",
        function: "shortest",
        schedule: "edges",
        elements: Elements::Floats,
        iterates: Some(("d", StopCondition::Stable(MOST), Kept::Value)),
        edges: |g| (&g.edges, g.lengths.clone()),
        vectors: |g| vec![("d", g.at_start())],
    },
    Task {
        name: "components",
        function: "components",
        schedule: "edges",
        elements: Elements::Singles,
        iterates: Some(("l", StopCondition::Stable(MOST), Kept::Value)),
        edges: |g| (&g.both, vec![f64::NEG_INFINITY; g.both.len()]),
        vectors: |_| vec![("l", (0..VERTICES).map(|v| v as f64).collect())],
    },
    Task {
        name: "ranks, 20 rounds",
        function: "rank",
        schedule: "edges",
        elements: Elements::Floats,
        iterates: Some(("x", StopCondition::Times(20), Kept::Value)),
        edges: |g| (&g.edges, g.edges.iter().map(|(u, _)| 1.0 / g.degrees[*u]).collect()),
        vectors: |_| {
            let even = vec![1.0 / VERTICES as f64; VERTICES];
            vec![("x", even.clone()), ("jump", even)]
        },
    },
    Task {
        name: "triangles",
        function: "triangles",
        schedule: "spread_row",
        elements: Elements::Counts,
        iterates: None,
        edges: |g| (&g.upward, vec![1.0; g.upward.len()]),
        vectors: |_| Vec::new(),
    },
];

fn numbers(values: &[f64]) -> Result<Buffer, String> {
    Buffer::from_slice(values, &[values.len()]).map_err(|why| why.to_string())
}

impl Graph {
    fn new() -> Graph {
        let (is, js) = r_mat_edges(VERTICES);
        let edges: BTreeSet<(usize, usize)> = is.into_iter().zip(js).collect();
        let both: BTreeSet<(usize, usize)> =
            edges.iter().flat_map(|(i, j)| [(*i, *j), (*j, *i)]).filter(|(i, j)| i != j).collect();
        let count = |edges: &BTreeSet<(usize, usize)>| {
            let mut degrees = vec![0usize; VERTICES];
            edges.iter().for_each(|(i, _)| degrees[*i] += 1);
            degrees
        };
        let (degrees, neighbours) = (count(&edges), count(&both));
        let mut order: Vec<usize> = (0..VERTICES).collect();
        order.sort_by_key(|v| neighbours[*v]);
        let mut places = vec![0; VERTICES];
        order.iter().enumerate().for_each(|(place, v)| places[*v] = place);
        let upward = both.iter().map(|(i, j)| (places[*i], places[*j])).filter(|(i, j)| i < j);
        let upward: BTreeSet<(usize, usize)> = upward.collect();
        let mut random = Random(7);
        Graph {
            lengths: edges.iter().map(|_| (1 + random.below(99)) as f64).collect(),
            edges: edges.into_iter().collect(),
            both: both.into_iter().collect(),
            upward: upward.into_iter().collect(),
            start: (0..VERTICES).max_by_key(|v| degrees[*v]).unwrap_or(0),
            degrees: degrees.into_iter().map(|degree| degree as f64).collect(),
        }
    }

    fn at_start(&self) -> Vec<f64> {
        (0..VERTICES).map(|v| if v == self.start { 0.0 } else { f64::INFINITY }).collect()
    }
}

/// See the module.
pub(crate) fn run(wanted: &Wanted) -> Result<(), String> {
    let tasks: Vec<&Task> = TASKS.iter().filter(|task| task.name.contains(&wanted.only)).collect();
    if tasks.is_empty() {
        return Err(format!("no task contains `{}`", wanted.only));
    }
    let graph = Graph::new();
    let folder = std::env::temp_dir().join(format!("atl-graphs-{}", std::process::id()));
    let raced = races(&tasks, &graph, &folder, wanted);
    // Whether files stay does not matter.
    let _ = std::fs::remove_dir_all(&folder);
    raced
}

fn races(tasks: &[&Task], graph: &Graph, folder: &Path, wanted: &Wanted) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let keep = |name: &str, values: Vec<f64>| {
        save(folder.join(format!("{name}.npy")), &numbers(&values)?).map(drop).map_err(|why| why.to_string())
    };
    for (name, edges) in [("edges", &graph.edges), ("both", &graph.both), ("upward", &graph.upward)] {
        keep(&format!("{name}-from"), edges.iter().map(|(i, _)| *i as f64).collect())?;
        keep(&format!("{name}-to"), edges.iter().map(|(_, j)| *j as f64).collect())?;
    }
    keep("lengths", graph.lengths.clone())?;
    keep("start", vec![graph.start as f64, VERTICES as f64])?;
    for (called, script, does) in RIVALS {
        let Some((mut library, name)) = Process::start(called, script, &[folder.as_os_str()])? else {
            continue;
        };
        for task in tasks.iter().filter(|task| does.is_none_or(|only| task.name == only)) {
            println!("{}", task.name);
            let found = task.race(graph, &mut library, &name, folder, wanted);
            let found = found.map_err(|why| format!("{}: {why}", task.name))?;
            let words: Vec<&str> = task.name.split(|c: char| !c.is_alphanumeric()).collect();
            let file = words.join("-").replace("--", "-");
            let file = if does.is_some() { format!("{file}-{}", called.to_lowercase()) } else { file };
            (wanted.keep)(&format!("graphs/{file}"), found)?;
        }
    }
    Ok(())
}

impl Task {
    /// Elements of the function's type.
    fn buffer(&self, values: &[f64]) -> Result<Buffer, String> {
        let shape = [values.len()];
        let made = match self.elements {
            Elements::Floats => Buffer::from_slice(values, &shape),
            Elements::Singles => {
                Buffer::from_slice(&values.iter().map(|value| *value as f32).collect::<Vec<_>>(), &shape)
            }
            Elements::Truths => {
                Buffer::from_slice(&values.iter().map(|value| *value != 0.0).collect::<Vec<_>>(), &shape)
            }
            Elements::Counts => {
                Buffer::from_slice(&values.iter().map(|value| *value as i64).collect::<Vec<_>>(), &shape)
            }
        };
        made.map_err(|why| why.to_string())
    }

    fn race(
        &self,
        graph: &Graph,
        library: &mut Process,
        name: &str,
        folder: &Path,
        wanted: &Wanted,
    ) -> Result<Value, String> {
        let words = |why: atl_driver::Failure| why.to_string();
        let program = atl_driver::load(example("graphs.atl")).map_err(words)?;
        let function = program.function(Some(self.function), None).map_err(words)?;
        let signature = Signature::of(function);
        let (edges, values) = (self.edges)(graph);
        let (froms, tos) = edges.iter().copied().unzip();
        let values = self.buffer(&values)?;
        let parts = Parts { shape: vec![VERTICES; 2], columns: vec![froms, tos], values };
        let (tensor, arranging) = timed(|| {
            let wish = Wish { duplicates: Duplicates::Add, zeros: Zeros::Keep };
            Coordinates::try_new(parts).and_then(|entries| entries.arranged(wish))
        });
        let tensor = Tensor::Sparse(tensor.map_err(|why| why.to_string())?);
        let param = signature.operands.first().ok_or("no parameter has a format")?;
        let (packed, packing) = timed(|| packed(&signature, param, &tensor));
        let packed = packed.map_err(|why| why.message)?;
        let mut arguments = Arguments { arrays: packed.arrays, sizes: packed.sizes, ..Arguments::default() };
        for (name, values) in (self.vectors)(graph) {
            arguments.arrays.push((name.to_owned(), self.buffer(&values)?));
        }
        arguments.complete(&program, function, 1).map_err(words)?;
        let scheduled = program.scheduled(self.function, Some(self.schedule)).map_err(words)?;
        let lowered = scheduled.lower().map_err(words)?;
        let (kernel, compiling) =
            timed(|| lowered.compile(&c::BACKEND, Options { threads: Some(1), ..Options::default() }));
        let kernel = kernel.map_err(words)?;
        let (bound, checking) = timed(|| kernel.call(&arguments.arrays(), &arguments.sizes()).bind());
        let bound = bound.map_err(words)?;
        let once = &|| match self.iterates {
            Some((name, until, Kept::Rounds)) => {
                let reached = bound.iterate_since(name, until, &mut |_| Ok(Next::Call));
                reached.map(|(reached, since)| (reached.value, Some(since)))
            }
            Some((name, until, Kept::Value)) => {
                let reached = bound.iterate(name, until);
                reached.map(|reached| (reached.value, None))
            }
            None => bound.dense().map(|output| (output, None)),
        };
        let (value, since) = once().map_err(words)?;
        let result = match since {
            None => value,
            Some(since) => {
                let wrong = |why: atl_runtime::BufferError| why.to_string();
                let reached = value.as_slice::<bool>().map_err(wrong)?.iter();
                let since = since.as_slice::<i64>().map_err(wrong)?;
                let away =
                    |(reached, since): (&bool, &i64)| if *reached { *since as f64 } else { f64::INFINITY };
                numbers(&reached.zip(since).map(away).collect::<Vec<_>>())?
            }
        };
        save(folder.join("result.npy"), &result).map_err(|why| why.to_string())?;
        let key = self.name.split([',', ' ']).next().unwrap_or_default();
        let preparing = library.run(&format!("prepare {key}"))?;
        let found = library.ask(&format!("compare {key}"))?;
        let Some(how) = found.strip_prefix("same: ") else { return Err(found) };
        let mut ours = || {
            let (result, time) = timed(once);
            result.map(|_| time).map_err(words)
        };
        let mut theirs = || library.run(&format!("run {key}"));
        let before =
            [("sorting", arranging), ("packing", packing), ("compiling", compiling), ("checking", checking)];
        Rivals {
            head: vec![
                ("case", json!(self.name)),
                ("data", json!("R-MAT, 2^17 vertices")),
                ("size", json!(edges.len())),
                ("threads", json!(1)),
                ("schedule", json!(format!("{} of {}", self.schedule, self.function))),
                ("their_way", json!(how)),
            ],
            ours: (&mut ours, before.map(|(what, time)| (what.to_owned(), milliseconds(time))).to_vec()),
            theirs: (name.to_owned(), &mut theirs, vec![("preparing".to_owned(), milliseconds(preparing))]),
            rounds: wanted.rounds,
            patience: PATIENCE,
        }
        .race()
    }
}
