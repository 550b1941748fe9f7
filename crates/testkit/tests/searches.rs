//! Where sparse operands meet: the loops compute what streams do, and look at no more keys than these let expect.
//!
//! The programs are random products, and sums of them, of two or three sparse operands in compressed formats, over three semirings.
//! Each is lowered under every choice of driver and of what becomes of an operand that meets another, run by the interpreter of
//! loops, which stops at any search that is not one, and compared with the stream of the same expression.

use atl_driver::backends::loops;
use atl_driver::{Lowered, Program};
use atl_interp::Value;
use atl_kernel::Scalar;
use atl_loops::Stmt;
use atl_semirings::carriers::{Machine, Number};
use atl_semirings::{Arithmetic, by_name};
use atl_streams::combinators::Lead;
use atl_streams::nested::Nested;
use atl_streams::sources::{Compressed, Search};
use atl_streams::{Counter, Entries, Indexed, levels};
use atl_testkit::array::Array;
use atl_testkit::choices::Choices;
use atl_testkit::oracle::{Arguments, run};
use atl_testkit::sparse::{keys_looked_at, packed_arguments};
use std::rc::Rc;

/// The indices, in the order of the loops, and the sizes that they are below.
const INDICES: [(&str, &str); 3] = [("i", "N"), ("j", "M"), ("k", "K")];

/// A sparse operand.
#[derive(Clone, Debug)]
struct Operand {
    name: &'static str,
    /// The indices by which it is read.
    indices: Vec<usize>,
    format: &'static str,
}

/// A function: the sum over all indices that the result lacks of products of operands.
#[derive(Debug)]
struct Source {
    operands: Vec<Operand>,
    /// The terms, each a product of operands.
    terms: Vec<Vec<usize>>,
    result: Vec<usize>,
}

impl Source {
    fn random(choices: &mut Choices) -> Source {
        let names = ["A", "B", "C"];
        let count = 2 + choices.below(2);
        let operands: Vec<Operand> = (names[..count].iter())
            .map(|name| {
                let mut indices: Vec<usize> = match choices.below(8) {
                    0..=2 => vec![choices.below(3)],
                    3..=6 => [vec![0, 1], vec![1, 2], vec![0, 2]][choices.below(3)].clone(),
                    _ => vec![0, 1, 2],
                };
                if indices.len() == 2 && choices.one_in(8) {
                    indices = vec![indices[1]; 2];
                } else if choices.one_in(6) {
                    indices.reverse();
                }
                let format = match indices.len() {
                    1 => ["coo", "csf"][choices.below(2)],
                    2 => ["csr", "csr", "dcsr", "csf", "csc"][choices.below(5)],
                    _ => ["csf", "[dense, compressed, compressed]"][choices.below(2)],
                };
                Operand { name, indices, format }
            })
            .collect();
        let terms = match choices.below(6) {
            0 => vec![vec![0], (1..count).collect()],
            1 if count == 3 => vec![vec![0, 1], vec![0, 2]],
            _ => vec![(0..count).collect()],
        };
        let used = (0..3).filter(|index| operands.iter().any(|o| o.indices.contains(index)));
        let result = used.filter(|_| choices.one_in(2)).collect();
        Source { operands, terms, result }
    }

    /// The indices of the body.
    fn indices(&self) -> Vec<usize> {
        (0..3).filter(|index| self.operands.iter().any(|o| o.indices.contains(index))).collect()
    }

