//! `rw NAME`: one theorem of the catalogue, at one site or everywhere.
//!
//! **Statement.** The rule's own; the book's rules page lists them.
//! **Requires.** The rule's side conditions, at the site. `with k = 8` gives its index arguments.
//! **Fails when.** There is no such rule, or no site where it applies; with `backwards`, no term is its right side.
//! **Example.** `rw access_gen everywhere`, `rw flatten_split_id with k = 8 at gen y < N { _ }`.
//! **See also.** `simplify`, `unfold`.

use crate::args::{Args, index};
use crate::command::Command;
use crate::pattern::Pattern;
use crate::session::{BEFORE, Refusal, Session, closest, list, refused};
use atl_diag::{Span, err};
use atl_kernel::{Error, Expr, Ix, Thm};
use atl_rules::{Cx, Named, Step as Conversion, join};
use atl_syntax::ast::Step;

/// See the module.
pub static COMMAND: Command = Command {
    name: "rw",
    usage: "rw NAME [with k = 8, ..] [at PATTERN | around PATTERN | everywhere | first] [backwards]",
    equation: "the rule's own",
    run: |session, step| {
        let args =
            Args::new(step, COMMAND.usage, &["with", "at", "around", "everywhere", "first", "backwards"])?;
        let (name, span) = args.one_name()?;
        let Some(rule) = atl_rules::by_name(&name) else {
            let known: Vec<String> = atl_rules::names().into_iter().map(String::from).collect();
            return Err(Box::new(
                err!(E0308, span, "there is no rule `{name}`")
                    .label("unknown")
                    .help(closest(&name, &known))
                    .help("`atl explain rules` lists the rules with their statements"),
            ));
        };
        let backwards = step.clause("backwards").is_some();
        let wanted = if backwards { rule.backwards_args() } else { rule.args() };
        let given = arguments(session, step, &name, wanted, span)?;
        let mut search = Search { rule, args: given, backwards, wanted: None, refusal: None };
        let body = session.body.clone();
        let done = if let Some(clause) = step.clause("at").or(step.clause("around")) {
            let pattern = Pattern::new(clause)?;
            let sites = pattern.sites(&mut session.cx, &body, step.clause("around").is_some());
            if sites.is_empty() {
                return Err(Box::new(
                    err!(E0323, clause.span, "the pattern matches nothing in the program at this point")
                        .label("no such place")
                        .help(format!("`_` stands for anything; {BEFORE}")),
                ));
            }
            search.wanted = Some(sites);
            search.first(&mut session.cx, &body, &mut Vec::new())
        } else if step.clause("everywhere").is_some() {
            search.everywhere(&mut session.cx, &body)
        } else {
            search.first(&mut session.cx, &body, &mut Vec::new())
        };
        match done.map_err(|e| refused(step.span, &e))? {
            Some(thm) => Ok(thm),
            None => Err(nowhere(span, &name, &rule, search.refusal.as_ref())),
        }
    },
};

/// The rule's index arguments from the clause `with`.
fn arguments(
    session: &mut Session<'_>,
    step: &Step,
    name: &str,
    wanted: &[&str],
    span: Span,
) -> Result<Vec<Ix>, Refusal> {
    let given = step.clause("with").map(|c| c.args.as_slice()).unwrap_or_default();
    let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
    let wrong = |span: Span, what: String| {
        Err(Box::new(
            err!(E0309, span, "{what}")
                .label("here")
                .note(match wanted.is_empty() {
                    true => format!("`{name}` takes no arguments"),
                    false => format!("`{name}` takes {}", list(&wanted)),
                })
                .help(match wanted.first() {
                    Some(k) => format!("write `rw {name} with {k} = 8`"),
                    None => format!("write `rw {name}`"),
                }),
        ))
    };
    for arg in given {
        match &arg.name {
            Some(n) if wanted.contains(&n.text) => {}
            _ => return wrong(arg.span, format!("`{name}` has no argument like this")),
        }
    }
    let mut found = Vec::new();
    for k in &wanted {
        let arg = given.iter().find(|a| a.name.as_ref().is_some_and(|n| n.text == *k));
        match arg {
            Some(arg) => found.push(index(session, &arg.value)?),
            None => return wrong(span, format!("`{name}` needs its argument `{k}`")),
        }
    }
    Ok(found)
}

fn nowhere(span: Span, name: &str, rule: &Named, refusal: Option<&Error>) -> Refusal {
    let why = refusal.map(|e| refused(span, e));
    let mut d = err!(E0310, span, "`{name}` applies nowhere in the program at this point")
        .label("no site")
        .note(format!("it says: {}", rule.statement()));
    if let Some(why) = why {
        d = d.note(format!("at the place that came closest: {}", why.message));
        d.notes.extend(why.notes);
    }
    Box::new(d.help(BEFORE))
}

/// A search for sites.
struct Search {
    rule: Named,
    args: Vec<Ix>,
    backwards: bool,
    /// Only at these places, if given.
    wanted: Option<Vec<Vec<atl_kernel::Child>>>,
    /// The most telling refusal so far.
    refusal: Option<Error>,
}

impl Search {
    fn apply(&mut self, cx: &mut Cx<'_>, e: &Expr) -> Option<Thm> {
        let result = match self.backwards {
            true => self.rule.rewrite_backwards(cx, e, &self.args),
            false => self.rule.rewrite(cx, e, &self.args),
        };
        match result {
            Ok(thm) => Some(thm),
            Err(e) => {
                if !matches!(e, Error::NoMatch { .. } | Error::Mismatch(_)) || self.refusal.is_none() {
                    self.refusal = Some(e);
                }
                None
            }
        }
    }

    /// The first site, operands before what they stand in; with places given, the first of those.
    fn first(&mut self, cx: &mut Cx<'_>, e: &Expr, path: &mut Vec<atl_kernel::Child>) -> Conversion {
        for at in e.children() {
            path.push(at);
            let step = cx.child(e, at, |cx, child| self.first(cx, child, path))?;
            path.pop();
            if step.is_some() {
                return Ok(step);
            }
        }
        let here = self.wanted.as_ref().is_none_or(|sites| sites.iter().any(|s| s == path));
        Ok(if here { self.apply(cx, e) } else { None })
    }

    /// Every site, operands first; a result is not searched again for the same rule at its root.
    fn everywhere(&mut self, cx: &mut Cx<'_>, e: &Expr) -> Conversion {
        let below = cx.children(e, &mut |cx, child| self.everywhere(cx, child))?;
        let now = below.as_ref().map_or(e, Thm::rhs).clone();
        let here = self.apply(cx, &now);
        join(below, here)
    }
}
