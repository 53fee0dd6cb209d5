//! A site in a text: the answers of a small server, for tests and for the examples of the catalogue.
//!
//! ```text
//! GET /path 301          status 200 when there is none; `fails`, `timeout` and `nowhere` are no answer; `GET *` is the rest
//! location: /b           headers; `:ttfb 900` is the time to the first byte
//!                        an empty line after headers
//! <p>body                `{word *3}` is repeated; # in it is the number of the copy
//! BOT GPTBot 403         what the server answers a crawler for any address
//! SNAPSHOT /path         what crawlers get of it; `:days 3` is its age; `SNAPSHOT /path 302`
//! CERTIFICATE 10         days until the certificate ends
//! PREVIOUS /path 1769…   the sitemap's date in the run before, whose text was another one
//! RENDER /path           what a browser makes of it; `:error …`, `:exception …`, `:redirect …`, `:ready 6000`, `:timeout`,
//!                        `:load address status` (0: none), `:lazy address`, `:words before after`, `:clicks address …`
//! LIMIT 5                pages after which the audit ends
//! ```

use std::collections::HashMap;
use std::sync::LazyLock;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::HeaderMap;
use regex::{Captures, Regex};
use url::Url;

use crate::checks::CheckId;
use crate::engine::{Audit, AuditOptions, LinkEntry, PreviousPage, audit};
use crate::source::{
    AuditFetch, FetchFailure, LoadedResource, NoResponseCause, PageSource, RenderedDocument, Response,
    SnapshotLookup, StoredPage,
};

const ROOT: &str = "https://site.example/";
const DAY_MS: i64 = 86_400_000;
const VERBS: &[&str] =
    &["GET ", "RENDER ", "LIMIT ", "BOT ", "SNAPSHOT ", "CERTIFICATE ", "PREVIOUS ", "PERSON "];

/// The answers of a listing.
pub struct Listing {
    seed: Url,
    limit: Option<usize>,
    answers: HashMap<String, Result<Response, FetchFailure>>,
    renders: HashMap<String, RenderedDocument>,
    bots: HashMap<String, u16>,
    /// Responses that browsers get instead.
    people: HashMap<String, Result<Response, FetchFailure>>,
    snapshots: HashMap<String, StoredPage>,
    certificate_days: Option<i64>,
    previous: HashMap<String, PreviousPage>,
}

static REPEAT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\{([^{}*]+)\*(\d+)\}").unwrap());

fn expand(text: &str) -> String {
    let repeat = |parts: &Captures| -> String {
        (0..parts[2].parse::<usize>().unwrap())
            .map(|number| parts[1].replace('#', &number.to_string()))
            .collect()
    };
    REPEAT.replace_all(text, repeat).into_owned()
}

impl Listing {
    /// Reads a listing; a text without one is the document of the start page.
    pub fn read(text: &str) -> Listing {
        let text = if VERBS.iter().any(|verb| text.starts_with(verb)) {
            text.to_owned()
        } else {
            format!("GET /\n\n{text}")
        };
        let mut listing = Listing {
            seed: Url::parse(ROOT).unwrap(),
            limit: None,
            answers: HashMap::new(),
            renders: HashMap::new(),
            bots: HashMap::new(),
            people: HashMap::new(),
            snapshots: HashMap::new(),
            certificate_days: None,
            previous: HashMap::new(),
        };
        let mut blocks: Vec<String> = Vec::new();
        for line in text.split_inclusive('\n') {
            let begins = VERBS.iter().any(|verb| line.starts_with(verb));
            if begins { blocks.push(line.to_owned()) } else { blocks.last_mut().unwrap().push_str(line) }
        }
        for block in &blocks {
            listing.add(&expand(block));
        }
        listing
    }

