//! Requests before the first page: the site's address, its robots.txt, and its responses for addresses that do not
//! exist. Sitemaps are read in `sitemaps`.

use crawler::robots::Robots;
use url::Url;

use super::bots::BROWSER;
use super::crawl::Crawl;
use super::frontier::CrawlPriority;
use super::politeness::PoliteSource;
use super::{AuditOptions, CrawlMode, RobotsPolicy};
use crate::address::{Origin, Target};
use crate::page::{Measures, Provenance, scan};
use crate::site::{LlmsFile, RobotsFile, UrlId};
use crate::source::{AuditFetch, PageSource, RenderedDocument, Response};

/// Redirects of robots.txt and sitemaps that are followed.
const MAX_HOPS: usize = 5;
const MAX_ROBOTS_BYTES: usize = 600 * 1024;

/// Finds the site of the first seed, with its robots.txt: a redirect of the seed to the twin or to https is followed.
/// A seed that robots.txt forbids is not requested.
pub async fn find_site(source: &dyn PageSource, options: &AuditOptions) -> (Origin, RobotsFile) {
    let mut at = options.seeds[0].clone();
    let mut origin = Origin::of(&at);
    let mut robots = read_robots(source, &origin, &options.robots).await;
    for _ in 0..MAX_HOPS {
        if !robots.allows(&options.agent, &origin.key(&at)) {
            break;
        }
        let Ok(response) = source.fetch(AuditFetch::of(at.clone())).await else { break };
        let Some(to) = response.redirect_target(&at).filter(|to| origin.contains(to)) else { break };
        let next = Origin::of(&to);
        if next.root() != origin.root() {
            robots = read_robots(source, &next, &options.robots).await;
        }
        (origin, at) = (next, to);
    }
    (origin, robots)
}

/// Fetches a file that is not a page, redirects followed. Returns the last answer with its address, and the redirects.
pub(super) async fn fetch_file(
    source: &dyn PageSource,
    url: Url,
    max_bytes: usize,
) -> (Option<(Url, Response)>, usize) {
    let mut at = url;
    for hops in 0..=MAX_HOPS {
        let request = AuditFetch { max_bytes, ..AuditFetch::of(at.clone()) };
        let Ok(response) = source.fetch(request).await else { return (None, hops) };
        let Some(to) = response.redirect_target(&at) else { return (Some((at, response)), hops) };
        at = to;
    }
    (None, MAX_HOPS + 1)
}

