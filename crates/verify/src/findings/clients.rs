//! Checks of who gets what: people the app, nobody what a cache keeps for another, nothing in circles or rendered twice, and no
//! crawler refused. Pure.

use http::header::SET_COOKIE;

use super::{Judgement, SiteCheck, answered, fine, found, found_other, is_refused, last};
use crate::answer::{Observations, SiteAnswer, SiteProbeReply, has_turned};
use crate::caches::{is_private, kept_by, may_be_kept};
use crate::platform::SitePlatform;
use crate::probes::MAX_REDIRECTS;

pub(super) static CHECKS: &[SiteCheck] = &[
    SiteCheck {
        id: "person_app",
        title: "People get the app.",
        why: "People get a page whose scripts do not run: buttons and forms are dead.",
        remedy: "Send only crawlers to Glasshouse: test the user agent against the list of crawlers, and send everybody else \
                 to the app. If the snapshot comes out of a cache, see `shared_cache`.",
        remedy_on: &[],
        judge: person_app,
    },
    SiteCheck {
        id: "shared_cache",
        title: "No shared cache mixes up crawlers and people.",
        why: "A cache that ignores who asks gives people the snapshot, or crawlers the empty app; one that keeps snapshots goes on giving \
              crawlers old pages.",
        remedy: "Keep snapshots out of every shared cache: pass on the headers of the edge (`Cache-Control: no-cache`, \
                 `CDN-Cache-Control: no-store`, `Vary: User-Agent`), decide before the cache looks, and empty the cache now.",
        remedy_on: &[
            (
                SitePlatform::Cloudflare,
                "Add a cache rule that bypasses the cache for crawlers' user agents (Cloudflare ignores \
              `Vary: User-Agent`), do not set `cacheEverything` in the Worker, and purge the cache.",
            ),
            (
                SitePlatform::CloudFront,
                "Decide in a viewer-request function and put the answer into a header of the cache key \
              (such as `x-is-crawler`); do not cache by path alone. Then invalidate the distribution.",
            ),
            (
                SitePlatform::Fastly,
                "Set a header from the user agent in `vcl_recv`, `pass` requests of crawlers, and purge.",
            ),
            (
                SitePlatform::Akamai,
                "Set caching to `bypass cache` for a match on the crawlers' user agents, and purge.",
            ),
            (
                SitePlatform::Vercel,
                "Answer crawlers from middleware with `Cache-Control: no-cache` and \
              `CDN-Cache-Control: no-store`; `s-maxage` of the render API must not be passed on.",
            ),
            (
                SitePlatform::Netlify,
                "Remove `cache: \"manual\"` from the edge function and pass on \
              `Netlify-CDN-Cache-Control: no-store`; then clear the cache and deploy.",
            ),
            (
                SitePlatform::Nginx,
                "Set `proxy_cache off` (or `proxy_no_cache` and `proxy_cache_bypass` by the crawler map) for \
              crawlers, and delete the cache's files.",
            ),
            (
                SitePlatform::AzureFrontDoor,
                "Switch caching off on the route, or by a rule set for crawlers' user agents, and purge the endpoint.",
            ),
            (
                SitePlatform::Bunny,
                "Add an edge rule `Override Cache Time` of 0 s for crawlers' user agents, and purge the pull zone.",
            ),
            (SitePlatform::Varnish, "`return (pass)` for crawlers in `vcl_recv`, and ban what is cached."),
        ],
        judge: shared_cache,
    },
    SiteCheck {
        id: "loop",
        title: "Requests do not go round in circles.",
        why: "Nobody gets a page, and each request costs many.",
        remedy: "If redirects loop: let only one place decide about https and www, and pass `X-Forwarded-Proto` on. If the \
                 status is 508: `originHost` leads back to the edge; set it to the host on which the app itself runs.",
        remedy_on: &[(
            SitePlatform::Cloudflare,
            "If redirects loop: set SSL/TLS to Full (strict); with Flexible the app sees http and redirects to https for ever. \
             If the status is 508: set `originHost` to the host on which the app itself runs.",
        )],
        judge: looping,
    },
    SiteCheck {
        id: "double_rendering",
        title: "Pages are rendered once.",
        why: "The service renders its own snapshot: pages lose their scripts before they have run, and each costs two renders.",
        remedy: "Send requests whose user agent contains `Glasshouse/`, or whose `CDN-Loop` or `Via` contains `glasshouse-`, \
                 to the app. If the domain's DNS leads to the edge, remove the integration from the app.",
        remedy_on: &[],
        judge: double_rendering,
    },
    SiteCheck {
        id: "firewall",
        title: "No firewall blocks crawlers.",
        why: "A page that a crawler is refused leaves its index.",
        remedy: "Allow verified crawlers in the firewall. A firewall may refuse this check only because it names itself a \
                 crawler from an address that is not the crawler's: look for the request in the firewall's log, or try \
                 another one with --as.",
        remedy_on: &[
            (
                SitePlatform::Cloudflare,
                "In Security > Bots allow verified bots and switch `Block AI bots` off if AI crawlers \
              are welcome; in Security > Events see which rule refused the request. `Fake Googlebot` rules refuse this check \
              and let the real crawler pass.",
            ),
            (
                SitePlatform::Vercel,
                "In Firewall > Bot Management set the bot filter and `AI bots` to log, and see in the \
              firewall's traffic which rule refused the request. Attack Challenge Mode must be off.",
            ),
            (
                SitePlatform::CloudFront,
                "In AWS WAF, let AWSManagedRulesBotControlRuleSet count the category of this crawler in \
              place of blocking it.",
            ),
            (
                SitePlatform::AzureFrontDoor,
                "In the WAF policy let the managed bot rule set allow good bots, and see in its log which rule \
              refused the request.",
            ),
            (
                SitePlatform::Nginx,
                "Look for `return 403`, `deny` and `limit_req` that go by `$http_user_agent` or by address, and for \
              fail2ban; the error log names a limit that was reached.",
            ),
            (
                SitePlatform::Apache,
                "Look for rules on `HTTP_USER_AGENT` in the configuration and in `.htaccess`, and for ModSecurity, \
              whose audit log names the rule.",
            ),
            (SitePlatform::Akamai, "In Bot Manager set the category of this crawler to Monitor."),
        ],
        judge: firewall,
    },
];

