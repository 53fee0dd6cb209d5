//! Settings: defaults, `glasshouse.toml`, environment variables, in this order; the later wins.
//! The only part that reads the environment. Must never print or log a secret: [`Config::listing`] masks them.
//! See docs/decisions/0016.

mod addresses;
mod assistants;
mod clickhouse;
mod layers;
mod reference;
mod secrets;
mod signers;
mod values;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crawler::HostTarget;
use crawler::sitemap::SitemapLimits;
use http::HeaderName;
use ipnet::IpNet;
use serde::Deserialize;
use url::Url;

use crate::plans::{Plan, PlanLimits};
pub use assistants::{AnalysisSection, MentionsSection, ProviderSection, ProviderStyle, SearchSource};
pub use clickhouse::ClickHouseUrl;
pub use layers::{API_KEY_VARIABLE, ConfigError, SettingOrigin};
pub use reference::describe_settings;
pub use signers::{CRAWLER_PURPOSES, OwnSigner};
use values::optional;
pub use values::{AccessLogFormat, ProxyProtocol, Scheme, Secret};

/// Everything an operator can set. One field per section of `defaults.toml`, where each setting is described.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub server: ServerSection,
    pub edge: EdgeSection,
    pub storage: StorageSection,
    pub network: NetworkSection,
    pub render: RenderSection,
    pub refresh: RefreshSection,
    pub indexnow: IndexNowSection,
    pub limits: LimitsSection,
    pub plans: BTreeMap<Plan, PlanLimits>,
    pub providers: BTreeMap<String, ProviderSection>,
    pub mentions: MentionsSection,
    pub analysis: AnalysisSection,
    pub mail: MailSection,
    pub analytics: AnalyticsSection,
    pub telemetry: TelemetrySection,
    #[serde(skip)]
    listing: Vec<EffectiveSetting>,
    #[serde(skip)]
    ignored_variables: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSection {
    pub listen: SocketAddr,
    #[serde(deserialize_with = "optional")]
    public_url: Option<Url>,
    #[serde(deserialize_with = "optional")]
    pub demo_domain: Option<String>,
    pub roles: Vec<Role>,
    #[serde(deserialize_with = "optional")]
    pub auth_header: Option<HeaderName>,
    #[serde(deserialize_with = "values::networks")]
    pub auth_proxies: Vec<IpNet>,
    pub shutdown_grace_s: u64,
    pub drain_s: u64,
    pub proxy_protocol: ProxyProtocol,
}

