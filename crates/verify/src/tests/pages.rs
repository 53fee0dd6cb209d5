//! Sites on loopback whose crawlers get another page than people do, or one that is told to stay out of an index.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::Response;
use http_body_util::Full;

use super::sites::{SHELL, TEXT, plain};

const NOTICE: &str = "<title>Shop</title><h2>We value your privacy</h2><p>We use cookies to improve your visit and to show \
    personalised advertisements.</p><button>Accept all</button> <button>Reject all</button> <button>Manage preferences</button>";
const AGE: &str = "<title>Brewery</title><h1>Welcome</h1><p>Are you over 18? You must be of legal drinking age to enter.</p>\
    <button>Yes, enter</button><button>No, leave</button>";
const ANIMALS: &str = "Cats and dogs live together in many homes, and with some patience they become friends. Give each of them a place \
    of its own, feed them apart in the first weeks, and let the older one decide when it is time to meet. Many owners say that \
    the first month is the hardest, and that afterwards nobody in the house wants to be alone.";
const RIVERS: &str = "Two rivers meet below the old bridge, and every spring their water covers the meadows for some weeks. Farmers wait until it \
    has gone, then sow grass and clover, which grow faster there than anywhere else in this valley.";
const GERMAN: &str = "Wir nähen in unserer eigenen Werkstatt Schuhe aus Leder und Wolle, für den Winter und für den Sommer, in allen Größen \
    von klein bis groß. Sie werden innerhalb von drei Tagen an jeden Ort der Erde geschickt, und wer nicht zufrieden ist, schickt sie uns zurück.";
const NOT_THERE: &str = "<title>Shop</title><p>We looked everywhere for this product and could not see it in any of our shops today</p>";

/// Sites, by the first label of their host: what is wrong with them, and the checks that say so.
pub(super) const PAGE_SITES: &[(&str, &[&str])] = &[
    ("noindex-meta", &["indexable"]),
    ("noindex-header", &["indexable"]),
    ("noindex-googlebot", &["indexable"]),
    ("noindex-googlebot-header", &["indexable"]),
    ("noindex-otherbot", &[]),
    ("noindex-for-all", &[]),
    ("robots-all", &["robots_txt"]),
    ("robots-googlebot", &["robots_txt"]),
    ("robots-fails", &["robots_txt"]),
    ("robots-otherbot", &[]),
    ("robots-html", &[]),
    ("text-plain", &["crawler_snapshot"]),
    ("no-type", &["crawler_snapshot"]),
    ("octets", &["crawler_snapshot"]),
    ("packed-twice", &["encoding"]),
    ("packed-silently", &["encoding"]),
    ("not-packed", &["encoding"]),
    ("packed", &[]),
    ("notice", &["same_content"]),
    ("age-gate", &["same_content"]),
    ("notice-and-page", &[]),
    ("refresh-away", &["same_content"]),
    ("refresh-later", &["same_content"]),
    ("refresh-itself", &[]),
    ("error-page", &["same_content"]),
    ("bad-gateway-page", &["same_content"]),
    ("missing-as-page", &["same_content"]),
    ("other-words", &["same_content"]),
    ("half-the-words", &["same_content"]),
    ("more-words", &[]),
    ("one-canonical", &["canonical"]),
    ("one-canonical-elsewhere", &["canonical", "host"]),
    ("one-canonical-header", &["canonical"]),
    ("two-canonicals", &["canonical"]),
    ("own-canonicals", &[]),
    ("german", &["language"]),
    ("german-declared", &["language"]),
    ("german-by-header", &[]),
    ("old", &["snapshot_age"]),
    ("old-kept", &["shared_cache", "snapshot_age"]),
    ("old-file", &[]),
    ("upstream", &["crawler_snapshot"]),
    ("upstream-504", &["crawler_snapshot"]),
    ("upstream-500", &["crawler_snapshot"]),
    ("refused-snapshot", &["firewall"]),
    ("snapshot-without-query", &["person_app"]),
    ("private-app", &["crawler_snapshot"]),
    ("changing-app", &[]),
];

/// Question of a client to one of these sites.
pub(super) struct Question<'a> {
    pub fault: &'a str,
    pub host: &'a str,
    pub path: &'a str,
    pub is_crawler: bool,
    pub is_person: bool,
    pub has_query: bool,
    pub has_language: bool,
}

