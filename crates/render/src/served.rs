//! Responses with a page, and the counts of requests that were served or passed to the origin: the tier, and the crawler's
//! visit. Used by the render service and its fast path.

use std::sync::OnceLock;
use std::time::Duration;

use super::cache::DurablePage;
use super::decide::{DecisionReason, TargetPage};
use super::model::{PageResponse, RenderCall, Tier};
use analytics::{Recorder, ServedBy};

/// Makes the response with a stored page.
pub(super) fn hit(stored: DurablePage, page: &TargetPage) -> PageResponse {
    PageResponse::of(Tier::Hit, stored.page, Some(stored.row.object_key), page)
}

/// Counts a page by the tier that served it. The handles are made once: looking them up costs as much as the rest of a hit.
pub fn count_served(tier: Tier) {
    static SERVED: OnceLock<[metrics::Counter; 3]> = OnceLock::new();
    let served = SERVED.get_or_init(|| {
        [Tier::EdgeHit, Tier::Hit, Tier::Miss]
            .map(|tier| metrics::counter!("glasshouse_pages_served_total", "tier" => tier.as_str()))
    });
    let at = match tier {
        Tier::EdgeHit => 0,
        Tier::Hit => 1,
        Tier::Miss => 2,
    };
    served[at].increment(1);
}

/// Counts a served page, and the visit of a crawler.
pub fn record(recorder: &Recorder, call: &RenderCall<'_>, response: &PageResponse, duration: Duration) {
    count_served(response.tier);
    let Some(request) = call.crawler_request() else { return };
    let served = if response.tier == Tier::Miss { ServedBy::Render } else { ServedBy::Cache };
    recorder.record_answer(request, served, response.page.status, duration);
}

/// Counts a visit of a crawler that the customer's own server answers, presumably with a page.
pub fn record_passed_on(recorder: &Recorder, call: &RenderCall<'_>, reason: DecisionReason) {
    let asks_for_page = !matches!(reason, DecisionReason::NotForPage | DecisionReason::StaticAsset);
    let Some(request) = call.crawler_request().filter(|_| asks_for_page) else { return };
    // The response time of the customer's server is not known. No report reads the times of origins.
    recorder.record_answer(request, ServedBy::Origin, 200, Duration::ZERO);
}
