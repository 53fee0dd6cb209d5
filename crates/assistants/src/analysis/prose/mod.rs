//! An answer's markdown as a reader sees it: text in blocks, with the way back to the original's bytes.
//! Used by the matcher, the candidates and the tone analyser. Never recurses, so that no answer exhausts the stack.

mod builder;
mod hidden;
pub mod hosts;

use std::ops::Range;

pub use builder::read;

/// A text as a reader sees it, in blocks that are separated by a line feed.
///
/// Text that a reader does not read as words (addresses, citation markers) is replaced by spaces of the same length.
#[derive(Debug, Default)]
pub struct Prose {
    pub text: String,
    pub blocks: Vec<ProseBlock>,
    /// Items of all lists, in the order in which they begin.
    pub items: Vec<ListItem>,
    /// Emphasis, link labels and code, in the order in which they end.
    pub marks: Vec<Mark>,
    /// Addresses that the text links to, in order.
    pub links: Vec<TextLink>,
    pieces: Vec<Piece>,
}

/// A paragraph, a heading, the text of a list item, or a table cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProseBlock {
    /// Bytes of [`Prose::text`].
    pub range: Range<usize>,
    pub kind: BlockKind,
    /// Position in [`Prose::items`] of the innermost list item around the block.
    pub item: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    Paragraph,
    /// Level 1 to 6.
    Heading(u8),
    Cell(TableCell),
}

/// Position of a table cell. Row 0 is the header.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TableCell {
    pub table: usize,
    pub row: usize,
    pub column: usize,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListItem {
    /// Number of the list, counted from 0 in the order in which lists begin.
    pub list: usize,
    /// Position in the list, counted from 1.
    pub position: usize,
    pub is_ordered: bool,
    /// Blocks of the item, those of nested lists included.
    pub blocks: Range<usize>,
}

/// A stretch of text that is set apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Bytes of [`Prose::text`].
    pub range: Range<usize>,
    pub kind: MarkKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    Strong,
    Emphasis,
    Code,
    /// Label of the link at this position of [`Prose::links`].
    LinkLabel(usize),
}

/// An address that the text links to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLink {
    pub url: String,
    /// Bytes of [`Prose::text`] that the label takes.
    pub label: Range<usize>,
}

/// A stretch of prose and the source bytes that it comes from.
#[derive(Debug)]
struct Piece {
    prose: Range<usize>,
    source: Range<usize>,
    /// The prose repeats the source byte by byte; otherwise the whole piece comes from the whole source range.
    is_verbatim: bool,
}

