//! The header of a `.npy` file: the literal of a Python dictionary with three entries.
//!
//! One idea: a list of tokens, read from left to right; nothing nests but the extents in their brackets, so
//! nothing recurs. What `ast.literal_eval` takes for the same dictionary is taken: quotes of both kinds, any
//! space, and the `L` that Python 2 writes behind long integers.

use super::super::Reason;

/// Headers longer than this belong to structured types, which are not read.
const MAX_HEADER: usize = 1 << 16;

/// The first bytes of a file.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// What a header says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The type of elements, as `<f4`.
    pub(super) code: String,
    /// Whether the first index varies the fastest.
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<usize>,
}

/// Splits a file into its header and its data.
pub(super) fn split(bytes: &[u8]) -> Result<(Header, &[u8]), Reason> {
    let truncated = || Reason::Corrupt("the file ends inside the .npy header".to_owned());
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or_else(|| Reason::Corrupt("not a .npy file: the magic string is missing".to_owned()))?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(truncated)?;
    let (len, rest) = match version {
        [1, 0] => {
            rest.split_first_chunk::<2>().map(|(len, rest)| (usize::from(u16::from_le_bytes(*len)), rest))
        }
        [2 | 3, 0] => {
            rest.split_first_chunk::<4>().map(|(len, rest)| (u32::from_le_bytes(*len) as usize, rest))
        }
        [major, minor] => {
            return Err(Reason::Unsupported(format!(".npy format version {major}.{minor} is not known")));
        }
    }
    .ok_or_else(truncated)?;
    if len > MAX_HEADER {
        return Err(Reason::Unsupported(format!("the .npy header of {len} bytes is too long")));
    }
    let (text, data) = rest.split_at_checked(len).ok_or_else(truncated)?;
    let text =
        std::str::from_utf8(text).map_err(|_| Reason::Corrupt("the .npy header is no text".to_owned()))?;
    Ok((parse(text)?, data))
}

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
fn parse(text: &str) -> Result<Header, Reason> {
    let mut rest = Tokens(text);
    let (mut code, mut fortran_order, mut shape) = (None, None, None);
    rest.expect("{")?;
    while !rest.take("}") {
        let key = rest.string()?;
        rest.expect(":")?;
        let repeated = match key {
            "descr" => code.replace(rest.code()?).is_some(),
            "fortran_order" => fortran_order.replace(rest.truth()?).is_some(),
            "shape" => shape.replace(rest.extents()?).is_some(),
            _ => return Err(malformed(&format!("it has a key `{}`", key.escape_debug()))),
        };
        if repeated {
            return Err(malformed(&format!("it has the key `{key}` twice")));
        }
        if !rest.take(",") {
            rest.expect("}")?;
            break;
        }
    }
    rest.end()?;
    match (code, fortran_order, shape) {
        (Some(code), Some(fortran_order), Some(shape)) => Ok(Header { code, fortran_order, shape }),
        _ => Err(malformed("`descr`, `fortran_order` or `shape` is missing")),
    }
}

fn malformed(why: &str) -> Reason {
    Reason::Corrupt(format!("the .npy header is malformed: {why}"))
}

/// What is not yet read.
struct Tokens<'a>(&'a str);

impl<'a> Tokens<'a> {
    /// Passes over the token, if it is next.
    fn take(&mut self, token: &str) -> bool {
        let next = self.0.trim_start().strip_prefix(token);
        self.0 = next.unwrap_or(self.0);
        next.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), Reason> {
        if self.take(token) { Ok(()) } else { Err(self.refuse(&format!("`{token}`"))) }
    }

    /// What is next is not what was expected.
    fn refuse(&self, expected: &str) -> Reason {
        let found: String = self.0.trim_start().chars().take(12).collect();
        malformed(&format!("expected {expected} before `{}`", found.escape_debug()))
    }

    fn end(&self) -> Result<(), Reason> {
        if self.0.trim_matches([' ', '\n', '\t', '\r', '\0']).is_empty() {
            Ok(())
        } else {
            Err(self.refuse("its end"))
        }
    }

