//! Relay of an origin's answer to a middleware, for what is not prerendered. Used by Prerender's interface.
//! Must never pass cookies on, fetch but through the guarded client, nor hold more than a limit of an account's answers.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use crawler::errors::one_line;
use crawler::hop_by_hop::remove_hop_by_hop;
use crawler::url::{PublicAddress, escaped_fragment};
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, LOCATION, SET_COOKIE};
use http::{HeaderMap, HeaderValue};
use url::Url;

use super::answer::MiddlewareRefusal;
use crate::decide::is_for_page;
use crate::model::RenderCall;
use accounts::AccountId;
use analytics::{Recorder, ServedBy};
use domains::origin::OriginClient;
use platform::Platform;
use platform::api::envelope::AnsweredBy;
use platform::api::header_names::PRERENDER;
use platform::limits::KeyedCount;

/// Maximum number of answers that are relayed at once for an account. Each is held in memory until it is complete.
const AT_ONCE: usize = 8;
/// Timeout of an origin.
const PATIENCE: Duration = Duration::from_secs(20);

/// Relays of origins' answers. Cheap to clone.
#[derive(Clone)]
pub struct Relays {
    origins: OriginClient,
    recorder: Recorder,
    under_way: KeyedCount<AccountId>,
    max_bytes: u64,
}

impl Relays {
    /// Makes the relays of this process.
    pub fn new(platform: &Platform, origins: &OriginClient, recorder: &Recorder) -> Relays {
        let (origins, recorder) = (origins.clone(), recorder.clone());
        let max_bytes = platform.config.limits.page_bytes;
        Relays { origins, recorder, under_way: KeyedCount::default(), max_bytes }
    }

    /// Fetches the target from the site's own server, and records the visit of the crawler.
    pub async fn relay(&self, call: &RenderCall<'_>) -> Result<Response, MiddlewareRefusal> {
        let account = call.site.domain.account_id.clone();
        let _slot = self.under_way.acquire(account, AT_ONCE).ok_or(MiddlewareRefusal::Busy)?;
        let start = Instant::now();
        // The site's middleware would ask the service for the escaped form again.
        let mut public = escaped_fragment(call.target).unwrap_or_else(|| call.target.clone());
        // A middleware behind a proxy that ends TLS says http, which the site would redirect to the address that was asked for.
        // A change between http and https cannot fail.
        let _ = public.set_scheme("https");
        let address = self.origins.address(call.site, &public);
        let mut question = self.origins.question(address.clone(), PATIENCE);
        question.headers.insert(PRERENDER, HeaderValue::from_static("1"));
        question.stay_on = Some(Vec::new());
        question.max_body_bytes = self.max_bytes;
        let failed = |error| {
            tracing::debug!(domain = %call.site.domain.host, error = %one_line(&error), "an origin's answer could not be relayed");
            MiddlewareRefusal::Origin
        };
        let fetched = self.origins.fetcher().fetch(question).await.map_err(failed)?;
        let (status, mut headers) = (fetched.status, fetched.headers);
        let body = fetched.body.bytes().await.map_err(failed)?;
        clean(&mut headers, &public, &address);
        if let Some(request) = call.crawler_request().filter(|_| is_for_page(call.target, &call.facts)) {
            self.recorder.record_answer(request, ServedBy::Origin, status.as_u16(), start.elapsed());
        }
        let mut response = (status, headers, Body::from(body)).into_response();
        response.extensions_mut().insert(AnsweredBy::Page);
        Ok(response)
    }
}

/// Removes headers that concern the connection to the origin or a visitor's session, and makes `Location` public.
fn clean(headers: &mut HeaderMap, public: &Url, address: &Url) {
    remove_hop_by_hop(headers);
    for name in [SET_COOKIE, CONTENT_LENGTH, CONTENT_ENCODING] {
        headers.remove(name);
    }
    let own: Vec<_> =
        headers.keys().filter(|name| name.as_str().starts_with("x-service-")).cloned().collect();
    for name in own {
        headers.remove(name);
    }
    let location = headers.get(LOCATION);
    let location = location.and_then(|value| PublicAddress::of(public, address).of_address(value.as_bytes()));
    if let Some(location) = location.and_then(|location| HeaderValue::from_str(&location).ok()) {
        headers.insert(LOCATION, location);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origins_headers_are_relayed_without_cookies_and_under_the_public_address() {
        let lines = [
            ("content-type", "text/html"),
            ("set-cookie", "a=1"),
            ("set-cookie", "b=1"),
            ("content-encoding", "gzip"),
            ("connection", "x-hop"),
            ("x-hop", "1"),
            ("x-service-render-cache", "hit"),
            ("location", "http://app.host.example/new?a=b"),
            ("x-robots-tag", "noindex"),
        ];
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name, HeaderValue::from_static(value));
        }
        let url = |text| Url::parse(text).expect("an address");

        clean(&mut headers, &url("https://shop.example/old"), &url("http://app.host.example/old"));

        let names: Vec<_> = headers.keys().map(http::HeaderName::as_str).collect();
        assert_eq!(names, ["content-type", "location", "x-robots-tag"]);
        assert_eq!(headers[LOCATION], "https://shop.example/new?a=b");
    }
}
