//! Damaged files of sparse tensors: every reader answers with entries that are in range and in order, or with
//! a refusal.

use std::path::PathBuf;

use proptest::prelude::*;

use super::super::mutation_tests::{Mutation, mutations};
use super::super::{npy, npz};
use super::*;
use atl_runtime::{Duplicates, Order, Zeros};

/// The members of an archive of a 4 by 6 matrix.
fn members(format: &str) -> Vec<(&'static str, Vec<u8>)> {
    let integers = |numbers: &[i32], shape: &[usize]| {
        npy::write(&Buffer::from_slice(numbers, shape).expect("as many as the shape says"))
    };
    let values = |shape: &[usize]| npy::write(&Buffer::zeros(DType::F32, shape).expect("small"));
    let mut members = vec![("format", npy::write_text(format)), ("shape", integers(&[4, 6], &[2]))];
    members.extend(match format {
        "coo" => vec![
            ("row", integers(&[3, 0, 2], &[3])),
            ("col", integers(&[5, 1, 0], &[3])),
            ("data", values(&[3])),
        ],
        "csr" => vec![
            ("indptr", integers(&[0, 1, 1, 3, 3], &[5])),
            ("indices", integers(&[4, 0, 5], &[3])),
            ("data", values(&[3])),
        ],
        "csc" => vec![
            ("indptr", integers(&[0, 1, 1, 1, 3, 3, 3], &[7])),
            ("indices", integers(&[3, 0, 1], &[3])),
            ("data", values(&[3])),
        ],
        "bsr" => vec![
            ("indptr", integers(&[0, 1, 2], &[3])),
            ("indices", integers(&[1, 0], &[2])),
            ("data", values(&[2, 2, 3])),
        ],
        _ => vec![("offsets", integers(&[-1, 0, 3], &[3])), ("data", values(&[3, 6]))],
    });
    members
}

/// A file that is well formed but for the mutations.
fn damaged(kind: &str, member: usize, mutations: &[Mutation]) -> Vec<u8> {
    let mut text = match kind {
        "mtx" => {
            b"%%MatrixMarket matrix coordinate real general\n% c\n4 6 3\n4 6 1.5\n1 2 -3e2\n3 1 0\n".to_vec()
        }
        "symmetric" => {
            b"%%MatrixMarket matrix coordinate integer skew-symmetric\n4 4 2\n2 1 9\n4 1 -5\n".to_vec()
        }
        "array" => b"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2.5\n3\n".to_vec(),
        "tns" => b"# c\n1 2 3 4.5\n4 1 1 0\n2 2 2 1e9\n".to_vec(),
        format => {
            let mut members = members(format);
            let at = member % members.len();
            mutations.iter().for_each(|mutation| mutation.apply(&mut members[at].1));
            let members: Vec<(&str, Vec<u8>)> = members;
            return npz::write(&members).expect("an archive");
        }
    };
    mutations.iter().for_each(|mutation| mutation.apply(&mut text));
    text
}

fn check(kind: &str, bytes: &[u8], request: &Request) -> Option<Tensor> {
    let format = match kind {
        "mtx" | "symmetric" | "array" => Format::MatrixMarket,
        "tns" => Format::Frostt,
        _ => Format::Npz,
    };
    let target = Target { path: PathBuf::from("mutated"), format, member: None };
    decode(&target, bytes, request, &mut Vec::new()).ok()
}

const KINDS: [&str; 9] = ["mtx", "symmetric", "array", "tns", "coo", "csr", "csc", "bsr", "dia"];

#[test]
fn what_is_not_damaged_is_read() {
    for kind in KINDS {
        let bytes = damaged(kind, 0, &[]);
        assert!(check(kind, &bytes, &Request::default()).is_some(), "{kind}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn damaged_sparse_files_are_no_panic(
        kind in prop::sample::select(KINDS.to_vec()),
        member in any::<usize>(),
        mutations in mutations(),
        trust in any::<bool>(),
        add in any::<bool>(),
    ) {
        let bytes = damaged(kind, member, &mutations);
        let wish = Wish {
            duplicates: if add { Duplicates::Add } else { Duplicates::Refuse },
            zeros: if add { Zeros::Drop } else { Zeros::Keep },
        };
        let structure = if trust { Structure::Trust } else { Structure::Check };
        match check(kind, &bytes, &Request { wish, structure, ..Request::default() }) {
            None => {}
            Some(Tensor::Dense(dense)) => prop_assert!(dense.len() <= 2 * bytes.len()),
            Some(Tensor::Sparse(sparse)) => {
                let sparse = sparse.coordinates;
                prop_assert!(sparse.len() <= 2 * bytes.len());
                prop_assert_eq!(sparse.order(), Order::Strict);
                if sparse.shape().iter().all(|&extent| extent < 100) {
                    let dense = sparse.to_dense();
                    prop_assert!(trust || dense.is_ok());
                }
                for format in [Format::MatrixMarket, Format::Frostt, Format::Npz] {
                    let written = encode(format, &sparse, Symmetry::General).is_ok();
                    prop_assert!(written || trust || sparse.rank() != 2);
                }
                for (column, &extent) in sparse.columns().iter().zip(sparse.shape()) {
                    prop_assert!(trust || column.iter().all(|&crd| crd < extent));
                }
            }
        }
    }
}
