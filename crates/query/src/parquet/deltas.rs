//! Pages of 32-bit integers that are stored as differences of 64 bits.
//!
//! Two numbers of 32 bits may differ by more than 32 bits hold. Some writers let such differences wrap,
//! others write them as they are, and the format's reader refuses the second. The one idea: modulo 2^32 both
//! mean the same, so such a page is decoded as one of 64-bit integers, cut to 32 bits, and handed on as a
//! page of plain values. All other pages pass as they are.

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::Int64Type;
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::ColumnDescPtr;

/// The pages of a column of 32-bit integers, none of differences.
pub(super) struct Plain {
    pub(super) pages: Box<dyn PageReader>,
    pub(super) column: ColumnDescPtr,
}

impl Plain {
    fn plain(&self, page: Page) -> Result<Page> {
        if page.encoding() != Encoding::DELTA_BINARY_PACKED || page.is_dictionary_page() {
            return Ok(page);
        }
        let levels = self.levels(&page)?;
        let mut plain = page.buffer().get(..levels).ok_or_else(cut_off)?.to_vec();
        for value in self.values(page.clone())? {
            // The low half is the number, however its difference was written.
            plain.extend_from_slice(&value.to_le_bytes()[..4]);
        }
        let mut page = page;
        match &mut page {
            Page::DataPage { buf, encoding, .. } | Page::DataPageV2 { buf, encoding, .. } => {
                *buf = plain.into();
                *encoding = Encoding::PLAIN;
            }
            Page::DictionaryPage { .. } => {}
        }
        Ok(page)
    }

    /// How many bytes come before the values: those that say what is null.
    fn levels(&self, page: &Page) -> Result<usize> {
        match page {
            Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
                Ok(*def_levels_byte_len as usize + *rep_levels_byte_len as usize)
            }
            _ if self.column.max_def_level() == 0 => Ok(0),
            Page::DataPage { buf, def_level_encoding: Encoding::RLE, .. } => {
                let length = buf.first_chunk::<4>().ok_or_else(cut_off)?;
                Ok(4 + u32::from_le_bytes(*length) as usize)
            }
            _ => Err(ParquetError::General("what is null is stored in an old way".to_owned())),
        }
    }

    /// The values of a page as 64-bit integers, without the nulls.
    fn values(&self, page: Page) -> Result<Vec<i64>> {
        let count = page.num_values() as usize;
        let pages = Box::new(Single(Some(page)));
        let mut column = ColumnReaderImpl::<Int64Type>::new(self.column.clone(), pages);
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        column.read_records(count, Some(&mut levels), None, &mut values)?;
        Ok(values)
    }
}

fn cut_off() -> ParquetError {
    ParquetError::EOF("a page is cut off".to_owned())
}

impl PageReader for Plain {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.plain(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

impl Iterator for Plain {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// One page.
struct Single(Option<Page>);

impl PageReader for Single {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        Ok(self.0.take())
    }

    // Only who skips pages asks.
    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        Ok(None)
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0 = None;
        Ok(())
    }
}

impl Iterator for Single {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::data_type::Int32Type;
    use parquet::schema::parser::parse_message_type;
    use parquet::schema::types::SchemaDescriptor;
    use std::sync::Arc;

    /// An integer in as many bytes as it needs, seven bits in each.
    fn short(mut n: u64, bytes: &mut Vec<u8>) {
        while n >= 128 {
            bytes.push((n & 127) as u8 | 128);
            n >>= 7;
        }
        bytes.push(n as u8);
    }

    fn signed(n: i64, bytes: &mut Vec<u8>) {
        short((n << 1 ^ n >> 63).cast_unsigned(), bytes);
    }

