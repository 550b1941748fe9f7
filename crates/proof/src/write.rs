//! From a theorem to its file. Equal parts are written once: a line is found again by its text.

use crate::error::WriteError;
use crate::file::Header;
use crate::on_large_stack;
use crate::read::{CMPS, IX_OPS, PRIMS, read_here};
use crate::replay::{Spare, replay};
use crate::words::{laws, quoted};
use atl_kernel::cert::Derive;
use atl_kernel::{
    Algebra, Cert, Child, Definition, Elem, Entry, Expr, Ix, Label, LoopKind, Monoid, Node, Number, Pred,
    Prim, Proof, Rule, State, Storage, Thm, Var,
};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// A theorem as a proof file, with these texts for people.
///
/// The file has been read and checked when this returns. Checking is part of writing for another reason too: a step that the kernel
/// asked for where two parts of a term were copies is not asked for where they are one line, and its certificate is left out.
///
/// # Errors
/// The theorem exceeds a limit of the format.
pub fn write(thm: &Thm, header: &Header) -> Result<String, WriteError> {
    on_large_stack(|| {
        let draft = text(thm, header);
        let file = read_here(&draft).map_err(WriteError::Unreadable)?;
        let settled = replay(&file, Spare::PassedOver).map_err(WriteError::Unchecked)?;
        Ok(text(&settled, header))
    })
}

/// The file of a theorem, with every certificate that its record has.
fn text(thm: &Thm, header: &Header) -> String {
    let mut out = String::from("atlp 1\n");
    let _ = writeln!(out, "function {}", quoted(&header.function));
    let texts = [
        ("given", &header.given),
        ("source", &header.source),
        ("schedule", &header.schedule),
        ("result", &header.result),
    ];
    for (heading, text) in texts {
        let _ = writeln!(out, "{heading}");
        for line in text.lines() {
            let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let _ = if line.is_empty() { writeln!(out, "|") } else { writeln!(out, "| {line}") };
        }
    }
    let _ = writeln!(out, "laws {}\nrounding {}\nproof", laws(thm.laws()), thm.rounding());
    let mut writer = Writer { out, ..Writer::default() };
    let (lhs, rhs) = (writer.term(thm.lhs()), writer.term(thm.rhs()));
    let root = writer.step(thm.proof());
    let entries: Vec<String> = thm.ctx().entries().map(|entry| writer.entry(entry)).collect();
    for (level, entry) in entries.iter().enumerate() {
        let _ = writeln!(writer.out, "x{level} {entry}");
    }
    let _ = writeln!(writer.out, "claim {lhs} {rhs} {root}");
    let lines = writer.out.lines().count();
    let _ = writeln!(writer.out, "end {lines}");
    writer.out
}

/// The name of a line: its letter and its number.
#[derive(Clone, Copy)]
pub(crate) struct Name(char, usize);

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.0, self.1)
    }
}

#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) out: String,
    /// The number of each line by its letter and its text.
    lines: HashMap<char, HashMap<String, usize>>,
    /// Shared terms and inferences that are written, by where they live; the theorem keeps them alive.
    terms: HashMap<usize, Name>,
    steps: HashMap<usize, Name>,
}

impl Writer {
    /// A line is there already.
    pub(crate) fn note(&mut self, line: &str) {
        if let (Some(letter), Some((_, text))) = (line.chars().next(), line.split_once(' ')) {
            let known = self.lines.entry(letter).or_default();
            known.insert(text.to_owned(), known.len());
        }
    }

    /// The line of this letter with this text, new or known.
    pub(crate) fn line(&mut self, letter: char, text: String) -> Name {
        let known = self.lines.entry(letter).or_default();
        if let Some(k) = known.get(&text) {
            return Name(letter, *k);
        }
        let name = Name(letter, known.len());
        let _ = writeln!(self.out, "{name} {text}");
        known.insert(text, name.1);
        name
    }

