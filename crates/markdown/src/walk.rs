//! The one walk over the tree: elements in, blocks out. Used by `convert`. Pure.
//! Must never recurse: the document decides how deep its elements are.

use super::addresses::PageAddresses;
use super::blocks::{BlockWriter, ListKind, WrittenBlock};
use super::elements::Element;
use super::escapes::{
    cell_code_span, code_span, escape_cell, escape_heading, escape_lines, is_dropped, longest_run, title,
};
use super::inline::{InlineText, TextStyle};
use super::tables::{CellSpan, TableText};
use super::tree::{ROOT, Tree, Visitor};

/// Greatest number of an item in CommonMark.
const MAX_NUMBER: u32 = 999_999_999;
/// Longest name of a language, in bytes.
const MAX_LANGUAGE_BYTES: usize = 32;

/// Writers of the content of one document, both bounded.
pub struct BoundedOutput<'t> {
    pub addresses: PageAddresses<'t>,
    pub blocks: BlockWriter,
}

/// Returns the content of an element. Returns `None` when nothing in it is shown.
pub fn content(
    tree: &Tree,
    root: usize,
    output: BoundedOutput<'_>,
    shows_aria_hidden: bool,
) -> Option<String> {
    let BoundedOutput { addresses, blocks } = output;
    let mut walk = Walk {
        tree,
        root,
        addresses,
        shows_aria_hidden,
        blocks,
        inline: InlineText::default(),
        scopes: Vec::new(),
        line: None,
        table: None,
        code: None,
        sections: 0,
    };
    tree.visit(root, &mut walk);
    walk.end_block();
    walk.blocks.finish()
}

/// A list whose items are open, or a quote.
#[derive(Debug)]
enum Scope {
    Quote,
    List { list: usize, next: u32, has_item: bool },
}

/// Table that is being read.
#[derive(Debug)]
struct OpenTable {
    id: usize,
    rows: TableText,
    is_in_head: bool,
}

/// Content of `pre`.
#[derive(Debug)]
struct OpenCode {
    id: usize,
    text: String,
    language: Option<String>,
}

struct Walk<'t> {
    tree: &'t Tree,
    root: usize,
    addresses: PageAddresses<'t>,
    shows_aria_hidden: bool,
    blocks: BlockWriter,
    inline: InlineText,
    scopes: Vec<Scope>,
    /// Heading or cell whose content is one line.
    line: Option<usize>,
    table: Option<OpenTable>,
    code: Option<OpenCode>,
    /// Number of open sections and articles.
    sections: usize,
}

