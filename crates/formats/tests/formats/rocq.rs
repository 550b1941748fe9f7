//! The laws of levels, and those that Rocq has proved of them: the same names. Matrices that Rocq stores there: the same arrays.

use atl_formats::laws::LAWS;
use atl_formats::levels::TABLE;
use atl_formats::oracle::compress;
use atl_formats::{Dense, Format};

const LEVEL: &str = include_str!("../../../../proofs/formats/Level.v");
const SHIPPED: &str = include_str!("../../../../proofs/formats/Shipped.v");

/// What stands before the first character that is not part of a name.
fn name(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// `CrdPosGet` is `crd_pos_get`.
fn in_lower_case(law: &str) -> String {
    let mut text = String::new();
    for letter in law.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

#[test]
fn the_laws_in_rocq_are_those_of_the_table() {
    let section = LEVEL.split("Section Laws.").nth(1).expect("its section");
    let defined: Vec<&str> = section
        .split("\nDefinition ")
        .skip(1)
        .map(name)
        .filter(|n| n.starts_with(char::is_uppercase))
        .collect();
    // What a level says of itself is no law of its metadata.
    let known: Vec<&str> = LAWS.iter().map(|law| law.name).filter(|name| *name != "Capabilities").collect();
    assert_eq!(defined, known);
    let lawful =
        section.split("Record lawful").nth(1).and_then(|s| s.split("\n}").next()).expect("its record");
    for law in known {
        let field = format!("{} : {law}", in_lower_case(law));
        let follows = format!("Lemma {} : lawful -> {law}.", in_lower_case(law));
        assert!(lawful.contains(&field) || section.contains(&follows), "{law}");
    }
}

#[test]
fn every_level_has_a_proof() {
    let proved =
        SHIPPED.split("Inductive shipped").nth(1).and_then(|s| s.split("\n\n").next()).expect("its cases");
    let mut proved: Vec<&str> =
        proved.split("\n| ").skip(1).map(name).map(|n| n.trim_end_matches("_shipped")).collect();
    // Lists of coordinates, and of pairs of them, are one level here.
    proved.retain(|level| *level != "sorted_pairs");
    proved.iter_mut().filter(|level| **level == "sorted_list").for_each(|level| *level = "compressed");
    proved.sort_unstable();
    let known: Vec<&str> = TABLE.iter().map(|kind| kind.name).collect();
    assert_eq!(proved, known);
}

/// The matrices of the examples.
const MATRIX: [i64; 9] = [0, 7, 0, 0, 0, 0, 5, 0, 6];
const SPOTS: [i64; 9] = [0, 8, 0, 0, 0, 0, 9, 0, 0];
const STRIPES: [i64; 15] = [0, 4, 4, 0, 5, 0, 0, 0, 0, 0, 6, 6, 0, 0, 7];

/// A list in Rocq.
fn list<T: std::fmt::Display>(entries: impl IntoIterator<Item = T>) -> String {
    let entries: Vec<String> = entries.into_iter().map(|entry| entry.to_string()).collect();
    format!("[{}]", entries.join("; "))
}

/// The arrays of a level over three rows, as its metadata is written in Rocq.
fn in_rocq(level: &str, arrays: &[Vec<i64>]) -> String {
    let flags = |flags: &[i64]| list(flags.iter().map(|flag| *flag == 1));
    match (level, arrays) {
        ("band" | "rle", [pos, other]) => format!("({}, {})", list(pos), list(other)),
        ("bitmask", [bits]) => format!("(3, {})", flags(bits)),
        ("blocklist", [pos, start, ofs]) => format!("({}, ({}, {}))", list(pos), list(ofs), list(start)),
        ("compressed", [pos, crd]) => format!("({}, {})", list(pos), list(crd)),
        ("ell(2)" | "hash(2)" | "singleton", [crd]) => {
            let entry = |crd: &i64| if *crd < 0 { "None".to_owned() } else { format!("Some {crd}") };
            format!("(3, {})", list(crd.iter().map(entry)))
        }
        ("rankmask", [bits, rank]) => format!("(3, ({}, {}))", flags(bits), list(rank)),
        ("sparse_runs", [pos, left, right]) => {
            let runs = left.iter().zip(right).map(|(left, right)| format!("({left}, {right})"));
            format!("({}, {})", list(pos), list(runs))
        }
        _ => panic!("{level} has other arrays"),
    }
}

#[test]
fn the_matrices_that_rocq_stores_have_the_arrays_of_the_library() {
    let of_matrix = ["bitmask", "compressed", "ell(2)", "hash(2)", "rankmask"];
    let of_stripes = ["band", "blocklist", "rle", "sparse_runs"];
    let cases = of_matrix
        .map(|level| (level, 3, &MATRIX[..]))
        .into_iter()
        .chain(of_stripes.map(|level| (level, 5, &STRIPES[..])))
        .chain([("singleton", 3, &SPOTS[..])]);
    for (level, columns, data) in cases {
        let shape = vec![3, columns];
        let format = Format::parse(&format!("[dense, {level}]"), 2).unwrap();
        let matrix = Dense { shape: shape.clone(), data: data.to_vec() };
        let stored = compress(&format.at(&shape).unwrap(), &matrix, 0).unwrap();
        let metadata = in_rocq(level, &stored.metadata()[1].arrays);
        let expected = format!("(1, ({metadata}, {}%Z)).", list(stored.values()));
        assert!(SHIPPED.contains(&expected), "{level}: {expected}");
    }
}
