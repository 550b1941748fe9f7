//! The section about loops of a proof file: the program that computes the theorem's right side, and the
//! steps by which it is seen to do so.
//!
//! The one idea: what the export to Rocq follows, `atl_rocq::steps`, is written in the words of the format.
//! Nothing here is trusted: who checks the file replays the steps. What has no words there has no section,
//! and the reason is said.

use atl_kernel::{Cmp, Ix, Pred, Var};
use atl_loops::lanes::Vectors;
use atl_loops::{Access, Bool, CmpOp, Init, Int, LoopKind, Name, ReduceOp, Stmt, StoreMode, Val};
use atl_proof::{Section, quoted};
pub use atl_rocq::Followed;
use atl_rocq::{Arg, Evidence, Loops, Step, operation, steps};
use atl_session::Lowered;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is followed of the loops that the C printer is given, and how they compute the theorem's right side.
///
/// # Errors
/// Why they are not followed.
pub fn followed(lowered: &Lowered) -> Result<Followed, String> {
    if let Some(copy) = lowered.function.copies.first() {
        return Err(format!("the loops that make the copy `{}` are not followed", copy.name));
    }
    steps(&lowered.theorem, &given(lowered)).map_err(|why| why.to_string())
}

/// The loops that the C printer is given.
pub(crate) fn given(lowered: &Lowered) -> Loops<'_> {
    let f = &lowered.function;
    Loops {
        kernel: &lowered.kernel,
        sizes: f.sizes.iter().map(|size| (size.level, size.name.clone())).collect(),
        inputs: f.params.iter().map(|param| (param.level, param.name.clone())).collect(),
    }
}

/// The proof file with a section about loops.
///
/// # Errors
/// Why it has none.
pub fn with_loops(file: &str, lowered: &Lowered, followed: &Followed) -> Result<String, String> {
    let given = given(lowered);
    let mut writer = Writer {
        section: Section::after(file),
        sizes: given.sizes.iter().map(|(level, name)| (Name::new(name), *level)).collect(),
        inputs: given.inputs.iter().map(|(level, name)| (Name::new(name), *level)).collect(),
        buffers: BTreeMap::new(),
        loops: Vec::new(),
    };
    for param in &given.kernel.params {
        let text = match (param.access, writer.inputs.get(&param.name)) {
            (Access::Read, Some(level)) => format!("input {level}"),
            (Access::Write | Access::Stream, _) => "output".to_owned(),
            _ => return Err("a buffer is neither an input nor the output".to_owned()),
        };
        writer.buffer(&param.name, &text);
    }
    let statement = writer.statement(&followed.body)?;
    let step = writer.step(&followed.step)?;
    Ok(writer.section.file(&statement, &step, followed.laws))
}

struct Writer {
    section: Section,
    /// Levels by name.
    sizes: BTreeMap<Name, u32>,
    inputs: BTreeMap<Name, u32>,
    /// Lines by name.
    buffers: BTreeMap<Name, String>,
    /// The variables of the loops around, the innermost last.
    loops: Vec<Name>,
}

type Written = Result<String, String>;

/// What the format has no words for.
fn no_words<T>(what: &str) -> Result<T, String> {
    Err(format!("proof files have no words for {what}"))
}

impl Writer {
    fn buffer(&mut self, name: &Name, text: &str) {
        let line = self.section.line('b', format!("{text} {}", quoted(name.as_str())));
        self.buffers.insert(name.clone(), line);
    }

    fn named(&self, name: &Name) -> Written {
        self.buffers.get(name).cloned().ok_or_else(|| format!("`{name}` is no buffer of the loops"))
    }

    fn int(&self, int: &Int) -> Result<Ix, String> {
        Ok(match int {
            Int::Lit(n) => Ix::Lit(*n),
            Int::Var(name) => match self.loops.iter().rev().position(|var| var == name) {
                Some(k) => Ix::Var(Var::Bound(u32::try_from(k).unwrap_or(u32::MAX))),
                None => match self.sizes.get(name) {
                    Some(level) => Ix::free(*level),
                    None => return no_words("a variable that is neither a size nor of a loop"),
                },
            },
            Int::Bin(op, a, b) => Ix::Bin(operation(*op), Arc::new((self.int(a)?, self.int(b)?))),
            Int::Load(array, cell) => match self.inputs.get(array) {
                Some(level) => Ix::Read(Var::Free(*level), Arc::from([self.int(cell)?])),
                None => return no_words("an index that reads an array of the program"),
            },
        })
    }

