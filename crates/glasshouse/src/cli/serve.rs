//! `glasshouse serve`: starts the service, prints its addresses, and shuts it down in order.

use std::fs::{DirBuilder, File, TryLockError};
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use browser::{Reaped, Renderer, reap_orphans};
use http::Request;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::owner::create_owner;
use super::up::{FirstSite, ServedSite};
use super::{Context, output};
use crate::app::AppState;
use crate::unrendered::Unrendered;
use dashboard::assets::{WebFiles, is_built};
use edge;
use platform::Platform;
use platform::api::client::resolve_client;
use platform::api::server::{ApiServer, Sender};
use platform::config::{Config, ProxyProtocol, Role};
use platform::draining::Draining;
use platform::listen::accept::admission;
use platform::listen::unread::ClientBody;
use platform::listen::{ListenError, Listening, bind, descriptors};
use platform::telemetry::access_log::AccessLog;

/// Bytes of a request's line and headers, beside the longest `url` that a render may name.
const HEAD_BYTES: usize = 64 * 1024;

/// Runs the service until SIGTERM or SIGINT, for `up` with a site to serve.
pub async fn run(context: Context, site: Option<FirstSite>) -> anyhow::Result<ExitCode> {
    // From here on a signal shuts the service down in order, even during the start.
    let mut signals = EndSignals::new()?;
    let config = context.config.clone();
    platform::telemetry::metrics();
    descriptors::raise_limit();

    prepare_folder(&config.storage.data_dir)?;
    let _lock = lock_folder(&context)?;
    let db = context.database().await?;
    let blobs = context.blobs()?;
    let network = context.network()?;

    // Addresses before browsers, so that the commonest error is reported first.
    let RoleSockets { api, edge, metrics } = RoleSockets::bind(&config).await?;
    // No customer's address leads to the API or the metrics. Addresses of the edge are those of sites that are served here.
    let network = network.without(api.iter().chain(&metrics).filter_map(|socket| socket.local_addr().ok()));

    let renderer: Arc<dyn Renderer> = match config.has_role(Role::Render) {
        true => context.browser(network.clone(), &config.storage.data_dir.join("browser")),
        false => Arc::new(Unrendered),
    };
    let platform = Platform {
        config: config.clone(),
        clock: context.clock.clone(),
        db: db.clone(),
        blobs,
        network,
        secrets: Arc::new(context.secrets()?),
        renderer: renderer.clone(),
        tasks: TaskTracker::new(),
        draining: Draining::default(),
        shutdown: CancellationToken::new(),
    };
    let app = AppState::new(platform.clone());
    let site = establish(site, &app).await?;
    // Read before the first request. Data that cannot be read now is read when the database is reachable.
    if let Err(error) = app.follower.current().await {
        tracing::warn!(%error, "domains could not be read");
    }
    app.start();

    // Listeners stop first; background work continues until the requests are answered.
    let draining = platform.draining.clone();
    let access_log = AccessLog::open(&config, &context.clock)
        .context("cannot open the access log (telemetry.access_log_file)")?;
    let listening = Listening { draining, access_log, ..Listening::new(CancellationToken::new()) };
    let mut told = String::from("ready");
    if let Some(listener) = api {
        told.push_str(&describe_api(listener.local_addr()?));
        listening.tasks.spawn(serve_api(app.clone(), listening.clone(), listener));
    }
    for (name, socket) in [("edge", &edge.http), ("edge with TLS", &edge.https)] {
        if let Some(socket) = socket {
            told.push_str(&format!(", {name} on {}", socket.local_addr()?));
        }
    }
    if config.has_role(Role::Edge) {
        app.edge(edge.addresses())?.listen(edge, &listening);
    }
    if let Some(listener) = metrics {
        told.push_str(&format!(", metrics on http://{}/metrics", listener.local_addr()?));
        listening.tasks.spawn(serve_metrics(app.clone(), listening.clone(), listener));
        platform.tasks.spawn(upkeep_metrics(platform.shutdown.clone()));
    }
    platform.tasks.spawn(reap(platform.shutdown.clone()));
    output::note(&told);
    if let Some(site) = site {
        output::line(&told.replace("ready", "serving"))?;
        platform.tasks.spawn(site.accompany(app.clone()));
    }

    drain(&platform, &mut signals).await;
    end(&platform, &listening, Duration::from_secs(config.server.shutdown_grace_s)).await;
    db.close().await;
    Ok(ExitCode::SUCCESS)
}

