//! From nothing to a served domain by one command, with the records of a DNS server of the test.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crawler::testing::DnsServer;

use crate::process::{fails, folder, glasshouse, ok, raw};
use crate::support::{PATIENCE, Site, eventually, signal};

const GOOGLEBOT: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

/// A running `glasshouse up`.
struct Up {
    child: Child,
    stdout: Arc<Mutex<String>>,
    stderr: Arc<Mutex<String>>,
}

impl Up {
    fn start(folder: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Up {
        let mut command = glasshouse(folder, &[&["up"], arguments].concat(), settings);
        for variable in ["GLASSHOUSE_SERVER__LISTEN", "GLASSHOUSE_EDGE__HTTP_LISTEN"] {
            command.env_remove(variable);
        }
        let mut child = command.spawn().unwrap();
        let stdout = lines_of(child.stdout.take().unwrap());
        let stderr = lines_of(child.stderr.take().unwrap());
        Up { child, stdout, stderr }
    }

    fn stdout(&self) -> String {
        self.stdout.lock().unwrap().clone()
    }

    fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    #[track_caller]
    fn wait_for(&self, text: &str) -> String {
        let start = Instant::now();
        loop {
            let said = self.stdout();
            if let Some(line) = said.lines().find(|line| line.contains(text)) {
                return line.to_owned();
            }
            assert!(start.elapsed() < PATIENCE, "no {text:?} in:\n{said}\n{}", self.stderr());
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }

    /// Returns the address that follows a text in the line about what is served.
    fn address_after(&self, text: &str) -> SocketAddr {
        let line = self.wait_for("serving: ");
        let rest = line.split_once(text).unwrap_or_else(|| panic!("no {text:?} in {line}")).1;
        rest.split([',', ' ']).next().unwrap().parse().unwrap()
    }

    fn end(mut self) -> Option<i32> {
        signal("-TERM", self.child.id());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines_of(stream: impl std::io::Read + Send + 'static) -> Arc<Mutex<String>> {
    let lines = Arc::<Mutex<String>>::default();
    let written = lines.clone();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let mut lines = written.lock().unwrap();
            lines.push_str(&line);
            lines.push('\n');
        }
    });
    lines
}

/// Arguments of a site on free ports, with the service at an address that the test's DNS gives.
const SITE: [&str; 11] = [
    "shop.test",
    "--origin",
    "origin.test",
    "--listen",
    "127.0.0.1:0",
    "--http",
    "127.0.0.1:0",
    "--https",
    "127.0.0.1:0",
    "--public-ip",
    "192.0.2.1",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_command_leads_from_nothing_to_a_page_for_a_crawler() {
    let (dns, site, folder) = (DnsServer::start().await, Site::start(), folder());
    dns.leads_to("shop.test", &["198.51.100.7"]);
    site.answers_app("/", "Shoes");
    let hosts = format!("{{\"origin.test\": \"{}\"}}", site.address);
    let servers = dns.address().to_string();
    let settings = [
        ("GLASSHOUSE_NETWORK__DNS_SERVERS", servers.as_str()),
        ("GLASSHOUSE_NETWORK__HOSTS", &hosts),
        ("GLASSHOUSE_NETWORK__ALLOW_PRIVATE", "127.0.0.0/8"),
        ("GLASSHOUSE_SERVER__ROLES", "api,edge,render,worker"),
        // Certificates need a certificate authority.
        ("GLASSHOUSE_EDGE__HTTPS_LISTEN", ""),
    ];

    let up = Up::start(folder.path(), &SITE, &settings);
    up.wait_for("waiting: shop.test leads to 198.51.100.7, which is not this service");
    dns.leads_to("shop.test", &["192.0.2.1"]);
    up.wait_for("connected: shop.test leads here (connected)");
    up.wait_for("ready: crawlers get pages of shop.test");
    let edge = up.address_after("edge on ");
    let request =
        format!("GET / HTTP/1.1\r\nhost: shop.test\r\nuser-agent: {GOOGLEBOT}\r\nconnection: close\r\n\r\n");
    let page = raw(&edge.to_string(), request.as_bytes());
    let crawler = up.wait_for("crawler: ");

    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<h1>Shoes</h1>"), "{page}");
    assert!(crawler.starts_with("crawler: Googlebot got shop.test/ (render, "), "{crawler}");
    let file = folder.path().join("glasshouse.toml");
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    let (said, log) = (up.stdout(), up.stderr());
    let key = log.lines().find_map(|line| line.trim().strip_prefix("API key:")).unwrap().trim().to_owned();
    let password =
        log.lines().find_map(|line| line.trim().strip_prefix("password:")).unwrap().trim().to_owned();
    assert!(!said.contains(&key) && !said.contains(&password), "{said}");
    assert!(said.contains("kept: edge.https_listen is \"\"; \"127.0.0.1:0\" was asked for"), "{said}");
    assert_eq!(up.end(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_start_keeps_what_stands_and_says_what_was_asked_for_otherwise() {
    let (dns, folder) = (DnsServer::start().await, folder());
    dns.leads_to("shop.test", &["192.0.2.1"]);
    let away = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let hosts = format!("{{\"origin.test\": \"{away}\"}}");
    let servers = dns.address().to_string();
    let settings =
        [("GLASSHOUSE_NETWORK__DNS_SERVERS", servers.as_str()), ("GLASSHOUSE_NETWORK__HOSTS", &hosts)];
    let first = Up::start(folder.path(), &SITE, &settings);
    first.wait_for("waiting: the origin origin.test does not answer");
    assert!(first.stdout().contains("account: owner@localhost was made"), "{}", first.stdout());
    assert_eq!(first.end(), Some(0));
    let text = std::fs::read_to_string(folder.path().join("glasshouse.toml")).unwrap();

    let arguments = [
        "shop.test",
        "--origin",
        "other.test",
        "--email",
        "b@shop.test",
        "--http",
        "127.0.0.1:9",
        "--public-ip",
        "192.0.2.9",
    ];
    let second = Up::start(folder.path(), &arguments, &settings);
    second.wait_for("connected: shop.test leads here");
    let (said, log) = (second.stdout(), second.stderr());
    assert_eq!(second.end(), Some(0));

    for kept in [
        "settings: glasshouse.toml is kept",
        "kept: edge.http_listen is \"127.0.0.1:0\"; \"127.0.0.1:9\" was asked for",
        "kept: edge.public_ipv4 is \"192.0.2.1\"; \"192.0.2.9\" was asked for",
        "kept: the account is \"owner@localhost\"; \"b@shop.test\" was asked for",
        "kept: the origin of shop.test is \"origin.test\"; \"other.test\" was asked for",
    ] {
        assert!(said.contains(kept), "no {kept:?} in:\n{said}");
    }
    assert!(!log.contains("API key") && !log.contains("password"), "{log}");
    assert_eq!(std::fs::read_to_string(folder.path().join("glasshouse.toml")).unwrap(), text);
    assert_eq!(ok(folder.path(), &["domain", "list"]).lines().count(), 2);
}

#[test]
fn an_invalid_name_origin_or_missing_address_makes_nothing() {
    let folder = folder();
    let refused =
        |arguments: &[&str]| fails(&mut glasshouse(folder.path(), &[&["up"], arguments].concat(), &[]), 2);

    let name = refused(&["com", "--origin", "origin.test", "--public-ip", "192.0.2.1"]);
    let origin = refused(&["shop.test", "--origin", "shop.test", "--public-ip", "192.0.2.1"]);
    let missing = refused(&["shop.test", "--public-ip", "192.0.2.1"]);
    let address = refused(&["shop.test", "--origin", "origin.test", "--public-ip", "here"]);

    assert!(name.contains("com is not a domain"), "{name}");
    assert!(origin.starts_with("error: --origin shop.test: "), "{origin}");
    assert!(missing.contains("--origin") && address.contains("--public-ip"), "{missing} {address}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_port_in_use_ends_the_command_with_the_setting_that_names_it() {
    let folder = folder();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let arguments =
        ["up", "shop.test", "--origin", "origin.test", "--public-ip", "192.0.2.1", "--https", &address];

    let line =
        fails(&mut glasshouse(folder.path(), &arguments, &[("GLASSHOUSE_SERVER__ROLES", "api,edge")]), 1);

    assert!(
        line.contains(&address) && line.contains("edge.https_listen") && line.contains("in use"),
        "{line}"
    );
    eventually("the database is free", || ok(folder.path(), &["domain", "list"]).lines().count() <= 1);
}
