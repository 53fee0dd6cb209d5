//! Checks of encryption.

use super::links::is_local;
use super::thresholds::ThresholdId;
use super::{Check, ERROR, Evidence, Fires, SITE_NOTICE, SITE_WARNING, WARNING};
use crate::page::addresses::is_on_host_of_base;
use crate::page::view::CheckedRows;
use crate::page::{Page, ResourceKind};

const HTTPS: &str = "https://web.dev/articles/why-https-matters";
const MIXED: &str = "https://developer.mozilla.org/docs/Web/Security/Mixed_content";

fn add_if_plain(page: &Page, href: &str, what: &str, found: &mut Evidence) {
    if page.input.url.scheme() != "https" || page.base.scheme() == "https" && is_on_host_of_base(href) {
        return;
    }
    let url = page.resolve(href).filter(|url| url.scheme() == "http");
    url.into_iter().for_each(|url| found.add(url, "", what));
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "HTTP_NOT_HTTPS",
        on: CheckedRows::Html,
        title: "Page is served without encryption",
        why: "Browsers warn visitors, and anybody on the way can change the page.",
        fix: "Serve it over https and redirect http.",
        source: HTTPS,
        bad: "GET http://site.example/\nShoes",
        good: "GET /\nShoes",
        // Nobody encrypts what is on the same machine or network.
        fires: Fires::When(|page| page.input.url.scheme() == "http" && !is_local(page.input.url)),
        ..ERROR
    },
    Check {
        id: "HTTPS_MIXED_CONTENT",
        on: CheckedRows::Html,
        title: "Encrypted page loads plain http",
        why: "Browsers block it.",
        fix: "Load it over https.",
        source: MIXED,
        bad: "<img alt=a src=http://site.example/a.png>",
        good: "<img alt=a src=https://site.example/a.png><link rel=alternate href=http://site.example/feed>",
        fires: Fires::Elements(|page, found| {
            page.facts.images.iter().for_each(|image| add_if_plain(page, &image.src, "picture", found));
            page.facts.frames.iter().for_each(|(src, _)| add_if_plain(page, src, "iframe", found));
            let is_loaded = |kind| !matches!(kind, ResourceKind::Other | ResourceKind::Candidate);
            let loaded = page.facts.resources.iter().filter(|resource| is_loaded(resource.kind));
            loaded.for_each(|resource| add_if_plain(page, &resource.url, "resource", found));
        }),
        ..WARNING
    },
    Check {
        id: "FORM_INSECURE",
        on: CheckedRows::Html,
        title: "Form sends to plain http",
        why: "What visitors type can be read on the way.",
        fix: "Send it to https.",
        source: MIXED,
        bad: "<form action=http://site.example/send></form>",
        good: "<form action=/send></form>",
        fires: Fires::Elements(|page, found| {
            page.facts.form_actions.iter().for_each(|action| add_if_plain(page, action, "form", found));
        }),
        ..WARNING
    },
    Check {
        id: "HSTS_MISSING",
        title: "Strict-Transport-Security is missing",
        why: "The first visit can still go over plain http.",
        fix: "Send Strict-Transport-Security with a max-age of a year.",
        source: "https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Strict-Transport-Security",
        bad: "GET /\nstrict-transport-security: max-age=0\n\nShoes",
        good: "GET /\nstrict-transport-security: max-age=31536000\n\nShoes",
        fires: Fires::Whole(|site, found| {
            let Some(headers) = site.start_headers().filter(|_| site.origin.root().scheme() == "https")
            else {
                return;
            };
            let value = headers
                .get("strict-transport-security")
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default();
            let ages = value.split(';').filter_map(|part| {
                part.trim().to_ascii_lowercase().strip_prefix("max-age=").map(str::to_owned)
            });
            let has_age =
                ages.into_iter().any(|age| age.trim_matches('"').parse::<u64>().is_ok_and(|age| age > 0));
            if !has_age {
                found.add("no max-age above 0", [site.origin.root().to_string()]);
            }
        }),
        ..SITE_NOTICE
    },
    Check {
        id: "CSP_MISSING",
        is_default: false,
        title: "Content-Security-Policy is missing",
        why: "Injected scripts run unhindered.",
        fix: "Send a policy that names where scripts may come from.",
        source: "https://developer.mozilla.org/docs/Web/HTTP/Guides/CSP",
        bad: "GET /\nShoes",
        good: "GET /\ncontent-security-policy: default-src 'self'\n\nShoes",
        fires: Fires::Whole(|site, found| {
            let has_meta = site.start().is_some_and(|row| row.has_csp_meta);
            if let Some(headers) = site.start_headers().filter(|_| !has_meta)
                && !headers.contains_key("content-security-policy")
            {
                found.add("no header and no meta", [site.origin.root().to_string()]);
            }
        }),
        ..SITE_NOTICE
    },
    Check {
        id: "X_CONTENT_TYPE_OPTIONS_MISSING",
        title: "X-Content-Type-Options is missing",
        why: "Browsers may take a file for a script.",
        fix: "Send X-Content-Type-Options: nosniff.",
        source: "https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/X-Content-Type-Options",
        bad: "GET /\nShoes",
        good: "GET /\nx-content-type-options: nosniff\n\nShoes",
        fires: Fires::Whole(|site, found| {
            let Some(headers) = site.start_headers() else { return };
            let value = headers
                .get("x-content-type-options")
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default();
            if !value.trim().eq_ignore_ascii_case("nosniff") {
                found.add("no nosniff", [site.origin.root().to_string()]);
            }
        }),
        ..SITE_NOTICE
    },
    Check {
        id: "TLS_CERT_EXPIRING",
        thresholds: &[ThresholdId::CertificateDays],
        title: "The certificate ends soon",
        why: "From that day browsers warn of the site, and crawlers stay away.",
        fix: "Renew it, best by a program.",
        source: "https://letsencrypt.org/docs/integration-guide/",
        bad: "CERTIFICATE 10\nGET /\nShoes",
        good: "CERTIFICATE 60\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            const DAY_MS: i64 = 86_400_000;
            let end = site.probes.certificate_end_ms.map(|end| (end - site.now_ms) / DAY_MS);
            if let Some(days) = end.filter(|days| {
                *days >= 0 && *days as f64 <= site.thresholds.number(ThresholdId::CertificateDays)
            }) {
                found.add(format!("{days} days left"), []);
            }
        }),
        ..SITE_WARNING
    },
];
