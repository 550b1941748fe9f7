//! The state of a schedule being run: a context, the term so far, and what steps look up in it.

use crate::applied::Applied;
use crate::focus::Focus;
use crate::library::Library;
use crate::nest::{Place, Unresolved, but_of_other_lets, resolve_let, resolve_loop};
use crate::refusal::{Refusal, RefusedAt, closest, list};
use crate::rounds::all_rounds_named;
use crate::scans::at_the_same_time;
use crate::size::levels;
use atl_annotations::Annotations;
use atl_diag::{Span, err};
use atl_kernel::{Child, Ctx, Entry, Expr, Monoid, Prover, Result as Kernel, Thm};
use atl_lang::SpanTable;
use atl_rules::{Chain, Convert, Cx, Step as Conversion, Walk, Work};
use atl_syntax::ast::LoopRef;
use std::sync::Arc;

/// The inferences of a schedule read at most so many nodes: what they cost in time, and their records in memory.
pub(crate) const MAX_WORK: u64 = 1 << 26;

/// What a conversion at places of the body proves a theorem about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// The body.
    Body,
    /// The innermost term that has all of the places. Only a command whose last word it is may say so: its
    /// theorem is carried to the body when that is needed.
    Part,
}

/// What a step works on.
pub struct Session<'p> {
    /// The function's context, and the prover.
    pub cx: Cx<'p>,
    /// The function's body as it stands.
    pub body: Expr,
    /// As it stood in the beginning.
    pub(crate) start: Expr,
    /// How deep its terms stand in each other.
    pub(crate) levels: u32,
    /// The tactics that steps may use by name.
    pub library: Arc<Library>,
    /// The steps carried out so far; those of tactics and blocks each for itself.
    pub trace: Vec<Applied>,
    /// What the steps proved that are carried out together, where they proved it.
    pub(crate) focus: Focus,
    /// Is what the step being run proves about the term at the focus, and not about the body?
    pub(crate) is_focused: bool,
    /// What the steps so far ask of lowering; the binders of the body have its tags.
    pub annotations: Arc<Annotations>,
    /// What the step being run says of a choice that it made, by what it is about.
    pub(crate) notes: Vec<(&'static str, String)>,
    /// The marks of the program that the session began with.
    pub(crate) spans: Option<SpanTable>,
    /// Where the tactics are used whose steps are being run, outermost first.
    pub(crate) uses: Vec<Span>,
    /// How many steps were tried so far.
    pub(crate) tried: usize,
    /// How many steps are being run, one inside the other.
    pub(crate) depth: usize,
}

impl<'p> Session<'p> {
    /// A session at a function's body, without tactics of its own, and with [`MAX_WORK`].
    pub fn new(ctx: &Arc<Ctx>, body: &Expr, prover: &'p mut dyn Prover) -> Session<'p> {
        Session::at(Cx::new(ctx.clone(), prover).with_work(&Work::limited(MAX_WORK)), body)
    }

    /// A session at a term, on this account.
    pub(crate) fn at(cx: Cx<'p>, body: &Expr) -> Session<'p> {
        Session {
            focus: Focus::on(&cx.ctx, body),
            is_focused: false,
            cx,
            body: body.clone(),
            start: body.clone(),
            levels: levels(body),
            library: Arc::default(),
            trace: Vec::new(),
            annotations: Arc::default(),
            notes: Vec::new(),
            spans: None,
            uses: Vec::new(),
            tried: 0,
            depth: 0,
        }
    }

    /// The session with these tactics.
    pub fn with_library(self, library: &Arc<Library>) -> Session<'p> {
        Session { library: library.clone(), ..self }
    }

    /// The monoids on tuples that the program declares with laws.
    pub fn monoids(&self) -> &[Arc<Monoid>] {
        self.library.monoids()
    }

    /// The session with the marks `'l: …` of its program as sites.
    pub fn with_marks(self, spans: &SpanTable) -> Session<'p> {
        Session { spans: Some(spans.clone()), ..self }
    }
}

