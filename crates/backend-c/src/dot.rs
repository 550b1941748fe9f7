//! Where a loop over vectors has sums of a few products, they are calls of one function each.
//!
//! One idea: such a sum often has a variable of its own, which begins at zero and is then added to what the
//! lanes have. The products are added there at once, for that is what the machine does. The function is
//! that of `products`.

use crate::lanes::Over;
use crate::products::Products;
use crate::terms::Terms;
use crate::vectors::Helper;
use atl_c_text::Dialect;
use atl_loops::dot::Dot;
use atl_loops::{Init, Name, ReduceOp, Stmt, StoreMode, Val};

impl Terms {
    /// The sum of products that a statement is, in all lanes: what it is added to, and the new sum.
    pub(crate) fn dot(&mut self, stmt: &Stmt, over: &Over<'_>, sum: Option<&str>) -> Option<(Name, String)> {
        if over.mask.is_some() {
            return None;
        }
        let Dot { sum: own, terms, factors: [first, second] } = over.lanes.dot(self.buffer_types(), stmt)?;
        let products = Products::of(terms, [&first, &second]);
        let vector = over.of(self.buffer_type(own)).vector();
        let function = self.vectors.helper(Helper::Dot(products), vector);
        let [p, q] = [first, second].map(|factor| {
            let index = self.index_of_first(&factor.first, over);
            format!("&{}[{index}]", self.identifier(factor.buf))
        });
        let old = sum.map_or_else(|| self.identifier(own), str::to_owned);
        Some((own.clone(), format!("{function}({old}, {p}, {q})")))
    }

    /// A variable that begins at zero, has products added to it, and is then added to what the lanes have:
    /// the sum goes there at once.
    pub(crate) fn dot_into(&mut self, stmt: &Stmt, over: &Over<'_>) -> Option<String> {
        let Stmt::Alloc { buf, init: Init::Value(Val::Lit(zero)), body, .. } = stmt else {
            return None;
        };
        let Stmt::Seq(stmts) = &**body else { return None };
        let [products, Stmt::Store { buf: to, index, value, mode: StoreMode::Reduce(ReduceOp::Add) }] =
            stmts.as_slice()
        else {
            return None;
        };
        let is_alone = matches!(value, Val::Load { buf: read, .. } if read == buf) && zero.bits() == 0;
        let cell = is_alone.then(|| self.sum_cell(to, index, over))?;
        let (own, sum) = self.dot(products, over, Some(&cell))?;
        (own == *buf).then(|| format!("{cell} = {sum};"))
    }
}
