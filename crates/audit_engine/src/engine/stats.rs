//! Statistics of a crawl, in the form of the API.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::CrawlMode;
use super::crawl::Crawl;
use super::outcome::{CrawlEnd, SiteResult};
use super::patterns::SampledPattern;
use super::totals::{RowTotals, count_type};
use crate::checks::{FindingScope, ORPHAN, Severity};
use crate::score::HealthParts;
use crate::site::{Row, SharedContent};

const MAX_EXAMPLES: usize = 20;
const MAX_PATTERNS: usize = 200;

/// Numbers of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlStats {
    /// Method of finding pages.
    pub mode: CrawlMode,
    /// Addresses of the site that were seen.
    pub discovered: usize,
    /// Requested and waiting addresses.
    pub queued: usize,
    /// Requested addresses.
    pub fetched: usize,
    pub html_pages: usize,
    /// Pages that were rendered.
    pub rendered_pages: usize,
    /// Listed pages that were left as the run before found them.
    pub carried_pages: usize,
    /// Addresses without a page, by reason.
    pub skipped: Skipped,
    /// Rows by the first digit of their status.
    pub status_counts: BTreeMap<String, usize>,
    /// Responses by media type.
    pub content_types: BTreeMap<String, usize>,
    /// Pages by clicks from the start.
    pub depth: Vec<usize>,
    /// Most clicks.
    pub max_depth: usize,
    /// Bytes of all bodies, decompressed.
    pub bytes: u64,
    /// Time from the first request to the last, interruptions left out, in milliseconds.
    pub duration_ms: u64,
    /// Pages per second.
    pub pages_per_sec: f64,
    /// Times in milliseconds.
    pub timing: Timing,
    /// Requests beyond the first of an address.
    pub retries: u32,
    /// Addresses whose server asked to come back later.
    pub rate_limited: usize,
    /// Crawl delay of robots.txt, in milliseconds.
    pub robots_delay_ms: u64,
    /// Measures that limited the site's load.
    pub politeness: Politeness,
    /// Findings about the site.
    pub site_issues: Vec<SiteIssue>,
    /// Findings by severity.
    pub issues_by_severity: BySeverity,
    // The caller, which knows the previous run, fills these two in.
    /// Findings that the previous run did not have.
    pub new_issues: usize,
    /// Findings that only the previous run had.
    pub fixed_issues: usize,
    /// Groups of pages with one text.
    pub duplicate_clusters: usize,
    /// Groups of pages with nearly one text.
    pub near_duplicate_clusters: usize,
    /// Pages that nothing links to.
    pub orphans: usize,
    /// Agreement of sitemaps and crawl.
    pub sitemap: SitemapStats,
    /// Extent of the sampling.
    pub sampling: Sampling,
    /// Runs before this one that were interrupted.
    pub continuations: u32,
    /// Addresses that bounds kept the audit from looking at.
    pub left_out: LeftOut,
    /// Findings that snapshots solve; null where crawlers get none.
    #[schema(required = true)]
    pub solved_by_snapshots: Option<SolvedBySnapshots>,
    /// Numbers that the health is made of; null without pages and until the run is over.
    #[schema(required = true)]
    pub health_parts: Option<HealthParts>,
}

/// Findings of the server's own answers that crawlers do not meet, since they get snapshots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SolvedBySnapshots {
    /// Pages of which crawlers get a snapshot.
    pub pages: usize,
    /// Health of the site without snapshots, 0 to 100, one decimal.
    pub origin_health: f64,
    /// Pages on which a snapshot solves each issue, by its id.
    pub issues: BTreeMap<Cow<'static, str>, usize>,
}

/// Addresses that bounds kept an audit from looking at. All zero when no bound was reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// Pages that were processed in part, since they have too many elements or too long addresses.
    pub pages: usize,
    /// Elements and addresses of these pages.
    pub elements: usize,
    /// Addresses in listed pages that were not requested, since the limit of such requests was reached.
    pub targets: usize,
    /// Pictures, scripts and links to other hosts that are unknown, since the bound of probes was reached or other hosts, each
    /// of which is asked once a second, took longer than five minutes.
    pub probes: usize,
    /// Sitemap files of which a part was not read.
    pub sitemaps: usize,
    /// Times that a page or a sitemap named one more address than can be known.
    pub addresses: usize,
}

/// Addresses without a page, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Skipped {
    /// robots.txt forbids them.
    pub robots: usize,
    /// The limit came first.
    pub limit: usize,
    /// Addresses on other hosts.
    pub off_host: usize,
    /// Left out by patterns or depth.
    pub filtered: usize,
    /// Addresses that other pages of their template represent.
    pub sampling: usize,
    /// Addresses of endless traps.
    pub trap: usize,
    /// Something else than a page.
    pub not_html: usize,
}

