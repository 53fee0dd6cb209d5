//! Audit settings of a domain, below `/api/domains/:domain/auditing`, and the rules for changes. Pure.
//! Must never show secrets: headers are shown by name, credentials by their user.

mod change;
mod custom;
mod robots_txt;
mod view;

use std::collections::BTreeMap;

use audit_engine::engine::CrawlMode;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crawler::url::OriginHost;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::words::Frequency;

pub use change::AuditingChange;
pub use custom::{ExtractionRule, SearchRule};
pub use robots_txt::RobotsTxt;
pub use view::AuditingView;

/// Audit settings of a domain without secrets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Auditing {
    /// Frequency of scheduled audits.
    pub frequency: Frequency,
    /// Method of finding pages in scheduled audits.
    pub mode: CrawlMode,
    /// Paths that are audited; empty: all.
    pub include: Vec<String>,
    /// Paths that are not audited.
    pub exclude: Vec<String>,
    /// Query parameters that make no other page.
    pub drop_parameters: Vec<String>,
    /// HTML pages after which a run ends; none: the limit of the plan.
    pub max_pages: Option<u64>,
    /// Clicks from the start.
    pub max_depth: Option<u32>,
    /// Maximum number of requests per second; none: adaptive.
    pub requests_per_second: Option<f64>,
    /// User agent of the audit; none: the default.
    pub user_agent: Option<String>,
    /// Rules for crawlers that the audit obeys.
    pub robots_txt: RobotsTxt,
    /// Pages are rendered where that is needed.
    pub javascript: bool,
    /// Checks that run although they do not by default.
    pub enabled_checks: Vec<String>,
    /// Checks that do not run.
    pub disabled_checks: Vec<String>,
    /// Thresholds of checks, by name.
    pub thresholds: BTreeMap<String, f64>,
    /// Pieces that are wanted of each page.
    pub extractions: Vec<ExtractionRule>,
    /// Pages that are to be found.
    pub searches: Vec<SearchRule>,
    /// Findings that are left out of lists and scores.
    pub ignored: Vec<Ignored>,
    /// Told when a run ends.
    pub webhook_url: Option<String>,
}

impl Default for Auditing {
    fn default() -> Auditing {
        Auditing {
            frequency: Frequency::Manual,
            mode: CrawlMode::Follow,
            include: Vec::new(),
            exclude: Vec::new(),
            drop_parameters: Vec::new(),
            max_pages: None,
            max_depth: None,
            requests_per_second: None,
            user_agent: None,
            robots_txt: RobotsTxt::Obey,
            javascript: true,
            enabled_checks: Vec::new(),
            disabled_checks: Vec::new(),
            thresholds: BTreeMap::new(),
            extractions: Vec::new(),
            searches: Vec::new(),
            ignored: Vec::new(),
            webhook_url: None,
        }
    }
}

/// Findings that are left out of lists and scores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ignored {
    #[schema(examples("THIN_CONTENT"))]
    pub issue_id: String,
    /// Paths of the findings; `*` is any run of characters. Findings about the site are at `/`.
    #[schema(examples("/tags/*"))]
    pub path_pattern: String,
}

/// Secrets that only the site's own server receives. Sealed in the database.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteCredentials {
    /// Headers, by name and value.
    pub headers: Vec<SentHeader>,
    /// User and password.
    pub basic_auth: Option<BasicAuth>,
    /// Secret that signs webhooks.
    pub webhook_secret: Option<String>,
    /// Origin host of the domain when headers and user were saved.
    pub origin_host: Option<OriginHost>,
}

/// A header that the audit sends.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SentHeader {
    #[schema(examples("x-staging-token"))]
    pub name: String,
    /// Value of the header. Never shown again.
    pub value: String,
}

/// User and password for the site's own server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BasicAuth {
    /// The user.
    #[schema(examples("staging"))]
    pub username: String,
    /// The password. Never shown again.
    pub password: String,
}

impl SiteCredentials {
    /// Removes what was meant for another server than the domain's present one. See docs/decisions/0208.
    pub fn keep_for(&mut self, origin_host: Option<&OriginHost>) {
        if self.origin_host.as_ref() != origin_host {
            (self.headers, self.basic_auth) = (Vec::new(), None);
        }
    }

    /// Binds headers and user to the server that they are sent to.
    pub fn bind_to(&mut self, origin_host: Option<&OriginHost>) {
        self.origin_host = origin_host.cloned();
    }

    /// Returns the headers of every request to the site.
    pub fn request_headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for sent in &self.headers {
            if let (Ok(name), Ok(mut value)) =
                (sent.name.parse::<HeaderName>(), sent.value.parse::<HeaderValue>())
            {
                value.set_sensitive(true);
                headers.append(name, value);
            }
        }
        if let Some(BasicAuth { username, password }) = &self.basic_auth {
            let text = format!("Basic {}", STANDARD.encode(format!("{username}:{password}")));
            let mut value = HeaderValue::try_from(text).expect("base64 is plain text");
            value.set_sensitive(true);
            headers.insert(header::AUTHORIZATION, value);
        }
        headers
    }
}
