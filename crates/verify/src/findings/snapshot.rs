//! Check of the page that crawlers get: a snapshot, the site's own content, or an app that has not begun. Pure.

use http::header::CONTENT_TYPE;

use super::{Judgement, SiteCheck, answered, fine, found, found_other, is_refused, last};
use crate::answer::{Observations, SiteAnswer};
use crate::content::ShownContent;
use crate::model::SnapshotExpectation;
use crate::platform::SitePlatform;

const HOSTED: &str = "This host runs no code of yours for a request. Put the domain behind Cloudflare with the Worker (integrations/cloudflare-workers), \
     or lead its DNS to the edge of Glasshouse (docs/connecting-by-dns.md).";

pub(super) static CHECKS: &[SiteCheck] = &[SiteCheck {
    id: "crawler_snapshot",
    title: "Crawlers get the content of the page.",
    why: "Crawlers that run no scripts see an empty page, and AI assistants know nothing of it.",
    remedy: "Send crawlers' requests for pages to Glasshouse: see docs/connecting.md. If that is set up, check that the \
                 request reaches it: the user agent is passed on, the API key is valid, and the path is not ignored.",
    remedy_on: &[
        (
            SitePlatform::Cloudflare,
            "Give the Worker a route that matches this address (Workers Routes), and check that no \
              page rule, snippet or cached copy answers before it. The Worker needs the API key as a secret.",
        ),
        (
            SitePlatform::Vercel,
            "Check that the middleware runs for this path: its `matcher` must not leave the path out, and \
              the API key must be set for the environment that is deployed.",
        ),
        (
            SitePlatform::Netlify,
            "Check that the edge function is declared for this path (`[[edge_functions]]`), has no \
              `cache` setting, and has the API key among the site's variables.",
        ),
        (
            SitePlatform::Nginx,
            "Check that the `map` on `$http_user_agent` is included and that this `location` uses it; \
              `try_files` in a more specific location answers before it.",
        ),
        (
            SitePlatform::Apache,
            "Check that mod_rewrite, mod_proxy and mod_proxy_balancer are loaded, and that the rule \
              stands before the one that sends everything to index.html.",
        ),
        (
            SitePlatform::Caddy,
            "Check that `glasshouse-crawlers.caddy` is imported, and that no `handle`, `file_server` or \
              `reverse_proxy` for people answers this path first.",
        ),
        (
            SitePlatform::NextJs,
            "Check that `proxy.ts` (`middleware.ts` up to Next.js 15) stands beside `app` or `pages`, that its \
              `matcher` does not leave the path out, and that the server has `GLASSHOUSE_API_KEY` in its environment.",
        ),
        (
            SitePlatform::Express,
            "Check that `app.use(crawlers)` stands before `express.static` and every route, and that the \
              server has `GLASSHOUSE_API_KEY` in its environment.",
        ),
        (SitePlatform::Shopify, HOSTED),
        (SitePlatform::Wix, HOSTED),
        (SitePlatform::Squarespace, HOSTED),
        (SitePlatform::Webflow, HOSTED),
        (SitePlatform::GitHubPages, HOSTED),
        (SitePlatform::FirebaseHosting, HOSTED),
    ],
    judge: crawler_snapshot,
}];

const SITE_FAILS: &str = "The site itself fails, for everybody: see the log of its server. Nothing that Glasshouse does is a part of this.";
const NO_SUCH_PAGE: &str =
    "Check a page that exists: the site says of this address, to everybody, that it does not.";
const MARKED_MISSING: &str = "See in the dashboard how the service's browser gets the page: the app says there that it does not exist, by its status \
     or by `prerender-status-code`, while people get it.";
const FAILS_IN_BROWSER: &str = "Render the page (`glasshouse render URL --json`, or the preview in the dashboard): the site answers the service's browser with \
     this status. See the log of the site's server for requests whose user agent contains `Glasshouse/`.";
const UPSTREAM_FAILS: &str = "The server that answers crawlers does not reach what it sends them to. See its error log; check the address there, and that \
     Glasshouse runs and answers `/readyz`.";
const ANSWERER_FAILS: &str = "See the error log of the server that answers crawlers: people's requests do not fail there. Its integration or its rewrite fails.";
const OTHER_TYPE: &str = "Answer with `Content-Type: text/html; charset=utf-8`: pass on the content type of the page that Glasshouse answers with.";
const EMPTY_SNAPSHOT: &str = "Render the page (`glasshouse render URL --json`, or the preview in the dashboard) and see which requests and scripts \
     fail there: blocked addresses, an API that refuses the service's browser, a sign-in. If the content comes late, set `waitForSelector`.";
const RENDERING_IS_OFF: &str = "Only stored pages are served, since rendering on demand is off for the domain. Refresh this page or the site, or switch \
     rendering on demand on in the domain's settings.";

