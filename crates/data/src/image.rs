//! Images: PNG and JPEG as arrays of samples.
//!
//! One idea: samples are numbers, kept as the file has them. Eight-bit samples are `u8` 0..255; sixteen-bit
//! samples are `u16` 0..65535; nothing is scaled to [0, 1] or back. Gray is `[H, W]`, colour `[H, W, 3]`;
//! palettes are resolved; alpha is dropped, and said so. An image is decoded by its content, so a PNG named
//! `.jpg` is still read.
//!
//! On the way out an array of integers beyond 255 has sixteen-bit samples where the file can hold them, in
//! PNG, so that what was read is written. Every other sample has eight bits: numbers are clamped to 0..255,
//! and said so; floats are rounded half to even; `bool` becomes 0 and 255, so that a mask can be seen; a NaN
//! has no sample and is refused. JPEG is lossy (quality 90): what is loaded again is near what was saved, not
//! equal to it.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{DynamicImage, ExtendedColorType, ImageEncoder, ImageFormat, ImageReader, Limits};

use super::Reason;
use atl_runtime::convert::{Number, index_of};
use atl_runtime::shape::show_shape;
use atl_runtime::{Buffer, DType};

/// The file format of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Png,
    Jpeg,
    Pnm,
}

/// What an array is as an image.
pub(super) struct Picture {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) is_gray: bool,
    pub(super) depth: Depth,
    /// In the machine's order of bytes.
    pub(super) samples: Vec<u8>,
}

/// The most memory that decoding may take: a small file can declare a very large image.
const MAX_DECODED: u64 = 1 << 30;

/// The quality of written JPEG files, of 100.
const JPEG_QUALITY: u8 = 90;

/// Decodes an image; `notes` learns what was left out.
pub(super) fn read(bytes: &[u8], encoding: Encoding, notes: &mut Vec<String>) -> Result<Buffer, Reason> {
    let corrupt = |error: &dyn std::fmt::Display| Reason::Corrupt(format!("damaged image: {error}"));
    let named = match encoding {
        Encoding::Png => ImageFormat::Png,
        Encoding::Jpeg => ImageFormat::Jpeg,
        Encoding::Pnm => return super::pnm::read(bytes),
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), named)
        .with_guessed_format()
        .map_err(|error| corrupt(&error))?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_DECODED);
    reader.limits(limits);
    let image = reader.decode().map_err(|error| corrupt(&error))?;
    if image.color().has_alpha() {
        notes.push("the alpha channel is not part of the array".to_owned());
    }
    let (height, width) = (image.height() as usize, image.width() as usize);
    let (gray, colour) = ([height, width], [height, width, 3]);
    Ok(match image {
        DynamicImage::ImageLuma8(_) | DynamicImage::ImageLumaA8(_) => {
            Buffer::from_vec(image.into_luma8().into_raw(), &gray)?
        }
        DynamicImage::ImageRgb8(_) | DynamicImage::ImageRgba8(_) => {
            Buffer::from_vec(image.into_rgb8().into_raw(), &colour)?
        }
        DynamicImage::ImageLuma16(_) | DynamicImage::ImageLumaA16(_) => {
            Buffer::from_vec(image.into_luma16().into_raw(), &gray)?
        }
        DynamicImage::ImageRgb16(_) | DynamicImage::ImageRgba16(_) => {
            Buffer::from_vec(image.into_rgb16().into_raw(), &colour)?
        }
        other => {
            return Err(Reason::Unsupported(format!(
                "images with samples of kind {:?} are not read",
                other.color()
            )));
        }
    })
}

/// Encodes an image; `notes` learns what was changed.
pub(super) fn write(buffer: &Buffer, encoding: Encoding, notes: &mut Vec<String>) -> Result<Vec<u8>, Reason> {
    let (height, width, is_gray) = match *buffer.shape() {
        [height, width] => (height, width, true),
        [height, width, 3] => (height, width, false),
        _ => {
            return Err(Reason::Unsupported(format!(
                "an array of shape {} is no image; images have the shape [H, W] or [H, W, 3]",
                show_shape(buffer.shape())
            )));
        }
    };
    let (Ok(height), Ok(width)) = (u32::try_from(height), u32::try_from(width)) else {
        return Err(Reason::Unsupported(format!("an image of {height} x {width} is too large")));
    };
    if buffer.is_empty() {
        return Err(Reason::Unsupported("an image without pixels cannot be written".to_owned()));
    }
    let depth = Depth::of(buffer, encoding);
    let samples = samples(buffer, depth, notes)?;
    let colour = match (depth, is_gray) {
        (Depth::Eight, true) => ExtendedColorType::L8,
        (Depth::Eight, false) => ExtendedColorType::Rgb8,
        (Depth::Sixteen, true) => ExtendedColorType::L16,
        (Depth::Sixteen, false) => ExtendedColorType::Rgb16,
    };
    let mut bytes = Vec::new();
    let encoded = match encoding {
        Encoding::Pnm => return Ok(super::pnm::write(&Picture { width, height, is_gray, depth, samples })),
        Encoding::Png => PngEncoder::new(&mut bytes).write_image(&samples, width, height, colour),
        Encoding::Jpeg => JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY)
            .write_image(&samples, width, height, colour),
    };
    encoded.map_err(|error| Reason::Unsupported(format!("the image cannot be written: {error}")))?;
    Ok(bytes)
}

