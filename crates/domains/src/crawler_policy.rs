//! Crawler policy: rules that admit or refuse the requests of crawlers. The first rule that matches decides.
//! Pure: no clock, network or database. Shared by the render endpoint and the edge, through `render::policy`.
//! Must never refuse a verified or unknown search engine by any rule except one that names it.
//! See docs/decisions/0500.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;
use utoipa::ToSchema;

use super::patterns::{Grammar, PathPattern, SplitPath};

/// Maximum number of rules of a domain.
pub const MAX_POLICY_RULES: usize = 100;
/// Maximum number of path patterns of a rule.
pub const MAX_POLICY_PATHS: usize = 100;
/// Maximum length of the text of a refusal, in characters.
const MAX_TEXT_CHARS: usize = 500;
/// Maximum of a limit, in requests a minute.
const MAX_PER_MINUTE: u32 = 6_000;
/// Purpose of search engines.
const SEARCH: &str = "search";
const WELL_KNOWN: &str = "/.well-known/";

/// Rules by which a site admits crawlers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlerPolicy {
    #[schema(inline)]
    pub mode: PolicyMode,
    /// True when crawlers that no rule matches are blocked where the site's robots.txt disallows the address. Search engines
    /// are never blocked this way.
    #[serde(default)]
    pub obey_robots_txt: bool,
    /// Rules in order; the first rule that matches decides.
    #[serde(default)]
    #[schema(max_items = 100)]
    pub rules: Vec<PolicyRule>,
}

/// Effect of a policy.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum PolicyMode {
    /// The policy is not applied.
    #[default]
    Off,
    /// Refusals are counted, and every crawler is admitted.
    Log,
    /// Crawlers are refused.
    Enforce,
}

/// One rule of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRule {
    #[serde(rename = "match")]
    #[schema(value_type = PolicyMatchForm)]
    pub crawlers: PolicyMatch,
    /// Path patterns; an empty list matches every path.
    #[serde(default)]
    #[schema(max_items = 100, example = json!(["/blog/**"]))]
    pub paths: Vec<String>,
    #[schema(inline)]
    pub action: PolicyAction,
    /// Requests a minute of one crawler that a `limit` admits, over all processes: 1 to 6,000.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 6000, example = 60)]
    pub per_minute: Option<u32>,
    /// Text of the refusal, at most 500 characters.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub text: Option<String>,
}

/// Crawlers that a rule applies to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "Map<String, Value>")]
pub enum PolicyMatch {
    /// Id of a crawler.
    Crawler(String),
    /// Company that runs the crawler.
    Provider(String),
    /// Purpose of the crawler.
    Purpose(String),
    /// Crawlers that fail their verification.
    Unverified,
    Every,
}

/// Crawlers that a rule applies to: one field with a value of `GET /api/analytics/crawlers`, or no field for every crawler.
#[derive(ToSchema)]
#[schema(as = PolicyMatch)]
#[expect(dead_code, reason = "only its description is used")]
struct PolicyMatchForm {
    /// Id of the crawler.
    #[schema(nullable = false, examples("gptbot"))]
    crawler: Option<String>,
    /// Company that runs the crawlers.
    #[schema(nullable = false)]
    provider: Option<String>,
    /// Purpose of the crawlers.
    #[schema(nullable = false)]
    purpose: Option<String>,
    /// True for clients that are not the crawlers they claim to be.
    #[schema(nullable = false)]
    unverified: Option<bool>,
}

/// Response of a rule to a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PolicyAction {
    Allow,
    /// Status 403.
    Block,
    /// Status 402.
    Pay,
    /// Status 429 with `Retry-After`, above the number of requests a minute.
    Limit,
}

impl PolicyAction {
    /// Returns the text that clients and the database use.
    pub const fn as_str(self) -> &'static str {
        match self {
            PolicyAction::Allow => "allow",
            PolicyAction::Block => "block",
            PolicyAction::Pay => "pay",
            PolicyAction::Limit => "limit",
        }
    }

    /// Parses the text that clients and the database use.
    pub fn parse(text: &str) -> Option<PolicyAction> {
        let all = [PolicyAction::Allow, PolicyAction::Block, PolicyAction::Pay, PolicyAction::Limit];
        all.into_iter().find(|action| action.as_str() == text)
    }

    /// Returns the status of a refusal.
    pub const fn status(self) -> u16 {
        match self {
            PolicyAction::Allow => 200,
            PolicyAction::Block => 403,
            PolicyAction::Pay => 402,
            PolicyAction::Limit => 429,
        }
    }

    /// Returns the text of a refusal by a rule without a text.
    pub const fn default_text(self) -> &'static str {
        match self {
            PolicyAction::Allow => "",
            PolicyAction::Block => "This site does not let this crawler read this page.\n",
            PolicyAction::Pay => "This site asks for payment before this crawler reads this page.\n",
            PolicyAction::Limit => {
                "This site lets this crawler read fewer pages a minute. Try again later.\n"
            }
        }
    }
}

