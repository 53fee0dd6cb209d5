//! Checks of addresses: query, addresses that do not exist, host and scheme of what a crawler is told. Pure.

use url::Url;

use super::{Judgement, SiteCheck, fine, found, is_refused, last};
use crate::answer::{Observations, SiteAnswer, are_on_one_domain};
use crate::platform::SitePlatform;

pub(super) static CHECKS: &[SiteCheck] = &[
    SiteCheck {
        id: "query",
        title: "The query reaches the page.",
        why: "All pages that differ in their query only get one and the same snapshot.",
        remedy: "Pass path and query on byte for byte, encoded once (`encodeURIComponent` of the whole address), and keep the \
                 query in redirects. If the domain's `queryParameters` names those that count, this is as it should be.",
        remedy_on: &[
            (
                SitePlatform::Nginx,
                "Use `$request_uri`, not `$uri`, in `proxy_pass` and redirects: `$uri` has no query.",
            ),
            (
                SitePlatform::Apache,
                "Take the address from `%{THE_REQUEST}` and end the rule with `QSD,NE,UnsafeAllow3F`.",
            ),
            (
                SitePlatform::CloudFront,
                "Forward all query strings: they are a part of neither the request to the origin nor \
              the cache key by default.",
            ),
        ],
        judge: query,
    },
    SiteCheck {
        id: "missing_page",
        title: "An address that does not exist is 404.",
        why: "Search engines index endless empty pages, and call them soft 404.",
        remedy: "Let the server answer 404, or let the app say so: `<meta name=\"prerender-status-code\" content=\"404\">` on \
                 its page for unknown addresses.",
        remedy_on: &[],
        judge: missing_page,
    },
    SiteCheck {
        id: "host",
        title: "Crawlers are told the public host.",
        why: "Search engines index another host than people use.",
        remedy: "Give Glasshouse the public address: the configured origin, or `Host` as the visitor sent it, never the \
                 host of a server behind a proxy. The app makes its canonical link from that address.",
        remedy_on: &[
            (SitePlatform::Nginx, "Set `proxy_set_header Host $host;` where requests go to the edge."),
            (SitePlatform::Apache, "Set `ProxyPreserveHost On` where requests go to the edge."),
            (
                SitePlatform::CloudFront,
                "Forward the `Host` header (origin request policy AllViewer), or set the public origin in \
              the integration.",
            ),
        ],
        judge: host,
    },
    SiteCheck {
        id: "scheme",
        title: "Crawlers are told the public scheme.",
        why: "Search engines index http addresses of an https site, or are redirected without end.",
        remedy: "Give Glasshouse the https address: behind a proxy that ends TLS, take the scheme from the configured origin \
                 or from `X-Forwarded-Proto`, which the proxy must set.",
        remedy_on: &[
            (
                SitePlatform::Cloudflare,
                "Set SSL/TLS to Full (strict) and switch Always Use HTTPS on: with Flexible the app \
              believes that it is visited over http.",
            ),
            (
                SitePlatform::Nginx,
                "Set `proxy_set_header X-Forwarded-Proto $scheme;`, and list nginx in \
              `edge.trusted_proxies`.",
            ),
        ],
        judge: scheme,
    },
];

fn query(seen: &Observations) -> Judgement {
    let Some(query) = &seen.query else {
        return fine("Not judged: the domain's settings leave every query out.");
    };
    let sent = &query.sent;
    let answer = match &query.answer {
        Ok(answer) => answer,
        Err(none) => {
            return fine(format!("Not judged: the address with ?{sent} got no answer ({}).", none.reason));
        }
    };
    if answer.is_looping || answer.leaves_to.is_some() {
        return fine("Not judged: the redirects do not end on the site (see loop and host).");
    }
    let lacks = |url: &Url| !url.query().is_some_and(|text| text.contains(sent.as_str()));
    if let Some(lost) = answer.redirects.iter().chain([&answer.url]).find(|url| lacks(url)) {
        return found(format!("?{sent} is lost in a redirect to {lost}."));
    }
    match answer.tier() {
        Some(tier @ ("hit" | "edge-hit")) => found(format!(
            "A snapshot was there ({tier}) for ?{sent}, which nobody has asked for before: the query is lost."
        )),
        Some(_) => fine("An address with a new query is rendered for itself."),
        None => fine("No redirect loses the query."),
    }
}

