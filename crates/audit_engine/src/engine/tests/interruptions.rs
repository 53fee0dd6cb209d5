//! Tests of audits that are interrupted and continue, and of audits that end early.

use std::iter::empty;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use url::Url;

use super::super::*;
use crate::checks::CheckId;
use crate::source::{AuditFetch, FetchFailure, PageSource, RenderedDocument, Response};
use crate::testing::{Listing, links_of};

/// A site whose responses take a second or two, so that none comes in the order of the requests.
struct SlowSite {
    listing: Listing,
    fetched: AtomicUsize,
}

impl PageSource for SlowSite {
    fn fetch(&self, request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
        Box::pin(async move {
            self.fetched.fetch_add(1, Ordering::Relaxed);
            let millis = 300 + request.url.as_str().bytes().map(u64::from).sum::<u64>() * 37 % 2700;
            tokio::time::sleep(Duration::from_millis(millis)).await;
            self.listing.fetch(request).await
        })
    }

    fn render<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>> {
        Box::pin(async move { self.listing.render(url).await })
    }

    fn now_ms(&self) -> i64 {
        self.listing.now_ms()
    }
}

fn site() -> SlowSite {
    let mut text = "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset>{<url><loc>https://site.example/orphan/#</loc></url>*5}</urlset>\nGET /\n{<a href=/list/#>List #</a>*8}<a href=/moved>Moved</a>\nGET /moved 301\nlocation: /list/1\n".to_owned();
    for list in 0..8 {
        text += &format!(
            "GET /list/{list}\n<title>List</title>{{<a href=/page/{list}-#>Page #</a>*10}}<a href=/gone/{list}>x</a><a href=/file/{list}>y</a>\n"
        );
        text += &format!("GET /file/{list}\ncontent-type: application/pdf\n\n%PDF-1\n");
        for page in 0..10 {
            let next = (page + 1) % 10;
            text += &format!(
                "GET /page/{list}-{page}\n<title>Page {list} {page}</title><a href=/page/{list}-{next}>n</a><link rel=canonical href=https://site.example/copy/{list}><p>{{word{list} *60}}\n"
            );
        }
        text += &format!("GET /copy/{list}\n<p>{{copy *60}}\n");
    }
    text += "GET /orphan/0\n<a href=/beyond>b</a>\nGET /orphan/1\no\nGET /beyond\nb\n";
    SlowSite { listing: Listing::read(&text), fetched: AtomicUsize::new(0) }
}

fn options() -> AuditOptions {
    let mut options = AuditOptions::follow(Url::parse("https://site.example/").unwrap());
    options.checks = CheckId::all().collect();
    options.concurrency = 4;
    options
}

/// Store of batches that fails after some.
#[derive(Default)]
struct Notebook {
    batches: Vec<Vec<u8>>,
    breaks_after: Option<usize>,
    cancelled_after: Option<usize>,
}

impl Journal for Notebook {
    fn save(
        &mut self,
        batch: Vec<u8>,
        _: Vec<RowResult>,
        _: AuditProgress,
    ) -> BoxFuture<'_, Result<(), JournalError>> {
        Box::pin(async move {
            if self.breaks_after == Some(self.batches.len()) {
                return Err(JournalError::Save("the machine is gone".into()));
            }
            self.batches.push(batch);
            Ok(())
        })
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled_after.is_some_and(|count| self.batches.len() >= count)
    }
}

/// Returns the parts of a result that do not depend on time.
fn result(audit: &Audit) -> serde_json::Value {
    serde_json::json!({
        "rows": audit.rows().collect::<Vec<_>>(), "breakdown": audit.issue_breakdown, "health": audit.health, "pages": audit.pages,
        "sitemaps": audit.sitemap_issues, "site": audit.crawl_stats.site_issues, "links": links_of(audit),
        "closed": audit.close_reason, "files": audit.crawl_stats.content_types, "skipped": audit.crawl_stats.skipped,
    })
}

