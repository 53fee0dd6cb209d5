//! Processing of one page: facts, a render if it needs one, checks, and its row.

use tokio::sync::Semaphore;
use url::Url;

use super::AuditOptions;
use super::crawl::Crawl;
use super::page_names::Names;
use super::page_row::{MAX_FIELD_CHARS, differences, field, fields, fill_row};
use super::patterns::{Patterns, Wish};
use crate::address::Origin;
use crate::checks::{CheckId, Evidence, Fires, SCRIPT_REDIRECT, is_stored_error};
use crate::custom::{CustomResults, SearchedDocument};
use crate::page::view::{Page, PageInput};
use crate::page::{PageFacts, Provenance, Reading, ResourceKind, scan};
use crate::score::Preview;
use crate::site::{CrawledSite, Details, Row};
use crate::source::{PageSource, RenderedDocument, Response, SnapshotLookup};

/// Versions of a page from other sources.
pub(super) struct PageVersions {
    pub rendered: Option<RenderedDocument>,
    /// True when the page should have been rendered and was not.
    pub missed_render: bool,
    pub snapshot: SnapshotLookup,
}

impl PageVersions {
    /// Requests the snapshot, and the render if it is wanted, in the order of `turns`.
    pub async fn of(source: &dyn PageSource, url: &Url, wish: Wish, turns: &Semaphore) -> PageVersions {
        let snapshot = source.snapshot(url).await;
        let is_wanted = match wish {
            Wish::Render => true,
            Wish::Leave => false,
            Wish::Unsure(told) => told.await.unwrap_or(false),
        };
        if !is_wanted {
            return PageVersions { rendered: None, missed_render: false, snapshot };
        }
        let _turn = turns.acquire().await;
        let rendered = source.render(url).await;
        PageVersions { missed_render: rendered.is_none(), rendered, snapshot }
    }
}

pub(super) struct PageWork {
    url: Url,
    response: Response,
    key: String,
    raw: Box<PageFacts>,
}

/// Reads the facts of a response's document.
pub(super) fn read_facts(response: &Response) -> PageFacts {
    let mut facts = scan(&response.text(), Provenance::Raw);
    facts.html_bytes = response.body.len();
    facts.reading = Some(Reading::of(&facts));
    facts
}

impl PageWork {
    pub fn new(origin: &Origin, url: Url, response: Response, raw: Box<PageFacts>) -> PageWork {
        PageWork { key: origin.key(&url), url, response, raw }
    }

    /// Returns the size of the document, in bytes.
    pub fn bytes(&self) -> usize {
        self.response.body.len()
    }

    /// Decides whether the page is rendered: it looks empty without scripts, or its template has no verdict yet.
    pub fn wants_render(&self, patterns: &mut Patterns) -> Wish {
        let is_shell =
            self.raw.measures.words < 20 || self.raw.app_root_words.is_some_and(|words| words < 20);
        let wish = patterns.wants_render(&self.key);
        if is_shell && self.raw.has_script { Wish::Render } else { wish }
    }

