//! Cells that the lanes of a vector read one by one, for they lie as far apart as a size says.
//!
//! One idea: to read a lane takes about as long as a few operations on a whole vector. So a loop that does
//! enough with what it reads is vectors all the same, and one that does not is left to the C compiler.

use crate::elementary::row;
use crate::growth::stride;
use crate::lanes::Lanes;
use crate::{BinOp, Int, Name, Stmt, StoreMode, Val};

/// How many operations are worth that the lanes' cells are read one by one, for each read; and how many a
/// division is.
const WORK: f64 = 8.0;
const DIVISION: f64 = 5.0;

/// The cells that an iteration reads one by one, and what it does.
#[derive(Default)]
struct Collected<'b> {
    cells: Vec<(&'b Name, &'b Int)>,
    work: f64,
    /// Does a loop inside read such cells, too? It runs more often.
    inside: bool,
}

impl Lanes<'_> {
    /// By how many cells an index grows from lane to lane, if that depends on sizes: a term that is the
    /// same in all lanes.
    pub fn strided(&self, buf: &Name, index: &Int) -> Option<Int> {
        let step = stride(index, self.var).filter(|step| step.constant().is_none())?;
        (!index.reads() && !self.is_local(buf)).then_some(step)
    }

    /// Are there cells that are read one by one?
    pub fn collects(&self, body: &Stmt) -> bool {
        let mut found = false;
        body.for_each(&mut |stmt| {
            if let Stmt::Store { value, .. } = stmt {
                value.for_each(&mut |part| {
                    found |= matches!(part, Val::Load { buf, index } if self.strided(buf, index).is_some());
                });
            }
        });
        found
    }

    /// Do the body and the loops inside enough with what they read one by one?
    ///
    /// # Errors
    /// A cell for which they do not.
    pub(crate) fn is_worth(&self, body: &Stmt) -> Result<(), String> {
        let mut collected = Collected::default();
        self.collect(body, &mut collected)?;
        match collected.cells.first() {
            Some((buf, index))
                if !collected.inside && collected.work < WORK * collected.cells.len() as f64 =>
            {
                Err(format!("`{buf}[{index}]` is not consecutive in `{}`", self.var))
            }
            _ => Ok(()),
        }
    }

    fn collect<'b>(&self, stmt: &'b Stmt, found: &mut Collected<'b>) -> Result<(), String> {
        match stmt {
            Stmt::For { body, .. } => {
                found.inside |= self.collects(body);
                self.is_worth(body)
            }
            Stmt::Store { value, mode, .. } => {
                found.work += f64::from(u8::from(matches!(mode, StoreMode::Reduce(_))));
                value.for_each(&mut |part| match part {
                    Val::Load { buf, index }
                        if self.strided(buf, index).is_some() && !found.cells.contains(&(buf, index)) =>
                    {
                        found.cells.push((buf, index));
                    }
                    Val::Call(function, _) => found.work += row(*function).cost,
                    Val::Bin(BinOp::Div, ..) => found.work += DIVISION,
                    Val::Un(..) | Val::Bin(..) | Val::Cmp(..) | Val::Choose { .. } => found.work += 1.0,
                    _ => {}
                });
                Ok(())
            }
            stmt => stmt.parts().try_for_each(|part| self.collect(part, found)),
        }
    }
}
