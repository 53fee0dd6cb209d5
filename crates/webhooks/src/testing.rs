//! Webhooks in a test, and a receiver of their messages.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use accounts::ports::AccountHoldings;
use accounts::usage::Holdings;
use accounts::{AccountId, People};
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures::future::BoxFuture;
use http::{HeaderMap, StatusCode, header};
use platform::Platform;
use platform::jobs::{Jobs, Registry, Worker, WorkerSettings};
use store::DbError;

pub use accounts::testing::*;

use crate::limits::LimitWatch;
use crate::model::DeliveryInfo;
use crate::{Events, NewWebhook, WebhookFormat, WebhookId, WebhookSender, Webhooks, WebhooksState, handlers};

/// Webhooks and accounts under test.
pub struct WebhookServices {
    left: AccountServices,
    pub events: Events,
    pub webhooks: Webhooks,
}

/// Webhooks in a test.
pub type TestApp = platform::testing::TestApp<WebhookServices>;

impl Services for WebhookServices {
    fn on(platform: Platform) -> WebhookServices {
        let left = AccountServices::on(platform);
        let events = Events::new(&left.platform.clock, &left.jobs);
        let webhooks = Webhooks::new(&left.platform, &events);
        WebhookServices { events, webhooks, left }
    }

    fn platform(&self) -> &Platform {
        &self.left.platform
    }

    fn router(&self) -> Router {
        let holdings: Arc<dyn AccountHoldings> = Arc::new(EveryShop);
        let state = WebhooksState {
            callers: self.callers.clone(),
            people: People::new(&self.platform),
            holdings: holdings.clone(),
            webhooks: self.webhooks.clone(),
        };
        self.left.router_with(holdings).merge(Router::from(handlers::routes().with_state(state)))
    }
}

impl WebhookServices {
    /// Makes a worker that sends deliveries and looks at limits.
    pub fn worker(&self) -> Worker {
        let sender = WebhookSender::new(&self.platform, &People::new(&self.platform), Vec::new());
        let registry = self.limits().register(sender.register(Registry::default()));
        let settings = WorkerSettings { kinds: registry.kinds(), ..WorkerSettings::of(&self.platform) };
        Worker::new(self.jobs.clone(), registry, Vec::new(), settings)
    }

    /// Makes the watch over limits.
    pub fn limits(&self) -> LimitWatch {
        LimitWatch {
            platform: self.platform.clone(),
            accounts: self.accounts.clone(),
            holdings: Arc::new(EveryShop),
            events: self.events.clone(),
        }
    }
}

impl Deref for WebhookServices {
    type Target = AccountServices;

    fn deref(&self) -> &AccountServices {
        &self.left
    }
}

/// Holdings of accounts that have every domain below `.example` that begins with `shop`, and four domains.
struct EveryShop;

impl AccountHoldings for EveryShop {
    fn find_domain<'a>(
        &'a self,
        _: &'a AccountId,
        typed: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, DbError>> {
        Box::pin(async move { Ok(typed.starts_with("shop").then(|| typed.to_owned())) })
    }

    fn count<'a>(&'a self, _: &'a AccountId) -> BoxFuture<'a, Result<Holdings, DbError>> {
        Box::pin(async { Ok(Holdings { domains: 4, ..Holdings::default() }) })
    }
}

/// Webhook of an account whose events a test reads from the list of its deliveries. Nothing is sent.
pub struct HeardEvents {
    webhooks: Webhooks,
    id: WebhookId,
}

impl HeardEvents {
    /// Makes a webhook for all domains of an account.
    pub async fn of(platform: &Platform, jobs: &Jobs, account: &AccountId, events: &[&str]) -> HeardEvents {
        let webhooks = Webhooks::new(platform, &Events::new(&platform.clock, jobs));
        let new = NewWebhook {
            url: "https://hooks.example/in".to_owned(),
            format: WebhookFormat::Standard,
            events: events.iter().map(|event| (*event).to_owned()).collect(),
            domains: Vec::new(),
        };
        let made = webhooks.create(account, new).await.expect("the database is there");
        HeardEvents { webhooks, id: made.expect("the first webhook").0.id }
    }

    /// Lists the events so far with the names of their domains, the oldest first.
    pub async fn list(&self) -> Vec<(String, String)> {
        let (mut deliveries, _) =
            self.webhooks.list_deliveries(&self.id, (500, 0)).await.expect("the database is there");
        deliveries.reverse();
        let told = |delivery: DeliveryInfo| (delivery.event, delivery.domain.unwrap_or_default());
        deliveries.into_iter().map(told).collect()
    }
}

/// A message that a receiver got.
#[derive(Debug, Clone)]
pub struct Received {
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

impl Received {
    /// Returns a header's text; empty when it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns the body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// A server on loopback that notes messages. Without orders it answers 204, and below `/silent` never.
#[derive(Clone)]
pub struct Receiver {
    pub address: SocketAddr,
    inbox: Inbox,
}

#[derive(Clone, Default)]
struct Inbox {
    received: Arc<Mutex<Vec<Received>>>,
    orders: Arc<Mutex<VecDeque<OrderedAnswer>>>,
}

/// Status and headers of an answer.
type OrderedAnswer = (u16, Vec<(String, String)>);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Receiver {
    /// Starts a receiver.
    #[expect(clippy::disallowed_methods, reason = "the task ends with the test")]
    pub async fn start() -> Receiver {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a loopback port is free");
        let address = listener.local_addr().expect("a bound socket has an address");
        let inbox = Inbox::default();
        let router = Router::new().fallback(take).with_state(inbox.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Receiver { address, inbox }
    }

    /// Has the next messages answered with these statuses, one each.
    pub fn answers(&self, statuses: &[u16]) {
        locked(&self.inbox.orders).extend(statuses.iter().map(|status| (*status, Vec::new())));
    }

    /// Has the next message answered with a status and a header.
    pub fn answers_with(&self, status: u16, name: &str, value: &str) {
        let headers = vec![(name.to_owned(), value.to_owned())];
        locked(&self.inbox.orders).push_back((status, headers));
    }

    /// Returns all messages so far.
    pub fn received(&self) -> Vec<Received> {
        locked(&self.inbox.received).clone()
    }

    /// Forgets all messages and orders.
    pub fn forget(&self) {
        locked(&self.inbox.received).clear();
        locked(&self.inbox.orders).clear();
    }

    /// Returns settings under which `hooks.example` is this receiver.
    pub fn settings(&self) -> String {
        format!(
            "[network]\nallow_private = [\"127.0.0.0/8\"]\nhosts = {{ \"hooks.example\" = \"{}\" }}\n",
            self.address
        )
    }
}

async fn take(State(inbox): State<Inbox>, request: axum::extract::Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap_or_default();
    locked(&inbox.received).push(Received {
        path: parts.uri.path().to_owned(),
        headers: parts.headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    });
    if parts.uri.path().starts_with("/silent") {
        std::future::pending::<()>().await;
    }
    let order = locked(&inbox.orders).pop_front();
    let (status, headers) = order.unwrap_or((204, Vec::new()));
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = status.into_response();
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) =
            (header::HeaderName::from_bytes(name.as_bytes()), header::HeaderValue::from_str(&value))
        {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
