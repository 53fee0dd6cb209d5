//! TLS session tickets that every process of the installation can issue and read, for a day: a returning client needs no full
//! handshake, on any node and after a restart. Used by the shared TLS configuration.
//! Must never accept a ticket that is older, or that another installation issued. Must never seal with a permanent secret: each
//! day has a random one, which is deleted after its tickets have expired.
//! See docs/decisions/0124.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use rustls::server::ProducesTickets;
use store::{Conn, Db, DbError, on_engine};
use tokio::sync::Mutex;

use platform::clock::{Clock, Timestamp};
use platform::secret::{SealKey, Secrets, random};

const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
/// Longest accepted difference between the clocks of two nodes.
const CLOCK_SKEW: Duration = Duration::from_secs(60);
/// Longest time that a handshake waits for the secret of a day. Without the secret no ticket is issued.
const LOAD_TIMEOUT: Duration = Duration::from_millis(500);

pub struct Tickets {
    db: Db,
    clock: Clock,
    /// Key that seals the secrets in the database.
    seal: SealKey,
    /// Keys by the UTC day of their tickets.
    keys: RwLock<BTreeMap<i64, SealKey>>,
    loading: Mutex<()>,
}

impl Tickets {
    /// Returns a ticket issuer with the secrets of this database. None are loaded yet.
    pub fn new(db: &Db, secrets: &Secrets, clock: &Clock) -> Tickets {
        Tickets {
            db: db.clone(),
            clock: clock.clone(),
            seal: secrets.seal_key("tls ticket secrets"),
            keys: RwLock::default(),
            loading: Mutex::default(),
        }
    }

    /// Loads or creates today's secret, unless it is known. A database that hangs delays one handshake by at most 500 ms.
    pub async fn keep_current(&self) {
        let today = self.clock.now().day_number();
        if self.keys().contains_key(&today) {
            return;
        }
        let Ok(_turn) = self.loading.try_lock() else { return };
        match tokio::time::timeout(LOAD_TIMEOUT, self.load(today)).await {
            Ok(Ok(keys)) => *self.keys.write().unwrap_or_else(PoisonError::into_inner) = keys,
            Ok(Err(error)) => tracing::warn!(%error, "the secret of session tickets could not be read"),
            Err(_) => {}
        }
    }

    async fn load(&self, today: i64) -> Result<BTreeMap<i64, SealKey>, DbError> {
        let fresh = self.seal.seal(&random::<32>(), &today.to_string());
        let mut tx = self.db.write().await?;
        let secrets = keep_secrets(&mut tx, today, &fresh).await?;
        tx.commit().await?;
        let key = |(day, sealed): (i64, String)| {
            let secret = self.seal.open(&sealed, &day.to_string())?;
            Some((day, Secrets::from_bytes(&secret).seal_key("tls tickets")))
        };
        Ok(secrets.into_iter().filter_map(key).collect())
    }

    fn keys(&self) -> RwLockReadGuard<'_, BTreeMap<i64, SealKey>> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Deletes the secrets of days before yesterday, adds today's unless it exists, and returns all.
async fn keep_secrets(conn: &mut Conn, today: i64, fresh: &str) -> Result<Vec<(i64, String)>, DbError> {
    const FORGET: &str = "delete from ticket_secrets where day < $1";
    const ADD: &str = "insert into ticket_secrets (day, sealed) values ($1, $2) on conflict (day) do nothing";
    const LIST: &str = "select day, sealed from ticket_secrets";
    on_engine!(conn, |c| sqlx::query(FORGET).bind(today - 1).execute(c).await.map(drop))?;
    on_engine!(conn, |c| sqlx::query(ADD).bind(today).bind(fresh).execute(c).await.map(drop))?;
    Ok(on_engine!(conn, |c| sqlx::query_as(LIST).fetch_all(c).await)?)
}

impl fmt::Debug for Tickets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Tickets")
    }
}

