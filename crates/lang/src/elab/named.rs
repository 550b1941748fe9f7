//! Indices without ranges: `sum b, c { R[a, b] * S[b, c] * P[c] }`.
//!
//! An index that is written alone runs over the dimensions that are read at it. They must be of one extent, and what they are is known before
//! the body is elaborated: a read counts where it is of a tensor that has a name outside of the loop, at the index itself. So this decides
//! nothing but the text `b < n` that might have been written; that reads are in bounds is proved as ever.
//!
//! A sum over such indices is index notation: an operand is read at all of its axes, and is the same along those that it lacks. A misspelt or a
//! forgotten index is refused with the operand that lacks it.

use super::{Elab, Meaning};
use crate::show;
use atl_diag::{Diagnostic, Span, err, spelling};
use atl_kernel::{Ix, Type};
use atl_syntax::ast::{AccessKind, Binder, Expr, ExprKind, Rounds};

/// A read of a tensor by its name.
struct Read {
    tensor: String,
    indices: Vec<Expr>,
    ty: Type,
    span: Span,
}

impl Read {
    fn has(&self, index: &str) -> bool {
        self.indices.iter().any(|e| matches!(&e.kind, ExprKind::Name(name) if name == index))
    }
}

impl Elab<'_> {
    /// One past the last value of an index: as written, or the extent of what is read at it.
    ///
    /// Where nothing is, that is said by [`Elab::unread`], if nothing else is wrong.
    pub(super) fn upper(&mut self, binder: &Binder, rest: &[Binder], body: &Expr) -> Option<Ix> {
        if let Some(hi) = &binder.hi {
            return self.index(hi);
        }
        let name = &binder.name.text;
        let mut found: Option<(Ix, String, Span)> = None;
        for read in self.reads(rest, body) {
            let axes = read.indices.iter().zip(&read.ty.shape);
            for (at, extent) in axes.filter(|(e, _)| matches!(&e.kind, ExprKind::Name(n) if n == name)) {
                let Some((first, tensor, span)) = &found else {
                    found = Some((extent.clone(), read.tensor.clone(), at.span));
                    continue;
                };
                let (first, tensor, span) = (first.clone(), tensor.clone(), *span);
                if !self.same_ix(&first, extent) {
                    let (here, there) = (show::ix(&self.ctx, extent), show::ix(&self.ctx, &first));
                    return self.report(
                        err!(E0256, at.span, "`{name}` runs over `{here}` in `{}`, and over `{there}` in `{tensor}`", read.tensor)
                            .label(format!("`{here}` here"))
                            .also(span, format!("`{there}` here"))
                            .note(format!("`{name}` has no range, so all that is read at it has one extent"))
                            .help(format!(
                                "if they are equal, state it: `where {there} == {here}`; or write the range, `{name} < n`"
                            )),
                    );
                }
            }
        }
        found.map(|(extent, ..)| extent)
    }

    /// Complain of indices without a range that nothing is read at, if the body had no mistake since `said`.
    pub(super) fn unread(&mut self, binders: &[Binder], body: &Expr, said: usize) {
        if self.diagnostics[said.min(self.diagnostics.len())..].iter().any(Diagnostic::is_error) {
            return;
        }
        let open = binders.iter().filter(|b| b.hi.is_none());
        let refused = |b: &&Binder| matches!(self.lookup(&b.name.text), Some(Meaning::Refused(_)));
        let unread: Vec<&Binder> = open.filter(refused).collect();
        for binder in unread {
            let reads = self.reads(binders, body);
            let name = &binder.name.text;
            // That its ranges differ has been said.
            if name.is_empty() || reads.iter().any(|read| read.has(name)) {
                continue;
            }
            let tensors = reads.into_iter().filter(|read| !read.ty.shape.is_empty());
            let mut lacking: Vec<String> = tensors.map(|read| format!("`{}`", read.tensor)).collect();
            lacking.sort();
            lacking.dedup();
            let mut unknown = err!(E0255, binder.name.span, "nothing gives the range of `{name}`")
                .label("no tensor is read at it")
                .help(format!("read a tensor at `{name}` itself, or write the range: `{name} < n`"));
            if !lacking.is_empty() {
                let lack = if lacking.len() == 1 { "lacks" } else { "lack" };
                unknown = unknown.note(format!("{} {lack} `{name}`", lacking.join(", ")));
            }
            self.diagnostics.push(unknown);
        }
    }

    /// In a sum without ranges, factors and summands are read at all of their axes.
    pub(super) fn all_axes(&mut self, binders: &[Binder], body: &Expr) -> Option<()> {
        let mut reads = Vec::new();
        self.factors(body, &mut binders.iter().map(|b| b.name.text.clone()).collect(), &mut reads);
        let short = reads.into_iter().find(|read| read.indices.len() < read.ty.shape.len());
        let Some(read) = short else { return Some(()) };
        let (given, rank, tensor) = (read.indices.len(), read.ty.shape.len(), &read.tensor);
        let plural = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let axes: Vec<String> =
            read.ty.shape[given..].iter().map(|n| format!("`{}`", show::ix(&self.ctx, n))).collect();
        let mut short = err!(
            E0257,
            read.span,
            "`{tensor}` has {}, and {} here",
            plural(rank, "axis", "axes"),
            plural(given, "index", "indices")
        )
        .label(format!("lacks an index for {}", axes.join(" and ")))
        .note("a sum whose indices have no ranges reads each operand at all of its axes");
        let missing: Vec<&str> =
            binders.iter().map(|b| b.name.text.as_str()).filter(|name| !read.has(name)).collect();
        if given + 1 == rank && !missing.is_empty() {
            short = short.note(format!("`{tensor}` is not read at `{}`", missing.join("`, `")));
        }
        let indices = ["i", "j", "k", "l"].iter().cycle().take(rank).copied().collect::<Vec<_>>().join(", ");
        short = short.help(format!(
            "name them all, as in `{tensor}[{indices}]`; to add up rows, write the range: `sum i < n {{ x[i] }}`"
        ));
        self.report(short)
    }

    /// What a name in the indices of an operand may have been meant for: an index that the operand lacks.
    pub(super) fn lacks(&self, base: &Expr, indices: &[Expr]) -> Option<Diagnostic> {
        let ExprKind::Name(tensor) = &base.kind else { return None };
        let Some(Meaning::Tensor(_)) = self.lookup(tensor) else { return None };
        let (name, span) = indices.iter().find_map(|e| match &e.kind {
            ExprKind::Name(name) if self.lookup(name).is_none() => Some((name, e.span)),
            _ => None,
        })?;
        if self.functions.contains_key(name) || crate::builtins::is_function(name) {
            return None;
        }
        let given = |index: &str| indices.iter().any(|e| matches!(&e.kind, ExprKind::Name(n) if n == index));
        let loops = self.scope.iter().filter(|b| match &b.meaning {
            Meaning::Index(ix) => (self.head..self.ctx.level()).any(|level| ix.mentions(level)),
            _ => false,
        });
        let lacking: Vec<&str> = loops.map(|b| b.name.as_str()).filter(|name| !given(name)).collect();
        if lacking.is_empty() {
            return None;
        }
        let unknown = err!(E0201, span, "there is no `{name}` here")
            .label("no loop, sum or size is called so")
            .note(format!("`{tensor}` lacks `{}`", lacking.join("`, `")));
        let near = || spelling::closest(name, self.scope.iter().map(|b| b.name.as_str()));
        // Of a name with a letter too many, or too few.
        let longer = |one: &&&str| name.starts_with(**one) || one.starts_with(name.as_str());
        let alike: Vec<&&str> = lacking.iter().filter(longer).collect();
        let close = match lacking[..] {
            _ if alike.len() == 1 => Some(*alike[0]),
            [one] => near().or(Some(one)),
            _ => spelling::closest(name, lacking.iter().copied()).or_else(near),
        };
        Some(match close {
            Some(close) => {
                let close = close.to_owned();
                unknown.suggest(format!("did you mean `{close}`?"), span, close)
            }
            None => unknown.help("read it at one of these, or name the index in a `sum` or `gen`"),
        })
    }

    /// The reads at all places of a body, of tensors that have a name outside of it.
    fn reads(&self, binders: &[Binder], body: &Expr) -> Vec<Read> {
        let mut found = Vec::new();
        let mut hidden: Vec<String> = binders.iter().map(|b| b.name.text.clone()).collect();
        let own = hidden.len();
        self.collect(&mut body.clone(), &mut hidden, own, &mut found);
        found
    }

    /// `hidden` are the names that are bound on the way; the first `own` of them are those of the loop itself.
    fn collect(&self, e: &mut Expr, hidden: &mut Vec<String>, own: usize, found: &mut Vec<Read>) {
        if let Some(mut read) = self.read_of(e, hidden) {
            for index in &mut read.indices {
                if matches!(&index.kind, ExprKind::Name(name) if hidden[own..].contains(name)) {
                    index.kind = ExprKind::Hole;
                }
            }
            found.push(read);
        }
        let inside = hidden.len();
        match &mut e.kind {
            ExprKind::Bind { binders, body, .. } => {
                for binder in binders {
                    for bound in binder.lo.iter_mut().chain(&mut binder.hi) {
                        self.collect(bound, hidden, own, found);
                    }
                    hidden.push(binder.name.text.clone());
                }
                self.collect(body, hidden, own, found);
            }
            ExprKind::Let { name, value, body, .. } => {
                self.collect(value, hidden, own, found);
                hidden.push(name.text.clone());
                self.collect(body, hidden, own, found);
            }
            ExprKind::LetParts { names, value, body } => {
                self.collect(value, hidden, own, found);
                hidden.extend(names.iter().map(|name| name.text.clone()));
                self.collect(body, hidden, own, found);
            }
            ExprKind::Iterate { rounds, body } => {
                self.collect_rounds(rounds, body.as_deref_mut(), None, hidden, own, found)
            }
            ExprKind::Scan { rounds, give } => {
                self.collect_rounds(rounds, None, give.as_deref_mut(), hidden, own, found)
            }
            ExprKind::Rec { name, value, body, .. } => {
                hidden.push(name.text.clone());
                self.collect(value, hidden, own, found);
                self.collect(body, hidden, own, found);
            }
            // The reads below it are parts of this one; what stands in its indices is none.
            ExprKind::Access { base, indices, .. } => {
                if !matches!(base.kind, ExprKind::Name(_)) {
                    self.collect_base(base, hidden, own, found);
                }
                for index in indices {
                    self.collect(index, hidden, own, found);
                }
            }
            _ => {
                for child in e.children_mut() {
                    self.collect(child, hidden, own, found);
                }
            }
        }
        hidden.truncate(inside);
    }

    /// The parts of rounds: `last` stands below the states, `give` below all that a round binds.
    fn collect_rounds(
        &self,
        rounds: &mut Rounds,
        last: Option<&mut Expr>,
        give: Option<&mut Expr>,
        hidden: &mut Vec<String>,
        own: usize,
        found: &mut Vec<Read>,
    ) {
        let Rounds { index, states, until, lets, steps, .. } = rounds;
        let inits = states.iter_mut().map(|(_, init)| init);
        for bound in index.lo.iter_mut().chain(&mut index.hi).chain(inits) {
            self.collect(bound, hidden, own, found);
        }
        hidden.extend(states.iter().map(|(name, _)| name.text.clone()));
        for e in until.iter_mut().chain(last) {
            self.collect(e, hidden, own, found);
        }
        hidden.push(index.name.text.clone());
        for shared in lets {
            self.collect(&mut shared.value, hidden, own, found);
            hidden.extend(shared.names.iter().map(|name| name.text.clone()));
        }
        for e in steps.iter_mut().chain(give) {
            self.collect(e, hidden, own, found);
        }
    }

    /// The base of a read, which is itself one, `x[i][j]`: its indices count with those of the whole.
    fn collect_base(&self, e: &mut Expr, hidden: &mut Vec<String>, own: usize, found: &mut Vec<Read>) {
        match &mut e.kind {
            ExprKind::Access { base, indices, .. } => {
                self.collect_base(base, hidden, own, found);
                for index in indices {
                    self.collect(index, hidden, own, found);
                }
            }
            ExprKind::Name(_) => {}
            _ => self.collect(e, hidden, own, found),
        }
    }

    /// Factors and summands that are reads, or names of tensors; arguments of functions are none.
    fn factors(&self, e: &Expr, hidden: &mut Vec<String>, found: &mut Vec<Read>) {
        let inside = hidden.len();
        match &e.kind {
            ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| self.factors(e, hidden, found)),
            ExprKind::Unary(_, body) | ExprKind::Guard { body, .. } | ExprKind::Labelled { body, .. } => {
                self.factors(body, hidden, found);
            }
            ExprKind::Bind { binders, body, .. } => {
                hidden.extend(binders.iter().map(|b| b.name.text.clone()));
                self.factors(body, hidden, found);
            }
            ExprKind::Let { name, body, .. } | ExprKind::Rec { name, body, .. } => {
                hidden.push(name.text.clone());
                self.factors(body, hidden, found);
            }
            ExprKind::LetParts { names, body, .. } => {
                hidden.extend(names.iter().map(|name| name.text.clone()));
                self.factors(body, hidden, found);
            }
            ExprKind::Name(_) | ExprKind::Access { .. } => found.extend(self.read_of(e, hidden)),
            _ => {}
        }
        hidden.truncate(inside);
    }

    /// A plain read, `x[i, j]` or `x[i][j]`, of a tensor of this name in scope, or the tensor itself.
    fn read_of(&self, e: &Expr, hidden: &[String]) -> Option<Read> {
        let (mut base, mut indices) = (e, Vec::new());
        while let ExprKind::Access { kind: AccessKind::Plain, base: inner, indices: last } = &base.kind {
            indices.splice(0..0, last.iter().cloned());
            base = inner;
        }
        let ExprKind::Name(tensor) = &base.kind else { return None };
        if hidden.contains(tensor) {
            return None;
        }
        let ty = self.read_type(base)?;
        Some(Read { tensor: tensor.clone(), indices, ty, span: e.span })
    }
}
