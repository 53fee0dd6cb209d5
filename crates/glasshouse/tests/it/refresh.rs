//! Cache refresh during faults: killed processes, a shared database, a full disk.
//! The binary, real Chromium, and a site on loopback that counts its requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use store::testing::PostgresServer;
use tempfile::TempDir;

use crate::support::{Site, get, signal};

const PAGES: usize = 500;
/// Time for five hundred pages on a busy machine.
const PATIENCE: Duration = Duration::from_secs(400);

/// One process of the service.
pub struct Node {
    process: Child,
    address: SocketAddr,
    pub key: Option<String>,
}

impl Node {
    /// Starts the service in a folder, with settings as environment variables.
    pub fn start(folder: &Path, site: &Site, settings: &[(&str, String)]) -> Node {
        let mut command = Command::new(env!("CARGO_BIN_EXE_glasshouse"));
        command.arg("serve");
        Node::run(command, folder, site, settings)
    }

    fn run(mut command: Command, folder: &Path, site: &Site, settings: &[(&str, String)]) -> Node {
        set_up(&mut command, folder, site, settings);
        let mut process = command.stderr(Stdio::piped()).spawn().expect("the binary runs");
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
        std::thread::spawn(move || lines.for_each(drop));
        Node { process, address, key }
    }

    fn kill(&mut self) {
        signal("-KILL", self.process.id());
        let _ = self.process.wait();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        signal("-TERM", self.process.id());
        let _ = self.process.wait();
    }
}

fn set_up(command: &mut Command, folder: &Path, site: &Site, settings: &[(&str, String)]) {
    let fixed = [
        ("SERVER__LISTEN", "127.0.0.1:0".to_owned()),
        ("EDGE__HTTP_LISTEN", String::new()),
        ("TELEMETRY__METRICS_LISTEN", String::new()),
        ("STORAGE__DATA_DIR", folder.display().to_string()),
        ("NETWORK__ALLOW_PRIVATE", "127.0.0.0/8".to_owned()),
        ("NETWORK__HOSTS", format!("{{\"shop.test\": \"{}\"}}", site.address)),
    ];
    for (key, value) in fixed
        .iter()
        .map(|(key, value)| (*key, value))
        .chain(settings.iter().map(|(key, value)| (*key, value)))
    {
        command.env(format!("GLASSHOUSE_{key}"), value);
    }
    command.current_dir("/");
}

