//! One page: facts, the render if it needs one, its checks, and what its row keeps of it.

use std::collections::HashSet;

use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::Crawl;
use super::frontier::Priority;
use crate::address::Target;
use crate::checks::{CheckId, Evidence, Fires, title_is_placeholder};
use crate::page::sketch::{Sketch, short_hash, text_hash};
use crate::page::text::{fold, word_count};
use crate::page::view::{GOOGLEBOT, Page, PageInput, Rows};
use crate::page::{PageFacts, Provenance, ResourceKind, scan};
use crate::score::Preview;
use crate::site::{Alternate, Fields, Fingerprints, Row, RowLink};
use crate::source::{PageSource, RenderedPage, Response};

/// Findings that show that scripts change pages of a template, beside all that compare raw and rendered facts.
const CHANGED_BY_SCRIPTS: &[&str] =
    &["SPA_SOFT_404", "JS_REDIRECT", "AI_CONTENT_NEEDS_JS", "OG_ONLY_AFTER_JS"];

pub(super) struct PageWork<'p> {
    url: &'p Url,
    response: &'p Response,
    key: String,
    raw: PageFacts,
    now_ms: i64,
}

impl<'p> PageWork<'p> {
    pub(super) fn new(crawl: &Crawl, url: &'p Url, response: &'p Response, now_ms: i64) -> PageWork<'p> {
        let mut raw = scan(&response.text(), Provenance::Raw);
        raw.html_bytes = response.body.len();
        PageWork { url, response, key: crawl.site.origin.key(url), raw, now_ms }
    }

    /// Renders the page if it looks empty without scripts, or for its template's sake.
    pub(super) async fn render(
        &self,
        source: &dyn PageSource,
        crawl: &mut Crawl<'_>,
    ) -> Option<RenderedPage> {
        if !crawl.options.renders {
            return None;
        }
        let is_shell =
            word_count(&self.raw.main_text) < 20 || self.raw.app_root_words.is_some_and(|words| words < 20);
        let is_wanted = crawl.patterns.wants_render(&self.key);
        if !(is_shell && self.raw.has_script || is_wanted) {
            return None;
        }
        source.render(self.url).await
    }

    /// Runs the checks, fills the row, and says what else is to be asked for.
    pub(super) fn check(
        self,
        crawl: &mut Crawl<'_>,
        rendered: Option<RenderedPage>,
        row: &mut Row,
    ) -> Vec<(Url, Priority)> {
        let rendered = rendered.map(|page| {
            let facts = scan(&page.html, Provenance::Rendered);
            (page, facts)
        });
        let page = Page::read(PageInput {
            origin: &crawl.site.origin,
            robots: &crawl.site.robots.rules,
            url: self.url,
            response: self.response,
            raw: &self.raw,
            rendered: rendered.as_ref().map(|(page, facts)| (page, facts)),
            probe: &crawl.probe,
            sitemap_alternates: &[],
            now_ms: self.now_ms,
        });
        row.findings = run_checks(&page, &crawl.options.checks);
        let is_changed = |id: &CheckId| {
            let id = id.check().id;
            CHANGED_BY_SCRIPTS.contains(&id)
                || id.starts_with("JS_") && page.was_rendered() && is_difference(id)
        };
        if row.findings.iter().any(|(id, _)| is_changed(id)) {
            crawl.patterns.changed_by_scripts(&self.key);
        }
        fill_row(&page, row);
        row.fields = fields(&page, self.response);
        // Numbers for addresses are given out last: until here the page borrows the site.
        let links: Vec<(Url, bool)> =
            page.internal_links().map(|(to, link)| (to.url.clone(), link.is_nofollow)).collect();
        let fragments = fragments(&page);
        let alternates: Vec<(String, Option<Url>)> = page.alternates.clone();
        let canonical = page.other_canonical().and(page.canonical.clone());
        let references = references(&page);
        drop(page);
        self.keep_links(crawl, row, &links, fragments, alternates, canonical);
        let links = links.into_iter().map(|(url, _)| (url, Priority::Link));
        links.chain(references.into_iter().map(|url| (url, Priority::Reference))).collect()
    }

    fn keep_links(
        &self,
        crawl: &mut Crawl<'_>,
        row: &mut Row,
        links: &[(Url, bool)],
        fragments: Vec<(String, String)>,
        alternates: Vec<(String, Option<Url>)>,
        canonical: Option<Url>,
    ) {
        let mut seen = HashSet::new();
        for (url, is_nofollow) in links {
            let to = crawl.site.urls.intern(&crawl.site.origin.key(url));
            // A set, because a hostile page can hold a hundred thousand links.
            if to != row.id && seen.insert((to, *is_nofollow)) {
                row.links.push(RowLink { to, is_nofollow: *is_nofollow });
            }
        }
        row.fragments =
            fragments.into_iter().map(|(key, fragment)| (crawl.site.urls.intern(&key), fragment)).collect();
        row.canonical = canonical.map(|url| crawl.place(&url, Priority::Reference));
        for (lang, url) in alternates {
            let key = url.map(|url| crawl.site.origin.target(&url));
            let to = match key {
                Some(Target::Internal(key)) => Some(crawl.site.urls.intern(&key)),
                _ => None,
            };
            row.alternates.push(Alternate { lang: lang.into(), to });
        }
    }
}

