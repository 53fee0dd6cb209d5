//! The row of a page: fields for reports, values that joins compare, and the addresses that the page names.

use std::sync::LazyLock;

use regex::Regex;

use crate::checks::title_is_placeholder;
use crate::page::PageFacts;
use crate::page::caps::MAX_ELEMENTS;
use crate::page::challenge::is_challenge;
use crate::page::sketch::short_hash;
use crate::page::text::fold;
use crate::page::view::{Page, effective_canonical};
use crate::site::{Difference, Fingerprints, PageFields, Row, anchor_hash};

/// Characters that are kept of a field, and preview metas: pages of megabytes must not become rows of megabytes.
pub(super) const MAX_FIELD_CHARS: usize = 1000;
const MAX_SOCIAL_TAGS: usize = 60;
/// Characters after a copyright sign in which a year is looked for.
const YEAR_DISTANCE: usize = 20;

/// Fills in what checks ask of the row later.
pub(super) fn fill_row(page: &Page, row: &mut Row) {
    let facts = page.facts;
    row.rows = Some(page.rows());
    row.is_noindex = page.is_noindex();
    row.left_out = u32::try_from(page.left_out()).unwrap_or(u32::MAX);
    row.is_nofollow = page.directives.nofollow();
    row.has_csp_meta = facts.meta("content-security-policy").next().is_some();
    row.has_icon = facts.has_icon;
    row.words = u32::try_from(page.words).unwrap_or(u32::MAX);
    // Only the start page is asked for it.
    if row.is_seed || page.key == "/" {
        row.copyright_year = copyright_year(&facts.visible_text);
    }
    row.is_render_challenged = page.input.rendered.is_some_and(|(rendered, _)| {
        (rendered.status == 403 || is_challenge(&rendered.html)) && page.input.response.status == 200
    });
    let names = facts.ids.iter().chain(&facts.anchor_names);
    let mut anchors: Vec<u64> = names.map(|name| anchor_hash(name)).collect();
    anchors.sort_unstable();
    row.named().anchors = anchors;
    let is_cut = !page.was_rendered() && page.input.response.is_cut;
    row.named().anchors_are_cut = is_cut || page.facts.ids.len() >= MAX_ELEMENTS;
    let title = facts.title().filter(|title| !title.is_empty() && !title_is_placeholder(title));
    let language = facts.lang.as_deref().unwrap_or_default().to_ascii_lowercase();
    row.fingerprints = Fingerprints {
        title: title.map(|title| short_hash(&format!("{language}\n{}", fold(title)))),
        description: facts.description().filter(|text| !text.is_empty()).map(|text| short_hash(&fold(text))),
        h1: facts.h1().map(|text| short_hash(&fold(text))),
        text: facts.measures.hash,
    };
    row.named().sketch = if page.words >= 50 { facts.measures.sketch.clone() } else { None };
}

/// Finds the newest year near a copyright sign.
fn copyright_year(text: &str) -> Option<u16> {
    static SIGN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)(?:©|copyright|\(c\))").expect("the expression is constant"));
    static YEAR: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b(?:199\d|20\d\d)\b").expect("the expression is constant"));
    let near = SIGN.find_iter(text).map(|sign| {
        let rest = &text[sign.end()..];
        let end = rest.char_indices().nth(YEAR_DISTANCE).map_or(rest.len(), |(at, _)| at);
        &rest[..end]
    });
    near.flat_map(|near| YEAR.find_iter(near)).filter_map(|year| year.as_str().parse().ok()).max()
}

/// Returns the fields for reports.
pub(super) fn fields(page: &Page) -> PageFields {
    let (facts, response) = (page.facts, page.input.response);
    let all_links = || page.internal_links().chain(page.external_links());
    let bom = response.bom_charset().map(str::to_ascii_lowercase);
    let charset = response.header_charset().or(bom);
    PageFields {
        load_time_ms: response.total_ms,
        title: field(facts.title().unwrap_or_default()),
        meta_desc: field(facts.first_meta("description")),
        canonical: page.canonical.as_ref().map(|url| field(url.as_str())).unwrap_or_default(),
        meta_robots: field(&meta_robots(facts)),
        h1: field(facts.h1().unwrap_or_default()),
        content_type: field(response.header("content-type")),
        last_modified: field(response.header("last-modified")),
        html_bytes: response.body.len() as u64,
        social_tags: social_tags(facts),
        viewport: field(facts.first_meta("viewport")),
        charset: charset
            .or_else(|| page.input.raw.meta_charset.as_deref().map(str::to_ascii_lowercase))
            .unwrap_or_default(),
        text_ratio: page.text_ratio(),
        readability: page.readability.score,
        internal_outlinks: page.internal_links().count(),
        external_outlinks: page.external_links().count(),
        nofollow_outlinks: all_links().filter(|(_, link)| link.is_nofollow).count(),
    }
}

/// Cuts a text to the length that a row keeps.
pub(super) fn field(text: &str) -> String {
    text.chars().take(MAX_FIELD_CHARS).collect()
}

fn meta_robots(facts: &PageFacts) -> String {
    let metas = facts.metas.iter().filter(|meta| matches!(meta.name.as_str(), "robots" | "googlebot"));
    metas.map(|meta| meta.content.as_str()).collect::<Vec<_>>().join(", ")
}

fn social_tags(facts: &PageFacts) -> std::collections::BTreeMap<String, String> {
    let mut tags = std::collections::BTreeMap::new();
    let social = |name: &str| name.starts_with("og:") || name.starts_with("twitter:");
    for meta in facts.metas.iter().filter(|meta| social(&meta.name)) {
        if tags.len() < MAX_SOCIAL_TAGS {
            tags.entry(field(&meta.name)).or_insert_with(|| field(&meta.content));
        }
    }
    tags
}

/// Lists the fields that a render changed.
pub(super) fn differences(page: &Page) -> Vec<Difference> {
    if !page.was_rendered() {
        return Vec::new();
    }
    let (raw, rendered) = (page.input.raw, page.facts);
    let text = |text: Option<&str>| field(text.unwrap_or_default());
    let canonical = |facts: &PageFacts| {
        let canonical = effective_canonical(facts, &page.base, &page.header_canonicals);
        canonical.map(|url| field(url.as_str())).unwrap_or_default()
    };
    let words = |facts: &PageFacts| facts.measures.words.to_string();
    let values = [
        ("title", text(raw.title()), text(rendered.title())),
        ("metaDesc", text(raw.description()), text(rendered.description())),
        ("canonical", canonical(raw), canonical(rendered)),
        ("metaRobots", field(&meta_robots(raw)), field(&meta_robots(rendered))),
        ("h1", text(raw.h1()), text(rendered.h1())),
        ("wordCount", words(raw), words(rendered)),
        ("links", raw.links.len().to_string(), rendered.links.len().to_string()),
    ];
    let changed = values.into_iter().filter(|(_, raw, rendered)| raw != rendered);
    changed.map(|(field, raw, rendered)| Difference { field: field.to_owned(), raw, rendered }).collect()
}
