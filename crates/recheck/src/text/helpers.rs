//! The texts of the helpers, which the text's own are compared with, byte by byte.
//!
//! `helpers.txt` has them, each below a heading: a name; a word and the types that it is for; or `vector` and words. What
//! begins with `$` depends on the type, and on the number of lanes. What the helpers mean, `calls` says.
//!
//! Functions of floats are long, and each is another for each type: `functions.txt` has their digests.

use super::digest::digest;
use super::syntax::vector;
use super::typed::named_type;
use super::values::{bits, is_integer, is_signed};
use super::{Read, outside};
use crate::prelude::*;
use std::collections::BTreeSet;

const TEXTS: &str = include_str!("helpers.txt");

/// Names and digests.
const DIGESTS: &str = include_str!("functions.txt");

/// What quietens a compiler before types of vectors.
const QUIET: &str =
    "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC diagnostic ignored \"-Wpsabi\"\n#endif\n";

/// What a text uses of the library, where it has memory of the heap.
const MEMORY: &str = "#include <stddef.h>\n\nvoid *realloc(void *, size_t);\nvoid *aligned_alloc(size_t, size_t);\nvoid free(void *);\n";

/// The most pools.
const POOLS: usize = 1000;

/// What stands before a text's function.
pub(super) struct Prelude {
    pub(super) helpers: BTreeSet<String>,
    pub(super) pools: Vec<String>,
    /// Bytes.
    pub(super) length: usize,
}

/// The number of the line in which a byte of a text is.
pub(super) fn line(text: &str, at: usize) -> u64 {
    1 + text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() as u64
}

/// The helpers at the beginning of a text, up to its function.
pub(super) fn prelude(text: &str) -> Read<Prelude> {
    let (mut helpers, mut pools) = (BTreeSet::new(), Vec::new());
    let Some(mut rest) = text.strip_prefix("#include <stdint.h>\n") else {
        return outside(1, "a text that does not begin with `#include <stdint.h>`");
    };
    rest = rest.strip_prefix(MEMORY).unwrap_or(rest);
    loop {
        rest = rest.trim_start_matches('\n');
        let at = text.len() - rest.len();
        let here = || line(text, at);
        if rest.starts_with("int32_t ") {
            return Ok(Prelude { helpers, pools, length: text.len() - rest.len() });
        } else if let Some(after) = rest.strip_prefix(QUIET) {
            rest = after;
            continue;
        } else if let Some(after) = rest.strip_prefix("static atl_block *") {
            let Some((name, after)) = after.split_once("[ATL_POOL];\n") else {
                return outside(here(), "a pool");
            };
            let is_name =
                name.starts_with("atl_pool_") && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            let is_name = is_name && pools.len() < POOLS;
            if !is_name || !helpers.contains("atl_take") || pools.iter().any(|pool| pool == name) {
                return outside(here(), "a pool");
            }
            pools.push(name.to_owned());
            rest = after;
            continue;
        }
        let names = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let names = names.take(200).filter(|name| name.starts_with("atl_") || name.starts_with("ATL_"));
        let found = names.take(12).find_map(|name| {
            let length = match known_digest(name) {
                Some(known) => function(rest).filter(|text| digest(text.as_bytes()) == known)?.len(),
                None => expected(name).filter(|expected| rest.starts_with(expected))?.len(),
            };
            Some((name, length))
        });
        let Some((name, length)) = found else {
            let head = rest.replacen("__attribute__((always_inline)) ", "", 1);
            let word = head.split('(').next().and_then(|head| head.rsplit(' ').next()).unwrap_or_default();
            let is_name = word.starts_with("atl_") && word.len() < 40 && !word.contains('\n');
            let name = match (is_name, function(rest)) {
                (true, Some(text)) => format!(", `{word}`, whose digest is {}", digest(text.as_bytes())),
                (true, None) => format!(", `{word}`"),
                (false, _) => String::new(),
            };
            return outside(here(), format!("a helper that is not known, or not as it is known{name}"));
        };
        if !helpers.insert(name.to_owned()) {
            return outside(here(), format!("`{name}` is defined again"));
        }
        if name == "ATL_POOL" {
            helpers.extend(["atl_take", "atl_give"].map(str::to_owned));
        }
        rest = &rest[length..];
    }
}

/// The digest of the function of this name.
fn known_digest(name: &str) -> Option<&'static str> {
    DIGESTS.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
}

