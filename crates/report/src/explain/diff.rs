//! What changed between two texts: line by line, and within the lines word by word.
//!
//! Both are longest common subsequences. Within a run of changed lines words are compared whatever their line
//! and indentation, so a fragment that moved into a loop is not marked, and the loop around it is.

use std::ops::Range;

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

impl DiffLine {
    /// The line.
    pub fn text(&self) -> &str {
        match self {
            DiffLine::Same(text) | DiffLine::Removed(text) | DiffLine::Added(text) => text,
        }
    }
}

/// A line of a difference, and which bytes of it are new or gone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marked {
    /// The line.
    pub line: DiffLine,
    /// The parts that the other text lacks, in order; none in a line that is in both.
    pub parts: Vec<Range<usize>>,
}

impl Marked {
    /// Is a part of the line marked, and a part not?
    pub fn is_partial(&self) -> bool {
        let text = self.line.text();
        let whole = text.len() - text.trim_start().len()..text.trim_end().len();
        !self.parts.is_empty() && self.parts != [whole]
    }
}

/// More pairs than this are not compared: the sequences then count as wholly different.
const MOST_PAIRS: usize = 4_000_000;

/// The lines of both texts in order, the common ones once.
pub fn diff(before: &str, after: &str) -> Vec<DiffLine> {
    let (a, b): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut out = Vec::new();
    let (mut i, mut j) = (0, 0);
    let end = (a.len(), b.len());
    for (x, y) in common(&a, &b).into_iter().chain([end]) {
        out.extend(a[i..x].iter().map(|line| DiffLine::Removed((*line).to_owned())));
        out.extend(b[j..y].iter().map(|line| DiffLine::Added((*line).to_owned())));
        out.extend(a.get(x).filter(|_| (x, y) != end).map(|line| DiffLine::Same((*line).to_owned())));
        (i, j) = (x + 1, y + 1);
    }
    out
}

/// Marks what changed within the lines of a difference.
pub fn marked(lines: Vec<DiffLine>) -> Vec<Marked> {
    let mut out: Vec<Marked> = lines.into_iter().map(|line| Marked { line, parts: Vec::new() }).collect();
    let mut start = 0;
    while start < out.len() {
        let same = |marked: &&Marked| matches!(marked.line, DiffLine::Same(_));
        let length = out[start..].iter().take_while(|marked| !same(marked)).count();
        mark(&mut out[start..start + length]);
        start += length + 1;
    }
    out
}

/// For each line, does it lie at most so many lines from a changed one?
pub fn near_changes(lines: &[Marked], context: usize) -> Vec<bool> {
    let changed = |at: usize| lines.get(at).is_some_and(|m| !matches!(m.line, DiffLine::Same(_)));
    (0..lines.len()).map(|at| (at.saturating_sub(context)..=at + context).any(changed)).collect()
}

/// Marks a run of changed lines.
fn mark(run: &mut [Marked]) {
    let words_of = |added: bool| -> Vec<(usize, Range<usize>)> {
        let side = run.iter().enumerate().filter(|(_, m)| matches!(m.line, DiffLine::Added(_)) == added);
        side.flat_map(|(k, m)| words(m.line.text()).into_iter().map(move |word| (k, word))).collect()
    };
    let (gone, new) = (words_of(false), words_of(true));
    let text = |(k, word): &(usize, Range<usize>)| &run[*k].line.text()[word.clone()];
    let (a, b): (Vec<&str>, Vec<&str>) = (gone.iter().map(text).collect(), new.iter().map(text).collect());
    let (mut in_a, mut in_b) = (vec![false; a.len()], vec![false; b.len()]);
    for (x, y) in common(&a, &b) {
        (in_a[x], in_b[y]) = (true, true);
    }
    let sides = gone.into_iter().zip(in_a).chain(new.into_iter().zip(in_b));
    for ((k, word), is_common) in sides {
        if !is_common {
            run[k].parts.push(word);
        }
    }
    run.iter_mut().for_each(coarsen);
}

/// Joins parts with nothing but punctuation between them; a line most of which is marked is marked as a
/// whole. What remains of one line in another by chance is no help to a reader.
fn coarsen(marked: &mut Marked) {
    let text = marked.line.text();
    let mut parts: Vec<Range<usize>> = Vec::new();
    for part in std::mem::take(&mut marked.parts) {
        match parts.last_mut() {
            Some(last) if !text[last.end..part.start].contains(char::is_alphanumeric) => last.end = part.end,
            _ => parts.push(part),
        }
    }
    let whole = text.len() - text.trim_start().len()..text.trim_end().len();
    let length: usize = parts.iter().map(Range::len).sum();
    marked.parts = if 2 * length > whole.len() { vec![whole] } else { parts };
}

/// The words of a line: names and numbers, and every other character by itself.
fn words(line: &str) -> Vec<Range<usize>> {
    let of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'');
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for (at, c) in line.char_indices() {
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some(word) if open && of_name(c) => word.end = end,
            _ if c.is_whitespace() => {}
            _ => words.push(at..end),
        }
        open = of_name(c);
    }
    words
}

/// A longest common subsequence, as pairs of places.
fn common<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let end = a[start..].iter().rev().zip(b[start..].iter().rev()).take_while(|(x, y)| x == y).count();
    let mut pairs: Vec<(usize, usize)> = (0..start).map(|k| (k, k)).collect();
    let inner = middle(&a[start..a.len() - end], &b[start..b.len() - end]);
    pairs.extend(inner.into_iter().map(|(i, j)| (start + i, start + j)));
    pairs.extend((0..end).rev().map(|k| (a.len() - 1 - k, b.len() - 1 - k)));
    pairs
}

fn middle<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    if a.len().saturating_mul(b.len()) > MOST_PAIRS {
        return Vec::new();
    }
    // longest[i][j]: the length of the longest common subsequence of a[i..] and b[j..].
    let mut longest = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i][j] = match a[i] == b[j] {
                true => longest[i + 1][j + 1] + 1,
                false => longest[i + 1][j].max(longest[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if longest[i + 1][j] >= longest[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
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

    /// The marked parts of each line, in brackets.
    fn check_marks(before: &str, after: &str, expected: &[&str]) {
        let lines = marked(diff(before, after)).into_iter().map(|marked| {
            let mut text = marked.line.text().to_owned();
            for part in marked.parts.iter().rev() {
                text.insert(part.end, ']');
                text.insert(part.start, '[');
            }
            text
        });
        assert_eq!(lines.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn changes_are_marked_within_lines() {
        check_marks(
            "gen y < N { a }",
            "gen y < N @parallel { a }",
            &["gen y < N { a }", "gen y < N [@parallel] { a }"],
        );
        check_marks("x\nf(a)", "x\nlet b = a;\nf(b)", &["x", "f([a])", "[let b = a;]", "f([b])"]);
        check_marks("a\nb", "{\n  a\n}\nb", &["a", "[{]", "  a", "[}]", "b"]);
        check_marks("x[y, z] + one", "x[v, w] + one", &["x[[y, z]] + one", "x[[v, w]] + one"]);
        check_marks("same", "same", &["same"]);
    }

    #[test]
    fn lines_that_are_new_as_a_whole_are_not_partial() {
        let lines = marked(diff("a", "a\n  b + c\na + b"));
        assert_eq!(lines.iter().map(Marked::is_partial).collect::<Vec<_>>(), [false, false, false]);
        assert!(marked(diff("a b c", "a b d")).iter().all(Marked::is_partial));
    }
}
