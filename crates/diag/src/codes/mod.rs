//! The error index: one page a code, listed here in order.
//!
//! `README.md` beside this file says what a page holds and which numbers are whose.

use std::fmt;

/// A code of the error index, such as `E0104`. Only the table below makes one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(&'static str);

impl Code {
    /// The code as it is written, `E0104`.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A page of the error index.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The code.
    pub code: Code,
    /// What the code means, in a few words.
    pub title: &'static str,
    /// The whole page, Markdown.
    pub text: &'static str,
}

macro_rules! pages {
    ($($code:ident: $title:literal,)*) => {
        $(#[doc = $title] pub const $code: Code = Code(stringify!($code));)*

        /// Every page, in the order of the codes.
        pub const PAGES: &[Page] = &[
            $(Page { code: $code, title: $title, text: include_str!(concat!(stringify!($code), ".md")) },)*
        ];
    };
}

pages! {
    E0101: "a character that no token begins with",
    E0102: "unclosed bracket",
    E0103: "unexpected token",
    E0104: "missing `;`",
    E0105: "unclosed string",
    E0106: "unclosed comment",
    E0107: "malformed number",
    E0108: "number too large",
    E0109: "nesting too deep",
    E0110: "text too long",
    E0111: "there is no operator `**`",
    E0112: "`//` begins a comment",
    E0113: "`and`, `or` and `not` are not operators",
    E0114: "`=` does not compare",
    E0115: "a body without braces",
    E0116: "malformed range of an index",
    E0117: "a block without a value",
    E0118: "a bracket that guards nothing",
    E0119: "a function without a result type",
    E0120: "there is no `if` expression",
    E0121: "something of patterns in a program",
    E0122: "not an item",
    E0123: "a keyword used as a name",
    E0124: "an unknown word in a step",
    E0125: "a closing bracket that closes nothing",
    E0126: "an iteration with other steps than states",
    E0127: "a scan that would be left early",
    E0128: "`rec` without the type of its elements",
    E0200: "an element type outside of its bound",
    E0201: "an unknown name",
    E0202: "an unknown function",
    E0203: "an unknown element type",
    E0204: "an unknown semiring",
    E0205: "a semiring over a scalar that it does not admit",
    E0206: "two parameters of one name",
    E0207: "a name that is declared twice",
    E0208: "a name that shadows another",
    E0209: "an import that cannot be read",
    E0210: "files that import each other",
    E0211: "a parameter used as a size",
    E0212: "a result with a size that no parameter has",
    E0213: "a size that the arguments do not determine",
    E0214: "operands of different element types",
    E0215: "a body of another element type than declared",
    E0216: "a body with another number of dimensions than declared",
    E0217: "a body with another extent than declared",
    E0218: "more indices than dimensions",
    E0219: "a read of a scalar",
    E0220: "a value where an index belongs",
    E0221: "an index where a value belongs",
    E0222: "an index that is no 64-bit integer",
    E0223: "a literal that does not fit its type",
    E0224: "a literal whose type nothing decides",
    E0225: "a difference or quotient in a semiring",
    E0226: "an operation that the element type does not have",
    E0227: "a wrong number of arguments",
    E0228: "an argument of another type than the parameter",
    E0229: "a call whose precondition is not met",
    E0230: "arguments whose extents do not fit together",
    E0231: "rows of different lengths",
    E0232: "operands of different shapes",
    E0233: "a matrix product, written element by element",
    E0234: "an operand with too few dimensions",
    E0235: "an operator whose requirement is not proved",
    E0236: "something else where a predicate belongs",
    E0237: "a guard that depends on numbers that are no integers",
    E0238: "a read that cannot stand in an index term",
    E0239: "a format that cannot be had",
    E0240: "a layout that does not fit this tensor",
    E0241: "a negative extent",
    E0242: "a schedule of an unknown function",
    E0243: "numbers where truth values belong",
    E0244: "an unknown attribute",
    E0245: "an index divided by zero",
    E0246: "a function used as a value",
    E0247: "an expression that is too large",
    E0248: "a literal outside the numbers of its semiring",
    E0249: "a literal with too many digits",
    E0250: "a pattern where an expression belongs",
    E0251: "a function that calls itself",
    E0252: "a number outside the semiring",
    E0253: "a declaration that is no semiring",
    E0254: "an index that nothing names",
    E0255: "an index whose range nothing gives",
    E0256: "an index without a range, read along two",
    E0257: "an operand without all of its indices",
    E0258: "arithmetic with the maximum of nothing",
    E0259: "an operator that takes all that follows",
    E0260: "what is no index notation",
    E0261: "an index that no operand has",
    E0262: "a tensor with two numbers of dimensions",
    E0263: "a sum that can be read in two ways",
    E0264: "an index with two meanings",
    E0265: "a result that is read while it is computed",
    E0266: "a result that is added to",
    E0267: "a format that an operand cannot have",
    E0268: "a format of no tensor, or a second one",
    E0269: "an index with two extents",
    E0270: "a malformed einsum string",
    E0271: "what is no layout expression",
    E0272: "an operation of layouts that is not given what it takes",
    E0273: "trees that do not fit each other",
    E0274: "a number of a layout that is out of its range",
    E0275: "a layout that is too large",
    E0276: "a composition that does not divide",
    E0277: "a composition whose modes carry",
    E0278: "a layout without a complement",
    E0279: "a layout without the inverse",
    E0280: "values that no layout has",
    E0281: "a text that is no TeIL",
    E0282: "a name without a meaning, or with two",
    E0283: "a position that is not there",
    E0284: "sizes that are not equal",
    E0285: "an index outside of its dimension",
    E0286: "a result of another shape",
    E0287: "a tensor that is read or written against its declaration",
    E0288: "elements of another type",
    E0289: "sizes that contradict each other",
    E0290: "a side condition that is not proved",
    E0291: "a term without a type",
    E0292: "a rule that does not match",
    E0293: "a law that the algebra does not have",
    E0294: "an inference that the kernel refuses",
    E0295: "a text of fluid dynamics that cannot be read",
    E0296: "an operation of fluid dynamics on other shapes",
    E0297: "a kernel that the guard cannot read",
    E0298: "a kernel that accesses what is not there",
    E0299: "a kernel that leaves entries out",
    E0300: "several results, or another number of them",
    E0301: "an unknown directive",
    E0303: "an unknown loop",
    E0304: "a loop's name that means several loops",
    E0305: "an unknown `let`",
    E0306: "arguments that a directive does not take",
    E0307: "a factor that is no positive number",
    E0308: "an unknown rule",
    E0309: "wrong arguments of a rule",
    E0310: "a theorem that applies nowhere",
    E0312: "loops that are not one nest",
    E0315: "a producer that is also read outside the loop",
    E0316: "a loop that a producer cannot be computed at",
    E0318: "nothing to peel",
    E0319: "an impossible number of lanes",
    E0320: "an unknown place to store",
    E0321: "an unknown operator",
    E0322: "a name that is taken",
    E0323: "a pattern that matches nothing",
    E0324: "a loop that is named twice",
    E0330: "a `repeat` that does not come to an end",
    E0331: "a schedule of too many steps",
    E0332: "wrong arguments for a tactic",
    E0333: "a parameter that must be a name",
    E0334: "a tactic that uses itself",
    E0335: "a name of tactics and theorems that is taken",
    E0336: "a theorem that is not proved",
    E0338: "a step that leaves too large a program",
    E0339: "a mark that points at nothing",
    E0340: "loops that cannot change places",
    E0341: "a schedule that takes too much work",
    E0342: "a theorem that reads what may not be there",
    E0343: "the old name of a directive",
    E0350: "a `let` that cannot move out",
    E0351: "a tensor that is not read there",
    E0352: "a reduction without partial sums",
    E0353: "loops that cannot be fused",
    E0354: "nothing to take apart",
    E0355: "an assumption inside another step",
    E0356: "a layout that does not fit",
    E0357: "a window that is all of a producer",
    E0360: "a `let` that cannot be padded",
    E0361: "a rounding class declared inside another step",
    E0365: "sums that are not to be factored together",
    E0366: "a sum that no factor leaves",
    E0367: "dimensions that a factored sum does not have",
    E0368: "a product without an order to choose",
    E0369: "a prefetch that has no place",
    E0370: "an operand that cannot be made sparse",
    E0371: "sparse operands that cannot be intersected",
    E0372: "a parameter that cannot be compressed",
    E0373: "a window that cannot be carried",
    E0374: "a loop whose terms cannot be gathered",
    E0375: "a loop whose results cannot be aligned",
    E0376: "an operand that a condition or an index reads",
    E0377: "no sum grows with this loop",
    E0378: "these rounds stay together",
    E0379: "a layout that is no order of a loop",
    E0380: "a loop that no device's blocks or threads can run",
    E0381: "no rounds can have this loop in them",
    E0382: "fronts that do not have what is read before it is read",
    E0383: "a tensor that is not computed element by element",
    E0384: "slices that are read and not kept",
    E0385: "a loop that is to run in two ways",
    E0390: "a `rec` that reads what is not computed yet",
    E0391: "a `rec` that is not of elements",
    E0392: "an `until` that speaks of the round",
    E0393: "a reduction that begins again for every element",
    E0394: "what complex numbers do not have",
    E0401: "a read that may be out of bounds",
    E0402: "an operator that is not applied as it requires",
    E0403: "an extent that may be negative",
    E0404: "a truncation that may drop computed elements",
    E0405: "a `sum` whose iterations would run concurrently",
    E0406: "a parallel loop inside a concurrent one",
    E0407: "memory allocated inside a vector loop",
    E0408: "a `let` that is too large for its place",
    E0409: "a result that cannot be streamed",
    E0410: "an annotation without effect in C",
    E0411: "a concurrent loop that appends to a sparse result",
    E0412: "a search whose keys may decrease",
    E0413: "a window that is not carried",
    E0414: "a result that cannot be stored over a parameter",
    E0415: "a product that is too large",
    E0416: "a law that a semiring does not have",
    E0417: "a law that is not known to hold",
    E0418: "a result whose pattern is not that of an operand",
    E0419: "a sparse operand that is traversed densely",
    E0420: "a step that cannot save work at run time",
    E0421: "operands that cannot be merged",
    E0422: "too much to lower",
    E0423: "a promise that is not proved",
    E0501: "an argument that is missing",
    E0502: "an argument that no parameter takes",
    E0503: "an argument with another number of dimensions",
    E0504: "an argument with another extent",
    E0505: "an argument of another element type",
    E0506: "sizes that a function refuses",
    E0507: "a size that nothing determines",
    E0508: "a negative size",
    E0509: "a value for a size that the function does not have",
    E0510: "an unknown function",
    E0511: "an unknown schedule",
    E0512: "a file of several functions, and none is named",
    E0513: "a schedule of another function",
    E0517: "a value outside its semiring",
    E0520: "an argument's file that cannot be read",
    E0521: "a value that its parameter cannot take",
    E0522: "a result that cannot be saved",
    E0523: "sizes for which index arithmetic overflows",
    E0527: "a name that is given two values",
    E0530: "a data file that is not written as its format says",
    E0531: "a coordinate outside of the shape",
    E0532: "two entries at one place",
    E0533: "a value that its element type does not have",
    E0534: "arrays that do not fit together",
    E0535: "a sparse tensor that is too large as an array",
    E0536: "a data file that cannot be converted",
    E0537: "a format that cannot hold a tensor",
    E0538: "a result that cannot be the next argument",
    E0539: "an iteration that does not become stable",
    E0540: "a file that is no table",
    E0541: "a field that has no value",
    E0542: "this is no SQL",
    E0543: "SQL that is not supported",
    E0544: "a name of no table or column",
    E0545: "a name of several columns or tables",
    E0546: "values of the wrong type",
    E0547: "a number that may leave 64 bits",
    E0548: "too many groups",
    E0549: "neither a key nor added up",
    E0550: "a relation that is no tensor of this type",
    E0551: "a column of numbers or dates that is text, or of numbers that are rounded",
    E0552: "several results where a call takes one",
    E0601: "a program that cannot be read",
    E0602: "a back end that this machine does not have",
    E0603: "a program that a back end does not compile",
    E0604: "loops that are no program for a device",
    E0605: "memory that cannot be allocated",
    E0607: "a kernel that failed",
    E0608: "a program that cannot be lowered",
    E0610: "a file that cannot be written",
    E0611: "a name that nothing explains",
    E0613: "sizes for a stage that holds for all sizes",
    E0614: "a function of sparse operands that is not tuned",
    E0615: "a compiler's wrong code",
    E0616: "a program that takes the C compiler too long",
    E0620: "a run that is too large to draw",
    E0621: "a command that the prompt does not know",
    E0622: "a schedule's name that cannot be used",
    E0623: "lines that cannot be read",
    E0702: "a step that may change rounding",
    E0801: "a proof file that cannot be read",
    E0802: "a proof that does not prove its claim",
    E0803: "a proof file that says something else than it proves",
    E0804: "a proof that is too large for a proof file",
    E0805: "a proof over a semiring of the program",
    E0806: "a theorem that is not exported to Rocq",
    E0807: "a theorem that Rocq has not accepted",
    E0808: "a C text that is not the loops of its proof file",
    E0901: "a proposal with another result",
    E0902: "an output that would replace the program",
}

/// The page of a code, Markdown.
pub fn explain(code: &str) -> Option<&'static str> {
    PAGES.iter().find(|page| page.code.as_str().eq_ignore_ascii_case(code)).map(|page| page.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(PAGES.windows(2).all(|pair| pair[0].code < pair[1].code));
    }

    #[test]
    fn the_table_and_the_folder_agree() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/codes");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| {
                entry.unwrap().file_name().into_string().unwrap().strip_suffix(".md").map(str::to_owned)
            })
            .filter(|name| name != "README")
            .collect();
        files.sort();
        let table: Vec<&str> = PAGES.iter().map(|page| page.code.as_str()).collect();
        assert_eq!(files, table);
    }

    #[test]
    fn every_page_has_its_parts() {
        for page in PAGES {
            let code = page.code;
            let title = format!("# {code}: {}\n", page.title);
            assert!(page.text.starts_with(&title), "{code}: the page must start with `{title}`");
            let (before, remedy) =
                page.text.split_once("\n## Remedy\n").unwrap_or_else(|| panic!("{code}: no remedy"));
            assert!(before.contains("\n```"), "{code}: no example that triggers it");
            assert!(!remedy.trim().is_empty(), "{code}: the remedy is empty");
            assert_eq!(page.text.matches("\n```").count() % 2, 0, "{code}: an unclosed fence");
        }
    }

    #[test]
    fn explain_finds_pages_by_code() {
        assert!(explain("e0104").is_some_and(|page| page.starts_with("# E0104")));
        assert_eq!(explain("E9999"), None);
        assert_eq!(explain(""), None);
    }
}
