//! C texts beside the loops of proof files: that what is printed is seen to be the loops, and that a text
//! of another meaning is not.
//!
//! A mutant is a text with one change: a number, an operator, a name, a type, a line. None is accepted, but
//! where the change means nothing: the kinds of lines that mean nothing are listed here.

use crate::loop_evidence::{PROGRAMS, lowered};
use atl_driver::backends::c::printer_options;
use atl_driver::evidence::{followed, with_loops};
use atl_driver::proof::certificate;
use atl_driver::{Lowered, Program, Scheduled};
use atl_recheck::{Text, check_texts};
use atl_testkit::choices::Choices;
use atl_testkit::programs::program;
use atl_testkit::proofs::{Derivation, each, each_of_the_examples};
use atl_testkit::schedules::random;
use std::collections::BTreeMap;

/// One mutant of these many is tried; all, where the variable `ATL_TEXTS` is set.
const SLICE: usize = 48;

fn is_whole() -> bool {
    std::env::var_os("ATL_TEXTS").is_some()
}

/// Programs for what those of loops do not print: heap memory with masks, registers that are vectors,
/// gathers, streams, words.
const MORE: &[(&str, &str)] = &[
    (
        "masked",
        "fn f(x: f32[N, M]) -> f32[N, M] {
             let t = gen y < N, c < M { x?[y, c - 1] + x[y, c] };
             gen y < N, c < M { t?[y - 1, c] + t[y, c] }
         }
         schedule s of f { parallel y, t/y; vectorize c by 8; vectorize t/c by 8; stream; }",
    ),
    (
        "register tiles",
        "fn f(a: f32[M, K], b: f32[K, N]) -> f32[M, N] { gen i < M, j < N { sum k < K { a[i, k] * b[k, j] } } }
         schedule s of f {
             tile i, j by 2, 16; reorder i.o, j.o, k, i.i, j.i; stage k as acc; store acc in register; peel; parallel i.o;
             unroll i.i, acc/i.i; vectorize j.i by 8; vectorize acc/j.i by 8;
         }",
    ),
    (
        "words",
        "fn f(x: i8[N], y: u16[N], n: i32[N]) -> i32[N] {
             gen i < N { select(2 * i < N, i32(x[i]) * n[i] - 7, i32(y[i]) / 3) + max(n[i], -5) }
         }
         schedule s of f {}",
    ),
    (
        "narrow lanes",
        "fn f(x: u8[N + 1], y: i16[N]) -> u8[N] {
             gen i < N { u8(min(max((y[i] - 2 * i16((u16(x[i]) + u16(x[i + 1])) / 3)) >> 2, 0), 255)) }
         }
         schedule s of f { vectorize i by 64; }",
    ),
    (
        "limits",
        "fn f(x: f32[N], y: f64[N]) -> u8[N] {
             gen i < N { u8(max(min(x[i], 255), -3)) + u8(min(x[i], 100)) + u8(i8(min(max(y[i], -128), 127)))
                 + u8(max(x[i], 7)) + u8(min(255, x[i])) }
         }
         schedule s of f {}",
    ),
    (
        "truths",
        "fn f(x: f64[N], p: bool[N]) -> bool[N] { gen i < N { p[i] && x[i] < 2.5 || !(x[i] == 0.0) } } schedule s of f {}",
    ),
    (
        "greatest",
        "fn f(x: max_plus<f32>[N, M], y: max_plus<f32>[M]) -> max_plus<f32>[N] {
             gen i < N { sum j < M { x[i, j] * y[j] } }
         }
         schedule s of f {}",
    ),
    ("nearest", "fn f(x: f64[N]) -> f64 { min i < N { abs(x[i] - 1.5) } } schedule s of f {}"),
    (
        "first",
        "fn f(x: f64[N], d: f64) -> f64 {
             iterate j < N from v = d { select(x[j] * 2 < v || x[j] == 3, x[j] * 2, v) }
         }
         schedule s of f {}",
    ),
    ("halves", "fn f(x: f16[N], y: f16[N]) -> f16[N] { gen i < N { x[i] * y[i] - 1.5 } } schedule s of f {}"),
];

