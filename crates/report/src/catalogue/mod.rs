//! What has a name and an explanation: forms of the language, rules, operators, directives, semirings, and
//! the error index.
//!
//! Everything here is read from the tables of the crates that define these things, so that there is no second
//! copy of any statement.

mod format;
mod forms;
mod library;

use atl_diag::codes::PAGES;
use atl_kernel::{Ctx, Ix, Label, Pred, Scalar};
use atl_ops::Operator;
use atl_rules::Named;
use atl_semirings::{Carrier, Constant, Op, Semiring};
use atl_session::display;

/// The kinds of entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A form of the language.
    Form,
    /// A theorem that `rw` applies.
    Rule,
    /// A reshape operator.
    Operator,
    /// A directive or tactic of schedules.
    Directive,
    /// An algebra of elements.
    Semiring,
    /// A format of sparse tensors, or a level of formats.
    Format,
    /// A module of the standard library, or a function of one.
    Module,
    /// A page of the error index.
    Error,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 8] = [
        Kind::Form,
        Kind::Rule,
        Kind::Operator,
        Kind::Directive,
        Kind::Semiring,
        Kind::Format,
        Kind::Module,
        Kind::Error,
    ];

    /// The word for one.
    pub fn singular(self) -> &'static str {
        match self {
            Kind::Form => "form",
            Kind::Rule => "rule",
            Kind::Operator => "operator",
            Kind::Directive => "directive",
            Kind::Semiring => "semiring",
            Kind::Format => "format",
            Kind::Module => "module",
            Kind::Error => "error",
        }
    }

    /// The word for all of them.
    pub fn plural(self) -> &'static str {
        match self {
            Kind::Form => "forms",
            Kind::Rule => "rules",
            Kind::Operator => "operators",
            Kind::Directive => "directives",
            Kind::Semiring => "semirings",
            Kind::Format => "formats",
            Kind::Module => "modules",
            Kind::Error => "errors",
        }
    }
}

/// An entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// One line: an equation, a form, or what it means.
    pub summary: String,
    /// More, by field.
    pub fields: Vec<(&'static str, String)>,
    /// A page in Markdown, of an error.
    pub page: Option<&'static str>,
}

/// Every entry of a kind, in the order of its table.
pub fn list(kind: Kind) -> Vec<Entry> {
    match kind {
        Kind::Form => forms::all(),
        Kind::Rule => {
            atl_rules::names().into_iter().filter_map(|n| Some(rule(n, &atl_rules::by_name(n)?))).collect()
        }
        Kind::Operator => atl_ops::TABLE.iter().map(|op| operator(op)).collect(),
        Kind::Directive => atl_schedule::commands::TABLE.iter().map(|command| directive(command)).collect(),
        Kind::Semiring => atl_semirings::ALL.iter().map(|s| semiring(s)).collect(),
        Kind::Format => format::all(),
        Kind::Module => library::all(),
        Kind::Error => PAGES.iter().map(error).collect(),
    }
}

/// The entries with this name; a name may be that of an operator and of a directive.
pub fn lookup(name: &str) -> Vec<Entry> {
    let all = Kind::ALL.into_iter().flat_map(|kind| match kind {
        Kind::Format => format::entry(name).into_iter().collect(),
        Kind::Module => library::entry(name).into_iter().collect(),
        kind => list(kind),
    });
    all.filter(|entry| {
        entry.name == name || (entry.kind == Kind::Error && entry.name.eq_ignore_ascii_case(name))
    })
    .collect()
}

/// The directive that a step begins with, as it is written in a schedule: `split i by 4`.
pub fn step(text: &str) -> Vec<Entry> {
    let name = text.split_whitespace().next().unwrap_or_default().trim_end_matches(';');
    let mut found = lookup(name);
    found.retain(|entry| entry.kind == Kind::Directive);
    found
}

/// Of the names that one may have been meant for, so many are given.
const MOST_SIMILAR: usize = 12;

/// Names that this one may have been meant for: they begin alike, contain it, or have nearly its letters.
pub fn similar(name: &str) -> Vec<String> {
    if name.is_empty() {
        return Vec::new();
    }
    let name = name.to_lowercase();
    let stem: String = name.chars().take(4).collect();
    let alike =
        |other: &str| other.starts_with(&stem) || other.contains(&name) || letters_apart(other, &name) <= 1;
    let others = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Format).flat_map(list);
    let lists = Kind::ALL.into_iter().map(|kind| kind.plural().to_owned());
    let all =
        others.map(|entry| entry.name).chain(format::names().into_iter().map(str::to_owned)).chain(lists);
    let mut names: Vec<String> = all.filter(|other| alike(&other.to_lowercase())).collect();
    names.sort();
    names.dedup();
    names.truncate(MOST_SIMILAR);
    names
}

