//! "Did you mean": the known name that is closest to one that is not.

/// The name that differs in case only, or the closest one within a third of the letters' edits (at least one).
pub fn closest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (name.chars().count() / 3).max(1);
    let cost = |k: &str| if k.eq_ignore_ascii_case(name) { 0 } else { distance(name, k) };
    let near = known.map(|k| (cost(k), k)).filter(|(d, k)| *d <= allowed && *d < k.chars().count());
    near.min().map(|(_, k)| k)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (last[j - 1] + same).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, known: &[&str], expected: Option<&str>) {
        assert_eq!(closest(name, known.iter().copied()), expected, "{name}");
    }

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        check("imgae", &["image", "kernel"], Some("image"));
        check("bluur", &["blur", "bx"], Some("blur"));
        check("N", &["M"], None);
        check("n", &["M", "N"], Some("N"));
        check("x1", &["x", "y"], None);
        check("transposed", &["transpose", "flatten"], Some("transpose"));
        check("kernel", &["image"], None);
    }
}
