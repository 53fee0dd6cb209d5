//! Responses with a page, and the counts of requests that were served or passed to the origin: the tier, and the crawler's
//! visit. Used by the render service and its fast path.

use std::sync::OnceLock;
use std::time::Duration;

use super::cache::DurablePage;
use super::decide::{DecisionReason, EntryPoint, TargetPage};
use super::model::{PageResponse, RenderCall, Tier};
use super::outcome::RenderOutcome;
use analytics::{Recorder, ServedBy};

/// Page that answers a request, or the reason why there is none.
pub enum FoundPage {
    Page(PageResponse),
    /// Nothing is stored, and the request may start no render.
    NotRendered,
    /// Nothing is stored, and the render failed.
    Failed,
}

impl FoundPage {
    /// Returns the stored page in place of a render that made none.
    pub fn in_place_of(
        outcome: Option<RenderOutcome>,
        stored: Option<DurablePage>,
        page: &TargetPage,
    ) -> FoundPage {
        match stored {
            Some(stored) => FoundPage::Page(hit(stored, page)),
            None if outcome.is_some_and(|outcome| outcome.is_refused()) => FoundPage::NotRendered,
            None => FoundPage::Failed,
        }
    }
}

impl From<Option<PageResponse>> for FoundPage {
    fn from(stored: Option<PageResponse>) -> FoundPage {
        stored.map_or(FoundPage::NotRendered, FoundPage::Page)
    }
}

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

/// Counts a visit of a crawler that the customer's own server answers, presumably with a page. Not for the entry points that see
/// the answer, and count it themselves.
pub fn record_passed_on(recorder: &Recorder, call: &RenderCall<'_>, reason: DecisionReason) {
    if call.entry != EntryPoint::Api {
        return;
    }
    let asks_for_page = !matches!(reason, DecisionReason::NotForPage | DecisionReason::StaticAsset);
    let Some(request) = call.crawler_request().filter(|_| asks_for_page) else { return };
    // The response time of the customer's server is not known. No report reads the times of origins.
    recorder.record_answer(request, ServedBy::Origin, 200, Duration::ZERO);
}
