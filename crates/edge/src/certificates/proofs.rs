//! Proofs for certificate authorities, whichever process runs the order: read from the database, all open ones with one query
//! that all concurrent callers share. Must never cost more than that, whatever the number of requests.

use std::time::{Duration, Instant};

use store::{Db, DbError};
use tokio::sync::Mutex;

use super::queries::{self, Challenge};
use platform::clock::Clock;

/// Shortest time between two queries.
const PAUSE: Duration = Duration::from_millis(20);

pub struct Proofs {
    db: Db,
    clock: Clock,
    listed: Mutex<OpenChallenges>,
}

#[derive(Default)]
struct OpenChallenges {
    began: Option<Instant>,
    open: Vec<Challenge>,
}

impl Proofs {
    /// Returns a reader without a cached list.
    pub fn new(db: &Db, clock: &Clock) -> Proofs {
        Proofs { db: db.clone(), clock: clock.clone(), listed: Mutex::default() }
    }

    /// Finds the newest open proof that `is_wanted` accepts. Sees every proof that was stored before the call.
    pub async fn find(&self, is_wanted: impl Fn(&Challenge) -> bool) -> Result<Option<String>, DbError> {
        let asked = Instant::now();
        let mut listed = self.listed.lock().await;
        if listed.began.is_none_or(|began| began < asked) {
            if let Some(began) = listed.began {
                tokio::time::sleep(PAUSE.saturating_sub(began.elapsed())).await;
            }
            let began = Instant::now();
            listed.open = queries::list_challenges(&mut self.db.read().await?, self.clock.now()).await?;
            listed.began = Some(began);
        }
        Ok(listed.open.iter().find(|challenge| is_wanted(challenge)).map(|found| found.proof.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    #[tokio::test]
    async fn a_proof_is_found_as_soon_as_any_process_showed_it() {
        TestApp::on_each_engine(async |app| {
            let db = &app.state.platform.db;
            let proofs = Proofs::new(db, &app.clock);
            let find = async || proofs.find(|challenge| challenge.token == "token").await.unwrap();
            assert_eq!(find().await, None);

            let mut tx = db.write().await.unwrap();
            let until = app.clock.now().plus(Duration::from_secs(60));
            queries::save_challenge(&mut tx, "token", "shop.example", "proof", until).await.unwrap();
            tx.commit().await.unwrap();

            assert_eq!(find().await.as_deref(), Some("proof"));
            app.clock.advance(Duration::from_secs(61));
            assert_eq!(find().await, None);
        })
        .await;
    }

    #[tokio::test]
    async fn who_asked_before_a_query_began_goes_by_its_answer() {
        let app = TestApp::new().await;
        let proofs = Proofs::new(&app.state.platform.db, &app.clock);
        let mut running = proofs.listed.lock().await;

        let asked = futures::future::join_all((0..500).map(|_| proofs.find(|_| false)));
        let responded = async {
            // All of them wait by now; another query would fail.
            app.state.platform.db.close().await;
            running.began = Some(Instant::now());
            drop(running);
        };
        let (found, ()) = tokio::join!(asked, responded);

        assert!(found.iter().all(|found| matches!(found, Ok(None))));
    }
}
