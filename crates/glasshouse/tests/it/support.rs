//! The real service in its own folder, a small site for it to render, and a minimal HTTP client.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Timeout of any expected event on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Log file in a service's folder.
const LOG: &str = "log";

/// A response.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    /// Headers by their lower-case names.
    pub headers: HashMap<String, String>,
    pub body: String,
}

impl Reply {
    /// Returns the value of a header. Empty when it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// Returns the tier that answered.
    pub fn tier(&self) -> &str {
        self.header("x-service-render-cache")
    }
}

/// Sends one GET request.
pub fn get(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> std::io::Result<Reply> {
    send(address, &format!("GET {path}"), headers, "")
}

fn send(address: SocketAddr, request: &str, headers: &[(&str, &str)], body: &str) -> std::io::Result<Reply> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut head = format!("{request} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes())?;
    let mut text = Vec::new();
    stream.read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").ok_or(std::io::ErrorKind::UnexpectedEof)?;
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
    let pairs = lines.filter_map(|line| line.split_once(": "));
    let headers = pairs.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { joined_chunks(body) } else { body.to_owned() };
    Ok(Reply { status: status.ok_or(std::io::ErrorKind::InvalidData)?, headers, body })
}

/// Decodes a chunked body: lines of a length in hexadecimal digits, each followed by so many bytes.
fn joined_chunks(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).expect("the length of a chunk");
        body.push_str(after.get(..length).expect("a whole chunk"));
        rest = after.get(length..).unwrap_or_default().trim_start_matches("\r\n");
    }
    body
}

/// Response of the site at a path: status line with headers, and the body.
pub type Page = (String, String);

/// A site on loopback whose pages a test can change. Answers in a thread per connection.
pub struct Site {
    /// Address of the site.
    pub address: SocketAddr,
    pages: Arc<Mutex<HashMap<String, Page>>>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Site {
    pub fn start() -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("a bound port");
        let (pages, seen) = (Arc::new(Mutex::new(HashMap::new())), Arc::new(Mutex::new(Vec::new())));
        let site = Site { address, pages: pages.clone(), seen: seen.clone() };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, seen) = (pages.clone(), seen.clone());
                std::thread::spawn(move || answer(stream, &pages, &seen));
            }
        });
        site
    }

    /// Sets the response at `path`.
    pub fn answers(&self, path: &str, head: &str, body: &str) {
        self.pages
            .lock()
            .expect("no panic in between")
            .insert(path.to_owned(), (head.to_owned(), body.to_owned()));
    }

    /// Sets at `path` an app whose script fetches `/data` and shows it in a heading.
    pub fn answers_app(&self, path: &str, data: &str) {
        let script = "fetch('/data').then(r => r.json()).then(d => { document.title = d.text; \
             document.querySelector('#app').innerHTML = '<h1>' + d.text + '</h1>'; })";
        let shell = format!(
            "<!DOCTYPE html><html><head><title>Loading</title></head><body><div id=app></div><script>{script}</script></body></html>"
        );
        self.answers(path, "200 OK\r\ncontent-type: text/html", &shell);
        self.answers(
            "/data",
            "200 OK\r\ncontent-type: application/json",
            &format!("{{\"text\":\"{data}\"}}"),
        );
    }

    /// Returns the number of requests of a path; for `gone PATH` that of clients which disconnected without a response.
    pub fn count(&self, path: &str) -> usize {
        self.seen.lock().expect("no panic in between").iter().filter(|seen| *seen == path).count()
    }
}

fn answer(mut stream: TcpStream, pages: &Mutex<HashMap<String, Page>>, seen: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
    let mut first = String::new();
    if reader.read_line(&mut first).is_err() {
        return;
    }
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|bytes| bytes > 2) {
        line.clear();
    }
    let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
    seen.lock().expect("no panic in between").push(path.clone());
    let page = pages.lock().expect("no panic in between").get(&path).cloned();
    let (head, body) =
        page.unwrap_or(("404 Not Found\r\ncontent-type: text/plain".into(), "nothing here".into()));
    if head == "hang" {
        // Waits until the client disconnects, since it sends nothing more.
        let _ = stream.set_read_timeout(Some(PATIENCE));
        let _ = reader.read(&mut [0]);
        seen.lock().expect("no panic in between").push(format!("gone {path}"));
        return;
    }
    let text =
        format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    // The browser may have disconnected.
    let _ = stream.write_all(text.as_bytes());
}