const PEOPLE_GET_NOTHING: &str =
    "Look at the site's own server and its firewall: crawlers get an answer, so that the way there is open.";

const OF_A_CACHE: &str = "Repair `shared_cache` first: the answer is one that a cache keeps, whoever asks.";

fn person_app(seen: &Observations) -> Judgement {
    if let Some(snapshot) = answered(&seen.people).find(|answer| answer.is_snapshot()) {
        return match (kept_by(&snapshot.headers), is_kept_silently(seen)) {
            (Some(header), _) => {
                found_other(format!("People get the snapshot, out of a cache ({header})."), OF_A_CACHE)
            }
            (None, true) => {
                found_other("People get the snapshot, out of a cache that does not name itself.", OF_A_CACHE)
            }
            (None, false) => found("People get the snapshot."),
        };
    }
    let Some(person) = last(&seen.people) else {
        let reason =
            seen.people.iter().find_map(|asked| asked.as_ref().err()).map_or("", |none| &none.reason);
        return found_other(format!("People get no answer ({reason}), crawlers do."), PEOPLE_GET_NOTHING);
    };
    if is_refused(person) {
        return fine("Not judged: a request as a person is refused from here (see firewall and loop).");
    }
    if person.is_app_after_asking() && kept_by(&person.headers).is_none() {
        let said = person.integration().unwrap_or_default();
        return found(format!("People get the app, but Glasshouse is asked for them too ({said})."));
    }
    let crawler_is_answered = last(&seen.crawlers).is_some_and(SiteAnswer::is_success);
    if person.status >= 400 && crawler_is_answered {
        return found_other(
            format!("People get status {}, crawlers a page.", person.status),
            PEOPLE_GET_NOTHING,
        );
    }
    fine("People get no snapshot.")
}

