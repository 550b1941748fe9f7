//! Vectors that lie across two lines of a cache.
//!
//! **The one idea.** A window along a row is loaded from every place, so a vector as long as a line nearly
//! always lies in two: such a load takes about four times as long as one inside a line, and of two halves only
//! one does. Where a loop loads many, vectors of half that length are quicker, though there are twice as many
//! operations. Mostly the lines of what it stores are missing then: where producers are computed before the
//! loop, these are prefetched meanwhile instead, and vectors stay long.
//!
//! Of any numbers a store that begins off a line, as in the middle of rows whose borders are split off,
//! lies in two lines each time: halves do so every other time. Where no producers are computed before the
//! loop, what it stores is what takes time.

use atl_cost::Machine;
use atl_loops::lanes::{Lanes, Vectors};
use atl_loops::{Int, IntOp, Kernel, Name, Scalar, Stmt, Val};
use std::collections::BTreeMap;

/// From how many loads of an iteration on it is worth it.
const LOADS: i64 = 4;

/// The steps with fewer lanes for loops that load many vectors as long as a line; none if there are no such
/// loops.
pub(super) fn shortened(kernel: &Kernel, steps: &[String], machine: &Machine) -> Option<Vec<String>> {
    let types = kernel.buffer_types();
    let mut shorter = steps.to_vec();
    let (row, mut stores_late) = (row_of_producers(steps), false);
    let is_output = |buf: &&Name| kernel.params.iter().any(|param| param.name == **buf);
    kernel.body.for_each(&mut |stmt| {
        let Stmt::Vectors { vectors, body } = stmt else { return };
        let is_long = |scalar: Scalar| {
            scalar.is_integer() && scalar.bits() < 32 && is_line(scalar, vectors.lanes, machine)
        };
        let lanes = Lanes::new(vectors, body);
        if row.is_none()
            && stores_off_lines(kernel, &types, (vectors, &lanes), body, machine)
            && let Some(step) = step_of(&mut shorter, vectors, body)
            && let Some((name, _)) = step.rsplit_once(" by ")
        {
            *step = format!("{name} by {}", vectors.lanes / 2);
        } else if loads(&types, &lanes, body, &is_long) >= LOADS
            && let Some(step) = step_of(&mut shorter, vectors, body)
            && let Some((name, _)) = step.rsplit_once(" by ")
        {
            match row.is_some() && body.stored().iter().any(is_output) {
                true => stores_late = true,
                false => *step = format!("{name} by {}", vectors.lanes / 2),
            }
        }
    });
    shorter.extend(row.filter(|row| stores_late && !steps.contains(row)));
    (shorter != steps).then_some(shorter)
}

/// The step that prefetches the result where producers are computed, if they are in a loop of the result.
fn row_of_producers(steps: &[String]) -> Option<String> {
    let mut computed = steps.iter().filter_map(|step| step.strip_prefix("compute ")?.split_once(" at "));
    let (_, row) = computed.next_back()?;
    (!row.contains('/')).then(|| format!("prefetch_result {row}"))
}

/// Does the statement store parts of the result, a line each, that do not begin where rows do?
fn stores_off_lines(
    kernel: &Kernel,
    types: &BTreeMap<Name, Scalar>,
    (vectors, lanes): (&Vectors, &Lanes<'_>),
    body: &Stmt,
    machine: &Machine,
) -> bool {
    let mut found = false;
    body.for_each(&mut |stmt| {
        let Stmt::Store { buf, index, .. } = stmt else { return };
        let is_output = kernel.params.iter().any(|param| param.name == *buf);
        let first = lanes.first(index).map(|first| offset(&first).wrapping_add(offset(&vectors.lo)));
        let is_off = first.is_some_and(|first| first.rem_euclid(i64::from(vectors.lanes)) != 0);
        let is_long = types.get(buf).is_some_and(|scalar| is_line(*scalar, vectors.lanes, machine));
        found |= is_output && is_off && is_long;
    });
    found
}

/// What is added to an index besides what variables say.
fn offset(index: &Int) -> i64 {
    match index {
        Int::Lit(n) => *n,
        Int::Bin(op, a, b) => match (op, offset(a), offset(b)) {
            (IntOp::Add, a, b) => a.wrapping_add(b),
            (IntOp::Sub, a, b) => a.wrapping_sub(b),
            (IntOp::Mul, a, b) => a.wrapping_mul(b),
            _ => 0,
        },
        Int::Var(_) | Int::Load(..) => 0,
    }
}

fn is_line(scalar: Scalar, lanes: u32, machine: &Machine) -> bool {
    u32::try_from(scalar.size()).is_ok_and(|size| size * lanes >= machine.line_bytes)
}

/// How many vectors of such numbers the statement loads.
fn loads(
    types: &BTreeMap<Name, Scalar>,
    lanes: &Lanes<'_>,
    stmt: &Stmt,
    is_long: &dyn Fn(Scalar) -> bool,
) -> i64 {
    let inside = stmt.parts().map(|part| loads(types, lanes, part, is_long)).fold(0, i64::saturating_add);
    match stmt {
        Stmt::For { lo, hi, .. } => {
            let count = (hi.clone() - lo.clone()).constant().unwrap_or(LOADS);
            inside.saturating_mul(count.max(0))
        }
        Stmt::Store { value, .. } => {
            let mut own = 0;
            value.for_each(&mut |part| {
                if let Val::Load { buf, index } = part
                    && lanes.first(index).is_some()
                    && index.mentions(lanes.var)
                    && types.get(buf).is_some_and(|scalar| is_long(*scalar))
                {
                    own += 1;
                }
            });
            inside.saturating_add(own)
        }
        _ => inside,
    }
}

/// The step that made the loop vectors: of the producer that it stores, or else of this name alone.
fn step_of<'s>(steps: &'s mut [String], vectors: &Vectors, body: &Stmt) -> Option<&'s mut String> {
    let var = vectors.var.original();
    let stored: Vec<String> =
        body.stored().iter().map(|buf| format!("vectorize {}/{var} by ", buf.original())).collect();
    let is_own = |step: &String| stored.iter().any(|start| step.starts_with(start.as_str()));
    let own = steps.iter().position(is_own);
    let place =
        own.or_else(|| steps.iter().position(|step| step.starts_with(&format!("vectorize {var} by "))))?;
    steps.get_mut(place)
}

