//! Checks of answers: errors, redirects, types.

use super::{Check, CheckNeed, ERROR, Fires, NOTICE, WARNING};
use crate::page::view::CheckedRows;
use crate::site::{Failure, RedirectVerdict, Row};

const STATUS: &str = "https://developers.google.com/search/docs/crawling-indexing/http-network-errors";
const REDIRECTS: &str = "https://developers.google.com/search/docs/crawling-indexing/301-redirects";

fn is_client_error(row: &Row) -> bool {
    matches!(row.status, 400..=499) && !is_denied(row) && row.status != 429
}

fn is_denied(row: &Row) -> bool {
    matches!(row.status, 401 | 403 | 407)
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "HTTP_4XX",
        on: CheckedRows::Any,
        is_fatal: true,
        title: "Page does not exist",
        why: "Visitors and crawlers end at an error.",
        fix: "Restore the page, redirect it, or remove what links to it.",
        source: STATUS,
        bad: "GET /\n<a href=/a>a</a>\nGET /a 404",
        good: "GET /\n<a href=/a>a</a>\nGET /a 403",
        fires: Fires::Joined(|_, row, found| {
            if is_client_error(row) {
                found.add("", "", row.status.to_string());
            }
        }),
        ..ERROR
    },
    Check {
        id: "HTTP_ACCESS_DENIED",
        on: CheckedRows::Any,
        title: "Access is denied",
        why: "If a crawler may not read it, no search engine shows it.",
        fix: "Let crawlers in, or do not link the page in public.",
        source: STATUS,
        bad: "GET /\n<a href=/a>a</a>\nGET /a 403",
        good: "GET /\n<a href=/a>a</a>\nGET /a 404",
        fires: Fires::Joined(|_, row, found| {
            if is_denied(row) {
                found.add("", "", row.status.to_string());
            }
        }),
        ..WARNING
    },
    Check {
        id: "HTTP_RATE_LIMITED",
        on: CheckedRows::Any,
        title: "The server asked to come back later",
        why: "Search engines slow down when a site answers so.",
        fix: "Raise the limit for crawlers, or audit more slowly.",
        source: STATUS,
        bad: "GET /\n<a href=/a>a</a>\nGET /a 429",
        good: "GET /\n<a href=/a>a</a>\nGET /a 404",
        fires: Fires::Joined(|_, row, found| {
            if row.is_rate_limited {
                found.add("", "", row.status.to_string());
            }
        }),
        ..NOTICE
    },
    Check {
        id: "HTTP_5XX",
        on: CheckedRows::Any,
        is_fatal: true,
        title: "The server fails",
        why: "Pages that fail for some days leave the index.",
        fix: "Look into the server's log.",
        source: STATUS,
        bad: "GET /\n<a href=/a>a</a>\nGET /a 500",
        good: "GET /\n<a href=/a>a</a>\nGET /a 503\nretry-after: 60",
        fires: Fires::Joined(|_, row, found| {
            if matches!(row.status, 500..=599) && !row.is_rate_limited {
                found.add("", "", row.status.to_string());
            }
        }),
        ..ERROR
    },
    Check {
        id: "HTTP_TIMEOUT",
        on: CheckedRows::Any,
        is_fatal: true,
        title: "No answer in time",
        why: "A crawler does not wait.",
        fix: "Make the page faster.",
        source: STATUS,
        bad: "GET /\n<a href=/a>a</a>\nGET /a timeout",
        good: "GET /\n<a href=/a>a</a>\nGET /a fails",
        fires: Fires::Joined(|_, row, found| {
            if row.failure == Some(Failure::Timeout) {
                found.add("", "", "timeout");
            }
        }),
        ..ERROR
    },
    Check {
        id: "HTTP_NO_RESPONSE",
        on: CheckedRows::Any,
        is_fatal: true,
        title: "No answer at all",
        why: "The name, the connection or its encryption failed.",
        fix: "Check DNS, the certificate and the firewall.",
        source: STATUS,
        bad: "GET /\n<a href=/a>a</a>\nGET /a fails",
        good: "GET /\n<a href=/a>a</a>\nGET /a timeout",
        fires: Fires::Joined(|_, row, found| {
            if let Some(Failure::NoResponse(cause)) = row.failure {
                found.add("", "", cause.text());
            }
        }),
        ..ERROR
    },
    Check {
        id: "REDIRECT_3XX",
        on: CheckedRows::Redirect,
        title: "Redirect",
        why: "The list of all redirects.",
        fix: "Link to the target where you can.",
        source: REDIRECTS,
        bad: "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b\nb",
        good: "GET /\n<a href=/b>a</a>\nGET /b\nb",
        fires: Fires::Joined(|site, row, found| {
            found.add(site.end_of(row.id).url, "", row.status.to_string())
        }),
        ..NOTICE
    },
    Check {
        id: "REDIRECT_TEMPORARY",
        on: CheckedRows::Redirect,
        title: "Temporary redirect",
        why: "Search engines keep the old address.",
        fix: "Answer 301 or 308 when the page has moved for good.",
        source: REDIRECTS,
        bad: "GET /\n<a href=/a>a</a>\nGET /a 302\nlocation: /b\nGET /b\nb",
        good: "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b\nb",
        fires: Fires::Joined(|site, row, found| {
            let verdict = site.redirect_verdict(row);
            if matches!(row.status, 302 | 303 | 307)
                && matches!(verdict, RedirectVerdict::Fine | RedirectVerdict::Chain)
            {
                found.add("", "", row.status.to_string());
            }
        }),
        ..NOTICE
    },
    Check {
        id: "REDIRECT_CHAIN",
        on: CheckedRows::Redirect,
        title: "Redirect to a redirect",
        why: "Each hop costs time, and crawlers give up after some.",
        fix: "Redirect to the last address at once.",
        source: REDIRECTS,
        bad: "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b 301\nlocation: /c\nGET /c\nc",
        good: "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /c\nGET /c\nc",
        fires: Fires::Joined(|site, row, found| {
            if site.redirect_verdict(row) == RedirectVerdict::Chain {
                site.end_of(row.id).hops.into_iter().for_each(|hop| found.add(hop, "", ""));
            }
        }),
        ..WARNING
    },
    Check {
        id: "REDIRECT_CHAIN_TOO_LONG",
        on: CheckedRows::Redirect,
        title: "More than ten redirects in a row",
        why: "Search engines stop at ten.",
        fix: "Redirect to the last address at once.",
        source: REDIRECTS,
        bad: "GET /\n<a href=/0>a</a>\nGET /0 301\nlocation: /1\nGET /1 301\nlocation: /2\nGET /2 301\nlocation: /3\nGET /3 301\nlocation: /4\nGET /4 301\nlocation: /5\nGET /5 301\nlocation: /6\nGET /6 301\nlocation: /7\nGET /7 301\nlocation: /8\nGET /8 301\nlocation: /9\nGET /9 301\nlocation: /10\nGET /10 301\nlocation: /11\nGET /11\nend",
        good: "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b 301\nlocation: /c\nGET /c\nc",
        fires: Fires::Joined(|site, row, found| {
            if site.redirect_verdict(row) == RedirectVerdict::TooLong {
                found.add("", "", "more than 10 hops");
            }
        }),
        ..ERROR
    },
    Check {
        id: "REDIRECT_LOOP",
        on: CheckedRows::Redirect,
        is_fatal: true,
        title: "Redirects in a circle",
        why: "Nobody arrives.",
        fix: "Break the circle.",
        source: REDIRECTS,
        bad: "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b 301\nlocation: /a",
        good: "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b\nb",
        fires: Fires::Joined(|site, row, found| {
            if site.redirect_verdict(row) == RedirectVerdict::Loop {
                site.end_of(row.id).hops.into_iter().for_each(|hop| found.add(hop, "", ""));
            }
        }),
        ..ERROR
    },
    Check {
        id: "REDIRECT_TO_ERROR",
        on: CheckedRows::Redirect,
        title: "Redirect to an error",
        why: "Visitors and crawlers end at an error.",
        fix: "Redirect to a page that exists.",
        source: REDIRECTS,
        bad: "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b 404",
        good: "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b\nb",
        fires: Fires::Joined(|site, row, found| {
            if site.redirect_verdict(row) == RedirectVerdict::ToError {
                found.add(site.end_of(row.id).url, "", "");
            }
        }),
        ..ERROR
    },
    Check {
        id: "META_REFRESH",
        on: CheckedRows::Html,
        title: "Page reloads or redirects by meta refresh",
        why: "Readers lose their place, and search engines take it for a slow redirect.",
        fix: "Redirect on the server, or update by script.",
        source: "https://developer.mozilla.org/docs/Web/HTML/Reference/Elements/meta/http-equiv",
        bad: "<meta http-equiv=refresh content='5; url=/a'>",
        good: "<meta name=refresh content=5>",
        fires: Fires::When(|page| page.input.raw.has_refresh),
        ..WARNING
    },
    Check {
        id: "SOFT_404",
        on: CheckedRows::Candidate,
        is_fatal: true,
        title: "Error page that answers 200",
        why: "Search engines index it, or find out and drop it.",
        fix: "Answer 404.",
        source: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",
        bad: "<title>Page not found</title><h1>404</h1>",
        good: "<title>Lost and found</title><h1>Where to ask</h1>",
        fires: Fires::When(|page| page.is_soft_404),
        ..WARNING
    },
    Check {
        id: "CONTENT_TYPE_MISMATCH",
        on: CheckedRows::Any,
        title: "Content type and content disagree",
        why: "Browsers and crawlers read the page as something else.",
        fix: "Send text/html for pages, and the right type for files.",
        source: "https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Content-Type",
        bad: "GET /\n<a href=/a>a</a>\nGET /a\ncontent-type: text/plain\n\n<!doctype html><p>a",
        good: "GET /\n<a href=/a>a</a>\nGET /a\ncontent-type: text/plain\n\nplain",
        fires: Fires::Joined(|_, row, found| {
            if let Some(content_type) = &row.mismatched_type {
                let is_named = !content_type.is_empty();
                found.add(
                    "",
                    "",
                    if is_named { content_type.to_string() } else { "no content type".to_owned() },
                );
            }
        }),
        ..WARNING
    },
    Check {
        id: "UA_RESPONSE_DIFFERS",
        needs: Some(CheckNeed::UserAgents),
        title: "Google's crawler gets another page than people",
        why: "Search engines take that for deceit, or index what nobody sees.",
        fix: "Answer both alike; serve crawlers the same page rendered.",
        source: "https://developers.google.com/search/docs/essentials/spam-policies#cloaking",
        bad: "GET /\n<p>{word *30}\nBOT Googlebot 404",
        good: "GET /\n<p>{word *30}\nBOT Googlebot 403",
        fires: Fires::Joined(|_, row, found| {
            if let Some(difference) = &row.agent_difference {
                found.add("", "", difference.to_string());
            }
        }),
        ..WARNING
    },
];
