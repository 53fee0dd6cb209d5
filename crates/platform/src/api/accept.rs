//! `Accept` and `Accept-Encoding`: content negotiation by RFC 9110. Pure. The one parser of quality values.

use http::{HeaderMap, header};

/// Media type of Markdown, which agents ask for and no browser does.
const MARKDOWN: &str = "text/markdown";
/// Media types of a page.
const PAGE_TYPES: [&str; 3] = ["text/html", "application/xhtml+xml", MARKDOWN];

/// One entry of such a header.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preference<'a> {
    /// A media range or a content coding, as it was sent.
    pub value: &'a str,
    /// Quality, above 0 and up to 1; 1 when it is not given.
    pub quality: f32,
}

/// Iterates over the entries of a header in the order in which they were sent. Entries that cannot be read are skipped.
pub fn preferences(line: &str) -> impl Iterator<Item = Preference<'_>> {
    split_unquoted(line, ',').filter_map(|entry| {
        let mut parts = split_unquoted(entry, ';').map(str::trim);
        let value = parts.next().filter(|value| value.split('/').all(is_token))?;
        let quality = parts.find_map(|part| {
            part.split_once('=').filter(|(name, _)| name.trim_end().eq_ignore_ascii_case("q"))
        });
        Some(Preference { value, quality: quality.map_or(Some(1.0), |(_, text)| quality_of(text.trim()))? })
    })
}

/// Decides whether a client's `Accept` asks for a page. Several header lines are one, joined by commas.
///
/// A bare `*/*` asks for a page; one at the end of a list of other types asks for none.
pub fn asks_for_page(accept: Option<&str>) -> bool {
    let ranges: Vec<Preference<'_>> = media_ranges(accept).collect();
    if ranges.is_empty() {
        return true;
    }
    let names = |media_type: &str| ranges.iter().any(|range| range.quality > 0.0 && range.is(media_type));
    let names_json = || ranges.iter().any(|range| is_json(range.value));
    let is_anything = || names("*/*") && ranges.iter().all(|range| range.is("*/*"));
    let asks = PAGE_TYPES.iter().copied().chain(["text/*"]).any(names)
        || (names("text/plain") && !names_json())
        || is_anything();
    // The most specific range that a type is in says whether it is admitted.
    asks && PAGE_TYPES.iter().any(|media_type| quality_for(&ranges, media_type).is_some_and(|q| q > 0.0))
}

/// Decides whether a client's `Accept` names Markdown.
pub fn names_markdown(accept: Option<&str>) -> bool {
    media_ranges(accept).any(|range| range.quality > 0.0 && range.is(MARKDOWN))
}

/// Decides whether a client's `Accept` names Markdown with a quality not below that of HTML.
pub fn prefers_markdown(accept: Option<&str>) -> bool {
    let ranges: Vec<Preference<'_>> = media_ranges(accept).collect();
    let html = quality_for(&ranges, "text/html").unwrap_or(0.0);
    ranges.iter().any(|range| range.is(MARKDOWN) && range.quality > 0.0 && range.quality >= html)
}

/// Decides whether `accept-encoding` names gzip, or everything, with a quality above zero.
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    takes_coding(headers, "gzip")
}

/// Returns true when `accept-encoding` names this content coding, or everything else, with a quality above zero.
pub fn takes_coding(headers: &HeaderMap, coding: &str) -> bool {
    let lines = || headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let offer = |wanted: &str| lines().flat_map(preferences).find(|offer| offer.is(wanted));
    offer(coding).or_else(|| offer("*")).is_some_and(|offer| offer.quality > 0.0)
}

impl Preference<'_> {
    fn is(&self, value: &str) -> bool {
        self.value.eq_ignore_ascii_case(value)
    }
}

fn media_ranges(accept: Option<&str>) -> impl Iterator<Item = Preference<'_>> {
    let ranges = accept.into_iter().flat_map(preferences);
    ranges.filter(|range| range.value.split('/').count() == 2)
}

