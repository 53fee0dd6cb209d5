//! HTTP server around the renderer for benchmarks beside its peers: `GET /render?url=…` returns the rendered page. No cache.
//! Not a product: loopback only, no keys. Settings: `PEER_PORT`, `CONCURRENCY` (number of pages; default: one per core and
//! one), `BROWSER`, `FRESH=1` (no warm tabs).

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use browser::{BrowserConfig, ChromiumPool, RenderLimits, RenderRequest, Renderer};
use bytes::Bytes;
use crawler::{Network, NetworkConfig};
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use url::Url;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_writer(std::io::stderr)
        .init();
    let env = |name: &str| std::env::vars().find(|(key, _)| key == name).map(|(_, value)| value);
    let port: u16 = env("PEER_PORT").and_then(|port| port.parse().ok()).unwrap_or(4120);
    let network = Network::new(NetworkConfig {
        allow_private: vec!["127.0.0.0/8".parse()?],
        ..NetworkConfig::default()
    })?;
    let folder = tempfile::tempdir()?;
    let mut config = BrowserConfig::new(network, folder.path());
    config.binary = env("BROWSER").map(Into::into);
    if let Some(pages) = env("CONCURRENCY").and_then(|n| n.parse().ok()) {
        (config.concurrency, config.concurrency_floor) = (pages, pages);
    }
    let slots = Arc::new(Semaphore::new(config.concurrency_floor));
    let tabs = if env("FRESH").is_some() { Tabs::Fresh } else { Tabs::Warm };
    let pool = Arc::new(ChromiumPool::start(config));

    let connections = tokio_util::task::TaskTracker::new();
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let mut stop = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    loop {
        let (stream, _) = tokio::select! {
            accepted = listener.accept() => accepted?,
            _ = stop.recv() => break,
            _ = tokio::signal::ctrl_c() => break,
        };
        let (pool, slots) = (pool.clone(), slots.clone());
        connections.spawn(async move {
            let service = service_fn(move |request| answer(request, pool.clone(), slots.clone(), tabs));
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
    pool.shutdown().await;
    Ok(())
}

/// Tabs of the renders. A warm tab is reused by renders of the same tenant.
#[derive(Clone, Copy)]
enum Tabs {
    Warm,
    Fresh,
}

async fn answer(
    request: Request<Incoming>,
    pool: Arc<ChromiumPool>,
    slots: Arc<Semaphore>,
    tabs: Tabs,
) -> Result<Response<Full<Bytes>>, Infallible> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let asked = Url::parse(&format!("http://x{}", request.uri())).ok();
    let url = asked.and_then(|asked| {
        asked.query_pairs().find(|(key, _)| key == "url").and_then(|(_, url)| Url::parse(&url).ok())
    });
    let Some(url) = url else { return Ok(reply(400, "url is missing or malformed".into())) };
    let tenant = match tabs {
        Tabs::Warm => "bench".to_owned(),
        Tabs::Fresh => NUMBER.fetch_add(1, Ordering::Relaxed).to_string(),
    };
    let slot = slots.acquire_owned().await.expect("the semaphore is never closed");
    let request = RenderRequest {
        url,
        tenant,
        route: None,
        own_headers: None,
        timeout: Duration::from_secs(15),
        wait_for_selector: None,
        blocked_urls: Vec::new(),
        limits: RenderLimits { page_bytes: 25 << 20, html_bytes: 10 << 20, redirects: 10 },
        inspect: false,
        slot: Some(Arc::new(slot)),
    };
    Ok(match pool.render(request).await {
        Ok(page) => {
            let mut response = reply(page.status, page.html.into());
            let headers = response.headers_mut();
            headers.insert("content-type", http::HeaderValue::from_static("text/html; charset=utf-8"));
            if let Some(location) = page.location.and_then(|text| http::HeaderValue::from_str(&text).ok()) {
                headers.insert("location", location);
            }
            if let Ok(why) = http::HeaderValue::from_str(&format!("{:?} {:?}", page.settled, page.timings)) {
                headers.insert("x-why", why);
            }
            response
        }
        Err(error) => reply(504, error.to_string().into()),
    })
}

fn reply(status: u16, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    response
}
