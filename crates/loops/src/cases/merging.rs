//! Merges of rows of several lists, by keys of one part and of two: what unions of sparse operands become.

use super::Case;
use super::chance::Random;
use crate::interp::Cells;
use crate::{Literal, Scalar, parse_kernel};

/// The case of a seed: rows of one to four lists are merged, by keys that may be negative or the greatest that there are, and for
/// each key it is appended what is there, and of what. Of some lists a second merge goes through the same keys within the first, where they are
/// there.
///
/// # Panics
/// Never: the texts made here are kernels.
pub fn merging_case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let scalar = random.pick(&[Scalar::F64, Scalar::F64, Scalar::F32, Scalar::I32, Scalar::I64]);
    let key = random.pick(&[Scalar::I32, Scalar::I32, Scalar::I64]);
    let (rows, lists, parts) = (random.below(5), 1 + random.below(4), 1 + random.below(2));
    let zero = if scalar.is_float() { random.pick(&["0.0", "1.5"]) } else { "0" };
    let (mut sizes, mut params, mut inputs) = (vec![rows], String::new(), Vec::new());
    let (mut names, mut runs, mut values, mut seen) = (String::new(), Vec::new(), Vec::new(), String::new());
    for k in 0..lists {
        let dense = random.below(4);
        let (pos, keys) = list(&mut random, rows, key, parts, dense);
        let count = i64::try_from(keys.len()).unwrap_or(0);
        sizes.push(count);
        inputs.push(Cells::I64(pos));
        params += &format!(" in i64 P{k}[N + 1]");
        for part in 0..usize::try_from(parts).unwrap_or(1) {
            let literals: Vec<Literal> =
                keys.iter().map(|key_| Literal::i64(key_[part]).convert(key)).collect();
            inputs.push(Cells::from_literals(key, &literals));
            params += &format!(" in {key} C{k}_{part}[K{k}]");
        }
        let stored: Vec<Literal> = (0..count).map(|_| random.literal(scalar)).collect();
        inputs.push(Cells::from_literals(scalar, &stored));
        params += &format!(" in {scalar} V{k}[K{k}]");
        names += &format!(", K{k}");
        let at: Vec<String> = (0..parts).map(|part| format!("C{k}_{part}[p{k} + P{k}[i]]")).collect();
        let cond = random.pick(&["", "", "", " if i % 2 == 0"]);
        runs.push(format!("p{k} in 0..P{k}[i + 1] - P{k}[i] at ({}) as h{k}{cond}", at.join(", ")));
        let value = random.pick(&["V@[p@ + P@[i]]", "V@[p@ + P@[i]]", "V@[p@ + P@[i]] * V@[P@[i] + p@]"]);
        let value = value.replace('@', &k.to_string());
        values.push(format!("(h{k} == 1 ? {value} : {zero}{scalar})"));
        seen += &format!("push seen = int(p{k} * 2 + h{k}) ");
    }
    let variables = if parts == 1 { "j" } else { "(j, l)" };
    let pushed = if parts == 1 { "push keys = int(j)" } else { "push keys = int(j) push keys = int(l)" };
    let again = match random.one_in(2) {
        true => format!(
            "merge {} of q in 0..P0[i + 1] - P0[i] at ({}) as g if h0 == 1 {{ push seen = int(q + g) }}",
            if parts == 1 { "m" } else { "(m, n)" },
            (0..parts).map(|part| format!("C0_{part}[q + P0[i]]")).collect::<Vec<_>>().join(", ")
        ),
        false => String::new(),
    };
    let text = format!(
        "kernel merging_{seed}(N{names}){params} \
         out append i64 keys out append i64 seen out append {scalar} vals {{
           for i in 0..N {{
             merge {variables} of {} {{
               alloc register {scalar} v uninit {{
                 v = {}
                 {pushed} push vals = v {seen} {again}
               }}
             }}
             push seen = int(0 - 1)
           }} }}",
        runs.join(", "),
        values.join(" + "),
    );
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Case { kernel, sizes, inputs }
}

/// Rows of keys in order, none of them twice in a row.
fn list(random: &mut Random, rows: i64, key: Scalar, parts: i64, dense: i64) -> (Vec<i64>, Vec<Vec<i64>>) {
    let ends = if key == Scalar::I32 { [i32::MIN.into(), i32::MAX.into()] } else { [i64::MIN, i64::MAX] };
    let (mut pos, mut keys) = (vec![0], Vec::new());
    for _ in 0..rows {
        let count = random.below(1 + 4 * dense);
        let mut part = || match random.below(12) {
            0 => random.pick(&ends),
            _ => random.below(12) - 3,
        };
        let mut row: Vec<Vec<i64>> = (0..count).map(|_| (0..parts).map(|_| part()).collect()).collect();
        row.sort();
        row.dedup();
        keys.extend(row);
        pos.push(i64::try_from(keys.len()).unwrap_or(0));
    }
    (pos, keys)
}