    /// Runs the checks and fills the row.
    pub fn check(self, crawl: &mut Crawl<'_>, versions: PageVersions, row: &mut Row, now_ms: i64) {
        let rendered_facts = |html: &str| {
            let mut facts = scan(html, Provenance::Rendered);
            // The rendered document has lost its scripts; the browser loaded those that the answer names.
            let scripts = self.raw.resources.iter().filter(|resource| resource.kind == ResourceKind::Script);
            facts.resources.extend(scripts.cloned());
            facts.html_bytes = html.len();
            facts
        };
        let stored = match &versions.snapshot {
            SnapshotLookup::Found(stored) => Some(rendered_facts(&stored.html)),
            _ => None,
        };
        let rendered = versions.rendered.map(|page| {
            let facts = rendered_facts(&page.html);
            (page, facts)
        });
        let sitemap_alternates = crawl.alternates.of(row.id);
        let CrawledSite { origin, robots, urls, texts, .. } = &mut crawl.site;
        let input = PageInput {
            origin,
            robots: &robots.rules,
            url: &self.url,
            response: &self.response,
            raw: &self.raw,
            rendered: rendered.as_ref().map(|(page, facts)| (page, facts)),
            thresholds: &crawl.options.thresholds,
            probe: &crawl.probe,
            sitemap_alternates: &sitemap_alternates,
            snapshot: (&versions.snapshot, stored.as_ref()),
            lastmod: crawl.lastmods.get(&row.id).copied(),
            now_ms,
        };
        let mut page = Page::read(input, &mut crawl.addresses);
        let mut findings = run_checks(&page, &crawl.options.checks);
        row.is_changed_by_scripts = findings.iter().any(|(id, _)| id.check().is_script_change);
        let differences = differences(&page);
        let mut solved = None;
        if let Some((status, snapshot)) = served_snapshot(&page).filter(|_| crawl.options.crawlers_are_served)
        {
            let found = std::mem::take(&mut findings);
            if (300..400).contains(&status) {
                let (is_solved, left) =
                    found.into_iter().partition(|(id, _)| id.check().id == SCRIPT_REDIRECT);
                (solved, findings) = (Some(is_solved), left);
            } else {
                page = Page::read(PageInput { raw: snapshot, ..input }, &mut crawl.addresses);
                findings = run_checks(&page, &crawl.options.checks);
                let is_left = |id: &CheckId| findings.iter().any(|(left, _)| left == id);
                solved = Some(found.into_iter().filter(|(id, _)| !is_left(id)).collect());
            }
        }
        row.is_rendered = page.was_rendered();
        row.missed_render = versions.missed_render;
        row.render_ms =
            rendered.as_ref().map_or(0, |(page, _)| u32::try_from(page.ready_ms).unwrap_or(u32::MAX));
        row.preview = Preview::of(&page);
        row.details = Some(Box::new(Details {
            findings,
            solved,
            fields: fields(&page),
            security_headers: self.response.security_headers(MAX_FIELD_CHARS),
            lang: field(page.facts.lang.as_deref().unwrap_or_default()),
            differences,
            found: look(&page, crawl.options),
            preview: 0.0,
        }));
        Names { origin, urls, texts }.keep(&page, row);
        fill_row(&page, row);
        crawl.queue.patterns.judge(&self.key, row.is_changed_by_scripts);
    }
}

/// Returns what crawlers get in place of an answer, with its status. None: nothing is stored, or an error page is.
fn served_snapshot<'a>(page: &Page<'a>) -> Option<(u16, &'a PageFacts)> {
    let (SnapshotLookup::Found(stored), Some(facts)) = page.input.snapshot else { return None };
    (!is_stored_error(page)).then_some((stored.status, facts))
}

/// Runs the audit's extractions and searches on a page.
fn look(page: &Page, options: &AuditOptions) -> CustomResults {
    if options.extractions.is_empty() && options.searches.is_empty() {
        return CustomResults::default();
    }
    let raw = page.input.response.text();
    let rendered = page.input.rendered.filter(|_| page.was_rendered());
    let rendered = rendered.map_or(&*raw, |(rendered, _)| rendered.html.as_str());
    let raw = SearchedDocument::new(&raw, &page.input.raw.visible_text);
    let rendered = SearchedDocument::new(rendered, &page.facts.visible_text);
    CustomResults::on(&options.extractions, &options.searches, &raw, &rendered)
}

fn run_checks(page: &Page, checks: &[CheckId]) -> Vec<(CheckId, Evidence)> {
    let rows = page.rows();
    let mut findings = Vec::new();
    for id in checks {
        let check = id.check();
        if check.on > rows {
            continue;
        }
        match &check.fires {
            Fires::When(fires) if fires(page) => {
                findings.push((*id, Evidence { count: 1, examples: Vec::new() }))
            }
            Fires::Elements(collect) => {
                let mut evidence = Evidence::default();
                collect(page, &mut evidence);
                if evidence.count > 0 {
                    findings.push((*id, evidence));
                }
            }
            Fires::When(_) | Fires::Joined(_) | Fires::Whole(_) => {}
        }
    }
    findings
}
