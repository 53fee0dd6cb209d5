//! Changes of a domain's settings: accepted fields, errors that refuse the whole request, and fields that are left out.
//! Pure: the handler checks whether an origin answers. Used by the settings endpoint.

use std::fmt;
use std::marker::PhantomData;

use crawler::url::OriginHost;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

use super::headers::{HeaderField, HeaderIssue, HeaderRule, HeaderSet};
use super::model::{PreferredHost, Settings};
use super::names::{self, OriginProblem};
use super::patterns::PathList;
use super::redirects::{RedirectRule, RedirectSet};
use platform::plans::PlanLimits;

/// Changes to a domain's settings. Fields that are left out keep their values; lists are replaced as a whole.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingsChange {
    /// Host that serves the site to people, with its port unless that is the default. A whole URL is reduced to them.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, nullable = false, examples("shop.lovable.app"))]
    origin_host: Option<String>,
    /// Path patterns that are never prerendered, one per line, at most 500; empty: none.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, nullable = false, examples("/admin/**\n/cart"))]
    ignore_paths: Option<String>,
    /// Name to which requests for the other name are redirected, `apex` or `www`; null: both names answer.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<PreferredHost>)]
    preferred_host: Option<Option<String>>,
    /// Redirect rules that replace all existing rules. The plan limits their number.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Vec<SentRedirect>>, nullable = false)]
    redirect_rules: Option<Vec<Object<SentRedirect>>>,
    /// Header rules that replace all existing rules; at most 10.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Vec<HeaderRule>>, nullable = false, max_items = 10)]
    custom_response_headers: Option<Vec<Object<SentHeaders>>>,
    /// True when a page that was never rendered is rendered when a crawler requests it.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<bool>, nullable = false)]
    on_demand_render_enabled: Option<bool>,
    /// Tags that replace all existing tags, at most 10: 1 to 64 lower-case letters, digits and hyphens each.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Vec<String>>, nullable = false, max_items = 10, example = json!(["customers"]))]
    tags: Option<Vec<String>>,
}

/// Maximum number of tags of a domain.
const MAX_TAGS: usize = 10;
/// Longest tag, in characters.
const MAX_TAG_CHARS: usize = 64;

/// Redirect rule in a request.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentRedirect {
    /// Path pattern. `*` matches one segment, a final `**` the rest of the path. A source with `?` matches one path with
    /// exactly this query.
    #[schema(examples("/blog/*"))]
    source: String,
    /// Path that starts with one `/`, or an absolute http(s) URL. `$1`, `$2`, … insert the text that the wildcards matched.
    #[schema(examples("/articles/$1"))]
    destination: String,
    /// Status: 301 or 307.
    #[serde(default = "moved_permanently")]
    #[schema(value_type = u16, default = 301)]
    status: serde_json::Number,
    /// True when the request's query parameters are added to the destination.
    #[serde(default = "yes")]
    #[schema(default = true)]
    preserve_query: bool,
}

fn moved_permanently() -> serde_json::Number {
    301.into()
}

fn yes() -> bool {
    true
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SentHeaders {
    path_pattern: String,
    headers: Vec<Object<HeaderField>>,
}

/// Reason why a request as a whole is refused; nothing is saved then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsError {
    /// The plan has no custom response headers.
    UpgradeRequired,
    /// The origin host cannot be used.
    Origin(OriginProblem),
    /// More redirect rules than the plan allows.
    RedirectLimit {
        /// Number of rules that the plan allows.
        limit: u64,
        /// Number of rules in the request.
        current: u64,
    },
    /// Response headers that may not be set.
    InvalidHeaders(Vec<HeaderIssue>),
}

/// Validated change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckedChange {
    /// New origin host in canonical form, if one was sent. The caller still has to check whether the host answers.
    pub origin_host: Option<OriginHost>,
    /// Fields of the change that are left out, by their names in the API.
    pub invalid_fields: Vec<String>,
    ignore_paths: Option<String>,
    preferred_host: Option<Option<PreferredHost>>,
    redirect_rules: Option<Vec<RedirectRule>>,
    custom_response_headers: Option<Vec<HeaderRule>>,
    on_demand_render_enabled: Option<bool>,
    tags: Option<Vec<String>>,
}

impl SettingsChange {
    /// Takes an empty origin host out of the change, by which the operator removes the host. Returns false when there is none.
    pub fn take_removal_of_origin(&mut self) -> bool {
        self.origin_host.take_if(|text| text.is_empty()).is_some()
    }

