//! Backups as a whole: from each engine to each, while the service writes, and refusals.

use std::path::{Path, PathBuf};

use futures::TryStreamExt;
use store::testing::{TestDb, postgres, sqlite};
use store::{BlobConfig, Blobs, Db};
use tempfile::TempDir;

use super::archive::{Amounts, is_kept};
use super::restore::{self, RestoreTarget};
use super::write::{self, BackupSource};
use crate::testing::*;
use platform::MIGRATIONS;
use platform::plans::Plan;

const PAGE: &str = "https://shop.example/shoes";
const ASSISTANT: &str = "[providers.chatgpt]\napi_key = \"sk-of-a-test\"\n";
const SECRET: &[u8] = b"a secret of this installation";

/// Creates a service with an account, a domain and a snapshot.
async fn source(app: &TestApp, folder: &Path) -> BackupSource {
    let account = app.account("owner@shop.example", Plan::Enterprise).await;
    app.domain(&account, "shop.example").await;
    app.crawl(&account, PAGE).await.assert_status(200);
    monitor(app, &account.key).await;
    let secret_file = folder.join("edge.secret");
    std::fs::write(&secret_file, SECRET).unwrap();
    let platform = &app.state.platform;
    BackupSource { db: platform.db.clone(), blobs: platform.blobs.clone(), secret_file: Some(secret_file) }
}

/// Saves a brand profile, a prompt and the response of a provider.
async fn monitor(app: &TestApp, key: &str) {
    const RESPONSE: &str =
        "insert into mention_responses (run_id, domain_id, day, packed) values ('r', 'd', 1, $1)";
    let brand = serde_json::json!({ "name": "Shop", "competitors": [{ "name": "Notchly" }] });
    let put = app.request(http::Method::PUT, "/api/domains/shop.example/brand");
    put.key(key).json(brand).await.assert_status(200);
    let prompt = serde_json::json!({
        "action": "create", "domain": "shop.example", "promptText": "Which shop?", "intent": "comm",
    });
    app.post("/api/ai-mentions/prompts").key(key).json(prompt).await.assert_status(200);
    let mut tx = app.state.platform.db.write().await.unwrap();
    let packed: &[u8] = &[0, 40, 181, 47, 253, 255];
    store::on_engine!(tx, |c| sqlx::query(RESPONSE).bind(packed).execute(c).await.map(drop)).unwrap();
    tx.commit().await.unwrap();
}

struct Fresh {
    target: RestoreTarget,
    _db: TestDb,
    _folder: TempDir,
}

/// Creates an empty installation.
async fn fresh(db: TestDb) -> Fresh {
    db.migrate(&MIGRATIONS).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file:{}", folder.path().join("objects").display());
    let blobs = Blobs::open(&BlobConfig { url, ..BlobConfig::default() }).unwrap();
    let secret_file = Some(folder.path().join("edge.secret"));
    Fresh { target: RestoreTarget { db: (*db).clone(), blobs, secret_file }, _db: db, _folder: folder }
}

async fn restore(file: &Path, target: &RestoreTarget, replace: bool) -> anyhow::Result<Amounts> {
    let contents = restore::examine(file).await?;
    restore::run(file, &contents, target, replace).await
}

/// Reads every row of every table, in an order that does not depend on the engine.
async fn rows(db: &Db) -> Vec<(String, Vec<String>)> {
    let mut snapshot = db.snapshot().await.unwrap();
    let mut all = Vec::new();
    let tables = snapshot.tables().await.unwrap();
    for table in tables.into_iter().filter(is_kept) {
        let rows: Vec<String> = snapshot.rows(&table).try_collect().await.unwrap();
        let parsed =
            rows.iter().map(|row| serde_json::from_str::<serde_json::Value>(row).unwrap().to_string());
        let mut rows: Vec<String> = parsed.collect();
        rows.sort();
        all.push((table.name, rows));
    }
    all.sort();
    all
}

async fn objects(blobs: &Blobs) -> Vec<String> {
    let mut keys: Vec<String> = blobs.list("").unwrap().map_ok(|blob| blob.key).try_collect().await.unwrap();
    keys.sort();
    keys
}

#[tokio::test]
async fn a_backup_restores_everything_on_either_engine() {
    TestApp::on_each_engine_with(ASSISTANT, async |app| {
        let folder = tempfile::tempdir().unwrap();
        let (source, file) = (source(&app, folder.path()).await, folder.path().join("backup"));

        let written = write::run(&source, &file).await.unwrap();

        for db in [sqlite().await, postgres().await] {
            let fresh = fresh(db).await;
            let restored = restore(&file, &fresh.target, false).await.unwrap();

            assert_eq!(restored, written);
            assert_eq!(rows(&fresh.target.db).await, rows(&source.db).await);
            assert_eq!(objects(&fresh.target.blobs).await, objects(&source.blobs).await);
            assert_eq!(std::fs::read(fresh.target.secret_file.as_ref().unwrap()).unwrap(), SECRET);
        }
        assert!(written.rows > 3 && written.objects == 1, "{written}");
    })
    .await;
}