/// Creates what the first start is about: the account, for `up` also the domain.
async fn establish(site: Option<FirstSite>, app: &AppState) -> anyhow::Result<Option<ServedSite>> {
    if let Some(site) = site {
        return site.establish(app).await.map(Some);
    }
    create_owner(&app.accounts, None, &app.platform.config.public_url()).await?;
    Ok(None)
}

/// Describes the content at the address of the API, and notes a build without the dashboard.
fn describe_api(address: SocketAddr) -> String {
    if !is_built::<WebFiles>() {
        output::note("this build has no dashboard; build it with make build");
    }
    format!(": API and dashboard on http://{address}")
}

/// Sockets of this process's roles.
struct RoleSockets {
    api: Option<TcpListener>,
    edge: edge::EdgeSockets,
    metrics: Option<TcpListener>,
}

impl RoleSockets {
    /// Binds the addresses of the settings.
    async fn bind(config: &Config) -> Result<RoleSockets, ListenError> {
        let api = match config.has_role(Role::Api) {
            true => Some(bind(config.server.listen, "server.listen").await?),
            false => None,
        };
        let edge = match config.has_role(Role::Edge) {
            true => edge::EdgeSockets::bind(&config.edge).await?,
            false => edge::EdgeSockets::default(),
        };
        let metrics = match config.telemetry.metrics_listen {
            Some(address) => Some(bind(address, "telemetry.metrics_listen").await?),
            None => None,
        };
        Ok(RoleSockets { api, edge, metrics })
    }
}

