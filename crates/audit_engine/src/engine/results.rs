//! The end of an audit: joined checks, scores and results.

use std::collections::BTreeMap;

use super::RobotsPolicy;
use super::crawl::Crawl;
use super::outcome::{
    Audit, AuditStatus, CrawlEnd, Finding, Hop, ListedIssue, ListedPage, PageDetails, RowResult, SiteResult,
    SitemapExample, SitemapIssue,
};
use super::robots_analysis::RobotsAnalysis;
use super::stats::{CrawlStats, SolvedBySnapshots};
use super::totals::RowTotals;
use crate::checks::{CheckId, Evidence, FindingScope, Fires};
use crate::page::view::CheckedRows;
use crate::score::{HealthParts, health_after, health_parts, page_health, page_penalties, run_health};
use crate::site::{
    CrawledSite, Details, Difference, Failure, NamedRow, PageFields, Row, RowDestination, SiteFindings,
    SpillFile, SpillOffset,
};

impl Crawl<'_> {
    /// Joins the rows, runs the checks that need all of them, and scores.
    pub fn finish(mut self, now_ms: i64) -> Audit {
        self.site.now_ms = now_ms;
        self.site.hit_limit = self.close_reason == CrawlEnd::UrlLimit;
        self.site.is_complete = self.site.is_follow
            && self.close_reason == CrawlEnd::Finished
            && self.queue.filtered.is_empty()
            && self.queue.trapped.is_empty()
            && self.queue.sampled.is_empty();
        self.site.traps = self.queue.patterns.traps();
        self.drop_unlinked_forbidden_rows();
        let discovered = self.site.urls.len();
        self.site.sort();
        self.site.join();
        let site_findings = self.whole_checks();
        let mut results = RowResults { spill: std::mem::take(&mut self.spill), kept: Vec::new() };
        let mut tally = RowTotals::default();
        for row in self.site.rows.iter() {
            let row = NamedRow { row, named: self.site.named(row) };
            let mut details = self.joined_details(&row, &results.spill);
            details.preview = row.preview.score(&self.site, &row);
            results.kept.push(results.spill.keep(&details));
            let row = row.row;
            tally.add(&self, row, &row_result(&self.site, row, details));
        }
        let site_checks: Vec<CheckId> = site_findings.iter().map(|found| found.check).collect();
        let start_is_ok = self.site.start().is_some_and(|row| row.status == 200 || row.redirect.is_some());
        let health_parts = health_parts(&tally.scored, &site_checks, start_is_ok);
        let is_ended_from_outside = matches!(self.close_reason, CrawlEnd::Cancelled | CrawlEnd::Crashed);
        if self.pages == 0 && self.known == 0 && !is_ended_from_outside {
            self.close_reason = CrawlEnd::Unreachable;
        }
        let origin_health = run_health(&tally.origin_scored, &site_checks, start_is_ok);
        let mut crawl_stats = CrawlStats::of(&self, &mut tally, &site_findings, discovered);
        crawl_stats.health_parts = health_parts;
        crawl_stats.solved_by_snapshots = (tally.served_pages > 0).then_some(SolvedBySnapshots {
            pages: tally.served_pages,
            origin_health,
            issues: tally.solved,
        });
        let mut issue_breakdown = tally.issues;
        site_checks
            .iter()
            .for_each(|check| *issue_breakdown.entry(check.check().id.into()).or_default() += 1);
        Audit {
            status: self.status(),
            close_reason: self.close_reason,
            error_message: self.error_message(),
            site_url: self.site.origin.root().to_string(),
            health: health_parts.map_or(0.0, HealthParts::health),
            pages: self.pages,
            sitemap_issues: sitemap_issues(&site_findings),
            robots_analysis: RobotsAnalysis::of(&self.site, &site_findings),
            crawl_stats,
            site_findings,
            issue_breakdown,
            files: self.files,
            site: self.site,
            results,
        }
    }

    /// Removes rows of forbidden addresses that no audited page links to.
    fn drop_unlinked_forbidden_rows(&mut self) {
        if self.forbidden == 0 {
            return;
        }
        let mut is_linked = vec![false; self.site.urls.len()];
        for row in self.site.pages() {
            self.site.named(row).links.iter().for_each(|link| is_linked[link.to.index()] = true);
        }
        self.site.rows.retain(|row| row.status != 0 || row.failure.is_some() || is_linked[row.id.index()]);
    }

    fn status(&self) -> AuditStatus {
        let failed = self.site.rows.iter().filter(|row| row.failure.is_some() || row.status >= 500).count();
        match self.close_reason {
            CrawlEnd::Unreachable => AuditStatus::Unreachable,
            CrawlEnd::UrlLimit => AuditStatus::LimitReached,
            CrawlEnd::TimeLimit | CrawlEnd::Cancelled | CrawlEnd::Crashed => AuditStatus::Partial,
            CrawlEnd::Finished if failed * 10 > self.site.rows.len() => AuditStatus::Partial,
            CrawlEnd::Finished => AuditStatus::Success,
        }
    }

    fn error_message(&self) -> Option<String> {
        if self.close_reason == CrawlEnd::Crashed {
            return Some(
                "the audit failed again and again at the same place; it has what it had by then".to_owned(),
            );
        }
        if self.close_reason != CrawlEnd::Unreachable {
            return None;
        }
        let message = if self.site.robots.forbids_all {
            "robots.txt could not be fetched, so nothing may be asked for".to_owned()
        } else if self.forbidden > 0 && self.site.rows.iter().all(|row| row.is_blocked) {
            "robots.txt forbids every address where the audit begins".to_owned()
        } else {
            match self.site.start() {
                Some(row) if row.status != 0 => format!("the start page answers {}", row.status),
                Some(Row { failure: Some(Failure::NoResponse(cause)), .. }) => {
                    format!("the site does not answer ({})", cause.text())
                }
                _ => "the site does not answer".to_owned(),
            }
        };
        Some(message)
    }

    /// Returns the details of a row with the findings of joins.
    fn joined_details(&self, row: &NamedRow, spill: &SpillFile) -> Details {
        let mut details = row.kept_details.map(|kept| spill.get::<Details>(kept)).unwrap_or_default();
        details.findings.extend(joined_checks(&self.site, row, &self.options.checks));
        let key = self.site.urls.key(row.id);
        for found in std::iter::once(&mut details.findings).chain(&mut details.solved) {
            found.retain(|(check, _)| !self.options.is_ignored(*check, key));
            found.sort_by_key(|(check, _)| *check);
        }
        details
    }

    fn whole_checks(&self) -> Vec<SiteResult> {
        let mut results = Vec::new();
        // An ignored robots.txt is not judged.
        let ignores_robots = self.options.robots == RobotsPolicy::Ignore;
        let is_judged = |scope| !(ignores_robots && scope == FindingScope::Robots);
        for id in self.options.checks.iter().filter(|id| is_judged(id.check().scope)) {
            if let Fires::Whole(find) = &id.check().fires
                && !self.options.is_ignored(*id, "/")
            {
                let mut found = SiteFindings::default();
                find(&self.site, &mut found);
                if !found.0.is_empty() {
                    results.push(SiteResult { check: *id, findings: found.0 });
                }
            }
        }
        results
    }
}

