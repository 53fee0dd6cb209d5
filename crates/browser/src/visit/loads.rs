//! Requests of a page while it is rendered, for audits: scripts, style sheets, XHR and fetch requests of its main document. Used by
//! the state machine. Pure. Must never grow with a page that never stops asking.

use std::collections::HashMap;

use super::protocol::Request;
use crate::LoadedRequest;

/// Requests that are kept; the first ones of a page matter most.
const MOST: usize = 500;
/// Bytes of an address that are kept. A longer one is left out.
const MAX_URL_BYTES: usize = 4096;

/// Requests of the document that is the main one.
#[derive(Debug, Default)]
pub(super) struct Loads {
    is_wanted: bool,
    requests: HashMap<String, Load>,
    next: usize,
}

#[derive(Debug)]
struct Load {
    number: usize,
    request: LoadedRequest,
    is_over: bool,
}

impl Loads {
    /// No requests; none are kept either unless they are wanted.
    pub fn new(is_wanted: bool) -> Loads {
        Loads { is_wanted, ..Loads::default() }
    }

    /// A request is sent; `is_own`: it belongs to the document that is the main one now.
    pub fn begin(&mut self, sent: &Request<'_>, is_own: bool) {
        let is_kind = matches!(sent.kind.as_deref(), Some("Script" | "Stylesheet" | "XHR" | "Fetch"));
        let url = &sent.request.url;
        let has_room = self.requests.len() < MOST && url.len() <= MAX_URL_BYTES;
        if self.is_wanted && is_own && is_kind && has_room && url.starts_with("http") {
            // After a redirect the same number leads to the next address.
            let request = LoadedRequest { url: url.to_string(), status: 0, is_complete: false };
            self.requests
                .insert(sent.request_id.to_string(), Load { number: self.next, request, is_over: false });
            self.next += 1;
        }
    }

    /// The head of a response is there.
    pub fn answered(&mut self, request_id: &str, status: u16) {
        if let Some(load) = self.requests.get_mut(request_id) {
            load.request.status = status;
        }
    }

    /// A request has ended; `broken`: the network ended it before its time. One that the page or the browser gave up says
    /// nothing of the server: it is forgotten.
    pub fn end(&mut self, request_id: &str, broken: bool, given_up: bool) {
        if given_up {
            self.requests.remove(request_id);
        } else if let Some(load) = self.requests.get_mut(request_id) {
            (load.request.is_complete, load.is_over) = (!broken, true);
        }
    }

    /// Lists the requests that have ended, in the order in which they were made.
    pub fn ended(&self) -> Vec<LoadedRequest> {
        let mut loads: Vec<&Load> = self.requests.values().filter(|load| load.is_over).collect();
        loads.sort_unstable_by_key(|load| load.number);
        loads.into_iter().map(|load| load.request.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn begin(loads: &mut Loads, id: &str, kind: &str) {
        let event = json!({ "requestId": id, "loaderId": "1", "frameId": "f", "type": kind,
            "request": { "url": format!("https://shop.test/{id}"), "method": "GET" } })
        .to_string();
        loads.begin(&serde_json::from_str(&event).unwrap(), true);
    }

    #[test]
    fn scripts_styles_and_data_are_told_with_their_answers_once_they_have_ended() {
        let mut loads = Loads::new(true);
        for (id, kind) in [("a", "Script"), ("b", "XHR"), ("c", "Image"), ("d", "Fetch"), ("e", "Stylesheet")]
        {
            begin(&mut loads, id, kind);
        }

        loads.answered("b", 500);
        loads.end("b", false, false);
        loads.end("a", true, false);
        loads.end("d", false, true);

        let told: Vec<_> = loads.ended().into_iter().map(|it| (it.url, it.status, it.is_complete)).collect();
        let expected = [("https://shop.test/a", 0, false), ("https://shop.test/b", 500, true)];
        assert_eq!(told, expected.map(|(url, status, whole)| (url.to_owned(), status, whole)));
    }

    #[test]
    fn no_more_is_kept_than_is_wanted_and_than_has_room() {
        let (mut unwanted, mut many) = (Loads::default(), Loads::new(true));

        begin(&mut unwanted, "a", "Script");
        for number in 0..MOST + 10 {
            let id = number.to_string();
            begin(&mut many, &id, "Fetch");
            many.end(&id, false, false);
        }

        unwanted.end("a", false, false);
        assert_eq!((unwanted.ended().len(), many.ended().len()), (0, MOST));
    }
}
