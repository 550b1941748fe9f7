//! How deeply a query's text may nest, judged before it is parsed.
//!
//! The one idea: the parser tries each reserved word before a parenthesis twice, as what it begins and as a
//! name, so the time of a mistake within doubles with every such word around it. Words before parentheses,
//! and cases, that stand in one another are counted in the tokens instead, and too many are refused at once.
//! Bare parentheses, and those after words that join terms, are parsed only once, and are not counted.

use crate::text::{Refusal, Text};
use atl_diag::err;
use sqlparser::dialect::GenericDialect;
use sqlparser::tokenizer::{Token, Tokenizer};

/// How many may stand in one another.
const MOST: usize = 12;

/// Words after which a parenthesis is a term, a list or a query.
const JOINING: [&str; 21] = [
    "ALL", "AND", "AS", "BETWEEN", "BY", "ELSE", "FROM", "HAVING", "IN", "JOIN", "LIKE", "LIMIT", "ON", "OR",
    "OVER", "SELECT", "THEN", "USING", "WHEN", "WHERE", "WITH",
];

/// Refuses a text in which more stand in one another.
///
/// # Errors
/// E0542, at the first that is too deep. A text that has no tokens is left to the parser.
pub(crate) fn bounded(text: &Text) -> Result<(), Refusal> {
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, &text.text).tokenize_with_location() else {
        return Ok(());
    };
    // For each bracket or case that is open, whether it counts.
    let mut open: Vec<bool> = Vec::new();
    let mut after_word = false;
    for token in tokens {
        let counts = match &token.token {
            Token::Whitespace(_) => continue,
            Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case("case") => {
                Some(true)
            }
            Token::LParen | Token::LBracket => Some(after_word),
            Token::RParen | Token::RBracket => {
                open.pop();
                None
            }
            Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case("end") => {
                open.pop();
                None
            }
            _ => None,
        };
        after_word = matches!(&token.token, Token::Word(word)
            if word.quote_style.is_some() || !JOINING.iter().any(|joining| word.value.eq_ignore_ascii_case(joining)));
        open.extend(counts);
        if open.iter().filter(|counts| **counts).count() > MOST {
            let span = text.span(token.span);
            let message = err!(E0542, span, "this stands in {MOST} others like it");
            return Err(Box::new(message.label("here").help(
                "write fewer functions, conditions and subqueries within one another: name parts of them in a query in `from`",
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{MOST, bounded};
    use crate::sql::parse;
    use crate::text::Text;
    use atl_diag::SourceMap;
    use std::time::{Duration, Instant};

    #[test]
    fn mistakes_that_the_parser_reads_again_and_again_are_refused_at_once() {
        let opens =
            ["not (", "cast(", "position(", "array[", "abs(", "case when a = 1 then ", "NOT /* so */ ("];
        for open in opens {
            for close in ["", ")", "]", " end", " as int)"] {
                let text = format!("select {}a b c{} from R", open.repeat(60), close.repeat(60));
                let start = Instant::now();
                assert!(parse(&Text::new(&mut SourceMap::default(), &text)).is_err(), "{text}");
                assert!(start.elapsed() < Duration::from_secs(20), "{text}");
            }
        }
    }

    #[test]
    fn what_people_and_programs_write_is_within_bounds() {
        let allowed = |text: &str| bounded(&Text::new(&mut SourceMap::default(), text)).is_ok();
        let deep = |open: &str, close: &str, times: usize| {
            format!("select {}a{} from R", open.repeat(times), close.repeat(times))
        };
        for (open, close) in [("(", ")"), ("(1 + (", "))"), ("1 and (", ")"), ("(b in (", "))")] {
            assert!(allowed(&deep(open, close, 30)), "{open}");
        }
        for (open, close) in [("abs(", ")"), ("case when b < 2 then ", " end"), ("\"abs\" (", ")")] {
            assert!(allowed(&deep(open, close, MOST)), "{open}");
            assert!(!allowed(&deep(open, close, MOST + 1)), "{open}");
        }
        assert!(allowed(&vec!["abs(a)"; 1000].join(" + ")) && allowed("' ") && allowed("))))"));
    }
}
