//! Integers: what types say of elements, and arithmetic that is also done by index terms, as long as nothing
//! wraps around.

use super::{NO_LAWS, Trap, file, trap};

/// Where `N` and `M` are integers, `b` is a vector of `N` bytes, `m` one of integers whose zero is the
/// greatest, `q` a matrix of bytes, and `0 <= M < N`.
const CONTEXT: &str =
    "x0 index l0\nx1 index l0\nx2 tensor l0 u8 a0 i0\nx3 tensor l0 i32 a1 i0\nx4 tensor l0 u8 a0 i0 i0
     x5 tensor l0 u64 a0 i0\nx6 hyp p0\nx7 hyp p1";

const TABLES: &str = "l0 \"v\" serial auto\na0 plus_times\na1 min_max\ni0 free 0\ni1 free 1\ni2 lit 0\ni3 lit 255
     p0 le i2 i1\np1 lt i1 i0\nt0 free 2\nt1 free 3\nt2 free 4\ni4 read free 2 1 i1\ni5 read free 3 1 i1
     c0 combine 2 1*0 1*2 absurd 3\nc1 combine 2 1*1 1*2 absurd 3\nc2 split 0 c0 c1\nc3 absurd 2\nc4 split 0 c3 c3";

fn stated(trust: &str, tables: &str, claim: &str) -> String {
    file(trust, &format!("{TABLES}\n{tables}"), CONTEXT, &format!("claim {claim}"))
}

/// What types say.
pub(super) fn ranges() -> Vec<Trap> {
    // b[M] <= 255, from what the type says of b[M]: facts 3 and 4, the second of which contradicts the
    // denial, fact 2.
    let shown = |step: &str, goal: &str| {
        let tables = format!(
            "i6 lit 254\ni7 read free 4 1 i1\ni8 lit 1\np2 {goal}\nt3 lit u8 a0 one\nt4 guard p2 t3
             c5 type {step} combine 2 1*2 1*4 absurd 5\ns0 rule guard_true t4 c5"
        );
        stated(NO_LAWS, &tables, "t4 t3 s0")
    };
    let right = || shown("2 1 i1", "le i4 i3");
    vec![
        trap("a byte below 255", right(), shown("2 1 i1", "le i4 i6")),
        trap("a byte that is another element", right(), shown("2 1 i0", "le i4 i3")),
        trap("an integer as a byte", right(), shown("3 1 i1", "le i5 i3")),
        trap("an element at too few indices as a byte", right(), shown("4 1 i1", "le i4 i3")),
        trap("an index as a byte", right(), shown("0 1 i1", "le i4 i3")),
        trap("a range of a type that index terms do not read", right(), shown("5 1 i1", "le i4 i3")),
        trap("a range of what is not there", right(), shown("9 1 i1", "le i4 i3")),
    ]
}

/// Lines after [`TABLES`], none of which is there twice.
struct Lines(Vec<(String, String)>);

impl Lines {
    fn new() -> Lines {
        let lines = TABLES.lines().map(str::trim).filter_map(|line| line.split_once(' '));
        Lines(lines.map(|(name, text)| (name.to_owned(), text.to_owned())).collect())
    }

    /// The name of a line with this letter and text.
    fn add(&mut self, letter: char, text: &str) -> String {
        let of_letter = |name: &str| name.starts_with(letter);
        if let Some((name, _)) = self.0.iter().find(|(name, known)| of_letter(name) && known == text) {
            return name.clone();
        }
        let name = format!("{letter}{}", self.0.iter().filter(|(name, _)| of_letter(name)).count());
        self.0.push((name.clone(), text.to_owned()));
        name
    }

    fn literal(&mut self, number: &str) -> String {
        self.add('i', &format!("lit {number}"))
    }

    /// What an index term is as an element.
    fn index(&mut self, element: &str, number: &str) -> String {
        let ix = self.literal(number);
        self.add('t', &format!("index {element} {ix}"))
    }

    /// The claim that a rule makes the right term of the left one.
    fn claim(self, trust: &str, rule: &str, left: &str, right: &str, certs: &str) -> String {
        let own = self.0.iter().skip(TABLES.lines().count());
        let lines: Vec<String> = own.map(|(name, text)| format!("{name} {text}")).collect();
        let tables = format!("{}\ns0 rule {rule} {left} {certs}", lines.join("\n"));
        stated(trust, tables.trim(), &format!("{left} {right} s0"))
    }
}

