//! The crawl: requests in their order, and the processing of responses. Responses are processed in the order of their
//! requests, so that the result does not depend on their speed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;
use url::Url;

use super::fetch::{FetchedPage, Pace, fetch, mismatched_type};
use super::in_order::InOrder;
use super::journal::{EarlierRecords, FileRecord, JournalError, JournalRecord, PastBatches, RecordBatches};
use super::outcome::RowResult;
use super::page_names::Names;
use super::page_work::{PageVersions, PageWork};
use super::patterns::Wish;
use super::queue::CrawlQueue;
use super::results::live_row;
use super::scanning::{Scanned, Scans};
use super::sitemaps::Alternates;
use super::watch::{TICK, Watch};
use super::{AuditOptions, AuditProgress, CrawlEnd, CrawlMode};
use crate::address::Origin;
use crate::checks::thresholds::ThresholdId;
use crate::page::addresses::Addresses;
use crate::page::not_found::NotFoundProbe;
use crate::site::{AddressLimits, CrawledSite, Row, RowDestination, SpillFile, UrlId};
use crate::source::PageSource;

/// Time after which an address that hangs does not stop those behind it any more.
const PATIENCE: Duration = Duration::from_secs(5);
/// Responses that are processed before the thread yields to other tasks.
const AT_ONCE: usize = 4;
/// Responses that may wait for an earlier one, for each request that may run.
const WINDOW: usize = 4;
/// Bytes of documents that may wait at each of two steps, the scan and the checks. Facts take several times as much.
const MAX_WAITING_BYTES: usize = 16 * 1024 * 1024;

/// Rows that are shown while the audit runs.
const MAX_LIVE_ROWS: usize = 10_000;

enum Ready {
    Record { record: JournalRecord, is_new: bool },
    Page { row: Box<Row>, work: Box<PageWork>, versions: Box<PageVersions> },
}

pub(super) struct Crawl<'a> {
    pub options: &'a AuditOptions,
    pub site: CrawledSite,
    pub queue: CrawlQueue<'a>,
    /// Renders that may run: pages that wait for others of their template all begin at once.
    render_turns: Arc<Semaphore>,
    pub probe: NotFoundProbe,
    pub addresses: Addresses,
    pub pace: Pace,
    pub pages: usize,
    pub files: Vec<FileRecord>,
    pub spill: SpillFile,
    /// Addresses that robots.txt forbids.
    pub forbidden: usize,
    /// Dates of change from the sitemap, in epoch milliseconds.
    pub lastmods: HashMap<UrlId, i64>,
    /// Language versions of pages by the sitemap.
    pub alternates: Alternates,
    /// Sitemaps that the service has made: their pages are known from elsewhere.
    pub made_sitemaps: HashSet<Url>,
    /// Listed pages that the run before knows.
    pub known: usize,
    pub close_reason: CrawlEnd,
    pub sessions: u32,
    /// Targets and probes that bounds left out.
    pub left_out_targets: usize,
    pub left_out_probes: usize,
    /// Remaining probes of this run.
    pub probes_left: Arc<AtomicUsize>,
    /// True when only the journal of earlier runs is processed.
    pub ends_with_past: bool,
    /// Addresses that were left out because of that.
    pub unvisited: usize,
    /// Bytes of documents that wait for their checks.
    unchecked_bytes: usize,
    /// Rows since the last batch, to be shown while the audit runs.
    live: Vec<RowResult>,
    past: EarlierRecords,
    batches: RecordBatches,
    started: Instant,
}

