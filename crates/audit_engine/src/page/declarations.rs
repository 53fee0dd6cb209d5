//! Declarations of the elements of a head: metas, canonicals, language versions, icons, style sheets. Used by the collector.

use encoding_rs::Encoding;

use super::attributes::{has_token, is_filled};
use super::caps::{MAX_DECLARATIONS, MAX_ELEMENTS, keep};
use super::facts::{Alternate, Meta, PageFacts, PageStep, Resource, ResourceKind};
use super::names::{Attr, Name};
use super::srcset::candidates;
use super::text::collapse;
use super::tokens::{Tag, Token, Tokens};

/// Reads a `meta` element; `is_late`: it is past the bytes in which an encoding has to be declared.
pub fn read_meta(facts: &mut PageFacts, tag: &Tag, in_head: bool, is_late: bool) {
    let content = tag.attr(Attr::Content);
    let equivalent = tag.attr(Attr::HttpEquiv).unwrap_or_default().trim().to_ascii_lowercase();
    let is_known = |label: &str| Encoding::for_label(label.as_bytes()).is_some();
    if let Some(charset) = declared_charset(tag)
        && facts.meta_charset.as_deref().is_none_or(|before| is_known(&charset) && !is_known(before))
    {
        facts.meta_charset = Some(charset);
        facts.charset_is_late = is_late;
    }
    if equivalent == "refresh" {
        facts.has_refresh = true;
        facts.refresh = facts.refresh.take().or_else(|| refresh_of(tag));
    }
    if equivalent == "content-security-policy" {
        keep_meta(facts, equivalent, content, in_head);
    }
    let names = [tag.attr(Attr::Name), tag.attr(Attr::Property)];
    let mut names: Vec<String> =
        names.into_iter().flatten().map(|name| name.trim().to_ascii_lowercase()).collect();
    names.dedup();
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        keep_meta(facts, name, content, in_head);
    }
}

/// Finds the refresh in a text of `noscript`: crawlers that run no scripts follow it.
pub fn refresh_in(text: &str) -> Option<String> {
    let mut tokens = Tokens::new(text);
    while let Some(token) = tokens.next(false) {
        if token == Token::Start && tokens.tag.name == Name::of("meta") {
            let target = refresh_of(&tokens.tag);
            if target.is_some() {
                return target;
            }
        }
    }
    None
}

/// Returns the address that a `meta` element leads to after a while, if it is a refresh to one.
fn refresh_of(tag: &Tag) -> Option<String> {
    let is_refresh = tag.attr(Attr::HttpEquiv)?.trim().eq_ignore_ascii_case("refresh");
    refresh_target(tag.attr(Attr::Content)?).filter(|_| is_refresh).map(str::to_owned)
}

/// Returns the address in the content of a refresh (HTML standard, "shared declarative refresh steps"); none: the page itself.
fn refresh_target(content: &str) -> Option<&str> {
    let is_time = |c: char| c.is_ascii_digit() || c == '.';
    let time = content.trim_ascii_start();
    let rest = time.trim_start_matches(is_time);
    if rest.len() == time.len() {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii_start();
    let named = rest.get(..3).filter(|name| name.eq_ignore_ascii_case("url"));
    let value = named.and_then(|_| rest[3..].trim_ascii_start().strip_prefix('=')).map(str::trim_ascii_start);
    let url = value.unwrap_or(rest);
    let url = match url.as_bytes().first()? {
        quote @ (b'"' | b'\'') => url[1..].split(char::from(*quote)).next()?,
        _ => url,
    };
    Some(url.trim_ascii()).filter(|url| !url.is_empty())
}

/// Returns the label of the encoding that a `meta` element declares, lower case; it may be none that exists.
pub fn declared_charset(tag: &Tag) -> Option<String> {
    let label = match tag.attr(Attr::Charset) {
        Some(label) => label,
        None => {
            let equivalent = tag.attr(Attr::HttpEquiv)?.trim();
            charset_in(tag.attr(Attr::Content)?)
                .filter(|_| equivalent.eq_ignore_ascii_case("content-type"))?
        }
    };
    Some(label.trim().to_ascii_lowercase()).filter(|label| !label.is_empty())
}

/// Finds a charset in a content type as a `meta` has it (HTML standard, "extracting a character encoding from a meta element").
fn charset_in(content: &str) -> Option<&str> {
    const NAME: &str = "charset";
    let lower = content.to_ascii_lowercase();
    let value = lower.match_indices(NAME).find_map(|(at, _)| {
        content[at + NAME.len()..].trim_ascii_start().strip_prefix('=').map(str::trim_ascii_start)
    })?;
    match value.as_bytes().first()? {
        quote @ (b'"' | b'\'') => value[1..].split_once(char::from(*quote)).map(|(label, _)| label),
        _ => value.split(|c: char| c == ';' || c.is_ascii_whitespace()).next(),
    }
}

fn keep_meta(facts: &mut PageFacts, name: String, content: Option<&str>, in_head: bool) {
    let meta = Meta { name, content: collapse(content.unwrap_or_default()), in_head };
    keep(&mut facts.metas, meta, MAX_ELEMENTS, &mut facts.left_out);
}

pub fn read_link_element(facts: &mut PageFacts, tag: &Tag, in_head: bool) {
    let rel = tag.attr(Attr::Rel);
    let href = tag.attr(Attr::Href);
    if has_token(rel, "canonical") {
        let canonicals = facts.canonicals.of(in_head);
        keep(canonicals, href.map(str::to_owned), MAX_DECLARATIONS, &mut facts.left_out);
    }
    if let (true, Some(lang)) = (has_token(rel, "alternate"), tag.attr(Attr::Hreflang)) {
        let alternate = Alternate { lang: lang.trim().to_owned(), href: href.unwrap_or_default().to_owned() };
        let alternates = facts.alternates.of(in_head);
        keep(alternates, alternate, MAX_DECLARATIONS, &mut facts.left_out);
    }
    for (token, step) in [("next", PageStep::Next), ("prev", PageStep::Previous)] {
        if let Some(href) = href.filter(|_| has_token(rel, token)) {
            let steps = &mut facts.pagination;
            keep(steps, (step, href.to_owned()), MAX_DECLARATIONS, &mut facts.left_out);
        }
    }
    facts.has_icon |= has_token(rel, "icon") && is_filled(href);
    let kind = if has_token(rel, "stylesheet") { ResourceKind::Stylesheet } else { ResourceKind::Other };
    keep_resource(facts, kind, href);
}

/// Keeps something that the document loads, if it has an address.
pub fn keep_resource(facts: &mut PageFacts, kind: ResourceKind, url: Option<&str>) {
    if let Some(url) = url {
        let resource = Resource { kind, url: url.to_owned() };
        keep(&mut facts.resources, resource, MAX_ELEMENTS, &mut facts.left_out);
    }
}

/// Keeps the pictures that a `srcset` names.
pub fn keep_candidates(facts: &mut PageFacts, srcset: Option<&str>) {
    let urls = srcset.into_iter().flat_map(candidates);
    urls.for_each(|url| keep_resource(facts, ResourceKind::Candidate, Some(url)));
}
