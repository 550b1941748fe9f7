//! The rules of statements and programs, OK-Stmt to OK-Prog, and what a caller may rely on besides.
//!
//! OK-Stmt demands that a right side has its target's type. Beyond the published rules: an input is not
//! assigned, an output is, nothing is read before it has a value, and all elements in a statement are of one
//! type.

use super::rules::Context;
use super::sizes::{MAX_VARIABLES, Sizes};
use super::{Typed, declared};
use crate::Refusal;
use crate::language::shape as listed;
use crate::language::{Assignment, Declaration, Expr, Fact, Item, Kind, Placed, Program, Role, Size};
use atl_diag::err;
use std::collections::BTreeSet;

/// A program that is well typed.
#[derive(Clone, Debug)]
pub struct Checked<'p> {
    /// What is declared.
    pub context: Context<'p>,
    /// What is stated of sizes.
    pub facts: Vec<&'p Fact>,
    /// The assignments, in order.
    pub statements: Vec<Statement<'p>>,
}

/// A well-typed assignment.
#[derive(Clone, Debug)]
pub struct Statement<'p> {
    /// What is assigned.
    pub target: &'p Declaration,
    /// What to.
    pub value: Typed<'p>,
}

impl Checked<'_> {
    /// The tensors that a call gives.
    pub fn given(&self) -> impl Iterator<Item = &Declaration> {
        self.context.declarations.iter().copied().filter(|d| d.role.is_given())
    }

    /// The tensors that a call takes.
    pub fn results(&self) -> impl Iterator<Item = &Declaration> {
        self.context.declarations.iter().copied().filter(|d| d.role.is_result())
    }
}

/// Whether a program is well typed.
///
/// # Errors
/// The first rule that refuses it.
pub fn check(program: &Program) -> Result<Checked<'_>, Refusal> {
    let (sizes, facts) = sizes(program)?;
    let mut context = Context { declarations: vec![], sizes };
    let statements = statements(program, &mut context)?;
    Ok(Checked { context, facts, statements })
}

/// The first thing of sizes that a program lacks to be well typed; nothing if it is, or lacks something else.
pub(super) fn missing(program: &Program) -> Option<Fact> {
    let (sizes, _) = sizes(program).ok()?;
    let mut context = Context { declarations: vec![], sizes };
    match statements(program, &mut context) {
        Ok(_) => None,
        // What contradicts the rest is no remedy.
        Err(_) => context.sizes.missing().filter(|fact| context.sizes.clone().assume(fact)),
    }
}

/// The assignments, all well typed; what is declared goes to the context.
fn statements<'p>(program: &'p Program, context: &mut Context<'p>) -> Result<Vec<Statement<'p>>, Refusal> {
    let mut statements: Vec<Statement<'_>> = Vec::new();
    let mut valued: BTreeSet<&str> = BTreeSet::new();
    for item in &program.items {
        match item {
            Item::Declare(declaration) => {
                declare(context, declaration)?;
                if declaration.role.is_given() {
                    valued.insert(&declaration.name.value);
                }
                context.declarations.push(declaration);
            }
            Item::Where(_) | Item::Infer => {}
            Item::Assign(assignment) => {
                let statement = assign(context, assignment, &valued)?;
                valued.insert(&statement.target.name.value);
                statements.push(statement);
            }
        }
    }
    for declaration in &context.declarations {
        let name = &declaration.name;
        if declaration.role == Role::Output && !valued.contains(name.value.as_str()) {
            return Err(Box::new(
                err!(E0287, name.span, "the output `{}` is never assigned", name.value)
                    .label("declared here")
                    .help("assign it, or declare it as `alloc` if it is not for the caller"),
            ));
        }
    }
    if !context.declarations.iter().any(|d| d.role.is_result()) {
        return Err(Box::new(
            err!(E0287, "the program has no output")
                .help("declare what it computes as `output`, or as `inout` if it also has a value before"),
        ));
    }
    Ok(statements)
}

/// The size variables, which are those that declarations name, with what is stated of them.
fn sizes(program: &Program) -> Result<(Sizes, Vec<&Fact>), Refusal> {
    let mut names: Vec<String> = Vec::new();
    let mut facts = Vec::new();
    for item in &program.items {
        match item {
            Item::Declare(declaration) => {
                declaration.shape.iter().for_each(|size| mention(size, &mut names));
            }
            Item::Where(stated) => {
                let sizes = stated.iter().flat_map(|fact| [&fact.left, &fact.right]);
                sizes.for_each(|size| mention(size, &mut names));
                facts.extend(stated);
            }
            Item::Infer => {}
            Item::Assign(assignment) => mentioned(&assignment.value, &mut names),
        }
    }
    if names.len() > MAX_VARIABLES {
        return Err(Box::new(err!(
            E0289,
            "the program has {} size variables; at most {MAX_VARIABLES} are taken",
            names.len()
        )));
    }
    let mut sizes = Sizes::new(names);
    for fact in &facts {
        if !sizes.assume(fact) {
            return Err(Box::new(
                err!(E0289, fact.left.span.to(fact.right.span), "no sizes satisfy `{fact}`")
                    .label(match Sizes::new(sizes.names().to_vec()).assume(fact) {
                        true => "contradicts what is stated before",
                        false => "holds for no sizes at all",
                    })
                    .note("a size variable is at least 1")
                    .help("leave it out, or correct the sizes where tensors are declared"),
            ));
        }
    }
    Ok((sizes, facts))
}

