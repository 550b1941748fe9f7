//! What a derived theorem registers: the same facts the kernel's table holds of a primitive rule, and how it
//! is proved at a term.

use crate::catalogue::{self, Entry};
use crate::converse::{converse, from_part};
use crate::cx::Cx;
use crate::schema::Direction;
use atl_kernel::{Error, Expr, Ix, Node, Result, Rule, Thm};

/// A derived theorem: an equation that is proved from the primitive rules each time it is used.
pub struct Derived {
    /// The name, in `rw NAME` and in reports.
    pub name: &'static str,
    /// The equation, left to right.
    pub statement: &'static str,
    /// Its side conditions, in words.
    pub requires: &'static str,
    /// The names of its index arguments, for `with k = 8`.
    pub args: &'static [&'static str],
    /// A function whose body it rewrites, and the arguments, for the documentation and the tests.
    pub example: Example,
    /// Prove it of a term, given the index arguments in order.
    pub rewrite: Rewrite,
    /// The same equation from its right side, where that determines the left one.
    pub inverse: Option<Inverse>,
}

/// The theorem of a rule about a term, given its index arguments in order.
pub type Rewrite = fn(&mut Cx<'_>, &Expr, &[Ix]) -> Result<Thm>;

/// A rule read from right to left.
pub struct Inverse {
    /// The names of its index arguments: what the right side does not say.
    pub args: &'static [&'static str],
    /// The arguments that lead back from the rule's example.
    pub example: &'static [i64],
    /// Prove that a right side equals a left side.
    pub rewrite: Rewrite,
}

impl Inverse {
    /// One without arguments.
    pub const fn plain(rewrite: Rewrite) -> Inverse {
        Inverse { args: &[], example: &[], rewrite }
    }
}

/// A program that a rule applies to at its root, or at the first place where it applies.
pub struct Example {
    /// The program.
    pub program: &'static str,
    /// The arguments.
    pub args: &'static [i64],
}

/// The refusal of a rule at a term of another form.
pub(crate) fn no_match<T>(rule: &'static str, wants: &'static str, found: &Expr) -> Result<T> {
    Err(Error::NoMatch { rule, wants, found: found.clone() })
}

/// A rule that `rw` can name: primitive or derived.
#[derive(Clone, Copy)]
pub enum Named {
    /// A primitive rule without arguments.
    Primitive(fn() -> Rule, &'static atl_kernel::RuleInfo),
    /// A derived one.
    Derived(&'static Derived),
    /// A theorem of the catalogue.
    Stated(&'static Entry),
}

impl Named {
    /// Its index arguments' names.
    pub fn args(&self) -> &'static [&'static str] {
        match self {
            Named::Primitive(..) => &[],
            Named::Derived(rule) => rule.args,
            Named::Stated(entry) => entry.arguments(Direction::Forwards),
        }
    }

    /// Its index arguments' names when it is read from right to left.
    pub fn backwards_args(&self) -> &'static [&'static str] {
        match self {
            Named::Primitive(..) => &[],
            Named::Derived(rule) => rule.inverse.as_ref().map_or(rule.args, |inverse| inverse.args),
            Named::Stated(entry) => entry.arguments(Direction::Backwards),
        }
    }

    /// Its equation.
    pub fn statement(&self) -> &'static str {
        match self {
            Named::Primitive(_, info) => info.statement,
            Named::Derived(rule) => rule.statement,
            Named::Stated(entry) => entry.statement(),
        }
    }

    /// Apply it at a term.
    pub fn rewrite(&self, cx: &mut Cx<'_>, e: &Expr, args: &[Ix]) -> Result<Thm> {
        match self {
            Named::Primitive(rule, _) => cx.rule(rule(), e),
            Named::Derived(rule) => (rule.rewrite)(cx, e, args),
            Named::Stated(entry) => entry.rewrite(cx, e, Direction::Forwards, args),
        }
    }

    /// The names of what may be given besides: sizes of a theorem that most terms determine, but not all.
    pub fn optional_args(&self) -> &'static [&'static str] {
        match self {
            Named::Stated(entry) => entry.sizes(),
            Named::Primitive(..) | Named::Derived(_) => &[],
        }
    }

    /// Apply it at a term, given arguments by name.
    pub fn apply(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        direction: Direction,
        given: &[(String, Ix)],
    ) -> Result<Thm> {
        if let Named::Stated(entry) = self {
            let given: Vec<(&str, Ix)> = given.iter().map(|(name, ix)| (&**name, ix.clone())).collect();
            return entry.apply(cx, e, direction, &given);
        }
        let names = match direction {
            Direction::Forwards => self.args(),
            Direction::Backwards => self.backwards_args(),
        };
        let find = |name: &&str| given.iter().find(|(n, _)| n == name).map(|(_, ix)| ix.clone());
        let Some(args) = names.iter().map(find).collect::<Option<Vec<Ix>>>() else {
            return Err(Error::Mismatch("an argument of the rule is not given"));
        };
        match direction {
            Direction::Forwards => self.rewrite(cx, e, &args),
            Direction::Backwards => self.rewrite_backwards(cx, e, &args),
        }
    }

    /// Apply it from right to left at a term.
    pub fn rewrite_backwards(&self, cx: &mut Cx<'_>, e: &Expr, args: &[Ix]) -> Result<Thm> {
        match self {
            Named::Primitive(rule, _) => converse(cx, &rule(), e),
            Named::Derived(Derived { inverse: Some(inverse), .. }) => (inverse.rewrite)(cx, e, args),
            Named::Derived(rule) => from_part(e, &mut |part| (rule.rewrite)(cx, part, args)),
            Named::Stated(entry) => entry.rewrite(cx, e, Direction::Backwards, args),
        }
    }
}