/// How many letters one word has that the other lacks, wherever they stand; the larger of the two counts.
fn letters_apart(a: &str, b: &str) -> usize {
    let lacking = |a: &str, b: &str| {
        let mut rest: Vec<char> = b.chars().collect();
        a.chars()
            .filter(|c| rest.iter().position(|d| d == c).map(|at| rest.swap_remove(at)).is_none())
            .count()
    };
    lacking(a, b).max(lacking(b, a))
}

fn rule(name: &str, rule: &Named) -> Entry {
    let mut fields = Vec::new();
    let mut summary = rule.statement().to_owned();
    match rule {
        Named::Primitive(_, info) => {
            fields.push(("proof", "a primitive rule of the kernel".to_owned()));
            fields.push(("laws", info.laws.to_string()));
            fields.push(("rounding", info.rounding.to_string()));
        }
        Named::Derived(derived) => {
            fields.push(("proof", "derived from the kernel's rules at each use".to_owned()));
            fields.push(("requires", derived.requires.to_owned()));
            fields.push(("example", derived.example.program.to_owned()));
        }
        Named::Stated(entry) => {
            fields.push(("proof", "derived from the kernel's rules at each use".to_owned()));
            let conditions = entry.conditions();
            if !conditions.is_empty() {
                summary += &format!("  if {}", conditions.replace('`', ""));
            }
            fields.push(("requires", if conditions.is_empty() { "nothing" } else { conditions }.to_owned()));
            let documented = ["Fails when", "Example", "Laws", "Rounding", "See also"];
            let names = ["fails when", "example", "laws", "rounding", "see also"];
            fields.extend(names.into_iter().zip(documented).filter_map(|(n, f)| Some((n, entry.field(f)?))));
        }
    }
    let mut with: Vec<String> = rule.args().iter().map(|arg| format!("{arg} = …")).collect();
    let further = rule.optional_args().iter().filter(|arg| !rule.args().contains(arg));
    with.extend(further.map(|arg| format!("[{arg} = …]")));
    let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(", ")) };
    fields.push(("use", format!("rw {name}{with} [at PATTERN | everywhere] [backwards];")));
    Entry { kind: Kind::Rule, name: name.to_owned(), summary, fields, page: None }
}

fn operator(op: &Operator) -> Entry {
    // The statements are printed from the definition, in a context with a variable for each argument and
    // extent.
    let mut ctx = Ctx::new();
    let mut variables = |names: &[&str]| -> Vec<Ix> {
        names.iter().map(|name| Ix::free(ctx.push_index(Label::new(name)))).collect()
    };
    let args = variables(op.index_params);
    let extents: Vec<Ix> = op.tensor_params.iter().flat_map(|names| variables(names)).collect();
    let indices = variables(&["i", "j", "k", "l", "m", "p", "q"][..op.result_rank().min(7)]);
    let shape = |extents: &[Ix]| extents.iter().map(|n| display::ix(&ctx, n)).collect::<Vec<_>>().join(", ");
    let operands: Vec<&str> = ["a", "b", "c"].into_iter().take(op.tensor_params.len()).collect();
    let words: Vec<&str> = op.index_params.iter().copied().chain(operands.iter().copied()).collect();
    let call = match op.name {
        "concat" => operands.join(" ++ "),
        name => format!("{name}({})", words.join(", ")),
    };
    let parts = operands.iter().enumerate().map(|(k, operand)| {
        let gather = (op.gather)(&args, &extents, &indices, k);
        let read = format!("{operand}[{}]", shape(&gather.rho));
        match gather.cond {
            Pred::True => read,
            cond => format!("[{}] * {read}", display::pred(&ctx, &cond)),
        }
    });
    let equation = format!("({call})[{}]  =  {}", shape(&indices), parts.collect::<Vec<_>>().join(" + "));
    let requires = (op.requires)(&args, &extents);
    let mut fields = vec![
        ("equation", equation),
        ("leading extents", shape(&(op.extents)(&args, &extents))),
        (
            "requires",
            if requires == Pred::True { "nothing".to_owned() } else { display::pred(&ctx, &requires) },
        ),
    ];
    if op.drops {
        fields
            .push(("drops", "elements of its operand, which must be padding when it is lowered".to_owned()));
    }
    if let Some(inverse) = op.inverse {
        fields.push(("undone by", inverse.to_owned()));
    }
    Entry {
        kind: Kind::Operator,
        name: op.name.to_owned(),
        summary: op.summary.to_owned(),
        fields,
        page: None,
    }
}