/// Answers a question to one of the sites here. None: the site is none of them, or answers as others do.
pub(super) fn answer(asked: &Question<'_>) -> Option<Response<Full<Bytes>>> {
    if !PAGE_SITES.iter().any(|(name, _)| *name == asked.fault) {
        return None;
    }
    let own = format!("https://{}{}", asked.host, asked.path);
    match asked.path {
        "/robots.txt" => return Some(robots(asked.fault)),
        "/app.js" => return None,
        path if path.starts_with("/glasshouse-verify-") => return Some(plain(404, NOT_THERE, &[])),
        _ => {}
    }
    match asked.is_crawler {
        true => crawlers(asked, &own),
        false => people(asked, &own),
    }
}

fn robots(fault: &str) -> Response<Full<Bytes>> {
    let rules = match fault {
        "robots-all" => "User-agent: *\nDisallow: /\n",
        "robots-googlebot" => {
            "User-agent: *\nAllow: /\n\nUser-agent: Googlebot\nDisallow: /\nAllow: /about\n"
        }
        "robots-otherbot" => "User-agent: Otherbot\nDisallow: /\n\nUser-agent: *\nDisallow: /admin\n",
        "robots-fails" => return plain(503, "", &[]),
        "robots-html" => return plain(200, SHELL, &[]),
        _ => return plain(404, "", &[]),
    };
    plain(200, rules, &[("content-type", "text/plain")])
}

/// Returns the page for people: the app, unless the fault says otherwise.
fn people(asked: &Question<'_>, own: &str) -> Option<Response<Full<Bytes>>> {
    let words = format!("<p>{TEXT} {ANIMALS}</p>");
    Some(match asked.fault {
        "noindex-for-all" => plain(200, &page(own, "<meta name=robots content=noindex>", ""), &[]),
        "other-words" | "half-the-words" | "more-words" => plain(200, &page(own, "", &words), &[]),
        "german" | "german-declared" => plain(200, &page(own, "", &words), &[]),
        "german-by-header" if asked.has_language => plain(200, &page(own, "", &words), &[]),
        "german-by-header" => german(own),
        "old-file" => plain(200, &page(own, "", ""), &[("last-modified", "Fri, 01 Aug 2025 10:00:00 GMT")]),
        "snapshot-without-query" if !asked.has_query && asked.is_person => snapshot(&page(own, "", "")),
        "private-app" => plain(200, SHELL, &[("cache-control", "private")]),
        "changing-app" if asked.is_person => changing(own),
        _ => plain(200, SHELL, &[]),
    })
}

/// Returns an app that shows its first visitor a skeleton and later ones the content, whatever the request.
fn changing(own: &str) -> Response<Full<Bytes>> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    match ASKED.fetch_add(1, Ordering::Relaxed) {
        0 => plain(200, SHELL, &[]),
        _ => plain(200, &page(own, "", ""), &[]),
    }
}

