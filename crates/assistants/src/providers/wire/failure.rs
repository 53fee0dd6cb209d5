//! Failures of calls: class, error code, detail, advised wait. Used by every reader and by `call`. Pure.
//! Must never contain a key.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error_body::{VendorErrorBody, one_line};
use crate::providers::connection::ProviderKey;

/// Longest detail, in characters.
const MAX_DETAIL: usize = 300;

/// Kind of a failure, by what helps against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureClass {
    /// Trouble of the provider; the same request may succeed later.
    Retry,
    /// Too many requests.
    Throttle,
    /// The account's money or its allowance is used up.
    Quota,
    /// The key is refused.
    Auth,
    /// The settings are wrong: no such model, a refused parameter, a refused address.
    Config,
    /// The provider declines to answer this question.
    Refused,
    /// A response that is not an answer: empty, not JSON, a page, a redirect, too large.
    Unreadable,
    /// The answer did not come in time.
    Timeout,
    /// No byte was sent: no connection.
    Unreachable,
}

/// Error code of a run, as the API shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallErrorCode {
    Refused,
    Auth,
    Config,
    Timeout,
    Unreadable,
    ProviderError,
}

impl CallErrorCode {
    /// Returns the identifier in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            CallErrorCode::Refused => "refused",
            CallErrorCode::Auth => "auth",
            CallErrorCode::Config => "config",
            CallErrorCode::Timeout => "timeout",
            CallErrorCode::Unreadable => "unreadable",
            CallErrorCode::ProviderError => "provider_error",
        }
    }
}

/// A call that brought no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct ProviderFailure {
    pub class: FailureClass,
    /// One line of at most 300 characters, without keys.
    pub detail: String,
    /// Time that the provider wants to be left alone.
    pub wait: Option<Duration>,
    /// The answer never came after the first byte was sent, or could not be read: the provider may have billed it.
    pub may_be_paid: bool,
    /// True when the same request may be sent again later.
    pub is_repeatable: bool,
}

impl ProviderFailure {
    /// Makes a failure with the usual consequences of its class.
    pub fn new(class: FailureClass, detail: &str) -> ProviderFailure {
        use FailureClass::{Auth, Config, Refused, Timeout, Unreadable};
        ProviderFailure {
            class,
            detail: one_line(detail, MAX_DETAIL),
            wait: None,
            may_be_paid: matches!(class, Timeout | Unreadable),
            is_repeatable: !matches!(class, Auth | Config | Refused),
        }
    }

    /// Makes a failure of an HTTP response or of an error inside one.
    pub(crate) fn from_error(class: FailureClass, status: u16, error: &VendorErrorBody) -> ProviderFailure {
        // Google's code repeats the status; its word is the kind.
        let repeats = error.code.parse() == Ok(status);
        let name = if error.code.is_empty() || repeats { &error.kind } else { &error.code };
        let parts: Vec<&str> =
            [name, &error.message].into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        ProviderFailure::new(class, &format!("HTTP {status} {}", parts.join(": ")))
    }

    pub(crate) fn with_wait(self, wait: Option<Duration>) -> ProviderFailure {
        ProviderFailure { wait, ..self }
    }

    /// Records that nothing was billed.
    pub(crate) fn unpaid(self) -> ProviderFailure {
        ProviderFailure { may_be_paid: false, ..self }
    }

    /// Masks the key, which some servers repeat in their errors.
    pub(crate) fn mask(&mut self, key: Option<&ProviderKey>) {
        if let Some(key) = key {
            self.detail = key.masked(&self.detail).into_owned();
        }
    }

    /// Returns the error code of a run that ends with this failure.
    pub const fn code(&self) -> CallErrorCode {
        match self.class {
            FailureClass::Refused => CallErrorCode::Refused,
            FailureClass::Auth => CallErrorCode::Auth,
            FailureClass::Config => CallErrorCode::Config,
            FailureClass::Timeout => CallErrorCode::Timeout,
            FailureClass::Unreadable => CallErrorCode::Unreadable,
            FailureClass::Retry
            | FailureClass::Throttle
            | FailureClass::Quota
            | FailureClass::Unreachable => CallErrorCode::ProviderError,
        }
    }
}