    fn entry(&mut self, entry: &Entry) -> String {
        match entry {
            Entry::Index(label) => format!("index {}", self.label(label)),
            Entry::Tensor(label, ty) => {
                let mut text = format!("tensor {} {}", self.label(label), self.elem(ty.elem));
                for extent in &ty.shape {
                    let _ = write!(text, " {}", self.ix(extent));
                }
                text
            }
            Entry::Hyp(p, _) => format!("hyp {}", self.pred(p)),
            Entry::All(labels, p) => {
                let variables = self.list(labels, Writer::label);
                format!("all {}{variables} {}", labels.len(), self.pred(p))
            }
        }
    }

    fn label(&mut self, label: &Label) -> Name {
        let kind = match label.kind {
            LoopKind::Serial => "serial".to_owned(),
            LoopKind::Parallel => "parallel".to_owned(),
            LoopKind::Vector(None) => "vector".to_owned(),
            LoopKind::Vector(Some(lanes)) => format!("vector:{lanes}"),
            LoopKind::Unroll => "unroll".to_owned(),
            LoopKind::Search => "search".to_owned(),
        };
        let storage = match label.storage {
            Storage::Auto => "auto",
            Storage::Heap => "heap",
            Storage::Stack => "stack",
            Storage::Register => "register",
        };
        self.line('l', format!("{} {kind} {storage}", quoted(&label.name)))
    }

    fn algebra(&mut self, algebra: &Algebra) -> Name {
        self.line('a', algebra.name.to_owned())
    }

    fn elem(&mut self, elem: Elem) -> String {
        format!("{} {}", elem.scalar, self.algebra(elem.algebra))
    }

    pub(crate) fn ix(&mut self, ix: &Ix) -> Name {
        let text = match ix {
            Ix::Lit(n) => format!("lit {n}"),
            Ix::Var(v) => var(*v),
            Ix::Bin(op, ab) => {
                let (a, b) = (self.ix(&ab.0), self.ix(&ab.1));
                format!("{} {a} {b}", spelling(&IX_OPS, op))
            }
            Ix::Read(v, at) => format!("read {} {}{}", var(*v), at.len(), self.list(at, Writer::ix)),
        };
        self.line('i', text)
    }

    pub(crate) fn pred(&mut self, p: &Pred) -> Name {
        let text = match p {
            Pred::True => "true".to_owned(),
            Pred::False => "false".to_owned(),
            Pred::Cmp(cmp, a, b) => {
                let (a, b) = (self.ix(a), self.ix(b));
                format!("{} {a} {b}", spelling(&CMPS, cmp))
            }
            Pred::Not(p) => format!("not {}", self.pred(p)),
            Pred::And(pq) => format!("and {} {}", self.pred(&pq.0), self.pred(&pq.1)),
            Pred::Or(pq) => format!("or {} {}", self.pred(&pq.0), self.pred(&pq.1)),
        };
        self.line('p', text)
    }

    fn term(&mut self, e: &Expr) -> Name {
        let place = Arc::as_ptr(e).addr();
        if let Some(name) = self.terms.get(&place) {
            return *name;
        }
        let text = self.node(e);
        let name = self.line('t', text);
        self.terms.insert(place, name);
        name
    }

