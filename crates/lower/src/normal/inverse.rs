//! Operators that take back what an operator right inside did: `trunc_r(k, pad_r(k, e)) = e`,
//! `unshear(n, m, shear(e)) = e`.
//!
//! What the inner operator adds is padding, and the outer one drops all of it. So no loop stores any, and the
//! normal form has none: the export to Rocq follows padding only where cells begin as zero.

use atl_kernel::{Expr, Node, Result, Thm};
use atl_rules::{Cx, Named, Step, by_name};

/// One way to read a rule.
type Read = fn(Named, &mut Cx<'_>, &Expr) -> Result<Thm>;

const FORWARDS: Read = |rule, cx, e| rule.rewrite(cx, e, &[]);
const BACKWARDS: Read = |rule, cx, e| rule.rewrite_backwards(cx, e, &[]);

/// The term without both operators, or with a smaller truncation alone.
pub(super) fn without_inverse(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Op(outer, _, args) = &**e else { return Ok(None) };
    let Node::Op(inner, ..) = &*args[0] else { return Ok(None) };
    let rules: &[(&str, Read)] = match (outer.name, inner.name) {
        ("trunc_r", "pad_r") => &[("trunc_pad_r", BACKWARDS), ("trunc_r_beyond_pad_r", FORWARDS)],
        ("trunc_l", "pad_l") => &[("trunc_pad_l", BACKWARDS), ("trunc_l_beyond_pad_l", FORWARDS)],
        ("unshear", "shear") => &[("unshear_shear_id", FORWARDS)],
        _ => &[],
    };
    // Where more is padded than truncated, or that cannot be shown, both operators stay.
    Ok(rules.iter().find_map(|(name, read)| read(by_name(name)?, cx, e).ok()))
}
