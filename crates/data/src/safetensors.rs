//! The `.safetensors` format: a header in JSON, then the elements of each tensor.
//!
//! One idea: find the tensor in the header and take its bytes. As of archives, a file without a name in the
//! path must hold one tensor.

use super::{Reason, npy};
use atl_runtime::{Buffer, DType};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// More dimensions than any array has.
const MAX_RANK: usize = 64;

/// The names of element types.
const DTYPES: [(&str, DType); 13] = [
    ("F16", DType::F16),
    ("BF16", DType::BF16),
    ("F32", DType::F32),
    ("F64", DType::F64),
    ("I8", DType::I8),
    ("I16", DType::I16),
    ("I32", DType::I32),
    ("I64", DType::I64),
    ("U8", DType::U8),
    ("U16", DType::U16),
    ("U32", DType::U32),
    ("U64", DType::U64),
    ("BOOL", DType::Bool),
];

fn corrupt(why: &str) -> Reason {
    Reason::Corrupt(format!("damaged file of tensors: {why}"))
}

/// The header, and the bytes after it.
fn split(bytes: &[u8]) -> Result<(Map<String, Value>, &[u8]), Reason> {
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
        return Err(corrupt("it has fewer than 8 bytes"));
    };
    let length = u64::from_le_bytes(*length);
    let header = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
    let (header, data) = header
        .ok_or_else(|| corrupt(&format!("its header has {length} bytes, and {} are left", rest.len())))?;
    match serde_json::from_slice(header) {
        Ok(Value::Object(tensors)) => match repeated_key(header) {
            Some(key) => Err(corrupt(&format!("its header has the key `{key}` twice"))),
            None => Ok((tensors, data)),
        },
        Ok(_) => Err(corrupt("its header is no JSON object")),
        Err(error) => Err(corrupt(&format!("its header is no JSON: {error}"))),
    }
}