    fn node(&mut self, node: &Node) -> String {
        match node {
            Node::Var(v) => var(*v),
            Node::Lit(elem, number) => format!("lit {} {}", self.elem(*elem), literal(*number)),
            Node::Index(elem, ix) => format!("index {} {}", self.elem(*elem), self.ix(ix)),
            Node::Gen(l, n, e) => format!("gen {} {} {}", self.label(l), self.ix(n), self.term(e)),
            Node::Sum(l, n, e) => format!("sum {} {} {}", self.label(l), self.ix(n), self.term(e)),
            Node::Guard(p, e) => format!("guard {} {}", self.pred(p), self.term(e)),
            Node::Select(p, a, b) => format!("select {} {} {}", self.pred(p), self.term(a), self.term(b)),
            Node::Let(l, bound, body) => {
                format!("let {} {} {}", self.label(l), self.term(bound), self.term(body))
            }
            Node::Iterate(it) => {
                let (label, extent) = (self.label(&it.label), self.ix(&it.extent));
                let mut text = format!("iterate {label} {extent} {}", it.states.len());
                for State { label, init, step } in &it.states {
                    let (label, init, step) = (self.label(label), self.term(init), self.term(step));
                    let _ = write!(text, " {label} {init} {step}");
                }
                format!("{text} {}", self.term(&it.body))
            }
            Node::Get(e, ix) => format!("get {} {}", self.term(e), self.ix(ix)),
            Node::Prim(prim, args) => {
                let name = match prim {
                    Prim::Cast(elem) => format!("cast {}", self.elem(*elem)),
                    Prim::Call(function) => function.name().to_owned(),
                    other => spelling(&PRIMS, other).to_owned(),
                };
                format!("prim {name}{}", self.list(args, Writer::term))
            }
            Node::View(algebra, e) => format!("view {} {}", self.algebra(algebra.0), self.term(e)),
            Node::Bundle(_, parts) => format!("bundle {}{}", parts.len(), self.list(parts, Writer::term)),
            Node::Op(definition, ixs, args) => {
                let definition = self.definition(definition);
                let (k, ixs) = (ixs.len(), self.list(ixs, Writer::ix));
                format!("op {definition} {k}{ixs} {}{}", args.len(), self.list(args, Writer::term))
            }
        }
    }

    /// The names of parts, each after a space.
    fn list<T>(&mut self, parts: &[T], name: impl Fn(&mut Writer, &T) -> Name) -> String {
        parts.iter().fold(String::new(), |mut text, part| {
            let _ = write!(text, " {}", name(self, part));
            text
        })
    }

    fn definition(&mut self, definition: &Definition) -> Name {
        let mut text = format!("{} {}", quoted(definition.name), definition.index_params);
        let _ = write!(text, " {}", definition.tensor_params.len());
        for extents in &definition.tensor_params {
            let _ = write!(text, " {extents}");
        }
        let _ = write!(text, " {}", self.term(&definition.body));
        self.line('d', text)
    }

    fn monoid(&mut self, monoid: &Monoid) -> Name {
        let mut text = format!("{} {}", quoted(monoid.name()), monoid.fields().len());
        for ((elem, zero), sum) in monoid.fields().iter().zip(monoid.zero()).zip(monoid.formulas()) {
            let _ = write!(text, " {} {} {}", self.elem(*elem), self.term(zero), self.term(sum));
        }
        self.line('m', format!("{text} {}", laws(monoid.laws())))
    }

    pub(crate) fn cert(&mut self, cert: &Cert) -> Name {
        let (mut text, mut cert) = (String::new(), cert);
        while let Cert::Step(step, rest) = cert {
            text += &match step {
                Derive::Combine(parts) => format!("combine {}{} ", parts.len(), combination(parts)),
                Derive::Cut(f, d) => format!("cut {f} {d} "),
                Derive::Euclid(a, d, f) => format!("euclid {} {} {f} ", self.ix(a), self.ix(d)),
                Derive::Min(a, b) => format!("min {} {} ", self.ix(a), self.ix(b)),
                Derive::Max(a, b) => format!("max {} {} ", self.ix(a), self.ix(b)),
                Derive::Instance(k, at) => format!("instance {k} {}{} ", at.len(), self.list(at, Writer::ix)),
                Derive::Type(level, at) => format!("type {level} {}{} ", at.len(), self.list(at, Writer::ix)),
            };
            cert = rest;
        }
        text += &match cert {
            Cert::Split(k, l, r) => format!("split {k} {} {}", self.cert(l), self.cert(r)),
            Cert::Case(p, l, r) => format!("case {} {} {}", self.pred(p), self.cert(l), self.cert(r)),
            Cert::Absurd(k) => format!("absurd {k}"),
            Cert::Step(..) => String::new(),
        };
        self.line('c', text)
    }

