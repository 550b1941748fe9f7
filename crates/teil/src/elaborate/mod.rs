//! TeIL as programs: a function for each result, whose statements are `let`s.
//!
//! The one idea: an expression is translated together with the indices that it is read at, so transposition,
//! diagonal, expansion and projection only change a list, and no outer product is ever a tensor. What remains
//! are `gen`, `sum` and reads, in the order of the definition, so results have the definition's bits.
//!
//! A reduction that would stand inside a loop on which it does not depend is a `let` of its own (`sequence`),
//! or it would be computed again and again.

mod batched;
mod laned;
mod lifting;
mod names;
mod sequence;
mod stacked;
mod terms;
mod tiles;

use crate::Refusal;
use crate::language::{Declaration, Fact, Kind, Program, Shape, Size};
use crate::typing::{Checked, Statement, Typed, check, declared};
use atl_diag::{Diagnostic, FileId, err};
use atl_syntax::{Style, parse_file, print_file};
pub use batched::BATCHED;
use batched::Part;
pub use lifting::SCHEDULE;
use lifting::is_sum;
use names::Names;
use std::collections::BTreeSet;

/// A program's functions.
#[derive(Clone, Debug)]
pub struct Elaborated {
    /// The text of them all, with schedules.
    pub text: String,
    /// Their names, which are those of the results.
    pub functions: Vec<String>,
    /// Those that have the schedule [`SCHEDULE`].
    pub lifted: Vec<String>,
    /// Those that have the schedule [`BATCHED`].
    pub batched: Vec<String>,
    /// Why others lack one of these schedules.
    pub absent: Vec<Absent>,
}

/// Why a function lacks a schedule that others have.
#[derive(Clone, Debug)]
pub struct Absent {
    /// The function.
    pub function: String,
    /// The schedule.
    pub schedule: &'static str,
    /// Why.
    pub why: String,
}

/// Sums directly within one another.
#[derive(Clone, Default)]
struct Nest {
    /// The loops around them.
    kept: Vec<(String, Size)>,
    /// The loops' names.
    sums: Vec<String>,
    /// Their sizes.
    ranges: Vec<Size>,
    /// Those of the loops on which nothing in them depends: they add up equal terms.
    equal: Vec<String>,
    /// The factors that are elements of tensors: what each is called, and its indices.
    accesses: Vec<(String, Vec<String>)>,
    /// The factors of the product in them.
    factors: usize,
    /// The `let` around them; none in the result.
    within: Option<String>,
    /// Whether that is nothing but these sums.
    is_all: bool,
    /// The `let`s that are factors, and no statements of the program.
    reads: Vec<String>,
}

/// The functions of a program, which is well typed.
///
/// # Errors
/// The program is so long, or nests so deeply, that a program of `let`s cannot hold it.
pub fn elaborate(program: &Program, checked: &Checked<'_>) -> Result<Elaborated, Refusal> {
    let (program, allocated) = sequence::sequence(program, checked);
    let checked = check(&program)?;
    let mut text = String::new();
    let (mut functions, mut lifted, mut batched) = (Vec::new(), Vec::new(), Vec::new());
    let mut absent = Vec::new();
    for result in checked.results() {
        let mut writer = Writer {
            checked: &checked,
            result,
            allocated: &allocated,
            names: Names::of(&checked),
            nests: vec![],
            kept: vec![],
            read: vec![],
            bare: false,
        };
        let (function, parts) = writer.function();
        text += &function;
        functions.push(result.name.value.clone());
        let function = || result.name.value.clone();
        match writer.schedule() {
            Some(schedule) => {
                text += &schedule;
                lifted.push(function());
            }
            None => {
                let why = "no product of three factors is summed over two indices: each sum is carried out as it is written";
                absent.push(Absent { function: function(), schedule: SCHEDULE, why: why.to_owned() });
            }
        }
        match writer.batched(&parts) {
            Ok(schedule) => {
                text += &schedule;
                batched.push(function());
            }
            Err(why) => absent.push(Absent { function: function(), schedule: BATCHED, why }),
        }
    }
    // The printer knows where parentheses are needed and where lines end.
    let text = match parse_file(FileId::default(), &text).into_result() {
        Ok(tree) => print_file(&tree, Style::SOURCE),
        Err(wrong) => return Err(too_long(&wrong)),
    };
    Ok(Elaborated { text, functions, lifted, batched, absent })
}