#[tokio::test(start_paused = true)]
async fn an_audit_that_was_interrupted_ends_like_one_that_was_not() {
    let site = site();
    let mut whole = Notebook::default();
    let undisturbed = resume(&site, &options(), &mut whole, &mut empty()).await.unwrap();
    let asked_undisturbed = site.fetched.swap(0, Ordering::Relaxed);
    assert!(whole.batches.len() >= 20, "{}", whole.batches.len());

    for stop in 0..20 {
        let mut first = Notebook { breaks_after: Some(stop), ..Notebook::default() };
        let broken = resume(&site, &options(), &mut first, &mut empty()).await;
        site.fetched.store(0, Ordering::Relaxed);

        let resumed = resume(&site, &options(), &mut Notebook::default(), &mut first.batches.into_iter())
            .await
            .unwrap();

        assert!(broken.is_err());
        assert_eq!(result(&resumed), result(&undisturbed), "stopped after {stop} batches");
        assert_eq!(resumed.crawl_stats.continuations, u32::from(stop > 0));
        assert!(stop == 0 || site.fetched.load(Ordering::Relaxed) < asked_undisturbed);
    }
}

#[tokio::test(start_paused = true)]
async fn an_audit_can_be_interrupted_again_and_again() {
    let site = site();
    let undisturbed = resume(&site, &options(), &mut Notebook::default(), &mut empty()).await.unwrap();
    let mut kept = Vec::new();

    let resumed = loop {
        let mut notebook = Notebook { breaks_after: Some(2), ..Notebook::default() };
        let outcome = resume(&site, &options(), &mut notebook, &mut kept.clone().into_iter()).await;
        kept.append(&mut notebook.batches);
        if let Ok(audit) = outcome {
            break audit;
        }
    };

    assert_eq!(result(&resumed), result(&undisturbed));
    assert!(resumed.crawl_stats.continuations > 2);
}

#[tokio::test(start_paused = true)]
async fn the_limit_cuts_at_the_same_page_whatever_came_first() {
    let site = site();
    let mut limited = options();
    limited.max_pages = 30;
    let slow = resume(&site, &limited, &mut Notebook::default(), &mut empty()).await.unwrap();
    limited.concurrency = 1;

    let orderly = audit(&site, &limited, &mut |_| {}).await;

    assert_eq!(slow.close_reason, CrawlEnd::UrlLimit);
    assert_eq!(slow.pages, 30);
    assert_eq!(result(&slow), result(&orderly));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_audit_ends_with_what_it_has() {
    let mut notebook = Notebook { cancelled_after: Some(3), ..Notebook::default() };

    let audit = resume(&site(), &options(), &mut notebook, &mut empty()).await.unwrap();

    assert_eq!((audit.status, audit.close_reason), (AuditStatus::Partial, CrawlEnd::Cancelled));
    assert!(audit.pages > 0 && audit.crawl_stats.skipped.limit > 0);
}

#[tokio::test(start_paused = true)]
async fn an_audit_that_failed_again_and_again_ends_with_what_was_written_down() {
    let mut first = Notebook { breaks_after: Some(8), ..Notebook::default() };
    assert!(resume(&site(), &options(), &mut first, &mut empty()).await.is_err());
    let site = site();

    let ended = conclude(&site, &options(), &mut first.batches.into_iter()).await.unwrap();

    assert_eq!((ended.status, ended.close_reason), (AuditStatus::Partial, CrawlEnd::Crashed));
    assert!(ended.pages > 10 && ended.crawl_stats.skipped.limit > 0, "{} pages", ended.pages);
    assert!(site.fetched.load(Ordering::Relaxed) < 10, "only the files at the root are asked for");
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_ends_an_audit_with_what_it_has() {
    let mut options = options();
    options.time_limit = Some(Duration::from_secs(20));

    let audit = audit(&site(), &options, &mut |_| {}).await;

    assert_eq!((audit.status, audit.close_reason), (AuditStatus::Partial, CrawlEnd::TimeLimit));
    assert!(audit.pages > 0);
}

#[tokio::test(start_paused = true)]
async fn a_damaged_batch_is_refused() {
    for batch in [vec![], vec![9, 1, 2], vec![1, 1, 2, 3]] {
        let outcome =
            resume(&site(), &options(), &mut Notebook::default(), &mut std::iter::once(batch)).await;

        assert!(matches!(outcome, Err(JournalError::Unreadable(_))));
    }
}

#[test]
fn an_audit_can_run_on_any_thread() {
    fn is_send<T: Send>(_: &T) {}
    let (site, options, mut notebook) = (site(), options(), Notebook::default());

    is_send(&resume(&site, &options, &mut notebook, &mut empty()));
}
