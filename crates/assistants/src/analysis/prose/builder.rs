//! Builds the prose of an answer from the events of a markdown parser.
//! Used by `prose` alone. Never looks at words: which of them are hidden is decided in `hidden`.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::hidden;
use super::{BlockKind, ListItem, Mark, MarkKind, Piece, Prose, ProseBlock, TableCell, TextLink};

/// Reads an answer's markdown.
pub fn read(markdown: &str) -> Prose {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS;
    let mut builder = Builder { markdown, ..Builder::default() };
    for (event, source) in Parser::new_ext(markdown, options).into_offset_iter() {
        builder.event(event, source);
    }
    builder.close_block();
    let mut prose = builder.prose;
    hidden::blank(&mut prose);
    prose
}

#[derive(Default)]
struct Builder<'a> {
    markdown: &'a str,
    prose: Prose,
    /// Kind and start of the block that is being filled.
    open_block: Option<(BlockKind, usize)>,
    /// Kind of the next block, when a tag has announced it.
    announced: Option<BlockKind>,
    open_lists: Vec<OpenList>,
    open_items: Vec<usize>,
    open_marks: Vec<OpenMark>,
    list_count: usize,
    table: TableCell,
    table_count: usize,
    /// Depth of images and fenced code around the event; their text is not prose.
    hidden_depth: usize,
}

struct OpenList {
    list: usize,
    is_ordered: bool,
    length: usize,
}

struct OpenMark {
    start: usize,
    /// Strong, emphasis or a link; the link's address.
    kind: MarkKind,
    url: String,
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, source: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text, source),
            Event::Code(text) => {
                let start = self.prose.text.len();
                self.text(&text, source);
                self.mark(MarkKind::Code, start);
            }
            Event::SoftBreak | Event::HardBreak => self.line_break(),
            Event::InlineHtml(tag) if tag.starts_with("<br") || tag.starts_with("<BR") => self.line_break(),
            Event::Rule => self.close_block(),
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.close_block();
                self.announced = Some(BlockKind::Heading(level as u8));
            }
            Tag::List(first) => {
                self.close_block();
                self.open_lists.push(OpenList {
                    list: self.list_count,
                    is_ordered: first.is_some(),
                    length: 0,
                });
                self.list_count += 1;
            }
            Tag::Item => self.start_item(),
            Tag::Table(_) => {
                self.close_block();
                self.table = TableCell { table: self.table_count, row: 0, column: 0 };
                self.table_count += 1;
            }
            Tag::TableRow => self.table = TableCell { row: self.table.row + 1, column: 0, ..self.table },
            Tag::TableCell => {
                self.close_block();
                self.announced = Some(BlockKind::Cell(self.table));
                self.table.column += 1;
            }
            Tag::Strong => self.open_mark(MarkKind::Strong, String::new()),
            Tag::Emphasis => self.open_mark(MarkKind::Emphasis, String::new()),
            Tag::Link { link_type, dest_url, .. } => {
                let url = match link_type {
                    LinkType::Email => format!("mailto:{dest_url}"),
                    _ => dest_url.into_string(),
                };
                self.open_mark(MarkKind::LinkLabel(0), url);
            }
            Tag::Image { .. } | Tag::CodeBlock(CodeBlockKind::Fenced(_)) => self.hidden_depth += 1,
            // Assistants indent text below list items by too many spaces more often than they indent code.
            Tag::CodeBlock(CodeBlockKind::Indented) | Tag::Paragraph | Tag::BlockQuote(_) => {
                self.close_block()
            }
            Tag::FootnoteDefinition(_) | Tag::HtmlBlock => self.close_block(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::List(_) => {
                self.close_block();
                self.open_lists.pop();
            }
            TagEnd::Item => {
                self.close_block();
                if let Some(item) = self.open_items.pop() {
                    self.prose.items[item].blocks.end = self.prose.blocks.len();
                }
            }
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Link => self.close_mark(),
            TagEnd::Image => self.hidden_depth = self.hidden_depth.saturating_sub(1),
            TagEnd::CodeBlock => {
                self.close_block();
                self.hidden_depth = self.hidden_depth.saturating_sub(1);
            }
            TagEnd::Paragraph
            | TagEnd::Heading(_)
            | TagEnd::BlockQuote(_)
            | TagEnd::TableCell
            | TagEnd::Table
            | TagEnd::FootnoteDefinition
            | TagEnd::HtmlBlock => self.close_block(),
            _ => {}
        }
    }

    fn start_item(&mut self) {
        self.close_block();
        let Some(list) = self.open_lists.last_mut() else { return };
        list.length += 1;
        let blocks = self.prose.blocks.len();
        self.open_items.push(self.prose.items.len());
        self.prose.items.push(ListItem {
            list: list.list,
            position: list.length,
            is_ordered: list.is_ordered,
            blocks: blocks..blocks,
        });
    }

    fn text(&mut self, text: &str, source: Range<usize>) {
        if self.hidden_depth > 0 || text.is_empty() {
            return;
        }
        self.open_block();
        let start = self.prose.text.len();
        self.prose.text.push_str(text);
        // Line feeds within code are read as spaces.
        let inside = self
            .markdown
            .get(source.clone())
            .and_then(|original| original.find(text).or_else(|| original.replace('\n', " ").find(text)));
        let is_verbatim = inside.is_some();
        let source = match inside {
            Some(at) => source.start + at..source.start + at + text.len(),
            None => source,
        };
        self.prose.pieces.push(Piece { prose: start..self.prose.text.len(), source, is_verbatim });
    }

    fn line_break(&mut self) {
        if self.hidden_depth == 0 && self.open_block.is_some() {
            self.prose.text.push('\n');
        }
    }

    fn open_block(&mut self) {
        if self.open_block.is_none() {
            let kind = self.announced.take().unwrap_or(BlockKind::Paragraph);
            self.open_block = Some((kind, self.prose.text.len()));
        }
    }

    /// Ends the block that is being filled. An empty table cell is a block too, so that columns keep their numbers.
    fn close_block(&mut self) {
        if matches!(self.announced, Some(BlockKind::Cell(_))) {
            self.open_block();
        }
        self.announced = None;
        let Some((kind, start)) = self.open_block.take() else { return };
        let range = start..self.prose.text.len();
        self.prose.text.push('\n');
        self.prose.blocks.push(ProseBlock { range, kind, item: self.open_items.last().copied() });
    }

    fn open_mark(&mut self, kind: MarkKind, url: String) {
        if self.hidden_depth == 0 {
            self.open_block();
        }
        self.open_marks.push(OpenMark { start: self.prose.text.len(), kind, url });
    }

    fn close_mark(&mut self) {
        let Some(open) = self.open_marks.pop() else { return };
        let kind = match open.kind {
            MarkKind::LinkLabel(_) => {
                let label = open.start..self.prose.text.len();
                self.prose.links.push(TextLink { url: open.url, label });
                MarkKind::LinkLabel(self.prose.links.len() - 1)
            }
            kind => kind,
        };
        self.mark(kind, open.start);
    }

    fn mark(&mut self, kind: MarkKind, start: usize) {
        let range = start..self.prose.text.len();
        if !range.is_empty() {
            self.prose.marks.push(Mark { range, kind });
        }
    }
}
