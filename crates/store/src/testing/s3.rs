//! An S3-compatible server on a free loopback port, with its objects in a temporary folder, that can be told to be in
//! trouble. Used by tests only.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{Body, HttpResponse};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::BlobConfig;

const BUCKET: &str = "objects";
const KEY_ID: &str = "test";
const SECRET: &str = "test-secret";

/// A running server with one empty bucket; ends when dropped.
#[derive(Debug)]
pub struct S3Server {
    endpoint: String,
    trouble: Arc<Trouble>,
    server: JoinHandle<()>,
    _folder: TempDir,
}

impl S3Server {
    #[expect(clippy::disallowed_methods, reason = "the task ends with the test")]
    pub async fn start() -> S3Server {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::create_dir(folder.path().join(BUCKET)).expect("the bucket's folder can be made");
        let service = {
            let files = s3s_fs::FileSystem::new(folder.path()).expect("the folder can be served");
            let mut builder = S3ServiceBuilder::new(files);
            builder.set_auth(SimpleAuth::from_single(KEY_ID, SECRET));
            builder.build()
        };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a loopback port is free");
        let endpoint = format!("http://{}", listener.local_addr().expect("a listener has an address"));

        let trouble = Arc::new(Trouble::default());
        let shared = trouble.clone();
        let server = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (service, trouble) = (service.clone(), shared.clone());
                tokio::spawn(async move {
                    let service =
                        service_fn(move |request| trouble.clone().respond(service.clone(), request));
                    // A client that hangs up is the client's business.
                    let _ = Builder::new(TokioExecutor::new())
                        .serve_connection(TokioIo::new(socket), service)
                        .await;
                });
            }
        });
        S3Server { endpoint, trouble, server, _folder: folder }
    }

    /// Sets the behaviour of the server for the following requests.
    pub fn behave(&self, behaviour: Behaviour) {
        *self.trouble.behaviour.lock().unwrap_or_else(PoisonError::into_inner) = behaviour;
    }

    /// Returns the number of requests that came while the behaviour was not `Works`.
    pub fn requests_in_trouble(&self) -> usize {
        self.trouble.requests.load(Ordering::Relaxed)
    }

    /// Returns settings that point at the bucket, with the objects below `prefix` (which may be empty).
    pub fn config(&self, prefix: &str) -> BlobConfig {
        BlobConfig {
            url: format!("s3://{BUCKET}/{prefix}"),
            s3_endpoint: Some(self.endpoint.clone()),
            s3_region: None,
            s3_access_key_id: Some(KEY_ID.to_owned()),
            s3_secret_access_key: Some(SECRET.to_owned()),
            s3_allow_http: true,
        }
    }
}

/// Behaviour of a server.
#[derive(Debug, Clone, Copy, Default)]
pub enum Behaviour {
    /// Answers as S3 does.
    #[default]
    Works,
    /// Answers as S3 does, after a delay.
    Delays(Duration),
    /// Answers with this status, as a service under load does.
    Answers(u16),
    /// Takes the request and never answers.
    Hangs,
    /// Takes the request and closes the connection.
    Cuts,
}

#[derive(Debug, Default)]
struct Trouble {
    behaviour: Mutex<Behaviour>,
    requests: AtomicUsize,
}

impl Trouble {
    async fn respond(
        self: Arc<Trouble>,
        service: S3Service,
        request: Request<Incoming>,
    ) -> Result<HttpResponse, Box<dyn std::error::Error + Send + Sync>> {
        let behaviour = *self.behaviour.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(behaviour, Behaviour::Works) {
            self.requests.fetch_add(1, Ordering::Relaxed);
        }
        match behaviour {
            Behaviour::Works => {}
            Behaviour::Delays(time) => tokio::time::sleep(time).await,
            Behaviour::Answers(status) => {
                const ERROR: &str =
                    "<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>";
                let mut response = HttpResponse::new(Body::from(ERROR.to_owned()));
                *response.status_mut() = StatusCode::from_u16(status)?;
                return Ok(response);
            }
            Behaviour::Hangs => std::future::pending().await,
            Behaviour::Cuts => return Err("the connection is cut".into()),
        }
        Ok(Service::call(&service, request).await?)
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        self.server.abort();
    }
}
