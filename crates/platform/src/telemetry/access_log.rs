//! The access log: one line per request that the API and the edge answered, as JSON or in the "combined" form of web servers.
//! Off by default. Must never hold a request up, nor carry a query string, a cookie or a key.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use http::header::{HOST, REFERER, USER_AGENT};
use http::{HeaderMap, Method, Request, Response, Uri, Version};
use http_body::Body;
use ipnet::IpNet;
use serde::Serialize;

use crate::api::client::resolve_client;
use crate::api::header_names::RENDER_CACHE;
use crate::clock::{Clock, Timestamp};
use crate::config::{AccessLogFormat, Config};

/// Lines that wait to be written. Further ones are counted and left out.
const WAITING_LINES: usize = 16 * 1024;
/// Time for which the last lines are waited for when the process ends.
const LAST_LINES: Duration = Duration::from_secs(2);

/// The log. Cheap to clone.
#[derive(Clone)]
pub struct AccessLog(Arc<Inner>);

struct Inner {
    format: AccessLogFormat,
    trusted_proxies: Vec<IpNet>,
    clock: Clock,
    lines: SyncSender<LogMessage>,
}

enum LogMessage {
    Line(String),
    /// Answered when all lines before it are written.
    Flush(SyncSender<()>),
}

/// A request that is being answered.
pub struct AccessEntry {
    log: AccessLog,
    since: Instant,
    client: IpAddr,
    method: Method,
    uri: Uri,
    version: Version,
    host: Option<String>,
    referer: Option<String>,
    user_agent: Option<String>,
}

/// A line, named as the lines that `glasshouse analytics import` reads.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonLine<'a> {
    ts: Timestamp,
    ip: IpAddr,
    method: &'a str,
    host: Option<&'a str>,
    path: &'a str,
    protocol: &'a str,
    status: u16,
    bytes: Option<u64>,
    duration_ms: u64,
    referer: Option<&'a str>,
    user_agent: Option<&'a str>,
    render_cache: Option<&'a str>,
}

impl AccessLog {
    /// Opens the log that the settings name. None: it is off.
    pub fn open(config: &Config, clock: &Clock) -> io::Result<Option<AccessLog>> {
        let settings = &config.telemetry;
        if settings.access_log == AccessLogFormat::Off {
            return Ok(None);
        }
        let target: Box<dyn Write + Send> = match &settings.access_log_file {
            Some(path) => Box::new(OpenOptions::new().create(true).append(true).open(path)?),
            None => Box::new(io::stdout()),
        };
        let (lines, waiting) = sync_channel(WAITING_LINES);
        std::thread::Builder::new()
            .name("access-log".to_owned())
            .spawn(move || write_lines(&waiting, io::BufWriter::new(target)))?;
        Ok(Some(AccessLog(Arc::new(Inner {
            format: settings.access_log,
            trusted_proxies: config.edge.trusted_proxies.clone(),
            clock: clock.clone(),
            lines,
        }))))
    }

    /// Begins the entry of a request that came over a connection from `peer`.
    pub fn begin<B>(&self, request: &Request<B>, peer: IpAddr) -> AccessEntry {
        let headers = request.headers();
        let authority = request.uri().authority().map(|authority| authority.as_str().to_owned());
        AccessEntry {
            log: self.clone(),
            since: Instant::now(),
            client: resolve_client(peer, headers, &self.0.trusted_proxies),
            method: request.method().clone(),
            uri: request.uri().clone(),
            version: request.version(),
            host: authority.or_else(|| text_of(headers, &HOST)),
            referer: text_of(headers, &REFERER).map(without_query),
            user_agent: text_of(headers, &USER_AGENT),
        }
    }

    /// Waits until the lines so far are written.
    pub fn flush(&self) {
        let (done, written) = sync_channel(1);
        if self.0.lines.send(LogMessage::Flush(done)).is_ok() {
            let _ = written.recv_timeout(LAST_LINES);
        }
    }
}

impl AccessEntry {
    /// Writes the entry, once the response's head is known.
    pub fn end<B: Body>(self, response: &Response<B>) {
        let log = self.log.0.clone();
        if log.lines.try_send(LogMessage::Line(self.line(response))).is_err() {
            metrics::counter!("glasshouse_access_log_lines_dropped_total").increment(1);
        }
    }