/// The proof file of a program's schedule, and its C text.
fn printed(name: &str, program: &str) -> (String, String) {
    let (scheduled, lowered) = lowered(program);
    let theorem = certificate(&scheduled, &lowered).unwrap_or_else(|e| panic!("{e}"));
    let followed = followed(&lowered).unwrap_or_else(|e| panic!("{name}: {e}\n{}", lowered.kernel));
    let file = with_loops(&theorem, &lowered, &followed).unwrap_or_else(|e| panic!("{name}: {e}"));
    let options = printer_options(lowered.rounding, true);
    let source = atl_backend_c::print_kernel(&lowered.kernel, &options);
    let source = source.unwrap_or_else(|why| panic!("{name}: {why:?}"));
    (file, source.c)
}

fn programs() -> impl Iterator<Item = (&'static str, &'static str)> {
    PROGRAMS.iter().chain(MORE).copied()
}

fn texts(file: &str, texts: &[&str]) -> Vec<Text> {
    check_texts(file.as_bytes(), texts).unwrap_or_else(|why| panic!("{why}\n{file}")).1
}

/// The parts of a line: words, numbers, marks, and what is between.
fn parts(line: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let marks = ["<=", ">=", "==", "!=", "&&", "||", "+=", "*=", "++"];
        let length = match marks.iter().find(|mark| rest.starts_with(**mark)) {
            Some(mark) => mark.len(),
            None if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            None => first.len_utf8(),
        };
        parts.push(&rest[..length]);
        rest = &rest[length..];
    }
    parts
}

/// What may stand in place of a part.
fn instead(part: &str, names: &[&str]) -> Vec<String> {
    let table: &[(&str, &[&str])] = &[
        ("+", &["-", "*"]),
        ("-", &["+"]),
        ("*", &["+"]),
        ("/", &["%", "*"]),
        ("%", &["/"]),
        ("<", &["<=", ">"]),
        ("<=", &["<"]),
        ("==", &["!="]),
        ("!=", &["=="]),
        ("&&", &["||"]),
        ("||", &["&&"]),
        ("&", &["|"]),
        ("|", &["&"]),
        ("+=", &["=", "*="]),
        ("=", &["+="]),
        ("~", &[""]),
        ("!", &[""]),
        ("++", &["+= 2"]),
        ("float", &["double"]),
        ("double", &["float"]),
        ("int8_t", &["uint8_t"]),
        ("uint8_t", &["int8_t"]),
        ("uint16_t", &["int16_t"]),
        ("int32_t", &["uint32_t", "int64_t"]),
        ("uint32_t", &["int32_t"]),
        ("const", &[""]),
        ("restrict", &[""]),
        ("else", &[""]),
        ("atl_below", &["atl_up_to"]),
        ("atl_min", &["atl_max"]),
        ("atl_max", &["atl_min"]),
    ];
    if let Some((_, others)) = table.iter().find(|(known, _)| *known == part) {
        return others.iter().map(|other| (*other).to_owned()).collect();
    }
    if part.starts_with(|c: char| c.is_ascii_digit()) {
        return match part.strip_suffix('f').filter(|digits| digits.contains('.')).or(Some(part)) {
            Some(digits) if digits.contains('.') => {
                vec![
                    format!("1{part}"),
                    format!("-{part}"),
                    digits.to_owned() + if part == digits { "f" } else { "" },
                ]
            }
            _ if part.starts_with("0x") => vec!["0x7fff".to_owned(), "0x1".to_owned()],
            _ if part == "0" => vec!["1".to_owned()],
            _ => vec![format!("1{part}"), "0".to_owned(), format!("-{part}")],
        };
    }
    if part.starts_with("atl_on_") {
        return vec!["UINT64_C(0xff)".to_owned()];
    }
    if names.contains(&part) {
        return names.iter().filter(|name| **name != part).map(|name| (*name).to_owned()).collect();
    }
    if let Some(lanes) =
        part.strip_prefix("atl_").and_then(|rest| rest.split_once('x')).map(|(_, lanes)| lanes)
    {
        let other =
            if lanes.starts_with('8') { lanes.replacen('8', "4", 1) } else { lanes.replacen('4', "8", 1) };
        return vec![part.replace(lanes, &other), part.replace("f32", "i32")];
    }
    Vec::new()
}

