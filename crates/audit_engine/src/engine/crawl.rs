//! The crawl: what is asked for, in which order, and what becomes of the answers. Answers are worked on in the order in
//! which they were asked for, so that the result does not depend on how fast each came.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;
use url::Url;

use super::fetch::{Pace, fetch, mismatched_type};
use super::frontier::{CrawlPriority, Frontier};
use super::in_order::InOrder;
use super::journal::{EarlierRecords, FileRecord, Journal, JournalError, JournalRecord, RecordBatches};
use super::opening::Alternates;
use super::page_names::Names;
use super::page_work::{PageVersions, PageWork};
use super::patterns::{Admission, Patterns, Wish};
use super::scanning::{Scanned, Scans};
use super::{AuditOptions, AuditProgress, CrawlEnd, CrawlMode};
use crate::address::Origin;
use crate::checks::thresholds::ThresholdId;
use crate::page::addresses::Addresses;
use crate::page::not_found::NotFoundProbe;
use crate::site::{CrawledSite, Row, RowDestination, SpillFile, UrlId};
use crate::source::PageSource;

/// How often it is asked whether the audit is still wanted.
const TICK: Duration = Duration::from_millis(250);
/// Redirects that are followed one after the other. Verdicts tell up to ten of them apart.
const MAX_REDIRECTS: u8 = 20;
/// Answers that are completed before others on the thread get their turn.
const AT_ONCE: usize = 4;
/// Answers that may wait for an earlier one, for each request that may run.
const WINDOW: usize = 4;

/// Who is told how far the audit is.
pub(super) enum Watch<'w> {
    /// Somebody who keeps it.
    Journal(&'w mut dyn Journal),
    /// Somebody who watches.
    Callback(&'w mut (dyn FnMut(AuditProgress) + Send)),
}

enum Ready {
    Record { record: JournalRecord, is_new: bool },
    Page { row: Box<Row>, work: Box<PageWork>, versions: Box<PageVersions> },
}

pub(super) struct Crawl<'a> {
    pub options: &'a AuditOptions,
    pub site: CrawledSite,
    pub frontier: Frontier,
    pub patterns: Patterns,
    /// Renders that may run: pages that wait for others of their template all begin at once.
    render_turns: Arc<Semaphore>,
    pub probe: NotFoundProbe,
    pub addresses: Addresses,
    pub pace: Pace,
    pub pages: usize,
    pub files: Vec<FileRecord>,
    pub spill: SpillFile,
    /// Addresses that the options leave out.
    pub filtered: HashSet<UrlId>,
    /// Addresses that robots.txt forbids.
    pub forbidden: usize,
    /// Addresses that lead nowhere new, without end.
    pub trapped: HashSet<UrlId>,
    /// Addresses that others of their template stand for.
    pub sampled: HashSet<UrlId>,
    /// Redirects in a row that led to an address.
    redirects: HashMap<UrlId, u8>,
    /// When pages changed, by the sitemap.
    pub lastmods: HashMap<UrlId, i64>,
    /// Language versions of pages by the sitemap.
    pub alternates: Alternates,
    /// Listed pages that the run before knows.
    pub known: usize,
    pub close_reason: CrawlEnd,
    pub sessions: u32,
    /// Year of the audit: dates far from it are no pages.
    pub year: i32,
    past: EarlierRecords,
    batches: RecordBatches,
    started: Instant,
}

