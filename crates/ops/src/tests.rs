//! The law that joins the two views of an operator, by enumeration of small shapes.

use crate::relayout::{Mode, links};
use crate::{Operator, TABLE};
use atl_kernel::{Cmp, Ix, Pred, eval_op};

fn int(ix: &Ix) -> i64 {
    match ix {
        Ix::Lit(n) => *n,
        Ix::Bin(op, ab) => {
            i64::try_from(eval_op(*op, int(&ab.0).into(), int(&ab.1).into()).expect("small")).expect("small")
        }
        Ix::Var(_) | Ix::Read(..) => unreachable!("the arguments are literals"),
    }
}

fn holds(p: &Pred) -> bool {
    match p {
        Pred::True => true,
        Pred::False => false,
        Pred::Cmp(Cmp::Eq, a, b) => int(a) == int(b),
        Pred::Cmp(Cmp::Lt, a, b) => int(a) < int(b),
        Pred::Cmp(Cmp::Le, a, b) => int(a) <= int(b),
        Pred::Not(p) => !holds(p),
        Pred::And(ab) => holds(&ab.0) && holds(&ab.1),
        Pred::Or(ab) => holds(&ab.0) || holds(&ab.1),
    }
}

/// Every point of a box.
fn points(extents: &[i64]) -> Vec<Vec<i64>> {
    extents.iter().fold(vec![vec![]], |points, n| {
        points.iter().flat_map(|p| (0..*n).map(|i| [p.as_slice(), &[i]].concat())).collect()
    })
}

fn literals(xs: &[i64]) -> Vec<Ix> {
    xs.iter().map(|x| Ix::Lit(*x)).collect()
}

fn ints(ixs: &[Ix]) -> Vec<i64> {
    ixs.iter().map(int).collect()
}

/// `theta(w) = l <=> cond(l) and rho(l) = w`, for every index argument and extent below `bound`.
fn check(op: &Operator, bound: i64) {
    let dims = op.tensor_params.iter().map(|names| names.len()).sum::<usize>();
    let mut checked = 0;
    for choice in points(&vec![bound; op.index_params.len() + dims]) {
        let (x, d) = choice.split_at(op.index_params.len());
        let (xs, ds) = (literals(x), literals(d));
        if !holds(&(op.requires)(&xs, &ds)) {
            continue;
        }
        checked += 1;
        let out = points(&ints(&(op.extents)(&xs, &ds)));
        let mut first = 0;
        for (k, names) in op.tensor_params.iter().enumerate() {
            let sources = points(&d[first..first + names.len()]);
            first += names.len();
            let theta: Vec<_> =
                sources.iter().map(|w| ints(&(op.scatter)(&xs, &ds, &literals(w), k))).collect();
            for l in &out {
                let gather = (op.gather)(&xs, &ds, &literals(l), k);
                let from = holds(&gather.cond).then(|| ints(&gather.rho));
                for (w, goes) in sources.iter().zip(&theta) {
                    assert_eq!(
                        goes == l,
                        from.as_ref() == Some(w),
                        "{}: {x:?} {d:?}: {w:?} and {l:?}",
                        op.name
                    );
                }
            }
            if !op.drops {
                for (w, goes) in sources.iter().zip(&theta) {
                    assert!(out.contains(goes), "{}: {x:?} {d:?}: {w:?} goes to {goes:?}", op.name);
                }
            }
        }
    }
    assert!(checked > 0, "{} is never applicable", op.name);
}

#[test]
fn the_two_views_of_every_operator_agree() {
    for op in TABLE {
        let dims = op.index_params.len() + op.tensor_params.iter().map(|names| names.len()).sum::<usize>();
        check(op, if dims > 4 { 3 } else { 5 });
    }
}

#[test]
fn a_definition_is_recognised() {
    for op in TABLE {
        assert_eq!(crate::of(&(op.definition)()).map(|found| found.name), Some(op.name));
    }
}

/// Where a chain of operators puts the element of a tensor of this shape at an index.
fn laid(links: &[crate::Link], shape: &[i64], index: &[i64]) -> (Vec<i64>, Vec<i64>) {
    let mut at = (literals(shape), literals(index));
    for (op, xs) in links {
        let looks = op.tensor_params[0].len();
        let (inner, rest) = (at.0.split_off(looks), at.1.split_off(looks));
        assert!(holds(&(op.requires)(xs, &at.0)), "{} {xs:?} of {:?}", op.name, at.0);
        at = ((op.extents)(xs, &at.0), (op.scatter)(xs, &at.0, &at.1, 0));
        at.0.extend(inner);
        at.1.extend(rest);
    }
    (ints(&at.0), ints(&at.1))
}

/// A layout is refused, or every element lies where it says, alone, and inside.
fn check_layout(modes: &[Vec<(i64, i64)>]) -> bool {
    let as_mode = |(n, s): &(i64, i64)| Mode { extent: Ix::Lit(*n), stride: Ix::Lit(*s) };
    let given: Vec<Vec<Mode>> = modes.iter().map(|m| m.iter().map(as_mode).collect()).collect();
    let shape: Vec<i64> = modes.iter().map(|m| m.iter().map(|(n, _)| n).product()).collect();
    let Ok(links) = links(&literals(&shape), &given, &mut |p| holds(p)) else { return false };
    let mut taken = std::collections::BTreeSet::new();
    for index in points(&shape) {
        let offset = |(i, modes): (&i64, &Vec<(i64, i64)>)| {
            let mut rest = *i;
            modes.iter().map(|(n, s)| (rest % n * s, rest /= n).0).sum::<i64>()
        };
        let wanted: i64 = index.iter().zip(modes).map(offset).sum();
        let (extent, goes) = laid(&links, &shape, &index);
        assert_eq!(goes, [wanted], "{modes:?} at {index:?}");
        assert!(wanted < extent[0] && taken.insert(wanted), "{modes:?} at {index:?}");
    }
    true
}

#[test]
fn a_layout_is_a_chain_of_operators() {
    let mut seed = 7u64;
    let mut below = |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        i64::try_from((seed >> 33) % n).expect("small")
    };
    let mut refused = 0;
    for _ in 0..4000 {
        let count = 1 + below(4);
        let mut modes: Vec<(i64, i64)> = Vec::new();
        let mut reach = 1 + below(2);
        for _ in 0..count {
            let extent = 1 + below(4);
            let gap = if below(3) == 0 { 1 + below(2) } else { 0 };
            modes.push((extent, reach));
            // A multiple of the stride, of at least the extent: nested.
            reach *= extent + gap;
        }
        let nested = below(4) != 0;
        if !nested {
            modes.iter_mut().for_each(|m| m.1 = below(9));
        }
        for k in (1..modes.len()).rev() {
            modes.swap(k, usize::try_from(below(k as u64 + 1)).expect("small"));
        }
        let cut = 1 + usize::try_from(below(modes.len() as u64)).expect("small");
        let (first, second) = modes.split_at(cut);
        let groups: Vec<Vec<_>> =
            [first, second].into_iter().filter(|g| !g.is_empty()).map(<[_]>::to_vec).collect();
        let accepted = check_layout(&groups);
        assert!(accepted || !nested, "{groups:?} nests, and is refused");
        refused += usize::from(!accepted);
    }
    assert!(refused > 100, "{refused}");
}