/// Elements, literals and operations as index terms.
pub(super) fn reflected() -> Vec<Trap> {
    // Of the bytes, or of the integers of another algebra.
    let read = |index: &str, array: u32| {
        let mut lines = Lines::new();
        let element = if array == 2 { "u8 a0" } else { "i32 a1" };
        let left = lines.add('t', &format!("get t{} {index}", array - 2));
        let read = lines.add('i', &format!("read free {array} 1 {index}"));
        let right = lines.add('t', &format!("index {element} {read}"));
        lines.claim(NO_LAWS, "read_index", &left, &right, "c2")
    };
    let literal = |number: &str, value: &str, element: &str| {
        let mut lines = Lines::new();
        let left = lines.add('t', &format!("lit {element} {number}"));
        let right = lines.index(element, value);
        lines.claim("laws add_0_l index_counts\nrounding bitwise", "literal_index", &left, &right, "c4")
    };
    let applied = |trust: &str, rule: &str, f: &str, numbers: [&str; 3], element: &str, certs: &str| {
        let mut lines = Lines::new();
        let [a, b, right] = numbers.map(|number| lines.index(&format!("{element} a0"), number));
        let left = lines.add('t', &format!("prim {f} {a} {b}"));
        lines.claim(trust, rule, &left, &right, certs)
    };
    let operation =
        |f: &str, numbers, element: &str| applied(NO_LAWS, "index_prim", f, numbers, element, "c4 c4 c4");
    let converted = |value: &str| {
        let mut lines = Lines::new();
        let byte = lines.index("u8 a0", value);
        let left = lines.add('t', &format!("prim cast i32 a0 {byte}"));
        let right = lines.index("i32 a0", value);
        lines.claim(NO_LAWS, "index_prim", &left, &right, "c4 c4")
    };
    let sum = |f: &str, numbers| {
        let laws = "laws add_0_r add_assoc index_counts\nrounding bitwise";
        applied(laws, "index_add", f, numbers, "u8", "c4")
    };
    let product = |numbers| {
        let laws = "laws add_0_r add_assoc mul_0_r mul_1_r distr_l index_counts\nrounding bitwise";
        applied(laws, "index_mul", "mul", numbers, "u8", "c4")
    };
    vec![
        trap("an element out of its box", read("i1", 2), read("i0", 2)),
        trap("the zero of another algebra as the integer 0", read("i1", 3), read("i0", 3)),
        trap(
            "a literal that wraps around",
            literal("dec:255 0", "255", "u8 a0"),
            literal("dec:256 0", "256", "u8 a0"),
        ),
        trap(
            "a literal that is no integer",
            literal("dec:25 0", "25", "u8 a0"),
            literal("dec:25 -1", "25", "u8 a0"),
        ),
        trap("a literal as another", literal("one", "1", "u8 a0"), literal("one", "2", "u8 a0")),
        trap(
            "the zero of an algebra that does not count",
            literal("zero", "0", "i32 a0"),
            literal("zero", "0", "i32 a1"),
        ),
        // 300 is 44 as a byte, and the smaller of 44 and 100 is not 100.
        trap(
            "an operand that has wrapped around",
            operation("min", ["200", "100", "100"], "u8"),
            operation("min", ["300", "100", "100"], "u8"),
        ),
        trap(
            "a second operand that has wrapped around",
            operation("min", ["100", "200", "100"], "u8"),
            operation("min", ["100", "300", "100"], "u8"),
        ),
        trap(
            "a difference that wraps around",
            operation("sub", ["3", "2", "1"], "u8"),
            operation("sub", ["2", "3", "-1"], "u8"),
        ),
        trap(
            "a quotient that wraps around",
            operation("div", ["-128", "1", "-128"], "i8"),
            operation("div", ["-128", "-1", "128"], "i8"),
        ),
        trap(
            "a quotient of floats",
            operation("div", ["7", "2", "3"], "i32"),
            operation("div", ["7", "2", "3"], "f32"),
        ),
        trap(
            "a remainder as a quotient",
            operation("rem", ["7", "4", "3"], "i32"),
            operation("rem", ["7", "4", "1"], "i32"),
        ),
        trap(
            "bits moved down, rounded towards 0",
            operation("shr", ["-7", "1", "-4"], "i32"),
            operation("shr", ["-7", "1", "-3"], "i32"),
        ),
        trap(
            "bits moved down by a count below 0",
            operation("shr", ["7", "0", "7"], "i32"),
            operation("shr", ["7", "-1", "14"], "i32"),
        ),
        trap(
            "bits of a mask with a gap as a remainder",
            operation("bit_and", ["-3", "7", "5"], "i32"),
            operation("bit_and", ["-3", "5", "3"], "i32"),
        ),
        trap(
            "bits of a mask below 0 as a remainder",
            operation("bit_and", ["-3", "0", "0"], "i32"),
            operation("bit_and", ["-3", "-3", "-1"], "i32"),
        ),
        trap(
            "another operation",
            operation("min", ["3", "2", "2"], "u8"),
            operation("max", ["3", "2", "2"], "u8"),
        ),
        trap("a number that has wrapped around, converted", converted("255"), converted("256")),
        trap("a sum with a negative number", sum("add", ["2", "1", "3"]), sum("add", ["2", "-1", "1"])),
        trap("a product as a sum", sum("add", ["2", "2", "4"]), sum("mul", ["2", "2", "4"])),
        trap("a product with a negative number", product(["2", "3", "6"]), product(["-2", "3", "-6"])),
    ]
}
