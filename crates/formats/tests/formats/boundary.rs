//! Arrays from outside: each kind of damage is refused with its level, array, entry, what was found and what was expected.

use atl_formats::{Format, Metadata, Sparse};

/// Arrays of a format, level by level, with the number of parents of each.
fn check(format: &str, shape: &[usize], levels: &[(usize, &[&[i64]])], values: usize, expected: &str) {
    let instance = Format::parse(format, shape.len()).unwrap().at(shape).unwrap();
    let metadata = levels
        .iter()
        .map(|(parents, arrays)| Metadata::new(*parents, arrays.iter().map(|array| array.to_vec()).collect()))
        .collect();
    let found = Sparse::try_new(instance, metadata, vec![1.0; values], 0.0);
    assert_eq!(found.map_or_else(|refusal| refusal.to_string(), |_| "accepted".to_owned()), expected);
}

/// The compressed rows of a 3 by 4 matrix.
fn csr(pos: &[i64], crd: &[i64], values: usize, expected: &str) {
    check("csr", &[3, 4], &[(1, &[]), (3, &[pos, crd])], values, expected);
}

#[test]
fn compressed_rows_are_checked() {
    csr(&[0, 2, 2, 3], &[1, 3, 0], 3, "accepted");
    csr(
        &[0, 2, 3],
        &[1, 3, 0],
        3,
        "level 1 (compressed): `pos` has 3 entries, expected 4, one more than segments",
    );
    csr(&[], &[], 0, "level 1 (compressed): `pos` has 0 entries, expected 4, one more than segments");
    csr(&[1, 2, 2, 3], &[1, 3, 0], 3, "level 1 (compressed): pos[0] is 1, expected 0");
    csr(&[0, 2, 1, 3], &[1, 3, 0], 3, "level 1 (compressed): pos[2] is 1, expected at least 2");
    csr(
        &[0, 2, i64::MIN, 3],
        &[1, 3, 0],
        3,
        &format!("level 1 (compressed): pos[2] is {}, expected at least 2", i64::MIN),
    );
    csr(
        &[0, 2, 2, 4],
        &[1, 3, 0],
        3,
        "level 1 (compressed): pos[3] is 4, expected 3, as many as there are entries",
    );
    csr(&[0, 2, 2, 3], &[1, 4, 0], 3, "level 1 (compressed): crd[1] is 4, expected a coordinate in 0..4");
    csr(&[0, 2, 2, 3], &[1, -1, 0], 3, "level 1 (compressed): crd[1] is -1, expected a coordinate in 0..4");
    csr(
        &[0, 2, 2, 3],
        &[3, 1, 0],
        3,
        "level 1 (compressed): crd[1] is 1, expected more than the coordinate before it, 3",
    );
    csr(
        &[0, 2, 2, 3],
        &[1, 1, 0],
        3,
        "level 1 (compressed): crd[1] is 1, expected more than the coordinate before it, 1",
    );
    csr(
        &[0, 2, 2, 3],
        &[1, 3, 0],
        2,
        "level 2 (values): `values` has 2 entries, expected 3, as many as positions of the last level",
    );
    let parents = "level 1 (compressed): it has 4 parents, expected 3, as many as positions above";
    check("csr", &[3, 4], &[(1, &[]), (4, &[&[0; 5], &[]])], 0, parents);
    check(
        "csr",
        &[3, 4],
        &[(0, &[]), (0, &[&[0], &[]])],
        0,
        "level 0 (dense): it has 0 parents, expected 1, for the root",
    );
    check("csr", &[3, 4], &[(1, &[])], 0, "level 0 (format): `levels` has 1 entries, expected 2");
    check(
        "csr",
        &[3, 4],
        &[(1, &[]), (3, &[&[0; 4]])],
        0,
        "level 1 (compressed): `arrays` has 1 entries, expected 2",
    );
}

#[test]
fn lists_of_coordinates_are_checked() {
    let coo = |rows: &[i64], columns: &[i64], expected: &str| {
        check("coo", &[3, 4], &[(1, &[&[0, rows.len() as i64], rows, columns])], rows.len(), expected);
    };
    coo(&[0, 0, 2], &[1, 3, 0], "accepted");
    coo(&[0, 0, 2], &[1, 3], "level 0 (compressed): `crd1` has 2 entries, expected 3");
    coo(&[0, 3, 2], &[1, 3, 0], "level 0 (compressed): crd0[1] is 3, expected a coordinate in 0..3");
    coo(
        &[0, 0, 2],
        &[3, 1, 0],
        "level 0 (compressed): crd1[1] is 1, expected more than the coordinate before it, 3",
    );
    coo(
        &[1, 0, 2],
        &[1, 3, 0],
        "level 0 (compressed): crd1[1] is 3, expected more than the coordinate before it, 1",
    );
}

