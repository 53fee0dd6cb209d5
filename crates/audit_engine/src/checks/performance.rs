//! Checks of how fast and how large an answer is.

use super::thresholds::ThresholdId;
use super::{Check, ERROR, Fires, NOTICE, WARNING};
use crate::page::Page;
use crate::page::view::CheckedRows;
use crate::source::MAX_DOCUMENT_BYTES;

const TTFB: &str = "https://web.dev/articles/ttfb";
const CRAWLER_LIMITS: &str = "https://developers.google.com/search/docs/crawling-indexing/googlebot";

fn is_slower(page: &Page, limit: ThresholdId) -> bool {
    page.input.response.ttfb_ms as f64 > page.input.thresholds.number(limit)
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "TTFB_SLOW",
        thresholds: &[ThresholdId::TtfbSlowMs, ThresholdId::TtfbVerySlowMs],
        title: "Server answers slowly",
        why: "Everything else waits for the first byte.",
        fix: "Cache the page, or make the server faster.",
        source: TTFB,
        bad: "GET /\n:ttfb 900\n\nShoes",
        good: "GET /\n:ttfb 700\n\nShoes",
        fires: Fires::When(|page| {
            is_slower(page, ThresholdId::TtfbSlowMs) && !is_slower(page, ThresholdId::TtfbVerySlowMs)
        }),
        ..WARNING
    },
    Check {
        id: "TTFB_VERY_SLOW",
        thresholds: &[ThresholdId::TtfbVerySlowMs],
        title: "Server answers very slowly",
        why: "Visitors leave before the first byte.",
        fix: "Cache the page, or make the server faster.",
        source: TTFB,
        bad: "GET /\n:ttfb 1900\n\nShoes",
        good: "GET /\n:ttfb 1700\n\nShoes",
        fires: Fires::When(|page| is_slower(page, ThresholdId::TtfbVerySlowMs)),
        ..ERROR
    },
    Check {
        id: "HTML_TOO_LARGE",
        on: CheckedRows::Candidate,
        title: "Document is too large",
        why: "Search engines read the first 2 MiB only.",
        fix: "Move scripts, styles and data out of the document.",
        source: CRAWLER_LIMITS,
        bad: "<p>{shoes and boots *140000}",
        good: "<p>{shoes and boots *14000}",
        fires: Fires::When(|page| {
            page.input.response.is_cut || page.input.response.body.len() > MAX_DOCUMENT_BYTES
        }),
        ..ERROR
    },
    Check {
        id: "HTML_LARGE",
        thresholds: &[ThresholdId::HtmlLargeBytes],
        title: "Document is large",
        why: "Large documents are slow on phones.",
        fix: "Move scripts, styles and data out of the document.",
        source: CRAWLER_LIMITS,
        bad: "<p>{shoes and boots *14000}",
        good: "<p>{shoes and boots *1400}",
        fires: Fires::When(|page| {
            let bytes = page.input.response.body.len();
            !page.input.response.is_cut
                && page.exceeds(ThresholdId::HtmlLargeBytes, bytes)
                && bytes <= MAX_DOCUMENT_BYTES
        }),
        ..NOTICE
    },
    Check {
        id: "NO_COMPRESSION",
        title: "Answer is not compressed",
        why: "Text shrinks to a fifth.",
        fix: "Turn on gzip, brotli or zstd.",
        source: "https://developer.mozilla.org/docs/Web/HTTP/Guides/Compression",
        bad: "GET /\n\n<p>{word *500}",
        good: "GET /\ncontent-encoding: gzip\n\n<p>{word *500}",
        fires: Fires::When(|page| {
            let encoding = page.input.response.header("content-encoding").to_ascii_lowercase();
            let is_packed = ["gzip", "br", "zstd", "deflate"].iter().any(|known| encoding.contains(known));
            page.input.response.body.len() > 1400 && !is_packed
        }),
        ..WARNING
    },
    Check {
        id: "CACHE_CONTROL_MISSING",
        title: "Nothing says how long the answer is good",
        why: "Browsers and crawlers fetch it again and again.",
        fix: "Send Cache-Control and an ETag or Last-Modified.",
        source: "https://developer.mozilla.org/docs/Web/HTTP/Guides/Caching",
        bad: "<p>Shoes",
        good: "GET /\netag: \"1\"\n\n<p>Shoes",
        fires: Fires::When(|page| {
            let headers = &page.input.response.headers;
            ["cache-control", "expires", "etag", "last-modified"]
                .iter()
                .all(|name| !headers.contains_key(*name))
        }),
        ..NOTICE
    },
];
