//! An audit from its first request to its result. Knows pages through a `PageSource` only; holds no document after
//! its checks, and writes its progress to a `Journal`.
//! See docs/decisions/0161.

mod agents;
mod assets;
mod bots;
mod crawl;
mod fetch;
mod frontier;
mod in_order;
mod journal;
mod listed;
mod lists;
mod opening;
mod options;
mod outcome;
mod page_names;
mod page_row;
mod page_work;
mod patterns;
mod picture;
mod politeness;
mod probes;
mod queue;
mod results;
mod robots_analysis;
mod scanning;
mod sitemaps;
mod stats;
mod targets;
mod template;
mod totals;
mod watch;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use crate::source::PageSource;

use crawl::Crawl;
use frontier::matches;
use politeness::PoliteSource;
use watch::Watch;

pub use journal::{Journal, JournalError, PastBatches};
pub use lists::{HreflangEntry, ImageEntry, LinkEntry, PageNames, ResourceEntry, ResourceType};
pub use opening::last_moment;
pub use options::{AuditOptions, CrawlMode, IgnoredFinding, PreviousPage, RobotsPolicy};
pub use outcome::{
    Audit, AuditStatus, CrawlEnd, Finding, Hop, ListedIssue, ListedPage, PageDetails, RowResult, SiteResult,
    SitemapExample, SitemapIssue,
};
pub use patterns::SampledPattern;
pub use robots_analysis::{
    BotAccess, LlmsTxt, NamedSitemap, RobotsAnalysis, RobotsGroup, RobotsProblem, RobotsRule,
};
pub use stats::{
    BySeverity, CrawlStats, LeftOut, Politeness, Sampling, SiteIssue, SitemapStats, Skipped, Timing,
};

/// Progress of an audit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditProgress {
    /// Pages that were audited.
    pub pages: usize,
    /// Addresses that wait.
    pub waiting: usize,
    /// Remaining requests of pictures, scripts and links to other hosts. They begin once all pages are known.
    pub probes: usize,
}

/// Audits a site. `progress` is told after every answer.
pub async fn audit(
    source: &dyn PageSource,
    options: &AuditOptions,
    progress: &mut (dyn FnMut(AuditProgress) + Send),
) -> Audit {
    let audit = run(source, options, Watch::Callback(progress), &mut std::iter::empty()).await;
    audit.expect("nothing is written down, so nothing can fail to be")
}

/// Audits a site, and writes a journal of its progress.
///
/// `past` is the journal of an earlier, interrupted run of the same audit: its addresses are not requested again, and the result equals that of a run without interruption. Ends early, with the results so far, when the
/// journal is cancelled.
pub async fn resume(
    source: &dyn PageSource,
    options: &AuditOptions,
    journal: &mut dyn Journal,
    past: PastBatches<'_>,
) -> Result<Audit, JournalError> {
    run(source, options, Watch::Journal(journal), past).await
}

/// Ends an audit that failed again and again, with what its earlier runs wrote down. Asks for no page, and for nothing
/// beside pages.
pub async fn conclude(
    source: &dyn PageSource,
    options: &AuditOptions,
    past: PastBatches<'_>,
) -> Result<Audit, JournalError> {
    let source = PoliteSource::new(source, &options.seeds[0], options.requests_per_second);
    let mut crawl = begin(&source, options, past).await?;
    crawl.ends_with_past = true;
    crawl.open(&source).await;
    crawl.run(&source, &mut Watch::Callback(&mut |_| {})).await?;
    crawl.close_reason = CrawlEnd::Crashed;
    Ok(crawl.finish(source.now_ms()))
}

async fn run(
    source: &dyn PageSource,
    options: &AuditOptions,
    mut watch: Watch<'_>,
    past: PastBatches<'_>,
) -> Result<Audit, JournalError> {
    let source = PoliteSource::new(source, &options.seeds[0], options.requests_per_second);
    let mut crawl = begin(&source, options, past).await?;
    let elapsed = crawl.elapsed();
    let is_open = tokio::select! {
        () = crawl.open(&source) => true,
        reason = watch.end(options, elapsed, AuditProgress::default) => {
            crawl.close_reason = reason;
            false
        }
    };
    if is_open {
        crawl.run(&source, &mut watch).await?;
        let elapsed = crawl.elapsed();
        let (pages, probes) = (crawl.progress().pages, Arc::clone(&crawl.probes_left));
        // Addresses that are still in the queue are over a limit: nobody waits for them.
        let progress = || AuditProgress { pages, waiting: 0, probes: probes.load(Ordering::Relaxed) };
        tokio::select! {
            () = crawl.probe(&source) => {}
            // Answers of addresses beside pages until then count.
            _ = watch.end(options, elapsed, progress) => {}
        }
    }
    Ok(crawl.finish(source.now_ms()))
}

/// Finds out where the site is, and reads what earlier runs wrote down.
async fn begin<'a>(
    source: &PoliteSource<'_>,
    options: &'a AuditOptions,
    past: PastBatches<'_>,
) -> Result<Crawl<'a>, JournalError> {
    let (origin, robots) = opening::find_site(source, options).await;
    source.set_origin(&origin);
    let mut crawl = Crawl::new(options, origin.without_parameters(&options.drop_parameters), past)?;
    crawl.site.robots = robots;
    Ok(crawl)
}

#[cfg(test)]
mod tests;
