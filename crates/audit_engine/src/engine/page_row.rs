//! What the row of a page keeps of it: what reports show, what joins compare, and what it names.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::crawl::Crawl;
use crate::address::Target;
use crate::checks::title_is_placeholder;
use crate::page::challenge::is_challenge;
use crate::page::sketch::short_hash;
use crate::page::text::fold;
use crate::page::view::{GOOGLEBOT, Page, effective_canonical};
use crate::page::{Link, PageFacts, ResourceKind};
use crate::site::{Alternate, Difference, Fields, Fingerprints, Row, RowLink};

/// Characters that are kept of a link's or picture's text: strangers write them.
const MAX_TEXT_CHARS: usize = 120;
/// Characters that are kept of a field, and preview metas: pages of megabytes must not become rows of megabytes.
const MAX_FIELD_CHARS: usize = 1000;
const MAX_SOCIAL_TAGS: usize = 60;
/// Characters after a copyright sign in which its year stands.
const YEAR_DISTANCE: usize = 20;

/// Fills in what checks ask of the row later.
pub(super) fn fill_row(page: &Page, row: &mut Row) {
    let facts = page.facts;
    row.rows = Some(page.rows());
    row.is_noindex = page.is_noindex();
    row.is_nofollow = page.directives.nofollow();
    row.has_csp_meta = facts.meta("content-security-policy").next().is_some();
    row.has_icon = facts.has_icon;
    row.words = page.words;
    row.copyright_year = copyright_year(&facts.visible_text);
    row.is_render_challenged = page.input.rendered.is_some_and(|(rendered, _)| {
        (rendered.status == 403 || is_challenge(&rendered.html)) && page.input.response.status == 200
    });
    let names = facts.ids.iter().chain(&facts.anchor_names);
    row.anchors = names.map(|name| xxh3_64(name.as_bytes())).collect();
    row.anchors.sort_unstable();
    let title = facts.title().filter(|title| !title.is_empty() && !title_is_placeholder(title));
    let language = facts.lang.as_deref().unwrap_or_default().to_ascii_lowercase();
    row.fingerprints = Fingerprints {
        title: title.map(|title| short_hash(&format!("{language}\n{}", fold(title)))),
        description: facts.description().filter(|text| !text.is_empty()).map(|text| short_hash(&fold(text))),
        h1: facts.h1().map(|text| short_hash(&fold(text))),
        text: facts.measures.hash,
        sketch: if page.words >= 50 { facts.measures.sketch.clone() } else { None },
    };
    let loaded = facts.resources.iter().chain(&page.input.raw.resources);
    let needed =
        loaded.filter(|resource| matches!(resource.kind, ResourceKind::Script | ResourceKind::Stylesheet));
    let own = needed
        .filter_map(|resource| page.resolve(&resource.url))
        .filter(|url| page.input.origin.contains(url));
    row.blocked_resources = own
        .map(|url| page.input.origin.key(&url))
        .filter(|key| !page.input.robots.decide(GOOGLEBOT, key).is_allowed)
        .collect();
}

/// The newest year near a copyright sign.
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

/// What reports show of a page.
pub(super) fn fields(page: &Page) -> Fields {
    let (facts, response) = (page.facts, page.input.response);
    let all_links = || page.internal_links().chain(page.external_links());
    let bom = response.bom_charset().map(str::to_ascii_lowercase);
    let charset = response.header_charset().or(bom);
    Fields {
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
        lang: field(facts.lang.as_deref().unwrap_or_default()),
        text_ratio: page.text_ratio(),
        readability: page.readability.score,
        internal_outlinks: page.internal_links().count(),
        external_outlinks: page.external_links().count(),
        nofollow_outlinks: all_links().filter(|(_, link)| link.is_nofollow).count(),
    }
}

