//! Custom response headers: headers that customers add to the responses of their pages, by path pattern.
//! Pure. Must never accept a name or value that could break the protocol, the cache or the service's own headers.

use http::{HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::patterns::{Grammar, PathPattern, SplitPath};

/// Maximum number of rules of a domain.
pub const MAX_RULES: usize = 10;
/// Maximum number of headers of a rule.
pub const MAX_HEADERS: usize = 5;
const MAX_NAME_BYTES: usize = 64;
const MAX_VALUE_BYTES: usize = 2048;

/// Names that belong to the protocol, to caching or to the service. Names ending in `*` are prefixes.
const FORBIDDEN: [&str; 36] = [
    "connection",
    "keep-alive",
    "proxy-*",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "content-length",
    "content-encoding",
    "content-range",
    "content-type",
    "host",
    "date",
    "server",
    "via",
    "age",
    "set-cookie",
    "set-cookie2",
    "location",
    "etag",
    "last-modified",
    "vary",
    "alt-svc",
    "expect",
    "retry-after",
    "www-authenticate",
    "authorization",
    "cookie",
    "x-service-*",
    "x-request-id",
    "sec-*",
    "cf-*",
    "accept-ranges",
    "range",
    "if-none-match",
    "forwarded",
];

/// Headers for the paths that match a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeaderRule {
    #[schema(example = "/blog/**")]
    pub path_pattern: String,
    /// Headers to add, at most five.
    pub headers: Vec<HeaderField>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HeaderField {
    /// Header name, case-insensitive.
    #[schema(example = "x-robots-tag")]
    pub name: String,
    /// Value in printable ASCII.
    #[schema(example = "noarchive")]
    pub value: String,
}

/// One entry of `details` of `invalid_custom_headers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct HeaderIssue {
    /// Position of the rule, from 0.
    pub rule: usize,
    /// Name of the header as it was sent; empty when the issue is about the rule itself.
    pub header: String,
    pub reason: String,
}

/// Compiled header rules of one domain.
#[derive(Debug, Clone, Default)]
pub struct HeaderSet {
    rules: Vec<(PathPattern, Vec<(HeaderName, HeaderValue)>)>,
}

impl HeaderSet {
    /// Checks and compiles the rules of a domain; on any issue no rule may be saved.
    pub fn compile(rules: &[HeaderRule]) -> Result<HeaderSet, Vec<HeaderIssue>> {
        let mut issues = Vec::new();
        if rules.len() > MAX_RULES {
            issues.push(issue(MAX_RULES, "", format!("at most {MAX_RULES} rules are allowed")));
        }
        let compiled =
            rules.iter().enumerate().map(|(at, rule)| compile_rule(at, rule, &mut issues)).collect();
        if issues.is_empty() { Ok(HeaderSet { rules: compiled }) } else { Err(issues) }
    }