impl Visitor for Walk<'_> {
    fn enter(&mut self, id: usize) -> bool {
        let element = self.tree.nodes[id].element;
        if id != self.root && self.is_left_out(id) {
            self.inline.set_apart();
            return false;
        }
        if self.code.is_some() {
            return self.enter_code(id, element);
        }
        if element.is_block() {
            self.end_block();
        }
        match element {
            Element::Text => self.inline.push(self.tree.text(id)),
            Element::Break if self.line.is_some() => self.inline.space(),
            Element::Break => self.inline.line_break(),
            Element::Image => self.image(id),
            Element::Strong => self.inline.open(Some(TextStyle::Strong)),
            Element::Emphasis => self.inline.open(Some(TextStyle::Emphasis)),
            Element::Code => self.inline.open(Some(TextStyle::Code)),
            Element::Link => self.inline.open(self.link(id)),
            Element::Pre if self.line.is_some() => self.inline.open(Some(TextStyle::Code)),
            Element::Unknown => self.inline.set_apart(),
            Element::Section | Element::Article => self.sections += 1,
            _ if self.line.is_some() => {}
            Element::Rule => self.blocks.write("***", WrittenBlock::Other),
            Element::Heading(_) => self.line = Some(id),
            Element::Pre => {
                self.code = Some(OpenCode { id, text: String::new(), language: self.language(id) })
            }
            Element::Quote => {
                self.blocks.start_quote();
                self.scopes.push(Scope::Quote);
            }
            Element::List | Element::OrderedList | Element::DefinitionList => self.start_list(id, element),
            Element::Item => self.start_item(id),
            Element::Term => self.end_item(),
            Element::Table if self.table.is_none() && !self.tree.nodes[id].is_layout => {
                self.table = Some(OpenTable { id, rows: TableText::default(), is_in_head: false });
            }
            _ => self.enter_table_part(id, element),
        }
        true
    }

    fn leave(&mut self, id: usize) {
        let element = self.tree.nodes[id].element;
        if self.code.as_ref().is_some_and(|code| code.id != id) {
            return self.break_code(element);
        }
        if self.line == Some(id) {
            return self.end_line(id, element);
        }
        if element.is_block() && !(element == Element::Pre && self.line.is_some()) {
            self.end_block();
        }
        match element {
            Element::Strong | Element::Emphasis | Element::Code | Element::Link => self.inline.close(),
            Element::Pre if self.line.is_some() => {
                self.inline.close();
                self.inline.space();
            }
            Element::Unknown => self.inline.set_apart(),
            Element::Section | Element::Article => self.sections -= 1,
            _ if self.line.is_some() => {}
            Element::Pre => self.end_code(),
            Element::Quote => {
                self.scopes.pop();
                self.blocks.end();
            }
            Element::List | Element::OrderedList | Element::DefinitionList => {
                self.end_item();
                self.scopes.pop();
            }
            Element::Table if self.table.as_ref().is_some_and(|table| table.id == id) => {
                let rows = self.table.take().map(|table| table.rows.finish()).unwrap_or_default();
                if !rows.is_empty() {
                    self.blocks.write(&rows, WrittenBlock::Other);
                }
            }
            _ => {}
        }
    }
}