impl<'a> Crawl<'a> {
    pub fn new(
        options: &'a AuditOptions,
        origin: Origin,
        past: Vec<Vec<u8>>,
    ) -> Result<Crawl<'a>, JournalError> {
        let mut site = CrawledSite::new(origin, &options.agent);
        site.is_follow = options.mode == CrawlMode::Follow;
        site.thresholds = options.thresholds.clone();
        let past = EarlierRecords::read(past, &mut site)?;
        Ok(Crawl {
            options,
            frontier: Frontier::default(),
            patterns: Patterns::default(),
            render_turns: Arc::new(Semaphore::new(options.renders_at_once.max(1))),
            probe: NotFoundProbe::default(),
            addresses: Addresses::default(),
            pace: Pace::new(options.requests_per_second, None, options.concurrency),
            pages: 0,
            files: Vec::new(),
            spill: SpillFile::default(),
            filtered: HashSet::new(),
            forbidden: 0,
            trapped: HashSet::new(),
            sampled: HashSet::new(),
            redirects: HashMap::new(),
            lastmods: HashMap::new(),
            alternates: Alternates::default(),
            known: 0,
            close_reason: CrawlEnd::Finished,
            sessions: past.sessions,
            batches: RecordBatches::new(&past, &site),
            past,
            year: 0,
            started: Instant::now(),
            site,
        })
    }

    /// Time that all runs took together.
    pub fn elapsed(&self) -> Duration {
        self.past.elapsed + self.started.elapsed()
    }

    pub async fn run(&mut self, source: &dyn PageSource, watch: &mut Watch<'_>) -> Result<(), JournalError> {
        let mut fetches = InOrder::new();
        let mut scans = Scans::default();
        let mut readies = InOrder::new();
        loop {
            if let Some(reason) = self.must_end(watch) {
                self.close_reason = reason;
                break;
            }
            self.ask(source, &mut fetches, scans.len() + readies.len());
            while scans.len() < WINDOW * self.options.concurrency.max(1)
                && let Some(fetched) = fetches.pop()
            {
                scans.push(fetched);
            }
            scans.start();
            while readies.running() < self.options.renders_at_once.max(1) + self.patterns.waiting()
                && let Some(scanned) = scans.pop()
            {
                self.receive(source, scanned, &mut readies);
            }
            let mut completed = 0;
            while completed < AT_ONCE
                && let Some(ready) = readies.pop()
            {
                self.complete(ready, watch, source.now_ms())?;
                completed += 1;
            }
            let is_moving = completed > 0;
            let asked = fetches.len() + scans.len() + readies.len();
            let progress = AuditProgress { pages: self.pages, waiting: self.frontier.len() + asked };
            self.tell(watch, progress, is_moving).await?;
            if is_moving {
                tokio::task::yield_now().await;
            } else if asked == 0 {
                break;
            } else {
                tokio::select! {
                    () = fetches.wait() => {}
                    () = scans.wait() => {}
                    () = readies.wait() => {}
                    () = tokio::time::sleep(TICK) => {}
                }
            }
        }
        if self.close_reason == CrawlEnd::Finished && self.frontier.len() > 0 {
            self.close_reason = CrawlEnd::UrlLimit;
        }
        self.save(watch, AuditProgress { pages: self.pages, waiting: self.frontier.len() }).await
    }

    pub fn must_end(&self, watch: &Watch<'_>) -> Option<CrawlEnd> {
        match watch {
            Watch::Journal(journal) if journal.is_cancelled() => return Some(CrawlEnd::Cancelled),
            _ => {}
        }
        let is_late = self.options.time_limit.is_some_and(|limit| self.elapsed() >= limit);
        is_late.then_some(CrawlEnd::TimeLimit)
    }

    async fn tell(
        &mut self,
        watch: &mut Watch<'_>,
        progress: AuditProgress,
        is_moving: bool,
    ) -> Result<(), JournalError> {
        match watch {
            Watch::Journal(_) if self.batches.is_due() => self.save(watch, progress).await,
            Watch::Callback(tell) if is_moving => {
                tell(progress);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    async fn save(&mut self, watch: &mut Watch<'_>, progress: AuditProgress) -> Result<(), JournalError> {
        let elapsed = self.elapsed();
        if let Watch::Journal(journal) = watch
            && let Some(batch) = self.batches.take(&self.site, elapsed)?
        {
            journal.save(batch, progress).await?;
        }
        Ok(())
    }

    /// Asks for as many addresses as may be asked for now.
    fn ask<'s>(&mut self, source: &'s dyn PageSource, fetches: &mut InOrder<'s, Scanned>, others: usize) {
        while fetches.running() < self.pace.limit()
            && fetches.len() < WINDOW * self.options.concurrency.max(1)
            && self.pages + fetches.len() + others < self.options.max_pages
        {
            let Some(id) = self.next_allowed(fetches.len() + others == 0) else { break };
            if let Some(record) = self.past.take(id) {
                fetches.push_done(Scanned::Earlier(record));
                continue;
            }
            let url = self.site.origin.url(self.site.urls.key(id));
            let start = self.pace.next_start();
            let (gap, slow_ms) = (self.pace.gap(), self.options.thresholds.number(ThresholdId::TtfbSlowMs));
            fetches.push(async move {
                tokio::time::sleep_until(start).await;
                let asked_at_ms = source.now_ms();
                let result = Box::new(fetch(source, &url, slow_ms, gap).await);
                Scanned::Fetched { id, url, result, raw: None, asked_at_ms }
            });
        }
    }

    /// The next address that may be asked for. A forbidden one becomes a row without an answer.
    fn next_allowed(&mut self, is_idle: bool) -> Option<UrlId> {
        loop {
            let id = self.frontier.pop(is_idle)?;
            let key = self.site.urls.key(id);
            let is_allowed = !self.site.robots.is_unreachable
                && self.site.robots.rules.decide(&self.site.agent, key).is_allowed;
            if is_allowed {
                return Some(id);
            }
            self.forbidden += 1;
            let mut row = Box::new(Row { id, is_blocked: true, ..Row::default() });
            row.details().fields.readability = -1.0;
            self.insert(row);
        }
    }

    /// Looks at an answer, and has it rendered if it is a page that needs it.
    fn receive<'s>(
        &mut self,
        source: &'s dyn PageSource,
        fetched: Scanned,
        readies: &mut InOrder<'s, Ready>,
    ) {
        let (id, url, result, raw, asked_at_ms) = match fetched {
            Scanned::Earlier(record) => {
                if let JournalRecord::Row(row) = &record {
                    self.patterns.remember(self.site.urls.key(row.id), row);
                }
                return readies.push_done(Ready::Record { record, is_new: false });
            }
            Scanned::Fetched { id, url, result, raw, asked_at_ms } => (id, url, result, raw, asked_at_ms),
        };
        self.pace.learn(&result);
        let mut row = result.row(id);
        let key = self.site.urls.key(id);
        row.crawled_at_ms = asked_at_ms;
        row.is_seed = self.options.mode == CrawlMode::Follow && self.is_seed(&url);
        row.is_blocked = self.site.is_blocked(key);
        let is_start = row.is_seed || key == "/";
        let new = |record: JournalRecord| Ready::Record { record, is_new: true };
        let Ok(response) = result.response else {
            return readies.push_done(new(JournalRecord::Row(Box::new(row))));
        };
        if is_start {
            row.headers = response.header_texts();
        }
        if let Some(to) = response.redirect_target(&url) {
            row.redirect = Some(self.place(&to));
            row.details().fields.html_bytes = 0;
        } else if let Some(raw) = raw {
            row.mismatched_type = mismatched_type(&response);
            let work = Box::new(PageWork::new(&self.site.origin, url.clone(), response, raw));
            let wish = if self.options.renders { work.wants_render(&mut self.patterns) } else { Wish::Leave };
            let turns = Arc::clone(&self.render_turns);
            return readies.push(async move {
                let versions = Box::new(PageVersions::of(source, &url, wish, &turns).await);
                Ready::Page { row: Box::new(row), work, versions }
            });
        } else if response.status == 200 {
            row.mismatched_type = mismatched_type(&response);
            if row.mismatched_type.is_none() {
                return readies.push_done(new(JournalRecord::File(FileRecord {
                    id,
                    content_type: response.media_type(),
                    bytes: response.body.len() as u64,
                    ttfb_ms: response.ttfb_ms,
                })));
            }
        } else {
            row.details().fields.html_bytes = 0;
        }
        readies.push_done(new(JournalRecord::Row(Box::new(row))));
    }

    /// Runs the checks of a page, and keeps what is known of an address.
    fn complete(&mut self, ready: Ready, watch: &Watch<'_>, now_ms: i64) -> Result<(), JournalError> {
        let (record, is_new) = match ready {
            Ready::Record { record, is_new } => (record, is_new),
            Ready::Page { mut row, work, versions } => {
                work.check(self, *versions, &mut row, now_ms);
                (JournalRecord::Row(row), true)
            }
        };
        if is_new && matches!(watch, Watch::Journal(_)) {
            self.batches.add(&record)?;
        }
        match record {
            JournalRecord::File(file) => self.files.push(file),
            JournalRecord::Row(row) => {
                self.pages += usize::from(row.is_page());
                self.patterns.learn(self.site.urls.key(row.id), &row);
                self.follow(&row);
                self.insert(row);
            }
        }
        Ok(())
    }

    fn insert(&mut self, mut row: Box<Row>) {
        row.kept_details = row.details.take().map(|details| self.spill.keep(&details));
        self.site.insert(row);
    }

    /// Queues what a row leads to.
    fn follow(&mut self, row: &Row) {
        if self.options.mode != CrawlMode::Follow {
            return;
        }
        let depth = self.frontier.depth(row.id);
        if let Some(RowDestination::Page(to)) = row.redirect {
            let redirects = self.redirects.get(&row.id).copied().unwrap_or_default() + 1;
            if redirects <= MAX_REDIRECTS {
                self.redirects.entry(to).or_insert(redirects);
                self.enqueue(to, CrawlPriority::Link, depth);
            }
        }
        let next = depth.saturating_add(1);
        let Some(named) = &row.named else { return };
        named.links.iter().for_each(|link| self.enqueue(link.to, CrawlPriority::Link, next));
        named.references.iter().for_each(|to| self.enqueue(*to, CrawlPriority::Reference, next));
    }

    /// Queues an address unless the options leave it out.
    pub fn enqueue(&mut self, id: UrlId, priority: CrawlPriority, depth: u16) {
        let is_too_deep =
            priority != CrawlPriority::Listed && self.options.max_depth.is_some_and(|most| depth > most);
        if is_too_deep || self.options.is_filtered(self.site.urls.key(id)) {
            self.filtered.insert(id);
            return;
        }
        // What was weighed once is not weighed again: a template counts each address once.
        if priority == CrawlPriority::Link && depth > 0 && !self.frontier.knows(id) {
            let may_sample = self.options.allow_sampling && depth > 1;
            let admission = self.patterns.admit(self.site.urls.key(id), self.year, may_sample);
            let left_out = match admission {
                Admission::Yes => None,
                Admission::Trap => Some(&mut self.trapped),
                Admission::Sampled => Some(&mut self.sampled),
            };
            if let Some(left_out) = left_out {
                left_out.insert(id);
                return self.frontier.refuse(id);
            }
        }
        self.frontier.push(id, priority, depth);
    }

    fn place(&mut self, url: &Url) -> RowDestination {
        let CrawledSite { origin, urls, texts, .. } = &mut self.site;
        Names { origin, urls, texts }.place(url)
    }

    fn is_seed(&self, url: &Url) -> bool {
        let origin = &self.site.origin;
        let key = origin.key(url);
        self.options.seeds.iter().any(|seed| origin.contains(seed) && origin.key(seed) == key)
    }
}
