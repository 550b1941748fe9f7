//! The `.npy` format: a magic string, a Python dictionary literal as header, raw elements.
//!
//! One idea: the header names one of a closed list of element codes; each code is decoded into the narrowest
//! buffer type that holds all its values. Codes without such a type (complex, strings, objects, ...) are
//! refused by name. Both byte orders and both storage orders are read; the machine's order does not matter.
//! The declared size is compared with the bytes present before anything is allocated.
//!
//! A reader of our own, because the element type is known only when the file is open, and because a hostile
//! header must not reach an allocator or a recursive parser.

mod header;

use super::Reason;
use atl_runtime::shape::{element_count, show_shape};
use atl_runtime::{Buffer, DType, bf16, f16};
use atl_runtime::{Element, Kind};
use header::{Header, MAGIC};

/// Decodes a `.npy` file.
pub(super) fn read(bytes: &[u8]) -> Result<Buffer, Reason> {
    read_as(bytes, None)
}

/// The same, where elements that NumPy has no name for are of this type: it writes those of `bf16` as two
/// bytes.
pub(super) fn read_as(bytes: &[u8], wanted: Option<DType>) -> Result<Buffer, Reason> {
    let (header, data) = header::split(bytes)?;
    let (big_endian, kind) = match header.code.split_at_checked(1) {
        Some((">", kind)) => (true, kind),
        Some(("<" | "|" | "=", kind)) => (false, kind),
        _ => (false, header.code.as_str()),
    };
    let source = Source { data, big_endian, header: &header };
    match kind {
        "f4" => source.decode(f32::from_le_bytes),
        "f8" => source.decode(f64::from_le_bytes),
        "f2" => source.decode(|bytes| f16::from_bits(u16::from_le_bytes(bytes))),
        "V2" if wanted == Some(DType::BF16) => {
            source.decode(|bytes| bf16::from_bits(u16::from_le_bytes(bytes)))
        }
        "V2" => Err(Reason::Unsupported(format!(
            "elements of NumPy type `{}` are two bytes of any meaning. `ml_dtypes` writes `bf16` so: a parameter of this \
             type reads them, and so does `atl convert --type bf16`",
            header.code
        ))),
        "i1" => source.decode(i8::from_le_bytes),
        "i2" => source.decode(i16::from_le_bytes),
        "i4" => source.decode(i32::from_le_bytes),
        "i8" => source.decode(i64::from_le_bytes),
        "u1" => source.decode(u8::from_le_bytes),
        "u2" => source.decode(u16::from_le_bytes),
        "u4" => source.decode(u32::from_le_bytes),
        "u8" => source.decode(u64::from_le_bytes),
        "b1" => source.try_decode(|[byte]| match byte {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Reason::Corrupt(format!("the byte {other} is no boolean"))),
        }),
        "c8" | "c16" | "c32" => Err(Reason::Complex(format!(
            "elements of NumPy type `{}` are complex numbers, and here real ones are expected",
            header.code
        ))),
        _ => Err(Reason::Unsupported(format!(
            "elements of NumPy type `{}` are not supported; convert with `.astype` to float16, float32, float64, an \
             integer type of 8 to 64 bits, or bool",
            header.code
        ))),
    }
}

/// Decodes a `.npy` file of complex numbers into their real and their imaginary parts; of real numbers
/// these are all there is.
pub(super) fn read_complex(bytes: &[u8]) -> Result<(Buffer, Option<Buffer>), Reason> {
    let (header, data) = header::split(bytes)?;
    let (big_endian, kind) = match header.code.split_at_checked(1) {
        Some((">", kind)) => (true, kind),
        Some(("<" | "=", kind)) => (false, kind),
        _ => (false, header.code.as_str()),
    };
    let source = Source { data, big_endian, header: &header };
    // The bytes of an element are reversed as a whole, so then the imaginary part comes first.
    let [re, im] = if big_endian { [1, 0] } else { [0, 1] };
    match kind {
        "c8" => {
            let part = |k: usize| {
                source.try_decode(|bytes: [u8; 8]| {
                    let (parts, _) = bytes.as_chunks::<4>();
                    Ok(f32::from_le_bytes(parts[k]))
                })
            };
            Ok((part(re)?, Some(part(im)?)))
        }
        "c16" => {
            let part = |k: usize| {
                source.try_decode(|bytes: [u8; 16]| {
                    let (parts, _) = bytes.as_chunks::<8>();
                    Ok(f64::from_le_bytes(parts[k]))
                })
            };
            Ok((part(re)?, Some(part(im)?)))
        }
        _ => Ok((read(bytes)?, None)),
    }
}

