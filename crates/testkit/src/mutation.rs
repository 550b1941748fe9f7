//! Mutants of proof files: a file changed in one place, as a forger or an accident would change it.
//!
//! [`forged`](crate::forgery) changes recorded proofs; here the text is changed, so whatever reads a proof file can be tested, the
//! kernel's checker and the independent one. A mutant must be refused, or what it then proves must be exactly what it claims, and
//! true: some changes leave a proof of another true claim, and a few leave the proof as good as it was.

use crate::choices::Choices;
use atl_driver::Program;
use atl_driver::proof::certificate;
use atl_kernel::Rule;

/// What is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mutation {
    /// A bit of a byte.
    FlipBit,
    /// A digit of a line of the proof.
    ChangeDigit,
    /// A reference names another line of the same letter.
    CiteAnotherLine,
    /// A reference names its own line, or a later one.
    CiteForward,
    /// Two words of a line change places.
    SwapWords,
    /// An inference lacks its last certificate.
    DropCertificate,
    /// An inference has one certificate too many.
    AddCertificate,
    /// A number in a certificate is another, or has another sign.
    ForgeCertificate,
    /// An inference names another rule.
    ChangeRule,
    /// A congruence is claimed of another place.
    ChangePlace,
    /// An operation, a comparison or a construct is another of its kind.
    ChangeOperation,
    /// A variable is the next one: what was bound here is bound outside, or the other way.
    Capture,
    /// An entry of the context is left out, or two change places.
    ChangeContext,
    /// The claim has its sides exchanged, or names another term or inference.
    ChangeClaim,
    /// The claim states other laws.
    ChangeLaws,
    /// The claim states another rounding class.
    ChangeRounding,
    /// A definition has other parameters.
    ChangeParameters,
    /// A line is left out; the end counts the rest.
    DropLine,
    /// A line stands twice; the end counts both.
    RepeatLine,
    /// Two lines change places.
    SwapLines,
    /// The file ends early.
    Truncate,
    /// Something follows the end.
    Append,
    /// A number or a space is spelt otherwise.
    Respell,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Mutation; 23] = [
        Mutation::FlipBit,
        Mutation::ChangeDigit,
        Mutation::CiteAnotherLine,
        Mutation::CiteForward,
        Mutation::SwapWords,
        Mutation::DropCertificate,
        Mutation::AddCertificate,
        Mutation::ForgeCertificate,
        Mutation::ChangeRule,
        Mutation::ChangePlace,
        Mutation::ChangeOperation,
        Mutation::Capture,
        Mutation::ChangeContext,
        Mutation::ChangeClaim,
        Mutation::ChangeLaws,
        Mutation::ChangeRounding,
        Mutation::ChangeParameters,
        Mutation::DropLine,
        Mutation::RepeatLine,
        Mutation::SwapLines,
        Mutation::Truncate,
        Mutation::Append,
        Mutation::Respell,
    ];
}

/// A mutant.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The change.
    pub mutation: Mutation,
    /// The file of [`PROGRAMS`] that was changed, and which of the changes this is.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Programs whose proof files are changed: small, and between them every inference and most rules.
pub const PROGRAMS: &[(&str, &str)] = &[
    ("peel", "fn f(x: f32[N]) -> f32[N] { gen i < N { x[i] } } schedule s of f { split i by 4; peel; }"),
    (
        "matmul",
        "fn f(a: i32[M, K], b: i32[K, N]) -> i32[M, N] { gen i < M, j < N { sum k < K { a[i, k] * b[k, j] } } }
         schedule s of f { tile i, j by 4, 4; split k by 2; reorder i.o, j.o, k.o, i.i, k.i, j.i; }",
    ),
    (
        "stages",
        "fn f(x: f32[N]) -> f32[N] {
             let t = gen i < N { x?[i - 1] + x[i] };
             gen j < N { t[j] + t?[j + 1] }
         }
         schedule s of f { split j by 8; compute t at j.o; peel; simplify; }",
    ),
    (
        "inlined",
        "fn f(x: f32[N]) -> f32[N] {
             let t = gen i < N { x?[i - 1] + x[i] };
             gen j < N { t[j] + t?[j + 1] }
         }
         schedule s of f { inline t; rw access_gen everywhere; simplify guards; }",
    ),
    (
        "shortest",
        "fn f(a: min_plus<f32>[N, N]) -> min_plus<f32>[N, N] { gen i < N, j < N { sum k < N { a[i, k] * a[k, j] } } }
         schedule s of f { reorder j, i; split k by 4; }",
    ),
    ("rows", ROWS),
];