#[test]
fn diagonals_are_checked() {
    let dia = |offsets: &[i64], expected: &str| {
        let count = offsets.len();
        check("dia", &[3, 4], &[(1, &[&[0, count as i64], offsets]), (count, &[])], 3 * count, expected);
    };
    dia(&[-2, 0, 3], "accepted");
    dia(&[-3, 0], "level 0 (compressed): crd[0] is -3, expected a coordinate in -2..4");
    dia(&[0, 4], "level 0 (compressed): crd[1] is 4, expected a coordinate in -2..4");
    dia(&[1, 0], "level 0 (compressed): crd[1] is 0, expected more than the coordinate before it, 1");
}

#[test]
fn tables_and_rows_are_checked() {
    let level = |level: &str, arrays: &[&[i64]], values: usize, expected: &str| {
        check(&format!("[dense, {level}]"), &[2, 4], &[(1, &[]), (2, arrays)], values, expected);
    };
    level("hash(3)", &[&[3, 1, -1, -1, -1, 2]], 6, "accepted");
    level("hash(3)", &[&[3, 1, -1, -1, -1]], 5, "level 1 (hash): `tab` has 5 entries, expected 6");
    level(
        "hash(3)",
        &[&[3, 4, -1, -1, -1, 2]],
        6,
        "level 1 (hash): tab[1] is 4, expected a coordinate in 0..4",
    );
    level(
        "hash(3)",
        &[&[3, 1, 1, -1, -1, 2]],
        6,
        "level 1 (hash): tab[2] is 1, expected another coordinate than tab[1]",
    );
    let lost = "level 1 (hash): tab[1] is 0, expected a coordinate that is found there: an empty slot ends its search before";
    level("hash(3)", &[&[-1, 0, -1, -1, -1, 2]], 6, lost);
    level("ell(2)", &[&[1, 3, -1, -1]], 4, "accepted");
    level(
        "ell(2)",
        &[&[-1, 3, -1, -1]],
        4,
        "level 1 (ell): crd[1] is 3, expected -1, as in the place before it",
    );
    level(
        "ell(2)",
        &[&[3, 1, -1, -1]],
        4,
        "level 1 (ell): crd[1] is 1, expected more than 3, the coordinate before it",
    );
    level("ell(2)", &[&[3, -2, -1, -1]], 4, "level 1 (ell): crd[1] is -2, expected a coordinate in 0..4");
    level("bitmask", &[&[0, 1, 0, 0, 0, 1, 1, 1]], 8, "accepted");
    level("bitmask", &[&[0, 2, 0, 0, 0, 1, 1, 1]], 8, "level 1 (bitmask): bits[1] is 2, expected 0 or 1");
    let rank: &[i64] = &[0, 0, 1, 1, 1, 1, 2, 3, 4];
    level("rankmask", &[&[0, 1, 0, 0, 0, 1, 1, 1], rank], 4, "accepted");
    let differs = "level 1 (rankmask): rank[2] is 1, expected 0, as many flags as are set";
    level("rankmask", &[&[0, 0, 1, 0, 0, 1, 1, 1], rank], 4, differs);
    level("singleton", &[&[3, -1]], 2, "accepted");
    level("singleton", &[&[3, 4]], 2, "level 1 (singleton): crd[1] is 4, expected a coordinate in 0..4");
}

#[test]
fn bands_blocks_and_runs_are_checked() {
    let level = |level: &str, arrays: &[&[i64]], values: usize, expected: &str| {
        check(&format!("[dense, {level}]"), &[2, 4], &[(1, &[]), (2, arrays)], values, expected);
    };
    level("band", &[&[0, 2, 2], &[2, 0]], 2, "accepted");
    level(
        "band",
        &[&[0, 2, 2], &[3, 0]],
        2,
        "level 1 (band): start[0] is 3, expected 0 to 2, for a band inside the extent",
    );
    level(
        "band",
        &[&[0, 5, 5], &[0, 0]],
        5,
        "level 1 (band): pos[1] is 5, expected at most 4, for a band inside the extent",
    );
    let far = i64::MAX - 1;
    let most = format!("level 1 (band): pos[1] is {far}, expected at most 4, for a band inside the extent");
    level("band", &[&[0, far, i64::MAX], &[0, 0]], 5, &most);
    level("blocklist", &[&[0, 2, 2], &[0, 3], &[0, 2, 3]], 3, "accepted");
    level(
        "blocklist",
        &[&[0, 2, 2], &[0, 3], &[0, 0, 1]],
        1,
        "level 1 (blocklist): ofs[1] is 0, expected more than 0, for no block is empty",
    );
    let over = "level 1 (blocklist): start[1] is 1, expected 2 to 3, after the block before it and inside the extent";
    level("blocklist", &[&[0, 2, 2], &[0, 1], &[0, 2, 3]], 3, over);
    level("rle", &[&[0, 2, 3], &[1, 4, 4]], 3, "accepted");
    level(
        "rle",
        &[&[0, 2, 3], &[1, 4, 3]],
        3,
        "level 1 (rle): pos[2] is 3, expected the end of a run that ends at the extent, 4",
    );
    level(
        "rle",
        &[&[0, 2, 3], &[4, 4, 4]],
        3,
        "level 1 (rle): right[1] is 4, expected a coordinate in 5..=4",
    );
    level(
        "rle",
        &[&[0, 0, 1], &[4]],
        1,
        "level 1 (rle): pos[1] is 0, expected the end of a run that ends at the extent, 4",
    );
    level("sparse_runs", &[&[0, 1, 2], &[1, 0], &[3, 4]], 2, "accepted");
    level(
        "sparse_runs",
        &[&[0, 2, 2], &[1, 2], &[3, 4]],
        2,
        "level 1 (sparse_runs): left[1] is 2, expected at least 3, the end of the run before it",
    );
    level(
        "sparse_runs",
        &[&[0, 1, 2], &[1, 0], &[1, 4]],
        2,
        "level 1 (sparse_runs): right[0] is 1, expected more than 1, at most 4",
    );
}