    fn line<B: Body>(&self, response: &Response<B>) -> String {
        let (status, bytes) = (response.status().as_u16(), response.body().size_hint().exact());
        let (method, path, now) = (self.method.as_str(), self.uri.path(), self.log.0.clock.now());
        let protocol = match self.version {
            Version::HTTP_2 => "HTTP/2.0",
            Version::HTTP_10 => "HTTP/1.0",
            _ => "HTTP/1.1",
        };
        if self.log.0.format == AccessLogFormat::Json {
            let line = JsonLine {
                ts: now,
                ip: self.client,
                method,
                host: self.host.as_deref(),
                path,
                protocol,
                status,
                bytes,
                duration_ms: u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX),
                referer: self.referer.as_deref(),
                user_agent: self.user_agent.as_deref(),
                render_cache: response.headers().get(RENDER_CACHE).and_then(|value| value.to_str().ok()),
            };
            return serde_json::to_string(&line).expect("a line is plain data");
        }
        let time = now.in_zone(&jiff::tz::TimeZone::UTC).strftime("%d/%b/%Y:%H:%M:%S +0000").to_string();
        let bytes = bytes.map_or("-".to_owned(), |bytes| bytes.to_string());
        let quoted = |text: &Option<String>| text.as_deref().map_or("-".to_owned(), escaped);
        let (path, referer, agent) = (escaped(path), quoted(&self.referer), quoted(&self.user_agent));
        let client = self.client;
        format!(
            r#"{client} - - [{time}] "{method} {path} {protocol}" {status} {bytes} "{referer}" "{agent}""#
        )
    }
}

fn text_of(headers: &HeaderMap, name: &http::HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn without_query(mut address: String) -> String {
    address.truncate(address.find(['?', '#']).unwrap_or(address.len()));
    address
}

/// Escapes what would end a quoted field, or is no printable ASCII, as web servers do.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => escaped.push_str(&format!("\\x{byte:02X}")),
            _ => escaped.push(char::from(byte)),
        }
    }
    escaped
}

fn write_lines(waiting: &Receiver<LogMessage>, mut target: impl Write) {
    while let Ok(message) = waiting.recv() {
        let mut next = Some(message);
        // Lines that come together are written together.
        while let Some(message) = next {
            match message {
                LogMessage::Line(line) => _ = writeln!(target, "{line}"),
                LogMessage::Flush(done) => {
                    let _ = target.flush();
                    let _ = done.send(());
                }
            }
            next = waiting.try_recv().ok();
        }
        let _ = target.flush();
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    /// Writes the line of a request to a file, and returns it.
    fn line(format: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("access.log");
        let settings = format!(
            "edge.trusted_proxies = [\"10.0.0.0/8\"]\ntelemetry.access_log = {format:?}\ntelemetry.access_log_file = {file:?}\n"
        );
        let clock = Clock::fixed(Timestamp::from_millis(784_111_777_000));
        let log = AccessLog::open(&Config::from_toml(&settings).unwrap(), &clock).unwrap().unwrap();
        let request = Request::builder()
            .uri("/a?token=secret")
            .header("host", "shop.example")
            .header("x-forwarded-for", "192.0.2.7")
            .header("referer", "https://a.example/b?q=secret#c")
            .header("user-agent", "curl \"8\"\u{e9}")
            .body(())
            .unwrap();

        let entry = log.begin(&request, "10.0.0.1".parse().unwrap());
        entry.end(&Response::builder().status(404).body(Body::from("none")).unwrap());
        log.flush();
        std::fs::read_to_string(&file).unwrap()
    }

    #[test]
    fn a_line_of_the_combined_form_names_client_request_and_answer_without_query_strings() {
        assert_eq!(
            line("combined"),
            "192.0.2.7 - - [06/Nov/1994:08:49:37 +0000] \"GET /a HTTP/1.1\" 404 4 \"https://a.example/b\" \"curl \\x228\\x22\\xC3\\xA9\"\n"
        );
    }

    #[test]
    fn a_line_of_json_names_the_same() {
        let line: serde_json::Value = serde_json::from_str(&line("json")).unwrap();

        for (key, value) in [
            ("ip", "192.0.2.7"),
            ("method", "GET"),
            ("host", "shop.example"),
            ("path", "/a"),
            ("referer", "https://a.example/b"),
        ] {
            assert_eq!(line[key], value, "{line}");
        }
        assert_eq!((&line["status"], &line["bytes"]), (&404.into(), &4.into()));
    }

    #[test]
    fn it_is_off_by_default() {
        assert!(AccessLog::open(&Config::from_toml("").unwrap(), &Clock::system()).unwrap().is_none());
    }
}
