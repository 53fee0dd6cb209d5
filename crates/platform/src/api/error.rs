//! The one form in which the API says no: a status and `{"error": code, …}`.
//! Must never show a client why the service itself failed: a cause is logged here, once, and answered as a bare code.

use std::time::Duration;

use axum::Json;
use axum::response::{IntoResponse, Response};
use crawler::errors::one_line;
use http::header::{HeaderName, HeaderValue, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::error_code::ErrorCode;

/// A refusal or failure on its way to the client. Boxed: it is rare, and every handler's result would be as large.
#[derive(Debug)]
pub struct ApiError(Box<ErrorParts>);

#[derive(Debug)]
struct ErrorParts {
    code: ErrorCode,
    extra: Map<String, Value>,
    headers: HeaderMap,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Something wrong in a request, and where: a dotted path such as `redirectRules.0.status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Issue {
    /// Path of the field; empty: the whole body.
    #[schema(examples("url"))]
    pub path: String,
    /// Sentence that says what is wrong.
    #[schema(examples("is not an absolute http or https address"))]
    pub message: String,
}

impl Issue {
    /// Names a problem at a dotted path.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Issue {
        Issue { path: path.into(), message: message.into() }
    }
}

impl From<(String, String)> for Issue {
    fn from((path, message): (String, String)) -> Issue {
        Issue { path, message }
    }
}

impl ApiError {
    /// Creates an error with this code.
    pub fn new(code: ErrorCode) -> ApiError {
        ApiError(Box::new(ErrorParts { code, extra: Map::new(), headers: HeaderMap::new(), cause: None }))
    }

    /// Adds a field beside `error`.
    pub fn with(mut self, field: &str, value: impl Serialize) -> ApiError {
        let value = serde_json::to_value(value).expect("fields of errors are plain data");
        self.0.extra.insert(field.to_owned(), value);
        self
    }

    /// Adds a response header.
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> ApiError {
        self.0.headers.insert(name, value);
        self
    }

    /// Adds `Retry-After`, in whole seconds: when it is worth trying again.
    pub fn retry_after(self, pause: Duration) -> ApiError {
        self.with_header(RETRY_AFTER, HeaderValue::from(pause.as_secs()))
    }

    /// Creates a 400 `invalid_request` with what is wrong.
    pub fn invalid_request(issues: Vec<impl Into<Issue>>) -> ApiError {
        ApiError::new(ErrorCode::InvalidRequest)
            .with("issues", issues.into_iter().map(Into::into).collect::<Vec<Issue>>())
    }

    /// Creates a 400 `invalid_request` for one parameter.
    pub fn invalid_parameter(name: &str, message: impl Into<String>) -> ApiError {
        ApiError::invalid_request(vec![Issue::new(name, message)])
    }

    /// Creates a 400 `validation_error` with what is wrong: the form of the Domains API.
    pub fn validation_error(issues: Vec<impl Into<Issue>>) -> ApiError {
        ApiError::new(ErrorCode::ValidationError)
            .with("issues", issues.into_iter().map(Into::into).collect::<Vec<Issue>>())
    }

    /// Creates a 403: the account's plan is too low.
    pub fn plan_required(plan: crate::plans::Plan) -> ApiError {
        ApiError::new(ErrorCode::PlanRequired).with("requiredPlan", plan)
    }

    /// Creates a 404, for what does not exist and for what is another account's.
    pub fn not_found() -> ApiError {
        ApiError::new(ErrorCode::NotFound)
    }

    /// Creates a 503: a service that this needs does not answer, and a later try may succeed. The cause is logged, not shown.
    pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ApiError {
        ApiError::new(ErrorCode::ServiceUnavailable).caused_by(cause).retry_after(Duration::from_secs(5))
    }

    /// Creates a 500: a fault of this service. The cause is logged, not shown.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ApiError {
        ApiError::new(ErrorCode::InternalError).caused_by(cause)
    }

    /// Names what went wrong, for the log.
    pub fn caused_by(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ApiError {
        self.0.cause = Some(cause.into());
        self
    }

    /// Returns the status of the answer.
    pub fn status(&self) -> StatusCode {
        self.0.code.status()
    }

    /// Returns the code of the answer.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }
}

/// A database that is away is worth another try (503); anything else it says is our mistake (500).
impl From<store::DbError> for ApiError {
    fn from(error: store::DbError) -> ApiError {
        if error.is_unavailable() { ApiError::unavailable(error) } else { ApiError::internal(error) }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let ErrorParts { code, mut extra, headers, cause } = *self.0;
        let (status, code) = (code.status(), code.as_str());
        if let Some(cause) = cause {
            tracing::error!(status = status.as_u16(), code, error = %one_line(cause.as_ref()), "request failed");
        }
        let mut body = Map::from_iter([("error".to_owned(), Value::from(code))]);
        body.append(&mut extra);
        (status, headers, Json(body)).into_response()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn response_of(error: ApiError) -> (StatusCode, Value) {
        let response = error.into_response();
        let status = response.status();
        let body = axum::body::to_bytes(response.into_body(), 100_000).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap())
    }

    #[tokio::test]
    async fn an_error_is_its_code_and_its_extra_fields() {
        let error = ApiError::plan_required(crate::plans::Plan::Agency);

        let response = response_of(error).await;

        assert_eq!(
            response,
            (StatusCode::FORBIDDEN, json!({ "error": "plan_required", "requiredPlan": "agency" }))
        );
    }

    #[tokio::test]
    async fn the_cause_of_a_failure_is_not_shown() {
        let error = ApiError::internal("password of the database is hunter2");

        let response = response_of(error).await;

        assert_eq!(response, (StatusCode::INTERNAL_SERVER_ERROR, json!({ "error": "internal_error" })));
    }

    #[tokio::test]
    async fn issues_name_their_path() {
        let error = ApiError::invalid_request(vec![Issue::new("a.0.b", "is missing")]);

        let response = response_of(error).await;

        let expected =
            json!({ "error": "invalid_request", "issues": [{ "path": "a.0.b", "message": "is missing" }] });
        assert_eq!(response, (StatusCode::BAD_REQUEST, expected));
    }
}
