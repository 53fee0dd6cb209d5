//! An S3-compatible server on a free loopback port, with its objects in a temporary folder. Used by tests only.

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
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
    server: JoinHandle<()>,
    _folder: TempDir,
}

impl S3Server {
    /// Starts a server.
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

        let server = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let service = service.clone();
                tokio::spawn(async move {
                    // A client that hangs up is the client's business.
                    let _ = Builder::new(TokioExecutor::new())
                        .serve_connection(TokioIo::new(socket), service)
                        .await;
                });
            }
        });
        S3Server { endpoint, server, _folder: folder }
    }

    /// Settings that point at the bucket, with the objects below `prefix` (which may be empty).
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

impl Drop for S3Server {
    fn drop(&mut self) {
        self.server.abort();
    }
}