impl Walk<'_> {
    fn is_left_out(&self, id: usize) -> bool {
        let node = &self.tree.nodes[id];
        let is_navigation = node.element == Element::Landmark && self.root == ROOT && self.sections == 0;
        let is_hidden = node.is_hidden || node.is_aria_hidden && !self.shows_aria_hidden;
        is_hidden || is_navigation || matches!(node.element, Element::LeftOut | Element::Template)
    }

    /// Ends a paragraph. In a heading or a cell, a block is a word of its own.
    fn end_block(&mut self) {
        if self.line.is_some() {
            self.inline.space();
        } else if let Some(text) = self.inline.take(code_span) {
            self.blocks.write(&escape_lines(&text), WrittenBlock::Paragraph);
        }
    }

    /// Ends a heading or a cell.
    fn end_line(&mut self, id: usize, element: Element) {
        self.line = None;
        if let Element::Heading(level) = element {
            if let Some(text) = self.inline.take(code_span) {
                let heading = format!("{} {}", "#".repeat(level.into()), escape_heading(&text));
                self.blocks.write(&heading, WrittenBlock::Other);
            }
            return;
        }
        let Some(table) = &mut self.table else { return };
        let text = self.inline.take(cell_code_span).unwrap_or_default();
        let number =
            |wanted| self.tree.attribute(id, wanted).and_then(|value| value.trim().parse().ok()).unwrap_or(1);
        let span = CellSpan { columns: number("colspan"), rows: number("rowspan") };
        let is_header = table.is_in_head || element == Element::Cell { is_header: true };
        table.rows.push(escape_cell(&text), span, is_header);
    }

    fn enter_table_part(&mut self, id: usize, element: Element) {
        let Some(table) = &mut self.table else { return };
        match element {
            Element::RowGroup { is_head } => table.is_in_head = is_head,
            Element::Row => table.rows.start_row(),
            Element::Cell { .. } => self.line = Some(id),
            _ => {}
        }
    }

    fn start_list(&mut self, id: usize, element: Element) {
        let has_paragraph = |item: usize| {
            self.tree.children(item).any(|child| self.tree.nodes[child].element == Element::Paragraph)
        };
        let kind = match element {
            Element::OrderedList => ListKind::Ordered,
            Element::DefinitionList => ListKind::Definitions,
            _ => ListKind::Bullet,
        };
        let is_loose = self.tree.children(id).any(has_paragraph);
        let start = self.number(id, "start").unwrap_or(1);
        let list = self.blocks.add_list(kind, is_loose);
        self.scopes.push(Scope::List { list, next: start, has_item: false });
    }

    /// Begins an item. Whatever follows it in the list without an item of its own belongs to it.
    fn start_item(&mut self, id: usize) {
        self.end_item();
        let stated = self.number(id, "value");
        if let Some(Scope::List { list, next, has_item }) = self.scopes.last_mut() {
            let number = stated.unwrap_or(*next);
            *next = (number + 1).min(MAX_NUMBER);
            *has_item = true;
            self.blocks.start_item(*list, number);
        }
    }

    fn end_item(&mut self) {
        if let Some(Scope::List { has_item, .. }) = self.scopes.last_mut()
            && std::mem::take(has_item)
        {
            self.blocks.end();
        }
    }

    fn number(&self, id: usize, wanted: &str) -> Option<u32> {
        self.tree.attribute(id, wanted)?.trim().parse().ok().filter(|number| *number <= MAX_NUMBER)
    }

    /// Returns the link of an element. Returns `None` for one that is only text.
    fn link(&self, id: usize) -> Option<TextStyle> {
        let destination = self.addresses.of_link(self.tree.attribute(id, "href")?)?;
        Some(TextStyle::Link((destination + &title(self.tree.attribute(id, "title"))).into()))
    }

    /// Writes a picture. A picture without an address of the web is its alternative text.
    fn image(&mut self, id: usize) {
        let attribute = |wanted| self.tree.attribute(id, wanted).unwrap_or_default().trim();
        let (alt, src) = (attribute("alt"), attribute("src"));
        let is_inside =
            |scheme: &str| src.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        if alt.is_empty() || is_inside("data:") || is_inside("blob:") {
            return;
        }
        match self.addresses.of_picture(src).filter(|_| !src.is_empty()) {
            Some(destination) => {
                self.inline.image((destination + &title(self.tree.attribute(id, "title"))).into(), alt);
            }
            None => self.inline.push(alt),
        }
    }

    /// Reads the inside of `pre`, where blocks are lines.
    fn enter_code(&mut self, id: usize, element: Element) -> bool {
        self.break_code(element);
        let language = if element == Element::Code { self.language(id) } else { None };
        let Some(code) = &mut self.code else { return true };
        code.language = code.language.take().or(language);
        match element {
            Element::Text => {
                let is_kept = |letter: &char| matches!(letter, '\n' | '\t') || !is_dropped(*letter);
                code.text.extend(self.tree.text(id).chars().filter(is_kept));
            }
            Element::Break => code.text.push('\n'),
            _ => {}
        }
        true
    }

    fn break_code(&mut self, element: Element) {
        if let Some(code) = &mut self.code
            && element.is_block()
            && !matches!(element, Element::Cell { .. })
            && !code.text.is_empty()
            && !code.text.ends_with('\n')
        {
            code.text.push('\n');
        }
    }

    /// Writes the content of `pre`, in a fence longer than the backticks inside it.
    fn end_code(&mut self) {
        let Some(OpenCode { text, language, .. }) = self.code.take() else { return };
        let text = text.trim_end_matches([' ', '\t', '\n']);
        if !text.is_empty() {
            let fence = "`".repeat(longest_run(text).max(2) + 1);
            let block = format!("{fence}{}\n{text}\n{fence}", language.unwrap_or_default());
            self.blocks.write(&block, WrittenBlock::Other);
        }
    }

    /// Finds the language that a class names, such as `language-rust`.
    fn language(&self, id: usize) -> Option<String> {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "+#-_.".contains(letter);
        self.tree
            .attribute(id, "class")?
            .split_ascii_whitespace()
            .filter_map(|class| class.strip_prefix("language-").or_else(|| class.strip_prefix("lang-")))
            .find(|name| name.len() <= MAX_LANGUAGE_BYTES && !name.is_empty() && name.chars().all(is_name))
            .map(str::to_owned)
    }
}
