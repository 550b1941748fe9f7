//! Buffers whose values are bounded by a literal: each starts zeroed or uninitialised, and every addition is
//! followed by a minimum with the literal, `a[i] += v` and then `a[i] min= most`. Counters, and positions
//! made of them, are therefore in range for any loops.

use atl_loops::{Init, Int, Kernel, Literal, Name, ReduceOp, Stmt, StoreMode, Val};
use std::collections::{BTreeMap, BTreeSet};

/// No sum of two such numbers leaves 64 bits.
const LARGEST: i64 = (1 << 62) - 1;

/// The greatest number that index terms may find in each buffer of which that is known; the least one is 0.
pub(super) fn bounded_values(kernel: &Kernel) -> BTreeMap<Name, i64> {
    let (mut most, mut stores, mut others) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
    kernel.body.for_each(&mut |stmt| match stmt {
        Stmt::Seq(stmts) => {
            for (buf, cap) in stmts.windows(2).filter_map(addition) {
                *stores.entry(buf).or_insert(0) -= 2;
                let most = most.entry(buf).or_insert(cap);
                *most = cap.max(*most);
            }
        }
        Stmt::Store { buf, .. } => *stores.entry(buf).or_insert(0) += 1,
        Stmt::Alloc { buf, init: Init::Value(value), .. } | Stmt::Reset { buf, init: Init::Value(value) }
            if *value != Val::Lit(Literal::i64(0)) =>
        {
            others.insert(buf);
        }
        _ => {}
    });
    let is_known = |buf: &Name| !others.contains(buf) && stores.get(buf) == Some(&0);
    most.into_iter().filter(|(buf, _)| is_known(buf)).map(|(buf, most)| (buf.clone(), most)).collect()
}

/// The buffer to which the first of two statements adds a number that is not negative, a literal or its own,
/// and the literal that the second takes the least with.
fn addition(pair: &[Stmt]) -> Option<(&Name, i64)> {
    let [
        Stmt::Store { buf, index, value, mode: StoreMode::Reduce(ReduceOp::Add) },
        Stmt::Store {
            buf: again,
            index: same,
            value: Val::OfInt(Int::Lit(most)),
            mode: StoreMode::Reduce(ReduceOp::Min),
        },
    ] = pair
    else {
        return None;
    };
    let in_range = |n: i64| (0..=LARGEST).contains(&n);
    let is_small = match value {
        Val::OfInt(Int::Lit(n)) => in_range(*n),
        Val::Load { buf: read, .. } => read == buf,
        _ => false,
    };
    let mut moves = false;
    index.for_each_read(&mut |read, _| moves |= read == buf);
    (buf == again && index == same && !moves && is_small && in_range(*most)).then_some((buf, *most))
}

#[cfg(test)]
mod tests {
    use super::bounded_values;
    use atl_loops::parse_kernel;

    /// What is known of the scratch `s` of a body.
    fn check(body: &str, expected: Option<i64>) {
        let text = format!("kernel k(N) in i64 x[N] {{ alloc heap i64 s[N] = 0i64 {{ {body} }} }}");
        let kernel = parse_kernel(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(bounded_values(&kernel).get(&"s".into()).copied(), expected, "{body}");
    }

    #[test]
    fn additions_below_a_literal_are_known() {
        check("for i in 0..N { s[x[i]] += int(1) s[x[i]] min= int(9) }", Some(9));
        check(
            "for i in 1..N { s[i] += s[i - 1] s[i] min= int(9) s[0] += int(70) s[0] min= int(7) }",
            Some(9),
        );
        check("s[0] += int(1) s[0] min= int(9) reset s = 0i64", Some(9));
        check("reset s uninit reset s = 0i64 s[0] += int(1) s[0] min= int(9)", Some(9));
    }

    #[test]
    fn of_any_other_store_nothing_is_known() {
        for body in [
            "s[0] += int(1)",
            "s[0] min= int(9) s[0] += int(1)",
            "s[0] += int(1) s[1] min= int(9)",
            "s[0] += int(0 - 1) s[0] min= int(9)",
            "s[0] += int(1) s[0] min= int(0 - 9)",
            "s[0] += int(1) s[0] min= int(4611686018427387904)",
            "s[0] += int(N) s[0] min= int(9)",
            "s[0] += x[0] s[0] min= int(9)",
            "s[s[0]] += int(1) s[s[0]] min= int(9)",
            "s[0] += int(1) s[0] min= int(9) s[0] += int(1)",
            "s[0] += int(1) s[0] min= int(9) s[1] = x[0]",
            "s[0] += int(1) s[0] min= int(9) reset s = 10i64",
        ] {
            check(body, None);
        }
    }
}