/// The service, started as an operator starts it, with shop.test connected to a site.
pub struct Service {
    /// Address of the API.
    pub address: SocketAddr,
    /// API key of the owner.
    pub key: String,
    folder: TempDir,
    process: Child,
}

/// A signed-in browser of the owner.
pub struct Session {
    cookie: String,
    csrf_token: String,
}

impl Service {
    /// Starts the service in a fresh folder with further settings.
    pub fn start(site: &Site, settings: &str) -> Service {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let text = format!(
            "[server]\nlisten = \"127.0.0.1:0\"\n[edge]\nhttp_listen = \"\"\n[telemetry]\nmetrics_listen = \"\"\n\
             [storage]\ndata_dir = \"{}\"\n[network]\nallow_private = [\"127.0.0.0/8\"]\n\
             [network.hosts]\n\"shop.test\" = \"{}\"\n{settings}\n",
            folder.path().join("data").display(),
            site.address
        );
        std::fs::write(folder.path().join("glasshouse.toml"), text).expect("a writable folder");
        let (process, address, key) = launch(&folder);
        let service = Service { address, key: key.expect("the first start tells a key"), folder, process };
        let add = ["domain", "add", "shop.test", "--account", "owner@localhost", "--status", "connected"];
        service.command(&add);
        service
    }

    /// Runs a command on the same settings; it must succeed.
    pub fn command(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_glasshouse"));
        let output =
            command.args(arguments).arg("--config").arg(self.settings()).output().expect("the binary runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Requests a page as a crawler.
    pub fn crawl(&self, url: &str) -> Reply {
        self.ask(&format!("/api/prerender/render?url={}", encode(url)))
    }

    /// Requests a new render of a page.
    pub fn force(&self, url: &str) -> Reply {
        self.ask(&format!("/api/prerender/render?url={}&cache_invalidate=1", encode(url)))
    }

    /// Sends a request to the API with the owner's key, as Googlebot.
    pub fn ask(&self, path: &str) -> Reply {
        let agent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
        get(self.address, path, &[("x-service-api-key", &self.key), ("user-agent", agent)])
            .expect("an answer")
    }

    /// Sends JSON to the API with the owner's key.
    pub fn post(&self, path: &str, body: &str) -> Reply {
        let length = body.len().to_string();
        let headers = [
            ("x-service-api-key", self.key.as_str()),
            ("content-type", "application/json"),
            ("content-length", &length),
        ];
        send(self.address, &format!("POST {path}"), &headers, body).expect("an answer")
    }

    /// Signs the owner in.
    pub fn sign_in(&self) -> Session {
        let (email, password) = ("owner@localhost", "purple monkey dishwasher");
        self.command(&["account", "set-password", "--email", email, "--password", password]);
        let mut session = Session { cookie: String::new(), csrf_token: String::new() };
        let body = format!("{{\"email\":\"{email}\",\"password\":\"{password}\"}}");
        let reply = self.ask_as(&session, "POST /api/session", &body);
        session.cookie = reply.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        let session_json: serde_json::Value =
            serde_json::from_str(&self.ask_as(&session, "GET /api/session", "").body).expect("a session");
        session.csrf_token = session_json["csrfToken"].as_str().expect("a token").to_owned();
        session
    }

    /// Sends a request (`METHOD PATH`) with a session, and JSON if it has some.
    pub fn ask_as(&self, session: &Session, request: &str, body: &str) -> Reply {
        let length = body.len().to_string();
        let headers = [
            ("cookie", session.cookie.as_str()),
            ("x-csrf-token", session.csrf_token.as_str()),
            ("content-type", "application/json"),
            ("content-length", &length),
        ];
        send(self.address, request, &headers, body).expect("an answer")
    }

    /// Kills the process and starts another one on the same folder.
    pub fn restart_after_a_kill(&mut self) {
        signal("-KILL", self.process.id());
        let _ = self.process.wait();
        (self.process, self.address, _) = launch(&self.folder);
    }

    /// Ends the process in order and starts another one on the same folder.
    pub fn restart(&mut self) {
        self.end();
        (self.process, self.address, _) = launch(&self.folder);
    }

    /// Returns the ids and names of all processes that the service started.
    pub fn descendants(&self) -> Vec<(u32, String)> {
        let all: Vec<(u32, u32, String)> =
            std::fs::read_dir("/proc").expect("Linux").flatten().filter_map(stat_of).collect();
        let mut found = vec![self.process.id()];
        let mut at = 0;
        while at < found.len() {
            let parent = found[at];
            found.extend(all.iter().filter(|(_, ppid, _)| *ppid == parent).map(|(pid, _, _)| *pid));
            at += 1;
        }
        all.into_iter()
            .filter(|(pid, _, _)| found[1..].contains(pid))
            .map(|(pid, _, name)| (pid, name))
            .collect()
    }

    /// Returns the lines that the service has logged since it was ready.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join(LOG)).unwrap_or_default()
    }

    /// Returns the folder of the service's settings and data.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    fn settings(&self) -> PathBuf {
        self.folder.path().join("glasshouse.toml")
    }

