//! Tests of the render endpoint: decisions, tiers, failures and refusals, over HTTP on both databases.

#![allow(clippy::disallowed_methods, reason = "clients of a test are nobody's background work")]

mod canonical;
mod decisions;
mod forced;
mod hanging;
mod indexnow;
mod markdown;
mod not_found;
mod outages;
mod pages;
mod policy;
mod records;
mod refusals;
mod tiers;
mod together;

use std::time::Duration;

use browser::RenderError;
use serde_json::json;

use crate::cache::page_id;
use crate::decide::page_of;
use crate::model::{Freshness, deadline_of};
use crate::request_facts::DecidingHeaders;
use crate::testing::*;
use crate::{EntryPoint, RenderCall, RenderResponse, queries};
use analytics::{CrawlerIndex, Verified};
use domains::redirects::RedirectRule;
use domains::{Domain, DomainStatus, PreferredHost};
use platform::plans::Plan;

const DAY: Duration = Duration::from_secs(24 * 3600);
const PAGE: &str = "https://shop.example/shoes";

/// Makes an account on a plan without limits, with the connected domain shop.example.
async fn shop(app: &TestApp) -> (TestAccount, Domain) {
    let account = app.account("owner@shop.example", Plan::Enterprise).await;
    let domain = app.domain(&account, "shop.example").await;
    (account, domain)
}

#[track_caller]
fn assert_page(reply: &Reply, tier: &str, html: &str) {
    reply.assert_status(200);
    assert_eq!((reply.header("x-service-render-cache"), reply.text().as_str()), (tier, html));
}

#[track_caller]
fn assert_leads_to(reply: &Reply, status: u16, location: &str) {
    reply.assert_status(status);
    assert_eq!((reply.header("location"), reply.text().as_str()), (location, ""));
    assert_eq!(reply.header("cache-control"), "no-store");
    for absent in ["etag", "x-service-render-cache", "x-service-snapshot-key"] {
        assert!(!reply.headers.contains_key(absent), "{absent}");
    }
}

/// Waits for background work, which needs real time but no advance of the test's clock.
async fn eventually(what: &str, is_so: impl AsyncFn() -> bool) {
    for _ in 0..500 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what} did not happen");
}