/// A function at the beginning of a text, up to the brace that closes it. Its body begins on its second line.
fn function(text: &str) -> Option<&str> {
    let is_function =
        text.starts_with("static ") && text.lines().next().is_some_and(|head| head.ends_with('{'));
    text.find("\n}\n").filter(|_| is_function).map(|at| &text[..at + 3])
}

/// The text of the helper, or of the types, of this name.
fn expected(name: &str) -> Option<String> {
    if let Some(text) = section(|heading| heading == name) {
        return Some(text.to_owned());
    }
    if let Some((scalar, count, false)) = vector(name) {
        let lanes = Lanes { scalar: Scalar::named(scalar)?, count, from: None };
        return if lanes.has("types") { Some(lanes.fill(of_vectors("types")?)) } else { None };
    }
    let (word, of) = name.strip_prefix("atl_")?.rsplit_once('_')?;
    if let Some(scalar) = Scalar::named(of) {
        let mut heading = |line: &str| {
            line.split_once(' ')
                .is_some_and(|(own, types)| own == word && types.split(' ').any(|ty| ty == of))
        };
        return Some(of_scalar(section(&mut heading)?, scalar));
    }
    let ty = format!("atl_{of}");
    let (scalar, count, false) = vector(&ty)? else { return None };
    let scalar = Scalar::named(scalar)?;
    // A word may name another type.
    let other = ["gather_some_", "gather_", "apart_", "of_"].into_iter().find_map(|prefix| {
        let from = Scalar::named(word.strip_prefix(prefix)?)?;
        Some((prefix.trim_end_matches('_'), from))
    });
    let (word, from) = match other {
        Some((word, from)) => (word, Some(from)),
        None => (word, None),
    };
    let lanes = Lanes { scalar, count, from };
    let heading = match word {
        "abs" if scalar.is_float() => "magnitude",
        // A lane's bit would be a number beyond the scalar's width.
        "select" if count > bits(scalar) => "selected",
        word => word,
    };
    if !lanes.has(word) {
        return None;
    }
    Some(lanes.fill(&of_vectors(heading)?.replace("$A", word).replace("$G", &lanes.each(word))))
}

/// The lines below a heading.
fn section(mut is: impl FnMut(&str) -> bool) -> Option<&'static str> {
    TEXTS
        .split("=== ")
        .filter_map(|section| section.split_once('\n'))
        .find_map(|(heading, text)| is(heading).then_some(text))
}

fn of_vectors(word: &str) -> Option<&'static str> {
    section(|heading| {
        heading.strip_prefix("vector ").is_some_and(|words| words.split(' ').any(|own| own == word))
    })
}

/// The type of C.
fn c_type(scalar: Scalar) -> &'static str {
    let names = [
        "float", "double", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
        "uint64_t",
    ];
    names.into_iter().find(|name| named_type(name) == Some(scalar)).unwrap_or("uint8_t")
}

/// The type of integers with this many bits.
fn of_bits(width: u32, is_signed: bool) -> &'static str {
    match (width, is_signed) {
        (8, true) => "int8_t",
        (16, true) => "int16_t",
        (32, true) => "int32_t",
        (_, true) => "int64_t",
        (8, false) => "uint8_t",
        (16, false) => "uint16_t",
        (32, false) => "uint32_t",
        (_, false) => "uint64_t",
    }
}

/// What compilers' functions call integers of this many bits, and the letter of such instructions.
fn native(width: u32) -> (&'static str, &'static str) {
    match width {
        8 => ("char", "b"),
        16 => ("short", "w"),
        32 => ("int", "d"),
        _ => ("long long", "q"),
    }
}

fn of_scalar(text: &str, scalar: Scalar) -> String {
    let width = bits(scalar);
    let wide = width.max(32);
    let repeated = |byte: &str| format!("0x{}", byte.repeat(wide as usize / 8));
    let table = [
        ("$T", c_type(scalar).to_owned()),
        ("$s", scalar.name().to_owned()),
        ("$W", of_bits(wide, false).to_owned()),
        ("$M", of_bits(wide, is_signed(scalar)).to_owned()),
        ("$U", of_bits(width, false).to_owned()),
        ("$N", width.to_string()),
        ("$X", (u64::MAX >> (64 - width + u32::from(is_signed(scalar)))).to_string()),
        ("$Y", format!("-{}", 1u64 << (width - 1))),
        ("$L", (width - 1).to_string()),
        ("$H", (wide / 2).to_string()),
        ("$P", (wide - 8).to_string()),
        ("$5", repeated("55")),
        ("$3", repeated("33")),
        ("$0", repeated("0f")),
        ("$1", repeated("01")),
    ];
    table.iter().fold(text.to_owned(), |text, (mark, own)| text.replace(mark, own))
}

