//! Random steps with affine reads and writes: what is in place, and that loops mean the term.

use super::{doubled, maybe, zeros};
use crate::common::{
    Choices, I32, Program, State, Step, add, at, gen_, guard, index, iterate, lit, mul, select, sum_,
};
use atl_kernel::{Expr, Ix, Pred};
use atl_loops::Stmt;

/// What a random step is, at the indices of a cell and a round: where it changes cells, and what it reads,
/// of which state.
#[derive(Clone)]
struct Random {
    rank: usize,
    changed: Vec<Condition>,
    /// Which state, whether its new value, and the cell.
    reads: Vec<(usize, bool, Vec<Affine>)>,
    /// For each index, where its loop is in two parts, if it is.
    cuts: Vec<Cut>,
}

/// Where a loop over `N` is in two parts.
#[derive(Clone, Copy)]
enum Cut {
    None,
    First,
    Middle,
    Last,
}

impl Cut {
    /// `gen i < n { cell(i) }`, in these parts.
    fn parts(self, n: &Ix, cell: &dyn Fn(Ix) -> Expr) -> Expr {
        let at = match self {
            Cut::None => return gen_("i", n, cell),
            Cut::First => Ix::min(Ix::ONE, n.clone()),
            Cut::Middle => n.clone() / Ix::Lit(2),
            Cut::Last => Ix::max(Ix::ZERO, n.clone() - Ix::ONE),
        };
        let rest = gen_("i", &(n.clone() - at.clone()), |i| cell(i + at.clone()));
        atl_ops::concat(gen_("i", &at, cell), rest)
    }
}

/// `a * i + b * j + c * t + d + e * N`, the indices as far as there are.
type Affine = [i64; 5];

/// An index, and how it is to the term: 0 for `==`, 1 for `<=`, 2 for `>=`.
type Condition = (usize, usize, Affine);

fn affine(c: &mut Choices, own: usize, rank: usize) -> Affine {
    let mut term = [0, 0, 0, c.of(&[-1, 0, 0, 0, 1]), 0];
    match c.below(8) {
        0..3 => term[own.min(rank - 1)] = 1,
        3..5 => term[2] = 1,
        5 => term[c.below(rank)] = 1,
        6 => {
            term[c.of(&[own.min(rank - 1), 2])] = -1;
            term[4] = 1;
        }
        _ => {
            term[own.min(rank - 1)] = 1;
            term[2] = c.of(&[-1, 1]);
        }
    }
    term
}

impl Random {
    fn new(c: &mut Choices, own: usize, ranks: &[usize]) -> Random {
        let rank = ranks[own];
        let mut changed = Vec::new();
        for k in 0..rank {
            if c.below(3) > 0 {
                let mut bound = affine(c, k, rank);
                bound[k] = 0;
                changed.push((k, c.of(&[0, 0, 0, 1, 2]), bound));
            }
        }
        let reads = (0..c.below(3)).map(|_| {
            let state = if c.below(3) > 0 { own } else { c.below(ranks.len()) };
            let is_new = state < own && c.below(2) == 0;
            (state, is_new, (0..ranks[state]).map(|k| affine(c, k, rank)).collect())
        });
        let reads = reads.collect();
        let cuts =
            (0..rank).map(|_| c.of(&[Cut::None, Cut::None, Cut::First, Cut::Middle, Cut::Last])).collect();
        Random { rank, changed, reads, cuts }
    }

    fn condition(&self, at: &dyn Fn(&Affine) -> Ix, index: &[Ix]) -> Pred {
        let conds = self.changed.iter().map(|(k, how, bound)| match how {
            0 => Pred::eq(index[*k].clone(), at(bound)),
            1 => Pred::le(index[*k].clone(), at(bound)),
            _ => Pred::le(at(bound), index[*k].clone()),
        });
        conds.fold(Pred::True, Pred::and)
    }

