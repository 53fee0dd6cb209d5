//! Pending requests of a visit according to the network. Used by the state machine.
//! Pure. Must never count requests without an end: connections, unread bodies and worker scripts, whose end is not reported. The
//! page script follows fetch and XHR itself.

use std::collections::HashSet;

use tokio::time::Instant;

use super::limits::PARSING;
use super::protocol::Request;

#[derive(Debug, Default)]
pub(super) struct PendingRequests {
    /// Scripts and style sheets of the main document: the page script does not see what `import()` loads.
    scripts: HashSet<String>,
    /// Requests that the page or one of its frames may depend on and that the page script does not see.
    all: HashSet<String>,
    /// Time at which the last of them ended.
    ended: Option<Instant>,
}

impl PendingRequests {
    /// Adds a request of the main document.
    pub fn begin_own(&mut self, request: &Request<'_>) {
        if matches!(request.kind.as_deref(), Some("Script" | "Stylesheet")) {
            self.scripts.insert(request.request_id.to_string());
        }
        self.begin(request);
    }

    /// Adds a request of any document.
    pub fn begin(&mut self, request: &Request<'_>) {
        let is_awaited = matches!(request.kind.as_deref(), Some("Document" | "Script" | "Stylesheet"));
        if is_awaited && request.frame_id.is_some() {
            self.all.insert(request.request_id.to_string());
        }
    }

    /// Removes an ended request. Returns true when it was the last script or style sheet of the document.
    pub fn end(&mut self, request_id: &str, now: Instant) -> bool {
        if self.all.remove(request_id) {
            self.ended = Some(now);
        }
        self.scripts.remove(request_id) && self.scripts.is_empty()
    }

    /// Stops waiting for the scripts and style sheets of the document.
    pub fn give_up_scripts(&mut self) {
        self.scripts.clear();
    }

    /// Returns true while a script or style sheet of the document is pending.
    pub fn brings_scripts(&self) -> bool {
        !self.scripts.is_empty()
    }

    /// Returns true when no request is pending and the last one ended long enough ago for its script to be parsed.
    pub fn is_still(&self, now: Instant) -> bool {
        self.all.is_empty() && self.ended.is_none_or(|ended| now - ended >= PARSING)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sent(pending: &mut PendingRequests, id: &str, kind: &str) {
        let event = json!({ "requestId": id, "loaderId": "1", "frameId": "f", "type": kind,
            "request": { "url": "https://shop.test/x", "method": "GET" } })
        .to_string();
        pending.begin(&serde_json::from_str(&event).unwrap());
    }

    #[test]
    fn a_request_of_any_frame_is_pending_until_its_script_can_be_parsed() {
        let now = Instant::now();
        let mut pending = PendingRequests::default();
        assert!(pending.is_still(now));

        for kind in ["Document", "Script", "Stylesheet"] {
            sent(&mut pending, kind, kind);
            assert!(!pending.is_still(now), "{kind}");
            pending.end(kind, now);
        }

        assert!(!pending.is_still(now));
        assert!(pending.is_still(now + PARSING));
    }

    #[test]
    fn requests_that_may_never_end_are_not_pending() {
        let mut pending = PendingRequests::default();

        for kind in ["EventSource", "WebSocket", "Ping", "Fetch"] {
            sent(&mut pending, kind, kind);
        }

        assert!(pending.is_still(Instant::now()));
    }
}