    fn ix(&mut self, int: &Int) -> Written {
        let ix = self.int(int)?;
        Ok(self.section.ix(&ix))
    }

    fn bool(&self, p: &Bool) -> Result<Pred, String> {
        Ok(match p {
            Bool::Lit(true) => Pred::True,
            Bool::Lit(false) => Pred::False,
            Bool::Cmp(op, a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                match op {
                    CmpOp::Eq => Pred::Cmp(Cmp::Eq, a, b),
                    CmpOp::Ne => Pred::Not(Arc::new(Pred::Cmp(Cmp::Eq, a, b))),
                    CmpOp::Lt => Pred::Cmp(Cmp::Lt, a, b),
                    CmpOp::Le => Pred::Cmp(Cmp::Le, a, b),
                }
            }
            Bool::And(p, q) => Pred::And(Arc::new((self.bool(p)?, self.bool(q)?))),
            Bool::Or(p, q) => Pred::Or(Arc::new((self.bool(p)?, self.bool(q)?))),
            Bool::Not(p) => Pred::Not(Arc::new(self.bool(p)?)),
        })
    }

    fn pred(&mut self, p: &Bool) -> Written {
        let p = self.bool(p)?;
        Ok(self.section.pred(&p))
    }

    fn value(&mut self, v: &Val) -> Written {
        let text = match v {
            Val::Lit(literal) => format!("lit {} {}", literal.scalar(), literal.bits()),
            Val::Load { buf, index } => format!("load {} {}", self.named(buf)?, self.ix(index)?),
            Val::OfInt(int) => format!("index {}", self.ix(int)?),
            Val::Convert { to, val } => format!("convert {to} {}", self.value(val)?),
            Val::Un(op, a) => format!("op {} {}", machine::unary(*op), self.value(a)?),
            Val::Bin(op, a, b) => {
                format!("op {} {} {}", machine::binary(*op), self.value(a)?, self.value(b)?)
            }
            Val::Call(function, operands) => {
                let operands = operands.iter().map(|v| self.value(v)).collect::<Result<Vec<_>, _>>()?;
                format!("op {} {}", function.name(), operands.join(" "))
            }
            Val::Select { cond, then, otherwise } => {
                format!("select {} {} {}", self.pred(cond)?, self.value(then)?, self.value(otherwise)?)
            }
            Val::Cmp(op, a, b) => {
                let op = match op {
                    CmpOp::Eq => "eq",
                    CmpOp::Lt => "lt",
                    CmpOp::Le => "le",
                    CmpOp::Ne => return no_words("a comparison that terms do not have"),
                };
                format!("op {op} {} {}", self.value(a)?, self.value(b)?)
            }
            Val::Choose { cond, then, otherwise } => {
                format!("op where {} {} {}", self.value(cond)?, self.value(then)?, self.value(otherwise)?)
            }
        };
        Ok(self.section.line('v', text))
    }

    fn begin(&mut self, init: &Init) -> Written {
        Ok(match init {
            Init::Uninit => "unset".to_owned(),
            Init::Value(value) => format!("value {}", self.value(value)?),
        })
    }