    fn step(&self, own: usize, n: &Ix, t: &Ix, old: &[Expr], new: &[Expr]) -> Expr {
        fn over(cuts: &[Cut], n: &Ix, index: &[Ix], cell: &dyn Fn(&[Ix]) -> Expr) -> Expr {
            match cuts.split_first() {
                None => cell(index),
                Some((cut, cuts)) => cut.parts(n, &|i| over(cuts, n, &[index, &[i]].concat(), cell)),
            }
        }
        over(&self.cuts, n, &[], &|index| {
            let at = |term: &Affine| {
                let variables = [index.first(), index.get(1), Some(t), Some(&Ix::ONE), Some(n)];
                let parts = term.iter().zip(variables).filter(|(factor, _)| **factor != 0);
                let parts = parts.filter_map(|(factor, variable)| Some(Ix::Lit(*factor) * variable?.clone()));
                parts.reduce(|a, b| a + b).unwrap_or(Ix::ZERO)
            };
            let cell = index.iter().collect::<Vec<_>>();
            let mut value = self::index(I32, &(index[0].clone() + t.clone() * Ix::Lit(7)));
            for (k, (state, is_new, read)) in self.reads.iter().enumerate() {
                let tensor = if *is_new { &new[*state] } else { &old[*state] };
                let read: Vec<Ix> = read.iter().map(at).collect();
                let shape = vec![n.clone(); read.len()];
                let factor = lit(I32, [3, 5, 7][k]);
                value = add(&value, &mul(&factor, &maybe(tensor, &read, &shape)));
            }
            match self.condition(&at, index) {
                Pred::True => value,
                p => select(p, value, super::at(&old[own], &cell)),
            }
        })
    }

    /// Is no cell of the own state read after it was stored to, in loops of these directions?
    fn is_right(&self, own: usize, (n, rounds): (i64, i64), descending: &[bool]) -> bool {
        let cells: Vec<Vec<i64>> = match self.rank {
            1 => (0..n).map(|i| vec![i]).collect(),
            _ => (0..n).flat_map(|i| (0..n).map(move |j| vec![i, j])).collect(),
        };
        let turned = |cell: &Vec<i64>| -> Vec<i64> {
            cell.iter().zip(descending).map(|(i, is_down)| if *is_down { n - 1 - i } else { *i }).collect()
        };
        (0..rounds).all(|t| {
            let at = |term: &Affine, cell: &[i64]| {
                let second = cell.get(1).copied().unwrap_or(0);
                term[0] * cell[0] + term[1] * second + term[2] * t + term[3] + term[4] * n
            };
            let mut stored: Vec<Vec<i64>> = Vec::new();
            cells.iter().map(turned).all(|cell| {
                let is_changed = self.changed.iter().all(|(k, how, bound)| match how {
                    0 => cell[*k] == at(bound, &cell),
                    1 => cell[*k] <= at(bound, &cell),
                    _ => cell[*k] >= at(bound, &cell),
                });
                if !is_changed {
                    return true;
                }
                let reads = self.reads.iter().filter(|(state, is_new, _)| *state == own && !is_new);
                let mut read = reads.map(|(_, _, read)| read.iter().map(|term| at(term, &cell)).collect());
                let fine = !read.any(|read: Vec<i64>| stored.contains(&read));
                stored.push(cell);
                fine
            })
        })
    }
}

/// Random programs of these seeds: how many states are in place, how many are not, and how many of those could
/// have been, by trying.
fn random_programs(seeds: std::ops::Range<u64>) -> [usize; 4] {
    let (mut in_place, mut two, mut needless, mut without_start) = (0, 0, 0, 0);
    for seed in seeds {
        let mut c = Choices(seed * 7919 + 1);
        c.below(2);
        let mut p = Program::default();
        let (n, t) = (p.size("N"), p.size("T"));
        let inputs = [p.input("u", I32, &[&n]), p.input("a", I32, &[&n, &n])];
        let ranks: Vec<usize> = (0..c.of(&[1, 1, 2, 3])).map(|_| c.of(&[1, 1, 2])).collect();
        let steps: Vec<Random> = (0..ranks.len()).map(|k| Random::new(&mut c, k, &ranks)).collect();
        let closures: Vec<_> = (0..ranks.len())
            .map(|k| {
                let (step, n) = (&steps[k], &n);
                move |t: &Ix, old: &[Expr], new: &[Expr]| step.step(k, n, t, old, new)
            })
            .collect();
        let names = ["x", "y", "z"];
        let states: Vec<State<'_>> = (0..ranks.len())
            .map(|k| {
                let step: &Step<'_> = &closures[k];
                let start = match c.below(2) {
                    0 => inputs[ranks[k] - 1].clone(),
                    _ => zeros(&vec![&n; ranks[k]]),
                };
                (names[k], start, step)
            })
            .collect();
        let rounds = c.of(&[&n, &t]);
        let is_short = *rounds == n;
        let e = iterate("t", rounds, &states, |last| {
            gen_("i", &n, |i| {
                let parts = last.iter().zip(&ranks).map(|(x, rank)| match rank {
                    1 => at(x, &[&i]),
                    _ => sum_("j", &n, |j| mul(&at(x, &[&i, &j]), &index(I32, &(j + Ix::ONE)))),
                });
                parts.reduce(|a, b| add(&mul(&a, &lit(I32, 31)), &b)).expect("a state")
            })
        });
        let lowered = p.lower(&e).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{e:?}"));
        for sizes in [[0, 2], [1, 3], [2, 2], [3, 4], [5, 3]] {
            p.compare(&e, &lowered, &sizes);
        }
        let count = doubled(&lowered);
        let text = lowered.plain.to_string();
        without_start +=
            names[..ranks.len()].iter().filter(|x| !text.contains(&format!("reset {x}"))).count();
        (in_place, two) = (in_place + ranks.len() - count, two + count);
        if let ([step], [rank], 1) = (&steps[..], &ranks[..], count) {
            let directions = [[false, false], [false, true], [true, false], [true, true]];
            let sizes = || (1..5).map(|n| (n, if is_short { n } else { 5 }));
            let one = directions
                .iter()
                .any(|directions| sizes().all(|sizes| step.is_right(0, sizes, &directions[..*rank])));
            needless += usize::from(one);
        }
    }
    [in_place, two, needless, without_start]
}

