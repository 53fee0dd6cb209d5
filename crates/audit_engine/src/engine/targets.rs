//! Addresses of the site that are requested without becoming rows, after the crawl: targets of links, redirects,
//! canonicals and language versions of listed pages, some of the pages that others represent, and language versions
//! on other sites of the same owner. They have a limit of their own beside the limit of pages.
//! See docs/decisions/0161.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use url::Url;

use super::CrawlMode;
use super::crawl::Crawl;
use super::fetch::{FetchedPage, fetch, fetch_status};
use super::in_order::InOrder;
use super::journal::FileRecord;
use super::listed::order;
use super::page_names::Names;
use super::template::template;
use crate::address::{Origin, Target};
use crate::page::directives::Directives;
use crate::page::view::{CheckedRows, effective_canonical};
use crate::page::{Base, PageFacts, Provenance, link_header, scan};
use crate::site::{CrawledSite, Row, RowAlternate, RowDestination, SisterPage, UrlId};
use crate::source::{PageSource, Response};

/// Represented pages of a template whose status is requested.
const STATUSES_OF_TEMPLATE: usize = 5;
/// Redirects of a target that are followed.
const MAX_HOPS: usize = 10;
/// Maximum number of requested language versions on other sites: each of these hosts gets one request a second.
const MAX_SISTERS: usize = 500;

/// Purpose of asking for a target; what matters more comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TargetUse {
    /// Response and self-description of the document: the target of a canonical, a language version or a redirect.
    Facts,
    Status,
}

/// Facts of a document that verdicts about links to the document need.
struct TargetFacts {
    is_noindex: bool,
    canonical: Option<Url>,
    alternates: Vec<(String, Url)>,
}

impl TargetFacts {
    fn of(url: &Url, response: &Response) -> TargetFacts {
        let facts: PageFacts = scan(&response.text(), Provenance::Raw);
        let directives = Directives::of(&facts, &response.headers);
        let base = Base::of(&facts, url, response.encoding());
        let sent = link_header::parse(&response.headers, url);
        let head = facts.alternates.head.iter();
        let of_head = head.filter_map(|entry| Some((entry.lang.clone(), base.resolve(&entry.href)?)));
        TargetFacts {
            is_noindex: directives.meta_noindex() || directives.header_noindex(),
            canonical: effective_canonical(&facts, &base, &sent.canonicals),
            alternates: of_head.chain(sent.alternates).collect(),
        }
    }
}