/// Results of rows, in their order.
pub(super) struct RowResults {
    spill: SpillFile,
    kept: Vec<SpillOffset>,
}

impl RowResults {
    /// Returns the results of a site's rows from one on.
    pub fn from<'a>(&'a self, site: &'a CrawledSite, first: usize) -> impl Iterator<Item = RowResult> + 'a {
        let rows = site.rows.iter().zip(&self.kept).skip(first);
        rows.map(|(row, kept)| row_result(site, row, self.spill.get(*kept)))
    }
}

fn joined_checks(site: &CrawledSite, row: &NamedRow, checks: &[CheckId]) -> Vec<(CheckId, Evidence)> {
    let mut findings = Vec::new();
    for id in checks {
        let check = id.check();
        let Fires::Joined(collect) = &check.fires else { continue };
        let applies = match check.on {
            CheckedRows::Any => true,
            CheckedRows::Redirect => row.redirect.is_some(),
            on => row.rows.is_some_and(|rows| rows >= on),
        };
        let mut evidence = Evidence::default();
        if applies {
            collect(site, row, &mut evidence);
        }
        if evidence.count > 0 {
            findings.push((*id, evidence));
        }
    }
    findings
}

/// Makes a row from the facts that are known before rows are joined.
pub(super) fn live_row(site: &CrawledSite, row: &Row) -> RowResult {
    let mut details = row.details.as_deref().cloned().unwrap_or_default();
    details.preview = row.preview.points();
    row_result(site, row, details)
}