/// What a row keeps of a text.
fn field(text: &str) -> String {
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

/// Fields that a render changed.
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

/// What a page names, before it has numbers.
pub(super) struct Named {
    links: Vec<(Target, Link)>,
    fragments: Vec<(String, String)>,
    alternates: Vec<(String, Option<Url>)>,
    canonical: Option<Url>,
    references: Vec<Url>,
    images: Vec<(Url, Option<String>)>,
    preview_image: Option<Url>,
    resources: Vec<Url>,
}

impl Named {
    /// Reads it off a page.
    pub fn of(page: &Page) -> Named {
        let all = page.internal_links().chain(page.external_links());
        let image =
            |image: &crate::page::Image| Some((page.resolve(&image.src)?, image.alt.as_deref().map(short)));
        Named {
            links: all
                .map(|(to, link)| {
                    let link = Link { href: None, text: short(&link.text), ..link.clone() };
                    (to.target.clone(), link)
                })
                .collect(),
            fragments: fragments(page),
            alternates: page.alternates.clone(),
            canonical: page.other_canonical().and(page.canonical.clone()),
            references: references(page),
            preview_image: Url::parse(page.facts.first_meta("og:image")).ok().filter(is_fetchable),
            resources: if page.was_rendered() { resources(page) } else { Vec::new() },
            images: page
                .facts
                .images
                .iter()
                .filter(|image| !image.src.is_empty())
                .filter_map(image)
                .collect(),
        }
    }

    /// Gives it numbers, and keeps it with the row.
    pub fn keep(self, crawl: &mut Crawl<'_>, row: &mut Row) {
        // A set, because a hostile page can hold a hundred thousand links.
        let mut seen = HashSet::new();
        for (target, link) in self.links {
            let (to, is_internal) = match target {
                Target::Internal(key) => (crawl.site.urls.intern(&key), true),
                Target::External(url) => (crawl.site.texts.intern(url.as_str()), false),
            };
            if is_internal && to == row.id || !seen.insert((to, is_internal, link.is_nofollow)) {
                continue;
            }
            let link = RowLink {
                to,
                text: crawl.site.texts.intern(&link.text),
                is_nofollow: link.is_nofollow,
                is_ugc: link.is_ugc,
                is_sponsored: link.is_sponsored,
            };
            if is_internal { row.links.push(link) } else { row.external_links.push(link) }
        }
        let number = |(key, fragment): (String, String)| (crawl.site.urls.intern(&key), fragment);
        row.fragments = self.fragments.into_iter().map(number).collect();
        row.canonical = self.canonical.map(|url| crawl.place(&url));
        for url in self.references {
            if let Target::Internal(key) = crawl.site.origin.target(&url) {
                row.references.push(crawl.site.urls.intern(&key));
            }
        }
        for (lang, url) in self.alternates {
            let target = url.map(|url| crawl.site.origin.target(&url));
            let (to, elsewhere) = match target {
                Some(Target::Internal(key)) => (Some(crawl.site.urls.intern(&key)), None),
                Some(Target::External(url)) => (None, Some(url.as_str().into())),
                None => (None, None),
            };
            row.alternates.push(Alternate { lang: lang.into(), to, elsewhere });
        }
        row.preview_image = self.preview_image.map(|url| crawl.site.texts.intern(url.as_str()));
        row.resources = self.resources.iter().map(|url| crawl.site.texts.intern(url.as_str())).collect();
        row.resources.sort_unstable();
        row.resources.dedup();
        let mut seen_images = HashSet::new();
        for (url, alt) in self.images {
            let src = crawl.site.texts.intern(url.as_str());
            if seen_images.insert(src) {
                row.images.push((src, alt.map(|alt| crawl.site.texts.intern(&alt))));
            }
        }
        row.shrink();
    }
}

fn is_fetchable(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Scripts and style sheets of the site that Googlebot may fetch. The rendered document has lost its scripts; those
/// that the answer names are loaded.
fn resources(page: &Page) -> Vec<Url> {
    let loaded = page.input.raw.resources.iter();
    let needed =
        loaded.filter(|resource| matches!(resource.kind, ResourceKind::Script | ResourceKind::Stylesheet));
    needed
        .filter_map(|resource| page.resolve(&resource.url))
        .filter(|url| page.input.origin.contains(url))
        .filter(|url| page.input.robots.decide(GOOGLEBOT, &page.input.origin.key(url)).is_allowed)
        .collect()
}

fn short(text: &str) -> String {
    text.chars().take(MAX_TEXT_CHARS).collect()
}

/// Links to parts of pages, as key and fragment. What scripts read (`#/`, `#!`, `#:~:`) names no part.
fn fragments(page: &Page) -> Vec<(String, String)> {
    let mut fragments = Vec::new();
    for link in &page.links {
        let (Some(fragment), Target::Internal(key)) = (link.url.fragment(), &link.target) else { continue };
        let is_part = !fragment.is_empty()
            && !fragment.eq_ignore_ascii_case("top")
            && !fragment.starts_with(['/', '!']);
        if is_part && !fragment.starts_with(":~:") {
            let decoded = percent_decode(fragment);
            fragments.push((key.clone(), decoded));
        }
    }
    fragments
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code =
            after.get(..2).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match code.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Pages of the site that are named otherwise than by a link.
fn references(page: &Page) -> Vec<Url> {
    let canonical = page.canonical.clone();
    let alternates = page.alternates.iter().filter_map(|(_, url)| url.clone());
    let pagination = page.facts.pagination.iter().filter_map(|(_, href)| page.resolve(href));
    let redirect = page.script_redirect().cloned();
    canonical.into_iter().chain(alternates).chain(pagination).chain(redirect).collect()
}