/// The refusal of a program that the reader of programs refuses for its size.
fn too_long(wrong: &[Diagnostic]) -> Refusal {
    let refusal = err!(E0281, "the program is too long, or an expression in it nests too deeply");
    let refusal = match wrong.first() {
        Some(first) => refusal.note(format!("of the program that it becomes: {}", first.message)),
        None => refusal,
    };
    Box::new(refusal.help("split it into several programs, each with fewer statements"))
}

/// What is written for one result.
struct Writer<'c, 'p> {
    checked: &'c Checked<'p>,
    result: &'c Declaration,
    /// The tensors that are no statements of the program.
    allocated: &'c [String],
    names: Names,
    nests: Vec<Nest>,
    /// The loops around the element at hand.
    kept: Vec<(String, Size)>,
    /// What is read, as often as that is.
    read: Vec<String>,
    /// Nothing but numbers is in the statement at hand, so they must say their type.
    bare: bool,
}

impl<'c, 'p> Writer<'c, 'p> {
    /// The function, and what its statements are.
    fn function(&mut self) -> (String, Vec<Part>) {
        let needed = self.needed();
        let (last, before) = match needed.split_last() {
            Some((last, before)) => (Some(*last), before),
            None => (None, &[][..]),
        };
        let (mut body, mut parts) = (String::new(), Vec::new());
        for statement in before {
            let first = self.nests.len();
            let value = self.value(statement);
            let name = self.names.assign(&statement.target.name.value);
            parts.push(self.part(statement, Some(name.clone()), first));
            body += &format!("let {name} = {value};\n");
            for nest in &mut self.nests[first..] {
                nest.within = Some(name.clone());
                nest.is_all = is_sum(statement) && self.allocated.contains(&name);
            }
        }
        body += &match last {
            Some(statement) => {
                let first = self.nests.len();
                let value = self.value(statement);
                parts.push(self.part(statement, None, first));
                value
            }
            // An `inout` that nothing changes.
            None => self.result.name.value.clone(),
        };
        let header = self.header(&needed);
        (format!("{header} {{\n{body}\n}}\n\n"), parts)
    }

    /// What the statement is that was written last, whose nests begin at this one.
    fn part(&self, statement: &Statement<'_>, name: Option<String>, first: usize) -> Part {
        Part {
            name,
            kept: self.kept.clone(),
            nests: first..self.nests.len(),
            is_sum: is_sum(statement),
            is_pointwise: is_pointwise(&statement.value),
            given: self.given(&statement.value),
        }
    }

    /// The given tensors that an expression reads.
    fn given(&self, value: &Typed<'_>) -> Vec<String> {
        let mut read = BTreeSet::new();
        reads(value, &mut read);
        let given = self.checked.given().map(|given| given.name.value.as_str());
        given.filter(|name| read.contains(name)).map(str::to_owned).collect()
    }

    /// The statements on which the result depends, in order; the last of them assigns it.
    fn needed(&self) -> Vec<&'c Statement<'p>> {
        let mut wanted: BTreeSet<&str> = BTreeSet::from([self.result.name.value.as_str()]);
        let mut needed = Vec::new();
        for statement in self.checked.statements.iter().rev() {
            if wanted.remove(statement.target.name.value.as_str()) {
                needed.push(statement);
                reads(&statement.value, &mut wanted);
            }
        }
        needed.reverse();
        needed
    }

