//! The texts of a document while it is read: visible text, the page's own text, and its blocks of prose.
//! Used by the collector. Each piece of text is processed once, however many of them it belongs to.

use super::caps::{MAX_ELEMENTS, keep};
use super::open_elements::ElementFlags;
use super::text::{Collapsed, push_space, word_count, words_reach};

/// Words from which the only main element holds the page's own text.
const LEAST_MAIN_WORDS: usize = 50;

/// Bytes of a document for each byte of its text, in most documents.
const MARKUP: usize = 4;

/// The texts so far.
#[derive(Default)]
pub struct Texts {
    /// Visible text, white space collapsed.
    pub visible: String,
    /// Number of words of the visible text in closed shadow roots.
    pub closed_words: usize,
    /// Main elements so far.
    pub mains: usize,
    /// Blocks that are not kept.
    pub left_out: usize,
    /// Text outside navigation and the like, and the part of it in main elements.
    content: String,
    main: String,
    /// Blocks that are open, and whether each is in a main element.
    open_blocks: Vec<(bool, String)>,
    blocks: Vec<(bool, String)>,
}

impl Texts {
    /// Allocates the texts of a document.
    pub fn for_document(bytes: usize) -> Texts {
        let [visible, content] = [0; 2].map(|_| String::with_capacity(bytes / MARKUP));
        Texts { visible, content, ..Texts::default() }
    }

    /// Separates words.
    pub fn separate(&mut self) {
        for buffer in [&mut self.visible, &mut self.content, &mut self.main] {
            push_space(buffer);
        }
        self.open_blocks.last_mut().into_iter().for_each(|(_, block)| push_space(block));
    }

    /// Adds a piece of text that is not hidden.
    pub fn add(&mut self, text: &Collapsed, flags: ElementFlags) {
        text.push_to(&mut self.visible);
        if flags.contains(ElementFlags::CLOSED) {
            self.closed_words += word_count(&text.inner);
        }
        if flags.contains(ElementFlags::CHROME) {
            return;
        }
        text.push_to(&mut self.content);
        if flags.contains(ElementFlags::MAIN) {
            text.push_to(&mut self.main);
        }
        self.open_blocks.last_mut().into_iter().for_each(|(_, block)| text.push_to(block));
    }

    /// Begins a paragraph-like block.
    pub fn open_block(&mut self, in_main: bool) {
        self.open_blocks.push((in_main, String::new()));
    }

    /// Ends the innermost block.
    pub fn close_block(&mut self) {
        if let Some(block) = self.open_blocks.pop() {
            keep(&mut self.blocks, block, MAX_ELEMENTS, &mut self.left_out);
        }
    }

    /// Counts the visible words from an offset on.
    pub fn words_since(&self, start: usize) -> usize {
        word_count(self.since(start))
    }

    /// Returns the visible text from an offset on.
    pub fn since(&self, start: usize) -> &str {
        self.visible.get(start..).unwrap_or_default()
    }

    /// Returns the visible text, the page's own text, and its blocks.
    pub fn finish(self) -> (String, String, Vec<String>) {
        let only_main = self.mains == 1 && words_reach(&self.main, LEAST_MAIN_WORDS);
        let (mut visible, mut own) = (self.visible, if only_main { self.main } else { self.content });
        for text in [&mut visible, &mut own] {
            text.truncate(text.trim_end().len());
        }
        let blocks = self.blocks.into_iter().filter(|(in_main, _)| *in_main || !only_main);
        let trimmed = blocks.map(|(_, mut text)| {
            text.truncate(text.trim_end().len());
            text
        });
        (visible, own, trimmed.filter(|text| !text.is_empty()).collect())
    }
}