/// A sparse matrix by rows, times a vector: elements in indices, and hypotheses about all of them.
pub const ROWS: &str = "fn f(pos: i64[N1], crd: i32[Z], val: f64[Z], x: f64[M], N: size) -> f64[N]
         where N1 == N + 1, all i < N + 1 { 0 <= pos[i] && pos[i] <= Z }, all i < N { pos[i] <= pos[i + 1] },
             all p < Z { 0 <= crd[p] < M }
     {
         let A = gen i < N { sum p in pos[i]..pos[i + 1] { one_hot(M, crd[p], val[p]) } };
         gen i < N { sum j < M { A[i, j] * x[j] } }
     }
     schedule s of f { rounding real; sparsify; }";

/// The proof file of one of [`PROGRAMS`].
///
/// # Panics
/// The program is refused: these are not meant to be.
pub fn original(program: &str) -> String {
    let program = Program::parse("mutated.atl", program).unwrap_or_else(|e| panic!("{e}"));
    let scheduled = program.scheduled("f", Some("s")).unwrap_or_else(|e| panic!("{e}"));
    let lowered = scheduled.lower().unwrap_or_else(|e| panic!("{e}"));
    certificate(&scheduled, &lowered).unwrap_or_else(|e| panic!("{e}"))
}

/// So many mutants of each kind of each program, fewer where a change cannot be made; the same ones every time.
pub fn mutants(of_each: usize) -> Vec<Mutant> {
    let mut found = Vec::new();
    for (name, program) in PROGRAMS {
        let text = original(program);
        for mutation in Mutation::ALL {
            let mut choices = Choices::new(found.len() as u64);
            let mut of_this: Vec<String> = Vec::new();
            for _ in 0..of_each * 4 {
                let Some(mutant) = mutate(&text, mutation, &mut choices) else { continue };
                if of_this.len() < of_each && mutant != text && !of_this.contains(&mutant) {
                    of_this.push(mutant);
                }
            }
            let named = (0..).zip(of_this);
            found.extend(named.map(|(k, text)| Mutant {
                mutation,
                name: format!("{name}-{mutation:?}-{k}"),
                text,
            }));
        }
    }
    found
}

