//! Enforcement of a domain's crawler policy: refuses requests of crawlers, and counts refusals. Used by the render endpoint and
//! the edge. `domains::crawler_policy` decides which rule applies to a request.
//! Must never refuse people, the service's own requests, root files, or requests that are not for a page. A database or
//! robots.txt that cannot be read refuses nobody. See docs/decisions/0500.

use std::sync::Arc;
use std::time::Duration;

use cache::Cache;
use crawler::robots::Robots;
use crawler::url::escaped_fragment;
use url::Position;

use super::decide::is_for_page;
use super::model::{PolicyRefusal, RenderCall};
use super::parts::RenderParts;
use super::root_files::RootFileAnswers;
use analytics::policy::{RefusalKey, counted_crawler, subject_of};
use analytics::{Crawler, CrawlerIndex, Recorder, Verified};
use domains::crawler_policy::{PolicyRule, PolicySet};
use domains::origin::{OriginClient, RobotsAnswer};
use domains::{DomainsService, PolicyAction, PolicyMode, Site};
use platform::Platform;
use platform::clock::{Clock, Timestamp};
use platform::limits::{SharedWindow, SharedWindows};

/// Time after which the rules of a robots.txt are read again.
const ROBOTS_FOR: Duration = Duration::from_secs(60);
/// Maximum number of sites whose robots.txt is cached.
const REMEMBERED_ROBOTS: u64 = 10_000;

/// Enforcement of the policies of all domains.
pub struct CrawlerPolicies {
    limits: SharedWindows,
    robots: RobotsOfSites,
    root_files: RootFileAnswers,
    recorder: Recorder,
    clock: Clock,
}

/// Part of a policy that may refuse a request.
struct FoundRule<'a> {
    policy: &'a PolicySet,
    crawler: &'static Crawler,
    /// None: no rule matches, and robots.txt decides.
    rule: Option<&'a PolicyRule>,
}

impl CrawlerPolicies {
    pub(super) fn new(
        platform: &Platform,
        left: &RenderParts<'_>,
        root_files: RootFileAnswers,
    ) -> CrawlerPolicies {
        CrawlerPolicies {
            limits: SharedWindows::new(&platform.db, &platform.clock),
            robots: RobotsOfSites::new(platform, left.domains, left.origins),
            root_files,
            recorder: left.recorder.clone(),
            clock: platform.clock.clone(),
        }
    }

    /// Returns the refusal of a request. None: the request is admitted. Counts refusals, also those that a policy in mode `log`
    /// would make.
    pub async fn refuse(&self, call: &RenderCall<'_>) -> Option<PolicyRefusal> {
        // Only what may be refused is boxed: the future is large, and making it for every request took a third of an answer's time.
        Box::pin(self.apply(call, find_rule(call)?)).await
    }

    /// Applies what may refuse a request: root files are admitted, robots.txt is read, and requests are counted.
    async fn apply(&self, call: &RenderCall<'_>, found: FoundRule<'_>) -> Option<PolicyRefusal> {
        let FoundRule { policy, crawler, rule } = found;
        if self.root_files.find(call.site, call.target).await.is_some() {
            return None;
        }
        let action = match rule {
            Some(rule) => rule.action,
            None if self.is_forbidden_by_robots(call, crawler).await => PolicyAction::Block,
            None => return None,
        };
        let counted = counted_crawler(crawler, call.verified);
        let retry_after = match action {
            PolicyAction::Limit => Some(self.used_up(call.site, counted, rule?.per_minute?).await?),
            _ => None,
        };
        let is_enforced = policy.mode == PolicyMode::Enforce;
        self.recorder.record_refusal(RefusalKey {
            domain: call.site.domain.id.clone(),
            day: analytics::model::day_of(self.clock.now()),
            crawler: counted.into(),
            action,
            enforced: is_enforced,
        });
        let text = rule.and_then(|rule| rule.text.clone()).filter(|text| !text.trim().is_empty());
        let text = text.unwrap_or_else(|| action.default_text().to_owned());
        is_enforced.then_some(PolicyRefusal { action, text, retry_after })
    }