/// Properties of a crawler that rules match.
#[derive(Debug, Clone, Copy)]
pub struct PolicySubject<'a> {
    /// Id of the crawler.
    pub crawler: &'a str,
    pub provider: &'a str,
    pub purpose: &'a str,
    /// True when the crawler fails its verification. Rules for a crawler, provider or purpose do not match it then.
    pub is_impostor: bool,
}

impl PolicySubject<'_> {
    /// Returns true for a search engine that does not fail its verification.
    pub fn is_search_engine(&self) -> bool {
        self.purpose == SEARCH && !self.is_impostor
    }
}

/// Compiled policy whose mode is not `Off`.
#[derive(Debug)]
pub struct PolicySet {
    pub mode: PolicyMode,
    pub obey_robots_txt: bool,
    rules: Vec<CompiledPolicyRule>,
    /// Address of the site's sitemap.
    sitemap: Option<Url>,
}

#[derive(Debug)]
struct CompiledPolicyRule {
    /// Position among all rules, from 0.
    at: usize,
    rule: PolicyRule,
    paths: Vec<PathPattern>,
}

impl TryFrom<Map<String, Value>> for PolicyMatch {
    type Error = String;

    fn try_from(map: Map<String, Value>) -> Result<PolicyMatch, String> {
        let mut keys = map.into_iter();
        let Some((key, value)) = keys.next() else { return Ok(PolicyMatch::Every) };
        if keys.next().is_some() {
            return Err("must have one key or none".to_owned());
        }
        match (key.as_str(), value) {
            ("crawler", Value::String(id)) => Ok(PolicyMatch::Crawler(id)),
            ("provider", Value::String(provider)) => Ok(PolicyMatch::Provider(provider)),
            ("purpose", Value::String(purpose)) => Ok(PolicyMatch::Purpose(purpose)),
            ("unverified", Value::Bool(true)) => Ok(PolicyMatch::Unverified),
            _ => {
                Err("must be {} or one of crawler, provider, purpose (a text) and unverified (true)"
                    .to_owned())
            }
        }
    }
}

impl From<PolicyMatch> for Map<String, Value> {
    fn from(crawlers: PolicyMatch) -> Map<String, Value> {
        let (key, value) = match crawlers {
            PolicyMatch::Every => return Map::new(),
            PolicyMatch::Crawler(id) => ("crawler", Value::String(id)),
            PolicyMatch::Provider(provider) => ("provider", Value::String(provider)),
            PolicyMatch::Purpose(purpose) => ("purpose", Value::String(purpose)),
            PolicyMatch::Unverified => ("unverified", Value::Bool(true)),
        };
        Map::from_iter([(key.to_owned(), value)])
    }
}

impl CrawlerPolicy {
    /// Returns the issues of a policy, as pairs of a dotted path and a sentence; empty when the policy may be saved.
    /// Does not check that the ids of crawlers exist.
    pub fn issues(&self) -> Vec<(String, String)> {
        let mut issues = Vec::new();
        if self.rules.len() > MAX_POLICY_RULES {
            issues.push(("rules".to_owned(), format!("at most {MAX_POLICY_RULES} rules are allowed")));
        }
        for (at, rule) in self.rules.iter().enumerate() {
            rule.add_issues(&format!("rules.{at}"), &mut issues);
        }
        issues
    }
}

impl PolicyRule {
    fn add_issues(&self, at: &str, issues: &mut Vec<(String, String)>) {
        if self.crawlers == PolicyMatch::Purpose(SEARCH.to_owned()) && self.action != PolicyAction::Allow {
            let message = "search engines are refused one by one, by crawler";
            issues.push((format!("{at}.match"), message.to_owned()));
        }
        if self.paths.len() > MAX_POLICY_PATHS {
            issues.push((format!("{at}.paths"), format!("at most {MAX_POLICY_PATHS} patterns are allowed")));
        }
        for (number, path) in self.paths.iter().enumerate() {
            if let Err(error) = PathPattern::parse(path, Grammar::Path) {
                issues.push((format!("{at}.paths.{number}"), error.to_string()));
            }
        }
        let is_limit = self.action == PolicyAction::Limit;
        if self.per_minute.map_or(is_limit, |most| !(1..=MAX_PER_MINUTE).contains(&most)) {
            issues.push((format!("{at}.perMinute"), format!("must be from 1 to {MAX_PER_MINUTE}")));
        }
        if self.text.as_ref().is_some_and(|text| text.chars().count() > MAX_TEXT_CHARS) {
            issues
                .push((format!("{at}.text"), format!("must not be longer than {MAX_TEXT_CHARS} characters")));
        }
    }

