//! The law that joins the two views of an operator, by enumeration of small shapes.

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
