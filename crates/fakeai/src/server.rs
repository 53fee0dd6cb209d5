//! The server: one port, routed by path or host, counted, with the scenarios applied. Used in process and by the binary.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use http::header::{HOST, LOCATION};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::counts::{PathTraffic, TrafficCounts};
use crate::delivery::{Broken, FakeBody, deliver};
use crate::dice::Dice;
use crate::options::FakeOptions;
use crate::scenario::{Armed, Delivery, Fault, Scenario};
use crate::vendors::{FakeRequest, REDIRECTOR, Reply, ReplyBody, Vendor, World, target_of};

/// Header that carries a scenario for its own request.
const SCENARIO_HEADER: &str = "x-fake-scenario";

/// Running stand-ins of all vendors. They end when this is dropped.
#[derive(Debug)]
pub struct FakeVendors {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    options: FakeOptions,
    counts: TrafficCounts,
    scenarios: RwLock<Vec<Armed>>,
}

impl FakeVendors {
    /// Starts the stand-ins.
    #[expect(
        clippy::disallowed_methods,
        reason = "the task ends with the value, which a test or the binary holds"
    )]
    pub async fn start(options: FakeOptions) -> std::io::Result<FakeVendors> {
        let listener = TcpListener::bind(options.listen).await?;
        let address = listener.local_addr()?;
        let shared =
            Arc::new(Shared { options, counts: TrafficCounts::default(), scenarios: RwLock::default() });
        let task = tokio::spawn(accept(listener, shared.clone()));
        Ok(FakeVendors { address, shared, task })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the base address of a vendor, as the settings take it.
    pub fn base_url(&self, vendor: Vendor) -> String {
        format!("http://{}{}", self.address, vendor.prefix())
    }

    /// Returns the number of requests to a vendor.
    pub fn count(&self, vendor: Vendor) -> u64 {
        let of_vendor = |(path, _): &(&String, &PathTraffic)| path.starts_with(&format!("{vendor:?} "));
        self.shared.counts.all().iter().filter(of_vendor).map(|(_, count)| count.requests).sum()
    }

    /// Returns the counts by vendor and path: `Openai /responses`.
    pub fn counts(&self) -> std::collections::BTreeMap<String, PathTraffic> {
        self.shared.counts.all()
    }

    /// Replaces all scenarios by one.
    pub fn set_scenario(&self, scenario: Scenario) {
        self.set_scenarios(vec![scenario]);
    }

    /// Replaces all scenarios. The first one that applies to a request counts.
    pub fn set_scenarios(&self, scenarios: Vec<Scenario>) {
        self.shared.set_scenarios(scenarios);
    }
}

impl Drop for FakeVendors {
    fn drop(&mut self) {
        // The task owns those of the connections, which end with it.
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((socket, _)) = accepted {
                    connections.spawn(serve(socket, shared.clone()));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(socket: TcpStream, shared: Arc<Shared>) {
    let _ = socket.set_nodelay(true);
    let service = service_fn(move |request| {
        let shared = shared.clone();
        async move { shared.answer(request).await }
    });
    // A client that hangs up is the client's business.
    let _ =
        http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(socket), service).await;
}

impl Shared {
    fn set_scenarios(&self, scenarios: Vec<Scenario>) {
        let armed = scenarios.into_iter().map(Armed::new).collect();
        *self.scenarios.write().unwrap_or_else(PoisonError::into_inner) = armed;
    }

    /// Answers a request. An error closes the connection.
    async fn answer(&self, request: Request<Incoming>) -> Result<Response<FakeBody>, Broken> {
        let (head, body) = request.into_parts();
        let body = body.collect().await.map_err(|_| Broken)?.to_bytes();
        let path = head.uri.path().to_owned();
        let host = head.headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();

        if path.starts_with("/_") {
            return Ok(deliver(self.control(&head.method, &path, &body), Delivery::Whole).0);
        }
        if path.starts_with(REDIRECTOR) {
            return self.redirect(&path).await;
        }
        let Some((vendor, rest)) = Vendor::of(host, &path) else {
            let reply = plain(StatusCode::NOT_FOUND, json!({ "error": "no vendor has this path" }));
            return Ok(deliver(reply, Delivery::Whole).0);
        };
        let request = FakeRequest {
            method: head.method,
            path: rest.to_owned(),
            query: url::form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes())
                .into_owned()
                .collect(),
            headers: head.headers,
            body: serde_json::from_slice(&body).unwrap_or_default(),
        };
        self.reply(vendor, &request, body.len()).await
    }

    async fn reply(
        &self,
        vendor: Vendor,
        request: &FakeRequest,
        length: usize,
    ) -> Result<Response<FakeBody>, Broken> {
        let name = format!("{vendor:?} {}", request.path);
        self.counts.add(&name, length);
        let question = vendor.question(request);
        let scenario = self.scenario(vendor, &question, request);
        tokio::time::sleep(self.latency(&scenario, &question)).await;
        match scenario.delivery {
            Delivery::Hang => std::future::pending().await,
            Delivery::Close => return Err(Broken),
            _ => {}
        }
        let mut reply = vendor.reply(request, &self.world(), scenario.fault.as_ref());
        reply.headers.extend(scenario.headers);
        let (response, length) = deliver(reply, scenario.delivery);
        self.counts.add_out(&name, length);
        Ok(response)
    }

    fn world(&self) -> World<'_> {
        let FakeOptions { seed, brands, citations, answers, .. } = &self.options;
        let day = self.options.day();
        World { seed: *seed, day, brands, citations: *citations, script: answers.as_ref() }
    }

