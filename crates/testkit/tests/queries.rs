//! Queries over random tables have the answers of nested loops, whatever plan they get.

use atl_driver::backends;
use atl_tables::query::{Column, Loaded, Prepared, Table, Values};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Numbers that look random.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn of<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).expect("an index")]
    }
}

const NAMES: [&str; 3] = ["R", "S", "T"];
const COLUMNS: [&str; 3] = ["a", "b", "x"];

/// The rows of a table of three integers.
type Rows = Vec<[i64; 3]>;

/// A column of a table, by their numbers.
type Place = (usize, usize);

fn rows(draw: &mut Draw) -> Rows {
    let (count, keys) = (draw.of(&[0, 1, 2, 4, 7, 12]), draw.of(&[1, 3, 6]));
    let unique = draw.below(3) == 0;
    let row = |(at, draw): (i64, &mut Draw)| {
        let a = if unique { (at * 5) % 13 } else { draw.below(keys) as i64 };
        [a, draw.below(keys) as i64 - 1, draw.below(9) as i64 - 4]
    };
    (0..count).map(|at| row((at, draw))).collect()
}

fn table(name: &str, rows: &Rows) -> Table {
    let column = |(at, name): (usize, &&str)| Column {
        name: (*name).to_owned(),
        values: Values::Int(Arc::new(rows.iter().map(|row| row[at]).collect())),
        text_by: None,
    };
    Table {
        name: name.to_owned(),
        header: COLUMNS.map(str::to_owned).to_vec(),
        columns: COLUMNS.iter().enumerate().map(column).collect(),
        rows: rows.len(),
        remarks: Vec::new(),
    }
}

/// A sum of products over equal columns: for each key, how many rows and their sum.
struct Query {
    tables: usize,
    equal: Vec<(Place, Place)>,
    below: Vec<(Place, i64)>,
    keys: Vec<Place>,
    factors: [Place; 2],
}

impl Query {
    fn draw(draw: &mut Draw) -> Query {
        let tables = draw.of(&[1, 2, 2, 3, 3, 3]);
        let place = |draw: &mut Draw| (draw.below(tables as u64) as usize, draw.below(3) as usize);
        let mut equal = Vec::new();
        // A triangle now and then; else each table to an earlier one.
        if tables == 3 && draw.below(4) == 0 {
            equal = vec![((0, 1), (1, 0)), ((1, 1), (2, 0)), ((2, 1), (0, 0))];
        } else {
            for later in 1..tables {
                for _ in 0..draw.below(3) {
                    let earlier = draw.below(later as u64) as usize;
                    equal.push(((later, draw.below(2) as usize), (earlier, draw.below(2) as usize)));
                }
            }
        }
        let below = (0..draw.below(3)).map(|_| (place(draw), draw.below(5) as i64 - 1)).collect();
        let keys = (0..draw.below(3)).map(|_| place(draw)).collect();
        Query { tables, equal, below, keys, factors: [place(draw), place(draw)] }
    }

    fn sql(&self) -> String {
        let name = |(table, column): &Place| format!("{}.{}", NAMES[*table], COLUMNS[*column]);
        let equal = self.equal.iter().map(|(a, b)| format!("{} = {}", name(a), name(b)));
        let below = self.below.iter().map(|(a, bound)| format!("{} < {bound}", name(a)));
        let conditions: Vec<String> = equal.chain(below).collect();
        let keys: Vec<String> = self.keys.iter().map(name).collect();
        let [x, y] = self.factors.each_ref().map(name);
        let mut sql = format!("select {}", keys.iter().map(|key| format!("{key}, ")).collect::<String>());
        sql += &format!("count(*), sum({x} * {y}) from {}", NAMES[..self.tables].join(", "));
        if !conditions.is_empty() {
            sql += &format!(" where {}", conditions.join(" and "));
        }
        if !keys.is_empty() {
            sql += &format!(" group by {}", keys.join(", "));
        }
        sql
    }

    /// By nested loops.
    fn meaning(&self, tables: &[Rows]) -> BTreeMap<Vec<i64>, (i64, i64)> {
        let mut groups = BTreeMap::new();
        let one: Rows = vec![[0; 3]];
        let of = |table: usize| if table < self.tables { &tables[table] } else { &one };
        for r in of(0) {
            for s in of(1) {
                for t in of(2) {
                    let value = |(table, column): &Place| [r, s, t][*table][*column];
                    let holds = self.equal.iter().all(|(a, b)| value(a) == value(b))
                        && self.below.iter().all(|(a, bound)| value(a) < *bound);
                    if holds {
                        let group: &mut (i64, i64) =
                            groups.entry(self.keys.iter().map(value).collect()).or_default();
                        group.0 += 1;
                        group.1 += value(&self.factors[0]) * value(&self.factors[1]);
                    }
                }
            }
        }
        groups
    }
}

#[test]
fn random_queries_have_the_answers_of_nested_loops() {
    let count = std::env::var("ATL_QUERIES").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    for seed in 0..count {
        let mut draw = Draw(seed);
        let query = Query::draw(&mut draw);
        let tables: Vec<Rows> = (0..query.tables).map(|_| rows(&mut draw)).collect();
        let sql = query.sql();
        let loaded = Loaded::of(NAMES.iter().zip(&tables).map(|(name, rows)| table(name, rows)).collect());
        let name = if seed % 3 == 0 { "loops" } else { "cranelift" };
        let backend = backends::by_name(name).expect("a back end");
        let prepared = Prepared::new(&sql, &loaded).unwrap_or_else(|why| panic!("{seed}: {sql}\n{why}"));
        let text = prepared.program().0.to_owned();
        let compiled = prepared.compile(backend, backends::Options::default());
        let answer = compiled.and_then(|compiled| compiled.answer());
        let answer = answer.unwrap_or_else(|why| panic!("{seed}: {sql}\n{text}\n{why}"));
        let mut found: Vec<String> =
            answer.rows.iter().map(|row| row.iter().map(|v| format!("{v},")).collect()).collect();
        found.sort();
        let mut wanted: Vec<String> = Vec::new();
        for (key, (rows, sum)) in query.meaning(&tables) {
            wanted.push(key.iter().map(|v| format!("{v},")).collect::<String>() + &format!("{rows},{sum},"));
        }
        if wanted.is_empty() && query.keys.is_empty() {
            // A sum of nothing has no value.
            wanted.push("0,,".to_owned());
        }
        wanted.sort();
        assert_eq!(found, wanted, "{seed}: {sql}\n{text}\n{tables:?}");
    }
}