    fn end(&mut self) {
        signal("-TERM", self.process.id());
        let status = self.process.wait().expect("a child of ours");
        assert!(status.success(), "the service ended with {status}");
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        signal("-TERM", self.process.id());
        let _ = self.process.wait();
    }
}

/// Sends a signal to one process.
pub fn signal(signal: &str, pid: u32) {
    let _ = Command::new("kill").args([signal, &pid.to_string()]).stderr(Stdio::null()).status();
}

/// Waits until a condition is true.
pub fn eventually(what: &str, is_so: impl Fn() -> bool) {
    eventually_within(PATIENCE, what, is_so);
}

/// Waits until a condition is true, for at most `time`.
pub fn eventually_within(time: Duration, what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < time, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Starts the service and reads its output until it is ready.
fn launch(folder: &TempDir) -> (Child, SocketAddr, Option<String>) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_glasshouse"))
        .arg("serve")
        .arg("--config")
        .arg(folder.path().join("glasshouse.toml"))
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut lines = BufReader::new(process.stderr.take().expect("a pipe")).lines();
    let (mut key, mut told) = (None, String::new());
    let address = loop {
        let Some(Ok(line)) = lines.next() else { panic!("the service did not start:\n{told}") };
        told.push_str(&line);
        told.push('\n');
        if let Some((_, text)) = line.split_once("API key:") {
            key = Some(text.trim().to_owned());
        }
        if let Some((_, rest)) = line.split_once("API and dashboard on http://") {
            let text: String =
                rest.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ':')).collect();
            break text.parse().expect("an address");
        }
    };
    // Without a reader the service would block on its log.
    let log = folder.path().join(LOG);
    std::thread::spawn(move || {
        let mut log =
            std::fs::File::options().create(true).append(true).open(log).expect("a writable folder");
        lines.map_while(Result::ok).for_each(|line| drop(writeln!(log, "{line}")));
    });
    (process, address, key)
}

fn stat_of(entry: std::fs::DirEntry) -> Option<(u32, u32, String)> {
    let pid = entry.file_name().to_str()?.parse().ok()?;
    let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
    let (name, rest) = stat.split_once('(')?.1.rsplit_once(") ")?;
    Some((pid, rest.split(' ').nth(1)?.parse().ok()?, name.to_owned()))
}

fn encode(url: &str) -> String {
    url::form_urlencoded::byte_serialize(url.as_bytes()).collect()
}
