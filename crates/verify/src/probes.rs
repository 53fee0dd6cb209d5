//! Questions that a verification asks a site: the page as crawler and person in turns, as the service's own browser, with a
//! query, an address that does not exist, an asset, HEAD, robots.txt, another page. About fifteen requests, one after the other, in a minute at most.
//! Must never connect but through the guarded fetcher, and never follow a redirect to another site.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use audit_engine::page::{Directives, Provenance, scan};
use bytes::Bytes;
use crawler::fetch::{Phase, TimeLimits};
use crawler::robots::Robots;
use crawler::{FetchError, FetchRequest, Fetched, Fetcher, Network};
use http::header::{ACCEPT, ACCEPT_LANGUAGE, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use url::Url;

use super::answer::{
    NoAnswer, Observations, QueryAnswer, SiteAnswer, SiteProbeReply, SlowAfter, are_on_one_domain,
    has_turned, languages, says_html,
};
use super::encoding::{OTHERWISE_COMPRESSED, fault_of, is_undecodable};
use super::findings::judge;
use super::model::{SiteReport, VerifyError, VerifyTarget};
use super::page::PageContent;
use super::reason::reason_of;
use domains::connection::mark::ProbeMarks;
use domains::names;
use platform::api::header_names::{PROBE, SEC_FETCH_DEST, SEC_FETCH_MODE, SEC_FETCH_SITE};
use platform::api::rate_limit_state::WINDOW;
use platform::clock::Clock;
use platform::limits::{SharedWindow, SharedWindows};
use platform::secret::Secrets;

/// User agent of a person's browser.
const PERSON: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
/// User agent of the browsers that render.
const SERVICE: &str = concat!(
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Glasshouse/",
    env!("CARGO_PKG_VERSION")
);
/// Time limit of one question.
const QUESTION: Duration = Duration::from_secs(15);
/// Time limit of all questions.
const ALL_QUESTIONS: Duration = Duration::from_secs(60);
/// Bytes of an answer that are read.
const MAX_BODY_BYTES: u64 = 4 << 20;
/// Redirects that are followed for one question.
pub(super) const MAX_REDIRECTS: usize = 10;
/// Link previews give up after about ten seconds, and search engines crawl slow sites less.
const SLOW: SlowAfter = SlowAfter { first: Duration::from_secs(10), second: Duration::from_secs(3) };

/// Age up to which a snapshot is fresh, unless its domain renews snapshots less often.
const FRESH: Duration = Duration::from_secs(30 * 24 * 3600);
const ROBOTS_TXT: &str = "/robots.txt";
/// Requests an hour to a site that no check has proven, of all verifications of all accounts together: its server may be
/// somebody else's.
const UNPROVEN_PER_HOUR: u32 = 60;

/// Asks sites. Cheap to clone.
#[derive(Clone)]
pub struct SiteVerifier {
    fetcher: Fetcher,
    slow_after: SlowAfter,
    /// Counts of questions to sites that no check has proven. None: of a command.
    limits: Option<SharedWindows>,
    /// Marks of questions, so that the installation they come back to counts no visits. None: of a command.
    marks: Option<(ProbeMarks, Clock)>,
}

/// Client that a question comes from.
#[derive(Debug, Clone, Copy)]
enum Client<'a> {
    Crawler(&'a str),
    Person,
    /// A person whose browser states no language.
    PersonOfAnyLanguage,
    Service,
}

impl SiteVerifier {
    /// Asks through the guarded way out.
    pub fn new(network: &Network) -> SiteVerifier {
        let user_agent = HeaderValue::from_static(SERVICE);
        let fetcher = Fetcher::new(network.clone(), crawler::tls::client_config(), user_agent);
        SiteVerifier { fetcher, slow_after: SLOW, limits: None, marks: None }
    }

    /// Returns the verifier with this installation's mark on every request.
    pub fn marked(self, secrets: &Secrets, clock: &Clock) -> SiteVerifier {
        SiteVerifier { marks: Some((ProbeMarks::new(secrets), clock.clone())), ..self }
    }

    /// Adds a limit on questions to sites that no check has proven.
    pub fn limited(self, limits: &SharedWindows) -> SiteVerifier {
        SiteVerifier { limits: Some(limits.clone()), ..self }
    }

    #[cfg(test)]
    pub(super) fn with_limits(network: &Network, slow_after: SlowAfter) -> SiteVerifier {
        SiteVerifier { slow_after, ..SiteVerifier::new(network) }
    }

    /// Asks a site everything and judges what it answered. Fails when neither crawler nor person got an answer, and when the
    /// site must not be asked so often.
    pub async fn verify(&self, target: &VerifyTarget) -> Result<SiteReport, VerifyError> {
        let questions = Questions {
            verifier: self,
            ends: Instant::now() + ALL_QUESTIONS,
            agent: target.crawler.entry.robots_names().next().unwrap_or(&target.crawler.name),
            limit: self.limits.as_ref().filter(|_| target.is_unproven).zip(Some(hourly_limit(&target.url))),
            asked_too_often: OnceLock::new(),
        };
        let observed = self.observe(&questions, target).await;
        match questions.asked_too_often.get() {
            // Answers that are missing for this say nothing of the site.
            Some(resets_in) => Err(VerifyError::AskedTooOften { resets_in: *resets_in }),
            None => Ok(judge(&observed?)),
        }
    }

    async fn observe(
        &self,
        questions: &Questions<'_>,
        target: &VerifyTarget,
    ) -> Result<Observations, VerifyError> {
        let crawler = Client::Crawler(&target.crawler.user_agent);
        let mut url = &target.url;
        let mut first_crawler = questions.get(url, crawler).await;
        let mut first_person = questions.get(url, Client::Person).await;
        if let (Err(_), Err(none)) = (&first_crawler, &first_person) {
            let failed = VerifyError::NothingAnswered { url: url.clone(), reason: none.reason.clone() };
            url = target.otherwise.as_ref().ok_or_else(|| failed.clone())?;
            first_crawler = questions.get(url, crawler).await;
            first_person = questions.get(url, Client::Person).await;
            if first_crawler.is_err() && first_person.is_err() {
                return Err(failed);
            }
        }
        let crawlers = [first_crawler, questions.get(url, crawler).await];
        let people = [first_person, questions.get(url, Client::Person).await];
        let found = |part: fn(&PageContent) -> &Option<Url>, asked: &[SiteProbeReply; 2]| {
            asked.iter().rev().find_map(|asked| part(asked.as_ref().ok()?.page.as_ref()?).clone())
        };
        let asset = found(|page| &page.asset, &people);
        let other_page =
            found(|page| &page.other_page, &crawlers).or_else(|| found(|page| &page.other_page, &people));
        let query = match with_new_query(url, target) {
            Some((asked, sent)) => Some(QueryAnswer { sent, answer: questions.get(&asked, crawler).await }),
            None => None,
        };
        let service = questions.get(url, Client::Service).await;
        let is_snapshot = |asked: &SiteProbeReply| asked.as_ref().is_ok_and(SiteAnswer::is_snapshot);
        let is_mixed_up = people.iter().chain([&service]).any(is_snapshot) || has_turned(&people, &crawlers);
        let fresh_person = match with_new_query(url, target).filter(|_| is_mixed_up) {
            Some((asked, _)) => Some(questions.get(&asked, Client::Person).await),
            None => None,
        };
        let speak_alike = languages(&crawlers, &people).is_none();
        Ok(Observations {
            url: url.clone(),
            crawler: target.crawler.clone(),
            expects: target.expects,
            slow_after: self.slow_after,
            fresh_for: FRESH.max(target.refresh_interval * 2),
            crawlers,
            people,
            fresh_person,
            any_language: match speak_alike {
                true => None,
                false => Some(questions.get(url, Client::PersonOfAnyLanguage).await),
            },
            service,
            query,
            missing: questions.get(&missing_address(url), crawler).await,
            asset: questions.get_some(asset, crawler).await,
            head: questions.ask(Method::HEAD, url, crawler).await,
            robots: questions.get(&robots_address(url), crawler).await,
            other_page: questions.get_some(other_page, crawler).await,
        })
    }
}

/// The questions of one verification, which end together.
struct Questions<'a> {
    verifier: &'a SiteVerifier,
    ends: Instant,
    /// Name of the crawler in robots metas.
    agent: &'a str,
    /// Limit that every question counts towards.
    limit: Option<(&'a SharedWindows, SharedWindow)>,
    /// Time until the limit starts again, once it has refused a question.
    asked_too_often: OnceLock<Duration>,
}

impl Questions<'_> {
    async fn get(&self, url: &Url, client: Client<'_>) -> SiteProbeReply {
        self.ask(Method::GET, url, client).await
    }

    async fn get_some(&self, url: Option<Url>, client: Client<'_>) -> Option<SiteProbeReply> {
        match url {
            Some(url) => Some(self.get(&url, client).await),
            None => None,
        }
    }

    /// Asks, and follows redirects as long as they stay on the site.
    async fn ask(&self, method: Method, url: &Url, client: Client<'_>) -> SiteProbeReply {
        let started = Instant::now();
        let ends = self.ends.min(started + QUESTION);
        let (mut at, mut redirects) = (url.clone(), Vec::new());
        loop {
            let fetched = self.fetch(method.clone(), &at, client, ends).await?;
            let next = redirect_target(&at, &fetched);
            let leaves_to = next.clone().filter(|next| !are_on_one_domain(&at, next));
            let returns = next.as_ref().is_some_and(|next| *next == at || redirects.contains(next));
            let is_looping = returns || (next.is_some() && redirects.len() >= MAX_REDIRECTS);
            match next {
                Some(next) if leaves_to.is_none() && !is_looping => {
                    redirects.push(std::mem::replace(&mut at, next));
                }
                _ => {
                    let mut answer = self.read_answer(at, fetched).await?;
                    (answer.leaves_to, answer.is_looping, answer.redirects) =
                        (leaves_to, is_looping, redirects);
                    answer.took = started.elapsed();
                    return Ok(answer);
                }
            }
        }
    }

    /// Counts a question; refuses it when the site was asked too often.
    async fn count(&self) -> Result<(), NoAnswer> {
        let Some((limits, window)) = &self.limit else { return Ok(()) };
        let resets_in = match limits.take(std::slice::from_ref(window)).await {
            Ok(standing) if standing.allowed => return Ok(()),
            Ok(standing) => standing.reset,
            Err(error) => {
                tracing::warn!(error = %error, "questions to a site could not be counted");
                WINDOW
            }
        };
        let _ = self.asked_too_often.set(resets_in);
        Err(NoAnswer { reason: "it was asked too often".to_owned(), is_timeout: false, is_encoding: false })
    }

    async fn fetch(
        &self,
        method: Method,
        url: &Url,
        client: Client<'_>,
        ends: Instant,
    ) -> Result<Fetched, NoAnswer> {
        let left = ends.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(no_answer(FetchError::Timeout(Phase::Total)));
        }
        self.count().await?;
        let mut headers = headers_of(client);
        if let (Some((marks, clock)), Some(host)) = (&self.verifier.marks, url.host_str()) {
            headers.insert(PROBE, marks.issue(host, clock.now()));
        }
        let request = FetchRequest {
            method,
            headers,
            // Redirects are followed here, where each of them is looked at.
            stay_on: Some(Vec::new()),
            max_body_bytes: MAX_BODY_BYTES,
            time_limits: TimeLimits { connect: left, headers: left, total: left },
            ..FetchRequest::get(url.clone())
        };
        self.verifier.fetcher.fetch(request).await.map_err(no_answer)
    }

    async fn read_answer(&self, url: Url, fetched: Fetched) -> SiteProbeReply {
        let Fetched { status, headers, body, .. } = fetched;
        let (bytes, unreadable) = match body.up_to_limit().await {
            Ok(body) => {
                let fault = if says_html(&headers) { fault_of(&body, &headers) } else { None };
                (body.bytes, fault)
            }
            Err(error) if is_undecodable(&error, &headers) => (Bytes::new(), Some(OTHERWISE_COMPRESSED)),
            Err(error) => return Err(no_answer(error)),
        };
        let has_page = says_html(&headers) && !bytes.is_empty() && unreadable.is_none();
        let html = if has_page { String::from_utf8_lossy(&bytes) } else { Cow::Borrowed("") };
        let facts = scan(&html, Provenance::Raw);
        let directives = Directives::for_agent(self.agent, &facts, &headers);
        Ok(SiteAnswer {
            status: status.as_u16(),
            redirects: Vec::new(),
            leaves_to: None,
            is_looping: false,
            page: has_page.then(|| PageContent::of(&facts, &html, &url)),
            unreadable,
            noindex: match (directives.header_noindex(), directives.meta_noindex()) {
                (true, _) => Some("the header `X-Robots-Tag`"),
                (false, true) => Some("a robots `meta`"),
                (false, false) => None,
            },
            robots: (url.path() == ROBOTS_TXT).then(|| Robots::parse(&bytes)),
            took: Duration::ZERO,
            url,
            headers,
        })
    }
}