fn row_result(site: &CrawledSite, row: &Row, details: Details) -> RowResult {
    let Details { findings, solved, fields, security_headers, lang, differences, found, preview } = details;
    let count = |(check, evidence): &(CheckId, Evidence)| (*check, evidence.count);
    let counts: Vec<(CheckId, u32)> = findings.iter().map(count).collect();
    let origin_health_score = solved
        .as_ref()
        .map(|solved| page_health(&findings.iter().chain(solved).map(count).collect::<Vec<_>>()));
    let mut penalties = page_penalties(&counts);
    let health_score = health_after(&penalties);
    penalties.iter_mut().for_each(|penalty| penalty.points = (penalty.points * 100.0).round() / 100.0);
    let issue = |(check, _): &(CheckId, Evidence)| ListedIssue {
        issue_id: check.check().id,
        severity: check.check().severity,
    };
    let hops = hops(site, row);
    let mut raw = values(&fields);
    let mut rendered = row.is_rendered.then(|| raw.clone());
    for Difference { field, raw: before, rendered: after } in differences {
        rendered.iter_mut().for_each(|rendered| _ = rendered.insert(field.clone(), after.clone()));
        raw.insert(field, before);
    }
    RowResult {
        page: ListedPage {
            path: site.urls.key(row.id).to_owned(),
            status_code: row.status,
            health_score,
            preview_score: preview,
            indexable: row.is_indexable(),
            issue_count: findings.len(),
            issues: findings.iter().map(issue).collect(),
            fields,
            redirect_count: hops.len(),
            crawled_at: crawled_at(row),
            word_count: row.words as usize,
            inlink_count: site.inlinks(row.id).pages,
            depth: site.depth(row.id),
            link_score: site.link_score(row.id),
            extracted: found.extracted,
            searches: found.searches,
        },
        details: PageDetails {
            findings: findings.into_iter().map(Finding::of).collect(),
            solved: solved.into_iter().flatten().map(Finding::of).collect(),
            origin_health_score,
            penalties,
            raw,
            rendered,
            missed_render: row.missed_render,
            security_headers,
            hops,
        },
        is_page: row.is_page(),
        is_rendered: row.is_rendered,
        is_blocked: row.is_blocked,
        content_hash: if row.is_page() { format!("{:032x}", row.fingerprints.text) } else { String::new() },
        lang,
    }
}

/// Returns the values of a page that scripts may change.
fn values(fields: &PageFields) -> BTreeMap<String, String> {
    let PageFields { title, meta_desc, canonical, meta_robots, h1, .. } = fields;
    let names = ["title", "metaDesc", "canonical", "metaRobots", "h1"];
    let values = [title, meta_desc, canonical, meta_robots, h1];
    names.into_iter().map(str::to_owned).zip(values.map(String::clone)).collect()
}

fn crawled_at(row: &Row) -> String {
    let is_asked = row.crawled_at_ms != 0;
    let time = jiff::Timestamp::from_millisecond(row.crawled_at_ms).ok().filter(|_| is_asked);
    time.map(|time| time.strftime("%Y-%m-%d %H:%M:%S").to_string()).unwrap_or_default()
}

fn hops(site: &CrawledSite, row: &Row) -> Vec<Hop> {
    let Some(first) = &row.redirect else { return Vec::new() };
    let mut place = Some(first);
    let hops = site.end_of(row.id).hops.into_iter();
    hops.map(|url| {
        let next = match place {
            Some(RowDestination::Page(id)) => site.answer(*id),
            _ => None,
        };
        place = next.and_then(|row| row.redirect.as_ref());
        Hop { url, status: next.map_or(0, |row| row.status) }
    })
    .collect()
}

fn sitemap_issues(results: &[SiteResult]) -> Vec<SitemapIssue> {
    let mut issues = Vec::new();
    for result in results.iter().filter(|result| result.check.check().scope == FindingScope::Sitemap) {
        for found in &result.findings {
            issues.push(SitemapIssue {
                issue_id: result.check.check().id.into(),
                severity: result.check.check().severity,
                sitemap: found.file.clone(),
                count: found.evidence.count.max(1),
                examples: found.evidence.examples.iter().map(SitemapExample::from).collect(),
            });
        }
    }
    issues.sort_by(|one, other| (&one.issue_id, &one.sitemap).cmp(&(&other.issue_id, &other.sitemap)));
    issues
}
