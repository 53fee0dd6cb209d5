//! Names of headers that the `http` crate does not have, each once. Used by every feature.

use http::HeaderName;

/// API key that a request shows.
pub const API_KEY: HeaderName = HeaderName::from_static("x-service-api-key");
/// Public token of a domain's statistics.
pub const STATS_TOKEN: HeaderName = HeaderName::from_static("x-service-public-stats-token");
/// Repeats a session's token in calls that change something.
pub const CSRF_TOKEN: HeaderName = HeaderName::from_static("x-csrf-token");
/// Rest of a caller's limit, in the form of the IETF draft.
pub const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// Policy of that limit.
pub const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// Names a request in responses and logs.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The tier that a page came from.
pub const RENDER_CACHE: HeaderName = HeaderName::from_static("x-service-render-cache");
/// The object key of a page from the durable tier.
pub const SNAPSHOT_KEY: HeaderName = HeaderName::from_static("x-service-snapshot-key");
/// Mark of a page that was cut off before it was complete.
pub const RENDER_PARTIAL: HeaderName = HeaderName::from_static("x-service-render-partial");
/// Estimated tokens of a page that is sent as Markdown.
pub const MARKDOWN_TOKENS: HeaderName = HeaderName::from_static("x-markdown-tokens");
/// Action of the crawler policy that refused a crawler: `block`, `pay` or `limit`.
pub const POLICY: HeaderName = HeaderName::from_static("x-service-policy");
/// Mode of a file at a site's root that the service serves: `fallback` or `always`.
pub const ROOT_FILE: HeaderName = HeaderName::from_static("x-service-root-file");
/// Signed mark of a request that the service itself sends to a site; in the response to a connection check, its proof.
pub const PROBE: HeaderName = HeaderName::from_static("x-service-probe");

/// Mark of a request through an integration, which waits for no more than ten seconds.
pub const INTEGRATION: HeaderName = HeaderName::from_static("x-service-integration");

/// The visitor's address, as an integration saw it.
pub const CLIENT_ADDRESS: HeaderName = HeaderName::from_static("x-service-client-address");

/// Signature of a webhook's message: `sha256=` and the HMAC of the time, a dot and the body.
pub const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("x-service-signature");
/// Time at which a webhook's message was sent, in epoch milliseconds.
pub const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("x-service-timestamp");

/// API key in a request of a site's middleware for Prerender.
pub const PRERENDER_TOKEN: HeaderName = HeaderName::from_static("x-prerender-token");
/// Mark of a prerender service's own request to a site, whose middleware lets the request through to the app.
pub const PRERENDER: HeaderName = HeaderName::from_static("x-prerender");
/// `Cache-Control` of caches between the service and the visitor (RFC 9213).
pub const CDN_CACHE_CONTROL: HeaderName = HeaderName::from_static("cdn-cache-control");

/// Marks a request as a crawler's, whatever its user agent says.
pub const BUFFER_BOT: HeaderName = HeaderName::from_static("x-bufferbot");
/// Client hint that browsers send with each request.
pub const SEC_CH_UA: HeaderName = HeaderName::from_static("sec-ch-ua");
/// Use that a browser has for the resource: document, script, image.
pub const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
/// Mode of a browser's request: navigate, cors, no-cors.
pub const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
/// Relation of the page that asks to the server that is asked: same-origin, cross-site.
pub const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Addresses that a request came through, written by proxies.
pub const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// The host that the client asked for, written by proxies.
pub const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
/// The scheme that the client spoke, written by proxies.
pub const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
/// Names of the proxies that a request came through (RFC 8586).
pub const CDN_LOOP: HeaderName = HeaderName::from_static("cdn-loop");