/// The primitive rules that need no arguments beyond the term.
const PRIMITIVE: &[fn() -> Rule] = &[
    || Rule::LetInline,
    || Rule::Unfold,
    || Rule::AccessGen,
    || Rule::AccessGuard,
    || Rule::GuardTrue,
    || Rule::GuardZero,
    || Rule::GuardAnd,
    || Rule::GuardAdd,
    || Rule::GuardMulL,
    || Rule::GuardMulR,
    || Rule::GuardGen,
    || Rule::GuardSum,
    || Rule::SelectTrue,
    || Rule::SelectFalse,
    || Rule::GetGuard,
    || Rule::GetSelect,
    || Rule::GetSum,
    || Rule::GetPrim,
    || Rule::GetView,
    || Rule::SumEmpty,
    || Rule::SumOne,
    || Rule::SumLast,
    || Rule::SumSwap,
    || Rule::SumAdd,
    || Rule::SumOnes,
    || Rule::GenSumSwap,
    || Rule::OneHot,
    || Rule::MulSumL,
    || Rule::MulSumR,
    || Rule::AddAssoc,
    || Rule::AddComm,
    || Rule::AddZeroL,
    || Rule::AddZeroR,
    || Rule::MulAssoc,
    || Rule::MulComm,
    || Rule::MulOneL,
    || Rule::MulOneR,
    || Rule::DistrL,
    || Rule::DistrR,
    || Rule::SubAsAdd,
    || Rule::ViewSame,
    || Rule::ViewView,
    || Rule::ViewGen,
    || Rule::IterateZero,
    || Rule::IterateLast,
    || Rule::IterateBody,
    || Rule::GenEta(atl_kernel::Label::new("i")),
];

/// The rule with this name.
pub fn by_name(name: &str) -> Option<Named> {
    let primitive = PRIMITIVE.iter().map(|rule| (*rule, rule().info())).find(|(_, info)| info.name == name);
    match primitive {
        Some((rule, info)) => Some(Named::Primitive(rule, info)),
        None => {
            let derived = crate::rules::TABLE.iter().copied().find(|rule| rule.name == name);
            derived.map(Named::Derived).or_else(|| catalogue::by_name(name).map(Named::Stated))
        }
    }
}

/// The names of every rule that `rw` takes, sorted.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = PRIMITIVE.iter().map(|rule| rule().name()).collect();
    names.extend(crate::rules::TABLE.iter().map(|rule| rule.name));
    names.extend(catalogue::TABLE.iter().map(|entry| entry.name));
    names.sort_unstable();
    names
}

/// The extent of a `gen`, or a refusal.
pub(crate) fn gen_extent(rule: &'static str, e: &Expr) -> Result<Ix> {
    match &**e {
        Node::Gen(_, n, _) => Ok(n.clone()),
        _ => no_match(rule, "a `gen`", e),
    }
}

/// From right to left, a rule that wraps operators around `inner`: `e = inner`, up to arithmetic in `e`.
pub(crate) fn unwrapped(
    cx: &mut Cx<'_>,
    rewrite: Rewrite,
    e: &Expr,
    inner: Option<&Expr>,
    args: &[Ix],
) -> Result<Thm> {
    let Some(inner) = inner else { return Err(Error::Mismatch("no term of the rule's right side")) };
    let wrapped = rewrite(cx, inner, args)?;
    let same = cx.then(wrapped, |cx, found| match found == e {
        true => Ok(None),
        false => cx.rule(Rule::ArithEq(e.clone()), found).map(Some),
    })?;
    Ok(same.sym())
}

/// The operand and the index arguments of a reshape operator of this name.
pub(crate) fn operand<'e>(e: &'e Expr, name: &str) -> Option<(&'e Expr, &'e [Ix])> {
    match &**e {
        Node::Op(def, ixs, args) if def.name == name => Some((args.first()?, ixs)),
        _ => None,
    }
}

/// Refuse, with the goal, an index term that is not provably positive.
pub(crate) fn positive(cx: &mut Cx<'_>, k: &Ix) -> Result<()> {
    cx.demand(atl_kernel::Pred::lt(Ix::ZERO, k.clone()))
}