fn crawler_snapshot(seen: &Observations) -> Judgement {
    let Some(answer) = last(&seen.crawlers) else {
        return fine("Not judged: crawlers get no answer.");
    };
    if is_refused(answer) {
        return fine("Not judged: crawlers get no page (see firewall, loop and host).");
    }
    if answer.leaves_to.is_some() {
        return fine("Not judged: the address redirects to another site.");
    }
    if answer.status >= 400 {
        return failing_page(seen, answer);
    }
    if answer.unreadable.is_some() {
        return fine("Not judged: the bytes that crawlers get cannot be read (see encoding).");
    }
    if !answer.is_html() && (answer.is_snapshot() || last(&seen.people).is_some_and(is_page)) {
        let detail =
            format!("Crawlers get {}, which is shown as text or saved, not as a page.", media_type(answer));
        return found_other(detail, OTHER_TYPE);
    }
    if answer.is_snapshot() {
        let tier = answer.tier().unwrap_or("through an integration");
        if answer.is_empty() && answer.word_count() < 3 {
            let detail = format!("Crawlers get the snapshot ({tier}), but it is empty: {}.", answer.words());
            return found_other(detail, EMPTY_SNAPSHOT);
        }
        let first = seen.crawlers[0].as_ref().is_ok_and(|first| !first.is_snapshot());
        let note = if first { " The first one got the app, while the page was rendered." } else { "" };
        return fine(format!("Crawlers get the snapshot ({tier}), {}.{note}", answer.words()));
    }
    if !answer.is_html() {
        return fine(format!("Not judged: the address is no HTML page ({}).", media_type(answer)));
    }
    match seen.expects {
        SnapshotExpectation::VerifiedCrawlersOnly => {
            return fine(
                "Not judged: only verified crawlers get snapshots of this domain, and this check is none.",
            );
        }
        SnapshotExpectation::IgnoredPath => {
            return fine(
                "Not judged: the path is one of the domain's ignored paths, so that crawlers get the app.",
            );
        }
        _ => {}
    }
    // An integration that has failed three times asks nobody for a while: the reason of the answer before says more.
    let is_told = |answer: &&SiteAnswer| answer.reason().is_some_and(|reason| reason != "paused");
    let teller = answered(&seen.crawlers).find(is_told).unwrap_or(answer);
    let said = teller.integration().map(|said| format!(" The integration says: {said}.")).unwrap_or_default();
    let content = match answer.is_shell() {
        true => format!("Crawlers get the app without its content: {}.{said}", answer.words()),
        false => format!(
            "Crawlers get {}, but no snapshot of Glasshouse, though the domain is connected.{said}",
            answer.words()
        ),
    };
    // "declined" is not a fault where the path may be an ignored one, and the page has its content anyway.
    let may_be_meant = seen.expects == SnapshotExpectation::Unknown && !answer.is_shell();
    let reason = teller.reason().filter(|reason| !may_be_meant || *reason != "declined");
    if let Some(remedy) = reason.and_then(remedy_of_reason) {
        return found_other(content, remedy);
    }
    match seen.expects {
        SnapshotExpectation::StoredSnapshot if said.is_empty() => found_other(content, RENDERING_IS_OFF),
        SnapshotExpectation::Snapshot | SnapshotExpectation::StoredSnapshot => found(content),
        _ if answer.is_shell() => found(content),
        _ => fine(content_without_glasshouse(answer)),
    }
}

/// Returns the repair for a reason that an integration names; none: the usual one. See integrations/README.md, "Reasons".
fn remedy_of_reason(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "no-key" => {
            "Fill in the API key and the service's address in the integration, where the site is deployed."
        }
        "status-401" | "status-403" => {
            "Give the integration a valid API key of the account that the domain belongs to: this one is wrong or revoked, or of another account."
        }
        "status-402" => "Give the account an active plan: the service answers nobody until then.",
        "status-429" => {
            "Wait, or raise the account's limits: the service is asked more often than it answers."
        }
        "host" => {
            "Fill in `domain` in the integration: `Host` is none of its names. Behind a proxy that changes `Host`, set `origin`, or `trustForwarded`."
        }
        "declined" => {
            "See the domain's settings: the path may be ignored, or the page is not stored and rendering on demand is off. Or the request reached the \
             service under a person's user agent."
        }
        "unreachable" | "timeout" | "unavailable" | "broken" | "paused" => {
            "See whether the service runs and can be reached from the site's server within 2 s, and answers within 10 s. The page may take too long to \
             render: render it ahead (a site refresh)."
        }
        reason if reason.starts_with("status-5") => {
            "See the service's own log and `/readyz`: it fails for this request."
        }
        _ => return None,
    })
}

/// Judges a page that crawlers get with an error status.
fn failing_page(seen: &Observations, answer: &SiteAnswer) -> Judgement {
    let status = answer.status;
    let person = last(&seen.people);
    if person.is_some_and(|person| person.status == status) {
        let remedy = if status >= 500 { SITE_FAILS } else { NO_SUCH_PAGE };
        return found_other(format!("Everybody gets status {status}."), remedy);
    }
    let people = person.map(|person| format!(", people {}", person.status)).unwrap_or_default();
    let detail = format!("Crawlers get status {status}{people}.");
    let remedy = match (status, answer.reason().and_then(remedy_of_reason)) {
        (_, Some(remedy)) => remedy,
        (404 | 410, None) if answer.is_snapshot() => MARKED_MISSING,
        (_, None) if answer.is_snapshot() => FAILS_IN_BROWSER,
        (502..=504, None) => UPSTREAM_FAILS,
        (500.., None) => ANSWERER_FAILS,
        _ => return found(detail),
    };
    found_other(detail, remedy)
}

/// Returns the content type, for people.
fn media_type(answer: &SiteAnswer) -> &str {
    let stated = answer.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    stated.filter(|stated| !stated.is_empty()).unwrap_or("no content type")
}

fn is_page(answer: &SiteAnswer) -> bool {
    answer.is_success() && answer.is_html()
}

fn content_without_glasshouse(answer: &SiteAnswer) -> String {
    let words = answer.words();
    let Some(page) = &answer.page else { return format!("Crawlers get {words}.") };
    if page.has_refresh && page.words < 20 {
        return "Not judged: the page only sends its reader on (`meta http-equiv=refresh`). Check the page that it leads to.".to_owned();
    }
    match page.shown {
        ShownContent::Little => format!(
            "Crawlers get {words} without running scripts, which is little: what people see beyond that, crawlers do not."
        ),
        _ => format!("Crawlers get {words} without running scripts."),
    }
}
