//! What is noted of a request that was served or passed on: the tier, and the crawler's visit. Used by the render service
//! and its fast path.

use std::sync::OnceLock;
use std::time::Duration;

use super::decide::asks_for_page;
use super::model::{PageResponse, RenderCall, Tier};
use crate::analytics::{Recorder, ServedBy, Visit};
use crate::clock::Clock;

/// Counts a page by the tier that had it. The handles are made once: looking them up costs as much as the rest of a hit.
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

/// Counts a page, and the visit when a crawler got it.
pub fn record(
    recorder: &Recorder,
    clock: &Clock,
    call: &RenderCall<'_>,
    response: &PageResponse,
    duration: Duration,
) {
    let (tier, status) = (response.tier, response.page.status);
    count_served(tier);
    let Some(crawler) = call.crawler.filter(|_| !call.is_probe) else { return };
    // A redirect is the way to a page, not a page.
    if (300..400).contains(&status) {
        return;
    }
    recorder.record(Visit {
        domain: call.site.domain.id.clone(),
        path: call.target.path().into(),
        crawler,
        verified: call.verified,
        served: if tier == Tier::Miss { ServedBy::Render } else { ServedBy::Cache },
        status,
        at: clock.now(),
        duration,
    });
}

/// Counts a visit of a crawler whom the customer's own server answers with a page, as far as anybody here knows.
pub fn record_passed_on(recorder: &Recorder, clock: &Clock, call: &RenderCall<'_>) {
    let is_visit = !call.is_probe && asks_for_page(call.target, &call.facts);
    let Some(crawler) = call.crawler.filter(|_| is_visit) else { return };
    recorder.record(Visit {
        domain: call.site.domain.id.clone(),
        path: call.target.path().into(),
        crawler,
        verified: call.verified,
        served: ServedBy::Origin,
        status: 200,
        at: clock.now(),
        // How long the customer's server takes is not known: no report reads the times of origins.
        duration: Duration::ZERO,
    });
}