    fn text(&self, elem: &str) -> String {
        let named = |indices: &[usize], part: fn(&(&'static str, &'static str)) -> &'static str| {
            indices.iter().map(|index| part(&INDICES[*index])).collect::<Vec<_>>().join(", ")
        };
        let param = |o: &Operand| {
            format!("{}: {elem}[{}] as {}", o.name, named(&o.indices, |index| index.1), o.format)
        };
        let read = |at: &usize| {
            let operand = &self.operands[*at];
            format!("{}[{}]", operand.name, named(&operand.indices, |index| index.0))
        };
        let term = |term: &Vec<usize>| term.iter().map(read).collect::<Vec<_>>().join(" * ");
        let body = self.terms.iter().map(term).collect::<Vec<_>>().join(" + ");
        let bound = |word: &str, indices: &[usize], body: String| match indices.is_empty() {
            true => body,
            false => {
                let bounds: Vec<String> =
                    indices.iter().map(|i| format!("{} < {}", INDICES[*i].0, INDICES[*i].1)).collect();
                format!("{word} {} {{ {body} }}", bounds.join(", "))
            }
        };
        let summed: Vec<usize> = self.indices().into_iter().filter(|i| !self.result.contains(i)).collect();
        let body = bound("gen", &self.result, bound("sum", &summed, body));
        let params: Vec<String> = self.operands.iter().map(param).collect();
        let result = named(&self.result, |index| index.1);
        format!("fn f({}) -> {elem}[{result}] {{ {body} }}", params.join(", "))
    }
}

/// The semirings, with their element types.
trait Element: Number {
    fn value(self) -> Value;
}

impl Element for f64 {
    fn value(self) -> Value {
        Value::F64(self)
    }
}

impl Element for bool {
    fn value(self) -> Value {
        Value::Bool(self)
    }
}

/// Operands, by their own dimensions.
struct Tensors<T> {
    arithmetic: Rc<Machine<T>>,
    extents: [usize; 3],
    entries: Vec<Entries<T>>,
}

impl<T: Element> Tensors<T> {
    fn random(source: &Source, semiring: &str, elements: &[T], choices: &mut Choices) -> Tensors<T> {
        let arithmetic = Machine::try_new(by_name(semiring).expect("listed")).expect("admitted");
        let extents = [0; 3].map(|_| *choices.of(&[0, 1, 3, 4, 6]));
        let mut tensor = |operand: &Operand| {
            let present = choices.below(7);
            let mut entries = Entries::new();
            each_place(&operand.indices.iter().map(|i| extents[*i]).collect::<Vec<_>>(), |place| {
                if choices.below(6) < present {
                    entries.insert(place.to_vec(), *choices.of(elements));
                }
            });
            entries
        };
        let entries = source.operands.iter().map(&mut tensor).collect();
        Tensors { arithmetic: Rc::new(arithmetic), extents, entries }
    }

    /// The elements as an array.
    fn array(&self, shape: Vec<usize>, entries: &Entries<T>) -> Array {
        let mut data = Vec::new();
        each_place(&shape, |place| {
            data.push(entries.get(place).copied().unwrap_or(self.arithmetic.zero()).value());
        });
        Array { scalar: T::SCALAR, shape, data }
    }

    fn shape(&self, indices: &[usize]) -> Vec<usize> {
        indices.iter().map(|index| self.extents[*index]).collect()
    }

    fn arguments(&self, source: &Source) -> Arguments {
        let operands = source.operands.iter().zip(&self.entries);
        let array =
            |(o, entries): (&Operand, _)| (o.name.to_owned(), self.array(self.shape(&o.indices), entries));
        Arguments { sizes: vec![], arrays: operands.map(array).collect() }
    }

    /// The stream of an operand by the indices it is read by, in order: sorted anew where they are not its own dimensions'.
    fn stream(
        &self,
        operand: &Operand,
        entries: &Entries<T>,
        search: Search,
        probes: &Counter,
    ) -> Indexed<Machine<T>> {
        let indices: Vec<usize> = (0..3).filter(|index| operand.indices.contains(index)).collect();
        let at = |place: &[usize], index| operand.indices.iter().position(|i| *i == index).map(|d| place[d]);
        let read = |place: &[usize]| {
            let key: Vec<usize> = indices.iter().filter_map(|index| at(place, *index)).collect();
            let same = operand.indices.iter().zip(place).all(|(index, x)| at(place, *index) == Some(*x));
            same.then_some(key)
        };
        let entries = entries.iter().filter_map(|(place, element)| Some((read(place)?, *element))).collect();
        let stream = levels(
            &T::constant(atl_semirings::Constant::Int(0)),
            &entries,
            indices.len(),
            &mut |_, slices| {
                let (crd, below): (Vec<usize>, Vec<Nested<T>>) = slices.into_iter().unzip();
                let (places, below): (_, Rc<[_]>) = (0..crd.len(), below.into());
                let value = move |place: usize| below[place].clone();
                Nested::level(Compressed::new(crd.into(), places, search, probes.clone(), value))
            },
        );
        Indexed::new(self.arithmetic.clone(), &indices, stream, Counter::new())
    }