/// The text with one change of this kind, if the choices find a place for it.
pub fn mutate(text: &str, mutation: Mutation, choices: &mut Choices) -> Option<String> {
    let mut file = File { lines: text.lines().map(str::to_owned).collect() };
    match mutation {
        Mutation::FlipBit => return flip_bit(text, choices),
        Mutation::Truncate => return Some(text[..boundary(text, choices.below(text.len()))].to_owned()),
        Mutation::Append => {
            return Some(
                text.to_owned()
                    + *choices.of::<&str>(&["\n", "end 3\n", "t0 free 0\n", " ", "claim t0 t0 s0\n"]),
            );
        }
        Mutation::ChangeDigit => {
            file.edit(choices, "ipdcstx", |line, choices| {
                let digits: Vec<usize> =
                    line.match_indices(|c: char| c.is_ascii_digit()).map(|(k, _)| k).collect();
                let at = *choices.of(&digits);
                line.replace_range(at..=at, &choices.below(10).to_string());
                Some(())
            })?;
        }
        Mutation::CiteAnotherLine | Mutation::CiteForward => {
            let forward = mutation == Mutation::CiteForward;
            file.words(choices, "ipdtcsx", |words, choices| {
                let at = *some_of(&references(words), choices)?;
                let (letter, number) =
                    (words[at].as_bytes()[0] as char, words[at][1..].parse::<usize>().ok()?);
                let other =
                    if forward { number + 1 + choices.below(10_000) } else { choices.below(number.max(1)) };
                words[at] = format!("{letter}{other}");
                Some(())
            })?;
        }
        Mutation::SwapWords => file.words(choices, "ipdtcsx", |words, choices| {
            let at = 1 + choices.below(words.len().saturating_sub(2));
            (at + 1 < words.len()).then(|| words.swap(at, at + 1))
        })?,
        Mutation::DropCertificate => file.words(choices, "s", |words, _| {
            words.last()?.starts_with('c').then(|| words.pop()).flatten().map(|_| ())
        })?,
        Mutation::AddCertificate => {
            let count = file.of("c").len();
            file.words(choices, "s", |words, choices| {
                let takes = matches!(words[1].as_str(), "rule" | "cong" | "refl");
                (takes && count > 0).then(|| words.push(format!("c{}", choices.below(count))))
            })?;
        }
        Mutation::ForgeCertificate => file.words(choices, "c", |words, choices| {
            let numeric = |w: &String| w.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            let numbers: Vec<usize> = (1..words.len()).filter(|k| numeric(&words[*k])).collect();
            let word = &mut words[*some_of(&numbers, choices)?];
            match word.split_once('*') {
                Some((c, facts)) if choices.one_in(2) => *word = format!("-{c}*{facts}"),
                Some((c, facts)) => *word = format!("{c}*{facts}*{}", choices.below(9)),
                None => *word = choices.below(40).to_string(),
            }
            Some(())
        })?,
        Mutation::ChangeRule => file.words(choices, "s", |words, choices| {
            (words[1] == "rule").then(|| words[2] = choices.of(Rule::TABLE).name.to_owned())
        })?,
        Mutation::ChangePlace => file.words(choices, "s", |words, choices| {
            let places = ["body", "bound", "then", "else", "arg:0", "arg:1"];
            (words[1] == "cong").then(|| words[3] = (*choices.of(&places)).to_owned())
        })?,
        Mutation::ChangeOperation => file.words(choices, "ipt", |words, choices| {
            let kinds: [&[&str]; 7] = [
                &["add", "sub", "mul", "div", "mod", "min", "max"],
                &["eq", "lt", "le"],
                &["and", "or"],
                &["gen", "sum"],
                &["zero", "one", "inf"],
                &["true", "false"],
                &["free", "bound"],
            ];
            let at = 1 + choices.below(words.len() - 1);
            let kind = kinds.into_iter().find(|kind| kind.contains(&words[at].as_str()))?;
            words[at] = (*choices.of(kind)).to_owned();
            Some(())
        })?,
        Mutation::Capture => file.words(choices, "it", |words, choices| {
            let at = if words[1] == "read" { 3 } else { 2 };
            let variable = matches!(words.get(at - 1)?.as_str(), "free" | "bound");
            let k: u32 = words.get(at).filter(|_| variable)?.parse().ok()?;
            words[at] = if choices.one_in(2) { k + 1 } else { k.saturating_sub(1) }.to_string();
            Some(())
        })?,
        Mutation::ChangeContext => {
            let entries = file.of("x");
            let at = *some_of(&entries, choices)?;
            let other = *choices.of(&entries);
            if choices.one_in(3) {
                let last = *entries.last()?;
                file.lines.remove(last);
            } else {
                let content = |line: &str| line.split_once(' ').map(|(_, c)| c.to_owned());
                let (a, b) = (content(&file.lines[at])?, content(&file.lines[other])?);
                let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
                file.lines[at] = format!("{} {b}", name(&file.lines[at]));
                file.lines[other] = format!("{} {a}", name(&file.lines[other]));
            }
        }
        Mutation::ChangeClaim => {
            let (terms, steps) = (file.of("t").len(), file.of("s").len());
            let at = file.lines.iter().rposition(|line| line.starts_with("claim "))?;
            let mut words: Vec<String> = file.lines[at].split(' ').map(str::to_owned).collect();
            match choices.below(4) {
                0 => words.swap(1, 2),
                1 => words[1] = format!("t{}", choices.below(terms)),
                2 => words[2] = format!("t{}", choices.below(terms)),
                _ => words[3] = format!("s{}", choices.below(steps)),
            }
            file.lines[at] = words.join(" ");
        }
        Mutation::ChangeLaws => file.header(
            "laws",
            choices,
            &[
                "none",
                "add_0_l",
                "add_0_l add_0_r add_comm add_assoc",
                "add_comm",
                "mul_comm",
                "distr_l distr_r add_idem",
            ],
        )?,
        Mutation::ChangeRounding => {
            file.header("rounding", choices, &["bitwise", "finite", "real", "exact"])?
        }
        Mutation::ChangeParameters => file.words(choices, "d", |words, choices| {
            let at = 2 + choices.below(words.len().checked_sub(3)?);
            words[at] = choices.below(4).to_string();
            Some(())
        })?,
        Mutation::DropLine | Mutation::RepeatLine | Mutation::SwapLines => {
            let at = *some_of(&file.of("laipdtcsx"), choices)?;
            match mutation {
                Mutation::DropLine => drop(file.lines.remove(at)),
                Mutation::RepeatLine => file.lines.insert(at, file.lines[at].clone()),
                _ => file.lines.swap(at, at + 1),
            }
        }
        Mutation::Respell => file.words(choices, "iptcs", |words, choices| {
            let at = 1 + choices.below(words.len() - 1);
            let word = &mut words[at];
            let digits = word.starts_with(|c: char| c.is_ascii_digit());
            match choices.below(4) {
                0 => word.push(' '),
                1 => word.push('\t'),
                2 if digits => word.insert(0, '+'),
                _ if digits => word.insert(0, '0'),
                _ => *word = word.to_uppercase(),
            }
            Some(())
        })?,
    }
    Some(file.text())
}

