//! Rust text, as far as the checks need it: which characters are code, and which lines are tests.
//!
//! The one idea: [`code`] replaces comments and the contents of literals by spaces, and keeps every line and
//! column. On the result, searching for words and matching braces is right without a parser.

/// The text with comments and the contents of string and character literals blanked out.
pub(crate) fn code(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = match literal_or_comment(&chars, at) {
            Some(end) => end,
            None => {
                out.push(chars[at]);
                at += 1;
                continue;
            }
        };
        // A literal keeps its quotes, so that it still counts as something.
        let quote = chars[at..end].iter().find(|c| !matches!(c, 'r' | 'b' | 'c' | '#')).copied();
        let quoted = matches!(quote, Some('"' | '\''));
        for (offset, c) in chars[at..end].iter().enumerate() {
            let edge = offset == 0 || offset + 1 == end - at;
            out.push(if *c == '\n' {
                '\n'
            } else if quoted && edge {
                '"'
            } else {
                ' '
            });
        }
        at = end;
    }
    out
}

/// Where the comment or literal that begins here ends; `None` when none begins.
fn literal_or_comment(chars: &[char], at: usize) -> Option<usize> {
    let next = |ahead: usize| chars.get(at + ahead).copied().unwrap_or('\n');
    let in_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    match chars[at] {
        '/' if next(1) == '/' => Some(find(chars, at, |c| c == '\n')),
        '/' if next(1) == '*' => Some(block_comment(chars, at)),
        '"' => Some(string(chars, at + 1)),
        'b' | 'c' if !in_word && next(1) == '"' => Some(string(chars, at + 2)),
        'r' if !in_word => raw_string(chars, at + 1),
        'b' | 'c' if !in_word && next(1) == 'r' => raw_string(chars, at + 2),
        '\'' if next(1) == '\\' => Some(find(chars, at + 3, |c| c == '\'') + 1),
        '\'' if next(2) == '\'' => Some(at + 3),
        _ => None,
    }
}

fn find(chars: &[char], from: usize, stop: impl Fn(char) -> bool) -> usize {
    let from = from.min(chars.len());
    chars[from..].iter().position(|c| stop(*c)).map_or(chars.len(), |offset| from + offset)
}

fn block_comment(chars: &[char], at: usize) -> usize {
    let (mut depth, mut at) = (0, at);
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) if depth == 1 => return at + 2,
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    chars.len()
}

fn string(chars: &[char], mut at: usize) -> usize {
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

/// After the `r`: hashes, a quote, and everything up to a quote with as many hashes.
fn raw_string(chars: &[char], at: usize) -> Option<usize> {
    let hashes = chars[at..].iter().take_while(|c| **c == '#').count();
    if chars.get(at + hashes) != Some(&'"') {
        return None;
    }
    let mut quote = at + hashes + 1;
    loop {
        quote = find(chars, quote, |c| c == '"');
        let after =
            chars[(quote + 1).min(chars.len())..].iter().take_while(|c| **c == '#').take(hashes).count();
        if quote >= chars.len() || after == hashes {
            return Some((quote + 1 + hashes).min(chars.len()));
        }
        quote += 1;
    }
}

/// Is the whole file a test?
pub(crate) fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == "tests.rs"
        || name.ends_with("_tests.rs")
        || path.contains("/tests/")
        || path.starts_with("tests/")
}

/// For each line of the text, whether it stands in an item under `#[cfg(test)]`. Takes what [`code`] returns.
pub(crate) fn test_lines(code: &str) -> Vec<bool> {
    let lines: Vec<&str> = code.lines().collect();
    let mut test = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        if !lines[at].trim_start().starts_with("#[cfg(test)]") {
            at += 1;
            continue;
        }
        let mut depth = 0_i32;
        loop {
            test[at] = true;
            let closes_or_ends = lines[at].chars().fold(false, |done, c| match c {
                '{' => {
                    depth += 1;
                    false
                }
                '}' => {
                    depth -= 1;
                    depth == 0
                }
                ';' if depth == 0 => true,
                _ => done,
            });
            at += 1;
            if closes_or_ends || at == lines.len() {
                break;
            }
        }
    }
    test
}

/// The lines, numbered from 1, that are neither in test files nor under `#[cfg(test)]`; comments blanked out.
pub(crate) fn shipped_lines(path: &str, text: &str) -> Vec<(usize, String)> {
    if is_test_file(path) {
        return Vec::new();
    }
    let code = code(text);
    let test = test_lines(&code);
    code.lines()
        .zip(test)
        .enumerate()
        .filter(|(_, (_, t))| !t)
        .map(|(n, (l, _))| (n + 1, l.to_owned()))
        .collect()
}

/// Does the word stand in the line, not as a part of a longer one?
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(part)
            && !line[at + word.len()..].chars().next().is_some_and(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found = code(text);
        assert_eq!(found.lines().count(), text.lines().count());
        assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{text}");
    }

    #[test]
    fn comments_and_literals_are_blank() {
        check("a // b\nc", "a c");
        check("a /* b /* c */ d */ e", "a e");
        check(r#"f("x // \" y") + 1"#, "f(\" \") + 1");
        check("f(r#\"a \" b\"#);", "f(\" \");");
        check("b\"x\" c\"y\" br\"z\"", "\" \" \" \" \" \"");
        check("'\\'' 'x' '{'", "\" \" \" \" \" \"");
        check("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)");
        check("for r in rows", "for r in rows");
        check("var\"x\"", "var\" \"");
    }

    #[test]
    fn tests_are_told_apart() {
        let text = "a\n#[cfg(test)]\nmod tests {\n    fn f() { \"}\"; }\n}\nb\n#[cfg(test)]\nmod far;\nc\n";
        let lines: Vec<String> = shipped_lines("src/x.rs", text).into_iter().map(|(_, line)| line).collect();
        assert_eq!(lines, ["a", "b", "c"]);
        assert!(shipped_lines("src/tests.rs", text).is_empty());
        assert!(shipped_lines("crates/a/tests/x.rs", text).is_empty());
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("an unsafe block", "unsafe"));
        assert!(!has_word("unsafe_code", "unsafe"));
    }
}