fn missing_page(seen: &Observations) -> Judgement {
    let answer = match &seen.missing {
        Ok(answer) => answer,
        Err(none) => return fine(format!("Not judged: the address got no answer ({}).", none.reason)),
    };
    let path = answer.redirects.first().unwrap_or(&answer.url).path();
    match answer.status {
        404 | 410 => fine(format!("{path} gets status {}.", answer.status)),
        _ if is_refused(answer) => fine("Not judged: the request was refused."),
        200..=299 if answer.redirects.is_empty() => {
            found(format!("{path}, which does not exist, gets status {}.", answer.status))
        }
        200..=299 => found(format!("{path}, which does not exist, is redirected to {}.", answer.url)),
        300..=399 => match &answer.leaves_to {
            Some(to) if !is_redirected_away(seen) => {
                found(format!("{path}, which does not exist, is redirected to {to}."))
            }
            _ => fine("Not judged: the address is redirected."),
        },
        status => fine(format!("Not judged: {path} gets status {status}.")),
    }
}

/// Returns true for a site that redirects everybody to another one.
fn is_redirected_away(seen: &Observations) -> bool {
    last(&seen.people).is_some_and(|answer| answer.leaves_to.is_some())
}

fn host(seen: &Observations) -> Judgement {
    let (Some(crawler), person) = (last(&seen.crawlers), last(&seen.people)) else {
        return fine("Not judged: crawlers get no answer.");
    };
    if crawler.status == 421 {
        return found("The edge does not know the host of the request (status 421).");
    }
    if let Some(to) = &crawler.leaves_to {
        return match is_redirected_away(seen) {
            true => fine(format!("The address redirects to {to}: verify that one.")),
            false => found(format!("Crawlers are redirected to {to}, people are not.")),
        };
    }
    let foreign = own_addresses(crawler).find(|own| !is_same_host(own, &crawler.url) && !says(person, own));
    match foreign {
        Some(own) => found(format!("The page for crawlers says that its address is {own}.")),
        None => fine("The page for crawlers names no other host than people's."),
    }
}

fn scheme(seen: &Observations) -> Judgement {
    let (Some(crawler), person) = (last(&seen.crawlers), last(&seen.people)) else {
        return fine("Not judged: crawlers get no answer.");
    };
    if crawler.is_looping || crawler.leaves_to.is_some() {
        return fine("Not judged: crawlers get no page (see loop and host).");
    }
    let hops: Vec<&Url> = crawler.redirects.iter().chain([&crawler.url]).collect();
    if let Some(pair) = hops.windows(2).find(|pair| pair[0].scheme() == "https" && pair[1].scheme() == "http")
    {
        return found(format!("Crawlers are redirected from https to {}.", pair[1]));
    }
    if crawler.url.scheme() == "http"
        && person.is_some_and(|person| person.url.scheme() == "https" && !person.is_looping)
    {
        return found(format!("People are redirected to https, crawlers stay at {}.", crawler.url));
    }
    let plain = own_addresses(crawler).find(|own| {
        crawler.url.scheme() == "https"
            && own.scheme() == "http"
            && is_same_host(own, &crawler.url)
            && !says(person, own)
    });
    match plain {
        Some(own) => found(format!("The page for crawlers says that its address is {own}.")),
        None => fine("The page for crawlers names the scheme that people use."),
    }
}

fn own_addresses(answer: &SiteAnswer) -> impl Iterator<Item = &Url> {
    answer.page.iter().flat_map(|page| &page.own_addresses)
}

/// Returns true when two addresses are of one host, whatever their ports: an app behind a proxy may not know its port.
fn is_same_host(one: &Url, other: &Url) -> bool {
    let mut one = one.clone();
    let _ = one.set_port(other.port());
    are_on_one_domain(&one, other)
}

/// Returns true when the page for people names the address too, so that the site means it.
fn says(person: Option<&SiteAnswer>, own: &Url) -> bool {
    person.is_some_and(|person| own_addresses(person).any(|said| said == own))
}
