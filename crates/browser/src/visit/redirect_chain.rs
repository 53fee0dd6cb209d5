//! Responses on the way to the main document: first status and redirects. Used by the state machine. Pure.
//! Must never grow without bound for a page that redirects endlessly.

use super::protocol::Request;
use crate::RedirectHop;

/// Maximum number of redirects.
const MOST: usize = 20;

/// First status and redirects of the main document.
#[derive(Debug, Default)]
pub(super) struct RedirectChain {
    /// Status of the first response, once received.
    pub first_status: Option<u16>,
    pub hops: Vec<RedirectHop>,
}

impl RedirectChain {
    /// Records the redirect that led to a request, if there is one.
    pub fn record(&mut self, request: &Request<'_>) {
        let Some(response) = &request.redirect_response else { return };
        self.first_status.get_or_insert(response.status);
        if self.hops.len() < MOST {
            let (url, location) = (response.url.to_string(), request.request.with_fragment());
            self.hops.push(RedirectHop { url, status: response.status, location });
        }
    }
}