/// Adds a size variable.
fn mention(size: &Placed<Size>, names: &mut Vec<String>) {
    if let Size::Variable(name) = &size.value
        && !names.contains(name)
    {
        names.push(name.clone());
    }
}

/// The size variables that an expression mentions.
fn mentioned(expr: &Expr, names: &mut Vec<String>) {
    if let Kind::Expa(_, size, _) | Kind::Proj(_, size, _) = &expr.kind {
        mention(size, names);
    }
    expr.operands().into_iter().for_each(|e| mentioned(e, names));
}

fn declare(context: &Context<'_>, declaration: &Declaration) -> Result<(), Refusal> {
    let Placed { value: name, span } = &declaration.name;
    if let Some(known) = context.declaration(name) {
        return Err(Box::new(
            err!(E0282, *span, "OK-Prog: `{name}` is declared twice")
                .label("the second time")
                .also(known.name.span, "the first time")
                .help("give one of them another name"),
        ));
    }
    if context.sizes.names().contains(name) {
        return Err(Box::new(
            err!(E0282, *span, "`{name}` is a tensor and a size")
                .label("a tensor here")
                .help("give one of them another name"),
        ));
    }
    declaration.shape.iter().try_for_each(|size| context.at_least_one("OK-Prog", size))
}

fn assign<'p>(
    context: &Context<'p>,
    assignment: &'p Assignment,
    valued: &BTreeSet<&str>,
) -> Result<Statement<'p>, Refusal> {
    let Placed { value: name, span } = &assignment.target;
    let Some(target) = context.declaration(name) else {
        return Err(Box::new(
            err!(E0282, *span, "OK-Stmt: there is no tensor `{name}` to assign to")
                .label("not declared before this")
                .help(format!("declare it first: `output {name} : [n, m]`")),
        ));
    };
    if target.role == Role::Input {
        return Err(Box::new(
            err!(E0287, *span, "`{name}` is an input, and inputs are not changed")
                .label("assigned here")
                .also(target.name.span, "declared here")
                .help("declare it as `inout`, or assign another tensor"),
        ));
    }
    let value = context.type_of(&assignment.value)?;
    let expected = declared(target);
    if let Some(clash) = context.clash(&value.shape, &expected) {
        let (found, expected_text) = (listed(&value.shape), listed(&expected));
        let refusal =
            err!(E0286, *span, "OK-Stmt: `{name}` is {expected_text}, what it is assigned is {found}")
                .label(format!("declared {expected_text}"))
                .also(assignment.value.span, found)
                .note(clash);
        return Err(Box::new(match context.rearranged(&value.shape, &expected) {
            Some(how) => refusal.help(format!("{how} of the right side would fit")),
            None => {
                refusal.help(format!("declare `{name} : {}`, or change the right side", listed(&value.shape)))
            }
        }));
    }
    elements(context, &assignment.value, target, valued)?;
    Ok(Statement { target, value })
}

/// What is read has a value, and elements of the target's type.
fn elements(
    context: &Context<'_>,
    expr: &Expr,
    target: &Declaration,
    valued: &BTreeSet<&str>,
) -> Result<(), Refusal> {
    let ty = target.element;
    let floats = ty.is_float();
    let of = format!("the elements of `{}` are {}", target.name.value, ty.name());
    match &expr.kind {
        Kind::Name(name) => {
            if !valued.contains(name.as_str()) {
                return Err(Box::new(
                    err!(E0287, expr.span, "`{name}` is read before it has a value")
                        .label("read here")
                        .help("assign it first, or declare it as `input` or `inout`"),
                ));
            }
            match context.declaration(name) {
                Some(read) if read.element != ty => Err(Box::new(
                    err!(E0288, expr.span, "the elements of `{name}` are {}", read.element.name())
                        .label(of)
                        .help("declare both with one type of elements"),
                )),
                _ => Ok(()),
            }
        }
        Kind::Number(text) if !floats && text.parse::<i32>().is_err() => Err(Box::new(
            err!(E0288, expr.span, "`{text}` is no {}", ty.name())
                .label(of)
                .help("write a whole number, or declare the tensors with floats"),
        )),
        Kind::Apply(f, _) if f.needs_floats() && !floats => Err(Box::new(
            err!(E0288, expr.span, "`{}` is a function of floats", f.word())
                .label(of)
                .help("declare the tensors with `f32` or `f64`"),
        )),
        _ => expr.operands().into_iter().try_for_each(|e| elements(context, e, target, valued)),
    }
}
