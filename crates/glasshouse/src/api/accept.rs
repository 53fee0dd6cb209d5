//! `Accept` and `Accept-Encoding`: what a client takes, and how much it likes it. Pure. The one parser of quality values.

use http::{HeaderMap, header};

/// One entry of such a header.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preference<'a> {
    /// A media range or a content coding, as it was sent.
    pub value: &'a str,
    /// From 0 (never) to 1; 1 when it is not given, 0 when it cannot be read.
    pub quality: f32,
}

/// The entries of one header line, in the order in which they were sent.
pub fn preferences(line: &str) -> impl Iterator<Item = Preference<'_>> {
    line.split(',').map(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let value = parts.next().unwrap_or_default();
        let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let quality = quality.map_or(1.0, |text| text.trim().parse().unwrap_or(0.0));
        Preference { value, quality: if quality > 0.0 { f32::min(quality, 1.0) } else { 0.0 } }
    })
}

/// Whether `accept-encoding` names gzip, or everything, with a quality above zero.
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    takes_coding(headers, "gzip")
}

/// Returns true when `accept-encoding` names this content coding, or everything else, with a quality above zero.
pub fn takes_coding(headers: &HeaderMap, coding: &str) -> bool {
    let lines = || headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let offer =
        |wanted: &str| lines().flat_map(preferences).find(|offer| offer.value.eq_ignore_ascii_case(wanted));
    offer(coding).or_else(|| offer("*")).is_some_and(|offer| offer.quality > 0.0)
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
    }

    #[test]
    fn a_quality_that_cannot_be_read_is_no_welcome() {
        for line in ["br;q=x", "br;q=", "br;q=-1", "br;q=NaN", "br;q=0", "br;q=0.000"] {
            assert_eq!(parsed(line), [("br", 0.0)], "{line}");
        }
        assert_eq!(parsed("br;q=inf"), [("br", 1.0)]);
    }
}
