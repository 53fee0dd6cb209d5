//! Writes blocks inside quotes and items: markers, indents and the lines between blocks. Used by the walk. Pure.

/// Levels of quotes and items. Deeper ones are left out, since each line repeats the indents of all levels.
const MAX_LEVELS: usize = 16;
/// Longest marker of an item: nine digits, a mark and a space.
const MAX_MARKER_BYTES: usize = 11;
/// Last block of a text that was cut.
const CUT: &str = "*The rest of the page is left out: its Markdown is too long.*";

/// Kind of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    Bullet,
    Ordered,
    /// Definitions, each a bullet right below its term.
    Definitions,
}

/// A list, as far as its items need it.
#[derive(Debug)]
struct ListForm {
    kind: ListKind,
    is_loose: bool,
    /// `-`, `+`, `.` or `)`, once an item was written.
    mark: Option<char>,
}

/// Kind of a container.
#[derive(Debug, Clone, Copy)]
enum Container {
    Document,
    Quote,
    /// An item of a list and its number.
    Item {
        list: usize,
        number: u32,
    },
}

/// Kind of the block that was written last in a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenBlock {
    Nothing,
    Paragraph,
    /// Item of a list.
    Item(usize),
    Other,
}

/// A level of the document, quotes and items.
#[derive(Debug)]
struct Level {
    container: Container,
    /// Beginning of each line but the first.
    indent: String,
    is_written: bool,
    last: WrittenBlock,
}

/// Text made of blocks.
#[derive(Debug)]
pub struct BlockWriter {
    text: String,
    levels: Vec<Level>,
    /// Open levels that are too deep.
    skipped: usize,
    lists: Vec<ListForm>,
    /// Maximum length of the text, in bytes, without [`CUT`].
    max_bytes: usize,
    /// True when a block was left out. All later blocks are left out too.
    is_cut: bool,
}

impl BlockWriter {
    /// Makes an empty text that becomes at most `max_bytes` long.
    pub fn new(max_bytes: usize) -> BlockWriter {
        let mut writer = BlockWriter {
            text: String::new(),
            levels: Vec::new(),
            skipped: 0,
            lists: Vec::new(),
            max_bytes,
            is_cut: false,
        };
        writer.push(Container::Document);
        writer.levels[0].is_written = true;
        writer
    }

    /// Adds a list, and returns its number.
    pub fn add_list(&mut self, kind: ListKind, is_loose: bool) -> usize {
        self.lists.push(ListForm { kind, is_loose, mark: None });
        self.lists.len() - 1
    }

    /// Begins a quote.
    pub fn start_quote(&mut self) {
        self.push(Container::Quote);
    }

    /// Begins an item of a list.
    pub fn start_item(&mut self, list: usize, number: u32) {
        self.push(Container::Item { list, number });
    }

    fn push(&mut self, container: Container) {
        if self.levels.len() > MAX_LEVELS {
            self.skipped += 1;
            return;
        }
        let level =
            Level { container, indent: String::new(), is_written: false, last: WrittenBlock::Nothing };
        self.levels.push(level);
    }

    /// Ends the innermost quote or item. Nothing is written of one that has no block.
    pub fn end(&mut self) {
        match self.skipped {
            0 => drop(self.levels.pop()),
            _ => self.skipped -= 1,
        }
    }

    /// Writes a block of one or more lines, unless the text would become too long.
    pub fn write(&mut self, block: &str, kind: WrittenBlock) {
        self.is_cut = self.is_cut || self.text.len() + self.most_bytes(block) > self.max_bytes;
        if self.is_cut {
            return;
        }
        let begun = self.levels.iter().position(|level| !level.is_written).unwrap_or(self.levels.len());
        self.separate(begun);
        self.indent(begun);
        for at in begun..self.levels.len() {
            let marker = self.marker(at);
            self.text.push_str(&marker);
            let is_quote = matches!(self.levels[at].container, Container::Quote);
            self.levels[at].indent = if is_quote { marker } else { " ".repeat(marker.len()) };
            self.levels[at].is_written = true;
        }
        if let Some(level) = self.levels.last_mut() {
            level.last = kind;
        }
        for (index, line) in block.lines().enumerate() {
            if index > 0 {
                self.break_line(line);
            }
            self.text.push_str(line);
        }
    }

    /// Returns the text, without a newline at the end. Returns `None` when nothing was written.
    pub fn finish(mut self) -> Option<String> {
        if self.is_cut {
            self.text.push_str(if self.text.is_empty() { "" } else { "\n\n" });
            self.text.push_str(CUT);
        }
        Some(self.text).filter(|text| !text.is_empty())
    }

    /// Returns the most bytes that a block adds to the text: each line of it, and an empty one, begins with all indents.
    fn most_bytes(&self, block: &str) -> usize {
        let indents = self
            .levels
            .iter()
            .map(|level| if level.is_written { level.indent.len() } else { MAX_MARKER_BYTES });
        let indents: usize = indents.sum();
        block.len() + (block.lines().count() + 2) * (indents + 1)
    }

    /// Ends the line before a block. An empty line follows unless the block begins an item of a tight list.
    fn separate(&mut self, begun: usize) {
        let Level { container, last, .. } = &self.levels[begun - 1];
        let item = self.levels.get(begun).and_then(|level| match level.container {
            Container::Item { list, number } => Some((list, number)),
            _ => None,
        });
        let is_tight = match (last, item) {
            (WrittenBlock::Nothing, _) => return,
            (WrittenBlock::Item(before), Some((list, _))) => *before == list && !self.lists[list].is_loose,
            // An ordered list that does not begin with 1 would go on with the paragraph.
            (WrittenBlock::Paragraph, Some((list, number))) => {
                let kind = self.lists[list].kind;
                let in_tight =
                    matches!(container, Container::Item { list, .. } if !self.lists[*list].is_loose);
                kind == ListKind::Definitions || in_tight && (number == 1 || kind != ListKind::Ordered)
            }
            _ => false,
        };
        if !is_tight {
            self.text.push('\n');
            self.indent(begun);
            self.text.truncate(self.text.trim_end_matches(' ').len());
        }
        self.text.push('\n');
    }

    fn break_line(&mut self, line: &str) {
        self.text.push('\n');
        self.indent(self.levels.len());
        if line.is_empty() {
            self.text.truncate(self.text.trim_end_matches(' ').len());
        }
    }

    fn indent(&mut self, levels: usize) {
        for level in &self.levels[..levels] {
            self.text.push_str(&level.indent);
        }
    }

    /// Returns the marker of a level, and notes it in the level around. Lists that touch have different marks.
    fn marker(&mut self, at: usize) -> String {
        let before = self.levels[at - 1].last;
        let Container::Item { list, number } = self.levels[at].container else {
            self.levels[at - 1].last = WrittenBlock::Other;
            return "> ".to_owned();
        };
        self.levels[at - 1].last = WrittenBlock::Item(list);
        let is_ordered = self.lists[list].kind == ListKind::Ordered;
        let (usual, other) = if is_ordered { ('.', ')') } else { ('-', '+') };
        let is_taken = matches!(before, WrittenBlock::Item(before) if self.lists[before].mark == Some(usual));
        let mark = *self.lists[list].mark.get_or_insert(if is_taken { other } else { usual });
        if is_ordered { format!("{number}{mark} ") } else { format!("{mark} ") }
    }
}
