//! The statement of a theorem.
//!
//! It reads like a function's head and two bodies, with one addition: an element type may be a capital letter, which
//! stands for any element type in any algebra. A name that is a size is no element type.

use super::{Elab, Functions};
use crate::module::{Module, Param, SizeParam};
use crate::stack;
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Ctx, Expr, Pred, Prover, Type};
use atl_syntax::ast;
use std::sync::Arc;

/// What a theorem claims: in its context, which has the conditions for hypotheses, both sides are equal.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The sizes, the conditions, the tensors.
    pub ctx: Arc<Ctx>,
    /// The sizes it speaks of.
    pub sizes: Vec<SizeParam>,
    /// The tensors it speaks of.
    pub params: Vec<Param>,
    /// What must hold.
    pub conditions: Vec<(Pred, Span)>,
    /// The left side.
    pub lhs: Expr,
    /// The right side; of the same type.
    pub rhs: Expr,
    /// The type of the left side.
    pub ty: Type,
}

/// Elaborates a theorem's statement, in which the functions of a module may be called. Nothing is proved of it
/// but that both sides have one type.
pub fn statement(
    theorem: &ast::Theorem,
    module: &Module,
    prover: &mut dyn Prover,
) -> Result<Statement, Vec<Diagnostic>> {
    let functions =
        || -> Functions { module.functions.iter().map(|f| (f.name.clone(), Some(f.clone()))).collect() };
    stack::with_prover(prover, |prover| {
        let functions = functions();
        let mut elab = Elab { any_element: true, ..Elab::new(&functions, prover) };
        let statement = elab.statement(theorem);
        statement.filter(|_| !elab.diagnostics.iter().any(Diagnostic::is_error)).ok_or(elab.diagnostics)
    })
}

impl Elab<'_> {
    fn statement(&mut self, theorem: &ast::Theorem) -> Option<Statement> {
        let head = self.signature(&theorem.params, &theorem.conditions);
        let ctx = Arc::new(self.ctx.clone());
        let what = "the theorem";
        let sides = self.operands(&[&theorem.lhs, &theorem.rhs], None, what);
        let (head, sides) = (head?, sides?);
        if let Some(stated) = head.requires_all.first() {
            return self.report(
                err!(E0236, stated.span, "a theorem's conditions are on sizes, and this is one on elements")
                    .label("this is known only when the program runs"),
            );
        }
        self.same_shape(&sides[0], &sides[1], what)?;
        let [lhs, rhs] = <[_; 2]>::try_from(sides).ok()?;
        Some(Statement {
            ctx,
            sizes: head.sizes,
            params: head.params,
            conditions: head.requires,
            ty: lhs.ty,
            lhs: lhs.expr,
            rhs: rhs.expr,
        })
    }
}