/// Makes the limit of the site that an address belongs to.
fn hourly_limit(url: &Url) -> SharedWindow {
    let site = names::site(url.host_str().unwrap_or_default());
    SharedWindow::per_hour(&format!("verify:{site}"), UNPROVEN_PER_HOUR)
}

fn redirect_target(from: &Url, fetched: &Fetched) -> Option<Url> {
    if !matches!(fetched.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = fetched.headers.get(LOCATION)?;
    let to = from.join(std::str::from_utf8(location.as_bytes()).ok()?.trim()).ok()?;
    // An address that is none of the web is answered as it stands.
    crawler::url::parse_target(to.as_str(), to.as_str().len()).ok()
}

fn no_answer(error: FetchError) -> NoAnswer {
    let is_timeout = matches!(error, FetchError::Timeout(_));
    let is_encoding = matches!(error, FetchError::Encoding(_));
    NoAnswer { reason: reason_of(&error), is_timeout, is_encoding }
}

fn headers_of(client: Client<'_>) -> HeaderMap {
    let agent = match client {
        Client::Crawler(agent) => {
            HeaderValue::from_str(agent).expect("user agents of crawlers are plain text")
        }
        Client::Person | Client::PersonOfAnyLanguage => HeaderValue::from_static(PERSON),
        Client::Service => HeaderValue::from_static(SERVICE),
    };
    let mut headers = HeaderMap::from_iter([
        (USER_AGENT, agent),
        (ACCEPT, HeaderValue::from_static("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")),
    ]);
    if !matches!(client, Client::Crawler(_)) {
        let browser: [(HeaderName, &'static str); 5] = [
            (ACCEPT_LANGUAGE, "en-US,en;q=0.9"),
            (SEC_FETCH_DEST, "document"),
            (SEC_FETCH_MODE, "navigate"),
            (SEC_FETCH_SITE, "none"),
            (HeaderName::from_static("upgrade-insecure-requests"), "1"),
        ];
        headers.extend(browser.map(|(name, value)| (name, HeaderValue::from_static(value))));
    }
    if matches!(client, Client::PersonOfAnyLanguage) {
        headers.remove(ACCEPT_LANGUAGE);
    }
    headers
}

/// Returns the page's address with a query that nobody has asked before, and that query; none where the domain ignores all.
fn with_new_query(url: &Url, target: &VerifyTarget) -> Option<(Url, String)> {
    let name = match &target.query_parameters {
        None => "glasshouse-verify",
        Some(names) => names.iter().find(|name| !name.is_empty())?,
    };
    let mut url = url.clone();
    let value = random();
    url.query_pairs_mut().append_pair(name, &value);
    let sent = url.query()?.rsplit('&').next()?.to_owned();
    Some((url, sent))
}

fn missing_address(url: &Url) -> Url {
    let mut missing = url.clone();
    missing.set_path(&format!("/glasshouse-verify-{}", random()));
    missing.set_query(None);
    missing
}

fn robots_address(url: &Url) -> Url {
    let mut robots = url.clone();
    robots.set_path(ROBOTS_TXT);
    robots.set_query(None);
    robots
}

fn random() -> String {
    let bytes: [u8; 8] = platform::secret::random();
    hex::encode(bytes)
}