/// A part of the service that a process may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// API and dashboard.
    Api,
    /// Front of the customers' domains.
    Edge,
    /// Browsers.
    Render,
    /// Background jobs.
    Worker,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeSection {
    #[serde(deserialize_with = "optional")]
    pub http_listen: Option<SocketAddr>,
    #[serde(deserialize_with = "optional")]
    pub https_listen: Option<SocketAddr>,
    #[serde(deserialize_with = "optional")]
    pub acme_directory_url: Option<Url>,
    #[serde(deserialize_with = "optional")]
    pub acme_contact: Option<String>,
    #[serde(deserialize_with = "optional")]
    pub acme_root_ca: Option<PathBuf>,
    pub secret: Secret,
    pub public_ipv4: Vec<std::net::Ipv4Addr>,
    pub public_ipv6: Vec<std::net::Ipv6Addr>,
    pub origin_scheme: Scheme,
    #[serde(deserialize_with = "values::networks")]
    pub trusted_proxies: Vec<IpNet>,
    pub proxy_protocol: ProxyProtocol,
    #[serde(deserialize_with = "signers::read")]
    pub signers: Vec<OwnSigner>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageSection {
    pub data_dir: PathBuf,
    #[serde(deserialize_with = "optional")]
    database_url: Option<String>,
    pub database_connections: u32,
    #[serde(deserialize_with = "optional")]
    object_store_url: Option<String>,
    #[serde(deserialize_with = "optional")]
    pub s3_endpoint: Option<String>,
    pub s3_region: String,
    pub s3_access_key_id: Secret,
    pub s3_secret_access_key: Secret,
    pub s3_allow_http: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSection {
    #[serde(deserialize_with = "values::networks")]
    pub allow_private: Vec<IpNet>,
    #[serde(deserialize_with = "values::hosts")]
    pub hosts: BTreeMap<String, HostTarget>,
    pub strict_egress: bool,
    pub dns_servers: Vec<SocketAddr>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenderSection {
    #[serde(deserialize_with = "optional")]
    pub chromium: Option<PathBuf>,
    #[serde(deserialize_with = "values::count_or_auto")]
    concurrency: Option<NonZeroUsize>,
    pub timeout_ms: u64,
    pub default_refresh_interval_s: u64,
    pub memory_cache_bytes: u64,
    pub keep_days: NonZeroU64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefreshSection {
    pub variant: RefreshVariant,
}

/// Variant of the four cache refresh endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefreshVariant {
    /// Renders again; the old snapshot is served until the new one is there.
    Rerender,
    /// Deletes first, renders again only when asked to.
    Purge,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsSection {
    pub request_body_bytes: usize,
    pub url_bytes: usize,
    pub html_bytes: usize,
    pub page_bytes: u64,
    pub sitemap_bytes: u64,
    pub sitemap_urls: usize,
    pub sitemap_total_urls: usize,
    pub redirects: u32,
    pub connections: usize,
    pub connections_per_address: usize,
    pub tunnel_idle_s: u64,
    pub origin_requests_per_domain: usize,
    pub on_demand_renders_per_minute: u32,
    pub unverified_renders_per_client: u32,
    pub unverified_renders_per_domain: u32,
    pub anonymous_per_minute: u32,
    pub keys_per_account: u64,
    pub snapshots_per_domain: NonZeroU64,
}

impl LimitsSection {
    /// Returns how much of sitemaps is read: by audits, refreshes and settings alike.
    pub fn of_sitemaps(&self) -> SitemapLimits {
        SitemapLimits {
            file_bytes: self.sitemap_bytes,
            file_urls: self.sitemap_urls,
            total_urls: self.sitemap_total_urls,
            ..SitemapLimits::default()
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexNowSection {
    pub endpoint: Url,
    pub interval_s: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailSection {
    pub smtp_url: Secret,
    #[serde(deserialize_with = "optional")]
    pub from: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalyticsSection {
    #[serde(deserialize_with = "clickhouse::optional")]
    pub store_url: Option<ClickHouseUrl>,
    pub keep_days: u32,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TelemetrySection {
    pub log_format: ServiceLogFormat,
    pub log_level: String,
    #[serde(deserialize_with = "optional")]
    pub otlp_endpoint: Option<Url>,
    #[serde(deserialize_with = "optional")]
    pub metrics_listen: Option<SocketAddr>,
    pub access_log: AccessLogFormat,
    #[serde(deserialize_with = "optional")]
    pub access_log_file: Option<PathBuf>,
}

/// Form of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServiceLogFormat {
    /// One readable line per event.
    Text,
    /// One JSON object per event.
    Json,
}

/// One effective setting, as `glasshouse config` shows it.
#[derive(Debug, Clone)]
pub struct EffectiveSetting {
    /// Dotted key.
    pub key: String,
    /// Value, secrets masked.
    pub value: serde_json::Value,
    /// Source of the value.
    pub origin: SettingOrigin,
}

impl Config {
    /// Reads the settings: defaults, then `file` (or `glasshouse.toml` in the working folder when there is one), then
    /// the environment.
    pub fn load(file: Option<&Path>) -> Result<Config, ConfigError> {
        let environment = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
        });
        Config::from_sources(layers::read_file(file)?, environment)
    }

    /// Returns the settings of `toml`, without file and environment. For tests.
    pub fn from_toml(toml: &str) -> Result<Config, ConfigError> {
        Config::from_sources(Some((PathBuf::from("glasshouse.toml"), toml.to_owned())), std::iter::empty())
    }

    fn from_sources(
        file: Option<(PathBuf, String)>,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<Config, ConfigError> {
        let settings = layers::merge(file, environment)?;
        let mut config: Config = settings.deserialize()?;
        config.listing = settings.lines::<Config>();
        config.ignored_variables = settings.ignored;
        config.validate()?;
        Ok(config)
    }

    /// Returns every effective setting in order of its key, secrets masked.
    pub fn listing(&self) -> &[EffectiveSetting] {
        &self.listing
    }

    /// Returns environment variables with the prefix of settings that are none, for one warning.
    pub fn ignored_variables(&self) -> &[String] {
        &self.ignored_variables
    }

    pub fn plan(&self, plan: Plan) -> &PlanLimits {
        self.plans.get(&plan).expect("defaults.toml has every plan and nothing can remove one")
    }

    /// Returns true when this process runs the part.
    pub fn has_role(&self, role: Role) -> bool {
        self.server.roles.contains(&role)
    }

    /// Returns the address of the database.
    pub fn database_url(&self) -> String {
        let embedded = || format!("sqlite:{}", self.storage.data_dir.join("glasshouse.db").display());
        self.storage.database_url.clone().unwrap_or_else(embedded)
    }

    /// Returns the address of the object store for snapshots and archives.
    pub fn object_store_url(&self) -> String {
        let embedded = || format!("file:{}", self.storage.data_dir.join("objects").display());
        self.storage.object_store_url.clone().unwrap_or_else(embedded)
    }

    /// Returns the most pages that are rendered at once; the number at a time follows the load of the machine.
    pub fn render_concurrency(&self) -> usize {
        self.render.concurrency.map_or_else(browser::max_concurrency, NonZeroUsize::get)
    }

    /// Returns the hard limit of one render.
    pub fn render_timeout(&self) -> Duration {
        Duration::from_millis(self.render.timeout_ms)
    }

    /// Checks what a type alone cannot say.
    fn validate(&self) -> Result<(), ConfigError> {
        let refuse = |key: &str, problem: &str| Err(ConfigError::value(key, problem));
        if self.server.roles.is_empty() {
            return refuse("server.roles", "names no role, so this process would do nothing");
        }
        if self.server.auth_header.is_some() && self.server.auth_proxies.is_empty() {
            return refuse("server.auth_header", "needs server.auth_proxies: nobody else is believed");
        }
        if self.server.auth_header.is_none() && !self.server.auth_proxies.is_empty() {
            return refuse("server.auth_proxies", "needs server.auth_header: nothing says who is signed in");
        }
        if self.render.timeout_ms < 100 {
            return refuse("render.timeout_ms", "is less than 100 ms: no page settles in that time");
        }
        if self.render.default_refresh_interval_s == 0 {
            return refuse("render.default_refresh_interval_s", "must be at least 1");
        }
        if self.limits.request_body_bytes == 0 || self.limits.html_bytes == 0 || self.limits.page_bytes == 0 {
            return refuse("limits", "of bytes must be at least 1");
        }
        if self.limits.connections_per_address == 0 {
            return refuse("limits.connections_per_address", "must be at least 1");
        }
        if self.limits.tunnel_idle_s == 0 {
            return refuse("limits.tunnel_idle_s", "must be at least 1");
        }
        if self.limits.origin_requests_per_domain == 0 {
            return refuse("limits.origin_requests_per_domain", "must be at least 1");
        }
        if self.analytics.keep_days == 0 {
            return refuse("analytics.keep_days", "must be at least 1");
        }
        if self.storage.database_connections == 0 {
            return refuse("storage.database_connections", "must be at least 1");
        }
        let database = self.database_url();
        if !["sqlite:", "postgres://", "postgresql://"].iter().any(|scheme| database.starts_with(scheme)) {
            return refuse("storage.database_url", "must start with sqlite: or postgres://");
        }
        let objects = self.object_store_url();
        if !["file:", "s3://"].iter().any(|scheme| objects.starts_with(scheme)) {
            return refuse("storage.object_store_url", "must start with file: or s3://");
        }
        if let Some(url) = &self.server.public_url
            && !matches!(url.scheme(), "http" | "https")
        {
            return refuse("server.public_url", "must start with http:// or https://");
        }
        if let Some(url) = &self.telemetry.otlp_endpoint
            && !(matches!(url.scheme(), "http" | "https") && url.has_host())
        {
            return refuse("telemetry.otlp_endpoint", "must start with http:// or https://");
        }
        assistants::validate(self)
    }
}

#[cfg(test)]
mod tests;
