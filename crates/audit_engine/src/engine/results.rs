//! The end of an audit: joined checks, scores, and what is handed to whoever asked.

use std::collections::BTreeMap;

use super::Crawl;
use crate::checks::{CheckId, Evidence, Fires, Scope};
use crate::page::view::Rows;
use crate::score::{Scored, is_error, is_scored, page_health, run_health};
use crate::site::{Fields, Row, Site, SiteFinding, SiteFindings};

/// A finished audit.
#[derive(Debug)]
pub struct Audit {
    /// How it ended.
    pub status: AuditStatus,
    /// Address of the site's root.
    pub site: String,
    /// Every row, sorted by path.
    pub rows: Vec<RowResult>,
    /// What was found about the site, its robots.txt and its sitemaps.
    pub site_findings: Vec<SiteResult>,
    /// 0 to 100, one decimal.
    pub health: f64,
    /// HTML pages.
    pub pages: usize,
    /// Rows that carry each check, 1 for one about the site; checks that found nothing are left out.
    pub issue_breakdown: BTreeMap<&'static str, usize>,
}

/// How an audit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditStatus {
    /// Everything was looked at.
    Success,
    /// The page limit ended it.
    LimitReached,
    /// More than a tenth of the pages failed.
    Partial,
    /// There was no page at all.
    Unreachable,
}

/// A row with its findings and scores.
#[derive(Debug)]
pub struct RowResult {
    /// Path and query.
    pub path: String,
    /// Its own status; 0: no answer, or forbidden.
    pub status: u16,
    /// 0 to 100, one decimal.
    pub health: f64,
    /// 0 to 100.
    pub preview: f64,
    /// A search engine would index it under its own address.
    pub indexable: bool,
    /// Hops of its redirect.
    pub redirects: usize,
    /// Pages that link to it.
    pub inlinks: u32,
    /// Clicks from the start.
    pub depth: Option<u32>,
    /// Words of its main text.
    pub words: usize,
    /// What reports show.
    pub fields: Fields,
    /// What was found.
    pub findings: Vec<(CheckId, Evidence)>,
}

/// What one check found about the site.
#[derive(Debug)]
pub struct SiteResult {
    /// The check.
    pub check: CheckId,
    /// What it found.
    pub findings: Vec<SiteFinding>,
}

impl Crawl<'_> {
    /// Joins the rows, runs the checks that need all of them, and scores.
    pub(super) fn finish(mut self, now_ms: i64) -> Audit {
        self.site.now_ms = now_ms;
        self.site.hit_limit = self.skipped_by_limit;
        self.site.is_complete = self.site.is_follow && !self.skipped_by_limit && !self.skipped_by_filter;
        self.drop_unlinked_forbidden_rows();
        self.site.join();
        let site_findings = whole_checks(&self.site, &self.options.checks);
        let mut rows: Vec<RowResult> = Vec::with_capacity(self.site.rows.len());
        let mut scored = Vec::new();
        let joined: Vec<Vec<(CheckId, Evidence)>> =
            self.site.rows.values().map(|row| joined_checks(&self.site, row, &self.options.checks)).collect();
        for (id, mut found) in self.site.rows.keys().copied().collect::<Vec<_>>().into_iter().zip(joined) {
            if let Some(row) = self.site.rows.get_mut(&id) {
                found.append(&mut row.findings);
                found.sort_by_key(|(check, _)| *check);
            }
            let Some(row) = self.site.row(id) else { continue };
            let result = row_result(&self.site, row, found);
            if is_scored(row) {
                let has_error = result.findings.iter().any(|(check, _)| is_error(*check));
                scored.push(Scored {
                    health: result.health,
                    inlinks: result.inlinks,
                    has_error,
                    stands_for: 1.0,
                });
            }
            rows.push(result);
        }
        rows.sort_by(|one, other| one.path.cmp(&other.path));
        let site_checks: Vec<CheckId> = site_findings.iter().map(|found| found.check).collect();
        let start_is_ok = self.site.start().is_some_and(|row| row.status == 200 || row.redirect.is_some());
        let mut issue_breakdown = BTreeMap::new();
        let on_rows = rows.iter().flat_map(|row| row.findings.iter().map(|(check, _)| *check));
        on_rows
            .chain(site_checks.iter().copied())
            .for_each(|check| *issue_breakdown.entry(check.check().id).or_default() += 1);
        Audit {
            status: self.status(),
            site: self.site.origin.root().to_string(),
            health: run_health(&scored, &site_checks, start_is_ok),
            pages: self.pages,
            rows,
            site_findings,
            issue_breakdown,
        }
    }

    /// A forbidden address is a row only if an audited page links to it.
    fn drop_unlinked_forbidden_rows(&mut self) {
        let linked: std::collections::HashSet<_> =
            self.site.pages().flat_map(|row| row.links.iter().map(|link| link.to)).collect();
        self.site.rows.retain(|id, row| row.status != 0 || row.failure.is_some() || linked.contains(id));
    }

    fn status(&self) -> AuditStatus {
        let failed = self.site.rows.values().filter(|row| row.failure.is_some() || row.status >= 500).count();
        if self.pages == 0 {
            AuditStatus::Unreachable
        } else if self.skipped_by_limit {
            AuditStatus::LimitReached
        } else if failed * 10 > self.site.rows.len() {
            AuditStatus::Partial
        } else {
            AuditStatus::Success
        }
    }
}

fn whole_checks(site: &Site, checks: &[CheckId]) -> Vec<SiteResult> {
    let mut results = Vec::new();
    for id in checks.iter().filter(|id| id.check().scope != Scope::Page) {
        if let Fires::Whole(find) = &id.check().fires {
            let mut found = SiteFindings::default();
            find(site, &mut found);
            if !found.0.is_empty() {
                results.push(SiteResult { check: *id, findings: found.0 });
            }
        }
    }
    results
}

fn joined_checks(site: &Site, row: &Row, checks: &[CheckId]) -> Vec<(CheckId, Evidence)> {
    let mut findings = Vec::new();
    for id in checks {
        let check = id.check();
        let applies = match check.on {
            Rows::Any => true,
            Rows::Redirect => row.redirect.is_some(),
            on => row.rows.is_some_and(|rows| rows >= on),
        };
        if let (true, Fires::Joined(collect)) = (applies, &check.fires) {
            let mut evidence = Evidence::default();
            collect(site, row, &mut evidence);
            if evidence.count > 0 {
                findings.push((*id, evidence));
            }
        }
    }
    findings
}

fn row_result(site: &Site, row: &Row, findings: Vec<(CheckId, Evidence)>) -> RowResult {
    let counts: Vec<(CheckId, u32)> =
        findings.iter().map(|(check, evidence)| (*check, evidence.count)).collect();
    RowResult {
        path: site.urls.key(row.id).to_owned(),
        status: row.status,
        health: page_health(&counts),
        preview: row.fields.preview.score(site, row),
        indexable: row.is_indexable(),
        redirects: if row.redirect.is_some() { site.end_of(row.id).hops.len() } else { 0 },
        inlinks: site.inlinks(row.id).pages,
        depth: site.depth(row.id),
        words: row.words,
        fields: row.fields.clone(),
        findings,
    }
}