/// Runs a command on the settings of a process; it must succeed.
pub fn command(arguments: &[&str], folder: &Path, site: &Site, settings: &[(&str, String)]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_glasshouse"));
    command.args(arguments);
    set_up(&mut command, folder, site, settings);
    let output = command.output().expect("the binary runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn connect_shop(folder: &Path, site: &Site, settings: &[(&str, String)]) {
    let add = [
        "domain",
        "add",
        "shop.test",
        "--account",
        "owner@localhost",
        "--status",
        "connected",
        "--sitemap",
        "https://shop.test/sitemap.xml",
    ];
    command(&add, folder, site, settings);
}

/// Creates a site with `pages` plain pages and a sitemap that lists them.
pub fn site_of(pages: usize) -> Site {
    let site = Site::start();
    let html = "200 OK\r\ncontent-type: text/html";
    site.answers("/", html, "<!DOCTYPE html><title>Home</title>");
    let mut sitemap = String::from("<urlset>");
    for page in 0..pages {
        site.answers(
            &format!("/p/{page}"),
            html,
            &format!("<!DOCTYPE html><title>Page {page}</title><h1>Page {page}</h1>"),
        );
        sitemap.push_str(&format!("<url><loc>https://shop.test/p/{page}</loc></url>"));
    }
    sitemap.push_str("</urlset>");
    site.answers("/sitemap.xml", "200 OK\r\ncontent-type: application/xml", &sitemap);
    site
}

fn post(node: &Node, key: &str, path: &str, body: &str) -> (u16, Value) {
    let mut stream = TcpStream::connect(node.address).expect("the service listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nx-service-api-key: {key}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        node.address,
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("a connection");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    let (head, body) = text.split_once("\r\n\r\n").expect("a complete answer");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}

pub fn refresh_site(node: &Node, key: &str) -> String {
    let (status, answer) =
        post(node, key, "/api/prerender/cache/invalidate-site-cache", "{\"domain\":\"shop.test\"}");
    assert_eq!((status, &answer["accepted"]), (200, &Value::Bool(true)), "{answer}");
    answer["batchGroupId"].as_str().expect("an id").to_owned()
}

/// Returns the progress of a batch. `None` while the service or its database is unreachable.
pub fn progress(node: &Node, key: &str, batch: &str) -> Option<Value> {
    let reply =
        get(node.address, &format!("/api/prerender/batches/{batch}"), &[("x-service-api-key", key)]).ok()?;
    serde_json::from_str(&reply.body).ok().filter(|_| reply.status == 200)
}

pub fn wait_for(what: &str, node: &Node, key: &str, batch: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let started = Instant::now();
    loop {
        let found = progress(node, key, batch);
        if let Some(found) = found.clone().filter(|found| is_so(found)) {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "{what} did not happen: {found:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

pub fn is_complete(batch: &Value) -> bool {
    !batch["completedAt"].is_null()
}

/// Asserts that each page was requested once, except for at most `cut_off` pages.
#[track_caller]
pub fn assert_rendered_once(site: &Site, pages: usize, cut_off: usize) {
    let counts: Vec<usize> = (0..pages).map(|page| site.count(&format!("/p/{page}"))).collect();
    let missing = counts.iter().filter(|count| **count == 0).count();
    let again = counts.iter().filter(|count| **count > 1).count();
    assert_eq!(missing, 0, "pages that were never rendered");
    assert!(again <= cut_off, "{again} pages were rendered more than once, {cut_off} may have been cut off");
}

/// Asserts that no job of an account is left. The service queues jobs of its own every minute.
pub fn assert_only_own_jobs(listed: &str) {
    let jobs: Vec<Value> = serde_json::from_str(listed).expect("a list of jobs");
    assert!(jobs.iter().all(|job| job["accountId"] == "service"), "{listed}");
}

#[test]
fn a_batch_goes_on_after_its_process_was_killed_and_renders_every_page_once() {
    let (site, folder) = (site_of(PAGES), TempDir::new().expect("a temporary folder"));
    let mut node = Node::start(folder.path(), &site, &[]);
    let key = node.key.clone().expect("the first start tells a key");
    connect_shop(folder.path(), &site, &[]);
    let batch = refresh_site(&node, &key);

    wait_for("a part of the batch", &node, &key, &batch, |batch| batch["done"].as_u64() > Some(50));
    node.kill();
    node = Node::start(folder.path(), &site, &[]);
    wait_for("more of the batch", &node, &key, &batch, |batch| batch["done"].as_u64() > Some(200));
    node.kill();
    node = Node::start(folder.path(), &site, &[]);
    let end = wait_for("the end of the batch", &node, &key, &batch, is_complete);

    assert_eq!((&end["total"], &end["done"], &end["failed"]), (&500.into(), &500.into(), &0.into()));
    // At each of two kills at most ten renders were in progress, and as many results may have been stored but not counted.
    assert_rendered_once(&site, PAGES, 2 * 2 * 10);
    assert_only_own_jobs(&command(&["jobs", "list", "--json"], folder.path(), &site, &[]));
}

#[test]
fn two_processes_share_a_batch_and_one_goes_on_when_the_other_is_killed() {
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let database = runtime.block_on(PostgresServer::start());
    let (site, folder) = (site_of(PAGES), TempDir::new().expect("a temporary folder"));
    let settings = [
        ("STORAGE__DATABASE_URL", database.url()),
        ("STORAGE__OBJECT_STORE_URL", format!("file:{}", folder.path().join("objects").display())),
    ];
    let (first_folder, second_folder) = (folder.path().join("first"), folder.path().join("second"));
    let mut first = Node::start(&first_folder, &site, &settings);
    let key = first.key.clone().expect("the first start tells a key");
    connect_shop(&first_folder, &site, &settings);
    let second = Node::start(&second_folder, &site, &settings);

    let batch = refresh_site(&first, &key);
    wait_for("a part of the batch", &second, &key, &batch, |batch| batch["done"].as_u64() > Some(100));
    first.kill();
    let end = wait_for("the end of the batch", &second, &key, &batch, is_complete);

    assert_eq!((&end["total"], &end["done"], &end["failed"]), (&500.into(), &500.into(), &0.into()));
    assert_rendered_once(&site, PAGES, 2 * 10);
    drop(second);
}

#[test]
fn a_full_disk_refuses_new_work_keeps_what_is_stored_and_recovers_by_itself() {
    let (site, folder) = (site_of(40), TempDir::new().expect("a temporary folder"));
    let data = folder.path().join("data");
    std::fs::create_dir(&data).expect("a writable folder");
    // A separate file system for this process and its children only.
    let mut command = Command::new("unshare");
    let script = format!(
        "mount -t tmpfs -o size=256m tmpfs {0} && exec {1} serve",
        data.display(),
        env!("CARGO_BIN_EXE_glasshouse")
    );
    command.args(["--mount", "--propagation", "private", "sh", "-c", &script]);
    if !is_root() {
        command = Command::new("unshare");
        command.args([
            "--user",
            "--map-root-user",
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            &script,
        ]);
    }
    let settings = [("RENDER__MEMORY_CACHE_BYTES", "0".to_owned())];
    let node = Node::run(command, &data, &site, &settings);
    let key = node.key.clone().expect("the first start tells a key");
    let inside = Path::new("/proc")
        .join(node.process.id().to_string())
        .join("root")
        .join(data.strip_prefix("/").expect("absolute"));
    // Commands must see the same file system.
    let mut add = Command::new("nsenter");
    add.args(["--mount", "--target", &node.process.id().to_string(), "--", env!("CARGO_BIN_EXE_glasshouse")]);
    add.args([
        "domain",
        "add",
        "shop.test",
        "--account",
        "owner@localhost",
        "--status",
        "connected",
        "--sitemap",
        "https://shop.test/sitemap.xml",
    ]);
    set_up(&mut add, &data, &site, &settings);
    let added = add.output().expect("nsenter runs");
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    let crawl = || {
        let path = "/api/prerender/render?url=https%3A%2F%2Fshop.test%2Fp%2F0";
        get(node.address, path, &[("x-service-api-key", &key), ("user-agent", "Googlebot/2.1")])
            .expect("an answer")
    };
    assert_eq!((crawl().status, crawl().tier().to_owned()), (200, "hit".to_owned()));

    let ballast = inside.join("ballast");
    fill(&ballast);
    let refused = (0..50).map(|_| {
        post(&node, &key, "/api/prerender/cache/invalidate-site-cache", "{\"domain\":\"shop.test\"}")
    });
    // The free space in half-full pages may hold a few of them.
    let refused = refused.into_iter().find(|(status, _)| *status != 200).expect("a full disk");
    let served = crawl();
    std::fs::remove_file(&ballast).expect("the ballast is there");
    let batch = refresh_site(&node, &key);
    let end = wait_for("the end of the batch", &node, &key, &batch, is_complete);

    assert_eq!(refused, (503, serde_json::json!({ "error": "service_unavailable" })));
    assert_eq!((served.status, served.tier()), (200, "hit"));
    assert_eq!((&end["done"], &end["failed"]), (&40.into(), &0.into()));
}

/// Writes until the disk is full.
fn fill(path: &Path) {
    let mut file = std::fs::File::create(path).expect("room for a name");
    for size in [1 << 20, 1 << 12, 1 << 9, 1] {
        while file.write_all(&vec![0; size]).is_ok() {}
    }
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}
