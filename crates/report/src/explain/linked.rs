//! The program, its loops and its C side by side, line by line.
//!
//! Loops and C are printed from the same statements, which number their lines. Statements and lines of the
//! program are joined by what lowering keeps: the names of the loops around, and the buffer that is stored
//! to. Where peeling made copies, equally many on both sides, the first goes with the first; where names do
//! not decide, all that could be meant are linked. So a link says where to look, and nothing is proved by it.

use super::parts::{Part, What, letters, parts};
use atl_backend_c::CSource;
use atl_loops::{Kernel, Stmt};
use std::collections::BTreeMap;

/// Three texts whose lines belong together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Linked {
    /// The program that is lowered,
    pub program: Vec<LinkedLine>,
    /// its loops,
    pub loops: Vec<LinkedLine>,
    /// and its C.
    pub c: Vec<LinkedLine>,
}

/// A line, and the statements of the loops that it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkedLine {
    /// The line.
    pub text: String,
    /// The statements' numbers.
    pub statements: Vec<usize>,
}

/// A statement and what stands around it.
struct Placed {
    number: usize,
    what: What,
    /// The buffer that it, or what it holds, stores to last.
    into: String,
    loops: Vec<String>,
}

impl Linked {
    /// The lines of a printed function, of its loops and of their C.
    pub fn of(program: &str, kernel: &Kernel, c: &CSource) -> Linked {
        let output = kernel.params.iter().find(|p| p.access.is_output()).map_or("", |p| p.name.as_str());
        let parts = parts(program, output);
        let mut placed = Vec::new();
        place(&kernel.body, &mut 0, &mut Vec::new(), &mut placed);
        let mut program: Vec<LinkedLine> = program.lines().map(|text| LinkedLine::new(text, None)).collect();
        for (statement, part) in links(&placed, &parts) {
            for line in &part.lines {
                if let Some(line) =
                    program.get_mut(*line).filter(|line| !line.statements.contains(&statement))
                {
                    line.statements.push(statement);
                }
            }
        }
        let numbered = |text: &str, numbers: &[Option<usize>]| {
            let numbers = numbers.iter().copied().chain(std::iter::repeat(None));
            text.lines().zip(numbers).map(|(text, number)| LinkedLine::new(text, number)).collect()
        };
        Linked {
            program,
            loops: numbered(&kernel.to_string(), &kernel.statements_by_line()),
            c: numbered(&c.c, &c.statements),
        }
    }

    /// How many statements there are.
    pub fn statements(&self) -> usize {
        let all = self.program.iter().chain(&self.loops).chain(&self.c);
        all.flat_map(|line| &line.statements).max().map_or(0, |number| number + 1)
    }
}

impl LinkedLine {
    fn new(text: &str, statement: Option<usize>) -> LinkedLine {
        LinkedLine { text: text.to_owned(), statements: statement.into_iter().collect() }
    }
}

/// Every statement with what stands around it, numbered as [`Stmt::for_each`] meets them.
fn place(stmt: &Stmt, next: &mut usize, loops: &mut Vec<String>, placed: &mut Vec<Placed>) {
    let number = *next;
    *next += 1;
    let into = last_store(stmt).to_owned();
    let mut found = |what, into, loops: &[String]| {
        placed.push(Placed { number, what, into, loops: loops.to_vec() });
    };
    match stmt {
        Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| place(stmt, next, loops, placed)),
        Stmt::If { .. } => {
            found(What::Value, into, loops);
            stmt.parts().for_each(|part| place(part, next, loops, placed));
        }
        Stmt::Alloc { buf, body, .. } => {
            found(What::Let, buf.to_string(), loops);
            place(body, next, loops, placed);
        }
        Stmt::Reset { buf, .. } | Stmt::Forget { buf, .. } => found(What::Let, buf.to_string(), loops),
        Stmt::Prefetch { .. } => {}
        Stmt::Store { .. } | Stmt::Push { .. } => found(What::Value, into, loops),
        stmt => {
            let outer = loops.len();
            loops.extend(stmt.variables().map(ToString::to_string));
            found(What::Loop, into, loops);
            stmt.parts().for_each(|part| place(part, next, loops, placed));
            loops.truncate(outer);
        }
    }
}

/// The buffer that a statement stores to last: that of its result, for those of `let`s come before.
fn last_store(stmt: &Stmt) -> &str {
    let mut last = "";
    stmt.for_each(&mut |stmt| {
        if let Stmt::Store { buf, .. } | Stmt::Push { buf, .. } = stmt {
            last = buf.as_str();
        }
    });
    last
}