/// A changed text, and the line that was changed, as it was and as it is.
struct Mutant {
    text: String,
    was: String,
    is: String,
}

/// Every change of the function of a text.
fn mutants(c: &str) -> Vec<Mutant> {
    let lines: Vec<&str> = c.lines().collect();
    let head = lines.iter().position(|line| line.starts_with("int32_t ")).expect("a function");
    let end = head + lines[head..].iter().position(|line| *line == "}").expect("its end");
    let mut names: Vec<&str> = Vec::new();
    for part in lines[head..end].iter().flat_map(|line| parts(line)) {
        let is_name = part.starts_with(|c: char| c.is_ascii_alphabetic())
            && !part.starts_with("atl_")
            && !part.contains("int")
            && !["float", "double", "for", "if", "else", "return", "const", "restrict", "pragma", "NULL"]
                .contains(&part);
        if is_name && part.len() < 8 && !names.contains(&part) {
            names.push(part);
        }
    }
    let mut found = Vec::new();
    let with = |at: usize, is: &str, removed: usize| {
        let mut lines = lines.clone();
        lines.splice(at..=at + removed, [is]);
        let text = lines.join("\n") + "\n";
        Mutant { text, was: c.lines().nth(at).unwrap_or_default().to_owned(), is: is.to_owned() }
    };
    for at in head..end {
        let line = lines[at];
        let parts = parts(line);
        for (k, part) in parts.iter().enumerate() {
            for other in instead(part, &names) {
                let changed: String = parts
                    .iter()
                    .enumerate()
                    .map(|(j, part)| if j == k { other.as_str() } else { part })
                    .collect();
                found.push(with(at, &changed, 0));
            }
        }
        if line.trim_start().starts_with("#pragma") {
            found.push(with(at, "", 0));
        }
        if line.trim_start().starts_with("for ") {
            found.push(with(at, &format!("#pragma omp parallel for schedule(static)\n{line}"), 0));
        }
        if line.ends_with(';') {
            found.extend([with(at, "", 0), with(at, &format!("{line}\n{line}"), 0)]);
            if lines[at + 1].ends_with(';') {
                found.push(with(at, &format!("{}\n{line}", lines[at + 1]), 1));
            }
        }
    }
    found
}

/// Does a change of this line mean nothing?
fn means_nothing(mutant: &Mutant) -> bool {
    let (was, is) = (mutant.was.trim(), mutant.is.trim());
    let any = |words: &[&str]| words.iter().any(|word| was.starts_with(word));
    // What may run at once may run in order.
    let is_order = any(&["#pragma", "(void)", "ATL_PREFETCH", "atl_fence"]);
    // What is refused may be refused twice, or be the caller's promise; other sizes are refused as well.
    let is_refusal = was.ends_with("return 2;");
    // A comment, a pointer by which nothing is stored.
    let without = |line: &str| line.split("/*").next().map(str::to_owned);
    let is_comment = was.contains("/*") && without(was) == without(is);
    let is_pointer = was.replacen("*(const ", "*( ", 1) == is
        || was.replace("*(const ", "*( ") == is.replace("*(const ", "*( ");
    // A number that becomes wider than it has to before it is cut.
    let is_wider = is.replacen("(uint32_t)((int64_t)", "(uint32_t)((int32_t)", 1) == was;
    // A variable that is 0 there; a sum in which one operand without sign is enough.
    let is_zero = ["ii", "ji"].iter().any(|zero| {
        mutant.text.contains(&format!("const int64_t {zero} = 0;"))
            && is.replace(&format!("- {zero}"), &format!("+ {zero}")) == was
    });
    // Another name of the same number.
    let is_end = mutant.text.contains("const int64_t j_end = M;") && is.replace("j_end", "M") == was;
    let is_sum = any(&["out["])
        && is.contains("(uint32_t)")
        && is.replace("uint32_t", "int32_t") == was.replace("uint32_t", "int32_t");
    is_order || is_refusal || is_comment || is_pointer || is_wider || is_zero || is_end || is_sum
}

