//! `rw NAME`: one theorem, of the catalogue or of the file, at one site or everywhere.
//!
//! **Statement.** The theorem's own; the book's rules page lists the catalogue's.
//! **Requires.** The theorem's side conditions, at the site. `with k = 8` gives the index arguments that the site does not
//! determine; they may name the loops around the site. Without a site it applies at the first place in reading order, a term before its parts, where it can;
//! `at P` and `around P`, at the first of the places that match where it can; `everywhere`, at all, parts first; `at P everywhere`, at all that
//! match.
//! **Fails when.** There is no such theorem, or no site where it applies; with `backwards`, no term is its right side.
//! **Example.** `rw access_gen everywhere`, `rw flatten_split_id with k = 8 at gen y < N { _ }`.
//! **See also.** `simplify`, `unfold`.

use crate::args::{Args, index};
use crate::command::Command;
use crate::equation::Equation;
use crate::pattern::site;
use crate::refusal::{BEFORE, Refusal, RefusedAt, closest, list, refused};
use crate::session::Session;
use crate::sites::{Sites, first};
use atl_diag::{Span, err};
use atl_kernel::{Child, Error, Expr, Ix, Thm};
use atl_rules::schema::{Direction, UNDETERMINED};
use atl_rules::{Chain, Cx, Step as Conversion};
use atl_syntax::ast::{Expr as Written, Step};

/// See the module.
pub static COMMAND: Command = Command {
    name: "rw",
    usage: "rw NAME [with k = 8, ..] [at PATTERN | around PATTERN] [everywhere | first] [backwards]",
    equation: "the theorem's own",
    run: |session, step| {
        let args =
            Args::new(step, COMMAND.usage, &["with", "at", "around", "everywhere", "first", "backwards"])?;
        let (name, span) = args.one_name()?;
        let Some(rule) = Equation::named(session, &name) else {
            let message = err!(E0308, span, "there is no rule `{name}`").label("unknown");
            let message = match closest(&name, &Equation::names(session)) {
                far if far == BEFORE => message,
                near => message.help(near),
            };
            return Err(Box::new(message.help("`atl explain rules` lists the rules with their statements")));
        };
        let direction = match step.clause("backwards") {
            Some(_) => Direction::Backwards,
            None => Direction::Forwards,
        };
        let args = arguments(session, step, &name, &rule.args(direction), &rule.optional_args(), span)?;
        let sites = Sites::or_each_of(session, step, COMMAND.usage, Sites::First)?;
        let mut search = Search { rule, args, direction, refusal: None, reached: false };
        let body = session.body.clone();
        let done = match &sites {
            Sites::First => first(&mut session.cx, &body, &mut |cx, e| Ok(search.apply(cx, e))),
            Sites::Everywhere => session.cx.once(&body, &mut |cx, e| Ok(search.apply(cx, e))),
            Sites::At(places) => search.first_of(&mut session.cx, &body, places),
            Sites::Each(places) => search.each_of(&mut session.cx, &body, places),
        };
        match done.refused_at(step.span)? {
            Some(thm) => Ok(thm),
            None => Err(search.nowhere(session, span, &name, &sites)),
        }
    },
};

/// An index argument from the clause `with`.
struct Argument {
    name: String,
    value: Value,
}

/// What such an argument is.
enum Value {
    /// A term over the function's sizes.
    Known(Ix),
    /// Text that may name loops, and why it is no term over sizes.
    AtSite(Box<Written>, Refusal),
}

/// The rule's index arguments from the clause `with`: those wanted, and any of the optional ones.
fn arguments(
    session: &mut Session<'_>,
    step: &Step,
    name: &str,
    wanted: &[String],
    optional: &[String],
    span: Span,
) -> Result<Vec<Argument>, Refusal> {
    let given = step.clause("with").map(|c| c.args.as_slice()).unwrap_or_default();
    let wrong = |span: Span, what: String| {
        Err(Box::new(
            err!(E0309, span, "{what}")
                .label("here")
                .note(match (wanted.is_empty(), optional.is_empty()) {
                    (true, true) => format!("`{name}` takes no arguments"),
                    (true, false) => format!("`{name}` may be given {}", list(optional)),
                    (false, _) => format!("`{name}` takes {}", list(wanted)),
                })
                .help(match wanted.first().or(optional.first()) {
                    Some(k) => format!("write `rw {name} with {k} = 8`"),
                    None => format!("write `rw {name}`"),
                }),
        ))
    };
    let mut found = Vec::new();
    for arg in given {
        match &arg.name {
            Some(n) if wanted.contains(&n.text) || optional.contains(&n.text) => {
                let value = match index(session, &arg.value) {
                    Ok(ix) => Value::Known(ix),
                    Err(why) => Value::AtSite(Box::new(arg.value.clone()), why),
                };
                found.push(Argument { name: n.text.clone(), value });
            }
            _ => return wrong(arg.span, format!("`{name}` has no argument like this")),
        }
    }
    match wanted.iter().find(|k| found.iter().all(|arg| arg.name != **k)) {
        Some(k) => wrong(span, format!("`{name}` needs its argument `{k}`")),
        None => Ok(found),
    }
}

/// So many other sites are worth naming.
const MOST_SITES: usize = 5;

/// Other sites are looked for at so many places at most.
const MOST_PLACES: usize = 2048;

