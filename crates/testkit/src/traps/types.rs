//! Terms and contexts that must have no type.

use super::{NO_LAWS, Trap, claimed, file, next, trap};

/// `t = t` for a term of these tables, which begin with `i0 N`, `i1 0`, `p0 0 <= N` and the literal `t0`.
fn reflexive(tables: &str, term: &str, context: &str) -> String {
    let tables = format!(
        "l0 \"N\" serial auto\na0 plus_times\ni0 free 0\ni1 lit 0\np0 le i1 i0\nt0 lit f32 a0 one\n{tables}
         s0 refl {term} {term}"
    );
    file(NO_LAWS, &tables, context, &format!("claim {term} {term} s0"))
}

/// Every algebra with every scalar: one that it admits, and one that it does not, or that another algebra does not.
pub(super) fn elements() -> Vec<Trap> {
    let literal = |(algebra, scalar): (&str, &str)| {
        let tables = format!("a0 {algebra}\nt0 lit {scalar} a0 one\ns0 refl t0 t0");
        file(NO_LAWS, &tables, "", "claim t0 t0 s0")
    };
    let (floats, integers) = (["f32", "f64"], ["i32", "i64", "u8"]);
    let (mut admitted, mut others) = (Vec::new(), Vec::new());
    for algebra in ["plus_times", "times", "min_max", "max_min"] {
        admitted
            .extend([&floats[..], &integers, &["bool"]].concat().into_iter().map(|scalar| (algebra, scalar)));
    }
    for algebra in ["min_plus", "max_plus", "max_times"] {
        admitted.extend([&floats[..], &["bool"]].concat().into_iter().map(|scalar| (algebra, scalar)));
        others.extend(integers.map(|scalar| (algebra, scalar)));
    }
    for algebra in ["or_and", "and_or"] {
        admitted.push((algebra, "bool"));
        others.extend([&floats[..], &integers].concat().into_iter().map(|scalar| (algebra, scalar)));
    }
    let pairs = admitted.into_iter().zip(others.into_iter().cycle());
    pairs
        .map(|(right, wrong)| {
            trap("a scalar that the algebra does not admit", literal(right), literal(wrong))
        })
        .collect()
}

/// Terms and contexts that must have no type.
pub(super) fn types() -> Vec<Trap> {
    let context = "x0 index l0\nx1 hyp p0\nx2 tensor l0 f32 a0 i0";
    let nested =
        |inner: &str| reflexive(&format!("i2 bound 0\nt1 gen l0 {inner} t0\nt2 gen l0 i0 t1"), "t2", context);
    let added = |extent: &str| {
        reflexive(&format!("i2 lit 3\nt1 gen l0 {extent} t0\nt2 free 2\nt3 prim add t1 t2"), "t3", context)
    };
    let applied = |body: &str, call: &str| {
        reflexive(&format!("t1 {body}\nt2 gen l0 i0 t0\nd0 \"trap\" 0 1 1 t1\nt3 {call}"), "t3", context)
    };
    let variable = |variable: &str| reflexive(&format!("t1 {variable}"), "t1", context);
    let among =
        |context: &str| reflexive("i2 free 3\ni3 bound 0\ni4 free 2\np1 le i1 i2\nt1 free 2", "t1", context);
    vec![
        trap("an extent that depends on the loop", nested("i0"), nested("i2")),
        trap("an operand of another shape", added("i0"), added("i2")),
        trap(
            "a definition that is not closed",
            applied("free 1", "op d0 0 1 t2"),
            applied("free 2", "op d0 0 1 t2"),
        ),
        trap(
            "a definition with too few arguments",
            applied("free 1", "op d0 0 1 t2"),
            applied("free 1", "op d0 0 0"),
        ),
        trap("a variable that is bound nowhere", variable("free 2"), variable("bound 0")),
        trap("a variable that is an integer", variable("free 2"), variable("free 0")),
        trap(
            "a context's extent that comes later",
            among(context),
            among("x0 index l0\nx1 hyp p0\nx2 tensor l0 f32 a0 i2\nx3 index l0"),
        ),
        trap(
            "a context's extent that is bound",
            among(context),
            among("x0 index l0\nx1 hyp p0\nx2 tensor l0 f32 a0 i3"),
        ),
        trap(
            "a context's extent that is a tensor",
            among(context),
            among("x0 index l0\nx1 hyp p0\nx2 tensor l0 f32 a0 i0\nx3 tensor l0 f32 a0 i4"),
        ),
        trap(
            "a hypothesis on what comes later",
            among(context),
            among("x0 index l0\nx1 hyp p1\nx2 tensor l0 f32 a0 i0\nx3 index l0"),
        ),
    ]
}