impl Session<'_> {
    /// Convert the body at every one of these places, those first that stand in others; the theorem about the body.
    pub fn convert(
        &mut self,
        span: Span,
        places: &[Place],
        convert: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Kernel<Thm>,
    ) -> Result<Thm, Refusal> {
        let paths: Vec<&[Child]> = places.iter().map(|p| p.path.as_slice()).collect();
        self.convert_at(span, &paths, convert)
    }

    /// [`Session::convert`] for bare paths.
    pub fn convert_at(
        &mut self,
        span: Span,
        paths: &[&[Child]],
        convert: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Kernel<Thm>,
    ) -> Result<Thm, Refusal> {
        let body = self.body.clone();
        convert_each(&mut self.cx, &body, paths, convert).refused_at(span)
    }

    /// [`Session::convert`], with a theorem about this.
    pub(crate) fn convert_about(
        &mut self,
        about: About,
        span: Span,
        places: &[Place],
        convert: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Kernel<Thm>,
    ) -> Result<Thm, Refusal> {
        let [first, others @ ..] = places else { return self.convert(span, places, convert) };
        if about == About::Body {
            return self.convert(span, places, convert);
        }
        let common = others.iter().fold(first.path.len(), |len, other| {
            first.path[..len].iter().zip(&other.path).take_while(|(one, other)| one == other).count()
        });
        self.focus.move_to(&mut self.cx, &first.path[..common]).refused_at(span)?;
        self.is_focused = true;
        let paths: Vec<&[Child]> = places.iter().map(|p| &p.path[common..]).collect();
        let (mut here, now) = self.focus.here(&mut self.cx);
        convert_each(&mut here, &now, &paths, convert).refused_at(span)
    }

    /// Walk the terms at these places, which do not stand in each other; nothing where nothing changes.
    pub(crate) fn each(&mut self, places: &[Vec<Child>], convert: Convert<'_>, walk: Walk) -> Conversion {
        let body = self.body.clone();
        let mut chain = Chain::of(&body);
        for path in places {
            chain.apply(&mut self.cx, |cx, now| cx.walk_at(now, path, convert, walk))?;
        }
        Ok(chain.done())
    }

    /// The level of the parameter with this name.
    pub(crate) fn parameter(&self, name: &str) -> Option<u32> {
        (0..).zip(self.cx.ctx.entries()).find_map(|(level, entry)| match entry {
            Entry::Tensor(label, _) if &*label.name == name => Some(level),
            _ => None,
        })
    }

    /// The loops that an argument means.
    pub fn loops(&self, loop_ref: &LoopRef) -> Result<Vec<Place>, Refusal> {
        let (within, name) = (loop_ref.within.as_ref().map(|n| n.text.as_str()), &loop_ref.name);
        let written = within.map_or(name.text.clone(), |x| format!("{x}/{}", name.text));
        let found = resolve_loop(&self.body, within, &name.text).map(|found| match within {
            Some(x) => but_of_other_lets(found, x, &self.start),
            None => found,
        });
        found.map_err(|why| match why {
            Unresolved::Unknown(_) if within.is_none() && !all_rounds_named(self, &name.text).is_empty() => Box::new(
                err!(E0303, name.span, "there is no loop `{written}` here")
                    .label("these are rounds")
                    .note(format!("the rounds `{written}` of an iteration follow one another, since each begins with what the one before made"))
                    .help(at_the_same_time(self, &name.text, &all_rounds_named(self, &name.text))),
            ),
            Unresolved::Unknown(known) => Box::new(
                err!(E0303, name.span, "there is no loop `{written}` here")
                    .label("no loop has this name")
                    .note(format!("the loops are {}", list(&known)))
                    .help(elsewhere(within, &name.text, &known).unwrap_or_else(|| closest(&written, &known))),
            ),
            Unresolved::Ambiguous(places) => {
                let several = err!(E0304, name.span, "`{}` could be several loops", name.text)
                    .label("which one?")
                    .note(format!("it is a loop of {}", list(&places)));
                let parts = ["o", "i"].map(|part| format!("{}.{part}", name.text));
                let is_cut = parts.iter().all(|part| resolve_loop(&self.body, None, part).is_ok());
                Box::new(match is_cut {
                    true => several
                        .note(format!("the result's loop `{}` is cut already: into {}", name.text, list(&parts)))
                        .help("leave this step out where the result's format cuts the loop as you want, or name one of those"),
                    false => several,
                }
                .help(format!("write `{}`", places[0])))
            }
        })
    }

    /// The `let`s that a name means.
    pub fn lets(&self, name: &str, span: Span) -> Result<Vec<Place>, Refusal> {
        resolve_let(&self.body, name).map_err(|why| match why {
            Unresolved::Unknown(known) | Unresolved::Ambiguous(known) => Box::new(
                err!(E0305, span, "there is no `let {name}` here")
                    .label("no `let` has this name")
                    .note(match known.is_empty() {
                        true => "the program has no `let` at this point".to_string(),
                        false => format!("the `let`s are {}", list(&known)),
                    })
                    .help(closest(name, &known)),
            ),
        })
    }

    /// The one `let` with this name.
    pub(crate) fn one_let(&self, name: &str, span: Span) -> Result<Place, Refusal> {
        let mut lets = self.lets(name, span)?;
        match (lets.pop(), lets.is_empty()) {
            (Some(home), true) => Ok(home),
            _ => Err(Box::new(
                err!(E0316, span, "`{name}` is computed at several places already")
                    .label("which of them?")
                    .help("move it before `peel` or `unroll` makes copies"),
            )),
        }
    }
}

/// Convert a term at every one of these places, those first that stand in others.
fn convert_each(
    cx: &mut Cx<'_>,
    e: &Expr,
    paths: &[&[Child]],
    convert: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Kernel<Thm>,
) -> Kernel<Thm> {
    // A loop in another one of its name is still where it was found when it is its turn.
    let mut paths: Vec<&[Child]> = paths.to_vec();
    if paths
        .iter()
        .any(|outer| paths.iter().any(|inner| inner.len() > outer.len() && inner.starts_with(outer)))
    {
        paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
    }
    let mut chain = Chain::of(e);
    for path in &paths {
        chain.apply(cx, |cx, now| cx.at(now, path, &mut |cx, e| convert(cx, e).map(Some)))?;
    }
    chain.total(cx)
}

/// Advice for a loop that is none of this `let`'s, where others have one of this name.
fn elsewhere(within: Option<&str>, name: &str, known: &[String]) -> Option<String> {
    let x = within?;
    let named = known.iter().filter(|k| k.rsplit('/').next() == Some(name));
    let named: Vec<String> = named.cloned().collect();
    (!named.is_empty()).then(|| format!("`{x}` has no loop of this name; there is {}", list(&named)))
}
