//! The OpenAPI document: what all operations have in common, and the refusals that follow from an operation's [`Access`].
//! The document is made from the handlers; nothing in it is written by hand a second time.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde_json::{Value, json};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr};
use utoipa::{IntoResponses, Modify, OpenApi, ToSchema};

use super::caller::{API_KEY, Access};
use super::error::Issue;

/// What the handlers' operations are added to.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Glasshouse",
        description = "What crawlers and AI see of your site: rendering for crawlers, and everything around it.\n\n\
            Send an API key in `x-service-api-key` or as `Authorization: Bearer`. Errors are `{\"error\": code}`, \
            with more fields where an operation says so. Times are ISO 8601 in UTC.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    tags(
        (name = "Render", description = "Rendered pages for crawlers, and what is stored of them."),
        (name = "Cache refresh", description = "Rendering stored pages again: one, several, a whole site, or what changed."),
        (name = "Domains", description = "Connected domains and how they are rendered."),
        (name = "Account", description = "Keys and use of your plan."),
        (name = "Session", description = "Signing in to the dashboard."),
        (name = "Service", description = "How the service itself is."),
    ),
    components(schemas(ErrorBody, Issue)),
    modifiers(&Security)
)]
pub struct Document;

struct Security;

impl Modify for Security {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let key = ApiKey::Header(ApiKeyValue::with_description(API_KEY, "An API key, `gh_live_…`."));
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("The same API key as a bearer token."))
            .build();
        let cookie = ApiKey::Cookie(ApiKeyValue::with_description(
            "glasshouse_session",
            "A dashboard session (`__Host-glasshouse_session` over https). Calls that change something also need `x-csrf-token`.",
        ));
        components.add_security_scheme("apiKey", SecurityScheme::ApiKey(key));
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
    }
}

/// The form of every error.
#[derive(Debug, serde::Serialize, ToSchema)]
pub struct ErrorBody {
    /// What went wrong, as a code for programs.
    #[schema(examples("invalid_request"))]
    pub error: String,
    /// What is wrong with the request, with `invalid_request` and `validation_error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issues: Option<Vec<Issue>>,
    /// The plan that would allow it, with `plan_required`.
    #[serde(rename = "requiredPlan", skip_serializing_if = "Option::is_none")]
    pub required_plan: Option<String>,
    /// The plan's limit, with the codes that name one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// How much of it is used, or was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<i64>,
    /// What is wrong with each header, with `invalid_custom_headers`: the rule's number, the header's name, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub details: Option<Vec<Value>>,
}

/// The refusals that every operation demanding `A` may answer with, before its own. `M` are its own of status 403: a
/// document has one entry per status.
pub struct Refusals<A, M = NoMore>(PhantomData<(A, M)>);

/// Further bodies of 403 answers.
pub trait MoreForbidden {
    /// One example per code.
    fn bodies() -> Vec<Value>;
}

/// None.
pub struct NoMore;

impl MoreForbidden for NoMore {
    fn bodies() -> Vec<Value> {
        Vec::new()
    }
}

impl<A: Access, M: MoreForbidden> IntoResponses for Refusals<A, M> {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut forbidden = Vec::new();
        let mut refusals = Errors::new();
        refusals.add(
            401,
            "No credential, a malformed or an unknown one.",
            &[json!({ "error": "invalid_api_key" })],
        );
        refusals.add(
            429,
            "Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers \
             too, how many are left.",
            &[json!({ "error": "rate_limited" })],
        );
        if A::ACTIVE {
            refusals.add(402, "The account is inactive.", &[json!({ "error": "subscription_required" })]);
        }
        if let Some(plan) = A::KEY_PLAN {
            forbidden.push(json!({ "error": "plan_required", "requiredPlan": plan }));
        }
        if A::ACCOUNT_WIDE {
            forbidden.push(json!({ "error": "requires_unscoped_key" }));
        }
        if A::SESSION {
            forbidden.push(json!({ "error": "csrf_token_missing" }));
        }
        forbidden.extend(M::bodies());
        if !forbidden.is_empty() {
            refusals.add(403, "This is not allowed; the code says why.", &forbidden);
        }
        refusals.add(
            500,
            "The service failed. The log says why, under the `x-request-id` of the answer.",
            &[json!({ "error": "internal_error" })],
        );
        refusals.add(
            503,
            "A part that this needs is away. Try again.",
            &[json!({ "error": "service_unavailable" })],
        );
        refusals.0
    }
}

/// Collects documented errors: one response per status, one example per code.
#[derive(Default)]
pub struct Errors(BTreeMap<String, RefOr<Response>>);

impl Errors {
    /// No errors yet.
    pub fn new() -> Errors {
        Errors::default()
    }

    /// Documents a status with one example body per code.
    pub fn add(&mut self, status: u16, description: &str, bodies: &[Value]) -> &mut Errors {
        let mut content = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody")));
        for body in bodies {
            let code = body["error"].as_str().unwrap_or("error").to_owned();
            let example = utoipa::openapi::example::ExampleBuilder::new().value(Some(body.clone())).build();
            content = content.examples_from_iter([(code, example)]);
        }
        let response =
            ResponseBuilder::new().description(description).content("application/json", content.build());
        self.0.insert(status.to_string(), response.build().into());
        self
    }

    /// What was collected.
    pub fn into_responses(self) -> BTreeMap<String, RefOr<Response>> {
        self.0
    }
}