#[test]
fn what_is_printed_is_the_loops_and_texts_of_another_meaning_are_not() {
    let (mut count, mut differ, mut accepted) = (0, 0, Vec::new());
    for (name, program) in programs() {
        let (file, c) = printed(name, program);
        let mutants = mutants(&c);
        let tried: Vec<&Mutant> = mutants
            .iter()
            .enumerate()
            .filter(|(k, _)| is_whole() || k % SLICE == 0)
            .map(|(_, mutant)| mutant)
            .collect();
        let all: Vec<&str> =
            [c.as_str()].into_iter().chain(tried.iter().map(|mutant| mutant.text.as_str())).collect();
        let mut found = texts(&file, &all);
        let original = found.remove(0);
        assert!(matches!(original, Text::Loops(_)), "{name}: {original}\n{c}");
        for (mutant, found) in tried.iter().zip(found) {
            count += 1;
            differ += usize::from(matches!(found, Text::Differs(_)));
            if matches!(found, Text::Loops(_)) && mutant.text != c && !means_nothing(mutant) {
                accepted.push(format!("{name}: {}\n   now {}", mutant.was, mutant.is));
            }
        }
    }
    println!("{count} mutants, of which {differ} differ in the subset");
    assert!(accepted.is_empty(), "{} of {count}:\n{}", accepted.len(), accepted.join("\n"));
    assert!(count > 300 && differ > count / 5, "{count} mutants, {differ} in the subset");
}

/// Functions of floats, with as many operands: the reader knows their texts by digests.
const FUNCTIONS: [(&str, usize); 26] = [
    ("acos", 1),
    ("asin", 1),
    ("atan", 1),
    ("atan2", 2),
    ("cbrt", 1),
    ("copysign", 2),
    ("cos", 1),
    ("cosh", 1),
    ("erf", 1),
    ("erfc", 1),
    ("exp", 1),
    ("exp10", 1),
    ("exp2", 1),
    ("expm1", 1),
    ("hypot", 2),
    ("log", 1),
    ("log10", 1),
    ("log1p", 1),
    ("log2", 1),
    ("pow", 2),
    ("rsqrt", 1),
    ("sign", 1),
    ("sin", 1),
    ("sinh", 1),
    ("tan", 1),
    ("tanh", 1),
];

#[test]
fn the_texts_of_functions_of_floats_are_known_and_other_texts_are_not() {
    let (one, two) = ("x[i]", "x[i], y[i]");
    for (k, (function, operands)) in FUNCTIONS.into_iter().enumerate() {
        for (scalar, lanes) in [("f32", 1), ("f64", 4), ("f64", 1), ("f32", 16), ("f16", 1)] {
            let arguments = if operands == 1 { one } else { two };
            let schedule = if lanes == 1 { String::new() } else { format!("vectorize i by {lanes};") };
            let program = format!(
                "fn f(x: {scalar}[N], y: {scalar}[N]) -> {scalar}[N] {{ gen i < N {{ y[i] * {function}({arguments}) }} }}
                 schedule s of f {{ {schedule} }}"
            );
            let name = format!("{function} of {lanes} {scalar}");
            let (file, c) = printed(&name, &program);
            let is_known = |c: &str| matches!(texts(&file, &[c])[0], Text::Loops(_));
            assert!(is_known(&c), "{name}: {}\n{c}", texts(&file, &[&c])[0]);
            // A digit of a number, in any function of the text; a call of another function.
            let head = c.find("\nint32_t ").expect("a function");
            let digits: Vec<usize> = (0..head).filter(|at| c.as_bytes()[*at].is_ascii_digit()).collect();
            for part in 1..4 {
                let at = digits[(digits.len() - 1) * (7 * part + k) / (21 + k)];
                let mut changed = c.clone().into_bytes();
                changed[at] = if changed[at] == b'7' { b'8' } else { b'7' };
                let changed = String::from_utf8(changed).expect("a text");
                assert!(!is_known(&changed), "{name}: byte {at}\n{changed}");
            }
            let from = format!("atl_{function}_");
            let other = FUNCTIONS[(k + 1) % FUNCTIONS.len()].0;
            let (before, after) = c.split_at(head);
            let changed = format!("{before}{}", after.replace(&from, &format!("atl_{other}_")));
            assert!(!is_known(&changed), "{name}: {changed}");
        }
    }
}

