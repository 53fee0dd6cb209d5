//! Checks of who gets what: crawlers the page, people the app, nobody the other's, nothing rendered twice. Pure.

use super::{Judgement, SiteCheck, answered, fine, found, is_refused, last};
use crate::verify::answer::{Observations, SiteAnswer};
use crate::verify::caches::{kept_by, may_be_kept};
use crate::verify::platform::SitePlatform;

pub(super) static CHECKS: &[SiteCheck] = &[
    SiteCheck {
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
        ],
        judge: crawler_snapshot,
    },
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
        why: "A cache that ignores who asks gives people the snapshot, or crawlers the empty app.",
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
            (SitePlatform::Akamai, "In Bot Manager set the category of this crawler to Monitor."),
        ],
        judge: firewall,
    },
];

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
        return found(format!("Crawlers get status {}.", answer.status));
    }
    if answer.is_snapshot() {
        let tier = answer.tier().unwrap_or("through an integration");
        let first = seen.crawlers[0].as_ref().is_ok_and(SiteAnswer::is_shell);
        let note = if first { " The first one got the app, while the page was rendered." } else { "" };
        return fine(format!("Crawlers get the snapshot ({tier}), {} words.{note}", answer.words()));
    }
    if !answer.is_html() {
        return fine("Not judged: the address is no HTML page.");
    }
    if !answer.is_shell() {
        return fine(format!("Crawlers get {} words without running scripts.", answer.words()));
    }
    if seen.verified_crawlers_only {
        return fine(
            "Not judged: only verified crawlers get snapshots of this domain, and this check is none.",
        );
    }
    let said = answer.integration().map(|said| format!(" The integration says: {said}.")).unwrap_or_default();
    found(format!("Crawlers get the app without its content: {} words.{said}", answer.words()))
}

fn person_app(seen: &Observations) -> Judgement {
    let Some(snapshot) = answered(&seen.people).find(|answer| answer.is_snapshot()) else {
        return fine("People get no snapshot.");
    };
    match kept_by(&snapshot.headers) {
        Some(header) => found(format!("People get the snapshot, out of a cache ({header}).")),
        None => found("People get the snapshot."),
    }
}

fn shared_cache(seen: &Observations) -> Judgement {
    for answer in answered(&seen.people).filter(|answer| answer.is_snapshot()) {
        if let Some(header) = kept_by(&answer.headers) {
            return found(format!("A cache gave a person the snapshot: {header}."));
        }
    }
    let others = [Some(&seen.missing), seen.query.as_ref().map(|query| &query.answer)];
    let others = others.into_iter().flatten().filter_map(|asked| asked.as_ref().ok());
    let has_snapshots = answered(&seen.crawlers).chain(others).any(SiteAnswer::is_snapshot);
    for answer in answered(&seen.crawlers) {
        let Some(header) = kept_by(&answer.headers) else { continue };
        if answer.is_snapshot() {
            return found(format!("A cache keeps the snapshot: {header}."));
        }
        if has_snapshots && answer.is_shell() {
            return found(format!("A cache gave a crawler the app that it keeps for people: {header}."));
        }
    }
    let mut snapshots = answered(&seen.crawlers).filter(|answer| answer.is_snapshot());
    if let Some(header) = snapshots.find_map(|answer| may_be_kept(&answer.headers)) {
        return found(format!("Shared caches may keep the snapshot: {header}."));
    }
    if let [Ok(first), Ok(second)] = &seen.people
        && first.is_shell()
        && !second.is_shell()
        && answered(&seen.crawlers).any(|answer| answer.words() == second.words() && answer.is_success())
    {
        return found("A person got the app first, and after a crawler had asked, the page for crawlers.");
    }
    fine("No cache gave one client what it keeps for another.")
}

fn looping(seen: &Observations) -> Judgement {
    let clients = [("Crawlers", &seen.crawlers), ("People", &seen.people)];
    for (who, answers) in clients {
        for answer in answered(answers) {
            if answer.is_looping {
                let chain: Vec<&str> = answer
                    .redirects
                    .iter()
                    .map(url::Url::as_str)
                    .chain([answer.url.as_str()])
                    .take(4)
                    .collect();
                return found(format!("{who} are redirected in circles: {}.", chain.join(", then ")));
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

fn double_rendering(seen: &Observations) -> Judgement {
    if answered(&seen.crawlers).any(SiteAnswer::is_rendered_twice) {
        return found("The snapshot carries the marks of two renders (x-service-render-cache).");
    }
    match &seen.service {
        Ok(answer) if answer.is_snapshot() => {
            found("The service's own browser gets the snapshot in place of the app.")
        }
        Ok(_) => fine("The service's own browser gets the app."),
        Err(none) => fine(format!("Not judged: the service's own browser gets no answer ({}).", none.reason)),
    }
}

fn firewall(seen: &Observations) -> Judgement {
    let name = &seen.crawler.name;
    let person = last(&seen.people);
    let person_is_refused = person.is_some_and(is_refused);
    let everybody = if person_is_refused { " People get the same from here." } else { "" };
    for answer in answered(&seen.crawlers) {
        if answer.is_challenge() {
            return found(format!(
                "A request as {name} gets a challenge (status {}).{everybody}",
                answer.status
            ));
        }
        if matches!(answer.status, 401 | 403 | 406 | 429) {
            return found(format!("A request as {name} gets status {}.{everybody}", answer.status));
        }
        let only_crawlers =
            answer.status >= 500 && answer.status != 508 && person.is_some_and(SiteAnswer::is_success);
        if only_crawlers {
            return found(format!("A request as {name} gets status {}, a person's does not.", answer.status));
        }
    }
    match seen.crawlers.iter().find_map(|asked| asked.as_ref().err()) {
        Some(none) if !none.is_timeout && person.is_some() => {
            found(format!("A request as {name} gets no answer ({}), a person's does.", none.reason))
        }
        _ => fine("Crawlers are not refused."),
    }
}
