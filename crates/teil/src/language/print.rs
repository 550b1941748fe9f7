//! Programs as text, which [`parse`](super::parse) reads as the same programs.

use super::{Assignment, Declaration, Expr, Fact, Item, Kind, Program, Size};
use atl_kernel::Scalar;
use std::fmt::{self, Display, Formatter};

impl Display for Size {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Size::Number(n) => write!(f, "{n}"),
            Size::Variable(name) => f.write_str(name),
        }
    }
}

/// `[n, m]`
pub fn shape<'s>(sizes: impl IntoIterator<Item = &'s Size>) -> String {
    let sizes: Vec<String> = sizes.into_iter().map(Size::to_string).collect();
    format!("[{}]", sizes.join(", "))
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.items.iter().try_for_each(|item| writeln!(f, "{item}"))
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Item::Declare(declaration) => declaration.fmt(f),
            Item::Assign(assignment) => assignment.fmt(f),
            Item::Infer => f.write_str("where .."),
            Item::Where(facts) => {
                let facts: Vec<String> = facts.iter().map(Fact::to_string).collect();
                write!(f, "where {}", facts.join(", "))
            }
        }
    }
}

impl Display for Declaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} : ", self.role.word(), self.name.value)?;
        if self.element != Scalar::F64 {
            write!(f, "{} ", self.element.name())?;
        }
        f.write_str(&shape(self.shape.iter().map(|size| &size.value)))
    }
}

impl Display for Fact {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.left.value, self.relation.word(), self.right.value)
    }
}

impl Display for Assignment {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.target.value, self.value)
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Name(text) | Kind::Number(text) => return f.write_str(text),
            Kind::Reduce(op, i, _) => write!(f, "{} {}", op.word(), i.value)?,
            Kind::Transp(i, j, _) | Kind::Diag(i, j, _) | Kind::Contr(i, j, _) => {
                write!(f, "{} {} {}", self.word(), i.value, j.value)?;
            }
            Kind::Expa(i, n, _) | Kind::Proj(i, n, _) => {
                write!(f, "{} {} {}", self.word(), i.value, n.value)?;
            }
            Kind::Stack(all) => write!(f, "stack {}", all.len())?,
            _ => f.write_str(self.word())?,
        }
        for operand in self.operands() {
            match operand.kind {
                Kind::Name(_) | Kind::Number(_) => write!(f, " {operand}")?,
                _ => write!(f, " ({operand})")?,
            }
        }
        Ok(())
    }
}
