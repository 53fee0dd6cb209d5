//! Names of headers of the API's own, each once. Those of a rendered page are in `render::response_headers`.

use http::HeaderName;

/// Carries an API key.
pub const API_KEY: HeaderName = HeaderName::from_static("x-service-api-key");
/// Repeats a session's token in calls that change something.
pub const CSRF_TOKEN: HeaderName = HeaderName::from_static("x-csrf-token");
/// How a caller stands with its limit, as the IETF draft names it.
pub const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// Which limit that is.
pub const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// Addresses that a request came through, written by proxies.
pub const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Names a request in answers and logs.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
