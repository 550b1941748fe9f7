//! `gen_of_map`: a pointwise function of loops is a loop of the function, and the other way about.
//!
//! **Statement.** `gen i < n { f(a(i), ..) } = f(gen i < n { a(i) }, ..)` for a pointwise function `f`, such as `+`, `*`,
//! `min` or `exp`.
//! **Requires.** Nothing.
//! **Fails when.** The body is no pointwise function; read backwards, when the operands are scalars.
//! **Example.** `gen i < N { max(a[i], b[i]) }` becomes `max(gen i < N { a[i] }, gen i < N { b[i] })`; backwards, `a + b`
//! becomes `gen i < N { a[i] + b[i] }`.
//! **See also.** `gen_of_add`, `get_prim`, `reshape_of_map`.

use crate::cx::{Cx, join};
use crate::derived::{Derived, Example, Inverse, no_match};
use atl_kernel::{Child, Expr, Label, Node, Result, Rule, Thm};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "gen_of_map",
    statement: "gen i<n. f(a(i), ..)  =  f(gen i<n. a(i), ..),  f pointwise",
    requires: "nothing",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N], b: f32[N]) -> f32[N] { gen i < N { max(a[i], b[i]) } }",
        args: &[],
    },
    rewrite: |cx, e, _| {
        let Node::Gen(label, n, body) = &**e else { return no_match(RULE.name, "a `gen`", e) };
        let Node::Prim(f, args) = &**body else { return no_match(RULE.name, "a pointwise function", e) };
        let rows = |arg: &Expr| Arc::new(Node::Gen(label.clone(), n.clone(), arg.clone()));
        let apart: Expr = Arc::new(Node::Prim(*f, args.iter().map(rows).collect()));
        Ok(together(cx, &apart, label)?.sym())
    },
    inverse: Some(Inverse::plain(|cx, e, _| {
        let Node::Prim(_, args) = &**e else { return no_match(RULE.name, "a pointwise function", e) };
        let label = args.iter().find_map(|arg| match &**arg {
            Node::Gen(label, ..) => Some(label.clone()),
            _ => None,
        });
        together(cx, e, &label.unwrap_or_else(|| Label::new("i")))
    })),
};

/// `f(a, ..) = gen i < n { f(a[i], ..) }`, accesses to loops carried out.
fn together(cx: &mut Cx<'_>, e: &Expr, label: &Label) -> Result<Thm> {
    let eta = cx.rule(Rule::GenEta(label.clone()), e)?;
    cx.then(eta, |cx, e| {
        cx.child(e, Child::Body, |cx, e| {
            let element = cx.rule(Rule::GetPrim, e)?;
            let reads = cx.children(&element.rhs().clone(), &mut |cx, e| match &**e {
                Node::Get(array, _) if matches!(**array, Node::Gen(..)) => {
                    cx.rule(Rule::AccessGen, e).map(Some)
                }
                _ => Ok(None),
            })?;
            join(Some(element), reads)
        })
    })
}
