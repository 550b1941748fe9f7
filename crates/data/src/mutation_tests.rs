//! Damaged files: every reader answers with an array or an error, never with a panic or a large allocation.

use std::path::PathBuf;

use proptest::prelude::*;

use super::{EXTENSIONS, Format, Target, Wanted, decode, encode};
use atl_runtime::{Buffer, DType};

/// One change to a file.
#[derive(Clone, Debug)]
pub(super) enum Mutation {
    /// Overwrites the byte at this fraction of the file.
    Set(prop::sample::Index, u8),
    /// Cuts the file off.
    Truncate(prop::sample::Index),
    /// Inserts bytes.
    Insert(prop::sample::Index, Vec<u8>),
    /// Removes a byte.
    Remove(prop::sample::Index),
}

impl Mutation {
    pub(super) fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let len = bytes.len();
        match self {
            Mutation::Set(at, value) => bytes[at.index(len)] = *value,
            Mutation::Truncate(at) => bytes.truncate(at.index(len)),
            Mutation::Insert(at, inserted) => {
                let at = at.index(len);
                bytes.splice(at..at, inserted.iter().copied());
            }
            Mutation::Remove(at) => {
                bytes.remove(at.index(len));
            }
        }
    }
}

pub(super) fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let index = any::<prop::sample::Index>;
    // Digits and brackets hit the headers' syntax more often than arbitrary bytes do.
    let byte = || prop_oneof![any::<u8>(), prop::sample::select(b"0123456789()[],'-<>|\n e".to_vec())];
    let mutation = prop_oneof![
        4 => (index(), byte()).prop_map(|(at, value)| Mutation::Set(at, value)),
        1 => index().prop_map(Mutation::Truncate),
        2 => (index(), prop::collection::vec(byte(), 1..12)).prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        1 => index().prop_map(Mutation::Remove),
    ];
    prop::collection::vec(mutation, 1..6)
}

/// Reading the mutated file ends; an array that comes out is not larger than what the bytes can back.
fn check(format: Format, dtype: DType, mutations: &[Mutation]) {
    let target = Target { path: PathBuf::from("mutated"), format, member: None };
    let buffer = Buffer::zeros(dtype, &[3, 4]).expect("small");
    let Ok(mut bytes) = encode(&target, &buffer, &mut Vec::new()) else {
        assert_eq!(format, Format::Wav, "{dtype}");
        return;
    };
    for mutation in mutations {
        mutation.apply(&mut bytes);
    }
    if let Ok(loaded) = decode(&target, &bytes, Wanted::default(), 0.0)
        && !matches!(format, Format::Image(_))
    {
        assert!(loaded.buffer.len() <= bytes.len());
    }
}

/// The formats that hold arrays.
fn formats_of_arrays() -> Vec<Format> {
    EXTENSIONS.iter().map(|(_, format)| *format).filter(|format| *format != Format::Frostt).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn damaged_files_are_no_panic(
        format in prop::sample::select(formats_of_arrays()),
        dtype in prop::sample::select(DType::ALL.to_vec()),
        mutations in mutations(),
    ) {
        check(format, dtype, &mutations);
    }
}