impl<'a> Crawl<'a> {
    pub fn new(
        options: &'a AuditOptions,
        origin: Origin,
        past: PastBatches<'_>,
    ) -> Result<Crawl<'a>, JournalError> {
        let mut site = CrawledSite::new(origin, &options.agent);
        site.is_follow = options.mode == CrawlMode::Follow;
        site.thresholds = options.thresholds.clone();
        let limits = AddressLimits::for_pages(options.max_pages);
        site.urls.limit(limits);
        site.texts.limit(limits);
        let past = EarlierRecords::read(past, &mut site)?;
        Ok(Crawl {
            options,
            queue: CrawlQueue::new(options),
            render_turns: Arc::new(Semaphore::new(options.renders_at_once.max(1))),
            probe: NotFoundProbe::default(),
            addresses: Addresses::default(),
            pace: Pace::new(options.concurrency),
            pages: 0,
            files: Vec::new(),
            spill: SpillFile::default(),
            forbidden: 0,
            lastmods: HashMap::new(),
            alternates: Alternates::default(),
            made_sitemaps: HashSet::new(),
            known: 0,
            close_reason: CrawlEnd::Finished,
            sessions: past.sessions,
            batches: RecordBatches::new(&past, &site),
            past,
            left_out_targets: 0,
            left_out_probes: 0,
            probes_left: Arc::default(),
            ends_with_past: false,
            unvisited: 0,
            unchecked_bytes: 0,
            live: Vec::new(),
            started: Instant::now(),
            site,
        })
    }

    /// Returns the time of all runs together.
    pub fn elapsed(&self) -> Duration {
        self.past.elapsed + self.started.elapsed()
    }

    pub async fn run(&mut self, source: &dyn PageSource, watch: &mut Watch<'_>) -> Result<(), JournalError> {
        let mut fetches = InOrder::with_patience(PATIENCE, self.options.concurrency.max(1));
        let mut scans = Scans::default();
        let mut readies = InOrder::new();
        loop {
            if let Some(reason) = watch.must_end(self.options, self.elapsed()) {
                self.close_reason = reason;
                break;
            }
            self.ask(source, &mut fetches, scans.len() + readies.len());
            while scans.len() < WINDOW * self.options.concurrency.max(1)
                && scans.bytes() < MAX_WAITING_BYTES
                && let Some(fetched) = fetches.pop()
            {
                scans.push(fetched);
            }
            scans.start();
            while readies.running() < self.options.renders_at_once.max(1) + self.queue.patterns.waiting()
                && self.unchecked_bytes < MAX_WAITING_BYTES
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
            let progress = AuditProgress { waiting: self.queue.waiting() + asked, ..self.progress() };
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
        if self.close_reason == CrawlEnd::Finished && self.queue.waiting() > 0 {
            self.close_reason = CrawlEnd::UrlLimit;
        }
        self.save(watch, self.progress()).await
    }

    /// Returns the progress while no request is running.
    pub fn progress(&self) -> AuditProgress {
        AuditProgress { pages: self.pages, waiting: self.queue.waiting(), probes: 0 }
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
            journal.save(batch, std::mem::take(&mut self.live), progress).await?;
        }
        Ok(())
    }

    /// Starts as many requests as may run now.
    fn ask<'s>(&mut self, source: &'s dyn PageSource, fetches: &mut InOrder<'s, Scanned>, others: usize) {
        while fetches.running() < self.pace.limit()
            && fetches.len() - fetches.late() < WINDOW * self.options.concurrency.max(1)
            && self.pages + fetches.len() + others < self.options.max_pages
        {
            let Some(id) = self.next_allowed(fetches.len() + others == 0) else { break };
            if let Some(record) = self.past.take(id) {
                fetches.push_done(Scanned::Earlier(record));
                continue;
            }
            if self.ends_with_past {
                self.unvisited += 1;
                continue;
            }
            let url = self.site.origin.url(self.site.urls.key(id));
            let slow_ms = self.options.thresholds.number(ThresholdId::TtfbSlowMs);
            let origin = self.site.origin.clone();
            fetches.push(async move {
                let FetchedPage { url, result } = fetch(source, &origin, url, slow_ms).await;
                // Before the request there may have been a wait.
                let answered_at_ms = source.now_ms();
                Scanned::Fetched { id, url, result: Box::new(result), raw: None, answered_at_ms }
            });
        }
    }

    /// Returns the next address that may be requested. A forbidden one becomes a row without a response.
    fn next_allowed(&mut self, is_idle: bool) -> Option<UrlId> {
        loop {
            let id = self.queue.next(&self.site.urls, is_idle)?;
            let key = self.site.urls.key(id);
            if self.site.allows(key) {
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
        let (id, url, result, raw, answered_at_ms) = match fetched {
            Scanned::Earlier(record) => {
                if let JournalRecord::Row(row) = &record {
                    self.queue.patterns.remember(self.site.urls.key(row.id), row);
                }
                return readies.push_done(Ready::Record { record, is_new: false });
            }
            Scanned::Fetched { id, url, result, raw, answered_at_ms } => {
                (id, url, result, raw, answered_at_ms)
            }
        };
        self.pace.learn(&result);
        let mut row = result.row(id);
        let key = self.site.urls.key(id);
        row.crawled_at_ms = answered_at_ms;
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
            self.unchecked_bytes += response.body.len();
            let work = Box::new(PageWork::new(&self.site.origin, url.clone(), response, raw));
            let wish =
                if self.options.renders { work.wants_render(&mut self.queue.patterns) } else { Wish::Leave };
            let turns = Arc::clone(&self.render_turns);
            return readies.push(async move {
                let versions = Box::new(PageVersions::of(source, &url, wish, &turns).await);
                Ready::Page { row: Box::new(row), work, versions }
            });
        } else if response.status == 200 {
            row.mismatched_type = mismatched_type(&response);
            if row.mismatched_type.is_none() {
                return readies.push_done(new(JournalRecord::File(FileRecord::of(id, &response))));
            }
        } else {
            row.details().fields.html_bytes = 0;
        }
        readies.push_done(new(JournalRecord::Row(Box::new(row))));
    }

    /// Runs the checks of a page, and stores the row of an address.
    fn complete(&mut self, ready: Ready, watch: &Watch<'_>, now_ms: i64) -> Result<(), JournalError> {
        let (record, is_new) = match ready {
            Ready::Record { record, is_new } => (record, is_new),
            Ready::Page { mut row, work, versions } => {
                self.unchecked_bytes -= work.bytes();
                work.check(self, *versions, &mut row, now_ms);
                (JournalRecord::Row(row), true)
            }
        };
        if is_new && matches!(watch, Watch::Journal(_)) {
            self.batches.add(&record)?;
            if let JournalRecord::Row(row) = &record
                && self.site.rows.len() < MAX_LIVE_ROWS
            {
                self.live.push(live_row(&self.site, row));
            }
        }
        match record {
            JournalRecord::File(file) => self.files.push(file),
            JournalRecord::Row(row) => {
                self.pages += usize::from(row.is_page());
                self.queue.patterns.learn(self.site.urls.key(row.id), &row);
                if self.options.mode == CrawlMode::Follow {
                    self.queue.follow(&self.site.urls, &row);
                }
                self.insert(row);
            }
        }
        Ok(())
    }

    fn insert(&mut self, mut row: Box<Row>) {
        row.kept_details = row.details.take().map(|details| self.spill.keep(&details));
        self.site.insert(row);
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
