//! Markdown of a page, made from its HTML: front matter, then CommonMark with GFM tables. Used by the application for
//! snapshots that agents ask for. Pure.
//! Must take time and memory in proportion to the document, and must never let text of the page become Markdown or HTML.
//! See docs/decisions/0037.

mod addresses;
mod blocks;
mod composition;
mod elements;
mod escapes;
mod inline;
mod metadata;
mod parser;
mod root;
mod spans;
mod tables;
mod tree;
mod walk;

use url::Url;

/// Maximum length of the content of short documents, in bytes.
const SPARE_BYTES: usize = 1024 * 1024;

/// Form of a page for agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Markdown {
    /// Front matter, an empty line and the content. Ends with one newline.
    pub text: String,
    /// Canonical address that the page states in its head, else the address that it was made for.
    pub canonical: Url,
    /// Estimated number of tokens: a quarter of the text's code points, rounded up.
    pub tokens: usize,
}

/// Converts a page, rendered HTML with declarative shadow roots, to Markdown.
///
/// Relative addresses are resolved against the page's `<base>`, else against `address`. The content is that of `main`,
/// else of the only `article`, else of the body without its navigation. `aria-hidden` is ignored on a page that hides
/// all of its content so. The parser repairs omitted tags only, since snapshots are written by a browser.
///
/// Documents that would grow, by nesting or by long addresses, are bounded: quotes and items deeper than sixteen are
/// written at the sixteenth level. The content is at most twice as long as the document, or 1 MiB if that is longer: the
/// first block that would exceed the bound and all after it are left out, and a last line says so. Links beyond four times
/// the length of the document are their text.
pub fn convert(html: &str, address: &Url) -> Markdown {
    let (mut tree, metadata) = parser::parse(html);
    composition::compose(&mut tree);
    let base = metadata.base(address);
    let canonical = metadata.canonical(&base).unwrap_or_else(|| address.clone());
    let start = root::find(&tree);
    let content = |shows_aria_hidden| {
        let addresses = addresses::PageAddresses::new(&base, html.len());
        let blocks = blocks::BlockWriter::new(max_content_bytes(html.len()));
        walk::content(&tree, start, walk::BoundedOutput { addresses, blocks }, shows_aria_hidden)
    };
    let content = content(false).or_else(|| content(true));
    let front_matter = metadata.front_matter(&base, &canonical);
    let parts = [front_matter, content];
    let mut text = parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
    text.push('\n');
    let tokens = text.chars().count().div_ceil(4);
    Markdown { text, canonical, tokens }
}

/// Returns the maximum length of the content of a document with this length; both in bytes.
fn max_content_bytes(document_bytes: usize) -> usize {
    (document_bytes * 2).max(SPARE_BYTES)
}
