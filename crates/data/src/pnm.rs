//! Portable pixmaps: PGM and PPM, in bytes or in text.
//!
//! One idea: a text of a few numbers, then samples, kept as the file has them: `u8` where the greatest is at
//! most 255, else `u16`. Gray is `[H, W]`, colour `[H, W, 3]`. Nothing is scaled by the greatest sample that
//! the file declares.

use super::Reason;
use super::image::{Depth, Picture};
use atl_runtime::Buffer;

/// What the first two bytes say.
const KINDS: [(&[u8; 2], usize, bool); 4] =
    [(b"P2", 1, false), (b"P3", 3, false), (b"P5", 1, true), (b"P6", 3, true)];

/// The bytes that have not been read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    /// The next number; white space and comments before it are skipped.
    fn number(&mut self, what: &str) -> Result<usize, Reason> {
        loop {
            match self.0 {
                [b'#', ..] => {
                    let end = self.0.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                    self.0 = &self.0[end.unwrap_or(self.0.len())..];
                }
                [space, rest @ ..] if space.is_ascii_whitespace() => self.0 = rest,
                _ => break,
            }
        }
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.0.split_at(digits);
        let number = std::str::from_utf8(number).ok().and_then(|text| text.parse().ok());
        let number = number.ok_or_else(|| Reason::Corrupt(format!("expected {what}, a whole number")))?;
        self.0 = rest;
        Ok(number)
    }
}

/// Decodes a picture.
pub(super) fn read(bytes: &[u8]) -> Result<Buffer, Reason> {
    let kind = KINDS.iter().find(|(magic, ..)| bytes.starts_with(*magic));
    let Some((_, channels, binary)) = kind else {
        return Err(match bytes {
            [b'P', b'1' | b'4' | b'7', ..] => Reason::Unsupported(
                "bitmaps (P1, P4) and PAM files (P7) are not read: write a .pgm or .ppm, which begin with P2, P3, P5 or P6"
                    .to_owned(),
            ),
            _ => Reason::Corrupt("a .pgm or .ppm file begins with P2, P3, P5 or P6".to_owned()),
        });
    };
    let mut rest = Rest(&bytes[2..]);
    let (width, height) = (rest.number("the width")?, rest.number("the height")?);
    let greatest = rest.number("the greatest sample")?;
    if !(1..=65535).contains(&greatest) {
        return Err(Reason::Corrupt(format!(
            "the greatest sample is from 1 to 65535, and this is {greatest}"
        )));
    }
    let count = width.checked_mul(height).and_then(|count| count.checked_mul(*channels));
    let size = if greatest < 256 { 1 } else { 2 };
    let shape: &[usize] = if *channels == 1 { &[height, width] } else { &[height, width, 3] };
    let truncated =
        || Reason::Corrupt(format!("the file ends before {width} x {height} pixels are complete"));
    // A sample takes at least a byte.
    let count = count.filter(|count| *count <= rest.0.len()).ok_or_else(truncated)?;
    let samples: Vec<u16> = if *binary {
        let data = rest.0.get(1..).filter(|data| data.len() / size >= count).ok_or_else(truncated)?;
        match size {
            1 => data[..count].iter().map(|sample| u16::from(*sample)).collect(),
            _ => data.as_chunks::<2>().0[..count].iter().map(|sample| u16::from_be_bytes(*sample)).collect(),
        }
    } else {
        let sample = |_| u16::try_from(rest.number("a sample")?).map_err(|_| above(greatest));
        (0..count).map(sample).collect::<Result<_, _>>()?
    };
    if samples.iter().any(|sample| usize::from(*sample) > greatest) {
        return Err(above(greatest));
    }
    Ok(match size {
        1 => Buffer::from_vec(samples.into_iter().map(|sample| sample as u8).collect(), shape)?,
        _ => Buffer::from_vec(samples, shape)?,
    })
}

fn above(greatest: usize) -> Reason {
    Reason::Corrupt(format!("a sample is above {greatest}, which the file declares to be the greatest"))
}

/// Encodes a picture.
pub(super) fn write(picture: &Picture) -> Vec<u8> {
    let magic = if picture.is_gray { "P5" } else { "P6" };
    let greatest = picture.depth.greatest();
    let mut bytes = format!("{magic}\n{} {}\n{greatest}\n", picture.width, picture.height).into_bytes();
    match picture.depth {
        Depth::Eight => bytes.extend(&picture.samples),
        Depth::Sixteen => {
            let samples = picture.samples.as_chunks::<2>().0.iter();
            bytes.extend(samples.flat_map(|sample| u16::from_ne_bytes(*sample).to_be_bytes()));
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_refused(text: &[u8], needle: &str) {
        let reason = format!("{:?}", read(text).expect_err("refused"));
        assert!(reason.contains(needle), "{reason}");
    }

    #[test]
    fn samples_are_kept() {
        let text = read(b"P2 # gray\n3 1\n# most\n7\n0 3 7\n").expect("a picture");
        assert_eq!((text.shape(), text.as_slice::<u8>().expect("u8")), (&[1, 3][..], &[0, 3, 7][..]));
        let colour = read(b"P6\n1 1\n255\n\x01\x02\xff").expect("a picture");
        assert_eq!(
            (colour.shape(), colour.as_slice::<u8>().expect("u8")),
            (&[1, 1, 3][..], &[1, 2, 255][..])
        );
        let wide = read(b"P5 2 1 1000\n\x03\xe8\x00\x07").expect("a picture");
        assert_eq!(wide.as_slice::<u16>().expect("u16"), [1000, 7]);
        // The first sample is the character of a digit.
        assert_eq!(read(b"P5 1 1 255\n5").expect("a picture").as_slice::<u8>().expect("u8"), [b'5']);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        check_refused(b"", "begins with");
        check_refused(b"P4\n8 1\n\xff", "bitmaps");
        check_refused(b"P5\n2 2\n255\nabc", "ends before");
        check_refused(b"P5\n4000000000 4000000000\n255\nabc", "ends before");
        check_refused(b"P5\n99999999999999999999 1\n255\nabc", "the width");
        check_refused(b"P5\n1 1\n70000\nabc", "70000");
        check_refused(b"P5\n1 1\n7\n\x08", "above 7");
        check_refused(b"P2\n1 1\n7\nx", "a sample");
    }
}
