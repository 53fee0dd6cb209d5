//! Checks of the changes that scripts make to a page: raw against rendered facts, and facts that only a render shows.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use regex::Regex;
use url::Url;

use super::thresholds::ThresholdId;
use super::{Check, ERROR, Fires, NOTICE, SITE_ERROR, WARNING};
use crate::address::Target;
use crate::page::caps::AddressRoom;
use crate::page::text::word_count;
use crate::page::view::{CheckedRows, GOOGLEBOT, effective_canonical};
use crate::page::{Base, Page};
use crate::source::{LoadedResource, RenderedDocument};

const JS_SEO: &str =
    "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics";
const RENDERED: Check = Check { source: JS_SEO, ..ERROR };
const RENDERED_WARNING: Check = Check { source: JS_SEO, ..WARNING };
const RENDERED_NOTICE: Check = Check { source: JS_SEO, ..NOTICE };
const CHANGE: Check = Check { is_script_change: true, ..RENDERED };
const CHANGE_WARNING: Check = Check { is_script_change: true, ..RENDERED_WARNING };
const CHANGE_NOTICE: Check = Check { is_script_change: true, ..RENDERED_NOTICE };
/// Id of the check of redirects by scripts. A snapshot that redirects solves its finding.
pub const REDIRECT: &str = "JS_REDIRECT";

/// Console messages of frameworks about a mismatch between the server's page and theirs. As of 2026-11-20.
static HYDRATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)Hydration failed|Text content does not match server-rendered HTML|did not match\. Server:|There was an error while hydrating|Minified React error #4(1[89]|2[0-5])|Hydration node mismatch|Hydration completed but contains mismatches|hydration_mismatch|NG050[0-7]")
        .expect("the expression is constant and its test runs it")
});

/// Returns the render of a page whose scripts did not redirect the visitor.
fn render<'a>(page: &'a Page) -> Option<&'a RenderedDocument> {
    page.input.rendered.map(|(rendered, _)| rendered).filter(|_| page.was_rendered())
}

/// Lists the requests of the render to the site's own host.
fn own_resources<'p>(page: &'p Page) -> impl Iterator<Item = (Url, &'p LoadedResource)> {
    let loaded = render(page).and_then(|render| render.loaded.as_deref()).unwrap_or_default();
    let urls = loaded.iter().filter_map(|loaded| Some((Url::parse(&loaded.url).ok()?, loaded)));
    urls.filter(|(url, _)| page.input.origin.contains(url))
}

fn is_forbidden(page: &Page, url: &Url) -> bool {
    !page.input.robots.decide(GOOGLEBOT, &page.input.origin.key(url)).is_allowed
}

fn lacks_raw_content(page: &Page) -> bool {
    page.was_rendered() && page.input.raw.measures.words < 20 && page.words >= 100
}