/// Times in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Timing {
    /// Median time to the first byte.
    pub ttfb_p50: u64,
    /// Nine of ten came sooner.
    pub ttfb_p90: u64,
    /// Nine of ten were complete sooner.
    pub total_p90: u64,
    /// Median time of a render.
    pub render_p50: u64,
    /// Nine of ten renders took less.
    pub render_p90: u64,
    /// All renders together.
    pub render_total: u64,
}

/// Measures that limited the site's load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Politeness {
    /// Most requests at once.
    pub max_concurrency: usize,
    /// Requests at once in the end.
    pub final_concurrency: usize,
    /// Number of times that concurrency was lowered.
    pub backoffs: usize,
}

/// Something found about the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteIssue {
    #[schema(examples("HSTS_MISSING"))]
    pub issue_id: Cow<'static, str>,
    pub severity: Severity,
    /// Problem in a few words.
    pub detail: String,
    /// Addresses concerned, at most twenty.
    pub examples: Vec<String>,
}

/// Findings by severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BySeverity {
    pub error: usize,
    pub warning: usize,
    pub notice: usize,
}

/// Agreement of sitemaps and crawl.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SitemapStats {
    pub files: usize,
    /// Pages of the site that they list.
    pub urls: usize,
    /// Listed pages that were audited.
    pub in_crawl: usize,
    /// Listed pages that were not audited.
    pub not_in_crawl: usize,
}

/// Extent of the sampling.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sampling {
    /// True when large groups of similar pages were sampled.
    pub enabled: bool,
    /// Standard error of the mean page health; null without sampling.
    #[schema(required = true)]
    pub health_std_err: Option<f64>,
    /// The largest templates.
    pub patterns: Vec<SampledPattern>,
}

impl CrawlStats {
    /// Computes the statistics of a crawl whose rows are joined.
    pub(super) fn of(
        crawl: &Crawl,
        tally: &mut RowTotals,
        site_results: &[SiteResult],
        discovered: usize,
    ) -> CrawlStats {
        let site = &crawl.site;
        let asked = || site.rows.iter().filter(|row| row.crawled_at_ms != 0);
        let depth = std::mem::take(&mut tally.depth);
        let elapsed = crawl.elapsed();
        let delay = site.robots.rules.crawl_delay(&site.agent).unwrap_or_default();
        let is_limited = crawl.close_reason != CrawlEnd::Finished;
        CrawlStats {
            mode: crawl.options.mode,
            discovered,
            queued: asked().count() + crawl.files.len() + crawl.queue.waiting(),
            fetched: asked().count() + crawl.files.len(),
            html_pages: crawl.pages,
            rendered_pages: asked().filter(|row| row.is_rendered).count(),
            carried_pages: crawl.known,
            skipped: Skipped {
                robots: crawl.forbidden,
                limit: if is_limited { crawl.queue.waiting() + crawl.unvisited } else { 0 },
                off_host: site.external_links(),
                filtered: crawl.queue.filtered.len(),
                sampling: crawl.queue.sampled.len(),
                trap: crawl.queue.trapped.len(),
                not_html: crawl.files.len(),
            },
            status_counts: status_counts(crawl),
            content_types: content_types(crawl, std::mem::take(&mut tally.content_types)),
            max_depth: depth.len().saturating_sub(1),
            depth,
            bytes: tally.bytes + crawl.files.iter().map(|file| file.bytes).sum::<u64>(),
            duration_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            pages_per_sec: (crawl.pages as f64 / elapsed.as_secs_f64().max(0.001) * 10.0).round() / 10.0,
            timing: timing(crawl, std::mem::take(&mut tally.load_times)),
            retries: asked().map(|row| row.retries).sum(),
            rate_limited: asked().filter(|row| row.is_rate_limited).count(),
            robots_delay_ms: (delay * 1000.0) as u64,
            politeness: Politeness {
                max_concurrency: crawl.pace.most(),
                final_concurrency: crawl.pace.limit(),
                backoffs: crawl.pace.backoffs(),
            },
            site_issues: site_issues(site_results),
            issues_by_severity: by_severity(tally.by_severity, site_results),
            new_issues: 0,
            fixed_issues: 0,
            duplicate_clusters: site.clusters(SharedContent::Text),
            near_duplicate_clusters: site.near_clusters(),
            orphans: tally.issues.get(ORPHAN).copied().unwrap_or_default(),
            sitemap: sitemap_stats(crawl),
            sampling: sampling(crawl, &tally.health),
            continuations: crawl.sessions,
            left_out: left_out(crawl),
            solved_by_snapshots: None,
            health_parts: None,
        }
    }
}

