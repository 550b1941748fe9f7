//! Terms of sizes as text.

use atl_kernel::{Ix, IxOp, Var};

/// `4*M+1`
pub(super) fn ix(ix: &Ix, names: &[String]) -> String {
    text(ix, names, 0)
}

/// The term where an operator of this strength stands around it.
fn text(ix: &Ix, names: &[String], around: u8) -> String {
    match ix {
        Ix::Lit(n) if *n < 0 && around > 1 => format!("({n})"),
        Ix::Lit(n) => n.to_string(),
        Ix::Var(Var::Free(level)) => {
            let name = usize::try_from(level / 2).ok().and_then(|at| names.get(at));
            name.map_or_else(|| "?".to_owned(), Clone::clone)
        }
        Ix::Var(Var::Bound(_)) | Ix::Read(..) => "?".to_owned(),
        Ix::Bin(op @ (IxOp::Min | IxOp::Max), ab) => {
            let name = if *op == IxOp::Min { "min" } else { "max" };
            format!("{name}({},{})", text(&ab.0, names, 0), text(&ab.1, names, 0))
        }
        Ix::Bin(op, ab) => {
            let (sign, strength) = match op {
                IxOp::Add => ("+", 1),
                IxOp::Sub => ("-", 1),
                IxOp::Div => ("/", 2),
                IxOp::Mod => ("%", 2),
                _ => ("*", 2),
            };
            // What is below 0 is taken away.
            if let (IxOp::Add, Ix::Lit(n @ ..0)) = (op, &ab.1) {
                let whole = format!("{}-{}", text(&ab.0, names, strength), n.unsigned_abs());
                return if strength < around { format!("({whole})") } else { whole };
            }
            // To the right, only a sum in a sum and a product in a product associate.
            let right = if matches!(op, IxOp::Add | IxOp::Mul) { strength } else { strength + 1 };
            let whole = format!("{}{sign}{}", text(&ab.0, names, strength), text(&ab.1, names, right));
            // A quotient as the right factor would be read from the left.
            let apart = strength < around || (around == 2 && matches!(op, IxOp::Div | IxOp::Mod));
            if apart { format!("({whole})") } else { whole }
        }
    }
}
