//! The crawl: what is asked for, in which order, and what becomes of the answers. Ends with the joined site, its
//! findings and scores. Knows pages through a `PageSource` only; holds no document longer than its checks run.

mod fetch;
mod frontier;
mod opening;
mod page_work;
mod patterns;
mod results;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use url::Url;

use crate::address::{Origin, Target};
use crate::checks::CheckId;
use crate::page::not_found::NotFoundProbe;
use crate::site::{Place, Row, Site, UrlId};
use crate::source::PageSource;

use fetch::{Answer, fetch};
use frontier::{Frontier, Priority};
use page_work::PageWork;
use patterns::Patterns;

pub use results::{Audit, AuditStatus, RowResult, SiteResult};

/// What is audited, and how.
#[derive(Debug, Clone)]
pub struct AuditOptions {
    /// Where the crawl begins; in selected mode all of it.
    pub seeds: Vec<Url>,
    /// How pages are found.
    pub mode: Mode,
    /// HTML pages after which the audit ends.
    pub max_pages: usize,
    /// Requests at the same time.
    pub concurrency: usize,
    /// Most requests per second; none: as many as the site answers.
    pub requests_per_second: Option<f64>,
    /// Product token by which robots.txt names the audit.
    pub agent: String,
    /// Pages are rendered where that is needed.
    pub renders: bool,
    /// Sitemap to read instead of those that robots.txt names.
    pub sitemap: Option<Url>,
    /// Checks that run.
    pub checks: Vec<CheckId>,
    /// Paths that are audited; empty: all. `*` is any run of characters.
    pub include: Vec<String>,
    /// Paths that are not audited.
    pub exclude: Vec<String>,
}

/// How pages are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// By following links from the seeds.
    Follow,
    /// By reading the sitemap.
    Sitemap,
    /// By the caller.
    Selected,
}

impl AuditOptions {
    /// An audit of one site with everything at its default.
    pub fn follow(seed: Url) -> AuditOptions {
        AuditOptions {
            seeds: vec![seed],
            mode: Mode::Follow,
            max_pages: 10_000,
            concurrency: 8,
            requests_per_second: None,
            agent: "Glasshouse".to_owned(),
            renders: true,
            sitemap: None,
            checks: CheckId::all().filter(|id| id.check().is_default).collect(),
            include: Vec::new(),
            exclude: Vec::new(),
        }
    }
}

/// How far an audit is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Pages that were audited.
    pub pages: usize,
    /// Addresses that wait.
    pub waiting: usize,
}

/// Audits a site. `progress` is told after every answer.
pub async fn audit(
    source: &dyn PageSource,
    options: &AuditOptions,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Audit {
    let origin = opening::find_origin(source, &options.seeds[0]).await;
    let mut crawl = Crawl::new(options, origin);
    crawl.open(source).await;
    crawl.run(source, progress).await;
    crawl.finish(source.now_ms())
}

struct Crawl<'a> {
    options: &'a AuditOptions,
    site: Site,
    frontier: Frontier,
    patterns: Patterns,
    probe: NotFoundProbe,
    pages: usize,
    skipped_by_limit: bool,
    skipped_by_filter: bool,
}

