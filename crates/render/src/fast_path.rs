//! Fast path to pages in memory: one lookup by all request data that decided an earlier answer.
//! Receives every request before the router. Must answer exactly as the render endpoint would: everything that could have
//! changed since (the API key, the domain's settings, the page) is compared again, and in doubt nothing is answered.
//! See docs/decisions/0035.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use axum::body::Body;
use axum::response::Response;
use http::header::X_CONTENT_TYPE_OPTIONS;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use super::cache::page_id;
use super::decide::page_of;
use super::kept_headers::bytes_of;
use super::markdown_tier::MarkdownPage;
use super::memory::MemoryTier;
use super::model::{Freshness, PageResponse, RenderCall, RenderedPage, Tier};
use super::policy::is_never_refused;
use super::queries::PageId;
use super::request_counts::RequestCounts;
use super::request_facts::DECIDING_HEADER_NAMES;
use super::response_headers::page_headers;
use super::served::count_served;
use crate::RenderState;
use accounts::AccountId;
use accounts::callers::caller::check_scope;
use accounts::callers::credentials::{Presented, presented_key};
use analytics::{Crawler, CrawlerRequest, Recorder, ServedBy, Verified};
use domains::Site;
use platform::Platform;
use platform::api::client::stated_client;
use platform::api::envelope::{self, AnsweredBy};
use platform::api::header_names::{PROBE, REQUEST_ID};
use platform::clock::Clock;

const PATH: &str = "/api/prerender/render";
/// Maximum memory of prepared responses, in bytes: about 40,000 different requests.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Memory of an entry beside its key and the page's header lines, in bytes.
const ENTRY_OVERHEAD_BYTES: usize = 800;

/// Prepared responses, by the request data that decides them.
pub(super) struct FastPath {
    prepared: cache::Cache<[u8], PreparedResponse>,
    memory: MemoryTier,
    clock: Clock,
    recorder: Recorder,
    request_counts: Arc<RequestCounts>,
}

/// A response, and the state that must be unchanged for the response to be valid.
struct PreparedResponse {
    /// Weak, like the page: a prepared response keeps neither settings nor documents alive.
    site: Weak<Site>,
    host: String,
    page: PageId,
    rendered: Weak<RenderedPage>,
    /// Markdown that is sent in place of the HTML, if any.
    markdown: Option<Weak<MarkdownPage>>,
    status: StatusCode,
    headers: HeaderMap,
    /// Size of the page's own header lines, in bytes.
    page_header_bytes: usize,
    path: Arc<str>,
    crawler: Option<&'static Crawler>,
}

/// Answers a request that equals one that was answered from memory before; `None` leaves the request to the router.
pub fn try_respond(app: &RenderState, parts: &Parts) -> Option<Response> {
    app.render.fast_path().respond(app, parts)
}

impl FastPath {
    /// Makes the fast path of a memory tier. No response is prepared at first.
    pub(super) fn new(
        platform: &Platform,
        memory: &MemoryTier,
        recorder: &Recorder,
        request_counts: &Arc<RequestCounts>,
    ) -> FastPath {
        let (memory, clock) = (memory.clone(), platform.clock.clone());
        let (recorder, request_counts) = (recorder.clone(), request_counts.clone());
        let weigh = |key: &[u8], prepared: &PreparedResponse| {
            key.len() + prepared.page_header_bytes + ENTRY_OVERHEAD_BYTES
        };
        let prepared = cache::Cache::builder(MAX_BYTES).weigher(weigh).build();
        FastPath { prepared, memory, clock, recorder, request_counts }
    }

    fn respond(&self, app: &RenderState, parts: &Parts) -> Option<Response> {
        if parts.uri.path() != PATH || parts.method != Method::GET || parts.headers.contains_key(PROBE) {
            return None;
        }
        let start = Instant::now();
        let Presented::Key(key) = presented_key(&parts.headers) else { return None };
        let identity = app.accounts.authenticate_cached(key).filter(|identity| identity.active)?;
        let request = request_key(&identity.account, parts.uri.query()?, &parts.headers);
        let prepared = self.prepared.get(&request)?;

        check_scope(identity.scope.as_deref(), &prepared.host).ok()?;
        let site = app.domains.find_in_memory(&identity.account, &prepared.host)?;
        let entry = self.memory.find(&prepared.page, self.clock.now())?;
        // A change of settings makes a new `Site`, and a render makes a new page.
        if !is_same(&site, &prepared.site) || !is_same(&entry.page, &prepared.rendered) {
            return None;
        }
        let body = match &prepared.markdown {
            None => entry.page.html.clone(),
            Some(markdown) => markdown.upgrade()?.text.clone(),
        };

        // The router answers a crawler whose verification needs a DNS lookup.
        let verified = match prepared.crawler.zip(stated_client(&parts.headers)) {
            Some((crawler, address)) => app.verifier.known(crawler, address)?,
            None => Verified::Unknown,
        };
        self.request_counts.add(&prepared.page, 1);
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = prepared.status;
        *response.headers_mut() = prepared.headers.clone();
        if let Some(crawler) = prepared.crawler {
            let (domain, path) = (site.domain.id.clone(), prepared.path.clone());
            let request = CrawlerRequest { domain, path, crawler, verified };
            self.recorder.record_answer(request, ServedBy::Cache, prepared.status.as_u16(), start.elapsed());
        }
        count(prepared.status, start);
        Some(response)
    }

