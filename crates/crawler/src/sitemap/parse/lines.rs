//! A sitemap in plain text: one address per line. Used by `parse_sitemap`. Must never hold a line of any length.

use std::io::{self, BufRead};

use super::{FileKind, Listed, MAX_URL_BYTES, ParseError, Parsed};
use crate::sitemap::decode::Text;

/// Hands out the lines that are addresses.
pub(super) fn read_lines(
    mut text: Text<'_>,
    most: usize,
    each: &mut dyn FnMut(Listed),
) -> Result<Parsed, ParseError> {
    let mut parsed =
        Parsed { kind: FileKind::Text, is_cut: false, bad_lastmods: 0, bytes: 0, has_more_entries: false };
    let mut count = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = read_bounded_line(&mut text, &mut line).map_err(ParseError::Read)?;
        if read == 0 {
            break;
        }
        let Some(loc) = std::str::from_utf8(&line).ok().map(str::trim) else { continue };
        if !is_address(loc) {
            continue;
        }
        if count == most {
            (parsed.is_cut, parsed.has_more_entries) = (true, true);
            break;
        }
        count += 1;
        each(Listed { loc: loc.to_owned(), ..Listed::default() });
    }
    parsed.is_cut |= text.is_cut();
    parsed.bytes = text.bytes();
    if count == 0 {
        return Err(ParseError::NotASitemap("text without an address".to_owned()));
    }
    Ok(parsed)
}

/// Reads to the end of the line and keeps its first bytes; answers how many bytes it read.
fn read_bounded_line(text: &mut Text<'_>, line: &mut Vec<u8>) -> io::Result<usize> {
    let mut total = 0;
    loop {
        let available = text.fill_buf()?;
        let end = available.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let taken = end.map_or(available.len(), |at| at + 1);
        let room = (MAX_URL_BYTES + 1).saturating_sub(line.len());
        line.extend_from_slice(&available[..taken.min(room)]);
        text.consume(taken);
        total += taken;
        if end.is_some() || taken == 0 {
            return Ok(total);
        }
    }
}

fn is_address(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    text.len() <= MAX_URL_BYTES
        && scheme
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
}