fn is_difference(id: &str) -> bool {
    [
        "JS_CONTENT",
        "JS_TITLE",
        "JS_META",
        "JS_CANONICAL",
        "JS_NOINDEX",
        "JS_H1",
        "JS_LINKS",
        "JS_STRUCTURED",
        "JS_HREFLANG",
    ]
    .iter()
    .any(|start| id.starts_with(start))
}

fn run_checks(page: &Page, checks: &[CheckId]) -> Vec<(CheckId, Evidence)> {
    let rows = page.rows();
    let mut findings = Vec::new();
    for id in checks {
        let check = id.check();
        if check.on == Rows::Redirect || check.on > rows {
            continue;
        }
        match &check.fires {
            Fires::When(fires) if fires(page) => {
                findings.push((*id, Evidence { count: 1, examples: Vec::new() }))
            }
            Fires::Elements(collect) => {
                let mut evidence = Evidence::default();
                collect(page, &mut evidence);
                if evidence.count > 0 {
                    findings.push((*id, evidence));
                }
            }
            Fires::When(_) | Fires::Joined(_) | Fires::Whole(_) => {}
        }
    }
    findings
}

fn fill_row(page: &Page, row: &mut Row) {
    let facts = page.facts;
    row.rows = Some(page.rows());
    row.is_noindex = page.is_noindex();
    row.is_nofollow = page.directives.nofollow();
    row.has_csp_meta = facts.meta("content-security-policy").next().is_some();
    row.has_icon = facts.has_icon;
    row.words = page.words;
    let names = facts.ids.iter().chain(&facts.anchor_names);
    row.anchors = names.map(|name| xxh3_64(name.as_bytes())).collect();
    row.anchors.sort_unstable();
    let title = facts.title().filter(|title| !title.is_empty() && !title_is_placeholder(title));
    let language = facts.lang.as_deref().unwrap_or_default().to_ascii_lowercase();
    row.fingerprints = Fingerprints {
        title: title.map(|title| short_hash(&format!("{language}\n{}", fold(title)))),
        description: facts.description().filter(|text| !text.is_empty()).map(|text| short_hash(&fold(text))),
        h1: facts.h1().map(|text| short_hash(&fold(text))),
        text: text_hash(&facts.main_text),
        sketch: if page.words >= 50 { Sketch::of(&facts.main_text).map(Box::new) } else { None },
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

fn fields(page: &Page, response: &Response) -> Fields {
    let facts = page.facts;
    let robots: Vec<&str> = facts
        .metas
        .iter()
        .filter(|meta| matches!(meta.name.as_str(), "robots" | "googlebot"))
        .map(|meta| meta.content.as_str())
        .collect();
    let all_links = || page.internal_links().chain(page.external_links());
    Fields {
        load_time_ms: response.total_ms,
        title: facts.title().unwrap_or_default().to_owned(),
        meta_desc: facts.first_meta("description").to_owned(),
        canonical: page.canonical.as_ref().map(ToString::to_string).unwrap_or_default(),
        meta_robots: robots.join(", "),
        h1: facts.h1().unwrap_or_default().to_owned(),
        content_type: response.header("content-type").to_owned(),
        html_bytes: response.body.len() as u64,
        text_ratio: page.text_ratio(),
        readability: page.readability.score,
        internal_outlinks: page.internal_links().count(),
        external_outlinks: page.external_links().count(),
        nofollow_outlinks: all_links().filter(|(_, link)| link.is_nofollow).count(),
        preview: Preview::of(page),
    }
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