#[test]
fn random_steps_mean_what_they_say_and_are_in_place_where_they_can_be() {
    let [in_place, two, needless, without_start] = random_programs(0..200);
    println!("{in_place} states in place, {two} in two buffers, {needless} of those needlessly");
    println!("{without_start} states whose start is not stored");
    assert!(in_place > 2 * two && needless * 20 <= two, "{in_place}, {two}, {needless}");
    assert!(without_start > 5, "{without_start}");
}

/// Random iterations of these seeds whose value is a state, below a loop and operators: how many states are in
/// the result itself, and how many are copied there.
fn random_parts(seeds: std::ops::Range<u64>) -> [usize; 2] {
    let [mut there, mut copied] = [0, 0];
    for seed in seeds {
        let mut c = Choices(seed * 6011 + 5);
        c.below(2);
        let mut p = Program::default();
        let (n, m) = (p.size("N"), p.size("M"));
        let inputs = [p.input("u", I32, &[&n]), p.input("a", I32, &[&n, &n])];
        let ranks: Vec<usize> = (0..c.of(&[1, 1, 2])).map(|_| c.of(&[1, 1, 2])).collect();
        let steps: Vec<Random> = (0..ranks.len()).map(|k| Random::new(&mut c, k, &ranks)).collect();
        // Where each row is stored; what a truncation drops is padding.
        let place = c.below(6);
        let kept = Ix::max(m.clone() - Ix::Lit(2), Ix::ZERO);
        let rows = gen_("r", &m, |r| {
            let closures: Vec<_> = (0..ranks.len())
                .map(|k| {
                    let (step, n) = (&steps[k], &n);
                    move |t: &Ix, old: &[Expr], new: &[Expr]| step.step(k, n, t, old, new)
                })
                .collect();
            let states: Vec<State<'_>> = (0..ranks.len())
                .map(|k| {
                    let step: &Step<'_> = &closures[k];
                    let row = gen_("i", &n, |i| match ranks[k] {
                        1 => add(&at(&inputs[0], &[&i]), &index(I32, &r)),
                        _ => gen_("j", &n, |j| add(&at(&inputs[1], &[&i, &j]), &index(I32, &r))),
                    });
                    let start = if c.below(3) == 0 { zeros(&vec![&n; ranks[k]]) } else { row };
                    (["x", "y"][k], start, step)
                })
                .collect();
            let row = iterate("t", &n, &states, |last| last[0].clone());
            if place == 4 { guard(Pred::lt(r, kept.clone()), row) } else { row }
        });
        let e = match place {
            0 => rows,
            1 => atl_ops::transpose(rows),
            2 => atl_ops::flatten(rows),
            3 => atl_ops::concat(rows.clone(), rows),
            4 => atl_ops::trunc_r(m.clone() - kept, rows),
            _ => atl_ops::flatten(atl_ops::transpose(rows)),
        };
        let lowered = p.lower(&e).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{e:?}"));
        for sizes in [[0, 2], [2, 0], [1, 3], [2, 2], [3, 4], [5, 3]] {
            p.compare(&e, &lowered, &sizes);
        }
        let mut has_own = false;
        lowered.plain.body.for_each(&mut |stmt| {
            if let Stmt::Alloc { buf, extents, .. } = stmt {
                has_own |= buf.as_str().starts_with('x') && !extents.is_empty();
            }
        });
        if has_own { copied += 1 } else { there += 1 }
    }
    [there, copied]
}

#[test]
fn random_states_below_loops_are_in_their_parts_of_the_result() {
    let [there, copied] = random_parts(0..200);
    println!("{there} states in the result, {copied} copied there");
    assert!(there > copied && copied > 0, "{there}, {copied}");
}
