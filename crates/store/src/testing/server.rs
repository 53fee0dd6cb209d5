//! A private PostgreSQL server that a test may stop and start again. Used by tests of faults only.
//! Ordinary tests share the server of the test command: starting one takes seconds.
//! See docs/decisions/0007.

use std::fs::{File, Permissions};
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sqlx::Connection;
use sqlx_postgres::PgConnection;
use tempfile::TempDir;

/// A running (or stopped) server; ends when dropped.
#[derive(Debug)]
pub struct PostgresServer {
    folder: TempDir,
    port: u16,
    process: Option<Child>,
}

impl PostgresServer {
    /// Makes a cluster in a temporary folder and starts a server for it on a free loopback port.
    pub async fn start() -> PostgresServer {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        // The server runs as another user than root, and makes its own folder inside.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).expect("our own folder");
        let made = as_ordinary_user("initdb")
            .args(["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "-D"])
            .arg(folder.path().join("data"))
            .stdout(Stdio::null())
            .status()
            .expect("initdb runs");
        assert!(made.success(), "initdb failed");
        let port =
            TcpListener::bind(("127.0.0.1", 0)).and_then(|l| l.local_addr()).expect("a port is free").port();

        let mut server = PostgresServer { folder, port, process: None };
        server.start_again().await;
        server
    }

    /// Returns the address of the server's own database.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Starts the server after [`crash`](PostgresServer::crash) and waits until it answers.
    pub async fn start_again(&mut self) {
        let log =
            File::options().create(true).append(true).open(self.log_path()).expect("the log can be written");
        let process = as_ordinary_user("postgres")
            .arg("-D")
            .arg(self.folder.path().join("data"))
            .args(["-p", &self.port.to_string(), "-c", "listen_addresses=127.0.0.1"])
            .args(["-c", "unix_socket_directories=", "-c", "fsync=off"])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("postgres starts");
        self.process = Some(process);

        let give_up = Instant::now() + Duration::from_secs(30);
        while let Err(error) = PgConnection::connect(&self.url()).await {
            assert!(Instant::now() < give_up, "postgres does not answer: {error}\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Ends the server at once, as a crash does: connections break, nothing is tidied up.
    pub fn crash(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        let told = Command::new("kill").args(["-QUIT", &process.id().to_string()]).status();
        if !told.is_ok_and(|status| status.success()) {
            process.kill().ok();
        }
        process.wait().expect("our own child can be waited for");
    }

    fn log_path(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    fn log(&self) -> String {
        let mut text = String::new();
        File::open(self.log_path()).and_then(|mut log| log.read_to_string(&mut text)).ok();
        text
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.crash();
    }
}

/// Returns a command that runs as an ordinary user: PostgreSQL refuses to run as root, and Debian's package brings a
/// user for it.
fn as_ordinary_user(program: &str) -> Command {
    let program = find_binary(program);
    let root = std::fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0);
    if !root {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program).current_dir("/");
    command
}

/// Finds a program of the server: Debian keeps them outside the PATH, one folder per version.
fn find_binary(name: &str) -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    versions
        .map(|version| version.path().join("bin").join(name))
        .filter(|path| path.exists())
        .max()
        .unwrap_or_else(|| Path::new(name).to_owned())
}
