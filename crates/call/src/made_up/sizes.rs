//! Sizes for which a function has a meaning, near the given ones.

use atl_kernel::{Ix, Pred};
use atl_session::signature::Signature;

/// Other values for a size, the preferred ones first: it may have to be a multiple of a tile, or smaller than
/// another.
const OTHERS: [i64; 9] = [8, 16, 32, 64, 128, 256, 4, 2, 1];
/// Then all below this.
const BOUND: i64 = 40;
/// The most combinations that are tried.
const MOST_TRIED: usize = 100_000;

/// The sizes that are known, and for all others this value, or where the function has no meaning there,
/// others for them. None where none were found.
pub fn sizes_like(signature: &Signature, known: &[Option<i64>], wanted: i64) -> Option<Vec<i64>> {
    let free: Vec<usize> = (0..known.len()).filter(|k| known[*k].is_none()).collect();
    let mut candidates = vec![wanted];
    let near = [wanted - wanted % 8, wanted - wanted % 2, wanted.saturating_add(1), wanted.saturating_sub(1)];
    let mut stated = Vec::new();
    signature.conditions.iter().for_each(|condition| literals(&condition.holds, &mut stated));
    for n in near.into_iter().chain(stated).chain(OTHERS).chain(0..BOUND) {
        if n >= 0 && !candidates.contains(&n) {
            candidates.push(n);
        }
    }
    let mixed = (0..MOST_TRIED).map_while(|mut number| {
        let mut sizes: Vec<i64> = known.iter().map(|n| n.unwrap_or(wanted)).collect();
        for k in free.iter().rev() {
            sizes[*k] = candidates[number % candidates.len()];
            number /= candidates.len();
        }
        (number == 0).then_some(sizes)
    });
    let alike = candidates.iter().map(|n| known.iter().map(|known| known.unwrap_or(*n)).collect());
    alike.chain(mixed).find(|sizes: &Vec<i64>| signature.shapes(sizes).is_ok())
}

/// The numbers that a precondition names.
fn literals(p: &Pred, found: &mut Vec<i64>) {
    fn of(ix: &Ix, found: &mut Vec<i64>) {
        match ix {
            Ix::Lit(n) => found.push(*n),
            Ix::Bin(_, ab) => {
                of(&ab.0, found);
                of(&ab.1, found);
            }
            Ix::Var(_) | Ix::Read(..) => {}
        }
    }
    match p {
        Pred::True | Pred::False => {}
        Pred::Cmp(_, a, b) => {
            of(a, found);
            of(b, found);
        }
        Pred::Not(q) => literals(q, found),
        Pred::And(pq) | Pred::Or(pq) => {
            literals(&pq.0, found);
            literals(&pq.1, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_session::Program;

    fn check(precondition: &str, expected: Option<&[i64]>) {
        let text = format!("fn f(x: f32[N], y: f32[M]) -> f32[N] {precondition} {{ x }}");
        let program = Program::parse("f.atl", &text).unwrap();
        assert_eq!(
            sizes_like(&Signature::of(&program.functions()[0]), &[None, None], 8).as_deref(),
            expected,
            "{precondition}"
        );
    }

    #[test]
    fn sizes_satisfy_the_preconditions() {
        check("", Some(&[8, 8]));
        check("where N % 32 == 0", Some(&[32, 32]));
        check("where N == 3, M == 5", Some(&[3, 5]));
        check("where N == 1000, M == 3", Some(&[1000, 3]));
        check("where M == N + 1", Some(&[8, 9]));
        check("where N == M * M + 2000, 0 < M", None);
    }
}
