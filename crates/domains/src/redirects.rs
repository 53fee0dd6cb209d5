//! Redirect rules: which rule answers a request, and with which Location.
//! Pure: no clock, network or database. Shared by the edge and the render endpoint.
//! Must never let a request choose the host of a Location: scheme and host are fixed before captures are inserted.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::patterns::{Grammar, PathPattern, SplitPath, percent_decode};

/// Maximum length of a destination, in bytes.
const MAX_DESTINATION_BYTES: usize = 2048;
/// Number of same-host redirects in a row at which a rule counts as a loop.
const MAX_HOPS: usize = 10;

/// Redirect rule of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedirectRule {
    /// Path pattern. `*` matches one segment, a final `**` the rest of the path. A source with `?` matches one path with
    /// exactly this query.
    #[schema(example = "/blog/*")]
    pub source: String,
    /// Path that starts with one `/`, or an absolute http(s) URL. `$1`, `$2`, … insert the text that the wildcards matched.
    #[schema(example = "/articles/$1")]
    pub destination: String,
    /// Status: 301 or 307.
    #[serde(default = "default_status")]
    #[schema(example = 301)]
    pub status: u16,
    /// True when the request's query parameters are added to the destination.
    #[serde(default = "default_preserve_query")]
    pub preserve_query: bool,
}

fn default_status() -> u16 {
    301
}

fn default_preserve_query() -> bool {
    true
}

/// Problem of one field of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleIssue {
    /// Position among all rules, from 0.
    pub rule: usize,
    /// `redirectRules.N.source`, `.destination` or `.status`.
    pub field: String,
    /// Description of the problem, for the user who wrote the rule.
    pub message: String,
}

/// Compiled redirect rules of one domain.
#[derive(Debug, Clone, Default)]
pub struct RedirectSet {
    rules: Vec<CompiledRule>,
    /// Positions of the first rules without wildcards, by decoded path and by query. The query `None` matches any query.
    exact: HashMap<Vec<Vec<u8>>, HashMap<Option<String>, usize>>,
    /// Positions of the rules with wildcards, in order, by the decoded segments before the first wildcard. Finding loops among
    /// thousands of rules must not take quadratic time.
    wild: HashMap<Vec<Vec<u8>>, Vec<usize>>,
    /// Length of the longest key of `wild`, in segments.
    longest_prefix: usize,
}

#[derive(Debug, Clone)]
struct CompiledRule {
    source: PathPattern,
    destination: CompiledDestination,
    status: u16,
    preserve_query: bool,
}

#[derive(Debug, Clone)]
struct CompiledDestination {
    /// Scheme, host and port; none: those of the request.
    base: Option<Url>,
    path: String,
    query: Option<String>,
    fragment: Option<String>,
}

/// Redirect that answers a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectResponse {
    /// Status: 301 or 307.
    pub status: u16,
    /// Absolute URL.
    pub location: Url,
    /// Position among all rules, from 0.
    pub rule: usize,
}

impl RedirectSet {
    /// Checks and compiles the rules of a domain; on any issue no rule may be used.
    ///
    /// `hosts` are the domain's own names (itself and its `www.`/apex twin), on which loops are detected.
    pub fn compile(rules: &[RedirectRule], hosts: &[&str]) -> Result<RedirectSet, Vec<RuleIssue>> {
        let mut set = RedirectSet::default();
        let mut issues = Vec::new();
        for (at, rule) in rules.iter().enumerate() {
            match compile_rule(rule) {
                Ok(rule) => set.push(rule),
                Err(found) => issues.extend(found.into_iter().map(|(field, message)| RuleIssue {
                    rule: at,
                    field: format!("redirectRules.{at}.{field}"),
                    message,
                })),
            }
        }
        if issues.is_empty() {
            issues.extend(set.loops(rules, hosts));
        }
        if issues.is_empty() { Ok(set) } else { Err(issues) }
    }

