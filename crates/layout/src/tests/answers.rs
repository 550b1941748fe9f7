//! Vectors of our own: random requests with their answers, in `answers.txt`.
//!
//! Laws say what an answer must satisfy; this says that it stays the same, also in how its modes are nested, so that whoever
//! relies on a form notices. `UPDATE_EXPECT=1` writes the file anew.

use super::random::Random;
use crate::batch::answer;
use crate::functions::{self, Function};
use std::fmt::Write;
use std::path::Path;

/// Requests for each operation.
const EACH: u64 = 8;

/// An argument with this name.
fn argument(random: &mut Random, operation: &str, name: &str) -> String {
    let layout = |random: &mut Random| format!("\"{}\"", random.layout());
    match name {
        "B" if operation.ends_with("product") || operation == "composition" => match random.below(3) {
            0 => format!("\"<{};_>\"", 1 + random.below(4)),
            _ => layout(random),
        },
        "T" if operation == "partition" => "\"<2,2>\"".to_owned(),
        "T" if operation != "make_layout_tv" => match random.below(4) {
            0 => layout(random),
            1 => "\"<2:2;_>\"".to_owned(),
            _ => format!("\"<{};{}>\"", 1 + random.below(4), 1 + random.below(3)),
        },
        "A" if random.below(2) == 0 => {
            let plain = ["(8,6):(1,8)", "(8,6):(6,1)", "((2,4),6):((24,1),4)"];
            format!("\"{}\"", plain[random.below(3) as usize])
        }
        "TV" => "\"(2,2):(2,1)\"".to_owned(),
        "Sw" => format!("\"Sw<{},{},3>\"", random.below(4), random.below(3)),
        "P" if operation == "permutes" => layout(random),
        "lo" | "from" => "0".to_owned(),
        "hi" | "to" => format!("{}", 1 + random.below(9)),
        "P" => "\"logical_divide(identity((5,3)), <2,2>)\"".to_owned(),
        "bounds" | "shape" => "[5, 3]".to_owned(),
        "block" => {
            format!("\"({},{})\"", [1, 5, 2][random.below(3) as usize], [1, 3][random.below(2) as usize])
        }
        "order" => "[1, 0]".to_owned(),
        "profile" => "[1]".to_owned(),
        "values" => {
            let mut values = random.layout().table(64).expect("a small layout");
            let last = values.len() - 1;
            values[last] += i64::from(random.below(4) == 0);
            format!("{values:?}")
        }
        "c" if ["crd2idx", "local_tile"].contains(&operation) => {
            ["[0, 0]", "[1, 1]", "1"][random.below(3) as usize].to_owned()
        }
        "c" => match random.below(3) {
            0 => "[null, 0]".to_owned(),
            1 => "[1, null]".to_owned(),
            _ => format!("{}", random.below(4)),
        },
        "M" => format!("{}", 1 + random.below(100)),
        "bytes" => "4".to_owned(),
        "vector" => "1".to_owned(),
        "begin" => "0".to_owned(),
        "most" => "8".to_owned(),
        "p" => "\"[true,true,false,true]\"".to_owned(),
        "i" | "k" => format!("{}", random.below(2)),
        "end" => format!("{}", 1 + random.below(2)),
        "n" | "start" | "count" => format!("{}", 1 + random.below(12)),
        _ => layout(random),
    }
}

fn request(random: &mut Random, function: &Function) -> String {
    let names: Vec<&str> = function.parameters.names.split(", ").collect();
    let left_out = random.below(function.parameters.optional as u64 + 1) as usize;
    let arguments = names[..names.len() - left_out].iter().map(|name| argument(random, function.name, name));
    let arguments: Vec<String> = arguments.collect();
    format!("{{\"op\": \"{}\", \"args\": [{}]}}", function.name, arguments.join(", "))
}

#[test]
fn answers_stay_the_same() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/answers.txt");
    let mut found = String::new();
    for function in functions::TABLE {
        // A seed of its own, so that an operation more leaves the others' answers alone.
        let mut random =
            Random(function.name.bytes().fold(26, |seed, byte| seed * 31 % (1 << 40) + u64::from(byte)));
        for _ in 0..EACH {
            let request = request(&mut random, function);
            // Writing to a string does not fail.
            let _ = writeln!(found, "{request} -> {}", answer(&request));
        }
        let answered = found.lines().rev().take(EACH as usize).any(|line| line.contains("-> {\"result\": "));
        assert!(answered, "{} is refused each time\n{found}", function.name);
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &found).expect("written");
    }
    let known = std::fs::read_to_string(&path).expect("the answers");
    for (known, found) in known.lines().zip(found.lines()) {
        assert_eq!(known, found);
    }
    assert_eq!(known.lines().count(), found.lines().count());
}