impl Prose {
    /// Returns the bytes of the original markdown that a stretch of prose comes from.
    ///
    /// The result begins and ends at character boundaries of the original.
    pub fn source_range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.piece_at(range.start).map_or(0, |piece| match piece.is_verbatim {
            // An empty block begins behind the last piece.
            true => {
                (piece.source.start + range.start.saturating_sub(piece.prose.start)).min(piece.source.end)
            }
            false => piece.source.start,
        });
        let end = self.piece_at(range.end.saturating_sub(1)).map_or(start, |piece| match piece.is_verbatim {
            true => (piece.source.start + range.end - piece.prose.start).min(piece.source.end),
            false => piece.source.end,
        });
        start..end.max(start)
    }

    /// Returns the block that a byte of the text is in.
    pub fn block_at(&self, at: usize) -> usize {
        self.blocks.partition_point(|block| block.range.end <= at).min(self.blocks.len().saturating_sub(1))
    }

    pub fn block_text(&self, block: usize) -> &str {
        &self.text[self.blocks[block].range.clone()]
    }

    /// Returns the last piece that begins at or before a byte of the prose.
    fn piece_at(&self, at: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.prose.start <= at);
        self.pieces.get(after.checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_reader_reads_is_prose() {
        let markdown = "# Title\n\nSee *one* and `two` ![three](x.png)\n\n```\nfour\n```\n\n<p>five</p>\n\n- six\n  - seven\n\n| a | b |\n|---|---|\n| eight | nine |\n";

        let prose = read(markdown);

        let words: Vec<&str> = prose.text.split_whitespace().collect();
        assert_eq!(words, ["Title", "See", "one", "and", "two", "six", "seven", "a", "b", "eight", "nine"]);
    }

    #[test]
    fn addresses_and_citation_markers_are_blank() {
        let markdown = "Good [1][2, 3] and fast【4†source】 see https://a.example/b?c=d, [shop.test](https://shop.test/x) \
                        or <https://e.example> and write to info@shop.test \u{e200}cite\u{e202}turn0search1\u{e201} [[5]](https://f.example).";

        let prose = read(markdown);

        assert_eq!(
            prose.text.split_whitespace().collect::<Vec<_>>(),
            ["Good", "and", "fast", "see", ",", "or", "and", "write", "to", "."]
        );
        let urls: Vec<&str> = prose.links.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(
            urls,
            ["https://shop.test/x", "https://e.example", "https://f.example", "https://a.example/b?c=d"]
        );
    }

    #[test]
    fn a_label_in_words_stays() {
        let prose = read("[Luma Docs](https://shop.test) and [Booking.com](https://booking.com)");

        assert_eq!(prose.text, "Luma Docs and Booking.com\n");
        assert_eq!(prose.marks[0], Mark { range: 0..9, kind: MarkKind::LinkLabel(0) });
    }

    #[test]
    fn a_stretch_leads_back_to_the_original() {
        let markdown = "Über **Luma&amp;Docs** & `code`";
        let prose = read(markdown);
        let of = |text: &str| {
            let start = prose.text.find(text).unwrap();
            &markdown[prose.source_range(start..start + text.len())]
        };

        assert_eq!(prose.text, "Über Luma&Docs & code\n");
        assert_eq!(of("Über"), "Über");
        assert_eq!(of("Luma&Docs"), "Luma&amp;Docs");
        assert_eq!(of("&Docs"), "&amp;Docs");
        assert_eq!(of("code"), "code");
    }

    #[test]
    fn words_of_code_in_a_list_are_found_in_spite_of_the_indentation_of_its_lines() {
        let markdown = "* see `one\n\ttwo**three**` here";

        let prose = read(markdown);

        for word in ["one", "two", "three", "here"] {
            let start = prose.text.find(word).unwrap();
            assert_eq!(&markdown[prose.source_range(start..start + word.len())], word, "{:?}", prose.text);
        }
    }

    #[test]
    fn lists_and_tables_keep_their_order() {
        let markdown = "1. One\n   - inner\n2. Two\n\n   More\n\n| h |\n|---|\n| c |\n";

        let prose = read(markdown);

        let items: Vec<_> = prose
            .items
            .iter()
            .map(|item| (item.list, item.position, item.is_ordered, item.blocks.clone()))
            .collect();
        assert_eq!(items, [(0, 1, true, 0..2), (1, 1, false, 1..2), (0, 2, true, 2..4)]);
        assert_eq!(prose.blocks[4].kind, BlockKind::Cell(TableCell { table: 0, row: 0, column: 0 }));
        assert_eq!(prose.blocks[5].kind, BlockKind::Cell(TableCell { table: 0, row: 1, column: 0 }));
    }

    #[test]
    fn deep_nests_long_lines_and_many_links_are_read() {
        let nested = "- ".repeat(1_000) + "deep";
        let indented: String = (0..1_000).map(|depth| format!("{}- item\n", "  ".repeat(depth))).collect();
        let long = "word ".repeat(40_000);
        let links = "[a](https://a.example/b) ".repeat(10_000);
        let brackets = "[".repeat(100_000) + &"*_".repeat(50_000) + &"](".repeat(20_000);
        let quotes = "> ".repeat(2_000) + "deep";

        let read_all = [&nested, &indented, &long, &links, &brackets, &quotes].map(|text| read(text));

        assert!(read_all[0].text.trim_end().ends_with("deep"));
        assert!(read_all[1].text.contains("item"));
        assert_eq!(read_all[2].text.split_whitespace().count(), 40_000);
        assert_eq!(read_all[3].links.len(), 10_000);
        assert!(read_all[5].text.trim_end().ends_with("deep"));
    }
}
