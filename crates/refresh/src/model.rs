//! Requests and responses of the refresh endpoints. Pure.

use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use domains::Site;
use platform::clock::Timestamp;

/// Maximum number of paths of one request.
pub const MAX_PATHS: usize = 10_000;
/// Pages that become jobs in one transaction. Larger batches are fed part by part.
pub const PAGES_PER_PART: usize = if cfg!(test) { 20 } else { 1_000 };

/// Asks for one page.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct PageRequest {
    /// Domain of the account.
    #[schema(examples("shop.example"))]
    pub domain: String,
    /// Path of the page, with its query if it has one.
    #[schema(examples("/shoes?size=42"))]
    pub path: String,
    /// `false`: nothing happens. Default `true` (variant `purge`: `false`, and then the page is only deleted).
    #[schema(examples(true))]
    pub prewarm: Option<bool>,
}

/// Asks for several pages.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct PathsRequest {
    /// Domain of the account.
    #[schema(examples("shop.example"))]
    pub domain: String,
    /// Paths of the pages: at least one.
    #[schema(example = json!(["/", "/shoes"]), min_items = 1, max_items = 10000)]
    pub paths: Vec<String>,
    /// `false`: nothing happens. Default `true` (variant `purge`: `false`, and then the pages are only deleted).
    #[schema(examples(true))]
    pub prewarm: Option<bool>,
}

/// Asks for the pages of a sitemap.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteRequest {
    /// Domain of the account.
    #[schema(examples("shop.example"))]
    pub domain: String,
    /// Sitemap to read instead of the stored one.
    #[schema(examples("https://shop.example/sitemap.xml"))]
    pub sitemap_url: Option<String>,
    /// `false`: nothing happens. Default `true` (variant `purge`: `false`, and then the pages are only deleted).
    #[schema(examples(true))]
    pub prewarm: Option<bool>,
}

/// Reason why nothing was queued.
// Not among the codes of `api::ErrorCode`, because it is not a refusal: it stands in a response of status 200.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Cause)]
pub enum NotQueued {
    /// The account has used its renders of this month.
    RenderLimitReached,
    /// The site's server does not answer.
    OriginNotReachable,
    /// The configured origin host does not answer.
    OriginHostNotReachable,
    /// The server answers, but not with this page.
    PathNotReachable,
    /// No sitemap was given and none is stored.
    NoSitemap,
    /// The sitemap could not be fetched.
    FetchFailed,
    /// The fetched file is not a sitemap.
    ParseFailed,
    /// Nothing in the sitemap is newer than its snapshot.
    NoUpdatedPaths,
}

/// Outcome for one or several pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(examples(json!({ "ok": true, "prewarmed": 1 }), json!({ "ok": false, "error": "path_not_reachable", "prewarmed": 0 })))]
pub struct PagesReply {
    /// True on success; `false` comes with `error`.
    pub ok: bool,
    /// Reason why nothing was queued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<NotQueued>,
    /// Number of deleted stored pages (variant `purge` only).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples(1))]
    pub deleted: Option<u64>,
    /// Number of queued renders.
    #[schema(examples(1))]
    pub prewarmed: u64,
}

/// Outcome for a site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(
    json!({ "ok": true, "accepted": true, "batchGroupId": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10" }),
    json!({ "ok": false, "error": "no_sitemap", "accepted": false, "batchGroupId": "" })
))]
pub struct SiteReply {
    /// True on success; `false` comes with `error`.
    pub ok: bool,
    /// Reason why nothing was queued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<NotQueued>,
    /// True when work was queued (variant `rerender`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples(true))]
    pub accepted: Option<bool>,
    /// Names the work, for `GET /api/prerender/batches/{batchGroupId}`; empty when there is none (variant `rerender`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    pub batch_group_id: Option<String>,
    /// Number of deleted stored pages (variant `purge`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<u64>,
    /// Number of queued renders (variant `purge`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued: Option<u64>,
    /// Source of the paths: `sitemap` or `snapshots` (variant `purge`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_source: Option<&'static str>,
    /// Number of paths (variant `purge`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_paths: Option<u64>,
}