    /// Counts a request of a rate-limited crawler. Returns the time until the next request is admitted; none: this one is.
    async fn used_up(&self, site: &Site, crawler: &str, per_minute: u32) -> Option<Duration> {
        // Another limit is another window, so that a changed limit applies at once.
        let name = format!("policy:{}:{crawler}:{per_minute}", site.domain.id);
        match self.limits.take(&[SharedWindow::per_minute(name, per_minute)]).await {
            Ok(standing) => (!standing.allowed).then_some(standing.reset),
            Err(error) => {
                tracing::warn!(%error, domain = %site.domain.host, "a crawler's requests could not be counted");
                None
            }
        }
    }

    async fn is_forbidden_by_robots(&self, call: &RenderCall<'_>, crawler: &Crawler) -> bool {
        let robots = self.robots.of(call.site).await;
        let path = &call.target[Position::BeforePath..Position::AfterQuery];
        crawler.name_in(&robots.rules).is_some_and(|name| !robots.rules.decide(name, path).is_allowed)
    }
}

/// Finds what may refuse a request, without waiting. None: the request is admitted.
fn find_rule<'a>(call: &'a RenderCall<'_>) -> Option<FoundRule<'a>> {
    let policy = call.site.policy(call.target)?;
    let crawler = crawler_of(call).filter(|_| !call.is_probe && is_for_page(call.target, &call.facts))?;
    let subject = subject_of(crawler, call.verified);
    let rule = policy.find(&subject, call.target).map(|(_, rule)| rule);
    let may_refuse = match rule {
        Some(rule) => rule.action != PolicyAction::Allow,
        None => policy.obey_robots_txt && !subject.is_search_engine(),
    };
    may_refuse.then_some(FoundRule { policy, crawler, rule })
}

/// Returns the crawler that a request is from. None: the request is a person's, or the customer's own.
fn crawler_of(call: &RenderCall<'_>) -> Option<&'static Crawler> {
    let is_crawlers = || call.facts.is_crawler || escaped_fragment(call.target).is_some();
    call.crawler.or_else(|| is_crawlers().then(|| CrawlerIndex::shared().unknown()))
}

/// Decides whether no rule can refuse requests like this one, verified or not: the policy need not be checked for each.
pub(super) fn is_never_refused(call: &RenderCall<'_>) -> bool {
    // A prepared response is for everybody, also where a request of our own prepared it.
    let is_let_in = |verified| find_rule(&RenderCall { verified, is_probe: false, ..call.clone() }).is_none();
    [Verified::Yes, Verified::No, Verified::Unknown].into_iter().all(is_let_in)
}

/// Rules of the robots.txt of sites whose policy obeys them, as the edge serves the file. Empty when it cannot be read.
struct RobotsOfSites {
    domains: DomainsService,
    origins: OriginClient,
    known: Cache<str, KnownRobots>,
    turns: Cache<str, tokio::sync::Mutex<()>>,
    clock: Clock,
}

struct KnownRobots {
    read_at: Timestamp,
    rules: Robots,
}

impl RobotsOfSites {
    fn new(platform: &Platform, domains: &DomainsService, origins: &OriginClient) -> RobotsOfSites {
        RobotsOfSites {
            domains: domains.clone(),
            origins: origins.clone(),
            known: Cache::new(REMEMBERED_ROBOTS),
            turns: Cache::builder(REMEMBERED_ROBOTS).time_to_idle(ROBOTS_FOR).build(),
            clock: platform.clock.clone(),
        }
    }

    /// Returns the rules of a site. One request at a time reads the file, while the others wait for the result.
    async fn of(&self, site: &Site) -> Arc<KnownRobots> {
        // Changed settings may lead to the file of another server.
        let key = format!("{}:{}", site.domain.id, site.domain.version);
        if let Some(robots) = self.fresh(&key) {
            return robots;
        }
        let turn = self.turns.get_with(&key, Default::default);
        let _turn = turn.lock().await;
        if let Some(robots) = self.fresh(&key) {
            return robots;
        }
        let rules = match self.domains.read_robots(&self.origins, site).await {
            RobotsAnswer::Rules(rules) => rules,
            RobotsAnswer::Missing | RobotsAnswer::Unreachable => Robots::default(),
        };
        let known = Arc::new(KnownRobots { read_at: self.clock.now(), rules });
        self.known.insert(&key, known.clone());
        known
    }

    fn fresh(&self, key: &str) -> Option<Arc<KnownRobots>> {
        self.known.get(key).filter(|known| self.clock.now().since(known.read_at) < ROBOTS_FOR)
    }
}