    pub fn len(&self) -> usize {
        self.rules.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the redirect of the first matching rule, if any.
    ///
    /// The location can be the address of the request itself; the caller checks that after applying the preferred host.
    pub fn find(&self, url: &Url) -> Option<RedirectResponse> {
        if self.rules.is_empty() {
            return None;
        }
        let path = SplitPath::of(url);
        let decoded = path.decoded();
        let queries = [None, Some(path.query().to_owned())];
        let exact = self.exact.get(decoded);
        let exact = exact.and_then(|exact| queries.iter().filter_map(|query| exact.get(query)).min());
        let mut first = exact.copied();
        for length in 0..=decoded.len().min(self.longest_prefix) {
            let wild = self.wild.get(&decoded[..length]).into_iter().flatten().copied();
            let mut earlier = wild.take_while(|at| first.is_none_or(|first| *at < first));
            first = earlier.find(|at| self.rules[*at].source.matches(&path)).or(first);
        }
        let at = first?;
        let rule = &self.rules[at];
        let captures = rule.source.captures(&path)?;
        Some(RedirectResponse { status: rule.status, location: rule.location(url, &captures), rule: at })
    }

    fn push(&mut self, rule: CompiledRule) {
        let at = self.rules.len();
        let (segments, is_whole) = rule.source.literal_segments();
        let key: Vec<Vec<u8>> = segments.into_iter().map(<[u8]>::to_vec).collect();
        if is_whole {
            let query = rule.source.query().map(str::to_owned);
            self.exact.entry(key).or_default().entry(query).or_insert(at);
        } else {
            self.longest_prefix = self.longest_prefix.max(key.len());
            self.wild.entry(key).or_default().push(at);
        }
        self.rules.push(rule);
    }

    /// Returns the rules that lead to a loop, by following an example address of each rule on the domain's hosts.
    fn loops(&self, rules: &[RedirectRule], hosts: &[&str]) -> Vec<RuleIssue> {
        let Some(host) = hosts.first() else { return Vec::new() };
        let looping = rules.iter().enumerate().filter(|(_, rule)| self.leads_back(&rule.source, host, hosts));
        looping
            .map(|(at, _)| RuleIssue {
                rule: at,
                field: format!("redirectRules.{at}.destination"),
                message: "leads back to an address that is redirected again: a loop".to_owned(),
            })
            .collect()
    }

    fn leads_back(&self, source: &str, host: &str, hosts: &[&str]) -> bool {
        let example: Vec<&str> = source
            .split('/')
            .map(|segment| if segment == "*" || segment == "**" { "any-segment" } else { segment })
            .collect();
        let Ok(mut url) = Url::parse(&format!("https://{host}{}", example.join("/"))) else { return false };
        let mut seen = HashSet::new();
        for _ in 0..MAX_HOPS {
            if !seen.insert((url.path().to_owned(), url.query().map(str::to_owned))) {
                return true;
            }
            let Some(redirect) = self.find(&url) else { return false };
            let same_host = redirect.location.host_str().is_some_and(|host| hosts.contains(&host));
            if !same_host {
                return false;
            }
            let stays = redirect.location.path() == url.path() && redirect.location.query() == url.query();
            // A rule that redirects to the same address is skipped within a chain, but has no effect as a rule.
            if stays && seen.len() > 1 {
                return false;
            }
            url = redirect.location;
        }
        true
    }
}

impl CompiledRule {
    fn location(&self, request: &Url, captures: &[String]) -> Url {
        let mut location = self.destination.base.clone().unwrap_or_else(|| request.clone());
        location
            .set_fragment(self.destination.fragment.as_deref().map(|text| fill(text, captures)).as_deref());
        // Leading slashes are collapsed, so that a capture which is empty or starts with a slash cannot change the host.
        let path = format!("/{}", fill(&self.destination.path, captures).trim_start_matches('/'));
        location.set_path(&path);
        let own = self.destination.query.as_deref().map(|text| fill(text, captures));
        let query = match self.preserve_query {
            true => merge_queries(own.as_deref(), request.query()),
            false => own,
        };
        location.set_query(query.as_deref().filter(|query| !query.is_empty()));
        location
    }
}

/// Replaces `$1`, `$2`, … by the captures. `set_path`, `set_query` and `set_fragment` encode the remaining characters.
fn fill(text: &str, captures: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut left = text;
    while let Some(at) = left.find('$') {
        out.push_str(&left[..at]);
        left = &left[at + 1..];
        let digits = left.bytes().take_while(u8::is_ascii_digit).count().min(2);
        let number: Option<usize> = left[..digits].parse().ok();
        match number.and_then(|number| captures.get(number.wrapping_sub(1))) {
            Some(capture) => out.extend(capture.chars().map(encode_odd)),
            None => {
                out.push('$');
                out.push_str(&left[..digits]);
            }
        }
        left = &left[digits..];
    }
    out.push_str(left);
    out
}

/// Encodes a character that the URL parser accepts in a path but that a Location should not contain.
fn encode_odd(c: char) -> String {
    match c {
        '\\' | '^' | '|' | '`' | '{' | '}' | '<' | '>' | '"' | '\0'..=' ' | '\x7f' => {
            format!("%{:02X}", c as u32)
        }
        c => c.to_string(),
    }
}

/// Joins the destination's own parameters and those parameters of the request whose names the destination does not set.
fn merge_queries(own: Option<&str>, request: Option<&str>) -> Option<String> {
    let name = |pair: &str| percent_decode(pair.split('=').next().unwrap_or(""));
    let own = own.unwrap_or("");
    let names: HashSet<Vec<u8>> = own.split('&').filter(|pair| !pair.is_empty()).map(name).collect();
    let carried = request.unwrap_or("").split('&');
    let carried = carried.filter(|pair| !pair.is_empty() && !names.contains(&name(pair)));
    let pairs: Vec<&str> = own.split('&').filter(|pair| !pair.is_empty()).chain(carried).collect();
    if pairs.is_empty() { None } else { Some(pairs.join("&")) }
}

fn compile_rule(rule: &RedirectRule) -> Result<CompiledRule, Vec<(&'static str, String)>> {
    let mut issues = Vec::new();
    let source = PathPattern::parse(&rule.source, Grammar::Redirect)
        .map_err(|error| issues.push(("source", error.to_string())))
        .ok();
    // Without a source the number of wildcards is unknown; every `$n` passes then.
    let wildcards = source.as_ref().map_or(99, PathPattern::wildcards);
    let destination = parse_destination(&rule.destination, wildcards)
        .map_err(|message| issues.push(("destination", message)))
        .ok();
    if !matches!(rule.status, 301 | 307) {
        issues.push(("status", "must be 301 or 307".to_owned()));
    }
    match (source, destination) {
        (Some(source), Some(destination)) if issues.is_empty() => {
            Ok(CompiledRule { source, destination, status: rule.status, preserve_query: rule.preserve_query })
        }
        _ => Err(issues),
    }
}

fn parse_destination(text: &str, wildcards: usize) -> Result<CompiledDestination, String> {
    if text.len() > MAX_DESTINATION_BYTES {
        return Err(format!("must not be longer than {MAX_DESTINATION_BYTES} bytes"));
    }
    if text.chars().any(|c| c.is_control() || c == '\\') {
        return Err("must not contain control characters or a backslash".to_owned());
    }
    if let Some(number) = highest_capture(text).filter(|number| *number > wildcards) {
        return Err(format!("${number} has no wildcard in the source"));
    }
    if text.contains("$0") {
        return Err("captures are counted from $1".to_owned());
    }
    let (base, rest) = split_base(text)?;
    let (rest, fragment) = split_once_kept(rest, '#');
    let (path, query) = split_once_kept(rest, '?');
    Ok(CompiledDestination { base, path: path.to_owned(), query, fragment })
}

/// Splits scheme and host from the rest, and rejects every form in which a browser could read another host.
fn split_base(text: &str) -> Result<(Option<Url>, &str), String> {
    if text.starts_with('/') {
        return match text.starts_with("//") {
            true => Err("must start with one / or be an absolute http(s) URL".to_owned()),
            false => Ok((None, text)),
        };
    }
    let lower = text.to_ascii_lowercase();
    let Some(scheme) = ["https://", "http://"].into_iter().find(|scheme| lower.starts_with(scheme)) else {
        return Err("must start with one / or be an absolute http(s) URL".to_owned());
    };
    let end = text[scheme.len()..].find(['/', '?', '#']).map_or(text.len(), |at| scheme.len() + at);
    let (origin, rest) = text.split_at(end);
    if origin.contains('$') {
        return Err("captures may stand in the path and after it, not in the host".to_owned());
    }
    let base = Url::parse(origin).map_err(|error| format!("is not a URL: {error}"))?;
    if !base.username().is_empty() || base.password().is_some() || origin.contains('@') {
        return Err("must not carry a user name or password".to_owned());
    }
    Ok((Some(base), rest))
}

fn split_once_kept(text: &str, separator: char) -> (&str, Option<String>) {
    match text.split_once(separator) {
        Some((before, after)) => (before, Some(after.to_owned())),
        None => (text, None),
    }
}

fn highest_capture(text: &str) -> Option<usize> {
    let numbers = text.split('$').skip(1).filter_map(|after| {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count().min(2);
        after[..digits].parse().ok()
    });
    numbers.max()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOSTS: [&str; 2] = ["shop.example", "www.shop.example"];

    fn rule(source: &str, destination: &str) -> RedirectRule {
        let (source, destination) = (source.to_owned(), destination.to_owned());
        RedirectRule { source, destination, status: 301, preserve_query: true }
    }

    fn compile(rules: &[RedirectRule]) -> Result<RedirectSet, Vec<String>> {
        let fields = |issues: Vec<RuleIssue>| issues.into_iter().map(|issue| issue.field).collect();
        RedirectSet::compile(rules, &HOSTS).map_err(fields)
    }

    fn location(rules: &[RedirectRule], url: &str) -> Option<String> {
        let set = compile(rules).expect("rules that may be saved");
        let url = Url::parse(url).expect("an address");
        set.find(&url).map(|redirect| redirect.location.to_string())
    }

    #[test]
    fn wildcards_are_carried_into_the_destination() {
        let rules = [rule("/blog/*/**", "/articles/$1/all/$2")];

        let found = location(&rules, "https://shop.example/blog/2024/may/first%20post");

        assert_eq!(found.as_deref(), Some("https://shop.example/articles/2024/all/may/first%20post"));
    }

    #[test]
    fn of_equal_paths_the_first_rule_of_a_query_or_of_any_wins() {
        let rules = [
            rule("/a?id=1", "/one"),
            rule("/a?id=2", "/two"),
            rule("/a?id=1", "/never"),
            rule("/a", "/any"),
            rule("/a?id=3", "/never"),
            rule("/*", "/wild"),
        ];

        for (query, to) in [("?id=1", "/one"), ("?id=2", "/two"), ("?id=3", "/any"), ("", "/any")] {
            let found = location(&rules, &format!("https://shop.example/a{query}")).unwrap_or_default();
            assert!(found.starts_with(&format!("https://shop.example{to}")), "{query}: {found}");
        }
    }

    proptest! {
        #[test]
        fn an_answer_is_that_of_the_first_rule_that_matches(
            sources in prop::collection::vec("(/(a|b|\\*)){0,4}(/\\*\\*)?", 1..12),
            path in "(/(a|b|c)){0,5}",
        ) {
            let rules: Vec<RedirectRule> =
                sources.iter().map(|source| rule(&format!("/{source}"), "https://x.test/")).collect();
            let url = Url::parse(&format!("https://shop.example{path}")).unwrap();
            let set = compile(&rules).unwrap();

            let found = set.find(&url).map(|redirect| redirect.rule);

            let split = SplitPath::of(&url);
            prop_assert_eq!(found, set.rules.iter().position(|rule| rule.source.matches(&split)));
        }
    }

    #[test]
    fn thousands_of_rules_are_compared_with_few_others() {
        let rules: Vec<RedirectRule> = (0..5_000)
            .flat_map(|at| [rule(&format!("/{at}/*"), "/new/$1"), rule(&format!("/i?id={at}"), "/new/i")])
            .collect();

        let set = compile(&rules).unwrap();

        assert!(set.wild.values().all(|rules| rules.len() == 1));
        assert_eq!(set.exact.len(), 1);
        assert_eq!(set.exact.values().next().map(HashMap::len), Some(5_000));
    }

    #[test]
    fn the_first_matching_rule_wins_whatever_its_form() {
        let rules = [
            rule("/a/*", "/first"),
            rule("/a/b", "/second"),
            rule("/c", "/third"),
            rule("/**", "https://x.test/"),
        ];

        assert_eq!(
            location(&rules, "https://shop.example/a/b").as_deref(),
            Some("https://shop.example/first")
        );
        assert_eq!(location(&rules, "https://shop.example/c").as_deref(), Some("https://shop.example/third"));
        assert_eq!(location(&rules, "https://shop.example/d").as_deref(), Some("https://x.test/"));
    }

    #[test]
    fn the_query_is_kept_unless_the_rule_says_otherwise() {
        let keep = rule("/a", "/b?x=1");
        let drop = RedirectRule { preserve_query: false, ..rule("/c", "/d?x=1") };
        let rules = [keep, drop];

        assert_eq!(
            location(&rules, "https://shop.example/a?x=2&y=3&y=4").as_deref(),
            Some("https://shop.example/b?x=1&y=3&y=4")
        );
        assert_eq!(
            location(&rules, "https://shop.example/c?y=3").as_deref(),
            Some("https://shop.example/d?x=1")
        );
    }

    #[test]
    fn a_location_is_absolute_and_keeps_the_fragment_of_the_destination() {
        let rules = [rule("/a", "/b#team"), rule("/c", "https://other.test:8443")];

        assert_eq!(
            location(&rules, "http://shop.example:9000/a").as_deref(),
            Some("http://shop.example:9000/b#team")
        );
        assert_eq!(location(&rules, "https://shop.example/c").as_deref(), Some("https://other.test:8443/"));
    }

    #[test]
    fn a_request_for_two_slashes_and_a_host_stays_on_our_host() {
        let rules = [rule("/go/**", "/$1")];

        let found = location(&rules, "https://shop.example/go//evil.com/x");

        assert_eq!(found.as_deref(), Some("https://shop.example/evil.com/x"));
    }

    #[test]
    fn bad_rules_are_named_field_by_field() {
        let cases = [
            (rule("blog", "/b"), "redirectRules.0.source"),
            (rule("/a-*", "/b"), "redirectRules.0.source"),
            (rule("/a?x=*", "/b"), "redirectRules.0.source"),
            (rule("/a", "b"), "redirectRules.0.destination"),
            (rule("/a", "//evil.com"), "redirectRules.0.destination"),
            (rule("/a", "/\\evil.com"), "redirectRules.0.destination"),
            (rule("/a", "javascript:alert(1)"), "redirectRules.0.destination"),
            (rule("/a", "https://user:pw@host.test/"), "redirectRules.0.destination"),
            (rule("/*", "https://$1/"), "redirectRules.0.destination"),
            (rule("/*", "/b/$2"), "redirectRules.0.destination"),
            (rule("/*", "/b/$0"), "redirectRules.0.destination"),
            (rule("/a", "/b\r\nSet-Cookie: x"), "redirectRules.0.destination"),
            (RedirectRule { status: 302, ..rule("/a", "/b") }, "redirectRules.0.status"),
        ];

        for (rule, field) in cases {
            let refused = compile(std::slice::from_ref(&rule)).expect_err("a rule that is refused");
            assert_eq!(refused, [field], "{rule:?}");
        }
    }

    #[test]
    fn loops_on_the_same_host_are_refused() {
        let cases: [&[RedirectRule]; 6] = [
            &[rule("/a", "/a")],
            &[rule("/a", "https://www.shop.example/a")],
            &[rule("/a", "/b"), rule("/b", "/a")],
            &[rule("/**", "/$1")],
            &[rule("/a/**", "/a/b/$1")],
            &[rule("/a", "/b/x"), rule("/b/*", "/c/$1"), rule("/c/*", "/a")],
        ];

        for rules in cases {
            assert!(compile(rules).is_err(), "{rules:?}");
        }
    }

    #[test]
    fn chains_that_end_and_other_hosts_are_no_loops() {
        let rules = [
            rule("/a", "/b"),
            rule("/b", "/c"),
            rule("/x/**", "https://other.test/x/$1"),
            rule("/old", "/old-2?from=old"),
        ];

        assert!(compile(&rules).is_ok());
    }

    #[test]
    fn a_rule_for_one_query_matches_nothing_else() {
        let rules = [rule("/p?id=3", "/product/3"), rule("/p?id=4", "/product/4")];

        assert_eq!(
            location(&rules, "https://shop.example/p?id=4").as_deref(),
            Some("https://shop.example/product/4?id=4")
        );
        assert_eq!(location(&rules, "https://shop.example/p"), None);
        assert_eq!(location(&rules, "https://shop.example/p?id=4&x=1"), None);
    }

    proptest! {
        #[test]
        fn no_request_chooses_the_host_or_breaks_the_header(path in "[ -~]{0,40}", destination in "/(\\$1|[a-z/?#&=]){0,10}") {
            let rules = [rule("/**", &destination)];
            let set = RedirectSet { ..RedirectSet::compile(&rules, &[]).unwrap_or_default() };

            let Ok(url) = Url::parse(&format!("https://shop.example/{path}")) else { return Ok(()) };

            if let Some(redirect) = set.find(&url) {
                let text = redirect.location.as_str();
                prop_assert!(text.starts_with("https://shop.example/"), "{text}");
                prop_assert!(!text.starts_with("https://shop.example//"), "{text}");
                prop_assert!(text.bytes().all(|byte| byte > 0x20 && byte < 0x7f), "{text}");
            }
        }

        #[test]
        fn no_rule_makes_compiling_panic(source in ".{0,40}", destination in ".{0,40}", status in 0u16..600) {
            let rules = [RedirectRule { status, ..rule(&format!("/{source}"), &destination) }, rule(&source, &format!("/{destination}"))];

            let _ = RedirectSet::compile(&rules, &HOSTS);
        }
    }
}