    fn add(&mut self, block: &str) {
        let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
        let mut words = first.split(' ');
        let (verb, target, outcome) =
            (words.next().unwrap(), words.next().unwrap(), words.next().unwrap_or("200"));
        match verb {
            "LIMIT" => {
                self.limit = Some(target.parse().unwrap());
                return;
            }
            "CERTIFICATE" => {
                self.certificate_days = Some(target.parse().unwrap());
                return;
            }
            "BOT" => {
                self.bots.insert(target.to_owned(), outcome.trim().parse().unwrap());
                return;
            }
            "PREVIOUS" => {
                let page = PreviousPage { lastmod: outcome.trim().parse().ok(), content_hash: String::new() };
                self.previous.insert(target.to_owned(), page);
                return;
            }
            _ => {}
        }
        let outcome = if outcome.is_empty() { "200" } else { outcome };
        if target.starts_with("http://") && self.answers.is_empty() {
            self.seed = Url::parse(target).unwrap();
        }
        let is_header = |line: &str| {
            line.starts_with(':')
                || line.split_once(": ").is_some_and(|(name, _)| !name.contains(['<', ' ', '{']))
        };
        let has_headers = rest.lines().next().is_some_and(is_header);
        let (head, body) = match rest.split_once("\n\n") {
            Some((head, body)) if has_headers => (head, body),
            _ if has_headers => (rest, ""),
            _ => ("", rest.strip_prefix('\n').unwrap_or(rest)),
        };
        let body = body.strip_suffix('\n').unwrap_or(body);
        let url = if target == "*" {
            "*".to_owned()
        } else {
            Url::parse(ROOT).unwrap().join(target).unwrap().to_string()
        };
        if verb == "SNAPSHOT" {
            let mut stored = StoredPage {
                status: outcome.parse().unwrap(),
                html: body.to_owned(),
                headers: HeaderMap::new(),
                made_at_ms: self.now_ms(),
                refresh_interval_ms: DAY_MS,
            };
            for line in head.lines() {
                match line.strip_prefix(":days ") {
                    Some(days) => stored.made_at_ms -= days.trim().parse::<i64>().unwrap() * DAY_MS,
                    None => add_header(&mut stored.headers, line),
                }
            }
            self.snapshots.insert(url, stored);
        } else if verb == "RENDER" {
            self.renders.insert(url, rendered(head, body));
        } else if verb == "PERSON" {
            self.people.insert(url, answer(outcome, head, body));
        } else {
            self.answers.insert(url, answer(outcome, head, body));
        }
    }

    /// Returns the site's address.
    pub fn seed(&self) -> &Url {
        &self.seed
    }
}

fn answer(outcome: &str, head: &str, body: &str) -> Result<Response, FetchFailure> {
    match outcome {
        "timeout" => return Err(FetchFailure::Timeout("timeout".to_owned())),
        "nowhere" => return Err(FetchFailure::NoSuchHost("no such host".to_owned())),
        "fails" => {
            return Err(FetchFailure::NoResponse(NoResponseCause::Tcp, "connection refused".to_owned()));
        }
        _ => {}
    }
    let mut response = Response {
        status: outcome.parse().unwrap(),
        body: Bytes::from(body.to_owned()),
        ..Response::default()
    };
    response.headers.insert("content-type", "text/html; charset=utf-8".parse().unwrap());
    for line in head.lines() {
        match line.strip_prefix(":ttfb ") {
            Some(ms) => response.ttfb_ms = ms.parse().unwrap(),
            None => add_header(&mut response.headers, line),
        }
    }
    Ok(response)
}

fn add_header(headers: &mut HeaderMap, line: &str) {
    let (name, value) = line.split_once(": ").unwrap();
    let name: http::HeaderName = name.parse().unwrap();
    headers.insert(name, value.parse().unwrap());
}

