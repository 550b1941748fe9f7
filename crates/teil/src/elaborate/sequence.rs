//! Reductions that would be repeated become statements of their own.
//!
//! An operand of `prod`, the scalar of `mul` and the operand of `expa` are read again for indices on which
//! they do not depend. Where they have a reduction in them, they are computed once, into a tensor that is
//! allocated for it. The values are the same.

use crate::language::{Assignment, Declaration, Expr, Item, Kind, Placed, Program, Role};
use crate::typing::{Checked, Typed};
use std::collections::BTreeSet;

/// The program with such statements, and the names of the tensors allocated.
pub(super) fn sequence(program: &Program, checked: &Checked<'_>) -> (Program, Vec<String>) {
    let declared = checked.context.declarations.iter().map(|d| d.name.value.clone());
    let taken = declared.chain(checked.context.sizes.names().iter().cloned()).collect();
    let mut sequencer = Sequencer { taken, items: vec![], allocated: vec![] };
    let mut statements = checked.statements.iter();
    for item in &program.items {
        match (item, statements.len()) {
            (Item::Assign(assignment), 1..) => {
                let Some(statement) = statements.next() else { continue };
                let value = sequencer.rewrite(&statement.value, statement.target);
                let target = assignment.target.clone();
                sequencer.items.push(Item::Assign(Assignment { target, value }));
            }
            _ => sequencer.items.push(item.clone()),
        }
    }
    (Program { items: sequencer.items }, sequencer.allocated)
}

struct Sequencer {
    taken: BTreeSet<String>,
    items: Vec<Item>,
    allocated: Vec<String>,
}

impl Sequencer {
    fn rewrite(&mut self, typed: &Typed<'_>, target: &Declaration) -> Expr {
        let mut operands = Vec::new();
        for (k, operand) in typed.operands.iter().enumerate() {
            let value = self.rewrite(operand, target);
            let again = is_repeated(typed, k) && reduces(&value);
            operands.push(if again { self.named(operand, target, value) } else { value });
        }
        let mut operands = operands.into_iter();
        let rebuilt = typed.expr.try_map(&mut |e| Ok::<_, ()>(operands.next().unwrap_or_else(|| e.clone())));
        rebuilt.unwrap_or_else(|()| typed.expr.clone())
    }

    fn named(&mut self, operand: &Typed<'_>, target: &Declaration, value: Expr) -> Expr {
        let numbered = (1..).map(|k| if k == 1 { "t".to_owned() } else { format!("t_{k}") });
        let name = numbered.into_iter().find(|name| !self.taken.contains(name)).unwrap_or_default();
        self.taken.insert(name.clone());
        self.allocated.push(name.clone());
        let shape = operand.shape.iter().cloned().map(Placed::unplaced).collect();
        let placed = Placed { value: name.clone(), span: operand.expr.span };
        let declaration =
            Declaration { role: Role::Alloc, name: placed.clone(), element: target.element, shape };
        self.items.push(Item::Declare(declaration));
        self.items.push(Item::Assign(Assignment { target: placed, value }));
        Expr { kind: Kind::Name(name), span: operand.expr.span }
    }
}

/// Whether an operand is read again for indices on which it does not depend.
fn is_repeated(typed: &Typed<'_>, k: usize) -> bool {
    let others = || typed.operands.iter().enumerate().filter(|(other, _)| *other != k);
    match typed.expr.kind {
        Kind::Prod(..) => others().any(|(_, other)| other.rank() > 0),
        Kind::Mul(..) => typed.operands[k].rank() == 0 && others().any(|(_, other)| other.rank() > 0),
        Kind::Expa(..) => true,
        _ => false,
    }
}

fn reduces(expr: &Expr) -> bool {
    matches!(expr.kind, Kind::Reduce(..) | Kind::Contr(..)) || expr.operands().into_iter().any(reduces)
}