/// A term that has a type, and one that has none, over these lines.
fn typed(name: &'static str, lines: &str, right: &str, wrong: &str) -> Trap {
    let itself = |term: &str| {
        let t = format!("t{}", next('t', lines));
        claimed(NO_LAWS, &format!("{lines}\n{t} {term}\ns0 refl {t} {t}"), &t, &t)
    };
    trap(name, itself(right), itself(wrong))
}

/// Operations on elements or shapes that they do not take.
pub(super) fn operands() -> Vec<Trap> {
    let elems = "t10 lit bool a0 one\nt11 lit i32 a0 one\nt12 gen l0 i1 t1\nt13 lit f32 a1 one\nt14 prim lt t4 t1\ni8 add i5 i3\nt15 gen l0 i8 t1
                 t16 view a1 t1\ni9 add i3 i5\nt17 gen l0 i9 t1\nt18 free 0\nd0 \"f\" 0 1 0 t18\nt19 op d0 0 1 t4\nt20 index f32 a0 i7
                 t21 sum l0 i0 t7\nt22 sum l0 i0 t20\nt23 lit f64 a0 one
                 t24 lit i64 a0 one
t25 lit u8 a0 one";
    let typed = |name, right, wrong| typed(name, elems, right, wrong);
    vec![
        typed("a sum of a float and an integer", "prim add t1 t4", "prim add t1 t11"),
        typed("a sum over two algebras", "prim add t1 t4", "prim add t1 t13"),
        typed("a sum of a vector and a number", "prim add t9 t9", "prim add t9 t1"),
        typed("a difference of truth values", "prim sub t1 t1", "prim sub t10 t10"),
        typed("a quotient of truth values", "prim div t1 t1", "prim div t10 t10"),
        typed("a minimum of truth values", "prim min t1 t1", "prim min t10 t10"),
        typed("a maximum of truth values", "prim max t1 t1", "prim max t10 t10"),
        typed("the opposite of a truth value", "prim neg t1", "prim neg t10"),
        typed("the size of a truth value", "prim abs t1", "prim abs t10"),
        typed("an exponential of an integer", "prim exp t1", "prim exp t11"),
        typed("a logarithm of an integer", "prim log t1", "prim log t11"),
        typed("a root of an integer", "prim sqrt t23", "prim sqrt t11"),
        typed("a remainder of floats", "prim rem t11 t11", "prim rem t1 t1"),
        typed("a remainder of truth values", "prim rem t25 t25", "prim rem t10 t10"),
        typed("a conjunction of the bits of floats", "prim bit_and t11 t11", "prim bit_and t1 t1"),
        typed("a conjunction of the bits of truth values", "prim bit_and t24 t24", "prim bit_and t10 t10"),
        typed("bits of two widths", "prim bit_and t11 t11", "prim bit_and t11 t24"),
        typed("an alternative of the bits of floats", "prim bit_or t11 t11", "prim bit_or t1 t1"),
        typed("an alternative of the bits of truth values", "prim bit_or t25 t25", "prim bit_or t10 t10"),
        typed("a difference of the bits of floats", "prim bit_xor t11 t11", "prim bit_xor t1 t1"),
        typed("a difference of the bits of truth values", "prim bit_xor t25 t25", "prim bit_xor t10 t10"),
        typed("the bits of a float, inverted", "prim bit_not t11", "prim bit_not t1"),
        typed("the bits of a truth value, inverted", "prim bit_not t24", "prim bit_not t10"),
        typed("a float moved up", "prim shl t11 t11", "prim shl t1 t1"),
        typed("a truth value moved up", "prim shl t25 t25", "prim shl t10 t10"),
        typed("a float moved down", "prim shr t11 t11", "prim shr t1 t1"),
        typed("a count of another type", "prim shr t24 t24", "prim shr t24 t11"),
        typed("a truth value moved down", "prim shr t25 t25", "prim shr t10 t10"),
        typed("the high half of a product of wide integers", "prim mulhi t11 t11", "prim mulhi t24 t24"),
        typed("the high half of a product of floats", "prim mulhi t25 t25", "prim mulhi t1 t1"),
        typed("the high half of a product of truth values", "prim mulhi t25 t25", "prim mulhi t10 t10"),
        typed("a count of the bits of a float", "prim popcount t24", "prim popcount t1"),
        typed("a count of the bits of a truth value", "prim popcount t11", "prim popcount t10"),
        typed("a count of the zeros above a float", "prim clz t24", "prim clz t1"),
        typed("a count of the zeros above a truth value", "prim clz t11", "prim clz t10"),
        typed("a count of the zeros below a float", "prim ctz t24", "prim ctz t1"),
        typed("a count of the zeros below a truth value", "prim ctz t11", "prim ctz t10"),
        typed("an integer rounded down", "prim floor t1", "prim floor t11"),
        typed("an alternative of numbers", "prim or t10 t10", "prim or t1 t1"),
        typed("the contrary of a number", "prim not t10", "prim not t1"),
        typed("an alternative of a truth value and a number", "prim or t10 t10", "prim or t10 t1"),
        typed("an equation of a float and an integer", "prim eq t1 t4", "prim eq t1 t11"),
        typed("an order of a number and a truth value", "prim le t10 t10", "prim le t1 t10"),
        typed("a product over two algebras", "prim mul t13 t16", "prim mul t1 t16"),
        typed("an integer in an algebra of floats", "view a2 t10", "view a2 t11"),
        typed("a conjunction of numbers", "prim and t10 t10", "prim and t1 t1"),
        typed("a number as a condition", "prim where t10 t1 t1", "prim where t1 t1 t1"),
        typed("a choice between a float and an integer", "prim where t10 t1 t1", "prim where t10 t1 t11"),
        typed("a comparison of a float and an integer", "prim lt t1 t4", "prim lt t1 t11"),
        typed("a conversion between algebras", "prim cast i32 a0 t1", "prim cast f32 a1 t1"),
        typed("a selection between extents", "select p0 t9 t9", "select p0 t9 t12"),
        typed("a selection between ranks", "select p0 t9 t9", "select p0 t1 t9"),
        typed("a selection between scalars", "select p0 t1 t1", "select p0 t1 t11"),
        typed("a comparison as a number", "prim where t14 t1 t1", "prim add t14 t1"),
        typed("an extent that depends on the loop and more", "sum l0 i0 t9", "gen l0 i0 t15"),
        typed("an extent that depends on more and the loop", "sum l0 i0 t9", "gen l0 i0 t17"),
        typed("the level of a loop after an operator", "prim add t19 t21", "prim add t19 t22"),
        typed("a row of a number", "get t2 i0", "get t4 i0"),
    ]
}

