//! Responses that lead to the main document: the first status and the redirects after it. Used by the state machine. Pure.
//! Must never grow with a page that redirects without end.

use super::protocol::Request;
use crate::RedirectHop;

/// Redirects that are kept.
const MOST: usize = 20;

/// Responses on the way to a document.
#[derive(Debug, Default)]
pub(super) struct RedirectChain {
    /// Status of the first answer, once that is there.
    pub first_status: Option<u16>,
    pub hops: Vec<RedirectHop>,
}

impl RedirectChain {
    /// Adds the redirect that has led to a request, if one has.
    pub fn record(&mut self, request: &Request<'_>) {
        let Some(response) = &request.redirect_response else { return };
        self.first_status.get_or_insert(response.status);
        if self.hops.len() < MOST {
            let (url, location) = (response.url.to_string(), request.request.with_fragment());
            self.hops.push(RedirectHop { url, status: response.status, location });
        }
    }
}
