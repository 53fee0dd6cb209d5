//! The OpenAPI document: what all operations have in common, and the refusals that follow from an operation's [`Access`].
//! The document is made from the handlers; nothing in it is written by hand a second time.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde_json::Value;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr};
use utoipa::{IntoResponses, Modify, OpenApi, ToSchema};

use super::access::{Access, Credentials, PersonRole};
use super::error::Issue;
use super::error_code::ErrorCode;
use super::header_names::{API_KEY, STATS_TOKEN};

/// Document that the operations of the handlers are added to.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Glasshouse",
        description = "What crawlers and AI see of your site: rendering for crawlers, and everything around it.\n\n\
            Send an API key in `x-service-api-key`; the Domains API also takes it as `Authorization: Bearer`. Errors are `{\"error\": code}`, \
            with more fields where an operation says so. Times are ISO 8601 in UTC.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    tags(
        (name = "Render", description = "Rendered pages for crawlers, and what is stored of them."),
        (name = "Cache refresh", description = "Rendering stored pages again: one, several, a whole site, or what changed."),
        (name = "Domains", description = "Connected domains and how they are rendered."),
        (name = "SEO audit", description = "Audits of whole sites: what search engines and AI crawlers will trip over."),
        (name = "Analytics", description = "Visits of crawlers."),
        (name = "AI mentions", description = "Prompts that assistants are asked, their answers, and the numbers that come of them."),
        (name = "Webhooks", description = "Events: whom they are told, and how that went."),
        (name = "Account", description = "Keys and use of your plan."),
        (name = "Session", description = "Signing in to the dashboard."),
        (name = "Dashboard", description = "What only the dashboard asks: sites at a glance, and trying settings out."),
        (name = "Tools", description = "The same for AI agents: the Model Context Protocol."),
        (name = "Service", description = "How the service itself is."),
    ),
    components(schemas(ErrorBody, Issue)),
    modifiers(&Security)
)]
pub struct ApiDocument;

struct Security;

impl Modify for Security {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let key = ApiKey::Header(ApiKeyValue::with_description(API_KEY.as_str(), "An API key, `gh_live_…`."));
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("The same API key as a bearer token, on the Domains API and for tools."))
            .build();
        let cookie = ApiKey::Cookie(ApiKeyValue::with_description(
            "glasshouse_session",
            "A dashboard session (`__Host-glasshouse_session` over https). Calls that change something also need `x-csrf-token`.",
        ));
        let token = ApiKey::Header(ApiKeyValue::with_description(
            STATS_TOKEN.as_str(),
            "The public token of a domain's crawl statistics, `gh_stats_…`; the query parameter `token` is as good.",
        ));
        components.add_security_scheme("statsToken", SecurityScheme::ApiKey(token));
        components.add_security_scheme("apiKey", SecurityScheme::ApiKey(key));
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
    }
}

/// The form of every error.
#[derive(Debug, serde::Serialize, ToSchema)]
pub struct ErrorBody {
    /// Error as a code for programs.
    #[schema(examples("invalid_request"))]
    pub error: String,
    /// Faults of the request, with `invalid_request` and `validation_error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issues: Option<Vec<Issue>>,
    /// The plan that would allow it, with `plan_required`.
    #[serde(rename = "requiredPlan", skip_serializing_if = "Option::is_none")]
    pub required_plan: Option<String>,
    /// The plan's limit, with the codes that name one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// Amount of it that is used, or was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<i64>,
    /// The lowest role that may, with `role_forbidden`.
    #[serde(rename = "requiredRole", skip_serializing_if = "Option::is_none")]
    pub required_role: Option<String>,
    /// Faults of each header, with `invalid_custom_headers`: the rule's number, the header's name, and the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub details: Option<Vec<Value>>,
    /// Reason why the site could not be asked, with `fetch_failed` of a verification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The audit that is under way, with `run_already_active`.
    #[serde(rename = "runId", skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Time from which there is a budget again, with `budget_spent`.
    #[serde(rename = "resumesAt", skip_serializing_if = "Option::is_none")]
    pub resumes_at: Option<String>,
}