/// A type of vectors, and another scalar that a helper is about.
#[derive(Clone, Copy)]
struct Lanes {
    scalar: Scalar,
    count: u32,
    from: Option<Scalar>,
}

impl Lanes {
    /// Has the text of a helper, for these types, the meaning of its word?
    fn has(self, word: &str) -> bool {
        let Lanes { scalar, count, from } = self;
        let is_float = scalar.is_float();
        let fits = count.is_power_of_two() && (2..=64).contains(&count);
        fits && match (word, from) {
            ("types" | "min" | "max" | "load" | "store" | "stream" | "strided" | "select", None) => true,
            ("div", None) => matches!(scalar, Scalar::U16 | Scalar::U32),
            ("ceil" | "floor" | "round" | "sqrt" | "trunc", None) => is_float,
            // Those of integers copy the sign.
            ("abs", None) => is_float || is_signed(scalar),
            ("counted", None) => !is_float,
            ("none", None) => !is_float && bits(scalar) * count == 256,
            ("gather" | "gather_some", Some(from)) => is_integer(from) && from != Scalar::U64,
            // A cast of a float leaves the type.
            ("apart", Some(from)) => from == scalar || (is_integer(from) && !is_float),
            ("of", Some(from)) => is_integer(from) && !is_float,
            _ => false,
        }
    }

    fn list(self, of: impl Fn(u32) -> String) -> String {
        (0..self.count).map(of).collect::<Vec<_>>().join(", ")
    }

    /// A compiler's function of each lane.
    fn each(self, word: &str) -> String {
        let name = match word {
            "abs" => "fabs",
            "round" => "rint",
            other => other,
        };
        let suffix = if self.scalar == Scalar::F32 { "f" } else { "" };
        self.list(|k| format!("__builtin_{name}{suffix}(a[{k}])"))
    }

    fn fill(self, text: &str) -> String {
        let Lanes { scalar, count, from } = self;
        let (width, is_float) = (bits(scalar), scalar.is_float());
        let bytes = width / 8 * count;
        let own = scalar.name();
        let letters = format!("{}{}", if is_signed(scalar) { "s" } else { "u" }, native(width).1);
        // A minimum of the machine's, and moves of some lanes.
        let choice = match bytes {
            64 if width < 32 => Some("__AVX512BW__"),
            64 => Some("__AVX512F__"),
            32 if is_float => Some("__AVX__"),
            32 if width < 64 => Some("__AVX2__"),
            16 if is_float => Some("__SSE2__"),
            _ => None,
        };
        let widening = from.and_then(|from| self.widening(from));
        let masked = match bytes {
            64 if width < 32 => Some("__AVX512BW__"),
            64 => Some("__AVX512F__"),
            16 | 32 => Some("__AVX512VL__"),
            _ => None,
        };
        let text = optional(
            optional(text.to_owned(), ["$[", "$]"], choice.is_some()),
            ["$(", "$)"],
            masked.is_some(),
        );
        let text = optional(text, ["$<", "$>"], widening.is_some());
        let (widens, widened) = widening.unwrap_or_default();
        let floats = if scalar == Scalar::F32 { "ps" } else { "pd" };
        let ending = match (is_float, width) {
            (true, 32) => "ups",
            (true, _) => "upd",
            (_, 8) => "dquqi",
            (_, 16) => "dquhi",
            (_, 32) => "dqusi",
            _ => "dqudi",
        };
        let typedef = if is_float {
            String::new()
        } else {
            format!("  typedef {} native __attribute__((vector_size({bytes})));\n", native(width).0)
        };
        let cast = if is_float { "" } else { "(native)" };
        let min = match bytes {
            64 if !is_float => {
                format!("{}512_mask((native)a, (native)b, (native){{0}}, -1)", letters)
            }
            32 if !is_float => format!("{}256((native)a, (native)b)", letters),
            64 => format!("{floats}512_mask(b, a, (atl_{own}x{count}){{0}}, -1, 4)"),
            32 => format!("{floats}256(b, a)"),
            _ => format!("{floats}(b, a)"),
        };
        let table = [
            ("$C", choice.unwrap_or_default().to_owned()),
            ("$K", min),
            ("$F", masked.unwrap_or_default().to_owned()),
            ("$p", if is_float { "" } else { "p" }.to_owned()),
            ("$l", native(width).1.to_owned()),
            ("$e", (8 * bytes).to_string()),
            ("$H", widens.to_owned()),
            ("$h", widened),
            ("$M", from.map_or("", |from| native(bits(from)).0).to_owned()),
            ("$N", if bytes == 64 { typedef.replace("native _", "to _") } else { String::new() }),
            ("$a", from.map_or(0, |from| bits(from) / 8 * count).to_string()),
            ("$E", format!("{ending}{}", 8 * bytes)),
            ("$D", typedef),
            ("$X", cast.to_owned()),
            ("$Z", if is_float { format!("(atl_{own}x{count})") } else { cast.to_owned() }),
            ("$B", of_bits(count.max(8), false).to_owned()),
            ("$S", streams(bytes)),
            ("$I", of_bits(width, true).to_owned()),
            ("$O", of_bits(width, false).to_owned()),
            ("$J", format!("atl_u{width}x{count}")),
            ("$Y", (width - 1).to_string()),
            ("$Q", self.list(|k| format!("{}{}", if k + 1 == width { "-" } else { "" }, 1u64 << k.min(63)))),
            ("$R", self.list(|k| format!("p[i + {k} * step]"))),
            ("$k", self.list(|k| k.to_string())),
            ("$g", self.list(|k| format!("p[at + from[first + {k}]]"))),
            ("$c", from.map_or(String::new(), |from| self.steps(from).1)),
            ("$w", from.map_or(String::new(), |from| self.steps(from).0)),
            ("$V", format!("atl_{own}x{count}")),
            ("$v", format!("{own}x{count}")),
            ("$T", c_type(scalar).to_owned()),
            ("$t", from.map_or("", c_type).to_owned()),
            ("$f", from.map_or("", Scalar::name).to_owned()),
            ("$n", count.to_string()),
            ("$b", bytes.to_string()),
            ("$z", (width / 8).to_string()),
        ];
        table.iter().fold(text, |text, (mark, own)| text.replace(mark, own))
    }