/// Each statement with the parts of the program that it carries out.
fn links<'p>(placed: &[Placed], parts: &'p [Part]) -> Vec<(usize, &'p Part)> {
    // Statements that look alike, in order, are copies.
    let mut alike: BTreeMap<(What, &str, Vec<&str>), Vec<usize>> = BTreeMap::new();
    for p in placed {
        let key = (p.what, stem(&p.into), p.loops.iter().map(|l| stem(l)).collect());
        alike.entry(key).or_default().push(p.number);
    }
    let mut links = Vec::new();
    for ((what, into, loops), copies) in alike {
        let meant = candidates(parts, what, into, &loops);
        match meant.len() == copies.len() {
            true => links.extend(copies.into_iter().zip(meant)),
            false => links.extend(copies.iter().flat_map(|copy| meant.iter().map(|part| (*copy, *part)))),
        }
    }
    links
}

/// The parts that a statement may carry out: of the closest kind of likeness that any part has.
fn candidates<'p>(parts: &'p [Part], what: What, into: &str, loops: &[&str]) -> Vec<&'p Part> {
    let same_into = |p: &Part| stem(&letters(&p.into)) == into;
    let same_loops = |p: &Part| {
        p.loops.len() == loops.len() && p.loops.iter().zip(loops).all(|(a, b)| stem(&letters(a)) == *b)
    };
    let same_last =
        |p: &Part| p.loops.last().map(|l| letters(l)).as_deref().map(stem) == loops.last().copied();
    let of_kind = |like: &dyn Fn(&Part) -> bool| -> Vec<&'p Part> {
        parts.iter().filter(|p| p.what == what && like(p)).collect()
    };
    match what {
        // Memory that no `let` asks for is part of a value.
        What::Let => match of_kind(&same_into) {
            found if found.is_empty() => candidates(parts, What::Value, into, loops),
            found => found,
        },
        What::Loop | What::Value => {
            let kinds: [&dyn Fn(&Part) -> bool; 3] =
                [&|p| same_into(p) && same_loops(p), &same_loops, &|p| same_into(p) && same_last(p)];
            kinds.into_iter().map(of_kind).find(|found| !found.is_empty()).unwrap_or_default()
        }
    }
}

/// A name without the number that made it distinct.
fn stem(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((stem, number)) if !stem.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::c_source;
    use atl_lang::print::print_function;
    use atl_session::Program;
    use atl_session::display::options;
    use atl_syntax::Notation;

    /// For each line of the loops that holds `of`, the lines of the program that it is linked to.
    fn check(program: &str, schedule: Option<&str>, of: &str, expected: &[&[&str]]) {
        let program = Program::parse("f.atl", program).unwrap();
        let scheduled = program.scheduled("f", schedule).unwrap();
        let lowered = scheduled.lower().unwrap();
        let text = print_function(&scheduled.function, scheduled.body(), options(Notation::Ascii));
        let linked = Linked::of(&text, &lowered.kernel, &c_source(&lowered).unwrap());
        let lines = linked.loops.iter().filter(|line| line.text.contains(of));
        let found = lines.map(|line| {
            let same = |other: &&LinkedLine| other.statements.iter().any(|s| line.statements.contains(s));
            let c = linked.c.iter().filter(same).count();
            assert!(c > 0, "no line of the C for {}", line.text);
            linked.program.iter().filter(same).map(|line| line.text.trim()).collect::<Vec<_>>()
        });
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    const TWO: &str = "\
fn f(x: f32[N]) -> f32[N] {
    let t = gen i < N { x[i] + x[i] };
    gen i < N { t[i] * t[i] }
}
schedule s of f { split i by 4; peel; }
";

    #[test]
    fn loops_of_one_name_are_told_apart_by_what_they_store() {
        check(
            TWO,
            None,
            "for i ",
            &[&["let t = gen i < N { x[i] + x[i] };"], &["gen i < N { t[i] * t[i] }"]],
        );
        check(TWO, None, "alloc", &[&["let t = gen i < N { x[i] + x[i] };"]]);
        check(TWO, None, "out[i] =", &[&["gen i < N { t[i] * t[i] }"]]);
    }

    #[test]
    fn copies_are_linked_in_order() {
        let program = Program::parse("f.atl", TWO).unwrap();
        let text =
            crate::show::show(&program, "f", Some("s"), crate::show::Stage::Scheduled, Notation::Ascii, &[]);
        let copies: Vec<String> =
            text.unwrap().lines().filter(|l| l.contains("gen i.o")).map(|l| l.trim().to_owned()).collect();
        let expected: Vec<Vec<&str>> = copies.iter().map(|line| vec![line.as_str()]).collect();
        assert!(expected.len() > 1, "{copies:?}");
        check(TWO, Some("s"), "for io ", &expected.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_that_make_names_distinct_are_left_out() {
        assert_eq!([stem("bx_1"), stem("acc"), stem("t_x"), stem("_1")], ["bx", "acc", "t_x", "_1"]);
    }
}