#[tokio::test]
async fn a_backup_that_is_made_while_the_service_writes_is_of_one_moment() {
    TestApp::on_each_engine_with(ASSISTANT, async |app| {
        let folder = tempfile::tempdir().unwrap();
        let (source, file) = (source(&app, folder.path()).await, folder.path().join("backup"));
        let writing = async {
            for n in 0.. {
                let account = app.account(&format!("{n}@shop.example"), Plan::Essential).await;
                app.domain(&account, &format!("{n}.example")).await;
            }
        };

        let written = tokio::select! {
            written = write::run(&source, &file) => written.unwrap(),
            () = writing => unreachable!("it writes for ever"),
        };

        let fresh = fresh(sqlite().await).await;
        // Foreign keys would refuse a domain that precedes its account.
        assert_eq!(restore(&file, &fresh.target, false).await.unwrap(), written);
        let restored = rows(&fresh.target.db).await;
        let domains = restored.iter().find(|(table, _)| table == "domains").map(|(_, rows)| rows.concat());
        assert!(domains.unwrap_or_default().contains("\"shop.example\""));
    })
    .await;
}

#[tokio::test]
async fn a_file_that_was_cut_changed_or_is_no_backup_is_refused_before_anything_is_touched() {
    let app = TestApp::with(ASSISTANT).await;
    let folder = tempfile::tempdir().unwrap();
    let (source, file) = (source(&app, folder.path()).await, folder.path().join("backup"));
    write::run(&source, &file).await.unwrap();
    let whole = std::fs::read(&file).unwrap();
    let fresh = fresh(sqlite().await).await;
    let before = rows(&fresh.target.db).await;
    let bad = |name: &str, bytes: &[u8]| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let mut changed = whole.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;

    for file in [
        bad("cut", &whole[..whole.len() - 3]),
        bad("half", &whole[..whole.len() / 2]),
        bad("changed", &changed),
        bad("text", b"not a backup"),
        bad("empty", b""),
        folder.path().join("missing"),
    ] {
        assert!(restore(&file, &fresh.target, true).await.is_err(), "{}", file.display());
    }

    assert_eq!(rows(&fresh.target.db).await, before);
    assert!(objects(&fresh.target.blobs).await.is_empty());
}

#[tokio::test]
async fn a_backup_with_a_newer_schema_is_refused() {
    let app = TestApp::with(ASSISTANT).await;
    let folder = tempfile::tempdir().unwrap();
    let (source, file) = (source(&app, folder.path()).await, folder.path().join("backup"));
    let mut tx = source.db.write().await.unwrap();
    const SQL: &str = "update _sqlx_migrations set version = 99999 where version = (select max(version) from _sqlx_migrations)";
    store::on_engine!(tx, |c| sqlx::query(SQL).execute(c).await.map(drop)).unwrap();
    tx.commit().await.unwrap();
    write::run(&source, &file).await.unwrap();
    let fresh = fresh(sqlite().await).await;

    let refused = restore(&file, &fresh.target, true).await.unwrap_err();

    assert!(refused.to_string().contains("newer version"), "{refused}");
}

#[tokio::test]
async fn what_is_there_is_only_replaced_when_that_is_asked_for() {
    let app = TestApp::with(ASSISTANT).await;
    let folder = tempfile::tempdir().unwrap();
    let (source, file) = (source(&app, folder.path()).await, folder.path().join("backup"));
    write::run(&source, &file).await.unwrap();
    let other = TestApp::new().await;
    other.account("somebody@else.example", Plan::Essential).await;
    let platform = &other.state.platform;
    let target = RestoreTarget { db: platform.db.clone(), blobs: platform.blobs.clone(), secret_file: None };

    let refused = restore(&file, &target, false).await;
    let untouched = rows(&target.db).await;
    restore(&file, &target, true).await.unwrap();

    assert!(refused.unwrap_err().to_string().contains("--replace"));
    assert!(untouched.iter().any(|(_, rows)| rows.iter().any(|row| row.contains("somebody@else.example"))));
    assert_eq!(rows(&target.db).await, rows(&source.db).await);
}

#[tokio::test]
async fn a_file_that_is_there_is_not_written_over_and_only_its_owner_reads_a_new_one() {
    use std::os::unix::fs::PermissionsExt;
    let app = TestApp::with(ASSISTANT).await;
    let folder = tempfile::tempdir().unwrap();
    let (source, file) = (source(&app, folder.path()).await, folder.path().join("backup"));
    write::run(&source, &file).await.unwrap();

    let again = write::run(&source, &file).await;

    assert!(again.is_err());
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}
