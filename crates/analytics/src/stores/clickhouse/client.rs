//! Client of a ClickHouse server: the official client over HTTP. Used by the store beside it.
//! Must never take half an answer for a whole one: the server buffers an answer until it is complete.

use std::time::Duration;

use ::clickhouse::Client;
use ::clickhouse::error::{Error, Result};
use ::clickhouse::query::Query;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::ClientConfig;

use super::super::VisitError;
use super::rows::TableRow;
use platform::config::ClickHouseUrl;

/// Timeout of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout of one statement.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Time after which idle connections are closed; the server closes them after three seconds.
const IDLE_TIMEOUT: Duration = Duration::from_secs(2);
/// Longest text of an error that is kept, in bytes.
const MAX_ERROR_BYTES: usize = 400;
/// Longest statement, in bytes: lists of paths are long.
const MAX_STATEMENT_BYTES: &str = "100000000";

/// Makes the client of a server. Connects to nothing yet.
pub fn connect(url: &ClickHouseUrl) -> Client {
    let mut connector = HttpConnector::new();
    connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
    connector.enforce_http(false);
    let mut tls = ClientConfig::clone(&crawler::tls::client_config());
    // The connector sets the protocols itself.
    tls.alpn_protocols.clear();
    let https = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
    let connector = https.wrap_connector(connector);
    let http = HttpClient::builder(TokioExecutor::new()).pool_idle_timeout(IDLE_TIMEOUT).build(connector);
    Client::with_http_client(http)
        .with_url(url.endpoint.as_str())
        .with_user(&url.user)
        .with_password(url.password.reveal().unwrap_or_default())
        .with_database(&url.database)
        .with_validation(false)
        .with_setting("wait_end_of_query", "1")
        .with_setting("max_query_size", MAX_STATEMENT_BYTES)
}

/// Waits for an answer, for as long as a statement may take.
pub async fn answer<T>(work: impl Future<Output = Result<T>>) -> std::result::Result<T, VisitError> {
    match tokio::time::timeout(TIMEOUT, work).await {
        Ok(answer) => answer.map_err(VisitError::from),
        Err(_) => Err(VisitError::Silent),
    }
}

/// Runs a statement that has no result.
pub async fn execute(query: Query) -> std::result::Result<(), VisitError> {
    answer(query.execute()).await
}

/// Runs a statement whose result is one number.
pub async fn count(query: Query) -> std::result::Result<u64, VisitError> {
    answer(query.fetch_one()).await
}

/// Inserts rows into a table.
pub async fn send<R: TableRow>(
    client: &Client,
    table: &str,
    rows: &[R],
) -> std::result::Result<(), VisitError> {
    answer(async {
        let mut insert = client.insert::<R>(table).await?;
        for row in rows {
            insert.write(row).await?;
        }
        insert.end().await
    })
    .await
}

impl From<Error> for VisitError {
    fn from(error: Error) -> VisitError {
        match error {
            Error::Network(_) | Error::TimedOut => VisitError::Unreachable(error),
            Error::BadResponse(text) => {
                let text = &text[..text.floor_char_boundary(MAX_ERROR_BYTES)];
                VisitError::refused(text.lines().next().unwrap_or("no reason given"))
            }
            error => VisitError::refused(error.to_string()),
        }
    }
}

/// Decides whether an error is a failure to connect.
pub fn is_not_connected(error: &Error) -> bool {
    let Error::Network(cause) = error else { return false };
    cause.downcast_ref::<hyper_util::client::legacy::Error>().is_some_and(|error| error.is_connect())
}
