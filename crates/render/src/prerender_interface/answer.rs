//! Answers of Prerender's interface: headers that middlewares relay, refusals in plain text, and the token as an API key. Pure.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};

use platform::api::ApiError;
use platform::api::header_names::{API_KEY, CDN_CACHE_CONTROL, PRERENDER_TOKEN};

/// Reason why a middleware gets no page.
#[derive(Debug)]
pub enum MiddlewareRefusal {
    /// The API refuses the caller or the address.
    Api(ApiError),
    /// The render failed, and nothing is stored.
    NotRendered,
    /// The origin did not answer, or with more than may be relayed.
    Origin,
    /// Too many answers of origins are in progress for the account.
    Busy,
    /// The service's own request to the origin came back.
    Loop,
}

impl From<ApiError> for MiddlewareRefusal {
    fn from(error: ApiError) -> MiddlewareRefusal {
        MiddlewareRefusal::Api(error)
    }
}

impl IntoResponse for MiddlewareRefusal {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            MiddlewareRefusal::Api(error) => return in_plain_text(error),
            MiddlewareRefusal::NotRendered => {
                (StatusCode::GATEWAY_TIMEOUT, "The page could not be rendered.")
            }
            MiddlewareRefusal::Origin => (StatusCode::BAD_GATEWAY, "The site's server did not answer."),
            MiddlewareRefusal::Busy => {
                (StatusCode::SERVICE_UNAVAILABLE, "Too many requests wait for the site's server.")
            }
            MiddlewareRefusal::Loop => (
                StatusCode::BAD_GATEWAY,
                "The site's server asks this service for what this service asks it.",
            ),
        };
        (status, text).into_response()
    }
}

/// Returns an error of the API as plain text: its code.
pub fn in_plain_text(error: ApiError) -> Response {
    let code = error.code().as_str();
    let (mut head, _) = error.into_response().into_parts();
    head.headers.remove(CONTENT_LENGTH);
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    Response::from_parts(head, Body::from(code))
}

/// Sets the headers of all answers, which middlewares relay: no cache may give a snapshot to people.
pub fn for_middleware(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(CDN_CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(VARY, HeaderValue::from_static("User-Agent"));
    response
}

/// Makes the token of a request its API key, in place of any other: the one in its header and the one in its body. Two different
/// tokens are no key.
pub fn present_token(headers: &mut HeaderMap, in_body: Option<&str>) {
    // No key has bytes that a header cannot hold.
    let in_body = in_body.map(|token| HeaderValue::from_str(token).unwrap_or(HeaderValue::from_static("")));
    let tokens: Vec<HeaderValue> = headers.get_all(PRERENDER_TOKEN).iter().cloned().chain(in_body).collect();
    headers.remove(API_KEY);
    for mut token in tokens {
        token.set_sensitive(true);
        headers.append(API_KEY, token);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presented(tokens: &[&'static str], in_body: Option<&str>) -> Vec<String> {
        let mut headers = HeaderMap::from_iter([(API_KEY, HeaderValue::from_static("a visitor's"))]);
        for token in tokens {
            headers.append(PRERENDER_TOKEN, HeaderValue::from_static(token));
        }
        present_token(&mut headers, in_body);
        headers.get_all(API_KEY).iter().map(|value| value.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn the_token_is_the_only_key() {
        assert_eq!(presented(&["a"], None), ["a"]);
        assert_eq!(presented(&[], Some("b")), ["b"]);
        assert_eq!(presented(&["a"], Some("b")), ["a", "b"]);
        assert_eq!(presented(&[], Some("line\nbreak")), [""]);
        assert!(presented(&[], None).is_empty());
    }

    #[test]
    fn a_token_is_not_shown_where_headers_are_logged() {
        let mut headers =
            HeaderMap::from_iter([(PRERENDER_TOKEN, HeaderValue::from_static("gh_live_secret"))]);

        present_token(&mut headers, Some("gh_live_other"));

        assert!(headers.get_all(API_KEY).iter().all(|value| !format!("{value:?}").contains("gh_live")));
    }
}
