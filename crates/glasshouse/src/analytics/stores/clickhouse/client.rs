//! ClickHouse over HTTP: a statement out, rows in binary form in. Used by the store beside it.
//! Must never take half an answer for a whole one: the server keeps an answer until it has all of it.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::CONTENT_TYPE;

use super::super::VisitError;
use super::rows::{NAME, STRUCTURE};
use crate::config::ClickHouseUrl;

/// How long the server may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long one statement may take.
const TIMEOUT: Duration = Duration::from_secs(60);
/// What is told of an answer that is an error.
const MAX_ERROR_BYTES: usize = 400;

/// One server. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    url: ClickHouseUrl,
}

impl Client {
    /// Connects to nothing yet.
    pub fn new(url: ClickHouseUrl) -> Client {
        // The first one wins; it is the same everywhere.
        let _ = rustls::crypto::ring::default_provider().install_default();
        #[expect(clippy::disallowed_methods, reason = "the server is the operator's, often on this machine")]
        let builder = reqwest::Client::builder();
        // What proxies the environment names is for the way outside.
        let builder = builder.connect_timeout(CONNECT_TIMEOUT).timeout(TIMEOUT).no_proxy();
        let http = builder.build().expect("a client without certificates of its own can be made");
        Client { http, url }
    }

    /// Carries a statement out; the answer is in `RowBinary` when the statement says so.
    pub async fn run(&self, sql: &str) -> Result<Bytes, VisitError> {
        self.send(&[("wait_end_of_query", "1")], "text/plain", sql.to_owned().into_bytes()).await
    }

    /// Carries a statement out that reads a table of sent rows. The server refuses a second one with the same id while the
    /// first one runs.
    pub async fn run_with_rows(&self, sql: &str, id: &str, rows: &[u8]) -> Result<(), VisitError> {
        let structure = format!("{NAME}_structure");
        let format = format!("{NAME}_format");
        let query = [
            ("query", sql),
            ("query_id", id),
            (structure.as_str(), STRUCTURE),
            (format.as_str(), "RowBinary"),
            ("wait_end_of_query", "1"),
            // One thread writes one part: all of a batch is there at once, or nothing of it.
            ("max_threads", "1"),
        ];
        // Nobody can have put it into a path.
        let boundary = uuid::Uuid::now_v7().simple();
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{NAME}\"; filename=\"{NAME}\"\r\n\r\n"
        );
        let tail = format!("\r\n--{boundary}--\r\n");
        let body = [head.as_bytes(), rows, tail.as_bytes()].concat();
        self.send(&query, &format!("multipart/form-data; boundary={boundary}"), body).await.map(drop)
    }

    async fn send(
        &self,
        query: &[(&str, &str)],
        content_type: &str,
        body: Vec<u8>,
    ) -> Result<Bytes, VisitError> {
        let mut url = self.url.endpoint.clone();
        url.query_pairs_mut().append_pair("database", &self.url.database).extend_pairs(query);
        let request = self.http.post(url).header(CONTENT_TYPE, content_type).body(body);
        let request = request
            .header("X-ClickHouse-User", &self.url.user)
            .header("X-ClickHouse-Key", self.url.password.reveal().unwrap_or_default());
        // Its address has the statement in it, and that has paths of customers.
        let away = |error: reqwest::Error| VisitError::Unreachable(error.without_url());
        let answer = request.send().await.map_err(away)?;
        let is_good = answer.status().is_success();
        let body = answer.bytes().await.map_err(away)?;
        if is_good { Ok(body) } else { Err(VisitError::refused(first_line(&body))) }
    }
}

fn first_line(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(MAX_ERROR_BYTES)]);
    text.lines().next().unwrap_or("no reason given").to_owned()
}

/// A text in a statement.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for c in text.chars() {
        match c {
            '\\' => quoted.push_str("\\\\"),
            '\'' => quoted.push_str("\\'"),
            '\0' => quoted.push_str("\\0"),
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}
