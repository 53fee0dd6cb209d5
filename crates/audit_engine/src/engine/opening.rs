//! What is asked for before the first page: where the site is, its robots.txt and sitemaps, and what it answers for
//! addresses that do not exist.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use crawler::robots::{LineKind, Robots};
use crawler::sitemap::{FileKind, Listed, Parsed, parse_sitemap};
use url::Url;

use super::CrawlMode;
use super::crawl::Crawl;
use super::fetch::Pace;
use super::frontier::CrawlPriority;
use crate::address::{Origin, Target};
use crate::page::addresses::join;
use crate::page::{Measures, Provenance, scan};
use crate::site::{AuditedSitemap, RobotsFile, SitemapEntry, UrlId};
use crate::source::{AuditFetch, PageSource, RenderedDocument, Response};

/// Redirects of robots.txt and sitemaps that are followed.
const MAX_HOPS: usize = 5;
/// Sitemap files that are read.
const MAX_FILES: usize = 500;
/// Levels of indexes that are read.
const MAX_INDEX_DEPTH: usize = 2;
const MAX_SITEMAP_BYTES: usize = 50 << 20;
const MAX_SITEMAP_ENTRIES: usize = 50_000;
const MAX_ROBOTS_BYTES: usize = 600 * 1024;
/// Bytes of language versions that are kept: those of 50,000 pages in five languages.
const MAX_ALTERNATE_BYTES: usize = 16 << 20;
const USUAL_SITEMAPS: &[&str] = &["/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml"];

/// The site that a seed is on: a redirect of the seed to the twin or to https is followed.
pub async fn find_origin(source: &dyn PageSource, seed: &Url) -> Origin {
    let mut origin = Origin::of(seed);
    let mut at = seed.clone();
    for _ in 0..MAX_HOPS {
        let Ok(response) = source.fetch(AuditFetch::of(at.clone())).await else { break };
        let Some(to) = response.redirect_target(&at).filter(|to| origin.contains(to)) else { break };
        origin = Origin::of(&to);
        at = to;
    }
    origin
}

/// Follows redirects of a file that is no page.
async fn fetch_file(source: &dyn PageSource, url: Url, max_bytes: usize) -> (Option<Response>, usize) {
    let mut at = url;
    for hops in 0..=MAX_HOPS {
        let request = AuditFetch { max_bytes, ..AuditFetch::of(at.clone()) };
        let Ok(response) = source.fetch(request).await else { return (None, hops) };
        let Some(to) = response.redirect_target(&at) else { return (Some(response), hops) };
        at = to;
    }
    (None, MAX_HOPS + 1)
}

/// Language versions that sitemaps declare, as far as there is room for them.
#[derive(Default)]
pub(super) struct Alternates {
    /// Lines of a language, a tab and an address, by page.
    lines: HashMap<UrlId, String>,
    bytes: usize,
}

impl Alternates {
    /// Keeps those of one page.
    fn keep(&mut self, id: UrlId, sitemap: &Url, alternates: &[(String, String)]) {
        for (lang, href) in alternates {
            let Some(url) = join(sitemap, href).filter(|_| !lang.contains(['\t', '\n'])) else { continue };
            let line = format!("{lang}\t{url}\n");
            self.bytes += line.len();
            if self.bytes > MAX_ALTERNATE_BYTES {
                return;
            }
            self.lines.entry(id).or_default().push_str(&line);
        }
    }

    /// Those of one page.
    pub fn of(&self, id: UrlId) -> Vec<(String, Url)> {
        let lines = self.lines.get(&id).map_or("", String::as_str).lines();
        let pairs = lines.filter_map(|line| line.split_once('\t'));
        pairs.filter_map(|(lang, url)| Some((lang.to_owned(), Url::parse(url).ok()?))).collect()
    }
}