impl Crawl<'_> {
    /// Asks for all of them.
    pub(super) async fn probe_targets(&mut self, source: &dyn PageSource) {
        let mut wanted = self.wanted_targets();
        let most = self.options.max_targets;
        self.left_out_targets = wanted.len().saturating_sub(most);
        wanted.truncate(most);
        let mut left = most - wanted.len();
        // Targets can redirect to others.
        for _ in 0..=MAX_HOPS {
            let mut next = self.ask_targets(source, wanted).await;
            self.left_out_targets += next.len().saturating_sub(left);
            next.truncate(left);
            left -= next.len();
            if next.is_empty() {
                break;
            }
            wanted = next;
        }
        self.probe_sisters(source).await;
    }

    /// Returns the addresses without a row to request, each with its use, the most important first.
    fn wanted_targets(&self) -> Vec<(UrlId, TargetUse)> {
        let mut wanted: HashMap<UrlId, TargetUse> = HashMap::new();
        let mut want = |id: UrlId, purpose: TargetUse| {
            let before = wanted.entry(id).or_insert(purpose);
            *before = (*before).min(purpose);
        };
        if self.options.mode != CrawlMode::Follow {
            for row in self.site.rows.iter() {
                if let Some(RowDestination::Page(to)) = row.redirect {
                    want(to, TargetUse::Facts);
                }
                let named = self.site.named(row);
                named.references.iter().for_each(|to| want(*to, TargetUse::Facts));
                named.links.iter().for_each(|link| want(link.to, TargetUse::Status));
            }
        }
        self.skipped_examples().into_iter().for_each(|id| want(id, TargetUse::Status));
        let is_asked = |id: UrlId| {
            let key = self.site.urls.key(id);
            self.site.row(id).is_none() && self.site.allows(key) && !self.options.is_filtered(key)
        };
        let mut wanted: Vec<_> = wanted.into_iter().filter(|(id, _)| is_asked(*id)).collect();
        wanted.sort_unstable_by_key(|(id, purpose)| (*purpose, self.site.urls.key(*id)));
        wanted
    }

    /// Returns some pages of each template that others represent, the same in every run.
    fn skipped_examples(&self) -> Vec<UrlId> {
        let mut of_templates: HashMap<String, BTreeSet<(u64, UrlId)>> = HashMap::new();
        for id in &self.queue.sampled {
            let key = self.site.urls.key(*id);
            let examples = of_templates.entry(template(key)).or_default();
            examples.insert((order(key, self.queue.seed), *id));
            if examples.len() > STATUSES_OF_TEMPLATE {
                examples.pop_last();
            }
        }
        of_templates.into_values().flatten().map(|(_, id)| id).collect()
    }

    /// Requests targets, and stores their responses. Returns the targets of redirects that were not requested yet.
    async fn ask_targets(
        &mut self,
        source: &dyn PageSource,
        wanted: Vec<(UrlId, TargetUse)>,
    ) -> Vec<(UrlId, TargetUse)> {
        let mut asked = InOrder::new();
        let mut wanted = wanted.into_iter();
        let mut next = Vec::new();
        loop {
            while asked.running() < self.pace.limit()
                && let Some((id, purpose)) = wanted.next()
            {
                let (url, origin) = (self.site.origin.url(self.site.urls.key(id)), self.site.origin.clone());
                asked.push(async move {
                    let fetched = match purpose {
                        TargetUse::Facts => fetch(source, &origin, url, f64::INFINITY).await,
                        TargetUse::Status => fetch_status(source, &origin, url).await,
                    };
                    (id, purpose, fetched)
                });
            }
            while let Some((id, purpose, fetched)) = asked.pop() {
                self.pace.learn(&fetched.result);
                if let Some(to) = self.keep_target(id, purpose, fetched) {
                    next.push((to, purpose));
                }
            }
            if asked.len() == 0 {
                return next;
            }
            asked.wait().await;
        }
    }

    /// Keeps what a target answers. Returns the page of the site that it redirects to, when nothing is known of that.
    fn keep_target(&mut self, id: UrlId, purpose: TargetUse, fetched: FetchedPage) -> Option<UrlId> {
        let FetchedPage { url, result } = fetched;
        let mut row = Box::new(result.row(id));
        row.is_blocked = self.site.is_blocked(self.site.urls.key(id));
        let CrawledSite { origin, urls, texts, .. } = &mut self.site;
        let mut names = Names { origin, urls, texts };
        if let Ok(response) = &result.response {
            row.redirect = response.redirect_target(&url).map(|to| names.place(&to));
            if row.redirect.is_none() && response.status == 200 && !response.is_page() {
                self.files.push(FileRecord::of(id, response));
            } else if purpose == TargetUse::Facts && response.is_page() {
                let facts = TargetFacts::of(&url, response);
                row.rows = Some(if facts.is_noindex { CheckedRows::Html } else { CheckedRows::Candidate });
                row.is_noindex = facts.is_noindex;
                let own = Target::Internal(origin.key(&url));
                let canonical = facts.canonical.filter(|url| origin.target(url) != own);
                let mut names = Names { origin, urls, texts };
                row.canonical = canonical.map(|url| names.place(&url));
                for (lang, url) in facts.alternates {
                    let to = match origin.target(&url) {
                        Target::Internal(key) => urls.admit(&key),
                        Target::External(_) => None,
                    };
                    let elsewhere = to.is_none().then(|| url.as_str().into());
                    row.named().alternates.push(RowAlternate { lang: lang.as_str().into(), to, elsewhere });
                }
            }
        }
        let to = match row.redirect {
            Some(RowDestination::Page(to)) => Some(to),
            _ => None,
        };
        self.site.insert_target(row);
        to.filter(|to| self.site.answer(*to).is_none() && self.site.allows(self.site.urls.key(*to)))
    }

    /// Asks for language versions on other sites of the same owner.
    async fn probe_sisters(&mut self, source: &dyn PageSource) {
        if self.options.sister_hosts.is_empty() {
            return;
        }
        let mut wanted: BTreeSet<Box<str>> = BTreeSet::new();
        for row in self.site.pages().filter(|row| row.is_indexable()) {
            let elsewhere = self.site.named(row).alternates.into_iter().filter_map(|entry| entry.elsewhere);
            wanted.extend(elsewhere.filter(|url| self.is_sister(url)));
        }
        self.left_out_targets += wanted.len().saturating_sub(MAX_SISTERS);
        let mut asked = InOrder::new();
        for url in wanted.into_iter().take(MAX_SISTERS) {
            asked.push(async move {
                let page = match Url::parse(&url) {
                    Ok(parsed) => ask_sister(source, parsed).await,
                    Err(_) => SisterPage::default(),
                };
                (url, page)
            });
        }
        loop {
            // Some answers are there at once.
            while let Some((url, page)) = asked.pop() {
                self.site.sisters.insert(url, page);
            }
            if asked.len() == 0 {
                return;
            }
            asked.wait().await;
        }
    }

    fn is_sister(&self, url: &str) -> bool {
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        host.is_some_and(|host| self.options.sister_hosts.contains(&host))
    }
}

/// Asks for a page of another site, twice after an error.
async fn ask_sister(source: &dyn PageSource, url: Url) -> SisterPage {
    let origin = Origin::of(&url);
    let FetchedPage { url, result } = fetch(source, &origin, url, f64::INFINITY).await;
    let Ok(response) = &result.response else {
        return SisterPage { is_error: true, ..SisterPage::default() };
    };
    if !response.is_page() {
        let is_redirect = response.redirect_target(&url).is_some();
        let is_error = Row { status: response.status, ..Row::default() }.is_error();
        return SisterPage { is_error, is_redirect, ..SisterPage::default() };
    }
    let facts = TargetFacts::of(&url, response);
    let own = origin.target(&url);
    SisterPage {
        is_page: true,
        is_noindex: facts.is_noindex,
        is_canonicalised: facts.canonical.is_some_and(|canonical| origin.target(&canonical) != own),
        names: facts.alternates.into_iter().map(|(_, url)| url.into()).collect(),
        ..SisterPage::default()
    }
}

impl FileRecord {
    /// Reads the facts of a file from an answer.
    pub(super) fn of(id: UrlId, response: &Response) -> FileRecord {
        let announced = response.header("content-length").trim().parse().ok();
        FileRecord {
            id,
            content_type: response.media_type(),
            bytes: announced.unwrap_or(response.body.len() as u64),
            ttfb_ms: response.ttfb_ms,
        }
    }
}