impl ProducesTickets for Tickets {
    fn enabled(&self) -> bool {
        true
    }

    fn lifetime(&self) -> u32 {
        LIFETIME.as_secs() as u32
    }

    fn encrypt(&self, plain: &[u8]) -> Option<Vec<u8>> {
        let made = self.clock.now();
        let at = made.as_millis().to_string();
        let sealed = self.keys().get(&made.day_number())?.seal(plain, &at);
        Some(format!("{at}.{sealed}").into_bytes())
    }

    fn decrypt(&self, ticket: &[u8]) -> Option<Vec<u8>> {
        let (at, sealed) = std::str::from_utf8(ticket).ok()?.split_once('.')?;
        let (made, now) = (Timestamp::from_millis(at.parse().ok()?), self.clock.now());
        let is_fresh = now.since(made) <= LIFETIME && made.since(now) <= CLOCK_SKEW;
        if !is_fresh {
            return None;
        }
        self.keys().get(&made.day_number())?.open(sealed, at)
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::testing::*;

    async fn tickets(db: &Db, secret: &[u8], now: Timestamp) -> Tickets {
        let tickets = Tickets::new(db, &Secrets::from_bytes(secret), &Clock::fixed(now));
        tickets.keep_current().await;
        tickets
    }

    async fn on_each_engine(test: impl AsyncFn(&Db)) {
        for_each_engine(async |db| {
            test(db).await;
        })
        .await;
    }

    #[tokio::test]
    async fn a_ticket_is_read_by_every_node_for_a_day_and_no_longer() {
        on_each_engine(async |db| {
            let ticket = tickets(db, b"one secret", NOON).await.encrypt(b"session").unwrap();
            let later = async |after| tickets(db, b"one secret", NOON.plus(after)).await.decrypt(&ticket);

            assert_eq!(later(Duration::ZERO).await.as_deref(), Some(&b"session"[..]));
            assert_eq!(later(LIFETIME).await.as_deref(), Some(&b"session"[..]));
            assert_eq!(later(LIFETIME + Duration::from_secs(1)).await, None);
        })
        .await;
    }

    #[tokio::test]
    async fn a_ticket_from_elsewhere_or_with_another_time_is_no_ticket() {
        on_each_engine(async |db| {
            let ours = tickets(db, b"one secret", NOON).await;
            let ticket = ours.encrypt(b"session").unwrap();
            let (_, sealed) = std::str::from_utf8(&ticket).unwrap().split_once('.').unwrap();
            let postdated = format!("{}.{sealed}", NOON.plus(Duration::from_secs(1)).as_millis());

            assert_eq!(tickets(db, b"another secret", NOON).await.decrypt(&ticket), None);
            assert_eq!(ours.decrypt(postdated.as_bytes()), None);
            assert_eq!(ours.decrypt(b"\xff.x"), None);
        })
        .await;
    }

    #[tokio::test]
    async fn each_day_has_a_secret_of_its_own_which_goes_when_its_tickets_are_over() {
        on_each_engine(async |db| {
            let days = async || {
                let mut conn = db.read().await.unwrap();
                let sql = "select day, sealed from ticket_secrets order by day";
                let rows: Vec<(i64, String)> =
                    on_engine!(conn, |c| sqlx::query_as(sql).fetch_all(c).await).unwrap();
                rows
            };
            tickets(db, b"one secret", NOON).await;
            let first = days().await;
            tickets(db, b"one secret", NOON.plus(LIFETIME)).await;
            let second = days().await;
            tickets(db, b"one secret", NOON.plus(2 * LIFETIME)).await;
            let third = days().await;

            assert_eq!((first.len(), second.len(), third.len()), (1, 2, 2));
            assert_eq!((&second[0], &third[0]), (&first[0], &second[1]));
            assert_ne!(second[0].1, second[1].1);
        })
        .await;
    }
}
