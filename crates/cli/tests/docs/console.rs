//! `console` blocks: commands, and patterns of what they print.
//!
//! In a pattern, a line `...` stands for any lines and `[..]` for any characters of a line.

/// The commands of a block, each with what it must print.
pub(crate) fn session(text: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    let mut continued = false;
    for line in text.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((format!("{command}\n"), String::new())),
            (None, Some((command, _))) if continued => *command += &format!("{line}\n"),
            (None, Some((_, output))) => *output += &format!("{line}\n"),
            (None, None) => {}
        }
        continued = line.ends_with('\\') && (continued || line.starts_with("$ "));
    }
    commands
}

/// Is this what the pattern says?
pub(crate) fn same_output(pattern: &str, output: &str) -> bool {
    let lines = |text| str::lines(str::trim_end(text)).collect::<Vec<_>>();
    same_lines(&lines(pattern), &lines(output))
}

fn same_lines(pattern: &[&str], lines: &[&str]) -> bool {
    match (pattern.split_first(), lines.split_first()) {
        (Some((&"...", rest)), _) => (0..=lines.len()).any(|n| same_lines(rest, &lines[n..])),
        (Some((p, rest)), Some((line, more))) => same_line(p, line) && same_lines(rest, more),
        (None, None) => true,
        _ => false,
    }
}

fn same_line(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.trim_end().split("[..]");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.trim_end().strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The lines of the pattern that are nowhere in the output.
pub(crate) fn absent(pattern: &str, output: &str) -> String {
    let found = |p: &str| p == "..." || output.lines().any(|line| same_line(p, line));
    pattern.lines().filter(|p| !found(p)).map(|p| format!("---- not printed: {p}\n")).collect()
}

#[test]
fn outputs_are_compared() {
    let check = |pattern, output, same| {
        assert_eq!(same_output(pattern, output), same, "{pattern:?} and {output:?}");
    };
    check("a\nb\n", "a\nb\n", true);
    check("a\n", "a\nb\n", false);
    check("a\n...\nc\n", "a\nb\nb\nc\n", true);
    check("a\n...\nc\n", "a\nb\n", false);
    check("took [..] ms, [..]\n", "took 3 ms, once\n", true);
    check("took [..] ms\n", "took 3 s\n", false);
    check("...\n", "", true);
    assert_eq!(absent("a\n...\nc\n", "a\nb\n"), "---- not printed: c\n");
}

#[test]
fn commands_are_told_from_their_output() {
    let commands = [("a \\\n  b\n".to_owned(), "c\n".to_owned()), ("d\n".to_owned(), String::new())];
    assert_eq!(session("$ a \\\n  b\nc\n$ d\n"), commands);
}
