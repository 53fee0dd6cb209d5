//! A small web site on loopback: responses by path, and a record of the requests.
//! Used by the tests of this binary only.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

/// Response of a path.
#[derive(Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    pub delay: Duration,
    /// Bytes that follow the body every 10 ms, without end.
    pub drip: usize,
    /// Pieces that follow the body, and the pause before each.
    pub pieces: (Duration, Vec<String>),
}

impl Reply {
    /// Makes a page.
    pub fn html(body: &str) -> Reply {
        Reply::typed("text/html; charset=utf-8", body)
    }

    /// Makes a page whose body contains a script.
    pub fn script(script: &str) -> Reply {
        Reply::html(&format!(
            "<!DOCTYPE html><html><head><title>t</title></head><body><h1>Hello</h1><div id=out></div><script>{script}</script></body></html>"
        ))
    }

    /// Makes a response of a content type.
    pub fn typed(kind: &str, body: &str) -> Reply {
        Reply {
            status: 200,
            headers: vec![("content-type", kind.to_owned())],
            body: body.as_bytes().to_vec(),
            delay: Duration::ZERO,
            drip: 0,
            pieces: (Duration::ZERO, Vec::new()),
        }
    }

    pub fn redirect(status: u16, location: &str) -> Reply {
        Reply { status, ..Reply::html("") }.header("location", location)
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Reply {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub fn status(mut self, status: u16) -> Reply {
        self.status = status;
        self
    }

    /// Adds pieces that are sent one by one.
    pub fn in_pieces(mut self, gap: Duration, pieces: Vec<String>) -> Reply {
        self.pieces = (gap, pieces);
        self
    }

    pub fn after(mut self, delay: Duration) -> Reply {
        self.delay = delay;
        self
    }
}

/// A received request.
#[derive(Debug, Clone)]
pub struct Hit {
    pub path: String,
    pub headers: HashMap<String, String>,
}

#[derive(Default)]
struct State {
    pages: Mutex<HashMap<String, Reply>>,
    without_cookie: Mutex<HashMap<String, Reply>>,
    hits: Mutex<Vec<Hit>>,
}

/// The site. Stops when the test ends.
#[derive(Clone)]
pub struct Origin {
    state: Arc<State>,
    pub address: SocketAddr,
}

impl Origin {
    /// Starts a site without pages on a free port.
    pub async fn start() -> Origin {
        Origin::start_at("127.0.0.1:0").await
    }

    /// Starts a site at an address.
    pub async fn start_at(address: &str) -> Origin {
        let listener = TcpListener::bind(address).await.unwrap();
        let origin = Origin { state: Arc::default(), address: listener.local_addr().unwrap() };
        let tasks = TaskTracker::new();
        let state = origin.state.clone();
        tasks.clone().spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let state = state.clone();
                tasks.spawn(async move {
                    let service = service_fn(move |request| answer(request, state.clone()));
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        origin
    }

    /// Sets the response of a path.
    pub fn on(&self, path: &str, reply: Reply) -> &Origin {
        self.state.pages.lock().unwrap().insert(path.to_owned(), reply);
        self
    }

    /// Sets the response of a path to requests without a cookie.
    pub fn on_without_cookie(&self, path: &str, reply: Reply) -> &Origin {
        self.state.without_cookie.lock().unwrap().insert(path.to_owned(), reply);
        self
    }

    /// Lists the requests so far.
    pub fn hits(&self) -> Vec<Hit> {
        self.state.hits.lock().unwrap().clone()
    }

    /// Returns the number of requests for a path.
    pub fn count(&self, path: &str) -> usize {
        self.hits().iter().filter(|hit| hit.path == path).count()
    }
}

async fn answer(
    request: Request<Incoming>,
    state: Arc<State>,
) -> Result<Response<UnsyncBoxBody<Bytes, Infallible>>, Infallible> {
    let path = request.uri().path().to_owned();
    let headers = request
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let has_cookie = request.headers().contains_key("cookie");
    state.hits.lock().unwrap().push(Hit { path: path.clone(), headers });
    let newcomer = state.without_cookie.lock().unwrap().get(&path).filter(|_| !has_cookie).cloned();
    let reply = newcomer.or_else(|| state.pages.lock().unwrap().get(&path).cloned());
    let reply = reply.unwrap_or_else(|| Reply::typed("text/plain", "not here").status(404));
    tokio::time::sleep(reply.delay).await;

    let mut response = Response::builder().status(reply.status);
    for (name, value) in &reply.headers {
        response = response.header(*name, value);
    }
    let (gap, pieces) = reply.pieces;
    let body = if reply.drip > 0 || !pieces.is_empty() {
        let (sender, receiver) = tokio::sync::mpsc::channel::<Bytes>(1);
        let first = Bytes::from(reply.body);
        let endless = Some(Bytes::from(vec![b' '; reply.drip])).filter(|drip| !drip.is_empty());
        let gap = if endless.is_some() { Duration::from_millis(10) } else { gap };
        let rest = pieces.into_iter().map(Bytes::from).chain(endless.into_iter().cycle());
        TaskTracker::new().spawn(async move {
            for next in std::iter::once(first).chain(rest) {
                if sender.send(next).await.is_err() {
                    return;
                }
                tokio::time::sleep(gap).await;
            }
        });
        StreamBody::new(Receiver(receiver)).boxed_unsync()
    } else {
        Full::new(Bytes::from(reply.body)).boxed_unsync()
    };
    Ok(response.body(body).unwrap())
}

/// Body that is read from a channel.
struct Receiver(tokio::sync::mpsc::Receiver<Bytes>);

impl futures::Stream for Receiver {
    type Item = Result<Frame<Bytes>, Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|next| next.map(|bytes| Ok(Frame::data(bytes))))
    }
}
