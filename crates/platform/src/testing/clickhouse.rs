//! A ClickHouse database for one test, on the server of the test command. A missing server is a failure.

use crate::config::ClickHouseUrl;

/// Names the server on which tests may make databases.
const URL: &str = "GLASSHOUSE_TEST_CLICKHOUSE";

/// Creates an empty database with a name of its own and returns its address. It stays: the server is thrown away.
#[expect(clippy::disallowed_methods, reason = "the test command speaks to tests through the environment")]
pub async fn clickhouse_database() -> String {
    let server = std::env::var(URL).unwrap_or_else(|_| {
        panic!("{URL} is not set: run `make test`, which starts a private ClickHouse for the tests")
    });
    let name = format!("test_{}", uuid::Uuid::now_v7().simple());
    let url: ClickHouseUrl = server.parse().expect("the test command's address");
    crawler::tls::install_provider();
    let request = reqwest::Client::builder().no_proxy().build().expect("a client").post(url.endpoint);
    let request = request
        .header("X-ClickHouse-User", url.user)
        .header("X-ClickHouse-Key", url.password.reveal().unwrap_or_default());
    let reply = request.body(format!("create database {name}")).send().await.expect("the server answers");
    assert!(reply.status().is_success(), "{:?}", reply.text().await);
    let (address, _) = server.rsplit_once('/').expect("an address with a database");
    format!("{address}/{name}")
}
