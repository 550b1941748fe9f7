//! `like`: patterns of texts, where `%` matches any characters and `_` one.

/// Which texts match.
pub(crate) fn matching(pattern: &str, texts: &[String]) -> Vec<bool> {
    // Most patterns are a word between two `%`, which is looked for by the library's quick search.
    let inner = pattern.strip_prefix('%').and_then(|rest| rest.strip_suffix('%'));
    if let Some(word) = inner.filter(|word| !word.contains(['%', '_'])) {
        return texts.iter().map(|text| text.contains(word)).collect();
    }
    texts.iter().map(|text| matches(pattern, text)).collect()
}

/// Does the text match? Where a `%` turns out to match too little, it takes one character more: the last
/// one does, for what comes before it has matched as early as it can.
fn matches(pattern: &str, text: &str) -> bool {
    let (mut rest, mut left) = (pattern.chars(), text.chars());
    let mut retry: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let (mut after, mut next) = (rest.clone(), left.clone());
        let fits = match (after.next(), next.next()) {
            (Some('%'), _) => {
                retry = Some((after.clone(), left.clone()));
                rest = after;
                continue;
            }
            (None, None) => return true,
            (Some('_'), Some(_)) => true,
            (Some(a), Some(b)) => a == b,
            (None, Some(_)) | (Some(_), None) => false,
        };
        if fits {
            (rest, left) = (after, next);
            continue;
        }
        let Some((pattern, mut text)) = retry.take() else { return false };
        if text.next().is_none() {
            return false;
        }
        (rest, left) = (pattern.clone(), text.clone());
        retry = Some((pattern, text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition.
    fn slow(pattern: &[char], text: &[char]) -> bool {
        match pattern {
            [] => text.is_empty(),
            ['%', rest @ ..] => (0..=text.len()).any(|n| slow(rest, &text[n..])),
            ['_', rest @ ..] => !text.is_empty() && slow(rest, &text[1..]),
            [c, rest @ ..] => text.first() == Some(c) && slow(rest, &text[1..]),
        }
    }

    #[test]
    fn patterns_match_what_their_definition_says() {
        let words = |letters: &[char], most: u32| {
            let mut words = vec![String::new()];
            let mut last = words.clone();
            for _ in 0..most {
                last =
                    last.iter().flat_map(|word| letters.iter().map(move |c| format!("{word}{c}"))).collect();
                words.extend(last.iter().cloned());
            }
            words
        };
        let texts = words(&['a', 'é'], 5);
        for pattern in words(&['a', 'é', '%', '_'], 4) {
            let chars: Vec<char> = pattern.chars().collect();
            let expected: Vec<bool> =
                texts.iter().map(|text| slow(&chars, &text.chars().collect::<Vec<_>>())).collect();
            assert_eq!(matching(&pattern, &texts), expected, "{pattern}");
        }
    }
}