/// Encodes real and imaginary parts, of one type and shape, as complex numbers.
pub(super) fn write_complex(re: &Buffer, im: &Buffer) -> Vec<u8> {
    let size = re.dtype().size();
    let mut bytes = write_header(&format!("<c{}", 2 * size), re.shape());
    let (re, im) = (little_endian(re), little_endian(im));
    bytes.extend(re.chunks(size).zip(im.chunks(size)).flat_map(|(re, im)| re.iter().chain(im)));
    bytes
}

/// Decodes a file of one string, of which ASCII is read.
pub(super) fn read_text(bytes: &[u8]) -> Result<String, Reason> {
    let (header, data) = header::split(bytes)?;
    let width = match header.code.trim_start_matches(['<', '|', '=']) {
        code if code.starts_with('S') => 1,
        code if code.starts_with('U') => 4,
        _ => return Err(Reason::Corrupt(format!("expected text, found elements of type `{}`", header.code))),
    };
    let text: Option<String> = data
        .chunks(width)
        .map(|character| match character {
            [byte, rest @ ..] if byte.is_ascii() && rest.iter().all(|&zero| zero == 0) => {
                Some(char::from(*byte))
            }
            _ => None,
        })
        .collect();
    text.map(|text| text.trim_end_matches('\0').to_owned())
        .ok_or_else(|| Reason::Corrupt("expected text in ASCII".to_owned()))
}

/// Encodes a string in ASCII as one element.
pub(super) fn write_text(text: &str) -> Vec<u8> {
    let mut bytes = write_header(&format!("|S{}", text.len()), &[]);
    bytes.extend(text.as_bytes());
    bytes
}

/// Encodes a buffer, format version 1.0.
pub(super) fn write(buffer: &Buffer) -> Vec<u8> {
    let mut bytes = write_header(&code(buffer.dtype()), buffer.shape());
    bytes.extend(little_endian(buffer));
    bytes
}

/// An array of these bytes, in little-endian order.
pub(super) fn elements(dtype: DType, shape: &[usize], data: &[u8]) -> Result<Buffer, Reason> {
    let mut bytes = write_header(&code(dtype), shape);
    bytes.extend(data);
    read_as(&bytes, Some(dtype))
}

/// The elements in little-endian order.
pub(super) fn little_endian(buffer: &Buffer) -> Vec<u8> {
    let bytes = buffer.as_bytes();
    if cfg!(target_endian = "little") {
        bytes.to_vec()
    } else {
        bytes.chunks(buffer.dtype().size()).flat_map(|element| element.iter().rev()).copied().collect()
    }
}

/// NumPy's code of an element type, little-endian.
fn code(dtype: DType) -> String {
    let order = if dtype.size() == 1 { '|' } else { '<' };
    let kind = match dtype.kind() {
        _ if dtype == DType::BF16 => 'V',
        Kind::Float => 'f',
        Kind::Signed => 'i',
        Kind::Unsigned => 'u',
        Kind::Truth => 'b',
    };
    format!("{order}{kind}{}", dtype.size())
}

/// All of a file before its data.
fn write_header(code: &str, shape: &[usize]) -> Vec<u8> {
    let rank = shape.len();
    let mut shape: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
    if rank != 1 {
        shape.truncate(shape.len().saturating_sub(2));
    }
    let mut header =
        format!("{{'descr': '{code}', 'fortran_order': False, 'shape': ({}), }}", shape.trim_end());
    let prefix = MAGIC.len() + 4;
    let total = (prefix + header.len() + 1).next_multiple_of(64);
    header.extend(std::iter::repeat_n(' ', total - prefix - header.len() - 1));
    header.push('\n');

    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    // The rank is bounded, so the length fits the two bytes that version 1.0 has for it.
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.into_bytes());
    bytes
}

/// The elements of a file whose header is known.
struct Source<'a> {
    data: &'a [u8],
    big_endian: bool,
    header: &'a Header,
}

