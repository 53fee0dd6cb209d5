//! Responses of the Domains API. Pure. Must never show more than the specification's fields: other settings have endpoints
//! of their own.

use serde::Serialize;
use utoipa::ToSchema;

use super::connection::DnsRecord;
use super::headers::HeaderRule;
use super::model::{Domain, DomainId, DomainItem, DomainStatus, PreferredHost};
use super::redirects::RedirectRule;
use platform::clock::Timestamp;

/// An account's domains.
#[derive(Debug, Serialize, ToSchema)]
pub struct DomainList {
    /// Domains in the order they were added.
    pub domains: Vec<DomainItem>,
}

/// A domain that was added.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddedDomain {
    pub id: DomainId,
    /// Name of the domain, in A-label form.
    #[schema(example = "shop.example")]
    pub domain: String,
    /// Status of the new domain: `pending`.
    pub status: DomainStatus,
    /// Records to create at the DNS provider before the check endpoint is called.
    pub records: Vec<DnsRecord>,
    /// True when the name is below a registrable name.
    pub is_subdomain: bool,
}

/// A domain that was removed.
#[derive(Debug, Serialize, ToSchema)]
pub struct RemovedDomain {
    /// Always `true`.
    #[schema(example = true)]
    pub deleted: bool,
}

/// A domain with its settings.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10", "domain": "shop.example", "status": "connected",
    "originHost": "shop.lovable.app", "ignorePaths": "/admin/**\n/cart", "preferredHost": "apex",
    "redirectRules": [{ "source": "/blog/*", "destination": "/articles/$1", "status": 301, "preserveQuery": true }],
    "customResponseHeaders": [{ "pathPattern": "/drafts/**", "headers": [{ "name": "x-robots-tag", "value": "noindex" }] }],
    "onDemandRenderEnabled": true, "sitemapUrl": "https://shop.example/sitemap.xml", "discoveredUrlCount": 128, "tags": ["customers"],
    "createdAt": "2026-11-20T12:00:00.000Z", "updatedAt": "2026-11-20T12:00:00.000Z",
}))]
pub struct DomainDetail {
    pub id: DomainId,
    /// Name of the domain, in A-label form.
    #[schema(example = "shop.example")]
    pub domain: String,
    /// Connection status.
    pub status: DomainStatus,
    /// Host that serves the site to people, with its port unless that is the default; empty when it is the domain itself.
    #[schema(example = "shop.lovable.app")]
    pub origin_host: String,
    /// Path patterns that are never prerendered, one per line; empty when none.
    #[schema(example = "/admin/**\n/cart")]
    pub ignore_paths: String,
    /// Name to which requests for the other name are redirected; null: both names answer.
    pub preferred_host: Option<PreferredHost>,
    /// Redirect rules; the first match wins.
    pub redirect_rules: Vec<RedirectRule>,
    /// Headers that are added to the domain's responses.
    pub custom_response_headers: Vec<HeaderRule>,
    /// True when a page that was never rendered is rendered when a crawler requests it.
    pub on_demand_render_enabled: bool,
    /// Address of the sitemap; empty when none.
    #[schema(example = "https://shop.example/sitemap.xml")]
    pub sitemap_url: String,
    /// Number of pages found in the sitemap when it was last read.
    #[schema(example = 128)]
    pub discovered_url_count: u64,
    /// Tags that group the account's domains.
    #[schema(example = json!(["customers"]))]
    pub tags: Vec<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

impl From<Domain> for DomainDetail {
    fn from(domain: Domain) -> DomainDetail {
        let Domain { id, host, status, settings, created_at, updated_at, .. } = domain;
        DomainDetail {
            id,
            domain: host,
            status,
            origin_host: settings.origin_text(),
            ignore_paths: settings.ignore_paths,
            preferred_host: settings.preferred_host,
            redirect_rules: settings.redirect_rules,
            custom_response_headers: settings.custom_response_headers,
            on_demand_render_enabled: settings.on_demand_render_enabled,
            sitemap_url: settings.sitemap_url,
            discovered_url_count: settings.discovered_url_count,
            tags: settings.tags,
            created_at,
            updated_at,
        }
    }
}

/// A domain with its settings, after a change of the settings.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdatedDomain {
    /// The domain as it is stored now.
    #[serde(flatten)]
    pub domain: DomainDetail,
    /// Parts of the request that were not saved: a field, or `redirectRules.N.source`, `.destination`, `.status`. An
    /// `originHost` that did not answer is listed, but is saved.
    #[schema(example = json!(["redirectRules.0.source"]))]
    pub invalid_fields: Vec<String>,
}
