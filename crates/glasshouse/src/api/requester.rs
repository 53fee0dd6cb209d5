//! Whom a request is counted for, and how they stand with a limit then. Used by the limits of this process and by those
//! that all processes share. Pure.

use std::time::Duration;

use cache::Key;
use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};

use super::error::ApiError;
use super::error_code::ErrorCode;
use super::header_names::{RATE_LIMIT, RATE_LIMIT_POLICY};
use crate::accounts::{AccountId, KeyId};

/// What a limit per minute counts in.
pub const WINDOW: Duration = Duration::from_secs(60);
/// How many keys' worth of requests all keys of an account have together.
pub const KEYS_WORTH: u32 = 10;

/// Whom a request is counted for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Requester {
    /// A key, and its account: all its keys share a budget.
    Key { key: KeyId, account: AccountId },
    /// A public token, by its hash: what is counted is stored.
    PublicToken { hash: String },
    /// The sessions of an account.
    Session { account: AccountId },
}

impl Key for Requester {
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Requester::Key { key, account } => ("key", (key.as_str(), account.as_str())).with_bytes(f),
            Requester::PublicToken { hash } => ("token", hash.as_str()).with_bytes(f),
            Requester::Session { account } => ("session", account.as_str()).with_bytes(f),
        }
    }
}

/// How a key stands after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitStanding {
    /// Whether the event was within the limit.
    pub allowed: bool,
    /// Events per minute.
    pub limit: u32,
    /// Events left in this window.
    pub remaining: u32,
    /// Time until the window ends.
    pub reset: Duration,
}

impl RateLimitStanding {
    /// Writes the `RateLimit` and `RateLimit-Policy` headers.
    pub fn write_headers(&self, headers: &mut HeaderMap) {
        let seconds = self.reset_seconds();
        let policy = format!("\"default\";q={};w={}", self.limit, WINDOW.as_secs());
        let state = format!("\"default\";r={};t={seconds}", self.remaining);
        headers.insert(RATE_LIMIT_POLICY, HeaderValue::try_from(policy).expect("digits and punctuation"));
        headers.insert(RATE_LIMIT, HeaderValue::try_from(state).expect("digits and punctuation"));
    }

    /// 429 with the time after which it is worth trying again; `None` while within the limit.
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