/// Returns true when a person gets the snapshot at the page, and the app at an address that nobody has asked before and at which
/// a crawler gets a snapshot: only a cache tells these apart.
fn is_kept_silently(seen: &Observations) -> bool {
    let gets = |asked: Option<&SiteProbeReply>, snapshot: bool| {
        let answer = asked.and_then(|asked| asked.as_ref().ok());
        answer.is_some_and(|answer| answer.is_success() && answer.is_snapshot() == snapshot)
    };
    gets(seen.fresh_person.as_ref(), false) && gets(seen.query.as_ref().map(|query| &query.answer), true)
}

fn shared_cache(seen: &Observations) -> Judgement {
    for answer in answered(&seen.people).filter(|answer| answer.is_snapshot()) {
        if let Some(header) = kept_by(&answer.headers) {
            return found(format!("A cache gave a person the snapshot: {header}."));
        }
        if is_kept_silently(seen) {
            return found(
                "A cache that does not name itself gave a person the snapshot: with a query that nobody has asked for, people get the app.",
            );
        }
    }
    let query = seen.query.as_ref().and_then(|query| query.answer.as_ref().ok());
    let missing = seen.missing.as_ref().ok();
    let has_snapshots = answered(&seen.crawlers).chain(query).chain(missing).any(SiteAnswer::is_snapshot);
    for answer in answered(&seen.crawlers) {
        let Some(header) = kept_by(&answer.headers) else { continue };
        if answer.is_snapshot() {
            return found(format!("A cache keeps the snapshot: {header}."));
        }
        if has_snapshots && answer.is_shell() {
            return found(format!("A cache gave a crawler the app that it keeps for people: {header}."));
        }
    }
    // An answer that no cache may store came out of none.
    let is_app = |answer: &SiteAnswer| {
        answer.is_shell() && answer.integration().is_none() && !is_private(&answer.headers)
    };
    if let [Ok(first), Ok(second)] = &seen.crawlers
        && is_app(first)
        && is_app(second)
        && query.is_some_and(SiteAnswer::is_snapshot)
    {
        return found(
            "A cache that does not name itself gives crawlers the app: with a query that nobody has asked for, they get the snapshot.",
        );
    }
    let mut snapshots = answered(&seen.crawlers).filter(|answer| answer.is_snapshot());
    if let Some(header) = snapshots.find_map(|answer| may_be_kept(&answer.headers)) {
        return found_other(format!("Shared caches may keep the snapshot: {header}."), NOT_TO_BE_KEPT);
    }
    let fresh = seen.fresh_person.as_ref().and_then(|asked| asked.as_ref().ok());
    if has_turned(&seen.people, &seen.crawlers) && fresh.is_some_and(SiteAnswer::is_shell) {
        return found(
            "A person got the app first, and after a crawler had asked, the page for crawlers; with a query that nobody has asked for, \
             people get the app.",
        );
    }
    fine("No cache gave one client what it keeps for another.")
}

const NOT_TO_BE_KEPT: &str = "Answer crawlers with `Cache-Control: no-cache`, `CDN-Cache-Control: no-store` and `Vary: User-Agent`, as the edge does; \
     `s-maxage` of the render API must not be passed on. No cache has kept anything yet that this check saw.";

const COOKIE_LOOP: &str = "Let the site answer clients that keep no cookies: crawlers keep none, and are sent back for ever. Set the cookie with the page \
     in place of a redirect.";
const LONG_CHAIN: &str =
    "Redirect at once to the address at which the chain ends: crawlers give up after five to ten redirects.";