impl Source<'_> {
    fn decode<const N: usize, T: Element>(&self, element: fn([u8; N]) -> T) -> Result<Buffer, Reason> {
        self.try_decode(|bytes| Ok(element(bytes)))
    }

    /// Decodes elements of `N` bytes each with a function on their little-endian form.
    fn try_decode<const N: usize, T: Element>(
        &self,
        element: impl Fn([u8; N]) -> Result<T, Reason>,
    ) -> Result<Buffer, Reason> {
        let shape = &self.header.shape;
        let count = element_count(T::DTYPE, shape)?;
        let declared = count.checked_mul(N);
        if declared != Some(self.data.len()) {
            let more = declared.is_some_and(|declared| declared < self.data.len());
            return Err(Reason::Corrupt(format!(
                "shape {} of `{}` does not match the {} bytes of data{}",
                show_shape(shape),
                self.header.code,
                self.data.len(),
                if more { "; of several arrays, `np.savez` makes an .npz file" } else { "" }
            )));
        }
        let mut stored = shape.clone();
        if self.header.fortran_order {
            stored.reverse();
        }
        let mut buffer = Buffer::zeros(T::DTYPE, &stored)?;
        let (chunks, _) = self.data.as_chunks::<N>();
        for (to, bytes) in buffer.as_mut_slice::<T>()?.iter_mut().zip(chunks) {
            let mut bytes = *bytes;
            if self.big_endian {
                bytes.reverse();
            }
            *to = element(bytes)?;
        }
        if self.header.fortran_order {
            buffer = Buffer::from_array(buffer.as_array::<T>()?.reversed_axes())?;
        }
        Ok(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_runtime::with_element;
    use proptest::prelude::*;

    /// A `.npy` file made by hand.
    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn check<T: Element>(descr: &str, order: &str, shape: &str, data: &[u8], expected: &[T]) {
        let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let buffer = read(&file(&header, data)).unwrap_or_else(|reason| panic!("{header}: {reason:?}"));
        assert_eq!(buffer.as_slice::<T>().expect("the element type"), expected, "{header}");
    }

    fn check_refused(header: &str, data: &[u8], needle: &str) {
        let reason = read(&file(header, data)).expect_err(header);
        let text = reason.at(std::path::Path::new("x.npy")).to_string();
        assert!(text.contains(needle), "{header}: {text}");
    }

    #[test]
    fn complex_numbers_in_both_byte_orders() {
        let of = |descr: &str, data: &[u8]| {
            let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,), }}\n");
            let (re, im) = read_complex(&file(&header, data)).expect("complex numbers");
            (re, im.expect("imaginary parts"))
        };
        let little: Vec<u8> = [1.0f32, -2.0, 0.5, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let big: Vec<u8> = [1.0f32, -2.0, 0.5, 3.0].iter().flat_map(|x| x.to_be_bytes()).collect();
        let double: Vec<u8> = [1.0f64, -2.0, 0.5, 3.0].iter().flat_map(|x| x.to_be_bytes()).collect();
        for (re, im) in [of("<c8", &little), of(">c8", &big)] {
            assert_eq!(re.as_slice::<f32>().expect("floats"), [1.0, 0.5]);
            assert_eq!(im.as_slice::<f32>().expect("floats"), [-2.0, 3.0]);
            assert_eq!(of("<c8", &write_complex(&re, &im)[write_complex(&re, &im).len() - 16..]), (re, im));
        }
        let (re, im) = of(">c16", &double);
        assert_eq!(re.as_slice::<f64>().expect("floats"), [1.0, 0.5]);
        assert_eq!(im.as_slice::<f64>().expect("floats"), [-2.0, 3.0]);
    }

    #[test]
    fn element_codes() {
        check("<f4", "False", "(2,)", &[0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0], &[1.0f32, -2.0]);
        check(">f4", "False", "(1,)", &[0x3f, 0x80, 0, 0], &[1.0f32]);
        check(">i2", "False", "(2,)", &[1, 0, 0xff, 0xff], &[256i16, -1]);
        check("<u2", "False", "(1,)", &[0xff, 0xff], &[65535u16]);
        check("|i1", "False", "()", &[0xfe], &[-2i8]);
        check("<u4", "False", "(1,)", &[0xff; 4], &[4294967295u32]);
        check(">u8", "False", "(1,)", &[0x80, 0, 0, 0, 0, 0, 0, 1], &[(1u64 << 63) + 1]);
        check("|b1", "False", "(2, 1)", &[0, 1], &[false, true]);
        check::<u8>("|u1", "False", "(0, 7)", &[], &[]);
        check(
            "<f2",
            "False",
            "(4,)",
            &[0, 0x3c, 0, 0xc1, 1, 0, 0, 0x7c],
            &[1.0, -2.5, 2f64.powi(-24), f64::INFINITY].map(f16::from_f64),
        );
        check(">f2", "False", "(1,)", &[0x3c, 0], &[f16::from_f64(1.0)]);
    }

    /// As `ml_dtypes` has NumPy write them.
    #[test]
    fn two_bytes_without_a_name_are_bf16_where_that_is_wanted() {
        let buffer = Buffer::from_slice(&[1.0, -2.5].map(bf16::from_f64), &[2]).expect("small");
        let bytes = write(&buffer);
        assert!(bytes.windows(4).any(|text| text == b"'<V2"));
        assert_eq!(read_as(&bytes, Some(DType::BF16)).expect("wanted"), buffer);
        let header = "{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }\n";
        check_refused(header, &[0x80, 0x3f], "`bf16`");
        assert!(read_as(&bytes, Some(DType::F32)).is_err());
    }

    #[test]
    fn texts() {
        let check = |bytes: &[u8], expected: Option<&str>| {
            assert_eq!(read_text(bytes).ok().as_deref(), expected);
        };
        check(&write_text("csr"), Some("csr"));
        let wide = "{'descr': '<U3', 'fortran_order': False, 'shape': (), }\n";
        check(&file(wide, b"d\0\0\0i\0\0\0\0\0\0\0"), Some("di"));
        check(&file(wide, b"d\0\0\0i\x01\0\0"), None);
        check(&write(&Buffer::zeros(DType::U8, &[]).expect("small")), None);
    }

    #[test]
    fn fortran_order_becomes_row_major() {
        check("|u1", "True", "(2, 3)", &[1, 4, 2, 5, 3, 6], &[1u8, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn what_cannot_be_held_is_refused() {
        let header = |descr: &str, shape: &str| {
            format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n")
        };
        check_refused(&header("'<c8'", "(1,)"), &[0; 8], "`<c8`");
        check_refused(&header("'|O'", "(1,)"), &[0; 8], "`|O`");
        check_refused(&header("[('a', '<f4')]", "(1,)"), &[0; 4], "structured");
        check_refused(&header("'|b1'", "(1,)"), &[2], "no boolean");
        check_refused(&header("'<f4'", "(2,)"), &[0; 4], "does not match");
        check_refused(&header("'<f4'", "(1000000000000,)"), &[0; 4], "does not match");
        check_refused(&header("'<f4'", "(18446744073709551615, 2)"), &[0; 4], "address space");
        check_refused(&header("'<f4'", &format!("({})", "1, ".repeat(65))), &[0; 4], "65 dimensions");
        check_refused(&header("'<f4'", "(-1,)"), &[0; 4], "malformed");
        check_refused(&header("'<f4', 'descr': '<f8'", "(1,)"), &[0; 4], "malformed");
    }

    fn buffers() -> impl Strategy<Value = Buffer> {
        let shape = proptest::collection::vec(0usize..5, 0..4);
        (shape, proptest::sample::select(DType::ALL.to_vec()), any::<u64>()).prop_map(
            |(shape, dtype, seed)| {
                let count: usize = shape.iter().product();
                let bits: Vec<u8> =
                    (0..count as u64).map(|i| u8::from(seed.rotate_left(i as u32 % 64) & 1 == 1)).collect();
                Buffer::from_slice(&bits, &shape)
                    .expect("small")
                    .convert(dtype)
                    .expect("0 and 1 are everywhere")
            },
        )
    }

    proptest! {
        #[test]
        fn writing_and_reading_is_the_identity(buffer in buffers()) {
            let bytes = write(&buffer);
            let header = bytes.len() - buffer.len() * buffer.dtype().size();
            prop_assert_eq!(header % 64, 0);
            prop_assert_eq!(read_as(&bytes, Some(buffer.dtype())).expect("well-formed"), buffer);
        }
    }

    #[test]
    fn the_greatest_shape_is_written_in_version_1() {
        let mut shape = [1; atl_runtime::MAX_RANK];
        shape[0] = 0;
        shape[1] = isize::MAX as usize;
        let buffer = Buffer::zeros(DType::U8, &shape).expect("empty");
        assert_eq!(read(&write(&buffer)).expect("well-formed"), buffer);
    }

    #[test]
    fn every_element_type_keeps_its_type() {
        for dtype in DType::ALL {
            let buffer = Buffer::zeros(dtype, &[2, 1]).expect("small");
            let read = read_as(&write(&buffer), Some(dtype)).expect("read");
            with_element!(dtype, T => assert!(read.as_slice::<T>().is_ok()));
        }
    }
}
