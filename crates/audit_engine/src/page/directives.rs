//! Directives of robots metas and `X-Robots-Tag` headers for crawlers of one page. Pure.

use std::collections::BTreeSet;

use http::HeaderMap;

use super::PageFacts;

/// Directives that search engines and AI crawlers know, without those that have a value.
const KNOWN: &[&str] = &[
    "all",
    "index",
    "follow",
    "noindex",
    "nofollow",
    "none",
    "noarchive",
    "nocache",
    "nosnippet",
    "noimageindex",
    "notranslate",
    "nositelinkssearchbox",
    "indexifembedded",
    "noodp",
    "noydir",
    "noai",
    "noimageai",
];

/// The directives of a page, lower case.
#[derive(Debug, Clone, Default)]
pub struct Directives {
    /// Directives of metas.
    pub meta: BTreeSet<String>,
    /// Directives of headers.
    pub header: BTreeSet<String>,
}

impl Directives {
    /// Reads those that bind every crawler or Googlebot.
    pub fn of(facts: &PageFacts, headers: &HeaderMap) -> Directives {
        Directives::for_agent("googlebot", facts, headers)
    }

    /// Reads those that bind every crawler or the one that robots.txt calls `own`.
    pub fn for_agent(own: &str, facts: &PageFacts, headers: &HeaderMap) -> Directives {
        let mut meta = BTreeSet::new();
        let is_bound = |name: &str| name == "robots" || name.eq_ignore_ascii_case(own);
        for tag in facts.metas.iter().filter(|tag| is_bound(&tag.name)) {
            meta.extend(tokens(&tag.content));
        }
        let mut header = BTreeSet::new();
        for line in headers.get_all("x-robots-tag") {
            let line = String::from_utf8_lossy(line.as_bytes());
            // An agent's name binds what follows it, up to the next name.
            let mut is_bound = true;
            for token in tokens(&line) {
                let (agent, directive) = split_agent(&token);
                is_bound = agent.map_or(is_bound, |agent| agent.eq_ignore_ascii_case(own));
                if is_bound && !directive.is_empty() {
                    header.extend(tokens(directive));
                }
            }
        }
        Directives { meta, header }
    }

    /// Returns true when a meta or a header has a directive.
    pub fn has(&self, directive: &str) -> bool {
        self.meta.contains(directive) || self.header.contains(directive)
    }

    /// Returns every directive once.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.meta.union(&self.header).map(String::as_str)
    }

    /// Metas keep the page out of the index.
    pub fn meta_noindex(&self) -> bool {
        self.meta.contains("noindex") || self.meta.contains("none")
    }

    /// Returns true when headers keep the page out of the index.
    pub fn header_noindex(&self) -> bool {
        self.header.contains("noindex") || self.header.contains("none")
    }

    /// Returns true when links of the page are not to be followed.
    pub fn nofollow(&self) -> bool {
        self.has("nofollow") || self.has("none")
    }

    /// Returns true when results may not show text of the page.
    pub fn nosnippet(&self) -> bool {
        self.has("nosnippet") || self.has("max-snippet:0")
    }

    /// Returns true when two directives contradict each other.
    pub fn contradict(&self) -> bool {
        let says = |directive: &str, short: &str| self.has(directive) || self.has(short);
        says("index", "all") && says("noindex", "none") || says("follow", "all") && says("nofollow", "none")
    }

    /// Directives that no crawler knows.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.all().filter(|directive| !is_known(directive))
    }

    /// Returns the date after which the page should leave the index, in epoch milliseconds.
    pub fn unavailable_after(&self) -> Option<i64> {
        self.all().find_map(|directive| parse_date(directive.strip_prefix("unavailable_after:")?))
    }
}

/// Divides an agent's name from the directive behind it; a directive with a value is not a name.
fn split_agent(token: &str) -> (Option<&str>, &str) {
    match token.split_once(':') {
        Some((name, rest)) if !has_value(name.trim()) => (Some(name.trim()), rest.trim()),
        _ => (None, token),
    }
}

fn has_value(name: &str) -> bool {
    matches!(name, "max-snippet" | "max-video-preview" | "max-image-preview" | "unavailable_after")
}

/// Splits at commas that are not part of a date.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for part in text.to_ascii_lowercase().split(',') {
        let part = part.trim();
        // "unavailable_after: Wednesday, 25-Jun-25 15:00:00 GMT": the name of the day ends with a comma.
        let continues_date = tokens.last().is_some_and(|last| last.contains("unavailable_after:"))
            && part.starts_with(|c: char| c.is_ascii_digit());
        match tokens.last_mut() {
            Some(last) if continues_date => *last = format!("{last}, {part}"),
            _ if part.is_empty() => {}
            _ => tokens.push(match part.split_once(':') {
                Some((name, value)) => format!("{}:{}", name.trim(), value.trim()),
                None => part.to_owned(),
            }),
        }
    }
    tokens
}

