//! Blanks what stands in the text but is not read as words: addresses, e-mail addresses, citation markers.
//! Used by `prose` alone. Lengths stay as they are, so that every offset stays valid.

use std::ops::Range;

use linkify::{LinkFinder, LinkKind};

use super::{MarkKind, Prose, TextLink};
use crate::analysis::prose::hosts;

/// Longest citation marker, in bytes.
const MAX_MARKER_BYTES: usize = 60;

/// Opening and closing character of a marker that some assistants leave in their text, in the private use area.
const PRIVATE_MARKERS: (char, char) = ('\u{e200}', '\u{e201}');

/// Replaces addresses and markers by spaces, and adds the addresses that stand bare in the text to the links.
pub fn blank(prose: &mut Prose) {
    let mut hidden: Vec<Range<usize>> = Vec::new();
    for mark in &prose.marks {
        if matches!(mark.kind, MarkKind::LinkLabel(_)) && is_no_word(&prose.text[mark.range.clone()]) {
            hidden.push(mark.range.clone());
        }
    }
    let mut bare = bare_addresses(&prose.text);
    // An address in a label that is hidden already is a link already.
    bare.retain(|link| {
        !hidden.iter().any(|range| range.start <= link.label.start && link.label.end <= range.end)
    });
    hidden.extend(bare.iter().map(|link| link.label.clone()));
    markers(&prose.text, &mut hidden);
    prose.links.extend(bare.into_iter().filter(|link| !link.url.starts_with("mailto:")));
    prose.links.retain(|link| !link.url.starts_with("mailto:"));

    let mut bytes = std::mem::take(&mut prose.text).into_bytes();
    for range in hidden {
        bytes[range].fill(b' ');
    }
    prose.text = String::from_utf8(bytes).expect("whole characters were replaced by spaces");
}

/// Decides whether a link's label is an address or a number, which nobody reads as a name.
///
/// A host in mixed case without a path is kept: `Booking.com` is a name.
fn is_no_word(label: &str) -> bool {
    let label = label.trim().trim_matches(['(', ')', '[', ']']);
    if label.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ' | '+' | '^' | '-')) {
        return true;
    }
    let lower = label.to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") || lower.starts_with("www.") {
        return true;
    }
    let (host, path) = label.split_once('/').unwrap_or((label, ""));
    (host == lower.split('/').next().unwrap_or_default() || !path.is_empty()) && hosts::is_host(host)
}

/// Finds addresses and e-mail addresses that stand in the text. The latter become `mailto:` links.
fn bare_addresses(text: &str) -> Vec<TextLink> {
    let mut finder = LinkFinder::new();
    finder.url_can_be_iri(false);
    let mut found: Vec<TextLink> = Vec::new();
    for link in finder.links(text) {
        let end = match link.kind() {
            LinkKind::Url => link.end() + rest_of_address(&text[link.end()..]),
            _ => link.end(),
        };
        if found.last().is_some_and(|before| link.start() < before.label.end) {
            continue;
        }
        let address = &text[link.start()..end];
        let url = match link.kind() {
            LinkKind::Url => address.to_owned(),
            _ => format!("mailto:{address}"),
        };
        found.push(TextLink { url, label: link.start()..end });
    }
    found
}

/// Returns the bytes by which an address goes on in letters outside ASCII, such as those of `müller.example`.
///
/// Scripts without spaces end an address: in `https://shop.test/を見る` the rest is a sentence.
fn rest_of_address(after: &str) -> usize {
    let goes_on = |c: char| {
        c.is_ascii_graphic() && !matches!(c, ')' | ']' | '>' | '"' | ',' | ';')
            || ('\u{c0}'..'\u{24f}').contains(&c)
    };
    if !after.starts_with(|c| ('\u{c0}'..'\u{24f}').contains(&c)) {
        return 0;
    }
    let rest = after.find(|c| !goes_on(c)).unwrap_or(after.len());
    after[..rest].trim_end_matches(['.', '!', '?', ':']).len()
}

/// Finds citation markers: `[1]`, `[1, 2]`, `【1†source】`, and private use sequences.
fn markers(text: &str, hidden: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while let Some(next) = text[at..].find(['[', '【', PRIVATE_MARKERS.0]) {
        let start = at + next;
        let opening = text[start..].chars().next().expect("find returned the start of a character");
        let inside = start + opening.len_utf8();
        at = inside;
        let closing = match opening {
            '[' => ']',
            '【' => '】',
            _ => PRIVATE_MARKERS.1,
        };
        let window = &text[inside..];
        let window = &window[..window.floor_char_boundary(MAX_MARKER_BYTES)];
        let Some(end) = window.find(closing) else { continue };
        let content = &window[..end];
        let is_marker = match opening {
            '[' => is_numbers(content),
            '【' => content.contains('†') || is_numbers(content),
            _ => true,
        };
        if is_marker {
            at = inside + end + closing.len_utf8();
            hidden.push(start..at);
        }
    }
}

fn is_numbers(content: &str) -> bool {
    let numbers = content.trim_start_matches('^');
    numbers.starts_with(|c: char| c.is_ascii_digit())
        && numbers.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ' | '-' | '–'))
}