fn looping(seen: &Observations) -> Judgement {
    let clients = [("Crawlers", &seen.crawlers), ("People", &seen.people)];
    for (who, answers) in clients {
        for answer in answered(answers) {
            if answer.is_looping {
                return redirect_loop(who, answer);
            }
            let vercel = answer.headers.get("x-vercel-error").and_then(|value| value.to_str().ok());
            if answer.status == 508 || vercel == Some("INFINITE_LOOP_DETECTED") {
                return found(format!(
                    "{who} get status {}: the request came back to where it had been.",
                    answer.status
                ));
            }
        }
    }
    fine("No redirect or request came back.")
}

fn redirect_loop(who: &str, answer: &SiteAnswer) -> Judgement {
    let hops = answer.redirects.iter().map(url::Url::as_str).chain([answer.url.as_str()]);
    let chain = hops.take(4).collect::<Vec<_>>().join(", then ");
    if answer.redirects.len() >= MAX_REDIRECTS {
        let detail = format!("{who} are redirected more than {MAX_REDIRECTS} times: {chain} …");
        return found_other(detail, LONG_CHAIN);
    }
    let detail = format!("{who} are redirected in circles: {chain}");
    match answer.headers.contains_key(SET_COOKIE) {
        true => found_other(format!("{detail}, with a cookie that they should send back."), COOKIE_LOOP),
        false => found(format!("{detail}.")),
    }
}

fn double_rendering(seen: &Observations) -> Judgement {
    if answered(&seen.crawlers).any(SiteAnswer::is_rendered_twice) {
        return found("The snapshot carries the marks of two renders (x-service-render-cache).");
    }
    match &seen.service {
        Ok(answer)
            if answer.is_snapshot() && (kept_by(&answer.headers).is_some() || is_kept_silently(seen)) =>
        {
            found_other("The service's own browser gets the snapshot, out of a cache.", OF_A_CACHE)
        }
        Ok(answer) if answer.is_snapshot() => {
            found("The service's own browser gets the snapshot in place of the app.")
        }
        Ok(answer) if answer.is_app_after_asking() => found(format!(
            "The service's own browser gets the app, but Glasshouse is asked for it too ({}).",
            answer.integration().unwrap_or_default()
        )),
        Ok(_) => fine("The service's own browser gets the app."),
        Err(none) => fine(format!("Not judged: the service's own browser gets no answer ({}).", none.reason)),
    }
}

const SERVICE_IS_REFUSED: &str = "Let the service's browser pass in the site's firewall: its user agent contains `Glasshouse/`, and it comes from the service's \
     address. Then render the page anew.";
const CONNECTION_ENDS: &str = "See where crawlers' requests end: in the log of the site's server, in that of its firewall, and in that of what crawlers are \
     sent to, which may not run.";
const PASSWORD: &str = "Take the password off the pages that crawlers shall see. Neither crawlers nor the service's browser can sign in.";

fn firewall(seen: &Observations) -> Judgement {
    let name = &seen.crawler.name;
    let person = last(&seen.people);
    let person_is_refused = person.is_some_and(is_refused);
    let everybody = if person_is_refused { " People get the same from here." } else { "" };
    for answer in answered(&seen.crawlers) {
        if answer.status == 401 && person_is_refused {
            return found_other("Everybody gets status 401: the site asks for a password.", PASSWORD);
        }
        if answer.is_snapshot() && matches!(answer.status, 401 | 403 | 429) {
            let detail = format!("Crawlers get a snapshot of the site's refusal (status {}).", answer.status);
            return found_other(detail, SERVICE_IS_REFUSED);
        }
        if answer.is_challenge() {
            return found(format!(
                "A request as {name} gets a challenge (status {}).{everybody}",
                answer.status
            ));
        }
        if matches!(answer.status, 401 | 403 | 406 | 429) {
            return found(format!("A request as {name} gets status {}.{everybody}", answer.status));
        }
    }
    match seen.crawlers.iter().find_map(|asked| asked.as_ref().err()) {
        Some(none) if !none.is_timeout && !none.is_encoding && person.is_some() => found_other(
            format!("A request as {name} gets no answer ({}), a person's does.", none.reason),
            CONNECTION_ENDS,
        ),
        _ => fine("Crawlers are not refused."),
    }
}
