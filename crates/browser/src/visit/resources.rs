//! Log of the scripts, style sheets, XHR and fetch requests of the main document, for audits and for reports of failures.
//! Used by the state machine. Pure. Must never grow without bound for a page that never stops requesting.

use std::collections::HashMap;

use super::protocol::{LoadEnd, Received, Request};
use crate::egress::REFUSED_HEADER;
use crate::{FailedRequest, LoadedRequest};

/// Maximum number of requests. The first ones of a page matter most.
const MOST: usize = 500;
/// Maximum bytes of an address. A request with a longer one is omitted.
const MAX_URL_BYTES: usize = 4096;
/// Maximum number of failed requests.
const MOST_FAILED: usize = 20;

/// Requests of the current main document.
#[derive(Debug, Default)]
pub(super) struct ResourceLog {
    requests: HashMap<String, Resource>,
    next: usize,
}

#[derive(Debug)]
struct Resource {
    number: usize,
    method: String,
    request: LoadedRequest,
    /// A response was received or the request has ended.
    has_response: bool,
}

impl ResourceLog {
    /// Adds a request.
    pub fn begin(&mut self, sent: &Request<'_>) {
        let is_kind = matches!(sent.kind.as_deref(), Some("Script" | "Stylesheet" | "XHR" | "Fetch"));
        let url = &sent.request.url;
        let has_room = self.requests.len() < MOST && url.len() <= MAX_URL_BYTES;
        if is_kind && has_room && url.starts_with("http") {
            // After a redirect, the same id has the next address.
            let request = LoadedRequest { url: url.to_string(), status: 0, is_complete: false };
            let method = sent.request.method.to_string();
            let resource = Resource { number: self.next, method, request, has_response: false };
            self.requests.insert(sent.request_id.to_string(), resource);
            self.next += 1;
        }
    }

    /// Records the head of a response. The body does not matter: the browser discards the body of an error, and that of a success
    /// may never be read.
    pub fn answered(&mut self, received: &Received<'_>) {
        if received.response.header(REFUSED_HEADER).is_some() {
            // A refusal of the proxy is not a response of the server.
            self.requests.remove(&*received.request_id);
        } else if let Some(resource) = self.requests.get_mut(&*received.request_id) {
            resource.request.status = received.response.status;
            (resource.request.is_complete, resource.has_response) = (true, true);
        }
    }

    /// Records the end of a request. A request that was cancelled before a response is removed, since it says nothing about the
    /// server.
    pub fn end(&mut self, request_id: &str, end: LoadEnd) {
        let Some(resource) = self.requests.get_mut(request_id) else { return };
        if matches!(end, LoadEnd::Blocked | LoadEnd::Cancelled) && !resource.has_response {
            self.requests.remove(request_id);
            return;
        }
        resource.has_response = true;
        resource.request.is_complete = !end.is_broken() || resource.request.status >= 400;
    }

    /// Lists the requests that have a response or have ended, in the order in which they were sent.
    pub fn ended(&self) -> Vec<LoadedRequest> {
        self.in_order()
            .filter(|resource| resource.has_response)
            .map(|resource| resource.request.clone())
            .collect()
    }

    /// Lists the first requests with an error, an incomplete response or no response yet.
    pub fn failed(&self) -> Vec<FailedRequest> {
        let failed =
            self.in_order().filter(|Resource { request, .. }| request.status >= 400 || !request.is_complete);
        let as_failed = |Resource { method, request, .. }: &Resource| FailedRequest {
            method: method.clone(),
            url: request.url.clone(),
            status: request.status,
        };
        failed.take(MOST_FAILED).map(as_failed).collect()
    }

    fn in_order(&self) -> impl Iterator<Item = &Resource> {
        let mut resources: Vec<&Resource> = self.requests.values().collect();
        resources.sort_unstable_by_key(|resource| resource.number);
        resources.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn begin(log: &mut ResourceLog, id: &str, kind: &str) {
        let event = json!({ "requestId": id, "loaderId": "1", "frameId": "f", "type": kind,
            "request": { "url": format!("https://shop.test/{id}"), "method": "GET" } })
        .to_string();
        log.begin(&serde_json::from_str(&event).unwrap());
    }

    fn answer(log: &mut ResourceLog, id: &str, status: u16, headers: serde_json::Value) {
        let response = json!({ "status": status, "mimeType": "", "headers": headers });
        let event = json!({ "requestId": id, "loaderId": "1", "response": response }).to_string();
        log.answered(&serde_json::from_str(&event).unwrap());
    }

    fn listed(log: &ResourceLog) -> Vec<String> {
        let name = |url: &str| url.trim_start_matches("https://shop.test/").to_owned();
        let completeness = |it: &LoadedRequest| if it.is_complete { "complete" } else { "incomplete" };
        log.ended().iter().map(|it| format!("{} {} {}", name(&it.url), it.status, completeness(it))).collect()
    }

    #[test]
    fn ended_scripts_style_sheets_and_fetches_are_listed_with_their_status() {
        let mut log = ResourceLog::default();
        for (id, kind) in [("a", "Script"), ("b", "XHR"), ("c", "Image"), ("d", "Fetch"), ("e", "Stylesheet")]
        {
            begin(&mut log, id, kind);
        }

        answer(&mut log, "b", 200, json!({}));
        log.end("b", LoadEnd::Finished);
        log.end("a", LoadEnd::Failed);
        log.end("d", LoadEnd::Cancelled);

        assert_eq!(listed(&log), ["a 0 incomplete", "b 200 complete"]);
        // The style sheet has no response yet.
        let failed: Vec<_> = log.failed().into_iter().map(|it| it.url).collect();
        assert_eq!(failed, ["https://shop.test/a", "https://shop.test/e"]);
    }

    #[test]
    fn a_response_is_listed_however_its_request_ends() {
        let mut log = ResourceLog::default();
        for (id, kind) in [("given-up", "Script"), ("unread", "Fetch"), ("broken", "Stylesheet")] {
            begin(&mut log, id, kind);
            answer(&mut log, id, 404, json!({}));
        }

        begin(&mut log, "success", "Fetch");
        answer(&mut log, "success", 200, json!({}));
        log.end("given-up", LoadEnd::Cancelled);
        log.end("broken", LoadEnd::Failed);

        let expected = [("given-up", 404), ("unread", 404), ("broken", 404), ("success", 200)];
        assert_eq!(listed(&log), expected.map(|(id, status)| format!("{id} {status} complete")));
        assert_eq!(
            log.failed()[1],
            FailedRequest { method: "GET".into(), url: "https://shop.test/unread".into(), status: 404 }
        );
    }

    #[test]
    fn a_refusal_of_the_proxy_is_not_listed() {
        let mut log = ResourceLog::default();
        begin(&mut log, "a", "Script");

        answer(&mut log, "a", 403, json!({ REFUSED_HEADER: "1" }));

        assert!(listed(&log).is_empty() && log.failed().is_empty());
    }

    #[test]
    fn the_log_is_bounded() {
        let mut many = ResourceLog::default();

        for number in 0..MOST + 10 {
            let id = number.to_string();
            begin(&mut many, &id, "Fetch");
            many.end(&id, LoadEnd::Failed);
        }

        assert_eq!((many.ended().len(), many.failed().len()), (MOST, MOST_FAILED));
    }
}
