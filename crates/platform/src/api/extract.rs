//! Reads bodies, queries and paths into types; what does not fit is refused in the API's own form.
//! Handlers put these after their `Caller`, so that who may call is settled before what was sent.
//! See docs/decisions/0010.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::{DeserializeOwned, IgnoredAny};

use super::error::{ApiError, Issue};
use super::error_code::ErrorCode;

/// Time that a client has to send its body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// NUL in a path: PostgreSQL stores it in no text, so that a parameter with it names nothing.
const NUL_IN_PATH: &str = "%00";

/// Bytes that the body of a request may have; the envelope leaves it with every request, and who expects less lowers it.
#[derive(Debug, Clone, Copy)]
pub struct BodyLimit(pub usize);

/// A JSON body. Refusals are 415 and 400 `invalid_request`.
#[derive(Debug)]
pub struct AppJson<T>(pub T);

/// A JSON body of the Domains API. Refusals are 415 and 400 `validation_error`.
#[derive(Debug)]
pub struct DomainsJson<T>(pub T);

/// Body of the Domains API that may be left out: nothing and `null` are read as `{}`.
#[derive(Debug)]
pub struct OptionalDomainsJson<T>(pub T);

/// A JSON body that may be left out, like [`OptionalDomainsJson`]. Refusals are 415 and 400 `invalid_request`.
#[derive(Debug)]
pub struct OptionalJson<T>(pub T);

/// Body of any type, as it was sent: text, or the same compressed by gzip. Refusal of another compression is 415.
#[derive(Debug)]
pub struct AnyBody(pub Bytes);

/// A query string. Refusals, repeated parameters and NUL characters among them, are 400 `invalid_request`.
#[derive(Debug)]
pub struct AppQuery<T>(pub T);

/// Parameters of the path. A value that cannot be one is 404: there is nothing under such a name.
#[derive(Debug)]
pub struct AppPath<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for AppJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let body = json_body(request).await?;
        parse_json(&body).map(AppJson).map_err(|issue| ApiError::invalid_request(vec![issue]))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for DomainsJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let body = json_body(request).await?;
        parse_json(&body).map(DomainsJson).map_err(|issue| ApiError::validation_error(vec![issue]))
    }
}

impl<T: DeserializeOwned + Default, S: Send + Sync> FromRequest<S> for OptionalDomainsJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let read = optional_json(request, |issue| ApiError::validation_error(vec![issue])).await?;
        Ok(OptionalDomainsJson(read))
    }
}

impl<T: DeserializeOwned + Default, S: Send + Sync> FromRequest<S> for OptionalJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let read = optional_json(request, |issue| ApiError::invalid_request(vec![issue])).await?;
        Ok(OptionalJson(read))
    }
}

impl<S: Send + Sync> FromRequest<S> for AnyBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let encodings = request.headers().get_all(header::CONTENT_ENCODING);
        let is_readable = |encoding: &HeaderValue| {
            ["identity", "gzip", "x-gzip"]
                .iter()
                .any(|known| encoding.as_bytes().eq_ignore_ascii_case(known.as_bytes()))
        };
        if !encodings.iter().all(is_readable) {
            return Err(ApiError::new(ErrorCode::UnsupportedMediaType));
        }
        read_bytes(request).await.map(AnyBody)
    }
}

/// Reads a body that may be left out.
async fn optional_json<T: DeserializeOwned + Default>(
    request: Request,
    refuse: impl Fn(Issue) -> ApiError,
) -> Result<T, ApiError> {
    let fits = check_content_type(request.headers());
    let body = read_body(request).await?;
    if body.is_empty() {
        // Nothing has no type either, whatever a client's library says.
        return Ok(T::default());
    }
    fits?;
    Ok(parse_json::<Option<T>>(&body).map_err(refuse)?.unwrap_or_default())
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for AppQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parse_query(parts.uri.query().unwrap_or_default())
            .map(AppQuery)
            .map_err(|issue| ApiError::invalid_request(vec![issue]))
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for AppPath<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        if parts.uri.path().contains(NUL_IN_PATH) {
            return Err(ApiError::not_found());
        }
        match Path::from_request_parts(parts, state).await {
            Ok(Path(value)) => Ok(AppPath(value)),
            Err(PathRejection::FailedToDeserializePathParams(_)) => Err(ApiError::not_found()),
            Err(rejection) => Err(ApiError::internal(rejection.to_string())),
        }
    }
}

