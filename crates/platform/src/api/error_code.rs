//! The errors of the API: each code once, with its status, what it means and an example. Pure.
//! Read by the answers ([`super::ApiError`]), the OpenAPI document and `docs/errors.md`. A code never changes its status.

use http::StatusCode;
use serde_json::{Value, json};

/// Declares the codes, one per line: name, status, text for programs, meaning, and the fields beside `error` in an example.
macro_rules! error_codes {
    ($($name:ident = $status:ident $code:literal: $description:literal $(with $extra:tt)?;)*) => {
        /// Reason of a refusal by the API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $(#[doc = $description] $name,)*
        }

        impl ErrorCode {
            /// All codes.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$name),*];

            /// Returns the text that programs compare.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(ErrorCode::$name => $code,)*
                }
            }

            /// Returns the one status that answers with this code have.
            pub const fn status(self) -> StatusCode {
                match self {
                    $(ErrorCode::$name => StatusCode::$status,)*
                }
            }

            /// Returns the meaning, as a sentence.
            pub const fn description(self) -> &'static str {
                match self {
                    $(ErrorCode::$name => $description,)*
                }
            }

            fn extra(self) -> Value {
                match self {
                    $($(ErrorCode::$name => json!($extra),)?)*
                    _ => json!({}),
                }
            }
        }
    };
}