/// A key that an object in this JSON text has twice, of which a reader keeps one without a word.
fn repeated_key(json: &[u8]) -> Option<String> {
    let (mut around, mut text, mut at) = (Vec::new(), 0..0, 0);
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => {
                let start = at;
                at += 1;
                while *json.get(at)? != b'"' {
                    at += if json[at] == b'\\' { 2 } else { 1 };
                }
                text = start..at + 1;
            }
            b'{' => around.push(BTreeSet::new()),
            b'}' => _ = around.pop(),
            // What stands before it is a key, whose escapes may hide that it is one of those before.
            b':' => {
                let key: String = serde_json::from_slice(&json[text.clone()]).ok()?;
                if !around.last_mut()?.insert(key.clone()) {
                    return Some(key);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// A field that is a list of natural numbers.
fn naturals(tensor: &Value, field: &str) -> Option<Vec<usize>> {
    let numbers = tensor.get(field)?.as_array()?.iter();
    numbers.map(|n| n.as_u64().and_then(|n| usize::try_from(n).ok())).collect()
}

/// Do two tensors have bytes in common?
fn overlap(tensors: &Map<String, Value>) -> bool {
    let places = tensors.values().filter_map(|tensor| naturals(tensor, "data_offsets"));
    let mut places: Vec<Vec<usize>> =
        places.filter(|place| place.len() == 2 && place[0] < place[1]).collect();
    places.sort();
    places.windows(2).any(|pair| pair[1][0] < pair[0][1])
}

/// Decodes the tensor called `member`, or the only one.
pub(super) fn read(bytes: &[u8], member: Option<&str>) -> Result<Buffer, Reason> {
    let (mut tensors, data) = split(bytes)?;
    tensors.retain(|name, _| name != "__metadata__");
    if overlap(&tensors) {
        return Err(corrupt("two of its tensors have bytes in common"));
    }
    let names: Vec<String> = tensors.keys().take(12).map(|name| format!("`{name}`")).collect();
    let more = if tensors.len() > names.len() { " and more" } else { "" };
    let holds = format!("the file holds {}{more}", names.join(", "));
    let (name, tensor) = match member {
        Some(name) => tensors.get_key_value(name),
        None if tensors.len() == 1 => tensors.iter().next(),
        None if tensors.is_empty() => return Err(Reason::Unsupported("the file holds no tensor".to_owned())),
        None => {
            return Err(Reason::Unsupported(format!(
                "name one of the tensors as FILE.safetensors:NAME; {holds}"
            )));
        }
    }
    .ok_or_else(|| {
        Reason::Unsupported(format!("there is no tensor `{}`; {holds}", member.unwrap_or_default()))
    })?;
    let code = tensor.get("dtype").and_then(Value::as_str).unwrap_or_default();
    let Some((_, dtype)) = DTYPES.iter().find(|(known, _)| *known == code) else {
        return Err(Reason::Unsupported(format!(
            "`{name}` has elements of type `{code}`, which are not read: convert them to F32 before"
        )));
    };
    let naturals = |field: &str| naturals(tensor, field);
    let wrong = |what: &str| corrupt(&format!("`{what}` of `{name}` is no list of natural numbers"));
    let shape = naturals("shape").filter(|shape| shape.len() <= MAX_RANK).ok_or_else(|| wrong("shape"))?;
    let offsets = naturals("data_offsets").ok_or_else(|| wrong("data_offsets"))?;
    let content = match offsets[..] {
        [from, to] => data.get(from..to),
        _ => None,
    };
    let content = content.ok_or_else(|| {
        corrupt(&format!("`data_offsets` of `{name}` are {offsets:?}, and there are {} bytes", data.len()))
    })?;
    npy::elements(*dtype, &shape, content)
}

/// Encodes one tensor of this name.
pub(super) fn write(buffer: &Buffer, name: &str) -> Vec<u8> {
    let data = npy::little_endian(buffer);
    let code = DTYPES.iter().find(|(_, dtype)| *dtype == buffer.dtype()).map_or("U8", |(code, _)| code);
    let tensor = json!({ "dtype": code, "shape": buffer.shape(), "data_offsets": [0, data.len()] });
    let mut header = json!({ name: tensor }).to_string().into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header);
    bytes.extend(data);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
    }

    #[test]
    fn keys_that_are_there_twice_are_refused() {
        let one = r#"{"dtype":"U8","shape":[2],"data_offsets":[0,2]}"#;
        let reason =
            |header: String| format!("{:?}", read(&file(&header, &[1, 2]), Some("x")).expect_err("twice"));
        for (header, key) in [
            (format!(r#"{{"x":{one},"x":{one}}}"#), "`x`"),
            (format!(r#"{{"x":{one}, "\u0078" :{one}}}"#), "`x`"),
            (format!(r#"{{"x":{}}}"#, one.replace("\"shape\"", "\"dtype\":\"I8\",\"shape\"")), "`dtype`"),
            (format!(r#"{{"__metadata__":{{"a":":","b":"{{","a":""}},"x":{one}}}"#), "`a`"),
        ] {
            let reason = reason(header);
            assert!(reason.contains("twice") && reason.contains(key), "{reason}");
        }
        let apart = format!(r#"{{"__metadata__":{{"x":"\"x\":","y":"x"}},"x":{one}}}"#);
        assert_eq!(
            read(&file(&apart, &[1, 2]), Some("x")).expect("read").as_slice::<u8>().expect("u8"),
            [1, 2]
        );
    }

    #[test]
    fn tensors_are_found_by_their_names() {
        let header = r#"{"__metadata__":{"k":"v"},"a":{"dtype":"I16","shape":[2],"data_offsets":[0,4]},
            "b":{"dtype":"U8","shape":[],"data_offsets":[4,5]}}"#;
        let bytes = file(header, &[1, 0, 255, 255, 9]);
        assert_eq!(read(&bytes, Some("a")).expect("read").as_slice::<i16>().expect("i16"), [1, -1]);
        assert_eq!(read(&bytes, Some("b")).expect("read").as_slice::<u8>().expect("u8"), [9]);
        let reason = format!("{:?}", read(&bytes, None).expect_err("two"));
        assert!(reason.contains("`a`, `b`"), "{reason}");
        assert!(read(&bytes, Some("c")).is_err());
    }

    #[test]
    fn every_element_type_is_written() {
        for dtype in DType::ALL {
            let buffer = Buffer::zeros(dtype, &[2, 3]).expect("small");
            assert_eq!(read(&write(&buffer, "x"), None).expect("read"), buffer);
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let check = |bytes: &[u8], needle: &str| {
            let reason = format!("{:?}", read(bytes, None).expect_err("refused"));
            assert!(reason.contains(needle), "{reason}");
        };
        check(b"", "8 bytes");
        check(&[255; 9], "are left");
        check(&file("[]", &[]), "JSON object");
        check(&file("{", &[]), "no JSON");
        check(&file("{}", &[]), "no tensor");
        let one = |fields: &str| file(&format!("{{\"x\":{{{fields}}}}}"), &[0; 4]);
        check(&one(r#""dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]"#), "F8_E4M3");
        check(&one(r#""dtype":"F32","shape":[-1],"data_offsets":[0,4]"#), "shape");
        check(&one(r#""dtype":"F32","shape":[1],"data_offsets":[0,5]"#), "offsets");
        check(&one(r#""dtype":"F32","shape":[1],"data_offsets":[4,0]"#), "offsets");
        let two = r#"{"x":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"y":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}"#;
        check(&file(two, &[0; 4]), "in common");
        check(&one(r#""dtype":"F32","shape":[2],"data_offsets":[0,4]"#), "does not match");
        check(&one(r#""dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]"#), "");
    }
}
