//! A crawler policy tried out: which rule a crawler's request for a page meets, and what the crawler gets. Pure.
//! The site's robots.txt is not read.

use analytics::policy::{IMPOSTORS, subject_of, unknown_names};
use analytics::{CrawlerIndex, Verified};
use domains::crawler_policy::{PolicyMatch, PolicySubject};
use domains::{CrawlerPolicy, PolicyAction, PolicyMode, Site};
use render::decide::is_for_navigation;
use serde::Serialize;
use url::Url;
use utoipa::ToSchema;

use platform::api::Issue;

/// Rule of the crawler policy that a tried request meets.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyTestResult {
    /// Position of the rule, from 0.
    #[schema(examples(0))]
    rule: usize,
    #[schema(inline)]
    action: PolicyAction,
    /// False: the mode is `log`, and the crawler is let in.
    enforced: bool,
    /// Status of a refusal; of a `limit` once so many requests were made. Null for `allow`.
    #[schema(required = true, examples(403))]
    status: Option<u16>,
    /// Text of a refusal.
    #[schema(required = true)]
    text: Option<String>,
    /// Requests a minute that a `limit` lets through.
    #[schema(required = true)]
    per_minute: Option<u32>,
}

impl PolicyTestResult {
    /// Returns true when each such request is refused.
    pub fn is_refusal(&self) -> bool {
        self.enforced && matches!(self.action, PolicyAction::Block | PolicyAction::Pay)
    }

    /// Returns the status of a refusal.
    pub fn status(&self) -> Option<u16> {
        self.status
    }
}

/// Finds the crawler that is tried out: an id of the list, or that of impostors.
pub fn find_crawler(id: &str) -> Option<PolicySubject<'static>> {
    let index = CrawlerIndex::shared();
    if id == IMPOSTORS {
        return Some(subject_of(index.unknown(), Verified::No));
    }
    index.find(id).map(|crawler| subject_of(crawler, Verified::Unknown))
}

/// Finds the rule that a crawler's navigation to an address meets. A policy that is off is tried as if it logged.
pub fn try_policy(site: &Site, url: &Url, crawler: &PolicySubject<'_>) -> Option<PolicyTestResult> {
    let policy = site.policy(url).filter(|_| is_for_navigation(url))?;
    let (at, rule) = policy.find(crawler, url)?;
    let is_refusal = rule.action != PolicyAction::Allow;
    let text = || rule.text.clone().unwrap_or_else(|| rule.action.default_text().to_owned());
    Some(PolicyTestResult {
        rule: at,
        action: rule.action,
        enforced: policy.mode == PolicyMode::Enforce,
        status: is_refusal.then(|| rule.action.status()),
        text: is_refusal.then(text),
        per_minute: rule.per_minute.filter(|_| rule.action == PolicyAction::Limit),
    })
}

/// Returns the given policy with rules that match nobody in place of those with issues, which are listed.
pub fn usable_policy(mut policy: CrawlerPolicy, issues: &mut Vec<Issue>) -> CrawlerPolicy {
    let mut found = policy.issues();
    found.extend(unknown_names(&policy));
    for (at, rule) in policy.rules.iter_mut().enumerate() {
        let prefix = format!("rules.{at}.");
        // A rule that matches nobody: the others keep their positions.
        if found.iter().any(|(path, _)| path.starts_with(&prefix)) {
            rule.crawlers = PolicyMatch::Crawler(String::new());
            rule.paths.clear();
        }
    }
    if policy.mode == PolicyMode::Off {
        policy.mode = PolicyMode::Log;
    }
    issues.extend(
        found.into_iter().map(|(path, message)| Issue::new(format!("crawlerPolicy.{path}"), message)),
    );
    policy
}
