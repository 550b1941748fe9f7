//! Pages that are compressed by brotli or zstd.
//!
//! The format's reader brings what compresses with what decompresses, which is half a megabyte of code that
//! nobody calls. The one idea: it is told that such a column is not compressed, and hands on its pages as they
//! are; they are decompressed here. Pages of the second form begin with levels that are not compressed.

use parquet::basic::Compression;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use std::io::Read;

/// A page has no more bytes, for the format counts them by 31 bits.
const MOST: u64 = 1 << 31;

/// How many bytes are decompressed at once.
const BUFFER: usize = 1 << 12;

/// What pages are compressed by.
#[derive(Clone, Copy)]
pub(super) enum Codec {
    Brotli,
    Zstd,
}

impl Codec {
    /// What is decompressed here.
    pub(super) fn of(compression: Compression) -> Option<Codec> {
        match compression {
            Compression::BROTLI(_) => Some(Codec::Brotli),
            Compression::ZSTD(_) => Some(Codec::Zstd),
            _ => None,
        }
    }

    /// Adds what bytes are decompressed.
    fn decompress(self, bytes: &[u8], to: &mut Vec<u8>) -> Result<()> {
        let room = MOST.saturating_sub(to.len() as u64);
        let read = match self {
            Codec::Brotli => brotli_decompressor::Decompressor::new(bytes, BUFFER).take(room).read_to_end(to),
            Codec::Zstd => {
                zstd::Decoder::with_buffer(bytes).and_then(|decoder| decoder.take(room).read_to_end(to))
            }
        };
        read.map(drop).map_err(|why| ParquetError::General(why.to_string()))
    }
}

/// The pages of a column, decompressed.
pub(super) struct Decompressed<P> {
    pub(super) pages: P,
    pub(super) codec: Codec,
}

impl<P: PageReader> Decompressed<P> {
    fn decompressed(&self, mut page: Page) -> Result<Page> {
        let (buf, levels) = match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => (buf, 0),
            Page::DataPageV2 { is_compressed: false, .. } => return Ok(page),
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, is_compressed, .. } => {
                *is_compressed = false;
                (buf, *def_levels_byte_len as usize + *rep_levels_byte_len as usize)
            }
        };
        let cut_off = || ParquetError::EOF("a page is cut off".to_owned());
        let mut all = buf.get(..levels).ok_or_else(cut_off)?.to_vec();
        let rest = buf.get(levels..).ok_or_else(cut_off)?;
        // A page without values has nothing else.
        if !rest.is_empty() {
            self.codec.decompress(rest, &mut all)?;
        }
        *buf = all.into();
        Ok(page)
    }
}

impl<P: PageReader> PageReader for Decompressed<P> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.decompressed(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

impl<P: PageReader> Iterator for Decompressed<P> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