    fn statement(&mut self, stmt: &Stmt) -> Written {
        let text = match stmt {
            Stmt::Seq(stmts) => {
                let lines = stmts.iter().map(|stmt| self.statement(stmt)).collect::<Result<Vec<_>, _>>()?;
                lines.iter().fold(format!("seq {}", lines.len()), |text, line| text + " " + line)
            }
            Stmt::For { var, lo, hi, kind, body } => {
                let kind = match kind {
                    LoopKind::Serial => "serial",
                    LoopKind::Unroll => "unroll",
                    LoopKind::Parallel(_) => "parallel",
                    LoopKind::Vector { .. } => "vector",
                    _ => return no_words("a loop of this kind"),
                };
                let (lo, hi) = (self.ix(lo)?, self.ix(hi)?);
                self.loops.push(var.clone());
                let body = self.statement(body);
                self.loops.pop();
                format!("for {} {kind} {lo} {hi} {}", quoted(var.as_str()), body?)
            }
            Stmt::Vectors { vectors: Vectors { var, lo, hi, lanes, scalar }, body } => {
                let (lo, hi) = (self.ix(lo)?, self.ix(hi)?);
                self.loops.push(var.clone());
                let body = self.statement(body);
                self.loops.pop();
                format!("vectors {} {scalar} {lanes} {lo} {hi} {}", quoted(var.as_str()), body?)
            }
            Stmt::Prefetch { buf, index } => format!("prefetch {} {}", self.named(buf)?, self.ix(index)?),
            Stmt::If { cond, then, otherwise: None } => {
                format!("if {} {}", self.pred(cond)?, self.statement(then)?)
            }
            Stmt::If { cond, then, otherwise: Some(otherwise) } => {
                let cond = self.pred(cond)?;
                format!("ifelse {cond} {} {}", self.statement(then)?, self.statement(otherwise)?)
            }
            Stmt::Alloc { buf, scalar, extents, init, body, .. } => {
                self.buffer(buf, &format!("scratch {scalar}"));
                let (line, begin) = (self.named(buf)?, self.begin(init)?);
                let extents = extents.iter().map(|n| self.ix(n)).collect::<Result<Vec<_>, _>>()?;
                let count = extents.len();
                let extents: String = extents.iter().map(|n| format!(" {n}")).collect();
                format!("alloc {line} {begin} {count}{extents} {}", self.statement(body)?)
            }
            Stmt::Forget { buf, lo, hi } => {
                format!("forget {} {} {}", self.named(buf)?, self.ix(lo)?, self.ix(hi)?)
            }
            Stmt::Reset { buf, init } => format!("reset {} {}", self.named(buf)?, self.begin(init)?),
            Stmt::Store { buf, index, value, mode } => {
                let (buf, index) = (self.named(buf)?, self.ix(index)?);
                let value = self.value(value)?;
                match mode {
                    StoreMode::Set => format!("set {buf} {index} {value}"),
                    StoreMode::Reduce(op) => {
                        format!("combine {} {buf} {index} {value}", machine::combined(*op))
                    }
                    StoreMode::Replace => format!("replace {buf} {index} {value}"),
                }
            }
            _ => return no_words("a statement of this kind"),
        };
        Ok(self.section.line('w', text))
    }

    /// A step, or a reading.
    fn step(&mut self, step: &Step) -> Written {
        let Some((_, letter, word)) = FORMS.iter().find(|(name, ..)| *name == step.name) else {
            return no_words(&format!("the step `{}`", step.name));
        };
        if IN_PLACE.contains(&step.name) {
            return self.in_place(step, *letter, word);
        }
        let (mut counts, mut parts, mut certificates) = (String::new(), Vec::new(), String::new());
        for arg in &in_order(step) {
            let rows: Vec<&[Evidence]> = match arg {
                Arg::Number(count) => {
                    counts += &format!(" {count}");
                    vec![]
                }
                // The checker finds them in the term and in the program.
                Arg::Ring(_) | Arg::Shape(_) => vec![],
                Arg::Word(_) | Arg::Buffer(_) | Arg::Ix(_) | Arg::Pred(_) => {
                    return no_words(&format!("the step `{}`", step.name));
                }
                Arg::Step(pieces) if matches!(step.name, "Written" | "Summed_written") => {
                    let (more, last) = self.pieces(pieces)?;
                    counts += &more;
                    parts.push(last);
                    vec![]
                }
                Arg::Step(step) => {
                    parts.push(self.step(step)?);
                    vec![]
                }
                Arg::Evidence(evidence) => vec![std::slice::from_ref(evidence)],
                Arg::Row(row) => vec![row],
                Arg::Rows(rows) => rows.iter().map(Vec::as_slice).collect(),
                Arg::Steps(steps) => {
                    for step in steps {
                        parts.push(self.step(step)?);
                    }
                    vec![]
                }
            };
            rows.into_iter().for_each(|row| self.shown(row, &mut certificates));
        }
        if *word == "operation" {
            counts = format!(" {}", parts.len());
        }
        let parts: String = parts.iter().map(|part| format!(" {part}")).collect();
        Ok(self.section.line(*letter, format!("{word}{counts}{parts}{certificates}")))
    }