/// Returns the quality of the most specific range that a media type is in.
fn quality_for(ranges: &[Preference<'_>], media_type: &str) -> Option<f32> {
    let main_type = media_type.split('/').next().unwrap_or_default();
    let with_main_type = format!("{main_type}/*");
    let of = |wanted: &str| {
        ranges.iter().filter(|range| range.is(wanted)).map(|range| range.quality).reduce(f32::max)
    };
    of(media_type).or_else(|| of(&with_main_type)).or_else(|| of("*/*"))
}

fn is_json(media_type: &str) -> bool {
    let media_type = media_type.to_ascii_lowercase();
    media_type.ends_with("/json") || media_type.ends_with("+json")
}

/// Reads a quality value: a decimal number from 0 to 1.
fn quality_of(text: &str) -> Option<f32> {
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|quality| is_decimal && *quality <= 1.0)
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Splits at a separator outside of quoted strings.
fn split_unquoted(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.split(move |one| {
        let was_escaped = std::mem::take(&mut is_escaped);
        match one {
            '"' if !was_escaped => is_quoted = !is_quoted,
            '\\' => is_escaped = is_quoted && !was_escaped,
            _ => {}
        }
        !is_quoted && one == separator
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Vec<(&str, f32)> {
        preferences(line).map(|preference| (preference.value, preference.quality)).collect()
    }

    #[test]
    fn an_entry_without_a_quality_is_welcome() {
        assert_eq!(parsed("gzip, br ;q=0.5"), [("gzip", 1.0), ("br", 0.5)]);
        assert_eq!(parsed("text/html;level=1;Q=0.3"), [("text/html", 0.3)]);
        assert_eq!(parsed("br;q=0, gzip;q=0.000, x;q=1.000"), [("br", 0.0), ("gzip", 0.0), ("x", 1.0)]);
    }

    #[test]
    fn an_entry_that_cannot_be_read_is_skipped() {
        for line in
            ["br;q=x", "br;q=", "br;q=-1", "br;q=NaN", "br;q=inf", "br;q=1.5", "b r", "a//b", ";q=1", ""]
        {
            assert_eq!(parsed(&format!("{line}, gzip")), [("gzip", 1.0)], "{line}");
        }
    }

    #[test]
    fn a_comma_in_quotes_ends_no_entry() {
        assert_eq!(
            parsed(r#"text/html;profile="a,b;q=0\",";q=0.4, */*"#),
            [("text/html", 0.4), ("*/*", 1.0)]
        );
    }

    #[test]
    fn what_names_a_page_or_takes_nothing_but_anything_asks_for_a_page() {
        for accept in [
            "",
            " ",
            "*/*",
            "*/*;q=0.5",
            "*/*, */*;q=0.8",
            "text/html",
            "TEXT/HTML;q=0.1",
            "text/*",
            "text/*;q=0.3, image/*",
            "application/xhtml+xml",
            "a/b, text/html",
            "text/markdown",
            "text/markdown, text/plain;q=0.9, */*;q=0.8",
            "text/plain, */*",
            "text/plain;q=0.9, application/*",
            "text/html, application/json",
            "text/html;profile=\"a,b\"",
            // Nothing of these can be read, or what can is a page.
            "x",
            "text/html;q=x",
            "*/*;q=2",
            "html, text/html",
            "text/html;q=0, */*, text/markdown",
        ] {
            assert!(asks_for_page(Some(accept)), "{accept:?}");
        }
        assert!(asks_for_page(None));
    }

    #[test]
    fn what_asks_for_data_or_pictures_asks_for_no_page() {
        for accept in [
            "application/json, text/plain, */*",
            "application/ld+json;q=0.5, text/plain, */*",
            "image/avif,*/*;q=0.8",
            "text/css,*/*;q=0.1",
            "*/*;q=0",
            "text/html;q=0",
            "text/html;q=0, application/json",
            "text/html;q=0.0, */*",
            "text/plain",
            "text/plain;q=0, */*",
            "application/json",
            "application/*",
            "image/*, bad member, */*",
            "text/*;q=0, */*",
            "text/plain;level=\"text/html\"",
        ] {
            assert!(!asks_for_page(Some(accept)), "{accept:?}");
        }
    }

    #[test]
    fn markdown_is_preferred_when_its_quality_is_not_below_that_of_html() {
        for accept in [
            "text/markdown",
            "text/markdown, text/html",
            "text/markdown, text/plain;q=0.9, */*;q=0.8",
            "text/html;q=0.9, text/markdown",
            "text/html;q=0.5, text/Markdown;variant=GFM;q=0.5, */*",
            "text/markdown;q=0.1, application/json",
            "text/html;q=0, text/markdown;q=0.1, */*",
        ] {
            assert!(prefers_markdown(Some(accept)), "{accept:?}");
        }
        for accept in [
            "text/markdown;q=0.8, text/html",
            "text/markdown;q=0.5, text/*",
            "text/markdown;q=0.7, */*",
            "*/*",
            "",
        ] {
            assert!(!prefers_markdown(Some(accept)), "{accept:?}");
        }
        assert!(!prefers_markdown(None));
    }

    #[test]
    fn markdown_is_named_or_not() {
        for accept in ["text/markdown", "text/html, Text/Markdown;variant=GFM;q=0.1", "x, text/markdown"] {
            assert!(names_markdown(Some(accept)), "{accept:?}");
        }
        for accept in ["text/markdown;q=0", "text/*", "*/*", "text/x-markdown", "a/b;c=\"text/markdown\"", ""]
        {
            assert!(!names_markdown(Some(accept)), "{accept:?}");
        }
    }
}