    /// What the function means, by streams.
    fn meaning(&self, source: &Source) -> Entries<T> {
        let operand = |at: &usize| {
            self.stream(&source.operands[*at], &self.entries[*at], Search::Gallop, &Counter::new())
        };
        let term = |term: &Vec<usize>| {
            let mut factors = term.iter().map(operand);
            let first = factors.next().expect("there is a factor");
            let product = factors.fold(first, |a, b| a.product(b, Lead::First));
            // Each term has every index of the body.
            let lacking: Vec<usize> =
                source.indices().into_iter().filter(|i| !product.indices().contains(i)).collect();
            lacking.into_iter().fold(product, |stream, index| {
                stream.replicate(index, 0..self.extents[index]).expect("it is lacking")
            })
        };
        let mut terms = source.terms.iter().map(term);
        let first = terms.next().expect("there is a term");
        let sum = terms.fold(first, |a, b| a.sum(b).expect("they have the same indices"));
        let summed = source.indices().into_iter().filter(|index| !source.result.contains(index));
        summed.fold(sum, |stream, index| stream.contract(index).expect("it is there")).entries()
    }
}

/// Every place of an array, in order.
fn each_place(shape: &[usize], mut visit: impl FnMut(&[usize])) {
    for cell in 0..shape.iter().product() {
        let (mut rest, mut place): (usize, _) = (cell, vec![0; shape.len()]);
        for (x, extent) in place.iter_mut().zip(shape).rev() {
            (*x, rest) = (rest % extent, rest / extent);
        }
        visit(&place);
    }
}

fn lowered(source: &str, schedule: &str) -> Result<Lowered, String> {
    let text = format!("{source}\nschedule s of f {{ rounding real; {schedule}; }}");
    let program = Program::parse("f.atl", &text).map_err(|e| e.to_string())?;
    program.scheduled("f", Some("s")).and_then(|scheduled| scheduled.lower()).map_err(|e| e.to_string())
}