    /// A step whose parts stand among its other words, in its own order; the certificates come last.
    fn in_place(&mut self, step: &Step, letter: char, word: &str) -> Written {
        let (mut words, mut certificates) = (String::new(), String::new());
        for arg in &step.args {
            match arg {
                Arg::Number(count) => words += &format!(" {count}"),
                Arg::Word(word) => words += &format!(" {word}"),
                Arg::Buffer(name) => words += &format!(" {}", self.named(name)?),
                Arg::Ix(ix) => words += &format!(" {}", self.section.ix(ix)),
                Arg::Pred(p) => words += &format!(" {}", self.section.pred(p)),
                Arg::Step(step) => words += &format!(" {}", self.step(step)?),
                Arg::Evidence(evidence) => self.shown(std::slice::from_ref(evidence), &mut certificates),
                Arg::Row(row) => self.shown(row, &mut certificates),
                // The checker finds them in the term and in the program.
                Arg::Ring(_) | Arg::Shape(_) => {}
                _ => return no_words(&format!("the step `{}`", step.name)),
            }
        }
        Ok(self.section.line(letter, format!("{word}{words}{certificates}")))
    }

    /// The certificates of a row.
    fn shown(&mut self, row: &[Evidence], into: &mut String) {
        for certificate in row.iter().filter_map(Evidence::certificate) {
            *into += &format!(" {}", self.section.cert(certificate));
        }
    }

    /// The pieces of a loop that was written out: all but the last one, after how many these are; and the
    /// last.
    fn pieces(&mut self, mut pieces: &Step) -> Result<(String, String), String> {
        let (mut before, mut count) = (String::new(), 0);
        loop {
            match pieces.args.as_slice() {
                [Arg::Step(last)] => return Ok((format!(" {count}{before}"), self.step(last)?)),
                [Arg::Number(width), Arg::Number(statements), Arg::Step(piece), Arg::Step(rest)] => {
                    before += &format!(" {width} {statements} {}", self.step(piece)?);
                    (pieces, count) = (rest, count + 1);
                }
                _ => return no_words("this piece of a loop"),
            }
        }
    }
}

/// What a step has, in the order in which the format asks for it: the constructors about windows have the
/// reads of all their index terms first.
fn in_order(step: &Step) -> Vec<Arg> {
    let reads: Vec<Arg> = step
        .args
        .iter()
        .find_map(|arg| match arg {
            Arg::Rows(rows) => Some(rows.iter().cloned().map(Arg::Row).collect()),
            _ => None,
        })
        .unwrap_or_default();
    match (step.name, step.args.as_slice(), reads.as_slice()) {
        (
            "Carried",
            [_, m, count, rows, extent, _, lo, hi, sizes, first, bottom, top, begun, last, moves, rest],
            [lo_reads, hi_reads, asked, bottom_reads, top_reads],
        ) => [
            m,
            count,
            extent,
            lo_reads,
            lo,
            hi_reads,
            hi,
            rows,
            sizes,
            asked,
            first,
            bottom_reads,
            bottom,
            top_reads,
            top,
            begun,
            last,
            moves,
            rest,
        ]
        .map(Arg::clone)
        .to_vec(),
        (
            "Moving",
            [_, in_order, low, high, zero, end, cells, here, above],
            [low_reads, high_reads, zero_reads, end_reads],
        ) => {
            let Arg::Rows(cells) = cells else { return step.args.clone() };
            let [here_reads, above_reads] =
                [0, 1].map(|k| Arg::Row(cells.get(k).cloned().unwrap_or_default()));
            [
                in_order,
                low_reads,
                low,
                high_reads,
                high,
                zero_reads,
                zero,
                end_reads,
                end,
                &here_reads,
                here,
                &above_reads,
                above,
            ]
            .map(Arg::clone)
            .to_vec()
        }
        _ => step.args.clone(),
    }
}

/// Steps that have words, buffers and index terms among their parts.
const IN_PLACE: [&str; 6] = ["Results", "Iterated", "Paired", "Pointed", "Pointed_if", "Swept"];