    /// Prepares the response to the next equal request if this request was answered from memory.
    pub(super) fn prepare(
        &self,
        call: &RenderCall<'_>,
        response: &PageResponse,
        (account, query, headers): (&AccountId, &str, &HeaderMap),
    ) {
        let is_plain = call.freshness == Freshness::Stored && *call.facts.method == Method::GET;
        let is_let_in = is_never_refused(call);
        if response.tier != Tier::EdgeHit || !is_plain || !is_let_in {
            return;
        }
        let mut headers_of_page = page_headers(call.site, call.target, response);
        // The envelope sets these headers on every answer: inserting them now means that the map need not grow later.
        headers_of_page.insert(REQUEST_ID, HeaderValue::from_static(""));
        headers_of_page.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let prepared = PreparedResponse {
            site: Arc::downgrade(call.site),
            host: call.target.host_str().unwrap_or_default().to_owned(),
            page: page_id(&call.site.domain.id, &page_of(call.site, call.target).key),
            rendered: Arc::downgrade(&response.page),
            markdown: response.markdown.as_ref().map(Arc::downgrade),
            status: StatusCode::from_u16(response.page.status).unwrap_or(StatusCode::OK),
            headers: headers_of_page,
            page_header_bytes: bytes_of(&response.page.headers),
            path: call.target.path().into(),
            crawler: call.crawler,
        };
        self.prepared.insert(&request_key(account, query, headers), prepared);
    }
}

/// Decides whether a weak reference points to this very value. The memory of a dropped value is not reused while a weak
/// reference exists.
fn is_same<T>(value: &Arc<T>, known: &Weak<T>) -> bool {
    std::ptr::eq(Arc::as_ptr(value), known.as_ptr())
}

/// Returns all request data that decides an answer, separated by line breaks, which cannot occur in the parts.
fn request_key(account: &AccountId, query: &str, headers: &HeaderMap) -> Vec<u8> {
    let mut key = Vec::with_capacity(512);
    key.extend_from_slice(account.as_str().as_bytes());
    key.push(b'\n');
    key.extend_from_slice(query.as_bytes());
    for name in &DECIDING_HEADER_NAMES {
        key.push(b'\n');
        for value in headers.get_all(name) {
            // Distinguishes a missing header from an empty one.
            key.push(b'\r');
            key.extend_from_slice(value.as_bytes());
        }
    }
    key
}

/// Counts an answer as the envelope counts those of the router, with metric handles that are made once.
fn count(status: StatusCode, start: Instant) {
    static OK: OnceLock<(metrics::Counter, metrics::Histogram)> = OnceLock::new();
    count_served(Tier::EdgeHit);
    if status != StatusCode::OK {
        return envelope::record(PATH, status.as_u16(), AnsweredBy::Page, start.elapsed());
    }
    let (requests, durations) = OK.get_or_init(|| {
        let labels = [("route", PATH), ("status", "200")];
        (
            metrics::counter!("glasshouse_http_requests_total", "answered_by" => AnsweredBy::Page.as_str(), "route" => PATH, "status" => "200"),
            metrics::histogram!("glasshouse_http_request_duration_seconds", &labels),
        )
    });
    requests.increment(1);
    durations.record(start.elapsed().as_secs_f64());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_prepared_keeps_no_page_alive_and_is_for_that_very_page() {
        let page = Arc::new("a page".to_owned());
        let known = Arc::downgrade(&page);

        assert!(is_same(&page, &known));
        assert!(!is_same(&Arc::new("a page".to_owned()), &known));
        assert_eq!(Arc::strong_count(&page), 1);
    }
}