/// Every order of so many things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![vec![]];
    for _ in 0..count {
        let longer = |order: &Vec<usize>| {
            let next = (0..count).filter(|k| !order.contains(k));
            next.map(|k| [&order[..], &[k]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

/// The schedules of a function: each driver, each way.
fn schedules(source: &Source) -> Vec<String> {
    let named =
        |order: &[usize]| order.iter().map(|at| source.operands[*at].name).collect::<Vec<_>>().join(", ");
    let ways =
        ["sparsify", "sparsify by merge", "sparsify by workspace", "sparsify by scan"].map(str::to_owned);
    let drivers = orders(source.operands.len());
    let by_search = drivers.iter().map(|order| format!("sparsify {} by search", named(order)));
    let by_sizes = drivers.iter().map(|order| format!("sparsify {}", named(order)));
    ways.into_iter().chain(by_search).chain(by_sizes).collect()
}

/// How many functions are tried, over each semiring; `ATL_SEARCHES=20` tries 20 times as many.
fn functions() -> usize {
    let times = std::env::var("ATL_SEARCHES").ok().and_then(|text| text.parse().ok());
    4 * times.unwrap_or(1)
}

/// Random functions under some of their schedules, on random tensors.
fn agree_over<T: Element>(semiring: &str, elem: &str, elements: &[T], seed: u64) {
    let mut choices = Choices::new(seed);
    let (mut lowerings, mut refused, mut looked) = (0, 0, 0);
    for _ in 0..functions() {
        let source = Source::random(&mut choices);
        let tensors: Vec<_> =
            (0..8).map(|_| Tensors::random(&source, semiring, elements, &mut choices)).collect();
        let schedules = schedules(&source);
        for _ in 0..3 {
            let (text, schedule) = (source.text(elem), choices.of(&schedules));
            let Ok(lowered) = lowered(&text, schedule) else {
                // Not everything can be merged.
                refused += usize::from(!schedule.contains("merge"));
                continue;
            };
            lowerings += 1;
            for tensors in &tensors {
                let about = || format!("{text} {schedule}: {:?}", tensors.entries);
                let arguments = packed_arguments(&lowered, &tensors.arguments(&source));
                let arguments = arguments.unwrap_or_else(|e| panic!("{}: {e}", about()));
                let found = run(&lowered, &loops::BACKEND, &arguments);
                let found = found.unwrap_or_else(|e| panic!("{}: {e:?}", about()));
                let expected = tensors.array(tensors.shape(&source.result), &tensors.meaning(&source));
                assert_eq!(found, expected, "{}", about());
                looked += keys_looked_at(&lowered, &arguments).unwrap_or_else(|e| panic!("{}: {e}", about()));
            }
        }
    }
    // Most schedules apply, and something is searched.
    assert!(lowerings > 2 * refused && looked > 50, "{lowerings}, {refused} refused, {looked} looked at");
}

#[test]
fn loops_over_numbers_compute_what_streams_do() {
    agree_over("plus_times", "f64", &[1.0, 2.0, 3.0, -1.0], 1);
}

#[test]
fn loops_over_costs_compute_what_streams_do() {
    agree_over("min_plus", "min_plus<f64>", &[0.0, 1.0, 4.0, -2.0], 2);
}

#[test]
fn loops_over_truth_values_compute_what_streams_do() {
    agree_over("or_and", "or_and<bool>", &[true], 3);
}

/// The operands of a function, in the order in which they drive.
fn source(operands: &[(&'static str, &[usize])], result: &[usize]) -> Source {
    let operand = |(name, (format, indices)): (&'static str, &(&'static str, &[usize]))| Operand {
        name,
        format,
        indices: indices.to_vec(),
    };
    let operands: Vec<Operand> = ["A", "B", "C"].into_iter().zip(operands).map(operand).collect();
    let terms = vec![(0..operands.len()).collect()];
    Source { operands, terms, result: result.to_vec() }
}

/// How many coordinates streams look at to meet the operands one after the other: each with the product of those before, in which the
/// first visits every coordinate of its own.
fn probes(source: &Source, tensors: &Tensors<f64>) -> u64 {
    let probes = Counter::new();
    let operands: Vec<_> = source.operands.iter().zip(&tensors.entries).collect();
    for count in 2..=operands.len() {
        let mut factors = operands[..count].iter().enumerate().map(|(number, (operand, entries))| {
            let search = if number == 0 { Search::Step } else { Search::Gallop };
            tensors.stream(operand, entries, search, &probes)
        });
        let first = factors.next().expect("there is a factor");
        factors.fold(first, |a, b| a.product(b, Lead::First)).entries();
    }
    probes.total()
}

/// Tensors of these extents, with an entry at one place in so many, for each operand; all are one.
fn sampled(source: &Source, extents: [usize; 3], one_in: &[usize], choices: &mut Choices) -> Tensors<f64> {
    let arithmetic = Machine::try_new(by_name("plus_times").expect("listed")).expect("admitted");
    let mut tensors = Tensors { arithmetic: Rc::new(arithmetic), extents, entries: vec![] };
    for (operand, one_in) in source.operands.iter().zip(one_in) {
        let mut entries = Entries::new();
        each_place(&tensors.shape(&operand.indices), |place| {
            if choices.one_in(*one_in) {
                entries.insert(place.to_vec(), 1.0);
            }
        });
        tensors.entries.push(entries);
    }
    tensors
}

/// Small tensors, and ones of which the first or the last is much sparser than the others.
fn samples(source: &Source, choices: &mut Choices) -> Vec<Tensors<f64>> {
    let vectors = source.operands.iter().all(|operand| operand.indices.len() == 1);
    let large = if vectors { [900; 3] } else { [3, 120, 25] };
    let mut samples: Vec<_> =
        (0..8).map(|_| Tensors::random(source, "plus_times", &[1.0], choices)).collect();
    for one_in in [[60, 2, 3], [2, 2, 50], [7, 6, 7]] {
        samples.push(sampled(source, large, &one_in, choices));
    }
    samples
}

/// What the searches of a function look at, at most: a number for each sample.
fn bounded(source: &Source, bound: impl Fn(&Tensors<f64>) -> u64) {
    let (text, mut choices) = (source.text("f64"), Choices::new(7));
    let lowered = lowered(&text, "sparsify by search").unwrap_or_else(|e| panic!("{text}: {e}"));
    let mut all = 0;
    for tensors in samples(source, &mut choices) {
        let arguments = packed_arguments(&lowered, &tensors.arguments(source));
        let looked = arguments.and_then(|arguments| keys_looked_at(&lowered, &arguments));
        let looked = looked.unwrap_or_else(|e| panic!("{text}: {e}"));
        let most = bound(&tensors);
        assert!(looked <= most, "{text}: {looked} > {most} for {:?}", tensors.entries);
        all += looked;
    }
    assert!(all > 100, "{text}: {all}");
}

/// The indices by which operands are read.
const I: &[usize] = &[0];
const J: &[usize] = &[1];
const IJ: &[usize] = &[0, 1];
const JK: &[usize] = &[1, 2];
const IK: &[usize] = &[0, 2];
const IJK: &[usize] = &[0, 1, 2];

#[test]
fn searches_along_a_loop_look_at_twice_as_many_keys_as_streams_at_most() {
    for source in [
        source(&[("coo", I), ("coo", I)], &[]),
        source(&[("coo", I), ("csf", I), ("coo", I)], &[]),
        source(&[("csr", IJ), ("csr", IJ)], IJ),
        source(&[("csr", IJ), ("csr", IJ), ("csr", IJ)], IJ),
        source(&[("csr", IJ), ("coo", J)], I),
        source(&[("csr", IJ), ("dcsr", JK)], IK),
        source(&[("csr", IJ), ("csr", JK), ("csr", IK)], &[]),
        source(&[("dcsr", IJ), ("dcsr", IJ)], IJ),
        source(&[("dcsr", IJ), ("dcsr", IJ), ("dcsr", IJ)], &[]),
        source(&[("csf", IJK), ("csf", IJK)], &[]),
    ] {
        bounded(&source, |tensors| 2 * probes(&source, tensors));
    }
}

/// A search that does not go on where the last one stopped looks at a logarithm of the keys there are.
#[test]
fn searches_from_the_start_look_at_a_logarithm_of_the_keys() {
    let stored = |tensors: &Tensors<f64>| tensors.entries[0].len() as u64;
    let keys = |tensors: &Tensors<f64>| {
        let longest = *tensors.extents.iter().max().expect("three") as u64;
        8 + 2 * u64::from((longest + 1).ilog2()) + 4
    };
    let vector = source(&[("coo", J), ("csr", IJ)], I);
    bounded(&vector, |tensors| stored(tensors) * tensors.extents[0] as u64 * keys(tensors));
}

/// Sums marked by hand: vectors as arrays of coordinates and of elements, each looked for in the next.
fn marked<T: Element>(semiring: &str, elem: &str, elements: &[T]) {
    let mut choices = Choices::new(4);
    for count in [2, 3] {
        let source = source(&[("coo", I), ("coo", I), ("coo", I)][..count], &[]);
        let name = |at: usize| source.operands[at].name;
        let sum = (1..count).rev().fold(String::new(), |inner, at| {
            let own = name(at);
            let term = match inner.is_empty() {
                true => format!("{own}_vals[q{at}]"),
                false => format!("{own}_vals[q{at}] * {inner}"),
            };
            format!("sum q{at} < L{at} @search {{ [{own}_crd[q{at}] == A_crd[q0]] * {term} }}")
        });
        let body = format!("sum q0 < L0 {{ A_vals[q0] * {sum} }}");
        let each = |part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<Vec<_>>().join(", ");
        let params = each(&|at| format!("{0}_crd: i32[L{at}], {0}_vals: {elem}[L{at}]", name(at)));
        let increase = each(&|at| format!("all q < L{at} - 1 {{ {0}_crd[q] < {0}_crd[q + 1] }}", name(at)));
        let text = format!("fn f({params}) -> {elem} where {increase} {{ {body} }}");
        let lowered = lowered(&text, "simplify").unwrap_or_else(|e| panic!("{text}: {e}"));
        let (mut looked, mut met) = (0, 0);
        for _ in 0..120 {
            let tensors = Tensors::random(&source, semiring, elements, &mut choices);
            let arrays = source.operands.iter().zip(&tensors.entries).flat_map(|(operand, entries)| {
                let length = vec![entries.len()];
                let crd = entries.keys().map(|place| Value::i32(place[0] as i32)).collect();
                let vals = entries.values().map(|element| element.value()).collect();
                [("crd", Scalar::I32, crd), ("vals", T::SCALAR, vals)].map(|(part, scalar, data)| {
                    (format!("{}_{part}", operand.name), Array { scalar, shape: length.clone(), data })
                })
            });
            let arguments = Arguments { sizes: vec![], arrays: arrays.collect() };
            let found = run(&lowered, &loops::BACKEND, &arguments);
            let found = found.unwrap_or_else(|e| panic!("{text}: {e:?}"));
            let meaning = tensors.meaning(&source);
            assert_eq!(found, tensors.array(vec![], &meaning), "{text} {:?}", tensors.entries);
            looked += keys_looked_at(&lowered, &arguments).unwrap_or_else(|e| panic!("{text}: {e}"));
            met += meaning.len();
        }
        assert!(looked > 100 && met > 10, "{looked} {met}");
    }
}

#[test]
fn sums_marked_by_hand_compute_what_streams_do() {
    marked("plus_times", "f64", &[1.0, 2.0, -3.0]);
    marked("min_plus", "min_plus<f64>", &[0.0, 1.0, 4.0]);
    marked("or_and", "or_and<bool>", &[true]);
}

/// Sums of operands, and of products of them, whose results are stored: the loops merge, and store what the sum of streams has.
fn united_over<T: Element>(semiring: &str, elem: &str, elements: &[T], seed: u64) {
    let mut choices = Choices::new(seed);
    let (sums, mut merges) =
        ([vec![vec![0], vec![1]], vec![vec![0], vec![1], vec![2]], vec![vec![0, 1], vec![2]]], 0);
    for (from, to) in [("csr", "csr"), ("dcsr", "dcsr"), ("coo", "coo"), ("csf", "csf"), ("csr", "coo")] {
        let indices = if from == "csf" { IJK } else { IJ };
        for terms in &sums {
            // Lists of coordinates that meet have a test of their own.
            if from == "coo" && terms[0].len() > 1 {
                continue;
            }
            let count = terms.iter().flatten().max().map_or(0, |last| last + 1);
            let mut source = source(&vec![(from, indices); count], indices);
            source.terms.clone_from(terms);
            let text = source.text(elem).replace("] { gen", &format!("] as {to} {{ gen"));
            let lowered = lowered(&text, "sparsify").unwrap_or_else(|e| panic!("{text}: {e}"));
            lowered
                .kernel
                .body
                .for_each(&mut |stmt| merges += usize::from(matches!(stmt, Stmt::Merge { .. })));
            for _ in 0..6 {
                let tensors = Tensors::random(&source, semiring, elements, &mut choices);
                let about = || format!("{text}: {:?}\n{}", tensors.entries, lowered.kernel);
                let arguments = packed_arguments(&lowered, &tensors.arguments(&source));
                let arguments = arguments.unwrap_or_else(|e| panic!("{}: {e}", about()));
                let found = run(&lowered, &loops::BACKEND, &arguments);
                let found = found.unwrap_or_else(|e| panic!("{}: {e:?}", about()));
                let expected = tensors.array(tensors.shape(&source.result), &tensors.meaning(&source));
                assert_eq!(found, expected, "{}", about());
            }
        }
    }
    assert!(merges >= 20, "{merges} merges");
}

#[test]
fn sums_of_numbers_that_are_stored_are_what_streams_have() {
    united_over("plus_times", "f64", &[1.0, 2.0, 3.0, -1.0], 4);
}

#[test]
fn sums_of_costs_that_are_stored_are_what_streams_have() {
    united_over("min_plus", "min_plus<f64>", &[0.0, 1.0, 4.0, -2.0], 5);
}
