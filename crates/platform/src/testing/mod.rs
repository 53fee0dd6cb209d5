//! Services in a test: in process, through the same envelope as every listener, on either database, with a fake browser
//! and a clock that stands still. No socket is opened and nothing is mocked that is ours.
//!
//! Each feature has services of its own to test ([`Services`]): its own and those to its left.

mod clickhouse;
mod mail;
mod other_process;
mod process;
mod request;

use std::net::{SocketAddr, UdpSocket};
use std::sync::{Arc, LazyLock};

use axum::Router;
use browser::Renderer;
use browser::fake::FakeRenderer;
use crawler::{Network, NetworkConfig};
use store::testing::{DbTemplates, TestDb};
use store::{BlobConfig, Blobs, Db};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use clickhouse::clickhouse_database;
pub use crawler::testing::{DnsServer, Trouble};
pub use mail::mail_server;
pub use other_process::OtherProcess;
pub use request::{Reply, TestRequest, TestSession};

use crate::api::envelope::Envelope;
use crate::clock::{Clock, Timestamp};
use crate::config::Config;
use crate::draining::Draining;
use crate::secret::Secrets;
use crate::{MIGRATIONS, Platform};

/// 2026-11-20T12:00:00Z: when every test begins.
pub const NOON: Timestamp = Timestamp::from_millis(1_795_176_000_000);

/// Services under test.
pub trait Services: Sized {
    /// Makes them. Starts nothing.
    fn on(platform: Platform) -> Self;

    /// Returns what they stand on.
    fn platform(&self) -> &Platform;

    /// Makes the router of all their operations.
    fn router(&self) -> Router;

    /// Makes the API as one function.
    fn envelope(&self) -> Envelope {
        Envelope::new(self.platform().config.clone(), self.router(), Arc::new(|_| None))
    }
}

/// Services in a test, with their surroundings.
pub struct TestApp<S> {
    /// The services themselves.
    pub state: S,
    /// Clock of the services: `app.clock.advance(…)`.
    pub clock: Clock,
    /// Browser of the services: `app.renderer.answers_html(…)`.
    pub renderer: Arc<FakeRenderer>,
    envelope: Envelope,
    _folder: TempDir,
}

/// Databases that tests get copies of.
static DATABASES: DbTemplates = DbTemplates::new(&MIGRATIONS);

/// Runs a test on a database of each engine that has all migrations.
pub async fn for_each_engine(test: impl AsyncFn(&TestDb)) {
    DATABASES.for_each_engine(test).await;
}

/// Makes a PostgreSQL database that has all migrations.
pub async fn postgres() -> TestDb {
    DATABASES.postgres().await
}

/// Makes a SQLite database that has all migrations.
pub async fn sqlite() -> TestDb {
    DATABASES.sqlite().await
}

impl<S: Services> TestApp<S> {
    /// Runs a test on each engine, with default settings.
    pub async fn on_each_engine(test: impl AsyncFn(TestApp<S>)) {
        TestApp::on_each_engine_with("", test).await;
    }

    /// Runs a test on each engine, with settings as in `glasshouse.toml`.
    pub async fn on_each_engine_with(settings: &str, test: impl AsyncFn(TestApp<S>)) {
        for_each_engine(async |db: &TestDb| {
            let app = TestApp::<S>::on((**db).clone(), settings).await;
            let platform = app.state.platform().clone();
            test(app).await;
            // What still runs in the background holds connections that the database's end waits for.
            platform.shutdown.cancel();
            platform.tasks.close();
            platform.tasks.wait().await;
        })
        .await;
    }

    /// Runs a test wherever visits may be kept: in each engine, and in ClickHouse.
    pub async fn on_each_visit_store(test: impl AsyncFn(TestApp<S>)) {
        TestApp::on_each_visit_store_with("", test).await;
    }

    /// Runs a test on each store of visits, with settings as in section `analytics` of `glasshouse.toml`.
    pub async fn on_each_visit_store_with(settings: &str, test: impl AsyncFn(TestApp<S>)) {
        TestApp::on_each_engine_with(&format!("[analytics]\n{settings}"), &test).await;
        let store = clickhouse_database().await;
        let app = TestApp::<S>::with(&format!("[analytics]\nstore_url = \"{store}\"\n{settings}")).await;
        let platform = app.state.platform().clone();
        test(app).await;
        platform.shutdown.cancel();
        platform.tasks.close();
        platform.tasks.wait().await;
    }

    /// Creates the service on an SQLite database of its own, for rules in which SQL plays no part.
    pub async fn new() -> TestApp<S> {
        TestApp::with("").await
    }

