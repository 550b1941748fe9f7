//! No input makes the reader panic, and what is printed is read as the same value.

use super::random::Random;
use crate::batch::answer;
use crate::picture::{By, Picture};
use crate::{Kind, evaluate, functions};

const PIECES: &[&str] = &[
    "(4,(2,2)):(2,(1,8))",
    "(6,2):(1,10)",
    "4:1",
    "()",
    "():()",
    "(4)",
    "_",
    "_4",
    "-3",
    "0",
    "1",
    "2",
    "64",
    "4611686018427387903",
    "99999999999999999999",
    "1@0",
    "(4,3):(1@0,1@1)",
    "Sw<3,4,3>",
    "S<0,0,0>",
    "SW_1_2_3",
    "<2;3>",
    "<4:1,_>",
    "[0,1,2]",
    "[]",
    "(",
    ")",
    "<",
    ">",
    "[",
    "]",
    ":",
    ",",
    ";",
    " o ",
    "o",
    "∘",
    "@",
    "+",
    " ",
    "é",
    "\0",
    "true",
    "M",
    "(M,4):(4,1)",
    "2*N/3",
    " where N % 4 == 0",
    "identity((4,3))",
];

/// An expression made of pieces, often with a call around it.
fn expression(random: &mut Random) -> String {
    let piece = |random: &mut Random| PIECES[random.below(PIECES.len() as u64) as usize];
    if random.below(3) == 0 {
        return (0..1 + random.below(8)).map(|_| piece(random)).collect();
    }
    let function = functions::TABLE[random.below(functions::TABLE.len() as u64) as usize];
    let arguments: Vec<&str> = (0..1 + random.below(4)).map(|_| piece(random)).collect();
    format!("{}({})", function.name, arguments.join(","))
}

#[test]
fn nothing_panics_and_what_is_printed_is_read_again() {
    let (mut answered, mut refused) = (0, 0);
    for seed in 0..100_000 {
        let text = expression(&mut Random(seed));
        match evaluate(&text) {
            Err(why) => {
                refused += 1;
                let inside = why
                    .place
                    .clone()
                    .is_none_or(|place| place.end <= text.len() && text.get(place).is_some());
                assert!(inside && !why.to_string().is_empty(), "{text}");
            }
            Ok(found) => {
                answered += 1;
                let printed = found.value.to_string();
                if text.contains("where") {
                    // What is known of sizes is not printed, and may be needed.
                    continue;
                }
                let again = evaluate(&printed).unwrap_or_else(|why| panic!("{text} is {printed}: {why}"));
                assert_eq!(again.value.to_string(), printed, "{text}");
                for by in [By::Value, By::Bank(2), By::Thread(None)] {
                    if let Ok(Some(picture)) = Picture::of(&found.value, &by) {
                        assert!(!picture.to_text().is_empty());
                    }
                }
            }
        }
    }
    assert!(answered > 5_000 && refused > 20_000, "{answered} {refused}");
}

#[test]
fn lines_of_bytes_are_answered() {
    let whole = r#"{"op": "composition", "args": ["(6,2):(1,10)", [2, [3, null]], 7]}"#;
    for seed in 0..20_000 {
        let mut random = Random(seed);
        let mut line: Vec<char> = whole.chars().collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(line.len() as u64) as usize;
            let other = whole.chars().nth(random.below(whole.len() as u64) as usize).unwrap_or('é');
            line[at] = other;
        }
        let line: String = line.into_iter().collect();
        let found = answer(&line);
        assert!(found.starts_with("{\"result\": ") || found.starts_with("{\"refused\": "), "{line}: {found}");
    }
}

#[test]
fn what_is_too_deep_or_too_large_is_refused() {
    let refused = |text: String, kind: Kind| {
        let found = evaluate(&text).map(|found| found.value.to_string());
        assert_eq!(found.map_err(|why| why.kind), Err(kind), "{}", &text[..text.len().min(40)]);
    };
    refused("(".repeat(100_000), Kind::TooLarge);
    refused("size(".repeat(100_000), Kind::TooLarge);
    refused("<".repeat(100_000), Kind::TooLarge);
    refused(" ".repeat(1 << 21), Kind::TooLarge);
    refused("(4611686018427387903,2):(1,1)".to_owned(), Kind::TooLarge);
    refused("4611686018427387903:4611686018427387903".to_owned(), Kind::TooLarge);
    refused("9223372036854775808".to_owned(), Kind::TooLarge);
    refused("(4,0):(1,4)".to_owned(), Kind::Range);
    refused("(4,-2):(1,4)".to_owned(), Kind::Range);
    refused("table(4611686018427387903:1)".to_owned(), Kind::TooLarge);
    refused("recognise([])".to_owned(), Kind::NoLayout);
    refused("1:0 o (2:1) o".to_owned(), Kind::Text);
    // An empty tuple is a shape of one index.
    let empty = |text: &str, wanted: &str| assert_eq!(evaluate(text).expect(text).value.to_string(), wanted);
    empty("size(())", "1");
    empty("coalesce(():())", "1:0");
    empty("4:1 o ():()", "():()");
    empty("():() o 4:1", "4:0");
}