/// What a fault of the printer would print, and what is said of it.
#[test]
fn faults_of_the_printer_are_named() {
    let faults: &[(&str, &str, &str, &str)] = &[
        (
            "masked",
            "*(atl_f32x8_u *)&t[y * M + c] = ",
            "*(atl_f32x8_u *)&t[y * N + c] = ",
            "the cell of a store",
        ),
        ("masked", "~atl_below(c - 1, 0)", "~atl_below(c, 0)", "a value is another"),
        (
            "masked",
            "const uint64_t atl_on_4 = atl_below(c, M);",
            "const uint64_t atl_on_4 = atl_below(c, N);",
            "the lanes are others",
        ),
        ("masked", "c += 8", "c += 4", "a loop has steps of 4"),
        (
            "masked",
            "atl_load_f32x8(x, y * M + c, atl_on_4)",
            "*(const atl_f32x8_u *)&x[y * M + c]",
            "memory is read for lanes",
        ),
        ("masked", "atl_cells(N, M)", "atl_cells(M, M)", "a buffer has other extents"),
        ("register tiles", "acc_0 += ", "acc_0 = ", "a value is another"),
        ("register tiles", "acc_0 += ", "acc_1 += ", "the cell of a store"),
        ("product", "b[k * M + j]", "a[k * M + j]", "a value is another"),
        ("words", "(int32_t)x[i]", "(int32_t)(uint8_t)x[i]", "a value is another"),
        ("words", "atl_div_i32((int32_t)y[i], 3)", "atl_div_i32((int32_t)y[i], -3)", "a value is another"),
        ("limits", "atl_min_f32(x[i], 100.0f)", "x[i]", "a value is another"),
        ("limits", "atl_min_f32(x[i], 100.0f)", "atl_min_f32(x[i], 101.0f)", "a value is another"),
        ("limits", "atl_max_f32(x[i], 7.0f)", "x[i]", "a value is another"),
        ("limits", "atl_min_f32(255.0f, x[i])", "x[i]", "a value is another"),
        ("truths", "x[i] < ", "x[i] <= ", "a value is another"),
    ];
    for (of, from, to, why) in faults {
        let (name, program) = programs().find(|(name, _)| name == of).expect("a program");
        let (file, c) = printed(name, program);
        let head = c.find("\nint32_t ").expect("a function");
        let body = head + c[head..].find("  for (").expect("a loop");
        assert!(c[body..].contains(from) || c[head..].contains(from), "{name}: {from}\n{c}");
        let place = if c[body..].contains(from) { body } else { head };
        let at = place + c[place..].find(from).unwrap_or_default();
        let changed = format!("{}{to}{}", &c[..at], &c[at + from.len()..]);
        let found = texts(&file, &[&changed]).remove(0);
        assert!(
            matches!(found, Text::Differs(_)) && found.to_string().contains(why),
            "{found}, and not {why}\n{changed}"
        );
    }
}