    /// A string in quotes of either kind, with nothing in it that would have to be escaped.
    fn string(&mut self) -> Result<&'a str, Reason> {
        let rest = self.0.trim_start();
        let rest = rest.strip_prefix(['u', 'b']).filter(|rest| rest.starts_with(['\'', '"'])).unwrap_or(rest);
        let quote = rest.chars().next().filter(|first| matches!(first, '\'' | '"'));
        let found = quote.and_then(|quote| rest[1..].split_once(quote));
        let (text, rest) = found.ok_or_else(|| self.refuse("a string in quotes"))?;
        self.0 = rest;
        Ok(text)
    }

    fn code(&mut self) -> Result<String, Reason> {
        if self.0.trim_start().starts_with(['[', '(']) {
            let why = "its elements are of a structured NumPy type: save each field as an array, as by \
                       `np.save(path, a['field'])`";
            return Err(Reason::Unsupported(why.to_owned()));
        }
        self.string().map(str::to_owned)
    }

    fn truth(&mut self) -> Result<bool, Reason> {
        match (self.take("True"), self.take("False")) {
            (true, false) => Ok(true),
            (false, true) => Ok(false),
            _ => Err(self.refuse("`True` or `False`")),
        }
    }

    /// `()`, `(3,)`, `(3, 4)`, `(3L, 4L)`.
    fn extents(&mut self) -> Result<Vec<usize>, Reason> {
        let mut extents = Vec::new();
        self.expect("(")?;
        while !self.take(")") {
            let rest = self.0.trim_start();
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let extent = rest[..digits].parse().map_err(|_| self.refuse("an extent"))?;
            extents.push(extent);
            self.0 = rest[digits..].strip_prefix(['L', 'l']).unwrap_or(&rest[digits..]);
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(extents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a header says, or a part of why it is refused.
    fn check(text: &str, expected: Result<(&str, bool, &[usize]), &str>) {
        match (parse(text), expected) {
            (Ok(found), Ok((code, fortran_order, shape))) => {
                assert_eq!(
                    found,
                    Header { code: code.to_owned(), fortran_order, shape: shape.to_vec() },
                    "{text}"
                );
            }
            (Err(reason), Err(needle)) => {
                assert!(format!("{reason:?}").contains(needle), "{text}: {reason:?}")
            }
            (found, expected) => panic!("{text}: {found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn headers_as_programs_write_them() {
        let ours = Ok(("<f8", false, &[3, 4][..]));
        check("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }          \n", ours);
        check("{\"descr\": \"<f8\", \"fortran_order\": False, \"shape\": (3, 4)}\n", ours);
        check("{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 4L), }\n", ours);
        check("{u'shape':(3,4,),u'descr':u'<f8',u'fortran_order':False}", ours);
        check("  {\n 'shape' : ( 3 ,\t4 ) , 'fortran_order' : False , \"descr\" : '<f8' , }\n\n", ours);
        check("{'descr': '|u1', 'fortran_order': True, 'shape': (7,), }", Ok(("|u1", true, &[7])));
        check("{'descr': '|u1', 'fortran_order': True, 'shape': (), }", Ok(("|u1", true, &[])));
    }

    #[test]
    fn what_is_no_header_is_refused() {
        let with = |shape: &str| format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}");
        for shape in
            ["(3 4)", "[3]", "(-1,)", "(1.0,)", "(,)", "3", "(1", "('3',)", "(99999999999999999999,)"]
        {
            check(&with(shape), Err("malformed"));
        }
        check(&format!("{} x", with("(3,)")), Err("its end"));
        check(&with("(), 'order': 1"), Err("key `order`"));
        check(&with("(), 'shape': ()"), Err("key `shape` twice"));
        check("{'descr': '<f8', 'shape': ()}", Err("is missing"));
        check("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': ()}", Err("structured"));
        check("{'descr': '<f8, 'fortran_order': False, 'shape': ()}", Err("malformed"));
        check("{'descr': '<f8', 'fortran_order': 'False', 'shape': ()}", Err("`True` or `False`"));
        check("{'descr", Err("a string in quotes"));
        check("", Err("expected `{`"));
    }
}
