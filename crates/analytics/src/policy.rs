//! Crawler policies and the known crawlers: the names that rules may have, a crawler as the subject of rules, and refusals.
//! Pure. The meaning of a rule is defined in `domains::crawler_policy`.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use domains::crawler_policy::{PolicyMatch, PolicySubject};
use domains::{CrawlerPolicy, DomainId, PolicyAction};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::crawlers::{Crawler, CrawlerIndex};
use super::model::{Day, Verified};

/// Id under which refusals of all clients that fail their verification are counted: they are no crawler of any provider.
pub const IMPOSTORS: &str = "unverified";

/// Refusals that are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RefusalKey {
    /// Domain record.
    pub domain: DomainId,
    pub day: Day,
    /// Id of the crawler, or [`IMPOSTORS`].
    pub crawler: Cow<'static, str>,
    pub action: PolicyAction,
    /// False: the policy only logs, and the request was not refused.
    pub enforced: bool,
}

/// Refusals of one crawler by one action.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRow {
    /// Id of the crawler; `unverified`: clients that are not who they claim to be.
    #[schema(examples("gptbot"))]
    pub crawler: String,
    #[schema(examples("openai"))]
    pub provider: String,
    /// `block`, `pay` or `limit`.
    #[schema(inline)]
    pub action: PolicyAction,
    /// Requests that were refused.
    #[schema(examples(12))]
    pub enforced: u64,
    /// Requests that `enforce` would have refused while the mode was `log`.
    #[schema(examples(30))]
    pub would_be: u64,
    /// Sums of both on each of the days; the last day is today.
    #[schema(example = json!([12, 30]))]
    pub daily: Vec<u64>,
}

/// Returns a crawler as the subject of rules.
pub fn subject_of(crawler: &Crawler, verified: Verified) -> PolicySubject<'_> {
    PolicySubject {
        crawler: &crawler.id,
        provider: &crawler.provider,
        purpose: crawler.class.as_str(),
        is_impostor: verified == Verified::No,
    }
}

/// Returns the id under which refusals of a client are counted.
pub fn counted_crawler(crawler: &'static Crawler, verified: Verified) -> &'static str {
    if verified == Verified::No { IMPOSTORS } else { &crawler.id }
}

/// Lists the rules that name a crawler, provider or purpose that does not exist, as pairs of a dotted path and a sentence.
pub fn unknown_names(policy: &CrawlerPolicy) -> Vec<(String, String)> {
    let index = CrawlerIndex::shared();
    let problem = |crawlers: &PolicyMatch| match crawlers {
        PolicyMatch::Crawler(id) if index.find(id).is_none() => Some("no crawler has this id"),
        PolicyMatch::Provider(provider) if !index.has_provider(provider) => {
            Some("no crawler is of this provider")
        }
        PolicyMatch::Purpose(purpose) if !index.has_purpose(purpose) => Some("no crawler has this purpose"),
        _ => None,
    };
    let rules = policy.rules.iter().enumerate();
    let problems = rules.filter_map(|(at, rule)| Some((at, problem(&rule.crawlers)?)));
    problems.map(|(at, problem)| (format!("rules.{at}.match"), problem.to_owned())).collect()
}

/// Lists refusals by crawler and action, most refusals first.
pub fn policy_rows(counts: &[(RefusalKey, u64)], (from, to): (Day, Day)) -> Vec<PolicyRow> {
    let days = usize::try_from(to - from + 1).unwrap_or_default();
    let mut rows: BTreeMap<(&str, PolicyAction), PolicyRow> = BTreeMap::new();
    for (key, count) in counts {
        let row = rows.entry((&key.crawler, key.action)).or_insert_with(|| PolicyRow {
            crawler: key.crawler.to_string(),
            provider: CrawlerIndex::shared().provider_of(&key.crawler).to_owned(),
            action: key.action,
            enforced: 0,
            would_be: 0,
            daily: vec![0; days],
        });
        if key.enforced {
            row.enforced += count;
        } else {
            row.would_be += count;
        }
        let day = usize::try_from(key.day - from).ok().and_then(|at| row.daily.get_mut(at));
        if let Some(day) = day {
            *day += count;
        }
    }
    let mut rows: Vec<PolicyRow> = rows.into_values().collect();
    rows.sort_by_key(|row| Reverse(row.enforced + row.would_be));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_rule_names_a_crawler_provider_or_purpose_that_exists() {
        let rules = json!([
            { "match": { "crawler": "gptbot" }, "action": "block" },
            { "match": { "crawler": "GPTBot" }, "action": "block" },
            { "match": { "provider": "openai" }, "action": "block" },
            { "match": { "provider": "OpenAI" }, "action": "block" },
            { "match": { "purpose": "llm-training" }, "action": "block" },
            { "match": { "purpose": "training" }, "action": "block" },
            { "match": { "provider": "other" }, "action": "block" },
            { "match": { "crawler": "unknown" }, "action": "block" },
        ]);
        let policy = serde_json::from_value(json!({ "mode": "log", "rules": rules })).expect("a policy");

        let fields: Vec<String> = unknown_names(&policy).into_iter().map(|(field, _)| field).collect();

        assert_eq!(fields, ["rules.1.match", "rules.3.match", "rules.5.match"]);
    }

    #[test]
    fn refusals_are_summed_up_by_crawler_and_action_with_every_day_of_the_window() {
        let key = |crawler: &'static str, day: Day, action, enforced| RefusalKey {
            domain: DomainId::from("d"),
            day,
            crawler: crawler.into(),
            action,
            enforced,
        };
        let counts = [
            (key("ccbot", 10, PolicyAction::Block, true), 1),
            (key("gptbot", 10, PolicyAction::Block, false), 2),
            (key("gptbot", 12, PolicyAction::Block, true), 3),
            (key("gptbot", 12, PolicyAction::Limit, true), 4),
            (key(IMPOSTORS, 11, PolicyAction::Block, true), 2),
        ];

        let rows = policy_rows(&counts, (10, 12));

        let shown: Vec<_> = rows
            .iter()
            .map(|row| {
                (row.crawler.as_str(), row.provider.as_str(), row.enforced, row.would_be, &row.daily[..])
            })
            .collect();
        let expected: [(&str, &str, u64, u64, &[u64]); 4] = [
            ("gptbot", "openai", 3, 2, &[2, 0, 3]),
            ("gptbot", "openai", 4, 0, &[0, 0, 4]),
            ("unverified", "other", 2, 0, &[0, 2, 0]),
            ("ccbot", "commoncrawl", 1, 0, &[1, 0, 0]),
        ];
        assert_eq!(shown, expected);
    }
}
