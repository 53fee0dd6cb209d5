//! Files at the root of a site: finds the file for a request, and answers with it. Used by the handlers before other decisions.
//! Must never shadow a file of the origin, unless the mode is `always`.

use http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE,
    IF_UNMODIFIED_SINCE, RANGE,
};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use url::Url;

use super::answers::AnswerKind;
use super::body::{self, EdgeBody};
use super::handlers::{Answer, CrawlerContext, forward, redirect};
use super::pages::NoticePage;
use super::route::Route;
use super::service::Inner;
use domains::Site;
use domains::root_files::{RootFile, RootFileMode, is_absent};
use platform::api::header_names::ROOT_FILE;
use platform::api::validators::matches_etag;
use platform::listen::in_flight::RequestInFlight;
use platform::listen::unread::ClientBody;
use render::ServedFile;

/// Outcome of a request for a file at the root.
pub enum RootFileTurn {
    /// The edge itself responds with this answer.
    Respond(Box<Answer>),
    /// The origin was asked, and has such a file or fails. Redirect rules and renders precede its answer.
    Asked(Box<Result<Response<EdgeBody>, NoticePage>>),
    /// No file is served.
    Pass,
}

/// Finds the file that may answer a request on a route.
pub async fn find(
    edge: &Inner,
    route: Route,
    site: &Site,
    method: &Method,
    target: &Url,
) -> Option<RootFile> {
    if route != Route::Serve || !matches!(*method, Method::GET | Method::HEAD) {
        return None;
    }
    edge.render.root_files().find(site, target).await
}

/// Serves a file at the root: after the redirect to the preferred host. A fallback is served after the origin was asked without
/// the body that a GET may have.
pub async fn respond(
    crawlers: &CrawlerContext<'_>,
    request: &Request<ClientBody>,
    file: Option<RootFile>,
    in_flight: &RequestInFlight,
) -> RootFileTurn {
    let Some(file) = file else { return RootFileTurn::Pass };
    let CrawlerContext { edge, site, target, arrival, requested, .. } = *crawlers;
    if let Some(location) = site.preferred_address(target) {
        let location = crawlers.on_asked_port(location.into());
        let response = redirect(request.method(), 301, &location);
        return RootFileTurn::Respond(Box::new((AnswerKind::Redirect, response)));
    }
    let asked = match file.mode {
        RootFileMode::Fallback if !http_body::Body::is_end_stream(request.body()) => {
            return RootFileTurn::Pass;
        }
        RootFileMode::Fallback => {
            let question = bodiless_copy(request);
            let asked = forward(edge, question, site, target, arrival, requested, in_flight.clone());
            Some(Box::pin(asked).await)
        }
        RootFileMode::Always | RootFileMode::Off => None,
    };
    let answers = asked.as_ref().is_none_or(|asked| {
        let head = asked.as_ref().map(|response| (response.status(), response.headers()));
        head.is_ok_and(|(status, headers)| is_absent(site, target, status, headers))
    });
    let serving = answers.then(|| Box::pin(edge.render.root_files().serve(site, target, &file)));
    let served = if let Some(serving) = serving { serving.await } else { None };
    match (served, asked) {
        (Some(served), _) => {
            let response = response_with(request, site, target, served);
            RootFileTurn::Respond(Box::new((AnswerKind::RootFile, response)))
        }
        (None, Some(asked)) => RootFileTurn::Asked(Box::new(asked)),
        (None, None) => RootFileTurn::Pass,
    }
}

/// Copies a request without its body, and without its conditions, which may refer to the edge's own file.
fn bodiless_copy(request: &Request<ClientBody>) -> Request<ClientBody> {
    let mut copy = Request::new(ClientBody::default());
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.version_mut() = request.version();
    *copy.headers_mut() = request.headers().clone();
    for name in [IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE, RANGE] {
        copy.headers_mut().remove(name);
    }
    copy
}

/// Returns the response with a file, for GET and HEAD.
fn response_with(
    request: &Request<ClientBody>,
    site: &Site,
    target: &Url,
    file: ServedFile,
) -> Response<EdgeBody> {
    let etag = file.etag();
    let has_not_changed = matches_etag(request.headers(), &etag);
    let mut response = Response::new(match has_not_changed || *request.method() == Method::HEAD {
        true => body::empty(),
        false => body::full(file.body.clone()),
    });
    let headers = response.headers_mut();
    site.apply_headers(target, headers);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    headers.insert(ROOT_FILE, HeaderValue::from_static(file.mode.as_str()));
    headers.insert(ETAG, HeaderValue::try_from(etag).expect("hexadecimal digits"));
    if has_not_changed {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    if let Ok(content_type) = HeaderValue::try_from(file.content_type) {
        headers.insert(CONTENT_TYPE, content_type);
    }
    headers.insert(CONTENT_LENGTH, HeaderValue::from(file.body.len()));
    response
}