fn left_out(crawl: &Crawl) -> LeftOut {
    let cut = || crawl.site.rows.iter().filter(|row| row.left_out > 0);
    LeftOut {
        pages: cut().count(),
        elements: cut().map(|row| row.left_out as usize).sum(),
        targets: crawl.left_out_targets,
        probes: crawl.left_out_probes,
        sitemaps: crawl.site.sitemaps.iter().filter(|file| file.is_cut).count(),
        addresses: crawl.site.urls.left_out() + crawl.site.texts.left_out(),
    }
}

/// Computes the standard error of the mean page health for a sample stratified by template.
fn sampling(crawl: &Crawl, health: &HashMap<String, Vec<f64>>) -> Sampling {
    let (samples, all) = crawl.queue.patterns.samples();
    let mut variance = 0.0;
    for (pattern, crawled, skipped) in samples {
        let Some(scores) = health.get(pattern).filter(|scores| scores.len() > 1) else { continue };
        let (count, population) = (scores.len() as f64, f64::from(crawled + skipped));
        let mean = scores.iter().sum::<f64>() / count;
        let spread = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (count - 1.0);
        variance += (population / all).powi(2) * spread / count * (1.0 - count / population);
    }
    Sampling {
        enabled: crawl.options.allow_sampling,
        health_std_err: (!crawl.queue.sampled.is_empty()).then(|| (variance.sqrt() * 100.0).round() / 100.0),
        patterns: crawl.queue.patterns.sampled(MAX_PATTERNS),
    }
}

fn status_counts(crawl: &Crawl) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<String, usize> =
        ["2xx", "3xx", "4xx", "5xx", "none"].into_iter().map(|name| (name.to_owned(), 0)).collect();
    for row in crawl.site.rows.iter() {
        let name = match row.status {
            200..=299 => "2xx",
            300..=399 => "3xx",
            400..=499 => "4xx",
            500..=599 => "5xx",
            _ => "none",
        };
        *counts.entry(name.to_owned()).or_default() += 1;
    }
    counts
}

fn content_types(crawl: &Crawl, mut counts: BTreeMap<String, usize>) -> BTreeMap<String, usize> {
    crawl.files.iter().for_each(|file| count_type(&mut counts, &file.content_type));
    counts
}

fn timing(crawl: &Crawl, mut total: Vec<u64>) -> Timing {
    let answered = || crawl.site.rows.iter().filter(|row| row.status != 0);
    let mut ttfb: Vec<u64> = answered().map(|row| u64::from(row.ttfb_ms)).collect();
    ttfb.extend(crawl.files.iter().map(|file| file.ttfb_ms));
    let mut render: Vec<u64> =
        answered().filter(|row| row.is_rendered).map(|row| u64::from(row.render_ms)).collect();
    [&mut ttfb, &mut total, &mut render].into_iter().for_each(|times| times.sort_unstable());
    let share = |times: &[u64], tenths: usize| {
        times.get((times.len() * tenths / 10).min(times.len().saturating_sub(1))).copied().unwrap_or_default()
    };
    Timing {
        ttfb_p50: share(&ttfb, 5),
        ttfb_p90: share(&ttfb, 9),
        total_p90: share(&total, 9),
        render_p50: share(&render, 5),
        render_p90: share(&render, 9),
        render_total: render.iter().sum(),
    }
}

fn site_issues(results: &[SiteResult]) -> Vec<SiteIssue> {
    let about_site = results.iter().filter(|result| result.check.check().scope == FindingScope::Site);
    about_site
        .flat_map(|result| {
            result.findings.iter().map(|found| SiteIssue {
                issue_id: result.check.check().id.into(),
                severity: result.check.check().severity,
                detail: found.detail.clone(),
                examples: found
                    .evidence
                    .examples
                    .iter()
                    .take(MAX_EXAMPLES)
                    .map(|example| example.url.clone())
                    .collect(),
            })
        })
        .collect()
}

fn by_severity(mut counts: BySeverity, site_results: &[SiteResult]) -> BySeverity {
    site_results.iter().for_each(|result| counts.add(result.check.check().severity));
    counts
}

fn sitemap_stats(crawl: &Crawl) -> SitemapStats {
    let site = &crawl.site;
    let entries = site.sitemaps.iter().flat_map(|file| &file.entries);
    let listed: BTreeSet<_> = entries.filter_map(|entry| entry.id).collect();
    let in_crawl = listed.iter().filter(|id| site.row(**id).is_some_and(Row::is_page)).count();
    SitemapStats {
        files: site.sitemaps.len(),
        urls: listed.len(),
        in_crawl,
        not_in_crawl: listed.len() - in_crawl,
    }
}