/// Variables that are not in scope, or are of the other sort.
pub(super) fn scopes() -> Vec<Trap> {
    let strays = "i8 free 2\nt10 index f32 a0 i7\np5 le i5 i2\np6 not p5\np7 and p0 p5\np8 or p0 p5\nt11 free 5\nt12 bound 0\nt13 bound 1
                  i9 add i5 i3\ni10 add i3 i5\np9 le i2 i5\np10 and p5 p0";
    let typed = |name, right, wrong| typed(name, strays, right, wrong);
    vec![
        typed("the level of a loop for its index", "gen l0 i0 t7", "gen l0 i0 t10"),
        typed("the level of a variable for what is bound", "let l0 t1 t12", "let l0 t1 t11"),
        typed("an index that is bound nowhere", "prim neg t5", "prim neg t7"),
        typed("an index that is bound nowhere, and more", "prim neg t5", "index f32 a0 i9"),
        typed("more, and an index that is bound nowhere", "prim neg t5", "index f32 a0 i10"),
        typed("an index that is bound further out", "sum l0 i0 t7", "let l0 t1 t7"),
        typed("a tensor that is bound further out", "let l0 t1 t12", "let l0 t1 t13"),
        typed("a tensor as an index", "index f32 a0 i2", "index f32 a0 i8"),
        typed("a loop's index for a tensor", "let l0 t1 t12", "gen l0 i0 t12"),
        typed("an extent that is bound nowhere", "sum l0 i0 t1", "sum l0 i5 t1"),
        typed("a row that is bound nowhere", "get t2 i1", "prim neg t8"),
        typed("a guard on what is bound nowhere", "guard p0 t1", "guard p5 t1"),
        typed("a guard on an order to what is bound nowhere", "guard p0 t1", "guard p9 t1"),
        typed("a guard on what is bound nowhere, and then more", "guard p0 t1", "guard p10 t1"),
        typed("a guard on the contrary of what is bound nowhere", "guard p0 t1", "guard p6 t1"),
        typed("a guard on what is bound nowhere and more", "guard p0 t1", "guard p7 t1"),
        typed("a guard on what is bound nowhere or more", "guard p0 t1", "guard p8 t1"),
        typed("a selection by what is bound nowhere", "select p0 t1 t1", "select p5 t1 t1"),
    ]
}