/// The words for constructors of `Steps.v` and `Readings.v`.
const FORMS: &[(&str, char, &str)] = &[
    ("RLoad", 'r', "load"),
    ("RConst", 'r', "const"),
    ("RIndex", 'r', "index"),
    ("RView", 'r', "view"),
    ("ROne", 'r', "operation"),
    ("RTwo", 'r', "operation"),
    ("RThree", 'r', "operation"),
    ("RGuard", 'r', "guard"),
    ("RGuard_true", 'r', "guard_true"),
    ("RGuard_false", 'r', "guard_false"),
    ("RSelect", 'r', "select"),
    ("RSelect_true", 'r', "select_true"),
    ("RSelect_false", 'r', "select_false"),
    ("Stored", 'h', "stored"),
    ("Loop", 'h', "loop"),
    ("Once", 'h', "once"),
    ("Never", 'h', "never"),
    ("Summed", 'h', "summed"),
    ("Summed_once", 'h', "summed_once"),
    ("Guarded", 'h', "guarded"),
    ("Switched", 'h', "switched"),
    ("Guarded_else", 'h', "guarded_else"),
    ("Guarded_true", 'h', "guarded_true"),
    ("Guarded_false", 'h', "guarded_false"),
    ("Selected", 'h', "selected"),
    ("Selected_true", 'h', "selected_true"),
    ("Selected_false", 'h', "selected_false"),
    ("Added", 'h', "added"),
    ("Let_new", 'h', "let_new"),
    ("Let_there", 'h', "let_there"),
    ("Let_unread", 'h', "let_unread"),
    ("Let_result", 'h', "let_result"),
    ("Spared", 'h', "spared"),
    ("Begun", 'h', "begun"),
    ("Either", 'h', "either"),
    ("Reshaped", 'h', "reshaped"),
    ("Joined", 'h', "joined"),
    ("Results", 'h', "results"),
    ("Iterated", 'h', "iterated"),
    ("Paired", 'h', "paired"),
    ("Named", 'h', "named"),
    ("Kept", 'h', "kept"),
    ("Unheld", 'h', "unheld"),
    ("Pointed", 'h', "pointed"),
    ("Pointed_if", 'h', "pointed_if"),
    ("Swept", 'h', "swept"),
    ("Selected_other", 'h', "selected_other"),
    ("Written", 'h', "written"),
    ("Summed_written", 'h', "summed_written"),
    ("Cutting", 'h', "cutting"),
    ("Resting", 'h', "resting"),
    ("Carried", 'h', "carried"),
    ("Moving", 'h', "moving"),
];

/// The format's names of the machine's operations.
mod machine {
    use super::ReduceOp;
    use atl_loops::{BinOp, UnOp};

    pub(super) fn unary(op: UnOp) -> &'static str {
        match op {
            UnOp::Neg => "neg",
            UnOp::Not => "not",
            other => other.text(),
        }
    }

    pub(super) fn binary(op: BinOp) -> &'static str {
        match op {
            BinOp::Add => "add",
            BinOp::Sub => "sub",
            BinOp::Mul => "mul",
            BinOp::Div => "div",
            BinOp::Rem => "rem",
            BinOp::And => "and",
            BinOp::Or => "or",
            other => other.text(),
        }
    }

    pub(super) fn combined(op: ReduceOp) -> &'static str {
        binary(op.bin_op())
    }
}

#[cfg(test)]
mod tests {
    use super::FORMS;
    use std::collections::BTreeSet;

    /// The constructors of an inductive type of the library.
    fn constructors<'a>(file: &'a str, inductive: &str) -> BTreeSet<&'a str> {
        let (_, text) =
            atl_rocq::LIBRARY.iter().find(|(name, _)| *name == file).expect("a file of the library");
        let (_, declared) = text.split_once(inductive).expect("an inductive type");
        let (declared, _) = declared.split_once(".\n").expect("its end");
        declared.split('|').skip(1).filter_map(|part| part.split_whitespace().next()).collect()
    }

    #[test]
    fn the_steps_of_rocq_have_words_in_proof_files() {
        let named: BTreeSet<&str> = FORMS.iter().map(|(name, ..)| *name).collect();
        let mut known = constructors("replay/Steps.v", "Inductive how :=");
        known.append(&mut constructors("replay/Readings.v", "Inductive reading :="));
        // What are parts of `Written` and `Iterated`, and of a state the steps `Kept` and `Stored`.
        let unnamed = ["More", "Begins", "Makes", "Stays", "Replaced"];
        let known: BTreeSet<&str> = known.into_iter().filter(|name| !unnamed.contains(name)).collect();
        // Rows that move have a record there. A sum that is written out, several results, a `let` of an
        // iteration and rounds in two buffers are followed for proof files alone.
        let others =
            BTreeSet::from(["Moving", "Summed_written", "Results", "Let_result", "Named", "Paired", "Kept"]);
        assert_eq!(named, &known | &others);
    }
}