/// How many bits a sample has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    Eight,
    Sixteen,
}

impl Depth {
    /// Sixteen bits for integers beyond 255, where the file may have them.
    fn of(buffer: &Buffer, encoding: Encoding) -> Depth {
        let is_wide = |position| match buffer.number_at(position) {
            Some(Number::Int(value)) => value > 255,
            Some(Number::Float(_)) | None => false,
        };
        let is_integer = buffer.dtype().is_integer();
        let has_wide = || buffer.dtype() == DType::U16 || (0..buffer.len()).any(is_wide);
        match encoding != Encoding::Jpeg && is_integer && has_wide() {
            true => Depth::Sixteen,
            false => Depth::Eight,
        }
    }

    pub(super) fn greatest(self) -> u16 {
        match self {
            Depth::Eight => u16::from(u8::MAX),
            Depth::Sixteen => u16::MAX,
        }
    }
}

/// Every element as a sample, in the machine's order of bytes.
fn samples(buffer: &Buffer, depth: Depth, notes: &mut Vec<String>) -> Result<Vec<u8>, Reason> {
    let (scale, greatest) = (if buffer.dtype() == DType::Bool { 255 } else { 1 }, depth.greatest());
    let (mut clamped, mut fractions, mut above_one, mut above_byte) = (0usize, false, false, false);
    let mut bytes = Vec::with_capacity(buffer.len());
    for position in 0..buffer.len() {
        let (value, is_inside) = match buffer.number_at(position) {
            Some(Number::Int(value)) => {
                let value = value * scale;
                (value.clamp(0, greatest.into()) as u16, (0..=greatest.into()).contains(&value))
            }
            Some(Number::Float(value)) if !value.is_nan() => {
                let limit = f64::from(greatest);
                fractions |= value.fract() != 0.0;
                above_one |= value > 1.0;
                above_byte |= value > 255.5;
                (value.clamp(0.0, limit).round_ties_even() as u16, (0.0..=limit).contains(&value))
            }
            Some(Number::Float(_)) | None => {
                return Err(Reason::Unsupported(format!(
                    "the element at {:?} is NaN, which is no pixel value",
                    index_of(position, buffer.shape())
                )));
            }
        };
        clamped += usize::from(!is_inside);
        match depth {
            Depth::Eight => bytes.push(value as u8),
            Depth::Sixteen => bytes.extend(value.to_ne_bytes()),
        }
    }
    if clamped > 0 {
        let len = buffer.len();
        let wider = if above_byte { "; integers above 255, as of u16, have 16 bits in .png" } else { "" };
        notes.push(format!(
            "{clamped} of {len} samples were below 0 or above {greatest}, and were clamped{wider}"
        ));
    } else if fractions && !above_one {
        notes.push(
            "all samples are from 0 to 1, and those of an image from 0 to 255: multiply by 255".to_owned(),
        );
    }
    if depth == Depth::Sixteen {
        let why = if buffer.dtype() == DType::U16 { "as of u16" } else { "as some are above 255" };
        notes.push(format!("samples have 16 bits, {why}"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_runtime::Element;

    /// A row of elements becomes these samples, and the PNG is read back as them; a part of what was said, if
    /// anything was.
    fn check<T: Element>(elements: &[T], expected: &[i64], note: &str) {
        let buffer = Buffer::from_slice(elements, &[1, elements.len()]).expect("small");
        let mut notes = Vec::new();
        let bytes = write(&buffer, Encoding::Png, &mut notes).expect("an image");
        let is_said = if note.is_empty() { notes.is_empty() } else { notes.join("; ").contains(note) };
        assert!(is_said, "{notes:?}, expected {note}");
        let read = read(&bytes, Encoding::Png, &mut Vec::new()).expect("an image");
        assert_eq!(read.shape(), [1, elements.len()]);
        assert_eq!(read.convert(DType::I64).expect("samples").as_slice::<i64>().expect("i64"), expected);
    }

    fn encode(samples: &[u8], colour: ExtendedColorType) -> Vec<u8> {
        let mut bytes = Vec::new();
        PngEncoder::new(&mut bytes).write_image(samples, 2, 1, colour).expect("an image");
        bytes
    }

    #[test]
    fn elements_become_samples() {
        check(&[0u8, 7, 255], &[0, 7, 255], "");
        check(&[0i32, 7, 255], &[0, 7, 255], "");
        check(&[0.5f32, 1.5, 2.5, 254.5], &[0, 2, 2, 254], "");
        check(&[0.0f64, 1.0, 1.0], &[0, 1, 1], "");
        check(&[false, true], &[0, 255], "");
    }

    #[test]
    fn integers_beyond_a_byte_have_sixteen_bits() {
        check(&[256i32, 65535, 0], &[256, 65535, 0], "samples have 16 bits");
        check(&[40000i64, 1], &[40000, 1], "samples have 16 bits");
        check(&[7u16, 1], &[7, 1], "samples have 16 bits");
        check(&[7u64, 1], &[7, 1], "");
        check(&[-1i8, 1], &[0, 1], "1 of 2 samples");
        check(&[-3i32, 300], &[0, 300], "1 of 2 samples were below 0 or above 65535");
        check(&[-3i64, 65536, i64::MAX], &[0, 65535, 65535], "3 of 3 samples");
    }

    #[test]
    fn what_is_changed_is_said() {
        check(&[-1i32, 3], &[0, 3], "1 of 2 samples were below 0 or above 255");
        check(&[0.5f32, -1.0, f32::INFINITY], &[0, 0, 255], "2 of 3 samples");
        check(&[255.25f64, 1.0], &[255, 1], "1 of 2 samples");
        check(&[0.25f64, 1.0], &[0, 1], "multiply by 255");
        let mut notes = Vec::new();
        let wide = Buffer::from_slice(&[4000i32, 7], &[1, 2]).expect("small");
        write(&wide, Encoding::Jpeg, &mut notes).expect("an image");
        assert!(notes[0].contains("1 of 2 samples"), "{notes:?}");
    }

    #[test]
    fn arrays_that_are_no_images_are_refused() {
        for shape in [&[4][..], &[2, 2, 2], &[0, 3], &[1, 2, 3, 1]] {
            let buffer = Buffer::zeros(DType::U8, shape).expect("small");
            assert!(write(&buffer, Encoding::Png, &mut Vec::new()).is_err(), "{shape:?}");
        }
        let nan = Buffer::from_slice(&[0.0, f64::NAN], &[1, 2]).expect("small");
        assert!(format!("{:?}", write(&nan, Encoding::Png, &mut Vec::new())).contains("[0, 1]"));
    }

    #[test]
    fn alpha_is_dropped_and_noted() {
        let mut notes = Vec::new();
        let bytes = encode(&[1, 2, 3, 128, 4, 5, 6, 255], ExtendedColorType::Rgba8);
        let buffer = read(&bytes, Encoding::Png, &mut notes).expect("an image");
        assert_eq!(buffer.as_slice::<u8>().expect("u8"), [1, 2, 3, 4, 5, 6]);
        assert_eq!(notes.len(), 1);
    }

    #[test]
    fn sixteen_bit_samples_keep_their_values() {
        let samples: Vec<u8> = [258u16, 65535].iter().flat_map(|sample| sample.to_ne_bytes()).collect();
        let buffer =
            read(&encode(&samples, ExtendedColorType::L16), Encoding::Png, &mut Vec::new()).expect("read");
        assert_eq!(buffer.as_slice::<u16>().expect("u16"), [258, 65535]);
    }

    #[test]
    fn a_small_file_that_declares_a_huge_image_is_refused() {
        let gray = Buffer::zeros(DType::U8, &[8, 8]).expect("small");
        let mut jpeg = write(&gray, Encoding::Jpeg, &mut Vec::new()).expect("an image");
        // The frame header: marker, length, precision, height, width.
        let frame = jpeg.windows(2).position(|marker| marker == [0xff, 0xc0]).expect("a baseline JPEG");
        jpeg[frame + 5..frame + 9].fill(0xff);
        let reason = read(&jpeg, Encoding::Jpeg, &mut Vec::new()).expect_err("65535 x 65535");
        assert!(format!("{reason:?}").contains("limit"), "{reason:?}");
    }

    #[test]
    fn jpeg_is_near() {
        let colours: Vec<u8> = (0..8 * 8).flat_map(|_| [200, 100, 50]).collect();
        let buffer = Buffer::from_slice(&colours, &[8, 8, 3]).expect("small");
        let bytes = write(&buffer, Encoding::Jpeg, &mut Vec::new()).expect("an image");
        // The name says PNG; the content decides.
        let read = read(&bytes, Encoding::Png, &mut Vec::new()).expect("an image");
        assert_eq!(read.shape(), [8, 8, 3]);
        for (found, expected) in read.as_slice::<u8>().expect("u8").iter().zip(&colours) {
            assert!(found.abs_diff(*expected) <= 3, "{found} for {expected}");
        }
    }
}