/// A search for sites.
struct Search {
    rule: Equation,
    args: Vec<Argument>,
    direction: Direction,
    /// The most telling refusal so far.
    refusal: Option<Error>,
    /// Have all arguments a meaning at some place?
    reached: bool,
}

impl Search {
    fn apply(&mut self, cx: &mut Cx<'_>, e: &Expr) -> Option<Thm> {
        let args = self.args_at(cx)?;
        self.reached = true;
        match self.rule.rewrite(cx, e, self.direction, &args) {
            Ok(thm) => Some(thm),
            Err(error) => {
                if self.refusal.as_ref().is_none_or(|known| telling(&error) > telling(known)) {
                    self.refusal = Some(error);
                }
                None
            }
        }
    }

    /// The arguments at a place, if all have a meaning there.
    fn args_at(&self, cx: &mut Cx<'_>) -> Option<Vec<(String, Ix)>> {
        let at = |Argument { name, value }: &Argument| {
            let ix = match value {
                Value::Known(ix) => ix.clone(),
                Value::AtSite(written, _) => atl_lang::index_in(&cx.ctx, written, cx.prover).ok()?,
            };
            Some((name.clone(), ix))
        };
        self.args.iter().map(at).collect()
    }

    /// The first of these places where it applies.
    fn first_of(&mut self, cx: &mut Cx<'_>, e: &Expr, places: &[Vec<Child>]) -> Conversion {
        for path in places {
            let step = cx.at(e, path, &mut |cx, part| Ok(self.apply(cx, part)))?;
            if step.is_some() {
                return Ok(step);
            }
        }
        Ok(None)
    }

    /// All of these places where it applies, parts first.
    fn each_of(&mut self, cx: &mut Cx<'_>, e: &Expr, places: &[Vec<Child>]) -> Conversion {
        let mut chain = Chain::of(e);
        for path in places.iter().rev() {
            chain.apply(cx, |cx, e| cx.at(e, path, &mut |cx, part| Ok(self.apply(cx, part))))?;
        }
        Ok(chain.done())
    }

    /// It applies at none of these sites: why, and where it would.
    fn nowhere(mut self, session: &mut Session<'_>, span: Span, name: &str, sites: &Sites) -> Refusal {
        if !self.reached {
            let unknown = self.args.iter().find_map(|arg| match &arg.value {
                Value::AtSite(_, why) => Some(why.clone()),
                Value::Known(_) => None,
            });
            if let Some(why) = unknown {
                return why;
            }
        }
        // That a term is not the equation's side says no more than the equation.
        let why = self.refusal.take().filter(|e| telling(e) > 1).map(|e| {
            let mut why = refused(span, &e);
            if let (Error::MissingLaws { elem, .. }, Equation::Own(_)) = (&e, &self.rule) {
                why.message = format!("`{name}` does not hold over `{elem}`");
            }
            why
        });
        let at_places = matches!(sites, Sites::At(_) | Sites::Each(_));
        let mut d = match at_places {
            true => err!(E0310, span, "`{name}` does not apply at this place").label("no such term there"),
            false => {
                err!(E0310, span, "`{name}` applies nowhere in the program at this point").label("no site")
            }
        };
        d = d.note(format!("it says: {}", self.rule.statement()));
        if let Some(why) = why {
            d = d.note(match at_places {
                true => format!("there: {}", why.message),
                false => format!("at the place that came closest: {}", why.message),
            });
            d.notes.extend(why.notes);
            d.help.extend(why.help);
        }
        if at_places {
            let body = session.body.clone();
            let (mut found, mut left) = (Vec::new(), MOST_PLACES);
            let root = body.clone();
            self.others(&mut session.cx, (&root, &body), &mut Vec::new(), &mut left, &mut found);
            d = match found.is_empty() {
                true => d.note("it applies at no other place either"),
                false => d.help(format!("it applies at {}", list(&found))),
            };
        }
        Box::new(d.help(BEFORE))
    }

    /// Places below the second term, a part of the first, where it applies, as patterns; different ones.
    fn others(
        &mut self,
        cx: &mut Cx<'_>,
        (root, e): (&Expr, &Expr),
        path: &mut Vec<Child>,
        left: &mut usize,
        found: &mut Vec<String>,
    ) {
        if found.len() >= MOST_SITES || *left == 0 {
            return;
        }
        *left -= 1;
        let args = self.args_at(cx);
        if args.is_some_and(|args| self.rule.rewrite(cx, e, self.direction, &args).is_ok()) {
            let here = site(&cx.ctx, root, path, e);
            if !found.contains(&here) {
                found.push(here);
            }
        }
        for at in e.children() {
            let Ok((mut inside, child)) = cx.enter(e, at) else { continue };
            path.push(at);
            self.others(&mut inside, (root, &child), path, left, found);
            path.pop();
        }
    }
}

/// How much a refusal says about a place: a term of another form, little; a missing law or fact, much.
fn telling(error: &Error) -> u8 {
    match error {
        Error::Mismatch(what) if *what == UNDETERMINED => 2,
        Error::Mismatch(_) | Error::Stray(_) => 0,
        Error::NoMatch { .. } => 1,
        Error::IllTyped(..) => 2,
        Error::MissingLaws { .. } | Error::TooLarge => 3,
        Error::Unproved(_) => 4,
    }
}
