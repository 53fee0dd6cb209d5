//! Fixtures of all tests: a pool with its own folder, requests with ordinary limits, and functions for processes.
//! Used by the tests of this binary only.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use browser::{BrowserConfig, ChromiumPool, RenderError, RenderLimits, RenderRequest, Rendered, Renderer};
use crawler::{HostTarget, Network, NetworkConfig};
use tempfile::TempDir;
use tokio::sync::Semaphore;

use crate::origin::{Origin, Reply};

/// Public name of the fixture site.
pub const HOST: &str = "shop.test";

/// A pool whose `shop.test` is the fixture site.
pub struct Bench {
    pub pool: Arc<ChromiumPool>,
    pub origin: Origin,
    slots: Arc<Semaphore>,
    folder: TempDir,
}

impl Bench {
    /// Makes a site without pages and a pool with two slots.
    pub async fn new() -> Bench {
        Bench::with(|_| {}).await
    }

    /// Makes a bench with other settings.
    pub async fn with(change: impl FnOnce(&mut BrowserConfig)) -> Bench {
        Bench::with_hosts(&[], change).await
    }

    /// Makes a bench with other settings and further host names.
    pub async fn with_hosts(hosts: &[(&str, SocketAddr)], change: impl FnOnce(&mut BrowserConfig)) -> Bench {
        Bench::build("127.0.0.1:0", "127.0.0.0/8", hosts, change).await
    }

    /// Makes a bench whose site is at 127.0.0.2, the only address of this machine that is allowed.
    pub async fn only_origin() -> Bench {
        Bench::build("127.0.0.2:0", "127.0.0.2/32", &[], |_| {}).await
    }

    async fn build(
        site: &str,
        allowed: &str,
        hosts: &[(&str, SocketAddr)],
        change: impl FnOnce(&mut BrowserConfig),
    ) -> Bench {
        let _ = tracing_subscriber::fmt()
            .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
            .with_test_writer()
            .try_init();
        let origin = Origin::start_at(site).await;
        let mut names: BTreeMap<String, HostTarget> = BTreeMap::new();
        for (name, address) in [(HOST, origin.address)].iter().chain(hosts) {
            names.insert((*name).to_owned(), HostTarget { ip: address.ip(), port: Some(address.port()) });
        }
        let network = Network::new(NetworkConfig {
            allow_private: vec![allowed.parse().unwrap()],
            hosts: names,
            dns_servers: vec!["127.0.0.1:9".parse().unwrap()],
        })
        .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut config = BrowserConfig { concurrency: 2, ..BrowserConfig::new(network, folder.path()) };
        change(&mut config);
        let slots = Arc::new(Semaphore::new(config.concurrency));
        let pool = Arc::new(ChromiumPool::start(config));
        wait_for_browser(&pool).await;
        Bench { pool, origin, slots, folder }
    }

    /// Renders one page with `reply` over https.
    pub async fn render_reply(&self, reply: Reply) -> Result<Rendered, RenderError> {
        self.origin.on("/page", reply);
        self.render("/page").await
    }

    /// Renders a path of the site over https, with the time limit of [`request`].
    pub async fn render(&self, path: &str) -> Result<Rendered, RenderError> {
        self.render_in_slot(request(path)).await
    }

    /// Renders a page in one of as many slots as the pool's pages, so that the next render in the slot begins in a clean tab.
    pub async fn render_in_slot(&self, request: RenderRequest) -> Result<Rendered, RenderError> {
        let slot = self.slots.clone().acquire_owned().await.unwrap();
        self.pool.render(RenderRequest { slot: Some(Arc::new(slot)), ..request }).await
    }

    /// Renders two paths concurrently, so that both run under the same load.
    pub async fn render_both(&self, first: &str, second: &str) -> (Rendered, Rendered) {
        let (first, second) = tokio::join!(self.render(first), self.render(second));
        (first.unwrap(), second.unwrap())
    }

    /// Returns the folder of the browsers' profiles.
    pub fn profiles(&self) -> &std::path::Path {
        self.folder.path()
    }
}

/// Waits until the pool's first browser has started or failed. Reading it from a busy disk takes longer than a render waits.
async fn wait_for_browser(pool: &ChromiumPool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while Instant::now() < deadline {
        let health = pool.health().await;
        if health.usable || !health.problem.is_some_and(|problem| problem.contains("is being started")) {
            return;
        }
    }
}

/// Makes a request for a path of the site, with a time limit that no page should need.
pub fn request(path: &str) -> RenderRequest {
    RenderRequest {
        url: format!("https://{HOST}{path}").parse().unwrap(),
        tenant: "tenant".into(),
        route: None,
        own_headers: None,
        timeout: Duration::from_secs(30),
        wait_for_selector: None,
        blocked_urls: Vec::new(),
        limits: RenderLimits { page_bytes: 25 << 20, html_bytes: 10 << 20, redirects: 10 },
        inspect: false,
        slot: None,
    }
}

/// Returns true when the kernel lets an unprivileged user create the namespaces of Chromium's sandbox.
pub fn allows_sandboxes() -> bool {
    let mut command = std::process::Command::new("setpriv");
    if rustix::process::geteuid().is_root() {
        command.args(["--reuid=60700", "--regid=60700", "--clear-groups"]);
    }
    command.args(["unshare", "-U", "-n", "true"]).status().is_ok_and(|status| status.success())
}

/// Waits until `check` holds; fails the test after a minute.
pub async fn eventually(what: &str, check: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !check() {
        assert!(Instant::now() < deadline, "not within a minute: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Returns the process ids of a group.
pub fn group(pgid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        let Some((_, rest)) = stat.rsplit_once(')') else { continue };
        let fields: Vec<&str> = rest.split_whitespace().collect();
        if fields.get(2).and_then(|group| group.parse::<u32>().ok()) == Some(pgid) {
            found.push(pid);
        }
    }
    found
}

/// Returns the process ids of a browser's renderer processes.
pub fn renderers(browser: u32) -> Vec<u32> {
    let is_renderer = |pid: &u32| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains("--type=renderer")
    };
    group(browser).into_iter().filter(is_renderer).collect()
}

/// Sends a signal by its name, through the shell: tests need no unsafe code.
pub fn signal(pid: u32, name: &str) {
    let status =
        std::process::Command::new("sh").args(["-c", &format!("kill -{name} {pid}")]).status().unwrap();
    assert!(status.success() || name == "KILL", "kill -{name} {pid}");
}

/// Runs the calling test again in a process that a shell script has prepared. Returns true in that process.
///
/// For tests that must not change the machine: forbidding namespaces, adding addresses to loopback. In a container without user
/// namespaces nothing can be prepared; the test then says so and ends.
#[allow(clippy::print_stderr, reason = "a test that does not run says so")]
pub fn is_prepared(test: &str, unshare: &str, script: &str) -> bool {
    const MARK: &str = "GLASSHOUSE_PREPARED_TEST";
    if std::env::vars().any(|(name, value)| name == MARK && value == test) {
        return true;
    }
    let may_prepare = std::process::Command::new("unshare").args([unshare, "true"]).status();
    if !may_prepare.expect("unshare is part of every Debian").success() {
        eprintln!("{test}: not run, since this machine forbids user namespaces");
        return false;
    }
    let this = std::env::current_exe().unwrap();
    let command = format!("{script} && exec '{}' --exact '{test}' --nocapture", this.display());
    let output = std::process::Command::new("unshare")
        .args([unshare, "sh", "-c", &command])
        .env(MARK, test)
        .output()
        .expect("unshare is part of every Debian");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}\n{complained}");
    false
}
