//! An audit from its first request to its result. Knows pages through a `PageSource` only; holds no document longer
//! than its checks run, and what it writes down goes to a `Journal`.
//! See docs/decisions/0161.

mod agents;
mod bots;
mod crawl;
mod fetch;
mod frontier;
mod in_order;
mod journal;
mod lists;
mod opening;
mod options;
mod outcome;
mod page_names;
mod page_row;
mod page_work;
mod patterns;
mod picture;
mod probes;
mod results;
mod robots_analysis;
mod scanning;
mod stats;
mod tally;

use serde::{Deserialize, Serialize};

use crate::source::PageSource;

use crawl::{Crawl, Watch};
use frontier::matches;

pub use journal::{Journal, JournalError};
pub use lists::{HreflangEntry, ImageEntry, LinkEntry};
pub use options::{AuditOptions, CrawlMode, IgnoredFinding, PreviousPage};
pub use outcome::{
    Audit, AuditStatus, CrawlEnd, Finding, Hop, RowResult, SiteResult, SitemapExample, SitemapIssue,
};
pub use patterns::SampledPattern;
pub use robots_analysis::{
    BotAccess, LlmsTxt, NamedSitemap, RobotsAnalysis, RobotsGroup, RobotsProblem, RobotsRule,
};
pub use stats::{BySeverity, CrawlStats, Politeness, Sampling, SiteIssue, SitemapStats, Skipped, Timing};

/// How far an audit is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditProgress {
    /// Pages that were audited.
    pub pages: usize,
    /// Addresses that wait.
    pub waiting: usize,
}

/// Audits a site. `progress` is told after every answer.
pub async fn audit(
    source: &dyn PageSource,
    options: &AuditOptions,
    progress: &mut (dyn FnMut(AuditProgress) + Send),
) -> Audit {
    let audit = run(source, options, Watch::Callback(progress), Vec::new()).await;
    audit.expect("nothing is written down, so nothing can fail to be")
}

/// Audits a site, and writes down what it finds on the way.
///
/// `past` is what an earlier, interrupted run of the same audit wrote down, in order: what it has is not asked for
/// again, and the result is that of a run without interruption. Ends early, with what it has, when the journal says
/// that it is cancelled.
pub async fn resume(
    source: &dyn PageSource,
    options: &AuditOptions,
    journal: &mut dyn Journal,
    past: Vec<Vec<u8>>,
) -> Result<Audit, JournalError> {
    run(source, options, Watch::Journal(journal), past).await
}

async fn run(
    source: &dyn PageSource,
    options: &AuditOptions,
    mut watch: Watch<'_>,
    past: Vec<Vec<u8>>,
) -> Result<Audit, JournalError> {
    let origin = opening::find_origin(source, &options.seeds[0]).await;
    let mut crawl = Crawl::new(options, origin.without_parameters(&options.drop_parameters), past)?;
    crawl.open(source).await;
    crawl.run(source, &mut watch).await?;
    crawl.probe(source, &mut watch).await;
    Ok(crawl.finish(source.now_ms()))
}

#[cfg(test)]
mod tests;
