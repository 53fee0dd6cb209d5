//! Queries of certificates on both engines: leases, limits, proofs.

use store::Db;

use super::*;
use crate::testing::*;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

fn certificate(host: &str, renew_at: Timestamp) -> StoredCertificate {
    StoredCertificate {
        host: host.to_owned(),
        chain: "chain".to_owned(),
        sealed_key: "sealed".to_owned(),
        not_before: 0,
        not_after: renew_at.as_millis() + 1,
        renew_at: renew_at.as_millis(),
        suggested: false,
    }
}

/// Returns the outcome of a pending name's failed order, which may be repeated in an hour.
fn failed(failures: u64) -> OrderEnd<'static> {
    OrderEnd { failures, error: Some("refused"), not_until: NOW.plus(HOUR), while_pending: true }
}

async fn take(db: &Db, holder: &str, now: Timestamp) -> bool {
    let mut tx = db.write().await.unwrap();
    let taken = take_lease(&mut tx, "a.example", holder, now, now.plus(HOUR)).await.unwrap();
    tx.commit().await.unwrap();
    taken
}

#[tokio::test]
async fn a_certificate_replaces_the_one_before() {
    for_each_engine(async |db| {
        let newer = StoredCertificate { chain: "newer".to_owned(), ..certificate("a.example", NOW) };

        let mut tx = db.write().await.unwrap();
        save_certificate(&mut tx, &certificate("a.example", NOW), NOW).await.unwrap();
        save_certificate(&mut tx, &newer, NOW).await.unwrap();
        tx.commit().await.unwrap();

        let mut conn = db.read().await.unwrap();
        assert_eq!(find_certificate(&mut conn, "a.example").await.unwrap(), Some(newer));
        assert_eq!(find_certificate(&mut conn, "b.example").await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn one_process_at_a_time_orders_a_name_and_another_takes_over_a_lost_lease() {
    for_each_engine(async |db| {
        assert!(take(db, "p1", NOW).await);
        assert!(!take(db, "p2", NOW).await);
        assert!(is_leased(&mut db.read().await.unwrap(), "a.example", NOW).await.unwrap());
        assert!(take(db, "p2", NOW.plus(HOUR)).await);
    })
    .await;
}

#[tokio::test]
async fn a_name_is_not_ordered_again_before_its_time() {
    for_each_engine(async |db| {
        assert!(take(db, "p1", NOW).await);
        let mut tx = db.write().await.unwrap();
        end_lease(&mut tx, "a.example", "p1", failed(3)).await.unwrap();
        tx.commit().await.unwrap();

        assert_eq!(count_failures(&mut db.read().await.unwrap(), "a.example").await.unwrap(), 3);
        assert!(!take(db, "p2", NOW).await);
        assert!(take(db, "p2", NOW.plus(HOUR)).await);
    })
    .await;
}

#[tokio::test]
async fn orders_of_the_last_hour_are_counted_for_all_and_for_the_customer() {
    for_each_engine(async |db| {
        let mut tx = db.write().await.unwrap();
        let (first, renewal) = (OrderKind::First, OrderKind::Renewal);
        for (id, account, kind, at) in [
            ("1", "x", first, NOW.minus(HOUR)),
            ("2", "x", first, NOW),
            ("3", "y", first, NOW),
            ("4", "x", renewal, NOW),
        ] {
            record_attempt(&mut tx, id, "a.example", account, kind, at).await.unwrap();
        }
        tx.commit().await.unwrap();

        let orders = count_last_hour(&mut db.read().await.unwrap(), "x", NOW).await.unwrap();

        assert_eq!(orders, LastHour { all: 2, account: 1, renewals: 1, account_renewals: 1 });
    })
    .await;
}

#[tokio::test]
async fn failures_of_a_pending_name_are_forgotten_and_later_ones_are_not() {
    for_each_engine(async |db| {
        for (while_pending, left) in [(true, 0), (false, 3)] {
            assert!(take(db, "p1", NOW).await);
            let mut tx = db.write().await.unwrap();
            let end = OrderEnd { while_pending, ..failed(3) };
            end_lease(&mut tx, "a.example", "p1", end).await.unwrap();

            forget_pending_failures(&mut tx, "a.example").await.unwrap();
            tx.commit().await.unwrap();

            assert_eq!(count_failures(&mut db.read().await.unwrap(), "a.example").await.unwrap(), left);
        }
        assert!(!take(db, "p1", NOW).await, "it still has to wait");
    })
    .await;
}

#[tokio::test]
async fn a_name_that_left_leaves_nothing_and_its_neighbours_stay() {
    for_each_engine(async |db| {
        assert!(take(db, "p1", NOW).await);
        let mut tx = db.write().await.unwrap();
        save_certificate(&mut tx, &certificate("a.example", NOW), NOW).await.unwrap();
        save_certificate(&mut tx, &certificate("b.example", NOW), NOW).await.unwrap();

        delete_name(&mut tx, "a.example").await.unwrap();
        tx.commit().await.unwrap();

        let mut conn = db.read().await.unwrap();
        assert_eq!(find_certificate(&mut conn, "a.example").await.unwrap(), None);
        assert!(find_certificate(&mut conn, "b.example").await.unwrap().is_some());
        assert!(!is_leased(&mut conn, "a.example", NOW).await.unwrap());
    })
    .await;
}

async fn due(db: &Db) -> Vec<String> {
    let due = list_due(&mut db.read().await.unwrap(), OrderKind::Renewal, NOW, 10).await.unwrap();
    due.into_iter().map(|due| due.host).collect()
}

#[tokio::test]
async fn what_is_due_comes_by_urgency_and_not_while_it_must_wait() {
    for_each_engine(async |db| {
        let mut tx = db.write().await.unwrap();
        for (host, at) in
            [("late.example", NOW), ("later.example", NOW.plus(HOUR)), ("soon.example", NOW.minus(HOUR))]
        {
            save_certificate(&mut tx, &certificate(host, at), NOW).await.unwrap();
        }
        save_certificate(&mut tx, &certificate("a.example", NOW.minus(DAY)), NOW).await.unwrap();
        take_lease(&mut tx, "a.example", "p1", NOW, NOW.plus(HOUR)).await.unwrap();
        tx.commit().await.unwrap();

        assert_eq!(due(db).await, ["soon.example", "late.example"]);
    })
    .await;
}

#[tokio::test]
async fn a_certificate_that_was_postponed_stands_before_nobody() {
    for_each_engine(async |db| {
        let mut tx = db.write().await.unwrap();
        save_certificate(&mut tx, &certificate("soon.example", NOW.minus(HOUR)), NOW).await.unwrap();
        save_certificate(&mut tx, &certificate("late.example", NOW), NOW).await.unwrap();

        postpone_renewal(&mut tx, "soon.example", NOW.plus(HOUR)).await.unwrap();
        tx.commit().await.unwrap();

        assert_eq!(due(db).await, ["late.example"]);
    })
    .await;
}

#[tokio::test]
async fn the_authority_is_asked_for_new_certificates_and_then_when_it_said() {
    for_each_engine(async |db| {
        let mut tx = db.write().await.unwrap();
        for host in ["expired.example", "new.example", "asked.example", "due.example"] {
            save_certificate(&mut tx, &certificate(host, NOW.plus(DAY)), NOW).await.unwrap();
        }
        save_certificate(&mut tx, &certificate("expired.example", NOW.minus(DAY)), NOW).await.unwrap();
        postpone_asking(&mut tx, "asked.example", NOW.plus(HOUR)).await.unwrap();
        postpone_renewal(&mut tx, "due.example", NOW.plus(HOUR)).await.unwrap();
        tx.commit().await.unwrap();

        let mut conn = db.read().await.unwrap();
        let asked = list_to_ask(&mut conn, NOW, 10).await.unwrap();
        let hosts: Vec<_> = asked.iter().map(|certificate| certificate.host.as_str()).collect();
        assert_eq!(hosts, ["new.example"]);
        assert_eq!(list_to_ask(&mut conn, NOW.plus(HOUR), 10).await.unwrap().len(), 3);
    })
    .await;
}

#[tokio::test]
async fn a_suggestion_is_for_the_certificate_that_was_asked_for() {
    for_each_engine(async |db| {
        let stored = certificate("a.example", NOW.plus(DAY));
        let suggestion = |not_after| {
            let host = "a.example".to_owned();
            Suggestion { host, not_after, renew_at: NOW, ask_at: NOW }
        };
        let mut tx = db.write().await.unwrap();
        save_certificate(&mut tx, &stored, NOW).await.unwrap();

        save_suggestion(&mut tx, &suggestion(stored.not_after + 1)).await.unwrap();
        let of_another = list_due(&mut tx, OrderKind::Suggested, NOW, 10).await.unwrap();
        save_suggestion(&mut tx, &suggestion(stored.not_after)).await.unwrap();
        let suggested = list_due(&mut tx, OrderKind::Suggested, NOW, 10).await.unwrap();
        save_certificate(&mut tx, &stored, NOW).await.unwrap();
        let of_a_new_one = list_due(&mut tx, OrderKind::Suggested, NOW, 10).await.unwrap();
        tx.commit().await.unwrap();

        assert_eq!((of_another.len(), suggested.len(), of_a_new_one.len()), (0, 1, 0));
    })
    .await;
}

#[tokio::test]
async fn a_proof_is_found_by_its_token_and_name_until_it_expires() {
    for_each_engine(async |db| {
        let mut tx = db.write().await.unwrap();
        save_challenge(&mut tx, "t", "a.example", "t.key", NOW.plus(HOUR)).await.unwrap();
        tx.commit().await.unwrap();

        let mut conn = db.read().await.unwrap();
        let open = list_challenges(&mut conn, NOW).await.unwrap();
        let (token, host, proof) = ("t".to_owned(), "a.example".to_owned(), "t.key".to_owned());
        assert_eq!(open, [Challenge { token, host, proof }]);
        assert_eq!(list_challenges(&mut conn, NOW.plus(HOUR)).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn our_account_with_an_authority_is_kept_per_authority() {
    for_each_engine(async |db| {
        let mut tx = db.write().await.unwrap();
        save_acme_account(&mut tx, "https://ca.example/dir", "sealed", NOW).await.unwrap();
        tx.commit().await.unwrap();

        let mut conn = db.read().await.unwrap();
        let found = find_acme_account(&mut conn, "https://ca.example/dir").await.unwrap();
        assert_eq!(found.as_deref(), Some("sealed"));
        assert_eq!(find_acme_account(&mut conn, "https://other.example/dir").await.unwrap(), None);
    })
    .await;
}