    /// `fn C(A: f64[m, k], n: size) -> f64[m, n] where 1 <= m && ..`
    fn header(&self, needed: &[&Statement<'_>]) -> String {
        // Callers give all inputs, those included that this result does not depend on.
        let given: Vec<&Declaration> = self.checked.given().collect();
        let shape = declared(self.result);
        let mut sizes: BTreeSet<&Size> = shape.iter().collect();
        needed.iter().for_each(|statement| mentioned(&statement.value, &mut sizes));
        sizes.extend(given.iter().flat_map(|d| d.shape.iter().map(|size| &size.value)));
        let facts = self.connected(&mut sizes);
        let known: Vec<&Size> = given.iter().flat_map(|d| d.shape.iter().map(|size| &size.value)).collect();
        let tensors = given.iter().map(|d| format!("{}: {}", d.name.value, typed(d, &declared(d))));
        let variables = || {
            self.checked
                .context
                .sizes
                .names()
                .iter()
                .filter(|name| sizes.contains(&Size::Variable((*name).clone())))
        };
        let free = variables().filter(|name| !known.contains(&&Size::Variable((*name).clone())));
        let parameters: Vec<String> = tensors.chain(free.map(|name| format!("{name}: size"))).collect();
        let conditions = variables().map(|name| format!("1 <= {name}"));
        let stated = facts.iter().map(|fact| fact.to_string());
        let conditions: Vec<String> = conditions.chain(stated).collect();
        let conditions = match conditions.is_empty() {
            true => String::new(),
            false => format!(" where {}", conditions.join(" && ")),
        };
        let name = &self.result.name.value;
        format!("fn {name}({}) -> {}{conditions}", parameters.join(", "), typed(self.result, &shape))
    }

    /// The facts that speak of these sizes, and of the sizes that those speak of, which are added.
    fn connected(&self, sizes: &mut BTreeSet<&'c Size>) -> Vec<&'c Fact> {
        let facts = &self.checked.facts;
        loop {
            let before = sizes.len();
            let is_variable = |size: &&Size| matches!(size, Size::Variable(_));
            let touched: Vec<&Fact> = facts
                .iter()
                .copied()
                .filter(|f| {
                    [&f.left.value, &f.right.value].iter().any(|s| is_variable(s) && sizes.contains(*s))
                })
                .collect();
            sizes.extend(touched.iter().flat_map(|f| [&f.left.value, &f.right.value]));
            if sizes.len() == before {
                return touched;
            }
        }
    }
}

/// `f64[n, m]`
fn typed(declaration: &Declaration, shape: &Shape) -> String {
    match shape.is_empty() {
        true => declaration.element.name().to_owned(),
        false => format!("{}{}", declaration.element.name(), crate::language::shape(shape)),
    }
}

/// The tensors that an expression reads.
fn reads<'e>(typed: &Typed<'e>, into: &mut BTreeSet<&'e str>) {
    if let Kind::Name(name) = &typed.expr.kind {
        into.insert(name);
    }
    typed.operands.iter().for_each(|operand| reads(operand, into));
}

/// Whether each element depends on those at its place and on scalars, and on nothing else.
fn is_pointwise(typed: &Typed<'_>) -> bool {
    let moves = matches!(
        typed.expr.kind,
        Kind::Prod(..)
            | Kind::Reduce(..)
            | Kind::Contr(..)
            | Kind::Transp(..)
            | Kind::Diag(..)
            | Kind::Expa(..)
            | Kind::Proj(..)
            | Kind::Stack(_)
    );
    !moves && typed.operands.iter().all(is_pointwise)
}

/// The sizes that an expression mentions, in itself or as those of what it computes.
fn mentioned<'t>(typed: &'t Typed<'_>, into: &mut BTreeSet<&'t Size>) {
    into.extend(&typed.shape);
    if let Kind::Expa(_, size, _) | Kind::Proj(_, size, _) = &typed.expr.kind {
        into.insert(&size.value);
    }
    typed.operands.iter().for_each(|operand| mentioned(operand, into));
}

#[cfg(test)]
mod tests;
