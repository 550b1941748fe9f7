//! What changed between two texts, line by line: a longest common subsequence.

/// A line of a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiffLine {
    /// In both texts.
    Same(String),
    /// In the first text only.
    Removed(String),
    /// In the second text only.
    Added(String),
}

/// More pairs of lines than this are not compared: the texts then count as wholly different.
const MOST_PAIRS: usize = 4_000_000;

/// The lines of both texts in order, the common ones once.
pub fn diff(before: &str, after: &str) -> Vec<DiffLine> {
    let (a, b): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let common_end = |(x, y): &(&&str, &&str)| x == y;
    let end = a[start..].iter().rev().zip(b[start..].iter().rev()).take_while(common_end).count();
    let (inner_a, inner_b) = (&a[start..a.len() - end], &b[start..b.len() - end]);
    let same = |line: &&str| DiffLine::Same((*line).to_owned());
    let mut out: Vec<DiffLine> = a[..start].iter().map(same).collect();
    out.extend(middle(inner_a, inner_b));
    out.extend(a[a.len() - end..].iter().map(same));
    out
}

fn middle(a: &[&str], b: &[&str]) -> Vec<DiffLine> {
    let removed = |line: &&str| DiffLine::Removed((*line).to_owned());
    let added = |line: &&str| DiffLine::Added((*line).to_owned());
    if a.len().saturating_mul(b.len()) > MOST_PAIRS {
        return a.iter().map(removed).chain(b.iter().map(added)).collect();
    }
    // longest[i][j]: the length of the longest common subsequence of a[i..] and b[j..].
    let mut longest = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i][j] = match a[i] == b[j] {
                true => longest[i + 1][j + 1] + 1,
                false => longest[i + 1][j].max(longest[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            out.push(DiffLine::Same(a[i].to_owned()));
            (i, j) = (i + 1, j + 1);
        } else if longest[i + 1][j] >= longest[i][j + 1] {
            out.push(removed(&a[i]));
            i += 1;
        } else {
            out.push(added(&b[j]));
            j += 1;
        }
    }
    out.extend(a[i..].iter().map(removed));
    out.extend(b[j..].iter().map(added));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: &str) {
        let lines: Vec<String> = diff(&before.replace(' ', "\n"), &after.replace(' ', "\n"))
            .into_iter()
            .map(|line| match line {
                DiffLine::Same(text) => format!("={text}"),
                DiffLine::Removed(text) => format!("-{text}"),
                DiffLine::Added(text) => format!("+{text}"),
            })
            .collect();
        assert_eq!(lines.join(" "), expected);
    }

    #[test]
    fn common_lines_are_kept_in_order() {
        check("a b c", "a b c", "=a =b =c");
        check("a b c", "a x c", "=a -b +x =c");
        check("a b c d", "b c e d", "-a =b =c +e =d");
        check("", "a", "+a");
        check("a a", "a", "=a -a");
    }
}