    fn step(&mut self, proof: &Arc<Proof>) -> Name {
        let place = Arc::as_ptr(proof).addr();
        if let Some(name) = self.steps.get(&place) {
            return *name;
        }
        let text = match &**proof {
            Proof::Refl(l, r, certs) => {
                format!("refl {} {}{}", self.term(l), self.term(r), self.list(certs, Writer::cert))
            }
            Proof::Sym(p) => format!("sym {}", self.step(p)),
            Proof::Trans(p, q) => format!("trans {} {}", self.step(p), self.step(q)),
            Proof::Rule(rule, lhs, certs) => {
                let arguments = self.arguments(rule);
                let lhs = self.term(lhs);
                format!("rule {}{arguments} {lhs}{}", rule.name(), self.list(certs, Writer::cert))
            }
            Proof::Congruence(parent, at, p, certs) => {
                let (parent, p) = (self.term(parent), self.step(p));
                format!("cong {parent} {} {p}{}", place_name(*at), self.list(certs, Writer::cert))
            }
            Proof::Cases(p, q, r) => format!("cases {} {} {}", self.pred(p), self.step(q), self.step(r)),
            Proof::Induction(e, family, premises, certs) => {
                let mut text = format!("induction {} {}", self.term(e), premises.len());
                for (f, (base, step)) in family.iter().zip(premises) {
                    let (f, base, step) = (self.term(f), self.step(base), self.step(step));
                    let _ = write!(text, " {f} {base} {step}");
                }
                text + &self.list(certs, Writer::cert)
            }
        };
        let name = self.line('s', text);
        self.steps.insert(place, name);
        name
    }

    /// A rule's arguments, each after a space.
    fn arguments(&mut self, rule: &Rule) -> String {
        match rule {
            Rule::GenEta(l) => format!(" {}", self.label(l)),
            Rule::SumSplit(k) => format!(" {}", self.ix(k)),
            Rule::SumTile(outer, q, inner, k) => {
                format!(" {} {} {} {}", self.label(outer), self.ix(q), self.label(inner), self.ix(k))
            }
            Rule::Law(monoid, law, field, elements) => {
                let mut text = format!(" {} {} {field} {}", self.monoid(monoid), laws(*law), elements.len());
                elements.iter().for_each(|element| text += &self.list(element, Writer::term));
                text
            }
            Rule::ArithEq(rhs) | Rule::Absurd(rhs) => format!(" {}", self.term(rhs)),
            _ => String::new(),
        }
    }
}

fn var(v: Var) -> String {
    match v {
        Var::Free(level) => format!("free {level}"),
        Var::Bound(k) => format!("bound {k}"),
    }
}

fn literal(number: Number) -> String {
    match number {
        Number::Zero => "zero".to_owned(),
        Number::One => "one".to_owned(),
        Number::Infinity => "inf".to_owned(),
        Number::NegInfinity => "-inf".to_owned(),
        Number::Decimal(mantissa, exponent) => format!("dec:{mantissa} {exponent}"),
    }
}

fn place_name(at: Child) -> String {
    match at {
        Child::Body => "body".to_owned(),
        Child::Bound => "bound".to_owned(),
        Child::Init(k) => format!("init:{k}"),
        Child::Step(k) => format!("step:{k}"),
        Child::Then => "then".to_owned(),
        Child::Else => "else".to_owned(),
        Child::Arg(k) => format!("arg:{k}"),
    }
}

/// The parts of a combination, each after a space.
fn combination(parts: &[(i128, Vec<usize>)]) -> String {
    let mut text = String::new();
    for (coefficient, factors) in parts {
        let _ = write!(text, " {coefficient}");
        for f in factors {
            let _ = write!(text, "*{f}");
        }
    }
    text
}

/// How a table spells a value; every value stands in its table.
fn spelling<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, known)| known == value).map_or("?", |(name, _)| name)
}