async fn json_body(request: Request) -> Result<Bytes, ApiError> {
    check_content_type(request.headers())?;
    read_body(request).await
}

/// Reads a whole body: 413 over the limit, 415 when compressed, 408 when it does not arrive.
pub async fn read_body(request: Request) -> Result<Bytes, ApiError> {
    let is_empty = http_body::Body::is_end_stream(request.body());
    if !is_empty
        && request.headers().get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity")
    {
        // Unpacking untrusted bytes can exhaust memory, and nothing sent here is large.
        return Err(ApiError::new(ErrorCode::UnsupportedMediaType));
    }
    read_bytes(request).await
}

/// Reads a whole body as it was sent.
async fn read_bytes(request: Request) -> Result<Bytes, ApiError> {
    if http_body::Body::is_end_stream(request.body()) {
        return Ok(Bytes::new());
    }
    let Some(BodyLimit(limit)) = request.extensions().get().copied() else {
        return Err(ApiError::internal("a body without a limit"));
    };
    if http_body::Body::size_hint(request.body()).lower() > limit as u64 {
        return Err(ApiError::new(ErrorCode::PayloadTooLarge));
    }
    match tokio::time::timeout(BODY_TIMEOUT, Limited::new(request.into_body(), limit).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(ApiError::new(ErrorCode::PayloadTooLarge)),
        Ok(Err(_)) => Err(ApiError::new(ErrorCode::InvalidRequest)),
        Err(_) => Err(ApiError::new(ErrorCode::RequestTimeout)),
    }
}

/// Accepts `application/json`, and no type at all, which is read as JSON.
fn check_content_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(content_type) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let essence = content_type.to_str().unwrap_or("?").split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(ApiError::new(ErrorCode::UnsupportedMediaType))
}

/// Reads JSON. Unknown fields are ignored; a repeated known one, a wrong type and too deep a nesting are not.
fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Issue> {
    // serde looks for invalid bytes in what it keeps only: in an ignored field they would pass.
    std::str::from_utf8(body).map_err(|error| Issue::new("", format!("is not JSON: {error}")))?;
    // serde reads a list as the fields of a struct in order; no client means that.
    if body.trim_ascii_start().first() == Some(&b'[') {
        return Err(Issue::new("", "must be an object"));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = dotted(error.path());
        let inner = error.inner();
        // serde calls it bad syntax when a word stands where one of a few texts is expected.
        if inner.is_data() || serde_json::from_slice::<IgnoredAny>(body).is_ok() {
            return Issue::new(path, without_position(inner));
        }
        Issue::new("", format!("is not JSON: {inner}"))
    })?;
    deserializer.end().map_err(|error| Issue::new("", format!("is not JSON: {error}")))?;
    Ok(value)
}

/// Reads a query string.
fn parse_query<T: DeserializeOwned>(query: &str) -> Result<T, Issue> {
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    // PostgreSQL keeps no NUL in a text: nothing that is asked for has one.
    if let Some((name, _)) = pairs.clone().find(|(_, value)| value.contains('\0')) {
        return Err(Issue::new(name, "must not contain a NUL character"));
    }
    let deserializer = serde_urlencoded::Deserializer::new(pairs);
    serde_path_to_error::deserialize(deserializer)
        .map_err(|error| Issue::new(dotted(error.path()), error.inner().to_string()))
}

/// Writes `a[0].b` as `a.0.b`; the root is empty.
fn dotted(path: &serde_path_to_error::Path) -> String {
    match path.to_string().as_str() {
        "." => String::new(),
        text => text.replace('[', ".").replace(']', ""),
    }
}