impl PagesReply {
    /// Renders were queued, or there was nothing to do.
    pub fn queued(prewarmed: u64) -> PagesReply {
        PagesReply { ok: true, error: None, deleted: None, prewarmed }
    }

    /// Makes the reply when nothing was queued.
    pub fn nothing(cause: NotQueued) -> PagesReply {
        PagesReply { ok: false, error: Some(cause), deleted: None, prewarmed: 0 }
    }

    /// Combines the replies of several sites: a success when something was queued or deleted, else the first reply's cause.
    pub fn of_sites(replies: Vec<PagesReply>) -> PagesReply {
        let ok = replies.iter().any(|reply| reply.ok);
        let error = replies.iter().find_map(|reply| reply.error).filter(|_| !ok);
        let deleted = replies.iter().filter_map(|reply| reply.deleted).reduce(|a, b| a + b);
        let prewarmed = replies.iter().map(|reply| reply.prewarmed).sum();
        PagesReply { ok, error, deleted, prewarmed }
    }

    /// Makes a reply of the purge variant.
    pub fn purged(self, deleted: u64) -> PagesReply {
        PagesReply { deleted: Some(deleted), ..self }
    }
}

impl SiteReply {
    /// Makes the reply when work was queued; an empty id: there was nothing to do.
    pub fn accepted(batch: &str) -> SiteReply {
        let accepted = !batch.is_empty();
        SiteReply {
            ok: true,
            error: None,
            accepted: Some(accepted),
            batch_group_id: Some(batch.to_owned()),
            ..BLANK
        }
    }

    /// Makes the reply when nothing was queued.
    pub fn nothing(cause: NotQueued) -> SiteReply {
        SiteReply {
            ok: false,
            error: Some(cause),
            accepted: Some(false),
            batch_group_id: Some(String::new()),
            ..BLANK
        }
    }

    /// Makes a reply of the purge variant.
    pub fn purged(deleted: u64, queued: u64, path_source: &'static str, total_paths: u64) -> SiteReply {
        SiteReply {
            deleted: Some(deleted),
            queued: Some(queued),
            path_source: Some(path_source),
            total_paths: Some(total_paths),
            ..BLANK
        }
    }

    /// Makes the reply of the purge variant when nothing was done.
    pub fn nothing_purged(cause: NotQueued) -> SiteReply {
        SiteReply { ok: false, error: Some(cause), ..SiteReply::purged(0, 0, "sitemap", 0) }
    }
}

const BLANK: SiteReply = SiteReply {
    ok: true,
    error: None,
    accepted: None,
    batch_group_id: None,
    deleted: None,
    queued: None,
    path_source: None,
    total_paths: None,
};

/// Selection of a sitemap's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    Every,
    /// Pages that changed since their snapshot was made.
    Updated,
}

/// Progress of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchProgress {
    /// Pages in all; 0 while the sitemap is still being read.
    #[schema(examples(500))]
    pub total: u64,
    /// Pages that were rendered.
    #[schema(examples(120))]
    pub done: u64,
    /// Pages that could not be rendered, or were cancelled.
    #[schema(examples(1))]
    pub failed: u64,
    /// Pages that are being rendered now.
    #[schema(examples(4))]
    pub running: u64,
    /// Start of the first page.
    pub started_at: Option<Timestamp>,
    /// End of the last page; null until then.
    pub completed_at: Option<Timestamp>,
    /// Reason why the sitemap could not be read, the number of pages that were left out because the account may have
    /// no more renders in the queue, or that the refresh was cancelled.
    #[schema(examples(json!(null)))]
    pub error: Option<String>,
    /// Some of the pages that failed, and why.
    pub failures: Vec<PageFailure>,
}