/// Returns the page for crawlers.
fn crawlers(asked: &Question<'_>, own: &str) -> Option<Response<Full<Bytes>>> {
    let (host, fault) = (asked.host, asked.fault);
    let text = page(own, "", "");
    let header = |name, value| Some(plain(200, &text, &[TIER, (name, value)]));
    let head = |meta: &str| Some(snapshot(&page(own, meta, "")));
    match fault {
        "noindex-meta" => head("<meta name=robots content='noindex, follow'>"),
        "noindex-header" => header("x-robots-tag", "none"),
        "noindex-googlebot" => head("<meta name=Googlebot content=noindex>"),
        "noindex-googlebot-header" => header("x-robots-tag", "googlebot: noindex"),
        "noindex-otherbot" => head("<meta name=otherbot content=noindex>"),
        "noindex-for-all" => head("<meta name=robots content=noindex>"),
        "text-plain" => header("content-type", "text/plain; charset=utf-8"),
        "octets" => header("content-type", "application/octet-stream"),
        "no-type" => header("content-type", ""),
        "packed-twice" => Some(packed(&gzip(&gzip(text.as_bytes())), Some("gzip"))),
        "packed-silently" => Some(packed(&gzip(text.as_bytes()), None)),
        "not-packed" => Some(packed(text.as_bytes(), Some("gzip"))),
        "packed" => Some(packed(&gzip(text.as_bytes()), Some("gzip"))),
        "notice" => Some(snapshot(NOTICE)),
        "age-gate" => Some(snapshot(AGE)),
        "notice-and-page" => Some(snapshot(&format!("{NOTICE}<h1>Shoes</h1><p>{TEXT}</p>"))),
        "refresh-away" => head("<meta http-equiv=refresh content='0; url=https://elsewhere.test/'>"),
        "refresh-later" => head("<meta http-equiv=Refresh content='30;URL=/login'>"),
        "refresh-itself" => head("<meta http-equiv=refresh content=300>"),
        "error-page" => Some(snapshot(
            "<title>Shop</title><h1>Something went wrong</h1><p>Try again later, or go to the start page.",
        )),
        "bad-gateway-page" => {
            Some(snapshot("<title>502 Bad Gateway</title><center><h1>502 Bad Gateway</h1></center>"))
        }
        "missing-as-page" => Some(snapshot(NOT_THERE)),
        "other-words" => Some(snapshot(&format!("<title>Shop</title><h1>Rivers</h1><p>{RIVERS}</p>"))),
        "half-the-words" => {
            Some(snapshot("<title>Shop</title><h1>Shoes</h1><p>Hand-made shoes of leather and wool</p>"))
        }
        "more-words" => Some(snapshot(&page(own, "", &format!("<p>{TEXT} {ANIMALS}</p><p>{ANIMALS}</p>")))),
        "one-canonical" => Some(snapshot(&page(&format!("https://{host}/"), "", ""))),
        "one-canonical-elsewhere" => Some(snapshot(&page("https://example.test/", "", ""))),
        "one-canonical-header" => {
            let link = format!("<https://{host}/>; rel=\"canonical\"");
            Some(plain(200, &format!("<title>Shop</title>{BODY}<p>{TEXT}</p>"), &[TIER, ("link", &link)]))
        }
        "two-canonicals" => head("<link rel=canonical href=/all>"),
        "german" | "german-by-header" => Some(german(own)),
        "german-declared" => {
            Some(snapshot("<html lang=de-CH><title>Laden</title><h1>Schuhe</h1><p>Schuhe und Stiefel"))
        }
        "old" => header("last-modified", "Fri, 01 Aug 2025 10:00:00 GMT"),
        "old-kept" => header("age", "3500000"),
        "old-file" => Some(plain(200, &text, &[("last-modified", "Fri, 01 Aug 2025 10:00:00 GMT")])),
        "upstream" => Some(plain(502, "<h1>502 Bad Gateway</h1>", &[("server", "nginx")])),
        "upstream-504" => Some(plain(504, "", &[("server", "cloudflare")])),
        "upstream-500" => Some(plain(500, "", &[])),
        "refused-snapshot" => Some(plain(403, "<h1>Forbidden</h1>", &[TIER])),
        "private-app" if !asked.has_query => Some(plain(200, SHELL, &[("cache-control", "private")])),
        "changing-app" => Some(plain(200, &text, &[])),
        "snapshot-without-query" if asked.has_query => Some(plain(200, SHELL, &[])),
        _ if asked.has_query => Some(plain(200, &text, &[("x-service-render-cache", "miss")])),
        _ => Some(snapshot(&text)),
    }
}

const TIER: (&str, &str) = ("x-service-render-cache", "miss");
const BODY: &str =
    "<nav><a href=/>Shop</a> <a href=/shoes/red>Red shoes</a> <a href=/about>About</a></nav><h1>Shoes</h1>";

fn page(own: &str, head: &str, more: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=en><head><title>Shop</title><link rel=canonical href={own}>{head}</head><body>{BODY}<p>{TEXT}</p>{more}"
    )
}

fn german(own: &str) -> Response<Full<Bytes>> {
    snapshot(&format!(
        "<html lang=de><title>Laden</title><link rel=canonical href={own}><h1>Schuhe</h1><p>{GERMAN}</p>"
    ))
}

fn snapshot(html: &str) -> Response<Full<Bytes>> {
    plain(200, html, &[TIER])
}

fn packed(body: &[u8], encoding: Option<&str>) -> Response<Full<Bytes>> {
    let mut response = Response::builder().header("content-type", "text/html").header(TIER.0, TIER.1);
    if let Some(encoding) = encoding {
        response = response.header("content-encoding", encoding);
    }
    response.body(Full::new(Bytes::copy_from_slice(body))).unwrap()
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}
