//! Sound: WAV files of samples that are not compressed.
//!
//! One idea: samples are numbers, kept as the file has them: `u8`, `i16` and `i32` (24 bits are widened),
//! `f32` and `f64`. One channel is a vector, several are `[frames, channels]`. An array has no sampling rate:
//! the one of a file is told, and a file that is written has the usual one.

use super::Reason;
use super::npy;
use atl_runtime::shape::show_shape;
use atl_runtime::{Buffer, DType};

/// The rate of files that are written, in samples a second.
const RATE: u32 = 44_100;

/// What a file says of its samples.
struct Format {
    is_float: bool,
    channels: usize,
    rate: u32,
    bits: u16,
}

/// Decodes a sound; `notes` learns its sampling rate.
pub(super) fn read(bytes: &[u8], notes: &mut Vec<String>) -> Result<Buffer, Reason> {
    let corrupt = |why: &str| Reason::Corrupt(format!("damaged sound: {why}"));
    if !(bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WAVE")) {
        return Err(corrupt("a .wav file begins with `RIFF` and `WAVE`"));
    }
    let mut rest = &bytes[12..];
    let mut format = None;
    let data = loop {
        let Some((head, after)) = rest.split_at_checked(8) else {
            return Err(corrupt("it ends before its samples, a chunk `data`"));
        };
        let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let Some(content) = after.get(..length) else {
            let name = String::from_utf8_lossy(&head[..4]).into_owned();
            return Err(corrupt(&format!(
                "the chunk `{name}` has {length} bytes, and {} are left",
                after.len()
            )));
        };
        match &head[..4] {
            b"fmt " => format = Some(described(content)?),
            b"data" => break content,
            _ => {}
        }
        // Chunks begin at even places.
        rest = after.get(length + length % 2..).unwrap_or_default();
    };
    let format = format.ok_or_else(|| corrupt("its samples come before what they are, a chunk `fmt `"))?;
    let dtype = match (format.is_float, format.bits) {
        (false, 8) => DType::U8,
        (false, 16) => DType::I16,
        (false, 24 | 32) => DType::I32,
        (true, 32) => DType::F32,
        (true, 64) => DType::F64,
        (_, bits) => {
            let kind = if format.is_float { "floats" } else { "integers" };
            return Err(Reason::Unsupported(format!(
                "samples that are {kind} of {bits} bits are not read; those of 8, 16, 24 or 32 bits, and floats of 32 or 64, are"
            )));
        }
    };
    let frame = usize::from(format.bits / 8) * format.channels;
    if frame == 0 || data.len() % frame != 0 {
        let (len, channels) = (data.len(), format.channels);
        return Err(corrupt(&format!("{len} bytes are no whole number of samples of {channels} channels")));
    }
    let frames = data.len() / frame;
    notes.push(format!("the sound has {} samples a second, which are not part of the array", format.rate));
    let shape: &[usize] = if format.channels == 1 { &[frames] } else { &[frames, format.channels] };
    match format.bits {
        24 => {
            let sample = |b: &[u8; 3]| i32::from_le_bytes([0, b[0], b[1], b[2]]) >> 8;
            Ok(Buffer::from_vec(data.as_chunks::<3>().0.iter().map(sample).collect(), shape)?)
        }
        _ => npy::elements(dtype, shape, data),
    }
}

/// What the chunk `fmt ` says.
fn described(chunk: &[u8]) -> Result<Format, Reason> {
    let word = |at: usize| chunk.get(at..at + 2).map(|b| u16::from_le_bytes([b[0], b[1]]));
    let (Some(tag), Some(channels), Some(rate), Some(bits)) =
        (word(0), word(2), chunk.get(4..8).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])), word(14))
    else {
        return Err(Reason::Corrupt(format!("damaged sound: its format has {} bytes, not 16", chunk.len())));
    };
    // Of the extensible form the kind is the beginning of an identifier.
    let tag = if tag == 0xfffe { word(24).unwrap_or(tag) } else { tag };
    match tag {
        1 | 3 => Ok(Format { is_float: tag == 3, channels: channels.into(), rate, bits }),
        _ => Err(Reason::Unsupported(format!(
            "compressed sound (format {tag}) is not read: convert it to PCM, as by `ffmpeg -i IN.wav -c:a pcm_s16le OUT.wav`"
        ))),
    }
}