    /// Decides whether the rule applies to a crawler, regardless of the address.
    fn is_for(&self, subject: &PolicySubject<'_>) -> bool {
        let is_named = matches!(&self.crawlers, PolicyMatch::Crawler(id) if id == subject.crawler);
        let is_meant = match &self.crawlers {
            PolicyMatch::Every => true,
            PolicyMatch::Unverified => subject.is_impostor,
            _ if subject.is_impostor => false,
            PolicyMatch::Crawler(_) => is_named,
            PolicyMatch::Provider(provider) => provider == subject.provider,
            PolicyMatch::Purpose(purpose) => purpose == subject.purpose,
        };
        is_meant && (is_named || self.action == PolicyAction::Allow || !subject.is_search_engine())
    }
}

impl PolicySet {
    /// Compiles the policy of a site. Returns none when the policy is off. `sitemap_url` may be empty. A rule whose patterns
    /// are no longer valid (a newer version is stricter) is left out.
    pub fn compile(policy: &CrawlerPolicy, sitemap_url: &str) -> Option<PolicySet> {
        if policy.mode == PolicyMode::Off {
            return None;
        }
        let compile = |(at, rule): (usize, &PolicyRule)| {
            let paths = rule.paths.iter().map(|path| PathPattern::parse(path, Grammar::Path));
            let paths = paths.collect::<Result<_, _>>().ok()?;
            Some(CompiledPolicyRule { at, rule: rule.clone(), paths })
        };
        let rules = policy.rules.iter().enumerate().filter_map(compile).collect();
        Some(PolicySet {
            mode: policy.mode,
            obey_robots_txt: policy.obey_robots_txt,
            rules,
            sitemap: Url::parse(sitemap_url).ok(),
        })
    }

    /// Decides whether the policy applies to an address. It does not apply below `/.well-known/` and to the sitemap, which
    /// crawlers read before pages. Files with the extension of an asset, such as robots.txt, are not pages.
    pub fn is_about(&self, url: &Url) -> bool {
        // A sitemap at `/?sitemap=1` does not exempt the page `/`.
        let is_sitemap = self.sitemap.as_ref().is_some_and(|sitemap| {
            sitemap.path() == url.path() && (sitemap.query().is_none() || sitemap.query() == url.query())
        });
        !is_sitemap && !url.path().starts_with(WELL_KNOWN)
    }