fn flip_bit(text: &str, choices: &mut Choices) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let at = choices.below(bytes.len());
    bytes[at] ^= 1 << choices.below(7);
    String::from_utf8(bytes).ok()
}

/// The last boundary of a character that is not after this place.
fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn some_of<'a, T>(all: &'a [T], choices: &mut Choices) -> Option<&'a T> {
    if all.is_empty() { None } else { Some(choices.of(all)) }
}

/// The places of words that name lines, but the first.
fn references(words: &[String]) -> Vec<usize> {
    let names = |word: &String| {
        let digits = word.strip_prefix(|c: char| "laiptdcs".contains(c));
        digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
    };
    (1..words.len()).filter(|k| names(&words[*k])).collect()
}

/// A file by lines.
struct File {
    lines: Vec<String>,
}

impl File {
    /// The places of the lines of these letters.
    fn of(&self, letters: &str) -> Vec<usize> {
        let proof = self.lines.iter().position(|line| line == "proof").unwrap_or(0);
        let named = |line: &str| {
            let (Some(letter), Some(digit)) = (line.chars().next(), line.chars().nth(1)) else {
                return false;
            };
            letters.contains(letter) && digit.is_ascii_digit()
        };
        (proof + 1..self.lines.len()).filter(|k| named(&self.lines[*k])).collect()
    }

    /// Change a line of these letters; a few are tried until one can be changed.
    fn edit(
        &mut self,
        choices: &mut Choices,
        letters: &str,
        mut change: impl FnMut(&mut String, &mut Choices) -> Option<()>,
    ) -> Option<()> {
        let places = self.of(letters);
        (0..50).find_map(|_| change(&mut self.lines[*some_of(&places, choices)?], choices))
    }

    /// [`File::edit`], by words.
    fn words(
        &mut self,
        choices: &mut Choices,
        letters: &str,
        mut change: impl FnMut(&mut Vec<String>, &mut Choices) -> Option<()>,
    ) -> Option<()> {
        self.edit(choices, letters, |line, choices| {
            let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            change(&mut words, choices)?;
            *line = words.join(" ");
            Some(())
        })
    }

    /// Another value of a field of the header.
    fn header(&mut self, field: &str, choices: &mut Choices, values: &[&str]) -> Option<()> {
        let at = self.lines.iter().position(|line| line.split(' ').next() == Some(field))?;
        self.lines[at] = format!("{field} {}", choices.of(values));
        Some(())
    }

    /// The text, with an end that counts its lines.
    fn text(mut self) -> String {
        let count = self.lines.len() - 1;
        if let Some(end) = self.lines.last_mut().filter(|line| line.starts_with("end ")) {
            *end = format!("end {count}");
        }
        self.lines.join("\n") + "\n"
    }
}