#[test]
fn lengths_are_checked_before_entries() {
    let level = |level: &str, arrays: &[&[i64]], expected: &str| {
        let expected = format!("level 1 ({}): {expected}", level.split('(').next().unwrap());
        check(&format!("[dense, {level}]"), &[2, 4], &[(1, &[]), (2, arrays)], 0, &expected);
    };
    level("dense", &[&[0]], "`arrays` has 1 entries, expected 0");
    level("ell(2)", &[&[1, 3, -1]], "`crd` has 3 entries, expected 4");
    level("bitmask", &[&[0; 7]], "`bits` has 7 entries, expected 8");
    level("singleton", &[&[0; 3]], "`crd` has 3 entries, expected 2");
    level("singleton", &[&[0, -2]], "crd[1] is -2, expected a coordinate in 0..4");
    level("rankmask", &[&[0; 7], &[0; 9]], "`bits` has 7 entries, expected 8");
    level("rankmask", &[&[2; 8], &[0; 9]], "bits[0] is 2, expected 0 or 1");
    level("rankmask", &[&[0; 8], &[0; 8]], "`rank` has 8 entries, expected 9, one more than segments");
    level("band", &[&[0, 0], &[0, 0]], "`pos` has 2 entries, expected 3, one more than segments");
    level("band", &[&[0, 0, 0], &[0]], "`start` has 1 entries, expected 2");
    level("band", &[&[0, 0, 0], &[-1, 0]], "start[0] is -1, expected 0 to 4, for a band inside the extent");
    level("blocklist", &[&[0, 0, 1], &[], &[0]], "pos[2] is 1, expected 0, as many as there are entries");
    level("blocklist", &[&[0, 0, 1], &[0], &[0]], "`ofs` has 1 entries, expected 2, one more than segments");
    let before = "start[0] is -1, expected 0 to 3, after the block before it and inside the extent";
    level("blocklist", &[&[0, 0, 1], &[-1], &[0, 1]], before);
    level("rle", &[&[0, 1, 1], &[4, 4]], "pos[2] is 1, expected 2, as many as there are entries");
    level("rle", &[&[0, 1, 2], &[5, 4]], "right[0] is 5, expected a coordinate in 1..=4");
    level("sparse_runs", &[&[0, 0, 1], &[0], &[]], "`right` has 0 entries, expected 1");
    level("sparse_runs", &[&[0, 0, 1], &[0], &[5]], "right[0] is 5, expected more than 0, at most 4");
    level(
        "sparse_runs",
        &[&[0, 0, 1], &[-1], &[1]],
        "left[0] is -1, expected at least 0, the end of the run before it",
    );
    level("hash(3)", &[&[-1; 5], &[]], "`arrays` has 2 entries, expected 1");
}

#[test]
fn numbers_of_positions_that_overflow_are_refused() {
    let wide = 1 << 40;
    for level in ["dense", "bitmask", "rankmask"] {
        let arrays: &[&[i64]] = match level {
            "dense" => &[],
            "bitmask" => &[&[]],
            _ => &[&[], &[0]],
        };
        let expected = format!(
            "level 1 ({level}): it has {wide} parents, expected so few that {wide} positions each can be numbered"
        );
        check(&format!("[dense, {level}]"), &[wide, wide], &[(1, &[]), (wide, arrays)], 0, &expected);
    }
    for level in ["hash(1099511627776)", "ell(1099511627776)"] {
        let name = &level[..level.find('(').unwrap()];
        let expected = format!(
            "level 1 ({name}): it has {wide} parents, expected so few that {wide} positions each can be numbered"
        );
        check(&format!("[dense, {level}]"), &[wide, 4], &[(1, &[]), (wide, &[&[]])], 0, &expected);
    }
}

#[test]
fn tensors_without_elements_have_roots() {
    check("csr", &[0, 3], &[(1, &[]), (0, &[&[0], &[]])], 0, "accepted");
    check("dcsr", &[0, 3], &[(1, &[&[0, 0], &[]]), (0, &[&[0], &[]])], 0, "accepted");
    check("dense", &[3, 0], &[(1, &[]), (3, &[])], 0, "accepted");
    check(
        "dcsr",
        &[0, 3],
        &[(0, &[&[0], &[]]), (0, &[&[0], &[]])],
        0,
        "level 0 (compressed): it has 0 parents, expected 1, for the root",
    );
}
