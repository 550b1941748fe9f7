//! Rules about sums and products of two operands: the other operation, the other side, the other law.

use super::Trap;
use super::rules::{Use, uses};

/// Sums and products of two operands.
pub(super) fn operations() -> Vec<Trap> {
    let lines = "t10 prim add t4 t1\nt11 prim mul t4 t1\nt12 prim add t1 t4\nt13 prim mul t1 t4\nt14 prim add t4 t0\nt15 prim add t0 t4
                 t16 prim add t10 t5\nt17 prim add t1 t5\nt18 prim add t4 t17\nt19 prim mul t11 t5\nt20 prim mul t1 t5\nt21 prim mul t4 t20
                 t22 prim add t11 t5\nt23 prim mul t10 t5\nt24 prim mul t0 t4\nt25 prim mul t4 t0
                 t26 guard p0 t4\nt27 prim mul t26 t5\nt28 prim mul t4 t5\nt29 guard p0 t28\nt30 prim add t26 t5\nt31 prim add t4 t5\nt32 guard p0 t31
                 t33 prim mul t5 t26\nt34 prim mul t5 t4\nt35 guard p0 t34\nt36 prim add t5 t26\nt37 prim add t5 t4\nt38 guard p0 t37";
    let sums = "t39 sum l0 i0 t7\nt40 prim mul t4 t39\nt41 prim mul t4 t7\nt42 sum l0 i0 t41\nt43 prim add t4 t39\nt44 prim add t4 t7\nt45 sum l0 i0 t44
                t46 prim mul t39 t4\nt47 prim mul t7 t4\nt48 sum l0 i0 t47\nt49 prim add t39 t4\nt50 prim add t7 t4\nt51 sum l0 i0 t50
                t52 prim mul t5 t10\nt53 prim mul t5 t1\nt54 prim add t34 t53\nt55 prim add t5 t10\nt56 prim add t5 t1\nt57 prim add t37 t56
                t58 prim add t28 t20\nt59 prim add t31 t17\nt60 prim mul t5 t11
                t61 prim sub t4 t1\nt62 prim sub t1 t4\nt63 prim sub t61 t5\nt64 prim sub t1 t5\nt65 prim sub t4 t64";
    // Of ordinary floats, of those of another algebra, and of bytes.
    let differences = "t66 lit f32 a0 dec:-1 0\nt67 prim mul t66 t1\nt68 prim add t4 t67\nt69 prim mul t66 t4\nt70 prim add t1 t69\nt71 prim mul t1 t1
                t72 view a1 t4\nt73 view a1 t1\nt74 prim sub t72 t73\nt75 lit f32 a1 dec:-1 0\nt76 prim mul t75 t73\nt77 prim add t72 t76
                t78 lit u8 a0 one\nt79 prim sub t78 t78\nt80 lit u8 a0 dec:-1 0\nt81 prim mul t80 t78\nt82 prim add t78 t81
                t83 prim mul t1 t66\nt84 prim add t4 t83";
    let lines = &format!("{lines}\n{sums}\n{differences}");
    let of = |name, law: &str, rounding: &str, right: Use, wrong: Use| {
        uses(name, &format!("laws {law}\nrounding {rounding}"), lines, right, wrong)
    };
    let difference = |name, left, result| {
        of(name, "none", "bitwise", ("sub_as_add", "t61", "t68", ""), ("sub_as_add", left, result, ""))
    };
    vec![
        difference("the other difference", "t61", "t70"),
        difference("a difference as the sum", "t61", "t10"),
        difference("a sum as a difference", "t10", "t68"),
        difference("a product on the other side", "t61", "t84"),
        difference("a difference by the sum of another algebra", "t74", "t77"),
        difference("a difference of numbers without signs", "t79", "t82"),
        of(
            "a product commuted by the law of sums",
            "add_comm",
            "finite",
            ("add_comm", "t10", "t12", ""),
            ("add_comm", "t11", "t13", ""),
        ),
        of(
            "a sum commuted by the law of products",
            "mul_comm",
            "finite",
            ("mul_comm", "t11", "t13", ""),
            ("mul_comm", "t10", "t12", ""),
        ),
        of(
            "a product regrouped by the law of sums",
            "add_assoc",
            "real",
            ("add_assoc", "t16", "t18", ""),
            ("add_assoc", "t19", "t21", ""),
        ),
        of(
            "a sum regrouped by the law of products",
            "mul_assoc",
            "real",
            ("mul_assoc", "t19", "t21", ""),
            ("mul_assoc", "t16", "t18", ""),
        ),
        of(
            "a product regrouped with a sum",
            "add_assoc",
            "real",
            ("add_assoc", "t16", "t18", ""),
            ("add_assoc", "t22", "t18", ""),
        ),
        of(
            "a sum regrouped with a product",
            "mul_assoc",
            "real",
            ("mul_assoc", "t19", "t21", ""),
            ("mul_assoc", "t23", "t21", ""),
        ),
        of(
            "a difference commuted by the law of products",
            "mul_comm",
            "finite",
            ("mul_comm", "t11", "t13", ""),
            ("mul_comm", "t61", "t62", ""),
        ),
        of(
            "a difference regrouped by the law of products",
            "mul_assoc",
            "real",
            ("mul_assoc", "t19", "t21", ""),
            ("mul_assoc", "t63", "t65", ""),
        ),
        of(
            "one as the zero of a sum",
            "add_0_l",
            "finite",
            ("add_zero_l", "t15", "t4", ""),
            ("add_zero_l", "t12", "t4", ""),
        ),
        of(
            "one as the zero of a sum, on the right",
            "add_0_r",
            "finite",
            ("add_zero_r", "t14", "t4", ""),
            ("add_zero_r", "t10", "t4", ""),
        ),
        of(
            "a zero on the right by the law of the left",
            "add_0_l",
            "finite",
            ("add_zero_l", "t15", "t4", ""),
            ("add_zero_l", "t14", "t4", ""),
        ),
        of(
            "a zero on the left by the law of the right",
            "add_0_r",
            "finite",
            ("add_zero_r", "t14", "t4", ""),
            ("add_zero_r", "t15", "t4", ""),
        ),
        of(
            "a product with zero as its other factor",
            "add_0_l",
            "finite",
            ("add_zero_l", "t15", "t4", ""),
            ("add_zero_l", "t24", "t4", ""),
        ),
        of(
            "a product with zero as its first factor",
            "add_0_r",
            "finite",
            ("add_zero_r", "t14", "t4", ""),
            ("add_zero_r", "t25", "t4", ""),
        ),
        of(
            "a product with zero as one with one",
            "mul_1_l",
            "finite",
            ("mul_one_l", "t13", "t4", ""),
            ("mul_one_l", "t24", "t4", ""),
        ),
        of(
            "a product with zero as one with one, on the right",
            "mul_1_r",
            "finite",
            ("mul_one_r", "t11", "t4", ""),
            ("mul_one_r", "t25", "t4", ""),
        ),
        of(
            "one and a term as a product",
            "mul_1_l",
            "finite",
            ("mul_one_l", "t13", "t4", ""),
            ("mul_one_l", "t12", "t4", ""),
        ),
        of(
            "a term and one as a product",
            "mul_1_r",
            "finite",
            ("mul_one_r", "t11", "t4", ""),
            ("mul_one_r", "t10", "t4", ""),
        ),
        of(
            "a sum of a guarded term as guarded",
            "mul_0_l",
            "finite",
            ("guard_mul_l", "t27", "t29", ""),
            ("guard_mul_l", "t30", "t32", ""),
        ),
        of(
            "a sum with a guarded term as guarded",
            "mul_0_r",
            "finite",
            ("guard_mul_r", "t33", "t35", ""),
            ("guard_mul_r", "t36", "t38", ""),
        ),
        of(
            "a term added to a sum as to each of its terms",
            "mul_0_r distr_l",
            "real",
            ("mul_sum_l", "t40", "t42", ""),
            ("mul_sum_l", "t43", "t45", ""),
        ),
        of(
            "a sum added to a term as each of its terms",
            "mul_0_l distr_r",
            "real",
            ("mul_sum_r", "t46", "t48", ""),
            ("mul_sum_r", "t49", "t51", ""),
        ),
        of(
            "addition distributed over addition",
            "distr_l",
            "real",
            ("distr_l", "t52", "t54", ""),
            ("distr_l", "t55", "t57", ""),
        ),
        of(
            "multiplication distributed over multiplication",
            "distr_l",
            "real",
            ("distr_l", "t52", "t54", ""),
            ("distr_l", "t60", "t54", ""),
        ),
        of(
            "multiplication distributed over multiplication, on the right",
            "distr_r",
            "real",
            ("distr_r", "t23", "t58", ""),
            ("distr_r", "t19", "t58", ""),
        ),
        of(
            "addition distributed over addition, on the right",
            "distr_r",
            "real",
            ("distr_r", "t23", "t58", ""),
            ("distr_r", "t16", "t59", ""),
        ),
    ]
}