impl Crawl<'_> {
    /// Asks for everything that comes before pages, and queues where the crawl begins.
    pub(super) async fn open(&mut self, source: &dyn PageSource) {
        self.site.robots = read_robots(source, &self.site.origin).await;
        let delay = self.site.robots.rules.crawl_delay(&self.options.agent);
        self.pace = Pace::new(self.options.requests_per_second, delay, self.options.concurrency);
        if self.options.mode != CrawlMode::Selected {
            self.read_sitemaps(source).await;
        }
        self.probe_not_found(source).await;
        let root = self.site.origin.root().clone();
        let llms = fetch_file(source, at(&root, "/llms.txt"), MAX_ROBOTS_BYTES).await.0.unwrap_or_default();
        let is_text = llms.status == 200 && !llms.media_type().ends_with("html") && !llms.sniffs_as_html();
        self.site.probes.llms_txt =
            (llms.status, is_text.then(|| String::from_utf8_lossy(&llms.body).into_owned()));
        let favicon = fetch_file(source, at(&root, "/favicon.ico"), 1024).await.0;
        self.site.probes.favicon = favicon.map_or(0, |response| response.status);
        let now = jiff::Timestamp::from_millisecond(source.now_ms()).unwrap_or_default();
        self.year = i32::from(now.to_zoned(jiff::tz::TimeZone::UTC).year());
        for (path, page) in &self.options.previous {
            let id = self.site.urls.intern(path);
            self.site.previous.insert(id, (page.lastmod, page.content_hash.clone()));
        }
        self.queue_start();
    }

    fn queue_start(&mut self) {
        if self.options.mode != CrawlMode::Sitemap {
            for seed in &self.options.seeds {
                if let Target::Internal(key) = self.site.origin.target(seed) {
                    let id = self.site.urls.intern(&key);
                    self.site.seed.get_or_insert(id);
                    self.frontier.push(id, CrawlPriority::Link, 0);
                }
            }
        }
        if self.options.mode == CrawlMode::Selected {
            return;
        }
        let sitemaps = std::mem::take(&mut self.site.sitemaps);
        let entries = sitemaps.iter().flat_map(|file| &file.entries);
        for (id, lastmod) in entries.filter_map(|entry| Some((entry.id?, entry.lastmod))) {
            self.lastmods.extend(lastmod.map(|date| (id, date)));
            if self.is_known(id, lastmod) {
                self.known += 1;
            } else {
                self.enqueue(id, CrawlPriority::Listed, 0);
            }
        }
        self.site.sitemaps = sitemaps;
    }

    /// Whether the run before has the page as it is now.
    fn is_known(&self, id: UrlId, lastmod: Option<i64>) -> bool {
        let known = self.options.known_pages.as_ref().filter(|_| self.options.mode == CrawlMode::Sitemap);
        known
            .and_then(|known| known.get(self.site.urls.key(id)))
            .is_some_and(|seen| lastmod.is_none_or(|changed| changed <= *seen))
    }

    async fn read_sitemaps(&mut self, source: &dyn PageSource) {
        let root = self.site.origin.root().clone();
        let mut queue: Vec<(Url, Option<usize>, usize)> = Vec::new();
        if let Some(url) = &self.options.sitemap {
            queue.push((url.clone(), None, 0));
        }
        for line in self.site.robots.rules.lines().iter().filter(|_| self.options.sitemap.is_none()) {
            if let LineKind::Known("sitemap", value) = &line.kind
                && let Ok(url) = root.join(value)
            {
                queue.push((url, Some(line.number), 0));
            }
        }
        if queue.is_empty() {
            for path in USUAL_SITEMAPS {
                let url = at(&root, path);
                let (response, _) = fetch_file(source, url.clone(), 1024).await;
                if response.is_some_and(|response| response.status == 200 && !response.sniffs_as_html()) {
                    queue.push((url, None, 0));
                    break;
                }
            }
        }
        queue.reverse();
        let mut seen = HashSet::new();
        while let Some((url, robots_line, depth)) = queue.pop() {
            if seen.len() >= MAX_FILES || !seen.insert(url.clone()) {
                continue;
            }
            let (file, children) = self.read_sitemap(source, url, robots_line, depth).await;
            self.site.sitemaps.push(file);
            queue.extend(
                children
                    .into_iter()
                    .rev()
                    .filter(|_| depth < MAX_INDEX_DEPTH)
                    .map(|url| (url, None, depth + 1)),
            );
        }
    }

    async fn read_sitemap(
        &mut self,
        source: &dyn PageSource,
        url: Url,
        robots_line: Option<usize>,
        depth: usize,
    ) -> (AuditedSitemap, Vec<Url>) {
        // One byte more, so that the reader sees that there is more.
        let response = fetch_file(source, url.clone(), MAX_SITEMAP_BYTES + 1).await.0.unwrap_or_default();
        let mut file = AuditedSitemap {
            url,
            robots_line,
            status: response.status,
            kind: None,
            is_child: depth > 0,
            entries: Vec::new(),
            listed: 0,
            is_cut: false,
        };
        if response.status != 200 {
            return (file, Vec::new());
        }
        let Some((parsed, listed)) = parse(response.body).await else { return (file, Vec::new()) };
        file.is_cut = parsed.is_cut;
        file.listed = listed.len();
        let resolve = |loc: &str| file.url.join(loc).ok();
        let entries: Vec<(Url, Listed)> =
            listed.into_iter().filter_map(|entry| Some((resolve(&entry.loc)?, entry))).collect();
        if parsed.kind == FileKind::Index {
            file.kind = Some("index");
            return (file, entries.into_iter().map(|(url, _)| url).collect());
        }
        file.kind = Some(if parsed.kind == FileKind::Text { "text" } else { "urlset" });
        file.entries.reserve_exact(entries.len());
        for (url, Listed { lastmod, has_bad_lastmod, alternates, .. }) in entries {
            let is_elsewhere = url.origin() != file.url.origin();
            let (id, written) = match self.site.origin.target(&url) {
                Target::Internal(key) if !is_elsewhere => {
                    let root = self.site.origin.root().as_str().trim_end_matches('/');
                    let is_as_usual = url.as_str().strip_prefix(root) == Some(key.as_str());
                    (Some(self.site.urls.intern(&key)), (!is_as_usual).then(|| url.as_str().into()))
                }
                _ => (None, Some(url.as_str().into())),
            };
            if let Some(id) = id {
                self.alternates.keep(id, &file.url, &alternates);
            }
            file.entries.push(SitemapEntry { written, id, is_elsewhere, lastmod, has_bad_lastmod });
        }
        (file, Vec::new())
    }

    /// Two addresses that nobody can have made. Which ones depends on the site only, so that runs can be compared.
    async fn probe_not_found(&mut self, source: &dyn PageSource) {
        for salt in ["a", "b"] {
            let hash = Measures::of(&format!("{salt} {}", self.site.origin.root())).hash;
            let url = at(self.site.origin.root(), &format!("/{:024x}", hash % (1 << 96)));
            let Ok(response) = source.fetch(AuditFetch::of(url.clone())).await else { continue };
            let facts = scan(&response.text(), Provenance::Raw);
            let is_shell = facts.has_script && facts.measures.words < 20;
            let mut status = response.status;
            if is_shell && status == 200 && self.options.renders {
                // What a script says of an address that does not exist is what crawlers get for it.
                let rendered = source.render(&url).await.map(|page| page_status(&page));
                status = rendered.filter(|said| *said >= 400).unwrap_or(status);
            }
            self.site.probes.not_found.push((status, is_shell));
            if matches!(response.status, 200 | 404) {
                self.probe.sketches.extend(facts.measures.sketch.map(|sketch| *sketch));
            }
        }
    }
}