/// The signals that end the service.
pub(super) struct EndSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl EndSignals {
    pub(super) fn new() -> std::io::Result<EndSignals> {
        Ok(EndSignals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next signal and returns its name.
    pub(super) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

/// Waits for a signal, then for the time in which load balancers detect the shutdown.
async fn drain(platform: &Platform, signals: &mut EndSignals) {
    let (signal, drain_s) = (signals.next().await, platform.config.server.drain_s);
    platform.draining.begin();
    tracing::info!(signal, drain_s, "shutting down");
    // A second signal ends the wait.
    let _ = tokio::time::timeout(Duration::from_secs(drain_s), signals.next()).await;
}

/// Serves the API and the dashboard on their listener.
async fn serve_api(app: AppState, listening: Listening, listener: TcpListener) {
    let (envelope, turns, config) = (app.envelope(), listening.turns.clone(), app.platform.config.clone());
    let admission = admission(&config, "api", config.server.proxy_protocol);
    let head_bytes = HEAD_BYTES + 3 * config.limits.url_bytes;
    let respond = move |request: Request<ClientBody>, Sender { peer, is_pipelined }| {
        let (envelope, turns) = (envelope.clone(), turns.clone());
        let client = resolve_client(peer, request.headers(), &config.edge.trusted_proxies);
        async move { turns.begin(client, is_pipelined, || envelope.respond(request, peer)).await }
    };
    ApiServer { listening, admission, head_bytes }.serve(listener, respond).await;
}

/// Serves metrics and health on the metrics listener, which has no access log.
async fn serve_metrics(app: AppState, listening: Listening, listener: TcpListener) {
    let admission = admission(&app.platform.config, "metrics", ProxyProtocol::Off);
    let listening = Listening { access_log: None, ..listening };
    let server = ApiServer { listening, admission, head_bytes: HEAD_BYTES };
    let router = app.metrics_router();
    let respond = move |request: Request<ClientBody>, _| {
        let answer = router.clone().oneshot(request);
        async move { answer.await.unwrap_or_else(|never| match never {}) }
    };
    server.serve(listener, respond).await;
}

/// Stops accepting, then waits for requests, background work and browsers, all within the time of grace.
async fn end(platform: &Platform, listening: &Listening, grace: Duration) {
    let started = Instant::now();
    let left = || grace.saturating_sub(started.elapsed());
    listening.shutdown.cancel();
    listening.tasks.close();
    if tokio::time::timeout(left(), listening.tasks.wait()).await.is_err() {
        tracing::warn!(
            connections = listening.tasks.len(),
            "the time of grace ended before every request was answered"
        );
    }
    platform.shutdown.cancel();
    platform.tasks.close();
    // Pending writes get two seconds even when the requests took all of the time.
    let moment = left().max(Duration::from_secs(2));
    if tokio::time::timeout(moment, platform.tasks.wait()).await.is_err() {
        tracing::warn!(tasks = platform.tasks.len(), "background work did not end in time");
    }
    if tokio::time::timeout(Duration::from_secs(5), platform.renderer.shutdown()).await.is_err() {
        tracing::warn!("the browser did not end in time");
    }
    if let Some(access_log) = &listening.access_log {
        access_log.flush();
    }
}

/// Creates the data folder, for this user alone.
pub(super) fn prepare_folder(folder: &Path) -> anyhow::Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    let shown = folder.display();
    made.with_context(|| format!("cannot make the data folder {shown} (storage.data_dir)"))?;
    let probe = folder.join(".writable");
    File::create(&probe)
        .with_context(|| format!("cannot write to the data folder {shown} (storage.data_dir)"))?;
    std::fs::remove_file(&probe).with_context(|| format!("cannot delete in the data folder {shown}"))
}

/// Lock of the data folder, which prevents a second service on the same embedded database.
pub(super) enum DataLock {
    /// The database is a server's: there may be several services.
    NotNeeded,
    /// This process has the lock until the file is closed.
    Held(#[expect(dead_code, reason = "the open file is the lock")] File),
    /// Another process has the lock.
    Taken,
}

/// Takes the lock of the data folder unless another process has it. The system releases it.
pub(super) fn try_lock_folder(context: &Context) -> anyhow::Result<DataLock> {
    if !context.config.database_url().starts_with("sqlite:") {
        return Ok(DataLock::NotNeeded);
    }
    let path = context.config.storage.data_dir.join("serve.lock");
    let file = File::create(&path).with_context(|| format!("cannot make {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(DataLock::Held(file)),
        Err(TryLockError::WouldBlock) => Ok(DataLock::Taken),
        Err(TryLockError::Error(error)) => Err(anyhow!("cannot lock {}: {error}", path.display())),
    }
}

/// Takes the lock of the data folder. Fails when another process has it. Commands do not take the lock.
pub(super) fn lock_folder(context: &Context) -> anyhow::Result<DataLock> {
    match try_lock_folder(context)? {
        DataLock::Taken => {
            let folder = context.config.storage.data_dir.display();
            bail!(
                "another glasshouse serve uses the data folder {folder}; end it, set storage.data_dir, or use PostgreSQL"
            )
        }
        lock => Ok(lock),
    }
}

/// Reaps processes whose parent has ended, as process 1 of a container must.
async fn reap(shutdown: CancellationToken) {
    let Ok(mut ended) = signal(SignalKind::child()) else { return };
    loop {
        tokio::select! {
            _ = ended.recv() => {}
            () = shutdown.cancelled() => return,
        }
        // The reaper's lock is held while a browser is started.
        while matches!(tokio::task::spawn_blocking(reap_orphans).await, Ok(Reaped::BrowserFirst)) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Folds recorded durations into their buckets, so that they do not accumulate while no client reads the metrics.
async fn upkeep_metrics(shutdown: CancellationToken) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(5)) => platform::telemetry::metrics().run_upkeep(),
            () = shutdown.cancelled() => return,
        }
    }
}
