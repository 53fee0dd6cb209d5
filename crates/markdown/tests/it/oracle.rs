//! Documents whose text is known, and what a parser of CommonMark reads in their Markdown. Used by tests and by the fuzz
//! target, which includes this file.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Options, Parser, Tag};
use url::Url;

/// A piece of what a reader of Markdown is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Beginning of an element, with its level or address.
    Open(String),
    Text(String),
    Break,
    Close,
}

/// Converts a document without front matter at a constant address.
pub fn markdown(html: &str) -> String {
    let address = Url::parse("https://shop.example/").expect("the address is constant");
    markdown::convert(html, &address).text
}

/// Reads Markdown. Texts that follow each other are one.
pub fn read(markdown: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        let piece = match event {
            Event::Start(tag) => Piece::Open(name(&tag)),
            Event::End(_) => Piece::Close,
            Event::Text(text) => Piece::Text(text.into_string()),
            Event::Code(code) => {
                pieces.extend([Piece::Open("code".into()), Piece::Text(code.into_string())]);
                Piece::Close
            }
            Event::HardBreak => Piece::Break,
            Event::Rule => {
                pieces.push(Piece::Open("hr".into()));
                Piece::Close
            }
            other => Piece::Open(format!("unexpected: {other:?}")),
        };
        match (pieces.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
            (_, piece) => pieces.push(piece),
        }
    }
    pieces
}

fn name(tag: &Tag) -> String {
    match tag {
        Tag::Paragraph => "p".into(),
        Tag::Heading { level, .. } => level.to_string(),
        Tag::BlockQuote(_) => "blockquote".into(),
        Tag::CodeBlock(_) => "pre".into(),
        Tag::List(None) => "ul".into(),
        Tag::List(Some(_)) => "ol".into(),
        Tag::Item => "li".into(),
        Tag::Table(_) => "table".into(),
        Tag::TableHead => "thead".into(),
        Tag::TableRow => "tr".into(),
        Tag::TableCell => "td".into(),
        Tag::Emphasis => "i".into(),
        Tag::Strong => "b".into(),
        Tag::Link { dest_url, .. } => format!("a {dest_url}"),
        Tag::Image { dest_url, .. } => format!("img {dest_url}"),
        other => format!("unexpected: {other:?}"),
    }
}

/// Removes front matter.
pub fn content(markdown: &str) -> &str {
    let content = markdown.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    content.map_or(markdown, |(_, content)| content)
}

/// Returns the text of pieces without white space.
pub fn letters(pieces: &[Piece]) -> String {
    let texts = pieces.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(without_space(text)),
        _ => None,
    });
    texts.collect()
}

/// Removes white space and characters that say nothing.
pub fn without_space(text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_whitespace() && !letter.is_control() && *letter != '\u{feff}')
        .collect()
}

