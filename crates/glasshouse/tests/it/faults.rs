//! Cache refresh during failures: a database whose connection hangs, one that crashes, an object store
//! that is slow, refuses or is unreachable. The binary, real Chromium, PostgreSQL and an S3 server.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use store::testing::{Behaviour, PostgresServer, S3Server};
use tempfile::TempDir;

use crate::refresh::{
    Node, assert_only_own_jobs, assert_rendered_once, command, connect_shop, is_complete, progress,
    refresh_site, site_of, wait_for,
};
use crate::support::{PATIENCE, Site, eventually_within};

const NODES: usize = 5;
const PAGES: usize = 200;
/// Concurrent renders of one process.
const TABS: usize = 10;
/// Time for which the connection hangs, longer than a lease. It stays open, so only a process that waits for an answer notices.
const DEAD: Duration = Duration::from_secs(40);
const A_WHILE: Duration = Duration::from_secs(5);

/// A proxy to a server on loopback that can hang: connections stay open, and no more bytes pass.
struct Wire {
    port: u16,
    is_dead: Arc<AtomicBool>,
}

impl Wire {
    fn to(server: u16) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("a bound port").port();
        let is_dead = Arc::new(AtomicBool::new(false));
        let dead = is_dead.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().expect("a socket"), to.try_clone().expect("a socket"));
                    let dead = dead.clone();
                    std::thread::spawn(move || carry(from, to, &dead));
                }
            }
        });
        Wire { port, is_dead }
    }

    fn set_dead(&self, is_dead: bool) {
        self.is_dead.store(is_dead, Ordering::SeqCst);
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, is_dead: &AtomicBool) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        while is_dead.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(20));
        }
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

/// A database, and the proxy through which processes reach it.
struct Database {
    runtime: tokio::runtime::Runtime,
    server: PostgresServer,
    wire: Wire,
}

impl Database {
    fn start() -> Database {
        let runtime = tokio::runtime::Runtime::new().expect("threads");
        let server = runtime.block_on(PostgresServer::start());
        let url = url::Url::parse(&server.url()).expect("a URL");
        let wire = Wire::to(url.port().expect("a port of its own"));
        Database { runtime, server, wire }
    }

    fn setting(&self) -> (&'static str, String) {
        let mut url = url::Url::parse(&self.server.url()).expect("a URL");
        url.set_port(Some(self.wire.port)).expect("a URL with a port");
        ("STORAGE__DATABASE_URL", url.into())
    }

    fn crash_and_come_back(&mut self) {
        self.server.crash();
        std::thread::sleep(A_WHILE);
        self.runtime.block_on(self.server.start_again());
    }
}

fn settings_of(store: &S3Server) -> Vec<(&'static str, String)> {
    let config = store.config("");
    vec![
        ("STORAGE__OBJECT_STORE_URL", config.url),
        ("STORAGE__S3_ENDPOINT", config.s3_endpoint.unwrap_or_default()),
        ("STORAGE__S3_ACCESS_KEY_ID", config.s3_access_key_id.unwrap_or_default()),
        ("STORAGE__S3_SECRET_ACCESS_KEY", config.s3_secret_access_key.unwrap_or_default()),
        ("STORAGE__S3_ALLOW_HTTP", "true".to_owned()),
    ]
}

fn done(batch: &Value) -> u64 {
    batch["done"].as_u64().unwrap_or_default()
}

/// Waits until `more` further pages of a batch are done.
fn wait_for_more(what: &str, node: &Node, key: &str, batch: &str, more: u64) {
    let before = progress(node, key, batch).map_or(0, |batch| done(&batch));
    wait_for(what, node, key, batch, |batch| is_complete(batch) || done(batch) >= before + more);
}

#[test]
fn five_processes_finish_a_batch_whatever_fails_below_them() {
    let mut database = Database::start();
    let objects = database.runtime.block_on(S3Server::start());
    let (site, folder) = (site_of(PAGES), TempDir::new().expect("a temporary folder"));
    let mut settings = settings_of(&objects);
    settings.push(database.setting());
    let start = |number: usize| {
        let own: &Path = &folder.path().join(number.to_string());
        Node::start(own, &site, &settings)
    };
    let mut nodes = vec![start(0)];
    let key = nodes[0].key.clone().expect("the first start tells a key");
    connect_shop(&folder.path().join("0"), &site, &settings);
    nodes.extend((1..NODES).map(start));
    let node = &nodes[0];
    let batch = refresh_site(node, &key);

    wait_for_more("a part of the batch", node, &key, &batch, 10);
    let slow = Behaviour::Delays(Duration::from_millis(500));
    for behaviour in [slow, Behaviour::Answers(503), Behaviour::Hangs, Behaviour::Cuts] {
        objects.behave(behaviour);
        std::thread::sleep(A_WHILE);
    }
    objects.behave(Behaviour::Works);
    wait_for_more("work with the object store back", node, &key, &batch, 10);
    database.crash_and_come_back();
    wait_for_more("work with the database back", node, &key, &batch, 10);
    database.wire.set_dead(true);
    std::thread::sleep(DEAD);
    database.wire.set_dead(false);
    let end = wait_for("the end of the batch", node, &key, &batch, is_complete);

    assert_eq!((&end["total"], &end["done"], &end["failed"]), (&PAGES.into(), &PAGES.into(), &0.into()));
    // At each of the three failures a render of every tab may have lost its result.
    assert_rendered_once(&site, PAGES, 3 * NODES * TABS);
    let listed = command(&["jobs", "list", "--json"], &folder.path().join("0"), &site, &settings);
    assert_only_own_jobs(&listed);
}

#[test]
fn a_lost_lease_ends_the_tab_of_its_job() {
    let database = Database::start();
    let (site, folder): (Site, _) = (site_of(1), TempDir::new().expect("a temporary folder"));
    site.answers("/p/0", "hang", "");
    // The render alone would go on for longer than the lease.
    let settings = [database.setting(), ("RENDER__TIMEOUT_MS", "60000".to_owned())];
    let node = Node::start(folder.path(), &site, &settings);
    let key = node.key.clone().expect("the first start tells a key");
    connect_shop(folder.path(), &site, &settings);
    let batch = refresh_site(&node, &key);
    eventually_within(PATIENCE, "a render", || site.count("/p/0") == 1);

    database.wire.set_dead(true);
    eventually_within(PATIENCE, "the end of the tab", || site.count("gone /p/0") == 1);
    site.answers(
        "/p/0",
        "200 OK\r\ncontent-type: text/html",
        "<!DOCTYPE html><title>Page</title><h1>Page</h1>",
    );
    database.wire.set_dead(false);
    let end = wait_for("the end of the batch", &node, &key, &batch, is_complete);

    assert_eq!((&end["done"], &end["failed"]), (&1.into(), &0.into()));
    assert_eq!(site.count("/p/0"), 2, "once for each attempt");
}