/// Returns the keys of pages that the links of the answer lead to.
fn raw_targets(page: &Page) -> HashSet<String> {
    let room = AddressRoom::default();
    let hrefs = page.input.raw.links.iter().filter_map(|link| link.href.as_deref());
    let urls = hrefs.filter_map(|href| page.resolve(href)).filter(|url| room.take(url.as_str().len()));
    let internal = urls.filter_map(|url| match page.input.origin.target(&url) {
        Target::Internal(key) => Some(key),
        Target::External(_) => None,
    });
    internal.filter(|key| *key != page.key).collect()
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "JS_CONTENT_MISSING_RAW",
        title: "The text appears only after scripts have run",
        why: "Crawlers that run no scripts see an empty page.",
        fix: "Render on the server, or serve snapshots to crawlers.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<p>{word *120}",
        good: "GET /\n<p>{word *120}<script src=/a.js></script>\nRENDER /\n<p>{word *120}",
        fires: Fires::When(lacks_raw_content),
        ..CHANGE
    },
    Check {
        id: "JS_CONTENT_PARTIAL",
        title: "Much of the text appears only after scripts have run",
        why: "Crawlers that run no scripts see a part of the page.",
        fix: "Send the text with the document.",
        bad: "GET /\n<div id=root></div><p>{word *50}<script src=/a.js></script>\nRENDER /\n<p>{word *50} {more *200}",
        good: "GET /\n<div id=root></div><p>{word *250}<script src=/a.js></script>\nRENDER /\n<p>{word *250} {more *20}",
        fires: Fires::When(|page| {
            if !page.was_rendered() || page.input.raw.measures.words < 20 || page.words < 200 {
                return false;
            }
            let (only_rendered, all) = page.words_only_rendered();
            only_rendered >= 100 && only_rendered * 10 > all * 4
        }),
        ..CHANGE_WARNING
    },
    Check {
        id: "JS_TITLE_CHANGED",
        title: "Scripts change the title",
        why: "Which one is shown depends on when the page is read.",
        fix: "Send the final title with the document.",
        bad: "GET /\n<title>Loading</title><div id=root></div><script src=/a.js></script>\nRENDER /\n<title>Shoes</title><p>a",
        good: "GET /\n<title>Shoes</title><div id=root></div><script src=/a.js></script>\nRENDER /\n<title>Shoes</title><p>a",
        fires: Fires::When(|page| {
            page.was_rendered()
                && page.facts.title().is_some()
                && page.facts.title() != page.input.raw.title()
        }),
        ..CHANGE_WARNING
    },
    Check {
        id: "JS_META_DESC_CHANGED",
        title: "Scripts change the description",
        why: "Which one is shown depends on when the page is read.",
        fix: "Send the final description with the document.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<meta name=description content=Shoes>",
        good: "GET /\n<meta name=description content=Shoes><div id=root></div><script src=/a.js></script>\nRENDER /\n<meta name=description content=Shoes>",
        fires: Fires::When(|page| {
            let rendered = page.facts.description();
            page.was_rendered() && rendered.is_some() && rendered != page.input.raw.description()
        }),
        ..CHANGE_NOTICE
    },
    Check {
        id: "JS_CANONICAL_CHANGED",
        on: CheckedRows::Candidate,
        title: "Scripts change the canonical",
        why: "Search engines get two answers to one question.",
        fix: "Send the final canonical with the document.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<link rel=canonical href=https://site.example/a>",
        good: "GET /\n<link rel=canonical href=https://site.example/><div id=root></div><script src=/a.js></script>\nRENDER /\n<link rel=canonical href=https://site.example/>",
        fires: Fires::When(|page| {
            let target = |url: &Option<url::Url>| url.as_ref().map(|url| page.input.origin.target(url));
            let raw = || {
                let base = Base::of(page.input.raw, page.input.url, page.input.response.encoding());
                effective_canonical(page.input.raw, &base, &page.header_canonicals)
            };
            page.was_rendered() && page.canonical.is_some() && target(&page.canonical) != target(&raw())
        }),
        ..CHANGE
    },
    Check {
        id: "JS_NOINDEX_ADDED",
        on: CheckedRows::Html,
        title: "Scripts add noindex",
        why: "The page leaves the index as soon as it is rendered.",
        fix: "Remove noindex from the script if the page is to be found.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<meta name=robots content=noindex>",
        good: "GET /\n<meta name=robots content=noindex><div id=root></div><script src=/a.js></script>\nRENDER /\n<meta name=robots content=noindex>",
        fires: Fires::When(|page| {
            page.was_rendered() && page.directives.meta_noindex() && !page.raw_directives.meta_noindex()
        }),
        ..CHANGE
    },
    Check {
        id: "JS_NOINDEX_REMOVED",
        on: CheckedRows::Html,
        title: "Scripts remove noindex",
        why: "Search engines may not render a page that says noindex.",
        fix: "Send the document without noindex.",
        bad: "GET /\n<meta name=robots content=noindex><div id=root></div><script src=/a.js></script>\nRENDER /\n<p>a",
        good: "GET /\n<meta name=robots content=noindex><div id=root></div><script src=/a.js></script>\nRENDER /\n<meta name=robots content=noindex>",
        fires: Fires::When(|page| {
            page.was_rendered() && !page.directives.meta_noindex() && page.raw_directives.meta_noindex()
        }),
        ..CHANGE
    },
    Check {
        id: "JS_H1_ONLY_RENDERED",
        title: "First-level heading only after scripts have run",
        why: "Crawlers that run no scripts do not see it.",
        fix: "Send it with the document.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<h1>Shoes</h1>",
        good: "GET /\n<h1>Shoes</h1><div id=root></div><script src=/a.js></script>\nRENDER /\n<h1>Shoes</h1>",
        fires: Fires::When(|page| {
            page.was_rendered()
                && !lacks_raw_content(page)
                && page.facts.h1().is_some()
                && page.input.raw.h1().is_none()
        }),
        ..CHANGE_NOTICE
    },
    Check {
        id: "JS_LINKS_ONLY_RENDERED",
        title: "Many links only after scripts have run",
        why: "What they lead to is found late or never.",
        fix: "Send the links with the document.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n{<a href=/#>a</a>*6}",
        good: "GET /\n{<a href=/#>a</a>*6}<div id=root></div><script src=/a.js></script>\nRENDER /\n{<a href=/#>a</a>*6}",
        fires: Fires::Elements(|page, found| {
            if !page.was_rendered() || lacks_raw_content(page) {
                return;
            }
            let keys = page.internal_links().filter_map(|(link, _)| match &link.target {
                Target::Internal(key) => Some(key.as_str()),
                Target::External(_) => None,
            });
            let all: BTreeSet<&str> = keys.filter(|key| *key != page.key).collect();
            let raw = raw_targets(page);
            let only = || all.iter().filter(|key| !raw.contains(**key));
            let count = only().count();
            if count >= 5 && count * 10 > all.len() * 3 {
                only().for_each(|key| found.add(page.input.origin.url(key), "", "only rendered"));
            }
        }),
        ..CHANGE_WARNING
    },
    Check {
        id: "JS_STRUCTURED_DATA_ONLY_RENDERED",
        title: "Structured data only after scripts have run",
        why: "Rich results come later or not at all.",
        fix: "Send it with the document.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<script type=application/ld+json>{\"@type\":\"Thing\"}</script>",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<p>a",
        fires: Fires::When(|page| {
            let is_new = page.facts.has_structured_data() && !page.input.raw.has_structured_data();
            page.was_rendered() && is_new && !lacks_raw_content(page)
        }),
        ..CHANGE_NOTICE
    },
    Check {
        id: "JS_SHADOW_DOM_CONTENT",
        title: "Content stands in closed shadow roots",
        why: "What reads the document by script, search engines and assistants among it, cannot look into them.",
        fix: "Open the shadow roots ({ mode: 'open' }), or put the text into slots.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<x-a><template shadowrootmode=closed><p>{word *60}</p></template></x-a>",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<x-a><template shadowrootmode=open><p>{word *60}</p></template></x-a>",
        fires: Fires::Elements(|page, found| {
            let closed = page.facts.closed_words;
            // Most pages have none, and counting words takes time.
            if closed == 0 || !page.was_rendered() {
                return;
            }
            let all = word_count(&page.facts.visible_text);
            if all >= 50 && closed * 10 > all * 3 {
                found.add("", "", format!("{closed} of {all} words"));
            }
        }),
        ..RENDERED_NOTICE
    },
    Check {
        id: "JS_HREFLANG_ONLY_RENDERED",
        title: "Language versions only after scripts have run",
        why: "They are found late or never.",
        fix: "Send them with the document or in the sitemap.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<link rel=alternate hreflang=en href=https://site.example/>",
        good: "GET /\n<link rel=alternate hreflang=en href=https://site.example/><div id=root></div><script src=/a.js></script>\nRENDER /\n<link rel=alternate hreflang=en href=https://site.example/>",
        fires: Fires::Elements(|page, found| {
            let raw = &page.input.raw.alternates.head;
            for entry in
                page.facts.alternates.head.iter().filter(|entry| page.was_rendered() && !raw.contains(entry))
            {
                let url = page.resolve(&entry.href);
                let is_sent = |(lang, other): &(String, Url)| {
                    lang.eq_ignore_ascii_case(&entry.lang) && Some(other) == url.as_ref()
                };
                if !page.sent_alternates.iter().any(is_sent) {
                    found.add(&entry.href, &entry.lang, "only rendered");
                }
            }
        }),
        ..CHANGE_WARNING
    },
    Check {
        id: REDIRECT,
        on: CheckedRows::Html,
        title: "A script redirects",
        why: "Crawlers that run no scripts stay on an empty page.",
        fix: "Redirect on the server.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:redirect https://site.example/a\n\n<p>a\nGET /a\na",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<p>a",
        fires: Fires::Elements(|page, found| {
            page.script_redirect().into_iter().for_each(|to| found.add(to.clone(), "", "script"));
        }),
        ..CHANGE_WARNING
    },
    Check {
        id: "SPA_SOFT_404",
        on: CheckedRows::Candidate,
        is_fatal: true,
        title: "Rendered error page that answers 200",
        why: "Search engines index it, or find out and drop it.",
        fix: "Answer 404, or set <meta name=\"prerender-status-code\" content=\"404\">.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<h1>Page not found</h1><p>Sorry",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<meta name=prerender-status-code content=404><h1>Page not found</h1><p>Sorry",
        fires: Fires::When(|page| page.is_rendered_soft_404),
        ..CHANGE
    },
    Check {
        id: "JS_CONSOLE_ERROR",
        title: "Scripts report errors",
        why: "Something on the page does not work.",
        fix: "Look into the browser's console.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:error Cannot read the price list\n\n<p>a",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:error Hydration failed\n\n<p>a",
        fires: Fires::Elements(|page, found| {
            let errors = render(page).into_iter().flat_map(|render| &render.errors);
            errors
                .filter(|text| !HYDRATION.is_match(text))
                .for_each(|text| found.add("", text, "console.error"));
        }),
        ..RENDERED_NOTICE
    },
    Check {
        id: "JS_UNCAUGHT_EXCEPTION",
        title: "A script fails",
        why: "What it should have done is missing.",
        fix: "Look into the browser's console.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:exception x is not a function\n\n<p>a",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<p>a",
        fires: Fires::Elements(|page, found| {
            let exceptions = render(page).into_iter().flat_map(|render| &render.exceptions);
            exceptions
                .filter(|text| !HYDRATION.is_match(text))
                .for_each(|text| found.add("", text, "exception"));
        }),
        ..RENDERED_WARNING
    },
    Check {
        id: "JS_HYDRATION_ERROR",
        title: "Server's page and script's page differ",
        why: "The framework throws the server's page away and starts over.",
        fix: "Render the same on both sides.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:error Hydration failed because the UI differs\n\n<p>a",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:error Out of paint\n\n<p>a",
        fires: Fires::Elements(|page, found| {
            let messages =
                render(page).into_iter().flat_map(|render| render.errors.iter().chain(&render.exceptions));
            messages
                .filter(|text| HYDRATION.is_match(text))
                .for_each(|text| found.add("", text, "hydration"));
        }),
        ..RENDERED_WARNING
    },
    Check {
        id: "JS_BLOCKED_RESOURCE",
        title: "A script, style sheet or request of the page is forbidden by robots.txt",
        why: "Googlebot renders the page without it.",
        fix: "Allow it in robots.txt.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: Googlebot\nDisallow: /a.js\nGET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:load https://site.example/a.js 200\n\n<p>a",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:load https://site.example/a.js 200\n\n<p>a",
        fires: Fires::Elements(|page, found| {
            for (url, _) in own_resources(page).filter(|(url, _)| is_forbidden(page, url)) {
                found.add(url, "", "forbidden");
            }
        }),
        ..RENDERED
    },
    Check {
        id: "JS_RENDER_TIMEOUT",
        title: "Page never gets ready",
        why: "Crawlers take it as it stands, half done.",
        fix: "End what runs for ever, or say when the page is ready.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:timeout\n\n<p>a",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<p>a",
        fires: Fires::When(|page| render(page).is_some_and(|render| render.timed_out)),
        ..RENDERED
    },
    Check {
        id: "JS_RENDER_SLOW",
        thresholds: &[ThresholdId::RenderSlowMs],
        title: "Page gets ready slowly",
        why: "Crawlers may not wait for it.",
        fix: "Load less before the content is there.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:ready 6000\n\n<p>a",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:ready 4000\n\n<p>a",
        fires: Fires::When(|page| {
            let most = page.input.thresholds.number(ThresholdId::RenderSlowMs);
            render(page).is_some_and(|render| render.ready_ms as f64 > most && !render.timed_out)
        }),
        ..RENDERED_NOTICE
    },
    Check {
        id: "JS_LINKS_ONCLICK_ONLY",
        title: "Elements that lead somewhere only on a click",
        why: "Crawlers click on nothing: what is behind them is not found.",
        fix: "Make each a link with an href.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:clicks /p/1 /p/2 /p/3\n\n{<div>Shoe</div>*3}",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:clicks /p/1 /p/2\n\n{<a href='/p/#'>Shoe</a>*3}",
        fires: Fires::Elements(|page, found| {
            let Some(render) = render(page).filter(|render| render.click_links >= 3) else { return };
            let targets = render.click_targets.iter().map(String::as_str).chain(std::iter::repeat(""));
            targets.take(render.click_links).for_each(|target| found.add(target, "", "onclick"));
        }),
        ..CHANGE
    },
    Check {
        id: "JS_CONTENT_NEEDS_SCROLL",
        title: "Much of the text appears only when the page is scrolled",
        why: "Search engines do not scroll: they make the window higher, once, and other crawlers not even that.",
        fix: "Have the text there from the start; load pictures late, not words.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:words 100 160\n\n<p>{word *160}",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:words 200 251\n\n<p>{word *251}",
        fires: Fires::Elements(|page, found| {
            let Some((before, after)) = render(page).and_then(|render| render.scrolled_words) else { return };
            if after > before + 50 && after * 10 > before * 13 {
                found.add("", "", format!("{before} of {after} words before it is scrolled"));
            }
        }),
        ..CHANGE_NOTICE
    },
    Check {
        id: "JS_RESOURCE_FAILED",
        title: "A script, style sheet or request of the page fails",
        why: "The page is rendered without it.",
        fix: "Restore what it asks for, or do not ask for it.",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:load https://site.example/api/list 500\n\n<p>a",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:load https://site.example/api/list 200\n:load https://other.example/api/list 500\n\n<p>a",
        fires: Fires::Elements(|page, found| {
            for (url, loaded) in own_resources(page).filter(|(url, _)| !is_forbidden(page, url)) {
                match loaded.status {
                    400.. => found.add(url, "", loaded.status.to_string()),
                    _ if !loaded.is_complete => found.add(url, "", "failed"),
                    _ => {}
                }
            }
        }),
        ..RENDERED_WARNING
    },
    Check {
        id: "JS_HASH_ROUTES",
        title: "Pages behind a hash",
        why: "Search engines drop what follows #: all these pages are one to them.",
        fix: "Use the History API and real paths.",
        bad: "<a href=#/a>a</a><a href=#/b>b</a><a href=#!/c>c</a>",
        good: "<a href=#a>a</a><a href=#b>b</a><a href=#c>c</a>",
        fires: Fires::Elements(|page, found| {
            let is_route = |url: &Url| {
                url.fragment().is_some_and(|part| part.starts_with('/') || part.starts_with("!/"))
            };
            let routes: HashSet<&str> = page
                .links
                .iter()
                .filter(|link| link.is_fragment && is_route(&link.url))
                .map(|link| link.url.as_str())
                .collect();
            let mut routes: Vec<&str> =
                if routes.len() >= 3 { routes.into_iter().collect() } else { Vec::new() };
            routes.sort_unstable();
            routes.into_iter().for_each(|route| found.add(route, "", ""));
        }),
        ..RENDERED_WARNING
    },
    Check {
        id: "SPA_CATCH_ALL_200",
        run_factor: 0.7,
        title: "Every address answers with the application's shell",
        why: "Search engines cannot tell pages from errors before they render them.",
        fix: "Answer 404, or set <meta name=\"prerender-status-code\" content=\"404\">.",
        source: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",
        bad: "GET /\nShoes\nGET *\n<div id=root></div><script src=/a.js></script>",
        good: "GET /\nShoes\nGET *\n<div id=root></div><script src=/a.js></script>\nRENDER *\n<meta name=prerender-status-code content=404>",
        fires: Fires::Whole(|site, found| {
            let responses = &site.probes.not_found;
            if !responses.is_empty() && responses.iter().all(|(status, is_shell)| *status == 200 && *is_shell)
            {
                found.add("answers 200 with the shell", []);
            }
        }),
        ..SITE_ERROR
    },
];