    /// The machine's instruction for integers from a narrower type: when, and the end of its name with operands.
    fn widening(self, from: Scalar) -> Option<(&'static str, String)> {
        let (width, narrow) = (bits(self.scalar), bits(from));
        let name = format!(
            "pmov{}x{}{}",
            if is_signed(from) { "s" } else { "z" },
            native(narrow).1,
            native(width).1
        );
        match width / 8 * self.count {
            _ if !is_integer(from) || width <= narrow || narrow * self.count < 128 => None,
            32 => Some(("__AVX2__", format!("{name}256((from)v)"))),
            64 => {
                let feature = if width == 16 { "__AVX512BW__" } else { "__AVX512F__" };
                Some((feature, format!("{name}512_mask((from)v, (to){{0}}, -1)")))
            }
            _ => None,
        }
    }

    /// Integers become wider by a factor of 2 at a time, or narrower: the types, and the value.
    fn steps(self, from: Scalar) -> (String, String) {
        let (own, other) = (bits(self.scalar), bits(from));
        let next = |width: u32| if other < own { width * 2 } else { width / 2 };
        let (mut types, mut value, mut width) = (String::new(), "v".to_owned(), next(other));
        while (own.min(other)..=own.max(other)).contains(&width) && is_integer(from) {
            let bytes = width / 8;
            let number = of_bits(width, is_signed(from));
            types += &format!(
                "  typedef {number} numbers_{bytes} __attribute__((vector_size({})));\n",
                bytes * self.count
            );
            value = format!("__builtin_convertvector({value}, numbers_{bytes})");
            width = next(width);
        }
        (types, value)
    }
}

/// A text with what stands between two marks, or without.
fn optional(mut text: String, [open, close]: [&str; 2], is_there: bool) -> String {
    while let Some((before, rest)) = text.split_once(open)
        && let Some((inside, after)) = rest.split_once(close)
    {
        text = format!("{before}{}{after}", if is_there { inside } else { "" });
    }
    text
}

/// Stores past the caches, by the parts that a machine has.
fn streams(bytes: u32) -> String {
    let parts = [(64, "__AVX512F__", "512"), (32, "__AVX__", "256"), (16, "__SSE__", "")];
    let of = |(part, defined, end): (u32, &str, &str)| {
        format!(
            "#elif defined({defined})\n  typedef float part __attribute__((vector_size({part}), may_alias));\n  \
             const part *from = (const part *)&value;\n  for (int k = 0; k < {}; k++) \
             __builtin_ia32_movntps{end}((float *)cell + {} * k, from[k]);\n",
            bytes / part,
            part / 4
        )
    };
    parts.into_iter().filter(|(part, ..)| *part <= bytes).map(of).collect()
}