/// What is seen of the C text of a function: the loops, or why not; and what differs.
fn seen(name: &str, scheduled: &Scheduled, lowered: &Lowered) -> String {
    let Ok(theorem) = certificate(scheduled, lowered) else { return "no proof file".to_owned() };
    let file = followed(lowered).and_then(|found| with_loops(&theorem, lowered, &found));
    let file = match file {
        Ok(file) => file,
        Err(why) => return format!("no loops: {why}"),
    };
    let options = printer_options(lowered.rounding, true);
    let source = atl_backend_c::print_kernel(&lowered.kernel, &options);
    let c = source.unwrap_or_else(|why| panic!("{name}: {why:?}")).c;
    let found = match check_texts(file.as_bytes(), &[&c]) {
        Ok((_, mut found)) => found.remove(0),
        Err(why) => return format!("REFUSED: {name}: {why}\n{}", lowered.kernel),
    };
    match found {
        Text::Loops(_) => "the loops".to_owned(),
        Text::Unknown(why) => why.why.into_owned(),
        Text::Differs(why) => format!("DIFFERS: {name}: {why}\n{}\n{c}", lowered.kernel),
    }
}

/// How many have each answer, the most frequent first; none differs, no steps are refused, and half of them
/// are the loops.
fn counted(answers: &[String]) -> String {
    let is_wrong = |answer: &&String| answer.starts_with("DIFFERS") || answer.starts_with("REFUSED");
    let differ: Vec<&str> = answers.iter().filter(is_wrong).map(String::as_str).collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    let same = answers.iter().filter(|answer| *answer == "the loops").count();
    assert!(2 * same > answers.len(), "{same} of {} have such text", answers.len());
    let mut counts = BTreeMap::new();
    answers.iter().for_each(|answer| *counts.entry(answer).or_insert(0) += 1);
    let mut counts: Vec<(usize, &String)> =
        counts.into_iter().map(|(answer, count)| (count, answer)).collect();
    counts.sort_by(|a, b| b.cmp(a));
    counts.iter().map(|(count, answer)| format!("{count:6} {answer}\n")).collect()
}

/// All functions and schedules of the examples, and of the suite where `ATL_TEXTS` is set.
#[test]
fn no_text_of_a_derivation_differs() {
    let look = |derivation: &Derivation| seen(&derivation.name, &derivation.scheduled, &derivation.lowered);
    if !is_whole() {
        counted(&each_of_the_examples(look).unwrap());
        return;
    }
    let answers = each(look).unwrap();
    println!("{} derivations\n{}", answers.len(), counted(&answers));
    // The chapter on what is trusted says how many these are.
    let without = |answer: &&String| answer.starts_with("no loops") || answer.starts_with("no proof");
    let loops = answers.len() - answers.iter().filter(without).count();
    let texts = answers.iter().filter(|answer| *answer == "the loops").count();
    let [all, loops, texts] = [answers.len(), loops, texts].map(|n| format!("{},{:03}", n / 1000, n % 1000));
    let said = format!(
        "Of {all} functions and schedules of the examples and the suite {loops} have loops, and for {texts} of these"
    );
    assert!(include_str!("../../../docs/book/src/trust.md").contains(&said), "{said}");
}

/// Seeds of programs with types that are equal by what is known of sizes alone, and with a state in a part
/// of what it becomes.
const REFUSED: [u64; 3] = [157, 410, 640];

/// Random programs, as they are written and under random schedules: some, or 1,000 where `ATL_TEXTS` is set.
#[test]
fn no_text_of_a_random_program_differs() {
    let mut answers = Vec::new();
    let seeds: Vec<u64> = if is_whole() { (0..1000).collect() } else { (0..5).chain(REFUSED).collect() };
    for seed in seeds {
        let mut choices = Choices::new(seed + 77_000);
        let text = program(&mut choices, 2 + (seed % 3) as u32).text;
        let parsed = Program::parse("random.atl", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let made = random(&parsed.functions()[0], &mut choices, 8);
        let text = format!("{text}\n{}", made.text("f"));
        let parsed = Program::parse("random.atl", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        for schedule in [None, Some("random")] {
            let Ok(scheduled) = parsed.scheduled("f", schedule) else { continue };
            let Ok(lowered) = scheduled.lower() else { continue };
            answers.push(seen(&text, &scheduled, &lowered));
        }
    }
    println!("{} random programs\n{}", answers.len(), counted(&answers));
}