    /// Validates a change for the domain `host` on a plan. Does not depend on stored data.
    pub fn check(self, host: &str, plan: &PlanLimits) -> Result<CheckedChange, SettingsError> {
        let twin = names::twin(host);
        let headers = self.custom_response_headers.map(header_rules);
        if headers.as_ref().is_some_and(|rules| !rules.is_empty()) && !plan.custom_headers {
            return Err(SettingsError::UpgradeRequired);
        }
        let origin_host = self.origin_host.map(|text| names::check_origin(host, &text)).transpose();
        let origin_host = origin_host.map_err(SettingsError::Origin)?;
        let current = self.redirect_rules.as_ref().map_or(0, Vec::len) as u64;
        if !plan.redirect_rules.allows(current) {
            let limit = plan.redirect_rules.most().unwrap_or(u64::MAX);
            return Err(SettingsError::RedirectLimit { limit, current });
        }
        if let Some(rules) = &headers {
            HeaderSet::compile(rules).map_err(SettingsError::InvalidHeaders)?;
        }

        let mut checked = CheckedChange {
            origin_host,
            custom_response_headers: headers,
            on_demand_render_enabled: self.on_demand_render_enabled,
            ..CheckedChange::default()
        };
        if let Some(text) = self.ignore_paths {
            match PathList::parse(&text) {
                Ok(_) => checked.ignore_paths = Some(text),
                Err(_) => checked.invalid_fields.push("ignorePaths".to_owned()),
            }
        }
        if let Some(word) = self.preferred_host {
            match preferred_host(word.as_deref(), twin.is_some()) {
                Some(preferred) => checked.preferred_host = Some(preferred),
                None => checked.invalid_fields.push("preferredHost".to_owned()),
            }
        }
        if let Some(tags) = self.tags {
            match checked_tags(tags) {
                Some(tags) => checked.tags = Some(tags),
                None => checked.invalid_fields.push("tags".to_owned()),
            }
        }
        if let Some(rules) = self.redirect_rules {
            let rules: Vec<RedirectRule> = rules.into_iter().map(|rule| rule.0.into()).collect();
            let hosts: Vec<&str> = std::iter::once(host).chain(twin.as_deref()).collect();
            match RedirectSet::compile(&rules, &hosts) {
                Ok(_) => checked.redirect_rules = Some(rules),
                Err(issues) => checked.invalid_fields.extend(issues.into_iter().map(|issue| issue.field)),
            }
        }
        Ok(checked)
    }
}

impl CheckedChange {
    /// Applies the change, without the fields that were left out.
    pub fn apply_to(self, settings: &mut Settings) {
        settings.origin_host = self.origin_host.or_else(|| settings.origin_host.take());
        replace(&mut settings.ignore_paths, self.ignore_paths);
        replace(&mut settings.preferred_host, self.preferred_host);
        replace(&mut settings.redirect_rules, self.redirect_rules);
        replace(&mut settings.custom_response_headers, self.custom_response_headers);
        replace(&mut settings.on_demand_render_enabled, self.on_demand_render_enabled);
        replace(&mut settings.tags, self.tags);
    }
}

fn replace<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

/// Parses a preferred host. Returns none for an invalid word; a domain without a twin can only have no preference.
fn preferred_host(word: Option<&str>, has_twin: bool) -> Option<Option<PreferredHost>> {
    match word {
        None => Some(None),
        Some("apex") if has_twin => Some(Some(PreferredHost::Apex)),
        Some("www") if has_twin => Some(Some(PreferredHost::Www)),
        Some(_) => None,
    }
}

/// Sorts tags and removes repetitions. Returns none when one is invalid or there are too many.
fn checked_tags(mut tags: Vec<String>) -> Option<Vec<String>> {
    let is_tag_char = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_tag = |tag: &String| (1..=MAX_TAG_CHARS).contains(&tag.len()) && tag.bytes().all(is_tag_char);
    tags.sort_unstable();
    tags.dedup();
    (tags.len() <= MAX_TAGS && tags.iter().all(is_tag)).then_some(tags)
}

fn header_rules(sent: Vec<Object<SentHeaders>>) -> Vec<HeaderRule> {
    let rule = |Object(rule): Object<SentHeaders>| HeaderRule {
        path_pattern: rule.path_pattern,
        headers: rule.headers.into_iter().map(|field| field.0).collect(),
    };
    sent.into_iter().map(rule).collect()
}

impl From<SentRedirect> for RedirectRule {
    fn from(sent: SentRedirect) -> RedirectRule {
        // A number that is not a valid status becomes 0, which is rejected like any other wrong status.
        let status = sent.status.as_u64().and_then(|number| u16::try_from(number).ok()).unwrap_or(0);
        let SentRedirect { source, destination, preserve_query, .. } = sent;
        RedirectRule { source, destination, status, preserve_query }
    }
}

/// Distinguishes a present field from an absent one: null is a present value, and of the wrong type for most fields.
pub(super) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// JSON object. serde alone would also accept a list of the fields in their order.
#[derive(Debug, Clone)]
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<T>, D::Error> {
        struct OfMap<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for OfMap<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(OfMap(PhantomData))
    }
}