impl<'a> Crawl<'a> {
    fn new(options: &'a AuditOptions, origin: Origin) -> Crawl<'a> {
        let mut site = Site::new(origin, &options.agent);
        site.is_follow = options.mode == Mode::Follow;
        Crawl {
            options,
            site,
            frontier: Frontier::default(),
            patterns: Patterns::default(),
            probe: NotFoundProbe::default(),
            pages: 0,
            skipped_by_limit: false,
            skipped_by_filter: false,
        }
    }

    async fn run(&mut self, source: &dyn PageSource, progress: &mut (dyn FnMut(Progress) + Send)) {
        let mut pace = fetch::Pace::new(self.options.requests_per_second);
        let mut running = FuturesUnordered::new();
        loop {
            while running.len() < self.options.concurrency
                && self.pages + running.len() < self.options.max_pages
            {
                let Some(id) = self.next_allowed() else { break };
                let url = self.site.origin.url(self.site.urls.key(id));
                let start = pace.next_start();
                running.push(async move {
                    tokio::time::sleep_until(start).await;
                    (id, fetch(source, &url).await, url)
                });
            }
            let Some((id, answer, url)) = running.next().await else { break };
            self.take(source, id, &url, answer).await;
            progress(Progress { pages: self.pages, waiting: self.frontier.len() + running.len() });
        }
        self.skipped_by_limit = self.frontier.len() > 0;
    }

    /// The next address that may be asked for. A forbidden one becomes a row without an answer if a page links to it.
    fn next_allowed(&mut self) -> Option<UrlId> {
        loop {
            let (id, priority) = self.frontier.pop()?;
            let key = self.site.urls.key(id);
            let is_allowed = !self.site.robots.is_unreachable
                && self.site.robots.rules.decide(&self.site.agent, key).is_allowed;
            if is_allowed {
                return Some(id);
            }
            if priority == Priority::Link {
                self.site.rows.insert(id, Row { id, is_blocked: true, ..Row::default() });
            }
        }
    }

    async fn take(&mut self, source: &dyn PageSource, id: UrlId, url: &Url, answer: Answer) {
        let is_seed = self.options.mode == Mode::Follow && self.is_seed(url);
        let mut row = answer.row(id);
        row.is_seed = is_seed;
        row.is_blocked = self.site.is_blocked(self.site.urls.key(id));
        if let Ok(response) = &answer.response {
            if self.site.start_headers.is_none() && (is_seed || self.site.urls.key(id) == "/") {
                self.site.start_headers = Some(response.headers.clone());
            }
            if let Some(to) = response.redirect_target(url) {
                row.redirect = Some(self.place(&to, Priority::Link));
            } else if response.is_page() {
                self.pages += 1;
                self.work(source, url, response, &mut row).await;
            } else if response.status == 200 {
                row.mismatched_type = fetch::mismatched_type(response);
                if row.mismatched_type.is_none() {
                    return;
                }
            }
        }
        self.site.rows.insert(id, row);
    }

    async fn work(
        &mut self,
        source: &dyn PageSource,
        url: &Url,
        response: &crate::source::Response,
        row: &mut Row,
    ) {
        let work = PageWork::new(self, url, response, source.now_ms());
        let rendered = work.render(source, self).await;
        let outcome = work.check(self, rendered, row);
        outcome.into_iter().for_each(|(url, priority)| _ = self.place(&url, priority));
    }

    /// Where an address is, queued if it is on the site.
    fn place(&mut self, url: &Url, priority: Priority) -> Place {
        match self.site.origin.target(url) {
            Target::Internal(key) => {
                let id = self.site.urls.intern(&key);
                if self.options.mode == Mode::Follow || priority == Priority::Seed {
                    self.enqueue(id, priority);
                }
                Place::Page(id)
            }
            Target::External(url) => {
                let host = url.host_str().unwrap_or_default();
                let own = self.site.origin.host();
                let is_same_domain = crawler::url::registrable_domain(host)
                    .is_some_and(|domain| Some(domain) == crawler::url::registrable_domain(own));
                Place::Elsewhere { url: url.as_str().into(), is_same_domain }
            }
        }
    }

    fn enqueue(&mut self, id: UrlId, priority: Priority) {
        if self.is_filtered(self.site.urls.key(id)) && priority != Priority::Seed {
            self.skipped_by_filter = true;
            return;
        }
        self.frontier.push(id, priority);
    }

    fn is_filtered(&self, key: &str) -> bool {
        let matches = |patterns: &[String]| patterns.iter().any(|pattern| frontier::matches(pattern, key));
        !self.options.include.is_empty() && !matches(&self.options.include) || matches(&self.options.exclude)
    }

    fn is_seed(&self, url: &Url) -> bool {
        let key = self.site.origin.key(url);
        self.options
            .seeds
            .iter()
            .any(|seed| self.site.origin.contains(seed) && self.site.origin.key(seed) == key)
    }
}

#[cfg(test)]
mod tests;
