//! The guard's verdicts on random kernels, most of them pathological, are those of running all their loops at small sizes.
//!
//! A kernel is run by nothing but its definition: each index goes through its range, and every access is looked at. What is called
//! safe has none outside at any sizes, and goes through all of what it reads, but for windows; what is refused has one at the sizes
//! that are named. Cells that are said not to be written are not, and others are. Advice is followed to the letter: with it
//! the kernel is accepted, and it holds at just the sizes where nothing goes wrong; where there is none, all sizes go wrong.

use atl_driver::bounds_check::check as guard;
use atl_testkit::choices::Choices;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// How many kernels.
const KERNELS: u64 = 4_000;

/// The largest size at which a kernel is run.
const LARGEST: i64 = 6;

/// A size: a number or a name.
type Size = &'static str;

/// Indices with what they are multiplied by, and a number.
type Affine = (Vec<(i64, &'static str)>, i64);

struct Access {
    tensor: &'static str,
    indices: Vec<Affine>,
}

struct Statement {
    /// The target first.
    accesses: Vec<Access>,
    /// Between the reads: `*` or `+`.
    joined: Vec<&'static str>,
    stated: Vec<Stated>,
}

/// `i in 1:n-1`: the index, its first value, and what it is below.
type Stated = (&'static str, i64, Size, i64);

/// A condition of two sizes, in words and as a function.
type Condition = (&'static str, fn(i64, i64) -> bool);

struct Kernel {
    shapes: BTreeMap<&'static str, Vec<Size>>,
    statements: Vec<Statement>,
    /// A condition, and what it says.
    assumed: Option<Condition>,
}

const SIZES: [Size; 6] = ["n", "m", "n", "m", "2", "3"];
const CONDITIONS: [Condition; 6] = [
    ("n <= m", |n, m| n <= m),
    ("n == m", |n, m| n == m),
    ("n + 1 <= m", |n, m| n < m),
    ("2*n - 1 < m + 1", |n, m| 2 * n - 1 < m + 1),
    ("n >= 2, m > 1", |n, m| n >= 2 && m > 1),
    ("3 < m == n", |n, m| m > 3 && m == n),
];

fn index(choices: &mut Choices) -> Affine {
    let name = *choices.of(&["i", "j", "k"]);
    match choices.below(16) {
        0 => (vec![(1, name)], 1),
        1 => (vec![(2, name)], 0),
        2 => (vec![(1, "i"), (1, "j")], 0),
        3 => (vec![(1, name)], -1),
        4 => (vec![(-1, name)], 2),
        5 => (vec![], choices.below(3) as i64),
        _ => (vec![(1, name)], 0),
    }
}

impl Kernel {
    fn random(choices: &mut Choices) -> Kernel {
        let mut shapes = BTreeMap::new();
        for tensor in ["A", "B", "C"] {
            shapes.insert(tensor, (0..=choices.below(2)).map(|_| *choices.of(&SIZES)).collect::<Vec<_>>());
        }
        let statements = (0..=choices.below(2))
            .map(|_| {
                let mut tensors = vec!["C"];
                tensors.extend((0..=choices.below(2)).map(|_| *choices.of(&["A", "B"])));
                let accesses: Vec<Access> = tensors
                    .into_iter()
                    .map(|tensor| Access {
                        tensor,
                        indices: shapes[tensor].iter().map(|_| index(choices)).collect(),
                    })
                    .collect();
                let joined = accesses.iter().map(|_| *choices.of(&["*", "+"])).collect();
                let used = |name: &str| {
                    accesses.iter().any(|a| a.indices.iter().any(|i| i.0.iter().any(|t| t.1 == name)))
                };
                let mut stated = Vec::new();
                for name in ["i", "j"] {
                    if used(name) && choices.one_in(5) {
                        let less = if choices.one_in(4) { choices.below(2) as i64 + 1 } else { 0 };
                        let from = if choices.one_in(4) { choices.below(3) as i64 } else { 0 };
                        stated.push((name, from, *choices.of(&["n", "m"]), less));
                    }
                }
                Statement { accesses, joined, stated }
            })
            .collect();
        let mut kernel = Kernel { shapes, statements, assumed: None };
        let sizes: Vec<Size> = kernel.shapes.values().flatten().copied().collect();
        if sizes.contains(&"n") && sizes.contains(&"m") && choices.one_in(3) {
            kernel.assumed = Some(*choices.of(&CONDITIONS));
        }
        kernel
    }

    fn text(&self) -> String {
        let affine = |(terms, constant): &Affine| {
            let mut text = String::new();
            for (by, name) in terms {
                let _ = match by {
                    1 => write!(text, "{}{name}", if text.is_empty() { "" } else { " + " }),
                    -1 => write!(text, "{constant} - {name}"),
                    by => write!(text, "{by} * {name}"),
                };
            }
            match constant {
                _ if terms.iter().any(|(by, _)| *by < 0) => text,
                0 if !terms.is_empty() => text,
                c if terms.is_empty() => c.to_string(),
                c if *c < 0 => format!("{text} - {}", -c),
                c => format!("{text} + {c}"),
            }
        };
        let access = |a: &Access| {
            format!("{}({})", a.tensor, a.indices.iter().map(affine).collect::<Vec<_>>().join(","))
        };
        let statement = |s: &Statement| {
            let mut text = format!("{} = ", access(&s.accesses[0]));
            for (k, read) in s.accesses[1..].iter().enumerate() {
                text += &if k > 0 { format!(" {} {}", s.joined[k], access(read)) } else { access(read) };
            }
            let range = |(i, from, size, less): &Stated| match less {
                0 => format!("{i} in {from}:{size}"),
                less => format!("{i} in {from}:{size} - {less}"),
            };
            let stated: Vec<String> = s.stated.iter().map(range).collect();
            if stated.is_empty() { text } else { format!("{text} where {}", stated.join(", ")) }
        };
        self.statements.iter().map(statement).collect::<Vec<_>>().join("; ")
    }

    fn declarations(&self) -> Vec<String> {
        self.shapes.iter().map(|(name, shape)| format!("{name}={}", shape.join(","))).collect()
    }

    /// The ranges of a statement: what is stated, or the first dimension in which an index stands alone. `None` if one has none.
    fn ranges(&self, statement: &Statement) -> Option<Vec<Stated>> {
        let mut ranges = statement.stated.clone();
        for access in &statement.accesses {
            for (index, size) in access.indices.iter().zip(&self.shapes[access.tensor]) {
                if let (terms, 0) = index
                    && let [(1, name)] = terms.as_slice()
                    && !ranges.iter().any(|(known, ..)| known == name)
                {
                    ranges.push((name, 0, size, 0));
                }
            }
        }
        let mut names = statement.accesses.iter().flat_map(|a| &a.indices).flat_map(|i| &i.0);
        names.all(|(_, name)| ranges.iter().any(|(known, ..)| known == name)).then_some(ranges)
    }

    fn admits(&self, n: i64, m: i64) -> bool {
        self.assumed.is_none_or(|(_, holds)| holds(n, m))
    }

    /// What happens at these sizes.
    fn run(&self, n: i64, m: i64) -> Run {
        let mut run = Run { outside: false, part: false, written: BTreeSet::new(), cells: 1 };
        let value = |size: &str| match size {
            "n" => n,
            "m" => m,
            number => number.parse().expect("it is a number"),
        };
        run.cells = self.shapes["C"].iter().map(|size| value(size)).product();
        for statement in &self.statements {
            let ranges = self.ranges(statement).expect("each index has a range");
            for (number, access) in statement.accesses.iter().enumerate() {
                let extents: Vec<i64> = self.shapes[access.tensor].iter().map(|size| value(size)).collect();
                // An access is one for each value of its own indices: a sum over no values is written, too.
                let moves = |name: &str| access.indices.iter().any(|i| i.0.iter().any(|t| t.1 == name));
                let moving: Vec<&Stated> = ranges.iter().filter(|range| moves(range.0)).collect();
                let mut points: Vec<Vec<i64>> = vec![vec![]];
                for (_, from, size, less) in &moving {
                    let longer =
                        |p: Vec<i64>| (*from..value(size) - less).map(move |k| [p.as_slice(), &[k]].concat());
                    points = points.into_iter().flat_map(longer).collect();
                }
                let mut seen = vec![BTreeSet::new(); extents.len()];
                for point in &points {
                    let at = |name: &str| point[moving.iter().position(|r| r.0 == name).expect("it moves")];
                    let place = |(terms, constant): &Affine| {
                        terms.iter().map(|(by, name)| by * at(name)).sum::<i64>() + constant
                    };
                    let cell: Vec<i64> = access.indices.iter().map(place).collect();
                    run.outside |=
                        cell.iter().zip(&extents).any(|(place, extent)| !(0..*extent).contains(place));
                    for (seen, place) in seen.iter_mut().zip(&cell) {
                        seen.insert(*place);
                    }
                    if number == 0 {
                        run.written.insert(cell);
                    }
                }
                for (k, (seen, extent)) in seen.iter().zip(&extents).enumerate() {
                    let alone = |index: &Affine| index.1 == 0 && matches!(index.0.as_slice(), [(1, _)]);
                    // One such index, or one that is stated to be within a dimension, makes a window of it.
                    let window = statement.accesses.iter().filter(|a| a.tensor == access.tensor).any(|a| {
                        let within = |name| ranges.iter().any(|r| r.0 == name && (r.1 > 0 || r.3 > 0));
                        let index = &a.indices[k];
                        !index.0.is_empty() && (!alone(index) || within(index.0[0].1))
                    });
                    let some = !points.is_empty();
                    run.part |= some && alone(&access.indices[k]) && !window && (seen.len() as i64) < *extent;
                }
            }
        }
        run
    }
}

struct Run {
    outside: bool,
    part: bool,
    written: BTreeSet<Vec<i64>>,
    cells: i64,
}

/// The sizes that a refusal names; 1 where it names none.
fn named(message: &str) -> (i64, i64) {
    let first = message.lines().next().unwrap_or_default();
    let list = first.rsplit_once(" for ").map_or("", |(_, list)| list);
    let size = |name: &str| {
        let mut each = list.split(", ").filter_map(|part| part.split_once(" = "));
        each.find(|(known, _)| *known == name).and_then(|(_, n)| n.trim().parse().ok()).unwrap_or(1)
    };
    (size("n"), size("m"))
}

/// What is said behind these words.
fn said<'w>(why: &'w str, words: &str) -> Option<&'w str> {
    why.lines().find_map(|line| line.split_once(words).map(|(_, rest)| rest))
}

/// Whether sizes satisfy conditions such as `2 * m - 1 <= n and n == m`; no other sizes than these stand in them.
fn holds(conditions: &str, n: i64, m: i64) -> bool {
    let side = |side: &str| -> i64 {
        let signed = side.trim().replace(" - ", " + -1 * ");
        let product = |term: &str| -> i64 {
            let factor = |factor: &str| match factor.trim() {
                "n" => n,
                "m" => m,
                number => number.parse().expect("it is a number"),
            };
            term.split('*').map(factor).product()
        };
        signed.split(" + ").map(product).sum()
    };
    conditions.split(" and ").all(|condition| match condition.split_once("<=") {
        Some((left, right)) => side(left) <= side(right),
        None => {
            let (left, right) = condition.split_once("==").expect("it is a condition");
            side(left) == side(right)
        }
    })
}

#[test]
fn verdicts_are_those_of_running_the_loops() {
    let (mut safe, mut outside, mut part, mut gaps) = (0, 0, 0, 0);
    let (mut followed, mut hopeless) = (0, 0);
    for seed in super::seeds(KERNELS) {
        let kernel = Kernel::random(&mut Choices::new(seed));
        if kernel.statements.iter().any(|statement| kernel.ranges(statement).is_none()) {
            continue;
        }
        let assumed: Vec<String> = kernel.assumed.iter().map(|(text, _)| (*text).to_owned()).collect();
        let (text, declarations) = (kernel.text(), kernel.declarations());
        let shown = format!("seed {seed}: {text}, {declarations:?}, {assumed:?}");
        let sizes = || {
            (1..=LARGEST)
                .flat_map(|n| (1..=LARGEST).map(move |m| (n, m)))
                .filter(|(n, m)| kernel.admits(*n, *m))
        };
        let runs: Vec<Run> = sizes().map(|(n, m)| kernel.run(n, m)).collect();
        assert!(!runs.is_empty(), "{shown}");
        match guard("kernel", &text, &declarations, &assumed) {
            Ok(found) => {
                assert!(runs.iter().all(|run| !run.outside && !run.part), "{shown}\n{}", found.to_text());
                let gap = runs.iter().any(|run| (run.written.len() as i64) < run.cells);
                let said = found.unwritten.iter().any(|note| note.starts_with("not all of `C` is written"));
                assert_eq!(gap, said, "{shown}\n{}", found.to_text());
                safe += 1;
                gaps += i32::from(gap);
            }
            Err(why) => {
                let why = why.to_string();
                let (n, m) = named(&why);
                assert!(kernel.admits(n, m), "{shown}\n{why}");
                let run = kernel.run(n, m);
                let within = kernel
                    .statements
                    .iter()
                    .flat_map(|s| &s.stated)
                    .any(|(_, from, _, less)| *from > 0 || *less > 0);
                let wrong = |run: &Run| run.outside || run.part;
                if let Some(advice) = said(&why, "safe if ") {
                    let with = [assumed.as_slice(), &[advice.to_owned()]].concat();
                    if let Err(still) = guard("kernel", &text, &declarations, &with) {
                        panic!("{shown}\n{why}\n{still}");
                    }
                    for ((n, m), run) in sizes().zip(sizes().map(|(n, m)| kernel.run(n, m))) {
                        let holds = holds(advice, n, m);
                        assert!(!holds || !wrong(&run), "{shown}\nn = {n}, m = {m}\n{why}");
                        assert!(holds || wrong(&run) || within, "{shown}\nn = {n}, m = {m}\n{why}");
                    }
                    followed += 1;
                } else {
                    assert!(
                        said(&why, "safe for no sizes: ").is_some()
                            || said(&why, "safe only where nothing is accessed: ").is_some(),
                        "{shown}\n{why}"
                    );
                    assert!(runs.iter().all(|run| wrong(run) || within), "{shown}\n{why}");
                    hopeless += 1;
                }
                if why.contains("E0298") {
                    assert!(run.outside, "{shown}\n{why}");
                    outside += 1;
                } else {
                    assert!(why.contains("E0299") && run.part, "{shown}\n{why}");
                    assert!(runs.iter().all(|run| !run.outside), "{shown}\n{why}");
                    part += 1;
                }
            }
        }
    }
    assert!(
        safe > 100 && outside > 1_000 && part > 10 && gaps > 10,
        "{safe} safe, {outside}, {part}, {gaps}"
    );
    assert!(followed > 500 && hopeless > 100, "{followed} followed, {hopeless} hopeless");
}