/// Definitions that speak of more than their parameters, and operators with other arguments than those.
pub(super) fn definitions() -> Vec<Trap> {
    // The body's levels: the argument's extent, and the argument.
    let body = |name, wrong: &str| {
        let lines = |body: &str| {
            format!("i8 free 2\nt10 {body}\nd0 \"f\" 0 1 1 t10\nt11 op d0 0 1 t9\ns0 refl t11 t11")
        };
        let of = |body: &str| claimed(NO_LAWS, &lines(body), "t11", "t11");
        trap(name, of("prim neg t5"), of(wrong))
    };
    // The body's levels: two arguments.
    let two = |name, wrong: &str| {
        let lines = |body: &str| {
            format!(
                "t10 free 0\nt11 free 1\nt12 {body}\nd0 \"f\" 0 2 0 0 t12\nt13 op d0 0 2 t4 t1\ns0 refl t13 t13"
            )
        };
        let of = |body: &str| claimed(NO_LAWS, &lines(body), "t13", "t13");
        trap(name, of("prim add t10 t11"), of(wrong))
    };
    // Operators that make a vector: of a number of elements, or of as many as the argument has.
    let extents = "t10 gen l0 i1 t1\nd0 \"of\" 1 0 t9\nd1 \"as\" 0 1 1 t9\nt11 op d0 1 i0 0\nt12 op d0 1 i1 0\nt13 op d1 0 1 t9\nt14 op d1 0 1 t10";
    let extent = |name, right, wrong| typed(name, extents, right, wrong);
    let calls = "d0 \"f\" 0 1 1 t5\nd1 \"g\" 1 0 t5\nd2 \"h\" 1 0 t1\nd3 \"k\" 2 1 0 t2";
    let call = |name, right, wrong| typed(name, calls, right, wrong);
    vec![
        body("a definition that has a tensor for an index", "prim neg t6"),
        body("a definition that has an index for a tensor", "free 0"),
        body("a definition on an index of the context", "index f32 a0 i8"),
        body("a definition on a tensor of the context", "prim neg t4"),
        body("a definition on an index that is bound outside", "prim neg t7"),
        body("a definition on a tensor that is bound outside", "bound 0"),
        body("a definition on an index that is bound further outside", "index f32 a0 i6"),
        two("a definition that has its first tensor for an index", "prim neg t5"),
        call("an operator on an argument of too low a rank", "op d0 0 1 t9", "op d0 0 1 t4"),
        call("an operator with too many tensors", "op d0 0 1 t9", "op d0 0 2 t9 t9"),
        call("an operator with too many numbers", "op d1 1 i0 0", "op d1 2 i0 i1 0"),
        call("an operator with too few tensors", "op d3 2 i0 i1 1 t4", "op d3 2 i0 i1 0"),
        call("an operator with too few numbers", "op d1 1 i0 0", "op d1 0 0"),
        call("an operator with a number and no tensor", "op d0 0 1 t9", "op d0 1 i0 0"),
        extent("an operator's number as another extent", "prim add t9 t11", "prim add t9 t12"),
        extent("an operator's argument as one of another extent", "prim add t9 t13", "prim add t9 t14"),
        call("a number that is bound nowhere and not used", "op d2 1 i0 0", "op d2 1 i5 0"),
        call("an operator on a number that is bound nowhere", "op d1 1 i0 0", "op d1 1 i5 0"),
    ]
}