/// The status that a rendered page gives itself; 0: it gives none.
fn page_status(page: &RenderedDocument) -> u16 {
    let facts = scan(&page.html, Provenance::Rendered);
    facts.first_meta("prerender-status-code").trim().parse().unwrap_or_default()
}

/// Parses a sitemap file where that may take its time: fifty megabytes are a second's work.
async fn parse(file: Bytes) -> Option<(Parsed, Vec<Listed>)> {
    let parsing = tokio::task::spawn_blocking(move || {
        let mut listed = Vec::new();
        let each = |entry| listed.push(entry);
        let parsed = parse_sitemap(&file[..], MAX_SITEMAP_BYTES as u64, MAX_SITEMAP_ENTRIES, each).ok()?;
        Some((parsed, listed))
    });
    parsing.await.ok().flatten()
}

async fn read_robots(source: &dyn PageSource, origin: &Origin) -> RobotsFile {
    let fetched_at_ms = source.now_ms();
    let (response, hops) = fetch_file(source, at(origin.root(), "/robots.txt"), MAX_ROBOTS_BYTES).await;
    let Some(response) = response else {
        return RobotsFile { hops, is_unreachable: true, fetched_at_ms, ..RobotsFile::default() };
    };
    let is_html = matches!(response.media_type().as_str(), "text/html") || response.sniffs_as_html();
    let is_file = response.status == 200 && !is_html;
    RobotsFile {
        rules: if is_file { Robots::parse(&response.body) } else { Robots::default() },
        status: response.status,
        bytes: response.body.len(),
        content_type: response.media_type(),
        hops,
        is_html: response.status == 200 && is_html,
        is_unreachable: response.status >= 500 || response.status == 429,
        fetched_at_ms,
    }
}

fn at(root: &Url, path: &str) -> Url {
    let mut url = root.clone();
    url.set_path(path);
    url
}
