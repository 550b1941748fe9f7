//! Index notation means what multiplying out says: random expressions against exact sums, dense and in formats.
//!
//! The evaluator here shares nothing with `teil`: it multiplies an expression out, and sums each product over its indices that are
//! absent on the left. So it also says where the notation has one reading only. `ATL_SEED` and `ATL_CASES` choose the first
//! seed and the number of expressions.

use atl_driver::Compile;
use atl_driver::backends;
use atl_driver::data::Structure;
use atl_driver::tensor::{Request, arguments, feasible, translate};
use atl_testkit::choices::Choices;
use atl_testkit::parallel::in_parallel;
use std::collections::BTreeMap;
use std::path::PathBuf;

const INDICES: [&str; 4] = ["i", "j", "k", "l"];

/// An expression.
#[derive(Clone, Debug)]
enum Expr {
    Number(i64),
    Read(usize, Vec<&'static str>),
    Neg(Box<Expr>),
    Add(Vec<(bool, Expr)>),
    Mul(Vec<Expr>),
    Sum(&'static str, Box<Expr>),
}

/// A tensor of small whole numbers.
struct Tensor {
    name: String,
    shape: Vec<usize>,
    values: Vec<i64>,
}

/// A product of reads and a number, summed over the indices that are bound; those have names of their own.
#[derive(Clone)]
struct Product {
    number: i64,
    reads: Vec<(usize, Vec<String>)>,
    bound: Vec<(String, usize)>,
}

struct World {
    extents: BTreeMap<&'static str, usize>,
    tensors: Vec<Tensor>,
}

impl World {
    fn random(choices: &mut Choices) -> World {
        let extents: BTreeMap<_, _> =
            INDICES.iter().map(|i| (*i, *choices.of(&[0, 1, 2, 2, 3, 3]))).collect();
        let tensor = |name: &str, choices: &mut Choices| {
            let rank = *choices.of(&[0, 1, 1, 2, 2, 2, 3]);
            let shape: Vec<usize> = (0..rank).map(|_| extents[choices.of(&INDICES)]).collect();
            let values = (0..shape.iter().product()).map(|_| *choices.of(&[0, 0, 0, 1, 2, -1, 3]));
            Tensor { name: name.to_owned(), values: values.collect(), shape }
        };
        let tensors = ["A", "B", "C", "x"].map(|name| tensor(name, choices));
        World { tensors: tensors.into(), extents }
    }

    /// A read of a tensor at indices of its extents.
    fn read(&self, choices: &mut Choices) -> Expr {
        let tensor = choices.below(self.tensors.len());
        let index = |n: &usize, choices: &mut Choices| {
            let fits: Vec<&str> = INDICES.into_iter().filter(|i| self.extents[i] == *n).collect();
            *choices.of(&fits)
        };
        Expr::Read(tensor, self.tensors[tensor].shape.iter().map(|n| index(n, choices)).collect())
    }

    fn expr(&self, depth: usize, choices: &mut Choices) -> Expr {
        let some = |n: usize, choices: &mut Choices| {
            (0..2 + choices.below(n)).map(|_| self.expr(depth - 1, choices)).collect()
        };
        match if depth == 0 { 0 } else { choices.below(9) } {
            0 if choices.one_in(6) => Expr::Number(choices.below(4) as i64),
            0 | 1 => self.read(choices),
            2 => Expr::Neg(Box::new(self.expr(depth - 1, choices))),
            3 => {
                let index = *choices.of(&INDICES);
                Expr::Sum(index, Box::new(self.expr(depth - 1, choices)))
            }
            4 | 5 => {
                let terms: Vec<Expr> = some(2, choices);
                Expr::Add(terms.into_iter().map(|term| (choices.one_in(3), term)).collect())
            }
            _ => Expr::Mul(some(2, choices)),
        }
    }

    /// The products that an expression is, multiplied out.
    fn products(&self, e: &Expr, fresh: &mut usize) -> Vec<Product> {
        let none = Product { number: 1, reads: vec![], bound: vec![] };
        match e {
            Expr::Number(n) => vec![Product { number: *n, ..none }],
            Expr::Read(tensor, indices) => {
                vec![Product {
                    reads: vec![(*tensor, indices.iter().map(|i| (*i).to_owned()).collect())],
                    ..none
                }]
            }
            Expr::Neg(e) => {
                self.products(e, fresh).into_iter().map(|p| Product { number: -p.number, ..p }).collect()
            }
            Expr::Add(terms) => {
                let each = terms.iter().flat_map(|(minus, term)| {
                    let sign = if *minus { -1 } else { 1 };
                    self.products(term, fresh)
                        .into_iter()
                        .map(move |p| Product { number: sign * p.number, ..p })
                });
                each.collect()
            }
            Expr::Mul(factors) => factors.iter().fold(vec![none], |all, factor| {
                let next = self.products(factor, fresh);
                let join = |p: &Product, q: &Product| Product {
                    number: p.number * q.number,
                    reads: p.reads.iter().chain(&q.reads).cloned().collect(),
                    bound: p.bound.iter().chain(&q.bound).cloned().collect(),
                };
                all.iter().flat_map(|p| next.iter().map(move |q| join(p, q))).collect()
            }),
            Expr::Sum(index, e) => {
                let products = self.products(e, fresh);
                let bind = |mut p: Product| {
                    *fresh += 1;
                    let name = format!("{index}{fresh}");
                    let places = p.reads.iter_mut().flat_map(|(_, indices)| indices);
                    places.filter(|i| i == index).for_each(|i| i.clone_from(&name));
                    p.bound.push((name, self.extents[index]));
                    p
                };
                products.into_iter().map(bind).collect()
            }
        }
    }

    /// The sum of a product over its indices that are bound or have no place.
    fn value(&self, product: &Product, at: &BTreeMap<String, usize>) -> i64 {
        let mut loops = product.bound.clone();
        for index in product.reads.iter().flat_map(|(_, indices)| indices) {
            if !at.contains_key(index) && !loops.iter().any(|(name, _)| name == index) {
                loops.push((index.clone(), self.extents[index.as_str()]));
            }
        }
        let extents: Vec<usize> = loops.iter().map(|(_, n)| *n).collect();
        let read = |here: &[usize], (tensor, indices): &(usize, Vec<String>)| {
            let place = |i: &String| {
                at.get(i).copied().or_else(|| Some(here[loops.iter().position(|(name, _)| name == i)?]))
            };
            let tensor = &self.tensors[*tensor];
            let flat = indices.iter().zip(&tensor.shape).fold(0, |flat, (i, n)| flat * n + place(i).unwrap());
            tensor.values[flat]
        };
        let one =
            |here: Vec<usize>| product.number * product.reads.iter().map(|r| read(&here, r)).product::<i64>();
        points(&extents).into_iter().map(one).sum()
    }

    /// The result at every place.
    fn result(&self, left: &[&'static str], e: &Expr) -> Vec<i64> {
        let products = self.products(e, &mut 0);
        let shape: Vec<usize> = left.iter().map(|i| self.extents[i]).collect();
        let at = |here: Vec<usize>| {
            let at = left.iter().map(|i| (*i).to_owned()).zip(here).collect();
            products.iter().map(|p| self.value(p, &at)).sum()
        };
        points(&shape).into_iter().map(at).collect()
    }

    fn text(&self, e: &Expr) -> String {
        match e {
            Expr::Number(n) => n.to_string(),
            Expr::Read(tensor, indices) if indices.is_empty() => self.tensors[*tensor].name.clone(),
            Expr::Read(tensor, indices) => format!("{}({})", self.tensors[*tensor].name, indices.join(",")),
            Expr::Neg(e) => format!("-({})", self.text(e)),
            Expr::Add(terms) => terms.iter().enumerate().fold(String::new(), |text, (k, (minus, term))| {
                let sign = if *minus {
                    "-"
                } else if k > 0 {
                    "+"
                } else {
                    ""
                };
                format!("{text}{sign}({})", self.text(term))
            }),
            Expr::Mul(factors) => {
                factors.iter().map(|f| format!("({})", self.text(f))).collect::<Vec<_>>().join("*")
            }
            Expr::Sum(index, e) => format!("sum({index}, {})", self.text(e)),
        }
    }

    /// The files of the tensors that an expression reads.
    fn files(&self, operands: &[String], case: u64) -> Vec<(String, PathBuf)> {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tensor");
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        let written = operands.iter().map(|name| {
            let tensor = self.tensors.iter().find(|t| t.name == *name).expect("it is one of them");
            let path = folder.join(format!("{case}-{name}.npy"));
            let values: Vec<f64> = tensor.values.iter().map(|v| *v as f64).collect();
            let buffer = atl_driver::Buffer::from_slice(&values, &tensor.shape).expect("it is small");
            atl_data::save(&path, &buffer).expect("it can be written");
            (name.clone(), path)
        });
        written.collect()
    }

    /// Formats for some of the tensors.
    fn formats(&self, choices: &mut Choices) -> Vec<String> {
        let each = self.tensors.iter().filter_map(|tensor| {
            let formats: &[&str] = match tensor.shape.len() {
                1 => &["", "s", "bitmask"],
                2 => &["", "csr", "ds:1,0", "ss", "uq", "bitmask", "bcsr(2, 2)", "csb(3, 2)"],
                3 => &["", "sss", "dss", "ucq"],
                _ => &[""],
            };
            let format = *choices.of(formats);
            (!format.is_empty()).then(|| format!("{}:{format}", tensor.name))
        });
        each.collect()
    }
}

/// Every place of a shape, in order.
fn points(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |all, n| {
        all.into_iter().flat_map(|at| (0..*n).map(move |k| at.iter().copied().chain([k]).collect())).collect()
    })
}

/// What became of a case.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Came {
    Refused(String),
    Dense,
    Sparse,
}

fn case(seed: u64) -> Came {
    let choices = &mut Choices::new(seed);
    let world = World::random(choices);
    let e = world.expr(3, choices);
    let products = world.products(&e, &mut 0);
    let has =
        |i: &&str| products.iter().any(|p| p.reads.iter().any(|(_, indices)| indices.iter().any(|j| j == i)));
    let left: Vec<&str> = INDICES.into_iter().filter(has).filter(|_| choices.one_in(2)).collect();
    let text = format!("y({}) = {}", left.join(","), world.text(&e));
    let formats = world.formats(choices);
    let read = |format: &&String| text.contains(&format[..1]);
    let request =
        formats.iter().filter(read).fold(Request::new(&text), |request, format| request.format(format));
    let shown = format!("seed {seed}: {text} {formats:?} {:?}", world.extents);
    let (translation, program) = match translate(&request) {
        Ok(translated) => translated,
        Err(failure) => return Came::Refused(failure.codes().join(" ")),
    };
    let (translation, refused) = feasible(translation, &program, &backends::interp::BACKEND);
    let files = world.files(&translation.operands, seed);
    let arguments = arguments(&translation, &program, &files, &[], Structure::Check)
        .unwrap_or_else(|why| panic!("{shown}\n{why}"));
    let expected: Vec<f64> = world.result(&left, &e).into_iter().map(|v| v as f64).collect();
    for backend in [&backends::loops::BACKEND, &backends::cranelift::BACKEND] {
        let kernel = program
            .scheduled(&translation.function, translation.schedule.as_deref())
            .and_then(|scheduled| scheduled.lower()?.compile(backend, Default::default()))
            .unwrap_or_else(|why| panic!("{shown}\n{why}"));
        let result = kernel
            .call(&arguments.arrays(), &arguments.sizes())
            .dense()
            .unwrap_or_else(|why| panic!("{shown}\n{why}"));
        let found = result.as_slice::<f64>().expect("it is of that type");
        assert_eq!(found, expected, "{shown}\n{}", translation.text);
    }
    match (&translation.schedule, refused) {
        (Some(_), _) => Came::Sparse,
        (None, _) => Came::Dense,
    }
}

#[test]
fn expressions_are_what_multiplying_out_says() {
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (first, cases) = (number("ATL_SEED", 0), number("ATL_CASES", 60));
    let mut came: BTreeMap<Came, usize> = BTreeMap::new();
    for what in in_parallel(first..first + cases, case) {
        *came.entry(what).or_default() += 1;
    }
    let computed: usize =
        came.iter().filter(|(came, _)| !matches!(came, Came::Refused(_))).map(|(_, n)| n).sum();
    assert!(computed * 5 > cases as usize && came.contains_key(&Came::Sparse), "{came:?}");
    // Every refusal is one of the notation's.
    let known = ["E0261", "E0263", "E0264"];
    let unknown =
        came.keys().find(|came| matches!(came, Came::Refused(code) if !known.contains(&code.as_str())));
    assert!(unknown.is_none(), "{came:?}");
}