fn directive(command: &atl_schedule::Command) -> Entry {
    Entry {
        kind: Kind::Directive,
        name: command.name.to_owned(),
        summary: format!("{};", command.usage),
        fields: vec![("equation", command.equation.to_owned())],
        page: None,
    }
}

fn semiring(s: &Semiring) -> Entry {
    let scalars: Vec<&str> = s.algebra.scalars.iter().map(|scalar| scalar.name()).collect();
    let ops = s.numbers.on(s.algebra.scalars.first().copied().unwrap_or(Scalar::Bool));
    let summary = format!(
        "addition {} with zero {}, multiplication {} with one {}",
        symbol(ops.add),
        constant(ops.zero),
        symbol(ops.mul),
        constant(ops.one)
    );
    let fields = vec![
        ("carrier", carrier(s).to_owned()),
        ("scalars", scalars.join(", ")),
        ("laws", s.algebra.laws.to_string()),
    ];
    Entry { kind: Kind::Semiring, name: s.algebra.name.to_owned(), summary, fields, page: None }
}

fn symbol(op: Op) -> &'static str {
    match op {
        Op::Own(_) => "a formula",
        Op::Add => "+",
        Op::Mul => "*",
        Op::Min => "min",
        Op::Max => "max",
        Op::Or => "||",
        Op::And => "&&",
    }
}

fn constant(c: Constant) -> String {
    match c {
        Constant::Int(n) => n.to_string(),
        Constant::PosInf => "inf".to_owned(),
        Constant::NegInf => "-inf".to_owned(),
    }
}

fn carrier(semiring: &Semiring) -> &'static str {
    match semiring.carrier {
        _ if semiring.algebra.scalars == [Scalar::Bool] => "the truth values",
        Carrier::Between(..) => "the numbers between two",
        Carrier::Real => "the real numbers",
        Carrier::NonNegative => "the real numbers from 0 up",
        Carrier::RealOrInfinity => "the real numbers and infinity",
        Carrier::RealOrNegInfinity => "the real numbers and negative infinity",
        Carrier::Extended => "the real numbers and both infinities",
    }
}

fn error(page: &atl_diag::codes::Page) -> Entry {
    Entry {
        kind: Kind::Error,
        name: page.code.to_string(),
        summary: page.title.to_owned(),
        fields: Vec::new(),
        page: Some(page.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, kinds: &[Kind], holds: &str) {
        let found = lookup(name);
        assert_eq!(found.iter().map(|e| e.kind).collect::<Vec<_>>(), kinds, "{name}");
        let text = format!("{found:?}");
        assert!(text.contains(holds), "{text}");
    }

    #[test]
    fn every_kind_is_found_by_name() {
        check("split_sum", &[Kind::Rule], "sum o<ceil_div(n, k)");
        check("split", &[Kind::Operator, Kind::Directive], "a[i * k + j]");
        check("concat", &[Kind::Operator], "a ++ b");
        check("tile", &[Kind::Directive], "tile L, M by k, l");
        check("min_plus", &[Kind::Semiring], "addition min with zero inf");
        check("e0104", &[Kind::Error], "## Remedy");
        check("csr", &[Kind::Format], "A2_pos: i64[N + 1]");
        check("csr", &[Kind::Format], "may be stored so");
        check("hash", &[Kind::Format], "cannot be stored so: ");
        check("bcsr", &[Kind::Format], "bcsr(4, 4)");
        check("singleton", &[Kind::Format], "[dense, singleton]");
        check("rle", &[Kind::Format], "it cannot stand there");
        check("nothing", &[], "[]");
    }

    #[test]
    fn a_step_is_explained_by_its_directive() {
        for (text, name) in
            [("carry X along L", "carry"), ("split i by 4;", "split"), ("simplify;", "simplify")]
        {
            let found = step(text);
            assert!(
                matches!(found.as_slice(), [e] if e.kind == Kind::Directive && e.name == name),
                "{found:?}"
            );
        }
        assert!(step("split_sum of this").is_empty() && step("").is_empty());
    }

    #[test]
    fn every_entry_says_something() {
        for kind in Kind::ALL {
            let entries = list(kind);
            assert!(!entries.is_empty());
            assert!(entries.iter().all(|e| e.kind == kind && !e.summary.is_empty()), "{entries:?}");
        }
    }

    #[test]
    fn similar_names_are_offered() {
        assert!(similar("").is_empty() && similar("e").len() <= MOST_SIMILAR);
        for (typed, meant) in
            [("split_gn", "split_gen"), ("spilt", "split"), ("E040", "E0401"), ("flaten", "flatten")]
        {
            assert!(similar(typed).contains(&meant.to_owned()), "{typed}");
        }
        assert!(similar("zyzzyva").is_empty());
    }
}
