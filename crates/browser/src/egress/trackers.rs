//! Hosts of trackers, which are not requested, and substitutes for their scripts: pages render as for visitors who allow trackers.
//! Used by the proxy. Must never substitute a document, nor resources of the page's own site.
//! See docs/decisions/0220.

use std::collections::HashSet;
use std::sync::LazyLock;

use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD,
    CACHE_CONTROL, CONTENT_TYPE, HeaderName, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderValue, Response};
use http_body_util::{BodyExt, Full};

use super::forward::Body;

/// Substitute script. Its argument is the list of globals.
const STAND_IN: &str = include_str!("../../data/stand_in.js");
/// Caching for the lifetime of a warm tab.
const FRESH: HeaderValue = HeaderValue::from_static("max-age=600");

static HOSTS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| lines(include_str!("../../data/trackers.txt")).collect());
static STAND_INS: LazyLock<Vec<StandIn>> =
    LazyLock::new(|| lines(include_str!("../../data/stand_ins.txt")).map(StandIn::read).collect());

/// Substitute for one script or for all scripts of a host.
struct StandIn {
    host: &'static str,
    /// File name of the script; `None`: any.
    file: Option<&'static str>,
    script: Bytes,
}

impl StandIn {
    /// Parses a line of the list: host, file, and globals with their kinds.
    fn read(line: &'static str) -> StandIn {
        let mut words = line.split_whitespace();
        let host = words.next().unwrap_or_default();
        let file = words.next().filter(|file| *file != "*");
        let globals: Vec<(&str, &str)> = words.filter_map(|global| global.split_once(':')).collect();
        let globals = serde_json::to_string(&globals).expect("pairs of words always serialise");
        let script = format!("{}({globals});", STAND_IN.trim_end());
        StandIn { host, file, script: script.into() }
    }
}

fn lines(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Returns the listed host that equals `host` or is a parent domain of it.
pub(super) fn tracker_of(host: &str) -> Option<&'static str> {
    let host = host.to_ascii_lowercase();
    let parents = std::iter::successors(Some(host.as_str()), |name| Some(name.split_once('.')?.1));
    parents.into_iter().find_map(|name| HOSTS.get(name).copied())
}

/// Returns the substitute response of a tracker; `None` for a document, which is requested.
pub(super) fn stand_in(tracker: &str, path: &str, request: &HeaderMap) -> Option<Response<Body>> {
    // Sent with every https request. A plain request is taken to be for a script.
    let destination = request.get("sec-fetch-dest").and_then(|value| value.to_str().ok()).unwrap_or("script");
    let (kind, body) = match destination {
        "document" => return None,
        "script" => ("text/javascript", script_for(tracker, path)),
        "iframe" | "frame" | "embed" | "object" => ("text/html", Bytes::new()),
        "style" => ("text/css", Bytes::new()),
        // Requested by a script. Most scripts parse such a response as JSON.
        "empty" => ("application/json", Bytes::from_static(b"{}")),
        _ => ("text/plain", Bytes::new()),
    };
    let mut response = Response::new(Full::new(body).map_err(|never| match never {}).boxed_unsync());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, FRESH);
    // The cached response to a fetch must not be used for a script.
    headers.insert(VARY, HeaderValue::from_static("sec-fetch-dest, origin"));
    headers.insert(HeaderName::from_static("timing-allow-origin"), HeaderValue::from_static("*"));
    let everybody = HeaderValue::from_static("cross-origin");
    headers.insert(HeaderName::from_static("cross-origin-resource-policy"), everybody);
    let granted = [
        (ORIGIN, ACCESS_CONTROL_ALLOW_ORIGIN),
        (ACCESS_CONTROL_REQUEST_METHOD, ACCESS_CONTROL_ALLOW_METHODS),
        (ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_ALLOW_HEADERS),
    ];
    for (asked, granted) in granted {
        if let Some(value) = request.get(asked) {
            headers.insert(granted, value.clone());
        }
    }
    headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    Some(response)
}

fn script_for(tracker: &str, path: &str) -> Bytes {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    let is_it = |one: &&StandIn| one.host == tracker && one.file.is_none_or(|wanted| wanted == file);
    STAND_INS.iter().find(is_it).map(|one| one.script.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(tracker: &str, path: &str) -> String {
        String::from_utf8(script_for(tracker, path).to_vec()).unwrap()
    }

    #[test]
    fn the_list_of_trackers_is_sorted_and_names_hosts() {
        let hosts: Vec<_> = lines(include_str!("../../data/trackers.txt")).collect();

        assert!(hosts.len() > 50 && hosts.is_sorted());
        assert!(hosts.iter().all(|host| host.contains('.') && !host.contains(['/', '*', ' '])));
    }

    #[test]
    fn every_substitute_is_of_a_listed_host_and_has_globals_of_known_kinds() {
        for line in lines(include_str!("../../data/stand_ins.txt")) {
            let words: Vec<&str> = line.split_whitespace().collect();

            assert!(HOSTS.contains(words[0]) && words.len() > 2, "{line}");
            for global in &words[2..] {
                let (kind, name) = global.split_once(':').unwrap();
                assert!(STAND_IN.contains(&format!("    {kind}(name) {{")) && !name.is_empty(), "{line}");
            }
        }
    }

    #[test]
    fn subdomains_of_a_listed_host_are_trackers_and_hosts_with_the_same_ending_are_not() {
        assert_eq!(tracker_of("www.Google-Analytics.com"), Some("google-analytics.com"));
        assert_eq!(tracker_of("google-analytics.com"), Some("google-analytics.com"));
        assert_eq!(tracker_of("not-google-analytics.com"), None);
        assert_eq!(tracker_of("com"), None);
    }

    #[test]
    fn a_script_is_substituted_by_its_file_name_and_an_unknown_one_is_empty() {
        assert!(text("google-analytics.com", "/analytics.js?v=1").ends_with("})([[\"call\",\"ga\"]]);"));
        assert!(text("google-analytics.com", "/ga.js").contains("[\"queue\",\"_gaq\"]"));
        assert!(text("googletagmanager.com", "/gtag/js?id=G-1").contains("\"dataLayer\""));
        assert_eq!(text("google-analytics.com", "/plugins/ua/ec.js"), "");
    }

    #[test]
    fn substitutes_are_readable_across_origins_and_documents_are_not_substituted() {
        let ask = |destination: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert("sec-fetch-dest", HeaderValue::from_static(destination));
            headers.insert(ORIGIN, HeaderValue::from_static("https://shop.test"));
            headers
        };

        let answer = stand_in("hotjar.com", "/x", &ask("empty")).unwrap();

        assert_eq!(answer.headers()[ACCESS_CONTROL_ALLOW_ORIGIN], "https://shop.test");
        assert_eq!(answer.headers()[VARY], "sec-fetch-dest, origin");
        assert!(stand_in("hotjar.com", "/pricing", &ask("document")).is_none());
    }
}