    /// Creates the service with settings as in `glasshouse.toml`.
    pub async fn with(settings: &str) -> TestApp<S> {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join("test.db");
        DATABASES.write_sqlite(&path).await;
        let url = format!("sqlite:{}", path.display());
        let config = store::DbConfig { url, max_connections: 4 };
        let db = Db::open(&config).await.expect("a fresh database opens");
        TestApp::build(db, settings, folder).await
    }

    /// Creates the service on an SQLite database of its own and on these objects.
    pub async fn on_objects(objects: &BlobConfig, settings: &str) -> TestApp<S> {
        let mut app = TestApp::<S>::with(settings).await;
        let blobs = Blobs::open(objects).expect("the settings of a test server can be used");
        app.state = S::on(Platform { blobs, ..app.state.platform().clone() });
        app.envelope = app.state.envelope();
        app
    }

    /// Creates the service on this database. A second one on the same database is a second process.
    pub async fn on(db: Db, settings: &str) -> TestApp<S> {
        TestApp::build(db, settings, tempfile::tempdir().expect("a temporary folder can be made")).await
    }

    async fn build(db: Db, settings: &str, folder: TempDir) -> TestApp<S> {
        let mut config = Config::from_toml(settings).unwrap_or_else(|error| panic!("{error}"));
        // What a process keeps in its data folder is nobody else's.
        config.storage.data_dir = folder.path().join("data");
        std::fs::create_dir_all(&config.storage.data_dir).expect("a folder can be made");
        if config.network.dns_servers.is_empty() {
            // A test without a DNS server of its own must not ask this machine's.
            config.network.dns_servers.push(*FAILING_DNS);
        }
        let blobs =
            BlobConfig { url: format!("file:{}", folder.path().join("objects").display()), ..no_s3() };
        let network = NetworkConfig {
            allow_private: config.network.allow_private.clone(),
            hosts: config.network.hosts.clone(),
            dns_servers: config.network.dns_servers.clone(),
        };
        let secrets =
            Secrets::from_bytes(config.edge.secret.reveal().unwrap_or("the tests' secret").as_bytes());
        let (clock, renderer) = (Clock::fixed(NOON), Arc::new(FakeRenderer::new()));
        let state = S::on(Platform {
            config: Arc::new(config),
            clock: clock.clone(),
            db,
            blobs: Blobs::open(&blobs).expect("a folder can be made"),
            network: Network::new(network).expect("the resolver can be set up"),
            secrets: Arc::new(secrets),
            renderer: renderer.clone() as Arc<dyn Renderer>,
            tasks: TaskTracker::new(),
            draining: Draining::default(),
            shutdown: CancellationToken::new(),
        });
        let envelope = state.envelope();
        TestApp { state, clock, renderer, envelope, _folder: folder }
    }

    /// Begins a GET request.
    pub fn get(&self, path: &str) -> TestRequest {
        self.request(http::Method::GET, path)
    }

    /// Begins a POST request.
    pub fn post(&self, path: &str) -> TestRequest {
        self.request(http::Method::POST, path)
    }

    /// Begins a PATCH request.
    pub fn patch(&self, path: &str) -> TestRequest {
        self.request(http::Method::PATCH, path)
    }

    /// Begins a DELETE request.
    pub fn delete(&self, path: &str) -> TestRequest {
        self.request(http::Method::DELETE, path)
    }

    /// Begins a request.
    pub fn request(&self, method: http::Method, path: &str) -> TestRequest {
        TestRequest::new(self.envelope.clone(), method, path)
    }
}

/// A DNS server that fails at every question, at once: one that is silent would cost each check its whole time limit.
static FAILING_DNS: LazyLock<SocketAddr> = LazyLock::new(|| {
    const IS_ANSWER: u8 = 0x80;
    const SERVFAIL: u8 = 2;
    let socket = UdpSocket::bind(("127.0.0.1", 0)).expect("a loopback port is free");
    let address = socket.local_addr().expect("a bound socket has an address");
    std::thread::spawn(move || {
        let mut message = [0; 1500];
        while let Ok((length, client)) = socket.recv_from(&mut message) {
            message[2] |= IS_ANSWER;
            message[3] = SERVFAIL;
            let _ = socket.send_to(&message[..length], client);
        }
    });
    address
});

fn no_s3() -> BlobConfig {
    BlobConfig {
        url: String::new(),
        s3_endpoint: None,
        s3_region: None,
        s3_access_key_id: None,
        s3_secret_access_key: None,
        s3_allow_http: false,
    }
}