    /// Adds the headers of every matching rule, in order; a later value replaces an earlier one.
    pub fn apply(&self, path: &SplitPath<'_>, headers: &mut HeaderMap) {
        let matching = self.rules.iter().filter(|(pattern, _)| pattern.matches(path));
        for (name, value) in matching.flat_map(|(_, fields)| fields) {
            headers.insert(name.clone(), value.clone());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

fn compile_rule(
    at: usize,
    rule: &HeaderRule,
    issues: &mut Vec<HeaderIssue>,
) -> (PathPattern, Vec<(HeaderName, HeaderValue)>) {
    let pattern = PathPattern::parse(&rule.path_pattern, Grammar::Path).unwrap_or_else(|error| {
        issues.push(issue(at, "", format!("pathPattern {error}")));
        PathPattern::parse("/", Grammar::Path).expect("a constant that parses")
    });
    if rule.headers.len() > MAX_HEADERS {
        issues.push(issue(at, "", format!("at most {MAX_HEADERS} headers are allowed in a rule")));
    }
    let mut fields = Vec::new();
    for field in &rule.headers {
        match compile_field(field) {
            Ok(compiled) => fields.push(compiled),
            Err(reason) => issues.push(issue(at, &field.name, reason)),
        }
    }
    (pattern, fields)
}

fn compile_field(field: &HeaderField) -> Result<(HeaderName, HeaderValue), String> {
    if field.name.len() > MAX_NAME_BYTES {
        return Err(format!("the name must not be longer than {MAX_NAME_BYTES} bytes"));
    }
    let name = HeaderName::from_bytes(field.name.as_bytes()).map_err(|_| "the name is not a header name")?;
    if is_forbidden(name.as_str()) {
        return Err("this header is set by the service or by the protocol".to_owned());
    }
    let value = field.value.trim_matches([' ', '\t']);
    if value.len() > MAX_VALUE_BYTES {
        return Err(format!("the value must not be longer than {MAX_VALUE_BYTES} bytes"));
    }
    // HeaderValue itself would accept bytes outside ASCII.
    if !value.bytes().all(|byte| byte == b'\t' || (0x20..0x7f).contains(&byte)) {
        return Err("the value may hold printable ASCII only".to_owned());
    }
    let value = HeaderValue::from_str(value).map_err(|_| "the value is not a header value")?;
    Ok((name, value))
}

fn is_forbidden(name: &str) -> bool {
    FORBIDDEN.iter().any(|forbidden| match forbidden.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == *forbidden,
    })
}

fn issue(rule: usize, header: &str, reason: impl Into<String>) -> HeaderIssue {
    HeaderIssue { rule, header: header.to_owned(), reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rule(pattern: &str, headers: &[(&str, &str)]) -> HeaderRule {
        let headers =
            headers.iter().map(|(name, value)| HeaderField { name: (*name).into(), value: (*value).into() });
        HeaderRule { path_pattern: pattern.to_owned(), headers: headers.collect() }
    }

    #[test]
    fn all_matching_rules_apply_and_a_later_value_replaces_an_earlier_one() {
        let rules =
            [rule("/**", &[("X-Frame-Options", "DENY"), ("x-a", "1")]), rule("/blog/*", &[("x-a", " 2 ")])];
        let set = HeaderSet::compile(&rules).expect("rules that may be saved");
        let mut headers = HeaderMap::new();

        set.apply(&SplitPath::new("/blog/first", ""), &mut headers);

        assert_eq!(headers["x-frame-options"], "DENY");
        assert_eq!(headers["x-a"], "2");
        assert_eq!(headers.len(), 2);
    }

    #[test]
    fn headers_of_the_protocol_and_of_the_service_are_refused() {
        for name in
            ["Content-Type", "set-cookie", "x-service-render-cache", "Sec-Fetch-Mode", "proxy-x", "CF-Ray"]
        {
            let refused = HeaderSet::compile(&[rule("/", &[(name, "x")])]).expect_err("a forbidden name");
            assert_eq!((refused[0].rule, refused[0].header.as_str()), (0, name));
        }
    }

    #[test]
    fn malformed_names_and_values_are_refused() {
        for (name, value) in [
            ("", "x"),
            ("a b", "x"),
            ("x-a:", "x"),
            (":path", "x"),
            ("x-a", "a\r\nb"),
            ("x-a", "é"),
            ("x-a", "\0"),
        ] {
            assert!(HeaderSet::compile(&[rule("/", &[(name, value)])]).is_err(), "{name:?}: {value:?}");
        }
        assert!(HeaderSet::compile(&[rule("/", &[("x-a", &"v".repeat(2049))])]).is_err());
        assert!(HeaderSet::compile(&[rule("no-slash", &[("x-a", "v")])]).is_err());
    }

    #[test]
    fn ten_rules_of_five_headers_are_the_most() {
        let five = [("x-a", "1"), ("x-b", "1"), ("x-c", "1"), ("x-d", "1"), ("x-e", "1")];
        let six = [five.as_slice(), &[("x-f", "1")]].concat();

        assert!(HeaderSet::compile(&vec![rule("/", &five); 10]).is_ok());
        assert!(HeaderSet::compile(&vec![rule("/", &five); 11]).is_err());
        assert!(HeaderSet::compile(&[rule("/", &six)]).is_err());
    }

    proptest! {
        #[test]
        fn no_saved_value_can_start_a_second_header(name in ".{0,20}", value in ".{0,40}") {
            let mut headers = HeaderMap::new();
            if let Ok(set) = HeaderSet::compile(&[rule("/**", &[(&name, &value)])]) {
                set.apply(&SplitPath::new("/x", ""), &mut headers);
            }

            for value in headers.values() {
                prop_assert!(value.as_bytes().iter().all(|byte| *byte == b'\t' || (0x20..0x7f).contains(byte)));
            }
        }
    }
}