/// Removes " at line 1 column 7" from a message of serde_json: the path says it better.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(message, _)| message.to_owned())
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        domain: String,
        rules: Option<Vec<Rule>>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Rule {
        status: u16,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Query {
        limit: Option<u32>,
        search: Option<String>,
    }

    fn issue_of(body: &str) -> Issue {
        parse_json::<Body>(body.as_bytes()).unwrap_err()
    }

    #[test]
    fn a_wrong_type_is_named_by_its_dotted_path() {
        let issue = issue_of(r#"{"domain": "a.com", "rules": [{"status": 301}, {"status": "x"}]}"#);

        assert_eq!(issue, Issue::new("rules.1.status", "invalid type: string \"x\", expected u16"));
    }

    #[test]
    fn unknown_fields_are_ignored_and_repeated_ones_refused() {
        let ignored: Body = parse_json(br#"{"domain": "a.com", "plan": "enterprise"}"#).unwrap();

        assert_eq!(ignored, Body { domain: "a.com".to_owned(), rules: None });
        assert_eq!(issue_of(r#"{"domain": "a.com", "domain": "b.com"}"#).message, "duplicate field `domain`");
    }

    #[test]
    fn what_is_not_json_is_refused_as_a_whole() {
        let (deep, number) = ("[".repeat(100_000), format!("{{\"domain\": {}}}", "9".repeat(1_000_000)));
        for body in ["", "{", "domain=a.com", r#"{"domain": "a.com"} {}"#, r#"["a.com"]"#, " [[]]", &deep] {
            assert_eq!(issue_of(body).path, "", "{}", &body[..body.len().min(20)]);
        }
        let nested = format!("{{\"domain\": \"a.com\", \"x\": {deep}");
        assert!(parse_json::<Body>(nested.as_bytes()).is_err());
        assert!(parse_json::<Body>(number.as_bytes()).is_err());
    }

    #[test]
    fn invalid_utf_8_is_not_json_wherever_it_stands() {
        for body in [&b"{\"domain\": \"\xff\"}"[..], b"{\"domain\": \"a.com\", \"ignored\": \"\xc3\x28\"}"] {
            let issue = parse_json::<Body>(body).unwrap_err();

            assert_eq!(issue.path, "");
            assert!(issue.message.starts_with("is not JSON"), "{}", issue.message);
        }
    }

    #[test]
    fn a_word_where_one_of_a_few_texts_is_expected_is_named_by_its_path() {
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Mode {
            Follow,
        }
        #[derive(Debug, Deserialize)]
        struct Start {
            #[serde(rename = "mode")]
            _mode: Mode,
        }

        for body in [r#"{"mode": null}"#, r#"{"mode": 5}"#, r#"{"mode": "jump"}"#] {
            let issue = parse_json::<Start>(body.as_bytes()).unwrap_err();

            assert_eq!(issue.path, "mode", "{body}: {}", issue.message);
            assert!(!issue.message.contains("JSON"), "{}", issue.message);
        }
        assert!(matches!(parse_json::<Start>(br#"{"mode": "follow"}"#).unwrap()._mode, Mode::Follow));
    }

    #[test]
    fn a_nul_in_a_query_is_refused_and_named() {
        let issue = parse_query::<Query>("limit=1&search=a%00b").unwrap_err();

        assert_eq!(issue, Issue::new("search", "must not contain a NUL character"));
    }

    #[test]
    fn a_repeated_query_parameter_is_refused() {
        let issue = parse_query::<Query>("limit=1&limit=2").unwrap_err();

        assert_eq!(issue.message, "duplicate field `limit`");
    }

    #[test]
    fn a_query_parameter_of_the_wrong_type_is_named() {
        for query in ["limit=x", "limit=-1", "limit=1.5", "limit=", "limit=30%20"] {
            assert_eq!(parse_query::<Query>(query).unwrap_err().path, "limit", "{query}");
        }

        let read = parse_query::<Query>("search=a%2Bb+c").unwrap();
        assert_eq!(read, Query { limit: None, search: Some("a+b c".to_owned()) });
    }

    #[test]
    fn only_json_is_a_json_body() {
        let typed = |value: &'static str| {
            check_content_type(&HeaderMap::from_iter([(header::CONTENT_TYPE, value.parse().unwrap())]))
        };

        assert!(check_content_type(&HeaderMap::new()).is_ok());
        assert!(typed("application/json").is_ok());
        assert!(typed("Application/JSON; charset=utf-8").is_ok());
        assert_eq!(typed("text/plain").unwrap_err().status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
        assert_eq!(typed("application/jsonp").unwrap_err().status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
}