fn rendered(head: &str, body: &str) -> RenderedDocument {
    let mut page = RenderedDocument { html: body.to_owned(), ready_ms: 500, ..RenderedDocument::default() };
    for line in head.lines() {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        match name {
            ":error" => page.errors.push(value.to_owned()),
            ":exception" => page.exceptions.push(value.to_owned()),
            ":redirect" => page.redirected_to = Some(Url::parse(value).unwrap()),
            ":ready" => page.ready_ms = value.parse().unwrap(),
            ":timeout" => page.timed_out = true,
            ":load" => {
                let (url, status) = value.split_once(' ').unwrap();
                let (url, status) = (url.to_owned(), status.parse().unwrap());
                let is_complete = status != 0;
                page.loaded.get_or_insert_default().push(LoadedResource { url, status, is_complete });
            }
            ":lazy" => page.lazy_picture = Some(value.to_owned()),
            ":words" => {
                let (before, after) = value.split_once(' ').unwrap();
                page.scrolled_words = Some((before.parse().unwrap(), after.parse().unwrap()));
            }
            ":clicks" => {
                page.click_targets = value.split(' ').map(str::to_owned).collect();
                page.click_links = page.click_targets.len();
            }
            _ => panic!("{line}"),
        }
    }
    page
}

impl PageSource for Listing {
    fn fetch(&self, request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
        Box::pin(async move {
            let found = self.answers.get(request.url.as_str()).or_else(|| self.answers.get("*")).cloned();
            let mut answer = found.unwrap_or_else(|| Ok(Response { status: 404, ..Response::default() }))?;
            answer.is_cut = answer.body.len() > request.max_bytes;
            answer.body.truncate(request.max_bytes);
            Ok(answer)
        })
    }

    fn render<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>> {
        Box::pin(async move { self.renders.get(url.as_str()).or_else(|| self.renders.get("*")).cloned() })
    }

    fn probe(&self, request: AuditFetch) -> BoxFuture<'_, Option<Result<Response, FetchFailure>>> {
        Box::pin(async move {
            let answer = self.answers.get(request.url.as_str());
            let Some(agent) = request.user_agent else { return answer.cloned() };
            let persons = self.people.get(request.url.as_str());
            if let Some(persons) =
                persons.filter(|_| agent.contains("Chrome") && !agent.contains("compatible"))
            {
                return Some(persons.clone());
            }
            if self.bots.is_empty() {
                return None;
            }
            match self.bots.iter().find(|(bot, _)| agent.contains(bot.as_str())) {
                Some((_, 200)) | None => answer.cloned(),
                Some((_, status)) => Some(Ok(Response { status: *status, ..Response::default() })),
            }
        })
    }

    fn snapshot<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, SnapshotLookup> {
        Box::pin(async move {
            match self.snapshots.get(url.as_str()) {
                Some(stored) => SnapshotLookup::Found(stored.clone()),
                None if self.snapshots.is_empty() => SnapshotLookup::Unknown,
                None => SnapshotLookup::Missing,
            }
        })
    }

    fn certificate_end_ms<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Option<i64>> {
        Box::pin(async move { Some(self.now_ms() + self.certificate_days? * DAY_MS) })
    }

    fn now_ms(&self) -> i64 {
        1_795_000_000_000
    }
}

/// Audits a listing with every check there is.
pub async fn audit_listing(text: &str) -> Audit {
    audit_with(text, |_| {}).await
}

/// Audits a site with changed options.
pub async fn audit_with(text: &str, change: impl FnOnce(&mut AuditOptions)) -> Audit {
    let listing = Listing::read(text);
    let mut options = AuditOptions::follow(listing.seed().clone());
    options.checks = CheckId::all().collect();
    options.previous = listing.previous.clone();
    options.max_pages = listing.limit.unwrap_or(options.max_pages);
    options.concurrency = 1;
    change(&mut options);
    audit(&listing, &options, &mut |_| {}).await
}

/// Returns the ids of the findings on a row.
pub fn findings_of(audit: &Audit, path: &str) -> Vec<&'static str> {
    let row = audit.rows().find(|row| row.page.path == path).unwrap();
    row.page.issues.iter().map(|issue| issue.issue_id).collect()
}

/// Returns the links of all pages.
pub fn links_of(audit: &Audit) -> Vec<LinkEntry<'_>> {
    audit.names_from(0).flat_map(|names| names.links).collect()
}