/// Words with which vendors say that the account's money is used up.
const QUOTA_WORDS: &[&str] = &[
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "billing_error",
    "insufficient_balance",
    "insufficient_credits",
];
const QUOTA_PHRASES: &[&str] = &[
    "credit balance is too low",
    "run out of searches",
    "insufficient credit",
    "insufficient balance",
    "insufficient quota",
    "out of credits",
    "exceeded your current quota",
];
const THROTTLE_WORDS: &[&str] = &[
    "rate_limit_exceeded",
    "rate_limit_error",
    "request_rate_limit_exceeded",
    "too_many_requests",
    "RESOURCE_EXHAUSTED",
];
const AUTH_WORDS: &[&str] =
    &["invalid_api_key", "authentication_error", "UNAUTHENTICATED", "permission_error"];
const REFUSAL_WORDS: &[&str] = &["content_filter", "content_policy_violation", "moderation_blocked"];
const TROUBLE_WORDS: &[&str] = &[
    "server_error",
    "api_error",
    "overloaded_error",
    "timeout_error",
    "internal_error",
    "UNAVAILABLE",
    "INTERNAL",
];

/// Decides the class of an error by its words, then by the HTTP status. Throttles do arrive as 400 or inside a 200.
pub(crate) fn class_of(status: u16, error: &VendorErrorBody) -> FailureClass {
    let is_policy = error.code.ends_with("policy") || error.code.ends_with("policy_violation");
    if status == 402 || error.is_any(QUOTA_WORDS) || error.says_any(QUOTA_PHRASES) {
        FailureClass::Quota
    } else if status == 429 || error.is_any(THROTTLE_WORDS) {
        FailureClass::Throttle
    } else if matches!(status, 401 | 403 | 407) || error.is_any(AUTH_WORDS) {
        FailureClass::Auth
    } else if error.is_any(REFUSAL_WORDS) || is_policy {
        FailureClass::Refused
    } else if matches!(status, 408 | 409 | 425 | 500..) || error.is_any(TROUBLE_WORDS) {
        FailureClass::Retry
    } else if status < 400 {
        FailureClass::Unreadable
    } else {
        FailureClass::Config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: &str, message: &str) -> VendorErrorBody {
        VendorErrorBody { code: code.to_owned(), message: message.to_owned(), ..VendorErrorBody::default() }
    }

    #[test]
    fn a_detail_names_status_code_and_message_in_one_line() {
        let detail = |code, message| {
            ProviderFailure::from_error(FailureClass::Config, 400, &error(code, message)).detail
        };

        assert_eq!(detail("model_not_found", "no\nmodel"), "HTTP 400 model_not_found: no model");
        assert_eq!(detail("", "no model"), "HTTP 400 no model");
        assert_eq!(detail("bad", ""), "HTTP 400 bad");
        assert_eq!(detail("", ""), "HTTP 400");
        assert_eq!(detail("", &"x".repeat(1_000)).chars().count(), 300);
    }

    #[test]
    fn words_decide_before_the_status() {
        use FailureClass::{Auth, Config, Quota, Refused, Retry, Throttle, Unreadable};
        let cases = [
            (429, error("insufficient_quota", ""), Quota),
            (402, error("", ""), Quota),
            (400, error("", "Your credit balance is too low to use the API"), Quota),
            (400, error("rate_limit_exceeded", ""), Throttle),
            (200, error("server_error", ""), Retry),
            (200, error("bio_policy", ""), Refused),
            (529, error("", ""), Retry),
            (409, error("", ""), Retry),
            (403, error("", ""), Auth),
            (404, error("model_not_found", ""), Config),
            (307, error("", ""), Unreadable),
        ];

        for (status, error, class) in cases {
            assert_eq!(class_of(status, &error), class, "{status} {error:?}");
        }
    }
}
