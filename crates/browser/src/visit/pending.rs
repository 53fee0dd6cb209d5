//! The requests of a visit that are on their way, as the network tells them. Used by the state machine.
//! Pure. Must never count what has no end: connections, answers whose body nobody reads, and the scripts of workers, whose end is
//! not reported. What the page asks for by fetch and XHR is followed inside it.

use std::collections::HashSet;

use tokio::time::Instant;

use super::limits::PARSING;
use super::protocol::Request;

#[derive(Debug, Default)]
pub(super) struct PendingRequests {
    /// Scripts and style sheets of the document itself: what `import()` loads is not seen inside the page.
    scripts: HashSet<String>,
    /// Everything that the page or a frame of it may be waiting for and does not see itself.
    all: HashSet<String>,
    /// When the last of it ended.
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

    /// A request has ended. True when it was the last script or style sheet of the document.
    pub fn end(&mut self, request_id: &str, now: Instant) -> bool {
        if self.all.remove(request_id) {
            self.ended = Some(now);
        }
        self.scripts.remove(request_id) && self.scripts.is_empty()
    }

    /// Scripts and style sheets of the document that are still on their way have had their time.
    pub fn give_up_scripts(&mut self) {
        self.scripts.clear();
    }

    /// Whether a script or style sheet of the document is on its way.
    pub fn brings_scripts(&self) -> bool {
        !self.scripts.is_empty()
    }

    /// Whether nothing is on its way, nor has just come.
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
    fn a_request_of_any_frame_is_on_its_way_until_it_has_been_parsed() {
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
    fn what_may_never_end_is_not_on_its_way() {
        let mut pending = PendingRequests::default();

        for kind in ["EventSource", "WebSocket", "Ping", "Fetch"] {
            sent(&mut pending, kind, kind);
        }

        assert!(pending.is_still(Instant::now()));
    }
}