/// A refresh in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchSummary {
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    pub batch_group_id: String,
    /// `every`: all pages of the sitemap; `updated`: those that changed.
    pub selection: Selection,
    /// Time of the request.
    pub created_at: Timestamp,
    /// Pages in all; 0 while the sitemap is still being read.
    #[schema(examples(500))]
    pub total: u64,
    /// Pages that were rendered.
    #[schema(examples(120))]
    pub done: u64,
    /// Pages that could not be rendered, or were cancelled.
    #[schema(examples(1))]
    pub failed: u64,
    /// Pages that are being rendered now.
    #[schema(examples(4))]
    pub running: u64,
    /// Start of the first page.
    #[schema(required = true)]
    pub started_at: Option<Timestamp>,
    /// End of the last page; null until then.
    #[schema(required = true)]
    pub completed_at: Option<Timestamp>,
    /// Reason why the sitemap could not be read, or that the refresh was cancelled.
    #[schema(required = true, examples(json!(null)))]
    pub error: Option<String>,
}

/// Refreshes of a domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct BatchList {
    /// The newest 20, the newest first.
    pub batches: Vec<BatchSummary>,
}

/// Outcome of a cancellation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct BatchCancelled {
    /// `false`: the refresh was over already.
    #[schema(examples(true))]
    pub ok: bool,
}

/// A page of a batch that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PageFailure {
    /// Address of the page.
    #[schema(examples("https://shop.example/shoes"))]
    pub url: String,
    #[schema(examples("the page answered 500"))]
    pub error: String,
}

/// Returns the address of a path of a site. Returns `None` when it is not an address.
pub fn page_url(site: &Site, path: &str) -> Option<Url> {
    Url::parse(&format!("https://{}{path}", site.domain.host)).ok()
}

/// Describes the problem of a path, independent of a site.
pub fn path_problem(path: &str, max_bytes: usize) -> Option<&'static str> {
    if !path.starts_with('/') {
        return Some("must start with /");
    }
    if path.starts_with("//") || path.starts_with("/\\") {
        return Some("must be a path, without a host");
    }
    if path.chars().any(char::is_control) {
        return Some("must not contain control characters");
    }
    (path.len() > max_bytes).then_some("is too long")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use domains::Settings;
    use domains::testing::site;

    #[test]
    fn a_path_begins_with_one_slash() {
        for path in ["/", "/a", "/a?b=c", "/ä b", "/a//b"] {
            assert_eq!(path_problem(path, 100), None, "{path}");
        }
        for path in ["", "a", "//evil.example/a", "/\\evil.example", "https://shop.example/a", "/a\nb", "?a"]
        {
            assert!(path_problem(path, 100).is_some(), "{path}");
        }
        assert!(path_problem(&format!("/{}", "a".repeat(100)), 100).is_some());
    }

    proptest! {
        #[test]
        fn no_path_leads_to_another_host(path in "/[^/\\\\].{0,40}") {
            let site = site("shop.example", Settings::default());
            if path_problem(&path, 1000).is_none() && let Some(url) = page_url(&site, &path) {
                prop_assert_eq!(url.host_str(), Some("shop.example"));
                prop_assert_eq!(url.port(), None);
            }
        }
    }

    #[test]
    fn replies_of_several_sites_are_one() {
        let away = PagesReply::nothing(NotQueued::OriginNotReachable);
        let queued = PagesReply::queued;

        assert_eq!(PagesReply::of_sites(vec![queued(2), away.clone(), queued(1)]), queued(3));
        assert_eq!(PagesReply::of_sites(vec![away.clone(), away.clone()]), away);
        assert_eq!(PagesReply::of_sites(vec![queued(0).purged(1), queued(0).purged(2)]).deleted, Some(3));
    }

    #[test]
    fn each_variant_has_its_own_fields() {
        let json = |reply: SiteReply| serde_json::to_value(reply).unwrap();

        assert_eq!(
            json(SiteReply::accepted("b1")),
            serde_json::json!({ "ok": true, "accepted": true, "batchGroupId": "b1" })
        );
        assert_eq!(
            json(SiteReply::nothing(NotQueued::NoSitemap)),
            serde_json::json!({ "ok": false, "error": "no_sitemap", "accepted": false, "batchGroupId": "" })
        );
        assert_eq!(
            json(SiteReply::purged(3, 2, "sitemap", 5)),
            serde_json::json!({ "ok": true, "deleted": 3, "queued": 2, "pathSource": "sitemap", "totalPaths": 5 })
        );
    }
}