    /// Chooses the scenario of a request: that of its own header, else the first that applies.
    fn scenario(&self, vendor: Vendor, question: &str, request: &FakeRequest) -> Scenario {
        let own = request
            .headers
            .get(SCENARIO_HEADER)
            .and_then(|value| serde_json::from_slice(value.as_bytes()).ok());
        if let Some(scenario) = own {
            return scenario;
        }
        let subject = if question.is_empty() { &request.path } else { question };
        let scenarios = self.scenarios.read().unwrap_or_else(PoisonError::into_inner);
        scenarios.iter().find_map(|armed| armed.apply(vendor, subject)).unwrap_or_default()
    }

    /// Returns the time before the first byte, which is the same for the same question.
    fn latency(&self, scenario: &Scenario, question: &str) -> Duration {
        let (from, to) = scenario.latency_ms.unwrap_or(self.options.latency_ms);
        let share = Dice::new(self.options.seed, &["latency", question]).unit();
        Duration::from_millis(from + ((to.saturating_sub(from)) as f64 * share) as u64)
    }

    /// Answers `GET /_count`, `POST /_scenario` with one scenario or a list, and `DELETE` of both.
    fn control(&self, method: &Method, path: &str, body: &Bytes) -> Reply {
        match (method.as_str(), path) {
            ("GET", "/_count") => {
                let paths = self.counts.all();
                let total: u64 = paths.values().map(|count| count.requests).sum();
                plain(StatusCode::OK, json!({ "total": total, "paths": paths }))
            }
            ("DELETE", "/_count") => {
                self.counts.clear();
                plain(StatusCode::OK, json!({}))
            }
            ("DELETE", "/_scenario") => {
                self.set_scenarios(Vec::new());
                plain(StatusCode::OK, json!({}))
            }
            ("POST", "/_scenario") => {
                let one = serde_json::from_slice::<Scenario>(body).map(|scenario| vec![scenario]);
                let list = || serde_json::from_slice::<Vec<Scenario>>(body);
                let is_list = body.trim_ascii_start().starts_with(b"[");
                match if is_list { list() } else { one } {
                    Ok(scenarios) => {
                        self.set_scenarios(scenarios);
                        plain(StatusCode::OK, json!({}))
                    }
                    Err(error) => plain(StatusCode::BAD_REQUEST, json!({ "error": error.to_string() })),
                }
            }
            _ => plain(
                StatusCode::NOT_FOUND,
                json!({ "error": "GET /_count, DELETE /_count, POST /_scenario, DELETE /_scenario" }),
            ),
        }
    }

    /// Answers a request to Gemini's redirector with the address of the source.
    async fn redirect(&self, path: &str) -> Result<Response<FakeBody>, Broken> {
        self.counts.add(REDIRECTOR, 0);
        let scenarios = || self.scenarios.read().unwrap_or_else(PoisonError::into_inner);
        let scenario =
            scenarios().iter().find_map(|armed| armed.apply(Vendor::Gemini, path)).unwrap_or_default();
        let target = match scenario.fault {
            Some(Fault::LinkGone) => None,
            Some(Fault::LinkHangs) => std::future::pending().await,
            Some(Fault::LinkLoops) => Some(path.to_owned()),
            _ => target_of(path),
        };
        let Some(location) = target.and_then(|target| HeaderValue::try_from(target).ok()) else {
            return Ok(deliver(plain(StatusCode::NOT_FOUND, Value::Null), Delivery::Whole).0);
        };
        let (mut response, _) = deliver(plain(StatusCode::FOUND, Value::Null), Delivery::Whole);
        response.headers_mut().insert(LOCATION, location);
        Ok(response)
    }
}

fn plain(status: StatusCode, value: Value) -> Reply {
    Reply { status, headers: Vec::new(), body: ReplyBody::Json(value) }
}

/// Names under which a network's static hosts lead all vendors here.
pub fn static_hosts(address: SocketAddr) -> HashMap<String, SocketAddr> {
    let hosts = [
        "api.openai.com",
        "api.perplexity.ai",
        "generativelanguage.googleapis.com",
        "vertexaisearch.cloud.google.com",
        "api.anthropic.com",
        "api.dataforseo.com",
        "serpapi.com",
    ];
    hosts.into_iter().map(|host| (host.to_owned(), address)).collect()
}