/// Encodes a sound; `notes` learns the rate.
pub(super) fn write(buffer: &Buffer, notes: &mut Vec<String>) -> Result<Vec<u8>, Reason> {
    let channels = match *buffer.shape() {
        [_] => 1,
        [_, channels @ 1..=255] => channels,
        _ => {
            return Err(Reason::Unsupported(format!(
                "an array of shape {} is no sound; sounds have the shape [frames] or [frames, channels]",
                show_shape(buffer.shape())
            )));
        }
    };
    let tag: u16 = match buffer.dtype() {
        DType::U8 | DType::I16 | DType::I32 => 1,
        DType::F32 | DType::F64 => 3,
        other => {
            return Err(Reason::Unsupported(format!(
                "samples of type {other} cannot be written: convert them to u8, i16, i32, f32 or f64"
            )));
        }
    };
    let size = buffer.dtype().size();
    let data = npy::little_endian(buffer);
    let total = u32::try_from(data.len()).ok().and_then(|len| len.checked_add(36 + len % 2));
    let total = total.ok_or_else(|| Reason::Unsupported("a .wav file holds at most 4 GiB".to_owned()))?;
    let mut bytes = b"RIFF".to_vec();
    bytes.extend(total.to_le_bytes());
    bytes.extend(b"WAVEfmt ");
    bytes.extend(16u32.to_le_bytes());
    bytes.extend(tag.to_le_bytes());
    bytes.extend((channels as u16).to_le_bytes());
    bytes.extend(RATE.to_le_bytes());
    bytes.extend((RATE * (channels * size) as u32).to_le_bytes());
    bytes.extend(((channels * size) as u16).to_le_bytes());
    bytes.extend((8 * size as u16).to_le_bytes());
    bytes.extend(b"data");
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(&data);
    bytes.extend((data.len() % 2 == 1).then_some(0));
    notes.push(format!("the sound is written with {RATE} samples a second"));
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for buffer in [
            Buffer::from_slice(&[1i16, -32768, 7], &[3]),
            Buffer::from_slice(&[1u8, 255, 7, 8], &[2, 2]),
            Buffer::from_slice(&[0.5f32, -1.0], &[2, 1]),
            Buffer::from_slice(&[0.5f64, -1.0, 0.25, 1e-300], &[2, 2]),
            Buffer::zeros(DType::I32, &[0]),
        ] {
            let buffer = buffer.expect("small");
            let bytes = write(&buffer, &mut Vec::new()).expect("a sound");
            let read = read(&bytes, &mut Vec::new()).expect("a sound");
            assert_eq!(read.as_bytes(), buffer.as_bytes());
        }
    }

    #[test]
    fn bits_24_are_widened() {
        let mut bytes =
            write(&Buffer::from_slice(&[0u8; 6], &[6]).expect("small"), &mut Vec::new()).expect("a sound");
        bytes[34] = 24;
        bytes[44..50].copy_from_slice(&[1, 0, 0, 0xff, 0xff, 0xff]);
        assert_eq!(read(&bytes, &mut Vec::new()).expect("a sound").as_slice::<i32>().expect("i32"), [1, -1]);
    }

    #[test]
    fn what_is_no_sound_is_refused() {
        let good = write(&Buffer::zeros(DType::I16, &[4]).expect("small"), &mut Vec::new()).expect("a sound");
        let check = |bytes: &[u8], needle: &str| {
            let reason = format!("{:?}", read(bytes, &mut Vec::new()).expect_err("refused"));
            assert!(reason.contains(needle), "{reason}");
        };
        check(b"", "begins with");
        check(&good[..20], "bytes");
        check(&good[..good.len() - 1], "7 are left");
        for (at, value, needle) in
            [(20, 85, "compressed"), (34, 12, "12 bits"), (22, 0, "whole number"), (22, 3, "whole number")]
        {
            let mut bytes = good.clone();
            bytes[at] = value;
            check(&bytes, needle);
        }
        assert!(write(&Buffer::zeros(DType::U64, &[4]).expect("small"), &mut Vec::new()).is_err());
        assert!(write(&Buffer::zeros(DType::I16, &[]).expect("small"), &mut Vec::new()).is_err());
    }
}
