//! State of a rate limit after an event, and its headers. Pure.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};

use super::error::ApiError;
use super::error_code::ErrorCode;
use super::header_names::{RATE_LIMIT, RATE_LIMIT_POLICY};

/// Length of a window of a limit per minute.
pub const WINDOW: Duration = Duration::from_secs(60);

/// State of a limit for one key after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitState {
    /// True when the event was within the limit.
    pub allowed: bool,
    /// Events per minute.
    pub limit: u32,
    /// Events left in this window.
    pub remaining: u32,
    /// Time until the window ends.
    pub reset: Duration,
}

impl RateLimitState {
    /// Writes the `RateLimit` and `RateLimit-Policy` headers.
    pub fn write_headers(&self, headers: &mut HeaderMap) {
        let seconds = self.reset_seconds();
        let policy = format!("\"default\";q={};w={}", self.limit, WINDOW.as_secs());
        let state = format!("\"default\";r={};t={seconds}", self.remaining);
        headers.insert(RATE_LIMIT_POLICY, HeaderValue::try_from(policy).expect("digits and punctuation"));
        headers.insert(RATE_LIMIT, HeaderValue::try_from(state).expect("digits and punctuation"));
    }

    /// Returns 429 with the time after which another try may succeed; `None` within the limit.
    pub fn refusal(&self) -> Option<ApiError> {
        if self.allowed {
            return None;
        }
        let mut headers = HeaderMap::new();
        self.write_headers(&mut headers);
        let error =
            ApiError::new(ErrorCode::RateLimited).retry_after(Duration::from_secs(self.reset_seconds()));
        let with = |error: ApiError, (name, value): (Option<HeaderName>, HeaderValue)| match name {
            Some(name) => error.with_header(name, value),
            None => error,
        };
        Some(headers.into_iter().fold(error, with))
    }

    fn reset_seconds(&self) -> u64 {
        self.reset.as_millis().div_ceil(1_000).max(1) as u64
    }
}

/// Place in which an extractor leaves the state of a rate limit, for the headers of the answer.
#[derive(Debug, Clone, Default)]
pub struct RateLimitSlot(pub Arc<OnceLock<RateLimitState>>);
