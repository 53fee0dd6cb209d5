//! Starts the binary, reads its addresses, and ends it by its process id.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A running service with its own data folder.
pub struct Service {
    child: Child,
    log: Arc<Mutex<String>>,
    /// `http://127.0.0.1:PORT` of the API.
    pub api: String,
    /// `http://127.0.0.1:PORT/metrics`.
    pub metrics: String,
}

/// Returns the binary's command in `folder`, with settings for a small service on free ports.
pub fn glasshouse(folder: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_glasshouse"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("RUST_BACKTRACE")
        .env("GLASSHOUSE_SERVER__LISTEN", "127.0.0.1:0")
        .env("GLASSHOUSE_TELEMETRY__METRICS_LISTEN", "127.0.0.1:0")
        .env("GLASSHOUSE_EDGE__HTTP_LISTEN", "")
        // No role that starts a browser.
        .env("GLASSHOUSE_SERVER__ROLES", "api")
        .envs(settings.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a command to its end.
pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    glasshouse(folder, arguments, &[]).output().expect("the binary runs")
}

/// Runs a command that must succeed. Returns its stdout without the last line end.
#[track_caller]
pub fn ok(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).expect("text").trim_end().to_owned()
}

/// Runs a command that must fail with this exit code. Returns its one line on stderr.
#[track_caller]
pub fn fails(command: &mut Command, code: i32) -> String {
    let output = command.output().expect("the binary runs");
    let error = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    error.trim_end().to_owned()
}

pub fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

impl Service {
    /// Starts the service and waits until it is ready.
    pub fn start(folder: &Path, settings: &[(&str, &str)]) -> Service {
        let mut child = glasshouse(folder, &["serve"], settings).spawn().expect("the binary starts");
        let log = Arc::new(Mutex::new(String::new()));
        let (stderr, written) = (child.stderr.take().expect("piped"), log.clone());
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let mut log = written.lock().expect("nobody panics with the log");
                log.push_str(&line);
                log.push('\n');
            }
        });
        let mut service = Service { child, log, api: String::new(), metrics: String::new() };
        let ready = service.wait_for("ready: ");
        let mut addresses = ready.split("http://").skip(1).map(|rest| {
            let end = rest.find([',', ' ', '\n']).unwrap_or(rest.len());
            format!("http://{}", &rest[..end])
        });
        service.api = addresses.next().expect("an API address");
        service.metrics = ready.split_once("metrics on ").expect("a metrics address").1.trim().to_owned();
        service
    }

    /// Waits for a line of the log that contains `text`.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) -> String {
        let start = Instant::now();
        loop {
            if let Some(line) = self.log().lines().find(|line| line.contains(text)) {
                return line.to_owned();
            }
            let ended = self.child.try_wait().expect("a child of ours");
            assert!(
                ended.is_none() && start.elapsed() < Duration::from_secs(60),
                "no {text:?} in:\n{}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the stderr output so far.
    pub fn log(&self) -> String {
        self.log.lock().expect("nobody panics with the log").clone()
    }

    /// Returns the text that the first start printed after this label.
    pub fn printed(&self, label: &str) -> String {
        let log = self.log();
        let line =
            log.lines().find_map(|line| line.trim().strip_prefix(label)).expect("a first start prints it");
        line.trim().to_owned()
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        let done = Command::new("kill").arg(self.child.id().to_string()).status().expect("kill is there");
        assert!(done.success());
    }

    /// Waits for the end and returns the exit code.
    pub fn wait(&mut self) -> Option<i32> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(30) {
            if let Some(status) = self.child.try_wait().expect("a child of ours") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it did not end:\n{}", self.log());
    }

    /// Sends SIGTERM and waits for the end.
    pub fn stop(mut self) -> Option<i32> {
        self.terminate();
        self.wait()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends raw bytes to an `http://host:port` address and reads until the connection closes.
pub fn raw(address: &str, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    let _ = std::io::Write::write_all(&mut stream, bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// Opens a connection to an `http://host:port` address.
pub fn connect(address: &str) -> std::net::TcpStream {
    let stream = std::net::TcpStream::connect(address.trim_start_matches("http://")).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time limit");
    stream
}

/// Returns an HTTP client.
pub fn client() -> reqwest::Client {
    // The client has no cryptography of its own; a second call finds it installed.
    crawler::tls::install_provider();
    reqwest::Client::new()
}