#[cfg(test)]
mod tests {
    use super::shortened;
    use atl_cost::Machine;
    use atl_loops::parse_kernel;

    /// The steps that loops over `z` have after these and `vectorize z by 64`, and those after the judgement.
    fn judged(body: &str, before: &[&str]) -> (Vec<String>, Option<Vec<String>>) {
        let text = format!("kernel t(N) in u8 x[N] in f32 f[N] out u8 y[N] out f32 g[N] {{ {body} }}");
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let steps: Vec<String> =
            before.iter().chain(&["vectorize z by 64"]).map(|step| (*step).to_owned()).collect();
        let found = shortened(&kernel, &steps, &Machine::default());
        (steps, found)
    }

    /// The lanes of the loop over `z` after the judgement.
    fn check(body: &str, expected: Option<u32>) {
        let (steps, found) = judged(body, &["unroll r"]);
        let expected = expected.map(|lanes| vec![steps[0].clone(), format!("vectorize z by {lanes}")]);
        assert_eq!(found, expected, "{body}");
    }

    #[test]
    fn windows_of_bytes() {
        let loops = |scalar: &str, y: &str, x: &str, taps: i64| {
            format!(
                "{scalar} for z in 0..64 {{ {y}[z] = {x}[z] for r in 1..{taps} {{ {y}[z] max= {x}[z + r] }} }}"
            )
        };
        check(&loops("u8x64", "y", "x", 4), Some(32));
        check(&loops("u8x64", "y", "x", 3), None);
        check(&loops("u8x32", "y", "x", 4), None);
        check(&loops("f32x16", "g", "f", 4), None);
    }

    #[test]
    fn stores_of_the_result_off_lines() {
        check("for r in 0..N { f32x16 for z in 0..64 { g[r * 64 + (z + 1)] = f[z] } }", Some(8));
        check("for r in 0..N { f32x16 for z in 0..64 { g[r * 64 + z] = f[z + 1] } }", None);
        check("for r in 0..N { f32x16 for z in 0..64 { g[r * 64 + z + 16] = f[z] } }", None);
        check("f32x16 for z in 4..68 { g[z] = f[z] }", Some(8));
        check("f32x8 for z in 0..64 { g[z + 1] = f[z] }", None);
        check("alloc heap f32 t[80] = 0f32 { f32x16 for z in 0..64 { t[z + 1] = f[z] } }", None);
        assert_eq!(judged("f32x16 for z in 0..64 { g[z + 1] = f[z] }", &["compute rows at y"]).1, None);
    }

    #[test]
    fn where_producers_are_computed_before_the_result_is_prefetched_instead() {
        let body = "u8x64 for z in 0..64 { y[z] = x[z] for r in 1..4 { y[z] max= x[z + r] } }";
        let (steps, found) = judged(body, &["compute rows at y"]);
        let prefetched = [steps.as_slice(), &["prefetch_result y".to_owned()]].concat();
        assert_eq!(found, Some(prefetched));
        // Once it is, vectors stay long.
        assert_eq!(judged(body, &["compute rows at y", "prefetch_result y"]).1, None);
        // Scratch has its lines: it is short.
        let scratch = format!("alloc heap u8 t[64] = 0u8 {{ {} y[0] = t[0] }}", body.replace("y[z]", "t[z]"));
        let shorter = ["compute rows at y", "vectorize z by 32"].map(str::to_owned).to_vec();
        assert_eq!(judged(&scratch, &["compute rows at y"]).1, Some(shorter));
    }
}
