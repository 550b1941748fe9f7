//! Small files of one tensor, `x` of extent `N`, that is given.

/// A file: the theorem that a term is itself, in lines of which this one has it, and lines of loops.
pub(crate) fn with_term(lines: &str, term: &str, loops: &str) -> String {
    let head = "atlp 1\nfunction \"f\"\ngiven\nsource\nschedule\nresult\nlaws none\nrounding bitwise\nproof\n\
        l0 \"N\" serial auto\nl1 \"x\" serial auto\na0 plus_times\ni0 free 0\ni1 lit 0\ni2 bound 0\np0 le i1 i0\n\
        t0 free 2\nt1 get t0 i2\n";
    let claim = format!(
        "s0 refl {term} {term}\nx0 index l0\nx1 hyp p0\nx2 tensor l1 f32 a0 i0\nclaim {term} {term} s0\n"
    );
    let text = format!("{head}{lines}{claim}{loops}");
    let lines = text.lines().count();
    format!("{text}end {lines}\n")
}
