//! The handle as a specification, on both engines.

use std::time::Duration;

use super::limits::limited_to;
use super::*;
use crate::testing::{PostgresServer, for_each_engine, postgres, sqlite};

#[derive(Debug, PartialEq, sqlx::FromRow)]
struct Note {
    id: String,
    body: Option<String>,
    size: i64,
    pinned: bool,
    score: f64,
}

fn note(id: &str) -> Note {
    Note { id: id.to_owned(), body: Some("Grüße".to_owned()), size: i64::MAX, pinned: true, score: 0.5 }
}

async fn create_tables(db: &Db) {
    let mut tx = db.write().await.unwrap();
    const NOTES: &str = "create table notes (id text primary key, body text, size bigint not null,
        pinned boolean not null, score double precision not null)";
    const TAGS: &str = "create table tags (note_id text not null references notes (id))";
    on_engine!(tx, |c| sqlx::query(NOTES).execute(c).await.map(drop)).unwrap();
    on_engine!(tx, |c| sqlx::query(TAGS).execute(c).await.map(drop)).unwrap();
    tx.commit().await.unwrap();
}

async fn insert(conn: &mut Conn, note: &Note) -> Result<u64, DbError> {
    const SQL: &str = "insert into notes (id, body, size, pinned, score) values ($1, $2, $3, $4, $5)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(&note.id)
        .bind(&note.body)
        .bind(note.size)
        .bind(note.pinned)
        .bind(note.score)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?)
}

async fn list(conn: &mut Conn) -> Result<Vec<Note>, DbError> {
    const SQL: &str = "select id, body, size, pinned, score from notes order by id";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?)
}

