//! Declarations of the elements of a head: metas, canonicals, language versions, icons, style sheets. Used by the collector.

use super::attributes::{has_token, is_filled};
use super::caps::{MAX_DECLARATIONS, MAX_ELEMENTS, keep};
use super::facts::{Alternate, Meta, PageFacts, PageStep, Resource, ResourceKind};
use super::names::Attr;
use super::srcset::candidates;
use super::text::collapse;
use super::tokens::Tag;

/// Reads a `meta` element; `is_late`: it stands past the bytes in which an encoding has to be declared.
pub fn read_meta(facts: &mut PageFacts, tag: &Tag, in_head: bool, is_late: bool) {
    let content = tag.attr(Attr::Content);
    let equivalent = tag.attr(Attr::HttpEquiv).unwrap_or_default().trim().to_ascii_lowercase();
    let charset = tag.attr(Attr::Charset).map(str::to_owned).or_else(|| {
        let content = content.filter(|_| equivalent == "content-type")?.to_ascii_lowercase();
        let (_, charset) = content.split_once("charset=")?;
        Some(charset.trim_matches(['"', '\'', ' ', ';']).to_owned())
    });
    if let Some(charset) = charset.filter(|charset| !charset.trim().is_empty())
        && facts.meta_charset.is_none()
    {
        facts.meta_charset = Some(charset.trim().to_ascii_lowercase());
        facts.charset_is_late = is_late;
    }
    if equivalent == "refresh" && !facts.has_refresh {
        facts.has_refresh = true;
        facts.refresh = collapse(content.unwrap_or_default());
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

fn keep_meta(facts: &mut PageFacts, name: String, content: Option<&str>, in_head: bool) {
    let meta = Meta { name, content: collapse(content.unwrap_or_default()), in_head };
    keep(&mut facts.metas, meta, MAX_ELEMENTS, &mut facts.left_out);
}

/// Reads a `link` element.
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