error_codes! {
    InvalidRequest = BAD_REQUEST "invalid_request": "What was sent cannot be used; `issues` says where and why."
        with { "issues": [{ "path": "url", "message": "the URL must begin with http:// or https://" }] };
    ValidationError = BAD_REQUEST "validation_error": "What was sent to the Domains API cannot be used; `issues` says where and why."
        with { "issues": [{ "path": "redirectRules.0.status", "message": "invalid type: string \"x\", expected a number" }] };
    InvalidDomain = BAD_REQUEST "invalid_domain": "The name is no registrable domain and no subdomain of one.";
    InvalidOriginHost = BAD_REQUEST "invalid_origin_host": "There is no usable host in the origin host.";
    OriginHostSameAsDomain = BAD_REQUEST "origin_host_same_as_domain": "The origin host is the domain itself or its `www.` twin.";
    OriginHostIsEditorUrl = BAD_REQUEST "origin_host_is_editor_url": "The origin host is where the site is edited, not where it is published.";
    RedirectLimitReached = BAD_REQUEST "redirect_limit_reached": "The plan allows fewer redirect rules."
        with { "limit": 500, "current": 501 };
    InvalidCustomHeaders = BAD_REQUEST "invalid_custom_headers": "Response headers that may not be set; `details` names each."
        with { "details": [{ "rule": 0, "header": "Set-Cookie", "reason": "this header is set by the service or by the protocol" }] };
    AddressNotConfirmed = BAD_REQUEST "address_not_confirmed": "Mail goes to one address of a person of the account, and only where a mail server is set.";
    FetchFailed = BAD_REQUEST "fetch_failed": "The sitemap, the picture or the page could not be fetched.";
    ParseFailed = BAD_REQUEST "parse_failed": "What is at the sitemap's address is no sitemap.";
    InvalidUrls = BAD_REQUEST "invalid_urls": "Addresses of an audit that are none, or not on the domain; `issues` names each."
        with { "issues": [{ "path": "urls.0", "message": "is not on the domain" }] };
    ProviderUnavailable = BAD_REQUEST "provider_unavailable": "The assistant cannot be asked here: the operator has set no key for it, or for any.";
    ProviderLimitReached = BAD_REQUEST "provider_limit_reached": "The plan allows fewer assistants for one prompt."
        with { "limit": 3, "current": 4 };
    NoSitemap = BAD_REQUEST "no_sitemap": "The domain has no sitemap, and the request names none.";
    InvalidToken = BAD_REQUEST "invalid_token": "The link was used, has expired or is unknown.";
    InvalidApiKey = UNAUTHORIZED "invalid_api_key": "No credential, a malformed or an unknown one.";
    InvalidCredentials = UNAUTHORIZED "invalid_credentials": "The e-mail address or the password is wrong.";
    TotpRequired = UNAUTHORIZED "totp_required": "The password is right; the person has a second factor, whose `code` is missing.";
    WrongSignInCode = UNAUTHORIZED "invalid_code": "The code of the sign-in is wrong, or was used.";
    SubscriptionRequired = PAYMENT_REQUIRED "subscription_required": "The account is inactive.";
    PlanRequired = FORBIDDEN "plan_required": "This needs a higher plan: `requiredPlan`."
        with { "requiredPlan": "business" };
    RequiresUnscopedKey = FORBIDDEN "requires_unscoped_key": "The key is restricted to one domain; this needs an account-wide one.";
    RoleForbidden = FORBIDDEN "role_forbidden": "The person's role may not do this; `requiredRole` is the lowest that may."
        with { "requiredRole": "editor" };
    KeyReadOnly = FORBIDDEN "key_read_only": "The key only reads.";
    ApiKeyDomainScopeMismatch = FORBIDDEN "api_key_domain_scope_mismatch": "The key is restricted to another domain.";
    DomainNotOwned = FORBIDDEN "domain_not_owned": "The domain is not on the account.";
    DomainSuspended = FORBIDDEN "domain_suspended": "The domain is locked by the operator.";
    DomainLimitReached = FORBIDDEN "domain_limit_reached": "The plan allows no more domains."
        with { "limit": 25, "current": 25 };
    KeyLimitReached = FORBIDDEN "key_limit_reached": "The account has as many keys as it may have; revoked ones do not count."
        with { "limit": 100, "current": 100 };
    WebhookLimitReached = FORBIDDEN "webhook_limit_reached": "The account has as many webhooks as it may have."
        with { "limit": 20, "current": 20 };
    PeopleLimitReached = FORBIDDEN "people_limit_reached": "The account has as many people as it may have, invited ones among them."
        with { "limit": 100, "current": 100 };
    DomainAccessForbidden = FORBIDDEN "domain_access_forbidden": "The audit is of a domain that is no longer on the account.";
    NoSeoSpiderAccess = FORBIDDEN "no_seo_spider_access": "The plan has no audits.";
    OnDemandLimitReached = FORBIDDEN "on_demand_limit_reached": "The plan allows no more audits this month."
        with { "limit": 50, "current": 50 };
    MaxPagesPerMonthLimitReached = FORBIDDEN "max_pages_per_month_limit_reached": "The plan allows no more audited pages this month."
        with { "limit": 20000, "current": 20000 };
    RenderLimitReached = FORBIDDEN "render_limit_reached": "The plan allows no more renders this month."
        with { "limit": 50000, "current": 50000 };
    PromptLimitReached = FORBIDDEN "prompt_limit_reached": "The plan allows no more prompts."
        with { "limit": 50, "current": 50 };
    MonitorLimitReached = FORBIDDEN "monitor_limit_reached": "The plan allows no more active prompts."
        with { "limit": 25, "current": 25 };
    BudgetSpent = FORBIDDEN "budget_spent": "No budget is left for asking; `resumesAt` says when there is one again."
        with { "resumesAt": "2026-12-01T00:00:00.000Z" };
    UpgradeRequiredForCustomHeaders = FORBIDDEN "upgrade_required_for_custom_headers": "The plan has no custom response headers.";
    CsrfTokenMissing = FORBIDDEN "csrf_token_missing": "A session changes something without its token in `x-csrf-token`.";
    WrongPassword = FORBIDDEN "wrong_password": "The current password is wrong.";
    InvalidCode = FORBIDDEN "invalid_code": "The code of the second factor is wrong, or was used.";
    SignInByProxy = FORBIDDEN "sign_in_by_proxy": "The proxy in front says who is signed in: its header names nobody here, or a password or another session was sent.";
    CrossSiteRequest = FORBIDDEN "cross_site_request": "The request comes from a page of another site.";
    NotFound = NOT_FOUND "not_found": "There is no such thing, or it is not the account's.";
    MethodNotAllowed = METHOD_NOT_ALLOWED "method_not_allowed": "The path has other methods; `Allow` names them.";
    RequestTimeout = REQUEST_TIMEOUT "request_timeout": "The body did not arrive in time.";
    DomainAlreadyConnected = CONFLICT "domain_already_connected": "The account has the domain already, or another account serves it.";
    RunAlreadyActive = CONFLICT "run_already_active": "The domain is being audited: `runId`."
        with { "runId": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10" };
    LastOwner = CONFLICT "last_owner": "The account would have no owner left.";
    PersonExists = CONFLICT "person_exists": "The address belongs to somebody of the account already.";
    TotpEnabled = CONFLICT "totp_enabled": "A second factor is on; it must be switched off first.";
    PromptPaused = CONFLICT "prompt_paused": "The prompt is paused.";
    IdempotencyKeyReused = CONFLICT "idempotency_key_reused": "Another body came with this `Idempotency-Key`.";
    PayloadTooLarge = PAYLOAD_TOO_LARGE "payload_too_large": "The body is too large.";
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE "unsupported_media_type": "The body is not `application/json`, or it is compressed.";
    NoNewPages = UNPROCESSABLE_ENTITY "no_new_pages": "The sitemap has no pages that are new or changed since the last audit.";
    RateLimited = TOO_MANY_REQUESTS "rate_limited": "Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left.";
    InternalError = INTERNAL_SERVER_ERROR "internal_error": "The service failed. The log says why, under the `x-request-id` of the answer.";
    InsertFailed = INTERNAL_SERVER_ERROR "insert_failed": "The domain was not added. Try again.";
    ArchiveUnavailable = SERVICE_UNAVAILABLE "archive_unavailable": "The audit's pages are in cold storage, which cannot be read. Try again later.";
    ServiceUnavailable = SERVICE_UNAVAILABLE "service_unavailable": "A part that this needs is away; nothing was changed. Try again.";
}

impl ErrorCode {
    /// Creates an answer with this code, as the documentation shows it.
    pub fn example(self) -> Value {
        let mut body = self.extra();
        body["error"] = self.as_str().into();
        body
    }
}

/// Writes the table of `docs/errors.md`.
#[cfg(test)]
fn table() -> String {
    let mut lines = String::from("| status | code | meaning |\n| --- | --- | --- |\n");
    for code in ErrorCode::ALL {
        let (status, text) = (code.status().as_u16(), code.as_str());
        lines.push_str(&format!("| {status} | `{text}` | {} |\n", code.description()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_code_is_declared_once_for_its_status() {
        let codes: HashSet<_> = ErrorCode::ALL.iter().map(|code| (code.status(), code.as_str())).collect();

        assert_eq!(codes.len(), ErrorCode::ALL.len());
    }

    #[test]
    fn an_example_is_an_error_with_its_code() {
        for code in ErrorCode::ALL {
            assert_eq!(code.example()["error"], code.as_str());
        }
        assert_eq!(ErrorCode::DomainLimitReached.example()["limit"], 25);
    }

    #[test]
    fn the_documentation_has_the_same_table() {
        let documented = include_str!("../../../../docs/errors.md");

        assert!(documented.contains(&table()), "docs/errors.md must have this table:\n{}", table());
    }
}