#[tokio::test]
async fn one_text_writes_and_reads_every_common_type() {
    for_each_engine(async |db| {
        create_tables(db).await;
        let empty = Note { id: "b".to_owned(), body: None, size: -1, pinned: false, score: -1e300 };

        let mut tx = db.write().await.unwrap();
        let written = insert(&mut tx, &note("a")).await.unwrap() + insert(&mut tx, &empty).await.unwrap();
        tx.commit().await.unwrap();

        assert_eq!(written, 2);
        assert_eq!(list(&mut db.read().await.unwrap()).await.unwrap(), [note("a"), empty]);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_that_is_dropped_changes_nothing() {
    for_each_engine(async |db| {
        create_tables(db).await;

        let mut tx = db.write().await.unwrap();
        insert(&mut tx, &note("a")).await.unwrap();
        drop(tx);

        assert_eq!(list(&mut db.read().await.unwrap()).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn nobody_sees_a_change_before_it_is_committed() {
    for_each_engine(async |db| {
        create_tables(db).await;
        let mut tx = db.write().await.unwrap();
        insert(&mut tx, &note("a")).await.unwrap();

        let before = list(&mut db.read().await.unwrap()).await.unwrap();
        tx.commit().await.unwrap();
        let after = list(&mut db.read().await.unwrap()).await.unwrap();

        assert_eq!((before.len(), after.len()), (0, 1));
    })
    .await;
}

#[tokio::test]
async fn violations_are_told_apart() {
    for_each_engine(async |db| {
        create_tables(db).await;
        let mut tx = db.write().await.unwrap();
        insert(&mut tx, &note("a")).await.unwrap();
        tx.commit().await.unwrap();

        let twice = insert(&mut db.write().await.unwrap(), &note("a")).await.unwrap_err();
        let mut tx = db.write().await.unwrap();
        let dangling: DbError =
            on_engine!(tx, |c| sqlx::query("insert into tags values ('x')").execute(c).await.map(drop))
                .unwrap_err()
                .into();
        drop(tx);
        let mut conn = db.read().await.unwrap();
        let wrong: DbError = on_engine!(conn, |c| sqlx::query("select nothing").execute(c).await.map(drop))
            .unwrap_err()
            .into();

        assert!(twice.is_unique_violation() && !twice.is_foreign_key_violation(), "{twice:?}");
        assert!(dangling.is_foreign_key_violation() && !dangling.is_unique_violation(), "{dangling:?}");
        assert!(matches!(wrong, DbError::Query(_)) && !wrong.is_unavailable(), "{wrong:?}");
    })
    .await;
}

#[tokio::test]
async fn writers_queue_up_and_each_gets_its_turn() {
    for_each_engine(async |db| {
        create_tables(db).await;
        let ids: Vec<String> = (0..40).map(|n| format!("n{n:02}")).collect();

        let writers = ids.iter().map(async |id| {
            let mut tx = db.write().await?;
            insert(&mut tx, &note(id)).await?;
            tx.commit().await
        });
        let results = futures::future::join_all(writers).await;

        assert!(results.iter().all(Result::is_ok), "{results:?}");
        assert_eq!(list(&mut db.read().await.unwrap()).await.unwrap().len(), 40);
    })
    .await;
}

#[tokio::test]
async fn what_is_committed_durably_is_there_for_everybody() {
    for_each_engine(async |db| {
        create_tables(db).await;
        let mut tx = db.write().await.unwrap();
        insert(&mut tx, &note("a")).await.unwrap();

        tx.commit_durably().await.unwrap();

        assert_eq!(list(&mut db.read().await.unwrap()).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn every_connection_to_a_server_has_limits_and_finds_out_that_the_other_end_is_gone() {
    let db = postgres().await;
    let mut held = Vec::new();
    for pool in [db.clone(), db.clone(), db.dedicated()] {
        let mut conn = pool.read().await.unwrap();
        let mut shown = Vec::new();
        for setting in [
            "show statement_timeout",
            "show lock_timeout",
            "show idle_in_transaction_session_timeout",
            "show tcp_keepalives_idle",
            "show tcp_keepalives_count",
        ] {
            let value: String = on_engine!(conn, |c| sqlx::query_scalar(setting).fetch_one(c).await).unwrap();
            shown.push(value);
        }
        assert_eq!(shown[..3], ["15s", "10s", "15s"]);
        // A socket of the file system has no keepalive, and says 0.
        assert!(shown[3..] == ["20", "4"] || shown[3..] == ["0", "0"], "{shown:?}");
        held.push(conn);
    }
}

#[tokio::test]
async fn a_statement_that_hangs_is_ended_by_the_server_before_we_give_up_on_it() {
    let db = postgres().await;
    let mut conn = db.read().await.unwrap();
    on_engine!(conn, |c| sqlx::query("set statement_timeout = '50ms'").execute(c).await.map(drop)).unwrap();

    let hangs: DbError = on_engine!(conn, |c| sqlx::query("select pg_sleep(60)").execute(c).await.map(drop))
        .unwrap_err()
        .into();

    assert!(hangs.to_string().contains("database"), "{hangs:?}");
    assert!(on_engine!(conn, |c| sqlx::query("select 1").execute(c).await.map(drop)).is_ok());
}

#[tokio::test]
async fn a_server_that_neither_answers_nor_hangs_up_holds_nobody() {
    let silence = std::future::pending::<Result<(), sqlx::Error>>();

    let given_up: DbError =
        limited_to(Duration::from_millis(20), silence).await.expect_err("nobody answers").into();

    assert!(given_up.is_unavailable());
    assert!(STATEMENT_TIME > Duration::from_secs(15), "the server ends a statement first, when it lives");
}

#[tokio::test]
async fn sqlite_can_be_written_again_after_it_was_full() {
    let db = sqlite().await;
    create_tables(&db).await;
    let limit = async |pages: i64| {
        let mut tx = db.write().await.unwrap();
        let sql = sqlx::AssertSqlSafe(format!("pragma max_page_count = {pages}"));
        on_engine!(tx, |c| sqlx::query(sql).execute(c).await.map(drop)).unwrap();
        tx.commit().await.unwrap();
    };
    limit(1).await;
    let large = Note { body: Some("x".repeat(1 << 20)), ..note("large") };

    let mut tx = db.write().await.unwrap();
    let full = insert(&mut tx, &large).await.unwrap_err();
    drop(tx);
    let mut tx = db.write().await.unwrap();
    insert(&mut tx, &large).await.unwrap();
    tx.commit().await.unwrap();

    assert!(full.is_unavailable(), "{full:?}");
    assert_eq!(list(&mut db.read().await.unwrap()).await.unwrap(), [large]);
}

#[tokio::test]
async fn sqlite_refuses_to_write_through_a_reading_connection() {
    let db = sqlite().await;
    create_tables(&db).await;

    let refused = insert(&mut db.read().await.unwrap(), &note("a")).await;

    assert!(refused.is_err());
}

#[tokio::test]
async fn sqlite_makes_its_folder_and_writes_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/glasshouse.db");
    let config = DbConfig { url: format!("sqlite:{}", path.display()), max_connections: 2 };

    let db = Db::open(&config).await.unwrap();
    let mut tx = db.write().await.unwrap();
    let mode: String = on_engine!(tx, |c| sqlx::query_scalar("select journal_mode from pragma_journal_mode")
        .fetch_one(c)
        .await)
    .unwrap();

    assert_eq!((db.engine(), mode.as_str(), path.exists()), (Engine::Sqlite, "wal", true));
}

#[tokio::test]
async fn an_address_that_cannot_be_used_says_why_without_repeating_it() {
    for url in
        ["mysql://root:secret@db/x", "sqlite:", "sqlite::memory:", "postgres://user:secret@host:notaport/x"]
    {
        let error = Db::open(&DbConfig { url: url.to_owned(), max_connections: 2 }).await.unwrap_err();

        assert!(matches!(error, DbError::BadUrl(_)), "{url}: {error:?}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable_within_seconds() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let config = DbConfig { url: format!("postgres://x@127.0.0.1:{port}/x"), max_connections: 2 };

    let opened = tokio::time::timeout(Duration::from_secs(8), Db::open(&config)).await.unwrap();

    assert!(opened.unwrap_err().is_unavailable());
}

#[tokio::test]
async fn the_database_is_usable_again_after_its_server_crashed() {
    let mut server = PostgresServer::start().await;
    let db = Db::open(&DbConfig { url: server.url(), max_connections: 4 }).await.unwrap();
    create_tables(&db).await;
    let mut broken = db.write().await.unwrap();
    insert(&mut broken, &note("lost")).await.unwrap();

    server.crash();
    let cut_off = broken.commit().await.unwrap_err();
    let meanwhile = db.ping().await.unwrap_err();
    server.start_again().await;
    let mut tx = db.write().await.unwrap();
    insert(&mut tx, &note("a")).await.unwrap();
    tx.commit().await.unwrap();

    assert!(cut_off.is_unavailable(), "{cut_off:?}");
    assert!(meanwhile.is_unavailable(), "{meanwhile:?}");
    assert_eq!(list(&mut db.read().await.unwrap()).await.unwrap(), [note("a")]);
}

#[tokio::test]
async fn transactions_in_an_enclosure_become_visible_together_or_never() {
    for_each_engine(async |db| {
        create_tables(db).await;
        let enclosure = db.enclosure();
        let write = async |id: &str, is_kept: bool| {
            let mut tx = enclosure.db().write().await.unwrap();
            insert(&mut tx, &note(id)).await.unwrap();
            if is_kept {
                tx.commit_durably().await.unwrap();
            }
        };
        let ids = async |db: &Db| -> Vec<String> {
            list(&mut db.read().await.unwrap()).await.unwrap().into_iter().map(|note| note.id).collect()
        };

        enclosure.begin().await.unwrap();
        write("a", true).await;
        write("b", false).await;
        write("c", true).await;
        let (inside, outside) = (ids(enclosure.db()).await, ids(db).await);
        enclosure.commit().await.unwrap();
        let committed = ids(db).await;
        enclosure.begin().await.unwrap();
        write("d", true).await;
        enclosure.roll_back().await.unwrap();

        assert_eq!((inside, outside), (vec!["a".to_owned(), "c".to_owned()], Vec::<String>::new()));
        assert_eq!(committed, ["a", "c"]);
        assert_eq!((ids(db).await, ids(enclosure.db()).await), (committed.clone(), committed));
    })
    .await;
}