/// Counts elements by their names.
pub fn count(pieces: &[Piece]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for piece in pieces {
        if let Piece::Open(name) = piece {
            *counts.entry(name.split(' ').next().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    counts
}

/// A document, the letters that it shows, and the number of its elements by name.
#[derive(Debug, Default)]
pub struct Document {
    pub html: String,
    pub letters: String,
    pub elements: BTreeMap<String, usize>,
}

/// Elements of generated documents, with the tags around their content.
const ELEMENTS: &[(&str, &str, &str)] = &[
    ("p", "<p>", "</p>"),
    ("", "<div>", "</div>"),
    ("", "<span>", "</span>"),
    ("b", "<b>", "</b>"),
    ("i", "<i>", "</i>"),
    ("code", "<code>", "</code>"),
    ("a", "<a href=/a(b)?c=&amp;copy;&amp;d=|`>", "</a>"),
    ("ul", "<ul><li>", "</li></ul>"),
    ("ol", "<ol start=7><li>", "</li></ol>"),
    ("blockquote", "<blockquote>", "</blockquote>"),
    ("h2", "<h2>", "</h2>"),
    ("table", "<table><tr><td>", "</td></tr></table>"),
    ("pre", "<pre>", "</pre>"),
    ("", "<x-y>", "</x-y>"),
];

/// Numbers that choose what to do: an element, its end, a break, or nothing.
const CHOICES: usize = ELEMENTS.len() + 16;

/// Makes a document of parts: a number that chooses what to do, and a text.
pub fn document<'a>(parts: impl IntoIterator<Item = (u8, &'a str)>) -> Document {
    let mut document = Document::default();
    let mut open: Vec<usize> = Vec::new();
    for (choice, text) in parts {
        match usize::from(choice) % CHOICES {
            number if number < ELEMENTS.len() => {
                // A block ends a paragraph, and a link ends a link.
                let is_misplaced = |other: &usize| {
                    let (outer, inner) = (ELEMENTS[*other].0, ELEMENTS[number].0);
                    outer == "p" && !matches!(inner, "" | "b" | "i" | "code" | "a")
                        || outer == "a" && inner == "a"
                };
                if open.len() < 40 && !open.iter().any(is_misplaced) {
                    let (name, start, _) = ELEMENTS[number];
                    document.html.push_str(start);
                    *document.elements.entry(name.to_owned()).or_default() += 1;
                    open.push(number);
                }
            }
            number if number < ELEMENTS.len() + 4 => {
                if let Some(number) = open.pop() {
                    document.html.push_str(ELEMENTS[number].2);
                }
            }
            number if number == ELEMENTS.len() + 4 => document.html.push_str("<br>"),
            number if number == ELEMENTS.len() + 5 => {
                let between = match open.last().map(|number| ELEMENTS[*number].0) {
                    Some("table") => "</td><td>",
                    Some("ul" | "ol") => "</li><li>",
                    _ => " ",
                };
                document.html.push_str(between);
            }
            number
                if number == ELEMENTS.len() + 6
                    && open.last().map(|number| ELEMENTS[*number].0) == Some("table") =>
            {
                document.html.push_str("</td></tr><tr><td>");
            }
            _ => {}
        }
        document.html.push_str(&escaped(text));
        document.letters.push_str(&without_space(text));
    }
    for number in open.into_iter().rev() {
        document.html.push_str(ELEMENTS[number].2);
    }
    document
}

/// Writes a text as HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('\0', "")
}

/// Checks that a reader is shown exactly the letters of a document, in no other elements than it has.
pub fn check(document: &Document) {
    let markdown = markdown(&document.html);
    let pieces = read(&markdown);
    assert_eq!(letters(&pieces), document.letters, "{}\n{markdown}", document.html);
    for (name, number) in count(&pieces) {
        let is_part = matches!(&*name, "p" | "li" | "thead" | "tr" | "td");
        let allowed = document.elements.get(&name).copied().unwrap_or_default();
        // A style is written in each block that it is around, and a code span beside each link in it.
        let is_repeated =
            matches!(&*name, "b" | "i" | "code") && (allowed > 0 || document.elements.contains_key("pre"));
        assert!(is_part || is_repeated || number <= allowed, "{name}: {}\n{markdown}", document.html);
    }
    assert!(markdown.ends_with('\n') && !markdown.ends_with("\n\n"));
}

/// Checks that the Markdown of any document is without HTML, and not much longer than the document.
pub fn check_any(html: &str) {
    let markdown = markdown(html);
    let pieces = read(content(&markdown));
    assert_eq!(count(&pieces).get("unexpected:"), None, "{html:?}\n{markdown}");
    assert!(markdown.len() < html.len() * 40 + 1_000, "{html:?}\n{markdown}");
}

/// Checks that htmd finds the same words in a document of plain words.
///
/// Only letters are compared, and links, code and tables are no part of the document: htmd writes a style around blocks,
/// empty code and the parts of a link around blocks as text, and leaves out cells.
pub fn check_words(parts: &[(u8, &str)]) {
    let is_read = |name: &str| !matches!(name, "a" | "code" | "pre" | "table");
    let parts = parts.iter().filter(|(choice, _)| {
        let element = ELEMENTS.get(usize::from(*choice) % CHOICES);
        element.is_none_or(|(name, ..)| is_read(name))
    });
    let words: Vec<(u8, String)> = parts.map(|(choice, text)| (*choice, plain(text))).collect();
    let document = document(words.iter().map(|(choice, text)| (*choice, &**text)));
    let theirs = htmd::convert(&document.html).expect("htmd reads from memory");
    let is_letter = |letter: &char| letter.is_ascii_lowercase();
    let theirs: String = letters(&read(&theirs)).chars().filter(is_letter).collect();
    assert_eq!(theirs, document.letters, "{}", document.html);
}

/// Makes a text a word of small letters.
fn plain(text: &str) -> String {
    let letters = text.chars().map(|letter| if letter.is_ascii_lowercase() { letter } else { ' ' });
    "w".chars().chain(letters).collect()
}
