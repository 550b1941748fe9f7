//! The steps of a `def` with arguments for its parameters.
//!
//! The value of a parameter is a piece of syntax: a loop, a `let`, a number, a pattern. It is replaced wherever
//! its name stands: in arguments, in the binders of patterns, and as the loop that `L.o` and `L.i` are parts
//! of. All are replaced at once, so an argument's own names are never taken for parameters; and steps bind no
//! names of their own, so nothing captures them. What it does not touch: the words of the grammar, among them
//! the names before `=` in `with k = 8`.

use crate::refusal::Refusal;
use atl_diag::err;
use atl_syntax::ast::{BinaryOp, Def, Expr, ExprKind, LoopRef, Name, Step};

/// The values of a tactic's parameters, in one use of it.
pub(crate) struct Arguments<'a> {
    pairs: Vec<(&'a str, &'a Expr)>,
}

impl<'a> Arguments<'a> {
    /// The values of these names.
    pub(crate) fn new(pairs: &'a [(String, Expr)]) -> Arguments<'a> {
        Arguments { pairs: pairs.iter().map(|(name, value)| (name.as_str(), value)).collect() }
    }

    /// The arguments that this step gives a tactic.
    pub(crate) fn of(def: &'a Def, step: &'a Step) -> Result<Arguments<'a>, Refusal> {
        let named = step.args.iter().any(|arg| arg.name.is_some());
        if named || !step.clauses.is_empty() || !step.blocks.is_empty() || step.args.len() != def.params.len()
        {
            let params: Vec<&str> = def.params.iter().map(|p| p.text.as_str()).collect();
            let form = format!("{} {}", def.name.text, params.join(", "));
            return Err(Box::new(
                err!(E0332, step.span, "wrong arguments for the tactic `{}`", def.name.text)
                    .label("used like this")
                    .also(def.name.span, "defined here")
                    .help(format!("its form is `{}`", form.trim_end())),
            ));
        }
        let values = step.args.iter().map(|arg| &arg.value);
        Ok(Arguments { pairs: def.params.iter().map(|p| p.text.as_str()).zip(values).collect() })
    }

    /// A step of the tactic, with the arguments in place.
    pub(crate) fn step(&self, step: &Step) -> Result<Step, Refusal> {
        let mut step = step.clone();
        let mut args =
            step.args.iter_mut().chain(step.clauses.iter_mut().flat_map(|clause| &mut clause.args));
        args.try_for_each(|arg| self.expr(&mut arg.value))?;
        for block in &mut step.blocks {
            block.steps = block.steps.iter().map(|inner| self.step(inner)).collect::<Result<_, _>>()?;
        }
        Ok(step)
    }

    fn expr(&self, e: &mut Expr) -> Result<(), Refusal> {
        let span = e.span;
        if let ExprKind::Name(name) = &e.kind {
            if let Some(value) = self.value(&Name::new(name.clone(), span))? {
                *e = value;
            }
            return Ok(());
        }
        if let ExprKind::Call { callee, .. } = &mut e.kind {
            self.name(callee)?;
        }
        e.bound_mut().into_iter().try_for_each(|name| self.name(name))?;
        e.children_mut().into_iter().try_for_each(|child| self.expr(child))
    }

    /// The value of a name: an argument, or with `L.o`, a part of the loop that an argument is.
    fn value(&self, name: &Name) -> Result<Option<Expr>, Refusal> {
        let (param, part) =
            name.text.split_once('.').map_or((name.text.as_str(), None), |(p, q)| (p, Some(q)));
        let Some((_, value)) = self.pairs.iter().find(|(p, _)| *p == param) else { return Ok(None) };
        let Some(part) = part else { return Ok(Some((*value).clone())) };
        let Some(LoopRef { within, name: whole }) = as_loop(value) else {
            return Err(no_name(name, value, &format!("`{}` names a part of the loop `{param}`", name.text)));
        };
        let at = |kind| Expr::new(kind, value.span);
        let dotted = at(ExprKind::Name(format!("{}.{part}", whole.text)));
        Ok(Some(match within {
            None => dotted,
            Some(x) => {
                at(ExprKind::Binary(BinaryOp::Div, Box::new(at(ExprKind::Name(x.text))), Box::new(dotted)))
            }
        }))
    }

    /// A place where only a name may stand.
    fn name(&self, name: &mut Name) -> Result<(), Refusal> {
        if let Some(value) = self.value(name)? {
            let Some(given) = value.as_name() else {
                return Err(no_name(name, &value, "only a name can stand here"));
            };
            name.text = given.text;
        }
        Ok(())
    }
}

fn as_loop(e: &Expr) -> Option<LoopRef> {
    match &e.kind {
        ExprKind::Binary(BinaryOp::Div, within, name) => {
            Some(LoopRef { within: Some(within.as_name()?), name: name.as_name()? })
        }
        _ => Some(LoopRef { within: None, name: e.as_name()? }),
    }
}

fn no_name(param: &Name, value: &Expr, why: &str) -> Refusal {
    let param_name = param.text.split('.').next().unwrap_or_default();
    Box::new(
        err!(E0333, value.span, "`{param_name}` must be the name of a loop or a `let`")
            .label("this argument is none")
            .also(param.span, why.to_owned()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_diag::FileId;
    use atl_syntax::ast::Item;
    use atl_syntax::{Style, parse_file, parse_steps, print_step};

    fn check(def: &str, call: &str, expected: Result<&[&str], &str>) {
        let file = parse_file(FileId(0), def);
        assert!(file.diagnostics.is_empty(), "{def}");
        let Some(Item::Def(def)) = file.tree.items.first() else { panic!("a def") };
        let call = parse_steps(FileId(0), call).tree.remove(0);
        let steps = Arguments::of(def, &call)
            .and_then(|args| def.steps.iter().map(|step| args.step(step)).collect::<Result<Vec<_>, _>>());
        let found = match &steps {
            Ok(steps) => Ok(steps.iter().map(|step| print_step(step, Style::LINE)).collect::<Vec<_>>()),
            Err(refusal) => Err(refusal.code.as_str()),
        };
        assert_eq!(found, expected.map(|lines| lines.iter().map(ToString::to_string).collect()));
    }

    #[test]
    fn parameters_are_loops_numbers_and_patterns() {
        let def = "def d(L, k, P) { split L by k; rw r with k = k at P; parallel L.o; }";
        check(
            def,
            "d y, 8, gen y < N { _ }",
            Ok(&["split y by 8;", "rw r with k = 8 at gen y < N { _ };", "parallel y.o;"]),
        );
        check(
            def,
            "d bx/y, N / 2, _",
            Ok(&["split bx/y by N / 2;", "rw r with k = N / 2 at _;", "parallel bx/y.o;"]),
        );
        check(def, "d y + 1, 8, _", Err("E0333"));
        check(def, "d y, 8", Err("E0332"));
        check(def, "d y, 8, _ everywhere", Err("E0332"));
    }

    #[test]
    fn all_are_replaced_at_once() {
        check("def d(a, b) { reorder a, b; }", "d b, a", Ok(&["reorder b, a;"]));
        check("def d(a, b) { try { d2 b.o, a; } }", "d b, a.i", Ok(&["try { d2 a.i.o, b; }"]));
    }

    #[test]
    fn binders_of_patterns_are_places_too() {
        check("def d(y) { rw r at gen y < N { x[y] }; }", "d row", Ok(&["rw r at gen row < N { x[row] };"]));
        check("def d(y) { rw r at gen y < N { x[y] }; }", "d 8", Err("E0333"));
    }
}
