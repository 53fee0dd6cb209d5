//! Checks of requests that are no plain page: assets, HEAD, time. Pure.

use std::time::Duration;

use super::{Judgement, SiteCheck, fine, found, found_other, is_refused, last};
use crate::answer::Observations;
use crate::platform::SitePlatform;

pub(super) static CHECKS: &[SiteCheck] = &[
    SiteCheck {
        id: "asset",
        title: "Scripts and style sheets are not rendered.",
        why: "Renders are spent on files, and crawlers that run scripts get HTML in place of them.",
        remedy: "Leave paths with a static extension (.js, .css, .png …) and requests that do not accept HTML to the app.",
        remedy_on: &[
            (SitePlatform::Vercel, "Leave assets out of the middleware's `matcher`."),
            (SitePlatform::Netlify, "Name the assets in `excludedPath` of the edge function."),
        ],
        judge: asset,
    },
    SiteCheck {
        id: "head",
        title: "HEAD is answered like GET.",
        why: "Link checkers and some crawlers ask with HEAD first, and take the page for broken.",
        remedy: "Answer HEAD with the status and headers of GET. Where the app cannot, send crawlers' HEAD to Glasshouse as \
                 their GET.",
        remedy_on: &[],
        judge: head,
    },
    SiteCheck {
        id: "speed",
        title: "Crawlers are answered in time.",
        why: "Link previews give up after about ten seconds, and search engines crawl slow sites less.",
        remedy: "Let the sitemap be rendered ahead (a site refresh), so that pages come from the cache; see in the dashboard \
                 which requests make the page slow, and block those that it does not need.",
        remedy_on: &[],
        judge: speed,
    },
];

fn asset(seen: &Observations) -> Judgement {
    match &seen.asset {
        None => fine("Not judged: the page for people loads no script or style sheet from its own host."),
        Some(Err(none)) => fine(format!("Not judged: the file got no answer ({}).", none.reason)),
        Some(Ok(answer)) if answer.is_snapshot() => {
            found(format!("{} is answered with a snapshot.", answer.url.path()))
        }
        Some(Ok(answer)) if answer.is_success() && answer.is_html() && !answer.is_challenge() => {
            found(format!("{} is answered with HTML.", answer.url.path()))
        }
        Some(Ok(answer)) => {
            fine(format!("{} is answered as it is (status {}).", answer.url.path(), answer.status))
        }
    }
}

fn head(seen: &Observations) -> Judgement {
    let Some(get) = last(&seen.crawlers).filter(|get| !is_refused(get)) else {
        return fine("Not judged: crawlers get no page.");
    };
    match &seen.head {
        Ok(head) if head.status == get.status => fine(format!("HEAD gets status {}, as GET.", head.status)),
        Ok(head) => found(format!("HEAD gets status {}, GET {}.", head.status, get.status)),
        Err(none) => found(format!("HEAD gets no answer ({}).", none.reason)),
    }
}

const ONLY_CRAWLERS_WAIT: &str = "See where crawlers' requests end: a firewall may let them wait in place of refusing them, or the integration asks a \
     service that does not answer and has no time limit.";

fn speed(seen: &Observations) -> Judgement {
    let times: Vec<Duration> = seen.crawlers.iter().flatten().map(|answer| answer.took).collect();
    let seconds = |time: Duration| format!("{:.1} s", time.as_secs_f64());
    let limits = [seen.slow_after.first, seen.slow_after.second];
    for (asked, limit) in seen.crawlers.iter().zip(limits) {
        match asked {
            Err(none) if none.is_timeout => {
                let Some(person) = last(&seen.people) else {
                    return found(format!("A crawler got no answer in time ({}).", none.reason));
                };
                let took = seconds(person.took);
                return found_other(
                    format!("A crawler got no answer in time ({}), a person one in {took}.", none.reason),
                    ONLY_CRAWLERS_WAIT,
                );
            }
            Ok(answer) if answer.took > limit => {
                let limit = seconds(limit);
                return found(format!(
                    "A crawler waited {}; more than {limit} is slow.",
                    seconds(answer.took)
                ));
            }
            _ => {}
        }
    }
    let times: Vec<String> = times.into_iter().map(seconds).collect();
    fine(format!(
        "Crawlers waited {}.",
        if times.is_empty() { "in vain".to_owned() } else { times.join(" and ") }
    ))
}