    /// Integers as their differences: of 64 bits, or wrapped to 32.
    fn deltas(values: &[i32], wrapped: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        [128, 4, values.len() as u64].into_iter().for_each(|n| short(n, &mut bytes));
        signed(i64::from(values[0]), &mut bytes);
        let difference = |pair: &[i32]| {
            let wide = i64::from(pair[1]) - i64::from(pair[0]);
            if wrapped { i64::from(pair[1].wrapping_sub(pair[0])) } else { wide }
        };
        let all: Vec<i64> = values.windows(2).map(difference).collect();
        for block in all.chunks(128) {
            let least = block.iter().copied().min().unwrap_or(0);
            // Above the least, modulo 2^32 where differences wrap.
            let above = |n: &i64| {
                let above = (n - least).cast_unsigned();
                if wrapped { above & 0xffff_ffff } else { above }
            };
            signed(least, &mut bytes);
            let small: Vec<Vec<u64>> =
                block.chunks(32).map(|part| part.iter().map(above).collect()).collect();
            let width = |part: &Vec<u64>| 64 - part.iter().max().map_or(64, |n| n.leading_zeros());
            let widths: Vec<u32> = small.iter().map(width).collect();
            (0..4).for_each(|at| bytes.push(widths.get(at).map_or(0, |width| *width as u8)));
            for (part, width) in small.iter().zip(widths) {
                let bit = |at: u32| part.get((at / width) as usize).map_or(0, |n| n >> (at % width) & 1);
                let byte = |at: u32| (0..8).fold(0, |byte, k| byte | (bit(8 * at + k) as u8) << k);
                bytes.extend((0..4 * width).map(byte));
            }
        }
        bytes
    }

    /// What is read of a page, none for nulls.
    fn read(schema: &str, page: Page) -> Vec<Option<i32>> {
        let schema = parse_message_type(schema).expect("a schema");
        let column = SchemaDescriptor::new(Arc::new(schema)).column(0);
        let most = column.max_def_level();
        let pages = Box::new(Plain { pages: Box::new(Single(Some(page))), column: column.clone() });
        let mut reader = ColumnReaderImpl::<Int32Type>::new(column, pages);
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        reader.read_records(10_000, Some(&mut levels), None, &mut values).expect("values");
        let mut values = values.into_iter();
        match most {
            0 => values.map(Some).collect(),
            _ => levels.into_iter().map(|level| if level == most { values.next() } else { None }).collect(),
        }
    }

    fn cases() -> Vec<Vec<i32>> {
        let (least, most) = (i32::MIN, i32::MAX);
        let scattered = (0..1000i64).map(|n| (n * 2_654_435_761) as i32);
        vec![
            vec![7],
            vec![least, most],
            vec![most, least],
            vec![least, most, least, 5, most],
            vec![7; 300],
            [0, least, most, 1, -1].repeat(50),
            scattered.collect(),
        ]
    }

    #[test]
    fn differences_of_more_than_32_bits_are_read() {
        for (values, wrapped) in
            cases().into_iter().flat_map(|values| [(values.clone(), false), (values, true)])
        {
            let page = Page::DataPage {
                buf: deltas(&values, wrapped).into(),
                num_values: values.len() as u32,
                encoding: Encoding::DELTA_BINARY_PACKED,
                def_level_encoding: Encoding::RLE,
                rep_level_encoding: Encoding::RLE,
                statistics: None,
            };
            let wanted: Vec<Option<i32>> = values.iter().copied().map(Some).collect();
            assert_eq!(read("message m { required int32 a; }", page), wanted);
        }
    }

    #[test]
    fn nulls_stand_where_they_stood() {
        let values = [i32::MIN, i32::MAX, 0];
        // A run of two that are there, one null, one that is there; in runs of a length twice, and a level.
        let runs = [2 << 1, 1, 1 << 1, 0, 1 << 1, 1];
        let wanted = [Some(i32::MIN), Some(i32::MAX), None, Some(0)];
        let data = deltas(&values, false);
        let first = Page::DataPage {
            buf: [&[6, 0, 0, 0], &runs[..], &data].concat().into(),
            num_values: 4,
            encoding: Encoding::DELTA_BINARY_PACKED,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let second = Page::DataPageV2 {
            buf: [&runs[..], &data].concat().into(),
            num_values: 4,
            encoding: Encoding::DELTA_BINARY_PACKED,
            num_nulls: 1,
            num_rows: 4,
            def_levels_byte_len: 6,
            rep_levels_byte_len: 0,
            is_compressed: false,
            statistics: None,
        };
        for page in [first, second] {
            assert_eq!(read("message m { optional int32 a; }", page), wanted);
        }
    }
}