fn is_known(directive: &str) -> bool {
    let is_limit = |value: &str| value.parse::<i64>().is_ok_and(|limit| limit >= -1);
    match directive.split_once(':') {
        None => KNOWN.contains(&directive),
        Some(("max-snippet" | "max-video-preview", value)) => is_limit(value),
        Some(("max-image-preview", value)) => matches!(value, "none" | "standard" | "large"),
        Some(("unavailable_after", value)) => parse_date(value).is_some(),
        Some(_) => false,
    }
}

/// Parses a date of ISO 8601, RFC 822 or RFC 850.
fn parse_date(text: &str) -> Option<i64> {
    // Dates were folded to lower case with the directives.
    let text = text.trim().to_ascii_uppercase();
    if let Some(ms) = crawler::sitemap::parse_lastmod(&text) {
        return Some(ms);
    }
    // The name of a day says nothing that the date does not say.
    let date = text.split_once(',').filter(|(day, _)| day.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let date = date.map_or(&*text, |(_, date)| date.trim());
    let (date, zone) = date.rsplit_once(' ')?;
    // Of an offset the sign stays.
    let zone = if zone == "UTC" { "GMT" } else { zone };
    let date = format!("{} {zone}", date.replace('-', " "));
    let parsed = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(&date).ok()?;
    Some(parsed.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Provenance, scan};

    fn directives(metas: &[&str], headers: &[&str]) -> Directives {
        let html: String =
            metas.iter().map(|content| format!("<meta name=Robots content=\"{content}\">")).collect();
        let mut map = HeaderMap::new();
        headers.iter().for_each(|header| _ = map.append("x-robots-tag", header.parse().unwrap()));
        Directives::of(&scan(&html, Provenance::Raw), &map)
    }

    #[test]
    fn a_header_for_another_agent_binds_nobody_else() {
        assert!(directives(&[], &["googlebot: noindex, nofollow"]).header_noindex());
        assert!(!directives(&[], &["otherbot: noindex, nofollow"]).nofollow());
        assert!(directives(&[], &["max-snippet: 0, NOINDEX"]).header_noindex());
    }

    #[test]
    fn several_agents_in_one_line_are_told_apart() {
        for (line, noindex, nofollow) in [
            ("googlebot: noindex, otherbot: nofollow", true, false),
            ("otherbot: nofollow, noindex, Googlebot: max-snippet:5, nofollow", false, true),
            ("noindex, otherbot: nofollow", true, false),
            (
                "otherbot: unavailable_after: Wed, 25 Jun 2025 15:00:00 GMT, noindex, googlebot: nofollow",
                false,
                true,
            ),
            ("googlebot-news: noindex, nofollow", false, false),
            ("googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", true, false),
        ] {
            let read = directives(&[], &[line]);

            assert_eq!((read.header_noindex(), read.nofollow()), (noindex, nofollow), "{line}");
            assert_eq!(read.unknown().count(), 0, "{line}");
        }
    }

    #[test]
    fn dates_are_read_in_every_form_that_search_engines_take() {
        for (date, expected) in [
            ("25 Jun 2010 15:00:00 PST", 1_277_506_800_000),
            ("Friday, 25-Jun-10 15:00:00 GMT", 1_277_478_000_000),
            ("Fri, 25 Jun 2010 15:00:00 UTC", 1_277_478_000_000),
            ("25 Jun 2010 15:00:00 +0200", 1_277_470_800_000),
            ("2010-06-25T15:00:00Z", 1_277_478_000_000),
        ] {
            let read = directives(&[], &[&format!("unavailable_after: {date}, noarchive")]);

            assert_eq!(read.unavailable_after(), Some(expected), "{date}");
            assert!(read.has("noarchive"), "{date}");
        }
    }

    #[test]
    fn none_is_noindex_and_nofollow() {
        let none = directives(&["none"], &[]);

        assert!(none.meta_noindex() && none.nofollow() && !none.contradict());
        assert!(directives(&["none", "index"], &[]).contradict());
        assert!(directives(&["all"], &["nofollow"]).contradict());
    }

    #[test]
    fn unknown_directives_and_values_are_named() {
        let directives = directives(
            &[
                "noindx, max-snippet:x, max-image-preview:large, unavailable_after: Wed, 25 Jun 2025 15:00:00 GMT",
            ],
            &[],
        );

        assert_eq!(directives.unknown().collect::<Vec<_>>(), ["max-snippet:x", "noindx"]);
        assert_eq!(directives.unavailable_after(), Some(1_750_863_600_000));
    }
}