    /// Finds the first rule that matches a crawler's request, and its position.
    pub fn find(&self, subject: &PolicySubject<'_>, url: &Url) -> Option<(usize, &PolicyRule)> {
        let mut split = None;
        let mut matches = |paths: &[PathPattern]| {
            let path = split.get_or_insert_with(|| SplitPath::of(url));
            paths.iter().any(|pattern| pattern.matches(path))
        };
        let mut rules = self.rules.iter().filter(|one| one.rule.is_for(subject));
        let found = rules.find(|one| one.paths.is_empty() || matches(&one.paths))?;
        Some((found.at, &found.rule))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const GPTBOT: PolicySubject<'_> =
        PolicySubject { crawler: "gptbot", provider: "openai", purpose: "llm-training", is_impostor: false };
    const GOOGLEBOT: PolicySubject<'_> =
        PolicySubject { crawler: "googlebot", provider: "google", purpose: "search", is_impostor: false };
    const IMPOSTOR: PolicySubject<'_> = PolicySubject { is_impostor: true, ..GOOGLEBOT };

    fn policy(rules: Value) -> CrawlerPolicy {
        serde_json::from_value(json!({ "mode": "enforce", "rules": rules })).expect("a policy")
    }

    /// Finds the position of the first rule that matches.
    fn met(rules: Value, subject: PolicySubject<'_>, path: &str) -> Option<usize> {
        let url = Url::parse(&format!("https://shop.example{path}")).expect("an address");
        let set = PolicySet::compile(&policy(rules), "").expect("it is not off");
        set.find(&subject, &url).map(|(at, _)| at)
    }

    #[test]
    fn the_first_rule_that_matches_crawler_and_path_decides() {
        let rules = json!([
            { "match": { "crawler": "ccbot" }, "action": "block" },
            { "match": { "crawler": "gptbot" }, "paths": ["/open/**", "/about"], "action": "allow" },
            { "match": { "provider": "openai" }, "paths": ["/blog/*"], "action": "pay" },
            { "match": { "purpose": "llm-training" }, "action": "block" },
        ]);

        for (path, rule) in [("/open/a/b", 1), ("/about", 1), ("/blog/x", 2), ("/", 3)] {
            assert_eq!(met(rules.clone(), GPTBOT, path), Some(rule), "{path}");
        }
        assert_eq!(met(rules, GOOGLEBOT, "/blog/x"), None);
    }

    #[test]
    fn a_search_engine_is_refused_by_name_alone_and_let_in_by_every_rule() {
        let refused =
            |crawlers: Value| met(json!([{ "match": crawlers, "action": "block" }]), GOOGLEBOT, "/");
        let let_in = |crawlers: Value| met(json!([{ "match": crawlers, "action": "allow" }]), GOOGLEBOT, "/");

        assert_eq!(refused(json!({ "crawler": "googlebot" })), Some(0));
        for crawlers in [json!({}), json!({ "provider": "google" })] {
            assert_eq!((refused(crawlers.clone()), let_in(crawlers)), (None, Some(0)));
        }
        assert_eq!(let_in(json!({ "purpose": "search" })), Some(0));
    }

    #[test]
    fn an_impostor_is_met_by_rules_for_the_unverified_and_for_all() {
        for (crawlers, is_met) in [
            (json!({ "unverified": true }), true),
            (json!({}), true),
            (json!({ "crawler": "googlebot" }), false),
            (json!({ "provider": "google" }), false),
        ] {
            let rule = json!([{ "match": crawlers, "action": "block" }]);
            assert_eq!(met(rule, IMPOSTOR, "/").is_some(), is_met, "{crawlers}");
        }
        assert_eq!(met(json!([{ "match": { "unverified": true }, "action": "block" }]), GPTBOT, "/"), None);
    }

    #[test]
    fn every_bad_field_of_a_rule_is_named() {
        let rules = json!([
            { "match": { "purpose": "search" }, "action": "block" },
            { "match": {}, "paths": ["/ok", "bad"], "action": "limit" },
            { "match": {}, "action": "limit", "perMinute": 6001 },
            { "match": {}, "action": "block", "text": "é".repeat(501) },
            { "match": { "purpose": "search" }, "action": "allow", "text": "é".repeat(500) },
        ]);

        let issues = policy(rules).issues();

        let fields: Vec<&str> = issues.iter().map(|(field, _)| field.as_str()).collect();
        let expected =
            ["rules.0.match", "rules.1.paths.1", "rules.1.perMinute", "rules.2.perMinute", "rules.3.text"];
        assert_eq!(fields, expected);
    }

    #[test]
    fn a_hundred_rules_are_the_most() {
        let with = |count| policy(Value::Array(vec![json!({ "match": {}, "action": "allow" }); count]));

        assert!(with(100).issues().is_empty());
        assert_eq!(with(101).issues()[0].0, "rules");
    }

    #[test]
    fn a_match_has_one_known_key_or_none_and_is_written_as_it_was_read() {
        for crawlers in [
            json!({}),
            json!({ "crawler": "gptbot" }),
            json!({ "provider": "openai" }),
            json!({ "purpose": "search" }),
            json!({ "unverified": true }),
        ] {
            let read: PolicyMatch = serde_json::from_value(crawlers.clone()).expect("a match");
            assert_eq!(serde_json::to_value(read).expect("JSON"), crawlers);
        }
        for crawlers in [
            json!({ "crawler": "gptbot", "provider": "openai" }),
            json!({ "unverified": false }),
            json!({ "crawler": null }),
            json!({ "purpose": 1 }),
            json!({ "name": "GPTBot" }),
            json!("gptbot"),
        ] {
            assert!(serde_json::from_value::<PolicyMatch>(crawlers.clone()).is_err(), "{crawlers}");
        }
    }

    #[test]
    fn addresses_that_crawlers_ask_before_pages_are_no_matter_of_a_policy() {
        let is_about = |sitemap: &str, path: &str| {
            let set = PolicySet::compile(&policy(json!([])), sitemap).expect("it is not off");
            set.is_about(&Url::parse(&format!("https://shop.example{path}")).expect("an address"))
        };

        for path in ["/.well-known/security", "/map", "/map?page=2"] {
            assert!(!is_about("https://shop.example/map", path), "{path}");
        }
        assert!(is_about("https://shop.example/map", "/mapped") && is_about("", "/"));
        let by_query = "https://shop.example/?sitemap=1";
        assert!(!is_about(by_query, "/?sitemap=1") && is_about(by_query, "/"));
    }
}