/// The errors of an operation: those that follow from what it demands (`A`), and its own (`E`).
pub struct Refusals<A, E = NoMore>(PhantomData<(A, E)>);

/// Errors of an operation's own.
pub trait OwnErrors {
    const CODES: &'static [ErrorCode];
}

/// None.
pub struct NoMore;

impl OwnErrors for NoMore {
    const CODES: &'static [ErrorCode] = &[];
}

/// Names the errors of some operations: `own_errors! { NotAdded: InvalidDomain, DomainSuspended; }`.
#[macro_export]
macro_rules! own_errors {
    ($($(#[doc = $doc:literal])* $vis:vis $name:ident: $($code:ident),+;)+) => {
        $(
            $(#[doc = $doc])*
            $vis struct $name;

            impl $crate::api::openapi::OwnErrors for $name {
                const CODES: &'static [$crate::api::ErrorCode] = &[$($crate::api::ErrorCode::$code),+];
            }
        )+
    };
}
pub use crate::own_errors;

impl<A: Access, E: OwnErrors> IntoResponses for Refusals<A, E> {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut codes = vec![ErrorCode::InvalidApiKey, ErrorCode::RateLimited];
        if A::ACTIVE {
            codes.push(ErrorCode::SubscriptionRequired);
        }
        if A::KEY_PLAN.is_some() {
            codes.push(ErrorCode::PlanRequired);
        }
        if A::ACCOUNT_WIDE {
            codes.push(ErrorCode::RequiresUnscopedKey);
        }
        if A::CREDENTIALS != Credentials::Keys {
            codes.push(ErrorCode::CsrfTokenMissing);
            codes.push(ErrorCode::SignInByProxy);
        }
        if A::ROLE > PersonRole::Viewer {
            if A::CREDENTIALS != Credentials::Keys {
                codes.push(ErrorCode::RoleForbidden);
            }
            if A::CREDENTIALS != Credentials::Sessions {
                codes.push(ErrorCode::KeyReadOnly);
            }
        }
        // The scope of a key is nothing to a session.
        let is_for_keys = A::CREDENTIALS != Credentials::Sessions;
        codes.extend(
            E::CODES.iter().filter(|code| is_for_keys || **code != ErrorCode::ApiKeyDomainScopeMismatch),
        );
        codes.extend([ErrorCode::InternalError, ErrorCode::ServiceUnavailable]);
        error_responses(&codes)
    }
}

/// The errors of an operation that demands no [`Access`].
pub struct Errors<E>(PhantomData<E>);

impl<E: OwnErrors> IntoResponses for Errors<E> {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        error_responses(E::CODES)
    }
}

/// Makes one response per status, with one example per code.
fn error_responses(codes: &[ErrorCode]) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status: BTreeMap<u16, Vec<ErrorCode>> = BTreeMap::new();
    for code in codes {
        let of_status = by_status.entry(code.status().as_u16()).or_default();
        if !of_status.contains(code) {
            of_status.push(*code);
        }
    }
    let response =
        |(status, codes): (u16, Vec<ErrorCode>)| (status.to_string(), error_response(&codes).into());
    by_status.into_iter().map(response).collect()
}

fn error_response(codes: &[ErrorCode]) -> Response {
    let mut content = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody")));
    for code in codes {
        let example: Value = code.example();
        let example = utoipa::openapi::example::ExampleBuilder::new().value(Some(example)).build();
        content = content.examples_from_iter([(code.as_str(), example)]);
    }
    let description = match codes {
        [only] => only.description().to_owned(),
        several => {
            let lines = several.iter().map(|code| format!("- `{}`: {}", code.as_str(), code.description()));
            lines.collect::<Vec<_>>().join("\n")
        }
    };
    ResponseBuilder::new().description(description).content("application/json", content.build()).build()
}