impl Crawl<'_> {
    /// Asks for everything that comes before pages, and queues where the crawl begins.
    pub(super) async fn open(&mut self, source: &PoliteSource<'_>) {
        source.set_crawl_delay(self.site.robots.rules.crawl_delay(&self.options.agent));
        if self.options.mode != CrawlMode::Selected {
            self.read_sitemaps(source).await;
        }
        self.probe_not_found(source).await;
        if let Some(llms) = self.root_file(source, "/llms.txt", MAX_ROBOTS_BYTES).await {
            let is_html = llms.media_type().ends_with("html") || llms.sniffs_as_html();
            let is_text = llms.status == 200 && !is_html;
            self.site.probes.llms_txt = LlmsFile {
                status: llms.status,
                text: is_text.then(|| String::from_utf8_lossy(&llms.body).into_owned()),
                is_html: llms.status == 200 && is_html,
                is_forbidden: false,
            };
        } else {
            self.site.probes.llms_txt.is_forbidden = true;
        }
        let favicon = self.root_file(source, "/favicon.ico", 1024).await;
        self.site.probes.favicon = favicon.map(|response| response.status);
        let now = jiff::Timestamp::from_millisecond(source.now_ms()).unwrap_or_default();
        self.queue.year = i32::from(now.to_zoned(jiff::tz::TimeZone::UTC).year());
        for (path, page) in &self.options.previous {
            let id = self.site.urls.intern(path);
            self.site.previous.insert(id, (page.lastmod, page.content_hash.clone()));
        }
        self.queue_start();
    }

    /// Asks for a file at the site's root; none: robots.txt forbids it.
    async fn root_file(&self, source: &dyn PageSource, path: &str, max_bytes: usize) -> Option<Response> {
        if !self.site.allows(path) {
            return None;
        }
        let (fetched, _) = fetch_file(source, at(self.site.origin.root(), path), max_bytes).await;
        Some(fetched.map(|(_, response)| response).unwrap_or_default())
    }

    fn queue_start(&mut self) {
        if self.options.mode != CrawlMode::Sitemap {
            for seed in &self.options.seeds {
                if let Target::Internal(key) = self.site.origin.target(seed) {
                    let id = self.site.urls.intern(&key);
                    self.site.seed.get_or_insert(id);
                    self.queue.frontier.push(id, CrawlPriority::Link, 0);
                }
            }
        }
        if self.options.mode == CrawlMode::Selected {
            return;
        }
        let sitemaps = std::mem::take(&mut self.site.sitemaps);
        let mut pages = Vec::new();
        let of_the_site = sitemaps.iter().filter(|file| !self.made_sitemaps.contains(&file.url));
        for entry in of_the_site.flat_map(|file| &file.entries) {
            let Some(id) = entry.id else { continue };
            self.lastmods.extend(entry.lastmod.map(|date| (id, date)));
            if self.is_known(id, entry.lastmod) {
                self.known += 1;
            } else {
                pages.push((id, entry.is_important));
            }
        }
        self.site.sitemaps = sitemaps;
        self.queue.list(&self.site.urls, pages);
    }

    /// Returns true when the previous run has the page in its current version.
    fn is_known(&self, id: UrlId, lastmod: Option<i64>) -> bool {
        let known = self.options.known_pages.as_ref().filter(|_| self.options.mode == CrawlMode::Sitemap);
        known
            .and_then(|known| known.get(self.site.urls.key(id)))
            .is_some_and(|seen| lastmod.is_none_or(|changed| last_moment(changed) <= *seen))
    }

    /// Requests two addresses that nobody can have made. They depend on the site only, so that runs can be compared.
    async fn probe_not_found(&mut self, source: &dyn PageSource) {
        for salt in ["a", "b"] {
            let hash = Measures::of(&format!("{salt} {}", self.site.origin.root())).hash;
            let path = format!("/{:024x}", hash % (1 << 96));
            if !self.site.allows(&path) {
                continue;
            }
            let url = at(self.site.origin.root(), &path);
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

/// Returns the last moment at which a page can have changed by a sitemap's date. A date without a time is of a whole day.
pub fn last_moment(lastmod_ms: i64) -> i64 {
    const DAY_MS: i64 = 86_400_000;
    if lastmod_ms % DAY_MS == 0 { lastmod_ms + DAY_MS - 1 } else { lastmod_ms }
}

/// Returns the status that a rendered page declares for itself; 0: none.
fn page_status(page: &RenderedDocument) -> u16 {
    let facts = scan(&page.html, Provenance::Rendered);
    facts.first_meta("prerender-status-code").trim().parse().unwrap_or_default()
}

async fn read_robots(source: &dyn PageSource, origin: &Origin, policy: &RobotsPolicy) -> RobotsFile {
    let fetched_at_ms = source.now_ms();
    if let RobotsPolicy::Replace(text) = policy {
        let rules = Robots::parse(text.as_bytes());
        let (bytes, content_type) = (text.len(), "text/plain".to_owned());
        let file = rules.clone();
        return RobotsFile {
            rules,
            file,
            status: 200,
            bytes,
            content_type,
            fetched_at_ms,
            ..RobotsFile::default()
        };
    }
    let is_ignored = *policy == RobotsPolicy::Ignore;
    let url = at(origin.root(), "/robots.txt");
    let (mut fetched, mut hops) = fetch_file(source, url.clone(), MAX_ROBOTS_BYTES).await;
    let mut refusal = None;
    if is_refused(&fetched)
        && let Some(persons) = file_for_people(source, url.clone()).await
    {
        // The server may have been in trouble for a moment only.
        (fetched, hops) = fetch_file(source, url, MAX_ROBOTS_BYTES).await;
        if is_refused(&fetched) {
            refusal = fetched.map(|(_, response)| response.status);
            fetched = Some(persons);
        }
    }
    let Some((_, response)) = fetched else {
        let forbids_all = !is_ignored;
        return RobotsFile {
            hops,
            is_unreachable: true,
            forbids_all,
            fetched_at_ms,
            ..RobotsFile::default()
        };
    };
    let is_file = response.status == 200 && !response.sniffs_as_html();
    let file = if is_file { Robots::parse(&response.body) } else { Robots::default() };
    let is_unreachable = response.status >= 500 || response.status == 429;
    RobotsFile {
        rules: if is_ignored { Robots::default() } else { file.clone() },
        file,
        status: response.status,
        bytes: response.body.len(),
        content_type: response.media_type(),
        hops,
        is_html: response.status == 200 && (!is_file || response.media_type() == "text/html"),
        refusal,
        is_unreachable,
        forbids_all: is_unreachable && !is_ignored,
        fetched_at_ms,
    }
}

fn is_refused(fetched: &Option<(Url, Response)>) -> bool {
    fetched.as_ref().is_some_and(|(_, response)| matches!(response.status, 401 | 403 | 429 | 500..=599))
}

/// Asks for a file as a person's browser does, redirects followed. None unless it is there, and no page.
async fn file_for_people(source: &dyn PageSource, url: Url) -> Option<(Url, Response)> {
    let mut at = url;
    for _ in 0..=MAX_HOPS {
        let request = AuditFetch { user_agent: Some(BROWSER), ..AuditFetch::of(at.clone()) };
        let response = source.probe(request).await?.ok()?;
        match response.redirect_target(&at) {
            Some(to) => at = to,
            None => {
                return Some((at, response)).filter(|(_, file)| file.status == 200 && !file.sniffs_as_html());
            }
        }
    }
    None
}

/// Returns the address of a path at a site's root.
pub(super) fn at(root: &Url, path: &str) -> Url {
    let mut url = root.clone();
    url.set_path(path);
    url
}
